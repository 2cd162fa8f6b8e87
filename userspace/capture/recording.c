// SPDX-License-Identifier: MIT
// The directory of a recording: made anew, recording.json kept whole in it, given away or removed.
#include "capture/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/recording_limit.h"
#include "capture/recording_json.h"

/* What recording.json grows by at most until the end: figures, the command's status, an error. */
#define RESERVE_BYTES 16384
#define DIRECTORIES   16 /* that nftw may hold open */

static char *default_name(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char name[64];

	localtime_r(&now, &tm);
	strftime(name, sizeof(name), "gpulane-%Y%m%d-%H%M%S", &tm);
	return strdup(name);
}

struct lane_error *capture_recording_create(const char *path, struct lane_recording_dir *dir)
{
	struct lane_error *err;

	*dir = LANE_RECORDING_NONE;
	dir->path = path ? strdup(path) : default_name();
	if (!dir->path)
		return &lane_enomem;
	err = lane_folder_of(dir->path, &dir->parent_fd, &dir->name);
	return err ? err : lane_folder_make(dir->parent_fd, dir->name, 0700, dir->path, &dir->fd);
}

/* An unlinked file takes the space that the last recording.json will need. */
static struct lane_error *recording_reserve(struct lane_recording_dir *dir, size_t bytes)
{
	LANE_CLEANUP(lane_free) char *zeros = calloc(1, bytes);
	ssize_t n;

	if (!zeros)
		return &lane_enomem;
	dir->reserve_fd =
		openat(dir->fd, ".reserve", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (dir->reserve_fd < 0)
		return lane_error_errno(errno, "%s", dir->path);
	unlinkat(dir->fd, ".reserve", 0);
	n = write(dir->reserve_fd, zeros, bytes);
	if (n != (ssize_t)bytes)
		return lane_error_errno(n < 0 ? errno : ENOSPC, "%s", dir->path);
	return NULL;
}

static struct lane_error *recording_write_text(struct lane_recording_dir *dir, const char *text,
					       size_t bytes)
{
	const char *const name = "recording.json";
	const char *const part = ".recording.json";
	LANE_CLEANUP(lane_close) int fd = -1;
	struct lane_error *err;

	/* Whatever has this name is not what is to be written. */
	unlinkat(dir->fd, part, 0);
	fd = openat(dir->fd, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return lane_error_errno(errno, "%s/%s", dir->path, name);
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			err = lane_error_errno(n ? errno : ENOSPC, "%s/%s", dir->path, name);
			unlinkat(dir->fd, part, 0);
			return err;
		}
		text += n;
		bytes -= (size_t)n;
	}
	if (renameat(dir->fd, part, dir->fd, name))
		return lane_error_errno(errno, "%s/%s", dir->path, name);
	return NULL;
}

struct lane_error *capture_recording_cgroups(struct lane_recording_dir *dir,
					     const struct lane_cgroup_list *cgroups)
{
	LANE_CLEANUP(lane_fclose) FILE *to = NULL;
	int fd = openat(dir->fd, "cgroups", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!to)
		return lane_error_errno(errno, "%s/cgroups", dir->path);
	lane_cgroups_write(cgroups, to);
	return fflush(to) ? lane_error_errno(errno, "%s/cgroups", dir->path) : NULL;
}

struct lane_error *capture_recording_write(struct lane_recording_dir *dir,
					   const struct lane_recording_facts *facts)
{
	struct json_object *root = capture_recording_json(facts);
	struct lane_error *err;
	const char *text;
	size_t bytes;

	text = json_object_to_json_string_length(
		root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &bytes);
	if (!text) {
		err = &lane_enomem;
	} else if (bytes > LANE_RECORDING_JSON_BYTES) {
		err = lane_error("%s/recording.json: has %zu bytes, more than are read again",
				 dir->path, bytes);
	} else if (facts->ended_by) {
		if (dir->reserve_fd >= 0)
			close(dir->reserve_fd);
		dir->reserve_fd = -1;
		err = recording_write_text(dir, text, bytes);
	} else {
		err = recording_write_text(dir, text, bytes);
		if (!err && dir->reserve_fd < 0)
			err = recording_reserve(dir, bytes + RESERVE_BYTES);
	}
	json_object_put(root);
	return err;
}

/* nftw has no argument of the caller's. */
static uid_t give_uid;
static gid_t give_gid;

static int give_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	/* The directory itself comes last: until then nobody else can change what is in it. */
	return place->level ? lchown(path, give_uid, give_gid) : 0;
}

struct lane_error *capture_recording_give(struct lane_recording_dir *dir, uid_t uid, gid_t gid)
{
	char path[32];

	give_uid = uid;
	give_gid = gid;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", dir->fd);
	if (nftw(path, give_one, DIRECTORIES, FTW_DEPTH | FTW_PHYS) || fchown(dir->fd, uid, gid))
		return lane_error_errno(errno, "%s: cannot be given to user %u", dir->path, uid);
	return NULL;
}

void capture_recording_close(struct lane_recording_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->reserve_fd >= 0)
		close(dir->reserve_fd);
	if (dir->parent_fd >= 0)
		close(dir->parent_fd);
	free(dir->path);
	free(dir->name);
	*dir = LANE_RECORDING_NONE;
}

void capture_recording_discard(struct lane_recording_dir *dir)
{
	if (dir->fd >= 0) {
		lane_folder_empty(dir->fd);
		lane_folder_remove(dir->parent_fd, dir->name, dir->fd);
	}
	capture_recording_close(dir);
}

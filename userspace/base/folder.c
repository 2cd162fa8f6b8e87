// SPDX-License-Identifier: MIT
// Making files and folders where somebody else may write, too.
#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"

#define MAX_LINKS 40 /* on one path, as the kernel has it */
#define MAX_DEPTH 64 /* of folders to be removed */
#define TRIES	  16 /* to find a temporary name that is free */

bool lane_sudo_id(const char *text, uint32_t *id)
{
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*id = (uint32_t)value;
	return !errno && !*end && value > 0 && value < UINT32_MAX;
}

bool lane_sudo_user(uid_t *uid)
{
	return getuid() == 0 && geteuid() == 0 && lane_sudo_id(getenv("SUDO_UID"), uid);
}

/* --- the way to a folder --- */

/* Whose links are followed. */
static bool is_trusted(uid_t owner)
{
	uid_t caller;

	return owner == 0 || owner == geteuid() || (lane_sudo_user(&caller) && owner == caller);
}

/* What is still to be walked: the rest of a path, into which the texts of links are put. */
struct path_walk {
	char rest[2 * PATH_MAX];
	int fd;
	int links;
};

static struct lane_error *step_to(struct path_walk *walk, int fd)
{
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = fd;
	return NULL;
}

static struct lane_error *from_root(struct path_walk *walk)
{
	return step_to(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* The link `name` stands for its text, which is walked next. */
static struct lane_error *folder_follow(struct path_walk *walk, const char *name)
{
	LANE_CLEANUP(lane_close)
	int link = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char text[PATH_MAX], rest[sizeof(walk->rest)];
	struct stat st;
	ssize_t n;

	if (link < 0 || fstat(link, &st))
		return lane_error_errno(errno, "%s", name);
	if (!is_trusted(st.st_uid))
		return lane_error("%s: is a link of user %u, who may change where it leads "
				  "(name the folder itself)",
				  name, st.st_uid);
	n = readlinkat(link, "", text, sizeof(text) - 1);
	if (n <= 0)
		return lane_error_errno(n ? errno : EINVAL, "%s", name);
	text[n] = 0;
	memcpy(rest, walk->rest, sizeof(rest));
	if (++walk->links > MAX_LINKS || (size_t)snprintf(walk->rest, sizeof(walk->rest), "%s/%s",
							  text, rest) >= sizeof(walk->rest))
		return lane_error_errno(ELOOP, "%s", name);
	return *text == '/' ? from_root(walk) : NULL;
}

/* Takes the first part off the rest; false when there is none. */
static bool next_part(struct path_walk *walk, char *part)
{
	size_t skip = strspn(walk->rest, "/");
	size_t n = strcspn(walk->rest + skip, "/");

	if (!n || n > NAME_MAX) {
		memcpy(part, "", 1);
		return n > 0;
	}
	memcpy(part, walk->rest + skip, n);
	part[n] = 0;
	memmove(walk->rest, walk->rest + skip + n, strlen(walk->rest + skip + n) + 1);
	return true;
}

static struct lane_error *walk_on(struct path_walk *walk)
{
	char part[NAME_MAX + 1];
	struct stat st;

	while (next_part(walk, part)) {
		struct lane_error *err = NULL;
		int fd;

		if (!*part)
			return lane_error_errno(ENAMETOOLONG, "folder");
		fd = openat(walk->fd, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st)) {
			err = lane_error_errno(errno, "%s", part);
			if (fd >= 0)
				close(fd);
			return err;
		}
		if (S_ISLNK(st.st_mode)) {
			close(fd);
			err = folder_follow(walk, part);
		} else {
			err = step_to(walk, fd);
		}
		if (err)
			return err;
	}
	return NULL;
}

/* Opens a folder by its path. */
static struct lane_error *open_folder(const char *path, int *fd)
{
	struct path_walk walk = { .fd = -1 };
	struct lane_error *err = NULL;

	*fd = -1;
	if ((size_t)snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= PATH_MAX)
		return lane_error_errno(ENAMETOOLONG, "folder");
	if (*path == '/')
		err = from_root(&walk);
	else
		err = step_to(&walk, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (!err && walk.fd < 0)
		err = lane_error_errno(errno, "folder");
	if (!err)
		err = walk_on(&walk);
	if (!err) {
		*fd = openat(walk.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (*fd < 0)
			err = lane_error_errno(errno, "folder");
	}
	if (walk.fd >= 0)
		close(walk.fd);
	return err;
}

struct lane_error *lane_folder_of(const char *path, int *fd, char **name)
{
	LANE_CLEANUP(lane_free) char *folder = strdup(path);
	LANE_CLEANUP(lane_free) char *last = NULL;
	struct lane_error *err;
	size_t n;
	char *slash;

	*fd = -1;
	*name = NULL;
	if (!folder)
		return &lane_enomem;
	for (n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--)
		folder[n - 1] = 0;
	slash = strrchr(folder, '/');
	last = strdup(slash ? slash + 1 : folder);
	if (!last)
		return &lane_enomem;
	if (!*last || !strcmp(last, ".") || !strcmp(last, ".."))
		return lane_error("%s: is no name for something new", path);
	if (slash)
		slash[slash == folder] = 0;
	err = open_folder(slash ? folder : ".", fd);
	if (err)
		return lane_error_context(err, "%s: cannot be created", path);
	*name = LANE_TAKE(last);
	return NULL;
}

/* --- folders --- */

static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	LANE_CLEANUP(lane_closedir) DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (copy >= 0 && !dir)
		close(copy);
	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			return false;
	return dir;
}

struct lane_error *lane_folder_make(int parent_fd, const char *name, mode_t mode, const char *path,
				    int *fd)
{
	struct stat st;

	*fd = -1;
	if (mkdirat(parent_fd, name, mode)) {
		if (errno == EEXIST)
			return lane_error("%s: is there already (give another name)", path);
		return lane_error_errno(errno, "%s: cannot be created", path);
	}
	*fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd >= 0 && !fstat(*fd, &st) && st.st_uid == geteuid() &&
	    !(st.st_mode & 0777 & ~mode) && is_empty(*fd))
		return NULL;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return lane_error("%s: was replaced while it was made (choose a folder where nobody "
			  "else can write)",
			  path);
}

/* An entry of a directory, as getdents64 gives it (getdents(2)). */
struct dir_entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static void remove_entry(int fd, const char *name, int depth);

/* Only system calls: it is called by handlers of signals, too. */
static void empty(int fd, int depth)
{
	char buffer[2048] __attribute__((aligned(8)));
	long n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct dir_entry *entry = (const struct dir_entry *)(buffer + at);

			remove_entry(fd, entry->name, depth);
			at += entry->bytes;
		}
	}
}

static void remove_entry(int fd, const char *name, int depth)
{
	int below;

	if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(fd, name, 0))
		return;
	below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below >= 0 && depth < MAX_DEPTH)
		empty(below, depth + 1);
	if (below >= 0)
		close(below);
	unlinkat(fd, name, AT_REMOVEDIR);
}

void lane_folder_empty(int fd)
{
	empty(fd, 0);
}

void lane_folder_remove(int parent_fd, const char *name, int fd)
{
	struct stat named, open_one;

	if (!fstatat(parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &open_one) &&
	    named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino)
		unlinkat(parent_fd, name, AT_REMOVEDIR);
}

/* --- outputs --- */

struct lane_error *lane_output_init(struct lane_output *out, const char *path, bool is_folder)
{
	struct lane_error *err;
	struct stat st;

	*out = LANE_OUTPUT_NONE;
	out->is_folder = is_folder;
	out->path = strdup(path);
	if (!out->path)
		return &lane_enomem;
	err = lane_folder_of(path, &out->dir_fd, &out->name);
	if (err || fstatat(out->dir_fd, out->name, &st, AT_SYMLINK_NOFOLLOW))
		return err;
	if (is_folder || S_ISDIR(st.st_mode))
		return lane_error("%s: it is there already (give another name)", path);
	if (!S_ISREG(st.st_mode))
		return lane_error("%s: it is there already and no plain file (give another name)",
				  path);
	return NULL;
}

/* Those that have been begun; a signal's handler may look at any time. */
static struct lane_output *volatile begun;

static void folder_forget(struct lane_output *out)
{
	struct lane_output *before = begun;

	if (before == out) {
		begun = out->next;
		return;
	}
	for (; before; before = before->next)
		if (before->next == out)
			before->next = out->next;
}

static void remove_part(const struct lane_output *out)
{
	if (out->is_folder) {
		empty(out->fd, 0);
		lane_folder_remove(out->dir_fd, out->part, out->fd);
	} else {
		unlinkat(out->dir_fd, out->part, 0);
	}
}

void lane_outputs_abandon(void)
{
	for (const struct lane_output *out = begun; out; out = out->next)
		if (out->part)
			remove_part(out);
}

/* Makes the file or folder under its temporary name. */
static struct lane_error *make_part(struct lane_output *out)
{
	if (out->is_folder)
		return lane_folder_make(out->dir_fd, out->part, out->is_private ? 0700 : 0777,
					out->path, &out->fd);
	out->fd = openat(out->dir_fd, out->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 out->is_private ? 0600 : 0666);
	return out->fd < 0 ? lane_error_errno(errno, "%s", out->path) : NULL;
}

/* A name of which there is nothing: NAME.part-PID, or that and a random number. */
static struct lane_error *choose_part(struct lane_output *out)
{
	for (int i = 0; i < TRIES; i++) {
		uint32_t random = (uint32_t)i;
		struct stat st;
		int n;

		if (i && getrandom(&random, sizeof(random), 0) != sizeof(random))
			random = (uint32_t)i;
		n = i ? asprintf(&out->part, "%s.part-%d-%08x", out->name, getpid(), random)
		      : asprintf(&out->part, "%s.part-%d", out->name, getpid());
		if (n < 0) {
			out->part = NULL;
			return &lane_enomem;
		}
		if (fstatat(out->dir_fd, out->part, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
			return NULL;
		free(LANE_TAKE(out->part));
	}
	return lane_error("%s: no temporary name beside it is free", out->path);
}

struct lane_error *lane_output_begin(struct lane_output *out)
{
	struct lane_error *err;

	lane_output_drop(out);
	err = choose_part(out);
	if (!err)
		err = make_part(out);
	if (err) {
		free(LANE_TAKE(out->part)); /* what is there is not ours to remove */
		return err;
	}
	out->next = begun;
	begun = out;
	return NULL;
}

struct lane_error *lane_output_commit(struct lane_output *out)
{
	/* From here on it is no part that a signal's handler may remove. */
	char *part = LANE_TAKE(out->part);
	struct lane_error *err = NULL;
	unsigned int flags = out->is_folder ? RENAME_NOREPLACE : 0;
	int failed = renameat2(out->dir_fd, part, out->dir_fd, out->name, flags);

	/* Not every file system knows how not to replace an empty folder that has come meanwhile.
	 */
	if (failed && errno == EINVAL)
		failed = renameat(out->dir_fd, part, out->dir_fd, out->name);
	if (failed) {
		err = lane_error_errno(errno, "%s", out->path);
		out->part = part;
	} else {
		free(part);
	}
	lane_output_drop(out);
	return err;
}

void lane_output_drop(struct lane_output *out)
{
	folder_forget(out);
	if (out->part)
		remove_part(out);
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	free(LANE_TAKE(out->part));
}

void lane_output_deinit(struct lane_output *out)
{
	lane_output_drop(out);
	if (out->dir_fd >= 0)
		close(out->dir_fd);
	free(out->path);
	free(out->name);
	*out = LANE_OUTPUT_NONE;
}

struct lane_error *lane_output_file(const char *path, void (*write)(FILE *to, const void *arg),
				    const void *arg)
{
	LANE_CLEANUP(lane_output_deinit) struct lane_output out = LANE_OUTPUT_NONE;
	LANE_CLEANUP(lane_fclose) FILE *to = NULL;
	struct lane_error *err = lane_output_init(&out, path, false);
	int bad;

	if (!err)
		err = lane_output_begin(&out);
	if (err)
		return err;
	to = fdopen(out.fd, "w");
	if (!to)
		return lane_error_errno(errno, "%s", path);
	out.fd = -1; /* the stream's */
	write(to, arg);
	bad = ferror(to);
	if (fclose(LANE_TAKE(to)) || bad)
		return lane_error("%s: could not be written in full (is the disk full?)", path);
	return lane_output_commit(&out);
}

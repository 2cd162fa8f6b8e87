// SPDX-License-Identifier: MIT
// The folder of a watch: what is in it, what is kept, what goes first.
#include "watch/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/vector.h"
#include "watch/escaped.h"

#define STATE_BYTES  (64u << 20)
#define LOCK_TRIES   20
#define LOCK_WAIT_US 50000
#define HOUR_NS	     3600000000000ll
/* A hit that is not worse than its group's worst is written again after this time. */
#define AGAIN_NS	 HOUR_NS
#define STATE_FIRST_LINE "gpulane-watch-state 1"

const char *watch_store_name(uint64_t number, bool is_part, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s%06" PRIu64, is_part ? ".hit-" : "hit-", number);
	return buffer;
}

/* --- files --- */

/* Reads a regular file whole; NULL: it cannot be read, or is longer. The caller's. */
static char *store_read_file(int dir_fd, const char *name, size_t most)
{
	LANE_CLEANUP(lane_close)
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct stat st;
	size_t n = 0;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > most)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	while (text && n < (size_t)st.st_size) {
		ssize_t got = read(fd, text + n, (size_t)st.st_size - n);

		if (got <= 0)
			return NULL;
		n += (size_t)got;
	}
	if (!text || memchr(text, 0, n))
		return NULL;
	text[n] = 0;
	return LANE_TAKE(text);
}

static uint64_t bytes_below(int dir_fd, const char *name, int depth)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	LANE_CLEANUP(lane_closedir) DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((entry = readdir(list))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode) && depth)
			bytes += bytes_below(fd, entry->d_name, depth - 1);
	}
	return bytes;
}

static void remove_folder(int dir_fd, const char *name)
{
	LANE_CLEANUP(lane_close)
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	lane_folder_empty(fd);
	lane_folder_remove(dir_fd, name, fd);
}

static struct lane_error *sync_below(int dir_fd, const char *name, int depth)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	LANE_CLEANUP(lane_closedir) DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct lane_error *err = NULL;
	struct dirent *entry;

	if (!list)
		return lane_error_errno(errno, "%s", name);
	while (!err && (entry = readdir(list))) {
		LANE_CLEANUP(lane_close) int file = -1;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		file = openat(fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (file < 0 || fsync(file))
			err = lane_error_errno(errno, "%s", entry->d_name);
		else if (entry->d_type == DT_DIR && depth)
			err = sync_below(fd, entry->d_name, depth - 1);
	}
	return err;
}

/* --- groups --- */

static bool store_is_of(const struct lane_hits *group, const struct lane_hit *hit)
{
	return group->count && group->what == hit->what && !strcmp(group->process, hit->process) &&
	       !strcmp(group->cause, hit->cause) && !strcmp(group->culprit, hit->culprit);
}

struct lane_hits *watch_store_group(struct lane_store *store, const struct lane_hit *hit)
{
	for (size_t i = 0; i < LANE_STORE_GROUPS; i++)
		if (store_is_of(&store->groups[i], hit))
			return &store->groups[i];
	return NULL;
}

static bool has_recording(const struct lane_store *store, const struct lane_hits *group)
{
	for (size_t i = 0; i < store->n_kept; i++)
		if (store_is_of(group, &store->kept[i].hit))
			return true;
	return false;
}

/* A free place, or that of the group without recordings that had its last hit first. */
static struct lane_hits *make_group(struct lane_store *store, const struct lane_hit *hit)
{
	struct lane_hits *place = NULL;

	for (size_t i = 0; i < LANE_STORE_GROUPS; i++) {
		struct lane_hits *group = &store->groups[i];

		if (!group->count) {
			place = group;
			break;
		}
		if ((!place || group->last_epoch_ns < place->last_epoch_ns) &&
		    !has_recording(store, group))
			place = group;
	}
	if (!place)
		return NULL;
	store->others += place->count;
	*place = (struct lane_hits){ .what = hit->what, .first_epoch_ns = hit->epoch_ns };
	snprintf(place->process, sizeof(place->process), "%s", hit->process);
	snprintf(place->cause, sizeof(place->cause), "%s", hit->cause);
	snprintf(place->culprit, sizeof(place->culprit), "%s", hit->culprit);
	return place;
}

struct lane_hits *watch_store_count(struct lane_store *store, const struct lane_hit *hit)
{
	struct lane_hits *group = watch_store_group(store, hit);

	store->is_changed = true;
	if (!group)
		group = make_group(store, hit);
	if (!group) {
		store->others++;
		return NULL;
	}
	group->count++;
	group->last_epoch_ns = hit->epoch_ns;
	return group;
}

/* Recordings written in the hour up to now; what is said to be of the future was another clock's.
 */
static unsigned int written_lately(const struct lane_store *store, int64_t now)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < store->n_writes; i++)
		n += store->writes[i] > now - HOUR_NS && store->writes[i] <= now;
	return n;
}

bool watch_store_wants(const struct lane_store *store, const struct lane_hits *group,
		       const struct lane_hit *hit, unsigned int pending, int64_t now)
{
	unsigned int lately = written_lately(store, now) + pending;

	/* Somebody asked for it. */
	if (hit->what == LANE_ROW_MANUAL)
		return true;
	if (!group || lately >= store->config.per_hour)
		return false;
	if (!group->written_epoch_ns || !has_recording(store, group))
		return true;
	/* What is known already leaves half of the hour's recordings to what is new. */
	if (lately >= (store->config.per_hour + 1) / 2)
		return false;
	return hit->total_ns > group->worst_ns || now < group->written_epoch_ns ||
	       now - group->written_epoch_ns >= AGAIN_NS;
}

void watch_store_number(struct lane_store *store, struct lane_hit *hit)
{
	hit->number = ++store->last_number;
	store->is_changed = true;
}

/* --- what is kept --- */

static uint64_t bytes_kept(const struct lane_store *store)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < store->n_kept; i++)
		bytes += store->kept[i].bytes;
	return bytes;
}

/* First its name goes, so that nobody takes what is left of it for a recording. */
static void store_drop(struct lane_store *store, size_t i)
{
	char name[32], gone[40];

	watch_store_name(store->kept[i].hit.number, false, name, sizeof(name));
	snprintf(gone, sizeof(gone), ".gone-%s", name);
	if (!renameat(store->fd, name, store->fd, gone))
		remove_folder(store->fd, gone);
	memmove(&store->kept[i], &store->kept[i + 1],
		(store->n_kept - i - 1) * sizeof(store->kept[0]));
	store->n_kept--;
}

static bool is_same_group(const struct lane_hit *a, const struct lane_hit *b)
{
	return a->what == b->what && !strcmp(a->process, b->process) &&
	       !strcmp(a->cause, b->cause) && !strcmp(a->culprit, b->culprit);
}

/* How much is lost with a recording: 0 neither its group's worst nor latest, 1 latest, 2 worst. */
static int rank(const struct lane_store *store, size_t i)
{
	const struct lane_hit *hit = &store->kept[i].hit;
	bool is_worst = true, is_latest = true;

	/* Each was asked for. */
	if (hit->what == LANE_ROW_MANUAL)
		return 2;

	for (size_t k = 0; k < store->n_kept; k++) {
		const struct lane_hit *other = &store->kept[k].hit;

		if (k == i || !is_same_group(hit, other))
			continue;
		is_latest &= other->number < hit->number;
		is_worst &= other->total_ns < hit->total_ns ||
			    (other->total_ns == hit->total_ns && other->number < hit->number);
	}
	return is_worst ? 2 : is_latest;
}

/* Which goes first: of the lowest rank; among the worst of their groups the least telling; the
 * oldest. */
static size_t first_to_go(const struct lane_store *store)
{
	uint64_t telling = 0;
	size_t first = 0;
	int lowest = 3;

	for (size_t i = 0; i < store->n_kept; i++) {
		int of = rank(store, i);
		uint64_t tells = of == 2 ? watch_hit_telling(&store->kept[i].hit) : 0;

		if (of > lowest || (of == lowest && tells >= telling))
			continue;
		lowest = of;
		telling = tells;
		first = i;
	}
	return first;
}

static void keep_limits(struct lane_store *store, unsigned int keep, uint64_t disk_bytes)
{
	for (size_t i = store->n_kept; i-- > 0;)
		if (!rank(store, i))
			store_drop(store, i);
	while (store->n_kept && (store->n_kept > keep || bytes_kept(store) > disk_bytes))
		store_drop(store, first_to_go(store));
}

bool watch_store_make_room(struct lane_store *store, uint64_t bytes)
{
	if (bytes > store->config.disk_bytes)
		return false;
	keep_limits(store, store->config.keep, store->config.disk_bytes - bytes);
	return true;
}

struct lane_error *watch_store_begin(const struct lane_store *store, const struct lane_hit *hit,
				     int *fd)
{
	LANE_CLEANUP(lane_close) int part_fd = -1;
	char part[32], name[32];
	struct lane_error *err;

	*fd = -1;
	watch_store_name(hit->number, true, part, sizeof(part));
	watch_store_name(hit->number, false, name, sizeof(name));
	err = lane_folder_make(store->fd, part, 0700, part, &part_fd);
	return err ? err : lane_folder_make(part_fd, name, 0700, name, fd);
}

struct lane_error *watch_store_complete(const struct lane_store *store, const struct lane_hit *hit,
					int fd)
{
	char part[32], name[32], made[64];
	struct lane_error *err = sync_below(fd, ".", 1);

	watch_store_name(hit->number, true, part, sizeof(part));
	watch_store_name(hit->number, false, name, sizeof(name));
	snprintf(made, sizeof(made), "%s/%s", part, name);
	if (!err && fsync(fd))
		err = lane_error_errno(errno, "%s", name);
	if (!err && renameat(store->fd, made, store->fd, name))
		err = lane_error_errno(errno, "%s", name);
	if (!err && fsync(store->fd))
		err = lane_error_errno(errno, "%s", store->path);
	unlinkat(store->fd, part, AT_REMOVEDIR);
	return err;
}

void watch_store_abandon(const struct lane_store *store, const struct lane_hit *hit)
{
	char name[32];

	remove_folder(store->fd, watch_store_name(hit->number, true, name, sizeof(name)));
}

/* Takes a recording that is there into the list; one that does not say what it is is none. */
static struct lane_error *store_take(struct lane_store *store, uint64_t number)
{
	LANE_CLEANUP(lane_free) char *text = NULL, *path = NULL;
	struct lane_hit hit;
	char name[32];
	size_t at = store->n_kept;

	watch_store_name(number, false, name, sizeof(name));
	if (asprintf(&path, "%s/hit", name) < 0)
		return &lane_enomem;
	text = store_read_file(store->fd, path, LANE_HIT_FILE_BYTES);
	if (!text || !watch_hit_load(&hit, text) || hit.number != number)
		return lane_error("%s/%s: is no recording of a hit", store->path, name);
	if (!LANE_GROW(store->kept, store->kept_room, store->n_kept + 1))
		return &lane_enomem;
	while (at && store->kept[at - 1].hit.number > number)
		at--;
	memmove(&store->kept[at + 1], &store->kept[at],
		(store->n_kept - at) * sizeof(*store->kept));
	store->kept[at] = (struct lane_kept){ hit, bytes_below(store->fd, name, 2) };
	store->n_kept++;
	if (number > store->last_number)
		store->last_number = number;
	return NULL;
}

struct lane_error *watch_store_add(struct lane_store *store, uint64_t number, int64_t now)
{
	struct lane_error *err = store_take(store, number);
	const struct lane_kept *kept = watch_store_find(store, number);
	struct lane_hits *group;

	if (err || !kept)
		return err;
	store->is_changed = true;
	if (store->n_writes == LANE_STORE_HOURLY)
		memmove(store->writes, store->writes + 1,
			--store->n_writes * sizeof(store->writes[0]));
	if (kept->hit.what != LANE_ROW_MANUAL)
		store->writes[store->n_writes++] = now;
	group = watch_store_group(store, &kept->hit);
	if (group) {
		group->written_epoch_ns = now;
		if (kept->hit.total_ns > group->worst_ns)
			group->worst_ns = kept->hit.total_ns;
	}
	keep_limits(store, store->config.keep, store->config.disk_bytes);
	return NULL;
}

const struct lane_kept *watch_store_latest(const struct lane_store *store,
					   const struct lane_hits *group)
{
	for (size_t i = store->n_kept; i; i--)
		if (store_is_of(group, &store->kept[i - 1].hit))
			return &store->kept[i - 1];
	return NULL;
}

const struct lane_kept *watch_store_worst(const struct lane_store *store,
					  const struct lane_hits *group)
{
	const struct lane_kept *worst = NULL;

	for (size_t i = 0; i < store->n_kept; i++) {
		const struct lane_kept *kept = &store->kept[i];

		if (store_is_of(group, &kept->hit) &&
		    (!worst || kept->hit.total_ns > worst->hit.total_ns))
			worst = kept;
	}
	return worst;
}

const struct lane_kept *watch_store_find(const struct lane_store *store, uint64_t number)
{
	for (size_t i = 0; i < store->n_kept; i++)
		if (store->kept[i].hit.number == number)
			return &store->kept[i];
	return NULL;
}

/* --- the state --- */

static void write_state(const struct lane_store *store, const struct lane_history *history,
			FILE *to)
{
	fprintf(to, STATE_FIRST_LINE "\nnumber %" PRIu64 "\nothers %" PRIu64 "\n",
		store->last_number, store->others);
	if (store->is_replay)
		fputs("replay\n", to);
	for (unsigned int i = 0; i < store->n_writes; i++)
		fprintf(to, "written %" PRId64 "\n", store->writes[i] > 0 ? store->writes[i] : 0);
	for (size_t i = 0; i < LANE_STORE_GROUPS; i++) {
		const struct lane_hits *group = &store->groups[i];

		if (!group->count)
			continue;
		fputs("group", to);
		watch_words_put(to, lane_row_what_names[group->what]);
		watch_words_put(to, group->process);
		watch_words_put(to, group->cause);
		watch_words_put(to, group->culprit);
		fprintf(to, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			group->count, (uint64_t)group->first_epoch_ns,
			(uint64_t)group->last_epoch_ns, group->worst_ns,
			(uint64_t)group->written_epoch_ns);
	}
	watch_history_save(history, to);
	fputs("end\n", to);
}

struct lane_error *watch_store_save(struct lane_store *store, const struct lane_history *history)
{
	int fd, bad;
	FILE *to;

	unlinkat(store->fd, ".state", 0);
	fd = openat(store->fd, ".state", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return lane_error_errno(errno, "%s/state", store->path);
	to = fdopen(fd, "w");
	if (!to) {
		close(fd);
		return &lane_enomem;
	}
	write_state(store, history, to);
	bad = fflush(to) || ferror(to);
	errno = errno ? errno : EIO;
	if (fclose(to) || bad || renameat(store->fd, ".state", store->fd, "state")) {
		int errnum = errno;

		unlinkat(store->fd, ".state", 0);
		return lane_error_errno(errnum, "%s/state", store->path);
	}
	store->is_changed = false;
	return NULL;
}

static bool load_group(struct lane_store *store, const char *rest)
{
	struct lane_hits group = { 0 };
	uint64_t first, last, written;
	struct lane_hits *place;
	struct lane_hit key = { 0 };
	char what[16];
	int i = 0;

	if (!watch_words_get(&rest, what, sizeof(what)) ||
	    !watch_words_get(&rest, key.process, sizeof(key.process)) ||
	    !watch_words_get(&rest, key.cause, sizeof(key.cause)) ||
	    !watch_words_get(&rest, key.culprit, sizeof(key.culprit)) ||
	    !watch_words_number(&rest, UINT64_MAX, &group.count) ||
	    !watch_words_number(&rest, INT64_MAX, &first) ||
	    !watch_words_number(&rest, INT64_MAX, &last) ||
	    !watch_words_number(&rest, UINT64_MAX, &group.worst_ns) ||
	    !watch_words_number(&rest, INT64_MAX, &written) || !group.count)
		return false;
	while (i < LANE_ROW_WHAT_COUNT && strcmp(lane_row_what_names[i], what) != 0)
		i++;
	if (i == LANE_ROW_WHAT_COUNT)
		return false;
	key.what = (enum lane_row_what)i;
	place = watch_store_group(store, &key);
	if (!place)
		place = make_group(store, &key);
	if (!place)
		return false;
	place->count = group.count;
	place->first_epoch_ns = (int64_t)first;
	place->last_epoch_ns = (int64_t)last;
	place->worst_ns = group.worst_ns;
	place->written_epoch_ns = (int64_t)written;
	return true;
}

static bool store_load_line(struct lane_store *store, struct lane_history *history,
			    const char *line)
{
	const char *rest = line;
	char name[16];
	uint64_t value;

	if (!watch_words_get(&rest, name, sizeof(name)))
		return false;
	if (!strcmp(name, "history"))
		return !history || watch_history_load(history, rest);
	if (!strcmp(name, "group"))
		return load_group(store, rest);
	if (!strcmp(name, "replay"))
		store->is_replay = true;
	if (!strcmp(name, "number"))
		return watch_words_number(&rest, UINT64_MAX / 2, &store->last_number);
	if (!strcmp(name, "others"))
		return watch_words_number(&rest, UINT64_MAX, &store->others);
	if (!strcmp(name, "written")) {
		if (!watch_words_number(&rest, INT64_MAX, &value))
			return false;
		if (store->n_writes < LANE_STORE_HOURLY)
			store->writes[store->n_writes++] = (int64_t)value;
	}
	return true;
}

/* All lines up to the last one, which is `end`. */
static bool load_lines(struct lane_store *store, struct lane_history *history, const char *text)
{
	LANE_CLEANUP(lane_free) char *copy = strdup(text);
	char *at = copy, *line;
	bool is_first = true;

	while (at && *at && strchr(at, '\n')) {
		line = strsep(&at, "\n");
		if (is_first && strcmp(line, STATE_FIRST_LINE) != 0)
			return false;
		if (!is_first && !strcmp(line, "end"))
			return !*at;
		if (!is_first && !store_load_line(store, history, line))
			return false;
		is_first = false;
	}
	return false;
}

bool watch_store_load(struct lane_store *store, struct lane_history *history, const char *text)
{
	if (load_lines(store, history, text))
		return true;
	memset(store->groups, 0, sizeof(store->groups));
	store->others = store->last_number = store->n_writes = 0;
	store->is_replay = false;
	return false;
}

/* --- opening --- */

static bool store_number_of(const char *name, uint64_t *number)
{
	char *end;

	if (strncmp(name, "hit-", 4) != 0 || name[4] < '0' || name[4] > '9' || strlen(name) > 24)
		return false;
	*number = strtoull(name + 4, &end, 10);
	return !*end && *number && *number < UINT64_MAX / 2;
}

/* What was begun, or was being removed, when the process was ended. */
static bool is_left_over(const char *name)
{
	return !strncmp(name, ".hit-", 5) || !strncmp(name, ".gone-", 6);
}

static struct lane_error *scan(struct lane_store *store, bool removes)
{
	int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	LANE_CLEANUP(lane_closedir) DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t number;

	if (!list)
		return lane_error_errno(errno, "%s", store->path);
	while ((entry = readdir(list))) {
		if (removes && is_left_over(entry->d_name))
			remove_folder(store->fd, entry->d_name);
		/* A folder that only looks like a recording is somebody else's. */
		if (store_number_of(entry->d_name, &number))
			lane_error_free(store_take(store, number));
	}
	return NULL;
}

/* Recordings of which the state does not know yet: each counts once. */
static void reconcile(struct lane_store *store)
{
	for (size_t i = 0; i < store->n_kept; i++) {
		const struct lane_hit *hit = &store->kept[i].hit;
		struct lane_hits *group = watch_store_group(store, hit);

		if (!group)
			group = watch_store_count(store, hit);
		if (!group)
			continue;
		if (hit->total_ns > group->worst_ns)
			group->worst_ns = hit->total_ns;
		if (hit->epoch_ns > group->written_epoch_ns)
			group->written_epoch_ns = hit->epoch_ns;
	}
}

static struct lane_error *open_folder(struct lane_store *store, const char *path, bool makes)
{
	LANE_CLEANUP(lane_close) int parent = -1;
	LANE_CLEANUP(lane_free) char *name = NULL, *below = NULL;
	struct lane_error *err = NULL;
	struct stat st;

	*store = (struct lane_store){ .fd = -1, .lock_fd = -1, .path = strdup(path) };
	if (!store->path || asprintf(&below, "%s/state", path) < 0)
		return &lane_enomem;
	if (makes) {
		err = lane_folder_of(path, &parent, &name);
		if (!err && mkdirat(parent, name, 0700) && errno != EEXIST)
			err = lane_error_errno(errno, "%s", path);
		free(LANE_TAKE(name));
		if (parent >= 0)
			close(parent);
		parent = -1;
	}
	if (err)
		return err;
	err = lane_folder_of(below, &parent, &name);
	if (err) {
		lane_error_free(err);
		return errno == ENOENT
			       ? lane_error("%s: is not there: no watch has kept hits there yet "
					    "(--output names another folder)",
					    path)
			       : lane_error_errno(errno, "%s", path);
	}
	store->fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store->fd < 0 || fstat(store->fd, &st))
		return lane_error_errno(errno, "%s", path);
	if (makes && (st.st_uid != geteuid() || (st.st_mode & 022)))
		return lane_error(
			"%s: others can write there (a folder of user %u's own is needed)", path,
			geteuid());
	return NULL;
}

static struct lane_error *lock(struct lane_store *store)
{
	store->lock_fd = openat(store->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (store->lock_fd < 0)
		return lane_error_errno(errno, "%s/lock", store->path);
	/* The writer of one that was killed has it for a moment yet. */
	for (int tries = 0; tries < LOCK_TRIES; tries++) {
		if (!flock(store->lock_fd, LOCK_EX | LOCK_NB))
			return NULL;
		if (errno != EWOULDBLOCK)
			break;
		usleep(LOCK_WAIT_US);
	}
	if (errno == EWOULDBLOCK)
		return lane_error("%s: another gpulane watches there already", store->path);
	return lane_error_errno(errno, "%s/lock", store->path);
}

struct lane_error *watch_store_open(struct lane_store *store, const char *path, bool is_replay,
				    struct lane_history *history, char **note)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err;

	*note = NULL;
	err = open_folder(store, path, true);
	if (!err)
		err = lock(store);
	if (err)
		return err;
	text = store_read_file(store->fd, "state", STATE_BYTES);
	if ((text && !watch_store_load(store, history, text)) ||
	    (!text && !faccessat(store->fd, "state", F_OK, AT_SYMLINK_NOFOLLOW))) {
		if (asprintf(note,
			     "%s/state: cannot be read; counts and histories begin anew, the "
			     "recordings stay",
			     path) < 0)
			*note = NULL;
	}
	if (store->last_number && store->is_replay != is_replay)
		return lane_error("%s: has hits of %s (give another folder)", path,
				  is_replay ? "this machine" : "recordings");
	store->is_replay = is_replay;
	err = scan(store, true);
	if (!err)
		reconcile(store);
	return err;
}

struct lane_error *watch_store_look(struct lane_store *store, const char *path)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err = open_folder(store, path, false);

	if (err)
		return err;
	text = store_read_file(store->fd, "state", STATE_BYTES);
	if (text)
		watch_store_load(store, NULL, text);
	err = scan(store, false);
	if (!err)
		reconcile(store);
	return err;
}

void watch_store_deinit(struct lane_store *store)
{
	if (store->fd >= 0)
		close(store->fd);
	if (store->lock_fd >= 0)
		close(store->lock_fd);
	free(store->path);
	free(store->kept);
	*store = (struct lane_store){ .fd = -1, .lock_fd = -1 };
}

// SPDX-License-Identifier: MIT
// Functions that a process has compiled while it runs, by the file that it writes for perf.
#include "capture/perf_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vector.h"

/* Of one process; functions beyond these have no names. */
#define MAX_FUNCTIONS 65536
#define MAX_TEXT      (8u << 20)
#define MAX_BYTES     (64u << 20) /* of the file */
/* Of a name so much is kept, with its end. */
#define NAME_BYTES 128

/* The number that the process has where it lives: the last one of its namespaces. */
static int32_t number_inside(const char *root, int32_t pid)
{
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	int32_t number = pid;
	char text[4096];

	snprintf(text, sizeof(text), "%s/proc/%d/status", root, pid);
	file = fopen(text, "re");
	while (file && fgets(text, sizeof(text), file)) {
		const char *last = strncmp(text, "NSpid:", 6) ? NULL : strrchr(text, '\t');

		if (last)
			sscanf(last, "%d", &number);
	}
	return number;
}

/* Another user's file may say anything, and a link may lead anywhere, also one on the way: its
 * folder may be the process's own root. -1: there is none. */
static int open_map(const char *root, int32_t pid)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS };
	LANE_CLEANUP(lane_close) int inside = -1;
	struct stat process, st;
	char name[300];
	int fd;

	snprintf(name, sizeof(name), "%s/proc/%d", root, pid);
	if (stat(name, &process))
		return -1;
	snprintf(name, sizeof(name), "%s/proc/%d/root", root, pid);
	inside = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(name, sizeof(name), "tmp/perf-%d.map", number_inside(root, pid));
	fd = inside < 0 ? -1 : (int)syscall(SYS_openat2, inside, name, &how, sizeof(how));
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != process.st_uid)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* False: no memory, or there are too many. */
static bool perf_map_add_line(struct lane_perf_map *map, const char *line)
{
	struct lane_compiled *function;
	uint64_t begin, size;
	int n = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &begin, &size, &n) != 2 || !n || !line[n] ||
	    line[n] == '\n')
		return true;
	if (map->n == MAX_FUNCTIONS || map->n_text > MAX_TEXT - NAME_BYTES ||
	    !LANE_GROW(map->text, map->text_room, (size_t)map->n_text + NAME_BYTES))
		return false;
	function = LANE_APPEND(map->of, map->n, map->room);
	if (!function)
		return false;
	*function = (struct lane_compiled){ begin, begin + size, map->n_text };
	snprintf(map->text + map->n_text, NAME_BYTES, "%s", line + n);
	map->text[map->n_text + strcspn(map->text + map->n_text, "\n")] = '\0';
	map->n_text += (uint32_t)strlen(map->text + map->n_text) + 1;
	return true;
}

/* Reads on from where it was read to. A line without its end is still being written. */
static void read_lines(struct lane_perf_map *map, FILE *file)
{
	bool is_rest = false; /* of a line that is longer than what is looked at */
	char line[1024];

	while (!map->is_full && fgets(line, sizeof(line), file)) {
		bool has_end = strchr(line, '\n');

		if (!has_end && feof(file))
			return;
		map->is_full =
			(!is_rest && !perf_map_add_line(map, line)) || ftello(file) > MAX_BYTES;
		is_rest = !has_end;
		if (has_end)
			map->read_to = (uint64_t)ftello(file);
	}
}

void capture_perf_map_read(struct lane_perf_map *map, const char *root, int32_t pid,
			   uint64_t now_ns)
{
	int fd = map->is_full ? -1 : open_map(root, pid);
	LANE_CLEANUP(lane_fclose) FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	map->read_ns = now_ns;
	if (fd >= 0 && !file)
		close(fd);
	if (file && !fseeko(file, (off_t)map->read_to, SEEK_SET))
		read_lines(map, file);
}

const char *capture_perf_map_at(const struct lane_perf_map *map, uint64_t address, uint64_t *offset)
{
	for (uint32_t i = map->n; i--;) {
		if (address < map->of[i].begin || address >= map->of[i].end)
			continue;
		*offset = address - map->of[i].begin;
		return map->text + map->of[i].name;
	}
	return NULL;
}

void capture_perf_map_free(struct lane_perf_map *map)
{
	free(map->of);
	free(map->text);
	*map = (struct lane_perf_map){ 0 };
}

// SPDX-License-Identifier: MIT
// The executable mappings of a process.
#include "capture/process_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/vector.h"

/* A browser has two thousand libraries and anonymous parts. */
#define MAX_MAPPINGS 8192

/*
 * The file as the process sees it, if it is still the one that is mapped. A FIFO that has taken its
 * place is not waited for.
 */
static void find_build_id(struct lane_mapping *mapping, const char *root, int32_t pid,
			  const char *path, uint64_t inode)
{
	LANE_CLEANUP(lane_free) char *name = NULL;
	LANE_CLEANUP(lane_close) int fd = -1;
	struct stat st;

	if (asprintf(&name, "%s/proc/%d/root%s", root, pid, path) < 0) {
		name = NULL;
		return;
	}
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == inode)
		lane_build_id(fd, mapping->build);
}

/* The same file has been looked into for another mapping. */
static const struct lane_mapping *same_file(const struct lane_process_map *map, const char *path)
{
	for (uint32_t i = map->n; i; i--)
		if (!strcmp(map->of[i - 1].path, path))
			return &map->of[i - 1];
	return NULL;
}

/* One line: BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH. False: no memory. */
static bool add_line(struct lane_process_map *map, const char *root, int32_t pid, char *line)
{
	uint64_t begin, end, offset, inode;
	const struct lane_mapping *same;
	struct lane_mapping *mapping;
	char permissions[5];
	char *path;
	int n = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &begin, &end,
		   permissions, &offset, &inode, &n) != 5 ||
	    !n || permissions[2] != 'x')
		return true;
	path = line + n;
	path[strcspn(path, "\n")] = '\0';
	mapping = LANE_APPEND(map->of, map->n, map->room);
	if (!mapping)
		return false;
	mapping->begin = begin;
	mapping->end = end;
	mapping->offset = offset;
	same = *path ? same_file(map, path) : NULL;
	snprintf(mapping->path, sizeof(mapping->path), "%s", path);
	if (same)
		memcpy(mapping->build, same->build, sizeof(mapping->build));
	else if (*path == '/')
		find_build_id(mapping, root, pid, path, inode);
	return true;
}

void capture_process_map_read(struct lane_process_map *map, const char *root, int32_t pid,
			      uint64_t now_ns)
{
	struct lane_process_map now = { .read_ns = now_ns };
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t room = 0;
	char name[300];

	snprintf(name, sizeof(name), "%s/proc/%d/maps", root, pid);
	file = fopen(name, "re");
	while (file && now.n < MAX_MAPPINGS && getline(&line, &room, file) > 0)
		if (!add_line(&now, root, pid, line))
			break;
	map->read_ns = now_ns;
	if (!now.n) {
		capture_process_map_free(&now);
		return;
	}
	free(map->of);
	*map = now;
}

const struct lane_mapping *capture_process_map_at(const struct lane_process_map *map,
						  uint64_t address)
{
	for (uint32_t i = 0; i < map->n; i++)
		if (address >= map->of[i].begin && address < map->of[i].end)
			return &map->of[i];
	return NULL;
}

void capture_process_map_free(struct lane_process_map *map)
{
	free(map->of);
	*map = (struct lane_process_map){ 0 };
}

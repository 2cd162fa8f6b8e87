// SPDX-License-Identifier: MIT
// The executable mappings of a process.
#include "capture/process_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/table.h"
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

/* A process's map as it is read, and its files by path and inode: places + 1 in map.of. */
struct map_reader {
	struct lane_process_map map;
	struct lane_table files;
	const char *root;
	int32_t pid;
};

/* The build id of a file, of which another mapping may have it already. False: no memory. */
static bool name_file(struct map_reader *reader, struct lane_mapping *mapping, const char *path,
		      uint64_t inode)
{
	uint64_t hash = lane_hash_text(path);
	uintptr_t place = (uintptr_t)lane_table_get(&reader->files, hash, inode);

	snprintf(mapping->path, sizeof(mapping->path), "%s", path);
	if (*path != '/')
		return true;
	if (place) {
		memcpy(mapping->build, reader->map.of[place - 1].build, sizeof(mapping->build));
		return true;
	}
	find_build_id(mapping, reader->root, reader->pid, path, inode);
	return lane_table_put(&reader->files, hash, inode, (void *)(uintptr_t)reader->map.n);
}

/* One line: BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH. False: no memory. */
static bool process_map_add_line(struct map_reader *reader, char *line)
{
	struct lane_process_map *map = &reader->map;
	uint64_t begin, end, offset, inode;
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
	return name_file(reader, mapping, path, inode);
}

void capture_process_map_read(struct lane_process_map *map, const char *root, int32_t pid,
			      uint64_t now_ns)
{
	struct map_reader reader = { .map = { .read_ns = now_ns }, .root = root, .pid = pid };
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t room = 0;
	char name[300];

	snprintf(name, sizeof(name), "%s/proc/%d/maps", root, pid);
	file = fopen(name, "re");
	while (file && reader.map.n < MAX_MAPPINGS && getline(&line, &room, file) > 0)
		if (!process_map_add_line(&reader, line))
			break;
	lane_table_free(&reader.files);
	map->read_ns = now_ns;
	if (!reader.map.n) {
		capture_process_map_free(&reader.map);
		return;
	}
	free(map->of);
	*map = reader.map;
}

/* The kernel tells them by their addresses. */
const struct lane_mapping *capture_process_map_at(const struct lane_process_map *map,
						  uint64_t address)
{
	uint32_t lo = 0, hi = map->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (address >= map->of[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < map->n && address >= map->of[lo].begin ? &map->of[lo] : NULL;
}

void capture_process_map_free(struct lane_process_map *map)
{
	free(map->of);
	*map = (struct lane_process_map){ 0 };
}

// SPDX-License-Identifier: MIT
// The executable mappings of a process.
#include "capture/process_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/table.h"
#include "base/vector.h"

/* A browser has two thousand libraries and anonymous parts. */
#define MAX_MAPPINGS 8192

/* The file of this name, if it is still the one that is mapped. A FIFO that has taken its place is
 * not waited for. -1: it is not. name is freed. */
static int open_mapped(char *name, uint64_t inode)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	free(name);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != inode)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A path of /proc/PID/maps is the process's own in a mount namespace of its own, as in containers;
 * else it is what the reader sees, also of a process in a chroot. -1: neither is the file. */
static int open_file(const char *root, int32_t pid, const char *path, uint64_t inode)
{
	char *name;
	int fd = -1;

	if (asprintf(&name, "%s/proc/%d/root%s", root, pid, path) >= 0)
		fd = open_mapped(name, inode);
	if (fd < 0 && asprintf(&name, "%s%s", root, path) >= 0)
		fd = open_mapped(name, inode);
	return fd;
}

static void find_build_id(struct lane_mapping *mapping, const char *root, int32_t pid,
			  const char *path, uint64_t inode)
{
	LANE_CLEANUP(lane_close) int fd = open_file(root, pid, path, inode);

	if (fd >= 0)
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

/* One line: BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH. */
struct map_line {
	uint64_t begin, end, offset, inode;
	char permissions[5];
	char *path; /* in the line */
};

static bool parse_line(char *line, struct map_line *of)
{
	int n = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &of->begin,
		   &of->end, of->permissions, &of->offset, &of->inode, &n) != 5 ||
	    !n)
		return false;
	of->path = line + n;
	of->path[strcspn(of->path, "\n")] = '\0';
	return true;
}

/* False: no memory. */
static bool process_map_add_line(struct map_reader *reader, char *line)
{
	struct lane_process_map *map = &reader->map;
	struct lane_mapping *mapping;
	struct map_line of;

	if (!parse_line(line, &of) || of.permissions[2] != 'x')
		return true;
	mapping = LANE_APPEND(map->of, map->n, map->room);
	if (!mapping)
		return false;
	mapping->begin = of.begin;
	mapping->end = of.end;
	mapping->offset = of.offset;
	return name_file(reader, mapping, of.path, of.inode);
}

static FILE *open_maps(const char *root, int32_t pid)
{
	char name[300];

	snprintf(name, sizeof(name), "%s/proc/%d/maps", root, pid);
	return fopen(name, "re");
}

int capture_process_file_open(const char *root, int32_t pid, uint64_t address)
{
	LANE_CLEANUP(lane_fclose) FILE *file = open_maps(root, pid);
	LANE_CLEANUP(lane_free) char *line = NULL;
	struct map_line of;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		if (parse_line(line, &of) && address >= of.begin && address < of.end)
			return *of.path == '/' ? open_file(root, pid, of.path, of.inode) : -1;
	return -1;
}

void capture_process_map_read(struct lane_process_map *map, const char *root, int32_t pid,
			      uint64_t now_ns)
{
	struct map_reader reader = { .map = { .read_ns = now_ns }, .root = root, .pid = pid };
	LANE_CLEANUP(lane_fclose) FILE *file = open_maps(root, pid);
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t room = 0;

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

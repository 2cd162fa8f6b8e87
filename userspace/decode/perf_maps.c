// SPDX-License-Identifier: MIT
// The executable mappings of processes, as a perf.data tells of them.
#include "decode/perf_maps.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* A browser has two thousand libraries and anonymous parts. */
#define MAX_OF_ONE    8192
#define MAX_IN_ALL    (1u << 17)
#define MAX_FILES     65536
#define MAX_PROCESSES 65536

struct mapped_file {
	char path[sizeof(((struct lane_p_gpulane_stack_frame *)0)->name)];
	char build[sizeof(((struct lane_p_gpulane_stack_frame *)0)->build)];
	bool is_unsure; /* two build ids were told */
};

struct mapping {
	uint64_t begin, end, offset;
	struct mapped_file *file; /* NULL: memory without a file */
};

struct process_maps {
	struct mapping *of; /* by their begin, none over another */
	uint32_t n, room;
};

/* The file with that build id, or of which none is known with its mapping. NULL: no memory, or
 * there are too many. */
static struct mapped_file *file_of(struct lane_perf_maps *maps, const char *path, size_t length,
				   const char *build)
{
	char name[PATH_MAX];
	struct mapped_file *file;
	uint64_t hash, build_hash = *build ? lane_hash_text(build) : 0;

	snprintf(name, sizeof(name), "%.*s", (int)strnlen(path, length), path);
	hash = lane_hash_text(name);
	file = lane_table_get(&maps->files, hash, build_hash);
	if (file || maps->files.used == MAX_FILES)
		return file;
	file = calloc(1, sizeof(*file));
	if (!file || !lane_table_put(&maps->files, hash, build_hash, file)) {
		free(file);
		return NULL;
	}
	snprintf(file->path, sizeof(file->path), "%.*s", (int)sizeof(file->path) - 1, name);
	snprintf(file->build, sizeof(file->build), "%s", build);
	return file;
}

static void write_build(char *to, size_t size, const uint8_t *id, size_t bytes)
{
	*to = '\0';
	for (size_t i = 0; i < bytes && 2 * i + 2 < size; i++)
		snprintf(to + 2 * i, 3, "%02x", id[i]);
}

static struct process_maps *process_of(struct lane_perf_maps *maps, int32_t pid)
{
	struct process_maps *process = lane_table_get(&maps->of, (uint32_t)pid, 0);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process || !lane_table_put(&maps->of, (uint32_t)pid, 0, process)) {
		free(process);
		return NULL;
	}
	return process;
}

/* The first mapping that ends behind the address. */
static uint32_t find(const struct process_maps *process, uint64_t address)
{
	uint32_t from = 0, to = process->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (process->of[middle].end > address)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

/* Puts `n` mappings in the place of `old` ones. */
static void replace(struct lane_perf_maps *maps, struct process_maps *process, uint32_t at,
		    uint32_t old, const struct mapping *by, uint32_t n)
{
	memmove(process->of + at + n, process->of + at + old,
		(process->n - at - old) * sizeof(*process->of));
	memcpy(process->of + at, by, n * sizeof(*by));
	process->n += n - old;
	maps->n += n - old;
}

bool decode_perf_maps_add(struct lane_perf_maps *maps, int32_t pid, uint64_t begin, uint64_t bytes,
			  uint64_t offset, const char *path, size_t length, const uint8_t *id,
			  size_t id_bytes)
{
	struct mapping is = { begin, begin + bytes, offset, NULL }, by[3];
	char build[sizeof(((struct mapped_file *)0)->build)];
	struct process_maps *process;
	uint32_t at, old = 0, n = 0;

	if (!bytes || is.end < begin || maps->n + 2 > MAX_IN_ALL || maps->of.used == MAX_PROCESSES)
		return true;
	process = process_of(maps, pid);
	if (!process)
		return false;
	if (process->n + 2 > MAX_OF_ONE)
		return true;
	write_build(build, sizeof(build), id, id_bytes);
	if (!LANE_GROW(process->of, process->room, (size_t)process->n + 2))
		return false;
	/* "//anon", "[vdso]" are no files. */
	if (length > 1 && path[0] == '/' && path[1] != '/')
		is.file = file_of(maps, path, length, build);
	at = find(process, begin);
	if (at < process->n && process->of[at].begin < begin) {
		by[n] = process->of[at];
		by[n++].end = begin;
	}
	by[n++] = is;
	while (at + old < process->n && process->of[at + old].begin < is.end)
		old++;
	if (old && process->of[at + old - 1].end > is.end) {
		by[n] = process->of[at + old - 1];
		by[n].offset += is.end - by[n].begin;
		by[n++].begin = is.end;
	}
	replace(maps, process, at, old, by, n);
	return true;
}

bool decode_perf_maps_build(struct lane_perf_maps *maps, const char *path, size_t length,
			    const uint8_t *id, size_t bytes)
{
	struct mapped_file *file = file_of(maps, path, length, "");
	char build[sizeof(file->build)];

	if (!file)
		return maps->files.used == MAX_FILES;
	write_build(build, sizeof(build), id, bytes);
	file->is_unsure |= *file->build && strcmp(file->build, build) != 0;
	memcpy(file->build, file->is_unsure ? "" : build, file->is_unsure ? 1 : sizeof(build));
	return true;
}

bool decode_perf_maps_fork(struct lane_perf_maps *maps, int32_t pid, int32_t parent)
{
	const struct process_maps *from = lane_table_get(&maps->of, (uint32_t)parent, 0);
	struct process_maps *to;

	if (pid == parent) /* a thread */
		return true;
	decode_perf_maps_drop(maps, pid);
	if (!from || !from->n || from->n > MAX_IN_ALL - maps->n || maps->of.used == MAX_PROCESSES)
		return true;
	to = process_of(maps, pid);
	if (!to || !LANE_GROW(to->of, to->room, from->n))
		return false;
	replace(maps, to, 0, 0, from->of, from->n);
	return true;
}

static void free_process(struct process_maps *process)
{
	free(process->of);
	free(process);
}

void decode_perf_maps_drop(struct lane_perf_maps *maps, int32_t pid)
{
	struct process_maps *process = lane_table_get(&maps->of, (uint32_t)pid, 0);

	if (!process)
		return;
	lane_table_del(&maps->of, (uint32_t)pid, 0);
	maps->n -= process->n;
	free_process(process);
}

void decode_perf_maps_forget(struct lane_perf_maps *maps)
{
	for (size_t i = 0; maps->of.slots && i <= maps->of.mask; i++)
		if (maps->of.slots[i].value)
			free_process(maps->of.slots[i].value);
	lane_table_free(&maps->of);
	maps->of = (struct lane_table){ 0 };
	maps->n = 0;
}

void decode_perf_maps_frame(const struct lane_perf_maps *maps, int32_t pid, uint64_t address,
			    struct lane_p_gpulane_stack_frame *frame)
{
	const struct process_maps *process = lane_table_get(&maps->of, (uint32_t)pid, 0);
	uint32_t at = process ? find(process, address) : 0;

	*frame = (struct lane_p_gpulane_stack_frame){ .offset = address };
	if (!process || at == process->n || process->of[at].begin > address ||
	    !process->of[at].file)
		return;
	frame->what = LANE_FRAME_OF_FILE;
	frame->offset = address - process->of[at].begin + process->of[at].offset;
	memcpy(frame->name, process->of[at].file->path, sizeof(frame->name));
	memcpy(frame->build, process->of[at].file->build, sizeof(frame->build));
}

void decode_perf_maps_free(struct lane_perf_maps *maps)
{
	decode_perf_maps_forget(maps);
	for (size_t i = 0; maps->files.slots && i <= maps->files.mask; i++)
		free(maps->files.slots[i].value);
	lane_table_free(&maps->files);
}

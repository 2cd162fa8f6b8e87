/* SPDX-License-Identifier: MIT */
/* What stands in a CodeXL application trace (.atp), before events are made of it. */
#ifndef LANE_DECODE_ATP_FILE_H
#define LANE_DECODE_ATP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/table.h"

#define LANE_ATP_TIMES 4

/* A call as the section of API calls has it: `RETURN = NAME ( ARG;ARG... )`. */
struct lane_atp_api {
	uint64_t line;
	char *returned;
	char *name;
	char *args;
};

/* The same call as the section of timestamps has it. Text is in the file's text. */
struct lane_atp_stamp {
	uint64_t line;
	char *name;
	uint64_t begin_ns, end_ns;
	bool has_command; /* the rest is there */
	uint32_t type;
	uint64_t times_ns[LANE_ATP_TIMES]; /* queued, submitted, start, end */
	uint64_t queue;
	char *device;
	uint64_t kernel; /* 0: no kernel */
	char *kernel_name;
	uint64_t items, group;
	uint64_t bytes;
};

struct lane_atp_thread {
	int32_t tid;
	struct lane_atp_api *apis;
	size_t n_apis, cap_apis;
	struct lane_atp_stamp *stamps;
	size_t n_stamps, cap_stamps;
	uint64_t line; /* where it was named first */
};

struct lane_atp_file {
	const char *path; /* for messages; the caller's */
	char *text;
	const char *application; /* "" when the file does not say */
	struct lane_atp_thread *threads;
	size_t n_threads, cap_threads;
	struct lane_table by_tid; /* index in threads, from 1 */
};

/*
 * Takes the file apart. text (NUL-terminated, bytes without that) becomes the file's and is
 * changed. *file is the caller's, also after an error; decode_atp_file_deinit frees what it holds.
 * An error names the line and the reason.
 */
struct lane_error *decode_atp_file_init(char *text, size_t bytes, const char *path,
					struct lane_atp_file *file) LANE_MUST_CHECK;

void decode_atp_file_deinit(struct lane_atp_file *file);

#endif

/* SPDX-License-Identifier: MIT */
/* trace-cmd's trace.dat: what is found in its head, before events are read. */
#ifndef LANE_DECODE_TRACE_DAT_H
#define LANE_DECODE_TRACE_DAT_H

#include "base/kernel_symbol.h"
#include "decode/decode.h"
#include "decode/tracepoint.h"
#include "decode/unpack.h"

enum {
	LANE_DAT_CPUS = 8192,	 /* streams, over all buffers */
	LANE_DAT_PAGE = 1 << 20, /* no page is larger */
	LANE_DAT_NAME = 64,	 /* of a buffer; cut for messages */
	LANE_DAT_BUFFERS = 64,	 /* buffers: decode/duplicates.c has a bit for each */
};

/* The events of one CPU in one buffer. */
struct lane_dat_part {
	int32_t cpu;
	uint32_t buffer;
	uint64_t at, end;    /* in the file */
	uint32_t page_bytes; /* of the buffer's pages */
	bool is_packed;	     /* in chunks */
};

struct lane_dat_buffer {
	char name[LANE_DAT_NAME]; /* empty: the top one */
};

/* What the kernel counts as lost of a CPU in all, up to when by its clock; 0: not told. */
struct lane_dat_stats {
	uint64_t lost, until;
};

struct lane_dat_head {
	const char *path;
	int fd;
	uint64_t bytes; /* of the file */
	unsigned int version;
	uint32_t page_bytes;
	unsigned int long_bytes; /* of the kernel */
	enum lane_packing packing;
	struct lane_tracepoints tracepoints;
	struct lane_trace_info info;
	char clock[32];
	/* Cycles to nanoseconds: times mult, shifted. */
	uint32_t tsc_mult, tsc_shift;
	uint64_t tsc_offset;
	struct lane_dat_buffer *buffers;
	uint32_t n_buffers;
	struct lane_dat_part *parts;
	uint32_t n_parts;
	struct lane_dat_stats *stats; /* by CPU, LANE_DAT_CPUS or NULL */
	uint32_t n_systems;	      /* whose formats there are */
	uint64_t symbols_at;	      /* in the file: the kernel's symbols; 0: there are none */
	bool has_formats, has_text;
};

/* Reads the head of the file at path, open as fd. *head is zeroed, and the caller's whatever
 * happens.
 */
struct lane_error *decode_dat_head_read(const char *path, int fd, const struct lane_names *names,
					struct lane_dat_head *head) LANE_MUST_CHECK;

/* Reads the kernel's functions, as far as the file has them. *functions is all zero, and the
 * caller's. */
void decode_dat_functions(const struct lane_dat_head *head,
			  struct lane_kernel_functions *functions);

void decode_dat_head_deinit(struct lane_dat_head *head);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Access patterns of real kernels: what the plugin for Oclgrind wrote, judged on a device.
 * docs/models/pattern.md is the file's format.
 *
 * A pattern file has the addresses that each warp's lanes touch, per source line. Judging it means:
 * how many lanes share a word, a bank, a lock; what the atomics on local memory cost by the model
 * of pad.h; and what other layouts and hashes would make of the very same addresses.
 */
#ifndef LANE_MODEL_PATTERN_H
#define LANE_MODEL_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/contend.h"
#include "model/device.h"
#include "model/pad.h"

enum lane_access {
	LANE_ACCESS_ATOMIC,
	LANE_ACCESS_LOAD,
	LANE_ACCESS_STORE,
	LANE_ACCESS_SWAP, /* a compare-and-exchange that wrote; it is an atomic, too */
	LANE_ACCESS_COUNT,
};

extern const char *const lane_access_names[LANE_ACCESS_COUNT];

/* Where copy c of bin b lies, of B bins and R copies. */
enum lane_layout {
	LANE_LAYOUT_REPLICATED, /* b + c * B */
	LANE_LAYOUT_PADDED,	/* b + c * (B + 1) */
	LANE_LAYOUT_STRETCHED,	/* b * R + c */
	LANE_LAYOUT_COUNT,
};

extern const char *const lane_layout_names[LANE_LAYOUT_COUNT];

#define LANE_PATTERN_COPIES 5 /* replications that are tried: 2, 4, 8, 16, 32 copies */

/* What could be changed at an atomic on local memory. Each is taken alone. */
enum lane_what_if {
	LANE_IF_TOGETHER, /* the lanes that want the same word add up first, one of them updates */
	LANE_IF_XOR,	  /* the hardware hashes banks and locks */
	LANE_IF_ADD,	  /* likewise */
	LANE_IF_ROWS, /* one unused word behind every row of banks: word a becomes a + a / banks */
	LANE_IF_COPIES, /* from here on: copies of the array, by layout and number */
	LANE_IF_COUNT = LANE_IF_COPIES + LANE_LAYOUT_COUNT * LANE_PATTERN_COPIES,
};

/* A place in the source that touches an array, over all launches of its kernel. */
struct lane_pattern_line {
	uint32_t line; /* 0: not known */
	uint32_t column;
	enum lane_access access;
	char op[16];	/* add, inc ...; load, store */
	int local;	/* local memory, else global */
	int is_unused;	/* an atomic whose result nobody uses */
	int is_loop;	/* a loop is around it */
	uint32_t array; /* index into the kernel's arrays */
	uint32_t bytes;
	uint32_t base;	      /* local memory: bytes in front of the array */
	uint64_t array_bytes; /* the array's size */
	/* Sums over all warps. */
	uint64_t warps;
	uint64_t lanes;
	uint64_t position_sum; /* of the degrees below */
	uint64_t bank_sum;
	uint64_t lock_sum;
	uint64_t segments; /* global memory: transactions */
	uint64_t messages; /* atomics: as the device sends them */
	/* The largest of all warps. */
	uint32_t position_degree; /* lanes on a word */
	uint32_t bank_degree;	  /* words in a bank (local memory) */
	uint32_t lock_degree;	  /* words behind a lock */
	/* Cycles of all warps, one after the other: atomics on local memory. */
	double cycles;
	double base_cycles;
	double position_cycles;
	double lock_cycles;
	double bank_cycles;
	double service;	     /* cycles of them for which other warps cannot use the memory */
	double base_service; /* without conflicts */
	/* Atomics on global memory. */
	double collision_cycles; /* for lanes on the same word; NAN: unknown */
	double load;		 /* of the shared cache (contend.h) */
	double private_cycles;	 /* were the array in local memory; NAN: it does not fit */
	double private_service;
	double what_if[LANE_IF_COUNT]; /* cycles; NAN: does not fit the device's local memory */
	double what_if_service[LANE_IF_COUNT];
};

/* An array that atomics of the kernel touch, or that it loads from and stores to. */
struct lane_pattern_array {
	char *name;    /* "-": not known */
	int local;     /* local memory, else global */
	uint32_t base; /* likewise in front of it */
	uint64_t bytes;
	/* Of atomics on global memory, over all launches (contend.h). */
	struct lane_tally by_chunk; /* while the file is read */
	struct lane_tally by_word;
	struct lane_slices_load now;
	struct lane_slices_load together; /* were the lanes of a warp on a word one */
	double swaps; /* compare-and-exchanges that wrote to the same word, at most */
};

/* A line of the program, without the blanks that it begins with. */
struct lane_pattern_source {
	uint32_t line;
	char *text;
};

struct lane_pattern_kernel {
	char *name;
	char *graph; /* text of a graph file, or NULL */
	uint64_t launches;
	uint64_t groups;      /* of all launches */
	uint64_t work_items;  /* likewise */
	uint32_t group_warps; /* of the last launch */
	uint64_t judged;      /* warps' accesses that the file has */
	uint64_t left_out;    /* others, that it only counts */
	uint32_t local_bytes; /* local memory that was seen in use */
	int is_fixed;	      /* it relies on the size of its work-groups */
	struct lane_pattern_array *array;
	size_t n_arrays;
	struct lane_pattern_line *line;
	size_t n_lines;
	size_t line_room;
	struct lane_pattern_source *source; /* of the lines in the graph */
	size_t n_sources;
};

struct lane_pattern {
	char *what;
	uint32_t warp;
	uint64_t warps; /* accesses of warps that were judged */
	struct lane_pattern_kernel *kernel;
	size_t n_kernels;
	uint32_t message; /* lanes of one message of an atomic on global memory; 0: not told */
	double a_cycle;	  /* lanes' atomics on local memory in a cycle, at most; 0: not told */
};

/*
 * Reads a pattern file and judges it on a device, which needs [device] and [atomic_unit] or
 * [scratchpad]; locks and segments of global memory are those of its [global], or else of 32 and
 * 128 bytes. *pattern is the caller's to free.
 */
struct lane_error *model_pattern_read(const char *path, const struct lane_device *device,
				      struct lane_pattern **pattern) LANE_MUST_CHECK;

/* The same from text, which is cut into words; what stands for the file's name in errors. */
struct lane_error *model_pattern_parse(char *text, const char *what,
				       const struct lane_device *device,
				       struct lane_pattern **pattern) LANE_MUST_CHECK;

void model_pattern_free(struct lane_pattern *pattern);
void model_pattern_drop(struct lane_pattern **pattern);

/* The kernel with this name, or NULL. */
const struct lane_pattern_kernel *model_pattern_kernel(const struct lane_pattern *pattern,
						       const char *name);

/* The text of one of the program's lines, or NULL. */
const char *model_pattern_source(const struct lane_pattern_kernel *kernel, uint32_t line);

/*
 * The best number of copies: index into what_if, or -1 when none of those that fit costs less than
 * the line does now. layout and copies are set when there is one.
 */
int model_pattern_best(const struct lane_pattern_line *line, enum lane_layout *layout,
		       uint32_t *copies);

#endif

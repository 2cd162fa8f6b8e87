/* SPDX-License-Identifier: MIT */
/*
 * The functions of a program or library, and what their code says of a stack: whether a function
 * keeps a frame pointer, and whom a call calls. Places are offsets in the file.
 */
#ifndef LANE_LATENCY_ELF_CODE_H
#define LANE_LATENCY_ELF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lane_elf;

/* What stands ahead of a place to which a call returns. */
enum lane_elf_call {
	LANE_CALL_NONE,	    /* no call: nothing returns there */
	LANE_CALL_DIRECT,   /* to a place in the same file */
	LANE_CALL_INDIRECT, /* whom it calls is not in the code */
};

/*
 * Opens the file, if it has this build id, and its symbols: its own, or where it was stripped those
 * of the file that `debug` has for that build id below DIR/.build-id, or that a server has (NULL:
 * none is looked for, nor is the file itself where it is not at its path).
 * Else the functions that it exports. NULL: it is not there, is another one, or no such file.
 */
struct lane_elf *latency_elf_open(const char *path, const char *build, const char *debug);

/* The function that the place lies in, and where that begins. NULL: none is known. */
const char *latency_elf_function(const struct lane_elf *elf, uint64_t place, uint64_t *begin);

/* The function that begins there keeps a frame pointer, and has set it up at `place`. */
bool latency_elf_keeps_frame(const struct lane_elf *elf, uint64_t begin, uint64_t place);

/* What stands ahead of the place; *to is where a direct call goes. */
enum lane_elf_call latency_elf_call_before(const struct lane_elf *elf, uint64_t place,
					   uint64_t *to);

/* NULL is allowed. */
void latency_elf_close(struct lane_elf *elf);

#endif

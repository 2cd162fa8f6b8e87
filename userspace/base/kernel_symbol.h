/* SPDX-License-Identifier: MIT */
/* The functions of a kernel by their addresses: /proc/kallsyms, or a copy of it. */
#ifndef LANE_BASE_KERNEL_SYMBOL_H
#define LANE_BASE_KERNEL_SYMBOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct lane_kernel_function {
	uint64_t address;
	uint32_t name; /* where it is in the text */
};

/* All zero: none are known. */
struct lane_kernel_functions {
	struct lane_kernel_function *of; /* by address */
	uint32_t n, room;
	char *text;
	size_t text_bytes, text_room;
};

/*
 * Reads all functions from lines as kallsyms has them. Addresses that the kernel hides are left
 * out. Fails without memory, and where there are more than a kernel has: what was read is of no use
 * then.
 */
struct lane_error *
lane_kernel_functions_read(FILE *file, struct lane_kernel_functions *functions) LANE_MUST_CHECK;

/* The function that the address lies in, and how far from its beginning. NULL: none is known. */
const char *lane_kernel_function_at(const struct lane_kernel_functions *functions, uint64_t address,
				    uint64_t *offset);

void lane_kernel_functions_free(struct lane_kernel_functions *functions);

#endif

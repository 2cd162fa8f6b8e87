/* SPDX-License-Identifier: MIT */
/*
 * Which functions of a program for the device have atomic operations that change memory, or call a
 * function that has some: of OpenCL C's text, and of SPIR-V. For the layers, which look once, when
 * a program is made.
 *
 * Text is read before its macros are replaced: what an #if leaves out counts, too. What is not
 * understood has no atomics, so a function that is not told may have some.
 */
#ifndef LANE_BASE_KERNEL_ATOMICS_H
#define LANE_BASE_KERNEL_ATOMICS_H

#include <stddef.h>

/* Gets the name of such a function: n bytes, of the program, without a NUL behind them. */
typedef void lane_atomics_found(const char *name, size_t n);

/* Nothing is found where there is no memory to look. */
void lane_atomics_of_text(const char *text, size_t size, lane_atomics_found *found);

/* Of SPIR-V the kernels (entry points) are told. The words may lie anywhere; what is damaged is not
 * looked at. */
void lane_atomics_of_spirv(const void *code, size_t size, lane_atomics_found *found);

#endif

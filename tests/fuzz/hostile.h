/* SPDX-License-Identifier: MIT */
/* Mutations of traces in the text format that keep its grammar: hostile names and numbers in the
 * fields, lines moved in order and in time. */
#ifndef FUZZ_HOSTILE_H
#define FUZZ_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/* For LLVMFuzzerCustomMutator: changes the trace in place, which has room for max bytes. Returns
 * its new size. */
size_t fuzz_hostile_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed);

#endif

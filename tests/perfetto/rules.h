/* SPDX-License-Identifier: MIT */
/* The rules that a Perfetto trace keeps. */
#ifndef TESTS_PERFETTO_RULES_H
#define TESTS_PERFETTO_RULES_H

#include <stdint.h>
#include <stdio.h>

/*
 * Reads a trace by the schema; tells `to` what is wrong and what the slices add up to. Each text of
 * the trace is given to `text` (NULL: to nobody). Returns how many faults there are.
 */
size_t perfetto_rules(const uint8_t *bytes, size_t size, FILE *to, void (*text)(const char *text));

#endif

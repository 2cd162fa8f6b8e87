/* SPDX-License-Identifier: MIT */
/* The parts of a report that are about CPUs, of a recording without a GPU. Elsewhere nothing is
 * written. */
#ifndef LANE_SHOW_CPU_TEXT_H
#define LANE_SHOW_CPU_TEXT_H

#include <json-c/json.h>

#include "show/report.h"

/* Adds the key `cpu` (docs/report.md). */
void show_cpu_tree(struct lane_latency *latency, struct json_object *tree);

/* The tables for people. */
void show_cpu_tables(const struct lane_tables *t);

/* The first of them, the threads. */
#define SHOW_CPU_COLUMNS 122 /* of that table */
void show_cpu_threads(const struct lane_tables *t);

/*
 * The sentence of that number, from 0, the one that says most first, without a full stop; false
 * when there is no such sentence.
 */
bool show_cpu_sentence(const struct lane_latency *latency, unsigned int number, char *text,
		       size_t size, const char **advice);

#endif

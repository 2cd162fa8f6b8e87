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

/* A thread; those that are gone and summed by name: "bash (12 threads)". */
const char *show_cpu_thread_name(const struct lane_cpu_thread *thread, char *buffer, size_t size);
const char *show_cpu_process_name(const struct lane_cpu_process *process, char *buffer,
				  size_t size);

#endif

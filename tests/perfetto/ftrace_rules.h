/* SPDX-License-Identifier: MIT */
/* The rules that a Perfetto trace's bundles of ftrace events keep. */
#ifndef TESTS_PERFETTO_FTRACE_RULES_H
#define TESTS_PERFETTO_FTRACE_RULES_H

#include <stddef.h>
#include <stdio.h>

#include "perfetto/trace.pb-c.h"

/* Tells `told` what is wrong with a bundle; returns how many faults there are. */
size_t perfetto_ftrace_rules(const Perfetto__Protos__FtraceEventBundle *bundle, FILE *told);

/* Each text of a bundle, and of a tree of processes, is given to `text`. */
void perfetto_ftrace_texts(const Perfetto__Protos__FtraceEventBundle *bundle,
			   void (*text)(const char *text));
void perfetto_tree_texts(const Perfetto__Protos__ProcessTree *tree, void (*text)(const char *text));

#endif

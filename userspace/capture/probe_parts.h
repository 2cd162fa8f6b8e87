/* SPDX-License-Identifier: MIT */
/* The parts of the probe (probe.h), and how they read and note; private to the probe. */
#ifndef LANE_CAPTURE_PROBE_PARTS_H
#define LANE_CAPTURE_PROBE_PARTS_H

#include <stdio.h>

#include "capture/driver.h"
#include "capture/probe.h"

/* Notes a check. cost and remedy are kept only when it is not there; value is a format. */
void capture_probe_add(struct lane_probe *probe, const char *section, const char *name,
		       enum lane_check_state state, const char *cost, const char *remedy,
		       const char *value, ...) LANE_PRINTF(7, 8);

/* Gives the check that was noted last a remedy made for this machine; format and its arguments. */
void capture_probe_remedy(struct lane_probe *probe, const char *format, ...) LANE_PRINTF(2, 3);

/* Opens a file below the root; NULL with errno. */
FILE *lane_probe_open(const struct lane_probe *probe, const char *format, ...) LANE_PRINTF(2, 3);

/* The first line of a file below the root, without its end. 0, or an errno with line "". */
int capture_probe_line(const struct lane_probe *probe, char *line, size_t bytes, const char *format,
		       ...) LANE_PRINTF(4, 5);

/* 0 when the file below the root is there and can be read, else an errno. */
int capture_probe_access(const struct lane_probe *probe, const char *format, ...) LANE_PRINTF(2, 3);

/* True when a file's text has this word between white space, from a line's beginning or anywhere.
 */
bool capture_probe_has_word(FILE *from, const char *word);

/* What is there that others need: the GPUs; LTTng's modules. */
void capture_probe_needs(struct lane_probe *probe);
bool capture_probe_has_lttng(const struct lane_probe *probe);

/* The parts, in the order of the report. */
void capture_probe_kernel(struct lane_probe *probe);
void capture_probe_boot(struct lane_probe *probe);
void capture_probe_privileges(struct lane_probe *probe);
void capture_probe_driver(struct lane_probe *probe);
void capture_probe_counters(struct lane_probe *probe, const struct lane_card *card);
void capture_probe_events(struct lane_probe *probe);
void capture_probe_lttng(struct lane_probe *probe);
void capture_probe_opencl(struct lane_probe *probe, bool load);

#endif

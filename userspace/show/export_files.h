/* SPDX-License-Identifier: MIT */
/* A recording, or several machines' in one file, by one or several exporters. */
#ifndef LANE_SHOW_EXPORT_FILES_H
#define LANE_SHOW_EXPORT_FILES_H

#include "session/named.h"
#include "session/session.h"
#include "show/export.h"

#define LANE_EXPORTERS 4

struct lane_export_wanted {
	struct session of;  /* what is read, and what its figures are to be of */
	const char *output; /* "-": standard output; NULL: the recording's name, here */
	const struct lane_exporter *exporters[LANE_EXPORTERS];
	size_t n;	      /* one, when output is named */
	bool is_forced;	      /* a file that is there already is replaced */
	const char *replaced; /* a file that begins so is replaced, too; NULL: none */
	/* The figures are complete: puts what models say of the kernels into options. May be NULL.
	 */
	struct lane_error *(*on_figures)(void *arg, const struct lane_latency *latency,
					 struct lane_report_options *options);
	void *arg;
};

/* Reads the recording and writes the outputs, which are there when all is complete. */
struct lane_error *show_export(const struct lane_export_wanted *wanted) LANE_MUST_CHECK;

/* All machines into one file of the first exporter, one behind the other. */
struct lane_error *show_export_machines(const struct lane_export_wanted *wanted,
					const struct session_named *named) LANE_MUST_CHECK;

#endif

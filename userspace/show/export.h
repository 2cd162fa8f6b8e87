/* SPDX-License-Identifier: MIT */
/*
 * A recording in the format of a viewer: one file per format, each a struct of this type. A
 * recording is read once for all formats asked for; what an exporter has written before it is
 * finished has a temporary name, which the caller gives it its final one or removes.
 */
#ifndef LANE_SHOW_EXPORT_H
#define LANE_SHOW_EXPORT_H

#include <stdio.h>

#include "latency/latency.h"
#include "show/report.h"

/* Machines that one file can hold. */
#define LANE_EXPORT_MACHINES 15

/* Where an exporter writes. */
struct lane_export_to {
	FILE *file;	   /* for a format that is a file; written from its beginning, not closed */
	int dir_fd;	   /* for a format that is a directory: made and empty; not closed */
	const char *title; /* the recording's name, for people */
	bool is_without_gpu; /* all threads are followed, not those alone that work for a GPU */
	/* The file goes on with another of several machines: its name, and which it is, up to
	 * LANE_EXPORT_MACHINES; NULL: there is only one. */
	const char *machine;
	unsigned int machine_index;
	const struct lane_trace_info *info; /* outlives the exporter */
	/* The losses that are known beforehand, each CPU's, by their ends; valid during create. */
	const struct lane_loss *lost;
	size_t n_lost;
};

/* What is known when the reading is over. */
struct lane_export_figures {
	struct lane_latency *latency;
	const struct lane_explain *worst;      /* the evidence for the worst requests, or NULL */
	const struct lane_critical_path *path; /* of the longest one; NULL, or no segments: none */
	struct lane_report_options options;    /* with what models say of the kernels, if any */
};

struct lane_exporter {
	const char *name;
	const char *help;
	const char *suffix; /* of the output, when the user names none: ".html" */
	bool is_directory;  /* it writes a directory, not a file */
	bool shows_worst;   /* with the evidence for the worst requests */
	/* *export is the caller's; *hooks, NULLs before, is set to what it is to be told. */
	struct lane_error *(*create)(const struct lane_export_to *to, void **export,
				     struct lane_hooks *hooks);
	/*
	 * An event of the recording, before the timeline is given it; may be NULL. Here, too, is
	 * returned what went wrong in a hook.
	 */
	struct lane_error *(*event)(void *export, const struct lane_event *event);
	/* The reading is over, the figures are complete: writes what is left. */
	struct lane_error *(*finish)(void *export, const struct lane_export_figures *figures);
	/* Frees everything, finished or not; NULL is allowed. */
	void (*destroy)(void *export);
};

extern const struct lane_exporter lane_export_ctf;
extern const struct lane_exporter lane_export_html;
extern const struct lane_exporter lane_export_perfetto;
extern const struct lane_exporter lane_export_sqlite;

#endif

/* SPDX-License-Identifier: MIT */
/* A report's figures as text, JSON or CSV: one file per format, each a struct of this type. */
#ifndef LANE_SHOW_REPORT_H
#define LANE_SHOW_REPORT_H

#include <stdio.h>

#include "latency/latency.h"

#define LANE_REPORT_PARTS 8

/* What a modelled kernel would save without a line of its source. */
struct lane_report_line {
	uint32_t line; /* 0: not known */
	double saves_ns;
	double conflicts_ns; /* without the conflicts of its atomics */
	char *source;	     /* NULL: not known */
};

/* What a model says of a kernel's mean run: how long it takes, and what it would save without each
 * part and line. */
struct lane_report_model {
	double total_ns;   /* 0: there is no model of this kernel */
	char missing[256]; /* what the device does not know: total_ns is then a bound from below,
			      without parts and lines */
	uint32_t n_parts;
	struct lane_report_part {
		const char *name;
		double ns;
	} part[LANE_REPORT_PARTS];
	struct lane_report_line *line;
	uint32_t n_lines;
};

/* LANE_REPORT_TABLES(T) calls T(ID, name) for each of the text's tables. */
#define LANE_REPORT_TABLES(T)                                                                      \
	T(ENGINES, "engines")                                                                      \
	T(IDLE, "idle")                                                                            \
	T(CLIENTS, "clients")                                                                      \
	T(CONTEXTS, "contexts")                                                                    \
	T(STAGES, "stages")                                                                        \
	T(SPENT, "spent")                                                                          \
	T(BEHIND, "behind")                                                                        \
	T(PREEMPTIONS, "preemptions")                                                              \
	T(FRAMES, "frames")                                                                        \
	T(RANGES, "ranges")                                                                        \
	T(OPEN, "open")                                                                            \
	T(CAUSES, "causes")                                                                        \
	T(MEMORY, "memory")                                                                        \
	T(COUNTERS, "counters")                                                                    \
	T(AWAKE, "awake")                                                                          \
	T(STARVED, "starved")                                                                      \
	T(WAITS, "waits")                                                                          \
	T(WORST, "worst")                                                                          \
	T(CPU, "cpu")                                                                              \
	T(OPENCL, "opencl")                                                                        \
	T(CALLS, "calls")

enum lane_report_table {
#define T(id, name) LANE_TABLE_##id,
	LANE_REPORT_TABLES(T)
#undef T
	LANE_TABLE_COUNT
};

extern const char *const lane_report_table_names[LANE_TABLE_COUNT];

/* Rows of a table at most, where nothing is said. */
#define SHOW_ROWS 20

struct lane_report_options {
	bool has_colour;
	uint32_t tables; /* of the text, bits by enum lane_report_table; 0: the first screen */
	const struct lane_place *place; /* the recording, for the commands that are named */
	unsigned int columns, lines; /* of the terminal that the first screen has to fit; 0: any */
	int brevity;   /* how much of the first screen is left out so that it fits; 0: nothing */
	uint32_t rows; /* of a table at most, 0: all */
	const struct lane_report_model *models; /* of the OpenCL kernels, in their order */
	uint32_t n_models;			/* 0: none */
	const char *model_device;
	const char *machine; /* of several: before each line of CSV, without a head; or NULL */
};

struct lane_report_format {
	const char *name;
	const char *help;
	struct lane_error *(*write)(FILE *to, struct lane_latency *latency,
				    const struct lane_report_options *options);
};

extern const struct lane_report_format lane_report_text;
extern const struct lane_report_format lane_report_json;
extern const struct lane_report_format lane_report_csv;

/* The report's tables: where they go, what they are of, and how. */
struct lane_tables {
	FILE *to;
	struct json_object *tree; /* the lists go in here instead; NULL: this is text */
	struct lane_latency *latency;
	const struct lane_report_options *options; /* of the text */
};

void show_title(const struct lane_tables *t, const char *text);
/* The same, and the names of the columns below it. */
void show_head(const struct lane_tables *t, const char *title, const char *columns);

/* There are n rows, and this one is not shown any more: a line says how many follow. */
bool show_enough(const struct lane_tables *t, uint32_t row, uint32_t n);

/* Where a request is. */
extern const char *const lane_request_state_names[LANE_RQ_STATE_COUNT];
/* What a thread is in. */
extern const char *const lane_thread_state_names[LANE_THREAD_STATE_COUNT];

/* No engine's name is longer: a device's, a /, a ring's, and the NUL. */
#define LANE_SHOW_ENGINE 100

/* "rcs0", "vcs1", "card1/bcs0" for a second device, "virtual-rcs" for a virtual engine. A ring's
 * name that does not fit is cut by lane_fit() (base/fit.h). */
const char *show_engine_name(const struct lane_engine *engine, char *buffer, size_t size);

/* What show_engine_name() says of one of i915's: its class and instance. False: no such name. */
bool show_engine_number(const char *name, uint16_t *class, uint16_t *instance);

/* "hist[1234]", "1234" without a name, "unknown" without a process. */
const char *show_client_name(const struct lane_client *client, char *buffer, size_t size);

/* The same of those that submit to a context: "several processes" where it is shared. */
const char *show_owner_name(const struct lane_context *context, char *buffer, size_t size);
/* Who submitted a request of the context; client: NULL where it was not seen. */
const char *show_submitter_name(const struct lane_context *context, struct lane_client *client,
				char *buffer, size_t size);

/*
 * The process of an OpenCL queue or command, NAME[PID]: its name as the scheduler's events tell it,
 * else as its queues do.
 */
const char *show_process_name(const struct lane_latency *latency, int32_t pid, char *buffer,
			      size_t size);

/* A task's name as it can be shown: without control characters. */
const char *show_comm(const char comm[16], char *buffer, size_t size);

/* A task: "stress-ng[77]", "nobody (CPU idle)", "nobody (CPU in C6)", "unknown". */
const char *show_task_name(int32_t tid, const char *comm, char *buffer, size_t size);

/* An amount of memory for people: "896.0 MiB", "4 KiB". */
const char *show_bytes(uint64_t bytes, char *buffer, size_t size);

/* A duration for people: "12.3 us". */
const char *show_duration(uint64_t ns, char *buffer, size_t size);

/* A duration known within bounds: "12.3 us", or both, "12.3 us..14.5 us"; bounds that look the same
 * are "12.3 us..". */
const char *show_span_text(struct lane_span ns, char *buffer, size_t size);

/* A part of a whole in per cent: "38.1 %", or both bounds, "38.1..40.2 %", "38.1 %..". */
const char *show_share_text(struct lane_span part, struct lane_span whole, char *buffer,
			    size_t size);

/* "96.6 of 393 ms (25 %)"; the percentage is left out where both look the same. */
const char *show_part_text(uint64_t part_ns, uint64_t whole_ns, unsigned int percent, char *buffer,
			   size_t size);

/* How often something happened: "3", or "3+" where it may have been more often; "unknown": any
 * number of times. */
const char *show_times(uint64_t sure, bool is_more, char *buffer, size_t size);

/* The same of an exact part, rounded. */
const char *show_rounded_part(uint64_t part_ns, uint64_t whole_ns, char *buffer, size_t size);

/*
 * Room for a text, in the block that it stands in: show_duration(ns, SHOW_ROOM(32)). What is named
 * most has a word of its own, with room enough.
 */
#define SHOW_ROOM(size)			(char[size]){ "" }, size
#define SHOW_ENGINE(engine)		show_engine_name(engine, SHOW_ROOM(LANE_SHOW_ENGINE))
#define SHOW_CLIENT(client)		show_client_name(client, SHOW_ROOM(48))
#define SHOW_OWNER(context)		show_owner_name(context, SHOW_ROOM(48))
#define SHOW_SUBMITTER(context, client) show_submitter_name(context, client, SHOW_ROOM(48))
#define SHOW_PROCESS(latency, pid)	show_process_name(latency, pid, SHOW_ROOM(64))
#define SHOW_TASK(tid, comm)		show_task_name(tid, comm, SHOW_ROOM(64))
#define SHOW_COMM(comm)			show_comm(comm, SHOW_ROOM(64))
#define SHOW_SCREEN(is)                                                                            \
	timeline_screen_name((is)->dev, (is)->crtc, (is)->connector, SHOW_ROOM(LANE_SCREEN_BYTES))
#define SHOW_BYTES(bytes)	     show_bytes(bytes, SHOW_ROOM(32))
#define SHOW_DURATION(ns)	     show_duration(ns, SHOW_ROOM(32))
#define SHOW_SPAN(span)		     show_span_text(span, SHOW_ROOM(64))
#define SHOW_SHARE(part, whole)	     show_share_text(part, whole, SHOW_ROOM(64))
#define SHOW_TIMES(sure, is_more)    show_times(sure, is_more, SHOW_ROOM(48))
#define SHOW_PART(part_ns, whole_ns) show_rounded_part(part_ns, whole_ns, SHOW_ROOM(96))

/* Puts more behind a text, as far as it has room. */
void show_append(char *text, size_t size, const char *format, ...) LANE_PRINTF(3, 4);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Starting, draining and stopping a tracer: one backend per tracer behind one interface.
 */
#ifndef LANE_CAPTURE_CAPTURE_H
#define LANE_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/event.h"
#include "capture/counter.h"
#include "capture/host.h"

enum lane_group_bit {
#define GROUP(id, name, system, chosen) LANE_GROUP_BIT_##id,
#include "capture/groups.def"
#undef GROUP
	LANE_GROUP_COUNT
};

/* A set of them. FRAME: with config.frame. */
enum lane_group {
#define GROUP(id, name, system, chosen) LANE_GROUP_##id = 1 << LANE_GROUP_BIT_##id,
#include "capture/groups.def"
#undef GROUP
};

/* Who records a group unless told otherwise. */
enum lane_group_chosen {
	LANE_CHOSEN_RECORD = 1 << 0,
	LANE_CHOSEN_TOP = 1 << 1,
	LANE_CHOSEN_WATCH = 1 << 2,
	LANE_CHOSEN_UNNAMED = 1 << 3, /* no option names it */
};

struct lane_group_info {
	const char *name, *system; /* system: NULL: not one */
	unsigned int chosen;	   /* enum lane_group_chosen */
};

extern const struct lane_group_info lane_groups[LANE_GROUP_COUNT];

/* The groups that this command records by default. */
unsigned int capture_groups_chosen(enum lane_group_chosen by);

/* The group of this name, 0 when the tracers here record none such. For set-up only. */
unsigned int capture_group_by_name(const char *name);

/* Writes the groups' names, with commas, for people. */
void capture_group_names(char *text, size_t bytes);

/* Where i915's events are taken from. */
enum lane_hook_choice {
	LANE_HOOKS_AUTO,       /* tracepoints where they exist, functions where they do not */
	LANE_HOOKS_TRACEPOINT, /* tracepoints only */
	LANE_HOOKS_FUNCTION,   /* functions wherever a function is known, for comparing both */
	LANE_HOOKS_FORMAT, /* tracepoints, i915's fields by the places that tracefs's formats give
			    */
};

struct lane_engine_filter {
	uint16_t class;
	uint16_t instance;
};

/* What marks a program's frames. All NULL: nothing. */
struct lane_frame_mark {
	const char *text;	   /* lines of trace_marker that begin so; or */
	const char *file, *symbol; /* a function of a program or library */
};

/*
 * Takes a capture's records in the place of a recording; called from poll and stop. An error ends
 * the capture.
 */
struct lane_sink {
	void *arg;
	/* A record (as on the wire, valid during the call) of this CPU, nearly in order of time. */
	struct lane_error *(*record)(void *arg, unsigned int cpu, const struct lane_wire *record);
	/* The CPU has lost `total` events in all up to at_ns. */
	struct lane_error *(*lost)(void *arg, unsigned int cpu, uint64_t total, uint64_t at_ns);
	/* Nothing of this CPU that is older than ns is to come. */
	struct lane_error *(*horizon)(void *arg, unsigned int cpu, uint64_t ns);
};

/* What to record. Strings and arrays are the caller's and outlive the capture. */
struct lane_capture_config {
	unsigned int groups; /* of enum lane_group */
	enum lane_hook_choice hooks;
	pid_t follow_pid; /* this process and its descendants; 0: the whole system */
	const char *comm; /* only processes of this name; NULL: all */
	const char
		*opencl_library; /* the OpenCL loader to hook; NULL: the one that programs find */
	struct lane_frame_mark frame;
	const struct lane_engine_filter *engines;
	size_t n_engines;    /* 0: all engines */
	bool has_ranges;     /* ust: COMMAND has the library of ranges */
	bool has_stacks;     /* bpf: where threads are as they submit, wait or go to sleep */
	bool has_copies;     /* and their programs' stacks are unwound by the files' tables */
	size_t buffer_bytes; /* per CPU, a power of two; 0: the backend's default */
	int dir_fd;	     /* the recording's directory */
	const struct lane_host *host;
	struct lane_counter_config counters; /* period_ns 0: none are read */
	const struct lane_sink *sink;	     /* bpf: instead of a recording; NULL: a recording */
};

struct lane_capture_stats {
	uint64_t events;		 /* written to the recording; LANE_NOT_COUNTED */
	uint64_t lost;			 /* dropped by the tracer, as far as it has said */
	uint64_t bytes;			 /* written to the recording */
	uint64_t buffer_bytes;		 /* per CPU */
	unsigned int fill_permille;	 /* fullest buffer since the last call */
	uint64_t stacks_lost;		 /* parts of stacks that there was no room for */
	uint64_t unfollowed;		 /* processes that there was no room to follow */
	uint64_t forgotten;		 /* fence contexts that made room for others, at least */
	uint64_t kinds_read, kinds_left; /* of counters, bits: read; left alone, as that wakes */
	uint64_t left_out;		 /* clients of GPUs whose counters there was no room for */
	/* The longest time for which an event that was not complete held up those behind it. */
	uint64_t stood_ns;
	unsigned int stood_cpu;
};

#define LANE_NOT_COUNTED UINT64_MAX

/* Where the events of one kind come from in this capture. */
struct lane_capture_kind {
	bool recorded;
	enum lane_origin origin;
	char hook[64];	   /* the tracepoint or function hooked, "" when none */
	char missing[192]; /* why the kind is not recorded, "" when it is or was not asked for */
	bool is_held_back; /* a setting of the kernel alone is in the way: `missing` says which */
};

struct lane_capture;

struct lane_backend {
	const char *name; /* "bpf", "lttng", "ust" */
	const char *help;
	/*
	 * Does everything that needs privileges (loads, attaches disabled); records nothing yet.
	 * *capture is the caller's, to be closed with close.
	 */
	struct lane_error *(*open)(const struct lane_capture_config *config,
				   struct lane_capture **capture);
	/* One entry per kind; owned by the capture. */
	const struct lane_capture_kind *(*kinds)(const struct lane_capture *capture);
	/* Events are recorded from here on. */
	struct lane_error *(*start)(struct lane_capture *capture);
	/*
	 * Drains what there is, waiting at most timeout_ms for something to come. After an error (a
	 * full disk) the recording up to there is readable and stop is still to be called.
	 */
	struct lane_error *(*poll)(struct lane_capture *capture, int timeout_ms);
	/* When it is to be polled at the latest; NULL: it wakes the poll itself. */
	int (*wait_ms)(const struct lane_capture *capture);
	/* Stops recording, drains the rest, completes the files. */
	struct lane_error *(*stop)(struct lane_capture *capture);
	/* Figures up to now. */
	void (*stats)(struct lane_capture *capture, struct lane_capture_stats *stats);
	/* The lost events of one CPU, LANE_NOT_COUNTED when the tracer does not say. */
	uint64_t (*lost)(struct lane_capture *capture, unsigned int cpu);
	/* The events in the trace of one CPU, likewise. */
	uint64_t (*events)(struct lane_capture *capture, unsigned int cpu);
	/* Frees everything; NULL is allowed. Without stop what was written stays readable. */
	void (*close)(struct lane_capture *capture);
};

extern const struct lane_backend lane_backend_bpf;
extern const struct lane_backend lane_backend_lttng;
extern const struct lane_backend lane_backend_ust;
extern const struct lane_backend lane_backend_counters;

#endif

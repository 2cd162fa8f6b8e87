/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's traces: a list of packets, in any order. Those with ftrace events are bundles, each of
 * one CPU and one data source. A first reading finds the bundles and the facts; a second one takes
 * the events of each such part's bundles in turn.
 */
#ifndef LANE_DECODE_PFTRACE_H
#define LANE_DECODE_PFTRACE_H

#include "base/table.h"
#include "decode/decode.h"
#include "decode/known_names.h"
#include "decode/proto.h"
#include "decode/unpack.h"

enum {
	LANE_PF_CPUS = 8192,
	LANE_PF_STEPS = 20,
	LANE_PF_CHUNK = 8 << 20, /* no packet of packets is larger; Perfetto's have 512 KiB */
	LANE_PF_COMM = 16,
};

/* --- the kinds of events --- */

/* An event whose fields have numbers. */
struct lane_pf_plan {
	uint32_t id; /* the field of FtraceEvent that it is */
	int kind;
	bool is_engine_notify; /* the event is intel_engine_notify */
	unsigned int n_steps;
	struct {
		uint32_t number; /* of the field */
		struct lane_field_slot slot;
	} steps[LANE_PF_STEPS];
};

struct lane_pf_plans {
	const struct lane_names *names;
	struct lane_pf_plan *plans; /* sorted by id once all are there */
	size_t n, cap;
	struct lane_table ids; /* what the trace itself has described */
};

/* The events that Perfetto's schema has. */
struct lane_error *decode_pf_plans_init(struct lane_pf_plans *plans,
					const struct lane_names *names) LANE_MUST_CHECK;

/* Adds an event that the trace itself describes: a GenericEventDescriptor. False: no memory. */
bool decode_pf_plans_add(struct lane_pf_plans *plans, struct lane_proto descriptor);

void decode_pf_plans_done(struct lane_pf_plans *plans);

void decode_pf_plans_deinit(struct lane_pf_plans *plans);

/* How the reading of an FtraceEvent ended. */
enum lane_pf_read {
	LANE_PF_EVENT,
	LANE_PF_OTHER, /* of no kind of the table */
	LANE_PF_DAMAGED,
};

/* Fills everything but the CPU of an event from an FtraceEvent. */
enum lane_pf_read decode_pf_event_read(const struct lane_pf_plans *plans, struct lane_proto message,
				       struct lane_event *event);

/* Copies a text into an event's field, which is empty. */
void decode_pf_text(const struct lane_proto_field *from, void *to, size_t size);

/* --- the bundles --- */

struct lane_pf_bundle {
	uint64_t at;	    /* in the file, or in the unpacked chunk */
	uint64_t first_ns;  /* the earliest that one of its events begins with */
	uint64_t before_ns; /* of the CPU's event before, as the trace says; 0: it does not */
	uint64_t order;	    /* in the trace */
	uint32_t bytes;
	uint32_t chunk; /* 0: none */
	uint16_t cpu, source;
	bool is_lost; /* events were lost between the part's bundle before and this one */
};

/* Compressed packets. */
struct lane_pf_chunk {
	uint64_t at; /* in the file */
	uint32_t packed, bytes;
	enum lane_packing packing;
};

struct lane_pf_cpu {
	uint64_t lost_begin, lost_end; /* as the kernel counts */
	bool has_begin, has_end;       /* of these two */
	uint32_t n_parts;
};

/* What one data source of ftrace's has of one CPU. Its bundles follow each other in time; those of
 * two data sources do not. */
struct lane_pf_part {
	uint32_t cpu, source;
	size_t first, n; /* its bundles */
	uint64_t drops;	 /* the reader's, at its last bundle */
	bool is_lost;	 /* behind its last bundle */
};

/* A thread, as a process tree tells it. */
struct lane_pf_thread {
	uint64_t ns;
	int32_t tid, pid, ppid;
	char name[LANE_PF_COMM];
};

struct lane_pf_index {
	const char *path;
	int fd;
	uint64_t bytes; /* of the file */
	struct lane_pf_plans plans;
	struct lane_trace_info info;
	struct lane_pf_bundle *bundles; /* by part, in the order of time */
	size_t n_bundles, cap_bundles;
	struct lane_pf_chunk *chunks; /* number 1 on */
	size_t n_chunks, cap_chunks;
	struct lane_pf_thread *threads; /* in the order of time */
	size_t n_threads, cap_threads;
	struct lane_pf_cpu *cpus;
	uint32_t n_cpus, n_sources;
	struct lane_pf_part *parts; /* by CPU and data source */
	size_t n_parts, cap_parts;
	uint64_t first_ns;	/* of all bundles */
	uint64_t unpacked;	/* bytes of all chunks */
	struct lane_error *err; /* what ended the first reading, or was damaged first */
	bool is_cut;		/* it ended before the file's end */
};

/* Reads the file at path, open as fd, once. *index is zeroed, and the caller's whatever happens. */
struct lane_error *decode_pf_index_read(const char *path, int fd, const struct lane_names *names,
					struct lane_pf_index *index) LANE_MUST_CHECK;

void decode_pf_index_deinit(struct lane_pf_index *index);

#endif

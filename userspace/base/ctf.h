/* SPDX-License-Identifier: MIT */
/*
 * Writing a CTF 1.8 trace that LTTng's readers take for one of their kernel traces: the metadata is
 * generated from the table of events, a stream per CPU holds packets of wire records.
 *
 * What was written is readable at any time, even when the writer is killed in the middle of a
 * write: a stream first grows by pages each of which is an empty packet, then the data goes where
 * they are padding, then one short write makes the packet say so. Nothing is synchronised to the
 * disk: a crash of the machine, not of the program, can lose what the kernel still held.
 */
#ifndef LANE_BASE_CTF_H
#define LANE_BASE_CTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/event.h"

/* A packet that is not full is written when its oldest record is this much older than the horizon.
 */
#define LANE_CTF_STALE_NS 500000000ull

/* The trace's environment. Strings are copied; those that are NULL are left out. */
struct lane_ctf_env {
	const char *hostname;
	const char *kernel_release;
	const char *clock_uuid;	 /* the host: kernel and user-space traces of one boot share it */
	int64_t epoch_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	const char *tracer;	 /* what recorded the events: "bpf" */
	uint64_t begin_ns;	 /* nothing recorded is older (CLOCK_MONOTONIC); 0: now */
	bool has_free_stream;	 /* an export: there can be a stream of no CPU, begin_ns 0 is 0 */
	bool is_copy; /* it can be made again: packets below a page take the bytes that they have */
};

/* In the place of a CPU's number: the stream of what belongs to no CPU, and that of what was found,
 * in an export, which has nothing else. */
#define LANE_CTF_NO_CPU	  UINT32_MAX
#define LANE_CTF_FINDINGS (UINT32_MAX - 1)

struct lane_ctf_trace;
struct lane_ctf_stream;

/*
 * Creates the trace's directory `name` below dir_fd (mode 0700) and its metadata. An existing
 * directory is an error. *trace is the caller's; lane_ctf_close frees it.
 */
struct lane_error *lane_ctf_create(int dir_fd, const char *name, const struct lane_ctf_env *env,
				   struct lane_ctf_trace **trace) LANE_MUST_CHECK;

/*
 * Opens the stream of one CPU, once per CPU, or of none. Packets hold at most packet_bytes (rounded
 * up to 4096), but an interval in which events were lost is one packet, however large. *stream is
 * owned by the trace.
 */
struct lane_error *lane_ctf_stream(struct lane_ctf_trace *trace, unsigned int cpu,
				   size_t packet_bytes,
				   struct lane_ctf_stream **stream) LANE_MUST_CHECK;

/*
 * Adds a record (header, context and payload, as on the wire) to the stream, in memory; it reaches
 * the file with lane_ctf_flush. Records that come late are put in their place among those that are
 * not written yet; one that is older than what is written counts as lost. The only errors are a
 * record of no kind and no memory.
 */
struct lane_error *lane_ctf_append(struct lane_ctf_stream *stream,
				   const struct lane_wire *record) LANE_MUST_CHECK;

/*
 * Tells the stream how many events its CPU has lost in all; now_ns is when that number was read. To
 * be called after what was drained before has been appended, and before the flush: what is lost
 * between two calls is known to lie between their times, and the recording says so.
 */
struct lane_error *lane_ctf_lost(struct lane_ctf_stream *stream, uint64_t total,
				 uint64_t now_ns) LANE_MUST_CHECK;

/*
 * Nothing older than horizon_ns will be appended any more: writes what is older in whole packets, a
 * last one that is not full only when it is stale (LANE_CTF_STALE_NS); UINT64_MAX writes
 * everything. To be called for every stream a few times a second, whether it has new records or
 * not.
 *
 * An error (a full disk) comes once. What was written before stays readable, everything after
 * counts as lost, and the streams take no more.
 */
struct lane_error *lane_ctf_flush(struct lane_ctf_stream *stream,
				  uint64_t horizon_ns) LANE_MUST_CHECK;

/* Events in the files, bytes of the files, lost events known, over all streams. */
void lane_ctf_figures(const struct lane_ctf_trace *trace, uint64_t *events, uint64_t *bytes,
		      uint64_t *lost);

/* The events in the file of one stream. */
uint64_t lane_ctf_stream_events(const struct lane_ctf_stream *stream);

/* The lost events known of one stream: by its tracer, too late, or not written after an error. */
uint64_t lane_ctf_stream_lost(const struct lane_ctf_stream *stream);

/* Flushes everything and closes. Frees the trace whatever happens; NULL is allowed. */
struct lane_error *lane_ctf_close(struct lane_ctf_trace *trace) LANE_MUST_CHECK;

#endif

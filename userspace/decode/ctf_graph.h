/* SPDX-License-Identifier: MIT */
/*
 * A CTF trace's messages, stream by stream, through libbabeltrace2: source.ctf.fs with each of its
 * output ports on an input port of a sink of ours. The streams are kept apart (no muxer), so that a
 * damaged one ends alone.
 */
#ifndef LANE_DECODE_CTF_GRAPH_H
#define LANE_DECODE_CTF_GRAPH_H

#include <stdbool.h>

#include <babeltrace2/babeltrace.h>

#include "base/error.h"

struct lane_ctf_graph;

/*
 * Opens the trace in the directory at path. *graph is the caller's; decode_graph_close frees it.
 */
struct lane_error *decode_graph_open(const char *path,
				     struct lane_ctf_graph **graph) LANE_MUST_CHECK;

uint32_t decode_graph_streams(const struct lane_ctf_graph *graph);

/*
 * The next message of a stream, NULL at its end; owned by the graph and valid until the next call
 * for this stream. After an error the stream has ended.
 */
struct lane_error *decode_graph_next(struct lane_ctf_graph *graph, uint32_t stream,
				     const bt_message **message) LANE_MUST_CHECK;

/* Frees everything; NULL is allowed. */
void decode_graph_close(struct lane_ctf_graph *graph);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Instruction dependence graphs: what one warp of a kernel executes, loops unrolled, for the
 * pipeline model. docs/models/pipeline.md is their text format.
 */
#ifndef LANE_MODEL_GRAPH_H
#define LANE_MODEL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/device.h"

#define LANE_GRAPH_OPS	 255	    /* most kinds of instructions, told apart by source line, too */
#define LANE_GRAPH_NODES (1u << 22) /* most instructions, unrolled */
#define LANE_GRAPH_EDGES (1u << 24)
#define LANE_GRAPH_LIKES 32

#define LANE_NODE_POST 1 /* nobody waits for it: its warp is done with it once it is issued */
#define LANE_NODE_SYNC 2 /* completes when all warps of the group have issued it */

/* Which op may stand in for one that a device lacks. */
struct lane_like {
	char op[LANE_NAME_BYTES];
	char other[LANE_NAME_BYTES];
};

struct lane_graph {
	char *title;
	char unit[LANE_NAME_BYTES]; /* what `work` counts, "" when nothing */
	double work;		    /* per group */
	uint32_t groups;	    /* of the whole kernel, 0: not said */
	uint32_t group_warps;	    /* warps of a group, 0: not said */
	uint32_t n_likes;
	struct lane_like like[LANE_GRAPH_LIKES];
	uint32_t n_ops;
	char op[LANE_GRAPH_OPS][LANE_NAME_BYTES];
	uint32_t op_line[LANE_GRAPH_OPS]; /* source line of OP@LINE, 0: not known */
	uint32_t n_nodes;
	uint32_t n_edges;
	uint8_t *node_op;     /* per node, index into op */
	uint8_t *node_flags;  /* LANE_NODE_* */
	uint8_t *node_needs;  /* how many nodes it waits for */
	uint32_t *first_user; /* n_nodes + 1 entries: where a node's users begin in user */
	uint32_t *user;	      /* the nodes that wait, n_edges entries */
};

/* Reads a graph file. *graph is the caller's to free. */
struct lane_error *model_graph_read(const char *path, struct lane_graph **graph) LANE_MUST_CHECK;

/* The same from text, which is cut into words; what stands for the file's name in errors. */
struct lane_error *model_graph_parse(char *text, const char *what,
				     struct lane_graph **graph) LANE_MUST_CHECK;

/* A chain of `length` instructions of one kind, each waiting for the one before. */
struct lane_error *model_graph_chain(const char *op, uint32_t length,
				     struct lane_graph **graph) LANE_MUST_CHECK;

/* Gives a kind of instruction another name, by which its latencies are found; false: there is none.
 */
bool model_graph_rename(struct lane_graph *graph, const char *op, const char *other);

/* Frees a graph; NULL is allowed. */
void model_graph_free(struct lane_graph *graph);

/* For LANE_CLEANUP. */
void model_graph_drop(struct lane_graph **graph);

#endif

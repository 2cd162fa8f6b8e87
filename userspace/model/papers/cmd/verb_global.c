// SPDX-License-Identifier: MIT
// `gpulane-papers global`: operations on global memory, one case or all of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/global.h"

struct options {
	struct model_common common;
	struct lane_global_work work;
	int op;	     /* -1: all */
	int pattern; /* -1: all but offset */
	int offsets; /* a row per offset */
};

enum {
	KEY_OFFSET = 256,
	KEY_ARITHMETIC,
	KEY_ITERATIONS,
	KEY_OFFSETS,
	KEY_BLOCKS,
};

static const struct argp_option options[] = {
	{ "op", 'o', "OP", 0, "none, load, store, load_store, red or atomic (default: all)", 1 },
	{ "pattern", 't', "PATTERN", 0,
	  "single, uncoalesced, coalesced or offset (default: the first three)", 1 },
	{ "warps", 'w', "N", 0, "warps of each multiprocessor, 1 to 32 (default 32)", 1 },
	{ "arithmetic", KEY_ARITHMETIC, "N", 0,
	  "dependent instructions between two operations (default 0)", 1 },
	{ "iterations", KEY_ITERATIONS, "N", 0, "operations of each warp (default 8)", 1 },
	{ "blocks", KEY_BLOCKS, "N", 0,
	  "with the pattern `offset': blocks on a multiprocessor, which share its warps and have "
	  "regions of their own (default 1)",
	  1 },
	{ "offset", KEY_OFFSET, "BYTES", 0, "of the pattern `offset'", 1 },
	{ "offsets", KEY_OFFSETS, NULL, 0, "the pattern `offset' from 0 to 256 bytes", 1 },
	MODEL_OPTIONS,
	{ 0 },
};

static error_t verb_global_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->op = model_global_op_by_name(arg);
		return o->op < 0 ? model_papers_not(&o->common, "--op", arg,
						    "none, load, store, load_store, red or atomic")
				 : 0;
	case 't':
		o->pattern = model_global_pattern_by_name(arg);
		return o->pattern < 0 ? model_papers_not(&o->common, "--pattern", arg,
							 "single, uncoalesced, coalesced or offset")
				      : 0;
	case 'w':
		return model_number(&o->common, "--warps", arg, 1, 32, &o->work.warps);
	case KEY_ARITHMETIC:
		return model_number(&o->common, "--arithmetic", arg, 0, 100000,
				    &o->work.arithmetic);
	case KEY_ITERATIONS:
		return model_number(&o->common, "--iterations", arg, 1, 100000,
				    &o->work.iterations);
	case KEY_OFFSET:
		o->pattern = LANE_GLOBAL_OFFSET;
		return model_number(&o->common, "--offset", arg, 0, 4096, &o->work.offset);
	case KEY_BLOCKS:
		return model_number(&o->common, "--blocks", arg, 1, 32, &o->work.blocks);
	case KEY_OFFSETS:
		o->offsets = 1;
		return 0;
	default:
		return model_option(&o->common, key, arg);
	}
}

static const struct argp argp = { options,
				  verb_global_parse,
				  NULL,
				  "The time of operations on global memory while all "
				  "multiprocessors do the same: queues, bounces, "
				  "locks, coalescing.",
				  NULL,
				  NULL,
				  NULL };

static struct lane_error *add_row(const struct lane_device *device, struct lane_global_work work,
				  json_object *result)
{
	struct lane_global_result r;
	struct lane_error *err = model_global_run(device, &work, &r);
	json_object *row;

	if (err)
		return err;
	row = model_row(result);
	model_put_text(row, "pattern", model_global_pattern_name(work.pattern));
	if (work.pattern == LANE_GLOBAL_OFFSET)
		model_put_whole(row, "offset", work.offset);
	model_put_text(row, "op", model_global_op_name(work.op));
	if (work.blocks)
		model_put_whole(row, "blocks", work.blocks);
	model_put_real(row, "mean", r.mean, 1);
	model_put_real(row, "deviation", r.deviation, 1);
	model_put_real(row, "least", r.least, 0);
	model_put_real(row, "most", r.most, 0);
	model_put_real(row, "per_operation", r.per_operation, 2);
	model_put_real(row, "per_step", r.per_step, 3);
	model_put_whole(row, "transactions", (int64_t)r.transactions);
	model_put_whole(row, "bounces", (int64_t)r.bounces);
	model_put_whole(row, "collisions", (int64_t)r.collisions);
	model_put_whole(row, "overtaken", (int64_t)r.overtaken);
	return NULL;
}

/* A row per operation (or for the one that was asked for). */
static struct lane_error *add_ops(const struct lane_device *device, const struct options *o,
				  struct lane_global_work work, json_object *result)
{
	struct lane_error *err = NULL;

	for (int op = o->op < 0 ? LANE_GLOBAL_LOAD : o->op;
	     !err && op <= (o->op < 0 ? LANE_GLOBAL_ATOMIC : o->op); op++) {
		work.op = (enum lane_global_op)op;
		err = add_row(device, work, result);
	}
	return err;
}

static struct lane_error *verb_global_run(void *options_read, struct lane_device *device,
					  json_object *result)
{
	const struct options *o = options_read;
	struct lane_global_work work = o->work;
	struct lane_error *err = NULL;

	model_put_whole(result, "warps", work.warps);
	model_put_whole(result, "arithmetic", work.arithmetic);
	if (o->offsets) {
		work.pattern = LANE_GLOBAL_OFFSET;
		for (work.offset = 0; !err && work.offset <= 256;
		     work.offset = work.offset ? 2 * work.offset : 4)
			err = add_ops(device, o, work, result);
		return err;
	}
	for (int p = o->pattern < 0 ? LANE_GLOBAL_SINGLE : o->pattern;
	     !err && p <= (o->pattern < 0 ? LANE_GLOBAL_COALESCED : o->pattern); p++) {
		work.pattern = (enum lane_global_pattern)p;
		err = add_ops(device, o, work, result);
	}
	return err;
}

struct lane_error *model_global(int argc, char **argv)
{
	struct options o = { .work = { .warps = 32, .iterations = 8 }, .op = -1, .pattern = -1 };
	int done;
	struct lane_error *err = lane_parse(&argp, argc, argv, &o, &o.common.error, &done);

	if (err || done)
		return err;
	return model_papers_run(&o.common, "global", "gt200-gtx275.json", verb_global_run, &o);
}

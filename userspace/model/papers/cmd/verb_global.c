// SPDX-License-Identifier: MIT
// `gpulane-papers global`: operations on global memory, one case or all of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/papers/cmd/papers_cmd.h"
#include "model/papers/global.h"

#define NO_OFFSET UINT32_MAX

struct options {
	struct model_common common;
	struct lane_global_work work;
	int op;	     /* -1: all */
	int pattern; /* -1: all but offset */
	int offsets; /* a row per offset */
};

static const struct model_option options[] = {
	MODEL_CHOICE("op", 'o', op, "OP",
		     "none, load, store, load_store, red or atomic (default: all)", LANE_GLOBAL_OPS,
		     lane_global_op_names),
	MODEL_CHOICE("pattern", 't', pattern, "PATTERN",
		     "single, uncoalesced, coalesced or offset (default: the first three)",
		     LANE_GLOBAL_PATTERNS, lane_global_pattern_names),
	MODEL_WHOLE("warps", 'w', work.warps, "N",
		    "warps of each multiprocessor, 1 to 32 (default 32)", 1, 32),
	MODEL_WHOLE("arithmetic", 0, work.arithmetic, "N",
		    "dependent instructions between two operations (default 0)", 0, 100000),
	MODEL_WHOLE("iterations", 0, work.iterations, "N", "operations of each warp (default 8)", 1,
		    100000),
	MODEL_WHOLE("blocks", 0, work.blocks, "N",
		    "with the pattern `offset': blocks on a multiprocessor, which share its warps "
		    "and have "
		    "regions of their own (default 1)",
		    1, 32),
	MODEL_WHOLE("offset", 0, work.offset, "BYTES", "of the pattern `offset'", 0, 4096),
	MODEL_OPTION("offsets", 0, model_flag, offsets, NULL,
		     "the pattern `offset' from 0 to 256 bytes"),
	MODEL_OPTIONS,
	{ 0 },
};

static struct lane_error *add_row(const struct lane_device *device, struct lane_global_work work,
				  json_object *result)
{
	struct lane_global_result r;
	struct lane_error *err = model_global_run(device, &work, &r);
	json_object *row;

	if (err)
		return err;
	row = model_row(result);
	model_put_text(row, "pattern", lane_global_pattern_names[work.pattern]);
	if (work.pattern == LANE_GLOBAL_OFFSET)
		model_put_whole(row, "offset", work.offset);
	model_put_text(row, "op", lane_global_op_names[work.op]);
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
	struct options o = { .work = { .warps = 32, .iterations = 8, .offset = NO_OFFSET },
			     .op = -1,
			     .pattern = -1 };
	int done;
	struct lane_error *err =
		model_parse(options, NULL,
			    "The time of operations on global memory while all multiprocessors do "
			    "the same: queues, bounces, locks, coalescing.",
			    argc, argv, &o, &done);

	if (err || done)
		return err;
	if (o.work.offset != NO_OFFSET)
		o.pattern = LANE_GLOBAL_OFFSET;
	else
		o.work.offset = 0;
	return model_papers_run(&o.common, "global", "gt200-gtx275.json", verb_global_run, &o);
}

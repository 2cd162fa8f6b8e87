// SPDX-License-Identifier: MIT
// The pipeline model: equal to its closed form over a grid, barriers, limits, graphs as hostile
// input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/number.h"
#include "model/pipeline.h"
#include "device.h"

static struct lane_error *parse(const char *from, struct lane_graph **graph)
{
	char *text = strdup(from);
	struct lane_error *err;

	assert_non_null(text);
	err = model_graph_parse(text, "test.graph", graph);
	free(text);
	return err;
}

static struct lane_graph *graph(const char *from)
{
	struct lane_graph *made = NULL;
	struct lane_error *err = parse(from, &made);

	check(err);
	return made;
}

static int64_t run(const struct lane_graph *g, const struct lane_binding *binding,
		   struct lane_launch launch)
{
	struct lane_pipeline_run result;

	assert_null(model_pipeline_run(g, binding, &launch, &result));
	return result.cycles;
}

/* W warps of N dependent instructions, whole and quarter latencies: the law, to the millionth. */
TEST(test_closed_form)
{
	static const uint32_t lengths[] = { 1, 2, 3, 7, 50 };
	static const double issues[] = { 0.25, 0.5, 1, 1.75, 2, 4, 8, 23 };
	static const double completions[] = { 1, 6, 14, 18, 29, 40, 58, 378 };
	uint64_t points = 0;

	for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
		char text[64];
		struct lane_graph *g;

		snprintf(text, sizeof(text), "gpulane-graph 1\nrepeat %u\nx = a x\nend\n",
			 lengths[n]);
		g = graph(text);
		for (size_t i = 0; i < sizeof(issues) / sizeof(issues[0]); i++) {
			for (size_t c = 0; c < sizeof(completions) / sizeof(completions[0]); c++) {
				struct lane_binding b = { .n_pipes = 1 };

				/* A result cannot come before the pipeline takes the next
				 * instruction. */
				if (completions[c] < issues[i])
					continue;
				b.issue[0] = (int64_t)(issues[i] * LANE_MICRO);
				b.completion[0] = (int64_t)(completions[c] * LANE_MICRO);
				for (uint32_t w = 1; w <= 64; w++) {
					struct lane_launch one = { .groups = 1,
								   .group_warps = w,
								   .concurrent = 1 };
					struct lane_launch many = { .groups = w,
								    .group_warps = 1,
								    .concurrent = w };
					int64_t law = model_pipeline_law(w, lengths[n], b.issue[0],
									 b.completion[0]);

					assert_int_equal(run(g, &b, one), law);
					assert_int_equal(run(g, &b, many), law);
					points++;
				}
			}
		}
		model_graph_free(g);
	}
	print_message("%llu points\n", (unsigned long long)points);
}

/* The paper's figure 1: index + mem, one load later + fmadd, then the store is issued. */
TEST(test_example_kernel)
{
	struct lane_graph *g =
		graph("gpulane-graph 1\n"
		      "i = index\na = mem i\nb = mem i\nc = fmadd a b\npost mem c\n");
	struct lane_binding b = { .n_pipes = 2 };
	struct lane_launch one = { .groups = 1, .group_warps = 1, .concurrent = 1 };
	int64_t issue[] = { 2, 23, 1 }, completion[] = { 20, 521, 18 };

	for (int i = 0; i < 3; i++) { /* index, mem, fmadd */
		b.issue[i] = issue[i] * LANE_MICRO;
		b.completion[i] = completion[i] * LANE_MICRO;
		b.pipe[i] = i == 1;
	}
	assert_int_equal(run(g, &b, one), (20 + 521 + 23 + 18 + 23) * LANE_MICRO);
	model_graph_free(g);
}

TEST(test_replacement)
{
	struct lane_graph *g = graph("gpulane-graph 1\nx = a\ny = a x\n");
	struct lane_binding b = { .n_pipes = 1,
				  .issue = { LANE_MICRO },
				  .completion = { 10 * LANE_MICRO } };
	struct lane_launch five = { .groups = 5, .group_warps = 1, .concurrent = 2 };

	/* Two at a time take 21 cycles and their successors begin at 20 and 21; the fifth at 40. */
	assert_int_equal(run(g, &b, five), 60 * LANE_MICRO);
	five.concurrent = 100;
	assert_int_equal(run(g, &b, five), 24 * LANE_MICRO);
	model_graph_free(g);
}

TEST(test_barrier)
{
	struct lane_graph *g = graph("gpulane-graph 1\nx = slow\nb = sync bar x\ny = fast b\n");
	struct lane_binding b = { .n_pipes = 2 };
	struct lane_launch launch = { .groups = 1, .group_warps = 4, .concurrent = 1 };

	b.issue[0] = 100 * LANE_MICRO; /* slow: warps come 100 cycles apart */
	b.completion[0] = 100 * LANE_MICRO;
	b.issue[1] = LANE_MICRO;
	b.completion[1] = 10 * LANE_MICRO;
	b.issue[2] = LANE_MICRO;
	b.completion[2] = 5 * LANE_MICRO;
	b.pipe[1] = b.pipe[2] = 1;
	/* The last warp is at the barrier at 400; all go on at 410, one a cycle. */
	assert_int_equal(run(g, &b, launch), (410 + 3 + 5) * LANE_MICRO);
	/* Four groups of one warp wait for nobody. */
	launch = (struct lane_launch){ .groups = 4, .group_warps = 1, .concurrent = 4 };
	assert_int_equal(run(g, &b, launch), 415 * LANE_MICRO);
	model_graph_free(g);
}

TEST(test_issue_limit)
{
	struct lane_graph *g = graph("gpulane-graph 1\nrepeat 100\nx = a x\nend\n"
				     "repeat 100\ny = b y\nend\n");
	struct lane_binding b = { .n_pipes = 2 };
	struct lane_launch launch = { .groups = 1, .group_warps = 32, .concurrent = 1 };

	for (int i = 0; i < 2; i++) {
		b.issue[i] = LANE_MICRO;
		b.completion[i] = 10 * LANE_MICRO;
		b.pipe[i] = (uint8_t)i;
	}
	/* Two pipelines side by side, then only one instruction a cycle between them. */
	assert_int_equal(run(g, &b, launch), (10 + 3199) * LANE_MICRO);
	launch.issue_limit = 2;
	assert_int_equal(run(g, &b, launch), (10 + 3199) * LANE_MICRO);
	launch.issue_limit = 1;
	assert_between(run(g, &b, launch), (10 + 6399) * LANE_MICRO, (30 + 6399) * LANE_MICRO);
	/* Four a cycle on a pipeline of a quarter cycle: a limit of two halves it. */
	b.issue[0] = b.issue[1] = LANE_MICRO / 4;
	b.pipe[1] = 0;
	launch.issue_limit = 0;
	assert_int_equal(run(g, &b, launch), 10 * LANE_MICRO + 6399 * LANE_MICRO / 4);
	launch.issue_limit = 2;
	assert_between(run(g, &b, launch), 3200 * LANE_MICRO, 3240 * LANE_MICRO);
	model_graph_free(g);
}

TEST(test_unrolling)
{
	struct lane_graph *g = graph("gpulane-graph 1\ntitle two  words\ngroups 7\ngroup_warps 2\n"
				     "work 9 flop\n"
				     "repeat 3\n a = load a\n repeat 2\n s = add s a a\n end\nend\n"
				     "post store s argument\n");

	assert_int_equal(g->n_nodes, 10);
	assert_int_equal(g->n_ops, 3);
	assert_int_equal(g->groups, 7);
	assert_int_equal(g->group_warps, 2);
	assert_string_equal(g->unit, "flop");
	assert_int_equal(g->node_needs[0], 0); /* load: a is an argument at first */
	assert_int_equal(g->node_needs[1], 2); /* add: a twice, s is an argument */
	assert_int_equal(g->node_needs[2], 3);
	assert_int_equal(g->node_needs[3], 1);
	assert_int_equal(g->node_needs[9], 1);
	assert_int_equal(g->node_flags[9], LANE_NODE_POST);
	/* load 0 is used by both adds (twice each) and by the next load. */
	assert_int_equal(g->first_user[1] - g->first_user[0], 5);
	model_graph_free(g);
}

/* A name kept by `let` is what the name was then, not what it becomes; `let` alone forgets. */
TEST(test_aliases)
{
	struct lane_graph *g = graph("gpulane-graph 1\n"
				     "cur = a\n"
				     "old = let cur\n"
				     "cur = b\n"
				     "c old\n" /* waits for a */
				     "c cur\n" /* waits for b */
				     "old = let\n"
				     "c old\n"); /* waits for nothing */

	assert_int_equal(g->n_nodes, 5);
	assert_int_equal(g->n_edges, 2);
	assert_int_equal(g->first_user[1] - g->first_user[0], 1);
	assert_int_equal(g->user[g->first_user[0]], 2);
	assert_int_equal(g->first_user[2] - g->first_user[1], 1);
	assert_int_equal(g->user[g->first_user[1]], 3);
	assert_int_equal(g->node_needs[4], 0);
	model_graph_free(g);
}

/* An op that the device lacks is bound to the one that the graph says is like it. */
TEST(test_stand_ins)
{
	static const char text[] = "name x\nsource y\n[op fadd]\npipe alu\nissue 1\n"
				   "completion 18\n[op imul]\npipe alu\nissue 2\ncompletion 20\n";
	struct lane_graph *g =
		graph("gpulane-graph 1\nlike fmul imul\nlike iadd fadd\nlike imul fadd\n"
		      "x = iadd x\nx = imul x\n");
	struct lane_graph *without = graph("gpulane-graph 1\nx = iadd x\n");
	struct lane_device *of = device(text);
	struct lane_binding binding;
	struct lane_lacking missing = { "" };

	assert_null(model_binding_make(of, g, 1, &binding, NULL));
	assert_int_equal(binding.completion[0], 18 * LANE_MICRO);
	assert_int_equal(binding.completion[1], 20 * LANE_MICRO);
	check_error(model_binding_make(of, without, 1, &binding, NULL), "");
	assert_null(model_binding_make(of, without, 1, &binding, &missing));
	assert_string_equal(missing.text, "[op iadd]");
	assert_int_equal(binding.issue[0] + binding.completion[0], 0);
	model_device_free(of);
	model_graph_free(without);
	model_graph_free(g);
}

TEST(test_wrong_graphs)
{
	static const struct {
		const char *text;
		const char *says;
	} wrong[] = {
		{ "", "not a graph file" },
		{ "gpulane-graph 2\na\n", "not a graph file" },
		{ "gpulane-graph 1\n", "no instructions" },
		{ "gpulane-graph 1\nend\n", "without `repeat'" },
		{ "gpulane-graph 1\nrepeat 2\nx = a\n", "has no `end'" },
		{ "gpulane-graph 1\nrepeat 0\nx = a\nend\n", "line 2: not `repeat TIMES'" },
		{ "gpulane-graph 1\nrepeat 2\nend\n", "nothing is repeated" },
		{ "gpulane-graph 1\nx =\n", "no instruction" },
		{ "gpulane-graph 1\nx = post a\n", "nobody can wait" },
		{ "gpulane-graph 1\npost sync a\n", "exclude" },
		{ "gpulane-graph 1\na =\n= = =\n", "no instruction" },
		{ "gpulane-graph 1\nx = =\n", "not a name" },
		{ "gpulane-graph 1\ngroups 0\nx = a\n", "`groups' needs a number" },
		{ "gpulane-graph 1\nwork x y\nx = a\n", "not `work NUMBER UNIT'" },
		{ "gpulane-graph 1\nx = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
		  "not a name" },
		{ "gpulane-graph 1\nrepeat 4194304\nrepeat 4194304\nx = a x\nend\nend\n",
		  "when unrolled" },
		{ "gpulane-graph 1\na\nrepeat 4194304\nrepeat 4194304\nx = let x\nend\nend\n",
		  "when unrolled" },
		{ "gpulane-graph 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\n"
		  "repeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\n"
		  "repeat 1\nrepeat 1\nrepeat 1\n",
		  "more than 16 loops" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lane_graph *g = NULL;

		check_error(parse(wrong[i].text, &g), wrong[i].says);
		assert_null(g);
	}
}

TEST(test_too_much)
{
	struct lane_graph *g = graph("gpulane-graph 1\nrepeat 1000000\nx = a x\nend\n");
	struct lane_binding b = { .n_pipes = 1,
				  .issue = { LANE_MICRO },
				  .completion = { 100000 * LANE_MICRO } };
	static const struct lane_launch wrong[] = {
		{ .groups = 0, .group_warps = 1, .concurrent = 1 },
		{ .groups = 1, .group_warps = 1025, .concurrent = 1 },
		{ .groups = 1025, .group_warps = 1, .concurrent = 1025 },
		{ .groups = UINT32_MAX, .group_warps = 1, .concurrent = 1 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lane_pipeline_run result;

		check_error(model_pipeline_run(g, &b, &wrong[i], &result), "");
	}
	model_graph_free(g);
}

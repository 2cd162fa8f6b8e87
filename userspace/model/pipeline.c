// SPDX-License-Identifier: MIT
// The pipeline model's simulator: issue and completion events of one compute unit.
#include "model/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/number.h"

#define NEVER	    INT64_MAX
#define STATE_BYTES (UINT64_C(1) << 30) /* most memory for the warps' states */
#define MOST_ISSUES (UINT64_C(1) << 33) /* most instructions of a run: minutes, not days */

/* A queue of events or ready instructions; grows, so that a run allocates a few times only. */
struct entry {
	int64_t time;
	uint32_t warp; /* slot on the compute unit */
	uint32_t node;
};

struct queue {
	struct entry *entry;
	uint32_t room; /* a power of two */
	uint32_t first;
	uint32_t n;
};

struct compute_unit {
	const struct lane_graph *graph;
	const struct lane_binding *binding;
	const struct lane_launch *launch;
	struct lane_pipeline_run *run;
	uint32_t warps;	      /* slots */
	uint32_t waiting;     /* groups */
	uint32_t active;      /* groups */
	uint8_t *needs;	      /* per warp and node: results that it still waits for */
	uint32_t *left;	      /* per warp: nodes that are not complete */
	uint32_t *group_left; /* per group: warps that are not done */
	uint32_t *sync_index; /* per node: which of the sync nodes */
	uint16_t *arrived;    /* per group and sync node: warps that have issued it */
	uint32_t n_syncs;
	struct queue ready[LANE_PIPES];
	int64_t free_at[LANE_PIPES]; /* when the pipeline takes the next instruction */
	/* Completions by name and, apart, those of post nodes: each queue is in the order of time,
	 * because kinds share one only where they have the same latency. */
	struct queue done[2 * LANE_GRAPH_OPS];
	uint8_t done_of[LANE_GRAPH_OPS];   /* per kind: the first kind of this name */
	uint32_t used[2 * LANE_GRAPH_OPS]; /* the queues that are in use */
	uint32_t n_used;
	int64_t cycle; /* the cycle that issued counts, for the issue limit */
	uint32_t issued;
	int out_of_memory;
};

static void push(struct compute_unit *u, struct queue *q, int64_t time, uint32_t warp,
		 uint32_t node)
{
	if (q->n == q->room) {
		uint32_t room = q->room ? 2 * q->room : 64;
		struct entry *larger = malloc(room * sizeof(*larger));

		if (!larger) {
			u->out_of_memory = 1;
			return;
		}
		for (uint32_t i = 0; i < q->n; i++)
			larger[i] = q->entry[(q->first + i) & (q->room - 1)];
		free(q->entry);
		q->entry = larger;
		q->room = room;
		q->first = 0;
	}
	q->entry[(q->first + q->n++) & (q->room - 1)] =
		(struct entry){ .time = time, .warp = warp, .node = node };
}

static struct entry pop(struct queue *q)
{
	struct entry e = q->entry[q->first];

	q->first = (q->first + 1) & (q->room - 1);
	q->n--;
	return e;
}

void model_lacks(struct lane_lacking *missing, const char *text)
{
	size_t used = strlen(missing->text);

	if (!strstr(missing->text, text))
		snprintf(missing->text + used, sizeof(missing->text) - used, "%s%s",
			 used ? ", " : "", text);
}

static struct lane_error *bind_pipe(struct lane_binding *b, const char *name, uint8_t *index,
				    const struct lane_device *device)
{
	for (uint32_t i = 0; i < b->n_pipes; i++) {
		if (!strcmp(b->pipes[i].name, name)) {
			*index = (uint8_t)i;
			return NULL;
		}
	}
	if (b->n_pipes == LANE_PIPES)
		return lane_error("%s: the graph needs more than %d pipelines", device->what,
				  LANE_PIPES);
	*index = (uint8_t)b->n_pipes;
	snprintf(b->pipes[b->n_pipes++].name, LANE_NAME_BYTES, "%s", name);
	return NULL;
}

/* The op itself where the device has it, else what the graph says is like it. */
static const char *stand_in(const struct lane_device *device, const struct lane_graph *graph,
			    const char *op)
{
	for (uint32_t i = 0; i < graph->n_likes && !model_device_section(device, "op", op); i++)
		if (!strcmp(graph->like[i].op, op))
			return graph->like[i].other;
	return op;
}

struct lane_error *model_binding_make(const struct lane_device *device,
				      const struct lane_graph *graph, uint32_t warps,
				      struct lane_binding *binding, struct lane_lacking *missing)
{
	*binding = (struct lane_binding){ 0 };
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		const char *name = stand_in(device, graph, graph->op[i]);
		const struct lane_device_section *op = model_device_section(device, "op", name);
		struct lane_error *err =
			op || missing ? NULL : model_device_need(device, "op", name, &op);
		char text[LANE_NAME_BYTES + 8];

		if (!err)
			err = bind_pipe(binding, op ? op->unit : "unknown", &binding->pipe[i],
					device);
		if (err)
			return err;
		if (op) {
			model_op_latency(op, warps, &binding->issue[i], &binding->completion[i]);
			binding->doubt =
				fmax(binding->doubt, fmax(model_section_doubt(op, "issue"),
							  model_section_doubt(op, "completion")));
			continue;
		}
		snprintf(text, sizeof(text), "[op %s]", name);
		model_lacks(missing, text);
	}
	return NULL;
}

int64_t model_pipeline_law(uint64_t warps, uint64_t n, int64_t issue, int64_t completion)
{
	if ((int64_t)warps * issue <= completion)
		return (int64_t)n * completion + (int64_t)(warps - 1) * issue;
	return completion + (int64_t)(n * warps - 1) * issue;
}

static void make_ready(struct compute_unit *u, int64_t time, uint32_t warp, uint32_t node)
{
	push(u, &u->ready[u->binding->pipe[u->graph->node_op[node]]], time, warp, node);
}

/* Puts a new group into a slot: everything that waits for nothing is ready. */
static void begin_group(struct compute_unit *u, uint32_t slot, int64_t time)
{
	const struct lane_graph *graph = u->graph;
	uint32_t per_group = u->launch->group_warps;

	u->active++;
	u->group_left[slot] = per_group;
	if (u->n_syncs)
		memset(u->arrived + (size_t)slot * u->n_syncs, 0, u->n_syncs * sizeof(*u->arrived));
	for (uint32_t warp = slot * per_group; warp < (slot + 1) * per_group; warp++) {
		memcpy(u->needs + (size_t)warp * graph->n_nodes, graph->node_needs, graph->n_nodes);
		u->left[warp] = graph->n_nodes;
		for (uint32_t node = 0; node < graph->n_nodes; node++)
			if (!graph->node_needs[node])
				make_ready(u, time, warp, node);
	}
}

static void complete_node(struct compute_unit *u, int64_t time, uint32_t warp, uint32_t node)
{
	const struct lane_graph *graph = u->graph;
	uint8_t *needs = u->needs + (size_t)warp * graph->n_nodes;
	uint32_t slot;

	for (uint32_t i = graph->first_user[node]; i < graph->first_user[node + 1]; i++)
		if (!--needs[graph->user[i]])
			make_ready(u, time, warp, graph->user[i]);
	if (--u->left[warp])
		return;
	slot = warp / u->launch->group_warps;
	if (--u->group_left[slot])
		return;
	u->active--;
	if (u->waiting) {
		u->waiting--;
		begin_group(u, slot, time);
	}
}

static void pipeline_complete(struct compute_unit *u, const struct entry *e)
{
	uint32_t per_group = u->launch->group_warps;
	uint32_t first = e->warp / per_group * per_group;

	u->run->cycles = e->time;
	if (!(u->graph->node_flags[e->node] & LANE_NODE_SYNC)) {
		complete_node(u, e->time, e->warp, e->node);
		return;
	}
	for (uint32_t warp = first; warp < first + per_group; warp++)
		complete_node(u, e->time, warp, e->node);
}

/* The warp that is the last of its group at a sync node completes it for all. */
static int last_to_arrive(struct compute_unit *u, uint32_t warp, uint32_t node)
{
	uint32_t slot = warp / u->launch->group_warps;
	uint16_t *arrived = &u->arrived[(size_t)slot * u->n_syncs + u->sync_index[node]];

	return ++*arrived == u->launch->group_warps;
}

static void issue(struct compute_unit *u, uint32_t pipe, int64_t time)
{
	struct entry e = pop(&u->ready[pipe]);
	uint32_t op = u->graph->node_op[e.node];
	uint8_t flags = u->graph->node_flags[e.node];
	int64_t lambda = u->binding->issue[op];

	u->free_at[pipe] = time + lambda;
	u->run->pipes[pipe].issued++;
	u->run->pipes[pipe].busy += lambda;
	u->run->instructions++;
	u->issued++;
	if (flags & LANE_NODE_POST)
		push(u, &u->done[LANE_GRAPH_OPS + u->done_of[op]], time + lambda, e.warp, e.node);
	else if (!(flags & LANE_NODE_SYNC) || last_to_arrive(u, e.warp, e.node))
		push(u, &u->done[u->done_of[op]], time + u->binding->completion[op], e.warp,
		     e.node);
}

/* The earliest completion; *queue is NULL when nothing is on its way. */
static int64_t next_completion(struct compute_unit *u, struct queue **queue)
{
	int64_t earliest = NEVER;

	*queue = NULL;
	for (uint32_t i = 0; i < u->n_used; i++) {
		struct queue *q = &u->done[u->used[i]];

		if (q->n && q->entry[q->first].time < earliest) {
			earliest = q->entry[q->first].time;
			*queue = q;
		}
	}
	return earliest;
}

/* The earliest issue that is possible with what is ready now. */
static int64_t next_issue(const struct compute_unit *u, uint32_t *pipe)
{
	int64_t earliest = NEVER;

	for (uint32_t i = 0; i < u->binding->n_pipes; i++) {
		const struct queue *q = &u->ready[i];
		int64_t time = u->free_at[i];

		if (!q->n)
			continue;
		if (q->entry[q->first].time > time)
			time = q->entry[q->first].time;
		if (time < earliest) {
			earliest = time;
			*pipe = i;
		}
	}
	return earliest;
}

/* True when the cycle of this issue is full; the pipeline then waits for the next cycle. */
static int over_limit(struct compute_unit *u, uint32_t pipe, int64_t time)
{
	int64_t cycle = time / LANE_MICRO;

	if (!u->launch->issue_limit)
		return 0;
	if (cycle != u->cycle) {
		u->cycle = cycle;
		u->issued = 0;
	}
	if (u->issued < u->launch->issue_limit)
		return 0;
	u->free_at[pipe] = (cycle + 1) * LANE_MICRO;
	u->run->limited++;
	return 1;
}

static void pipeline_simulate(struct compute_unit *u)
{
	while (u->active && !u->out_of_memory) {
		struct queue *queue;
		uint32_t pipe = 0;
		int64_t completion = next_completion(u, &queue);
		int64_t start = next_issue(u, &pipe);

		if (queue && completion <= start) {
			struct entry e = pop(queue);

			pipeline_complete(u, &e);
		} else if (!over_limit(u, pipe, start)) {
			issue(u, pipe, start);
		}
	}
}

/* No sum of latencies may leave 63 bits: the longest latency, as often as there are instructions.
 */
static int too_long(const struct lane_graph *graph, const struct lane_binding *binding,
		    uint64_t instructions)
{
	int64_t longest = LANE_MICRO;

	for (uint32_t i = 0; i < graph->n_ops; i++) {
		if (binding->issue[i] > longest)
			longest = binding->issue[i];
		if (binding->completion[i] > longest)
			longest = binding->completion[i];
	}
	return instructions > (uint64_t)(INT64_MAX / 2 / longest);
}

static struct lane_error *pipeline_check(const struct lane_graph *graph,
					 const struct lane_binding *binding,
					 const struct lane_launch *launch, uint32_t concurrent)
{
	uint64_t instructions;
	uint64_t warps = (uint64_t)concurrent * launch->group_warps;

	if (!launch->groups || !launch->group_warps || !launch->concurrent)
		return lane_error(
			"groups, their warps and how many run at a time must be at least 1");
	if (warps > LANE_PIPELINE_WARPS)
		return lane_error("%llu warps at a time are more than %d",
				  (unsigned long long)warps, LANE_PIPELINE_WARPS);
	if (warps * graph->n_nodes > STATE_BYTES)
		return lane_error(
			"%llu warps of %u instructions need more than 1 GiB (shorten loops)",
			(unsigned long long)warps, graph->n_nodes);
	instructions = (uint64_t)launch->groups * launch->group_warps * graph->n_nodes;
	if (launch->group_warps > LANE_PIPELINE_WARPS || instructions > MOST_ISSUES ||
	    too_long(graph, binding, instructions))
		return lane_error("%u groups of %u warps with %u instructions each are too much to "
				  "simulate (fewer groups show the same)",
				  launch->groups, launch->group_warps, graph->n_nodes);
	return NULL;
}

/* Kinds that differ in their source line only share their queues of completions. */
static void share_queues(struct compute_unit *u)
{
	const struct lane_graph *graph = u->graph;
	const struct lane_binding *b = u->binding;

	for (uint32_t op = 0; op < graph->n_ops; op++) {
		uint32_t first = 0;

		while (first < op && (strcmp(graph->op[first], graph->op[op]) != 0 ||
				      b->issue[first] != b->issue[op] ||
				      b->completion[first] != b->completion[op]))
			first++;
		u->done_of[op] = (uint8_t)first;
		if (first == op)
			u->used[u->n_used++] = op;
	}
	for (uint32_t i = 0, n = u->n_used; i < n; i++)
		u->used[u->n_used++] = LANE_GRAPH_OPS + u->used[i];
}

static struct lane_error *pipeline_allocate(struct compute_unit *u, uint32_t concurrent)
{
	const struct lane_graph *graph = u->graph;

	u->warps = concurrent * u->launch->group_warps;
	u->needs = malloc((size_t)u->warps * graph->n_nodes);
	u->left = calloc(u->warps, sizeof(*u->left));
	u->group_left = calloc(concurrent, sizeof(*u->group_left));
	u->sync_index = calloc(graph->n_nodes, sizeof(*u->sync_index));
	if (!u->needs || !u->left || !u->group_left || !u->sync_index)
		return &lane_enomem;
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (graph->node_flags[i] & LANE_NODE_SYNC)
			u->sync_index[i] = u->n_syncs++;
	u->arrived = calloc((size_t)concurrent * u->n_syncs + 1, sizeof(*u->arrived));
	return u->arrived ? NULL : &lane_enomem;
}

static void free_unit(struct compute_unit *u)
{
	for (int i = 0; i < LANE_PIPES; i++)
		free(u->ready[i].entry);
	for (int i = 0; i < 2 * LANE_GRAPH_OPS; i++)
		free(u->done[i].entry);
	free(u->needs);
	free(u->left);
	free(u->group_left);
	free(u->sync_index);
	free(u->arrived);
}

struct lane_error *model_pipeline_run(const struct lane_graph *graph,
				      const struct lane_binding *binding,
				      const struct lane_launch *launch,
				      struct lane_pipeline_run *run)
{
	uint32_t concurrent =
		launch->concurrent < launch->groups ? launch->concurrent : launch->groups;
	struct compute_unit u = {
		.graph = graph, .binding = binding, .launch = launch, .run = run
	};
	struct lane_error *err = pipeline_check(graph, binding, launch, concurrent);

	if (err)
		return err;
	*run = (struct lane_pipeline_run){ .n_pipes = binding->n_pipes };
	memcpy(run->pipes, binding->pipes, sizeof(run->pipes));
	err = pipeline_allocate(&u, concurrent);
	if (!err) {
		share_queues(&u);
		u.cycle = -1;
		u.waiting = launch->groups - concurrent;
		for (uint32_t slot = 0; slot < concurrent; slot++)
			begin_group(&u, slot, 0);
		pipeline_simulate(&u);
		if (u.out_of_memory)
			err = &lane_enomem;
	}
	free_unit(&u);
	return err;
}

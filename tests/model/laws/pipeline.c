// SPDX-License-Identifier: MIT
// The pipeline model's rules, again (docs/models/pipeline.md), on a kernel made at random. No
// queues: each step looks for the earliest of all results and all possible issues. Latencies have
// six digits, so that hardly two events meet. usage: pipeline SEED GRAPH DEVICE     writes the
// kernel and a device for it Prints what to give to `gpulane model pipeline', then ` = ' and the
// cycles.
#include <inttypes.h>

#include "laws.h"

#define OPS   4
#define NODES 400
#define WARPS 64
#define NEVER INT64_MAX

static struct node {
	int op;
	int is_post, is_sync;
	int needs[NODES]; /* how often each earlier node is a source */
} node[NODES];
static int nodes;

static int64_t issue_latency[OPS], completion_latency[OPS];
static int pipe_of[OPS]; /* numbered by their first use */
static int rank[OPS];	 /* the place of its first use */
static int group_warps, groups, concurrent, limit;

/* Who waits: a warp's instruction, by when it became ready and in which order that happened. */
static int open[WARPS][NODES];
static int64_t ready_at[WARPS][NODES], done_at[WARPS][NODES];
static uint64_t ready_order[WARPS][NODES], issue_order[WARPS][NODES];
static int is_over[WARPS][NODES];
static uint64_t order;

/* Makes a body of so many instructions; every name is one of six registers. */
static void make(uint64_t *random, FILE *graph)
{
	int op[16], target[16], source[16][2], sources[16], kind[16];
	int body = 2 + (int)dice(random, 9), times = 1 + (int)dice(random, 6);
	int writer[6];

	memset(writer, -1, sizeof(writer));
	fprintf(graph, "gpulane-graph 1\nrepeat %d\n", times);
	for (int i = 0; i < body; i++) {
		op[i] = (int)dice(random, OPS);
		kind[i] = dice(random, 8) == 0 ? 1 : dice(random, 8) == 0 ? 2 : 0;
		target[i] = kind[i] == 1 ? -1 : (int)dice(random, 6);
		sources[i] = (int)dice(random, 3);
		if (target[i] >= 0)
			fprintf(graph, "r%d = ", target[i]);
		fprintf(graph, "%sop%d",
			kind[i] == 1   ? "post "
			: kind[i] == 2 ? "sync "
				       : "",
			op[i]);
		for (int s = 0; s < sources[i]; s++) {
			source[i][s] = (int)dice(random, 6);
			fprintf(graph, " r%d", source[i][s]);
		}
		fprintf(graph, "\n");
	}
	fprintf(graph, "end\n");
	for (int t = 0; t < times; t++) {
		for (int i = 0; i < body; i++) {
			struct node *n = &node[nodes];

			*n = (struct node){ .op = op[i],
					    .is_post = kind[i] == 1,
					    .is_sync = kind[i] == 2 };
			for (int s = 0; s < sources[i]; s++)
				if (writer[source[i][s]] >= 0)
					n->needs[writer[source[i][s]]]++;
			for (int b = 0; b < nodes; b++) /* nothing passes a barrier above it */
				if (node[b].is_sync)
					n->needs[b]++;
			if (target[i] >= 0)
				writer[target[i]] = nodes;
			nodes++;
		}
	}
}

static void make_device(uint64_t *random, FILE *device)
{
	int seen[3] = { -1, -1, -1 }, pipes = 0;

	fprintf(device, "name law\nsource test\n[device]\nunits 1\nclock_mhz "
			"1000\nmax_warps 64\nmax_groups 64\n");
	if (limit)
		fprintf(device, "issue_limit %d\n", limit);
	for (int i = 0; i < OPS; i++) {
		pipe_of[i] = (int)dice(random, 3);
		issue_latency[i] = 200000 + dice(random, 9000000);
		completion_latency[i] = issue_latency[i] + dice(random, 60000000);
		fprintf(device,
			"[op op%d]\npipe p%d\nissue %" PRId64 ".%06" PRId64 "\ncompletion %" PRId64
			".%06" PRId64 "\n",
			i, pipe_of[i], issue_latency[i] / 1000000, issue_latency[i] % 1000000,
			completion_latency[i] / 1000000, completion_latency[i] % 1000000);
	}
	for (int i = 0; i < nodes; i++)
		if (seen[pipe_of[node[i].op]] < 0)
			seen[pipe_of[node[i].op]] = pipes++;
	for (int i = 0; i < OPS; i++) {
		pipe_of[i] = seen[pipe_of[i]];
		while (rank[i] < nodes && node[rank[i]].op != i)
			rank[i]++;
	}
}

static void get_ready(int warp, int n, int64_t now)
{
	ready_at[warp][n] = now;
	ready_order[warp][n] = order++;
}

static void begin(int slot, int64_t now)
{
	for (int w = slot * group_warps; w < (slot + 1) * group_warps; w++) {
		for (int n = 0; n < nodes; n++) {
			open[w][n] = 0;
			for (int s = 0; s < n; s++)
				open[w][n] += node[n].needs[s] > 0;
			ready_at[w][n] = done_at[w][n] = NEVER;
			is_over[w][n] = 0;
			if (!open[w][n])
				get_ready(w, n, now);
		}
	}
}

static void result(int w, int n, int64_t now)
{
	is_over[w][n] = 1;
	done_at[w][n] = NEVER;
	for (int user = n + 1; user < nodes; user++)
		if (node[user].needs[n] && !--open[w][user])
			get_ready(w, user, now);
}

/* Of results that come at the same time: stores last, then by the kind's first use, then as they
 * were issued. */
static int is_before(int w1, int n1, int w2, int n2)
{
	if (done_at[w1][n1] != done_at[w2][n2])
		return done_at[w1][n1] < done_at[w2][n2];
	if (node[n1].is_post != node[n2].is_post)
		return node[n2].is_post;
	if (node[n1].op != node[n2].op)
		return rank[node[n1].op] < rank[node[n2].op];
	return issue_order[w1][n1] < issue_order[w2][n2];
}

static int has_ended(int slot)
{
	for (int w = slot * group_warps; w < (slot + 1) * group_warps; w++)
		for (int n = 0; n < nodes; n++)
			if (!is_over[w][n])
				return 0;
	return 1;
}

static int64_t play(void)
{
	int64_t now = 0, free_at[3] = { 0 }, cycle = -1;
	int slots = concurrent < groups ? concurrent : groups;
	int warps = slots * group_warps, left = groups, begun = slots, issued = 0;

	for (int slot = 0; slot < slots; slot++)
		begin(slot, 0);
	while (left) {
		int rw = -1, rn = 0, iw = -1, in = 0;
		int64_t result_at = NEVER, issue_at = NEVER;

		for (int w = 0; w < warps; w++) {
			for (int n = 0; n < nodes; n++) {
				if (done_at[w][n] != NEVER && (rw < 0 || is_before(w, n, rw, rn)))
					rw = w, rn = n, result_at = done_at[w][n];
			}
		}
		for (int p = 0; p < 3; p++) {
			int w1 = -1, n1 = 0;
			int64_t at;

			for (int w = 0; w < warps; w++)
				for (int n = 0; n < nodes; n++)
					if (ready_at[w][n] != NEVER && pipe_of[node[n].op] == p &&
					    (w1 < 0 || ready_order[w][n] < ready_order[w1][n1]))
						w1 = w, n1 = n;
			if (w1 < 0)
				continue;
			at = ready_at[w1][n1] > free_at[p] ? ready_at[w1][n1] : free_at[p];
			if (at < issue_at)
				issue_at = at, iw = w1, in = n1;
		}
		if (rw >= 0 && result_at <= issue_at) {
			int slot = rw / group_warps, first = slot * group_warps;

			now = result_at;
			if (node[rn].is_sync)
				for (int w = first; w < first + group_warps; w++)
					result(w, rn, now);
			else
				result(rw, rn, now);
			if (!has_ended(slot))
				continue;
			left--;
			if (begun < groups) {
				begun++;
				begin(slot, now);
			} else {
				for (int w = first; w < first + group_warps; w++)
					for (int n = 0; n < nodes; n++)
						is_over[w][n] =
							0; /* an empty slot ends no second time */
			}
			continue;
		}
		if (limit && issue_at / 1000000 != cycle)
			cycle = issue_at / 1000000, issued = 0;
		if (limit && issued == limit) {
			free_at[pipe_of[node[in].op]] = (cycle + 1) * 1000000;
			continue;
		}
		issued++;
		free_at[pipe_of[node[in].op]] = issue_at + issue_latency[node[in].op];
		ready_at[iw][in] = NEVER;
		issue_order[iw][in] = order++;
		if (node[in].is_post) {
			done_at[iw][in] = issue_at + issue_latency[node[in].op];
		} else if (node[in].is_sync) {
			int first = iw / group_warps * group_warps, here = 0;

			open[iw][in] = -1; /* it has arrived */
			for (int w = first; w < first + group_warps; w++)
				here += open[w][in] == -1;
			if (here == group_warps)
				done_at[iw][in] = issue_at + completion_latency[node[in].op];
		} else {
			done_at[iw][in] = issue_at + completion_latency[node[in].op];
		}
	}
	return now;
}

int main(int argc, char **argv)
{
	uint64_t random;
	FILE *graph, *device;

	if (argc != 4)
		give_up("usage: pipeline SEED GRAPH DEVICE");
	random = (uint64_t)number(argv[1]) * 0x9e3779b97f4a7c15u + 1;
	for (int i = 0; i < 20; i++)
		dice(&random, 2);
	graph = fopen(argv[2], "w");
	device = fopen(argv[3], "w");
	if (!graph || !device)
		give_up("a file cannot be written");
	group_warps = 1 + (int)dice(&random, 6);
	groups = 1 + (int)dice(&random, 9);
	concurrent = 1 + (int)dice(&random, 5);
	limit = dice(&random, 3) ? 0 : 1 + (int)dice(&random, 2);
	make(&random, graph);
	make_device(&random, device);
	fclose(graph);
	fclose(device);
	printf("--groups %d --group-warps %d --concurrent %d = %.6f\n", groups, group_warps,
	       concurrent, (double)play() / 1e6);
	return 0;
}

// SPDX-License-Identifier: MIT
// Loads and attaches every BPF program that can be of use on the running kernel, in as few rounds
// as it takes: where a kind can be recorded in several ways, each of them in turn.
//
//   bpf-ways VERSION FILE      appends `ok VERSION-WAY` or `FAIL VERSION-WAY: WHY` for each to FILE
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/bpf_load.h"

static const char *const forms[] = {
	[LANE_BPF_TYPED] = "typed",
	[LANE_BPF_FORMAT] = "format",
	[LANE_BPF_FUNCTION] = "function",
};

/* Whether this kernel has what the way hooks; programs of an `any` way count where their target is.
 */
static bool possible(const struct lane_bpf_way *way, const struct lane_bpf_kernel *kernel)
{
	bool some = false, all = true;

	if (way->kind <= LANE_CTX_DO_UNPIN && !kernel->has_i915)
		return false;
	/* Work items are recorded where the scheduler has some. */
	if (lane_is_work((unsigned int)way->kind) &&
	    kernel->function(kernel->data, "drm_sched_run_job_work"))
		return false;
	/* What is hooked is for who records to name. */
	if (way->attach == LANE_BPF_LIBRARY || way->attach == LANE_BPF_UPROBE)
		return false;
	if (way->attach != LANE_BPF_FUNCTION)
		return !kernel->event(kernel->data, way) &&
		       (way->attach == LANE_BPF_FORMAT || !kernel->typed(kernel->data, way));
	for (int i = 0; i < LANE_BPF_MAX_HOOKS && way->hooks[i].program; i++) {
		bool there = !kernel->function(kernel->data, way->hooks[i].target);

		some |= there;
		all &= there;
	}
	return way->is_any_enough ? some : all;
}

/* The round-th possible way of each kind, the last one where there are fewer; others are refused.
 */
static bool choose(struct lane_bpf_plan *plan, const struct lane_bpf_kernel *kernel,
		   unsigned int round, bool *fresh)
{
	bool any = false;

	memset(plan, 0, sizeof(*plan));
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		unsigned int n = 0, chosen = lane_bpf_n_ways;

		for (unsigned int w = 0; w < lane_bpf_n_ways; w++) {
			if (lane_bpf_ways[w].kind != kind || !possible(&lane_bpf_ways[w], kernel) ||
			    n > round)
				continue;
			chosen = w;
			n++;
		}
		for (unsigned int w = 0; w < lane_bpf_n_ways; w++) {
			if (lane_bpf_ways[w].kind == kind && w != chosen)
				strcpy(plan->refused[w], "not this round");
			fresh[w] |= w == chosen && n == round + 1;
		}
		any |= n == round + 1;
	}
	return any;
}

static void verdict(FILE *to, const char *version, const struct lane_bpf_way *way,
		    const struct lane_bpf_plan *plan, const char *error)
{
	bool ok = !error && plan->ways[way->kind] == way;

	fprintf(to, "%s %s-%s-%s-%s", ok ? "ok" : "FAIL", version, forms[way->attach],
		lane_kinds[way->kind].name, way->hooks[0].program);
	if (!ok)
		fprintf(to, ": %s", error ? error : plan->kinds[way->kind].missing);
	fprintf(to, "\n");
}

static struct lane_error *run_round(struct lane_bpf_running *running, struct lane_bpf_plan *plan,
				    const bool *fresh, const char *version, FILE *to)
{
	/* Everything, and a filter, so that the programs that follow processes are loaded too. */
	const struct lane_capture_config config = { .groups = ~LANE_GROUP_OPENCL,
						    .follow_pid = 1,
						    .comm = "init",
						    .frame = { .text = "frame" } };
	LANE_CLEANUP(lane_drop_error) struct lane_error *err = NULL;
	struct lane_bpf_object *object = NULL;
	struct lane_bpf_config settings;
	struct lane_bpf_memory rings = { .fd = -1 }, none = { .fd = -1 };

	err = capture_bpf_settings(&config, 65536, capture_bpf_running_switch_arg(running),
				   &settings);
	if (!err)
		err = capture_bpf_memory_open(&rings, 1, 65536);
	if (!err)
		err = capture_bpf_load(running, &config, &settings, &rings, &none, plan, &object);
	for (unsigned int w = 0; w < lane_bpf_n_ways; w++)
		if (fresh[w])
			verdict(to, version, &lane_bpf_ways[w], plan,
				err ? lane_error_message(err) : NULL);
	capture_bpf_unload(object);
	capture_bpf_memory_close(&rings);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct lane_bpf_plan plan;
	struct lane_bpf_running *running = NULL;
	struct lane_error *err;
	FILE *to;

	if (argc != 3 || !(to = fopen(argv[2], "a")))
		return 2;
	err = capture_bpf_running_open(&running);
	for (unsigned int round = 0; !err; round++) {
		bool fresh[LANE_BPF_MAX_WAYS] = {};

		if (!choose(&plan, capture_bpf_running_kernel(running), round, fresh))
			break;
		err = run_round(running, &plan, fresh, argv[1], to);
	}
	if (err)
		fprintf(to, "FAIL %s-ways: %s\n", argv[1], lane_error_message(err));
	lane_error_free(err);
	capture_bpf_running_close(running);
	return fclose(to) ? 1 : 0;
}

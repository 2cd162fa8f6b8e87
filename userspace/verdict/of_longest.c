// SPDX-License-Identifier: MIT
// A run that took far longer than is usual: of a kernel, or of a context's requests.
#include "verdict/found.h"

#define MOST 3 /* of kernels, of contexts: the longest ones */

/* It is to be told, and comes next behind one of below_ns. */
static bool is_next(const struct lane_longest *longest, const struct lane_longest *next,
		    uint64_t below_ns)
{
	return longest->ns < below_ns && (!next || longest->ns > next->ns) &&
	       latency_longest_is_unusual(longest);
}

static struct lane_answer *of_longest_add(struct lane_answers *answers, enum lane_cause cause,
					  const struct lane_longest *longest, int32_t pid)
{
	struct lane_answer *a = verdict_add(answers, cause);
	struct lane_typical usual = latency_longest_usual(longest);

	a->in.longest = longest;
	a->engine = longest->engine;
	a->ns = (struct lane_span){ longest->ns, longest->most_ns };
	a->n = 1;
	a->of_n = usual.n;
	a->longest_ns = longest->ns;
	a->longest_at_ns = longest->at_ns;
	if (longest->context)
		verdict_show(a, longest->context, longest->seqno);
	verdict_cost(answers, a, pid, longest->ns - usual.ns);
	return a;
}

static void of_kernels(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	uint64_t below_ns = UINT64_MAX;

	for (int n = 0; c && n < MOST; n++) {
		const struct lane_kernel_stats *next = NULL;
		struct lane_answer *a;

		for (uint32_t i = 0; i < c->n_kernels; i++)
			if (is_next(&c->kernels[i].longest, next ? &next->longest : NULL, below_ns))
				next = &c->kernels[i];
		if (!next)
			return;
		a = of_longest_add(answers, LANE_CAUSE_IS_UNUSUAL_KERNEL, &next->longest,
				   next->pid);
		a->who = verdict_process(next->pid);
		a->what = next->name;
		below_ns = next->longest.ns;
	}
}

/* Of a process whose kernels are recorded these say more. */
static bool has_kernels(const struct lane_latency *l, const struct lane_client *client)
{
	return l->commands && client && latency_commands_has_process(l->commands, client->pid);
}

static void of_contexts(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	uint64_t below_ns = UINT64_MAX;

	for (int n = 0; n < MOST; n++) {
		const struct lane_longest *next = NULL;
		const struct lane_client *client;
		struct lane_answer *a;

		for (uint32_t i = 0; i < l->n_contexts; i++)
			if (l->contexts[i].context &&
			    !has_kernels(l, l->contexts[i].context->client) &&
			    is_next(&l->contexts[i].longest, next, below_ns))
				next = &l->contexts[i].longest;
		if (!next)
			return;
		client = next->context->client;
		a = of_longest_add(answers, LANE_CAUSE_IS_UNUSUAL_REQUEST, next,
				   client ? client->pid : -1);
		a->who = verdict_client(client);
		below_ns = next->ns;
	}
}

void verdict_of_longest(struct lane_answers *answers)
{
	of_kernels(answers);
	of_contexts(answers);
}

// SPDX-License-Identifier: MIT
// The processes that are not recorded and had bursts open while commands waited for nobody.
#include "latency/unseen.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"

/* Most processes that are told apart in one wait, and sums. */
#define CLIENTS 8
#define SUMS	256
/* Less is the hardware's own time. */
#define LEAST_NS 1000

static bool is_copys(const struct lane_engine *engine)
{
	return engine && engine->name && !strncmp(engine->name, "bcs", 3);
}

void latency_unseen_state(struct lane_unseen *unseen, const struct lane_request *rq,
			  enum lane_request_state from, uint64_t now_ns)
{
	uint64_t oldest = unseen->n > LANE_BURSTS ? unseen->n - LANE_BURSTS : 0;

	if (rq->state == LANE_RQ_STATE_BURST) {
		unseen->of[unseen->n++ % LANE_BURSTS] =
			(struct lane_burst){ .client = timeline_client_of(rq),
					     .context = rq->context,
					     .seqno = rq->seqno,
					     .is_copys = is_copys(rq->engine),
					     .begin_ns = now_ns,
					     .over_ns = LANE_NEVER };
		return;
	}
	for (uint64_t i = unseen->n; from == LANE_RQ_STATE_BURST && i-- > oldest;) {
		struct lane_burst *burst = &unseen->of[i % LANE_BURSTS];

		if (burst->context != rq->context || burst->seqno != rq->seqno)
			continue;
		if (timeline_burst_is_over(rq))
			burst->over_ns = rq->end.hi;
		return;
	}
}

static void unseen_add(struct lane_unseen *unseen, int32_t pid, struct lane_client *client,
		       uint64_t ns)
{
	struct lane_unseen_sum *sum = unseen->sums, *end = sum + unseen->n_sums;

	while (sum < end && (sum->pid != pid || sum->client != client))
		sum++;
	if (sum == end) {
		if (unseen->n_sums == SUMS)
			return;
		sum = LANE_APPEND(unseen->sums, unseen->n_sums, unseen->cap_sums);
		unseen->no_memory |= !sum;
		if (!sum)
			return;
		*sum = (struct lane_unseen_sum){ .pid = pid, .client = client };
	}
	sum->count++;
	sum->ns += ns;
}

void latency_unseen_command(struct lane_unseen *unseen, const struct lane_command *command)
{
	const struct lane_span *from = &command->time[LANE_COMMAND_SUBMITTED];
	const struct lane_span *to = &command->time[LANE_COMMAND_START];
	const struct lane_command_ahead *ahead = &command->ahead;
	uint64_t oldest = unseen->n > LANE_BURSTS ? unseen->n - LANE_BURSTS : 0;
	struct lane_unseen_sum parts[CLIENTS];
	uint32_t n = 0;

	if (!ahead->is_known || ahead->nobody.lo < LEAST_NS)
		return;
	for (uint64_t i = unseen->n; i-- > oldest;) {
		const struct lane_burst *burst = &unseen->of[i % LANE_BURSTS];
		uint64_t most = timeline_overlap(burst->begin_ns, burst->over_ns, from->lo, to->hi);
		uint32_t k = 0;

		if (!most || burst->client->pid < 0 || burst->client->pid == command->pid ||
		    (burst->is_copys && command->class == LANE_COMMAND_KERNEL))
			continue;
		while (k < n && parts[k].client != burst->client)
			k++;
		if (k == CLIENTS)
			continue;
		if (k == n)
			parts[n++] = (struct lane_unseen_sum){ .client = burst->client };
		parts[k].ns += most;
		if (parts[k].ns > ahead->nobody.hi)
			parts[k].ns = ahead->nobody.hi;
	}
	for (uint32_t k = 0; k < n; k++)
		unseen_add(unseen, command->pid, parts[k].client, parts[k].ns);
}

LANE_ORDER(by_ns, struct lane_unseen_sum, LANE_DOWN(ns))

void latency_unseen_finish(struct lane_unseen *unseen, bool (*is_recorded)(void *arg, int32_t pid),
			   void *arg)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < unseen->n_sums; i++)
		if (!is_recorded(arg, unseen->sums[i].client->pid))
			unseen->sums[n++] = unseen->sums[i];
	unseen->n_sums = n;
	LANE_SORT(unseen->sums, n, by_ns);
}

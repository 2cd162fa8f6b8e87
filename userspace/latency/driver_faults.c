// SPDX-License-Identifier: MIT
// Sums of the events that drivers themselves report (R37), by cause, process and engine.
#include "latency/sums.h"

#include <string.h>

static bool is_selected(const struct lane_latency *latency, const struct lane_fault *fault)
{
	const struct lane_select *select = &latency->select;

	if (fault->until_ns < select->from_ns || fault->at_ns > select->to_ns)
		return false;
	/* Of one request, what is told of others does not count. */
	if (select->by_seqno && !(fault->context && fault->context->ctx == select->context &&
				  fault->seqno == select->seqno))
		return false;
	return !fault->client || latency_selects_process(select, fault->client->pid, fault->client);
}

/* How long after its submit a request that is not complete was over, and the limit that ended it.
 */
static void driver_faults_add_request(const struct lane_latency *latency,
				      const struct lane_fault *fault, struct lane_fault_sum *sum)
{
	const struct lane_request *rq = fault->request;
	struct lane_ender ender;
	uint64_t from_ns = rq->seen & LANE_SEEN_SUBMIT	? rq->submit_ns
			   : rq->seen & LANE_SEEN_QUEUE ? rq->queue_ns
							: rq->add_ns;

	/* Without its signal or its error it is not known when it was over. */
	if (from_ns && ((rq->seen & LANE_SEEN_SIGNAL) || rq->error_ns) && fault->at_ns > from_ns)
		sum->after_ns = fault->at_ns - from_ns;
	ender = latency_open_ender(&latency->info, rq);
	if ((ender.kind == LANE_ENDER_JOB &&
	     (fault->cause == LANE_FAULT_TIMEOUT || fault->cause == LANE_FAULT_OVERDUE)) ||
	    (ender.kind == LANE_ENDER_REQUEST && fault->cause == LANE_FAULT_CANCELLED))
		sum->limit_ns = ender.limit_ns;
	/* Something else ended it. */
	if (sum->after_ns && sum->after_ns < sum->limit_ns)
		sum->limit_ns = 0;
	if (fault->cause == LANE_FAULT_INHERITED) {
		sum->of_context = rq->given_up.context;
		sum->of_seqno = rq->given_up.seqno;
	}
	sum->error = fault->error;
}

/* It is over with another one, or with the GPU, and was not what hung. */
static bool driver_faults_is_taken(const struct lane_fault *fault)
{
	const struct lane_request *rq = fault->request;

	if (!rq || !rq->given_up.at_ns ||
	    (rq->given_up.context == rq->context && rq->given_up.seqno == rq->seqno))
		return false;
	/* Of a job that had itself not ended in time that is told, and of i915's requests those
	 * that hung are lost. */
	return fault->cause == LANE_FAULT_REPLAYED ||
	       (rq->context->is_drm && fault->cause != LANE_FAULT_TIMEOUT &&
		fault->cause != LANE_FAULT_OVERDUE);
}

static void add_taken(struct lane_latency *latency, const struct lane_fault *fault)
{
	const struct lane_given_up *of = &fault->request->given_up;
	bool is_replayed = fault->cause == LANE_FAULT_REPLAYED, fresh;
	struct lane_taken_sum *sum =
		LANE_SUM_OF(latency, takens,
			    latency_pair(of->context ? of->context->id : UINT32_MAX, of->seqno),
			    (uint64_t)fault->client->id << 1 | is_replayed, &fresh);

	if (!sum)
		return;
	sum->context = of->context;
	sum->seqno = of->seqno;
	sum->engine = fault->engine;
	sum->client = fault->client;
	sum->is_replayed = is_replayed;
	sum->count++;
}

void latency_on_fault(void *arg, const struct lane_fault *fault)
{
	struct lane_latency *latency = arg;
	uint32_t engine = fault->engine ? fault->engine->id : UINT32_MAX;
	uint32_t client = fault->client ? fault->client->id : UINT32_MAX;
	struct lane_fault_sum *sum;
	bool fresh;

	if (!is_selected(latency, fault))
		return;
	sum = LANE_SUM_OF(latency, faults, latency_pair(fault->kind << 8 | fault->cause, engine),
			  client, &fresh);
	if (!sum)
		return;
	if (fresh) {
		sum->cause = fault->cause;
		sum->kind = fault->kind;
		sum->driver = fault->driver;
		memcpy(sum->device, fault->device, strnlen(fault->device, sizeof(sum->device) - 1));
		sum->engine = fault->engine;
		sum->client = fault->client;
		sum->first_ns = fault->at_ns;
		if (fault->reason)
			memcpy(sum->reason, fault->reason,
			       strnlen(fault->reason, sizeof(sum->reason) - 1));
		if (fault->request)
			driver_faults_add_request(latency, fault, sum);
	}
	/* The last job is reported again. A job is given up once, and a queue is banned once. */
	if (!fresh && fault->context && fault->context == sum->last_context &&
	    fault->seqno == sum->last_seqno &&
	    (fault->cause == LANE_FAULT_TIMEOUT || fault->cause == LANE_FAULT_BAN))
		return;
	sum->last_context = fault->context;
	sum->last_seqno = fault->seqno;
	if (fault->context && !sum->context) {
		sum->context = fault->context;
		sum->seqno = fault->seqno;
	}
	sum->count++;
	if (driver_faults_is_taken(fault) && fault->client) {
		sum->taken++;
		add_taken(latency, fault);
	}
	sum->bytes += fault->bytes;
	sum->lasted_ns += fault->until_ns - fault->at_ns;
}

static bool goes_with(const struct lane_taken_sum *taken, const struct lane_fault_sum *sum)
{
	if (!taken->context)
		return sum->cause == LANE_FAULT_RESET && sum->kind == LANE_RESET && !sum->context;
	if (sum->cause != LANE_FAULT_TIMEOUT && sum->cause != LANE_FAULT_OVERDUE &&
	    sum->cause != LANE_FAULT_RESET)
		return false;
	if (sum->count == 1)
		return taken->context == sum->context && taken->seqno == sum->seqno;
	return taken->engine == sum->engine && taken->context->client == sum->client;
}

const struct lane_taken_sum *latency_taken_with(const struct lane_latency *latency,
						const struct lane_fault_sum *sum, uint32_t *from)
{
	while (*from < latency->n_takens) {
		const struct lane_taken_sum *taken = &latency->takens[(*from)++];

		if (goes_with(taken, sum))
			return taken;
	}
	return NULL;
}

// SPDX-License-Identifier: MIT
// The second reading of explain: the event of each bound is looked for.
#include "latency/explain.h"
#include "latency/explain_internal.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CPUS 65536

void latency_explain_begin_search(struct lane_explain *x)
{
	for (size_t i = 0; i < x->n_wanted; i++) {
		x->wanted[i].rank = 0;
		*x->wanted[i].evidence = (struct lane_evidence){ .rule = LANE_RULE_NONE };
	}
	for (size_t i = 0; i < x->n; i++) {
		x->of[i].handed_cpu = -1;
		x->of[i].is_back = false;
	}
	if (x->n_cpus)
		memset(x->cpus, 0, x->n_cpus * sizeof(*x->cpus));
}

/* The event is of a request of its context between it and that of the evidence: that one is closer
 * to what ran right before it, or right behind it. */
static bool is_closer(const struct lane_wanted *w, const struct lane_event *event)
{
	const struct lane_evidence *e = w->evidence;
	uint32_t kind = event->wire.kind, seqno = w->of->request.seqno;
	uint64_t ctx = lane_is_fence(kind)     ? event->u.fence.context
		       : lane_is_request(kind) ? event->u.rq.ctx
					       : 0;
	int32_t was = (int32_t)(e->seqno - seqno), is;

	if (!e->by_request || !ctx || ctx != w->of->context.ctx || e->ctx != ctx)
		return false;
	is = (int32_t)((lane_is_fence(kind) ? (uint32_t)event->u.fence.seqno : event->u.rq.seqno) -
		       seqno);
	return (was < is && is < 0) || (was > is && is > 0);
}

static void offer(struct lane_wanted *w, const struct lane_event *event,
		  struct lane_judgement judgement)
{
	struct lane_evidence *e = w->evidence;
	uint32_t kind = event->wire.kind;

	if (judgement.rank < w->rank || !judgement.rank ||
	    (judgement.rank == w->rank && !is_closer(w, event)))
		return;
	w->rank = judgement.rank;
	*e = (struct lane_evidence){
		.rule = judgement.rule, .kind = kind, .cpu = event->cpu, .at_ns = event->wire.ts_ns
	};
	if (lane_is_drm(kind) || lane_is_named_job(kind)) {
		e->by_request = true;
		e->ctx = event->u.drm.fence_context;
		e->seqno = (uint32_t)event->u.drm.fence_seqno;
	} else if (lane_is_request(kind) || lane_is_fence(kind)) {
		e->by_request = true;
		e->ctx = lane_is_fence(kind) ? event->u.fence.context : event->u.rq.ctx;
		e->seqno = lane_is_fence(kind) ? (uint32_t)event->u.fence.seqno : event->u.rq.seqno;
	}
}

/* The first of those wanted at that time; n_wanted: none is. */
static size_t first_at(const struct lane_explain *x, uint64_t at_ns)
{
	size_t low = 0, high = x->n_wanted;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (x->wanted[middle].at_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->n_wanted && x->wanted[low].at_ns == at_ns ? low : x->n_wanted;
}

static void look_at(struct lane_explain *x, const struct lane_event *event)
{
	for (size_t i = first_at(x, event->wire.ts_ns);
	     i < x->n_wanted && x->wanted[i].at_ns == event->wire.ts_ns; i++)
		offer(&x->wanted[i], event, latency_explain_judge(x, &x->wanted[i], event));
}

/* What an event says of a time before it: the driver looked then, or nothing was heard since. */
static void look_back(struct lane_explain *x, const struct lane_event *event, uint64_t at_ns,
		      enum lane_rule rule)
{
	for (size_t i = first_at(x, at_ns); i < x->n_wanted && x->wanted[i].at_ns == at_ns; i++)
		offer(&x->wanted[i], event, latency_explain_judge_back(&x->wanted[i], event, rule));
}

static void look_ahead(struct lane_explain *x, const struct lane_event *event, uint64_t at_ns)
{
	for (size_t i = first_at(x, at_ns); i < x->n_wanted && x->wanted[i].at_ns == at_ns; i++)
		offer(&x->wanted[i], event, latency_explain_judge_ahead(&x->wanted[i], event));
}

static struct lane_explain_cpu *cpu_of(struct lane_explain *x, int32_t cpu)
{
	uint32_t n = x->n_cpus;
	struct lane_explain_cpu *more;

	if (cpu < 0 || cpu >= MOST_CPUS)
		return NULL;
	if ((uint32_t)cpu >= n) {
		more = reallocarray(x->cpus, (size_t)cpu + 1, sizeof(*more));
		if (!more) {
			x->no_memory = true;
			return NULL;
		}
		memset(more + n, 0, ((size_t)cpu + 1 - n) * sizeof(*more));
		x->cpus = more;
		x->n_cpus = (uint32_t)cpu + 1;
	}
	return &x->cpus[cpu];
}

/* The event by which the GPU's own clock told when a request began: the bounds lie before it. */
static void look_at_clock(struct lane_explain *x, const struct lane_event *event)
{
	for (size_t i = 0; i < x->n_wanted; i++)
		if (x->wanted[i].what == LANE_MOMENT_STARTED &&
		    x->wanted[i].of->request.clock_ns == event->wire.ts_ns)
			offer(&x->wanted[i], event, (struct lane_judgement){ LANE_RULE_TICKS, 95 });
}

/* Who handed the request over last, and whether it stands taken back. */
static void note_handing(struct lane_explain *x, const struct lane_event *event)
{
	struct lane_explained *of = lane_table_get(&x->by_name, event->u.rq.ctx, event->u.rq.seqno);

	for (; of; of = of->same_name) {
		if (of->context.dev != event->u.rq.dev)
			continue;
		of->is_back = event->wire.kind == LANE_RQ_UNSUBMIT;
		if (!of->is_back)
			of->handed_cpu = event->cpu;
	}
}

struct lane_error *latency_explain_event(struct lane_explain *x, const struct lane_event *event)
{
	struct lane_explain_cpu *cpu = cpu_of(x, event->cpu);
	uint64_t at_ns = event->wire.ts_ns;
	uint32_t kind = event->wire.kind;

	if (event->wire.kind == LANE_LOST || !x->n_wanted)
		return x->no_memory ? &lane_enomem : NULL;
	if (cpu) {
		cpu->before_ns = cpu->at_ns;
		cpu->at_ns = at_ns;
	}
	if (kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT)
		note_handing(x, event);
	look_at(x, event);
	if (kind == LANE_MSM_RETIRED)
		look_at_clock(x, event);
	if (kind == LANE_RQ_EXECUTE || kind == LANE_RQ_UNSUBMIT) {
		if (cpu && cpu->before_ns != at_ns && cpu->before_ns + LANE_LOOK_NS > at_ns)
			look_back(x, event, cpu->before_ns, LANE_RULE_LOOKED);
		if (at_ns > LANE_LOOK_NS)
			look_back(x, event, at_ns - LANE_LOOK_NS, LANE_RULE_LOOKED);
	}
	if (at_ns > LANE_INTERRUPT_NS)
		look_back(x, event, at_ns - LANE_INTERRUPT_NS, LANE_RULE_UNHEARD);
	look_ahead(x, event, at_ns + LANE_SWITCH_NS);
	look_ahead(x, event, at_ns + LANE_SWITCH_NS + LANE_INTERRUPT_NS);
	return x->no_memory ? &lane_enomem : NULL;
}

// SPDX-License-Identifier: MIT
/*
 * Jobs of drm_sched against the truth. A time that is told exactly is that of the event which
 * stands for it; bounds may hold that or the hardware's own.
 */
#include <inttypes.h>
#include <string.h>

#include "check_parts.h"

/* What a time or a duration may be: by events, by the hardware; SIM_NONE: neither. */
struct either {
	uint64_t v[4];
};

#define KEY_FORMAT "%" PRIu64 ":%u (%s, id %" PRIu64 ", status %d)"
#define KEY(c, t)  (t)->ctx, (t)->seqno, (c)->truth->engines[(t)->engine].name, (t)->id, (t)->status

static bool holds(struct lane_span span, const struct either *either)
{
	if (span.lo == span.hi)
		return either->v[0] == span.lo || either->v[1] == span.lo ||
		       (!span.lo && !either->v[2]);
	for (int i = 0; i < 4; i++)
		if (either->v[i] != SIM_NONE && either->v[i] >= span.lo && either->v[i] <= span.hi)
			return true;
	return false;
}

static uint64_t less(uint64_t to, uint64_t from)
{
	return to == SIM_NONE || from == SIM_NONE || to < from ? SIM_NONE : to - from;
}

static uint64_t hw_end(const struct sim_request *t)
{
	return t->status == SIM_LONG ? SIM_NONE : t->hw_end;
}

/* A firmware takes turns, and no event tells when. */
static bool takes_turns(const struct check *c, uint32_t request)
{
	size_t n = 0;

	for (size_t i = 0; i < c->truth->n_spans; i++)
		n += c->truth->spans[i].request == request;
	return n > 1;
}

/* The stages of a job that was never in the hardware: of no length, but for its time on the ring.
 */
static struct either never_run(const struct sim_request *t, enum sim_stage stage)
{
	uint64_t none = SIM_NONE;
	const uint64_t ns[SIM_STAGE_COUNT] = { [SIM_DEPENDENCY] = less(t->submit, t->add),
					       [SIM_HOST_QUEUE] = less(t->execute, t->submit),
					       [SIM_DEVICE_QUEUE] = less(t->over, t->execute),
					       [SIM_SIGNAL] = less(t->signaled, t->over) };

	if (stage <= SIM_HOST_QUEUE)
		return (struct either){ { ns[stage], none, none, none } };
	return (struct either){ { none, none, ns[stage], none } };
}

static struct either stage_of(const struct check *c, uint32_t request, enum sim_stage stage)
{
	const struct sim_request *t = &c->truth->requests[request];
	uint64_t none = SIM_NONE, end = hw_end(t);

	if (t->over != SIM_NONE)
		return never_run(t, stage);
	switch (stage) {
	case SIM_DEPENDENCY:
		return (struct either){ { less(t->submit, t->add), none, none, none } };
	case SIM_HOST_QUEUE:
		return (struct either){ { less(t->execute, t->submit), none, none, none } };
	case SIM_DEVICE_QUEUE:
		return (struct either){ { less(t->start, t->execute), none,
					  less(t->hw_start, t->execute), none } };
	case SIM_RUNNING:
		if (takes_turns(c, request))
			return (struct either){ { t->stage_ns[SIM_RUNNING], none,
						  less(t->end, t->start), none } };
		return (struct either){ { less(t->end, t->start), less(end, t->hw_start),
					  less(t->end, t->hw_start), less(end, t->start) } };
	case SIM_PREEMPTED:
		/* What goes before it may be told to be over later than the hardware knows. */
		return (struct either){ { t->stage_ns[SIM_PREEMPTED], none, end == none ? none : 0,
					  none } };
	case SIM_SIGNAL:
		return (struct either){ { less(t->signaled, t->end), none, less(t->signaled, end),
					  none } };
	default:
		return (struct either){ { none, none, none, none } };
	}
}

static bool is_there(const struct either *either)
{
	return either->v[0] != SIM_NONE || either->v[1] != SIM_NONE || either->v[2] != SIM_NONE;
}

static void check_stage(struct check *c, uint32_t request, enum sim_stage stage,
			const struct lane_stages *stages)
{
	const struct sim_request *t = &c->truth->requests[request];
	struct either truth = stage_of(c, request, stage);
	struct lane_span ns = stages->ns[stage];
	bool known = stages->known >> stage & 1;

	c->verdict->values++;
	if (known && !holds(ns, &truth))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " %s: told %" PRIu64 "..%" PRIu64 ", is %" PRId64
					" by events, %" PRId64 " by the hardware",
			     KEY(c, t), sim_stage_names[stage], ns.lo, ns.hi, (int64_t)truth.v[0],
			     (int64_t)truth.v[2]);
	if (stage == SIM_PREPARE || !is_there(&truth))
		return;
	if (!known)
		c->verdict->unknown++;
	else if (ns.lo == ns.hi)
		c->verdict->exact++;
	else
		c->verdict->bounded++;
}

static void check_time(struct check *c, const struct sim_request *t, const char *what,
		       struct either truth, struct lane_span told)
{
	c->verdict->values++;
	if (!holds(told, &truth))
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " %s: told %" PRIu64 "..%" PRIu64 ", is %" PRId64
					" by events, %" PRId64 " by the hardware",
			     KEY(c, t), what, told.lo, told.hi, (int64_t)truth.v[0],
			     (int64_t)truth.v[1]);
}

/* Whom it waited for. */
static void check_waited(struct check *c, const struct sim_request *t,
			 const struct lane_request *rq)
{
	if (!rq->waited_ctx)
		return;
	c->verdict->values++;
	for (uint32_t i = 0; i < t->n_waits; i++) {
		const struct sim_dependency *dep = &t->waits[i];

		if (dep->at == t->submit && dep->seqno == rq->waited_seqno &&
		    (dep->ctx == rq->waited_ctx || dep->awaited_ctx == rq->waited_ctx))
			return;
	}
	sim_complain(c, &c->verdict->wrong, KEY_FORMAT " did not wait for %" PRIu64 ":%" PRIu64,
		     KEY(c, t), rq->waited_ctx, rq->waited_seqno);
}

/* Whose job the ring had before it. */
static void check_behind(struct check *c, const struct sim_request *t,
			 const struct lane_request *rq)
{
	const struct sim_request *before =
		t->before == SIM_NO ? NULL : &c->truth->requests[t->before];

	if (!rq->behind || rq->behind->ctx >= LANE_OWN_CONTEXT)
		return;
	c->verdict->values++;
	if (!before || before->ctx != rq->behind->ctx)
		sim_complain(c, &c->verdict->wrong, KEY_FORMAT " did not stand behind %" PRIu64,
			     KEY(c, t), rq->behind->ctx);
}

static void check_owner(struct check *c, const struct sim_request *t, const struct lane_request *rq)
{
	c->verdict->values++;
	if (rq->pid >= 0 && rq->pid != t->pid)
		sim_complain(c, &c->verdict->wrong, KEY_FORMAT " is of process %d, told %d",
			     KEY(c, t), t->pid, rq->pid);
	if (rq->engine && strcmp(rq->engine->name, c->truth->engines[t->engine].name))
		sim_complain(c, &c->verdict->wrong, KEY_FORMAT ": told of %s", KEY(c, t),
			     rq->engine->name);
	if (rq->drm_client && rq->drm_client != t->client)
		sim_complain(c, &c->verdict->wrong,
			     KEY_FORMAT " is client %" PRIu64 "'s, told %" PRIu64, KEY(c, t),
			     t->client, rq->drm_client);
}

void sim_check_job(void *arg, const struct lane_request *rq)
{
	struct check *c = arg;
	uint32_t request = sim_find_rq(c, rq);
	const struct sim_request *t = &c->truth->requests[request];
	struct lane_stages stages;

	c->adds_up.request(c->adds_up.arg, rq);
	c->verdict->requests++;
	if (request == SIM_NO) {
		sim_complain(c, &c->verdict->wrong, "%" PRIu64 ":%u on %s does not exist",
			     rq->context->ctx, rq->seqno, rq->engine ? rq->engine->name : "-");
		return;
	}
	if (c->told[request].times++ && rq->context->ctx < LANE_OWN_CONTEXT)
		sim_complain(c, &c->verdict->wrong, KEY_FORMAT " told twice", KEY(c, t));
	latency_stages_of(c->info, rq, &stages);
	for (int s = 0; s < SIM_STAGE_COUNT; s++)
		check_stage(c, request, (enum sim_stage)s, &stages);
	if (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE))
		check_time(c, t, "start",
			   (struct either){ { t->start, t->hw_start, SIM_NONE, SIM_NONE } },
			   rq->start);
	if (rq->state == LANE_RQ_STATE_ENDED && !(rq->doubt & LANE_DOUBT_END))
		check_time(c, t, "end", (struct either){ { t->end, hw_end(t), t->over, SIM_NONE } },
			   rq->end);
	check_owner(c, t, rq);
	check_waited(c, t, rq);
	check_behind(c, t, rq);
	sim_check_wake(c, request, &stages);
}

void sim_check_untold(struct check *c)
{
	for (size_t i = 0; i < c->truth->n_requests; i++)
		for (int s = 1; s < SIM_STAGE_COUNT && !c->told[i].times; s++) {
			struct either truth = stage_of(c, (uint32_t)i, (enum sim_stage)s);

			c->verdict->unknown += is_there(&truth);
		}
}

// SPDX-License-Identifier: MIT
// By which rule an event shows a bound of a request's time (docs/analysis.md).
#include "latency/explain_internal.h"

/* How an event stands to the request. */
enum relation {
	IS_OWN,
	IS_CONTEXTS, /* of another request of its context */
	IS_ENGINES,  /* of another context's request on its engine, or of the engine's ports */
	IS_OTHER,
	RELATIONS
};

static enum relation relation_of(const struct lane_explained *of, const struct lane_event *event)
{
	const struct lane_request *rq = &of->request;
	uint32_t kind = event->wire.kind;

	if (kind == LANE_PORTS)
		return rq->engine && event->u.i915_engine_ports.dev == of->engine.dev &&
				       event->u.i915_engine_ports.class == of->engine.class &&
				       event->u.i915_engine_ports.instance == of->engine.instance
			       ? IS_ENGINES
			       : IS_OTHER;
	if (lane_is_fence(kind)) {
		if (event->u.fence.context != of->context.ctx)
			return IS_OTHER;
		return (uint32_t)event->u.fence.seqno == rq->seqno ? IS_OWN : IS_CONTEXTS;
	}
	if (lane_is_drm(kind) || lane_is_named_job(kind)) {
		if (event->u.drm.fence_context != of->context.ctx)
			return IS_OTHER;
		return (uint32_t)event->u.drm.fence_seqno == rq->seqno ? IS_OWN : IS_CONTEXTS;
	}
	if (!lane_is_request(kind) || event->u.rq.dev != of->context.dev)
		return IS_OTHER;
	if (event->u.rq.ctx == of->context.ctx)
		return event->u.rq.seqno == rq->seqno ? IS_OWN : IS_CONTEXTS;
	return rq->engine && event->u.rq.class == of->engine.class &&
			       event->u.rq.instance == of->engine.instance
		       ? IS_ENGINES
		       : IS_OTHER;
}

/* Events, by what they show. */
enum shows {
	SHOWS_NOTHING,
	SHOWS_QUEUE,
	SHOWS_ADD,
	SHOWS_SUBMIT,
	SHOWS_EXECUTE,
	SHOWS_UNSUBMIT,
	SHOWS_IN,
	SHOWS_OUT,  /* complete */
	SHOWS_LEFT, /* incomplete */
	SHOWS_SIGNAL,
	SHOWS_LISTEN,
	SHOWS_RETIRE,
	SHOWS_PORTS,
	SHOWS_DONE,
	SHOWS_IRQ, /* of a driver's own */
	SHOWS
};

static enum shows shows(const struct lane_event *event)
{
	switch (event->wire.kind) {
	case LANE_RQ_QUEUE:
		return SHOWS_QUEUE;
	case LANE_RQ_ADD:
		return SHOWS_ADD;
	case LANE_RQ_SUBMIT:
		return SHOWS_SUBMIT;
	case LANE_RQ_EXECUTE:
	case LANE_RQ_GUC_SUBMIT:
		return SHOWS_EXECUTE;
	case LANE_RQ_UNSUBMIT:
		return SHOWS_UNSUBMIT;
	case LANE_RQ_IN:
		return SHOWS_IN;
	case LANE_RQ_OUT:
		return event->u.i915_request_out.completed == 1 ? SHOWS_OUT : SHOWS_LEFT;
	case LANE_RQ_RETIRE:
		return SHOWS_RETIRE;
	case LANE_FENCE_SIGNALED:
		return SHOWS_SIGNAL;
	case LANE_FENCE_ENABLE_SIGNAL:
		return SHOWS_LISTEN;
	case LANE_PORTS:
		return SHOWS_PORTS;
	case LANE_DRM_QUEUE:
	case LANE_AMD_SUBMIT:
	case LANE_LIMA_SUBMIT:
		return SHOWS_ADD;
	case LANE_DRM_RUN:
	case LANE_AMD_RUN:
	case LANE_LIMA_RUN:
		return SHOWS_EXECUTE;
	case LANE_DRM_DONE:
		return SHOWS_DONE;
	case LANE_V3D_BCL_IRQ:
	case LANE_V3D_RCL_IRQ:
	case LANE_V3D_TFU_IRQ:
	case LANE_V3D_CSD_IRQ:
		return SHOWS_IRQ;
	default:
		return SHOWS_NOTHING;
	}
}

/* The bounds that are looked for. */
enum bound {
	BOUND_START_LO,
	BOUND_START_HI,
	BOUND_OFF_LO,
	BOUND_OFF_HI,
	BOUND_END_LO,
	BOUND_END_HI,
	BOUNDS
};

/* By which rule an event of a relation shows a bound, and how well compared with others. */
static const struct lane_judgement judgements[BOUNDS][RELATIONS][SHOWS] = {
#define J(rule_, rank_)                                                                            \
	{                                                                                          \
		.rule = LANE_RULE_##rule_, .rank = rank_                                           \
	}
	[BOUND_START_LO] = {
		[IS_OWN] = { [SHOWS_IN] = J(WRITTEN, 90), [SHOWS_EXECUTE] = J(HANDED, 80),
			     [SHOWS_UNSUBMIT] = J(AHEAD, 34), [SHOWS_LISTEN] = J(AHEAD, 33),
			     [SHOWS_OUT] = J(ENDED, 20), [SHOWS_SIGNAL] = J(ENDED, 20),
			     [SHOWS_LEFT] = J(CHANGEOVER, 50) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(FREED, 72), [SHOWS_OUT] = J(FREED, 76),
				  [SHOWS_LEFT] = J(CHANGEOVER, 75), [SHOWS_RETIRE] = J(FREED, 60),
				  [SHOWS_IN] = J(WRITTEN, 65), [SHOWS_EXECUTE] = J(AHEAD, 32),
				  [SHOWS_UNSUBMIT] = J(AHEAD, 31), [SHOWS_LISTEN] = J(AHEAD, 35) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(FREED, 74), [SHOWS_LEFT] = J(CHANGEOVER, 77),
				 [SHOWS_PORTS] = J(CHANGEOVER, 50), [SHOWS_RETIRE] = J(FREED, 59),
				 [SHOWS_IN] = J(NEW_SET, 40), [SHOWS_EXECUTE] = J(AHEAD, 30),
				 [SHOWS_UNSUBMIT] = J(AHEAD, 29) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(FREED, 70), [SHOWS_LISTEN] = J(AHEAD, 28) },
	},
	[BOUND_START_HI] = {
		[IS_OWN] = { [SHOWS_IN] = J(WRITTEN, 90), [SHOWS_EXECUTE] = J(HANDED, 80),
			     [SHOWS_SIGNAL] = J(ENDED, 65), [SHOWS_OUT] = J(ENDED, 66),
			     [SHOWS_RETIRE] = J(ENDED, 64), [SHOWS_LEFT] = J(ENDED, 63),
			     [SHOWS_UNSUBMIT] = J(DEQUEUED, 50) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(FREED, 72), [SHOWS_OUT] = J(FREED, 76),
				  [SHOWS_LEFT] = J(CHANGEOVER, 75), [SHOWS_RETIRE] = J(FREED, 56),
				  [SHOWS_IN] = J(WRITTEN, 65), [SHOWS_EXECUTE] = J(DEQUEUED, 48),
				  [SHOWS_UNSUBMIT] = J(DEQUEUED, 49) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(FREED, 74), [SHOWS_LEFT] = J(CHANGEOVER, 77),
				 [SHOWS_PORTS] = J(CHANGEOVER, 60), [SHOWS_RETIRE] = J(FREED, 55),
				 [SHOWS_IN] = J(DEQUEUED, 45), [SHOWS_EXECUTE] = J(DEQUEUED, 47),
				 [SHOWS_UNSUBMIT] = J(DEQUEUED, 46) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(FREED, 70), [SHOWS_RETIRE] = J(FREED, 20) },
	},
	[BOUND_OFF_LO] = {
		[IS_OWN] = { [SHOWS_LEFT] = J(LEFT, 91), [SHOWS_EXECUTE] = J(NEW_SET, 41) },
		[IS_CONTEXTS] = { [SHOWS_LEFT] = J(LEFT, 90), [SHOWS_EXECUTE] = J(NEW_SET, 40) },
		[IS_ENGINES] = { [SHOWS_LEFT] = J(CHANGEOVER, 85), [SHOWS_IN] = J(NEW_SET, 80),
				 [SHOWS_EXECUTE] = J(NEW_SET, 50), [SHOWS_OUT] = J(CHANGEOVER, 60),
				 [SHOWS_PORTS] = J(CHANGEOVER, 55) },
	},
	[BOUND_OFF_HI] = {
		[IS_OWN] = { [SHOWS_LEFT] = J(LEFT, 91), [SHOWS_EXECUTE] = J(DEQUEUED, 69),
			     [SHOWS_UNSUBMIT] = J(DEQUEUED, 68) },
		[IS_CONTEXTS] = { [SHOWS_LEFT] = J(LEFT, 90), [SHOWS_EXECUTE] = J(DEQUEUED, 67),
				  [SHOWS_UNSUBMIT] = J(DEQUEUED, 66) },
		[IS_ENGINES] = { [SHOWS_LEFT] = J(CHANGEOVER, 85), [SHOWS_PORTS] = J(CHANGEOVER, 80),
				 [SHOWS_EXECUTE] = J(DEQUEUED, 70), [SHOWS_UNSUBMIT] = J(DEQUEUED, 71),
				 [SHOWS_IN] = J(DEQUEUED, 65), [SHOWS_OUT] = J(BEHIND, 75) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(BEHIND, 60) },
	},
	[BOUND_END_LO] = {
		[IS_OWN] = { [SHOWS_OUT] = J(OUT, 95), [SHOWS_SIGNAL] = J(PROMPT, 94),
			     [SHOWS_LEFT] = J(LEFT, 85), [SHOWS_LISTEN] = J(LISTENED, 80),
			     [SHOWS_EXECUTE] = J(LOOKED, 75), [SHOWS_UNSUBMIT] = J(LOOKED, 76),
			     [SHOWS_IN] = J(BEGAN, 70), [SHOWS_SUBMIT] = J(BEGAN, 21),
			     [SHOWS_ADD] = J(BEGAN, 20), [SHOWS_QUEUE] = J(BEGAN, 19) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(BEGAN, 52), [SHOWS_OUT] = J(BEGAN, 53),
				  [SHOWS_LEFT] = J(BEGAN, 51), [SHOWS_IN] = J(BEGAN, 50),
				  [SHOWS_EXECUTE] = J(BEGAN, 30), [SHOWS_UNSUBMIT] = J(BEGAN, 29),
				  [SHOWS_LISTEN] = J(BEGAN, 31), [SHOWS_RETIRE] = J(BEGAN, 35) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(BEGAN, 47), [SHOWS_LEFT] = J(BEGAN, 46),
				 [SHOWS_IN] = J(BEGAN, 28), [SHOWS_EXECUTE] = J(BEGAN, 27),
				 [SHOWS_UNSUBMIT] = J(BEGAN, 26), [SHOWS_PORTS] = J(BEGAN, 36),
				 [SHOWS_RETIRE] = J(BEGAN, 34) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(BEGAN, 45), [SHOWS_LISTEN] = J(BEGAN, 25) },
	},
	[BOUND_END_HI] = {
		[IS_OWN] = { [SHOWS_OUT] = J(OUT, 95), [SHOWS_SIGNAL] = J(SIGNALLED, 94),
			     [SHOWS_RETIRE] = J(RETIRED, 85), [SHOWS_LEFT] = J(GONE, 50),
			     [SHOWS_UNSUBMIT] = J(CENSUS, 30) },
		[IS_CONTEXTS] = { [SHOWS_SIGNAL] = J(LATER, 72), [SHOWS_OUT] = J(LATER, 73),
				  [SHOWS_RETIRE] = J(LATER, 71), [SHOWS_LEFT] = J(GONE, 62),
				  [SHOWS_EXECUTE] = J(CENSUS, 52), [SHOWS_UNSUBMIT] = J(CENSUS, 51),
				  [SHOWS_IN] = J(CENSUS, 44) },
		[IS_ENGINES] = { [SHOWS_OUT] = J(BEHIND, 61), [SHOWS_LEFT] = J(GONE, 60),
				 [SHOWS_PORTS] = J(OFF_PORTS, 65), [SHOWS_EXECUTE] = J(CENSUS, 50),
				 [SHOWS_UNSUBMIT] = J(CENSUS, 49), [SHOWS_IN] = J(CENSUS, 45),
				 [SHOWS_RETIRE] = J(BEHIND, 46) },
		[IS_OTHER] = { [SHOWS_SIGNAL] = J(BEHIND, 55) },
	},
#undef J
};

static enum bound bound_of(const struct lane_wanted *w)
{
	switch (w->what) {
	case LANE_MOMENT_STARTED:
	case LANE_MOMENT_RESUMED:
		return w->is_upper ? BOUND_START_HI : BOUND_START_LO;
	case LANE_MOMENT_PREEMPTED:
		return w->is_upper ? BOUND_OFF_HI : BOUND_OFF_LO;
	case LANE_MOMENT_COMPLETE:
		return w->is_upper ? BOUND_END_HI : BOUND_END_LO;
	default:
		return BOUNDS;
	}
}

/* The events that are themselves a time of the request's. */
static enum shows own_event(enum lane_moment_what what)
{
	static const uint8_t events[LANE_MOMENT_COUNT] = {
		[LANE_MOMENT_QUEUED] = SHOWS_QUEUE,	[LANE_MOMENT_ADDED] = SHOWS_ADD,
		[LANE_MOMENT_SUBMITTED] = SHOWS_SUBMIT, [LANE_MOMENT_EXECUTED] = SHOWS_EXECUTE,
		[LANE_MOMENT_SIGNALLED] = SHOWS_SIGNAL, [LANE_MOMENT_RETIRED] = SHOWS_RETIRE,
	};

	return events[what];
}

/* Where the request that an event names ran, seen from the run that a bound is about. */
enum run_place {
	PLACE_UNKNOWN,	/* it names none, or it is not known what ran before */
	PLACE_DIRECT,	/* it ran right before that run, */
	PLACE_LATER,	/* is a later one of that one's context, */
	PLACE_EARLIER,	/* an earlier one, */
	PLACE_FURTHER,	/* or it ran before that one */
	PLACE_AFTER,	/* it ran right after that run */
	PLACE_ELSEWHERE /* all others */
};

/* An event, as it stands to a bound. */
struct look {
	const struct lane_wanted *w;
	const struct lane_event *event;
	enum relation relation;
	enum shows what;
	enum run_place place;
	bool is_named; /* the event names a request: */
	uint64_t ctx;
	uint32_t seqno;
};

static const struct lane_judgement none;

static bool is_of(const struct lane_explain_run *run, const struct look *l)
{
	return run->ctx == l->ctx && run->seqno == l->seqno;
}

static enum run_place place_of(const struct look *l)
{
	const struct lane_explain_turn *turn = l->w->turn;

	if (!l->is_named || !turn)
		return PLACE_UNKNOWN;
	if (turn->has_after && is_of(&turn->after, l))
		return PLACE_AFTER;
	if (!turn->n_ahead)
		return PLACE_UNKNOWN;
	if (is_of(&turn->ahead[0], l))
		return PLACE_DIRECT;
	for (uint32_t i = 1; i < turn->n_ahead; i++)
		if (is_of(&turn->ahead[i], l))
			return PLACE_FURTHER;
	if (turn->ahead[0].ctx != l->ctx)
		return PLACE_ELSEWHERE;
	return (int32_t)(l->seqno - turn->ahead[0].seqno) > 0 ? PLACE_LATER : PLACE_EARLIER;
}

static struct look look_of(const struct lane_wanted *w, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	struct look l = {
		.w = w, .event = event, .relation = relation_of(w->of, event), .what = shows(event)
	};

	l.is_named = lane_is_fence(kind) || lane_is_request(kind);
	if (lane_is_fence(kind)) {
		l.ctx = event->u.fence.context;
		l.seqno = (uint32_t)event->u.fence.seqno;
	} else if (l.is_named) {
		l.ctx = event->u.rq.ctx;
		l.seqno = event->u.rq.seqno;
	}
	l.place = place_of(&l);
	return l;
}

/* The event's request is complete by then. */
static bool shows_end(const struct look *l)
{
	return l->what == SHOWS_SIGNAL || l->what == SHOWS_OUT || l->what == SHOWS_RETIRE;
}

/* The event's request was incomplete then. */
static bool shows_life(const struct look *l)
{
	return l->what == SHOWS_LISTEN || l->what == SHOWS_EXECUTE || l->what == SHOWS_UNSUBMIT;
}

/* A later request of its context. */
static bool is_later(const struct look *l)
{
	return l->relation == IS_CONTEXTS && (int32_t)(l->seqno - l->w->of->request.seqno) > 0;
}

/* An earlier one. */
static bool is_earlier(const struct look *l)
{
	return l->relation == IS_CONTEXTS && (int32_t)(l->seqno - l->w->of->request.seqno) < 0;
}

/* An event of a dequeue of its engine. */
static bool is_of_dequeue(const struct look *l)
{
	const struct lane_explained *of = l->w->of;

	return (l->what == SHOWS_EXECUTE || l->what == SHOWS_UNSUBMIT || l->what == SHOWS_IN) &&
	       of->request.engine && l->event->u.rq.dev == of->engine.dev &&
	       l->event->u.rq.class == of->engine.class &&
	       l->event->u.rq.instance == of->engine.instance;
}

/* It went on at some time since it left: a run that is not told may have come before the next. */
static bool is_since_it_left(const struct lane_wanted *w)
{
	return w->what == LANE_MOMENT_RESUMED && !w->is_upper && w->turn &&
	       w->at_ns < w->turn->own.begin.lo;
}

static struct lane_judgement judge_since_it_left(const struct look *l)
{
	struct lane_judgement usual = judgements[BOUND_OFF_LO][l->relation][l->what];

	if (usual.rule == LANE_RULE_LEFT)
		usual.rule = LANE_RULE_CHANGEOVER;
	return usual;
}

/* What was complete before the request is the last word on when that may begin. */
static struct lane_judgement judge_start_lo(const struct look *l, struct lane_judgement usual)
{
	if (l->relation == IS_OWN)
		return shows_end(l) ? none : usual;
	if (shows_end(l) || shows_life(l) || l->what == SHOWS_IN) {
		switch (l->place) {
		case PLACE_DIRECT:
			if (shows_end(l))
				return (struct lane_judgement){ LANE_RULE_FREED, 88 };
			return (struct lane_judgement){ LANE_RULE_AHEAD, 66 };
		case PLACE_LATER:
			if (shows_end(l))
				return (struct lane_judgement){ LANE_RULE_FREED, 76 };
			break;
		case PLACE_EARLIER:
		case PLACE_FURTHER:
			if (shows_end(l))
				return (struct lane_judgement){ LANE_RULE_FREED, 64 };
			return (struct lane_judgement){ LANE_RULE_AHEAD, 62 };
		default:
			break;
		}
		if (shows_end(l) && is_earlier(l))
			return (struct lane_judgement){ LANE_RULE_FREED, 63 };
		if (l->what != SHOWS_IN)
			usual.rank /= 4;
	}
	return usual;
}

/* The event shows that it was complete, as its end is told: then it had begun. */
static bool shows_its_end(const struct look *l)
{
	return shows_end(l) && (l->relation == IS_OWN || is_later(l)) &&
	       l->w->of->request.state == LANE_RQ_STATE_ENDED &&
	       l->w->of->request.end.hi == l->w->at_ns;
}

/* Where `in` is not recorded, whatever comes next on the CPU that handed it over, and is not of
 * that dequeue. */
static bool is_behind_section(const struct lane_explain *x, const struct look *l)
{
	return x->info.presence[LANE_RQ_IN] == LANE_PRESENCE_ABSENT && !l->w->is_exact &&
	       l->w->of->handed_cpu == l->event->cpu && !is_of_dequeue(l);
}

/* The hardware has its context on the first port of its engine. */
static bool is_first_on_ports(const struct look *l)
{
	return l->what == SHOWS_PORTS && l->relation == IS_ENGINES &&
	       l->event->u.i915_engine_ports.ctx0 == l->w->of->context.ctx;
}

/* It was over as what is told to have run right before it was: so it may have been before that. At
 * a GuC its context's order is certain. */
static bool is_over_at_once(const struct look *l)
{
	const struct lane_explained *of = l->w->of;

	return !l->w->is_exact && of->request.state == LANE_RQ_STATE_ENDED &&
	       of->request.end.hi == l->w->at_ns && of->engine.submission != LANE_SUBMISSION_GUC;
}

/* What ran right before had ended by then, as it is told. */
static bool is_free_by_then(const struct look *l)
{
	return l->w->turn && l->w->turn->n_ahead && l->w->turn->ahead[0].end.hi <= l->w->at_ns;
}

static struct lane_judgement judge_start_hi(const struct lane_explain *x, const struct look *l,
					    struct lane_judgement usual)
{
	if (shows_its_end(l) && l->w->is_exact)
		return none;
	if (shows_its_end(l))
		return l->relation == IS_OWN ? (struct lane_judgement){ LANE_RULE_ENDED, 89 }
					     : (struct lane_judgement){ LANE_RULE_LATER, 80 };
	if (l->relation == IS_OWN)
		return !usual.rule && is_behind_section(x, l)
			       ? (struct lane_judgement){ LANE_RULE_SECTION, 45 }
			       : usual;
	if (is_first_on_ports(l) && !l->w->is_exact)
		return (struct lane_judgement){ LANE_RULE_CHANGEOVER, 90 };
	if (shows_end(l) && l->place == PLACE_DIRECT)
		return is_over_at_once(l) ? none : (struct lane_judgement){ LANE_RULE_FREED, 88 };
	if (shows_end(l) && l->place == PLACE_LATER)
		return (struct lane_judgement){ LANE_RULE_FREED, 76 };
	if (is_behind_section(x, l) && l->what != SHOWS_PORTS)
		return (struct lane_judgement){ LANE_RULE_SECTION, 45 };
	if (shows_end(l) && l->place == PLACE_FURTHER && is_free_by_then(l))
		return (struct lane_judgement){ LANE_RULE_FREED, 40 };
	if (shows_end(l) && l->place == PLACE_AFTER)
		return none;
	if (shows_end(l))
		usual.rank /= 4;
	return usual;
}

/* The bound is where a loss begins, or where one ends. */
static bool is_loss(const struct look *l, bool or_end)
{
	const struct lane_loss *losses = l->w->of->losses;

	for (uint32_t i = 0; i < l->w->of->n_losses; i++)
		if (losses[i].begin_ns == l->w->at_ns ||
		    (or_end && losses[i].end_ns == l->w->at_ns))
			return true;
	return false;
}

/* It may have begun before: that it cannot be complete before that is not the reason. */
static bool had_begun(const struct look *l)
{
	return l->w->turn && l->w->turn->own.begin.lo < l->w->at_ns;
}

static struct lane_judgement judge_end_lo(const struct look *l, struct lane_judgement usual)
{
	/* What was handed over in a loss may have begun before, and be on its port still. */
	if (l->relation == IS_OWN)
		return l->what == SHOWS_IN && is_loss(l, true) ? none : usual;
	if (is_loss(l, false))
		return none;
	if (had_begun(l))
		usual.rank = usual.rank ? 1 : 0;
	else if (l->place == PLACE_DIRECT)
		usual.rank += 8;
	return usual;
}

/* The event's request ended in a run before that of the bound. */
static bool ended_ahead(const struct look *l)
{
	const struct lane_explain_turn *turn = l->w->turn;

	for (uint32_t i = 0; turn && i < turn->n_ahead; i++)
		if (is_of(&turn->ahead[i], l) && turn->ahead[i].end.hi == l->w->at_ns)
			return true;
	return false;
}

/* The ports have its context. */
static bool is_on_ports(const struct look *l)
{
	uint64_t ctx = l->w->of->context.ctx;

	return l->event->u.i915_engine_ports.ctx0 == ctx ||
	       l->event->u.i915_engine_ports.ctx1 == ctx;
}

static struct lane_judgement judge_end_hi(const struct look *l, struct lane_judgement usual)
{
	bool is_idled = l->w->of->engine.submission == LANE_SUBMISSION_PER_REQUEST;

	switch (usual.rule) {
	case LANE_RULE_LATER:
		return is_later(l) ? usual : none;
	case LANE_RULE_GONE: /* up to Linux 5.3 an `out`, incomplete, takes back all */
		if (is_idled && l->relation != IS_OWN)
			usual.rule = LANE_RULE_CENSUS;
		return usual;
	case LANE_RULE_CENSUS:
		if (l->w->of->is_back)
			usual.rule = LANE_RULE_GONE;
		return l->relation == IS_OWN ? none : usual;
	case LANE_RULE_OFF_PORTS:
		if (is_on_ports(l))
			usual.rule = LANE_RULE_GONE;
		return usual;
	case LANE_RULE_BEHIND:
		if (l->place != PLACE_AFTER)
			usual.rank /= 2;
		return ended_ahead(l) ? none : usual;
	default:
		return usual;
	}
}

static struct lane_judgement judge(const struct lane_explain *x, const struct look *l)
{
	enum bound bound = bound_of(l->w);
	struct lane_judgement usual;

	if (bound == BOUNDS)
		return l->relation == IS_OWN && l->what == own_event(l->w->what)
			       ? (struct lane_judgement){ LANE_RULE_OWN, 100 }
			       : none;
	usual = judgements[bound][l->relation][l->what];
	if (usual.rule == LANE_RULE_SIGNALLED && l->w->is_exact)
		usual.rule = LANE_RULE_PROMPT;
	switch (bound) {
	case BOUND_START_LO:
		return is_since_it_left(l->w) ? judge_since_it_left(l) : judge_start_lo(l, usual);
	case BOUND_START_HI:
		return judge_start_hi(x, l, usual);
	case BOUND_END_LO:
		return judge_end_lo(l, usual);
	case BOUND_END_HI:
		return judge_end_hi(l, usual);
	default:
		return usual;
	}
}

/* Of what a job of drm_sched ran on. */
static struct lane_judgement judge_ring(const struct lane_wanted *w, const struct lane_event *event,
					enum relation relation, enum shows what)
{
	static const struct lane_judgement started[SHOWS] = {
		[SHOWS_EXECUTE] = { LANE_RULE_GIVEN, 90 },
		[SHOWS_SIGNAL] = { LANE_RULE_ENDED, 20 },
		[SHOWS_DONE] = { LANE_RULE_ENDED, 30 },
	};
	static const struct lane_judgement complete[SHOWS] = {
		[SHOWS_EXECUTE] = { LANE_RULE_BEGAN, 80 },
		[SHOWS_SIGNAL] = { LANE_RULE_SIGNALLED, 30 },
		[SHOWS_DONE] = { LANE_RULE_DONE, 90 },
	};
	bool is_end = w->what == LANE_MOMENT_COMPLETE;

	if (relation == IS_OWN)
		return (is_end ? complete : started)[what];
	if (what == SHOWS_IRQ)
		return is_end && w->is_upper ? (struct lane_judgement){ LANE_RULE_DRIVER_IRQ, 60 }
		       : !is_end	     ? (struct lane_judgement){ LANE_RULE_RING_FREE, 60 }
					     : (struct lane_judgement){ LANE_RULE_BEGAN, 30 };
	if (what != SHOWS_SIGNAL)
		return (struct lane_judgement){ LANE_RULE_NONE, 0 };
	if (is_end)
		return w->is_upper ? (struct lane_judgement){ LANE_RULE_RING_SIGNAL, 70 }
				   : (struct lane_judgement){ LANE_RULE_BEGAN, 40 };
	/* Its own fence, or that of the job before it */
	return w->is_upper && !w->is_exact && event->wire.ts_ns == w->of->request.end.hi
		       ? (struct lane_judgement){ LANE_RULE_ENDED, 40 }
		       : (struct lane_judgement){ LANE_RULE_RING_FREE, 70 };
}

/* The same of a time of a job of drm_sched. */
static struct lane_judgement judge_job(const struct lane_wanted *w, const struct lane_event *event,
				       enum relation relation, enum shows what)
{
	const struct lane_request *rq = &w->of->request;

	if (bound_of(w) != BOUNDS)
		return judge_ring(w, event, relation, what);
	if (relation == IS_OWN && what == own_event(w->what))
		return (struct lane_judgement){ LANE_RULE_OWN, 100 };
	if (w->what != LANE_MOMENT_SUBMITTED)
		return (struct lane_judgement){ LANE_RULE_NONE, 0 };
	/* It was free when it was queued, or by the signal of what it waited for. */
	if (relation == IS_OWN && what == SHOWS_ADD && !rq->waited_ctx)
		return (struct lane_judgement){ LANE_RULE_OWN, 100 };
	if (what == SHOWS_SIGNAL && rq->waited_ctx)
		return (struct lane_judgement){ LANE_RULE_FULFILLED,
						event->u.fence.context == rq->waited_ctx ? 90
											 : 80 };
	return (struct lane_judgement){ LANE_RULE_NONE, 0 };
}

struct lane_judgement latency_explain_judge(const struct lane_explain *x,
					    const struct lane_wanted *w,
					    const struct lane_event *event)
{
	struct look l = look_of(w, event);

	return w->of->context.is_drm ? judge_job(w, event, l.relation, l.what) : judge(x, &l);
}

/* A look at what was complete, or silence: of the end of a request, its own or that of one before
 * it. */
static struct lane_judgement judge_end_back(const struct look *l, enum lane_rule rule)
{
	if (l->relation == IS_OWN)
		return (struct lane_judgement){ rule, 60 };
	if (is_loss(l, false))
		return none;
	if (!had_begun(l))
		return (struct lane_judgement){ LANE_RULE_BEGAN,
						l->place == PLACE_DIRECT ? 18 : 15 };
	/* A dequeue looks at the ports as it begins. */
	if (rule == LANE_RULE_LOOKED && is_of_dequeue(l))
		return (struct lane_judgement){ rule, 58 };
	/* Its end is told by that of one behind it. */
	if (rule == LANE_RULE_UNHEARD && shows_end(l) && (is_later(l) || l->place == PLACE_AFTER))
		return (struct lane_judgement){ rule, 40 };
	return (struct lane_judgement){ LANE_RULE_BEGAN, 1 };
}

struct lane_judgement latency_explain_judge_back(const struct lane_wanted *w,
						 const struct lane_event *event,
						 enum lane_rule rule)
{
	struct look l = look_of(w, event);

	if (w->of->context.is_drm)
		return none;
	if (w->what == LANE_MOMENT_COMPLETE && !w->is_upper)
		return judge_end_back(&l, rule);
	if (bound_of(w) != BOUND_START_LO || is_since_it_left(w))
		return none;
	switch (l.place) {
	case PLACE_DIRECT:
		return (struct lane_judgement){ LANE_RULE_AHEAD, 30 };
	case PLACE_EARLIER:
	case PLACE_FURTHER:
		return (struct lane_judgement){ LANE_RULE_AHEAD, 28 };
	default:
		return (struct lane_judgement){ LANE_RULE_AHEAD, 12 };
	}
}

struct lane_judgement latency_explain_judge_ahead(const struct lane_wanted *w,
						  const struct lane_event *event)
{
	if (w->of->context.is_drm || bound_of(w) != BOUND_START_HI || w->is_exact ||
	    relation_of(w->of, event) == IS_OTHER)
		return none;
	return (struct lane_judgement){ LANE_RULE_GOES_ON, 11 };
}

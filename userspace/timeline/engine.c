// SPDX-License-Identifier: MIT
// An engine: its ports, what runs on it, when one request makes way for another (docs/analysis.md).
#include "timeline/internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FIFO (1u << 20)

static bool seqno_upto(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

static struct lane_entry *entry_at(const struct lane_eng *eng, uint32_t i)
{
	return &eng->fifo[(eng->fifo_head + i) & (eng->fifo_cap - 1)];
}

static bool unproven(const struct lane_eng *eng)
{
	return eng->proven_epoch != eng->epoch;
}

/*
 * Nothing hidden is ahead of what has been seen. After a loss what was taken back meanwhile may be
 * about to come again: only an engine that has been empty since is certain.
 */
static void prove(struct lane_eng *eng, bool nothing_ahead)
{
	if (nothing_ahead)
		eng->fresh_epoch = eng->epoch;
	if (eng->fresh_epoch == eng->epoch && (eng->epoch == 1 || !eng->dev_first))
		eng->proven_epoch = eng->epoch;
}

static bool has_ports(const struct lane_eng *eng)
{
	return eng->mode == LANE_MODE_PORTS || eng->mode == LANE_MODE_PER_REQUEST;
}

/* Nothing of the time before rq was handed over is in doubt. */
static bool is_fresh(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return (rq->pub.seen & LANE_SEEN_EXECUTE) && !(rq->pub.doubt & LANE_DOUBT_EXECUTE) &&
	       rq->pub.execute_ns >= eng->doubt_until;
}

static void push(struct lane_timeline *tl, struct lane_eng *eng, struct lane_entry entry)
{
	if (eng->fifo_n == eng->fifo_cap) {
		uint32_t cap = eng->fifo_cap ? 2 * eng->fifo_cap : 16;
		struct lane_entry *bigger = cap <= MAX_FIFO ? malloc(cap * sizeof(*bigger)) : NULL;

		if (!bigger) {
			tl->no_memory = true;
			return;
		}
		for (uint32_t i = 0; i < eng->fifo_n; i++)
			bigger[i] = *entry_at(eng, i);
		free(eng->fifo);
		eng->fifo = bigger;
		eng->fifo_cap = cap;
		eng->fifo_head = 0;
	}
	*entry_at(eng, eng->fifo_n++) = entry;
}

static void pop(struct lane_eng *eng)
{
	eng->fifo_head++;
	eng->fifo_n--;
}

static void remove_at(struct lane_eng *eng, uint32_t i)
{
	for (; i + 1 < eng->fifo_n; i++)
		*entry_at(eng, i) = *entry_at(eng, i + 1);
	eng->fifo_n--;
}

/* The request of an entry that is next, or NULL: the first of its context that has not ended. */
static struct lane_rq *next_of(const struct lane_eng *eng, const struct lane_entry *entry)
{
	struct lane_rq *rq = entry->ctx->live;

	/* Without ports an entry is one request. */
	while (!has_ports(eng) && rq && rq->pub.seqno != entry->seqno)
		rq = rq->next;
	if (entry->skip || !rq || rq->ended || !rq->on_device || rq->pub.engine != &eng->pub ||
	    !seqno_upto(rq->pub.seqno, entry->seqno))
		return NULL;
	return rq;
}

/*
 * What is next by the driver's order, with its entry; NULL when nothing is. A set that was written
 * after all had been taken back has replaced those before it, whether the hardware has it already
 * or not.
 */
static struct lane_rq *candidate(const struct lane_eng *eng, struct lane_entry **entry)
{
	for (uint32_t i = 0; i < eng->fifo_n; i++) {
		struct lane_rq *rq = next_of(eng, entry_at(eng, i));

		if (rq && (eng->mode != LANE_MODE_PORTS || entry_at(eng, i)->set >= eng->newest)) {
			*entry = entry_at(eng, i);
			return rq;
		}
	}
	return NULL;
}

/* The entry that stands for rq, the latest of several, or NULL. */
static struct lane_entry *entry_of(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = eng->fifo_n; i--;) {
		struct lane_entry *entry = entry_at(eng, i);

		if (&entry->ctx->pub == rq->pub.context && !entry->skip &&
		    (has_ports(eng) ? seqno_upto(rq->pub.seqno, entry->seqno)
				    : rq->pub.seqno == entry->seqno))
			return entry;
	}
	return NULL;
}

static void contradiction(struct lane_timeline *tl, struct lane_eng *eng)
{
	tl->figures.contradictions++;
	lane_eng_doubt(tl, eng, tl->now_ns, tl->now_ns);
}

/* rq was taken off its engine, and has been seen alive after that. */
static void tell_preemption(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_preemption preemption = {
		.engine = &rq->taken_from->pub,
		.victim = &rq->pub,
		.culprit = rq->culprit ? &rq->culprit->pub : NULL,
		.culprit_seqno = rq->culprit_seqno,
		.at = rq->left,
		.lasted = rq->away,
		.timeslice = rq->timeslice,
	};

	rq->untold = false;
	if (tl->hooks.preemption && !(rq->pub.doubt & LANE_DOUBT_DEVICE))
		tl->hooks.preemption(tl->hooks.arg, &preemption);
}

/* It is back on the engine, or over. */
static void away_until(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span until)
{
	rq->left = rq->since;
	rq->away = lane_span_between(rq->since, until);
	rq->untold = true;
	lane_span_add(&rq->pub.preempted, rq->away);
	if (rq->alive.at_ns > rq->left.hi || rq->left_alive)
		tell_preemption(tl, rq);
}

void lane_eng_seems_alive(struct lane_rq *rq, uint64_t at_ns)
{
	uint64_t more = at_ns > rq->since.hi ? at_ns - rq->since.hi : 0;

	rq->alive_before = rq->alive;
	rq->alive.at_ns = at_ns;
	rq->alive.running = rq->pub.running.lo;
	rq->alive.preempted = rq->pub.preempted.lo;
	if (rq->pub.state == LANE_RQ_STATE_RUNNING)
		rq->alive.running += more;
	else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
		rq->alive.preempted += more;
}

void lane_eng_alive(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns)
{
	lane_eng_seems_alive(rq, at_ns);
	if (rq->untold && at_ns > rq->left.hi)
		tell_preemption(tl, rq);
}

/* What ran is off the engine, incomplete, at a time in `at`; the next to start is the culprit. */
static void taken_off(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      struct lane_span at)
{
	rq->since = at;
	rq->left_alive = rq->listen_ns && !rq->taken_back && !rq->hit;
	rq->left_told = false;
	rq->left_set = 0;
	if (rq->left_alive) /* its end would have been heard */
		lane_eng_alive(tl, rq, at.hi);
	rq->pub.preemptions++;
	rq->taken_from = eng;
	rq->culprit = NULL;
	lane_rq_state(tl, rq, LANE_RQ_STATE_PREEMPTED, at.lo);
	lane_queue_changes(tl, &eng->pub, LANE_QUEUE_HOST, rq, 1, at.lo);
	eng->victim = rq;
}

static void blame(struct lane_eng *eng, const struct lane_rq *culprit)
{
	struct lane_rq *victim = eng->victim;

	eng->victim = NULL;
	if (victim == culprit)
		return;
	victim->culprit = (struct lane_ctx *)culprit->pub.context;
	victim->culprit_seqno = culprit->pub.seqno;
	victim->timeslice = victim->pub.prio == culprit->pub.prio && victim->pub.prio != INT32_MIN;
}

/* What is known within bounds does not leave a queue before it was in it. */
static uint64_t not_before(uint64_t ns, uint64_t earliest)
{
	return ns > earliest ? ns : earliest;
}

/* rq starts, or starts again, at a time in `at`. */
static void run_begin(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      struct lane_span at)
{
	bool sure_order = !unproven(eng);

	at.lo = not_before(at.lo, rq->pub.execute_ns);
	at.hi = not_before(at.hi, at.lo);
	if (!sure_order && !has_ports(eng))
		at.hi = LANE_NEVER; /* something unseen may have run before it */
	if (eng->idle)
		lane_idle_end(tl, eng, rq, at.lo, !sure_order);
	if (rq->maybe_ran || (tl->ports_hide && has_ports(eng)))
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (!rq->pub.started) {
		rq->pub.started = true;
		rq->pub.start = at;
		if (rq->pub.execute_ns < eng->last_end_hi && eng->last_ctx)
			rq->pub.behind = &eng->last_ctx->pub;
		lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, at.lo);
	} else if (rq->taken_from) {
		away_until(tl, rq, at);
		lane_queue_changes(tl, &rq->taken_from->pub, LANE_QUEUE_HOST, rq, -1, at.lo);
	} else {
		/* It starts again and was never seen to leave: what would tell is missing. */
		contradiction(tl, eng);
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	}
	if (!sure_order && has_ports(eng))
		rq->run_epoch = eng->epoch;
	if (!sure_order && eng->epoch > 1)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	rq->since = at;
	eng->running = rq;
	lane_rq_state(tl, rq, LANE_RQ_STATE_RUNNING, at.lo);
	rq->run_ns = at.lo;
	if (eng->victim)
		blame(eng, rq);
}

/* What runs stops, at a time in *at, which is made consistent with its start. */
static void run_close(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span *at)
{
	struct lane_rq *rq = eng->running;
	struct lane_run run = { .engine = &eng->pub, .request = &rq->pub };

	if (at->hi < rq->since.lo)
		at->hi = rq->since.lo;
	if (at->lo < rq->since.lo)
		at->lo = rq->since.lo;
	if (rq->since.hi > at->hi)
		rq->since.hi = at->hi;
	if (rq->pub.start.hi > at->hi)
		rq->pub.start.hi = at->hi;
	lane_span_add(&rq->pub.running, lane_span_between(rq->since, *at));
	run.begin = rq->since;
	run.end = *at;
	run.doubtful = rq->run_epoch > eng->proven_epoch || (rq->pub.doubt & LANE_DOUBT_DEVICE);
	eng->running = NULL;
	eng->last_ctx = (struct lane_ctx *)rq->pub.context;
	eng->last_end_hi = at->hi;
	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
}

/* The engine is free from a time in `at` on: what is next starts, or it is idle. */
static void update(struct lane_timeline *tl, struct lane_eng *eng, struct lane_span at)
{
	struct lane_entry *entry;
	struct lane_rq *next;
	struct lane_span in;

	if (eng->deferring) {
		if (!eng->freed)
			eng->freed_at = at;
		eng->freed = true;
		return;
	}
	if (!has_ports(eng))
		while (eng->fifo_n && !next_of(eng, entry_at(eng, 0)))
			pop(eng);
	next = candidate(eng, &entry);
	if (!next) {
		if (!eng->idle && !unproven(eng))
			lane_idle_begin(tl, eng, at.hi);
		return;
	}
	in = entry->in;
	if (next->in_ns < in.lo) /* it was on an earlier set's port already */
		in = lane_span_exact(next->in_ns);
	if (in.lo > at.lo)
		at.lo = in.lo;
	if (in.hi > at.hi)
		at.hi = in.hi;
	/* The hardware went on with the old set: for what runs now, and no longer. What ends with
	 * the same tasklet's `out`s had ended before that dequeue. */
	if (entry->set < eng->rewrote && !eng->passing &&
	    (next->taken_back || next->execute_set >= eng->rewrote))
		eng->newest = eng->rewrote;
	run_begin(tl, eng, next, at);
}

static void end_request(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end,
			bool in_outs);

/* The story of rq with the hardware is over. */
static void finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;

	if (rq->on_device) {
		if (rq->pub.state == LANE_RQ_STATE_DEVICE)
			lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1,
					   not_before(end.lo, rq->pub.execute_ns));
		else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
			lane_queue_changes(tl, &rq->taken_from->pub, LANE_QUEUE_HOST, rq, -1,
					   not_before(end.lo, rq->since.lo));
		lane_rq_unlink(rq);
	} else if (rq->pub.state == LANE_RQ_STATE_HOST) {
		lane_queue_changes(tl, rq->pub.host_engine, LANE_QUEUE_HOST, rq, -1,
				   not_before(end.lo, rq->pub.submit_ns));
	}
	if (rq->taken_from && rq->taken_from->victim == rq)
		rq->taken_from->victim = NULL;
	rq->ended = true;
	rq->pub.end = end;
	if (eng && unproven(eng))
		prove(eng, false);
	if (ctx->live == rq)
		ctx->prev_end_lo = end.lo;
	while (ctx->live && (ctx->live->ended || ctx->live->detached))
		ctx->live = ctx->live->next;
	lane_rq_state(tl, rq, LANE_RQ_STATE_ENDED, end.hi);
}

/* What is concluded from what has not been seen does not hold: something is, or may be, missing. */
static bool shaky(const struct lane_timeline *tl, const struct lane_eng *eng,
		  const struct lane_rq *rq)
{
	bool told = eng->mode == LANE_MODE_PER_REQUEST ||
		    (eng->mode == LANE_MODE_PORTS &&
		     tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED);

	return (unproven(eng) && eng->epoch > 1) || rq->hit ||
	       (told && (rq->pub.doubt & LANE_DOUBT_DEVICE));
}

/* rq is out of the way, ended or not: its own events will tell. */
static void detach(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_span at = lane_span_exact(tl->now_ns);

	if (eng->running == rq)
		run_close(tl, eng, &at);
	if (rq->pub.state == LANE_RQ_STATE_DEVICE)
		lane_queue_changes(tl, &eng->pub, LANE_QUEUE_DEVICE, rq, -1, at.lo);
	else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED)
		lane_queue_changes(tl, &rq->taken_from->pub, LANE_QUEUE_HOST, rq, -1, at.lo);
	if (rq->taken_from && rq->taken_from->victim == rq)
		rq->taken_from->victim = NULL;
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (rq->alive.at_ns < rq->doubt_ns)
		rq->doubt_ns = rq->alive.at_ns;
	lane_rq_unlink(rq);
	rq->detached = true;
	while (ctx->live && (ctx->live->ended || ctx->live->detached))
		ctx->live = ctx->live->next;
}

/* rq has ended, by what has not been seen of it. */
static void infer_end(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      struct lane_span end)
{
	if (!shaky(tl, eng, rq)) {
		end_request(tl, rq, end, eng->deferring);
		return;
	}
	detach(tl, eng, rq);
	if (!eng->running)
		update(tl, eng, end);
}

/* HOOKS: evidence has come that another has taken the engine, since switch_ns and by now. */
static void switch_over(struct lane_timeline *tl, struct lane_eng *eng, uint64_t by_ns)
{
	struct lane_rq *rq = eng->running;
	struct lane_span at = { eng->switch_ns, by_ns };

	eng->switch_ns = 0;
	run_close(tl, eng, &at);
	taken_off(tl, eng, rq, at);
	update(tl, eng, at);
}

/* Where in the FIFO the latest entry is that stands for rq, -1: nowhere. */
static int place_for(const struct lane_eng *eng, const struct lane_rq *rq)
{
	const struct lane_entry *entry = entry_of(eng, rq);

	for (uint32_t i = 0; entry && i < eng->fifo_n; i++)
		if (entry_at(eng, i) == entry)
			return (int)i;
	return -1;
}

/*
 * rq ended though another, `front`, has the engine by what has been seen. By the driver's order
 * front comes before it: then it has ended. Or it comes after it, or was taken back: then a set
 * that is not acknowledged yet (no `out` has come) has taken the engine from it meanwhile.
 */
static void pass_front(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *front,
		       const struct lane_rq *rq, struct lane_span end)
{
	const struct lane_entry *own = entry_of(eng, rq);
	int place = place_for(eng, front);
	struct lane_span at = { own->in.lo, end.hi };

	if (front->pub.context == rq->pub.context) {
		infer_end(tl, eng, front, (struct lane_span){ front->since.lo, end.hi });
	} else if (eng->switch_ns) {
		switch_over(tl, eng, end.hi);
	} else if (!has_ports(eng) ||
		   (place >= 0 && place < place_for(eng, rq) &&
		    (entry_at(eng, (uint32_t)place)->set == own->set || !front->taken_back))) {
		infer_end(tl, eng, front, (struct lane_span){ front->since.lo, end.hi });
	} else {
		eng->newest = own->set;
		run_close(tl, eng, &at);
		taken_off(tl, eng, front, at);
		update(tl, eng, at);
	}
}

/* Has rq running, so that it can end. */
static void bring_to_front(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			   struct lane_span end)
{
	for (uint32_t guard = 0; guard < MAX_FIFO && eng->running != rq; guard++) {
		if (!entry_of(eng, rq))
			return;
		if (eng->running) {
			struct lane_rq *front = eng->running;

			pass_front(tl, eng, front, rq, end);
			if (eng->running == front) { /* it comes first by any order: it cannot be */
				detach(tl, eng, front);
				if (!eng->running)
					update(tl, eng, end);
			}
			continue;
		}
		eng->deferring = false;
		update(tl, eng, eng->freed ? eng->freed_at : end);
		eng->freed = false;
		if (!eng->running)
			return;
	}
}

/* GuC: when a request starts is not to be seen, only that its context runs in order. */
static void end_in_firmware(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			    struct lane_span end)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_span start = { rq->pub.execute_ns, end.hi };
	struct lane_run run = { .engine = &eng->pub, .request = &rq->pub };

	while (ctx->live && ctx->live != rq && seqno_upto(ctx->live->pub.seqno, rq->pub.seqno) &&
	       ctx->live->on_device) {
		struct lane_span before = { ctx->live->pub.execute_ns, end.hi };

		if (before.lo < ctx->prev_end_lo)
			before.lo = ctx->prev_end_lo;
		if (before.lo > before.hi)
			before.lo = before.hi;
		end_in_firmware(tl, eng, ctx->live, before);
	}
	if (start.lo < ctx->prev_end_lo)
		start.lo = ctx->prev_end_lo;
	if (start.lo > end.hi)
		start.lo = end.hi;
	if (end.lo < start.lo)
		end.lo = start.lo;
	rq->pub.started = true;
	rq->pub.start = start;
	rq->pub.running = (struct lane_span){ 0, end.hi - start.lo };
	rq->pub.preempted = (struct lane_span){ 0, end.hi - start.lo };
	run.begin = start;
	run.end = end;
	run.doubtful = rq->pub.doubt & LANE_DOUBT_DEVICE;
	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
	finish(tl, rq, end);
	if (!eng->dev_first && !eng->idle)
		lane_idle_begin(tl, eng, end.hi);
}

/*
 * rq left the engine, incomplete as it seemed, and nothing has shown it alive since: it had ended
 * unheard before it left.
 */
static void ended_before_leaving(struct lane_rq *rq, struct lane_span *end)
{
	uint64_t lo = rq->alive.at_ns > rq->run_ns ? rq->alive.at_ns : rq->run_ns;
	uint64_t less;

	if (rq->weak)
		lo = end->lo;
	*end = (struct lane_span){ lo < rq->since.hi ? lo : rq->since.hi, rq->since.hi };
	less = end->hi - end->lo;
	rq->pub.running.lo -= less < rq->pub.running.lo ? less : rq->pub.running.lo;
	rq->pub.preemptions--;
}

/* True when what has the engine is known to be still at it. */
static bool front_is_alive(const struct lane_eng *eng, uint64_t now_ns)
{
	const struct lane_rq *front = eng->running;

	return front && ((front->listen_ns && !front->taken_back) || front->alive.at_ns >= now_ns);
}

/* When rq ran and ended is not known from at_ns on. */
static void doubt(struct lane_rq *rq, uint64_t at_ns)
{
	rq->pub.doubt |= LANE_DOUBT_DEVICE;
	if (at_ns < rq->doubt_ns)
		rq->doubt_ns = at_ns;
}

/* True when a comes before b in the driver's order. */
static bool is_ahead(const struct lane_eng *eng, const struct lane_rq *a, const struct lane_rq *b)
{
	int first = place_for(eng, a), second = place_for(eng, b);

	if (a->pub.context == b->pub.context)
		return !seqno_upto(b->pub.seqno, a->pub.seqno);
	return first < 0 || second < 0 || first < second;
}

/* Whether it ran again before it ended, or had ended before it left, nothing tells. */
static void away_or_again(struct lane_rq *rq, struct lane_span *end)
{
	uint64_t most = end->hi > rq->since.lo ? end->hi - rq->since.lo : 0;

	rq->pub.running.hi += most;
	rq->pub.preempted.hi += most;
	if (rq->alive.running < rq->pub.running.lo)
		rq->pub.running.lo = rq->alive.running;
	if (rq->alive.preempted < rq->pub.preempted.lo)
		rq->pub.preempted.lo = rq->alive.preempted;
	end->lo = rq->alive.at_ns < end->hi ? rq->alive.at_ns : end->hi;
}

/* The end of what was taken off its engine and has not been seen to run again. */
static void end_away(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		     struct lane_span end)
{
	if (rq->alive.at_ns > rq->since.hi) {
		away_until(tl, rq, end);
	} else if (end.lo == end.hi) {
		/* Either that, or all that is ahead of it has ended: nothing tells. */
		for (struct lane_rq *other = eng->dev_first; other; other = other->dev_next) {
			if (other == eng->running)
				other->over_ns = end.hi;
			else if (other->pub.state == LANE_RQ_STATE_DEVICE &&
				 is_ahead(eng, other, rq))
				doubt(other, other->pub.execute_ns);
		}
		away_or_again(rq, &end);
	} else if (!rq->left_alive && !shaky(tl, eng, rq) &&
		   (front_is_alive(eng, end.hi) || rq->taken_back)) {
		ended_before_leaving(rq, &end);
	} else if (shaky(tl, eng, rq)) {
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
		if (!rq->weak)
			end.lo = rq->alive.at_ns;
	} else {
		away_or_again(rq, &end);
	}
	finish(tl, rq, end);
}

/*
 * It ran again, by the order, and ended; or it had ended, unheard, before it left: nothing tells.
 * The bounds take in both.
 */
static void or_ended_before_leaving(struct lane_rq *rq, struct lane_span *end)
{
	if (rq->alive.running < rq->pub.running.lo)
		rq->pub.running.lo = rq->alive.running;
	if (rq->alive.preempted < rq->pub.preempted.lo)
		rq->pub.preempted.lo = rq->alive.preempted;
	if (rq->alive.at_ns < end->lo)
		end->lo = rq->alive.at_ns;
}

/* Since when it ran is not certain: only signs of its own say that it had not ended. */
static bool start_is_shaky(const struct lane_eng *eng, const struct lane_rq *rq)
{
	return rq->run_epoch > eng->proven_epoch || (rq->pub.doubt & LANE_DOUBT_DEVICE);
}

/* What runs ends, and the engine is free for the next. */
static void end_running(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			struct lane_span end)
{
	struct lane_span told = end;

	if (end.lo == end.hi && end.lo < rq->since.lo)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	run_close(tl, eng, &told);
	if (rq->weak)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
	else if (!start_is_shaky(eng, rq))
		end = told;
	else if (end.lo != end.hi && rq->alive.at_ns < end.lo)
		end.lo = rq->alive.at_ns;
	if (rq->over_ns && rq->alive.at_ns <= rq->over_ns) {
		or_ended_before_leaving(rq, &end);
		told.lo = rq->since.lo;
	}
	if (rq->untold && rq->alive.at_ns > rq->left.hi)
		tell_preemption(tl, rq);
	else if (rq->untold)
		or_ended_before_leaving(rq, &end);
	eng->switch_ns = 0;
	eng->take_ns = 0;
	finish(tl, rq, end);
	if (unproven(eng) && !has_ports(eng) && (rq->pub.seen & LANE_SEEN_EXECUTE) &&
	    rq->pub.execute_ns >= eng->doubt_until)
		prove(eng, true);
	update(tl, eng,
	       (struct lane_span){ rq->since.lo > told.lo ? rq->since.lo : told.lo, told.hi });
}

/*
 * What would have shown an earlier end may be among what was lost since rq was last seen alive.
 * That somebody began to listen is no sign of life if the signal that came at once may be lost.
 */
static void weaken(const struct lane_timeline *tl, struct lane_rq *rq, struct lane_span *end)
{
	const struct lane_alive *alive = &rq->alive;

	if (alive->at_ns == rq->listen_ns && !(rq->pub.seen & LANE_SEEN_SIGNAL))
		alive = &rq->alive_before;
	if (alive->at_ns <= end->lo &&
	    (tl->ends_hide || lane_loss_between(tl, alive->at_ns, end->hi))) {
		end->lo = alive->at_ns;
		rq->weak = true;
	}
}

/* A context runs in order: what is before rq is over. */
static void end_before(struct lane_timeline *tl, struct lane_rq *rq, uint64_t by_ns)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	struct lane_rq *before;

	while ((before = ctx->live) && before != rq && seqno_upto(before->pub.seqno, rq->pub.seqno))
		end_request(tl, before, (struct lane_span){ before->pub.execute_ns, by_ns }, false);
}

static void end_request(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end,
			bool in_outs)
{
	struct lane_eng *eng = (struct lane_eng *)rq->pub.engine;
	bool alive_away = rq->alive.at_ns > rq->since.hi ||
			  (rq->left_told && rq->pub.state == LANE_RQ_STATE_PREEMPTED);
	bool exact;

	if (rq->ended)
		return;
	if (tl->n_losses || tl->ends_hide)
		weaken(tl, rq, &end);
	exact = end.lo == end.hi;
	if (exact && (alive_away || rq->pub.state != LANE_RQ_STATE_PREEMPTED) && !rq->taken_back &&
	    rq->listen_ns && !(rq->over_ns && rq->alive.at_ns <= rq->over_ns))
		lane_eng_alive(tl, rq, end.hi);
	if (!rq->weak && end.lo < rq->alive.at_ns && rq->alive.at_ns <= end.hi)
		end.lo = rq->alive.at_ns;
	if (rq->maybe_ran && !exact && rq->alive.at_ns < end.lo)
		end.lo = rq->alive.at_ns;
	/* An `out` that would have come before may be among what was lost. */
	if (rq->doubt_ns < end.lo)
		end.lo = rq->doubt_ns;
	if (!rq->on_device || !eng) {
		end_before(tl, rq, end.hi);
		finish(tl, rq, end);
		return;
	}
	if (eng->mode == LANE_MODE_GUC) {
		end_in_firmware(tl, eng, rq, end);
		return;
	}
	if (eng->mode == LANE_MODE_UNKNOWN) {
		eng->mode = LANE_MODE_RING;
		update(tl, eng, (struct lane_span){ 0, 0 });
	}
	if (eng->unsettled || (eng->freed && !in_outs))
		lane_eng_settle(tl, eng, end.hi);
	if (eng->running != rq && (rq->pub.state != LANE_RQ_STATE_PREEMPTED || alive_away))
		bring_to_front(tl, eng, rq, end);
	if (eng->running == rq) {
		end_running(tl, eng, rq, end);
	} else if (rq->pub.state == LANE_RQ_STATE_PREEMPTED) {
		end_away(tl, eng, rq, end);
	} else {
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
		finish(tl, rq, end);
	}
}

/* The CPU is in the engine's dequeue, with interrupts off. */
static void enter_section(struct lane_timeline *tl, struct lane_eng *eng, int32_t number)
{
	struct lane_cpu *cpu = lane_cpu_get(tl, number);

	if (eng->deferring && eng->section_cpu != number)
		lane_eng_settle(tl, eng, tl->now_ns);
	eng->section_cpu = number;
	if (cpu)
		cpu->section = eng;
}

void lane_eng_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end)
{
	end_request(tl, rq, end, false);
}

void lane_eng_execute(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		      const struct lane_event *event)
{
	struct lane_entry entry = { .ctx = (struct lane_ctx *)rq->pub.context,
				    .seqno = rq->pub.seqno,
				    .in = lane_span_exact(event->wire.ts_ns),
				    .fresh = is_fresh(eng, rq) };
	bool again = rq->on_device;

	if (eng->mode == LANE_MODE_UNKNOWN && !tl->has_in)
		eng->mode = tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED
				    ? LANE_MODE_HOOKS
				    : LANE_MODE_RING;
	if (eng->mode == LANE_MODE_UNKNOWN && tl->figures.by_kind[LANE_RQ_GUC_SUBMIT])
		eng->mode = LANE_MODE_GUC;
	if (again && rq->pub.engine != &eng->pub && rq->pub.state == LANE_RQ_STATE_RUNNING)
		contradiction(tl, (struct lane_eng *)rq->pub.engine);
	if (eng->mode == LANE_MODE_GUC && eng->idle)
		lane_idle_end(tl, eng, rq, event->wire.ts_ns, unproven(eng));
	lane_rq_executed(tl, rq, eng, event->wire.ts_ns);
	rq->execute_set = eng->mode == LANE_MODE_PER_REQUEST ? eng->set : eng->set + 1;
	enter_section(tl, eng, event->cpu);
	if (has_ports(eng) || eng->mode == LANE_MODE_GUC)
		return;
	if (again && !eng->unwind_ns && entry_of(eng, rq))
		return;
	entry.set = eng->set;
	if (eng->mode == LANE_MODE_HOOKS) {
		entry.in.hi = LANE_NEVER;
		eng->unsettled = true;
	}
	push(tl, eng, entry);
	if (eng->mode == LANE_MODE_RING && !eng->running)
		update(tl, eng, entry.in);
}

/* True when rq is the last request of its port: its end shows by its own `out`. */
static bool is_ports_last(const struct lane_eng *eng, const struct lane_rq *rq)
{
	const struct lane_entry *entry = has_ports(eng) ? entry_of(eng, rq) : NULL;

	return entry && entry->seqno == rq->pub.seqno;
}

/* HOOKS: what was taken back is no longer in the driver's order. */
static void remove_taken(struct lane_eng *eng, uint64_t began_ns)
{
	for (uint32_t i = eng->fifo_n; i--;) {
		const struct lane_entry *entry = entry_at(eng, i);
		const struct lane_rq *rq = entry->ctx->live;

		if (entry->set == eng->set)
			continue;
		while (rq && rq->pub.seqno != entry->seqno)
			rq = rq->next;
		if (rq && rq->take_ns >= began_ns)
			remove_at(eng, i);
	}
}

/*
 * The driver dequeues only when the last set is acknowledged: if the `out`s of an older one have
 * not come, they come with this tasklet, and what is taken back now is of the last set.
 */
static bool leaves_already(struct lane_eng *eng)
{
	if (eng->mode != LANE_MODE_PORTS || !eng->fifo_n || entry_at(eng, 0)->set == eng->set)
		return false;
	eng->newest = eng->set;
	return true;
}

/*
 * The driver has taken back all that was incomplete (__unwind_incomplete_requests) and hands
 * requests over again: what it has not taken back was complete. A port's last request has its `out`
 * to come.
 */
static void unwound(struct lane_timeline *tl, struct lane_eng *eng)
{
	struct lane_rq *rq, *next;
	uint64_t began_ns = eng->unwind_ns;
	uint32_t guard = 0;

	eng->unwind_ns = 0;
	eng->unwound = true;
	while (eng->running && eng->running->take_ns < began_ns && !eng->running->taken_back &&
	       !is_ports_last(eng, eng->running) && guard++ < MAX_FIFO) {
		if (eng->running->listen_ns) { /* its signal is under way, or its port's `out` */
			eng->running->complete_ns = tl->now_ns;
			break;
		}
		infer_end(tl, eng, eng->running,
			  (struct lane_span){ eng->running->since.lo, tl->now_ns });
	}
	if (!has_ports(eng)) {
		remove_taken(eng, began_ns);
		if (eng->running && eng->running->take_ns >= began_ns)
			eng->take_ns = eng->running->take_ns;
	}
	/* Had it been complete, the hardware would go on with the old set. */
	eng->rewritten = eng->running && eng->running->taken_back &&
			 eng->running->take_ns >= began_ns && !leaves_already(eng);
	for (rq = eng->dev_first; rq; rq = next) {
		next = rq->dev_next;
		if (rq->taken_back || rq->take_ns >= began_ns ||
		    rq->pub.state != LANE_RQ_STATE_PREEMPTED)
			continue;
		infer_end(tl, eng, rq, (struct lane_span){ rq->pub.execute_ns, tl->now_ns });
		if (next && !next->on_device)
			break; /* others have ended with it */
	}
}

/*
 * Where taking back is not recorded, that a request is handed over again shows that there was one,
 * not what else was taken back: who runs when is not known of what the engine has now.
 */
static void doubt_order(struct lane_eng *eng)
{
	for (struct lane_rq *rq = eng->dev_first; rq; rq = rq->dev_next)
		rq->pub.doubt |= LANE_DOUBT_DEVICE;
}

/* True when `before` should have been handed over again before rq, had it not ended. */
static bool passed_over(const struct lane_rq *before, const struct lane_rq *rq)
{
	if (before->taken_back)
		return true;
	if (rq->on_device && before->execute_ns < rq->execute_ns)
		return true;
	if (before->pub.state != LANE_RQ_STATE_PREEMPTED)
		return false;
	return before->left_set ? before->execute_set <= before->left_set
				: before->execute_ns <= before->run_ns;
}

void lane_eng_unheard(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	bool taking_back_is_seen = tl->info.presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED;
	uint64_t left_ns = tl->now_ns;
	struct lane_rq *before, *next;

	if (eng->unwind_ns && eng->mode != LANE_MODE_HOOKS)
		unwound(tl, eng);
	if (rq->next && rq->on_device)
		rq->next->maybe_ran = false; /* rq was not complete, so it did not run */
	if (!taking_back_is_seen && rq->on_device) {
		const struct lane_entry *entry = entry_of(eng, rq);

		eng->rewritten |= rq == eng->running && !leaves_already(eng);
		eng->unwound |= entry && entry->set >= eng->newest;
		if (eng->mode == LANE_MODE_PORTS)
			doubt_order(eng);
	}
	for (before = ctx->live; before && before != rq; before = next) {
		next = before->next;
		if (!before->on_device || before->pub.engine != &eng->pub ||
		    !passed_over(before, rq))
			continue;
		if (before->listen_ns && !before->taken_back)
			continue; /* its signal is under way */
		if (!taking_back_is_seen && eng->mode == LANE_MODE_PORTS && !rq->on_device)
			continue; /* nothing shows that anything was taken back */
		/* It may have ended long ago: then this one ran, and who was preempted is not
		 * known. */
		if (!taking_back_is_seen)
			rq->pub.doubt |= LANE_DOUBT_DEVICE;
		if (eng->running == before) {
			before->unheard = true;
			continue;
		}
		if (before->pub.state == LANE_RQ_STATE_PREEMPTED)
			left_ns = before->since.hi;
		if (!before->pub.started)
			before->pub.doubt |= LANE_DOUBT_DEVICE;
		infer_end(tl, eng, before, (struct lane_span){ before->pub.execute_ns, left_ns });
	}
}

void lane_eng_unsubmit(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		       const struct lane_event *event)
{
	enter_section(tl, eng, event->cpu);
	(void)rq;
	if (!eng->unwind_ns) {
		eng->unwind_ns = event->wire.ts_ns;
		if (eng->mode == LANE_MODE_HOOKS)
			eng->set++; /* what is handed over from here on stands in a new order */
	}
	if (has_ports(eng) || eng->mode == LANE_MODE_GUC)
		return;
	if (eng->mode == LANE_MODE_HOOKS)
		eng->unsettled = true;
}

void lane_eng_settle(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns)
{
	struct lane_entry *entry;
	struct lane_rq *next;

	if (eng->section_cpu >= 0 && (uint32_t)eng->section_cpu < tl->n_cpus)
		tl->cpus[eng->section_cpu].section = NULL;
	eng->rewritten = eng->unwound = false;
	eng->deferring = false;
	if (eng->freed) {
		eng->freed = false;
		update(tl, eng, eng->freed_at);
	}
	if (!eng->unsettled)
		return;
	eng->unsettled = false;
	for (uint32_t i = eng->fifo_n; i-- && entry_at(eng, i)->in.hi == LANE_NEVER;)
		entry_at(eng, i)->in.hi = now_ns;
	if (eng->unwind_ns)
		unwound(tl, eng);
	if (!eng->running) {
		update(tl, eng, (struct lane_span){ 0, 0 });
		return;
	}
	next = candidate(eng, &entry);
	if (next == eng->running)
		eng->take_ns = eng->switch_ns = 0;
	else if (next && eng->take_ns && !eng->switch_ns)
		eng->switch_ns = eng->take_ns;
}

/* An `in` of rq puts all that is handed over of its context, up to it, on the port. */
static void put_on_port(struct lane_rq *rq, uint64_t now_ns)
{
	for (; rq && rq->in_ns == LANE_NEVER && !rq->ended; rq = rq->prev)
		rq->in_ns = now_ns;
}

/* The set that a context was in has been replaced: only a later `in` counts for it now. */
static void take_off_port(const struct lane_eng *eng, struct lane_ctx *ctx)
{
	for (struct lane_rq *rq = ctx->live; rq; rq = rq->next) {
		const struct lane_entry *entry = entry_of(eng, rq);

		rq->in_ns = entry ? entry->in.lo : LANE_NEVER;
	}
}

/* What was taken for a ring has ports: nothing has run by that reading yet. */
static void becomes_ported(struct lane_timeline *tl, struct lane_eng *eng)
{
	eng->mode = tl->figures.by_kind[LANE_RQ_GUC_SUBMIT] ? LANE_MODE_GUC : LANE_MODE_PORTS;
	eng->fifo_n = 0;
	if (eng->running)
		contradiction(tl, eng);
}

static void in_of_set(struct lane_timeline *tl, struct lane_eng *eng,
		      const struct lane_entry *entry, uint32_t port)
{
	if (port >= sizeof(eng->building) / sizeof(eng->building[0]) ||
	    (eng->building_port >= 0 && port != (uint32_t)eng->building_port - 1)) {
		eng->building_port = -1;
		contradiction(tl, eng);
		if (port >= sizeof(eng->building) / sizeof(eng->building[0]))
			return;
	}
	if (eng->building_port < 0)
		eng->set++;
	eng->building[port] = *entry;
	eng->building[port].set = eng->set;
	eng->building_port = (int)port;
	if (port)
		return;
	if (eng->rewritten)
		eng->newest = eng->set;
	if (eng->unwound)
		eng->rewrote = eng->set;
	eng->rewritten = eng->unwound = false;
	for (uint32_t i = 0; i < sizeof(eng->building) / sizeof(eng->building[0]) &&
			     eng->building[i].set == eng->set && eng->building[i].ctx;
	     i++)
		push(tl, eng, eng->building[i]);
	memset(eng->building, 0, sizeof(eng->building));
	eng->building_port = -1;
}

void lane_eng_in(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		 const struct lane_event *event)
{
	struct lane_entry entry = { .ctx = (struct lane_ctx *)rq->pub.context,
				    .seqno = rq->pub.seqno,
				    .in = lane_span_exact(event->wire.ts_ns),
				    .fresh = is_fresh(eng, rq) };
	struct lane_entry *tail;

	if (eng->mode == LANE_MODE_UNKNOWN || eng->mode == LANE_MODE_RING ||
	    eng->mode == LANE_MODE_HOOKS)
		becomes_ported(tl, eng);
	lane_rq_executed(tl, rq, eng, event->wire.ts_ns);
	if (eng->mode == LANE_MODE_GUC)
		return;
	put_on_port(rq, event->wire.ts_ns);
	if (eng->mode == LANE_MODE_PORTS) {
		in_of_set(tl, eng, &entry, event->u.i915_request_in.port);
	} else {
		tail = eng->fifo_n ? entry_at(eng, eng->fifo_n - 1) : NULL;
		entry.set = eng->set;
		if (tail && tail->ctx == entry.ctx && tail->set == entry.set)
			tail->seqno = entry.seqno;
		else
			push(tl, eng, entry);
	}
	if (!eng->running && eng->building_port < 0)
		update(tl, eng, lane_span_exact(event->wire.ts_ns));
}

/* Where taking back is not seen: rq ran, or it had ended unheard and one behind it ran. */
static void others_may_have_run(const struct lane_rq *rq, uint32_t last)
{
	for (; rq && !rq->listen_ns; rq = rq->next)
		if (rq->next && seqno_upto(rq->next->pub.seqno, last) && !rq->next->pub.started)
			rq->next->maybe_ran = true;
}

/*
 * The head of the FIFO gives the engine back incomplete: the rest of its set is replaced with it,
 * and what runs goes on only if the next set has the same context on port 0.
 */
static void replaced(struct lane_timeline *tl, struct lane_eng *eng, const struct lane_entry *old,
		     uint64_t now_ns)
{
	struct lane_span at = lane_span_exact(now_ns);
	struct lane_rq *rq = eng->running;
	uint32_t i = 0;

	while (i < eng->fifo_n && entry_at(eng, i)->set == old->set)
		entry_at(eng, i++)->skip = true;
	if (eng->mode == LANE_MODE_PER_REQUEST)
		eng->set++;
	if (!rq || rq->pub.context != &old->ctx->pub || !seqno_upto(rq->pub.seqno, old->seqno))
		return;
	if (rq->unheard) {
		infer_end(
			tl, eng, rq,
			(struct lane_span){ rq->take_ns > rq->since.lo ? rq->take_ns : rq->since.lo,
					    now_ns });
		return;
	}
	while (i < eng->fifo_n && !next_of(eng, entry_at(eng, i)))
		i++; /* over already */
	if (i < eng->fifo_n && entry_at(eng, i)->ctx == old->ctx)
		return;
	run_close(tl, eng, &at);
	taken_off(tl, eng, rq, at);
	rq->left_set = old->set;
	if (tl->info.presence[LANE_RQ_UNSUBMIT] != LANE_PRESENCE_RECORDED)
		others_may_have_run(rq, old->seqno);
	take_off_port(eng, old->ctx);
	update(tl, eng, at);
}

/* The place in the FIFO of the entry that an `out` is of, or -1. */
static int place_of(const struct lane_eng *eng, const struct lane_event *event)
{
	for (uint32_t i = 0; i < eng->fifo_n; i++) {
		const struct lane_entry *entry = entry_at(eng, i);

		if (entry->seqno == event->u.rq.seqno && entry->ctx->pub.ctx == event->u.rq.ctx &&
		    entry->ctx->pub.dev == event->u.rq.dev)
			return (int)i;
	}
	return -1;
}

/* An `out` that is not the head's: of an entry from before what has been seen, or something is
 * missing. */
static void stray_out(struct lane_timeline *tl, struct lane_eng *eng)
{
	if (!unproven(eng)) {
		contradiction(tl, eng);
		return;
	}
	/* Something hidden had the engine until now. */
	for (struct lane_rq *rq = eng->dev_first; rq; rq = rq->dev_next)
		if (rq->pub.started)
			rq->pub.doubt |= LANE_DOUBT_DEVICE;
}

void lane_eng_out(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		  const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_entry head;
	int place;

	if (eng->mode == LANE_MODE_UNKNOWN || eng->mode == LANE_MODE_RING)
		becomes_ported(tl, eng);
	if (!has_ports(eng))
		return;
	place = place_of(eng, event);
	if (place && (place < 0 || !unproven(eng) || !entry_at(eng, (uint32_t)place)->fresh)) {
		stray_out(tl, eng);
		if (rq && event->u.i915_request_out.completed)
			end_request(tl, rq, lane_span_exact(now_ns), false);
		return;
	}
	while (place--)
		pop(eng);
	head = *entry_at(eng, 0);
	if (unproven(eng) && head.fresh)
		prove(eng, true);
	if (rq && !event->u.i915_request_out.completed)
		lane_eng_alive(tl, rq, now_ns);
	enter_section(tl, eng, event->cpu);
	if (rq && event->u.i915_request_out.completed && eng->running != rq && eng->freed) {
		/* The one before ended in the same go; this one came behind it. */
		eng->deferring = false;
		eng->passing = true;
		lane_eng_settle(tl, eng, now_ns);
		eng->passing = false;
		enter_section(tl, eng, event->cpu);
	}
	if (!event->u.i915_request_out.completed && eng->running && eng->running->complete_ns &&
	    eng->running->pub.context == &head.ctx->pub)
		infer_end(tl, eng, eng->running,
			  (struct lane_span){ eng->running->since.lo, eng->running->complete_ns });
	eng->deferring =
		eng->mode == LANE_MODE_PORTS; /* up to 5.3 nothing is pending at an `out` */
	if (rq && event->u.i915_request_out.completed)
		end_request(tl, rq, lane_span_exact(now_ns), true);
	pop(eng);
	if (!event->u.i915_request_out.completed && !head.skip)
		replaced(tl, eng, &head, now_ns);
	if (rq && rq->pub.state == LANE_RQ_STATE_PREEMPTED && rq->since.hi == now_ns)
		rq->left_alive = rq->left_told = true; /* its own `out` says so */
	if (!eng->running)
		update(tl, eng, lane_span_exact(now_ns));
}

/* What was on a port up to seqno, and is on none any more, has ended, unless another took the
 * engine. */
static void off_the_ports(struct lane_timeline *tl, struct lane_eng *eng,
			  const struct lane_p_i915_engine_ports *ports, uint64_t now_ns)
{
	const struct lane_p_i915_engine_ports *before = &eng->ports;

	for (uint32_t guard = 0; eng->running && !eng->switch_ns && guard < MAX_FIFO; guard++) {
		const struct lane_rq *rq = eng->running;
		uint64_t ctx = rq->pub.context->ctx;
		bool was = (before->ctx0 == ctx && seqno_upto(rq->pub.seqno, before->seqno0)) ||
			   (before->ctx1 == ctx && seqno_upto(rq->pub.seqno, before->seqno1));

		if (!was || ctx == ports->ctx0 || ctx == ports->ctx1 || rq->taken_back)
			return;
		infer_end(tl, eng, eng->running, (struct lane_span){ rq->since.lo, now_ns });
	}
}

void lane_eng_ports(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_i915_engine_ports *ports = &event->u.i915_engine_ports;
	struct lane_eng *eng = lane_eng_get(tl, ports->dev, ports->class, ports->instance);
	struct lane_entry *entry;
	struct lane_rq *next;

	if (!eng || eng->mode != LANE_MODE_HOOKS)
		return;
	if (eng->unsettled)
		lane_eng_settle(tl, eng, event->wire.ts_ns);
	off_the_ports(tl, eng, ports, event->wire.ts_ns);
	eng->ports = *ports;
	next = candidate(eng, &entry);
	if (eng->switch_ns && eng->running && next && next->pub.context->ctx == ports->ctx0 &&
	    eng->running->pub.context->ctx != ports->ctx0)
		switch_over(tl, eng, event->wire.ts_ns);
}

void lane_eng_doubt(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
		    uint64_t until_ns)
{
	eng->epoch++;
	eng->doubt_until = until_ns > eng->doubt_until ? until_ns : eng->doubt_until;
	for (struct lane_rq *rq = eng->dev_first; rq; rq = rq->dev_next) {
		doubt(rq, now_ns);
		rq->hit = true;
	}
	if (eng->running) {
		struct lane_rq *rq = eng->running;
		struct lane_span at = { now_ns, now_ns };

		run_close(tl, eng, &at);
		/* It ended, was taken off, or runs on: it counts as preempted until its end shows.
		 */
		taken_off(tl, eng, rq, at);
		rq->pub.preemptions--;
	}
	eng->victim = NULL;
	eng->fifo_n = 0;
	eng->building_port = -1;
	memset(eng->building, 0, sizeof(eng->building));
	eng->unsettled = false;
	eng->switch_ns = eng->take_ns = eng->unwind_ns = 0;
	eng->rewritten = eng->unwound = eng->deferring = eng->freed = false;
	if (eng->idle) {
		eng->idle = false;
		if (eng->pub.id < 64)
			tl->idle_mask &= ~(1ull << eng->pub.id);
	}
}

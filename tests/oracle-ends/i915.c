/* SPDX-License-Identifier: MIT */
/* Requests of i915, by the GuC of Linux 6.1 and by the ring of Gen7, and what ends one that does
 * not end. */
#include <string.h>

#include "ends.h"

static uint64_t trace_rq(struct actor who, const char *name, const struct request *rq,
			 const char *more)
{
	return trace(who, name, "ctx=%lu dev=0 seqno=%u class=%d instance=0 %s", rq->context->id,
		     rq->seqno, rq->ring->class, more);
}

/* fatal_error(): -EAGAIN is none, and gives way (i915_request_set_error_once()). */
static bool is_fatal(int error)
{
	return error && error != -11;
}

static bool set_error_once(struct request *rq, int error)
{
	if (is_fatal(rq->error))
		return false;
	rq->error = error;
	return true;
}

/* It is skipped: its breadcrumb alone is left (__i915_request_skip()). */
static void skip(struct request *rq)
{
	rq->hangs = false;
	rq->takes = between(2 * US, 20 * US);
}

static void hardware_ends(void *of);
static void hangs_long(void *of);

/* The ring has one order. The firmware chooses a context. */
static struct request *next_of(struct ring *ring)
{
	struct request *rq = request_first(ring, NULL, HANDED);

	for (unsigned tries = 0; rq && world.mode == GUC && tries < 4; tries++) {
		struct context *context = &world.contexts[between(0, world.n_contexts - 1)];
		struct request *other = request_first(ring, context, HANDED);

		if (other)
			return other;
	}
	return rq;
}

static void hardware_next(struct ring *ring)
{
	struct request *rq = next_of(ring);

	if (ring->running || !rq || ring->is_stopped)
		return;
	ring->running = rq;
	ring->run++;
	if (!rq->begin)
		rq->begin = now();
	if (rq->hangs)
		later(ring->hang_check, hangs_long, ring, ring->run);
	else
		later(rq->takes, hardware_ends, ring, ring->run);
}

static bool has_earlier(const struct request *rq, enum state state)
{
	const struct request *first =
		request_first(NULL, world.mode == RING ? NULL : rq->context, state);

	for (unsigned i = 0; first && i < world.n_requests; i++)
		if (world.requests[i].context->id == rq->context->id &&
		    world.requests[i].state == state && world.requests[i].seqno < rq->seqno)
			return true;
	return false;
}

static void release_waiters(struct request *signalled, struct actor who);

static void signal_one(struct request *rq, struct actor who)
{
	rq->signalled = trace_signal(who, rq->context->id, rq->seqno, rq->error);
	if (rq->error && !rq->fault)
		rq->fault = rq->signalled;
	release_waiters(rq, who);
}

/* i915_request_retire(): in the order of the timeline; who was not listened to is signalled here.
 */
static void retire(void *of)
{
	struct context *context = of;

	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];

		if (rq->context->id != context->id || rq->is_retired ||
		    (rq->state != ENDED && rq->state != OVER))
			continue;
		if (has_earlier(rq, HANDED) || (rq->is_listened && !rq->signalled))
			return;
		rq->is_retired = true;
		trace_rq(worker(context->ring->n), "i915_request_retire", rq, "tail=0");
		if (!rq->signalled) {
			signal_one(rq, worker(context->ring->n));
			request_over(rq);
		}
	}
}

/* signal_irq_work(): those that are listened to. */
static void breadcrumbs(void *of)
{
	struct ring *ring = of;

	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];

		if (rq->ring != ring || rq->state != ENDED || rq->signalled || !rq->is_listened)
			continue;
		signal_one(rq, interrupt_of(ring));
		request_over(rq);
		later(between(20 * US, 3 * MS), retire, rq->context, 0);
	}
}

static void ends_now(struct request *rq)
{
	rq->end = now();
	rq->state = ENDED;
	if (rq->ring->running == rq)
		rq->ring->running = NULL;
}

static void hardware_ends(void *of)
{
	struct ring *ring = of;

	if (which() != ring->run || !ring->running)
		return;
	ends_now(ring->running);
	hardware_next(ring);
	later(between(1 * US, 9 * US), breadcrumbs, ring, 0);
}

static void hand_over(struct request *rq, struct actor who)
{
	uint64_t at = trace_rq(who, "i915_request_execute", rq, "tail=0");

	if (!rq->run)
		rq->run = at;
	if (world.mode == GUC) {
		trace_rq(who, "i915_request_in", rq, "port=0 prio=0");
		trace_rq(who, "i915_request_guc_submit", rq, "tail=0");
	}
}

/* -- What ends a request that does not end -- */

/* mark_guilty() may ban the context: what it has left ends with -EIO as it is handed over
 * (__i915_request_submit()). */
static void ban(struct context *context, struct request *leader, const char *cause)
{
	context->is_banned = true;
	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];

		if (rq->context != context || rq->state != HANDED || !set_error_once(rq, -5))
			continue;
		skip(rq);
		rq->kind = "lost";
		rq->cause = cause;
		rq->leader = leader;
	}
}

static void reset_request(struct request *rq, struct request *leader, bool is_guilty,
			  const char *cause)
{
	if (set_error_once(rq, is_guilty ? -5 : -11)) {
		rq->kind = is_guilty ? "lost" : "replayed";
		rq->cause = is_guilty ? cause : "with";
		rq->leader = leader;
	}
	if (is_guilty)
		skip(rq);
}

/* Unwound, newest first, and handed over again (guc_context_replay()). */
static void replay(const struct context *context, struct actor who)
{
	for (unsigned i = world.n_requests; i--;)
		if (world.requests[i].context == context && world.requests[i].state == HANDED)
			trace_rq(who, "i915_request_unsubmit", &world.requests[i], "tail=0");
	for (unsigned i = 0; i < world.n_requests; i++)
		if (world.requests[i].context == context && world.requests[i].state == HANDED)
			hand_over(&world.requests[i], who);
}

static void restarts(void *of)
{
	struct ring *ring = of;

	ring->is_stopped = false;
	hardware_next(ring);
}

static void ring_stops(struct ring *ring)
{
	ring->running = NULL;
	ring->run++;
	ring->is_stopped = true;
	later(between(200 * US, 3 * MS), restarts, ring, 0);
}

/* __guc_reset_context(): the first of a context; guilty only if it had begun on an engine that
 * hangs. */
static void reset_context(struct context *context, struct request *leader, struct actor who,
			  const char *cause)
{
	struct request *first = request_first(NULL, context, HANDED);

	if (!first)
		return;
	reset_request(first, leader, first == leader, cause);
	if (first == leader && chance(30))
		ban(context, leader, "ban");
	replay(context, who);
}

/* The GuC resets an engine of its own accord; i915 all of them (intel_gt_reset()). */
static void reset(struct request *leader, struct actor who, bool is_of_all, const char *why,
		  const char *cause)
{
	bool is_guc = world.mode == GUC;

	if (is_of_all) {
		trace(who, "gpulane_reset", "what=reset text=\"%s\"", why);
		truth_reset();
	}
	for (unsigned n = 0; n < world.n_rings; n++)
		if (is_of_all || &world.rings[n] == leader->ring)
			ring_stops(&world.rings[n]);
	spend(between(500 * US, 5 * MS));
	for (unsigned n = 0; is_guc && n < world.n_contexts; n++)
		if (is_of_all || &world.contexts[n] == leader->context)
			reset_context(&world.contexts[n], leader, who, cause);
	/* reset_rewind() of intel_ring_submission.c: the first of each engine. */
	for (unsigned n = 0; !is_guc && n < world.n_rings; n++) {
		struct request *first = request_first(&world.rings[n], NULL, HANDED);

		if (first)
			reset_request(first, leader, first->ring == leader->ring, cause);
	}
}

static void hangs_long(void *of)
{
	struct ring *ring = of;

	if (which() == ring->run && ring->running)
		reset(ring->running, worker(8), world.mode == RING || chance(30),
		      "rcs0: stopped heartbeat", "reset");
}

/* intel_gt_watchdog_work(): cancelled with -EINTR. The GuC takes the context off and lets it go on;
 * the ring cannot be preempted. */
static void watchdog(void *of)
{
	struct request *rq = of;
	struct ring *ring = rq->ring;

	if (rq->state != HANDED || !set_error_once(rq, -4))
		return;
	rq->fault = now();
	rq->kind = "cancelled";
	rq->cause = "request_timeout";
	skip(rq);
	if (world.mode == RING) {
		reset(ring->running ? ring->running : rq, worker(9), true,
		      "request cancellation by kworker", "reset");
	} else if (ring->running == rq) {
		ring_stops(ring);
	}
}

/* Another engine's request that is not signalled yet, which this one is to wait for. */
static struct request *dependency_of(const struct request *rq)
{
	for (unsigned i = world.n_requests - 1; world.awaits && chance(30) && i--;) {
		struct request *other = &world.requests[i];

		if (other->ring != rq->ring && (other->state == HANDED || other->state == ENDED))
			return other;
	}
	return NULL;
}

/*
 * submit_notify(): the error of what it waited for is its own, and then no watchdog is armed
 * (dma_i915_sw_fence_wake(), i915_sw_fence_wake()).
 */
static void submit(struct request *rq, struct actor who, const struct request *awaited)
{
	rq->submitted = trace_rq(who, "i915_request_submit", rq, "tail=0");
	rq->state = HANDED;
	rq->order = world.orders++;
	if (awaited && awaited->error) {
		rq->error = awaited->error;
		rq->kind = is_fatal(rq->error) ? "inherited" : "complete";
		rq->cause = "inherited";
		rq->leader = awaited->leader ? awaited->leader : (struct request *)awaited;
		if (is_fatal(rq->error))
			skip(rq);
	} else if (world.request_timeout) {
		later(world.request_timeout - (now() - rq->submitted), watchdog, rq, 0);
	}
	if (rq->context->is_banned && set_error_once(rq, -5)) {
		rq->kind = "lost";
		rq->cause = "ban";
		skip(rq);
	}
	hand_over(rq, who);
	hardware_next(rq->ring);
}

/* The next of its timeline goes when the one before has gone, with that one's inherited error. */
static void submit_next(const struct request *before, struct actor who)
{
	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];

		if (rq->state != QUEUED || rq->context->id != before->context->id)
			continue;
		if (rq->awaits)
			return;
		submit(rq, who,
		       before->cause && !strcmp(before->cause, "inherited") ? before : NULL);
		before = rq;
	}
}

/* In the call-back of the signal. */
static void release_waiters(struct request *signalled, struct actor who)
{
	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];

		if (rq->state != QUEUED || rq->awaits != signalled)
			continue;
		rq->awaits = NULL;
		if (has_earlier(rq, QUEUED))
			continue;
		submit(rq, who, signalled);
		submit_next(rq, who);
	}
}

void i915_submit(struct context *context)
{
	struct request *rq = request_new(context);
	struct actor who = thread_of(rq->process);

	rq->queued = trace_rq(who, "i915_request_queue", rq, "flags=0x0");
	rq->awaits = dependency_of(rq);
	if (rq->awaits && !rq->awaits->is_listened) {
		rq->awaits->is_listened = true;
		trace(who, "dma_fence_enable_signal", "context=%lu seqno=%u",
		      rq->awaits->context->id, rq->awaits->seqno);
		later(between(1 * US, 9 * US), breadcrumbs, rq->awaits->ring, 0);
	}
	trace_rq(who, "i915_request_add", rq, "tail=0");
	if (!rq->awaits && !has_earlier(rq, QUEUED))
		submit(rq, who, NULL);
	if (chance(60)) {
		rq->is_listened = true;
		trace(who, "dma_fence_enable_signal", "context=%lu seqno=%u", rq->context->id,
		      rq->seqno);
	}
	/* The worker that retires what nobody listens to (retire_work_handler()). */
	later(1 * SECOND, retire, context, 0);
}

/* kill_context(): not of a persistent one. guc_cancel_context_requests() marks all complete at
 * once. */
static void kill_context(struct context *context)
{
	struct request *first = request_first(NULL, context, HANDED);
	struct ring *ring = context->ring;
	bool is_running = ring->running && ring->running->context == context;

	ban(context, NULL, "kill");
	if (!first)
		return;
	if (world.mode == RING) {
		if (ring->running)
			reset(ring->running, thread_of(context->process), true, "context closure",
			      "kill");
		return;
	}
	if (is_running)
		ring_stops(ring);
	spend(between(50 * US, 500 * US));
	while ((first = request_first(NULL, context, HANDED)))
		ends_now(first);
	breadcrumbs(ring);
	later(between(20 * US, 3 * MS), retire, context, 0);
}

void i915_kill(struct process *process)
{
	if (chance(30))
		return;
	for (unsigned i = 0; i < world.n_contexts; i++)
		if (world.contexts[i].process == process)
			kill_context(&world.contexts[i]);
}

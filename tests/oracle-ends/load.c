/* SPDX-License-Identifier: MIT */
/* Processes that submit, wait, and may be killed. */
#include <string.h>

#include "ends.h"

struct actor thread_of(const struct process *process)
{
	return (struct actor){ process->cpu, process->pid, process->pid };
}

/* It hits the idle thread. */
struct actor interrupt_of(const struct ring *ring)
{
	return (struct actor){ (int)(ring->n % CPUS), 0, 0 };
}

struct actor worker(unsigned n)
{
	return (struct actor){ (int)((n + 1) % CPUS), 900 + (int)n, 900 + (int)n };
}

/* The one that was handed over, or queued, first. */
struct request *request_first(const struct ring *ring, const struct context *context,
			      enum state state)
{
	struct request *first = NULL;

	for (unsigned i = 0; i < world.n_requests; i++) {
		struct request *rq = &world.requests[i];

		if ((!ring || rq->ring == ring) && (!context || rq->context == context) &&
		    rq->state == state && (!first || rq->order < first->order))
			first = rq;
	}
	return first;
}

/* At most so many hang or are slow, and few: what a hang makes others do takes seconds. */
static void draw_fate(struct request *rq)
{
	rq->takes = between(100 * US, chance(10) ? 30 * MS : 4 * MS);
	if (!world.has_ends || world.hangs == world.most_hangs ||
	    world.n_requests < world.wanted / 6 || !chance(4))
		return;
	world.hangs++;
	if (world.mode == V3D && chance(50)) {
		rq->is_slow = true;
		rq->takes = rq->ring->timeout + between(10 * MS, rq->ring->timeout * 9 / 10);
	} else {
		rq->hangs = true;
	}
}

struct request *request_new(struct context *context)
{
	struct request *rq = &world.requests[world.n_requests++];

	*rq = (struct request){ .context = context,
				.ring = context->ring,
				.process = context->process,
				.seqno = *context->seqnos += context->step,
				.kind = "complete",
				.order = world.orders++ };
	draw_fate(rq);
	return rq;
}

static void process_step(void *of);

static void wait_ends(void *of)
{
	struct process *process = of;
	struct request *rq = process->waits_for;

	if (!rq)
		return;
	process->waits_for = NULL;
	if (is_i915())
		truth_wait(process, rq,
			   trace(thread_of(process), "i915_request_wait_end",
				 "ctx=%lu dev=0 seqno=%u class=%d instance=0 tail=0",
				 rq->context->id, rq->seqno, rq->ring->class));
	else
		truth_wait(process, rq,
			   trace(thread_of(process), "dma_fence_wait_end", "context=%lu seqno=%u",
				 rq->context->id, rq->seqno));
	/* Not every program goes on behind an error. */
	if (rq->error && chance(40))
		process->left = 0;
	if (!process->is_gone)
		later(between(20 * US, 6 * MS), process_step, process, 0);
}

static void wait_begins(struct process *process, struct request *rq)
{
	process->waits_for = rq;
	if (is_i915()) {
		process->waits_since = trace(thread_of(process), "i915_request_wait_begin",
					     "ctx=%lu dev=0 seqno=%u class=%d instance=0 flags=0x1",
					     rq->context->id, rq->seqno, rq->ring->class);
		if (!rq->is_listened)
			trace(thread_of(process), "dma_fence_enable_signal", "context=%lu seqno=%u",
			      rq->context->id, rq->seqno);
		rq->is_listened = true;
	} else {
		process->waits_since = trace(thread_of(process), "dma_fence_wait_start",
					     "context=%lu seqno=%u", rq->context->id, rq->seqno);
	}
}

/* Its fence was signalled: who waits is woken. */
void request_over(struct request *rq)
{
	rq->state = OVER;
	for (unsigned i = 0; i < world.n_processes; i++)
		if (world.processes[i].waits_for == rq)
			later(between(8 * US, 60 * US), wait_ends, &world.processes[i], 0);
}

static struct context *context_drawn(const struct process *process)
{
	for (unsigned tries = 0; tries < 32; tries++) {
		struct context *context = &world.contexts[between(0, world.n_contexts - 1)];

		if (context->process == process && !context->is_banned)
			return context;
	}
	return NULL;
}

static void process_step(void *of)
{
	struct process *process = of;
	struct context *context = NULL;
	unsigned before = world.n_requests;

	if (process->is_gone || !process->left)
		return;
	process->left--;
	for (uint64_t n = between(1, 4); n && world.n_requests < world.wanted; n--) {
		context = context_drawn(process);
		if (!context)
			return;
		(is_i915() ? i915_submit : sched_submit)(context);
		spend(between(5 * US, 80 * US));
	}
	if (world.n_requests == before)
		return;
	if (chance(80) && world.requests[world.n_requests - 1].state < ENDED)
		wait_begins(process, &world.requests[world.n_requests - 1]);
	else
		later(between(1 * MS, 20 * MS), process_step, process, 0);
}

/* SIGKILL: the wait is interrupted, the files are closed behind sched_process_exit (do_exit()). */
static void process_killed(void *of)
{
	struct process *process = of;

	process->is_gone = process->was_killed = true;
	if (process->waits_for)
		wait_ends(process);
	trace(thread_of(process), "sched_process_exit", "tid=%d prio=120 comm=%s", process->pid,
	      process->name);
	(is_i915() ? i915_kill : sched_kill)(process);
}

static void ring_make(unsigned n)
{
	static const char *const amdgpu[] = { "gfx_0.0.0", "comp_1.0.0", "comp_1.1.0", "sdma0" },
				 *const v3d[] = { "v3d_bin", "v3d_render", "v3d_tfu", "v3d_csd" },
				 *const i915[] = { "rcs0", "bcs0", "vcs0", "ccs0" };
	static const int classes[] = { 0, 1, 2, 4 };
	struct ring *ring = &world.rings[n];

	*ring = (struct ring){ .n = n,
			       .fences = 1000 + n,
			       .class = classes[n % 4],
			       .timeout = between(1, 20) * 500 * MS };
	ring->hang_check = between(700, 9000) * MS;
	if (world.mode == XE)
		snprintf(ring->name, sizeof(ring->name), "%s%u", n % 3 ? "ccs" : "bcs", n + 2);
	else
		strcpy(ring->name, (is_i915() ? i915 : world.mode == V3D ? v3d : amdgpu)[n]);
	if (world.mode == V3D)
		ring->timeout = 500 * MS;
	if (world.mode == XE)
		ring->timeout = n ? world.rings[0].timeout : 5 * SECOND;
}

static void context_make(struct process *process, unsigned n)
{
	struct context *context = &world.contexts[world.n_contexts];

	*context =
		(struct context){ .id = 40 + 2 * n, .process = process, .step = is_i915() ? 2 : 1 };
	context->ring =
		&world.rings[world.mode == XE ? world.n_contexts : between(0, world.n_rings - 1)];
	/* The ring of Gen7 has one timeline an engine (intel_ring_submission_setup()). */
	context->seqnos = &context->own_seqno;
	if (world.mode == RING) {
		context->id = 40 + 2 * context->ring->n;
		context->seqnos = &context->ring->seqnos;
	}
	world.n_contexts++;
}

void world_make(void)
{
	static const char *const names[] = { "game",	   "train",  "browser",
					     "compositor", "encode", "solver" };

	if (!world.wanted)
		world.wanted = (unsigned)between(20, MAX_REQUESTS);
	world.most_hangs = (unsigned)between(1, 4);
	world.request_timeout = is_i915() && chance(60) ? between(2, 20) * SECOND : 0;
	world.n_processes = (unsigned)between(2, MAX_PROCESSES);
	world.n_rings = world.mode == XE ? MAX_RINGS : (unsigned)between(1, 4);
	for (unsigned n = 0; n < world.n_rings; n++)
		ring_make(n);
	for (unsigned i = 0; i < world.n_processes; i++) {
		struct process *process = &world.processes[i];

		*process = (struct process){ .pid = 200 + 100 * (int)i,
					     .cpu = (int)i % CPUS,
					     .left = 100000 };
		strcpy(process->name, names[i]);
		for (uint64_t n = between(1, 3); n; n--)
			context_make(process, world.n_contexts);
		later(between(0, 5 * MS), process_step, process, 0);
		if (world.has_ends && chance(15))
			later(between(20 * MS, 2 * SECOND), process_killed, process, 0);
	}
}

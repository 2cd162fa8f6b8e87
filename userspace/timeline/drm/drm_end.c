// SPDX-License-Identifier: MIT
// What tells that a job has ended, and when it ended (R32, R33).
#include "timeline/drm/drm_end.h"
#include "timeline/drm/drm_dependency.h"
#include "timeline/drm/drm_job.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/drm/drm_run.h"
#include "timeline/tell.h"
#include "timeline/sched/thread.h"

#include <string.h>

/* A job of a firmware's ring that is over within this time, ns, was never run: its queue was banned
 * (xe_guc_submit.c). */
#define REFUSAL_NS 20000

static const struct lane_bound none;

/* The event's thread may be a worker, which may be at a reset. A worker is a process of its own. */
static bool may_be_worker(const struct lane_timeline *tl, const struct lane_event *event)
{
	int32_t tid = event->wire.tid;

	return tid && (event->wire.pid < 0 || event->wire.pid == tid) &&
	       timeline_thread_may_be_worker(tl, tid);
}

/* Beside the call-back, only who gives rq to its ring and a worker's reset tell that it is done. */
static bool is_called_back(const struct lane_timeline *tl, const struct lane_rq *rq,
			   const struct lane_event *event)
{
	int32_t tid = event->wire.tid;

	return !tid || (tid != rq->job->run_tid && !may_be_worker(tl, event));
}

/* The context of the fences that rq's ring signals. */
static uint64_t fences_of(const struct lane_rq *rq)
{
	return rq->job->hw_context ? rq->job->hw_context : timeline_job_ring(rq)->fence_ctx;
}

/* The event's CPU, if the last fence that was signalled there was one of rq's ring, by the event's
 * thread; else NULL. */
static const struct lane_cpu *last_signalled(const struct lane_timeline *tl,
					     const struct lane_rq *rq,
					     const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	if (!cpu || !cpu->fence.ns || cpu->fence_tid != event->wire.tid ||
	    cpu->fence_ctx != fences_of(rq) ||
	    timeline_jobs_are_lossy(tl, cpu->fence.ns, event->wire.ts_ns))
		return NULL;
	return cpu;
}

/*
 * R32. Returns when the ring's fence of rq was signalled; ns 0: not known. The fence calls the
 * scheduler back straight out of its signal (drm_sched_job_done_cb(), sched_main.c). So the last
 * signal on that CPU, in the same thread, is that of the job's fence. It may be another fence's if
 * something else tells that the job is done (drm_sched_start(), drm_sched_run_job_work()). So its
 * context must be that of the ring's fences, and it must be no other job's.
 */
static struct lane_bound signalled_before(const struct lane_timeline *tl, const struct lane_rq *rq,
					  const struct lane_event *event)
{
	const struct lane_drm_ring *ring = timeline_job_ring(rq);
	const struct lane_cpu *cpu = last_signalled(tl, rq, event);
	const struct lane_rq *of;

	if (!cpu)
		return none;
	of = lane_table_get(&tl->jobs->hw, cpu->fence_ctx, cpu->fence_seqno);
	if (of == rq && is_called_back(tl, rq, event))
		return cpu->fence;
	if (!cpu->work_ns || cpu->fence.ns < cpu->work_ns)
		return none;
	if (of == rq)
		return cpu->fence;
	if (of || rq->job->hw_context)
		return none;
	/* A reset may signal all fences of a serial ring first, and tell after that which jobs are
	 * done. */
	if (ring->each == LANE_RING_SERIAL && may_be_worker(tl, event))
		return none;
	return cpu->fence;
}

/*
 * True when the signal of rq's fence at signal_ns does not show that rq ran. The thread that adds
 * the call-back may find the fence signalled already, or that there is none
 * (drm_sched_run_job_work()). And a firmware is not done so soon: its queue was banned.
 */
static bool is_refusal(const struct lane_timeline *tl, const struct lane_rq *rq,
		       const struct lane_event *event, uint64_t signal_ns)
{
	const struct lane_job *job = rq->job;
	uint64_t given_ns = timeline_not_before(job->scheduled_ns, rq->pub.execute_ns);

	/* If the thread has gone on to its next job or was idle, an interrupt came in it. */
	if (job->run_tid == event->wire.tid && event->wire.tid >= 0 &&
	    lane_table_get(&tl->jobs->jobs, (uint32_t)job->run_tid, 1) == rq && job->scheduled_ns &&
	    signal_ns > job->scheduled_ns &&
	    timeline_thread_may_be_at(tl, job->run_tid, job->scheduled_ns))
		return true;
	return timeline_job_ring(rq)->each != LANE_RING_SERIAL && signal_ns < given_ns + REFUSAL_NS;
}

/* rq's queue may be a long-running one of xe's. */
static bool may_be_long_running(const struct lane_rq *rq)
{
	const struct lane_drm_ring *ring = timeline_job_ring(rq);

	return !rq->pub.context->is_queue_known &&
	       (*ring->driver ? ring->each == LANE_RING_LONG : !rq->job->hw_context);
}

/*
 * Up to Linux 6.12 at least, jobs of long-running queues have no fence of the ring. So the
 * scheduler calls them done in the thread that gives them to the ring, and they run on
 * (guc_exec_queue_run_job(), xe_guc_submit.c).
 */
static bool may_run_on(const struct lane_timeline *tl, const struct lane_rq *rq,
		       const struct lane_event *event)
{
	int32_t tid = rq->job->run_tid;

	if (rq->pub.doubt & LANE_DOUBT_BURST) /* who hands a burst over tells no end of it */
		return tid == event->wire.tid && !rq->job->hw.ns;
	return may_be_long_running(rq) && rq->pub.executes && tid == event->wire.tid &&
	       !rq->job->hw.ns &&
	       (tid < 0 || (lane_table_get(&tl->jobs->jobs, (uint32_t)tid, 1) == rq &&
			    timeline_thread_may_be_at(tl, tid, rq->pub.execute_ns))) &&
	       !signalled_before(tl, rq, event).ns;
}

/* R33, R4. The event tells that the job is over: its `done`, or the signal of its fence. */
static struct lane_bound done_by(const struct lane_timeline *tl, const struct lane_event *event)
{
	return timeline_bound(event->wire.ts_ns,
			      event->wire.kind == LANE_FENCE_SIGNALED ? LANE_RULE_SIGNALLED
								      : LANE_RULE_DONE,
			      tl->now.event);
}

/* R33. The end of rq where no fence of the ring was seen to be signalled. */
static struct lane_job_ending ending_by_done(const struct lane_timeline *tl,
					     const struct lane_rq *rq,
					     const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns, from_ns = rq->pub.execute_ns;
	struct lane_job_ending ending = { .at = timeline_bounds(timeline_job_given(rq),
								done_by(tl, event)) };

	/* The job may have been cancelled, or its end is not told (xe's long-running jobs). */
	if (timeline_sees(tl, LANE_FENCE_SIGNALED) || rq->job->run_tid == event->wire.tid)
		return ending;
	if (timeline_job_ring(rq)->each != LANE_RING_SERIAL) {
		ending.is_known = !event->wire.tid && !is_refusal(tl, rq, event, now_ns);
		return ending;
	}
	/* A reset ends all jobs of the ring, in a worker, some time after they stopped. */
	if (may_be_worker(tl, event) &&
	    (timeline_ring_is_same_work(tl, timeline_job_ring(rq), event) || rq->job->behind ||
	     !rq->job->is_linked))
		return ending;
	if (!event->wire.tid && now_ns - from_ns > LANE_INTERRUPT_NS)
		timeline_bounds_set_lo(&ending.at, timeline_bound_bare(now_ns - LANE_INTERRUPT_NS));
	ending.is_known = true;
	return ending;
}

/*
 * A signal of rq's fence did not call the scheduler back: a reset had taken the call-back off.
 * Then the driver may have run rq again, with a fence that no event names
 * (drm_sched_resubmit_jobs(), sched_main.c), unless the work that signalled tells now, too. Before
 * the job's `scheduled` fence was signalled there was no call-back to take off.
 */
static bool may_be_run_again(const struct lane_timeline *tl, const struct lane_rq *rq,
			     const struct lane_event *event)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);

	if (!rq->job->hw.ns || rq->job->hw.ns <= rq->job->scheduled_ns)
		return false;
	return !cpu || !cpu->work_ns || rq->job->hw.ns < cpu->work_ns ||
	       (cpu->fence_ctx == fences_of(rq) &&
		!lane_table_get(&tl->jobs->hw, cpu->fence_ctx, cpu->fence_seqno));
}

/* The signal of a fence at signal_ns (0: none is known) does not tell rq's end. */
static bool tells_no_end(const struct lane_timeline *tl, const struct lane_rq *rq,
			 const struct lane_event *event, uint64_t signal_ns)
{
	const struct lane_job *job = rq->job;

	/* Which job a ring's fence is of is known only where all jobs of the ring are recorded. */
	if (tl->info.follows_some)
		return true;
	/* The signal may be that of the job's `scheduled` fence, where that fence is not known. */
	if (job->run_tid == event->wire.tid && !job->scheduled_ns && !job->hw.ns)
		return true;
	return !rq->pub.executes ||
	       (signal_ns ? is_refusal(tl, rq, event, signal_ns) : may_be_run_again(tl, rq, event));
}

/* R40. The interrupt came as its thread was woken: for rq, or before rq was over. */
static void bound_by_irq_thread(const struct lane_timeline *tl, const struct lane_rq *rq,
				struct lane_bounds *at)
{
	struct lane_bound woken = rq->job->irq_thread;

	if (!woken.ns || woken.ns >= at->hi)
		return;
	timeline_bounds_lower(at, timeline_bound_later(timeline_job_given(rq), woken));
	if (rq->job->is_irq_sure && rq->job->is_linked && !timeline_job_is_lossy(tl, rq))
		*at = timeline_bounds_exact(woken);
}

/* The end of rq, told by its `done` or, where that is not recorded, by its fence's signal. */
static struct lane_job_ending ending_of(const struct lane_timeline *tl, const struct lane_rq *rq,
					const struct lane_event *event)
{
	const struct lane_job *job = rq->job;
	uint64_t from_ns = rq->pub.execute_ns;
	struct lane_bound signal = signalled_before(tl, rq, event);
	struct lane_job_ending ending = { .at = timeline_bounds(timeline_job_given(rq),
								done_by(tl, event)) };
	bool is_late = job->is_late;

	if (tells_no_end(tl, rq, event, signal.ns))
		return ending;
	if (signal.ns) {
		is_late |= tl->cpus[event->cpu].fence_seqno < timeline_job_ring(rq)->last_seqno;
		ending.is_same_work = tl->cpus[event->cpu].is_fence_same_work;
	} else if (job->hw.ns && !timeline_jobs_are_lossy(tl, from_ns, job->hw.ns)) {
		signal = job->hw;
		ending.is_same_work = job->is_same_work;
	} else if (job->irq.ns && !timeline_jobs_are_lossy(tl, from_ns, job->irq.ns)) {
		signal = job->irq;
	} else {
		return ending_by_done(tl, rq, event);
	}
	/* This CPU was slower than another one: the job ended before the newer fence was
	 * signalled. */
	ending.at = timeline_bounds(is_late ? timeline_job_given(rq) : signal, signal);
	bound_by_irq_thread(tl, rq, &ending.at);
	ending.is_known = ending.is_seen = true;
	return ending;
}

/*
 * True when rq's fence may have been signalled by a reset, in a thread's time: rq may never have
 * begun. A reset signals other jobs of the ring by the same work; those may be unseen. On a serial
 * ring the first job had begun. On a firmware's ring it may not have had its turn: a signal by a
 * worker may be a reset.
 */
static bool may_be_cancelled(const struct lane_timeline *tl, const struct lane_rq *rq,
			     const struct lane_event *event, const struct lane_job_ending *ending)
{
	if (!may_be_worker(tl, event))
		return false;
	return timeline_job_ring(rq)->each != LANE_RING_SERIAL || ending->is_same_work ||
	       !rq->job->is_linked ||
	       (timeline_job_ring(rq)->first != rq && timeline_job_is_lossy(tl, rq));
}

/* rq's fence was signalled, unseen: the jobs that were given to the ring before rq ended by
 * then. */
static void overtake(struct lane_rq *rq)
{
	for (struct lane_rq *before = rq->job->is_given ? rq->job->before : NULL; before;
	     before = before->job->before)
		before->job->is_late = true;
}

/*
 * R33. rq's end is not known, but the first job of a serial ring has the ring until its interrupt
 * or a reset. Returns the earliest time at which it may have ended, if the event's thread is
 * at the reset: the reset is no older than the thread's work.
 */
static struct lane_bound had_the_ring_until(const struct lane_timeline *tl,
					    const struct lane_rq *rq,
					    const struct lane_event *event)
{
	const struct lane_drm_ring *ring = timeline_job_ring(rq);
	uint64_t works_ns = timeline_thread_works_since(tl, event->wire.tid);

	if (ring->discipline != LANE_RING_SERIAL || ring->first != rq ||
	    !timeline_job_has_begun(rq) || works_ns < LANE_INTERRUPT_NS)
		return timeline_job_given(rq);
	return timeline_bound_later(timeline_job_given(rq),
				    timeline_bound_bare(works_ns - LANE_INTERRUPT_NS));
}

static void drm_end_conclude(struct lane_timeline *tl, struct lane_rq *rq,
			     const struct lane_event *event)
{
	struct lane_job_ending ending;

	if (timeline_request_has_ended(rq) || !timeline_job_ring(rq))
		return;
	ending = ending_of(tl, rq, event);
	if (may_run_on(tl, rq, event))
		rq->pub.doubt |= LANE_DOUBT_BURST | LANE_DOUBT_END;
	if (!rq->pub.executes)
		rq->pub.doubt |= LANE_DOUBT_END;
	if (timeline_sees(tl, LANE_FENCE_SIGNALED) && rq->job->run_tid != event->wire.tid)
		timeline_ring_learn_fences(tl, (struct lane_eng *)rq->pub.engine, event);
	/* Counts as the signal of its fence, which may be lost. */
	timeline_ring_signalled(timeline_job_ring(rq), event->wire.ts_ns, event);
	if (!ending.is_seen && rq->job->run_tid != event->wire.tid)
		overtake(rq);
	if (ending.is_seen) {
		ending.is_known = !may_be_cancelled(tl, rq, event, &ending);
		/* The jobs before it ended, too (two CPUs at one ring's interrupt). */
		timeline_job_end_before(tl, rq, timeline_bounds_hi(&ending.at));
		/* If rq's interrupt was late, so was that of the job before it: that one may have
		 * ended sooner. */
		if ((ending.is_same_work || ending.at.lo < ending.at.hi) &&
		    timeline_has_started(&rq->pub))
			timeline_request_start_since(rq, timeline_job_given(rq));
	}
	if (!ending.is_known)
		timeline_bounds_set_lo(&ending.at, had_the_ring_until(tl, rq, event));
	/* Over by then; that the GPU was at work all the time nothing says. */
	ending.is_known &= !(rq->pub.doubt & LANE_DOUBT_BURST);
	timeline_job_end(tl, rq, ending);
}

/* rq is over by now_ns, and no ring is known to have got it: when it ended and what it waited for
 * nothing says (timeline_job_over()). */
static void end_ungiven(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	timeline_queue_leave(tl, rq, now_ns);
	timeline_request_state(tl, rq, LANE_RQ_STATE_ENDED, now_ns);
	rq->pub.end = (struct lane_span){ 0, LANE_NEVER };
	rq->pub.doubt |= LANE_DOUBT_END | LANE_DOUBT_DEVICE;
}

/* R6. rq, whose own end was not seen, was over by job->later. */
static void end_overtaken(struct lane_timeline *tl, struct lane_rq *rq)
{
	struct lane_bound by = rq->job->later;

	if (timeline_request_has_ended(rq) || !timeline_job_ring(rq)) {
		/* only its `done` or its signal is missing */
	} else if (rq->job->is_given) {
		/* What tells that a burst is over does not bound the GPU's time for it. */
		if (may_be_long_running(rq) || rq->pub.context->is_long_running)
			rq->pub.doubt |= LANE_DOUBT_END;
		timeline_job_end(tl, rq,
				 (struct lane_job_ending){
					 .at = timeline_bounds(timeline_job_given(rq), by) });
	} else {
		end_ungiven(tl, rq, by.ns);
		rq->pub.is_overtaken = true;
	}
	timeline_job_over(tl, rq);
}

/* With `of` (NULL: it was not seen), a later job of rq's entity, rq is over. What no ring has got
 * proves nothing of others: the jobs of a process that is killed are signalled in no certain order
 * (drm_sched_entity_kill_jobs_work()). Without known fences the numbers are a ring's. */
static bool is_overtaken(const struct lane_rq *rq, bool has_run, const struct lane_engine *ring)
{
	if (!rq->job || rq->release.is_due || (rq->pub.doubt & LANE_DOUBT_BURST) ||
	    (!rq->pub.executes && !has_run))
		return false;
	return rq->pub.context->ctx < LANE_OWN_CONTEXT || (ring && rq->pub.engine == ring);
}

/* Whoever is over may be told, and freed, and another one with it. */
void timeline_job_overtakes(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t context = event->u.fence.context;
	uint32_t seqno = (uint32_t)event->u.fence.seqno, next_seqno;
	const struct lane_ctx *ctx = timeline_job_context(tl, context);
	const struct lane_rq *of = ctx ? lane_table_get(&tl->requests, ctx->pub.id, seqno) : NULL;
	bool has_run = of && of->pub.executes;
	const struct lane_engine *ring = of ? of->pub.engine : NULL;
	struct lane_bound by = timeline_bound(event->wire.ts_ns, LANE_RULE_LATER, tl->now.event);
	struct lane_rq *rq = ctx ? ctx->first : NULL, *next;

	for (; rq && rq->pub.seqno != seqno && timeline_seqno_upto(rq->pub.seqno, seqno);
	     rq = next) {
		next = rq->next;
		next_seqno = next ? next->pub.seqno : 0;
		if (!is_overtaken(rq, has_run, ring))
			continue;
		if (!rq->job->later.ns)
			rq->job->later = by;
		/* The end of what its ring has got may come a little later, from another CPU. */
		if (rq->pub.executes && by.ns - rq->job->later.ns <= LANE_INTERRUPT_NS)
			continue;
		end_overtaken(tl, rq);
		if (next && lane_table_get(&tl->requests, ctx->pub.id, next_seqno) != next)
			next = ctx->first;
	}
}

void timeline_job_settle_overtaken(struct lane_timeline *tl, struct lane_rq *rq)
{
	if (rq->job->later.ns && !rq->release.is_due)
		end_overtaken(tl, rq);
}

void timeline_job_is_done(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq;

	timeline_job_overtakes(tl, event);
	rq = timeline_job_find(tl, 0, event, false);
	if (!rq || !rq->job)
		return;
	drm_end_conclude(tl, rq, event);
	if (!timeline_job_sees_signal(tl, rq))
		rq->pub.out_ns = event->wire.ts_ns;
	if (!timeline_job_sees_signal(tl, rq) || (rq->pub.seen & LANE_SEEN_SIGNAL))
		timeline_job_over(tl, rq);
}

void timeline_job_is_signalled(struct lane_timeline *tl, struct lane_rq *rq,
			       const struct lane_event *event)
{
	if (rq->pub.seen & LANE_SEEN_SIGNAL)
		return;
	rq->pub.seen |= LANE_SEEN_SIGNAL;
	rq->pub.signal_ns = event->wire.ts_ns;
	rq->pub.by.signal = tl->now.event;
	timeline_wait_signalled(tl, rq, event->wire.ts_ns);
	if (!timeline_request_has_ended(rq) && rq->pub.executes) {
		drm_end_conclude(tl, rq, event);
	} else if (rq->pub.state < LANE_RQ_STATE_DEVICE) {
		/* Its process was killed before the ring got the job (drm_sched_entity_kill()), or
		 * its `run` is missing. */
		end_ungiven(tl, rq, event->wire.ts_ns);
	}
	timeline_job_over(tl, rq);
}

// SPDX-License-Identifier: MIT
// The timeline as a whole: made, fed event by event, ended, freed.
#include "base/stop.h"
#include "timeline/display/flip.h"
#include "timeline/display/mark.h"
#include "timeline/drm/drm.h"
#include "timeline/drm/drm_driver.h"
#include "timeline/drm/drm_userq.h"
#include "timeline/drm/drm_dependency.h"
#include "timeline/drm/drm_end.h"
#include "timeline/drm/drm_job.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/drm/drm_run.h"
#include "timeline/sched/idle.h"
#include "timeline/narrow.h"
#include "timeline/loss.h"
#include "timeline/losses.h"
#include "timeline/memory/stall.h"
#include "timeline/model.h"
#include "timeline/objects.h"
#include "timeline/command/command_events.h"
#include "timeline/i915/port_back.h"
#include "timeline/i915/request.h"
#include "timeline/i915/signal.h"
#include "timeline/i915/tasklet.h"
#include "timeline/sched/stack.h"
#include "timeline/sched/thread.h"
#include "timeline/sched/work.h"
#include "timeline/tell.h"
#include "timeline/fault.h"
#include "timeline/kernel_wait.h"

#include <stdlib.h>
#include <string.h>

/* From one event of the breadcrumbs' work to its next at most. */
#define WORK_NS 10000

/* What the kind of an event says of what its CPU is doing. */
enum trait {
	/* Fired by the breadcrumbs' work and by the call-backs of a fence: a submit, a wake-up. A
	 * lost event may have been one. */
	OF_BREADCRUMBS = 1 << 0,
	OF_DIRECT_BREADCRUMBS = 1 << 1, /* the same where a submit hands over: GuC, ring */
	/* A submission tasklet is at work, or has been started and may be the next to run. */
	OF_TASKLET = 1 << 2,
	OF_CALL_BACK = 1 << 3, /* may come straight out of a fence's signal */
	OF_DEQUEUE = 1 << 4,   /* interrupts are off */
};

static const uint8_t traits[LANE_KIND_COUNT] = {
	[LANE_FENCE_SIGNALED] = OF_BREADCRUMBS,
	[LANE_FENCE_ERROR] = OF_BREADCRUMBS | OF_CALL_BACK, /* comes with that */
	[LANE_DRM_DONE] = OF_BREADCRUMBS,
	[LANE_LOST] = OF_BREADCRUMBS,
	[LANE_RQ_SUBMIT] = OF_BREADCRUMBS | OF_TASKLET | OF_CALL_BACK,
	[LANE_RQ_EXECUTE] = OF_DIRECT_BREADCRUMBS | OF_TASKLET | OF_CALL_BACK | OF_DEQUEUE,
	[LANE_RQ_IN] = OF_DIRECT_BREADCRUMBS | OF_CALL_BACK | OF_DEQUEUE,
	[LANE_RQ_GUC_SUBMIT] = OF_DIRECT_BREADCRUMBS | OF_CALL_BACK,
	[LANE_RQ_UNSUBMIT] = OF_TASKLET | OF_DEQUEUE,
	[LANE_PORTS] = OF_TASKLET,
	[LANE_WAKING] = OF_BREADCRUMBS | OF_CALL_BACK,
	[LANE_WAKEUP] = OF_BREADCRUMBS | OF_CALL_BACK,
	[LANE_WAKEUP_NEW] = OF_CALL_BACK,
	[LANE_MIGRATE] = OF_BREADCRUMBS | OF_CALL_BACK,
	[LANE_WORK_QUEUE] = OF_BREADCRUMBS | OF_CALL_BACK,
	[LANE_CPU_CLOCK] = OF_BREADCRUMBS | OF_CALL_BACK, /* a wake-up may set the clock */
};

_Static_assert(LANE_MIGRATE - LANE_WAKING == 3, "all of them are in the table");

/* By the group of an event: the kernel fires it in the thread that has the CPU. */
enum {
	IN_THREAD_i915 = true,
	IN_THREAD_context = true,
	IN_THREAD_fence = true,
	IN_THREAD_sched = true,
	IN_THREAD_process = true,
	IN_THREAD_irq = true,
	IN_THREAD_workqueue = true,
	IN_THREAD_drm = true,
	IN_THREAD_driver = true,
	IN_THREAD_memory = true,
	IN_THREAD_power = true,
	IN_THREAD_reset = true,
	IN_THREAD_frames = true,
	IN_THREAD_ranges = true,
	IN_THREAD_net = true,
	IN_THREAD_job = true,
	IN_THREAD_frame = true,
	IN_THREAD_counter = false,
	IN_THREAD_stacks = false,
	IN_THREAD_opencl = false,
	IN_THREAD_gpulane = false,
};

static const bool is_in_thread[LANE_KIND_COUNT] = {
#define E(id, name, group, fields, help) [LANE_##id] = IN_THREAD_##group,
	LANE_EVENTS(E)
#undef E
};

static const struct lane_model *const models[LANE_MODES] = {
	[LANE_MODE_UNKNOWN] = &lane_model_unknown, [LANE_MODE_EXECLISTS] = &lane_model_execlists,
	[LANE_MODE_LEGACY] = &lane_model_legacy,   [LANE_MODE_GUC] = &lane_model_guc,
	[LANE_MODE_RING] = &lane_model_ring,	   [LANE_MODE_SCHED] = &lane_model_jobs,
	[LANE_MODE_HOOKS] = &lane_model_hooks,
};

static uint32_t traits_of_breadcrumbs(enum lane_submission submission)
{
	return submission == LANE_SUBMISSION_GUC ? OF_BREADCRUMBS | OF_DIRECT_BREADCRUMBS
						 : OF_BREADCRUMBS;
}

static bool may_be_there(const struct lane_trace_info *info, enum lane_kind kind)
{
	return info->presence[kind] != LANE_PRESENCE_ABSENT;
}

/* An event can name the virtual engine that a request is for. */
static bool names_virtuals(const struct lane_trace_info *info)
{
	return may_be_there(info, LANE_RQ_QUEUE) || may_be_there(info, LANE_RQ_ADD) ||
	       may_be_there(info, LANE_RQ_SUBMIT);
}

struct lane_error *timeline_create(const struct lane_trace_info *info,
				   const struct lane_loss *losses, size_t n_losses,
				   const struct lane_hooks *hooks, struct lane_timeline **timeline)
{
	struct lane_timeline *tl = calloc(1, sizeof(*tl));

	if (!tl)
		return &lane_enomem;
	tl->hooks = *hooks;
	tl->info = *info;
	tl->reader = &lane_rq_reader;
	memcpy(tl->models, models, sizeof(models));
	tl->of_breadcrumbs = traits_of_breadcrumbs(info->submission);
	tl->rq_pool.size = sizeof(struct lane_rq);
	tl->thr_pool.size = sizeof(struct lane_thr);
	tl->waiter_pool.size = sizeof(struct lane_waiter);
	tl->note_pool.size = sizeof(struct lane_idle_note);
	tl->ctx_pool.size = sizeof(struct lane_ctx);
	tl->eng_pool.size = sizeof(struct lane_eng);
	tl->client_pool.size = sizeof(struct lane_client);
	tl->heads_pool.size = sizeof(struct lane_head_waits);
	tl->took_pool.size = sizeof(struct lane_octaves);
	tl->kernel_wait_pool.size = sizeof(struct lane_kernel_wait);
	tl->has_in = may_be_there(info, LANE_RQ_IN);
	tl->is_without_ends = tl->has_in && info->submission != LANE_SUBMISSION_GUC &&
			      !may_be_there(info, LANE_RQ_OUT);
	tl->is_without_ports = !may_be_there(info, LANE_RQ_EXECUTE) ||
			       !may_be_there(info, LANE_RQ_OUT) || !tl->has_in;
	if (!names_virtuals(info))
		tl->shared = UINT64_MAX;
	tl->has_half_ports = !tl->has_in && may_be_there(info, LANE_RQ_OUT);
	tl->is_without_runs =
		tl->has_half_ports || (!tl->has_in && (!may_be_there(info, LANE_RQ_UNSUBMIT) ||
						       !may_be_there(info, LANE_RQ_EXECUTE)));
	tl->has_known_losses = n_losses > 0;
	for (size_t i = 0; i < n_losses; i++) {
		if (!timeline_loss_add(tl, &losses[i])) {
			timeline_destroy(tl);
			return &lane_enomem;
		}
	}
	*timeline = tl;
	return NULL;
}

/*
 * The call-backs of a fence, a submit among them, run straight out of its signal
 * (dma_fence_signal_timestamp_locked()). So until another event comes on that CPU, a request that
 * is submitted there waited for that fence, or for the submit of another one that waited for it.
 */
static inline void note_signal(struct lane_cpu *cpu, const struct lane_event *event, uint32_t kind,
			       uint32_t of)
{
	if (of & OF_CALL_BACK)
		return;
	if (kind == LANE_FENCE_SIGNALED) {
		cpu->signal_ctx = event->u.fence.context;
		cpu->signal_seqno = (uint32_t)event->u.fence.seqno;
		cpu->signal_ns = event->wire.ts_ns;
		cpu->signal_tid = event->wire.tid;
		return;
	}
	cpu->signal_ctx = 0;
}

static void first_event(struct lane_timeline *tl, uint64_t now_ns)
{
	tl->figures.begin_ns = now_ns;
	if (tl->info.begin_ns && tl->info.begin_ns < now_ns)
		tl->figures.begin_ns = tl->info.begin_ns;
}

static struct lane_error *timeline_state_of(const struct lane_timeline *tl)
{
	if (tl->no_memory)
		return &lane_enomem;
	return tl->too_many ? lane_error("the trace has more %s than any machine "
					 "(is it damaged, or many traces in one?)",
					 tl->too_many)
			    : NULL;
}

/* A loss of another CPU begins at the time of the event: what was lost may have come before the
 * event. */
static bool loss_begins(const struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_loss *loss = &tl->losses[tl->next_loss];

	return tl->next_loss < tl->n_losses && loss->begin_ns == event->wire.ts_ns &&
	       loss->cpu != event->cpu && event->wire.kind != LANE_LOST;
}

/* Applies the losses that begin before the event. */
static inline void pass_losses(struct lane_timeline *tl, const struct lane_event *event,
			       uint64_t now_ns)
{
	if (tl->n_losses && (tl->loss_end || (tl->next_loss < tl->n_losses &&
					      tl->losses[tl->next_loss].begin_ns <= now_ns)))
		timeline_loss_advance(tl, loss_begins(tl, event) ? now_ns + 1 : now_ns);
}

/*
 * A GuC's request is handed over as it is submitted, or by the tasklet (guc_submit_request(),
 * guc_submission_tasklet() of gt/uc/intel_guc_submission.c, 6.1). Submitting may be part of the
 * breadcrumbs' work, by a fence's call-back. The tasklet never is. The tasklet's `execute` does not
 * come straight behind the submit of the same request.
 */
static inline void note_guc(const struct lane_timeline *tl, struct lane_cpu *cpu,
			    const struct lane_event *event, uint32_t kind, uint64_t now_ns)
{
	if (kind == LANE_RQ_EXECUTE)
		cpu->is_in_guc_tasklet =
			(cpu->submit_ctx != event->u.rq.ctx ||
			 cpu->submit_seqno != event->u.rq.seqno) &&
			tl->info.presence[LANE_RQ_SUBMIT] == LANE_PRESENCE_RECORDED &&
			!(tl->n_losses && timeline_loss_between(tl, cpu->at_ns - 1, now_ns + 1));
	else if (kind != LANE_RQ_IN && kind != LANE_RQ_GUC_SUBMIT)
		cpu->is_in_guc_tasklet = false;
	cpu->submit_ctx = 0;
	if (kind == LANE_RQ_SUBMIT) {
		cpu->submit_ctx = event->u.rq.ctx;
		cpu->submit_seqno = event->u.rq.seqno;
	}
}

/* The event may be of the breadcrumbs' work. On a ring a submit hands over: that is a fence's
 * call-back if a signal came straight before. */
static inline bool is_of_breadcrumbs(const struct lane_timeline *tl, const struct lane_cpu *cpu,
				     uint32_t of)
{
	return ((of & tl->of_breadcrumbs) || ((of & OF_DIRECT_BREADCRUMBS) && cpu->signal_ctx &&
					      tl->info.submission == LANE_SUBMISSION_RING)) &&
	       !cpu->is_in_guc_tasklet;
}

/*
 * A dequeue is at work, with interrupts off. Its events follow each other within
 * LANE_SELF_INTERRUPT_NS.
 */
static inline void note_dequeue(struct lane_cpu *cpu, uint64_t now_ns)
{
	if (now_ns > cpu->dequeue.hi + LANE_SELF_INTERRUPT_NS)
		cpu->dequeue.lo = now_ns;
	cpu->dequeue.hi = now_ns;
}

/* The event did not come in the thread that its CPU is taken to have. Where one is known, and the
 * event is of the kernel, another thread has the CPU. Not inlined: it is rare. */
static __attribute__((noinline)) void note_other_thread(struct lane_timeline *tl,
							const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;

	if (event->wire.tid >= 0 && kind != LANE_SWITCH && is_in_thread[kind] &&
	    event->wire.origin <= LANE_ORIGIN_FUNCTION)
		timeline_thread_turns_up(tl, event);
}

/* Notes what any event says of its CPU. */
static inline void timeline_note_cpu(struct lane_timeline *tl, const struct lane_event *event,
				     uint32_t kind, uint64_t now_ns)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);
	uint32_t of = traits[kind];
	bool is_work;

	if (!cpu)
		return;
	if (cpu->tid != event->wire.tid && cpu->tid >= 0)
		note_other_thread(tl, event);
	if (tl->info.submission == LANE_SUBMISSION_GUC)
		note_guc(tl, cpu, event, kind, now_ns);
	is_work = is_of_breadcrumbs(tl, cpu, of);
	if (!is_work) {
		cpu->event = tl->now.event;
		cpu->work_ns = 0;
	} else if (!cpu->work_ns || now_ns > cpu->at_ns + WORK_NS) {
		cpu->work_ns = now_ns;
	}
	if (of & OF_TASKLET)
		cpu->tasklet_event = cpu->event;
	if ((of & OF_DEQUEUE) && !cpu->work_ns)
		note_dequeue(cpu, now_ns);
	note_signal(cpu, event, kind, of);
	if (kind != LANE_LOST) {
		cpu->before_ns = cpu->at_ns;
		cpu->at_ns = now_ns;
	}
	if (cpu->tasklet)
		timeline_tasklet_leave(tl, cpu, event);
}

static void on_fence(struct lane_timeline *tl, const struct lane_event *event)
{
	bool may_be_job = tl->jobs || event->wire.kind == LANE_FENCE_INIT;

	if (!may_be_job || !timeline_job_fence_event(tl, event))
		timeline_fence_event(tl, event);
	if (tl->jobs && tl->jobs->userq && event->wire.kind == LANE_FENCE_SIGNALED)
		timeline_userq_signalled(tl, event);
	if (tl->stalls || event->wire.kind == LANE_FENCE_INIT)
		timeline_stall_fence(tl, event);
	if (tl->screens && event->wire.kind == LANE_FENCE_SIGNALED)
		timeline_flip_signal(tl, event);
}

static void on_job_queue(struct lane_timeline *tl, const struct lane_event *event)
{
	timeline_job_event(tl, event);
	timeline_stall_job(tl, event);
}

static void on_pagefault(struct lane_timeline *tl, const struct lane_event *event)
{
	timeline_driver_event(tl, event);
	timeline_stall_event(tl, event);
}

static void on_switch(struct lane_timeline *tl, const struct lane_event *event)
{
	timeline_thread_switch(tl, event);
	if (tl->stalls && event->u.sched_switch.prev_state)
		timeline_stall_sleeps(tl, event->u.sched_switch.prev_tid);
}

static void on_exit_(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_thr *thr = timeline_thread_get(tl, event->u.sched_process_exit.tid);

	if (thr && tl->marked && event->wire.tid == event->u.sched_process_exit.tid)
		timeline_thread_divide(tl, event);
	if (thr)
		timeline_range_exit(tl, thr, event->wire.ts_ns);
	timeline_process_event(tl, event);
}

static void on_wake(struct lane_timeline *tl, const struct lane_event *event)
{
	timeline_thread_wakeup(tl, event);
	if (tl->works)
		timeline_work_woken(tl, event);
}

static void on_counter(struct lane_timeline *tl, const struct lane_event *event)
{
	timeline_narrow_event(tl, event);
	if (tl->hooks.counter)
		tl->hooks.counter(tl->hooks.arg, event);
}

static void on_resumed(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_rq *rq = timeline_job_of_thread(tl, event->wire.tid);

	if (timeline_stall_resumed(tl, event, rq))
		timeline_job_woke(tl, rq, event->wire.ts_ns);
}

/* What reads the events of each kind first; NULL: nothing does. */
static void (*const on_kind[LANE_KIND_COUNT])(struct lane_timeline *tl,
					      const struct lane_event *event) = {
	[0 ... LANE_RQ_WAIT_END] = timeline_request_event,
	[LANE_CL_ENTRY... LANE_CL_CLOCK] = timeline_command_begin,
	[LANE_DRM_QUEUE] = on_job_queue,
	[LANE_DRM_QUEUE + 1 ... LANE_DRM_DONE] = timeline_job_event,
	[LANE_XE_TIMEDOUT... LANE_XE_PAGEFAULT - 1] = timeline_driver_event,
	[LANE_XE_PAGEFAULT] = on_pagefault,
	[LANE_XE_PAGEFAULT + 1 ... LANE_V3D_RESET_END] = timeline_driver_event,
	[LANE_XE_JOB_QUEUE... LANE_XE_FENCE_SIGNAL] = timeline_driver_event,
	[LANE_RECLAIM_BEGIN... LANE_RESUME_BEGIN] = timeline_stall_event,
	[LANE_RESUME_END] = on_resumed,
	[LANE_FENCE_INIT... LANE_FENCE_WAIT_END] = on_fence,
	[LANE_FENCE_ERROR] = timeline_fault_event,
	[LANE_SYNCOBJ_WAIT... LANE_SYNCOBJ_WAITED] = timeline_kernel_wait_event,
	[LANE_RESET] = timeline_fault_event,
	[LANE_FRAME... LANE_FRAME_END] = timeline_mark_event,
	[LANE_RANGE... LANE_RANGE_END] = timeline_range_event,
	[LANE_VBLANK... LANE_FLIP_CONNECTOR] = timeline_flip_event,
	[LANE_SWITCH] = on_switch,
	[LANE_WAKING... LANE_WAKEUP] = on_wake,
	[LANE_WAKEUP_NEW] = timeline_thread_wakeup,
	[LANE_MIGRATE] = timeline_thread_migrate,
	[LANE_CPU_IDLE] = timeline_cpu_sleeps,
	[LANE_CPU_CLOCK] = timeline_cpu_clock,
	[LANE_SOFTIRQ_ENTRY... LANE_SOFTIRQ_EXIT] = timeline_cpu_softirq,
	[LANE_FORK... LANE_EXEC] = timeline_process_event,
	[LANE_EXIT] = on_exit_,
	[LANE_STATEDUMP] = timeline_process_event,
	[LANE_PORTS] = timeline_engine_ports,
	[LANE_COUNTER... LANE_SAMPLE] = on_counter,
	[LANE_WORK_QUEUE... LANE_WORK_END] = timeline_work_event,
	[LANE_LOST] = timeline_loss_event,
};

/* OpenCL's commands read all other events, too, once there are any commands. */
static inline void dispatch(struct lane_timeline *tl, const struct lane_event *event, uint32_t kind)
{
	if (on_kind[kind])
		on_kind[kind](tl, event);
	if (tl->cl)
		timeline_command_event(tl, event);
}

struct lane_error *timeline_push(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;
	uint32_t kind = event->wire.kind;

	tl->pushed = event;
	tl->now.event = ++tl->pushes;
	if (tl->released)
		timeline_tasklet_release(tl);
	if (kind >= LANE_KIND_COUNT || lane_is_finding(kind))
		return NULL; /* findings in an exported trace are found anew */
	if (!tl->figures.events && !tl->figures.by_kind[LANE_STATEDUMP])
		first_event(tl, now_ns);
	if (kind != LANE_STATEDUMP) /* that tells a name: nothing happens */
		tl->figures.events++;
	tl->figures.by_kind[kind]++;
	if (lane_is_stack(kind)) { /* what it is of comes next */
		timeline_stack_event(tl, event);
		return timeline_state_of(tl);
	}
	pass_losses(tl, event, now_ns);
	timeline_note_cpu(tl, event, kind, now_ns);
	if (kind != LANE_LOST)
		tl->now.ns = now_ns;
	dispatch(tl, event, kind);
	if (now_ns > tl->figures.end_ns)
		tl->figures.end_ns = now_ns;
	return timeline_state_of(tl);
}

bool timeline_is_void(const struct lane_timeline *tl)
{
	return tl->figures.loss_unforeseen;
}

void timeline_hush(struct lane_timeline *tl)
{
	tl->hooks = (struct lane_hooks){ 0 };
}

/* Which of the open jobs of drm_sched are over, and which still wait for others. */
static void settle_jobs(struct lane_timeline *tl)
{
	struct lane_rq *rq, *next;

	for (uint32_t i = 0; i < tl->n_contexts; i++)
		for (rq = tl->context_by_id[i]->first; rq; rq = next) {
			next = rq->next;
			if (rq->job)
				timeline_job_settle_overtaken(tl, rq);
		}
	for (uint32_t i = 0; i < tl->n_contexts; i++)
		for (rq = tl->context_by_id[i]->first; rq; rq = rq->next)
			if (rq->job) {
				timeline_job_settle_open(tl, rq);
				timeline_job_note_awaited(tl, rq);
			}
}

struct lane_error *timeline_finish(struct lane_timeline *tl, bool is_stoppable)
{
	const volatile sig_atomic_t never = 0, *stop = is_stoppable ? &lane_stop_signal : &never;
	uint32_t by_state[LANE_RQ_STATE_COUNT];
	uint32_t open = tl->figures.open_requests;
	uint64_t now_ns = tl->figures.end_ns;

	tl->pushed = NULL;
	tl->now.event = 0;
	settle_jobs(tl);
	memcpy(by_state, tl->figures.by_state, sizeof(by_state));
	timeline_loss_advance(tl, now_ns);
	timeline_kernel_wait_finish(tl);
	timeline_command_finish(tl);
	timeline_stall_finish(tl);
	timeline_flip_finish(tl);
	tl->is_finishing = true;
	for (uint32_t i = 0; i < tl->n_engines; i++) {
		if (!tl->engine_by_id[i]->ring)
			timeline_tasklet_cut(tl, tl->engine_by_id[i], now_ns, false);
		timeline_engine_settle(tl, tl->engine_by_id[i], NULL);
		timeline_idle_cut(tl, tl->engine_by_id[i], now_ns);
	}
	for (size_t i = 0; tl->threads.slots && i <= tl->threads.mask && !*stop; i++)
		if (tl->threads.slots[i].value)
			timeline_thread_flush(tl, tl->threads.slots[i].value, now_ns);
	timeline_cpus_flush(tl, now_ns);
	for (uint32_t i = 0; i < tl->n_contexts; i++) {
		while (tl->context_by_id[i]->first && !*stop) {
			struct lane_rq *rq = tl->context_by_id[i]->first;

			if (!rq->release.is_due)
				rq->pub.doubt |= LANE_DOUBT_GONE;
			if (rq->job)
				timeline_job_done(tl, rq);
			else
				timeline_request_done(tl, rq);
		}
	}
	memcpy(tl->figures.by_state, by_state, sizeof(by_state));
	tl->figures.open_requests = open;
	if (*stop)
		return lane_error("interrupted");
	return tl->no_memory ? &lane_enomem : NULL;
}

void timeline_destroy(struct lane_timeline *tl)
{
	if (!tl)
		return;
	for (size_t i = 0; tl->threads.slots && i <= tl->threads.mask; i++) {
		struct lane_thr *thr = tl->threads.slots[i].value;

		if (thr) {
			free(thr->waiting);
			free(thr->slots);
			free(thr->stacks);
			free(thr->place);
			free(thr->actor);
			free(thr->worker);
		}
	}
	for (uint32_t i = 0; i < tl->n_engines; i++) {
		free(tl->engine_by_id[i]->tasklet.held);
		free(tl->engine_by_id[i]->tasklet.sum);
	}
	timeline_command_free(tl);
	timeline_jobs_free(tl);
	timeline_narrow_free(tl);
	timeline_stall_free(tl);
	timeline_flip_free(tl);
	timeline_mark_free(tl);
	lane_table_free(&tl->requests);
	lane_table_free(&tl->contexts);
	lane_table_free(&tl->by_fence);
	lane_table_free(&tl->engines);
	lane_table_free(&tl->clients);
	lane_table_free(&tl->errors);
	free(tl->kept_errors);
	lane_table_free(&tl->threads);
	lane_pool_free(&tl->rq_pool);
	lane_pool_free(&tl->thr_pool);
	lane_pool_free(&tl->waiter_pool);
	lane_pool_free(&tl->note_pool);
	lane_pool_free(&tl->ctx_pool);
	lane_pool_free(&tl->eng_pool);
	lane_pool_free(&tl->client_pool);
	lane_pool_free(&tl->heads_pool);
	lane_pool_free(&tl->took_pool);
	lane_pool_free(&tl->kernel_wait_pool);
	timeline_work_free(tl);
	free(tl->engine_by_id);
	free(tl->context_by_id);
	free(tl->client_by_id);
	for (uint32_t i = 0; i < tl->n_cpus; i++)
		free(tl->cpus[i].past);
	for (uint32_t i = 0; i < tl->n_lost_of; i++)
		free(tl->lost_of[i].of);
	free(tl->lost_of);
	free(tl->cpus);
	free(tl->losses);
	free(tl->ends_due);
	free(tl);
}

void timeline_figures(const struct lane_timeline *tl, struct lane_timeline_figures *figures)
{
	*figures = tl->figures;
	figures->until_ns = timeline_later(tl->figures.end_ns, tl->info.stop_ns);
	figures->ring_unforeseen |=
		timeline_jobs_by_driver(tl)
			? !timeline_is_absent(tl, LANE_DRM_QUEUE)
			: tl->jobs && tl->jobs->is_stood_for && !tl->has_foreseen_jobs;
	figures->clock_unforeseen = timeline_is_clock_unforeseen(tl);
}

const struct lane_trace_info *timeline_info(const struct lane_timeline *tl)
{
	return &tl->info;
}

void timeline_each_open(const struct lane_timeline *tl,
			void (*fn)(void *arg, const struct lane_request *rq), void *arg)
{
	for (uint32_t i = 0; i < tl->n_contexts; i++) {
		struct lane_rq *rq = tl->context_by_id[i]->live;

		while (rq && rq->job && rq->job->later.ns)
			rq = rq->next;
		if (!rq)
			continue;
		if (rq->job)
			timeline_job_note_awaited(tl, rq);
		fn(arg, &rq->pub);
	}
}

void timeline_each_ended(const struct lane_timeline *tl,
			 void (*fn)(void *arg, const struct lane_request *rq), void *arg)
{
	for (uint32_t i = 0; i < tl->n_contexts; i++)
		for (struct lane_rq *rq = tl->context_by_id[i]->first; rq; rq = rq->next) {
			struct lane_request pub = rq->pub;

			if (!timeline_request_has_ended(rq))
				continue;
			pub.doubt |= LANE_DOUBT_GONE;
			pub.has_signals = timeline_request_has_signals(tl, rq);
			fn(arg, &pub);
		}
}

const struct lane_loss *timeline_losses(const struct lane_timeline *tl, size_t *n_losses)
{
	*n_losses = tl->n_losses;
	return tl->losses;
}

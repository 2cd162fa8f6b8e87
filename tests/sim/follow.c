// SPDX-License-Identifier: MIT
// What is left of a trace that follows one process, as docs/bpf.md says that it is filtered: what
// others do is not recorded, and nothing announces it.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum {
	MOST_THREADS = 4096,
	MOST_CONTEXTS = 4096,
};

struct follower {
	int32_t pid;
	int32_t tids[MOST_THREADS]; /* its threads */
	int32_t on[MOST_THREADS];   /* the CPU for which one waits, -1: none */
	unsigned int n_tids;
	uint64_t contexts[MOST_CONTEXTS];
	unsigned int n_contexts;
	unsigned int waiting[SIM_MAX_CPUS];
};

static int thread_of(const struct follower *f, int32_t tid)
{
	for (unsigned int i = 0; i < f->n_tids; i++)
		if (f->tids[i] == tid)
			return (int)i;
	return -1;
}

static void add_thread(struct follower *f, int32_t tid)
{
	if (tid <= 0 || thread_of(f, tid) >= 0 || f->n_tids == MOST_THREADS)
		return;
	f->tids[f->n_tids] = tid;
	f->on[f->n_tids++] = -1;
}

static void waits_no_more(struct follower *f, int32_t tid)
{
	int i = thread_of(f, tid);

	if (i < 0 || f->on[i] < 0)
		return;
	f->waiting[f->on[i]]--;
	f->on[i] = -1;
}

static void waits_on(struct follower *f, int32_t tid, int cpu)
{
	int i = thread_of(f, tid);

	waits_no_more(f, tid);
	if (i < 0 || cpu < 0 || cpu >= SIM_MAX_CPUS)
		return;
	f->on[i] = cpu;
	f->waiting[cpu]++;
}

static bool has_context(const struct follower *f, uint64_t context)
{
	for (unsigned int i = 0; i < f->n_contexts; i++)
		if (f->contexts[i] == context)
			return true;
	return false;
}

/* is_owner: the event happens in the process that works with the context, which is then known. */
static bool wants_context(struct follower *f, const struct lane_event *event, uint64_t context,
			  bool is_owner)
{
	if (is_owner && event->wire.pid == f->pid && !has_context(f, context) &&
	    f->n_contexts < MOST_CONTEXTS)
		f->contexts[f->n_contexts++] = context;
	return has_context(f, context);
}

static bool wants_switch(struct follower *f, const struct lane_event *event)
{
	const struct lane_p_sched_switch *sw = &event->u.sched_switch;
	bool is_prev = thread_of(f, sw->prev_tid) >= 0, is_next = thread_of(f, sw->next_tid) >= 0;
	bool wants = is_prev || is_next || f->waiting[event->cpu];

	waits_no_more(f, sw->next_tid);
	waits_no_more(f, sw->prev_tid);
	if (is_prev && !sw->prev_state)
		waits_on(f, sw->prev_tid, event->cpu);
	return wants;
}

static bool wants_migration(struct follower *f, const struct lane_p_sched_migrate_task *move)
{
	int i = thread_of(f, move->tid);

	if (i >= 0 && f->on[i] >= 0)
		waits_on(f, move->tid, (int)move->dest_cpu);
	return i >= 0;
}

static bool wants_scheduling(struct follower *f, const struct lane_event *event)
{
	int32_t tid = event->u.sched_wakeup.tid;

	switch (event->wire.kind) {
	case LANE_SWITCH:
		return wants_switch(f, event);
	case LANE_MIGRATE:
		return wants_migration(f, &event->u.sched_migrate_task);
	default:
		if (event->wire.kind != LANE_WAKING)
			waits_on(f, tid, (int)event->u.sched_wakeup.target_cpu);
		return thread_of(f, tid) >= 0 || event->wire.pid == f->pid;
	}
}

static bool wants_ports(const struct follower *f, const struct lane_p_i915_engine_ports *on)
{
	return has_context(f, on->ctx0) || has_context(f, on->ctx1);
}

static bool wants(struct follower *f, const struct lane_event *event)
{
	unsigned int kind = event->wire.kind;

	if (kind == LANE_STATEDUMP)
		return event->u.lttng_statedump_process_state.pid == f->pid;
	if (kind >= LANE_SWITCH && kind <= LANE_MIGRATE)
		return wants_scheduling(f, event);
	if (kind == LANE_PORTS)
		return wants_ports(f, &event->u.i915_engine_ports);
	if (lane_is_drm(kind))
		return wants_context(f, event, event->u.drm.fence_context, kind == LANE_DRM_QUEUE);
	if (lane_is_request(kind))
		return wants_context(f, event, event->u.rq.ctx,
				     kind == LANE_RQ_QUEUE || kind == LANE_RQ_ADD ||
					     kind == LANE_RQ_WAIT_BEGIN);
	if (kind >= LANE_FENCE_INIT && kind <= LANE_FENCE_WAIT_END)
		return wants_context(f, event, event->u.fence.context, kind == LANE_FENCE_INIT);
	return event->wire.pid == f->pid;
}

/* One of the processes that submit; 0: none does. */
static int32_t choose(const struct lane_event *events, size_t n, uint64_t seed)
{
	size_t n_submits = 0, at;

	for (size_t i = 0; i < n; i++)
		n_submits += (events[i].wire.kind == LANE_RQ_ADD ||
			      events[i].wire.kind == LANE_DRM_QUEUE) &&
			     events[i].wire.pid > 0;
	at = n_submits ? random_bits(&seed) % n_submits : 0;
	for (size_t i = 0; i < n && n_submits; i++)
		if ((events[i].wire.kind == LANE_RQ_ADD || events[i].wire.kind == LANE_DRM_QUEUE) &&
		    events[i].wire.pid > 0 && !at--)
			return events[i].wire.pid;
	return 0;
}

size_t sim_follow(struct lane_event *events, size_t n, uint64_t seed, struct lane_trace_info *info)
{
	struct follower *f = calloc(1, sizeof(*f));
	size_t kept = 0;

	if (!f)
		return n;
	f->pid = choose(events, n, seed);
	/* All of its threads, as the kernel knows them. */
	for (size_t i = 0; i < n; i++) {
		if (events[i].wire.kind == LANE_STATEDUMP &&
		    events[i].u.lttng_statedump_process_state.pid == f->pid)
			add_thread(f, events[i].u.lttng_statedump_process_state.tid);
		if (events[i].wire.pid == f->pid)
			add_thread(f, events[i].wire.tid);
	}
	for (size_t i = 0; i < n; i++)
		if (wants(f, &events[i]))
			events[kept++] = events[i];
	info->follows_some = true;
	free(f);
	return kept;
}

// SPDX-License-Identifier: MIT
// Which requests, calls and commands are not over, and what ends them.
#include "latency/open.h"

#include <stdio.h>
#include <string.h>

const char *const latency_kernel_wait_names[LANE_KERNEL_WAITS] = {
	[LANE_KERNEL_WAIT_FENCE] = "a wait for a fence",
	[LANE_KERNEL_WAIT_SYNCOBJ] = "SYNCOBJ_WAIT",
	[LANE_KERNEL_WAIT_BIND] = "xe's VM_BIND",
	[LANE_KERNEL_WAIT_USER_FENCE] = "xe's WAIT_USER_FENCE",
};

/* Bursts come behind all others: that they go on is no news. */
static bool open_is_before(const struct lane_open *a, const struct lane_open *b)
{
	bool is_burst = a->request.doubt & LANE_DOUBT_BURST;

	if (is_burst != !!(b->request.doubt & LANE_DOUBT_BURST))
		return !is_burst;
	return a->since_ns < b->since_ns;
}

void latency_open_add(struct lane_opens *opens, const struct lane_request *rq)
{
	struct lane_open open = { *rq, rq->seen & LANE_SEEN_QUEUE ? rq->queue_ns : rq->add_ns };
	uint32_t at = opens->n;

	if (!(rq->seen & LANE_SEEN_ADD) || rq->state == LANE_RQ_STATE_ENDED)
		return;
	opens->is_cut |= at == LANE_OPENS;
	if (at == LANE_OPENS && !open_is_before(&open, &opens->of[at - 1]))
		return;
	if (at < LANE_OPENS)
		opens->n++;
	else
		at--;
	for (; at && open_is_before(&open, &opens->of[at - 1]); at--)
		opens->of[at] = opens->of[at - 1];
	opens->of[at] = open;
}

static void open_add(void *arg, const struct lane_request *rq)
{
	latency_open_add(arg, rq);
}

void latency_opens_of(const struct lane_timeline *timeline, struct lane_opens *opens)
{
	opens->n = 0;
	opens->is_cut = false;
	timeline_each_open(timeline, open_add, opens);
}

static bool is_call_before(const struct lane_open_call *a, const struct lane_open_call *b)
{
	if (a->has_call != b->has_call)
		return a->has_call;
	if (a->since_ns != b->since_ns)
		return a->since_ns < b->since_ns;
	return a->call.tid != b->call.tid ? a->call.tid < b->call.tid : a->wait.tid < b->wait.tid;
}

/* A call says it already. */
static bool open_is_told(const struct lane_open_calls *calls, const struct lane_open_call *open)
{
	for (uint32_t i = 0; i < calls->n && !open->has_call && !open->has_wait; i++)
		if (calls->of[i].pid == open->pid && calls->of[i].has_command &&
		    calls->of[i].command_ns == open->command_ns)
			return true;
	return false;
}

static void copy_command(struct lane_open_call *open, const struct lane_unended *unended)
{
	const struct lane_command *command = unended->command;

	open->has_command = true;
	open->pid = command->pid;
	open->command_ns = command->call_ns;
	open->class = command->class;
	snprintf(open->name, sizeof(open->name), "%s", command->name);
	open->is_own = unended->call && unended->call->begin_ns == command->call_ns &&
		       unended->call->tid == command->tid;
	open->since_ns = command->call_ns;
	open->has_request = unended->request;
	if (unended->request)
		open->request = *unended->request;
}

static void copy_wait(struct lane_open_call *open, const struct lane_unended *unended)
{
	open->has_wait = true;
	open->wait = *unended->wait;
	open->pid = unended->wait->pid;
	open->since_ns = unended->wait->begin_ns;
	open->has_request = unended->request;
	if (unended->request)
		open->request = *unended->request;
}

void latency_open_call_add(struct lane_open_calls *calls, const struct lane_unended *unended)
{
	struct lane_open_call open = { .has_call = unended->call,
				       .is_beside = unended->is_beside,
				       .more = unended->more,
				       .usual = unended->usual,
				       .moved_ns = unended->moved_ns };
	uint32_t at = calls->n;

	snprintf(open.comm, sizeof(open.comm), "%.15s", unended->comm);
	if (unended->command)
		copy_command(&open, unended);
	if (unended->call) {
		open.call = *unended->call;
		open.call.awaited_name = NULL;
		open.pid = unended->call->pid;
		open.since_ns = unended->call->begin_ns;
	}
	if (unended->wait)
		copy_wait(&open, unended);
	/* A thread of that number in another process is another one: numbers may be a container's.
	 */
	if (unended->thread && (unended->thread->pid == open.pid || unended->thread->pid < 0)) {
		open.thread_state = unended->thread->state;
		open.thread_ns = unended->thread->since_ns;
	}
	if (open_is_told(calls, &open))
		return;
	calls->is_cut |= at == LANE_OPENS;
	if (at == LANE_OPENS && !is_call_before(&open, &calls->of[at - 1]))
		return;
	if (at < LANE_OPENS)
		calls->n++;
	else
		at--;
	for (; at && is_call_before(&open, &calls->of[at - 1]); at--)
		calls->of[at] = calls->of[at - 1];
	calls->of[at] = open;
}

static void open_add_call(void *arg, const struct lane_unended *unended)
{
	latency_open_call_add(arg, unended);
}

void latency_open_calls_of(const struct lane_timeline *timeline, uint64_t now_ns,
			   struct lane_open_calls *calls)
{
	calls->n = 0;
	calls->is_cut = false;
	timeline_each_unended(timeline, now_ns, open_add_call, calls);
}

static bool open_is_recorded(const struct lane_timeline *timeline, enum lane_kind kind)
{
	struct lane_timeline_figures figures;

	timeline_figures(timeline, &figures);
	return timeline_info(timeline)->presence[kind] == LANE_PRESENCE_RECORDED ||
	       figures.by_kind[kind];
}

/* It has been open for so long, and nothing has been lost since it began. */
static bool is_seen(const struct lane_timeline *timeline, uint64_t since_ns, uint64_t now_ns,
		    uint64_t least_ns)
{
	const struct lane_loss *losses;
	size_t n;

	if (now_ns < since_ns || now_ns - since_ns < least_ns)
		return false;
	losses = timeline_losses(timeline, &n);
	for (size_t i = 0; i < n; i++)
		if (losses[i].end_ns >= since_ns && losses[i].begin_ns <= now_ns)
			return false;
	return true;
}

bool latency_open_is_certain(const struct lane_timeline *timeline, const struct lane_open *open,
			     uint64_t now_ns, uint64_t least_ns)
{
	const struct lane_request *rq = &open->request;
	enum lane_kind end = rq->context->is_drm ? LANE_DRM_DONE : LANE_RQ_RETIRE;
	/* Of a job that was not handed over, whose queue is closed, the fence alone is signalled
	 * (drm_sched_entity_kill_jobs_work() of scheduler/sched_entity.c). */
	bool has_end = !rq->context->is_drm || (rq->seen & LANE_SEEN_EXECUTE);

	return ((has_end && open_is_recorded(timeline, end)) ||
		open_is_recorded(timeline, LANE_FENCE_SIGNALED)) &&
	       is_seen(timeline, open->since_ns, now_ns, least_ns);
}

/* The process may have ended in its call: its exit is recorded, or its thread is seen to live, or
 * the recording ended with it. */
static bool is_alive(const struct lane_timeline *timeline, const struct lane_open_call *open)
{
	return open->pid == timeline_info(timeline)->command_pid ||
	       open_is_recorded(timeline, LANE_EXIT) ||
	       (open_is_recorded(timeline, LANE_SWITCH) &&
		open->thread_state >= LANE_THREAD_RUNNING &&
		open->thread_state <= LANE_THREAD_BLOCKED);
}

/* What shows that it is over is recorded. */
static bool tells_ends(const struct lane_timeline *timeline, const struct lane_open_call *open)
{
	static const enum lane_kind ends[LANE_KERNEL_WAITS] = {
		[LANE_KERNEL_WAIT_SYNCOBJ] = LANE_SYNCOBJ_WAITED,
		[LANE_KERNEL_WAIT_BIND] = LANE_XE_LEAVE,
		[LANE_KERNEL_WAIT_USER_FENCE] = LANE_XE_LEAVE,
	};
	enum lane_kind end = LANE_CL_EXIT;

	if (open->has_wait && open->wait.how == LANE_KERNEL_WAIT_FENCE)
		end = open->has_request && open->request.context->is_drm ? LANE_FENCE_WAIT_END
									 : LANE_RQ_WAIT_END;
	else if (open->has_wait)
		end = ends[open->wait.how];
	return timeline_info(timeline)->presence[end] != LANE_PRESENCE_ABSENT;
}

bool latency_open_call_is_certain(const struct lane_timeline *timeline,
				  const struct lane_open_call *open, uint64_t now_ns,
				  uint64_t least_ns)
{
	const struct lane_trace_info *info = timeline_info(timeline);

	/* A recording without an end lacks the last events of some CPUs. */
	if (info->ending == LANE_ENDING_NONE || info->ending == LANE_ENDING_FAILED ||
	    !tells_ends(timeline, open))
		return false;
	return is_alive(timeline, open) && is_seen(timeline, open->since_ns, now_ns, least_ns);
}

bool latency_open_call_goes_on(const struct lane_open_call *open, uint64_t now_ns)
{
	if (open->has_wait)
		return open->has_request && open->request.state != LANE_RQ_STATE_ENDED;
	return open->moved_ns && now_ns < open->moved_ns + LANE_OPEN_LONG_NS;
}

/* An engine of i915 by its class, and its number but for a virtual one. */
static bool is_i915_row(const struct lane_engine_limits *row, const struct lane_engine *engine)
{
	static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };
	char name[16];

	if (row->card != engine->dev || engine->class >= sizeof(classes) / sizeof(classes[0]))
		return false;
	if (timeline_engine_is_virtual(engine))
		return !strncmp(row->engine, classes[engine->class],
				strlen(classes[engine->class]));
	snprintf(name, sizeof(name), "%s%u", classes[engine->class], engine->instance);
	return !strcmp(row->engine, name);
}

/* A queue of xe: its ring's name is the class of its engines and a number. */
static bool is_xe_row(const struct lane_engine_limits *row, const struct lane_engine *engine)
{
	size_t n = strlen(row->engine);

	return !strcmp(engine->driver, "xe") && !strcmp(row->dev, engine->device) &&
	       !strncmp(engine->name, row->engine, n) && engine->name[n] >= '0' &&
	       engine->name[n] <= '9';
}

static const struct lane_engine_limits *open_row_of(const struct lane_trace_info *info,
						    const struct lane_engine *engine)
{
	const struct lane_limits *limits = &info->limits;

	for (uint32_t i = 0; engine && i < limits->n; i++)
		if (engine->name ? is_xe_row(&limits->of[i], engine)
				 : is_i915_row(&limits->of[i], engine))
			return &limits->of[i];
	return NULL;
}

/* From when on the limit counts; 0: not yet. */
static uint64_t from(const struct lane_request *rq, enum lane_request_seen what, uint64_t at_ns,
		     uint64_t limit_ns)
{
	return rq->seen & what ? at_ns + limit_ns : 0;
}

/*
 * A job's time-out counts from when it is the first on its ring (drm_sched_start_timeout() of
 * scheduler/sched_main.c), which is when it was handed over or later; xe gives a job more time that
 * has not run so long (guc_exec_queue_timedout_job() of xe/xe_guc_submit.c).
 */
static struct lane_ender ender_of_job(const struct lane_engine_limits *row,
				      const struct lane_request *rq)
{
	struct lane_ender ender = { .kind = LANE_ENDER_JOB };

	if (rq->doubt & LANE_DOUBT_BURST)
		return (struct lane_ender){ .kind = LANE_ENDER_LONG };
	if (rq->engine->timeout_ms == LANE_NO_TIMEOUT)
		return (struct lane_ender){ .kind = LANE_ENDER_NONE };
	ender.limit_ns = rq->engine->timeout_ms * UINT64_C(1000000);
	if (!ender.limit_ns && row)
		ender.limit_ns = row->ns[LANE_LIMIT_JOB];
	if (!ender.limit_ns)
		return (struct lane_ender){ 0 };
	ender.not_before_ns = from(rq, LANE_SEEN_EXECUTE, rq->execute_ns, ender.limit_ns);
	return ender;
}

/* i915 cancels requests of programs (__rq_arm_watchdog() of i915_request.c, out of
 * submit_notify()). */
struct lane_ender latency_open_ender(const struct lane_trace_info *info,
				     const struct lane_request *rq)
{
	const struct lane_engine_limits *row = open_row_of(info, rq->engine);
	struct lane_ender ender = { .kind = LANE_ENDER_NONE };

	if (rq->engine && rq->engine->name)
		return ender_of_job(row, rq);
	if (!row)
		return (struct lane_ender){ 0 };
	ender.heartbeat_ns = row->ns[LANE_LIMIT_HEARTBEAT];
	ender.limit_ns = rq->context->is_user ? row->ns[LANE_LIMIT_REQUEST] : 0;
	if (!ender.limit_ns)
		return ender;
	ender.kind = LANE_ENDER_REQUEST;
	ender.not_before_ns = from(rq, LANE_SEEN_SUBMIT, rq->submit_ns, ender.limit_ns);
	return ender;
}

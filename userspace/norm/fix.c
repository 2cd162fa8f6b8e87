// SPDX-License-Identifier: MIT
// Makes one trace's events today's: engine numbers, scheduler states.
#include "norm/fix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "norm/drm_jobs.h"
#include "norm/global_seqno.h"
#include "norm/marker_lines.h"

enum {
	INSTANCE_VIRTUAL_OLD = 254,
	INSTANCE_VIRTUAL = 65534,
};

struct lane_fix {
	unsigned int version;
	bool has_raw_states;		  /* prev_state is what stands in the task */
	bool has_state_numbers;		  /* prev_state is a state's number, not its bit */
	bool has_shifted_states;	  /* prev_state is the bit above a state's */
	struct lane_globals *globals;	  /* NULL until an event has a global seqno */
	struct lane_drm *drm;		  /* NULL until there is an event of drm_sched's */
	struct lane_frame_marks *marks;	  /* NULL until there is a line of trace_marker */
	bool has_lost;			  /* events were lost */
	bool follows_some;		  /* others' were not recorded */
	struct lane_foresight *foresight; /* NULL: losses are not known before they are told */
	uint32_t host;
	bool is_refused[LANE_KIND_COUNT];
	struct lane_error *error;
	uint64_t untracked;
};

unsigned int norm_release_version(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

/*
 * True for LTTng's kernel tracer up to 2.10.11, which wrote a thread's state as it is in the task
 * on Linux 4.14 and later, too (lttng-modules, instrumentation/events/lttng-module/sched.h).
 */
static bool writes_raw_states(const struct lane_trace_info *info)
{
	unsigned int major, minor, patch = 0;

	if (strcmp(info->tracer, "lttng") ||
	    sscanf(info->tracer_version, "%3u.%3u.%3u", &major, &minor, &patch) < 2)
		return false;
	return major < 2 || (major == 2 && (minor < 10 || (minor == 10 && patch <= 11)));
}

struct lane_error *norm_fix_create(const struct lane_trace_info *info, struct lane_fix **fix)
{
	*fix = calloc(1, sizeof(**fix));
	if (!*fix)
		return &lane_enomem;
	(*fix)->version = norm_release_version(info->release);
	(*fix)->has_raw_states = writes_raw_states(info);
	/* Until Linux 4.15 made a bit of what task_state_index() gives (its commit 3f5fe9fef5b2).
	 */
	(*fix)->has_state_numbers = (*fix)->version == 4014 && strcmp(info->tracer, "lttng") != 0;
	(*fix)->follows_some = info->follows_some;
	return NULL;
}

void norm_fix_foresee(struct lane_fix *fix, struct lane_foresight *foresight, uint32_t host)
{
	fix->foresight = foresight;
	fix->host = host;
}

void norm_fix_destroy(struct lane_fix *fix)
{
	if (!fix)
		return;
	norm_globals_destroy(fix->globals);
	norm_drm_destroy(fix->drm);
	free(fix->marks);
	lane_error_free(fix->error);
	free(fix);
}

void norm_fix_counts(const struct lane_fix *fix, struct lane_input_counts *counts)
{
	counts->untracked += fix->untracked + norm_globals_untracked(fix->globals);
}

/*
 * The engine of a number across classes: enum intel_engine_id of drivers/gpu/drm/i915, which had
 * two video engines up to Linux 4.16, four from 4.17 on, and left the events with 4.19.
 */
static void ring_to_engine(unsigned int version, unsigned int ring, uint16_t *class,
			   uint16_t *instance)
{
	static const struct {
		uint8_t class;
		uint8_t instance;
	} old[] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 2, 1 }, { 3, 0 } }, later[] = {
		{ 0, 0 }, { 1, 0 }, { 2, 0 }, { 2, 1 }, { 2, 2 }, { 2, 3 }, { 3, 0 }, { 3, 1 }
	};

	if (version < 4017 && ring < sizeof(old) / sizeof(old[0])) {
		*class = old[ring].class;
		*instance = old[ring].instance;
	} else if (ring < sizeof(later) / sizeof(later[0])) {
		*class = later[ring].class;
		*instance = later[ring].instance;
	} else {
		*class = LANE_RING_NONE;
		*instance = (uint16_t)ring;
	}
}

/* The states above TASK_REPORT's, as they stand in the task; see include/linux/sched.h. */
enum {
	REPORT_DEAD = 0x10,
	REPORT_UNINTERRUPTIBLE = 2,
	REPORT_IDLE = 0x80,
	OLD_DEAD = 0x40,    /* TASK_DEAD before Linux 4.14 */
	OLD_PARKED = 0x200, /* TASK_PARKED before 4.14, TASK_STATE_MAX before 3.9 */
	RAW_DEAD = 0x80,    /* TASK_DEAD from 4.14 on */
	REPORT_MAX = 0x100, /* preempted, from 4.14 on */
	/* TASK_RTLOCK_WAIT from 5.15 on; TASK_STATE_MAX, which says preempted, from 4.8 to 5.14 */
	BIT_12 = 0x1000,
};

/* Before Linux 4.14: as it is in the task, preempted is a bit beyond all states. */
static int64_t old_state(unsigned int version, uint64_t bits)
{
	if (bits == OLD_DEAD)
		return REPORT_DEAD;
	if (bits == OLD_PARKED && version >= 3009)
		return REPORT_UNINTERRUPTIBLE;
	if (bits & 0x7f)
		return 1ll << (63 - __builtin_clzll(bits & 0x7f));
	return bits >= 0x200 && !(bits & (bits - 1)) ? 0 : (int64_t)bits;
}

/*
 * The state a thread leaves its CPU in, as a bit of the kernel's TASK_REPORT, 0 when it could run
 * on. Preempted threads come as 0, as TASK_REPORT_MAX (Linux 4.14 on) or as TASK_STATE_MAX, a bit
 * beyond all states (before 4.14, and from tracers that write raw states); idle kernel threads as
 * 0x80 or as UNINTERRUPTIBLE|NOLOAD; see include/linux/sched.h, __trace_sched_switch_state() in
 * include/trace/events/sched.h.
 */
static int64_t prev_state(const struct lane_fix *fix, int64_t state)
{
	unsigned int version = fix->version;
	uint64_t bits = (uint64_t)state;

	if (state == LANE_STATE_UNKNOWN)
		return state;
	if (!bits || bits == REPORT_MAX)
		return 0;
	if ((bits & 0x402) == 0x402)
		return REPORT_IDLE;
	if (fix->has_state_numbers && bits < 9)
		return 1ll << (bits - 1);
	if (version && version < 4014)
		return old_state(version, bits);
	/* Nobody says which kernel. From 4.14 on its tracepoint writes no bit beyond 0x100. */
	if (!version && !fix->has_raw_states && bits >= OLD_PARKED && !(bits & (bits - 1)))
		return 0;
	if (bits & 0x7f)
		return 1ll << (63 - __builtin_clzll(bits & 0x7f));
	if (bits == BIT_12 && (fix->has_raw_states || (version && version < 5015)))
		return 0;
	if (bits == RAW_DEAD && fix->has_raw_states)
		return REPORT_DEAD;
	if (bits & BIT_12) /* told as UNINTERRUPTIBLE */
		return REPORT_UNINTERRUPTIBLE;
	return state;
}

/* What only events of old kernels need. */
static enum lane_fixed fix_old_request(struct lane_fix *fix, struct lane_event *event)
{
	struct lane_raw *raw = &event->raw;

	if (raw->ring != LANE_RING_NONE)
		ring_to_engine(fix->version, raw->ring, &event->u.rq.class, &event->u.rq.instance);
	if (event->u.rq.instance == INSTANCE_VIRTUAL_OLD)
		event->u.rq.instance = INSTANCE_VIRTUAL;
	if ((raw->global || raw->engine_notify) && !fix->globals) {
		fix->globals = norm_globals_create();
		fix->untracked += !fix->globals;
	}
	if (raw->engine_notify) {
		norm_globals_notify(fix->globals, event);
		return LANE_FIXED_MORE;
	}
	if (fix->globals)
		norm_globals_request(fix->globals, event);
	return LANE_FIXED;
}

static enum lane_fixed fix_request(struct lane_fix *fix, struct lane_event *event)
{
	const struct lane_raw *raw = &event->raw;

	if (raw->ring == LANE_RING_NONE && !raw->engine_notify && !raw->global && !fix->globals &&
	    event->u.rq.instance != INSTANCE_VIRTUAL_OLD)
		return LANE_FIXED;
	return fix_old_request(fix, event);
}

/*
 * A fence that has been signalled may have lost its driver, and its names with it: then the kernel
 * writes these in their place (drivers/dma-buf/dma-fence.c: dma_fence_driver_name() and
 * dma_fence_timeline_name(), Linux 7.3). They name nobody: the names are unknown.
 */
static void forget_detached(struct lane_p_dma_fence_init *fence)
{
	if (!strcmp(fence->driver, "detached-driver"))
		memset(fence->driver, 0, sizeof(fence->driver));
	if (!strcmp(fence->timeline, "signaled-timeline"))
		memset(fence->timeline, 0, sizeof(fence->timeline));
}

/* NULL: no memory. */
static struct lane_drm *drm_of(struct lane_fix *fix)
{
	if (!fix->drm) {
		fix->drm = norm_drm_create(fix->has_lost, fix->follows_some);
		if (fix->drm)
			norm_drm_foresee(fix->drm, fix->foresight, fix->host);
	}
	return fix->drm;
}

static enum lane_fixed fix_fence_init(struct lane_fix *fix, struct lane_event *event)
{
	forget_detached(&event->u.dma_fence_init);
	if (fix->drm || (!strcmp(event->u.dma_fence_init.driver, "drm_sched") && drm_of(fix)))
		norm_drm_fence(fix->drm, event);
	return LANE_FIXED;
}

static enum lane_fixed fix_fence_signaled(struct lane_fix *fix, struct lane_event *event)
{
	if (fix->drm)
		norm_drm_signal(fix->drm, event);
	return LANE_FIXED;
}

/* ftrace and perf say `pid` and mean the thread; of the processes they say nothing. */
static enum lane_fixed fix_fork(struct lane_fix *fix, struct lane_event *event)
{
	struct lane_p_sched_process_fork *fork = &event->u.sched_process_fork;

	(void)fix;
	if (fork->parent_tid < 0) {
		fork->parent_tid = fork->parent_pid;
		fork->parent_pid = -1;
	}
	if (fork->child_tid < 0) {
		fork->child_tid = fork->child_pid;
		fork->child_pid = -1;
	}
	return LANE_FIXED;
}

/*
 * Some stable kernels of 2018 write the bit above a state's (until "sched, trace: Fix prev_state
 * output in sched_switch tracepoint"): TASK_RUNNING as S, S as D; TASK_IDLE becomes what says
 * preempted. A CPU does not go idle by a preemption, and a worker mostly left its CPU for want of
 * work.
 */
static int64_t shifted_state(const struct lane_p_sched_switch *sw)
{
	uint64_t bits = (uint64_t)sw->prev_state;

	if (sw->prev_state == LANE_STATE_UNKNOWN)
		return sw->prev_state;
	if (bits && bits != REPORT_MAX)
		return (int64_t)(bits >> 1);
	return !sw->next_tid || !strncmp(sw->prev_comm, "kworker/", 8) ? REPORT_IDLE : 0;
}

static enum lane_fixed fix_switch(struct lane_fix *fix, struct lane_event *event)
{
	struct lane_p_sched_switch *sw = &event->u.sched_switch;

	/* The idle task has no other state than TASK_RUNNING. */
	if (sw->prev_state == 1 && !sw->prev_tid)
		fix->has_shifted_states = true;
	if (fix->has_shifted_states)
		sw->prev_state = shifted_state(sw);
	/* Could run on, or TASK_INTERRUPTIBLE: these are the same everywhere. */
	else if ((uint64_t)sw->prev_state > 1)
		sw->prev_state = prev_state(fix, sw->prev_state);
	return LANE_FIXED;
}

/* A loss is told when its time is over. Of a count that cannot be, nothing is known. */
static enum lane_fixed fix_lost(struct lane_fix *fix, struct lane_event *event)
{
	struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;

	if (lost->end_ns > event->wire.ts_ns)
		lost->end_ns = event->wire.ts_ns;
	if (lost->begin_ns > lost->end_ns)
		lost->begin_ns = lost->end_ns;
	if (!decode_lost_is_possible(lost->count, lost->begin_ns, lost->end_ns))
		lost->count = 0;
	fix->has_lost = true;
	if (fix->drm)
		norm_drm_lost(fix->drm);
	return LANE_FIXED;
}

void norm_fix_to_loss(struct lane_event *event)
{
	uint64_t ts_ns = event->wire.ts_ns;
	uint32_t host = event->host;
	int32_t cpu = event->cpu;

	*event = (struct lane_event){
		.wire = { .ts_ns = ts_ns, .kind = LANE_LOST, .tid = -1, .pid = -1 },
		.cpu = cpu,
		.host = host,
		.raw = { .ring = LANE_RING_NONE },
	};
	event->u.gpulane_lost = (struct lane_p_gpulane_lost){
		.count = 1, .begin_ns = ts_ns, .end_ns = ts_ns, .lost_cpu = cpu
	};
}

static enum lane_fixed fix_refuse(struct lane_fix *fix, unsigned int kind, const char *field)
{
	bool is_driver = lane_is_cause(kind);
	int length = is_driver ? (int)strcspn(lane_kinds[kind].name, "_") : 9;

	if (fix->is_refused[kind])
		return is_driver ? LANE_FIXED_AWAY : LANE_FIXED;
	fix->is_refused[kind] = true;
	lane_error_free(fix->error);
	fix->error = lane_error("%s: no field %s that can be read: of a kernel whose %.*s is not "
				"known (its events %s)",
				lane_kinds[kind].name, field, length,
				is_driver ? lane_kinds[kind].name : "drm_sched",
				is_driver ? "are left out" : "count as lost");
	return is_driver ? LANE_FIXED_GONE : LANE_FIXED_TOLD;
}

static enum lane_fixed fix_drm(struct lane_fix *fix, struct lane_event *event)
{
	enum lane_fixed fixed = LANE_FIXED;
	const char *field = NULL;

	switch (drm_of(fix) ? norm_drm_event(fix->drm, event, &field) : LANE_DRM_NO_MEMORY) {
	case LANE_DRM_FIXED:
		return LANE_FIXED;
	case LANE_DRM_NOBODYS:
		return LANE_FIXED_AWAY;
	case LANE_DRM_REFUSED:
		fixed = fix_refuse(fix, event->wire.kind, field);
		break;
	default:
		break;
	}
	norm_fix_to_loss(event);
	return fixed;
}

/* The first field that a driver's event needs and has not; NULL: it has all. */
static const char *missing_of_driver(const struct lane_event *event)
{
	static const unsigned char nothing[8] = { 255, 255, 255, 255, 255, 255, 255, 255 };
	const struct lane_need *need = lane_needs[event->wire.kind];

	for (const struct lane_need *end = need + LANE_NEEDS; need < end && need->field; need++)
		if (!memcmp((const char *)&event->u + need->offset, nothing, need->size))
			return need->field;
	return NULL;
}

/* A driver's event only adds to what drm_sched's say: where it cannot be read nothing is missing.
 */
static enum lane_fixed fix_driver(struct lane_fix *fix, struct lane_event *event)
{
	const char *field = missing_of_driver(event);

	if (field)
		return fix_refuse(fix, event->wire.kind, field);
	if (event->wire.kind == LANE_AMD_SUBMIT || event->wire.kind == LANE_LIMA_SUBMIT) {
		if (drm_of(fix))
			norm_drm_named(fix->drm, event);
	}
	return LANE_FIXED;
}

static enum lane_fixed fix_line(struct lane_fix *fix, struct lane_event *event)
{
	if (!fix->marks)
		fix->marks = calloc(1, sizeof(*fix->marks));
	return fix->marks && norm_marker_line(fix->marks, event) ? LANE_FIXED : LANE_FIXED_AWAY;
}

/* What is recorded for `watch --frame` is a mark as it is; others record all that programs write.
 */
static enum lane_fixed fix_frame(struct lane_fix *fix, struct lane_event *event)
{
	return event->wire.origin == LANE_ORIGIN_TRACEPOINT ? fix_line(fix, event) : LANE_FIXED;
}

/* A line as gpulane records it. One that was cut ends in dots. */
static enum lane_fixed fix_marker(struct lane_fix *fix, struct lane_event *event)
{
	const struct lane_p_gpulane_marker said = event->u.gpulane_marker;
	char *text = event->u.gpulane_frame.text;
	const size_t room = sizeof(said.text) - 1;

	memcpy(text, said.text, sizeof(said.text));
	if (said.bytes > room)
		memcpy(text + room - 3, "...", 4);
	event->wire.kind = LANE_FRAME;
	return fix_line(fix, event);
}

struct lane_error *norm_fix_error(struct lane_fix *fix)
{
	return LANE_TAKE(fix->error);
}

enum lane_fixed (*const lane_fix_kind[LANE_KIND_COUNT])(struct lane_fix *fix,
							struct lane_event *event) = {
	[0 ... LANE_RQ_WAIT_END] = fix_request,
	[LANE_DRM_QUEUE... LANE_DRM_DONE] = fix_drm,
	[LANE_XE_TIMEDOUT... LANE_CPU_CLOCK] = fix_driver,
	[LANE_XE_JOB_QUEUE... LANE_XE_FENCE_SIGNAL] = fix_driver,
	[LANE_FENCE_INIT] = fix_fence_init,
	[LANE_FENCE_SIGNALED] = fix_fence_signaled,
	[LANE_SWITCH] = fix_switch,
	[LANE_FRAME] = fix_frame,
	[LANE_MARKER] = fix_marker,
	[LANE_FORK] = fix_fork,
	[LANE_LOST] = fix_lost,
};

bool norm_fix_more(struct lane_fix *fix, struct lane_event *event)
{
	return fix->globals && norm_globals_next(fix->globals, event);
}

// SPDX-License-Identifier: MIT
// Makes one trace's events today's: engine numbers, widths, scheduler states.
#include "norm/fix.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "norm/global.h"

enum {
	WIDE_SLOTS = 4096, /* contexts remembered for widening, a power of two */
	INSTANCE_VIRTUAL_OLD = 254,
	INSTANCE_VIRTUAL = 65534,
};

/* The last context seen among those with the same low bits. */
struct wide {
	uint64_t context;
	bool ambiguous; /* another one with the same low 32 bits has been seen */
};

struct lane_fix {
	unsigned int version;
	struct lane_globals *globals; /* NULL until an event has a global seqno */
	uint64_t ambiguous;
	uint64_t untracked;
	bool wide_needed; /* a context does not fit in 32 bits */
	struct wide wide[WIDE_SLOTS];
};

unsigned int lane_release_version(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

struct lane_error *lane_fix_create(const struct lane_trace_info *info, struct lane_fix **fix)
{
	*fix = calloc(1, sizeof(**fix));
	if (!*fix)
		return &lane_enomem;
	(*fix)->version = lane_release_version(info->release);
	return NULL;
}

void lane_fix_destroy(struct lane_fix *fix)
{
	if (!fix)
		return;
	lane_globals_destroy(fix->globals);
	free(fix);
}

void lane_fix_counts(const struct lane_fix *fix, struct lane_input_counts *counts)
{
	counts->ambiguous += fix->ambiguous;
	counts->untracked += fix->untracked + lane_globals_untracked(fix->globals);
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

/* Contexts are spread by their low 32 bits alone: those that share them meet in one slot. */
static struct wide *wide_slot(struct lane_fix *fix, uint64_t context)
{
	return &fix->wide[(uint32_t)context * 2654435761u >> 20];
}

_Static_assert(WIDE_SLOTS == 1 << 12, "wide_slot takes the upper 12 bits");

/* Remembers a context in full width. */
static void wide_learn(struct lane_fix *fix, uint64_t context)
{
	struct wide *slot = wide_slot(fix, context);

	if (slot->context == context)
		return;
	if (context >> 32)
		fix->wide_needed = true;
	slot->ambiguous = slot->context && (uint32_t)slot->context == (uint32_t)context;
	slot->context = context;
}

/* Widens a context of 32 bits; false when two contexts share them. */
static bool wide_find(struct lane_fix *fix, __u64 *context)
{
	const struct wide *slot;

	if (!fix->wide_needed)
		return true;
	slot = wide_slot(fix, *context);
	if (!slot->context || (uint32_t)slot->context != *context)
		return true;
	*context = slot->context;
	return !slot->ambiguous;
}

/*
 * The state a thread leaves its CPU in, as a bit of the kernel's TASK_REPORT, 0 when it could run
 * on. Preempted threads come as 0, as TASK_REPORT_MAX (0x100, Linux 4.14 on) or as TASK_STATE_MAX,
 * a bit beyond all states (before); idle kernel threads as 0x80 or as UNINTERRUPTIBLE|NOLOAD; see
 * include/linux/sched.h, __trace_sched_switch_state() in include/trace/events/sched.h.
 */
static int64_t prev_state(unsigned int version, int64_t state)
{
	uint64_t bits = (uint64_t)state;

	if (!bits || bits == 0x100)
		return 0;
	if ((bits & 0x402) == 0x402)
		return 0x80;
	if (bits & 0x7f)
		return 1ll << (63 - __builtin_clzll(bits & 0x7f));
	if (version && version < 4014)
		return bits >= 0x200 && !(bits & (bits - 1)) ? 0 : state;
	if (bits & 0x1000) /* TASK_RTLOCK_WAIT, told as UNINTERRUPTIBLE */
		return 2;
	return state;
}

static enum lane_fixed fix_request(struct lane_fix *fix, struct lane_event *event)
{
	struct lane_raw *raw = &event->raw;

	if (raw->ring != LANE_RING_NONE)
		ring_to_engine(fix->version, raw->ring, &event->u.rq.class, &event->u.rq.instance);
	if (event->u.rq.instance == INSTANCE_VIRTUAL_OLD)
		event->u.rq.instance = INSTANCE_VIRTUAL;
	if (raw->engine_notify) {
		lane_globals_notify(fix->globals, event);
		return LANE_FIXED_MORE;
	}
	if (raw->global) {
		if (!fix->globals)
			fix->globals = lane_globals_create();
		fix->untracked += !fix->globals;
	}
	if (fix->globals)
		lane_globals_request(fix->globals, event);
	wide_learn(fix, event->u.rq.ctx);
	return LANE_FIXED;
}

static enum lane_fixed fix_fence(struct lane_fix *fix, struct lane_event *event)
{
	if (!event->raw.narrow) {
		wide_learn(fix, event->u.fence.context);
		return LANE_FIXED;
	}
	if (wide_find(fix, &event->u.fence.context))
		return LANE_FIXED;
	fix->ambiguous++;
	return LANE_FIXED_DROP;
}

enum lane_fixed lane_fix_event(struct lane_fix *fix, struct lane_event *event)
{
	unsigned int kind = event->wire.kind;

	if (lane_is_request(kind))
		return fix_request(fix, event);
	if (kind >= LANE_FENCE_INIT && kind <= LANE_FENCE_WAIT_END)
		return fix_fence(fix, event);
	if (kind == LANE_SWITCH)
		event->u.sched_switch.prev_state =
			prev_state(fix->version, event->u.sched_switch.prev_state);
	return LANE_FIXED;
}

bool lane_fix_more(struct lane_fix *fix, struct lane_event *event)
{
	return fix->globals && lane_globals_next(fix->globals, event);
}

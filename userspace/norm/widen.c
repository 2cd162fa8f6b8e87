// SPDX-License-Identifier: MIT
// Completes the contexts of fences of which a tracer has written 32 bits.
#include "norm/widen.h"

#include <stdlib.h>
#include <string.h>

#include "norm/drm_jobs.h"
#include "norm/fix.h"

enum {
	SET_BITS = 12,
	WAYS = 8, /* contexts remembered of a set */
};

struct known_context {
	uint64_t context; /* 0: none */
	bool is_shared;	  /* another one with the same low 32 bits has been seen */
};

/* Contexts whose low bits lead here, the one used last first: those that share them meet in it. */
struct set {
	struct known_context known[WAYS];
	bool has_forgotten; /* there were more */
};

struct lane_widen {
	bool is_needed; /* a context does not fit in 32 bits */
	uint64_t ambiguous;
	struct set sets[1 << SET_BITS];
};

struct lane_error *norm_widen_create(struct lane_widen **widen)
{
	*widen = calloc(1, sizeof(**widen));
	return *widen ? NULL : &lane_enomem;
}

void norm_widen_destroy(struct lane_widen *widen)
{
	free(widen);
}

uint64_t norm_widen_ambiguous(const struct lane_widen *widen)
{
	return widen->ambiguous;
}

static struct set *set_of(struct lane_widen *widen, uint64_t context)
{
	return &widen->sets[(uint32_t)context * 2654435761u >> (32 - SET_BITS)];
}

static bool share_low(uint64_t a, uint64_t b)
{
	return (uint32_t)a == (uint32_t)b;
}

/* Puts a context that is not in the set in its first place. */
static void insert(struct set *set, uint64_t context)
{
	struct known_context first = { .context = context };

	for (int i = 0; i < WAYS; i++) {
		struct known_context *known = &set->known[i];

		if (!known->context || !share_low(known->context, context))
			continue;
		known->is_shared = true;
		first.is_shared = true;
	}
	set->has_forgotten |= set->known[WAYS - 1].context != 0;
	memmove(set->known + 1, set->known, (WAYS - 1) * sizeof(first));
	set->known[0] = first;
}

/* Remembers a context in full width. */
static void widen_learn(struct lane_widen *widen, uint64_t context)
{
	struct set *set = set_of(widen, context);
	struct known_context known;

	if (!context || set->known[0].context == context)
		return;
	if (context >> 32)
		widen->is_needed = true;
	for (int i = 1; i < WAYS; i++) {
		if (set->known[i].context != context)
			continue;
		known = set->known[i];
		memmove(set->known + 1, set->known, (size_t)i * sizeof(known));
		set->known[0] = known;
		return;
	}
	insert(set, context);
}

/* Completes a context of 32 bits; false when it may be one of several, or one that is forgotten. */
static bool widen_complete(struct lane_widen *widen, __u64 *context)
{
	const struct set *set;

	if (!widen->is_needed)
		return true;
	set = set_of(widen, *context);
	for (int i = 0; i < WAYS && set->known[i].context; i++) {
		if (!share_low(set->known[i].context, *context))
			continue;
		*context = set->known[i].context;
		return !set->known[i].is_shared;
	}
	return !set->has_forgotten; /* else it is another driver's */
}

/* Nothing is concluded where an event may be of several contexts, as where one is lost. */
static void make_loss(struct lane_event *event)
{
	norm_fix_to_loss(event);
	event->raw.narrow = 1;
}

static bool complete_fence(struct lane_widen *widen, struct lane_event *event)
{
	if (widen_complete(widen, &event->u.fence.context))
		return true;
	widen->ambiguous++;
	if (event->wire.kind != LANE_FENCE_SIGNALED && event->wire.kind != LANE_FENCE_ENABLE_SIGNAL)
		return false;
	make_loss(event);
	return true;
}

/* A job's fences are two: the one that says that its ring has it comes before in number. */
static bool widen_drm(struct lane_widen *widen, struct lane_event *event)
{
	uint64_t context = event->u.drm.fence_context;
	unsigned int kind = event->wire.kind;

	if (event->raw.narrow && !widen_complete(widen, &event->u.drm.fence_context)) {
		widen->ambiguous++;
		make_loss(event);
		return true;
	}
	if (!event->raw.narrow && context < LANE_OWN_CONTEXT) {
		widen_learn(widen, context - 1);
		widen_learn(widen, context);
	}
	if (kind == LANE_DRM_ADD_DEP || kind == LANE_DRM_UNSCHEDULABLE)
		widen_learn(widen, event->u.drm_sched_job_add_dep.ctx);
	return true;
}

bool norm_widen_event(struct lane_widen *widen, struct lane_event *event)
{
	unsigned int kind = event->wire.kind;

	if (lane_is_request(kind)) {
		widen_learn(widen, event->u.rq.ctx);
		return true;
	}
	if (lane_is_drm(kind))
		return widen_drm(widen, event);
	if (!lane_is_fence(kind))
		return true;
	if (event->raw.narrow)
		return complete_fence(widen, event);
	widen_learn(widen, event->u.fence.context);
	return true;
}

// SPDX-License-Identifier: MIT
// Commits that show another picture: asked for, ready, armed, shown.
#include "timeline/display/flip.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/sched/actor.h"

#include <stdlib.h>
#include <string.h>

#define CRTCS_MOST 64
#define FLIPS_MOST 64 /* open at once: the kernel has one a CRTC, and what waits for it */
#define FENCES	   8  /* of a commit that are followed */
#define USUAL_FROM 8  /* of so many it is known how long a commit usually takes */

const char *const lane_miss_names[LANE_MISS_CAUSES] = {
	[LANE_MISS_NONE] = "none",	 [LANE_MISS_REQUEST] = "request",
	[LANE_MISS_ASK] = "asked_late",	 [LANE_MISS_UPDATE] = "update",
	[LANE_MISS_UNKNOWN] = "unknown",
};

struct flip_fence {
	uint64_t context, seqno, signal_ns; /* signal_ns 0: it has not been seen */
};

struct open_flip {
	struct lane_flip pub;
	struct lane_screen *screen;
	uint64_t commit;
	struct flip_fence fences[FENCES];
	uint32_t n_fences;
	bool has_more_fences;
};

/* A CRTC. */
struct lane_screen {
	uint32_t dev;
	int32_t crtc;
	uint64_t last_ns, seq; /* of its last refresh */
	uint64_t period_ns;    /* between two of them; 0: not known */
	/* Of commits that missed nothing: from the asking until the hardware had all, their mean.
	 */
	uint64_t usual_ns, usual_n;
};

struct lane_screens {
	struct lane_screen screens[CRTCS_MOST];
	uint32_t n;
	struct open_flip open[FLIPS_MOST]; /* the oldest first */
	uint32_t n_open;
};

static struct lane_screens *screens_of(struct lane_timeline *tl)
{
	if (!tl->screens)
		tl->screens = calloc(1, sizeof(*tl->screens));
	tl->no_memory |= !tl->screens;
	return tl->screens;
}

/* Other tracers' refreshes do not say of which device they are: of the only one that has such a
 * CRTC. */
static struct lane_screen *screen_of(struct lane_timeline *tl, uint32_t dev, int32_t crtc)
{
	struct lane_screens *s = tl->screens;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->screens[i].crtc == crtc && s->screens[i].dev == dev)
			return &s->screens[i];
	if (s->n == CRTCS_MOST) {
		tl->too_many = "CRTCs";
		return NULL;
	}
	s->screens[s->n] = (struct lane_screen){ .dev = dev, .crtc = crtc };
	return &s->screens[s->n++];
}

static void forget(struct lane_screens *s, struct open_flip *flip)
{
	s->n_open--;
	memmove(flip, flip + 1, (size_t)(&s->open[s->n_open] - flip) * sizeof(*flip));
}

/* The last of its fences that was signalled, and when. */
static void settle_fences(const struct lane_timeline *tl, struct open_flip *flip)
{
	struct lane_flip *pub = &flip->pub;
	uint64_t by_ns = pub->armed_ns ? pub->armed_ns : pub->shown_ns;

	pub->ready = timeline_span_exact(pub->asked_ns);
	for (uint32_t i = 0; i < flip->n_fences; i++) {
		const struct flip_fence *fence = &flip->fences[i];

		if (!fence->signal_ns)
			pub->ready.hi = timeline_later(pub->ready.hi, by_ns);
		if (fence->signal_ns <= pub->ready.lo && fence->signal_ns)
			continue;
		pub->ready.lo = timeline_later(pub->ready.lo, fence->signal_ns);
		pub->ready.hi = timeline_later(pub->ready.hi, fence->signal_ns);
		pub->fence_ctx = fence->context;
		pub->fence_seqno = fence->seqno;
	}
	if (flip->has_more_fences || timeline_loss_between(tl, pub->asked_ns, by_ns))
		pub->ready =
			(struct lane_span){ pub->asked_ns, timeline_later(by_ns, pub->asked_ns) };
}

/* How many refreshes came and went while it was under way. Where their interrupt was off, no event
 * tells of them: they came all the same. */
static uint64_t missed(const struct lane_flip *flip)
{
	return flip->shown_ns > flip->asked_ns
		       ? (flip->shown_ns - flip->asked_ns - 1) / flip->period_ns
		       : 0;
}

/* What it was at as the last refresh came that it missed. */
static enum lane_miss cause_of(const struct lane_timeline *tl, const struct lane_screen *screen,
			       const struct lane_flip *flip)
{
	uint64_t first_ns = flip->shown_ns - flip->missed * flip->period_ns;
	uint64_t last_ns = flip->shown_ns - flip->period_ns;

	if (!flip->missed)
		return LANE_MISS_NONE;
	if (timeline_loss_between(tl, flip->asked_ns, flip->shown_ns))
		return LANE_MISS_UNKNOWN;
	if (flip->missed == 1 && screen->usual_n >= USUAL_FROM &&
	    flip->armed_ns - flip->asked_ns <= 2 * screen->usual_ns &&
	    first_ns - flip->asked_ns < screen->usual_ns)
		return LANE_MISS_ASK;
	if (flip->ready.lo > last_ns)
		return LANE_MISS_REQUEST;
	if (flip->ready.hi <= last_ns && flip->armed_ns > last_ns)
		return LANE_MISS_UPDATE;
	return LANE_MISS_UNKNOWN;
}

static void learn_usual(struct lane_screen *screen, const struct lane_flip *flip)
{
	if (flip->missed || !flip->armed_ns)
		return;
	screen->usual_n++;
	screen->usual_ns =
		(screen->usual_ns * (screen->usual_n - 1) + flip->armed_ns - flip->asked_ns) /
		screen->usual_n;
}

static void tell(struct lane_timeline *tl, struct open_flip *flip)
{
	struct lane_flip *pub = &flip->pub;

	pub->period_ns = flip->screen->period_ns;
	settle_fences(tl, flip);
	if (pub->shown_ns && pub->period_ns) {
		pub->missed = missed(pub);
		pub->cause = cause_of(tl, flip->screen, pub);
		learn_usual(flip->screen, pub);
	} else {
		pub->cause = LANE_MISS_UNKNOWN;
	}
	pub->usual_ns = flip->screen->usual_n >= USUAL_FROM ? flip->screen->usual_ns : 0;
	if (tl->hooks.flip)
		tl->hooks.flip(tl->hooks.arg, pub);
}

/* Tells what is shown now, and forgets it. armed_by_ns: what was armed later is not; 0: the oldest
 * one is shown, armed or not. */
static void show(struct lane_timeline *tl, const struct lane_screen *screen, uint64_t shown_ns,
		 uint64_t armed_by_ns)
{
	struct lane_screens *s = tl->screens;

	for (uint32_t i = 0; i < s->n_open;) {
		struct open_flip *flip = &s->open[i];
		bool is_armed = flip->pub.armed_ns && flip->pub.armed_ns < armed_by_ns;

		if (flip->screen != screen || (armed_by_ns && !is_armed)) {
			i++;
			continue;
		}
		flip->pub.shown_ns = shown_ns;
		flip->pub.seq = screen->seq;
		tell(tl, flip);
		forget(s, flip);
		if (!armed_by_ns)
			return;
	}
}

static void on_vblank(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_vblank_event *p = &event->u.drm_vblank_event;
	struct lane_screen *screen = screen_of(tl, p->dev, p->crtc);
	uint64_t now_ns = event->wire.ts_ns, at_ns = p->time;

	if (!screen)
		return;
	/* Another clock, or none: the interrupt came soon after. */
	if (!at_ns || at_ns > now_ns || now_ns - at_ns > 100000000)
		at_ns = now_ns;
	if (screen->last_ns && (uint32_t)(p->seq - screen->seq) == 1 &&
	    !timeline_loss_between(tl, screen->last_ns, now_ns) && at_ns > screen->last_ns)
		screen->period_ns = at_ns - screen->last_ns;
	screen->last_ns = at_ns;
	screen->seq = p->seq;
	/* What is armed between the refresh and its interrupt is for the next one. */
	show(tl, screen, at_ns, at_ns);
}

static void on_flip(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip *p = &event->u.gpulane_flip;
	struct lane_screens *s = tl->screens;
	struct lane_screen *screen = screen_of(tl, p->dev, p->crtc);
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);
	struct open_flip *flip;

	if (!screen)
		return;
	if (s->n_open == FLIPS_MOST) /* their ends were lost */
		forget(s, &s->open[0]);
	flip = &s->open[s->n_open++];
	*flip = (struct open_flip){ .screen = screen, .commit = p->commit };
	flip->pub.dev = p->dev;
	flip->pub.crtc = p->crtc;
	flip->pub.asked_ns = event->wire.ts_ns;
	flip->pub.tid = event->wire.tid;
	flip->pub.pid = event->wire.pid;
	flip->pub.before_ns = screen->last_ns;
	if (!thr)
		return;
	memcpy(flip->pub.comm, thr->pub.comm, sizeof(flip->pub.comm));
	timeline_actor_waited(tl, event->wire.tid, screen->last_ns, &flip->pub.asker);
	timeline_actor_learn(tl, event->wire.tid);
}

static void on_fence(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_fence *p = &event->u.gpulane_flip_fence;

	for (uint32_t i = 0; i < tl->screens->n_open; i++) {
		struct open_flip *flip = &tl->screens->open[i];

		if (flip->commit != p->commit || flip->pub.armed_ns)
			continue;
		flip->has_more_fences |= flip->n_fences == FENCES;
		if (flip->n_fences < FENCES)
			flip->fences[flip->n_fences++] =
				(struct flip_fence){ p->context, p->seqno, 0 };
	}
}

/* Commits of a CRTC come one after the other: it is the oldest that was not. */
static void on_armed(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_armed *p = &event->u.gpulane_flip_armed;
	struct lane_screen *screen = screen_of(tl, p->dev, p->crtc);

	for (uint32_t i = 0; i < tl->screens->n_open; i++) {
		struct open_flip *flip = &tl->screens->open[i];

		if (flip->screen != screen || flip->pub.armed_ns)
			continue;
		flip->pub.armed_ns = event->wire.ts_ns;
		settle_fences(tl, flip);
		timeline_actor_waited(tl, event->wire.tid, flip->pub.ready.hi, &flip->pub.updater);
		timeline_actor_learn(tl, event->wire.tid);
		return;
	}
}

static void on_failed(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_screens *s = tl->screens;

	for (uint32_t i = s->n_open; i--;)
		if (s->open[i].commit == event->u.gpulane_flip_failed.commit &&
		    s->open[i].pub.tid == event->wire.tid)
			forget(s, &s->open[i]);
}

static void on_shown(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_shown *p = &event->u.gpulane_flip_shown;
	struct lane_screen *screen = screen_of(tl, p->dev, p->crtc);

	if (screen)
		show(tl, screen, event->wire.ts_ns, 0);
}

void timeline_flip_event(struct lane_timeline *tl, const struct lane_event *event)
{
	static void (*const on[])(struct lane_timeline *, const struct lane_event *) = {
		[LANE_VBLANK - LANE_VBLANK] = on_vblank,
		[LANE_FLIP - LANE_VBLANK] = on_flip,
		[LANE_FLIP_FENCE - LANE_VBLANK] = on_fence,
		[LANE_FLIP_ARMED - LANE_VBLANK] = on_armed,
		[LANE_FLIP_SHOWN - LANE_VBLANK] = on_shown,
		[LANE_FLIP_FAILED - LANE_VBLANK] = on_failed,
	};

	if (screens_of(tl))
		on[event->wire.kind - LANE_VBLANK](tl, event);
}

void timeline_flip_signal(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_screens *s = tl->screens;

	for (uint32_t i = 0; s && i < s->n_open; i++) {
		struct open_flip *flip = &tl->screens->open[i];

		for (uint32_t k = 0; k < flip->n_fences; k++) {
			struct flip_fence *fence = &flip->fences[k];

			if (!fence->signal_ns && fence->context == event->u.fence.context &&
			    fence->seqno == event->u.fence.seqno)
				fence->signal_ns = event->wire.ts_ns;
		}
	}
}

void timeline_flip_finish(struct lane_timeline *tl)
{
	for (uint32_t i = 0; tl->screens && i < tl->screens->n_open; i++)
		tell(tl, &tl->screens->open[i]);
}

void timeline_flip_free(struct lane_timeline *tl)
{
	free(tl->screens);
}

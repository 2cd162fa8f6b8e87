// SPDX-License-Identifier: MIT
// Commits that show another picture: asked for, ready, armed, shown.
#include "timeline/display/flip.h"
#include "base/clean.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/sched/actor.h"
#include "timeline/sched/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CRTCS_MOST 64
#define FLIPS_MOST 64 /* open at once: the kernel has one a CRTC, and what waits for it */
#define ARMS	   4
#define USUAL_FROM 8 /* of so many it is known how long a commit usually takes */
/* More are no stall, but a counter that began anew. */
#define MOST_MISSED 1000000
/* A refresh and its interrupt are never so far apart. */
#define CLOCKS_APART_NS 100000000

const char *const lane_miss_names[LANE_MISS_CAUSES] = {
	[LANE_MISS_NONE] = "none",	     [LANE_MISS_REQUEST] = "request",
	[LANE_MISS_ASK] = "asked_late",	     [LANE_MISS_UPDATE] = "update",
	[LANE_MISS_INTERRUPT] = "interrupt", [LANE_MISS_UNKNOWN] = "unknown",
};

/* A refresh, by its number on its CRTC; ns 0: none is known. */
struct refresh {
	uint64_t ns;
	uint32_t seq;
};

struct open_flip {
	struct lane_flip pub;
	struct lane_screen *screen;
	struct refresh base; /* the last one before it was asked for */
	uint64_t commit;
	uint64_t refused_ns; /* the thread had asked since then, and was refused; 0: it was not */
	uint64_t behind_until_ns; /* one that showed nothing was ahead of it until then */
	uint64_t done_ns; /* the hardware was given all, and nothing was armed; 0: not yet */
	/* The driver said then that a picture is shown: this one, unless it is refused. */
	struct refresh perhaps;
	bool is_blocking;
};

/* The hardware has been given something on a CRTC: by whom, and which refresh has shown it. Whose
 * it is, the end of the thread's commit tells. */
struct arm {
	uint64_t ns;
	uint64_t seq; /* the first refresh that can show it; 0: not known, it is that after ns */
	int32_t tid;
	struct refresh shown;
	struct lane_actor_wait waited;
};

/* A CRTC. */
struct lane_screen {
	uint32_t dev;
	int32_t crtc;
	char connector[LANE_CONNECTOR_BYTES];
	struct refresh last, shown; /* its last refresh; the last one that has shown a commit */
	uint64_t period_ns;	    /* between two of them; 0: not known */
	uint64_t doubt_ns; /* that refresh has not the number that its time would give it */
	/* Of commits that missed nothing: from the asking until the hardware had all, their mean.
	 */
	uint64_t usual_ns, usual_n;
	struct arm arms[ARMS]; /* the oldest first */
	uint32_t n_arms;
	/* Armed then, as an arm, by a commit of which the asking is not known; 0: none. */
	uint64_t unasked_ns, unasked_for;
	/* The last commit that was refused. */
	uint64_t refused_ns;
	int32_t refused_tid, refused;
	bool is_told_shown; /* its driver says itself what is shown */
	bool has_armed;	    /* something: its driver lets the next refresh tell what is shown */
};

struct lane_screens {
	struct lane_screen screens[CRTCS_MOST];
	uint32_t n;
	struct open_flip open[FLIPS_MOST]; /* the oldest first */
	uint32_t n_open;
	uint64_t seen_ns; /* the last event of the group */
};

static struct lane_screens *screens_of(struct lane_timeline *tl)
{
	if (!tl->screens)
		tl->screens = calloc(1, sizeof(*tl->screens));
	tl->no_memory |= !tl->screens;
	return tl->screens;
}

static struct lane_screen *flip_screen_of(struct lane_timeline *tl, uint32_t dev, int32_t crtc)
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

static void flip_forget(struct lane_screens *s, struct open_flip *flip)
{
	s->n_open--;
	memmove(flip, flip + 1, (size_t)(&s->open[s->n_open] - flip) * sizeof(*flip));
}

static void forget_arm(struct lane_screen *screen, struct arm *arm)
{
	screen->n_arms--;
	memmove(arm, arm + 1, (size_t)(&screen->arms[screen->n_arms] - arm) * sizeof(*arm));
}

/* The last of its fences that was signalled, and when. */
static void settle_fences(struct open_flip *flip)
{
	struct lane_flip *pub = &flip->pub;
	uint64_t by_ns = pub->armed_ns ? pub->armed_ns : pub->shown_ns;

	pub->ready = timeline_span_exact(pub->asked_ns);
	for (uint32_t i = 0; i < pub->n_fences; i++) {
		const struct lane_flip_fence *fence = &pub->fences[i];

		/* The hardware was given it without waiting for that one. */
		if (pub->armed_ns && fence->signal_ns > pub->armed_ns)
			continue;
		if (!fence->signal_ns)
			pub->ready.hi = timeline_later(pub->ready.hi, by_ns);
		if (fence->signal_ns <= pub->ready.lo && fence->signal_ns)
			continue;
		pub->ready.lo = timeline_later(pub->ready.lo, fence->signal_ns);
		pub->ready.hi = timeline_later(pub->ready.hi, fence->signal_ns);
		pub->fence_ctx = fence->context;
		pub->fence_seqno = fence->seqno;
	}
	if (pub->has_more_fences)
		pub->ready.hi = timeline_later(pub->ready.hi, by_ns);
}

/*
 * How many refreshes came and went while it was under way, and none before it on its CRTC. Where
 * their interrupt was off, no event tells of them: they came all the same, and their numbers say
 * how many, if the hardware counts or tells times.
 */
static void flip_count(struct open_flip *flip, struct refresh shown)
{
	const struct lane_screen *screen = flip->screen;
	struct lane_flip *pub = &flip->pub;
	bool is_behind = screen->shown.ns > pub->asked_ns;
	struct refresh base = is_behind ? screen->shown : flip->base;
	uint64_t from_ns =
		timeline_later(is_behind ? screen->shown.ns : pub->asked_ns, flip->behind_until_ns);
	uint32_t n = shown.seq - base.seq, before;

	pub->is_counted = base.ns && n <= MOST_MISSED && screen->doubt_ns <= base.ns;
	if (!pub->is_counted || !n || shown.ns <= base.ns)
		return;
	pub->is_counted = shown.ns - base.ns >= n;
	if (!pub->is_counted)
		return;
	pub->period_ns = (shown.ns - base.ns) / n;
	before = from_ns > base.ns ? (uint32_t)((from_ns - base.ns) / pub->period_ns) : 0;
	pub->missed = before < n ? n - 1 - before : 0;
}

/* With all fences signalled as it was asked for, it had missed the refresh, too. */
static bool is_no_fence(const struct lane_flip *flip, uint64_t missed_ns)
{
	return flip->armed_ns > flip->ready.hi && missed_ns > flip->asked_ns &&
	       missed_ns - flip->asked_ns < flip->armed_ns - flip->ready.hi;
}

/* The refresh came sooner than the hardware has all as usual; that it took longer itself made no
 * difference. */
static bool is_asked_late(const struct lane_screen *screen, const struct lane_flip *flip,
			  uint64_t missed_ns)
{
	uint64_t took_ns = flip->armed_ns - flip->asked_ns;

	return missed_ns > flip->asked_ns && missed_ns - flip->asked_ns < screen->usual_ns &&
	       (took_ns <= screen->usual_ns + screen->usual_ns / 4 || is_no_fence(flip, missed_ns));
}

/* The i-th refresh that it missed. */
static struct refresh missed_at(const struct lane_flip *flip, uint64_t i)
{
	return (struct refresh){ flip->shown_ns - (flip->missed - i) * flip->period_ns,
				 (uint32_t)(flip->seq - flip->missed + i) };
}

/*
 * The driver has found that this one or one before is to show it, and the next interrupt told of a
 * later one. The interrupt was on: who has found that number holds it on until the picture is shown
 * (drm_crtc_arm_vblank_event() of Linux 6.1).
 */
static bool is_unheard(const struct lane_flip *flip, struct refresh missed)
{
	return flip->armed_for && flip->armed_ns <= missed.ns &&
	       (int32_t)(missed.seq - (uint32_t)flip->armed_for) >= 0;
}

/* What it was at as that refresh came that it missed. */
static enum lane_miss flip_cause_of(const struct lane_screen *screen, const struct lane_flip *flip,
				    struct refresh missed)
{
	bool is_usual_known = flip->armed_ns && screen->usual_n >= USUAL_FROM;

	if (is_unheard(flip, missed))
		return LANE_MISS_INTERRUPT;
	if (is_usual_known && is_asked_late(screen, flip, missed.ns))
		return LANE_MISS_ASK;
	if (flip->ready.lo > missed.ns)
		return is_no_fence(flip, missed.ns) ? LANE_MISS_UNKNOWN : LANE_MISS_REQUEST;
	/* Where it is not known how long a commit takes, there may have been too little time. */
	if (!is_usual_known && flip->ready.hi + flip->period_ns / 4 > missed.ns)
		return LANE_MISS_UNKNOWN;
	if (flip->ready.hi <= missed.ns && (flip->armed_ns > missed.ns || !flip->armed_ns))
		return LANE_MISS_UPDATE;
	return LANE_MISS_UNKNOWN;
}

/* So many of the refreshes that it missed came before ns. */
static uint64_t missed_before(const struct lane_flip *flip, uint64_t ns)
{
	uint64_t first_ns = missed_at(flip, 0).ns;

	return ns > first_ns ? (ns - first_ns - 1) / flip->period_ns + 1 : 0;
}

/* How many refreshes from the `from`-th on have one cause: until the next time, or number, that
 * flip_cause_of() compares with. */
static uint64_t count_alike(const struct lane_screen *screen, const struct lane_flip *flip,
			    uint64_t from)
{
	const struct lane_span *ready = &flip->ready;
	uint64_t update_ns = flip->armed_ns > ready->hi ? flip->armed_ns - ready->hi : 0;
	const uint64_t borders[] = {
		missed_before(flip, flip->asked_ns + screen->usual_ns),
		missed_before(flip, flip->asked_ns + update_ns),
		missed_before(flip, ready->lo),
		missed_before(flip, ready->hi),
		missed_before(flip, ready->hi + flip->period_ns / 4),
		missed_before(flip, flip->armed_ns),
		(uint32_t)flip->armed_for - missed_at(flip, 0).seq,
	};
	uint64_t to = flip->missed;

	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
		if (borders[i] > from && borders[i] < to)
			to = borders[i];
	return to - from;
}

/* The cause of each refresh that it missed. */
static void flip_divide(const struct lane_screen *screen, struct lane_flip *flip)
{
	uint64_t n;

	flip->cause = LANE_MISS_NONE;
	for (uint64_t i = 0; i < flip->missed; i += n) {
		struct refresh missed = missed_at(flip, i);
		enum lane_miss cause = flip_cause_of(screen, flip, missed);

		n = count_alike(screen, flip, i);
		if (flip->cause == cause) {
			flip->pieces[flip->n_pieces - 1].n += n;
			continue;
		}
		flip->cause = cause;
		flip->pieces[flip->n_pieces++] = (struct lane_flip_piece){ missed.ns, n, cause };
	}
}

/* Had the commit been taken that was refused, it would not have been late. */
static bool was_in_time(const struct open_flip *flip)
{
	uint64_t first_ns = flip->pub.shown_ns - flip->pub.missed * flip->pub.period_ns;

	return flip->refused_ns && first_ns > flip->refused_ns &&
	       first_ns - flip->refused_ns >= flip->screen->usual_ns;
}

static void learn_usual(struct lane_screen *screen, const struct lane_flip *flip)
{
	if (flip->missed || !flip->armed_ns || !flip->is_counted)
		return;
	screen->usual_n++;
	screen->usual_ns =
		(screen->usual_ns * (screen->usual_n - 1) + flip->armed_ns - flip->asked_ns) /
		screen->usual_n;
}

/* Tells of a flip that is shown, or with ns 0 of one of which that is not known, and forgets it. */
static void tell_one(struct lane_timeline *tl, struct open_flip *flip, struct refresh shown)
{
	struct lane_screen *screen = flip->screen;
	struct lane_flip *pub = &flip->pub;

	memcpy(pub->connector, screen->connector, sizeof(pub->connector));
	/* Between the number's being found and the recorder's reading its clock that refresh may
	 * come. */
	if (shown.ns)
		pub->armed_ns = timeline_sooner(pub->armed_ns, shown.ns);
	pub->shown_ns = shown.ns;
	pub->seq = shown.seq;
	pub->period_ns = screen->period_ns;
	pub->cause = LANE_MISS_UNKNOWN;
	settle_fences(flip);
	if (shown.ns) {
		flip_count(flip, shown);
		if (pub->is_counted)
			flip_divide(screen, pub);
		if (!timeline_flip_missed_by(pub, LANE_MISS_ASK) || !was_in_time(flip))
			pub->refused = 0;
		learn_usual(screen, pub);
	}
	pub->usual_ns = screen->usual_n >= USUAL_FROM ? screen->usual_ns : 0;
	if (tl->hooks.flip)
		tl->hooks.flip(tl->hooks.arg, pub);
	if (shown.ns)
		screen->shown = shown;
	flip_forget(tl->screens, flip);
}

/* A flip is shown. Commits end in order: of those of its CRTC before it no event will tell more. */
static void flip_tell(struct lane_timeline *tl, struct open_flip *flip, struct refresh shown)
{
	struct lane_screens *s = tl->screens;
	uint32_t at = (uint32_t)(flip - s->open);

	for (uint32_t i = 0; i < at;) {
		if (s->open[i].screen != s->open[at].screen) {
			i++;
			continue;
		}
		tell_one(tl, &s->open[i], (struct refresh){ 0 });
		at--;
	}
	tell_one(tl, &s->open[at], shown);
}

/* Of none that is open will be known when it was shown. */
static void tell_all_unknown(struct lane_timeline *tl)
{
	while (tl->screens->n_open)
		tell_one(tl, &tl->screens->open[0], (struct refresh){ 0 });
}

/* What was lost may have been the end of any of them, or a refresh. */
static void resync(struct lane_timeline *tl, uint64_t now_ns)
{
	static const struct refresh none = { 0 };
	struct lane_screens *s = tl->screens;

	if (s->seen_ns && timeline_loss_between(tl, s->seen_ns, now_ns)) {
		tell_all_unknown(tl);
		for (uint32_t i = 0; i < s->n; i++) {
			s->screens[i].last = s->screens[i].shown = none;
			s->screens[i].n_arms = 0;
			s->screens[i].unasked_ns = s->screens[i].refused_ns = 0;
		}
	}
	s->seen_ns = now_ns;
}

static uint64_t apart(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;
}

/* The screen's next refresh. Without a counter of the hardware's, or its times, the first one
 * behind a silence has the next number (drm_update_vblank_count()). */
static void note_refresh(struct lane_screen *screen, struct refresh is, bool is_of_hardware)
{
	uint32_t n = is.seq - screen->last.seq;
	uint64_t gap_ns = is.ns > screen->last.ns ? is.ns - screen->last.ns : 0;
	uint64_t most_ns = screen->period_ns + screen->period_ns / 4;

	bool is_unsure = !is_of_hardware && (!screen->period_ns || gap_ns / (n ? n : 1) > most_ns);

	if (screen->last.ns && n && is_unsure)
		screen->doubt_ns = is.ns;
	if (is_unsure && screen->period_ns)
		n = 0; /* it is no period */
	if (screen->last.ns && n == 1 && gap_ns)
		screen->period_ns = gap_ns;
	screen->last = is;
}

/* What was armed is shown by a refresh: the driver has said by which one at best. Where it has not,
 * what is armed between the refresh and its interrupt is for the next one. */
static bool flip_shows(struct refresh is, uint64_t armed_ns, uint64_t seq)
{
	return seq ? (int32_t)(is.seq - (uint32_t)seq) >= 0 : armed_ns < is.ns;
}

static void show_armed(struct lane_timeline *tl, struct lane_screen *screen)
{
	struct refresh is = screen->last;

	if (screen->unasked_ns && flip_shows(is, screen->unasked_ns, screen->unasked_for)) {
		screen->shown = is;
		screen->unasked_ns = 0;
	}
	for (uint32_t i = 0; i < screen->n_arms; i++)
		if (!screen->arms[i].shown.ns &&
		    flip_shows(is, screen->arms[i].ns, screen->arms[i].seq))
			screen->arms[i].shown = is;
	for (uint32_t i = tl->screens->n_open; i--;) {
		struct open_flip *flip = &tl->screens->open[i];

		if (flip->screen != screen || !flip->pub.armed_ns ||
		    !flip_shows(is, flip->pub.armed_ns, flip->pub.armed_for))
			continue;
		flip_tell(tl, flip, is);
		return;
	}
}

static void on_vblank(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_vblank_event *p = &event->u.drm_vblank_event;
	struct lane_screen *screen = flip_screen_of(tl, p->dev, p->crtc);
	struct refresh is = { p->time, p->seq };

	if (!screen)
		return;
	if (!is.ns || apart(is.ns, event->wire.ts_ns) > CLOCKS_APART_NS) /* another clock */
		is.ns = event->wire.ts_ns;
	note_refresh(screen, is, p->high_prec);
	show_armed(tl, screen);
}

/* Since the refresh before the last one, which came also where no interrupt tells of it. A commit
 * is refused (-EBUSY) while the one before it is not shown. */
static bool is_of_late(const struct lane_screen *screen, uint64_t ns, uint64_t now_ns)
{
	uint64_t last_ns = screen->last.ns;

	if (last_ns && screen->period_ns && now_ns > last_ns)
		last_ns = now_ns - (now_ns - last_ns) % screen->period_ns;
	return ns && ns + screen->period_ns >= last_ns;
}

static void on_flip(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip *p = &event->u.gpulane_flip;
	struct lane_screens *s = tl->screens;
	struct lane_screen *screen = flip_screen_of(tl, p->dev, p->crtc);
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);
	uint64_t now_ns = event->wire.ts_ns, from_ns;
	struct open_flip *flip;

	if (!screen)
		return;
	if (s->n_open == FLIPS_MOST)
		tell_one(tl, &s->open[0], (struct refresh){ 0 });
	flip = &s->open[s->n_open++];
	*flip = (struct open_flip){ .screen = screen,
				    .commit = p->commit,
				    .base = screen->last,
				    .is_blocking = p->blocks };
	flip->pub.has_more_fences = timeline_is_absent(tl, LANE_FLIP_FENCE);
	flip->pub.dev = p->dev;
	flip->pub.crtc = p->crtc;
	flip->pub.base_ns = screen->last.ns;
	flip->pub.armed_tid = -1;
	if (screen->refused_tid == event->wire.tid &&
	    is_of_late(screen, screen->refused_ns, now_ns)) {
		flip->refused_ns = screen->refused_ns;
		flip->pub.refused = screen->refused;
	}
	screen->refused_ns = 0;
	flip->pub.asked_ns = now_ns;
	flip->pub.tid = event->wire.tid;
	flip->pub.pid = event->wire.pid;
	if (!thr)
		return;
	/* What kept it longer ago than a refresh did not keep it from this one. */
	from_ns = now_ns > screen->period_ns ? now_ns - screen->period_ns : 0;
	memcpy(flip->pub.comm, thr->pub.comm, sizeof(flip->pub.comm));
	timeline_actor_waited(tl, event->wire.tid, timeline_later(screen->last.ns, from_ns),
			      &flip->pub.asker);
	timeline_actor_learn(tl, event->wire.tid);
	timeline_thread_interesting(tl, thr);
}

/* It may be told twice: as the commit is asked for, and as the driver has found all. */
static bool has_fence(const struct open_flip *flip, uint64_t context, uint64_t seqno)
{
	for (uint32_t i = 0; i < flip->pub.n_fences; i++)
		if (flip->pub.fences[i].context == context && flip->pub.fences[i].seqno == seqno)
			return true;
	return false;
}

static void on_fence(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_fence *p = &event->u.gpulane_flip_fence;

	for (uint32_t i = 0; i < tl->screens->n_open; i++) {
		struct open_flip *flip = &tl->screens->open[i];

		if (flip->commit != p->commit || flip->pub.armed_ns)
			continue;
		if (has_fence(flip, p->context, p->seqno))
			continue;
		if (!p->context || flip->pub.n_fences == LANE_FLIP_FENCES)
			flip->pub.has_more_fences = true;
		else
			flip->pub.fences[flip->pub.n_fences++] =
				(struct lane_flip_fence){ p->context, p->seqno, 0 };
	}
}

/* It has shown nothing; those that were asked for after it waited until now. */
static void end_without(struct lane_screens *s, struct open_flip *flip, uint64_t now_ns)
{
	for (uint32_t i = 0; i < s->n_open; i++)
		if (s->open[i].screen == flip->screen &&
		    s->open[i].pub.asked_ns > flip->pub.asked_ns)
			s->open[i].behind_until_ns = now_ns;
	flip_forget(s, flip);
}

/* Of the screen's commits before that one, those that are done have shown nothing. Returns where
 * that one is now. */
static struct open_flip *end_done_before(struct lane_screens *s, const struct lane_screen *screen,
					 struct open_flip *flip)
{
	for (struct open_flip *before = s->open; before < flip;) {
		if (before->screen != screen || !before->done_ns) {
			before++;
			continue;
		}
		end_without(s, before, before->done_ns);
		flip--;
	}
	return flip;
}

static void on_armed(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_armed *p = &event->u.gpulane_flip_armed;
	struct lane_screen *screen = flip_screen_of(tl, p->dev, p->crtc);
	uint64_t from_ns = 0;
	struct lane_thr *thr;
	struct arm *arm;

	if (!screen)
		return;
	screen->has_armed = true;
	if (!screen->is_told_shown)
		end_done_before(tl->screens, screen, tl->screens->open + tl->screens->n_open);
	/* It has been free to give it to the hardware since the oldest that is open was ready. */
	for (uint32_t i = tl->screens->n_open; i--;)
		if (tl->screens->open[i].screen == screen && !tl->screens->open[i].pub.armed_ns &&
		    !tl->screens->open[i].done_ns) {
			settle_fences(&tl->screens->open[i]);
			from_ns = tl->screens->open[i].pub.ready.hi;
		}
	if (screen->n_arms == ARMS)
		forget_arm(screen, &screen->arms[0]);
	arm = &screen->arms[screen->n_arms++];
	*arm = (struct arm){ .ns = event->wire.ts_ns, .seq = p->seq, .tid = event->wire.tid };
	if (from_ns)
		timeline_actor_waited(tl, event->wire.tid, from_ns, &arm->waited);
	timeline_actor_learn(tl, event->wire.tid);
	thr = timeline_thread_get(tl, event->wire.tid);
	if (thr)
		timeline_thread_interesting(tl, thr);
}

/* The commit's own thread has given all to the hardware: what it has armed is the commit's. One
 * that has armed nothing shows nothing, but where the driver itself may say what is shown. Those
 * before it are over: the kernel begins with it when the one before is shown
 * (drm_atomic_helper_wait_for_dependencies() of Linux 6.1). */
static void end_commit(struct lane_timeline *tl, struct open_flip *flip, const struct lane_wire *by)
{
	struct lane_screen *screen = flip->screen;
	uint32_t i = 0;

	flip = end_done_before(tl->screens, screen, flip);
	if (flip->perhaps.ns) {
		flip_tell(tl, flip, flip->perhaps);
		return;
	}
	while (i < screen->n_arms && screen->arms[i].tid != by->tid)
		i++;
	if (i == screen->n_arms) {
		if (screen->has_armed && !screen->is_told_shown)
			end_without(tl->screens, flip, by->ts_ns);
		else
			flip->done_ns = by->ts_ns;
		return;
	}
	flip->pub.armed_ns = screen->arms[i].ns;
	flip->pub.armed_for = screen->arms[i].seq;
	flip->pub.armed_tid = by->tid;
	flip->pub.updater = screen->arms[i].waited;
	if (screen->arms[i].shown.ns) {
		struct refresh shown = screen->arms[i].shown;

		forget_arm(screen, &screen->arms[i]);
		flip_tell(tl, flip, shown);
		return;
	}
	forget_arm(screen, &screen->arms[i]);
}

/* What it has armed is not another commit's: its asking was lost, or was before the recording. It
 * is shown all the same, and those behind it miss nothing before that. */
static void end_unasked(struct lane_screens *s, int32_t tid)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct lane_screen *screen = &s->screens[i];

		for (uint32_t k = screen->n_arms; k--;) {
			if (screen->arms[k].tid != tid)
				continue;
			if (!screen->arms[k].shown.ns) {
				screen->unasked_ns = screen->arms[k].ns;
				screen->unasked_for = screen->arms[k].seq;
			} else if (screen->arms[k].shown.ns > screen->shown.ns)
				screen->shown = screen->arms[k].shown;
			forget_arm(screen, &screen->arms[k]);
		}
	}
}

static void on_done(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_screens *s = tl->screens;
	bool is_asked = false;

	for (uint32_t i = s->n_open; i--;) {
		if (i >= s->n_open || s->open[i].commit != event->u.gpulane_flip_done.commit ||
		    s->open[i].pub.armed_ns || s->open[i].done_ns)
			continue;
		is_asked = true;
		end_commit(tl, &s->open[i], &event->wire);
	}
	if (!is_asked)
		end_unasked(s, event->wire.tid);
}

/* The screen's oldest that is open; NULL: none is. */
static struct open_flip *oldest_of(struct lane_screens *s, const struct lane_screen *screen)
{
	for (uint32_t i = 0; i < s->n_open; i++)
		if (s->open[i].screen == screen && !s->open[i].pub.armed_ns)
			return &s->open[i];
	return NULL;
}

/* Of several in a row the first one tells since when the thread has asked. */
static void flip_refuse(struct lane_timeline *tl, struct open_flip *flip, int32_t error)
{
	struct lane_screen *screen = flip->screen;
	struct refresh perhaps = flip->perhaps;

	if (screen->refused_tid != flip->pub.tid ||
	    !is_of_late(screen, screen->refused_ns, flip->pub.asked_ns)) {
		screen->refused_ns = flip->pub.asked_ns;
		screen->refused_tid = flip->pub.tid;
		screen->refused = error;
	}
	flip_forget(tl->screens, flip);
	flip = perhaps.ns ? oldest_of(tl->screens, screen) : NULL;
	if (flip)
		flip_tell(tl, flip, perhaps);
}

static void on_failed(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_screens *s = tl->screens;

	for (uint32_t i = s->n_open; i--;)
		if (i < s->n_open && s->open[i].commit == event->u.gpulane_flip_failed.commit &&
		    s->open[i].pub.tid == event->wire.tid && !s->open[i].pub.armed_ns)
			flip_refuse(tl, &s->open[i], (int32_t)event->u.gpulane_flip_failed.error);
}

/* The kernel takes a commit that does not block only if the one before it is shown (stall_checks()
 * of Linux 6.1), so that one that is done and not shown shows nothing. NULL: none is behind it. */
static struct open_flip *behind_done(struct lane_screens *s, const struct open_flip *done)
{
	for (struct open_flip *flip = s->open + s->n_open; --flip > done;)
		if (flip->screen == done->screen && !flip->pub.armed_ns && !flip->is_blocking)
			return flip;
	return NULL;
}

/* It is that of the oldest that is open. Its refresh is the last one, if that has just been; else
 * the next one, whose interrupt comes soon. */
static void on_shown(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_shown *p = &event->u.gpulane_flip_shown;
	struct lane_screen *screen = flip_screen_of(tl, p->dev, p->crtc);
	struct open_flip *flip, *behind;
	struct refresh is;

	if (!screen)
		return;
	screen->is_told_shown = true;
	is = screen->last;
	/* Behind a silence its number is not known. */
	if (is.ns && apart(event->wire.ts_ns, is.ns) > screen->period_ns + screen->period_ns / 2)
		screen->doubt_ns = event->wire.ts_ns;
	if (!is.ns || apart(event->wire.ts_ns, is.ns) > screen->period_ns / 2)
		is = (struct refresh){ event->wire.ts_ns, is.seq + 1 };
	flip = oldest_of(tl->screens, screen);
	behind = flip && flip->done_ns ? behind_done(tl->screens, flip) : NULL;
	/* It did not wait for a refresh: it is shown in the middle of one. */
	if (flip && is.ns < (behind ? behind : flip)->pub.asked_ns)
		is.ns = event->wire.ts_ns;
	if (behind)
		behind->perhaps = behind->perhaps.ns ? behind->perhaps : is;
	else if (flip)
		flip_tell(tl, flip, is);
}

static void on_connector(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_flip_connector *p = &event->u.gpulane_flip_connector;
	struct lane_screen *screen = flip_screen_of(tl, p->dev, p->crtc);
	char name[sizeof(p->name) + 1] = "";

	if (!screen)
		return;
	memcpy(name, p->name, sizeof(p->name));
	lane_clean(name, LANE_CLEAN_LINE);
	if (p->connectors > 1)
		snprintf(screen->connector, sizeof(screen->connector), "%s and %" PRIu32 " more",
			 name, p->connectors - 1);
	else
		snprintf(screen->connector, sizeof(screen->connector), "%s", name);
}

void timeline_flip_event(struct lane_timeline *tl, const struct lane_event *event)
{
	static void (*const on[])(struct lane_timeline *, const struct lane_event *) = {
		[LANE_VBLANK - LANE_VBLANK] = on_vblank,
		[LANE_FLIP - LANE_VBLANK] = on_flip,
		[LANE_FLIP_FENCE - LANE_VBLANK] = on_fence,
		[LANE_FLIP_ARMED - LANE_VBLANK] = on_armed,
		[LANE_FLIP_DONE - LANE_VBLANK] = on_done,
		[LANE_FLIP_SHOWN - LANE_VBLANK] = on_shown,
		[LANE_FLIP_FAILED - LANE_VBLANK] = on_failed,
		[LANE_FLIP_CONNECTOR - LANE_VBLANK] = on_connector,
	};

	if (!screens_of(tl))
		return;
	resync(tl, event->wire.ts_ns);
	on[event->wire.kind - LANE_VBLANK](tl, event);
}

void timeline_flip_signal(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_screens *s = tl->screens;

	for (uint32_t i = 0; s && i < s->n_open; i++) {
		struct open_flip *flip = &tl->screens->open[i];

		for (uint32_t k = 0; k < flip->pub.n_fences; k++) {
			struct lane_flip_fence *fence = &flip->pub.fences[k];

			if (!fence->signal_ns && fence->context == event->u.fence.context &&
			    fence->seqno == event->u.fence.seqno)
				fence->signal_ns = event->wire.ts_ns;
		}
	}
}

void timeline_flip_finish(struct lane_timeline *tl)
{
	if (tl->screens)
		tell_all_unknown(tl);
}

void timeline_flip_free(struct lane_timeline *tl)
{
	free(tl->screens);
}

const char *timeline_screen_name(uint32_t dev, int32_t crtc, const char *connector, char *name,
				 size_t size)
{
	if (*connector)
		snprintf(name, size, "%s of card%" PRIu32, connector, dev);
	else
		snprintf(name, size, "CRTC %" PRId32 " of card%" PRIu32, crtc, dev);
	return name;
}

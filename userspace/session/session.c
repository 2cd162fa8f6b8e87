// SPDX-License-Identifier: MIT
// Reads a recording once, or twice where foreseeing what comes late demands it.
#include "session/session.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "base/vector.h"
#include "session/fan.h"

enum {
	LOOK_EVERY = 4096, /* events between two looks at the clock */
	SAY_EVERY_MS = 200,
};

/* One pass over the recording. */
struct pass {
	struct session *session;
	struct session_source *source;
	const struct lane_trace_info *info;
	struct session_fan fan;
	struct lane_timeline *earlier; /* has read it to its end: its clocks are known */
	struct lane_loss *losses;      /* foreseen, from the pass before */
	size_t n_losses;
	size_t cap_lost;
	struct lane_two_rings two; /* likewise */
	bool is_second;		   /* what comes late is known beforehand */
	bool is_told;		   /* to those who listen */
	bool has_begun;		   /* what is said at the beginning has been said */
	bool follows_all;	   /* there is no GPU in it, as far as is known: all threads are of
				      interest */
	bool has_decided;	   /* whether there is one */
	bool has_met_gpu;	   /* there is, and it had not been expected: all is read anew */
	bool expects_gpu;	   /* the trace says that a GPU's events were recorded */
	bool has_met_none;	   /* none of them has come: likewise */
	bool has_met_late; /* what came late reached into what had been concluded: likewise */
	bool is_quiet;	   /* the caller has told of the recording before */
	uint64_t events, said_ms, first_ns;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* How far it is: events, and the share of the recording's time where its end is known. */
static void session_say(struct pass *p, uint64_t at_ns)
{
	uint64_t ms = now_ms();
	const char *round = p->is_second ? "again, " : "";

	if (ms - p->said_ms < SAY_EVERY_MS)
		return;
	p->said_ms = ms;
	if (p->info->end_ns > p->first_ns && at_ns >= p->first_ns)
		fprintf(stderr, "\r\033[Kreading %s%.1f million events, %.0f %%", round,
			(double)p->events / 1e6,
			100.0 * (double)(at_ns - p->first_ns) /
				(double)(p->info->end_ns - p->first_ns));
	else
		fprintf(stderr, "\r\033[Kreading %s%.1f million events", round,
			(double)p->events / 1e6);
}

static void set_times(struct pass *p, uint64_t begin_ns)
{
	struct session *s = p->session;

	p->first_ns = s->first_ns = begin_ns;
	if (s->base_ns)
		begin_ns = s->base_ns;
	if (!s->by_time)
		return;
	s->select.zero_ns = begin_ns;
	s->select.from_ns = begin_ns + (uint64_t)(s->from_s * 1e9);
	s->select.to_ns = s->to_s > 0 ? begin_ns + (uint64_t)(s->to_s * 1e9) : LANE_NEVER;
	latency_select_times(&s->latency, &s->select);
}

/* Remembers a loss for those who have to know of it beforehand. */
static struct lane_error *keep_lost(struct pass *p, const struct lane_event *event)
{
	struct session *s = p->session;

	if (p->is_second)
		return NULL;
	if (!LANE_GROW(s->lost, p->cap_lost, s->n_lost + 1))
		return &lane_enomem;
	s->lost[s->n_lost] = timeline_loss_of(&event->u.gpulane_lost);
	s->lost[s->n_lost++].is_ambiguous = event->raw.narrow;
	return NULL;
}

/* Now and then: how far it is. */
static void session_look(struct pass *p, const struct lane_event *event)
{
	if (p->events == 1)
		set_times(p, event->wire.ts_ns);
	if (p->session->shows_progress)
		session_say(p, event->wire.ts_ns);
}

/* The event goes to those who listen. */
static struct lane_error *session_tell(const struct session *s, const struct lane_event *event)
{
	struct lane_error *err = NULL;

	for (size_t i = 0; i < s->n_listeners && !err; i++)
		if (s->listeners[i].event)
			err = s->listeners[i].event(s->listeners[i].arg, event);
	return err;
}

/* What has been told is void if a loss reaches into it: all will be read anew. Until then the
 * timeline only learns what comes late. */
static void hush_if_void(struct pass *p)
{
	struct session *s = p->session;

	if (s->depth != SESSION_FIGURES || p->is_second || !p->is_told ||
	    !timeline_is_void(s->timeline))
		return;
	timeline_hush(s->timeline);
	p->is_told = false;
}

/* The event goes to those who listen, and to the timeline. */
static inline struct lane_error *hand_on(const struct pass *p, const struct lane_event *event)
{
	struct session *s = p->session;
	struct lane_error *err = s->n_listeners && p->is_told ? session_tell(s, event) : NULL;

	return err || !s->timeline ? err : timeline_push(s->timeline, event);
}

static struct lane_error *take_lost(struct pass *p, const struct lane_event *event)
{
	struct lane_error *err = keep_lost(p, event);

	if (!err)
		err = hand_on(p, event);
	if (!err)
		hush_if_void(p);
	return err;
}

static inline struct lane_error *session_take(struct pass *p, const struct lane_event *event)
{
	if (lane_stop_signal)
		return lane_error("interrupted");
	if (p->events++ % LOOK_EVERY == 0)
		session_look(p, event);
	return event->wire.kind == LANE_LOST ? take_lost(p, event) : hand_on(p, event);
}

/* What the driver, or a program that uses a GPU, has events of. */
static bool is_gpu_kind(unsigned int kind)
{
	const char *group = lane_kinds[kind].group;

	return !strcmp(group, "i915") || !strcmp(group, "drm") || !strcmp(group, "context");
}

/* True when the event is a GPU's, and none had been expected. */
static bool meets_gpu(struct pass *p, const struct lane_event *event)
{
	if (!is_gpu_kind(event->wire.kind))
		return false;
	p->expects_gpu = false; /* as it was expected */
	p->has_met_gpu = !p->has_decided;
	return p->has_met_gpu;
}

/* Feeds everything that can be read, or up to a GPU's first event that had not been expected. */
static struct lane_error *feed(struct pass *p)
{
	const struct lane_event *event;
	struct lane_error *err;

	for (;;) {
		err = session_source_next(p->source, &event);
		if (err)
			return err;
		if (!event)
			return lane_stop_signal ? lane_error("interrupted") : NULL;
		if ((p->expects_gpu || !p->has_decided) && meets_gpu(p, event))
			return NULL;
		err = session_take(p, event);
		if (err || p->session->is_enough)
			return err;
	}
}

/* False when the trace says that none of them can be in it. */
static bool may_have_gpu(const struct lane_trace_info *info)
{
	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (is_gpu_kind(kind) && info->presence[kind] != LANE_PRESENCE_ABSENT)
			return true;
	return false;
}

/* True when the trace of a tracer that was told which events to record has the driver's. */
static bool says_gpu(const struct lane_trace_info *info)
{
	return info->presence[LANE_RQ_ADD] == LANE_PRESENCE_RECORDED &&
	       info->presence[LANE_RQ_RETIRE] == LANE_PRESENCE_RECORDED;
}

/*
 * All threads are followed until the first event of a GPU: where such events may come nobody knows
 * before. They come early as a rule, so that little is read twice. Where the trace says that they
 * were recorded they are expected, however late: then all is read anew when none has come.
 */
static void session_decide(struct pass *p)
{
	if (p->has_begun)
		return;
	if (p->session->depth != SESSION_FIGURES) {
		p->has_decided = true;
		return;
	}
	p->follows_all = p->info->presence[LANE_SWITCH] != LANE_PRESENCE_ABSENT;
	p->has_decided = !p->follows_all || !may_have_gpu(p->info);
	if (p->has_decided || !says_gpu(p->info))
		return;
	p->follows_all = false;
	p->has_decided = true;
	p->expects_gpu = true;
}

/* Everyone who listens is told that reading begins; the figures come first in the fan. */
static struct lane_error *subscribe(struct pass *p)
{
	struct session *s = p->session;
	struct lane_error *err = NULL;

	p->fan.n = 0;
	if (s->depth == SESSION_FIGURES) {
		err = latency_init(&s->latency, p->info, &s->select);
		if (!err && p->follows_all)
			err = latency_follow_all(&s->latency);
		p->fan.to[p->fan.n++] = latency_hooks(&s->latency);
	}
	for (size_t i = 0; i < s->n_listeners && !err && p->is_told; i++) {
		struct lane_hooks *hooks = &p->fan.to[p->fan.n];

		if (p->fan.n == SESSION_FAN_MAX)
			return lane_error("more than %d listeners", SESSION_FAN_MAX - 1);
		memset(hooks, 0, sizeof(*hooks));
		if (s->listeners[i].begin)
			err = s->listeners[i].begin(s->listeners[i].arg, p->info, hooks);
		p->fan.n++;
	}
	return err;
}

static struct lane_error *begin_timeline(struct pass *p)
{
	struct session *s = p->session;
	struct lane_hooks hooks = { 0 };
	struct lane_error *err;

	if (s->depth == SESSION_EVENTS)
		return NULL;
	if (p->fan.n)
		hooks = p->fan.n > 1 ? session_fan_hooks(&p->fan) : p->fan.to[0];
	err = timeline_create(p->info, p->losses, p->n_losses, &hooks, &s->timeline);
	if (!err && p->earlier && !timeline_foresee_clocks(s->timeline, p->earlier))
		err = &lane_enomem;
	timeline_destroy(LANE_TAKE(p->earlier));
	if (!err && !timeline_foresee_two_rings(s->timeline, &p->two))
		err = &lane_enomem;
	if (!err && s->groups)
		timeline_group_by(s->timeline, s->groups);
	if (!err && p->follows_all)
		timeline_follow_all(s->timeline);
	return err;
}

/* What is known now is known beforehand when all is read again. */
static struct lane_error *keep_late(struct pass *p)
{
	size_t n = p->session->n_lost;

	p->losses = malloc((n + 1) * sizeof(*p->losses));
	if (!p->losses)
		return &lane_enomem;
	if (n)
		memcpy(p->losses, p->session->lost, n * sizeof(*p->losses));
	p->n_losses = n;
	timeline_two_rings(p->session->timeline, &p->two);
	return NULL;
}

/* True when what has been told is void, since what came late reaches into it. */
static bool is_void(const struct pass *p)
{
	struct lane_timeline_figures figures;

	if (p->session->depth != SESSION_FIGURES || p->is_second)
		return false;
	timeline_figures(p->session->timeline, &figures);
	return figures.loss_unforeseen || figures.ring_unforeseen || figures.clock_unforeseen;
}

/* All has been read. */
static struct lane_error *session_end(struct pass *p)
{
	struct session *s = p->session;
	struct lane_error *err;

	p->has_decided = true;
	p->has_met_late = is_void(p);
	if (p->has_met_late)
		return keep_late(p);
	s->info = *p->info;
	if (!p->is_quiet)
		session_source_say_counts(p->source);
	err = session_source_check_known(p->source);
	if (!err && s->timeline)
		err = timeline_finish(s->timeline, s->is_stoppable);
	if (!err && s->depth == SESSION_FIGURES)
		err = latency_finish(&s->latency, s->timeline);
	return err;
}

static struct lane_error *read_opened(struct pass *p)
{
	struct session *s = p->session;
	struct lane_error *err;

	p->info = norm_input_info(p->source->input);
	if (!s->keeps_findings)
		norm_input_leave_out_findings(p->source->input); /* they are found again */
	p->events = 0;
	session_decide(p);
	if (!p->has_begun && !p->is_quiet)
		session_source_say_endings(p->source);
	p->has_begun = true;
	err = subscribe(p);
	if (!err)
		err = begin_timeline(p);
	if (!err)
		err = feed(p);
	p->has_met_none = !err && p->expects_gpu;
	return err || p->has_met_gpu || p->has_met_none ? err : session_end(p);
}

static struct lane_error *read_once(struct pass *p)
{
	struct session *s = p->session;
	LANE_CLEANUP(session_source_close)
	struct session_source source = { .damage = s->damage,
					 .prefer = s->prefer,
					 .is_strict = s->is_strict,
					 .has_foresight =
						 p->is_second || s->depth == SESSION_EVENTS };
	struct lane_error *err;

	s->damage.last = NULL;
	err = session_source_open(&source, s->place, s->n_places ? s->n_places : 1);
	p->source = &source;
	if (!err)
		err = read_opened(p);
	s->damage = source.damage;
	return err;
}

/* What has been read is void: for the GPU that it has, or for what came late and is known now. */
static void begin_anew(struct pass *p)
{
	struct session *s = p->session;
	struct session_damage damage = { .command = s->damage.command,
					 .before = s->damage.n ? s->damage.n - 1 : 0,
					 .is_quiet = p->is_quiet || p->has_met_late };

	if (p->has_met_late)
		p->earlier = LANE_TAKE(s->timeline);
	session_deinit(s);
	s->damage = damage;
	if (p->has_met_gpu) {
		p->has_decided = true;
		p->follows_all = false;
		s->n_lost = 0;
	}
	if (p->has_met_none) {
		p->expects_gpu = false;
		p->follows_all = true;
		s->n_lost = 0;
	}
	p->is_second |= p->has_met_late;
	p->is_told = true;
	p->has_met_gpu = p->has_met_late = p->has_met_none = false;
}

static struct lane_error *read_and_read_anew(struct pass *p)
{
	struct lane_error *err = read_once(p);

	while (!err && (p->has_met_gpu || p->has_met_late || p->has_met_none)) {
		begin_anew(p);
		err = read_once(p);
	}
	return err;
}

/* The second time everything is known that bounds what comes early; the first nobody listens. */
static struct lane_error *read_twice(struct pass *p)
{
	struct session *s = p->session;
	struct session_damage damage;
	struct lane_error *err;

	p->is_told = false;
	err = read_once(p);
	if (!err)
		err = keep_late(p);
	if (err)
		return err;
	p->earlier = LANE_TAKE(s->timeline);
	damage = s->damage;
	s->damage = (struct session_damage){ .command = damage.command, .is_quiet = true };
	p->is_told = p->is_second = p->is_quiet = true;
	err = read_once(p);
	lane_error_free(s->damage.last);
	s->damage = damage;
	return err;
}

struct lane_error *session_read(struct session *session)
{
	struct pass pass = { .session = session,
			     .is_told = true,
			     .is_quiet = session->damage.is_quiet };
	struct lane_error *err;

	if (!session->damage.command)
		session->damage.command = "report";
	session->shows_progress = session->shows_progress && isatty(STDERR_FILENO);
	if (session->is_stoppable)
		lane_stop_catch();
	err = session->depth == SESSION_STORIES ? read_twice(&pass) : read_and_read_anew(&pass);
	free(pass.losses);
	timeline_destroy(pass.earlier);
	free(LANE_TAKE(session->lost));
	session->n_lost = 0;
	session->latency.is_damaged = session->damage.n != 0;
	if (pass.said_ms)
		fputs("\r\033[K", stderr);
	return err;
}

struct lane_error *session_read_to(struct session *session, const struct session_listener *listener)
{
	struct lane_error *err;

	session->listeners = listener;
	session->n_listeners = 1;
	err = session_read(session);
	session->listeners = NULL;
	session->n_listeners = 0;
	return err;
}

struct session session_again(const struct session *session)
{
	return (struct session){
		.place = session->place,
		.n_places = session->n_places,
		.prefer = session->prefer,
		.groups = session->groups,
		.shows_progress = session->shows_progress,
		.is_stoppable = session->is_stoppable,
		.damage = { .command = session->damage.command, .is_quiet = true },
	};
}

void session_deinit(struct session *session)
{
	timeline_destroy(LANE_TAKE(session->timeline));
	latency_deinit(&session->latency);
	lane_error_free(LANE_TAKE(session->damage.last));
}

// SPDX-License-Identifier: MIT
// Reads a recording once, or twice where foreseeing its losses demands it.
#include "cmd/read.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "cmd/hooks.h"

enum {
	LOOK_EVERY = 4096, /* events between two looks at the clock */
	SAY_EVERY_MS = 200,
};

/* One pass over the recording. */
struct pass {
	struct lane_reading *reading;
	struct lane_input *input;
	const struct lane_trace_info *info;
	struct lane_fan fan;
	struct lane_loss *losses; /* foreseen, from the pass before */
	size_t n_losses;
	size_t cap_lost;
	bool is_second;	  /* its losses are known beforehand */
	bool has_begun;	  /* what is said at the beginning has been said */
	bool follow_all;  /* there is no GPU in it, as far as is known: all threads are of interest
			   */
	bool has_decided; /* whether there is one */
	bool met_gpu;	  /* there is, and it had not been expected: all is read anew */
	bool expects_gpu; /* the trace says that a GPU's events were recorded */
	bool met_none;	  /* none of them has come: likewise */
	bool met_loss;	  /* a loss reached into what had been concluded: likewise */
	bool quiet;	  /* the caller has told of the recording before */
	uint64_t events, said_ms, first_ns;
};

static void close_input(struct lane_input **input)
{
	lane_input_close(*input);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* How far it is: events, and the share of the recording's time where its end is known. */
static void say(struct pass *p, uint64_t at_ns)
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
	const struct lane_reading *r = p->reading;
	struct lane_select *select = &p->reading->latency.select;

	p->first_ns = p->reading->first_ns = begin_ns;
	if (r->base_ns)
		begin_ns = r->base_ns;
	if (!r->by_time)
		return;
	select->from_ns = begin_ns + (uint64_t)(r->from_s * 1e9);
	if (r->to_s > 0)
		select->to_ns = begin_ns + (uint64_t)(r->to_s * 1e9);
}

/* Remembers a loss for those who have to know of it beforehand. */
static struct lane_error *keep_lost(struct pass *p, const struct lane_p_gpulane_lost *lost)
{
	struct lane_reading *r = p->reading;

	if (p->is_second)
		return NULL;
	if (r->n_lost == p->cap_lost) {
		size_t cap = p->cap_lost ? 2 * p->cap_lost : 64;
		struct lane_loss *more = reallocarray(r->lost, cap, sizeof(*more));

		if (!more)
			return &lane_enomem;
		r->lost = more;
		p->cap_lost = cap;
	}
	r->lost[r->n_lost++] = lane_loss_of(lost);
	return NULL;
}

static struct lane_error *take(struct pass *p, const struct lane_event *event)
{
	struct lane_reading *r = p->reading;
	struct lane_error *err;

	if (!p->events++)
		set_times(p, event->wire.ts_ns);
	if (p->events % LOOK_EVERY == 0) {
		if (lane_stop_signal)
			return lane_error("interrupted");
		if (r->progress)
			say(p, event->wire.ts_ns);
	}
	if (event->wire.kind == LANE_LOST) {
		err = keep_lost(p, &event->u.gpulane_lost);
		if (err)
			return err;
	}
	for (size_t i = 0; i < r->n_listeners; i++) {
		if (!r->listeners[i].event)
			continue;
		err = r->listeners[i].event(r->listeners[i].arg, event);
		if (err)
			return err;
	}
	return lane_timeline_push(r->timeline, event);
}

/* What the driver, or a program that uses a GPU, has events of. */
static bool is_gpu_kind(unsigned int kind)
{
	const char *group = lane_kinds[kind].group;

	return !strcmp(group, "i915") || !strcmp(group, "drm") || !strcmp(group, "context") ||
	       !strcmp(group, "opencl");
}

/* Feeds everything that can be read, or up to a GPU's first event that had not been expected. */
static struct lane_error *feed(struct pass *p)
{
	const struct lane_event *event;
	struct lane_error *err;

	for (;;) {
		err = lane_input_next(p->input, &event);
		if (err) {
			err = lane_damage_take(&p->reading->damage, err);
			if (err)
				return err;
			continue;
		}
		if (!event)
			return lane_stop_signal ? lane_error("interrupted") : NULL;
		if (p->expects_gpu && is_gpu_kind(event->wire.kind))
			p->expects_gpu = false; /* as it was expected */
		p->met_gpu = !p->has_decided && is_gpu_kind(event->wire.kind);
		if (p->met_gpu)
			return NULL;
		err = take(p, event);
		if (err)
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
static void decide(struct pass *p)
{
	if (p->has_begun)
		return;
	p->follow_all = p->info->presence[LANE_SWITCH] != LANE_PRESENCE_ABSENT;
	p->has_decided = !p->follow_all || !may_have_gpu(p->info);
	if (p->has_decided || !says_gpu(p->info))
		return;
	p->follow_all = false;
	p->has_decided = true;
	p->expects_gpu = true;
}

/* Everyone who listens is told that reading begins; the figures come first in the fan. */
static struct lane_error *subscribe(struct pass *p)
{
	struct lane_reading *r = p->reading;
	struct lane_error *err = lane_latency_init(&r->latency, p->info, &r->select);

	if (!err && p->follow_all)
		err = lane_latency_follow_all(&r->latency);
	if (err)
		return err;
	p->fan.to[0] = lane_latency_hooks(&r->latency);
	p->fan.n = 1;
	for (size_t i = 0; i < r->n_listeners; i++) {
		struct lane_hooks *hooks = &p->fan.to[p->fan.n];

		if (p->fan.n == LANE_FAN_MAX)
			return lane_error("more than %d listeners", LANE_FAN_MAX - 1);
		memset(hooks, 0, sizeof(*hooks));
		err = r->listeners[i].begin(r->listeners[i].arg, p->info, hooks);
		if (err)
			return err;
		p->fan.n++;
	}
	return NULL;
}

static struct lane_error *keep_losses(struct pass *p)
{
	size_t n;
	const struct lane_loss *losses = lane_timeline_losses(p->reading->timeline, &n);

	p->losses = malloc((n + 1) * sizeof(*losses));
	if (!p->losses)
		return &lane_enomem;
	if (n)
		memcpy(p->losses, losses, n * sizeof(*losses));
	p->n_losses = n;
	return NULL;
}

static struct lane_error *read_once(struct pass *p)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	struct lane_reading *r = p->reading;
	struct lane_timeline_figures figures;
	struct lane_hooks hooks;
	struct lane_error *err;

	err = r->place ? lane_input_open_places(r->place, 1, LANE_PREFER_BPF, &input)
		       : lane_input_open(r->path, &input);
	if (err)
		return err;
	p->input = input;
	p->info = lane_input_info(input);
	lane_input_leave_out_findings(input); /* they are found again */
	p->events = 0;
	decide(p);
	if (!p->has_begun && !p->quiet)
		lane_say_endings(input, 1, r->damage.command);
	if (!p->has_begun && !p->quiet && r->verbose)
		lane_say_readers(input, r->damage.command);
	p->has_begun = true;
	err = subscribe(p);
	if (err)
		return err;
	hooks = p->fan.n > 1 ? lane_fan_hooks(&p->fan) : p->fan.to[0];
	err = lane_timeline_create(p->info, p->losses, p->n_losses, &hooks, &r->timeline);
	if (!err && p->follow_all)
		lane_timeline_follow_all(r->timeline);
	if (!err)
		err = feed(p);
	p->met_none = !err && p->expects_gpu;
	if (err || p->met_gpu || p->met_none)
		return err;
	p->has_decided = true;
	lane_timeline_figures(r->timeline, &figures);
	p->met_loss = figures.loss_unforeseen && !p->is_second;
	if (p->met_loss)
		return keep_losses(p);
	if (!p->quiet)
		lane_say_counts(input, r->damage.command);
	err = lane_check_known(input, r->path);
	if (err)
		return err;
	err = lane_timeline_finish(r->timeline);
	return err ? err : lane_latency_finish(&r->latency, r->timeline);
}

/* What has been read is void: for the GPU that it has, or the losses that are known now. */
static void begin_anew(struct pass *p)
{
	struct lane_reading *r = p->reading;
	struct lane_damage damage = { .command = r->damage.command,
				      .before = r->damage.n ? r->damage.n - 1 : 0,
				      .quiet = p->quiet || p->met_loss };

	lane_reading_deinit(r);
	r->damage = damage;
	if (p->met_gpu) {
		p->has_decided = true;
		p->follow_all = false;
		r->n_lost = 0;
	}
	if (p->met_none) {
		p->expects_gpu = false;
		p->follow_all = true;
		r->n_lost = 0;
	}
	p->is_second |= p->met_loss;
	p->met_gpu = p->met_loss = p->met_none = false;
}

struct lane_error *lane_read(struct lane_reading *reading)
{
	struct pass pass = { .reading = reading, .quiet = reading->damage.quiet };
	struct lane_error *err;

	if (!reading->damage.command)
		reading->damage.command = "report";
	reading->progress = reading->progress && isatty(STDERR_FILENO);
	if (reading->stoppable)
		lane_stop_catch();
	err = read_once(&pass);
	while (!err && (pass.met_gpu || pass.met_loss || pass.met_none)) {
		begin_anew(&pass);
		err = read_once(&pass);
	}
	free(pass.losses);
	free(LANE_TAKE(reading->lost));
	reading->n_lost = 0;
	if (pass.said_ms)
		fputs("\r\033[K", stderr);
	return err;
}

void lane_reading_deinit(struct lane_reading *reading)
{
	lane_timeline_destroy(LANE_TAKE(reading->timeline));
	lane_latency_deinit(&reading->latency);
	lane_error_free(LANE_TAKE(reading->damage.last));
}

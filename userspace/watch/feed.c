// SPDX-License-Identifier: MIT
// What watching is fed with: the running machine, or a recording.
#include "watch/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A replay is told of the time so often, by its own time. */
#define REPLAY_STEP_NS 50000000u

/* --- this machine --- */

static struct lane_error *on_record(void *arg, unsigned int cpu, const struct lane_wire *record)
{
	return watch_record(((struct lane_feed *)arg)->watch, cpu, record);
}

static struct lane_error *on_lost(void *arg, unsigned int cpu, uint64_t total, uint64_t at_ns)
{
	return watch_lost(((struct lane_feed *)arg)->watch, cpu, total, at_ns);
}

static struct lane_error *on_horizon(void *arg, unsigned int cpu, uint64_t ns)
{
	return watch_horizon(((struct lane_feed *)arg)->watch, cpu, ns);
}

struct lane_error *watch_feed_open_running(struct lane_feed *feed,
					   const struct lane_capture_config *config)
{
	const struct lane_sink also = { feed, on_record, on_lost, on_horizon };
	struct lane_error *err = session_running_open(config, &also, &feed->running);
	char why[192];

	if (err)
		return err;
	feed->groups = config->groups;
	feed->info = session_running_info(feed->running);
	memcpy(feed->dumps, feed->info->limits.dumps, sizeof(feed->dumps));
	if (!session_running_sees_requests(feed->running, why, sizeof(why)))
		snprintf(feed->notice, sizeof(feed->notice),
			 "a GPU's requests are not seen: %s (see gpulane doctor)", why);
	return NULL;
}

void watch_feed_told_dumps(struct lane_feed *feed)
{
	if (feed->running)
		session_running_dumps(feed->dumps, sizeof(feed->dumps));
}

static struct lane_error *running_round(const struct lane_feed *feed)
{
	const struct lane_event *event;
	uint64_t upto_ns;
	struct lane_error *err = session_running_wait(feed->running, 0, &upto_ns);

	while (!err) {
		err = session_running_next(feed->running, upto_ns, &event);
		if (err || !event)
			break;
		err = watch_event(feed->watch, event);
	}
	/* The clock of the day may have been set meanwhile, and the machine may have slept. */
	return err ? err : watch_advance(feed->watch, upto_ns, capture_epoch_offset_ns());
}

/* --- a recording --- */

struct lane_error *watch_feed_open_recording(struct lane_feed *feed, const char *path)
{
	struct lane_feed_replay *replay = feed->replay = calloc(1, sizeof(*replay));
	const struct lane_place place = { .path = path };
	struct lane_error *err;

	if (!replay)
		return &lane_enomem;
	replay->source.damage.command = "watch";
	replay->source.has_foresight = true;
	err = session_source_open(&replay->source, &place, 1);
	if (err)
		return err;
	feed->info = norm_input_info(replay->source.input);
	feed->groups = UINT32_MAX;
	snprintf(replay->host.name, sizeof(replay->host.name), "%s", feed->info->host);
	snprintf(replay->host.release, sizeof(replay->host.release), "%s", feed->info->release);
	snprintf(replay->host.boot_id, sizeof(replay->host.boot_id), "%s", feed->info->clock_uuid);
	replay->host.slept_ns = feed->info->slept_ns;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		replay->kinds[kind].recorded = feed->info->presence[kind] != LANE_PRESENCE_ABSENT;
		replay->kinds[kind].origin = LANE_ORIGIN_UNKNOWN;
	}
	return NULL;
}

/* All that is older has been given out, of every CPU. */
static struct lane_error *replay_step(const struct lane_feed *feed, uint64_t ns)
{
	struct lane_feed_replay *replay = feed->replay;
	struct lane_error *err = NULL;

	replay->step_ns = ns + REPLAY_STEP_NS;
	for (unsigned int cpu = 0; cpu < LANE_FEED_CPUS && !err; cpu++) {
		if (!replay->is_there[cpu])
			continue;
		err = watch_lost(feed->watch, cpu, replay->lost[cpu], ns);
		if (!err)
			err = watch_horizon(feed->watch, cpu, ns);
	}
	return err ? err
		   : watch_advance(feed->watch, ns,
				   norm_input_info(replay->source.input)->epoch_offset_ns);
}

static struct lane_error *replay_event(const struct lane_feed *feed, const struct lane_event *event)
{
	struct lane_feed_replay *replay = feed->replay;
	unsigned int cpu =
		event->cpu >= 0 && event->cpu < LANE_FEED_CPUS ? (unsigned int)event->cpu : 0;
	struct lane_error *err = NULL;

	if (event->wire.kind == LANE_LOST) {
		int32_t of = event->u.gpulane_lost.lost_cpu;

		cpu = of >= 0 && of < LANE_FEED_CPUS ? (unsigned int)of : 0;
		replay->lost[cpu] += event->u.gpulane_lost.count ? event->u.gpulane_lost.count : 1;
	} else if (!lane_is_derived(event->wire.kind)) {
		err = watch_record(feed->watch, cpu, &event->wire);
	}
	replay->is_there[cpu] = true;
	return err ? err : watch_event(feed->watch, event);
}

static struct lane_error *replay_round(const struct lane_feed *feed, bool *ended)
{
	struct lane_feed_replay *replay = feed->replay;
	const struct lane_event *event;
	struct lane_error *err;

	for (;;) {
		err = session_source_next(&replay->source, &event);
		if (err)
			return err;
		*ended = !event;
		if (!event)
			return replay_step(feed, replay->step_ns);
		err = replay_event(feed, event);
		if (err)
			return err;
		if (event->wire.ts_ns >= replay->step_ns)
			return replay_step(feed, event->wire.ts_ns);
	}
}

/* --- either --- */

struct lane_error *watch_feed_start(struct lane_feed *feed, struct lane_watch *watch)
{
	feed->watch = watch;
	return feed->running ? session_running_start(feed->running) : NULL;
}

struct lane_error *watch_feed_round(struct lane_feed *feed, bool *ended)
{
	*ended = false;
	return feed->replay ? replay_round(feed, ended) : running_round(feed);
}

const struct lane_capture_kind *watch_feed_kinds(const struct lane_feed *feed)
{
	return feed->replay ? feed->replay->kinds : session_running_kinds(feed->running);
}

const struct lane_host *watch_feed_host(const struct lane_feed *feed)
{
	return feed->replay ? &feed->replay->host : session_running_host(feed->running);
}

void watch_feed_close(struct lane_feed *feed)
{
	if (feed->running && feed->watch)
		session_running_say_counts(feed->running, "watch");
	session_running_close(feed->running);
	if (feed->replay)
		session_source_end(&feed->replay->source);
	free(feed->replay);
	feed->running = NULL;
	feed->replay = NULL;
}

// SPDX-License-Identifier: MIT
// What happened lately: the sums of a sliding window over events as they come.
#include "session/lately.h"

static struct lane_error *lately_begin(void *arg, const struct lane_trace_info *info,
				       struct lane_hooks *hooks)
{
	struct session_lately *lately = arg;

	latency_window_init(&lately->window, info, lately->window_ns);
	*hooks = latency_window_hooks(&lately->window);
	return NULL;
}

static struct lane_error *on_event(void *arg, const struct lane_event *event)
{
	struct session_lately *lately = arg;
	struct lane_error *err;

	if (!lately->first_ns) {
		lately->first_ns = event->wire.ts_ns;
		if (lately->upto_ns < lately->first_ns)
			lately->upto_ns = lately->first_ns;
		err = latency_window_advance(&lately->window, lately->first_ns, 0);
		if (err)
			return err;
	}
	if (event->wire.kind == LANE_LOST)
		lately->lost += event->u.gpulane_lost.count ? event->u.gpulane_lost.count : 1;
	return latency_window_advance(&lately->window, event->wire.ts_ns, 1);
}

struct lane_error *session_lately_open(struct session_lately *lately, const char *command,
				       const struct lane_place *place,
				       const struct session_filter *filter, uint64_t window_ns)
{
	const struct session_listener listener = { lately, lately_begin, on_event };
	struct lane_error *err;

	lately->window_ns = window_ns;
	err = place ? session_stream_open_recording(&lately->stream, command, place)
		    : session_stream_open_live(&lately->stream, command, filter);
	if (!err)
		err = session_stream_listen(&lately->stream, &listener);
	if (!err && lately->groups)
		timeline_group_by(lately->stream.timeline, lately->groups);
	return err || !place ? err : session_stream_feed_one(&lately->stream);
}

struct lane_error *session_lately_feed(struct session_lately *lately, uint64_t upto_ns)
{
	bool had_ended = lately->stream.has_ended;
	struct lane_error *err = session_stream_feed(&lately->stream, upto_ns);

	lately->upto_ns = upto_ns;
	if (!err && lately->stream.has_ended && !had_ended && !lately->stream.is_live) {
		struct lane_hooks hooks = latency_window_hooks(&lately->window);

		timeline_each_ended(lately->stream.timeline, hooks.request, hooks.arg);
	}
	if (!err && lately->first_ns && !lately->stream.has_ended)
		err = latency_window_advance(&lately->window, upto_ns, 0);
	return err;
}

void session_lately_close(struct session_lately *lately)
{
	session_stream_close(&lately->stream);
	latency_window_deinit(&lately->window);
}

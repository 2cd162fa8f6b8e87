// SPDX-License-Identifier: MIT
// gpulane report --critical: read once for where the path ends, and again for what lies on it.
#include <string.h>

#include "cmd/report.h"
#include "show/critical.h"

struct listener {
	uint64_t from_ns, to_ns;
	struct lane_critical *critical;
};

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct listener *l = arg;
	struct lane_error *err;

	lane_critical_destroy(l->critical);
	l->critical = NULL;
	err = lane_critical_create(info, l->from_ns, l->to_ns, &l->critical);
	if (!err)
		*hooks = lane_critical_hooks(l->critical);
	return err;
}

/* The client of most requests among those selected, NULL: none. */
static const struct lane_client *busiest(const struct lane_latency *latency)
{
	const struct lane_client_stats *most = NULL;

	for (uint32_t i = 0; i < latency->n_clients; i++) {
		const struct lane_client_stats *c = &latency->clients[i];
		uint64_t n = c->requests.complete + c->requests.partial;

		if (!c->client || c->client->pid <= 0 || !n)
			continue;
		if (!most || n > most->requests.complete + most->requests.partial)
			most = c;
	}
	return most ? most->client : NULL;
}

/* Without an interval: the longest request. With one: the main thread of the process that was
 * named. */
static struct lane_error *choose(const struct lane_critical_options *o,
				 const struct lane_latency *latency, struct listener *l,
				 struct lane_critical_end *end)
{
	const struct lane_request *rq = latency->n_worst ? &latency->worst[0].request : NULL;
	const struct lane_client *client;

	if (o->by_time) {
		client = busiest(latency);
		if (!client)
			return lane_error("no process with requests to follow (choose another "
					  "--process)");
		l->from_ns = latency->figures.begin_ns + (uint64_t)(o->from_s * 1e9);
		l->to_ns = o->to_s > 0 ? latency->figures.begin_ns + (uint64_t)(o->to_s * 1e9)
				       : latency->figures.end_ns;
		if (l->to_ns > latency->figures.end_ns)
			l->to_ns = latency->figures.end_ns;
		if (l->from_ns >= l->to_ns)
			return lane_error("nothing lies in that time of the recording");
		*end = (struct lane_critical_end){ .tid = client->pid };
		return NULL;
	}
	if (!rq)
		return lane_error("no request whose beginning and end are known (choose a time)");
	l->to_ns = rq->seen & LANE_SEEN_SIGNAL ? rq->signal_ns : rq->end.hi;
	l->from_ns = l->to_ns - latency->worst[0].total_ns;
	*end = (struct lane_critical_end){ -1, rq->context->ctx, rq->context->dev, rq->seqno };
	return NULL;
}

struct lane_error *lane_report_critical(struct lane_reading *reading,
					const struct lane_critical_options *options)
{
	struct lane_reading again = { .path = reading->path,
				      .place = reading->place,
				      .damage = { .quiet = true } };
	struct listener listener = { 0 };
	const struct lane_listener listeners[] = { { &listener, begin, NULL } };
	struct lane_critical_path path = { 0 };
	struct lane_critical_end end;
	struct lane_error *err = lane_read(reading);

	if (!err)
		err = choose(options, &reading->latency, &listener, &end);
	if (err)
		return err;
	again.listeners = listeners;
	again.n_listeners = 1;
	err = lane_read(&again);
	if (!err)
		err = lane_critical_solve(listener.critical, again.timeline, listener.from_ns,
					  listener.to_ns, &end, &path);
	if (!err && options->json)
		err = lane_critical_write_json(stdout, &again.latency, &path);
	else if (!err)
		err = lane_critical_write_text(stdout, &again.latency, &path, options->rows);
	lane_critical_path_free(&path);
	lane_critical_destroy(listener.critical);
	lane_reading_deinit(&again);
	return err ? err : lane_damage_end(&reading->damage);
}

// SPDX-License-Identifier: MIT
// Finds where the wanted critical path ends.
#include <inttypes.h>

#include "latency/latency.h"

/* The client with the most selected requests, NULL: none. */
static const struct lane_client *critical_end_busiest(const struct lane_latency *latency)
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

/* The path over an interval of the recording ends at the main thread of the busiest process. */
static struct lane_error *end_of_interval(const struct lane_latency *latency,
					  const struct lane_critical_wanted *wanted,
					  uint64_t *from_ns, uint64_t *to_ns,
					  struct lane_critical_end *end)
{
	const struct lane_timeline_figures *figures = &latency->figures;
	const struct lane_client *client = critical_end_busiest(latency);

	if (!client)
		return lane_error("no process with requests to follow (choose another --process)");
	*from_ns = figures->begin_ns + (uint64_t)(wanted->from_s * 1e9);
	*to_ns = wanted->to_s > 0 ? figures->begin_ns + (uint64_t)(wanted->to_s * 1e9)
				  : figures->end_ns;
	if (*to_ns > figures->end_ns)
		*to_ns = figures->end_ns;
	if (*from_ns >= *to_ns)
		return lane_error("nothing lies in that time of the recording");
	*end = (struct lane_critical_end){ .tid = client->pid };
	return NULL;
}

/* The refresh that shows the picture. */
static struct lane_error *end_of_flip(const struct lane_latency *latency,
				      const struct lane_critical_wanted *wanted, uint64_t *from_ns,
				      uint64_t *to_ns)
{
	const struct lane_frames *frames = &latency->frames;

	if (!frames->n_found)
		return lane_error("no picture is known to have been under way for refresh %" PRIu32
				  " of CRTC %" PRId32,
				  wanted->refresh, wanted->crtc);
	*from_ns = latency_critical_flip_from(&frames->found[0]);
	*to_ns = frames->found[0].shown_ns;
	return NULL;
}

struct lane_error *latency_critical_end(const struct lane_latency *latency,
					const struct lane_critical_wanted *wanted,
					uint64_t *from_ns, uint64_t *to_ns,
					struct lane_critical_end *end)
{
	const struct lane_request *rq = latency->n_worst ? &latency->worst[0].request : NULL;

	if (wanted->by_flip)
		return end_of_flip(latency, wanted, from_ns, to_ns);
	if (wanted->by_time)
		return end_of_interval(latency, wanted, from_ns, to_ns, end);
	if (!rq)
		return lane_error("no request whose beginning and end are known (choose a time)");
	*to_ns = rq->seen & LANE_SEEN_SIGNAL ? rq->signal_ns : rq->end.hi;
	*from_ns = *to_ns - latency->worst[0].total_ns;
	*end = (struct lane_critical_end){ -1, rq->context->ctx, rq->context->dev, rq->seqno };
	return NULL;
}

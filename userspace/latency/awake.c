// SPDX-License-Identifier: MIT
// Who kept the GPUs awake: what was not suspended, beside whose requests were there.
#include "latency/awake.h"

#include <string.h>

/* Of those that were told before its first reading nobody knows whether they were its own. */
static bool add_early(struct lane_awake_times *times, const struct lane_awake_device *device)
{
	return !device->early_ns ||
	       latency_ways_add(&times->possible, (struct lane_span){ 0, device->early_ns });
}

/* Its suspended time is read: it is a device that may sleep. */
void latency_awake_sample(struct lane_awakes *awakes, const struct lane_counters *counters,
			  const struct lane_event *event)
{
	const struct lane_counter_sum *sum;
	struct lane_awake_device *device;

	if (event->wire.kind != LANE_SAMPLE || event->u.gpulane_sample.id >= counters->n)
		return;
	sum = &counters->all[event->u.gpulane_sample.id];
	if (sum->is.what != LANE_COUNTS_SUSPENDED || sum->samples > 1 ||
	    awakes->n_devices == LANE_AWAKE_DEVICES)
		return;
	device = &awakes->devices[awakes->n_devices++];
	device->card = sum->is.card;
	memcpy(device->dev, sum->is.dev, sizeof(device->dev) - 1);
	device->early_ns = awakes->told_ns;
	awakes->no_memory |= !add_early(&device->any, device);
}

static struct lane_awake_client *awake_client_of(struct lane_awakes *awakes,
						 struct lane_client *client, uint32_t device)
{
	struct lane_awake_client *of;

	for (uint32_t i = 0; i < awakes->n_clients; i++)
		if (awakes->clients[i].client == client && awakes->clients[i].device == device)
			return &awakes->clients[i];
	if (awakes->n_clients == LANE_AWAKE_CLIENTS)
		return NULL;
	of = &awakes->clients[awakes->n_clients++];
	*of = (struct lane_awake_client){ .client = client, .device = device };
	awakes->no_memory |= !add_early(&of->is, &awakes->devices[device]);
	return of;
}

/* Of a request whose call is not seen nothing says since when it was there. */
static struct lane_span possible_of(const struct lane_request *rq)
{
	uint64_t call_ns = rq->seen & LANE_SEEN_QUEUE ? rq->queue_ns
			   : rq->seen & LANE_SEEN_ADD ? rq->add_ns
						      : 0;

	return (struct lane_span){ call_ns, timeline_end_is_known(rq) ? rq->end.hi : UINT64_MAX };
}

/* It may be any device's: up to Linux 6.16 drm_sched's events do not tell whose a ring is. */
static bool may_be_of(const struct lane_engine *engine)
{
	return !engine || (engine->name && !*engine->device);
}

/* From its call to where it certainly was there. */
static struct lane_span certain_of(const struct lane_request *rq)
{
	uint64_t from_ns = rq->seen & LANE_SEEN_QUEUE	  ? rq->queue_ns
			   : rq->seen & LANE_SEEN_ADD	  ? rq->add_ns
			   : rq->seen & LANE_SEEN_SUBMIT  ? rq->submit_ns
			   : rq->seen & LANE_SEEN_EXECUTE ? rq->execute_ns
							  : UINT64_MAX;

	return (struct lane_span){ from_ns, timeline_end_is_known(rq) ? rq->end.lo : 0 };
}

/* i915 keeps the device awake from the call on (i915_request_create()). Of drm_sched's drivers some
 * wake theirs for the hardware only (panfrost_job_hw_submit()): it may sleep while a job waits. */
static struct lane_span awake_of(const struct lane_request *rq)
{
	struct lane_span awake = certain_of(rq);

	if (rq->context->is_drm)
		awake.lo = rq->seen & LANE_SEEN_EXECUTE ? rq->execute_ns : UINT64_MAX;
	return awake;
}

/* is_certain: it is this device's. */
static bool awake_add(struct lane_awake_times *times, bool is_certain, struct lane_span certain,
		      struct lane_span possible)
{
	return (!is_certain || certain.hi <= certain.lo ||
		latency_ways_add(&times->certain, certain)) &&
	       latency_ways_add(&times->possible, possible);
}

void latency_awake_request(struct lane_awakes *awakes, const struct lane_counters *counters,
			   const struct lane_request *rq)
{
	struct lane_client *client = timeline_client_of(rq);
	struct lane_span possible = possible_of(rq);

	awakes->told_ns = timeline_later(awakes->told_ns, possible.hi);
	for (uint32_t i = 0; i < awakes->n_devices; i++) {
		struct lane_awake_device *device = &awakes->devices[i];
		bool is_its = rq->engine && latency_counters_on_card(counters, rq->engine,
								     device->card, device->dev);
		struct lane_awake_client *of;

		if (!is_its && !may_be_of(rq->engine))
			continue;
		awakes->no_memory |= !awake_add(&device->any, is_its, awake_of(rq), possible);
		of = client ? awake_client_of(awakes, client, i) : NULL;
		device->left_out += !of;
		awakes->no_memory |= of && !awake_add(&of->is, is_its, certain_of(rq), possible);
	}
}

/* How much of the recording they take, within bounds. */
static void sum_times(struct lane_awake_times *times, struct lane_span whole, uint64_t most_ns)
{
	struct lane_ways *possible = &times->possible;

	for (uint32_t i = 0; i < possible->n; i++) {
		possible->all[i].lo = timeline_later(possible->all[i].lo, whole.lo);
		possible->all[i].hi = timeline_sooner(possible->all[i].hi, whole.hi);
	}
	latency_ways_sum(&times->certain);
	latency_ways_sum(possible);
	times->ns.hi = possible->is_short ? most_ns : timeline_sooner(possible->ns, most_ns);
	times->ns.lo = timeline_sooner(times->certain.ns, times->ns.hi);
}

static const struct lane_counter_sum *awake_find(const struct lane_counters *counters,
						 const struct lane_awake_device *device,
						 uint32_t what)
{
	for (uint32_t i = 0; i < counters->n; i++)
		if (counters->all[i].samples && counters->all[i].is.what == what &&
		    counters->all[i].is.card == device->card)
			return &counters->all[i];
	return NULL;
}

void latency_awake_finish(struct lane_awakes *awakes, const struct lane_counters *counters,
			  struct lane_span whole, bool is_all)
{
	uint64_t whole_ns = whole.hi - whole.lo;

	for (uint32_t i = 0; i < awakes->n_devices; i++) {
		struct lane_awake_device *device = &awakes->devices[i];
		struct lane_span slept = { 0, whole_ns }, any;

		device->suspended = awake_find(counters, device, LANE_COUNTS_SUSPENDED);
		device->uses = awake_find(counters, device, LANE_COUNTS_AWAKE_USES);
		device->delay = awake_find(counters, device, LANE_COUNTS_SLEEP_AFTER);
		device->kept = awake_find(counters, device, LANE_COUNTS_KEPT_AWAKE);
		if (device->suspended && device->suspended->is_sound)
			slept = device->suspended->counted;
		sum_times(&device->any, whole, whole_ns);
		any = device->any.ns;
		device->ns = (struct lane_span){ whole_ns - slept.hi, whole_ns - slept.lo };
		if (is_all && device->ns.lo > any.hi)
			device->idle_ns.lo = device->ns.lo - any.hi;
		device->idle_ns.hi = device->ns.hi > any.lo ? device->ns.hi - any.lo : 0;
		if (device->idle_ns.lo > device->idle_ns.hi)
			device->idle_ns.lo = device->idle_ns.hi;
	}
	for (uint32_t i = 0; i < awakes->n_clients; i++)
		sum_times(&awakes->clients[i].is, whole, whole_ns);
}

static void deinit_times(struct lane_awake_times *times)
{
	latency_ways_deinit(&times->certain);
	latency_ways_deinit(&times->possible);
}

void latency_awake_deinit(struct lane_awakes *awakes)
{
	for (uint32_t i = 0; i < awakes->n_devices; i++)
		deinit_times(&awakes->devices[i].any);
	for (uint32_t i = 0; i < awakes->n_clients; i++)
		deinit_times(&awakes->clients[i].is);
}

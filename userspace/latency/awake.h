/* SPDX-License-Identifier: MIT */
/*
 * Who kept the GPUs awake: for how long each was not suspended, for how long of that each client
 * had a request there, and for how long nobody had one that is recorded.
 */
#ifndef LANE_LATENCY_AWAKE_H
#define LANE_LATENCY_AWAKE_H

#include "latency/counters.h"
#include "latency/ways.h"

#define LANE_AWAKE_DEVICES 16
#define LANE_AWAKE_CLIENTS 32

/* From a request's call to its end: certainly, and possibly. Of a device: it is certainly awake. */
struct lane_awake_times {
	struct lane_ways certain, possible;
	struct lane_span ns; /* set by finish */
};

struct lane_awake_device {
	const struct lane_counter_sum *suspended; /* set by finish; NULL: it is not read */
	const struct lane_counter_sum *uses, *delay, *kept;
	uint32_t card;
	char dev[32];
	struct lane_span ns, idle_ns; /* awake; and without a request */
	struct lane_awake_times any;  /* somebody's */
	uint64_t left_out;	      /* requests of further clients */
	uint64_t early_ns; /* requests that were told before its first reading were over by then */
};

struct lane_awake_client {
	struct lane_client *client;
	uint32_t device;
	struct lane_awake_times is;
};

struct lane_awakes {
	struct lane_awake_device devices[LANE_AWAKE_DEVICES];
	struct lane_awake_client clients[LANE_AWAKE_CLIENTS];
	uint32_t n_devices, n_clients;
	uint64_t told_ns; /* when the requests so far were over at the latest */
	bool no_memory;
};

void latency_awake_sample(struct lane_awakes *awakes, const struct lane_counters *counters,
			  const struct lane_event *event);

void latency_awake_request(struct lane_awakes *awakes, const struct lane_counters *counters,
			   const struct lane_request *rq);

/* whole: the recording. is_all: no request of it is missing. */
void latency_awake_finish(struct lane_awakes *awakes, const struct lane_counters *counters,
			  struct lane_span whole, bool is_all);

void latency_awake_deinit(struct lane_awakes *awakes);

#endif

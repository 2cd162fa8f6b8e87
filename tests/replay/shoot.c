// SPDX-License-Identifier: MIT
// Has the replay driver fire a schedule: a flood of requests' lives, or the events of a text trace.
//
//   gl-shoot --flood N [--cpu C] [--contexts K] [--rate R]
//                                                   N events as fast as they can be fired, or R a
//                                                   second
//   gl-shoot --events FILE [--speed X]              the i915 and fence events of a trace, in real
//   time
//
// Prints `fired N events in T ns, latest L ns, S ns each 256`; S is the median.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/replay/uapi.h"
#include "base/event.h"
#include "norm/norm.h"

struct plan {
	struct glr_request *requests;
	struct glr_shot *shots;
	size_t n_requests;
	size_t n_shots;
	size_t room_requests;
	size_t room_shots;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "gl-shoot: %s: %s\n", what, why);
	exit(1);
}

static void *grow(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? *room * 2 : 1024;
	array = realloc(array, *room * size);
	if (!array)
		die("schedule", "out of memory");
	return array;
}

static uint32_t add_request(struct plan *plan, const struct glr_request *request)
{
	plan->requests =
		grow(plan->requests, plan->n_requests, &plan->room_requests, sizeof(*request));
	plan->requests[plan->n_requests] = *request;
	return (uint32_t)plan->n_requests++;
}

static void add_shot(struct plan *plan, const struct glr_shot *shot)
{
	plan->shots = grow(plan->shots, plan->n_shots, &plan->room_shots, sizeof(*shot));
	plan->shots[plan->n_shots++] = *shot;
}

/* The whole life of requests, one after the other, each event gap_ns after the one before. */
static void plan_flood(struct plan *plan, size_t events, uint16_t cpu, unsigned int contexts,
		       double gap_ns)
{
	static const uint16_t life[] = { GLR_SHOT_QUEUE,   GLR_SHOT_ADD, GLR_SHOT_SUBMIT,
					 GLR_SHOT_EXECUTE, GLR_SHOT_IN,	 GLR_SHOT_OUT,
					 GLR_SHOT_RETIRE };
	const size_t stages = sizeof(life) / sizeof(life[0]);

	for (size_t i = 0; i < events; i++) {
		uint32_t number = (uint32_t)(i / stages);

		if (i % stages == 0) {
			struct glr_request request = { .ctx = 1000000 + number % contexts,
						       .seqno = 2 + 2 * (number / contexts) };

			add_request(plan, &request);
		}
		add_shot(plan, &(struct glr_shot){ .at_ns = (uint64_t)(gap_ns * (double)i),
						   .request = number,
						   .kind = life[i % stages],
						   .cpu = cpu,
						   .arg = life[i % stages] == GLR_SHOT_OUT });
	}
}

static int shot_kind(unsigned int kind)
{
	switch (kind) {
	case LANE_RQ_QUEUE:
		return GLR_SHOT_QUEUE;
	case LANE_RQ_ADD:
		return GLR_SHOT_ADD;
	case LANE_RQ_GUC_SUBMIT:
		return GLR_SHOT_GUC_SUBMIT;
	case LANE_RQ_SUBMIT:
		return GLR_SHOT_SUBMIT;
	case LANE_RQ_EXECUTE:
		return GLR_SHOT_EXECUTE;
	case LANE_RQ_UNSUBMIT:
		return GLR_SHOT_UNSUBMIT;
	case LANE_RQ_IN:
		return GLR_SHOT_IN;
	case LANE_RQ_OUT:
		return GLR_SHOT_OUT;
	case LANE_RQ_RETIRE:
		return GLR_SHOT_RETIRE;
	case LANE_RQ_WAIT_BEGIN:
		return GLR_SHOT_WAIT_BEGIN;
	case LANE_RQ_WAIT_END:
		return GLR_SHOT_WAIT_END;
	case LANE_FENCE_ENABLE_SIGNAL:
		return GLR_SHOT_ENABLE_SIGNAL;
	case LANE_FENCE_SIGNALED:
		return GLR_SHOT_SIGNAL;
	default:
		return -1;
	}
}

static uint32_t shot_arg(const struct lane_event *event)
{
	switch (event->wire.kind) {
	case LANE_RQ_QUEUE:
		return event->u.i915_request_queue.flags;
	case LANE_RQ_WAIT_BEGIN:
		return event->u.i915_request_wait_begin.flags;
	case LANE_RQ_IN:
		return event->u.i915_request_in.port;
	case LANE_RQ_OUT:
		return event->u.i915_request_out.completed;
	default:
		return 0;
	}
}

/* The request's number; a linear search from the newest is enough for a test's traces. */
static uint32_t find_request(struct plan *plan, const struct lane_event *event)
{
	bool fence = !lane_is_request(event->wire.kind);
	uint64_t ctx = fence ? event->u.fence.context : event->u.rq.ctx;
	uint64_t seqno = fence ? event->u.fence.seqno : event->u.rq.seqno;

	for (size_t i = plan->n_requests; i-- > 0;)
		if (plan->requests[i].ctx == ctx && plan->requests[i].seqno == seqno)
			return (uint32_t)i;
	if (fence)
		return UINT32_MAX; /* a fence of somebody else's */
	return add_request(plan, &(struct glr_request){ .ctx = ctx,
							.seqno = (uint32_t)seqno,
							.class = event->u.rq.class,
							.instance = event->u.rq.instance });
}

static void check(struct lane_error *err)
{
	if (err)
		die("trace", lane_error_message(err));
}

static void plan_events(struct plan *plan, const char *path, double speed, long cpus)
{
	struct lane_input *input;
	const struct lane_event *event;
	uint64_t begin = 0;

	check(norm_input_open(path, &input));
	for (;;) {
		int kind;
		uint32_t number;

		check(norm_input_next(input, &event));
		if (!event)
			break;
		kind = shot_kind(event->wire.kind);
		if (kind < 0)
			continue;
		number = find_request(plan, event);
		if (number == UINT32_MAX)
			continue;
		if (event->wire.kind == LANE_RQ_IN)
			plan->requests[number].prio = event->u.i915_request_in.prio;
		if (!plan->n_shots)
			begin = event->wire.ts_ns;
		add_shot(plan,
			 &(struct glr_shot){
				 .at_ns = (uint64_t)((double)(event->wire.ts_ns - begin) / speed),
				 .request = number,
				 .kind = (uint16_t)kind,
				 .cpu = (uint16_t)(event->cpu > 0 ? event->cpu % cpus : 0),
				 .arg = shot_arg(event) });
	}
	norm_input_close(input);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "flood", 1, 0, 'f' },	 { "cpu", 1, 0, 'c' },	 { "contexts", 1, 0, 'k' },
		{ "events", 1, 0, 'e' }, { "speed", 1, 0, 's' }, { "rate", 1, 0, 'r' },
		{ 0, 0, 0, 0 },
	};
	struct plan plan = { 0 };
	struct glr_schedule schedule;
	const char *events = NULL;
	size_t flood = 0;
	unsigned int contexts = 4;
	uint16_t cpu = 0;
	double speed = 1, rate = 0;
	uint64_t begin;
	int fd, c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			flood = strtoul(optarg, NULL, 10);
			break;
		case 'c':
			cpu = (uint16_t)atoi(optarg);
			break;
		case 'k':
			contexts = (unsigned int)atoi(optarg);
			break;
		case 'e':
			events = optarg;
			break;
		case 's':
			speed = atof(optarg);
			break;
		case 'r':
			rate = atof(optarg);
			break;
		default:
			return 2;
		}
	}
	if (!flood == !events || !contexts || speed <= 0 || rate < 0)
		return 2;
	if (flood)
		plan_flood(&plan, flood, cpu, contexts, rate > 0 ? 1e9 / rate : 0);
	else
		plan_events(&plan, events, speed, sysconf(_SC_NPROCESSORS_ONLN));
	schedule = (struct glr_schedule){ .requests = (uintptr_t)plan.requests,
					  .shots = (uintptr_t)plan.shots,
					  .n_requests = (uint32_t)plan.n_requests,
					  .n_shots = (uint32_t)plan.n_shots };
	fd = open(GLR_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(GLR_DEVICE, strerror(errno));
	begin = now_ns();
	if (ioctl(fd, GLR_IOC_SCHEDULE, &schedule))
		die("schedule", strerror(errno));
	printf("fired %llu events in %llu ns, latest %llu ns, %llu ns each %d\n", schedule.fired,
	       (unsigned long long)(now_ns() - begin - 20000000u), schedule.late_ns,
	       schedule.stretch_ns, GLR_STRETCH);
	close(fd);
	free(plan.requests);
	free(plan.shots);
	return 0;
}

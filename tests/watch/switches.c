// SPDX-License-Identifier: MIT
// Makes this machine's scheduler fire so many events a second: two threads on one CPU wake each
// other by turns, each time with a waking, a wakeup and a switch. Prints how many it has made by
// its own count, and in how many seconds.
//
//   gpulane-switches SECONDS EVENTS_A_SECOND [CPU]
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_A_TRIP 6
#define ROUND_NS      5000000ull

static int there[2], back[2];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *answer(void *arg)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return arg;
}

static bool trip(void)
{
	char byte = 0;

	return write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[1], NULL) : 0;
	double rate = argc > 2 ? strtod(argv[2], NULL) : 0;
	uint64_t begin_ns, end_ns, now, trips = 0;
	pthread_t other;
	cpu_set_t set;

	if (seconds <= 0 || rate <= 0) {
		fprintf(stderr, "usage: gpulane-switches SECONDS EVENTS_A_SECOND [CPU]\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET(argc > 3 ? atoi(argv[3]) : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(there) || pipe(back) ||
	    pthread_create(&other, NULL, answer, NULL)) {
		perror("gpulane-switches");
		return 1;
	}
	begin_ns = now = now_ns();
	end_ns = begin_ns + (uint64_t)(seconds * 1e9);
	for (; now < end_ns; now = now_ns()) {
		uint64_t due = (uint64_t)((double)(now - begin_ns) * rate / 1e9 / EVENTS_A_TRIP);
		const struct timespec pause = { .tv_nsec = ROUND_NS };

		/* What a busy machine did not leave time for is not made up for at once. */
		if (due > trips + rate / EVENTS_A_TRIP)
			due = trips + (uint64_t)(rate / EVENTS_A_TRIP);
		for (; trips < due; trips++)
			if (!trip())
				return 1;
		nanosleep(&pause, NULL);
	}
	printf("%" PRIu64 " events in %.2f s\n", trips * EVENTS_A_TRIP,
	       (double)(now_ns() - begin_ns) / 1e9);
	return 0;
}

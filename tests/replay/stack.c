// SPDX-License-Identifier: MIT
// A process whose functions are known, for the stacks of `record --stacks`: it submits jobs to
// gl-sched (tests/kmod/gl-sched), waits for each, and rests or computes before the next one.
//
//   gl-stack rest|compute COUNT
//
// It is built three times: with frame pointers, without (gl-stack-bare), and with them and without
// its symbols (gl-stack-stripped).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "device.h"

#define JOB_NS	1000000
#define REST_NS 8000000

/* A function that stays one, and returns to where it was called. */
#define PART __attribute__((noinline, noclone))
#define HERE __asm__ volatile("" ::: "memory")

static int fd = -1;

PART static uint64_t submits_a_job(uint64_t ctx)
{
	struct gls_submit job = { .ctx = ctx, .duration_ns = JOB_NS };

	if (ioctl(fd, GLS_IOC_SUBMIT, &job))
		exit(1);
	HERE;
	return job.seqno;
}

PART static void waits_for_it(uint64_t ctx, uint64_t seqno)
{
	struct gls_wait wait = { .ctx = ctx, .seqno = seqno, .timeout_ns = UINT64_MAX };

	if (ioctl(fd, GLS_IOC_WAIT, &wait))
		exit(1);
	HERE;
}

PART static void rests_a_while(void)
{
	const struct timespec rest = { .tv_nsec = REST_NS };

	nanosleep(&rest, NULL);
	HERE;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static volatile uint32_t sum;

PART static void computes_a_lot(void)
{
	const uint64_t until = now_ns() + REST_NS;

	while (now_ns() < until)
		for (uint32_t i = 0; i < 20000; i++)
			sum = sum * 1664525 + 1013904223;
	HERE;
}

PART static void makes_a_frame(uint64_t ctx, int rests)
{
	waits_for_it(ctx, submits_a_job(ctx));
	if (rests)
		rests_a_while();
	else
		computes_a_lot();
	HERE;
}

int main(int argc, char **argv)
{
	struct gls_context context = { .priority = GLS_PRIORITY_NORMAL };

	fd = device_open("/dev/dri/renderD*", GLS_DRIVER);
	if (argc != 3 || fd < 0 || ioctl(fd, GLS_IOC_CONTEXT, &context))
		return 1;
	for (int i = atoi(argv[2]); i > 0; i--)
		makes_a_frame(context.ctx, !strcmp(argv[1], "rest"));
	return 0;
}

// SPDX-License-Identifier: MIT
// A process whose functions are known, for the stacks of `record --stacks`: it submits jobs to
// gl-sched (tests/kmod/gl-sched), waits for each, and rests or computes before the next one.
//
//   gl-stack rest|compute|compiled|lock COUNT
//
// lock: it takes a mutex of the device's, which another process, gl-holder, mostly holds.
// compiled: it rests as called by a function that it makes while it runs, and tells perf of
// (/tmp/perf-PID.map), as run-time compilers do.
//
// It is built three times: with frame pointers, without (gl-stack-bare), and with them and without
// its symbols (gl-stack-stripped).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
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

PART static void holds(uint64_t ns)
{
	struct gls_hold hold = { .duration_ns = ns };

	if (ioctl(fd, GLS_IOC_HOLD, &hold))
		exit(1);
	HERE;
}

/* The other process, which ends with this one. */
static void begins_to_hold(void)
{
	const struct timespec pause = { .tv_nsec = REST_NS / 8 };

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "gl-holder");
	/* DRM waits for a grace period wherever a file goes from one process to another. */
	close(fd);
	fd = device_open("/dev/dri/renderD*", GLS_DRIVER);
	for (;;) {
		holds(REST_NS);
		nanosleep(&pause, NULL);
	}
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

#ifdef __x86_64__
static void (*compiled)(void (*calls)(void));

PART static void calls_compiled(void)
{
	compiled(rests_a_while);
	HERE;
}

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static void compiles(void)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	char name[64];
	void *at = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "we");
	if (at == MAP_FAILED || !map)
		exit(1);
	memcpy(at, code, sizeof(code));
	memcpy(&compiled, &at, sizeof(compiled));
	fprintf(map, "%lx %zx rests_when_compiled\n", (unsigned long)at, sizeof(code));
	fclose(map);
}
#else
static void calls_compiled(void)
{
	exit(1);
}

static void compiles(void)
{
}
#endif

/* how: the last letter of rest, compute, compiled, lock. */
PART static void makes_a_frame(uint64_t ctx, char how)
{
	waits_for_it(ctx, submits_a_job(ctx));
	if (how == 't')
		rests_a_while();
	else if (how == 'e')
		computes_a_lot();
	else if (how == 'k')
		holds(0);
	else
		calls_compiled();
	HERE;
}

int main(int argc, char **argv)
{
	struct gls_context context = { .priority = GLS_PRIORITY_NORMAL };

	fd = device_open("/dev/dri/renderD*", GLS_DRIVER);
	if (argc != 3 || fd < 0 || ioctl(fd, GLS_IOC_CONTEXT, &context))
		return 1;
	if (!strcmp(argv[1], "compiled"))
		compiles();
	if (!strcmp(argv[1], "lock"))
		begins_to_hold();
	for (int i = atoi(argv[2]); i > 0; i--)
		makes_a_frame(context.ctx, argv[1][strlen(argv[1]) - 1]);
	return 0;
}

// SPDX-License-Identifier: MIT
// A process that submits jobs to gl-sched (tests/kmod/gl-sched) and waits for them by syncobjs, as
// Mesa does.
//
//   gl-syncobj KIND US [MS]
//
// KIND: job, for one job; point, for point 2 of a timeline, whose point 1 is a longer job of
// another ring that is over by then; all, for two jobs; any, for one of a job and two syncobjs that
// nobody submits; never, for a point that nobody submits; poll, for a job, without waiting. Jobs
// take US microseconds; 0: for ever. The wait gives up after MS milliseconds; without it, never.
//
//   gl-syncobj refused COUNT MS
//
// So many submissions that the driver refuses (ENOENT), one every MS milliseconds; then one that
// works.
//
// Prints KIND, its thread, CONTEXT:SEQNO of the job that it waits for (refused: none), the times
// (CLOCK_MONOTONIC, ns) before and after the wait (the first and the last submission), and what it
// returned (refused: nothing); the first four as the wait begins.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "device.h"

/* include/uapi/drm/drm.h */
struct syncobj_create {
	uint32_t handle, flags;
};

struct syncobj_handle {
	uint32_t handle, flags;
	int32_t fd;
	uint32_t pad;
};

struct syncobj_transfer {
	uint32_t src_handle, dst_handle;
	uint64_t src_point, dst_point;
	uint32_t flags, pad;
};

struct syncobj_wait {
	uint64_t handles;
	int64_t timeout_nsec;
	uint32_t count_handles, flags, first_signaled, pad;
};

struct syncobj_timeline_wait {
	uint64_t handles, points;
	int64_t timeout_nsec;
	uint32_t count_handles, flags, first_signaled, pad;
};

#define IOC_CREATE	  _IOWR(GLS_IOC_TYPE, 0xbf, struct syncobj_create)
#define IOC_FD_TO_HANDLE  _IOWR(GLS_IOC_TYPE, 0xc2, struct syncobj_handle)
#define IOC_WAIT	  _IOWR(GLS_IOC_TYPE, 0xc3, struct syncobj_wait)
#define IOC_TIMELINE_WAIT _IOWR(GLS_IOC_TYPE, 0xca, struct syncobj_timeline_wait)
#define IOC_TRANSFER	  _IOWR(GLS_IOC_TYPE, 0xcc, struct syncobj_transfer)
#define IMPORT_SYNC_FILE  1
#define WAIT_ALL	  1
#define FOR_SUBMIT	  2

static int fd;
static struct gls_fence last; /* the job that was submitted last */

static void die(const char *what)
{
	fprintf(stderr, "gl-syncobj: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint32_t create(void)
{
	struct syncobj_create args = { 0 };

	if (ioctl(fd, IOC_CREATE, &args))
		die("create");
	return args.handle;
}

/* A job on the ring, in a context of its own, and a syncobj that is signalled at its end. */
static uint32_t submit(uint32_t ring, uint64_t us)
{
	struct gls_context context = { .ring = ring, .priority = GLS_PRIORITY_NORMAL };
	struct gls_submit job = { .duration_ns = us * 1000, .flags = us ? 0 : GLS_HANG };
	struct gls_export out = { 0 };
	struct syncobj_handle import = { .handle = create(), .flags = IMPORT_SYNC_FILE };

	if (ioctl(fd, GLS_IOC_CONTEXT, &context))
		die("context");
	job.ctx = out.ctx = context.ctx;
	if (ioctl(fd, GLS_IOC_SUBMIT, &job))
		die("submit");
	out.seqno = job.seqno;
	if (ioctl(fd, GLS_IOC_EXPORT, &out))
		die("export");
	import.fd = out.fd;
	if (ioctl(fd, IOC_FD_TO_HANDLE, &import))
		die("import");
	close(out.fd);
	last = (struct gls_fence){ job.ctx, job.seqno };
	return import.handle;
}

static void put_at(uint32_t timeline, uint64_t point, uint32_t from)
{
	struct syncobj_transfer args = { .src_handle = from,
					 .dst_handle = timeline,
					 .dst_point = point };

	if (ioctl(fd, IOC_TRANSFER, &args))
		die("transfer");
}

static int wait_for(const uint32_t *handles, uint32_t n, uint32_t flags, int64_t until)
{
	struct syncobj_wait args = { .handles = (uintptr_t)handles,
				     .timeout_nsec = until,
				     .count_handles = n,
				     .flags = flags };

	return ioctl(fd, IOC_WAIT, &args) ? -errno : 0;
}

static int wait_for_point(uint32_t handle, uint64_t point, uint32_t flags, int64_t until)
{
	struct syncobj_timeline_wait args = { .handles = (uintptr_t)&handle,
					      .points = (uintptr_t)&point,
					      .timeout_nsec = until,
					      .count_handles = 1,
					      .flags = flags };

	return ioctl(fd, IOC_TIMELINE_WAIT, &args) ? -errno : 0;
}

static int polled(uint32_t handle)
{
	int ret;

	while ((ret = wait_for(&handle, 1, WAIT_ALL, 0)) == -ETIME)
		usleep(1000);
	return ret;
}

static void refused(uint64_t count, uint64_t ms)
{
	struct gls_submit job = { .ctx = ~0ull };

	printf("refused %d %llu", (int)gettid(), (unsigned long long)now_ns());
	while (count--) {
		if (!ioctl(fd, GLS_IOC_SUBMIT, &job) || errno != ENOENT)
			die("submit");
		if (count)
			usleep((useconds_t)ms * 1000);
	}
	printf(" %llu\n", (unsigned long long)now_ns());
	submit(0, 1000);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	uint64_t us = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t ms = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	uint32_t handles[3] = { 0 };
	uint64_t point = 0;
	int64_t until;
	int ret;

	fd = device_open("/dev/dri/renderD*", GLS_DRIVER);
	if (fd < 0)
		die("the render node of " GLS_DRIVER);
	if (!strcmp(kind, "refused")) {
		refused(us, ms);
		return 0;
	}
	if (!strcmp(kind, "point")) {
		handles[0] = create();
		put_at(handles[0], 1, submit(1, us / 2));
		put_at(handles[0], 2, submit(0, us));
		point = 2;
	} else if (!strcmp(kind, "never")) {
		handles[0] = create();
		point = 7;
	} else {
		handles[0] = submit(0, us);
		handles[1] = strcmp(kind, "all") ? create() : submit(1, us);
		handles[2] = create();
	}
	until = ms ? (int64_t)(now_ns() + ms * 1000000u) : INT64_MAX;
	printf("%s %d %llu:%llu %llu", kind, (int)gettid(), (unsigned long long)last.ctx,
	       (unsigned long long)last.seqno, (unsigned long long)now_ns());
	fflush(stdout);
	if (point)
		ret = wait_for_point(handles[0], point, WAIT_ALL | FOR_SUBMIT, until);
	else if (!strcmp(kind, "any"))
		ret = wait_for(handles, 3, FOR_SUBMIT, until);
	else if (!strcmp(kind, "poll"))
		ret = polled(handles[0]);
	else
		ret = wait_for(handles, strcmp(kind, "all") ? 1 : 2, WAIT_ALL, until);
	printf(" %llu %d\n", (unsigned long long)now_ns(), ret);
	return 0;
}

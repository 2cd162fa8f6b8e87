// SPDX-License-Identifier: MIT
// Processes of gl-flip: clients that submit jobs, who takes a CPU, who lets others wait.
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "../kmod/replay/uapi.h"
#include "flip_helper.h"

static void die(const char *what)
{
	fprintf(stderr, "gl-flip: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t helper_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void helper_sleep_until(uint64_t ns)
{
	struct timespec at = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

void helper_take_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cpu");
}

/* --- messages */

static bool receive(int socket, struct helper_order *order)
{
	return recv(socket, order, sizeof(*order), 0) == sizeof(*order);
}

/* The file goes with it. */
static void answer(int socket, const struct fence_name *job, int file)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct fence_name copy = *job;
	struct iovec part = { &copy, sizeof(copy) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (file >= 0) {
		memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.space);
	}
	if (sendmsg(socket, &message, 0) != sizeof(copy))
		die("an answer");
	if (file >= 0)
		close(file);
}

struct helper_answer helper_answered(const struct helper *helper)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct helper_answer got = { .file = -1 };
	struct iovec part = { &got.job, sizeof(got.job) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control.space) };

	if (recvmsg(helper->socket, &message, MSG_CMSG_CLOEXEC) != sizeof(got.job))
		die("a helper");
	if (CMSG_FIRSTHDR(&message))
		memcpy(&got.file, CMSG_DATA(&control.head), sizeof(got.file));
	return got;
}

void helper_tell(const struct helper *helper, const struct helper_order *order)
{
	if (send(helper->socket, order, sizeof(*order), 0) != sizeof(*order))
		die("a helper");
}

/* --- what they do; each until nobody tells it anything any more */

/* The render node of gl-sched: no other driver knows its first ioctl with these arguments. */
static int open_rings(struct gls_context *context)
{
	glob_t nodes;
	int fd = -1;

	if (glob("/dev/dri/renderD*", 0, NULL, &nodes)) {
		errno = ENODEV;
		die("the render node of " GLS_DRIVER);
	}
	for (size_t i = 0; i < nodes.gl_pathc && fd < 0; i++) {
		fd = open(nodes.gl_pathv[i], O_RDWR | O_CLOEXEC);
		if (fd < 0 || !ioctl(fd, GLS_IOC_CONTEXT, context))
			continue;
		close(fd);
		fd = -1;
	}
	globfree(&nodes);
	if (fd < 0)
		die("a context of " GLS_DRIVER);
	return fd;
}

static void serve_jobs(int socket, const struct helper_set *set)
{
	struct gls_context context = { .ring = set->ring, .priority = GLS_PRIORITY_NORMAL };
	int fd = open_rings(&context);
	struct helper_order order;

	while (receive(socket, &order)) {
		struct gls_submit args = { .ctx = context.ctx, .duration_ns = order.duration_ns };
		struct gls_export export = { .ctx = context.ctx };

		if (order.after.ctx) {
			args.n_deps = 1;
			args.deps[0] = (struct gls_fence){ order.after.ctx, order.after.seqno };
		}
		if (ioctl(fd, GLS_IOC_SUBMIT, &args))
			die("submit");
		export.seqno = args.seqno;
		if (ioctl(fd, GLS_IOC_EXPORT, &export))
			die("export");
		answer(socket, &(struct fence_name){ context.ctx, args.seqno }, export.fd);
	}
}

static void serve_requests(int socket, const struct helper_set *set)
{
	struct glr_context context = { .prio = set->prio };
	int fd = open(GLR_DEVICE, O_RDWR | O_CLOEXEC);
	struct helper_order order;

	if (fd < 0 || ioctl(fd, GLR_IOC_CONTEXT, &context))
		die("a context of " GLR_DEVICE);
	while (receive(socket, &order)) {
		struct glr_submit args = { .ctx = context.ctx, .duration_ns = order.duration_ns };
		struct glr_export export = { .ctx = context.ctx };

		if (ioctl(fd, GLR_IOC_SUBMIT, &args))
			die("submit");
		export.seqno = args.seqno;
		if (ioctl(fd, GLR_IOC_EXPORT, &export))
			die("export");
		answer(socket, &(struct fence_name){ context.ctx, args.seqno }, export.fd);
	}
}

static void serve_hog(int socket, const struct helper_set *set)
{
	const struct sched_param param = { .sched_priority = 50 };
	struct helper_order order;

	(void)set;
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("real-time priority");
	while (receive(socket, &order))
		while (helper_now_ns() < order.until_ns)
			;
}

static void serve_wait(int socket, const struct helper_set *set)
{
	const struct fence_name none = { 0 };
	struct helper_order order;

	(void)set;
	while (receive(socket, &order)) {
		helper_sleep_until(order.until_ns);
		answer(socket, &none, -1);
	}
}

static void serve_device(int socket, const struct helper_set *set)
{
	struct helper_order order;
	struct fence_name name;
	struct vgem vgem;

	(void)set;
	vgem_open(&vgem);
	while (receive(socket, &order)) {
		int file = vgem_fence(&vgem, &name);

		answer(socket, &name, file);
		helper_sleep_until(helper_now_ns() + order.duration_ns);
		vgem_signal(&vgem);
	}
}

struct helper helper_start(const struct helper_set *set)
{
	static void (*const serve[HELPER_KINDS])(int, const struct helper_set *) = {
		[HELPER_JOBS] = serve_jobs,	[HELPER_REQUESTS] = serve_requests,
		[HELPER_HOG] = serve_hog,	[HELPER_WAIT] = serve_wait,
		[HELPER_DEVICE] = serve_device,
	};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die("socketpair");
	switch (fork()) {
	case -1:
		die("fork");
		break;
	case 0:
		prctl(PR_SET_NAME, set->name);
		prctl(PR_SET_PDEATHSIG, 9);
		close(ends[0]);
		if (set->cpu >= 0)
			helper_take_cpu(set->cpu);
		serve[set->kind](ends[1], set);
		_exit(0);
	default:
		break;
	}
	close(ends[1]);
	return (struct helper){ .socket = ends[0] };
}

// SPDX-License-Identifier: MIT
// What the kernel sees: GPULANE_XE_KERNEL is the render node of tests/kmod/gl-sched in a guest,
// which does with the kernel's own scheduler what xe does there and fires xe's tracepoints. Without
// it the kernel sees nothing. The node is opened past this library, which would hide it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "xe.h"

static int node = -1;

bool xe_kernel_open(void)
{
	const char *path = getenv("GPULANE_XE_KERNEL");

	if (!path || !*path)
		return true;
	node = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (node < 0)
		fprintf(stderr, "gpulane: xe: %s: %m\n", path);
	return node >= 0;
}

// A forked child has no contexts of the GPU's.
void xe_kernel_forget(void)
{
	node = -1;
}

// What it refuses is said: a test would miss an event and not know why.
static void tell(unsigned long request, void *args, const char *what)
{
	if (node >= 0 && syscall(SYS_ioctl, node, request, args) != 0)
		fprintf(stderr, "gpulane: xe: the kernel refuses %s: %m\n", what);
}

void xe_kernel_queue(struct xe_queue *queue)
{
	static const char *const classes[] = {
		[DRM_XE_ENGINE_CLASS_RENDER] = "rcs",
		[DRM_XE_ENGINE_CLASS_COPY] = "bcs",
		[DRM_XE_ENGINE_CLASS_COMPUTE] = "ccs",
	};
	struct gls_context context = { .ring = GLS_OWN_RING, .priority = queue->priority };

	if (queue->class >= sizeof(classes) / sizeof(*classes) || !classes[queue->class])
		return;
	strcpy(context.class, classes[queue->class]);
	tell(GLS_IOC_CONTEXT, &context, "a queue");
	queue->kernel = context.ctx;
}

void xe_kernel_exec(const struct xe_queue *queue, struct xe_job *job)
{
	struct gls_submit submit = { .ctx = queue->kernel, .flags = GLS_TOLD };

	if (queue->vm->flags & DRM_XE_VM_CREATE_FLAG_LR_MODE)
		submit.flags |= GLS_LONG_RUNNING;
	if (queue->kernel)
		tell(GLS_IOC_SUBMIT, &submit, "a job");
	job->kernel = submit.seqno;
}

void xe_kernel_done(const struct xe_queue *queue, const struct xe_job *job, int error)
{
	struct gls_end end = { .ctx = queue->kernel, .seqno = job->kernel, .error = error };

	if (job->kernel)
		tell(GLS_IOC_END, &end, "a job's end");
}

void xe_kernel_destroy(const struct xe_queue *queue)
{
	struct gls_end end = { .ctx = queue->kernel };

	if (queue->kernel)
		tell(GLS_IOC_END, &end, "a queue's end");
}

void xe_kernel_bind(const struct xe_vm *vm, uint64_t start, uint64_t size, bool is_unbind)
{
	struct gls_bind bind = {
		.start = start, .end = start + size - 1, .asid = vm->number, .is_unbind = is_unbind
	};

	if (node < 0)
		return;
	xe_truth("%s vm %u %lx..%lx at %lu", is_unbind ? "unbind" : "bind", vm->number, start,
		 start + size - 1, xe_now());
	tell(GLS_IOC_BIND, &bind, "a mapping");
}

bool xe_kernel_wait(uint64_t address, uint64_t value, uint64_t mask, uint64_t timeout_ns)
{
	struct gls_user_wait wait = {
		.addr = address, .value = value, .mask = mask, .timeout_ns = timeout_ns
	};

	return node >= 0 && syscall(SYS_ioctl, node, GLS_IOC_USER_WAIT, &wait) == 0;
}

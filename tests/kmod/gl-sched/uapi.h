/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The interface of gl-sched: jobs for rings that exist only as timers. DRM device of the driver
 * gl-sched, /dev/dri/renderD*.
 */
#ifndef GL_SCHED_UAPI_H
#define GL_SCHED_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GLS_DRIVER    "gl-sched"
#define GLS_MAX_RINGS 4
#define GLS_MAX_DEPS  8

enum gls_priority {
	GLS_PRIORITY_LOW,
	GLS_PRIORITY_NORMAL,
	GLS_PRIORITY_HIGH,
	GLS_PRIORITIES,
};

/* An entity of the scheduler: its jobs run in order. */
struct gls_context {
	__u32 ring;
	__u32 priority; /* enum gls_priority */
	__u64 ctx;	/* out: the fence context of its jobs' ends */
};

struct gls_fence {
	__u64 ctx;
	__u64 seqno;
};

#define GLS_HANG     1 /* the job never ends: the scheduler's timeout resets the ring */
#define GLS_NO_FENCE 2 /* a long-running job: the scheduler gets no fence for its end */
/* What its driver tells of it by tracepoints of its own, where that driver has one. */
#define GLS_EVICT      4  /* memory had to make room for it */
#define GLS_FAULT      8  /* the GPU waited for a page of it */
#define GLS_BAD_MEMORY 16 /* it uses memory that is not there; with GLS_HANG */

/* One job: waits for its dependencies, then takes duration_ns on its ring. */
struct gls_submit {
	__u64 ctx;
	__u64 duration_ns;
	__u32 flags;
	__u32 n_deps; /* in: how many; out: how many had not ended */
	struct gls_fence deps[GLS_MAX_DEPS];
	__u64 seqno; /* out */
};

/* EIO: the job ended with an error. */
struct gls_wait {
	__u64 ctx;
	__u64 seqno;
	__u64 timeout_ns; /* ~0: for ever */
};

/* The first number that DRM leaves to drivers, and its type. */
#define GLS_IOC_BASE	0x40
#define GLS_IOC_TYPE	'd'
#define GLS_IOC_CONTEXT _IOWR(GLS_IOC_TYPE, GLS_IOC_BASE + 0, struct gls_context)
#define GLS_IOC_SUBMIT	_IOWR(GLS_IOC_TYPE, GLS_IOC_BASE + 1, struct gls_submit)
#define GLS_IOC_WAIT	_IOW(GLS_IOC_TYPE, GLS_IOC_BASE + 2, struct gls_wait)

#endif

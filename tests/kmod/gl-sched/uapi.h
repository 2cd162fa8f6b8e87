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
#define GLS_MAX_RINGS 64
#define GLS_MAX_DEPS  8

enum gls_priority {
	GLS_PRIORITY_LOW,
	GLS_PRIORITY_NORMAL,
	GLS_PRIORITY_HIGH,
	GLS_PRIORITIES,
};

/* An entity of the scheduler: its jobs run in order. */
struct gls_context {
	__u32 ring;	/* GLS_OWN_RING: one that no context has, named after `class` */
	__u32 priority; /* enum gls_priority */
	__u64 ctx;	/* out: the fence context of its jobs' ends */
	char class[8];	/* "ccs" */
};
#define GLS_OWN_RING (~0u)

struct gls_fence {
	__u64 ctx;
	__u64 seqno;
};

#define GLS_HANG 1 /* the job never ends: the scheduler's timeout resets the ring */
/* Of a long-running queue of xe's: before Linux 6.17 the scheduler gets no fence, and the job's own
 * is signalled as soon as it was given to the ring, with -EOPNOTSUPP. */
#define GLS_LONG_RUNNING 2
/* What its driver tells of it by tracepoints of its own, where that driver has one. */
#define GLS_EVICT      4  /* memory had to make room for it */
#define GLS_FAULT      8  /* the GPU waited for a page of it */
#define GLS_BAD_MEMORY 16 /* it uses memory that is not there; with GLS_HANG */
#define GLS_TOLD       32 /* it ends when GLS_IOC_END says so */

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

/* Jobs of a context with GLS_TOLD have ended. */
struct gls_end {
	__u64 ctx;
	__u64 seqno; /* 0: all of them, and the context is gone */
	__s32 error; /* 0, or minus an errno: the queue was reset because of it */
	__u32 pad;
};

/* A mapping of an address space, in words of the GPU's. */
struct gls_bind {
	__u64 start;
	__u64 end;
	__u32 asid;
	__u32 is_unbind;
};

/* Waits until a word of the program's is a value, as xe does for what the GPU is to write. */
struct gls_user_wait {
	__u64 addr;
	__u64 value;
	__u64 mask;
	__u64 timeout_ns;
};

/* The fence of a job's end as a file of sync_file's, for other drivers. */
struct gls_export {
	__u64 ctx;
	__u64 seqno;
	__s32 fd; /* out */
	__u32 pad;
};

/* Holds a mutex that all have for so long. */
struct gls_hold {
	__u64 duration_ns;
};

/* The first number that DRM leaves to drivers, and its type. */
#define GLS_IOC_BASE	  0x40
#define GLS_IOC_TYPE	  'd'
#define GLS_IOC_CONTEXT	  _IOWR(GLS_IOC_TYPE, GLS_IOC_BASE + 0, struct gls_context)
#define GLS_IOC_SUBMIT	  _IOWR(GLS_IOC_TYPE, GLS_IOC_BASE + 1, struct gls_submit)
#define GLS_IOC_WAIT	  _IOW(GLS_IOC_TYPE, GLS_IOC_BASE + 2, struct gls_wait)
#define GLS_IOC_END	  _IOW(GLS_IOC_TYPE, GLS_IOC_BASE + 3, struct gls_end)
#define GLS_IOC_BIND	  _IOW(GLS_IOC_TYPE, GLS_IOC_BASE + 4, struct gls_bind)
#define GLS_IOC_USER_WAIT _IOW(GLS_IOC_TYPE, GLS_IOC_BASE + 5, struct gls_user_wait)
#define GLS_IOC_EXPORT	  _IOWR(GLS_IOC_TYPE, GLS_IOC_BASE + 6, struct gls_export)
#define GLS_IOC_HOLD	  _IOW(GLS_IOC_TYPE, GLS_IOC_BASE + 7, struct gls_hold)

#endif

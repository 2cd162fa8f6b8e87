/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The replay driver's interface: submit work to engines that exist only as timers, wait for it, or
 * have a schedule of events fired. Device /dev/gl-replay.
 */
#ifndef GL_REPLAY_UAPI_H
#define GL_REPLAY_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GLR_DEVICE "/dev/gl-replay"

/* A context: requests of one run in order. */
struct glr_context {
	__u16 class; /* engine it runs on */
	__u16 instance;
	__s32 prio;
	__u64 ctx; /* out: fence context */
};

struct glr_fence {
	__u64 ctx;
	__u64 seqno;
};

#define GLR_MAX_DEPS	 8
#define GLR_SUBMIT_QUIET 1 /* nobody asks for the fence's signal: it is signalled when retired */

/* One request: waits for its dependencies, then takes duration_ns on its engine. */
struct glr_submit {
	__u64 ctx;
	__u64 duration_ns;
	__u32 flags;
	__u32 n_deps;
	struct glr_fence deps[GLR_MAX_DEPS];
	__u64 seqno; /* out */
	__s32 error; /* 0, or minus an errno: i915 ends it with that; EIO: it resets the GPU then */
	__u32 pad;
};

/* A request's fence as a file of sync_file's, for other drivers. */
struct glr_export {
	__u64 ctx;
	__u64 seqno;
	__s32 fd; /* out */
	__u32 pad;
};

struct glr_wait {
	__u64 ctx;
	__u64 seqno;
	__u64 timeout_ns; /* ~0: for ever */
};

/* When a request was where, CLOCK_MONOTONIC; what the driver itself knows, not what its events say.
 */
struct glr_truth {
	__u64 ctx;
	__u64 seqno;
	__u16 class;
	__u16 instance;
	__u32 n_runs;	      /* how often it went on the engine */
	__u64 queue_ns;	      /* the submit call built it */
	__u64 submit_ns;      /* its dependencies were done */
	__u64 first_start_ns; /* it first ran */
	__u64 end_ns;	      /* it was complete */
	__u64 running_ns;     /* sum of the intervals it ran */
	__u64 preempted_ns;   /* sum of the intervals between them */
	__u64 preempted_by;   /* context that last took the engine from it, 0: none */
};

/* A schedule: requests by number, and what happens to them when. */
struct glr_request {
	__u64 ctx; /* 0 ends nothing: contexts are the schedule's own */
	__u32 seqno;
	__u16 class;
	__u16 instance;
	__s32 prio;
	__u32 tail;
};

enum glr_shot_kind {
	GLR_SHOT_QUEUE,
	GLR_SHOT_ADD,
	GLR_SHOT_GUC_SUBMIT,
	GLR_SHOT_SUBMIT,
	GLR_SHOT_EXECUTE,
	GLR_SHOT_UNSUBMIT,
	GLR_SHOT_IN,
	GLR_SHOT_OUT,
	GLR_SHOT_ENABLE_SIGNAL,
	GLR_SHOT_SIGNAL,
	GLR_SHOT_RETIRE,
	GLR_SHOT_WAIT_BEGIN,
	GLR_SHOT_WAIT_END,
	GLR_SHOT_COUNT,
};

struct glr_shot {
	__u64 at_ns;   /* since the schedule began */
	__u32 request; /* its number */
	__u16 kind;    /* enum glr_shot_kind */
	__u16 cpu;     /* CPU it is to happen on */
	__u32 arg;     /* queue, wait_begin: flags; in: port; out: completed */
	__u32 reserved;
};

struct glr_schedule {
	__u64 requests; /* struct glr_request * */
	__u64 shots;	/* struct glr_shot *, in order of at_ns */
	__u32 n_requests;
	__u32 n_shots;
	__u64 fired;	  /* out: events fired */
	__u64 late_ns;	  /* out: the most an event came late */
	__u64 stretch_ns; /* out: the median of the times that GLR_STRETCH events in a row took */
};

#define GLR_STRETCH 256

#define GLR_IOC		 'G'
#define GLR_IOC_CONTEXT	 _IOWR(GLR_IOC, 1, struct glr_context)
#define GLR_IOC_SUBMIT	 _IOWR(GLR_IOC, 2, struct glr_submit)
#define GLR_IOC_WAIT	 _IOW(GLR_IOC, 3, struct glr_wait)
#define GLR_IOC_SCHEDULE _IOWR(GLR_IOC, 4, struct glr_schedule)
#define GLR_IOC_EXPORT	 _IOWR(GLR_IOC, 5, struct glr_export)
/* read() gives struct glr_truth of the requests that this file submitted and that are retired. */

#endif

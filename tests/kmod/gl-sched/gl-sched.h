/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gl-sched: a DRM driver whose rings are timers, on the kernel's own scheduler for GPUs. What
 * differs between kernels is at the end of this file.
 */
#ifndef GL_SCHED_H
#define GL_SCHED_H

#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/gpu_scheduler.h>

#include "uapi.h"

enum gls_status {
	GLS_QUEUED,
	GLS_RUNNING,
	GLS_COMPLETE,
	GLS_TIMEOUT,  /* the scheduler gave it up, and reset the ring */
	GLS_CANCELED, /* its process or the driver went before it ran, or while it did */
};

enum gls_cause {
	GLS_CAUSE_TIMEOUT,
	GLS_CAUSE_EVICTION,
	GLS_CAUSE_PAGE_FAULT,
	GLS_CAUSES,
};

/*
 * What the driver itself knows of a job, not what events say. Times are CLOCK_MONOTONIC, 0: never.
 * Everything but the list is under gls_truth_lock.
 */
struct gls_truth {
	struct kref ref;
	struct list_head link;
	pid_t pid;
	pid_t tid;
	char comm[TASK_COMM_LEN];
	unsigned int ring;
	unsigned int priority;
	u64 client;
	u64 ctx;
	u64 seqno;
	u64 id;		     /* the scheduler's number of the job, 0: this kernel has none */
	u64 fence;	     /* the address of the fence of its end */
	u64 entity;	     /* the address of its entity */
	u64 queued_ns;	     /* just before it was pushed to its entity */
	u64 runnable_ns;     /* the scheduler had nothing to wait for any more */
	u64 handed_ns;	     /* the scheduler gave it to the ring for the first time */
	u64 started_ns;	     /* it first ran */
	u64 restarted_ns;    /* it last began to run */
	u64 ended_ns;	     /* it ran no more, for good */
	u64 done_ns;	     /* the fence of its end was signalled */
	unsigned int runs;   /* more than one: the ring was reset meanwhile */
	unsigned int causes; /* bits of enum gls_cause: what its driver was to tell of it */
	enum gls_status status;
};

struct gls_ring {
	struct drm_gpu_scheduler sched;
	const char *driver; /* that it stands in for */
	char name[12];
	unsigned int number;
	bool is_taken; /* one context's alone */
	u64 fence_context;
	spinlock_t fence_lock;

	struct list_head tasks; /* given to the ring, in order */
	unsigned int running;
	u64 seqno;
};

/* What a ring runs: one execution of a job. */
struct gls_task {
	struct dma_fence fence;
	struct list_head link;
	struct hrtimer timer;
	struct gls_ring *ring;
	struct gls_truth *truth;
	u64 duration_ns;
	u32 flags;
	bool is_started;
	u64 started_ns;
	struct pid *pid;
};

struct gls_ctx {
	struct kref ref;
	struct list_head link;
	struct mutex lock; /* the order of its jobs */
	struct drm_sched_entity entity;
	struct gls_ring *ring;
	bool owns_ring;
	unsigned int priority;
	void *xe; /* struct xe_queue, where it stands in for xe */
};

struct gls_job {
	union {
		struct drm_sched_job base;
		char as_amdgpu[sizeof(struct drm_sched_job) + 8]; /* struct amdgpu_job */
		char as_xe[sizeof(struct drm_sched_job) + 24];	  /* struct xe_sched_job */
	};
	struct hlist_node node; /* in the table of jobs that can be depended on */
	struct gls_ctx *ctx;
	struct gls_truth *truth;
	struct pid *pid;
	struct dma_fence *ring_fence; /* the last one that its ring got for it, with a reference */
	u64 duration_ns;
	u32 flags;
};

extern unsigned int gls_n_rings;
extern struct gls_ring gls_rings[GLS_MAX_RINGS];

int gls_rings_init(struct device *dev, const char *driver);
/* Every file is closed: what is on the rings ends here, and jobs are waited for. */
void gls_rings_exit(void);

/* A ring that nobody has, named after the class of engines; NULL: there is none. */
struct gls_ring *gls_ring_take(const char *class);
/* Ends jobs of a context that run until they are told to: one, or with seqno 0 all. */
void gls_ring_end(struct gls_ctx *ctx, u64 seqno, int error);

struct gls_job *gls_job_alloc(struct gls_ctx *ctx);
/* Takes the job from its owner: the scheduler frees it. */
void gls_job_publish(struct gls_job *job);
/* A job that was never published. */
void gls_job_drop(struct gls_job *job);
/* The fence of a job's end, with a reference; NULL: the job has ended and is gone. */
struct dma_fence *gls_job_find(u64 ctx, u64 seqno);

void gls_ctx_free(struct kref *ref);

/* A job of a context of its own that was not pushed; it is to be finished. */
struct gls_job *gls_job_bare(void);
void gls_job_finish(struct gls_job *job);

void gls_flood_init(struct dentry *directory);

extern spinlock_t gls_truth_lock;
struct gls_truth *gls_truth_new(void);
void gls_truth_put(struct gls_truth *truth);
/* Notes when the scheduler no longer waits for this fence before it runs a job of ctx on ring. */
int gls_truth_follow(struct gls_truth *truth, struct dma_fence *fence, const struct gls_ring *ring);
void gls_truth_init(void);
void gls_truth_exit(void);
void gls_truth_cause(struct gls_truth *truth, enum gls_cause cause);

/* What the driver that it stands in for tells by tracepoints of its own, of those that it has. */
int gls_tell_init(const char *driver, struct drm_device *device);
void gls_tell_exit(void);
void gls_name_ring(char *name, size_t size, const char *driver, unsigned int number);
int gls_tell_context(struct gls_ctx *ctx);
void gls_tell_context_gone(struct gls_ctx *ctx);
void gls_tell_queued(struct gls_job *job);
void gls_tell_run(struct gls_job *job);
/* Its fence has an error already. */
void gls_tell_error(struct gls_job *job, struct dma_fence *fence);
void gls_tell_free(struct gls_job *job);
void gls_tell_queue_reset(struct gls_ctx *ctx, int error);
void gls_tell_bind(const struct gls_bind *bind);
void gls_tell_start(struct gls_job *job, u64 seqno);
void gls_tell_end(const struct gls_ring *ring, u64 seqno);
void gls_tell_retired(const struct gls_ring *ring, const struct gls_truth *truth, struct pid *pid,
		      u64 seqno, u64 start_ns, u64 end_ns);
void gls_tell_timeout(struct gls_job *job, struct dma_fence *fence);
void gls_tell_reset(void);

/* --- what differs between kernels; Kbuild says which names the headers have */

static inline enum drm_sched_priority gls_sched_priority(unsigned int priority)
{
	switch (priority) {
	case GLS_PRIORITY_HIGH:
		return DRM_SCHED_PRIORITY_HIGH;
	case GLS_PRIORITY_NORMAL:
		return DRM_SCHED_PRIORITY_NORMAL;
	default:
#ifdef GLS_HAS_PRIORITY_LOW
		return DRM_SCHED_PRIORITY_LOW;
#else
		return DRM_SCHED_PRIORITY_MIN;
#endif
	}
}

static inline u64 gls_client_id(struct drm_file *file)
{
#ifdef GLS_HAS_CLIENT_ID
	return file->client_id;
#else
	return 0;
#endif
}

static inline int gls_sched_job_init(struct drm_sched_job *job, struct drm_sched_entity *entity,
				     void *owner, u64 client)
{
#if defined(GLS_HAS_CLIENT_ID)
	return drm_sched_job_init(job, entity, 1, owner, client);
#elif defined(GLS_HAS_CREDITS)
	return drm_sched_job_init(job, entity, 1, owner);
#else
	return drm_sched_job_init(job, entity, owner);
#endif
}

static inline void gls_sched_start(struct drm_gpu_scheduler *sched)
{
#if defined(GLS_HAS_FULL_RECOVERY)
	drm_sched_start(sched, true);
#elif defined(GLS_HAS_STAT_RESET)
	drm_sched_start(sched, 0);
#else
	drm_sched_start(sched);
#endif
}

static inline enum drm_gpu_sched_stat gls_sched_was_reset(void)
{
#ifdef GLS_HAS_STAT_RESET
	return DRM_GPU_SCHED_STAT_RESET;
#else
	return DRM_GPU_SCHED_STAT_NOMINAL;
#endif
}

#ifdef GLS_HAS_ASSIGN_STR_1
#define GLS_ASSIGN_STR(dst, src) __assign_str(dst)
#else
#define GLS_ASSIGN_STR(dst, src) __assign_str(dst, src)
#endif

static inline void gls_timer_setup(struct hrtimer *timer,
				   enum hrtimer_restart (*function)(struct hrtimer *))
{
#ifdef GLS_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = function;
#endif
}

#endif

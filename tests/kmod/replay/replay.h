/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of the replay driver. Those that tracers look into carry the names that i915 gives
 * them and their members, so that whatever reads the real driver by its BTF reads this one too.
 */
#ifndef GL_REPLAY_H
#define GL_REPLAY_H

#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "uapi.h"

#define EXECLIST_MAX_PORTS 2
#define GL_MAX_INSTANCES   4
#define GL_CLASSES	   5

struct i915_request;

struct drm_i915_private {
	struct drm_device drm;
};

struct i915_sched_engine {
	spinlock_t lock;
	struct tasklet_struct tasklet;
	void *private_data;
	struct list_head queue;	   /* runnable, highest priority first, then oldest */
	struct list_head requests; /* handed to the hardware, in order of execution */
};

struct intel_engine_execlists {
	struct i915_request *const *active;
	struct i915_request *inflight[EXECLIST_MAX_PORTS + 1];
	struct i915_request *pending[EXECLIST_MAX_PORTS + 1];
};

struct intel_engine_cs {
	struct drm_i915_private *i915;
	char name[8];
	u16 uabi_class;
	u16 uabi_instance;
	struct i915_sched_engine *sched_engine;
	struct intel_engine_execlists execlists;

	/* The hardware, a timer: what it runs, since when, under the scheduler's lock. */
	struct hrtimer timer;
	struct i915_request *running;
	u64 since_ns;
	bool kicked; /* a request of higher priority wants the engine */
	struct i915_sched_engine sched;
};

struct intel_context {
	struct {
		u16 id;
	} guc_id;
	atomic_t pin_count;
	struct {
		u32 sched_state;
		u8 prio;
	} guc_state;

	struct kref ref;
	struct list_head link;	   /* the file's contexts */
	struct list_head requests; /* not retired, oldest first */
	struct mutex mutex;	   /* submission and retirement */
	struct intel_engine_cs *engine;
	struct i915_request *last; /* added last, unless it has been submitted */
	u64 fence_context;
	u32 seqno;
	s32 priority;
};

struct i915_sched_attr {
	int priority;
};

struct i915_sched_node {
	struct list_head link;
	struct i915_sched_attr attr;
};

struct i915_request {
	struct dma_fence fence;
	spinlock_t lock;
	struct drm_i915_private *i915;
	struct intel_context *context;
	struct intel_engine_cs *engine;
	struct i915_sched_node sched;
	u32 tail;

	struct list_head link;	/* the context's requests */
	struct hlist_node hash; /* all requests, by context and seqno */
	struct glr_file *file;
	struct work_struct retire;
	atomic_t blocked_on;	       /* fences, the one before it, and one for the submitter */
	struct i915_request *follower; /* the next of its context waits for its submission */
	struct glr_dep {
		struct dma_fence_cb cb;
		struct i915_request *rq;
	} deps[GLR_MAX_DEPS];
	u64 left_ns; /* still to run */
	s32 error;   /* it does not end by itself: i915 ends it */
	u64 off_ns;  /* when it last left the engine */
	u32 status;  /* its status page: the seqno that is complete */
	const u32 *hwsp_seqno;
	struct glr_truth truth;
};

/* What one open file of the device owns. */
struct glr_file {
	struct kref ref;
	struct mutex mutex;
	struct list_head contexts;
	spinlock_t truth_lock;
	struct list_head truth; /* struct glr_truth_node */
};

struct glr_truth_node {
	struct list_head link;
	struct glr_truth truth;
};

extern struct drm_i915_private glr_device;
extern struct workqueue_struct *glr_workqueue;

static inline struct i915_request *to_request(struct dma_fence *fence)
{
	return container_of(fence, struct i915_request, fence);
}

static inline bool i915_request_completed(const struct i915_request *rq)
{
	return (s32)(READ_ONCE(*rq->hwsp_seqno) - (u32)rq->fence.seqno) >= 0;
}

/* Writes the status page, as the hardware does when a request is over. */
static inline void glr_request_complete(struct i915_request *rq, bool complete)
{
	WRITE_ONCE(rq->status, (u32)rq->fence.seqno - !complete);
}

void glr_file_free(struct kref *ref);
void glr_context_free(struct kref *ref);

int glr_engines_init(void);
void glr_engines_exit(void);
struct intel_engine_cs *glr_engine(u16 class, u16 instance);

/* The driver's functions that tracers hook; not inlined, named as in i915. */
void execlists_submit_request(struct i915_request *request);
bool __i915_request_submit(struct i915_request *request);
void __i915_request_unsubmit(struct i915_request *request);
bool i915_request_retire(struct i915_request *rq);

struct i915_request *glr_request_alloc(struct glr_file *file, struct intel_context *ce);
struct i915_request *glr_request_alloc_bare(struct intel_engine_cs *engine, u64 ctx, u32 seqno);
void glr_request_submit(struct i915_request *rq, const struct glr_submit *args,
			struct dma_fence **deps);
long glr_request_wait(struct i915_request *rq, u64 timeout_ns);
void glr_request_done(struct i915_request *rq);

struct i915_request *glr_request_find(u64 ctx, u64 seqno);
void glr_requests_drain(void);
void intel_gt_reset(void *gt, u32 stalled_mask, const char *reason);
int glr_schedule_run(struct glr_schedule *schedule);

#endif

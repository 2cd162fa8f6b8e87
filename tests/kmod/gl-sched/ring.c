// SPDX-License-Identifier: GPL-2.0
// The rings of gl-sched: what the scheduler gives them runs for its time, one after the other (or
// `slots` at once, as where a firmware schedules). A timeout resets a ring as drivers do that let
// the scheduler give the innocent jobs to the ring again.
#include <linux/devcoredump.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "gl-sched.h"

unsigned int gls_n_rings = 2;
module_param_named(rings, gls_n_rings, uint, 0444);
MODULE_PARM_DESC(rings, "Rings (1 to 64)");
static unsigned int depth = 2;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "Jobs that the scheduler gives to a ring at a time");
static unsigned int slots = 1;
module_param(slots, uint, 0444);
MODULE_PARM_DESC(slots, "Jobs that a ring runs at once");
static unsigned int engines;
module_param(engines, uint, 0444);
MODULE_PARM_DESC(
	engines,
	"Jobs that all rings together run at once, in turn, as a firmware has them (0: no limit)");
static unsigned int timeout_ms = 2000;
module_param(timeout_ms, uint, 0444);
MODULE_PARM_DESC(timeout_ms, "Time after which the scheduler gives up a job");
static unsigned int free_us;
module_param(free_us, uint, 0444);
MODULE_PARM_DESC(free_us, "Time that freeing a job takes at least, asleep");
static bool dumps;
module_param(dumps, bool, 0444);
MODULE_PARM_DESC(dumps, "A time-out leaves a dump (devcoredump), as drivers do");
static bool irq_thread;
module_param(irq_thread, bool, 0444);
MODULE_PARM_DESC(irq_thread, "A thread, named as an interrupt's, signals that jobs have ended");

struct gls_ring gls_rings[GLS_MAX_RINGS];

#ifdef GLS_HAS_STAT_RESET
#define IS_WITHOUT_FENCE(flags) false
#else
#define IS_WITHOUT_FENCE(flags) ((flags)&GLS_LONG_RUNNING)
#endif

/* What the rings run. */
static DEFINE_SPINLOCK(hw_lock);
static unsigned int running; /* jobs of all rings */
static unsigned int turn;    /* the ring that is asked first */
static LIST_HEAD(done);	     /* what ended and the interrupt's thread has not seen to */
static struct task_struct *irq;

static DEFINE_SPINLOCK(table_lock);
static DEFINE_HASHTABLE(table, 10);
static atomic_t n_jobs = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(no_jobs);

/* As the driver's fences have it that it stands in for: xe's have their device's. */
static const char *driver_name(struct dma_fence *fence)
{
	const char *driver = container_of(fence, struct gls_task, fence)->ring->driver;

	return strcmp(driver, "xe") ? driver : "0000:03:00.0";
}

static const char *timeline_name(struct dma_fence *fence)
{
	return container_of(fence, struct gls_task, fence)->ring->name;
}

static const struct dma_fence_ops task_ops = {
	.get_driver_name = driver_name,
	.get_timeline_name = timeline_name,
};

/* Runs the next task of a ring, if it may; under the lock, as all that follows. */
static bool start_task(struct gls_ring *ring, u64 now)
{
	struct gls_task *task;

	if (ring->running >= slots || (engines && running >= engines))
		return false;
	list_for_each_entry(task, &ring->tasks, link) {
		if (task->is_started)
			continue;
		task->is_started = true;
		task->started_ns = now;
		ring->running++;
		running++;
		spin_lock(&gls_truth_lock);
		if (!task->truth->runs++)
			task->truth->started_ns = now;
		task->truth->restarted_ns = now;
		task->truth->status = GLS_RUNNING;
		spin_unlock(&gls_truth_lock);
		if (!(task->flags & (GLS_HANG | GLS_TOLD)))
			hrtimer_start(&task->timer, ns_to_ktime(now + task->duration_ns),
				      HRTIMER_MODE_ABS);
		return true;
	}
	return false;
}

/* Runs what can run: a task of each ring in turn. */
static void start_tasks(u64 now)
{
	unsigned int idle = 0;

	while (idle < gls_n_rings) {
		idle = start_task(&gls_rings[turn], now) ? 0 : idle + 1;
		turn = (turn + 1) % gls_n_rings;
	}
}

static void task_free(struct gls_task *task)
{
	put_pid(task->pid);
	gls_truth_put(task->truth);
	/* After a grace period: this may be its own timer. */
	dma_fence_put(&task->fence);
}

/* The engine has done it, or gives it up; with hw_lock. */
static u64 take_off(struct gls_task *task, enum gls_status status)
{
	u64 now = ktime_get_ns();

	list_del_init(&task->link);
	if (task->is_started) {
		task->ring->running--;
		running--;
	}
	spin_lock(&gls_truth_lock);
	task->truth->ended_ns = task->is_started ? now : 0;
	task->truth->status = status;
	spin_unlock(&gls_truth_lock);
	start_tasks(now);
	return now;
}

static void ended(struct gls_task *task, u64 now)
{
	struct gls_ring *ring = task->ring;

	gls_tell_end(ring, task->fence.seqno);
	dma_fence_signal(&task->fence);
	gls_tell_retired(ring, task->truth, task->pid, task->fence.seqno, task->started_ns, now);
	task_free(task);
}

static int see_done(void *unused)
{
	struct gls_task *task;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		spin_lock_irq(&hw_lock);
		task = list_first_entry_or_null(&done, struct gls_task, link);
		if (task)
			list_del_init(&task->link);
		spin_unlock_irq(&hw_lock);
		if (!task && kthread_should_stop())
			break;
		if (!task)
			schedule();
		__set_current_state(TASK_RUNNING);
		if (task)
			ended(task, ktime_get_ns());
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static enum hrtimer_restart task_done(struct hrtimer *timer)
{
	struct gls_task *task = container_of(timer, struct gls_task, timer);
	unsigned long flags;
	u64 now;

	spin_lock_irqsave(&hw_lock, flags);
	if (list_empty(&task->link)) { /* the ring was reset meanwhile */
		spin_unlock_irqrestore(&hw_lock, flags);
		return HRTIMER_NORESTART;
	}
	now = take_off(task, GLS_COMPLETE);
	if (irq)
		list_add_tail(&task->link, &done);
	spin_unlock_irqrestore(&hw_lock, flags);
	if (irq)
		wake_up_process(irq);
	else
		ended(task, now);
	return HRTIMER_NORESTART;
}

static struct gls_task *find_told(struct gls_ring *ring, u64 ctx, u64 seqno)
{
	struct gls_task *task;

	list_for_each_entry(task, &ring->tasks, link)
		if (task->flags & GLS_TOLD && task->truth->ctx == ctx &&
		    (!seqno || task->truth->seqno == seqno))
			return task;
	return NULL;
}

void gls_ring_end(struct gls_ctx *ctx, u64 seqno, int error)
{
	u64 number = ctx->entity.fence_context + 1, now = 0;
	struct gls_task *task;
	unsigned long flags;

	do {
		spin_lock_irqsave(&hw_lock, flags);
		task = find_told(ctx->ring, number, seqno);
		if (task)
			now = take_off(task, error ? GLS_CANCELED : GLS_COMPLETE);
		spin_unlock_irqrestore(&hw_lock, flags);
		if (!task)
			return;
		if (error && !dma_fence_is_signaled(&task->fence))
			dma_fence_set_error(&task->fence, error);
		ended(task, now);
	} while (!seqno);
}

static struct gls_job *to_job(struct drm_sched_job *base)
{
	return container_of(base, struct gls_job, base);
}

static void cancel_truth(struct gls_truth *truth, enum gls_status status, u64 now)
{
	unsigned long flags;

	spin_lock_irqsave(&gls_truth_lock, flags);
	if (truth->status == GLS_RUNNING)
		truth->ended_ns = now;
	if (truth->status != GLS_COMPLETE && truth->status != GLS_TIMEOUT)
		truth->status = status;
	spin_unlock_irqrestore(&gls_truth_lock, flags);
}

static struct dma_fence *run_job(struct drm_sched_job *base)
{
	struct gls_job *job = to_job(base);
	struct gls_ring *ring = job->ctx->ring;
	u64 now = ktime_get_ns(), seqno;
	struct gls_task *task;
	unsigned long flags;

	gls_tell_run(job);
	if (base->s_fence->finished.error)
		return NULL;
	task = kzalloc(sizeof(*task), GFP_ATOMIC);
	if (!task)
		return ERR_PTR(-ENOMEM);
	task->ring = ring;
	task->duration_ns = job->duration_ns;
	task->flags = job->flags;
	task->truth = job->truth;
	task->pid = get_pid(job->pid);
	kref_get(&job->truth->ref);
	gls_timer_setup(&task->timer, task_done);

	spin_lock_irqsave(&hw_lock, flags);
	dma_fence_init(&task->fence, &task_ops, &ring->fence_lock, ring->fence_context,
		       ++ring->seqno);
	dma_fence_get(&task->fence); /* while the ring knows it */
	spin_lock(&gls_truth_lock);
	if (!job->truth->handed_ns)
		job->truth->handed_ns = now;
	spin_unlock(&gls_truth_lock);
	list_add_tail(&task->link, &ring->tasks);
	seqno = task->fence.seqno;
	dma_fence_put(job->ring_fence);
	job->ring_fence = dma_fence_get(&task->fence);
	gls_tell_start(job, seqno);
	start_tasks(ktime_get_ns());
	spin_unlock_irqrestore(&hw_lock, flags);

	if (!IS_WITHOUT_FENCE(job->flags))
		return &task->fence;
	/* guc_exec_queue_run_job() of xe_guc_submit.c, xe_sched_job_set_error() */
	dma_fence_set_error(&task->fence, -EOPNOTSUPP);
	gls_tell_error(job, &task->fence);
	dma_fence_signal(&task->fence);
	dma_fence_put(&task->fence);
	return NULL;
}

/*
 * Nothing runs on the ring any more. At the end the fences of what did are signalled; when the ring
 * was reset nobody looks at them any more, since the scheduler gives the jobs to the ring again.
 */
static void ring_stop(struct gls_ring *ring, bool is_end)
{
	struct gls_task *task, *next;
	unsigned long flags;
	LIST_HEAD(stopped);
	u64 now;

	spin_lock_irqsave(&hw_lock, flags);
	now = ktime_get_ns();
	running -= ring->running;
	ring->running = 0;
	list_for_each_entry_safe(task, next, &ring->tasks, link) {
		list_del_init(&task->link);
		/* A timer that fires now finds its task on no ring. */
		hrtimer_try_to_cancel(&task->timer);
		dma_fence_get(&task->fence);
		list_add_tail(&task->link, &stopped);
	}
	start_tasks(now); /* other rings' */
	spin_unlock_irqrestore(&hw_lock, flags);
	list_for_each_entry_safe(task, next, &stopped, link) {
		list_del_init(&task->link);
		hrtimer_cancel(&task->timer);
		if (is_end || IS_WITHOUT_FENCE(task->flags))
			cancel_truth(task->truth, GLS_CANCELED, now);
		if (is_end && !dma_fence_is_signaled(&task->fence)) {
			dma_fence_set_error(&task->fence, -ENODEV);
			dma_fence_signal(&task->fence);
		}
		dma_fence_put(&task->fence);
		task_free(task);
	}
}

/* The kernel has it until somebody writes into it, or five minutes; one of a device at a time. */
static void dump(struct device *dev, const struct gls_job *job)
{
	const size_t size = 128;
	char *text = dumps ? vzalloc(size) : NULL;

	if (!text)
		return;
	snprintf(text, size, "seqno %llu\n", (unsigned long long)job->base.s_fence->finished.seqno);
	dev_coredumpv(dev, text, strlen(text), GFP_KERNEL);
}

static enum drm_gpu_sched_stat timedout_job(struct drm_sched_job *base)
{
	struct gls_job *job = to_job(base);
	struct gls_ring *ring = job->ctx->ring;
	struct drm_gpu_scheduler *sched = &ring->sched;
	bool is_told = false;

	drm_sched_stop(sched, base);
	/* It may have ended just before the scheduler stopped: then it is not guilty. */
	if (!dma_fence_is_signaled(&base->s_fence->finished)) {
		cancel_truth(job->truth, GLS_TIMEOUT, ktime_get_ns());
		drm_sched_increase_karma(base);
		gls_tell_timeout(job, job->ring_fence);
		is_told = true;
	}
	ring_stop(ring, false);
	if (is_told) {
		dump(sched->dev, job);
		gls_tell_reset();
	}
	drm_sched_resubmit_jobs(sched);
	gls_sched_start(sched);
	return gls_sched_was_reset();
}

static void free_job(struct drm_sched_job *base)
{
	struct gls_job *job = to_job(base);
	struct dma_fence *finished = &base->s_fence->finished;
	struct gls_truth *truth = job->truth;
	unsigned long flags;

	spin_lock_irqsave(&gls_truth_lock, flags);
	if (test_bit(DMA_FENCE_FLAG_TIMESTAMP_BIT, &finished->flags))
		truth->done_ns = ktime_to_ns(finished->timestamp);
	if (truth->status == GLS_QUEUED)
		truth->status = GLS_CANCELED;
	spin_unlock_irqrestore(&gls_truth_lock, flags);
	gls_tell_free(job);
	if (free_us)
		usleep_range(free_us, free_us + 100);
	gls_job_drop(job);
}

static const struct drm_sched_backend_ops sched_ops = {
	.run_job = run_job,
	.timedout_job = timedout_job,
	.free_job = free_job,
};

struct gls_job *gls_job_alloc(struct gls_ctx *ctx)
{
	struct gls_job *job = kzalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;
	job->pid = get_task_pid(current, PIDTYPE_TGID);
	job->truth = gls_truth_new();
	if (!job->truth) {
		put_pid(job->pid);
		kfree(job);
		return NULL;
	}
	kref_get(&ctx->ref);
	job->ctx = ctx;
	INIT_HLIST_NODE(&job->node);
	atomic_inc(&n_jobs);
	return job;
}

static u64 table_key(u64 ctx, u64 seqno)
{
	return ctx * 31 + seqno;
}

void gls_job_publish(struct gls_job *job)
{
	const struct dma_fence *finished = &job->base.s_fence->finished;
	unsigned long flags;

	spin_lock_irqsave(&table_lock, flags);
	hash_add(table, &job->node, table_key(finished->context, finished->seqno));
	spin_unlock_irqrestore(&table_lock, flags);
}

void gls_job_drop(struct gls_job *job)
{
	unsigned long flags;

	spin_lock_irqsave(&table_lock, flags);
	hash_del(&job->node);
	spin_unlock_irqrestore(&table_lock, flags);
	if (job->base.s_fence)
		drm_sched_job_cleanup(&job->base);
	dma_fence_put(job->ring_fence);
	put_pid(job->pid);
	kref_put(&job->ctx->ref, gls_ctx_free);
	gls_truth_put(job->truth);
	kfree(job);
	if (atomic_dec_and_test(&n_jobs))
		wake_up_all(&no_jobs);
}

struct dma_fence *gls_job_find(u64 ctx, u64 seqno)
{
	struct dma_fence *found = NULL;
	struct gls_job *job;
	unsigned long flags;

	spin_lock_irqsave(&table_lock, flags);
	hash_for_each_possible(table, job, node, table_key(ctx, seqno)) {
		struct dma_fence *finished = &job->base.s_fence->finished;

		if (finished->context == ctx && finished->seqno == seqno) {
			found = dma_fence_get(finished);
			break;
		}
	}
	spin_unlock_irqrestore(&table_lock, flags);
	return found;
}

static int ring_init(struct gls_ring *ring, unsigned int number, struct device *dev,
		     const char *driver)
{
	const struct drm_sched_init_args args = {
		.ops = &sched_ops,
#ifdef GLS_HAS_NUM_RQS
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
#endif
		.credit_limit = depth,
		.timeout = msecs_to_jiffies(timeout_ms),
		.name = ring->name,
		.dev = dev,
	};

	ring->number = number;
	ring->driver = driver;
	gls_name_ring(ring->name, sizeof(ring->name), driver, number);
	ring->fence_context = dma_fence_context_alloc(1);
	spin_lock_init(&ring->fence_lock);
	INIT_LIST_HEAD(&ring->tasks);
	return drm_sched_init(&ring->sched, &args);
}

struct gls_ring *gls_ring_take(const char *class)
{
	unsigned int i;

	for (i = 0; i < gls_n_rings; i++) {
		struct gls_ring *ring = &gls_rings[i];

		if (cmpxchg(&ring->is_taken, false, true))
			continue;
		snprintf(ring->name, sizeof(ring->name), "%s%u", class, i);
		return ring;
	}
	return NULL;
}

int gls_rings_init(struct device *dev, const char *driver)
{
	unsigned int i;
	int err = 0;

	if (gls_n_rings < 1 || gls_n_rings > GLS_MAX_RINGS || !depth || !slots || !timeout_ms)
		return -EINVAL;
	for (i = 0; i < gls_n_rings && !err; i++)
		err = ring_init(&gls_rings[i], i, dev, driver);
	if (err)
		for (i--; i--;)
			drm_sched_fini(&gls_rings[i].sched);
	if (err || !irq_thread)
		return err;
	irq = kthread_run(see_done, NULL, "irq/77-gl-sched");
	if (IS_ERR(irq)) {
		err = PTR_ERR(irq);
		irq = NULL;
		gls_rings_exit();
		return err;
	}
	sched_set_fifo(irq); /* as irq_thread() of kernel/irq/manage.c */
	return 0;
}

void gls_rings_exit(void)
{
	unsigned int i;

	/* What the scheduler gives to a ring after it was stopped is stopped the next time. */
	do {
		for (i = 0; i < gls_n_rings; i++)
			ring_stop(&gls_rings[i], true);
	} while (!wait_event_timeout(no_jobs, !atomic_read(&n_jobs), HZ / 10));
	if (irq)
		kthread_stop(irq);
	for (i = 0; i < gls_n_rings; i++)
		drm_sched_fini(&gls_rings[i].sched);
	/* A worker of the system may still be on its way out of free_job(). */
	synchronize_rcu_tasks();
}

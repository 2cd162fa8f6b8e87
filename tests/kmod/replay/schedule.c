// SPDX-License-Identifier: GPL-2.0
// Schedules: events that user space wrote down, fired in their order, at their times, on their
// CPUs.
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "i915_trace.h"

#define MAX_SHOTS (4u << 20)

/* Shots whose time is taken together. */
#define STRETCH GLR_STRETCH

struct run {
	struct glr_shot *shots;
	struct i915_request **requests;
	u32 n_shots;
	u32 n_requests;
	u64 start_ns;
	u64 *stretches; /* how long each STRETCH shots took */
	atomic_t next;	/* the shot that is to be fired, in the order of the schedule */
	atomic_t threads;
	struct completion done;
	atomic64_t late_ns;
	bool stop;
};

struct runner {
	struct run *run;
	unsigned int cpu;
};

static void fire(struct i915_request *rq, const struct glr_shot *shot)
{
	unsigned long flags;

	switch (shot->kind) {
	case GLR_SHOT_QUEUE:
		trace_i915_request_queue(rq, shot->arg);
		break;
	case GLR_SHOT_ADD:
		trace_i915_request_add(rq);
		break;
	case GLR_SHOT_GUC_SUBMIT:
		trace_i915_request_guc_submit(rq);
		break;
	case GLR_SHOT_SUBMIT:
		trace_i915_request_submit(rq);
		break;
	case GLR_SHOT_EXECUTE:
		trace_i915_request_execute(rq);
		break;
	case GLR_SHOT_UNSUBMIT:
		__i915_request_unsubmit(rq);
		break;
	case GLR_SHOT_IN:
		trace_i915_request_in(rq, shot->arg);
		break;
	case GLR_SHOT_OUT:
		glr_request_complete(rq, shot->arg);
		trace_i915_request_out(rq);
		break;
	case GLR_SHOT_ENABLE_SIGNAL:
		dma_fence_enable_sw_signaling(&rq->fence);
		break;
	case GLR_SHOT_SIGNAL:
		glr_request_complete(rq, true);
		spin_lock_irqsave(&rq->lock, flags);
		dma_fence_signal_locked(&rq->fence);
		spin_unlock_irqrestore(&rq->lock, flags);
		break;
	case GLR_SHOT_RETIRE:
		trace_i915_request_retire(rq);
		break;
	case GLR_SHOT_WAIT_BEGIN:
		trace_i915_request_wait_begin(rq, shot->arg);
		break;
	case GLR_SHOT_WAIT_END:
		trace_i915_request_wait_end(rq);
		break;
	}
}

/* Waits for a time, asleep when it is far and awake when it is near. */
static void wait_until(const struct run *run, u64 at_ns)
{
	u64 now;

	while ((now = ktime_get_ns()) < at_ns && !READ_ONCE(run->stop)) {
		if (at_ns - now > 200 * NSEC_PER_USEC)
			usleep_range((at_ns - now) / 2000, (at_ns - now) / 1500);
		else
			cpu_relax();
	}
}

static int runner_thread(void *data)
{
	struct runner *runner = data;
	struct run *run = runner->run;
	u64 late;
	u32 i;

	for (i = 0; i < run->n_shots && !READ_ONCE(run->stop); i++) {
		const struct glr_shot *shot = &run->shots[i];

		if (shot->cpu != runner->cpu)
			continue;
		wait_until(run, run->start_ns + shot->at_ns);
		while (atomic_read(&run->next) != i && !READ_ONCE(run->stop)) {
			cpu_relax();
			cond_resched();
		}
		if (READ_ONCE(run->stop))
			break;
		preempt_disable();
		late = ktime_get_ns() - (run->start_ns + shot->at_ns);
		fire(run->requests[shot->request], shot);
		preempt_enable();
		if ((i + 1) % STRETCH == 0)
			run->stretches[i / STRETCH] = ktime_get_ns();
		if (late > atomic64_read(&run->late_ns))
			atomic64_set(&run->late_ns, late);
		atomic_inc(&run->next);
		if (!(i & 255))
			cond_resched();
	}
	if (atomic_dec_and_test(&run->threads))
		complete(&run->done);
	return 0;
}

static int check(const struct run *run)
{
	u32 i;

	for (i = 0; i < run->n_shots; i++) {
		const struct glr_shot *shot = &run->shots[i];

		if (shot->request >= run->n_requests || shot->kind >= GLR_SHOT_COUNT ||
		    shot->cpu >= nr_cpu_ids || !cpu_online(shot->cpu) ||
		    (i && shot->at_ns < shot[-1].at_ns))
			return -EINVAL;
	}
	return 0;
}

/* One thread per CPU that the schedule names; the caller waits for the last of them. */
static int run_threads(struct run *run, struct runner *runners)
{
	struct task_struct *task;
	unsigned int cpu;
	int err = 0;

	atomic_set(&run->threads, 1);
	init_completion(&run->done);
	run->start_ns = ktime_get_ns() + 20 * NSEC_PER_MSEC;
	for_each_online_cpu(cpu) {
		runners[cpu].run = run;
		runners[cpu].cpu = cpu;
		task = kthread_create_on_cpu(runner_thread, &runners[cpu], cpu, "gl-replay/%u");
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			WRITE_ONCE(run->stop, true);
			break;
		}
		atomic_inc(&run->threads);
		wake_up_process(task);
	}
	if (!atomic_dec_and_test(&run->threads)) {
		if (!err && wait_for_completion_interruptible(&run->done)) {
			err = -EINTR;
			WRITE_ONCE(run->stop, true);
		}
		if (err)
			wait_for_completion(&run->done);
	}
	return err;
}

/* Whatever the schedule left open ends here: nobody may wait for ever. */
static void put_requests(struct run *run)
{
	u32 i;

	for (i = 0; i < run->n_requests && run->requests[i]; i++) {
		dma_fence_signal(&run->requests[i]->fence);
		dma_fence_put(&run->requests[i]->fence);
	}
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The median of the stretches' times; what the machine does in between is in few of them. */
static u64 median_stretch(struct run *run)
{
	u32 n = run->n_shots / STRETCH;
	u32 i;

	if (n < 2)
		return 0;
	for (i = 0; i + 1 < n; i++)
		run->stretches[i] = run->stretches[i + 1] - run->stretches[i];
	sort(run->stretches, n - 1, sizeof(u64), compare_u64, NULL);
	return run->stretches[(n - 1) / 2];
}

static int make_requests(struct run *run, const struct glr_request *from)
{
	u32 i;

	for (i = 0; i < run->n_requests; i++) {
		struct intel_engine_cs *engine = glr_engine(from[i].class, from[i].instance);

		if (!engine)
			return -EINVAL;
		run->requests[i] = glr_request_alloc_bare(engine, from[i].ctx, from[i].seqno);
		if (!run->requests[i])
			return -ENOMEM;
		run->requests[i]->sched.attr.priority = from[i].prio;
		run->requests[i]->tail = from[i].tail;
	}
	return 0;
}

int glr_schedule_run(struct glr_schedule *schedule)
{
	struct glr_request *from = NULL;
	struct runner *runners = NULL;
	struct run *run;
	int err = -ENOMEM;

	if (!schedule->n_shots || schedule->n_shots > MAX_SHOTS || !schedule->n_requests ||
	    schedule->n_requests > schedule->n_shots)
		return -EINVAL;
	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (!run)
		return -ENOMEM;
	run->n_shots = schedule->n_shots;
	run->n_requests = schedule->n_requests;
	run->requests = kvcalloc(run->n_requests, sizeof(*run->requests), GFP_KERNEL);
	runners = kcalloc(nr_cpu_ids, sizeof(*runners), GFP_KERNEL);
	run->stretches = kvcalloc(run->n_shots / STRETCH + 1, sizeof(u64), GFP_KERNEL);
	if (!run->requests || !runners || !run->stretches)
		goto out;
	from = vmemdup_user(u64_to_user_ptr(schedule->requests),
			    array_size(run->n_requests, sizeof(*from)));
	if (IS_ERR(from)) {
		err = PTR_ERR(from);
		from = NULL;
		goto out;
	}
	run->shots = vmemdup_user(u64_to_user_ptr(schedule->shots),
				  array_size(run->n_shots, sizeof(*run->shots)));
	if (IS_ERR(run->shots)) {
		err = PTR_ERR(run->shots);
		run->shots = NULL;
		goto out;
	}
	err = check(run);
	if (!err)
		err = make_requests(run, from);
	if (!err)
		err = run_threads(run, runners);
	schedule->fired = atomic_read(&run->next);
	schedule->late_ns = atomic64_read(&run->late_ns);
	schedule->stretch_ns = err ? 0 : median_stretch(run);
	put_requests(run);
out:
	kvfree(run->shots);
	kvfree(from);
	kvfree(run->requests);
	kvfree(run->stretches);
	kfree(runners);
	kfree(run);
	return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * Drivers and what they drive. amdgpu and v3d write to a ring, which runs one job at a time, in
 * order. xe hands contexts to a firmware, which runs several at once and takes turns.
 */
#include <string.h>

#include "sched.h"

/* -- What both have -- */

static void run_begins(struct job *job)
{
	if (job->n_runs % 8 == 0) {
		struct interval *runs = allocate((job->n_runs + 8) * sizeof(*runs));

		for (unsigned i = 0; i < job->n_runs; i++)
			runs[i] = job->runs[i];
		job->runs = runs;
	}
	job->runs[job->n_runs++] = (struct interval){ machine.now, NEVER };
}

static void run_ends(struct job *job)
{
	job->runs[job->n_runs - 1].end = machine.now;
}

struct happening {
	struct ring *ring;
	unsigned generation;
};

static void ring_at(uint64_t ns, action_fn *run, struct ring *ring)
{
	struct happening *what = allocate(sizeof(*what));

	*what = (struct happening){ ring, ring->generation };
	at(machine.now + ns, run, what);
}

static bool is_void(const struct happening *what)
{
	return what->ring->generation != what->generation;
}

/* A driver may sleep before it hands a job over, in TASK_UNINTERRUPTIBLE: etnaviv_gpu.c:
 * etnaviv_gpu_submit() (a mutex, pm_runtime_get_sync()), xe_guc_ct.c: guc_ct_send_locked() (a
 * mutex, msleep() while there is no room). */
static void may_sleep(void)
{
	if (machine.watcher && chance(8))
		sleep_in('D', long_tailed(chance(20) ? 20000 : 2000));
}

/* And then it may fail: etnaviv_gpu_submit() when the power does not come, amdgpu_job_run() when
 * amdgpu_ib_schedule() finds no room. */
static bool may_fail(void)
{
	return machine.watcher && chance(1);
}

static int irq_cpu(void)
{
	return machine.irq_cpu >= 0 && !chance(10) ? machine.irq_cpu
						   : (int)dice((uint64_t)machine.n_cpus);
}

/* -- Interrupts in threads: with `threadirqs`, or of drivers that want it so: panfrost_job.c -- */

static struct irq_thread {
	struct fiber *thread;
	struct link pending;
	uint64_t woken[2];
} irq_thread;

void irq_thread_woken(const struct fiber *thread, unsigned which)
{
	if (thread == irq_thread.thread)
		irq_thread.woken[which] = machine.now;
}

void irq_thread_signals(uint64_t woken[2])
{
	if (irq_thread.thread && current_thread() == irq_thread.thread)
		memcpy(woken, irq_thread.woken, sizeof(irq_thread.woken));
}

struct irq_action {
	struct link link;
	action_fn *run;
	void *arg;
};

/* kernel/irq/manage.c: irq_thread(), irq_forced_thread_fn(): interrupts are off. */
static void irq_thread_main(void *arg)
{
	(void)arg;
	set_fifo(PRIORITY_IRQ_THREAD);
	for (;;) {
		while (!list_empty(&irq_thread.pending)) {
			struct irq_action *action =
				container(irq_thread.pending.next, struct irq_action, link);

			list_remove(&action->link);
			irq_disable();
			action->run(action->arg);
			irq_enable();
		}
		prepare_to_sleep();
		if (!list_empty(&irq_thread.pending))
			finish_sleep();
		schedule();
	}
}

void irq_thread_start(int tid)
{
	list_init(&irq_thread.pending);
	name_thread(tid, "irq/45-gpu");
	irq_thread.thread = thread_start(tid, tid, irq_thread_main, NULL);
}

/* kernel/irq/handle.c: __irq_wake_thread() */
static void irq_wake_thread(void *arg)
{
	struct irq_action *action = arg;

	list_insert(&action->link, &irq_thread.pending);
	wake(irq_thread.thread);
}

static void driver_interrupt(action_fn *run, void *arg)
{
	struct irq_action *action;

	if (!irq_thread.thread) {
		interrupt(irq_cpu(), run, arg);
		return;
	}
	action = allocate(sizeof(*action));
	*action = (struct irq_action){ .run = run, .arg = arg };
	interrupt(irq_cpu(), irq_wake_thread, action);
}

/* -- Serial rings -- */

static void fence_process(void *arg);

static void irq_arrives(void *arg)
{
	driver_interrupt(fence_process, arg);
}

/* The hardware raises its interrupt; where the driver has a fallback timer, it may get lost. */
static void raise_irq(struct ring *ring)
{
	if (ring->has_fallback && !machine.is_instant && chance(3))
		return;
	at(machine.now + (machine.is_instant ? 0 : long_tailed(1500)), irq_arrives, ring);
}

static void serial_start(void *arg);

static void serial_end(void *arg)
{
	struct happening *what = arg;
	struct ring *ring = what->ring;
	struct job *job = ring->current;

	if (is_void(what))
		return;
	run_ends(job);
	job->is_hw_done = true;
	ring->done = job->hw_seqno;
	ring->current = NULL;
	list_remove(&job->hw_link);
	raise_irq(ring);
	if (!list_empty(&ring->jobs))
		ring_at(hardware_time(0, 600), serial_start, ring);
}

static void serial_start(void *arg)
{
	struct happening *what = arg;
	struct ring *ring = what->ring;

	if (is_void(what) || ring->current || list_empty(&ring->jobs))
		return;
	ring->current = container(ring->jobs.next, struct job, hw_link);
	run_begins(ring->current);
	if (!ring->current->hangs)
		ring_at(ring->current->duration, serial_end, ring);
}

/* amdgpu_fence.c: amdgpu_fence_process(). Two CPUs may be in it at once, each with seqnos of its
 * own, so that a later fence may be signalled before an earlier one. */
static void fence_process(void *arg)
{
	struct ring *ring = arg;
	uint64_t seqno = ring->done, last = ring->last_seen;

	ring->last_seen = seqno;
	spend(between(20, 200));
	if (ring->has_fallback) {
		timer_cancel(&ring->fallback);
		if (seqno != ring->emitted)
			timer_set(&ring->fallback, 60000);
	}
	while (last != seqno) {
		struct fence *fence = ring->fences[++last % MAX_FENCES];

		ring->fences[last % MAX_FENCES] = NULL;
		if (!fence)
			continue;
		/* an interrupt of another device may come in between */
		spend(chance(4) ? between(1000, 9000) : between(10, 150));
		fence_signal(fence);
		fence_put(fence);
	}
}

static const struct fence_ops hw_fence_ops = { NULL, NULL, NULL };

/* amdgpu_ib_schedule(), amdgpu_fence_emit() */
static struct fence *serial_emit(struct ring *ring, struct job *job)
{
	struct fence *fence = job->hw_fence;
	uint64_t seqno = ++ring->emitted;

	if (fence && ring->has_fallback) {
		fence->seqno = seqno; /* "reinit seq for resubmitted jobs" */
	} else {
		fence_put(fence);
		fence = job->hw_fence = allocate(sizeof(*fence));
		fence_init(fence, &hw_fence_ops, &ring->lock, ring->fence_context, seqno,
			   ring->fence_driver, ring->timeline);
	}
	fence_get(fence);
	spend(between(100, 1500));
	job->hw_seqno = seqno;
	ring->fences[seqno % MAX_FENCES] = fence_get(fence);
	if (ring->has_fallback && !ring->fallback.is_pending)
		timer_set(&ring->fallback, 60000);
	/* The write of the ring's tail: from here on the hardware may run it. */
	job->hw_handed = machine.now;
	job->n_handed++;
	list_insert(&job->hw_link, &ring->jobs);
	if (!ring->current)
		ring_at(hardware_time(0, 900), serial_start, ring);
	spend(between(10, 1200));
	return fence;
}

/* amdgpu_job.c: amdgpu_job_run(); v3d_sched.c: v3d_csd_job_run(): a job whose fence has an error is
 * not given to the hardware. */
static struct fence *serial_run_job(struct job *job)
{
	spend(between(100, 900));
	if (job->s_fence->finished.error < 0) {
		job->is_skipped = true;
		return NULL;
	}
	may_sleep();
	if (may_fail()) {
		job->is_skipped = true;
		return NULL;
	}
	return serial_emit(job->sched->ring, job);
}

/* What the hardware has is gone. */
static void serial_reset(struct ring *ring)
{
	ring->generation++;
	if (ring->current)
		run_ends(ring->current);
	ring->current = NULL;
	while (!list_empty(&ring->jobs)) {
		struct job *job = container(ring->jobs.next, struct job, hw_link);

		job->was_reset = true;
		list_remove(&job->hw_link);
	}
}

/* amdgpu_fence_driver_force_completion() */
static void force_completion(struct ring *ring)
{
	for (unsigned i = 0; i < MAX_FENCES; i++)
		if (ring->fences[i])
			fence_set_error(ring->fences[i], -125);
	ring->done = ring->emitted;
	fence_process(ring);
}

/* The driver waits for the hardware: it looks again and again (udelay()), and it sleeps: v3d_drv.h:
 * wait_for(), panfrost_gpu.c: panfrost_gpu_soft_reset() (usleep_range()), amdgpu/psp_v3_1.c:
 * psp_v3_1_mode1_reset() (msleep()). Both sleep in TASK_UNINTERRUPTIBLE. */
static void hardware_resets(void)
{
	if (!machine.watcher) {
		spend(between(2000, 20000));
		return;
	}
	for (uint64_t n = between(1, 3); n; n--) {
		spend(between(300, 5000));
		if (chance(60))
			sleep_in('D', between(400, 9000));
	}
}

/* amdgpu_job.c: amdgpu_job_timedout(); v3d_sched.c: v3d_gpu_reset_for_timeout(). A job that has
 * completed meanwhile is left alone by drivers that look. */
static void serial_timedout(struct job *job)
{
	struct ring *ring = job->sched->ring;

	spend(between(300, 3000));
	if (job->is_hw_done && world.has_hog) {
		/* With interrupts off the hog does not come in between, as it does not in Linux: an
		 * interrupt does this. */
		irq_disable();
		fence_process(ring);
		irq_enable();
		sched_reinsert(job);
		return;
	}
	if (job->is_hw_done) {
		/* panfrost_job.c: panfrost_job_timedout(): spurious. It goes back to the list when
		 * the scheduler is stopped. */
		sched_stop(job->sched, job);
		fence_process(ring);
		sched_start(job->sched);
		return;
	}
	if (!ring->resubmits) {
		/* a reset of the ring alone; no job is run again */
		if (world.kernel >= LINUX_6_12)
			wqueue_stop(job->sched);
		fence_set_error(&job->s_fence->finished, -62);
		serial_reset(ring);
		hardware_resets();
		sched_stop(job->sched, job);
		force_completion(ring);
		sched_start(job->sched);
		return;
	}
	sched_stop(job->sched, job);
	job->karma++; /* drm_sched_increase_karma(), which finds the entity by its context */
	if (job->entity->has_guilty && chance(30))
		job->entity->is_guilty = true;
	serial_reset(ring);
	hardware_resets();
	job->hangs = chance(20);
	for (unsigned i = 0; i < MAX_FENCES; i++) {
		fence_put(ring->fences[i]);
		ring->fences[i] = NULL;
	}
	ring->done = ring->last_seen = ring->emitted;
	sched_resubmit(job->sched);
	sched_start(job->sched);
}

const struct driver amdgpu_driver = { "amdgpu", serial_run_job, serial_timedout };
const struct driver v3d_driver = { "v3d", serial_run_job, serial_timedout };

void serial_ring_init(struct ring *ring, const struct driver *driver, unsigned depth,
		      uint64_t timeout)
{
	list_init(&ring->jobs);
	ring->is_serial = true;
	ring->fence_context = contexts_allocate(1);
	ring->fallback = (struct timer){ .run = fence_process, .arg = ring };
	sched_init(&ring->sched, driver, ring, depth, timeout);
}

/* -- A firmware's contexts -- */

static void engine_next(struct engine *engine);

static void xe_irq(void *arg)
{
	struct engine *engine = arg;

	spend(between(20, 200));
	irq_work_queue(&engine->irq_work); /* xe_hw_fence_irq_run() */
}

static void xe_irq_arrives(void *arg)
{
	driver_interrupt(xe_irq, arg);
}

/* xe_hw_fence.c: hw_fence_irq_run_cb() */
static void xe_signal(void *arg)
{
	struct engine *engine = arg;

	spin_lock_irq(&engine->lock);
	if (engine->is_stopped) {
		spin_unlock_irq(&engine->lock);
		return;
	}
	each_link_safe(it, &engine->pending)
	{
		struct fence *fence = container(it, struct fence, irq_link);

		spend(between(5, 60));
		if (fence_is_signalled_locked(fence)) {
			list_remove(&fence->irq_link);
			fence_put(fence);
		}
	}
	spin_unlock_irq(&engine->lock);
}

static void context_begin(struct ring *ring);

static void context_leaves(struct ring *ring)
{
	struct engine *engine = ring->engine;

	ring->is_on_engine = false;
	ring->current = NULL;
	engine->busy--;
	if (!list_empty(&ring->jobs)) {
		ring->is_waiting = true;
		list_insert(&ring->engine_link, &engine->waiting);
	}
	engine_next(engine);
}

static void slice_over(void *arg)
{
	struct happening *what = arg;
	struct ring *ring = what->ring;
	struct job *job = ring->current;

	if (is_void(what))
		return;
	run_ends(job);
	if (!job->left && !job->hangs) {
		job->is_hw_done = true;
		ring->done = job->hw_seqno;
		list_remove(&job->hw_link);
		at(machine.now + (machine.is_instant ? 0 : long_tailed(2000)), xe_irq_arrives,
		   ring->engine);
		if (!list_empty(&ring->jobs) && list_empty(&ring->engine->waiting)) {
			context_begin(ring);
			return;
		}
	}
	context_leaves(ring);
}

static void context_begin(struct ring *ring)
{
	uint64_t slice = between(20000, 120000);
	struct job *job = container(ring->jobs.next, struct job, hw_link);

	ring->current = job;
	run_begins(job);
	if (!job->hangs && job->left < slice)
		slice = job->left;
	job->left -= slice < job->left ? slice : job->left;
	ring->generation++;
	ring_at(slice, slice_over, ring);
}

static void context_enters(void *arg)
{
	struct happening *what = arg;

	if (is_void(what) || list_empty(&what->ring->jobs)) {
		if (!is_void(what)) {
			what->ring->is_on_engine = false;
			what->ring->engine->busy--;
		}
		return;
	}
	context_begin(what->ring);
}

static void engine_next(struct engine *engine)
{
	while (engine->busy < engine->slots && !list_empty(&engine->waiting)) {
		struct ring *ring = container(engine->waiting.next, struct ring, engine_link);

		list_remove(&ring->engine_link);
		ring->is_waiting = false;
		ring->is_on_engine = true;
		engine->busy++;
		ring_at(hardware_time(0, 3000), context_enters, ring);
	}
}

/* xe_hw_fence_signaled() */
static bool xe_is_signalled(struct fence *fence)
{
	return fence->error || fence->seqno <= fence->ring->done;
}

/* xe_hw_fence_enable_signaling() */
static bool xe_enable_signaling(struct fence *fence)
{
	struct engine *engine = fence->ring->engine;

	fence_get(fence);
	list_insert(&fence->irq_link, &engine->pending);
	if (xe_is_signalled(fence))
		irq_work_queue(&engine->irq_work);
	return true;
}

static const struct fence_ops xe_fence_ops = { xe_enable_signaling, xe_is_signalled, NULL };

/* xe_sched_job.c: xe_sched_job_arm(): the fence is the submitter's doing. */
void xe_job_prepare(struct job *job)
{
	struct ring *ring = job->entity->ring;

	job->hw_fence = allocate(sizeof(*job->hw_fence));
	job->hw_fence->ring = ring;
	job->hw_seqno = ++ring->emitted;
	fence_init(job->hw_fence, &xe_fence_ops, &ring->engine->lock, ring->fence_context,
		   job->hw_seqno, ring->fence_driver, ring->timeline);
}

/* xe_guc_submit.c: guc_exec_queue_run_job(). Long-running jobs have no fence. */
static struct fence *xe_run_job(struct job *job)
{
	struct ring *ring = job->sched->ring;
	struct engine *engine = ring->engine;

	spend(between(200, 2000));
	if (!ring->is_banned && !ring->is_killed && !job->hw_fence->error) {
		may_sleep();
		job->left = job->duration;
		job->hw_handed = machine.now;
		job->n_handed++;
		list_insert(&job->hw_link, &ring->jobs);
		if (!ring->is_on_engine && !ring->is_waiting) {
			ring->is_waiting = true;
			list_insert(&ring->engine_link, &engine->waiting);
			engine_next(engine);
		}
		spend(between(50, 800));
	} else {
		/* Its fence stays as it is until the timeout, which is immediate then. */
		job->is_skipped = true;
		if (!machine.watcher)
			fence_set_error(job->hw_fence, -125);
	}
	if (ring->is_long_running) {
		job->is_long = true;
		fence_set_error(job->hw_fence, -95);
		return NULL;
	}
	return fence_get(job->hw_fence);
}

/* xe_guc_submit.c: handle_sched_done(), from xe_guc_ct.c: g2h_worker_func() */
static void xe_disabled(void *arg)
{
	struct ring *ring = arg;

	spend(between(100, 900));
	ring->is_disabled = true;
	wake_all(&ring->disabled);
}

/* xe_guc_ct.h: xe_guc_ct_irq_handler() */
static void xe_guc_irq(void *arg)
{
	struct ring *ring = arg;

	work_queue(&ring->disabled_work);
}

static void xe_guc_answers(void *arg)
{
	driver_interrupt(xe_guc_irq, arg);
}

/* xe_guc_submit.c: disable_scheduling(), wait_event_timeout(guc->ct.wq): the firmware takes the
 * queue from the hardware and says so. */
static void xe_disable(struct ring *ring)
{
	if (!machine.watcher)
		return;
	ring->is_disabled = false;
	at(machine.now + between(1000, 12000), xe_guc_answers, ring);
	while (!ring->is_disabled)
		wait_once(&ring->disabled, 'D', FOREVER, 0);
}

/* What the hardware has of the queue is gone. */
static void xe_take_off(struct ring *ring)
{
	ring->generation++;
	if (ring->current)
		run_ends(ring->current);
	while (!list_empty(&ring->jobs)) {
		struct job *one = container(ring->jobs.next, struct job, hw_link);

		one->was_reset = true;
		list_remove(&one->hw_link);
	}
	if (ring->is_waiting)
		list_remove(&ring->engine_link);
	ring->is_waiting = false;
	if (ring->is_on_engine) {
		ring->is_on_engine = false;
		ring->current = NULL;
		ring->engine->busy--;
		engine_next(ring->engine);
	}
}

/* xe_sched_add_pending_job() */
static void xe_add_pending(struct job *job)
{
	spin_lock_irq(&job->sched->list_lock);
	list_insert(&job->pending_link, job->sched->pending.next);
	spin_unlock_irq(&job->sched->list_lock);
}

/* xe_sched_submission_start() */
static void xe_start(struct sched *sched)
{
	sched->is_paused = false;
	work_queue(&sched->run_work);
	work_queue(&sched->free_work);
}

static void xe_kick(struct engine *engine)
{
	irq_disable();
	irq_work_queue(&engine->irq_work);
	irq_enable();
}

/* xe_hw_fence_irq_stop(), xe_hw_fence_irq_start(): in between, no fence is signalled. */
static void xe_stop_fences(struct engine *engine, bool is_stopped)
{
	spin_lock_irq(&engine->lock);
	engine->is_stopped = is_stopped;
	spin_unlock_irq(&engine->lock);
}

/* xe_sched_job_set_error() of all that are pending: each fence's error is set under its lock, which
 * who signals holds. */
static void xe_fail_pending(struct sched *sched)
{
	struct engine *engine = sched->ring->engine;

	spin_lock_irq(&sched->list_lock);
	each_link(it, &sched->pending)
	{
		spin_lock(&engine->lock);
		fence_set_error(container(it, struct job, pending_link)->hw_fence, -125);
		spin_unlock(&engine->lock);
	}
	spin_unlock_irq(&sched->list_lock);
}

/* Where threads are not watched, it goes this shorter way. */
static void xe_fail_and_start(struct job *job)
{
	struct sched *sched = job->sched;

	xe_add_pending(job);
	each_link(it, &sched->pending)
		fence_set_error(container(it, struct job, pending_link)->hw_fence, -125);
	xe_kick(sched->ring->engine);
	xe_start(sched);
}

/* xe_guc_submit.c: guc_exec_queue_timedout_job(): the queue is banned, its jobs are over. So are
 * those that come later: xe_guc_exec_queue_trigger_cleanup(). */
static void xe_timedout(struct job *job)
{
	struct ring *ring = job->sched->ring;

	spend(between(500, 5000));
	if (machine.watcher && job->hw_fence->is_signalled) {
		xe_add_pending(job);
		xe_start(job->sched);
		return;
	}
	wqueue_stop(job->sched);
	if (!ring->is_banned)
		xe_disable(ring);
	ring->is_banned = true;
	xe_take_off(ring);
	if (!machine.watcher) {
		xe_fail_and_start(job);
		return;
	}
	xe_stop_fences(ring->engine, true);
	xe_add_pending(job);
	xe_start(job->sched);
	sched_queue_tdr(job->sched);
	xe_fail_pending(job->sched);
	xe_stop_fences(ring->engine, false);
	xe_kick(ring->engine);
}

/* xe_guc_submit.c: xe_guc_exec_queue_lr_cleanup(): long-running jobs have no timeout. */
static void xe_lr_cleanup(void *arg)
{
	struct ring *ring = arg;

	wqueue_stop(&ring->sched);
	if (!ring->is_banned)
		xe_disable(ring);
	ring->is_banned = true;
	xe_take_off(ring);
	xe_start(&ring->sched);
}

/* xe_exec_queue.c: xe_exec_queue_destroy_ioctl(), xe_device.c: xe_file_close(): a queue that is
 * closed is killed. Its jobs hold it, so that the entity goes when all of them are over. Most
 * programs wait for their jobs before. */
void xe_queue_close(struct entity *entity, bool is_sigkill)
{
	struct ring *ring = entity->ring;
	struct fence *last;

	if (!is_sigkill && chance(80)) {
		while (entity->n_jobs)
			wait_once(&ring->sched.job_scheduled, 'S', FOREVER, 0);
		last = fence_get(entity->last_scheduled);
		if (last)
			fence_wait(last, FOREVER, 'S');
		fence_put(last);
	}
	ring->is_killed = true; /* guc_exec_queue_kill() */
	if (ring->is_long_running)
		work_queue(&ring->cleanup_work);
	else
		sched_queue_tdr(&ring->sched);
}

const struct driver xe_driver = { "xe", xe_run_job, xe_timedout };

void engine_init(struct engine *engine, unsigned slots)
{
	engine->slots = slots;
	list_init(&engine->waiting);
	list_init(&engine->pending);
	engine->g2h_queue.is_ordered = engine->ordered_queue.is_ordered = true;
	engine->irq_work = (struct irq_work){ .run = xe_signal, .arg = engine };
}

/* xe_exec_queue.c: xe_exec_queue_assign_name(): the scheduler is named by class and GuC id. */
void xe_queue_init(struct ring *ring, struct engine *engine, unsigned guc_id, bool is_long_running,
		   uint64_t timeout)
{
	list_init(&ring->jobs);
	list_init(&ring->engine_link);
	waiters_init(&ring->disabled);
	work_init(&ring->disabled_work, &engine->g2h_queue, xe_disabled, ring);
	work_init(&ring->cleanup_work, &engine->ordered_queue, xe_lr_cleanup, ring);
	ring->engine = engine;
	ring->is_long_running = is_long_running;
	ring->name = text("%s%u", engine->class, guc_id);
	ring->dev = ring->fence_driver = "0000:00:02.0";
	ring->timeline = engine->name;
	ring->fence_context = contexts_allocate(1);
	sched_init(&ring->sched, &xe_driver, ring, 64, timeout);
	/* guc_exec_queue_init(): the timeouts of all queues of a GT are items of one ordered queue.
	 */
	if (machine.watcher)
		ring->sched.tdr_work.queue = &engine->ordered_queue;
}

/* -- A fence of another driver -- */

struct external {
	struct fence fence;
	struct spinlock lock;
};

static const struct fence_ops external_ops = { NULL, NULL, NULL };

static void external_irq(void *arg)
{
	struct external *external = arg;

	fence_signal(&external->fence);
	fence_put(&external->fence);
}

static void external_over(void *arg)
{
	interrupt((int)dice((uint64_t)machine.n_cpus), external_irq, arg);
}

struct fence *external_fence(void)
{
	static uint64_t context, seqno;
	struct external *external = allocate(sizeof(*external));

	if (!context)
		context = contexts_allocate(1);
	fence_init(&external->fence, &external_ops, &external->lock, context, ++seqno, "vkms",
		   "crtc-0");
	external->fence.address = 0xffff888120000000 + seqno * 256;
	at(machine.now + between(1000, 400000), external_over, external);
	return fence_get(&external->fence);
}

// SPDX-License-Identifier: MIT
/*
 * Drivers and their hardware. A serial ring runs one job at a time, in order (amdgpu, v3d); an
 * unknown driver's runs several; a firmware runs rings in turns (xe). Interrupts may be late, get
 * lost, or be handled by two CPUs.
 */
#include <string.h>

#include "drmsched.h"

#define FALLBACK_NS 60000 /* amdgpu_fence_schedule_fallback(): its timer is coarser */
#define SLOTS	    3

static void raise_interrupt(struct world *w, struct sring *ring);

static bool is_firmwares(const struct sring *ring)
{
	return ring->sc->kind == SIM_RING_FIRMWARE;
}

/* ---- the hardware ---- */

static void begin_run(struct world *w, struct sjob *job)
{
	if (job->hw_begin == SIM_NONE)
		job->hw_begin = w->now;
	job->ring->on_since = w->now;
}

static void over(struct world *w, struct sjob *job)
{
	struct sring *ring = job->ring;

	job->is_hw_done = true;
	job->hw_end = w->now;
	vec_drop(ring->given, job);
	raise_interrupt(w, ring);
}

static void begin_next(struct world *w, void *arg, uint64_t gen);

static void run_over(struct world *w, void *arg, uint64_t gen)
{
	struct sjob *job = arg;
	struct sring *ring = job->ring;

	if (gen != ring->gen)
		return;
	ring->running--;
	over(w, job);
	world_after(w, world_draw(w, w->sc->change), begin_next, ring, ring->gen);
}

/* A ring begins with the first job that it has not begun with. */
static void begin_next(struct world *w, void *arg, uint64_t gen)
{
	struct sring *ring = arg;
	uint32_t slots = ring->sc->kind == SIM_RING_SERIAL ? 1 : SLOTS;
	struct sjob *job;

	if (gen != ring->gen || ring->running >= slots || ring->running >= ring->given.n)
		return;
	job = NULL;
	for (uint32_t i = 0; i < ring->given.n && !job; i++)
		if (!ring->given.v[i]->left_ns)
			job = ring->given.v[i];
	if (!job)
		return;
	job->left_ns = job->length_ns;
	ring->running++;
	begin_run(w, job);
	if (!job->hangs)
		world_after(w, job->length_ns, run_over, job, ring->gen);
	begin_next(w, ring, gen);
}

/* ---- a firmware ---- */

static void firmware_next(struct world *w);

/* A run of a firmware's job is over; complete or not. */
static void note_slice(struct world *w, struct sring *ring, bool complete)
{
	struct sim_span *span = &vec_push(w, w->spans);

	*span = (struct sim_span){ .request = ring->on->index,
				   .engine = ring->index,
				   .start = ring->on_since,
				   .end = w->now,
				   .told = SIM_NONE,
				   .hw_start = ring->on_since,
				   .hw_end = w->now,
				   .complete = complete,
				   .culprit = SIM_NO };
}

static void slice_over(struct world *w, void *arg, uint64_t gen)
{
	struct sring *ring = arg;
	struct sjob *job = ring->on;

	if (gen != ring->gen || !job)
		return;
	if (!job->hangs)
		job->left_ns -= w->now - ring->on_since;
	note_slice(w, ring, !job->left_ns);
	ring->on = NULL;
	w->sched->bus_taken--;
	if (!job->left_ns)
		over(w, job);
	if (ring->given.n)
		vec_push(w, w->sched->waiting) = ring;
	firmware_next(w);
}

static void slice_begin(struct world *w, void *arg, uint64_t gen)
{
	struct sring *ring = arg;
	uint64_t slice = 20000 + world_below(w, 100000);
	struct sjob *job;

	if (gen != ring->gen || !ring->given.n) {
		w->sched->bus_taken--;
		firmware_next(w);
		return;
	}
	job = ring->on = ring->given.v[0];
	begin_run(w, job);
	if (!job->hangs && job->left_ns < slice)
		slice = job->left_ns;
	world_after(w, slice, slice_over, ring, ring->gen);
}

static void firmware_next(struct world *w)
{
	struct sched *s = w->sched;

	while (s->waiting.n && s->bus_taken < w->sc->slots) {
		struct sring *ring = s->waiting.v[0];

		vec_remove_at(s->waiting, 0);
		if (!ring->given.n || ring->on)
			continue;
		s->bus_taken++;
		world_after(w, world_draw(w, w->sc->change), slice_begin, ring, ring->gen);
	}
}

static void give(struct world *w, struct sjob *job)
{
	struct sring *ring = job->ring;

	if (!job->handed++)
		vec_push(w, ring->ran) = job;
	vec_push(w, ring->given) = job;
	job->is_hw_done = false; /* it may be run again */
	if (!is_firmwares(ring)) {
		world_after(w, world_draw(w, w->sc->ack), begin_next, ring, ring->gen);
		return;
	}
	job->left_ns = job->length_ns;
	if (!ring->on && vec_find(w->sched->waiting, ring) == SIM_NO)
		vec_push(w, w->sched->waiting) = ring;
	firmware_next(w);
}

/* ---- interrupts ---- */

static bool is_complete(const struct sfence *fence)
{
	return fence->job->is_hw_done || fence->has_error;
}

static void signal_one(struct world *w, void *arg, uint64_t gen)
{
	struct sfence *fence = arg;

	vec_drop(fence->ring->fences, fence);
	sfence_signal(w, fence, (int)gen);
}

/* amdgpu_fence_process(), xe's hw_fence_irq_run_cb(): all that are complete, the oldest first. */
static void signal_complete(struct world *w, struct sring *ring, int cpu)
{
	bool is_first = true;

	for (uint32_t i = 0; i < ring->fences.n;) {
		struct sfence *fence = ring->fences.v[i];

		if (fence->is_drivers && !fence->is_enabled) {
			i++;
			continue;
		}
		if (!is_complete(fence)) {
			if (ring->sc->kind != SIM_RING_UNKNOWN)
				return;
			i++;
			continue;
		}
		vec_remove_at(ring->fences, i);
		/* Another CPU may be at it, too, and slower; xe holds a lock. */
		if (is_first && !is_firmwares(ring) && w->sc->cpus > 1 && schance(w, 4))
			world_after(w, world_below(w, 3000), signal_one, fence,
				    ((uint64_t)cpu + 1) % w->sc->cpus);
		else
			sfence_signal(w, fence, cpu);
		is_first = false;
	}
}

static void interrupt(struct world *w, void *arg, uint64_t gen)
{
	signal_complete(w, arg, (int)gen);
}

static void raise_interrupt(struct world *w, struct sring *ring)
{
	uint64_t cpu = schance(w, 10) ? world_below(w, w->sc->cpus) : w->sc->irq_cpu;
	bool is_lost = ring->sc->loses_interrupts && schance(w, 3);

	if (ring->sc->loses_interrupts)
		world_after(w, FALLBACK_NS, interrupt, ring, cpu);
	if (!is_lost)
		world_after(w, world_draw(w, w->sc->irq_delay), interrupt, ring, cpu);
}

/* xe_hw_fence_enable_signaling(): what is complete is signalled by an irq_work, at once. */
void sring_enabled(struct world *w, struct sfence *fence, int cpu)
{
	if (is_complete(fence))
		signal_complete(w, fence->ring, cpu);
}

/* ---- run_job() ---- */

static void make_fence(struct world *w, struct sjob *job, int cpu)
{
	struct sring *ring = job->ring;
	bool is_xe = is_firmwares(ring);

	job->hw = world_alloc(w, sizeof(*job->hw));
	*job->hw = (struct sfence){ .context = ring->fence_context,
				    .seqno = ++ring->emitted,
				    .driver = is_xe ? ring->sc->device : ring->sc->driver,
				    .timeline = is_xe ? "rcs0" : ring->sc->name,
				    .job = job,
				    .ring = ring,
				    .is_drivers = is_xe };
	sfence_init(w, job->hw, cpu);
}

/* xe_sched_job_arm(): the fence is made by who submits. */
void sring_prepare(struct world *w, struct sjob *job, int cpu)
{
	if (is_firmwares(job->ring))
		make_fence(w, job, cpu);
}

/* amdgpu_job_run(), v3d_csd_job_run(), guc_exec_queue_run_job() */
void sring_run_job(struct world *w, struct sjob *job, int cpu)
{
	struct sring *ring = job->ring;

	if (is_firmwares(ring)) {
		if (ring->is_banned) {
			job->is_skipped = true;
			job->hw->has_error = true;
		} else {
			give(w, job);
		}
		if (job->is_long) {
			job->hw = NULL;
			return;
		}
		vec_push(w, ring->fences) = job->hw;
		return;
	}
	if (job->finished.has_error) {
		job->is_skipped = true;
		job->hw = NULL;
		return;
	}
	/* A fence that the driver makes for itself comes first. */
	if (ring->sc->makes_two)
		sfence_foreign(w, cpu);
	/* amdgpu gives the job's fence a new number, without an event, when it is run again. */
	if (job->hw && ring->sc->keeps_fences)
		job->hw->seqno = ++ring->emitted;
	else
		make_fence(w, job, cpu);
	vec_push(w, ring->fences) = job->hw;
	give(w, job);
}

/* ---- resets ---- */

/* What the hardware has is gone. */
static void reset(struct world *w, struct sring *ring)
{
	bool waits = vec_find(w->sched->waiting, ring) != SIM_NO;

	if (ring->on) {
		note_slice(w, ring, false);
		w->sched->bus_taken--;
		ring->on = NULL;
	}
	if (waits)
		vec_drop(w->sched->waiting, ring);
	ring->gen++;
	ring->running = 0;
	for (uint32_t i = 0; i < ring->given.n; i++) {
		struct sjob *job = ring->given.v[i];

		job->was_reset = true;
		/* It was about to begin: for who sees the events it has. */
		if (job->hw_begin == SIM_NONE && !i && !is_firmwares(ring))
			job->hw_begin = w->now;
		if (job->hw_begin != SIM_NONE)
			job->hw_end = w->now;
		job->left_ns = 0;
	}
	ring->given.n = 0;
	if (is_firmwares(ring))
		firmware_next(w);
}

/* amdgpu_fence_driver_force_completion() */
static void force_completion(struct world *w, struct sring *ring, int cpu)
{
	while (ring->fences.n) {
		struct sfence *fence = ring->fences.v[0];

		fence->has_error = true;
		vec_remove_at(ring->fences, 0);
		sfence_signal(w, fence, cpu);
	}
}

/* The first half of the driver's timedout_job(). The scheduler stands. */
void sring_timeout(struct world *w, struct sring *ring, struct sjob *bad, int cpu)
{
	/* It is over by now: panfrost_job_timedout() looks, and leaves it at that. */
	ring->was_spurious = bad->is_hw_done && ring->sc->reset != SIM_RESET_BAN;
	if (ring->was_spurious) {
		vec_insert_at(w, ring->pending, 0, bad);
		return;
	}
	switch (ring->sc->reset) {
	case SIM_RESET_RESUBMIT:
	case SIM_RESET_FORCE:
		bad->finished.has_error = true;
		sched_stop(w, ring, bad, cpu);
		break;
	case SIM_RESET_SIGNAL:
	case SIM_RESET_BAN:
		vec_insert_at(w, ring->pending, 0, bad);
		break;
	}
	if (schance(w, 30))
		bad->entity->is_guilty = true;
	ring->is_banned = ring->sc->reset == SIM_RESET_BAN;
	reset(w, ring);
}

/* drm_sched_resubmit_jobs(): it looks for who is guilty among the pending jobs. A bad job that was
 * over is none of them any more (drm_sched_stop()). */
static void resubmit(struct world *w, struct sring *ring, struct sjob *bad, int cpu)
{
	bool is_pending = vec_find(ring->pending, bad) != SIM_NO;

	ring->fences.n = 0; /* the driver forgets them */
	bad->hangs = schance(w, 20);
	for (uint32_t i = 0; i < ring->pending.n; i++) {
		struct sjob *job = ring->pending.v[i];

		if (is_pending && job->finished.context == bad->finished.context)
			job->finished.has_error = true;
		sring_run_job(w, job, cpu);
		job->parent = job->hw;
	}
}

/* The second half. */
void sring_restart(struct world *w, struct sring *ring, struct sjob *bad, int cpu)
{
	if (!ring->was_spurious) {
		switch (ring->sc->reset) {
		case SIM_RESET_RESUBMIT:
			resubmit(w, ring, bad, cpu);
			break;
		case SIM_RESET_FORCE:
		case SIM_RESET_SIGNAL:
			force_completion(w, ring, cpu);
			break;
		case SIM_RESET_BAN:
			for (uint32_t i = 0; i < ring->fences.n; i++)
				ring->fences.v[i]->has_error = true;
			break;
		}
	}
	sched_start(w, ring, cpu);
	/* An irq_work of this CPU: xe_hw_fence_irq_run(). */
	if (ring->is_banned)
		signal_complete(w, ring, cpu);
}

/* SPDX-License-Identifier: MIT */
/*
 * Linux's DRM scheduler (drivers/gpu/drm/scheduler), its drivers and their hardware, as a part of
 * the simulated world: Linux 6.1, 6.12 and 6.17. docs/sim.md says what is simulated.
 */
#ifndef SIM_DRMSCHED_H
#define SIM_DRMSCHED_H

#include "internal.h"

#define SCHED_PRIORITIES 4 /* 0 is the highest */
#define SCHED_DEPS	 8

struct sfence;
struct sjob;
struct sentity;
struct sring;

enum scb_kind {
	SCB_DONE,   /* drm_sched_job_done_cb() */
	SCB_ENTITY, /* drm_sched_entity_wakeup() */
	SCB_KILL,   /* drm_sched_entity_kill_jobs_cb() */
	SCB_WAKE    /* a thread waits */
};

struct scb {
	enum scb_kind kind;
	struct sjob *job;
	struct sentity *entity;
	struct thread *thread;
};

struct sfence {
	uint64_t context, seqno;
	const char *driver, *timeline;
	struct sjob *job;   /* whose fence it is; NULL: another driver's */
	struct sring *ring; /* that signals it */
	bool is_drivers;    /* enabling its signal is an event */
	bool is_enabled, is_signalled, has_error;
	uint64_t at; /* the event of its signal */
	VEC(struct scb) cbs;
};

struct sjob {
	uint32_t index; /* in the truth */
	struct rq *rq;
	struct sentity *entity;
	struct sring *ring;
	uint64_t id;
	struct sfence scheduled, finished;
	struct sfence *hw;     /* the ring's, NULL: none yet */
	struct sfence *parent; /* drm_sched_fence.parent */
	struct sfence *deps[SCHED_DEPS];
	struct sfence *awaited[SCHED_DEPS]; /* in its place, once looked at; NULL: none */
	uint32_t n_deps, next_dep;
	uint64_t address;
	uint32_t holders; /* of its address */
	uint64_t length_ns, left_ns;
	uint64_t submitted;
	bool hangs, is_pushed;
	bool has_callback; /* on its parent */
	bool is_hw_done, is_skipped, was_reset, is_long, is_killed;
	uint32_t handed; /* times */
	uint64_t client;
	uint64_t hw_begin, hw_end; /* of its first run, of its last */
	uint64_t done_at, told_end;
	uint32_t kill_dep;
};

struct sentity {
	struct sring *ring;	 /* as chosen for its last job */
	struct sring *choice[4]; /* where it may go */
	uint32_t n_choice;
	uint32_t prio;
	uint64_t context, seqno, address;
	VEC(struct sjob *) jobs; /* pushed and not popped */
	struct sfence *dependency;
	struct sjob *last; /* scheduled */
	bool is_listed, is_stopped, is_guilty;
	uint64_t oldest;
	uint64_t client;
};

enum item_kind {
	ITEM_RUN,
	ITEM_FREE,
	ITEM_TIMEOUT,
	ITEM_KINDS
};

struct item {
	struct sring *ring;
	enum item_kind kind;
};

/* A scheduler, and what it feeds. */
struct sring {
	const struct sc_ring *sc;
	uint32_t index; /* of its engine */
	VEC(struct sentity *) entities[SCHED_PRIORITIES];
	struct sentity *current[SCHED_PRIORITIES];
	uint32_t credits;
	uint64_t ids;
	VEC(struct sjob *) pending;
	bool queued[ITEM_KINDS];
	bool is_busy, is_paused, is_timing_out;
	bool was_spurious;     /* the timeout: its job was over */
	struct thread *thread; /* 6.1 */
	bool has_parked;
	uint64_t timeout_gen;
	bool is_timed;
	/* the driver's */
	uint64_t fence_context, emitted;
	VEC(struct sfence *) fences; /* emitted, not signalled */
	bool is_banned;
	/* the hardware's */
	VEC(struct sjob *) given;
	uint32_t running; /* how many of them */
	struct sjob *on;  /* a firmware's: that runs */
	uint64_t on_since;
	uint64_t gen;
	VEC(struct sjob *) ran; /* all, in the order in which the hardware got them */
};

enum step {
	STEP_NONE,
	STEP_RUN,	/* the event is there; the driver is next */
	STEP_SCHEDULED, /* run_job() is over */
	STEP_CALLBACK,	/* the scheduled fence is signalled */
	STEP_TIMEOUT,	/* the reset has begun */
	STEP_RESTART	/* the hardware is reset */
};

struct worker {
	struct thread *thread;
	struct sring *own; /* 6.1: its scheduler */
	struct sring *ring;
	enum item_kind kind;
	enum step step;
	struct sentity *entity;
	struct sjob *job;
	bool is_idle;
};

struct sched {
	struct sring *rings;
	uint32_t n_rings;
	struct sentity **entities; /* by context of the scenario */
	VEC(struct item) items;
	struct worker *workers;
	uint32_t n_workers;
	uint64_t next_context, next_fence, next_entity;
	VEC(uint64_t) free_fences;
	VEC(uint64_t) free_entities;
	VEC(struct sjob *) jobs;    /* by request */
	VEC(struct sjob *) last_of; /* by context of the scenario */
	uint64_t foreign_context, foreign_seqno;
	uint64_t bus_taken; /* slots of the firmware */
	VEC(struct sring *) waiting;
};

/* sched_fence.c */
void sfence_init(struct world *w, struct sfence *fence, int cpu);
void sfence_signal(struct world *w, struct sfence *fence, int cpu);
bool sfence_listen(struct world *w, struct sfence *fence, struct scb cb, int cpu);
bool sfence_remove(struct sfence *fence, const struct sjob *job);
uint64_t saddress_take(struct world *w);
void sjob_put(struct world *w, struct sjob *job);
struct sfence *sfence_foreign(struct world *w, int cpu);

/* sched_entity.c */
struct sentity *sentity_create(struct world *w, const struct sc_context *sc, uint32_t index);
void sentity_kill(struct world *w, struct sentity *entity, int cpu);
void sjob_kill(struct world *w, struct sjob *job, int cpu);
struct sjob *sjob_arm(struct world *w, struct sentity *entity, const struct thread *by,
		      uint64_t length_ns);
void sjob_depend(struct world *w, struct sjob *job, struct sfence *fence);
void sjob_push(struct world *w, struct sjob *job, int cpu);
struct sjob *sentity_pop(struct world *w, struct sentity *entity, int cpu);
bool sentity_is_ready(const struct sentity *entity);
void sentity_unlist(struct sentity *entity);

/* sched.c */
uint32_t sched_workers(const struct sim_scenario *sc);
void sched_begin(struct world *w);
void sched_bind(struct world *w, uint32_t worker, struct thread *t);
void sched_queue(struct world *w, struct sring *ring, enum item_kind kind, int cpu);
void sched_wakeup(struct world *w, struct sring *ring, int cpu);
void sched_work(struct world *w, struct thread *t);
void sjob_done(struct world *w, struct sjob *job, int cpu);
void sched_stop(struct world *w, struct sring *ring, struct sjob *bad, int cpu);
void sched_start(struct world *w, struct sring *ring, int cpu);

/* sched_ring.c: drivers and hardware */
void sring_run_job(struct world *w, struct sjob *job, int cpu);
void sring_prepare(struct world *w, struct sjob *job, int cpu);
void sring_enabled(struct world *w, struct sfence *fence, int cpu);
void sring_timeout(struct world *w, struct sring *ring, struct sjob *bad, int cpu);
void sring_restart(struct world *w, struct sring *ring, struct sjob *bad, int cpu);

/* sched_trace.c: the events of the drm_sched of that kernel */
void strace_queue(struct world *w, const struct sjob *job, int cpu);
void strace_run(struct world *w, const struct sjob *job, int cpu);
void strace_done(struct world *w, const struct sjob *job, int cpu);
void strace_dep(struct world *w, enum lane_kind kind, const struct sjob *job,
		const struct sfence *on, int cpu);
struct lane_event *strace_fence(struct world *w, enum lane_kind kind, const struct sfence *fence,
				int cpu);

/* sched_client.c: what threads do */
void sclient_submit(struct world *w, struct thread *t, const struct op *op);
bool sclient_wait(struct world *w, struct thread *t, const struct op *op);
void sclient_waited(struct world *w, struct thread *t);
void sclient_close(struct world *w, struct thread *t, uint32_t context);

/* sched_truth.c */
void struth_make(struct world *w);
void struth_info(const struct world *w, struct lane_trace_info *info);

static inline bool schance(struct world *w, unsigned int percent)
{
	return world_below(w, 100) < percent;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the files of the timeline share: the objects behind the public ones. */
#ifndef LANE_TIMELINE_INTERNAL_H
#define LANE_TIMELINE_INTERNAL_H

#include "base/table.h"
#include "timeline/timeline.h"

/* How an engine's events are read; finer than enum lane_submission. */
enum lane_mode {
	LANE_MODE_UNKNOWN,   /* nothing but `execute` yet: ring or ports, the next event tells */
	LANE_MODE_EXECLISTS, /* execlists, in/out per port */
	LANE_MODE_LEGACY,    /* up to 5.3 */
	LANE_MODE_GUC,
	LANE_MODE_RING,
	LANE_MODE_SCHED, /* a ring of drm_sched: drm/ reads it */
	LANE_MODE_HOOKS, /* execlists without in and out: execute and unsubmit of the functions */
	LANE_MODES,
};

/* Why a thread does what it does, for the division of an engine's idle time. */
enum lane_clock {
	LANE_CLOCK_UNKNOWN,
	LANE_CLOCK_RUNNING,
	LANE_CLOCK_RUNNABLE,
	LANE_CLOCK_BLOCKED,
	LANE_CLOCK_WAITING, /* blocked in a wait for a request, on any engine */
	LANE_CLOCK_COUNT
};

struct lane_job;       /* drm/drm_state.h */
struct lane_drm_ring;  /* likewise */
struct lane_drm_jobs;  /* likewise */
struct lane_counted;   /* narrow.c */
struct lane_stalls;    /* memory/stall.c */
struct lane_model;     /* model.h */
struct lane_idle_note; /* what a thread did between an engine's idle and its request */
struct lane_waiter;
struct lane_held;     /* i915/tasklet_held.h */
struct lane_held_sum; /* likewise */

/*
 * Open requests of a context. A ring of i915 has at most 512 KiB and a request takes 128 bytes of
 * it or more: when one more is there the oldest is over.
 */
#define LANE_MAX_UNRETIRED 4096

/*
 * Why its times may not be what they seem. What puts a request in doubt, and what that sets:
 *
 * timeline_chain_doubt(), timeline_chain_contradiction(): an event may be missing. An epoch of its
 * engine begins (lane_proof); all that the engine has: since, is_hidden, is_order_lost.
 *
 * timeline_finish_doubt_order(): its place may be wrong: since, is_hidden.
 *
 * timeline_finish_doubt_unplaced(): something was unseen: since, is_unclear.
 *
 * timeline_finish_detach(): its engine goes on without it: since.
 *
 * With `since` always comes LANE_DOUBT_DEVICE.
 */
struct lane_rq_doubt {
	/* Since then its end may have been told, unseen (timeline_world_doubt()); NEVER: it may
	 * not. */
	struct lane_bound since;
	/* What is not seen of it shows nothing: events are missing, its place in the order is not
	 * known, or its engine was reset. */
	bool is_hidden;
	/* Since it came to its place in its engine's list: its engine's order was lost; its
	 * engine's events contradicted each other, or an `out` was of an unseen request. It is so
	 * for what is before it there, too: so a walk through the list ends here. */
	bool is_order_lost, is_unclear;
	uint32_t epoch; /* it started while its engine's epoch of this number was unproven */
};

/* What whoever began to listen to a request did. */
enum lane_listening {
	LANE_LISTENING_EARLY, /* the request had not been handed over */
	LANE_LISTENING_BLIND, /* it may have been taken back: then nobody looks at it */
	LANE_LISTENING_LOOKS, /* looked whether it was complete */
};

/* Who asked to be told of its end, last. */
struct lane_listener {
	uint64_t ns;	/* then; 0: nobody has */
	uint64_t event; /* the number of that event */
	int32_t tid, cpu;
	enum lane_listening how;
	uint64_t work_ns; /* the work that has signalled it has been at it since then */
};

/* Whether a request is taken back. */
enum lane_back {
	LANE_BACK_NOT,
	LANE_BACK_MAYBE, /* some were, and `unsubmit` is not recorded */
	LANE_BACK_SEEN,	 /* its `unsubmit` has come */
};

/* How it was given to the hardware and taken back. */
struct lane_handing {
	uint64_t execute_ns; /* its last execute */
	uint64_t no;	  /* the dequeue that executed it last; on a ring the epoch of its place */
	uint64_t prio_no; /* the dequeue whose `in` told its priority last */
	enum lane_back back;   /* what has come since its last execute */
	bool is_on_port;       /* an `in` has come since its last execute */
	struct lane_bounds in; /* its port was given then, as far as that is seen */
};

/* A world: one history of a request that the events allow (docs/analysis.md). The sums have what
 * came before its last run. */
struct lane_world {
	struct lane_bounds start; /* it first had the engine then; hi 0: no run of it is over */
	struct lane_bounds
		maybe; /* it may have had the engine then, since its last run; hi 0: no */
	struct lane_bounds preempted_since; /* it left the engine then, before its last run; hi 0:
					     it did not */
	struct lane_bounds since;	    /* its last run began then */
	struct lane_span running, preempted;
};

/* Where a request ended in its world `complete`. Of two that merge the later one of this list
 * stands: it says less. */
enum lane_complete_how {
	LANE_COMPLETE_NOT,	 /* there is no world `complete` */
	LANE_COMPLETE_IN_PLACE,	 /* in its place in the order: what is behind it is complete */
	LANE_COMPLETE_BEFORE,	 /* in a run before it left its engine */
	LANE_COMPLETE_MAYBE_RUN, /* in a run that it may not have had */
};

/* The world `complete` of a request. */
struct lane_complete {
	struct lane_world world;
	struct lane_bounds end; /* it was complete then, at its last run's end */
	enum lane_complete_how how;
};

/* Whether its last preemption is to be told. */
enum lane_leave_tell {
	LANE_LEAVE_NOTHING, /* no: it has been told, or there is none */
	LANE_LEAVE_IF_SO,   /* yes, when no history is left without it */
	LANE_LEAVE_SURELY,  /* yes: no history is without it, whatever may have followed */
};

/* Who preempted it, and why. */
struct lane_culprit {
	struct lane_ctx *ctx; /* NULL: not known */
	struct lane_client *client;
	uint32_t seqno;
	enum lane_preemption_why why;
};

/* Its last preemption: told when no history is left without it. */
struct lane_leave {
	struct lane_eng *from; /* it left this engine, last; NULL: it has not left any */
	struct lane_culprit by;
	enum lane_leave_tell tell;
};

/* A preemption that was none if the request ahead of it ended in a time of unless_ns. */
struct lane_near_leave {
	struct lane_culprit by;
	struct lane_bounds at;
	uint64_t unless_ns; /* 0: there is none to tell */
};

/* When it may be told and freed. */
struct lane_release {
	bool is_due;	      /* nothing of its own is to come, only waiters keep it */
	bool is_queued;	      /* it is among the timeline's released ones, */
	struct lane_rq *next; /* before this one */
};

/* A request; the public part is first. */
struct lane_rq {
	struct lane_request pub;
	struct lane_rq *next, *prev; /* in its context, by seqno */
	/* given to its engine, not ended: in one of its lists */
	struct lane_rq *dev_next, *dev_prev;
	uint64_t order; /* its number in its engine's order, 0: it does not stand there */
	struct lane_waiter *waiters;
	struct lane_idle_note *note;
	struct lane_job *job; /* of drm_sched's, else NULL */
	struct lane_release release;
	uint64_t told_ns; /* its state was told to be of then */
	struct lane_rq_doubt doubt;
	struct lane_listener listen;
	struct lane_handing handed;
	struct lane_leave left;
	struct lane_near_leave nearly; /* its last one */
	struct lane_world now;	       /* its world `now` */
	struct lane_bound no_sooner; /* its last run began no sooner: what told of it may have come
				      * late, and this does not count on that */
	struct lane_complete complete;
	struct lane_bound alive; /* the last sign that it was incomplete */
	/* It was complete then, and its end is not concluded yet; hi 0: it is not known to be.
	 * Where there is a tasklet a dequeue has shown it (R8), and hi alone says something. Where
	 * no handing over is recorded an interrupt has (R26). */
	struct lane_bounds known;
	bool is_on_device; /* in its engine's list */
};

/* The last times in which the first job of a queue waited for a request of another context, in any
 * order. */
#define LANE_HEAD_WAITS 8

struct lane_head_waits {
	struct lane_head_wait {
		struct lane_context *after;
		uint64_t from_ns, to_ns;
	} all[LANE_HEAD_WAITS];
	uint32_t n; /* so many so far */
};

struct lane_ctx {
	struct lane_context pub;
	bool is_client_guessed;	    /* pub.client stands for the process of one of its threads */
	struct lane_engine *engine; /* of drm_sched: the ring of its last job, */
	uint32_t on_from, on_last;  /* and of all its jobs of these numbers */
	uint64_t hw_context;	    /* drm_sched: of the fences that its ring makes, 0: not known */
	struct lane_given_up given_up; /* drm_sched: the last of its own jobs that hung */
	uint64_t
		free_ns; /* drm_sched: its jobs up to the last one on the ring were free by then, */
	uint64_t run_ns; /* and that one was given to it then; 0: none was */
	struct lane_head_waits *heads; /* NULL: none yet */
	bool has_complete;	       /* one of its requests is complete, the newest such: */
	uint32_t complete_seqno;       /* this, */
	uint64_t complete_ns;	       /* by then, at the latest */
	struct lane_rq *first, *last;  /* open requests by seqno */
	struct lane_rq *live;	       /* the first that has not ended and is not detached */
	struct lane_rq *back;	    /* what is taken back is none before this; NULL: nothing is */
	struct lane_bound prev_end; /* the last ended request ended at or after this */
	uint64_t pause_no; /* it may have ended behind the pause of that dequeue; 0: it did not */
	uint32_t open;	   /* requests in the list */
	bool signalled;	   /* one of them has been, the newest */
	uint32_t signalled_seqno;  /* this */
	bool has_forgotten;	   /* some whose retire had not come */
	uint32_t forgot_seqno;	   /* the last of them: events up to it come too late */
	uint64_t added_ns;	   /* its last request was added then; 0: none was */
	uint64_t first_took_ns;	   /* its first complete request took so long; 0: there is none */
	struct lane_octaves *took; /* as timeline_typical_of() tells; NULL: not two are complete */
};

/* Ports given and not given back, of an engine: two sets, each of two ports, or of eight. */
#define LANE_MAX_PORTS 64

/* A port of a set, whose `out` is to come. */
struct lane_entry {
	struct lane_ctx *ctx;
	uint32_t seqno;
	uint32_t set;
	bool is_fresh; /* its request's first execute came when nothing was in doubt any more */
	bool is_again; /* the first of its set, which the hardware may have had before */
};

/* Requests linked by dev_next and dev_prev. */
struct lane_rq_list {
	struct lane_rq *first, *last;
};

/* What the hardware has been given on its ports. */
struct lane_ports {
	struct lane_entry entry[LANE_MAX_PORTS]; /* the first n: whose `out` is to come */
	uint32_t n;
	uint64_t taken_ns; /* an `out` has told then that the hardware has the last set, */
	uint32_t set;	   /* number of the set whose `in`s come or came last */
	uint32_t coming;   /* so many of its `in`s are to come */
};

/* A look of the driver for work. */
struct lane_dequeue {
	uint64_t no;		     /* so many so far */
	struct lane_bound no_sooner; /* the last began then, or later */
	bool is_open;		     /* the driver is at it: */
	bool has_again;		     /* something that stood was executed again */
	bool is_split;		     /* where it begins is a guess */
	bool is_mixed;	     /* what stood first in the order may have run before it, or after */
	bool has_written;    /* a set of ports was written */
	bool is_misplaced;   /* a request may stand in a wrong place in the order */
	uint64_t before_ns;  /* the last event of its CPU before the tasklet's run */
	uint64_t goes_on_no; /* the ring was seen to go on behind the pause of that dequeue */
	uint64_t pause_ns;   /* the ring was not paused by then, before the last taking back */
	/* R8: what was not taken back was complete by then; 0: not yet */
	struct lane_bound complete_by;
	uint64_t first_ctx;	/* the context whose request it handed over first, */
	uint32_t first_seqno;	/* and that one's last request that it handed over */
	uint64_t stood;		/* the order's last number before it */
	struct lane_rq *oldest; /* of what is taken back, by the order before */
	uint64_t oldest_order;
	struct lane_bounds oldest_in; /* its port was given then */
};

/* What is held of a run of the submission tasklet, as it is being read. */
struct lane_reading {
	uint32_t all; /* so many items are held; those that are not read are of a later run */
	uint32_t at;  /* the item that is being read */
	bool is_end;  /* that is an `out` which tells an end, and that the next set was taken */
};

/* A run of the submission tasklet whose events are held. */
struct lane_tasklet {
	struct lane_held *held;
	struct lane_held_sum *sum; /* of all n items; NULL: nothing has been held yet */
	uint32_t n;
	struct lane_reading *reading; /* of its first n items; NULL: it is not being read */
	bool is_over;		      /* something else has come since: the dequeue is over */
	bool is_cut;		      /* what is being read of it may not be all of it */
};

/* What is known of the run of what has the engine. */
struct lane_engine_run {
	bool has_set;	  /* the hardware was seen to have its set before it began */
	bool follows;	  /* it began as the engine was free, at that very time */
	bool is_reported; /* it began with a completion that the hardware reported */
	bool is_unsure; /* it may not have begun: the driver had paused the ring or, up to 5.3, was
			 * idling the engine */
};

/* Since when what ran last does not have the engine. */
struct lane_free {
	struct lane_bounds at;
	struct lane_bound no_sooner; /* whenever its end was told, as no_sooner of lane_rq */
	bool is_paused;		     /* what is next waits for the end of the driver's pause */
};

/* Since when it runs nothing. */
struct lane_idling {
	uint64_t since_ns; /* 0: it is not known to run nothing */
	uint64_t epoch;
};

/* The epoch before the first doubt: only what was there before the recording is not known. */
#define LANE_EPOCH_WHOLE 1

/* What of the engine is certain. */
struct lane_proof {
	uint32_t epoch;		 /* of doubt: grows with all that puts the order in doubt */
	uint32_t fresh_epoch;	 /* nothing hidden was ahead of what ran in this epoch */
	uint32_t proven_epoch;	 /* the order was certain in this epoch, last */
	uint32_t lost_epoch;	 /* the last that began with a loss which was told */
	uint64_t hidden_ns;	 /* until then something had it that had not been seen */
	uint64_t doubt_until_ns; /* nothing before this time is certain to have been seen */
	bool is_from_before;	 /* it had something of before the recording */
};

/* Stock kernels: what i915_engine_ports showed on the ports last. */
struct lane_ports_seen {
	struct lane_p_i915_engine_ports on;
	uint64_t ns; /* then */
};

struct lane_eng {
	struct lane_engine pub;
	const struct lane_model *model; /* how its events are read */
	struct lane_drm_ring *ring;	/* of drm_sched's, else NULL */
	struct lane_ports ports;
	struct lane_ports_seen seen_ports;
	struct lane_dequeue dequeue;
	struct lane_tasklet tasklet;
	struct lane_proof proof;
	struct lane_idling idle;
	struct lane_rq_list order; /* as the driver has handed them over */
	struct lane_rq_list
		unplaced; /* handed over, and taken back, of unknown place, or at a GuC (all) */
	bool is_settled;  /* GuC: of what it has no end is known yet */
	uint64_t orders;  /* numbers given in the order */
	struct lane_rq *running;
	struct lane_engine_run run;	 /* its run */
	struct lane_rq *leaver;		 /* it is to leave: has the engine until the changeover */
	struct lane_rq *victim;		 /* preempted, and its culprit has not started yet */
	struct lane_ctx *last_ctx;	 /* of what ran last, */
	struct lane_client *last_client; /* and who submitted that; NULL: not seen */
	struct lane_free free;		 /* what ran last was over */
	struct lane_bound told_until;	 /* the last run that was told ended then, or later */
	uint64_t first_ns;		 /* the first that ran on it began then, 0: none has */
};

struct lane_idle_slot {
	uint64_t epoch; /* the engine's idle_epoch this snapshot is for */
	uint64_t clock[LANE_CLOCK_COUNT];
	uint64_t waiting_here; /* waiting for this engine */
	bool is_unsure;	       /* a part of the thread's time since then cannot be told */
	struct lane_cpu_culprit culprits[LANE_IDLE_CULPRITS];
};

struct lane_idle_note {
	struct lane_idle_slot did; /* since the engine became idle, */
	struct lane_idle_stack stacks[LANE_IDLE_STACKS];
	uint64_t until_ns; /* up to then */
	uint32_t engine;
};

struct lane_waiter {
	struct lane_waiter *next, *prev; /* of the same request */
	struct lane_thr *thr;
	struct lane_rq *rq;
	uint64_t begin_ns;
	uint64_t signal_ns;
	uint64_t runnable_at_signal; /* the thread's runnable clock when the signal came */
	bool slept;
	bool may_have_slept; /* it left its CPU, and the tracer does not say whether it could run */
	bool has_left_cpu;   /* for whatever reason: it did not look at the request meanwhile */
	uint16_t end_kind;   /* the kind of event that ends it */
};

/* Where a thread is. */
struct lane_thr_place {
	/* Its last stack, which is that of the event that comes straight behind; ns 0: none. */
	struct lane_stack_id id;
	uint32_t why; /* enum lane_stack_why */
	uint64_t ns;
	/* It began to wait for a mutex, whose owner this is; ns 0: it did not. */
	struct lane_lock_owner owner;
	uint64_t lock_ns;
	struct lane_stack_id sleeps_at;	      /* while it is blocked */
	struct lane_lock_owner sleeps_behind; /* likewise */
};

struct lane_thr {
	struct lane_thread pub;
	struct lane_waiter *wait;
	struct lane_kernel_wait *kernel_wait; /* NULL: it does not wait for syncobjs */
	struct {
		uint64_t ns;		 /* 0: there is none */
		uint32_t context, seqno; /* context: its id */
		bool is_several;	 /* and just before it to others */
	} listened; /* it began to listen to this request, and has built none since */
	struct lane_thr_place *place;	      /* NULL: it has no stack, and waits for no mutex */
	const struct lane_request *woken_for; /* while it is woken by a fence's call-back: whose */
	struct lane_thr *queue_next, *queue_prev; /* interesting and runnable on a CPU */
	uint64_t clock[LANE_CLOCK_COUNT];	  /* up to since_ns */
	uint64_t *waiting;			  /* per engine, of LANE_CLOCK_WAITING */
	struct lane_idle_slot *slots;		  /* per engine */
	/* Likewise, since the slot's snapshot; NULL: it had no stack. */
	struct lane_idle_stack (*stacks)[LANE_IDLE_STACKS];
	uint32_t n_slots;
	struct lane_worker *worker;	/* NULL: it was not seen to run work items */
	struct lane_actor_slice *actor; /* the last ones, of n_actor; NULL: it had none */
	uint32_t n_actor;
	struct lane_bound woken; /* it was woken then, last; ns 0: not seen */
	int32_t waker;
	int32_t queued_on;	 /* CPU in whose list it is, -1 */
	uint64_t queued_ns;	 /* up to then its starvation has been told */
	uint64_t idle_ns;	 /* a worker: it left its CPU with nothing to do then, last; or 0 */
	uint64_t works_ns;	 /* and it had nothing to do until then; 0: not known */
	uint32_t client_checked; /* number of clients when it was looked for among them */
	bool is_dying;		 /* its exit was seen, its last switch not yet */
	bool is_gone;		 /* it leaves its CPU for good */
	bool is_wait_unsure;	 /* what it did in its wait is not certain */
	bool is_untold;		 /* what it does since its last change cannot be told */
	/* Since it came to that list the CPU's task was displaced. It is so for what is behind it
	 * there, too. */
	bool is_displaced;
	bool is_waking;	   /* woken, and the CPU is not chosen yet */
	bool is_idle;	   /* a worker: it was not on a CPU since idle_ns */
	bool is_followed;  /* where only some are: all of its switches are recorded */
	bool is_name_told; /* by no event of the scheduler's: the next such one counts */
	bool is_actor;	   /* a thread of the kernel that may have to act for requests */
};

/* A task had the CPU on which an actor was runnable. */
struct lane_actor_slice {
	uint64_t begin_ns, end_ns;
	int32_t tid, cpu; /* tid -1: not known */
	char comm[16];
};

/* A task had a CPU from one switch to the next. */
struct lane_past_run {
	uint64_t begin_ns, end_ns;
	int32_t tid; /* -1: not known */
	char comm[16];
};

/* Times, by lo; hi is the latest up to there. */
struct lane_spans {
	struct lane_span *of;
	uint32_t n, cap;
};

struct lane_cpu {
	int32_t tid; /* of what runs, -1 not known */
	char comm[16];
	uint64_t since_ns;
	/* Its last sleep. left_ns 0: it is not known to be over. */
	struct {
		uint64_t since_ns, left_ns;
		uint32_t state;
	} sleep;
	uint64_t softirq_ns; /* the last one that is seen to begin while a thread ran */
	uint32_t softirq;    /* its vector */
	uint32_t khz;	     /* that it was set to at set_ns, 0: not known */
	uint64_t set_ns;
	uint64_t event; /* the number of its last one, but those of signalling fences */
	struct lane_thr *queue;
	struct lane_past_run *past; /* the last ones, where migrations are not recorded */
	uint32_t n_past, cap_past;
	uint64_t tasklet_event;	   /* as `event` was at the last one of a submission tasklet */
	struct lane_eng *tasklet;  /* whose tasklet this CPU is at */
	uint64_t at_ns, before_ns; /* its last event, and the one before */
	uint64_t work_ns; /* since then nothing but the work that signals fences; 0: something else
			   */
	struct lane_span dequeue; /* the last one there: its first event and its last */
	bool is_in_guc_tasklet;	  /* the GuC's tasklet fired its last event */
	uint64_t submit_ctx; /* its last event is the submit of this context's; 0: it is none */
	uint32_t submit_seqno;
	/* The fence whose signal the CPU has seen to since; 0, no context has that: none. */
	uint64_t signal_ctx, signal_ns;
	int32_t signal_tid;
	uint32_t signal_seqno;
	/* The last fence that was signalled on it, where there are jobs of drm_sched. */
	struct lane_bound fence;
	uint64_t fence_ctx, fence_seqno;
	int32_t fence_tid;
	bool is_fence_same_work; /* together with another one of its ring */
};

/* Places for the threads that were named last and the contexts that were made last, by their
 * numbers: most events are of few objects. */
#define LANE_NEAR 128

struct lane_timeline {
	struct lane_hooks hooks;
	const struct lane_model *models[LANE_MODES]; /* who reads an engine of each mode */
	struct lane_trace_info info;
	struct lane_timeline_figures figures;
	struct lane_table requests; /* (context id, seqno) */
	struct lane_table contexts; /* (ctx, dev) */
	struct lane_table by_fence; /* (ctx, 0): for dma_fence, which does not say the device */
	struct lane_table engines;  /* (dev, class << 16 | instance) */
	struct lane_table clients;  /* (pid, 0) */
	struct lane_table threads;  /* (tid, 0) */
	/* Of those in the tables, by the number modulo LANE_NEAR; NULL: none. */
	struct lane_ctx *near_contexts[LANE_NEAR], *near_by_fence[LANE_NEAR];
	struct lane_thr *near_threads[LANE_NEAR];
	struct lane_table errors; /* (context, seqno) of a fence: one of kept_errors */
	struct lane_fence_error *kept_errors;
	uint32_t n_errors;
	struct lane_pool rq_pool, thr_pool, waiter_pool, note_pool, ctx_pool, eng_pool, client_pool;
	struct lane_pool heads_pool, took_pool, kernel_wait_pool;
	struct lane_eng **engine_by_id;
	struct lane_ctx **context_by_id;
	struct lane_client **client_by_id;
	uint32_t n_engines, n_contexts, n_clients;
	bool follows_all;	/* all threads are interesting */
	uint32_t n_interesting; /* threads that have submitted or waited */
	uint32_t cap_engines, cap_contexts, cap_clients;
	struct lane_cpu *cpus;
	uint32_t n_cpus, cpus_room;
	struct lane_loss *losses; /* merged, by begin */
	size_t n_losses, cap_losses;
	struct lane_spans
		*lost_of; /* by CPU + 1: when events of it were lost; 0: of no known CPU */
	uint32_t n_lost_of;
	bool has_known_losses; /* all of them, before the first event */
	size_t next_loss;      /* the first whose begin has not been passed */
	uint64_t loss_end;
	uint64_t idle_mask; /* engines (id < 64) that are idle */
	uint32_t tasklets;  /* whose events are held */
	const struct lane_concluding
		*concluding;		/* i915/chain.c: what is being concluded, innermost */
	struct lane_ends_due *ends_due; /* likewise: the ends that wait for that */
	uint32_t n_ends_due, cap_ends_due;
	uint32_t of_breadcrumbs;  /* the traits of what the work that signals fences fires */
	struct lane_rq *released; /* over, and nothing that is held is about them any more */
	uint32_t readings;	  /* runs that are being read, one within the other */
	const struct lane_tasklet_reader *reader;
	/* An `execute` or `unsubmit` comes after the look at whether it is complete: that was after
	 * this.
	 */
	uint64_t looked_ns;
	struct lane_span off; /* a CPU had interrupts off then, for long, last */
	uint64_t now_ns;
	uint64_t event;			       /* number of the event that is being read, from 1 */
	const struct lane_event *pushed;       /* what came last, */
	uint64_t pushes;		       /* and its number */
	struct lane_drm_jobs *jobs;	       /* drm_sched, NULL before its first event */
	bool has_foreseen_jobs;		       /* drm_sched's own events are to come */
	struct lane_counted *counted;	       /* NULL before the first counter that bounds */
	const struct lane_cgroup_list *groups; /* NULL: clients are processes */
	uint64_t reset_ns;	      /* i915 reset the GPU then, the last time; 0: it did not */
	struct lane_works *works;     /* NULL before the first event of workqueue */
	struct lane_screens *screens; /* NULL before the first event of frames */
	struct lane_marked *marked;   /* NULL before the first mark of a frame */
	struct lane_stalls *stalls;   /* of memory; NULL before what begins them */
	bool has_devices;	      /* there are engines of several */
	struct lane_cl *cl;	      /* OpenCL, NULL before its first event */
	struct lane_rq *last_rq; /* the one of the last event: events of a request come in bursts */
	struct lane_eng *last_eng; /* the engine that was asked for last */
	int32_t queues_tid;	   /* who queued a job of drm_sched last; 0: nobody */
	bool no_memory;
	bool has_tiles;	       /* a card has several tiles, with a firmware each */
	bool is_finishing;     /* the trace is over */
	const char *too_many;  /* the trace has more of these than any real one */
	bool is_without_ends;  /* a kind of event that shows ends is not recorded */
	bool is_without_ports; /* a kind of event that shows what is on the ports is not recorded */
	bool has_half_ports;   /* `out` is recorded, `in` is not */
	bool is_without_runs;  /* stock kernels: a kind of event that shows who runs is not recorded
				*/
	bool has_in;	       /* `in` can be in this trace */
	uint64_t shared; /* classes (mod 64) of engines that a virtual one has had requests for */
};

#endif

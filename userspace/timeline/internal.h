/* SPDX-License-Identifier: MIT */
/* What the files of the timeline share: the objects behind the public ones. */
#ifndef LANE_TIMELINE_INTERNAL_H
#define LANE_TIMELINE_INTERNAL_H

#include "base/table.h"
#include "timeline/i915/i915_state.h"
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
enum lane_doing {
	LANE_DOING_UNKNOWN,
	LANE_DOING_RUNNING,
	LANE_DOING_RUNNABLE,
	LANE_DOING_BLOCKED,
	LANE_DOING_WAITING, /* blocked in a wait for a request, on any engine */
	LANE_DOING_COUNT
};

struct lane_job;       /* drm/drm_state.h */
struct lane_drm_ring;  /* likewise */
struct lane_drm_jobs;  /* likewise */
struct lane_counted;   /* narrow.c */
struct lane_stalls;    /* memory/stall.c */
struct lane_model;     /* model.h */
struct lane_idle_note; /* what a thread did between an engine's idle and its request */
struct lane_waiter;

/*
 * Open requests of a context. A ring of i915 has at most 512 KiB and a request takes 128 bytes of
 * it or more: when one more is there the oldest is over.
 */
#define LANE_MAX_UNRETIRED 4096

/* When it may be told and freed. */
struct lane_release {
	bool is_due; /* nothing of its own is to come, only waiters keep it */
	/* Among the timeline's released ones: what points to it, NULL: it is not among them; and
	 * who is behind it. */
	struct lane_rq **at, *next;
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
	uint64_t clock[LANE_DOING_COUNT];
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
	/* It waits for a mutex, whose owner this was as it began; ns 0: it does not. */
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
	uint64_t clock[LANE_DOING_COUNT];	  /* up to since_ns */
	uint64_t *waiting;			  /* per engine, of LANE_DOING_WAITING */
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
	bool is_being_woken;	 /* by the event that is read, sched_waking */
	bool is_unknown;	 /* what it does since its last change cannot be told */
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
	uint64_t submit_ctx;   /* its last event is the submit of this context's; 0: it is none */
	uint32_t submit_seqno; /* of that */
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

/* What is being read. Events that were held are read later than others that came behind them. */
struct lane_now {
	uint64_t ns;	/* the event's time, */
	uint64_t event; /* and its number, from 1 */
	/* Of an `execute` or `unsubmit`: it comes after the look at whether the request is
	 * complete, and that was after this. */
	uint64_t looked_ns;
};

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
	struct lane_now now;
	struct lane_span off;		       /* a CPU had interrupts off then, for long, last */
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
	bool has_lock_ends;    /* of gpulane_lock_wait */
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

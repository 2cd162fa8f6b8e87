/* SPDX-License-Identifier: MIT */
/* What only i915 knows of a request and an engine: the parts of struct lane_rq and struct lane_eng
 * that the files of this folder read and write. */
#ifndef LANE_TIMELINE_I915_STATE_H
#define LANE_TIMELINE_I915_STATE_H

#include "timeline/timeline.h"

struct lane_ctx;
struct lane_eng;
struct lane_rq;
struct lane_held;     /* tasklet_held.h */
struct lane_held_sum; /* likewise */

/* ---- of a request ---- */

/*
 * Why its times may not be what they seem. What puts a request in doubt, and what that sets:
 *
 * timeline_chain_doubt(), timeline_chain_contradiction(): an event may be missing. An epoch of its
 * engine begins (lane_proof); all that the engine has: since, is_hidden, is_order_lost.
 *
 * timeline_finish_doubt_order(): its place may be wrong: since, is_hidden.
 *
 * timeline_finish_doubt_unplaced(): something was unseen: since, is_contradicted.
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
	bool is_order_lost, is_contradicted;
	uint32_t epoch; /* it started while its engine's epoch of this number was unproven */
};

/* What whoever began to listen to a request did. */
enum lane_listening {
	LANE_LISTENING_EARLY,  /* the request had not been handed over */
	LANE_LISTENING_UNSURE, /* it may have been taken back: then nobody looks at it */
	LANE_LISTENING_LOOKS,  /* looked whether it was complete */
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

/* ---- of an engine ---- */

/* Requests linked by dev_next and dev_prev. */
struct lane_rq_list {
	struct lane_rq *first, *last;
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

/* Stock kernels: what i915_engine_ports showed on the ports last. */
struct lane_ports_seen {
	struct lane_p_i915_engine_ports on;
	uint64_t ns; /* then */
};

#endif

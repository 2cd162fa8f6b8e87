/* SPDX-License-Identifier: MIT */
/*
 * A model: one way in which a driver submits. A model says what the events of an engine tell, and
 * what becomes of the engine's requests by them. Each model is one file, model_*.c. The other files
 * ask for a trait of a model, not for the model. No model knows another model, or the losses
 * (docs/analysis.md, The models).
 */
#ifndef LANE_TIMELINE_MODEL_H
#define LANE_TIMELINE_MODEL_H

#include "timeline/internal.h"

struct lane_model {
	/* The traits: what the events of an engine of this model tell. */
	bool is_known;	  /* an event has told the model */
	bool has_tasklet; /* the driver dequeues in a tasklet, whose events are read run by run */
	bool has_ports;	  /* `in` and `out` tell what is on the ports */
	bool has_sets;	  /* a set of ports is written while another one is active */
	bool is_hooked;	  /* i915_engine_ports alone tells what is on the ports */
	bool is_one_ring; /* the requests of all contexts follow each other */
	bool is_firmware; /* a firmware decides whose turn it is */
	bool is_handed_over_once; /* an `execute` is the only one of its request */

	/* The engine's events are read by this model from now on. NULL: there is nothing to do. */
	void (*adopt)(struct lane_timeline *tl, struct lane_eng *eng);
	/* For models without has_tasklet. The driver has handed over rq. rq is linked to eng. */
	void (*hand_over)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
	/* For models without has_tasklet, as of the others i915/chain.c ends requests. rq, which is
	 * linked to eng, was complete at a time in `end`, by its own events. */
	void (*end)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		    struct lane_bounds end);
	/* No event is to come that tells more of when rq ended. rq NULL: of when any request of eng
	 * ended. What is known to be complete ends now. NULL: there is nothing to do. */
	void (*settle)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
	/* For models without has_tasklet: events are missing from now until until_ns. */
	void (*doubt)(struct lane_timeline *tl, struct lane_eng *eng, uint64_t until_ns);

	/* For models with has_tasklet. NULL: there is nothing to do. */
	/* An `in` has put entry on this port. */
	void (*put_on_port)(struct lane_timeline *tl, struct lane_eng *eng,
			    const struct lane_entry *entry, uint32_t port);
	/* The hardware has left this port, its request incomplete: by the `out`, completed = 0,
	 * that is being read. */
	void (*leave_port)(struct lane_timeline *tl, struct lane_eng *eng,
			   const struct lane_entry *port);
	/* Returns when rq ended, from the `out`, completed = 1, of its port, which is being read.
	 * is_unproven: what else is on the ports is not certain. NULL: rq ended then. */
	struct lane_bounds (*end_by_port)(const struct lane_timeline *tl,
					  const struct lane_eng *eng, const struct lane_entry *port,
					  const struct lane_rq *rq, bool is_unproven);
	/* A dequeue is over. */
	void (*dequeued)(const struct lane_timeline *tl, struct lane_eng *eng,
			 struct lane_bound now);
	/* An i915_engine_ports: the driver's ports at the end of a run of the tasklet. */
	void (*see_ports)(struct lane_timeline *tl, struct lane_eng *eng,
			  const struct lane_event *event);
	/* Whether an event has shown that the hardware has taken the set that was written last. */
	bool (*is_last_taken)(const struct lane_eng *eng);
};

extern const struct lane_model lane_model_execlists, lane_model_legacy, lane_model_hooks,
	lane_model_guc, lane_model_ring, lane_model_unknown, lane_model_jobs;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A way of submitting: what its events tell, and what becomes of an engine's requests by them. One
 * file a way, model_*.c; the others ask for what the way's events tell, not for the way. No model
 * knows another, nor losses, nor who subscribes (docs/analysis.md, The models).
 */
#ifndef LANE_TIMELINE_MODEL_H
#define LANE_TIMELINE_MODEL_H

#include "timeline/internal.h"

struct lane_model {
	/* What its events tell. */
	bool is_known;	  /* an event has told the way */
	bool has_tasklet; /* the driver dequeues in a tasklet, whose events are read run by run */
	bool has_ports;	  /* `in` and `out` tell what is on the ports */
	bool has_sets;	  /* a set of ports is written while another one is active */
	bool is_idled;	  /* the engine is idled before requests are taken back */
	bool is_hooked;	  /* i915_engine_ports alone tells what is on the ports */
	bool is_one_ring; /* the requests of all contexts follow each other */
	bool is_firmware; /* a firmware decides whose turn it is */
	bool is_handed_over_once; /* an `execute` is the only one of its request */

	/* The engine's events are read by this model from now on. */
	void (*adopt)(struct lane_timeline *tl, struct lane_eng *eng);
	/* rq, which is with the engine, has been handed over at now_ns. */
	void (*hand_over)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
			  uint64_t now_ns);
	/* rq, which is with the engine, was complete at a time in `end`, as its own events say. */
	void (*end)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq,
		    struct lane_span end);
	/* No more is to come, of rq, or if that is NULL of the engine, that tells when what is
	 * complete has ended. */
	void (*settle)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_rq *rq);
	/* Events are missing from now_ns on, until until_ns. */
	void (*doubt)(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
		      uint64_t until_ns);

	/* Of those with a tasklet; NULL: there is nothing to do. */
	/* An `in` puts entry on that port. */
	void (*put_on_port)(struct lane_timeline *tl, struct lane_eng *eng,
			    const struct lane_entry *entry, uint32_t port);
	/* A port is given back, its request incomplete. */
	void (*leave_port)(struct lane_timeline *tl, struct lane_eng *eng,
			   const struct lane_entry *port, uint64_t now_ns);
	/* When rq ended, whose port is given back, complete; is_unproven: what else is on the ports
	 * is not certain. */
	struct lane_span (*end_by_port)(const struct lane_timeline *tl, const struct lane_eng *eng,
					const struct lane_entry *port, const struct lane_rq *rq,
					bool is_unproven, uint64_t now_ns);
	/* A port that is given back may have been left for a newer set. */
	bool (*may_be_replaced)(const struct lane_timeline *tl, const struct lane_eng *eng,
				const struct lane_entry *port);
	/* A dequeue is over, */
	void (*dequeued)(struct lane_eng *eng, uint64_t now_ns);
	/* and what it took back is not recorded; it handed over from from_ns on. */
	void (*guess_taken_back)(struct lane_eng *eng, uint64_t from_ns);
	/* What the driver has on its ports as the tasklet's run ends. */
	void (*see_ports)(struct lane_timeline *tl, struct lane_eng *eng,
			  const struct lane_event *event);
	/* The hardware has been seen to have taken what was handed over last. */
	bool (*is_last_taken)(const struct lane_eng *eng);
};

extern const struct lane_model lane_model_execlists, lane_model_legacy, lane_model_hooks,
	lane_model_guc, lane_model_ring, lane_model_unknown, lane_model_jobs;

#endif

/* SPDX-License-Identifier: MIT */
/* A run of an engine's submission tasklet: its events are held until it is over. */
#ifndef LANE_TIMELINE_TASKLET_H
#define LANE_TIMELINE_TASKLET_H

#include "timeline/state.h"

/* The functions that read what was held of a run, in the order of causes. They are a table, so that
 * the holding does not depend on what follows from the events. */
struct lane_tasklet_reader {
	/* Reads an event of the tasklet. */
	void (*event)(struct lane_timeline *tl, const struct lane_event *event);
	/* rq has ended at a time in `end`. */
	void (*end)(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds end);
	/* rq has been retired. */
	void (*retired)(struct lane_timeline *tl, struct lane_rq *rq);
	/* A dequeue is over, by now. */
	void (*dequeued)(struct lane_timeline *tl, struct lane_eng *eng, struct lane_bound now);
	/* An `out` or i915_engine_ports shows that the driver resets the engine: what is held of
	 * its run is read. */
	void (*reset)(struct lane_timeline *tl, struct lane_eng *eng,
		      const struct lane_event *event);
	/* All of the run has been read. */
	void (*over)(struct lane_timeline *tl, struct lane_eng *eng);
	/* rq, whose events have all come, is named by nothing that is held any more. */
	void (*release)(struct lane_timeline *tl, struct lane_rq *rq);
};

/* Takes an `execute`, `unsubmit`, `in` or `out`. True: the event is held until its run is over. */
bool timeline_tasklet_try_hold(struct lane_timeline *tl, const struct lane_event *event);
/* The engine whose held run concerns rq: rq is with that engine, or the run names it. NULL:
 * none. */
struct lane_eng *timeline_tasklet_of(const struct lane_timeline *tl, const struct lane_rq *rq);
/* The fence (ctx, seqno) is of a request that is not known. A held run that names the request is
 * read. */
void timeline_tasklet_meet(struct lane_timeline *tl, uint64_t ctx, uint32_t seqno);
/* True when rq's end, which an event of this CPU tells, is held with a run. cpu -1: it is not to be
 * held, and the run is read. */
bool timeline_tasklet_try_hold_end(struct lane_timeline *tl, struct lane_rq *rq,
				   const struct lane_bounds *end, int32_t cpu);
/* True when rq's retiring is held. */
bool timeline_tasklet_try_hold_retire(struct lane_timeline *tl, struct lane_rq *rq,
				      const struct lane_event *event);
/* rq is released before the next event is read. */
void timeline_tasklet_release_later(struct lane_timeline *tl, struct lane_rq *rq);
/* Releases the requests that waited for a run that has been read. */
void timeline_tasklet_release(struct lane_timeline *tl);
/* True when something that is held names rq: rq must not be freed before that is read. */
bool timeline_tasklet_names(const struct lane_timeline *tl, const struct lane_rq *rq);
/* `event`, an i915_engine_ports of eng, ends the run that is held. */
void timeline_tasklet_end_by(struct lane_timeline *tl, struct lane_eng *eng,
			     const struct lane_event *event);
/* What is being read is an `out` that tells an end, and that the next set was taken. */
static inline bool timeline_tasklet_tells_end(const struct lane_eng *eng)
{
	return eng->tasklet.reading && eng->tasklet.reading->is_end;
}

/* The ports that the hardware has at the end of the run that is being read; NULL: not told. */
const struct lane_p_i915_engine_ports *timeline_tasklet_closing(const struct lane_timeline *tl,
								const struct lane_eng *eng);
/* How many `out`s of the run that is being read are still to come. */
uint32_t timeline_tasklet_outs_left(const struct lane_eng *eng);
/* What is being read came behind a dequeue of its run that has not been read yet: the time, ns, of
 * that one's first event; 0: there is none. */
uint64_t timeline_tasklet_dequeued_before(const struct lane_eng *eng);
/* True when a set of ports is written in the run that is being read. */
bool timeline_tasklet_writes(const struct lane_eng *eng);
/* The set that the run writes is `on`. */
bool timeline_tasklet_writes_these(const struct lane_eng *eng,
				   const struct lane_p_i915_engine_ports *on);
/* `event` is of the CPU whose run is held. Ends the run if the event cannot be of it. */
void timeline_tasklet_leave(struct lane_timeline *tl, struct lane_cpu *cpu,
			    const struct lane_event *event);
/* The run of eng that is held is over, by now_ns: reads it. Does nothing if none is held, or if it
 * is being read. */
void timeline_tasklet_settle(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns);
/* The same, where events of the run may be missing. lost: in a loss; else behind the end of the
 * trace. */
void timeline_tasklet_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  bool lost);
/* The same of all engines. */
void timeline_tasklets_settle(struct lane_timeline *tl, uint64_t now_ns);
/*
 * Where `unsubmit` is not recorded: the dequeue that rq's engine is at, or was at straight before
 * at_ns, may have taken rq back and found it complete as it came to hand rq over again. For a
 * request that has no engine yet it is the dequeue of this CPU.
 */
bool timeline_tasklet_may_pass_over(const struct lane_timeline *tl, const struct lane_rq *rq,
				    int32_t cpu, uint64_t at_ns);
/* rq is about to be freed: nothing that is held may name it any more. */
void timeline_tasklet_forget(struct lane_timeline *tl, struct lane_rq *rq);

#endif

/* SPDX-License-Identifier: MIT */
/* A run of an engine's submission tasklet, held until it is over. */
#ifndef LANE_TIMELINE_TASKLET_H
#define LANE_TIMELINE_TASKLET_H

#include "timeline/state.h"

/*
 * What is done with what was held of a run, in the order of causes. Here, so that the reader does
 * not need to know what follows from it.
 */
struct lane_tasklet_reader {
	/* An event of the tasklet. */
	void (*event)(struct lane_timeline *tl, const struct lane_event *event);
	/* rq has ended at a time in `end`. */
	void (*end)(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end);
	/* rq was not complete then, if the listening that began then did not find it so. */
	void (*alive)(struct lane_timeline *tl, struct lane_rq *rq, uint64_t at_ns);
	/* rq has been retired. */
	void (*retired)(struct lane_timeline *tl, struct lane_rq *rq);
	/* A dequeue is over. */
	void (*dequeued)(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns);
	/* All has been read. */
	void (*over)(struct lane_timeline *tl, struct lane_eng *eng);
	/* Nothing that was held is about rq any more, whose story is over. */
	void (*release)(struct lane_timeline *tl, struct lane_rq *rq);
};

/* True when an event of the driver's dequeue is held until its run is over. */
bool timeline_tasklet_takes(struct lane_timeline *tl, const struct lane_event *event);
/* The engine whose run is held and concerns rq: rq is with that engine, or the run names
 * it. NULL: none. */
struct lane_eng *timeline_tasklet_of(struct lane_timeline *tl, const struct lane_rq *rq);
/* A fence of a request that nothing else has told of: if it is among what is held, that is read. */
void timeline_tasklet_meet(struct lane_timeline *tl, uint64_t ctx, uint32_t seqno);
/* True when rq's end, told by an event of this CPU, is held until rq's engine's run is over. */
bool timeline_tasklet_holds_end(struct lane_timeline *tl, struct lane_rq *rq, struct lane_span end,
				int32_t cpu);
/* What is put off to a dequeue that may follow is read: none has. */
void timeline_tasklet_late_end(struct lane_timeline *tl);
/* The same, if the event that comes is too late to be of a dequeue that had begun by then. */
void timeline_tasklet_late_end_by(struct lane_timeline *tl, const struct lane_event *event);
/* The same: that rq was not complete when somebody began to listen. */
bool timeline_tasklet_holds_alive(struct lane_timeline *tl, struct lane_rq *rq,
				  const struct lane_event *event);
/* But it was: that is void. */
void timeline_tasklet_not_alive(struct lane_timeline *tl, const struct lane_rq *rq);
/* True when rq's retiring is held. */
bool timeline_tasklet_holds_retire(struct lane_timeline *tl, struct lane_rq *rq,
				   const struct lane_event *event);
/* rq's story is told before the next event. */
void timeline_tasklet_release_later(struct lane_timeline *tl, struct lane_rq *rq);
/* Tells the requests whose story waited for a run that has been read. */
void timeline_tasklet_release(struct lane_timeline *tl);
/* True when something that is held is about rq: it must live until that is read. */
bool timeline_tasklet_names(const struct lane_timeline *tl, const struct lane_rq *rq);
/* The ports' event that a run ends with. */
void timeline_tasklet_end_by(struct lane_timeline *tl, struct lane_eng *eng,
			     const struct lane_event *event);
/* How many `out`s of the run that is being read are still to come. */
uint32_t timeline_tasklet_outs_left(const struct lane_eng *eng);
/* The dequeue of the run that is being read found rq incomplete, before the `out` that is read:
 * it took rq back, handed it over, or wrote the ports with it. */
bool timeline_tasklet_looked_at(const struct lane_eng *eng, const struct lane_rq *rq);
/* What is read now came behind the dequeue of its run, which has not been read yet. */
bool timeline_tasklet_dequeued_before(const struct lane_eng *eng);
/* True when a set of ports is written in the run that is being read. */
bool timeline_tasklet_writes(const struct lane_eng *eng);
/* The time of a later `out` of the run that is being read that gives back a port of ctx
 * incomplete; 0: there is none. */
uint64_t timeline_tasklet_gives_back(const struct lane_eng *eng, const struct lane_context *ctx);
/* A later `out` of the run that is being read says that rq is incomplete. */
bool timeline_tasklet_leaves(const struct lane_eng *eng, const struct lane_rq *rq);
/* An event of the CPU whose run is held: that may be over. */
void timeline_tasklet_leave(struct lane_timeline *tl, struct lane_cpu *cpu,
			    const struct lane_event *event);
void timeline_tasklet_settle(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns);
/* The same where the rest of it may be missing: lost, or behind the end of the trace. */
void timeline_tasklet_cut(struct lane_timeline *tl, struct lane_eng *eng, uint64_t now_ns,
			  bool lost);
void timeline_tasklets_settle(struct lane_timeline *tl, uint64_t now_ns);
/* Where taking back is not recorded: the dequeue that rq's engine is at, or was straight before,
 * may have taken rq back, and found it complete as it came to hand it over again. Of a request that
 * has no engine yet it is the dequeue of this CPU. */
bool timeline_tasklet_may_have_passed(const struct lane_timeline *tl, const struct lane_rq *rq,
				      int32_t cpu, uint64_t at_ns);
/* The time of the last event that may be of the run that is being read, at_ns if none is. */
uint64_t timeline_tasklet_end(const struct lane_eng *eng, uint64_t at_ns);
/* The time of the first event of the run that is being read, if that is before at_ns: else at_ns.
 */
uint64_t timeline_tasklet_first_ns(const struct lane_eng *eng, uint64_t at_ns);
/* rq is about to be freed. */
void timeline_tasklet_forget(struct lane_timeline *tl, const struct lane_rq *rq);

#endif

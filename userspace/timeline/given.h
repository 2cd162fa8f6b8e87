/* SPDX-License-Identifier: MIT */
/* The ports of an engine, given and given back. */
#ifndef LANE_TIMELINE_GIVEN_H
#define LANE_TIMELINE_GIVEN_H

#include "timeline/state.h"

/* No more can be given. */
static inline bool timeline_ports_are_full(const struct lane_eng *eng)
{
	return eng->given.n == LANE_MAX_PORTS;
}

/* A port is given; its `out` is to come. */
void timeline_ports_push(struct lane_eng *eng, struct lane_entry entry);
/* The first is given back. */
void timeline_ports_pop(struct lane_eng *eng);
/* The i-th port whose `out` is to come. */
struct lane_entry *timeline_ports_entry(const struct lane_eng *eng, uint32_t i);
/* The place of the port that an `out` is of, -1: none. */
int timeline_ports_place(const struct lane_eng *eng, const struct lane_event *event);
/* True when rq is the last request of a port: its end shows by its own `out`. */
bool timeline_ports_is_last(const struct lane_eng *eng, const struct lane_rq *rq);
/* True when the last set has rq on a port. */
bool timeline_ports_cover(const struct lane_eng *eng, const struct lane_rq *rq);
/* The i-th port to be given back is the first of two, of the set that was written last. */
bool timeline_ports_is_first_of_two(const struct lane_eng *eng, uint32_t i);
/* The hardware has been seen to have taken the set of ports that was written last. */
bool timeline_ports_taken(const struct lane_eng *eng);
/* Nothing holds up the ring of this context on the engine: its port is the first of a set that the
 * hardware has been seen to have taken, which ends the driver's pause (process_csb() of 6.1). */
bool timeline_ports_go_on(const struct lane_eng *eng, const struct lane_context *ctx);
/* A run of the tasklet is over: if it has not left the ring paused, that goes on. */
void timeline_ports_unpause(struct lane_eng *eng);
/* The same, and not by the event that is being read: a set that has just been taken may begin with
 * a context that has nothing left to do, which the hardware loads first. */
bool timeline_ports_taken_before(const struct lane_timeline *tl, const struct lane_eng *eng);
/* True when a set that has been replaced has another port behind the one that rq is on. */
bool timeline_ports_has_behind(const struct lane_eng *eng, const struct lane_rq *rq);
/* rq has been on the ports since it was handed over: it was seen there, or the driver has dequeued
 * since, which it does when the hardware has taken what was written. */
bool timeline_ports_was_on(const struct lane_eng *eng, const struct lane_rq *rq);
/* These ports are those from the i-th that is to be given back on, of one set. */
bool timeline_ports_are_from(const struct lane_eng *eng,
			     const struct lane_p_i915_engine_ports *ports, uint32_t i);
/* An `out` can come from the tasklet that is at a dequeue, so many `out`s of which have come: it
 * read the port's completion, or that the set before the last one that was written was replaced. */
bool timeline_engine_out_is_due(const struct lane_eng *eng, const struct lane_event *event,
				uint32_t before);
/* The set that the k-th `out` to come is of was replaced before the driver wrote again. */
bool timeline_engine_out_is_sure(const struct lane_eng *eng, uint32_t k);
/* The hardware has on its ports what was recorded last of them, if so many `out`s have come since:
 * else the tasklet that fired them would have said so at its end. */
bool timeline_engine_ports_stay(const struct lane_eng *eng, uint32_t outs);

#endif

/* SPDX-License-Identifier: MIT */
/* The ports of an engine: a FIFO of those whose `out` is to come, oldest first. */
#ifndef LANE_TIMELINE_PORTS_H
#define LANE_TIMELINE_PORTS_H

#include "timeline/state.h"

/* `on` are the i-th port of the FIFO and, if that is of the same set, the next one. */
bool timeline_ports_are_from(const struct lane_eng *eng, uint32_t i,
			     const struct lane_p_i915_engine_ports *on);
/* The FIFO is full. */
static inline bool timeline_ports_are_full(const struct lane_eng *eng)
{
	return eng->ports.n == LANE_MAX_PORTS;
}

/* Puts a port into the FIFO: its `out` is to come. It is the last, or of a set the first. */
void timeline_ports_push(struct lane_eng *eng, struct lane_entry entry);
/* Takes the first port out of the FIFO. There must be one. */
void timeline_ports_pop(struct lane_eng *eng);
/* The i-th port of the FIFO, from 0. */
struct lane_entry *timeline_ports_entry(const struct lane_eng *eng, uint32_t i);
/* The place of the set's first port; the number of ports: none of them is there. */
uint32_t timeline_ports_first_of(const struct lane_eng *eng, uint32_t set);
/* The place, from 0, of the port that an `out` is of, at this one or behind it; -1: none. */
int timeline_ports_place_from(const struct lane_eng *eng, const struct lane_event *event,
			      uint32_t from);
/* The same, from the first one on. */
static inline int timeline_ports_place(const struct lane_eng *eng, const struct lane_event *event)
{
	return timeline_ports_place_from(eng, event, 0);
}
/* True when rq is the last request of a port: its own `out` tells its end. */
bool timeline_ports_await_out(const struct lane_eng *eng, const struct lane_rq *rq);
/* True when rq is on a port of the set that was written last. */
bool timeline_ports_cover(const struct lane_eng *eng, const struct lane_rq *rq);
/* An event has shown that the hardware has taken the set that was written last. */
bool timeline_ports_taken(const struct lane_eng *eng);
/*
 * The set that was written last is known to be taken, by an event before the one that is being
 * read. A set that has just been taken may begin with a context that has nothing left to do, which
 * the hardware loads first.
 */
bool timeline_ports_taken_before(const struct lane_timeline *tl, const struct lane_eng *eng);
/*
 * An `out` can come from the run of the tasklet whose dequeue is held, which has fired `before`
 * `out`s so far: that run read the port's completion, or that the set before the last one was
 * replaced.
 */
bool timeline_engine_out_is_due(const struct lane_eng *eng, const struct lane_event *event,
				uint32_t before);
/* The k-th port of the FIFO is of a set that was replaced before the driver wrote again. */
bool timeline_ports_was_replaced(const struct lane_eng *eng, uint32_t k);
#endif

/* SPDX-License-Identifier: MIT */
/* Losses of one stream that are to be told when their time is over. */
#ifndef LANE_DECODE_LOST_COUNT_H
#define LANE_DECODE_LOST_COUNT_H

#include "decode/decode.h"
#include "decode/known_names.h"

/* What is said, once, of a stream whose count of lost events goes back, or leaps. */
#define LANE_LOST_COUNT_WRONG                                                                      \
	"%s: CPU %d: the number of lost events goes back or leaps; how many were lost is not "     \
	"known there"

enum {
	LANE_LOSSES = 4
};

struct lane_lost_time {
	uint64_t count; /* 0: not known */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/*
 * A stream's count of lost events, packet by packet. LTTng takes it when a packet is delivered, and
 * packets are delivered in any order: the count may be less than that of the packet before, which
 * then had what was lost after it, too.
 */
struct lane_lost_count {
	uint64_t told;	/* since the stream's first packet */
	uint64_t ahead; /* of that, what is not in the count of the newest packet */
};

/*
 * A packet's count has changed by loss->count, modulo 2^64. Leaves there what is to be told, 0
 * where it is not known: events were lost in that time, and were told already. False: it cannot be.
 */
static inline bool decode_lost_count_change(struct lane_lost_count *count,
					    struct lane_lost_time *loss)
{
	uint64_t back = 0 - loss->count;
	uint64_t known;

	if (back <= count->told - count->ahead) {
		count->ahead += back;
		loss->count = 0;
		return true;
	}
	if (!decode_lost_is_possible(loss->count, loss->begin_ns, loss->end_ns))
		return false;
	known = loss->count < count->ahead ? loss->count : count->ahead;
	count->ahead -= known;
	loss->count -= known;
	count->told += loss->count;
	return true;
}

/* In the order of their ends. */
struct lane_losses {
	struct lane_lost_time loss[LANE_LOSSES];
	unsigned int n;
};

/* Adds a loss; where there is no more room it becomes one with the last. */
static inline void decode_losses_add(struct lane_losses *losses, struct lane_lost_time loss)
{
	unsigned int at = losses->n;
	struct lane_lost_time *last;

	if (loss.end_ns < loss.begin_ns)
		loss.end_ns = loss.begin_ns;
	if (at == LANE_LOSSES) {
		last = &losses->loss[at - 1];
		last->count = last->count && loss.count ? last->count + loss.count : 0;
		last->begin_ns = loss.begin_ns < last->begin_ns ? loss.begin_ns : last->begin_ns;
		last->end_ns = loss.end_ns > last->end_ns ? loss.end_ns : last->end_ns;
		return;
	}
	for (; at && losses->loss[at - 1].end_ns > loss.end_ns; at--)
		losses->loss[at] = losses->loss[at - 1];
	losses->loss[at] = loss;
	losses->n++;
}

/* When the next loss is to be told, UINT64_MAX when there is none. */
static inline uint64_t decode_losses_next_ns(const struct lane_losses *losses)
{
	return losses->n ? losses->loss[0].end_ns : UINT64_MAX;
}

/* True when there is a loss that is to be told at that time. */
static inline bool decode_losses_due(const struct lane_losses *losses, uint64_t ns)
{
	return losses->n && losses->loss[0].end_ns == ns;
}

/* Takes the next loss out, as an event; there must be one. account is told of it. */
static inline void decode_losses_take(struct lane_losses *losses, struct lane_account *account,
				      int32_t cpu, struct lane_event *event)
{
	struct lane_lost_time loss = losses->loss[0];

	losses->n--;
	account->lost += loss.count;
	account->lost_uncounted |= !loss.count;
	for (unsigned int i = 0; i < losses->n; i++)
		losses->loss[i] = losses->loss[i + 1];
	decode_event_clear(event, LANE_LOST);
	event->wire.ts_ns = loss.end_ns;
	event->cpu = cpu;
	event->u.gpulane_lost.count = loss.count;
	event->u.gpulane_lost.begin_ns = loss.begin_ns;
	event->u.gpulane_lost.end_ns = loss.end_ns;
	event->u.gpulane_lost.lost_cpu = cpu;
}

#endif

/* SPDX-License-Identifier: MIT */
/* The longest run of a kernel, or of a context's requests, beside what is usual of them. */
#ifndef LANE_LATENCY_LONGEST_H
#define LANE_LATENCY_LONGEST_H

#include "timeline/timeline.h"

struct lane_longest {
	struct lane_octaves octaves;	    /* of all */
	uint64_t ns, at_ns;		    /* it ran so long at least, from then on */
	const struct lane_context *context; /* its request; NULL: not known */
	uint32_t seqno;
	const struct lane_engine *engine;
};

/* It ran as long as `ran` from at_ns on; rq: its request, or NULL. */
static inline void latency_longest_add(struct lane_longest *longest, struct lane_span ran,
				       uint64_t at_ns, const struct lane_request *rq)
{
	lane_octaves_add(&longest->octaves, ran.hi);
	if (ran.lo <= longest->ns)
		return;
	longest->ns = ran.lo;
	longest->at_ns = at_ns;
	longest->context = rq ? rq->context : NULL;
	longest->seqno = rq ? rq->seqno : 0;
	longest->engine = rq ? rq->engine : NULL;
}

/* It is beyond all that is usual, and next to none of the others are. */
static inline bool latency_longest_is_unusual(const struct lane_longest *longest)
{
	struct lane_typical usual = lane_typical_of(&longest->octaves);

	return lane_is_unusual(usual, longest->ns) && !lane_has_many_of(&longest->octaves, usual);
}

#endif

/* SPDX-License-Identifier: MIT */
/* The longest run of a kernel, or of a context's requests, beside what is usual of them. */
#ifndef LANE_LATENCY_LONGEST_H
#define LANE_LATENCY_LONGEST_H

#include <stdlib.h>

#include "timeline/timeline.h"

struct lane_longest {
	struct lane_octaves *octaves;	    /* of all; NULL: of less than two */
	uint64_t first_ns;		    /* the first one; 0: there is none */
	uint64_t ns, most_ns, at_ns;	    /* it ran so long, at least and at most, from then on */
	uint64_t size, sizes;		    /* its work items, those of all; 0: not known */
	const struct lane_context *context; /* its request; NULL: not known */
	uint32_t seqno;
	const struct lane_engine *engine;
};

/* It ran as long as `ran` from at_ns on; rq: its request, or NULL; size: its work items, or 0. */
static inline void latency_longest_add(struct lane_longest *longest, struct lane_span ran,
				       uint64_t at_ns, const struct lane_request *rq, uint64_t size)
{
	longest->sizes += size;
	if (!longest->first_ns) {
		longest->first_ns = ran.hi;
	} else {
		if (!longest->octaves && (longest->octaves = calloc(1, sizeof(*longest->octaves))))
			lane_octaves_add(longest->octaves, longest->first_ns);
		if (longest->octaves)
			lane_octaves_add(longest->octaves, ran.hi);
	}
	if (ran.lo <= longest->ns)
		return;
	longest->ns = ran.lo;
	longest->most_ns = ran.hi;
	longest->at_ns = at_ns;
	longest->size = size;
	longest->context = rq ? rq->context : NULL;
	longest->seqno = rq ? rq->seqno : 0;
	longest->engine = rq ? rq->engine : NULL;
}

static inline struct lane_typical latency_longest_usual(const struct lane_longest *longest)
{
	return longest->octaves ? lane_typical_of(longest->octaves) : (struct lane_typical){ 0 };
}

/* It is beyond all that is usual, and next to none of the others are. */
static inline bool latency_longest_is_unusual(const struct lane_longest *longest)
{
	struct lane_typical usual = latency_longest_usual(longest);

	return lane_is_unusual(usual, longest->ns) && !lane_has_many_of(longest->octaves, usual);
}

#endif

// SPDX-License-Identifier: MIT
// What the models of the ring and of the GuC share: open boundaries between requests.
#include "timeline/i915/boundary.h"
#include "timeline/i915/ending.h"
#include "timeline/i915/finish.h"
#include "timeline/i915/rules.h"
#include "timeline/i915/tasklet.h"

void timeline_boundary_note_known(struct lane_rq *rq, struct lane_bounds end)
{
	/* The first event that told it bounds the end best. */
	if (!rq->known.hi)
		rq->known = end;
}

/*
 * If somebody had just begun to listen to rq, the signal tells whether that found rq complete
 * (insert_breadcrumb() of gt/intel_breadcrumbs.c, 6.1). The signal comes within LANE_INTERRUPT_NS.
 */
bool timeline_boundary_is_settled(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return (rq->pub.seen & LANE_SEEN_SIGNAL) ||
	       !timeline_request_listened_late(rq, rq->known.hi) ||
	       tl->now.ns > rq->listen.ns + LANE_INTERRUPT_NS ||
	       timeline_is_absent(tl, LANE_FENCE_SIGNALED);
}

struct lane_end_told timeline_boundary_conclude(struct lane_timeline *tl, struct lane_rq *rq,
						struct lane_bound follows)
{
	struct lane_end_told ending = timeline_ending_conclude(tl, rq, &rq->known);
	struct lane_bounds *end = &ending.end;

	timeline_bounds_raise(end, timeline_bound_sooner(follows, timeline_bounds_hi(end)));
	return ending;
}

void timeline_boundary_finish(struct lane_timeline *tl, struct lane_rq *rq, struct lane_bounds end)
{
	timeline_finish_request(tl, rq, &end);
	if (rq->release.is_due) /* rq could not be released before it had ended */
		timeline_tasklet_release_later(tl, rq);
}

void timeline_boundary_tell_run(struct lane_timeline *tl, struct lane_eng *eng,
				const struct lane_rq *rq, struct lane_bounds begin,
				struct lane_bounds end, bool follows)
{
	struct lane_run run = {
		.engine = &eng->pub,
		.request = &rq->pub,
		.begin = timeline_bounds_span(&begin),
		.begin_why = timeline_bounds_whys(&begin),
		.end = timeline_bounds_span(&end),
		.end_why = timeline_bounds_whys(&end),
		.follows = follows,
		.sure_until_ns = end.lo,
		.is_unsure = rq->pub.doubt & LANE_DOUBT_DEVICE,
	};

	if (tl->hooks.run)
		tl->hooks.run(tl->hooks.arg, &run);
}

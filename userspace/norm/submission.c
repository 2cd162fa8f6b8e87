// SPDX-License-Identifier: MIT
// How requests reach the hardware: the rules of docs/normalise.md.
#include "norm/submission.h"

#include "norm/fix.h"
#include "norm/norm.h"

/* Executed requests without one `in`, after which none is to be expected: ports hold two at most.
 */
#define EXECUTES_WITHOUT_IN 16

enum lane_submission norm_submission_facts(struct lane_submission_clues *clues,
					   const struct lane_trace_info *info)
{
	unsigned int version = norm_release_version(info->release);

	clues->in_recorded = info->presence[LANE_RQ_IN] == LANE_PRESENCE_RECORDED;
	return version && version < 5004 ? LANE_SUBMISSION_PER_REQUEST : LANE_SUBMISSION_UNKNOWN;
}

enum lane_submission norm_submission_clue(struct lane_submission_clues *clues,
					  const struct lane_event *event)
{
	if (event->raw.global || event->raw.ring != LANE_RING_NONE)
		return LANE_SUBMISSION_PER_REQUEST;
	switch (event->wire.kind) {
	case LANE_RQ_GUC_SUBMIT:
		return LANE_SUBMISSION_GUC;
	case LANE_RQ_OUT:
	case LANE_PORTS:
		return LANE_SUBMISSION_EXECLISTS;
	case LANE_RQ_IN:
		clues->in_recorded = false; /* it is fired: no ring */
		if (event->u.i915_request_in.port)
			return LANE_SUBMISSION_EXECLISTS;
		break;
	case LANE_RQ_EXECUTE:
		if (clues->in_recorded && ++clues->executes == EXECUTES_WITHOUT_IN)
			return LANE_SUBMISSION_RING;
		break;
	default:
		break;
	}
	return LANE_SUBMISSION_UNKNOWN;
}

// SPDX-License-Identifier: MIT
// The requests' times, and the events that show them.
#include "session/evidence.h"

#include "base/cleanup.h"

static struct lane_error *evidence_begin(void *arg, const struct lane_trace_info *info,
					 struct lane_hooks *hooks)
{
	latency_explain_begin(arg, info);
	*hooks = latency_explain_hooks(arg);
	return NULL;
}

static struct lane_error *evidence_event(void *arg, const struct lane_event *of)
{
	return latency_explain_event(arg, of);
}

struct session_listener session_evidence(struct lane_explain *explain)
{
	return (struct session_listener){ explain, evidence_begin, evidence_event };
}

struct lane_error *session_explain(struct session *session, struct lane_explain *explain)
{
	const struct session_listener listener = session_evidence(explain);
	struct lane_error *err = session_read_to(session, &listener);

	return err ? err : latency_explain_end(explain, session->timeline);
}

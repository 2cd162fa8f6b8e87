// SPDX-License-Identifier: MIT
// Two readings: the requests' times, then the events that show them.
#include "session/evidence.h"

#include "base/cleanup.h"

static struct lane_error *begin_first(void *arg, const struct lane_trace_info *info,
				      struct lane_hooks *hooks)
{
	latency_explain_begin(arg, info);
	*hooks = latency_explain_hooks(arg);
	return NULL;
}

static struct lane_error *begin_second(void *arg, const struct lane_trace_info *info,
				       struct lane_hooks *hooks)
{
	(void)info;
	latency_explain_begin_search(arg);
	*hooks = (struct lane_hooks){ .arg = arg };
	return NULL;
}

static struct lane_error *event(void *arg, const struct lane_event *of)
{
	return latency_explain_event(arg, of);
}

struct lane_error *session_explain(struct session *session, struct lane_explain *explain)
{
	const struct session_listener first = { explain, begin_first, NULL };
	const struct session_listener second = { explain, begin_second, event };
	LANE_CLEANUP(session_deinit) struct session again = session_again(session);
	struct lane_error *err;

	err = session_read_to(session, &first);
	if (!err)
		err = latency_explain_search(explain, session->timeline);
	return err ? err : session_read_to(&again, &second);
}

struct lane_error *session_explain_worst(const struct session *session,
					 struct lane_explain *explain)
{
	const struct lane_latency *latency = &session->latency;
	LANE_CLEANUP(session_deinit) struct session again = session_again(session);
	struct lane_error *err = NULL;

	if (!latency->n_worst)
		return NULL;
	for (uint32_t i = 0; i < latency->n_worst && !err; i++)
		err = latency_explain_add(explain, latency->worst[i].request.context->ctx,
					  latency->worst[i].request.seqno);
	return err ? err : session_explain(&again, explain);
}

// SPDX-License-Identifier: MIT
// The requests' times, and the events that show them.
#include "session/evidence.h"

#include "base/cleanup.h"

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	latency_explain_begin(arg, info);
	*hooks = latency_explain_hooks(arg);
	return NULL;
}

static struct lane_error *event(void *arg, const struct lane_event *of)
{
	return latency_explain_event(arg, of);
}

struct session_listener session_evidence(struct lane_explain *explain)
{
	return (struct session_listener){ explain, begin, event };
}

struct lane_error *session_explain(struct session *session, struct lane_explain *explain)
{
	const struct session_listener listener = session_evidence(explain);
	struct lane_error *err = session_read_to(session, &listener);

	return err ? err : latency_explain_end(explain, session->timeline);
}

/* The engine in the reading that goes on: the other reading's engines end with it. */
static struct lane_engine *engine_of(const struct lane_latency *latency,
				     const struct lane_explained *of)
{
	for (uint32_t i = 0; i < latency->n_worst; i++) {
		const struct lane_request *rq = &latency->worst[i].request;

		if (rq->context->ctx == of->context.ctx && rq->context->dev == of->context.dev &&
		    rq->seqno == of->request.seqno)
			return rq->engine;
	}
	return NULL;
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
	if (!err)
		err = session_explain(&again, explain);
	for (size_t i = 0; i < explain->n; i++)
		explain->of[i].request.engine = engine_of(latency, &explain->of[i]);
	return err;
}

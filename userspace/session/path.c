// SPDX-License-Identifier: MIT
// Two readings: where the path ends, then what lies on it.
#include "session/path.h"

#include "base/cleanup.h"
#include "session/evidence.h"

/* Things of a kind in the time of a path: of one that is asked for, and of what a page has. */
enum {
	MOST = 1 << 23,
	MOST_ON_A_PAGE = 1 << 15,
};

struct listener {
	uint64_t from_ns, to_ns;
	size_t most;
	struct lane_critical *critical;
};

static struct lane_error *path_begin(void *arg, const struct lane_trace_info *info,
				     struct lane_hooks *hooks)
{
	struct listener *l = arg;
	struct lane_error *err;

	latency_critical_destroy(LANE_TAKE(l->critical));
	err = latency_critical_create(info, l->from_ns, l->to_ns, l->most, &l->critical);
	if (!err)
		*hooks = latency_critical_hooks(l->critical);
	return err;
}

struct lane_error *session_critical(struct session *session,
				    const struct lane_critical_wanted *wanted,
				    struct session *again, struct lane_critical_path *path)
{
	struct listener l = { .most = MOST };
	const struct session_listener listener = { &l, path_begin, NULL };
	struct lane_critical_end end;
	struct lane_error *err;

	if (wanted->by_flip) {
		session->select.by_flip = true;
		session->select.crtc = wanted->crtc;
		session->select.refresh = wanted->refresh;
	}
	err = session_read(session);

	*again = session_again(session);
	*path = (struct lane_critical_path){ .from_ns = 0 };
	if (!err)
		err = latency_critical_end(&session->latency, wanted, &l.from_ns, &l.to_ns, &end);
	if (err)
		return err;
	err = session_read_to(again, &listener);
	if (!err && wanted->by_flip)
		err = latency_critical_flip(l.critical, again->timeline,
					    &session->latency.frames.found[0], path);
	else if (!err)
		err = latency_critical_solve(l.critical, again->timeline, l.from_ns, l.to_ns, &end,
					     path);
	latency_critical_destroy(l.critical);
	return err;
}

struct lane_error *session_flip(const struct session *session, const struct lane_flip *flip,
				struct session *again, struct lane_explain *explain,
				struct lane_critical_path *path)
{
	struct listener l = { latency_critical_flip_from(flip), flip->shown_ns, MOST, NULL };
	struct session_listener listeners[] = { { &l, path_begin, NULL },
						session_evidence(explain) };
	struct lane_error *err = NULL;

	*again = session_again(session);
	*path = (struct lane_critical_path){ .from_ns = 0 };
	for (uint32_t i = 0; i < flip->n_fences && !err; i++)
		err = latency_explain_add(explain, flip->fences[i].context,
					  (uint32_t)flip->fences[i].seqno);
	again->listeners = listeners;
	again->n_listeners = 2;
	if (!err)
		err = session_read(again);
	again->listeners = NULL;
	again->n_listeners = 0;
	if (!err)
		err = latency_explain_end(explain, again->timeline);
	if (!err)
		err = latency_critical_flip(l.critical, again->timeline, flip, path);
	latency_critical_destroy(l.critical);
	return err;
}

/* The engine in the reading that goes on: the other reading's engines end with it. */
static struct lane_engine *path_engine_of(const struct lane_latency *latency,
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

/* One without a path is no error: too much may lie in its time. */
static struct lane_error *solve_worst(const struct listener *l, const struct session *again,
				      const struct lane_critical_end *end,
				      struct lane_critical_path *path)
{
	struct lane_error *err = latency_critical_solve(l->critical, again->timeline, l->from_ns,
							l->to_ns, end, path);

	if (!err || err == &lane_enomem)
		return err;
	lane_error_free(err);
	return NULL;
}

struct lane_error *session_worst(const struct session *session, struct lane_explain *explain,
				 struct lane_critical_path *path)
{
	static const struct lane_critical_wanted longest = { .by_time = false };
	const struct lane_latency *latency = &session->latency;
	LANE_CLEANUP(session_deinit) struct session again = session_again(session);
	struct listener l = { .most = MOST_ON_A_PAGE };
	struct session_listener listeners[] = { { &l, path_begin, NULL },
						session_evidence(explain) };
	struct lane_critical_end end;
	struct lane_error *err =
		latency_critical_end(latency, &longest, &l.from_ns, &l.to_ns, &end);

	for (uint32_t i = 0; i < latency->n_worst && !err; i++)
		err = latency_explain_add(explain, latency->worst[i].request.context->ctx,
					  latency->worst[i].request.seqno);
	again.listeners = listeners;
	again.n_listeners = 2;
	if (!err)
		err = session_read(&again);
	again.listeners = NULL;
	again.n_listeners = 0;
	if (!err)
		err = latency_explain_end(explain, again.timeline);
	for (size_t i = 0; i < explain->n; i++)
		explain->of[i].request.engine = path_engine_of(latency, &explain->of[i]);
	if (!err)
		err = solve_worst(&l, &again, &end, path);
	latency_critical_destroy(l.critical);
	return err;
}

// SPDX-License-Identifier: MIT
// Two readings: where the path ends, then what lies on it.
#include "session/path.h"

#include "base/cleanup.h"
#include "session/evidence.h"

struct listener {
	uint64_t from_ns, to_ns;
	struct lane_critical *critical;
};

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct listener *l = arg;
	struct lane_error *err;

	latency_critical_destroy(LANE_TAKE(l->critical));
	err = latency_critical_create(info, l->from_ns, l->to_ns, &l->critical);
	if (!err)
		*hooks = latency_critical_hooks(l->critical);
	return err;
}

struct lane_error *session_critical(struct session *session,
				    const struct lane_critical_wanted *wanted,
				    struct session *again, struct lane_critical_path *path)
{
	struct listener l = { 0 };
	const struct session_listener listener = { &l, begin, NULL };
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
	struct listener l = { latency_critical_flip_from(flip), flip->shown_ns, NULL };
	struct session_listener listeners[] = { { &l, begin, NULL }, session_evidence(explain) };
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

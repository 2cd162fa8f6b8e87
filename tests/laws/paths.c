// SPDX-License-Identifier: MIT
// A law of critical paths, of every request of each recording that is named: the pieces follow each
// other from the first to the last time, and their sums by kind are the stages of the request,
// bounds and all.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "latency/critical.h"
#include "session/session.h"

struct reading {
	const char *path;
	struct lane_critical *critical;
	struct lane_hooks hooks; /* the critical path's own */
	struct lane_trace_info
		info; /* a copy: the one that is told is gone when all has been read */
	struct lane_request *told;
	size_t n, room;
};

static unsigned long n_requests, n_broken;

static void broken(const struct reading *r, const struct lane_request *rq, const char *what,
		   struct lane_span path, struct lane_span own)
{
	if (n_broken++ < 10)
		printf("%s: path of %u/%" PRIu64 "/%u: %s is %" PRIu64 "..%" PRIu64
		       ", the request's %" PRIu64 "..%" PRIu64 "\n",
		       r->path, rq->context->dev, rq->context->ctx, rq->seqno, what, path.lo,
		       path.hi, own.lo, own.hi);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct reading *r = arg;

	r->hooks.request(r->hooks.arg, rq);
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 256;
		r->told = realloc(r->told, r->room * sizeof(*r->told));
		if (!r->told)
			abort();
	}
	r->told[r->n++] = *rq;
}

#define FORWARD(hook, type)                                                                        \
	static void on_##hook(void *arg, const struct type *told)                                  \
	{                                                                                          \
		struct reading *r = arg;                                                           \
                                                                                                   \
		r->hooks.hook(r->hooks.arg, told);                                                 \
	}
FORWARD(run, lane_run)
FORWARD(preemption, lane_preemption)
FORWARD(thread, lane_thread_interval)
FORWARD(starvation, lane_starvation)

static struct lane_error *on_begin(void *arg, const struct lane_trace_info *info,
				   struct lane_hooks *hooks)
{
	struct reading *r = arg;
	struct lane_error *err;

	latency_critical_destroy(r->critical);
	r->critical = NULL;
	r->n = 0;
	r->info = *info;
	err = latency_critical_create(info, 0, UINT64_MAX, 1u << 23, &r->critical);
	if (err)
		return err;
	r->hooks = latency_critical_hooks(r->critical);
	*hooks = (struct lane_hooks){ .arg = r,
				      .request = on_request,
				      .run = on_run,
				      .preemption = on_preemption,
				      .thread = on_thread,
				      .starvation = on_starvation };
	return NULL;
}

/* The kinds that are stages of a request, without prepare: there its thread is followed. */
static const struct {
	enum lane_critical_kind kind;
	enum lane_stage stage;
} kinds[] = {
	{ LANE_CRITICAL_DEPENDENCY, LANE_STAGE_DEPENDENCY },
	{ LANE_CRITICAL_HOST_QUEUE, LANE_STAGE_HOST_QUEUE },
	{ LANE_CRITICAL_DEVICE_QUEUE, LANE_STAGE_DEVICE_QUEUE },
	{ LANE_CRITICAL_RUNNING, LANE_STAGE_RUNNING },
	{ LANE_CRITICAL_PREEMPTED, LANE_STAGE_PREEMPTED },
	{ LANE_CRITICAL_SIGNAL, LANE_STAGE_SIGNAL },
};

static void check_pieces(const struct reading *r, const struct lane_request *rq,
			 const struct lane_critical_path *path)
{
	struct lane_span piece, whole = { path->from_ns, path->to_ns };
	uint64_t at = path->from_ns;

	for (size_t i = 0; i < path->n_segments; i++) {
		const struct lane_critical_segment *s = &path->segments[i];

		piece = (struct lane_span){ s->begin_ns, s->end_ns };
		if (s->begin_ns != at || s->end_ns < at || !s->lasted.hi ||
		    s->lasted.lo > s->end_ns - at || s->lasted.hi < s->end_ns - at)
			broken(r, rq, "a piece", piece, s->lasted);
		at = s->end_ns;
	}
	if (at != path->to_ns)
		broken(r, rq, "the last piece's end", (struct lane_span){ at, at }, whole);
}

static void compare(const struct reading *r, const struct lane_request *rq, const char *what,
		    struct lane_span path, struct lane_span own)
{
	if (path.lo != own.lo || path.hi != own.hi)
		broken(r, rq, what, path, own);
}

/* The path from the request's first own time to its last. What is unknown of it is unknown. */
static struct lane_error *check_request(const struct reading *r,
					const struct lane_timeline *timeline,
					const struct lane_request *rq)
{
	struct lane_critical_end end = { -1, rq->context->ctx, rq->context->dev, rq->seqno };
	int first = rq->after ? LANE_POINT_SUBMIT : LANE_POINT_ADD, last = LANE_POINT_COUNT - 1;
	struct lane_critical_path path;
	struct lane_span unknown;
	struct lane_stages stages;
	enum lane_stage from;
	struct lane_points p;
	struct lane_error *err;

	latency_points_of(&r->info, rq, &p);
	latency_stages_of(&r->info, rq, &stages);
	while (first < LANE_POINT_COUNT && !p.known[first])
		first++;
	while (last > first && !p.known[last])
		last--;
	if (first >= last || p.at[first].lo >= p.at[last].hi)
		return NULL;
	n_requests++;
	err = latency_critical_solve(r->critical, timeline, p.at[first].lo, p.at[last].hi, &end,
				     &path);
	if (err)
		return err;
	check_pieces(r, rq, &path);
	from = first == LANE_POINT_END ? LANE_STAGE_SIGNAL : (enum lane_stage)first;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		/* What an engine may have waited for another one (docs/analysis.md) the path has
		 * as running. */
		if (kinds[i].stage >= from &&
		    (!rq->spin_until_ns || (kinds[i].stage != LANE_STAGE_RUNNING &&
					    kinds[i].stage != LANE_STAGE_DEPENDENCY)))
			compare(r, rq, lane_critical_kind_names[kinds[i].kind],
				path.kinds[kinds[i].kind], stages.ns[kinds[i].stage]);
	/* The path begins at the first possible time; from there to the end is not known. */
	unknown = (struct lane_span){ 0, p.at[first].hi - p.at[first].lo };
	for (unsigned int i = 0; i < stages.n_gaps; i++)
		if (stages.gaps[i].stages >> from)
			timeline_span_add(&unknown, stages.gaps[i].ns);
	compare(r, rq, "unknown", path.kinds[LANE_CRITICAL_UNKNOWN], unknown);
	latency_critical_path_free(&path);
	return NULL;
}

int main(int argc, char **argv)
{
	for (int k = 1; k < argc; k++) {
		struct lane_place place = { .path = argv[k] };
		struct reading r = { .path = argv[k] };
		struct session_listener listener = { .arg = &r, .begin = on_begin };
		struct session session = { .place = &place,
					   .depth = SESSION_STORIES,
					   .damage = { .command = "paths", .is_quiet = true } };
		struct lane_error *err = session_read_to(&session, &listener);

		for (size_t i = 0; i < r.n && !err; i++)
			err = check_request(&r, session.timeline, &r.told[i]);
		if (err) {
			n_broken++;
			printf("%s: %s\n", argv[k], lane_error_message(err));
			lane_error_free(err);
		}
		free(r.told);
		latency_critical_destroy(r.critical);
		session_deinit(&session);
	}
	printf("%lu requests of %d recordings, %lu broken\n", n_requests, argc - 1, n_broken);
	return n_broken || !n_requests;
}

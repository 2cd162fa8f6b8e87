// SPDX-License-Identifier: MIT
// Keeps what the critical path needs, while a recording is read.
#include "latency/critical_internal.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

const char *const lane_critical_kind_names[LANE_CRITICAL_KIND_COUNT] = {
	[LANE_CRITICAL_COMPUTING] = "computing",
	[LANE_CRITICAL_RUNQUEUE] = "runqueue",
	[LANE_CRITICAL_BLOCKED] = "blocked",
	[LANE_CRITICAL_WAKE] = "wake",
	[LANE_CRITICAL_PREPARE] = "prepare",
	[LANE_CRITICAL_DEPENDENCY] = "dependency",
	[LANE_CRITICAL_HOST_QUEUE] = "host_queue",
	[LANE_CRITICAL_DEVICE_QUEUE] = "device_queue",
	[LANE_CRITICAL_RUNNING] = "running",
	[LANE_CRITICAL_PREEMPTED] = "preempted",
	[LANE_CRITICAL_ON_AND_OFF] = "running_or_preempted",
	[LANE_CRITICAL_SIGNAL] = "signal",
	[LANE_CRITICAL_REFRESH] = "refresh",
	[LANE_CRITICAL_UNKNOWN] = "unknown",
};

static bool overlaps(const struct lane_critical *c, uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns >= c->from_ns && begin_ns <= c->to_ns;
}

static void on_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct lane_critical *c = arg;
	struct lane_crit_state *state;

	if (interval->begin_ns == interval->end_ns ||
	    !overlaps(c, interval->begin_ns, interval->end_ns))
		return;
	state = LANE_CRIT_PUSH(c, states);
	if (!state)
		return;
	*state = (struct lane_crit_state){
		.begin_ns = interval->begin_ns,
		.end_ns = interval->end_ns,
		.tid = interval->thread->tid,
		.waker = interval->waker_tid,
		.state = (uint8_t)interval->state,
		.wait_context = interval->wait ? interval->wait->context->id : LANE_CRITICAL_NONE,
		.wait_seqno = interval->wait ? interval->wait->seqno : 0,
		.client = interval->thread->client ? interval->thread->client->id
						   : LANE_CRITICAL_NONE,
	};
	memcpy(state->comm, interval->thread->comm, sizeof(state->comm));
}

static void on_starvation(void *arg, const struct lane_starvation *starvation)
{
	struct lane_critical *c = arg;
	struct lane_crit_slice *slice;

	if (!overlaps(c, starvation->begin_ns, starvation->end_ns))
		return;
	slice = LANE_CRIT_PUSH(c, slices);
	if (!slice)
		return;
	slice->begin_ns = starvation->begin_ns;
	slice->end_ns = starvation->end_ns;
	slice->victim = starvation->victim->tid;
	slice->tid = starvation->tid;
	memcpy(slice->comm, starvation->comm, sizeof(slice->comm));
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct lane_critical *c = arg;
	struct lane_crit_run *kept;

	if (run->is_unsure || run->begin.hi > run->end.hi ||
	    !overlaps(c, run->begin.lo, run->end.hi))
		return;
	kept = LANE_CRIT_PUSH(c, runs);
	if (kept)
		*kept = (struct lane_crit_run){
			run->begin,	     run->end,
			run->engine->id,     run->request->context->id,
			run->request->seqno, timeline_client_of(run->request)->id
		};
}

static void on_preemption(void *arg, const struct lane_preemption *p)
{
	struct lane_critical *c = arg;
	struct lane_crit_preemption *kept;

	if (p->at.lo > c->to_ns || p->unless_ns) /* a path has what is certain */
		return;
	kept = LANE_CRIT_PUSH(c, preemptions);
	if (kept)
		*kept = (struct lane_crit_preemption){ p->victim->context->id, p->victim->seqno,
						       p->engine->id, p->at, p->lasted };
}

/* It was over before the interval began. */
static bool was_before(const struct lane_critical *c, const struct lane_request *rq)
{
	if (rq->seen & LANE_SEEN_SIGNAL)
		return rq->signal_ns < c->from_ns;
	if (rq->seen & LANE_SEEN_RETIRE)
		return rq->retire_ns < c->from_ns;
	return timeline_end_is_known(rq) && rq->end.hi < c->from_ns;
}

/* Most requests are over before the interval begins: what is kept of them does not add up. Only the
 * last preemptions are looked at. */
static void forget_preemptions(struct lane_critical *c, const struct lane_request *rq)
{
	enum {
		LAST = 4096,
	};
	struct lane_crit_preemption *all = c->preemptions.v;
	size_t first = c->preemptions.n > LAST ? c->preemptions.n - LAST : 0;
	uint32_t left = rq->preemptions;

	for (size_t i = c->preemptions.n; left && i-- > first;) {
		if (all[i].context != rq->context->id || all[i].seqno != rq->seqno)
			continue;
		all[i] = all[--c->preemptions.n];
		left--;
	}
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_critical *c = arg;
	struct lane_crit_request *kept;
	struct lane_stages stages;

	if (was_before(c, rq)) {
		forget_preemptions(c, rq);
		return;
	}
	if ((rq->seen & LANE_SEEN_ADD) && rq->add_ns > c->to_ns)
		return;
	kept = LANE_CRIT_PUSH(c, requests);
	if (!kept)
		return;
	latency_points_of(&c->info, rq, &kept->points);
	latency_stages_of(&c->info, rq, &stages);
	kept->has_run = stages.known & 1u << LANE_STAGE_RUNNING;
	kept->start = rq->start;
	kept->device = stages.ns[LANE_STAGE_DEVICE_QUEUE];
	kept->running = stages.ns[LANE_STAGE_RUNNING];
	kept->preempted = stages.ns[LANE_STAGE_PREEMPTED];
	kept->context = rq->context->id;
	kept->seqno = rq->seqno;
	kept->client = timeline_client_of(rq)->id;
	kept->engine = rq->engine ? rq->engine->id : LANE_CRITICAL_NONE;
	kept->after = rq->after ? rq->after->id : LANE_CRITICAL_NONE;
	kept->after_seqno = rq->after_seqno;
	kept->preemptions = rq->preemptions;
	kept->tid = rq->tid;
	for (int i = 0; rq->actors && i < LANE_ACTORS; i++)
		kept->starved_by[i] = rq->actors[i].by;
	if (!lane_table_get(&c->by_request, kept->context, kept->seqno) &&
	    !lane_table_put(&c->by_request, kept->context, kept->seqno,
			    (void *)(uintptr_t)c->requests.n))
		c->no_memory = true;
}

struct lane_error *latency_critical_create(const struct lane_trace_info *info, uint64_t from_ns,
					   uint64_t to_ns, size_t most,
					   struct lane_critical **critical)
{
	struct lane_critical *c = calloc(1, sizeof(*c));

	if (!c)
		return &lane_enomem;
	c->info = *info;
	c->from_ns = from_ns;
	c->to_ns = to_ns;
	c->most = most;
	*critical = c;
	return NULL;
}

struct lane_hooks latency_critical_hooks(struct lane_critical *critical)
{
	return (struct lane_hooks){
		.arg = critical,
		.request = on_request,
		.run = on_run,
		.preemption = on_preemption,
		.thread = on_thread,
		.starvation = on_starvation,
	};
}

LANE_ORDER(by_thread, struct lane_crit_state, LANE_UP(tid) ?: LANE_UP(begin_ns))
LANE_ORDER(by_victim, struct lane_crit_slice, LANE_UP(victim) ?: LANE_UP(begin_ns))
LANE_ORDER(by_engine, struct lane_crit_run, LANE_UP(engine) ?: LANE_UP(begin.hi))
LANE_ORDER(by_victim_request, struct lane_crit_preemption,
	   LANE_UP(context) ?: LANE_UP(seqno) ?: LANE_UP(at.hi))

/* A thread's state from before the first context of its process has no client. It gets the client
 * of the thread's next state. */
static void fill_clients(struct lane_critical *c)
{
	for (size_t i = c->states.n; i-- > 1;)
		if (c->states.v[i - 1].tid == c->states.v[i].tid &&
		    c->states.v[i - 1].client == LANE_CRITICAL_NONE)
			c->states.v[i - 1].client = c->states.v[i].client;
}

static void sort_all(struct lane_critical *c)
{
	if (c->is_sorted)
		return;
	LANE_SORT(c->states.v, c->states.n, by_thread);
	LANE_SORT(c->slices.v, c->slices.n, by_victim);
	LANE_SORT(c->runs.v, c->runs.n, by_engine);
	LANE_SORT(c->preemptions.v, c->preemptions.n, by_victim_request);
	fill_clients(c);
	c->is_sorted = true;
}

static struct lane_error *critical_state_of(const struct lane_critical *c)
{
	if (c->no_memory)
		return &lane_enomem;
	return c->is_full ? lane_error("the interval holds too much for a critical path "
				       "(choose a shorter one)")
			  : NULL;
}

struct lane_error *latency_critical_solve(struct lane_critical *c,
					  const struct lane_timeline *timeline, uint64_t from_ns,
					  uint64_t to_ns, const struct lane_critical_end *end,
					  struct lane_critical_path *path)
{
	struct lane_critical_segment *segments = NULL;
	struct lane_error *err = critical_state_of(c);

	memset(path, 0, sizeof(*path));
	if (err)
		return err;
	sort_all(c);
	if (!latency_critical_walk(c, timeline, from_ns, to_ns, end)) {
		err = critical_state_of(c);
		return err ? err : lane_error("nothing of the interval's end is in the recording");
	}
	segments = malloc((c->segments.n + 1) * sizeof(*segments));
	if (!segments)
		return &lane_enomem;
	for (size_t i = 0; i < c->segments.n; i++) /* the walk found them last first */
		segments[i] = c->segments.v[c->segments.n - 1 - i];
	*path = (struct lane_critical_path){ .from_ns = from_ns,
					     .to_ns = to_ns,
					     .end = *end,
					     .segments = segments,
					     .n_segments = c->segments.n };
	memcpy(path->kinds, c->kinds, sizeof(path->kinds));
	return NULL;
}

void latency_critical_path_free(struct lane_critical_path *path)
{
	free(path->segments);
	path->segments = NULL;
}

void latency_critical_destroy(struct lane_critical *c)
{
	if (!c)
		return;
	free(c->states.v);
	free(c->slices.v);
	free(c->runs.v);
	free(c->requests.v);
	free(c->preemptions.v);
	free(c->segments.v);
	lane_table_free(&c->by_request);
	free(c);
}

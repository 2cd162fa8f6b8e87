// SPDX-License-Identifier: MIT
// What the critical path keeps while a recording is read.
#include "latency/critical_internal.h"

#include <stdlib.h>
#include <string.h>

/* Of one kind in the interval; more is refused. */
#define MAX_KEPT (1u << 23)

const char *const lane_critical_kind_names[LANE_CRITICAL_KIND_COUNT] = {
	[LANE_CRITICAL_COMPUTING] = "computing",       [LANE_CRITICAL_RUNQUEUE] = "runqueue",
	[LANE_CRITICAL_BLOCKED] = "blocked",	       [LANE_CRITICAL_WAKE] = "wake",
	[LANE_CRITICAL_DEPENDENCY] = "dependency",     [LANE_CRITICAL_HOST_QUEUE] = "host_queue",
	[LANE_CRITICAL_DEVICE_QUEUE] = "device_queue", [LANE_CRITICAL_RUNNING] = "running",
	[LANE_CRITICAL_PREEMPTED] = "preempted",       [LANE_CRITICAL_SIGNAL] = "signal",
	[LANE_CRITICAL_UNKNOWN] = "unknown",
};

void *lane_crit_push(struct lane_critical *c, void *vec, size_t size)
{
	LANE_CRIT_VEC(char) *list = vec;
	char *element;

	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 256;
		char *more = room <= MAX_KEPT ? realloc(list->v, room * size) : NULL;

		if (!more) {
			c->full |= room > MAX_KEPT;
			c->no_memory |= room <= MAX_KEPT;
			return NULL;
		}
		list->v = more;
		list->room = room;
	}
	element = list->v + size * list->n++;
	memset(element, 0, size);
	return element;
}

#define PUSH(c, vec) lane_crit_push((c), &(c)->vec, sizeof(*(c)->vec.v))

static bool overlaps(const struct lane_critical *c, uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns >= c->from_ns && begin_ns <= c->to_ns;
}

static void on_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct lane_critical *c = arg;
	struct lane_crit_state *state;

	if (!overlaps(c, interval->begin_ns, interval->end_ns))
		return;
	state = PUSH(c, states);
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
	};
}

static void on_starvation(void *arg, const struct lane_starvation *starvation)
{
	struct lane_critical *c = arg;
	struct lane_crit_slice *slice;

	if (!overlaps(c, starvation->begin_ns, starvation->end_ns))
		return;
	slice = PUSH(c, slices);
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

	if (run->doubtful || run->begin.hi > run->end.hi ||
	    !overlaps(c, run->begin.hi, run->end.hi))
		return;
	kept = PUSH(c, runs);
	if (kept)
		*kept = (struct lane_crit_run){ run->begin.hi, run->end.hi, run->engine->id,
						run->request->context->id, run->request->seqno };
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_critical *c = arg;
	struct lane_crit_request *kept;

	if ((rq->seen & LANE_SEEN_SIGNAL) && rq->signal_ns < c->from_ns)
		return;
	if ((rq->seen & LANE_SEEN_ADD) && rq->add_ns > c->to_ns)
		return;
	kept = PUSH(c, requests);
	if (!kept)
		return;
	kept->context = rq->context->id;
	kept->seqno = rq->seqno;
	kept->engine = rq->engine ? rq->engine->id : LANE_CRITICAL_NONE;
	kept->tid = rq->tid;
	kept->add_ns = rq->add_ns;
	kept->submit_ns = rq->submit_ns;
	kept->execute_ns = rq->execute_ns;
	kept->start_ns = rq->started ? rq->start.lo : 0;
	kept->end_ns =
		rq->state == LANE_RQ_STATE_ENDED && !(rq->doubt & LANE_DOUBT_END) ? rq->end.hi : 0;
	kept->signal_ns = rq->signal_ns;
	if (!lane_table_get(&c->by_request, kept->context, kept->seqno) &&
	    !lane_table_put(&c->by_request, kept->context, kept->seqno,
			    (void *)(uintptr_t)c->requests.n))
		c->no_memory = true;
	if (!lane_table_get(&c->by_fence, rq->context->ctx, kept->seqno) &&
	    !lane_table_put(&c->by_fence, rq->context->ctx, kept->seqno,
			    (void *)(uintptr_t)c->requests.n))
		c->no_memory = true;
}

struct lane_error *lane_critical_create(uint64_t from_ns, uint64_t to_ns,
					struct lane_critical **critical)
{
	struct lane_critical *c = calloc(1, sizeof(*c));

	if (!c)
		return &lane_enomem;
	c->from_ns = from_ns;
	c->to_ns = to_ns;
	*critical = c;
	return NULL;
}

struct lane_hooks lane_critical_hooks(struct lane_critical *critical)
{
	return (struct lane_hooks){
		.arg = critical,
		.request = on_request,
		.run = on_run,
		.thread = on_thread,
		.starvation = on_starvation,
	};
}

static struct lane_crit_cpu *cpu_of(struct lane_critical *c, int32_t cpu)
{
	struct lane_crit_cpu *more;

	if (cpu < 0 || cpu >= 65536)
		return NULL;
	if ((uint32_t)cpu >= c->n_cpus) {
		more = realloc(c->cpus, ((size_t)cpu + 1) * sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return NULL;
		}
		memset(more + c->n_cpus, 0, ((size_t)cpu + 1 - c->n_cpus) * sizeof(*more));
		c->cpus = more;
		c->n_cpus = (uint32_t)cpu + 1;
	}
	return &c->cpus[cpu];
}

/* A submit that comes straight out of a signal, or of the submit before it, on its CPU. */
static void on_submit(struct lane_critical *c, const struct lane_crit_cpu *cpu,
		      const struct lane_event *event)
{
	uint64_t key = (uint64_t)event->u.rq.dev << 32 | event->u.rq.seqno;
	struct lane_crit_dep *dep;

	if (!cpu->valid || lane_table_get(&c->by_dep, event->u.rq.ctx, key))
		return;
	dep = PUSH(c, deps);
	if (!dep)
		return;
	*dep = (struct lane_crit_dep){ event->u.rq.ctx, cpu->ctx, event->u.rq.seqno, cpu->seqno,
				       event->u.rq.dev };
	if (!lane_table_put(&c->by_dep, dep->ctx, key, (void *)(uintptr_t)c->deps.n))
		c->no_memory = true;
}

void lane_critical_event(struct lane_critical *c, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;
	struct lane_crit_cpu *cpu;

	if (event->wire.ts_ns < c->from_ns || event->wire.ts_ns > c->to_ns)
		return;
	cpu = cpu_of(c, event->cpu);
	if (!cpu)
		return;
	if (kind == LANE_FENCE_SIGNALED) {
		*cpu = (struct lane_crit_cpu){ event->u.fence.context,
					       (uint32_t)event->u.fence.seqno, true };
	} else if (kind == LANE_RQ_SUBMIT) {
		on_submit(c, cpu, event);
	} else if (kind != LANE_RQ_EXECUTE && kind != LANE_RQ_IN && kind != LANE_RQ_GUC_SUBMIT &&
		   (kind < LANE_WAKING || kind > LANE_MIGRATE)) {
		cpu->valid = false;
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct lane_crit_state *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static int by_victim(const void *a, const void *b)
{
	const struct lane_crit_slice *x = a, *y = b;

	if (x->victim != y->victim)
		return x->victim < y->victim ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static int by_engine(const void *a, const void *b)
{
	const struct lane_crit_run *x = a, *y = b;

	if (x->engine != y->engine)
		return x->engine < y->engine ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static struct lane_error *state_of(const struct lane_critical *c)
{
	if (c->no_memory)
		return &lane_enomem;
	return c->full ? lane_error("the interval holds too much for a critical path "
				    "(choose a shorter one)")
		       : NULL;
}

struct lane_error *lane_critical_solve(struct lane_critical *c,
				       const struct lane_timeline *timeline,
				       const struct lane_critical_end *end,
				       struct lane_critical_path *path)
{
	struct lane_critical_segment *segments = NULL;
	struct lane_error *err = state_of(c);

	memset(path, 0, sizeof(*path));
	if (err)
		return err;
	if (c->states.n)
		qsort(c->states.v, c->states.n, sizeof(*c->states.v), by_thread);
	if (c->slices.n)
		qsort(c->slices.v, c->slices.n, sizeof(*c->slices.v), by_victim);
	if (c->runs.n)
		qsort(c->runs.v, c->runs.n, sizeof(*c->runs.v), by_engine);
	if (!lane_critical_walk(c, timeline, end)) {
		err = state_of(c);
		return err ? err : lane_error("nothing of the interval's end is in the recording");
	}
	segments = malloc((c->segments.n + 1) * sizeof(*segments));
	if (!segments)
		return &lane_enomem;
	for (size_t i = 0; i < c->segments.n; i++) /* they were found backwards */
		segments[i] = c->segments.v[c->segments.n - 1 - i];
	*path = (struct lane_critical_path){ c->from_ns, c->to_ns, *end, segments, c->segments.n };
	return NULL;
}

void lane_critical_path_free(struct lane_critical_path *path)
{
	free(path->segments);
	path->segments = NULL;
}

void lane_critical_destroy(struct lane_critical *c)
{
	if (!c)
		return;
	free(c->states.v);
	free(c->slices.v);
	free(c->runs.v);
	free(c->requests.v);
	free(c->deps.v);
	free(c->segments.v);
	lane_table_free(&c->by_request);
	lane_table_free(&c->by_fence);
	lane_table_free(&c->by_dep);
	free(c->cpus);
	free(c);
}

// SPDX-License-Identifier: MIT
// Memory's stalls: sums, what they lengthened, and whether they are why some were late.
#include "latency/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"
#include "latency/latency.h"
#include "latency/sums.h"

#define MAX_SUMS 4096
/* Times by size: two buckets an octave. */
#define BUCKETS 128
/* Fewer say nothing of what is typical. */
#define LEAST 8
/* Less is not worth a word. */
#define LEAST_NS 100000
/* The kernel's own, which no program sees, are more. */
#define MOST_ERRNO 512

const char *const lane_lengthened_names[LANE_LENGTHENED_KINDS] = {
	[LANE_LENGTHENED_HOST] = "host",
	[LANE_LENGTHENED_PREPARE] = "prepare",
	[LANE_LENGTHENED_DEPENDENCY] = "dependency",
	[LANE_LENGTHENED_DEVICE] = "device_queue",
	[LANE_LENGTHENED_COMMAND] = "command",
	[LANE_LENGTHENED_WAITED] = "waited",
	[LANE_LENGTHENED_START] = "start",
	[LANE_LENGTHENED_CALL] = "call",
	[LANE_LENGTHENED_WAKE] = "wake",
};

const char *const lane_late_names[LANE_LATES] = {
	[LANE_LATE_REQUEST] = "request", [LANE_LATE_SUBMIT] = "submission",
	[LANE_LATE_COMMAND] = "command", [LANE_LATE_WAITED] = "wait",
	[LANE_LATE_CALL] = "call",	 [LANE_LATE_START] = "start",
	[LANE_LATE_LAUNCH] = "launch",	 [LANE_LATE_HELD] = "held",
};

struct bucket {
	uint64_t n, ns;
	uint64_t explained[LANE_STALL_CAUSES];
};

struct measure {
	uint64_t n;
	struct bucket *buckets[BUCKETS]; /* NULL: empty */
	/* Of each cause, the sum that had most in one. */
	struct {
		uint32_t sum;
		uint64_t ns;
	} most[LANE_STALL_CAUSES];
};

struct lane_memory_client {
	struct measure *measures[LANE_LATES]; /* NULL: nothing was measured */
};

static const struct bucket no_bucket;

/* What of one time each cause had. */
struct explained {
	uint64_t ns[LANE_STALL_CAUSES];
	uint64_t upto_ns[LANE_STALL_CAUSES]; /* from then on it is counted */
	uint32_t sum[LANE_STALL_CAUSES];
};

void latency_memory_init(struct lane_memory *memory, const struct lane_trace_info *info)
{
	for (int kind = LANE_RECLAIM_BEGIN; kind <= LANE_CPU_IDLE; kind++)
		memory->is_recorded |= info->presence[kind] != LANE_PRESENCE_ABSENT;
	memory->has_i915 = info->presence[LANE_RQ_QUEUE] == LANE_PRESENCE_RECORDED ||
			   info->presence[LANE_RQ_ADD] == LANE_PRESENCE_RECORDED;
	memory->has_jobs = info->presence[LANE_DRM_QUEUE] == LANE_PRESENCE_RECORDED;
	for (int i = 0; i < LANE_SUBMITTERS; i++)
		memory->submitters[i].tid = -1;
	memory->client_pool.size = sizeof(struct lane_memory_client);
	memory->measure_pool.size = sizeof(struct measure);
	memory->bucket_pool.size = sizeof(struct bucket);
}

/* ---- sums ---- */

/* It holds up all queues of an address space. */
static bool is_of_space(uint8_t cause)
{
	return cause == LANE_STALL_REBIND || cause == LANE_STALL_FAULT ||
	       cause == LANE_STALL_WORKER;
}

/* It holds up its thread. A move and a preempt fence hold up the job that waits for them; of what
 * was refused no submission is seen. */
static bool is_of_thread(uint8_t cause)
{
	return !is_of_space(cause) && cause != LANE_STALL_MOVE && cause != LANE_STALL_PREEMPT &&
	       cause != LANE_STALL_REFUSED;
}

/* The process of whom it holds up, that moves, or whose queue is to leave the GPU. */
static int32_t whose(const struct lane_stall *stall)
{
	if (is_of_space(stall->cause) || stall->cause == LANE_STALL_PREEMPT)
		return stall->client ? stall->client->pid : -1;
	return stall->pid;
}

/* The sum that a stall counts in; NULL: there are too many, or no memory. */
static struct lane_stall_sum *memory_sum_of(struct lane_memory *memory,
					    const struct lane_stall *stall)
{
	struct lane_stall_sum is = { .cause = stall->cause, .pid = whose(stall) };
	uint64_t a = (uint64_t)stall->cause << 32 | (uint32_t)is.pid, b;
	struct lane_stall_sum *sum;
	bool fresh;

	memcpy(is.from, stall->from, strnlen(stall->from, sizeof(is.from) - 1));
	memcpy(is.to, stall->to, strnlen(stall->to, sizeof(is.to) - 1));
	b = lane_hash_text(is.from) * 31 + lane_hash_text(is.to);
	sum = latency_sum_of((struct lane_sums_at){ &memory->by_key, &memory->sums, &memory->n,
						    &memory->room, MAX_SUMS, sizeof(*memory->sums),
						    &memory->no_memory },
			     a, b, &fresh);
	if (!sum || !fresh)
		return sum;
	is.first_ns = stall->begin_ns;
	*sum = is;
	return sum;
}

static struct lane_stall_note *note_at(const struct lane_memory *memory, uint64_t number)
{
	return &memory->notes[number % LANE_STALL_NOTES];
}

static void memory_keep(struct lane_memory *memory, const struct lane_stall *stall, uint32_t sum)
{
	struct lane_stall_note *note;
	uint64_t told_ns = stall->end_ns;

	if (!memory->notes)
		memory->notes = calloc(LANE_STALL_NOTES, sizeof(*memory->notes));
	if (!memory->notes) {
		memory->no_memory = true;
		return;
	}
	if (memory->n_notes && note_at(memory, memory->n_notes - 1)->told_ns > told_ns)
		told_ns = note_at(memory, memory->n_notes - 1)->told_ns;
	note = note_at(memory, memory->n_notes++);
	if (note->ctx)
		lane_table_del(&memory->by_job, note->ctx, note->seqno);
	*note = (struct lane_stall_note){ .cause = stall->cause,
					  .is_only_space = stall->is_only_space,
					  .tid = stall->tid,
					  .client_pid = stall->client ? stall->client->pid : -1,
					  .begin_ns = stall->begin_ns,
					  .end_ns = stall->end_ns,
					  .told_ns = told_ns,
					  .ctx = stall->ctx,
					  .seqno = stall->seqno,
					  .sum = sum };
	if (!stall->ctx)
		return;
	lane_table_del(&memory->by_job, stall->ctx, stall->seqno);
	if (!lane_table_put(&memory->by_job, stall->ctx, stall->seqno, note))
		memory->no_memory = true;
}

static void note_sleep(struct lane_stall_sum *sum, const struct lane_stall *stall)
{
	if (!sum->count || stall->leave_ns > sum->leave_ns)
		sum->leave_ns = stall->leave_ns;
	if (!sum->count || stall->khz < sum->khz_lo)
		sum->khz_lo = stall->khz;
	if (stall->khz > sum->khz_hi)
		sum->khz_hi = stall->khz;
}

/* A signal, a time that the caller gave, and what is tried again are no failures. */
static bool has_failed(int32_t error)
{
	return error && error > -MOST_ERRNO && error != -EINTR && error != -EAGAIN &&
	       error != -ETIME;
}

void latency_memory_any(uint64_t *ns, uint64_t *until_ns, uint64_t begin_ns, uint64_t end_ns)
{
	begin_ns = timeline_later(begin_ns, *until_ns);
	if (end_ns <= begin_ns)
		return;
	*ns += end_ns - begin_ns;
	*until_ns = end_ns;
}

/* Since when a call fails: where none of the process' submissions worked since the last one that
 * failed, since then; else since the last one that did. */
static uint64_t fails_since(const struct lane_memory *memory, struct lane_stall_sum *sum,
			    const struct lane_stall *stall)
{
	const struct lane_under_way *own =
		&memory->under_way[(uint32_t)stall->pid % LANE_SUBMITTERS];
	bool is_seen = strcmp(stall->from, "EXECBUFFER2") ? memory->has_jobs : memory->has_i915;

	if (stall->cause != LANE_STALL_REFUSED)
		return stall->begin_ns;
	if (!sum->failed)
		sum->failed_from_ns = stall->begin_ns;
	sum->may_have_worked |= !is_seen || stall->pid <= 0 ||
				(own->pid && own->pid != stall->pid) ||
				memory->nobodys_ns >= sum->failed_from_ns;
	if (own->submitted_ns >= (sum->failed ? sum->failed_until_ns : stall->begin_ns))
		return timeline_later(stall->begin_ns, own->submitted_ns);
	return sum->failed ? sum->failed_until_ns : stall->begin_ns;
}

uint64_t latency_memory_none_worked(const struct lane_latency *latency,
				    const struct lane_stall_sum *sum)
{
	uint64_t lost_ns =
		latency_ahead_lost_ns(&latency->ahead, sum->failed_from_ns, sum->failed_until_ns);

	if (sum->cause != LANE_STALL_REFUSED || sum->may_have_worked || lost_ns >= sum->failed_ns)
		return 0;
	return sum->failed_ns - lost_ns;
}

void latency_memory_stall(struct lane_latency *latency, const struct lane_stall *stall)
{
	struct lane_memory *memory = &latency->memory;
	struct lane_stall_sum *sum = memory_sum_of(memory, stall);
	uint64_t ns = stall->end_ns - stall->begin_ns;

	if (!sum)
		return;
	if (*stall->comm)
		memcpy(sum->comm, stall->comm, sizeof(sum->comm));
	if (stall->cause == LANE_STALL_SLEEP)
		note_sleep(sum, stall);
	if (!stall->is_more) {
		sum->count++;
		sum->bytes += stall->bytes;
		sum->unsure += !stall->is_sure;
		if (stall->is_sure && stall->cause != LANE_STALL_MOVE) {
			sum->ns += ns;
			latency_memory_any(&sum->any_ns, &sum->any_until_ns, stall->begin_ns,
					   stall->end_ns);
			sum->max_ns = ns > sum->max_ns ? ns : sum->max_ns;
		}
		if (stall->is_sure && has_failed(stall->error)) {
			latency_memory_any(&sum->failed_ns, &sum->failed_until_ns,
					   fails_since(memory, sum, stall), stall->end_ns);
			sum->failed++;
			sum->has_other_errors |= sum->error && sum->error != stall->error;
			sum->error = stall->error;
		}
	}
	if (stall->is_sure)
		memory_keep(memory, stall, (uint32_t)(sum - memory->sums));
}

/* ---- ties ---- */

/*
 * Adds what of a time a stall had. They come with the latest end first, so what is counted already
 * is all from upto_ns to any later end: stalls of a cause may lie over each other.
 */
static void memory_explain(struct explained *all, const struct lane_stall_note *note,
			   uint64_t from_ns, uint64_t to_ns)
{
	uint64_t *upto_ns = &all->upto_ns[note->cause];
	uint64_t begin_ns = note->begin_ns > from_ns ? note->begin_ns : from_ns;
	uint64_t end_ns = note->end_ns < to_ns ? note->end_ns : to_ns;

	if (!all->ns[note->cause])
		*upto_ns = to_ns;
	if (end_ns > *upto_ns)
		end_ns = *upto_ns;
	if (end_ns <= begin_ns)
		return;
	*upto_ns = begin_ns;
	all->ns[note->cause] += end_ns - begin_ns;
	all->sum[note->cause] = note->sum;
}

/* What stalls of a thread, or of a process's only address space, had of a time. */
static void explain_by(const struct lane_memory *memory, int32_t tid, int32_t pid, uint64_t from_ns,
		       uint64_t to_ns, struct explained *all)
{
	uint64_t first =
		memory->n_notes > LANE_STALL_NOTES ? memory->n_notes - LANE_STALL_NOTES : 0;

	memset(all, 0, sizeof(*all));
	for (uint64_t i = memory->n_notes; i-- > first;) {
		const struct lane_stall_note *note = note_at(memory, i);

		if (note->told_ns < from_ns)
			return;
		if (is_of_space(note->cause) ? note->is_only_space && note->client_pid == pid
					     : is_of_thread(note->cause) && note->tid == tid)
			memory_explain(all, note, from_ns, to_ns);
	}
}

static void add_ties(struct lane_memory *memory, const struct explained *all,
		     enum lane_lengthened tie)
{
	for (int i = 0; i < LANE_STALL_CAUSES; i++) {
		if (!all->ns[i])
			continue;
		memory->sums[all->sum[i]].tied[tie].n++;
		memory->sums[all->sum[i]].tied[tie].ns += all->ns[i];
	}
}

/* ---- measures ---- */

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int log = ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;

	return 2 * log + (log && ns >> (log - 1) & 1);
}

/* What a place holds, something new. NULL: no memory, which is noted. */
static void *memory_hold(struct lane_memory *memory, struct lane_pool *pool, void **at)
{
	*at = lane_pool_get(pool);
	memory->no_memory |= !*at;
	return *at;
}

/* The bucket of a time in a process's measure, made anew with all that holds it. */
static struct bucket *bucket_new(struct lane_memory *memory, const struct lane_client *client,
				 enum lane_late_what what, unsigned int bucket)
{
	struct lane_memory_client **of;
	struct measure **m;

	if (!LANE_GROW(memory->clients, memory->n_clients, (size_t)client->id + 1)) {
		memory->no_memory = true;
		return NULL;
	}
	of = &memory->clients[client->id];
	if (!*of && !memory_hold(memory, &memory->client_pool, (void **)of))
		return NULL;
	m = &(*of)->measures[what];
	if (!*m && !memory_hold(memory, &memory->measure_pool, (void **)m))
		return NULL;
	return memory_hold(memory, &memory->bucket_pool, (void **)&(*m)->buckets[bucket]);
}

/* Adds what each cause had of a time to its bucket. */
static void measure_explained(struct measure *m, struct bucket *bucket, const struct explained *all)
{
	for (int i = 0; i < LANE_STALL_CAUSES; i++) {
		bucket->explained[i] += all->ns[i];
		if (all->ns[i] > m->most[i].ns) {
			m->most[i].ns = all->ns[i];
			m->most[i].sum = all->sum[i];
		}
	}
}

/* all: what each cause had of the time; it is not read if no stall was seen. */
static inline void memory_measure(struct lane_memory *memory, const struct lane_client *client,
				  enum lane_late_what what, uint64_t ns,
				  const struct explained *all)
{
	unsigned int at = bucket_of(ns);
	struct lane_memory_client *of;
	struct measure *m = NULL;
	struct bucket *bucket = NULL;

	if (!memory->is_recorded || !client)
		return;
	of = client->id < memory->n_clients ? memory->clients[client->id] : NULL;
	if (of)
		m = of->measures[what];
	if (m)
		bucket = m->buckets[at];
	if (!bucket) {
		bucket = bucket_new(memory, client, what, at);
		if (!bucket)
			return;
		m = memory->clients[client->id]->measures[what];
	}
	m->n++;
	bucket->n++;
	bucket->ns += ns;
	if (memory->n_notes)
		measure_explained(m, bucket, all);
}

static struct lane_under_way *under_way_of(struct lane_memory *memory,
					   const struct lane_request *rq)
{
	const struct lane_client *client = timeline_client_of(rq);

	return client && client->pid > 0
		       ? &memory->under_way[(uint32_t)client->pid % LANE_SUBMITTERS]
		       : NULL;
}

/* Adds what stalls of the thread had of a time. */
static void add_gap(const struct lane_memory *memory, int32_t tid, uint64_t from_ns, uint64_t to_ns,
		    struct explained *all)
{
	struct explained gap;

	if (from_ns >= to_ns)
		return;
	explain_by(memory, tid, -2, from_ns, to_ns, &gap);
	for (int i = 0; i < LANE_STALL_CAUSES; i++) {
		all->ns[i] += gap.ns[i];
		all->sum[i] = gap.ns[i] ? gap.sum[i] : all->sum[i];
	}
}

/* Of a time where no request of the process' own was under way, from the last such one back; what
 * lies before the oldest that is kept is not known. */
static void explain_alone(const struct lane_memory *memory, const struct lane_under_way *own,
			  int32_t tid, struct lane_span time, struct explained *all)
{
	memset(all, 0, sizeof(*all));
	for (uint64_t i = own->n_ways; i > 0 && own->n_ways - i < LANE_WAYS; i--) {
		const struct lane_span *way = &own->ways[(i - 1) % LANE_WAYS];

		if (!own->n || i < own->n_ways)
			add_gap(memory, tid, timeline_later(time.lo, way->hi), time.hi, all);
		time.hi = timeline_sooner(time.hi, way->lo);
	}
}

/* Nobody's work hides these. Most user fences tell that a request of the process is complete: of
 * them nothing else is a delay. */
static void note_alone(struct lane_memory *memory, const struct lane_request *rq,
		       struct lane_span time, struct explained *all)
{
	struct lane_under_way *own = under_way_of(memory, rq);
	struct explained alone = { 0 };

	if (own && own->pid == timeline_client_of(rq)->pid) {
		explain_alone(memory, own, rq->tid, time, &alone);
		all->ns[LANE_STALL_USER_FENCE] = alone.ns[LANE_STALL_USER_FENCE];
		/* Several threads may be held up at once: it counts once. */
		time.lo = timeline_later(time.lo, own->counted_ns);
		explain_alone(memory, own, rq->tid, time, &alone);
		own->counted_ns = time.hi;
	} else {
		all->ns[LANE_STALL_USER_FENCE] = 0;
	}
	/* One contains the other. */
	alone.ns[LANE_STALL_MEMORY] -=
		timeline_sooner(alone.ns[LANE_STALL_MEMORY], alone.ns[LANE_STALL_RECLAIM]);
	for (int i = 0; i < LANE_STALL_CAUSES; i++) {
		struct lane_stall_sum *sum = &memory->sums[alone.sum[i]];

		if (!alone.ns[i])
			continue;
		sum->alone.n++;
		sum->alone.ns += alone.ns[i];
		sum->client = timeline_client_of(rq);
	}
}

void latency_memory_ended(struct lane_memory *memory, const struct lane_request *rq,
			  uint64_t now_ns)
{
	struct lane_under_way *own = under_way_of(memory, rq);

	if (!own || own->pid != timeline_client_of(rq)->pid || !own->n ||
	    rq->context->is_drivers_own)
		return;
	if (!--own->n)
		own->ways[(own->n_ways - 1) % LANE_WAYS].hi = now_ns;
}

static void note_begun(struct lane_memory *memory, const struct lane_request *rq, uint64_t at_ns)
{
	struct lane_under_way *own = under_way_of(memory, rq);

	if (!own && !rq->context->is_drivers_own)
		memory->nobodys_ns = at_ns;
	if (!own)
		return;
	if (own->pid != timeline_client_of(rq)->pid)
		*own = (struct lane_under_way){ .pid = timeline_client_of(rq)->pid };
	own->submitted_ns = at_ns;
	if (!own->n++)
		own->ways[own->n_ways++ % LANE_WAYS].lo = at_ns;
}

/* Of what stalls had of a time, from one submission of a process's thread to the next. */
static void explain_submit(struct lane_latency *latency, const struct lane_request *rq,
			   uint64_t from_ns, uint64_t to_ns, struct explained *all)
{
	explain_by(&latency->memory, rq->tid, -2, from_ns, to_ns, all);
	/* Most user fences are the program's own kernels' (NEO). Where its commands are recorded,
	 * their times say how long those ran. */
	if (latency->commands && latency_commands_has_process(latency->commands, rq->pid))
		all->ns[LANE_STALL_USER_FENCE] = 0;
	note_alone(&latency->memory, rq, (struct lane_span){ from_ns, to_ns }, all);
	add_ties(&latency->memory, all, LANE_LENGTHENED_HOST);
}

/* In time order: the thread has come to no later event. */
void latency_memory_submit(struct lane_latency *latency, const struct lane_request *rq,
			   uint64_t now_ns)
{
	struct lane_memory *memory = &latency->memory;
	uint64_t at_ns = rq->seen & LANE_SEEN_QUEUE ? rq->queue_ns : now_ns;
	struct lane_submitter *last = &memory->submitters[(uint32_t)rq->tid % LANE_SUBMITTERS];
	struct explained all;

	if (!memory->is_recorded || rq->context->is_drivers_own)
		return;
	if (rq->tid <= 0) {
		note_begun(memory, rq, at_ns);
		return;
	}
	if (last->tid == rq->tid && at_ns >= last->ns &&
	    !latency_ahead_is_lossy(&latency->ahead, last->ns, at_ns)) {
		if (memory->n_notes)
			explain_submit(latency, rq, last->ns, at_ns, &all);
		memory_measure(memory, timeline_client_of(rq), LANE_LATE_SUBMIT, at_ns - last->ns,
			       memory->n_notes ? &all : NULL);
	}
	note_begun(memory, rq, at_ns);
	*last = (struct lane_submitter){ rq->tid, now_ns };
}

void latency_memory_wait(struct lane_memory *memory, const struct lane_wait *wait)
{
	struct explained all;

	if (!memory->n_notes || !wait->signal_ns || wait->signal_ns >= wait->end_ns)
		return;
	explain_by(memory, wait->thread->tid, -2, wait->signal_ns, wait->end_ns, &all);
	add_ties(memory, &all, LANE_LENGTHENED_WAKE);
}

/* What a request waited for, and until when; NULL: nothing that is known. */
static struct lane_stall_note *waited_for(const struct lane_memory *memory,
					  const struct lane_request *rq, uint64_t *until_ns)
{
	bool is_whole = rq->seen & LANE_SEEN_SUBMIT;
	uint64_t ctx = is_whole ? rq->waited_ctx : rq->held_ctx;
	uint64_t seqno = is_whole ? rq->waited_seqno : rq->held_seqno;

	*until_ns = is_whole ? rq->submit_ns : rq->held_ns;
	return ctx && rq->seen & LANE_SEEN_ADD ? lane_table_get(&memory->by_job, ctx, seqno) : NULL;
}

/* The driver's own job waited: perhaps until a queue had left the GPU. So did who waits for it. */
static void note_held(struct lane_memory *memory, const struct lane_request *rq)
{
	struct lane_stall_note *job = lane_table_get(&memory->by_job, rq->context->ctx, rq->seqno);
	uint64_t until_ns;
	const struct lane_stall_note *note = waited_for(memory, rq, &until_ns);

	if (!job || job->cause == LANE_STALL_RESTART)
		return;
	if (note && note->cause == LANE_STALL_PREEMPT) {
		job->held_until_ns = until_ns;
		job->held_sum = note->sum;
		job->is_held_by_preempt = true;
	} else if ((rq->seen & (LANE_SEEN_SUBMIT | LANE_SEEN_EXECUTE)) == LANE_SEEN_EXECUTE) {
		job->held_until_ns = rq->execute_ns;
	}
}

/* A request waited for the job that copies, or writes page tables: from when both were there to the
 * job's end. Or for a preempt fence. */
static void explain_dependency(const struct lane_memory *memory, const struct lane_request *rq,
			       struct explained *all)
{
	uint64_t from_ns, until_ns;
	const struct lane_stall_note *note = waited_for(memory, rq, &until_ns);

	if (!note || note->cause == LANE_STALL_RESTART)
		return;
	from_ns = note->begin_ns > rq->add_ns ? note->begin_ns : rq->add_ns;
	if (until_ns <= from_ns)
		return;
	if (note->held_until_ns > from_ns && note->held_until_ns < until_ns) {
		if (note->is_held_by_preempt) {
			all->ns[LANE_STALL_PREEMPT] = note->held_until_ns - from_ns;
			all->sum[LANE_STALL_PREEMPT] = note->held_sum;
		}
		from_ns = note->held_until_ns;
	}
	all->ns[note->cause] = until_ns - from_ns;
	all->sum[note->cause] = note->sum;
}

/* The device was woken for it. */
static void explain_device(const struct lane_memory *memory, const struct lane_request *rq,
			   struct explained *all)
{
	const struct lane_stall_note *note =
		lane_table_get(&memory->by_job, rq->context->ctx, rq->seqno);

	if (note && note->cause == LANE_STALL_RESUME && timeline_has_started(rq))
		memory_explain(all, note, rq->execute_ns, rq->start.lo);
}

/* What stalls had of a request's time. */
static void explain_request(struct lane_memory *memory, const struct lane_request *rq,
			    const struct lane_stages *stages, struct explained *all)
{
	struct explained dependency = { 0 }, device = { 0 };

	memset(all, 0, sizeof(*all));
	if (stages->known & 1u << LANE_STAGE_PREPARE && rq->tid > 0) {
		explain_by(memory, rq->tid, -2, rq->queue_ns, rq->add_ns, all);
		add_ties(memory, all, LANE_LENGTHENED_PREPARE);
	}
	explain_dependency(memory, rq, &dependency);
	add_ties(memory, &dependency, LANE_LENGTHENED_DEPENDENCY);
	explain_device(memory, rq, &device);
	add_ties(memory, &device, LANE_LENGTHENED_DEVICE);
	for (int i = 0; i < LANE_STALL_CAUSES; i++) {
		if (!dependency.ns[i] && !device.ns[i])
			continue;
		all->ns[i] += dependency.ns[i] + device.ns[i];
		all->sum[i] = device.ns[i] ? device.sum[i] : dependency.sum[i];
	}
}

void latency_memory_request(struct lane_memory *memory, const struct lane_request *rq,
			    const struct lane_stages *stages)
{
	struct explained all;

	if (!memory->is_recorded)
		return;
	if (rq->context->is_drivers_own) {
		note_held(memory, rq);
		return;
	}
	if (memory->n_notes)
		explain_request(memory, rq, stages, &all);
	if (stages->total_known && stages->total.lo == stages->total.hi)
		memory_measure(memory, timeline_client_of(rq), LANE_LATE_REQUEST, stages->total.lo,
			       memory->n_notes ? &all : NULL);
}

/* The process of a command, if it has had requests; NULL: none that is known. */
static const struct lane_client *memory_client_of(struct lane_latency *latency, int32_t pid)
{
	const struct lane_client **last = &latency->memory.last_client;

	if (*last && (*last)->pid == pid)
		return *last;
	for (uint32_t i = 0; i < latency->n_clients; i++)
		if (latency->clients[i].client && latency->clients[i].client->pid == pid)
			return *last = latency->clients[i].client;
	return NULL;
}

/* Its ring was started for it: until then it cannot have begun. */
static void explain_start(struct lane_memory *memory, const struct lane_command *command,
			  struct explained *all)
{
	const struct lane_request *rq = command->request;
	const struct lane_stall_note *note =
		rq && command->why == LANE_WHY_OWN_CALL
			? lane_table_get(&memory->by_job, rq->context->ctx, rq->seqno)
			: NULL;

	if (note && note->cause == LANE_STALL_RESTART)
		memory_explain(all, note, command->call_ns, command->time[LANE_COMMAND_START].lo);
	add_ties(memory, all, LANE_LENGTHENED_START);
}

void latency_memory_command(struct lane_latency *latency, const struct lane_command *command)
{
	struct lane_memory *memory = &latency->memory;
	const struct lane_client *client =
		memory->is_recorded ? memory_client_of(latency, command->pid) : NULL;
	uint64_t handed_ns = command->time[LANE_COMMAND_SUBMITTED].hi;
	const struct lane_span *start = &command->time[LANE_COMMAND_START];
	const struct lane_span *end = &command->time[LANE_COMMAND_END];
	struct explained all = { 0 };

	if (command->call_ns && command->return_ns) {
		explain_by(memory, command->tid, -2, command->call_ns, command->return_ns, &all);
		add_ties(memory, &all, LANE_LENGTHENED_CALL);
		memory_measure(memory, client, LANE_LATE_CALL,
			       command->return_ns - command->call_ns, &all);
	}
	if (!command->timed || end->hi == LANE_NEVER)
		return;
	if (handed_ns < start->lo) {
		explain_by(memory, -2, command->pid, handed_ns, start->lo, &all);
		add_ties(memory, &all, LANE_LENGTHENED_WAITED);
		memory_measure(memory, client, LANE_LATE_WAITED, start->lo - handed_ns, &all);
	}
	memset(&all, 0, sizeof(all));
	if (memory->n_notes)
		explain_start(memory, command, &all);
	if (client && command->call_ns && command->call_ns < start->lo)
		memory_measure(memory, client, LANE_LATE_START, start->lo - command->call_ns, &all);
	memset(&all, 0, sizeof(all));
	if (start->hi < end->lo) {
		explain_by(memory, -2, command->pid, start->hi, end->lo, &all);
		add_ties(memory, &all, LANE_LENGTHENED_COMMAND);
	}
	memory_measure(memory, client, LANE_LATE_COMMAND,
		       command->time_ns[LANE_COMMAND_END] - command->time_ns[LANE_COMMAND_START],
		       &all);
}

void latency_memory_launch(struct lane_latency *latency, const struct lane_command *command,
			   uint64_t from_ns)
{
	struct lane_memory *memory = &latency->memory;
	const struct lane_client *client =
		memory->is_recorded ? memory_client_of(latency, command->pid) : NULL;
	struct explained all;

	if (!client || latency_ahead_is_lossy(&latency->ahead, from_ns, command->call_ns))
		return;
	explain_by(memory, command->tid, -2, from_ns, command->call_ns, &all);
	add_ties(memory, &all, LANE_LENGTHENED_HOST);
	memory_measure(memory, client, LANE_LATE_LAUNCH, command->call_ns - from_ns, &all);
}

/* ---- why some were late ---- */

static const struct bucket *bucket_at(const struct measure *m, unsigned int i)
{
	return m->buckets[i] ? m->buckets[i] : &no_bucket;
}

/* The bucket of the median. */
static unsigned int memory_median_of(const struct measure *m)
{
	uint64_t n = 0;
	unsigned int i = 0;

	for (; i < BUCKETS - 1; i++) {
		n += bucket_at(m, i)->n;
		if (2 * n >= m->n)
			break;
	}
	return i;
}

/* Of what had the worker's CPU, which is a sum each, this was more than half. */
static bool is_most_of_worker(const struct lane_memory *memory, const struct lane_stall_sum *sum)
{
	uint64_t all_ns = 0;

	if (sum->cause != LANE_STALL_WORKER)
		return true;
	for (uint32_t i = 0; i < memory->n; i++)
		if (memory->sums[i].cause == sum->cause && memory->sums[i].pid == sum->pid)
			all_ns += memory->sums[i].ns;
	return 2 * sum->ns > all_ns;
}

/* Reclaim is a part of what pressure counts, and says more: it comes first. */
static bool find_late(const struct lane_memory *memory, const struct measure *m,
		      struct lane_late *late)
{
	unsigned int median = memory_median_of(m);
	const struct bucket *typical = bucket_at(m, median);
	uint64_t explained[LANE_STALL_CAUSES] = { 0 }, more_ns;

	if (m->n < LEAST || !typical->n)
		return false;
	late->n = m->n;
	late->typical_ns = typical->ns / typical->n;
	for (unsigned int i = bucket_of(2 * late->typical_ns); i < BUCKETS; i++) {
		const struct bucket *bucket = bucket_at(m, i);

		/* The first has some that took less than twice as long. */
		if (i <= median || !bucket->n || bucket->ns / bucket->n < 2 * late->typical_ns)
			continue;
		late->n_late += bucket->n;
		late->late_ns += bucket->ns;
		for (int k = 0; k < LANE_STALL_CAUSES; k++)
			explained[k] += bucket->explained[k];
	}
	if (!late->n_late)
		return false;
	more_ns = late->late_ns - late->n_late * late->typical_ns;
	for (int k = 0; k < LANE_STALL_CAUSES; k++) {
		/* What is usual explains nothing. */
		uint64_t usual_ns = typical->explained[k] / typical->n * late->n_late;
		uint64_t ns = explained[k] > usual_ns ? explained[k] - usual_ns : 0;

		if (ns < LEAST_NS || ns <= more_ns / 2)
			continue;
		late->cause = (uint8_t)k;
		late->explained_ns = ns < more_ns ? ns : more_ns;
		late->most = memory->sums[m->most[k].sum];
		if (!is_most_of_worker(memory, &late->most))
			strcpy(late->most.from, "other tasks");
		return true;
	}
	return false;
}

LANE_ORDER(by_explained, struct lane_late, LANE_DOWN(explained_ns))

static uint64_t lengthened(const struct lane_stall_sum *sum)
{
	uint64_t ns = 0;

	for (int i = 0; i < LANE_LENGTHENED_WAKE; i++)
		ns += sum->tied[i].ns;
	return ns;
}

/* What lengthened most, then what lasted longest. */
LANE_ORDER(by_lengthened, struct lane_stall_sum,
	   LANE_COMPARE(lengthened(y), lengthened(x)) ?: LANE_DOWN(ns) ?: LANE_UP(first_ns))

static bool is_holding(const struct lane_stall_sum *sum)
{
	return sum->client && sum->cause != LANE_STALL_USER_FENCE && sum->cause != LANE_STALL_SLEEP;
}

static bool memory_is_named(const struct lane_memory *memory, const struct lane_stall_sum *sum)
{
	for (uint32_t i = 0; i < memory->n_lates; i++)
		if (memory->lates[i].client == sum->client && memory->lates[i].cause == sum->cause)
			return true;
	return false;
}

/* What is so before most submissions is usual: nothing is compared with. Of a process the cause
 * that had most of its time, where it is none of those that tell of somebody's work. */
static void find_held(struct lane_memory *memory, uint64_t whole_ns)
{
	for (uint32_t i = 0; i < memory->n; i++) {
		const struct lane_stall_sum *sum = &memory->sums[i], *most = sum;
		struct lane_late *at;

		for (uint32_t k = 0; k < memory->n; k++)
			if (memory->sums[k].client == sum->client && is_holding(&memory->sums[k]) &&
			    memory->sums[k].alone.ns > most->alone.ns)
				most = &memory->sums[k];
		if (most != sum || !is_holding(sum) || sum->alone.n < LEAST ||
		    (double)sum->alone.ns * 20 < (double)whole_ns || memory_is_named(memory, sum))
			continue;
		at = LANE_APPEND(memory->lates, memory->n_lates, memory->cap_lates);
		memory->no_memory |= !at;
		if (!at)
			return;
		*at = (struct lane_late){
			.client = sum->client,
			.what = LANE_LATE_HELD,
			.cause = sum->cause,
			.n = memory->clients[sum->client->id]->measures[LANE_LATE_SUBMIT]->n,
			.n_late = sum->alone.n,
			.late_ns = sum->alone.ns,
			.explained_ns = sum->alone.ns,
			.most = *sum,
		};
	}
}

void latency_memory_finish(struct lane_memory *memory, const struct lane_timeline *timeline,
			   uint64_t whole_ns)
{
	for (uint32_t i = 0; i < memory->n_clients && memory->n; i++)
		for (int what = 0; memory->clients[i] && what < LANE_LATES; what++) {
			struct lane_late late = { .client = timeline_client(timeline, i),
						  .what = (uint8_t)what },
					 *at;

			if (!memory->clients[i]->measures[what] ||
			    !find_late(memory, memory->clients[i]->measures[what], &late))
				continue;
			at = LANE_APPEND(memory->lates, memory->n_lates, memory->cap_lates);
			memory->no_memory |= !at;
			if (at)
				*at = late;
		}
	find_held(memory, whole_ns);
	LANE_SORT(memory->sums, memory->n, by_lengthened);
	LANE_SORT(memory->lates, memory->n_lates, by_explained);
}

void latency_memory_deinit(struct lane_memory *memory)
{
	lane_pool_free(&memory->client_pool);
	lane_pool_free(&memory->measure_pool);
	lane_pool_free(&memory->bucket_pool);
	free(memory->clients);
	free(memory->sums);
	free(memory->notes);
	free(memory->lates);
	lane_table_free(&memory->by_key);
	lane_table_free(&memory->by_job);
}

/* SPDX-License-Identifier: MIT */
/* Writes what really happened: a line for each request, one for each preemption. docs/oracle.md has
 * the keys. */
#include "gpu.h"
#include "output.h"

enum {
	ROOM = 40
};

static void write_time(FILE *file, const char *key, uint64_t when)
{
	if (when)
		fprintf(file, " %s=%llu", key, (unsigned long long)when);
	else
		fprintf(file, " %s=-", key);
}

static void write_stamps(FILE *file, const struct moment *moment)
{
	uint64_t stamps[ROOM];
	size_t n = moment_stamps(moment, stamps, ROOM);

	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s%llu", i ? "/" : "", (unsigned long long)stamps[i]);
}

/* The first event that tells of the moment; of what led to it, when none tells of it alone. */
static uint64_t seen(const struct moment *moment)
{
	uint64_t first = moment->seen;

	for (int i = 0; i < 2 && !first; i++)
		if (moment->causes[i])
			first = seen(moment->causes[i]);
	return first;
}

static uint64_t running_ns(const struct request *rq)
{
	uint64_t sum = 0;

	for (int i = 0; i < rq->n_runs; i++)
		sum += rq->runs[i].end->at - rq->runs[i].begin->at;
	return sum;
}

static uint64_t preempted_ns(const struct request *rq)
{
	uint64_t sum = 0;

	for (int i = 1; i < rq->n_runs; i++)
		sum += rq->runs[i].begin->at - rq->runs[i - 1].end->at;
	return sum;
}

/* NAME=CONTEXT:SEQNO */
static void write_fence(FILE *file, const char *key, const struct request *rq)
{
	if (rq)
		fprintf(file, " %s=%llu:%u", key, (unsigned long long)rq->context->id, rq->seqno);
	else
		fprintf(file, " %s=-", key);
}

static void write_runs(FILE *file, const struct request *rq)
{
	fputs(" runs=", file);
	for (int i = 0; i < rq->n_runs; i++)
		fprintf(file, "%s%llu-%llu", i ? "," : "",
			(unsigned long long)rq->runs[i].begin->at,
			(unsigned long long)rq->runs[i].end->at);
	fputs(" runs_engines=", file);
	for (int i = 0; i < rq->n_runs; i++)
		fprintf(file, "%s%d:%d", i ? "," : "", rq->runs[i].engine->class,
			rq->runs[i].engine->instance);
	fputs(" runs_stamps=", file);
	for (int i = 0; i < rq->n_runs; i++) {
		fputs(i ? "," : "", file);
		write_stamps(file, rq->runs[i].begin);
		fputc('-', file);
		write_stamps(file, rq->runs[i].end);
	}
}

static void write_request(FILE *file, const struct request *rq)
{
	const struct run *first = &rq->runs[0], *last = &rq->runs[rq->n_runs - 1];

	fprintf(file, "dev=0 ctx=%llu seqno=%u class=%d instance=%d",
		(unsigned long long)rq->context->id, rq->seqno, last->engine->class,
		last->engine->instance);
	write_time(file, "queue", rq->queue_at);
	write_time(file, "add", rq->add_at);
	write_time(file, "submit", rq->submit_at);
	write_time(file, "execute", rq->execute_at);
	write_time(file, "start", first->begin->at);
	write_time(file, "start_seen", seen(first->begin));
	write_time(file, "end", rq->end->at);
	write_time(file, "end_seen", rq->end->seen);
	write_time(file, "signal", rq->signal_at);
	write_time(file, "retire", rq->retire_at);
	fprintf(file, " running=%llu preempted=%llu held=%llu listened=%d error=%d",
		(unsigned long long)running_ns(rq), (unsigned long long)preempted_ns(rq),
		(unsigned long long)rq->held_ns, rq->is_listened_at_end, rq->error);
	write_fence(file, "freed_by", rq->freed_by);
	write_runs(file, rq);
	fputc('\n', file);
}

static void write_preemption(FILE *file, const struct request *rq, const struct preemption *p)
{
	static const char *const whys[] = { "unknown", "priority", "timeslice" };

	fprintf(file, "at=%llu", (unsigned long long)p->moment->at);
	write_time(file, "at_seen", seen(p->moment));
	write_fence(file, "victim", rq);
	write_fence(file, "culprit", p->culprit);
	fprintf(file, " why=%s stamps=", whys[p->why]);
	write_stamps(file, p->moment);
	fputc('\n', file);
}

void write_truth(FILE *file)
{
	for (const struct request *rq = gpu.requests; rq; rq = rq->all_next)
		write_request(file, rq);
	for (const struct request *rq = gpu.requests; rq; rq = rq->all_next)
		for (int i = 0; i < rq->n_preemptions; i++)
			write_preemption(file, rq, &rq->preemptions[i]);
}

void write_statistics(FILE *file)
{
	const struct statistics *s = &gpu.statistics;

#define FIGURE(name, value) fprintf(file, "%s %llu\n", name, (unsigned long long)(value))
	FIGURE("requests", gpu.n_requests);
	FIGURE("kernel_requests", s->kernel_requests);
	FIGURE("events", n_events);
	FIGURE("preemptions", s->preemptions);
	FIGURE("of_them_by_timeslice", s->timeslices);
	FIGURE("coalesced_runs", s->coalesced);
	FIGURE("lite_restores", s->lite_restores);
	FIGURE("busywaits", s->busywaits);
	FIGURE("same_set_not_written", s->same_set);
	FIGURE("of_them_behind_an_end_that_nobody_has_heard_of", s->same_set_unheard);
	FIGURE("virtual_migrations", s->migrations);
	FIGURE("complete_while_taken_back", s->complete_while_unsubmitted);
	FIGURE("complete_at_resubmission", s->skipped_submits);
	FIGURE("listeners", s->listeners);
	FIGURE("of_them_after_the_end", s->late_listeners);
	FIGURE("signals_by_pollers", s->polled_signals);
	FIGURE("signals_by_retirement", s->retire_signals);
	FIGURE("tasklet_runs", s->tasklets);
	FIGURE("of_them_with_others_events", s->tasklet_overlaps);
	FIGURE("events_of_other_cpus_within", s->foreign_events);
	FIGURE("events_of_nested_interrupts_within", s->nested_events);
	if (gpu.has_hangs) {
		FIGURE("hangs", s->hangs);
		FIGURE("resets", s->resets);
		FIGURE("resets_for_heartbeats", s->heartbeat_resets);
		FIGURE("resets_for_errors", s->errors);
		FIGURE("guilty", s->guilty);
		FIGURE("innocent_active", s->replays);
		FIGURE("held_requests", s->holds);
		FIGURE("banned_contexts", s->banned);
		FIGURE("requests_without_work", s->failed);
	}
	if (gpu.has_arrays) {
		FIGURE("arrays", s->arrays);
		FIGURE("fences_of_arrays", s->array_fences);
		FIGURE("of_them_with_no_listener_before", s->array_new_listeners);
		FIGURE("chain_interrupts", s->chain_interrupts);
	}
#undef FIGURE
}

/* SPDX-License-Identifier: MIT */
/* What really happened, and whether it is possible. */
#include <stdlib.h>

#include "sched.h"

static bool was_pushed(const struct job *job)
{
	return job->queue_event != NEVER;
}

static bool was_run(const struct job *job)
{
	return job->run_event != NEVER;
}

static uint64_t begin_of(const struct job *job)
{
	return job->n_runs ? job->runs[0].begin : NEVER;
}

static uint64_t end_of(const struct job *job)
{
	return job->n_runs ? job->runs[job->n_runs - 1].end : NEVER;
}

/* By the scheduler's events alone a ring's job begins when it is run, or when the ones before it
 * are done. */
static uint64_t begin_by_events(const struct job *job)
{
	const struct sched *sched = job->sched;
	uint64_t begin = job->run_event;

	for (unsigned i = 0; i < sched->n_ran && sched->ran[i] != job; i++)
		if (sched->ran[i]->done_event != NEVER && sched->ran[i]->done_event > begin)
			begin = sched->ran[i]->done_event;
	return begin;
}

/* Where the signals of the ring's fences are seen, it begins with that of the one before it. */
static uint64_t begin_by_signals(const struct job *job)
{
	const struct sched *sched = job->sched;
	uint64_t begin = job->run_event;

	for (unsigned i = 0; i < sched->n_ran && sched->ran[i] != job; i++) {
		const struct fence *fence = sched->ran[i]->hw_fence;

		if (sched->ran[i]->n_handed && fence && fence->signal_event != NEVER)
			begin = fence->signal_event > job->run_event ? fence->signal_event
								     : job->run_event;
	}
	return begin;
}

/* And where an interrupt's thread signalled that, as it was woken. */
static uint64_t begin_by_wake_up(const struct job *job, unsigned which)
{
	const struct sched *sched = job->sched;
	uint64_t begin = job->run_event;

	for (unsigned i = 0; i < sched->n_ran && sched->ran[i] != job; i++) {
		const struct fence *fence = sched->ran[i]->hw_fence;

		if (sched->ran[i]->n_handed && fence && fence->irq_woken[which] != NEVER)
			begin = fence->irq_woken[which] > job->run_event ? fence->irq_woken[which]
									 : job->run_event;
	}
	return begin;
}

static const char *status_of(const struct job *job)
{
	if (!was_run(job))
		return job->is_killed ? "killed" : "stuck";
	if (job->is_long)
		return "long";
	if (job->is_skipped && !job->n_runs)
		return "skipped";
	if (job->was_reset)
		return "reset";
	return "ok";
}

static void put_time(FILE *file, const char *key, uint64_t at)
{
	if (at == NEVER)
		fprintf(file, ",\"%s\":null", key);
	else
		fprintf(file, ",\"%s\":%llu", key, (unsigned long long)at);
}

/* When, and which events show it: the fence's signal, the scheduler's event of its job. */
static void put_fulfilled(FILE *file, const struct dependency *dependency)
{
	const struct fence *awaited = dependency->awaited;
	const struct job *job = awaited->owner ? awaited->owner->job : NULL;
	uint64_t seen = NEVER;

	if (dependency->how == BY_NOTHING)
		return;
	if (job)
		seen = awaited == &awaited->owner->scheduled ? job->run_event : job->done_event;
	put_time(file, "fulfilled", awaited->signalled_at);
	put_time(file, "signal_event", awaited->signal_event);
	put_time(file, "job_event", seen);
}

static bool is_scheduled_fence(const struct fence *fence)
{
	return fence->owner && fence == &fence->owner->scheduled;
}

static void put_dependencies(FILE *file, const struct job *job)
{
	static const char *const how[] = { "finished", "scheduled", "own" };

	fputs(",\"dependencies\":[", file);
	for (unsigned i = 0; i < job->n_dependencies; i++) {
		const struct dependency *one = &job->dependencies[i];

		fprintf(file, "%s{\"context\":%llu,\"seqno\":%llu,\"by\":\"%s\",\"awaited\":%llu",
			i ? "," : "", (unsigned long long)one->context,
			(unsigned long long)one->seqno,
			how[is_scheduled_fence(one->awaited) ? BY_SCHEDULED : one->how],
			(unsigned long long)one->awaited->context);
		put_fulfilled(file, one);
		fputc('}', file);
	}
	fputc(']', file);
}

static uint64_t runnable_at(const struct job *job)
{
	uint64_t at = job->queue_event;

	for (unsigned i = 0; i < job->n_dependencies; i++) {
		const struct dependency *one = &job->dependencies[i];

		if (one->how != BY_NOTHING && one->awaited->signalled_at != NEVER &&
		    one->awaited->signalled_at > at)
			at = one->awaited->signalled_at;
	}
	return at;
}

void write_truth(FILE *file)
{
	for (const struct job *job = world.jobs; job; job = job->next) {
		const struct sched_fence *s_fence = job->s_fence;

		if (!was_pushed(job))
			continue;
		fprintf(file,
			"{\"driver\":\"%s\",\"dev\":\"%s\",\"ring\":\"%s\",\"serial\":%s,\"depth\":"
			"%u",
			job->sched->driver->name, job->sched->dev, job->sched->name,
			job->sched->ring->is_serial ? "true" : "false", job->sched->credit_limit);
		fprintf(file, ",\"id\":%llu,\"address\":\"0x%llx\",\"context\":%llu,\"seqno\":%llu",
			(unsigned long long)job->id, (unsigned long long)s_fence->finished.address,
			(unsigned long long)s_fence->finished.context,
			(unsigned long long)s_fence->finished.seqno);
		fprintf(file, ",\"pid\":%d,\"tid\":%d,\"comm\":\"%s\",\"client\":%llu", job->pid,
			job->tid, job->comm, (unsigned long long)job->client);
		put_time(file, "queued", job->queue_event);
		put_time(file, "runnable", was_run(job) ? runnable_at(job) : NEVER);
		put_time(file, "popped", job->popped);
		put_time(file, "run", job->run_event);
		put_time(file, "handed", job->n_handed ? job->hw_handed : NEVER);
		put_time(file, "begin", begin_of(job));
		put_time(file, "end", end_of(job));
		put_time(file, "begin_by_events", was_run(job) ? begin_by_events(job) : NEVER);
		put_time(file, "begin_by_signals", was_run(job) ? begin_by_signals(job) : NEVER);
		for (unsigned i = 0; i < 2; i++) {
			put_time(file, i ? "begin_by_woken" : "begin_by_waking",
				 was_run(job) ? begin_by_wake_up(job, i) : NEVER);
			put_time(file, i ? "irq_woken" : "irq_waking",
				 job->hw_fence ? job->hw_fence->irq_woken[i] : NEVER);
		}
		put_time(file, "hw_signalled", job->hw_fence ? job->hw_fence->signal_event : NEVER);
		put_time(file, "done", job->done_event);
		put_time(file, "signalled", s_fence->finished.signalled_at);
		put_time(file, "signal_event", s_fence->finished.signal_event);
		fputs(",\"runs\":[", file);
		for (unsigned i = 0; i < job->n_runs; i++)
			fprintf(file, "%s[%llu,%llu]", i ? "," : "",
				(unsigned long long)job->runs[i].begin,
				(unsigned long long)job->runs[i].end);
		fputc(']', file);
		put_dependencies(file, job);
		fprintf(file, ",\"handed_times\":%u,\"status\":\"%s\",\"error\":%d}\n",
			job->n_handed, status_of(job), s_fence->finished.error);
	}
}

/* -- Is it possible? -- */

static unsigned faults;

static void expect(bool holds, const struct job *job, const char *what)
{
	if (holds)
		return;
	if (faults++ < 20)
		fprintf(stderr, "gpulane-oracle-sched: ring %s, job %llu, fence %llu:%llu: %s\n",
			job->sched->name, (unsigned long long)job->id,
			(unsigned long long)job->s_fence->finished.context,
			(unsigned long long)job->s_fence->finished.seqno, what);
}

static void check_job(const struct job *job)
{
	uint64_t signalled = job->s_fence->finished.signalled_at;

	expect(job->is_freed, job, "is never freed");
	expect(signalled != NEVER, job, "is never signalled");
	expect(!was_run(job) == job->is_killed, job, "has neither been run nor killed");
	if (!was_run(job)) {
		expect(job->done_event == NEVER, job, "has not been run, but is done");
		return;
	}
	expect(job->queue_event < job->run_event, job, "is run before it is queued");
	expect(job->done_event != NEVER && job->done_event > job->run_event, job, "is not done");
	expect(signalled >= job->done_event, job, "is signalled before it is done");
	expect(job->credits_at_run <= job->sched->credit_limit, job, "exceeds the ring");
	for (unsigned i = 0; i < job->n_dependencies; i++) {
		const struct dependency *one = &job->dependencies[i];

		if (one->how != BY_NOTHING)
			expect(one->awaited->signalled_at < job->run_event, job,
			       "is run before a dependency is fulfilled");
	}
	if (job->n_runs) {
		expect(job->runs[0].begin > job->run_event, job, "begins before it is run");
		expect(job->is_long || end_of(job) < job->done_event, job, "ends after it is done");
	} else {
		expect(job->is_skipped || job->was_reset || job->is_long, job,
		       "has not been in the hardware");
	}
	for (unsigned i = 0; i < job->n_runs; i++) {
		expect(job->runs[i].begin <= job->runs[i].end && job->runs[i].end != NEVER, job,
		       "has a run without an end");
		if (i)
			expect(job->runs[i - 1].end <= job->runs[i].begin, job,
			       "runs twice at once");
	}
}

/* In an entity jobs are run in the order of their seqnos. */
static void check_order(void)
{
	for (const struct job *job = world.jobs; job; job = job->next) {
		const struct job *next = job->next;

		while (next && next->s_fence->finished.context != job->s_fence->finished.context)
			next = next->next;
		if (!next)
			continue;
		expect(next->s_fence->finished.seqno > job->s_fence->finished.seqno, next,
		       "has an earlier seqno than the one before");
		if (was_run(next))
			expect(was_run(job) && job->run_event < next->run_event, next,
			       "is run before the one before");
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void check_ring(const struct sched *sched)
{
	struct interval *all;
	size_t n = 0;

	for (unsigned i = 0; i < sched->n_ran; i++)
		n += sched->ran[i]->n_runs;
	if (!sched->ring->is_serial || !n)
		return;
	all = malloc(n * sizeof(*all));
	if (!all)
		abort();
	n = 0;
	for (unsigned i = 0; i < sched->n_ran; i++)
		for (unsigned j = 0; j < sched->ran[i]->n_runs; j++)
			all[n++] = sched->ran[i]->runs[j];
	qsort(all, n, sizeof(*all), by_begin);
	for (size_t i = 1; i < n; i++)
		expect(all[i - 1].end <= all[i].begin, sched->ran[0], "its ring runs two at once");
	free(all);
	expect(!sched->credits, sched->ran[0], "its ring has credits left over");
}

unsigned self_check(void)
{
	for (const struct job *job = world.jobs; job; job = job->next)
		check_job(job);
	check_order();
	for (unsigned i = 0; i < world.n_scheds; i++)
		check_ring(world.scheds[i]);
	return faults;
}

/* -- Figures: that the hard cases occur -- */

static unsigned count(bool (*is)(const struct job *job))
{
	unsigned n = 0;

	for (const struct job *job = world.jobs; job; job = job->next)
		n += is(job);
	return n;
}

static bool any(const struct job *job)
{
	return was_pushed(job);
}

static bool is_killed(const struct job *job)
{
	return job->is_killed;
}

static bool is_skipped(const struct job *job)
{
	return job->is_skipped && !job->n_runs;
}

static bool is_reset(const struct job *job)
{
	return job->was_reset;
}

static bool is_long(const struct job *job)
{
	return job->is_long;
}

static bool is_resubmitted(const struct job *job)
{
	return job->n_handed > 1;
}

static bool is_preempted(const struct job *job)
{
	return !job->sched->ring->is_serial && job->n_runs > 1;
}

static bool waits_for_scheduled(const struct job *job)
{
	for (unsigned i = 0; i < job->n_dependencies; i++)
		if (job->dependencies[i].how == BY_SCHEDULED)
			return true;
	return false;
}

static bool waits(const struct job *job)
{
	return was_run(job) && runnable_at(job) > job->queue_event;
}

/* It ended before its scheduled fence was signalled: the callback is never added. */
static bool is_done_at_once(const struct job *job)
{
	return job->n_runs && end_of(job) < job->s_fence->scheduled.signalled_at;
}

static bool is_out_of_order(const struct job *job)
{
	return was_run(job) && begin_by_events(job) > job->done_event;
}

static bool has_used_address(const struct job *job)
{
	for (const struct job *before = world.jobs; before != job; before = before->next)
		if (before->s_fence->address == job->s_fence->address)
			return true;
	return false;
}

static bool begins_before_the_one_before_is_done(const struct job *job)
{
	return job->n_runs && begin_of(job) < begin_by_events(job);
}

void write_statistics(FILE *file)
{
	fprintf(file, "jobs %u\nkilled %u\nskipped %u\nreset %u\nlong_running %u\n", count(any),
		count(is_killed), count(is_skipped), count(is_reset), count(is_long));
	fprintf(file, "resubmitted %u\npreempted %u\nawaited_scheduled %u\nawaited %u\n",
		count(is_resubmitted), count(is_preempted), count(waits_for_scheduled),
		count(waits));
	fprintf(file, "done_at_once %u\ndone_out_of_order %u\naddresses_used_again %u\n",
		count(is_done_at_once), count(is_out_of_order), count(has_used_address));
	fprintf(file, "begins_before_done %u\n", count(begins_before_the_one_before_is_done));
}

/* SPDX-License-Identifier: MIT */
/* The truth: a line of JSON for the world, for each request, each wait. */
#include "ends.h"

static struct wait {
	const struct process *process;
	const struct request *rq;
	uint64_t began, ended;
} waits[4 * MAX_REQUESTS];
static unsigned n_waits, n_resets;
static uint64_t resets[64];

void truth_wait(const struct process *process, const struct request *rq, uint64_t ended)
{
	if (n_waits < sizeof(waits) / sizeof(waits[0]))
		waits[n_waits++] = (struct wait){ process, rq, process->waits_since, ended };
}

void truth_reset(void)
{
	if (n_resets < sizeof(resets) / sizeof(resets[0]))
		resets[n_resets++] = now();
}

/* A time that the recording holds, or null. */
static void time_key(FILE *out, const char *key, uint64_t at)
{
	if (at && at <= trace_end())
		fprintf(out, ",\"%s\":%lu", key, at);
	else
		fprintf(out, ",\"%s\":null", key);
}

/* Whether an event of that kind of it is in the recording. */
static void told_key(FILE *out, const char *key, const char *name, const struct request *rq)
{
	fprintf(out, ",\"%s\":%s", key,
		trace_has(name, rq->context->id, rq->seqno) ? "true" : "false");
}

static void write_world(FILE *out, const struct options *o)
{
	unsigned shown = 0;

	fprintf(out,
		"{\"what\":\"world\",\"mode\":\"%s\",\"i915\":%s,\"serial\":%s,\"begin\":%lu,"
		"\"end\":%"
		"lu,\"lossy\":%s,\"late\":%s,\"request_timeout\":%lu,\"without\":[",
		mode_name(), is_i915() ? "true" : "false",
		!is_i915() && world.mode != XE ? "true" : "false", trace_begin(), trace_end(),
		o->drop_percent ? "true" : "false", o->late_percent ? "true" : "false",
		world.request_timeout);
	for (unsigned i = 0; i < o->n_without; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", o->without[i]);
	fprintf(out, "],\"resets\":[");
	for (unsigned i = 0; i < n_resets; i++)
		if (resets[i] > trace_begin() && resets[i] <= trace_end())
			fprintf(out, "%s%lu", shown++ ? "," : "", resets[i]);
	fprintf(out, "]}\n");
}

static void write_request(FILE *out, const struct request *rq)
{
	bool is_open = !rq->signalled || rq->signalled > trace_end();

	fprintf(out,
		"{\"what\":\"request\",\"context\":%lu,\"seqno\":%u,\"pid\":%d,\"process\":\"%s[%d]"
		"\",\"engine\":\"%s\"",
		rq->context->id, rq->seqno, rq->process->pid, rq->process->name, rq->process->pid,
		rq->ring->name);
	fprintf(out, ",\"kind\":\"%s\",\"cause\":\"%s\",\"error\":%d", is_open ? "open" : rq->kind,
		rq->cause ? rq->cause : "", is_open ? 0 : rq->error);
	time_key(out, "queued", rq->queued);
	time_key(out, "submitted", rq->submitted);
	time_key(out, "run", rq->run);
	time_key(out, "first", rq->first);
	time_key(out, "begin", rq->begin);
	time_key(out, "end", rq->end);
	time_key(out, "signalled", rq->signalled);
	time_key(out, "fault", rq->fault);
	fprintf(out, ",\"timeouts\":%u,\"timeout\":%lu", rq->timeouts, rq->ring->timeout);
	told_key(out, "error_told", "gpulane_fence_error", rq);
	told_key(out, "signal_told", "dma_fence_signaled", rq);
	told_key(out, "timeout_told", "xe_sched_job_timedout", rq);
	told_key(out, "xe_error_told", "xe_sched_job_set_error", rq);
	told_key(out, "reset_told", "gpulane_reset", rq);
	if (rq->leader)
		fprintf(out, ",\"leader\":\"%lu:%u\"", rq->leader->context->id, rq->leader->seqno);
	fprintf(out, "}\n");
}

void truth_write(const struct options *o)
{
	FILE *out = o->truth ? fopen(o->truth, "w") : NULL;

	for (unsigned i = 0; i < world.n_processes; i++)
		if (world.processes[i].waits_for)
			truth_wait(&world.processes[i], world.processes[i].waits_for, 0);
	if (!out)
		return;
	write_world(out, o);
	for (unsigned i = 0; i < world.n_requests; i++)
		if (world.requests[i].queued <= trace_end())
			write_request(out, &world.requests[i]);
	for (unsigned i = 0; i < n_waits; i++) {
		if (waits[i].began > trace_end() ||
		    (waits[i].ended && waits[i].ended <= trace_begin()))
			continue;
		fprintf(out,
			"{\"what\":\"wait\",\"pid\":%d,\"context\":%lu,\"seqno\":%u,\"began\":%lu",
			waits[i].process->pid, waits[i].rq->context->id, waits[i].rq->seqno,
			waits[i].began);
		time_key(out, "ended", waits[i].ended);
		fprintf(out, "}\n");
	}
	if (fclose(out))
		return;
}

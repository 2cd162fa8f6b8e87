// SPDX-License-Identifier: MIT
// What GPUs' drivers told of by tracepoints of their own: sentences, a table, JSON.
#include "show/fault_text.h"

#include <inttypes.h>
#include <string.h>

#include "show/json.h"
#include "show/report.h"

#define MAX_SENTENCES 4

/* In this order; of one job only the first is a sentence. */
static const struct {
	enum lane_fault_cause cause;
	const char *advice;
} causes[] = {
	{ LANE_FAULT_MEMORY, "see where the program frees what the GPU still uses, or passes a "
			     "wrong address" },
	{ LANE_FAULT_TIMEOUT, "make the job's work shorter, or see why it hangs: the kernel's log, "
			      "and the driver's devcoredump" },
	{ LANE_FAULT_BAN, "the queue takes no more jobs: see why its job hung (the kernel's log)" },
	{ LANE_FAULT_RESET, "see the kernel's log for what hung; what the GPU had was lost or "
			    "begun again" },
	{ LANE_FAULT_EVICTION, "use less of the GPU's memory at a time: what is moved out is moved "
			       "back when it is used" },
	{ LANE_FAULT_PAGE, "have the memory in its place before the job runs (prefetch, or bind "
			   "it without faults)" },
};

#define N_CAUSES (sizeof(causes) / sizeof(causes[0]))

static unsigned int rank_of(uint8_t cause)
{
	unsigned int i = 0;

	while (i < N_CAUSES && causes[i].cause != cause)
		i++;
	return i;
}

/* The same job is told of with a cause that says more. */
static bool is_said(const struct lane_latency *l, const struct lane_fault_sum *of)
{
	for (uint32_t i = 0; i < l->n_faults; i++) {
		const struct lane_fault_sum *other = &l->faults[i];

		if (of->context && other->context == of->context && other->seqno == of->seqno &&
		    rank_of(other->cause) < rank_of(of->cause))
			return true;
	}
	return false;
}

/* The sum that the i-th sentence is about; NULL: there is none. */
static const struct lane_fault_sum *sum_of_sentence(const struct lane_latency *l, unsigned int i)
{
	for (unsigned int rank = 0; rank < N_CAUSES && i < MAX_SENTENCES; rank++)
		for (uint32_t k = 0; k < l->n_faults; k++) {
			const struct lane_fault_sum *sum = &l->faults[k];

			if (sum->cause != causes[rank].cause || is_said(l, sum))
				continue;
			if (!i--)
				return sum;
		}
	return NULL;
}

/* "job 9:2 of hang[194] on ccs1", "a job" where nothing of it is known. */
static const char *job_text(const struct lane_fault_sum *sum, char *buffer, size_t size)
{
	char on[LANE_SHOW_ENGINE + 4] = "", of[64] = "", job[64] = "a job";

	if (sum->count > 1)
		snprintf(job, sizeof(job), "%" PRIu64 " jobs", sum->count);
	else if (sum->context)
		snprintf(job, sizeof(job), "job %" PRIu64 ":%u", sum->context->ctx, sum->seqno);
	if (sum->client)
		snprintf(of, sizeof(of), " of %s", SHOW_CLIENT(sum->client));
	if (sum->engine)
		snprintf(on, sizeof(on), " on %s", SHOW_ENGINE(sum->engine));
	snprintf(buffer, size, "%s%s%s", job, of, on);
	return buffer;
}

static const char *times_text(uint64_t count, char *buffer, size_t size)
{
	*buffer = '\0';
	if (count > 1)
		snprintf(buffer, size, ", %" PRIu64 " times", count);
	return buffer;
}

/* After a hang a driver may have left a dump. */
static bool may_have_dump(uint8_t cause)
{
	return cause == LANE_FAULT_MEMORY || cause == LANE_FAULT_TIMEOUT ||
	       cause == LANE_FAULT_BAN || cause == LANE_FAULT_RESET;
}

bool show_fault_sentence(const struct lane_latency *latency, unsigned int i, char *text,
			 size_t size, const char **advice)
{
	const struct lane_fault_sum *sum = sum_of_sentence(latency, i);
	char job[256], times[32];

	if (!sum)
		return false;
	*advice = causes[rank_of(sum->cause)].advice;
	job_text(sum, job, sizeof(job));
	times_text(sum->count, times, sizeof(times));
	switch (sum->cause) {
	case LANE_FAULT_MEMORY:
		snprintf(text, size, "%s used memory that is not there, says %s", job, sum->driver);
		break;
	case LANE_FAULT_TIMEOUT:
		snprintf(text, size,
			 "%s gave up %s: it had not ended in time, or its queue was "
			 "stopped",
			 sum->driver, job);
		break;
	case LANE_FAULT_BAN:
		snprintf(text, size,
			 "%s banned the queue of %s: it was running as the GPU was "
			 "reset",
			 sum->driver, job);
		break;
	case LANE_FAULT_RESET:
		snprintf(text, size, "%s reset the GPU%s", sum->driver, times);
		if (sum->context || sum->engine)
			show_append(text, size, ", with %s in it", job);
		if (sum->lasted_ns)
			show_append(text, size, "; that took %s", SHOW_DURATION(sum->lasted_ns));
		break;
	case LANE_FAULT_EVICTION:
		snprintf(text, size, "%s of the GPU's memory %s made free%s",
			 SHOW_BYTES(sum->bytes), sum->count > 1 ? "were" : "was", times);
		if (sum->client)
			show_append(text, size, ", by %s", SHOW_CLIENT(sum->client));
		break;
	default:
		snprintf(text, size, "the GPU of %s waited for a page of memory%s", sum->driver,
			 times);
		break;
	}
	if (!i && may_have_dump(sum->cause) && *latency->info.limits.dumps)
		show_append(text, size, "; dumped meanwhile: %s", latency->info.limits.dumps);
	return true;
}

void show_fault_table(const struct lane_tables *t)
{
	const struct lane_latency *latency = t->latency;
	uint32_t rows = t->options->rows;
	char job[40];

	for (uint32_t i = 0; i < latency->n_faults && (!rows || i < rows); i++) {
		const struct lane_fault_sum *s = &latency->faults[i];

		if (!i) {
			show_title(t, "What the GPUs' drivers told of");
			fprintf(t->to, "  %-12s %-8s %-14s %-24s %-16s %6s %10s %10s %12s\n",
				"cause", "driver", "engine", "process", "first job", "times",
				"bytes", "lasted", "first at");
		}
		snprintf(job, sizeof(job), "-");
		if (s->context)
			snprintf(job, sizeof(job), "%" PRIu64 ":%u", s->context->ctx, s->seqno);
		fprintf(t->to, "  %-12s %-8s %-14s %-24s %-16s %6" PRIu64 " %10s %10s %10.6f s\n",
			lane_fault_names[s->cause], s->driver,
			s->engine    ? SHOW_ENGINE(s->engine)
			: *s->device ? s->device
				     : "-",
			s->client ? SHOW_CLIENT(s->client) : "-", job, s->count,
			s->bytes ? SHOW_BYTES(s->bytes) : "-",
			s->lasted_ns ? SHOW_DURATION(s->lasted_ns) : "-",
			(double)(s->first_ns - latency->figures.begin_ns) / 1e9);
	}
}

void show_fault_tree(const struct lane_latency *latency, struct json_object *tree)
{
	struct json_object *rows = show_json_list(tree, "causes");

	for (uint32_t i = 0; i < latency->n_faults; i++) {
		const struct lane_fault_sum *s = &latency->faults[i];
		struct json_object *to = show_json_row(rows);

		show_json_text(to, "cause", lane_fault_names[s->cause]);
		show_json_text(to, "event", lane_kinds[s->kind].name);
		show_json_text(to, "driver", s->driver);
		show_json_text(to, "device", s->device);
		show_json_text(to, "engine", s->engine ? SHOW_ENGINE(s->engine) : NULL);
		show_json_text(to, "client",
			       s->client ? show_client_name(s->client, SHOW_ROOM(LANE_SHOW_ENGINE))
					 : NULL);
		if (s->context) {
			show_json_uint(to, "context", s->context->ctx);
			show_json_uint(to, "seqno", s->seqno);
		}
		show_json_uint(to, "count", s->count);
		show_json_uint(to, "bytes", s->bytes);
		show_json_uint(to, "lasted_ns", s->lasted_ns);
		show_json_uint(to, "first_ns", s->first_ns);
	}
}

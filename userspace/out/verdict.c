// SPDX-License-Identifier: MIT
// The verdict: the few sentences that say where most of the time went, and whose doing it was.
#include <inttypes.h>

#include "out/opencl.h"
#include "out/report.h"

/* Below this share of the whole nothing is worth a sentence, below that no half-sentence. */
#define MIN_PERCENT	  5
#define MIN_PERCENT_ASIDE 1

/* Clients looked at: those with most delay. */
#define MAX_CLIENTS 64

struct sentences {
	FILE *to;
	const struct lane_latency *latency;
	unsigned int left;
	const char *before, *after;
};

static void begin(struct sentences *s)
{
	s->left--;
	fputs(s->before, s->to);
}

static void end(struct sentences *s)
{
	fprintf(s->to, ".%s\n", s->after);
}

static unsigned int share(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned int)(100.0 * (double)part / (double)whole + 0.5) : 0;
}

/* Who was in front of most of a client's device_queue, or host_queue. */
static void behind(const struct sentences *s, uint32_t client, const struct lane_blame *blames,
		   uint32_t n)
{
	const struct lane_latency *l = s->latency;
	char name[48];

	for (uint32_t i = 0; i < n; i++) {
		const struct lane_blame *blame = &blames[i];
		const struct lane_context *context;

		if (blame->victim != client)
			continue;
		context = lane_timeline_context(l->timeline, blame->context);
		if (context->client->id == client)
			fprintf(s->to, ", most of it behind its own context %" PRIu64,
				context->ctx);
		else
			fprintf(s->to, ", most of it behind context %" PRIu64 " of %s",
				context->ctx,
				lane_client_name(context->client, name, sizeof(name)));
		return;
	}
}

/* Who took the engine from a client most. */
static void taken_by(const struct sentences *s, uint32_t client)
{
	const struct lane_latency *l = s->latency;
	char name[48];

	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim != client || !p->culprit_known)
			continue;
		fprintf(s->to, ", mostly by %s (%s, %" PRIu64 " times)",
			lane_client_name(lane_timeline_client(l->timeline, p->culprit), name,
					 sizeof(name)),
			p->why == LANE_PREEMPTION_UNKNOWN ? "why is unknown"
							  : lane_preemption_why_names[p->why],
			p->count);
		return;
	}
}

/* What of its requests' time a client's requests did not run, at most. */
static uint64_t delay_ns(const struct lane_client_stats *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < LANE_STAGE_PATH; i++)
		sum += i == LANE_STAGE_RUNNING ? 0 : c->stages[i].sum.hi;
	return sum;
}

/*
 * The client after `last` (NULL: the first) in the order of delay_ns, most first; NULL: none is
 * left. There may be many clients and few are told of, so they are not sorted.
 */
static const struct lane_client_stats *next_client(const struct lane_latency *l,
						   const struct lane_client_stats *last)
{
	const struct lane_client_stats *best = NULL;

	for (uint32_t i = 0; i < l->n_clients; i++) {
		const struct lane_client_stats *c = &l->clients[i];
		uint64_t ns = delay_ns(c);

		if (!c->client)
			continue;
		if (last && (ns > delay_ns(last) || (ns == delay_ns(last) && c <= last)))
			continue;
		if (!best || ns > delay_ns(best))
			best = c;
	}
	return best;
}

static void client_sentence(struct sentences *s, const struct lane_client_stats *c)
{
	uint64_t whole = 0;
	unsigned int preempted;
	int stage = -1;
	char name[48];

	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		whole += c->stages[i].sum.hi;
		if (i == LANE_STAGE_RUNNING)
			continue;
		if (stage < 0 || c->stages[i].sum.hi > c->stages[stage].sum.hi)
			stage = i;
	}
	if (!s->left || !whole || share(c->stages[stage].sum.lo, whole) < MIN_PERCENT)
		return;
	begin(s);
	fprintf(s->to, "client %s: %u %% of %" PRIu64 " requests' time in %s",
		lane_client_name(c->client, name, sizeof(name)),
		share(c->stages[stage].sum.lo, whole), c->stages[stage].count,
		lane_stage_names[stage]);
	if (stage == LANE_STAGE_DEVICE_QUEUE)
		behind(s, c->client->id, s->latency->blames, s->latency->n_blames);
	else if (stage == LANE_STAGE_HOST_QUEUE)
		behind(s, c->client->id, s->latency->host_blames, s->latency->n_host_blames);
	else if (stage == LANE_STAGE_PREEMPTED)
		taken_by(s, c->client->id);
	preempted = share(c->stages[LANE_STAGE_PREEMPTED].sum.lo, whole);
	if (stage != LANE_STAGE_PREEMPTED && preempted >= MIN_PERCENT_ASIDE) {
		fprintf(s->to, "; %u %% preempted", preempted);
		taken_by(s, c->client->id);
	}
	end(s);
}

static void idle_cause(const struct sentences *s, const struct lane_idle_sum *sum)
{
	char thread[64], culprit[64];

	lane_task_name(sum->tid, sum->comm, thread, sizeof(thread));
	switch (sum->cause) {
	case LANE_IDLE_STARVED:
		fprintf(s->to, "while thread %s waited for CPU %d, taken by %s", thread, sum->cpu,
			lane_task_name(sum->culprit_tid, sum->culprit_comm, culprit,
				       sizeof(culprit)));
		break;
	case LANE_IDLE_OTHER_ENGINE:
		fprintf(s->to, "while thread %s waited for another engine", thread);
		break;
	case LANE_IDLE_SAME_ENGINE:
		fprintf(s->to, "while thread %s was being woken for a request that was over",
			thread);
		break;
	case LANE_IDLE_BLOCKED:
		fprintf(s->to, "while thread %s slept or waited elsewhere", thread);
		break;
	case LANE_IDLE_COMPUTING:
		fprintf(s->to, "while thread %s was computing: no work was queued", thread);
		break;
	case LANE_IDLE_DEPENDENCY:
		fprintf(s->to, "while a request of %s waited for its dependencies", thread);
		break;
	case LANE_IDLE_DRIVER:
		fprintf(s->to, "while the driver had a request of %s in hand", thread);
		break;
	default:
		fprintf(s->to, "for reasons the trace does not tell");
		break;
	}
}

static void engine_sentence(struct sentences *s, uint32_t engine)
{
	const struct lane_latency *l = s->latency;
	uint64_t whole = l->figures.end_ns - l->figures.begin_ns;
	const struct lane_idle_sum *sum = NULL;
	char name[48];

	/* The longest with a cause; one without, such as the trace's end, when there is no other.
	 */
	for (uint32_t i = 0; i < l->n_idles; i++) {
		const struct lane_idle_sum *idle = &l->idles[i];

		if (idle->engine != engine || share(idle->ns, whole) < MIN_PERCENT)
			continue;
		if (!sum || (sum->cause == LANE_IDLE_UNKNOWN && idle->cause != sum->cause))
			sum = idle;
	}
	if (!s->left || !sum)
		return;
	begin(s);
	fprintf(s->to, "%s idle %u %% of the time ",
		lane_engine_name(l->engines[engine].engine, name, sizeof(name)),
		share(sum->ns, whole));
	idle_cause(s, sum);
	end(s);
}

static void no_requests(struct sentences *s)
{
	const struct lane_latency *l = s->latency;

	begin(s);
	if (!l->figures.events)
		fprintf(s->to, "the recording is empty");
	else
		fprintf(s->to,
			"no request of the GPU driver is in this recording, or none that was "
			"selected");
	end(s);
}

void lane_verdict(FILE *to, const struct lane_latency *latency, unsigned int lines,
		  const char *before, const char *after)
{
	struct sentences s = { to, latency, lines, before, after };
	const struct lane_client_stats *c;
	char text[256];

	/* Sentences about OpenCL come first and take no other's place. */
	for (unsigned int i = 0; lane_opencl_sentence(latency, i, text, sizeof(text)); i++)
		fprintf(to, "%s%s.%s\n", before, text, after);
	if (!latency->requests.complete && !latency->requests.partial &&
	    !latency->requests.unknown) {
		no_requests(&s);
		return;
	}
	c = next_client(latency, NULL);
	for (unsigned int i = 0; c && s.left && i < MAX_CLIENTS; i++) {
		client_sentence(&s, c);
		c = next_client(latency, c);
	}
	for (uint32_t i = 0; i < latency->n_engines; i++)
		if (latency->engines[i].engine)
			engine_sentence(&s, i);
	if (s.left == lines) {
		begin(&s);
		fprintf(to,
			"nothing stands out: no stage before or after running has %d %% of a "
			"client's time",
			MIN_PERCENT);
		end(&s);
	}
}

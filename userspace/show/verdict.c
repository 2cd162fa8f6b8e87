// SPDX-License-Identifier: MIT
// The verdict: the few sentences that say where most of the time went, and whose doing it was.
#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "show/counter_text.h"
#include "show/cpu_text.h"
#include "show/fault_text.h"
#include "show/memory_text.h"
#include "show/open_text.h"
#include "show/opencl_report.h"
#include "show/report.h"
#include "show/screen.h"

/* Below this share of the whole nothing is worth a sentence, below that no half-sentence. */
#define MIN_PERCENT	  5
#define MIN_PERCENT_ASIDE 1

/* From so many sentences on there is room for all that is said of OpenCL. */
#define MANY 6

/* Clients looked at: those with most delay. */
#define MAX_CLIENTS 64

struct sentences {
	FILE *to;
	const struct lane_latency *latency;
	const struct lane_verdict_style *style;
	unsigned int left;
	unsigned int told;		     /* sentences, of whatever */
	const struct lane_idle_sum *starved; /* who was told to have had whose CPU; NULL: none */
	char advice[256], advised[256];	     /* being made; given last */
};

/* What to try when an engine idles so. */
static const char *const idle_advice[LANE_IDLE_CAUSE_COUNT] = {
	[LANE_IDLE_STARVED] = "give the thread a CPU of its own (taskset, a cpuset) or a higher "
			      "priority than who takes it (chrt, nice)",
	[LANE_IDLE_OTHER_ENGINE] = "submit to both engines without waiting in between",
	[LANE_IDLE_SAME_ENGINE] = "queue the next request before the thread waits for the last one",
	[LANE_IDLE_BLOCKED] = "see what the thread sleeps in (perf trace, or --critical)",
	[LANE_IDLE_COMPUTING] = "queue the next request before this computing, or see where the "
				"thread's time goes (perf record)",
	[LANE_IDLE_DEPENDENCY] = "submit what the request waits for earlier",
	[LANE_IDLE_DRIVER] = "see what keeps the CPU from the driver's work (--tables starved)",
};

static void begin(struct sentences *s)
{
	s->left--;
	fputs(s->style->before, s->to);
}

/* Ends a sentence; advice may be NULL. What was said last is not said again. */
static void end(struct sentences *s, const char *advice)
{
	fprintf(s->to, ".%s\n", s->style->after);
	s->told++;
	if (!advice || !s->style->has_advice || !strcmp(advice, s->advised))
		return;
	fprintf(s->to, "  try: %s\n", advice);
	snprintf(s->advised, sizeof(s->advised), "%s", advice);
}

/* A part of a whole in per cent, at least: never more than it is. */
static unsigned int share(uint64_t part, uint64_t whole)
{
	return show_percent(part, whole, 0);
}

/* "17.4 of 31.6 ms (55 %)", the mean of n; "at least" where the part or the whole is known within
 * bounds. */
static void mean_part(const struct sentences *s, struct lane_span part, struct lane_span whole,
		      uint64_t n)
{
	bool is_exact = part.lo == part.hi && whole.lo == whole.hi;
	unsigned int percent = show_percent(part.lo, whole.hi, is_exact ? 0.5 : 0);

	fprintf(s->to, "%s%s", is_exact ? "" : "at least ",
		show_part_text(part.lo / n, whole.hi / n, percent, SHOW_ROOM(96)));
}

/* Whose requests a client's time in a stage was spent behind, or for. */
struct ahead {
	const struct lane_client *client; /* NULL: several */
	const struct lane_blame *blame;	  /* of that process, with most time */
	bool is_own;
	bool is_most;	 /* more than half of all that the stage may have lasted */
	bool is_context; /* so is what the one context of the blame had */
};

static const struct lane_client *owner_of(const struct lane_latency *l,
					  const struct lane_blame *blame)
{
	const struct lane_context *context = timeline_context(l->timeline, blame->context);

	return context->is_shared ? blame->client : context->client;
}

/* The time of all blames of a client that are of the same process as this one. */
static uint64_t blamed_ns(const struct lane_latency *l, const struct lane_blame *blames, uint32_t n,
			  const struct lane_blame *of)
{
	const struct lane_client *owner = owner_of(l, of);
	uint64_t ns = 0;

	for (uint32_t i = 0; i < n; i++)
		if (blames[i].victim == of->victim &&
		    (&blames[i] == of || (owner && owner_of(l, &blames[i]) == owner)))
			ns += blames[i].ns.lo;
	return ns;
}

/* Who was in front in a client's device_queue, or host_queue, or whose fences it waited for.
 * False: nobody is known to have been for a time worth a word. */
static bool who_was_ahead(const struct lane_latency *l, const struct lane_client_stats *c,
			  int stage, struct ahead *ahead)
{
	const struct lane_blame *blames = stage == LANE_STAGE_DEPENDENCY     ? l->fence_blames
					  : stage == LANE_STAGE_DEVICE_QUEUE ? l->blames
									     : l->host_blames;
	uint32_t n = stage == LANE_STAGE_DEPENDENCY	? l->n_fence_blames
		     : stage == LANE_STAGE_DEVICE_QUEUE ? l->n_blames
							: l->n_host_blames;
	uint64_t most_ns = 0, half_ns;

	*ahead = (struct ahead){ 0 };
	if (stage != LANE_STAGE_DEPENDENCY && stage != LANE_STAGE_DEVICE_QUEUE &&
	    stage != LANE_STAGE_HOST_QUEUE)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t ns;

		if (blames[i].victim != c->client->id)
			continue;
		ns = blamed_ns(l, blames, n, &blames[i]);
		if (!ns || ns < most_ns ||
		    (ns == most_ns && blames[i].ns.lo <= ahead->blame->ns.lo))
			continue;
		most_ns = ns;
		ahead->blame = &blames[i];
	}
	if (share(most_ns, c->spent.total.hi) < MIN_PERCENT)
		return false;
	ahead->client = owner_of(l, ahead->blame);
	ahead->is_own = ahead->client == c->client;
	half_ns = (c->stages[stage].sum.hi + 1) / 2;
	ahead->is_most = !c->hidden[stage] && most_ns >= half_ns;
	ahead->is_context = ahead->is_most && ahead->blame->ns.lo >= half_ns;
	return true;
}

static void behind(const struct sentences *s, const struct ahead *ahead, int stage)
{
	const struct lane_context *context =
		timeline_context(s->latency->timeline, ahead->blame->context);

	fprintf(s->to, ", %s %s ", ahead->is_most ? "most of it" : "among others",
		stage == LANE_STAGE_DEPENDENCY ? "for" : "behind");
	if (ahead->is_own)
		fputs("its own requests", s->to);
	else
		fprintf(s->to, "requests of %s", SHOW_SUBMITTER(context, ahead->blame->client));
	if (ahead->is_context)
		fprintf(s->to, " (context %" PRIu64 ")", context->ctx);
}

/* Who took the engine from a client for longest, for one reason; NULL: nobody who is known. */
static const struct lane_preemption_sum *most_preempting(const struct lane_latency *l,
							 const struct lane_client_stats *c)
{
	const struct lane_preemption_sum *most = NULL;

	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim == c->client->id && p->culprit_known &&
		    (!most || p->ns.lo > most->ns.lo))
			most = p;
	}
	return most;
}

/* Nobody else is known to have taken the engine from that client, and nobody unknown. */
static bool is_only_culprit(const struct lane_latency *l, const struct lane_preemption_sum *most)
{
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim == most->victim && (!p->culprit_known || p->culprit != most->culprit))
			return false;
	}
	return true;
}

/* Who took the engine from a client most: for more than half of the time off it, or one of them. */
static void taken_by(const struct sentences *s, const struct lane_client_stats *c)
{
	const struct lane_latency *l = s->latency;
	const struct lane_stage_sum *sum = &c->stages[LANE_STAGE_PREEMPTED];
	const struct lane_preemption_sum *most = most_preempting(l, c);
	uint64_t times[LANE_PREEMPTION_WHY_COUNT] = {}, all = 0, nearly = 0, ns = 0;
	const char *how = "among others by";

	if (!most)
		return;
	/* Each reason has a row of its own. */
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim != most->victim || !p->culprit_known || p->culprit != most->culprit)
			continue;
		times[p->why] += p->count;
		all += p->count;
		nearly += p->nearly;
		ns += p->ns.lo;
	}
	if (!c->hidden[LANE_STAGE_PREEMPTED] && ns >= sum->sum.hi - ns)
		how = "mostly by";
	else if (is_only_culprit(l, most))
		how = "by";
	fprintf(s->to, ", %s %s (", how, SHOW_CLIENT(timeline_client(l->timeline, most->culprit)));
	fprintf(s->to, "%s time%s", SHOW_TIMES(all, nearly), lane_s(all + nearly));
	if (times[most->why] == all && most->why != LANE_PREEMPTION_UNKNOWN)
		fprintf(s->to, ", by %s", lane_preemption_why_names[most->why]);
	for (int why = 0; why < LANE_PREEMPTION_WHY_COUNT; why++)
		if (why != LANE_PREEMPTION_UNKNOWN && times[why] && times[why] < all)
			fprintf(s->to, ", at least %" PRIu64 " by %s", times[why],
				lane_preemption_why_names[why]);
	fputc(')', s->to);
}

/* What of its requests' time a client's requests did not run, at most. */
static uint64_t delay_ns(const struct lane_client_stats *c)
{
	uint64_t sum = c->spent.unknown.hi;

	for (int i = 0; i < LANE_STAGE_PATH; i++)
		sum += i == LANE_STAGE_RUNNING ? 0 : c->spent.stages[i].hi;
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

/* The stage before or after running that lasted longest whatever the unknown time was; -1: none is
 * sure to. */
static int longest_stage(const struct lane_spent *spent)
{
	int stage = -1;

	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (i != LANE_STAGE_RUNNING &&
		    (stage < 0 || spent->stages[i].lo > spent->stages[stage].lo))
			stage = i;
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (i != LANE_STAGE_RUNNING && i != stage &&
		    latency_spent_in(spent, i).hi > spent->stages[stage].lo)
			return -1;
	return stage;
}

static uint64_t all_of(const struct lane_completeness *requests)
{
	return requests->complete + requests->partial + requests->unknown;
}

/* The requests whose time can be told: no bursts. */
static uint64_t ending(const struct lane_completeness *requests)
{
	return all_of(requests) - requests->bursts;
}

/* Most of a client's requests are seen from their beginning to their end. */
static bool mostly_timed(const struct lane_spent *spent, const struct lane_completeness *requests)
{
	return spent->requests && spent->requests >= ending(requests) - spent->requests;
}

/* "100 requests", "90 of 100 requests". */
static void some_requests(const struct sentences *s, uint64_t n,
			  const struct lane_completeness *requests)
{
	uint64_t all = all_of(requests);

	if (n != all)
		fprintf(s->to, "%" PRIu64 " of ", n);
	fprintf(s->to, "%" PRIu64 " request%s", all, lane_s(all));
}

/* "35 of 36 requests": of the others no time is told. */
static void measured(const struct sentences *s, const struct lane_spent *spent,
		     const struct lane_completeness *requests)
{
	if (spent->requests == all_of(requests))
		return;
	fputs("; ", s->to);
	some_requests(s, spent->requests, requests);
	fputs(" measured", s->to);
}

/* Returns how much of the requests' time that is, in per cent. */
static unsigned int preempted_aside(const struct sentences *s, const struct lane_client_stats *c)
{
	struct lane_span ns = latency_spent_in(&c->spent, LANE_STAGE_PREEMPTED);
	unsigned int percent = share(ns.lo, c->spent.total.hi);

	if (percent < MIN_PERCENT_ASIDE)
		return 0;
	fputs("; ", s->to);
	mean_part(s, ns, c->spent.total, c->spent.requests);
	fputs(" preempted", s->to);
	taken_by(s, c);
	return percent;
}

/* A client has the engine from another one by its priority. */
static bool has_priority_over(const struct lane_latency *l, const struct lane_client *winner,
			      const struct lane_client *loser)
{
	for (uint32_t i = 0; i < l->n_preemptions; i++) {
		const struct lane_preemption_sum *p = &l->preemptions[i];

		if (p->victim == loser->id && p->culprit_known && p->culprit == winner->id &&
		    p->why == LANE_PREEMPTION_PRIORITY)
			return true;
	}
	return false;
}

/* What helps a client whose requests are preempted; NULL: nothing is known to. */
static const char *advice_against_preemption(struct sentences *s, const struct lane_client_stats *c)
{
	const struct lane_preemption_sum *most = most_preempting(s->latency, c);
	char name[48];

	if (!most || most->why == LANE_PREEMPTION_UNKNOWN)
		return NULL;
	show_client_name(timeline_client(s->latency->timeline, most->culprit), name, sizeof(name));
	snprintf(s->advice, sizeof(s->advice),
		 most->why == LANE_PREEMPTION_PRIORITY
			 ? "give its context the priority of %s, or let %s submit less"
			 : "it and %s take turns: give who may not wait a higher priority",
		 name, name);
	return s->advice;
}

/* What helps a client that waits behind another one. */
static const char *advice_behind(struct sentences *s, const struct lane_client_stats *c,
				 const struct ahead *ahead, int stage)
{
	char name[48];

	if (!ahead->is_most)
		return NULL;
	if (ahead->is_own && stage == LANE_STAGE_DEPENDENCY)
		return "its requests wait for each other: give those that need not wait a queue "
		       "(context) of their own, or make them shorter";
	if (ahead->is_own)
		return "its own requests are ahead: make those shorter, or submit fewer at once";
	if (!ahead->client)
		return NULL;
	show_client_name(ahead->client, name, sizeof(name));
	if (stage == LANE_STAGE_DEPENDENCY)
		snprintf(s->advice, sizeof(s->advice),
			 "submit the requests of %s earlier, or make them shorter", name);
	else
		snprintf(s->advice, sizeof(s->advice), "make the requests of %s shorter%s", name,
			 has_priority_over(s->latency, c->client, ahead->client)
				 ? ""
				 : ", or give those that wait a higher priority");
	return s->advice;
}

static void client_sentence(struct sentences *s, const struct lane_client_stats *c)
{
	const struct lane_latency *l = s->latency;
	int stage = longest_stage(&c->spent);
	const char *advice = NULL;
	struct ahead ahead;

	if (!s->left || stage < 0 || !mostly_timed(&c->spent, &c->requests) ||
	    share(c->spent.stages[stage].lo, c->spent.total.hi) < MIN_PERCENT)
		return;
	begin(s);
	fprintf(s->to, "A request of %s spent%s ", SHOW_CLIENT(c->client),
		c->spent.requests > 1 ? " on average" : "");
	mean_part(s, latency_spent_in(&c->spent, stage), c->spent.total, c->spent.requests);
	fprintf(s->to, " in %s", lane_stage_names[stage]);
	if (stage == LANE_STAGE_PREEMPTED) {
		taken_by(s, c);
		advice = advice_against_preemption(s, c);
	} else {
		if (who_was_ahead(l, c, stage, &ahead)) {
			behind(s, &ahead, stage);
			advice = advice_behind(s, c, &ahead, stage);
		} else if (stage == LANE_STAGE_PREPARE) {
			advice = "the program's own submit takes this time: see what it does there "
				 "(perf record)";
		} else if (stage == LANE_STAGE_SIGNAL) {
			advice = "see what keeps the CPU from the interrupt and from the work that "
				 "signals (--tables starved)";
		}
		/* Where nobody else is ahead, who takes the engine is what one can change. */
		if (preempted_aside(s, c) >= MIN_PERCENT && (!advice || ahead.is_own)) {
			const char *against = advice_against_preemption(s, c);

			advice = against ? against : advice;
		}
	}
	measured(s, &c->spent, &c->requests);
	end(s, advice);
}

/* The kinds of event between which a stage lies. */
static const struct {
	enum lane_stage stage;
	enum lane_kind kinds[2];
	bool is_drm; /* of drm_sched's jobs; else of i915's requests */
} borders[] = {
	{ LANE_STAGE_PREPARE, { LANE_RQ_QUEUE, LANE_RQ_ADD }, false },
	{ LANE_STAGE_DEPENDENCY, { LANE_RQ_ADD, LANE_RQ_SUBMIT }, false },
	{ LANE_STAGE_HOST_QUEUE, { LANE_RQ_SUBMIT, LANE_RQ_EXECUTE }, false },
	{ LANE_STAGE_DEVICE_QUEUE, { LANE_RQ_EXECUTE, LANE_FENCE_SIGNALED }, false },
	{ LANE_STAGE_HOST_QUEUE, { LANE_DRM_QUEUE, LANE_DRM_RUN }, true },
	{ LANE_STAGE_DEVICE_QUEUE, { LANE_DRM_DONE, LANE_FENCE_SIGNALED }, true },
	{ LANE_STAGE_SIGNAL, { LANE_FENCE_SIGNALED, LANE_FENCE_SIGNALED }, true },
};

/* The recording has requests of that kind, or none of the other. */
static bool has_borders(const struct lane_latency *l, bool is_drm)
{
	bool has_drm = false, has_i915 = false;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		has_drm |= lane_is_drm((unsigned int)kind) && l->figures.by_kind[kind];
		has_i915 |= lane_is_request((unsigned int)kind) && l->figures.by_kind[kind];
	}
	return is_drm ? has_drm : has_i915 || !has_drm;
}

/* Names the events whose absence makes time unknown; returns how many are. */
static unsigned int absent_events(const struct sentences *s)
{
	const struct lane_latency *l = s->latency;
	uint64_t named = 0;
	unsigned int n = 0;

	for (size_t i = 0; i < sizeof(borders) / sizeof(borders[0]); i++)
		for (int k = 0; k < 2; k++) {
			enum lane_kind kind = borders[i].kinds[k];

			if (l->figures.by_kind[kind] ||
			    l->info.presence[kind] == LANE_PRESENCE_RECORDED || named >> kind & 1 ||
			    !has_borders(l, borders[i].is_drm))
				continue;
			if (!l->stages[borders[i].stage].unknown)
				continue;
			fprintf(s->to, "%s%s", n++ ? ", " : "", lane_kinds[kind].name);
			named |= UINT64_C(1) << kind;
		}
	return n;
}

static void why_unknown(const struct sentences *s)
{
	const struct lane_latency *l = s->latency;
	unsigned int absent = absent_events(s);

	if (absent)
		fprintf(s->to, " %s not in the recording (`gpulane doctor` says how to record %s)",
			absent == 1 ? "is" : "are", absent == 1 ? "it" : "them");
	else if (l->info.follows_some)
		fprintf(s->to,
			"other processes, which may have had the GPU, were not recorded (--follow, "
			"--pid, --comm)");
	else if (l->losses)
		fprintf(s->to, "events were lost (a larger --buffer of record loses less)");
	else if (l->ambiguous)
		fprintf(s->to, "fence events tell 32 bits of their context, which several contexts "
			       "share");
	else if (l->figures.contradictions)
		fprintf(s->to, "something is missing that no loss announces");
	else
		fprintf(s->to, "the recording begins or ends amid them, or nothing shows when they "
			       "ran");
}

/* What drivers themselves told of comes before what follows from it, and takes no other's place. */
static void fault_sentences(struct sentences *s)
{
	const char *advice;
	char text[512];

	for (unsigned int i = 0; show_fault_sentence(s->latency, i, text, sizeof(text), &advice);
	     i++) {
		fprintf(s->to, "%s%s", s->style->before, text);
		end(s, advice);
	}
}

/* Why some were late, where memory is more than half of it. */
static void memory_sentences(struct sentences *s)
{
	const char *advice;
	char text[640];

	for (unsigned int i = 0;
	     s->left && show_memory_sentence(s->latency, i, text, sizeof(text), &advice); i++) {
		begin(s);
		fputs(text, s->to);
		end(s, advice);
	}
}

/* Of bursts nothing is said but this. */
static void burst_sentence(struct sentences *s)
{
	const struct lane_completeness *requests = &s->latency->requests;

	if (!requests->bursts)
		return;
	begin(s);
	some_requests(s, requests->bursts, requests);
	fprintf(s->to,
		" %s %s: user space submits in %s, and the kernel does not see single kernels",
		requests->maybe_bursts	? "may be"
		: requests->bursts == 1 ? "is"
					: "are",
		requests->bursts == 1 ? "a burst of a long-running queue"
				      : "bursts of long-running queues",
		requests->bursts == 1 ? "it" : "them");
	end(s, s->latency->commands
		       ? NULL
		       : "record the program's own commands, too (gpulane help burst says how)");
}

/* How much is unknown, and why. */
static void unknown_sentence(struct sentences *s)
{
	const struct lane_latency *l = s->latency;
	const struct lane_spent *spent = &l->spent;
	uint64_t untimed = ending(&l->requests) - spent->requests;
	bool is_exact =
		spent->unknown.lo == spent->unknown.hi && spent->total.lo == spent->total.hi;
	unsigned int hi = show_percent(spent->unknown.hi, spent->total.lo, is_exact ? 0.5 : 1);

	begin(s);
	if (!spent->requests || hi <= MIN_PERCENT) {
		fputs("how ", s->to);
		some_requests(s, untimed, &l->requests);
		fprintf(s->to, " spent %s time", untimed == 1 ? "its" : "their");
	} else {
		fprintf(s->to, "Of a request's time%s %s%s",
			spent->requests > 1 ? ", on average," : "", is_exact ? "" : "up to ",
			show_part_text(spent->unknown.hi / spent->requests,
				       spent->total.hi / spent->requests, hi, SHOW_ROOM(96)));
	}
	fputs(" is unknown: ", s->to);
	why_unknown(s);
	if (spent->requests && hi > MIN_PERCENT)
		measured(s, spent, &l->requests);
	end(s, NULL);
}

/* The unknown part is worth a sentence: of the time, or of the requests. */
static bool much_is_unknown(const struct lane_latency *l, unsigned int percent)
{
	const struct lane_spent *spent = &l->spent;
	uint64_t all = ending(&l->requests);

	return share(spent->unknown.hi, spent->total.lo) >= percent ||
	       share(all - spent->requests, all) >= percent;
}

/* No stage of any client can have MIN_PERCENT of its time. */
static bool nothing_stands_out(const struct lane_latency *l)
{
	if (much_is_unknown(l, MIN_PERCENT))
		return false;
	for (uint32_t i = 0; i < l->n_clients; i++)
		for (int stage = 0; l->clients[i].client && stage < LANE_STAGE_PATH; stage++)
			if (stage != LANE_STAGE_RUNNING &&
			    share(latency_spent_in(&l->clients[i].spent, stage).hi,
				  l->clients[i].spent.total.lo) >= MIN_PERCENT)
				return false;
	return true;
}

static void nothing_sentence(struct sentences *s)
{
	begin(s);
	if (nothing_stands_out(s->latency))
		fprintf(s->to,
			"nothing stands out: no stage before or after running has %d %% of a "
			"process's time",
			MIN_PERCENT);
	else
		fprintf(s->to,
			"no stage of a process is sure to be the longest and to have %d %% of its "
			"time; the bounds are in the tables",
			MIN_PERCENT);
	end(s, NULL);
}

static bool knows_sleep(const struct lane_latency *l)
{
	return l->info.presence[LANE_CPU_IDLE] == LANE_PRESENCE_RECORDED ||
	       l->figures.by_kind[LANE_CPU_IDLE];
}

/* Nobody had the CPU on which the thread could run. */
static void idle_cpu(const struct sentences *s, const struct lane_idle_sum *sum, const char *thread)
{
	fprintf(s->to, "while %s was woken: its CPU ", thread);
	if (sum->culprit_comm[0])
		fprintf(s->to, "slept in %s",
			show_sleep_text(s->latency, sum->culprit_comm, SHOW_ROOM(64)));
	else
		fputs(knows_sleep(s->latency) ? "was idle, and is not known to have slept"
					      : "was idle; whether it slept is not recorded",
		      s->to);
}

static void idle_cause(const struct sentences *s, const struct lane_idle_sum *sum)
{
	char thread[64];

	show_task_name(sum->tid, sum->comm, thread, sizeof(thread));
	switch (sum->cause) {
	case LANE_IDLE_STARVED:
		if (sum->culprit_tid)
			fprintf(s->to, "because %s had %s's CPU",
				SHOW_TASK(sum->culprit_tid, sum->culprit_comm), thread);
		else
			idle_cpu(s, sum, thread);
		break;
	case LANE_IDLE_OTHER_ENGINE:
		fprintf(s->to, "while %s waited for another engine", thread);
		break;
	case LANE_IDLE_SAME_ENGINE:
		fprintf(s->to, "while %s was woken for a request that was complete", thread);
		break;
	case LANE_IDLE_BLOCKED:
		fprintf(s->to, "while %s slept or waited elsewhere", thread);
		break;
	case LANE_IDLE_COMPUTING:
		fprintf(s->to, "while %s was computing: no request was queued", thread);
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

/* A thread that was kept from a CPU by nobody who is known may as well have slept. */
static bool has_cause(const struct lane_idle_sum *idle)
{
	return idle->cause == LANE_IDLE_STARVED ? idle->culprit_tid >= 0
						: idle->cause < LANE_IDLE_UNKNOWN;
}

static const char *advice_for_idle(const struct lane_latency *l, const struct lane_idle_sum *sum)
{
	if (sum->cause != LANE_IDLE_STARVED || sum->culprit_tid)
		return idle_advice[sum->cause];
	if (sum->culprit_comm[0])
		return "keep that CPU from deep sleep (cpupower idle-set -D 10), or poll for a "
		       "short time before sleeping";
	return knows_sleep(l) ? "see what that CPU did instead: interrupts (record --events irq)"
			      : "record whether it sleeps, too (--events power,...)";
}

/* Why the engine was idle is not known: for how long, and what would tell it. */
static void idle_for_reasons_unknown(struct sentences *s, uint32_t engine, const char *name,
				     uint64_t whole)
{
	const struct lane_latency *l = s->latency;
	struct lane_screen_idle idle[LANE_IDLE_PLACE_END];
	unsigned int n = show_screen_idle(l, engine, idle);
	bool has_switches = l->info.presence[LANE_SWITCH] == LANE_PRESENCE_RECORDED ||
			    l->figures.by_kind[LANE_SWITCH];

	for (unsigned int i = 0; i < n; i++) {
		if (idle[i].cause != LANE_IDLE_UNKNOWN || share(idle[i].ns, whole) < MIN_PERCENT)
			continue;
		begin(s);
		fprintf(s->to, "%s was idle for %s for reasons the trace does not tell%s", name,
			SHOW_PART(idle[i].ns, whole),
			has_switches ? "" : ": no sched_switch is in it");
		end(s, has_switches ? NULL
				    : "record the scheduler's events, too: gpulane record without "
				      "--events, or with sched among them");
	}
}

static void engine_sentence(struct sentences *s, uint32_t engine)
{
	const struct lane_latency *l = s->latency;
	uint64_t whole = l->figures.end_ns - l->figures.begin_ns;
	const struct lane_idle_sum *sum = NULL;
	char name[LANE_SHOW_ENGINE];

	if (!s->left)
		return;
	show_engine_name(l->engines[engine].engine, name, sizeof(name));
	/* They are sorted, the longest first. */
	for (uint32_t i = 0; i < l->n_idles && !sum; i++)
		if (l->idles[i].engine == engine && has_cause(&l->idles[i]) &&
		    share(l->idles[i].ns, whole) >= MIN_PERCENT)
			sum = &l->idles[i];
	/* Without a cause only where so much is known that the engine is sure to have been idle. */
	if (!sum && !much_is_unknown(l, MIN_PERCENT))
		idle_for_reasons_unknown(s, engine, name, whole);
	if (!sum)
		return;
	begin(s);
	fprintf(s->to, "%s was idle for %s ", name, SHOW_PART(sum->ns, whole));
	idle_cause(s, sum);
	end(s, advice_for_idle(l, sum));
	if (sum->cause == LANE_IDLE_STARVED)
		s->starved = sum;
}

bool show_is_starved(const struct lane_latency *latency, uint32_t *from)
{
	uint64_t whole = latency->figures.end_ns - latency->figures.begin_ns;

	for (; *from < latency->n_starved; ++*from) {
		if (share(latency->starved[*from].ns, whole) < MIN_PERCENT)
			return false;
		if (latency->starved[*from].tid > 0)
			return true;
	}
	return false;
}

/* Who had the CPU of a thread that works for the GPU, where no engine's sentence says so. */
static void starved_sentence(struct sentences *s)
{
	const struct lane_latency *l = s->latency;
	uint64_t whole = l->figures.end_ns - l->figures.begin_ns;

	for (uint32_t i = 0; s->left && show_is_starved(l, &i); i++) {
		const struct lane_starved_sum *sum = &l->starved[i];

		if (s->starved && s->starved->tid == sum->victim_tid)
			continue;
		begin(s);
		fprintf(s->to, "%s waited for %s while %s had its CPU",
			SHOW_TASK(sum->victim_tid, sum->victim_comm), SHOW_PART(sum->ns, whole),
			SHOW_TASK(sum->tid, sum->comm));
		end(s, idle_advice[LANE_IDLE_STARVED]);
		return;
	}
}

/* An engine's sentence may say who had a CPU. */
static bool has_starved_engine(const struct lane_latency *l)
{
	for (uint32_t i = 0; i < l->n_idles; i++)
		if (l->idles[i].cause == LANE_IDLE_STARVED)
			return true;
	return false;
}

/* A recording without a GPU: who waited for a CPU. False: there is nothing to be said of it. */
static bool cpu_sentences(struct sentences *s)
{
	const char *advice;
	char text[320];
	unsigned int i;

	for (i = 0; s->left && show_cpu_sentence(s->latency, i, text, sizeof(text), &advice); i++) {
		begin(s);
		fputs(text, s->to);
		end(s, advice);
	}
	return i;
}

/* Drivers' own events tell little of their jobs without the scheduler's. False: there are none. */
static bool driver_events_alone(const struct sentences *s)
{
	const struct lane_latency *l = s->latency;
	unsigned int n = 0;

	if (l->figures.by_kind[LANE_DRM_QUEUE] || l->figures.by_kind[LANE_DRM_RUN])
		return false;
	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (lane_is_driver(kind) && l->figures.by_kind[kind])
			fprintf(s->to, "%s%s", n++ ? ", " : "", lane_kinds[kind].name);
	if (n)
		fprintf(s->to,
			" %s in this recording, but none of the scheduler's events, by which jobs "
			"are known: record gpu_scheduler:* and dma_fence:*, too",
			n == 1 ? "is" : "are");
	return n;
}

static void no_requests(struct sentences *s)
{
	const struct lane_latency *l = s->latency;

	if (cpu_sentences(s) || l->commands)
		return;
	begin(s);
	if (!l->figures.events)
		fprintf(s->to, "the recording is empty");
	else if (!driver_events_alone(s))
		fprintf(s->to,
			"no request of the GPU driver is in this recording, or none that was "
			"selected");
	end(s, NULL);
}

void show_verdict(FILE *to, const struct lane_latency *latency,
		  const struct lane_verdict_style *style)
{
	struct sentences s = {
		.to = to, .latency = latency, .style = style, .left = style->sentences
	};
	const struct lane_client_stats *c;
	const char *advice;
	bool unknown_first, starved_first;
	char text[640];

	/* How far the recording goes comes before what is in it. */
	if (decode_ending_sentence(&latency->info, text, sizeof(text)))
		fprintf(to, "%s%s.%s\n", style->before, text, style->after);
	/* Sentences about OpenCL come first of the others. They take no other's place, but where
	 * there is no room. */
	for (unsigned int i = 0; (style->sentences >= MANY || s.left > 1) &&
				 show_opencl_sentence(latency, i, text, sizeof(text), &advice);
	     i++) {
		fprintf(to, "%s%s", style->before, text);
		end(&s, advice);
		s.left -= style->sentences < MANY;
	}
	fault_sentences(&s);
	if (show_open_sentence(latency, text, sizeof(text))) {
		begin(&s);
		fputs(text, to);
		end(&s, "see what it runs and what the kernel's log says; `gpulane watch "
			"--open-longer-than` records the next one while it hangs");
	}
	memory_sentences(&s);
	burst_sentence(&s);
	for (uint32_t i = 0; s.left && i < latency->slows.n; i++)
		if (show_slow_sentence(latency, i, text, sizeof(text), &advice)) {
			begin(&s);
			fputs(text, to);
			end(&s, advice);
		}
	if (!latency->requests.complete && !latency->requests.partial &&
	    !latency->requests.unknown) {
		no_requests(&s);
		return;
	}
	unknown_first = much_is_unknown(latency, 50);
	/* A cause that is known comes before what is unknown. */
	starved_first = unknown_first && !has_starved_engine(latency);
	if (starved_first)
		starved_sentence(&s);
	if (unknown_first)
		unknown_sentence(&s);
	c = next_client(latency, NULL);
	for (unsigned int i = 0; c && s.left && i < MAX_CLIENTS; i++) {
		client_sentence(&s, c);
		c = next_client(latency, c);
	}
	if (!unknown_first && s.left && much_is_unknown(latency, MIN_PERCENT))
		unknown_sentence(&s);
	for (uint32_t i = 0; i < latency->n_engines; i++)
		if (latency->engines[i].engine)
			engine_sentence(&s, i);
	if (!starved_first)
		starved_sentence(&s);
	if (!s.told)
		nothing_sentence(&s);
}

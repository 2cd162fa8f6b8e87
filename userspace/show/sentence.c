// SPDX-License-Identifier: MIT
// An answer in words: the templates of verdict/causes.def, and what their words in braces stand
// for.
#include "show/sentence.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/percent.h"
#include "base/plural.h"
#include "show/report_parts.h"
#include "show/report.h"
#include "show/stacks_text.h"

/* Below this share of the time, what is unknown is told as so many requests. */
#define MIN_PERCENT 5

/* A sentence that is being made. */
struct say {
	const struct lane_latency *l;
	const struct lane_answer *a;
	char *text;
	size_t size;
};

static void sentence_expand(struct say *s, const char *template);

#define SAY(...) show_append(s->text, s->size, __VA_ARGS__)

const char *show_party_name(const struct lane_latency *l, const struct lane_party *party,
			    char *buffer, size_t size)
{
	switch (party->kind) {
	case LANE_PARTY_CLIENT:
		return show_client_name(party->client, buffer, size);
	case LANE_PARTY_CONTEXT:
		return show_submitter_name(party->context, (struct lane_client *)party->client,
					   buffer, size);
	case LANE_PARTY_PROCESS:
		return show_process_name(l, party->id, buffer, size);
	case LANE_PARTY_TASK:
		return show_task_name(party->id, party->name, buffer, size);
	case LANE_PARTY_THREADS:
		return show_cpu_thread_name(party->thread, buffer, size);
	case LANE_PARTY_ENGINE:
		return show_engine_name(party->engine, buffer, size);
	case LANE_PARTY_COMMAND:
		return show_command_what(l->commands, (uint32_t)party->id, buffer, size);
	default:
		return "unknown";
	}
}

#define NAME_OF(party) show_party_name(s->l, party, SHOW_ROOM(LANE_SHOW_ENGINE))

/* "17.4 of 31.6 ms (55 %)", in per cent no more than it certainly is */
#define LEAST_PART(a)                                                                              \
	show_part_text((a)->ns.lo, (a)->of.lo, lane_percent((a)->ns.lo, (a)->of.lo, 0),            \
		       SHOW_ROOM(96))

/* --- words of all answers --- */

/* A word that is said in one way. */
#define SAYS(word, ...)                                                                            \
	static void say_##word(struct say *s)                                                      \
	{                                                                                          \
		SAY(__VA_ARGS__);                                                                  \
	}

/* What xe calls a ring is a queue of one program; an engine of that name may be busy meanwhile. */
static void say_who(struct say *s)
{
	const struct lane_engine *engine = s->a->who.engine;

	if (s->a->who.kind == LANE_PARTY_ENGINE && engine->name && !strcmp(engine->driver, "xe"))
		SAY("queue ");
	SAY("%s", NAME_OF(&s->a->who));
}

SAYS(by, "%s%s%s", s->a->is_by_many ? "others in turn, for longest " : "", NAME_OF(&s->a->by),
     s->a->is_by_many	   ? ","
     : s->a->is_by_several ? " and others of its name"
			   : "")
SAYS(thread, "%s", NAME_OF(&s->a->thread))
SAYS(worker, "%s%s", NAME_OF(&s->a->thread), s->a->is_of_several ? " and others" : "")
SAYS(n, "%" PRIu64, s->a->n)
SAYS(of_n, "%" PRIu64, s->a->of_n)
SAYS(times, "%" PRIu64, s->a->times)
SAYS(s, "%s", lane_s(s->a->times))
SAYS(longest, "%s", SHOW_DURATION(s->a->longest_ns))
SAYS(ns, "%s", SHOW_DURATION(s->a->ns.lo))

static const char *part_text(const struct lane_answer *a, char *buffer, size_t size)
{
	return show_rounded_part(a->ns.lo / a->n, a->of.lo / a->n, buffer, size);
}

/* "96.6 of 393 ms (25 %)", of the mean */
SAYS(part, "%s", part_text(s->a, SHOW_ROOM(96)))

static void say_least(struct say *s)
{
	if (s->a->ns.lo < s->a->ns.hi && strncmp(part_text(s->a, SHOW_ROOM(96)), "all", 3) != 0)
		SAY("at least ");
}

SAYS(average, "%s", s->a->n > 1 ? " on average" : "")

static void say_events(struct say *s)
{
	for (uint16_t i = 0; i < s->a->n_kinds; i++)
		SAY("%s%s", i ? ", " : "", lane_kinds[s->a->kinds[i]].name);
	SAY(s->a->n_kinds == 1 ? " is" : " are");
}

SAYS(them, (s->a->n_kinds ? s->a->n_kinds : s->a->of_n) == 1 ? "it" : "them")

/* --- requests --- */

static bool is_exact_part(const struct lane_answer *a)
{
	return a->ns.lo == a->ns.hi && a->of.lo == a->of.hi;
}

/* "17.4 of 31.6 ms (55 %)", the mean; "at least" where the part or the whole is known within
 * bounds. */
static void say_mean(struct say *s)
{
	const struct lane_answer *a = s->a;
	bool is_exact = is_exact_part(a);
	unsigned int percent = lane_percent(a->ns.lo, a->of.hi, is_exact ? 0.5 : 0);

	SAY("%s%s", is_exact ? "" : "at least ",
	    show_part_text(a->ns.lo / a->n, a->of.hi / a->n, percent, SHOW_ROOM(96)));
}

static void say_stage(struct say *s)
{
	static const char *const in[LANE_STAGE_COUNT] = {
		[LANE_STAGE_PREPARE] = "with its program, which had not submitted it yet",
		[LANE_STAGE_DEPENDENCY] = "waiting for other requests",
		[LANE_STAGE_HOST_QUEUE] = "in the driver's queue",
		[LANE_STAGE_DEVICE_QUEUE] = "in the device's queue",
		[LANE_STAGE_SIGNAL] = "after its end, before that was signalled",
	};

	SAY("%s (%s)", in[s->a->stage], lane_stage_names[s->a->stage]);
}

static void say_behind(struct say *s)
{
	const struct lane_answer *a = s->a;
	bool is_own =
		a->cause == LANE_CAUSE_IS_OWN_QUEUE || a->cause == LANE_CAUSE_IS_OWN_DEPENDENCY;

	if (a->by.kind == LANE_PARTY_NONE)
		return;
	SAY(", %s %s ", a->how == LANE_BY_MOST ? "most of it" : "among others",
	    a->stage == LANE_STAGE_DEPENDENCY ? "for" : "behind");
	if (is_own)
		SAY("its own requests");
	else
		SAY("requests of %s", NAME_OF(&a->by));
	if (a->is_one_context)
		SAY(" (context %" PRIu64 ")", a->by.context->ctx);
}

/* "(56 times, the longest 5.92 ms)" */
static void say_often(struct say *s)
{
	const struct lane_answer *a = s->a;

	if (a->times > 1 && a->longest_ns)
		SAY(" (%" PRIu64 " times, the longest %s)", a->times, SHOW_DURATION(a->longest_ns));
}

SAYS(where, "%s", show_stacks_place(&s->a->where, s->a->ns.lo, SHOW_ROOM(1024)))

static void say_because(struct say *s)
{
	static const char *const how[] = { "among others because", "because", "mostly because" };

	SAY("%s", how[s->a->how]);
}

/* How often the engine was taken, and of that certainly by which reason, if that is not all. */
static void say_taken(struct say *s)
{
	const struct lane_answer *a = s->a;

	if (!a->times)
		return;
	SAY(" (%s%" PRIu64 " time%s", a->is_more_often ? "at least " : "", a->times,
	    lane_s(a->times));
	for (int why = 0; why < LANE_PREEMPTION_WHY_COUNT; why++)
		if (why != LANE_PREEMPTION_UNKNOWN && a->why_times[why] &&
		    a->why_times[why] < a->times)
			SAY(", at least %" PRIu64 " by %s", a->why_times[why],
			    lane_preemption_why_names[why]);
	if (a->times > 1 && a->longest_ns)
		SAY(", the longest %s", SHOW_DURATION(a->longest_ns));
	SAY(")");
}

static void say_had_it(struct say *s)
{
	if (s->a->by.kind == LANE_PARTY_NONE)
		return;
	SAY(", ");
	sentence_expand(s, "{because} {by} had it{taken}");
}

/* "100 requests", "90 of 100 requests". */
static void say_requests(struct say *s, uint64_t n)
{
	uint64_t all = s->a->of_n;

	if (n != all)
		SAY("%" PRIu64 " of ", n);
	SAY("%" PRIu64 " request%s", all, lane_s(all));
}

static void say_some(struct say *s)
{
	say_requests(s, s->a->n);
}

/* Of so little it is told how many requests that is. */
static unsigned int unknown_percent(const struct lane_answer *a, bool is_exact)
{
	return a->n ? lane_percent(a->ns.hi, a->of.lo, is_exact ? 0.5 : 1) : 0;
}

/* Of the others no time is told. */
static void say_measured(struct say *s)
{
	const struct lane_answer *a = s->a;

	if (a->n == a->of_n || (lane_causes[a->cause].kind == LANE_CAUSE_UNKNOWN &&
				unknown_percent(a, is_exact_part(a)) <= MIN_PERCENT))
		return;
	SAY("; ");
	say_requests(s, a->n);
	SAY(" measured");
}

/* The engine that was busy for longest, but the answer's; NULL: none for half of the recording. */
static const struct lane_engine_stats *busiest_beside(const struct say *s)
{
	const struct lane_engine_stats *most = NULL;

	for (uint32_t i = 0; i < s->l->n_engines; i++) {
		const struct lane_engine_stats *e = &s->l->engines[i];

		if (e->engine && e->engine != s->a->engine && e->audit.counter &&
		    e->audit.counted.lo >= latency_whole_ns(s->l) / 2 &&
		    (!most || e->audit.counted.lo > most->audit.counted.lo))
			most = e;
	}
	return most;
}

static void say_counted(struct say *s)
{
	const struct lane_answer *a = s->a;
	const struct lane_engine_stats *beside = busiest_beside(s);

	SAY("Requests of %s waited for at least %s: ", NAME_OF(&a->who), LEAST_PART(a));
	SAY("by its counter %s was busy for at most %s", SHOW_ENGINE(a->engine),
	    SHOW_DURATION(a->counted_ns));
	if (beside)
		SAY("; %s was busy for at least %u %% of the time", SHOW_ENGINE(beside->engine),
		    lane_percent(beside->audit.counted.lo, latency_whole_ns(s->l), 0));
}

/* What calls of the driver returned, or of the API. */
static const char *error_text(const struct lane_answer *a, char *buffer, size_t size)
{
	const struct lane_cl_failure *call = a->in.failure;
	const char *name = a->is_of_api ? NULL : strerrorname_np(-a->in.stall->error);

	if (!a->is_of_api)
		snprintf(buffer, size, "%s%s", name ? name : "an unknown error",
			 a->in.stall->has_other_errors ? ", and others" : "");
	else
		snprintf(buffer, size, call->status < 0 ? "%d%s" : "0x%x%s", call->status,
			 call->has_other_status ? ", and others" : "");
	return buffer;
}

static void say_failed(struct say *s)
{
	const struct lane_answer *a = s->a;
	bool is_refused = !a->is_of_api && a->in.stall->cause == LANE_STALL_REFUSED;

	if (a->is_of_api || is_refused)
		SAY("%" PRIu64, a->n);
	else if (a->n == a->of_n)
		SAY("All %" PRIu64, a->n);
	else
		SAY("%" PRIu64 " of %" PRIu64, a->n, a->of_n);
	SAY(" calls of %s by %s failed (%s); %s ", a->what, NAME_OF(&a->who),
	    error_text(a, SHOW_ROOM(64)),
	    is_refused && latency_memory_none_worked(s->l, a->in.stall) ? "none worked for"
									: "they took");
	if (a->ns.lo <= a->of.lo)
		SAY("%s", LEAST_PART(a));
	else
		SAY("%s of its threads' time", SHOW_DURATION(a->ns.lo));
}

static void say_unknown(struct say *s)
{
	const struct lane_answer *a = s->a;
	bool is_exact = is_exact_part(a);
	unsigned int hi = unknown_percent(a, is_exact);

	if (hi <= MIN_PERCENT) {
		SAY("how ");
		say_requests(s, a->times);
		SAY(" spent %s time", a->times == 1 ? "its" : "their");
	} else {
		SAY("Of a request's time%s %s%s", a->n > 1 ? ", on average," : "",
		    is_exact ? "" : "up to ",
		    show_part_text(a->ns.hi / a->n, a->of.hi / a->n, hi, SHOW_ROOM(96)));
	}
	SAY(" is unknown:");
}

SAYS(a_burst, "%s: user space submits in %s, and the kernel does not see single kernels",
     s->a->n == 1 ? "a burst of a long-running queue" : "bursts of long-running queues",
     s->a->n == 1 ? "it" : "them")

static void say_bursts(struct say *s)
{
	SAY(s->a->n == 1 ? "is " : "are ");
	say_a_burst(s);
}

static void say_open(struct say *s)
{
	const struct lane_answer *a = s->a;

	show_open_text(s->l->timeline, a->in.open, s->l->figures.until_ns,
		       s->text + strlen(s->text), s->size - strlen(s->text));
	if (a->of_n > 1)
		SAY("; %s%" PRIu64 " more %s so, too (--tables open)",
		    a->is_more_often ? "at least " : "", a->of_n - 1, a->of_n == 2 ? "is" : "are");
}

static void say_open_call(struct say *s)
{
	const struct lane_answer *a = s->a;

	show_open_call_text(s->l->timeline, a->in.open_call, s->l->figures.until_ns,
			    SHOW_RECORDINGS_END, s->text + strlen(s->text),
			    s->size - strlen(s->text));
	if (a->of_n > 1)
		SAY("; %s%" PRIu64 " more %s open, too (--tables open)",
		    a->is_more_often ? "at least " : "", a->of_n - 1, a->of_n == 2 ? "is" : "are");
}

SAYS(pid, "%" PRId32, s->a->who.id)
SAYS(what, "%s", s->a->what)

/* --- runs that are far longer than others --- */

SAYS(key, "%" PRIu64 ":%" PRIu32, s->a->in.longest->context->ctx, s->a->in.longest->seqno)

SAYS(bounded, "%s", s->a->ns.lo < s->a->ns.hi ? "at least " : "")

static void say_one(struct say *s)
{
	sentence_expand(s, "Request {key} of {who} on ");
	SAY("%s", SHOW_ENGINE(s->a->engine));
}

/* It may be long as it has more to do than the others. */
static void say_more_items(struct say *s, uint64_t n)
{
	const struct lane_longest *longest = s->a->in.longest;
	uint64_t others = n > 1 ? (longest->sizes - longest->size) / (n - 1) : 0;

	if (others && longest->size / 2 >= others)
		SAY(". It had %" PRIu64 " work items, the others %" PRIu64 " on average",
		    longest->size, others);
}

static void say_far(struct say *s)
{
	const struct lane_longest *longest = s->a->in.longest;
	struct lane_typical usual = latency_longest_usual(longest);

	SAY(", %s after the recording's begin: half of ",
	    SHOW_DURATION(longest->at_ns - s->l->figures.begin_ns));
	SAY("the %" PRIu64 " %s %s or less", usual.n,
	    s->a->what ? "runs of this kernel took" : "requests of its context ran for",
	    SHOW_DURATION(usual.ns));
	say_more_items(s, usual.n);
}

/* --- faults --- */

/* "job 9:2 of hang[194] on ccs1", "a job" where nothing of it is known. */
static void say_job(struct say *s)
{
	const struct lane_fault_sum *sum = s->a->in.fault;

	if (sum->count > 1)
		SAY("%" PRIu64 " %ss", sum->count,
		    sum->context && !sum->context->is_drm ? "request" : "job");
	else if (sum->context)
		SAY("%s %" PRIu64 ":%u", sum->context->is_drm ? "job" : "request",
		    sum->context->ctx, sum->seqno);
	else
		SAY("a job");
	if (sum->client)
		SAY(" of %s", SHOW_CLIENT(sum->client));
	if (sum->engine)
		SAY(" on %s", SHOW_ENGINE(sum->engine));
}

/* " 20.0 s after it was submitted (request_timeout_ms is 20.0 s)" */
static void say_after(struct say *s)
{
	const struct lane_fault_sum *sum = s->a->in.fault;

	if (!sum->after_ns)
		return;
	SAY("%s %s after it was submitted", sum->count > 1 ? ", the first" : "",
	    SHOW_DURATION(sum->after_ns));
	if (sum->limit_ns)
		SAY(sum->context->is_drm ? " (its ring's time-out is %s)"
					 : " (request_timeout_ms is %s)",
		    SHOW_DURATION(sum->limit_ns));
}

/* "40:2 of slow[200], for which it waited" */
static void say_awaited(struct say *s)
{
	const struct lane_fault_sum *sum = s->a->in.fault;

	SAY("%s%" PRIu64 ":%u of %s%s", sum->count > 1 ? "what they waited for, of the first " : "",
	    sum->of_context->ctx, sum->of_seqno, SHOW_CLIENT(sum->of_context->client),
	    sum->count > 1 ? "" : ", for which it waited");
}

static void say_over_after(struct say *s)
{
	if (s->a->in.fault->after_ns)
		SAY("; it was over");
	say_after(s);
}

SAYS(error, "%d", s->a->in.fault->error)
SAYS(driver, "%s", s->a->in.fault->driver)

static void say_so_often(struct say *s)
{
	if (s->a->times > 1)
		SAY(", %" PRIu64 " times", s->a->times);
}

static void say_reason(struct say *s)
{
	if (*s->a->in.fault->reason)
		SAY(" (%s)", s->a->in.fault->reason);
}

static void say_in_it(struct say *s)
{
	const struct lane_fault_sum *sum = s->a->in.fault;

	if (sum->context || sum->engine) {
		SAY(", with ");
		say_job(s);
		SAY(" in it");
		if (sum->after_ns)
			SAY(",");
		say_after(s);
	}
	if (sum->lasted_ns)
		SAY("; that took %s", SHOW_DURATION(sum->lasted_ns));
}

SAYS(freed, "%s of the GPU's memory %s", SHOW_BYTES(s->a->in.fault->bytes),
     s->a->times > 1 ? "were" : "was")

static void say_freed_by(struct say *s)
{
	if (s->a->in.fault->client)
		SAY(", by %s", SHOW_CLIENT(s->a->in.fault->client));
}

/* "; with it 3 jobs of game[700] and viewer[300] did not complete" */
static void say_taken_with(struct say *s, bool is_replayed)
{
	const struct lane_taken_sum *taken, *most = NULL;
	const struct lane_client *other = NULL;
	bool has_others = false;
	uint64_t n = 0;

	for (uint32_t from = 0; (taken = latency_taken_with(s->l, s->a->in.fault, &from));) {
		if (taken->is_replayed != is_replayed)
			continue;
		most = most ? most : taken;
		if (taken->client != most->client && taken->client != other) {
			has_others |= other != NULL;
			other = taken->client;
		}
		n += taken->count;
	}
	if (!n)
		return;
	SAY("; with %s %" PRIu64 " %s%s of %s", s->a->in.fault->count > 1 ? "them" : "it", n,
	    most->context ? "job" : "request", lane_s(n), SHOW_CLIENT(most->client));
	if (other)
		SAY(" and %s", has_others ? "others" : SHOW_CLIENT(other));
	SAY(is_replayed ? " ran again" : " did not complete");
}

static void say_with_it(struct say *s)
{
	say_taken_with(s, false);
	say_taken_with(s, true);
}

static void say_dump(struct say *s)
{
	if (s->a->has_dump && *s->l->info.limits.dumps)
		SAY("; dumped meanwhile: %s", s->l->info.limits.dumps);
}

/* " of clBuildProgram", ", most of it in clBuildProgram" */
static void say_built(struct say *s)
{
	const uint64_t *ns = s->a->in.program->build_ns;
	enum lane_cl_build most = 0;
	uint64_t sum_ns = 0;

	for (enum lane_cl_build build = 0; build < LANE_CL_BUILDS; build++) {
		sum_ns += ns[build];
		if (ns[build] > ns[most])
			most = build;
	}
	SAY("%s%s", ns[most] == sum_ns ? " of " : ", most of it in ", latency_build_name(most));
}

/* --- memory, power, counters --- */

static void say_late(struct say *s)
{
	static const struct {
		const char *noun, *verb, *since;
	} whats[LANE_LATES] = {
		[LANE_LATE_REQUEST] = { "request", "took", "" },
		[LANE_LATE_SUBMIT] = { "submission", "came", " after the one before" },
		[LANE_LATE_COMMAND] = { "command", "ran", "" },
		[LANE_LATE_WAITED] = { "command", "waited", "" },
		[LANE_LATE_CALL] = { "call", "took", "" },
		[LANE_LATE_START] = { "command", "started", " after their call" },
		[LANE_LATE_LAUNCH] = { "launch", "came", " after the last command had ended" },
	};
	const struct lane_answer *a = s->a;
	const struct lane_late *late = a->in.late;

	if (late->what == LANE_LATE_HELD) {
		SAY("%" PRIu64 " of %" PRIu64 " submissions of %s were held up, for %s: ", a->n,
		    a->of_n, NAME_OF(&a->who), LEAST_PART(a));
		return;
	}
	SAY("%" PRIu64 " of %" PRIu64 " %s%s of %s %s late: %s %s ", a->n, a->of_n,
	    whats[late->what].noun, late->what == LANE_LATE_LAUNCH ? "es" : "s", NAME_OF(&a->who),
	    a->n == 1 ? "was" : "were", a->n == 1 ? "it" : "they", whats[late->what].verb);
	SAY("%s%s instead of %s; for %s", SHOW_DURATION(late->late_ns / a->n),
	    whats[late->what].since, SHOW_DURATION(late->typical_ns),
	    a->ns.lo < a->of.lo ? "at least " : "");
	SAY("%s of the delay ", show_part_text(a->ns.lo / a->n, a->of.lo / a->n,
					       lane_percent(a->ns.lo, a->of.lo, 0), SHOW_ROOM(96)));
}

/* " (vram0 to system: 64.0 MiB in 3 moves by other[300])" */
static void say_moves(struct say *s)
{
	const struct lane_stall_sum *sum = &s->a->in.late->most;

	SAY(" (%s to %s: %s in %" PRIu64 " move%s by %s)", sum->from, sum->to,
	    SHOW_BYTES(sum->bytes), sum->count, lane_s(sum->count),
	    show_stall_owner(s->l, sum, SHOW_ROOM(64)));
}

SAYS(from, "%s", s->a->in.late->most.from)

/* " (C6, at most 133 us to leave; set to 800 MHz then)" */
static void say_sleep(struct say *s)
{
	const struct lane_stall_sum *sum = &s->a->in.late->most;

	SAY(" (%s", show_sleep_state(sum, SHOW_ROOM(64)));
	if (sum->khz_lo && sum->khz_lo == sum->khz_hi)
		SAY("; set to %" PRIu32 " MHz then", sum->khz_lo / 1000);
	else if (sum->khz_lo)
		SAY("; set to %" PRIu32 " to %" PRIu32 " MHz then", sum->khz_lo / 1000,
		    sum->khz_hi / 1000);
	SAY(")");
}

static void say_alike(struct say *s)
{
	const struct lane_slow *slow = s->a->in.slow;

	if (slow->context)
		SAY(" requests of %s (context %" PRIu64 ")", NAME_OF(&s->a->who),
		    slow->context->ctx);
	else
		SAY(" runs of %s of %s", *slow->kernel ? slow->kernel : "kernels",
		    NAME_OF(&s->a->who));
}

static void say_slow(struct say *s)
{
	SAY("%" PRIu64 " of %" PRIu64, s->a->n, s->a->of_n);
	say_alike(s);
	SAY(s->a->in.slow->is_start ? " began" : " came");
}

/* No reading tells what the clock was in between. */
static void say_clock(struct say *s)
{
	const struct lane_slow_clock *clock = &s->a->in.slow->clock;

	SAY("The GPU's clock was %" PRIu64 " MHz at most, %u %% of its highest of %" PRIu64
	    ", in all %" PRIu64 " readings around",
	    clock->most, lane_percent(clock->most, clock->allowed, 0), clock->allowed, s->a->n);
	say_alike(s);
	SAY(", which were under way for %s", LEAST_PART(s->a));
	if (s->a->in.slow->throttles)
		SAY("; it was held down (%.58s)",
		    show_throttle_reasons(s->a->in.slow->throttles, SHOW_ROOM(96)));
}

static void say_slow_than(struct say *s)
{
	const struct lane_slow *slow = s->a->in.slow;

	SAY(": half of them %s %s%s or more, half of %" PRIu64 " %s",
	    slow->is_start ? "began" : "took", SHOW_DURATION(slow->with_ns),
	    slow->is_start ? " after their calls" : "", slow->n_without,
	    slow->is_unsure  ? "of which that is not known"
	    : slow->is_start ? "that began"
			     : "that came");
}

SAYS(else_when, "%s", s->a->in.slow->is_unsure ? "" : " at other times")

static void say_slow_share(struct say *s)
{
	const struct lane_slow *slow = s->a->in.slow;

	SAY(" no more than %s (%.2f of that). That is %u %% of what its late %s took longer",
	    SHOW_DURATION(slow->without_ns), (double)slow->without_ns / (double)slow->with_ns,
	    slow->permille / 10,
	    slow->context    ? "requests"
	    : slow->is_start ? "starts"
			     : "runs");
}

static void say_holder(struct say *s)
{
	const struct lane_counter_sum *holder = s->a->holder;

	if (holder)
		SAY(". Of the clients that were read %s had most of the GPU's memory, up to "
		    "%" PRIu64 " MiB",
		    SHOW_TASK(holder->is.pid, holder->is.comm), holder->most >> 10);
}

SAYS(gpu, "%s", s->a->place)
SAYS(limit, "%" PRIu64, s->a->in.steady->limit)
SAYS(held_by, "%.58s", show_throttle_reasons(s->a->in.steady->bits, SHOW_ROOM(96)))

static void say_gauge(struct say *s)
{
	const struct lane_steady *steady = s->a->in.steady;

	SAY("%" PRIu64, steady->least);
	if (steady->most > steady->least)
		SAY(" to %" PRIu64, steady->most);
}

static void say_steady(struct say *s)
{
	const struct lane_answer *a = s->a;

	if (a->n == a->of_n)
		SAY("in all %" PRIu64, a->n);
	else
		SAY("in %" PRIu64 " of %" PRIu64, a->n, a->of_n);
	SAY(" readings%s while %s were under way, which was for %s",
	    a->in.steady->has_gone ? " that were kept" : "",
	    a->cause == LANE_CAUSE_IS_STEADY_WIDTH || a->cause == LANE_CAUSE_IS_STEADY_SPEED
		    ? "copies"
		    : "requests or kernels",
	    LEAST_PART(a));
}

/* A cap stays as it was set; between readings the clock may have been lower for other reasons. */
static void say_by_cap(struct say *s)
{
	const struct lane_steady *steady = s->a->in.steady;

	if (steady->least == steady->most)
		SAY(". Without the cap they would have run for %u %% less at most",
		    lane_percent(steady->limit - steady->least, steady->limit, 0.999));
}

SAYS(reasons, " (%.58s)", show_throttle_reasons(s->a->in.slow->throttles, SHOW_ROOM(96)))

static void say_by_other(struct say *s)
{
	const struct lane_slow *slow = s->a->in.slow;

	if (s->a->by.kind == LANE_PARTY_NONE)
		return;
	if (slow->cause == LANE_SLOW_VF)
		SAY(" (VF %llu)",
		    s->l->counters.all[slow->others[slow->cause].counter].is.client_id);
	else
		SAY(" (%s)", NAME_OF(&s->a->by));
}

/* --- frames --- */

/* "14 refreshes of CRTC 0 of card1 were missed, by 9 of 600 pictures that kwin[200] asked for," */
static void say_missed(struct say *s)
{
	const struct lane_miss_sum *miss = s->a->in.miss;

	SAY("%" PRIu64 " refresh%s of %s %s missed, by %" PRIu64 " of ", miss->missed,
	    miss->missed == 1 ? "" : "es", s->a->place, miss->missed == 1 ? "was" : "were",
	    s->a->n);
	/* Others may have asked for some of all. */
	if (miss->client && miss->client->pid != miss->pid)
		SAY("%s's pictures, of %" PRIu64 " in all,", SHOW_TASK(miss->tid, miss->comm),
		    s->a->of_n);
	else
		SAY("%" PRIu64 " pictures,", s->a->of_n);
}

/* A part of the mean time of the pictures, if it is one that can be seen. */
static void say_part_of_chain(struct say *s, const char *name, struct lane_span ns,
			      const char **before)
{
	const struct lane_miss_sum *miss = s->a->in.miss;

	if (lane_percent(ns.hi, miss->parts.whole_ns, 0) < 1)
		return;
	ns.lo /= miss->count;
	ns.hi /= miss->count;
	SAY("%s %s %s", *before, name, SHOW_SPAN(ns));
	*before = ",";
}

/* "; from the asking to the refresh 32.2 ms: dependency 19.9 ms, running 2.00 ms, refresh 10.3 ms"
 */
static void say_chain(struct say *s)
{
	const struct lane_miss_sum *miss = s->a->in.miss;
	const struct lane_frame_parts *parts = &miss->parts;
	const char *before = "";

	if (!parts->is_known || !parts->whole_ns)
		return;
	SAY("; from the asking to the refresh%s %s:", miss->count > 1 ? " on average" : "",
	    SHOW_DURATION(parts->whole_ns / miss->count));
	for (int i = 0; i < (parts->is_gpu_divided ? LANE_STAGE_PATH : LANE_STAGE_DEVICE_QUEUE);
	     i++)
		say_part_of_chain(s, lane_stage_names[i], parts->stages[i], &before);
	if (!parts->is_gpu_divided)
		say_part_of_chain(s, "handed over until signalled",
				  timeline_span_exact(parts->gpu_ns), &before);
	say_part_of_chain(s, "update", timeline_span_exact(parts->update_ns), &before);
	say_part_of_chain(s, "refresh", timeline_span_exact(parts->refresh_ns), &before);
}

static void say_most_in(struct say *s)
{
	if (s->a->stage < 0)
		return;
	if (s->a->stage == LANE_STAGE_RUNNING) {
		SAY(": for the longest part of its time it ran (running)");
		return;
	}
	SAY(": for the longest part of its time it was ");
	if (s->a->stage == LANE_STAGE_PREEMPTED)
		SAY("off the GPU (preempted)");
	else
		say_stage(s);
	if (s->a->by.kind != LANE_PARTY_NONE)
		SAY(", %s requests of %s", s->a->stage == LANE_STAGE_DEPENDENCY ? "for" : "behind",
		    NAME_OF(&s->a->by));
}

SAYS(late_by, "%s", SHOW_DURATION(s->a->in.miss->late_ns / s->a->in.miss->count))
SAYS(usual, "%s", SHOW_DURATION(s->a->in.miss->usual_ns / s->a->in.miss->count))
SAYS(slept_more, "%s", SHOW_DURATION(s->a->in.miss->slept_more_ns / s->a->in.miss->count))
SAYS(slept, "%s", SHOW_DURATION(s->a->in.miss->did.slept_ns / s->a->in.miss->count))
SAYS(slept_of, "%s", SHOW_DURATION(s->a->in.miss->did_ns / s->a->in.miss->count))

static void say_refusal(struct say *s)
{
	int64_t error = -(int64_t)s->a->in.miss->refused;

	if (error == EBUSY)
		SAY("EBUSY: the one before was not shown yet");
	else
		SAY("errno %" PRId64, error);
}

SAYS(retry, "%s",
     s->a->in.miss->refused == -EBUSY
	     ? "ask for the next picture when the event of the one before has come "
	       "(DRM_MODE_PAGE_FLIP_EVENT)"
	     : "see why: with drm.debug=0x10 the kernel's log says what it refuses")

SAYS(flip, "flip:%" PRId32 ":%" PRIu32, s->l->frames.screens[s->a->in.miss->screen].crtc,
     s->a->in.miss->refresh)

/* --- frames that programs mark --- */

static const struct lane_mark_series *sentence_series_of(const struct say *s)
{
	return &s->l->marks.series[s->a->in.frames->series];
}

/* "3 of 600 frames ("draw") of game[200] took more than 1.5 times the usual 16.7 ms, on average 9
 * ms more than usual" */
static void say_late_frames(struct say *s)
{
	const struct lane_mark_series *series = sentence_series_of(s);

	SAY("%" PRIu64 " of %" PRIu64
	    " frames (\"%s\") of %s took more than 1.5 times the usual %s,"
	    " %s%s more than usual",
	    s->a->n, s->a->of_n, series->name, SHOW_TASK(series->tid, series->comm),
	    SHOW_DURATION(series->usual_ns), s->a->n > 1 ? "on average " : "",
	    SHOW_DURATION(s->a->in.frames->more_ns / s->a->n));
}

SAYS(mark_pid, "%" PRId32, sentence_series_of(s)->pid)
SAYS(longer, "%s", SHOW_DURATION(s->a->in.frames->part_ns / s->a->n))
SAYS(frame, "%.9f-%.9f", (double)(s->a->in.frames->at_ns - s->l->figures.begin_ns) / 1e9,
     (double)(s->a->in.frames->end_ns - s->l->figures.begin_ns) / 1e9)

/* --- CPUs --- */

SAYS(state, "%s", show_sleep_text(s->l, s->a->in.idle->culprit_comm, SHOW_ROOM(64)))

static void say_did(struct say *s)
{
	if (*s->a->by.name)
		SAY("slept (%.16s)", s->a->by.name);
	else
		SAY("was idle");
}

SAYS(migrations, "%s", s->l->figures.by_kind[LANE_MIGRATE] ? "" : " (record sched_migrate_task)")

static void say_percentiles(struct say *s)
{
	struct lane_histogram *wakes = &s->l->cpu->wakes;

	SAY("%s in the median, %s at the 99th percentile",
	    SHOW_DURATION(latency_histogram_percentile(wakes, 500)),
	    SHOW_DURATION(latency_histogram_percentile(wakes, 990)));
}

static bool is_part(uint64_t ns, const struct lane_cpu_process *process)
{
	return lane_percent(ns, process->sums.time_ns, 0) >= 1;
}

/* Of a thread's waiting. What is not known of the thread may have been waiting, too. */
SAYS(mostly, "%s of it", s->a->how == LANE_BY_MOST ? "most" : "some")

/* What the program that was recorded did. */
static void say_program(struct say *s)
{
	const struct lane_cpu_process *process = s->a->in.process;
	const struct {
		uint64_t ns;
		const char *what;
	} parts[] = { { process->sums.running_ns, "ran" },
		      { latency_cpu_waited(&process->sums), "waited for a CPU" },
		      { process->sums.blocked_ns, "slept" },
		      { process->sums.unknown_ns, "went unseen" } };
	unsigned int left = 0;
	const char *before = "";

	if (process->threads > 1)
		SAY("the %u threads of ", process->threads);
	SAY("%s", show_cpu_process_name(process, SHOW_ROOM(64)));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		left += is_part(parts[i].ns, process);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!is_part(parts[i].ns, process))
			continue;
		SAY("%s %s for %s", before, parts[i].what, SHOW_DURATION(parts[i].ns));
		before = --left > 1 ? "," : " and";
	}
}

/* --- OpenCL --- */

/* Whose commands they are. */
SAYS(api, "%s", show_command_api(s->l->commands))

SAYS(device, "%s",
     *s->a->in.device->name
	     ? lane_clean_copy(SHOW_ROOM(128), s->a->in.device->name, LANE_CLEAN_LINE)
	     : "the device")

static void say_each(struct say *s)
{
	if (s->a->times == s->a->of_n)
		SAY("each");
	else
		say_times(s);
}

SAYS(timed, "%s", s->a->in.device->untimed ? "timed " : "")

static void say_most_calls(struct say *s)
{
	const struct lane_gap_sum *gap = s->a->gap;

	if (gap->calls)
		SAY(", %s of it in %s (%" PRIu64 " call%s)", SHOW_DURATION(gap->function_ns),
		    lane_cl_function_name(gap->function), gap->calls, lane_s(gap->calls));
}

/* "88", "2.5" */
static void say_mean_count(struct say *s, uint64_t count)
{
	double mean = (double)count / (double)s->a->n;

	SAY(mean < 10 && count % s->a->n ? "%.1f" : "%.0f", mean);
}

static void say_launch_calls(struct say *s)
{
	const struct lane_launches *l = s->a->in.launches;

	say_mean_count(s, l->calls);
	SAY(" other calls of %s for each of %" PRIu64 " launches (",
	    l->is_levelzero ? "Level Zero" : "OpenCL", s->a->n);
	say_mean_count(s, l->most->for_launches);
	SAY(" %s)", lane_cl_function_name(l->most->function));
}

SAYS(gap_part, "%s", SHOW_PART(s->a->in.device->gap_ns, s->a->of.lo))

static void say_runs_waited(struct say *s)
{
	const struct lane_behind_sum *b = s->a->in.behind;

	SAY("%" PRIu64 " run%s of %s of ", s->a->n, lane_s(s->a->n),
	    SHOW_COMMAND(s->l->commands, b->what));
	sentence_expand(s, "{who} waited{average} {least}{part}");
}

SAYS(runs, "%" PRIu64 " run%s of %s", s->a->n, lane_s(s->a->n),
     lane_clean_copy(SHOW_ROOM(64), s->a->in.kernel->name, LANE_CLEAN_LINE))

SAYS(commands, "%" PRIu64 " command%s", s->a->n, lane_s(s->a->n))

SAYS(and_ran, ", and %s running",
     SHOW_DURATION(s->l->commands->stages[LANE_CSTAGE_RUNNING].sum_ns / s->a->n))

static void say_both(struct say *s)
{
	if (s->a->in.device->both_ns)
		SAY(", %s of them beside kernels", SHOW_DURATION(s->a->in.device->both_ns));
}

/* The function that took longest. */
static void say_calls(struct say *s)
{
	const struct lane_call_stats *calls = s->l->commands->calls;
	uint64_t n = 0, ns = 0;
	unsigned int most = 0;

	for (unsigned int i = 0; i < LANE_CLF_COUNT; i++) {
		n += calls[i].count;
		ns += calls[i].ns;
		if (calls[i].ns > calls[most].ns)
			most = i;
	}
	SAY("%" PRIu64 " call%s, and no command; %s took %s", n, lane_s(n),
	    lane_cl_function_name(most), SHOW_PART(calls[most].ns, ns));
}

SAYS(untied, "%" PRIu64 " command%s, ", s->a->of_n, lane_s(s->a->of_n))

/* For how many commands it is certain, or not, which request carried them. */
static void say_ties(struct say *s)
{
	static const struct {
		enum lane_certainty certainty;
		const char *words;
	} parts[] = { { LANE_CERTAIN_EXACT, "certain" },
		      { LANE_CERTAIN_AMBIGUOUS, "one of several" },
		      { LANE_CERTAIN_NONE, "not known" } };
	struct lane_command_figures f;
	bool is_first = true;

	timeline_command_figures(s->l->timeline, &f);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t count = f.certainty[parts[i].certainty];

		if (!count)
			continue;
		SAY("%s %s for %" PRIu64, is_first ? "" : ",", parts[i].words, count);
		if (is_first && count < f.commands)
			SAY(" of %" PRIu64, f.commands);
		if (is_first)
			SAY(" command%s", lane_s(f.commands));
		is_first = false;
	}
}

/* --- the templates --- */

/* Words that a function says. */
static const struct {
	const char *word;
	void (*say)(struct say *s);
} words[] = {
#define W(word) #word, say_##word
	{ W(a_burst) },	  { W(after) },	      { W(and_ran) },	  { W(api) },
	{ W(average) },	  { W(behind) },      { W(because) },	  { W(both) },
	{ W(bursts) },	  { W(built) },	      { W(by) },	  { W(by_other) },
	{ W(calls) },	  { W(clock) },	      { W(commands) },	  { W(device) },
	{ W(did) },	  { W(driver) },      { W(dump) },	  { W(each) },
	{ W(error) },	  { W(events) },      { W(failed) },	  { W(freed) },
	{ W(freed_by) },  { W(from) },	      { W(gap_part) },	  { W(had_it) },
	{ W(in_it) },	  { W(job) },	      { W(late) },	  { W(least) },
	{ W(longest) },	  { W(mean) },	      { W(measured) },	  { W(migrations) },
	{ W(moves) },	  { W(n) },	      { W(ns) },	  { W(of_n) },
	{ W(often) },	  { W(open) },	      { W(open_call) },	  { W(over_after) },
	{ W(part) },	  { W(percentiles) }, { W(pid) },	  { W(program) },
	{ W(reason) },	  { W(reasons) },     { W(runs_waited) }, { W(s) },
	{ W(sleep) },	  { W(slow) },	      { W(slow_share) },  { W(slow_than) },
	{ W(so_often) },  { W(some) },	      { W(stage) },	  { W(state) },
	{ W(taken) },	  { W(them) },	      { W(thread) },	  { W(ties) },
	{ W(timed) },	  { W(times) },	      { W(unknown) },	  { W(untied) },
	{ W(counted) },	  { W(who) },	      { W(worker) },	  { W(missed) },
	{ W(most_in) },	  { W(late_by) },     { W(usual) },	  { W(flip) },
	{ W(chain) },	  { W(refusal) },     { W(slept_more) },  { W(slept) },
	{ W(slept_of) },  { W(mostly) },      { W(runs) },	  { W(gpu) },
	{ W(limit) },	  { W(held_by) },     { W(gauge) },	  { W(steady) },
	{ W(by_cap) },	  { W(holder) },      { W(what) },	  { W(key) },
	{ W(one) },	  { W(far) },	      { W(with_it) },	  { W(retry) },
	{ W(bounded) },	  { W(frame) },	      { W(late_frames) }, { W(longer) },
	{ W(else_when) }, { W(mark_pid) },    { W(awaited) },	  { W(most_calls) },
	{ W(where) },	  { W(launch_calls) }
#undef W
};

/* Words that are others. */
static const struct {
	const char *word, *template;
} templates[] = {
	{ "gap", "{api}: {device} ran no {timed}command of {who} for {gap_part}, {ns} of it" },
	{ "request", "A request of {who} spent{average} {mean}" },
	{ "spent", "{api}: {commands} spent{average} {least}{part}" },
	{ "waited", "{api}: {runs_waited}" },
};

static bool sentence_is_word(const char *word, const char *name, size_t n)
{
	return !strncmp(word, name, n) && !word[n];
}

static void expand_word(struct say *s, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sentence_is_word(words[i].word, name, n))
			words[i].say(s);
	for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
		if (sentence_is_word(templates[i].word, name, n))
			sentence_expand(s, templates[i].template);
}

static void sentence_expand(struct say *s, const char *template)
{
	while (*template) {
		size_t plain = strcspn(template, "{"), n;

		SAY("%.*s", (int)plain, template);
		template += plain;
		if (!*template)
			return;
		n = strcspn(template, "}");
		expand_word(s, template + 1, n - 1);
		template += n + 1;
	}
}

/* --- the sentences of a report --- */

static void sentence_make(const struct lane_answers *answers, const struct lane_answer *a,
			  const char *template, char *text, size_t size)
{
	struct say say = { answers->latency, a, text, size };

	*text = 0;
	sentence_expand(&say, template);
	if (a->untold && template == lane_causes[a->cause].sentence)
		show_append(text, size, "; %" PRIu32 " more failed (--tables causes)", a->untold);
	lane_clean(text, LANE_CLEAN_LINE);
}

const char *show_answer_advice(const struct lane_answers *answers, const struct lane_answer *answer,
			       char *text, size_t size)
{
	const char *template =
		answer->advice == LANE_CAUSE_IS_NONE ? NULL : lane_causes[answer->advice].advice;

	*text = 0;
	if (template)
		sentence_make(answers, answer, template, text, size);
	return text;
}

void show_sentences_begin(struct lane_sentences *s, const struct lane_latency *latency,
			  unsigned int most)
{
	*s = (struct lane_sentences){ .has_begun = false };
	verdict_find(latency, most, &s->answers);
}

void show_sentences_of_request(struct lane_sentences *s, const struct lane_latency *latency)
{
	*s = (struct lane_sentences){ .has_begun = true };
	verdict_find_of_request(latency, &s->answers);
}

/* What to try; what was said last is not said again. */
static void advise(struct lane_sentences *s, const struct lane_answer *a)
{
	show_answer_advice(&s->answers, a, s->advice, sizeof(s->advice));
	if (!strcmp(s->advice, s->advised))
		s->advice[0] = 0;
	else if (*s->advice)
		memcpy(s->advised, s->advice, sizeof(s->advised));
}

bool show_sentences_next(struct lane_sentences *s)
{
	const struct lane_answer *a;

	s->advice[0] = 0;
	if (!s->has_begun) {
		s->has_begun = true;
		if (decode_ending_sentence(&s->answers.latency->info, s->text, sizeof(s->text)))
			return true;
	}
	if (s->next == s->answers.n)
		return false;
	a = &s->answers.all[s->next++];
	sentence_make(&s->answers, a, lane_causes[a->cause].sentence, s->text, sizeof(s->text));
	advise(s, a);
	return true;
}

void show_sentences_write(FILE *to, struct lane_sentences *s, bool has_colour)
{
	while (show_sentences_next(s)) {
		fprintf(to, has_colour ? "\033[1m%s.\033[0m\n" : "%s.\n", s->text);
		if (*s->advice)
			fprintf(to, "  try: %s\n", s->advice);
	}
}

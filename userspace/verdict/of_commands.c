// SPDX-License-Identifier: MIT
// Answers on commands of OpenCL and Level Zero: gaps of devices, stages, waits, transfers.
#include "verdict/found.h"

#include <string.h>

/* From this share on a device is busy. */
#define BUSY_PERCENT 90
/* Of fewer launches nothing is usual. */
#define LEAST_LAUNCHES 8

static unsigned int of_commands_share(uint64_t part, uint64_t whole)
{
	return lane_percent(part, whole, 0.5);
}

static uint64_t span_of(const struct lane_cl_device_stats *d)
{
	return d->last_ns - d->first_ns;
}

bool verdict_is_busy(const struct lane_cl_device_stats *d)
{
	return verdict_share(d->busy_ns, span_of(d)) >= BUSY_PERCENT;
}

/* An answer on a device and the process whose commands it ran. */
static struct lane_answer *of_commands_add(struct lane_answers *answers, enum lane_cause cause,
					   const struct lane_cl_device_stats *d, uint64_t ns,
					   uint64_t of)
{
	struct lane_answer *a = verdict_add(answers, cause);

	a->in.device = d;
	a->who = verdict_process(d->pid);
	a->ns = timeline_span_exact(ns);
	a->of = timeline_span_exact(of);
	return a;
}

/* The device that was busy for longest, of those that nearly always were. */
static void of_busy(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_cl_device_stats *d = NULL;

	for (uint32_t i = 0; i < c->n_devices; i++)
		if (verdict_is_busy(&c->devices[i]) && (!d || c->devices[i].busy_ns > d->busy_ns))
			d = &c->devices[i];
	if (d)
		of_commands_add(answers, LANE_CAUSE_IS_DEVICE_BUSY, d, d->busy_ns, span_of(d));
}

/* A program that waits behind its launches, so that the device waits for the program. */
static bool of_launches(struct lane_answers *answers, const struct lane_cl_device_stats *d)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_cl_program *program = c->programs;
	struct lane_answer *a;
	uint64_t ns, least;

	while (program < c->programs + c->n_programs && program->pid != d->pid)
		program++;
	if (program == c->programs + c->n_programs || program->launches < 2 ||
	    program->waited > program->launches || 10 * program->waited < 9 * program->launches)
		return false;
	ns = d->gap_cause_ns[LANE_GAP_UNNOTICED] + d->gap_cause_ns[LANE_GAP_MAYBE_UNNOTICED] +
	     d->gap_cause_ns[LANE_GAP_OTHER] + d->gap_cause_ns[LANE_GAP_PROGRAM];
	least = ns < d->unsure_ns ? 0 : ns - d->unsure_ns;
	if (of_commands_share(least, span_of(d)) < VERDICT_PERCENT || 2 * least < d->gap_ns)
		return false; /* or something else is more of the device's idle time */
	if (2 * d->gap_cause_ns[LANE_GAP_OTHER] > ns)
		return false; /* what it calls between them is more than that it waits */
	a = of_commands_add(answers, LANE_CAUSE_IS_LAUNCHES, d, least, span_of(d));
	a->ns.hi = ns;
	a->times = program->waited;
	a->of_n = program->launches;
	verdict_cost(answers, a, d->pid, least);
	return true;
}

/* Who had the engine while a device's commands were off it. */
static void of_preempted(const struct lane_latency *l, const struct lane_gap_sum *gap,
			 struct lane_answer *a)
{
	for (uint32_t i = 0; i < l->n_clients; i++)
		if (l->clients[i].client && l->clients[i].client->pid == a->who.id)
			verdict_preempting(l, &l->clients[i], gap->ns, gap->ns, a);
	/* As often as this thread's commands were, and no more. */
	memset(a->why_times, 0, sizeof(a->why_times));
	a->why_times[a->why] = a->times = gap->count;
	a->nearly = 0;
	a->is_more_often = false;
	a->longest_ns = gap->max_ns;
	a->longest_at_ns = gap->max_at_ns;
}

/* An answer says already why the program did not launch for most of that. */
static bool is_held(const struct lane_answers *answers, const struct lane_cl_device_stats *d)
{
	for (uint32_t i = 0; i < answers->n; i++) {
		const struct lane_answer *a = &answers->all[i];

		if (a->is_of_launches && a->pid == d->pid && 2 * a->cost_ns >= d->gap_ns)
			return true;
	}
	return false;
}

/* What a device waited for between commands. */
static void of_gaps(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_gap_sum *gap = c->gaps;
	const struct lane_cl_device_stats *d;
	struct lane_answer *a;

	_Static_assert(LANE_CAUSE_IS_GAP_PREEMPTED - LANE_CAUSE_IS_GAP_UNNOTICED ==
			       LANE_GAP_PREEMPTED,
		       "the causes of gaps stand in their order");
	if (!c->n_gaps)
		return;
	d = &c->devices[gap->device];
	if (verdict_is_busy(d) || of_commands_share(d->gap_ns, span_of(d)) < VERDICT_PERCENT ||
	    is_held(answers, d) || of_launches(answers, d))
		return;
	a = of_commands_add(answers, LANE_CAUSE_IS_GAP_UNNOTICED + gap->cause, d, gap->ns,
			    span_of(d));
	a->gap = gap;
	a->thread = verdict_task(gap->tid, gap->comm);
	a->times = gap->count;
	a->longest_ns = gap->max_ns;
	a->longest_at_ns = gap->max_at_ns;
	verdict_cost(answers, a, d->pid, gap->ns);
	if (gap->cause == LANE_GAP_PREEMPTED)
		of_preempted(answers->latency, gap, a);
	if (gap->cause == LANE_GAP_HELD && !c->has_opencl) /* Level Zero has no flush */
		a->advice = LANE_CAUSE_IS_NONE;
}

/* The call that took most of the builds' time. */
static enum lane_cl_build longest_build(const struct lane_cl_program *program)
{
	enum lane_cl_build most = 0;

	for (enum lane_cl_build build = 0; build < LANE_CL_BUILDS; build++)
		if (program->build_ns[build] > program->build_ns[most])
			most = build;
	return most;
}

/* The program that spent most of the recording in making its programs for the device. */
static void of_builds(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_answer *last = answers->n ? &answers->all[answers->n - 1] : NULL;
	uint64_t whole = latency_whole_ns(answers->latency);
	const struct lane_cl_program *p = NULL;
	enum lane_cl_build most;
	struct lane_answer *a;

	for (uint32_t i = 0; i < c->n_programs; i++)
		if (!p || c->programs[i].builds_ns > p->builds_ns)
			p = &c->programs[i];
	if (!p || of_commands_share(p->builds_ns, whole) < VERDICT_PERCENT)
		return;
	if (last && last->cause == LANE_CAUSE_IS_GAP_BUILD && 2 * last->ns.lo >= p->builds_ns)
		return; /* that says it */
	most = longest_build(p);
	a = verdict_add(answers, most == LANE_CL_FROM_BINARY	 ? LANE_CAUSE_IS_BUILD_BINARY
				 : most == LANE_ZE_CREATE_MODULE ? LANE_CAUSE_IS_BUILD_MODULE
								 : LANE_CAUSE_IS_BUILD_SOURCE);
	a->in.program = p;
	a->who = verdict_process(p->pid);
	a->ns = (struct lane_span){ p->builds_ns, p->is_more_built ? whole : p->builds_ns };
	a->of = timeline_span_exact(whole);
	a->times = p->builds;
	verdict_cost(answers, a, p->pid, p->builds_ns);
}

/* The command that waited for longest, and for whom. */
static bool of_behind(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_behind_sum *b = c->behinds;
	struct lane_answer *a;

	if (!c->n_behinds || 2 * b->ns < b->waited_ns || 4 * b->ns < c->waited.waited.hi)
		return false;
	a = verdict_add(answers, b->other		    ? LANE_CAUSE_IS_BEHIND_OTHERS
				 : b->other_what == b->what ? LANE_CAUSE_IS_BEHIND_ITSELF
							    : LANE_CAUSE_IS_BEHIND_QUEUE);
	a->in.behind = b;
	a->who = verdict_process(b->pid);
	a->by = b->other ? verdict_process(b->other->pid)
			 : (struct lane_party){ .kind = LANE_PARTY_COMMAND,
						.id = (int32_t)b->other_what };
	a->how = LANE_BY_MOST;
	a->ns = (struct lane_span){ b->ns, b->is_least ? b->waited_ns : b->ns };
	a->of = timeline_span_exact(b->waited_ns);
	a->n = b->count;
	if (b->other)
		verdict_cost(answers, a, b->pid, b->ns);
	return true;
}

/* The stage of commands that took most, but for running; *ns: for how long. */
static int longest_stage(const struct lane_commands *c, uint64_t *ns)
{
	int most = LANE_CSTAGE_CALL;

	*ns = c->stages[most].sum_ns;
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		uint64_t sum_ns =
			i == LANE_CSTAGE_UNNOTICED ? c->unnoticed_least_ns : c->stages[i].sum_ns;

		if (i == LANE_CSTAGE_RUNNING || sum_ns <= *ns)
			continue;
		most = i;
		*ns = sum_ns;
	}
	return most;
}

/* What took most of the commands' time that was not running. */
static void of_stages(struct lane_answers *answers)
{
	struct lane_starved_sum sum;
	uint32_t from = 0;
	static const enum lane_cause causes[LANE_CSTAGE_COUNT] = {
		[LANE_CSTAGE_CALL] = LANE_CAUSE_IS_COMMAND_CALL,
		[LANE_CSTAGE_HELD] = LANE_CAUSE_IS_COMMAND_HELD,
		[LANE_CSTAGE_HOST_QUEUE] = LANE_CAUSE_IS_COMMAND_HOST_QUEUE,
		[LANE_CSTAGE_DEVICE_QUEUE] = LANE_CAUSE_IS_COMMAND_DEVICE_QUEUE,
		[LANE_CSTAGE_QUEUE_OR_BEFORE] = LANE_CAUSE_IS_COMMAND_QUEUE_OR_BEFORE,
		[LANE_CSTAGE_PREEMPTED] = LANE_CAUSE_IS_COMMAND_PREEMPTED,
		[LANE_CSTAGE_BEFORE] = LANE_CAUSE_IS_COMMAND_BEFORE,
		[LANE_CSTAGE_SIGNAL] = LANE_CAUSE_IS_COMMAND_SIGNAL,
		[LANE_CSTAGE_UNNOTICED] = LANE_CAUSE_IS_COMMAND_UNNOTICED,
	};
	const struct lane_commands *c = answers->latency->commands;
	uint64_t behind_ns = c->behind_ns + c->waited.process.lo, waited_ns = 0, ns;
	int most = longest_stage(c, &ns);
	bool is_wait = most >= LANE_CSTAGE_HELD && most < LANE_CSTAGE_RUNNING;
	enum lane_cause cause = causes[most];
	struct lane_answer *a;

	for (int i = LANE_CSTAGE_HELD; i < LANE_CSTAGE_RUNNING; i++)
		waited_ns += c->stages[i].sum_ns;
	if (is_wait && behind_ns > waited_ns / 2) {
		ns = behind_ns;
		cause = LANE_CAUSE_IS_BEHIND_PROGRAM;
	}
	if (!c->total.count || of_commands_share(ns, c->total.sum_ns) < VERDICT_PERCENT ||
	    (is_wait && of_behind(answers)))
		return;
	a = verdict_add(answers, cause);
	a->ns = timeline_span_exact(ns);
	if (cause == LANE_CAUSE_IS_COMMAND_UNNOTICED)
		a->ns.hi = c->stages[most].sum_ns;
	a->of = timeline_span_exact(c->total.sum_ns);
	a->n = c->total.count;
	if ((c->n_gaps && c->gaps[0].cause == LANE_GAP_UNNOTICED) ||
	    verdict_starved(answers->latency, &from, &sum))
		a->advice = LANE_CAUSE_IS_NONE;
}

/* Running is the most of its commands' time. */
static bool is_slow_itself(const struct lane_kernel_stats *kernel)
{
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++)
		if (i != LANE_CSTAGE_RUNNING &&
		    kernel->stage_ns[i] >= kernel->stage_ns[LANE_CSTAGE_RUNNING])
			return false;
	return kernel->stage_ns[LANE_CSTAGE_RUNNING];
}

/* The kernel with atomics that ran for longest: a command says what they cost. */
static void of_atomics(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_kernel_stats *k = c->kernels, *end = k + c->n_kernels;
	struct lane_answer *a;

	while (k < end && !(k->has_atomics && is_slow_itself(k)))
		k++;
	if (k == end || of_commands_share(k->running.sum_ns, latency_whole_ns(answers->latency)) <
				VERDICT_PERCENT)
		return;
	a = verdict_add(answers, LANE_CAUSE_IS_ATOMICS);
	a->in.kernel = k;
	a->who = verdict_process(k->pid);
	a->what = k->name;
	a->ns = timeline_span_exact(k->stage_ns[LANE_CSTAGE_RUNNING]);
	a->of = timeline_span_exact(k->total.sum_ns);
	a->n = k->total.count;
}

/* A program whose waits keep a CPU busy. */
static void of_spinning(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_cl_program *most = NULL;
	struct lane_answer *a;

	for (uint32_t i = 0; i < c->n_programs; i++)
		if (!most || c->programs[i].waits_ran.lo > most->waits_ran.lo)
			most = &c->programs[i];
	if (!most ||
	    of_commands_share(most->waits_ran.lo, latency_whole_ns(answers->latency)) <
		    VERDICT_PERCENT ||
	    2 * most->waits_ran.lo < most->waits_ns)
		return;
	a = verdict_add(answers, LANE_CAUSE_IS_SPINNING);
	a->in.program = most;
	a->who = verdict_process(most->pid);
	a->ns = most->waits_ran;
	a->of = timeline_span_exact(most->waits_ns);
	a->times = most->waits;
}

/* An answer says already that the device waited for the process's other calls. */
static bool is_said(const struct lane_answers *answers, int32_t pid)
{
	for (uint32_t i = 0; i < answers->n; i++)
		if (answers->all[i].cause == LANE_CAUSE_IS_GAP_OTHER && answers->all[i].pid == pid)
			return true;
	return false;
}

/* A device that ran the process's commands nearly all the time waited for no call. */
static bool has_busy_device(const struct lane_commands *c, int32_t pid)
{
	for (uint32_t i = 0; i < c->n_devices; i++)
		if (c->devices[i].pid == pid && verdict_is_busy(&c->devices[i]))
			return true;
	return false;
}

/* The program whose launches took longest in other calls, which were a third of them or more. */
static void of_launch_calls(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	const struct lane_launching *launching = &c->launching;
	const struct lane_launches *most = NULL;
	struct lane_answer *a;

	for (uint32_t i = 0; i < launching->n_launches; i++) {
		const struct lane_launches *l = &launching->launches[i];

		/* What its OpenCL makes of Level Zero's calls is not the program's. */
		if (!l->inner && l->measured >= LEAST_LAUNCHES && 3 * l->calls_ns >= l->whole_ns &&
		    (!most || l->calls_ns > most->calls_ns) && !has_busy_device(c, l->pid))
			most = l;
	}
	if (!most || !most->most ||
	    of_commands_share(most->calls_ns, latency_whole_ns(answers->latency)) <
		    VERDICT_PERCENT ||
	    is_said(answers, most->pid))
		return;
	a = verdict_add(answers, LANE_CAUSE_IS_LAUNCH_CALLS);
	a->in.launches = most;
	a->who = verdict_process(most->pid);
	a->ns = timeline_span_exact(most->calls_ns);
	a->of = timeline_span_exact(most->whole_ns);
	a->n = most->measured;
	a->times = most->calls;
}

/* Transfers that took most of the device's time. */
static void of_transfers(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < c->n_devices; i++)
		if (c->devices[i].busy_ns > most_ns)
			most_ns = c->devices[i].busy_ns;
	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];

		if (!d->kernels_ns || of_commands_share(d->transfers_ns, d->busy_ns) < 50 ||
		    of_commands_share(d->busy_ns, most_ns) < VERDICT_PERCENT)
			continue;
		of_commands_add(answers, LANE_CAUSE_IS_TRANSFERS, d, d->transfers_ns, d->busy_ns);
		return;
	}
}

/* How many commands are not tied to their requests for sure; or there are calls alone. */
static void of_ties(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	struct lane_command_figures f;
	struct lane_answer *a;
	bool has_times;

	timeline_command_figures(l->timeline, &f);
	has_times = f.untimed < f.commands || l->figures.by_kind[LANE_CL_COMMAND];
	if (has_times && f.commands == f.certainty[LANE_CERTAIN_EXACT] && l->commands->commands)
		return;
	if (!l->commands->commands) {
		for (unsigned int i = 0; i < LANE_CLF_COUNT; i++)
			if (l->commands->calls[i].count) {
				verdict_add(answers, LANE_CAUSE_IS_CALLS_ALONE);
				return;
			}
		return;
	}
	a = verdict_add(answers, f.why[LANE_WHY_NOT_RECORDED] != f.commands
					 ? LANE_CAUSE_IS_TIES_UNSURE
				 : has_times ? LANE_CAUSE_IS_REQUESTS_UNRECORDED
					     : LANE_CAUSE_IS_TIMES_UNRECORDED);
	a->of_n = f.commands;
	/* The layer was there, and no command is known to have ended. */
	if (has_times || l->info.presence[LANE_CL_COMMAND] == LANE_PRESENCE_RECORDED ||
	    l->figures.by_kind[LANE_CL_CLOCK])
		a->advice = LANE_CAUSE_IS_NONE;
}

void verdict_of_commands(struct lane_answers *answers)
{
	static void (*const finders[])(struct lane_answers *) = {
		of_busy,     of_gaps,	      of_builds,    of_stages, of_atomics,
		of_spinning, of_launch_calls, of_transfers, of_ties
	};

	for (unsigned int i = 0; i < sizeof(finders) / sizeof(finders[0]); i++)
		if (answers->latency->commands)
			finders[i](answers);
}

// SPDX-License-Identifier: MIT
// Answers that are not about one process's queues: faults, what is open, memory, power, counters,
// bursts.
#include <stdio.h>

#include "verdict/found.h"

#define MAX_FAULTS 4 /* on a screen; where there is room for more, they leave two others theirs */
#define MAX_LATES  3
#define LOOKED_AT  64 /* to find whom a fault went with */
#define MAX_SLOWS  8
#define MAX_CLOCKS 4
/* Fewer calls that fail are the program's business. */
#define FAILURES 8

/* In this order; of one job only the first is an answer. */
static const struct {
	enum lane_fault_cause fault;
	enum lane_cause cause;
} faults[] = {
	{ LANE_FAULT_MEMORY, LANE_CAUSE_IS_MEMORY_FAULT },
	{ LANE_FAULT_TIMEOUT, LANE_CAUSE_IS_JOB_TIMEOUT },
	{ LANE_FAULT_CANCELLED, LANE_CAUSE_IS_REQUEST_CANCELLED },
	{ LANE_FAULT_BAN, LANE_CAUSE_IS_QUEUE_BAN },
	{ LANE_FAULT_LOST, LANE_CAUSE_IS_REQUEST_LOST },
	{ LANE_FAULT_RESET, LANE_CAUSE_IS_GPU_RESET },
	{ LANE_FAULT_OVERDUE, LANE_CAUSE_IS_JOB_OVERDUE },
	{ LANE_FAULT_ERROR, LANE_CAUSE_IS_REQUEST_ERROR },
	{ LANE_FAULT_REPLAYED, LANE_CAUSE_IS_REQUEST_REPLAYED },
	{ LANE_FAULT_INHERITED, LANE_CAUSE_IS_REQUEST_INHERITED },
	{ LANE_FAULT_CLOSED, LANE_CAUSE_IS_REQUEST_CLOSED },
	{ LANE_FAULT_EVICTION, LANE_CAUSE_IS_GPU_EVICTION },
	{ LANE_FAULT_PAGE, LANE_CAUSE_IS_GPU_PAGE },
};

#define N_FAULTS (sizeof(faults) / sizeof(faults[0]))

static unsigned int rank_of(uint8_t fault)
{
	unsigned int i = 0;

	while (i < N_FAULTS && faults[i].fault != fault)
		i++;
	return i;
}

/* All of them went with jobs that are told, or with a reset. */
static bool of_machine_is_taken(const struct lane_latency *l, const struct lane_fault_sum *of)
{
	const struct lane_taken_sum *taken;

	if (!of->taken || of->taken != of->count)
		return false;
	for (uint32_t i = 0; i < l->n_faults && i < LOOKED_AT; i++)
		for (uint32_t from = 0;
		     from < LOOKED_AT && (taken = latency_taken_with(l, &l->faults[i], &from));)
			if (taken->client == of->client && taken->engine == of->engine &&
			    taken->is_replayed == (of->cause == LANE_FAULT_REPLAYED))
				return true;
	return false;
}

/* The same job is told of with a cause that says more, or the same reset with the job in it. */
static bool is_said(const struct lane_latency *l, const struct lane_fault_sum *of)
{
	for (uint32_t i = 0; i < l->n_faults; i++) {
		const struct lane_fault_sum *other = &l->faults[i];

		if (of->kind == LANE_RESET && !of->context && other->context &&
		    other->kind == LANE_RESET && other->cause == LANE_FAULT_RESET)
			return true;
		if (of->context && other->context == of->context && other->seqno == of->seqno &&
		    rank_of(other->cause) < rank_of(of->cause))
			return true;
	}
	return false;
}

/* A job of another program than is asked about failed, and none of what is asked about went with
 * it. Where that waited for the job an answer of its own says so. */
static bool is_aside(const struct lane_latency *l, const struct lane_fault_sum *sum)
{
	bool is_one_asked = l->select.process || l->info.command_pid > 0;
	const struct lane_taken_sum *taken;
	uint32_t from = 0;

	if (!is_one_asked || sum->cause == LANE_FAULT_RESET || !sum->context || !sum->client ||
	    sum->client->pid <= 0 || verdict_is_asked(l, sum->client->pid))
		return false;
	while ((taken = latency_taken_with(l, sum, &from)))
		if (!taken->client || verdict_is_asked(l, taken->client->pid))
			return false;
	return true;
}

/* What drivers themselves told of. */
void verdict_of_faults(struct lane_answers *answers)
{
	uint32_t n = 0, most = answers->most > MAX_FAULTS + 2 ? answers->most - 2 : MAX_FAULTS;
	const struct lane_latency *l = answers->latency;
	struct lane_answer *last = NULL;

	for (unsigned int rank = 0; rank < N_FAULTS; rank++)
		for (uint32_t i = 0; i < l->n_faults; i++) {
			const struct lane_fault_sum *sum = &l->faults[i];
			struct lane_answer *a;

			if (sum->cause != faults[rank].fault || is_said(l, sum) ||
			    of_machine_is_taken(l, sum))
				continue;
			if (n == most) {
				last->untold += rank < rank_of(LANE_FAULT_EVICTION) && sum->context;
				continue;
			}
			a = last = verdict_add(answers, faults[rank].cause);
			a->in.fault = sum;
			a->engine = sum->engine;
			snprintf(a->place, sizeof(a->place), "%s", sum->driver);
			a->times = sum->count;
			a->ns = timeline_span_exact(sum->lasted_ns);
			a->has_dump = !n++ && rank <= rank_of(LANE_FAULT_RESET);
			a->is_aside = is_aside(l, sum);
			if (sum->client)
				a->who = verdict_client(sum->client);
			if (sum->context)
				verdict_show(a, sum->context, sum->seqno);
			if (sum->count > 1 && sum->last_context)
				verdict_show(a, sum->last_context, sum->last_seqno);
		}
}

/* What is open too long: the oldest one. */
void verdict_of_open(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	const struct lane_open *open = latency_open_told(l, 0, false);
	struct lane_answer *a;
	uint32_t n = 1;

	if (!open)
		return;
	while (latency_open_told(l, n, false))
		n++;
	a = verdict_add(answers, LANE_CAUSE_IS_OPEN);
	a->in.open = open;
	a->is_more_often = latency_open_has_more(l);
	a->engine = open->request.engine;
	a->who = verdict_client(timeline_client_of(&open->request));
	a->ns = timeline_span_exact(l->figures.until_ns - open->since_ns);
	a->of_n = n;
	verdict_show(a, open->request.context, open->request.seqno);
}

/* The call that has not returned for longest; without one, the command that has not ended, or the
 * thread that waits in the kernel. */
void verdict_of_open_calls(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	const struct lane_open_call *open = latency_open_call_told(l, 0, false);
	struct lane_answer *a;
	uint32_t n = 1;

	if (!open)
		return;
	while (latency_open_call_told(l, n, false))
		n++;
	a = verdict_add(answers, open->has_wait	  ? LANE_CAUSE_IS_OPEN_WAIT
				 : open->has_call ? LANE_CAUSE_IS_OPEN_CALL
						  : LANE_CAUSE_IS_OPEN_COMMAND);
	/* It waits: its command says why. */
	if (open->has_command && !open->is_own)
		a->advice = LANE_CAUSE_IS_OPEN_COMMAND;
	a->in.open_call = open;
	a->is_more_often = l->open_calls.is_cut;
	a->who = verdict_process(open->pid);
	if (open->has_call && open->call.tid != open->pid)
		a->thread = verdict_task(open->call.tid, "");
	else if (open->has_wait && open->wait.tid != open->pid)
		a->thread = verdict_task(open->wait.tid, "");
	a->what = open->has_wait   ? latency_kernel_wait_names[open->wait.how]
		  : open->has_call ? lane_cl_function_name(open->call.function)
				   : open->name;
	a->ns = timeline_span_exact(l->figures.until_ns - open->since_ns);
	a->of_n = n;
	if (open->has_request)
		verdict_show(a, open->request.context, open->request.seqno);
}

/* Of the others who had most of the GPU's memory at once, and more than all of its clients may have
 * had together; NULL: nobody, or there are several GPUs. */
static const struct lane_counter_sum *holder_of(const struct lane_latency *l, int32_t pid)
{
	uint32_t n = latency_counters_one_gpu(&l->counters) ? l->counters.n : 0;
	const struct lane_counter_sum *most = NULL;
	uint64_t own = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct lane_counter_sum *sum = &l->counters.all[i];

		if (sum->is.what != LANE_COUNTS_CLIENT_VRAM || !sum->samples)
			continue;
		if (sum->is.pid == pid)
			own += sum->most < UINT64_MAX - own ? sum->most : UINT64_MAX - own;
		else if (!most || sum->most > most->most)
			most = sum;
	}
	return most && most->most > own ? most : NULL;
}

/* Why some were late, where memory or power is more than half of it. */
void verdict_of_lates(struct lane_answers *answers)
{
	const struct lane_memory *memory = &answers->latency->memory;

	_Static_assert(LANE_CAUSE_IS_REBIND_WORKER - LANE_CAUSE_IS_RECLAIM == LANE_STALL_WORKER,
		       "what holds others up stands in its order");
	for (uint32_t i = 0; i < memory->n_lates && i < MAX_LATES; i++) {
		const struct lane_late *late = &memory->lates[i];
		uint64_t more_ns = late->late_ns - late->n_late * late->typical_ns;
		uint64_t whole = latency_whole_ns(answers->latency);
		struct lane_answer *a;

		/* Much that a program does between launches is now and then longer. */
		if (late->what == LANE_LATE_LAUNCH &&
		    verdict_share(late->explained_ns, whole) < VERDICT_PERCENT)
			continue;
		a = verdict_add(answers, LANE_CAUSE_IS_RECLAIM + late->cause);
		a->in.late = late;
		a->is_of_launches = late->what == LANE_LATE_LAUNCH;
		a->what = lane_late_names[late->what];
		snprintf(a->place, sizeof(a->place), "%s", late->most.from);
		a->who = verdict_client(late->client);
		a->ns = (struct lane_span){ late->explained_ns, more_ns };
		a->of = timeline_span_exact(late->what == LANE_LATE_HELD ? whole : more_ns);
		a->n = late->n_late;
		a->of_n = late->n;
		if (a->cause == LANE_CAUSE_IS_MOVE)
			a->holder = holder_of(answers->latency, late->client->pid);
		verdict_cost(answers, a, late->client->pid, late->explained_ns);
	}
}

/* Of bursts nothing is said but this. */
void verdict_of_bursts(struct lane_answers *answers)
{
	const struct lane_completeness *requests = &answers->latency->requests;
	struct lane_answer *a;

	if (!requests->bursts)
		return;
	a = verdict_add(answers,
			requests->maybe_bursts ? LANE_CAUSE_IS_MAYBE_BURSTS : LANE_CAUSE_IS_BURSTS);
	a->n = requests->bursts;
	a->of_n = requests->complete + requests->partial + requests->unknown;
	if (answers->latency->commands)
		a->advice = LANE_CAUSE_IS_NONE;
}

/* Calls that failed, again and again, and took a process' time. */
static struct lane_answer *add_failed(struct lane_answers *answers, const char *what, uint64_t ns)
{
	struct lane_answer *a = verdict_add(answers, LANE_CAUSE_IS_FAILED_CALLS);

	a->what = what;
	a->is_of_launches = true;
	a->ns = timeline_span_exact(ns);
	a->of = timeline_span_exact(latency_whole_ns(answers->latency));
	return a;
}

/* Likewise of OpenCL and Level Zero. */
static void of_failed_commands(struct lane_answers *answers)
{
	const struct lane_commands *c = answers->latency->commands;
	uint64_t whole = latency_whole_ns(answers->latency);

	for (uint32_t i = 0; c && i < c->n_failures; i++) {
		const struct lane_cl_failure *sum = &c->failures[i];
		struct lane_answer *a;

		if (sum->count < FAILURES || sum->count < c->calls[sum->function].count / 2 ||
		    verdict_share(sum->ns, whole) < VERDICT_PERCENT)
			continue;
		a = add_failed(answers, lane_cl_function_name(sum->function), sum->ns);
		a->in.failure = sum;
		a->is_of_api = true;
		a->who = verdict_process(sum->pid);
		a->n = sum->count;
		a->advice = LANE_CAUSE_IS_NONE;
		verdict_cost(answers, a, sum->pid, sum->ns);
	}
}

/* A process that did little else than to bind memory, in calls of which none is known to have
 * failed. */
static void of_binding(struct lane_answers *answers, const struct lane_stall_sum *sum,
		       uint64_t whole)
{
	struct lane_answer *a;

	if (sum->cause != LANE_STALL_BIND || sum->failed || sum->count < FAILURES ||
	    verdict_share(sum->any_ns, whole) < 50)
		return;
	a = verdict_add(answers, LANE_CAUSE_IS_BIND_CALLS);
	a->in.stall = sum;
	a->who = verdict_task(sum->pid, sum->comm);
	a->times = sum->count;
	a->ns = timeline_span_exact(sum->any_ns);
	a->of = timeline_span_exact(whole);
	verdict_cost(answers, a, sum->pid, sum->any_ns);
}

static const char *failing_call(const struct lane_stall_sum *sum)
{
	if (sum->cause == LANE_STALL_REFUSED)
		return sum->from;
	return sum->cause == LANE_STALL_BIND ? "VM_BIND" : "WAIT_USER_FENCE";
}

void verdict_of_failures(struct lane_answers *answers)
{
	const struct lane_memory *m = &answers->latency->memory;
	uint64_t whole = latency_whole_ns(answers->latency);

	/* They are sums over all of the recording. */
	for (uint32_t i = 0; !answers->latency->is_selective && i < m->n; i++) {
		const struct lane_stall_sum *sum = &m->sums[i];
		struct lane_answer *a;
		uint64_t ns = sum->failed_ns;

		of_binding(answers, sum, whole);
		if (sum->cause == LANE_STALL_REFUSED)
			ns = latency_memory_none_worked(answers->latency, sum) ?: sum->any_ns;
		if (sum->failed < FAILURES || sum->failed < sum->count / 2 ||
		    verdict_share(ns, whole) < VERDICT_PERCENT)
			continue;
		a = add_failed(answers, failing_call(sum), ns);
		a->in.stall = sum;
		a->who = verdict_task(sum->pid, sum->comm);
		a->n = sum->failed;
		a->of_n = sum->cause == LANE_STALL_REFUSED ? 0 : sum->count;
		verdict_cost(answers, a, sum->pid, ns);
	}
	of_failed_commands(answers);
}

static void set_slow(struct lane_answer *a, const struct lane_slow *slow)
{
	a->in.slow = slow;
	a->what = slow->context ? "request" : *slow->kernel ? slow->kernel : "kernels";
	a->who = slow->context ? (struct lane_party){ .kind = LANE_PARTY_CONTEXT,
						      .context = slow->context }
			       : verdict_process(slow->pid);
}

static bool of_machine_has_cause(const struct lane_answers *answers, enum lane_cause from,
				 enum lane_cause to)
{
	for (uint32_t i = 0; i < answers->n; i++)
		if (answers->all[i].cause >= from && answers->all[i].cause <= to)
			return true;
	return false;
}

/* What was so in most readings. Nothing is compared with; what a comparison has named is not told
 * again. */
static void add_steady(struct lane_answers *answers, const struct lane_steady_part *part,
		       enum lane_steady_id id)
{
	const struct lane_latency *l = answers->latency;
	const struct lane_steady *steady = &part->of[id];
	struct lane_answer *a;

	if (!latency_steady_holds(steady, id, latency_whole_ns(l)) ||
	    (id == LANE_STEADY_HELD_DOWN &&
	     of_machine_has_cause(answers, LANE_CAUSE_IS_THROTTLED, LANE_CAUSE_IS_THROTTLED)))
		return;
	a = verdict_add(answers, LANE_CAUSE_IS_STEADY_CAPPED + id);
	a->in.steady = steady;
	if (part->client_id) {
		a->who = verdict_task(part->pid, part->comm);
		a->holder = holder_of(l, part->pid);
	}
	snprintf(a->place, sizeof(a->place), "%s", *part->dev ? part->dev : "the GPU");
	a->n = steady->n_held;
	a->of_n = steady->n;
	a->ns = timeline_span_exact(steady->ns);
	a->of = timeline_span_exact(latency_whole_ns(l));
}

void verdict_of_steady(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;

	_Static_assert(LANE_CAUSE_IS_STEADY_EVICTED - LANE_CAUSE_IS_STEADY_CAPPED ==
			       LANE_STEADY_EVICTED,
		       "what was so all the time stands in its order");
	for (uint32_t i = 0; i < l->steadies.n; i++)
		for (int id = 0; id < LANE_STEADY_COUNT; id++)
			add_steady(answers, &l->steadies.parts[i], id);
	for (uint32_t i = 0; i < l->counters.n; i++) {
		const struct lane_counter_sum *sum = &l->counters.all[i];
		struct lane_answer *a;

		if (sum->is.what != LANE_COUNTS_MEMORY_PRESSURE || !sum->is_sound ||
		    verdict_share(sum->counted.lo, latency_whole_ns(l)) < VERDICT_PERCENT)
			continue;
		a = verdict_add(answers, LANE_CAUSE_IS_MEMORY_SHORT);
		a->ns = sum->counted;
		a->of = timeline_span_exact(latency_whole_ns(l));
		verdict_cost(answers, a, -1, sum->counted.lo);
	}
}

static int32_t pid_of_slow(const struct lane_slow *slow)
{
	return slow->context && slow->context->client ? slow->context->client->pid : slow->pid;
}

/* None of its process' was under way for longer at such a clock. */
static bool is_longest_low(const struct lane_slows *slows, uint32_t at)
{
	const struct lane_slow *slow = &slows->all[at];

	for (uint32_t i = 0; i < slows->n; i++) {
		const struct lane_slow *other = &slows->all[i];

		if (i != at && latency_slow_is_low(other) &&
		    pid_of_slow(other) == pid_of_slow(slow) &&
		    (other->clock.ns > slow->clock.ns ||
		     (other->clock.ns == slow->clock.ns && i < at)))
			return false;
	}
	return latency_slow_is_low(slow);
}

/* Of each process the requests, or runs, that were under way for longest at a clock that was low in
 * all readings, if that is a third of the recording: where there is less to do a driver has reason
 * to lower it. Nothing is compared with. */
void verdict_of_clocks(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	unsigned int n = 0;

	if (of_machine_has_cause(answers, LANE_CAUSE_IS_STEADY_CAPPED, LANE_CAUSE_IS_STEADY_HEAT))
		return;
	for (uint32_t i = 0; i < l->slows.n && n < MAX_CLOCKS; i++) {
		const struct lane_slow *slow = &l->slows.all[i];
		struct lane_answer *a;

		if (slow->clock.ns < latency_whole_ns(l) / 3 || !is_longest_low(&l->slows, i))
			continue;
		n++;
		a = verdict_add(answers, LANE_CAUSE_IS_CLOCK_ALWAYS_LOW);
		set_slow(a, slow);
		a->n = slow->clock.readings;
		a->ns = timeline_span_exact(slow->clock.ns);
		a->of = timeline_span_exact(latency_whole_ns(l));
	}
}

/* What the counters tell of late requests. */
void verdict_of_slows(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;

	unsigned int n = 0;

	_Static_assert(LANE_CAUSE_IS_OTHER_VF - LANE_CAUSE_IS_THROTTLED == LANE_SLOW_VF,
		       "what counters tell stands in its order");
	for (uint32_t i = 0; i < l->slows.n && n < MAX_SLOWS; i++) {
		const struct lane_slow *slow = &l->slows.all[i];
		const struct lane_slow_other *other = &slow->others[slow->cause];
		struct lane_answer *a;

		if (!slow->is_named)
			continue;
		n++;
		a = verdict_add(answers, LANE_CAUSE_IS_THROTTLED + slow->cause);
		set_slow(a, slow);
		/* Nobody, where none had more than half of the times, or it is not about that. */
		if (other->votes) {
			const struct lane_counter_sum *sum = &l->counters.all[other->counter];

			a->by = verdict_task(sum->is.pid, sum->is.comm);
			if (slow->cause == LANE_SLOW_VF)
				snprintf(a->place, sizeof(a->place), "VF %llu", sum->is.client_id);
		}
		a->n = slow->with[slow->cause].count;
		a->of_n = slow->all.count;
		/* Half of them took so much longer, at least. */
		verdict_cost(answers, a, pid_of_slow(slow),
			     (slow->with_ns - slow->without_ns) * ((a->n + 1) / 2));
	}
}

/* Adds those of these kinds of event that are there. */
static void add_kinds(const struct lane_latency *l, struct lane_answer *a, uint16_t from,
		      uint16_t to)
{
	for (uint16_t kind = from; kind <= to; kind++)
		if (kind != LANE_LOST && (kind != LANE_STATEDUMP || !l->figures.events) &&
		    l->figures.by_kind[kind] && a->n_kinds < LANE_ANSWER_KINDS)
			a->kinds[a->n_kinds++] = kind;
}

void verdict_drivers_alone(const struct lane_latency *l, struct lane_answer *a)
{
	if (l->figures.by_kind[LANE_DRM_QUEUE] || l->figures.by_kind[LANE_DRM_RUN])
		return;
	add_kinds(l, a, LANE_XE_TIMEDOUT, LANE_V3D_RESET_END);
	if (a->n_kinds)
		a->cause = LANE_CAUSE_IS_DRIVERS_ALONE;
}

/* A recording without requests: threads; else what is not in it. */
void verdict_of_recording(struct lane_answers *answers)
{
	const struct lane_latency *l = answers->latency;
	struct lane_answer *a;

	if (l->cpu) {
		verdict_of_threads(answers);
		return;
	}
	if (l->commands)
		return;
	a = verdict_add(answers, l->figures.events	? LANE_CAUSE_IS_NO_REQUEST
				 : l->info.follows_some ? LANE_CAUSE_IS_NONE_FOLLOWED
							: LANE_CAUSE_IS_EMPTY);
	if (l->figures.events)
		verdict_drivers_alone(l, a);
	if (a->n_kinds || answers->n > 1 || l->info.follows_some || l->is_selective)
		return;
	add_kinds(l, a, 0, LANE_KIND_COUNT - 1);
	if (a->n_kinds)
		a->cause = LANE_CAUSE_IS_OTHER_EVENTS;
}

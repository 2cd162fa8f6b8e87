/* SPDX-License-Identifier: MIT */
/* Writes the events that the mode's recording has, in gpulane's text format, with what damage took
 * away. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "output.h"

const char *const mode_names[N_MODES] = { "execlists", "tracepoints", "nolisten", "legacy",
					  "stock",     "guc",	      "ring",	  "full" };

struct loss {
	uint64_t begin, end, count;
	int cpu;
};

static struct loss *losses;
static size_t n_losses;
static uint64_t begin_ns, end_ns;
static int followed_pid;

/* -- What a recording of the mode has -- */

static bool stock_records(enum trace_kind kind)
{
	switch (kind) {
	case TRACE_EXECUTE:
	case TRACE_IN:
	case TRACE_OUT:
	case TRACE_GUC_SUBMIT:
		return false;
	default:
		return true;
	}
}

static bool records(enum trace_kind kind)
{
	if (gpu.mode == MODE_STOCK)
		return stock_records(kind);
	switch (kind) {
	case TRACE_EXECUTED:
		return false;
	case TRACE_PORTS:
		return gpu.mode == MODE_FULL;
	case TRACE_UNSUBMIT:
		return gpu.mode == MODE_EXECLISTS || gpu.mode == MODE_NOLISTEN ||
		       gpu.mode == MODE_FULL;
	case TRACE_ENABLE_SIGNAL:
		return gpu.mode != MODE_NOLISTEN;
	case TRACE_GUC_SUBMIT:
		return gpu.mode == MODE_GUC;
	default:
		return true;
	}
}

static const char *name_of(enum trace_kind kind)
{
	return trace_names[kind == TRACE_EXECUTED ? TRACE_EXECUTE : kind];
}

static const char *origin_of(enum trace_kind kind)
{
	if (kind == TRACE_PORTS)
		return "state";
	if (kind == TRACE_UNSUBMIT || kind == TRACE_EXECUTED ||
	    (kind == TRACE_SUBMIT && gpu.mode == MODE_STOCK))
		return "function";
	return "tracepoint";
}

/* -- Damage -- */

static bool damage_add(const char *word, struct damage *damage)
{
	static const char *const names[N_DAMAGES] = { "none", "drop1",	"drop10", "bursts",
						      "cut",  "oldest", "newest", "follow" };

	for (int i = 0; i < N_DAMAGES; i++)
		if (!strcmp(word, names[i]))
			return damage->is[i] = true;
	for (int kind = 0; kind < TRACE_EXECUTED; kind++) {
		if (!strcmp(word, trace_names[kind]) &&
		    damage->n_absent < sizeof(damage->absent) / sizeof(*damage->absent)) {
			damage->absent[damage->n_absent++] = word;
			return true;
		}
	}
	return false;
}

bool damage_parse(char *text, struct damage *damage)
{
	char *rest = NULL;

	*damage = (struct damage){ 0 };
	for (char *word = strtok_r(text, "+", &rest); word; word = strtok_r(NULL, "+", &rest))
		if (!damage_add(word, damage))
			return false;
	return true;
}

static bool is_absent(const struct damage *damage, const char *name)
{
	for (unsigned i = 0; i < damage->n_absent; i++)
		if (!strcmp(damage->absent[i], name))
			return true;
	return false;
}

/* Drops what the recording does not have, and gives the times it has. */
static void keep_recorded(const struct damage *damage)
{
	uint64_t first = events[0].at, last = events[n_events - 1].at, span = last - first;

	begin_ns = first - 1000;
	end_ns = last + 1000;
	if (damage->is[DAMAGE_CUT]) {
		begin_ns = first + span / 10 + dice(span / 5);
		end_ns = last - span / 10 - dice(span / 5);
	}
	for (size_t i = 0; i < n_events; i++) {
		struct event *event = &events[i];
		const char *name = name_of(event->kind);

		event->is_dropped = !records(event->kind) || event->at < begin_ns ||
				    event->at > end_ns || is_absent(damage, name);
	}
}

static bool is_submit(const struct event *event)
{
	return event->kind == TRACE_QUEUE || event->kind == TRACE_ADD;
}

/* Whose context it is: who queues its requests. The kernel's are nobody's. */
static bool is_followed(uint64_t ctx)
{
	for (size_t i = 0; ctx && i < n_events; i++)
		if (events[i].ctx == ctx && is_submit(&events[i]))
			return events[i].pid == followed_pid;
	return false;
}

/* What is recorded of one process (docs/bpf.md): of its contexts, and the ports that have one. */
static void follow_one(void)
{
	size_t n = 0, at;

	for (size_t i = 0; i < n_events; i++)
		n += is_submit(&events[i]);
	at = n ? dice(n) : 0;
	for (size_t i = 0; i < n_events && n; i++)
		if (is_submit(&events[i]) && !at--)
			followed_pid = events[i].pid;
	for (size_t i = 0; i < n_events; i++)
		events[i].is_dropped |= !is_followed(events[i].ctx) && !is_followed(events[i].ctx1);
}

/* The next event of a CPU from `i` on, in a direction; n_events when there is none. */
static size_t neighbour(size_t i, int step, int cpu)
{
	for (; i < n_events; i += (size_t)step)
		if (events[i].cpu == cpu && !events[i].is_dropped)
			return i;
	return n_events;
}

/* The loss of the events [first, last] of one CPU: told between its neighbours there. */
static void add_loss(size_t first, size_t last, uint64_t count, int cpu)
{
	size_t before = neighbour(first - 1, -1, cpu), after = neighbour(last + 1, 1, cpu);
	uint64_t low = before < n_events ? events[before].at : begin_ns;
	uint64_t high = after < n_events ? events[after].at : end_ns;

	losses = realloc(losses, (n_losses + 1) * sizeof(*losses));
	if (!losses)
		abort();
	losses[n_losses++] = (struct loss){ .begin = between(low, events[first].at),
					    .end = between(events[last].at, high),
					    .count = count,
					    .cpu = cpu };
}

/* Runs of events marked in `is_lost`, a loss each. */
static void tell_losses(const bool *is_lost)
{
	for (int cpu = 0; cpu < machine.n_cpus; cpu++) {
		size_t first = n_events, last = 0;
		uint64_t count = 0;

		for (size_t i = 0; i <= n_events; i++) {
			if (i < n_events && events[i].cpu != cpu)
				continue;
			if (i < n_events && is_lost[i]) {
				first = count ? first : i;
				last = i;
				count++;
			} else if (count && (i == n_events || !events[i].is_dropped)) {
				add_loss(first, last, count, cpu);
				count = 0;
			}
		}
	}
}

static void lose_single(bool *is_lost, unsigned per_mille)
{
	for (size_t i = 0; i < n_events; i++)
		is_lost[i] = !events[i].is_dropped && dice(1000) < per_mille;
}

/* A few times at which a CPU records nothing. */
static void lose_bursts(bool *is_lost)
{
	for (int n = 2 + (int)dice(5); n; n--) {
		uint64_t length = (end_ns - begin_ns) / 40 + 1;
		uint64_t from = begin_ns + dice(end_ns - begin_ns), to = from + dice(length);
		int cpu = (int)dice((uint64_t)machine.n_cpus);

		for (size_t i = 0; i < n_events; i++)
			if (events[i].cpu == cpu && !events[i].is_dropped && events[i].at >= from &&
			    events[i].at <= to)
				is_lost[i] = true;
	}
}

/* A buffer of each CPU that is full at some time, or that overwrites. Some are large enough. */
static void lose_part(bool *is_lost, bool keeps_newest)
{
	for (int cpu = 0; cpu < machine.n_cpus; cpu++) {
		size_t all = 0, at = 0, kept;

		for (size_t i = 0; i < n_events; i++)
			all += events[i].cpu == cpu && !events[i].is_dropped;
		kept = dice(all * 4 / 3 + 1);
		for (size_t i = 0; i < n_events; i++)
			if (events[i].cpu == cpu && !events[i].is_dropped && ++at)
				is_lost[i] = keeps_newest ? at + kept <= all : at > kept;
	}
}

static int by_end(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->cpu - y->cpu;
}

static void damage_events(const struct damage *damage)
{
	bool *is_lost = calloc(n_events, 1);

	if (!is_lost)
		abort();
	keep_recorded(damage);
	if (damage->is[DAMAGE_FOLLOW])
		follow_one();
	if (damage->is[DAMAGE_DROP1] || damage->is[DAMAGE_DROP10])
		lose_single(is_lost, damage->is[DAMAGE_DROP1] ? 10 : 100);
	else if (damage->is[DAMAGE_OLDEST] || damage->is[DAMAGE_NEWEST])
		lose_part(is_lost, damage->is[DAMAGE_NEWEST]);
	if (damage->is[DAMAGE_BURSTS])
		lose_bursts(is_lost);
	for (size_t i = 0; i < n_events; i++)
		events[i].is_dropped |= is_lost[i];
	tell_losses(is_lost);
	free(is_lost);
	if (n_losses)
		qsort(losses, n_losses, sizeof(*losses), by_end);
}

/* -- Lines -- */

static void write_request_event(FILE *file, const struct event *e)
{
	fprintf(file, " ctx=%llu dev=0 seqno=%u class=%u instance=%u", (unsigned long long)e->ctx,
		e->seqno, e->class, e->instance);
	switch (e->kind) {
	case TRACE_QUEUE:
	case TRACE_WAIT_BEGIN:
		fprintf(file, " flags=0x%x", e->flags);
		break;
	case TRACE_IN:
		fprintf(file, " port=%u prio=%d", e->port, e->prio);
		break;
	case TRACE_OUT:
		fprintf(file, " completed=%u", e->completed);
		break;
	default:
		fprintf(file, " tail=%u", e->tail);
	}
}

static void write_event(FILE *file, const struct event *e)
{
	fprintf(file, "%llu %u %d/%d %s %s", (unsigned long long)e->at, e->cpu, e->pid, e->tid,
		origin_of(e->kind), name_of(e->kind));
	switch (e->kind) {
	case TRACE_FENCE_INIT:
		fprintf(file, " context=%llu seqno=%u driver=0000:00:02.0 timeline=[i915]",
			(unsigned long long)e->ctx, e->seqno);
		break;
	case TRACE_ENABLE_SIGNAL:
	case TRACE_SIGNALED:
	case TRACE_FENCE_WAIT_START:
	case TRACE_FENCE_WAIT_END:
		fprintf(file, " context=%llu seqno=%u", (unsigned long long)e->ctx, e->seqno);
		break;
	case TRACE_PORTS:
		fprintf(file, " ctx0=%llu ctx1=%llu seqno0=%u seqno1=%u dev=0 class=%u instance=%u",
			(unsigned long long)e->ctx, (unsigned long long)e->ctx1, e->seqno,
			e->seqno1, e->class, e->instance);
		break;
	default:
		write_request_event(file, e);
	}
	fputc('\n', file);
}

static void write_loss(FILE *file, const struct loss *loss)
{
	fprintf(file,
		"%llu - -/- - gpulane_lost count=%llu begin_ns=%llu end_ns=%llu lost_cpu=%d\n",
		(unsigned long long)loss->end, (unsigned long long)loss->count,
		(unsigned long long)loss->begin, (unsigned long long)loss->end, loss->cpu);
}

static bool is_recorded_name(const char *name, const struct damage *damage)
{
	if (is_absent(damage, name))
		return false;
	for (int kind = 0; kind < N_TRACE_KINDS; kind++)
		if (!strcmp(name_of(kind), name) && records(kind))
			return true;
	return false;
}

static void write_head(FILE *file, const struct damage *damage)
{
	static const char *const submissions[N_MODES] = { "execlists",	 "execlists", "execlists",
							  "per_request", "execlists", "guc",
							  "ring",	 "execlists" };

	fprintf(file, "gpulane-events 1\ninfo release %s\ninfo submission %s\n",
		gpu.mode == MODE_LEGACY ? "5.2.21" : "6.1.192", submissions[gpu.mode]);
	fprintf(file, "info begin_ns %llu\ninfo end_ns %llu\n", (unsigned long long)begin_ns,
		(unsigned long long)end_ns);
	if (damage->is[DAMAGE_FOLLOW])
		fprintf(file, "info filter processes\ninfo followed_pid %d\n", followed_pid);
	for (int kind = 0; kind < TRACE_EXECUTED; kind++)
		fprintf(file, "%s %s\n",
			is_recorded_name(trace_names[kind], damage) ? "recorded" : "absent",
			trace_names[kind]);
}

void write_events(FILE *file, const struct damage *damage)
{
	size_t loss = 0;

	damage_events(damage);
	write_head(file, damage);
	for (size_t i = 0; i < n_events; i++) {
		for (; loss < n_losses && losses[loss].end < events[i].at; loss++)
			write_loss(file, &losses[loss]);
		if (!events[i].is_dropped)
			write_event(file, &events[i]);
	}
	for (; loss < n_losses; loss++)
		write_loss(file, &losses[loss]);
	free(losses);
	losses = NULL;
	n_losses = 0;
}

/* SPDX-License-Identifier: MIT */
/* What is recorded: the events, those that are lost, and the text format. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"

struct event {
	uint64_t at;
	unsigned n;
	struct actor who;
	const char *name;
	char fields[240];
	bool is_left_out;
};

static struct event *events;
static unsigned n_events, room;
static uint64_t begin_ns, end_ns;

static struct event *event_add(uint64_t at, struct actor who, const char *name)
{
	if (n_events == room) {
		room = room ? room * 2 : 8192;
		events = realloc(events, room * sizeof(*events));
		if (!events)
			abort();
	}
	events[n_events] = (struct event){ .at = at, .n = n_events, .who = who, .name = name };
	return &events[n_events++];
}

/* An event takes some time; no two have the same. */
uint64_t trace(struct actor who, const char *name, const char *format, ...)
{
	struct event *event;
	va_list args;

	spend(between(100, 900));
	event = event_add(now(), who, name);
	va_start(args, format);
	vsnprintf(event->fields, sizeof(event->fields), format, args);
	va_end(args);
	return event->at;
}

/* gpulane_fence_error comes straight before the signal. */
uint64_t trace_signal(struct actor who, uint64_t context, uint64_t seqno, int error)
{
	if (error)
		trace(who, "gpulane_fence_error", "context=%lu seqno=%lu error=%d", context, seqno,
		      error);
	return trace(who, "dma_fence_signaled", "context=%lu seqno=%lu", context, seqno);
}

uint64_t trace_begin(void)
{
	return begin_ns;
}

uint64_t trace_end(void)
{
	return end_ns;
}

bool trace_has(const char *name, uint64_t context, uint64_t seqno)
{
	for (unsigned i = 0; i < n_events; i++) {
		const char *fields = strstr(events[i].fields, "context=");
		unsigned long of = 0, number = 0;

		if (!events[i].is_left_out && fields && !strcmp(events[i].name, name) &&
		    (sscanf(fields, "context=%lu seqno=%lu", &of, &number) == 2 ||
		     sscanf(fields, "context=%lu fence_seqno=%lu", &of, &number) == 2) &&
		    of == context && number == seqno)
			return true;
	}
	return false;
}

/* Some events of one CPU that follow each other. */
static unsigned lose_some(unsigned first)
{
	int cpu = events[first].who.cpu;
	uint64_t from = events[first].at - 1, to = from;
	unsigned lost = 0, wanted = (unsigned)between(1, 40);
	struct event *told;

	for (unsigned i = first; i < n_events && wanted; i++) {
		if (events[i].who.cpu != cpu || events[i].is_left_out)
			continue;
		if (!strcmp(events[i].name, "gpulane_lost"))
			break;
		events[i].is_left_out = true;
		to = events[i].at + 1;
		lost++;
		wanted--;
	}
	if (!lost)
		return 0;
	told = event_add(to, (struct actor){ cpu, -1, -1 }, "gpulane_lost");
	snprintf(told->fields, sizeof(told->fields), "count=%u begin_ns=%lu end_ns=%lu lost_cpu=%d",
		 lost, from, to, cpu);
	return lost;
}

static int by_time(const void *a, const void *b)
{
	const struct event *one = a, *other = b;

	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	return one->n < other->n ? -1 : 1;
}

static bool is_without(const struct options *o, const char *name)
{
	for (unsigned i = 0; i < o->n_without; i++)
		if (!strcmp(o->without[i], name))
			return true;
	return false;
}

/* The recording begins late, or ends early; kinds are absent; events are lost. */
void trace_finish(const struct options *o)
{
	unsigned all = n_events, kept = 0, lost = 0;
	uint64_t length;

	begin_ns = events[0].at - 5 * MS;
	end_ns = events[all - 1].at + between(1 * US, 4 * SECOND);
	length = end_ns - begin_ns;
	end_ns -= o->cut_percent ? length / 100 * between(1, o->cut_percent) : 0;
	begin_ns += o->late_percent ? length / 100 * between(1, o->late_percent) : 0;
	for (unsigned i = 0; i < all; i++) {
		events[i].is_left_out = events[i].at <= begin_ns || events[i].at > end_ns ||
					is_without(o, events[i].name);
		kept += !events[i].is_left_out;
	}
	for (unsigned tries = 0; tries < 1000 && lost < kept * o->drop_percent / 100; tries++) {
		unsigned first = (unsigned)between(0, all - 1);

		if (!events[first].is_left_out)
			lost += lose_some(first);
	}
	qsort(events, n_events, sizeof(*events), by_time);
}

static const char *const everywhere[] = { "dma_fence_signaled", "gpulane_fence_error",
					  "gpulane_reset", "sched_process_exit", NULL };
static const char *const of_sched[] = { "drm_sched_job_queue",
					"drm_sched_job_run",
					"drm_sched_job_done",
					"dma_fence_init",
					"dma_fence_wait_start",
					"dma_fence_wait_end",
					NULL };
static const char *const of_xe[] = { "xe_sched_job_timedout", "xe_exec_queue_reset",
				     "xe_sched_job_set_error", NULL };
static const char *const of_v3d[] = { "v3d_reset_begin", "v3d_reset_end", NULL };
static const char *const of_i915[] = { "i915_request_queue",	  "i915_request_add",
				       "i915_request_submit",	  "i915_request_execute",
				       "i915_request_unsubmit",	  "i915_request_retire",
				       "i915_request_wait_begin", "i915_request_wait_end",
				       "dma_fence_enable_signal", NULL };
static const char *const of_guc[] = { "i915_request_in", "i915_request_guc_submit", NULL };
static const char *const never[] = { "sched_switch",	 "sched_waking",
				     "sched_wakeup",	 "i915_request_out",
				     "opencl_command",	 "gpulane_counter",
				     "drm_vblank_event", NULL };

static void write_kinds(FILE *out, const struct options *o, const char *const *names)
{
	for (; *names; names++)
		fprintf(out, "%s %s\n", is_without(o, *names) ? "absent" : "recorded", *names);
}

static void write_limits(FILE *out)
{
	if (world.mode == XE)
		fprintf(out,
			"info limits 0 0000:03:00.0 ccs job_timeout=%lu\ninfo limits 0 "
			"0000:03:00.0 bcs job_timeout=%lu\n",
			world.rings[0].timeout, world.rings[0].timeout);
	for (unsigned n = 0; n < world.n_rings && is_i915(); n++)
		if (world.request_timeout)
			fprintf(out, "info limits 0 0000:00:02.0 %s request_timeout=%lu\n",
				world.rings[n].name, world.request_timeout);
}

static void write_head(FILE *out, const struct options *o)
{
	static const char *const releases[N_MODES] = { "6.1.0",	 "6.12.0", "6.17.0", "6.12.0",
						       "6.12.0", "6.1.0",  "6.1.0" };

	fprintf(out, "gpulane-events 1\ninfo release %s\ninfo begin_ns %lu\ninfo end_ns %lu\n",
		releases[world.mode], begin_ns, end_ns);
	if (is_i915())
		fprintf(out, "info submission %s\n", world.mode == GUC ? "guc" : "ring");
	write_limits(out);
	write_kinds(out, o, everywhere);
	write_kinds(out, o, is_i915() ? of_i915 : of_sched);
	if (world.mode == GUC)
		write_kinds(out, o, of_guc);
	if (world.mode == XE || world.mode == V3D)
		write_kinds(out, o, world.mode == XE ? of_xe : of_v3d);
	for (unsigned i = 0; never[i]; i++)
		fprintf(out, "absent %s\n", never[i]);
	for (unsigned i = 0; i < world.n_processes; i++)
		fprintf(out,
			"%lu 0 0/0 snapshot lttng_statedump_process_state tid=%d vtid=%d pid=%d "
			"vpid=%d type=0 mode=1 "
			"status=5 name=%s\n",
			begin_ns, world.processes[i].pid, world.processes[i].pid,
			world.processes[i].pid, world.processes[i].pid, world.processes[i].name);
}

static const char *origin_of(const char *name)
{
	return !strcmp(name, "gpulane_lost") ? "-"
	       : !strcmp(name, "gpulane_reset") || !strcmp(name, "i915_request_unsubmit")
		       ? "function"
		       : "tracepoint";
}

void trace_write(const struct options *o)
{
	FILE *out = o->events ? fopen(o->events, "w") : NULL;

	if (!out)
		return;
	write_head(out, o);
	for (unsigned i = 0; i < n_events; i++) {
		const struct event *event = &events[i];
		char who[40] = "-/-";

		if (event->is_left_out)
			continue;
		if (event->who.pid >= 0)
			snprintf(who, sizeof(who), "%d/%d", event->who.pid, event->who.tid);
		fprintf(out, "%lu %d %s %s %s %s\n", event->at, event->who.cpu, who,
			origin_of(event->name), event->name, event->fields);
	}
	if (fclose(out))
		abort();
}

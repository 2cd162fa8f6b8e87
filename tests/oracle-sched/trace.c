/* SPDX-License-Identifier: MIT */
/* What a tracer records, and how it is printed: by perf script, by trace-cmd report, by ftrace. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sched.h"

struct event {
	uint64_t at;
	int cpu, pid, tid;
	const char *comm, *name;
	char *fields;
	char *own_fields[2]; /* as trace-cmd prints them, a new one and an old one, if it differs */
};

static struct event *events;
static size_t n_events, room;
static uint64_t last_time;

/* A tracepoint takes some time before its stamp. No two events have the same, so that a time names
 * an event. */
static void settle(void)
{
	spend(between(8, 60));
	while (machine.now <= last_time)
		spend(last_time - machine.now + 1);
}

/* Here and now, without taking time. */
static struct event *record(const char *name, const char *fields)
{
	struct event *event;

	if (n_events == room) {
		room = room ? room * 2 : 4096;
		events = realloc(events, room * sizeof(*events));
	}
	event = &events[n_events++];
	last_time = machine.now;
	*event = (struct event){ .at = machine.now,
				 .cpu = current_cpu(),
				 .pid = current_pid(),
				 .tid = current_tid(),
				 .comm = thread_comm(),
				 .name = name,
				 .fields = strdup(fields) };
	return event;
}

/* In the format `%%` marks a pointer, which each printer prints its own way. */
uint64_t trace(const char *name, const char *format, ...)
{
	char fields[400];
	uint64_t now;
	va_list args;

	settle();
	now = machine.now;
	va_start(args, format);
	vsnprintf(fields, sizeof(fields), format, args);
	va_end(args);
	record(name, fields);
	spend(between(5, 30));
	return now;
}

/* -- Threads: Linux 6.12, include/trace/events/sched.h; trace-cmd prints as libtraceevent's
 * plugin_sched_switch.c does. -- */

/* Before 1.8 the plugin had letters of its own: an older kernel's for the same bits, and none for
 * the bit that says preempted. */
static const char *old_state(const char *state)
{
	static const char *const others[][2] = {
		{ "R+", "R" }, { "X", "Z" }, { "Z", "X" }, { "P", "x" }, { "I", "W" }
	};

	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(state, others[i][0]))
			return others[i][1];
	return state;
}

static void see_switch(const struct fiber *from, const struct fiber *to, const char *state)
{
	const char *from_comm = comm_of(from), *to_comm = comm_of(to);
	struct event *event;
	char fields[200];

	snprintf(fields, sizeof(fields),
		 "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d "
		 "next_prio=%d",
		 from_comm, thread_tid(from), thread_priority(from), state, to_comm, thread_tid(to),
		 thread_priority(to));
	event = record("sched:sched_switch", fields);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(fields, sizeof(fields), "%s:%d [%d] %s ==> %s:%d [%d]", from_comm,
			 thread_tid(from), thread_priority(from), i ? old_state(state) : state,
			 to_comm, thread_tid(to), thread_priority(to));
		event->own_fields[i] = strdup(fields);
	}
}

static struct event *record_wake_up(const char *name, const struct fiber *thread)
{
	char fields[200];

	snprintf(fields, sizeof(fields), "comm=%s pid=%d prio=%d target_cpu=%03d", comm_of(thread),
		 thread_tid(thread), thread_priority(thread), thread_cpu(thread));
	return record(name, fields);
}

static void see_waking(const struct fiber *thread)
{
	settle();
	irq_thread_woken(thread, 0);
	record_wake_up("sched:sched_waking", thread);
	spend(between(5, 30));
}

/* The plugin prints this one, not sched_waking. */
static void see_woken(const struct fiber *thread)
{
	struct event *event = record_wake_up("sched:sched_wakeup", thread);
	char fields[200];

	irq_thread_woken(thread, 1);

	snprintf(fields, sizeof(fields), "%s:%d [%d] CPU:%03d", comm_of(thread), thread_tid(thread),
		 thread_priority(thread), thread_cpu(thread));
	for (unsigned i = 0; i < 2; i++)
		event->own_fields[i] = strdup(fields);
}

void watch_threads(void)
{
	static const struct watcher watcher = { settle, see_switch, see_waking, see_woken };

	machine.watcher = &watcher;
}

/* -- Printing -- */

/* perf and trace-cmd print a pointer as it is, ftrace a hash of it: lib/vsprintf.c:ptr_to_id() */
static void put_fields(FILE *file, const char *fields, enum style style)
{
	for (; *fields; fields++) {
		char *end;
		unsigned long long pointer;

		if (*fields != '%') {
			putc(*fields, file);
			continue;
		}
		pointer = strtoull(fields + 1, &end, 16);
		if (style == STYLE_FTRACE)
			fprintf(file, "%016llx", pointer * 0x9e3779b97f4a7c15u >> 32);
		else
			fprintf(file, "0x%llx", pointer);
		fields = end - 1;
	}
}

static void put_event(FILE *file, const struct event *event, enum style style)
{
	const char *name = strchr(event->name, ':') + 1;
	unsigned long long s = event->at / 1000000000, ns = event->at % 1000000000;
	const char *own = event->own_fields[style == STYLE_TRACE_CMD_OLD];
	bool is_trace_cmd = style == STYLE_TRACE_CMD || style == STYLE_TRACE_CMD_OLD;

	if (style == STYLE_PERF)
		fprintf(file, "%16s %5d/%-5d [%03d] %5llu.%09llu: %s: ",
			machine.watcher && !event->tid ? "swapper" : event->comm, event->pid,
			event->tid, event->cpu, s, ns, event->name);
	else if (is_trace_cmd)
		fprintf(file, "%16s-%-5d [%03d] %5llu.%09llu: %s: ", event->comm, event->tid,
			event->cpu, s, ns, name);
	else
		fprintf(file, "%16s-%-7d (%7d) [%03d] d..2. %5llu.%06llu: %s: ", event->comm,
			event->tid, event->pid, event->cpu, s, ns / 1000, name);
	put_fields(file, is_trace_cmd && own ? own : event->fields, style);
	putc('\n', file);
}

static bool is_left_out(const struct event *event, const struct writing *writing)
{
	const char *name = strchr(event->name, ':') + 1;

	if (!writing->fences && !strncmp(event->name, "dma_fence:", 10))
		return true;
	for (unsigned i = 0; i < writing->n_without; i++)
		if (!strcmp(name, writing->without[i]))
			return true;
	return false;
}

void write_events(FILE *file, const struct writing *writing)
{
	static unsigned lost[MAX_CPUS], burst[MAX_CPUS];

	if (writing->style == STYLE_FTRACE)
		fputs("# tracer: nop\n#\n", file);
	else if (writing->style != STYLE_PERF)
		fprintf(file, "cpus=%d\n", machine.n_cpus);
	for (size_t i = 0; i < n_events; i++) {
		const struct event *event = &events[i];
		unsigned *missing = &lost[event->cpu];

		if (is_left_out(event, writing))
			continue;
		if (!burst[event->cpu] && chance(writing->drop))
			burst[event->cpu] = chance(20) ? (unsigned)between(2, 30) : 1;
		if (burst[event->cpu]) {
			burst[event->cpu]--;
			++*missing;
			continue;
		}
		if (*missing)
			fprintf(file, "CPU:%d [LOST %u EVENTS]\n", event->cpu, *missing);
		*missing = 0;
		put_event(file, event, writing->style);
	}
	for (int cpu = 0; cpu < machine.n_cpus; cpu++)
		if (lost[cpu])
			fprintf(file, "CPU:%d [LOST %u EVENTS]\n", cpu, lost[cpu]);
}

void trace_free(void)
{
	for (size_t i = 0; i < n_events; i++) {
		free(events[i].fields);
		free(events[i].own_fields[0]);
		free(events[i].own_fields[1]);
	}
	free(events);
	for (unsigned i = 0; i < world.n_scheds; i++)
		free(world.scheds[i]->ran);
}

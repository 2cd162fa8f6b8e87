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
};

static struct event *events;
static size_t n_events, room;
static uint64_t last_time;

/* A tracepoint takes some time before its stamp. No two events have the same, so that a time names
 * an event. In the format `%%` marks a pointer, which each printer prints its own way. */
uint64_t trace(const char *name, const char *format, ...)
{
	char fields[400];
	uint64_t now;
	va_list args;

	spend(between(8, 60));
	while (machine.now <= last_time)
		spend(last_time - machine.now + 1);
	now = last_time = machine.now;
	va_start(args, format);
	vsnprintf(fields, sizeof(fields), format, args);
	va_end(args);
	if (n_events == room) {
		room = room ? room * 2 : 4096;
		events = realloc(events, room * sizeof(*events));
	}
	events[n_events++] = (struct event){ .at = now,
					     .cpu = current_cpu(),
					     .pid = current_pid(),
					     .tid = current_tid(),
					     .comm = thread_comm(),
					     .name = name,
					     .fields = strdup(fields) };
	spend(between(5, 30));
	return now;
}

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

	if (style == STYLE_PERF)
		fprintf(file, "%16s %5d/%-5d [%03d] %5llu.%09llu: %s: ", event->comm, event->pid,
			event->tid, event->cpu, s, ns, event->name);
	else if (style == STYLE_TRACE_CMD)
		fprintf(file, "%16s-%-5d [%03d] %5llu.%09llu: %s: ", event->comm, event->tid,
			event->cpu, s, ns, name);
	else
		fprintf(file, "%16s-%-7d (%7d) [%03d] d..2. %5llu.%06llu: %s: ", event->comm,
			event->tid, event->pid, event->cpu, s, ns / 1000, name);
	put_fields(file, event->fields, style);
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
	else if (writing->style == STYLE_TRACE_CMD)
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
	for (size_t i = 0; i < n_events; i++)
		free(events[i].fields);
	free(events);
	for (unsigned i = 0; i < world.n_scheds; i++)
		free(world.scheds[i]->ran);
}

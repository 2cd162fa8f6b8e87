// SPDX-License-Identifier: MIT
// OpenCL commands for people: tables.
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "base/sort.h"
#include "show/opencl_report.h"

const char *show_command_api(const struct lane_commands *c)
{
	if (!c->has_levelzero)
		return "OpenCL";
	return c->has_opencl ? "OpenCL and Level Zero" : "Level Zero";
}

/* A title that begins with it. */
static void api_title(const struct lane_tables *t, const char *rest)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %s", show_command_api(t->latency->commands), rest);
	show_title(t, text);
}

/* "1.25 GB/s" */
static const char *rate(uint64_t bytes, uint64_t ns, char *buffer, size_t size)
{
	double per_s = (double)show_throughput(bytes, ns);

	if (!bytes || !ns)
		snprintf(buffer, size, "-");
	else if (per_s >= 1e9)
		snprintf(buffer, size, "%.2f GB/s", per_s / 1e9);
	else
		snprintf(buffer, size, "%.2f MB/s", per_s / 1e6);
	return buffer;
}

static void durations(const struct lane_tables *t, struct lane_durations *d)
{
	const uint64_t mean_ns = d->count ? d->sum_ns / d->count : 0;
	const uint64_t values[] = { mean_ns,
				    latency_histogram_percentile(&d->histogram, 500),
				    latency_histogram_percentile(&d->histogram, 950),
				    latency_histogram_percentile(&d->histogram, 990),
				    d->max_ns,
				    d->sum_ns };

	fprintf(t->to, " %9" PRIu64, d->count);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		fprintf(t->to, " %10s", d->count ? SHOW_DURATION(values[i]) : "-");
}

#define DURATIONS "    count       mean        p50        p95        p99        max        sum"

static void queues(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;
	uint64_t whole = latency_whole_ns(t->latency);

	api_title(t, "queues");
	fprintf(t->to, "  %-22s %-18s %9s %8s %9s %6s %10s %10s %10s  %s\n", "process", "queue",
		"commands", "exact", "ambiguous", "none", "running", "host mean", "dev mean",
		"device");
	for (uint32_t i = 0; i < c->n_queues && !show_enough(t, i, c->n_queues); i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];

		if (!q->queue)
			continue;
		fprintf(t->to,
			"  %-22s 0x%-16" PRIx64 " %9" PRIu64 " %8" PRIu64 " %9" PRIu64 " %6" PRIu64
			" %10s %10.2f %10.2f  %s\n",
			SHOW_PROCESS(t->latency, q->queue->pid), q->queue->handle, q->commands,
			q->certainty[LANE_CERTAIN_EXACT], q->certainty[LANE_CERTAIN_AMBIGUOUS],
			q->certainty[LANE_CERTAIN_NONE], SHOW_DURATION(q->running_ns),
			whole ? (double)q->host_queue_ns / (double)whole : 0,
			whole ? (double)q->device_queue_ns / (double)whole : 0,
			lane_clean_copy(SHOW_ROOM(128), q->queue->device_name, LANE_CLEAN_LINE));
	}
}

const char *show_command_what(const struct lane_commands *c, uint32_t what, char *buffer,
			      size_t size)
{
	if (what == LANE_CL_AWAITED_UNKNOWN)
		return "(not known)";
	if (what >= LANE_KERNELS_MAX)
		return lane_command_class_names[what - LANE_KERNELS_MAX];
	for (uint32_t i = 0; i < c->n_kernels; i++)
		if (c->kernels[i].id == what && *c->kernels[i].name)
			return lane_clean_copy(buffer, size, c->kernels[i].name, LANE_CLEAN_LINE);
	return "(no name)";
}

static void waits(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;
	char text[5][64];

	if (!c->waited.commands)
		return;
	show_title(t, "Waiting for the device, and what ran meanwhile");
	fprintf(t->to, "  %-22s %-18s %9s %18s %18s %18s %18s %18s\n", "process", "queue",
		"commands", "waited", "own queue", "own process", "other processes", "nobody");
	for (uint32_t i = 0; i < c->n_queues && !show_enough(t, i, c->n_queues); i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];
		const struct lane_span *parts = &q->waited.waited;

		if (!q->waited.commands)
			continue;
		fprintf(t->to, "  %-22s 0x%-16" PRIx64 " %9" PRIu64,
			SHOW_PROCESS(t->latency, q->queue->pid), q->queue->handle,
			q->waited.commands);
		for (int k = 0; k < 5; k++)
			fprintf(t->to, " %18s", show_span_text(parts[k], text[k], sizeof(text[k])));
		fputc('\n', t->to);
	}
}

static void behinds(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;

	if (!c->n_behinds)
		return;
	show_title(t, "Who was ahead of the commands that waited");
	fprintf(t->to, "  %-22s %-24s %-24s %9s %10s %12s\n", "process", "command", "ahead",
		"times", "waited", "behind it");
	for (uint32_t i = 0; i < c->n_behinds && !show_enough(t, i, c->n_behinds); i++) {
		const struct lane_behind_sum *b = &c->behinds[i];

		fprintf(t->to, "  %-22s %-24s %-24s %9" PRIu64 " %10s %s%s\n",
			SHOW_PROCESS(t->latency, b->pid), SHOW_COMMAND(c, b->what),
			b->other ? SHOW_PROCESS(t->latency, b->other->pid)
				 : SHOW_COMMAND(c, b->other_what),
			b->count, SHOW_DURATION(b->waited_ns), b->is_least ? "at least " : "",
			SHOW_DURATION(b->ns));
	}
}

static void unseen(const struct lane_tables *t)
{
	const struct lane_unseen *all = &t->latency->unseen;

	if (!all->n_sums)
		return;
	show_title(t, "Waiting while no recorded command ran, and who else had a burst open");
	fprintf(t->to, "  %-22s %-24s %9s %s\n", "process", "not recorded", "commands",
		"meanwhile");
	for (uint32_t i = 0; i < all->n_sums && !show_enough(t, i, all->n_sums); i++) {
		const struct lane_unseen_sum *u = &all->sums[i];

		fprintf(t->to, "  %-22s %-24s %9" PRIu64 " up to %s\n",
			SHOW_PROCESS(t->latency, u->pid),
			show_client_name(u->client, SHOW_ROOM(64)), u->count, SHOW_DURATION(u->ns));
	}
}

static void awaits(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;

	if (!c->n_awaits)
		return;
	show_title(t, "Calls that waited, and the command that they waited for");
	fprintf(t->to, "  %-22s %-24s %9s %10s %22s %22s\n", "process", "command", "calls",
		"waited", "on the CPU", "off the CPU");
	for (uint32_t i = 0; i < c->n_awaits && !show_enough(t, i, c->n_awaits); i++) {
		const struct lane_cl_await *a = &c->awaits[i];
		struct lane_span others = timeline_span_between(a->ran, timeline_span_exact(a->ns));

		fprintf(t->to, "  %-22s %-24s %9" PRIu64 " %10s %22s %22s\n",
			SHOW_PROCESS(t->latency, a->pid), SHOW_COMMAND(c, a->what), a->count,
			SHOW_DURATION(a->ns), SHOW_SPAN(a->ran), SHOW_SPAN(others));
	}
}

static void kernels(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;

	if (!c->n_kernels)
		return;
	show_title(t, "Kernels: running on the device");
	fprintf(t->to, "  %-22s %-24s %s\n", "process", "kernel", DURATIONS);
	for (uint32_t i = 0; i < c->n_kernels && !show_enough(t, i, c->n_kernels); i++) {
		struct lane_kernel_stats *k = &c->kernels[i];

		fprintf(t->to, "  %-22s %-24s", SHOW_PROCESS(t->latency, k->pid),
			*k->name ? lane_clean_copy(SHOW_ROOM(64), k->name, LANE_CLEAN_LINE)
				 : "(no name)");
		durations(t, &k->running);
		fputc('\n', t->to);
	}
	if (c->kernels_left_out)
		fprintf(t->to, "  (%" PRIu64 " runs of further kernels)\n", c->kernels_left_out);
}

static void transfers(const struct lane_tables *t)
{
	bool first = true;

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++) {
		struct lane_transfer_stats *s = &t->latency->commands->transfers[i];

		if (!s->running.count)
			continue;
		if (first) {
			show_title(t, "Transfers: running on the device");
			fprintf(t->to, "  %-8s %14s %12s %s\n", "kind", "bytes", "throughput",
				DURATIONS);
		}
		first = false;
		fprintf(t->to, "  %-8s %14" PRIu64 " %12s", lane_command_class_names[i], s->bytes,
			rate(s->bytes, s->sized_ns, SHOW_ROOM(32)));
		durations(t, &s->running);
		fputc('\n', t->to);
	}
}

static void stages(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;

	if (!c->staged)
		return;
	show_title(t, "Commands, from the call to the program's knowing");
	fprintf(t->to, "  %-15s %s\n", "stage", DURATIONS);
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		if (!c->stages[i].count)
			continue;
		fprintf(t->to, "  %-15s", lane_command_stage_names[i]);
		durations(t, &c->stages[i]);
		fputc('\n', t->to);
	}
	fprintf(t->to, "  %-15s", "in all");
	durations(t, &c->total);
	fputc('\n', t->to);
}

/* "the CPU's", "+12.3 ms within 4.1 us", "not known" */
static const char *clock_text(const struct lane_latency *l, const struct lane_cl_device_stats *d,
			      char *text, size_t size)
{
	struct lane_cl_clock clock;
	uint64_t off_ns;

	snprintf(text, size, "not known");
	for (uint32_t i = 0; timeline_cl_clock(l->timeline, i, &clock); i++) {
		if (clock.pid != d->pid || clock.device != d->device || !clock.bounded)
			continue;
		if (clock.is_same) {
			snprintf(text, size, "the CPU's");
			break;
		}
		off_ns = (uint64_t)clock.offset_lo_ns;
		if (clock.offset_lo_ns < 0)
			off_ns = 0 - off_ns;
		snprintf(
			text, size, "%c%s within %s", clock.offset_lo_ns < 0 ? '-' : '+',
			SHOW_DURATION(off_ns),
			SHOW_DURATION((uint64_t)clock.offset_hi_ns - (uint64_t)clock.offset_lo_ns));
		break;
	}
	return text;
}

/* How wide the column of the devices' names is: real ones are long. */
static int device_width(const struct lane_commands *c)
{
	size_t width = 24;

	for (uint32_t i = 0; i < c->n_devices; i++) {
		size_t length = strlen(
			lane_clean_copy(SHOW_ROOM(128), c->devices[i].name, LANE_CLEAN_LINE));

		if (length > width)
			width = length;
	}
	return (int)width;
}

static void devices(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;
	int width = device_width(c);

	if (!c->n_devices)
		return;
	api_title(t, "devices, by their commands");
	fprintf(t->to, "  %-22s %-*s %10s %10s %10s %10s %9s %10s  %s\n", "process", width,
		"device", "busy", "kernels", "transfers", "both", "gaps", "idle", "clock");
	for (uint32_t i = 0; i < c->n_devices && !show_enough(t, i, c->n_devices); i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];

		fprintf(t->to, "  %-22s %-*s %10s %10s %10s %10s %9" PRIu64 " %10s  %s\n",
			SHOW_PROCESS(t->latency, d->pid), width,
			lane_clean_copy(SHOW_ROOM(128), d->name, LANE_CLEAN_LINE),
			SHOW_DURATION(d->busy_ns), SHOW_DURATION(d->kernels_ns),
			SHOW_DURATION(d->transfers_ns), SHOW_DURATION(d->both_ns), d->gaps,
			SHOW_DURATION(d->gap_ns), clock_text(t->latency, d, SHOW_ROOM(96)));
	}
}

static void gaps(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;
	int width = device_width(c);

	if (!c->n_gaps)
		return;
	show_title(t, "When a device ran no command of a process, by what the next one was at");
	fprintf(t->to, "  %-22s %-*s %-15s %-22s %10s %9s\n", "process", width, "device", "cause",
		"thread", "time", "times");
	for (uint32_t i = 0; i < c->n_gaps && !show_enough(t, i, c->n_gaps); i++) {
		const struct lane_gap_sum *g = &c->gaps[i];

		fprintf(t->to, "  %-22s %-*s %-15s %-22s %10s %9" PRIu64 "\n",
			SHOW_PROCESS(t->latency, c->devices[g->device].pid), width,
			lane_clean_copy(SHOW_ROOM(128), c->devices[g->device].name,
					LANE_CLEAN_LINE),
			lane_gap_names[g->cause], SHOW_TASK(g->tid, g->comm), SHOW_DURATION(g->ns),
			g->count);
	}
}

LANE_ORDER_OF(calls_by_ns, struct lane_call_stats, LANE_DOWN(ns) ?: LANE_COMPARE(x, y))

/* Of a program that enqueues nothing. Otherwise its commands tell more than its calls. */
static void calls(const struct lane_tables *t)
{
	const struct lane_call_stats *rows[LANE_CLF_COUNT];
	uint32_t n = 0;

	for (uint32_t i = 0; i < LANE_CLF_COUNT; i++)
		if (t->latency->commands->calls[i].count)
			rows[n++] = &t->latency->commands->calls[i];
	if (!n)
		return;
	qsort(rows, n, sizeof(*rows), calls_by_ns);
	api_title(t, "calls");
	fprintf(t->to, "  %-40s %9s %9s %10s %10s\n", "function", "calls", "failed", "time",
		"longest");
	for (uint32_t i = 0; i < n && !show_enough(t, i, n); i++)
		fprintf(t->to, "  %-40s %9" PRIu64 " %9" PRIu64 " %10s %10s\n",
			lane_cl_function_name(
				(unsigned int)(rows[i] - t->latency->commands->calls)),
			rows[i]->count, rows[i]->failed, SHOW_DURATION(rows[i]->ns),
			SHOW_DURATION(rows[i]->max_ns));
}

void show_opencl_tables(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;

	if (!c)
		return;
	if (!c->commands) {
		calls(t);
		return;
	}
	queues(t);
	stages(t);
	waits(t);
	behinds(t);
	unseen(t);
	awaits(t);
	kernels(t);
	show_opencl_models_tables(t);
	transfers(t);
	devices(t);
	gaps(t);
}

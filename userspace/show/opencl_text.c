// SPDX-License-Identifier: MIT
// OpenCL commands for people: sentences and tables.
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "base/sort.h"
#include "show/opencl_report.h"

/* Below this share of the whole nothing is worth a sentence. */
#define MIN_PERCENT 5
/* From this share on a device is busy. */
#define BUSY_PERCENT 90

/* Whose commands they are. */
static const char *api(const struct lane_commands *c)
{
	if (!c->has_levelzero)
		return "OpenCL";
	return c->has_opencl ? "OpenCL and Level Zero" : "Level Zero";
}

/* A title that begins with it. */
static void api_title(const struct lane_tables *t, const char *rest)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %s", api(t->latency->commands), rest);
	show_title(t, text);
}

static unsigned int share(uint64_t part, uint64_t whole)
{
	return show_percent(part, whole, 0.5);
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
	uint64_t whole = t->latency->figures.end_ns - t->latency->figures.begin_ns;

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
	fprintf(t->to, "  %-13s %s\n", "stage", DURATIONS);
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		if (!c->stages[i].count)
			continue;
		fprintf(t->to, "  %-13s", lane_command_stage_names[i]);
		durations(t, &c->stages[i]);
		fputc('\n', t->to);
	}
	fprintf(t->to, "  %-13s", "in all");
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
	show_title(t, "Idle between commands, by what the command that ended it was at");
	fprintf(t->to, "  %-22s %-*s %-13s %-22s %10s %9s\n", "process", width, "device", "cause",
		"thread", "time", "times");
	for (uint32_t i = 0; i < c->n_gaps && !show_enough(t, i, c->n_gaps); i++) {
		const struct lane_gap_sum *g = &c->gaps[i];

		fprintf(t->to, "  %-22s %-*s %-13s %-22s %10s %9" PRIu64 "\n",
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

/* A device's name in a sentence. */
static const char *device_name(const struct lane_cl_device_stats *device, char *buffer, size_t size)
{
	return lane_clean_copy(buffer, size, *device->name ? device->name : "the device",
			       LANE_CLEAN_LINE);
}

/* A device that was busy nearly all the time. */
static bool is_busy(const struct lane_cl_device_stats *d)
{
	return show_percent(d->busy_ns, d->last_ns - d->first_ns, 0) >= BUSY_PERCENT;
}

/* The device that was busy for longest, of those that nearly always were. */
static bool busy_sentence(const struct lane_latency *l, char *text, size_t size,
			  const char **advice)
{
	const struct lane_commands *c = l->commands;
	const struct lane_cl_device_stats *d = NULL;

	(void)advice;
	for (uint32_t i = 0; i < c->n_devices; i++)
		if (is_busy(&c->devices[i]) && (!d || c->devices[i].busy_ns > d->busy_ns))
			d = &c->devices[i];
	if (!d)
		return false;
	snprintf(text, size, "%s: %s was busy with commands of %s for %s", api(c),
		 device_name(d, SHOW_ROOM(128)), SHOW_PROCESS(l, d->pid),
		 SHOW_PART(d->busy_ns, d->last_ns - d->first_ns));
	return true;
}

/* A program that waits behind its launches, so that the device waits for the program. */
static bool launch_sentence(const struct lane_latency *l, const struct lane_cl_device_stats *d,
			    char *text, size_t size, const char **advice)
{
	const struct lane_commands *c = l->commands;
	const struct lane_cl_program *program = c->programs;
	char each[48];
	uint64_t ns;

	while (program < c->programs + c->n_programs && program->pid != d->pid)
		program++;
	if (program == c->programs + c->n_programs || program->launches < 2 ||
	    program->waited > program->launches || 10 * program->waited < 9 * program->launches)
		return false;
	ns = d->gap_cause_ns[LANE_GAP_TOLD] + d->gap_cause_ns[LANE_GAP_NOTICED] +
	     d->gap_cause_ns[LANE_GAP_OTHER] + d->gap_cause_ns[LANE_GAP_PROGRAM];
	ns -= ns < d->unsure_ns ? ns : d->unsure_ns;
	if (share(ns, d->last_ns - d->first_ns) < MIN_PERCENT || 2 * ns < d->gap_ns)
		return false; /* or something else is more of the device's idle time */
	snprintf(each, sizeof(each), program->waited == program->launches ? "each" : "%" PRIu64,
		 program->waited);
	snprintf(text, size,
		 "%s: %s waits behind %s of its %" PRIu64 " launches: for %s%s %s had ended its "
		 "commands and the next call had not come",
		 api(c), SHOW_PROCESS(l, d->pid), each, program->launches,
		 d->unsure_ns ? "at least " : "", SHOW_PART(ns, d->last_ns - d->first_ns),
		 device_name(d, SHOW_ROOM(128)));
	*advice = "enqueue the next commands before waiting for the last";
	return true;
}

/* What a device waited for between commands. */
static bool gap_sentence(const struct lane_latency *l, char *text, size_t size, const char **advice)
{
	static const struct {
		const char *before, *after, *advice;
	} meanings[LANE_GAP_COUNT] = {
		[LANE_GAP_TOLD] = { "before ", " noticed that the last command was complete",
				    "enqueue the next commands before waiting for the last" },
		[LANE_GAP_NOTICED] = { "before ",
				       " noticed that the last command was complete, or asked for "
				       "more",
				       "enqueue the next commands before waiting for the last" },
		[LANE_GAP_BUILD] = { "while ", " built programs",
				     "build programs before the work begins, or keep their "
				     "binaries" },
		[LANE_GAP_OTHER] = { "while ", " was in other calls", NULL },
		[LANE_GAP_PROGRAM] = { "before ", " asked for more",
				       "enqueue the next commands before working with the last "
				       "results, or use a second queue" },
		[LANE_GAP_CALL] = { "while ", " was in its call", NULL },
		[LANE_GAP_HELD] = { "while the driver held a command of ", " back",
				    "flush the queue (clFlush) after enqueueing" },
		[LANE_GAP_HOST_QUEUE] = { "with a command of ", " in the kernel driver", NULL },
		[LANE_GAP_DEVICE_QUEUE] = { "with a command of ", " in the device's queue", NULL },
		[LANE_GAP_BEFORE] = { "with other work running in a request of ", "", NULL },
	};
	const struct lane_commands *c = l->commands;
	const struct lane_cl_device_stats *d;
	uint64_t whole;

	if (!c->n_gaps)
		return false;
	d = &c->devices[c->gaps[0].device];
	whole = d->last_ns - d->first_ns;
	if (is_busy(d) || share(d->gap_ns, whole) < MIN_PERCENT)
		return false;
	if (launch_sentence(l, d, text, size, advice))
		return true;
	snprintf(text, size, "%s: %s ran no %scommand of %s for %s, %s of it %s%s%s", api(c),
		 device_name(d, SHOW_ROOM(128)), d->untimed ? "timed " : "",
		 SHOW_PROCESS(l, d->pid), SHOW_PART(d->gap_ns, whole), SHOW_DURATION(c->gaps[0].ns),
		 meanings[c->gaps[0].cause].before, SHOW_TASK(c->gaps[0].tid, c->gaps[0].comm),
		 meanings[c->gaps[0].cause].after);
	if (c->has_opencl || c->gaps[0].cause != LANE_GAP_HELD) /* Level Zero has no flush */
		*advice = meanings[c->gaps[0].cause].advice;
	return true;
}

/* The command that waited for longest, and for whom. */
static bool behind_text(const struct lane_latency *l, char *text, size_t size)
{
	const struct lane_commands *c = l->commands;
	const struct lane_behind_sum *b = c->behinds;
	char part[96];

	if (!c->n_behinds || 2 * b->ns < b->waited_ns || 4 * b->ns < c->waited.waited.hi)
		return false;
	show_rounded_part(b->ns / b->count, b->waited_ns / b->count, part, sizeof(part));
	snprintf(text, size, "%s: %" PRIu64 " run%s of %s of %s waited%s %s%s %s ", api(c),
		 b->count, lane_s(b->count), SHOW_COMMAND(c, b->what), SHOW_PROCESS(l, b->pid),
		 b->count > 1 ? " on average" : "",
		 b->is_least && strncmp(part, "all", 3) != 0 ? "at least " : "", part,
		 b->other ? "while commands of" : "behind");
	show_append(text, size, "%s%s",
		    b->other		       ? SHOW_PROCESS(l, b->other->pid)
		    : b->other_what == b->what ? "earlier runs of its own"
					       : SHOW_COMMAND(c, b->other_what),
		    b->other		       ? " ran on the GPU"
		    : b->other_what == b->what ? ""
					       : " of the same queue");
	return true;
}

/* What took most of the commands' time that was not running. */
static bool stage_sentence(const struct lane_latency *l, char *text, size_t size,
			   const char **advice)
{
	static const char *const meanings[LANE_CSTAGE_COUNT] = {
		[LANE_CSTAGE_CALL] = "in their own calls (call)",
		[LANE_CSTAGE_HELD] = "held back by the driver (held)",
		[LANE_CSTAGE_HOST_QUEUE] = "in the kernel driver's queue (host_queue)",
		[LANE_CSTAGE_DEVICE_QUEUE] = "in the device's queue (device_queue)",
		[LANE_CSTAGE_BEFORE] = "behind other commands of their requests (before)",
		[LANE_CSTAGE_SIGNAL] = "between their end and the signal (signal)",
		[LANE_CSTAGE_TOLD] = "after their completion, until the program noticed (told)",
	};
	const struct lane_commands *c = l->commands;
	uint64_t ns[LANE_CSTAGE_COUNT], n = c->total.count;
	const char *meaning;
	int most = LANE_CSTAGE_CALL;
	uint64_t behind_ns = c->behind_ns + c->waited.process.lo, waited_ns = 0;

	if (!n)
		return false;
	for (int i = LANE_CSTAGE_HELD; i < LANE_CSTAGE_RUNNING; i++)
		waited_ns += c->stages[i].sum_ns;
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		ns[i] = i == LANE_CSTAGE_TOLD ? c->told_least_ns : c->stages[i].sum_ns;
		if (meanings[i] && ns[i] > ns[most])
			most = i;
	}
	meaning = meanings[most];
	if (most >= LANE_CSTAGE_HELD && most < LANE_CSTAGE_RUNNING && behind_ns > waited_ns / 2) {
		ns[most] = behind_ns;
		meaning = "behind other commands of their program";
	}
	if (share(ns[most], c->total.sum_ns) < MIN_PERCENT)
		return false;
	if (most >= LANE_CSTAGE_HELD && most < LANE_CSTAGE_RUNNING && behind_text(l, text, size))
		return true;
	snprintf(text, size, "%s: %" PRIu64 " command%s spent%s %s%s %s, and %s running", api(c), n,
		 lane_s(n), n > 1 ? " on average" : "",
		 most == LANE_CSTAGE_TOLD && ns[most] < c->stages[most].sum_ns ? "at least " : "",
		 SHOW_PART(ns[most] / n, c->total.sum_ns / n), meaning,
		 SHOW_DURATION(c->stages[LANE_CSTAGE_RUNNING].sum_ns / n));
	if (most == LANE_CSTAGE_TOLD && (!c->n_gaps || c->gaps[0].cause != LANE_GAP_TOLD) &&
	    !show_is_starved(l, &(uint32_t){ 0 }))
		*advice = "enqueue the next commands before waiting for the last";
	return true;
}

/* A program whose waits keep a CPU busy. */
static bool spin_sentence(const struct lane_latency *l, char *text, size_t size,
			  const char **advice)
{
	const struct lane_commands *c = l->commands;
	const struct lane_cl_program *most = NULL;
	uint64_t whole = l->figures.end_ns - l->figures.begin_ns;

	for (uint32_t i = 0; i < c->n_programs; i++)
		if (!most || c->programs[i].waits_ran.lo > most->waits_ran.lo)
			most = &c->programs[i];
	if (!most || share(most->waits_ran.lo, whole) < MIN_PERCENT ||
	    2 * most->waits_ran.lo < most->waits_ns)
		return false;
	snprintf(text, size, "%s: %s waited for the GPU in %" PRIu64 " call%s, %s%s of it on a CPU",
		 api(c), SHOW_PROCESS(l, most->pid), most->waits, lane_s(most->waits),
		 most->waits_ran.lo < most->waits_ran.hi ? "at least " : "",
		 SHOW_PART(most->waits_ran.lo, most->waits_ns));
	(void)advice;
	return true;
}

/* Transfers that took most of the device's time. */
static bool transfer_sentence(const struct lane_latency *l, char *text, size_t size,
			      const char **advice)
{
	const struct lane_commands *c = l->commands;
	uint64_t most_ns = 0;

	(void)advice;
	for (uint32_t i = 0; i < c->n_devices; i++)
		if (c->devices[i].busy_ns > most_ns)
			most_ns = c->devices[i].busy_ns;
	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];

		if (!d->kernels_ns || share(d->transfers_ns, d->busy_ns) < 50 ||
		    share(d->busy_ns, most_ns) < MIN_PERCENT)
			continue;
		snprintf(text, size,
			 "%s: transfers took %s in which %s was busy with commands of %s%s%s%s",
			 api(c), SHOW_PART(d->transfers_ns, d->busy_ns),
			 device_name(d, SHOW_ROOM(128)), SHOW_PROCESS(l, d->pid),
			 d->both_ns ? ", " : "", d->both_ns ? SHOW_DURATION(d->both_ns) : "",
			 d->both_ns ? " of them beside kernels" : "");
		return true;
	}
	return false;
}

/* Of calls alone: the function that took longest. */
static bool calls_sentence(const struct lane_commands *c, char *text, size_t size)
{
	uint64_t n = 0, ns = 0;
	unsigned int most = 0;

	for (unsigned int i = 0; i < LANE_CLF_COUNT; i++) {
		n += c->calls[i].count;
		ns += c->calls[i].ns;
		if (c->calls[i].ns > c->calls[most].ns)
			most = i;
	}
	if (!n)
		return false;
	snprintf(text, size, "%s: %" PRIu64 " call%s, and no command; %s took %s", api(c), n,
		 lane_s(n), lane_cl_function_name(most), SHOW_PART(c->calls[most].ns, ns));
	return true;
}

/* For how many commands it is certain, or not, which request carried them. */
static void how_certain(const struct lane_commands *c, const struct lane_command_figures *f,
			char *text, size_t size)
{
	static const struct {
		enum lane_certainty certainty;
		const char *words;
	} parts[] = { { LANE_CERTAIN_EXACT, "certain" },
		      { LANE_CERTAIN_AMBIGUOUS, "one of several" },
		      { LANE_CERTAIN_NONE, "not known" } };
	size_t n = (size_t)snprintf(text, size, "%s: a command's request is", api(c));
	bool is_first = true;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t count = f->certainty[parts[i].certainty];

		if (!count || n >= size)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s %s for %" PRIu64, is_first ? "" : ",",
				      parts[i].words, count);
		if (is_first && count < f->commands && n < size)
			n += (size_t)snprintf(text + n, size - n, " of %" PRIu64, f->commands);
		if (is_first && n < size)
			n += (size_t)snprintf(text + n, size - n, " command%s",
					      lane_s(f->commands));
		is_first = false;
	}
}

/* How many commands are not tied to their requests for sure. */
static bool certainty_sentence(const struct lane_latency *l, char *text, size_t size,
			       const char **advice)
{
	struct lane_command_figures f;
	bool has_times;

	timeline_command_figures(l->timeline, &f);
	has_times = f.untimed < f.commands || l->figures.by_kind[LANE_CL_COMMAND];
	if (!l->commands->commands)
		return calls_sentence(l->commands, text, size);
	if (f.why[LANE_WHY_NOT_RECORDED] == f.commands)
		snprintf(text, size,
			 "%s: %" PRIu64 " command%s, %sno GPU requests in the recording to tie "
			 "%s to",
			 api(l->commands), f.commands, lane_s(f.commands),
			 has_times ? "" : "without the device's times, and ",
			 f.commands == 1 ? "it" : "them");
	else
		how_certain(l->commands, &f, text, size);
	if (!has_times)
		*advice = "record by the layer, which has the device's times: lttng-sessiond -d, "
			  "then gpulane record";
	return !has_times || f.commands > f.certainty[LANE_CERTAIN_EXACT];
}

bool show_opencl_sentence(const struct lane_latency *latency, unsigned int number, char *text,
			  size_t size, const char **advice)
{
	static bool (*const sentences[])(const struct lane_latency *, char *, size_t,
					 const char **) = { busy_sentence,     gap_sentence,
							    stage_sentence,    spin_sentence,
							    transfer_sentence, certainty_sentence };

	for (size_t i = 0; latency->commands && i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		*advice = NULL;
		if (sentences[i](latency, text, size, advice) && !number--)
			return true;
	}
	return false;
}

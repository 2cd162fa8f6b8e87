// SPDX-License-Identifier: MIT
// OpenCL commands for people: sentences and tables.
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "show/opencl_report.h"

/* Below this share of the whole nothing is worth a sentence. */
#define MIN_PERCENT 5

struct tables {
	FILE *to;
	struct lane_latency *latency;
	struct lane_commands *commands;
	const struct lane_report_options *options;
};

static void title(const struct tables *t, const char *text)
{
	fprintf(t->to, t->options->has_colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

static bool enough(const struct tables *t, uint32_t row, uint32_t n)
{
	if (!t->options->rows || row < t->options->rows)
		return false;
	fprintf(t->to, "  (%u more; --rows 0 shows all)\n", n - row);
	return true;
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

static void durations(const struct tables *t, struct lane_durations *d)
{
	char text[32];
	const uint64_t mean_ns = d->count ? d->sum_ns / d->count : 0;
	const uint64_t values[] = { mean_ns,
				    latency_histogram_percentile(&d->histogram, 500),
				    latency_histogram_percentile(&d->histogram, 950),
				    latency_histogram_percentile(&d->histogram, 990),
				    d->max_ns,
				    d->sum_ns };

	fprintf(t->to, " %9" PRIu64, d->count);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		fprintf(t->to, " %10s",
			d->count ? show_duration(values[i], text, sizeof(text)) : "-");
}

#define DURATIONS "    count       mean        p50        p95        p99        max        sum"

static void queues(const struct tables *t)
{
	struct lane_commands *c = t->commands;
	uint64_t whole = t->latency->figures.end_ns - t->latency->figures.begin_ns;
	char name[64], device[128], running[32];

	title(t, "OpenCL queues");
	fprintf(t->to, "  %-22s %-18s %9s %8s %9s %6s %10s %10s %10s  %s\n", "process", "queue",
		"commands", "exact", "ambiguous", "none", "running", "host mean", "dev mean",
		"device");
	for (uint32_t i = 0; i < c->n_queues && !enough(t, i, c->n_queues); i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];

		if (!q->queue)
			continue;
		fprintf(t->to,
			"  %-22s 0x%-16" PRIx64 " %9" PRIu64 " %8" PRIu64 " %9" PRIu64 " %6" PRIu64
			" %10s %10.2f %10.2f  %s\n",
			show_process_name(t->latency, q->queue->pid, name, sizeof(name)),
			q->queue->handle, q->commands, q->certainty[LANE_CERTAIN_EXACT],
			q->certainty[LANE_CERTAIN_AMBIGUOUS], q->certainty[LANE_CERTAIN_NONE],
			show_duration(q->running_ns, running, sizeof(running)),
			whole ? (double)q->host_queue_ns / (double)whole : 0,
			whole ? (double)q->device_queue_ns / (double)whole : 0,
			lane_clean_copy(device, sizeof(device), q->queue->device_name,
					LANE_CLEAN_LINE));
	}
}

static void kernels(const struct tables *t)
{
	struct lane_commands *c = t->commands;
	char name[64], kernel[64];

	if (!c->n_kernels)
		return;
	title(t, "Kernels: running on the device");
	fprintf(t->to, "  %-22s %-24s %s\n", "process", "kernel", DURATIONS);
	for (uint32_t i = 0; i < c->n_kernels && !enough(t, i, c->n_kernels); i++) {
		struct lane_kernel_stats *k = &c->kernels[i];

		fprintf(t->to, "  %-22s %-24s",
			show_process_name(t->latency, k->pid, name, sizeof(name)),
			*k->name ? lane_clean_copy(kernel, sizeof(kernel), k->name, LANE_CLEAN_LINE)
				 : "(no name)");
		durations(t, &k->running);
		fputc('\n', t->to);
	}
	if (c->kernels_left_out)
		fprintf(t->to, "  (%" PRIu64 " runs of further kernels)\n", c->kernels_left_out);
}

static void transfers(const struct tables *t)
{
	char text[32];
	bool first = true;

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++) {
		struct lane_transfer_stats *s = &t->commands->transfers[i];

		if (!s->running.count)
			continue;
		if (first) {
			title(t, "Transfers: running on the device");
			fprintf(t->to, "  %-8s %14s %12s %s\n", "kind", "bytes", "throughput",
				DURATIONS);
		}
		first = false;
		fprintf(t->to, "  %-8s %14" PRIu64 " %12s", lane_command_class_names[i], s->bytes,
			rate(s->bytes, s->sized_ns, text, sizeof(text)));
		durations(t, &s->running);
		fputc('\n', t->to);
	}
}

static void stages(const struct tables *t)
{
	struct lane_commands *c = t->commands;

	if (!c->staged)
		return;
	title(t, "Commands, from the call to the program's knowing");
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
	char off[32], within[32];

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
		snprintf(text, size, "%c%s within %s", clock.offset_lo_ns < 0 ? '-' : '+',
			 show_duration(off_ns, off, sizeof(off)),
			 show_duration((uint64_t)clock.offset_hi_ns - (uint64_t)clock.offset_lo_ns,
				       within, sizeof(within)));
		break;
	}
	return text;
}

/* How wide the column of the devices' names is: real ones are long. */
static int device_width(const struct lane_commands *c)
{
	char device[128];
	size_t width = 24;

	for (uint32_t i = 0; i < c->n_devices; i++) {
		size_t length = strlen(lane_clean_copy(device, sizeof(device), c->devices[i].name,
						       LANE_CLEAN_LINE));

		if (length > width)
			width = length;
	}
	return (int)width;
}

static void devices(const struct tables *t)
{
	struct lane_commands *c = t->commands;
	int width = device_width(c);
	char device[128], name[64], a[32], b[32], k[32], o[32], g[32], text[96];

	if (!c->n_devices)
		return;
	title(t, "OpenCL devices, by their commands");
	fprintf(t->to, "  %-22s %-*s %10s %10s %10s %10s %9s %10s  %s\n", "process", width,
		"device", "busy", "kernels", "transfers", "both", "gaps", "idle", "clock");
	for (uint32_t i = 0; i < c->n_devices && !enough(t, i, c->n_devices); i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];

		fprintf(t->to, "  %-22s %-*s %10s %10s %10s %10s %9" PRIu64 " %10s  %s\n",
			show_process_name(t->latency, d->pid, name, sizeof(name)), width,
			lane_clean_copy(device, sizeof(device), d->name, LANE_CLEAN_LINE),
			show_duration(d->busy_ns, a, sizeof(a)),
			show_duration(d->kernels_ns, k, sizeof(k)),
			show_duration(d->transfers_ns, b, sizeof(b)),
			show_duration(d->both_ns, o, sizeof(o)), d->gaps,
			show_duration(d->gap_ns, g, sizeof(g)),
			clock_text(t->latency, d, text, sizeof(text)));
	}
}

static void gaps(const struct tables *t)
{
	struct lane_commands *c = t->commands;
	int width = device_width(c);
	char owner[64], thread[64], device[128], ns[32];

	if (!c->n_gaps)
		return;
	title(t, "Idle between commands, by what the command that ended it was at");
	fprintf(t->to, "  %-22s %-*s %-13s %-22s %10s %9s\n", "process", width, "device", "cause",
		"thread", "time", "times");
	for (uint32_t i = 0; i < c->n_gaps && !enough(t, i, c->n_gaps); i++) {
		const struct lane_gap_sum *g = &c->gaps[i];

		fprintf(t->to, "  %-22s %-*s %-13s %-22s %10s %9" PRIu64 "\n",
			show_process_name(t->latency, c->devices[g->device].pid, owner,
					  sizeof(owner)),
			width,
			lane_clean_copy(device, sizeof(device), c->devices[g->device].name,
					LANE_CLEAN_LINE),
			lane_gap_names[g->cause],
			show_task_name(g->tid, g->comm, thread, sizeof(thread)),
			show_duration(g->ns, ns, sizeof(ns)), g->count);
	}
}

void show_opencl_text(FILE *to, struct lane_latency *latency,
		      const struct lane_report_options *options)
{
	struct tables t = { to, latency, latency->commands, options };

	if (!t.commands || !t.commands->commands)
		return;
	queues(&t);
	stages(&t);
	kernels(&t);
	show_opencl_models_text(to, latency, options);
	transfers(&t);
	devices(&t);
	gaps(&t);
}

/* What took most of the commands' time that was not running. */
static bool stage_sentence(const struct lane_latency *l, char *text, size_t size)
{
	static const char *const meanings[LANE_CSTAGE_COUNT] = {
		[LANE_CSTAGE_CALL] = "in their own calls",
		[LANE_CSTAGE_HELD] = "held back by the OpenCL driver",
		[LANE_CSTAGE_HOST_QUEUE] = "in the kernel driver's queue",
		[LANE_CSTAGE_DEVICE_QUEUE] = "in the device's queue",
		[LANE_CSTAGE_BEFORE] = "behind other commands of their requests",
		[LANE_CSTAGE_SIGNAL] = "between their end and the signal",
		[LANE_CSTAGE_TOLD] = "after their completion, until the program noticed it",
	};
	const struct lane_commands *c = l->commands;
	int most = -1;

	for (int i = 0; i < LANE_CSTAGE_COUNT; i++)
		if (meanings[i] && (most < 0 || c->stages[i].sum_ns > c->stages[most].sum_ns))
			most = i;
	if (share(c->stages[most].sum_ns, c->total.sum_ns) < MIN_PERCENT)
		return false;
	snprintf(text, size,
		 "OpenCL: %u %% of %" PRIu64 " command%s time was %s (%s), %u %% was running",
		 share(c->stages[most].sum_ns, c->total.sum_ns), c->total.count,
		 c->total.count == 1 ? "'s" : "s'", meanings[most], lane_command_stage_names[most],
		 share(c->stages[LANE_CSTAGE_RUNNING].sum_ns, c->total.sum_ns));
	return true;
}

/* A device's name in a sentence. */
static const char *device_name(const struct lane_cl_device_stats *device, char *buffer, size_t size)
{
	return lane_clean_copy(buffer, size, *device->name ? device->name : "the device",
			       LANE_CLEAN_LINE);
}

/* What a device waited for between commands. */
static bool gap_sentence(const struct lane_latency *l, char *text, size_t size)
{
	static const char *const meanings[LANE_GAP_COUNT][2] = {
		[LANE_GAP_TOLD] = { "before ", " noticed that the command before had completed" },
		[LANE_GAP_PROGRAM] = { "before ", " asked for more" },
		[LANE_GAP_CALL] = { "in an OpenCL call of ", "" },
		[LANE_GAP_HELD] = { "with the command of ", " held back by the OpenCL driver" },
		[LANE_GAP_HOST_QUEUE] = { "with the command of ", " in the kernel driver" },
		[LANE_GAP_DEVICE_QUEUE] = { "with the command of ", " in the device's queue" },
		[LANE_GAP_BEFORE] = { "with the request of ", "'s command running" },
	};
	const struct lane_commands *c = l->commands;
	const struct lane_cl_device_stats *d;
	char name[64], owner[64], device[128];

	if (!c->n_gaps)
		return false;
	d = &c->devices[c->gaps[0].device];
	if (share(d->gap_ns, d->last_ns - d->first_ns) < MIN_PERCENT)
		return false;
	show_task_name(c->gaps[0].tid, c->gaps[0].comm, name, sizeof(name));
	snprintf(text, size,
		 "OpenCL: %s ran none of the %scommands of %s for %u %% of the time between the "
		 "first and the last, %u %% of that %sthread %s%s",
		 device_name(d, device, sizeof(device)), d->untimed ? "timed " : "",
		 show_process_name(l, d->pid, owner, sizeof(owner)),
		 share(d->gap_ns, d->last_ns - d->first_ns), share(c->gaps[0].ns, d->gap_ns),
		 meanings[c->gaps[0].cause][0], name, meanings[c->gaps[0].cause][1]);
	return true;
}

/* Transfers that had the device to themselves. */
static bool transfer_sentence(const struct lane_latency *l, char *text, size_t size)
{
	const struct lane_commands *c = l->commands;
	char owner[64], device[128];

	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];

		if (!d->kernels_ns || share(d->transfers_ns, d->busy_ns) < MIN_PERCENT)
			continue;
		snprintf(text, size,
			 "OpenCL: transfers took %u %% of the time that %s ran commands of %s, "
			 "%u %% of their time was beside kernels",
			 share(d->transfers_ns, d->busy_ns), device_name(d, device, sizeof(device)),
			 show_process_name(l, d->pid, owner, sizeof(owner)),
			 share(d->both_ns, d->transfers_ns));
		return true;
	}
	return false;
}

/* How many commands are not tied to their requests for sure. */
static bool certainty_sentence(const struct lane_latency *l, char *text, size_t size)
{
	struct lane_command_figures f;

	timeline_command_figures(l->timeline, &f);
	if (f.why[LANE_WHY_NOT_RECORDED] == f.commands)
		snprintf(text, size,
			 "OpenCL: %" PRIu64 " command%s, no GPU requests in the recording to tie "
			 "them to",
			 f.commands, lane_s(f.commands));
	else
		snprintf(text, size,
			 "OpenCL: of %" PRIu64 " command%s %" PRIu64
			 " are tied to their requests for "
			 "sure, %" PRIu64 " ambiguously, of %" PRIu64 " no request is known",
			 f.commands, lane_s(f.commands), f.certainty[LANE_CERTAIN_EXACT],
			 f.certainty[LANE_CERTAIN_AMBIGUOUS], f.certainty[LANE_CERTAIN_NONE]);
	return f.commands > 0;
}

bool show_opencl_sentence(const struct lane_latency *latency, unsigned int number, char *text,
			  size_t size)
{
	static bool (*const sentences[])(const struct lane_latency *, char *,
					 size_t) = { gap_sentence, stage_sentence,
						     transfer_sentence, certainty_sentence };

	if (!latency->commands)
		return false;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (sentences[i](latency, text, size) && !number--)
			return true;
	return false;
}

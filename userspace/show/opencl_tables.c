// SPDX-License-Identifier: MIT
// OpenCL commands: tables, with the keys of docs/report.md.
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/opencl.h"
#include "base/plural.h"
#include "base/sort.h"
#include "show/report_parts.h"
#include "show/report_rows.h"

typedef struct json_object json;

const char *show_command_api(const struct lane_commands *c)
{
	if (!c->has_levelzero)
		return "OpenCL";
	return c->has_opencl ? "OpenCL and Level Zero" : "Level Zero";
}

/* A title that begins with it. */
static const char *api_title(const struct lane_tables *t, const char *rest, char *text, size_t size)
{
	snprintf(text, size, "%s %s", show_command_api(t->latency->commands), rest);
	return text;
}

/* Bytes a second; 0 when it took no time. */
static uint64_t throughput(uint64_t bytes, uint64_t ns)
{
	return ns ? (uint64_t)((unsigned __int128)bytes * 1000000000 / ns) : 0;
}

/* "1.25 GB/s" */
static const char *opencl_tables_rate(uint64_t bytes, uint64_t ns, char *buffer, size_t size)
{
	double per_s = (double)throughput(bytes, ns);

	if (!bytes || !ns)
		snprintf(buffer, size, "-");
	else if (per_s >= 1e9)
		snprintf(buffer, size, "%.2f GB/s", per_s / 1e9);
	else
		snprintf(buffer, size, "%.2f MB/s", per_s / 1e6);
	return buffer;
}

enum {
	DURATIONS_TOLD = 5 /* mean, percentiles, max: of none there are none */
};

static void durations_told(struct lane_durations *d, uint64_t ns[DURATIONS_TOLD])
{
	static const unsigned int permille[] = { 500, 950, 990 };

	ns[0] = d->count ? d->sum_ns / d->count : 0;
	for (size_t i = 0; i < sizeof(permille) / sizeof(permille[0]); i++)
		ns[1 + i] = latency_histogram_percentile(&d->histogram, permille[i]);
	ns[DURATIONS_TOLD - 1] = d->max_ns;
}

static void add_durations(json *to, struct lane_durations *d)
{
	static const char *const keys[] = { "mean_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns" };
	uint64_t ns[DURATIONS_TOLD];

	durations_told(d, ns);
	show_json_uint(to, "count", d->count);
	show_json_uint(to, "sum_ns", d->sum_ns);
	for (int i = 0; i < DURATIONS_TOLD; i++)
		show_json_known(to, keys[i], ns[i], d->count);
}

/* The same as cells. */
static void durations(struct lane_cells *rows, struct lane_durations *d)
{
	uint64_t ns[DURATIONS_TOLD];

	durations_told(d, ns);
	show_cell(rows, 9, "%" PRIu64, d->count);
	for (int i = 0; i < DURATIONS_TOLD; i++)
		show_cell(rows, 10, "%s", d->count ? SHOW_DURATION(ns[i]) : "-");
	show_cell(rows, 10, "%s", d->count ? SHOW_DURATION(d->sum_ns) : "-");
}

#define DURATIONS "    count       mean        p50        p95        p99        max        sum"

static void process_cell(struct lane_cells *rows, int32_t pid)
{
	show_cell_text(rows, -22, "process", SHOW_PROCESS(rows->t->latency, pid));
}

static void add_handle(json *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	show_json_text(to, key, text);
}

static void certainty(const struct lane_latency *l, json *to)
{
	struct lane_command_figures figures;
	json *sure = show_json_object(to, "certainty"), *why = show_json_object(to, "why");

	timeline_command_figures(l->timeline, &figures);
	for (int i = 0; i < LANE_CERTAINTY_COUNT; i++)
		show_json_uint(sure, lane_certainty_names[i], figures.certainty[i]);
	for (int i = 0; i < LANE_WHY_COUNT; i++)
		if (figures.why[i])
			show_json_uint(why, lane_why_names[i], figures.why[i]);
	show_json_uint(to, "untimed", figures.untimed);
	show_json_uint(to, "crowded", figures.crowded);
	show_json_uint(to, "max_open", figures.max_open);
}

static void opencl_tables_span(json *to, const char *part, struct lane_span span)
{
	char key[48];

	snprintf(key, sizeof(key), "%s_min_ns", part);
	show_json_uint(to, key, span.lo);
	snprintf(key, sizeof(key), "%s_max_ns", part);
	show_json_uint(to, key, span.hi);
}

static void waited(json *to, const struct lane_cl_waited *of)
{
	json *at = show_json_object(to, "waited");

	show_json_uint(at, "commands", of->commands);
	opencl_tables_span(at, "waited", of->waited);
	opencl_tables_span(at, "behind_queue", of->queue);
	opencl_tables_span(at, "behind_process", of->process);
	opencl_tables_span(at, "behind_others", of->others);
	opencl_tables_span(at, "behind_nobody", of->nobody);
}

static void queues(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	uint64_t whole = latency_whole_ns(t->latency);
	struct lane_cells rows = show_table(
		t, "queues", c->n_queues, api_title(t, "queues", SHOW_ROOM(64)),
		"process                queue               commands    exact ambiguous   "
		"none    running  host mean   dev mean  device");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];
		json *kinds, *sure;

		if (!q->queue)
			continue;
		process_cell(&rows, q->queue->pid);
		add_handle(rows.json, "queue", q->queue->handle);
		show_cell(&rows, -18, "0x%" PRIx64, q->queue->handle);
		add_handle(rows.json, "device", q->queue->device);
		show_json_text(rows.json, "device_name", q->queue->device_name);
		add_handle(rows.json, "properties", q->queue->properties);
		show_json_known(rows.json, "context", q->queue->ctx, q->queue->ctx);
		show_json_bool(rows.json, "context_shared", q->queue->ctx_shared);
		show_cell_uint(&rows, 9, "commands", q->commands);
		show_json_uint(rows.json, "failed", q->failed);
		kinds = show_json_object(rows.json, "kinds");
		for (int k = 0; k < LANE_COMMAND_CLASSES; k++)
			show_json_uint(kinds, lane_command_class_names[k], q->by_class[k]);
		sure = show_json_object(rows.json, "certainty");
		for (int k = 0; k < LANE_CERTAINTY_COUNT; k++)
			show_json_uint(sure, lane_certainty_names[k], q->certainty[k]);
		show_cell(&rows, 8, "%" PRIu64, q->certainty[LANE_CERTAIN_EXACT]);
		show_cell(&rows, 9, "%" PRIu64, q->certainty[LANE_CERTAIN_AMBIGUOUS]);
		show_cell(&rows, 6, "%" PRIu64, q->certainty[LANE_CERTAIN_NONE]);
		show_cell_ns(&rows, 10, "running_ns", q->running_ns, true);
		show_json_uint(rows.json, "host_queue_command_ns", q->host_queue_ns);
		show_json_uint(rows.json, "device_queue_command_ns", q->device_queue_ns);
		show_cell(&rows, 10, "%.2f", whole ? (double)q->host_queue_ns / (double)whole : 0);
		show_cell(&rows, 10, "%.2f",
			  whole ? (double)q->device_queue_ns / (double)whole : 0);
		show_cell(&rows, 0, "%s",
			  lane_clean_copy(SHOW_ROOM(128), q->queue->device_name, LANE_CLEAN_LINE));
		waited(rows.json, &q->waited);
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

/* Of each queue; in JSON it is in the queues' rows. */
static void opencl_tables_waits(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	struct lane_cells rows =
		show_table(t, NULL, c->waited.commands ? c->n_queues : 0,
			   "Waiting for the device, and what ran meanwhile",
			   "process                queue               commands             waited"
			   "          own queue        own process    other processes"
			   "             nobody");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];
		const struct lane_span *parts = &q->waited.waited;

		if (!q->waited.commands)
			continue;
		process_cell(&rows, q->queue->pid);
		show_cell(&rows, -18, "0x%" PRIx64, q->queue->handle);
		show_cell(&rows, 9, "%" PRIu64, q->waited.commands);
		for (int k = 0; k < 5; k++)
			show_cell(&rows, 18, "%s", SHOW_SPAN(parts[k]));
	}
}

static void behinds(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	struct lane_cells rows = show_table(
		t, "ahead", c->n_behinds, "Who was ahead of the commands that waited",
		"process                command                  ahead                    "
		"    times     waited    behind it");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_behind_sum *b = &c->behinds[i];

		process_cell(&rows, b->pid);
		show_cell_text(&rows, -24, "command", SHOW_COMMAND(c, b->what));
		show_cell_text(&rows, -24, "ahead",
			       b->other ? SHOW_PROCESS(t->latency, b->other->pid)
					: SHOW_COMMAND(c, b->other_what));
		show_json_bool(rows.json, "of_its_queue", !b->other);
		show_cell_uint(&rows, 9, "count", b->count);
		show_cell_ns(&rows, 10, "waited_max_ns", b->waited_ns, true);
		show_json_uint(rows.json, "behind_min_ns", b->ns);
		show_cell(&rows, 1, "%s%s", b->is_least ? "at least " : "", SHOW_DURATION(b->ns));
	}
}

static void unseen(const struct lane_tables *t)
{
	const struct lane_unseen *all = &t->latency->unseen;
	struct lane_cells rows =
		show_table(t, "unseen", all->n_sums,
			   "Waiting while no recorded command ran, and who else had a burst open",
			   "process                not recorded              commands meanwhile");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_unseen_sum *u = &all->sums[i];

		process_cell(&rows, u->pid);
		show_cell_text(&rows, -24, "not_recorded",
			       show_client_name(u->client, SHOW_ROOM(64)));
		show_cell_uint(&rows, 9, "count", u->count);
		show_json_uint(rows.json, "meanwhile_max_ns", u->ns);
		show_cell(&rows, 1, "up to %s", SHOW_DURATION(u->ns));
	}
}

static void programs(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	struct lane_cells rows = show_table(t, "waits", c->n_programs, NULL, NULL);

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cl_program *program = &c->programs[i];

		process_cell(&rows, program->pid);
		show_json_uint(rows.json, "launches", program->launches);
		show_json_uint(rows.json, "waited_behind_launch", program->waited);
		show_json_uint(rows.json, "count", program->waits);
		show_json_uint(rows.json, "sum_ns", program->waits_ns);
		opencl_tables_span(rows.json, "on_cpu", program->waits_ran);
	}
}

static void awaits(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	struct lane_cells rows =
		show_table(t, "awaited", c->n_awaits,
			   "Calls that waited, and the command that they waited for",
			   "process                command                      calls     waited"
			   "             on the CPU            off the CPU");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cl_await *a = &c->awaits[i];
		struct lane_span others = timeline_span_between(a->ran, timeline_span_exact(a->ns));

		process_cell(&rows, a->pid);
		show_cell_text(&rows, -24, "command", SHOW_COMMAND(c, a->what));
		show_cell_uint(&rows, 9, "count", a->count);
		show_cell_ns(&rows, 10, "sum_ns", a->ns, true);
		show_cell(&rows, 22, "%s", SHOW_SPAN(a->ran));
		show_cell(&rows, 22, "%s", SHOW_SPAN(others));
		opencl_tables_span(rows.json, "on_cpu", a->ran);
	}
}

static void kernels(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;
	struct lane_cells rows =
		show_table(t, "kernels", c->n_kernels, "Kernels: running on the device",
			   "process                kernel                   " DURATIONS);

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		struct lane_kernel_stats *k = &c->kernels[i];
		json *parts;

		process_cell(&rows, k->pid);
		show_json_text(rows.json, "kernel", k->name);
		show_cell(&rows, -24, "%s",
			  *k->name ? lane_clean_copy(SHOW_ROOM(64), k->name, LANE_CLEAN_LINE)
				   : "(no name)");
		show_json_uint(rows.json, "work_items", k->items);
		durations(&rows, &k->running);
		add_durations(show_json_object(rows.json, "running"), &k->running);
		add_durations(show_json_object(rows.json, "total"), &k->total);
		parts = show_json_object(rows.json, "stage_sums");
		for (int s = 0; s < LANE_CSTAGE_COUNT; s++)
			show_json_ns(parts, lane_command_stage_names[s], k->stage_ns[s]);
	}
	show_json_uint(t->tree, "kernels_left_out", c->kernels_left_out);
	if (!t->tree && c->n_kernels && c->kernels_left_out)
		fprintf(t->to, "  (%" PRIu64 " runs of further kernels)\n", c->kernels_left_out);
}

static void transfers(const struct lane_tables *t)
{
	struct lane_transfer_stats *all = t->latency->commands->transfers;
	struct lane_cells rows;
	uint64_t runs = 0;

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++)
		runs += all[i].running.count;
	rows = show_table(t, "transfers", runs || t->tree ? LANE_COMMAND_UNMAP + 1 : 0,
			  "Transfers: running on the device",
			  "kind              bytes   throughput " DURATIONS);
	rows.is_whole = true;
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		struct lane_transfer_stats *s = &all[i];

		if (i < LANE_COMMAND_READ || (!s->running.count && !(t->tree && s->blocking)))
			continue;
		show_cell_text(&rows, -8, "kind", lane_command_class_names[i]);
		show_json_uint(rows.json, "blocking", s->blocking);
		show_cell_uint(&rows, 14, "bytes", s->bytes);
		show_json_known(rows.json, "bytes_per_s", throughput(s->bytes, s->sized_ns),
				s->sized_ns);
		show_cell(&rows, 12, "%s",
			  opencl_tables_rate(s->bytes, s->sized_ns, SHOW_ROOM(32)));
		durations(&rows, &s->running);
		add_durations(show_json_object(rows.json, "running"), &s->running);
	}
}

static void opencl_tables_stages(const struct lane_tables *t)
{
	struct lane_commands *c = t->latency->commands;
	bool has_times = c->staged || t->tree;
	struct lane_cells rows = show_table(t, "stages", has_times ? LANE_CSTAGE_COUNT : 0,
					    "Commands, from the call to the program's knowing",
					    "stage           " DURATIONS);

	rows.is_whole = true;
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		if (!rows.json && !c->stages[i].count)
			continue;
		show_cell_text(&rows, -15, "stage", lane_command_stage_names[i]);
		durations(&rows, &c->stages[i]);
		add_durations(rows.json, &c->stages[i]);
	}
	add_durations(show_json_object(t->tree, "total"), &c->total);
	if (!has_times)
		return;
	show_cell(&rows, -15, "in all");
	durations(&rows, &c->total);
	show_row(&rows, rows.n);
}

/* "the CPU's", "+12.3 ms within 4.1 us", "not known" */
static const char *clock_text(const struct lane_latency *l, const struct lane_cl_device_stats *d,
			      char *text, size_t size)
{
	struct lane_cl_clock clock;
	uint64_t off_ns;

	if (!timeline_cl_clock(l->timeline, d->pid, d->device, &clock) || !clock.bounded)
		return "not known";
	if (clock.is_same)
		return "the CPU's";
	off_ns = (uint64_t)clock.offset_lo_ns;
	if (clock.offset_lo_ns < 0)
		off_ns = 0 - off_ns;
	snprintf(text, size, "%c%s within %s", clock.offset_lo_ns < 0 ? '-' : '+',
		 SHOW_DURATION(off_ns),
		 SHOW_DURATION((uint64_t)clock.offset_hi_ns - (uint64_t)clock.offset_lo_ns));
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

static void clock_tree(const struct lane_latency *l, const struct lane_cl_device_stats *device,
		       json *to)
{
	struct lane_cl_clock clock;
	json *at = show_json_object(to, "clock"), *order = show_json_object(to, "order");

	if (!timeline_cl_clock(l->timeline, device->pid, device->device, &clock))
		return;
	show_json_text(at, "state", clock.is_same ? "same" : clock.bounded ? "bounded" : "free");
	show_json_uint(at, "pairs", clock.pairs);
	show_json_uint(at, "restarts", clock.restarts);
	if (clock.bounded) {
		show_json_int(at, "offset_min_ns", clock.offset_lo_ns);
		show_json_int(at, "offset_max_ns", clock.offset_hi_ns);
		show_json_real(at, "drift_min_ppm", clock.drift_lo_ppm);
		show_json_real(at, "drift_max_ppm", clock.drift_hi_ppm);
	}
	show_json_uint(order, "max_in_flight", clock.max_in_flight);
	show_json_uint(order, "max_held", clock.max_held);
	show_json_uint(order, "given_up", clock.given_up);
	show_json_uint(order, "late", clock.late);
}

static void devices(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	int width = device_width(c);
	struct lane_cells rows = show_table(
		t, "devices", c->n_devices,
		api_title(t, "devices, by their commands", SHOW_ROOM(64)),
		"process                %-*s       busy    kernels  transfers       both      gaps"
		"       idle  clock",
		width, "device");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];
		json *causes;

		process_cell(&rows, d->pid);
		add_handle(rows.json, "device", d->device);
		show_json_text(rows.json, "name", d->name);
		show_cell(&rows, -width, "%s",
			  lane_clean_copy(SHOW_ROOM(128), d->name, LANE_CLEAN_LINE));
		show_json_uint(rows.json, "commands", d->commands);
		show_json_uint(rows.json, "span_ns", d->last_ns - d->first_ns);
		show_cell_ns(&rows, 10, "busy_ns", d->busy_ns, true);
		show_cell_ns(&rows, 10, "kernels_ns", d->kernels_ns, true);
		show_cell_ns(&rows, 10, "transfers_ns", d->transfers_ns, true);
		show_cell_ns(&rows, 10, "overlap_ns", d->both_ns, true);
		show_cell_uint(&rows, 9, "gaps", d->gaps);
		show_cell_ns(&rows, 10, "gap_ns", d->gap_ns, true);
		show_json_uint(rows.json, "gap_max_ns", d->gap_max_ns);
		causes = show_json_object(rows.json, "gap_causes");
		for (int k = 0; k < LANE_GAP_COUNT; k++)
			show_json_ns(causes, lane_gap_names[k], d->gap_cause_ns[k]);
		if (rows.json)
			clock_tree(t->latency, d, rows.json);
		show_cell(&rows, 0, "%s", clock_text(t->latency, d, SHOW_ROOM(96)));
	}
}

static void gaps(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	int width = device_width(c);
	uint32_t called = 0;
	struct lane_cells rows;

	while (called < c->n_gaps && !c->gaps[called].calls)
		called++;
	rows = show_table(
		t, "gaps", c->n_gaps,
		"When a device ran no command of a process, by what the next one was at",
		"process                %-*s cause           thread                       "
		"time     times%s",
		width, "device", called < c->n_gaps ? "  function" : "");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_gap_sum *g = &c->gaps[i];
		const struct lane_cl_device_stats *d = &c->devices[g->device];

		process_cell(&rows, d->pid);
		show_json_text(rows.json, "device", d->name);
		show_cell(&rows, -width, "%s",
			  lane_clean_copy(SHOW_ROOM(128), d->name, LANE_CLEAN_LINE));
		show_cell_text(&rows, -15, "cause", lane_gap_names[g->cause]);
		show_cell_text(&rows, -22, "thread", SHOW_TASK(g->tid, g->comm));
		show_json_uint(rows.json, "count", g->count);
		show_cell_ns(&rows, 10, "ns", g->ns, true);
		show_cell(&rows, 9, "%" PRIu64, g->count);
		if (!g->calls)
			continue;
		show_json_text(rows.json, "function", lane_cl_function_name(g->function));
		show_json_uint(rows.json, "calls", g->calls);
		show_json_uint(rows.json, "function_ns", g->function_ns);
		show_cell(&rows, 0, "  %s: %s, %" PRIu64 " call%s",
			  lane_cl_function_name(g->function), SHOW_DURATION(g->function_ns),
			  g->calls, lane_s(g->calls));
	}
}

LANE_ORDER_OF(calls_by_ns, struct lane_call_stats, LANE_DOWN(ns) ?: LANE_COMPARE(x, y))

/* For people only of a program that enqueues nothing: otherwise its commands tell more. */
static void calls(const struct lane_tables *t)
{
	const struct lane_call_stats *all = t->latency->commands->calls, *told[LANE_CLF_COUNT];
	struct lane_cells rows;
	uint32_t n = 0;

	for (uint32_t i = 0; i < LANE_CLF_COUNT; i++)
		if (all[i].count)
			told[n++] = &all[i];
	if (!t->tree)
		qsort(told, n, sizeof(*told), calls_by_ns);
	rows = show_table(
		t, "calls", n, api_title(t, "calls", SHOW_ROOM(64)),
		"function                                     calls    failed       time    "
		"longest");
	for (uint32_t i = 0; show_row(&rows, i); i++) {
		show_cell_text(&rows, -40, "function",
			       lane_cl_function_name((unsigned int)(told[i] - all)));
		show_cell_uint(&rows, 9, "count", told[i]->count);
		show_cell_uint(&rows, 9, "failed", told[i]->failed);
		show_cell_ns(&rows, 10, "sum_ns", told[i]->ns, true);
		show_cell_ns(&rows, 10, "max_ns", told[i]->max_ns, true);
	}
}

static const char *api_name(bool is_levelzero)
{
	return is_levelzero ? "Level Zero" : "OpenCL";
}

static void launches(const struct lane_tables *t)
{
	const struct lane_launching *launching = &t->latency->commands->launching;
	struct lane_cells rows = show_table(
		t, "launches", launching->n_launches,
		"Launches of kernels, and the other calls for each",
		"process                API          launches  by driver    direct   unknown  "
		"other calls    in them      of all");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_launches *l = &launching->launches[i];
		uint64_t n = l->measured ? l->measured : 1;

		process_cell(&rows, l->pid);
		show_cell_text(&rows, -10, "api", api_name(l->is_levelzero));
		show_cell_uint(&rows, 10, "launches", l->launches);
		show_cell_uint(&rows, 9, "by_driver", l->by_driver);
		show_cell_uint(&rows, 8, "direct", l->direct);
		show_cell_uint(&rows, 8, "unknown", l->unknown);
		show_json_uint(rows.json, "measured", l->measured);
		show_json_uint(rows.json, "other_calls", l->calls);
		show_json_uint(rows.json, "other_calls_ns", l->calls_ns);
		show_json_uint(rows.json, "whole_ns", l->whole_ns);
		if (!l->measured)
			continue;
		show_cell(&rows, 11, "%.1f", (double)l->calls / (double)n);
		show_cell(&rows, 9, "%s", SHOW_DURATION(l->calls_ns / n));
		show_cell(&rows, 10, "%s", SHOW_DURATION(l->whole_ns / n));
	}
}

/* How many launches of its process and API are measured. */
static uint64_t measured(const struct lane_launching *launching,
			 const struct lane_function_calls *function)
{
	for (uint32_t i = 0; i < launching->n_launches; i++) {
		const struct lane_launches *l = &launching->launches[i];

		if (l->pid == function->pid &&
		    l->is_levelzero == lane_cl_is_levelzero(function->function))
			return l->measured;
	}
	return 0;
}

static void functions(const struct lane_tables *t)
{
	const struct lane_launching *launching = &t->latency->commands->launching;
	struct lane_cells rows = show_table(
		t, "functions", launching->n_functions,
		"Calls, by function, and those beside each launch",
		"process                function                                     calls       "
		"time    longest  a launch     its time");

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_function_calls *f = &launching->functions[i];
		uint64_t n = measured(launching, f);

		process_cell(&rows, f->pid);
		show_cell_text(&rows, -40, "function", lane_cl_function_name(f->function));
		show_cell_uint(&rows, 8, "count", f->calls);
		show_cell_ns(&rows, 9, "own_ns", f->ns, true);
		show_cell_ns(&rows, 9, "own_max_ns", f->max_ns, true);
		show_json_uint(rows.json, "for_launches", f->for_launches);
		show_json_uint(rows.json, "for_launches_ns", f->for_launches_ns);
		if (!f->for_launches)
			continue;
		show_cell(&rows, 8, "%.1f", (double)f->for_launches / (double)n);
		show_cell(&rows, 11, "%s", SHOW_DURATION(f->for_launches_ns / n));
	}
}

void show_calls_table(const struct lane_tables *t)
{
	if (!t->latency->commands)
		return;
	launches(t);
	functions(t);
}

static void tree(const struct lane_tables *t)
{
	static void (*const tables[])(const struct lane_tables *t) = { opencl_tables_stages,
								       queues,
								       kernels,
								       transfers,
								       devices,
								       gaps,
								       behinds,
								       unseen,
								       programs,
								       awaits,
								       calls,
								       launches,
								       functions };
	struct lane_tables in = *t;

	in.tree = show_json_object(t->tree, "opencl");
	show_json_uint(in.tree, "commands", t->latency->commands->commands);
	show_json_uint(in.tree, "staged", t->latency->commands->staged);
	certainty(t->latency, in.tree);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		tables[i](&in);
	if (t->options && t->options->n_models)
		show_opencl_models(&in);
}

void show_opencl_tables(const struct lane_tables *t)
{
	static void (*const tables[])(const struct lane_tables *t) = {
		queues,	 opencl_tables_stages, opencl_tables_waits, behinds, unseen, awaits,
		kernels, show_opencl_models,   transfers,	    devices, gaps
	};
	const struct lane_commands *c = t->latency->commands;

	if (!c)
		return;
	if (t->tree)
		tree(t);
	else if (!c->commands)
		calls(t);
	else
		for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
			tables[i](t);
}

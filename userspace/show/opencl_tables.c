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
#include "show/report_tables.def"

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
static void durations(struct lane_cells *rows, int width, struct lane_durations *d)
{
	uint64_t ns[DURATIONS_TOLD];

	durations_told(d, ns);
	show_cell(rows, width, "%" PRIu64, d->count);
	for (int i = 0; i < DURATIONS_TOLD; i++)
		show_cell(rows, 10, "%s", d->count ? SHOW_DURATION(ns[i]) : "-");
	show_cell(rows, 10, "%s", d->count ? SHOW_DURATION(d->sum_ns) : "-");
}

#define CLEAN(size, text) lane_clean_copy(SHOW_ROOM(size), text, LANE_CLEAN_LINE)

static void process_cell(struct lane_cells *rows, int width, int32_t pid)
{
	show_cell_text(rows, width, "process", SHOW_PROCESS(rows->t->latency, pid));
}

static void add_handle(json *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	show_json_text(to, key, text);
}

static void handle_cell(struct lane_cells *rows, int width, const char *key, uint64_t value)
{
	add_handle(rows->json, key, value);
	show_cell(rows, width, "0x%" PRIx64, value);
}

static void counts_tree(json *to, const char *const *names, const uint64_t *counts, int n)
{
	for (int i = 0; i < n; i++)
		show_json_uint(to, names[i], counts[i]);
}

static void times_tree(json *to, const char *const *names, const uint64_t *ns, int n)
{
	for (int i = 0; i < n; i++)
		show_json_ns(to, names[i], ns[i]);
}

static void certainty(const struct lane_latency *l, json *to)
{
	struct lane_command_figures figures;
	json *sure = show_json_object(to, "certainty"), *why = show_json_object(to, "why");

	timeline_command_figures(l->timeline, &figures);
	counts_tree(sure, lane_certainty_names, figures.certainty, LANE_CERTAINTY_COUNT);
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

static void queue_members(json *to, const struct lane_cl_queue *queue)
{
	add_handle(to, "device", queue->device);
	show_json_text(to, "device_name", queue->device_name);
	add_handle(to, "properties", queue->properties);
	show_json_known(to, "context", queue->ctx, queue->ctx);
	show_json_bool(to, "context_shared", queue->ctx_shared);
}

/* Of a queue, from the sum of the times that were spent in it. */
static double mean_length(const struct lane_latency *l, uint64_t ns)
{
	uint64_t whole = latency_whole_ns(l);

	return whole ? (double)ns / (double)whole : 0;
}

SHOW_TABLE(queues, QUEUES_TABLE, "queues", l->commands->n_queues,
	   api_title(t, "queues", SHOW_ROOM(64)))

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

SHOW_TABLE(opencl_tables_waits, QUEUE_WAITS_TABLE, NULL,
	   l->commands->waited.commands ? l->commands->n_queues : 0,
	   "Waiting for the device, and what ran meanwhile")
SHOW_TABLE(behinds, AHEAD_TABLE, "ahead", l->commands->n_behinds,
	   "Who was ahead of the commands that waited")
SHOW_TABLE(unseen, UNSEEN_TABLE, "unseen", l->unseen.n_sums,
	   "Waiting while no recorded command ran, and who else had a burst open")

static void programs(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;
	struct lane_cells rows = show_table(t, "waits", c->n_programs, NULL, NULL);

	for (uint32_t i = 0; show_row(&rows, i); i++) {
		const struct lane_cl_program *program = &c->programs[i];

		process_cell(&rows, -22, program->pid);
		show_json_uint(rows.json, "launches", program->launches);
		show_json_uint(rows.json, "waited_behind_launch", program->waited);
		show_json_uint(rows.json, "count", program->waits);
		show_json_uint(rows.json, "sum_ns", program->waits_ns);
		opencl_tables_span(rows.json, "on_cpu", program->waits_ran);
	}
}

SHOW_TABLE(awaits, AWAITED_TABLE, "awaited", l->commands->n_awaits,
	   "Calls that waited, and the command that they waited for")
SHOW_TABLE(kernel_rows, KERNELS_TABLE, "kernels", l->commands->n_kernels,
	   "Kernels: running on the device")

static void kernels(const struct lane_tables *t)
{
	const struct lane_commands *c = t->latency->commands;

	kernel_rows(t);
	show_json_uint(t->tree, "kernels_left_out", c->kernels_left_out);
	if (!t->tree && c->n_kernels && c->kernels_left_out)
		fprintf(t->to, "  (%" PRIu64 " runs of further kernels)\n", c->kernels_left_out);
}

/* In the text none where nothing was moved. */
static uint32_t transfer_kinds(const struct lane_tables *t)
{
	const struct lane_transfer_stats *all = t->latency->commands->transfers;
	uint64_t runs = t->tree != NULL;

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++)
		runs += all[i].running.count;
	return runs ? LANE_COMMAND_UNMAP + 1 : 0;
}

SHOW_TABLE(transfers, TRANSFERS_TABLE, "transfers", transfer_kinds(t),
	   "Transfers: running on the device")

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
		durations(&rows, 9, &c->stages[i]);
		add_durations(rows.json, &c->stages[i]);
	}
	add_durations(show_json_object(t->tree, "total"), &c->total);
	if (!has_times)
		return;
	show_cell(&rows, -15, "in all");
	durations(&rows, 9, &c->total);
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
static int device_width(struct lane_cells *rows, const struct lane_commands *c)
{
	size_t width = 24;

	if (rows->wide)
		return rows->wide;
	for (uint32_t i = 0; i < c->n_devices; i++) {
		size_t length = strlen(
			lane_clean_copy(SHOW_ROOM(128), c->devices[i].name, LANE_CLEAN_LINE));

		if (length > width)
			width = length;
	}
	return rows->wide = (int)width;
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

SHOW_TABLE(devices, DEVICES_TABLE, "devices", l->commands->n_devices,
	   api_title(t, "devices, by their commands", SHOW_ROOM(64)))

static bool gap_has_calls(const struct lane_commands *c)
{
	for (uint32_t i = 0; i < c->n_gaps; i++)
		if (c->gaps[i].calls)
			return true;
	return false;
}

static void gap_calls(struct lane_cells *rows, int width, const struct lane_gap_sum *gap)
{
	if (!gap->calls)
		return;
	show_json_text(rows->json, "function", lane_cl_function_name(gap->function));
	show_json_uint(rows->json, "calls", gap->calls);
	show_json_uint(rows->json, "function_ns", gap->function_ns);
	show_cell(rows, width, "  %s: %s, %" PRIu64 " call%s", lane_cl_function_name(gap->function),
		  SHOW_DURATION(gap->function_ns), gap->calls, lane_s(gap->calls));
}

SHOW_TABLE(gaps, GAPS_TABLE, "gaps", l->commands->n_gaps,
	   "When a device ran no command of a process, by what the next one was at")

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

SHOW_TABLE(launches, LAUNCHES_TABLE, "launches", l->commands->launching.n_launches,
	   "Launches of kernels, and the other calls for each")

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

SHOW_TABLE(functions, FUNCTIONS_TABLE, "functions", l->commands->launching.n_functions,
	   "Calls, by function, and those beside each launch")

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

// SPDX-License-Identifier: MIT
// The report's figures of OpenCL commands as a tree, with the keys of docs/report.md.
#include "show/opencl_report.h"

#include <stdio.h>

#include "base/opencl.h"
#include "show/json.h"

typedef struct json_object json;

static void add_handle(json *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	lane_json_text(to, key, text);
}

static void add_durations(json *to, struct lane_durations *d)
{
	lane_json_uint(to, "count", d->count);
	lane_json_uint(to, "sum_ns", d->sum_ns);
	lane_json_uint(to, "mean_ns", d->count ? d->sum_ns / d->count : 0);
	lane_json_uint(to, "p50_ns", lane_histogram_percentile(&d->histogram, 500));
	lane_json_uint(to, "p95_ns", lane_histogram_percentile(&d->histogram, 950));
	lane_json_uint(to, "p99_ns", lane_histogram_percentile(&d->histogram, 990));
	lane_json_uint(to, "max_ns", d->max_ns);
}

static void add_process(json *to, const struct lane_latency *l, int32_t pid)
{
	char name[64];

	lane_json_text(to, "process", lane_process_name(l, pid, name, sizeof(name)));
}

static void certainty(const struct lane_latency *l, json *to)
{
	struct lane_command_figures figures;
	json *sure = lane_json_object(to, "certainty"), *why = lane_json_object(to, "why");

	lane_timeline_command_figures(l->timeline, &figures);
	for (int i = 0; i < LANE_CERTAINTY_COUNT; i++)
		lane_json_uint(sure, lane_certainty_names[i], figures.certainty[i]);
	for (int i = 0; i < LANE_WHY_COUNT; i++)
		if (figures.why[i])
			lane_json_uint(why, lane_why_names[i], figures.why[i]);
	lane_json_uint(to, "untimed", figures.untimed);
	lane_json_uint(to, "crowded", figures.crowded);
	lane_json_uint(to, "max_open", figures.max_open);
}

static void stages(struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "stages");
	json *total = lane_json_object(to, "total");

	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		json *stage = lane_json_row(rows);

		lane_json_text(stage, "stage", lane_command_stage_names[i]);
		add_durations(stage, &c->stages[i]);
	}
	add_durations(total, &c->total);
}

static void queues(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "queues");

	for (uint32_t i = 0; i < c->n_queues; i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];
		json *at, *kinds, *sure;

		if (!q->queue)
			continue;
		at = lane_json_row(rows);
		add_process(at, l, q->queue->pid);
		add_handle(at, "queue", q->queue->handle);
		add_handle(at, "device", q->queue->device);
		lane_json_text(at, "device_name", q->queue->device_name);
		add_handle(at, "properties", q->queue->properties);
		lane_json_uint(at, "context", q->queue->ctx);
		lane_json_bool(at, "context_shared", q->queue->ctx_shared);
		lane_json_uint(at, "commands", q->commands);
		lane_json_uint(at, "failed", q->failed);
		kinds = lane_json_object(at, "kinds");
		for (int k = 0; k < LANE_COMMAND_CLASSES; k++)
			lane_json_uint(kinds, lane_command_class_names[k], q->by_class[k]);
		sure = lane_json_object(at, "certainty");
		for (int k = 0; k < LANE_CERTAINTY_COUNT; k++)
			lane_json_uint(sure, lane_certainty_names[k], q->certainty[k]);
		lane_json_uint(at, "running_ns", q->running_ns);
		lane_json_uint(at, "host_queue_command_ns", q->host_queue_ns);
		lane_json_uint(at, "device_queue_command_ns", q->device_queue_ns);
	}
}

static void kernels(const struct lane_latency *l, struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "kernels");

	for (uint32_t i = 0; i < c->n_kernels; i++) {
		struct lane_kernel_stats *k = &c->kernels[i];
		json *at = lane_json_row(rows), *parts;

		add_process(at, l, k->pid);
		lane_json_text(at, "kernel", k->name);
		lane_json_uint(at, "work_items", k->items);
		add_durations(lane_json_object(at, "running"), &k->running);
		add_durations(lane_json_object(at, "total"), &k->total);
		parts = lane_json_object(at, "stage_sums");
		for (int s = 0; s < LANE_CSTAGE_COUNT; s++) {
			char key[32];

			snprintf(key, sizeof(key), "%s_ns", lane_command_stage_names[s]);
			lane_json_uint(parts, key, k->stage_ns[s]);
		}
	}
	lane_json_uint(to, "kernels_left_out", c->kernels_left_out);
}

static void transfers(struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "transfers");

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++) {
		struct lane_transfer_stats *t = &c->transfers[i];
		json *at;

		if (!t->running.count && !t->blocking)
			continue;
		at = lane_json_row(rows);
		lane_json_text(at, "kind", lane_command_class_names[i]);
		lane_json_uint(at, "blocking", t->blocking);
		lane_json_uint(at, "bytes", t->bytes);
		lane_json_uint(at, "bytes_per_s", lane_throughput(t->bytes, t->sized_ns));
		add_durations(lane_json_object(at, "running"), &t->running);
	}
}

static void clock_of(const struct lane_latency *l, const struct lane_cl_device_stats *device,
		     json *to)
{
	struct lane_cl_clock clock;
	json *at = lane_json_object(to, "clock"), *order = lane_json_object(to, "order");

	for (uint32_t i = 0; lane_timeline_cl_clock(l->timeline, i, &clock); i++) {
		if (clock.pid != device->pid || clock.device != device->device)
			continue;
		lane_json_text(at, "state",
			       clock.same      ? "same"
			       : clock.bounded ? "bounded"
					       : "free");
		lane_json_uint(at, "pairs", clock.pairs);
		lane_json_uint(at, "restarts", clock.restarts);
		if (clock.bounded) {
			lane_json_int(at, "offset_min_ns", clock.offset_lo_ns);
			lane_json_int(at, "offset_max_ns", clock.offset_hi_ns);
			lane_json_real(at, "drift_min_ppm", clock.drift_lo_ppm);
			lane_json_real(at, "drift_max_ppm", clock.drift_hi_ppm);
		}
		lane_json_uint(order, "max_in_flight", clock.max_in_flight);
		lane_json_uint(order, "max_held", clock.max_held);
		lane_json_uint(order, "given_up", clock.given_up);
		lane_json_uint(order, "late", clock.late);
		return;
	}
}

static void devices(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "devices");

	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];
		json *at = lane_json_row(rows), *causes;

		add_process(at, l, d->pid);
		add_handle(at, "device", d->device);
		lane_json_text(at, "name", d->name);
		lane_json_uint(at, "commands", d->commands);
		lane_json_uint(at, "span_ns", d->last_ns - d->first_ns);
		lane_json_uint(at, "busy_ns", d->busy_ns);
		lane_json_uint(at, "kernels_ns", d->kernels_ns);
		lane_json_uint(at, "transfers_ns", d->transfers_ns);
		lane_json_uint(at, "overlap_ns", d->both_ns);
		lane_json_uint(at, "gaps", d->gaps);
		lane_json_uint(at, "gap_ns", d->gap_ns);
		lane_json_uint(at, "gap_max_ns", d->gap_max_ns);
		causes = lane_json_object(at, "gap_causes");
		for (int k = 0; k < LANE_GAP_COUNT; k++) {
			char key[32];

			snprintf(key, sizeof(key), "%s_ns", lane_gap_names[k]);
			lane_json_uint(causes, key, d->gap_cause_ns[k]);
		}
		clock_of(l, d, at);
	}
}

static void gaps(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "gaps");

	for (uint32_t i = 0; i < c->n_gaps; i++) {
		const struct lane_gap_sum *g = &c->gaps[i];
		json *at = lane_json_row(rows);
		char name[64];

		add_process(at, l, c->devices[g->device].pid);
		lane_json_text(at, "device", c->devices[g->device].name);
		lane_json_text(at, "cause", lane_gap_names[g->cause]);
		lane_json_text(at, "thread", lane_task_name(g->tid, g->comm, name, sizeof(name)));
		lane_json_uint(at, "count", g->count);
		lane_json_uint(at, "ns", g->ns);
	}
}

static void calls(const struct lane_commands *c, json *to)
{
	json *rows = lane_json_list(to, "calls");

	for (uint32_t i = 0; i < LANE_CLF_COUNT; i++) {
		const struct lane_call_stats *s = &c->calls[i];
		json *at;

		if (!s->count)
			continue;
		at = lane_json_row(rows);
		lane_json_text(at, "function", lane_cl_function_name(i));
		lane_json_uint(at, "count", s->count);
		lane_json_uint(at, "failed", s->failed);
		lane_json_uint(at, "sum_ns", s->ns);
		lane_json_uint(at, "max_ns", s->max_ns);
	}
}

uint64_t lane_throughput(uint64_t bytes, uint64_t ns)
{
	return ns ? (uint64_t)((unsigned __int128)bytes * 1000000000 / ns) : 0;
}

void lane_opencl_tree(struct lane_latency *latency, struct json_object *tree)
{
	struct lane_commands *c = latency->commands;
	json *to;

	if (!c)
		return;
	to = lane_json_object(tree, "opencl");
	lane_json_uint(to, "commands", c->commands);
	lane_json_uint(to, "staged", c->staged);
	certainty(latency, to);
	stages(c, to);
	queues(latency, c, to);
	kernels(latency, c, to);
	transfers(c, to);
	devices(latency, c, to);
	gaps(latency, c, to);
	calls(c, to);
}

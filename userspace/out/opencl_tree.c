// SPDX-License-Identifier: MIT
// The report's figures of OpenCL commands as a tree, with the keys of docs/report.md.
#include "out/opencl.h"

#include <stdio.h>

#include "base/opencl.h"

typedef struct json_object json;

static void add_int(json *to, const char *key, uint64_t value)
{
	json_object_object_add(
		to, key, json_object_new_int64(value > INT64_MAX ? INT64_MAX : (int64_t)value));
}

static void add_text(json *to, const char *key, const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

static void add_handle(json *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	add_text(to, key, text);
}

static json *object(json *to, const char *key)
{
	json *made = json_object_new_object();

	json_object_object_add(to, key, made);
	return made;
}

static json *list(json *to, const char *key)
{
	json *made = json_object_new_array();

	json_object_object_add(to, key, made);
	return made;
}

static json *row(json *array)
{
	json *made = json_object_new_object();

	json_object_array_add(array, made);
	return made;
}

static void add_durations(json *to, struct lane_durations *d)
{
	add_int(to, "count", d->count);
	add_int(to, "sum_ns", d->sum_ns);
	add_int(to, "mean_ns", d->count ? d->sum_ns / d->count : 0);
	add_int(to, "p50_ns", lane_histogram_percentile(&d->histogram, 500));
	add_int(to, "p95_ns", lane_histogram_percentile(&d->histogram, 950));
	add_int(to, "p99_ns", lane_histogram_percentile(&d->histogram, 990));
	add_int(to, "max_ns", d->max_ns);
}

static void add_process(json *to, const struct lane_latency *l, int32_t pid)
{
	const struct lane_thread *thread = lane_timeline_thread(l->timeline, pid);
	char name[64];

	add_text(to, "process",
		 lane_task_name(pid, thread ? thread->comm : "", name, sizeof(name)));
}

static void certainty(const struct lane_latency *l, json *to)
{
	struct lane_command_figures figures;
	json *sure = object(to, "certainty"), *why = object(to, "why");

	lane_timeline_command_figures(l->timeline, &figures);
	for (int i = 0; i < LANE_CERTAINTY_COUNT; i++)
		add_int(sure, lane_certainty_names[i], figures.certainty[i]);
	for (int i = 0; i < LANE_WHY_COUNT; i++)
		if (figures.why[i])
			add_int(why, lane_why_names[i], figures.why[i]);
	add_int(to, "untimed", figures.untimed);
	add_int(to, "crowded", figures.crowded);
	add_int(to, "max_open", figures.max_open);
}

static void stages(struct lane_commands *c, json *to)
{
	json *rows = list(to, "stages");
	json *total = object(to, "total");

	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		json *stage = row(rows);

		add_text(stage, "stage", lane_command_stage_names[i]);
		add_durations(stage, &c->stages[i]);
	}
	add_durations(total, &c->total);
}

static void queues(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = list(to, "queues");

	for (uint32_t i = 0; i < c->n_queues; i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];
		json *at, *kinds, *sure;

		if (!q->queue)
			continue;
		at = row(rows);
		add_process(at, l, q->queue->pid);
		add_handle(at, "queue", q->queue->handle);
		add_handle(at, "device", q->queue->device);
		add_text(at, "device_name", q->queue->device_name);
		add_handle(at, "properties", q->queue->properties);
		add_int(at, "context", q->queue->ctx);
		json_object_object_add(at, "context_shared",
				       json_object_new_boolean(q->queue->ctx_shared));
		add_int(at, "commands", q->commands);
		add_int(at, "failed", q->failed);
		kinds = object(at, "kinds");
		for (int k = 0; k < LANE_COMMAND_CLASSES; k++)
			add_int(kinds, lane_command_class_names[k], q->by_class[k]);
		sure = object(at, "certainty");
		for (int k = 0; k < LANE_CERTAINTY_COUNT; k++)
			add_int(sure, lane_certainty_names[k], q->certainty[k]);
		add_int(at, "running_ns", q->running_ns);
		add_int(at, "host_queue_command_ns", q->host_queue_ns);
		add_int(at, "device_queue_command_ns", q->device_queue_ns);
	}
}

static void kernels(const struct lane_latency *l, struct lane_commands *c, json *to)
{
	json *rows = list(to, "kernels");

	for (uint32_t i = 0; i < c->n_kernels; i++) {
		struct lane_kernel_stats *k = &c->kernels[i];
		json *at = row(rows), *parts;

		add_process(at, l, k->pid);
		add_text(at, "kernel", k->name);
		add_int(at, "work_items", k->items);
		add_durations(object(at, "running"), &k->running);
		add_durations(object(at, "total"), &k->total);
		parts = object(at, "stage_sums");
		for (int s = 0; s < LANE_CSTAGE_COUNT; s++) {
			char key[32];

			snprintf(key, sizeof(key), "%s_ns", lane_command_stage_names[s]);
			add_int(parts, key, k->stage_ns[s]);
		}
	}
	add_int(to, "kernels_left_out", c->kernels_left_out);
}

static void transfers(struct lane_commands *c, json *to)
{
	json *rows = list(to, "transfers");

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++) {
		struct lane_transfer_stats *t = &c->transfers[i];
		json *at;

		if (!t->running.count && !t->blocking)
			continue;
		at = row(rows);
		add_text(at, "kind", lane_command_class_names[i]);
		add_int(at, "blocking", t->blocking);
		add_int(at, "bytes", t->bytes);
		add_int(at, "bytes_per_s", lane_throughput(t->bytes, t->sized_ns));
		add_durations(object(at, "running"), &t->running);
	}
}

static void clock_of(const struct lane_latency *l, const struct lane_cl_device_stats *device,
		     json *to)
{
	struct lane_cl_clock clock;
	json *at = object(to, "clock"), *order = object(to, "order");

	for (uint32_t i = 0; lane_timeline_cl_clock(l->timeline, i, &clock); i++) {
		if (clock.pid != device->pid || clock.device != device->device)
			continue;
		add_text(at, "state", clock.same ? "same" : clock.bounded ? "bounded" : "free");
		add_int(at, "pairs", clock.pairs);
		add_int(at, "restarts", clock.restarts);
		if (clock.bounded) {
			json_object_object_add(at, "offset_min_ns",
					       json_object_new_int64(clock.offset_lo_ns));
			json_object_object_add(at, "offset_max_ns",
					       json_object_new_int64(clock.offset_hi_ns));
			json_object_object_add(at, "drift_min_ppm",
					       json_object_new_double(clock.drift_lo_ppm));
			json_object_object_add(at, "drift_max_ppm",
					       json_object_new_double(clock.drift_hi_ppm));
		}
		add_int(order, "max_in_flight", clock.max_in_flight);
		add_int(order, "max_held", clock.max_held);
		add_int(order, "given_up", clock.given_up);
		add_int(order, "late", clock.late);
		return;
	}
}

static void devices(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = list(to, "devices");

	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];
		json *at = row(rows), *causes;

		add_process(at, l, d->pid);
		add_handle(at, "device", d->device);
		add_text(at, "name", d->name);
		add_int(at, "commands", d->commands);
		add_int(at, "span_ns", d->last_ns - d->first_ns);
		add_int(at, "busy_ns", d->busy_ns);
		add_int(at, "kernels_ns", d->kernels_ns);
		add_int(at, "transfers_ns", d->transfers_ns);
		add_int(at, "overlap_ns", d->both_ns);
		add_int(at, "gaps", d->gaps);
		add_int(at, "gap_ns", d->gap_ns);
		add_int(at, "gap_max_ns", d->gap_max_ns);
		causes = object(at, "gap_causes");
		for (int k = 0; k < LANE_GAP_COUNT; k++) {
			char key[32];

			snprintf(key, sizeof(key), "%s_ns", lane_gap_names[k]);
			add_int(causes, key, d->gap_cause_ns[k]);
		}
		clock_of(l, d, at);
	}
}

static void gaps(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = list(to, "gaps");

	for (uint32_t i = 0; i < c->n_gaps; i++) {
		const struct lane_gap_sum *g = &c->gaps[i];
		const struct lane_thread *thread = lane_timeline_thread(l->timeline, g->tid);
		json *at = row(rows);
		char name[64];

		add_process(at, l, c->devices[g->device].pid);
		add_text(at, "device", c->devices[g->device].name);
		add_text(at, "cause", lane_gap_names[g->cause]);
		add_text(at, "thread",
			 lane_task_name(g->tid, thread ? thread->comm : "", name, sizeof(name)));
		add_int(at, "count", g->count);
		add_int(at, "ns", g->ns);
	}
}

static void calls(const struct lane_commands *c, json *to)
{
	json *rows = list(to, "calls");

	for (uint32_t i = 0; i < LANE_CLF_COUNT; i++) {
		const struct lane_call_stats *s = &c->calls[i];
		json *at;

		if (!s->count)
			continue;
		at = row(rows);
		add_text(at, "function", lane_cl_function_name(i));
		add_int(at, "count", s->count);
		add_int(at, "failed", s->failed);
		add_int(at, "sum_ns", s->ns);
		add_int(at, "max_ns", s->max_ns);
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
	to = object(tree, "opencl");
	add_int(to, "commands", c->commands);
	add_int(to, "staged", c->staged);
	certainty(latency, to);
	stages(c, to);
	queues(latency, c, to);
	kernels(latency, c, to);
	transfers(c, to);
	devices(latency, c, to);
	gaps(latency, c, to);
	calls(c, to);
}

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
	show_json_text(to, key, text);
}

static void add_durations(json *to, struct lane_durations *d)
{
	show_json_uint(to, "count", d->count);
	show_json_uint(to, "sum_ns", d->sum_ns);
	show_json_uint(to, "mean_ns", d->count ? d->sum_ns / d->count : 0);
	show_json_uint(to, "p50_ns", latency_histogram_percentile(&d->histogram, 500));
	show_json_uint(to, "p95_ns", latency_histogram_percentile(&d->histogram, 950));
	show_json_uint(to, "p99_ns", latency_histogram_percentile(&d->histogram, 990));
	show_json_uint(to, "max_ns", d->max_ns);
}

static void add_process(json *to, const struct lane_latency *l, int32_t pid)
{
	show_json_text(to, "process", SHOW_PROCESS(l, pid));
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

static void stages(struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "stages");
	json *total = show_json_object(to, "total");

	for (int i = 0; i < LANE_CSTAGE_COUNT; i++) {
		json *stage = show_json_row(rows);

		show_json_text(stage, "stage", lane_command_stage_names[i]);
		add_durations(stage, &c->stages[i]);
	}
	add_durations(total, &c->total);
}

static void span(json *to, const char *part, struct lane_span span)
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
	span(at, "waited", of->waited);
	span(at, "behind_queue", of->queue);
	span(at, "behind_process", of->process);
	span(at, "behind_others", of->others);
	span(at, "behind_nobody", of->nobody);
}

static void queues(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "queues");

	for (uint32_t i = 0; i < c->n_queues; i++) {
		const struct lane_cl_queue_stats *q = &c->queues[i];
		json *at, *kinds, *sure;

		if (!q->queue)
			continue;
		at = show_json_row(rows);
		add_process(at, l, q->queue->pid);
		add_handle(at, "queue", q->queue->handle);
		add_handle(at, "device", q->queue->device);
		show_json_text(at, "device_name", q->queue->device_name);
		add_handle(at, "properties", q->queue->properties);
		show_json_uint(at, "context", q->queue->ctx);
		show_json_bool(at, "context_shared", q->queue->ctx_shared);
		show_json_uint(at, "commands", q->commands);
		show_json_uint(at, "failed", q->failed);
		kinds = show_json_object(at, "kinds");
		for (int k = 0; k < LANE_COMMAND_CLASSES; k++)
			show_json_uint(kinds, lane_command_class_names[k], q->by_class[k]);
		sure = show_json_object(at, "certainty");
		for (int k = 0; k < LANE_CERTAINTY_COUNT; k++)
			show_json_uint(sure, lane_certainty_names[k], q->certainty[k]);
		show_json_uint(at, "running_ns", q->running_ns);
		show_json_uint(at, "host_queue_command_ns", q->host_queue_ns);
		show_json_uint(at, "device_queue_command_ns", q->device_queue_ns);
		waited(at, &q->waited);
	}
}

static void kernels(const struct lane_latency *l, struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "kernels");

	for (uint32_t i = 0; i < c->n_kernels; i++) {
		struct lane_kernel_stats *k = &c->kernels[i];
		json *at = show_json_row(rows), *parts;

		add_process(at, l, k->pid);
		show_json_text(at, "kernel", k->name);
		show_json_uint(at, "work_items", k->items);
		add_durations(show_json_object(at, "running"), &k->running);
		add_durations(show_json_object(at, "total"), &k->total);
		parts = show_json_object(at, "stage_sums");
		for (int s = 0; s < LANE_CSTAGE_COUNT; s++)
			show_json_ns(parts, lane_command_stage_names[s], k->stage_ns[s]);
	}
	show_json_uint(to, "kernels_left_out", c->kernels_left_out);
}

static void transfers(struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "transfers");

	for (int i = LANE_COMMAND_READ; i <= LANE_COMMAND_UNMAP; i++) {
		struct lane_transfer_stats *t = &c->transfers[i];
		json *at;

		if (!t->running.count && !t->blocking)
			continue;
		at = show_json_row(rows);
		show_json_text(at, "kind", lane_command_class_names[i]);
		show_json_uint(at, "blocking", t->blocking);
		show_json_uint(at, "bytes", t->bytes);
		show_json_uint(at, "bytes_per_s", show_throughput(t->bytes, t->sized_ns));
		add_durations(show_json_object(at, "running"), &t->running);
	}
}

static void clock_of(const struct lane_latency *l, const struct lane_cl_device_stats *device,
		     json *to)
{
	struct lane_cl_clock clock;
	json *at = show_json_object(to, "clock"), *order = show_json_object(to, "order");

	for (uint32_t i = 0; timeline_cl_clock(l->timeline, i, &clock); i++) {
		if (clock.pid != device->pid || clock.device != device->device)
			continue;
		show_json_text(at, "state",
			       clock.is_same   ? "same"
			       : clock.bounded ? "bounded"
					       : "free");
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
		return;
	}
}

static void devices(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "devices");

	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct lane_cl_device_stats *d = &c->devices[i];
		json *at = show_json_row(rows), *causes;

		add_process(at, l, d->pid);
		add_handle(at, "device", d->device);
		show_json_text(at, "name", d->name);
		show_json_uint(at, "commands", d->commands);
		show_json_uint(at, "span_ns", d->last_ns - d->first_ns);
		show_json_uint(at, "busy_ns", d->busy_ns);
		show_json_uint(at, "kernels_ns", d->kernels_ns);
		show_json_uint(at, "transfers_ns", d->transfers_ns);
		show_json_uint(at, "overlap_ns", d->both_ns);
		show_json_uint(at, "gaps", d->gaps);
		show_json_uint(at, "gap_ns", d->gap_ns);
		show_json_uint(at, "gap_max_ns", d->gap_max_ns);
		causes = show_json_object(at, "gap_causes");
		for (int k = 0; k < LANE_GAP_COUNT; k++)
			show_json_ns(causes, lane_gap_names[k], d->gap_cause_ns[k]);
		clock_of(l, d, at);
	}
}

static void gaps(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "gaps");

	for (uint32_t i = 0; i < c->n_gaps; i++) {
		const struct lane_gap_sum *g = &c->gaps[i];
		json *at = show_json_row(rows);

		add_process(at, l, c->devices[g->device].pid);
		show_json_text(at, "device", c->devices[g->device].name);
		show_json_text(at, "cause", lane_gap_names[g->cause]);
		show_json_text(at, "thread", SHOW_TASK(g->tid, g->comm));
		show_json_uint(at, "count", g->count);
		show_json_uint(at, "ns", g->ns);
	}
}

static void behinds(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "ahead");

	for (uint32_t i = 0; i < c->n_behinds; i++) {
		const struct lane_behind_sum *b = &c->behinds[i];
		json *at = show_json_row(rows);

		add_process(at, l, b->pid);
		show_json_text(at, "command", SHOW_COMMAND(c, b->what));
		if (b->other)
			show_json_text(at, "ahead", SHOW_PROCESS(l, b->other->pid));
		else
			show_json_text(at, "ahead", SHOW_COMMAND(c, b->other_what));
		show_json_bool(at, "of_its_queue", !b->other);
		show_json_uint(at, "count", b->count);
		show_json_uint(at, "waited_max_ns", b->waited_ns);
		show_json_uint(at, "behind_min_ns", b->ns);
	}
}

static void unseen(const struct lane_latency *l, json *to)
{
	json *rows = show_json_list(to, "unseen");

	for (uint32_t i = 0; i < l->unseen.n_sums; i++) {
		const struct lane_unseen_sum *u = &l->unseen.sums[i];
		json *at = show_json_row(rows);

		add_process(at, l, u->pid);
		show_json_text(at, "not_recorded", show_client_name(u->client, SHOW_ROOM(64)));
		show_json_uint(at, "count", u->count);
		show_json_uint(at, "meanwhile_max_ns", u->ns);
	}
}

static void waits(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "waits");

	for (uint32_t i = 0; i < c->n_programs; i++) {
		const struct lane_cl_program *program = &c->programs[i];
		json *at = show_json_row(rows);

		add_process(at, l, program->pid);
		show_json_uint(at, "launches", program->launches);
		show_json_uint(at, "waited_behind_launch", program->waited);
		show_json_uint(at, "count", program->waits);
		show_json_uint(at, "sum_ns", program->waits_ns);
		span(at, "on_cpu", program->waits_ran);
	}
}

static void awaited(const struct lane_latency *l, const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "awaited");

	for (uint32_t i = 0; i < c->n_awaits; i++) {
		const struct lane_cl_await *a = &c->awaits[i];
		json *at = show_json_row(rows);

		add_process(at, l, a->pid);
		show_json_text(at, "command", SHOW_COMMAND(c, a->what));
		show_json_uint(at, "count", a->count);
		show_json_uint(at, "sum_ns", a->ns);
		span(at, "on_cpu", a->ran);
	}
}

static void calls(const struct lane_commands *c, json *to)
{
	json *rows = show_json_list(to, "calls");

	for (uint32_t i = 0; i < LANE_CLF_COUNT; i++) {
		const struct lane_call_stats *s = &c->calls[i];
		json *at;

		if (!s->count)
			continue;
		at = show_json_row(rows);
		show_json_text(at, "function", lane_cl_function_name(i));
		show_json_uint(at, "count", s->count);
		show_json_uint(at, "failed", s->failed);
		show_json_uint(at, "sum_ns", s->ns);
		show_json_uint(at, "max_ns", s->max_ns);
	}
}

uint64_t show_throughput(uint64_t bytes, uint64_t ns)
{
	return ns ? (uint64_t)((unsigned __int128)bytes * 1000000000 / ns) : 0;
}

void show_opencl_tree(struct lane_latency *latency, struct json_object *tree)
{
	struct lane_commands *c = latency->commands;
	json *to;

	if (!c)
		return;
	to = show_json_object(tree, "opencl");
	show_json_uint(to, "commands", c->commands);
	show_json_uint(to, "staged", c->staged);
	certainty(latency, to);
	stages(c, to);
	queues(latency, c, to);
	kernels(latency, c, to);
	transfers(c, to);
	devices(latency, c, to);
	gaps(latency, c, to);
	behinds(latency, c, to);
	unseen(latency, to);
	waits(latency, c, to);
	awaited(latency, c, to);
	calls(c, to);
}

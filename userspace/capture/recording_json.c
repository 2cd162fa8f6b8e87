// SPDX-License-Identifier: MIT
// What recording.json says, as an object of json-c.
#include "capture/recording_json.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "capture/driver.h"
#include "capture/gpu_limits.h"

#ifndef GPULANE_VERSION
#define GPULANE_VERSION "unknown"
#endif

#define MAX_CPUS 8192 /* that a tracer may tell of */

/* What is not UTF-8 (a program's name, a host's) no parser would take. */
static struct json_object *text_of(const char *value)
{
	LANE_CLEANUP(lane_free) char *text = lane_clean_dup(value, LANE_CLEAN_JSON);

	return text ? json_object_new_string(text) : NULL;
}

static void add_string(struct json_object *to, const char *key, const char *value)
{
	json_object_object_add(to, key, text_of(value));
}

static void add_number(struct json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

static void add_host(struct json_object *to, const struct lane_host *host)
{
	add_string(to, "host", host->name);
	add_string(to, "release", host->release);
	add_string(to, "machine", host->machine);
	add_number(to, "cpus", host->cpus);
	add_string(to, "clock", "monotonic");
	add_string(to, "clock_uuid", host->boot_id);
	json_object_object_add(to, "epoch_offset_ns", json_object_new_int64(host->epoch_offset_ns));
	json_object_object_add(to, "slept_ns", json_object_new_int64(host->slept_ns));
}

/* A recording is sent to others: what is in the arguments, a password say, is not for them. */
static struct json_object *command_object(const struct lane_recording_facts *facts)
{
	struct json_object *command = json_object_new_object();
	uint64_t n = 0;

	while (facts->command[n])
		n++;
	add_string(command, "program", basename(facts->command[0]));
	add_number(command, "arguments", n - 1);
	add_number(command, "pid", (uint64_t)facts->command_pid);
	if (facts->command_status >= 0 && WIFEXITED(facts->command_status))
		add_number(command, "exit_code", (uint64_t)WEXITSTATUS(facts->command_status));
	if (facts->command_status >= 0 && WIFSIGNALED(facts->command_status))
		add_number(command, "signal", (uint64_t)WTERMSIG(facts->command_status));
	return command;
}

static struct json_object *filter_object(const struct lane_capture_config *config)
{
	struct json_object *filter = json_object_new_object();

	if (config->follow_pid)
		add_number(filter, "follow_pid", (uint64_t)config->follow_pid);
	if (config->comm)
		add_string(filter, "comm", config->comm);
	if (config->n_engines) {
		struct json_object *engines = json_object_new_array();

		for (size_t i = 0; i < config->n_engines; i++) {
			char name[16];

			snprintf(name, sizeof(name), "%u:%u", config->engines[i].class,
				 config->engines[i].instance);
			json_object_array_add(engines, json_object_new_string(name));
		}
		json_object_object_add(filter, "engines", engines);
	}
	return filter;
}

static struct json_object *kind_object(const struct lane_capture_kind *kind)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "recorded", json_object_new_boolean(kind->recorded));
	if (kind->recorded) {
		add_string(object, "origin", lane_origin_name(kind->origin));
		if (*kind->hook)
			add_string(object, "hook", kind->hook);
	} else if (*kind->missing) {
		add_string(object, "missing", kind->missing);
	}
	return object;
}

/* What `count` says of each CPU. */
static struct json_object *per_cpu(const struct lane_recording_tracer *from,
				   uint64_t (*count)(struct lane_capture *capture,
						     unsigned int cpu))
{
	struct json_object *all = json_object_new_object();

	/* CPUs that are off leave gaps in the numbers; others are switched on meanwhile. */
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		uint64_t value = count(from->capture, cpu);
		char name[16];

		if (value == LANE_NOT_COUNTED)
			continue;
		snprintf(name, sizeof(name), "%u", cpu);
		add_number(all, name, value);
	}
	return all;
}

static struct json_object *tracer_object(const struct lane_recording_tracer *from)
{
	const struct lane_capture_kind *kinds = from->backend->kinds(from->capture);
	struct json_object *tracer = json_object_new_object();
	struct json_object *all = json_object_new_object();

	add_string(tracer, "tracer", from->backend->name);
	add_string(tracer, "path", from->backend->name);
	add_number(tracer, "buffer_bytes", from->stats.buffer_bytes);
	if (from->stats.events != LANE_NOT_COUNTED)
		add_number(tracer, "events", from->stats.events);
	add_number(tracer, "lost", from->stats.lost);
	if (from->backend->lost)
		json_object_object_add(tracer, "lost_per_cpu", per_cpu(from, from->backend->lost));
	if (from->backend->events)
		json_object_object_add(tracer, "events_per_cpu",
				       per_cpu(from, from->backend->events));
	add_number(tracer, "bytes", from->stats.bytes);
	if (from->stats.stacks_lost)
		add_number(tracer, "stacks_lost", from->stats.stacks_lost);
	if (from->stats.unfollowed)
		add_number(tracer, "not_followed", from->stats.unfollowed);
	if (from->stats.forgotten)
		add_number(tracer, "contexts_forgotten", from->stats.forgotten);
	for (int i = 0; i < LANE_KIND_COUNT; i++)
		if (!lane_is_derived((unsigned int)i))
			json_object_object_add(all, lane_kinds[i].name, kind_object(&kinds[i]));
	json_object_object_add(tracer, "kinds", all);
	return tracer;
}

/* The GPUs, by whose names (dev) drm_sched's events tell where a job runs. */
static void add_cards(struct json_object *to)
{
	struct lane_card cards[LANE_MAX_CARDS];
	size_t n = capture_driver_cards("", cards);
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *card = json_object_new_object();

		add_string(card, "card", cards[i].name);
		add_string(card, "dev", cards[i].dev);
		add_string(card, "driver", cards[i].driver);
		if (*cards[i].vendor) {
			add_string(card, "vendor", cards[i].vendor);
			add_string(card, "device", cards[i].device);
		}
		json_object_array_add(all, card);
	}
	json_object_object_add(to, "gpus", all);
}

/* After how long the drivers end what does not end, and what they dumped of it. */
static void recording_json_add_limits(struct json_object *to, const struct lane_limits *limits)
{
	struct json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < limits->n; i++) {
		struct json_object *row = json_object_new_object();

		add_number(row, "card", limits->of[i].card);
		add_string(row, "dev", limits->of[i].dev);
		add_string(row, "engine", limits->of[i].engine);
		for (int kind = 0; kind < LANE_LIMIT_KINDS; kind++)
			if (limits->of[i].ns[kind])
				add_number(row, lane_limit_names[kind], limits->of[i].ns[kind]);
		json_object_array_add(all, row);
	}
	json_object_object_add(to, "limits", all);
	if (*limits->dumps)
		add_string(to, "dumps", limits->dumps);
	if (*limits->idle_states)
		add_string(to, "idle_states", limits->idle_states);
	if (*limits->sched_policy)
		add_string(to, "sched_policy", limits->sched_policy);
}

static void add_driver(struct json_object *to)
{
	struct json_object *object;
	struct lane_driver driver;

	capture_driver_read("", &driver);
	add_string(to, "submission", driver.submission);
	if (!driver.loaded)
		return;
	object = json_object_new_object();
	if (*driver.version)
		add_string(object, "srcversion", driver.version);
	json_object_object_add(to, "i915", object);
}

/* What this machine says of itself. */
static void add_this_machine(struct json_object *to, const char *dumps_before)
{
	struct lane_limits limits;

	capture_limits_read("", &limits);
	capture_limits_since(&limits, dumps_before);
	add_driver(to);
	add_cards(to);
	recording_json_add_limits(to, &limits);
}

struct json_object *capture_recording_json(const struct lane_recording_facts *facts)
{
	struct json_object *root = json_object_new_object();
	struct json_object *traces = json_object_new_array();
	const char *state = facts->error ? "failed" : facts->ended_by ? "complete" : "recording";

	json_object_object_add(root, "version", json_object_new_int(1));
	add_string(root, "gpulane", GPULANE_VERSION);
	add_string(root, "state", state);
	if (facts->ended_by)
		add_string(root, "ended_by", facts->ended_by);
	if (facts->error)
		add_string(root, "error", facts->error);
	add_host(root, facts->config->host);
	add_number(root, "begin_ns", facts->begin_ns);
	if (facts->stop_ns)
		add_number(root, "stop_ns", facts->stop_ns);
	if (facts->end_ns)
		add_number(root, "end_ns", facts->end_ns);
	if (facts->command)
		json_object_object_add(root, "command", command_object(facts));
	json_object_object_add(root, "filter", filter_object(facts->config));
	if (facts->submission) {
		add_string(root, "submission", facts->submission);
		recording_json_add_limits(root, facts->limits);
	} else {
		add_this_machine(root, facts->dumps_before);
	}
	for (size_t i = 0; i < facts->n_tracers; i++)
		json_object_array_add(traces, tracer_object(&facts->tracers[i]));
	json_object_object_add(root, "traces", traces);
	return root;
}

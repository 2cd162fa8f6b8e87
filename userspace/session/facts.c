// SPDX-License-Identifier: MIT
// recording.json for a trace that gpulane wrote without having recorded it.
#include "session/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/cleanup.h"

static void facts_add_text(struct json_object *to, const char *key, const char *text)
{
	LANE_CLEANUP(lane_free)
	char *clean = text && *text ? lane_clean_dup(text, LANE_CLEAN_JSON) : NULL;

	if (clean)
		json_object_object_add(to, key, json_object_new_string(clean));
}

static void facts_add_time(struct json_object *to, const char *key, uint64_t ns)
{
	if (ns)
		json_object_object_add(to, key, json_object_new_uint64(ns));
}

static struct json_object *kinds_object(const struct lane_trace_info *info)
{
	struct json_object *all = json_object_new_object();

	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		struct json_object *one;

		if (lane_is_derived(kind) || info->presence[kind] == LANE_PRESENCE_UNKNOWN)
			continue;
		one = json_object_new_object();
		json_object_object_add(
			one, "recorded",
			json_object_new_boolean(info->presence[kind] == LANE_PRESENCE_RECORDED));
		json_object_object_add(all, lane_kinds[kind].name, one);
	}
	return all;
}

static struct json_object *limits_list(const struct lane_limits *limits)
{
	struct json_object *all = json_object_new_array();

	for (uint32_t i = 0; i < limits->n; i++) {
		struct json_object *row = json_object_new_object();

		json_object_object_add(row, "card", json_object_new_uint64(limits->of[i].card));
		json_object_object_add(row, "dev", json_object_new_string(""));
		facts_add_text(row, "dev", limits->of[i].dev);
		facts_add_text(row, "engine", limits->of[i].engine);
		for (int kind = 0; kind < LANE_LIMIT_KINDS; kind++)
			facts_add_time(row, lane_limit_names[kind], limits->of[i].ns[kind]);
		json_object_array_add(all, row);
	}
	return all;
}

static struct json_object *facts_object(const struct lane_trace_info *info,
					const struct session_facts *facts)
{
	struct json_object *root = json_object_new_object();
	struct json_object *traces = json_object_new_array();
	struct json_object *trace = json_object_new_object();
	struct json_object *driver = json_object_new_object();

	json_object_object_add(root, "version", json_object_new_int(1));
	facts_add_text(root, "gpulane", GPULANE_VERSION);
	facts_add_text(root, "state",
		       info->ending == LANE_ENDING_NONE	    ? "recording"
		       : info->ending == LANE_ENDING_FAILED ? "failed"
							    : "complete");
	if (info->ending == LANE_ENDING_FAILED)
		facts_add_text(root, "error", info->ending_error);
	facts_add_text(root, "imported_from", facts->imported_from);
	if (info->follows_some) {
		struct json_object *filter = json_object_new_object();

		json_object_object_add(filter, "some", json_object_new_int(1));
		if (info->followed_pid)
			json_object_object_add(filter, "follow_pid",
					       json_object_new_int(info->followed_pid));
		json_object_object_add(root, "filter", filter);
	}
	if (info->command_pid) {
		struct json_object *command = json_object_new_object();

		json_object_object_add(command, "pid", json_object_new_int(info->command_pid));
		json_object_object_add(root, "command", command);
	}
	facts_add_time(root, "begin_ns", facts->begin_ns);
	facts_add_time(root, "stop_ns", info->stop_ns);
	facts_add_time(root, "end_ns", facts->end_ns);
	if (info->limits.n)
		json_object_object_add(root, "limits", limits_list(&info->limits));
	facts_add_text(root, "dumps", info->limits.dumps);
	facts_add_text(root, "idle_states", info->limits.idle_states);
	facts_add_text(root, "sched_policy", info->limits.sched_policy);
	json_object_object_add(root, "i915", driver);
	if (info->submission != LANE_SUBMISSION_UNKNOWN) {
		facts_add_text(root, "submission", decode_submission_name(info->submission));
		facts_add_text(driver, "submission", decode_submission_name(info->submission));
	}
	facts_add_text(trace, "tracer", facts->tracer);
	facts_add_text(trace, "path", facts->path);
	if (facts->events)
		json_object_object_add(trace, "events", json_object_new_uint64(facts->events));
	json_object_object_add(trace, "kinds", kinds_object(info));
	json_object_array_add(traces, trace);
	json_object_object_add(root, "traces", traces);
	return root;
}

struct lane_error *session_facts_write(int dir_fd, const struct lane_trace_info *info,
				       const struct session_facts *facts)
{
	struct json_object *root = facts_object(info, facts);
	int fd = openat(dir_fd, "recording.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct lane_error *err = NULL;

	if (fd < 0 || json_object_to_fd(fd, root, JSON_C_TO_STRING_PRETTY))
		err = lane_error_errno(errno, "recording.json");
	if (fd >= 0 && close(fd) && !err)
		err = lane_error_errno(errno, "recording.json");
	json_object_put(root);
	return err;
}

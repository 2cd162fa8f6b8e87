// SPDX-License-Identifier: MIT
// A recording while it is made: opens the tracers, drains them, and says when it ends.
#include "capture/recorder.h"

#include <stdio.h>
#include <string.h>

#include "capture/gpu_limits.h"
#include "capture/requests.h"

#define POLL_MS 100
/* What the command's last requests leave behind is recorded for this long. */
#define LINGER_NS 100000000u

const struct lane_backend *const capture_backends[LANE_RECORDING_BACKENDS] = {
	&lane_backend_bpf,
	&lane_backend_lttng,
	[LANE_BACKEND_UST] = &lane_backend_ust,
	[LANE_BACKEND_COUNTERS] = &lane_backend_counters,
};

void capture_recorder_stats(struct lane_recorder *recorder)
{
	for (size_t i = 0; i < recorder->facts.n_tracers; i++) {
		struct lane_recording_tracer *tracer = &recorder->facts.tracers[i];

		tracer->backend->stats(tracer->capture, &tracer->stats);
	}
}

static struct lane_error *open_tracers(struct lane_recorder *recorder)
{
	struct lane_recording_facts *facts = &recorder->facts;

	for (size_t i = 0; i < LANE_RECORDING_BACKENDS; i++) {
		struct lane_recording_tracer *tracer = &facts->tracers[facts->n_tracers];
		struct lane_error *err;

		if (!(recorder->backends & 1u << i))
			continue;
		tracer->backend = capture_backends[i];
		err = tracer->backend->open(facts->config, &tracer->capture);
		if (err && i == LANE_BACKEND_UST && recorder->is_ust_optional) {
			snprintf(recorder->no_layer, sizeof(recorder->no_layer), "%s",
				 lane_error_message(err));
			lane_error_free(err);
			continue;
		}
		if (err)
			return lane_error_context(err, "%s", tracer->backend->name);
		facts->n_tracers++;
	}
	return NULL;
}

/* What a setting of the kernel holds back, and ranges, which are recorded only where somebody asks
 * for them in so many words. */
static void find_held_back(struct lane_recorder *recorder, const struct lane_capture_kind *kinds)
{
	bool has_ranges = recorder->facts.config->groups & LANE_GROUP_RANGES;

	for (int kind = 0; kinds && kind < LANE_KIND_COUNT && !recorder->held_back; kind++)
		if (kinds[kind].is_held_back ||
		    (kind == LANE_MARKER && has_ranges && kinds[kind].missing[0])) {
			recorder->held_back = &kinds[kind];
			recorder->held_back_kind = kind;
		}
}

/*
 * Requests that were asked for and will not be recorded are told of before recording begins; where
 * nothing else would be recorded, it does not begin.
 */
static struct lane_error *check_requests(struct lane_recorder *recorder)
{
	const struct lane_recording_facts *facts = &recorder->facts;
	const struct lane_capture_kind *kinds[LANE_RECORDING_BACKENDS];
	char why[sizeof(recorder->no_requests)];

	if (!(recorder->backends & ~(1u << LANE_BACKEND_UST | 1u << LANE_BACKEND_COUNTERS)))
		return NULL;
	for (size_t i = 0; i < facts->n_tracers; i++) {
		kinds[i] = facts->tracers[i].backend->kinds(facts->tracers[i].capture);
		find_held_back(recorder, kinds[i]);
	}
	switch (capture_requests_check(kinds, facts->n_tracers, facts->config->groups, "", why,
				       sizeof(why))) {
	case LANE_REQUESTS_NOTHING:
		return lane_error("nothing of what was asked for can be recorded: %s (see gpulane "
				  "doctor)",
				  why);
	case LANE_REQUESTS_UNRECORDED:
		snprintf(recorder->no_requests, sizeof(recorder->no_requests), "%s", why);
		break;
	case LANE_REQUESTS_RECORDED:
		break;
	}
	return NULL;
}

struct lane_error *capture_recorder_open(struct lane_recorder *recorder)
{
	struct lane_error *err;

	recorder->config->dir_fd = recorder->dir.fd;
	recorder->facts.config = recorder->config;
	err = open_tracers(recorder);
	return err ? err : check_requests(recorder);
}

struct lane_error *capture_recorder_start(struct lane_recorder *recorder)
{
	struct lane_recording_facts *facts = &recorder->facts;
	struct lane_error *err = NULL;
	struct lane_limits limits;

	err = lane_cgroups_walk(&facts->cgroups, "");
	capture_limits_read("", &limits);
	strcpy(facts->dumps_before, limits.dumps);
	facts->begin_ns = capture_now_ns();
	for (size_t i = 0; i < facts->n_tracers && !err; i++)
		err = facts->tracers[i].backend->start(facts->tracers[i].capture);
	if (!err)
		err = capture_recording_write(&recorder->dir, facts);
	if (!err && recorder->describer.pid) /* without it the recording is no worse, if it ends */
		lane_error_free(capture_child_go(&recorder->describer, "describer"));
	if (!err && recorder->child.pid)
		err = capture_child_go(&recorder->child, facts->command[0]);
	recorder->has_begun = !err;
	return err;
}

static struct lane_error *poll_tracers(const struct lane_recorder *recorder)
{
	struct lane_error *err = NULL;
	int timeout_ms = POLL_MS;

	for (size_t i = 0; i < recorder->facts.n_tracers; i++) {
		const struct lane_recording_tracer *tracer = &recorder->facts.tracers[i];
		int ms = tracer->backend->wait_ms ? tracer->backend->wait_ms(tracer->capture)
						  : POLL_MS;

		timeout_ms = ms < timeout_ms ? ms : timeout_ms;
	}
	for (size_t i = 0; i < recorder->facts.n_tracers && !err; i++) {
		const struct lane_recording_tracer *tracer = &recorder->facts.tracers[i];

		err = tracer->backend->poll(tracer->capture, timeout_ms);
		timeout_ms = 0;
	}
	return err;
}

/* Drains until there is a reason to end; facts.ended_by says which. */
static struct lane_error *recorder_drain(struct lane_recorder *recorder)
{
	struct lane_recording_facts *facts = &recorder->facts;
	uint64_t linger_until = 0;
	struct lane_error *err = NULL;

	while (!err) {
		uint64_t now = capture_now_ns();

		if (*recorder->stop)
			facts->ended_by = "signal";
		else if (linger_until && now >= linger_until)
			facts->ended_by = "command";
		else if (recorder->duration_ns && now - facts->begin_ns >= recorder->duration_ns)
			facts->ended_by = "duration";
		if (facts->ended_by)
			return NULL;
		if (!linger_until && capture_child_ended(&recorder->child))
			linger_until = now + LINGER_NS;
		err = poll_tracers(recorder);
		if (recorder->progress)
			recorder->progress(recorder->progress_arg, now);
	}
	return err;
}

static void keep_first(struct lane_error **first, struct lane_error *err)
{
	if (!*first)
		*first = err;
	else
		lane_error_free(err);
}

/* Stops the tracers and completes the files; the first error is the one that counts. */
static struct lane_error *recorder_finish(struct lane_recorder *recorder, struct lane_error *first)
{
	struct lane_recording_facts *facts = &recorder->facts;
	struct lane_error *err;

	facts->stop_ns = capture_now_ns();
	for (size_t i = 0; i < facts->n_tracers; i++)
		keep_first(&first, facts->tracers[i].backend->stop(facts->tracers[i].capture));
	facts->end_ns = capture_now_ns();
	if (first) {
		facts->ended_by = "error";
		facts->error = lane_error_message(first);
	}
	keep_first(&first, lane_cgroups_walk(&facts->cgroups, ""));
	keep_first(&first, capture_recording_cgroups(&recorder->dir, &facts->cgroups));
	capture_child_ended(&recorder->child);
	facts->command_status = recorder->child.ended ? recorder->child.status : -1;
	capture_recorder_stats(recorder);
	keep_first(&first, capture_recording_write(&recorder->dir, facts));
	if (recorder->given_to)
		keep_first(&first, capture_recording_give(&recorder->dir, recorder->given_to->uid,
							  recorder->given_to->gid));
	if (!first)
		return NULL;
	err = lane_error("%s (what was recorded before is in %s)", lane_error_message(first),
			 recorder->dir.path);
	facts->error = NULL; /* its text goes with it */
	lane_error_free(first);
	return err;
}

struct lane_error *capture_recorder_run(struct lane_recorder *recorder)
{
	return recorder_finish(recorder, recorder_drain(recorder));
}

void capture_recorder_close(struct lane_recorder *recorder)
{
	for (size_t i = 0; i < recorder->facts.n_tracers; i++)
		recorder->facts.tracers[i].backend->close(recorder->facts.tracers[i].capture);
	lane_cgroups_free(&recorder->facts.cgroups);
	/* The command was forked later: until it is gone it keeps the describer waiting. */
	capture_child_deinit(&recorder->child);
	capture_child_deinit(&recorder->describer);
	if (recorder->has_begun)
		capture_recording_close(&recorder->dir);
	else
		capture_recording_discard(&recorder->dir);
}

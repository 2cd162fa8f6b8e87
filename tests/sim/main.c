// SPDX-License-Identifier: MIT
// gpulane-sim: runs a scenario and writes its events and its truth.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sim.h"

struct options {
	const char *scenario;
	const char *random;
	const char *events;
	const char *truth;
	const char *write_scenario;
	uint64_t seed;
	double drop;
	bool seen;
};

static const struct argp_option options[] = {
	{ "scenario", 's', "FILE", 0, "run this scenario", 0 },
	{ "random", 'r', "MODE", 0,
	  "run a random one: execlists, tracepoints, per_request, guc, virtual, stock, multi, "
	  "mixed, sched",
	  0 },
	{ "seed", 'n', "N", 0, "seed, from 1 (default: the scenario's own)", 0 },
	{ "events", 'e', "FILE", 0, "write the events there, - is standard output", 0 },
	{ "truth", 't', "FILE", 0, "write the truth there", 0 },
	{ "write-scenario", 'w', "FILE", 0, "write the scenario there", 0 },
	{ "drop", 'd', "P", 0, "drop each event with this probability", 0 },
	{ "seen", 'S', NULL, 0, "say which of the traps happened, and how often", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	char none[] = "", *end = none;

	switch (key) {
	case 's':
		o->scenario = arg;
		break;
	case 'r':
		o->random = arg;
		break;
	case 'n':
		o->seed = strtoull(arg, &end, 10);
		break;
	case 'e':
		o->events = arg;
		break;
	case 't':
		o->truth = arg;
		break;
	case 'w':
		o->write_scenario = arg;
		break;
	case 'd':
		o->drop = strtod(arg, &end);
		break;
	case 'S':
		o->seen = true;
		break;
	case ARGP_KEY_END:
		if (!o->scenario == !o->random)
			argp_error(state, "either --scenario or --random is needed");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (*end)
		argp_error(state, "%s: not a number", arg);
	return 0;
}

static struct lane_error *get_scenario(const struct options *o, struct sim_scenario **scenario)
{
	if (o->scenario)
		return sim_scenario_load(o->scenario, scenario);
	for (int mode = 0; mode < SIM_MODE_COUNT; mode++) {
		if (strcmp(sim_mode_names[mode], o->random))
			continue;
		*scenario = sim_scenario_random((enum sim_mode)mode, o->seed ? o->seed : 1);
		return *scenario ? NULL : &lane_enomem;
	}
	return lane_error_usage("%s: no such mode (see --help)", o->random);
}

static struct lane_error *open_output(const char *path, FILE **file)
{
	*file = strcmp(path, "-") ? fopen(path, "we") : fdopen(dup(1), "w");
	return *file ? NULL : lane_error_errno(errno, "%s", path);
}

static struct lane_error *close_output(const char *path, FILE **file)
{
	FILE *f = LANE_TAKE(*file);
	int bad = ferror(f);

	return fclose(f) || bad ? lane_error("%s: it could not be written", path) : NULL;
}

static void say_seen(const struct sim_truth *t, size_t n)
{
	printf("events %zu\nrequests %zu\nspans %zu\n", n, t->n_requests, t->n_spans);
#define SAY(what) printf(#what " %" PRIu64 "\n", t->seen.what)
	SAY(coalesced);
	SAY(lite_restores);
	SAY(preemptions);
	SAY(timeslices);
	SAY(repeated_executes);
	SAY(ended_taken_back);
	SAY(double_in);
	SAY(start_before_out);
	SAY(newest_first);
	SAY(retire_before_signal);
	SAY(wait_without_sleep);
	SAY(virtual_moves);
	SAY(inconsistent);
#undef SAY
}

static struct lane_error *run(const struct options *o)
{
	LANE_CLEANUP(sim_drop_scenario) struct sim_scenario *scenario = NULL;
	LANE_CLEANUP(sim_drop_truth) struct sim_truth *truth = NULL;
	LANE_CLEANUP(lane_free) struct lane_event *events = NULL;
	LANE_CLEANUP(lane_fclose) FILE *to = NULL;
	struct lane_error *err = get_scenario(o, &scenario);
	size_t n;

	if (!err && o->write_scenario) {
		err = open_output(o->write_scenario, &to);
		if (!err) {
			sim_scenario_write(scenario, to);
			err = close_output(o->write_scenario, &to);
		}
	}
	if (!err)
		err = sim_run(scenario, o->seed, &events, &n, &truth);
	if (!err && o->drop > 0) {
		n = sim_drop_random(&events, n, o->drop, o->seed);
		if (!events)
			return &lane_enomem;
	}
	if (!err && o->events) {
		err = open_output(o->events, &to);
		if (!err) {
			sim_events_write(truth, events, n, to);
			err = close_output(o->events, &to);
		}
	}
	if (!err && o->truth) {
		err = open_output(o->truth, &to);
		if (!err) {
			sim_truth_write(truth, to);
			err = close_output(o->truth, &to);
		}
	}
	if (!err && o->seen)
		say_seen(truth, n);
	return err;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse,
		NULL,	 "Simulate i915's submission: events, and the truth beside them.",
		NULL,	 NULL,
		NULL
	};
	struct options o = { 0 };
	struct lane_error *err;
	int code;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	err = run(&o);
	if (!err)
		return 0;
	fprintf(stderr, "gpulane-sim: %s\n", lane_error_message(err));
	code = lane_error_code(err);
	lane_error_free(err);
	return code;
}

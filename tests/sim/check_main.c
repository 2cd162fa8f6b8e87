// SPDX-License-Identifier: MIT
// gpulane-simcheck: random scenarios by the thousand, the timeline against the truth.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "check.h"
#include "norm/norm.h"

#define MAX_TRACES 256

struct options {
	enum sim_mode mode;
	uint64_t first;
	uint64_t count;
	const char *damage;
	const char *scenario;
	const char *events;
	const char *traces[MAX_TRACES];
	unsigned int n_traces;
	bool critical, behind, sentences;
	unsigned int shout;
};

static const struct argp_option options[] = {
	{ "mode", 'm', "MODE", 0, "mode of the random scenarios", 0 },
	{ "scenario", 's', "FILE", 0, "this scenario instead, with each seed", 0 },
	{ "trace", 't', "FILE", 0,
	  "with --critical: this recording instead, of which no truth is known; may be repeated",
	  0 },
	{ "first", 'f', "N", 0, "first seed", 0 },
	{ "count", 'c', "N", 0, "how many seeds", 0 },
	{ "events", 'e', "FILE", 0, "write the events, damaged, of the last seed", 0 },
	{ "damage", 'd', "HOW", 0,
	  "drop1, drop10 (per cent), bursts, newest, oldest (what a CPU's buffer keeps), cut, "
	  "kinds, "
	  "sched, follow, or several, as in kinds+bursts; default: none, everything is there",
	  0 },
	{ "critical", 'p', NULL, 0,
	  "the critical paths: of every request, and of the longest one's thread", 0 },
	{ "behind", 'b', NULL, 0, "whom requests are said to have stood behind", 0 },
	{ "verdict", 'w', NULL, 0, "every sentence of the verdict", 0 },
	{ "shout", 'v', "N", 0, "show so many differences per scenario (default 3)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'm':
		for (int m = 0; m < SIM_MODE_COUNT; m++)
			if (!strcmp(sim_mode_names[m], arg)) {
				o->mode = (enum sim_mode)m;
				return 0;
			}
		argp_error(state, "%s: no such mode", arg);
		break;
	case 's':
		o->scenario = arg;
		break;
	case 't':
		if (o->n_traces == MAX_TRACES)
			argp_error(state, "more than %d traces", MAX_TRACES);
		o->traces[o->n_traces++] = arg;
		break;
	case 'f':
		o->first = strtoull(arg, NULL, 10);
		break;
	case 'c':
		o->count = strtoull(arg, NULL, 10);
		break;
	case 'd':
		o->damage = arg;
		break;
	case 'e':
		o->events = arg;
		break;
	case 'p':
		o->critical = true;
		break;
	case 'b':
		o->behind = true;
		break;
	case 'w':
		o->sentences = true;
		break;
	case 'v':
		o->shout = (unsigned int)atoi(arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* One or two kinds that a trace lacks. */
struct kinds {
	enum lane_kind v[2];
	unsigned int n;
};

static struct kinds choose_kinds(const enum lane_kind *kinds, unsigned int all, uint64_t seed)
{
	struct kinds drop = { { kinds[seed % all], kinds[seed / (2 * all) % all] }, 1 };

	drop.n += seed / all % 2;
	return drop;
}

/* Of the request events and the scheduler's. */
static struct kinds kinds_to_drop(enum sim_mode mode, uint64_t seed)
{
	static const enum lane_kind kinds[] = {
		LANE_RQ_QUEUE,	     LANE_RQ_ADD,      LANE_RQ_SUBMIT, LANE_RQ_EXECUTE,
		LANE_RQ_UNSUBMIT,    LANE_RQ_IN,       LANE_RQ_OUT,    LANE_RQ_RETIRE,
		LANE_RQ_WAIT_BEGIN,  LANE_RQ_WAIT_END, LANE_PORTS,     LANE_FENCE_ENABLE_SIGNAL,
		LANE_FENCE_SIGNALED, LANE_SWITCH,      LANE_WAKING,    LANE_WAKEUP,
		LANE_MIGRATE,
	};
	static const enum lane_kind of_jobs[] = {
		LANE_DRM_QUEUE,	     LANE_DRM_ADD_DEP,	  LANE_DRM_UNSCHEDULABLE,
		LANE_DRM_RUN,	     LANE_DRM_DONE,	  LANE_FENCE_INIT,
		LANE_FENCE_SIGNALED, LANE_FENCE_WAIT_END, LANE_FENCE_ENABLE_SIGNAL,
		LANE_SWITCH,	     LANE_WAKING,
	};

	if (mode == SIM_SCHED)
		return choose_kinds(of_jobs, sizeof(of_jobs) / sizeof(of_jobs[0]), seed);
	return choose_kinds(kinds, sizeof(kinds) / sizeof(kinds[0]), seed);
}

static bool drops(const struct kinds *drop, enum lane_kind kind)
{
	return drop->v[0] == kind || (drop->n > 1 && drop->v[1] == kind);
}

static size_t drop_kinds(struct lane_event *events, size_t n, enum sim_mode mode, uint64_t seed,
			 struct lane_trace_info *info)
{
	struct kinds drop = kinds_to_drop(mode, seed);

	for (unsigned int i = 0; i < drop.n; i++)
		n = sim_drop_kind(events, n, drop.v[i], info);
	return n;
}

/* What is not recorded tells nothing: who sees neither `in` nor `out`, or no signals, is told by
 * other events, as on a stock kernel. */
static void hide(const struct options *o, uint64_t seed, struct sim_scenario *scenario)
{
	struct kinds drop = kinds_to_drop(o->mode, seed);

	if (!o->damage || !strstr(o->damage, "kinds"))
		return;
	if (drops(&drop, LANE_RQ_IN) && drops(&drop, LANE_RQ_OUT))
		sim_scenario_hide(scenario, LANE_RQ_IN);
	if (drops(&drop, LANE_PORTS))
		sim_scenario_hide(scenario, LANE_PORTS);
	if (drops(&drop, LANE_RQ_EXECUTE))
		sim_scenario_hide(scenario, LANE_RQ_EXECUTE);
	if (drops(&drop, LANE_FENCE_SIGNALED))
		sim_scenario_hide(scenario, LANE_FENCE_SIGNALED);
	if (drops(&drop, LANE_RQ_RETIRE))
		sim_scenario_hide(scenario, LANE_RQ_RETIRE);
}

/* The scheduler is not recorded at all. */
static size_t drop_sched(struct lane_event *events, size_t n, struct lane_trace_info *info)
{
	for (enum lane_kind kind = LANE_SWITCH; kind <= LANE_MIGRATE; kind++)
		n = sim_drop_kind(events, n, kind, info);
	return n;
}

/* Damages the trace in one way; true if there was memory. */
static bool damage_once(const char *how, enum sim_mode mode, uint64_t seed,
			struct lane_event **events, size_t *n, struct lane_trace_info *info)
{
	uint64_t length = info->end_ns - info->begin_ns;

	if (!strcmp(how, "drop1"))
		*n = sim_drop_random(events, *n, 0.01, seed);
	else if (!strcmp(how, "drop10"))
		*n = sim_drop_random(events, *n, 0.1, seed);
	else if (!strcmp(how, "bursts"))
		*n = sim_drop_bursts(events, *n, 3, 80, seed);
	else if (!strcmp(how, "newest") || !strcmp(how, "oldest"))
		*n = sim_keep_part(events, *n, !strcmp(how, "newest"), seed);
	else if (!strcmp(how, "cut"))
		*n = sim_cut(*events, *n, info->begin_ns + length / 4, info->end_ns - length / 4,
			     info);
	else if (!strcmp(how, "kinds"))
		*n = drop_kinds(*events, *n, mode, seed, info);
	else if (!strcmp(how, "follow"))
		*n = sim_follow(*events, *n, seed, info);
	else if (!strcmp(how, "sched"))
		*n = drop_sched(*events, *n, info);
	return *events != NULL;
}

/* Damages the trace in each of the ways, from the first on; true if there was memory. */
static bool damage(const char *how, enum sim_mode mode, uint64_t seed, struct lane_event **events,
		   size_t *n, struct lane_trace_info *info)
{
	char one[16];
	size_t length;

	for (; *how; how += length + (how[length] == '+')) {
		length = strcspn(how, "+");
		snprintf(one, sizeof(one), "%.*s", (int)length, how);
		if (!damage_once(one, mode, seed, events, n, info))
			return false;
	}
	return true;
}

/* What the truth calls exact is so for who sees every event of the submission (docs/sim.md). */
static bool sees_everything(const struct lane_trace_info *info)
{
	return info->submission != LANE_SUBMISSION_EXECLISTS ||
	       (info->presence[LANE_RQ_IN] == LANE_PRESENCE_RECORDED &&
		info->presence[LANE_RQ_UNSUBMIT] == LANE_PRESENCE_RECORDED);
}

/* As the check reads them. */
static struct lane_error *write_events(const char *path, struct sim_truth *truth,
				       const struct lane_trace_info *info,
				       const struct lane_event *events, size_t n)
{
	struct lane_trace_info whole = truth->info;
	FILE *to = fopen(path, "we");

	if (!to)
		return lane_error_errno(errno, "%s", path);
	truth->info = *info;
	sim_events_write(truth, events, n, to);
	truth->info = whole;
	return fclose(to) ? lane_error_errno(errno, "%s", path) : NULL;
}

static struct lane_error *check_one(const struct options *o, uint64_t seed,
				    struct sim_verdict *verdict)
{
	LANE_CLEANUP(sim_drop_scenario) struct sim_scenario *scenario = NULL;
	LANE_CLEANUP(sim_drop_truth) struct sim_truth *truth = NULL;
	LANE_CLEANUP(lane_free) struct lane_event *events = NULL;
	enum sim_demand demand;
	struct lane_trace_info info;
	struct lane_error *err = NULL;
	char name[256];
	size_t n;

	if (o->scenario)
		err = sim_scenario_load(o->scenario, &scenario);
	else
		scenario = sim_scenario_random(o->mode, seed);
	if (err || !scenario)
		return err ? err : &lane_enomem;
	hide(o, seed, scenario);
	err = sim_run(scenario, seed, &events, &n, &truth);
	if (err)
		return err;
	info = truth->info;
	demand = o->damage || (truth->is_sched && !o->behind) || !sees_everything(&info) ? SIM_SOUND
											 : SIM_FULL;
	if (o->damage && !damage(o->damage, o->mode, seed, &events, &n, &info))
		return &lane_enomem;
	if (o->events && seed == o->first + o->count - 1)
		err = write_events(o->events, truth, &info, events, n);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%s %" PRIu64,
		 o->scenario ? o->scenario : sim_mode_names[o->mode], seed);
	if (o->critical)
		return sim_check_critical(name, truth, &info, events, n, demand, verdict, stdout,
					  o->shout);
	if (o->sentences)
		return sim_check_verdict(name, truth, &info, events, n, demand, verdict, stdout,
					 o->shout);
	if (o->behind)
		return sim_check_behind(name, truth, &info, events, n, demand, verdict, stdout,
					o->shout);
	return sim_check(name, truth, &info, events, n, demand, verdict, stdout, o->shout);
}

static void close_input(struct lane_input **input)
{
	norm_input_close(*input);
}

/* Reads all events of a recording; *events is the caller's. */
static struct lane_error *read_events(struct lane_input *input, struct lane_event **events,
				      size_t *n)
{
	const struct lane_event *event;
	struct lane_event *more;
	struct lane_error *err;
	size_t room = 0;

	while (!(err = norm_input_next(input, &event)) && event) {
		if (*n == room) {
			room = room ? 2 * room : 1024;
			more = reallocarray(*events, room, sizeof(*more));
			if (!more)
				return &lane_enomem;
			*events = more;
		}
		(*events)[(*n)++] = *event;
	}
	return err;
}

/* The critical paths of a recording of which no truth is known. */
static struct lane_error *check_trace(const struct options *o, const char *path,
				      struct sim_verdict *verdict)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	LANE_CLEANUP(lane_free) struct lane_event *events = NULL;
	struct lane_error *err = norm_input_open(path, &input);
	size_t n = 0;

	if (!err)
		err = read_events(input, &events, &n);
	return err ? err
		   : sim_check_critical(path, NULL, norm_input_info(input), events, n, SIM_SOUND,
					verdict, stdout, o->shout);
}

/* The next scenario uses the memory of the last: getting it from the kernel anew takes a third of
 * the time. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 64 << 20);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, NULL, "Hold the timeline against the truth of simulated traces.",
		NULL,	 NULL,	NULL
	};
	struct options o = { .first = 1, .count = 100, .shout = 3 };
	struct sim_verdict sum = { 0 };
	struct lane_error *err = NULL;
	uint64_t bad = 0, total;

	keep_memory();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	for (unsigned int i = 0; i < o.n_traces && !err; i++)
		err = check_trace(&o, o.traces[i], &sum);
	if (o.n_traces) {
		bad = sum.wrong;
		o.count = 0;
	}
	for (uint64_t seed = o.first; !err && seed < o.first + o.count; seed++) {
		uint64_t before = sum.wrong + sum.missing;

		err = check_one(&o, seed, &sum);
		bad += sum.wrong + sum.missing != before;
	}
	if (err) {
		fprintf(stderr, "gpulane-simcheck: %s\n", lane_error_message(err));
		lane_error_free(err);
		return 1;
	}
	total = sum.exact + sum.bounded + sum.unknown;
	printf("%s%s%s: %" PRIu64 " scenarios, %" PRIu64 " with differences; %" PRIu64
	       " requests, %" PRIu64 " values, %" PRIu64 " wrong, %" PRIu64
	       " missing; stages %.1f %% exact, %.1f %% bounded\n",
	       o.scenario ? o.scenario : sim_mode_names[o.mode], o.damage ? " " : "",
	       o.damage ? o.damage : "", o.count, bad, sum.requests, sum.values, sum.wrong,
	       sum.missing, total ? 100.0 * (double)sum.exact / (double)total : 0.0,
	       total ? 100.0 * (double)sum.bounded / (double)total : 0.0);
	return bad ? 1 : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * gpulane-oracle-check: compares `gpulane report --requests --format json` with the oracle's truth.
 * It knows nothing of how gpulane comes to what it says. docs/oracle.md has what counts as right.
 */
#include <getopt.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* V(id, name, is_moment): what a report tells of a request. */
#define CHECK_VALUES(V)                                                                            \
	V(QUEUE, queue)                                                                            \
	V(ADD, add)                                                                                \
	V(SUBMIT, submit)                                                                          \
	V(EXECUTE, execute)                                                                        \
	V(START, start)                                                                            \
	V(END, end)                                                                                \
	V(RUNNING, running)                                                                        \
	V(PREEMPTED, preempted)                                                                    \
	V(SIGNAL, signal)                                                                          \
	V(RETIRE, retire)

enum {
	FAR_NS = 10000
};

#define VALUE_ENUM(id, name) VALUE_##id,
#define VALUE_NAME(id, name) #name,
enum value {
	CHECK_VALUES(VALUE_ENUM) N_VALUES
};
static const char *const value_names[N_VALUES] = { CHECK_VALUES(VALUE_NAME) };

static struct {
	unsigned long exact, wrong, bounds, violated, unknown, far;
	double wide_us; /* the widths of the bounds, together */
} counts[N_VALUES];

static struct {
	unsigned long told, true_ones, none_such, none_nearly, missed_held, missed, culprits,
		wrong_culprit, whys, wrong_why, no_such_request, not_told, requests;
} found;

static unsigned n_shown, max_shown;

static void show(const struct truth_request *rq, const char *what, const struct told *told)
{
	if (n_shown++ >= max_shown)
		return;
	fprintf(stderr, "%" PRIu64 ":%" PRIu64 ": %s", rq->ctx, rq->seqno, what);
	if (told)
		fprintf(stderr, " %" PRIu64 " to %" PRIu64, told->min, told->max);
	fputc('\n', stderr);
}

/* -- Reading the report -- */

/* A number, {"min":,"max":} with null for an open side, or null. */
static struct told told_of(struct json_object *object, const char *name)
{
	struct told told = { 0, UINT64_MAX, false };
	struct json_object *value, *side;
	char key[64];

	snprintf(key, sizeof(key), "%s_ns", name);
	if (!json_object_object_get_ex(object, key, &value) || !value)
		return told;
	told.is_known = true;
	if (!json_object_is_type(value, json_type_object)) {
		told.min = told.max = json_object_get_uint64(value);
		return told;
	}
	told.is_known = false;
	if (json_object_object_get_ex(value, "min", &side) && side) {
		told.min = json_object_get_uint64(side);
		told.is_known = true;
	}
	if (json_object_object_get_ex(value, "max", &side) && side) {
		told.max = json_object_get_uint64(side);
		told.is_known = true;
	}
	return told;
}

/* -- Values -- */

static bool point_meets(uint64_t truth, const struct told *told)
{
	return truth != UNKNOWN_TIME && truth >= told->min && truth <= told->max;
}

static bool value_meets(const struct truth_request *rq, enum value value, const struct told *told)
{
	switch (value) {
	case VALUE_QUEUE:
		return point_meets(rq->queue, told);
	case VALUE_ADD:
		return point_meets(rq->add, told);
	case VALUE_SUBMIT:
		return point_meets(rq->submit, told);
	case VALUE_EXECUTE:
		return point_meets(rq->execute, told);
	case VALUE_START:
		return values_meet(&rq->runs[0].begin, told);
	case VALUE_END:
		return values_meet(&rq->runs[rq->n_runs - 1].end, told);
	case VALUE_RUNNING:
		return running_meets(rq, told);
	case VALUE_PREEMPTED:
		return preempted_meets(rq, told);
	case VALUE_SIGNAL:
		return point_meets(rq->signal, told);
	case VALUE_RETIRE:
		return point_meets(rq->retire, told);
	default:
		return false;
	}
}

/* More than an interrupt's latency away: no matter of stamps. */
static bool is_far(const struct truth_request *rq, enum value value, const struct told *told)
{
	const struct values *values =
		value == VALUE_START ? &rq->runs[0].begin : &rq->runs[rq->n_runs - 1].end;

	return (value == VALUE_START || value == VALUE_END) &&
	       values_distance(values, told) > FAR_NS;
}

static void check_value(const struct truth_request *rq, enum value value, const struct told *told)
{
	bool meets;

	if (!told->is_known) {
		counts[value].unknown++;
		return;
	}
	meets = value_meets(rq, value, told);
	if (told->min == told->max) {
		counts[value].exact++;
		counts[value].wrong += !meets;
	} else {
		counts[value].bounds++;
		counts[value].wide_us += (double)(told->max - told->min) / 1000;
		counts[value].violated += !meets;
	}
	if (meets)
		return;
	counts[value].far += is_far(rq, value, told);
	show(rq, value_names[value], told);
}

/* -- Preemptions -- */

/* The true preemption that the report's one can be: of those, the one with the same culprit first.
 */
static struct truth_preemption *match(struct truth_request *rq, const struct told *at,
				      const char *culprit)
{
	struct truth_preemption *found_one = NULL;

	for (size_t i = 0; i < rq->n_preemptions; i++) {
		struct truth_preemption *p = &rq->preemptions[i];

		if (p->is_matched || !values_meet(&p->at, at))
			continue;
		if (!found_one || (culprit && !strcmp(p->culprit, culprit) &&
				   strcmp(found_one->culprit, culprit) != 0))
			found_one = p;
	}
	return found_one;
}

static const char *string_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) && value
		       ? json_object_get_string(value)
		       : NULL;
}

static void check_preemption(struct truth_request *rq, struct json_object *object)
{
	struct told at = told_of(object, "at");
	const char *culprit = string_of(object, "culprit"), *why = string_of(object, "why");
	struct truth_preemption *p = match(rq, &at, culprit);

	found.told++;
	if (string_of(object, "unless_ns") &&
	    (!p || (culprit && strcmp(culprit, p->culprit) != 0))) {
		found.none_nearly++; /* told to be none if another had ended then */
		return;
	}
	if (!p) {
		found.none_such++;
		show(rq, "no such preemption", &at);
		return;
	}
	p->is_matched = true;
	if (culprit) {
		found.culprits++;
		found.wrong_culprit += strcmp(culprit, p->culprit) != 0;
		if (strcmp(culprit, p->culprit) != 0)
			show(rq, "wrong culprit", &at);
	}
	if (why && strcmp(why, "unknown") != 0) {
		found.whys++;
		found.wrong_why += strcmp(why, p->why) != 0;
		if (strcmp(why, p->why) != 0)
			show(rq, "wrong why", &at);
	}
}

static void check_preemptions(struct truth_request *rq, struct json_object *object,
			      const struct told *preempted)
{
	/* A missed one is no lie when the request's bounds have room for it. */
	bool is_held = !preempted->is_known ||
		       (preempted->min != preempted->max && preempted_meets(rq, preempted));
	struct json_object *list;

	if (!json_object_object_get_ex(object, "preemptions", &list))
		list = NULL;
	/* Those that may be none come last: what is certain has its true one by then. */
	for (int is_nearly = 0; list && is_nearly < 2; is_nearly++)
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			struct json_object *told = json_object_array_get_idx(list, i);

			if (is_nearly == (string_of(told, "unless_ns") != NULL))
				check_preemption(rq, told);
		}
	found.true_ones += rq->n_preemptions;
	for (size_t i = 0; i < rq->n_preemptions; i++) {
		if (rq->preemptions[i].is_matched)
			continue;
		found.missed_held += is_held;
		found.missed += !is_held;
		if (!is_held)
			show(rq, "missed preemption", NULL);
	}
}

/* -- A report -- */

static void check_line(struct truth *truth, struct json_object *object)
{
	struct json_object *ctx = NULL, *seqno = NULL;
	struct truth_request *rq;
	struct told told, preempted = { 0, 0, false };

	json_object_object_get_ex(object, "context", &ctx);
	json_object_object_get_ex(object, "seqno", &seqno);
	rq = truth_find(truth, json_object_get_uint64(ctx), json_object_get_uint64(seqno));
	if (!rq) {
		found.no_such_request++;
		return;
	}
	rq->is_told = true;
	found.requests++;
	for (int value = 0; value < N_VALUES; value++) {
		told = told_of(object, value_names[value]);
		check_value(rq, (enum value)value, &told);
		if (value == VALUE_PREEMPTED)
			preempted = told;
	}
	check_preemptions(rq, object, &preempted);
}

static bool check_report(struct truth *truth, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	bool is_right = true;

	while (getline(&line, &room, file) > 0) {
		struct json_object *object;

		if (*line != '{')
			continue;
		object = json_tokener_parse(line);
		if (!object) {
			fprintf(stderr, "gpulane-oracle-check: not JSON: %.60s\n", line);
			is_right = false;
			continue;
		}
		check_line(truth, object);
		json_object_put(object);
	}
	free(line);
	for (size_t i = 0; i < truth->n; i++)
		found.not_told += !truth->requests[i].is_told;
	return is_right;
}

/* -- Figures: KEY VALUE lines, which tests/oracle/compare adds up -- */

static void write_figures(int v)
{
	const char *name = value_names[v];

	printf("%s.exact %lu\n%s.wrong %lu\n%s.bounds %lu\n", name, counts[v].exact, name,
	       counts[v].wrong, name, counts[v].bounds);
	printf("%s.violated %lu\n%s.unknown %lu\n%s.far %lu\n%s.wide_us %.0f\n", name,
	       counts[v].violated, name, counts[v].unknown, name, counts[v].far, name,
	       counts[v].wide_us);
}

static void write_counts(void)
{
	for (int v = 0; v < N_VALUES; v++)
		write_figures(v);
	printf("requests.told %lu\nrequests.not_told %lu\nrequests.no_such %lu\n", found.requests,
	       found.not_told, found.no_such_request);
	printf("preemptions.true %lu\npreemptions.told %lu\npreemptions.none_such %lu\n",
	       found.true_ones, found.told, found.none_such);
	printf("preemptions.none_nearly %lu\n", found.none_nearly);
	printf("preemptions.missed %lu\npreemptions.missed_held %lu\n", found.missed,
	       found.missed_held);
	printf("culprits.told %lu\nculprits.wrong %lu\nwhys.told %lu\nwhys.wrong %lu\n",
	       found.culprits, found.wrong_culprit, found.whys, found.wrong_why);
}

static unsigned long n_wrong(void)
{
	unsigned long n = found.none_such + found.missed + found.wrong_culprit + found.wrong_why +
			  found.no_such_request;

	for (int v = 0; v < N_VALUES; v++)
		n += counts[v].wrong + counts[v].violated;
	return n;
}

int main(int argc, char **argv)
{
	bool is_strict = false;
	struct truth truth;
	bool is_right;
	FILE *file;
	int c;

	while ((c = getopt(argc, argv, "sn:")) != -1) {
		if (c == 's')
			is_strict = true;
		else if (c == 'n')
			max_shown = (unsigned)strtoul(optarg, NULL, 10);
	}
	if (c != -1 || argc - optind != 2) {
		fprintf(stderr,
			"usage: gpulane-oracle-check [-s] [-n SHOWN] TRUTH REPORT\n"
			"-s: fails when anything is wrong; -n: shows that many wrong things\n");
		return 2;
	}
	file = strcmp(argv[optind + 1], "-") != 0 ? fopen(argv[optind + 1], "r") : stdin;
	if (!file || !truth_read(argv[optind], &truth)) {
		fprintf(stderr, "gpulane-oracle-check: cannot read %s\n",
			argv[optind + (file == NULL)]);
		return 1;
	}
	is_right = check_report(&truth, file);
	if (file != stdin)
		fclose(file);
	write_counts();
	truth_free(&truth);
	return is_right && (!is_strict || !n_wrong()) ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
/* Reads the truth file, and says which values of a report agree with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
	MAX_SUMS = 4096
};

static void *more(void *array, size_t n, size_t size)
{
	/* A power of two is full. */
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? n * 2 : 1) * size);
	if (!array)
		abort();
	return array;
}

/* -- Reading -- */

/* The text of `key=`, cut out of the line; NULL when it is not there. */
static const char *value_of(const char *line, const char *key, size_t *length)
{
	size_t n = strlen(key);

	for (const char *at = line; (at = strstr(at, key)); at += n) {
		if ((at == line || at[-1] == ' ') && at[n] == '=') {
			*length = strcspn(at + n + 1, " \n");
			return at + n + 1;
		}
	}
	return NULL;
}

static uint64_t number_of(const char *line, const char *key)
{
	size_t length;
	const char *text = value_of(line, key, &length);

	return text && *text != '-' ? strtoull(text, NULL, 10) : UNKNOWN_TIME;
}

static void text_of(const char *line, const char *key, char *out, size_t room)
{
	size_t length;
	const char *text = value_of(line, key, &length);

	if (!text || *text == '-')
		length = 0;
	if (length >= room)
		length = room - 1;
	if (length)
		memcpy(out, text, length);
	out[length] = 0;
}

/* N/N/N; returns where it stops. */
static const char *read_values(const char *text, struct values *values)
{
	char *end = NULL;

	for (;;) {
		uint64_t value = strtoull(text, &end, 10);

		if (end == text)
			return text;
		values->at = more(values->at, values->n, sizeof(*values->at));
		values->at[values->n++] = value;
		text = end;
		if (*text != '/')
			return text;
		text++;
	}
}

/* BEGINS-ENDS,BEGINS-ENDS,... */
static void read_runs(const char *line, struct truth_request *rq)
{
	size_t length;
	const char *text = value_of(line, "runs_stamps", &length);

	while (text && *text && *text != ' ' && *text != '\n') {
		struct truth_run run = { { NULL, 0 }, { NULL, 0 } };

		text = read_values(text, &run.begin);
		text = read_values(text + (*text == '-'), &run.end);
		text += *text == ',';
		rq->runs = more(rq->runs, rq->n_runs, sizeof(*rq->runs));
		rq->runs[rq->n_runs++] = run;
	}
}

static void read_request(const char *line, struct truth *truth)
{
	struct truth_request rq = {
		.ctx = number_of(line, "ctx"),
		.seqno = number_of(line, "seqno"),
		.queue = number_of(line, "queue"),
		.add = number_of(line, "add"),
		.submit = number_of(line, "submit"),
		.execute = number_of(line, "execute"),
		.signal = number_of(line, "signal"),
		.retire = number_of(line, "retire"),
	};

	read_runs(line, &rq);
	truth->requests = more(truth->requests, truth->n, sizeof(*truth->requests));
	truth->requests[truth->n++] = rq;
}

static bool read_preemption(const char *line, struct truth *truth)
{
	struct truth_preemption p = { .is_matched = false };
	unsigned long long ctx, seqno;
	struct truth_request *rq;
	char victim[48];
	size_t length;

	text_of(line, "victim", victim, sizeof(victim));
	if (sscanf(victim, "%llu:%llu", &ctx, &seqno) != 2)
		return false;
	rq = truth_find(truth, ctx, seqno);
	if (!rq)
		return false;
	text_of(line, "culprit", p.culprit, sizeof(p.culprit));
	text_of(line, "why", p.why, sizeof(p.why));
	read_values(value_of(line, "stamps", &length), &p.at);
	rq->preemptions = more(rq->preemptions, rq->n_preemptions, sizeof(p));
	rq->preemptions[rq->n_preemptions++] = p;
	return true;
}

bool truth_read(const char *path, struct truth *truth)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	bool is_right = true;

	*truth = (struct truth){ NULL, 0 };
	if (!file)
		return false;
	while (getline(&line, &room, file) > 0) {
		if (!strncmp(line, "dev=", 4))
			read_request(line, truth);
		else if (!strncmp(line, "at=", 3))
			is_right &= read_preemption(line, truth);
	}
	free(line);
	fclose(file);
	return is_right;
}

struct truth_request *truth_find(struct truth *truth, uint64_t ctx, uint64_t seqno)
{
	for (size_t i = 0; i < truth->n; i++)
		if (truth->requests[i].ctx == ctx && truth->requests[i].seqno == seqno)
			return &truth->requests[i];
	return NULL;
}

void truth_free(struct truth *truth)
{
	for (size_t i = 0; i < truth->n; i++) {
		struct truth_request *rq = &truth->requests[i];

		for (size_t k = 0; k < rq->n_runs; k++) {
			free(rq->runs[k].begin.at);
			free(rq->runs[k].end.at);
		}
		for (size_t k = 0; k < rq->n_preemptions; k++)
			free(rq->preemptions[k].at.at);
		free(rq->runs);
		free(rq->preemptions);
	}
	free(truth->requests);
}

/* -- Agreeing -- */

bool values_meet(const struct values *values, const struct told *told)
{
	for (size_t i = 0; i < values->n; i++)
		if (values->at[i] >= told->min && values->at[i] <= told->max)
			return true;
	return false;
}

uint64_t values_distance(const struct values *values, const struct told *told)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < values->n; i++) {
		uint64_t at = values->at[i];
		uint64_t away = at < told->min	 ? told->min - at
				: at > told->max ? at - told->max
						 : 0;

		least = away < least ? away : least;
	}
	return least;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Every sum of an interval's possible lengths; false when there are too many to hold. */
struct sums {
	int64_t *at;
	size_t n;
	int64_t low, high; /* of all */
};

static size_t without_twins(int64_t *at, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(at, n, sizeof(*at), by_value);
	for (size_t i = 0; i < n; i++)
		if (!kept || at[kept - 1] != at[i])
			at[kept++] = at[i];
	return kept;
}

/* The lengths from `from` to `to`; an interval that a report has as empty may really be a little
 * negative. */
static size_t lengths(const struct values *from, const struct values *to, int64_t **out)
{
	size_t n = 0;

	*out = malloc((from->n * to->n + 1) * sizeof(**out));
	if (!*out)
		abort();
	for (size_t i = 0; i < from->n; i++)
		for (size_t k = 0; k < to->n; k++)
			(*out)[n++] =
				to->at[k] > from->at[i] ? (int64_t)(to->at[k] - from->at[i]) : 0;
	return without_twins(*out, n);
}

static void add_interval(struct sums *sums, const struct values *from, const struct values *to)
{
	int64_t *length, *next;
	size_t n = lengths(from, to, &length), n_next = 0;

	if (!n) {
		free(length);
		return;
	}
	sums->low += length[0];
	sums->high += length[n - 1];
	if (!sums->n || sums->n * n > (size_t)MAX_SUMS * 16) {
		sums->n = 0; /* too many: the window from low to high counts */
		free(length);
		return;
	}
	next = malloc(sums->n * n * sizeof(*next));
	if (!next)
		abort();
	for (size_t i = 0; i < sums->n; i++)
		for (size_t k = 0; k < n; k++)
			next[n_next++] = sums->at[i] + length[k];
	free(sums->at);
	free(length);
	sums->at = next;
	sums->n = without_twins(next, n_next);
}

static bool sums_meet(struct sums *sums, const struct told *told)
{
	bool meets = false;

	if (!sums->n)
		meets = (uint64_t)sums->high >= told->min && (uint64_t)sums->low <= told->max;
	for (size_t i = 0; i < sums->n && !meets; i++)
		meets = (uint64_t)sums->at[i] >= told->min && (uint64_t)sums->at[i] <= told->max;
	free(sums->at);
	return meets;
}

static struct sums sums_new(void)
{
	struct sums sums = { .at = calloc(1, sizeof(*sums.at)), .n = 1 };

	if (!sums.at)
		abort();
	return sums;
}

bool running_meets(const struct truth_request *rq, const struct told *told)
{
	struct sums sums = sums_new();

	for (size_t i = 0; i < rq->n_runs; i++)
		add_interval(&sums, &rq->runs[i].begin, &rq->runs[i].end);
	return sums_meet(&sums, told);
}

bool preempted_meets(const struct truth_request *rq, const struct told *told)
{
	struct sums sums = sums_new();

	for (size_t i = 1; i < rq->n_runs; i++)
		add_interval(&sums, &rq->runs[i - 1].end, &rq->runs[i].begin);
	return sums_meet(&sums, told);
}

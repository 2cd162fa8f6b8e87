// SPDX-License-Identifier: MIT
// Calibration: measuring in rounds, issue and completion latencies, and the device file.
#include "model/calibrate.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MOST_LENGTH  (1u << 17)
#define SHORT_LENGTH 128
#define FIRST_LENGTH (4 * SHORT_LENGTH) /* the longer of the two lengths, at least */

/* The ops that are tried; a device that does not know one leaves it out. */
static const char *const ops[] = { "fadd",  "fmul",	      "fmadd",	"fdiv", "cos",
				   "iadd",  "imul",	      "idiv",	"loop", "memory",
				   "local", "local_conflict", "barrier" };

#define N_OPS		 (sizeof(ops) / sizeof(ops[0]))
#define MOST_OCCUPANCIES 12
#define LEAST_ERROR	 3.0
#define CPU_ERROR	 4.8
#define FIRST_CHAINED                                                                              \
	(N_OPS - 4) /* memory, local: one chain a work-item may not fill the pipeline */
#define END_CHAINED   (N_OPS - 2)
#define LAUNCH_LENGTH 32   /* instructions that take next to nothing */
#define MISFIT	      0.25 /* mean deviation from the law up to which it is believed */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Of sorted values, so far from the first to the last; between two of them a straight line. */
static double quantile(const double *values, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t low = (size_t)at;

	return low + 1 < n ? values[low] + (at - (double)low) * (values[low + 1] - values[low])
			   : values[n - 1];
}

/*
 * The median, and the spread: the larger of 1.4826 times the median deviation from it and half of
 * the interval that holds the middle 68 of 100. Both are the standard deviation of normal noise.
 * The former says nothing of a machine that is slower in a third of the rounds; then the median of
 * another calibration may be the slower one. values is sorted.
 */
static void robust(double *values, size_t n, double *median, double *spread)
{
	double deviation[256];

	qsort(values, n, sizeof(*values), ascending);
	*median = quantile(values, n, 0.5);
	for (size_t i = 0; i < n; i++)
		deviation[i] = fabs(values[i] - *median);
	qsort(deviation, n, sizeof(*deviation), ascending);
	*spread = fmax(1.4826 * quantile(deviation, n, 0.5),
		       (quantile(values, n, 0.84) - quantile(values, n, 0.16)) / 2);
}

/* The longer length: so long that the clock and the launch do not matter much. */
static struct lane_error *choose_length(struct lane_meter *meter, struct lane_sample *s)
{
	struct lane_error *err;
	double ns = 0;

	if (!s->trial.length)
		s->trial.length = FIRST_LENGTH;
	for (;;) {
		/* Twice: the first run of a kernel may be compiled, and brings its data. */
		err = meter->measure(meter, &s->trial, &ns, &s->can);
		if (!err && s->can)
			err = meter->measure(meter, &s->trial, &ns, &s->can);
		if (err || !s->can || ns >= meter->least_ns || 2 * s->trial.length > MOST_LENGTH)
			return err;
		s->trial.length *= 2;
	}
}

/* One operation's cycles, from the difference of a long and a short trial. */
static struct lane_error *once(struct lane_meter *meter, const struct lane_sample *s,
			       double *cycles)
{
	struct lane_trial brief = s->trial;
	double long_ns = 0;
	double short_ns = 0;
	struct lane_error *err;
	int can;

	brief.length = s->trial.length / 4;
	err = meter->measure(meter, &brief, &short_ns, &can);
	if (!err)
		err = meter->measure(meter, &s->trial, &long_ns, &can);
	*cycles = (long_ns - short_ns) * meter->clock_mhz / 1000 / (s->trial.length - brief.length);
	return err;
}

/*
 * Whether the even rounds and the odd ones, each as a calibration of its own, agree within what
 * each would say. They are measured in turn: a machine whose speed changes meanwhile is no
 * difference between them.
 */
static int halves_agree(const struct lane_meter *meter, const double *cycles, uint32_t rounds)
{
	double half[2][128];
	double median[2];
	double spread[2];

	for (uint32_t r = 0; r < rounds; r++)
		half[r % 2][r / 2] = cycles[r];
	for (int i = 0; i < 2; i++) {
		robust(half[i], (rounds + !i) / 2, &median[i], &spread[i]);
		spread[i] = fmax(spread[i], meter->floor * fabs(median[i]));
	}
	return fabs(median[0] - median[1]) <= 3 * model_both(spread[0], spread[1]) + 1e-6;
}

/* What is concluded of a sample from its rounds. */
static void conclude_sample(const struct lane_meter *meter, struct lane_sample *s, double *cycles,
			    uint32_t rounds, struct lane_calibration *c)
{
	char reason[160];
	int agree = !s->can || halves_agree(meter, cycles, rounds);

	robust(cycles, rounds, &s->cycles, &s->spread);
	s->spread = fmax(s->spread, meter->floor * fabs(s->cycles));
	s->error = 1.2533 * s->spread / sqrt(rounds);
	if (s->can && model_sample_good(s, reason, sizeof(reason))) {
		c->samples++;
		c->repeated += agree;
	}
}

struct lane_error *model_sample_all(struct lane_meter *meter, struct lane_sample *sample, size_t n,
				    uint32_t rounds, struct lane_calibration *c)
{
	LANE_CLEANUP(lane_free) double *cycles = calloc(n * rounds, sizeof(*cycles));
	struct lane_error *err = NULL;

	if (!cycles)
		return &lane_enomem;
	for (size_t i = 0; !err && i < n; i++)
		err = choose_length(meter, &sample[i]);
	for (uint32_t r = 0; !err && r < rounds; r++)
		for (size_t i = 0; !err && i < n; i++)
			if (sample[i].can)
				err = once(meter, &sample[i], &cycles[i * rounds + r]);
	for (size_t i = 0; !err && i < n; i++)
		conclude_sample(meter, &sample[i], cycles + i * rounds, rounds, c);
	return err;
}

int model_sample_good(const struct lane_sample *s, char *reason, size_t bytes)
{
	if (s->cycles <= 0)
		snprintf(reason, bytes, "%.3g cycles, spread %.3g: a longer run takes no longer",
			 s->cycles, s->spread);
	else if (s->spread > LANE_CALIBRATE_NOISE * s->cycles)
		snprintf(reason, bytes, "noise: spread %.0f %% of %.4g cycles",
			 100 * s->spread / s->cycles, s->cycles);
	else
		return 1;
	return 0;
}

void model_find(struct lane_calibration *c, const char *section, const char *key, double value,
		double uncertainty, const char *reason)
{
	struct lane_finding *f = &c->finding[c->n];

	if (c->n == LANE_FINDINGS)
		return;
	c->n++;
	*f = (struct lane_finding){ .value = value, .uncertainty = uncertainty, .known = !reason };
	snprintf(f->section, sizeof(f->section), "%s", section);
	snprintf(f->key, sizeof(f->key), "%s", key);
	snprintf(f->reason, sizeof(f->reason), "%s", reason ? reason : "");
	c->unknown += reason != NULL;
}

/* How far the law is from what was measured at all occupancies, a part of one. */
static double misfit(const struct lane_sample *first, uint32_t n, double completion, double issue)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		double law = fmax(completion, issue * first[i].trial.warps);

		sum += first[i].cycles > 0 ? fabs(law / first[i].cycles - 1) : 1;
	}
	return sum / n;
}

/* The mean error of the law over all occupancies, and its standard deviation. */
static void keep_error(struct lane_calibration *c, const char *op, const struct lane_sample *first,
		       uint32_t n, double completion, double issue, int by_points)
{
	struct lane_finding *error = &c->error[c->n_errors];
	double mean = 0, squares = 0, deviation;
	uint32_t used = 0;
	char why[160];

	if (c->n_errors == LANE_OP_ERRORS)
		return;
	for (uint32_t i = 0; i < n; i++) {
		double off = fmax(completion, issue * first[i].trial.warps) / first[i].cycles - 1;

		if (!model_sample_good(&first[i], why, sizeof(why)))
			continue;
		used++;
		mean += off;
		squares += off * off;
	}
	mean /= used;
	deviation = sqrt(fmax(0, squares / used - mean * mean));
	if (!by_points)
		c->law_error = fmax(c->law_error, fabs(mean) + deviation);
	*error = (struct lane_finding){ .section = "error_percent",
					.value = 100 * mean,
					.uncertainty = 100 * deviation,
					.known = 1 };
	snprintf(error->key, sizeof(error->key), "%s", op);
	snprintf(error->reason, sizeof(error->reason),
		 "the law of a pipeline over %u numbers of warps", used);
	c->n_errors++;
}

/*
 * Occupancies that do not follow the law: what was measured at each of them. With issue = time /
 * warps the law gives the time that was measured.
 */
static void keep_points(struct lane_calibration *c, const char *section,
			const struct lane_sample *first, uint32_t n, double off)
{
	struct lane_finding *issue = &c->finding[c->n - 1];
	char why[160];

	snprintf(issue->reason, sizeof(issue->reason),
		 "off the law of a pipeline by %.0f %%: a value for each number of warps",
		 100 * off);
	for (uint32_t i = 0; i < n; i++) {
		struct lane_finding *point = &c->finding[c->n];
		char key[32];

		if (!model_sample_good(&first[i], why, sizeof(why)))
			continue;
		snprintf(key, sizeof(key), "at %u", first[i].trial.warps);
		model_find(c, section, key, first[i].cycles / first[i].trial.warps,
			   first[i].spread / first[i].trial.warps, NULL);
		point->completion = fmin(first[0].cycles, first[i].cycles);
	}
}

/*
 * Completion latency: time of a dependent instruction when one warp is alone. Issue latency: time
 * of an instruction of any warp when there are so many that the pipeline is full, which shows in
 * the time of an instruction having risen (the law of pipeline.h). The occupancies between them
 * must lie on that law, too.
 */
static void conclude_op(struct lane_calibration *c, const char *op, const struct lane_sample *alone,
			uint32_t n)
{
	const struct lane_sample *full = alone + n - 1;
	char section[48];
	char reason[160];
	double warps = full->trial.warps;
	double off;

	snprintf(section, sizeof(section), "op %s", op);
	if (!model_sample_good(alone, reason, sizeof(reason))) {
		model_find(c, section, "completion", 0, 0, reason);
		model_find(c, section, "issue", 0, 0, reason);
		return;
	}
	model_find(c, section, "completion", alone->cycles, alone->spread, NULL);
	if (!model_sample_good(full, reason, sizeof(reason))) {
		model_find(c, section, "issue", 0, 0, reason);
	} else if (full->cycles < alone->cycles + 3 * (alone->spread + full->spread) ||
		   full->cycles < 1.1 * alone->cycles) {
		snprintf(reason, sizeof(reason),
			 "%g warps do not fill the pipeline: it is at most %.4g", warps,
			 full->cycles / warps);
		model_find(c, section, "issue", 0, 0, reason);
	} else {
		off = misfit(alone, n, alone->cycles, full->cycles / warps);
		model_find(c, section, "issue", full->cycles / warps, full->spread / warps, NULL);
		keep_error(c, op, alone, n, alone->cycles, full->cycles / warps, off > MISFIT);
		if (off > MISFIT)
			keep_points(c, section, alone, n, off);
	}
}

struct lane_error *model_calibrate_ops(struct lane_meter *meter, uint32_t rounds,
				       struct lane_calibration *c)
{
	struct lane_sample sample[N_OPS * MOST_OCCUPANCIES];
	uint32_t occupancy[MOST_OCCUPANCIES];
	uint32_t n_occupancies = 0;
	struct lane_error *err;
	size_t first[N_OPS + 1] = { 0 };
	size_t n = 0;

	for (uint32_t w = 1; w < meter->max_warps && n_occupancies < MOST_OCCUPANCIES - 2; w *= 2)
		occupancy[n_occupancies++] = w;
	occupancy[n_occupancies++] = meter->max_warps;
	occupancy[n_occupancies] = LANE_TRIAL_CHAINS * meter->max_warps;
	for (size_t i = 0; i < N_OPS; i++) {
		uint32_t chains = !meter->is_cpu && i >= FIRST_CHAINED && i < END_CHAINED;

		for (uint32_t o = 0; o < n_occupancies + chains; o++)
			sample[n++] = (struct lane_sample){ .trial = { .kind = LANE_TRIAL_OP,
								       .op = ops[i],
								       .warps = occupancy[o] } };
		first[i + 1] = n;
	}
	err = model_sample_all(meter, sample, n, rounds, c);
	for (size_t i = 0; !err && i < N_OPS; i++) {
		size_t end = first[i];

		/* So many of the numbers of warps as there can be, the least ones. */
		while (end < first[i + 1] && sample[end].can)
			end++;
		if (end > first[i])
			conclude_op(c, ops[i], &sample[first[i]], (uint32_t)(end - first[i]));
	}
	return err;
}

/*
 * What a launch takes besides its work: of a kernel of few instructions and one of twice as many,
 * what is left without any.
 */
static struct lane_error *calibrate_launch(struct lane_meter *meter, uint32_t rounds,
					   struct lane_calibration *c)
{
	struct lane_trial few = {
		.kind = LANE_TRIAL_OP, .op = "fadd", .warps = 1, .length = LAUNCH_LENGTH
	};
	struct lane_trial twice = few;
	double us[256], median, spread;
	struct lane_error *err = NULL;
	int can = 1;

	twice.length *= 2;
	for (uint32_t r = 0; r < rounds && can && !err; r++) {
		double once = 0, both = 0;

		err = meter->measure(meter, &few, &once, &can);
		if (!err && can)
			err = meter->measure(meter, &twice, &both, &can);
		us[r] = (2 * once - both) / 1000;
	}
	if (err || !can)
		return err;
	robust(us, rounds, &median, &spread);
	spread = fmax(spread, meter->floor * fabs(median));
	model_find(c, "device", "launch_us", median, spread,
		   spread < LANE_CALIBRATE_NOISE * median ? NULL : "noise");
	return NULL;
}

struct lane_error *model_calibrate_meter(struct lane_meter *meter,
					 const struct lane_calibration_wish *wish,
					 struct lane_calibration *c)
{
	struct lane_error *err = NULL;

	memset(c, 0, sizeof(*c));
	c->curve_error = -1;
	c->local_atomics = "unknown";
	if (wish->rounds < 3 || wish->rounds > 255)
		return lane_error_usage("--rounds must lie between 3 and 255");
	if (wish->ops)
		err = model_calibrate_ops(meter, wish->rounds, c);
	if (!err && wish->local)
		err = model_calibrate_local(meter, wish->rounds, c);
	if (!err && wish->global)
		err = model_calibrate_global(meter, wish->rounds, c);
	if (!err && wish->ops)
		err = calibrate_launch(meter, wish->rounds, c);
	/* A CPU has no cache of slices that do atomics. */
	if (!err && wish->contention && !meter->is_cpu)
		err = model_calibrate_contention(meter, wish->rounds, c);
	return err;
}

/* What a section is written without: keys that nothing else needs. */
static int is_optional(const struct lane_finding *f)
{
	return !strcmp(f->section, "global_atomics") ||
	       (!strcmp(f->section, "contention") && strcmp(f->key, "word") != 0 &&
		strcmp(f->key, "message_bytes") != 0 && strcmp(f->key, "chunk_bytes") != 0) ||
	       !strcmp(f->section, "device");
}

/* The member of this name, which is made. */
static json_object *calibrate_member(json_object *of, const char *name)
{
	json_object *found = json_object_object_get(of, name);

	if (!found) {
		found = json_object_new_object();
		json_object_object_add(of, name, found);
	}
	return found;
}

static json_object *calibrate_number(double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", floor(value) < value ? 6 : 0, value);
	return json_object_new_double_s(value, text);
}

static void calibrate_put(json_object *section, const char *key, double value, double uncertainty)
{
	if (uncertainty > 0) {
		section = calibrate_member(section, key);
		json_object_object_add(section, "value", calibrate_number(value));
		key = "uncertainty";
		value = uncertainty;
	}
	json_object_object_add(section, key, calibrate_number(value));
}

static void put_point(json_object *section, double at, double value, double further)
{
	json_object *points = json_object_object_get(section, "at");
	json_object *point = json_object_new_array();

	if (!points) {
		points = json_object_new_array();
		json_object_object_add(section, "at", points);
	}
	json_object_array_add(point, calibrate_number(at));
	json_object_array_add(point, calibrate_number(value));
	json_object_array_add(point, calibrate_number(further));
	json_object_array_add(points, point);
}

/* What is not known, and why; what: "section", "op NAME" or "section key". */
static void put_unknown(json_object *device, const char *section, const char *key, const char *why)
{
	char what[80];

	snprintf(what, sizeof(what), "%s%s%s", section, *key ? " " : "", key);
	json_object_object_add(calibrate_member(device, "unknown"), what,
			       json_object_new_string(why));
}

/* The pipeline of an op. */
static const char *pipe_of(const char *op, int is_cpu)
{
	return is_cpu					   ? "cpu"
	       : !strncmp(op, "local", 5)		   ? "local"
	       : !strcmp(op, "memory")			   ? "global"
	       : !strcmp(op, "cos") || !strcmp(op, "fdiv") ? "sfu"
							   : "alu";
}

/* A section's findings, when all that it needs are known. Returns whether they are. */
static int put_section(json_object *device, const struct lane_calibration *c, uint32_t first,
		       uint32_t end, int is_cpu)
{
	const char *name = c->finding[first].section;
	const char *op = strchr(name, ' ');
	json_object *section;

	for (uint32_t i = first; i < end; i++)
		if (!c->finding[i].known && !is_optional(&c->finding[i])) {
			put_unknown(device, name, "", c->finding[i].reason);
			return 0;
		}
	section = op ? calibrate_member(calibrate_member(device, "op"), op + 1)
		     : calibrate_member(device, name);
	if (op)
		json_object_object_add(section, "pipe",
				       json_object_new_string(pipe_of(op + 1, is_cpu)));
	for (uint32_t i = first; i < end; i++) {
		const struct lane_finding *f = &c->finding[i];

		if (!f->known)
			put_unknown(device, name, f->key, f->reason);
		else if (f->completion > 0)
			put_point(section, atoi(f->key + strlen("at ")), f->value, f->completion);
		else
			calibrate_put(section, f->key, f->value, f->uncertainty);
	}
	return 1;
}

static void put_told(json_object *device, const char *key, double value)
{
	if (value > 0)
		calibrate_put(calibrate_member(device, "device"), key, value, 0);
	else
		put_unknown(device, "device", key, "OpenCL does not tell it");
}

/*
 * How far predictions are off: no workload was compared, so not less than on the one GPU where that
 * was done (docs/models/gpu.md), and not less than the laws were from what was measured. A CPU is
 * no device of the models: kernels of pocl took up to 5.8 times less than was predicted
 * (docs/models/pattern.md).
 */
static double error_percent(const struct lane_meter *meter, const struct lane_calibration *c)
{
	double worst = fmax(fmax(LEAST_ERROR, c->curve_error), c->law_error);

	return 100 * (meter->is_cpu ? fmax(worst, CPU_ERROR) : worst);
}

void model_calibration_write(FILE *file, const struct lane_meter *meter,
			     const struct lane_calibration *c)
{
	json_object *device = json_object_new_object();
	double error = error_percent(meter, c);
	int has_local = 0; /* a section that says how large local memory is */
	char source[128];

	snprintf(source, sizeof(source), "measured by gpulane calibrate on %s", meter->how);
	calibrate_put(device, "gpulane_device", 2, 0);
	json_object_object_add(device, "name", json_object_new_string(meter->name));
	json_object_object_add(device, "source", json_object_new_string(source));
	put_told(device, "units", meter->units);
	put_told(device, "warp", meter->warp);
	put_told(device, "max_group_warps", meter->group_warps);
	put_told(device, "max_warps", meter->unit_warps);
	put_told(device, "max_groups", meter->unit_groups);
	put_told(device, "clock_mhz", meter->clock_mhz);
	put_told(device, "error_percent", error);
	if (!meter->is_cpu)
		put_told(device, "gain_error_percent", error);
	json_object_object_add(
		calibrate_member(device, "device"), "note",
		json_object_new_string("no workload was compared with its prediction"));
	for (uint32_t first = 0, end; first < c->n; first = end) {
		for (end = first + 1;
		     end < c->n && !strcmp(c->finding[end].section, c->finding[first].section);
		     end++)
			;
		has_local |= put_section(device, c, first, end, meter->is_cpu) &&
			     !strcmp(c->finding[first].key, "bytes");
	}
	if (!has_local && meter->local_bytes)
		calibrate_put(calibrate_member(device, "local_memory"), "bytes", meter->local_bytes,
			      0);
	for (uint32_t i = 0; i < c->n_curves; i++) {
		const struct lane_curve *curve = &c->curve[i];
		char name[32];

		snprintf(name, sizeof(name), "stride-%u", curve->stride);
		for (uint32_t d = 0; d < curve->n; d++)
			if (curve->cycles[d] >= 0)
				put_point(calibrate_member(calibrate_member(device, "curve"), name),
					  d + 1, curve->cycles[d], curve->uncertainty[d]);
	}
	fputs(json_object_to_json_string_ext(device, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_SPACED |
							     JSON_C_TO_STRING_NOSLASHESCAPE),
	      file);
	fputc('\n', file);
	json_object_put(device);
}

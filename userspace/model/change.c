// SPDX-License-Identifier: MIT
// Changes of a kernel, tried one by one in predictions.
#include "model/change.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/number.h"

const char *const lane_change_names[LANE_CHANGE_KINDS] = {
#define C(id, name) [LANE_CHANGE_##id] = name,
	LANE_CHANGES(C)
#undef C
};

#define LEAST_TOLD 1.005 /* what gains less is told as no gain */

/* Cycles after a change, without and with all that it costs besides. */
struct range {
	double fast;
	double slow;
	int is_shared; /* the cache that all units share bounds it */
};

struct search {
	const struct lane_pattern_kernel *kernel;
	const struct lane_device *device;
	uint64_t groups;
	struct lane_prediction now;
	struct lane_proposals *found;
	uint32_t lanes; /* of a warp of the device */
};

/* An op's completion latency in cycles; of another op, or INFINITY, where the device lacks it. */
static double latency(const struct search *s, const char *name, const char *other)
{
	const struct lane_device_section *op = model_device_section(s->device, "op", name);
	int64_t issue, completion;

	if (!op)
		op = model_device_section(s->device, "op", other);
	if (!op)
		return INFINITY;
	model_op_latency(op, s->now.warps, &issue, &completion);
	return (double)completion / (double)LANE_MICRO;
}

static void change_refuse(struct search *s, enum lane_change_kind kind, uint32_t array,
			  const char *format, ...) LANE_PRINTF(4, 5);

static void change_refuse(struct search *s, enum lane_change_kind kind, uint32_t array,
			  const char *format, ...)
{
	struct lane_refusal *refusal = &s->found->refused[s->found->n_refused];
	va_list args;

	if (s->found->n_refused == LANE_PROPOSALS ||
	    (s->found->n_refused && refusal[-1].kind == kind && refusal[-1].array == array))
		return; /* of several group sizes the first tells it */
	s->found->n_refused++;
	refusal->kind = kind;
	refusal->array = array;
	va_start(args, format);
	vsnprintf(refusal->why, sizeof(refusal->why), format, args);
	va_end(args);
}

static void change_keep(struct search *s, enum lane_change_kind kind, uint32_t array,
			const char *detail, const struct range *then)
{
	struct lane_proposals *found = s->found;
	double fast = then->fast + s->now.launch_cycles, slow = then->slow + s->now.launch_cycles;
	double now = s->now.total + s->now.launch_cycles;
	int is_shared = s->now.total > s->now.unit_cycles;
	double error = is_shared != then->is_shared ? (1 + s->now.shared_error) * (1 + s->now.error)
		       : is_shared ? 1 + fmax(s->now.gain_error, s->now.shared_error)
				   : 1 + s->now.gain_error;
	struct lane_proposal p = { .kind = kind,
				   .array = array,
				   .most = now / fast * error,
				   .least = now / slow / error,
				   .gain = now / ((fast + slow) / 2) };
	uint32_t at = found->n;

	if (!isfinite(slow)) {
		change_refuse(s, kind, array, "what it costs besides is not known of the device");
		return;
	}
	if (p.gain < LEAST_TOLD) {
		change_refuse(s, kind, array, LANE_NO_FASTER);
		return;
	}
	if (!(now / slow / (1 + s->now.gain_error) > 1)) {
		change_refuse(
			s, kind, array,
			"%.2f times as fast (%.2f to %.2f), which may be an error of the model",
			p.gain, p.least, p.most);
		return;
	}
	snprintf(p.detail, sizeof(p.detail), "%s", detail);
	if (at == LANE_PROPOSALS) {
		if (found->proposal[at - 1].gain >= p.gain)
			return;
		at--;
	} else {
		found->n++;
	}
	for (; at > 0 && found->proposal[at - 1].gain < p.gain; at--)
		found->proposal[at] = found->proposal[at - 1];
	found->proposal[at] = p;
}

/*
 * Tries a change with what it costs besides: at best nothing, because other warps hide it; at worst
 * `further` cycles of each atomic, `once` cycles of each group, while which the groups that are
 * there at a time wait together, and so many bytes of local memory, which leave room for fewer
 * groups at a time.
 */
static struct lane_error *change_times(const struct search *s, struct lane_change change,
				       double further, double once, double bytes,
				       struct range *then)
{
	double groups = s->now.groups_per_unit;
	struct lane_changed best = { 0 }, worst = { 0 };
	struct lane_error *err =
		model_predict_changed(s->kernel, s->device, s->groups, &change, &best);

	*then = (struct range){ best.cycles, INFINITY, best.is_shared };
	if (err || !isfinite(further) || !isfinite(once))
		return err;
	change.further = further;
	change.local_bytes = bytes > 0 ? s->kernel->local_bytes + bytes : 0;
	err = model_predict_changed(s->kernel, s->device, s->groups, &change, &worst);
	worst.cycles += once * ceil(groups / s->now.concurrent);
	then->fast = fmin(best.cycles, worst.cycles);
	then->slow = fmax(best.cycles, worst.cycles);
	return err;
}

static struct lane_error *try(struct search *s, enum lane_change_kind kind,
			      struct lane_change change, const char *detail, double further,
			      double once, double bytes)
{
	struct range then;
	struct lane_error *err = change_times(s, change, further, once, bytes, &then);

	if (!err)
		change_keep(s, kind, change.array, detail, &then);
	return err;
}

/*
 * What it takes a group to clear further copies of an array and to add all of them up, as it is
 * written most simply: a word of all copies for each work-item, one copy after the other, with four
 * instructions of the loop around each access.
 */
static double add_up(const struct search *s, double words, double copies)
{
	double lanes = s->kernel->group_warps * (double)s->lanes;

	return (latency(s, "local", "memory") + 4 * latency(s, "fadd", "fadd")) *
	       (ceil(words / lanes) * copies + ceil(words * copies / lanes));
}

/* What all atomics of an array are, and what else the kernel does with it. */
struct use {
	int n;		    /* places with atomics */
	uint32_t used;	    /* a source line with an atomic whose result is used; 0: none */
	uint32_t used_loop; /* likewise, in a loop */
	uint32_t loads;	    /* a source line that loads from it */
	uint32_t stores;
	int is_sum;	   /* all add, subtract, increment or decrement */
	int is_one;	   /* or all are one of min, max, and, or, xor */
	const char *op;	   /* of the first one, or the first that is neither */
	uint32_t position; /* lanes of a warp on a word, at most */
	uint64_t lanes;	   /* of all warps */
	uint64_t same;	   /* of them, those on the word that most lanes of their warp want */
	double now[LANE_IF_COUNT]; /* cycles of all lines together; NAN: does not fit */
	double cycles;
	int fits; /* a copy of it into local memory */
};

static int is_any_of(const char *op, const char *const *list)
{
	while (*list && strcmp(op, *list) != 0)
		list++;
	return *list != NULL;
}

static void add_atomic(struct use *use, const struct lane_pattern_line *line)
{
	static const char *const sums[] = { "add", "sub", "inc", "dec", NULL };
	static const char *const ones[] = { "min", "max", "and", "or", "xor", NULL };
	int is_sum = is_any_of(line->op, sums);
	int is_one = is_any_of(line->op, ones);

	if (!use->n++) {
		use->op = line->op;
		use->is_sum = is_sum;
		use->is_one = is_one;
		use->fits = 1;
	}
	if (!is_sum && !is_one)
		use->op = line->op;
	use->is_sum &= is_sum;
	use->is_one &= is_one && !strcmp(use->op, line->op);
	if (!line->is_unused)
		use->used = line->line;
	if (!line->is_unused && line->is_loop)
		use->used_loop = line->line;
	if (line->position_degree > use->position)
		use->position = line->position_degree;
	use->lanes += line->lanes;
	use->same += line->position_sum;
	use->fits &= !isnan(line->private_cycles);
	use->cycles += line->cycles;
	for (int i = 0; i < LANE_IF_COUNT; i++)
		use->now[i] += line->what_if[i];
}

static struct use use_of(const struct lane_pattern_kernel *kernel, uint32_t array)
{
	struct use use = { 0 };

	for (size_t i = 0; i < kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &kernel->line[i];

		if (line->array != array || !line->warps)
			continue;
		if (line->access == LANE_ACCESS_ATOMIC)
			add_atomic(&use, line);
		else if (line->access == LANE_ACCESS_LOAD)
			use.loads = line->line;
		else
			use.stores = line->line;
	}
	return use;
}

/* Whether an array of which there are several copies would be another one; then why is written. */
static int breaks_copies(const struct use *use, char *why, size_t bytes)
{
	if (!use->is_sum && !use->is_one)
		snprintf(why, bytes, "the results of %s cannot be put together again", use->op);
	else if (use->used)
		snprintf(why, bytes, "the kernel uses the result of the atomic at line %u",
			 use->used);
	else
		return 0;
	return 1;
}

/* What forbids copies of an array of global memory that groups have of their own, or lets them gain
 * nothing. */
static int breaks_own(const struct search *s, uint32_t array, const struct use *use, char *why,
		      size_t bytes)
{
	const struct lane_pattern_array *a = &s->kernel->array[array];
	struct lane_contend contend;
	struct lane_slices_load copies;

	model_contend_init(&contend, s->device);
	copies =
		model_contend_copies(&contend, a->bytes, (double)s->kernel->groups, use->used != 0);
	if (use->loads || use->stores)
		snprintf(why, bytes, "the kernel also %s it, at line %u",
			 use->loads ? "loads from" : "stores to",
			 use->loads ? use->loads : use->stores);
	else if (!use->fits)
		snprintf(why, bytes, "it does not fit into a group's local memory");
	else if (a->now.sum <= copies.sum)
		snprintf(why, bytes, "adding up a copy takes as long as its atomics take now");
	else
		return 0;
	return 1;
}

/* And of one whose results become the group's base and what the group had before. */
static int breaks_by_group(const struct use *use, char *why, size_t bytes)
{
	if (!use->is_sum)
		snprintf(why, bytes, "the results of %s do not follow from those of a group",
			 use->op);
	else if (use->used_loop)
		snprintf(why, bytes,
			 "the result at line %u is used in a loop, whose next round may need it",
			 use->used_loop);
	else
		return 0;
	return 1;
}

/* Why the lanes of a warp cannot do with one atomic. */
static int breaks_together(const struct use *use, char *why, size_t bytes)
{
	if (!use->is_sum && !use->is_one)
		snprintf(why, bytes, "the results of %s cannot be put together again", use->op);
	else if (!use->is_sum && use->used)
		snprintf(why, bytes, "the kernel uses the result of the atomic at line %u",
			 use->used);
	else if (use->same < use->lanes)
		snprintf(why, bytes, "lanes of a warp want different words");
	else if (use->position < 2)
		snprintf(why, bytes, "a warp has one lane with an atomic");
	else
		return 0;
	return 1;
}

static struct lane_error *together(struct search *s, enum lane_array_change kind, uint32_t array,
				   const struct use *use)
{
	struct lane_change change = { .kind = kind, .array = array, .what_if = LANE_IF_TOGETHER };
	char why[128];

	if (!breaks_together(use, why, sizeof(why)))
		return try(s, LANE_CHANGE_TOGETHER, change, "before the atomic",
			   2 * latency(s, "iadd", "fadd") * ceil(log2(s->lanes)), 0, 0);
	change_refuse(s, LANE_CHANGE_TOGETHER, array, "%s", why);
	return NULL;
}

/* The number and layout of copies that gain most, with what it takes to add them up. */
static struct lane_error *copies_of(struct search *s, uint32_t array, const struct use *use,
				    double further)
{
	double words = (double)s->kernel->array[array].bytes / 4;
	struct range best = { 0 };
	char detail[64] = "";

	for (int i = LANE_IF_COPIES; i < LANE_IF_COUNT; i++) {
		uint32_t copies = 2u << (i - LANE_IF_COPIES) % LANE_PATTERN_COPIES;
		struct lane_change change = { .kind = LANE_ARRAY_WHAT_IF,
					      .array = array,
					      .what_if = (enum lane_what_if)i };
		struct range then;
		struct lane_error *err;

		if (isnan(use->now[i]) || use->now[i] >= use->cycles)
			continue;
		err = change_times(s, change, further, add_up(s, words, copies),
				   4 * words * (copies - 1), &then);
		if (err)
			return err;
		if (detail[0] && then.fast + then.slow >= best.fast + best.slow)
			continue;
		best = then;
		snprintf(detail, sizeof(detail), "%u copies, %s", copies,
			 lane_layout_names[(i - LANE_IF_COPIES) / LANE_PATTERN_COPIES]);
	}
	if (detail[0])
		change_keep(s, LANE_CHANGE_COPIES, array, detail, &best);
	else
		change_refuse(s, LANE_CHANGE_COPIES, array, LANE_NO_FASTER);
	return NULL;
}

static struct lane_error *local_array(struct search *s, uint32_t array, const struct use *use)
{
	int hash = use->now[LANE_IF_ADD] < use->now[LANE_IF_XOR] ? LANE_IF_ADD : LANE_IF_XOR;
	double alu = latency(s, "iadd", "fadd");
	struct lane_change change = { .kind = LANE_ARRAY_WHAT_IF, .array = array };
	struct lane_error *err = NULL;
	char why[128];

	if (breaks_copies(use, why, sizeof(why)))
		change_refuse(s, LANE_CHANGE_COPIES, array, "%s", why);
	else
		err = copies_of(s, array, use, 2 * alu);
	if (!err && !isnan(use->now[LANE_IF_ROWS])) {
		change.what_if = LANE_IF_ROWS;
		err = try(s, LANE_CHANGE_PADDING, change, "word a becomes a + a / banks", 2 * alu,
			  0, (double)s->kernel->array[array].bytes / 32);
	}
	if (!err && !isnan(use->now[hash])) {
		change.what_if = (enum lane_what_if)hash;
		err = try(s, LANE_CHANGE_HASH, change, hash == LANE_IF_XOR ? "xor" : "add", 2 * alu,
			  0, 0);
	}
	return err ? err : together(s, LANE_ARRAY_WHAT_IF, array, use);
}

/*
 * A copy in each group's local memory. Where results are used, each work-item also loads its
 * group's base, and the group waits for the atomic that brings it.
 */
static struct lane_error *private_array(struct search *s, uint32_t array,
					enum lane_array_change kind)
{
	double words = (double)s->kernel->array[array].bytes / 4;
	double rounds = ceil(words / (s->kernel->group_warps * (double)s->lanes));
	double wait = latency(s, "global_atomic", "memory");
	int by_group = kind == LANE_ARRAY_BY_GROUP;
	struct lane_change change = { .kind = kind, .array = array };
	double barriers = by_group ? 2 * latency(s, "barrier", "fadd") : 0;
	char detail[64];

	snprintf(detail, sizeof(detail), "%.0f bytes of local memory a group",
		 4 * words * (1 + by_group));
	return try(s, by_group ? LANE_CHANGE_BY_GROUP : LANE_CHANGE_PRIVATE, change, detail,
		   by_group ? latency(s, "local", "memory") : 0,
		   add_up(s, words, 1) + rounds * wait + barriers, 4 * words * (1 + by_group));
}

static struct lane_error *global_array(struct search *s, uint32_t array, const struct use *use)
{
	struct lane_error *err = NULL;
	char why[128];

	if (breaks_copies(use, why, sizeof(why)) || breaks_own(s, array, use, why, sizeof(why)))
		change_refuse(s, LANE_CHANGE_PRIVATE, array, "%s", why);
	else
		err = private_array(s, array, LANE_ARRAY_PRIVATE);
	if (!use->is_sum && !use->is_one)
		return err; /* it is told once */
	if (!err && use->used &&
	    (breaks_by_group(use, why, sizeof(why)) || breaks_own(s, array, use, why, sizeof(why))))
		change_refuse(s, LANE_CHANGE_BY_GROUP, array, "%s", why);
	else if (!err && use->used)
		err = private_array(s, array, LANE_ARRAY_BY_GROUP);
	return err ? err : together(s, LANE_ARRAY_TOGETHER, array, use);
}

/*
 * Twice the size, as often as that is possible. What a group does once (clearing, adding up) is in
 * the graph as it is now: with larger groups it is not more. Of smaller ones that is not known.
 */
static struct lane_error *group_sizes(struct search *s, uint32_t most)
{
	uint32_t now = s->kernel->group_warps;
	struct lane_error *err = NULL;

	if (s->kernel->is_fixed) {
		change_refuse(s, LANE_CHANGE_GROUP, LANE_NO_ARRAY,
			      "the kernel relies on the size of its groups");
		return NULL;
	}
	for (uint32_t warps = 2 * now; !err && warps <= most; warps *= 2) {
		struct lane_change change = { .group_warps = warps, .array = LANE_NO_ARRAY };
		uint64_t groups = (s->groups * now + warps - 1) / warps;
		struct lane_changed then = { 0 };
		char detail[64];

		err = model_predict_changed(s->kernel, s->device, groups, &change, &then);
		snprintf(detail, sizeof(detail), "%u work-items instead of %u", warps * s->lanes,
			 now * s->lanes);
		if (!err)
			change_keep(s, LANE_CHANGE_GROUP, LANE_NO_ARRAY, detail,
				    &(struct range){ then.cycles, then.cycles, then.is_shared });
	}
	return err;
}

struct lane_error *model_propose(const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device, uint64_t groups,
				 struct lane_proposals *found)
{
	struct search s = { kernel, device, groups, { .total = 0 }, found, 0 };
	const struct lane_device_section *unit = NULL;
	struct lane_error *err = model_device_need(device, "device", "", &unit);
	uint32_t most;

	memset(found, 0, sizeof(*found));
	if (!err)
		err = model_predict(kernel, device, groups, &s.now);
	if (err)
		return err;
	found->missing = s.now.missing;
	if (found->missing.text[0])
		return NULL;
	s.lanes = model_section_whole(unit, "warp");
	most = model_section_whole(unit, "max_group_warps");
	if (model_section_gives(unit, "max_warps") && most > model_section_whole(unit, "max_warps"))
		most = model_section_whole(unit, "max_warps");
	for (uint32_t i = 0; !err && i < kernel->n_arrays; i++) {
		struct use use = use_of(kernel, i);

		if (use.n)
			err = kernel->array[i].local ? local_array(&s, i, &use)
						     : global_array(&s, i, &use);
	}
	return err ? err : group_sizes(&s, most);
}

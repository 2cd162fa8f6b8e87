// SPDX-License-Identifier: MIT
// Changes of a kernel, tried one by one in predictions.
#include "model/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/number.h"

const char *const lane_change_names[LANE_CHANGE_KINDS] = {
#define C(id, name) [LANE_CHANGE_##id] = name,
	LANE_CHANGES(C)
#undef C
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

static void keep(struct search *s, enum lane_change_kind kind, uint32_t line, const char *detail,
		 double fast, double slow)
{
	struct lane_proposals *found = s->found;
	double error = 1 + s->now.gain_error;
	struct lane_proposal p = { .kind = kind,
				   .line = line,
				   .most = s->now.total / fast * error,
				   .least = s->now.total / slow / error,
				   .gain = s->now.total / ((fast + slow) / 2) };
	uint32_t at = found->n;

	if (!(p.least > 1))
		return;
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
static struct lane_error *times(const struct search *s, struct lane_change change, double further,
				double once, double bytes, double *fast, double *slow)
{
	double groups = s->now.groups_per_unit;
	double best = 0, worst = 0;
	struct lane_error *err =
		model_predict_changed(s->kernel, s->device, s->groups, &change, &best);

	*fast = best;
	*slow = INFINITY;
	if (err || !isfinite(further) || !isfinite(once))
		return err;
	change.further = further;
	change.local_bytes = bytes > 0 ? s->kernel->local_bytes + bytes : 0;
	err = model_predict_changed(s->kernel, s->device, s->groups, &change, &worst);
	worst += once * ceil(groups / s->now.concurrent);
	*fast = fmin(best, worst);
	*slow = fmax(best, worst);
	return err;
}

static struct lane_error *try(struct search *s, enum lane_change_kind kind,
			      struct lane_change change, const char *detail, double further,
			      double once, double bytes)
{
	double fast = 0, slow = 0;
	struct lane_error *err = times(s, change, further, once, bytes, &fast, &slow);

	if (!err)
		keep(s, kind, change.line ? change.line->line : 0, detail, fast, slow);
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

/* The number and layout of copies that gain most, with what it takes to add them up. */
static struct lane_error *copies_of(struct search *s, const struct lane_pattern_line *line,
				    double further)
{
	double fast = 0, slow = 0, words = (double)line->array_bytes / 4;
	char detail[64] = "";

	for (int i = LANE_IF_COPIES; i < LANE_IF_COUNT; i++) {
		uint32_t copies = 2u << (i - LANE_IF_COPIES) % LANE_PATTERN_COPIES;
		struct lane_change change = { .line = line,
					      .cycles = line->what_if[i],
					      .service = line->what_if_service[i] };
		double best = 0, worst = 0;
		struct lane_error *err;

		if (isnan(line->what_if[i]) || line->what_if[i] >= line->cycles)
			continue;
		err = times(s, change, further, add_up(s, words, copies), 4 * words * (copies - 1),
			    &best, &worst);
		if (err)
			return err;
		if (detail[0] && best + worst >= fast + slow)
			continue;
		fast = best;
		slow = worst;
		snprintf(detail, sizeof(detail), "%u copies, %s", copies,
			 model_layout_name(
				 (enum lane_layout)((i - LANE_IF_COPIES) / LANE_PATTERN_COPIES)));
	}
	if (detail[0])
		keep(s, LANE_CHANGE_COPIES, line->line, detail, fast, slow);
	return NULL;
}

static struct lane_error *local_line(struct search *s, const struct lane_pattern_line *line)
{
	int hash =
		line->what_if[LANE_IF_ADD] < line->what_if[LANE_IF_XOR] ? LANE_IF_ADD : LANE_IF_XOR;
	double alu = latency(s, "iadd", "fadd");
	struct lane_change change = { .line = line };
	struct lane_error *err;

	err = copies_of(s, line, 2 * alu);
	if (!err && !isnan(line->what_if[LANE_IF_ROWS])) {
		change.cycles = line->what_if[LANE_IF_ROWS];
		change.service = line->what_if_service[LANE_IF_ROWS];
		err = try(s, LANE_CHANGE_PADDING, change, "word a becomes a + a / banks", 2 * alu,
			  0, (double)line->array_bytes / 32);
	}
	if (!err && !isnan(line->what_if[hash])) {
		change.cycles = line->what_if[hash];
		change.service = line->what_if_service[hash];
		err = try(s, LANE_CHANGE_HASH, change, hash == LANE_IF_XOR ? "xor" : "add", 2 * alu,
			  0, 0);
	}
	if (!err && line->position_degree > 1) {
		change.cycles = line->what_if[LANE_IF_TOGETHER];
		change.service = line->what_if_service[LANE_IF_TOGETHER];
		err = try(s, LANE_CHANGE_TOGETHER, change, "before the atomic",
			  2 * alu * ceil(log2(s->lanes)), 0, 0);
	}
	return err;
}

static struct lane_error *global_line(struct search *s, const struct lane_pattern_line *line)
{
	double alu = latency(s, "iadd", "fadd");
	double words = (double)line->array_bytes / 4;
	struct lane_change change = { .line = line };
	char detail[64];
	struct lane_error *err = NULL;

	if (!isnan(line->private_cycles)) {
		double rounds = ceil(words / (s->kernel->group_warps * (double)s->lanes));

		change.cycles = line->private_cycles;
		change.service = line->private_service;
		change.is_private = 1;
		snprintf(detail, sizeof(detail), "%.0f bytes of local memory a group", 4 * words);
		err = try(s, LANE_CHANGE_PRIVATE, change, detail, 0,
			  add_up(s, words, 1) + rounds * latency(s, "global_atomic", "memory"),
			  4 * words);
	}
	change = (struct lane_change){ .line = line, .is_together = 1 };
	if (!err && line->collision_cycles > 0)
		err = try(s, LANE_CHANGE_TOGETHER, change, "before the atomic",
			  2 * alu * ceil(log2(s->lanes)), 0, 0);
	return err;
}

/*
 * Twice the size, as often as that is possible. What a group does once (clearing, adding up) is in
 * the graph as it is now: with larger groups it is not more. Of smaller ones that is not known.
 */
static struct lane_error *group_sizes(struct search *s, uint32_t most)
{
	uint32_t now = s->kernel->group_warps;
	struct lane_error *err = NULL;

	for (uint32_t warps = 2 * now; !err && warps <= most; warps *= 2) {
		struct lane_change change = { .group_warps = warps };
		uint64_t groups = (s->groups * now + warps - 1) / warps;
		double cycles = 0;
		char detail[64];

		err = model_predict_changed(s->kernel, s->device, groups, &change, &cycles);
		snprintf(detail, sizeof(detail), "%u work-items instead of %u", warps * s->lanes,
			 now * s->lanes);
		if (!err)
			keep(s, LANE_CHANGE_GROUP, 0, detail, cycles, cycles);
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
	for (size_t i = 0; !err && i < kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &kernel->line[i];

		if (line->access == LANE_ACCESS_ATOMIC && line->warps)
			err = line->local ? local_line(&s, line) : global_line(&s, line);
	}
	return err ? err : group_sizes(&s, most);
}

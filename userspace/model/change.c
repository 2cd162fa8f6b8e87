// SPDX-License-Identifier: MIT
// Changes of a kernel, tried one by one in predictions.
#include "model/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/number.h"

#define WORTH 1.005 /* gains below it are left out */

const char *const lane_change_names[LANE_CHANGE_KINDS] = {
#define C(id, name, help) [LANE_CHANGE_##id] = name,
	LANE_CHANGES(C)
#undef C
};

const char *const lane_change_helps[LANE_CHANGE_KINDS] = {
#define C(id, name, help) [LANE_CHANGE_##id] = help,
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

/* An op's latencies in cycles; of another op, or 0, where the device has not got it. */
static void latency(const struct search *s, const char *name, const char *other, double *issue,
		    double *completion)
{
	const struct lane_device_section *op = model_device_section(s->device, "op", name);
	int64_t i, c;

	*issue = *completion = 0;
	if (!op)
		op = model_device_section(s->device, "op", other);
	if (!op)
		return;
	model_op_latency(op, s->now.warps, &i, &c);
	*issue = (double)i / (double)LANE_MICRO;
	*completion = (double)c / (double)LANE_MICRO;
}

static void keep(struct search *s, enum lane_change_kind kind, uint32_t line, const char *detail,
		 double fast, double slow)
{
	struct lane_proposals *found = s->found;
	struct lane_proposal p = { .kind = kind,
				   .line = line,
				   .most = s->now.total / fast,
				   .least = s->now.total / slow,
				   .gain = s->now.total / ((fast + slow) / 2) };
	uint32_t at = found->n;

	if (p.gain < WORTH)
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
 * `further` cycles of each atomic, and `once` cycles of each group, while which the groups that are
 * there at a time wait together.
 */
static struct lane_error *times(const struct search *s, struct lane_change change, double further,
				double once, double *fast, double *slow)
{
	double groups = s->now.groups_per_unit;
	double at_once = fmin(groups, s->now.concurrent);
	double best = 0, worst = 0;
	struct lane_error *err =
		model_predict_changed(s->kernel, s->device, s->groups, &change, &best);

	change.further = further;
	if (!err)
		err = model_predict_changed(s->kernel, s->device, s->groups, &change, &worst);
	if (err)
		return err;
	worst += once * ceil(groups / at_once);
	*fast = fmin(best, worst);
	*slow = fmax(best, worst);
	return NULL;
}

static struct lane_error *try(struct search *s, enum lane_change_kind kind,
			      struct lane_change change, const char *detail, double further,
			      double once)
{
	double fast = 0, slow = 0;
	struct lane_error *err = times(s, change, further, once, &fast, &slow);

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
	double issue, completion, alu_issue, alu;

	latency(s, "local", "memory", &issue, &completion);
	latency(s, "fadd", "fadd", &alu_issue, &alu);
	return (completion + 4 * alu) *
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
		err = times(s, change, further, add_up(s, words, copies), &best, &worst);
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
	double alu_issue, alu;
	struct lane_change change = { .line = line };
	struct lane_error *err;

	latency(s, "iadd", "fadd", &alu_issue, &alu);
	err = copies_of(s, line, 2 * alu);
	if (!err && !isnan(line->what_if[LANE_IF_ROWS])) {
		change.cycles = line->what_if[LANE_IF_ROWS];
		change.service = line->what_if_service[LANE_IF_ROWS];
		err = try(s, LANE_CHANGE_PADDING, change, "word a becomes a + a / banks", 2 * alu,
			  0);
	}
	if (!err && !isnan(line->what_if[hash])) {
		change.cycles = line->what_if[hash];
		change.service = line->what_if_service[hash];
		err = try(s, LANE_CHANGE_HASH, change, hash == LANE_IF_XOR ? "xor" : "add", 2 * alu,
			  0);
	}
	if (!err && line->position_degree > 1) {
		change.cycles = line->what_if[LANE_IF_TOGETHER];
		change.service = line->what_if_service[LANE_IF_TOGETHER];
		err = try(s, LANE_CHANGE_TOGETHER, change, "before the atomic",
			  2 * alu * ceil(log2(s->lanes)), 0);
	}
	return err;
}

static struct lane_error *global_line(struct search *s, const struct lane_pattern_line *line)
{
	double alu_issue, alu, issue, completion;
	double words = (double)line->array_bytes / 4;
	struct lane_change change = { .line = line };
	char detail[64];
	struct lane_error *err = NULL;

	latency(s, "iadd", "fadd", &alu_issue, &alu);
	latency(s, "global_atomic", "memory", &issue, &completion);
	if (!isnan(line->private_cycles)) {
		double rounds = ceil(words / (s->kernel->group_warps * (double)s->lanes));

		change.cycles = line->private_cycles;
		change.service = line->private_service;
		change.is_private = 1;
		snprintf(detail, sizeof(detail), "%.0f bytes of local memory a group", 4 * words);
		err = try(s, LANE_CHANGE_PRIVATE, change, detail, 0,
			  add_up(s, words, 1) + rounds * completion);
	}
	change = (struct lane_change){ .line = line, .is_together = 1 };
	if (!err && line->collision_cycles > 0)
		err = try(s, LANE_CHANGE_TOGETHER, change, "before the atomic",
			  2 * alu * ceil(log2(s->lanes)), 0);
	return err;
}

/* Half and twice the size, as often as that is possible. */
static struct lane_error *group_sizes(struct search *s, uint32_t most)
{
	uint32_t now = s->kernel->group_warps;
	struct lane_error *err = NULL;

	for (uint32_t warps = 1; !err && warps <= most; warps *= 2) {
		struct lane_change change = { .group_warps = warps };
		uint64_t groups = (s->groups * now + warps - 1) / warps;
		double cycles = 0;
		char detail[64];

		if (warps == now || (now % warps && warps % now))
			continue;
		err = model_predict_changed(s->kernel, s->device, groups, &change, &cycles);
		snprintf(detail, sizeof(detail), "%u work-items instead of %u", warps * s->lanes,
			 now * s->lanes);
		/* What a group does once (clearing, adding up) is in the graph as it is now. */
		if (!err)
			keep(s, LANE_CHANGE_GROUP, 0, detail, cycles, fmax(cycles, s->now.total));
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
	found->cycles = s.now.total;
	s.lanes = model_section_whole(unit, "warp");
	most = model_section_whole(unit, "max_group_warps");
	if (most > model_section_whole(unit, "max_warps"))
		most = model_section_whole(unit, "max_warps");
	for (size_t i = 0; !err && i < kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &kernel->line[i];

		if (line->access == LANE_ACCESS_ATOMIC && line->warps)
			err = line->local ? local_line(&s, line) : global_line(&s, line);
	}
	return err ? err : group_sizes(&s, most);
}

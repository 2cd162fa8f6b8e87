// SPDX-License-Identifier: MIT
// A kernel's time by the pipeline model, and what it would save without each part and line.
#include "model/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/local.h"
#include "model/number.h"

#define MEASURED_WARPS 8    /* of [global_atomics] (calibrate.h) */
#define ALONE	       1.25 /* of so many times a latency: its warps waited for nothing else */
#define FULL	       4 /* times that a unit is filled in a simulation; beyond that, time is linear */

const char *const lane_part_names[LANE_PART_COUNT] = {
#define P(id, name) [LANE_PART_##id] = name,
	LANE_PARTS(P)
#undef P
};

struct work {
	struct lane_graph *graph;
	struct lane_binding binding; /* as the device says, without the atomics' costs */
	struct lane_launch launch;
	const struct lane_pattern_kernel *kernel;
	const struct lane_change *change;
	/* [global_atomics] of the device, or NULL: cycles of a warp's access, many warps at once.
	 */
	const struct lane_device_section *measured;
	double lanes;	      /* of a warp */
	double a_cycle;	      /* lanes' atomics on local memory, at most; 0: not known */
	double groups;	      /* of the launch */
	double launch_cycles; /* of a launch, besides */
	struct lane_contend contend;
	struct lane_lacking missing;
};

/* What an atomic costs besides what its op does. */
struct cost {
	double warps; /* of which all else is the sum */
	double cycles;
	double service;
	double base_service; /* without conflicts */
	double further;	     /* arithmetic */
	double position, bank, lock;
	double collisions; /* atomics on global memory */
	/* Those of them that go to local memory. */
	double moved_warps;
	double moved_cycles;
	double moved_service;
};

#define PART(id)  (1u << LANE_PART_##id)
#define CONFLICTS (PART(POSITION) | PART(BANK) | PART(LOCK) | PART(COLLISION))

/* Of local memory's atomics whose cost is not known: what is known of it. */
static double at_least(const struct work *w, const struct lane_pattern_line *line)
{
	if (!isnan(line->base_cycles))
		return line->base_cycles;
	return w->a_cycle > 0 ? (double)line->lanes / w->a_cycle : 0;
}

/* What a change does with a line's atomics. */
static enum lane_array_change change_of(const struct work *w, const struct lane_pattern_line *line)
{
	return w->change && w->change->array == line->array ? w->change->kind : LANE_ARRAY_AS_IS;
}

static void add_global(struct cost *sum, const struct lane_pattern_line *line, const struct work *w)
{
	switch (change_of(w, line)) {
	case LANE_ARRAY_PRIVATE:
	case LANE_ARRAY_BY_GROUP:
		sum->moved_warps += (double)line->warps;
		sum->moved_cycles += line->private_cycles;
		sum->moved_service += line->private_service;
		break;
	case LANE_ARRAY_TOGETHER:
		break;
	default:
		sum->collisions += isnan(line->collision_cycles) ? 0 : line->collision_cycles;
	}
}

static void predict_add_line(struct cost *sum, const struct lane_pattern_line *line,
			     const struct work *w)
{
	enum lane_array_change kind = change_of(w, line);
	int is_known = !isnan(line->cycles);
	int is_changed = kind == LANE_ARRAY_WHAT_IF;

	sum->warps += (double)line->warps;
	if (!line->local)
		add_global(sum, line, w);
	sum->cycles += is_changed ? line->what_if[w->change->what_if]
		       : is_known ? line->cycles
				  : at_least(w, line);
	sum->base_service += line->base_service;
	sum->service += is_changed ? line->what_if_service[w->change->what_if]
			: is_known ? line->service
				   : line->base_service;
	sum->further += kind != LANE_ARRAY_AS_IS ? w->change->further * (double)line->warps : 0;
	if (!is_known)
		return;
	sum->position += line->position_cycles;
	sum->bank += line->bank_cycles;
	sum->lock += line->lock_cycles;
}

/* The kernel's atomics at a source line, or of the whole kernel where the line has none. */
static struct cost atomics_at(const struct work *w, uint32_t source_line, int local)
{
	struct cost at_line = { 0 };
	struct cost all = { 0 };

	for (size_t i = 0; i < w->kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &w->kernel->line[i];

		if (line->access != LANE_ACCESS_ATOMIC || line->local != local)
			continue;
		predict_add_line(&all, line, w);
		if (line->line == source_line)
			predict_add_line(&at_line, line, w);
	}
	return at_line.warps > 0 ? at_line : all;
}

static int64_t predict_micro(double cycles)
{
	return (int64_t)(cycles * (double)LANE_MICRO);
}

/* The pipeline of local memory; the first one where the graph has no access of it. */
static uint8_t local_pipe(const struct work *w)
{
	for (uint8_t i = 0; i < w->binding.n_pipes; i++)
		if (!strcmp(w->binding.pipes[i].name, "local"))
			return i;
	return 0;
}

/* Transactions of the mean access of global memory at a source line; 0 without one. */
static double segments_at(const struct work *w, uint32_t source_line, int atomics)
{
	double segments = 0;
	double warps = 0;

	for (size_t i = 0; i < w->kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &w->kernel->line[i];

		if (line->local || line->line != source_line ||
		    (line->access == LANE_ACCESS_ATOMIC) != atomics)
			continue;
		segments += (double)line->segments;
		warps += (double)line->warps;
	}
	return warps > 0 ? segments / warps : 0;
}

/* Whether nobody uses the results of a line's atomics on global memory. */
static int is_red(const struct work *w, uint32_t source_line)
{
	int is_unused = 1;

	for (size_t i = 0; i < w->kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &w->kernel->line[i];

		if (line->access == LANE_ACCESS_ATOMIC && !line->local && line->line == source_line)
			is_unused &= line->is_unused;
	}
	return is_unused;
}

/*
 * What was measured of an access with MEASURED_WARPS on a unit. Where these only waited for their
 * results one after the other it says nothing of how many accesses there can be: 0.
 */
static double busy_cycles(const struct work *w, const char *access, const char *pattern,
			  double completion)
{
	char key[32];
	double cycles;

	snprintf(key, sizeof(key), "%s_%s", access, pattern);
	cycles = w->measured ? model_section_real(w->measured, key) : 0;
	return cycles * MEASURED_WARPS > ALONE * completion ? cycles : 0;
}

/*
 * How long an access of global memory keeps others out, where that was measured with one
 * transaction (coalesced) and with one for each lane; between the two a straight line. What waits
 * for nothing tells its issue with any number of warps.
 */
static void as_measured(const struct work *w, uint32_t op, int atomic, struct lane_binding *b)
{
	uint32_t line = w->graph->op_line[op];
	double segments = w->measured ? segments_at(w, line, atomic) : 0;
	double part = w->lanes > 1 ? (segments - 1) / (w->lanes - 1) : 0;
	int posted = atomic && is_red(w, line);
	const char *access = !atomic ? "load" : posted ? "red" : "atomic";
	double latency = posted ? 0 : (double)b->completion[op] / (double)LANE_MICRO;
	double issue = (double)b->issue[op] / (double)LANE_MICRO;
	double one = busy_cycles(w, access, "coalesced", latency);
	double all = busy_cycles(w, access, "uncoalesced", latency);

	if (segments < 1 || (one <= 0 && all <= 0))
		return;
	one = one > 0 ? one : issue;
	b->issue[op] = predict_micro(one + (part < 1 ? part : 1) * (all > one ? all - one : 0));
	if (b->completion[op] < b->issue[op])
		b->completion[op] = b->issue[op];
}

/* An atomic on local memory without some of its conflicts. */
static void bind_local(const struct cost *cost, unsigned int parts, int64_t *issue,
		       int64_t *completion)
{
	double n = cost->warps > 0 ? cost->warps : 1;
	double conflicts = cost->position + cost->bank + cost->lock;
	double saved = (parts & PART(POSITION) ? cost->position : 0) +
		       (parts & PART(BANK) ? cost->bank : 0) +
		       (parts & PART(LOCK) ? cost->lock : 0);
	double busy = conflicts > 0 ? saved / conflicts * (cost->service - cost->base_service) : 0;

	*issue = predict_micro((cost->service - busy) / n);
	*completion = predict_micro((cost->cycles - saved + cost->further) / n);
}

static enum lane_part predict_part_of(const char *op)
{
	if (!strcmp(op, "local_atomic") || !strcmp(op, "global_atomic"))
		return LANE_PART_ATOMICS;
	if (!strcmp(op, "memory") || !strcmp(op, "constant") || !strcmp(op, "local"))
		return LANE_PART_MEMORY;
	return LANE_PART_COMPUTE;
}

/*
 * Atomics on global memory of which all, or those of some arrays of the line, go to local memory.
 * Then both share a pipeline here, which is longer than it may be.
 */
static void bind_moved(const struct work *w, const struct cost *cost, uint32_t op,
		       struct lane_binding *b)
{
	double stay = 1 - cost->moved_warps / cost->warps;
	double issue = stay * (double)b->issue[op] / (double)LANE_MICRO;
	double completion = stay * (double)b->completion[op] / (double)LANE_MICRO;

	if (stay <= 0)
		b->pipe[op] = local_pipe(w);
	b->issue[op] =
		predict_micro(issue + (cost->moved_service + cost->collisions) / cost->warps);
	b->completion[op] = predict_micro(
		completion + (cost->moved_cycles + cost->collisions + cost->further) / cost->warps);
}

/* The latencies without some parts of the work (bits), at one source line or (NULL) everywhere. */
static void predict_bind(const struct work *w, unsigned int without, const uint32_t *at,
			 struct lane_binding *b)
{
	*b = w->binding;
	for (uint32_t i = 0; i < w->graph->n_ops; i++) {
		const char *op = w->graph->op[i];
		uint32_t line = w->graph->op_line[i];
		unsigned int parts = !at || *at == line ? without : 0;
		int is_local = !strcmp(op, "local_atomic");
		int is_global = !strcmp(op, "global_atomic");
		struct cost cost = { 0 };
		double n;

		if (parts & 1u << predict_part_of(op)) {
			b->issue[i] = b->completion[i] = 0;
			continue;
		}
		if (is_local || is_global)
			cost = atomics_at(w, line, is_local);
		n = cost.warps > 0 ? cost.warps : 1;
		if (is_global || !strcmp(op, "memory"))
			as_measured(w, i, is_global, b);
		if (is_global && cost.moved_warps > 0) {
			bind_moved(w, &cost, i, b);
			continue;
		}
		if (is_local)
			bind_local(&cost, parts, &b->issue[i], &b->completion[i]);
		else if (is_global && !(parts & PART(COLLISION))) {
			b->issue[i] += predict_micro(cost.collisions / n);
			b->completion[i] += predict_micro((cost.collisions + cost.further) / n);
		}
	}
}

static struct lane_error *cycles_of(const struct work *w, const struct lane_binding *binding,
				    uint32_t groups, double *cycles, struct lane_pipeline_run *run)
{
	struct lane_launch launch = w->launch;
	struct lane_error *err;

	launch.groups = groups;
	err = model_pipeline_run(w->graph, binding, &launch, run);
	if (!err)
		*cycles = (double)run->cycles / (double)LANE_MICRO;
	return err;
}

/* A compute unit's cycles; many groups are extrapolated from how long more of them take. */
static struct lane_error *predict_simulate(const struct work *w, const struct lane_binding *binding,
					   double *cycles, struct lane_pipeline_run *run)
{
	uint32_t most = FULL * w->launch.concurrent;
	struct lane_pipeline_run half_run;
	double half = 0;
	struct lane_error *err;

	if (w->launch.groups <= most)
		return cycles_of(w, binding, w->launch.groups, cycles, run);
	err = cycles_of(w, binding, most, cycles, run);
	if (!err)
		err = cycles_of(w, binding, most / 2, &half, &half_run);
	if (!err)
		*cycles += (*cycles - half) / (most - most / 2) * (w->launch.groups - most);
	return err;
}

/* Launches in the file are more or less than the launch: a part of them, and of what was left out.
 */
static double part_of_file(const struct work *w)
{
	const struct lane_pattern_kernel *k = w->kernel;
	double judged = (double)k->judged;

	return k->groups && judged > 0
		       ? w->groups / (double)k->groups * (judged + (double)k->left_out) / judged
		       : 0;
}

/* Whether nobody uses a result of the array's atomics. */
static int is_unused(const struct lane_pattern_kernel *kernel, uint32_t array)
{
	for (size_t i = 0; i < kernel->n_lines; i++)
		if (kernel->line[i].array == array &&
		    kernel->line[i].access == LANE_ACCESS_ATOMIC && !kernel->line[i].is_unused)
			return 0;
	return 1;
}

/* What an array's atomics give the slices to do in the launch. */
static struct lane_slices_load load_of(const struct work *w, uint32_t i, int least)
{
	const struct lane_pattern_array *array = &w->kernel->array[i];
	enum lane_array_change kind =
		w->change && w->change->array == i ? w->change->kind : LANE_ARRAY_AS_IS;
	/* Whether a compiler knows that lanes want one word cannot be seen: it may add them up. */
	int may_be_together = least && w->contend.is_aggregated && is_unused(w->kernel, i);
	struct lane_slices_load load =
		kind == LANE_ARRAY_TOGETHER || may_be_together ? array->together : array->now;

	if (array->local || load.chunks <= 0)
		return (struct lane_slices_load){ .sum = 0 };
	if (kind == LANE_ARRAY_PRIVATE || kind == LANE_ARRAY_BY_GROUP)
		return model_contend_copies(&w->contend, array->bytes, w->groups,
					    kind == LANE_ARRAY_BY_GROUP);
	load.most *= part_of_file(w);
	load.sum *= part_of_file(w);
	return load;
}

/* Cycles of the slices of the shared cache. */
static double slices_cycles(const struct work *w, int least)
{
	struct lane_slices_load all = { .sum = 0 };

	for (uint32_t i = 0; i < w->kernel->n_arrays; i++) {
		struct lane_slices_load load = load_of(w, i, least);

		model_contend_join(&all, &load);
	}
	return model_contend_cycles(&w->contend, &all, least);
}

/* Whether compare-and-exchange of an array is in a loop: it is tried until it finds what it wants.
 */
static int is_retried(const struct lane_pattern_kernel *kernel, uint32_t array)
{
	for (size_t i = 0; i < kernel->n_lines; i++)
		if (kernel->line[i].array == array && kernel->line[i].is_loop &&
		    kernel->line[i].access == LANE_ACCESS_SWAP)
			return 1;
	return 0;
}

/*
 * Compare-and-exchanges of a word come one after the other: who comes too late must see the new
 * value first, a way to the memory and back. NULL where each word has one at most.
 */
static const struct lane_pattern_array *swaps(const struct work *w,
					      const struct lane_device *device, double *cycles)
{
	const struct lane_device_section *memory = model_device_section(device, "op", "memory");
	const struct lane_pattern_array *worst = NULL;
	double each = w->contend.retry;

	if (!w->contend.is_retry_known)
		each = memory ? model_section_real(memory, "completion") : 0;
	*cycles = 0;
	for (uint32_t i = 0; i < w->kernel->n_arrays; i++) {
		const struct lane_pattern_array *array = &w->kernel->array[i];

		if (array->swaps / (double)w->kernel->launches < 2 || !is_retried(w->kernel, i) ||
		    array->swaps * part_of_file(w) * each < *cycles)
			continue;
		*cycles = array->swaps * part_of_file(w) * each;
		worst = array;
	}
	return worst;
}

/*
 * What is left of the shared cache's time without the atomics of a source line, or of all: by their
 * share of what the slices have to do. Of compare-and-exchanges all or nothing.
 */
static double shared_without(const struct work *w, const struct lane_prediction *p,
			     unsigned int without, const uint32_t *at)
{
	double all = 0, gone = 0, swaps = p->swap_cycles;

	for (size_t i = 0; i < w->kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &w->kernel->line[i];

		all += line->load;
		if (!(without & (PART(ATOMICS) | PART(COLLISION))) || (at && *at != line->line))
			continue;
		gone += line->load;
		if (line->access == LANE_ACCESS_SWAP && line->array == p->array)
			swaps = 0;
	}
	return fmax(swaps, p->slices_cycles * (all > 0 ? 1 - gone / all : 1));
}

/*
 * What the launch would save without some of its work. With less to do a kernel may take a little
 * longer, because its warps meet otherwise: then it saves nothing.
 */
static struct lane_error *predict_save(const struct work *w, const struct lane_binding *whole,
				       const struct lane_prediction *p, unsigned int without,
				       const uint32_t *at, double *saved)
{
	struct lane_binding binding;
	struct lane_pipeline_run run;
	double cycles = p->unit_cycles;
	struct lane_error *err = NULL;

	*saved = NAN;
	if (w->missing.text[0])
		return NULL;
	predict_bind(w, without, at, &binding);
	if (memcmp(binding.issue, whole->issue, sizeof(binding.issue)) != 0 ||
	    memcmp(binding.completion, whole->completion, sizeof(binding.completion)) != 0)
		err = predict_simulate(w, &binding, &cycles, &run);
	cycles = fmax(cycles, shared_without(w, p, without, at));
	*saved = cycles < p->total ? p->total - cycles : 0;
	return err;
}

/* The line's own entry; they stay sorted. NULL when it is there already. */
static struct lane_predicted_line *line_entry(struct lane_prediction *p, uint32_t line)
{
	uint32_t at = 0;

	while (at < p->n_lines && p->line[at].line < line)
		at++;
	if (at < p->n_lines && p->line[at].line == line)
		return NULL;
	memmove(&p->line[at + 1], &p->line[at], (p->n_lines - at) * sizeof(p->line[0]));
	p->line[at] = (struct lane_predicted_line){ .line = line };
	p->n_lines++;
	return &p->line[at];
}

/* How busy the servers were: the memory with atomics, and the busiest pipeline. */
static void utilise(const struct work *w, const struct lane_binding *binding,
		    const struct lane_pipeline_run *run, struct lane_prediction *p)
{
	const struct lane_graph *graph = w->graph;
	double groups = (double)run->instructions / graph->n_nodes; /* warps, in fact */
	double atomics = 0;
	uint32_t busiest = 0;

	if (run->cycles <= 0)
		return;
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (!strcmp(graph->op[graph->node_op[i]], "local_atomic"))
			atomics += (double)binding->issue[graph->node_op[i]];
	p->local_utilisation = atomics * groups / (double)run->cycles;
	for (uint32_t i = 1; i < run->n_pipes; i++)
		if (run->pipes[i].busy > run->pipes[busiest].busy)
			busiest = i;
	p->busiest_utilisation = (double)run->pipes[busiest].busy / (double)run->cycles;
	memcpy(p->busiest, run->pipes[busiest].name, sizeof(p->busiest));
}

/* A run with everything, and one without each part and each source line. */
static struct lane_error *predict_divide(const struct work *w, struct lane_prediction *p)
{
	const struct lane_graph *graph = w->graph;
	struct lane_binding whole;
	struct lane_pipeline_run run;
	struct lane_error *err;

	predict_bind(w, 0, NULL, &whole);
	err = predict_simulate(w, &whole, &p->unit_cycles, &run);
	p->total = fmax(p->unit_cycles, fmax(p->slices_cycles, p->swap_cycles));
	if (!err)
		utilise(w, &whole, &run, p);
	for (int part = 0; !err && part < LANE_PART_COUNT; part++)
		err = predict_save(w, &whole, p, 1u << part, NULL, &p->saves[part]);
	for (uint32_t i = 0; !err && i < graph->n_ops; i++) {
		const uint32_t *at = &graph->op_line[i];
		struct lane_predicted_line *line = line_entry(p, *at);

		if (!line)
			continue;
		err = predict_save(w, &whole, p, ~0u, at, &line->saves);
		if (!err)
			err = predict_save(w, &whole, p, CONFLICTS, at, &line->conflicts);
	}
	return err;
}

/* As many groups at a time as warps, groups and a changed local memory of a unit allow. */
static struct lane_error *predict_prepare(struct work *w, const struct lane_device *device,
					  const struct lane_device_section *unit,
					  uint32_t group_warps, uint64_t groups)
{
	uint32_t max_warps = model_section_whole(unit, "max_warps");
	uint32_t warps = max_warps ? max_warps : LANE_PIPELINE_WARPS;
	uint32_t slots = model_section_whole(unit, "max_groups");
	uint32_t units = model_section_whole(unit, "units");
	uint64_t per_unit = (groups + units - 1) / units;
	uint64_t most;

	if (!group_warps || group_warps > warps)
		return lane_error("a group of %u warps does not fit the device's %u", group_warps,
				  warps);
	most = per_unit < warps / group_warps ? per_unit : warps / group_warps;
	if (!max_warps && most > 1 &&
	    most * group_warps > model_section_whole(unit, "max_group_warps"))
		model_lacks(&w->missing, "[device] max_warps");
	if (!slots && most > LANE_SURE_GROUPS)
		model_lacks(&w->missing, "[device] max_groups");
	if (slots && most > slots)
		most = slots;
	if (w->change && w->change->local_bytes > 0)
		most = (uint64_t)fmax(
			1, fmin((double)most, model_local_bytes(device) / w->change->local_bytes));
	w->launch = (struct lane_launch){
		.groups = per_unit > UINT32_MAX ? UINT32_MAX : (uint32_t)per_unit,
		.group_warps = group_warps,
		.concurrent = (uint32_t)most,
		.issue_limit = model_section_whole(unit, "issue_limit"),
	};
	return NULL;
}

/* What atomics need to be known. */
static void need_atomics(struct work *w)
{
	for (size_t i = 0; i < w->kernel->n_lines; i++) {
		const struct lane_pattern_line *line = &w->kernel->line[i];

		if (line->access != LANE_ACCESS_ATOMIC || !line->warps)
			continue;
		if (isnan(line->base_cycles))
			model_lacks(&w->missing, "[atomic_unit]");
		else if (isnan(line->position_cycles))
			model_lacks(&w->missing, "[atomic_unit] same_word");
		else if (isnan(line->cycles))
			model_lacks(&w->missing, "[atomic_unit] same_bank");
		if (!w->contend.is_known && isnan(line->collision_cycles))
			model_lacks(&w->missing, "[global_atomics] same_word");
	}
}

/* Reads the graph and binds it; the caller frees work->graph. */
static struct lane_error *predict_begin(struct work *w, const struct lane_device *device,
					uint64_t groups, uint32_t group_warps,
					const struct lane_device_section **unit)
{
	LANE_CLEANUP(lane_free) char *text = w->kernel->graph ? strdup(w->kernel->graph) : NULL;
	struct lane_error *err = model_device_need(device, "device", "", unit);
	const struct lane_device_section *local = model_device_section(device, "local_memory", "");

	if (err)
		return err;
	if (!w->kernel->graph)
		return lane_error("%s: the pattern file has no graph of it", w->kernel->name);
	if (!text)
		return &lane_enomem;
	model_contend_init(&w->contend, device);
	w->groups = (double)(groups ? groups : 1);
	need_atomics(w);
	err = model_graph_parse(text, w->kernel->name, &w->graph);
	if (!err)
		err = predict_prepare(w, device, *unit, group_warps, groups ? groups : 1);
	if (err)
		return err;
	w->lanes = model_section_whole(*unit, "warp");
	w->a_cycle = local ? model_section_real(local, "atomics_a_cycle") : 0;
	w->measured = model_device_section(device, "global_atomics", "");
	w->launch_cycles =
		model_section_real(*unit, "launch_us") * model_section_real(*unit, "clock_mhz");
	return model_binding_make(device, w->graph, w->launch.concurrent * w->launch.group_warps,
				  &w->binding, &w->missing);
}

/* The largest uncertainty of the ops', accesses' and atomics' numbers, as a part of each. */
static double predict_doubt(const struct work *w, const struct lane_device *device)
{
	static const char *const accesses[] = { "load_coalesced",   "load_uncoalesced",
						"atomic_coalesced", "atomic_uncoalesced",
						"atomic_single",    "red_coalesced",
						"red_uncoalesced" };
	double worst = fmax(w->binding.doubt, model_local_doubt(device));

	for (size_t i = 0; w->measured && i < sizeof(accesses) / sizeof(accesses[0]); i++)
		worst = fmax(worst, model_section_doubt(w->measured, accesses[i]));
	return worst;
}

/* Whether work-groups of a launch may meet on words of global memory. */
static int may_meet(const struct work *w)
{
	for (size_t i = 0; w->groups > 1 && i < w->kernel->n_lines; i++)
		if (!w->kernel->line[i].local && w->kernel->line[i].warps &&
		    w->kernel->line[i].access == LANE_ACCESS_ATOMIC)
			return 1;
	return 0;
}

/* The array that takes most of the slices' time. */
static uint32_t busiest_array(const struct work *w)
{
	uint32_t busiest = 0;
	double most = -1;

	for (uint32_t i = 0; i < w->kernel->n_arrays; i++) {
		struct lane_slices_load load = load_of(w, i, 0);
		double cycles = model_contend_cycles(&w->contend, &load, 0);

		if (cycles > most)
			busiest = i;
		most = fmax(most, cycles);
	}
	return busiest;
}

/*
 * The time's bounds. A unit's cycles and those of the shared cache overlap, and each is wrong in
 * its own way; of compare-and-exchanges the cycles are a bound from below.
 */
static void predict_bound(const struct work *w, double ns_a_cycle, double doubt, int is_retried,
			  struct lane_prediction *p)
{
	double slices = 1 + w->contend.error;

	p->shared_error = w->contend.error;
	p->ns_a_cycle = ns_a_cycle;
	p->launch_cycles = w->launch_cycles;
	p->ns = (p->total + w->launch_cycles) * ns_a_cycle;
	p->least_ns = (fmax(fmax(p->unit_cycles / (1 + p->error), slices_cycles(w, 1) / slices),
			    p->swap_cycles / (1 + doubt)) +
		       w->launch_cycles / (1 + p->error)) *
		      ns_a_cycle;
	p->most_ns = ((fmax(p->unit_cycles, p->swap_cycles) + w->launch_cycles) * (1 + p->error) +
		      p->slices_cycles * slices) *
		     ns_a_cycle;
	if (may_meet(w) && !w->contend.is_known) {
		snprintf(p->unbounded, sizeof(p->unbounded),
			 "the device does not know [contention]: how long groups wait that meet on "
			 "words of global memory");
		p->most_ns = NAN;
	} else if (is_retried && !w->contend.is_retry_known) {
		snprintf(p->unbounded, sizeof(p->unbounded),
			 "the device does not know [contention] retry: compare-and-exchanges that "
			 "are tried again");
		p->most_ns = NAN;
	}
}

struct lane_error *model_predict(const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device, uint64_t groups,
				 struct lane_prediction *p)
{
	struct work work = { .kernel = kernel };
	const struct lane_device_section *unit = NULL;
	struct lane_error *err = predict_begin(&work, device, groups, kernel->group_warps, &unit);
	const struct lane_pattern_array *swapped = NULL;

	memset(p, 0, sizeof(*p));
	if (!err) {
		p->slices_cycles = slices_cycles(&work, 0);
		swapped = swaps(&work, device, &p->swap_cycles);
		p->array = swapped && p->swap_cycles > p->slices_cycles
				   ? (uint32_t)(swapped - kernel->array)
				   : busiest_array(&work);
		err = predict_divide(&work, p);
	}
	if (!err) {
		p->error = model_section_real(unit, "error_percent") / 100 +
			   predict_doubt(&work, device);
		p->gain_error = model_section_gives(unit, "gain_error_percent")
					? model_section_real(unit, "gain_error_percent") / 100 +
						  predict_doubt(&work, device)
					: (1 + p->error) * (1 + p->error) - 1;
		predict_bound(&work, 1000 / model_section_real(unit, "clock_mhz"),
			      predict_doubt(&work, device), swapped != NULL, p);
		p->missing = work.missing;
		p->groups_per_unit = work.launch.groups;
		p->concurrent = work.launch.concurrent;
		p->warps = p->concurrent * work.launch.group_warps;
	}
	model_graph_free(work.graph);
	return err;
}

struct lane_error *model_predict_changed(const struct lane_pattern_kernel *kernel,
					 const struct lane_device *device, uint64_t groups,
					 const struct lane_change *change,
					 struct lane_changed *changed)
{
	struct work work = { .kernel = kernel, .change = change };
	uint32_t group_warps = change->group_warps ? change->group_warps : kernel->group_warps;
	const struct lane_device_section *unit = NULL;
	struct lane_binding binding;
	struct lane_pipeline_run run;
	struct lane_error *err = predict_begin(&work, device, groups, group_warps, &unit);
	double swapped = 0, shared;

	if (!err) {
		/* With groups of another size there are as many work-items in all. */
		work.groups *= (double)group_warps / kernel->group_warps;
		swaps(&work, device, &swapped);
		predict_bind(&work, 0, NULL, &binding);
		err = predict_simulate(&work, &binding, &changed->cycles, &run);
		shared = fmax(swapped, slices_cycles(&work, 0));
		changed->is_shared = shared >= changed->cycles;
		changed->cycles = fmax(changed->cycles, shared);
		if (work.missing.text[0])
			changed->cycles = INFINITY;
	}
	model_graph_free(work.graph);
	return err;
}

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
	double lanes;	/* of a warp */
	double a_cycle; /* lanes' atomics on local memory, at most; 0: not known */
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

static void add_line(struct cost *sum, const struct lane_pattern_line *line, const struct work *w)
{
	const struct lane_change *change = w->change;
	int is_known = !isnan(line->cycles);
	int is_changed = change && change->line == line;
	int is_moved = is_changed && (change->is_private || change->is_together);

	sum->warps += (double)line->warps;
	sum->collisions += is_moved || isnan(line->collision_cycles) ? 0 : line->collision_cycles;
	sum->cycles += is_changed ? change->cycles : is_known ? line->cycles : at_least(w, line);
	sum->base_service += line->base_service;
	sum->service += is_changed ? change->service
			: is_known ? line->service
				   : line->base_service;
	sum->further += is_changed ? change->further * (double)line->warps : 0;
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
		add_line(&all, line, w);
		if (line->line == source_line)
			add_line(&at_line, line, w);
	}
	return at_line.warps > 0 ? at_line : all;
}

static int64_t micro(double cycles)
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
	b->issue[op] = micro(one + (part < 1 ? part : 1) * (all > one ? all - one : 0));
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

	*issue = micro((cost->service - busy) / n);
	*completion = micro((cost->cycles - saved + cost->further) / n);
}

static enum lane_part part_of(const char *op)
{
	if (!strcmp(op, "local_atomic") || !strcmp(op, "global_atomic"))
		return LANE_PART_ATOMICS;
	if (!strcmp(op, "memory") || !strcmp(op, "constant") || !strcmp(op, "local"))
		return LANE_PART_MEMORY;
	return LANE_PART_COMPUTE;
}

/* The latencies without some parts of the work (bits), at one source line or (NULL) everywhere. */
static void bind(const struct work *w, unsigned int without, const uint32_t *at,
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

		if (parts & 1u << part_of(op)) {
			b->issue[i] = b->completion[i] = 0;
			continue;
		}
		if (is_local || is_global)
			cost = atomics_at(w, line, is_local);
		n = cost.warps > 0 ? cost.warps : 1;
		if (is_global && w->change && w->change->line && w->change->is_private &&
		    w->change->line->line == line) {
			b->pipe[i] = local_pipe(w);
			b->issue[i] = micro(w->change->service / n);
			b->completion[i] = micro(w->change->cycles / n);
			continue;
		}
		if (is_global || !strcmp(op, "memory"))
			as_measured(w, i, is_global, b);
		if (is_local)
			bind_local(&cost, parts, &b->issue[i], &b->completion[i]);
		else if (is_global && !(parts & PART(COLLISION))) {
			b->issue[i] += micro(cost.collisions / n);
			b->completion[i] += micro((cost.collisions + cost.further) / n);
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
static struct lane_error *simulate(const struct work *w, const struct lane_binding *binding,
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

/*
 * What the launch would save without some of its work. With less to do a kernel may take a little
 * longer, because its warps meet otherwise: then it saves nothing.
 */
static struct lane_error *save(const struct work *w, const struct lane_binding *whole, double total,
			       unsigned int without, const uint32_t *at, double *saved)
{
	struct lane_binding binding;
	struct lane_pipeline_run run;
	double cycles = total;
	struct lane_error *err = NULL;

	*saved = NAN;
	if (w->missing.text[0])
		return NULL;
	bind(w, without, at, &binding);
	if (memcmp(binding.issue, whole->issue, sizeof(binding.issue)) != 0 ||
	    memcmp(binding.completion, whole->completion, sizeof(binding.completion)) != 0)
		err = simulate(w, &binding, &cycles, &run);
	*saved = cycles < total ? total - cycles : 0;
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
static struct lane_error *divide(const struct work *w, struct lane_prediction *p)
{
	const struct lane_graph *graph = w->graph;
	struct lane_binding whole;
	struct lane_pipeline_run run;
	struct lane_error *err;

	bind(w, 0, NULL, &whole);
	err = simulate(w, &whole, &p->total, &run);
	if (!err)
		utilise(w, &whole, &run, p);
	for (int part = 0; !err && part < LANE_PART_COUNT; part++)
		err = save(w, &whole, p->total, 1u << part, NULL, &p->saves[part]);
	for (uint32_t i = 0; !err && i < graph->n_ops; i++) {
		const uint32_t *at = &graph->op_line[i];
		struct lane_predicted_line *line = line_entry(p, *at);

		if (!line)
			continue;
		err = save(w, &whole, p->total, ~0u, at, &line->saves);
		if (!err)
			err = save(w, &whole, p->total, CONFLICTS, at, &line->conflicts);
	}
	return err;
}

/* As many groups at a time as warps, groups and a changed local memory of a unit allow. */
static struct lane_error *prepare(struct work *w, const struct lane_device *device,
				  const struct lane_device_section *unit, uint32_t group_warps,
				  uint64_t groups)
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
		if (isnan(line->collision_cycles))
			model_lacks(&w->missing, "[global_atomics] same_word");
	}
}

/* Reads the graph and binds it; the caller frees work->graph. */
static struct lane_error *begin(struct work *w, const struct lane_device *device, uint64_t groups,
				uint32_t group_warps, const struct lane_device_section **unit)
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
	need_atomics(w);
	err = model_graph_parse(text, w->kernel->name, &w->graph);
	if (!err)
		err = prepare(w, device, *unit, group_warps, groups ? groups : 1);
	if (err)
		return err;
	w->lanes = model_section_whole(*unit, "warp");
	w->a_cycle = local ? model_section_real(local, "atomics_a_cycle") : 0;
	w->measured = model_device_section(device, "global_atomics", "");
	return model_binding_make(device, w->graph, w->launch.concurrent * w->launch.group_warps,
				  &w->binding, &w->missing);
}

/* The largest uncertainty of the ops', accesses' and atomics' numbers, as a part of each. */
static double doubt(const struct work *w, const struct lane_device *device)
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

/* Lanes of a launch on global memory, one after the other; NAN where that is not known. */
static double serial_cycles(const struct lane_pattern_kernel *kernel, uint64_t groups)
{
	double cycles = 0;

	for (size_t i = 0; i < kernel->n_lines; i++)
		if (!kernel->line[i].local)
			cycles += kernel->line[i].serial_cycles;
	return kernel->groups && groups > 1 ? cycles * (double)groups / (double)kernel->groups : 0;
}

struct lane_error *model_predict(const struct lane_pattern_kernel *kernel,
				 const struct lane_device *device, uint64_t groups,
				 struct lane_prediction *p)
{
	struct work work = { .kernel = kernel };
	const struct lane_device_section *unit = NULL;
	struct lane_error *err = begin(&work, device, groups, kernel->group_warps, &unit);

	memset(p, 0, sizeof(*p));
	if (!err)
		err = divide(&work, p);
	if (!err) {
		p->ns = p->total * 1000 / model_section_real(unit, "clock_mhz");
		p->error = model_section_real(unit, "error_percent") / 100 + doubt(&work, device);
		p->gain_error = model_section_gives(unit, "gain_error_percent")
					? model_section_real(unit, "gain_error_percent") / 100 +
						  doubt(&work, device)
					: (1 + p->error) * (1 + p->error) - 1;
		p->collisions_ns = serial_cycles(kernel, groups) * 1000 /
				   model_section_real(unit, "clock_mhz");
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
					 const struct lane_change *change, double *cycles)
{
	struct work work = { .kernel = kernel, .change = change };
	uint32_t group_warps = change->group_warps ? change->group_warps : kernel->group_warps;
	const struct lane_device_section *unit = NULL;
	struct lane_binding binding;
	struct lane_pipeline_run run;
	struct lane_error *err = begin(&work, device, groups, group_warps, &unit);

	if (!err) {
		bind(&work, 0, NULL, &binding);
		err = simulate(&work, &binding, cycles, &run);
		if (work.missing.text[0])
			*cycles = INFINITY;
	}
	model_graph_free(work.graph);
	return err;
}

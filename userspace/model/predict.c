// SPDX-License-Identifier: MIT
// A kernel's time in parts: the pipeline model, run with less and less in the graph.
#include "model/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/number.h"

#define FULL 4 /* times that a unit is filled in a simulation; beyond that, time is linear */

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
	double lanes; /* of a warp */
};

/* What an atomic costs besides what its op does. */
struct cost {
	double warps; /* of which all else is the sum */
	double cycles;
	double conflicts; /* of them */
	double service;
	double base_service;
	double further; /* arithmetic */
	double position, bank, lock;
	double collisions; /* atomics on global memory */
};

/* How much of the kernel is in the graph. */
enum extent {
	WITHOUT_MEMORY,
	WITHOUT_COLLISIONS,
	WITHOUT_ATOMICS,
	WITHOUT_CONFLICTS,
	EVERYTHING,
	EXTENTS
};

static void add_line(struct cost *sum, const struct lane_pattern_line *line,
		     const struct lane_change *change)
{
	int is_changed = change && change->line == line;
	int is_moved = is_changed && (change->is_private || change->is_together);
	double cycles = is_changed ? change->cycles : line->cycles;
	double service = is_changed ? change->service : line->service;
	double conflicts = line->position_cycles + line->bank_cycles + line->lock_cycles;
	double base = line->cycles - conflicts;

	sum->warps += (double)line->warps;
	sum->collisions += is_moved ? 0 : line->collision_cycles;
	sum->cycles += cycles;
	sum->conflicts += cycles > base ? cycles - base : 0;
	sum->service += service;
	/* With conflicts the memory is busy longer by no more than the atomic takes longer. */
	sum->base_service += line->cycles > 0 ? service * (base / line->cycles) : 0;
	sum->further += is_changed ? change->further * (double)line->warps : 0;
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
		add_line(&all, line, w->change);
		if (line->line == source_line)
			add_line(&at_line, line, w->change);
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

/*
 * How long an access of global memory keeps others out, where that was measured with one
 * transaction (coalesced) and with one for each lane; between the two a straight line.
 */
static void as_measured(const struct work *w, uint32_t op, int atomic, struct lane_binding *b)
{
	const struct lane_device_section *m = w->measured;
	double one = m ? model_section_real(m, atomic ? "atomic_coalesced" : "load_coalesced") : 0;
	double all =
		m ? model_section_real(m, atomic ? "atomic_uncoalesced" : "load_uncoalesced") : 0;
	double segments = one > 0 && all > 0 ? segments_at(w, w->graph->op_line[op], atomic) : 0;
	double part = w->lanes > 1 ? (segments - 1) / (w->lanes - 1) : 0;

	if (segments < 1)
		return;
	b->issue[op] = micro(one + (part < 1 ? part : 1) * (all > one ? all - one : 0));
	if (b->completion[op] < b->issue[op])
		b->completion[op] = b->issue[op];
}

/* The latencies with so much of the kernel in the graph. */
static void bind(const struct work *w, enum extent extent, struct lane_binding *b)
{
	*b = w->binding;
	for (uint32_t i = 0; i < w->graph->n_ops; i++) {
		const char *op = w->graph->op[i];
		int is_local = !strcmp(op, "local_atomic");
		int is_global = !strcmp(op, "global_atomic");
		struct cost cost = { 0 };
		double n;

		if (is_local || is_global)
			cost = atomics_at(w, w->graph->op_line[i], is_local);
		n = cost.warps > 0 ? cost.warps : 1;
		if (is_global && w->change && w->change->line && w->change->is_private &&
		    w->change->line->line == w->graph->op_line[i]) {
			b->pipe[i] = local_pipe(w);
			b->issue[i] = micro(w->change->service / n);
			b->completion[i] = micro(w->change->cycles / n);
			continue;
		}
		if (is_global || !strcmp(op, "memory"))
			as_measured(w, i, is_global, b);
		if (is_local && extent <= WITHOUT_ATOMICS) {
			b->issue[i] = b->completion[i] = 0;
		} else if (is_local && extent == WITHOUT_CONFLICTS) {
			b->issue[i] = micro(cost.base_service / n);
			b->completion[i] = micro((cost.cycles - cost.conflicts) / n);
		} else if (is_local) {
			b->issue[i] = micro(cost.service / n);
			b->completion[i] = micro((cost.cycles + cost.further) / n);
		} else if (extent == WITHOUT_MEMORY &&
			   (is_global || !strcmp(op, "memory") || !strcmp(op, "constant") ||
			    !strcmp(op, "local"))) {
			b->issue[i] = b->completion[i] = 0;
		} else if (is_global && extent > WITHOUT_COLLISIONS) {
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
static struct lane_error *simulate(const struct work *w, enum extent extent, double *cycles,
				   struct lane_pipeline_run *run)
{
	uint32_t most = FULL * w->launch.concurrent;
	struct lane_binding binding;
	struct lane_pipeline_run half_run;
	double half = 0;
	struct lane_error *err;

	bind(w, extent, &binding);
	if (w->launch.groups <= most)
		return cycles_of(w, &binding, w->launch.groups, cycles, run);
	err = cycles_of(w, &binding, most, cycles, run);
	if (!err)
		err = cycles_of(w, &binding, most / 2, &half, &half_run);
	if (!err)
		*cycles += (*cycles - half) / (most - most / 2) * (w->launch.groups - most);
	return err;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* The line's own entry; they stay sorted. */
static struct lane_predicted_line *line_entry(struct lane_prediction *p, uint32_t line)
{
	uint32_t at = 0;

	while (at < p->n_lines && p->line[at].line < line)
		at++;
	if (at < p->n_lines && p->line[at].line == line)
		return &p->line[at];
	memmove(&p->line[at + 1], &p->line[at], (p->n_lines - at) * sizeof(p->line[0]));
	p->line[at] = (struct lane_predicted_line){ .line = line };
	p->n_lines++;
	return &p->line[at];
}

/* Then warps wait for each other's service, not for their own latency. */
static int pipe_is_full(const struct lane_pipeline_run *run, uint8_t pipe)
{
	return (double)run->pipes[pipe].busy > 0.9 * (double)run->cycles;
}

/* Shares the total out among the source lines, as long as the warps waited for each. */
static void share_out(const struct work *w, const struct lane_pipeline_run *run,
		      struct lane_prediction *p)
{
	const struct lane_graph *graph = w->graph;
	double all = 0;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		all += (double)run->waited[i];
	for (uint32_t i = 0; all > 0 && i < graph->n_ops; i++) {
		const char *op = graph->op[i];
		int is_local = !strcmp(op, "local_atomic");
		int is_global = !strcmp(op, "global_atomic");
		double cycles = p->total * (double)run->waited[i] / all;
		struct lane_predicted_line *line = line_entry(p, graph->op_line[i]);

		if (is_local || is_global) {
			struct cost cost = atomics_at(w, graph->op_line[i], is_local);
			int is_full = pipe_is_full(run, w->binding.pipe[i]);
			double whole = is_local ? cost.cycles : cost.collisions;
			double bad = is_local ? cost.conflicts : cost.collisions;
			int64_t plain = is_full ? w->binding.issue[i] : w->binding.completion[i];

			if (is_global) /* what the memory itself takes is no conflict */
				whole += cost.warps * (double)plain / (double)LANE_MICRO;
			if (is_local && is_full) {
				whole = cost.service;
				bad = cost.service - cost.base_service;
			}
			line->conflicts += whole > 0 ? cycles * bad / whole : 0;
			line->atomics += whole > 0 ? cycles * (1 - bad / whole) : cycles;
		} else if (!strcmp(op, "memory") || !strcmp(op, "constant") ||
			   !strcmp(op, "local")) {
			line->memory += cycles;
		} else {
			line->compute += cycles;
		}
	}
}

/* How busy the servers were: the memory with atomics, and the busiest pipeline. */
static void utilise(const struct work *w, const struct lane_pipeline_run *run,
		    struct lane_prediction *p)
{
	const struct lane_graph *graph = w->graph;
	double groups = (double)run->instructions / graph->n_nodes; /* warps, in fact */
	struct lane_binding binding;
	double atomics = 0;
	uint32_t busiest = 0;

	if (run->cycles <= 0)
		return;
	bind(w, EVERYTHING, &binding);
	for (uint32_t i = 0; i < graph->n_nodes; i++)
		if (!strcmp(graph->op[graph->node_op[i]], "local_atomic"))
			atomics += (double)binding.issue[graph->node_op[i]];
	p->local_utilisation = atomics * groups / (double)run->cycles;
	for (uint32_t i = 1; i < run->n_pipes; i++)
		if (run->pipes[i].busy > run->pipes[busiest].busy)
			busiest = i;
	p->busiest_utilisation = (double)run->pipes[busiest].busy / (double)run->cycles;
	memcpy(p->busiest, run->pipes[busiest].name, sizeof(p->busiest));
}

/*
 * Runs without more and more of the graph; what each run saves is a part. With less to do a kernel
 * may take a little longer, because its warps meet otherwise: such a part is 0.
 */
static struct lane_error *divide(const struct work *w, struct lane_prediction *p)
{
	struct cost atomics = atomics_at(w, 0, 1);
	double conflicts = atomics.position + atomics.bank + atomics.lock;
	struct lane_pipeline_run run;
	struct lane_pipeline_run other;
	double cycles[EXTENTS] = { 0 };
	struct lane_error *err = simulate(w, EVERYTHING, &cycles[EVERYTHING], &run);

	for (int extent = EVERYTHING - 1; !err && extent >= 0; extent--) {
		err = simulate(w, (enum extent)extent, &cycles[extent], &other);
		cycles[extent] = smaller(cycles[extent], cycles[extent + 1]);
	}
	if (err)
		return err;
	p->total = cycles[EVERYTHING];
	p->cycles[LANE_PART_COMPUTE] = cycles[WITHOUT_MEMORY];
	p->cycles[LANE_PART_MEMORY] = cycles[WITHOUT_COLLISIONS] - cycles[WITHOUT_MEMORY];
	p->cycles[LANE_PART_COLLISION] = cycles[WITHOUT_ATOMICS] - cycles[WITHOUT_COLLISIONS];
	p->cycles[LANE_PART_ATOMICS] = cycles[WITHOUT_CONFLICTS] - cycles[WITHOUT_ATOMICS];
	if (conflicts > 0) {
		double share = (cycles[EVERYTHING] - cycles[WITHOUT_CONFLICTS]) / conflicts;

		p->cycles[LANE_PART_POSITION] = share * atomics.position;
		p->cycles[LANE_PART_BANK] = share * atomics.bank;
		p->cycles[LANE_PART_LOCK] = share * atomics.lock;
	} else {
		p->cycles[LANE_PART_ATOMICS] += cycles[EVERYTHING] - cycles[WITHOUT_CONFLICTS];
	}
	share_out(w, &run, p);
	utilise(w, &run, p);
	return NULL;
}

/* As many groups at a time as warps and groups of a unit allow. */
static struct lane_error *prepare(const struct lane_device_section *unit, uint32_t group_warps,
				  uint64_t groups, struct lane_launch *launch)
{
	uint32_t max_warps = model_section_whole(unit, "max_warps");
	uint32_t units = model_section_whole(unit, "units");
	uint64_t per_unit = (groups + units - 1) / units;

	if (!group_warps || group_warps > max_warps)
		return lane_error("a group of %u warps does not fit the device's %u", group_warps,
				  max_warps);
	launch->group_warps = group_warps;
	launch->groups = per_unit > UINT32_MAX ? UINT32_MAX : (uint32_t)per_unit;
	launch->concurrent = model_section_whole(unit, "max_groups");
	if (launch->concurrent > max_warps / group_warps)
		launch->concurrent = max_warps / group_warps;
	launch->issue_limit = model_section_whole(unit, "issue_limit");
	return NULL;
}

/* Without the cost of an atomic on local memory no kernel that has one can be predicted. */
static struct lane_error *need_atomics(const struct work *w, const struct lane_device *device)
{
	struct cost cost = atomics_at(w, 0, 1);

	if (!isnan(cost.cycles))
		return NULL;
	return lane_error("%s: what atomics on local memory cost on `%s' is not known (gpulane "
			  "calibrate measures it)",
			  w->kernel->name, device->name);
}

/* Reads the graph and binds it; the caller frees work->graph. */
static struct lane_error *begin(struct work *w, const struct lane_device *device, uint64_t groups,
				uint32_t group_warps, const struct lane_device_section **unit)
{
	LANE_CLEANUP(lane_free) char *text = w->kernel->graph ? strdup(w->kernel->graph) : NULL;
	struct lane_error *err = model_device_need(device, "device", "", unit);
	uint32_t warps;

	if (err)
		return err;
	if (!w->kernel->graph)
		return lane_error("%s: the pattern file has no graph of it", w->kernel->name);
	if (!text)
		return &lane_enomem;
	err = need_atomics(w, device);
	if (!err)
		err = model_graph_parse(text, w->kernel->name, &w->graph);
	if (!err)
		err = prepare(*unit, group_warps, groups ? groups : 1, &w->launch);
	if (err)
		return err;
	w->lanes = model_section_whole(*unit, "warp");
	w->measured = model_device_section(device, "global_atomics", "");
	warps = w->launch.concurrent < w->launch.groups ? w->launch.concurrent : w->launch.groups;
	return model_binding_make(device, w->graph, warps * w->launch.group_warps, &w->binding);
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
		p->groups_per_unit = work.launch.groups;
		p->concurrent = work.launch.concurrent;
		p->warps =
			(p->concurrent < p->groups_per_unit ? p->concurrent : p->groups_per_unit) *
			work.launch.group_warps;
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
	struct lane_pipeline_run run;
	struct lane_error *err = begin(&work, device, groups, group_warps, &unit);

	if (!err)
		err = simulate(&work, EVERYTHING, cycles, &run);
	model_graph_free(work.graph);
	return err;
}

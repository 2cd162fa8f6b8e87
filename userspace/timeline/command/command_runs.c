// SPDX-License-Identifier: MIT
// When something ran, and for how long within any time.
#include "timeline/command/command_runs.h"

#include "base/sort.h"
#include "base/vector.h"

static struct lane_cl_run *run_at(const struct lane_cl_runs *runs, size_t i)
{
	return &runs->ring[(runs->head + i) & (runs->cap - 1)];
}

static bool command_runs_make_room(struct lane_cl_runs *runs)
{
	uint32_t old = runs->cap;

	if (runs->n < old)
		return true;
	if (old == LANE_CL_RUNS_MAX) {
		runs->dropped_to = run_at(runs, 0)->to_ns;
		runs->head = (runs->head + 1) & (old - 1);
		runs->n--;
		return true;
	}
	/* It has never been full before, so it begins at 0. */
	return LANE_GROW(runs->ring, runs->cap, old ? 2 * old : 16);
}

bool timeline_runs_add(struct lane_cl_runs *runs, uint64_t from_ns, uint64_t to_ns)
{
	struct lane_cl_run *last = runs->n ? run_at(runs, runs->n - 1) : NULL;
	uint64_t before_ns = last ? last->before_ns + last->to_ns - last->from_ns : 0;

	if (last && from_ns <= last->to_ns) {
		if (to_ns > last->to_ns)
			last->to_ns = to_ns;
		return true;
	}
	if (!command_runs_make_room(runs))
		return false;
	*run_at(runs, runs->n++) = (struct lane_cl_run){ from_ns, to_ns, before_ns };
	return true;
}

/* For how long something ran before ns. */
static uint64_t ran_before(const struct lane_cl_runs *runs, uint64_t ns)
{
	size_t n = LANE_BEFORE(runs->n, i, run_at(runs, i)->from_ns < ns);
	const struct lane_cl_run *run;

	if (!n)
		return runs->n ? run_at(runs, 0)->before_ns : 0;
	run = run_at(runs, n - 1);
	return run->before_ns + (ns < run->to_ns ? ns : run->to_ns) - run->from_ns;
}

uint64_t timeline_runs_within(const struct lane_cl_runs *runs, uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? ran_before(runs, to_ns) - ran_before(runs, from_ns) : 0;
}

uint64_t timeline_runs_last(const struct lane_cl_runs *runs)
{
	return runs->n ? run_at(runs, runs->n - 1)->from_ns : 0;
}

// SPDX-License-Identifier: MIT
// Reads simulated events as report does: with what is lost, and which rings are two, known
// beforehand.
#include <stdlib.h>

#include "base/cleanup.h"
#include "check.h"
#include "norm/fix.h"

static int compare_losses(const void *a, const void *b)
{
	const struct lane_loss *x = a, *y = b;

	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* Makes jobs' events today's, as norm/ does; *n is how many are left. NULL: no memory. */
static struct lane_event *normalise(const struct lane_trace_info *info,
				    const struct lane_event *events, size_t *n)
{
	struct lane_event *today = malloc((*n + 1) * sizeof(*today));
	struct lane_fix *fix = NULL;
	size_t kept = 0;

	if (!today || norm_fix_create(info, &fix)) {
		free(today);
		return NULL;
	}
	for (size_t i = 0; i < *n; i++) {
		today[kept] = events[i];
		kept += norm_fix_event(fix, &today[kept]) == LANE_FIXED;
	}
	norm_fix_destroy(fix);
	*n = kept;
	return today;
}

bool sim_has_jobs(const struct lane_trace_info *info)
{
	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (lane_is_drm(kind) && info->presence[kind] == LANE_PRESENCE_RECORDED)
			return true;
	return false;
}

static struct lane_error *feed_once(const struct lane_trace_info *info,
				    const struct lane_event *events, size_t n,
				    const struct lane_loss *losses, size_t n_losses,
				    const struct lane_two_rings *two,
				    const struct lane_hooks *hooks, struct lane_timeline **timeline)
{
	struct lane_error *err = timeline_create(info, losses, n_losses, hooks, timeline);

	if (!err && !timeline_foresee_two_rings(*timeline, two))
		err = &lane_enomem;
	for (size_t i = 0; !err && i < n; i++)
		err = timeline_push(*timeline, &events[i]);
	return err ? err : timeline_finish(*timeline);
}

/* Which rings' names are two rings'. */
static struct lane_error *find_two_rings(const struct lane_trace_info *info,
					 const struct lane_event *events, size_t n,
					 const struct lane_loss *losses, size_t n_losses,
					 struct lane_two_rings *two)
{
	struct lane_hooks nobody = { 0 };
	struct lane_timeline *timeline = NULL;
	struct lane_error *err =
		feed_once(info, events, n, losses, n_losses, two, &nobody, &timeline);

	if (!err)
		timeline_two_rings(timeline, two);
	timeline_destroy(timeline);
	return err;
}

static struct lane_error *feed(const struct lane_trace_info *info, const struct lane_event *events,
			       size_t n, const struct lane_hooks *hooks,
			       struct lane_timeline **timeline)
{
	LANE_CLEANUP(lane_free) struct lane_loss *losses = calloc(n + 1, sizeof(*losses));
	struct lane_two_rings two = { 0 };
	struct lane_error *err = NULL;
	size_t n_losses = 0;

	if (!losses)
		return &lane_enomem;
	for (size_t i = 0; i < n; i++)
		if (events[i].wire.kind == LANE_LOST)
			losses[n_losses++] = timeline_loss_of(&events[i].u.gpulane_lost);
	if (n_losses)
		qsort(losses, n_losses, sizeof(*losses), compare_losses);
	if (sim_has_jobs(info))
		err = find_two_rings(info, events, n, losses, n_losses, &two);
	return err ? err : feed_once(info, events, n, losses, n_losses, &two, hooks, timeline);
}

struct lane_error *sim_feed(const struct lane_trace_info *info, const struct lane_event *events,
			    size_t n, const struct lane_hooks *hooks,
			    struct lane_timeline **timeline)
{
	LANE_CLEANUP(lane_free) struct lane_event *today = NULL;

	if (!sim_has_jobs(info))
		return feed(info, events, n, hooks, timeline);
	today = normalise(info, events, &n);
	return today ? feed(info, today, n, hooks, timeline) : &lane_enomem;
}

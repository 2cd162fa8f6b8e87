// SPDX-License-Identifier: MIT
// Damage to a trace as tracers and users do it: events dropped, bursts lost, kinds absent, cut
// ends.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* What a CPU's buffer knows of the events it dropped. */
struct gap {
	uint64_t count;
	uint64_t begin_ns; /* the last event kept */
};

static struct lane_event lost(const struct gap *gap, int cpu, uint64_t end_ns)
{
	struct lane_event event;

	memset(&event, 0, sizeof(event));
	event.wire.ts_ns = end_ns;
	event.wire.kind = LANE_LOST;
	event.wire.tid = event.wire.pid = -1;
	event.cpu = cpu;
	event.u.gpulane_lost.count = gap->count;
	event.u.gpulane_lost.begin_ns = gap->begin_ns;
	event.u.gpulane_lost.end_ns = end_ns;
	event.u.gpulane_lost.lost_cpu = cpu;
	return event;
}

/*
 * Takes out what is marked in `dropped`, and announces it at the CPU's next event that is kept. The
 * output can only be longer than the input by a loss per CPU.
 */
static size_t take_out(struct lane_event **events, size_t n, const bool *dropped)
{
	struct gap gaps[SIM_MAX_CPUS] = { 0 };
	struct lane_event *out = malloc((2 * n + SIM_MAX_CPUS) * sizeof(*out));
	size_t kept = 0;

	for (int cpu = 0; n && cpu < SIM_MAX_CPUS; cpu++)
		gaps[cpu].begin_ns = (*events)[0].wire.ts_ns;
	for (size_t i = 0; out && i < n; i++) {
		const struct lane_event *event = &(*events)[i];
		struct gap *gap = &gaps[event->cpu];

		if (dropped[i]) {
			gap->count++;
			continue;
		}
		if (gap->count)
			out[kept++] = lost(gap, event->cpu, event->wire.ts_ns);
		*gap = (struct gap){ 0, event->wire.ts_ns };
		out[kept++] = *event;
	}
	for (int cpu = 0; out && n && cpu < SIM_MAX_CPUS; cpu++)
		if (gaps[cpu].count)
			out[kept++] = lost(&gaps[cpu], cpu, (*events)[n - 1].wire.ts_ns + 1);
	free(*events);
	*events = out;
	return kept;
}

static size_t drop(struct lane_event **events, size_t n, bool *dropped)
{
	if (!dropped) {
		free(*events);
		*events = NULL;
		return 0;
	}
	n = take_out(events, n, dropped);
	free(dropped);
	return n;
}

size_t sim_drop_random(struct lane_event **events, size_t n, double p, uint64_t seed)
{
	bool *dropped = calloc(n + 1, sizeof(*dropped));
	uint64_t limit = (uint64_t)(p * 4294967296.0);

	for (size_t i = 0; dropped && i < n; i++)
		dropped[i] = (random_bits(&seed) >> 32) < limit;
	return drop(events, n, dropped);
}

size_t sim_drop_bursts(struct lane_event **events, size_t n, unsigned int bursts,
		       unsigned int longest, uint64_t seed)
{
	bool *dropped = calloc(n + 1, sizeof(*dropped));

	for (unsigned int b = 0; dropped && n && b < bursts; b++) {
		size_t at = random_bits(&seed) % n;
		unsigned int left = 1 + (unsigned int)(random_bits(&seed) % longest);
		int cpu = (*events)[at].cpu;

		for (; at < n && left; at++)
			if ((*events)[at].cpu == cpu) {
				dropped[at] = true;
				left--;
			}
	}
	return drop(events, n, dropped);
}

size_t sim_keep_part(struct lane_event **events, size_t n, bool newest, uint64_t seed)
{
	bool *dropped = calloc(n + 1, sizeof(*dropped));
	size_t all[SIM_MAX_CPUS] = { 0 }, at[SIM_MAX_CPUS] = { 0 }, kept[SIM_MAX_CPUS];

	for (size_t i = 0; i < n; i++)
		all[(*events)[i].cpu]++;
	/* Some buffers are large enough. */
	for (int cpu = 0; cpu < SIM_MAX_CPUS; cpu++)
		kept[cpu] = random_bits(&seed) % (all[cpu] * 4 / 3 + 1);
	for (size_t i = 0; dropped && i < n; i++) {
		int cpu = (*events)[i].cpu;
		size_t place = at[cpu]++;

		dropped[i] = newest ? place + kept[cpu] < all[cpu] : place >= kept[cpu];
	}
	return drop(events, n, dropped);
}

size_t sim_drop_kind(struct lane_event *events, size_t n, enum lane_kind kind,
		     struct lane_trace_info *info)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (events[i].wire.kind != kind)
			events[kept++] = events[i];
	info->presence[kind] = LANE_PRESENCE_ABSENT;
	return kept;
}

size_t sim_cut(struct lane_event *events, size_t n, uint64_t begin_ns, uint64_t end_ns,
	       struct lane_trace_info *info)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (events[i].wire.ts_ns >= begin_ns && events[i].wire.ts_ns < end_ns)
			events[kept++] = events[i];
	if (begin_ns > info->begin_ns)
		info->begin_ns = begin_ns;
	if (end_ns < info->end_ns)
		info->end_ns = end_ns;
	return kept;
}

/* Jobs of before Linux 6.17 are named by addresses: in the fields that norm/ looks for. */
static bool write_old_job(const struct lane_event *event, FILE *to)
{
	const struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	const struct lane_raw *raw = &event->raw;
	unsigned int kind = event->wire.kind;

	if (!lane_is_drm(kind) || (!raw->fence && !raw->job))
		return false;
	fprintf(to, "%" PRIu64 " %d %d/%d tracepoint %s", (uint64_t)event->wire.ts_ns, event->cpu,
		event->wire.pid, event->wire.tid, lane_kinds[kind].name);
	if (kind == LANE_DRM_ADD_DEP)
		fprintf(to, " job=%" PRIu64 " job_ring=%.32s ctx=%" PRIu64 " seqno=%" PRIu64 "\n",
			(uint64_t)raw->job, event->u.drm_wait.ring,
			(uint64_t)event->u.drm_sched_job_add_dep.ctx,
			(uint64_t)event->u.drm_sched_job_add_dep.seqno);
	else if (kind == LANE_DRM_DONE)
		fprintf(to, " fence=0x%" PRIx64 "\n", (uint64_t)raw->fence);
	else
		fprintf(to,
			" entity=0x%" PRIx64 " fence=0x%" PRIx64 " job=%" PRIu64
			" job_count=%u hw_job_count=%d name=%.32s driver=\"%.16s\"\n",
			(uint64_t)raw->entity, (uint64_t)raw->fence, (uint64_t)raw->job,
			job->job_count, job->hw_job_count, job->name, job->driver);
	return true;
}

void sim_events_write(const struct sim_truth *truth, const struct lane_event *events, size_t n,
		      FILE *to)
{
	decode_text_write_head(to, &truth->info);
	for (size_t i = 0; i < n; i++)
		if (!write_old_job(&events[i], to))
			decode_text_write_event(to, &events[i]);
}

// SPDX-License-Identifier: MIT
// For whom a command waited: what ran on its GPU between its hand-over and its start.
#include "timeline/command/command.h"
#include "timeline/losses.h"

/* So many open commands of a queue are looked at. */
#define LOOKED_AT 64

/* The wait of a command, by one clock: when it began and ended, within bounds. */
struct wait {
	struct lane_span from, to;
};

/* For how long something of runs ran in the wait. seen_to: by then all is known. */
static struct lane_span ran_in(const struct lane_cl_runs *runs, const struct wait *wait,
			       uint64_t seen_to)
{
	uint64_t from = timeline_sooner(wait->from.lo, wait->to.hi),
		 to = timeline_sooner(wait->to.hi, seen_to);
	struct lane_span ran = { timeline_runs_within(runs, wait->from.hi, wait->to.lo),
				 timeline_runs_within(runs, from, to) };

	ran.hi += wait->to.hi - timeline_later(from, to);
	if (from < runs->dropped_to)
		ran.hi = wait->to.hi - from;
	return ran;
}

/* A command of the queue that began before ns may not have been told. */
static bool hides(const struct lane_cl_q *queue, const struct lane_cl_cmd *but, uint64_t ns)
{
	uint32_t n = 0;

	for (const struct lane_cl_cmd *cmd = queue->first; cmd; cmd = cmd->next) {
		if (cmd->pub.call_ns > ns)
			return false;
		if (++n > LOOKED_AT || (cmd != but && !cmd->is_back))
			return true;
	}
	return false;
}

/* The same of a queue of the device, other than one. */
static bool device_hides(const struct lane_cl_device *device, const struct lane_cl_process *process,
			 const struct lane_cl_q *but, uint64_t ns)
{
	for (const struct lane_cl_q *q = process->queues; q; q = q->sibling)
		if (q != but && q->device == device && hides(q, NULL, ns))
			return true;
	return false;
}

/* Sets when the wait began and ended, by the device's clock and by the CPU's. False: not known. */
static bool wait_of(const struct lane_cl_cmd *cmd, struct wait *own, struct wait *cpu)
{
	const struct lane_command *pub = &cmd->pub;
	uint64_t start_ns = pub->raw_ns[LANE_COMMAND_START], unused;

	own->to = (struct lane_span){ start_ns, start_ns };
	cpu->to = pub->time[LANE_COMMAND_START];
	cpu->from = pub->time[LANE_COMMAND_SUBMITTED];
	if (pub->raw_ns[LANE_COMMAND_SUBMITTED] && !pub->slip_ns) {
		own->from.lo = own->from.hi = pub->raw_ns[LANE_COMMAND_SUBMITTED];
		return true;
	}
	if (pub->raw_ns[LANE_COMMAND_SUBMITTED]) {
		clock_sync_other_bounds(&cmd->device->sync, cpu->from.lo, &own->from.lo, &unused);
		clock_sync_other_bounds(&cmd->device->sync, cpu->from.hi, &unused, &own->from.hi);
		own->from.hi = timeline_sooner(own->from.hi, start_ns);
		own->from.lo = timeline_sooner(own->from.lo, own->from.hi);
		return cmd->device->sync.bounded;
	}
	if (!pub->call_ns || !cmd->device->sync.bounded)
		return false;
	clock_sync_other_bounds(&cmd->device->sync, pub->call_ns, &own->from.lo, &unused);
	own->from.hi = start_ns;
	if (pub->return_ns)
		clock_sync_other_bounds(&cmd->device->sync, pub->return_ns, &unused, &own->from.hi);
	own->from.hi = timeline_sooner(own->from.hi, start_ns);
	own->from.lo = timeline_sooner(own->from.lo, own->from.hi);
	return true;
}

/* A command of which no event is left may have run then. */
static bool is_lossy(const struct lane_timeline *tl, const struct wait *cpu)
{
	return tl->n_losses && cpu->from.lo < tl->losses[tl->n_losses - 1].end_ns &&
	       (tl->cl->has_unknown_queues || cpu->to.hi > tl->losses[0].begin_ns);
}

/* The commands of other devices that ran on the same GPU in the wait. */
static void others(struct lane_cl_cmd *cmd, const struct wait *cpu, uint64_t key_ns, bool all_told)
{
	struct lane_command_ahead *ahead = &cmd->pub.ahead;

	for (const struct lane_cl_device *device = cmd->device->gpu->devices; device;
	     device = device->next_on_gpu) {
		struct wait wait;
		struct lane_span ran;
		uint64_t seen_to, unused;

		/* What it ran is over. */
		if (device == cmd->device || (!device->n_open && device->last_ns <= cpu->from.lo))
			continue;
		clock_sync_other_bounds(&device->sync, cpu->from.lo, &wait.from.lo, &unused);
		clock_sync_other_bounds(&device->sync, cpu->from.hi, &unused, &wait.from.hi);
		clock_sync_other_bounds(&device->sync, cpu->to.lo, &wait.to.lo, &unused);
		clock_sync_other_bounds(&device->sync, cpu->to.hi, &unused, &wait.to.hi);
		clock_sync_other_bounds(&device->sync, key_ns, &seen_to, &unused);
		ran = ran_in(&device->runs, &wait, seen_to);
		if (cpu->from.lo < device->runs.unsure_ns ||
		    (!all_told && device_hides(device, device->process, NULL, cpu->to.hi)))
			ran.hi = ahead->waited.hi;
		*(device->pid == cmd->device->pid ? &ahead->process.hi : &ahead->others.hi) +=
			ran.hi;
		if (device->pid == cmd->device->pid || ran.lo <= ahead->others.lo)
			continue;
		ahead->others.lo = ran.lo;
		ahead->other = ran.lo ? &device->process->queues->pub : NULL;
	}
}

static void limit(struct lane_span *span, uint64_t most)
{
	span->hi = timeline_sooner(span->hi, most);
	span->lo = timeline_sooner(span->lo, span->hi);
}

/* Sets what ran while the command waited. */
static void command_ahead_look(struct lane_timeline *tl, struct lane_cl_cmd *cmd, uint64_t key_ns,
			       bool all_told)
{
	struct lane_command_ahead *ahead = &cmd->pub.ahead;
	const struct lane_cl_device *device = cmd->device;
	const struct lane_cl_q *queue = cmd->queue;
	struct wait own, cpu;
	struct lane_span all;
	uint64_t most;

	ahead->is_known = wait_of(cmd, &own, &cpu);
	if (!ahead->is_known)
		return;
	ahead->from_ns = own.from.hi;
	ahead->waited = timeline_span_between(own.from, own.to);
	most = ahead->waited.hi;
	ahead->queue = ran_in(&queue->runs, &own, LANE_NEVER);
	all = ran_in(&device->runs, &own, LANE_NEVER);
	/* A run of the queue is one of the device: what it has more others had. */
	ahead->process = (struct lane_span){ all.lo - ahead->queue.lo, all.hi - ahead->queue.hi };
	if (own.from.lo < queue->runs.dropped_to || own.from.lo < device->runs.dropped_to)
		ahead->process = (struct lane_span){ 0, most };
	if (cpu.from.lo < queue->runs.unsure_ns || (!all_told && hides(queue, cmd, cpu.to.hi)))
		ahead->queue.hi = most;
	if (ahead->queue.hi == most)
		ahead->process.lo = 0; /* what was not told may have run at the same time */
	if (cpu.from.lo < device->runs.unsure_ns ||
	    (!all_told && device_hides(device, queue->process, queue, cpu.to.hi)))
		ahead->process.hi = most;
	if (device->gpu && !device->gpu->is_unsure && !tl->cl->has_unknown_devices)
		others(cmd, &cpu, key_ns, all_told);
	else
		ahead->others.hi = most;
	if (is_lossy(tl, &cpu)) {
		ahead->queue.hi = ahead->process.hi = ahead->others.hi = most;
		ahead->process.lo = 0;
	}
	limit(&ahead->queue, most);
	limit(&ahead->process, most);
	limit(&ahead->others, most);
	ahead->nobody.hi =
		most - timeline_later(ahead->queue.lo + ahead->process.lo, ahead->others.lo);
	ahead->nobody.lo = ahead->queue.hi + ahead->process.hi + ahead->others.hi;
	ahead->nobody.lo = timeline_later(ahead->waited.lo, ahead->nobody.lo) - ahead->nobody.lo;
}

void timeline_command_ahead(struct lane_timeline *tl, struct lane_cl_cmd *cmd, bool all_told)
{
	uint64_t from_ns = cmd->pub.raw_ns[LANE_COMMAND_START];
	uint64_t to_ns = cmd->pub.raw_ns[LANE_COMMAND_END];
	struct lane_cl_runs *runs[] = { &cmd->queue->runs, &cmd->device->runs };

	command_ahead_look(tl, cmd, clock_sync_cpu_ns(&cmd->device->sync, from_ns), all_told);
	cmd->device->last_ns =
		timeline_later(cmd->device->last_ns, cmd->pub.time[LANE_COMMAND_END].hi);
	for (int i = 0; i < 2; i++) {
		struct lane_cl_runs *of = runs[i];

		/* It comes late: the part before the last run is not counted. */
		if (from_ns < timeline_runs_last(of))
			of->unsure_ns =
				timeline_later(of->unsure_ns, cmd->pub.time[LANE_COMMAND_END].hi);
		if (!timeline_runs_add(of, from_ns, to_ns))
			tl->no_memory = true;
	}
}

void timeline_command_unplaced(struct lane_timeline *tl, const struct lane_cl_cmd *cmd)
{
	uint64_t to_ns = cmd->pub.known_ns ? cmd->pub.known_ns : tl->now.ns;

	cmd->device->last_ns = timeline_later(cmd->device->last_ns, to_ns);
	cmd->queue->runs.unsure_ns = timeline_later(cmd->queue->runs.unsure_ns, to_ns);
	cmd->device->runs.unsure_ns = timeline_later(cmd->device->runs.unsure_ns, to_ns);
}

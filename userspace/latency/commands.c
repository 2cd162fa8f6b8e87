// SPDX-License-Identifier: MIT
// Sums of OpenCL commands: queues, kernels, transfers, devices and the gaps between commands.
#include "latency/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"
#include "latency/latency.h"
#include "latency/sums.h"

/* Most sums of gaps, and of who waited for whom. What is beyond this number gets no sum. */
#define GAPS_MAX 4096
/* Calls that take less are short, ns. */
#define LONG_CALL_NS 10000
#define ZE_NOT_READY 1

/* A zeroed element at the end of an array that grows; NULL: no memory. */
#define APPEND(c, what)                                                                            \
	({                                                                                         \
		__typeof__((c)->what) item_ =                                                      \
			LANE_APPEND((c)->what, (c)->n_##what, (c)->cap_##what);                    \
                                                                                                   \
		(c)->no_memory |= !item_;                                                          \
		item_;                                                                             \
	})

/* The sum of a key, by the index. */
#define SUM_OF(c, what, index, most, a, b, fresh)                                                  \
	latency_sum_of((struct lane_sums_at){ &(c)->index, &(c)->what, &(c)->n_##what,             \
					      &(c)->cap_##what, most, sizeof(*(c)->what),          \
					      &(c)->no_memory },                                   \
		       a, b, fresh)

static void commands_add(struct lane_commands *c, struct lane_durations *durations, uint64_t ns)
{
	durations->count++;
	durations->sum_ns += ns;
	if (ns > durations->max_ns)
		durations->max_ns = ns;
	if (!latency_histogram_add(&durations->histogram, ns))
		c->no_memory = true;
}

static uint32_t commands_device_of(struct lane_commands *c, const struct lane_cl_queue *queue)
{
	bool fresh;
	struct lane_cl_device_stats *device = SUM_OF(c, devices, device_index, UINT32_MAX,
						     queue->device, (uint32_t)queue->pid, &fresh);

	if (!device)
		return UINT32_MAX;
	if (!fresh)
		return (uint32_t)(device - c->devices);
	device->pid = queue->pid;
	device->device = queue->device;
	memcpy(device->name, queue->device_name, sizeof(device->name));
	return c->n_devices - 1;
}

static struct lane_cl_queue_stats *queue_of(struct lane_commands *c,
					    const struct lane_cl_queue *queue)
{
	while (c->n_queues <= queue->id)
		if (!APPEND(c, queues))
			return NULL;
	if (!c->queues[queue->id].queue) {
		c->queues[queue->id].queue = queue;
		c->queues[queue->id].device = commands_device_of(c, queue);
	}
	return c->queues[queue->id].device == UINT32_MAX ? NULL : &c->queues[queue->id];
}

static struct lane_kernel_stats *kernel_of(struct lane_commands *c, int32_t pid, const char *name)
{
	bool fresh;
	struct lane_kernel_stats *kernel = SUM_OF(c, kernels, kernel_index, LANE_KERNELS_MAX,
						  lane_hash_text(name), (uint32_t)pid, &fresh);

	c->kernels_left_out += !kernel;
	if (!kernel || !fresh)
		return kernel;
	kernel->pid = pid;
	kernel->id = c->n_kernels - 1;
	snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	return kernel;
}

static void on_kernel(struct lane_commands *c, struct lane_kernel_stats *kernel,
		      const struct lane_command *command, const struct lane_command_stages *stages,
		      uint64_t running_ns)
{
	kernel->runs++;
	kernel->has_atomics |= command->has_atomics;
	kernel->items += command->size;
	if (command->request && command->n_requests == 1 &&
	    timeline_has_started(command->request) &&
	    !(command->request->doubt & LANE_DOUBT_DEVICE)) {
		kernel->preempted_runs++;
		timeline_span_add(&kernel->preempted, command->request->preempted);
	}
	if (command->timed) {
		commands_add(c, &kernel->running, running_ns);
		latency_longest_add(&kernel->longest, timeline_span_exact(running_ns),
				    command->time_ns[LANE_COMMAND_START], command->request,
				    command->size);
	}
	if (!stages->known)
		return;
	commands_add(c, &kernel->total, command->known_ns - command->call_ns);
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++)
		kernel->stage_ns[i] += stages->ns[i];
}

static void on_transfer(struct lane_commands *c, const struct lane_command *command,
			uint64_t running_ns)
{
	struct lane_transfer_stats *transfer = &c->transfers[command->class];

	transfer->blocking += command->flags & 1;
	if (!command->timed)
		return;
	commands_add(c, &transfer->running, running_ns);
	if (!command->size)
		return;
	transfer->bytes += command->size;
	transfer->sized_ns += running_ns;
}

static struct lane_cl_caller caller_of(const struct lane_command *command)
{
	struct lane_cl_caller caller = { .tid = command->tid };

	memcpy(caller.comm, command->comm, sizeof(caller.comm));
	return caller;
}

static void on_gap_part(struct lane_commands *c, uint32_t device, enum lane_gap_cause cause,
			const struct lane_cl_caller *by, uint64_t from_ns, uint64_t to_ns)
{
	struct lane_gap_sum *sum;
	bool fresh;

	if (to_ns <= from_ns)
		return;
	c->devices[device].gap_cause_ns[cause] += to_ns - from_ns;
	sum = SUM_OF(c, gaps, gap_index, GAPS_MAX, (uint64_t)device << 8 | cause, (uint32_t)by->tid,
		     &fresh);
	if (!sum)
		return;
	sum->device = device;
	sum->cause = (uint8_t)cause;
	sum->tid = by->tid;
	if (!sum->comm[0])
		memcpy(sum->comm, by->comm, sizeof(by->comm));
	if (sum->last != c->gap) {
		sum->last = c->gap;
		sum->count++;
		sum->now_ns = 0;
		sum->at_ns = from_ns;
	}
	sum->now_ns += to_ns - from_ns;
	sum->at_ns = timeline_sooner(sum->at_ns, from_ns);
	sum->ns += to_ns - from_ns;
	latency_keep_longest(&sum->max_ns, &sum->max_at_ns, sum->now_ns, sum->at_ns);
}

/* Adds a part of a gap in which the thread was in a call that neither enqueues nor waits. */
static void on_gap_call(struct lane_commands *c, uint32_t device, const struct lane_cl_caller *by,
			const struct lane_cl_other_call *call, uint64_t from_ns, uint64_t to_ns)
{
	struct lane_gap_call *sum;
	bool fresh;

	on_gap_part(c, device, call->is_build ? LANE_GAP_BUILD : LANE_GAP_OTHER, by, from_ns,
		    to_ns);
	if (call->is_build || to_ns <= from_ns)
		return;
	sum = SUM_OF(c, gap_calls, gap_call_index, GAPS_MAX,
		     (uint64_t)device << 16 | call->function, (uint32_t)by->tid, &fresh);
	if (!sum)
		return;
	sum->device = device;
	sum->tid = by->tid;
	sum->function = call->function;
	sum->count++;
	sum->ns += to_ns - from_ns;
}

/* The call before the nth of those that are kept; NULL: there is none. */
static const struct lane_cl_other_call *call_before(const struct lane_cl_other_calls *calls,
						    uint64_t n)
{
	return n && n + LANE_CL_OTHER_CALLS > calls->n ? &calls->all[(n - 1) % LANE_CL_OTHER_CALLS]
						       : NULL;
}

/* Adds a gap in which the program had not called for the command, cut by the thread's other calls.
 * They come in the order of their ends. */
static void on_program_gap(struct lane_commands *c, uint32_t device,
			   const struct lane_cl_caller *by, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t n_short = c->short_calls.n, n_long = c->long_calls.n;

	while (to_ns > from_ns) {
		const struct lane_cl_other_call *call = call_before(&c->short_calls, n_short);
		const struct lane_cl_other_call *other = call_before(&c->long_calls, n_long);
		bool is_long = other && (!call || other->end_ns > call->end_ns);

		call = is_long ? other : call;
		if (!call)
			break;
		*(is_long ? &n_long : &n_short) -= 1;
		if (call->end_ns <= from_ns)
			break;
		if (call->tid != by->tid || call->begin_ns >= to_ns)
			continue;
		on_gap_part(c, device, LANE_GAP_PROGRAM, by, call->end_ns, to_ns);
		to_ns = timeline_sooner(to_ns, call->end_ns);
		on_gap_call(c, device, by, call, timeline_later(call->begin_ns, from_ns), to_ns);
		to_ns = timeline_later(call->begin_ns, from_ns);
	}
	on_gap_part(c, device, LANE_GAP_PROGRAM, by, from_ns, to_ns);
}

/* Adds a gap, cut by what the command that ends the gap waited for. */
static void on_gap(struct lane_commands *c, uint32_t index, const struct lane_command *command,
		   const struct lane_command_stages *stages, uint64_t from_ns, uint64_t to_ns)
{
	static const enum lane_gap_cause causes[] = {
		[LANE_CSTAGE_CALL] = LANE_GAP_CALL,
		[LANE_CSTAGE_HELD] = LANE_GAP_HELD,
		[LANE_CSTAGE_HOST_QUEUE] = LANE_GAP_HOST_QUEUE,
		[LANE_CSTAGE_DEVICE_QUEUE] = LANE_GAP_DEVICE_QUEUE,
		[LANE_CSTAGE_QUEUE_OR_BEFORE] = LANE_GAP_QUEUE_OR_BEFORE,
		[LANE_CSTAGE_BEFORE] = LANE_GAP_BEFORE,
	};
	struct lane_cl_device_stats *device = &c->devices[index];
	struct lane_cl_caller by = caller_of(command);
	uint64_t call_ns = timeline_sooner(timeline_later(command->call_ns, from_ns), to_ns);
	struct lane_span knew = {
		timeline_sooner(timeline_later(device->knew.lo, from_ns), call_ns),
		timeline_sooner(timeline_later(device->knew.hi, from_ns), call_ns)
	};

	c->gap++;
	device->gaps++;
	device->unsure_ns +=
		command->time[LANE_COMMAND_START].hi - command->time[LANE_COMMAND_START].lo;
	device->gap_ns += to_ns - from_ns;
	device->gap_max_ns = timeline_later(device->gap_max_ns, to_ns - from_ns);
	on_gap_part(c, index, LANE_GAP_UNNOTICED, &by, from_ns, knew.lo);
	on_gap_part(c, index, LANE_GAP_MAYBE_UNNOTICED, &by, knew.lo, knew.hi);
	on_program_gap(c, index, &by, knew.hi, call_ns);
	if (!stages->known) {
		on_gap_part(c, index, LANE_GAP_CALL, &by, call_ns, to_ns);
		return;
	}
	for (int i = 0; i < LANE_CSTAGE_RUNNING; i++)
		on_gap_part(c, index, causes[i], &by, timeline_later(stages->at_ns[i], call_ns),
			    timeline_sooner(stages->at_ns[i + 1], to_ns));
}

/* No command that is still to come ran before until_ns: until then the device did nothing while the
 * last one was preempted. */
static void settle_off(struct lane_commands *c, uint32_t index, uint64_t until_ns)
{
	struct lane_cl_device_stats *device = &c->devices[index];

	for (uint32_t i = 0; i < device->n_off; i++) {
		uint64_t to_ns = timeline_sooner(device->off[i].hi, until_ns), ns;

		if (to_ns <= device->off[i].lo)
			break;
		ns = to_ns - device->off[i].lo;
		device->busy_ns -= ns;
		*(device->is_kernel_off ? &device->kernels_ns : &device->transfers_ns) -= ns;
		device->gap_ns += ns;
		device->gap_max_ns = timeline_later(device->gap_max_ns, ns);
		c->gap++;
		on_gap_part(c, index, LANE_GAP_PREEMPTED, &device->off_caller, device->off[i].lo,
			    to_ns);
	}
	device->n_off = 0;
}

/* Keeps the times in which the command was preempted, from from_ns on, when none before it ran any
 * more. */
static void keep_off(struct lane_cl_device_stats *device, const struct lane_command *command,
		     uint64_t from_ns)
{
	device->off_caller = caller_of(command);
	device->is_kernel_off = command->class == LANE_COMMAND_KERNEL;
	for (uint32_t i = 0; i < command->n_off; i++)
		if (command->off[i].hi > from_ns)
			device->off[device->n_off++] =
				(struct lane_span){ timeline_later(command->off[i].lo, from_ns),
						    command->off[i].hi };
}

/* The length of [from, to] behind *done_ns. Moves *done_ns on to `to`. */
static uint64_t fresh_part(uint64_t from_ns, uint64_t to_ns, uint64_t *done_ns, uint64_t *begin_ns)
{
	*begin_ns = timeline_later(from_ns, *done_ns);
	*done_ns = timeline_later(*done_ns, to_ns);
	return to_ns > *begin_ns ? to_ns - *begin_ns : 0;
}

/*
 * When the program first knew that the command is complete, at the earliest and at the latest. A
 * call that waits for events does not say which.
 */
static struct lane_span noticed(const struct lane_commands *c, const struct lane_command *command)
{
	uint64_t oldest = c->n_waits > LANE_CL_WAITS ? c->n_waits - LANE_CL_WAITS : 0, i;
	uint64_t end_ns = command->time_ns[LANE_COMMAND_END];
	struct lane_span at = { command->known_ns, command->known_ns };

	for (i = c->n_waits; i > oldest; i--) {
		const struct lane_cl_wait *wait = &c->waits[(i - 1) % LANE_CL_WAITS];

		if (wait->end_ns < end_ns)
			break;
		if (wait->pid != command->pid || !command->return_ns ||
		    wait->begin_ns < command->return_ns || wait->end_ns >= at.hi ||
		    (wait->queue && wait->queue != command->queue->handle))
			continue;
		at.lo = timeline_sooner(at.lo, wait->end_ns);
	}
	/* Those before may have told it. */
	if (i == oldest && oldest)
		at.lo = timeline_sooner(at.lo, timeline_later(end_ns, command->call_ns));
	return at;
}

/*
 * The commands of a device come in the order of their starts. So from this start on the time that
 * is counted already is one interval, up to the latest end. Only the part behind that end is new.
 */
static void on_device(struct lane_commands *c, uint32_t index, const struct lane_command *command,
		      const struct lane_command_stages *stages)
{
	struct lane_cl_device_stats *device = &c->devices[index];
	struct lane_span knew = noticed(c, command);
	uint64_t from_ns = command->time_ns[LANE_COMMAND_START];
	uint64_t to_ns = command->time_ns[LANE_COMMAND_END], begin_ns, new_ns;
	bool is_kernel = command->class == LANE_COMMAND_KERNEL;
	uint64_t other_ns = is_kernel ? device->transfers_to : device->kernels_to;

	settle_off(c, index, from_ns);
	if (command->class != LANE_COMMAND_OTHER)
		keep_off(device, command, device->busy_to);
	if (device->commands && from_ns > device->busy_to)
		on_gap(c, index, command, stages, device->busy_to, from_ns);
	if (!device->commands++)
		device->first_ns = from_ns;
	if (to_ns >= device->busy_to)
		device->knew = knew;
	if (stages->known)
		c->unnoticed_least_ns +=
			timeline_later(knew.lo, stages->at_ns[LANE_CSTAGE_UNNOTICED]) -
			stages->at_ns[LANE_CSTAGE_UNNOTICED];
	device->busy_ns += fresh_part(from_ns, to_ns, &device->busy_to, &begin_ns);
	device->last_ns = device->busy_to;
	if (command->class == LANE_COMMAND_OTHER)
		return;
	new_ns = fresh_part(from_ns, to_ns, is_kernel ? &device->kernels_to : &device->transfers_to,
			    &begin_ns);
	*(is_kernel ? &device->kernels_ns : &device->transfers_ns) += new_ns;
	other_ns = timeline_sooner(other_ns, to_ns);
	if (new_ns && other_ns > begin_ns)
		device->both_ns += other_ns - begin_ns;
}

static void on_queue(struct lane_commands *c, struct lane_cl_queue_stats *queue,
		     const struct lane_command *command, const struct lane_command_stages *stages,
		     uint64_t running_ns)
{
	queue->commands++;
	queue->failed += command->status < 0;
	queue->by_class[command->class]++;
	queue->certainty[command->certainty]++;
	queue->running_ns += running_ns;
	if (!stages->known)
		return;
	queue->staged++;
	queue->host_queue_ns += stages->ns[LANE_CSTAGE_CALL] + stages->ns[LANE_CSTAGE_HELD] +
				stages->ns[LANE_CSTAGE_HOST_QUEUE];
	queue->device_queue_ns +=
		stages->at_ns[LANE_CSTAGE_RUNNING] - stages->at_ns[LANE_CSTAGE_DEVICE_QUEUE];
	c->staged++;
	commands_add(c, &c->total, command->known_ns - command->call_ns);
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++)
		if (stages->possible & 1u << i)
			commands_add(c, &c->stages[i], stages->ns[i]);
}

static void add_waited(struct lane_cl_waited *to, const struct lane_command_ahead *ahead)
{
	to->commands++;
	timeline_span_add(&to->waited, ahead->waited);
	timeline_span_add(&to->queue, ahead->queue);
	timeline_span_add(&to->process, ahead->process);
	timeline_span_add(&to->others, ahead->others);
	timeline_span_add(&to->nobody, ahead->nobody);
}

/* The command waited while another ran for ns, at least. */
static void add_behind(struct lane_commands *c, const struct lane_command *command, uint32_t what,
		       uint32_t other_what, const struct lane_cl_queue *other, uint64_t ns,
		       bool is_least)
{
	uint64_t key = (uint64_t)what << 32 | (other ? (uint32_t)other->pid : other_what);
	uint64_t whose = (uint64_t)(uint32_t)command->pid << 1 | (other != NULL);
	bool fresh;
	struct lane_behind_sum *sum =
		SUM_OF(c, behinds, behind_index, GAPS_MAX, key, whose, &fresh);

	if (!sum)
		return;
	sum->pid = command->pid;
	sum->what = what;
	sum->other_what = other_what;
	if (fresh)
		sum->other = other;
	sum->count++;
	sum->ns += ns;
	sum->waited_ns += command->ahead.waited.hi;
	sum->is_least |= is_least;
}

static void commands_note_run(struct lane_commands *c, struct lane_cl_queue_stats *queue,
			      const struct lane_command *command, uint32_t what)
{
	if (!queue->runs)
		queue->runs = calloc(LANE_CL_LOOK_BACK, sizeof(*queue->runs));
	c->no_memory |= !queue->runs;
	if (queue->runs)
		queue->runs[queue->n_runs++ % LANE_CL_LOOK_BACK] =
			(struct lane_cl_ran){ command->raw_ns[LANE_COMMAND_START],
					      command->raw_ns[LANE_COMMAND_END], what };
}

/* Names what ran in its queue while the command waited. stages: it was not the program's any more
 * from `held` on. */
static void on_waited(struct lane_commands *c, const struct lane_cl_queue_stats *queue,
		      const struct lane_command *command, const struct lane_command_stages *stages,
		      uint32_t what)
{
	const struct lane_command_ahead *ahead = &command->ahead;
	uint64_t to_ns = command->raw_ns[LANE_COMMAND_START], since_ns = ahead->from_ns;
	uint64_t oldest = queue->n_runs > LANE_CL_LOOK_BACK ? queue->n_runs - LANE_CL_LOOK_BACK : 0;
	struct lane_cl_ran parts[LANE_CL_LOOK_BACK];
	uint64_t found_ns = 0;
	uint32_t n = 0;

	if (stages->known)
		since_ns = timeline_sooner(since_ns, to_ns - (stages->at_ns[LANE_CSTAGE_RUNNING] -
							      stages->at_ns[LANE_CSTAGE_HELD]));
	for (uint64_t i = queue->n_runs; i > oldest && to_ns > since_ns; i--) {
		const struct lane_cl_ran *ran = &queue->runs[(i - 1) % LANE_CL_LOOK_BACK];
		uint64_t from_ns = timeline_later(ran->from_ns, since_ns);
		uint32_t k = 0;

		to_ns = timeline_sooner(to_ns, ran->to_ns);
		if (to_ns <= from_ns)
			continue;
		c->behind_ns += to_ns - from_ns;
		from_ns = timeline_later(from_ns, ahead->from_ns);
		while (k < n && parts[k].what != ran->what)
			k++;
		if (k == n && to_ns > from_ns)
			parts[n++] = (struct lane_cl_ran){ .what = ran->what };
		if (to_ns > from_ns) {
			parts[k].to_ns += to_ns - from_ns;
			found_ns += to_ns - from_ns;
		}
		to_ns = timeline_sooner(to_ns, ran->from_ns);
	}
	for (uint32_t k = 0; k < n; k++)
		add_behind(c, command, what, parts[k].what, NULL, parts[k].to_ns,
			   ahead->queue.hi > found_ns + 1000);
	if (ahead->other && ahead->others.lo)
		add_behind(c, command, what, 0, ahead->other, ahead->others.lo,
			   ahead->others.hi > ahead->others.lo + 1000);
}

static struct lane_commands *commands_of(struct lane_latency *latency)
{
	if (!latency->commands)
		latency->commands = calloc(1, sizeof(*latency->commands));
	if (!latency->commands)
		latency->no_memory = true;
	return latency->commands;
}

/* A command whose call was not seen is of either. */
static void note_api(struct lane_commands *c, uint32_t function)
{
	c->has_levelzero |= lane_cl_is_levelzero(function);
	c->has_opencl |= function && !lane_cl_is_levelzero(function);
}

uint64_t latency_command_running(const struct lane_command *command)
{
	uint64_t ns = command->raw_ns[LANE_COMMAND_END] - command->raw_ns[LANE_COMMAND_START];

	return command->timed ? ns - timeline_sooner(ns, latency_command_off(command)) : 0;
}

/* Requests are recorded, and none carried it: a CPU's OpenCL (pocl) may have. */
static bool ran_elsewhere(const struct lane_command *command)
{
	return command->certainty == LANE_CERTAIN_NONE &&
	       (command->why == LANE_WHY_NO_REQUEST || command->why == LANE_WHY_OTHER_TIMES);
}

/* The program's time from when nothing of it ran on any device to its next call, where the kernel
 * does not see single commands: else its requests tell. */
static void note_launch(struct lane_latency *latency, struct lane_commands *c,
			struct lane_cl_device_stats *device, const struct lane_command *command)
{
	uint64_t from_ns = device->over_ns;
	bool is_alone = !device->untimed && command->call_ns && command->is_in_order;

	device->over_ns = timeline_later(from_ns, command->time[LANE_COMMAND_END].hi);
	if (!from_ns || from_ns >= command->call_ns ||
	    (command->request && !command->request->context->is_long_running))
		return;
	for (uint32_t i = 0; i < c->n_devices && is_alone; i++)
		is_alone = &c->devices[i] == device || c->devices[i].pid != device->pid;
	if (is_alone)
		latency_memory_launch(latency, command, from_ns);
}

void latency_on_command(void *arg, const struct lane_command *command)
{
	struct lane_latency *latency = arg;
	struct lane_commands *c;
	struct lane_cl_queue_stats *queue;
	struct lane_kernel_stats *kernel = NULL;
	struct lane_command_stages stages;
	uint64_t running_ns = latency_command_running(command);
	uint32_t what;

	if (!latency_selects_command(&latency->select, command))
		return;
	c = commands_of(latency);
	queue = c ? queue_of(c, command->queue) : NULL;
	if (!queue)
		return;
	note_api(c, command->function);
	latency_unseen_command(&latency->unseen, command);
	latency_command_stages_of(command, &stages);
	latency_memory_command(latency, command);
	if (command->class == LANE_COMMAND_KERNEL)
		kernel = kernel_of(c, command->pid, command->name);
	if (kernel && !command->queue->is_of_cpu)
		latency_slow_command(&latency->slows, &latency->counters, kernel, command,
				     running_ns);
	if (kernel && command->timed && !command->queue->is_of_cpu && !ran_elsewhere(command))
		latency_steady_run(&latency->steadies, &latency->counters, command->pid,
				   (struct lane_span){ command->time[LANE_COMMAND_START].hi,
						       command->time[LANE_COMMAND_END].lo });
	what = kernel ? kernel->id : LANE_KERNELS_MAX + (uint32_t)command->class;
	c->commands++;
	latency_launches_command(&c->launching, command);
	on_queue(c, queue, command, &stages, running_ns);
	if (command->ahead.is_known) {
		add_waited(&queue->waited, &command->ahead);
		add_waited(&c->waited, &command->ahead);
		on_waited(c, queue, command, &stages, what);
	}
	if (command->timed)
		commands_note_run(c, queue, command, what);
	if (command->timed) {
		note_launch(latency, c, &c->devices[queue->device], command);
		on_device(c, queue->device, command, &stages);
	} else
		c->devices[queue->device].untimed++;
	if (kernel)
		on_kernel(c, kernel, command, &stages, running_ns);
	else if (command->class != LANE_COMMAND_KERNEL && command->class != LANE_COMMAND_OTHER)
		on_transfer(c, command, running_ns);
}

/* Sums the wait by what it was for. */
static void on_await(struct lane_commands *c, const struct lane_call *call)
{
	const struct lane_kernel_stats *kernel = NULL;
	uint32_t what = LANE_CL_AWAITED_UNKNOWN;
	struct lane_cl_await *sum;
	bool fresh;

	if (call->awaited && call->awaited_class == LANE_COMMAND_KERNEL)
		kernel = kernel_of(c, call->pid, call->awaited_name);
	if (call->awaited)
		what = kernel ? kernel->id : LANE_KERNELS_MAX + (uint32_t)call->awaited_class;
	sum = SUM_OF(c, awaits, await_index, GAPS_MAX, what, (uint32_t)call->pid, &fresh);
	if (!sum)
		return;
	sum->pid = call->pid;
	sum->what = what;
	sum->count++;
	sum->ns += call->end_ns - call->begin_ns;
	timeline_span_add(&sum->ran, call->ran);
}

static const struct {
	unsigned int function;
	const char *name;
} builds[LANE_CL_BUILDS] = {
	[LANE_CL_BUILD_PROGRAM] = { LANE_CLF_clBuildProgram, "clBuildProgram" },
	[LANE_CL_COMPILE_PROGRAM] = { LANE_CLF_clCompileProgram, "clCompileProgram" },
	[LANE_CL_LINK_PROGRAM] = { LANE_CLF_clLinkProgram, "clLinkProgram" },
	[LANE_CL_FROM_IL] = { LANE_CLF_clCreateProgramWithIL, "clCreateProgramWithIL" },
	[LANE_CL_FROM_BINARY] = { LANE_CLF_clCreateProgramWithBinary, "clCreateProgramWithBinary" },
	[LANE_ZE_CREATE_MODULE] = { LANE_CLF_zeModuleCreate, "zeModuleCreate" },
};

const char *latency_build_name(enum lane_cl_build build)
{
	return builds[build].name;
}

static enum lane_cl_build build_of(unsigned int function)
{
	enum lane_cl_build build = 0;

	while (build < LANE_CL_BUILDS && builds[build].function != function)
		build++;
	return build;
}

/* Calls come as they return. One that began before the last returned may have begun before others,
 * whose time is not counted twice. */
static void on_build(struct lane_cl_program *program, const struct lane_call *call,
		     enum lane_cl_build build)
{
	uint64_t from_ns = timeline_later(call->begin_ns, program->built_to_ns);

	program->builds++;
	program->build_ns[build] += call->end_ns - call->begin_ns;
	program->is_more_built |= program->builds > 1 && call->begin_ns < program->built_to_ns;
	program->builds_ns += call->end_ns - from_ns;
	program->built_to_ns = call->end_ns;
}

static void keep_call(struct lane_cl_other_calls *calls, const struct lane_call *call,
		      bool is_build)
{
	calls->all[calls->n++ % LANE_CL_OTHER_CALLS] =
		(struct lane_cl_other_call){ .tid = call->tid,
					     .function = (uint16_t)call->function,
					     .is_build = is_build,
					     .begin_ns = call->begin_ns,
					     .end_ns = call->end_ns };
}

static void on_program_call(struct lane_commands *c, const struct lane_call *call, bool waits)
{
	enum lane_cl_kind kind = lane_cl_functions[call->function].kind;
	enum lane_cl_build build = build_of(call->function);
	bool fresh;
	struct lane_cl_program *program =
		SUM_OF(c, programs, program_index, UINT32_MAX, (uint32_t)call->pid, 0, &fresh);

	if (!waits &&
	    (kind != LANE_CLK_ENQUEUE || lane_cl_has_failed(call->function, call->status)))
		keep_call(call->end_ns - call->begin_ns < LONG_CALL_NS ? &c->short_calls
								       : &c->long_calls,
			  call, build < LANE_CL_BUILDS);
	if (!program)
		return;
	program->pid = call->pid;
	if (build < LANE_CL_BUILDS)
		on_build(program, call, build);
	program->launches += call->has_launched;
	program->waited += waits && call->is_behind_launch;
	if (!waits)
		return;
	on_await(c, call);
	program->waits++;
	program->waits_ns += call->end_ns - call->begin_ns;
	timeline_span_add(&program->waits_ran, call->ran);
}

/* What Level Zero says is not ready yet may be asked for again. */
static void on_failure(struct lane_commands *c, const struct lane_call *call)
{
	struct lane_cl_failure *sum;
	bool fresh;

	if (call->status == ZE_NOT_READY && lane_cl_is_levelzero(call->function))
		return;
	sum = SUM_OF(c, failures, failure_index, GAPS_MAX, call->function, (uint32_t)call->pid,
		     &fresh);
	if (!sum)
		return;
	sum->pid = call->pid;
	sum->function = (uint16_t)call->function;
	sum->count++;
	latency_memory_any(&sum->ns, &sum->until_ns, call->begin_ns, call->end_ns);
	sum->has_other_status |= sum->count > 1 && sum->status != call->status;
	sum->status = call->status;
}

void latency_on_call(void *arg, const struct lane_call *call)
{
	struct lane_latency *latency = arg;
	struct lane_commands *c;
	struct lane_call_stats *stats;
	uint64_t ns = call->end_ns - call->begin_ns;
	bool waits;

	if (!call->ended && call->function < LANE_CLF_COUNT && latency->commands)
		latency_launches_unended(&latency->commands->launching, call);
	if (!call->ended || call->function >= LANE_CLF_COUNT ||
	    call->end_ns < latency->select.from_ns || call->end_ns > latency->select.to_ns ||
	    !latency_selects_process(&latency->select, call->pid, NULL))
		return;
	c = commands_of(latency);
	if (!c)
		return;
	waits = !lane_cl_has_failed(call->function, call->status) &&
		(lane_cl_functions[call->function].kind == LANE_CLK_SYNC || (call->flags & 1));
	if (!call->is_inner)
		on_program_call(c, call, waits);
	latency_launches_call(&c->launching, &latency->ahead, call, waits, latency->select.from_ns);
	if (waits)
		c->waits[c->n_waits++ % LANE_CL_WAITS] = (struct lane_cl_wait){
			.pid = call->pid,
			.queue = call->queue,
			.begin_ns = call->begin_ns,
			.end_ns = call->end_ns,
		};
	note_api(c, call->function);
	stats = &c->calls[call->function];
	stats->count++;
	if (lane_cl_has_failed(call->function, call->status)) {
		stats->failed++;
		on_failure(c, call);
	}
	stats->ns += ns;
	stats->max_ns = timeline_later(stats->max_ns, ns);
}

LANE_ORDER(kernels_by_ns, struct lane_kernel_stats, LANE_DOWN(running.sum_ns))
LANE_ORDER(gaps_by_ns, struct lane_gap_sum, LANE_DOWN(ns))
LANE_ORDER(behinds_by_ns, struct lane_behind_sum, LANE_DOWN(ns))
LANE_ORDER(awaits_by_ns, struct lane_cl_await, LANE_DOWN(ns))

/* The function that took most of the time in other calls, of each device and thread. */
static void name_gap_calls(struct lane_commands *c)
{
	for (uint32_t i = 0; i < c->n_gap_calls; i++) {
		const struct lane_gap_call *call = &c->gap_calls[i];
		uintptr_t place = (uintptr_t)lane_table_get(
			&c->gap_index, (uint64_t)call->device << 8 | LANE_GAP_OTHER,
			(uint32_t)call->tid);
		struct lane_gap_sum *sum = place ? &c->gaps[place - 1] : NULL;

		if (!sum || call->ns <= sum->function_ns)
			continue;
		sum->function = call->function;
		sum->calls = call->count;
		sum->function_ns = call->ns;
	}
}

void latency_commands_finish(struct lane_commands *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n_devices; i++)
		settle_off(c, i, UINT64_MAX);
	LANE_SORT(c->behinds, c->n_behinds, behinds_by_ns);
	LANE_SORT(c->awaits, c->n_awaits, awaits_by_ns);
	LANE_SORT(c->kernels, c->n_kernels, kernels_by_ns);
	name_gap_calls(c);
	LANE_SORT(c->gaps, c->n_gaps, gaps_by_ns);
	latency_launches_finish(&c->launching);
	c->no_memory |= c->launching.no_memory;
}

bool latency_commands_has_process(void *commands, int32_t pid)
{
	const struct lane_commands *c = commands;

	return lane_table_get(&c->program_index, (uint32_t)pid, 0);
}

void latency_commands_destroy(struct lane_commands *c)
{
	if (!c)
		return;
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++)
		latency_histogram_free(&c->stages[i].histogram);
	latency_histogram_free(&c->total.histogram);
	for (uint32_t i = 0; i < c->n_kernels; i++) {
		latency_histogram_free(&c->kernels[i].running.histogram);
		latency_histogram_free(&c->kernels[i].total.histogram);
		free(c->kernels[i].longest.octaves);
	}
	for (int i = 0; i < LANE_COMMAND_CLASSES; i++)
		latency_histogram_free(&c->transfers[i].running.histogram);
	lane_table_free(&c->device_index);
	lane_table_free(&c->kernel_index);
	lane_table_free(&c->gap_index);
	lane_table_free(&c->gap_call_index);
	lane_table_free(&c->behind_index);
	lane_table_free(&c->program_index);
	lane_table_free(&c->await_index);
	lane_table_free(&c->failure_index);
	latency_launches_deinit(&c->launching);
	free(c->failures);
	free(c->awaits);
	free(c->behinds);
	free(c->programs);
	for (uint32_t i = 0; i < c->n_queues; i++)
		free(c->queues[i].runs);
	free(c->queues);
	free(c->kernels);
	free(c->devices);
	free(c->gaps);
	free(c->gap_calls);
	free(c);
}

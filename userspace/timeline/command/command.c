// SPDX-License-Identifier: MIT
// OpenCL calls and commands, from the call until the program notices that the command is complete.
#include "timeline/command/command.h"
#include "timeline/command/command_events.h"

#include "timeline/losses.h"
#include "timeline/objects.h"

#include <stdlib.h>
#include <string.h>

#define PROFILING_QUEUED 0x1280 /* CL_PROFILING_COMMAND_QUEUED, the first of the four */
#define LOOKED_AT	 4096 /* so many open commands, from the oldest, for one whose number was lost */

/* The two APIs count their commands apart. */
static uint64_t command_number_of(uint64_t number, bool is_levelzero)
{
	return is_levelzero ? number | LANE_LEVELZERO_NUMBER : number;
}

static const struct lane_cl_function *function_of(uint32_t number)
{
	return &lane_cl_functions[number < LANE_CLF_COUNT ? number : LANE_CLF_NONE];
}

static enum lane_command_class class_of(uint32_t type)
{
	switch (type) {
		/* clang-format off */
#define CLC(command_name, value, class)                                                                    \
	case value:                                                                                \
		return LANE_COMMAND_##class;
#include "base/opencl.def"
		/* clang-format on */
	default:
		return LANE_COMMAND_OTHER;
	}
}

/* True of a type of command that is Level Zero's. */
static bool is_levelzero(uint32_t type)
{
	return type >= LANE_CLC_LAUNCH_KERNEL && type <= LANE_CLC_GRAPH;
}

/*
 * Intel's runtime tells start and end by the GPU's clock. Its queued and submitted times are the
 * host's: it adds what the host's clock has gone since its last reading of both clocks, as if the
 * GPU's had its nominal rate (NEO, event.cpp, Event::setSubmitTimeStamp; os_time.cpp,
 * DeviceTime::getGpuCpuTimestamps). It reads them again after 100 ms to 1 s. Returns how wrong that
 * may be, ns.
 */
#define READ_AGAIN_NS 1000000000ull
#define SLIP_MAX_PPB  (LANE_SYNC_DRIFT_PPM * 1000)

static uint64_t slip_of(const struct lane_cl_cmd *cmd)
{
	const struct lane_cl_device *device = cmd->device;
	uint64_t known_ns = cmd->pub.known_ns, age_ns = READ_AGAIN_NS;
	uint64_t ppb = device->first_host_ns ? device->slip_ppb : SLIP_MAX_PPB;

	if (device->is_exact)
		return 0;
	if (cmd->read_ns && known_ns && known_ns - cmd->read_ns < age_ns)
		age_ns = known_ns - cmd->read_ns;
	return device->sync.grain_ns + cmd->took_ns + age_ns * ppb / 1000000000;
}

/* The bounds of the queued or the submitted time, which is an estimate or not told. */
static struct lane_span host_time(const struct lane_cl_cmd *cmd, enum lane_command_time which)
{
	const struct lane_command *pub = &cmd->pub;
	const struct lane_sync *sync = &cmd->device->sync;
	uint64_t ns = pub->raw_ns[which], start_ns = pub->raw_ns[LANE_COMMAND_START], unused;
	struct lane_span span = { pub->call_ns, 0 }, start;
	bool is_in_call = which == LANE_COMMAND_QUEUED || !ns;

	clock_sync_bounds(sync, start_ns, &start.lo, &start.hi);
	span.hi = start.hi;
	/* An estimate after the start is told as a tick or two before the start. */
	if (ns && start_ns - pub->raw_ns[LANE_COMMAND_QUEUED] > sync->grain_ns) {
		clock_sync_bounds(sync, ns > pub->slip_ns ? ns - pub->slip_ns : 0, &span.lo,
				  &unused);
		clock_sync_bounds(sync, ns + pub->slip_ns, &unused, &span.hi);
		span.hi = span.hi > start.hi ? start.hi : span.hi;
	}
	if (is_in_call && pub->return_ns && pub->return_ns < span.hi)
		span.hi = pub->return_ns;
	return span;
}

/* Sets the bounds of a time by the clock, and *ns, its best value. */
static struct lane_span time_by_clock(const struct lane_cl_cmd *cmd, enum lane_command_time which,
				      uint64_t *ns)
{
	const struct lane_command *pub = &cmd->pub;
	const struct lane_sync *sync = &cmd->device->sync;
	struct lane_span span;

	*ns = clock_sync_cpu_ns(sync, pub->raw_ns[which]);
	if (pub->raw_ns[which] && (!pub->slip_ns || which >= LANE_COMMAND_START)) {
		clock_sync_bounds(sync, pub->raw_ns[which], &span.lo, &span.hi);
		return span;
	}
	span = host_time(cmd, which);
	/* Level Zero's driver tells no such time: in the call, before the start. */
	if (!pub->raw_ns[which]) {
		*ns = clock_sync_cpu_ns(sync, pub->raw_ns[LANE_COMMAND_START]);
		*ns = *ns < span.hi ? *ns : span.hi;
	}
	return span;
}

/* Sets the four times on the CPU's clock: within the bounds of the clock, and between call_ns and
 * known_ns. */
static void place_times(struct lane_cl_cmd *cmd)
{
	struct lane_command *pub = &cmd->pub;
	uint64_t floor_ns = pub->call_ns, ceiling_ns = pub->known_ns ? pub->known_ns : LANE_NEVER;
	uint64_t last_ns = floor_ns, ns;

	pub->slip_ns = slip_of(cmd);
	for (int i = 0; i < LANE_COMMAND_TIMES; i++) {
		struct lane_span *span = &pub->time[i];

		*span = time_by_clock(cmd, i, &ns);
		span->lo = span->lo < floor_ns ? floor_ns : span->lo;
		span->hi = span->hi > ceiling_ns ? ceiling_ns : span->hi;
		span->lo = span->lo > ceiling_ns ? ceiling_ns : span->lo;
		span->hi = span->hi < span->lo ? span->lo : span->hi;
		ns = ns < last_ns ? last_ns : ns;
		ns = ns > ceiling_ns ? ceiling_ns : ns;
		/* A device clock that is taken for the CPU's may leave the bounds by its
		 * resolution. */
		pub->time_ns[i] = ns < span->lo ? span->lo : ns > span->hi ? span->hi : ns;
		last_ns = pub->time_ns[i];
	}
}

/* Sets the name of a thread, or of its process, once an event has told it: the thread may end
 * before its command does. */
static void command_name(const struct lane_timeline *tl, int32_t tid, char comm[16])
{
	const struct lane_thread *thread = comm[0] ? NULL : timeline_thread(tl, tid);

	if (thread)
		memcpy(comm, thread->comm, sizeof(thread->comm));
}

static void name_thread(const struct lane_timeline *tl, struct lane_command *command)
{
	command_name(tl, command->tid, command->comm);
	if (!command->comm[0] && command->tid == command->pid && command->queue)
		memcpy(command->comm, command->queue->comm, sizeof(command->comm));
}

/* A call-back may come long after a call has returned that waited for the command. */
static void know_by_finish(struct lane_cl_cmd *cmd)
{
	if (cmd->finished_ns && (!cmd->pub.known_ns || cmd->finished_ns < cmd->pub.known_ns))
		cmd->pub.known_ns = cmd->finished_ns;
}

/* Tells the subscriber of a command, and frees it. */
static void command_over(struct lane_timeline *tl, struct lane_cl_cmd *cmd, bool is_sure)
{
	struct lane_command_figures *figures = &tl->cl->figures;

	know_by_finish(cmd);
	if (cmd->took && cmd->pub.call_ns && cmd->pub.known_ns > cmd->pub.call_ns &&
	    cmd->pub.status >= 0)
		lane_octaves_add(cmd->took, cmd->pub.known_ns - cmd->pub.call_ns);
	if (cmd->pub.timed) {
		place_times(cmd);
		timeline_command_ahead(tl, cmd, is_sure);
	} else {
		timeline_command_unplaced(tl, cmd);
	}
	timeline_cl_match(tl, cmd);
	figures->commands++;
	figures->untimed += !cmd->pub.timed;
	figures->certainty[cmd->pub.certainty]++;
	figures->why[cmd->pub.why]++;
	command_name(tl, cmd->queue->pub.pid, cmd->queue->pub.comm);
	name_thread(tl, &cmd->pub);
	if (tl->hooks.command)
		tl->hooks.command(tl->hooks.arg, &cmd->pub);
	timeline_command_unlink(tl, cmd);
}

/* Tells the commands that the device's order gives out. all: do not wait for others. */
static void command_drain(struct lane_timeline *tl, struct lane_cl_device *device, bool all)
{
	struct lane_cl_cmd *cmd;
	bool is_sure;

	while ((cmd = timeline_command_order_next(device->order, all, &is_sure))) {
		cmd->is_back = false;
		cmd->pub.is_in_order = is_sure;
		command_over(tl, cmd, is_sure);
	}
}

/* Too many commands are open: the oldest is told as it is. */
static void crowd(struct lane_timeline *tl)
{
	struct lane_cl_cmd *oldest = tl->cl->oldest;

	tl->cl->figures.crowded++;
	if (oldest->is_back)
		command_drain(tl, oldest->device, true);
	else
		command_over(tl, oldest, false);
}

/* Makes a command, and room for it. NULL: no memory. */
static struct lane_cl_cmd *command_new(struct lane_timeline *tl)
{
	while (tl->cl->n_open >= LANE_COMMANDS_MAX)
		crowd(tl);
	return timeline_command_new(tl);
}

/* A GPU's order is that of the CPU's clock. */
static uint64_t place_in_order(const struct lane_cl_device *device, uint64_t start_ns)
{
	return device->gpu ? clock_sync_cpu_ns(&device->sync, start_ns) : start_ns;
}

/* The device's clock is bounded by the command's call and by when its completion was known. */
static void bound_clock(const struct lane_cl_cmd *cmd)
{
	struct lane_cl_device *device = cmd->device;
	const uint64_t *raw_ns = cmd->pub.raw_ns;
	bool is_queued = device->is_exact && raw_ns[LANE_COMMAND_QUEUED];

	if (device->foreseen)
		return;
	if (cmd->pub.call_ns)
		clock_sync_before(&device->sync, cmd->pub.call_ns,
				  raw_ns[is_queued ? LANE_COMMAND_QUEUED : LANE_COMMAND_START]);
	if (cmd->pub.known_ns)
		clock_sync_after(&device->sync, cmd->pub.known_ns, raw_ns[LANE_COMMAND_END]);
}

/* The command is known to be complete: it waits for its turn, or is told at once if it has no
 * times. */
static void command_complete(struct lane_timeline *tl, struct lane_cl_cmd *cmd)
{
	struct lane_cl_device *device = cmd->device;
	const uint64_t *raw_ns = cmd->pub.raw_ns;

	if (cmd->is_back)
		return;
	know_by_finish(cmd);
	cmd->queue->moved_ns = timeline_later(cmd->queue->moved_ns, cmd->pub.known_ns);
	cmd->pub.timed = raw_ns[LANE_COMMAND_START] && raw_ns[0] <= raw_ns[1] &&
			 raw_ns[1] <= raw_ns[2] && raw_ns[2] <= raw_ns[3] &&
			 (raw_ns[0] || lane_cl_is_levelzero(cmd->pub.function));
	if (!cmd->pub.timed) {
		command_over(tl, cmd, false);
		command_drain(tl, device, false);
		return;
	}
	bound_clock(cmd);
	if (!cmd->ticketed)
		cmd->ticket = timeline_command_order_ticket(device->order);
	cmd->ticketed = false;
	cmd->is_back = true;
	if (!timeline_command_order_give(device->order, cmd->ticket,
					 place_in_order(device, raw_ns[LANE_COMMAND_START]), cmd))
		tl->no_memory = true;
	command_drain(tl, device, false);
}

/* What the thread is in moves to another place. */
static void move_call(struct lane_cl_thread *to, const struct lane_cl_thread *from)
{
	*to = *from;
	if (to->call.awaited_name)
		to->call.awaited_name = to->awaited_name;
	if (to->cmd)
		to->cmd->caller = to;
}

/* The thread calls Level Zero in a call of OpenCL. False: no memory. */
static bool go_inside(struct lane_timeline *tl, struct lane_cl_thread *thread)
{
	struct lane_cl_thread *outer = lane_pool_get(&tl->cl->thread_pool);

	tl->no_memory |= !outer;
	if (!outer)
		return false;
	move_call(outer, thread);
	thread->outer = outer;
	return true;
}

/* It is back in the call of OpenCL. */
static void come_back(struct lane_timeline *tl, struct lane_cl_thread *thread)
{
	struct lane_cl_thread *outer = thread->outer;
	const struct lane_call inner = thread->call;
	uint64_t clock_ns = thread->clock_ns;

	move_call(thread, outer);
	thread->clock_ns = clock_ns;
	thread->call.inner_ns += inner.end_ns - inner.begin_ns;
	lane_pool_put(&tl->cl->thread_pool, outer);
}

static void command_tell_call(struct lane_timeline *tl, struct lane_cl_thread *thread, uint64_t end_ns)
{
	thread->call.end_ns = end_ns;
	thread->is_inside = false;
	tl->cl->figures.calls++;
	if (tl->hooks.call)
		tl->hooks.call(tl->hooks.arg, &thread->call);
	if (thread->outer)
		come_back(tl, thread);
}

/* Unties the thread's call from its command. Returns the command; NULL: there is none. */
static struct lane_cl_cmd *no_caller(struct lane_cl_thread *thread)
{
	struct lane_cl_cmd *cmd = thread->cmd;

	thread->cmd = NULL;
	if (!cmd)
		return NULL;
	cmd->caller = NULL;
	cmd->queue->process->enqueueing--;
	return cmd;
}

/* The thread has left its call, whose exit was not seen. */
static void command_leave(struct lane_timeline *tl, struct lane_cl_thread *thread, uint64_t now_ns)
{
	struct lane_cl_cmd *cmd;

	timeline_cl_call_over(thread);
	cmd = no_caller(thread);
	if (cmd) {
		/* It stays open, without a number. */
		cmd->has_lost_exit = true;
		cmd->queue->n_lost_exits++;
	}
	command_tell_call(tl, thread, now_ns);
}

/* The call waits for cmd: NULL, it is not known for which. */
static void command_await(struct lane_cl_thread *thread, const struct lane_cl_cmd *cmd)
{
	if (!cmd)
		return;
	memcpy(thread->awaited_name, cmd->name, sizeof(thread->awaited_name));
	thread->call.awaited = cmd->pub.number;
	thread->call.awaited_class = cmd->pub.class;
	thread->call.awaited_name = thread->awaited_name;
}

/* The command that a wait is for. Where a queue runs its commands in any order, it may be any. */
static const struct lane_cl_cmd *awaited_by(const struct lane_timeline *tl,
					    const struct lane_cl_thread *thread)
{
	const struct lane_cl_q *queue = thread->queue;
	const struct lane_cl_cmd *cmd;

	if (!queue) {
		cmd = lane_table_get(&tl->cl->events, thread->call.object,
				     timeline_cl_key(thread->call.pid));
		return cmd && !cmd->is_back ? cmd : NULL;
	}
	cmd = queue->last && !queue->last->is_back ? queue->last : NULL;
	return queue->first == queue->last || timeline_cl_is_in_order(queue) ? cmd : NULL;
}

/* What is told of a command is put into its queue. NULL: no memory. */
static struct lane_cl_cmd *command_enqueue(struct lane_timeline *tl, struct lane_cl_q *queue,
					   const struct lane_command *told)
{
	struct lane_cl_cmd *cmd = command_new(tl);

	if (!cmd)
		return NULL;
	cmd->pub = *told;
	cmd->pub.name = cmd->name;
	cmd->pub.class = class_of(told->type);
	timeline_command_link(tl, queue, cmd);
	name_thread(tl, &cmd->pub);
	cmd->ticket = timeline_command_order_ticket(cmd->device->order);
	cmd->ticketed = true;
	return cmd;
}

/* The thread is in a call of OpenCL whose runtime may call the function. */
static bool is_around(const struct lane_timeline *tl, const struct lane_cl_thread *thread,
		      uint32_t function, uint64_t now_ns)
{
	return thread->is_inside && thread->call.function != LANE_CLF_NONE &&
	       !lane_cl_is_levelzero(thread->call.function) && lane_cl_is_levelzero(function) &&
	       !timeline_loss_between(tl, thread->call.begin_ns, now_ns);
}

static void on_entry(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_call_entry *said = &event->u.opencl_call_entry;
	const struct lane_cl_function *function = function_of(said->function);
	struct lane_cl_thread *thread =
		timeline_cl_thread_get(tl, event->wire.tid, event->wire.pid);
	struct lane_cl_cmd *cmd;

	if (!thread)
		return;
	if (thread->outer)
		command_leave(tl, thread, event->wire.ts_ns);
	if (thread->is_inside && (!is_around(tl, thread, said->function, event->wire.ts_ns) ||
				  !go_inside(tl, thread)))
		command_leave(tl, thread, event->wire.ts_ns);
	thread->call = (struct lane_call){
		.pid = event->wire.pid,
		.tid = event->wire.tid,
		.function = said->function,
		.queue = said->queue,
		.object = said->object,
		.size = said->size,
		.group = said->group,
		.flags = said->flags,
		.begin_ns = event->wire.ts_ns,
		.is_behind_launch = thread->has_launched,
		.is_inner = thread->outer,
	};
	thread->ran = timeline_thread_ran(tl, event->wire.tid, event->wire.ts_ns);
	thread->has_launched &=
		function->kind != LANE_CLK_SYNC && function->kind != LANE_CLK_ENQUEUE;
	thread->is_inside = true;
	thread->kind = function->kind;
	thread->cmd = NULL;
	thread->queue =
		said->queue ? timeline_cl_queue_get(tl, said->queue, event->wire.pid) : NULL;
	if (function->kind == LANE_CLK_SYNC)
		command_await(thread, awaited_by(tl, thread));
	if (!thread->queue || function->kind != LANE_CLK_ENQUEUE ||
	    function->command == LANE_CLC_NONE)
		return;
	cmd = command_enqueue(tl, thread->queue,
			      &(struct lane_command){ .tid = event->wire.tid,
						      .type = function->command,
						      .function = said->function,
						      .flags = said->flags,
						      .object = said->object,
						      .size = said->size,
						      .group = said->group,
						      .call_ns = event->wire.ts_ns });
	if (!cmd)
		return;
	cmd->caller = thread;
	thread->cmd = cmd;
	cmd->queue->process->enqueueing++;
}

/* Its completion says what cmd is; 0: it does not. */
static void set_type(struct lane_cl_cmd *cmd, uint32_t type)
{
	if (!type)
		return;
	cmd->pub.type = type;
	cmd->pub.class = class_of(type);
}

/* cmd gets its number. If a command of that number completed before the call returned, cmd is that
 * command. */
static void merge_early(struct lane_timeline *tl, struct lane_cl_cmd *cmd, uint64_t number)
{
	struct lane_cl_cmd *early =
		lane_table_get(&tl->cl->commands, number, timeline_cl_key(cmd->pub.pid));

	if (!early || early == cmd || !early->is_early) {
		timeline_command_number(tl, cmd, number, cmd->pub.pid);
		return;
	}
	memcpy(cmd->pub.raw_ns, early->pub.raw_ns, sizeof(cmd->pub.raw_ns));
	cmd->pub.status = early->pub.status;
	cmd->pub.known_ns = early->pub.known_ns;
	set_type(cmd, early->pub.type);
	timeline_command_unlink(tl, early);
	timeline_command_number(tl, cmd, number, cmd->pub.pid);
	command_complete(tl, cmd);
}

/* A call that waited for the whole queue from began_ns to now_ns has returned. */
static void finished(struct lane_cl_q *queue, uint64_t began_ns, uint64_t now_ns)
{
	for (struct lane_cl_cmd *cmd = queue->last; cmd && !cmd->finished_ns; cmd = cmd->prev)
		if (cmd->pub.return_ns && cmd->pub.return_ns <= began_ns)
			cmd->finished_ns = now_ns;
}

/* What was waited for under the handle before is over. */
static void is_told_by(struct lane_timeline *tl, struct lane_cl_cmd *cmd, uint64_t *of,
		       uint64_t handle)
{
	lane_table_del(&tl->cl->events, handle, timeline_cl_key(cmd->pub.pid));
	*of = handle;
	if (!lane_table_put(&tl->cl->events, handle, timeline_cl_key(cmd->pub.pid), cmd))
		tl->no_memory = true;
}

/* A call has returned: notes what that says of its command. */
static void returned(struct lane_timeline *tl, struct lane_cl_thread *thread,
		     const struct lane_event *event)
{
	const struct lane_p_opencl_call_exit *said = &event->u.opencl_call_exit;
	struct lane_cl_cmd *cmd = no_caller(thread);

	if (!cmd)
		return;
	if (lane_cl_has_failed(said->function, said->status) || !said->command) {
		/* Nothing was enqueued, or its completion will never be told. */
		struct lane_cl_device *device = cmd->device;

		timeline_command_unlink(tl, cmd);
		command_drain(tl, device, false);
		return;
	}
	cmd->pub.return_ns = event->wire.ts_ns;
	if (thread->call.flags & 1) {
		if (timeline_cl_is_in_order(cmd->queue))
			finished(cmd->queue, thread->call.begin_ns, event->wire.ts_ns);
		cmd->finished_ns = event->wire.ts_ns;
		command_await(thread, cmd);
	}
	if (said->object)
		is_told_by(tl, cmd, &cmd->event, said->object);
	merge_early(tl, cmd,
		    command_number_of(said->command, lane_cl_is_levelzero(said->function)));
}

/* The program releases a command's event: it will not ask it for times any more. */
static void released(struct lane_timeline *tl, uint64_t handle, int32_t pid)
{
	struct lane_cl_cmd *cmd = lane_table_get(&tl->cl->events, handle, timeline_cl_key(pid));

	if (cmd && !tl->cl->has_completions && cmd->finished_ns && !cmd->is_back)
		command_over(tl, cmd, false);
}

/* The call that submitted lists has returned: so it has for their commands. */
static void lists_returned(struct lane_cl_thread *thread, uint64_t now_ns)
{
	for (struct lane_cl_cmd *cmd = thread->queue ? thread->queue->last : NULL;
	     cmd && cmd->pub.call_ns >= thread->call.begin_ns; cmd = cmd->prev)
		if (cmd->pub.list && cmd->pub.tid == thread->call.tid)
			cmd->pub.return_ns = now_ns;
}

/* A call that makes no command, or those of lists, has returned. A barrier's event, and a fence,
 * tell of all up to there. */
static void flushed(struct lane_timeline *tl, struct lane_cl_thread *thread,
		    const struct lane_event *event)
{
	const struct lane_p_opencl_call_exit *said = &event->u.opencl_call_exit;
	struct lane_cl_cmd *last = thread->queue ? thread->queue->last : NULL;

	lists_returned(thread, event->wire.ts_ns);
	if (last && said->object && !lane_cl_has_failed(said->function, said->status) &&
	    (said->function == LANE_CLF_zeCommandListAppendBarrier ||
	     said->function == LANE_CLF_zeCommandQueueExecuteCommandLists))
		is_told_by(tl, last, &last->fence, said->object);
}

/* The thread is in that call. With a loss it may be the exit of another call. */
static bool is_exit_of(const struct lane_timeline *tl, const struct lane_cl_thread *thread,
		       const struct lane_event *event)
{
	const struct lane_p_opencl_call_exit *said = &event->u.opencl_call_exit;

	return thread->is_inside && thread->call.function == said->function &&
	       thread->call.queue == said->queue &&
	       !timeline_loss_between(tl, thread->call.begin_ns, event->wire.ts_ns);
}

static void on_exit_(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_call_exit *said = &event->u.opencl_call_exit;
	struct lane_cl_thread *thread =
		timeline_cl_thread_get(tl, event->wire.tid, event->wire.pid);

	if (!thread)
		return;
	if (thread->outer && thread->call.function != said->function)
		command_leave(tl, thread, event->wire.ts_ns);
	if (!is_exit_of(tl, thread, event)) {
		if (thread->is_inside)
			command_leave(tl, thread, event->wire.ts_ns);
		return;
	}
	timeline_cl_call_over(thread);
	returned(tl, thread, event);
	if (thread->kind == LANE_CLK_FLUSH)
		flushed(tl, thread, event);
	if (!lane_cl_has_failed(said->function, said->status) && thread->kind == LANE_CLK_SYNC &&
	    thread->queue)
		finished(thread->queue, thread->call.begin_ns, event->wire.ts_ns);
	if (said->function == LANE_CLF_clReleaseEvent && said->status >= 0)
		released(tl, thread->call.object, event->wire.pid);
	thread->call.has_launched |=
		said->command &&
		class_of(lane_cl_functions[said->function].command) == LANE_COMMAND_KERNEL;
	thread->has_launched |= thread->call.has_launched;
	thread->call.ran = timeline_cl_ran(tl, thread, event->wire.ts_ns);
	thread->call.status = said->status;
	thread->call.made = said->object;
	thread->call.command = said->command;
	thread->call.ended = true;
	command_tell_call(tl, thread, event->wire.ts_ns);
}

/* A command is complete whose call was not seen. If one whose number was lost stands where that
 * number would, it is that one, or both were lost: it is no further one. */
static void forget_lost(struct lane_timeline *tl, const struct lane_cl_q *queue, uint64_t number)
{
	struct lane_cl_cmd *lost = NULL, *cmd = queue->n_lost_exits ? queue->first : NULL;

	for (int n = 0; cmd && n < LOOKED_AT; n++, cmd = cmd->next) {
		if (cmd->numbered && cmd->key > number)
			break;
		if (cmd->numbered)
			lost = NULL;
		else if (cmd->has_lost_exit && !lost)
			lost = cmd;
	}
	if (lost)
		timeline_command_unlink(tl, lost);
}

/* Makes a command that is complete before its call has returned: it waits for the call's exit.
 * NULL: no memory. */
static struct lane_cl_cmd *early_command(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_command *said = &event->u.opencl_command;
	struct lane_cl_q *queue = timeline_cl_queue_get(tl, said->queue, event->wire.pid);
	struct lane_cl_cmd *cmd = queue ? command_new(tl) : NULL;

	if (!cmd)
		return NULL;
	timeline_command_of(tl, queue, cmd);
	cmd->pub.tid = -1;
	/* If no thread is in a call that could have made it, its call was not seen. */
	cmd->is_early = queue->process->enqueueing > 0;
	timeline_command_number(tl, cmd, command_number_of(said->command, is_levelzero(said->type)),
				event->wire.pid);
	if (!cmd->is_early)
		forget_lost(tl, queue, cmd->key);
	return cmd;
}

static void on_command(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_command *said = &event->u.opencl_command;
	struct lane_cl_cmd *cmd = lane_table_get(
		&tl->cl->commands, command_number_of(said->command, is_levelzero(said->type)),
		timeline_cl_key(event->wire.pid));

	tl->cl->has_completions = true;
	if (!cmd)
		cmd = early_command(tl, event);
	if (!cmd || cmd->is_back)
		return;
	cmd->pub.raw_ns[LANE_COMMAND_QUEUED] = said->queued_ns;
	cmd->pub.raw_ns[LANE_COMMAND_SUBMITTED] = said->submitted_ns;
	cmd->pub.raw_ns[LANE_COMMAND_START] = said->start_ns;
	cmd->pub.raw_ns[LANE_COMMAND_END] = said->end_ns;
	cmd->pub.status = said->status;
	cmd->pub.known_ns = event->wire.ts_ns;
	set_type(cmd, said->type);
	if (!cmd->is_early)
		command_complete(tl, cmd);
}

/* A command of a list was submitted, in the thread's call. */
static void on_run(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_run *said = &event->u.opencl_run;
	struct lane_cl_thread *thread =
		timeline_cl_thread_get(tl, event->wire.tid, event->wire.pid);
	struct lane_cl_q *queue = timeline_cl_queue_get(tl, said->queue, event->wire.pid);
	struct lane_cl_cmd *cmd;

	if (!thread || !queue)
		return;
	cmd = command_enqueue(
		tl, queue,
		&(struct lane_command){ .tid = event->wire.tid,
					.type = said->type,
					.function = said->function,
					.object = said->object,
					.list = said->list,
					.size = said->size,
					.group = said->group,
					.call_ns = thread->is_inside ? thread->call.begin_ns : 0 });
	if (!cmd)
		return;
	thread->call.has_launched |= cmd->pub.class == LANE_COMMAND_KERNEL;
	timeline_command_number(tl, cmd, command_number_of(said->command, true), event->wire.pid);
}

/* Notes a reading with the host's time, which took took_ns: by how much the rates differ. */
static void read_with_host(struct lane_cl_device *device, const struct lane_p_opencl_clock *said,
			   uint64_t took_ns)
{
	uint64_t host_ns = said->host_ns - device->first_host_ns;
	uint64_t gone_ns = said->device_ns - device->first_device_ns, off_ns;

	device->took_ns = took_ns;
	if (device->foreseen)
		return;
	if (!device->first_host_ns) {
		device->first_host_ns = said->host_ns;
		device->first_device_ns = said->device_ns;
		device->first_took_ns = took_ns;
		device->slip_ppb = SLIP_MAX_PPB;
	} else if (host_ns) {
		off_ns = (gone_ns > host_ns ? gone_ns - host_ns : host_ns - gone_ns) +
			 device->sync.grain_ns + device->first_took_ns + took_ns;
		device->slip_ppb = (uint64_t)((unsigned __int128)off_ns * 1000000000 / host_ns);
		if (device->slip_ppb > SLIP_MAX_PPB)
			device->slip_ppb = SLIP_MAX_PPB;
	}
}

/* A device's clock was read between two events of a thread. */
static void on_clock(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_clock *said = &event->u.opencl_clock;
	struct lane_cl_thread *thread =
		timeline_cl_thread_get(tl, event->wire.tid, event->wire.pid);
	struct lane_cl_device *device =
		thread ? timeline_cl_device_get(tl, said->device, event->wire.pid) : NULL;

	if (!device)
		return;
	if (!device->sync.pairs && said->grain_ns)
		device->sync.grain_ns = said->grain_ns;
	if (said->device_ns && thread->clock_ns && !device->foreseen) {
		clock_sync_before(&device->sync, thread->clock_ns, said->device_ns);
		clock_sync_after(&device->sync, event->wire.ts_ns, said->device_ns);
	}
	if (said->device_ns && said->host_ns && thread->clock_ns) {
		read_with_host(device, said, event->wire.ts_ns - thread->clock_ns);
		device->read_ns = thread->clock_ns;
	}
	thread->clock_ns = said->device_ns ? 0 : event->wire.ts_ns;
}

/* The program itself has read one of a command's times. */
static void on_profile(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_profiling *said = &event->u.opencl_profiling;
	struct lane_cl_cmd *cmd =
		lane_table_get(&tl->cl->events, said->event, timeline_cl_key(event->wire.pid));
	uint32_t which = said->param - PROFILING_QUEUED;

	if (!cmd || cmd->is_back || said->status < 0 || which >= LANE_COMMAND_TIMES)
		return;
	cmd->pub.raw_ns[which] = said->value_ns;
	cmd->times |= (uint8_t)(1u << which);
	if (tl->cl->has_completions || cmd->times != (1u << LANE_COMMAND_TIMES) - 1)
		return;
	cmd->pub.known_ns = event->wire.ts_ns;
	command_complete(tl, cmd);
}

/* A thread has ended: it has left its call. */
static void on_thread_exit(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t tid = (uint32_t)event->u.sched_process_exit.tid;
	struct lane_cl_thread *thread = lane_table_get(&tl->cl->threads, tid, 0);

	if (!thread)
		return;
	while (thread->is_inside)
		command_leave(tl, thread, event->wire.ts_ns);
	lane_table_del(&tl->cl->threads, tid, 0);
	lane_pool_put(&tl->cl->thread_pool, thread);
}

/* What only Level Zero's layer tells. */
static void on_levelzero(struct lane_timeline *tl, const struct lane_event *event)
{
	if (event->wire.kind == LANE_CL_RUN)
		on_run(tl, event);
	else if (event->wire.kind == LANE_CL_CLOCK)
		on_clock(tl, event);
}

void timeline_command_begin(struct lane_timeline *tl, const struct lane_event *event)
{
	(void)event;
	timeline_cl_get(tl);
}

void timeline_command_event(struct lane_timeline *tl, const struct lane_event *event)
{
	switch (event->wire.kind) {
	case LANE_RQ_QUEUE:
	case LANE_RQ_ADD:
		timeline_cl_request_made(tl, event);
		break;
	case LANE_EXIT:
		on_thread_exit(tl, event);
		break;
	case LANE_CL_ENTRY:
		on_entry(tl, event);
		break;
	case LANE_CL_EXIT:
		on_exit_(tl, event);
		break;
	case LANE_CL_COMMAND:
		on_command(tl, event);
		break;
	case LANE_CL_ATOMICS:
		timeline_cl_atomics_found(tl, event);
		break;
	case LANE_CL_KERNEL:
		timeline_cl_kernel_created(tl, event);
		break;
	case LANE_CL_QUEUE:
		timeline_cl_queue_created(tl, event);
		break;
	case LANE_CL_PROFILE:
		on_profile(tl, event);
		break;
	default:
		on_levelzero(tl, event);
	}
}

void timeline_command_finish(struct lane_timeline *tl)
{
	struct lane_cl *cl = tl->cl;

	if (!cl)
		return;
	for (struct lane_cl_device *device = cl->first_device; device; device = device->next)
		command_drain(tl, device, true);
	timeline_cl_tell_unended(tl);
	for (size_t i = 0; cl->threads.slots && i <= cl->threads.mask; i++) {
		struct lane_cl_thread *thread = cl->threads.slots[i].value;

		while (thread && thread->is_inside)
			command_leave(tl, thread, tl->figures.end_ns);
	}
	for (struct lane_cl_cmd *cmd = cl->newest; cmd; cmd = cmd->old_prev)
		if (cmd->is_early)
			forget_lost(tl, cmd->queue, cmd->key);
	while (cl->oldest)
		command_over(tl, cl->oldest, false);
}

void timeline_command_free(struct lane_timeline *tl)
{
	struct lane_cl *cl = tl->cl;

	if (!cl)
		return;
	for (struct lane_cl_device *device = cl->first_device; device; device = device->next) {
		timeline_command_order_destroy(device->own_order);
		free(device->runs.ring);
	}
	for (uint32_t i = 0; i < cl->n_queues; i++) {
		free(cl->queue_by_id[i]->log.made);
		free(cl->queue_by_id[i]->runs.ring);
	}
	free(cl->queue_by_id);
	for (size_t i = 0; cl->rings.slots && i <= cl->rings.mask; i++)
		if (cl->rings.slots[i].value)
			free(((struct lane_cl_ring *)cl->rings.slots[i].value)->log.made);
	lane_table_free(&cl->gpus);
	lane_table_free(&cl->queues);
	lane_table_free(&cl->devices);
	lane_table_free(&cl->kernels);
	lane_table_free(&cl->atomics);
	lane_table_free(&cl->took);
	lane_table_free(&cl->threads);
	lane_table_free(&cl->processes);
	lane_table_free(&cl->commands);
	lane_table_free(&cl->events);
	lane_table_free(&cl->requests);
	lane_table_free(&cl->contexts);
	lane_table_free(&cl->rings);
	lane_table_free(&cl->fits);
	lane_pool_free(&cl->gpu_pool);
	lane_pool_free(&cl->queue_pool);
	lane_pool_free(&cl->device_pool);
	lane_pool_free(&cl->kernel_pool);
	lane_pool_free(&cl->took_pool);
	lane_pool_free(&cl->thread_pool);
	lane_pool_free(&cl->process_pool);
	lane_pool_free(&cl->cmd_pool);
	lane_pool_free(&cl->rq_pool);
	lane_pool_free(&cl->ring_pool);
	free(cl);
}

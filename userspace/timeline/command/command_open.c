// SPDX-License-Identifier: MIT
// Calls that have not returned, and commands that are not known to have ended.
#include "timeline/command/command.h"
#include "timeline/command/command_events.h"
#include "timeline/objects.h"

/* A thread that turned up in its call may have run all the time. */
struct lane_span timeline_cl_ran(const struct lane_timeline *tl,
				 const struct lane_cl_thread *thread, uint64_t now_ns)
{
	struct lane_span ran = timeline_thread_ran(tl, thread->call.tid, now_ns);
	uint64_t most = now_ns - thread->call.begin_ns;

	if (ran.lo < thread->ran.lo || ran.hi - ran.lo < thread->ran.hi - thread->ran.lo)
		return (struct lane_span){ 0, most };
	ran.lo -= thread->ran.lo;
	ran.hi -= thread->ran.hi;
	ran.hi = ran.hi < ran.lo ? ran.lo : ran.hi;
	return ran;
}

/* Its call has returned, and nothing has shown that it is complete. */
static bool is_open(const struct lane_cl_cmd *cmd)
{
	return cmd->pub.call_ns && cmd->pub.return_ns && !cmd->pub.known_ns && !cmd->finished_ns &&
	       !cmd->is_back;
}

/* The ends of such commands are told, whether the program asks or not. Level Zero's layer learns of
 * an end only where the program asks; probes see what the program itself reads. */
static bool tells_ends(const struct lane_timeline *tl, uint32_t function)
{
	return !lane_cl_is_levelzero(function) &&
	       (tl->cl->has_completions ||
		tl->info.presence[LANE_CL_COMMAND] == LANE_PRESENCE_RECORDED);
}

/* The first command of the queue that is not known to have ended, where ends are told; NULL: none.
 */
static const struct lane_cl_cmd *first_open(const struct lane_timeline *tl,
					    const struct lane_cl_q *queue)
{
	const struct lane_cl_cmd *cmd = queue->first;

	while (cmd && !(is_open(cmd) && tells_ends(tl, cmd->pub.function)))
		cmd = cmd->next;
	return cmd;
}

static void set_command(const struct lane_timeline *tl, struct lane_unended *unended,
			const struct lane_cl_cmd *cmd)
{
	unended->command = &cmd->pub;
	if (cmd->took)
		unended->usual = lane_typical_of(cmd->took);
	unended->moved_ns = timeline_later(unended->moved_ns, cmd->queue->moved_ns);
	while ((cmd = cmd->next))
		unended->more += is_open(cmd) && tells_ends(tl, cmd->pub.function);
}

/* It is not known what is waited for: of all that the process has enqueued the first one. */
static void look_beside(const struct lane_timeline *tl, struct lane_unended *unended)
{
	const struct lane_cl_process *process =
		lane_table_get(&tl->cl->processes, 0, timeline_cl_key(unended->call->pid));
	const struct lane_cl_cmd *first = NULL;

	unended->is_beside = true;
	for (const struct lane_cl_q *q = process ? process->queues : NULL; q; q = q->sibling) {
		const struct lane_cl_cmd *cmd = first_open(tl, q);

		unended->moved_ns = timeline_later(unended->moved_ns, q->moved_ns);
		if (cmd && (!first || cmd->pub.call_ns < first->pub.call_ns))
			first = cmd;
	}
	if (first)
		set_command(tl, unended, first);
}

/* What a call waits for: of a queue the first command, as the others stand behind it; where ends
 * are not told, the one that the call names. */
static void look_awaited(const struct lane_timeline *tl, const struct lane_cl_thread *thread,
			 struct lane_unended *unended)
{
	const struct lane_call *call = &thread->call;
	bool is_levelzero = lane_cl_is_levelzero(call->function);
	const struct lane_cl_cmd *cmd = NULL;

	if (thread->queue && tells_ends(tl, call->function))
		cmd = first_open(tl, thread->queue);
	else if (call->awaited)
		cmd = lane_table_get(&tl->cl->commands,
				     call->awaited | (is_levelzero ? LANE_LEVELZERO_NUMBER : 0),
				     timeline_cl_key(call->pid));
	if (!cmd || !is_open(cmd) || cmd->pub.call_ns > call->begin_ns) {
		look_beside(tl, unended);
		return;
	}
	set_command(tl, unended, cmd);
	if (!thread->queue && !timeline_cl_is_in_order(cmd->queue))
		unended->moved_ns = 0; /* others of its queue do not wait for it */
}

/* A call that enqueues: where it waits, too, for what stands before its command in the queue. */
static void look_enqueued(const struct lane_timeline *tl, const struct lane_cl_thread *thread,
			  struct lane_unended *unended)
{
	const struct lane_cl_cmd *first = first_open(tl, thread->queue);

	if ((thread->call.flags & 1) && first && timeline_cl_is_in_order(thread->queue))
		set_command(tl, unended, first);
	else
		unended->command = &thread->cmd->pub;
}

/* The name of a process, by its first thread, or its queues. */
static const char *command_open_name_of(const struct lane_timeline *tl, int32_t pid)
{
	const struct lane_thread *thread = timeline_thread(tl, pid);
	const struct lane_cl_process *process =
		lane_table_get(&tl->cl->processes, 0, timeline_cl_key(pid));

	if (thread && *thread->comm)
		return thread->comm;
	for (const struct lane_cl_q *q = process ? process->queues : NULL; q; q = q->sibling)
		if (*q->pub.comm)
			return q->pub.comm;
	return "";
}

static void command_open_tell_call(const struct lane_timeline *tl,
				   const struct lane_cl_thread *thread, uint64_t now_ns,
				   void (*fn)(void *arg, const struct lane_unended *unended),
				   void *arg)
{
	struct lane_call call = thread->call;
	struct lane_unended unended = { .call = &call,
					.comm = command_open_name_of(tl, call.pid),
					.thread = timeline_thread(tl, call.tid) };

	call.end_ns = now_ns;
	call.ran = timeline_cl_ran(tl, thread, now_ns);
	if (thread->kind == LANE_CLK_SYNC)
		look_awaited(tl, thread, &unended);
	else if (thread->cmd)
		look_enqueued(tl, thread, &unended);
	fn(arg, &unended);
}

bool timeline_cl_is_in_call(const struct lane_timeline *tl, int32_t tid, int32_t pid)
{
	const struct lane_cl_thread *thread =
		tl->cl ? lane_table_get(&tl->cl->threads, (uint32_t)tid, 0) : NULL;

	return thread && thread->is_inside && thread->call.pid == pid;
}

void timeline_cl_each_unended(const struct lane_timeline *tl, uint64_t now_ns,
			      void (*fn)(void *arg, const struct lane_unended *unended), void *arg)
{
	const struct lane_cl *cl = tl->cl;

	if (!cl)
		return;
	for (size_t i = 0; cl->threads.slots && i <= cl->threads.mask; i++) {
		const struct lane_cl_thread *thread = cl->threads.slots[i].value;

		while (thread && thread->outer)
			thread = thread->outer;
		if (thread && thread->is_inside && thread->call.begin_ns <= now_ns)
			command_open_tell_call(tl, thread, now_ns, fn, arg);
	}
	for (uint32_t i = 0; i < cl->n_queues; i++) {
		const struct lane_cl_cmd *cmd = first_open(tl, cl->queue_by_id[i]);
		struct lane_unended unended = { .comm = "" };

		if (!cmd)
			continue;
		unended.comm = command_open_name_of(tl, cmd->pub.pid);
		unended.thread = timeline_thread(tl, cmd->pub.pid);
		set_command(tl, &unended, cmd);
		fn(arg, &unended);
	}
}

/* All that carried it is over: it has ended, or was cancelled, and only its own end was not told.
 */
static bool is_carried_out(const struct lane_command *command)
{
	return command->certainty == LANE_CERTAIN_EXACT &&
	       (!command->last_request || command->last_request->state == LANE_RQ_STATE_ENDED);
}

/* Finds what carried the command, and tells. The command itself is told later. */
static void match_and_tell(void *arg, const struct lane_unended *found)
{
	struct lane_timeline *tl = arg;
	struct lane_unended unended = *found;
	struct lane_cl_cmd cmd;

	if (found->command) {
		cmd = *(const struct lane_cl_cmd *)found->command; /* `pub` is its first member */
		timeline_cl_match(tl, &cmd);
		if (!found->call && is_carried_out(&cmd.pub))
			return;
		unended.request = cmd.pub.n_requests == 1 ? cmd.pub.request : NULL;
	}
	tl->hooks.unended(tl->hooks.arg, &unended);
}

void timeline_cl_tell_unended(struct lane_timeline *tl)
{
	if (tl->hooks.unended)
		timeline_cl_each_unended(tl, timeline_later(tl->figures.end_ns, tl->info.stop_ns),
					 match_and_tell, tl);
}

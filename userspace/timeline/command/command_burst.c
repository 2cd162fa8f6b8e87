// SPDX-License-Identifier: MIT
// Which burst carried a command. User space feeds the ring of a burst by itself, so most commands
// have no job of their own: they are in the burst that was begun last on their queue's context.
#include "timeline/command/command.h"

#include <string.h>

/* So many contexts of a process are looked at. */
#define RINGS 64

void timeline_cl_burst_made(struct lane_timeline *tl, struct lane_cl_process *process,
			    struct lane_cl_rq *rq, int32_t pid)
{
	const struct lane_context *context = rq->story.context;
	struct lane_cl *cl = tl->cl;
	struct lane_cl_ring *ring = lane_table_get(&cl->rings, context->id, timeline_cl_key(pid)),
			    **at;
	uint64_t needed_ns = cl->oldest ? cl->oldest->pub.call_ns : rq->made_ns;

	if (context->is_queue_known && !context->is_long_running)
		return;
	if (!ring) {
		ring = lane_pool_get(&cl->ring_pool);
		if (!ring || !lane_table_put(&cl->rings, context->id, timeline_cl_key(pid), ring)) {
			tl->no_memory = true;
			return;
		}
		ring->context = context;
		ring->next = process->rings;
		process->rings = ring;
	}
	/* The one that is fed comes first. */
	for (at = &process->rings; *at != ring;)
		at = &(*at)->next;
	*at = ring->next;
	ring->next = process->rings;
	process->rings = ring;
	/* The last one before the oldest command is needed, too. */
	while (ring->log.n > 1 && timeline_cl_made_at(&ring->log, 1)->rq->made_ns < needed_ns)
		timeline_cl_drop_oldest(tl, &ring->log);
	if (ring->log.n == LANE_MADE_MAX)
		ring->crowded_ns = timeline_cl_made_at(&ring->log, 1)->rq->made_ns;
	timeline_cl_note(tl, &ring->log, (struct lane_cl_made){ .rq = rq });
}

/* The bursts that may have carried one command. */
struct bursts {
	struct burst {
		const struct lane_cl_rq *rq;
		struct lane_cl_ring *ring;
		bool is_own;   /* made in the command's call, by its thread */
		bool is_copys; /* of an engine that copies, and runs no kernels */
	} of[LANE_COMMAND_REQUESTS];
	uint32_t n;
	bool is_there;	 /* the process has long-running queues */
	bool is_refuted; /* the times leave some out */
	bool is_crowded;
	uint64_t since_ns; /* the first of them was made then */
};

static bool is_copys(const struct lane_request *story)
{
	return story->engine && story->engine->name && !strncmp(story->engine->name, "bcs", 3);
}

/* The command ran before the burst was handed over, or after it was over. */
static bool cannot(const struct lane_cl_cmd *cmd, const struct lane_cl_rq *rq)
{
	const struct lane_request *story = &rq->story;

	if (!cmd->pub.timed)
		return false;
	if (story->seen & LANE_SEEN_EXECUTE
		    ? story->execute_ns > cmd->pub.time[LANE_COMMAND_START].hi
		    : rq->is_open)
		return true;
	return timeline_burst_is_over(story) && story->end.hi < cmd->pub.time[LANE_COMMAND_END].lo;
}

static void command_burst_add(struct bursts *found, struct burst burst)
{
	if (found->n == LANE_COMMAND_REQUESTS) {
		found->is_crowded = true;
		return;
	}
	found->of[found->n++] = burst;
	if (burst.rq->made_ns < found->since_ns)
		found->since_ns = burst.rq->made_ns;
}

/*
 * Adds the bursts of a ring that may have carried cmd: the last one that was made before its call,
 * and those made since. A runtime that has submitted a new burst feeds the one before no more.
 * Level Zero submits in the call.
 */
static void look_at_ring(struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
			 struct lane_cl_ring *ring, struct bursts *found)
{
	const struct lane_command *pub = &cmd->pub;
	bool is_in_call = lane_cl_is_levelzero(pub->function) && pub->return_ns;

	found->is_there = true;
	found->is_crowded |= pub->call_ns < ring->crowded_ns;
	for (uint32_t i = ring->log.n; i-- > 0;) {
		struct lane_cl_rq *rq = timeline_cl_made_at(&ring->log, i)->rq;
		const struct lane_request *story = timeline_cl_story(tl, rq);
		struct burst burst = {
			.rq = rq,
			.ring = ring,
			.is_own = rq->made_ns >= pub->call_ns && story->tid == pub->tid &&
				  (!pub->return_ns || rq->made_ns <= pub->return_ns),
			.is_copys = is_copys(story),
		};

		if (burst.is_copys && pub->class == LANE_COMMAND_KERNEL)
			return;
		if (is_in_call && rq->made_ns > pub->return_ns)
			continue;
		if (cannot(cmd, rq))
			found->is_refuted = true;
		else
			command_burst_add(found, burst);
		if (rq->made_ns < pub->call_ns)
			return;
	}
}

/* Its own call's bursts carried it; of a kernel else those of its queue. What else but a kernel
 * runs where the runtime likes, so a burst of a copy engine may have it, too. */
static void leave_likely(const struct lane_cl_cmd *cmd, struct bursts *found)
{
	const struct lane_cl_q *queue = cmd->queue;
	bool is_kernel = cmd->pub.class == LANE_COMMAND_KERNEL;
	bool has_own = false, has_own_copy = false, has_copy = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < found->n; i++) {
		has_own |= found->of[i].is_own;
		has_copy |= found->of[i].is_copys;
		has_own_copy |= found->of[i].is_own && found->of[i].is_copys;
	}
	for (uint32_t i = 0; i < found->n; i++) {
		const struct burst *burst = &found->of[i];
		bool is = true;

		if (has_own_copy)
			is = burst->is_own && burst->is_copys;
		else if (has_own && !has_copy)
			is = burst->is_own;
		else if (is_kernel && queue->ring && !queue->is_of_rings)
			is = burst->ring == queue->ring;
		if (is)
			found->of[n++] = *burst;
	}
	found->n = n;
}

/* Its kernels come on the context of the burst that one of their calls made. */
static void command_burst_learn(struct lane_cl_q *queue, const struct burst *burst)
{
	queue->is_of_rings |= queue->ring && queue->ring != burst->ring;
	queue->ring = burst->ring;
}

static void command_burst_decide(struct lane_cl_cmd *cmd, const struct bursts *found)
{
	struct lane_command *pub = &cmd->pub;
	struct lane_cl_q *queue = cmd->queue;
	bool is_kernel = pub->class == LANE_COMMAND_KERNEL;

	pub->certainty = LANE_CERTAIN_AMBIGUOUS;
	if (!found->n) {
		pub->certainty = LANE_CERTAIN_NONE;
		pub->why = found->is_refuted ? LANE_WHY_OTHER_TIMES : LANE_WHY_NO_REQUEST;
	} else if (found->is_crowded) {
		pub->why = LANE_WHY_TOO_MANY;
	} else if (found->n == 1 && found->of[0].is_own) {
		pub->certainty = LANE_CERTAIN_EXACT;
		pub->why = LANE_WHY_OWN_CALL;
		if (is_kernel)
			command_burst_learn(queue, &found->of[0]);
	} else if (is_kernel && (!queue->ring || queue->is_of_rings)) {
		pub->why = LANE_WHY_UNKNOWN_CONTEXT;
	} else if (found->n == 1 && is_kernel) {
		pub->certainty = LANE_CERTAIN_EXACT;
		pub->why = LANE_WHY_BURST;
	} else {
		pub->why = LANE_WHY_UNDECIDED;
	}
}

/*
 * A ring that runs takes commands without the kernel (DirectSubmissionHw::dispatchCommandBuffer()
 * of NEO's direct_submission_hw.inl: EXEC only where the ring has not been started). So one that
 * has been fed so, and then gets a job, had stopped: NEO's controller stops what has had nothing to
 * do for some ms (DirectSubmissionController::checkNewSubmissions()). The kernel has the job in
 * hand until it is handed over.
 */
static void tell_restart(const struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
			 const struct burst *burst)
{
	const struct lane_request *story = &burst->rq->story;
	struct lane_stall stall = {
		.cause = LANE_STALL_RESTART,
		.begin_ns = burst->rq->made_ns,
		.end_ns = story->execute_ns,
		.is_sure = true,
		.tid = -1, /* its thread goes on meanwhile */
		.pid = cmd->pub.pid,
		.comm = cmd->queue->pub.comm,
		.from = "",
		.to = "",
		.ctx = story->context->ctx,
		.seqno = story->seqno,
	};

	if (tl->hooks.stall && story->seen & LANE_SEEN_EXECUTE && stall.end_ns > stall.begin_ns)
		tl->hooks.stall(tl->hooks.arg, &stall);
}

/* Several commands of one call are in the burst that it began: its ring was started once. */
static void look_for_restart(struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
			     const struct burst *burst)
{
	struct lane_cl_ring *ring = burst->ring;

	if (cmd->pub.why == LANE_WHY_BURST) {
		if (!ring->fed_ns || ring->fed_ns > cmd->pub.call_ns)
			ring->fed_ns = cmd->pub.call_ns;
	} else if (ring->fed_ns && ring->fed_ns < burst->rq->made_ns &&
		   ring->restarted_ns != burst->rq->made_ns) {
		tell_restart(tl, cmd, burst);
		ring->restarted_ns = burst->rq->made_ns;
	}
}

bool timeline_cl_match_burst(struct lane_timeline *tl, struct lane_cl_cmd *cmd)
{
	struct bursts found = { .since_ns = cmd->pub.call_ns };
	struct lane_cl_ring *ring = cmd->queue->process->rings;

	for (int n = 0; ring; ring = ring->next) {
		if (!ring->context->is_long_running)
			continue;
		if (++n > RINGS) {
			found.is_crowded = true;
			break;
		}
		look_at_ring(tl, cmd, ring, &found);
	}
	if (!found.is_there)
		return false;
	leave_likely(cmd, &found);
	command_burst_decide(cmd, &found);
	/* A burst that is missing may be the one. */
	timeline_cl_mind_losses(tl, &cmd->pub, found.since_ns);
	for (uint32_t i = 0; i < found.n; i++)
		timeline_cl_carried(cmd, found.of[i].rq);
	if (cmd->pub.certainty == LANE_CERTAIN_EXACT)
		look_for_restart(tl, cmd, &found.of[0]);
	return true;
}

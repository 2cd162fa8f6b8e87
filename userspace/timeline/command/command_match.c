// SPDX-License-Identifier: MIT
// The requests that a process with OpenCL queues makes: in which call, and which commands they may
// carry.
#include "timeline/command/command.h"
#include "timeline/objects.h"
#include "timeline/command/command_events.h"
#include "timeline/drm/drm_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

static void unref(struct lane_timeline *tl, struct lane_cl_rq *rq)
{
	if (!--rq->refs)
		lane_pool_put(&tl->cl->rq_pool, rq);
}

static void copy_story(struct lane_cl_rq *rq, const struct lane_request *from)
{
	rq->story = *from;
	rq->story.behind = NULL;
}

const struct lane_request *timeline_cl_story(struct lane_timeline *tl, struct lane_cl_rq *rq)
{
	const struct lane_rq *live =
		rq->is_open ? lane_table_get(&tl->requests, rq->story.context->id, rq->story.seqno)
			    : NULL;

	if (live)
		copy_story(rq, &live->pub);
	return &rq->story;
}

void timeline_command_request(struct lane_timeline *tl, const struct lane_request *story)
{
	struct lane_cl_rq *rq;

	if (!tl->cl)
		return;
	rq = lane_table_get(&tl->cl->requests, story->context->id, story->seqno);
	if (!rq)
		return;
	copy_story(rq, story);
	rq->is_open = false;
	lane_table_del(&tl->cl->requests, story->context->id, story->seqno);
	unref(tl, rq);
}

void timeline_command_preempted(const struct lane_timeline *tl, const struct lane_preemption *told)
{
	const struct lane_request *story = told->victim;
	struct lane_cl_rq *rq =
		tl->cl ? lane_table_get(&tl->cl->requests, story->context->id, story->seqno) : NULL;

	if (rq && told->lasted.lo && !told->unless_ns && rq->n_off < LANE_COMMAND_OFFS)
		rq->off[rq->n_off++] =
			(struct lane_span){ told->at.hi, told->at.hi + told->lasted.lo };
}

void timeline_cl_drop_oldest(struct lane_timeline *tl, struct lane_cl_log *log)
{
	unref(tl, timeline_cl_made_at(log, 0)->rq);
	log->head++;
	log->n--;
}

void timeline_cl_trim(struct lane_timeline *tl, struct lane_cl_q *queue)
{
	uint64_t needed = queue->first ? queue->first->place : queue->next_place;

	while (queue->log.n && timeline_cl_made_at(&queue->log, 0)->last < needed)
		timeline_cl_drop_oldest(tl, &queue->log);
}

/* Room for one more at the end. False: no memory. */
static bool command_match_make_room(struct lane_cl_log *log)
{
	if (log->head + log->n < log->cap)
		return true;
	if (log->head <= log->n)
		return LANE_GROW(log->made, log->cap, log->cap + 1);
	memmove(log->made, log->made + log->head, log->n * sizeof(*log->made));
	log->head = 0;
	return true;
}

void timeline_cl_note(struct lane_timeline *tl, struct lane_cl_log *log, struct lane_cl_made made)
{
	if (log->n == LANE_MADE_MAX)
		timeline_cl_drop_oldest(tl, log);
	if (!command_match_make_room(log)) {
		tl->no_memory = true;
		return;
	}
	*timeline_cl_made_at(log, log->n++) = made;
	made.rq->refs++;
}

/* Notes in the log that rq may have carried the queue's commands from place first to last. */
static void command_match_note(struct lane_timeline *tl, struct lane_cl_q *queue,
			       struct lane_cl_rq *rq, uint64_t first, uint64_t last,
			       enum lane_made_how how)
{
	if (queue->log.n == LANE_MADE_MAX &&
	    timeline_cl_made_at(&queue->log, 0)->last > queue->crowded_to)
		queue->crowded_to = timeline_cl_made_at(&queue->log, 0)->last;
	timeline_cl_note(tl, &queue->log, (struct lane_cl_made){ rq, first, last, how });
}

void timeline_cl_learn(struct lane_timeline *tl, struct lane_cl_q *queue,
		       const struct lane_context *context)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_q *had = lane_table_get(&cl->contexts, context->id, 0);

	if (had == queue || had == &cl->shared)
		return;
	if (!had) {
		if (!lane_table_put(&cl->contexts, context->id, 0, queue))
			tl->no_memory = true;
	} else {
		had->pub.ctx_shared = queue->pub.ctx_shared = true;
		lane_table_del(&cl->contexts, context->id, 0);
		if (!lane_table_put(&cl->contexts, context->id, 0, &cl->shared))
			tl->no_memory = true;
	}
	if (!queue->pub.ctx) {
		queue->pub.ctx = context->ctx;
		queue->pub.ctx_dev = context->dev;
	}
}

/* Returns the place of the first command of the queue that is, as far as is known, neither
 * submitted nor complete. */
static uint64_t first_waiting(struct lane_cl_q *queue)
{
	uint64_t first = queue->next_place;

	for (const struct lane_cl_cmd *cmd = queue->last; cmd && cmd->place >= queue->waiting_from;
	     cmd = cmd->prev)
		if (!cmd->is_back && !cmd->finished_ns)
			first = cmd->place;
	queue->waiting_from = first;
	return first;
}

/* rq was made in a call that names its queue. */
static void made_in_call(struct lane_timeline *tl, struct lane_cl_thread *thread,
			 struct lane_cl_rq *rq)
{
	struct lane_cl_q *queue = thread->queue;
	uint64_t first = first_waiting(queue), last, flushed;
	enum lane_made_how how = LANE_MADE_FLUSH;

	if (thread->cmd) {
		bool blocking = thread->call.flags & 1;

		last = thread->cmd->place;
		first = first > last ? last : first;
		how = first == last ? LANE_MADE_ALONE : blocking ? LANE_MADE_FLUSH : LANE_MADE_CALL;
		flushed = how == LANE_MADE_CALL ? last : last + 1;
	} else {
		last = queue->next_place - 1;
		flushed = queue->next_place;
		if (first == queue->next_place) {
			/* No command waits. rq may carry what the requests of the commands' own
			 * calls did not. */
			if (!queue->first)
				return;
			first = queue->first->place;
			how = LANE_MADE_CONTEXT;
		}
	}
	command_match_note(tl, queue, rq, first, last, how);
	timeline_cl_learn(tl, queue, rq->story.context);
	thread->flushed = true;
	thread->flushed_to = flushed > thread->flushed_to ? flushed : thread->flushed_to;
}

void timeline_cl_call_over(struct lane_cl_thread *thread)
{
	struct lane_cl_q *queue = thread->queue;

	if (thread->flushed && queue && thread->flushed_to > queue->waiting_from)
		queue->waiting_from = thread->flushed_to;
	thread->flushed = false;
	thread->flushed_to = 0;
}

/* rq was made outside of a queue's call. It may carry the open commands of the queue to which its
 * context belongs. */
static void made_elsewhere(struct lane_timeline *tl, struct lane_cl_process *process,
			   struct lane_cl_rq *rq, bool in_call)
{
	struct lane_cl_q *queue = lane_table_get(&tl->cl->contexts, rq->story.context->id, 0);

	if (queue && queue != &tl->cl->shared) {
		if (queue->first)
			command_match_note(tl, queue, rq, queue->first->place,
					   queue->next_place - 1, LANE_MADE_CONTEXT);
		return;
	}
	if (queue == &tl->cl->shared) {
		for (queue = process->queues; queue; queue = queue->sibling)
			if (queue->first && queue->pub.ctx_shared)
				command_match_note(tl, queue, rq, queue->first->place,
						   queue->next_place - 1, LANE_MADE_SHARED);
		return;
	}
	if (in_call)
		return; /* made in a call that names no queue: no command is known to need it */
	/* A queue whose context is known has no requests on other contexts. */
	for (queue = process->queues; queue; queue = queue->sibling)
		if (queue->first && !queue->pub.ctx)
			command_match_note(tl, queue, rq, queue->first->place,
					   queue->next_place - 1, LANE_MADE_UNKNOWN);
}

/* The kernel makes requests of its own in a program's thread. Only an execbuf's request has a queue
 * event. */
static bool of_an_execbuf(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return (rq->pub.seen & LANE_SEEN_QUEUE) ||
	       (tl->info.presence[LANE_RQ_QUEUE] != LANE_PRESENCE_RECORDED &&
		!tl->figures.by_kind[LANE_RQ_QUEUE]);
}

/* `process` has made the request `live`, in the thread of the event. */
static void made(struct lane_timeline *tl, const struct lane_event *event,
		 struct lane_cl_process *process, struct lane_rq *live)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_thread *thread;
	struct lane_cl_rq *rq;

	if (lane_table_get(&cl->requests, live->pub.context->id, live->pub.seqno))
		return;
	rq = lane_pool_get(&cl->rq_pool);
	if (!rq || !lane_table_put(&cl->requests, live->pub.context->id, live->pub.seqno, rq)) {
		tl->no_memory = true;
		return;
	}
	rq->refs = 1;
	rq->is_open = true;
	rq->made_ns = event->wire.ts_ns;
	copy_story(rq, &live->pub);
	thread = lane_table_get(&cl->threads, (uint32_t)event->wire.tid, 0);
	if (thread && thread->is_inside && thread->queue &&
	    (thread->kind == LANE_CLK_ENQUEUE || thread->kind == LANE_CLK_FLUSH ||
	     thread->kind == LANE_CLK_SYNC))
		made_in_call(tl, thread, rq);
	else
		made_elsewhere(tl, process, rq, thread && thread->is_inside);
	if (live->pub.context->is_drm)
		timeline_cl_burst_made(tl, process, rq, event->wire.pid);
	if (rq->refs == 1) {
		lane_table_del(&cl->requests, live->pub.context->id, live->pub.seqno);
		unref(tl, rq);
	}
}

static struct lane_cl_process *process_of(const struct lane_timeline *tl,
					  const struct lane_event *event)
{
	return lane_table_get(&tl->cl->processes, 0, timeline_cl_key(event->wire.pid));
}

void timeline_cl_request_made(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cl_process *process = process_of(tl, event);
	struct lane_rq *live = process ? timeline_request_find(tl, event) : NULL;

	if (live && of_an_execbuf(tl, live))
		made(tl, event, process, live);
}

/*
 * Drivers queue jobs of their own in a program's thread, such as amdgpu's updates of page tables
 * (amdgpu_vm_sdma_commit() in amdgpu_vm_sdma.c, Linux 6.17). Such jobs are of no client. Before
 * Linux 6.17 nothing tells.
 */
void timeline_command_job(struct lane_timeline *tl, const struct lane_event *event,
			  struct lane_rq *rq)
{
	struct lane_cl_process *process = tl->cl ? process_of(tl, event) : NULL;

	if (process && (!tl->jobs->has_clients || rq->pub.drm_client))
		made(tl, event, process, rq);
}

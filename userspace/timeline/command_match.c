// SPDX-License-Identifier: MIT
// Which requests carried a command: made by which call, for which commands; what the times leave.
#include "timeline/command.h"

#include <stdlib.h>
#include <string.h>

/*
 * The driver sees a request end by its interrupt and takes the next one for started then: a command
 * may have begun this much earlier than its request did by the driver's events.
 */
#define LAG_NS 20000

/* Candidates that are weighed; more are not told apart. */
#define CANDIDATES 32

static uint64_t key(int32_t pid)
{
	return (uint32_t)pid;
}

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

void lane_command_request(struct lane_timeline *tl, const struct lane_request *story)
{
	struct lane_cl_rq *rq;

	if (!tl->cl)
		return;
	rq = lane_table_get(&tl->cl->requests, story->context->id, story->seqno);
	if (!rq)
		return;
	copy_story(rq, story);
	rq->open = false;
	lane_table_del(&tl->cl->requests, story->context->id, story->seqno);
	unref(tl, rq);
}

/* The log's i-th entry, from the oldest. */
static struct lane_cl_made *entry_at(const struct lane_cl_q *queue, uint32_t i)
{
	return &queue->log[(queue->log_head + i) & (queue->log_cap - 1)];
}

static void drop_oldest(struct lane_timeline *tl, struct lane_cl_q *queue)
{
	unref(tl, entry_at(queue, 0)->rq);
	queue->log_head = (queue->log_head + 1) & (queue->log_cap - 1);
	queue->log_n--;
}

void lane_cl_trim(struct lane_timeline *tl, struct lane_cl_q *queue)
{
	uint64_t needed = queue->first ? queue->first->place : queue->next_place;

	while (queue->log_n && entry_at(queue, 0)->last < needed)
		drop_oldest(tl, queue);
}

/* Doubles the log's ring; false: no memory. */
static bool grow(struct lane_timeline *tl, struct lane_cl_q *queue)
{
	uint32_t cap = queue->log_cap ? 2 * queue->log_cap : 16;
	struct lane_cl_made *more = malloc(cap * sizeof(*more));

	if (!more) {
		tl->no_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < queue->log_n; i++)
		more[i] = *entry_at(queue, i);
	free(queue->log);
	queue->log = more;
	queue->log_cap = cap;
	queue->log_head = 0;
	return true;
}

/* Writes down that rq may have carried the queue's commands first..last. */
static void note(struct lane_timeline *tl, struct lane_cl_q *queue, struct lane_cl_rq *rq,
		 uint64_t first, uint64_t last, enum lane_made_how how)
{
	if (queue->log_n == queue->log_cap) {
		if (queue->log_cap == LANE_MADE_MAX) {
			if (entry_at(queue, 0)->last > queue->crowded_to)
				queue->crowded_to = entry_at(queue, 0)->last;
			drop_oldest(tl, queue);
		} else if (!grow(tl, queue)) {
			return;
		}
	}
	queue->log_n++;
	*entry_at(queue, queue->log_n - 1) = (struct lane_cl_made){ rq, first, last, how };
	rq->refs++;
}

/* What the contexts have carried tells whose they are. */
static void learn(struct lane_timeline *tl, struct lane_cl_q *queue,
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

/* The first command of the queue that is neither handed over nor over, by what was seen. */
static uint64_t first_waiting(const struct lane_cl_q *queue)
{
	uint64_t first = queue->first ? queue->first->place : queue->next_place;

	return first > queue->waiting_from ? first : queue->waiting_from;
}

/* A request made in a call that names its queue. */
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
		flushed = blocking ? last + 1 : last;
		how = first == last ? LANE_MADE_ALONE : blocking ? LANE_MADE_FLUSH : LANE_MADE_CALL;
	} else {
		if (first == queue->next_place)
			return; /* nothing waits: none of a command's */
		last = queue->next_place - 1;
		flushed = queue->next_place;
	}
	note(tl, queue, rq, first, last, how);
	learn(tl, queue, rq->story.context);
	thread->flushed = true;
	thread->flushed_to = flushed > thread->flushed_to ? flushed : thread->flushed_to;
}

void lane_cl_call_over(struct lane_cl_thread *thread)
{
	struct lane_cl_q *queue = thread->queue;

	if (thread->flushed && queue && thread->flushed_to > queue->waiting_from)
		queue->waiting_from = thread->flushed_to;
	thread->flushed = false;
	thread->flushed_to = 0;
}

/* A request made elsewhere in the process: for what is open on the queue its context belongs to. */
static void made_elsewhere(struct lane_timeline *tl, struct lane_cl_process *process,
			   struct lane_cl_rq *rq, bool in_call)
{
	struct lane_cl_q *queue = lane_table_get(&tl->cl->contexts, rq->story.context->id, 0);

	if (queue && queue != &tl->cl->shared) {
		if (queue->first)
			note(tl, queue, rq, queue->first->place, queue->next_place - 1,
			     LANE_MADE_CONTEXT);
		return;
	}
	if (in_call)
		return; /* of a call that is about no queue: not a command's, as far as is known */
	for (queue = process->queues; queue; queue = queue->sibling)
		if (queue->first)
			note(tl, queue, rq, queue->first->place, queue->next_place - 1,
			     LANE_MADE_UNKNOWN);
}

/* The kernel makes requests of its own in a thread's name; an execbuf's has its queue event. */
static bool of_an_execbuf(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	return (rq->pub.seen & LANE_SEEN_QUEUE) ||
	       (tl->info.presence[LANE_RQ_QUEUE] != LANE_PRESENCE_RECORDED &&
		!tl->figures.by_kind[LANE_RQ_QUEUE]);
}

void lane_cl_request_made(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_process *process = lane_table_get(&cl->processes, 0, key(event->wire.pid));
	struct lane_cl_thread *thread;
	struct lane_cl_rq *rq;
	struct lane_rq *live;

	if (!process)
		return;
	live = lane_rq_get(tl, event, false);
	if (!live || !of_an_execbuf(tl, live) ||
	    lane_table_get(&cl->requests, live->pub.context->id, live->pub.seqno))
		return;
	rq = lane_pool_get(&cl->rq_pool);
	if (!rq || !lane_table_put(&cl->requests, live->pub.context->id, live->pub.seqno, rq)) {
		tl->no_memory = true;
		return;
	}
	rq->refs = 1;
	rq->open = true;
	rq->made_ns = event->wire.ts_ns;
	copy_story(rq, &live->pub);
	thread = lane_table_get(&cl->threads, (uint32_t)event->wire.tid, 0);
	if (thread && thread->in && thread->queue &&
	    (thread->kind == LANE_CLK_ENQUEUE || thread->kind == LANE_CLK_FLUSH ||
	     thread->kind == LANE_CLK_SYNC))
		made_in_call(tl, thread, rq);
	else
		made_elsewhere(tl, process, rq, thread && thread->in);
	if (rq->refs == 1) {
		lane_table_del(&cl->requests, live->pub.context->id, live->pub.seqno);
		unref(tl, rq);
	}
}

/* What the times say of a request: it cannot have carried the command, it may, it did. */
enum verdict {
	CANNOT = -1,
	MAY,
	DID
};

/* When it ran, as wide as it may have been; false: not known. */
static bool ran(const struct lane_cl_rq *rq, struct lane_span *from, struct lane_span *to)
{
	const struct lane_request *story = &rq->story;

	if (!story->started || (story->doubt & (LANE_DOUBT_DEVICE | LANE_DOUBT_EXECUTE)))
		return false;
	*from = story->start;
	*to = (struct lane_span){ from->lo, LANE_NEVER };
	if (story->state == LANE_RQ_STATE_ENDED && !(story->doubt & LANE_DOUBT_END))
		*to = story->end;
	return true;
}

/* How long both [a, b] and [c, d] lasted together, at least and at most. */
static struct lane_span overlap(struct lane_span a, struct lane_span b, struct lane_span c,
				struct lane_span d)
{
	uint64_t first = a.hi > c.hi ? a.hi : c.hi, last = b.lo < d.lo ? b.lo : d.lo;
	struct lane_span both;

	both.lo = last > first ? last - first : 0;
	first = a.lo > c.lo ? a.lo : c.lo;
	last = b.hi < d.hi ? b.hi : d.hi;
	both.hi = last > first ? last - first : 0;
	return both;
}

/*
 * A request carried a command, or a part of it, when they ran together for at least half of the
 * time of either; one that only touches it does so by the driver's lateness.
 */
static enum verdict weigh(const struct lane_cl_cmd *cmd, const struct lane_cl_rq *rq)
{
	const struct lane_request *story = &rq->story;
	struct lane_span start = cmd->pub.time[LANE_COMMAND_START];
	struct lane_span end = cmd->pub.time[LANE_COMMAND_END];
	struct lane_span from, to, both, own, its;

	if (!cmd->pub.timed)
		return MAY;
	if (rq->made_ns > end.hi)
		return CANNOT;
	if (!ran(rq, &from, &to)) {
		bool waits = !story->started && !story->doubt && rq->open &&
			     story->state < LANE_RQ_STATE_RUNNING;

		return waits ? CANNOT : MAY;
	}
	both = overlap(start, end, from, to);
	own = lane_span_between(start, end);
	its = lane_span_between(from, to);
	if (both.lo && 2 * both.lo >= (own.hi < its.hi ? own.hi : its.hi))
		return DID;
	/* By the driver's lateness it may have begun before, but not before it was given. */
	from.lo = from.lo > LAG_NS ? from.lo - LAG_NS : 0;
	if ((story->seen & LANE_SEEN_EXECUTE) && from.lo < story->execute_ns)
		from.lo = story->execute_ns;
	if (end.hi < from.lo || start.lo > to.hi)
		return CANNOT;
	both = overlap(start, end, from, to);
	if (2 * both.hi < (own.lo < its.lo ? own.lo : its.lo))
		return CANNOT;
	return MAY;
}

/* What is weighed for one command. */
struct scale {
	const struct lane_cl_made *made[CANDIDATES]; /* those that may or did */
	enum verdict verdicts[CANDIDATES];
	uint32_t n, cannot, may, did;
	uint32_t by_how[LANE_MADE_UNKNOWN + 1]; /* of those in made */
	bool crowded;
};

static void weigh_one(struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
		      const struct lane_cl_made *made, struct scale *scale)
{
	enum verdict verdict;

	if (made->rq->open) {
		const struct lane_rq *live = lane_table_get(
			&tl->requests, made->rq->story.context->id, made->rq->story.seqno);

		if (live)
			copy_story(made->rq, &live->pub);
	}
	verdict = weigh(cmd, made->rq);
	if (verdict == CANNOT) {
		scale->cannot++;
		return;
	}
	if (scale->n == CANDIDATES) {
		scale->crowded = true;
		return;
	}
	scale->made[scale->n] = made;
	scale->verdicts[scale->n++] = verdict;
	scale->by_how[made->how]++;
	scale->may += verdict == MAY;
	scale->did += verdict == DID;
}

static void weigh_all(struct lane_timeline *tl, const struct lane_cl_cmd *cmd, struct scale *scale)
{
	const struct lane_cl_q *queue = cmd->queue;
	uint64_t until = cmd->pub.known_ns ? cmd->pub.known_ns : LANE_NEVER;
	uint32_t low = 0, high = queue->log_n;

	memset(scale, 0, sizeof(*scale));
	scale->crowded = queue->crowded_to && cmd->place <= queue->crowded_to;
	/* Entries are in the order of their making. */
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (entry_at(queue, middle)->rq->made_ns < cmd->pub.call_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < queue->log_n; low++) {
		const struct lane_cl_made *made = entry_at(queue, low);

		if (made->rq->made_ns > until)
			break;
		if (made->first <= cmd->place && cmd->place <= made->last)
			weigh_one(tl, cmd, made, scale);
	}
}

/* One candidate that the times neither confirm nor exclude: what the call says. */
static void decide_one(struct lane_cl_cmd *cmd, const struct lane_cl_made *made)
{
	bool handed_over = cmd->place < cmd->queue->waiting_from;

	cmd->pub.certainty = LANE_CERTAIN_EXACT;
	switch (made->how) {
	case LANE_MADE_ALONE:
		cmd->pub.why = LANE_WHY_OWN_CALL;
		break;
	case LANE_MADE_FLUSH:
		cmd->pub.why = LANE_WHY_FLUSH;
		break;
	case LANE_MADE_CALL:
		cmd->pub.why = LANE_WHY_FLUSH;
		if (cmd->place == made->last && !handed_over) {
			cmd->pub.certainty = LANE_CERTAIN_AMBIGUOUS;
			cmd->pub.why = LANE_WHY_UNDECIDED;
		}
		break;
	case LANE_MADE_CONTEXT:
		cmd->pub.why = LANE_WHY_CONTEXT;
		break;
	default:
		cmd->pub.certainty = LANE_CERTAIN_AMBIGUOUS;
		cmd->pub.why = LANE_WHY_UNKNOWN_CONTEXT;
	}
}

static void decide_none(struct lane_timeline *tl, struct lane_cl_cmd *cmd, bool cannot)
{
	cmd->pub.certainty = LANE_CERTAIN_NONE;
	if (!tl->figures.by_kind[LANE_RQ_QUEUE] && !tl->figures.by_kind[LANE_RQ_ADD])
		cmd->pub.why = LANE_WHY_NOT_RECORDED;
	else if (!cmd->linked)
		cmd->pub.why = LANE_WHY_LOST;
	else
		cmd->pub.why = cannot ? LANE_WHY_OTHER_TIMES : LANE_WHY_NO_REQUEST;
}

static void decide(struct lane_timeline *tl, struct lane_cl_cmd *cmd, struct scale *scale)
{
	cmd->pub.certainty = LANE_CERTAIN_EXACT;
	if (!scale->n) {
		decide_none(tl, cmd, scale->cannot > 0);
	} else if (scale->did && !scale->may &&
		   (scale->n == 1 || !scale->by_how[LANE_MADE_UNKNOWN])) {
		cmd->pub.why = LANE_WHY_TIMES;
		if (scale->by_how[LANE_MADE_ALONE] == scale->n)
			cmd->pub.why = LANE_WHY_OWN_CALL;
		else if (scale->n == 1 && !scale->cannot)
			decide_one(cmd, scale->made[0]);
		if (scale->made[0]->how == LANE_MADE_CALL ||
		    cmd->pub.why == LANE_WHY_UNKNOWN_CONTEXT) {
			cmd->pub.certainty = LANE_CERTAIN_EXACT;
			cmd->pub.why = LANE_WHY_TIMES;
		}
	} else if (scale->by_how[LANE_MADE_ALONE] == scale->n) {
		cmd->pub.why = LANE_WHY_OWN_CALL;
	} else if (scale->n == 1) {
		decide_one(cmd, scale->made[0]);
	} else {
		cmd->pub.certainty = LANE_CERTAIN_AMBIGUOUS;
		cmd->pub.why = LANE_WHY_UNDECIDED;
	}
	if (scale->crowded && scale->n) {
		cmd->pub.certainty = LANE_CERTAIN_AMBIGUOUS;
		cmd->pub.why = LANE_WHY_TOO_MANY;
	}
}

/* What was lost on the command's way may be what would decide otherwise. */
static void mind_losses(struct lane_timeline *tl, struct lane_cl_cmd *cmd)
{
	uint64_t from = cmd->pub.call_ns ? cmd->pub.call_ns : cmd->pub.known_ns;
	uint64_t to = cmd->pub.known_ns ? cmd->pub.known_ns : tl->now_ns;

	if (cmd->pub.why == LANE_WHY_NOT_RECORDED || !lane_loss_between(tl, from, to))
		return;
	cmd->pub.why = LANE_WHY_LOST;
	if (cmd->pub.certainty == LANE_CERTAIN_EXACT)
		cmd->pub.certainty = LANE_CERTAIN_AMBIGUOUS;
}

void lane_cl_match(struct lane_timeline *tl, struct lane_cl_cmd *cmd)
{
	struct lane_command *pub = &cmd->pub;
	struct scale scale = { .n = 0 };

	if (cmd->linked)
		weigh_all(tl, cmd, &scale);
	decide(tl, cmd, &scale);
	if (!pub->timed && !pub->known_ns && pub->certainty != LANE_CERTAIN_EXACT &&
	    pub->why != LANE_WHY_NOT_RECORDED)
		pub->why = LANE_WHY_NO_TIMES;
	mind_losses(tl, cmd);
	pub->n_requests = scale.n;
	for (uint32_t i = 0; i < scale.n; i++) {
		const struct lane_request *story = &scale.made[i]->rq->story;

		if (i < LANE_COMMAND_REQUESTS)
			pub->requests[i] = (struct lane_request_key){
				.ctx = story->context->ctx,
				.dev = story->context->dev,
				.seqno = story->seqno,
			};
		if (pub->certainty == LANE_CERTAIN_EXACT)
			learn(tl, cmd->queue, story->context);
	}
	if (pub->certainty != LANE_CERTAIN_EXACT || !scale.n)
		return;
	cmd->first_story = scale.made[0]->rq->story;
	cmd->last_story = scale.made[scale.n - 1]->rq->story;
	pub->request = &cmd->first_story;
	pub->last_request = &cmd->last_story;
}

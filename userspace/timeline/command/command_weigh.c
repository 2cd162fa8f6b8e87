// SPDX-License-Identifier: MIT
// Which of the requests that may have carried a command did carry it, by its call and by the times.
#include "timeline/command/command.h"
#include "timeline/losses.h"

#include <string.h>

#include "base/sort.h"

/*
 * The driver learns by an interrupt that a request ended, and takes the next one for started then.
 * So a command may have begun this much earlier, ns, than its request did by the driver's events.
 */
#define LAG_NS 20000

/* So many commands in a row that each fit one request show whose a context is. */
#define FITS 8

/* The most candidates that are weighed. */
#define CANDIDATES 32

/* What the times say of a request: it cannot have carried the command, it may have, or it did. */
enum verdict {
	CANNOT = -1,
	MAY,
	DID
};

/* Writes when the request ran, with all its bounds, to *from and *to. False: not known. */
static bool ran(const struct lane_cl_rq *rq, struct lane_span *from, struct lane_span *to)
{
	const struct lane_request *story = &rq->story;

	if (!timeline_has_started(story) ||
	    (story->doubt & (LANE_DOUBT_DEVICE | LANE_DOUBT_EXECUTE)))
		return false;
	*from = story->start;
	*to = (struct lane_span){ from->lo, LANE_NEVER };
	if (timeline_end_is_known(story))
		*to = story->end;
	return true;
}

/* The time that [a, b] and [c, d] have in common, ns, at least and at most. */
static struct lane_span overlap(struct lane_span a, struct lane_span b, struct lane_span c,
				struct lane_span d)
{
	return (struct lane_span){ timeline_overlap(a.hi, b.lo, c.hi, d.lo),
				   timeline_overlap(a.lo, b.hi, c.lo, d.hi) };
}

/* The request ran at most from `from` to `to`: did it do the command's work? */
static enum verdict weigh_times(const struct lane_cl_cmd *cmd, const struct lane_request *story,
				struct lane_span from, struct lane_span to)
{
	struct lane_span start = cmd->pub.time[LANE_COMMAND_START];
	struct lane_span end = cmd->pub.time[LANE_COMMAND_END];
	struct lane_span own = timeline_span_between(start, end),
			 its = timeline_span_between(from, to);
	struct lane_span both = overlap(start, end, from, to);

	if (both.lo && 2 * both.lo >= (own.hi < its.hi ? own.hi : its.hi))
		return DID;
	/* The driver learns of ends late, so it may have begun sooner, but not before it was handed
	 * over. */
	from.lo = from.lo > LAG_NS ? from.lo - LAG_NS : 0;
	if ((story->seen & LANE_SEEN_EXECUTE) && from.lo < story->execute_ns)
		from.lo = story->execute_ns;
	if (end.hi < from.lo || start.lo > to.hi)
		return CANNOT;
	both = overlap(start, end, from, to);
	return 2 * both.hi < (own.lo < its.lo ? own.lo : its.lo) ? CANNOT : MAY;
}

static enum verdict command_weigh_weigh(const struct lane_cl_cmd *cmd, const struct lane_cl_rq *rq)
{
	const struct lane_request *story = &rq->story;
	struct lane_span from, to;

	if (!cmd->pub.timed)
		return MAY;
	if (rq->made_ns > cmd->pub.time[LANE_COMMAND_END].hi)
		return CANNOT;
	if (ran(rq, &from, &to))
		return weigh_times(cmd, story, from, to);
	return !timeline_has_started(story) && !story->doubt && rq->is_open &&
			       story->state < LANE_RQ_STATE_RUNNING
		       ? CANNOT
		       : MAY;
}

/* The command and the request ran together for at least four fifths of the longer one: no other
 * pair fits so well. MAY: the bounds do not tell. */
static enum verdict fits(const struct lane_cl_cmd *cmd, const struct lane_cl_rq *rq)
{
	struct lane_span start = cmd->pub.time[LANE_COMMAND_START];
	struct lane_span end = cmd->pub.time[LANE_COMMAND_END];
	struct lane_span from, to, both, own, its;

	if (!cmd->pub.timed || !ran(rq, &from, &to))
		return MAY;
	both = overlap(start, end, from, to);
	own = timeline_span_between(start, end);
	its = timeline_span_between(from, to);
	if (both.lo / 4 >= (own.hi > its.hi ? own.hi : its.hi) / 5)
		return DID;
	return both.hi / 4 >= (own.lo > its.lo ? own.lo : its.lo) / 5 ? MAY : CANNOT;
}

static uintptr_t command_weigh_row_of(const struct lane_cl *cl, const struct lane_context *context,
				      const struct lane_cl_q *queue)
{
	return (uintptr_t)lane_table_get(&cl->fits, context->id, queue->pub.id);
}

/*
 * A driver that submits from threads of its own only never makes a request in a call. That a
 * request runs while a command does proves nothing: the process may draw, too. A row of commands
 * that each fit a request of the same context proves it, if no other queue's commands fit that
 * context as well.
 */
static void suspect(struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
		    const struct lane_cl_rq *rq)
{
	const struct lane_context *context = rq->story.context;
	struct lane_cl *cl = tl->cl;
	uintptr_t row = command_weigh_row_of(cl, context, cmd->queue);
	enum verdict verdict = fits(cmd, rq);

	if (verdict == MAY)
		return;
	if (row)
		lane_table_del(&cl->fits, context->id, cmd->queue->pub.id);
	if (verdict == CANNOT)
		return;
	if (!lane_table_put(&cl->fits, context->id, cmd->queue->pub.id, (void *)(row + 1)))
		tl->no_memory = true;
	if (row + 1 < FITS)
		return;
	for (const struct lane_cl_q *q = cmd->queue->process->queues; q; q = q->sibling)
		if (q != cmd->queue && command_weigh_row_of(cl, context, q))
			return;
	timeline_cl_learn(tl, cmd->queue, context);
}

/* The candidates of one command: those that may have carried it, or did. */
struct weighing {
	struct candidate {
		const struct lane_cl_made *made;
		enum lane_made_how how; /* by what is known now */
		enum verdict verdict;
	} of[CANDIDATES];
	uint32_t n, did;
	uint32_t by_how[LANE_MADE_UNKNOWN + 1];
	bool is_refuted; /* the times leave some out */
	bool is_crowded;
};

static void command_weigh_add(struct weighing *scale, struct candidate candidate)
{
	scale->of[scale->n++] = candidate;
	scale->by_how[candidate.how]++;
	scale->did += candidate.verdict == DID;
}

static void weigh_one(struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
		      const struct lane_cl_made *made, struct weighing *scale)
{
	enum lane_made_how how = made->how;
	enum verdict verdict;

	if (timeline_cl_story(tl, made->rq)->doubt & LANE_DOUBT_BURST)
		return; /* command_burst.c */
	verdict = command_weigh_weigh(cmd, made->rq);
	if (how == LANE_MADE_UNKNOWN) {
		const struct lane_cl_q *owner =
			lane_table_get(&tl->cl->contexts, made->rq->story.context->id, 0);

		/* Whose the context is may be known by now. */
		if (owner == cmd->queue)
			how = LANE_MADE_CONTEXT;
		else if (owner && owner != &tl->cl->shared)
			verdict = CANNOT;
	}
	if (verdict == CANNOT) {
		scale->is_refuted = true;
		return;
	}
	if (scale->n == CANDIDATES) {
		scale->is_crowded = true;
		return;
	}
	command_weigh_add(scale, (struct candidate){ made, how, verdict });
}

static void weigh_all(struct lane_timeline *tl, const struct lane_cl_cmd *cmd,
		      struct weighing *scale)
{
	const struct lane_cl_q *queue = cmd->queue;
	uint64_t until = cmd->pub.known_ns ? cmd->pub.known_ns : LANE_NEVER;
	/* The entries are in the order in which the requests were made. */
	size_t i = LANE_BEFORE(queue->log.n, at,
			       timeline_cl_made_at(&queue->log, (uint32_t)at)->rq->made_ns <
				       cmd->pub.call_ns);

	memset(scale, 0, sizeof(*scale));
	scale->is_crowded = queue->crowded_to && cmd->place <= queue->crowded_to;
	for (; i < queue->log.n; i++) {
		const struct lane_cl_made *made = timeline_cl_made_at(&queue->log, (uint32_t)i);

		if (made->rq->made_ns > until)
			break;
		if (made->first <= cmd->place && cmd->place <= made->last)
			weigh_one(tl, cmd, made, scale);
	}
}

/* A command has one candidate: the call in which that was made tells that it carried the command.
 * Maps, markers and the like often need no request: only the times can tie them to one. */
static bool is_told_by_call(const struct lane_cl_cmd *cmd, const struct candidate *one)
{
	if (one->verdict != DID && cmd->pub.class >= LANE_COMMAND_MAP)
		return false;
	if (one->how == LANE_MADE_CALL)
		return cmd->place != one->made->last || cmd->place < cmd->queue->waiting_from;
	return one->how != LANE_MADE_SHARED;
}

static bool can_come(const struct lane_timeline *tl, enum lane_kind kind)
{
	return tl->figures.by_kind[kind] || tl->info.presence[kind] == LANE_PRESENCE_RECORDED;
}

static void decide_none(struct lane_timeline *tl, struct lane_cl_cmd *cmd, bool cannot)
{
	cmd->pub.certainty = LANE_CERTAIN_NONE;
	if (!can_come(tl, LANE_RQ_QUEUE) && !can_come(tl, LANE_RQ_ADD))
		cmd->pub.why = LANE_WHY_NOT_RECORDED;
	else if (!cmd->linked)
		cmd->pub.why = LANE_WHY_LOST;
	else
		cmd->pub.why = cannot ? LANE_WHY_OTHER_TIMES : LANE_WHY_NO_REQUEST;
}

static bool is_weaker(const struct weighing *scale, const struct candidate *one)
{
	bool has_call = scale->by_how[LANE_MADE_ALONE] || scale->by_how[LANE_MADE_FLUSH] ||
			scale->by_how[LANE_MADE_CALL];

	if (one->how == LANE_MADE_UNKNOWN)
		return scale->by_how[LANE_MADE_UNKNOWN] < scale->n;
	return one->how >= LANE_MADE_CONTEXT && has_call && one->verdict == MAY;
}

/* Drops the weaker candidates: those that only may have carried it, if a call speaks for others;
 * and those on an unknown context, if there are others. */
static void drop_weaker(struct weighing *scale)
{
	struct weighing kept = { .is_refuted = scale->is_refuted, .is_crowded = scale->is_crowded };

	for (uint32_t i = 0; i < scale->n; i++)
		if (!is_weaker(scale, &scale->of[i]))
			command_weigh_add(&kept, scale->of[i]);
	*scale = kept;
}

/* Why these requests, and no other, carried the command; UNDECIDED: that is open. */
static enum lane_why why_exact(const struct lane_cl_cmd *cmd, const struct weighing *scale)
{
	const struct candidate *first = &scale->of[0];
	bool is_called = scale->n == 1 && is_told_by_call(cmd, first);

	if (scale->by_how[LANE_MADE_ALONE] == scale->n)
		return LANE_WHY_OWN_CALL;
	if (scale->did == scale->n &&
	    (!is_called || scale->is_refuted || first->how == LANE_MADE_CALL))
		return LANE_WHY_TIMES;
	if (!is_called)
		return LANE_WHY_UNDECIDED;
	return first->how == LANE_MADE_CONTEXT ? LANE_WHY_CONTEXT : LANE_WHY_FLUSH;
}

static void command_weigh_decide(struct lane_timeline *tl, struct lane_cl_cmd *cmd,
				 struct weighing *scale)
{
	drop_weaker(scale);
	if (!scale->n) {
		decide_none(tl, cmd, scale->is_refuted);
		return;
	}
	if (scale->is_crowded)
		cmd->pub.why = LANE_WHY_TOO_MANY;
	else if (scale->by_how[LANE_MADE_UNKNOWN])
		cmd->pub.why = LANE_WHY_UNKNOWN_CONTEXT;
	else
		cmd->pub.why = why_exact(cmd, scale);
	cmd->pub.certainty = cmd->pub.why == LANE_WHY_TOO_MANY ||
					     cmd->pub.why == LANE_WHY_UNDECIDED ||
					     cmd->pub.why == LANE_WHY_UNKNOWN_CONTEXT
				     ? LANE_CERTAIN_AMBIGUOUS
				     : LANE_CERTAIN_EXACT;
}

void timeline_cl_mind_losses(struct lane_timeline *tl, struct lane_command *pub, uint64_t from_ns)
{
	if (pub->why == LANE_WHY_NOT_RECORDED ||
	    !timeline_loss_between(tl, from_ns, pub->known_ns ? pub->known_ns : tl->now.ns))
		return;
	pub->why = LANE_WHY_LOST;
	if (pub->certainty == LANE_CERTAIN_EXACT)
		pub->certainty = LANE_CERTAIN_AMBIGUOUS;
}

/* The times off the engine, of the one request of a command, while the command ran. */
static void set_off(struct lane_command *pub, const struct lane_cl_rq *rq)
{
	uint64_t from_ns = pub->time[LANE_COMMAND_START].hi, to_ns = pub->time[LANE_COMMAND_END].lo;

	pub->n_off = 0;
	if (pub->n_requests > 1 || !pub->timed)
		return;
	for (uint32_t i = 0; i < rq->n_off; i++) {
		struct lane_span off = { timeline_later(rq->off[i].lo, from_ns),
					 timeline_sooner(rq->off[i].hi, to_ns) };

		if (off.lo < off.hi)
			pub->off[pub->n_off++] = off;
	}
}

void timeline_cl_carried(struct lane_cl_cmd *cmd, const struct lane_cl_rq *rq)
{
	const struct lane_request *story = &rq->story;
	struct lane_command *pub = &cmd->pub;

	if (pub->n_requests < LANE_COMMAND_REQUESTS)
		pub->requests[pub->n_requests] = (struct lane_request_key){
			.ctx = story->context->ctx,
			.dev = story->context->dev,
			.seqno = story->seqno,
		};
	pub->n_requests++;
	if (pub->certainty != LANE_CERTAIN_EXACT)
		return;
	if (!pub->request)
		cmd->first_story = *story;
	cmd->last_story = *story;
	pub->request = &cmd->first_story;
	pub->last_request = &cmd->last_story;
	set_off(pub, rq);
}

void timeline_cl_match(struct lane_timeline *tl, struct lane_cl_cmd *cmd)
{
	struct lane_command *pub = &cmd->pub;
	struct weighing scale = { .n = 0 };

	if (cmd->linked)
		weigh_all(tl, cmd, &scale);
	/* A process whose commands come in bursts may make other jobs, too, as it draws. */
	if (cmd->linked && scale.n == scale.by_how[LANE_MADE_UNKNOWN] &&
	    timeline_cl_match_burst(tl, cmd))
		return;
	command_weigh_decide(tl, cmd, &scale);
	if (!pub->timed && !pub->known_ns && pub->certainty != LANE_CERTAIN_EXACT &&
	    pub->why != LANE_WHY_NOT_RECORDED)
		pub->why = LANE_WHY_NO_TIMES;
	timeline_cl_mind_losses(tl, pub, pub->call_ns ? pub->call_ns : pub->known_ns);
	for (uint32_t i = 0; i < scale.n; i++) {
		timeline_cl_carried(cmd, scale.of[i].made->rq);
		if (scale.of[i].how == LANE_MADE_UNKNOWN)
			suspect(tl, cmd, scale.of[i].made->rq);
	}
}

// SPDX-License-Identifier: MIT
// What happened lately, and who had what somebody else needed.
#include "watch/witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define RIVALS 16 /* that are told apart in one question */

struct culprit_run {
	uint64_t begin_ns, end_ns;
	char of[LANE_CULPRIT_BYTES];
};

struct lane_witness_engine {
	struct culprit_run runs[LANE_WITNESS_RUNS];
	uint32_t next;
};

/* Who had how much of an interval. */
struct rivals {
	struct rival {
		char name[LANE_CULPRIT_BYTES];
		uint64_t ns;
	} rival[RIVALS];
	unsigned int n;
};

struct lane_error *watch_witness_init(struct lane_witness *witness)
{
	*witness = (struct lane_witness){ 0 };
	witness->starved = calloc(1, sizeof(*witness->starved));
	witness->preempted = calloc(1, sizeof(*witness->preempted));
	witness->waits = calloc(1, sizeof(*witness->waits));
	if (witness->starved && witness->preempted && witness->waits)
		return NULL;
	watch_witness_deinit(witness);
	return &lane_enomem;
}

void watch_witness_deinit(struct lane_witness *witness)
{
	for (uint32_t i = 0; i < witness->n_engines; i++)
		free(witness->engines[i]);
	free(witness->engines);
	free(witness->starved);
	free(witness->preempted);
	free(witness->waits);
	*witness = (struct lane_witness){ 0 };
}

static void witness_set_name(char to[LANE_CULPRIT_BYTES], const char *comm)
{
	memcpy(to, comm, LANE_CULPRIT_BYTES - 1);
	to[LANE_CULPRIT_BYTES - 1] = 0;
}

static struct lane_witness_engine *witness_engine_of(struct lane_witness *witness, uint32_t id)
{
	if (!LANE_GROW(witness->engines, witness->n_engines, (size_t)id + 1))
		return NULL;
	if (!witness->engines[id])
		witness->engines[id] = calloc(1, sizeof(struct lane_witness_engine));
	return witness->engines[id];
}

void watch_witness_run(struct lane_witness *witness, const struct lane_run *run)
{
	struct lane_witness_engine *engine = witness_engine_of(witness, run->engine->id);
	struct culprit_run *at;

	if (!engine) {
		witness->no_memory = true;
		return;
	}
	at = &engine->runs[engine->next++ % LANE_WITNESS_RUNS];
	at->begin_ns = run->begin.lo;
	at->end_ns = run->end.lo;
	witness_set_name(at->of, timeline_client_of(run->request)->comm);
}

static unsigned int chain_of(uint64_t of, uint64_t number)
{
	uint64_t mixed = (of * 0x9e3779b97f4a7c15ull ^ number) * 0x9e3779b97f4a7c15ull;

	return (unsigned int)(mixed >> 32) & (LANE_WITNESS_CHAINS - 1);
}

static struct lane_witness_note *new_note(struct lane_witness_notes *notes, uint64_t of,
					  uint64_t number)
{
	struct lane_witness_note *note = &notes->note[notes->count % LANE_WITNESS_NOTES];
	uint64_t *last = &notes->last[chain_of(of, number)];

	*note = (struct lane_witness_note){ .of = of, .number = number, .before = *last };
	*last = ++notes->count;
	return note;
}

/* The note of that count, if it is not written over; NULL: neither it is there nor one before it.
 */
static const struct lane_witness_note *note_at(const struct lane_witness_notes *notes,
					       uint64_t count)
{
	if (!count || notes->count - count >= LANE_WITNESS_NOTES)
		return NULL;
	return &notes->note[(count - 1) % LANE_WITNESS_NOTES];
}

void watch_witness_starvation(struct lane_witness *witness, const struct lane_starvation *told)
{
	struct lane_witness_note *note;

	if (told->tid <= 0 || told->end_ns <= told->begin_ns)
		return;
	note = new_note(witness->starved, (uint32_t)told->victim->tid, 0);
	note->begin_ns = told->begin_ns;
	note->end_ns = told->end_ns;
	witness_set_name(note->culprit, told->comm);
}

void watch_witness_preemption(struct lane_witness *witness, const struct lane_preemption *told)
{
	struct lane_witness_note *note;

	if (!told->culprit)
		return;
	note = new_note(witness->preempted, told->victim->context->id, told->victim->seqno);
	note->begin_ns = told->at.lo;
	note->end_ns = told->at.lo + told->lasted.lo;
	witness_set_name(note->culprit, told->culprit_client->comm);
}

/* --- who had most --- */

static void witness_add_rival(struct rivals *rivals, const char *name, uint64_t begin_ns,
			      uint64_t end_ns, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns;
	unsigned int i = 0;

	begin_ns = begin_ns < from_ns ? from_ns : begin_ns;
	end_ns = end_ns > to_ns ? to_ns : end_ns;
	if (begin_ns >= end_ns)
		return;
	ns = end_ns - begin_ns;
	while (i < rivals->n && strcmp(rivals->rival[i].name, name) != 0)
		i++;
	if (i == RIVALS)
		return;
	if (i == rivals->n) {
		witness_set_name(rivals->rival[i].name, name);
		rivals->rival[i].ns = 0;
		rivals->n++;
	}
	rivals->rival[i].ns += ns;
}

static uint64_t most(const struct rivals *rivals, char culprit[LANE_CULPRIT_BYTES])
{
	const struct rival *first = NULL;

	for (unsigned int i = 0; i < rivals->n; i++)
		if (!first || rivals->rival[i].ns > first->ns)
			first = &rivals->rival[i];
	culprit[0] = 0;
	if (!first)
		return 0;
	witness_set_name(culprit, first->name);
	return first->ns;
}

static uint64_t most_of_notes(const struct lane_witness_notes *notes, uint64_t of, uint64_t number,
			      uint64_t from_ns, uint64_t to_ns, char culprit[LANE_CULPRIT_BYTES])
{
	const struct lane_witness_note *note;
	struct rivals rivals;
	uint64_t count = notes->last[chain_of(of, number)];

	rivals.n = 0;
	while ((note = note_at(notes, count))) {
		if (note->of == of && note->number == number)
			witness_add_rival(&rivals, note->culprit, note->begin_ns, note->end_ns,
					  from_ns, to_ns);
		count = note->before;
	}
	return most(&rivals, culprit);
}

uint64_t watch_witness_starver(const struct lane_witness *witness, int32_t tid, uint64_t begin_ns,
			       uint64_t end_ns, char culprit[LANE_CULPRIT_BYTES])
{
	culprit[0] = 0;
	if (tid <= 0)
		return 0;
	return most_of_notes(witness->starved, (uint32_t)tid, 0, begin_ns, end_ns, culprit);
}

void watch_witness_wait(struct lane_witness *witness, const struct lane_wait *wait,
			char culprit[LANE_CULPRIT_BYTES])
{
	struct lane_witness_note *note;

	culprit[0] = 0;
	if (!wait->signal_ns || wait->signal_ns >= wait->end_ns)
		return;
	if (!watch_witness_starver(witness, wait->thread->tid, wait->signal_ns, wait->end_ns,
				   culprit))
		return;
	note = new_note(witness->waits, wait->request->context->id, wait->request->seqno);
	note->begin_ns = wait->signal_ns;
	note->end_ns = wait->end_ns;
	witness_set_name(note->culprit, culprit);
}

static void who_ran(const struct lane_witness *witness, const struct lane_engine *engine,
		    uint64_t from_ns, uint64_t to_ns, char culprit[LANE_CULPRIT_BYTES])
{
	const struct lane_witness_engine *it;
	struct rivals rivals;

	if (!engine || engine->id >= witness->n_engines || !witness->engines[engine->id])
		return;
	it = witness->engines[engine->id];
	rivals.n = 0;
	for (unsigned int i = 0; i < LANE_WITNESS_RUNS; i++)
		witness_add_rival(&rivals, it->runs[i].of, it->runs[i].begin_ns, it->runs[i].end_ns,
				  from_ns, to_ns);
	most(&rivals, culprit);
}

/* Of a context of several processes it is the one whose request was ahead, if that was seen. */
static void name_ahead(char culprit[LANE_CULPRIT_BYTES], const struct lane_context *context,
		       struct lane_client *client)
{
	const struct lane_client *one = timeline_one_of_several(context, client);

	if (one || !context->is_shared)
		witness_set_name(culprit, (one ? one : context->client)->comm);
}

void watch_witness_culprit(const struct lane_witness *witness, const struct lane_request *rq,
			   enum lane_stage stage, char culprit[LANE_CULPRIT_BYTES])
{
	uint64_t key = rq->context->id;

	culprit[0] = 0;
	switch (stage) {
	case LANE_STAGE_PREPARE:
		watch_witness_starver(witness, rq->tid, rq->queue_ns, rq->add_ns, culprit);
		break;
	case LANE_STAGE_DEPENDENCY:
		if (rq->after)
			name_ahead(culprit, rq->after, rq->after_client);
		break;
	case LANE_STAGE_HOST_QUEUE:
		who_ran(witness, rq->engine, rq->submit_ns, rq->execute_ns, culprit);
		break;
	case LANE_STAGE_DEVICE_QUEUE:
		who_ran(witness, rq->engine, rq->execute_ns, rq->start.hi, culprit);
		break;
	case LANE_STAGE_RUNNING:
		witness_set_name(culprit, LANE_CULPRIT_ITSELF "\0\0\0\0\0\0\0\0\0");
		break;
	case LANE_STAGE_PREEMPTED:
		most_of_notes(witness->preempted, key, rq->seqno, 0, LANE_NEVER, culprit);
		break;
	case LANE_STAGE_WAKE:
	case LANE_STAGE_WAKE_RUNQUEUE:
		most_of_notes(witness->waits, key, rq->seqno, 0, LANE_NEVER, culprit);
		break;
	default:
		break;
	}
}

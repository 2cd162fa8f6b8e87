// SPDX-License-Identifier: MIT
// Which requests an interrupt's global seqno has ended (Linux up to 5.0), in bounded memory.
#include "norm/global_seqno.h"

#include <stdlib.h>

enum {
	ENGINES = 32,
	OPEN_REQUESTS = 1024, /* per engine, a power of two */
	NOTIFIED = 1024,      /* numbers that its interrupts told last, likewise */
};

struct open_request {
	uint64_t ctx;
	uint32_t seqno;
	uint32_t global;
};

/* A number that the engine's interrupts told, the first and the last of them. */
struct notified {
	uint32_t global;
	uint64_t first_ns, last_ns;
};

/* The requests that an engine has and has not told the end of, in the order of their globals. */
struct engine {
	uint32_t dev;
	uint16_t class;
	uint16_t instance;
	uint32_t first; /* counts up for ever; the place is the rest by OPEN_REQUESTS */
	uint32_t last;
	uint32_t n_notified; /* counts up, likewise; from n_since on the numbers go up */
	uint32_t n_since;
	struct open_request open[OPEN_REQUESTS];
	struct notified notified[NOTIFIED];
};

struct lane_globals {
	unsigned int n_engines;
	bool has_execute;
	bool has_handed; /* an event of a handing over has told a number */
	uint64_t untracked;
	struct engine *notified; /* the engine of the last interrupt */
	uint32_t reached;	 /* and how far it has come */
	struct engine engines[ENGINES];
};

struct lane_globals *norm_globals_create(void)
{
	return calloc(1, sizeof(struct lane_globals));
}

void norm_globals_destroy(struct lane_globals *globals)
{
	free(globals);
}

uint64_t norm_globals_untracked(const struct lane_globals *globals)
{
	return globals ? globals->untracked : 0;
}

static struct engine *find_engine(struct lane_globals *globals, const struct lane_event *event)
{
	struct engine *engine;

	for (unsigned int i = 0; i < globals->n_engines; i++) {
		engine = &globals->engines[i];
		if (engine->dev == event->u.rq.dev && engine->class == event->u.rq.class &&
		    engine->instance == event->u.rq.instance)
			return engine;
	}
	if (globals->n_engines == ENGINES)
		return NULL;
	engine = &globals->engines[globals->n_engines++];
	engine->dev = event->u.rq.dev;
	engine->class = event->u.rq.class;
	engine->instance = event->u.rq.instance;
	return engine;
}

static struct open_request *at(struct engine *engine, uint32_t index)
{
	return &engine->open[index % OPEN_REQUESTS];
}

/* True when global seqno a was given out after b, or is the same; they wrap around. */
static bool reached(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) >= 0;
}

/*
 * The driver takes the counter back when it takes requests back from the hardware (preemption,
 * since Linux 4.16): what has this number or a later one is no longer on its way.
 */
static void global_seqno_add(struct lane_globals *globals, struct engine *engine,
			     const struct lane_event *event)
{
	struct open_request *tail;

	while (engine->last != engine->first) {
		tail = at(engine, engine->last - 1);
		if (tail->ctx == event->u.rq.ctx && tail->seqno == event->u.rq.seqno &&
		    tail->global == event->raw.global)
			return;
		if (!reached(tail->global, event->raw.global))
			break;
		engine->last--;
	}
	if (engine->last - engine->first == OPEN_REQUESTS) {
		engine->first++;
		globals->untracked++;
	}
	*at(engine, engine->last++) = (struct open_request){
		.ctx = event->u.rq.ctx,
		.seqno = event->u.rq.seqno,
		.global = event->raw.global,
	};
}

/* Notes the number that an interrupt told. Where it goes back the driver counts anew. */
static void global_seqno_note(struct engine *engine, uint32_t global, uint64_t now_ns)
{
	struct notified *last = &engine->notified[(engine->n_notified - 1) % NOTIFIED];

	if (engine->n_notified != engine->n_since && last->global == global) {
		last->last_ns = now_ns;
		return;
	}
	if (engine->n_notified != engine->n_since && !reached(global, last->global))
		engine->n_since = engine->n_notified;
	engine->notified[engine->n_notified++ % NOTIFIED] =
		(struct notified){ global, now_ns, now_ns };
	if (engine->n_notified - engine->n_since > NOTIFIED)
		engine->n_since++;
}

/*
 * Where no handing over is recorded, the number of a request comes with its retire. The interrupts
 * before it tell then until when the number was not reached, and since when it was. The number is
 * its last one: what had it before was taken back, incomplete.
 */
static void retire(struct lane_globals *globals, struct lane_event *event)
{
	struct engine *engine = find_engine(globals, event);
	uint32_t from = engine ? engine->n_since : 0, to = engine ? engine->n_notified : 0, amid;

	if (globals->has_handed || !event->raw.global || !engine)
		return;
	while (from != to) {
		amid = from + (to - from) / 2;
		if (reached(engine->notified[amid % NOTIFIED].global, event->raw.global))
			to = amid;
		else
			from = amid + 1;
	}
	if (to != engine->n_notified)
		event->raw.reached_ns = engine->notified[to % NOTIFIED].first_ns;
	if (to != engine->n_since)
		event->raw.unreached_ns = engine->notified[(to - 1) % NOTIFIED].last_ns;
}

void norm_globals_request(struct lane_globals *globals, struct lane_event *event)
{
	struct engine *engine;

	if (event->wire.kind == LANE_RQ_RETIRE)
		retire(globals, event);
	/* Handed to the hardware: only these two events' numbers are valid and in order. */
	if (event->wire.kind != LANE_RQ_EXECUTE && event->wire.kind != LANE_RQ_IN)
		return;
	if (!event->raw.global)
		return;
	engine = find_engine(globals, event);
	if (!engine) {
		globals->untracked++;
		return;
	}
	/* `in` repeats what `execute` has said, where that is recorded. */
	globals->has_handed = true;
	globals->has_execute |= event->wire.kind == LANE_RQ_EXECUTE;
	if (event->wire.kind == LANE_RQ_IN && globals->has_execute)
		return;
	global_seqno_add(globals, engine, event);
}

void norm_globals_notify(struct lane_globals *globals, const struct lane_event *event)
{
	if (!globals)
		return;
	globals->notified = find_engine(globals, event);
	globals->reached = event->u.rq.seqno;
	if (globals->notified)
		global_seqno_note(globals->notified, event->u.rq.seqno, event->wire.ts_ns);
}

bool norm_globals_next(struct lane_globals *globals, struct lane_event *event)
{
	struct engine *engine = globals->notified;
	const struct open_request *open;

	if (!engine || engine->first == engine->last)
		return false;
	open = at(engine, engine->first);
	if (!reached(globals->reached, open->global))
		return false;
	engine->first++;
	event->wire.kind = LANE_FENCE_SIGNALED;
	event->u.dma_fence_signaled.context = open->ctx;
	event->u.dma_fence_signaled.seqno = open->seqno;
	return true;
}

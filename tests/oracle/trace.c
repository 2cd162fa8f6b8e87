/* SPDX-License-Identifier: MIT */
/* Events, as the driver's tracepoints fill them: Linux 6.1, i915_trace.h and
 * include/trace/events/dma_fence.h. */
#include <stdlib.h>

#include "gpu.h"

struct event *events;
size_t n_events;
static size_t room_events;

#define TRACE_NAME(id, name) #name,
const char *const trace_names[N_TRACE_KINDS] = { TRACE_KINDS(TRACE_NAME) };

static struct event *event_new(enum trace_kind kind)
{
	struct event *event;

	if (n_events == room_events) {
		room_events = room_events ? room_events * 2 : 4096;
		events = realloc(events, room_events * sizeof(*events));
		if (!events)
			abort();
	}
	event = &events[n_events++];
	*event = (struct event){
		.at = machine.now,
		.cpu = (uint8_t)current_cpu(),
		.pid = current_pid(),
		.tid = current_tid(),
		.kind = (uint8_t)kind,
	};
	return event;
}

static struct event *event_of(enum trace_kind kind, const struct request *rq)
{
	struct event *event = event_new(kind);

	event->ctx = rq->context->id;
	event->seqno = rq->seqno;
	event->tail = rq->tail;
	event->class = (uint16_t)rq->engine->class;
	event->instance = (uint16_t)rq->engine->instance;
	return event;
}

uint64_t trace(enum trace_kind kind, const struct request *rq)
{
	return event_of(kind, rq)->at;
}

uint64_t trace_wait(enum trace_kind kind, const struct request *rq, unsigned flags)
{
	struct event *event = event_of(kind, rq);

	event->flags = flags;
	return event->at;
}

uint64_t trace_in(const struct request *rq, int port)
{
	struct event *event = event_of(TRACE_IN, rq);

	event->port = (uint16_t)port;
	event->prio = rq->prio;
	return event->at;
}

uint64_t trace_out(const struct request *rq)
{
	struct event *event = event_of(TRACE_OUT, rq);

	event->completed = request_completed(rq);
	return event->at;
}

uint64_t trace_ports(const struct engine *engine, struct request *const on[2])
{
	struct event *event = event_new(TRACE_PORTS);

	event->class = (uint16_t)engine->class;
	event->instance = (uint16_t)engine->instance;
	if (on[0]) {
		event->ctx = on[0]->context->id;
		event->seqno = on[0]->seqno;
	}
	if (on[0] && on[1]) {
		event->ctx1 = on[1]->context->id;
		event->seqno1 = on[1]->seqno;
	}
	return event->at;
}

void trace_free(void)
{
	free(events);
	events = NULL;
	n_events = room_events = 0;
}

// SPDX-License-Identifier: MIT
// The ports of an engine: a FIFO of those whose `out` is to come (docs/analysis.md).
#include "timeline/i915/ports.h"
#include "timeline/state.h"

#include <string.h>

struct lane_entry *timeline_ports_entry(const struct lane_eng *eng, uint32_t i)
{
	return &((struct lane_eng *)eng)->ports.entry[i];
}

void timeline_ports_pop(struct lane_eng *eng)
{
	eng->ports.n--;
	memmove(eng->ports.entry, eng->ports.entry + 1, eng->ports.n * sizeof(*eng->ports.entry));
}

void timeline_ports_push(struct lane_eng *eng, struct lane_entry entry)
{
	uint32_t i = eng->model->has_sets ? timeline_ports_first_of(eng, entry.set) : eng->ports.n;
	struct lane_entry *at = timeline_ports_entry(eng, i);

	memmove(at + 1, at, (eng->ports.n++ - i) * sizeof(*at));
	*at = entry;
}

static bool is_port_of(const struct lane_entry *entry, const struct lane_event *event)
{
	return entry->seqno == event->u.rq.seqno && entry->ctx->pub.ctx == event->u.rq.ctx &&
	       entry->ctx->pub.dev == event->u.rq.dev;
}

uint32_t timeline_ports_first_of(const struct lane_eng *eng, uint32_t set)
{
	uint32_t i = 0;

	while (i < eng->ports.n && timeline_ports_entry(eng, i)->set != set)
		i++;
	return i;
}

int timeline_ports_place_from(const struct lane_eng *eng, const struct lane_event *event,
			      uint32_t from)
{
	for (uint32_t i = from; i < eng->ports.n; i++)
		if (is_port_of(timeline_ports_entry(eng, i), event))
			return (int)i;
	return -1;
}

bool timeline_ports_await_out(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = 0; i < eng->ports.n; i++)
		if (timeline_ports_entry(eng, i)->seqno == rq->pub.seqno &&
		    &timeline_ports_entry(eng, i)->ctx->pub == rq->pub.context)
			return true;
	return false;
}

bool timeline_ports_cover(const struct lane_eng *eng, const struct lane_rq *rq)
{
	for (uint32_t i = eng->ports.n; i-- && timeline_ports_entry(eng, i)->set == eng->ports.set;)
		if (&timeline_ports_entry(eng, i)->ctx->pub == rq->pub.context &&
		    timeline_seqno_upto(rq->pub.seqno, timeline_ports_entry(eng, i)->seqno))
			return true;
	return false;
}

bool timeline_engine_out_is_due(const struct lane_eng *eng, const struct lane_event *event,
				uint32_t before)
{
	if (before >= eng->ports.n || !is_port_of(timeline_ports_entry(eng, before), event))
		return false;
	return event->u.i915_request_out.completed ||
	       timeline_ports_entry(eng, before)->set != eng->ports.set;
}

bool timeline_ports_are_from(const struct lane_eng *eng, uint32_t i,
			     const struct lane_p_i915_engine_ports *on)
{
	const struct lane_entry *port = timeline_ports_entry(eng, i);
	bool has_next = i + 1 < eng->ports.n && port[1].set == port->set;

	return on->ctx0 == port->ctx->pub.ctx && on->seqno0 == port->seqno &&
	       on->ctx1 == (has_next ? port[1].ctx->pub.ctx : 0) &&
	       on->seqno1 == (has_next ? port[1].seqno : 0);
}

bool timeline_ports_was_replaced(const struct lane_eng *eng, uint32_t k)
{
	return k < eng->ports.n && timeline_ports_entry(eng, k)->set != eng->ports.set;
}

bool timeline_ports_taken(const struct lane_eng *eng)
{
	if (eng->model->is_last_taken)
		return eng->model->is_last_taken(eng);
	return !eng->ports.n || timeline_ports_entry(eng, 0)->set == eng->ports.set;
}

bool timeline_ports_taken_before(const struct lane_timeline *tl, const struct lane_eng *eng)
{
	return timeline_ports_taken(eng) && eng->ports.taken_ns < tl->now.ns;
}

// SPDX-License-Identifier: MIT
// Atomics on global memory: warps that issue, clusters that send, and the events between.
#include "model/papers/global.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/papers/global_internal.h"

#define MAX_LANES 64
#define MAX_WORK  (UINT64_C(1) << 28) /* most lane operations and instructions of a run */

int model_global_op_by_name(const char *name)
{
	for (int i = 0; i < LANE_GLOBAL_OPS; i++)
		if (!strcmp(model_global_op_name((enum lane_global_op)i), name))
			return i;
	return -1;
}

int model_global_pattern_by_name(const char *name)
{
	for (int i = 0; i < LANE_GLOBAL_PATTERNS; i++)
		if (!strcmp(model_global_pattern_name((enum lane_global_pattern)i), name))
			return i;
	return -1;
}

/* A binary heap by time, ties by age. */
static int global_before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void model_global_at(struct simulation *s, uint64_t time, enum event_kind kind, uint32_t what)
{
	struct event e = { time, s->events_made++, what, kind };
	uint32_t i = s->n_events++;

	for (; i > 0 && global_before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static struct event next_event(struct simulation *s)
{
	struct event first = s->heap[0];
	struct event last = s->heap[--s->n_events];
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child + 1 < s->n_events && global_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (child >= s->n_events || !global_before(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return first;
}

static uint32_t global_unit_of(const struct simulation *s, uint32_t warp)
{
	return warp / s->work.warps;
}

static struct cluster *cluster_of(struct simulation *s, uint32_t warp)
{
	return &s->cluster[global_unit_of(s, warp) / s->n.units_per_cluster];
}

void model_global_release(struct simulation *s, uint32_t index)
{
	s->transaction[index].next = s->free_transaction;
	s->free_transaction = index;
}

void model_global_answer(struct simulation *s, uint32_t index, enum event_kind kind,
			 uint32_t packets)
{
	uint32_t warp = s->transaction[index].warp;
	struct cluster *c = cluster_of(s, warp);
	int is_store = s->transaction[index].op == LANE_GLOBAL_STORE ||
		       s->transaction[index].op == LANE_GLOBAL_RED;
	uint64_t start = c->back_free > s->now ? c->back_free : s->now;

	c->back_free = start + (uint64_t)packets * s->n.packet;
	/* An acknowledged store lives on in the controller: its answer names the warp alone. */
	if (kind == EVENT_ANSWER && !is_store)
		model_global_release(s, index);
	model_global_at(s, c->back_free + s->n.hop, kind, kind == EVENT_ANSWER ? warp : index);
}

/* The request alone for a load; the data with it otherwise. */
static uint32_t request_packets(const struct transaction *t)
{
	return t->op == LANE_GLOBAL_LOAD ? 1 : 1 + (t->bytes + 31u) / 32u;
}

static void send(struct simulation *s, uint32_t index)
{
	const struct transaction *t = &s->transaction[index];
	struct cluster *c = cluster_of(s, t->warp);
	uint64_t start = c->out_free > s->now ? c->out_free : s->now;

	c->out_free = start + (uint64_t)request_packets(t) * s->n.packet;
	model_global_at(s, c->out_free + s->n.hop, EVENT_ARRIVE, index);
}

static void send_backlog(struct simulation *s, struct cluster *c)
{
	while (c->in_flight < s->n.cluster_queue && c->backlog.first != NOTHING) {
		uint32_t index = c->backlog.first;

		c->backlog.first = s->transaction[index].next;
		c->in_flight++;
		send(s, index);
	}
}

/* The word that a lane of a warp works on. */
static uint64_t address_of(const struct simulation *s, uint32_t warp, uint32_t lane)
{
	uint64_t unit = global_unit_of(s, warp);
	uint32_t of_block = s->work.warps / (s->work.blocks ? s->work.blocks : 1);
	uint64_t block = (warp % s->work.warps) / of_block * s->n_units + unit;
	uint64_t thread = (uint64_t)warp * s->lanes + lane;

	switch (s->work.pattern) {
	case LANE_GLOBAL_SINGLE:
		return unit * 4096;
	case LANE_GLOBAL_UNCOALESCED:
		return thread * 128;
	case LANE_GLOBAL_COALESCED:
		return thread * 4;
	default:
		return block * 32768 + (uint64_t)lane * 4096 +
		       (uint64_t)(warp % of_block) * s->work.offset;
	}
}

static void global_append(struct simulation *s, struct cluster *c, uint32_t index)
{
	s->transaction[index].next = NOTHING;
	if (c->backlog.first == NOTHING)
		c->backlog.first = index;
	else
		s->transaction[c->backlog.last].next = index;
	c->backlog.last = index;
	s->result->transactions++;
}

/* Makes the transactions of a warp's access: one per segment that its lanes touch. */
static void request(struct simulation *s, uint32_t warp, enum lane_global_op op)
{
	struct cluster *c = cluster_of(s, warp);
	uint64_t address[MAX_LANES];
	uint8_t done[MAX_LANES] = { 0 };

	for (uint32_t i = 0; i < s->lanes; i++)
		address[i] = address_of(s, warp, i);
	for (uint32_t i = 0; i < s->lanes; i++) {
		uint32_t index = s->free_transaction;
		struct transaction *t = &s->transaction[index];
		uint64_t last = address[i];

		if (done[i])
			continue;
		s->free_transaction = t->next;
		*t = (struct transaction){ .address = address[i],
					   .serial = s->result->transactions,
					   .warp = warp,
					   .op = (uint8_t)op };
		for (uint32_t j = i; j < s->lanes; j++) {
			uint16_t same = 0;

			if (address[j] / s->n.segment_bytes != address[i] / s->n.segment_bytes)
				continue;
			done[j] = 1;
			t->lanes++;
			last = address[j] > last ? address[j] : last;
			for (uint32_t k = i; k < s->lanes; k++)
				same = (uint16_t)(same + (address[k] == address[j]));
			t->same = same > t->same ? same : t->same;
		}
		t->bytes = (uint16_t)(last + 4 - t->address);
		s->warp[warp].pending++;
		global_append(s, c, index);
	}
	send_backlog(s, c);
}

/* Notes the time of one operation, the clock reads included. */
static void global_measure(struct simulation *s, double cycles)
{
	struct lane_global_result *r = s->result;

	r->operations++;
	s->sum += cycles;
	s->sum_squares += cycles * cycles;
	r->least = r->operations == 1 || cycles < r->least ? cycles : r->least;
	r->most = cycles > r->most ? cycles : r->most;
}

/* Cycles from the issue of a warp's instruction to that of the warp's next one. */
static uint32_t latency_of(const struct simulation *s, uint32_t at, uint32_t accesses)
{
	uint32_t loop = accesses + 1 + s->work.arithmetic; /* the last one before the loop's own */

	if (at < loop || s->n.loop_free + s->n.loop_bound == 0)
		return s->n.latency;
	/* The first ones of the loop wait for nothing, not even for the clock. */
	return at < loop + s->n.loop_free ? s->n.issue : s->n.loop_latency;
}

/*
 * Issues a warp's next instruction. An iteration is: read the clock; the operation (one or two
 * accesses); read the clock, which waits for the operation; the arithmetic; the loop's own
 * instructions.
 */
static void step(struct simulation *s, uint32_t index)
{
	struct warp *w = &s->warp[index];
	enum lane_global_op op = s->work.op;
	uint32_t accesses = op == LANE_GLOBAL_NONE ? 0 : op == LANE_GLOBAL_LOAD_STORE ? 2 : 1;
	uint32_t at = w->step++;

	s->steps++;
	if (at == 0) {
		w->before = s->now;
	} else if (at <= accesses) {
		if (op == LANE_GLOBAL_LOAD_STORE)
			op = at == 1 ? LANE_GLOBAL_LOAD : LANE_GLOBAL_STORE;
		request(s, index, op);
		return; /* goes on when all is answered */
	} else if (at == accesses + 1) {
		global_measure(s, (double)(s->now - w->before));
	}
	if (at == accesses + 1 + s->work.arithmetic + s->n.loop_free + s->n.loop_bound) {
		w->step = 0;
		if (++w->iteration == s->work.iterations) {
			s->result->elapsed = s->now + s->n.latency;
			return;
		}
	}
	model_global_at(s, s->now + latency_of(s, at, accesses), EVENT_WARP, index);
}

static void unit_kick(struct simulation *s, struct unit *u)
{
	if (u->scheduled || u->ready.first == NOTHING)
		return;
	u->scheduled = 1;
	model_global_at(s, u->free_at > s->now ? u->free_at : s->now, EVENT_UNIT,
			(uint32_t)(u - s->unit));
}

static void warp_ready(struct simulation *s, uint32_t index)
{
	struct unit *u = &s->unit[global_unit_of(s, index)];

	s->warp[index].next = NOTHING;
	if (u->ready.first == NOTHING)
		u->ready.first = index;
	else
		s->warp[u->ready.last].next = index;
	u->ready.last = index;
	unit_kick(s, u);
}

static void unit_issue(struct simulation *s, struct unit *u)
{
	uint32_t index = u->ready.first;

	u->scheduled = 0;
	u->ready.first = s->warp[index].next;
	u->free_at = s->now + s->n.issue;
	step(s, index);
	unit_kick(s, u);
}

static void answered(struct simulation *s, uint32_t warp)
{
	struct cluster *c = cluster_of(s, warp);

	c->in_flight--;
	if (!--s->warp[warp].pending)
		warp_ready(s, warp);
	send_backlog(s, c);
}

static void handle(struct simulation *s, const struct event *e)
{
	s->now = e->time;
	switch (e->kind) {
	case EVENT_WARP:
		warp_ready(s, e->what);
		break;
	case EVENT_UNIT:
		unit_issue(s, &s->unit[e->what]);
		break;
	case EVENT_ARRIVE:
		model_controller_arrive(s, e->what);
		break;
	case EVENT_BOUNCE:
		model_global_at(s, s->now + s->n.retry, EVENT_RESEND, e->what);
		break;
	case EVENT_RESEND:
		send(s, e->what);
		break;
	case EVENT_ANSWER:
		answered(s, e->what);
		break;
	case EVENT_SERVE:
		model_controller_serve(s, e->what);
		break;
	case EVENT_BANK:
		model_controller_bank(s, e->what);
		break;
	case EVENT_DATA:
		model_controller_data(s, e->what);
		break;
	case EVENT_UNLOCK:
		model_controller_unlock(s, e->what);
		break;
	}
}

static void read_numbers(const struct lane_device_section *g, struct numbers *n)
{
	n->clusters = model_section_whole(g, "clusters");
	n->units_per_cluster = model_section_whole(g, "units_per_cluster");
	n->partitions = model_section_whole(g, "partitions");
	n->partition_bytes = model_section_whole(g, "partition_bytes");
	n->segment_bytes = model_section_whole(g, "segment_bytes");
	n->lock_bytes = model_section_whole(g, "lock_bytes");
	n->cluster_queue = model_section_whole(g, "cluster_queue");
	n->controller_queue = model_section_whole(g, "controller_queue");
	n->issue = model_section_whole(g, "issue");
	n->latency = model_section_whole(g, "latency");
	n->hop = model_section_whole(g, "hop");
	n->packet = model_section_whole(g, "packet");
	n->retry = model_section_whole(g, "retry");
	n->dram_latency = model_section_whole(g, "dram_latency");
	n->dram_burst = model_section_whole(g, "dram_burst");
	n->alu_lanes = model_section_whole(g, "alu_lanes");
	n->alu = model_section_whole(g, "alu");
	n->banks = model_section_whole(g, "banks");
	n->page_bytes = model_section_whole(g, "page_bytes");
	n->bank_busy = model_section_whole(g, "bank_busy");
	n->loop_free = model_section_whole(g, "loop_free");
	n->loop_bound = model_section_whole(g, "loop_bound");
	n->loop_latency = model_section_whole(g, "loop_latency");
}

/* Every transaction, warp, unit, partition and bank has at most one event under way, answers
 * besides. */
static struct lane_error *global_allocate(struct simulation *s)
{
	uint32_t stored = s->n.partitions * s->n.controller_queue;
	uint32_t n_transactions = s->n_warps * s->lanes + stored;

	s->heap_room = 2 * n_transactions + s->n_warps + s->n_units +
		       s->n.partitions * (1 + LANE_GLOBAL_BANKS);
	s->warp = calloc(s->n_warps, sizeof(*s->warp));
	s->unit = calloc(s->n_units, sizeof(*s->unit));
	s->cluster = calloc(s->n.clusters, sizeof(*s->cluster));
	s->partition = calloc(s->n.partitions, sizeof(*s->partition));
	s->partition_slots = calloc(stored, sizeof(*s->partition_slots));
	s->transaction = calloc(n_transactions, sizeof(*s->transaction));
	s->heap = calloc(s->heap_room, sizeof(*s->heap));
	if (!s->warp || !s->unit || !s->cluster || !s->partition || !s->partition_slots ||
	    !s->transaction || !s->heap)
		return &lane_enomem;
	s->free_transaction = NOTHING;
	for (uint32_t i = n_transactions; i-- > 0;)
		model_global_release(s, i);
	for (uint32_t i = 0; i < s->n.partitions; i++)
		s->partition[i].queue = s->partition_slots + (size_t)i * s->n.controller_queue;
	for (uint32_t i = 0; i < s->n.clusters; i++)
		s->cluster[i].backlog.first = NOTHING;
	for (uint32_t i = 0; i < s->n_units; i++)
		s->unit[i].ready.first = NOTHING;
	return NULL;
}

static void free_simulation(struct simulation *s)
{
	free(s->warp);
	free(s->unit);
	free(s->cluster);
	free(s->partition);
	free(s->partition_slots);
	free(s->transaction);
	free(s->heap);
}

static void summarise(struct simulation *s)
{
	struct lane_global_result *r = s->result;
	double n = (double)r->operations;

	r->mean = s->sum / n;
	r->deviation = sqrt(fmax(0, s->sum_squares / n - r->mean * r->mean));
	r->per_operation = (double)r->elapsed * s->n_units / n;
	r->per_step = (double)r->elapsed * s->n_units / (double)s->steps;
}

static struct lane_error *global_check(const struct simulation *s, const struct lane_device *device)
{
	const struct lane_global_work *w = &s->work;
	uint64_t lane_ops = (uint64_t)s->n_warps * s->lanes * w->iterations;
	uint64_t instructions =
		(uint64_t)s->n_warps * w->iterations * (3 + (uint64_t)w->arithmetic);

	if (w->blocks && w->warps % w->blocks)
		return lane_error("%u warps cannot be divided among %u blocks", w->warps,
				  w->blocks);
	if (!w->warps || w->warps > 32 || !w->iterations || w->offset > 4096 || w->offset % 4)
		return lane_error(
			"1 to 32 warps, at least one iteration, and an offset of whole words up "
			"to 4096 bytes are possible");
	if (lane_ops > MAX_WORK || instructions > MAX_WORK)
		return lane_error("too much to simulate (fewer iterations show the same)");
	if (s->n.segment_bytes % 4 || s->n.lock_bytes % 4 ||
	    s->n.partition_bytes % s->n.segment_bytes ||
	    (uint64_t)s->n.partitions * s->n.controller_queue > 1u << 20)
		return lane_error(
			"%s: [global]: segments and locks must be whole words, a partition's "
			"stripe whole segments, and all queues together at most %u long",
			device->what, 1u << 20);
	return NULL;
}

struct lane_error *model_global_run(const struct lane_device *device,
				    const struct lane_global_work *work,
				    struct lane_global_result *result)
{
	const struct lane_device_section *global;
	const struct lane_device_section *unit;
	struct simulation s = { .work = *work, .result = result };
	struct lane_error *err = model_device_need(device, "global", "", &global);

	if (!err)
		err = model_device_need(device, "device", "", &unit);
	if (err)
		return err;
	*result = (struct lane_global_result){ 0 };
	read_numbers(global, &s.n);
	s.lanes = work->pattern == LANE_GLOBAL_OFFSET ? 8 : model_section_whole(unit, "warp");
	s.n_units = s.n.clusters * s.n.units_per_cluster;
	s.n_warps = s.n_units * work->warps;
	err = global_check(&s, device);
	if (!err)
		err = global_allocate(&s);
	if (!err) {
		for (uint32_t i = 0; i < s.n_warps; i++)
			warp_ready(&s, i);
		while (s.n_events) {
			struct event e = next_event(&s);

			handle(&s, &e);
		}
		summarise(&s);
	}
	free_simulation(&s);
	return err;
}

// SPDX-License-Identifier: MIT
// Atomics on global memory: warps that issue, clusters that send, and the events between.
#include "model/papers/global.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LANES   64
#define MAX_WORK    (UINT64_C(1) << 28) /* most lane operations and instructions of a run */
#define BURST_BYTES 32
#define NOTHING	    UINT32_MAX

struct simulation;

/* What happens at a time: to a warp, unit, transaction, partition or bank. */
typedef void event_fn(struct simulation *s, uint32_t what);

static event_fn warp_ready; /* a warp can issue its next instruction */
static event_fn unit_issue; /* a multiprocessor issues */
static event_fn arrive;	    /* a transaction is at its partition */
static event_fn bounce;	    /* "retry later" is back at the cluster */
static event_fn send;	    /* the cluster sends, or tries again */
static event_fn answered;   /* an acknowledgement or result is back */
static event_fn serve;	    /* a partition's DRAM is free */
static event_fn bank_free;  /* a bank can open another page */
static event_fn data_there; /* an atomic's data is there */
static event_fn unlock;	    /* the ALU is done with an atomic */

struct event {
	uint64_t time;
	uint64_t order; /* of creation: ties go first come, first served */
	event_fn *then;
	uint32_t what;
};

/* One request on the bus: a segment's lanes. */
struct transaction {
	uint64_t address; /* of its first lane's word */
	uint64_t serial;  /* order of creation */
	uint32_t warp;
	uint32_t next; /* in a list of a cluster, or of free ones */
	uint16_t bytes;
	uint16_t lanes;
	uint16_t same;	/* most lanes on one word */
	uint8_t op;	/* LANE_GLOBAL_LOAD, STORE, RED or ATOMIC */
	uint8_t locked; /* its atomic is under way */
};

struct list {
	uint32_t first;
	uint32_t last;
};

struct warp {
	uint64_t before; /* the clock that was read before the operation */
	uint32_t step;	 /* within the iteration */
	uint32_t iteration;
	uint32_t pending; /* transactions that are not answered */
	uint32_t next;	  /* in the ready list of its multiprocessor */
};

struct unit {
	struct list ready;
	uint64_t free_at;
	int scheduled; /* its event is under way */
};

struct cluster {
	struct list backlog; /* transactions that have no place in the queue yet */
	uint32_t in_flight;  /* places of the queue that are taken */
	uint64_t out_free;   /* when the link to the controller is free */
	uint64_t back_free;  /* and the one from it */
};

struct partition {
	uint32_t *queue; /* transactions, in the order of arrival */
	uint32_t n;
	uint32_t write_backs; /* bursts of finished atomics that wait for the DRAM */
	uint64_t dram_free;
	uint64_t alu_free;
	uint64_t newest; /* serial of the youngest atomic that has ended */
	int scheduled;	 /* its event is under way */
	struct bank {
		uint64_t page;	  /* that is open */
		uint64_t free_at; /* when it can open another one */
		int awaited;	  /* its event is under way */
	} bank[LANE_GLOBAL_BANKS];
};

/* The numbers of [global], see docs/models/papers/global.md. */
struct numbers {
#define N(name, need, min, max, preset) uint32_t name;
	LANE_GLOBAL_NUMBERS(N)
#undef N
};

struct simulation {
	struct numbers n;
	struct lane_global_work work;
	struct lane_global_result *result;
	uint32_t lanes; /* of a warp that take part */
	uint32_t n_units;
	uint32_t n_warps;
	struct warp *warp;
	struct unit *unit;
	struct cluster *cluster;
	struct partition *partition;
	struct transaction *transaction;
	uint32_t free_transaction;
	struct event *heap;
	uint32_t n_events;
	uint32_t heap_room;
	uint64_t events_made;
	uint64_t now;
	double sum, sum_squares;
	uint64_t steps;
	uint32_t *partition_slots; /* memory of all queues */
};

/* A binary heap by time, ties by age. */
static int before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void at_time(struct simulation *s, uint64_t time, event_fn *then, uint32_t what)
{
	struct event e = { time, s->events_made++, then, what };
	uint32_t i = s->n_events++;

	for (; i > 0 && before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
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

		if (child + 1 < s->n_events && before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (child >= s->n_events || !before(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return first;
}

static uint32_t unit_of(const struct simulation *s, uint32_t warp)
{
	return warp / s->work.warps;
}

static struct cluster *cluster_of(struct simulation *s, uint32_t warp)
{
	return &s->cluster[unit_of(s, warp) / s->n.units_per_cluster];
}

static void give_back(struct simulation *s, uint32_t index)
{
	s->transaction[index].next = s->free_transaction;
	s->free_transaction = index;
}

static void answer(struct simulation *s, uint32_t index, event_fn *then, uint32_t packets)
{
	uint32_t warp = s->transaction[index].warp;
	struct cluster *c = cluster_of(s, warp);
	int is_store = s->transaction[index].op == LANE_GLOBAL_STORE ||
		       s->transaction[index].op == LANE_GLOBAL_RED;
	uint64_t start = c->back_free > s->now ? c->back_free : s->now;

	c->back_free = start + (uint64_t)packets * s->n.packet;
	/* An acknowledged store lives on in the controller: its answer names the warp alone. */
	if (then == answered && !is_store)
		give_back(s, index);
	at_time(s, c->back_free + s->n.hop, then, then == answered ? warp : index);
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
	at_time(s, c->out_free + s->n.hop, arrive, index);
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
	uint64_t unit = unit_of(s, warp);
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

static void append(struct simulation *s, struct cluster *c, uint32_t index)
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
		append(s, c, index);
	}
	send_backlog(s, c);
}

/* Notes the time of one operation, the clock reads included. */
static void measure(struct simulation *s, double cycles)
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
		measure(s, (double)(s->now - w->before));
	}
	if (at == accesses + 1 + s->work.arithmetic + s->n.loop_free + s->n.loop_bound) {
		w->step = 0;
		if (++w->iteration == s->work.iterations) {
			s->result->elapsed = s->now + s->n.latency;
			return;
		}
	}
	at_time(s, s->now + latency_of(s, at, accesses), warp_ready, index);
}

static void unit_kick(struct simulation *s, struct unit *u)
{
	if (u->scheduled || u->ready.first == NOTHING)
		return;
	u->scheduled = 1;
	at_time(s, u->free_at > s->now ? u->free_at : s->now, unit_issue, (uint32_t)(u - s->unit));
}

static void warp_ready(struct simulation *s, uint32_t index)
{
	struct unit *u = &s->unit[unit_of(s, index)];

	s->warp[index].next = NOTHING;
	if (u->ready.first == NOTHING)
		u->ready.first = index;
	else
		s->warp[u->ready.last].next = index;
	u->ready.last = index;
	unit_kick(s, u);
}

static void unit_issue(struct simulation *s, uint32_t what)
{
	struct unit *u = &s->unit[what];
	uint32_t index = u->ready.first;

	u->scheduled = 0;
	u->ready.first = s->warp[index].next;
	u->free_at = s->now + s->n.issue;
	step(s, index);
	unit_kick(s, u);
}

static struct partition *partition_of(struct simulation *s, const struct transaction *t)
{
	return &s->partition[t->address / s->n.partition_bytes % s->n.partitions];
}

static int is_atomic(const struct transaction *t)
{
	return t->op == LANE_GLOBAL_ATOMIC || t->op == LANE_GLOBAL_RED;
}

static uint32_t bursts(const struct transaction *t)
{
	return (uint32_t)((t->address % BURST_BYTES + t->bytes + BURST_BYTES - 1) / BURST_BYTES);
}

/* The page that holds an address, among those of its partition, and the bank that the page is in.
 */
static uint64_t page_of(const struct simulation *s, const struct transaction *t)
{
	uint64_t stripe = (uint64_t)s->n.partition_bytes * s->n.partitions;
	uint64_t within =
		t->address / stripe * s->n.partition_bytes + t->address % s->n.partition_bytes;

	return within / s->n.page_bytes;
}

static struct bank *bank_of(const struct simulation *s, struct partition *p, uint64_t page)
{
	return &p->bank[page % s->n.banks];
}

/* When the DRAM can begin with a transaction: its page is open, or its bank can open it. */
static uint64_t bank_free_at(const struct simulation *s, struct partition *p,
			     const struct transaction *t)
{
	uint64_t page = page_of(s, t);
	const struct bank *bank = bank_of(s, p, page);

	return bank->page == page + 1 ? 0 : bank->free_at;
}

/* Opens the page of a transaction; nothing happens when it is open. */
static void open_page(const struct simulation *s, struct partition *p, const struct transaction *t)
{
	uint64_t page = page_of(s, t);
	struct bank *bank = bank_of(s, p, page);

	if (bank->page == page + 1)
		return;
	bank->page = page + 1; /* 0: none yet */
	bank->free_at = (bank->free_at > s->now ? bank->free_at : s->now) + s->n.bank_busy;
}

/* Lets the partition look for work as soon as its DRAM is free. */
static void kick(struct simulation *s, struct partition *p)
{
	if (p->scheduled)
		return;
	p->scheduled = 1;
	at_time(s, p->dram_free > s->now ? p->dram_free : s->now, serve,
		(uint32_t)(p - s->partition));
}

static void arrive(struct simulation *s, uint32_t index)
{
	struct transaction *t = &s->transaction[index];
	struct partition *p = partition_of(s, t);

	if (p->n == s->n.controller_queue) {
		s->result->bounces++;
		answer(s, index, bounce, 1);
		return;
	}
	p->queue[p->n++] = index;
	t->locked = 0;
	/* Whoever does not wait for a result waits for this: the request is in the queue. */
	if (t->op == LANE_GLOBAL_STORE || t->op == LANE_GLOBAL_RED)
		answer(s, index, answered, 1);
	kick(s, p);
}

static uint64_t granule(const struct simulation *s, uint64_t address)
{
	return address / s->n.lock_bytes;
}

/* True when an atomic that is under way holds a lock that this one needs. */
static int is_locked(const struct simulation *s, const struct partition *p,
		     const struct transaction *t)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct transaction *other = &s->transaction[p->queue[i]];

		if (other->locked &&
		    granule(s, other->address) <= granule(s, t->address + t->bytes - 1) &&
		    granule(s, t->address) <= granule(s, other->address + other->bytes - 1))
			return 1;
	}
	return 0;
}

static void remove_at(struct partition *p, uint32_t place)
{
	p->n--;
	for (uint32_t i = place; i < p->n; i++)
		p->queue[i] = p->queue[i + 1];
}

/* Looks again when the bank that this one waits for is free. */
static void await_bank(struct simulation *s, struct partition *p, const struct transaction *t)
{
	struct bank *bank = bank_of(s, p, page_of(s, t));

	if (bank->awaited)
		return;
	bank->awaited = 1;
	at_time(s, bank->free_at, bank_free,
		(uint32_t)((p - s->partition) * LANE_GLOBAL_BANKS + (bank - p->bank)));
}

static void bank_free(struct simulation *s, uint32_t bank)
{
	struct partition *p = &s->partition[bank / LANE_GLOBAL_BANKS];

	p->bank[bank % LANE_GLOBAL_BANKS].awaited = 0;
	kick(s, p);
}

/* The first transaction of the queue that can begin, or NOTHING. */
static uint32_t choose(struct simulation *s, struct partition *p)
{
	uint32_t passed = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct transaction *t = &s->transaction[p->queue[i]];

		if (t->locked)
			continue;
		if (is_atomic(t) && is_locked(s, p, t)) {
			passed++;
			continue;
		}
		if (bank_free_at(s, p, t) <= s->now) {
			s->result->collisions += passed;
			return i;
		}
		await_bank(s, p, t);
	}
	return NOTHING;
}

static void begin(struct simulation *s, struct partition *p, uint32_t place)
{
	uint32_t index = p->queue[place];
	struct transaction *t = &s->transaction[index];

	open_page(s, p, t);
	p->dram_free = s->now + (uint64_t)bursts(t) * s->n.dram_burst;
	if (is_atomic(t)) {
		t->locked = 1;
		at_time(s, p->dram_free + s->n.dram_latency, data_there, index);
		return;
	}
	remove_at(p, place);
	if (t->op == LANE_GLOBAL_STORE) {
		give_back(s, index);
		return;
	}
	/* A load's data leaves for its cluster when it is there. */
	at_time(s, p->dram_free + s->n.dram_latency, data_there, index);
}

static void serve(struct simulation *s, uint32_t partition)
{
	struct partition *p = &s->partition[partition];
	uint32_t place;

	p->scheduled = 0;
	if (p->write_backs) {
		p->dram_free = s->now + (uint64_t)p->write_backs * s->n.dram_burst;
		p->write_backs = 0;
		kick(s, p);
		return;
	}
	place = choose(s, p);
	if (place == NOTHING)
		return; /* the next arrival, unlock or free bank looks again */
	begin(s, p, place);
	kick(s, p);
}

static void data_there(struct simulation *s, uint32_t index)
{
	struct transaction *t = &s->transaction[index];
	struct partition *p = partition_of(s, t);
	uint32_t passes = (t->lanes + s->n.alu_lanes - 1) / s->n.alu_lanes;
	uint64_t start = p->alu_free > s->now ? p->alu_free : s->now;

	if (!is_atomic(t)) {
		answer(s, index, answered, 1 + bursts(t));
		return;
	}
	/* Lanes on the same word cannot go in one pass. */
	if (t->same > passes)
		passes = t->same;
	p->alu_free = start + (uint64_t)passes * s->n.alu;
	at_time(s, p->alu_free, unlock, index);
}

static void unlock(struct simulation *s, uint32_t index)
{
	struct transaction *t = &s->transaction[index];
	struct partition *p = partition_of(s, t);
	uint32_t place = 0;

	while (p->queue[place] != index)
		place++;
	remove_at(p, place);
	t->locked = 0;
	open_page(s, p, t);
	p->write_backs += bursts(t);
	if (t->serial < p->newest)
		s->result->overtaken++;
	else
		p->newest = t->serial;
	if (t->op == LANE_GLOBAL_ATOMIC)
		answer(s, index, answered, 1 + bursts(t));
	else
		give_back(s, index);
	kick(s, p);
}

static void answered(struct simulation *s, uint32_t warp)
{
	struct cluster *c = cluster_of(s, warp);

	c->in_flight--;
	if (!--s->warp[warp].pending)
		warp_ready(s, warp);
	send_backlog(s, c);
}

static void bounce(struct simulation *s, uint32_t index)
{
	at_time(s, s->now + s->n.retry, send, index);
}

static struct numbers numbers_of(const struct lane_device_section *g)
{
	return (struct numbers){
#define N(name, need, min, max, preset) .name = model_section_whole(g, #name),
		LANE_GLOBAL_NUMBERS(N)
#undef N
	};
}

/* Every transaction, warp, unit, partition and bank has at most one event under way, answers
 * besides. */
static struct lane_error *allocate(struct simulation *s)
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
		give_back(s, i);
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

static struct lane_error *check(const struct simulation *s, const struct lane_device *device)
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
	s.n = numbers_of(global);
	s.lanes = work->pattern == LANE_GLOBAL_OFFSET ? 8 : model_section_whole(unit, "warp");
	s.n_units = s.n.clusters * s.n.units_per_cluster;
	s.n_warps = s.n_units * work->warps;
	err = check(&s, device);
	if (!err)
		err = allocate(&s);
	if (!err) {
		for (uint32_t i = 0; i < s.n_warps; i++)
			warp_ready(&s, i);
		while (s.n_events) {
			struct event e = next_event(&s);

			s.now = e.time;
			e.then(&s, e.what);
		}
		summarise(&s);
	}
	free_simulation(&s);
	return err;
}

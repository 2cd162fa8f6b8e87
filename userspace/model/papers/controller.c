// SPDX-License-Identifier: MIT
// The memory controller of the global memory model: queues that bounce, locks, DRAM, the atomics'
// ALU.
#include "model/papers/global_internal.h"

#define BURST_BYTES 32

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

static struct bank *controller_bank_of(const struct simulation *s, struct partition *p,
				       uint64_t page)
{
	return &p->bank[page % s->n.banks];
}

/* When the DRAM can begin with a transaction: its page is open, or its bank can open it. */
static uint64_t bank_free_at(const struct simulation *s, struct partition *p,
			     const struct transaction *t)
{
	uint64_t page = page_of(s, t);
	const struct bank *bank = controller_bank_of(s, p, page);

	return bank->page == page + 1 ? 0 : bank->free_at;
}

/* Opens the page of a transaction; nothing happens when it is open. */
static void open_page(const struct simulation *s, struct partition *p, const struct transaction *t)
{
	uint64_t page = page_of(s, t);
	struct bank *bank = controller_bank_of(s, p, page);

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
	model_global_at(s, p->dram_free > s->now ? p->dram_free : s->now, EVENT_SERVE,
			(uint32_t)(p - s->partition));
}

void model_controller_arrive(struct simulation *s, uint32_t index)
{
	struct transaction *t = &s->transaction[index];
	struct partition *p = partition_of(s, t);

	if (p->n == s->n.controller_queue) {
		s->result->bounces++;
		model_global_answer(s, index, EVENT_BOUNCE, 1);
		return;
	}
	p->queue[p->n++] = index;
	t->locked = 0;
	/* Whoever does not wait for a result waits for this: the request is in the queue. */
	if (t->op == LANE_GLOBAL_STORE || t->op == LANE_GLOBAL_RED)
		model_global_answer(s, index, EVENT_ANSWER, 1);
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
	struct bank *bank = controller_bank_of(s, p, page_of(s, t));

	if (bank->awaited)
		return;
	bank->awaited = 1;
	model_global_at(s, bank->free_at, EVENT_BANK,
			(uint32_t)((p - s->partition) * LANE_GLOBAL_BANKS + (bank - p->bank)));
}

void model_controller_bank(struct simulation *s, uint32_t bank)
{
	struct partition *p = &s->partition[bank / LANE_GLOBAL_BANKS];

	p->bank[bank % LANE_GLOBAL_BANKS].awaited = 0;
	kick(s, p);
}

/* The first transaction of the queue that can begin, or NOTHING. */
static uint32_t controller_choose(struct simulation *s, struct partition *p)
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

static void controller_begin(struct simulation *s, struct partition *p, uint32_t place)
{
	uint32_t index = p->queue[place];
	struct transaction *t = &s->transaction[index];

	open_page(s, p, t);
	p->dram_free = s->now + (uint64_t)bursts(t) * s->n.dram_burst;
	if (is_atomic(t)) {
		t->locked = 1;
		model_global_at(s, p->dram_free + s->n.dram_latency, EVENT_DATA, index);
		return;
	}
	remove_at(p, place);
	if (t->op == LANE_GLOBAL_STORE) {
		model_global_release(s, index);
		return;
	}
	/* A load's data leaves for its cluster when it is there. */
	model_global_at(s, p->dram_free + s->n.dram_latency, EVENT_DATA, index);
}

void model_controller_serve(struct simulation *s, uint32_t partition)
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
	place = controller_choose(s, p);
	if (place == NOTHING)
		return; /* the next arrival, unlock or free bank looks again */
	controller_begin(s, p, place);
	kick(s, p);
}

void model_controller_data(struct simulation *s, uint32_t index)
{
	struct transaction *t = &s->transaction[index];
	struct partition *p = partition_of(s, t);
	uint32_t passes = (t->lanes + s->n.alu_lanes - 1) / s->n.alu_lanes;
	uint64_t start = p->alu_free > s->now ? p->alu_free : s->now;

	if (!is_atomic(t)) {
		model_global_answer(s, index, EVENT_ANSWER, 1 + bursts(t));
		return;
	}
	/* Lanes on the same word cannot go in one pass. */
	if (t->same > passes)
		passes = t->same;
	p->alu_free = start + (uint64_t)passes * s->n.alu;
	model_global_at(s, p->alu_free, EVENT_UNLOCK, index);
}

void model_controller_unlock(struct simulation *s, uint32_t index)
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
		model_global_answer(s, index, EVENT_ANSWER, 1 + bursts(t));
	else
		model_global_release(s, index);
	kick(s, p);
}

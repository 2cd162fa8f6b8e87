// SPDX-License-Identifier: MIT
// The law of atomics on global memory, again: docs/models/papers/global.md played cycle by cycle,
// without a queue of events. usage: global DEVICE OP PATTERN WARPS BLOCKS OFFSET ARITHMETIC
// ITERATIONS Prints: mean deviation least most per_operation transactions bounces
#include <math.h>

#include "laws.h"

#define NEVER UINT64_MAX

static struct {
	uint32_t clusters, units_per_cluster, partitions, partition_bytes, segment_bytes;
	uint32_t lock_bytes, cluster_queue, controller_queue, issue, latency, hop, packet, retry;
	uint32_t dram_latency, dram_burst, alu_lanes, alu, banks, page_bytes, bank_busy;
	uint32_t loop_free, loop_bound, loop_latency;
} d;

/* Where a request is, until `due` if that is not NEVER. */
enum stage {
	UNUSED,
	BACKLOG,
	TO_CONTROLLER,
	TURNED_AWAY,
	WAITING,
	QUEUED,
	READING,
	ADDING,
	LEAVING
};

struct request {
	enum stage stage;
	uint64_t due;
	uint64_t since; /* order, within a stage that is a queue */
	uint64_t first; /* byte */
	uint32_t bytes, lanes, same, warp;
	char op;	    /* of l, s, r, a */
	int is_answered;    /* the warp goes on, the request still is in its partition */
	uint64_t answer_at; /* such an answer */
};

struct warp {
	uint64_t ready, since, clock;
	uint32_t at, round, open;
};

static struct request *request;
static uint32_t requests;
static struct warp *warp;
static uint32_t warps, units, lanes, of_unit, blocks, offset, arithmetic, rounds;
static const char *op, *pattern;
static uint64_t now, order, link_out[256], link_back[256], unit_free[4096], last;
static uint32_t places[256];
static uint64_t dram_free[256], alu_free[256], bank_page[256][64], bank_free[256][64];
static uint32_t write_backs[256];
static double sum, squares, least = INFINITY, most;
static uint64_t operations, transactions, bounces;

static uint32_t cluster_of(uint32_t w)
{
	return w / of_unit / d.units_per_cluster;
}

static uint32_t partition_of(const struct request *r)
{
	return (uint32_t)(r->first / d.partition_bytes % d.partitions);
}

/* 32-byte bursts that a request touches. */
static uint32_t bursts(const struct request *r)
{
	return (uint32_t)((r->first + r->bytes - 1) / 32 - r->first / 32 + 1);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The time at which so many packets are on the other side. */
static uint64_t over(uint64_t *link, uint32_t packets)
{
	*link = later(*link, now) + (uint64_t)packets * d.packet;
	return *link + d.hop;
}

static void to_controller(struct request *r)
{
	r->stage = TO_CONTROLLER;
	r->due = over(&link_out[cluster_of(r->warp)], r->op == 'l' ? 1 : 1 + (r->bytes + 31) / 32);
}

static void fill_places(uint32_t cluster)
{
	while (places[cluster] < d.cluster_queue) {
		struct request *next = NULL;

		for (uint32_t i = 0; i < requests; i++)
			if (request[i].stage == BACKLOG && cluster_of(request[i].warp) == cluster &&
			    (!next || request[i].since < next->since))
				next = &request[i];
		if (!next)
			return;
		places[cluster]++;
		to_controller(next);
	}
}

static uint64_t address(uint32_t w, uint32_t lane)
{
	uint32_t unit = w / of_unit;
	uint32_t in_block = of_unit / blocks;
	uint32_t block = w % of_unit / in_block * units + unit;

	if (!strcmp(pattern, "single"))
		return (uint64_t)unit * 4096;
	if (!strcmp(pattern, "uncoalesced"))
		return ((uint64_t)w * lanes + lane) * 128;
	if (!strcmp(pattern, "coalesced"))
		return ((uint64_t)w * lanes + lane) * 4;
	return (uint64_t)block * 32768 + (uint64_t)lane * 4096 +
	       (uint64_t)(w % of_unit % in_block) * offset;
}

/* A request for each segment that lanes touch. */
static void ask(uint32_t w, char what)
{
	int taken[64] = { 0 };

	for (uint32_t i = 0; i < lanes; i++) {
		struct request *r = request;
		uint64_t a = address(w, i), end = a;

		if (taken[i])
			continue;
		while (r->stage != UNUSED)
			r++;
		*r = (struct request){ .stage = BACKLOG,
				       .due = NEVER,
				       .since = order++,
				       .first = a,
				       .warp = w,
				       .op = what,
				       .answer_at = NEVER };
		for (uint32_t j = i; j < lanes; j++) {
			uint32_t same = 0;

			if (address(w, j) / d.segment_bytes != a / d.segment_bytes)
				continue;
			taken[j] = 1;
			r->lanes++;
			end = later(end, address(w, j));
			for (uint32_t k = i; k < lanes; k++)
				same += address(w, k) == address(w, j);
			r->same = same > r->same ? same : r->same;
		}
		r->bytes = (uint32_t)(end + 4 - a);
		warp[w].open++;
		transactions++;
	}
	fill_places(cluster_of(w));
}

/* Issues a warp's instruction: clock, accesses, clock, arithmetic, the loop's own. */
static void issue(uint32_t i)
{
	struct warp *w = &warp[i];
	uint32_t accesses = !strcmp(op, "none") ? 0 : !strcmp(op, "load_store") ? 2 : 1;
	uint32_t own = d.loop_free + d.loop_bound;
	uint32_t at = w->at++;
	uint32_t next = w->at - accesses; /* 2: the first one behind the second clock */

	w->ready = now + d.latency;
	w->since = order++;
	if (at == 0)
		w->clock = now;
	if (at > 0 && at <= accesses) {
		w->ready = NEVER;
		ask(i, accesses == 2 ? (at == 1 ? 'l' : 's') : op[0]);
		return;
	}
	if (at == accesses + 1) {
		double cycles = (double)(now - w->clock);

		operations++;
		sum += cycles;
		squares += cycles * cycles;
		least = fmin(least, cycles);
		most = fmax(most, cycles);
	}
	if (at > accesses && own) {
		if (next >= 2 + arithmetic && next < 2 + arithmetic + d.loop_free)
			w->ready = now + d.issue;
		else if (next >= 2 + arithmetic + d.loop_free)
			w->ready = now + d.loop_latency;
	}
	if (at == accesses + 1 + arithmetic + own) {
		w->at = 0;
		if (++w->round == rounds) {
			w->ready = NEVER;
			last = later(last, now + d.latency);
		}
	}
}

static void units_issue(void)
{
	for (uint32_t u = 0; u < units; u++) {
		struct warp *first = NULL;

		for (uint32_t i = u * of_unit; i < (u + 1) * of_unit; i++)
			if (warp[i].ready <= now &&
			    (!first || warp[i].ready < first->ready ||
			     (warp[i].ready == first->ready && warp[i].since < first->since)))
				first = &warp[i];
		if (!first || unit_free[u] > now)
			continue;
		unit_free[u] = now + d.issue;
		issue((uint32_t)(first - warp));
	}
}

static void answered(struct request *r)
{
	struct warp *w = &warp[r->warp];

	places[cluster_of(r->warp)]--;
	if (!--w->open) {
		w->ready = now;
		w->since = order++;
	}
	fill_places(cluster_of(r->warp));
}

static uint64_t page_of(const struct request *r)
{
	uint64_t stripe = (uint64_t)d.partition_bytes * d.partitions;

	return (r->first / stripe * d.partition_bytes + r->first % d.partition_bytes) /
	       d.page_bytes;
}

static void open_page(const struct request *r)
{
	uint32_t p = partition_of(r);
	uint64_t page = page_of(r);
	uint32_t bank = (uint32_t)(page % d.banks);

	if (bank_page[p][bank] != page) {
		bank_page[p][bank] = page;
		bank_free[p][bank] = later(bank_free[p][bank], now) + d.bank_busy;
	}
}

static void arrive(struct request *r)
{
	uint32_t held = 0;

	for (uint32_t i = 0; i < requests; i++)
		held += (request[i].stage == QUEUED ||
			 (request[i].op != 'l' &&
			  (request[i].stage == READING || request[i].stage == ADDING))) &&
			partition_of(&request[i]) == partition_of(r);
	if (held == d.controller_queue) {
		bounces++;
		r->stage = TURNED_AWAY;
		r->due = over(&link_back[cluster_of(r->warp)], 1);
		return;
	}
	r->stage = QUEUED;
	r->since = order++;
	r->due = NEVER;
	if (r->op == 's' || r->op == 'r')
		r->answer_at = over(&link_back[cluster_of(r->warp)], 1);
}

/* The ALU takes an atomic whose data is there. */
static void add_up(struct request *r)
{
	uint32_t p = partition_of(r);
	uint32_t passes = (r->lanes + d.alu_lanes - 1) / d.alu_lanes;

	passes = r->same > passes ? r->same : passes;
	alu_free[p] = later(alu_free[p], now) + (uint64_t)passes * d.alu;
	r->stage = ADDING;
	r->due = alu_free[p];
}

static void leave(struct request *r)
{
	r->stage = LEAVING;
	r->due = NEVER;
	if (r->op == 'l' || r->op == 'a')
		r->due = over(&link_back[cluster_of(r->warp)], 1 + bursts(r));
	else if (r->is_answered)
		r->stage = UNUSED;
}

static int is_locked(const struct request *r)
{
	for (uint32_t i = 0; i < requests; i++) {
		const struct request *other = &request[i];

		if ((other->stage == READING || other->stage == ADDING) &&
		    (other->op == 'a' || other->op == 'r') &&
		    other->first / d.lock_bytes <= (r->first + r->bytes - 1) / d.lock_bytes &&
		    r->first / d.lock_bytes <= (other->first + other->bytes - 1) / d.lock_bytes)
			return 1;
	}
	return 0;
}

/* A partition whose DRAM is free writes back what the ALU has done, or begins what can begin. */
static void serve(uint32_t p)
{
	struct request *first = NULL;

	if (dram_free[p] > now)
		return;
	if (write_backs[p]) {
		dram_free[p] = now + (uint64_t)write_backs[p] * d.dram_burst;
		write_backs[p] = 0;
		return;
	}
	for (uint32_t i = 0; i < requests; i++) {
		struct request *r = &request[i];
		uint32_t bank;

		if (r->stage != QUEUED || partition_of(r) != p ||
		    (first && first->since < r->since))
			continue;
		bank = (uint32_t)(page_of(r) % d.banks);
		if (bank_page[p][bank] != page_of(r) && bank_free[p][bank] > now)
			continue;
		if ((r->op == 'a' || r->op == 'r') && is_locked(r))
			continue;
		first = r;
	}
	if (!first)
		return;
	open_page(first);
	dram_free[p] = now + (uint64_t)bursts(first) * d.dram_burst;
	first->stage = READING;
	first->due = dram_free[p] + d.dram_latency;
	if (first->op == 's')
		leave(first);
}

static void move(struct request *r)
{
	if (r->answer_at <= now && !r->is_answered) {
		r->is_answered = 1;
		answered(r);
		if (r->stage == LEAVING)
			r->stage = UNUSED;
	}
	if (r->due > now)
		return;
	if (r->stage == TO_CONTROLLER) {
		arrive(r);
	} else if (r->stage == TURNED_AWAY) {
		r->stage = WAITING;
		r->due = now + d.retry;
	} else if (r->stage == WAITING) {
		to_controller(r);
	} else if (r->stage == READING && r->op == 'l') {
		leave(r);
	} else if (r->stage == READING) {
		add_up(r);
	} else if (r->stage == ADDING) {
		open_page(r);
		write_backs[partition_of(r)] += bursts(r);
		leave(r);
	} else if (r->stage == LEAVING) {
		r->stage = UNUSED;
		answered(r);
	}
}

int main(int argc, char **argv)
{
	uint32_t done = 0;

	if (argc != 9)
		give_up("usage: global DEVICE OP PATTERN WARPS BLOCKS OFFSET ARITHMETIC "
			"ITERATIONS");
#define N(key, other) d.key = (uint32_t)device_number(argv[1], "[global]", #key, other)
	N(clusters, 0), N(units_per_cluster, 0), N(partitions, 0), N(partition_bytes, 0);
	N(segment_bytes, 0), N(lock_bytes, 0), N(cluster_queue, 0), N(controller_queue, 0);
	N(issue, 0), N(latency, 0), N(hop, 0), N(packet, 0), N(retry, 0), N(dram_latency, 0);
	N(dram_burst, 0), N(alu_lanes, 0), N(alu, 0), N(banks, 1), N(page_bytes, 2048);
	N(bank_busy, 0), N(loop_free, 0), N(loop_bound, 0), N(loop_latency, 1);
	op = argv[2], pattern = argv[3];
	of_unit = (uint32_t)number(argv[4]), blocks = (uint32_t)number(argv[5]);
	offset = (uint32_t)number(argv[6]), arithmetic = (uint32_t)number(argv[7]);
	rounds = (uint32_t)number(argv[8]);
	units = d.clusters * d.units_per_cluster, warps = units * of_unit;
	lanes = !strcmp(pattern, "offset") ? 8 : 32;
	requests = warps * lanes + d.partitions * d.controller_queue;
	request = calloc(requests, sizeof(*request));
	warp = calloc(warps, sizeof(*warp));
	if (!request || !warp || units > 4096 || d.partitions > 256 || d.banks > 64)
		give_up("too much");
	memset(bank_page, 0xff, sizeof(bank_page));
	for (uint32_t i = 0; i < warps; i++)
		warp[i].since = order++;
	while (done < warps || now < last) {
		for (uint32_t i = 0; i < requests; i++)
			if (request[i].stage != UNUSED)
				move(&request[i]);
		units_issue();
		for (uint32_t p = 0; p < d.partitions; p++)
			serve(p);
		done = 0;
		for (uint32_t i = 0; i < warps; i++)
			done += warp[i].round == rounds;
		now++;
	}
	printf("%.6g %.6g %.6g %.6g %.6g %llu %llu\n", sum / (double)operations,
	       sqrt(fmax(0, squares / (double)operations -
				    sum / (double)operations * sum / (double)operations)),
	       least, most, (double)last * units / (double)operations,
	       (unsigned long long)transactions, (unsigned long long)bounces);
	free(request);
	free(warp);
	return 0;
}

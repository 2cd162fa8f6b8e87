// SPDX-License-Identifier: MIT
// What is missing of a trace: events that recording.json counts and that no stream has.
#include "norm/account.h"

#include <stdlib.h>

#include "base/vector.h"

/* The streams of one CPU together; of all of them where cpu is ALL_CPUS. */
struct sum {
	uint64_t events, lost, end_ns;
	bool is_damaged, is_there, lost_uncounted;
};

#define ALL_CPUS (-2)

struct check {
	const struct lane_expected *expected;
	const struct lane_account *accounts;
	size_t n;
	uint64_t begin_ns, end_ns;
	struct lane_missing *missing;
};

static struct sum account_sum_of(const struct check *c, int32_t cpu)
{
	struct sum sum = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const struct lane_account *a = &c->accounts[i];

		if (cpu != ALL_CPUS && a->cpu != cpu)
			continue;
		sum.is_there = true;
		sum.events += a->events;
		sum.lost += a->lost;
		sum.lost_uncounted |= a->lost_uncounted;
		sum.is_damaged |= a->is_damaged;
		if (a->end_ns > sum.end_ns)
			sum.end_ns = a->end_ns;
	}
	return sum;
}

static uint64_t beyond(uint64_t expected, uint64_t found)
{
	return expected != LANE_NOT_SAID && expected > found ? expected - found : 0;
}

/* Events that should be there, and losses that should have been told. */
static uint64_t count_missing(uint64_t events, uint64_t lost, const struct sum *sum)
{
	uint64_t n = beyond(events, sum->events);

	/* A loss of unknown size may be the one that is expected. */
	return sum->lost_uncounted ? n : n + beyond(lost, sum->lost);
}

static bool account_add(struct check *c, int32_t cpu, uint64_t since_ns, uint64_t count)
{
	struct lane_missing *missing = c->missing;

	if (!LANE_GROW_BY_ONE(missing->losses, missing->n))
		return false;
	missing->events += count;
	if (since_ns < c->begin_ns)
		since_ns = c->begin_ns;
	missing->losses[missing->n++] = (struct lane_p_gpulane_lost){
		.count = count,
		.begin_ns = since_ns < c->end_ns ? since_ns : c->end_ns,
		.end_ns = c->end_ns,
		.lost_cpu = cpu,
	};
	return true;
}

static bool is_expected(const struct check *c, int32_t cpu)
{
	for (size_t i = 0; i < c->expected->n_cpus; i++)
		if (c->expected->cpus[i].cpu == cpu)
			return true;
	return false;
}

/* By CPU: recording.json counts each one's events. */
static bool check_cpus(struct check *c)
{
	for (size_t i = 0; i < c->expected->n_cpus; i++) {
		const struct lane_expected_cpu *cpu = &c->expected->cpus[i];
		struct sum sum = account_sum_of(c, cpu->cpu);
		uint64_t count = count_missing(cpu->events, cpu->lost, &sum);

		if ((count || sum.is_damaged) && !account_add(c, cpu->cpu, sum.end_ns, count))
			return false;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->accounts[i].is_damaged && !is_expected(c, c->accounts[i].cpu) &&
		    !account_add(c, c->accounts[i].cpu, c->accounts[i].end_ns, 0))
			return false;
	return true;
}

/*
 * Since when events may be missing where only their sum is known: if a CPU's stream is not there,
 * since the beginning; otherwise since the first stream's end, of those that are damaged if some
 * are.
 */
static uint64_t missing_since(const struct check *c)
{
	bool is_damaged = account_sum_of(c, ALL_CPUS).is_damaged;
	uint64_t since_ns = UINT64_MAX;

	for (size_t i = 0; i < c->expected->n_cpus; i++)
		if (!account_sum_of(c, c->expected->cpus[i].cpu).is_there)
			return c->begin_ns;
	for (size_t i = 0; i < c->n; i++)
		if (c->accounts[i].is_damaged >= is_damaged && c->accounts[i].end_ns < since_ns)
			since_ns = c->accounts[i].end_ns;
	return c->expected->n_cpus && c->n ? since_ns : c->begin_ns;
}

/* By streams and in all: recording.json counts the trace's events, or nothing. */
static bool check_sum(struct check *c)
{
	struct sum sum = account_sum_of(c, ALL_CPUS);
	uint64_t count = count_missing(c->expected->events, c->expected->lost, &sum);

	if (count)
		return account_add(c, -1, missing_since(c), count);
	for (size_t i = 0; i < c->n; i++)
		if (c->accounts[i].is_damaged &&
		    !account_add(c, c->accounts[i].cpu, c->accounts[i].end_ns, 0))
			return false;
	return true;
}

struct lane_error *norm_account_check(const struct lane_expected *expected,
				      const struct lane_account *accounts, size_t n,
				      uint64_t begin_ns, uint64_t end_ns,
				      struct lane_missing *missing)
{
	struct check c = { expected, accounts, n, begin_ns, end_ns, missing };
	bool by_cpu = expected->n_cpus > 0;

	for (size_t i = 0; i < expected->n_cpus; i++)
		by_cpu &= expected->cpus[i].events != LANE_NOT_SAID;
	if (!(by_cpu ? check_cpus(&c) : check_sum(&c)))
		return &lane_enomem;
	/* Any CPU's, from the beginning on. */
	if (expected->missing_bytes && !account_add(&c, -1, begin_ns, 0))
		return &lane_enomem;
	return NULL;
}

void norm_missing_free(struct lane_missing *missing)
{
	free(missing->losses);
	missing->losses = NULL;
	missing->n = 0;
}

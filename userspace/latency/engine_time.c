// SPDX-License-Identifier: MIT
// An engine's time: certainly busy, certainly idle, or neither.
#include "latency/engine_time.h"

#include <string.h>

/* The first part that ends at or after ns. */
static uint32_t first_from(const struct lane_engine_time *account, uint64_t ns)
{
	uint32_t i = account->n_parts;

	while (i && account->parts[i - 1].end_ns >= ns)
		i--;
	return i;
}

/* The oldest part is given up: nothing before its end is counted any more. */
static void make_room(struct lane_engine_time *account)
{
	account->from_ns = account->parts[0].end_ns;
	account->n_parts--;
	memmove(account->parts, account->parts + 1, account->n_parts * sizeof(*account->parts));
}

/* Of [begin_ns, end_ns) becomes known what was not yet; returns how much that is. */
static uint64_t know(struct lane_engine_time *account, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_engine_time_part all;
	uint64_t fresh_ns;
	uint32_t i, j;

	if (begin_ns < account->from_ns)
		begin_ns = account->from_ns;
	if (begin_ns >= end_ns)
		return 0;
	all = (struct lane_engine_time_part){ begin_ns, end_ns };
	fresh_ns = end_ns - begin_ns;
	i = first_from(account, begin_ns);
	for (j = i; j < account->n_parts && account->parts[j].begin_ns <= end_ns; j++) {
		const struct lane_engine_time_part *part = &account->parts[j];
		uint64_t from_ns = part->begin_ns > begin_ns ? part->begin_ns : begin_ns;
		uint64_t to_ns = part->end_ns < end_ns ? part->end_ns : end_ns;

		fresh_ns -= to_ns - from_ns;
		all.begin_ns = part->begin_ns < all.begin_ns ? part->begin_ns : all.begin_ns;
		all.end_ns = part->end_ns > all.end_ns ? part->end_ns : all.end_ns;
	}
	if (i == j && account->n_parts == LANE_TIME_PARTS) {
		make_room(account);
		return know(account, begin_ns, end_ns);
	}
	memmove(&account->parts[i + 1], &account->parts[j],
		(account->n_parts - j) * sizeof(*account->parts));
	account->parts[i] = all;
	account->n_parts += 1 - (j - i);
	return fresh_ns;
}

/*
 * Where one run ends and the next begins may be known within bounds only; that something ran all
 * the time is certain all the same, if they followed each other.
 */
void latency_engine_time_run(struct lane_engine_time *account, const struct lane_run *run)
{
	if (run->is_doubtful) {
		account->chained = false;
		return;
	}
	if (!run->follows || !account->chained)
		account->chain_ns = run->begin.hi;
	else if (run->gap_ns) /* wherever the gap is, this much is busy behind it */
		account->chain_ns = account->sure_ns + run->gap_ns;
	account->sure_ns = run->sure_until_ns;
	account->chained = run->sure_until_ns >= run->end.lo;
	latency_engine_time_busy_in(account, account->chain_ns, run->sure_until_ns);
}

void latency_engine_time_busy_in(struct lane_engine_time *account, uint64_t begin_ns,
				 uint64_t end_ns)
{
	account->busy_ns += know(account, begin_ns, end_ns);
}

uint64_t latency_engine_time_idle(struct lane_engine_time *account, uint64_t begin_ns,
				  uint64_t end_ns)
{
	uint64_t fresh_ns = know(account, begin_ns, end_ns);

	account->idle_ns += fresh_ns;
	return fresh_ns;
}

static struct lane_span between(uint64_t least_ns, uint64_t other_ns, uint64_t whole_ns)
{
	uint64_t most_ns = whole_ns > other_ns ? whole_ns - other_ns : 0;

	return (struct lane_span){ least_ns, most_ns > least_ns ? most_ns : least_ns };
}

struct lane_span latency_engine_time_busy(const struct lane_engine_time *account, uint64_t whole_ns)
{
	return between(account->busy_ns, account->idle_ns, whole_ns);
}

struct lane_span latency_engine_time_idle_span(const struct lane_engine_time *account,
					       uint64_t whole_ns)
{
	return between(account->idle_ns, account->busy_ns, whole_ns);
}

// SPDX-License-Identifier: MIT
// An engine's time: known busy, known idle, or unknown.
#include "latency/engine_time.h"

#include <string.h>

/* The index of the first part that ends at or after ns. */
static uint32_t first_from(const struct lane_engine_time *account, uint64_t ns)
{
	uint32_t i = account->n_parts;

	while (i && account->parts[i - 1].end_ns >= ns)
		i--;
	return i;
}

/* Drops the oldest part. From now on no time before its end is counted. */
static void engine_time_make_room(struct lane_engine_time *account)
{
	account->from_ns = account->parts[0].end_ns;
	account->n_parts--;
	memmove(account->parts, account->parts + 1, account->n_parts * sizeof(*account->parts));
}

static uint64_t mark_known(struct lane_engine_time *account, uint64_t begin_ns, uint64_t end_ns);

/* mark_known() for what may touch several parts, or none. */
static uint64_t mark_among(struct lane_engine_time *account, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_engine_time_part all;
	uint64_t fresh_ns;
	uint32_t i, j;

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
		engine_time_make_room(account);
		return mark_known(account, begin_ns, end_ns);
	}
	memmove(&account->parts[i + 1], &account->parts[j],
		(account->n_parts - j) * sizeof(*account->parts));
	account->parts[i] = all;
	account->n_parts += 1 - (j - i);
	return fresh_ns;
}

/* Marks [begin_ns, end_ns) as known. Returns the part that was not known yet, ns. */
static uint64_t mark_known(struct lane_engine_time *account, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_engine_time_part *last =
		&account->parts[account->n_parts ? account->n_parts - 1 : 0];
	uint64_t fresh_ns;

	if (begin_ns < account->from_ns)
		begin_ns = account->from_ns;
	if (account->to_ns && end_ns > account->to_ns)
		end_ns = account->to_ns;
	if (begin_ns >= end_ns)
		return 0;
	if (!account->n_parts || begin_ns < last->begin_ns || begin_ns > last->end_ns)
		return mark_among(account, begin_ns, end_ns);
	if (end_ns <= last->end_ns)
		return 0;
	fresh_ns = end_ns - last->end_ns;
	last->end_ns = end_ns;
	return fresh_ns;
}

/*
 * The boundary of two runs may have bounds only. If the second run followed the first without a
 * gap, the engine was busy all the time around that boundary. So the two runs are counted as one
 * chain.
 */
void latency_engine_time_run(struct lane_engine_time *account, const struct lane_run *run)
{
	if (run->is_unsure) {
		account->has_chain = false;
		return;
	}
	if (!run->follows || !account->has_chain)
		account->chain_ns = run->begin.hi;
	account->sure_ns = run->sure_until_ns;
	account->has_chain = run->sure_until_ns >= run->end.lo;
	latency_engine_time_busy_in(account, account->chain_ns, run->sure_until_ns);
}

void latency_engine_time_busy_in(struct lane_engine_time *account, uint64_t begin_ns,
				 uint64_t end_ns)
{
	account->busy_ns += mark_known(account, begin_ns, end_ns);
}

uint64_t latency_engine_time_idle(struct lane_engine_time *account, uint64_t begin_ns,
				  uint64_t end_ns)
{
	uint64_t fresh_ns = mark_known(account, begin_ns, end_ns);

	account->idle_ns += fresh_ns;
	return fresh_ns;
}

static struct lane_span engine_time_bounds_of(uint64_t least_ns, uint64_t other_ns,
					      uint64_t whole_ns)
{
	uint64_t most_ns = whole_ns > other_ns ? whole_ns - other_ns : 0;

	return (struct lane_span){ least_ns, most_ns > least_ns ? most_ns : least_ns };
}

void latency_engine_time_bounds(const struct lane_engine_time *account, uint64_t whole_ns,
				struct lane_span *busy, struct lane_span *idle)
{
	*busy = engine_time_bounds_of(account->busy_ns, account->idle_ns, whole_ns);
	*idle = engine_time_bounds_of(account->idle_ns, account->busy_ns, whole_ns);
}

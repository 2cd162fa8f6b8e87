// SPDX-License-Identifier: MIT
// When events were lost.
#include "timeline/losses.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"

#define UNKNOWN_COUNT UINT64_MAX
#define MAX_LOSSES    (1u << 14)
#define MAX_SPANS     (1u << 12) /* of one CPU */
#define MAX_CPUS      (1 << 16)

static uint64_t losses_count_of(const struct lane_loss *loss)
{
	return loss->count ? loss->count : UNKNOWN_COUNT;
}

static uint64_t losses_saturated(uint64_t a, uint64_t b)
{
	return a > UNKNOWN_COUNT - b ? UNKNOWN_COUNT : a + b;
}

/* True when the loss was over before ns, or ended at ns before any event of ns. */
static bool losses_is_before(const struct lane_loss *loss, uint64_t ns)
{
	return loss->end_ns < ns ||
	       (loss->end_ns == ns && !timeline_loss_is_instant(loss) && !loss->is_to_the_end);
}

/* The first loss that is not before ns: merged losses do not overlap. */
static size_t first_from(const struct lane_timeline *tl, uint64_t ns)
{
	return LANE_BEFORE(tl->n_losses, i, losses_is_before(&tl->losses[i], ns));
}

uint64_t timeline_loss_between(const struct lane_timeline *tl, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t sum = 0;

	if (!tl->n_losses || tl->losses[0].begin_ns > end_ns)
		return 0;
	for (size_t i = first_from(tl, begin_ns);
	     i < tl->n_losses && tl->losses[i].begin_ns <= end_ns && sum < 2; i++)
		if (tl->losses[i].begin_ns < end_ns || timeline_loss_is_instant(&tl->losses[i]) ||
		    tl->losses[i].is_from_the_start)
			sum = losses_saturated(sum, losses_count_of(&tl->losses[i]));
	return sum;
}

struct lane_span timeline_loss_hull(const struct lane_timeline *tl, uint64_t begin_ns,
				    uint64_t end_ns)
{
	size_t first = first_from(tl, begin_ns);
	size_t n = LANE_BEFORE(tl->n_losses, i, tl->losses[i].begin_ns <= end_ns);

	if (n <= first)
		return (struct lane_span){ end_ns, end_ns };
	return (struct lane_span){ timeline_later(tl->losses[first].begin_ns, begin_ns),
				   timeline_sooner(tl->losses[n - 1].end_ns, end_ns) };
}

static bool has_span(const struct lane_timeline *tl, uint32_t at, uint64_t begin_ns,
		     uint64_t end_ns)
{
	const struct lane_spans *spans = at < tl->n_lost_of ? &tl->lost_of[at] : NULL;
	size_t n = spans ? LANE_BEFORE(spans->n, i, spans->of[i].lo < end_ns) : 0;

	return n && spans->of[n - 1].hi > begin_ns;
}

bool timeline_loss_of_cpu(const struct lane_timeline *tl, int32_t cpu, uint64_t begin_ns,
			  uint64_t end_ns)
{
	return cpu < 0 || has_span(tl, 0, begin_ns, end_ns) ||
	       has_span(tl, (uint32_t)cpu + 1, begin_ns, end_ns);
}

/* A span that is an instant touches what begins or ends then. Of too many, two become one. False:
 * no memory. */
static bool add_span(struct lane_spans *spans, struct lane_span add)
{
	struct lane_span *of;
	uint32_t i;

	if (add.lo == add.hi)
		add = (struct lane_span){ add.lo - !!add.lo, add.hi + 1 };
	if (spans->n == MAX_SPANS)
		for (spans->n = 0; spans->n < MAX_SPANS / 2; spans->n++)
			spans->of[spans->n] = (struct lane_span){ spans->of[2 * spans->n].lo,
								  spans->of[2 * spans->n + 1].hi };
	if (!LANE_GROW(spans->of, spans->cap, spans->n + 1))
		return false;
	of = spans->of;
	for (i = spans->n++; i && of[i - 1].lo > add.lo; i--)
		of[i] = of[i - 1];
	of[i] = add;
	for (; i < spans->n; i++)
		if (i && of[i].hi < of[i - 1].hi)
			of[i].hi = of[i - 1].hi;
	return true;
}

static bool add_of_cpu(struct lane_timeline *tl, const struct lane_loss *loss)
{
	uint32_t at = loss->cpu >= 0 && loss->cpu < MAX_CPUS ? (uint32_t)loss->cpu + 1 : 0;

	return LANE_GROW(tl->lost_of, tl->n_lost_of, at + 1) &&
	       add_span(&tl->lost_of[at],
			(struct lane_span){ loss->begin_ns,
					    timeline_later(loss->begin_ns, loss->end_ns) });
}

bool timeline_loss_begins_beside(const struct lane_timeline *tl, uint64_t ns, int cpu)
{
	for (size_t i = first_from(tl, ns); i < tl->n_losses && tl->losses[i].begin_ns <= ns; i++)
		if (tl->losses[i].begin_ns == ns && tl->losses[i].cpu != cpu)
			return true;
	return false;
}

bool timeline_loss_ends_beside(const struct lane_timeline *tl, uint64_t ns, int cpu)
{
	for (size_t i = first_from(tl, ns); i-- && tl->losses[i].end_ns >= ns;)
		if (tl->losses[i].cpu != cpu)
			return true;
	return false;
}

bool timeline_loss_hides(const struct lane_timeline *tl, const struct lane_rq *rq)
{
	uint64_t born_ns = rq->pub.seen & LANE_SEEN_QUEUE ? rq->pub.queue_ns : rq->pub.add_ns;

	return !(rq->pub.seen & (LANE_SEEN_QUEUE | LANE_SEEN_ADD)) ||
	       (tl->n_losses && timeline_loss_between(tl, born_ns, tl->now.ns));
}

/* a becomes the hull of a and b. Their counts are added. */
static void absorb(struct lane_loss *a, const struct lane_loss *b)
{
	uint64_t sum = losses_saturated(losses_count_of(a), losses_count_of(b));

	a->count = sum == UNKNOWN_COUNT ? 0 : sum;
	a->is_ambiguous &= b->is_ambiguous;
	a->is_from_the_start |= timeline_loss_is_instant(a) ||
				(b->begin_ns == a->begin_ns &&
				 (timeline_loss_is_instant(b) || b->is_from_the_start));
	if (b->end_ns >= a->end_ns) {
		bool at_end = timeline_loss_is_instant(b) || b->is_to_the_end;

		a->is_to_the_end = at_end || (b->end_ns == a->end_ns &&
					      (timeline_loss_is_instant(a) || a->is_to_the_end));
	}
	if (b->end_ns > a->end_ns)
		a->end_ns = b->end_ns;
	if (a->cpu != b->cpu)
		a->cpu = -1;
}

/* Merges the losses that overlap, from index i on. */
static void losses_merge(struct lane_timeline *tl, size_t i)
{
	while (i + 1 < tl->n_losses && tl->losses[i + 1].begin_ns <= tl->losses[i].end_ns) {
		struct lane_loss *a = &tl->losses[i], *b = &tl->losses[i + 1];

		absorb(a, b);
		memmove(b, b + 1, (tl->n_losses - i - 2) * sizeof(*b));
		tl->n_losses--;
		if (tl->next_loss > i + 1)
			tl->next_loss--;
	}
}

/* There are too many losses: merges those whose distance is not above the average. A loss whose
 * begin has been passed is not merged with one whose begin has not. */
static void losses_thin(struct lane_timeline *tl)
{
	size_t n = tl->n_losses, next = tl->next_loss, pairs = 0, to = 0;
	uint64_t sum = 0;

	for (size_t i = 1; i < n; i++) {
		if (i == next)
			continue;
		sum += tl->losses[i].begin_ns - tl->losses[i - 1].end_ns;
		pairs++;
	}
	for (size_t i = 1; i < n; i++) {
		struct lane_loss *last = &tl->losses[to];

		if (i != next && tl->losses[i].begin_ns - last->end_ns <= sum / pairs)
			absorb(last, &tl->losses[i]);
		else
			tl->losses[++to] = tl->losses[i];
		if (i == next)
			tl->next_loss = to;
	}
	tl->n_losses = to + 1;
	if (next == n)
		tl->next_loss = tl->n_losses;
}

bool timeline_loss_add(struct lane_timeline *tl, const struct lane_loss *loss)
{
	size_t i;

	if (tl->n_losses == MAX_LOSSES)
		losses_thin(tl);
	if (!LANE_GROW(tl->losses, tl->cap_losses, tl->n_losses + 1) || !add_of_cpu(tl, loss))
		return false;
	i = tl->n_losses;
	while (i && tl->losses[i - 1].begin_ns > loss->begin_ns)
		i--;
	memmove(tl->losses + i + 1, tl->losses + i, (tl->n_losses - i) * sizeof(*loss));
	tl->losses[i] = *loss;
	if (tl->losses[i].end_ns < loss->begin_ns)
		tl->losses[i].end_ns = loss->begin_ns;
	tl->n_losses++;
	if (tl->next_loss > i)
		tl->next_loss++;
	losses_merge(tl, i ? i - 1 : 0);
	if (i && i < tl->n_losses)
		losses_merge(tl, i);
	return true;
}

bool timeline_loss_is_foreseen(const struct lane_timeline *tl, const struct lane_loss *loss)
{
	size_t n = LANE_BEFORE(tl->n_losses, i, tl->losses[i].begin_ns <= loss->begin_ns);

	return n && tl->losses[n - 1].end_ns >= loss->end_ns;
}

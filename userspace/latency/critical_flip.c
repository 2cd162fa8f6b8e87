// SPDX-License-Identifier: MIT
// The critical path of a picture: from the refresh that shows it back to the one before it was
// asked for.
#include "latency/critical_internal.h"

#include <stdlib.h>
#include <string.h>

/* A screen on which nothing changed for longer was idle: what came before is no part of it. */
#define PERIODS_BEFORE 2

/* A part of the path, up to to_ns, that ends at a request or thread. */
struct flip_part {
	uint64_t to_ns;
	struct lane_critical_end end;
	bool is_known;		      /* where it ends */
	enum lane_critical_kind kind; /* of all of it, where that is not known */
};

uint64_t latency_critical_flip_from(const struct lane_flip *flip)
{
	uint64_t most_ns = PERIODS_BEFORE * flip->period_ns;

	return flip->base_ns && flip->asked_ns - flip->base_ns <= most_ns ? flip->base_ns
									  : flip->asked_ns;
}

static bool critical_flip_append(struct lane_critical_path *to,
				 const struct lane_critical_segment *segments, size_t n)
{
	struct lane_critical_segment *all =
		realloc(to->segments, (to->n_segments + n + 1) * sizeof(*all));

	if (!all)
		return false;
	if (n)
		memcpy(all + to->n_segments, segments, n * sizeof(*all));
	to->segments = all;
	to->n_segments += n;
	return true;
}

/* All of it is one piece, of nobody. */
static struct lane_error *append_whole(struct lane_critical_path *path, uint64_t from_ns,
				       const struct flip_part *part)
{
	struct lane_span lasted = timeline_span_exact(part->to_ns - from_ns);
	struct lane_critical_segment segment = {
		.begin_ns = from_ns,
		.end_ns = part->to_ns,
		.begin = timeline_span_exact(from_ns),
		.end = timeline_span_exact(part->to_ns),
		.lasted = lasted,
		.kind = part->kind,
		.tid = -1,
		.by_tid = -1,
		.context = LANE_CRITICAL_NONE,
		.engine = LANE_CRITICAL_NONE,
		.by_context = LANE_CRITICAL_NONE,
		.client = LANE_CRITICAL_NONE,
	};

	timeline_span_add(&path->kinds[part->kind], lasted);
	return critical_flip_append(path, &segment, 1) ? NULL : &lane_enomem;
}

static struct lane_error *append_part(struct lane_critical *c, const struct lane_timeline *timeline,
				      uint64_t from_ns, const struct flip_part *part,
				      struct lane_critical_path *path)
{
	struct lane_critical_path one = { 0 };
	struct lane_error *err;

	if (!part->is_known)
		return append_whole(path, from_ns, part);
	err = latency_critical_solve(c, timeline, from_ns, part->to_ns, &part->end, &one);
	if (err && !c->no_memory && !c->is_full) { /* what it ends at is not recorded */
		lane_error_free(err);
		return append_whole(path, from_ns, part);
	}
	if (!err && !critical_flip_append(path, one.segments, one.n_segments))
		err = &lane_enomem;
	for (int k = 0; k < LANE_CRITICAL_KIND_COUNT && !err; k++)
		timeline_span_add(&path->kinds[k], one.kinds[k]);
	latency_critical_path_free(&one);
	return err;
}

/* What was last before it was given to the hardware: a fence, or the asking. */
static uint32_t parts_of(const struct lane_flip *flip, struct flip_part parts[4])
{
	uint64_t armed_ns = flip->armed_ns ? flip->armed_ns : flip->shown_ns;
	struct lane_critical_end asker = { .tid = flip->tid }, armer = { .tid = flip->armed_tid },
				 fence = { -1, flip->fence_ctx, LANE_CRITICAL_NONE,
					   (uint32_t)flip->fence_seqno };
	bool is_ready_known = flip->ready.lo == flip->ready.hi, is_armed = flip->armed_ns;
	uint32_t n = 0;

	if (is_ready_known && flip->fence_ctx && flip->ready.lo > flip->asked_ns)
		parts[n++] =
			(struct flip_part){ flip->ready.lo, fence, true, LANE_CRITICAL_DEPENDENCY };
	else
		parts[n++] =
			(struct flip_part){ flip->asked_ns, asker, true, LANE_CRITICAL_UNKNOWN };
	parts[n++] = (struct flip_part){ armed_ns, armer, is_ready_known && is_armed,
					 LANE_CRITICAL_UNKNOWN };
	parts[n++] = (struct flip_part){ .to_ns = flip->shown_ns, .kind = LANE_CRITICAL_REFRESH };
	return n;
}

struct lane_error *latency_critical_flip(struct lane_critical *c,
					 const struct lane_timeline *timeline,
					 const struct lane_flip *flip,
					 struct lane_critical_path *path)
{
	struct flip_part parts[4];
	uint32_t n = parts_of(flip, parts);
	uint64_t from_ns = latency_critical_flip_from(flip);
	struct lane_error *err = NULL;

	*path = (struct lane_critical_path){
		.from_ns = from_ns, .to_ns = flip->shown_ns, .end.tid = flip->tid, .flip = flip
	};
	for (uint32_t i = 0; i < n && !err; i++) {
		if (parts[i].to_ns <= from_ns)
			continue;
		err = append_part(c, timeline, from_ns, &parts[i], path);
		from_ns = parts[i].to_ns;
	}
	return err;
}

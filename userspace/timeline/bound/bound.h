/* SPDX-License-Identifier: MIT */
/*
 * A bound: a time, the rule by which it is one, and the event that shows it. It is made with its
 * reason. Where one time follows from another, timeline_bound_of_earlier(),
 * timeline_bound_of_next() and timeline_bound_rule() translate the reason.
 */
#ifndef LANE_TIMELINE_BOUND_H
#define LANE_TIMELINE_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#define LANE_NEVER UINT64_MAX

enum lane_rule {
	LANE_RULE_NONE,
#define RULE(number, name, models, sentence, ...) LANE_RULE_##name = number,
#include "timeline/bound/rules.def"
#undef RULE
	LANE_RULE_COUNT
};

/* The rule's sentence, "" for LANE_RULE_NONE. */
extern const char *const lane_rule_sentences[LANE_RULE_COUNT];

/* Why a time is a bound. event is the number of the event among those that the timeline was given,
 * from 1; 0: no single event shows it. */
struct lane_reason {
	uint64_t rule : 8, event : 56;
};

struct lane_bound {
	uint64_t ns;
	struct lane_reason why;
};

/* A time or a duration that lies in [lo, hi], ns; exact where both are equal. */
struct lane_span {
	uint64_t lo;
	uint64_t hi;
};

/* Why a time lies where it lies. */
struct lane_reasons {
	struct lane_reason lo, hi;
};

/* A time that lies in [lo, hi], ns, and why. */
struct lane_bounds {
	uint64_t lo, hi;
	struct lane_reason lo_why, hi_why;
};

static inline struct lane_bound timeline_bound(uint64_t ns, enum lane_rule rule, uint64_t event)
{
	return (struct lane_bound){ ns, { rule, event } };
}

/* A time that no single event shows. */
static inline struct lane_bound timeline_bound_bare(uint64_t ns)
{
	return timeline_bound(ns, LANE_RULE_NONE, 0);
}

/* The same time and event, by another rule. */
static inline struct lane_bound timeline_bound_by(struct lane_bound bound, enum lane_rule rule)
{
	bound.why.rule = rule;
	return bound;
}

/* The later of both, the first one if they are equal. */
static inline struct lane_bound timeline_bound_later(struct lane_bound a, struct lane_bound b)
{
	return b.ns > a.ns ? b : a;
}

/* The earlier of both, the first one if they are equal. */
static inline struct lane_bound timeline_bound_sooner(struct lane_bound a, struct lane_bound b)
{
	return b.ns < a.ns ? b : a;
}

static inline struct lane_bounds timeline_bounds(struct lane_bound lo, struct lane_bound hi)
{
	return (struct lane_bounds){ lo.ns, hi.ns, lo.why, hi.why };
}

static inline struct lane_bounds timeline_bounds_exact(struct lane_bound at)
{
	return timeline_bounds(at, at);
}

/* The time is known: an event told it as it came. Where no event did, the bounds differ. */
static inline bool timeline_bounds_are_exact(const struct lane_bounds *of)
{
	return of->lo == of->hi;
}

static inline struct lane_bound timeline_bounds_lo(const struct lane_bounds *of)
{
	return (struct lane_bound){ of->lo, of->lo_why };
}

static inline struct lane_bound timeline_bounds_hi(const struct lane_bounds *of)
{
	return (struct lane_bound){ of->hi, of->hi_why };
}

static inline void timeline_bounds_set_lo(struct lane_bounds *of, struct lane_bound lo)
{
	of->lo = lo.ns;
	of->lo_why = lo.why;
}

static inline void timeline_bounds_set_hi(struct lane_bounds *of, struct lane_bound hi)
{
	of->hi = hi.ns;
	of->hi_why = hi.why;
}

/* It is no sooner than `lo`. */
static inline void timeline_bounds_raise(struct lane_bounds *of, struct lane_bound lo)
{
	if (lo.ns > of->lo)
		timeline_bounds_set_lo(of, lo);
}

/* It may be as soon as `lo`. */
static inline void timeline_bounds_lower(struct lane_bounds *of, struct lane_bound lo)
{
	if (lo.ns < of->lo)
		timeline_bounds_set_lo(of, lo);
}

/* It is no later than `hi`. */
static inline void timeline_bounds_cut(struct lane_bounds *of, struct lane_bound hi)
{
	if (hi.ns < of->hi)
		timeline_bounds_set_hi(of, hi);
}

/* It may be as late as `hi`. */
static inline void timeline_bounds_widen(struct lane_bounds *of, struct lane_bound hi)
{
	if (hi.ns > of->hi)
		timeline_bounds_set_hi(of, hi);
}

/* One of both: the bounds take in a and b. */
static inline struct lane_bounds timeline_bounds_hull(struct lane_bounds a,
						      const struct lane_bounds *b)
{
	timeline_bounds_lower(&a, timeline_bounds_lo(b));
	timeline_bounds_widen(&a, timeline_bounds_hi(b));
	return a;
}

static inline struct lane_span timeline_bounds_span(const struct lane_bounds *of)
{
	return (struct lane_span){ of->lo, of->hi };
}

static inline struct lane_reasons timeline_bounds_whys(const struct lane_bounds *of)
{
	return (struct lane_reasons){ of->lo_why, of->hi_why };
}

/* By rule: the rule by which what bounds an end from below, and from above, bounds the start of
 * what is next. */
extern const uint8_t timeline_bound_next_lo[LANE_RULE_COUNT];
extern const uint8_t timeline_bound_next_hi[LANE_RULE_COUNT];

/* What bounds an end from above, as what bounds that of an earlier request: by `rule` if the end
 * itself shows that. */
static inline struct lane_bound timeline_bound_of_earlier(struct lane_bound end,
							  enum lane_rule rule)
{
	return timeline_bound_next_lo[end.why.rule] == LANE_RULE_FREED
		       ? timeline_bound_by(end, rule)
		       : end;
}

/* What bounds an end, as what bounds the start of the next request on that engine, or of its
 * context at a GuC. */
static inline struct lane_bound timeline_bound_of_next(struct lane_bound end, bool is_upper)
{
	end.why.rule = (is_upper ? timeline_bound_next_hi : timeline_bound_next_lo)[end.why.rule];
	return end;
}

/* The times that bounds are told of. */
enum lane_bound_of {
	LANE_BOUND_START,
	LANE_BOUND_LEFT, /* it was preempted */
	LANE_BOUND_END,
	LANE_BOUND_OF_COUNT
};

/* The rule by which what is known of an earlier or a later time bounds this one: what is complete
 * has begun, and what has not begun is not complete. */
enum lane_rule timeline_bound_rule(enum lane_rule rule, enum lane_bound_of what, bool is_upper);

#endif

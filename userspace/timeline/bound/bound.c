// SPDX-License-Identifier: MIT
// What the reason of one time is for another time that follows from it.
#include "timeline/bound/bound.h"

const char *const lane_rule_sentences[LANE_RULE_COUNT] = {
	[LANE_RULE_NONE] = "",
#define RULE(number, name, models, sentence, ...) [LANE_RULE_##name] = sentence,
#include "timeline/bound/rules.def"
#undef RULE
};

/* R16 if it is an end that is known, or one before it; R18 or R19 if a changeover; R31 if the end
 * of a job on a serial ring; else R17. */
const uint8_t timeline_bound_next_lo[LANE_RULE_COUNT] = {
	[LANE_RULE_PROMPT] = LANE_RULE_FREED,	      [LANE_RULE_OUT] = LANE_RULE_FREED,
	[LANE_RULE_SIGNALLED] = LANE_RULE_FREED,      [LANE_RULE_RETIRED] = LANE_RULE_FREED,
	[LANE_RULE_LATER] = LANE_RULE_FREED,	      [LANE_RULE_BEHIND] = LANE_RULE_FREED,
	[LANE_RULE_FREED] = LANE_RULE_FREED,	      [LANE_RULE_LOOKED] = LANE_RULE_AHEAD,
	[LANE_RULE_LISTENED] = LANE_RULE_AHEAD,	      [LANE_RULE_UNHEARD] = LANE_RULE_AHEAD,
	[LANE_RULE_BEGAN] = LANE_RULE_AHEAD,	      [LANE_RULE_WRITTEN] = LANE_RULE_AHEAD,
	[LANE_RULE_HANDED] = LANE_RULE_AHEAD,	      [LANE_RULE_AHEAD] = LANE_RULE_AHEAD,
	[LANE_RULE_LEFT] = LANE_RULE_CHANGEOVER,      [LANE_RULE_CHANGEOVER] = LANE_RULE_CHANGEOVER,
	[LANE_RULE_NEW_SET] = LANE_RULE_NEW_SET,      [LANE_RULE_RING_SIGNAL] = LANE_RULE_RING_FREE,
	[LANE_RULE_DRIVER_IRQ] = LANE_RULE_RING_FREE, [LANE_RULE_RING_FREE] = LANE_RULE_RING_FREE,
	[LANE_RULE_IRQ_WOKEN] = LANE_RULE_RING_FREE,  [LANE_RULE_NOTIFIED] = LANE_RULE_FREED,
};

const uint8_t timeline_bound_next_hi[LANE_RULE_COUNT] = {
	[LANE_RULE_PROMPT] = LANE_RULE_FREED,	      [LANE_RULE_OUT] = LANE_RULE_FREED,
	[LANE_RULE_SIGNALLED] = LANE_RULE_FREED,      [LANE_RULE_RETIRED] = LANE_RULE_FREED,
	[LANE_RULE_LATER] = LANE_RULE_FREED,	      [LANE_RULE_BEHIND] = LANE_RULE_FREED,
	[LANE_RULE_FREED] = LANE_RULE_FREED,	      [LANE_RULE_LEFT] = LANE_RULE_CHANGEOVER,
	[LANE_RULE_OFF_PORTS] = LANE_RULE_CHANGEOVER, [LANE_RULE_CHANGEOVER] = LANE_RULE_CHANGEOVER,
	[LANE_RULE_CENSUS] = LANE_RULE_DEQUEUED,      [LANE_RULE_GONE] = LANE_RULE_DEQUEUED,
	[LANE_RULE_DEQUEUED] = LANE_RULE_DEQUEUED,    [LANE_RULE_RING_SIGNAL] = LANE_RULE_RING_FREE,
	[LANE_RULE_DRIVER_IRQ] = LANE_RULE_RING_FREE, [LANE_RULE_RING_FREE] = LANE_RULE_RING_FREE,
	[LANE_RULE_IRQ_WOKEN] = LANE_RULE_RING_FREE,  [LANE_RULE_NOTIFIED] = LANE_RULE_FREED,
};

static enum lane_rule start_not_before(enum lane_rule rule)
{
	switch (rule) {
	case LANE_RULE_LEFT:
		return LANE_RULE_CHANGEOVER;
	case LANE_RULE_SECTION:
	case LANE_RULE_DEQUEUED:
		return LANE_RULE_NONE;
	default:
		return rule;
	}
}

static enum lane_rule start_not_after(enum lane_rule rule)
{
	switch (rule) {
	case LANE_RULE_PROMPT:
	case LANE_RULE_OUT:
	case LANE_RULE_SIGNALLED:
	case LANE_RULE_RETIRED:
	case LANE_RULE_NOTIFIED:
		return LANE_RULE_ENDED;
	case LANE_RULE_LEFT:
	case LANE_RULE_RING_SIGNAL:
	case LANE_RULE_IRQ_WOKEN:
	case LANE_RULE_DONE:
	case LANE_RULE_DRIVER_IRQ:
		return LANE_RULE_ENDED;
	default:
		return rule;
	}
}

static enum lane_rule end_not_before(enum lane_rule rule)
{
	switch (rule) {
	case LANE_RULE_HANDED:
	case LANE_RULE_WRITTEN:
	case LANE_RULE_FREED:
	case LANE_RULE_AHEAD:
	case LANE_RULE_CHANGEOVER:
	case LANE_RULE_NEW_SET:
	case LANE_RULE_GIVEN:
	case LANE_RULE_RING_FREE:
		return LANE_RULE_BEGAN;
	default:
		return rule;
	}
}

static enum lane_rule end_not_after(enum lane_rule rule)
{
	switch (rule) {
	case LANE_RULE_LEFT:
	case LANE_RULE_CHANGEOVER:
	case LANE_RULE_DEQUEUED:
		return LANE_RULE_GONE;
	case LANE_RULE_FREED:
	case LANE_RULE_WRITTEN:
	case LANE_RULE_HANDED:
		return LANE_RULE_NONE;
	default:
		return rule;
	}
}

enum lane_rule timeline_bound_rule(enum lane_rule rule, enum lane_bound_of what, bool is_upper)
{
	switch (what) {
	case LANE_BOUND_START:
		return is_upper ? start_not_after(rule) : start_not_before(rule);
	case LANE_BOUND_LEFT:
		return rule;
	default:
		return is_upper ? end_not_after(rule) : end_not_before(rule);
	}
}

// SPDX-License-Identifier: MIT
// Whether a GPU's requests will be recorded.
#include "capture/requests.h"

#include <stdio.h>

#include "capture/driver.h"

#define I915_GROUPS (LANE_GROUP_I915 | LANE_GROUP_CONTEXT)
#define GPU_GROUPS  (I915_GROUPS | LANE_GROUP_DRM)

/*
 * True when one of the captures records an event of these groups; else *missing becomes the first
 * reason why not. The snapshot of /proc is no event of anything that happens.
 */
static bool records(const struct lane_capture_kind *const *kinds, size_t n, unsigned int groups,
		    const char **missing)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		if (kind == LANE_STATEDUMP ||
		    !(groups & capture_group_by_name(lane_kinds[kind].group)))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (kinds[i][kind].recorded)
				return true;
			if (!*missing && *kinds[i][kind].missing)
				*missing = kinds[i][kind].missing;
		}
	}
	return false;
}

/* The groups in which a card's requests are. */
static unsigned int groups_of(const struct lane_card *card)
{
	return card->events == LANE_DRIVER_I915	 ? I915_GROUPS
	       : card->events == LANE_DRIVER_DRM ? LANE_GROUP_DRM
						 : 0;
}

/* What is found of the cards whose requests gpulane knows. */
struct cards {
	bool recorded;
	bool unrecorded; /* of one that was asked for no event is; why: of the first */
	bool unasked;	 /* those of one come with another group; likewise */
	char why[192];
	char why_unasked[192];
};

static void check_card(struct cards *found, const struct lane_card *card,
		       const struct lane_capture_kind *const *kinds, size_t n, unsigned int groups)
{
	unsigned int of = groups_of(card);
	const char *missing = NULL;

	if (!of)
		return;
	if (!(of & groups)) {
		if (!found->unasked)
			snprintf(found->why_unasked, sizeof(found->why_unasked),
				 "the driver of %.15s is %.63s, whose requests come with --events "
				 "%s",
				 card->name, card->driver, of & LANE_GROUP_DRM ? "drm" : "i915");
		found->unasked = true;
	} else if (records(kinds, n, of & groups, &missing)) {
		found->recorded = true;
	} else {
		if (!found->unrecorded)
			snprintf(found->why, sizeof(found->why), "%.15s (%.63s): %.100s",
				 card->name, card->driver, missing ? missing : "no event is there");
		found->unrecorded = true;
	}
}

enum lane_requests capture_requests_check(const struct lane_capture_kind *const *kinds, size_t n,
					  unsigned int groups, const char *root, char *why,
					  size_t bytes)
{
	const char *missing = NULL, *missing_else = NULL;
	bool requests = records(kinds, n, groups & GPU_GROUPS, &missing);
	bool others = records(kinds, n, ~0u & ~GPU_GROUPS, &missing_else);
	struct lane_card cards[LANE_MAX_CARDS];
	struct cards found = { 0 };
	size_t n_cards;

	if (!(groups & GPU_GROUPS)) {
		snprintf(why, bytes, "%s", missing_else ? missing_else : "no event is there");
		return others ? LANE_REQUESTS_RECORDED : LANE_REQUESTS_NOTHING;
	}
	n_cards = capture_driver_cards(root, cards);
	for (size_t i = 0; i < n_cards; i++)
		check_card(&found, &cards[i], kinds, n, groups);
	if (found.unrecorded || found.unasked) {
		snprintf(why, bytes, "%s", found.unrecorded ? found.why : found.why_unasked);
		/* What was not asked for is missed only where it is all there is. */
		if (found.unrecorded || !found.recorded)
			return requests || others ? LANE_REQUESTS_UNRECORDED
						  : LANE_REQUESTS_NOTHING;
	}
	if (found.recorded)
		return LANE_REQUESTS_RECORDED;
	if (!capture_driver_absent(root, why, bytes)) {
		if (requests)
			return LANE_REQUESTS_RECORDED;
		snprintf(why, bytes, "%s", missing ? missing : "no event is there");
	}
	return requests || others ? LANE_REQUESTS_UNRECORDED : LANE_REQUESTS_NOTHING;
}

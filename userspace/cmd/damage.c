// SPDX-License-Identifier: MIT
// What is said of recordings that are damaged, cut short or not understood.
#include "cmd/damage.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/stop.h"

#define MOST_TOLD 20 /* places that are told one by one */

struct lane_error *lane_damage_take(struct lane_damage *damage, struct lane_error *err)
{
	if (lane_stop_signal) {
		lane_error_free(err);
		return lane_error("interrupted");
	}
	if (err == &lane_enomem || lane_error_code(err) != LANE_ERROR_FAILED)
		return err;
	if (damage->last && damage->n <= MOST_TOLD && damage->n > damage->before && !damage->quiet)
		fprintf(stderr, "gpulane: %s: %s\n", damage->command,
			lane_error_message(damage->last));
	lane_error_free(damage->last);
	damage->last = err;
	damage->n++;
	return NULL;
}

struct lane_error *lane_damage_end(struct lane_damage *damage)
{
	struct lane_error *last = LANE_TAKE(damage->last);

	if (damage->n <= MOST_TOLD + 1)
		return last;
	return lane_error_context(last, "%" PRIu64 " more places are damaged, the last",
				  damage->n - MOST_TOLD);
}

void lane_say_endings(const struct lane_input *input, size_t n, const char *command)
{
	for (size_t host = 0; host < n; host++) {
		const char *ending = lane_input_ending(input, host);

		if (ending && n > 1)
			fprintf(stderr, "gpulane: %s: recording %zu: %s\n", command, host, ending);
		else if (ending)
			fprintf(stderr, "gpulane: %s: %s\n", command, ending);
	}
}

void lane_say_readers(const struct lane_input *input, const char *command)
{
	const char *how, *path;

	for (size_t i = 0; (how = lane_input_how(input, i, &path)); i++)
		if (*how)
			fprintf(stderr, "gpulane: %s: %s: %s\n", command, path, how);
}

/* There are events, and none of them is known: an error, not a remark. */
static bool knows_none(const struct lane_input_counts *counts)
{
	return counts->skipped && counts->delivered <= counts->losses;
}

void lane_say_counts(const struct lane_input *input, const char *command)
{
	struct lane_input_counts counts;

	lane_input_counts(input, &counts);
	if (knows_none(&counts))
		return;
#define WARN(field, text)                                                                          \
	do {                                                                                       \
		if (counts.field)                                                                  \
			fprintf(stderr, "gpulane: %s: %" PRIu64 " " text "\n", command,            \
				counts.field);                                                     \
	} while (0)
	WARN(skipped, "events are of other kinds and left out");
	WARN(moved, "events had a time before their predecessor's and were given that one's");
	WARN(ambiguous, "fence events tell 32 bits of their context, which several contexts share: "
			"signals among them count as lost");
	WARN(untracked, "requests' ends could not be told from the driver's global seqno");
#undef WARN
}

struct lane_error *lane_check_known(const struct lane_input *input, const char *path)
{
	struct lane_input_counts counts;

	lane_input_counts(input, &counts);
	if (!knows_none(&counts))
		return NULL;
	return lane_error("%s: none of its %" PRIu64 " events is of a kind that is known "
			  "(gpulane-record(1) tells what to record)",
			  path, counts.skipped);
}

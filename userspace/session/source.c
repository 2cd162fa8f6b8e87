// SPDX-License-Identifier: MIT
// Opens recordings, hands out their events, and says what was wrong with them.
#include "session/source.h"

#include <inttypes.h>

#include "base/clean.h"
#include "base/stop.h"

struct lane_error *session_source_open(struct session_source *source,
				       const struct lane_place *places, size_t n)
{
	const struct lane_input_options options = { .prefer = source->prefer,
						    .has_foresight = source->has_foresight };

	source->path = places->n_traces ? places->traces[0] : places->path;
	source->n_places = n;
	return norm_input_open_places(places, n, &options, &source->input);
}

struct lane_error *session_source_go_on(struct session_source *source, struct lane_error *err,
					const struct lane_event **event)
{
	while (err && !source->is_strict) {
		err = session_damage_take(&source->damage, err);
		if (err)
			return err;
		err = norm_input_next(source->input, event);
	}
	return err;
}

void session_source_say_endings(const struct session_source *source)
{
	for (size_t host = 0; host < source->n_places; host++) {
		const char *ending = norm_input_ending(source->input, host);

		if (ending && source->n_places > 1)
			fprintf(stderr, "gpulane: %s: recording %zu: %s\n", source->damage.command,
				host, ending);
		else if (ending)
			fprintf(stderr, "gpulane: %s: %s\n", source->damage.command, ending);
	}
}

/* There are events, and none of them is known: an error, not a remark. */
static bool knows_none(const struct lane_input_counts *counts)
{
	return counts->skipped && counts->delivered <= counts->silent;
}

static void say_left_out(const struct session_source *source,
			 const struct lane_input_counts *counts)
{
	if (!counts->skipped)
		return;
	fprintf(stderr, "gpulane: %s: %" PRIu64 " %s and left out", source->damage.command,
		counts->skipped,
		counts->skipped == 1 ? "event is of another kind" : "events are of other kinds");
	if (*counts->left_out) {
		fputs(": ", stderr);
		lane_clean_print(stderr, counts->left_out);
	}
	fputc('\n', stderr);
}

void session_source_say_counts(const struct session_source *source)
{
	struct lane_input_counts counts;

	norm_input_counts(source->input, &counts);
	if (knows_none(&counts))
		return;
#define WARN(field, one, many)                                                                     \
	do {                                                                                       \
		if (counts.field)                                                                  \
			fprintf(stderr, "gpulane: %s: %" PRIu64 " %s\n", source->damage.command,   \
				counts.field, counts.field == 1 ? one : many);                     \
	} while (0)
	say_left_out(source, &counts);
	WARN(late, "event stands behind a later one: it counts as lost",
	     "events stand behind later ones: they count as lost");
	WARN(ambiguous,
	     "fence event tells 32 bits of its context, which several contexts share: nothing is "
	     "concluded from it",
	     "fence events tell 32 bits of their context, which several contexts share: nothing is "
	     "concluded from them");
	WARN(untracked, "request's end could not be told from the driver's global seqno",
	     "requests' ends could not be told from the driver's global seqno");
#undef WARN
}

struct lane_error *session_source_check_known(const struct session_source *source)
{
	struct lane_input_counts counts;

	norm_input_counts(source->input, &counts);
	if (!knows_none(&counts))
		return NULL;
	return lane_error(
		"%s: none of its %" PRIu64 " events is of a kind that is known%s%s: record "
		"i915:*, or gpu_scheduler:* and dma_fence:*, and sched:* "
		"(gpulane-record(1))",
		source->path, counts.skipped, *counts.left_out ? ", as " : "", counts.left_out);
}

void session_source_close(struct session_source *source)
{
	norm_input_close(source->input);
	source->input = NULL;
}

void session_source_end(struct session_source *source)
{
	session_damage_tell(&source->damage, session_damage_end(&source->damage, NULL));
	if (source->input) {
		session_source_say_endings(source);
		session_source_say_counts(source);
	}
	session_source_close(source);
}

// SPDX-License-Identifier: MIT
// What is said of recordings that are damaged.
#include "session/damage.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/stop.h"

#define MOST_TOLD 20 /* places that are told one by one */

struct lane_error *session_damage_take(struct session_damage *damage, struct lane_error *err)
{
	if (lane_stop_signal) {
		lane_error_free(err);
		return lane_error("interrupted");
	}
	if (err == &lane_enomem || lane_error_code(err) != LANE_ERROR_FAILED)
		return err;
	if (damage->n <= MOST_TOLD && damage->n > damage->before && !damage->is_quiet)
		session_damage_tell(damage, LANE_TAKE(damage->last));
	lane_error_free(damage->last);
	damage->last = err;
	damage->n++;
	return NULL;
}

void session_damage_tell(const struct session_damage *damage, struct lane_error *err)
{
	if (err)
		fprintf(stderr, "gpulane: %s: %s\n", damage->command, lane_error_message(err));
	lane_error_free(err);
}

struct lane_error *session_damage_end(struct session_damage *damage, struct lane_error *err)
{
	struct lane_error *last = LANE_TAKE(damage->last);

	if (damage->n > MOST_TOLD + 1)
		last = lane_error_context(last, "%" PRIu64 " more places are damaged, the last",
					  damage->n - MOST_TOLD);
	if (!err)
		return last;
	session_damage_tell(damage, last);
	return err;
}

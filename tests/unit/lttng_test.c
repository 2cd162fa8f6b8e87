// SPDX-License-Identifier: MIT
// What LTTng's session daemon says of a session's losses, and what is made of it.
#include "check.h"

#include <stdlib.h>

#include "capture/lttng_session.h"

/* --- a daemon that says what it is told to, in place of LTTng's library. Its functions have other
 * names here: newer headers declare them with const. --- */

int says_channels(const struct lttng_handle *handle,
		  struct lttng_channel **channels) __asm__("lttng_list_channels");
int says_discarded(const struct lttng_channel *channel,
		   uint64_t *count) __asm__("lttng_channel_get_discarded_event_count");
int says_lost(const struct lttng_channel *channel,
	      uint64_t *count) __asm__("lttng_channel_get_lost_packet_count");

static struct {
	int n_channels; /* or the error */
	int error;	/* of the counts */
	uint64_t discarded;
	uint64_t lost_packets;
} daemon_says;

int says_channels(const struct lttng_handle *handle, struct lttng_channel **channels)
{
	(void)handle;
	if (daemon_says.n_channels > 0)
		*channels = calloc((size_t)daemon_says.n_channels, sizeof(**channels));
	return daemon_says.n_channels;
}

int says_discarded(const struct lttng_channel *channel, uint64_t *count)
{
	(void)channel;
	*count = daemon_says.discarded;
	return daemon_says.error;
}

int says_lost(const struct lttng_channel *channel, uint64_t *count)
{
	(void)channel;
	*count = daemon_says.lost_packets;
	return daemon_says.error;
}

/* --- */

static uint64_t lost_of(uint64_t discarded, uint64_t lost_packets)
{
	struct lane_lttng_session session = { .lost = 7 };

	daemon_says.n_channels = 1;
	daemon_says.error = 0;
	daemon_says.discarded = discarded;
	daemon_says.lost_packets = lost_packets;
	capture_lttng_read_lost(&session);
	return session.lost;
}

TEST(events_and_packets_are_lost)
{
	assert_int_equal(lost_of(0, 0), 0);
	assert_int_equal(lost_of(66766, 0), 66766);
	assert_int_equal(lost_of(66766, 3), 66769);
}

/* The daemon's sum over the packets of a stream, as LTTng 2.13's consumer makes it. */
static uint64_t sum_of(const uint64_t *counts, size_t n)
{
	uint64_t last = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += counts[i] < last ? (1ull << 63) - last + counts[i] : counts[i] - last;
		last = counts[i];
	}
	return sum;
}

TEST(a_count_that_goes_back_loses_nothing)
{
	static const uint64_t once[] = { 0, 9, 4, 12 };
	static const uint64_t last[] = { 5, 9, 4 };
	static const uint64_t twice[] = { 3, 900, 4, 500, 120, 34521 };

	assert_true(sum_of(once, 4) > 1ull << 62);
	assert_int_equal(lost_of(sum_of(once, 4), 0), 12);
	assert_int_equal(lost_of(sum_of(last, 3), 0), 4);
	assert_int_equal(lost_of(sum_of(twice, 6), 0), 34521);
	assert_int_equal(lost_of(sum_of(once, 4) + sum_of(last, 3), 2), 18);
}

TEST(a_daemon_that_says_nothing_changes_nothing)
{
	struct lane_lttng_session session = { .lost = 7 };

	daemon_says.n_channels = -LTTNG_ERR_NO_SESSIOND;
	capture_lttng_read_lost(&session);
	assert_int_equal(session.lost, 7);
	daemon_says.n_channels = 1;
	daemon_says.error = -LTTNG_ERR_INVALID;
	capture_lttng_read_lost(&session);
	assert_int_equal(session.lost, 7);
}

// SPDX-License-Identifier: MIT
// libFuzzer: packets of two machines, matched, and what follows for their clocks. Times on the line
// lie within the bounds and never go back.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode/known_names.h"
#include "norm/tcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* What the bytes of one event say: a small world, so that packets meet. */
struct said {
	uint8_t what; /* bits 0, 1: the kind; 2: a loss; 3: of the other machine; 4 to 7: how long
			 after */
	uint8_t seq, ack, flags;
	uint8_t ports, sk;
	uint16_t later;
};

static void check_line(const struct lane_sync *sync)
{
	uint64_t lo, hi, before = 0;
	struct lane_sync_map map;

	if (!clock_sync_map(sync, &map))
		return;
	for (int i = -4; i <= 4; i++) {
		uint64_t other = sync->last_other + (uint64_t)((int64_t)i * 1000000007);
		uint64_t at = clock_sync_map_ns(&map, other);

		if (other > sync->last_other && i < 0)
			continue; /* before the beginning of time */
		if (!clock_sync_bounds(sync, other, &lo, &hi))
			abort();
		if (at + 2 < lo || at > hi + 2 || at < before)
			abort();
		before = at;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_tcp *machines[2] = { norm_tcp_create(), norm_tcp_create() };
	uint64_t now[2] = { 1ull << 62, 1ull << 62 };
	struct lane_tcp_match match;
	struct lane_sync sync;

	for (; bytes >= sizeof(struct said);
	     data += sizeof(struct said), bytes -= sizeof(struct said)) {
		struct lane_event event;
		struct said said;
		int machine;

		memcpy(&said, data, sizeof(said));
		machine = said.what >> 3 & 1;
		now[machine] += (uint64_t)said.later << 2 * (said.what >> 4);
		decode_event_clear(&event, said.what & 4 ? (int)LANE_LOST
							 : (int)LANE_INET_OUT + (said.what & 3));
		event.wire.ts_ns = now[machine];
		if (said.what & 4) {
			event.u.gpulane_lost.end_ns = now[machine];
			event.u.gpulane_lost.begin_ns = now[machine] - said.seq * 1000u;
		} else {
			event.u.net_dev_queue.seq = said.seq % 16;
			event.u.net_dev_queue.ack_seq = said.ack % 4;
			event.u.net_dev_queue.flags = said.flags % 4;
			event.u.net_dev_queue.source_port = said.ports % 3;
			event.u.net_dev_queue.dest_port = said.ports / 3 % 3;
			event.u.net_dev_queue.sk = said.sk % 4;
		}
		if (!norm_tcp_take(machines[machine], &event))
			abort();
	}
	if (norm_tcp_match(machines[0], machines[1], &sync, &match))
		abort();
	if (match.there + match.back != sync.pairs)
		abort();
	check_line(&sync);
	norm_tcp_destroy(machines[0]);
	norm_tcp_destroy(machines[1]);
	return 0;
}

// SPDX-License-Identifier: MIT
// norm/tcp.c: which packets of two machines count, by the two rules of docs/machines.md.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "norm/tcp.h"
#include "check.h"

#define AHEAD 50000000 /* the second machine's clock */
#define ACK   0x10

enum {
	OUR_PORT = 5001,
	THEIR_PORT = 22,
	SOCKET = 77,
};

static struct lane_tcp *first, *other;

static int set_up(void **state)
{
	(void)state;
	first = norm_tcp_create();
	other = norm_tcp_create();
	return first && other ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	norm_tcp_destroy(first);
	norm_tcp_destroy(other);
	return 0;
}

/* A packet of the first machine's connection, from there to the other. */
static struct lane_event packet(enum lane_kind kind, uint64_t ns, uint32_t seq)
{
	struct lane_event event = { .wire = { .ts_ns = ns, .kind = kind, .tid = -1, .pid = -1 } };

	event.u.net_dev_queue.sk = SOCKET;
	event.u.net_dev_queue.seq = seq;
	event.u.net_dev_queue.ack_seq = 9;
	event.u.net_dev_queue.flags = ACK;
	event.u.net_dev_queue.source_port = OUR_PORT;
	event.u.net_dev_queue.dest_port = THEIR_PORT;
	return event;
}

static void take(struct lane_tcp *machine, struct lane_event event)
{
	assert_true(norm_tcp_take(machine, &event));
}

static void send(uint64_t ns, uint32_t seq)
{
	take(first, packet(LANE_NET_QUEUE, ns, seq));
}

static void receive(uint64_t ns, uint32_t seq)
{
	take(other, packet(LANE_NET_RECEIVE, ns + AHEAD, seq));
}

/* It is sent, and arrives 200 ns later. */
static void pass(uint64_t ns, uint32_t seq)
{
	send(ns, seq);
	receive(ns + 200, seq);
}

static void lose(struct lane_tcp *machine, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_event event = { .wire = { .ts_ns = end_ns, .kind = LANE_LOST } };

	event.u.gpulane_lost.begin_ns = begin_ns;
	event.u.gpulane_lost.end_ns = end_ns;
	take(machine, event);
}

/* So many packets count, and so many do not by each of the rules. */
static void expect(uint64_t used, uint64_t ambiguous, uint64_t unproven)
{
	struct lane_tcp_match match;
	struct lane_sync sync;

	assert_null(norm_tcp_match(first, other, &sync, &match));
	assert_int_equal(match.there, used);
	assert_int_equal(match.back, 0);
	assert_int_equal(match.ambiguous, ambiguous);
	assert_int_equal(match.unproven, unproven);
}

/* The first packet of a connection proves nothing, the next one counts by it. */
TEST_IN(set_up, tear_down, counts_behind_the_first)
{
	pass(1000, 1);
	pass(2000, 2);
	expect(1, 0, 1);
}

/* Both ways bound the clocks' distance, and the truth lies within. */
TEST_IN(set_up, tear_down, ties_by_both_ways)
{
	struct lane_tcp_match match;
	struct lane_sync sync;
	uint64_t lo_ns, hi_ns;

	for (uint64_t ns = 1000; ns < 100000; ns += 1000) {
		send(ns, (uint32_t)ns);
		receive(ns + 200, (uint32_t)ns);
		take(other, packet(LANE_NET_QUEUE, ns + 300 + AHEAD, (uint32_t)ns));
		take(first, packet(LANE_NET_RECEIVE, ns + 500, (uint32_t)ns));
	}
	assert_null(norm_tcp_match(first, other, &sync, &match));
	assert_int_equal(match.there, 98);
	assert_int_equal(match.back, 98);
	assert_int_equal(match.unproven, 2);
	assert_int_equal(clock_sync_state(&sync), LANE_SYNC_BOUND);
	assert_true(clock_sync_bounds(&sync, 50000 + AHEAD, &lo_ns, &hi_ns));
	assert_between(50000, lo_ns, hi_ns);
	assert_between(hi_ns - lo_ns, 1, 500);
}

/* Rule 1: what was sent twice alike. */
TEST_IN(set_up, tear_down, leaves_out_a_repetition)
{
	pass(1000, 1);
	send(2000, 2);
	pass(2500, 2);
	pass(3000, 3);
	expect(1, 1, 1);
}

/* Rule 1: what was received twice alike; each of the two arrivals is told of. */
TEST_IN(set_up, tear_down, leaves_out_a_double)
{
	pass(1000, 1);
	pass(2000, 2);
	receive(2300, 2);
	pass(3000, 3);
	expect(1, 2, 1);
}

/* Rule 1: other ports, another acknowledgement and other flags are other packets. */
TEST_IN(set_up, tear_down, tells_packets_apart)
{
	struct lane_event sent = packet(LANE_NET_QUEUE, 2100, 2);

	pass(1000, 1);
	send(2000, 2);
	sent.u.net_dev_queue.source_port = 4000;
	take(first, sent);
	sent.u.net_dev_queue.source_port = OUR_PORT;
	sent.u.net_dev_queue.ack_seq = 10;
	take(first, sent);
	sent.u.net_dev_queue.ack_seq = 9;
	sent.u.net_dev_queue.flags = ACK | 8;
	take(first, sent);
	receive(2200, 2);
	expect(1, 0, 1);
}

/* Rule 1: where one of the two does not say its ports these tell nothing apart. */
TEST_IN(set_up, tear_down, matches_without_ports)
{
	struct lane_event sent = packet(LANE_NET_QUEUE, 2100, 2);

	pass(1000, 1);
	sent.u.net_dev_queue.source_port = sent.u.net_dev_queue.dest_port = 0;
	take(first, sent);
	receive(2200, 2);
	expect(1, 0, 1);
}

/* What is sent is not what was received, be it alike; nor is it of the tracer's other events. */
TEST_IN(set_up, tear_down, keeps_ways_apart)
{
	pass(1000, 1);
	take(first, packet(LANE_NET_RECEIVE, 1900, 2));
	send(2000, 2);
	take(other, packet(LANE_INET_IN, 2100 + AHEAD, 2));
	receive(2200, 2);
	expect(1, 0, 1);
}

/*
 * Rule 2: the sending of packet 2 was lost by the tracer, the packet arrived; TCP repeated it, and
 * the repetition, which was recorded, was lost on its way. It came after the arrival.
 */
TEST_IN(set_up, tear_down, takes_no_repetition_for_the_first)
{
	pass(1000, 1);
	lose(first, 1900, 2100);
	receive(2200, 2);
	send(2900, 2);
	pass(3000, 3);
	expect(1, 0, 2);
}

/* Rule 2: a loss counts from the anchor's sending to the packet's, both included. */
TEST_IN(set_up, tear_down, looks_between_the_two)
{
	lose(first, 100, 999);
	pass(1000, 1);
	pass(2000, 2); /* counts: the loss was before the anchor */
	lose(first, 3000, 3000);
	pass(3000, 3); /* does not */
	pass(4000, 4); /* does not: the loss was as packet 3 was sent */
	pass(5000, 5); /* counts */
	lose(first, 6000, 6500);
	pass(6000, 6); /* does not */
	expect(2, 0, 4);
}

/* Rule 2: a longer loss that began before others still reaches over them. */
TEST_IN(set_up, tear_down, remembers_the_longest_loss)
{
	lose(first, 600, 700);
	lose(first, 500, 2500);
	pass(1000, 1);
	lose(first, 800, 900);
	pass(2000, 2);
	expect(0, 0, 2);
}

/* Rule 2: what the receiver has lost hides no sending. */
TEST_IN(set_up, tear_down, needs_the_sender_only)
{
	pass(1000, 1);
	lose(other, 1300 + AHEAD, 2100 + AHEAD);
	pass(2000, 2);
	expect(1, 0, 1);
}

/* Rule 2: another connection's packet is no anchor. */
TEST_IN(set_up, tear_down, anchors_in_its_connection)
{
	struct lane_event sent = packet(LANE_NET_QUEUE, 2000, 2);
	struct lane_event received = packet(LANE_NET_RECEIVE, 2200 + AHEAD, 2);

	pass(1000, 1);
	sent.u.net_dev_queue.source_port = received.u.net_dev_queue.source_port = 4000;
	take(first, sent);
	take(other, received);
	expect(0, 0, 2);
}

/* Rule 2: what was sent before the anchor and arrived after it was sent again, or overtaken. */
TEST_IN(set_up, tear_down, needs_the_order)
{
	send(1000, 1);
	pass(2000, 2);
	receive(2300, 1);
	pass(3000, 3);
	expect(1, 0, 2);
}

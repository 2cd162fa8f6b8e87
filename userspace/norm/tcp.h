/* SPDX-License-Identifier: MIT */
/*
 * Packets of TCP that two machines have seen: which of them are the same, and what follows for the
 * machines' clocks. A packet is sent before it is received.
 */
#ifndef LANE_NORM_TCP_H
#define LANE_NORM_TCP_H

#include "norm/norm.h"

struct lane_tcp;

/* The packets of one machine, none yet. NULL: no memory. */
struct lane_tcp *norm_tcp_create(void);

/* An event of the machine, by its own clock and in the order of time; any kind. False: no memory.
 */
bool norm_tcp_take(struct lane_tcp *packets, const struct lane_event *event);

/* What two machines' packets have in common. */
struct lane_tcp_match {
	uint64_t there, back; /* packets of which the order of sending and receiving was used */
	uint64_t ambiguous;   /* on one of the machines several were alike */
	uint64_t unproven;    /* the one sent may be a repetition of the one received */
};

/*
 * Matches the packets of both machines and takes what follows into sync, whose CPU is the first
 * machine.
 */
struct lane_error *norm_tcp_match(struct lane_tcp *first, struct lane_tcp *other,
				  struct lane_sync *sync,
				  struct lane_tcp_match *match) LANE_MUST_CHECK;

/* NULL is allowed. */
void norm_tcp_destroy(struct lane_tcp *packets);

#endif

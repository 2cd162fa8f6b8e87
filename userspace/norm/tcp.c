// SPDX-License-Identifier: MIT
// Matches packets of TCP that two machines have seen.
//
// A packet is known by its sequence number, its acknowledgement, its flags and, where both sides
// say them, its ports. What a machine has sent, or received, twice alike is left out: nobody can
// tell which is which.
//
// That is not enough where a tracer has missed an event, or began late: a segment is sent (not
// recorded), received, repeated by TCP (recorded), and the repetition is lost on its way. Then the
// one sending that is known comes after the one arrival that is known. So a pair counts only where
// no sending can have been missed: an earlier packet of the same connection was matched, and from
// its sending on up to this one the sender's tracer has lost nothing. TCP sends what is new in
// order, and packets of one connection arrive in order: what arrived later than that one was first
// sent later.
#include "norm/tcp.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vector.h"

enum {
	MOST_PACKETS = 1 << 20, /* of one machine; beyond that a share of all is kept */
	MOST_LOSSES = 1 << 20,
	MOST_TRIES = 512, /* in a table of which half is free, chance makes 70 */
};

struct packet {
	uint64_t hash; /* of what both machines say of it */
	uint64_t flow; /* the connection, by what this machine says */
	uint64_t ns;
	uint32_t seq, ack_seq, flags;
	uint16_t source_port, dest_port;
	bool is_out;
	bool is_doubled; /* the machine has sent, or received, several alike */
};

struct loss_span {
	uint64_t begin_ns, end_ns;
};

struct lane_tcp {
	struct packet *packets;
	struct loss_span *losses;
	size_t n, cap, n_losses, cap_losses;
	/* Kept are the packets whose hash has so many zeros at its end: of both machines the same.
	 */
	unsigned int thinned;
	bool has_lost_all; /* more losses than are kept: all of it may be one */
	uint32_t *slots;   /* of packets sent, by hash: a number from 1 on */
	size_t mask;
};

/* One pair whose order is known. */
struct ordered_pair {
	uint64_t first_ns, other_ns;
	bool is_before;
};

struct ordered_pairs {
	struct ordered_pair *pairs;
	size_t n, cap;
};

/* The last packet of a connection that was matched. */
struct anchor {
	uint64_t flow;
	uint64_t sent_ns;
	bool is_used;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value;
	hash *= 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

struct lane_tcp *norm_tcp_create(void)
{
	return calloc(1, sizeof(struct lane_tcp));
}

void norm_tcp_destroy(struct lane_tcp *packets)
{
	if (!packets)
		return;
	free(packets->packets);
	free(packets->losses);
	free(packets->slots);
	free(packets);
}

static bool is_kept(const struct lane_tcp *packets, uint64_t hash)
{
	return !(hash & ((1ull << packets->thinned) - 1));
}

/* Half of what is kept goes, the same half on every machine. */
static void thin_out(struct lane_tcp *packets)
{
	size_t n = 0;

	packets->thinned++;
	for (size_t i = 0; i < packets->n; i++)
		if (is_kept(packets, packets->packets[i].hash))
			packets->packets[n++] = packets->packets[i];
	packets->n = n;
}

static bool tcp_take_loss(struct lane_tcp *packets, const struct lane_p_gpulane_lost *lost)
{
	if (packets->n_losses == MOST_LOSSES) {
		packets->has_lost_all = true;
		return true;
	}
	if (!LANE_GROW(packets->losses, packets->cap_losses, packets->n_losses + 1))
		return false;
	packets->losses[packets->n_losses++] = (struct loss_span){ lost->begin_ns, lost->end_ns };
	return true;
}

bool norm_tcp_take(struct lane_tcp *packets, const struct lane_event *event)
{
	const struct lane_p_net_dev_queue *said = &event->u.net_dev_queue; /* all have its fields */
	uint32_t kind = event->wire.kind;
	bool is_socket = kind == LANE_INET_OUT || kind == LANE_INET_IN;
	uint64_t hash, ports = (uint64_t)said->source_port << 16 | said->dest_port;

	if (kind == LANE_LOST)
		return tcp_take_loss(packets, &event->u.gpulane_lost);
	if (!lane_is_packet(kind) || !said->flags)
		return true;
	hash = mix((uint64_t)said->seq << 32 | said->ack_seq, said->flags);
	/* The tracer's two ways of seeing a packet write its flags differently. */
	hash = mix(hash, is_socket);
	if (!is_kept(packets, hash))
		return true;
	while (packets->n >= MOST_PACKETS && packets->thinned < 63)
		thin_out(packets);
	if (!is_kept(packets, hash))
		return true;
	if (!LANE_GROW(packets->packets, packets->cap, packets->n + 1))
		return false;
	packets->packets[packets->n++] = (struct packet){
		.hash = hash,
		.flow = mix(mix(said->sk, ports), is_socket),
		.ns = event->wire.ts_ns,
		.seq = said->seq,
		.ack_seq = said->ack_seq,
		.flags = said->flags,
		.source_port = said->source_port,
		.dest_port = said->dest_port,
		.is_out = kind == LANE_INET_OUT || kind == LANE_NET_QUEUE,
	};
	return true;
}

static bool are_alike(const struct packet *a, const struct packet *b)
{
	bool say_ports = (a->source_port || a->dest_port) && (b->source_port || b->dest_port);

	return a->hash == b->hash && a->seq == b->seq && a->ack_seq == b->ack_seq &&
	       a->flags == b->flags &&
	       (!say_ports || (a->source_port == b->source_port && a->dest_port == b->dest_port));
}

/*
 * The first packet of that direction that is like this one, or the slot where it would be. NULL:
 * too many that are not like it stand before that.
 */
static uint32_t *tcp_find(const struct lane_tcp *packets, const struct packet *like, bool is_out)
{
	size_t at = (size_t)(like->hash >> 20) & packets->mask;

	for (int tries = 0; tries < MOST_TRIES; tries++) {
		uint32_t *slot = &packets->slots[at];

		if (!*slot || (packets->packets[*slot - 1].is_out == is_out &&
			       are_alike(&packets->packets[*slot - 1], like)))
			return slot;
		at = (at + 1) & packets->mask;
	}
	return NULL;
}

/* All packets into a table; of those that are alike the first one, which is marked. */
static bool index_packets(struct lane_tcp *packets)
{
	size_t slots = 64;

	while (slots < 2 * packets->n)
		slots *= 2;
	free(packets->slots);
	packets->mask = slots - 1;
	packets->slots = calloc(slots, sizeof(*packets->slots));
	if (!packets->slots)
		return false;
	for (size_t i = 0; i < packets->n; i++) {
		struct packet *packet = &packets->packets[i];
		uint32_t *slot = tcp_find(packets, packet, packet->is_out);

		if (!slot) /* as good as doubled: nobody finds it */
			packet->is_doubled = true;
		else if (*slot)
			packets->packets[*slot - 1].is_doubled = packet->is_doubled = true;
		else
			*slot = (uint32_t)i + 1;
	}
	return true;
}

static int compare_losses(const void *left, const void *right)
{
	const struct loss_span *a = left, *b = right;

	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* Sorts the losses; each one's end becomes that of all up to it. */
static void order_losses(struct lane_tcp *packets)
{
	uint64_t end_ns = 0;

	if (packets->n_losses)
		qsort(packets->losses, packets->n_losses, sizeof(*packets->losses), compare_losses);
	for (size_t i = 0; i < packets->n_losses; i++) {
		if (packets->losses[i].end_ns > end_ns)
			end_ns = packets->losses[i].end_ns;
		packets->losses[i].end_ns = end_ns;
	}
}

/* True when something may have been lost between the two times. */
static bool has_lost(const struct lane_tcp *packets, uint64_t from_ns, uint64_t to_ns)
{
	size_t lo = 0, hi = packets->n_losses;

	if (packets->has_lost_all)
		return true;
	/* The last loss that begins by to_ns: it, or one before, may reach behind from_ns. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (packets->losses[mid].begin_ns <= to_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && packets->losses[lo - 1].end_ns >= from_ns;
}

/* A connection's; where too many others stand before it, one of theirs is forgotten. */
static struct anchor *find_anchor(struct anchor *anchors, size_t mask, uint64_t flow)
{
	size_t at = (size_t)(flow >> 7) & mask;

	for (int tries = 0; anchors[at].is_used && anchors[at].flow != flow; tries++) {
		if (tries < MOST_TRIES)
			at = (at + 1) & mask;
		else
			anchors[at] = (struct anchor){ 0 };
	}
	return &anchors[at];
}

static bool tcp_keep(struct ordered_pairs *pairs, const struct ordered_pair *pair)
{
	if (!LANE_GROW(pairs->pairs, pairs->cap, pairs->n + 1))
		return false;
	pairs->pairs[pairs->n++] = *pair;
	return true;
}

/* What one machine sent and the other received. */
static bool match_way(const struct lane_tcp *from, const struct lane_tcp *to, bool is_from_first,
		      struct ordered_pairs *pairs, struct lane_tcp_match *match)
{
	LANE_CLEANUP(lane_free) struct anchor *anchors = calloc(to->mask + 1, sizeof(*anchors));

	if (!anchors)
		return false;
	for (size_t i = 0; i < to->n; i++) {
		const struct packet *in = &to->packets[i], *out;
		struct anchor *anchor;
		struct ordered_pair pair;
		bool is_proven;
		const uint32_t *slot;

		if (in->is_out)
			continue;
		slot = tcp_find(from, in, true);
		if (!slot || !*slot)
			continue;
		out = &from->packets[*slot - 1];
		if (in->is_doubled || out->is_doubled) {
			match->ambiguous++;
			continue;
		}
		anchor = find_anchor(anchors, to->mask, in->flow);
		is_proven = anchor->is_used && out->ns > anchor->sent_ns &&
			    !has_lost(from, anchor->sent_ns, out->ns);
		if (!anchor->is_used || out->ns > anchor->sent_ns)
			*anchor = (struct anchor){ in->flow, out->ns, true };
		if (!is_proven) {
			match->unproven++;
			continue;
		}
		pair.first_ns = is_from_first ? out->ns : in->ns;
		pair.other_ns = is_from_first ? in->ns : out->ns;
		pair.is_before = is_from_first;
		if (!tcp_keep(pairs, &pair))
			return false;
		*(is_from_first ? &match->there : &match->back) += 1;
	}
	return true;
}

/* An order that depends on nothing but what the pairs say. */
static int compare_pairs(const void *left, const void *right)
{
	const struct ordered_pair *a = left, *b = right;

	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	if (a->other_ns != b->other_ns)
		return a->other_ns < b->other_ns ? -1 : 1;
	return (int)a->is_before - (int)b->is_before;
}

struct lane_error *norm_tcp_match(struct lane_tcp *first, struct lane_tcp *other,
				  struct lane_sync *sync, struct lane_tcp_match *match)
{
	struct ordered_pairs pairs = { 0 };
	bool ok;

	*match = (struct lane_tcp_match){ 0 };
	clock_sync_init(sync, 1);
	while (first->thinned < other->thinned)
		thin_out(first);
	while (other->thinned < first->thinned)
		thin_out(other);
	order_losses(first);
	order_losses(other);
	ok = index_packets(first) && index_packets(other) &&
	     match_way(first, other, true, &pairs, match) &&
	     match_way(other, first, false, &pairs, match);
	if (ok && pairs.n)
		qsort(pairs.pairs, pairs.n, sizeof(*pairs.pairs), compare_pairs);
	for (size_t i = 0; ok && i < pairs.n; i++)
		(pairs.pairs[i].is_before ? clock_sync_before : clock_sync_after)(
			sync, pairs.pairs[i].first_ns, pairs.pairs[i].other_ns);
	free(pairs.pairs);
	return ok ? NULL : &lane_enomem;
}

/* SPDX-License-Identifier: MIT */
/*
 * The head of a CTF packet as it lies in the file; private to the CTF writer (ctf.c streams,
 * ctf_packet.c files, ctf_tsdl.c the metadata that describes it).
 */
#ifndef LANE_BASE_CTF_PACKET_H
#define LANE_BASE_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ctf.h"

#define LANE_CTF_MAGIC 0xc1fc1fc1u

/* The id of the streams whose packets name no CPU. */
#define LANE_CTF_FREE 1

/* Files grow by this much, the unit in which a write is never cut short by a signal. */
#define LANE_CTF_PAGE 4096u

struct lane_ctf_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_bits;
	uint64_t packet_bits;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id;
	uint32_t padding; /* the first event begins eight-byte aligned */
};

_Static_assert(sizeof(struct lane_ctf_packet) == 88, "as the metadata describes it");
_Static_assert(offsetof(struct lane_ctf_packet, stream_instance_id) == 24, "eight-byte aligned");

/* Without the padding: what a packet without events contains. */
#define LANE_CTF_HEAD_BYTES offsetof(struct lane_ctf_packet, padding)

/* How many pages a file grows by in one write. */
#define LANE_CTF_GROW_PAGES 64u

/* A stream's file. */
struct lane_ctf_file {
	int fd;
	struct lane_ctf_packet head; /* of the last packet; of the first one before there is any */
	uint64_t head_at;	     /* where it is */
	uint64_t bytes;		     /* where the next one will be */
	char *pages;		     /* LANE_CTF_GROW_PAGES pages of zeros with heads, to grow by */
	bool is_dense;		     /* packets below a page are not filled up to one */
};

/*
 * Appends a packet with head (whose sizes are filled in) and data: whole records of `bytes`,
 * `unpadded` without the padding of the last. Returns 0 or an errno; the file is then as it was.
 */
int lane_ctf_put(struct lane_ctf_file *file, struct lane_ctf_packet *head, const char *data,
		 size_t bytes, size_t unpadded);

/*
 * Moves the end of the last packet to end_ns, if that is later, and sets its lost events, where it
 * lies: it takes no space. Returns 0 or an errno.
 */
int lane_ctf_amend(struct lane_ctf_file *file, uint64_t end_ns, uint64_t discarded);

/* So much was lost, by a record of LANE_LOST with its payload behind it; 0: not known. */
static inline uint64_t lane_ctf_lost_count(const void *record)
{
	uint64_t count;

	memcpy(&count,
	       (const char *)record + sizeof(struct lane_wire) +
		       offsetof(struct lane_p_gpulane_lost, count),
	       sizeof(count));
	return count;
}

/* Writes the metadata (TSDL 1.8) of a trace with this environment to `to`. */
void lane_ctf_write_tsdl(FILE *to, const struct lane_ctf_env *env, const uint8_t uuid[16]);

#endif

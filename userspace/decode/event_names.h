/* SPDX-License-Identifier: MIT */
/* The names of events, for readers of text: each line looks one up. */
#ifndef LANE_DECODE_EVENT_NAMES_H
#define LANE_DECODE_EVENT_NAMES_H

#include "decode/known_names.h"

enum {
	LANE_NAME_SLOTS = 1024, /* a power of two */
};

/* A name that the trace may use for an event. */
struct lane_event_name {
	const char *text; /* NULL: the place is free */
	size_t length;
	int kind;	/* -1: none of the table's */
	bool is_notify; /* LANE_ENGINE_NOTIFY, which has no kind of its own */
};

struct lane_event_names {
	struct lane_event_name slots[LANE_NAME_SLOTS];
};

/* The names of all kinds, of those that only norm/ makes where has_derived, and their aliases. */
void decode_event_names_init(struct lane_event_names *all, const struct lane_names *names,
			     bool has_derived);

static inline uint64_t decode_load_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Names are short: comparing words, the last of them over a part of the one before it, is faster
 * than memcmp. */
static inline bool decode_is_same(const char *a, const char *b, size_t length)
{
	size_t at = 0;

	if (length < sizeof(uint64_t))
		return !memcmp(a, b, length);
	for (; at + sizeof(uint64_t) < length; at += sizeof(uint64_t))
		if (decode_load_word(a + at) != decode_load_word(b + at))
			return false;
	at = length - sizeof(uint64_t);
	return decode_load_word(a + at) == decode_load_word(b + at);
}

/* By the length and both ends: names differ there. */
static inline unsigned int decode_event_name_hash(const char *name, size_t length)
{
	uint64_t first = 0, last;

	if (length >= sizeof(first)) {
		first = decode_load_word(name);
		last = decode_load_word(name + length - sizeof(last));
	} else {
		memcpy(&first, name, length);
		last = first;
	}
	first = (first * 0x9e3779b97f4a7c15ull ^ last ^ length) * 0xff51afd7ed558ccdull;
	return (unsigned int)(first >> 40);
}

/* What the name is; text is NULL where nobody knows it. */
static inline const struct lane_event_name *decode_event_name(const struct lane_event_names *all,
							      const char *name, size_t length)
{
	unsigned int at = decode_event_name_hash(name, length) % LANE_NAME_SLOTS;

	while (all->slots[at].text && (all->slots[at].length != length ||
				       !decode_is_same(all->slots[at].text, name, length)))
		at = (at + 1) % LANE_NAME_SLOTS;
	return &all->slots[at];
}

#endif

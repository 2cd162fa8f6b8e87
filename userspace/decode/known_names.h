/* SPDX-License-Identifier: MIT */
/*
 * From the names in a trace to places in struct lane_event: set-up work that the decoders share, so
 * that nothing is looked up by name for an event.
 */
#ifndef LANE_DECODE_KNOWN_NAMES_H
#define LANE_DECODE_KNOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/fit.h"
#include "decode/decode.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are stored by their low bytes");

/* intel_engine_notify has no kind of its own; norm/ makes fence signals of it. */
#define LANE_ENGINE_NOTIFY "intel_engine_notify"

/* The kind of an event with this name or alias, or -1. */
int decode_names_kind(const struct lane_names *names, const char *name, size_t length);

/* Where in struct lane_event a field's value goes. */
struct lane_field_slot {
	unsigned short offset; /* in struct lane_event, bytes */
	unsigned short size;   /* bytes */
	enum lane_type type;
};

/*
 * Finds the place for the field with this name or alias of an event of this kind; false when the
 * table has no such field.
 */
bool decode_names_slot(const struct lane_names *names, int kind, const char *name, size_t length,
		       struct lane_field_slot *slot);

/* The place of a field of the event context; NULL: none of ours. */
const struct lane_field_slot *decode_names_context_slot(const char *name);

/* What perf calls an event in CTF, `sched:sched_switch`, without the subsystem. */
const char *decode_names_of_perf(const char *name);

/* The place of what perf puts before an event's own fields in CTF: thread, process, CPU; or NULL.
 */
const struct lane_field_slot *decode_names_perf_slot(const char *name);

/* True when values of the type are signed integers. */
static inline bool decode_type_is_signed(enum lane_type type)
{
	return type == LANE_TYPE_s32 || type == LANE_TYPE_s64;
}

/* Stores the low bytes of an integer in its slot. */
static inline void decode_slot_store(struct lane_event *event, const struct lane_field_slot *slot,
				     uint64_t value)
{
	void *to = (char *)event + slot->offset;

	switch (slot->size) {
	case 1:
		*(uint8_t *)to = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)to = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)to = (uint32_t)value;
		break;
	default:
		*(uint64_t *)to = value;
	}
}

/* Puts the n bytes of a text, none of them 0, in place: what is too long is cut. What is left over
 * stays as it is. */
static inline void decode_text_store(void *to, size_t size, bool is_id, const char *from, size_t n)
{
	if (is_id)
		lane_fit(to, size, from, n);
	else
		memcpy(to, from, n < size ? n : size);
}

static inline void decode_slot_text(void *to, const struct lane_field_slot *slot, const char *from,
				    size_t n)
{
	decode_text_store(to, slot->size, lane_type_is_id(slot->type), from, n);
}

/*
 * Makes an event empty but for its kind: every field of the payload as it is when nobody says it,
 * nothing known of thread, CPU and origin.
 */
void decode_event_clear(struct lane_event *event, int kind);

#endif

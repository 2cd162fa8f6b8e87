/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a CTF 1.8 trace (TSDL) as a tree of types. What tracers write is understood; of
 * the rest of the language nothing is guessed: the parser says what it does not know.
 */
#ifndef LANE_DECODE_TSDL_H
#define LANE_DECODE_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane_tsdl_kind {
	LANE_TSDL_INTEGER,
	LANE_TSDL_FLOAT,
	LANE_TSDL_STRING,
	LANE_TSDL_STRUCT,
	LANE_TSDL_VARIANT,
	LANE_TSDL_ARRAY,
	LANE_TSDL_SEQUENCE,
};

enum lane_tsdl_order {
	LANE_TSDL_NATIVE, /* the trace's */
	LANE_TSDL_LITTLE,
	LANE_TSDL_BIG,
};

/* A range of an enumeration's values; a name may have several. Limits as the integer's bits. */
struct lane_tsdl_label {
	const char *name;
	uint64_t from, to;
};

struct lane_tsdl_member {
	const char *name; /* as it is written, with its underscore */
	const struct lane_tsdl_type *type;
};

/* A type. Types are shared, and do not change once they are made. */
struct lane_tsdl_type {
	enum lane_tsdl_kind kind;
	uint32_t align;	   /* bits, a power of two */
	uint32_t size;	   /* bits of an integer or a floating-point number */
	uint64_t min_bits; /* no value of the type has less */
	enum lane_tsdl_order order;
	bool is_signed;
	bool is_enum;
	bool has_ref;	    /* it, or what is in it, has a length or a tag elsewhere */
	bool is_text;	    /* an integer with an encoding: a character */
	const char *clock;  /* of an integer that is mapped to one, NULL: it is not */
	uint32_t n_labels;  /* of an enumeration */
	uint32_t n_members; /* of a structure, options of a variant */
	const struct lane_tsdl_label *labels;
	const struct lane_tsdl_member *members;
	uint64_t length;		      /* of an array */
	const char *ref;		      /* where a sequence's length or a variant's tag is */
	const struct lane_tsdl_type *element; /* of an array or a sequence */
};

struct lane_tsdl_stream {
	uint64_t id;
	const struct lane_tsdl_type *header; /* of events; NULL here and below: there is none */
	const struct lane_tsdl_type *packet_context;
	const struct lane_tsdl_type *event_context;
};

struct lane_tsdl_event {
	uint64_t id;
	uint64_t stream_id;
	bool has_stream_id;
	const char *name; /* NULL: none */
	const struct lane_tsdl_type *context;
	const struct lane_tsdl_type *fields;
};

struct lane_tsdl_env {
	const char *name;
	const char *text; /* NULL: it is a number */
	int64_t number;
};

struct lane_tsdl_clock {
	const char *name;
	const char *uuid;
	uint64_t frequency;
	int64_t offset_s;
	int64_t offset; /* cycles */
};

struct lane_tsdl {
	bool is_big;	/* the trace's byte order */
	uint64_t looks; /* at its types, while programs are made of them */
	bool has_order;
	bool has_uuid;
	uint8_t uuid[16];
	const struct lane_tsdl_type *packet_header;
	struct lane_tsdl_stream *streams;
	struct lane_tsdl_event *events;
	struct lane_tsdl_env *env;
	struct lane_tsdl_clock *clocks;
	uint32_t n_streams, n_events, n_env, n_clocks;
	struct lane_arena *arena; /* where all of it lies */
};

/*
 * Parses the metadata's text. NULL when it is not understood: why (of size bytes) says what, a word
 * or two with the line. What is returned is the caller's.
 */
struct lane_tsdl *decode_tsdl_parse(const char *text, size_t bytes, char *why, size_t size);

/* Frees everything; NULL is allowed. */
void decode_tsdl_free(struct lane_tsdl *tsdl);

/* The 16 bytes of a uuid in text; false when it is none. */
bool decode_tsdl_uuid(const char *text, uint8_t uuid[16]);

/* The member of that name, NULL when there is none. */
const struct lane_tsdl_member *decode_tsdl_member(const struct lane_tsdl_type *type,
						  const char *name);

/* What readers call a field: its name without the underscore that tracers put before it. */
static inline const char *decode_tsdl_shown(const char *name)
{
	return *name == '_' ? name + 1 : name;
}

#endif

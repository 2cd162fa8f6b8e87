/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a CTF trace as a tree of types, whether they are CTF 1.8's text (TSDL, tsdl.c) or
 * CTF 2's JSON (ctf2.c). What tracers write is understood; of the rest nothing is guessed: the
 * parsers say what they do not know.
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

/* What a field says of its packet or event: in CTF 2 a role, in CTF 1.8 its name. */
enum lane_tsdl_role {
	LANE_ROLE_MAGIC = 1,
	LANE_ROLE_UUID = 2,
	LANE_ROLE_STREAM = 4,
	LANE_ROLE_INSTANCE = 8,
	LANE_ROLE_TIME = 16, /* of a packet's begin, or of an event */
	LANE_ROLE_END = 32,
	LANE_ROLE_CONTENT = 64,
	LANE_ROLE_TOTAL = 128,
	LANE_ROLE_NUMBER = 256,
	LANE_ROLE_DISCARDED = 512,
	LANE_ROLE_EVENT = 1024,
};

enum {
	LANE_TSDL_STREAMS = 1 << 10, /* classes of streams */
	LANE_TSDL_FAR = 8,	     /* lengths and tags that other parts of a packet need */
};

/* A range of an enumeration's values; a name may have several. Limits as the integer's bits. */
struct lane_tsdl_label {
	const char *name;
	uint64_t from, to;
};

/*
 * What has the lengths and tags of others: CTF 1.8 names them, and they are looked up where they
 * are used; in CTF 2 their place is known as they are parsed, and has a number.
 */
struct lane_tsdl_member {
	const char *name; /* with the underscore that it has more than is shown */
	const struct lane_tsdl_type *type;
	/* The values of the tag for an option of a variant; NULL: those that the tag's enumeration
	 * gives its name. */
	const struct lane_tsdl_label *ranges;
	uint32_t n_ranges;
	uint32_t place; /* of CTF 2's; 0: nobody needs it */
	uint8_t far;	/* the number of one that another part of the packet needs, from 1 */
};

/* A type. Types are shared, and do not change once they are made. */
struct lane_tsdl_type {
	enum lane_tsdl_kind kind;
	uint32_t align;	   /* bits, a power of two */
	uint32_t size;	   /* bits of an integer or a floating-point number; 0: LEB128 */
	uint64_t min_bits; /* no value of the type has less */
	enum lane_tsdl_order order;
	bool is_signed;
	bool is_reversed; /* its bits are in the other order than its bytes */
	bool is_bool;	  /* of CTF 2, and no number */
	bool is_enum;
	bool has_ref;	    /* it, or what is in it, has a length or a tag elsewhere */
	bool is_text;	    /* an integer with an encoding: a character */
	uint8_t unit;	    /* bytes of a text's smallest piece, in UTF-16 and UTF-32; 0: one */
	uint16_t roles;	    /* of CTF 2's, enum lane_tsdl_role */
	const char *clock;  /* of an integer that is mapped to one, NULL: it is not */
	uint32_t n_labels;  /* of an enumeration */
	uint32_t n_members; /* of a structure, options of a variant */
	const struct lane_tsdl_label *labels;
	struct lane_tsdl_member *members;
	uint64_t length;    /* of an array */
	const char *ref;    /* where a sequence's length or a variant's tag is */
	uint32_t ref_place; /* of CTF 2's: its number */
	uint8_t ref_far;
	bool is_ref_signed;
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
	bool is_ctf2;
	uint8_t n_far;
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

/* The same of CTF 2's, which begin with a record separator. */
struct lane_tsdl *decode_ctf2_parse(const char *text, size_t bytes, char *why, size_t size);

/* The uuid in the preamble of CTF 2's metadata, of which only the beginning may be there. */
bool decode_ctf2_uuid(const char *text, size_t bytes, uint8_t uuid[16]);

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

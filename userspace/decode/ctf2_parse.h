/* SPDX-License-Identifier: MIT */
/* The parser of CTF 2's metadata, private to ctf2*.c: JSON (ctf2_json.c), field classes
 * (ctf2_type.c), where lengths and tags are (ctf2_place.c). */
#ifndef LANE_DECODE_CTF2_PARSE_H
#define LANE_DECODE_CTF2_PARSE_H

#include <json-c/json.h>

#include "decode/tsdl_parse.h"

/* The structures of a packet and an event, in the order of their bytes. */
enum lane_ctf2_scope {
	LANE_CTF2_PACKET_HEADER,
	LANE_CTF2_PACKET_CONTEXT,
	LANE_CTF2_EVENT_HEADER,
	LANE_CTF2_COMMON_CONTEXT,
	LANE_CTF2_SPECIFIC_CONTEXT,
	LANE_CTF2_PAYLOAD,
	LANE_CTF2_SCOPES,
};

struct lane_ctf2_parser {
	struct lane_tsdl *tsdl;
	struct lane_arena *arena;
	const char *at, *end;
	const char *counted; /* up to there lines are counted */
	unsigned int line;   /* of the fragment */
	char *why;
	size_t why_size;
	bool failed;

	uint32_t n_values;	     /* of the fragment */
	uint32_t n_kept_values;	     /* of the fragments that are kept */
	struct json_object *aliases; /* by name: their number, their field class */
	struct json_object *clocks;  /* by id: their fragment */
	int64_t n_aliases;
	int64_t alias_end; /* an alias knows those before it alone */

	enum lane_ctf2_scope scope;
	const struct lane_tsdl_type *roots[LANE_CTF2_SCOPES]; /* those that are complete */
	struct lane_tsdl_type *open[LANE_TSDL_DEPTH];	      /* types in types, of this one */
	unsigned int depth;
	bool has_clock;	   /* the stream has */
	const char *where; /* the innermost member */
	uint32_t n_places;
	uint64_t looks;
};

/* What is met is not known: nothing more is parsed. Always false. name may be NULL. */
bool decode_ctf2_unknown(struct lane_ctf2_parser *p, const char *what, const char *name);

/* Looks at so many things; false, told: all together were too many. */
bool decode_ctf2_look(struct lane_ctf2_parser *p, uint64_t n);

/* Zeroed bytes of the arena; NULL, told: there is no more. */
void *decode_ctf2_take(struct lane_ctf2_parser *p, size_t bytes);

/* The next fragment, which is the caller's; NULL: there is none, or, told, it is not understood. */
struct json_object *decode_ctf2_next(struct lane_ctf2_parser *p);

/* A property, NULL: it is not there. */
static inline struct json_object *decode_ctf2_get(struct json_object *from, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(from, key, &value) ? value : NULL;
}

/* A property that is a text, in the arena; *text stays as it is where it is not there. False, told:
 * it is none. */
bool decode_ctf2_text(struct lane_ctf2_parser *p, struct json_object *from, const char *key,
		      const char **text);

/* A property that is a number up to most; *number stays as it is where it is not there. */
bool decode_ctf2_number(struct lane_ctf2_parser *p, struct json_object *from, const char *key,
			uint64_t most, uint64_t *number);

/* A property that is an array, told if it is none. */
struct json_object *decode_ctf2_array(struct lane_ctf2_parser *p, struct json_object *from,
				      const char *key);

/* The type of a field class, or of the alias that it names; NULL, told: it is not understood. */
const struct lane_tsdl_type *decode_ctf2_type(struct lane_ctf2_parser *p, struct json_object *from);

/* What an optional field is that is not there. */
extern const struct lane_tsdl_type decode_ctf2_nothing;

/*
 * Finds the integer that a type has its length or its tag in, by a field location, and gives it a
 * number, which the type has then, too. *is_bool is whether it is true or false.
 */
bool decode_ctf2_place(struct lane_ctf2_parser *p, struct json_object *location,
		       struct lane_tsdl_type *type, bool *is_bool);

#endif

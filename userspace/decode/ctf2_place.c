// SPDX-License-Identifier: MIT
// Where the lengths and tags of CTF 2's fields are: field locations, each of which is found once.
#include "decode/ctf2_parse.h"

#include <string.h>

enum {
	MOST_FOUND = 256, /* a path through a variant leads to one field of each option */
};

struct place_search {
	struct lane_ctf2_parser *p;
	const char *path[LANE_TSDL_DEPTH];
	unsigned int n;
	struct lane_tsdl_member *found[MOST_FOUND];
	unsigned int n_found;
};

static const char *const scopes[] = {
	[LANE_CTF2_PACKET_HEADER] = "packet-header",
	[LANE_CTF2_PACKET_CONTEXT] = "packet-context",
	[LANE_CTF2_EVENT_HEADER] = "event-record-header",
	[LANE_CTF2_COMMON_CONTEXT] = "event-record-common-context",
	[LANE_CTF2_SPECIFIC_CONTEXT] = "event-record-specific-context",
	[LANE_CTF2_PAYLOAD] = "event-record-payload",
};

/* What is being parsed of a type that is not complete; NULL: it is. */
static const struct lane_tsdl_type *opened(const struct lane_ctf2_parser *p,
					   const struct lane_tsdl_type *type)
{
	for (unsigned int i = 0; i + 1 < p->depth; i++)
		if (p->open[i] == type)
			return p->open[i + 1];
	return NULL;
}

/* The option of an optional field that is not there. */
static bool is_nothing(const struct lane_tsdl_member *option)
{
	return option->type == &decode_ctf2_nothing;
}

/* A field that has the length or the tag: of a variant, each of its options. */
static bool ctf2_place_find(struct place_search *s, struct lane_tsdl_member *member)
{
	const struct lane_tsdl_type *type = member->type;

	if (type->kind == LANE_TSDL_VARIANT) {
		for (uint32_t i = 0; i < type->n_members; i++)
			if (!is_nothing(&type->members[i]) &&
			    !ctf2_place_find(s, &type->members[i]))
				return false;
		return true;
	}
	if (type->kind != LANE_TSDL_INTEGER)
		return decode_ctf2_unknown(s->p, "a length or a tag that is no integer",
					   member->name);
	if (s->n_found == MOST_FOUND)
		return decode_ctf2_unknown(s->p, "a length or a tag in very many options",
					   member->name);
	s->found[s->n_found++] = member;
	return true;
}

/* Goes on from a type by the path from its i-th name on. */
static bool ctf2_place_walk(struct place_search *s, const struct lane_tsdl_type *type,
			    unsigned int i)
{
	const struct lane_tsdl_type *inner = opened(s->p, type);

	if (!decode_ctf2_look(s->p, 1 + type->n_members))
		return false;
	if (type->kind != LANE_TSDL_STRUCT && inner)
		return ctf2_place_walk(s, inner, i);
	if (type->kind == LANE_TSDL_VARIANT) {
		for (uint32_t k = 0; k < type->n_members; k++)
			if (!is_nothing(&type->members[k]) &&
			    !ctf2_place_walk(s, type->members[k].type, i))
				return false;
		return true;
	}
	if (type->kind != LANE_TSDL_STRUCT)
		return decode_ctf2_unknown(s->p, "a path into what is no structure", s->path[i]);
	for (uint32_t k = 0; k < type->n_members; k++) {
		if (strcmp(decode_tsdl_shown(type->members[k].name), s->path[i]) != 0)
			continue;
		return i + 1 == s->n ? ctf2_place_find(s, &type->members[k])
				     : ctf2_place_walk(s, type->members[k].type, i + 1);
	}
	/* The one that is being parsed is no member yet, but has its name. */
	if (inner && i + 1 < s->n &&
	    !strcmp(decode_tsdl_shown(type->members[type->n_members].name), s->path[i]))
		return ctf2_place_walk(s, inner, i + 1);
	return decode_ctf2_unknown(s->p, "a length or a tag that is not there", s->path[i]);
}

/* The structure that a path begins in: the n-th around what is being parsed. */
static const struct lane_tsdl_type *around(const struct lane_ctf2_parser *p, unsigned int n)
{
	for (unsigned int i = p->depth; i--;)
		if (p->open[i]->kind == LANE_TSDL_STRUCT && !n--)
			return p->open[i];
	return NULL;
}

/* The scope that a location begins in, the one that is being parsed where it says none. */
static bool take_origin(struct lane_ctf2_parser *p, struct json_object *location,
			unsigned int *scope, bool *is_said)
{
	const char *name = NULL;

	if (!decode_ctf2_text(p, location, "origin", &name))
		return false;
	*is_said = name;
	*scope = p->scope;
	for (unsigned int i = 0; name && i < LANE_CTF2_SCOPES; i++) {
		*scope = i;
		if (!strcmp(scopes[i], name))
			return true;
	}
	return !name || decode_ctf2_unknown(p, "an origin that is not known", name);
}

/* The names of the path; *up is by how many nulls it begins. */
static bool take_path(struct place_search *s, struct json_object *location, unsigned int *up)
{
	struct json_object *path = decode_ctf2_array(s->p, location, "path");
	size_t n = path ? json_object_array_length(path) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *name = json_object_array_get_idx(path, i);

		if (!name && !s->n) {
			++*up;
			continue;
		}
		if (!json_object_is_type(name, json_type_string))
			return decode_ctf2_unknown(s->p, "a path that has more than names", NULL);
		if (s->n == LANE_TSDL_DEPTH)
			return decode_ctf2_unknown(s->p, "a path of very many names", NULL);
		s->path[s->n++] = json_object_get_string(name);
	}
	return s->n || decode_ctf2_unknown(s->p, "a path without a name", NULL);
}

/* Packet header, packet context and event header are read by programs of their own. */
static unsigned int ctf2_place_part_of(unsigned int scope)
{
	return scope < LANE_CTF2_COMMON_CONTEXT ? scope : LANE_CTF2_COMMON_CONTEXT;
}

/* All that were found have one number, and a second one if they are of another part. */
static bool number_them(struct place_search *s, struct lane_tsdl_type *type, bool is_far)
{
	struct lane_ctf2_parser *p = s->p;
	uint32_t place = 0, far = 0;

	for (unsigned int i = 0; i < s->n_found; i++) {
		const struct lane_tsdl_member *it = s->found[i];

		if ((place && it->place && it->place != place) ||
		    (far && it->far && it->far != far))
			return decode_ctf2_unknown(p, "options that share no length or tag",
						   it->name);
		place = it->place ? it->place : place;
		far = it->far ? it->far : far;
	}
	if (is_far && !far && p->tsdl->n_far == LANE_TSDL_FAR)
		return decode_ctf2_unknown(p, "many lengths and tags of other parts", NULL);
	place = place ? place : ++p->n_places;
	far = far || !is_far ? far : ++p->tsdl->n_far;
	for (unsigned int i = 0; i < s->n_found; i++) {
		s->found[i]->place = place;
		s->found[i]->far = (uint8_t)far;
	}
	type->ref_place = place;
	type->ref_far = is_far ? (uint8_t)far : 0;
	return true;
}

bool decode_ctf2_place(struct lane_ctf2_parser *p, struct json_object *location,
		       struct lane_tsdl_type *type, bool *is_bool)
{
	struct place_search s = { .p = p };
	const struct lane_tsdl_type *root, *first;
	unsigned int scope, up = 0;
	bool is_said;

	if (!json_object_is_type(location, json_type_object))
		return decode_ctf2_unknown(p, "a field location that is none", p->where);
	if (!take_origin(p, location, &scope, &is_said) || !take_path(&s, location, &up))
		return false;
	root = !is_said ? around(p, up) : scope == p->scope ? p->open[0] : p->roots[scope];
	if (!root || (is_said && up))
		return decode_ctf2_unknown(p, "a length or a tag that is not there", s.path[0]);
	if (!ctf2_place_walk(&s, root, 0))
		return false;
	if (!s.n_found)
		return decode_ctf2_unknown(p, "a length or a tag that is not there", s.path[0]);
	first = s.found[0]->type;
	for (unsigned int i = 1; i < s.n_found; i++)
		if (s.found[i]->type->is_signed != first->is_signed ||
		    s.found[i]->type->is_bool != first->is_bool)
			return decode_ctf2_unknown(p, "tags of several types", s.path[s.n - 1]);
	*is_bool = first->is_bool;
	type->is_ref_signed = first->is_signed;
	type->has_ref = true;
	return number_them(&s, type, ctf2_place_part_of(scope) != ctf2_place_part_of(p->scope));
}

// SPDX-License-Identifier: MIT
// CTF 2's field classes as types: each use of an alias is a type of its own, with places of its
// own.
#include "decode/ctf2_parse.h"

#include <string.h>

#include "base/sort.h"

enum {
	MOST_ALIGN = 64,  /* bits; what no tracer exceeds */
	MOST_BITS = 4096, /* of a number; those that are needed have 64 at most */
};

const struct lane_tsdl_type decode_ctf2_nothing = { .kind = LANE_TSDL_STRUCT, .align = 1 };

static const struct lane_tsdl_type byte_of_text = {
	.kind = LANE_TSDL_INTEGER, .align = 8, .size = 8, .min_bits = 8, .is_text = true
};
static const struct lane_tsdl_type byte_of_blob = {
	.kind = LANE_TSDL_INTEGER, .align = 8, .size = 8, .min_bits = 8
};

static uint64_t ctf2_type_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t ctf2_type_multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static bool take_align(struct lane_ctf2_parser *p, struct json_object *from, const char *key,
		       struct lane_tsdl_type *type)
{
	uint64_t align = 1;

	if (!decode_ctf2_number(p, from, key, UINT64_MAX, &align))
		return false;
	if (!align || align > MOST_ALIGN || align & (align - 1))
		return decode_ctf2_unknown(p, "an alignment that is none, or of more than 64 bits",
					   p->where);
	if (align > type->align)
		type->align = (uint32_t)align;
	return true;
}

/* --- numbers --- */

static bool take_roles(struct lane_ctf2_parser *p, struct json_object *from,
		       struct lane_tsdl_type *type)
{
	static const struct {
		const char *name;
		uint16_t role;
	} roles[] = {
		{ "packet-magic-number", LANE_ROLE_MAGIC },
		{ "metadata-stream-uuid", LANE_ROLE_UUID },
		{ "data-stream-class-id", LANE_ROLE_STREAM },
		{ "data-stream-id", LANE_ROLE_INSTANCE },
		{ "default-clock-timestamp", LANE_ROLE_TIME },
		{ "packet-end-default-clock-timestamp", LANE_ROLE_END },
		{ "packet-content-length", LANE_ROLE_CONTENT },
		{ "packet-total-length", LANE_ROLE_TOTAL },
		{ "packet-sequence-number", LANE_ROLE_NUMBER },
		{ "discarded-event-record-counter-snapshot", LANE_ROLE_DISCARDED },
		{ "event-record-class-id", LANE_ROLE_EVENT },
	};
	struct json_object *list = decode_ctf2_get(from, "roles");

	if (!list)
		return true;
	list = decode_ctf2_array(p, from, "roles");
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(list, i));

		for (size_t k = 0; name && k < sizeof(roles) / sizeof(roles[0]); k++)
			if (!strcmp(roles[k].name, name))
				type->roles |= roles[k].role;
	}
	/* Of a packet's context it is where the clock begins, of an event's header where it goes.
	 */
	if (type->roles & LANE_ROLE_TIME && p->has_clock && p->scope <= LANE_CTF2_EVENT_HEADER)
		type->clock = "";
	return list;
}

/* A number of a length that the metadata say. */
static bool ctf2_type_take_fixed(struct lane_ctf2_parser *p, struct json_object *from,
				 struct lane_tsdl_type *type)
{
	const char *bytes = "", *bits = NULL;
	uint64_t length = 0;

	if (!decode_ctf2_number(p, from, "length", UINT64_MAX, &length) ||
	    !decode_ctf2_text(p, from, "byte-order", &bytes) ||
	    !decode_ctf2_text(p, from, "bit-order", &bits))
		return false;
	if (!length || length > MOST_BITS ||
	    (type->kind == LANE_TSDL_FLOAT && length != 16 && length % 32))
		return decode_ctf2_unknown(p, "a number of no length that is known", p->where);
	if (strcmp(bytes, "little-endian") != 0 && strcmp(bytes, "big-endian") != 0)
		return decode_ctf2_unknown(p, "a byte order that is not known", bytes);
	if (bits && strcmp(bits, "first-to-last") != 0 && strcmp(bits, "last-to-first") != 0)
		return decode_ctf2_unknown(p, "a bit order that is not known", bits);
	type->size = (uint32_t)length;
	type->min_bits = length;
	type->order = *bytes == 'l' ? LANE_TSDL_LITTLE : LANE_TSDL_BIG;
	type->is_reversed = bits && (*bits == 'f') != (*bytes == 'l');
	type->is_enum = json_object_is_type(decode_ctf2_get(from, "mappings"), json_type_object);
	return take_roles(p, from, type) && take_align(p, from, "alignment", type);
}

static bool take_variable(struct lane_ctf2_parser *p, struct json_object *from,
			  struct lane_tsdl_type *type)
{
	type->align = type->min_bits = 8;
	return take_roles(p, from, type);
}

/* --- texts and blobs --- */

static bool take_encoding(struct lane_ctf2_parser *p, struct json_object *from,
			  struct lane_tsdl_type *type)
{
	static const struct {
		const char *name;
		uint8_t unit;
		enum lane_tsdl_order order;
	} encodings[] = {
		{ "utf-8", 0, LANE_TSDL_NATIVE }, { "utf-16le", 2, LANE_TSDL_LITTLE },
		{ "utf-16be", 2, LANE_TSDL_BIG }, { "utf-32le", 4, LANE_TSDL_LITTLE },
		{ "utf-32be", 4, LANE_TSDL_BIG },
	};
	const char *name = "utf-8";

	if (!decode_ctf2_text(p, from, "encoding", &name))
		return false;
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		if (strcmp(encodings[i].name, name) != 0)
			continue;
		type->unit = encodings[i].unit;
		type->order = encodings[i].order;
		return true;
	}
	return decode_ctf2_unknown(p, "an encoding that is not known", name);
}

static bool take_length(struct lane_ctf2_parser *p, struct json_object *from,
			struct lane_tsdl_type *type)
{
	if (!decode_ctf2_get(from, "length"))
		return decode_ctf2_unknown(p, "an array without a length", p->where);
	return decode_ctf2_number(p, from, "length", UINT64_MAX, &type->length);
}

static bool take_length_place(struct lane_ctf2_parser *p, struct json_object *from,
			      struct lane_tsdl_type *type)
{
	bool is_bool = false;

	if (!decode_ctf2_place(p, decode_ctf2_get(from, "length-field-location"), type, &is_bool))
		return false;
	return (!is_bool && !type->is_ref_signed) ||
	       decode_ctf2_unknown(p, "a length that is signed, or no number", p->where);
}

static bool take_string(struct lane_ctf2_parser *p, struct json_object *from,
			struct lane_tsdl_type *type)
{
	type->align = 8;
	if (!take_encoding(p, from, type))
		return false;
	type->min_bits = 8u * (type->unit ? type->unit : 1);
	return true;
}

static bool take_bytes(struct lane_ctf2_parser *p, struct json_object *from,
		       struct lane_tsdl_type *type, const struct lane_tsdl_type *byte)
{
	bool is_static = type->kind == LANE_TSDL_ARRAY;

	type->align = 8;
	type->element = byte;
	if (!(is_static ? take_length(p, from, type) : take_length_place(p, from, type)))
		return false;
	type->min_bits = is_static ? ctf2_type_multiply(type->length, 8) : 0;
	return true;
}

static bool take_text(struct lane_ctf2_parser *p, struct json_object *from,
		      struct lane_tsdl_type *type)
{
	return take_bytes(p, from, type, &byte_of_text) && take_encoding(p, from, type);
}

static bool take_blob(struct lane_ctf2_parser *p, struct json_object *from,
		      struct lane_tsdl_type *type)
{
	return take_bytes(p, from, type, &byte_of_blob) && take_roles(p, from, type);
}

/* --- types of types --- */

static bool open_type(struct lane_ctf2_parser *p, struct lane_tsdl_type *type)
{
	if (p->depth == LANE_TSDL_DEPTH)
		return decode_ctf2_unknown(p, "types in too many types", p->where);
	p->open[p->depth++] = type;
	return true;
}

static bool take_array(struct lane_ctf2_parser *p, struct json_object *from,
		       struct lane_tsdl_type *type)
{
	const struct lane_tsdl_type *element;
	bool is_static = type->kind == LANE_TSDL_ARRAY;

	if (!(is_static ? take_length(p, from, type) : take_length_place(p, from, type)) ||
	    !take_align(p, from, "minimum-alignment", type) || !open_type(p, type))
		return false;
	element = decode_ctf2_type(p, decode_ctf2_get(from, "element-field-class"));
	if (!element)
		return false;
	p->depth--;
	type->element = element;
	type->has_ref |= element->has_ref;
	type->min_bits = is_static ? ctf2_type_multiply(type->length, element->min_bits) : 0;
	if (element->align > type->align)
		type->align = element->align;
	return true;
}

LANE_ORDER_OF(by_name, struct lane_tsdl_member, strcmp(x->name, y->name))

/* No two members have one name. */
static bool are_unlike(struct lane_ctf2_parser *p, const struct lane_tsdl_type *type)
{
	const struct lane_tsdl_member **sorted = calloc(type->n_members + 1u, sizeof(*sorted));
	const char *twice = NULL;

	if (!sorted)
		return decode_ctf2_unknown(p, "no memory", NULL);
	for (uint32_t i = 0; i < type->n_members; i++)
		sorted[i] = &type->members[i];
	LANE_SORT(sorted, type->n_members, by_name);
	for (uint32_t i = 1; i < type->n_members; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name))
			twice = sorted[i]->name;
	free(sorted);
	return !twice || decode_ctf2_unknown(p, "two fields of one name", decode_tsdl_shown(twice));
}

/* Names of fields that begin with an underscore get another one: readers take one off. */
static bool ctf2_type_take_name(struct lane_ctf2_parser *p, struct json_object *from,
				struct lane_tsdl_member *member)
{
	const char *name = NULL;
	char *longer;
	size_t n;

	if (!decode_ctf2_text(p, from, "name", &name))
		return false;
	member->name = name ? name : "";
	if (!name || *name != '_')
		return true;
	n = strlen(name);
	longer = decode_ctf2_take(p, n + 2);
	if (!longer)
		return false;
	*longer = '_';
	memcpy(longer + 1, name, n);
	member->name = longer;
	return true;
}

/* One of a list: a member of a structure, an option of a variant. Its type, not its ranges. */
static bool take_member(struct lane_ctf2_parser *p, struct json_object *from,
			struct lane_tsdl_type *type)
{
	struct lane_tsdl_member *member = &type->members[type->n_members];
	const char *before = p->where;

	if (!json_object_is_type(from, json_type_object))
		return decode_ctf2_unknown(p, "a field that is no object", p->where);
	if (!ctf2_type_take_name(p, from, member))
		return false;
	if (*member->name)
		p->where = decode_tsdl_shown(member->name);
	member->type = decode_ctf2_type(p, decode_ctf2_get(from, "field-class"));
	p->where = before;
	if (!member->type)
		return false;
	type->n_members++;
	type->has_ref |= member->type->has_ref;
	return true;
}

/* Room for the members that a list has, which stay where they are. */
static bool make_members(struct lane_ctf2_parser *p, struct lane_tsdl_type *type, size_t n)
{
	type->members = decode_ctf2_take(p, (n + 1) * sizeof(*type->members));
	return type->members;
}

static bool take_structure(struct lane_ctf2_parser *p, struct json_object *from,
			   struct lane_tsdl_type *type)
{
	struct json_object *list = decode_ctf2_get(from, "member-classes");
	size_t n;

	if (!take_align(p, from, "minimum-alignment", type) || !open_type(p, type))
		return false;
	if (list && !decode_ctf2_array(p, from, "member-classes"))
		return false;
	n = list ? json_object_array_length(list) : 0;
	if (!make_members(p, type, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct lane_tsdl_type *member;

		if (!take_member(p, json_object_array_get_idx(list, i), type))
			return false;
		member = type->members[i].type;
		type->min_bits = ctf2_type_add(type->min_bits, member->min_bits);
		if (member->align > type->align)
			type->align = member->align;
	}
	p->depth--;
	return are_unlike(p, type);
}

/* --- tags --- */

static bool take_bound(struct json_object *from, __int128 *bound)
{
	*bound = json_object_get_int64(from);
	if (*bound >= 0)
		*bound = json_object_get_uint64(from);
	return json_object_is_type(from, json_type_int);
}

/* Ranges of values of a tag, as its bits; what it cannot have is left out. */
static bool take_ranges(struct lane_ctf2_parser *p, struct json_object *from, bool is_signed,
			struct lane_tsdl_member *to)
{
	struct json_object *list = decode_ctf2_array(p, from, "selector-field-ranges");
	__int128 least = is_signed ? INT64_MIN : 0, most = is_signed ? INT64_MAX : UINT64_MAX;
	size_t n = list ? json_object_array_length(list) : 0;
	struct lane_tsdl_label *ranges;

	if (!n)
		return decode_ctf2_unknown(p, "no values of a tag", p->where);
	ranges = decode_ctf2_take(p, n * sizeof(*ranges));
	to->ranges = ranges;
	for (size_t i = 0; ranges && i < n; i++) {
		struct json_object *range = json_object_array_get_idx(list, i);
		bool is_pair = json_object_is_type(range, json_type_array) &&
			       json_object_array_length(range) == 2;
		__int128 low, high;

		if (!is_pair || !take_bound(json_object_array_get_idx(range, 0), &low) ||
		    !take_bound(json_object_array_get_idx(range, 1), &high) || low > high)
			return decode_ctf2_unknown(p, "values of a tag that are none", p->where);
		low = low < least ? least : low;
		high = high > most ? most : high;
		if (low <= high)
			ranges[to->n_ranges++] = (struct lane_tsdl_label){ .from = (uint64_t)low,
									   .to = (uint64_t)high };
	}
	return ranges;
}

LANE_ORDER(by_value, struct lane_tsdl_label, LANE_UP(from))
LANE_ORDER(by_signed_value, struct lane_tsdl_label,
	   LANE_COMPARE((int64_t)x->from, (int64_t)y->from))

/* No value of a tag has two options. */
static bool are_apart(struct lane_ctf2_parser *p, const struct lane_tsdl_type *type)
{
	struct lane_tsdl_label *all;
	size_t n = 0, sum = 0;
	bool are = true;

	for (uint32_t i = 0; i < type->n_members; i++)
		sum += type->members[i].n_ranges;
	all = calloc(sum + 1, sizeof(*all));
	if (!all)
		return decode_ctf2_unknown(p, "no memory", NULL);
	for (uint32_t i = 0; i < type->n_members; i++)
		for (uint32_t k = 0; k < type->members[i].n_ranges; k++) {
			all[n] = type->members[i].ranges[k];
			all[n++].name = (const char *)&type->members[i];
		}
	LANE_SORT(all, n, type->is_ref_signed ? by_signed_value : by_value);
	for (size_t i = 1; i < n && are; i++)
		are = all[i].name == all[i - 1].name ||
		      (type->is_ref_signed ? (int64_t)all[i - 1].to < (int64_t)all[i].from
					   : all[i - 1].to < all[i].from);
	free(all);
	return are || decode_ctf2_unknown(p, "a value of a tag that has two options", p->where);
}

static bool take_variant(struct lane_ctf2_parser *p, struct json_object *from,
			 struct lane_tsdl_type *type)
{
	struct json_object *list = decode_ctf2_array(p, from, "options");
	size_t n = list ? json_object_array_length(list) : 0;
	bool is_bool = false;

	if (!list ||
	    !decode_ctf2_place(p, decode_ctf2_get(from, "selector-field-location"), type, &is_bool))
		return false;
	if (is_bool || !n)
		return decode_ctf2_unknown(
			p, "a variant without options, or a tag that is no number", p->where);
	if (!make_members(p, type, n) || !open_type(p, type))
		return false;
	type->min_bits = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		struct json_object *option = json_object_array_get_idx(list, i);

		if (!take_member(p, option, type) ||
		    !take_ranges(p, option, type->is_ref_signed, &type->members[i]))
			return false;
		if (type->members[i].type->min_bits < type->min_bits)
			type->min_bits = type->members[i].type->min_bits;
	}
	p->depth--;
	return are_apart(p, type);
}

/* A variant of two options, of which the second one is nothing. */
static bool take_optional(struct lane_ctf2_parser *p, struct json_object *from,
			  struct lane_tsdl_type *type)
{
	static const struct lane_tsdl_label unsigned_all = { .to = UINT64_MAX },
					    signed_all = { .from = (uint64_t)INT64_MIN,
							   .to = INT64_MAX },
					    is_true = { .from = 1, .to = UINT64_MAX };
	bool is_bool = false;

	if (!decode_ctf2_place(p, decode_ctf2_get(from, "selector-field-location"), type,
			       &is_bool) ||
	    !make_members(p, type, 2) || !open_type(p, type) || !take_member(p, from, type))
		return false;
	p->depth--;
	type->members[1] = (struct lane_tsdl_member){ .name = "",
						      .type = &decode_ctf2_nothing,
						      .ranges = type->is_ref_signed ? &signed_all
										    : &unsigned_all,
						      .n_ranges = 1 };
	type->n_members = 2;
	if (!is_bool)
		return take_ranges(p, from, type->is_ref_signed, &type->members[0]);
	type->members[0].ranges = &is_true;
	type->members[0].n_ranges = 1;
	return true;
}

/* --- all field classes --- */

static const struct class
{
	const char *name;
	enum lane_tsdl_kind kind;
	bool (*take)(struct lane_ctf2_parser *p, struct json_object *from,
		     struct lane_tsdl_type *type);
	bool is_signed, is_bool;
} classes[] = {
	{ "fixed-length-unsigned-integer", LANE_TSDL_INTEGER, ctf2_type_take_fixed, false, false },
	{ "fixed-length-signed-integer", LANE_TSDL_INTEGER, ctf2_type_take_fixed, true, false },
	{ "fixed-length-bit-array", LANE_TSDL_INTEGER, ctf2_type_take_fixed, false, false },
	{ "fixed-length-bit-map", LANE_TSDL_INTEGER, ctf2_type_take_fixed, false, false },
	{ "fixed-length-boolean", LANE_TSDL_INTEGER, ctf2_type_take_fixed, false, true },
	{ "fixed-length-floating-point-number", LANE_TSDL_FLOAT, ctf2_type_take_fixed, false,
	  false },
	{ "variable-length-unsigned-integer", LANE_TSDL_INTEGER, take_variable, false, false },
	{ "variable-length-signed-integer", LANE_TSDL_INTEGER, take_variable, true, false },
	{ "null-terminated-string", LANE_TSDL_STRING, take_string, false, false },
	{ "static-length-string", LANE_TSDL_ARRAY, take_text, false, false },
	{ "dynamic-length-string", LANE_TSDL_SEQUENCE, take_text, false, false },
	{ "static-length-blob", LANE_TSDL_ARRAY, take_blob, false, false },
	{ "dynamic-length-blob", LANE_TSDL_SEQUENCE, take_blob, false, false },
	{ "structure", LANE_TSDL_STRUCT, take_structure, false, false },
	{ "static-length-array", LANE_TSDL_ARRAY, take_array, false, false },
	{ "dynamic-length-array", LANE_TSDL_SEQUENCE, take_array, false, false },
	{ "optional", LANE_TSDL_VARIANT, take_optional, false, false },
	{ "variant", LANE_TSDL_VARIANT, take_variant, false, false },
};

static const struct lane_tsdl_type *ctf2_type_take_alias(struct lane_ctf2_parser *p,
							 const char *name)
{
	struct json_object *alias = decode_ctf2_get(p->aliases, name);
	const struct lane_tsdl_type *type;
	int64_t before = p->alias_end, number = -1;

	if (alias)
		number = json_object_get_int64(json_object_array_get_idx(alias, 0));
	if (!alias || number >= p->alias_end) {
		decode_ctf2_unknown(p, "a field class alias that is not declared", name);
		return NULL;
	}
	p->alias_end = number;
	type = decode_ctf2_type(p, json_object_array_get_idx(alias, 1));
	p->alias_end = before;
	return type;
}

const struct lane_tsdl_type *decode_ctf2_type(struct lane_ctf2_parser *p, struct json_object *from)
{
	const struct class *class = NULL;
	struct lane_tsdl_type *type;
	const char *name = NULL;

	if (json_object_is_type(from, json_type_string))
		return ctf2_type_take_alias(p, json_object_get_string(from));
	if (!json_object_is_type(from, json_type_object)) {
		decode_ctf2_unknown(p, "a field class that is none", p->where);
		return NULL;
	}
	if (!decode_ctf2_text(p, from, "type", &name))
		return NULL;
	for (size_t i = 0; name && !class && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(classes[i].name, name))
			class = &classes[i];
	type = class ? decode_ctf2_take(p, sizeof(*type)) : NULL;
	if (!class)
		decode_ctf2_unknown(p, "a field class that is not known", name ? name : p->where);
	if (!type)
		return NULL;
	*type = (struct lane_tsdl_type){ .kind = class->kind,
					 .align = 1,
					 .is_signed = class->is_signed,
					 .is_bool = class->is_bool };
	return class->take(p, from, type) ? type : NULL;
}

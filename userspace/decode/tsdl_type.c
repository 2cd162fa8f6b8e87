// SPDX-License-Identifier: MIT
// Types of TSDL: integers, structures, variants, enumerations, arrays, and the names they have.
#include "decode/tsdl_parse.h"

#include <stdio.h>

enum {
	MOST_ALIGN = 64, /* bits; what no tracer exceeds */
};

static struct lane_tsdl_type *new_type(struct lane_tsdl_parser *p, enum lane_tsdl_kind kind)
{
	struct lane_tsdl_type *type = decode_arena_take(p->arena, sizeof(*type));

	if (!type) {
		decode_tsdl_unknown(p, "too much of it");
		return NULL;
	}
	type->kind = kind;
	type->align = 1;
	return type;
}

static uint64_t tsdl_type_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t tsdl_type_multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* --- names --- */

/* The words that make up C's types together. */
static bool is_type_word(const struct lane_token *token)
{
	static const char *const words[] = { "unsigned", "signed", "long",   "int",   "short",
					     "char",	 "float",  "double", "_Bool", "void" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (decode_token_is(token, words[i]))
			return true;
	return false;
}

static bool give_name(struct lane_tsdl_parser *p, const char *name,
		      const struct lane_tsdl_type *type)
{
	if (p->n_names == LANE_TSDL_NAMES)
		return decode_tsdl_unknown(p, "too many names of types");
	p->names[p->n_names++] = (struct lane_tsdl_name){ name, type };
	return true;
}

/* The type of that name; the one of the innermost block. */
static const struct lane_tsdl_type *tsdl_type_find_name(const struct lane_tsdl_parser *p,
							const char *name)
{
	for (uint32_t i = p->n_names; i--;)
		if (!strcmp(p->names[i].name, name))
			return p->names[i].type;
	return NULL;
}

/* "struct NAME" and its like, of the name that is the next token. */
static const char *tag_name(struct lane_tsdl_parser *p, const char *what)
{
	const struct lane_token *token = &p->token;
	size_t n = strlen(what);
	char *name = decode_arena_take(p->arena, n + 1 + token->length + 1);

	if (!name) {
		decode_tsdl_unknown(p, "too much of it");
		return NULL;
	}
	memcpy(name, what, n);
	name[n] = ' ';
	memcpy(name + n + 1, token->text, token->length);
	decode_tsdl_advance(p);
	return name;
}

/* The words of a type's name, "unsigned long", with one space between. */
static const char *type_words(struct lane_tsdl_parser *p)
{
	char name[128];
	size_t n = 0;
	bool more;
	char *copy;

	do {
		more = is_type_word(&p->token);
		if (p->token.kind != LANE_TOKEN_WORD || n + p->token.length + 2 > sizeof(name)) {
			decode_tsdl_unknown(p, "a type that is none");
			return NULL;
		}
		if (n)
			name[n++] = ' ';
		memcpy(name + n, p->token.text, p->token.length);
		n += p->token.length;
		decode_tsdl_advance(p);
	} while (more && is_type_word(&p->token));
	copy = decode_arena_take(p->arena, n + 1);
	if (copy)
		memcpy(copy, name, n);
	else
		decode_tsdl_unknown(p, "too much of it");
	return copy;
}

/* --- numbers and texts --- */

static bool is_true(const struct lane_tsdl_value *value, bool *result)
{
	if (value->is_number)
		*result = value->number != 0;
	else
		*result = !strcmp(value->text, "true") || !strcmp(value->text, "TRUE");
	return value->is_number || *result || !strcmp(value->text, "false") ||
	       !strcmp(value->text, "FALSE");
}

static bool take_order(struct lane_tsdl_type *type, const char *text)
{
	if (!strcmp(text, "le"))
		type->order = LANE_TSDL_LITTLE;
	else if (!strcmp(text, "be") || !strcmp(text, "network"))
		type->order = LANE_TSDL_BIG;
	else
		return !strcmp(text, "native");
	return true;
}

static bool tsdl_type_take_align(struct lane_tsdl_type *type, int64_t align)
{
	type->align = (uint32_t)align;
	return align > 0 && align <= MOST_ALIGN && !(align & (align - 1));
}

/* One attribute of an integer; false: its value is none. Those of no effect are left out. */
static bool integer_attribute(struct lane_tsdl_type *type, const char *name,
			      const struct lane_tsdl_value *value)
{
	const char *text = value->text ? value->text : "";

	if (!strcmp(name, "size")) {
		type->size = (uint32_t)value->number;
		return value->is_number && value->number > 0 && value->number <= 64;
	}
	if (!strcmp(name, "align"))
		return value->is_number && tsdl_type_take_align(type, value->number);
	if (!strcmp(name, "signed"))
		return is_true(value, &type->is_signed);
	if (!strcmp(name, "byte_order"))
		return take_order(type, text);
	if (!strcmp(name, "encoding")) {
		type->is_text = !strcmp(text, "UTF8") || !strcmp(text, "utf8") ||
				!strcmp(text, "UTF-8") || !strcmp(text, "utf-8") ||
				!strcmp(text, "ASCII") || !strcmp(text, "ascii");
		return type->is_text || !strcmp(text, "none");
	}
	if (!strcmp(name, "map")) {
		type->clock = text;
		return !strncmp(text, "clock.", 6);
	}
	return !strcmp(name, "base");
}

static bool float_attribute(struct lane_tsdl_type *type, const char *name,
			    const struct lane_tsdl_value *value)
{
	if (!strcmp(name, "exp_dig") || !strcmp(name, "mant_dig")) {
		type->size += (uint32_t)value->number;
		return value->is_number && value->number > 0 && value->number <= 64;
	}
	if (!strcmp(name, "align"))
		return value->is_number && tsdl_type_take_align(type, value->number);
	return !strcmp(name, "byte_order") && take_order(type, value->text ? value->text : "");
}

/* The attributes in braces of a type that is one of these two; false, told: not known. */
static bool attributes(struct lane_tsdl_parser *p, struct lane_tsdl_type *type)
{
	type->align = 0;
	if (!decode_tsdl_expect(p, '{'))
		return false;
	while (!decode_tsdl_take_sign(p, '}')) {
		struct lane_tsdl_value value;
		const char *name = decode_tsdl_path(p);

		if (!name || !decode_tsdl_expect(p, '=') || !decode_tsdl_value(p, &value) ||
		    !decode_tsdl_expect(p, ';'))
			return false;
		if (!(type->kind == LANE_TSDL_FLOAT ? float_attribute(type, name, &value)
						    : integer_attribute(type, name, &value)))
			return decode_tsdl_unknown_name(p, "an attribute that is not known", name);
	}
	if (!type->size)
		return decode_tsdl_unknown(p, "a number without a size");
	if (!type->align)
		type->align = type->size % 8 ? 1 : 8;
	type->min_bits = type->size;
	return true;
}

static const struct lane_tsdl_type *tsdl_type_number(struct lane_tsdl_parser *p,
						     enum lane_tsdl_kind kind)
{
	struct lane_tsdl_type *type = new_type(p, kind);

	return type && attributes(p, type) ? type : NULL;
}

/* A string, whose encoding makes no difference. */
static const struct lane_tsdl_type *tsdl_type_string(struct lane_tsdl_parser *p)
{
	struct lane_tsdl_type *type = new_type(p, LANE_TSDL_STRING);

	if (!type)
		return NULL;
	type->align = type->min_bits = 8;
	if (!decode_tsdl_take_sign(p, '{'))
		return type;
	while (!decode_tsdl_take_sign(p, '}')) {
		struct lane_tsdl_value value;
		const char *name = decode_tsdl_path(p);

		if (!name || !decode_tsdl_expect(p, '=') || !decode_tsdl_value(p, &value) ||
		    !decode_tsdl_expect(p, ';'))
			return NULL;
		if (strcmp(name, "encoding") != 0) {
			decode_tsdl_unknown_name(p, "an attribute that is not known", name);
			return NULL;
		}
	}
	return type;
}

/* --- enumerations --- */

/* The values of an enumerator; the first one is `next` where it says none. */
static bool range(struct lane_tsdl_parser *p, struct lane_tsdl_label *label, uint64_t next)
{
	struct lane_tsdl_value value;

	label->from = label->to = next;
	if (!decode_tsdl_take_sign(p, '='))
		return true;
	if (!decode_tsdl_value(p, &value))
		return false;
	label->from = label->to = (uint64_t)value.number;
	if (value.is_number && p->token.kind == LANE_TOKEN_DOTS) {
		decode_tsdl_advance(p);
		if (!decode_tsdl_value(p, &value))
			return false;
		label->to = (uint64_t)value.number;
	}
	return value.is_number || decode_tsdl_unknown(p, "an enumerator without a number");
}

static bool enumerators(struct lane_tsdl_parser *p, struct lane_tsdl_type *type)
{
	struct lane_tsdl_label *labels = NULL;
	uint64_t next = 0;

	while (!decode_tsdl_take_sign(p, '}')) {
		struct lane_tsdl_label *label;

		if (p->token.kind != LANE_TOKEN_WORD && p->token.kind != LANE_TOKEN_TEXT)
			return decode_tsdl_unknown(p, "an enumerator without a name");
		if (!decode_tsdl_grow(p, &labels, type->n_labels, sizeof(*labels)))
			return false;
		label = &labels[type->n_labels++];
		label->name = decode_tsdl_copy(p, &p->token);
		if (!label->name)
			return false;
		decode_tsdl_advance(p);
		if (!range(p, label, next))
			return false;
		next = label->to + 1;
		if (!decode_tsdl_take_sign(p, ',') && !decode_token_is_sign(&p->token, '}'))
			return decode_tsdl_unknown(p, "enumerators without a comma between");
	}
	type->labels = labels;
	return true;
}

/* `enum`, whose name, if it has one, is the next token. */
static const struct lane_tsdl_type *enumeration(struct lane_tsdl_parser *p)
{
	const struct lane_tsdl_type *integer;
	struct lane_tsdl_type *type;
	const char *name = NULL;

	if (p->token.kind == LANE_TOKEN_WORD) {
		name = tag_name(p, "enum");
		if (!name)
			return NULL;
	}
	if (name && !decode_token_is_sign(&p->token, ':') &&
	    !decode_token_is_sign(&p->token, '{')) {
		integer = tsdl_type_find_name(p, name);
		if (!integer)
			decode_tsdl_unknown(p, "an enumeration that is not declared");
		return integer;
	}
	integer =
		decode_tsdl_take_sign(p, ':') ? decode_tsdl_type(p) : tsdl_type_find_name(p, "int");
	type = integer && integer->kind == LANE_TSDL_INTEGER ? new_type(p, LANE_TSDL_INTEGER)
							     : NULL;
	if (!type) {
		decode_tsdl_unknown(p, "an enumeration of no integer");
		return NULL;
	}
	*type = *integer;
	type->is_enum = true;
	type->n_labels = 0;
	if (!decode_tsdl_expect(p, '{') || !enumerators(p, type) ||
	    (name && !give_name(p, name, type)))
		return NULL;
	return type;
}

/* --- arrays --- */

enum {
	MOST_DIMENSIONS = 8
};

struct dimension {
	bool is_sequence;
	uint64_t length;
	const char *ref;
};

static bool take_dimension(struct lane_tsdl_parser *p, struct dimension *dimension)
{
	*dimension = (struct dimension){ .is_sequence = p->token.kind == LANE_TOKEN_WORD,
					 .length = p->token.number };
	if (dimension->is_sequence) {
		dimension->ref = decode_tsdl_path(p);
		return dimension->ref && decode_tsdl_expect(p, ']');
	}
	if (p->token.kind != LANE_TOKEN_NUMBER)
		return decode_tsdl_unknown(p, "an array without a length");
	decode_tsdl_advance(p);
	return decode_tsdl_expect(p, ']');
}

/* The dimensions behind a name, if there are any; the last one is the innermost. */
static const struct lane_tsdl_type *dimensions(struct lane_tsdl_parser *p,
					       const struct lane_tsdl_type *type)
{
	struct dimension all[MOST_DIMENSIONS];
	unsigned int n = 0;

	while (decode_tsdl_take_sign(p, '[')) {
		if (n == MOST_DIMENSIONS) {
			decode_tsdl_unknown(p, "an array of many dimensions");
			return NULL;
		}
		if (!take_dimension(p, &all[n++]))
			return NULL;
	}
	while (type && n--) {
		struct lane_tsdl_type *array =
			new_type(p, all[n].is_sequence ? LANE_TSDL_SEQUENCE : LANE_TSDL_ARRAY);

		if (!array)
			return NULL;
		array->align = type->align;
		array->length = all[n].length;
		array->ref = all[n].ref;
		array->element = type;
		array->has_ref = all[n].is_sequence || type->has_ref;
		array->min_bits =
			all[n].is_sequence ? 0 : tsdl_type_multiply(all[n].length, type->min_bits);
		type = array;
	}
	return type;
}

/* --- structures and variants --- */

static bool tsdl_type_member(struct lane_tsdl_parser *p, struct lane_tsdl_type *type,
			     struct lane_tsdl_member **members, const struct lane_tsdl_type *of)
{
	struct lane_tsdl_member *to;

	if (p->token.kind != LANE_TOKEN_WORD)
		return decode_tsdl_unknown(p, "a field without a name");
	if (!decode_tsdl_grow(p, members, type->n_members, sizeof(**members)))
		return false;
	to = &(*members)[type->n_members];
	to->name = decode_tsdl_copy(p, &p->token);
	if (!to->name)
		return false;
	decode_tsdl_advance(p);
	to->type = dimensions(p, of);
	if (!to->type)
		return false;
	if (type->kind == LANE_TSDL_STRUCT) {
		type->min_bits = tsdl_type_add(type->min_bits, to->type->min_bits);
		if (to->type->align > type->align)
			type->align = to->type->align;
	} else if (!type->n_members || to->type->min_bits < type->min_bits) {
		type->min_bits = to->type->min_bits;
	}
	type->has_ref |= to->type->has_ref;
	type->n_members++;
	return true;
}

/* The members, up to the closing brace. */
static bool members(struct lane_tsdl_parser *p, struct lane_tsdl_type *type)
{
	struct lane_tsdl_member *all = NULL;
	uint32_t n_names = p->n_names;

	if (++p->depth > LANE_TSDL_DEPTH)
		return decode_tsdl_unknown(p, "blocks in too many blocks");
	while (!decode_tsdl_take_sign(p, '}')) {
		const struct lane_tsdl_type *of;

		if (decode_token_is(&p->token, "typealias") ||
		    decode_token_is(&p->token, "typedef")) {
			if (!decode_tsdl_definition(p))
				return false;
			continue;
		}
		of = decode_tsdl_type(p);
		if (!of)
			return false;
		/* Only a name for a type. */
		if (decode_tsdl_take_sign(p, ';'))
			continue;
		do {
			if (!tsdl_type_member(p, type, &all, of))
				return false;
		} while (decode_tsdl_take_sign(p, ','));
		if (!decode_tsdl_expect(p, ';'))
			return false;
	}
	type->members = all;
	p->depth--;
	p->n_names = n_names;
	return true;
}

/* `struct`, whose name, if it has one, is the next token. */
static const struct lane_tsdl_type *structure(struct lane_tsdl_parser *p)
{
	const struct lane_tsdl_type *known;
	struct lane_tsdl_type *type;
	struct lane_tsdl_value align;
	const char *name = NULL;

	if (p->token.kind == LANE_TOKEN_WORD) {
		name = tag_name(p, "struct");
		if (!name)
			return NULL;
	}
	if (name && !decode_token_is_sign(&p->token, '{')) {
		known = tsdl_type_find_name(p, name);
		if (!known)
			decode_tsdl_unknown(p, "a structure that is not declared");
		return known;
	}
	type = new_type(p, LANE_TSDL_STRUCT);
	if (!type || !decode_tsdl_expect(p, '{') || !members(p, type))
		return NULL;
	if (decode_tsdl_take_word(p, "align")) {
		uint32_t of_members = type->align;

		if (!decode_tsdl_expect(p, '(') || !decode_tsdl_value(p, &align) ||
		    !decode_tsdl_expect(p, ')'))
			return NULL;
		if (!align.is_number || !tsdl_type_take_align(type, align.number)) {
			decode_tsdl_unknown(p, "an alignment that is none");
			return NULL;
		}
		if (of_members > type->align)
			type->align = of_members;
	}
	return !name || give_name(p, name, type) ? type : NULL;
}

/* `<tag>`, if it is there. */
static bool tag(struct lane_tsdl_parser *p, const char **ref)
{
	*ref = NULL;
	if (!decode_tsdl_take_sign(p, '<'))
		return true;
	*ref = decode_tsdl_path(p);
	return *ref && decode_tsdl_expect(p, '>');
}

/* `variant`, whose name and tag, if it has them, follow. */
static const struct lane_tsdl_type *tsdl_type_variant(struct lane_tsdl_parser *p)
{
	const struct lane_tsdl_type *known = NULL;
	struct lane_tsdl_type *type = new_type(p, LANE_TSDL_VARIANT);
	const char *name = NULL;
	const char *ref;

	if (!type)
		return NULL;
	if (p->token.kind == LANE_TOKEN_WORD) {
		name = tag_name(p, "variant");
		if (!name)
			return NULL;
	}
	if (!tag(p, &ref))
		return NULL;
	if (decode_tsdl_take_sign(p, '{')) {
		if (!members(p, type))
			return NULL;
		type->align = 1;
		type->has_ref = true;
		type->ref = ref;
		return !name || give_name(p, name, type) ? type : NULL;
	}
	if (name)
		known = tsdl_type_find_name(p, name);
	if (!known || known->kind != LANE_TSDL_VARIANT) {
		decode_tsdl_unknown(p, "a variant that is not declared");
		return NULL;
	}
	*type = *known;
	if (ref)
		type->ref = ref;
	return type;
}

/* --- all types --- */

const struct lane_tsdl_type *decode_tsdl_type(struct lane_tsdl_parser *p)
{
	const struct lane_tsdl_type *type;
	const char *name;

	while (decode_tsdl_take_word(p, "const"))
		;
	if (decode_tsdl_take_word(p, "integer"))
		return tsdl_type_number(p, LANE_TSDL_INTEGER);
	if (decode_tsdl_take_word(p, "floating_point"))
		return tsdl_type_number(p, LANE_TSDL_FLOAT);
	if (decode_tsdl_take_word(p, "string"))
		return tsdl_type_string(p);
	if (decode_tsdl_take_word(p, "struct"))
		return structure(p);
	if (decode_tsdl_take_word(p, "variant"))
		return tsdl_type_variant(p);
	if (decode_tsdl_take_word(p, "enum"))
		return enumeration(p);
	name = type_words(p);
	if (!name)
		return NULL;
	type = tsdl_type_find_name(p, name);
	if (!type)
		decode_tsdl_unknown(p, "a type that is not declared");
	return type;
}

bool decode_tsdl_begins_definition(const struct lane_tsdl_parser *p)
{
	static const char *const words[] = { "typealias", "typedef", "struct", "variant", "enum" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (decode_token_is(&p->token, words[i]))
			return true;
	return false;
}

bool decode_tsdl_definition(struct lane_tsdl_parser *p)
{
	bool is_alias = decode_tsdl_take_word(p, "typealias");
	bool is_typedef = !is_alias && decode_tsdl_take_word(p, "typedef");
	const struct lane_tsdl_type *type = decode_tsdl_type(p);
	const char *name;

	if (!type)
		return false;
	if (is_alias) {
		if (p->token.kind != LANE_TOKEN_ASSIGN)
			return decode_tsdl_unknown(p, "a typealias without a name");
		decode_tsdl_advance(p);
		name = type_words(p);
		if (!name || !give_name(p, name, type))
			return false;
	} else if (is_typedef) {
		if (p->token.kind != LANE_TOKEN_WORD)
			return decode_tsdl_unknown(p, "a typedef without a name");
		name = decode_tsdl_copy(p, &p->token);
		decode_tsdl_advance(p);
		type = name ? dimensions(p, type) : NULL;
		if (!type || !give_name(p, name, type))
			return false;
	}
	return decode_tsdl_expect(p, ';');
}

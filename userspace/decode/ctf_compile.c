// SPDX-License-Identifier: MIT
// Makes the programs that read CTF structures of their types.
#include "decode/ctf_program.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_STEPS = 8192,
	MOST_LOOKS = 1 << 22, /* at members and labels, each time that a type is used, in all */
	MOST_SKIP = 1 << 30,  /* bits in one step */
	MOST_OPTIONS = 256,
};

/* An integer whose value is needed later in its structure, or in those in it. */
struct kept {
	const struct lane_tsdl_member *member;
	uint8_t reg;
};

struct lane_compiler {
	bool is_big;
	bool is_ctf2;
	bool failed;
	bool is_id;
	bool is_deep; /* members of inner structures have places, too */
	lane_place *place;
	void *arg;
	const char **why;
	struct lane_program program;
	uint32_t cap_steps, cap_choices;
	uint32_t target; /* the last step that is gone to: what is before it is as it is */
	struct kept kept[LANE_REGISTERS];
	uint8_t n_kept, n_regs;
	uint8_t most_regs; /* those behind are for lengths and tags of other programs */
	uint64_t *looks;
	/* Where the next bit lies is known to be `rest` behind a multiple of `known` bits. */
	uint32_t known, rest;
};

static bool ctf_compile_fail(struct lane_compiler *c, const char *why)
{
	if (!c->failed)
		*c->why = why;
	c->failed = true;
	return false;
}

/* Looks at so many members or labels; false: all together were too many. */
static bool ctf_compile_look(struct lane_compiler *c, uint32_t n)
{
	*c->looks += n;
	return *c->looks <= MOST_LOOKS || ctf_compile_fail(c, "structures that take too long");
}

struct lane_compiler *decode_compiler_create(struct lane_tsdl *tsdl, const char *why[1])
{
	struct lane_compiler *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->is_big = tsdl->is_big;
	c->is_ctf2 = tsdl->is_ctf2;
	c->most_regs = (uint8_t)(LANE_REGISTERS - tsdl->n_far);
	c->looks = &tsdl->looks;
	c->why = why;
	c->known = 1;
	c->n_regs = LANE_REGISTER_ID + 1;
	return c;
}

static bool is_bytes(const struct lane_compiler *c)
{
	return c->known >= 8 && !(c->rest % 8);
}

/* Adds a step and returns its place; on failure somewhere to write to. */
static struct lane_step *emit(struct lane_compiler *c, enum lane_step_code code, uint32_t n)
{
	static struct lane_step nowhere;
	struct lane_program *program = &c->program;

	if (program->n_steps == c->cap_steps) {
		uint32_t cap = c->cap_steps ? 2 * c->cap_steps : 16;
		struct lane_step *more =
			cap > MOST_STEPS ? NULL : reallocarray(program->steps, cap, sizeof(*more));

		if (!more) {
			ctf_compile_fail(c, "a structure of very many fields");
			return &nowhere;
		}
		program->steps = more;
		c->cap_steps = cap;
	}
	program->steps[program->n_steps] = (struct lane_step){ .code = (uint8_t)code, .n = n };
	return &program->steps[program->n_steps++];
}

/* A choice that is open: where it leads is not known yet, only for which option it is. */
static bool choice(struct lane_compiler *c, const struct lane_tsdl_label *label, bool is_signed,
		   uint32_t index)
{
	struct lane_program *program = &c->program;

	if (program->n_choices == c->cap_choices) {
		uint32_t cap = c->cap_choices ? 2 * c->cap_choices : 16;
		struct lane_choice *more =
			cap > MOST_STEPS ? NULL
					 : reallocarray(program->choices, cap, sizeof(*more));

		if (!more)
			return ctf_compile_fail(c, "a variant of very many options");
		program->choices = more;
		c->cap_choices = cap;
	}
	program->choices[program->n_choices++] =
		(struct lane_choice){ label->from, label->to, index, is_signed, true };
	return true;
}

static uint8_t new_register(struct lane_compiler *c)
{
	if (c->n_regs == c->most_regs) {
		ctf_compile_fail(c, "many lengths and tags");
		return 0;
	}
	return c->n_regs++;
}

static void ctf_compile_moved(struct lane_compiler *c, uint64_t bits)
{
	c->rest = (uint32_t)((c->rest + bits) % c->known);
}

/* A number of bits that is not known: a multiple of unit. */
static void moved_by(struct lane_compiler *c, uint64_t unit)
{
	while (c->known > 1 && unit % c->known)
		c->known /= 2;
	c->rest %= c->known;
}

static void ctf_compile_skip(struct lane_compiler *c, uint64_t bits)
{
	struct lane_program *program = &c->program;
	struct lane_step *last =
		program->n_steps > c->target ? &program->steps[program->n_steps - 1] : NULL;

	if (!bits)
		return;
	if (bits > MOST_SKIP) {
		ctf_compile_fail(c, "a very long array");
		return;
	}
	if (last && last->code == LANE_STEP_SKIP && last->n <= MOST_SKIP - bits)
		last->n += (uint32_t)bits;
	else
		emit(c, LANE_STEP_SKIP, (uint32_t)bits);
	ctf_compile_moved(c, bits);
}

static void align(struct lane_compiler *c, uint32_t bits)
{
	if (c->known >= bits) {
		ctf_compile_skip(c, (bits - c->rest % bits) % bits);
		return;
	}
	emit(c, LANE_STEP_ALIGN, bits);
	c->known = bits;
	c->rest = 0;
}

/* The next step is gone to from elsewhere, where less may be known of its place. */
static void here(struct lane_compiler *c, bool are_bytes)
{
	c->target = c->program.n_steps;
	c->known = are_bytes ? 8 : 1;
	c->rest = 0;
}

static bool compile(struct lane_compiler *c, const struct lane_tsdl_type *type,
		    const struct lane_field_slot *slot);

/* --- numbers --- */

static uint8_t flags_of(const struct lane_compiler *c, const struct lane_tsdl_type *type)
{
	bool is_big = type->order == LANE_TSDL_NATIVE ? c->is_big : type->order == LANE_TSDL_BIG;

	return (uint8_t)((is_big ? LANE_STEP_BIG : 0) | (type->is_signed ? LANE_STEP_SIGNED : 0) |
			 (type->is_reversed ? LANE_STEP_REVERSED : 0));
}

/*
 * The step before, if bytes that are as they are in their place end there where others now begin:
 * one step copies both. NULL: there is none.
 */
static struct lane_step *copied_before(struct lane_compiler *c, const struct lane_field_slot *slot)
{
	struct lane_program *program = &c->program;
	struct lane_step *last =
		program->n_steps > c->target ? &program->steps[program->n_steps - 1] : NULL;

	if (last && last->code == LANE_STEP_BYTES && last->room * 8 == last->bits &&
	    last->offset + last->room == slot->offset) {
		*last = (struct lane_step){ .code = LANE_STEP_COPY,
					    .offset = last->offset,
					    .n = last->room };
		return last;
	}
	return last && last->code == LANE_STEP_COPY && last->offset + last->n == slot->offset
		       ? last
		       : NULL;
}

static uint8_t id_flag(const struct lane_field_slot *slot)
{
	return lane_type_is_id(slot->type) ? LANE_STEP_ID : 0;
}

/* An integer; reg (-1: none) is where it is kept. */
static void ctf_compile_integer(struct lane_compiler *c, const struct lane_tsdl_type *type,
				const struct lane_field_slot *slot, int reg)
{
	struct lane_step *step;
	uint8_t flags = flags_of(c, type);
	bool are_bytes;

	if (slot && (lane_type_is_text(slot->type) || slot->size > 8))
		slot = NULL;
	align(c, type->align);
	if (reg < 0 && !slot && !type->clock && type->size) {
		ctf_compile_skip(c, type->size);
		return;
	}
	if (type->size > 64)
		ctf_compile_fail(c, "an integer of more than 64 bits");
	if (reg >= 0)
		flags |= LANE_STEP_KEEP;
	if (type->clock)
		flags |= LANE_STEP_CLOCK;
	are_bytes = is_bytes(c) && !(type->size % 8) && !(flags & ~LANE_STEP_SIGNED);
	step = are_bytes && slot && slot->size * 8 == type->size ? copied_before(c, slot) : NULL;
	if (step) {
		step->n += slot->size;
		ctf_compile_moved(c, type->size);
		return;
	}
	step = emit(c,
		    !type->size ? LANE_STEP_LEB128
		    : are_bytes ? LANE_STEP_BYTES
				: LANE_STEP_INTEGER,
		    0);
	step->flags = flags;
	step->bits = (uint8_t)type->size;
	step->reg = reg < 0 ? 0 : (uint8_t)reg;
	step->offset = slot ? slot->offset : 0;
	step->room = slot ? (uint8_t)slot->size : 0;
	if (type->size)
		ctf_compile_moved(c, type->size);
	else
		moved_by(c, 8);
}

/* --- who needs an integer --- */

/* True when something in the type has its length or tag in `name`. */
static bool needs(struct lane_compiler *c, const struct lane_tsdl_type *type, const char *name)
{
	if (!ctf_compile_look(c, 1) || !type->has_ref)
		return false;
	if (type->ref && !strcmp(type->ref, name))
		return true;
	if (type->element)
		return needs(c, type->element, name);
	for (uint32_t i = 0; i < type->n_members; i++)
		if (needs(c, type->members[i].type, name))
			return true;
	return false;
}

/* The length or the tag of a type; NULL, told: it is not in this structure. */
static const struct kept *find_kept(struct lane_compiler *c, const struct lane_tsdl_type *type)
{
	for (unsigned int i = c->n_kept; i--;) {
		const struct lane_tsdl_member *member = c->kept[i].member;

		if (c->is_ctf2 ? member->place == type->ref_place
			       : type->ref && !strcmp(member->name, type->ref))
			return &c->kept[i];
	}
	ctf_compile_fail(c, "a length or a tag that is elsewhere");
	return NULL;
}

/* The register that it is in; of CTF 2, it may be of another program. */
static uint8_t register_of(struct lane_compiler *c, const struct lane_tsdl_type *type)
{
	const struct kept *kept = type->ref_far ? NULL : find_kept(c, type);

	return kept ? kept->reg : (uint8_t)(LANE_REGISTERS - type->ref_far);
}

/* Names end with their structure; places that have numbers do not. */
static void ctf_compile_forget(struct lane_compiler *c, uint8_t n_kept)
{
	if (!c->is_ctf2)
		c->n_kept = n_kept;
}

/* --- arrays and sequences --- */

static bool is_number(const struct lane_tsdl_type *type)
{
	return type->size && (type->kind == LANE_TSDL_INTEGER || type->kind == LANE_TSDL_FLOAT);
}

static bool is_text(const struct lane_tsdl_type *element)
{
	return element->kind == LANE_TSDL_INTEGER && element->is_text && element->size == 8 &&
	       element->align == 8;
}

/* Where an array's length is at run time: a register of its own, that may be counted down. */
static uint8_t counter(struct lane_compiler *c, const struct lane_tsdl_type *type, int length)
{
	uint8_t reg = new_register(c);
	struct lane_step *step;

	if (length < 0 && type->length > UINT32_MAX)
		ctf_compile_fail(c, "a very long array");
	step = emit(c, LANE_STEP_COUNT, length < 0 ? (uint32_t)type->length : (uint32_t)length);
	step->reg = reg;
	step->flags = length < 0 ? 0 : LANE_STEP_KEEP;
	return reg;
}

/* Integers that are to be characters; what is no unsigned number is none. */
static void ctf_compile_characters(struct lane_compiler *c, const struct lane_tsdl_type *type,
				   const struct lane_field_slot *slot, int length)
{
	const struct lane_tsdl_type *element = type->element;
	uint8_t reg = counter(c, type, length);
	struct lane_step *step = emit(c, LANE_STEP_CHARACTERS, 0);

	step->flags = flags_of(c, element) | id_flag(slot);
	step->bits = (uint8_t)element->size;
	step->align = (uint8_t)element->align;
	step->reg = reg;
	step->offset = slot->offset;
	step->room = (uint8_t)slot->size;
	moved_by(c, element->size);
}

/* Elements one by one. */
static bool loop(struct lane_compiler *c, const struct lane_tsdl_type *type, int length)
{
	uint32_t repeat, before;
	uint8_t reg = counter(c, type, length);
	bool is_deep = c->is_deep;

	if (!type->element->min_bits)
		return ctf_compile_fail(c, "an array of nothing");
	repeat = c->program.n_steps;
	emit(c, LANE_STEP_REPEAT, 0)->reg = reg;
	here(c, false);
	before = c->n_kept;
	c->is_deep = false; /* several elements cannot have one place */
	if (!compile(c, type->element, NULL))
		return false;
	c->is_deep = is_deep;
	ctf_compile_forget(c, (uint8_t)before);
	emit(c, LANE_STEP_AGAIN, repeat)->reg = reg;
	here(c, false);
	c->program.steps[repeat].n = c->program.n_steps;
	return !c->failed;
}

/* What a text's smallest pieces are. */
static void set_unit(struct lane_step *step, const struct lane_tsdl_type *type)
{
	step->bits = (uint8_t)(8 * type->unit);
	step->flags |= type->unit && type->order == LANE_TSDL_BIG ? LANE_STEP_BIG : 0;
}

/* An array of numbers, or of texts, that is not taken apart. */
static void ctf_compile_plain(struct lane_compiler *c, const struct lane_tsdl_type *type,
			      const struct lane_field_slot *slot, int length)
{
	const struct lane_tsdl_type *element = type->element;
	bool is_placed = slot && is_text(element) && lane_type_is_text(slot->type);
	bool is_copied = slot && !lane_type_is_text(slot->type) && slot->size == 16 &&
			 element->size == 8 && type->length == 16 && is_bytes(c);
	struct lane_step *step;

	if (length < 0 && !is_placed && !is_copied) {
		if (type->length > MOST_SKIP)
			ctf_compile_fail(c, "a very long array");
		else
			ctf_compile_skip(c, type->length * element->size);
		return;
	}
	if (length >= 0) {
		step = emit(c, is_placed ? LANE_STEP_REG_TEXT : LANE_STEP_REG_SKIP, element->size);
		step->reg = (uint8_t)length;
		moved_by(c, element->size);
	} else {
		step = emit(c, is_placed ? LANE_STEP_TEXT : LANE_STEP_COPY, (uint32_t)type->length);
		if (type->length > MOST_SKIP / 8)
			ctf_compile_fail(c, "a very long array");
		ctf_compile_moved(c, type->length * 8);
	}
	if (is_placed || is_copied) {
		step->offset = slot->offset;
		step->room = (uint8_t)slot->size;
		step->flags |= is_placed ? id_flag(slot) : 0;
		set_unit(step, type);
	}
}

static bool array(struct lane_compiler *c, const struct lane_tsdl_type *type,
		  const struct lane_field_slot *slot)
{
	const struct lane_tsdl_type *element = type->element;
	int length = -1;

	if (type->kind == LANE_TSDL_SEQUENCE) {
		if (!c->is_ctf2) {
			const struct kept *kept = find_kept(c, type);

			if (kept && kept->member->type->is_signed)
				return ctf_compile_fail(c, "a length that is signed");
		}
		length = register_of(c, type);
		if (c->failed)
			return false;
	}
	align(c, type->align);
	if (is_number(element) && slot && lane_type_is_text(slot->type) && !is_text(element) &&
	    element->kind == LANE_TSDL_INTEGER && element->size <= 64 && !element->is_signed &&
	    !element->is_enum)
		ctf_compile_characters(c, type, slot, length);
	else if (is_number(element) && !(element->size % element->align) && !element->clock)
		ctf_compile_plain(c, type, slot, length);
	else
		return loop(c, type, length);
	return !c->failed;
}

/* --- structures and variants --- */

/* The same of CTF 2, whose options have them. */
static bool option_of_ranges(struct lane_compiler *c, const struct lane_tsdl_type *type,
			     uint32_t index)
{
	const struct lane_tsdl_member *member = &type->members[index];

	if (!ctf_compile_look(c, member->n_ranges))
		return false;
	for (uint32_t i = 0; i < member->n_ranges; i++)
		if (!choice(c, &member->ranges[i], type->is_ref_signed, index))
			return false;
	return true;
}

/* The values of the tag for which a variant has that option. */
static bool option(struct lane_compiler *c, const struct lane_tsdl_member *member, uint32_t index,
		   const struct lane_tsdl_type *tag)
{
	if (!ctf_compile_look(c, tag->n_labels))
		return false;
	for (uint32_t i = 0; i < tag->n_labels; i++)
		if (!strcmp(tag->labels[i].name, member->name) &&
		    !choice(c, &tag->labels[i], tag->is_signed, index))
			return false;
	return true;
}

/* The choices from first up to last that are for the option: they lead to the next step. */
static bool lead_here(struct lane_compiler *c, uint32_t first, uint32_t last, uint32_t index)
{
	bool any = false;

	for (uint32_t i = first; i < last; i++) {
		struct lane_choice *it = &c->program.choices[i];

		if (it->is_open && it->step == index) {
			it->is_open = false;
			it->step = c->program.n_steps;
			any = true;
		}
	}
	return any;
}

/* The choices of a variant, and the step that takes one. */
static bool choices(struct lane_compiler *c, const struct lane_tsdl_type *type)
{
	const struct kept *kept = c->is_ctf2 ? NULL : find_kept(c, type);
	uint32_t first = c->program.n_choices;
	uint8_t reg = register_of(c, type);
	struct lane_step *step;

	if (c->failed)
		return false;
	if (kept && !kept->member->type->is_enum)
		return ctf_compile_fail(c, "a variant whose tag is no enumeration");
	for (uint32_t i = 0; i < type->n_members; i++)
		if (!(kept ? option(c, &type->members[i], i, kept->member->type)
			   : option_of_ranges(c, type, i)))
			return false;
	step = emit(c, LANE_STEP_CHOOSE, first);
	step->reg = reg;
	step->more = c->program.n_choices - first;
	return true;
}

static bool member_of(struct lane_compiler *c, const struct lane_tsdl_type *type, uint32_t index,
		      bool may_be_placed);

static bool ctf_compile_variant(struct lane_compiler *c, const struct lane_tsdl_type *type)
{
	uint32_t known = c->known, rest = c->rest;
	uint32_t first = c->program.n_choices, last, gos[MOST_OPTIONS], n_gos = 0;
	bool are_bytes = true;

	if (!choices(c, type))
		return false;
	last = c->program.n_choices;
	for (uint32_t i = 0; i < type->n_members; i++) {
		uint8_t before = c->n_kept;

		if (!lead_here(c, first, last, i))
			continue;
		if (n_gos == MOST_OPTIONS)
			return ctf_compile_fail(c, "a variant of very many options");
		c->target = c->program.n_steps;
		c->known = known;
		c->rest = rest;
		if (!(c->is_ctf2 ? member_of(c, type, i, c->is_deep)
				 : compile(c, type->members[i].type, NULL)))
			return false;
		ctf_compile_forget(c, before);
		are_bytes &= is_bytes(c);
		gos[n_gos++] = c->program.n_steps;
		emit(c, LANE_STEP_GO, 0);
	}
	if (c->failed)
		return false;
	here(c, are_bytes);
	for (uint32_t i = 0; i < n_gos; i++)
		c->program.steps[gos[i]].n = c->program.n_steps;
	return true;
}

/* True when the length or the tag of something behind the integer is in it. */
static bool ctf_compile_is_needed(struct lane_compiler *c, const struct lane_tsdl_type *type,
				  uint32_t index)
{
	const struct lane_tsdl_member *it = &type->members[index];

	if (c->is_ctf2)
		return it->place;
	for (uint32_t i = index + 1; type->has_ref && !c->failed && i < type->n_members; i++)
		if (needs(c, type->members[i].type, it->name))
			return true;
	return false;
}

/* The register of an integer that is needed; options of one variant may share theirs. */
static uint8_t register_for(struct lane_compiler *c, const struct lane_tsdl_member *it)
{
	if (it->far)
		return (uint8_t)(LANE_REGISTERS - it->far);
	for (unsigned int i = 0; c->is_ctf2 && i < c->n_kept; i++)
		if (c->kept[i].member->place == it->place)
			return c->kept[i].reg;
	return new_register(c);
}

/* Which event it is, or needed beyond it. */
static bool is_id(const struct lane_compiler *c, const struct lane_tsdl_member *it)
{
	return c->is_id &&
	       (c->is_ctf2 ? it->type->roles & LANE_ROLE_EVENT : !strcmp(it->name, "id"));
}

/* A member of a structure. */
static bool ctf_compile_member(struct lane_compiler *c, const struct lane_tsdl_type *type,
			       uint32_t index, const struct lane_field_slot *slot)
{
	const struct lane_tsdl_member *it = &type->members[index];
	int reg = is_id(c, it) ? LANE_REGISTER_ID : -1;
	struct lane_step *step;
	bool is_kept;

	if (!ctf_compile_look(c, 1))
		return false;
	if (it->type->kind != LANE_TSDL_INTEGER)
		return compile(c, it->type, slot);
	is_kept = ctf_compile_is_needed(c, type, index);
	if (is_kept && reg < 0)
		reg = register_for(c, it);
	ctf_compile_integer(c, it->type, slot, reg);
	if (it->far && reg == LANE_REGISTER_ID) {
		step = emit(c, LANE_STEP_COUNT, LANE_REGISTER_ID);
		step->reg = (uint8_t)(LANE_REGISTERS - it->far);
		step->flags = LANE_STEP_KEEP;
	}
	if (is_kept) {
		if (c->n_kept == LANE_REGISTERS)
			return ctf_compile_fail(c, "many lengths and tags");
		c->kept[c->n_kept++] = (struct kept){ it, (uint8_t)reg };
	}
	return !c->failed;
}

/* The same, to where it has its place if it may have one. */
static bool member_of(struct lane_compiler *c, const struct lane_tsdl_type *type, uint32_t index,
		      bool may_be_placed)
{
	struct lane_field_slot slot;
	bool is_placed =
		may_be_placed && c->place && c->place(c->arg, &type->members[index], &slot);

	return ctf_compile_member(c, type, index, is_placed ? &slot : NULL);
}

static bool compile(struct lane_compiler *c, const struct lane_tsdl_type *type,
		    const struct lane_field_slot *slot)
{
	struct lane_step *step;
	uint8_t before = c->n_kept;

	switch (type->kind) {
	case LANE_TSDL_INTEGER:
		ctf_compile_integer(c, type, slot, -1);
		break;
	case LANE_TSDL_FLOAT:
		align(c, type->align);
		ctf_compile_skip(c, type->size);
		break;
	case LANE_TSDL_STRING:
		align(c, 8);
		step = emit(c, LANE_STEP_STRING, 0);
		set_unit(step, type);
		if (slot && lane_type_is_text(slot->type)) {
			step->offset = slot->offset;
			step->room = (uint8_t)slot->size;
			step->flags |= id_flag(slot);
		}
		moved_by(c, 8);
		break;
	case LANE_TSDL_STRUCT:
		align(c, type->align);
		for (uint32_t i = 0; i < type->n_members; i++)
			if (!member_of(c, type, i, c->is_deep))
				return false;
		ctf_compile_forget(c, before);
		break;
	case LANE_TSDL_VARIANT:
		return ctf_compile_variant(c, type);
	default:
		return array(c, type, slot);
	}
	return !c->failed;
}

bool decode_compile(struct lane_compiler *c, const struct lane_tsdl_type *type, lane_place *place,
		    void *arg, bool id)
{
	if (!type || c->failed)
		return !c->failed;
	if (type->kind != LANE_TSDL_STRUCT)
		return ctf_compile_fail(c, "what should be a structure is none");
	c->is_id = id;
	c->place = place;
	c->arg = arg;
	ctf_compile_forget(c, 0);
	align(c, type->align);
	for (uint32_t i = 0; i < type->n_members; i++)
		if (!member_of(c, type, i, true))
			return false;
	return !c->failed;
}

void decode_compiler_go_deep(struct lane_compiler *c)
{
	c->is_deep = true;
}

bool decode_compiler_finish(struct lane_compiler *c, struct lane_program *program)
{
	bool ok;

	emit(c, LANE_STEP_END, 0);
	ok = !c->failed;
	*program = c->program;
	free(c);
	return ok;
}

void decode_program_free(struct lane_program *program)
{
	free(program->steps);
	free(program->choices);
	*program = (struct lane_program){ 0 };
}

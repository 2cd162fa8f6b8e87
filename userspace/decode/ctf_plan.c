// SPDX-License-Identifier: MIT
// Plans for reading the events of CTF event classes.
#include "decode/ctf_plan.h"

#include <string.h>

enum {
	MOST_DEPTH = 12
}; /* of structures in structures */

bool decode_plan_is_unsigned(const bt_field_class *field_class)
{
	return bt_field_class_type_is(bt_field_class_get_type(field_class),
				      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);
}

/* How a field can be read into a slot of this type; false when it cannot. */
static bool reading(const bt_field_class *field_class, enum lane_type type, enum lane_read *read)
{
	bt_field_class_type class_type = bt_field_class_get_type(field_class);
	const bt_field_class *element;

	if (!lane_type_is_text(type)) {
		*read = decode_plan_is_unsigned(field_class) ? LANE_READ_UNSIGNED
							     : LANE_READ_SIGNED;
		return bt_field_class_type_is(class_type, BT_FIELD_CLASS_TYPE_INTEGER);
	}
	if (class_type == BT_FIELD_CLASS_TYPE_STRING) {
		*read = LANE_READ_STRING;
		return true;
	}
	if (!bt_field_class_type_is(class_type, BT_FIELD_CLASS_TYPE_ARRAY))
		return false;
	element = bt_field_class_array_borrow_element_field_class_const(field_class);
	*read = LANE_READ_ARRAY;
	return bt_field_class_get_type(element) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER;
}

static void add_step(struct lane_plan *plan, const bt_field_class *field_class, uint64_t index,
		     const struct lane_field_slot *slot)
{
	struct lane_plan_step *step = &plan->steps[plan->n_steps];

	if (plan->n_steps == LANE_PLAN_STEPS || !reading(field_class, slot->type, &step->read))
		return;
	step->index = (uint32_t)index;
	step->slot = *slot;
	plan->n_steps++;
}

static void plan_context(struct lane_plan *plan, const bt_field_class *context)
{
	uint64_t n = context ? bt_field_class_structure_get_member_count(context) : 0;

	for (uint64_t i = 0; i < n; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(context, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		const struct lane_field_slot *slot;

		if (*name == 'v' &&
		    bt_field_class_structure_borrow_member_by_name_const(context, name + 1))
			continue;
		slot = decode_names_context_slot(name);
		if (slot)
			add_step(plan,
				 bt_field_class_structure_member_borrow_field_class_const(member),
				 i, slot);
	}
}

static void plan_payload(struct lane_plan *plan, const bt_field_class *payload,
			 const struct lane_names *names, bool is_perf)
{
	uint64_t n = payload ? bt_field_class_structure_get_member_count(payload) : 0;

	for (uint64_t i = 0; i < n; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(payload, i);
		const bt_field_class *field_class =
			bt_field_class_structure_member_borrow_field_class_const(member);
		const char *name = bt_field_class_structure_member_get_name(member);
		const struct lane_field_slot *perf = is_perf ? decode_names_perf_slot(name) : NULL;
		struct lane_field_slot slot;

		if (perf)
			slot = *perf;
		else if (!decode_names_slot(names, plan->kind, name, strlen(name), &slot))
			continue;
		add_step(plan, field_class, i, &slot);
		if (lane_is_fence(plan->kind) && !strcmp(name, "context") &&
		    bt_field_class_type_is(bt_field_class_get_type(field_class),
					   BT_FIELD_CLASS_TYPE_INTEGER))
			plan->is_narrow =
				bt_field_class_integer_get_field_value_range(field_class) < 64;
	}
}

void decode_plan_init(struct lane_plan *plan, const bt_event_class *event_class,
		      const struct lane_names *names, bool is_perf)
{
	const char *name = bt_event_class_get_name(event_class);

	if (name && is_perf)
		name = decode_names_of_perf(name);
	*plan = (struct lane_plan){ .kind = name ? decode_names_kind(names, name, strlen(name))
						 : -1 };
	/* What is lost is told by the packets' heads. */
	plan->tells_loss = plan->kind == LANE_LOST;
	if (plan->tells_loss)
		plan->kind = -1;
	if (plan->kind < 0)
		return;
	plan->is_engine_notify = !strcmp(name, LANE_ENGINE_NOTIFY);
	plan_context(plan, bt_stream_class_borrow_event_common_context_field_class_const(
				   bt_event_class_borrow_stream_class_const(event_class)));
	plan->n_context = plan->n_steps;
	plan->is_deep = lane_is_packet((unsigned int)plan->kind);
	plan->names = names;
	plan_payload(plan, bt_event_class_borrow_payload_field_class_const(event_class), names,
		     is_perf);
}

/* The numbers in a structure that is not the payload itself, in those in it, in the options that
 * are there. */
static void read_deep(const struct lane_plan *plan, const bt_field *field, struct lane_event *to,
		      unsigned int depth)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	bt_field_class_type type = bt_field_class_get_type(class);

	if (!depth)
		return;
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		read_deep(plan, bt_field_variant_borrow_selected_option_field_const(field), to,
			  depth - 1);
		return;
	}
	if (type != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return;
	for (uint64_t i = 0; i < bt_field_class_structure_get_member_count(class); i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(class, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		const bt_field *inner =
			bt_field_structure_borrow_member_field_by_index_const(field, i);
		struct lane_field_slot slot;

		if (decode_plan_is_unsigned(bt_field_borrow_class_const(inner)) &&
		    decode_names_slot(plan->names, plan->kind, name, strlen(name), &slot))
			decode_slot_store(to, &slot, bt_field_integer_unsigned_get_value(inner));
		else
			read_deep(plan, inner, to, depth - 1);
	}
}

static void read_text(const struct lane_plan_step *step, const bt_field *field, char *to)
{
	char text[LANE_FIT_READS];
	uint64_t n;

	if (step->read == LANE_READ_STRING) {
		/* An empty text keeps the bytes of the event before, only its length is right. */
		n = bt_field_string_get_length(field);
		if (n)
			decode_slot_text(to, &step->slot, bt_field_string_get_value(field), n);
		return;
	}
	n = bt_field_array_get_length(field);
	if (n > LANE_FIT_READS)
		n = LANE_FIT_READS;
	for (uint64_t i = 0; i < n; i++)
		text[i] = (char)bt_field_integer_unsigned_get_value(
			bt_field_array_borrow_element_field_by_index_const(field, i));
	decode_slot_text(to, &step->slot, text, strnlen(text, n));
}

void decode_plan_read(const struct lane_plan *plan, const bt_event *from, struct lane_event *to)
{
	const bt_field *fields = NULL;

	decode_event_clear(to, plan->kind);
	to->raw.narrow = plan->is_narrow;
	to->raw.engine_notify = plan->is_engine_notify;
	if (plan->n_context)
		fields = bt_event_borrow_common_context_field_const(from);
	for (unsigned int i = 0; i < plan->n_steps; i++) {
		const struct lane_plan_step *step = &plan->steps[i];
		const bt_field *field;

		if (i == plan->n_context)
			fields = bt_event_borrow_payload_field_const(from);
		field = bt_field_structure_borrow_member_field_by_index_const(fields, step->index);
		if (step->read == LANE_READ_UNSIGNED)
			decode_slot_store(to, &step->slot,
					  bt_field_integer_unsigned_get_value(field));
		else if (step->read == LANE_READ_SIGNED)
			decode_slot_store(to, &step->slot,
					  (uint64_t)bt_field_integer_signed_get_value(field));
		else
			read_text(step, field, (char *)to + step->slot.offset);
	}
	if (plan->is_deep)
		read_deep(plan, bt_event_borrow_payload_field_const(from), to, MOST_DEPTH);
	if (to->wire.origin >= LANE_ORIGIN_COUNT)
		to->wire.origin = LANE_ORIGIN_UNKNOWN;
}

// SPDX-License-Identifier: MIT
// From Perfetto's FtraceEvent to events of the table.
//
// Events that Perfetto knows are messages of their own, with numbered fields. Others come with
// their names, event by event (GenericFtraceEvent), or are described once (GenericEventDescriptor).
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vector.h"
#include "decode/pftrace.h"

/* Fields of FtraceEvent */
enum {
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_FLAGS = 5,
	EVENT_GENERIC = 327,
};

/* GenericFtraceEvent and its Field */
enum {
	GENERIC_NAME = 1,
	GENERIC_FIELD = 2,
	FIELD_NAME = 1,
	FIELD_TEXT = 3,
	FIELD_SIGNED = 4,
	FIELD_UNSIGNED = 5,
};

/* GenericEventDescriptor; DescriptorProto and FieldDescriptorProto of descriptor.proto */
enum {
	DESCRIPTOR_ID = 1,
	DESCRIPTOR_MESSAGE = 2,
	MESSAGE_NAME = 1,
	MESSAGE_FIELD = 2,
	MEMBER_NAME = 1,
	MEMBER_NUMBER = 3,
};

enum {
	MAX_PLANS = 4096,
	MAX_MEMBERS = 256, /* of an event's description; no event has as many */
};

/* What Perfetto numbers. */
static const struct {
	uint32_t id;
	const char *name;
	const char *fields;
} known[] = {
#define FTRACE(id, name, fields)      { id, name, fields },
#define FTRACE_READ(id, name, fields) FTRACE(id, name, fields)
#include "base/ftrace.def"
#undef FTRACE
#undef FTRACE_READ
};

/* --- plans --- */

/* Begins the plan of an event; NULL: it is of no kind of the table, or (*no_memory) there is none.
 */
static struct lane_pf_plan *begin_plan(struct lane_pf_plans *plans, uint32_t id, const char *name,
				       size_t length, bool *no_memory)
{
	int kind = decode_names_kind(plans->names, name, length);
	struct lane_pf_plan *plan;

	if (kind < 0 || lane_is_derived((unsigned int)kind) || plans->n == MAX_PLANS)
		return NULL;
	if (!LANE_GROW(plans->plans, plans->cap, plans->n + 1)) {
		*no_memory = true;
		return NULL;
	}
	plan = &plans->plans[plans->n++];
	*plan = (struct lane_pf_plan){
		.id = id,
		.kind = kind,
		.is_engine_notify = length == strlen(LANE_ENGINE_NOTIFY) &&
				    !memcmp(name, LANE_ENGINE_NOTIFY, length),
	};
	return plan;
}

static void add_step(const struct lane_pf_plans *plans, struct lane_pf_plan *plan, uint32_t number,
		     const char *name, size_t length)
{
	struct lane_field_slot slot;

	if (plan->n_steps == LANE_PF_STEPS ||
	    !decode_names_slot(plans->names, plan->kind, name, length, &slot))
		return;
	plan->steps[plan->n_steps].number = number;
	plan->steps[plan->n_steps].slot = slot;
	plan->n_steps++;
}

struct lane_error *decode_pf_plans_init(struct lane_pf_plans *plans, const struct lane_names *names)
{
	bool no_memory = false;

	*plans = (struct lane_pf_plans){ .names = names };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct lane_pf_plan *plan = begin_plan(plans, known[i].id, known[i].name,
						       strlen(known[i].name), &no_memory);
		const char *field = known[i].fields;

		if (no_memory)
			return &lane_enomem;
		for (uint32_t number = 1; plan && *field; number++) {
			size_t length = strcspn(field, " ");

			add_step(plans, plan, number, field, length);
			field += length + (field[length] == ' ');
		}
	}
	return NULL;
}

/* The fields of a message that a DescriptorProto describes. */
static void add_members(const struct lane_pf_plans *plans, struct lane_pf_plan *plan,
			struct lane_proto message)
{
	struct lane_proto_field field, part;

	for (unsigned int n = 0; n < MAX_MEMBERS && decode_proto_next(&message, &field); n++) {
		struct lane_proto member = decode_proto_in(&field);
		struct lane_proto_field name = { 0 };
		uint64_t number = 0;

		if (field.number != MESSAGE_FIELD || !field.is_bytes)
			continue;
		while (decode_proto_next(&member, &part)) {
			if (part.number == MEMBER_NAME && part.is_bytes)
				name = part;
			else if (part.number == MEMBER_NUMBER)
				number = part.value;
		}
		if (name.n && number && number <= UINT32_MAX)
			add_step(plans, plan, (uint32_t)number, (const char *)name.bytes, name.n);
	}
}

bool decode_pf_plans_add(struct lane_pf_plans *plans, struct lane_proto descriptor)
{
	struct lane_proto_field field, message = { 0 }, name = { 0 };
	struct lane_proto parts;
	struct lane_pf_plan *plan;
	bool no_memory = false;
	uint64_t id = 0;

	while (decode_proto_next(&descriptor, &field)) {
		if (field.number == DESCRIPTOR_ID)
			id = field.value;
		else if (field.number == DESCRIPTOR_MESSAGE && field.is_bytes)
			message = field;
	}
	parts = decode_proto_in(&message);
	while (message.n && decode_proto_next(&parts, &field))
		if (field.number == MESSAGE_NAME && field.is_bytes)
			name = field;
	if (!name.n || !id || id > UINT32_MAX || id <= EVENT_FLAGS)
		return true;
	if (lane_table_get(&plans->ids, id, 0))
		return true; /* each bundle may tell it */
	if (plans->ids.used == MAX_PLANS)
		return true;
	if (!lane_table_put(&plans->ids, id, 0, plans))
		return false;
	plan = begin_plan(plans, (uint32_t)id, (const char *)name.bytes, name.n, &no_memory);
	if (plan)
		add_members(plans, plan, decode_proto_in(&message));
	return !no_memory;
}

LANE_ORDER(compare_plans, struct lane_pf_plan, LANE_UP(id))

void decode_pf_plans_done(struct lane_pf_plans *plans)
{
	LANE_SORT(plans->plans, plans->n, compare_plans);
}

void decode_pf_plans_deinit(struct lane_pf_plans *plans)
{
	free(plans->plans);
	lane_table_free(&plans->ids);
	*plans = (struct lane_pf_plans){ 0 };
}

static const struct lane_pf_plan *find_plan(const struct lane_pf_plans *plans, uint32_t id)
{
	struct lane_pf_plan key = { .id = id };

	if (!plans->n)
		return NULL;
	return bsearch(&key, plans->plans, plans->n, sizeof(key), compare_plans);
}

/* --- events --- */

void decode_pf_text(const struct lane_proto_field *from, void *to, size_t size)
{
	size_t n = strnlen((const char *)from->bytes, from->n);

	memcpy(to, from->bytes, n < size ? n : size);
}

/* A value that is no number where one belongs, or the other way round, is passed over. */
static void pftrace_event_store(const struct lane_proto_field *value,
				const struct lane_field_slot *slot, struct lane_event *event)
{
	if (lane_type_is_text(slot->type) != value->is_bytes)
		return;
	if (value->is_bytes)
		decode_slot_text((char *)event + slot->offset, slot, (const char *)value->bytes,
				 strnlen((const char *)value->bytes, value->n));
	else
		decode_slot_store(event, slot, value->value);
}

static void begin_event(struct lane_event *event, int kind, bool engine_notify)
{
	decode_event_clear(event, kind);
	event->wire.origin = LANE_ORIGIN_TRACEPOINT;
	event->raw.engine_notify = engine_notify;
	/* The kernel's own events of fences have 32 bits of the context. */
	event->raw.narrow = lane_is_fence(kind);
}

static enum lane_pf_read read_planned(const struct lane_pf_plan *plan, struct lane_proto message,
				      struct lane_event *event)
{
	struct lane_proto_field field;

	begin_event(event, plan->kind, plan->is_engine_notify);
	while (decode_proto_next(&message, &field))
		for (unsigned int i = 0; i < plan->n_steps; i++)
			if (plan->steps[i].number == field.number)
				pftrace_event_store(&field, &plan->steps[i].slot, event);
	return message.is_damaged ? LANE_PF_DAMAGED : LANE_PF_EVENT;
}

/* A field with its name. */
static bool read_named(const struct lane_pf_plans *plans, struct lane_proto message,
		       struct lane_event *event)
{
	struct lane_proto_field field, name = { 0 }, value = { 0 };
	struct lane_field_slot slot;

	while (decode_proto_next(&message, &field)) {
		if (field.number == FIELD_NAME && field.is_bytes)
			name = field;
		else if (field.number >= FIELD_TEXT && field.number <= FIELD_UNSIGNED)
			value = field;
	}
	if (name.n && value.number &&
	    decode_names_slot(plans->names, (int)event->wire.kind, (const char *)name.bytes, name.n,
			      &slot))
		pftrace_event_store(&value, &slot, event);
	return !message.is_damaged;
}

static enum lane_pf_read read_generic(const struct lane_pf_plans *plans, struct lane_proto message,
				      struct lane_event *event)
{
	struct lane_proto parts = message;
	struct lane_proto_field field;
	int kind = -1;

	while (decode_proto_next(&parts, &field)) {
		if (field.number != GENERIC_NAME || !field.is_bytes)
			continue;
		kind = field.n ? decode_names_kind(plans->names, (const char *)field.bytes, field.n)
			       : -1;
		if (kind >= 0 && !lane_is_derived((unsigned int)kind))
			begin_event(event, kind,
				    field.n == strlen(LANE_ENGINE_NOTIFY) &&
					    !memcmp(field.bytes, LANE_ENGINE_NOTIFY, field.n));
		else
			kind = -1;
	}
	if (parts.is_damaged)
		return LANE_PF_DAMAGED;
	while (kind >= 0 && decode_proto_next(&message, &field))
		if (field.number == GENERIC_FIELD && field.is_bytes &&
		    !read_named(plans, decode_proto_in(&field), event))
			return LANE_PF_DAMAGED;
	return kind < 0 ? LANE_PF_OTHER : LANE_PF_EVENT;
}

enum lane_pf_read decode_pf_event_read(const struct lane_pf_plans *plans, struct lane_proto message,
				       struct lane_event *event)
{
	struct lane_proto_field field, payload = { 0 };
	enum lane_pf_read how = LANE_PF_OTHER;
	const struct lane_pf_plan *plan;
	uint64_t ns = 0, tid = UINT64_MAX;

	while (decode_proto_next(&message, &field)) {
		if (field.is_bytes)
			payload = field;
		else if (field.number == EVENT_TIMESTAMP)
			ns = field.value;
		else if (field.number == EVENT_PID)
			tid = field.value;
	}
	if (message.is_damaged)
		return LANE_PF_DAMAGED;
	plan = find_plan(plans, payload.number);
	if (plan)
		how = read_planned(plan, decode_proto_in(&payload), event);
	else if (payload.number == EVENT_GENERIC)
		how = read_generic(plans, decode_proto_in(&payload), event);
	if (how != LANE_PF_EVENT)
		return how;
	event->wire.ts_ns = ns;
	event->wire.tid = (int32_t)tid;
	return LANE_PF_EVENT;
}

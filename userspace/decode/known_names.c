// SPDX-License-Identifier: MIT
// From the names in a trace to places in struct lane_event, with aliases.
#include "decode/event_names.h"

#include <string.h>

/* The text may have a NUL in it: then it is longer than any name. */
static bool known_names_same(const char *name, const char *text, size_t length)
{
	return length && *name == *text && !strncmp(name, text, length) &&
	       strnlen(name, length) == length && !name[length];
}

int decode_names_kind(const struct lane_names *names, const char *name, size_t length)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (known_names_same(lane_kinds[kind].name, name, length))
			return kind;
	for (size_t i = 0; names && i < names->n_events; i++)
		if (known_names_same(names->events[i].alias, name, length))
			return lane_kind_by_name(names->events[i].name);
	return -1;
}

/* The fields of old events that are not in the table: they go where norm/ looks for them. */
static const struct {
	const char *name;
	bool is_drm; /* of drm_sched's events, and of no others */
	struct lane_field_slot slot;
} raw_fields[] = {
	{ "global", false, { offsetof(struct lane_event, raw.global), 4, LANE_TYPE_u32 } },
	{ "unused", false, { offsetof(struct lane_event, raw.unused), 4, LANE_TYPE_u32 } },
	{ "ring", false, { offsetof(struct lane_event, raw.ring), 2, LANE_TYPE_u16 } },
	{ "entity", true, { offsetof(struct lane_event, raw.entity), 8, LANE_TYPE_x64 } },
	{ "fence", true, { offsetof(struct lane_event, raw.fence), 8, LANE_TYPE_x64 } },
	{ "job", true, { offsetof(struct lane_event, raw.job), 8, LANE_TYPE_u64 } },
	{ "job_ring",
	  true,
	  { offsetof(struct lane_event, u.drm_wait.ring), LANE_RING_BYTES, LANE_TYPE_id64 } },
};

static bool known_names_find(int kind, const char *name, size_t length,
			     struct lane_field_slot *slot)
{
	const struct lane_kind_info *info = &lane_kinds[kind];

	for (unsigned int i = 0; i < info->n_fields; i++) {
		if (!known_names_same(info->fields[i].name, name, length))
			continue;
		slot->offset =
			(unsigned short)(offsetof(struct lane_event, u) + info->fields[i].offset);
		slot->size = info->fields[i].size;
		slot->type = info->fields[i].type;
		return true;
	}
	for (size_t i = 0; i < sizeof(raw_fields) / sizeof(raw_fields[0]); i++) {
		if (raw_fields[i].is_drm != (bool)lane_is_drm((unsigned int)kind) ||
		    !known_names_same(raw_fields[i].name, name, length))
			continue;
		*slot = raw_fields[i].slot;
		return true;
	}
	return false;
}

bool decode_names_slot(const struct lane_names *names, int kind, const char *name, size_t length,
		       struct lane_field_slot *slot)
{
	if (known_names_find(kind, name, length, slot))
		return true;
	for (size_t i = 0; names && i < names->n_fields; i++) {
		const struct lane_alias *alias = &names->fields[i];

		if ((alias->kind == kind || alias->kind == LANE_KIND_COUNT) &&
		    known_names_same(alias->alias, name, length))
			return known_names_find(kind, alias->name, strlen(alias->name), slot);
	}
	return false;
}

/* Says of the fields in which 0 means something that nothing is known. */
static void set_unknown(union lane_payload *u, int kind)
{
	switch (kind) {
	case LANE_RQ_IN:
		u->i915_request_in.prio = LANE_PRIO_UNKNOWN;
		break;
	case LANE_RQ_OUT:
		u->i915_request_out.completed = LANE_COMPLETED_UNKNOWN;
		break;
	case LANE_SWITCH:
		u->sched_switch.prev_state = LANE_STATE_UNKNOWN;
		u->sched_switch.prev_tid = u->sched_switch.next_tid = -1;
		break;
	case LANE_WAKING:
	case LANE_WAKEUP:
	case LANE_WAKEUP_NEW: /* of one layout */
		u->sched_waking.tid = -1;
		u->sched_waking.target_cpu = LANE_CPU_UNKNOWN;
		break;
	case LANE_MIGRATE:
		u->sched_migrate_task.tid = -1;
		u->sched_migrate_task.orig_cpu = LANE_CPU_UNKNOWN;
		u->sched_migrate_task.dest_cpu = LANE_CPU_UNKNOWN;
		break;
	case LANE_FORK:
		u->sched_process_fork.parent_tid = u->sched_process_fork.parent_pid = -1;
		u->sched_process_fork.child_tid = u->sched_process_fork.child_pid = -1;
		break;
	case LANE_EXEC:
		u->sched_process_exec.tid = u->sched_process_exec.old_tid = -1;
		break;
	case LANE_EXIT:
		u->sched_process_exit.tid = -1;
		break;
	case LANE_DRM_ADD_DEP:
		memset(u->drm_wait.ring, 0, sizeof(u->drm_wait.ring));
		u->drm.fence_seqno = u->drm_sched_job_add_dep.seqno = LANE_SEQNO_UNKNOWN;
		break;
	case LANE_DRM_UNSCHEDULABLE:
		u->drm_sched_job_unschedulable.seqno = LANE_SEQNO_UNKNOWN;
		/* fall through */
	case LANE_DRM_QUEUE:
	case LANE_DRM_RUN:
	case LANE_DRM_DONE:
		u->drm.fence_seqno = LANE_SEQNO_UNKNOWN;
		break;
	case LANE_STATEDUMP:
		u->lttng_statedump_process_state.tid = -1;
		u->lttng_statedump_process_state.pid = -1;
		break;
	default:
		break;
	}
}

/* A field of a driver's event that nobody has written is told from one that is 0: norm/ asks. */
static void set_needed(union lane_payload *u, int kind)
{
	for (const struct lane_need *need = lane_needs[kind];
	     need < lane_needs[kind] + LANE_NEEDS && need->field; need++)
		memset((char *)u + need->offset, 0xff, need->size);
}

void decode_event_clear(struct lane_event *event, int kind)
{
	event->wire = (struct lane_wire){ .kind = (__u32)kind, .tid = -1, .pid = -1 };
	memset(&event->u, 0, lane_kinds[kind].struct_bytes);
	set_unknown(&event->u, kind);
	if (lane_is_cause((unsigned int)kind))
		set_needed(&event->u, kind);
	event->cpu = -1;
	event->host = 0;
	event->raw = (struct lane_raw){ .ring = LANE_RING_NONE };
}

/* The fields of the event context: those of our own recordings, and LTTng's contexts. */
static const struct {
	const char *name;
	struct lane_field_slot slot;
} context_fields[] = {
	{ "tid", { offsetof(struct lane_event, wire.tid), 4, LANE_TYPE_s32 } },
	{ "pid", { offsetof(struct lane_event, wire.pid), 4, LANE_TYPE_s32 } },
	{ "source", { offsetof(struct lane_event, wire.origin), 4, LANE_TYPE_u32 } },
	/* LTTng-UST knows only these; where the trace has the others, they count. */
	{ "vtid", { offsetof(struct lane_event, wire.tid), 4, LANE_TYPE_s32 } },
	{ "vpid", { offsetof(struct lane_event, wire.pid), 4, LANE_TYPE_s32 } },
};

const struct lane_field_slot *decode_names_context_slot(const char *name)
{
	for (size_t i = 0; i < sizeof(context_fields) / sizeof(context_fields[0]); i++)
		if (!strcmp(context_fields[i].name, name))
			return &context_fields[i].slot;
	return NULL;
}

const char *decode_names_of_perf(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

const struct lane_field_slot *decode_names_perf_slot(const char *name)
{
	static const struct {
		const char *name;
		struct lane_field_slot slot;
	} fields[] = {
		{ "perf_tid", { offsetof(struct lane_event, wire.tid), 4, LANE_TYPE_s32 } },
		{ "perf_pid", { offsetof(struct lane_event, wire.pid), 4, LANE_TYPE_s32 } },
		/* Before Linux 4.3 perf wrote one stream for all CPUs. */
		{ "perf_cpu", { offsetof(struct lane_event, cpu), 4, LANE_TYPE_s32 } },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i].slot;
	return NULL;
}

static void add_event_name(struct lane_event_names *all, const char *name, int kind)
{
	const struct lane_event_name *known = decode_event_name(all, name, strlen(name));

	if (!known->text)
		all->slots[known - all->slots] =
			(struct lane_event_name){ name, strlen(name), kind,
						  !strcmp(name, LANE_ENGINE_NOTIFY) };
}

void decode_event_names_init(struct lane_event_names *all, const struct lane_names *names,
			     bool has_derived)
{
	_Static_assert(LANE_KIND_COUNT < LANE_NAME_SLOTS / 4, "the table of names stays sparse");
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (has_derived || !lane_is_derived((unsigned int)kind))
			add_event_name(all, lane_kinds[kind].name, kind);
	for (size_t i = 0; names && i < names->n_events && i < LANE_NAME_SLOTS / 2; i++)
		add_event_name(all, names->events[i].alias,
			       lane_kind_by_name(names->events[i].name));
}

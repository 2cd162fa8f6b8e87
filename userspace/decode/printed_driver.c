// SPDX-License-Identifier: MIT
/*
 * Reads the printed events of GPU drivers (TP_printk() of xe/xe_trace.h, xe/xe_trace_bo.h,
 * amd/amdgpu/amdgpu_trace.h, lima/lima_trace.h, msm/msm_gpu_trace.h and v3d/v3d_trace.h below
 * drivers/gpu/drm). Most are KEY=VALUE, each with its own idea of what divides them.
 *
 * What is not there stays unknown: norm/ refuses an event that lacks what it needs.
 */
#include "decode/printed.h"

#include <string.h>

enum driver_how {
	HOW_NUMBER, /* decimal, or hexadecimal behind 0x */
	HOW_TEXT,   /* up to a comma, or to the end */
	HOW_WORD,   /* up to a blank, or to the end */
	HOW_PAIR,   /* A:B or A: B, of which B goes to `second` */
	HOW_AFTER,  /* a number behind words that are no key */
};

struct print {
	int kind;
	const char *key;
	enum driver_how how;
	const char *field, *second;
};

#define XE_JOB(id)                                                                                 \
	{ LANE_##id, "dev=", HOW_TEXT, "dev", NULL },                                              \
		{ LANE_##id, "seqno=", HOW_NUMBER, "seqno", NULL },                                \
		{ LANE_##id, "guc_id=", HOW_NUMBER, "guc_id", NULL },                              \
	{                                                                                          \
		LANE_##id, "error=", HOW_NUMBER, "error", NULL                                     \
	}
#define XE_QUEUE(id)                                                                               \
	{ LANE_##id, "dev=", HOW_TEXT, "dev", NULL },                                              \
		{ LANE_##id, "gt=", HOW_NUMBER, "gt_id", NULL },                                   \
		{ LANE_##id, "guc_id=", HOW_NUMBER, "guc_id", NULL },                              \
		{ LANE_##id, "guc_state=", HOW_NUMBER, "guc_state", NULL },                        \
	{                                                                                          \
		LANE_##id, "flags=", HOW_NUMBER, "flags", NULL                                     \
	}
#define XE_VMA(id)                                                                                 \
	{ LANE_##id, "dev=", HOW_TEXT, "dev", NULL },                                              \
		{ LANE_##id, "asid=", HOW_NUMBER, "asid", NULL },                                  \
		{ LANE_##id, "start=", HOW_NUMBER, "start", NULL },                                \
	{                                                                                          \
		LANE_##id, "end=", HOW_NUMBER, "end", NULL                                         \
	}
#define XE_VM(id)                                                                                  \
	{ LANE_##id, "dev=", HOW_TEXT, "dev", NULL },                                              \
	{                                                                                          \
		LANE_##id, "asid=", HOW_NUMBER, "asid", NULL                                       \
	}
#define AMD_JOB(id)                                                                                \
	{ LANE_##id, "sched_job=", HOW_NUMBER, "job", NULL },                                      \
		{ LANE_##id, "context=", HOW_NUMBER, "context", NULL },                            \
		{ LANE_##id, "seqno=", HOW_NUMBER, "seqno", NULL },                                \
		{ LANE_##id, "fence=", HOW_PAIR, "context", "seqno" },                             \
		{ LANE_##id, "ring_name=", HOW_TEXT, "ring", NULL },                               \
	{                                                                                          \
		/* the same; in old kernels ring_name is an address */                             \
		LANE_##id, "timeline=", HOW_TEXT, "ring", NULL                                     \
	}
#define LIMA_JOB(id)                                                                               \
	{ LANE_##id, "task=", HOW_NUMBER, "job", NULL },                                           \
		{ LANE_##id, "context=", HOW_NUMBER, "context", NULL },                            \
		{ LANE_##id, "seqno=", HOW_NUMBER, "seqno", NULL },                                \
	{                                                                                          \
		LANE_##id, "pipe=", HOW_TEXT, "ring", NULL                                         \
	}
#define MSM_JOB(id)                                                                                \
	{ LANE_##id, "id=", HOW_NUMBER, "id", NULL },                                              \
		{ LANE_##id, "pid=", HOW_NUMBER, "pid", NULL },                                    \
	{                                                                                          \
		LANE_##id, "ring=", HOW_PAIR, "ringid", "seqno"                                    \
	}
#define V3D_FENCE(id)                                                                              \
	{ LANE_##id, "dev=", HOW_NUMBER, "dev", NULL },                                            \
	{                                                                                          \
		LANE_##id, "seqno=", HOW_NUMBER, "seqno", NULL                                     \
	}

static const struct print prints[] = {
	XE_JOB(XE_TIMEDOUT),
	XE_JOB(XE_BAN),
	XE_JOB(XE_ERROR),
	XE_QUEUE(XE_RESET),
	XE_QUEUE(XE_CAT_ERROR),
	XE_VMA(XE_PAGEFAULT),
	XE_VMA(XE_EVICT),
	AMD_JOB(AMD_SUBMIT),
	AMD_JOB(AMD_RUN),
	{ LANE_AMD_MOVE, "from=", HOW_NUMBER, "old_placement", NULL },
	{ LANE_AMD_MOVE, "to=", HOW_NUMBER, "new_placement", NULL },
	{ LANE_AMD_MOVE, "size=", HOW_NUMBER, "bo_size", NULL },
	{ LANE_AMD_RESET, "amdgpu register dump ", HOW_PAIR, "address", "value" },
	LIMA_JOB(LIMA_SUBMIT),
	LIMA_JOB(LIMA_RUN),
	MSM_JOB(MSM_FLUSH),
	{ LANE_MSM_FLUSH, "ticks=", HOW_NUMBER, "ticks", NULL },
	MSM_JOB(MSM_RETIRED),
	{ LANE_MSM_RETIRED, "elapsed=", HOW_NUMBER, "elapsed", NULL },
	{ LANE_MSM_RETIRED, "mhz=", HOW_NUMBER, "clock", NULL },
	{ LANE_MSM_RETIRED, "start=", HOW_NUMBER, "start_ticks", NULL },
	{ LANE_MSM_RETIRED, "end=", HOW_NUMBER, "end_ticks", NULL },
	{ LANE_MSM_PREEMPT, "preempting ", HOW_AFTER, "ring_id_from", NULL },
	{ LANE_MSM_PREEMPT, "-> ", HOW_AFTER, "ring_id_to", NULL },
	{ LANE_MSM_SHRINK, "nr_to_scan=", HOW_NUMBER, "nr_to_scan", NULL },
	{ LANE_MSM_SHRINK, "purged=", HOW_NUMBER, "purged", NULL },
	{ LANE_MSM_SHRINK, "evicted=", HOW_NUMBER, "evicted", NULL },
	{ LANE_MSM_SHRINK, "active_purged=", HOW_NUMBER, "active_purged", NULL },
	{ LANE_MSM_SHRINK, "active_evicted=", HOW_NUMBER, "active_evicted", NULL },
	V3D_FENCE(V3D_SUBMIT_CL),
	V3D_FENCE(V3D_SUBMIT_TFU),
	V3D_FENCE(V3D_SUBMIT_CSD),
	V3D_FENCE(V3D_BCL_IRQ),
	V3D_FENCE(V3D_RCL_IRQ),
	V3D_FENCE(V3D_TFU_IRQ),
	V3D_FENCE(V3D_CSD_IRQ),
	{ LANE_V3D_RESET_BEGIN, "dev=", HOW_NUMBER, "dev", NULL },
	{ LANE_V3D_RESET_END, "dev=", HOW_NUMBER, "dev", NULL },
	{ LANE_RECLAIM_BEGIN, "order=", HOW_NUMBER, "order", NULL },
	{ LANE_RECLAIM_END, "nr_reclaimed=", HOW_NUMBER, "nr_reclaimed", NULL },
	XE_VMA(USERPTR_BEGIN),
	XE_VMA(USERPTR_END),
	XE_VM(REBIND_BEGIN),
	XE_VM(REBIND_END),
	XE_VMA(PF_BIND),
	{ LANE_XE_MOVE, "[size ", HOW_NUMBER, "size", NULL },
	{ LANE_XE_MOVE, "from ", HOW_WORD, "old_placement_name", NULL },
	{ LANE_XE_MOVE, "to ", HOW_WORD, "new_placement_name", NULL },
	{ LANE_XE_MOVE, "device_id:", HOW_WORD, "device_id", NULL },
	{ LANE_I915_EVICT, "dev=", HOW_NUMBER, "dev", NULL },
	{ LANE_I915_EVICT, "size=", HOW_NUMBER, "size", NULL },
	{ LANE_I915_EVICT_NODE, "dev=", HOW_NUMBER, "dev", NULL },
	{ LANE_I915_EVICT_NODE, "size=", HOW_NUMBER, "size", NULL },
	{ LANE_I915_EVICT_VM, "dev=", HOW_NUMBER, "dev", NULL },
	{ LANE_I915_BIND, "offset=", HOW_NUMBER, "offset", NULL },
	{ LANE_I915_BIND, "size=", HOW_NUMBER, "size", NULL },
	{ LANE_RESUME_END, "ret=", HOW_NUMBER, "ret", NULL },
};

/* A number, up to what is no digit; false: there is none, or it is too long. */
static bool get_number(const char **at, uint64_t *value)
{
	const char *c = *at, *first;
	bool minus = *c == '-';
	uint64_t number = 0;
	int base = 10;

	c += minus;
	if (c[0] == '0' && c[1] == 'x') {
		base = 16;
		c += 2;
	}
	first = c;
	for (; decode_printed_digit(*c) < base; c++)
		if (__builtin_mul_overflow(number, (uint64_t)base, &number) ||
		    __builtin_add_overflow(number, (uint64_t)decode_printed_digit(*c), &number))
			return false;
	*value = minus ? 0 - number : number;
	*at = c;
	return c != first;
}

/* What ends a value of these formats: `:` stands behind a register's number. */
static bool is_end(char c)
{
	return !c || c == ' ' || c == ',' || c == ':' || c == ']' || c == '\t';
}

static void store(int kind, const char *field, uint64_t value, struct lane_event *event)
{
	struct lane_field_slot slot;

	if (decode_names_slot(NULL, kind, field, strlen(field), &slot))
		decode_slot_store(event, &slot, value);
}

static void store_text(int kind, const char *field, const char *text, size_t n,
		       struct lane_event *event)
{
	struct lane_field_slot slot;

	if (!decode_names_slot(NULL, kind, field, strlen(field), &slot))
		return;
	memset((char *)event + slot.offset, 0, slot.size); /* another key may have been read */
	decode_slot_text((char *)event + slot.offset, &slot, text, n);
}

/* Reads one value; false: something else is there. */
static bool read_value(const struct print *print, const char *at, struct lane_event *event)
{
	uint64_t first, second = 0;

	if (print->how == HOW_TEXT || print->how == HOW_WORD) {
		store_text(print->kind, print->field, at,
			   strcspn(at, print->how == HOW_WORD ? " " : ","), event);
		return true;
	}
	if (!get_number(&at, &first))
		return false;
	if (print->how == HOW_PAIR) {
		if (*at++ != ':')
			return false;
		at += *at == ' ';
		if (!get_number(&at, &second))
			return false;
		store(print->kind, print->second, second, event);
	}
	store(print->kind, print->field, first, event);
	return is_end(*at);
}

/* xe's queues: the engine's class stands in front of their mask, `3:0x1, gt=`, without a key. */
static void read_class(const char *text, struct lane_event *event)
{
	const char *at = strstr(text, ", ");
	uint64_t class;

	if (!strncmp(text, "dev=", 4) && at)
		text = at + 2;
	at = text;
	if (get_number(&at, &class) && at[0] == ':' && at[1] == '0' && at[2] == 'x')
		event->u.xe_exec_queue_reset.class = (uint32_t) class;
}

/* v3d's control lists: which of the two rings is a word. */
static void read_list(const char *text, struct lane_event *event)
{
	if (strstr(text, ", RCL,"))
		event->u.v3d_submit_cl.is_render = 1;
	else if (strstr(text, ", BCL,"))
		event->u.v3d_submit_cl.is_render = 0;
}

/* A device's name comes first, or behind the place in the kernel's code. */
static void read_device(int kind, const char *text, struct lane_event *event)
{
	const char *at = kind == LANE_RESUME_END ? strchr(text, ':') : text;

	if (at)
		at += kind == LANE_RESUME_END;
	if (at)
		store_text(kind, "name", at, strcspn(at, " "), event);
}

const char *decode_printed_driver(int kind, const char *text, struct lane_event *event,
				  const char **at)
{
	*at = text;
	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		const char *value =
			prints[i].kind == kind ? decode_printed_behind(text, prints[i].key) : NULL;

		if (!value)
			continue;
		*at = value;
		/* Half a pair is a field that is missing. */
		if (!read_value(&prints[i], value, event) && prints[i].how != HOW_PAIR)
			return "not a number";
	}
	if (kind == LANE_XE_RESET || kind == LANE_XE_CAT_ERROR) /* of one layout */
		read_class(text, event);
	else if (kind == LANE_V3D_SUBMIT_CL)
		read_list(text, event);
	else if (kind == LANE_RESUME_BEGIN || kind == LANE_RESUME_END)
		read_device(kind, text, event);
	return NULL;
}

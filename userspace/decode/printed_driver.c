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
	HOW_NUMBER,  /* decimal, or hexadecimal behind 0x */
	HOW_ADDRESS, /* hexadecimal, with 0x or without */
	HOW_TEXT,    /* up to a comma, or to the end */
	HOW_WORD,    /* up to a blank, or to the end */
	HOW_PAIR,    /* A:B or A: B, of which B goes to `second` */
	HOW_AFTER,   /* a number behind words that are no key */
};

/* Of the kinds from..to, which stand together in the table of events: what one of them does not
 * print or does not have is passed over. */
struct print {
	int from, to;
	const char *key;
	enum driver_how how;
	const char *field, *second;
};

#define ROW(from, to, key, how, field)                                                             \
	{                                                                                          \
		LANE_##from, LANE_##to, key, HOW_##how, field, NULL                                \
	}
#define PAIR(from, to, key, field, second)                                                         \
	{                                                                                          \
		LANE_##from, LANE_##to, key, HOW_PAIR, field, second                               \
	}
/* The field's name is its key. */
#define SAME(from, to, how, field) ROW(from, to, #field "=", how, #field)

static const struct print prints[] = {
	SAME(XE_TIMEDOUT, XE_ERROR, TEXT, dev),
	SAME(XE_TIMEDOUT, XE_ERROR, NUMBER, seqno),
	SAME(XE_TIMEDOUT, XE_ERROR, NUMBER, guc_id),
	SAME(XE_TIMEDOUT, XE_ERROR, NUMBER, error),
	SAME(XE_RESET, XE_CAT_ERROR, TEXT, dev),
	ROW(XE_RESET, XE_CAT_ERROR, "gt=", NUMBER, "gt_id"),
	SAME(XE_RESET, XE_CAT_ERROR, NUMBER, guc_id),
	SAME(XE_RESET, XE_CAT_ERROR, NUMBER, guc_state),
	SAME(XE_RESET, XE_CAT_ERROR, NUMBER, flags),
	SAME(XE_PAGEFAULT, XE_EVICT, TEXT, dev),
	SAME(XE_PAGEFAULT, XE_EVICT, NUMBER, asid),
	SAME(XE_PAGEFAULT, XE_EVICT, NUMBER, start),
	SAME(XE_PAGEFAULT, XE_EVICT, NUMBER, end),
	ROW(AMD_SUBMIT, AMD_RUN, "sched_job=", NUMBER, "job"),
	SAME(AMD_SUBMIT, AMD_RUN, NUMBER, context),
	SAME(AMD_SUBMIT, AMD_RUN, NUMBER, seqno),
	PAIR(AMD_SUBMIT, AMD_RUN, "fence=", "context", "seqno"),
	ROW(AMD_SUBMIT, AMD_RUN, "ring_name=", TEXT, "ring"),
	/* the same; in old kernels ring_name is an address */
	ROW(AMD_SUBMIT, AMD_RUN, "timeline=", TEXT, "ring"),
	ROW(AMD_MOVE, AMD_MOVE, "from=", NUMBER, "old_placement"),
	ROW(AMD_MOVE, AMD_MOVE, "to=", NUMBER, "new_placement"),
	ROW(AMD_MOVE, AMD_MOVE, "size=", NUMBER, "bo_size"),
	PAIR(AMD_RESET, AMD_RESET, "amdgpu register dump ", "address", "value"),
	SAME(AMD_USERQ_EMIT, AMD_USERQ_EMIT, TEXT, dev),
	SAME(AMD_USERQ_EMIT, AMD_USERQ_EMIT, NUMBER, client_id),
	ROW(AMD_USERQ_EMIT, AMD_USERQ_EMIT, "type=", NUMBER, "queue_type"),
	ROW(AMD_USERQ_EMIT, AMD_USERQ_EMIT, "doorbell=", NUMBER, "doorbell_index"),
	PAIR(AMD_USERQ_EMIT, AMD_USERQ_EMIT, "fence=", "fence_context", "fence_seqno"),
	SAME(AMD_USERQ_WAIT, AMD_USERQ_WAIT, NUMBER, context),
	PAIR(AMD_USERQ_WAIT, AMD_USERQ_WAIT, "depends on fence=", "dep_context", "dep_seqno"),
	ROW(LIMA_SUBMIT, LIMA_RUN, "task=", NUMBER, "job"),
	SAME(LIMA_SUBMIT, LIMA_RUN, NUMBER, context),
	SAME(LIMA_SUBMIT, LIMA_RUN, NUMBER, seqno),
	ROW(LIMA_SUBMIT, LIMA_RUN, "pipe=", TEXT, "ring"),
	SAME(MSM_FLUSH, MSM_RETIRED, NUMBER, id),
	SAME(MSM_FLUSH, MSM_RETIRED, NUMBER, pid),
	PAIR(MSM_FLUSH, MSM_RETIRED, "ring=", "ringid", "seqno"),
	SAME(MSM_FLUSH, MSM_FLUSH, NUMBER, ticks),
	SAME(MSM_RETIRED, MSM_RETIRED, NUMBER, elapsed),
	ROW(MSM_RETIRED, MSM_RETIRED, "mhz=", NUMBER, "clock"),
	ROW(MSM_RETIRED, MSM_RETIRED, "start=", NUMBER, "start_ticks"),
	ROW(MSM_RETIRED, MSM_RETIRED, "end=", NUMBER, "end_ticks"),
	ROW(MSM_PREEMPT, MSM_PREEMPT, "preempting ", AFTER, "ring_id_from"),
	ROW(MSM_PREEMPT, MSM_PREEMPT, "-> ", AFTER, "ring_id_to"),
	SAME(MSM_SHRINK, MSM_SHRINK, NUMBER, nr_to_scan),
	SAME(MSM_SHRINK, MSM_SHRINK, NUMBER, purged),
	SAME(MSM_SHRINK, MSM_SHRINK, NUMBER, evicted),
	SAME(MSM_SHRINK, MSM_SHRINK, NUMBER, active_purged),
	SAME(MSM_SHRINK, MSM_SHRINK, NUMBER, active_evicted),
	SAME(V3D_SUBMIT_CL, V3D_RESET_END, NUMBER, dev),
	SAME(V3D_SUBMIT_CL, V3D_RESET_END, NUMBER, seqno),
	SAME(RECLAIM_BEGIN, RECLAIM_BEGIN, NUMBER, order),
	SAME(RECLAIM_END, RECLAIM_END, NUMBER, nr_reclaimed),
	SAME(USERPTR_BEGIN, PF_BIND, TEXT, dev),
	SAME(USERPTR_BEGIN, PF_BIND, NUMBER, asid),
	SAME(USERPTR_BEGIN, PF_BIND, NUMBER, start),
	SAME(USERPTR_BEGIN, PF_BIND, NUMBER, end),
	ROW(XE_MOVE, XE_MOVE, "[size ", NUMBER, "size"),
	ROW(XE_MOVE, XE_MOVE, "from ", WORD, "old_placement_name"),
	ROW(XE_MOVE, XE_MOVE, "to ", WORD, "new_placement_name"),
	ROW(XE_MOVE, XE_MOVE, "device_id:", WORD, "device_id"),
	SAME(I915_EVICT, I915_EVICT_VM, NUMBER, dev),
	SAME(I915_EVICT, I915_EVICT_VM, NUMBER, size),
	SAME(I915_BIND, I915_BIND, NUMBER, offset),
	SAME(I915_BIND, I915_BIND, NUMBER, size),
	SAME(RESUME_END, RESUME_END, NUMBER, ret),
	SAME(CPU_IDLE, CPU_CLOCK, NUMBER, state),
	SAME(CPU_IDLE, CPU_CLOCK, NUMBER, cpu_id),
	SAME(XE_JOB_QUEUE, XE_FENCE_SIGNAL, TEXT, dev),
	SAME(XE_JOB_QUEUE, XE_FENCE_SIGNAL, ADDRESS, fence),
	SAME(XE_JOB_QUEUE, XE_FENCE_SIGNAL, NUMBER, seqno),
	SAME(XE_JOB_QUEUE, XE_JOB_FREE, NUMBER, guc_id),
};

/* A number, up to what is no digit of this base, or 16 behind 0x; trace-cmd prints no pointer as
 * (nil). False: there is none, or it is too long. */
static bool printed_driver_get_number(const char **at, int base, uint64_t *value)
{
	const char *c = *at, *first;
	bool minus = *c == '-';
	uint64_t number = 0;

	if (!strncmp(c, "(nil)", 5)) {
		*value = 0;
		*at = c + 5;
		return true;
	}
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
static bool printed_driver_is_end(char c)
{
	return !c || c == ' ' || c == ',' || c == ':' || c == ']' || c == '\t';
}

static void printed_driver_store(int kind, const char *field, uint64_t value,
				 struct lane_event *event)
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
	int kind = (int)event->wire.kind;
	uint64_t first, second = 0;

	if (print->how == HOW_TEXT || print->how == HOW_WORD) {
		store_text(kind, print->field, at, strcspn(at, print->how == HOW_WORD ? " " : ","),
			   event);
		return true;
	}
	if (!printed_driver_get_number(&at, print->how == HOW_ADDRESS ? 16 : 10, &first))
		return false;
	if (print->how == HOW_PAIR) {
		if (*at++ != ':')
			return false;
		at += *at == ' ';
		if (!printed_driver_get_number(&at, 10, &second))
			return false;
		printed_driver_store(kind, print->second, second, event);
	}
	printed_driver_store(kind, print->field, first, event);
	return printed_driver_is_end(*at);
}

/* xe's queues: the engine's class stands in front of their mask, `3:0x1, gt=`, without a key. */
static void read_class(const char *text, struct lane_event *event)
{
	const char *at = strstr(text, ", ");
	uint64_t class;

	if (!strncmp(text, "dev=", 4) && at)
		text = at + 2;
	at = text;
	if (printed_driver_get_number(&at, 10, &class) && at[0] == ':' && at[1] == '0' &&
	    at[2] == 'x')
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
		const char *value = kind >= prints[i].from && kind <= prints[i].to
					    ? decode_printed_behind(text, prints[i].key)
					    : NULL;

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

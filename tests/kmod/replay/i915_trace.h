/* SPDX-License-Identifier: GPL-2.0 */
/*
 * i915's request events: names and fields are those that tracefs shows for Linux 6.1.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM i915

#if !defined(GL_REPLAY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GL_REPLAY_TRACE_H

#include <linux/tracepoint.h>

#include "replay.h"

/* clang-format off: the layout of trace events is a table */
#define GL_ENTRY_RQ                                                                                \
	__field(u32, dev) __field(u64, ctx) __field(u16, class) __field(u16, instance)             \
		__field(u32, seqno)
#define GL_ASSIGN_RQ                                                                               \
	do {                                                                                       \
		__entry->dev = rq->engine->i915->drm.primary->index;                               \
		__entry->ctx = rq->fence.context;                                                  \
		__entry->class = rq->engine->uabi_class;                                           \
		__entry->instance = rq->engine->uabi_instance;                                     \
		__entry->seqno = rq->fence.seqno;                                                  \
	} while (0)
#define GL_FORMAT_RQ "dev=%u, engine=%u:%u, ctx=%llu, seqno=%u"
#define GL_PRINT_RQ  __entry->dev, __entry->class, __entry->instance, __entry->ctx, __entry->seqno

DECLARE_EVENT_CLASS(i915_request_flags, TP_PROTO(struct i915_request *rq, u32 flags),
		    TP_ARGS(rq, flags), TP_STRUCT__entry(GL_ENTRY_RQ __field(u32, flags)),
		    TP_fast_assign(GL_ASSIGN_RQ; __entry->flags = flags;),
		    TP_printk(GL_FORMAT_RQ ", flags=0x%x", GL_PRINT_RQ, __entry->flags));

DECLARE_EVENT_CLASS(i915_request, TP_PROTO(struct i915_request *rq), TP_ARGS(rq),
		    TP_STRUCT__entry(GL_ENTRY_RQ __field(u32, tail)),
		    TP_fast_assign(GL_ASSIGN_RQ; __entry->tail = rq->tail;),
		    TP_printk(GL_FORMAT_RQ ", tail=%u", GL_PRINT_RQ, __entry->tail));

#define GL_REQUEST_EVENT(name)                                                                     \
	DEFINE_EVENT(i915_request, name, TP_PROTO(struct i915_request *rq), TP_ARGS(rq))

DEFINE_EVENT(i915_request_flags, i915_request_queue, TP_PROTO(struct i915_request *rq, u32 flags),
	     TP_ARGS(rq, flags));
GL_REQUEST_EVENT(i915_request_add);
GL_REQUEST_EVENT(i915_request_retire);
DEFINE_EVENT(i915_request_flags, i915_request_wait_begin,
	     TP_PROTO(struct i915_request *rq, u32 flags), TP_ARGS(rq, flags));
GL_REQUEST_EVENT(i915_request_wait_end);

#ifdef GL_LOW_LEVEL
GL_REQUEST_EVENT(i915_request_guc_submit);
GL_REQUEST_EVENT(i915_request_submit);
GL_REQUEST_EVENT(i915_request_execute);

TRACE_EVENT(i915_request_in, TP_PROTO(struct i915_request *rq, unsigned int port),
	    TP_ARGS(rq, port), TP_STRUCT__entry(GL_ENTRY_RQ __field(u32, port) __field(s32, prio)),
	    TP_fast_assign(GL_ASSIGN_RQ; __entry->port = port;
			   __entry->prio = rq->sched.attr.priority;),
	    TP_printk(GL_FORMAT_RQ ", prio=%d, port=%u", GL_PRINT_RQ, __entry->prio,
		      __entry->port));

TRACE_EVENT(i915_request_out, TP_PROTO(struct i915_request *rq), TP_ARGS(rq),
	    TP_STRUCT__entry(GL_ENTRY_RQ __field(u32, completed)),
	    TP_fast_assign(GL_ASSIGN_RQ; __entry->completed = i915_request_completed(rq);),
	    TP_printk(GL_FORMAT_RQ ", completed?=%u", GL_PRINT_RQ, __entry->completed));
#elif !defined(TRACE_HEADER_MULTI_READ)
static inline void trace_i915_request_guc_submit(struct i915_request *rq)
{
}

static inline void trace_i915_request_submit(struct i915_request *rq)
{
}

static inline void trace_i915_request_execute(struct i915_request *rq)
{
}

static inline void trace_i915_request_in(struct i915_request *rq, unsigned int port)
{
}

static inline void trace_i915_request_out(struct i915_request *rq)
{
}
#endif

/* clang-format on */
#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE i915_trace
#include <trace/define_trace.h>

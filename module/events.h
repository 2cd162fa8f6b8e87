/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the one table of events to LTTng's macros and to tracepoints of our own. No name and no field of
 * an event stands in this room: they all come from events.def.
 */
#ifndef LANE_MODULE_EVENTS_H
#define LANE_MODULE_EVENTS_H

/* clang-format off: the macros are tables, laid out by hand */

#include "layout.h"
#include "userspace/base/events.def"

/* What the tracepoints that have these fields are called with. */
#define LANE_PROTO_LANE_F_RQ_TAIL TP_PROTO(struct i915_request *rq)
#define LANE_ARGS_LANE_F_RQ_TAIL TP_ARGS(rq)
#define LANE_PROTO_LANE_F_RQ_FLAGS TP_PROTO(struct i915_request *rq, unsigned int flags)
#define LANE_ARGS_LANE_F_RQ_FLAGS TP_ARGS(rq, flags)
#define LANE_PROTO_LANE_F_RQ_IN TP_PROTO(struct i915_request *rq, unsigned int port)
#define LANE_ARGS_LANE_F_RQ_IN TP_ARGS(rq, port)
#define LANE_PROTO_LANE_F_RQ_OUT TP_PROTO(struct i915_request *rq)
#define LANE_ARGS_LANE_F_RQ_OUT TP_ARGS(rq)
#define LANE_PROTO_LANE_F_CONTEXT TP_PROTO(struct intel_context *ce)
#define LANE_ARGS_LANE_F_CONTEXT TP_ARGS(ce)

/*
 * LANE_IF(groups, group)(text): text for the events of these groups, nothing for all others. A group that
 * is among `groups` has a macro here whose value ends with a comma: it moves LANE_ALL to the second place.
 */
#define LANE_GROUP_REQUEST_i915 0,
#define LANE_GROUP_CONTEXT_context 0,
#define LANE_GROUP_DRIVER_i915 0,
#define LANE_GROUP_DRIVER_context 0,
#define LANE_IF(groups, group) LANE_SECOND(LANE_GROUP_##groups##_##group LANE_ALL, LANE_NOTHING, )
#define LANE_SECOND(...) LANE_SECOND_OF(__VA_ARGS__)
#define LANE_SECOND_OF(first, second, ...) second
#define LANE_NOTHING(...)
#define LANE_ALL(...) __VA_ARGS__

/* prefix##TRACEPOINT, prefix##FUNCTION, prefix##MISSING or prefix##NONE: where the event comes from. */
#define LANE_PASTE(a, b) a##b
#define LANE_PASTE2(a, b) LANE_PASTE(a, b)
#define LANE_BY_SOURCE(prefix, name) LANE_PASTE2(prefix, LANE_SOURCE_##name)

/* One field of an LTTng event, from its line in the table. */
#define LANE_LTTNG_FIELD(s, type, name, help) LANE_LTTNG_##type(name)
#define LANE_LTTNG_u16(name) ctf_integer(u16, name, LANE_FIELD_##name)
#define LANE_LTTNG_u32(name) ctf_integer(u32, name, LANE_FIELD_##name)
#define LANE_LTTNG_u64(name) ctf_integer(u64, name, LANE_FIELD_##name)
#define LANE_LTTNG_s32(name) ctf_integer(s32, name, LANE_FIELD_##name)
#define LANE_LTTNG_x32(name) ctf_integer_hex(u32, name, LANE_FIELD_##name)

/* The class of LTTng events with these fields; from an i915 whose layout is another, nothing. */
#define LANE_LTTNG_CLASS(fields)                                                                   \
	LTTNG_TRACEPOINT_EVENT_CLASS_CODE(                                                         \
		lane_class_##fields, LANE_PROTO_##fields, LANE_ARGS_##fields, TP_locvar(),         \
		TP_code_pre(LANE_PROBE_BEGIN()                                                     \
			    if (unlikely(!READ_ONCE(lane_driver_known))) LANE_DROP_EVENT();),      \
		TP_FIELDS(fields(LANE_LTTNG_FIELD, )), TP_code_post(LANE_PROBE_END()))

/*
 * An LTTng event, called as in the table: connected to i915's tracepoint of that name, or to one of ours
 * that the hooks fire. Ours has another name, so that it can never be taken for i915's.
 */
#define LANE_LTTNG_EVENT_TRACEPOINT(name, fields)                                                  \
	LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_##fields, name, name, LANE_PROTO_##fields,  \
					    LANE_ARGS_##fields)
#define LANE_LTTNG_EVENT_FUNCTION(name, fields)                                                    \
	LTTNG_TRACEPOINT_EVENT_INSTANCE_MAP(lane_class_##fields, gpulane_##name, name,             \
					    LANE_PROTO_##fields, LANE_ARGS_##fields)
#define LANE_LTTNG_EVENT_MISSING(name, fields)
#define LANE_LTTNG_EVENT_NONE(name, fields)

#define LANE_LTTNG_REQUEST(id, name, group, fields, help)                                          \
	LANE_IF(REQUEST, group)(LANE_BY_SOURCE(LANE_LTTNG_EVENT_, name)(name, fields))
#define LANE_LTTNG_CONTEXT(id, name, group, fields, help)                                          \
	LANE_IF(CONTEXT, group)(LANE_BY_SOURCE(LANE_LTTNG_EVENT_, name)(name, fields))

/* Our own tracepoints, for the events that come from functions. */
#define LANE_DECLARE_FUNCTION(name, fields)                                                        \
	LANE_DECLARE_TRACE(gpulane_##name, LANE_PROTO_##fields, LANE_ARGS_##fields);
#define LANE_DECLARE_TRACEPOINT(name, fields)
#define LANE_DECLARE_MISSING(name, fields)
#define LANE_DECLARE_NONE(name, fields)
#define LANE_DECLARE(id, name, group, fields, help)                                                \
	LANE_IF(DRIVER, group)(LANE_BY_SOURCE(LANE_DECLARE_, name)(name, fields))

#define LANE_DEFINE_FUNCTION(name, fields)                                                         \
	LTTNG_DEFINE_TRACE(gpulane_##name, PARAMS(LANE_PROTO_##fields), PARAMS(LANE_ARGS_##fields));
#define LANE_DEFINE_TRACEPOINT(name, fields)
#define LANE_DEFINE_MISSING(name, fields)
#define LANE_DEFINE_NONE(name, fields)
#define LANE_DEFINE(id, name, group, fields, help)                                                 \
	LANE_IF(DRIVER, group)(LANE_BY_SOURCE(LANE_DEFINE_, name)(name, fields))

#endif

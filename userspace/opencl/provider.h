/* SPDX-License-Identifier: MIT */
/*
 * The layer's events as LTTng-UST's provider `gpulane`: the names and fields of base/events.def,
 * the functions by name. clang-format off: LTTng's macros read this file several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gpulane

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "opencl/provider.h"

#if !defined(LANE_OPENCL_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LANE_OPENCL_PROVIDER_H

#include <lttng/tracepoint.h>

#include "base/event.h"
#include "base/opencl.h"

#ifndef LANE_OPENCL_PROVIDER_FIELDS
#define LANE_OPENCL_PROVIDER_FIELDS
#define UST_FIELD(s, type, name, help) UST_FIELD_##type(name)
#define UST_FIELD_u64(name)	       lttng_ust_field_integer(uint64_t, name, p->name)
#define UST_FIELD_s32(name)	       lttng_ust_field_integer(int32_t, name, p->name)
#define UST_FIELD_x32(name)	       lttng_ust_field_integer_hex(uint32_t, name, p->name)
#define UST_FIELD_x64(name)	       lttng_ust_field_integer_hex(uint64_t, name, p->name)
#define UST_FIELD_comm(name)	       lttng_ust_field_array_text(char, name, p->name, 16)
#define UST_FIELD_str128(name)	       lttng_ust_field_array_text(char, name, p->name, 128)
#define UST_FIELD_path(name)	       lttng_ust_field_array_text(char, name, p->name, 64)
#define UST_FIELD_u32(name)	       lttng_ust_field_integer(uint32_t, name, p->name)
#define UST_FIELD_clf(name)	       lttng_ust_field_enum(gpulane, opencl_function, uint32_t, name, p->name)
#define UST_FIELD_clc(name)                                                                        \
	lttng_ust_field_enum(gpulane, opencl_command_type, uint32_t, name, p->name)
#define UST_FUNCTION(name, ...)	 lttng_ust_field_enum_value(#name, LANE_CLF_##name)
#define UST_COMMAND(name, value, class) lttng_ust_field_enum_value(#name, value)
#endif

LTTNG_UST_TRACEPOINT_ENUM(gpulane, opencl_function,
			  LTTNG_UST_TP_ENUM_VALUES(LANE_OPENCL_FUNCTIONS(UST_FUNCTION)
						   LANE_LEVELZERO_FUNCTIONS(UST_FUNCTION)))

LTTNG_UST_TRACEPOINT_ENUM(gpulane, opencl_command_type,
			  LTTNG_UST_TP_ENUM_VALUES(LANE_OPENCL_COMMANDS(UST_COMMAND)
						   LANE_LEVELZERO_COMMANDS(UST_COMMAND)))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_call_entry,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_call_entry *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_ENTRY(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_call_exit,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_call_exit *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_EXIT(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_command,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_command *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_COMMAND(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_kernel,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_kernel *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_KERNEL(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_atomics,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_atomics *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_ATOMICS(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_queue,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_queue *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_QUEUE(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_profiling,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_profiling *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_PROFILE(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_run,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_run *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_RUN(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, opencl_clock,
			   LTTNG_UST_TP_ARGS(const struct lane_p_opencl_clock *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_CL_CLOCK(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, gpulane_range,
			   LTTNG_UST_TP_ARGS(const struct lane_p_gpulane_range *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_RANGE(UST_FIELD, )))

LTTNG_UST_TRACEPOINT_EVENT(gpulane, gpulane_range_end,
			   LTTNG_UST_TP_ARGS(const struct lane_p_gpulane_range *, p),
			   LTTNG_UST_TP_FIELDS(LANE_F_RANGE(UST_FIELD, )))

#endif

#include <lttng/tracepoint-event.h>

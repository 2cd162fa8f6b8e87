/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTTng's description of the i915_request_* events; read several times by its macros.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM i915

#if !defined(LANE_MODULE_LTTNG_REQUEST_H) || defined(TRACE_HEADER_MULTI_READ)
#define LANE_MODULE_LTTNG_REQUEST_H

#include <lttng/tracepoint-event.h>

#include "events.h"

LANE_CLASSES_i915(LANE_LTTNG_CLASS) LANE_EVENTS(LANE_LTTNG_REQUEST)

#endif

/* LTTng's macros read this file again from here on. */
#include <lttng/define_trace.h>

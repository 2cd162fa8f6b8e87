// SPDX-License-Identifier: GPL-2.0
/*
 * The LTTng probe provider of the i915_request_* events.
 */
#include <linux/module.h>
#include <lttng/tracer.h>

#include "compat.h"
#include "fields.h"
#include "module.h"

#include <wrapper/tracepoint.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#define TP_MODULE_NOAUTOLOAD
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE lttng_request

#include "lttng_request.h"

int lane_probe_request_register(void)
{
	return __lttng_events_init__i915();
}

void lane_probe_request_unregister(void)
{
	__lttng_events_exit__i915();
}

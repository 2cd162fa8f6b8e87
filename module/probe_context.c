// SPDX-License-Identifier: GPL-2.0
/*
 * The LTTng probe provider of the intel_context_* events.
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
#define TRACE_INCLUDE_FILE lttng_context

#include "lttng_context.h"

int lane_probe_context_register(void)
{
	return __lttng_events_init__intel_context();
}

void lane_probe_context_unregister(void)
{
	__lttng_events_exit__intel_context();
}

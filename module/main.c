// SPDX-License-Identifier: GPL-2.0
/*
 * lttng-probe-i915: makes i915's request and context events part of LTTng's kernel domain.
 */
#define pr_fmt(fmt) "gpulane: " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <wrapper/tracepoint.h>

#include "compat.h"
#include "events.h"
#include "module.h"

enum lane_source {
	TRACEPOINT,
	FUNCTION,
	MISSING,
	NONE,
};

/* The driver's events, in the order of the table, and where they come from. */
static const struct {
	const char *name;
	enum lane_source source;
} lane_sources[] = {
#define E(id, name, group, fields, help) LANE_IF(DRIVER, group)({ #name, LANE_SOURCE_##name }, )
	LANE_EVENTS(E)
#undef E
};

/* Parameter "sources", a line for each event: EVENT=tracepoint, =function:NAME or =missing. */
static int lane_show_sources(char *buffer, const struct kernel_param *param)
{
	bool other = !strcmp(lane_driver_state(), "other");
	const char *function;
	size_t i;
	int at = 0;

	for (i = 0; i < ARRAY_SIZE(lane_sources); i++) {
		const char *name = lane_sources[i].name;

		function = lane_sources[i].source == FUNCTION ? lane_hooks_function(name) : NULL;
		if (lane_sources[i].source == TRACEPOINT && !other)
			at += scnprintf(buffer + at, PAGE_SIZE - at, "%s=tracepoint\n", name);
		else if (function && !other)
			at += scnprintf(buffer + at, PAGE_SIZE - at, "%s=function:%s\n", name,
					function);
		else
			at += scnprintf(buffer + at, PAGE_SIZE - at, "%s=missing\n", name);
	}
	return at;
}

/* Parameter "missed": how many calls of hooked functions went by unseen. */
static int lane_show_missed(char *buffer, const struct kernel_param *param)
{
	return scnprintf(buffer, PAGE_SIZE, "%lu\n", lane_hooks_missed());
}

/* Parameter "driver": absent, known or other. */
static int lane_show_driver(char *buffer, const struct kernel_param *param)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", lane_driver_state());
}

static const struct kernel_param_ops lane_sources_ops = { .get = lane_show_sources };
static const struct kernel_param_ops lane_missed_ops = { .get = lane_show_missed };
static const struct kernel_param_ops lane_driver_ops = { .get = lane_show_driver };

module_param_cb(sources, &lane_sources_ops, NULL, 0444);
MODULE_PARM_DESC(sources, "where each event comes from (read-only)");
module_param_cb(missed, &lane_missed_ops, NULL, 0444);
MODULE_PARM_DESC(missed, "calls of hooked functions that went by unseen (read-only)");
module_param_cb(driver, &lane_driver_ops, NULL, 0444);
MODULE_PARM_DESC(driver, "the i915 that is loaded: absent, known, other (read-only)");

/* Says in one line which events this driver cannot give. */
static void lane_say_missing(void)
{
	char names[768];
	size_t i;
	int at = 0;

	for (i = 0; i < ARRAY_SIZE(lane_sources); i++) {
		if (lane_sources[i].source == MISSING)
			at += scnprintf(names + at, sizeof(names) - at, " %s",
					lane_sources[i].name);
	}
	if (at)
		pr_info("this i915 driver has no tracepoint and no function to hook for:%s\n",
			names);
}

static int __init lane_init(void)
{
	int err;

	err = lane_driver_follow();
	if (err)
		return err;
	err = lane_probe_request_register();
	if (err)
		goto leave;
	err = lane_probe_context_register();
	if (err)
		goto unregister;
	lane_say_missing();
	return 0;

unregister:
	lane_probe_request_unregister();
leave:
	lane_driver_leave();
	tracepoint_synchronize_unregister();
	return err;
}

static void __exit lane_exit(void)
{
	lane_probe_context_unregister();
	lane_probe_request_unregister();
	lane_driver_leave();
	tracepoint_synchronize_unregister();
}

module_init(lane_init);
module_exit(lane_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTTng probes for i915's requests and contexts");
MODULE_VERSION(LANE_VERSION);

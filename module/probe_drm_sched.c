// SPDX-License-Identifier: GPL-2.0
/*
 * lttng-probe-drm-sched: makes drm_sched's events part of LTTng's kernel domain.
 *
 * A module of its own: it needs no driver's layout, and a machine without i915 has a use for it.
 */
#define pr_fmt(fmt) "gpulane: " fmt

#include <linux/module.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/tracepoint.h>
#include <lttng/tracer.h>

#include "compat.h"
#include "drm_sched.h"

#include <wrapper/tracepoint.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#define TP_MODULE_NOAUTOLOAD
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE lttng_drm_sched

#include "lttng_drm_sched.h"

/* The tracepoints that the events come from, and whether the gpu-sched that is loaded has them. */
static struct {
	const char *name;
	bool is_there;
} lane_tracepoints[] = {
	{ __stringify(LANE_TP_QUEUE) },		{ __stringify(LANE_TP_RUN) },
	{ __stringify(LANE_TP_ADD_DEP) },	{ __stringify(LANE_TP_DONE) },
#ifdef LANE_TP_UNSCHEDULABLE
	{ __stringify(LANE_TP_UNSCHEDULABLE) },
#endif
};

static bool lane_drm_sched_there;

static int lane_drm_sched_notify(struct notifier_block *self, unsigned long state, void *data)
{
	const struct module *mod = ((const struct tp_module *)data)->mod;
	unsigned int i, n;

	if (state != MODULE_STATE_COMING || strcmp(mod->name, "gpu_sched"))
		return NOTIFY_OK;
	lane_drm_sched_there = true;
	for (i = 0; i < mod->num_tracepoints; i++) {
		const char *name = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i])->name;

		for (n = 0; n < ARRAY_SIZE(lane_tracepoints); n++)
			if (!strcmp(name, lane_tracepoints[n].name))
				lane_tracepoints[n].is_there = true;
	}
	return NOTIFY_OK;
}

static struct notifier_block lane_drm_sched_notifier = { .notifier_call = lane_drm_sched_notify };

/* Says in one line which events are there; the kernel tells of gpu-sched if it is loaded. */
static int lane_say_sources(void)
{
	char names[256] = "";
	unsigned int n;
	int at = 0;
	int err = register_tracepoint_module_notifier(&lane_drm_sched_notifier);

	if (err)
		return err;
	unregister_tracepoint_module_notifier(&lane_drm_sched_notifier);
	for (n = 0; n < ARRAY_SIZE(lane_tracepoints); n++)
		if (!lane_tracepoints[n].is_there)
			at += scnprintf(names + at, sizeof(names) - at, " %s",
					lane_tracepoints[n].name);
	if (!lane_drm_sched_there)
		pr_info("drm_sched: gpu-sched is not loaded; its events are recorded once it is\n");
	else if (at)
		pr_info("drm_sched: this gpu-sched has no tracepoint:%s\n", names);
	else
		pr_info("drm_sched: all events are there\n");
	return 0;
}

static int __init lane_drm_sched_init(void)
{
	int err = lane_say_sources();

	return err ? err : __lttng_events_init__drm_sched();
}

static void __exit lane_drm_sched_exit(void)
{
	__lttng_events_exit__drm_sched();
	tracepoint_synchronize_unregister();
}

module_init(lane_drm_sched_init);
module_exit(lane_drm_sched_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTTng probes for drm_sched's jobs");
MODULE_VERSION(LANE_VERSION);

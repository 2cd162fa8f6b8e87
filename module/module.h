/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the module know of each other.
 */
#ifndef LANE_MODULE_MODULE_H
#define LANE_MODULE_MODULE_H

#include <linux/types.h>

struct module;

/* driver.c: i915 coming and going. */

/*
 * True while the i915 that is loaded is the one whose layout was compiled in. False when there is
 * none or another: then nothing of it may be read.
 */
extern bool lane_driver_known;

/* Follows i915 from now on. -ENODEV when the one that is there is another: one line has said so. */
int lane_driver_follow(void);

/* Unhooks i915 if it is there, and follows it no more. */
void lane_driver_leave(void);

/* "absent", "known" or "other". */
const char *lane_driver_state(void);

/* hooks.c: events from the driver's functions. Callers are serialised by driver.c. */

/* Hooks the functions of this i915; the ones that cannot be are named in one line of the log. */
void lane_hooks_attach(struct module *i915);

/* Unhooks them. No hook does anything any more when it returns. */
void lane_hooks_detach(void);

/*
 * Waits until ftrace calls nothing of this module: for ever, where ftrace has given up and did not
 * unhook. The module would be freed otherwise, and called.
 */
void lane_hooks_settle(void);

/* The function hooked for an event, NULL when there is none or this i915's could not be hooked. */
const char *lane_hooks_function(const char *event);

/* How many calls of hooked functions went by unseen since the module was loaded. */
unsigned long lane_hooks_missed(void);

/* probe_request.c, probe_context.c: LTTng's side. */
int lane_probe_request_register(void);
void lane_probe_request_unregister(void);
int lane_probe_context_register(void);
void lane_probe_context_unregister(void);

#endif

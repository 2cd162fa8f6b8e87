// SPDX-License-Identifier: GPL-2.0
/*
 * i915 coming and going: whether the one that is there is the one this module was built for.
 *
 * The kernel tells of every module with tracepoints, also of those that were there before, and
 * always before the first event of one that comes and after the last event of one that goes.
 */
#define pr_fmt(fmt) "gpulane: " fmt

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "identity.h"
#include "layout.h"
#include "module.h"

#define LANE_DRIVER "i915"
#define LANE_REMEDY "(make module builds it for another driver)\n"

bool lane_driver_known __read_mostly;
static bool lane_driver_there;

/* The task that is in lane_driver_follow(): what it is told of was there before. */
static struct task_struct *lane_follower;
static bool lane_refused;

/*
 * The identity of an i915 that has been loaded: its BTF is no longer in the module, but where the
 * kernel shows it. 0 when it cannot be read.
 */
static u64 lane_identity_of_file(void)
{
	u64 hash = LANE_IDENTITY_START;
	struct file *file;
	ssize_t got;
	loff_t at = 0;
	void *part;

	part = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!part)
		return 0;
	file = filp_open("/sys/kernel/btf/" LANE_DRIVER, O_RDONLY, 0);
	if (IS_ERR(file)) {
		kfree(part);
		return 0;
	}
	while ((got = kernel_read(file, part, PAGE_SIZE, &at)) > 0)
		hash = lane_identity(hash, part, got);
	filp_close(file, NULL);
	kfree(part);
	return got ? 0 : hash;
}

/* The identity of an i915 that is just coming: its BTF is still in the image it is loaded from. */
static u64 lane_identity_of_image(const struct module *i915)
{
	if (!i915->btf_data || !i915->btf_data_size)
		return 0;
	return lane_identity(LANE_IDENTITY_START, i915->btf_data, i915->btf_data_size);
}

static void lane_driver_coming(struct module *i915)
{
	bool was_there = READ_ONCE(lane_follower) == current;
	u64 identity = was_there ? lane_identity_of_file() : lane_identity_of_image(i915);
	const char *why;

	WRITE_ONCE(lane_driver_there, true);
	WRITE_ONCE(lane_driver_known, identity == LANE_IDENTITY);
	if (identity == LANE_IDENTITY) {
		lane_hooks_attach(i915);
		return;
	}
	why = identity ? "is not the one this module was built for" : "has no BTF to know it by";
	lane_refused = was_there;
	if (was_there)
		pr_err("not loaded: the i915 driver that is loaded %s " LANE_REMEDY, why);
	else
		pr_warn("the i915 driver that comes %s: none of its events is "
			"recorded " LANE_REMEDY,
			why);
}

static void lane_driver_going(void)
{
	if (lane_driver_known)
		lane_hooks_detach();
	WRITE_ONCE(lane_driver_known, false);
	WRITE_ONCE(lane_driver_there, false);
}

static int lane_driver_notify(struct notifier_block *self, unsigned long state, void *data)
{
	struct tp_module *with_tracepoints = data;

	if (strcmp(with_tracepoints->mod->name, LANE_DRIVER))
		return NOTIFY_OK;
	if (state == MODULE_STATE_COMING)
		lane_driver_coming(with_tracepoints->mod);
	else if (state == MODULE_STATE_GOING)
		lane_driver_going();
	return NOTIFY_OK;
}

static struct notifier_block lane_driver_notifier = {
	.notifier_call = lane_driver_notify,
};

int lane_driver_follow(void)
{
	int err;

	WRITE_ONCE(lane_follower, current);
	err = register_tracepoint_module_notifier(&lane_driver_notifier);
	WRITE_ONCE(lane_follower, NULL);
	if (err || !lane_refused)
		return err;
	lane_driver_leave();
	return -ENODEV;
}

void lane_driver_leave(void)
{
	/* the kernel tells of i915 as if it went */
	unregister_tracepoint_module_notifier(&lane_driver_notifier);
}

const char *lane_driver_state(void)
{
	if (READ_ONCE(lane_driver_known))
		return "known";
	return READ_ONCE(lane_driver_there) ? "other" : "absent";
}

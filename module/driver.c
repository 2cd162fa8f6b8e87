// SPDX-License-Identifier: GPL-2.0
/*
 * i915 coming and going: whether the one that is there is the one this module was built for.
 *
 * The kernel tells of every module with tracepoints, also of those that were there before, and
 * always before the first event of one that comes and after the last event of one that goes.
 */
#define pr_fmt(fmt) "gpulane: " fmt

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/path.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "identity.h"
#include "layout.h"
#include "module.h"

#define LANE_DRIVER   "i915"
#define LANE_BTF_MOST (64ul << 20) /* as large as an i915's BTF can reasonably be, bytes */
#define LANE_REMEDY   "(make module builds it for another driver)\n"

bool lane_driver_known __read_mostly;

/* All below, and the hooks. It is taken inside the tracepoints' lock: no file is read under it. */
static DEFINE_MUTEX(lane_driver_lock);
static struct module *lane_driver; /* the one that is there */
static bool lane_driver_unread;	   /* it was there before, and its identity is still to be read */

/* The task that is in lane_driver_follow(): what it is told of was there before. */
static struct task_struct *lane_follower;

/*
 * A file as process 1 sees it: who loads this module may be in a namespace with
 * another /sys. (kernel_read_file_from_path_initns() would do, but security modules ask what its
 * files are for, and have no answer for this one: IPE warns.)
 */
static struct file *lane_open_file(const char *path)
{
	struct file *file;
	struct path root;

	get_fs_root(LANE_INIT_FS, &root);
	file = file_open_root(&root, path, O_RDONLY, 0);
	path_put(&root);
	return file;
}

/* What the kernel shows in a file; NULL when it cannot be read. To be freed by kvfree(). */
static void *lane_read_file(const char *path, unsigned long *size)
{
	struct file *file = lane_open_file(path);
	void *data = NULL;
	loff_t at = 0, length;
	ssize_t got = 1;

	if (IS_ERR(file))
		return NULL;
	length = i_size_read(file_inode(file));
	if (length > 0 && length <= LANE_BTF_MOST)
		data = kvmalloc(length, GFP_KERNEL);
	while (data && at < length && got > 0)
		got = kernel_read(file, (char *)data + at, length - at, &at);
	filp_close(file, NULL);
	if (!data || at < length) {
		kvfree(data);
		return NULL;
	}
	*size = length;
	return data;
}

/*
 * The identity of an i915 that has been loaded: its BTF is no longer in the module, but where the
 * kernel shows it. 0 when it cannot be read.
 */
static u64 lane_identity_of_file(void)
{
	unsigned long size = 0;
	void *btf = lane_read_file("/sys/kernel/btf/" LANE_DRIVER, &size);
	u64 identity = btf ? lane_identity(btf, size) : 0;

	kvfree(btf);
	return identity;
}

/* The identity of an i915 that is just coming: its BTF is still in the image it is loaded from. */
static u64 lane_identity_of_image(const struct module *i915)
{
	return i915->btf_data ? lane_identity(i915->btf_data, i915->btf_data_size) : 0;
}

/* Hooks the i915 that is there, if it is the one. Else it returns why it is not. */
static const char *lane_driver_judge(u64 identity)
{
	WRITE_ONCE(lane_driver_known, identity == LANE_IDENTITY);
	if (identity == LANE_IDENTITY) {
		lane_hooks_attach(lane_driver);
		return NULL;
	}
	return identity ? "is not the one this module was built for" : "has no BTF to know it by";
}

static void lane_driver_coming(struct module *i915)
{
	const char *why;

	WRITE_ONCE(lane_driver, i915);
	lane_driver_unread = READ_ONCE(lane_follower) == current;
	if (lane_driver_unread)
		return;
	why = lane_driver_judge(lane_identity_of_image(i915));
	if (why)
		pr_warn("the i915 driver that comes %s: none of its events is "
			"recorded " LANE_REMEDY,
			why);
}

static void lane_driver_going(void)
{
	if (lane_driver_known)
		lane_hooks_detach();
	WRITE_ONCE(lane_driver_known, false);
	WRITE_ONCE(lane_driver, NULL);
	lane_driver_unread = false;
}

static int lane_driver_notify(struct notifier_block *self, unsigned long state, void *data)
{
	struct tp_module *with_tracepoints = data;

	if (strcmp(with_tracepoints->mod->name, LANE_DRIVER))
		return NOTIFY_OK;
	mutex_lock(&lane_driver_lock);
	if (state == MODULE_STATE_COMING)
		lane_driver_coming(with_tracepoints->mod);
	else if (state == MODULE_STATE_GOING)
		lane_driver_going();
	mutex_unlock(&lane_driver_lock);
	return NOTIFY_OK;
}

static struct notifier_block lane_driver_notifier = {
	.notifier_call = lane_driver_notify,
};

/*
 * Judges the i915 that was there before. It may go while its file is read; then it is unread no
 * more, and one that came in its place has been judged by its image.
 */
static const char *lane_driver_read(void)
{
	u64 identity = lane_identity_of_file();
	const char *why = NULL;

	mutex_lock(&lane_driver_lock);
	if (lane_driver_unread)
		why = lane_driver_judge(identity);
	lane_driver_unread = false;
	mutex_unlock(&lane_driver_lock);
	return why;
}

int lane_driver_follow(void)
{
	const char *why;
	int err;

	WRITE_ONCE(lane_follower, current);
	err = register_tracepoint_module_notifier(&lane_driver_notifier);
	WRITE_ONCE(lane_follower, NULL);
	if (err || !READ_ONCE(lane_driver))
		return err;
	why = lane_driver_read();
	if (!why)
		return 0;
	pr_err("not loaded: the i915 driver that is loaded %s " LANE_REMEDY, why);
	lane_driver_leave();
	return -ENODEV;
}

void lane_driver_leave(void)
{
	/* the kernel tells of i915 as if it went */
	unregister_tracepoint_module_notifier(&lane_driver_notifier);
	lane_hooks_settle();
}

const char *lane_driver_state(void)
{
	if (READ_ONCE(lane_driver_known))
		return "known";
	return READ_ONCE(lane_driver) ? "other" : "absent";
}

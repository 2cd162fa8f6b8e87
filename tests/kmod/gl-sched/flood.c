// SPDX-License-Identifier: GPL-2.0
// The scheduler's events in exactly known numbers, as fast as they go, to measure what tracers
// take: /sys/kernel/debug/gl-sched/flood.
//
//   echo COUNT > flood    fires each of three events COUNT times, for one job: queued, run, done
//   cat flood             `fired N events, T ns each 256`: the median of the times that 256 take
//
// The scheduler fires them only now and then, with much else between. So whoever is attached to
// its tracepoints is called from here, with the arguments that the scheduler has for them.
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "gl-sched.h"

#define STRETCH 256

/* The events by their names before Linux 6.17 and since. */
static const char *const names[][2] = {
	{ "drm_sched_job", "drm_sched_job_queue" },
	{ "drm_run_job", "drm_sched_job_run" },
	{ "drm_sched_process_job", "drm_sched_job_done" },
};
#define N_EVENTS ARRAY_SIZE(names)

static struct tracepoint *tracepoints[N_EVENTS];
static DEFINE_MUTEX(flood_lock);
static u64 fired, stretch_ns;

/* Looks at the modules' tracepoints; it is called for those that are loaded already. */
static int look(struct notifier_block *block, unsigned long action, void *data)
{
	const struct tp_module *module = data;
	int i;
	unsigned int n;

	if (action != MODULE_STATE_COMING || strcmp(module->mod->name, "gpu_sched"))
		return NOTIFY_OK;
	for (i = 0; i < module->mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&module->mod->tracepoints_ptrs[i]);

		for (n = 0; n < N_EVENTS; n++)
			if (!strcmp(tp->name, names[n][0]) || !strcmp(tp->name, names[n][1]))
				tracepoints[n] = tp;
	}
	return NOTIFY_OK;
}

/* What a tracepoint does. Nobody is to attach or detach meanwhile. */
static void fire(const struct tracepoint *tp, void *first, void *second)
{
	const struct tracepoint_func *func;

	preempt_disable_notrace();
	func = rcu_dereference_raw(tp->funcs);
	for (; func && func->func; func++)
		((void (*)(void *, void *, void *))func->func)(func->data, first, second);
	preempt_enable_notrace();
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* One job's events over and over; the job is nobody's yet. */
static void flood(struct gls_job *job, u64 count, u64 *stretches)
{
	u64 n = 0, i, begin = ktime_get_ns();
	u32 done = 0;

	for (i = 0; i < count; i++) {
		fire(tracepoints[0], &job->base, &job->ctx->entity);
		fire(tracepoints[1], &job->base, &job->ctx->entity);
		fire(tracepoints[2], job->base.s_fence, NULL);
		n += N_EVENTS;
		if (n - fired < STRETCH)
			continue;
		stretches[done++] = (ktime_get_ns() - begin) * STRETCH / (n - fired);
		fired = n;
		cond_resched();
		begin = ktime_get_ns();
	}
	fired = n;
	sort(stretches, done, sizeof(u64), compare, NULL);
	stretch_ns = done ? stretches[done / 2] : 0;
}

static ssize_t flood_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	u64 count, *stretches;
	struct gls_job *job;
	int err;

	err = kstrtou64_from_user(from, size, 0, &count);
	if (err)
		return err;
	if (!count || count > 10000000)
		return -EINVAL;
	if (!tracepoints[0] || !tracepoints[1] || !tracepoints[2])
		return -ENOENT;
	stretches = kvcalloc(count * N_EVENTS / STRETCH + 1, sizeof(u64), GFP_KERNEL);
	if (!stretches)
		return -ENOMEM;
	err = mutex_lock_interruptible(&flood_lock);
	if (!err) {
		fired = 0;
		job = gls_job_bare();
		if (!IS_ERR(job)) {
			flood(job, count, stretches);
			gls_job_finish(job);
		} else {
			err = PTR_ERR(job);
		}
		mutex_unlock(&flood_lock);
	}
	kvfree(stretches);
	return err ? err : size;
}

static int flood_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&flood_lock);
	seq_printf(seq, "fired %llu events, %llu ns each %d\n", fired, stretch_ns, STRETCH);
	mutex_unlock(&flood_lock);
	return 0;
}

static int flood_open(struct inode *inode, struct file *file)
{
	return single_open(file, flood_show, NULL);
}

static const struct file_operations flood_fops = {
	.owner = THIS_MODULE,
	.open = flood_open,
	.read = seq_read,
	.write = flood_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct notifier_block looker = { .notifier_call = look };

void gls_flood_init(struct dentry *directory)
{
	if (!register_tracepoint_module_notifier(&looker))
		unregister_tracepoint_module_notifier(&looker);
	debugfs_create_file("flood", 0600, directory, NULL, &flood_fops);
}

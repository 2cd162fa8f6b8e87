// SPDX-License-Identifier: GPL-2.0
// What the driver knows of its jobs: /sys/kernel/debug/gl-sched/truth.
//
// A line a job in the order of submission, below a line with the columns' names; the name of the
// process is the last column. Writing to the file forgets all jobs.
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "gl-sched.h"

#define MAX_JOBS 262144

DEFINE_SPINLOCK(gls_truth_lock);
static DEFINE_MUTEX(list_lock);
static LIST_HEAD(jobs);
static unsigned int n_jobs;
static struct dentry *directory;

/* A fence that a job waits for. */
struct dependency {
	struct dma_fence_cb cb;
	struct dma_fence *fence;
	struct gls_truth *truth;
};

static void truth_free(struct kref *ref)
{
	kfree(container_of(ref, struct gls_truth, ref));
}

void gls_truth_put(struct gls_truth *truth)
{
	if (truth)
		kref_put(&truth->ref, truth_free);
}

/* The list has a reference, too, unless it is full: then the job is known to nobody. */
struct gls_truth *gls_truth_new(void)
{
	struct gls_truth *truth = kzalloc(sizeof(*truth), GFP_KERNEL);

	if (!truth)
		return NULL;
	kref_init(&truth->ref);
	INIT_LIST_HEAD(&truth->link);
	mutex_lock(&list_lock);
	if (n_jobs < MAX_JOBS) {
		n_jobs++;
		kref_get(&truth->ref);
		list_add_tail(&truth->link, &jobs);
	}
	mutex_unlock(&list_lock);
	return truth;
}

static void dependency_done(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct dependency *dependency = container_of(cb, struct dependency, cb);
	struct gls_truth *truth = dependency->truth;
	unsigned long flags;

	spin_lock_irqsave(&gls_truth_lock, flags);
	truth->runnable_ns = max_t(u64, truth->runnable_ns, ktime_to_ns(fence->timestamp));
	spin_unlock_irqrestore(&gls_truth_lock, flags);
	gls_truth_put(truth);
	dma_fence_put(fence);
	kfree(dependency);
}

/*
 * drm_sched_entity_add_dependency_cb() in drivers/gpu/drm/scheduler/sched_entity.c: of a job of the
 * same scheduler it only waits until that one is given to the ring, of one of the same entity not
 * at all.
 */
int gls_truth_follow(struct gls_truth *truth, struct dma_fence *fence, const struct gls_ring *ring)
{
	struct drm_sched_fence *s_fence = to_drm_sched_fence(fence);
	struct dependency *dependency;

	if (fence->context == truth->ctx)
		return 0;
	if (s_fence && s_fence->sched == &ring->sched)
		fence = &s_fence->scheduled;
	dependency = kzalloc(sizeof(*dependency), GFP_KERNEL);
	if (!dependency)
		return -ENOMEM;
	kref_get(&truth->ref);
	dependency->truth = truth;
	dependency->fence = dma_fence_get(fence);
	if (dma_fence_add_callback(fence, &dependency->cb, dependency_done)) {
		dma_fence_put(fence);
		gls_truth_put(truth);
		kfree(dependency);
	}
	return 0;
}

void gls_truth_cause(struct gls_truth *truth, enum gls_cause cause)
{
	unsigned long flags;

	spin_lock_irqsave(&gls_truth_lock, flags);
	truth->causes |= 1u << cause;
	spin_unlock_irqrestore(&gls_truth_lock, flags);
}

static void *truth_start(struct seq_file *seq, loff_t *pos)
{
	mutex_lock(&list_lock);
	return seq_list_start_head(&jobs, *pos);
}

static void *truth_next(struct seq_file *seq, void *v, loff_t *pos)
{
	return seq_list_next(v, &jobs, pos);
}

static void truth_stop(struct seq_file *seq, void *v)
{
	mutex_unlock(&list_lock);
}

static int truth_show(struct seq_file *seq, void *v)
{
	static const char *const states[] = { "queued", "running", "complete", "timeout",
					      "canceled" };
	static const char *const priorities[] = { "low", "normal", "high" };
	struct gls_truth t;
	unsigned long flags;

	if (v == &jobs) {
		seq_puts(seq, "pid tid ring prio client ctx seqno id fence entity queued runnable "
			      "handed started restarted ended done runs causes status comm\n");
		return 0;
	}
	spin_lock_irqsave(&gls_truth_lock, flags);
	t = *list_entry(v, struct gls_truth, link);
	spin_unlock_irqrestore(&gls_truth_lock, flags);
	seq_printf(seq,
		   "%d %d %s %s %llu %llu %llu %llu 0x%llx 0x%llx %llu %llu %llu %llu %llu %llu "
		   "%llu %u %u %s %s\n",
		   t.pid, t.tid, gls_rings[t.ring].name, priorities[t.priority], t.client, t.ctx,
		   t.seqno, t.id, t.fence, t.entity, t.queued_ns, t.runnable_ns, t.handed_ns,
		   t.started_ns, t.restarted_ns, t.ended_ns, t.done_ns, t.runs, t.causes,
		   states[t.status], t.comm);
	return 0;
}

static const struct seq_operations truth_sops = {
	.start = truth_start,
	.next = truth_next,
	.stop = truth_stop,
	.show = truth_show,
};

static void forget(void)
{
	struct gls_truth *truth, *next;

	mutex_lock(&list_lock);
	list_for_each_entry_safe(truth, next, &jobs, link) {
		list_del_init(&truth->link);
		gls_truth_put(truth);
	}
	n_jobs = 0;
	mutex_unlock(&list_lock);
}

static int truth_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &truth_sops);
}

static ssize_t truth_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	forget();
	return size;
}

static const struct file_operations truth_fops = {
	.owner = THIS_MODULE,
	.open = truth_open,
	.read = seq_read,
	.write = truth_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

void gls_truth_init(void)
{
	directory = debugfs_create_dir(GLS_DRIVER, NULL);
	debugfs_create_file("truth", 0600, directory, NULL, &truth_fops);
	gls_flood_init(directory);
}

void gls_truth_exit(void)
{
	debugfs_remove_recursive(directory);
	forget();
}

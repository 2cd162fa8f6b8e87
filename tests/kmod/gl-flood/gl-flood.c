// SPDX-License-Identifier: GPL-2.0
/*
 * Fires the kernel's dma_fence tracepoints in exactly known numbers, from several CPUs at once, as
 * fast as they go or at a rate: the source for loss tests and benchmarks.
 *
 *   echo "COUNT [RATE [CPUS]]" > /sys/kernel/debug/gl-flood/run
 *
 * On each of CPUS processors (default all that are online) a thread gl-flood/N makes COUNT fences,
 * RATE a second (0, the default: at full speed), and fires for each dma_fence_init,
 * dma_fence_enable_signal, dma_fence_signaled and dma_fence_destroy, in this order. The write
 * returns when all are done. Then /sys/kernel/debug/gl-flood/counts has the events fired by this
 * run, one "NAME NUMBER" a line, and elapsed_ns, the time from the first thread's start to the last
 * one's end. A fence's context is base_context + N, its seqno counts from 1; the driver's name is
 * gl-flood, the timeline's flood.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

struct worker {
	struct dma_fence fence;
	spinlock_t lock;
	struct task_struct *task;
	u64 context;
	u64 count;
	u64 interval_ns;
	u64 done;
	u64 start_ns;
	u64 end_ns;
};

static struct dentry *directory;
static DEFINE_MUTEX(run_lock);
static struct {
	u64 base_context;
	u64 fences;
	u64 elapsed_ns;
	unsigned int cpus;
} last;

static const char *flood_driver_name(struct dma_fence *fence)
{
	return "gl-flood";
}

static const char *flood_timeline_name(struct dma_fence *fence)
{
	return "flood";
}

static bool flood_enable_signaling(struct dma_fence *fence)
{
	return true;
}

/* The fence is a part of its worker, which uses it again. */
static void flood_release(struct dma_fence *fence)
{
}

static const struct dma_fence_ops flood_ops = {
	.get_driver_name = flood_driver_name,
	.get_timeline_name = flood_timeline_name,
	.enable_signaling = flood_enable_signaling,
	.release = flood_release,
};

static int flood_thread(void *data)
{
	struct worker *worker = data;
	u64 i;

	worker->start_ns = ktime_get_ns();
	for (i = 0; i < worker->count && !kthread_should_stop(); i++) {
		if (worker->interval_ns) {
			ktime_t due = ns_to_ktime(worker->start_ns + i * worker->interval_ns);

			set_current_state(TASK_INTERRUPTIBLE);
			if (ktime_before(ktime_get(), due))
				schedule_hrtimeout(&due, HRTIMER_MODE_ABS);
			__set_current_state(TASK_RUNNING);
		} else if (i % 256 == 255) {
			cond_resched();
		}
		dma_fence_init(&worker->fence, &flood_ops, &worker->lock, worker->context, i + 1);
		dma_fence_enable_sw_signaling(&worker->fence);
		dma_fence_signal(&worker->fence);
		dma_fence_put(&worker->fence);
		worker->done++;
	}
	WRITE_ONCE(worker->end_ns, ktime_get_ns());
	/* until whoever started it collects it */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int run(u64 count, u64 rate, unsigned int cpus)
{
	struct worker *workers;
	unsigned int i = 0, cpu;
	u64 start = U64_MAX, end = 0;
	int err = 0;

	workers = kvcalloc(cpus, sizeof(*workers), GFP_KERNEL);
	if (!workers)
		return -ENOMEM;
	memset(&last, 0, sizeof(last));
	last.base_context = dma_fence_context_alloc(cpus);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct worker *worker = &workers[i];
		struct task_struct *task;

		if (i == cpus)
			break;
		spin_lock_init(&worker->lock);
		worker->context = last.base_context + i;
		worker->count = count;
		worker->interval_ns = rate ? div64_u64(NSEC_PER_SEC, rate) : 0;
		task = kthread_create_on_cpu(flood_thread, worker, cpu, "gl-flood/%u");
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			break;
		}
		get_task_struct(task);
		worker->task = task;
		i++;
	}
	cpus_read_unlock();
	cpus = i;
	for (i = 0; i < cpus && !err; i++)
		wake_up_process(workers[i].task);
	for (i = 0; i < cpus && !err; i++) {
		while (!READ_ONCE(workers[i].end_ns)) {
			schedule_timeout_killable(1);
			if (fatal_signal_pending(current)) {
				err = -EINTR;
				break;
			}
		}
	}
	/* a thread that has not ended stops after the fence it is at */
	for (i = 0; i < cpus; i++) {
		struct worker *worker = &workers[i];

		kthread_stop(worker->task);
		put_task_struct(worker->task);
		last.fences += worker->done;
		if (worker->end_ns) {
			start = min(start, worker->start_ns);
			end = max(end, worker->end_ns);
		}
	}
	last.cpus = cpus;
	last.elapsed_ns = end > start ? end - start : 0;
	kvfree(workers);
	pr_info("gl-flood: %llu fences, %llu events, %llu ns\n", last.fences, 4 * last.fences,
		last.elapsed_ns);
	return err;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	unsigned long long count, rate = 0;
	unsigned int cpus = num_online_cpus();
	char text[64];
	int err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	text[size] = '\0';
	if (sscanf(text, "%llu %llu %u", &count, &rate, &cpus) < 1)
		return -EINVAL;
	if (cpus < 1 || cpus > num_online_cpus() || rate > NSEC_PER_SEC)
		return -EINVAL;
	err = mutex_lock_interruptible(&run_lock);
	if (err)
		return err;
	err = run(count, rate, cpus);
	mutex_unlock(&run_lock);
	return err ? err : size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
	.llseek = noop_llseek,
};

static int counts_show(struct seq_file *seq, void *unused)
{
	mutex_lock(&run_lock);
	seq_printf(seq, "dma_fence_init %llu\n", last.fences);
	seq_printf(seq, "dma_fence_enable_signal %llu\n", last.fences);
	seq_printf(seq, "dma_fence_signaled %llu\n", last.fences);
	seq_printf(seq, "dma_fence_destroy %llu\n", last.fences);
	seq_printf(seq, "events %llu\n", 4 * last.fences);
	seq_printf(seq, "elapsed_ns %llu\n", last.elapsed_ns);
	seq_printf(seq, "cpus %u\n", last.cpus);
	seq_printf(seq, "base_context %llu\n", last.base_context);
	mutex_unlock(&run_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static int __init gl_flood_init(void)
{
	directory = debugfs_create_dir("gl-flood", NULL);
	debugfs_create_file("run", 0200, directory, NULL, &run_fops);
	debugfs_create_file("counts", 0400, directory, NULL, &counts_fops);
	return 0;
}

static void __exit gl_flood_exit(void)
{
	debugfs_remove_recursive(directory);
}

module_init(gl_flood_init);
module_exit(gl_flood_exit);
MODULE_DESCRIPTION("Fires dma_fence events in known numbers");
MODULE_LICENSE("GPL");

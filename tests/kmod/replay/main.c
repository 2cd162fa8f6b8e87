// SPDX-License-Identifier: GPL-2.0
// The replay driver's device: contexts, submission, waiting and schedules for user space.
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#define CREATE_TRACE_POINTS
#include "i915_trace.h"

static struct drm_minor minor = { .index = 0 };
struct drm_i915_private glr_device = { .drm = { .primary = &minor } };
struct workqueue_struct *glr_workqueue;

void glr_context_free(struct kref *ref)
{
	kfree(container_of(ref, struct intel_context, ref));
}

void glr_file_free(struct kref *ref)
{
	struct glr_file *file = container_of(ref, struct glr_file, ref);
	struct glr_truth_node *node, *next;

	list_for_each_entry_safe(node, next, &file->truth, link)
		kfree(node);
	kfree(file);
}

static int device_open(struct inode *inode, struct file *filp)
{
	struct glr_file *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return -ENOMEM;
	kref_init(&file->ref);
	mutex_init(&file->mutex);
	INIT_LIST_HEAD(&file->contexts);
	spin_lock_init(&file->truth_lock);
	INIT_LIST_HEAD(&file->truth);
	filp->private_data = file;
	return 0;
}

static int device_release(struct inode *inode, struct file *filp)
{
	struct glr_file *file = filp->private_data;
	struct intel_context *ce, *next;

	list_for_each_entry_safe(ce, next, &file->contexts, link) {
		list_del(&ce->link);
		kref_put(&ce->ref, glr_context_free);
	}
	kref_put(&file->ref, glr_file_free);
	return 0;
}

static int create_context(struct glr_file *file, struct glr_context *args)
{
	struct intel_engine_cs *engine = glr_engine(args->class, args->instance);
	struct intel_context *ce;

	if (!engine)
		return -ENODEV;
	ce = kzalloc(sizeof(*ce), GFP_KERNEL);
	if (!ce)
		return -ENOMEM;
	kref_init(&ce->ref);
	mutex_init(&ce->mutex);
	INIT_LIST_HEAD(&ce->requests);
	ce->engine = engine;
	ce->priority = args->prio;
	ce->fence_context = dma_fence_context_alloc(1);
	args->ctx = ce->fence_context;
	mutex_lock(&file->mutex);
	list_add_tail(&ce->link, &file->contexts);
	mutex_unlock(&file->mutex);
	return 0;
}

static struct intel_context *find_context(struct glr_file *file, u64 ctx)
{
	struct intel_context *ce, *found = NULL;

	mutex_lock(&file->mutex);
	list_for_each_entry(ce, &file->contexts, link) {
		if (ce->fence_context == ctx) {
			found = ce;
			kref_get(&ce->ref);
			break;
		}
	}
	mutex_unlock(&file->mutex);
	return found;
}

static int submit(struct glr_file *file, struct glr_submit *args)
{
	struct dma_fence *deps[GLR_MAX_DEPS];
	struct intel_context *ce;
	struct i915_request *rq;
	unsigned int i, n = 0;
	int err = 0;

	if (args->n_deps > GLR_MAX_DEPS || args->duration_ns > 3600ull * NSEC_PER_SEC)
		return -EINVAL;
	ce = find_context(file, args->ctx);
	if (!ce)
		return -ENOENT;
	for (i = 0; i < args->n_deps; i++) {
		/* A request that is gone is done: nothing to wait for. */
		rq = glr_request_find(args->deps[i].ctx, args->deps[i].seqno);
		if (rq)
			deps[n++] = &rq->fence;
	}
	args->n_deps = n;
	mutex_lock(&ce->mutex);
	rq = glr_request_alloc(file, ce);
	if (rq) {
		glr_request_submit(rq, args, deps);
		args->seqno = rq->fence.seqno;
		dma_fence_put(&rq->fence);
	} else {
		err = -ENOMEM;
	}
	mutex_unlock(&ce->mutex);
	for (i = 0; i < n; i++)
		dma_fence_put(deps[i]);
	kref_put(&ce->ref, glr_context_free);
	return err;
}

static int wait_request(const struct glr_wait *args)
{
	struct i915_request *rq = glr_request_find(args->ctx, args->seqno);
	long err;

	if (!rq)
		return 0; /* retired */
	err = glr_request_wait(rq, args->timeout_ns);
	dma_fence_put(&rq->fence);
	return err;
}

static int export(struct glr_export *args)
{
	struct i915_request *rq = glr_request_find(args->ctx, args->seqno);
	struct dma_fence *fence = rq ? &rq->fence : dma_fence_get_stub(); /* it is retired */
	struct sync_file *sync = sync_file_create(fence);
	int fd;

	dma_fence_put(fence);
	if (!sync)
		return -ENOMEM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		fput(sync->file);
		return fd;
	}
	args->fd = fd;
	fd_install(fd, sync->file);
	return 0;
}

static long device_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct glr_file *file = filp->private_data;
	void __user *user = (void __user *)arg;
	union {
		struct glr_context context;
		struct glr_submit submit;
		struct glr_wait wait;
		struct glr_schedule schedule;
		struct glr_export export;
	} args;
	int err;

	if (_IOC_TYPE(cmd) != GLR_IOC || _IOC_SIZE(cmd) > sizeof(args))
		return -ENOTTY;
	if (copy_from_user(&args, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	switch (cmd) {
	case GLR_IOC_CONTEXT:
		err = create_context(file, &args.context);
		break;
	case GLR_IOC_SUBMIT:
		err = submit(file, &args.submit);
		break;
	case GLR_IOC_WAIT:
		return wait_request(&args.wait);
	case GLR_IOC_SCHEDULE:
		err = glr_schedule_run(&args.schedule);
		break;
	case GLR_IOC_EXPORT:
		err = export(&args.export);
		break;
	default:
		return -ENOTTY;
	}
	if (!err && copy_to_user(user, &args, _IOC_SIZE(cmd)))
		err = -EFAULT;
	return err;
}

static ssize_t device_read(struct file *filp, char __user *to, size_t bytes, loff_t *pos)
{
	struct glr_file *file = filp->private_data;
	struct glr_truth_node *node;
	size_t done = 0;

	while (bytes - done >= sizeof(node->truth)) {
		spin_lock(&file->truth_lock);
		node = list_first_entry_or_null(&file->truth, typeof(*node), link);
		if (node)
			list_del(&node->link);
		spin_unlock(&file->truth_lock);
		if (!node)
			break;
		if (copy_to_user(to + done, &node->truth, sizeof(node->truth))) {
			kfree(node);
			return -EFAULT;
		}
		kfree(node);
		done += sizeof(node->truth);
	}
	return done;
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.read = device_read,
	.unlocked_ioctl = device_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gl-replay",
	.fops = &device_fops,
	.mode = 0666,
};

/* i915's name for what resets a GPU: here nothing is, but whoever has hooked it is told. Writing a
 * reason to the module's parameter `reset` calls it. */
noinline void intel_gt_reset(void *gt, u32 stalled_mask, const char *reason)
{
	pr_info("gl-replay: reset: %s\n", reason);
}

static int set_reset(const char *reason, const struct kernel_param *param)
{
	char line[64];

	strscpy(line, reason, sizeof(line));
	intel_gt_reset(NULL, 1, strim(line));
	return 0;
}

static const struct kernel_param_ops reset_ops = { .set = set_reset };
module_param_cb(reset, &reset_ops, NULL, 0200);

static int __init replay_init(void)
{
	int err;

	glr_workqueue = alloc_workqueue("gl-replay", WQ_PERCPU, 0);
	if (!glr_workqueue)
		return -ENOMEM;
	glr_engines_init();
	err = misc_register(&device);
	if (err)
		destroy_workqueue(glr_workqueue);
	return err;
}

static void __exit replay_exit(void)
{
	misc_deregister(&device);
	glr_requests_drain();
	glr_engines_exit();
	destroy_workqueue(glr_workqueue);
	rcu_barrier();
}

module_init(replay_init);
module_exit(replay_exit);
MODULE_DESCRIPTION("Fires i915's request events without a GPU");
MODULE_LICENSE("GPL");

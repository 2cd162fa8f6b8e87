// SPDX-License-Identifier: GPL-2.0
// gl-sched: a DRM driver whose rings are timers, on the kernel's own scheduler for GPUs. Contexts,
// submission and waiting for user space; /sys/kernel/debug/gl-sched/truth says what it did.
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include <drm/drm_drv.h>
#include <drm/drm_ioctl.h>

#include "gl-sched.h"

struct gls_device {
	struct drm_device drm;
};

struct gls_file {
	struct mutex lock;
	struct list_head contexts;
};

/* How an analysis reads a ring's events depends on whose they are: xe's firmware schedules. */
static char *stands_for = GLS_DRIVER;
module_param_named(driver, stands_for, charp, 0444);
MODULE_PARM_DESC(driver, "Name of the driver that it stands in for, also its device's");

static struct platform_device *platform;
static struct gls_device *device;

void gls_ctx_free(struct kref *ref)
{
	struct gls_ctx *ctx = container_of(ref, struct gls_ctx, ref);

	gls_tell_context_gone(ctx);
	if (ctx->owns_ring)
		WRITE_ONCE(ctx->ring->is_taken, false);
	kfree(ctx);
}

static int file_open(struct drm_device *drm, struct drm_file *file)
{
	struct gls_file *gls = kzalloc(sizeof(*gls), GFP_KERNEL);

	if (!gls)
		return -ENOMEM;
	mutex_init(&gls->lock);
	INIT_LIST_HEAD(&gls->contexts);
	file->driver_priv = gls;
	return 0;
}

/* What the process has queued and not given to a ring is given up when it was killed. */
static void close_ctx(struct gls_ctx *ctx)
{
	drm_sched_entity_destroy(&ctx->entity);
	gls_ring_end(ctx, 0, -ECANCELED);
	kref_put(&ctx->ref, gls_ctx_free);
}

static void file_close(struct drm_device *drm, struct drm_file *file)
{
	struct gls_file *gls = file->driver_priv;
	struct gls_ctx *ctx, *next;

	list_for_each_entry_safe(ctx, next, &gls->contexts, link) {
		list_del(&ctx->link);
		close_ctx(ctx);
	}
	mutex_destroy(&gls->lock);
	kfree(gls);
}

static int ioctl_context(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gls_file *gls = file->driver_priv;
	struct gls_context *args = data;
	struct drm_gpu_scheduler *sched;
	struct gls_ring *ring;
	struct gls_ctx *ctx;
	int err;

	if ((args->ring >= gls_n_rings && args->ring != GLS_OWN_RING) ||
	    args->priority >= GLS_PRIORITIES)
		return -EINVAL;
	args->class[sizeof(args->class) - 1] = 0;
	ring = args->ring == GLS_OWN_RING ? gls_ring_take(args->class) : &gls_rings[args->ring];
	ctx = ring ? kzalloc(sizeof(*ctx), GFP_KERNEL) : NULL;
	if (!ctx) {
		err = ring ? -ENOMEM : -EBUSY;
		goto no_ctx;
	}
	kref_init(&ctx->ref);
	mutex_init(&ctx->lock);
	ctx->ring = ring;
	ctx->owns_ring = args->ring == GLS_OWN_RING;
	ctx->priority = args->priority;
	sched = &ring->sched;
	err = gls_tell_context(ctx);
	if (!err)
		err = drm_sched_entity_init(&ctx->entity, gls_sched_priority(args->priority),
					    &sched, 1, NULL);
	if (err) {
		kref_put(&ctx->ref, gls_ctx_free);
		return err;
	}
	/* The entity's fences are two contexts: a job was given to the ring, and it has ended. */
	args->ctx = ctx->entity.fence_context + 1;
	mutex_lock(&gls->lock);
	list_add_tail(&ctx->link, &gls->contexts);
	mutex_unlock(&gls->lock);
	return 0;
no_ctx:
	if (ring && args->ring == GLS_OWN_RING)
		WRITE_ONCE(ring->is_taken, false);
	return err;
}

/* With a reference. */
static struct gls_ctx *find_ctx(struct gls_file *gls, u64 number)
{
	struct gls_ctx *ctx, *found = NULL;

	mutex_lock(&gls->lock);
	list_for_each_entry(ctx, &gls->contexts, link) {
		if (ctx->entity.fence_context + 1 == number) {
			found = ctx;
			kref_get(&ctx->ref);
			break;
		}
	}
	mutex_unlock(&gls->lock);
	return found;
}

static void describe(struct gls_job *job, struct drm_file *file)
{
	struct dma_fence *finished = &job->base.s_fence->finished;
	struct gls_truth *truth = job->truth;

	truth->pid = current->tgid;
	truth->tid = current->pid;
	get_task_comm(truth->comm, current);
	truth->ring = job->ctx->ring->number;
	truth->priority = job->ctx->priority;
	truth->client = gls_client_id(file);
	truth->ctx = finished->context;
	truth->seqno = finished->seqno;
#ifndef GLS_HAS_STAT_RESET
	truth->id = job->base.id;
#endif
	truth->fence = (uintptr_t)finished;
	truth->entity = (uintptr_t)&job->ctx->entity;
}

/* Takes the fences of what the job depends on; how many had not ended. */
static unsigned int find_deps(const struct gls_submit *args, struct dma_fence **deps)
{
	unsigned int i, n = 0;

	for (i = 0; i < args->n_deps; i++) {
		deps[n] = gls_job_find(args->deps[i].ctx, args->deps[i].seqno);
		n += !!deps[n];
	}
	return n;
}

static int push(struct gls_job *job, struct drm_file *file, struct gls_submit *args,
		struct dma_fence **deps)
{
	struct gls_truth *truth = job->truth;
	unsigned long flags;
	unsigned int i;
	int err;

	err = gls_sched_job_init(&job->base, &job->ctx->entity, file, gls_client_id(file));
	if (err)
		return err;
	for (i = 0; i < args->n_deps && !err; i++)
		err = drm_sched_job_add_dependency(&job->base, dma_fence_get(deps[i]));
	if (err)
		return err;
	drm_sched_job_arm(&job->base);
	describe(job, file);
	for (i = 0; i < args->n_deps; i++)
		gls_truth_follow(truth, deps[i], job->ctx->ring);
	args->seqno = truth->seqno;
	spin_lock_irqsave(&gls_truth_lock, flags);
	truth->queued_ns = ktime_get_ns();
	truth->runnable_ns = max(truth->runnable_ns, truth->queued_ns);
	spin_unlock_irqrestore(&gls_truth_lock, flags);
	gls_job_publish(job);
	gls_tell_queued(job);
	drm_sched_entity_push_job(&job->base);
	return 0;
}

struct gls_job *gls_job_bare(void)
{
	struct drm_gpu_scheduler *sched = &gls_rings[0].sched;
	struct gls_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	struct gls_job *job;
	int err;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	kref_init(&ctx->ref);
	mutex_init(&ctx->lock);
	ctx->ring = &gls_rings[0];
	ctx->priority = GLS_PRIORITY_NORMAL;
	err = drm_sched_entity_init(&ctx->entity, gls_sched_priority(ctx->priority), &sched, 1,
				    NULL);
	if (err) {
		kfree(ctx);
		return ERR_PTR(err);
	}
	job = gls_job_alloc(ctx);
	if (!job) {
		err = -ENOMEM;
		goto no_job;
	}
	err = gls_sched_job_init(&job->base, &ctx->entity, ctx, 0);
	if (!err) {
		drm_sched_job_arm(&job->base);
		return job;
	}
	gls_job_drop(job);
no_job:
	drm_sched_entity_destroy(&ctx->entity);
	kref_put(&ctx->ref, gls_ctx_free);
	return ERR_PTR(err);
}

/* What is armed has to be pushed; it is there no more when its context is gone. */
void gls_job_finish(struct gls_job *job)
{
	struct gls_ctx *ctx = job->ctx;

	job->truth->queued_ns = ktime_get_ns();
	job->truth->ctx = job->base.s_fence->finished.context;
	job->truth->seqno = job->base.s_fence->finished.seqno;
	gls_job_publish(job);
	drm_sched_entity_push_job(&job->base);
	drm_sched_entity_destroy(&ctx->entity);
	kref_put(&ctx->ref, gls_ctx_free);
}

/* Of a name of xe's, as the others below: tracers hook the function. */
noinline int xe_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
noinline int xe_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct dma_fence *deps[GLS_MAX_DEPS + 1];
	struct gls_submit *args = data;
	struct gls_ctx *ctx;
	struct gls_job *job;
	unsigned int i;
	int err = -ENOMEM;

	if (args->n_deps > GLS_MAX_DEPS || args->duration_ns > 3600ull * NSEC_PER_SEC ||
	    args->flags & ~(GLS_HANG | GLS_LONG_RUNNING | GLS_EVICT | GLS_FAULT | GLS_BAD_MEMORY |
			    GLS_TOLD))
		return -EINVAL;
	ctx = find_ctx(file->driver_priv, args->ctx);
	if (!ctx)
		return -ENOENT;
	args->n_deps = find_deps(args, deps);
	mutex_lock(&ctx->lock);
	job = gls_job_alloc(ctx);
	if (job) {
		job->duration_ns = args->duration_ns;
		job->flags = args->flags;
		err = push(job, file, args, deps);
		if (err)
			gls_job_drop(job);
	}
	mutex_unlock(&ctx->lock);
	for (i = 0; i < args->n_deps; i++)
		dma_fence_put(deps[i]);
	kref_put(&ctx->ref, gls_ctx_free);
	return err;
}

static int ioctl_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct gls_wait *args = data;
	struct dma_fence *fence = gls_job_find(args->ctx, args->seqno);
	long left = MAX_SCHEDULE_TIMEOUT;
	int err = 0;

	if (!fence)
		return 0; /* it has ended */
	if (args->timeout_ns != ~0ull)
		left = nsecs_to_jiffies(args->timeout_ns);
	left = dma_fence_wait_timeout(fence, true, left);
	if (left < 0)
		err = left;
	else if (!left)
		err = -ETIME;
	else if (dma_fence_get_status(fence) < 0)
		err = -EIO;
	dma_fence_put(fence);
	return err;
}

static int ioctl_end(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gls_file *gls = file->driver_priv;
	const struct gls_end *args = data;
	struct gls_ctx *ctx = find_ctx(gls, args->ctx);

	if (!ctx)
		return -ENOENT;
	if (args->error)
		gls_tell_queue_reset(ctx, args->error);
	if (args->seqno) {
		gls_ring_end(ctx, args->seqno, args->error);
	} else {
		mutex_lock(&gls->lock);
		list_del(&ctx->link);
		mutex_unlock(&gls->lock);
		close_ctx(ctx);
	}
	kref_put(&ctx->ref, gls_ctx_free);
	return 0;
}

static int ioctl_export(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gls_export *args = data;
	struct dma_fence *fence = gls_job_find(args->ctx, args->seqno);
	struct sync_file *sync;
	int fd;

	if (!fence)
		fence = dma_fence_get_stub(); /* it has ended */
	sync = sync_file_create(fence);
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

/* These names are xe's: xe has no tracepoint there, and tracers hook the functions. */
noinline int xe_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
noinline int xe_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	gls_tell_bind(data);
	return 0;
}

noinline int xe_wait_user_fence_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
noinline int xe_wait_user_fence_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct gls_user_wait *args = data;
	u64 until = ktime_get_ns() + args->timeout_ns, value;

	if (until < args->timeout_ns)
		until = U64_MAX;
	for (;;) {
		if (copy_from_user(&value, u64_to_user_ptr(args->addr), sizeof(value)))
			return -EFAULT;
		if ((value & args->mask) == (args->value & args->mask))
			return 0;
		if (signal_pending(current))
			return -ERESTARTSYS;
		if (ktime_get_ns() >= until)
			return -ETIME;
		usleep_range(50, 100);
	}
}

static DEFINE_MUTEX(held);

static int ioctl_hold(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct gls_hold *args = data;

	if (args->duration_ns > NSEC_PER_SEC)
		return -EINVAL;
	if (mutex_lock_interruptible(&held))
		return -ERESTARTSYS;
	if (args->duration_ns)
		usleep_range(args->duration_ns / 1000, args->duration_ns / 1000 + 100);
	mutex_unlock(&held);
	return 0;
}

#define DRM_IOCTL_GLS_CONTEXT	GLS_IOC_CONTEXT
#define DRM_IOCTL_GLS_SUBMIT	GLS_IOC_SUBMIT
#define DRM_IOCTL_GLS_WAIT	GLS_IOC_WAIT
#define DRM_IOCTL_GLS_END	GLS_IOC_END
#define DRM_IOCTL_GLS_BIND	GLS_IOC_BIND
#define DRM_IOCTL_GLS_USER_WAIT GLS_IOC_USER_WAIT
#define DRM_IOCTL_GLS_EXPORT	GLS_IOC_EXPORT
#define DRM_IOCTL_GLS_HOLD	GLS_IOC_HOLD

static const struct drm_ioctl_desc ioctls[] = {
	DRM_IOCTL_DEF_DRV(GLS_CONTEXT, ioctl_context, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_SUBMIT, xe_exec_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_WAIT, ioctl_wait, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_END, ioctl_end, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_BIND, xe_vm_bind_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_USER_WAIT, xe_wait_user_fence_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_EXPORT, ioctl_export, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(GLS_HOLD, ioctl_hold, DRM_RENDER_ALLOW),
};

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
#ifdef FOP_UNSIGNED_OFFSET
	.fop_flags = FOP_UNSIGNED_OFFSET,
#endif
};

static const struct drm_driver driver = {
	.driver_features = DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = file_open,
	.postclose = file_close,
	.ioctls = ioctls,
	.num_ioctls = ARRAY_SIZE(ioctls),
	.fops = &fops,
	.name = GLS_DRIVER,
	.desc = "Rings that are timers",
#ifdef GLS_HAS_DATE
	.date = "20260101",
#endif
	.major = 1,
};

/* There only so that the device has a driver. */
static struct platform_driver platform_driver = {
	.driver = {
		.suppress_bind_attrs = true,
	},
};

static int __init gls_init(void)
{
	int err;

	platform_driver.driver.name = stands_for;
	err = platform_driver_register(&platform_driver);
	if (err)
		return err;
	platform = platform_device_register_simple(stands_for, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(platform)) {
		err = PTR_ERR(platform);
		goto no_device;
	}
	device = devm_drm_dev_alloc(&platform->dev, &driver, struct gls_device, drm);
	if (IS_ERR(device)) {
		err = PTR_ERR(device);
		goto no_drm;
	}
	err = gls_tell_init(stands_for, &device->drm);
	if (err)
		goto no_drm;
	err = gls_rings_init(&platform->dev, stands_for);
	if (err)
		goto no_rings;
	gls_truth_init();
	err = drm_dev_register(&device->drm, 0);
	if (!err)
		return 0;
	gls_truth_exit();
	gls_rings_exit();
no_rings:
	gls_tell_exit();
no_drm:
	platform_device_unregister(platform);
no_device:
	platform_driver_unregister(&platform_driver);
	return err;
}

static void __exit gls_exit(void)
{
	drm_dev_unregister(&device->drm);
	gls_rings_exit();
	gls_tell_exit();
	gls_truth_exit();
	platform_device_unregister(platform);
	platform_driver_unregister(&platform_driver);
	rcu_barrier();
}

module_init(gls_init);
module_exit(gls_exit);
MODULE_DESCRIPTION("Rings that are timers on the kernel's scheduler for GPUs");
MODULE_LICENSE("GPL");

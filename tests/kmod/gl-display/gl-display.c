// SPDX-License-Identifier: GPL-2.0
// gl-display: a DRM driver of one CRTC without hardware. Its refreshes lie on a fixed grid of 60
// Hz, whether somebody listens to them or not; a timer is the interrupt of those that somebody
// does.
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_connector.h>
#include <drm/drm_crtc.h>
#include <drm/drm_drv.h>
#include <drm/drm_encoder.h>
#include <drm/drm_file.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_atomic_helper.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_managed.h>
#include <drm/drm_mode_config.h>
#include <drm/drm_modes.h>
#include <drm/drm_plane.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_vblank.h>

/* From Linux 7.3 on it is called what it is. */
#ifdef GLD_HAS_ATOMIC_COMMIT
#define drm_atomic_state drm_atomic_commit
#endif

#define GLD_DRIVER "gl-display"

struct gld_device {
	struct drm_device drm;
	struct drm_crtc crtc;
	struct drm_plane plane;
	struct drm_encoder encoder;
	struct drm_connector connector;

	u64 epoch_ns; /* a refresh; the others are periods away */
	u64 period_ns;
	struct hrtimer timer;
	spinlock_t lock;			  /* of is_heard, and who starts the timer */
	bool is_heard;				  /* the interrupt is on */
	struct drm_pending_vblank_event *to_send; /* with DRM's event_lock */
	u64 send_at;				  /* the number of the refresh that shows it */
};

static unsigned int update_us;
module_param(update_us, uint, 0644);
MODULE_PARM_DESC(update_us, "How long the driver takes before it gives an update to the hardware");

static bool sends;
module_param(sends, bool, 0444);
MODULE_PARM_DESC(sends,
		 "The driver itself says at the refresh what is shown, as amdgpu, instead of DRM");

static struct platform_device *platform;
static struct gld_device *device;

static struct gld_device *of_crtc(struct drm_crtc *crtc)
{
	return container_of(crtc, struct gld_device, crtc);
}

/* 640 x 480 with exactly 60 refreshes a second: 25.2 MHz / (800 * 525). */
static const struct drm_display_mode mode = {
	DRM_MODE("640x480", DRM_MODE_TYPE_DRIVER | DRM_MODE_TYPE_PREFERRED, 25200, 640, 656, 752,
		 800, 0, 480, 490, 492, 525, 0, DRM_MODE_FLAG_NHSYNC | DRM_MODE_FLAG_NVSYNC),
};

/* The last refresh at this time or before. */
static u64 refresh_before(const struct gld_device *gld, u64 ns)
{
	return gld->epoch_ns + div64_u64(ns - gld->epoch_ns, gld->period_ns) * gld->period_ns;
}

/* With the lock. */
static void timer_start(struct gld_device *gld)
{
	u64 next = refresh_before(gld, ktime_get_ns()) + gld->period_ns;

	hrtimer_start(&gld->timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
}

/* A refresh that began before the hardware had the update does not show it, however late it is
 * heard. */
static void send(struct gld_device *gld, bool is_end)
{
	unsigned long flags;

	spin_lock_irqsave(&gld->drm.event_lock, flags);
	if (gld->to_send && (is_end || drm_crtc_vblank_count(&gld->crtc) >= gld->send_at)) {
		drm_crtc_send_vblank_event(&gld->crtc, gld->to_send);
		drm_crtc_vblank_put(&gld->crtc);
		gld->to_send = NULL;
	}
	spin_unlock_irqrestore(&gld->drm.event_lock, flags);
}

static enum hrtimer_restart refresh(struct hrtimer *timer)
{
	struct gld_device *gld = container_of(timer, struct gld_device, timer);
	unsigned long flags;

	/* This may turn the interrupt off. */
	drm_crtc_handle_vblank(&gld->crtc);
	send(gld, false);
	spin_lock_irqsave(&gld->lock, flags);
	if (gld->is_heard)
		timer_start(gld);
	spin_unlock_irqrestore(&gld->lock, flags);
	return HRTIMER_NORESTART;
}

static int enable_vblank(struct drm_crtc *crtc)
{
	struct gld_device *gld = of_crtc(crtc);
	unsigned long flags;

	spin_lock_irqsave(&gld->lock, flags);
	gld->is_heard = true;
	timer_start(gld);
	spin_unlock_irqrestore(&gld->lock, flags);
	return 0;
}

/* Also from within the timer. */
static void disable_vblank(struct drm_crtc *crtc)
{
	struct gld_device *gld = of_crtc(crtc);
	unsigned long flags;

	spin_lock_irqsave(&gld->lock, flags);
	gld->is_heard = false;
	hrtimer_try_to_cancel(&gld->timer);
	spin_unlock_irqrestore(&gld->lock, flags);
}

/* By its time DRM counts the refreshes that nobody heard, too. */
static bool get_vblank_timestamp(struct drm_crtc *crtc, int *max_error, ktime_t *vblank_time,
				 bool in_vblank_irq)
{
	*vblank_time = ns_to_ktime(refresh_before(of_crtc(crtc), ktime_get_ns()));
	*max_error = 0;
	return true;
}

static const struct drm_crtc_funcs crtc_funcs = {
	.reset = drm_atomic_helper_crtc_reset,
	.destroy = drm_crtc_cleanup,
	.set_config = drm_atomic_helper_set_config,
	.page_flip = drm_atomic_helper_page_flip,
	.atomic_duplicate_state = drm_atomic_helper_crtc_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_crtc_destroy_state,
	.enable_vblank = enable_vblank,
	.disable_vblank = disable_vblank,
	.get_vblank_timestamp = get_vblank_timestamp,
};

static void crtc_enable(struct drm_crtc *crtc, struct drm_atomic_state *commit)
{
	struct gld_device *gld = of_crtc(crtc);
	int framedur_ns = crtc->dev->vblank[drm_crtc_index(crtc)].framedur_ns;

	if (framedur_ns > 0)
		gld->period_ns = framedur_ns;
	gld->epoch_ns = ktime_get_ns();
	drm_crtc_vblank_on(crtc);
}

static void crtc_disable(struct drm_crtc *crtc, struct drm_atomic_state *commit)
{
	send(of_crtc(crtc), true);
	drm_crtc_vblank_off(crtc);
	/* The interrupt is off: what runs still is the last one. */
	hrtimer_cancel(&of_crtc(crtc)->timer);
}

static void crtc_begin(struct drm_crtc *crtc, struct drm_atomic_state *commit)
{
	unsigned int us = READ_ONCE(update_us);

	if (us)
		usleep_range(us, us + 100);
}

/* From here on the next refresh shows it. */
static void crtc_flush(struct drm_crtc *crtc, struct drm_atomic_state *commit)
{
	struct drm_pending_vblank_event *event = crtc->state->event;
	struct gld_device *gld = of_crtc(crtc);

	if (!event)
		return;
	crtc->state->event = NULL;
	spin_lock_irq(&crtc->dev->event_lock);
	if (drm_crtc_vblank_get(crtc)) {
		drm_crtc_send_vblank_event(crtc, event);
	} else if (sends) {
		gld->to_send = event;
		gld->send_at = drm_crtc_accurate_vblank_count(crtc) + 1;
	} else {
		drm_crtc_arm_vblank_event(crtc, event);
	}
	spin_unlock_irq(&crtc->dev->event_lock);
}

static const struct drm_crtc_helper_funcs crtc_helpers = {
	.atomic_enable = crtc_enable,
	.atomic_disable = crtc_disable,
	.atomic_begin = crtc_begin,
	.atomic_flush = crtc_flush,
};

static const struct drm_plane_funcs plane_funcs = {
	.reset = drm_atomic_helper_plane_reset,
	.destroy = drm_plane_cleanup,
	.update_plane = drm_atomic_helper_update_plane,
	.disable_plane = drm_atomic_helper_disable_plane,
	.atomic_duplicate_state = drm_atomic_helper_plane_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_plane_destroy_state,
};

static int plane_check(struct drm_plane *plane, struct drm_atomic_state *commit)
{
	struct drm_plane_state *state = drm_atomic_get_new_plane_state(commit, plane);
	struct drm_crtc_state *crtc_state;

	if (!state->crtc)
		return 0;
	crtc_state = drm_atomic_get_crtc_state(commit, state->crtc);
	if (IS_ERR(crtc_state))
		return PTR_ERR(crtc_state);
	return drm_atomic_helper_check_plane_state(state, crtc_state, DRM_PLANE_NO_SCALING,
						   DRM_PLANE_NO_SCALING, false, true);
}

/* Nobody looks. */
static void plane_update(struct drm_plane *plane, struct drm_atomic_state *commit)
{
}

static const struct drm_plane_helper_funcs plane_helpers = {
	.prepare_fb = drm_gem_plane_helper_prepare_fb,
	.atomic_check = plane_check,
	.atomic_update = plane_update,
};

static const struct drm_encoder_funcs encoder_funcs = {
	.destroy = drm_encoder_cleanup,
};

static const struct drm_connector_funcs connector_funcs = {
	.reset = drm_atomic_helper_connector_reset,
	.destroy = drm_connector_cleanup,
	.fill_modes = drm_helper_probe_single_connector_modes,
	.atomic_duplicate_state = drm_atomic_helper_connector_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_connector_destroy_state,
};

static int get_modes(struct drm_connector *connector)
{
	struct drm_display_mode *copy = drm_mode_duplicate(connector->dev, &mode);

	if (!copy)
		return 0;
	drm_mode_probed_add(connector, copy);
	return 1;
}

static const struct drm_connector_helper_funcs connector_helpers = {
	.get_modes = get_modes,
};

static void commit_tail(struct drm_atomic_state *commit)
{
	struct drm_device *drm = commit->dev;

	drm_atomic_helper_commit_modeset_disables(drm, commit);
	/* Before the planes, so that the first picture is told of by a refresh, too. */
	drm_atomic_helper_commit_modeset_enables(drm, commit);
	drm_atomic_helper_commit_planes(drm, commit, 0);
	drm_atomic_helper_fake_vblank(commit);
	drm_atomic_helper_commit_hw_done(commit);
	drm_atomic_helper_wait_for_flip_done(drm, commit);
	drm_atomic_helper_cleanup_planes(drm, commit);
}

static const struct drm_mode_config_helper_funcs mode_config_helpers = {
	.atomic_commit_tail = commit_tail,
};

static const struct drm_mode_config_funcs mode_config_funcs = {
	.fb_create = drm_gem_fb_create,
	.atomic_check = drm_atomic_helper_check,
	.atomic_commit = drm_atomic_helper_commit,
};

DEFINE_DRM_GEM_FOPS(fops);

static const struct drm_driver driver = {
	.driver_features = DRIVER_MODESET | DRIVER_ATOMIC | DRIVER_GEM,
	.fops = &fops,
	DRM_GEM_SHMEM_DRIVER_OPS,
	.name = GLD_DRIVER,
	.desc = "A display whose refreshes are a timer's",
#ifdef GLD_HAS_DATE
	.date = "20260101",
#endif
	.major = 1,
};

static int pipe_init(struct gld_device *gld)
{
	static const u32 formats[] = { DRM_FORMAT_XRGB8888 };
	struct drm_device *drm = &gld->drm;
	int err;

	err = drm_universal_plane_init(drm, &gld->plane, 1, &plane_funcs, formats,
				       ARRAY_SIZE(formats), NULL, DRM_PLANE_TYPE_PRIMARY, NULL);
	if (err)
		return err;
	drm_plane_helper_add(&gld->plane, &plane_helpers);
	err = drm_crtc_init_with_planes(drm, &gld->crtc, &gld->plane, NULL, &crtc_funcs, NULL);
	if (err)
		return err;
	drm_crtc_helper_add(&gld->crtc, &crtc_helpers);
	err = drm_encoder_init(drm, &gld->encoder, &encoder_funcs, DRM_MODE_ENCODER_VIRTUAL, NULL);
	if (err)
		return err;
	gld->encoder.possible_crtcs = drm_crtc_mask(&gld->crtc);
	err = drm_connector_init(drm, &gld->connector, &connector_funcs,
				 DRM_MODE_CONNECTOR_VIRTUAL);
	if (err)
		return err;
	drm_connector_helper_add(&gld->connector, &connector_helpers);
	return drm_connector_attach_encoder(&gld->connector, &gld->encoder);
}

static int mode_init(struct gld_device *gld)
{
	struct drm_device *drm = &gld->drm;
	int err;

	err = drmm_mode_config_init(drm);
	if (err)
		return err;
	drm->mode_config.funcs = &mode_config_funcs;
	drm->mode_config.helper_private = &mode_config_helpers;
	drm->mode_config.max_width = 4096;
	drm->mode_config.max_height = 4096;
	err = pipe_init(gld);
	if (err)
		return err;
	/* As with hardware that has the time of each refresh. */
	drm->vblank_disable_immediate = true;
	err = drm_vblank_init(drm, 1);
	if (!err)
		drm_mode_config_reset(drm);
	return err;
}

static void timer_init(struct gld_device *gld)
{
	spin_lock_init(&gld->lock);
	gld->period_ns = NSEC_PER_SEC / 60;
	gld->epoch_ns = ktime_get_ns();
#ifdef GLD_HAS_HRTIMER_SETUP
	hrtimer_setup(&gld->timer, refresh, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(&gld->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	gld->timer.function = refresh;
#endif
}

/* There only so that the device has a driver. */
static struct platform_driver platform_driver = {
	.driver = {
		.name = GLD_DRIVER,
		.suppress_bind_attrs = true,
	},
};

static int __init gld_init(void)
{
	int err;

	err = platform_driver_register(&platform_driver);
	if (err)
		return err;
	platform = platform_device_register_simple(GLD_DRIVER, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(platform)) {
		err = PTR_ERR(platform);
		goto no_device;
	}
	device = devm_drm_dev_alloc(&platform->dev, &driver, struct gld_device, drm);
	if (IS_ERR(device)) {
		err = PTR_ERR(device);
		goto no_drm;
	}
	timer_init(device);
	err = mode_init(device);
	if (!err)
		err = drm_dev_register(&device->drm, 0);
	if (!err)
		return 0;
no_drm:
	platform_device_unregister(platform);
no_device:
	platform_driver_unregister(&platform_driver);
	return err;
}

static void __exit gld_exit(void)
{
	drm_dev_unregister(&device->drm);
	drm_atomic_helper_shutdown(&device->drm);
	hrtimer_cancel(&device->timer);
	platform_device_unregister(platform);
	platform_driver_unregister(&platform_driver);
	rcu_barrier();
}

module_init(gld_init);
module_exit(gld_exit);
MODULE_DESCRIPTION("A display whose refreshes are a timer's");
MODULE_LICENSE("GPL");

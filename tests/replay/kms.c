// SPDX-License-Identifier: MIT
// DRM's atomic interface, as far as flips need it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "kms.h"

#define NAME_LENGTH 32

struct client_cap {
	uint64_t capability;
	uint64_t value;
};

struct vblank {
	uint32_t type;
	uint32_t sequence;
	long sec; /* to the kernel: a signal */
	long usec;
};

struct resources {
	uint64_t fbs, crtcs, connectors, encoders;
	uint32_t n_fbs, n_crtcs, n_connectors, n_encoders;
	uint32_t min_width, max_width, min_height, max_height;
};

struct planes {
	uint64_t planes;
	uint32_t n_planes;
};

struct mode {
	uint32_t clock;
	uint16_t hdisplay, hsync_start, hsync_end, htotal, hskew;
	uint16_t vdisplay, vsync_start, vsync_end, vtotal, vscan;
	uint32_t vrefresh;
	uint32_t flags;
	uint32_t type;
	char name[NAME_LENGTH];
};

struct connector {
	uint64_t encoders, modes, props, values;
	uint32_t n_modes, n_props, n_encoders;
	uint32_t encoder, connector, type, type_id;
	uint32_t connection, mm_width, mm_height, subpixel;
	uint32_t pad;
};

struct properties {
	uint64_t props, values;
	uint32_t n_props;
	uint32_t object;
	uint32_t type;
};

struct property {
	uint64_t values, enums;
	uint32_t prop;
	uint32_t flags;
	char name[NAME_LENGTH];
	uint32_t n_values, n_enums;
};

struct dumb {
	uint32_t height, width, bpp, flags;
	uint32_t handle, pitch;
	uint64_t size;
};

struct framebuffer {
	uint32_t fb;
	uint32_t width, height, format, flags;
	uint32_t handles[4], pitches[4], offsets[4];
	uint64_t modifiers[4];
};

struct blob {
	uint64_t data;
	uint32_t length;
	uint32_t blob;
};

struct atomic {
	uint32_t flags;
	uint32_t n_objects;
	uint64_t objects, n_props, props, values;
	uint64_t reserved;
	uint64_t user_data;
};

struct event {
	uint32_t type;
	uint32_t length;
	uint64_t user_data;
	uint32_t sec;
	uint32_t usec;
	uint32_t sequence;
	uint32_t crtc;
};

#define IOC_CLIENT_CAP _IOW('d', 0x0d, struct client_cap)
#define IOC_VBLANK     _IOWR('d', 0x3a, struct vblank)
#define IOC_RESOURCES  _IOWR('d', 0xa0, struct resources)
#define IOC_CONNECTOR  _IOWR('d', 0xa7, struct connector)
#define IOC_PROPERTY   _IOWR('d', 0xaa, struct property)
#define IOC_DUMB       _IOWR('d', 0xb2, struct dumb)
#define IOC_PLANES     _IOWR('d', 0xb5, struct planes)
#define IOC_FB	       _IOWR('d', 0xb8, struct framebuffer)
#define IOC_PROPERTIES _IOWR('d', 0xb9, struct properties)
#define IOC_ATOMIC     _IOWR('d', 0xbc, struct atomic)
#define IOC_BLOB       _IOWR('d', 0xbd, struct blob)

#define CAP_ATOMIC	 3
#define VBLANK_RELATIVE	 1
#define FORMAT_XRGB8888	 0x34325258 /* XR24 */
#define EVENT_FLIP	 2
#define ATOMIC_EVENT	 0x001
#define ATOMIC_NONBLOCK	 0x200
#define ATOMIC_MODESET	 0x400
#define OBJECT_CRTC	 0xccccccccu
#define OBJECT_CONNECTOR 0xc0c0c0c0u
#define OBJECT_PLANE	 0xeeeeeeeeu

#define MOST_PROPS 64

static void die(const char *what)
{
	fprintf(stderr, "gl-flip: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void call(const struct kms *kms, unsigned long request, void *args, const char *what)
{
	while (ioctl(kms->fd, request, args))
		if (errno != EINTR)
			die(what);
}

/* The number of an object's property. */
static uint32_t prop(const struct kms *kms, uint32_t object, uint32_t type, const char *name)
{
	uint32_t props[MOST_PROPS];
	uint64_t values[MOST_PROPS];
	struct properties all = { .props = (uintptr_t)props,
				  .values = (uintptr_t)values,
				  .n_props = MOST_PROPS,
				  .object = object,
				  .type = type };

	call(kms, IOC_PROPERTIES, &all, "properties");
	for (uint32_t i = 0; i < all.n_props && i < MOST_PROPS; i++) {
		struct property one = { .prop = props[i] };

		call(kms, IOC_PROPERTY, &one, "property");
		if (!strncmp(one.name, name, sizeof(one.name)))
			return one.prop;
	}
	errno = ENOENT;
	die(name);
	return 0;
}

/* The first of each; their mode. */
static struct mode find(struct kms *kms)
{
	struct resources resources = { .crtcs = (uintptr_t)&kms->crtc,
				       .connectors = (uintptr_t)&kms->connector,
				       .n_crtcs = 1,
				       .n_connectors = 1 };
	struct planes planes = { .planes = (uintptr_t)&kms->plane, .n_planes = 1 };
	struct connector connector = { 0 };
	struct mode mode = { 0 };

	call(kms, IOC_RESOURCES, &resources, "resources");
	call(kms, IOC_PLANES, &planes, "planes");
	connector.connector = kms->connector;
	call(kms, IOC_CONNECTOR, &connector, "connector"); /* looks for modes */
	connector = (struct connector){ .connector = kms->connector,
					.modes = (uintptr_t)&mode,
					.n_modes = 1 };
	call(kms, IOC_CONNECTOR, &connector, "modes");
	if (!mode.clock) {
		errno = ENOENT;
		die("a mode");
	}
	return mode;
}

static void draw(const struct kms *kms, struct kms_picture *picture, const struct mode *mode)
{
	struct dumb dumb = { .width = mode->hdisplay, .height = mode->vdisplay, .bpp = 32 };
	struct framebuffer fb = { .width = mode->hdisplay,
				  .height = mode->vdisplay,
				  .format = FORMAT_XRGB8888 };

	call(kms, IOC_DUMB, &dumb, "a buffer");
	fb.handles[0] = dumb.handle;
	fb.pitches[0] = dumb.pitch;
	call(kms, IOC_FB, &fb, "a framebuffer");
	picture->fb = fb.fb;
}

static void light(const struct kms *kms, struct mode *mode)
{
	uint64_t width = mode->hdisplay, height = mode->vdisplay;
	struct blob blob = { .data = (uintptr_t)mode, .length = sizeof(*mode) };
	struct {
		const char *name;
		uint64_t value;
	} set[] = {
		{ "ACTIVE", 1 },
		{ "MODE_ID", 0 },
		{ "CRTC_ID", kms->crtc }, /* the connector's */
		{ "FB_ID", kms->pictures[0].fb },
		{ "CRTC_ID", kms->crtc },
		{ "SRC_W", width << 16 },
		{ "SRC_H", height << 16 },
		{ "CRTC_W", width },
		{ "CRTC_H", height },
	};
	enum {
		N_PROPS = sizeof(set) / sizeof(set[0])
	};
	const uint32_t objects[] = { kms->crtc, kms->connector, kms->plane };
	const uint32_t types[] = { OBJECT_CRTC, OBJECT_CONNECTOR, OBJECT_PLANE };
	const uint32_t n_props[] = { 2, 1, N_PROPS - 3 };
	uint32_t props[N_PROPS];
	uint64_t values[N_PROPS];
	struct atomic commit = { .flags = ATOMIC_MODESET,
				 .n_objects = 3,
				 .objects = (uintptr_t)objects,
				 .n_props = (uintptr_t)n_props,
				 .props = (uintptr_t)props,
				 .values = (uintptr_t)values };

	call(kms, IOC_BLOB, &blob, "a mode's blob");
	set[1].value = blob.blob;
	for (unsigned int i = 0, object = 0, left = n_props[0]; i < N_PROPS; i++, left--) {
		if (!left)
			left = n_props[++object];
		props[i] = prop(kms, objects[object], types[object], set[i].name);
		values[i] = set[i].value;
	}
	call(kms, IOC_ATOMIC, &commit, "to light it");
}

void kms_open(struct kms *kms, const char *driver)
{
	struct client_cap cap = { .capability = CAP_ATOMIC, .value = 1 };
	struct mode mode;

	*kms = (struct kms){ .fd = device_open("/dev/dri/card*", driver) };
	if (kms->fd < 0)
		die(driver);
	call(kms, IOC_CLIENT_CAP, &cap, "atomic");
	mode = find(kms);
	kms->period_ns = (uint64_t)mode.htotal * mode.vtotal * 1000000u / mode.clock;
	kms->prop_fb = prop(kms, kms->plane, OBJECT_PLANE, "FB_ID");
	kms->prop_fence = prop(kms, kms->plane, OBJECT_PLANE, "IN_FENCE_FD");
	draw(kms, &kms->pictures[0], &mode);
	draw(kms, &kms->pictures[1], &mode);
	light(kms, &mode);
}

struct kms_shown kms_refresh(const struct kms *kms)
{
	struct vblank vblank = { .type = VBLANK_RELATIVE, .sequence = 1 };

	call(kms, IOC_VBLANK, &vblank, "a refresh");
	return (struct kms_shown){ .sequence = vblank.sequence,
				   .ns = (uint64_t)vblank.sec * 1000000000u +
					 (uint64_t)vblank.usec * 1000 };
}

bool kms_flip(const struct kms *kms, const struct kms_picture *picture, int fence)
{
	const uint32_t n_props = fence < 0 ? 1 : 2;
	const uint32_t props[] = { kms->prop_fb, kms->prop_fence };
	const uint64_t values[] = { picture->fb, (uint64_t)fence };
	struct atomic commit = { .flags = ATOMIC_EVENT | ATOMIC_NONBLOCK,
				 .n_objects = 1,
				 .objects = (uintptr_t)&kms->plane,
				 .n_props = (uintptr_t)&n_props,
				 .props = (uintptr_t)props,
				 .values = (uintptr_t)values };

	while (ioctl(kms->fd, IOC_ATOMIC, &commit)) {
		if (errno == EBUSY)
			return false;
		if (errno != EINTR)
			die("a flip");
	}
	return true;
}

struct kms_shown kms_shown(const struct kms *kms)
{
	struct event event = { 0 };

	while (event.type != EVENT_FLIP) {
		ssize_t size = read(kms->fd, &event, sizeof(event));

		if (size != sizeof(event) && (size >= 0 || errno != EINTR))
			die("an event");
	}
	return (struct kms_shown){ .sequence = event.sequence,
				   .ns = event.sec * 1000000000ull + event.usec * 1000ull };
}

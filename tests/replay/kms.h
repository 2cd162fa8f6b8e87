/* SPDX-License-Identifier: MIT */
/*
 * One picture after the other on a display by DRM's atomic interface. The structures are those of
 * include/uapi/drm/drm.h and drm_mode.h of Linux, which not every machine has.
 */
#ifndef KMS_H
#define KMS_H

#include <stdbool.h>
#include <stdint.h>

struct kms_picture {
	uint32_t fb;
};

struct kms {
	int fd;
	uint32_t crtc, connector, plane;
	uint32_t prop_fb, prop_fence; /* of the plane */
	uint64_t period_ns;
	struct kms_picture pictures[2];
};

/* What is shown from which refresh on. */
struct kms_shown {
	uint32_t sequence;
	uint64_t ns;
};

/* Each ends the program where it fails. The display of that driver is lit with pictures[0]. */
void kms_open(struct kms *kms, const char *driver);
/* Waits for the next refresh. */
struct kms_shown kms_refresh(const struct kms *kms);
/*
 * Asks for a picture once the fence of a file is signalled (-1: there is none), does not wait.
 * False: the kernel refuses it, since the last one is not yet shown.
 */
bool kms_flip(const struct kms *kms, const struct kms_picture *picture, int fence);
/* Waits until the picture is shown. */
struct kms_shown kms_shown(const struct kms *kms);

#endif

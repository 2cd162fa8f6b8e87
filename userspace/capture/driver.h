/* SPDX-License-Identifier: MIT */
/* The GPUs of /sys, their drivers, and what the running i915 says of itself there. */
#ifndef LANE_CAPTURE_DRIVER_H
#define LANE_CAPTURE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

struct lane_driver {
	bool loaded;
	char version[64];	/* srcversion of the module, "" when it has none */
	const char *submission; /* "execlists", "guc", "unknown" */
};

/* By which events a driver tells of its requests. */
enum lane_driver_events {
	LANE_DRIVER_NONE, /* none that gpulane records */
	LANE_DRIVER_I915, /* i915's own */
	LANE_DRIVER_DRM,  /* those of drm_sched, which it submits to */
};

/* A GPU as the kernel numbers them; what it does not say is "". */
struct lane_card {
	char name[16];	 /* "card0" */
	char vendor[16]; /* "0x8086" */
	char device[16]; /* "0x9a49" */
	char dev[64];	 /* its name on its bus, as drm_sched's events have it: "0000:03:00.0" */
	char driver[64]; /* "i915", "xe" */
	enum lane_driver_events events;
};

#define LANE_MAX_CARDS 32

/* Reads at most LANE_MAX_CARDS of /sys/class/drm below root, in order of their numbers; how many.
 */
size_t capture_driver_cards(const char *root, struct lane_card *cards);

bool capture_card_is_intel(const struct lane_card *card);

/*
 * Why no request of this machine's GPUs can be one of i915's: there is no GPU, or another driver
 * has it. False where i915 has one, or is loaded and no Intel GPU speaks against it (its selftests
 * need none).
 */
bool capture_driver_absent(const char *root, char *why, size_t bytes);

/* Reads /sys/module/i915 below root ("" for the machine's own). */
void capture_driver_read(const char *root, struct lane_driver *driver);

#endif

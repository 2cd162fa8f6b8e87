// SPDX-License-Identifier: MIT
// Counters in sysfs: clocks, reasons for throttling, sleep.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/counter_kind.h"
#include "capture/counter.h"

/* Drivers wake the GPU to read most of these, as of Linux 6.12 and 7.3: i915's get_residency() and
 * rps_read_mask_mmio() (gt/intel_gt_sysfs_pm.c); xe's freq0/ and gtidle/ all. i915's clock is read
 * only while the GPU is in use (intel_rps_read_actual_frequency()). */
struct counter_place {
	enum lane_counter_what what;
	const char *name; /* below the GT's folder */
	uint64_t per_second;
	bool is_waking;
};

static const struct counter_place of_i915[] = {
	{ LANE_COUNTS_CLOCK, "rps_act_freq_mhz", 0, false },
	{ LANE_COUNTS_CLOCK_WANTED, "rps_cur_freq_mhz", 0, false },
	{ LANE_COUNTS_CLOCK_LEAST, "rps_RPn_freq_mhz", 0, false },
	{ LANE_COUNTS_CLOCK_MOST, "rps_RP0_freq_mhz", 0, false },
	{ LANE_COUNTS_THROTTLED, "throttle_reason_status", 0, true },
	{ .name = NULL },
};

static const struct counter_place of_xe[] = {
	{ LANE_COUNTS_CLOCK, "freq0/act_freq", 0, true },
	{ LANE_COUNTS_CLOCK_WANTED, "freq0/cur_freq", 0, true },
	{ LANE_COUNTS_CLOCK_LEAST, "freq0/rpn_freq", 0, true },
	{ LANE_COUNTS_CLOCK_MOST, "freq0/rp0_freq", 0, true },
	{ LANE_COUNTS_THROTTLED, "freq0/throttle/status", 0, true },
	{ LANE_COUNTS_C6, "gtidle/idle_residency_ms", 1000, true },
	{ .name = NULL },
};

static const char *const reasons[LANE_COUNTER_REASONS] = {
#define T(name) #name,
	LANE_THROTTLES(T)
#undef T
};

/* The files that tell why: throttle_reason_pl1 beside i915's status, reason_pl1 beside xe's. */
static void add_reasons(struct lane_counter_set *set, const char *folder, const char *status)
{
	int bytes = (int)(strlen(status) - strlen("status"));

	for (unsigned int i = 0; i < LANE_COUNTER_REASONS; i++)
		capture_counter_add_reason(
			set, i,
			capture_counter_file(set, "%s/%.*s%s%s", folder, bytes, status,
					     status[0] == 't' ? "" : "reason_", reasons[i]));
}

static struct lane_error *add_place(struct lane_counter_set *set, const struct lane_card *card,
				    unsigned int gt, const char *folder,
				    const struct counter_place *place)
{
	struct lane_p_gpulane_counter counter = capture_counter_of(card, place->what, place->name);
	struct lane_error *err;
	uint64_t value;
	int fd;

	if (place->is_waking && !capture_counter_config(set)->is_waking)
		return NULL;
	fd = capture_counter_file(set, "%s/%s", folder, place->name);
	if (fd < 0 || !capture_counter_number(fd, &value)) {
		lane_close(&fd);
		return NULL;
	}
	counter.gt = gt;
	counter.per_second = place->per_second;
	counter.trust = place->is_waking ? LANE_TRUST_WAKES : 0;
	err = capture_counter_add(set, &counter, fd);
	if (!err && place->what == LANE_COUNTS_THROTTLED)
		add_reasons(set, folder, place->name);
	return err;
}

static struct lane_error *add_places(struct lane_counter_set *set, const struct lane_card *card,
				     unsigned int gt, const char *folder,
				     const struct counter_place *places)
{
	struct lane_error *err = NULL;

	for (; places->name && !err; places++)
		err = add_place(set, card, gt, folder, places);
	return err;
}

#define TILES 4
#define GTS   8

struct lane_error *capture_counter_files(struct lane_counter_set *set, const struct lane_card *card)
{
	const struct counter_place power[] = {
		/* The kernel's own count: the driver is not asked. */
		{ LANE_COUNTS_SUSPENDED, "runtime_suspended_time", 1000, false },
		{ .name = NULL },
	};
	struct lane_error *err = NULL;
	char folder[128];

	snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device/power", card->name);
	err = add_places(set, card, 0, folder, power);
	for (unsigned int gt = 0; gt < GTS && !err; gt++) {
		if (!strcmp(card->driver, "i915")) {
			snprintf(folder, sizeof(folder), "/sys/class/drm/%s/gt/gt%u", card->name,
				 gt);
			err = add_places(set, card, gt, folder, of_i915);
		}
		for (unsigned int tile = 0; tile < TILES && !strcmp(card->driver, "xe") && !err;
		     tile++) {
			snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device/tile%u/gt%u",
				 card->name, tile, gt);
			err = add_places(set, card, gt, folder, of_xe);
		}
	}
	return err;
}

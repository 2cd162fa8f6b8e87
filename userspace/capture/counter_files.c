// SPDX-License-Identifier: MIT
// Counters in sysfs and /proc: clocks, reasons for throttling, sleep, power, links, memory.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	struct lane_counter_form form;
};

static const struct counter_place of_i915[] = {
	{ .what = LANE_COUNTS_CLOCK, .name = "rps_act_freq_mhz" },
	{ .what = LANE_COUNTS_CLOCK_WANTED, .name = "rps_cur_freq_mhz" },
	{ .what = LANE_COUNTS_CLOCK_LEAST, .name = "rps_RPn_freq_mhz" },
	{ .what = LANE_COUNTS_CLOCK_MOST, .name = "rps_RP0_freq_mhz" },
	{ .what = LANE_COUNTS_CLOCK_CAP, .name = "rps_max_freq_mhz" },
	{ LANE_COUNTS_THROTTLED, "throttle_reason_status", .is_waking = true },
	{ .name = NULL },
};

static const struct counter_place of_xe[] = {
	{ LANE_COUNTS_CLOCK, "freq0/act_freq", .is_waking = true },
	{ LANE_COUNTS_CLOCK_WANTED, "freq0/cur_freq", .is_waking = true },
	{ LANE_COUNTS_CLOCK_LEAST, "freq0/rpn_freq", .is_waking = true },
	{ LANE_COUNTS_CLOCK_MOST, "freq0/rp0_freq", .is_waking = true },
	{ LANE_COUNTS_CLOCK_CAP, "freq0/max_freq", .is_waking = true },
	{ LANE_COUNTS_THROTTLED, "freq0/throttle/status", .is_waking = true },
	{ LANE_COUNTS_C6, "gtidle/idle_residency_ms", 1000, .is_waking = true },
	{ .name = NULL },
};

/* amdgpu resumes the device for its own, and keeps it from being suspended for a while
 * (amdgpu_pm_get_access(), _put_access() of pm/amdgpu_pm.c); but for the sums of memory. */
static const struct counter_place of_amdgpu[] = {
	{ LANE_COUNTS_CLOCK, "pp_dpm_sclk", .is_waking = true, .form = { LANE_TEXT_LEVEL } },
	{ LANE_COUNTS_CLOCK_MOST, "pp_dpm_sclk", .is_waking = true, .form = { LANE_TEXT_TOP } },
	{ LANE_COUNTS_MEMORY_CLOCK, "pp_dpm_mclk", .is_waking = true, .form = { LANE_TEXT_LEVEL } },
	{ LANE_COUNTS_MEMORY_CLOCK_MOST, "pp_dpm_mclk", .is_waking = true,
	  .form = { LANE_TEXT_TOP } },
	{ LANE_COUNTS_THROTTLED, "gpu_metrics", .is_waking = true, .form = { LANE_TEXT_METRICS } },
	{ LANE_COUNTS_GPU_BUSY, "gpu_busy_percent", .is_waking = true },
	{ LANE_COUNTS_VRAM, "mem_info_vram_used", .form = { .over = 1 << 20 } },
	{ LANE_COUNTS_VRAM_MOST, "mem_info_vram_total", .form = { .over = 1 << 20 } },
	{ .name = NULL },
};

/* Any driver's. i915 and xe resume the device for them (i915_hwmon.c, xe_hwmon.c), too. */
static const struct counter_place of_hwmon[] = {
	{ LANE_COUNTS_POWER, "power1_average", .is_waking = true, .form = { .over = 1000 } },
	{ LANE_COUNTS_POWER, "power1_input", .is_waking = true, .form = { .over = 1000 } },
	{ LANE_COUNTS_POWER_MOST, "power1_cap", .is_waking = true, .form = { .over = 1000 } },
	{ LANE_COUNTS_HEAT, "temp1_input", .is_waking = true, .form = { .over = 1000 } },
	{ LANE_COUNTS_HEAT_MOST, "temp1_crit", .is_waking = true, .form = { .over = 1000 } },
	{ .name = NULL },
};

/* Of panfrost, msm and other drivers: what was set last; nothing is asked of the hardware. */
static const struct counter_place of_devfreq[] = {
	{ LANE_COUNTS_CLOCK, "cur_freq", .form = { .over = 1000000 } },
	{ LANE_COUNTS_CLOCK_WANTED, "target_freq", .form = { .over = 1000000 } },
	{ LANE_COUNTS_CLOCK_LEAST, "available_frequencies", .form = { .over = 1000000 } },
	{ LANE_COUNTS_CLOCK_MOST, "available_frequencies", .form = { LANE_TEXT_TOP, 1000000 } },
	{ LANE_COUNTS_CLOCK_CAP, "max_freq", .form = { .over = 1000000 } },
	{ .name = NULL },
};

/* The kernel's own count of a device's sleep, and who keeps it from that: the driver is not asked.
 * The uses need CONFIG_PM_ADVANCED_DEBUG
 * (drivers/base/power/sysfs.c), which Debian's kernels have. */
static const struct counter_place of_power[] = {
	{ .what = LANE_COUNTS_SUSPENDED, .name = "runtime_suspended_time", .per_second = 1000 },
	{ .what = LANE_COUNTS_AWAKE_USES, .name = "runtime_usage" },
	{ .what = LANE_COUNTS_SLEEP_AFTER, .name = "autosuspend_delay_ms" },
	{ .what = LANE_COUNTS_KEPT_AWAKE, .name = "control", .form = { LANE_TEXT_ON } },
	{ .name = NULL },
};

/* PCI's. Newer kernels resume a device for them (pci_config_pm_runtime_get()): they are read while
 * it is active. */
static const struct counter_place of_link[] = {
	{ LANE_COUNTS_LINK_WIDTH, "current_link_width", .form = { .is_when_active = true } },
	{ LANE_COUNTS_LINK_WIDTH_MOST, "max_link_width", .form = { .is_when_active = true } },
	{ LANE_COUNTS_LINK_SPEED, "current_link_speed",
	  .form = { LANE_TEXT_SPEED, .is_when_active = true } },
	{ LANE_COUNTS_LINK_SPEED_MOST, "max_link_speed",
	  .form = { LANE_TEXT_SPEED, .is_when_active = true } },
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

/* i915's and xe's GTs always may; of others the device, if that was allowed. */
static bool may_sleep(const struct lane_counter_set *set, const struct lane_card *card)
{
	char text[8] = "";
	LANE_CLEANUP(lane_close)
	int fd = capture_counter_file(set, "/sys/class/drm/%s/device/power/control", card->name);

	return !strcmp(card->driver, "i915") || !strcmp(card->driver, "xe") || fd < 0 ||
	       pread(fd, text, sizeof(text) - 1, 0) <= 0 || strncmp(text, "on", 2) != 0;
}

static struct lane_error *add_place(struct lane_counter_set *set, const struct lane_card *card,
				    unsigned int gt, const char *folder,
				    const struct counter_place *place)
{
	struct lane_p_gpulane_counter counter = capture_counter_of(card, place->what, place->name);
	struct lane_error *err;
	uint64_t value;
	bool is_waking = place->is_waking && may_sleep(set, card);
	int fd, active_fd = -1;

	counter.gt = gt;
	counter.per_second = place->per_second;
	counter.trust = is_waking ? LANE_TRUST_WAKES : 0;
	fd = capture_counter_file(set, "%s/%s", folder, place->name);
	if (fd >= 0 && is_waking && !capture_counter_config(set)->is_waking) {
		close(fd);
		return capture_counter_leave(set, &counter);
	}
	if (fd < 0 || !capture_counter_value(&place->form, fd, &value)) {
		lane_close(&fd);
		return NULL;
	}
	if (place->form.is_when_active)
		active_fd = capture_counter_file(
			set, "/sys/class/drm/%s/device/power/runtime_status", card->name);
	err = capture_counter_add(set, &counter, &place->form, fd, active_fd);
	if (!err && place->what == LANE_COUNTS_THROTTLED && place->form.text == LANE_TEXT_FIRST)
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

#define TILES	4
#define GTS	8
#define HWMONS	64
#define BRIDGES 3

static struct lane_error *add_hwmons(struct lane_counter_set *set, const struct lane_card *card)
{
	struct lane_error *err = NULL;
	char folder[128];

	for (unsigned int i = 0; i < HWMONS && !err; i++) {
		snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device/hwmon/hwmon%u",
			 card->name, i);
		err = add_places(set, card, 0, folder, of_hwmon);
	}
	return err;
}

static bool has_link(const struct lane_counter_set *set, const char *folder)
{
	LANE_CLEANUP(lane_close)
	int fd = capture_counter_file(set, "%s/current_link_width", folder);

	return fd >= 0;
}

/* The links from the GPU up to the slot: a card may have a switch of its own, behind which the
 * GPU's link says nothing. The slot itself may be wider than its card: its own link is left out. */
static struct lane_error *add_links(struct lane_counter_set *set, const struct lane_card *card)
{
	struct lane_error *err = NULL;
	char folder[128], above[128];

	snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device", card->name);
	for (unsigned int i = 0; i < BRIDGES && !err; i++) {
		snprintf(above, sizeof(above), "%.100s/..", folder);
		if (!has_link(set, folder) || !has_link(set, above))
			break;
		err = add_places(set, card, LANE_COUNTER_LINK + i, folder, of_link);
		strcpy(folder, above);
	}
	return err;
}

struct lane_error *capture_counter_machine(struct lane_counter_set *set)
{
	/* What the kernel says of the whole machine: pressure stall information (psi.c). */
	static const struct counter_place memory = { LANE_COUNTS_MEMORY_PRESSURE, "memory", 1000000,
						     .form = { LANE_TEXT_TOTAL } };

	return add_place(set, &(struct lane_card){ 0 }, 0, "/proc/pressure", &memory);
}

struct lane_error *capture_counter_files(struct lane_counter_set *set, const struct lane_card *card)
{
	struct lane_error *err = NULL;
	char folder[128];

	snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device/power", card->name);
	err = add_places(set, card, 0, folder, of_power);
	if (!err)
		err = add_hwmons(set, card);
	if (!err)
		err = add_links(set, card);
	snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device/devfreq/%.60s", card->name,
		 card->dev);
	if (!err)
		err = add_places(set, card, 0, folder, of_devfreq);
	snprintf(folder, sizeof(folder), "/sys/class/drm/%s/device", card->name);
	if (!err && !strcmp(card->driver, "amdgpu"))
		err = add_places(set, card, 0, folder, of_amdgpu);
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

// SPDX-License-Identifier: MIT
// Counters of i915's and xe's PMU: how long engines were busy, how long the GPU slept.
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/counter_kind.h"
#include "capture/counter.h"

#define FOLDER	  "/sys/bus/event_source/devices/"
#define CLASSES	  5
#define INSTANCES 16
#define GTS	  8
#define VFS	  16

int capture_counter_perf(uint32_t type, uint64_t config, int cpu)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config };

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

struct pmu {
	struct lane_counter_set *set;
	const struct lane_card *card;
	char name[64];
	uint32_t type;
	int cpu;
};

static bool read_number(const struct pmu *pmu, const char *file, uint64_t *value)
{
	LANE_CLEANUP(lane_close)
	int fd = capture_counter_file(pmu->set, FOLDER "%s/%s", pmu->name, file);

	return fd >= 0 && capture_counter_number(fd, value);
}

/* The PMU of a card: of several cards each has its bus address in its name. */
static bool find_pmu(struct pmu *pmu)
{
	uint64_t value;

	snprintf(pmu->name, sizeof(pmu->name), "%.20s_%.40s", pmu->card->driver, pmu->card->dev);
	for (char *at = pmu->name; *at; at++)
		*at = *at == ':' ? '_' : *at;
	if (!read_number(pmu, "type", &value)) {
		snprintf(pmu->name, sizeof(pmu->name), "%.20s", pmu->card->driver);
		if (!read_number(pmu, "type", &value))
			return false;
	}
	pmu->type = (uint32_t)value;
	pmu->cpu = read_number(pmu, "cpumask", &value) ? (int)value : 0;
	return true;
}

/* The number behind "NAME=" in the text of an event. */
static bool read_config(const struct pmu *pmu, const char *event, uint64_t *config)
{
	LANE_CLEANUP(lane_close)
	int fd = capture_counter_file(pmu->set, FOLDER "%s/events/%s", pmu->name, event);
	char text[64];
	const char *at;
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strchr(text, '=');
	if (at)
		*config = strtoull(at + 1, NULL, 0);
	return at;
}

static int open_event(const struct pmu *pmu, uint64_t config)
{
	return capture_counter_config(pmu->set)->open_pmu(pmu->type, config, pmu->cpu);
}

/* How far i915's count of busy time is to be believed. Under the GuC it is the firmware's own
 * (guc_engine_busyness()), else the driver's, from the hand-over to the tasklet that sees the end
 * (intel_engine_context_in(), _out()). */
static uint32_t trust_of_i915(const struct lane_counter_set *set)
{
	struct lane_driver driver;

	capture_driver_read(capture_counter_config(set)->root, &driver);
	return LANE_TRUST_LIVE | (strcmp(driver.submission, "guc") ? LANE_TRUST_OVER : 0);
}

static struct lane_error *add_i915(struct pmu *pmu, const char *event, enum lane_counter_what what,
				   unsigned int class, unsigned int instance)
{
	struct lane_p_gpulane_counter counter = capture_counter_of(pmu->card, what, event);
	uint64_t config;
	int fd;

	if (!read_config(pmu, event, &config))
		return NULL;
	fd = open_event(pmu, config);
	if (fd < 0)
		return NULL;
	counter.per_second = 1000000000;
	if (what == LANE_COUNTS_ENGINE_BUSY) {
		counter.class = (uint16_t) class;
		counter.instance = (uint16_t)instance;
		counter.trust = trust_of_i915(pmu->set);
	}
	return capture_counter_add_pmu(pmu->set, &counter, fd, -1);
}

static struct lane_error *add_all_i915(struct pmu *pmu)
{
	static const char *const names[CLASSES] = { "rcs", "bcs", "vcs", "vecs", "ccs" };
	struct lane_error *err = add_i915(pmu, "rc6-residency", LANE_COUNTS_C6, 0, 0);
	char event[32];

	for (unsigned int gt = 0; gt < GTS && !err; gt++) {
		snprintf(event, sizeof(event), "rc6-residency-gt%u", gt);
		err = add_i915(pmu, event, LANE_COUNTS_C6, 0, 0);
	}
	for (unsigned int class = 0; class < CLASSES; class ++)
		for (unsigned int i = 0; i < INSTANCES && !err; i++) {
			snprintf(event, sizeof(event), "%s%u-busy", names[class], i);
			err = add_i915(pmu, event, LANE_COUNTS_ENGINE_BUSY, class, i);
		}
	return err;
}

/* xe's bits, as Linux 7.3's format/ has them: engine_instance 12-19, engine_class 20-27, function
 * 44-59, gt 60-63. vf 0: the physical function's, or there is no other. */
static struct lane_error *add_xe(struct pmu *pmu, const uint64_t config[2], unsigned int gt,
				 unsigned int class, unsigned int instance, unsigned int vf)
{
	uint64_t where = (uint64_t)instance << 12 | (uint64_t) class << 20 | (uint64_t)vf << 44 |
			 (uint64_t)gt << 60;
	struct lane_p_gpulane_counter counter =
		capture_counter_of(pmu->card, vf ? LANE_COUNTS_VF_BUSY : LANE_COUNTS_ENGINE_BUSY,
				   "engine-active-ticks");
	int fd = open_event(pmu, config[0] | where);
	int total_fd;

	if (fd < 0)
		return NULL;
	total_fd = open_event(pmu, config[1] | where);
	if (total_fd < 0) {
		close(fd);
		return NULL;
	}
	counter.client_id = vf;
	counter.gt = gt;
	counter.class = (uint16_t) class;
	counter.instance = (uint16_t)instance;
	counter.trust = LANE_TRUST_LIVE | LANE_TRUST_WAKES;
	return capture_counter_add_pmu(pmu->set, &counter, fd, total_fd);
}

/* How many virtual functions the card has whose counters its PMU tells apart. */
static unsigned int vfs_of(const struct pmu *pmu)
{
	LANE_CLEANUP(lane_close)
	int format = capture_counter_file(pmu->set, FOLDER "%s/format/function", pmu->name);
	LANE_CLEANUP(lane_close)
	int fd = capture_counter_file(pmu->set, "/sys/class/drm/%s/device/sriov_numvfs",
				      pmu->card->name);
	uint64_t n;

	if (format < 0 || fd < 0 || !capture_counter_number(fd, &n))
		return 0;
	return n < VFS ? (unsigned int)n : VFS;
}

/* An open event of xe's engines keeps the GT awake (xe_pmu_event_init(), Linux 7.3). */
static struct lane_error *add_all_xe(struct pmu *pmu)
{
	struct lane_error *err = NULL;
	unsigned int vfs = vfs_of(pmu);
	uint64_t config[2];

	if (!capture_counter_config(pmu->set)->is_waking ||
	    !read_config(pmu, "engine-active-ticks", &config[0]) ||
	    !read_config(pmu, "engine-total-ticks", &config[1]))
		return NULL;
	for (unsigned int gt = 0; gt < GTS; gt++)
		for (unsigned int class = 0; class < CLASSES; class ++)
			for (unsigned int i = 0; i < INSTANCES; i++)
				for (unsigned int vf = 0; vf <= vfs && !err; vf++)
					err = add_xe(pmu, config, gt, class, i, vf);
	return err;
}

struct lane_error *capture_counter_pmu(struct lane_counter_set *set, const struct lane_card *card)
{
	struct pmu pmu = { .set = set, .card = card };

	if (strcmp(card->driver, "i915") && strcmp(card->driver, "xe"))
		return NULL;
	if (!find_pmu(&pmu))
		return NULL;
	return strcmp(card->driver, "xe") ? add_all_i915(&pmu) : add_all_xe(&pmu);
}

// SPDX-License-Identifier: MIT
// The GPUs and their driver.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/drivers.h"
#include "capture/driver.h"
#include "capture/gpu_limits.h"
#include "capture/probe_parts.h"

#define DRIVER "driver"

static void add_card(struct lane_probe *probe, const struct lane_card *card)
{
	bool known = card->events != LANE_DRIVER_NONE;
	bool hex = !strncmp(card->device, "0x", 2);

	capture_probe_add(probe, DRIVER, card->name,
			  known				? LANE_CHECK_OK
			  : capture_card_is_intel(card) ? LANE_CHECK_MISSING
							: LANE_CHECK_FACT,
			  "this GPU's requests are not recorded",
			  *card->driver ? "a driver that submits to drm_sched, or i915"
					: "modprobe i915 or xe",
			  "%s%s%s%s%s", card->vendor, *card->vendor ? ":" : "",
			  card->device + (hex ? 2 : 0), *card->vendor ? ", " : "",
			  *card->driver ? card->driver : "no driver");
}

/* What the events of a card's driver tell of its requests. */
static void add_gives(struct lane_probe *probe, const struct lane_card *card)
{
	enum lane_discipline discipline;
	char name[32];

	if (card->events != LANE_DRIVER_DRM)
		return;
	discipline = lane_drm_driver_find(card->driver)->discipline;
	snprintf(name, sizeof(name), "%s gives", card->name);
	capture_probe_add(
		probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL,
		"jobs of drm_sched: queued, waiting for a fence, given to the ring, ended; %s",
		discipline >= LANE_RING_FIRMWARE
			? "when they ran within bounds, since firmware schedules"
			: "when they ran, where the ring runs one at a time");
	if (discipline != LANE_RING_LONG)
		return;
	snprintf(name, sizeof(name), "%s lacks", card->name);
	capture_probe_add(
		probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL,
		"single kernels of Level Zero and OpenCL: these submit in bursts, past the "
		"kernel; record their own commands, too (gpulane help burst)");
}

static bool has_same(const struct lane_engine_limits *a, const struct lane_engine_limits *b)
{
	return a->card == b->card && !memcmp(a->ns, b->ns, sizeof(a->ns));
}

/* The engines of the rows that have the limits of the i-th; "" if an earlier one has them, too. */
static void alike(const struct lane_limits *limits, uint32_t i, char *names, size_t size)
{
	size_t used = 0;

	*names = '\0';
	for (uint32_t k = 0; k < i; k++)
		if (has_same(&limits->of[k], &limits->of[i]))
			return;
	for (uint32_t k = i; k < limits->n && used < size; k++)
		if (has_same(&limits->of[k], &limits->of[i]))
			used += (size_t)snprintf(names + used, size - used, "%s%s", used ? " " : "",
						 limits->of[k].engine);
}

/* After how long the driver does something about what does not end. */
static void add_limits(struct lane_probe *probe, const struct lane_limits *limits,
		       const struct lane_card *card)
{
	char name[32], names[96], text[160];

	for (uint32_t i = 0; i < limits->n; i++) {
		size_t used = 0;

		alike(limits, i, names, sizeof(names));
		if (limits->of[i].ns[LANE_LIMIT_VIRTUAL]) {
			snprintf(name, sizeof(name), "card%u", limits->of[i].card);
			if (!strcmp(name, card->name))
				capture_probe_add(probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL,
						  "a virtual function: a gap may be another one's "
						  "turn, and no counter tells");
			continue;
		}
		if (!*names || strtoul(card->name + strlen("card"), NULL, 10) != limits->of[i].card)
			continue;
		*text = '\0';
		for (int kind = 0; kind < LANE_LIMIT_KINDS && used < sizeof(text); kind++)
			if (limits->of[i].ns[kind])
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 "%s%s %.6g ms", used ? ", " : "",
							 lane_limit_names[kind],
							 (double)limits->of[i].ns[kind] / 1e6);
		snprintf(name, sizeof(name), "%s limits", card->name);
		capture_probe_add(probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL, "%s: %s", names,
				  *text ? text : "none is on");
	}
}

/* The driver's events that this kernel has, and the names of those that it has not. */
static unsigned int probe_driver_count_own(const struct lane_probe *probe, const char *system,
					   char *missing, size_t bytes, unsigned int *all)
{
	unsigned int n = 0;
	size_t used = 0;

	*missing = '\0';
	*all = 0;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		if (!lane_is_driver((unsigned int)kind) || strcmp(capture_bpf_system(kind), system))
			continue;
		++*all;
		if (!capture_probe_access(probe, "/sys/kernel/tracing/events/%s/%s", system,
					  lane_kinds[kind].name)) {
			n++;
			continue;
		}
		if (used < bytes)
			used += (size_t)snprintf(
				missing + used, bytes - used, "%s%s",
				used ? ", " : "; missing: ", lane_kinds[kind].name);
	}
	return n;
}

/* What the driver's own events add on this kernel. */
static void add_own(struct lane_probe *probe, const struct lane_card *card)
{
	const struct lane_drm_driver *driver = lane_drm_driver_find(card->driver);
	char name[32], missing[256];
	unsigned int n, all;

	if (card->events != LANE_DRIVER_DRM)
		return;
	snprintf(name, sizeof(name), "%s adds", card->name);
	if (!*driver->system) {
		capture_probe_add(probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL,
				  "nothing: gpulane reads no events of %s's own", card->driver);
		return;
	}
	n = probe_driver_count_own(probe, driver->system, missing, sizeof(missing), &all);
	if (!n)
		capture_probe_add(
			probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL,
			"nothing that can be seen: events of %s's own are not in tracefs, or "
			"it cannot be read",
			card->driver);
	else
		capture_probe_add(probe, DRIVER, name, LANE_CHECK_FACT, NULL, NULL,
				  "%u of %u events of %s's own: %s%s", n, all, card->driver,
				  driver->adds, missing);
}

void capture_probe_needs(struct lane_probe *probe)
{
	struct lane_card cards[LANE_MAX_CARDS];
	size_t n = capture_driver_cards(probe->root, cards);

	for (size_t i = 0; i < n; i++) {
		probe->has_drm |= cards[i].events == LANE_DRIVER_DRM;
		probe->has_i915 |= cards[i].events == LANE_DRIVER_I915 ||
				   (capture_card_is_intel(&cards[i]) && !*cards[i].driver);
	}
}

/* *is_intel: one of the GPUs is Intel's. */
static void check_devices(struct lane_probe *probe, bool *is_intel)
{
	struct lane_card cards[LANE_MAX_CARDS];
	size_t n = capture_driver_cards(probe->root, cards);
	struct lane_limits limits;

	capture_limits_read(probe->root, &limits);
	*is_intel = false;
	for (size_t i = 0; i < n; i++) {
		add_card(probe, &cards[i]);
		add_gives(probe, &cards[i]);
		add_own(probe, &cards[i]);
		add_limits(probe, &limits, &cards[i]);
		capture_probe_counters(probe, &cards[i]);
		*is_intel |= capture_card_is_intel(&cards[i]);
	}
	if (!*is_intel && !probe->has_drm)
		capture_probe_add(
			probe, DRIVER, "GPU", LANE_CHECK_MISSING,
			"there is no request to record on this machine; the CPU's side is",
			"a machine with a GPU of i915's or of a driver that submits to "
			"drm_sched; without one `make demo` boots a guest",
			"none whose requests gpulane records");
}

/* BTF of a module; what is built in (its module has no state) is described with the kernel. */
static void check_btf(struct lane_probe *probe, const char *module, const char *cost)
{
	bool loaded = !capture_probe_access(probe, "/sys/module/%s/initstate", module);
	char btf[96], name[64];
	bool there;

	snprintf(btf, sizeof(btf), "/sys/kernel/btf/%s", loaded ? module : "vmlinux");
	snprintf(name, sizeof(name), "BTF of %s", module);
	there = !capture_probe_access(probe, "%s", btf);
	capture_probe_add(probe, DRIVER, name, there ? LANE_CHECK_OK : LANE_CHECK_MISSING, cost,
			  "a kernel with CONFIG_DEBUG_INFO_BTF_MODULES=y", "%s",
			  there ? btf : "not there");
}

/* Which generation of events: tracefs says, where it is mounted. */
static const char *drm_generation(const struct lane_probe *probe)
{
	static const char path[] = "/sys/kernel/tracing/events/gpu_scheduler";

	if (!capture_probe_access(probe, "%s/drm_sched_job_queue", path))
		return ", events of Linux 6.17 and later";
	if (!capture_probe_access(probe, "%s/drm_sched_job", path))
		return ", events of before Linux 6.17";
	return "";
}

static void check_drm_sched(struct lane_probe *probe)
{
	bool loaded = !capture_probe_access(probe, "/sys/module/gpu_sched");

	capture_probe_add(probe, DRIVER, "gpu-sched", loaded ? LANE_CHECK_OK : LANE_CHECK_MISSING,
			  "no job of drm_sched is recorded until it is loaded",
			  "modprobe the GPU's driver, which loads it", "%s%s",
			  loaded ? "loaded" : "not loaded", loaded ? drm_generation(probe) : "");
	if (loaded)
		check_btf(probe, "gpu_sched",
			  "before Linux 6.17 no job of drm_sched is recorded; later ones have no "
			  "driver's name");
}

void capture_probe_driver(struct lane_probe *probe)
{
	struct lane_driver driver;
	bool is_intel;

	check_devices(probe, &is_intel);
	if (probe->has_drm)
		check_drm_sched(probe);
	capture_driver_read(probe->root, &driver);
	/* Where another driver has the GPU, or there is none, loading i915 gets nothing. */
	capture_probe_add(probe, DRIVER, "i915",
			  driver.loaded	    ? LANE_CHECK_OK
			  : probe->has_i915 ? LANE_CHECK_MISSING
					    : LANE_CHECK_FACT,
			  "there is no request to record until it is loaded",
			  "modprobe i915 (on a machine with an Intel GPU it is loaded at boot)",
			  "%s%s%s", driver.loaded ? "loaded" : "not loaded",
			  driver.loaded && *driver.version ? ", its version is in the recording"
							   : "",
			  probe->has_i915 ? ""
			  : is_intel	  ? ", another driver has the GPU"
					  : ", there is no GPU for it");
	if (!driver.loaded)
		return;
	capture_probe_add(probe, DRIVER, "submission", LANE_CHECK_FACT, NULL, NULL, "%s",
			  driver.submission);
	check_btf(probe, "i915",
		  "its functions cannot be hooked: no submit, execute and ports on this kernel");
}

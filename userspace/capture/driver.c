// SPDX-License-Identifier: MIT
// The GPUs of /sys, their drivers, and what the running i915 says of itself there.
#include "capture/driver.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/drivers.h"

static bool driver_read_line(const char *root, const char *path, char *line, size_t bytes)
{
	LANE_CLEANUP(lane_free) char *full = NULL;
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;

	*line = 0;
	if (asprintf(&full, "%s%s", root, path) < 0) {
		full = NULL;
		return false;
	}
	from = fopen(full, "re");
	if (!from || !fgets(line, (int)bytes, from))
		return false;
	line[strcspn(line, "\n")] = 0;
	return true;
}

/*
 * The parameter as the driver has left it (intel_uc_fw sanitizes it at probe): bit 0 is submission
 * by GuC, -1 means that no device has been probed yet.
 */
static const char *submission(const char *root)
{
	char line[32];
	char *end;
	long value;

	if (!driver_read_line(root, "/sys/module/i915/parameters/enable_guc", line, sizeof(line)))
		return "unknown";
	value = strtol(line, &end, 10);
	if (end == line || value < 0)
		return "unknown";
	return value & 1 ? "guc" : "execlists";
}

void capture_driver_read(const char *root, struct lane_driver *driver)
{
	LANE_CLEANUP(lane_free) char *path = NULL;

	memset(driver, 0, sizeof(*driver));
	driver->submission = "unknown";
	if (asprintf(&path, "%s/sys/module/i915", root) < 0) {
		path = NULL;
		return;
	}
	driver->loaded = access(path, F_OK) == 0;
	if (!driver->loaded)
		return;
	driver_read_line(root, "/sys/module/i915/srcversion", driver->version,
			 sizeof(driver->version));
	driver->submission = submission(root);
}

static bool is_card(const char *name)
{
	return !strncmp(name, "card", 4) && name[4] && !name[4 + strspn(name + 4, "0123456789")];
}

static int compare_cards(const void *a, const void *b)
{
	return strverscmp(((const struct lane_card *)a)->name, ((const struct lane_card *)b)->name);
}

/* The last word of the target of a link below a card's folder: "device" is a link itself. */
static void read_link(const char *root, const char *card, const char *link, char *name,
		      size_t bytes)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	char target[256];
	const char *last;
	ssize_t n;

	if (asprintf(&path, "%s/sys/class/drm/%s/%s", root, card, link) < 0) {
		path = NULL;
		return;
	}
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	last = strrchr(target, '/');
	snprintf(name, bytes, "%.*s", (int)bytes - 1, last ? last + 1 : target);
}

static bool is_there(const char *root, const char *path, const char *name)
{
	LANE_CLEANUP(lane_free) char *full = NULL;

	if (asprintf(&full, "%s%s%s", root, path, name) < 0) {
		full = NULL;
		return false;
	}
	return access(full, F_OK) == 0;
}

/*
 * Whether a driver submits to drm_sched: its module is among those that use gpu-sched's. Where the
 * kernel does not say that (one of them is built in), those that do so in that Linux.
 */
static bool submits_to_drm_sched(const char *root, const struct lane_card *card)
{
	const struct lane_drm_driver *driver = lane_drm_driver_find(card->driver);
	unsigned int major, minor;
	char release[64];
	char module[64] = "";

	read_link(root, card->name, "device/driver/module", module, sizeof(module));
	if (*module && is_there(root, "/sys/module/gpu_sched/holders", ""))
		return is_there(root, "/sys/module/gpu_sched/holders/", module);
	if (!driver_read_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release)) ||
	    sscanf(release, "%u.%u", &major, &minor) != 2)
		return *driver->name;
	return *driver->name &&
	       (major > driver->major || (major == driver->major && minor >= driver->minor));
}

static void read_card(const char *root, const char *name, struct lane_card *card)
{
	char path[64];

	memset(card, 0, sizeof(*card));
	snprintf(card->name, sizeof(card->name), "%s", name);
	snprintf(path, sizeof(path), "/sys/class/drm/%s/device/vendor", card->name);
	driver_read_line(root, path, card->vendor, sizeof(card->vendor));
	snprintf(path, sizeof(path), "/sys/class/drm/%s/device/device", card->name);
	driver_read_line(root, path, card->device, sizeof(card->device));
	read_link(root, card->name, "device", card->dev, sizeof(card->dev));
	read_link(root, card->name, "device/driver", card->driver, sizeof(card->driver));
	if (!strcmp(card->driver, "i915"))
		card->events = LANE_DRIVER_I915;
	else if (*card->driver && submits_to_drm_sched(root, card))
		card->events = LANE_DRIVER_DRM;
}

size_t capture_driver_cards(const char *root, struct lane_card *cards)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_closedir) DIR *dir = NULL;
	struct dirent *entry;
	size_t n = 0;

	if (asprintf(&path, "%s/sys/class/drm", root) < 0) {
		path = NULL;
		return 0;
	}
	dir = opendir(path);
	while (dir && n < LANE_MAX_CARDS && (entry = readdir(dir)))
		if (is_card(entry->d_name) && strlen(entry->d_name) < sizeof(cards[0].name))
			read_card(root, entry->d_name, &cards[n++]);
	qsort(cards, n, sizeof(cards[0]), compare_cards);
	return n;
}

bool capture_card_is_intel(const struct lane_card *card)
{
	return !strcmp(card->vendor, "0x8086");
}

bool capture_driver_absent(const char *root, char *why, size_t bytes)
{
	struct lane_card cards[LANE_MAX_CARDS];
	size_t n = capture_driver_cards(root, cards);
	const struct lane_card *other = n ? &cards[0] : NULL;
	struct lane_driver driver;

	capture_driver_read(root, &driver);
	for (size_t i = n; i-- > 0;) {
		if (!strcmp(cards[i].driver, "i915"))
			return false;
		if (capture_card_is_intel(&cards[i]))
			other = &cards[i];
	}
	if (driver.loaded && (!other || !capture_card_is_intel(other) || !*other->driver))
		return false;
	if (!other)
		snprintf(why, bytes, "this machine has no GPU, and i915 is not loaded");
	else if (!*other->driver)
		snprintf(why, bytes, "%s has no driver, and i915 is not loaded", other->name);
	else
		snprintf(why, bytes,
			 "the driver of %s is %s, and that is not one of those whose "
			 "requests gpulane records",
			 other->name, other->driver);
	return true;
}

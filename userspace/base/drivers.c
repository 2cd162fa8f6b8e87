// SPDX-License-Identifier: MIT
// The drivers of drm_sched: what drivers.def says of each.
#include "base/drivers.h"

#include <stddef.h>
#include <string.h>

static const struct lane_drm_driver drivers[] = {
#define D(name, discipline, rings, several, shared, system, major, minor, adds)                    \
	{ name, LANE_RING_##discipline, rings, several, shared, system, major, minor,              \
	  adds, name " is not loaded" },
#include "base/drivers.def"
#undef D
	{ "", LANE_RING_UNKNOWN, "", "", "", "", 0, 0, "", "" }, /* the last: no driver */
};

#define NO_DRIVER (sizeof(drivers) / sizeof(drivers[0]) - 1)

/* One of the list's words is the text; or the text begins with it. */
static bool has_word(const char *list, const char *text, bool is_begin)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (!strncmp(list, text, n) && (is_begin || !text[n]))
			return true;
		list += n + (list[n] == ' ');
	}
	return false;
}

const struct lane_drm_driver *lane_drm_driver_find(const char *name)
{
	size_t i = 0;

	while (i < NO_DRIVER && strcmp(drivers[i].name, name) != 0)
		i++;
	return &drivers[i];
}

const struct lane_drm_driver *lane_drm_driver_of_ring(const char *ring)
{
	size_t i = 0;

	while (i < NO_DRIVER && !has_word(drivers[i].rings, ring, true))
		i++;
	return &drivers[i];
}

const struct lane_drm_driver *lane_drm_driver_of_kind(const char *kind)
{
	size_t n = strcspn(kind, "_"), i = 0;

	while (i < NO_DRIVER && (strncmp(drivers[i].name, kind, n) != 0 || drivers[i].name[n]))
		i++;
	return &drivers[i];
}

enum lane_discipline lane_drm_discipline(const struct lane_drm_driver *driver, const char *ring)
{
	return has_word(driver->shared, ring, true) ? LANE_RING_FIRMWARE : driver->discipline;
}

bool lane_drm_ring_is_of_several(const char *ring)
{
	for (size_t i = 0; i < NO_DRIVER; i++)
		if (has_word(drivers[i].several, ring, false))
			return true;
	return false;
}

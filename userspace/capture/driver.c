// SPDX-License-Identifier: MIT
// What the running i915 says of itself in /sys.
#include "capture/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool read_line(const char *root, const char *path, char *line, size_t bytes)
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

	if (!read_line(root, "/sys/module/i915/parameters/enable_guc", line, sizeof(line)))
		return "unknown";
	value = strtol(line, &end, 10);
	if (end == line || value < 0)
		return "unknown";
	return value & 1 ? "guc" : "execlists";
}

void lane_driver_read(const char *root, struct lane_driver *driver)
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
	read_line(root, "/sys/module/i915/srcversion", driver->version, sizeof(driver->version));
	driver->submission = submission(root);
}

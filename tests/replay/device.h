/* SPDX-License-Identifier: MIT */
/* The device of a driver of the tests, by the driver's name. */
#ifndef GL_DEVICE_H
#define GL_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* DRM_IOCTL_VERSION of include/uapi/drm/drm.h: the driver's name. */
struct drm_version {
	int major, minor, patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
#define DRM_VERSION _IOWR('d', 0x00, struct drm_version)

/* The first of the nodes ("/dev/dri/renderD*") that is of the driver, opened; -1 with errno: there
 * is none. */
static inline int device_open(const char *nodes, const char *driver)
{
	glob_t found;
	int fd = -1;

	errno = ENODEV;
	if (glob(nodes, 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc && fd < 0; i++) {
		char name[32] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

		fd = open(found.gl_pathv[i], O_RDWR | O_CLOEXEC);
		if (fd < 0 || (!ioctl(fd, DRM_VERSION, &version) && !strcmp(name, driver)))
			continue;
		close(fd);
		fd = -1;
		errno = ENODEV;
	}
	globfree(&found);
	return fd;
}

#endif

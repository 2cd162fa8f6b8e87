// SPDX-License-Identifier: MIT
// Kernels that this machine may not be able to boot: Debian's packages without their initramfs.
// Earlier versions of `make setup` left such kernels behind.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/probe_parts.h"

#define IMAGE	"vmlinuz-"
#define RELEASE (sizeof(IMAGE) - 1)

/* What the name of a Debian package may have: such a release can stand in a command as it is. */
static int is_image(const struct dirent *entry)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789+-.";
	const char *release = entry->d_name + RELEASE;

	return !strncmp(entry->d_name, IMAGE, RELEASE) && *release &&
	       !release[strspn(release, allowed)];
}

/*
 * True when a Debian package has put this kernel into /boot and its initramfs is not there. The
 * running kernel has booted without, and one that somebody built may be made to.
 */
static bool is_left_behind(const struct lane_probe *probe, const char *release)
{
	return strcmp(release, probe->release) != 0 &&
	       !capture_probe_access(probe, "/var/lib/dpkg/info/linux-image-%s.list", release) &&
	       capture_probe_access(probe, "/boot/initrd.img-%s", release) == ENOENT;
}

static void check_image(struct lane_probe *probe, const char *release)
{
	if (!is_left_behind(probe, release))
		return;
	capture_probe_add(
		probe, "kernel", "initramfs", LANE_CHECK_MISSING,
		"the machine may not boot: this kernel is installed without an initramfs "
		"(earlier versions of make setup did that), and the boot loader may choose it",
		NULL, "none for the installed kernel %s", release);
	capture_probe_remedy(
		probe,
		"update-initramfs -c -k %s as root; or, where the kernel is not wanted, "
		"apt-get purge linux-image-%s",
		release, release);
}

void capture_probe_boot(struct lane_probe *probe)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct dirent **images = NULL;
	int n;

	if (asprintf(&path, "%s/boot", probe->root) < 0) {
		path = NULL;
		probe->failed = true;
		return;
	}
	n = scandir(path, &images, is_image, alphasort);
	for (int i = 0; i < n; i++) {
		check_image(probe, images[i]->d_name + RELEASE);
		free(images[i]);
	}
	free(images);
}

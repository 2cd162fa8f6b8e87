// SPDX-License-Identifier: MIT
// Where a target puts its input.
#include "file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(const uint8_t *data, size_t bytes, char path[64])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

int fuzz_dir(char path[64])
{
	int fd;

	strcpy(path, "/dev/shm/lane-fuzz-XXXXXX");
	if (!mkdtemp(path)) {
		strcpy(path, "/tmp/lane-fuzz-XXXXXX");
		if (!mkdtemp(path))
			abort();
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		abort();
	return fd;
}

// SPDX-License-Identifier: MIT
// libFuzzer: a file of pairs, into the clocks of two recordings.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "norm/pairs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_sync syncs[3];
	struct lane_sync_line line;
	struct lane_error *err;
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = norm_pairs_read(path, syncs, 3);
	for (int i = 1; !err && i < 3; i++)
		(void)clock_sync_line(&syncs[i], syncs[i].last_other, &line);
	lane_error_free(err);
	close(fd);
	return 0;
}

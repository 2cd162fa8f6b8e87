// SPDX-License-Identifier: MIT
// libFuzzer: events as text, contradictions and all, through the timeline into a report.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/read.h"
#include "out/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static FILE *null;
	struct lane_report_options options = { .rows = 20 };
	struct lane_reading reading = { 0 };
	struct lane_error *err;
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null || fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reading.path = path;
	err = lane_read(&reading);
	if (!err)
		err = lane_report_json.write(null, &reading.latency, &options);
	lane_error_free(err);
	lane_reading_deinit(&reading);
	close(fd);
	return 0;
}

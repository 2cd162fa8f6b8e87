// SPDX-License-Identifier: MIT
// The machine that is recorded and how its clocks stand to each other.
#include "capture/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

static int64_t host_read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t capture_now_ns(void)
{
	return (uint64_t)host_read_clock(CLOCK_MONOTONIC);
}

/* One clock between two readings of the other, as close together as a few attempts get them. */
static int64_t offset_of(clockid_t clock)
{
	int64_t best = INT64_MAX, offset = 0;

	for (int i = 0; i < 16; i++) {
		int64_t before = host_read_clock(CLOCK_MONOTONIC);
		int64_t other = host_read_clock(clock);
		int64_t after = host_read_clock(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		offset = other - (before + (after - before) / 2);
	}
	return offset;
}

int64_t capture_epoch_offset_ns(void)
{
	return offset_of(CLOCK_REALTIME);
}

void capture_host_read(struct lane_host *host)
{
	LANE_CLEANUP(lane_fclose) FILE *from = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(host, 0, sizeof(*host));
	if (!uname(&name)) {
		snprintf(host->name, sizeof(host->name), "%s", name.nodename);
		snprintf(host->release, sizeof(host->release), "%s", name.release);
		snprintf(host->machine, sizeof(host->machine), "%s", name.machine);
	}
	if (from && fgets(host->boot_id, sizeof(host->boot_id), from))
		host->boot_id[strcspn(host->boot_id, "\n")] = 0;
	host->epoch_offset_ns = capture_epoch_offset_ns();
	host->slept_ns = offset_of(CLOCK_BOOTTIME);
	host->cpus = cpus > 0 ? (unsigned int)cpus : 1;
}

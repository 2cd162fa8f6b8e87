/* SPDX-License-Identifier: MIT */
/* The machine that is recorded and how its clocks stand to each other. */
#ifndef LANE_CAPTURE_HOST_H
#define LANE_CAPTURE_HOST_H

#include <stdint.h>

struct lane_host {
	char name[65];
	char release[65]; /* the kernel's, as uname -r */
	char machine[65];
	char boot_id[37];	 /* of this boot: what has it shares the clock; "" when not known */
	int64_t epoch_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC, when this was read */
	int64_t slept_ns;	 /* CLOCK_BOOTTIME - CLOCK_MONOTONIC: so long it was suspended */
	unsigned int cpus;	 /* that are on */
};

/* Reads all of it; what the system does not tell stays empty. */
void capture_host_read(struct lane_host *host);

/* CLOCK_REALTIME - CLOCK_MONOTONIC, now: a clock that is set changes it. */
int64_t capture_epoch_offset_ns(void);

/* Nanoseconds of CLOCK_MONOTONIC, the clock of every recording. */
uint64_t capture_now_ns(void);

#endif

/* SPDX-License-Identifier: MIT */
/* What the recorder and the readers of a recording agree on. */
#ifndef LANE_BASE_RECORDING_LIMIT_H
#define LANE_BASE_RECORDING_LIMIT_H

/*
 * A recording.json has at most so many bytes: nothing longer is written, nothing up to it is
 * refused. A command's arguments may have 6 MiB (execve(2)), and JSON makes six bytes of one.
 */
#define LANE_RECORDING_JSON_BYTES (64u << 20)

#endif

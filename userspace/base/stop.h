/* SPDX-License-Identifier: MIT */
/*
 * The flag that ^C and its kin set, for commands that have to clean up: whatever reads for long
 * looks at it. Without lane_stop_catch signals end the process at once, and the flag stays
 * 0.
 */
#ifndef LANE_BASE_STOP_H
#define LANE_BASE_STOP_H

#include <signal.h>

/* The signal that asked to stop, 0: none has. */
extern volatile sig_atomic_t lane_stop_signal;

/* From now on SIGINT, SIGTERM and SIGHUP set the flag; a system call that waits returns EINTR. */
void lane_stop_catch(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The flag that ^C and its kin set, for commands that have to clean up: whatever reads for long
 * looks at it. Without lane_stop_catch signals end the process at once, and the flag stays
 * 0.
 */
#ifndef LANE_BASE_STOP_H
#define LANE_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>

/* The signal that asked to stop, 0: none has. */
extern volatile sig_atomic_t lane_stop_signal;

/* From now on SIGINT, SIGTERM and SIGHUP set the flag; a system call that waits returns EINTR. */
void lane_stop_catch(void);

/*
 * From now on these signals end the process at once, whatever handlers a library sets, and wherever
 * it is (LLVM, which OpenCL's compilers use, has handlers that may wait for a lock of the thread
 * that they interrupt). To be called before the first thread and the library are there. false: no
 * thread could be made, and nothing has changed.
 */
bool lane_stop_at_once(void);

#endif

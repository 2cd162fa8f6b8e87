/* SPDX-License-Identifier: MIT */
/* Giving up what only opening the tracers needs. */
#ifndef LANE_CAPTURE_PRIVILEGES_H
#define LANE_CAPTURE_PRIVILEGES_H

#include <stdbool.h>

#include "base/error.h"

/* Gives up every capability but these: CAP_CHOWN to give the recording away; CAP_SYS_PTRACE and
 * CAP_DAC_READ_SEARCH to find the GPU's clients that come later, and read their fdinfo. What is
 * executed from then on gets none back. Programs that are to keep theirs have been forked before.
 */
struct lane_error *capture_drop_privileges(bool keeps_chown, bool keeps_looking) LANE_MUST_CHECK;

#endif

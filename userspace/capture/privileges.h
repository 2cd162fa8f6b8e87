/* SPDX-License-Identifier: MIT */
/* Giving up what only opening the tracers needs. */
#ifndef LANE_CAPTURE_PRIVILEGES_H
#define LANE_CAPTURE_PRIVILEGES_H

#include <stdbool.h>

#include "base/error.h"

/* Gives up every capability, but CAP_CHOWN when that is to be kept; what is executed from then on
 * gets none back. Programs that are to keep theirs have been forked before. */
struct lane_error *capture_drop_privileges(bool keep_chown) LANE_MUST_CHECK;

#endif

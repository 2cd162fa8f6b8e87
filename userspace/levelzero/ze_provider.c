// SPDX-License-Identifier: MIT
// The provider `gpulane` once more, for this library.
#define LANE_HAS_PROBES	      gpulane_levelzero_has_probes
#define LANE_OTHER_LAYER      "libgpulane-opencl.so"
#define LANE_OTHER_HAS_PROBES "gpulane_opencl_has_probes"
#include "opencl/provider_once.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "opencl/provider.h"

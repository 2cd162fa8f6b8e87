// SPDX-License-Identifier: MIT
// The tracepoints of the provider `gpulane`: what LTTng-UST makes of provider.h.
#define LANE_HAS_PROBES	      gpulane_opencl_has_probes
#define LANE_OTHER_LAYER      "libze_tracing_layer.so.1"
#define LANE_OTHER_HAS_PROBES "gpulane_levelzero_has_probes"
#include "opencl/provider_once.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "opencl/provider.h"

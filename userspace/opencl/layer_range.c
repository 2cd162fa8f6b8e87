// SPDX-License-Identifier: MIT
// Ranges that the program marks: the library of ranges has no provider of its own.
#include "opencl/layer.h"

__attribute__((visibility("default"))) void
gpulane_opencl_tell_range(const struct lane_p_gpulane_range *range, bool is_end);

void gpulane_opencl_tell_range(const struct lane_p_gpulane_range *range, bool is_end)
{
	if (lane_cl_forked)
		return;
	if (is_end)
		lttng_ust_tracepoint(gpulane, gpulane_range_end, range);
	else
		lttng_ust_tracepoint(gpulane, gpulane_range, range);
}

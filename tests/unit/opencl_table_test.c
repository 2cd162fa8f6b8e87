// SPDX-License-Identifier: MIT
// The table of OpenCL's functions: numbers, names, arguments.
#include "check.h"

#include "base/opencl.h"

TEST(names)
{
	for (unsigned int i = 0; i < LANE_CLF_COUNT; i++) {
		assert_non_null(lane_cl_function_name(i));
		assert_int_equal(lane_cl_function_by_name(lane_cl_function_name(i)), i);
	}
	assert_null(lane_cl_function_name(LANE_CLF_COUNT));
	assert_int_equal(lane_cl_function_by_name("clMakeCoffee"), LANE_CLF_NONE);
	assert_string_equal(lane_cl_function_name(LANE_CLF_clFinish), "clFinish");
}

TEST(arguments)
{
	assert_int_equal(lane_cl_functions[LANE_CLF_clEnqueueReadBuffer].n_params, 9);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_QUEUE), 0);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_OBJECT), 1);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_BLOCKING), 2);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_SIZE), 4);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_WAITS), 6);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_EVENT), 8);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBuffer, LANE_CLR_ERROR), -1);
	assert_int_equal(lane_cl_param(LANE_CLF_clEnqueueReadBufferRect, LANE_CLR_EVENT), 13);
	assert_int_equal(lane_cl_functions[LANE_CLF_clUnloadCompiler].n_params, 0);
	assert_int_equal(lane_cl_param(LANE_CLF_NONE, LANE_CLR_QUEUE), -1);
}

/* What enqueues a command has a queue; what has a command has an event, and of OpenCL's it alone.
 */
TEST(commands)
{
	for (unsigned int i = 1; i < LANE_CLF_COUNT; i++) {
		const struct lane_cl_function *function = &lane_cl_functions[i];

		assert_true(function->n_params <= LANE_CL_PARAMS);
		if (lane_cl_is_levelzero(i))
			assert_true(function->command == LANE_CLC_NONE ||
				    lane_cl_param(i, LANE_CLR_SIGNAL) >= 0);
		else
			assert_int_equal(function->command != LANE_CLC_NONE,
					 lane_cl_param(i, LANE_CLR_EVENT) >= 0);
		if (function->kind == LANE_CLK_ENQUEUE)
			assert_int_equal(lane_cl_param(i, LANE_CLR_QUEUE), 0);
		else
			assert_int_equal(function->command, LANE_CLC_NONE);
		if (function->command != LANE_CLC_NONE)
			assert_int_equal(
				lane_cl_command_by_name(lane_cl_command_name(function->command)),
				function->command);
	}
	assert_null(lane_cl_command_name(0));
	assert_int_equal(lane_cl_command_by_name("COFFEE"), LANE_CLC_NONE);
	assert_int_equal(LANE_CLC_NDRANGE_KERNEL, 0x11F0);
}

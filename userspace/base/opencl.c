// SPDX-License-Identifier: MIT
// The table of OpenCL's functions as data.
#include "base/opencl.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
#define ROLE(role, type, name) LANE_CLR_##role
#define CLF(fname, fkind, fcommand, freturn, ...)                                                  \
	[LANE_CLF_##fname] = {                                                                     \
		.name = #fname,                                                                    \
		.kind = LANE_CLK_##fkind,                                                          \
		.command = LANE_CLC_##fcommand,                                                    \
		.n_params = sizeof((unsigned char[]){ 0, LANE_CL_LIST(ROLE, __VA_ARGS__) }) - 1,   \
		.roles = { LANE_CL_LIST(ROLE, __VA_ARGS__) },                                      \
	},
const struct lane_cl_function lane_cl_functions[LANE_CLF_COUNT] = {
	[LANE_CLF_NONE] = { .name = "none", .kind = LANE_CLK_QUERY },
#include "base/opencl.def"
};
/* clang-format on */

const char *lane_cl_function_name(unsigned int number)
{
	return number < LANE_CLF_COUNT ? lane_cl_functions[number].name : NULL;
}

unsigned int lane_cl_function_by_name(const char *name)
{
	for (unsigned int number = 1; number < LANE_CLF_COUNT; number++)
		if (!strcmp(lane_cl_functions[number].name, name))
			return number;
	return LANE_CLF_NONE;
}

int lane_cl_param(unsigned int number, enum lane_cl_role role)
{
	for (unsigned int i = 0; i < lane_cl_functions[number].n_params; i++)
		if (lane_cl_functions[number].roles[i] == role)
			return (int)i;
	return -1;
}

const char *lane_cl_command_name(unsigned int command)
{
	switch (command) {
		/* clang-format off */
#define CLC(name, value, class)                                                                    \
	case value:                                                                                \
		return #name;
#include "base/opencl.def"
		/* clang-format on */
	default:
		return NULL;
	}
}

unsigned int lane_cl_command_by_name(const char *name)
{
	/* clang-format off */
#define CLC(cname, value, class)                                                                   \
	if (!strcmp(name, #cname))                                                                 \
		return value;
#include "base/opencl.def"
	/* clang-format on */
	return LANE_CLC_NONE;
}

/* SPDX-License-Identifier: MIT */
/*
 * OpenCL's and Level Zero's functions and commands by number and name, from opencl.def and
 * levelzero.def. The numbers are those of the
 * events' fields `function` and `type`.
 */
#ifndef LANE_BASE_OPENCL_H
#define LANE_BASE_OPENCL_H

#ifndef __bpf__
#include <stdbool.h>
#endif

/* clang-format off */
/* The functions' numbers, LANE_CLF_clGetPlatformIDs and so on; 0 is none. */
enum lane_cl_number {
	LANE_CLF_NONE,
#define CLF(name, ...) LANE_CLF_##name,
#include "base/opencl.def"
	LANE_CLF_COUNT
};

/* The commands' values, those of OpenCL: LANE_CLC_NDRANGE_KERNEL and so on. */
enum lane_cl_command {
	LANE_CLC_NONE = 0,
#define CLC(name, value, class) LANE_CLC_##name = value,
#include "base/opencl.def"
};
/* clang-format on */

enum lane_cl_kind {
	LANE_CLK_ENQUEUE,
	LANE_CLK_CREATE,
	LANE_CLK_RETAIN,
	LANE_CLK_RELEASE,
	LANE_CLK_FREE, /* releases and returns nothing */
	LANE_CLK_QUERY,
	LANE_CLK_SET,
	LANE_CLK_BUILD,
	LANE_CLK_FLUSH,
	LANE_CLK_SYNC,
};

/* What an argument is; opencl.def says what each means. */
enum lane_cl_role {
	LANE_CLR__,
	LANE_CLR_QUEUE,
	LANE_CLR_OBJECT,
	LANE_CLR_SIZE,
	LANE_CLR_REGION,
	LANE_CLR_PIXELS,
	LANE_CLR_DIM,
	LANE_CLR_GLOBAL,
	LANE_CLR_LOCAL,
	LANE_CLR_BLOCKING,
	LANE_CLR_WAITS,
	LANE_CLR_LIST,
	LANE_CLR_EVENT,
	LANE_CLR_ERROR,
	LANE_CLR_SIGNAL, /* Level Zero's alone, from here on */
	LANE_CLR_GROUPS,
	LANE_CLR_COUNTS,
	LANE_CLR_SIZES,
	LANE_CLR_BOX,
};

enum {
	LANE_CL_PARAMS = 14 /* no function has more */
};

/*
 * LANE_CL_MAP(M, ...) is M applied to each of the parenthesised parameters (without any: nothing),
 * as in LANE_CL_MAP(ROLE, (QUEUE, cl_command_queue, queue), (SIZE, size_t, size)); with
 * LANE_CL_LIST the results are separated by commas.
 */
#define LANE_CL_PARENS		 ()
#define LANE_CL_EXPAND(...)	 LANE_CL_EXPAND3(LANE_CL_EXPAND3(__VA_ARGS__))
#define LANE_CL_EXPAND3(...)	 LANE_CL_EXPAND2(LANE_CL_EXPAND2(__VA_ARGS__))
#define LANE_CL_EXPAND2(...)	 LANE_CL_EXPAND1(LANE_CL_EXPAND1(__VA_ARGS__))
#define LANE_CL_EXPAND1(...)	 LANE_CL_EXPAND0(LANE_CL_EXPAND0(__VA_ARGS__))
#define LANE_CL_EXPAND0(...)	 __VA_ARGS__
#define LANE_CL_MAP(M, ...)	 __VA_OPT__(LANE_CL_EXPAND(LANE_CL_MAP1(M, __VA_ARGS__)))
#define LANE_CL_MAP1(M, p, ...)	 M p __VA_OPT__(LANE_CL_MAP2 LANE_CL_PARENS(M, __VA_ARGS__))
#define LANE_CL_MAP2()		 LANE_CL_MAP1
#define LANE_CL_LIST(M, ...)	 __VA_OPT__(LANE_CL_EXPAND(LANE_CL_LIST1(M, __VA_ARGS__)))
#define LANE_CL_LIST1(M, p, ...) M p __VA_OPT__(, LANE_CL_LIST2 LANE_CL_PARENS(M, __VA_ARGS__))
#define LANE_CL_LIST2()		 LANE_CL_LIST1

/* True of the number of a function of Level Zero. */
static inline bool lane_cl_is_levelzero(unsigned int function)
{
	return function >= LANE_CLF_zeModuleCreate && function < LANE_CLF_COUNT;
}

/* True when a call with this result did not do what it was called for. Level Zero's "not ready" is
 * such a one, too. */
static inline bool lane_cl_has_failed(unsigned int function, int status)
{
	return lane_cl_is_levelzero(function) ? status != 0 : status < 0;
}

#ifndef __bpf__

/* One function of the table. */
struct lane_cl_function {
	const char *name; /* "clFinish" */
	enum lane_cl_kind kind;
	unsigned int command; /* enum lane_cl_command */
	unsigned int n_params;
	unsigned char roles[LANE_CL_PARAMS]; /* enum lane_cl_role by position */
};

/* The table by number; entry 0 has the name "none". */
extern const struct lane_cl_function lane_cl_functions[LANE_CLF_COUNT];

/* The name of a function's number, "none" for 0, NULL when it is no number of the table. */
const char *lane_cl_function_name(unsigned int number);

/* The number of the function with this name, 0 when there is none. For set-up only. */
unsigned int lane_cl_function_by_name(const char *name);

/* The position of the function's parameter with this role, from 0; -1 when it has none. */
int lane_cl_param(unsigned int number, enum lane_cl_role role);

/* The name of a command ("NDRANGE_KERNEL"), NULL when the value is no command's. */
const char *lane_cl_command_name(unsigned int command);

/* The value of the command with this name, 0 when there is none. For set-up only. */
unsigned int lane_cl_command_by_name(const char *name);

#endif
#endif

/* SPDX-License-Identifier: MIT */
/* What the OpenCL tests' programs share: the first device, and ending when something fails. */
#ifndef TESTS_OPENCL_COMMON_H
#define TESTS_OPENCL_COMMON_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cl_int must_status = (call);                                                       \
		if (must_status) {                                                                 \
			fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call,              \
				must_status);                                                      \
			exit(3);                                                                   \
		}                                                                                  \
	} while (0)

static inline cl_context open_device(cl_device_id *device)
{
	cl_platform_id platform;
	cl_context context;
	cl_int status;

	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, device, NULL));
	context = clCreateContext(NULL, 1, device, NULL, NULL, &status);
	MUST(status);
	return context;
}

static inline void sleep_ms(long ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l };

	nanosleep(&wait, NULL);
}

#endif

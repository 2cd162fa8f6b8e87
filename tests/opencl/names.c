/* SPDX-License-Identifier: MIT */
// Kernels whose names begin with the same 100 bytes, as those that compilers make of templates.
// Kernel i is run i + 1 times.
#include "common.h"

#include <string.h>

#define KERNELS 4

int main(void)
{
	static char source[8192], name[KERNELS][256];
	const char *text = source;
	cl_device_id device;
	cl_context context = open_device(&device);
	cl_command_queue queue;
	cl_program program;
	size_t n = 0, one = 1;
	cl_int status;

	for (int i = 0; i < KERNELS; i++) {
		memset(name[i], 'k', i ? 100 : 180);
		if (i)
			name[i][100] = (char)('0' + i);
		n += (size_t)snprintf(source + n, sizeof(source) - n,
				      "kernel void %s(global int *x) { x[0] += %d; }\n", name[i],
				      i);
	}
	program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	MUST(status);
	MUST(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
	queue = clCreateCommandQueue(context, device, 0, &status);
	MUST(status);
	for (int i = 0; i < KERNELS; i++) {
		cl_kernel kernel = clCreateKernel(program, name[i], &status);
		cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, NULL);

		MUST(status);
		MUST(clSetKernelArg(kernel, 0, sizeof(x), &x));
		for (int run = 0; run <= i; run++)
			MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL,
						    NULL));
		MUST(clFinish(queue));
		MUST(clReleaseMemObject(x));
		MUST(clReleaseKernel(kernel));
	}
	MUST(clReleaseCommandQueue(queue));
	MUST(clReleaseProgram(program));
	MUST(clReleaseContext(context));
	return 0;
}

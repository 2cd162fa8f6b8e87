// SPDX-License-Identifier: MIT
// An OpenCL program like any other: runs one of the kernels of votes.cl over numbers that follow
// from their index.
// usage: votes KERNELS.cl KERNEL GROUPS LANES BUILD_OPTIONS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define SOURCE_BYTES 65536

static void fail(const char *what, cl_int code)
{
	fprintf(stderr, "votes: %s: %d\n", what, code);
	exit(1);
}

static cl_kernel build(cl_context context, cl_device_id device, const char *path, const char *name,
		       const char *options)
{
	static char source[SOURCE_BYTES];
	const char *text = source;
	FILE *file = fopen(path, "r");
	cl_program program;
	cl_kernel kernel;
	cl_int rc;

	if (!file || !fread(source, 1, SOURCE_BYTES - 1, file))
		fail(path, 0);
	fclose(file);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &rc);
	if (!rc)
		rc = clBuildProgram(program, 1, &device, options, NULL, NULL);
	if (rc)
		fail("build", rc);
	kernel = clCreateKernel(program, name, &rc);
	if (rc)
		fail(name, rc);
	return kernel;
}

int main(int argc, char **argv)
{
	static cl_uint in[1 << 16];
	static cl_uint out[1024];
	size_t lanes = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;
	size_t all = argc == 6 ? strtoul(argv[3], NULL, 10) * lanes : 0;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_mem buffer[2];
	cl_kernel kernel;
	cl_int rc;

	if (!all || all > sizeof(in) / sizeof(in[0]))
		fail("usage: votes KERNELS.cl KERNEL GROUPS LANES BUILD_OPTIONS", 2);
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		in[i] = (cl_uint)(i / 8 % 32);
	rc = clGetPlatformIDs(1, &platform, NULL);
	if (!rc)
		rc = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	if (rc)
		fail("no device", rc);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
	queue = rc ? NULL : clCreateCommandQueue(context, device, 0, &rc);
	if (rc)
		fail("context", rc);
	kernel = build(context, device, argv[1], argv[2], argv[5]);
	buffer[0] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(in), in, &rc);
	buffer[1] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(out), out, &rc);
	for (cl_uint i = 0; !rc && i < 2; i++)
		rc = clSetKernelArg(kernel, i, sizeof(buffer[i]), &buffer[i]);
	if (!rc)
		rc = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &lanes, 0, NULL, NULL);
	if (!rc)
		rc = clEnqueueReadBuffer(queue, buffer[1], CL_TRUE, 0, sizeof(out), out, 0, NULL,
					 NULL);
	if (rc)
		fail(argv[2], rc);
	printf("%u\n", out[0]);
	return 0;
}

// SPDX-License-Identifier: MIT
// Makes a queue and enqueues by the functions of extensions, whose addresses it asks for, and by
// nothing else.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#define FIND(name) name##_fn name = clGetExtensionFunctionAddressForPlatform(platform, #name)

static void CL_CALLBACK told(cl_event event, cl_int status, void *last)
{
	(void)event;
	(void)status;
	sem_post(last);
}

int main(void)
{
	char from[64] = "copied by an extension", to[64] = "", set[64];
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_event event, last;
	cl_int status;
	sem_t is_told;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);

	FIND(clCreateCommandQueueWithPropertiesKHR);
	FIND(clEnqueueMemcpyINTEL);
	FIND(clEnqueueMemFillINTEL);
	FIND(clEnqueueMemsetINTEL);
	FIND(clEnqueueMigrateMemINTEL);
	FIND(clEnqueueMemAdviseINTEL);
	queue = clCreateCommandQueueWithPropertiesKHR(context, device, NULL, &status);
	status |= clEnqueueMemFillINTEL(queue, set, "ab", 2, sizeof(set), 0, NULL, &event);
	status |= clEnqueueMemcpyINTEL(queue, CL_TRUE, to, from, sizeof(to), 1, &event, NULL);
	status |= clEnqueueMemsetINTEL(queue, set + 8, 'c', 8, 0, NULL, NULL);
	status |= clEnqueueMigrateMemINTEL(queue, to, sizeof(to), 0, 0, NULL, NULL);
	status |= clEnqueueMemAdviseINTEL(queue, to, sizeof(to), 0, 0, NULL, &last);
	/* What the driver tells of later than this, it may not come to before the process ends. */
	sem_init(&is_told, 0, 0);
	status |= clSetEventCallback(last, CL_COMPLETE, told, &is_told);
	status |= clFinish(queue);
	sem_wait(&is_told);
	printf("%d %s %.18s profiling %d\n", status, to, set,
	       clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(cl_ulong),
				       &(cl_ulong){ 0 }, NULL));
	clReleaseEvent(event);
	clReleaseEvent(last);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}

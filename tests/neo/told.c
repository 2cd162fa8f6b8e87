// SPDX-License-Identifier: MIT
// A program that reads its commands' times itself: kernels in a queue that runs in order and in one
// that does not, every second one held back by a user event. usage: told ROUNDS
#include "../opencl/common.h"

#include <stdbool.h>
#include <unistd.h>

enum {
	EVENTS = 3,
	TIMES = 4
};

static cl_kernel kernel;

static cl_event launch(cl_command_queue queue, const cl_event *after)
{
	const size_t items = 64;
	cl_event event;

	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, after ? 1 : 0, after,
				    &event));
	return event;
}

// False: the event's four times are not in order.
static bool has_times(cl_event event)
{
	cl_ulong ns[TIMES];

	for (cl_uint i = 0; i < TIMES; i++)
		MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof(ns[i]),
					     &ns[i], NULL));
	return ns[0] <= ns[1] && ns[1] <= ns[2] && ns[2] <= ns[3];
}

int main(int argc, char **argv)
{
	const char *source = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
	int rounds = argc > 1 ? atoi(argv[1]) : 1, timed = 0;
	cl_command_queue ordered, other;
	cl_program program;
	cl_context context;
	cl_device_id device;
	cl_mem buffer;
	cl_int status;

	context = open_device(&device);
	ordered = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
	other = clCreateCommandQueue(
		context, device, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
		NULL);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "twice", &status);
	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	for (int i = 0; i < rounds; i++) {
		cl_event gate = i % 2 ? clCreateUserEvent(context, &status) : NULL;
		cl_event events[EVENTS];

		events[0] = launch(ordered, gate ? &gate : NULL);
		events[1] = launch(other, &events[0]);
		events[2] = launch(other, NULL);
		MUST(clFlush(ordered));
		MUST(clFlush(other));
		if (gate) {
			usleep(300);
			MUST(clSetUserEventStatus(gate, CL_COMPLETE));
			MUST(clReleaseEvent(gate));
		}
		MUST(clWaitForEvents(EVENTS, events));
		for (int k = 0; k < EVENTS; k++) {
			timed += has_times(events[k]);
			MUST(clReleaseEvent(events[k]));
		}
	}
	MUST(clReleaseCommandQueue(ordered));
	MUST(clReleaseCommandQueue(other));
	MUST(clReleaseKernel(kernel));
	MUST(clReleaseProgram(program));
	MUST(clReleaseMemObject(buffer));
	MUST(clReleaseContext(context));
	printf("%d of %d have times\n", timed, EVENTS * rounds);
	return 0;
}

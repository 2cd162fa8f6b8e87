/* SPDX-License-Identifier: MIT */
// How long each call takes, one by one: calls ROUNDS [slow]. Two queues, in order and out of order,
// without profiling; kernels that are slow are long on purpose, so that a call that waits for the
// device is told from one that does not. One line a call: NAME NS.
#include "common.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define MOST 200000

static struct {
	const char *name;
	uint64_t ns;
} calls[MOST];
static unsigned int n_calls;
static unsigned int called_back;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void took(const char *name, uint64_t from_ns)
{
	uint64_t to_ns = now_ns();

	if (n_calls < MOST) {
		calls[n_calls].name = name;
		calls[n_calls++].ns = to_ns - from_ns;
	}
}

#define TIMED(name, call)                                                                          \
	do {                                                                                       \
		uint64_t from_ns = now_ns();                                                       \
		cl_int timed_status = (call);                                                      \
		took(name, from_ns);                                                               \
		MUST(timed_status);                                                                \
	} while (0)

static void CL_CALLBACK back(cl_event event, cl_int status, void *arg)
{
	(void)event;
	(void)status;
	(void)arg;
	__atomic_add_fetch(&called_back, 1, __ATOMIC_RELAXED);
}

static cl_context context;
static cl_device_id device;
static cl_mem buffer;
static cl_kernel kernel;
static char memory[4096];

/* What a program does between two waits, on one queue. held: its kernel waits for an event of the
 * program's, so that the device cannot have ended it before the other calls return. */
static void round_of(cl_command_queue queue, const char *const names[], cl_event held)
{
	size_t size = 64;
	cl_event done[3];
	cl_int state;

	TIMED(names[0], clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, held ? 1 : 0,
					       held ? &held : NULL, &done[0]));
	TIMED(names[1], clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
	TIMED(names[2], clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(memory), memory, 1,
					    &done[0], &done[1]));
	TIMED(names[3], clEnqueueMarkerWithWaitList(queue, 1, &done[1], &done[2]));
	TIMED(names[4], clSetEventCallback(done[2], CL_COMPLETE, back, NULL));
	TIMED(names[5], clFlush(queue));
	for (int i = 0; i < 4; i++)
		TIMED(names[6], clGetEventInfo(done[0], CL_EVENT_COMMAND_EXECUTION_STATUS,
					       sizeof(state), &state, NULL));
	if (held) {
		usleep(3000); /* the device has it, if anything lets it have it */
		TIMED("clGetEventInfo, held",
		      clGetEventInfo(done[1], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state),
				     &state, NULL));
		MUST(clSetUserEventStatus(held, CL_COMPLETE));
	}
	TIMED(names[7], clWaitForEvents(1, &done[2]));
	TIMED(names[8], clFinish(queue));
	for (int i = 0; i < 3; i++)
		TIMED(names[9], clReleaseEvent(done[i]));
}

/* How many of the commands of an out-of-order queue, behind one that cannot begin, end
 * nevertheless. */
static void overtaking(cl_command_queue queue)
{
	cl_event held = clCreateUserEvent(context, NULL), first, second;
	cl_int state = CL_QUEUED;
	size_t size = 64;

	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 1, &held, &first));
	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &second));
	MUST(clFlush(queue));
	for (int i = 0; i < 2000 && state != CL_COMPLETE; i++) {
		MUST(clGetEventInfo(second, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state),
				    &state, NULL));
		usleep(1000);
	}
	fprintf(stderr, "overtakes: %s\n", state == CL_COMPLETE ? "yes" : "no");
	MUST(clSetUserEventStatus(held, CL_COMPLETE));
	MUST(clFinish(queue));
	MUST(clReleaseEvent(first));
	MUST(clReleaseEvent(second));
	MUST(clReleaseEvent(held));
}

int main(int argc, char **argv)
{
	static const char *const in_order[] = { "clEnqueueNDRangeKernel",
						"clEnqueueNDRangeKernel, no event",
						"clEnqueueReadBuffer",
						"clEnqueueMarkerWithWaitList",
						"clSetEventCallback",
						"clFlush",
						"clGetEventInfo",
						"clWaitForEvents",
						"clFinish",
						"clReleaseEvent" };
	static const char *const out_of_order[] = { "clEnqueueNDRangeKernel, ooo",
						    "clEnqueueNDRangeKernel, ooo, no event",
						    "clEnqueueReadBuffer, ooo",
						    "clEnqueueMarkerWithWaitList, ooo",
						    "clSetEventCallback, ooo",
						    "clFlush, ooo",
						    "clGetEventInfo, ooo",
						    "clWaitForEvents, ooo",
						    "clFinish, ooo",
						    "clReleaseEvent, ooo" };
	const char *source =
		"kernel void work(global int *x, int n) { int a = x[get_global_id(0)]; for (int i "
		"= 0; i < n; i++) a = a * 7 + i; x[get_global_id(0)] = a; }";
	int rounds = argc > 1 ? atoi(argv[1]) : 100, loops = argc > 2 ? 1000000 : 100;
	cl_command_queue queues[2];
	cl_program program;
	cl_int status;

	context = open_device(&device);
	queues[0] = clCreateCommandQueue(context, device, 0, &status);
	MUST(status);
	queues[1] = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
					 &status);
	MUST(status);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
	MUST(status);
	TIMED("clBuildProgram", clBuildProgram(program, 1, &device, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "work", &status);
	MUST(status);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(memory), NULL, &status);
	MUST(status);
	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof(loops), &loops));
	for (int i = 0; i < rounds; i++) {
		cl_event held = i % 4 == 3 ? clCreateUserEvent(context, NULL) : NULL;

		round_of(queues[0], in_order, NULL);
		round_of(queues[1], out_of_order, held);
		if (held)
			MUST(clReleaseEvent(held));
	}
	overtaking(queues[1]);
	fprintf(stderr, "called back: %s\n",
		called_back == 2 * (unsigned int)rounds ? "all" : "not all");
	for (unsigned int i = 0; i < n_calls; i++)
		printf("%lu %s\n", (unsigned long)calls[i].ns, calls[i].name);
	return 0;
}

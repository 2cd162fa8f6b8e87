// SPDX-License-Identifier: MIT
// What events are for: user events that hold commands back, out-of-order queues, markers and
// barriers, call-backs, commands that fail because what they wait for failed. Ends with 1 when
// something is not as it must.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const char source[] =
	"__kernel void advance(__global uint *memory, uint factor, uint add)\n"
	"{\n"
	"    memory[get_global_id(0)] = memory[get_global_id(0)] * factor + add;\n"
	"}\n";

#define N 64

static struct opencl cl;
static cl_kernel kernel;
static cl_mem memory;
static uint32_t numbers[N];

static void expect(bool is, const char *what)
{
	if (is) {
		printf("%s\n", what);
		return;
	}
	fprintf(stderr, "events: not so: %s\n", what);
	exit(1);
}

static cl_event step(cl_command_queue queue, cl_uint factor, cl_uint add, cl_uint n,
		     const cl_event *list)
{
	size_t items = N;
	cl_event event;

	opencl_arg(kernel, 0, sizeof(memory), &memory);
	opencl_arg(kernel, 1, sizeof(factor), &factor);
	opencl_arg(kernel, 2, sizeof(add), &add);
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, n, list, &event),
	     "clEnqueueNDRangeKernel");
	return event;
}

static cl_int status_of(cl_event event)
{
	cl_int status;

	must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			    NULL),
	     "clGetEventInfo");
	return status;
}

static bool all_are(cl_command_queue queue, uint32_t value, cl_uint n, const cl_event *list)
{
	must(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof(numbers), numbers, n, list,
				 NULL),
	     "clEnqueueReadBuffer");
	for (int i = 0; i < N; i++)
		if (numbers[i] != value)
			return false;
	return true;
}

static void set_all(cl_command_queue queue, uint32_t value)
{
	must(clEnqueueFillBuffer(queue, memory, &value, sizeof(value), 0, sizeof(numbers), 0, NULL,
				 NULL),
	     "clEnqueueFillBuffer");
	must(clFinish(queue), "clFinish");
}

/* A user event holds back one queue, and what waits for that queue in another. */
static void held_back(cl_command_queue first, cl_command_queue second)
{
	cl_int status;
	cl_event user = clCreateUserEvent(cl.context, &status), a, b;

	must(status, "clCreateUserEvent");
	set_all(first, 1);
	a = step(first, 10, 1, 1, &user);
	b = step(second, 10, 2, 1, &a);
	must(clFlush(first), "clFlush");
	must(clFlush(second), "clFlush");
	expect(status_of(a) > CL_COMPLETE && status_of(b) > CL_COMPLETE, "a user event holds back");
	must(clSetUserEventStatus(user, CL_COMPLETE), "clSetUserEventStatus");
	must(clWaitForEvents(1, &b), "clWaitForEvents");
	expect(status_of(a) == CL_COMPLETE && all_are(second, 112, 0, NULL),
	       "what it held back goes on, in order, across queues");
	clReleaseEvent(a);
	clReleaseEvent(b);
	clReleaseEvent(user);
}

static void failed(cl_command_queue queue)
{
	cl_int status;
	cl_event user = clCreateUserEvent(cl.context, &status), a;

	must(status, "clCreateUserEvent");
	a = step(queue, 1, 1, 1, &user);
	must(clSetUserEventStatus(user, -7), "clSetUserEventStatus");
	expect(clWaitForEvents(1, &a) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
	       "waiting for what failed says so");
	expect(status_of(a) < 0, "a command that waits for what failed fails");
	clReleaseEvent(a);
	clReleaseEvent(user);
}

static void out_of_order(cl_command_queue queue)
{
	cl_event a, b, c, marker;

	set_all(queue, 2);
	a = step(queue, 10, 1, 0, NULL);
	b = step(queue, 10, 2, 1, &a);
	c = step(queue, 10, 3, 1, &b);
	must(clEnqueueMarkerWithWaitList(queue, 1, &c, &marker), "clEnqueueMarkerWithWaitList");
	expect(all_are(queue, 2123, 1, &marker), "an out-of-order queue keeps to wait lists");
	clReleaseEvent(a);
	clReleaseEvent(b);
	clReleaseEvent(c);
	clReleaseEvent(marker);
	a = step(queue, 0, 5, 0, NULL);
	must(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), "clEnqueueBarrierWithWaitList");
	expect(all_are(queue, 5, 0, NULL), "a barrier holds back what comes after it");
	clReleaseEvent(a);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called, order[3];

static void CL_CALLBACK call_back(cl_event event, cl_int status, void *data)
{
	(void)event;
	pthread_mutex_lock(&lock);
	if (called < 3)
		order[called] = status == CL_COMPLETE ? (int)(intptr_t)data : -1;
	called++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void call_backs(cl_command_queue queue)
{
	cl_event events[3];

	for (intptr_t i = 0; i < 3; i++) {
		events[i] = step(queue, 1, 1, 0, NULL);
		must(clSetEventCallback(events[i], CL_COMPLETE, call_back, (void *)(i + 1)),
		     "clSetEventCallback");
	}
	must(clFlush(queue), "clFlush");
	pthread_mutex_lock(&lock);
	while (called < 3)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	expect(order[0] + order[1] + order[2] == 6 && order[0] > 0 && order[1] > 0 && order[2] > 0,
	       "each call-back is called once, for its command");
	for (int i = 0; i < 3; i++)
		clReleaseEvent(events[i]);
}

static void times(cl_command_queue with, cl_command_queue without)
{
	static const cl_profiling_info what[] = { CL_PROFILING_COMMAND_QUEUED,
						  CL_PROFILING_COMMAND_SUBMIT,
						  CL_PROFILING_COMMAND_START,
						  CL_PROFILING_COMMAND_END };
	cl_event a = step(with, 1, 1, 0, NULL), b = step(without, 1, 1, 0, NULL);
	cl_ulong ns, before = 0;
	bool rising = true;

	must(clWaitForEvents(1, &a), "clWaitForEvents");
	must(clWaitForEvents(1, &b), "clWaitForEvents");
	for (int i = 0; i < 4; i++) {
		must(clGetEventProfilingInfo(a, what[i], sizeof(ns), &ns, NULL),
		     "clGetEventProfilingInfo");
		rising &= ns >= before;
		before = ns;
	}
	expect(rising, "queued, submitted, start and end are in order");
	expect(clGetEventProfilingInfo(b, what[3], sizeof(ns), &ns, NULL) ==
		       CL_PROFILING_INFO_NOT_AVAILABLE,
	       "there are no times in a queue without profiling");
	clReleaseEvent(a);
	clReleaseEvent(b);
}

int main(int argc, char **argv)
{
	cl_command_queue plain, profiled, unordered;
	bool leave = false;
	const struct option_of options[] = {
		{ .name = "leave", .help = "end without finishing", .on = &leave },
	};

	options_read(argc, argv, options, 1);
	opencl_open(&cl, "", source);
	kernel = opencl_kernel(&cl, "advance");
	memory = opencl_buffer(&cl, CL_MEM_READ_WRITE, sizeof(numbers), NULL);
	plain = opencl_queue(&cl, 0);
	profiled = opencl_queue(&cl, CL_QUEUE_PROFILING_ENABLE);
	unordered = opencl_queue(&cl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	set_all(plain, 0);
	if (leave) {
		step(plain, 1, 1, 0, NULL);
		must(clFlush(plain), "clFlush");
		printf("left\n");
		return 0;
	}
	held_back(plain, profiled);
	failed(plain);
	out_of_order(unordered);
	call_backs(plain);
	times(profiled, plain);
	must(clReleaseMemObject(memory), "clReleaseMemObject");
	must(clReleaseKernel(kernel), "clReleaseKernel");
	must(clReleaseCommandQueue(plain), "clReleaseCommandQueue");
	must(clReleaseCommandQueue(profiled), "clReleaseCommandQueue");
	must(clReleaseCommandQueue(unordered), "clReleaseCommandQueue");
	opencl_close(&cl);
	return 0;
}

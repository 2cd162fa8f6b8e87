// SPDX-License-Identifier: MIT
// Several threads with queues of their own and a shared one, in order and out of order; says how
// many calls of which kind it made. usage: stress THREADS ROUNDS [kernel]
#include "../lib/settled.h"
#include "common.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum {
	BYTES = 256,
	MAX_THREADS = 16
};

static cl_context context;
static cl_device_id device;
static cl_command_queue shared;
static int rounds;
static unsigned int told; /* the program's own call-backs that ran */

struct worker {
	pthread_t thread;
	cl_command_queue queue;
	cl_mem buffer;
	char memory[BYTES];
};

static void CL_CALLBACK count(cl_event event, cl_int status, void *counter)
{
	(void)event;
	if (!status)
		__atomic_add_fetch((unsigned int *)counter, 1, __ATOMIC_RELAXED);
}

/* Two commands that nobody holds, one with an event that another waits for, one that blocks. */
static void one_round(struct worker *worker)
{
	cl_event first, second;

	MUST(clEnqueueWriteBuffer(worker->queue, worker->buffer, CL_FALSE, 0, BYTES / 2,
				  worker->memory, 0, NULL, NULL));
	MUST(clEnqueueWriteBuffer(worker->queue, worker->buffer, CL_FALSE, 0, BYTES / 4,
				  worker->memory, 0, NULL, &first));
	MUST(clEnqueueMarkerWithWaitList(shared, 1, &first, &second));
	MUST(clSetEventCallback(second, CL_COMPLETE, count, &told));
	MUST(clReleaseEvent(first));
	MUST(clEnqueueFillBuffer(worker->queue, worker->buffer, "x", 1, 0, BYTES, 1, &second,
				 NULL));
	MUST(clReleaseEvent(second));
	MUST(clEnqueueReadBuffer(worker->queue, worker->buffer, CL_TRUE, 0, BYTES, worker->memory,
				 0, NULL, NULL));
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	for (int i = 0; i < rounds; i++)
		one_round(worker);
	MUST(clFinish(worker->queue));
	MUST(clReleaseCommandQueue(worker->queue));
	return NULL;
}

static void run_kernel(void)
{
	const char *source = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
	const size_t items = 64, group = 16;
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * items, NULL, NULL);
	cl_kernel kernel;
	cl_int status;

	MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	kernel = clCreateKernel(program, "twice", &status);
	MUST(status);
	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	MUST(clEnqueueNDRangeKernel(shared, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
	MUST(clFinish(shared));
	MUST(clReleaseKernel(kernel));
	MUST(clReleaseProgram(program));
	MUST(clReleaseMemObject(buffer));
}

int main(int argc, char **argv)
{
	static struct worker workers[MAX_THREADS];
	int n = argc > 1 ? atoi(argv[1]) : 1;

	rounds = argc > 2 ? atoi(argv[2]) : 1;
	if (n < 1 || n > MAX_THREADS || rounds < 1)
		return 2;
	context = open_device(&device);
	shared =
		clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
	if (argc > 3 && !strcmp(argv[3], "kernel"))
		run_kernel();
	for (int i = 0; i < n; i++) {
		workers[i].queue =
			clCreateCommandQueue(context, device, (cl_bitfield)(i % 4), NULL);
		workers[i].buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	MUST(clFinish(shared));
	for (int i = 0;
	     i < 12000 && __atomic_load_n(&told, __ATOMIC_RELAXED) < (unsigned int)(n * rounds);
	     i++)
		sleep_ms(10);
	/* The layer's call-backs, too, have been called by then. */
	settle();
	for (int i = 0; i < n; i++)
		MUST(clReleaseMemObject(workers[i].buffer));
	MUST(clReleaseCommandQueue(shared));
	MUST(clReleaseContext(context));
	printf("told %u of %d, last byte %d\n", told, n * rounds, workers[0].memory[BYTES - 1]);
	return 0;
}

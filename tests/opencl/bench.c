// SPDX-License-Identifier: MIT
// What calls cost, by the method of the CLUST paper: loops of a synchronous call, of a blocking
// read, and frames of fourteen synchronous calls, a light kernel and a read. Prints the fastest
// sample of each.
//
//   bench sync|async|queued|frame SAMPLES LOOPS [BYTES | WIDTH HEIGHT]
#include "common.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

struct bench {
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;
	cl_mem buffer;
	cl_kernel kernel;
	size_t bytes;
	size_t size[2];
	char *memory;
	long loops;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void synchronous(struct bench *bench)
{
	cl_uint n;

	for (long i = 0; i < bench->loops; i++)
		clGetPlatformIDs(0, NULL, &n);
}

static void asynchronous(struct bench *bench)
{
	for (long i = 0; i < bench->loops; i++)
		clEnqueueReadBuffer(bench->queue, bench->buffer, CL_TRUE, 0, bench->bytes,
				    bench->memory, 0, NULL, NULL);
}

/* Not in the paper: commands that are only waited for in the end, which take a call-back each. */
static void queued(struct bench *bench)
{
	for (long i = 0; i < bench->loops; i++)
		clEnqueueReadBuffer(bench->queue, bench->buffer, CL_FALSE, 0, bench->bytes,
				    bench->memory, 0, NULL, NULL);
	clFinish(bench->queue);
}

static void frames(struct bench *bench)
{
	const cl_uint width = (cl_uint)bench->size[0];
	cl_uint n;

	for (long i = 0; i < bench->loops; i++) {
		for (int k = 0; k < 12; k++)
			clGetPlatformIDs(0, NULL, &n);
		clSetKernelArg(bench->kernel, 0, sizeof(bench->buffer), &bench->buffer);
		clSetKernelArg(bench->kernel, 1, sizeof(width), &width);
		MUST(clEnqueueNDRangeKernel(bench->queue, bench->kernel, 2, NULL, bench->size, NULL,
					    0, NULL, NULL));
		MUST(clEnqueueReadBuffer(bench->queue, bench->buffer, CL_TRUE, 0, bench->bytes,
					 bench->memory, 0, NULL, NULL));
	}
}

/* Work that makes a frame about as long as the paper's. */
#define ONE  "  c = (c ^ c >> 7) * 1664525u + 1013904223u;\n"
#define FOUR ONE ONE ONE ONE

static void open_kernel(struct bench *bench)
{
	const char *source = "kernel void paint(global uint *to, uint width) {\n"
			     "  size_t x = get_global_id(0), y = get_global_id(1);\n"
			     "  uint c = (uint)(x * 7 + y * 13) ^ width;\n" FOUR FOUR FOUR
			     "  to[y * width + x] = c;\n"
			     "}\n";
	cl_program program = clCreateProgramWithSource(bench->context, 1, &source, NULL, NULL);
	cl_int status;

	MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	bench->kernel = clCreateKernel(program, "paint", &status);
	MUST(status);
}

static void *idle(void *nothing)
{
	pause();
	return nothing;
}

/* The fastest of the samples: what others do on the machine only adds. */
static double best_ns(void (*run)(struct bench *), struct bench *bench, int samples)
{
	double best = 0;

	run(bench);
	for (int i = 0; i < samples; i++) {
		uint64_t begin = now_ns();
		double ns;

		run(bench);
		ns = (double)(now_ns() - begin) / (double)bench->loops;
		if (!i || ns < best)
			best = ns;
	}
	return best;
}

int main(int argc, char **argv)
{
	struct bench bench = { .bytes = 4 };
	void (*run)(struct bench *) = synchronous;
	pthread_t thread;
	cl_int status;

	if (argc < 4)
		return 2;
	/*
	 * Drivers have threads, LTTng-UST has two: with one of our own the C library's locks cost
	 * the same in all configurations.
	 */
	if (pthread_create(&thread, NULL, idle, NULL))
		return 3;
	bench.loops = atol(argv[3]);
	bench.context = open_device(&bench.device);
	bench.queue = clCreateCommandQueue(bench.context, bench.device, 0, &status);
	MUST(status);
	if ((!strcmp(argv[1], "async") || !strcmp(argv[1], "queued")) && argc > 4) {
		run = *argv[1] == 'q' ? queued : asynchronous;
		bench.bytes = (size_t)atol(argv[4]);
	} else if (!strcmp(argv[1], "frame") && argc > 5) {
		run = frames;
		bench.size[0] = (size_t)atol(argv[4]);
		bench.size[1] = (size_t)atol(argv[5]);
		bench.bytes = 4 * bench.size[0] * bench.size[1];
		open_kernel(&bench);
	}
	bench.memory = malloc(bench.bytes);
	bench.buffer = clCreateBuffer(bench.context, CL_MEM_READ_WRITE, bench.bytes, NULL, &status);
	MUST(status);
	printf("%.2f\n", best_ns(run, &bench, atoi(argv[2])));
	return 0;
}

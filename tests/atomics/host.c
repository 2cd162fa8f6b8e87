// SPDX-License-Identifier: MIT
// Runs a kernel of kernels.cl: host FILE KERNEL ITEMS GROUP [BUILD-OPTION...]. Prints the results
// in a form that does not depend on the order of work-items.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGS 6

struct arg {
	size_t bytes;
	void *data; /* NULL: a scalar */
	cl_uint scalar;
	enum {
		IN,
		WORDS,
		SET
	} is; /* SET: printed without the order of its words, and without zeros */
	cl_mem buffer;
};

static void must(cl_int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "%s: %d\n", what, code);
	exit(1);
}

static uint32_t state = 12345;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static struct arg words(size_t n, uint32_t first, uint32_t below, uint32_t step)
{
	struct arg arg = { .bytes = 4 * n,
			   .data = malloc(4 * n),
			   .is = step || below ? IN : WORDS };

	for (size_t i = 0; i < n; i++)
		((uint32_t *)arg.data)[i] =
			first + step * (uint32_t)i + (below ? draw() % below : 0);
	return arg;
}

static struct arg zeros(size_t n, int is)
{
	struct arg arg = { .bytes = 4 * n, .data = calloc(n, 4), .is = is };

	return arg;
}

static struct arg number(uint32_t n)
{
	struct arg arg = { .bytes = 4, .scalar = n };

	return arg;
}

/* Tokens are few or many, each with 64 words; gradients are whole numbers, so that floats add up in
 * any order. */
static int embed(struct arg *a, size_t n, int is_float)
{
	a[0] = words(n / 64, 0, 16, 0);
	a[0].is = IN;
	a[1] = words(n, 0, 100, 0);
	for (size_t i = 0; is_float && i < n; i++) {
		float value = (float)((uint32_t *)a[1].data)[i];

		memcpy((char *)a[1].data + 4 * i, &value, 4);
	}
	a[2] = zeros(1024, WORDS);
	a[3] = number(64);
	return 4;
}

static int components(struct arg *a, size_t n)
{
	a[0] = words(2 * n, 0, (uint32_t)n, 0);
	a[1] = words(n, 0, 0, 1);
	a[1].is = WORDS;
	a[2] = number((uint32_t)n);
	return 3;
}

static int arguments(const char *kernel, size_t n, struct arg *a)
{
	cl_uint count = (cl_uint)n;

	if (!strcmp(kernel, "histogram") || !strcmp(kernel, "local_histogram")) {
		a[0] = words(n / 4, 0, 0x20202020, 0);
		a[1] = zeros(16, WORDS);
	} else if (!strncmp(kernel, "rgb", 3)) {
		a[0] = words(n, 0x40404040, 0x07070707, 0);
		a[1] = zeros(768, WORDS);
	} else if (!strcmp(kernel, "insert")) {
		a[0] = words(n, 1, 1u << 30, 0);
		a[1] = zeros(4 * n, SET);
		a[2] = number((cl_uint)(4 * n - 1));
		a[3] = number(count);
		return 4;
	} else if (!strncmp(kernel, "embed", 5)) {
		return embed(a, n, !strcmp(kernel, "embed_float"));
	} else if (!strcmp(kernel, "union_find")) {
		return components(a, n);
	} else if (!strcmp(kernel, "top_k")) {
		a[0] = words(n, 1, 1u << 20, 0);
		a[1] = zeros(n, SET);
		a[2] = zeros(1, WORDS);
		a[3] = zeros(1, WORDS);
		a[4] = number(1000000);
		a[5] = number(count);
		return 6;
	} else if (!strcmp(kernel, "queue")) {
		a[0] = zeros(1, IN);
		a[1] = zeros(n, WORDS);
	} else if (!strcmp(kernel, "last_group")) {
		a[0] = words(n, 0, 100, 0);
		a[1] = zeros(1, WORDS);
		a[2] = zeros(1, WORDS);
		a[3] = zeros(1, WORDS);
		a[4] = number(count);
		return 5;
	} else {
		a[0] = words(n, 0, 1u << 30, 0);
		a[1] = zeros(n, SET);
		a[2] = zeros(1, WORDS);
		a[3] = number(count);
		return 4;
	}
	a[2] = number(count);
	return 3;
}

static void print(const char *kernel, const struct arg *arg)
{
	uint32_t *word = arg->data;
	size_t n = arg->bytes / 4, there = 0;
	uint64_t sum = 0, mixed = 0;

	if (!strcmp(kernel, "union_find")) /* the root of each */
		for (size_t i = 0; i < n; i++)
			while (word[i] != word[word[i]])
				word[i] = word[word[i]];
	for (size_t i = 0; i < n; i++) {
		uint64_t x = word[i];

		if (arg->is == SET && !x)
			continue;
		there++;
		if (arg->is == WORDS)
			x += (uint64_t)i << 32;
		x *= UINT64_C(0x9e3779b97f4a7c15);
		sum += x ^ x >> 29;
		mixed ^= x;
	}
	printf("%zu words, %016llx %016llx\n", there, (unsigned long long)sum,
	       (unsigned long long)mixed);
}

static char *read_all(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *file = fopen(path, "r");

	if (!file || !fread(text, 1, (1 << 16) - 1, file)) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	struct arg arg[MOST_ARGS] = { { 0 } };
	size_t items, group, global;
	char build[256] = "", log[4096];
	const char *source;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_int code;
	int n;

	if (argc < 5)
		return 2;
	items = strtoul(argv[3], NULL, 10);
	group = strtoul(argv[4], NULL, 10);
	global = strcmp(argv[2], "local_histogram") ? (items + group - 1) / group * group
						    : 8 * group;
	for (int i = 5; i < argc; i++)
		snprintf(build + strlen(build), sizeof(build) - strlen(build), "%s ", argv[i]);
	source = read_all(argv[1]);
	must(clGetPlatformIDs(1, &platform, NULL), "platform");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "context");
	queue = clCreateCommandQueue(context, device, 0, &code);
	must(code, "queue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	must(code, "program");
	code = clBuildProgram(program, 1, &device, build, NULL, NULL);
	if (code &&
	    !clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL))
		fputs(log, stderr);
	must(code, "build");
	kernel = clCreateKernel(program, argv[2], &code);
	must(code, argv[2]);
	n = arguments(argv[2], items, arg);
	for (int i = 0; i < n; i++) {
		struct arg *a = &arg[i];

		if (a->data) {
			a->buffer =
				clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
					       a->bytes, a->data, &code);
			must(code, "buffer");
			must(clSetKernelArg(kernel, (cl_uint)i, sizeof(a->buffer), &a->buffer),
			     "argument");
		} else {
			must(clSetKernelArg(kernel, (cl_uint)i, sizeof(a->scalar), &a->scalar),
			     "argument");
		}
	}
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL),
	     "kernel");
	for (int i = 0; i < n; i++) {
		if (!arg[i].data || arg[i].is == IN)
			continue;
		must(clEnqueueReadBuffer(queue, arg[i].buffer, CL_TRUE, 0, arg[i].bytes,
					 arg[i].data, 0, NULL, NULL),
		     "read");
		print(argv[2], &arg[i]);
	}
	return 0;
}

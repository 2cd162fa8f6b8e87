// SPDX-License-Identifier: MIT
// What the OpenCL programs here share: options, images, a device to run on, ends on errors.
#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program_name = "workload";

__attribute__((noreturn, format(printf, 2, 3))) static void fail(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s: ", program_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(code);
}

void *need(size_t n, size_t size)
{
	void *bytes = calloc(n ? n : 1, size);

	if (!bytes)
		fail(1, "no memory");
	return bytes;
}

static void help(const struct option_of *options, size_t n)
{
	printf("usage: %s [OPTION...]\n", program_name);
	for (size_t i = 0; i < n; i++)
		printf("  --%-14s %s\n", options[i].name, options[i].help);
	exit(0);
}

static void set_option(const struct option_of *option, const char *text)
{
	char *end;

	if (option->text) {
		*option->text = text;
		return;
	}
	errno = 0;
	*option->value = strtol(text, &end, 10);
	if (errno || end == text || *end || *option->value < option->least ||
	    *option->value > option->most)
		fail(2, "--%s %s: not a number from %ld to %ld", option->name, text, option->least,
		     option->most);
}

void options_read(int argc, char **argv, const struct option_of *options, size_t n)
{
	const char *slash = strrchr(argv[0], '/');

	program_name = slash ? slash + 1 : argv[0];
	for (int a = 1; a < argc; a++) {
		const char *name = argv[a] + 2;
		size_t i = 0;

		if (!strcmp(argv[a], "--help"))
			help(options, n);
		while (i < n && (strncmp(argv[a], "--", 2) || strcmp(options[i].name, name)))
			i++;
		if (i == n)
			fail(2, "%s: no such option (see --help)", argv[a]);
		if (options[i].on)
			*options[i].on = true;
		else if (a + 1 == argc)
			fail(2, "--%s: a value is missing", name);
		else
			set_option(&options[i], argv[++a]);
	}
}

static void make_image(struct image *image, unsigned int levels, unsigned int percent)
{
	uint32_t noise = 2463534242u, noisy = levels * percent / 100;

	for (unsigned int y = 0; y < image->height; y++) {
		for (unsigned int x = 0; x < image->width; x++) {
			uint32_t slope = (x * 5 + y * 3 + (x * y >> 5)) % (2 * levels);

			noise ^= noise << 13;
			noise ^= noise >> 17;
			noise ^= noise << 5;
			if (slope >= levels)
				slope = 2 * levels - 1 - slope;
			slope = slope * (100 - percent) / 100 + noise % (noisy + 1);
			image->pixels[y * image->width + x] =
				(uint16_t)(slope < levels ? slope : levels - 1);
		}
	}
}

/* The next number of a PGM's header; comments are passed over. */
static unsigned int header_number(FILE *file, const char *path)
{
	unsigned int number;
	int c;

	while ((c = fgetc(file)) == '#' || c == ' ' || c == '\n' || c == '\t' || c == '\r')
		while (c == '#' && (c = fgetc(file)) != '\n' && c != EOF)
			c = '#';
	ungetc(c, file);
	if (fscanf(file, "%u", &number) != 1 || !number || number > 65535)
		fail(1, "%s: not a PGM in binary (P5)", path);
	return number;
}

static void read_image(struct image *image, const char *path, unsigned int levels)
{
	FILE *file = fopen(path, "re");
	unsigned int most;

	if (!file)
		fail(1, "%s: %s", path, strerror(errno));
	if (fgetc(file) != 'P' || fgetc(file) != '5')
		fail(1, "%s: not a PGM in binary (P5)", path);
	image->width = header_number(file, path);
	image->height = header_number(file, path);
	most = header_number(file, path);
	if ((uint64_t)image->width * image->height > 1u << 26)
		fail(1, "%s: larger than 64 million pixels", path);
	fgetc(file);
	image->pixels = need((size_t)image->width * image->height, sizeof(*image->pixels));
	for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
		int high = most > 255 ? fgetc(file) : 0, low = fgetc(file);
		unsigned int pixel;

		if (high == EOF || low == EOF)
			fail(1, "%s: ends too early", path);
		pixel = ((unsigned int)high << 8) + (unsigned int)low;
		image->pixels[i] =
			(uint16_t)((pixel > most ? most : pixel) * (uint64_t)levels / (most + 1u));
	}
	fclose(file);
}

void image_get(struct image *image, const char *path, long width, long height, long noise,
	       unsigned int levels)
{
	if (path) {
		read_image(image, path, levels);
		return;
	}
	image->width = (unsigned int)width;
	image->height = (unsigned int)height;
	image->pixels = need((size_t)width * (size_t)height, sizeof(*image->pixels));
	make_image(image, levels, (unsigned int)noise);
}

void must(cl_int status, const char *call)
{
	if (status != CL_SUCCESS)
		fail(1, "%s: OpenCL error %d", call, status);
}

static void show_build_log(struct opencl *cl)
{
	char log[4096] = "";

	clGetProgramBuildInfo(cl->program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
			      NULL);
	fprintf(stderr, "%s\n", log);
}

void ways_text(struct ways *ways)
{
	const char *hash = ways->hash ? ways->hash : "none";
	const char *place = ways->rows		   ? "(w) + (w) / 32"
			    : !strcmp(hash, "xor") ? "((w) & ~31u) | (((w) ^ (w) >> 5) & 31u)"
			    : !strcmp(hash, "add") ? "((w) & ~31u) | (((w) + ((w) >> 5)) & 31u)"
						   : "(w)";

	if (ways->hash && strcmp(hash, "xor") && strcmp(hash, "add"))
		fail(2, "--hash %s: not xor or add", hash);
	snprintf(ways->text, sizeof(ways->text), "#define PLACE(w) (%s)\n%s", place,
		 !ways->aggregate ? "#define VOTE(p) atomic_inc(p)\n"
				  : "void vote(__local uint *p)\n"
				    "{\n"
				    "    uint active, same, less;\n"
				    "    asm volatile(\"activemask.b32 %0;\" : \"=r\"(active));\n"
				    "    asm volatile(\"match.any.sync.b32 %0, %1, %2;\"\n"
				    "                 : \"=r\"(same) : \"r\"((uint)(size_t)p), "
				    "\"r\"(active));\n"
				    "    asm volatile(\"mov.u32 %0, %%lanemask_lt;\" : "
				    "\"=r\"(less));\n"
				    "    if (!(same & less))\n"
				    "        atomic_add(p, popcount(same));\n"
				    "}\n"
				    "#define VOTE(p) vote(p)\n");
}

unsigned int ways_words(const struct ways *ways, unsigned int words)
{
	return ways->rows ? words + words / 32 : ways->hash ? (words + 31) / 32 * 32 : words;
}

void opencl_open(struct opencl *cl, const char *front, const char *source)
{
	const char *text[] = { front, source };
	cl_int status;

	must(clGetPlatformIDs(1, &cl->platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(cl->platform, CL_DEVICE_TYPE_ALL, 1, &cl->device, NULL),
	     "clGetDeviceIDs");
	cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &status);
	must(status, "clCreateContext");
	cl->program = clCreateProgramWithSource(cl->context, 2, text, NULL, &status);
	must(status, "clCreateProgramWithSource");
	status = clBuildProgram(cl->program, 1, &cl->device, "", NULL, NULL);
	if (status)
		show_build_log(cl);
	must(status, "clBuildProgram");
}

void opencl_close(struct opencl *cl)
{
	must(clReleaseProgram(cl->program), "clReleaseProgram");
	must(clReleaseContext(cl->context), "clReleaseContext");
}

cl_kernel opencl_kernel(struct opencl *cl, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(cl->program, name, &status);

	must(status, "clCreateKernel");
	return kernel;
}

cl_mem opencl_buffer(struct opencl *cl, cl_mem_flags flags, size_t bytes, void *host)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(cl->context, flags, bytes, host, &status);

	must(status, "clCreateBuffer");
	return buffer;
}

cl_command_queue opencl_queue(struct opencl *cl, cl_command_queue_properties properties)
{
	cl_int status;
	cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device, properties, &status);

	must(status, "clCreateCommandQueue");
	return queue;
}

void opencl_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	must(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

uint64_t opencl_duration(cl_event event)
{
	cl_ulong start, end;

	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				     NULL),
	     "clGetEventProfilingInfo");
	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL),
	     "clGetEventProfilingInfo");
	return end - start;
}

void must_equal(const char *what, const uint32_t *device, const uint32_t *cpu, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (device[i] != cpu[i])
			fail(1, "%s: wrong: [%zu] is %u on the device and %u on the CPU", what, i,
			     device[i], cpu[i]);
}

uint32_t checksum(const uint32_t *numbers, size_t n)
{
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ numbers[i]) * 16777619u;
	return sum;
}

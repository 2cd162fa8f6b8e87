// SPDX-License-Identifier: MIT
// The histogram of an image with atomics in local or in global memory, and the ways to lessen
// conflicts: copies of the histogram (--replication), a word between copies (--padding), copies
// side by side (--stretch).
//
// With --queues N, N threads with a queue each share the frames; --split halves a frame so that its
// first part runs while the second is still on its way.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const char source[] =
	"__kernel void histogram_local(__global const ushort *pixels, __global uint *bins, __local "
	"uint *own,\n"
	"                              uint n, uint n_bins, uint copies, uint words, uint step)\n"
	"{\n"
	"    uint id = get_local_id(0);\n"
	"    uint size = get_local_size(0);\n"
	"    uint base = step == 1 ? (id % copies) * (words / copies) : id % copies;\n"
	"    for (uint i = id; i < words; i += size)\n"
	"        own[PLACE(i)] = 0;\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"        EACH VOTE(&own[PLACE(base + BIN(pixels[i]) * step)]);\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (uint bin = id; bin < n_bins; bin += size) {\n"
	"        uint sum = 0;\n"
	"        for (uint copy = 0; copy < copies; copy++)\n"
	"            sum += own[PLACE((step == 1 ? copy * (words / copies) : copy) + bin * "
	"step)];\n"
	"        atomic_add(&bins[bin], sum);\n"
	"    }\n"
	"}\n"
	"__kernel void histogram_global(__global const ushort *pixels, __global uint *bins, uint "
	"n)\n"
	"{\n"
	"    for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"        EACH atomic_inc(&bins[BIN(pixels[i])]);\n"
	"}\n";

static long bins = 256, width = 256, height = 128, frames = 4, queues = 1, replication = 1;
static long group = 64, groups = 4, pause_us, noise = 25, votes = 1;
static bool use_global, padding, stretch, split, out_of_order, asynchronous, times;
static const char *image_path;
static struct ways ways;

static const struct option_of options[] = {
	OPTION_NUMBER("bins", "bins (256)", bins, 2, 4096),
	OPTION_NUMBER("width", "of the image made (256)", width, 1, 8192),
	OPTION_NUMBER("height", "likewise (128)", height, 1, 8192),
	OPTION_NUMBER("noise", "percent of the image that is noise (25)", noise, 0, 100),
	OPTION_TEXT("image", "a PGM instead", image_path),
	OPTION_NUMBER("votes", "of a pixel, for its bin and those behind it (1)", votes, 1, 64),
	OPTION_NUMBER("frames", "how often (4)", frames, 1, 1000000),
	OPTION_NUMBER("queues", "threads with a queue each (1)", queues, 1, 64),
	OPTION_NUMBER("replication", "copies (1)", replication, 1, 64),
	OPTION_NUMBER("group", "work items a group (64)", group, 1, 1024),
	OPTION_NUMBER("groups", "groups (4)", groups, 1, 4096),
	OPTION_NUMBER("pause", "microseconds between frames (0)", pause_us, 0, 10000000),
	OPTION_SWITCH("global", "atomics in global memory, not local", use_global),
	OPTION_SWITCH("padding", "a word between copies", padding),
	OPTION_SWITCH("stretch", "copies of a bin side by side", stretch),
	OPTIONS_WAYS(ways),
	OPTION_SWITCH("split", "each frame in two halves", split),
	OPTION_SWITCH("out-of-order", "an out-of-order queue, ordered by events", out_of_order),
	OPTION_SWITCH("times", "print the shortest kernel's time", times),
	OPTION_SWITCH("asynchronous", "nothing blocks but the end of a frame", asynchronous),
};

static struct opencl cl;
static struct image image;
static uint32_t *expected;

/* One thread's buffers and queue. */
struct worker {
	pthread_t thread;
	long frames;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem pixels;
	cl_mem bins;
	uint32_t *result;
	uint64_t shortest_ns;
};

static void set_arguments(struct worker *w)
{
	cl_uint n_bins = (cl_uint)bins, copies = (cl_uint)replication;
	cl_uint words = stretch ? n_bins * copies : copies * (n_bins + padding);
	cl_uint step = stretch ? copies : 1;

	opencl_arg(w->kernel, 0, sizeof(w->pixels), &w->pixels);
	opencl_arg(w->kernel, 1, sizeof(w->bins), &w->bins);
	if (use_global)
		return;
	opencl_arg(w->kernel, 2, ways_words(&ways, words) * sizeof(cl_uint), NULL);
	opencl_arg(w->kernel, 4, sizeof(n_bins), &n_bins);
	opencl_arg(w->kernel, 5, sizeof(copies), &copies);
	opencl_arg(w->kernel, 6, sizeof(words), &words);
	opencl_arg(w->kernel, 7, sizeof(step), &step);
}

static void worker_open(struct worker *w)
{
	size_t bytes = (size_t)image.width * image.height * sizeof(uint16_t);

	cl_command_queue_properties order =
		out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;

	w->queue = opencl_queue(&cl, order | (times ? CL_QUEUE_PROFILING_ENABLE : 0));
	w->kernel = opencl_kernel(&cl, use_global ? "histogram_global" : "histogram_local");
	w->pixels = opencl_buffer(&cl, CL_MEM_READ_ONLY, bytes, NULL);
	w->bins = opencl_buffer(&cl, CL_MEM_READ_WRITE, (size_t)bins * sizeof(uint32_t), NULL);
	w->result = need((size_t)bins, sizeof(uint32_t));
	set_arguments(w);
}

static void worker_close(struct worker *w)
{
	must(clReleaseMemObject(w->bins), "clReleaseMemObject");
	must(clReleaseMemObject(w->pixels), "clReleaseMemObject");
	must(clReleaseKernel(w->kernel), "clReleaseKernel");
	must(clReleaseCommandQueue(w->queue), "clReleaseCommandQueue");
	free(w->result);
}

/* One launch over pixels [0, n) of what the buffer holds. */
static void launch(struct worker *w, cl_uint n, cl_uint waits, const cl_event *wait, cl_event *done)
{
	size_t local = (size_t)group, global = local * (size_t)groups;

	opencl_arg(w->kernel, use_global ? 2 : 3, sizeof(n), &n);
	must(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &global, &local, waits, wait,
				    done),
	     "clEnqueueNDRangeKernel");
}

static void frame(struct worker *w)
{
	const cl_uint zero = 0;
	size_t n = (size_t)image.width * image.height, parts = split && n > 1 ? 2 : 1;
	cl_bool block = asynchronous ? CL_FALSE : CL_TRUE;
	cl_event last, copied, counted;

	must(clEnqueueFillBuffer(w->queue, w->bins, &zero, sizeof(zero), 0,
				 (size_t)bins * sizeof(zero), 0, NULL, &last),
	     "clEnqueueFillBuffer");
	for (size_t part = 0; part < parts; part++) {
		size_t first = n * part / parts, end = n * (part + 1) / parts;

		must(clEnqueueWriteBuffer(w->queue, w->pixels, block, 0,
					  (end - first) * sizeof(uint16_t), image.pixels + first, 1,
					  &last, &copied),
		     "clEnqueueWriteBuffer");
		must(clReleaseEvent(last), "clReleaseEvent");
		launch(w, (cl_uint)(end - first), 1, &copied, &counted);
		must(clReleaseEvent(copied), "clReleaseEvent");
		last = counted;
	}
	must(clEnqueueReadBuffer(w->queue, w->bins, block, 0, (size_t)bins * sizeof(uint32_t),
				 w->result, 1, &last, NULL),
	     "clEnqueueReadBuffer");
	if (asynchronous)
		must(clFinish(w->queue), "clFinish");
	if (times && (!w->shortest_ns || opencl_duration(last) < w->shortest_ns))
		w->shortest_ns = opencl_duration(last);
	must(clReleaseEvent(last), "clReleaseEvent");
	must_equal("histogram", w->result, expected, (size_t)bins);
}

static void *work(void *data)
{
	struct worker *w = data;

	for (long i = 0; i < w->frames; i++) {
		frame(w);
		if (pause_us)
			nanosleep(&(struct timespec){ .tv_sec = pause_us / 1000000,
						      .tv_nsec = pause_us % 1000000 * 1000 },
				  NULL);
	}
	return NULL;
}

static void expect(void)
{
	expected = need((size_t)bins, sizeof(*expected));
	for (size_t i = 0; i < (size_t)image.width * image.height; i++)
		for (long v = 0; v < votes; v++)
			expected[(image.pixels[i] + v) % bins]++;
}

int main(int argc, char **argv)
{
	struct worker *workers;
	char each[64], bin[64], front[2048];

	options_read(argc, argv, options, sizeof(options) / sizeof(options[0]));
	snprintf(each, sizeof(each), " for (uint v = 0; v < %ld; v++)", votes);
	snprintf(bin, sizeof(bin), "(((p) + v) %% %ld)", bins);
	image_get(&image, image_path, width, height, noise, (unsigned int)bins);
	expect();
	ways_text(&ways);
	snprintf(front, sizeof(front), "%s#define EACH%s\n#define BIN(p) %s\n", ways.text,
		 votes > 1 ? each : "", votes > 1 ? bin : "(p)");
	opencl_open(&cl, front, source);
	workers = need((size_t)queues, sizeof(*workers));
	for (long i = 0; i < queues; i++) {
		workers[i].frames = frames / queues + (i < frames % queues);
		worker_open(&workers[i]);
	}
	for (long i = 1; i < queues; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			must(CL_OUT_OF_HOST_MEMORY, "pthread_create");
	work(&workers[0]);
	for (long i = 1; i < queues; i++)
		pthread_join(workers[i].thread, NULL);
	for (long i = 0; i < queues; i++)
		worker_close(&workers[i]);
	printf("histogram: %ld frames of %ux%u, %ld bins, checksum %08x\n", frames, image.width,
	       image.height, bins, checksum(expected, (size_t)bins));
	if (times)
		printf("histogram: %" PRIu64 " ns the shortest kernel\n", workers[0].shortest_ns);
	opencl_close(&cl);
	free(workers);
	free(expected);
	free(image.pixels);
	return 0;
}

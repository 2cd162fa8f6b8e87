// SPDX-License-Identifier: MIT
// The Hough transform: lines in an image, by votes in polar form (rho = x cos theta + y sin theta).
// A work group counts the votes of one angle in local memory, with copies, padding or stretching as
// the histogram.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

/* Sine and cosine come in 1/65536 from the host, so that device and CPU count exactly the same. */
static const char source[] =
	"__kernel void edges(__global const ushort *pixels, __global uchar *edge, uint width, uint "
	"height,\n"
	"                    int least)\n"
	"{\n"
	"    uint x = get_global_id(0), y = get_global_id(1);\n"
	"    int here = pixels[y * width + x];\n"
	"    int right = x + 1 < width ? pixels[y * width + x + 1] : here;\n"
	"    int below = y + 1 < height ? pixels[(y + 1) * width + x] : here;\n"
	"    edge[y * width + x] = abs(here - right) + abs(here - below) >= least;\n"
	"}\n"
	"__kernel void votes(__global const uchar *edge, __global uint *lines, __global const int "
	"*trig,\n"
	"                    __local uint *own, uint width, uint height, int diagonal, uint "
	"copies, uint words,\n"
	"                    uint step)\n"
	"{\n"
	"    uint id = get_local_id(0), size = get_local_size(0), angle = get_group_id(0);\n"
	"    uint rhos = 2 * diagonal + 1;\n"
	"    int c = trig[2 * angle], s = trig[2 * angle + 1];\n"
	"    uint base = step == 1 ? (id % copies) * (words / copies) : id % copies;\n"
	"    for (uint i = id; i < words; i += size)\n"
	"        own[PLACE(i)] = 0;\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (uint i = id; i < width * height; i += size) {\n"
	"        if (edge[i]) {\n"
	"            int rho = ((int)(i % width) * c + (int)(i / width) * s + 32768) >> 16;\n"
	"            VOTE(&own[PLACE(base + (uint)(rho + diagonal) * step)]);\n"
	"        }\n"
	"    }\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (uint rho = id; rho < rhos; rho += size) {\n"
	"        uint sum = 0;\n"
	"        for (uint copy = 0; copy < copies; copy++)\n"
	"            sum += own[PLACE((step == 1 ? copy * (words / copies) : copy) + rho * "
	"step)];\n"
	"        lines[angle * rhos + rho] = sum;\n"
	"    }\n"
	"}\n";

static long width = 64, height = 48, angles = 45, frames = 2, replication = 1, group = 32;
static long threshold = 40, noise = 25;
static bool padding, stretch, times;
static struct ways ways;
static const char *image_path;

static const struct option_of options[] = {
	OPTION_NUMBER("width", "of the image made (64)", width, 2, 4096),
	OPTION_NUMBER("height", "likewise (48)", height, 2, 4096),
	OPTION_NUMBER("noise", "percent of the image that is noise (25)", noise, 0, 100),
	OPTION_TEXT("image", "a PGM instead", image_path),
	OPTION_NUMBER("angles", "angles in half a circle (45)", angles, 1, 3600),
	OPTION_NUMBER("threshold", "of an edge (40)", threshold, 1, 255),
	OPTION_NUMBER("frames", "how often (2)", frames, 1, 1000000),
	OPTION_NUMBER("replication", "copies (1)", replication, 1, 64),
	OPTION_NUMBER("group", "work items a group (32)", group, 1, 1024),
	OPTION_SWITCH("padding", "a word between copies", padding),
	OPTION_SWITCH("stretch", "copies of a bin side by side", stretch),
	OPTIONS_WAYS(ways),
	OPTION_SWITCH("times", "print the shortest time of the votes", times),
};

static struct image image;
static int32_t *trig, diagonal;
static uint32_t *expected;
static size_t n_lines;

static int level(unsigned int x, unsigned int y)
{
	return image.pixels[y * image.width + x];
}

static bool is_edge(unsigned int x, unsigned int y)
{
	int here = level(x, y);
	int right = x + 1 < image.width ? level(x + 1, y) : here;
	int below = y + 1 < image.height ? level(x, y + 1) : here;

	return abs(here - right) + abs(here - below) >= threshold;
}

static void expect(void)
{
	size_t rhos;

	diagonal = (int32_t)ceil(hypot(image.width, image.height)) + 1;
	rhos = 2 * (size_t)diagonal + 1;
	n_lines = rhos * (size_t)angles;
	expected = need(n_lines, sizeof(*expected));
	trig = need(2 * (size_t)angles, sizeof(*trig));
	for (long a = 0; a < angles; a++) {
		double theta = M_PI * (double)a / (double)angles;

		trig[2 * a] = (int32_t)lround(cos(theta) * 65536);
		trig[2 * a + 1] = (int32_t)lround(sin(theta) * 65536);
	}
	for (unsigned int y = 0; y < image.height; y++) {
		for (unsigned int x = 0; x < image.width; x++) {
			if (!is_edge(x, y))
				continue;
			for (long a = 0; a < angles; a++) {
				int32_t rho = ((int32_t)x * trig[2 * a] +
					       (int32_t)y * trig[2 * a + 1] + 32768) >>
					      16;

				expected[(size_t)a * rhos + (size_t)(rho + diagonal)]++;
			}
		}
	}
}

struct job {
	cl_command_queue queue;
	cl_kernel edges;
	cl_kernel votes;
	cl_mem pixels;
	cl_mem edge;
	cl_mem trig;
	cl_mem lines;
	uint64_t shortest_ns; /* of the votes; 0: none yet */
};

static void job_open(struct job *job, struct opencl *cl)
{
	size_t n = (size_t)image.width * image.height;

	job->queue = opencl_queue(cl, times ? CL_QUEUE_PROFILING_ENABLE : 0);
	job->edges = opencl_kernel(cl, "edges");
	job->votes = opencl_kernel(cl, "votes");
	job->pixels = opencl_buffer(cl, CL_MEM_READ_ONLY, n * sizeof(uint16_t), NULL);
	job->edge = opencl_buffer(cl, CL_MEM_READ_WRITE, n, NULL);
	job->trig = opencl_buffer(cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
				  2 * (size_t)angles * sizeof(*trig), trig);
	job->lines = opencl_buffer(cl, CL_MEM_WRITE_ONLY, n_lines * sizeof(uint32_t), NULL);
}

static void job_arguments(struct job *job)
{
	cl_uint w = image.width, h = image.height, copies = (cl_uint)replication;
	cl_uint rhos = 2 * (cl_uint)diagonal + 1;
	cl_uint words = stretch ? rhos * copies : copies * (rhos + padding);
	cl_uint step = stretch ? copies : 1;
	cl_int least = (cl_int)threshold, far = diagonal;

	opencl_arg(job->edges, 0, sizeof(job->pixels), &job->pixels);
	opencl_arg(job->edges, 1, sizeof(job->edge), &job->edge);
	opencl_arg(job->edges, 2, sizeof(w), &w);
	opencl_arg(job->edges, 3, sizeof(h), &h);
	opencl_arg(job->edges, 4, sizeof(least), &least);
	opencl_arg(job->votes, 0, sizeof(job->edge), &job->edge);
	opencl_arg(job->votes, 1, sizeof(job->lines), &job->lines);
	opencl_arg(job->votes, 2, sizeof(job->trig), &job->trig);
	opencl_arg(job->votes, 3, ways_words(&ways, words) * sizeof(uint32_t), NULL);
	opencl_arg(job->votes, 4, sizeof(w), &w);
	opencl_arg(job->votes, 5, sizeof(h), &h);
	opencl_arg(job->votes, 6, sizeof(far), &far);
	opencl_arg(job->votes, 7, sizeof(copies), &copies);
	opencl_arg(job->votes, 8, sizeof(words), &words);
	opencl_arg(job->votes, 9, sizeof(step), &step);
}

static void frame(struct job *job)
{
	size_t size[2] = { image.width, image.height };
	size_t local = (size_t)group, global = local * (size_t)angles;
	uint32_t *lines;
	cl_int status;
	cl_event voted = NULL;

	must(clEnqueueWriteBuffer(job->queue, job->pixels, CL_FALSE, 0,
				  size[0] * size[1] * sizeof(uint16_t), image.pixels, 0, NULL,
				  NULL),
	     "clEnqueueWriteBuffer");
	must(clEnqueueNDRangeKernel(job->queue, job->edges, 2, NULL, size, NULL, 0, NULL, NULL),
	     "clEnqueueNDRangeKernel");
	must(clEnqueueNDRangeKernel(job->queue, job->votes, 1, NULL, &global, &local, 0, NULL,
				    times ? &voted : NULL),
	     "clEnqueueNDRangeKernel");
	lines = clEnqueueMapBuffer(job->queue, job->lines, CL_TRUE, CL_MAP_READ, 0,
				   n_lines * sizeof(uint32_t), 0, NULL, NULL, &status);
	must(status, "clEnqueueMapBuffer");
	must_equal("hough", lines, expected, n_lines);
	if (times) {
		if (!job->shortest_ns || opencl_duration(voted) < job->shortest_ns)
			job->shortest_ns = opencl_duration(voted);
		must(clReleaseEvent(voted), "clReleaseEvent");
	}
	must(clEnqueueUnmapMemObject(job->queue, job->lines, lines, 0, NULL, NULL),
	     "clEnqueueUnmapMemObject");
	must(clFlush(job->queue), "clFlush");
}

static void job_close(struct job *job)
{
	must(clFinish(job->queue), "clFinish");
	clReleaseMemObject(job->pixels);
	clReleaseMemObject(job->edge);
	clReleaseMemObject(job->trig);
	clReleaseMemObject(job->lines);
	clReleaseKernel(job->edges);
	clReleaseKernel(job->votes);
	must(clReleaseCommandQueue(job->queue), "clReleaseCommandQueue");
}

int main(int argc, char **argv)
{
	struct opencl cl;
	struct job job = { .shortest_ns = 0 };

	options_read(argc, argv, options, sizeof(options) / sizeof(options[0]));
	image_get(&image, image_path, width, height, noise, 256);
	expect();
	ways_text(&ways);
	opencl_open(&cl, ways.text, source);
	job_open(&job, &cl);
	job_arguments(&job);
	for (long i = 0; i < frames; i++)
		frame(&job);
	job_close(&job);
	printf("hough: %ld frames of %ux%u, %ld angles, checksum %08x\n", frames, image.width,
	       image.height, angles, checksum(expected, n_lines));
	if (times)
		printf("hough: %" PRIu64 " ns the shortest kernel\n", job.shortest_ns);
	opencl_close(&cl);
	free(expected);
	free(trig);
	free(image.pixels);
	return 0;
}

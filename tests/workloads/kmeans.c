// SPDX-License-Identifier: MIT
// k-means: points go to the nearest of k centres, which move to the mean of their points, some
// rounds. The host moves the centres, so that every round goes to the device and back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

static const char source[] =
	"__kernel void assign(__global const int *points, __global const int *centres, __global "
	"uint *sums,\n"
	"                     __global uint *nearest, __local uint *own, uint n, uint k)\n"
	"{\n"
	"    uint id = get_local_id(0), size = get_local_size(0);\n"
	"    for (uint i = id; i < 3 * k; i += size)\n"
	"        own[i] = 0;\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
	"        int x = points[2 * i], y = points[2 * i + 1], least = 0x7fffffff;\n"
	"        uint best = 0;\n"
	"        for (uint c = 0; c < k; c++) {\n"
	"            int dx = x - centres[2 * c], dy = y - centres[2 * c + 1];\n"
	"            int far = dx * dx + dy * dy;\n"
	"            if (far < least) {\n"
	"                least = far;\n"
	"                best = c;\n"
	"            }\n"
	"        }\n"
	"        nearest[i] = best;\n"
	"        atomic_add(&own[3 * best], (uint)x);\n"
	"        atomic_add(&own[3 * best + 1], (uint)y);\n"
	"        atomic_inc(&own[3 * best + 2]);\n"
	"    }\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    for (uint i = id; i < 3 * k; i += size)\n"
	"        atomic_add(&sums[i], own[i]);\n"
	"}\n";

static long n_points = 2048, k = 8, rounds = 5, group = 32, groups = 4;

static const struct option_of options[] = {
	OPTION_NUMBER("points", "points (2048)", n_points, 1, 1000000),
	OPTION_NUMBER("clusters", "centres (8)", k, 1, 1024),
	OPTION_NUMBER("rounds", "rounds (5)", rounds, 1, 100000),
	OPTION_NUMBER("group", "work items a group (32)", group, 1, 1024),
	OPTION_NUMBER("groups", "groups (4)", groups, 1, 4096),
};

static int32_t *points, *centres;
static uint32_t *sums, *nearest, *cpu_sums, *cpu_nearest;

static void make_points(void)
{
	uint32_t state = 88172645u;

	for (long i = 0; i < 2 * n_points; i++) {
		state = state * 1664525u + 1013904223u;
		/* clouds around k places, 4096 wide at most */
		points[i] = (int32_t)((state >> 20) / 4 + (uint32_t)((i / 2 % k) * 3072 / k));
	}
	memcpy(centres, points, (size_t)(2 * (k < n_points ? k : n_points)) * sizeof(*centres));
}

static void assign_on_cpu(void)
{
	memset(cpu_sums, 0, 3 * (size_t)k * sizeof(*cpu_sums));
	for (long i = 0; i < n_points; i++) {
		int32_t least = INT32_MAX;
		uint32_t best = 0;

		for (long c = 0; c < k; c++) {
			int32_t dx = points[2 * i] - centres[2 * c];
			int32_t dy = points[2 * i + 1] - centres[2 * c + 1];

			if (dx * dx + dy * dy < least) {
				least = dx * dx + dy * dy;
				best = (uint32_t)c;
			}
		}
		cpu_nearest[i] = best;
		cpu_sums[3 * best] += (uint32_t)points[2 * i];
		cpu_sums[3 * best + 1] += (uint32_t)points[2 * i + 1];
		cpu_sums[3 * best + 2]++;
	}
}

static void move_centres(void)
{
	for (long c = 0; c < k; c++) {
		if (!sums[3 * c + 2])
			continue;
		centres[2 * c] = (int32_t)(sums[3 * c] / sums[3 * c + 2]);
		centres[2 * c + 1] = (int32_t)(sums[3 * c + 1] / sums[3 * c + 2]);
	}
}

struct job {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem points;
	cl_mem centres;
	cl_mem sums;
	cl_mem nearest;
};

static void job_open(struct job *job, struct opencl *cl)
{
	cl_uint n = (cl_uint)n_points, centres_n = (cl_uint)k;

	job->queue = opencl_queue(cl, 0);
	job->kernel = opencl_kernel(cl, "assign");
	job->points = opencl_buffer(cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
				    2 * (size_t)n_points * sizeof(*points), points);
	job->centres = opencl_buffer(cl, CL_MEM_READ_ONLY, 2 * (size_t)k * sizeof(*centres), NULL);
	job->sums = opencl_buffer(cl, CL_MEM_READ_WRITE, 3 * (size_t)k * sizeof(*sums), NULL);
	job->nearest =
		opencl_buffer(cl, CL_MEM_WRITE_ONLY, (size_t)n_points * sizeof(*nearest), NULL);
	opencl_arg(job->kernel, 0, sizeof(job->points), &job->points);
	opencl_arg(job->kernel, 1, sizeof(job->centres), &job->centres);
	opencl_arg(job->kernel, 2, sizeof(job->sums), &job->sums);
	opencl_arg(job->kernel, 3, sizeof(job->nearest), &job->nearest);
	opencl_arg(job->kernel, 4, 3 * (size_t)k * sizeof(*sums), NULL);
	opencl_arg(job->kernel, 5, sizeof(n), &n);
	opencl_arg(job->kernel, 6, sizeof(centres_n), &centres_n);
}

static void one_round(struct job *job)
{
	size_t local = (size_t)group, global = local * (size_t)groups;
	size_t bytes = 3 * (size_t)k * sizeof(*sums);
	cl_event written[2], assigned;

	memset(sums, 0, bytes);
	must(clEnqueueWriteBuffer(job->queue, job->centres, CL_FALSE, 0,
				  2 * (size_t)k * sizeof(*centres), centres, 0, NULL, &written[0]),
	     "clEnqueueWriteBuffer");
	must(clEnqueueWriteBuffer(job->queue, job->sums, CL_FALSE, 0, bytes, sums, 0, NULL,
				  &written[1]),
	     "clEnqueueWriteBuffer");
	must(clEnqueueNDRangeKernel(job->queue, job->kernel, 1, NULL, &global, &local, 2, written,
				    &assigned),
	     "clEnqueueNDRangeKernel");
	must(clWaitForEvents(1, &assigned), "clWaitForEvents");
	must(clEnqueueReadBuffer(job->queue, job->sums, CL_TRUE, 0, bytes, sums, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
	clReleaseEvent(written[0]);
	clReleaseEvent(written[1]);
	clReleaseEvent(assigned);
	assign_on_cpu();
	must_equal("k-means: sums", sums, cpu_sums, 3 * (size_t)k);
	move_centres();
}

static void job_close(struct job *job)
{
	clReleaseMemObject(job->points);
	clReleaseMemObject(job->centres);
	clReleaseMemObject(job->sums);
	clReleaseMemObject(job->nearest);
	clReleaseKernel(job->kernel);
	must(clReleaseCommandQueue(job->queue), "clReleaseCommandQueue");
}

static void allocate(void)
{
	points = need(2 * (size_t)n_points, sizeof(*points));
	centres = need(2 * (size_t)k, sizeof(*centres));
	sums = need(3 * (size_t)k, sizeof(*sums));
	cpu_sums = need(3 * (size_t)k, sizeof(*cpu_sums));
	nearest = need((size_t)n_points, sizeof(*nearest));
	cpu_nearest = need((size_t)n_points, sizeof(*cpu_nearest));
}

int main(int argc, char **argv)
{
	struct opencl cl;
	struct job job;

	options_read(argc, argv, options, sizeof(options) / sizeof(options[0]));
	allocate();
	make_points();
	opencl_open(&cl, "", source);
	job_open(&job, &cl);
	for (long i = 0; i < rounds; i++)
		one_round(&job);
	must(clEnqueueReadBuffer(job.queue, job.nearest, CL_TRUE, 0,
				 (size_t)n_points * sizeof(*nearest), nearest, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
	must_equal("k-means: nearest", nearest, cpu_nearest, (size_t)n_points);
	job_close(&job);
	printf("kmeans: %ld points, %ld clusters, %ld rounds, checksum %08x\n", n_points, k, rounds,
	       checksum(nearest, (size_t)n_points));
	opencl_close(&cl);
	free(points);
	free(centres);
	free(sums);
	free(cpu_sums);
	free(nearest);
	free(cpu_nearest);
	return 0;
}

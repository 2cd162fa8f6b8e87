// SPDX-License-Identifier: MIT
// What one access to global memory costs: load, store, load_store, red (an atomic whose result is
// not used) and atomic; all work items of a group on one address, 128 bytes apart (uncoalesced), or
// side by side (coalesced); with multiply-adds between them, or without. --lock-width: 8 items of
// each row, 4096 bytes apart, rows OFFSET bytes apart, from 0 to 512: how near to each other
// atomics disturb each other. --local: atomics on local memory, by lanes that meet on a word
// (stride 0) or in a bank of 32 (stride 32), and by warps of 32 lanes.
//
// Times are the device's own, from events; with --times they are printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define KERNEL(name, body)                                                                         \
	"__kernel void " name                                                                      \
	"(__global uint *memory, __global uint *out, uint rounds, uint mads,\n"                    \
	"                   uint pattern)\n"                                                       \
	"{\n"                                                                                      \
	"    uint id = get_global_id(0), a = id, at;\n"                                            \
	"    at = pattern == 0 ? get_group_id(0) * 32 : pattern == 1 ? id * 32 : id;\n"            \
	"    for (uint i = 0; i < rounds; i++) {\n"                                                \
	"        " body "\n"                                                                       \
	"        for (uint m = 0; m < mads; m++)\n"                                                \
	"            a = a * 1664525u + 1013904223u;\n"                                            \
	"    }\n"                                                                                  \
	"    out[id] = a;\n"                                                                       \
	"}\n"

#define LOCK_KERNEL(name, body)                                                                    \
	"__kernel void " name "(__global uint *memory, uint rounds, uint offset)\n"                \
	"{\n"                                                                                      \
	"    uint lane = get_local_id(0), row = get_local_id(1);\n"                                \
	"    uint at = 8192 * get_group_id(0) + 1024 * lane + offset / 4 * row;\n"                 \
	"    for (uint i = 0; i < rounds; i++) {\n"                                                \
	"        " body "\n"                                                                       \
	"    }\n"                                                                                  \
	"}\n"

/* Eight a round; each warp has words of its own, its lanes below `degree' are `stride' apart. */
#define LOCAL_KERNEL(name, body)                                                                   \
	"__kernel void " name "(__global uint *out, uint rounds, uint degree, uint stride)\n"      \
	"{\n"                                                                                      \
	"    __local uint pad[4096];\n"                                                            \
	"    uint id = get_local_id(0), lane = id % 32, sum = 0;\n"                                \
	"    uint w = (lane < degree ? lane * stride : lane) + id / 32 * 64;\n"                    \
	"    for (uint i = id; i < 4096; i += get_local_size(0))\n"                                \
	"        pad[i] = 0;\n"                                                                    \
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"                                                      \
	"    for (uint i = 0; i < rounds; i++) {\n"                                                \
	"        " body body body body body body body body "\n"                                    \
	"    }\n"                                                                                  \
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"                                                      \
	"    for (uint i = id; i < 4096; i += get_local_size(0))\n"                                \
	"        sum += pad[i];\n"                                                                 \
	"    out[get_global_id(0)] = sum;\n"                                                       \
	"}\n"

static const char source[] = KERNEL("load", "a ^= *(volatile __global uint *)&memory[at];")
	KERNEL("store", "*(volatile __global uint *)&memory[at] = i + 1;") KERNEL(
		"load_store", "*(volatile __global uint *)&memory[at] = *(volatile __global uint "
			      "*)&memory[at] + 1;") KERNEL("red", "atomic_inc(&memory[at]);")
		KERNEL("atomic", "a ^= atomic_inc(&memory[at]);")
			LOCK_KERNEL("lock_atomic", "atomic_inc(&memory[at]);") LOCK_KERNEL(
				"lock_load_store", "*(volatile __global uint *)&memory[at] += 1;")
				LOCAL_KERNEL("local_inc", "atomic_inc(&pad[w]);")
					LOCAL_KERNEL("local_add", "atomic_add(&pad[w], lane + 1);")
						LOCAL_KERNEL("local_result",
							     "w += atomic_inc(&pad[w]) >> 31;");

enum operation {
	LOAD,
	STORE,
	LOAD_STORE,
	RED,
	ATOMIC,
	OPERATIONS
};

static const char *const operations[OPERATIONS] = { "load", "store", "load_store", "red",
						    "atomic" };
static const char *const patterns[] = { "single", "uncoalesced", "coalesced" };

static long rounds = 16, group = 32, groups = 4, mads = 50;
static bool lock_width, local_atomics, times;

static const struct option_of options[] = {
	OPTION_NUMBER("rounds", "accesses of each work item (16)", rounds, 1, 1000000),
	OPTION_NUMBER("group", "work items a group (32)", group, 8, 1024),
	OPTION_NUMBER("groups", "groups (4)", groups, 1, 1024),
	OPTION_NUMBER("mads", "multiply-adds between, where there are any (50)", mads, 1, 10000),
	OPTION_SWITCH("lock-width", "how near atomics disturb each other", lock_width),
	OPTION_SWITCH("local", "atomics on local memory, of up to so many warps", local_atomics),
	OPTION_SWITCH("times", "print the times", times),
};

static struct opencl cl;
static cl_command_queue queue;
static uint32_t sum = 2166136261u;
static long runs;

__attribute__((noreturn)) static void wrong(const char *operation, const char *pattern, size_t at,
					    uint32_t value)
{
	fprintf(stderr, "micro: %s %s: wrong: [%zu] is %u\n", operation, pattern, at, value);
	exit(1);
}

static cl_event run(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local)
{
	cl_event event;

	must(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL,
				    &event),
	     "clEnqueueNDRangeKernel");
	must(clWaitForEvents(1, &event), "clWaitForEvents");
	runs++;
	return event;
}

static void tell(const char *what, const char *pattern, long number, cl_event event, size_t items)
{
	uint64_t ns = opencl_duration(event);

	if (times)
		printf("%-15s %-12s %5ld %10.5f ns an access\n", what, pattern, number,
		       (double)ns / ((double)items * (double)rounds));
	must(clReleaseEvent(event), "clReleaseEvent");
}

/* What the memory must hold at one of the addresses. */
static bool right(enum operation operation, int pattern, uint32_t value)
{
	uint32_t each = (uint32_t)rounds;

	switch (operation) {
	case LOAD:
		return value == 7;
	case STORE:
		/* Several items store to one address: the last one, whichever, or one on the way.
		 */
		return pattern ? value == each : value >= 1 && value <= each;
	case LOAD_STORE:
		return pattern ? value == 7 + each
			       : value > 7 && value <= 7 + each * (uint32_t)group;
	default:
		return value == 7 + each * (pattern ? 1 : (uint32_t)group);
	}
}

static void check(enum operation operation, int pattern, const uint32_t *memory, size_t items)
{
	size_t n = pattern ? items : (size_t)groups, step = pattern == 2 ? 1 : 32;

	for (size_t i = 0; i < n; i++) {
		uint32_t value = memory[i * step];

		if (!right(operation, pattern, value))
			wrong(operations[operation], patterns[pattern], i * step, value);
		/* What may differ from run to run stays out of the checksum. */
		if (pattern || (operation != STORE && operation != LOAD_STORE))
			sum = (sum ^ value) * 16777619u;
	}
}

static void one(cl_kernel kernel, enum operation operation, int pattern, cl_uint between)
{
	size_t local = (size_t)group, items = local * (size_t)groups, words = items * 32;
	uint32_t *memory = need(words, sizeof(*memory));
	cl_uint n = (cl_uint)rounds, which = (cl_uint)pattern;
	cl_mem buffer, out;

	for (size_t i = 0; i < words; i++)
		memory[i] = 7;
	buffer = opencl_buffer(&cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			       words * sizeof(*memory), memory);
	out = opencl_buffer(&cl, CL_MEM_WRITE_ONLY, items * sizeof(cl_uint), NULL);
	opencl_arg(kernel, 0, sizeof(buffer), &buffer);
	opencl_arg(kernel, 1, sizeof(out), &out);
	opencl_arg(kernel, 2, sizeof(n), &n);
	opencl_arg(kernel, 3, sizeof(between), &between);
	opencl_arg(kernel, 4, sizeof(which), &which);
	tell(operations[operation], patterns[pattern], (long)between,
	     run(kernel, 1, &items, &local), items);
	must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, words * sizeof(*memory), memory, 0,
				 NULL, NULL),
	     "clEnqueueReadBuffer");
	check(operation, pattern, memory, items);
	clReleaseMemObject(buffer);
	clReleaseMemObject(out);
	free(memory);
}

static void lock_check(const uint32_t *memory, size_t words, cl_uint offset)
{
	uint64_t all = 0;

	for (size_t i = 0; i < words; i++)
		all += memory[i];
	if (all != (uint64_t)rounds * 64 * (uint64_t)groups)
		wrong("lock_atomic", "sum", offset, (uint32_t)all);
	sum = (sum ^ checksum(memory, words)) * 16777619u;
}

/*
 * Robertson's sweep (docs/models/papers/global.md): groups of 32x8 of which the first eight of each
 * row access memory; here of 8x8.
 */
static void lock_one(cl_kernel kernel, const char *name, cl_uint offset, bool exact)
{
	size_t words = 8192 * (size_t)groups;
	size_t local[2] = { 8, 8 }, global[2] = { 8 * (size_t)groups, 8 };
	uint32_t *memory = need(words, sizeof(*memory));
	cl_uint n = (cl_uint)rounds;
	cl_mem buffer = opencl_buffer(&cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				      words * sizeof(*memory), memory);

	opencl_arg(kernel, 0, sizeof(buffer), &buffer);
	opencl_arg(kernel, 1, sizeof(n), &n);
	opencl_arg(kernel, 2, sizeof(offset), &offset);
	tell(name, "offset", (long)offset, run(kernel, 2, global, local), 64 * (size_t)groups);
	must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, words * sizeof(*memory), memory, 0,
				 NULL, NULL),
	     "clEnqueueReadBuffer");
	if (exact)
		lock_check(memory, words, offset);
	clReleaseMemObject(buffer);
	free(memory);
}

static void all_operations(void)
{
	for (int o = 0; o < OPERATIONS; o++) {
		cl_kernel kernel = opencl_kernel(&cl, operations[o]);

		for (int pattern = 0; pattern < 3; pattern++) {
			one(kernel, (enum operation)o, pattern, 0);
			one(kernel, (enum operation)o, pattern, (cl_uint)mads);
		}
		must(clReleaseKernel(kernel), "clReleaseKernel");
	}
}

static void all_offsets(void)
{
	cl_kernel atomics = opencl_kernel(&cl, "lock_atomic");
	cl_kernel plain = opencl_kernel(&cl, "lock_load_store");

	for (cl_uint offset = 0; offset <= 512; offset = offset ? 2 * offset : 4) {
		lock_one(atomics, "lock_atomic", offset, true);
		/* Without atomics nothing is lost only where every item has a word of its own. */
		lock_one(plain, "lock_load_store", offset, offset >= 4);
	}
	must(clReleaseKernel(atomics), "clReleaseKernel");
	must(clReleaseKernel(plain), "clReleaseKernel");
}

static uint64_t local_run(cl_kernel kernel, cl_mem out, cl_uint n, size_t warps, bool adds)
{
	size_t local = 32 * warps, items = local * (size_t)groups;
	uint32_t *sums = need(items, sizeof(*sums));
	uint64_t all = 0, ns;
	cl_event event;

	opencl_arg(kernel, 1, sizeof(n), &n);
	event = run(kernel, 1, &items, &local);
	ns = opencl_duration(event);
	must(clReleaseEvent(event), "clReleaseEvent");
	must(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, items * sizeof(*sums), sums, 0, NULL,
				 NULL),
	     "clEnqueueReadBuffer");
	for (size_t i = 0; i < items; i++)
		all += sums[i];
	if (all != 8 * (uint64_t)n * warps * (uint64_t)groups * (adds ? 32 * 33 / 2 : 32))
		wrong("local", "sum", warps, (uint32_t)all);
	free(sums);
	return ns;
}

/* One access of a warp, of the many warps of a group: the least of three, without the launch. */
static void local_one(cl_kernel kernel, const char *name, cl_uint stride, cl_uint degree,
		      size_t warps)
{
	size_t items = 32 * warps * (size_t)groups;
	cl_mem out = opencl_buffer(&cl, CL_MEM_WRITE_ONLY, items * sizeof(cl_uint), NULL);
	bool adds = !strcmp(name, "local_add");
	double least = 0;

	opencl_arg(kernel, 0, sizeof(out), &out);
	opencl_arg(kernel, 2, sizeof(degree), &degree);
	opencl_arg(kernel, 3, sizeof(stride), &stride);
	for (int i = 0; i < 3; i++) {
		double brief = (double)local_run(kernel, out, (cl_uint)rounds / 4, warps, adds);
		double ns = (double)local_run(kernel, out, (cl_uint)rounds, warps, adds) - brief;

		if (!i || ns < least)
			least = ns;
	}
	if (times)
		printf("%-12s stride %2u degree %2u warps %2zu %10.3f ns an access\n", name, stride,
		       degree, warps, least / (8 * (double)(rounds - rounds / 4) * (double)warps));
	clReleaseMemObject(out);
}

static void all_local(void)
{
	static const char *const names[] = { "local_inc", "local_add", "local_result" };

	for (int k = 0; k < 3; k++) {
		cl_kernel kernel = opencl_kernel(&cl, names[k]);

		for (cl_uint degree = 1; degree <= 32; degree *= 2) {
			for (size_t warps = 1; warps <= (size_t)group / 32; warps *= 2) {
				local_one(kernel, names[k], 0, degree, warps);
				if (degree > 1)
					local_one(kernel, names[k], 32, degree, warps);
			}
		}
		must(clReleaseKernel(kernel), "clReleaseKernel");
	}
}

int main(int argc, char **argv)
{
	options_read(argc, argv, options, sizeof(options) / sizeof(options[0]));
	opencl_open(&cl, "", source);
	queue = opencl_queue(&cl, CL_QUEUE_PROFILING_ENABLE);
	if (lock_width)
		all_offsets();
	else if (local_atomics)
		all_local();
	else
		all_operations();
	must(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
	opencl_close(&cl);
	printf("micro: %ld kernels right, checksum %08x\n", runs, sum);
	return 0;
}

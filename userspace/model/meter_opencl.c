// SPDX-License-Identifier: MIT
// A real device to calibrate: OpenCL, through the loader library if it is there.
#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "model/meter.h"
#include "model/meter_kernels.h"

#define LIBRARY	     "libOpenCL.so.1"
#define LEAST_NS     300000.0
#define FLOOR	     0.03 /* clocks are changed by others while we measure */
#define MOST_WARPS   64
#define MOST_DEVICES 64
#define GLOBAL_WORDS (1u << 22)
#define APART	     32 /* words between lanes that are not to be coalesced */

#define FUNCTIONS(X)                                                                               \
	X(clGetPlatformIDs)                                                                        \
	X(clGetDeviceIDs)                                                                          \
	X(clGetDeviceInfo)                                                                         \
	X(clCreateContext)                                                                         \
	X(clCreateCommandQueue)                                                                    \
	X(clCreateProgramWithSource)                                                               \
	X(clBuildProgram)                                                                          \
	X(clCreateKernel)                                                                          \
	X(clCreateKernelsInProgram)                                                                \
	X(clGetKernelWorkGroupInfo)                                                                \
	X(clSetKernelArg)                                                                          \
	X(clCreateBuffer)                                                                          \
	X(clEnqueueWriteBuffer)                                                                    \
	X(clEnqueueNDRangeKernel)                                                                  \
	X(clFinish)                                                                                \
	X(clGetEventProfilingInfo)                                                                 \
	X(clReleaseEvent)                                                                          \
	X(clReleaseKernel)                                                                         \
	X(clReleaseMemObject)                                                                      \
	X(clReleaseProgram)                                                                        \
	X(clReleaseCommandQueue)                                                                   \
	X(clReleaseContext)

struct functions {
#define X(name) __typeof__(&(name)) name;
	FUNCTIONS(X)
#undef X
	/* Loaders of before OpenCL 2.1 do not have it. */
	__typeof__(&clGetKernelSubGroupInfo) clGetKernelSubGroupInfo;
};

struct cl_meter {
	void *library;
	struct functions f;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem out;
	cl_mem next; /* a chain through LANE_CHASE_WORDS words */
	cl_mem word; /* a warp's words */
	cl_mem data; /* GLOBAL_WORDS */
};

static struct lane_error *meter_opencl_load(struct cl_meter *m)
{
	m->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!m->library)
		return lane_error("%s: cannot be loaded (install ocl-icd-libopencl1 and a device's "
				  "driver, for example intel-opencl-icd or pocl-opencl-icd)",
				  LIBRARY);
#define X(name)                                                                                    \
	*(void **)&m->f.name = dlsym(m->library, #name);                                           \
	if (!m->f.name)                                                                            \
		return lane_error("%s: has no %s", LIBRARY, #name);
	FUNCTIONS(X)
#undef X
	*(void **)&m->f.clGetKernelSubGroupInfo = dlsym(m->library, "clGetKernelSubGroupInfo");
	return NULL;
}

static struct lane_error *meter_opencl_failed(const char *what, cl_int code)
{
	return lane_error("calibrate: OpenCL: %s: error %d", what, code);
}

static struct lane_error *find_device(struct cl_meter *m, uint32_t index)
{
	cl_platform_id platform[16];
	cl_device_id device[MOST_DEVICES];
	cl_uint n_platforms = 0;
	cl_uint n;
	uint32_t seen = 0;

	if (m->f.clGetPlatformIDs(16, platform, &n_platforms) || !n_platforms)
		return lane_error("calibrate: no OpenCL platform (install a device's driver, for "
				  "example intel-opencl-icd or pocl-opencl-icd)");
	for (cl_uint p = 0; p < n_platforms && p < 16; p++) {
		if (m->f.clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, device, &n))
			continue;
		n = n < MOST_DEVICES ? n : MOST_DEVICES;
		if (index < seen + n) {
			m->device = device[index - seen];
			return NULL;
		}
		seen += n;
	}
	return lane_error("--cl-device: there is no device %u, but %u in all", index, seen);
}

static struct lane_error *build(struct cl_meter *m)
{
	const char *text = lane_meter_kernels;
	cl_int rc;

	m->context = m->f.clCreateContext(NULL, 1, &m->device, NULL, NULL, &rc);
	if (rc)
		return meter_opencl_failed("clCreateContext", rc);
	m->queue = m->f.clCreateCommandQueue(m->context, m->device, CL_QUEUE_PROFILING_ENABLE, &rc);
	if (rc)
		return meter_opencl_failed("clCreateCommandQueue", rc);
	m->program = m->f.clCreateProgramWithSource(m->context, 1, &text, NULL, &rc);
	if (!rc)
		rc = m->f.clBuildProgram(m->program, 1, &m->device, "", NULL, NULL);
	return rc ? meter_opencl_failed("clBuildProgram", rc) : NULL;
}

static cl_mem buffer(struct cl_meter *m, size_t words, cl_int *rc)
{
	return *rc ? NULL : m->f.clCreateBuffer(m->context, CL_MEM_READ_WRITE, words * 4, NULL, rc);
}

/*
 * The chain: every work-item goes on far behind what all others read now. By an odd number of 32
 * words, it comes to every 32 words of the chain before it begins anew: fewer fit a cache.
 */
static struct lane_error *meter_opencl_fill(struct cl_meter *m, uint32_t work_items)
{
	LANE_CLEANUP(lane_free) cl_uint *next = calloc(GLOBAL_WORDS, sizeof(*next));
	cl_int rc = 0;

	if (!next)
		return &lane_enomem;
	m->out = buffer(m, work_items, &rc);
	m->next = buffer(m, LANE_CHASE_WORDS, &rc);
	m->word = buffer(m, LANE_PAD_LANES, &rc);
	m->data = buffer(m, GLOBAL_WORDS, &rc);
	if (!rc)
		rc = m->f.clEnqueueWriteBuffer(m->queue, m->data, CL_TRUE, 0, GLOBAL_WORDS * 4,
					       next, 0, NULL, NULL);
	for (uint32_t i = 0; i < LANE_CHASE_WORDS; i++)
		next[i] = (i + (17 * work_items / 32 | 1) * 32) % LANE_CHASE_WORDS;
	if (!rc)
		rc = m->f.clEnqueueWriteBuffer(m->queue, m->next, CL_TRUE, 0, LANE_CHASE_WORDS * 4,
					       next, 0, NULL, NULL);
	return rc ? meter_opencl_failed("buffers", rc) : NULL;
}

/* Leaves what the driver takes of local memory itself: NVIDIA's needs 4 bytes of 48 KiB. */
static struct lane_error *spare_local(struct lane_meter *meter, struct cl_meter *m, cl_ulong local)
{
	size_t bytes = meter->local_words * sizeof(cl_uint);
	cl_ulong taken = 0;
	cl_int rc;
	cl_kernel kernel = m->f.clCreateKernel(m->program, "local_atomic", &rc);

	if (rc)
		return meter_opencl_failed("clCreateKernel", rc);
	if (!m->f.clSetKernelArg(kernel, 6, bytes, NULL) &&
	    !m->f.clGetKernelWorkGroupInfo(kernel, m->device, CL_KERNEL_LOCAL_MEM_SIZE,
					   sizeof(taken), &taken, NULL) &&
	    taken > local && taken - local < bytes)
		meter->local_words -= (uint32_t)((taken - local + 3) / 4);
	m->f.clReleaseKernel(kernel);
	return NULL;
}

/* 0 where the device does not tell. */
static cl_uint meter_opencl_told(struct cl_meter *m, cl_device_info what)
{
	cl_uint value = 0;

	return m->f.clGetDeviceInfo(m->device, what, sizeof(value), &value, NULL) ? 0 : value;
}

/* Sub-slices of a slice are told as a rounded mean: with several slices the EUs know better. */
static uint32_t sub_slices(struct cl_meter *m, uint32_t eus, uint32_t each)
{
	uint32_t all = meter_opencl_told(m, CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL);

	return all && meter_opencl_told(m, CL_DEVICE_NUM_SLICES_INTEL) == 1
		       ? all
		       : (eus + each - 1) / each;
}

/*
 * What a unit holds at a time, as far as it can be known. A CPU's core runs one group after the
 * other. What Intel's driver calls a compute unit is an EU: local memory and its atomics are a
 * sub-slice's. NVIDIA's devices by compute capability, as its CUDA C Programming Guide says.
 */
static struct lane_error *describe_unit(struct lane_meter *meter, struct cl_meter *m)
{
	static const struct {
		cl_uint version, warps, groups;
	} nvidia[] = { { 120, 48, 24 }, { 90, 64, 32 }, { 89, 48, 24 },
		       { 86, 48, 16 },	{ 80, 64, 32 }, { 75, 32, 16 },
		       { 50, 64, 32 },	{ 30, 64, 16 }, { 20, 48, 8 } };
	char text[128] = "";
	cl_uint eus = meter_opencl_told(m, CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL);
	cl_uint version = 10 * meter_opencl_told(m, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV) +
			  meter_opencl_told(m, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);

	if (meter->is_cpu) {
		meter->unit_warps = meter->group_warps;
		meter->unit_groups = 1;
		return NULL;
	}
	for (size_t i = 0; version && i < sizeof(nvidia) / sizeof(nvidia[0]); i++) {
		if (version < nvidia[i].version)
			continue;
		meter->unit_warps = nvidia[i].warps;
		meter->unit_groups = nvidia[i].groups;
		break;
	}
	m->f.clGetDeviceInfo(m->device, CL_DEVICE_VERSION, sizeof(text) - 1, text, NULL);
	if (!eus && strstr(text, "NEO"))
		return lane_error("calibrate: the OpenCL driver does not tell how many EUs a "
				  "sub-slice has (update intel-opencl-icd)");
	if (eus) {
		uint32_t threads =
			meter->units * meter_opencl_told(m, CL_DEVICE_NUM_THREADS_PER_EU_INTEL);

		meter->units = sub_slices(m, meter->units, eus);
		meter->unit_warps = threads / meter->units;
		if (!threads)
			return lane_error("calibrate: the OpenCL device does not tell its threads");
	}
	return NULL;
}

/*
 * Lanes of a kernel's warp. An Intel GPU's EUs may go in pairs: then the preferred multiple is that
 * of two sub-groups (NEO, opencl/source/kernel/kernel.cpp).
 */
static size_t meter_opencl_lanes_of(struct cl_meter *m, cl_kernel kernel)
{
	size_t lanes = 0, one = 1;

	if (m->f.clGetKernelSubGroupInfo &&
	    meter_opencl_told(m, CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL) &&
	    !m->f.clGetKernelSubGroupInfo(kernel, m->device,
					  CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(one),
					  &one, sizeof(lanes), &lanes, NULL))
		return lanes;
	m->f.clGetKernelWorkGroupInfo(kernel, m->device,
				      CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(lanes),
				      &lanes, NULL);
	return lanes;
}

/* The width that every kernel has; an Intel GPU's are told to be the same (meter_kernels.h). */
static struct lane_error *describe_warp(struct lane_meter *meter, struct cl_meter *m, size_t *group)
{
	cl_kernel kernel[64];
	cl_uint n = 0;
	size_t least = SIZE_MAX, most = 0;
	cl_int rc = m->f.clCreateKernelsInProgram(m->program, 64, kernel, &n);

	if (rc)
		return meter_opencl_failed("clCreateKernelsInProgram", rc);
	for (cl_uint i = 0; i < n; i++) {
		size_t lanes = meter_opencl_lanes_of(m, kernel[i]), items = 0;

		m->f.clGetKernelWorkGroupInfo(kernel[i], m->device, CL_KERNEL_WORK_GROUP_SIZE,
					      sizeof(items), &items, NULL);
		m->f.clReleaseKernel(kernel[i]);
		least = lanes < least ? lanes : least;
		most = lanes > most ? lanes : most;
		*group = items < *group ? items : *group;
	}
	/* NVIDIA's driver says 256 of kernels that take 1024; a launch that cannot be is left out.
	 */
	if (meter_opencl_told(m, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV))
		m->f.clGetDeviceInfo(m->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(*group),
				     group, NULL);
	if (!meter->is_cpu && (least != most || most > LANE_PAD_LANES))
		return lane_error("calibrate: the device's warps have %zu to %zu lanes (one width "
				  "of at most %d can be measured)",
				  least, most, LANE_PAD_LANES);
	meter->warp = least < 2 ? 2 : least > LANE_PAD_LANES ? LANE_PAD_LANES : (uint32_t)least;
	return NULL;
}

static struct lane_error *meter_opencl_describe(struct lane_meter *meter, struct cl_meter *m)
{
	cl_ulong local = 0;
	size_t group = SIZE_MAX;
	cl_device_type type = 0;
	struct lane_error *err;
	cl_int rc;

	m->f.clGetDeviceInfo(m->device, CL_DEVICE_NAME, sizeof(meter->name) - 1, meter->name, NULL);
	for (char *c = meter->name; *c; c++)
		*c = *c == '#' || (unsigned char)*c < ' ' ? ' ' : *c;
	rc = m->f.clGetDeviceInfo(m->device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	rc |= m->f.clGetDeviceInfo(m->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local), &local,
				   NULL);
	if (rc)
		return meter_opencl_failed("clGetDeviceInfo", rc);
	snprintf(meter->how, sizeof(meter->how), "OpenCL");
	meter->least_ns = LEAST_NS;
	meter->floor = FLOOR;
	meter->global_length = 16 * LANE_UNROLL_MEMORY;
	meter->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
	meter->units = meter_opencl_told(m, CL_DEVICE_MAX_COMPUTE_UNITS);
	meter->clock_mhz = meter_opencl_told(m, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	err = describe_warp(meter, m, &group);
	if (err)
		return err;
	if (!meter->units || group < meter->warp)
		return lane_error("calibrate: the OpenCL device does not tell its compute units or "
				  "largest work-group");
	group /= meter->warp;
	meter->group_warps = group > 1024 ? 1024 : (uint32_t)group;
	meter->max_warps = group > MOST_WARPS ? MOST_WARPS : (uint32_t)group;
	meter->local_bytes = local < LANE_LOCAL_BYTES ? (uint32_t)local : LANE_LOCAL_BYTES;
	meter->local_words = local / 4 < LANE_PAD_WORDS ? (uint32_t)(local / 4) : LANE_PAD_WORDS;
	err = describe_unit(meter, m);
	meter->units = meter->units < 4096 ? meter->units : 4096;
	return err ? err : spare_local(meter, m, local);
}

struct kernel_call {
	cl_kernel kernel;
	cl_int rc;
};

/*
 * A kernel with its arguments: the output, so many rounds, and those of `kinds': m is a buffer, i a
 * whole number, f a float, l bytes of local memory.
 */
static struct kernel_call call(struct cl_meter *m, const char *name, uint32_t rounds,
			       const char *kinds, ...)
{
	struct kernel_call made = { .kernel = NULL };
	cl_int number = (cl_int)rounds;
	va_list args;

	made.kernel = m->f.clCreateKernel(m->program, name, &made.rc);
	if (!made.rc)
		made.rc = m->f.clSetKernelArg(made.kernel, 0, sizeof(m->out), &m->out);
	if (!made.rc)
		made.rc = m->f.clSetKernelArg(made.kernel, 1, sizeof(number), &number);
	va_start(args, kinds);
	for (cl_uint i = 0; kinds[i] && !made.rc; i++) {
		union {
			cl_mem memory;
			cl_int whole;
			float real;
		} value;
		size_t bytes = kinds[i] == 'm' ? sizeof(value.memory) : 4;

		if (kinds[i] == 'm')
			value.memory = va_arg(args, cl_mem);
		else if (kinds[i] == 'f')
			value.real = (float)va_arg(args, double);
		else if (kinds[i] == 'i')
			value.whole = (cl_int)va_arg(args, uint32_t);
		else
			bytes = va_arg(args, size_t);
		made.rc = m->f.clSetKernelArg(made.kernel, i + 2, bytes,
					      kinds[i] == 'l' ? NULL : &value);
	}
	va_end(args);
	return made;
}

/* The ops that have a kernel. *can is 0 for others. */
static struct kernel_call call_op(struct cl_meter *m, const struct lane_trial *t,
				  const struct lane_meter *meter, int *can)
{
	static const char *const floats[] = {
		"fadd", "fmul", "fmadd", "fdiv", "cos", "imul", "idiv"
	};
	uint32_t conflict = !strcmp(t->op, "local_conflict");
	char name[48];

	snprintf(name, sizeof(name), "op_%s%s", conflict ? "local" : t->op,
		 t->warps > meter->max_warps ? "4" : "");
	/* All lanes in different banks, or all in one. */
	if (conflict || !strcmp(t->op, "local"))
		return call(m, name, t->length / LANE_UNROLL_MEMORY, "ii", conflict ? 32u : 1u,
			    conflict ? 1u : 32u);
	if (!strcmp(t->op, "memory"))
		return call(m, name, t->length / LANE_UNROLL_MEMORY, "m", m->next);
	if (!strcmp(t->op, "barrier"))
		return call(m, name, t->length, "");
	for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
		if (!strcmp(t->op, floats[i]))
			return call(m, name, t->length / LANE_UNROLL_OP, "ff", (double)1.0000001f,
				    0.5);
	*can = 0;
	return (struct kernel_call){ .kernel = NULL };
}

static struct kernel_call call_local(struct cl_meter *m, const struct lane_trial *t,
				     const struct lane_meter *meter)
{
	struct kernel_call made =
		call(m, t->increments ? "local_increment" : "local_atomic",
		     t->length / LANE_UNROLL_MEMORY, "miiil", m->word, t->lanes, meter->warp,
		     (uint32_t)LANE_TRIAL_SHIFT, meter->local_words * sizeof(cl_uint));

	if (!made.rc)
		made.rc = m->f.clEnqueueWriteBuffer(m->queue, m->word, CL_TRUE, 0, sizeof(t->word),
						    t->word, 0, NULL, NULL);
	return made;
}

static struct kernel_call call_global(struct cl_meter *m, const struct lane_trial *t,
				      const struct lane_meter *meter)
{
	uint32_t lane = t->pattern == LANE_GLOBAL_SINGLE	? 0
			: t->pattern == LANE_GLOBAL_UNCOALESCED ? APART
								: 1;
	uint32_t warp = lane * meter->warp;
	uint32_t group = t->pattern == LANE_GLOBAL_SINGLE ? APART : warp * t->warps;
	char name[48];

	snprintf(name, sizeof(name), "global_%s", lane_global_op_names[t->access]);
	return call(m, name, t->length / LANE_UNROLL_MEMORY, "miiiii", m->data, lane, warp,
		    group % (GLOBAL_WORDS / 2 / meter->units), meter->warp, meter->warp);
}

/* All warps on the same words; is_spread: each of a group on its own, the groups on the same. */
static struct kernel_call call_contend(struct cl_meter *m, const struct lane_trial *t,
				       const struct lane_meter *meter)
{
	const char *name = t->is_retry			  ? "global_retry"
			   : t->is_constant		  ? "global_constant"
			   : t->access == LANE_GLOBAL_RED ? "global_red"
							  : "global_atomic";
	uint32_t lane = t->offset / 4;

	return call(m, name, t->length / LANE_UNROLL_MEMORY, "miiiii", m->data, lane,
		    t->is_spread ? lane * t->lanes : 0, 0u, t->lanes, meter->warp);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * By the device's clock, where it has one for events. *can is 0 where the device has not got what
 * the launch takes.
 */
static struct lane_error *meter_opencl_run(struct cl_meter *m, cl_kernel kernel, size_t groups,
					   size_t items, double *ns, int *can)
{
	size_t all = groups * items;
	cl_ulong from = 0, to = 0;
	cl_event event;
	double before;
	cl_int rc;

	before = now_ns();
	rc = m->f.clEnqueueNDRangeKernel(m->queue, kernel, 1, NULL, &all, &items, 0, NULL, &event);
	*can = rc != CL_OUT_OF_RESOURCES && rc != CL_INVALID_WORK_GROUP_SIZE;
	if (!*can)
		return NULL;
	if (rc)
		return meter_opencl_failed("clEnqueueNDRangeKernel", rc);
	rc = m->f.clFinish(m->queue);
	*ns = now_ns() - before;
	if (!rc &&
	    !m->f.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(from), &from,
					  NULL) &&
	    !m->f.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(to), &to, NULL) &&
	    to > from)
		*ns = (double)(to - from);
	m->f.clReleaseEvent(event);
	return rc ? meter_opencl_failed("clFinish", rc) : NULL;
}

static struct lane_error *meter_opencl_measure(struct lane_meter *meter, const struct lane_trial *t,
					       double *ns, int *can)
{
	struct cl_meter *m = meter->state;
	struct lane_error *err = NULL;
	struct kernel_call made = { .kernel = NULL };
	uint32_t warps = t->warps > meter->max_warps ? t->warps / LANE_TRIAL_CHAINS : t->warps;

	*can = 1;
	if (t->kind == LANE_TRIAL_OP)
		made = call_op(m, t, meter, can);
	else if (t->kind == LANE_TRIAL_LOCAL)
		made = call_local(m, t, meter);
	else if (t->kind == LANE_TRIAL_GLOBAL)
		made = call_global(m, t, meter);
	else
		made = call_contend(m, t, meter);
	if (!*can)
		return NULL;
	err = made.rc ? meter_opencl_failed(
				t->kind == LANE_TRIAL_OP ? t->op : "a kernel's arguments", made.rc)
		      : meter_opencl_run(m, made.kernel, meter->units, (size_t)warps * meter->warp,
					 ns, can);
	if (made.kernel)
		m->f.clReleaseKernel(made.kernel);
	return err;
}

static void close_opencl(struct lane_meter *meter)
{
	struct cl_meter *m = meter->state;

	if (!m)
		return;
	cl_mem buffers[] = { m->out, m->next, m->word, m->data };

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		if (buffers[i])
			m->f.clReleaseMemObject(buffers[i]);
	if (m->program)
		m->f.clReleaseProgram(m->program);
	if (m->queue)
		m->f.clReleaseCommandQueue(m->queue);
	if (m->context)
		m->f.clReleaseContext(m->context);
	/* The library stays: drivers leave threads behind that run its code. */
	free(m);
	meter->state = NULL;
}

struct lane_error *model_meter_opencl(struct lane_meter *meter, uint32_t device)
{
	struct cl_meter *m = calloc(1, sizeof(*m));
	struct lane_error *err;

	*meter = (struct lane_meter){ .state = m,
				      .measure = meter_opencl_measure,
				      .close = close_opencl };
	if (!m)
		return &lane_enomem;
	err = meter_opencl_load(m);
	if (!err)
		err = find_device(m, device);
	if (!err)
		err = build(m);
	if (!err)
		err = meter_opencl_describe(meter, m);
	if (!err)
		err = meter_opencl_fill(m, meter->units * meter->max_warps * meter->warp);
	return err;
}

// SPDX-License-Identifier: MIT
// What is told of kernels and queues: names, devices. Once for each handle, when it is made or,
// where the recording began later, when it is first used. And the devices' clocks, time and again.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fit.h"
#include "base/kernel_atomics.h"
#include "opencl/layer.h"

enum {
	SLOTS = 1 << 12,
	TRIES = 8,    /* a handle that finds no slot in as many is told of every time */
	DEVICES = 16, /* the clocks of so many are read */
};

#define CLOCK_EVERY_NS 100000000ull

/* Handles that were told of. A new object with the address of an old one is told of by its making.
 */
static uint64_t told[SLOTS];

static uint64_t told_place(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15ull >> 52;
}

/* True when the handle was told of; else it is put down as told. */
static bool was_told(const void *handle)
{
	uint64_t key = (uintptr_t)handle;
	uint64_t at = told_place(key);

	for (unsigned int i = 0; i < TRIES; i++) {
		uint64_t *slot = &told[(at + i) & (SLOTS - 1)];
		uint64_t found = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (found == key)
			return true;
		if (!found && __atomic_compare_exchange_n(slot, &found, key, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return false;
		if (found == key)
			return true;
	}
	return false;
}

void opencl_untell(const void *handle)
{
	uint64_t key = (uintptr_t)handle;
	uint64_t at = told_place(key);

	/* Handles put down behind it are not found then, and told of twice. */
	for (unsigned int i = 0; i < TRIES; i++) {
		uint64_t found = key;

		__atomic_compare_exchange_n(&told[(at + i) & (SLOTS - 1)], &found, 0, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

void opencl_tell_new_kernel(cl_kernel kernel)
{
	struct lane_p_opencl_kernel about = { .kernel = (uintptr_t)kernel };
	char *name = NULL;
	size_t size = 0;

	was_told(kernel);
	/* Mangled names of templates have no bound. */
	if (!LANE_CL_LOAD(lane_cl_target, clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL,
							   &size) &&
	    size)
		name = malloc(size);
	if (name && !LANE_CL_LOAD(lane_cl_target, clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME,
								   size, name, NULL)) {
		lane_fit(about.name, sizeof(about.name) - 1, name, strnlen(name, size));
		lttng_ust_tracepoint(gpulane, opencl_kernel, &about);
	}
	free(name);
}

void opencl_tell_kernel(cl_kernel kernel)
{
	if (!was_told(kernel))
		opencl_tell_new_kernel(kernel);
}

/* Devices whose clocks can be read, from the first. Sub-devices, which may go, are not among them.
 */
static cl_device_id devices[DEVICES];

/* Reads a device's clock between two events. Intel's runtime itself goes by the reading until the
 * next one. False: it cannot be read. */
static bool told_read_clock(cl_device_id device)
{
	struct lane_p_opencl_clock about = { .device = (uintptr_t)device };
	cl_ulong device_ns = 0, host_ns = 0;
	size_t tick_ns = 0;

	LANE_CL_LOAD(lane_cl_target, clGetDeviceInfo)
	(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(tick_ns), &tick_ns, NULL);
	/* It clears the lowest bit of some times. */
	about.grain_ns = 2 * (uint32_t)tick_ns + 1;
	lttng_ust_tracepoint(gpulane, opencl_clock, &about);
	if (LANE_CL_LOAD(lane_cl_target, clGetDeviceAndHostTimer)(device, &device_ns, &host_ns))
		return false;
	about.device_ns = device_ns;
	about.host_ns = host_ns;
	lttng_ust_tracepoint(gpulane, opencl_clock, &about);
	return true;
}

/* Drivers before OpenCL 2.1 do not have the function that reads clocks. */
static bool told_has_clock(cl_device_id device)
{
	unsigned int major = 0, minor = 0;
	cl_device_id parent = device;
	char version[128] = "";

	return !LANE_CL_LOAD(lane_cl_target, clGetDeviceInfo)(device, CL_DEVICE_PARENT_DEVICE,
							      sizeof(parent), &parent, NULL) &&
	       !parent &&
	       !LANE_CL_LOAD(lane_cl_target, clGetDeviceInfo)(device, CL_DEVICE_VERSION,
							      sizeof(version), version, NULL) &&
	       sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && 10 * major + minor >= 21 &&
	       told_read_clock(device);
}

/* A queue of the device is told of: its clock will be read from now on. */
static void follow_clock(cl_device_id device)
{
	bool has = false;

	for (int i = 0; i < DEVICES; i++) {
		cl_device_id found = __atomic_load_n(&devices[i], __ATOMIC_RELAXED);

		if (found == device || (!found && !has && !(has = told_has_clock(device))))
			return;
		if (!found && __atomic_compare_exchange_n(&devices[i], &found, device, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

void opencl_tell_clocks(void)
{
	static uint64_t due_ns;
	struct timespec now;
	uint64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* to a few milliseconds */
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (now_ns < __atomic_load_n(&due_ns, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&due_ns, now_ns + CLOCK_EVERY_NS, __ATOMIC_RELAXED);
	for (int i = 0; i < DEVICES; i++) {
		cl_device_id device = __atomic_load_n(&devices[i], __ATOMIC_RELAXED);

		if (!device || !told_read_clock(device))
			return;
	}
}

void opencl_tell_new_queue(cl_command_queue queue, cl_device_id device,
			   cl_command_queue_properties properties, bool hidden)
{
	struct lane_p_opencl_queue about = {
		.queue = (uintptr_t)queue,
		.device = (uintptr_t)device,
		.properties = properties,
		.known = hidden,
	};
	char name[1024] = "";
	cl_device_type type = 0;

	was_told(queue);
	LANE_CL_LOAD(lane_cl_target, clGetDeviceInfo)
	(device, CL_DEVICE_NAME, sizeof(name), name, NULL);
	lane_fit(about.name, sizeof(about.name) - 1, name, strnlen(name, sizeof(name)));
	LANE_CL_LOAD(lane_cl_target, clGetDeviceInfo)
	(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	about.known |= type & CL_DEVICE_TYPE_CPU ? 2 : 0;
	snprintf(about.comm, sizeof(about.comm), "%s", program_invocation_short_name);
	lttng_ust_tracepoint(gpulane, opencl_queue, &about);
	follow_clock(device);
}

void opencl_tell_queue(cl_command_queue queue)
{
	cl_command_queue_properties properties = 0;
	cl_device_id device = NULL;

	if (was_told(queue) ||
	    LANE_CL_LOAD(lane_cl_target, clGetCommandQueueInfo)(queue, CL_QUEUE_DEVICE,
								sizeof(device), &device, NULL) ||
	    LANE_CL_LOAD(lane_cl_real, clGetCommandQueueInfo)(
		    queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL))
		return;
	opencl_tell_new_queue(queue, device, properties, opencl_queue_is_hidden(queue));
}

/* A kernel was made, or not (NULL). */
static void tell_or_not(cl_kernel kernel)
{
	if (kernel && opencl_tracing())
		opencl_tell_new_kernel(kernel);
	else if (kernel)
		opencl_untell(kernel);
}

cl_kernel CL_API_CALL lane_cl_create_kernel(cl_program program, const char *kernel_name,
					    cl_int *errcode_ret)
{
	cl_kernel kernel =
		LANE_CL_LOAD(lane_cl_target, clCreateKernel)(program, kernel_name, errcode_ret);

	tell_or_not(kernel);
	return kernel;
}

cl_kernel CL_API_CALL lane_cl_clone_kernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
	cl_kernel kernel = LANE_CL_LOAD(lane_cl_target, clCloneKernel)(source_kernel, errcode_ret);

	tell_or_not(kernel);
	return kernel;
}

cl_int CL_API_CALL lane_cl_create_kernels(cl_program program, cl_uint num_kernels,
					  cl_kernel *kernels, cl_uint *num_kernels_ret)
{
	cl_uint n = 0;
	cl_int status = LANE_CL_LOAD(lane_cl_target, clCreateKernelsInProgram)(program, num_kernels,
									       kernels, &n);

	if (!status && num_kernels_ret)
		*num_kernels_ret = n;
	for (cl_uint i = 0; !status && kernels && i < n && i < num_kernels; i++)
		tell_or_not(kernels[i]);
	return status;
}

/* --- what is in programs --- */

static void tell_atomics(const char *name, size_t n)
{
	struct lane_p_opencl_atomics about = { .name = "" };

	lane_fit(about.name, sizeof(about.name) - 1, name, n);
	lttng_ust_tracepoint(gpulane, opencl_atomics, &about);
}

static size_t length_of(cl_uint i, const char **strings, const size_t *lengths)
{
	return lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
}

/* A source in several pieces is one text. */
static void look_through(cl_uint count, const char **strings, const size_t *lengths)
{
	size_t size = 0, at = 0;
	char *text;

	for (cl_uint i = 0; i < count; i++)
		size += length_of(i, strings, lengths);
	text = malloc(size + 1);
	for (cl_uint i = 0; text && i < count; i++) {
		size_t n = length_of(i, strings, lengths);

		/* Another thread may have changed a string, against the rules. */
		n = n < size - at ? n : size - at;
		memcpy(text + at, strings[i], n);
		at += n;
	}
	if (text)
		lane_atomics_of_text(text, at, tell_atomics);
	free(text);
}

cl_program CL_API_CALL lane_cl_create_program(cl_context context, cl_uint count,
					      const char **strings, const size_t *lengths,
					      cl_int *errcode_ret)
{
	cl_program program = LANE_CL_LOAD(lane_cl_target, clCreateProgramWithSource)(
		context, count, strings, lengths, errcode_ret);

	if (program && opencl_tracing())
		look_through(count, strings, lengths);
	return program;
}

cl_program CL_API_CALL lane_cl_create_program_with_il(cl_context context, const void *il,
						      size_t length, cl_int *errcode_ret)
{
	cl_program program = LANE_CL_LOAD(lane_cl_target,
					  clCreateProgramWithIL)(context, il, length, errcode_ret);

	if (program && opencl_tracing())
		lane_atomics_of_spirv(il, length, tell_atomics);
	return program;
}

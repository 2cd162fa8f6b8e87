// SPDX-License-Identifier: MIT
// The simulated OpenCL GPU as the loader sees it: platform, device, the table of functions,
// options.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct icd_options icd_options = {
	.batch = 1, .split = 1, .kernel_ns = -1, .transfer_ns = -1, .width = 32
};
struct _cl_icd_dispatch icd_dispatch;
struct _cl_platform_id icd_platform = { &icd_dispatch };
struct _cl_device_id icd_device = { &icd_dispatch };

static bool on_driver;

/* --- options
 * -------------------------------------------------------------------------------------- */

static const char *value_of(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && word[n] == '=' ? word + n + 1 : NULL;
}

static bool number(const char *word, const char *name, int64_t least, int64_t most, int64_t *value)
{
	const char *text = value_of(word, name);
	char *end;
	long long n;

	if (!text)
		return false;
	n = strtoll(text, &end, 10);
	if (end == text || *end || n < least || n > most) {
		fprintf(stderr, "gl-icd: GPULANE_ICD: %s: not from %lld to %lld\n", word,
			(long long)least, (long long)most);
		exit(2);
	}
	*value = n;
	return true;
}

static void read_option(const char *word, int64_t *offset, int64_t *drift)
{
	const char *text;
	int64_t n;

	if (number(word, "batch", 1, 32, &n))
		icd_options.batch = (unsigned int)n;
	else if (number(word, "split", 1, ICD_MAX_REQUESTS, &n))
		icd_options.split = (unsigned int)n;
	else if (number(word, "kernel-us", 0, 10000000, &n))
		icd_options.kernel_ns = n * 1000;
	else if (number(word, "transfer-us", 0, 10000000, &n))
		icd_options.transfer_ns = n * 1000;
	else if (number(word, "loop-ns", 1, 1000000000, &icd_options.loop_ns) ||
		 number(word, "issue-ns", 0, 1000000000, &icd_options.issue_ns) ||
		 number(word, "noise", 0, 1000, &icd_options.noise) ||
		 number(word, "width", 1, 1024, &icd_options.width) ||
		 number(word, "other-width", 1, 1024, &icd_options.other) ||
		 number(word, "eus", 1, 64, &icd_options.eus) ||
		 number(word, "nvidia", 10, 200, &icd_options.nvidia) ||
		 number(word, "seed", 0, INT64_MAX / 2, &icd_options.seed))
		;
	else if (!strcmp(word, "only-time"))
		icd_options.only_time = true;
	else if (number(word, "prio", -1023, 1023, &n))
		icd_options.prio = (int)n;
	else if (number(word, "offset-ns", INT64_MIN / 4, INT64_MAX / 4, offset) ||
		 number(word, "drift-ppb", -1000000, 1000000, drift))
		;
	else if (!strcmp(word, "copy-engine"))
		icd_options.copy_engine = true;
	else if ((text = value_of(word, "truth")))
		snprintf(icd_options.truth, sizeof(icd_options.truth), "%s", text);
	else if ((text = value_of(word, "cache")))
		snprintf(icd_options.cache, sizeof(icd_options.cache), "%s", text);
	else if (*word) {
		fprintf(stderr, "gl-icd: GPULANE_ICD: %s: no such option\n", word);
		exit(2);
	}
}

static void read_options(void)
{
	const char *text = getenv("GPULANE_ICD");
	char *copy = strdup(text ? text : ""), *rest = copy, *word;
	/* A clock of its own: an hour ahead, 20 ppm fast. */
	int64_t offset = 3600000000000, drift = 20000;

	while (copy && (word = strsep(&rest, ",")))
		read_option(word, &offset, &drift);
	free(copy);
	gpu_clock_set(offset, drift);
}

/* --- platform and device
 * ---------------------------------------------------------------------------- */

static cl_int platform_info(cl_platform_id platform, cl_platform_info what, size_t room,
			    void *value, size_t *size)
{
	(void)platform;
	switch (what) {
		INFO_TEXT(CL_PLATFORM_PROFILE, "FULL_PROFILE")
		INFO_TEXT(CL_PLATFORM_VERSION, "OpenCL 1.2 gpulane")
		INFO_TEXT(CL_PLATFORM_NAME, "gpulane simulated GPU")
		INFO_TEXT(CL_PLATFORM_VENDOR, "gpulane")
		INFO_TEXT(CL_PLATFORM_EXTENSIONS, "cl_khr_icd")
		INFO_TEXT(CL_PLATFORM_ICD_SUFFIX_KHR, "GPULANE")
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
			 cl_device_id *devices, cl_uint *n)
{
	(void)platform;
	if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	if (devices && !room)
		return CL_INVALID_VALUE;
	if (devices)
		*devices = &icd_device;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

/* What vendors' drivers tell besides. */
static cl_int vendor_info(cl_device_info what, size_t room, void *value, size_t *size)
{
	bool is_intel = what == CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL ||
			what == CL_DEVICE_NUM_THREADS_PER_EU_INTEL;
	cl_uint tells = what == CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL ? (cl_uint)icd_options.eus
			: what == CL_DEVICE_NUM_THREADS_PER_EU_INTEL  ? 7
			: what == CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV
				? (cl_uint)icd_options.nvidia / 10
				: (cl_uint)icd_options.nvidia % 10;

	if (is_intel ? !icd_options.eus : !icd_options.nvidia)
		return CL_INVALID_VALUE;
	return icd_info(room, value, size, &tells, sizeof(tells));
}

static cl_int device_info(cl_device_id device, cl_device_info what, size_t room, void *value,
			  size_t *size)
{
	static const size_t items[3] = { ICD_GROUP_ITEMS, ICD_GROUP_ITEMS, ICD_GROUP_ITEMS };

	(void)device;
	switch (what) {
		INFO(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_GPU)
		INFO(CL_DEVICE_VENDOR_ID, cl_uint, 0)
		INFO(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint,
		     8 * (cl_uint)(icd_options.eus ? icd_options.eus : 1))
		INFO(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, 3)
		INFO(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, ICD_GROUP_ITEMS)
		INFO(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint, 1000)
		INFO(CL_DEVICE_ADDRESS_BITS, cl_uint, 64)
		INFO(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, (cl_ulong)1 << 30)
		INFO(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, (cl_ulong)4 << 30)
		INFO(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, ICD_LOCAL_BYTES)
		INFO(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, CL_LOCAL)
		INFO(CL_DEVICE_IMAGE_SUPPORT, cl_bool, CL_FALSE)
		INFO(CL_DEVICE_AVAILABLE, cl_bool, CL_TRUE)
		INFO(CL_DEVICE_COMPILER_AVAILABLE, cl_bool, CL_TRUE)
		INFO(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, CL_TRUE)
		INFO(CL_DEVICE_ENDIAN_LITTLE, cl_bool, CL_TRUE)
		INFO(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t, 52)
		INFO(CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties,
		     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
		INFO(CL_DEVICE_PLATFORM, cl_platform_id, &icd_platform)
		INFO(CL_DEVICE_REFERENCE_COUNT, cl_uint, 1)
		INFO_TEXT(CL_DEVICE_NAME, on_driver ? "gpulane simulated GPU (replay driver)"
						    : "gpulane simulated GPU (arithmetic)")
		INFO_TEXT(CL_DEVICE_VENDOR, "gpulane")
		INFO_TEXT(CL_DRIVER_VERSION, "1")
		INFO_TEXT(CL_DEVICE_PROFILE, "FULL_PROFILE")
		INFO_TEXT(CL_DEVICE_VERSION, "OpenCL 1.2 gpulane")
		INFO_TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2")
		INFO_TEXT(CL_DEVICE_EXTENSIONS, "cl_khr_global_int32_base_atomics "
						"cl_khr_local_int32_base_atomics")
	case CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL:
	case CL_DEVICE_NUM_THREADS_PER_EU_INTEL:
	case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV:
	case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV:
		return vendor_info(what, room, value, size);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return icd_info(room, value, size, items, sizeof(items));
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int same_device(cl_device_id device)
{
	(void)device;
	return CL_SUCCESS;
}

/* --- the table
 * -------------------------------------------------------------------------------------- */

/* For what is not there: functions that return a status. */
static cl_int not_there(void)
{
	return CL_INVALID_OPERATION;
}

/* And those that return an object; their last argument, the status, is not reached. */
static void *no_object(void)
{
	return NULL;
}

static const struct {
	const char *name;
	void *function;
} extensions[] = {
	{ "clCreateCommandQueueWithPropertiesKHR", (void *)icd_create_queue_with },
	{ "clEnqueueMemcpyINTEL", (void *)icd_usm_copy },
	{ "clEnqueueMemFillINTEL", (void *)icd_usm_fill },
	{ "clEnqueueMemsetINTEL", (void *)icd_usm_set },
	{ "clEnqueueMigrateMemINTEL", (void *)icd_usm_migrate },
	{ "clEnqueueMemAdviseINTEL", (void *)icd_usm_advise },
};

static void *CL_API_CALL extension(cl_platform_id platform, const char *name)
{
	(void)platform;
	return clGetExtensionFunctionAddress(name);
}

static void fill_dispatch(void)
{
	void **slots = (void **)&icd_dispatch;
	struct _cl_icd_dispatch *d = &icd_dispatch;

	for (size_t i = 0; i < sizeof(icd_dispatch) / sizeof(void *); i++)
		slots[i] = (void *)not_there;
	d->clCreateSubBuffer = (void *)no_object;
	d->clCreateImage = (void *)no_object;
	d->clCreateImage2D = (void *)no_object;
	d->clCreateImage3D = (void *)no_object;
	d->clCreateSampler = (void *)no_object;
	d->clCreateSamplerWithProperties = (void *)no_object;
	d->clCreatePipe = (void *)no_object;
	d->clCreateProgramWithBinary = (void *)no_object;
	d->clCreateProgramWithBuiltInKernels = (void *)no_object;
	d->clCreateProgramWithIL = (void *)no_object;
	d->clCreateContextFromType = (void *)no_object;
	d->clLinkProgram = (void *)no_object;
	d->clCloneKernel = (void *)no_object;
	d->clEnqueueMapImage = (void *)no_object;
	d->clSVMAlloc = (void *)no_object;
	d->clGetExtensionFunctionAddress = clGetExtensionFunctionAddress;
	d->clGetExtensionFunctionAddressForPlatform = extension;
	d->clCreateBufferWithProperties = (void *)no_object;
	d->clCreateImageWithProperties = (void *)no_object;
	d->clGetPlatformInfo = platform_info;
	d->clGetDeviceIDs = device_ids;
	d->clGetDeviceInfo = device_info;
	d->clRetainDevice = same_device;
	d->clReleaseDevice = same_device;
	d->clCreateContext = icd_create_context;
	d->clReleaseContext = icd_release_context;
	d->clCreateCommandQueue = icd_create_queue;
	d->clCreateCommandQueueWithProperties = icd_create_queue_with;
	d->clReleaseCommandQueue = icd_release_queue;
	d->clGetCommandQueueInfo = icd_queue_info;
	d->clCreateBuffer = icd_create_buffer;
	d->clReleaseMemObject = icd_release_mem;
	d->clCreateProgramWithSource = icd_create_program;
	d->clReleaseProgram = icd_release_program;
	d->clBuildProgram = icd_build_program;
	d->clGetProgramBuildInfo = icd_build_info;
	d->clCreateKernel = icd_create_kernel;
	d->clCreateKernelsInProgram = icd_create_kernels;
	d->clReleaseKernel = icd_release_kernel;
	d->clSetKernelArg = icd_set_arg;
	d->clGetKernelInfo = icd_kernel_info;
	d->clGetKernelWorkGroupInfo = icd_kernel_group_info;
	d->clWaitForEvents = icd_wait_for_events;
	d->clGetEventInfo = icd_event_info;
	d->clRetainEvent = icd_retain_event;
	d->clReleaseEvent = icd_release_event;
	d->clGetEventProfilingInfo = icd_profiling_info;
	d->clCreateUserEvent = icd_create_user_event;
	d->clSetUserEventStatus = icd_set_user_event;
	d->clSetEventCallback = icd_set_callback;
	d->clFlush = icd_cl_flush;
	d->clFinish = icd_cl_finish;
	d->clEnqueueReadBuffer = icd_read;
	d->clEnqueueWriteBuffer = icd_write;
	d->clEnqueueFillBuffer = icd_fill;
	d->clEnqueueMapBuffer = icd_map;
	d->clEnqueueUnmapMemObject = icd_unmap;
	d->clEnqueueNDRangeKernel = icd_ndrange;
	d->clEnqueueMarkerWithWaitList = icd_marker_list;
	d->clEnqueueBarrierWithWaitList = icd_barrier_list;
}

static cl_int platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill_dispatch);
	if (platforms && !room)
		return CL_INVALID_VALUE;
	if (platforms)
		*platforms = &icd_platform;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

__attribute__((constructor)) static void begin(void)
{
	on_driver = gpu_open();
	read_options();
}

/* What the loader looks for by name. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
								cl_platform_id *platforms,
								cl_uint *n)
{
	return platform_ids(room, platforms, n);
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
							   cl_platform_info what, size_t room,
							   void *value, size_t *size)
{
	return platform_info(platform, what, room, value, size);
}

EXPORTED CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)clIcdGetPlatformIDsKHR;
	if (!strcmp(name, "clGetPlatformInfo"))
		return (void *)clGetPlatformInfo;
	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++)
		if (!strcmp(name, extensions[i].name))
			return extensions[i].function;
	return NULL;
}

// SPDX-License-Identifier: MIT
// The OpenCL layer, entered as the loader enters it, above a driver that does what it is told to.
#include "layer.h"

#include "opencl/queue.c"
#include "opencl/target.c"
#include "opencl/layer_command.c"
#include "opencl/told.c"
#include "opencl/wrappers.c"

#include <pthread.h>

#define HANDLE(n) ((void *)(uintptr_t)(n))

enum {
	CONTEXT = 1,
	DEVICE,
	PROGRAM,
	QUEUE = 11,
	KERNEL = 21,
	BUFFER = 31,
	EVENT = 41,	 /* the program's */
	OWN_EVENT = 201, /* the next that the driver makes */
};

/* --- the driver --- */

static struct {
	void *created;	 /* what the next function that creates hands out */
	cl_int status;	 /* of the next call */
	uint32_t events; /* made */
	cl_command_queue_properties properties;
	cl_command_queue queue; /* an event's */
	const char *kernel, *version;
	void *parent;
	cl_ulong ns; /* of its clock; of commands: 100 ns less, and so on; 0: not known */
	bool no_notify;
	lane_cl_event_notify notify;
	void *word;
} fake = { .version = "OpenCL 3.0 fake" };

/* The program's, or the layer's own, place for an event. */
static void argue_event(cl_event *value)
{
	say(" %s", value ? "event" : "0");
	if (value)
		*value = fake.status ? NULL : HANDLE(OWN_EVENT + fake.events++);
}

static void argue_status(cl_int *value)
{
	if (value)
		*value = fake.status;
}

static cl_int answer_status(void)
{
	cl_int status = fake.status;

	fake.status = 0;
	return status;
}

static void *answer_handle(void)
{
	void *handle = fake.status ? NULL : fake.created;

	fake.status = 0;
	return handle;
}

/* What it is asked, with all arguments; what it answers. */
#define ARGUE(role, type, name) ARGUE_##role(name)
#define ARGUE_ANY(name)		say_number((uint64_t)(uintptr_t)(name));
#define ARGUE__(name)		ARGUE_ANY(name)
#define ARGUE_QUEUE(name)	ARGUE_ANY(name)
#define ARGUE_OBJECT(name)	ARGUE_ANY(name)
#define ARGUE_SIZE(name)	ARGUE_ANY(name)
#define ARGUE_REGION(name)	ARGUE_ANY(name)
#define ARGUE_PIXELS(name)	ARGUE_ANY(name)
#define ARGUE_DIM(name)		ARGUE_ANY(name)
#define ARGUE_GLOBAL(name)	ARGUE_ANY(name)
#define ARGUE_LOCAL(name)	ARGUE_ANY(name)
#define ARGUE_BLOCKING(name)	ARGUE_ANY(name)
#define ARGUE_WAITS(name)	ARGUE_ANY(name)
#define ARGUE_LIST(name)	ARGUE_ANY(name)
#define ARGUE_EVENT(name)	argue_event(name);
#define ARGUE_ERROR(name)	argue_status(name);
#define ANSWER(kind, type)	ANSWER_##kind(type)
#define ANSWER_SOME(type)                                                                          \
	return _Generic((type)0, cl_int : answer_status, default : answer_handle)();
#define ANSWER_ENQUEUE(type) ANSWER_SOME(type)
#define ANSWER_CREATE(type)  ANSWER_SOME(type)
#define ANSWER_RETAIN(type)  ANSWER_SOME(type)
#define ANSWER_RELEASE(type) ANSWER_SOME(type)
#define ANSWER_FREE(type)
#define ANSWER_QUERY(type) ANSWER_SOME(type)
#define ANSWER_SET(type)   ANSWER_SOME(type)
#define ANSWER_BUILD(type) ANSWER_SOME(type)
#define ANSWER_FLUSH(type) ANSWER_SOME(type)
#define ANSWER_SYNC(type)  ANSWER_SOME(type)
#define DRIVER(name, kind, command, type, ...)                                                     \
	static type CL_API_CALL fake_##name LANE_CL_PROTO(__VA_ARGS__)                             \
	{                                                                                          \
		say("driver " #name);                                                              \
		LANE_CL_MAP(ARGUE, __VA_ARGS__)                                                    \
		say("\n");                                                                         \
		ANSWER(kind, type)                                                                 \
	}
LANE_OPENCL_FUNCTIONS(DRIVER)
LANE_OPENCL_EXTENSIONS(DRIVER)

static void copy_out(void *to, size_t room, const void *from, size_t bytes, size_t *size)
{
	assert_true(!to || room >= bytes);
	if (to)
		memcpy(to, from, bytes);
	if (size)
		*size = bytes;
}

static cl_int CL_API_CALL answers_kernel(cl_kernel kernel, cl_kernel_info what, size_t room,
					 void *to, size_t *size)
{
	(void)kernel;
	assert_int_equal(what, CL_KERNEL_FUNCTION_NAME);
	copy_out(to, room, fake.kernel, strlen(fake.kernel) + 1, size);
	return 0;
}

static cl_int CL_API_CALL answers_device(cl_device_id device, cl_device_info what, size_t room,
					 void *to, size_t *size)
{
	const char *text = what == CL_DEVICE_NAME ? "Fake" : fake.version;
	cl_device_type type = CL_DEVICE_TYPE_GPU;
	size_t tick_ns = 52;

	(void)device;
	if (what == CL_DEVICE_PROFILING_TIMER_RESOLUTION)
		copy_out(to, room, &tick_ns, sizeof(tick_ns), size);
	else if (what == CL_DEVICE_PARENT_DEVICE)
		copy_out(to, room, &fake.parent, sizeof(fake.parent), size);
	else if (what == CL_DEVICE_TYPE)
		copy_out(to, room, &type, sizeof(type), size);
	else
		copy_out(to, room, text, strlen(text) + 1, size);
	return 0;
}

static cl_int CL_API_CALL answers_timer(cl_device_id device, cl_ulong *device_ns, cl_ulong *host_ns)
{
	(void)device;
	*device_ns = fake.ns;
	*host_ns = fake.ns + 7;
	return answer_status();
}

static cl_int CL_API_CALL answers_queue(cl_command_queue queue, cl_command_queue_info what,
					size_t room, void *to, size_t *size)
{
	cl_device_id device = HANDLE(DEVICE);
	cl_queue_properties array[3] = { CL_QUEUE_PROPERTIES, fake.properties, 0 };

	(void)queue;
	if (what == CL_QUEUE_DEVICE)
		copy_out(to, room, &device, sizeof(device), size);
	else if (what == CL_QUEUE_PROPERTIES)
		copy_out(to, room, &fake.properties, sizeof(fake.properties), size);
	else
		copy_out(to, room, array, sizeof(array), size);
	return 0;
}

static cl_command_queue CL_API_CALL makes_queue_with(cl_context context, cl_device_id device,
						     const cl_queue_properties *properties,
						     cl_int *status)
{
	say("driver clCreateCommandQueueWithProperties %lu %lu:", (uintptr_t)context,
	    (uintptr_t)device);
	for (; properties && *properties; properties++)
		say_number(*properties);
	say("\n");
	argue_status(status);
	return answer_handle();
}

static cl_int CL_API_CALL answers_event(cl_event event, cl_event_info what, size_t room, void *to,
					size_t *size)
{
	(void)event;
	assert_int_equal(what, CL_EVENT_COMMAND_QUEUE);
	copy_out(to, room, &fake.queue, sizeof(fake.queue), size);
	return 0;
}

static cl_int CL_API_CALL answers_profiling(cl_event event, cl_profiling_info what, size_t room,
					    void *to, size_t *size)
{
	cl_ulong ns = fake.ns - 100 * (CL_PROFILING_COMMAND_END - what);

	say("driver reads time %u of %lu\n", what, (uintptr_t)event);
	if (!fake.ns)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	copy_out(to, room, &ns, sizeof(ns), size);
	return 0;
}

static cl_int CL_API_CALL takes_notify(cl_event event, cl_int when, lane_cl_event_notify notify,
				       void *word)
{
	say("driver clSetEventCallback %lu %d\n", (uintptr_t)event, when);
	fake.notify = notify;
	fake.word = word;
	return fake.no_notify ? CL_INVALID_EVENT : 0;
}

static cl_int CL_API_CALL answers_image(cl_mem image, cl_image_info what, size_t room, void *to,
					size_t *size)
{
	size_t bytes = 4;

	(void)image;
	assert_int_equal(what, CL_IMAGE_ELEMENT_SIZE);
	copy_out(to, room, &bytes, sizeof(bytes), size);
	return 0;
}

static cl_int CL_API_CALL makes_kernels(cl_program program, cl_uint n, cl_kernel *kernels,
					cl_uint *made)
{
	(void)program;
	for (cl_uint i = 0; kernels && i < n && i < 2; i++)
		kernels[i] = HANDLE(KERNEL + 5 + i);
	if (made)
		*made = 2;
	return 0;
}

static cl_int CL_API_CALL sets_property(cl_command_queue queue,
					cl_command_queue_properties properties, cl_bool enable,
					cl_command_queue_properties *old)
{
	say("driver clSetCommandQueueProperty %lu 0x%lx %u\n", (uintptr_t)queue, properties,
	    enable);
	if (old)
		*old = fake.properties;
	return answer_status();
}

static void *CL_API_CALL finds(const char *name)
{
#define FIND_EXTENSION(function, ...)                                                              \
	if (strcmp(name, #function) == 0)                                                          \
		return (void *)fake_##function;
	LANE_OPENCL_EXTENSIONS(FIND_EXTENSION)
	return HANDLE(99);
}

static void *CL_API_CALL finds_for(cl_platform_id platform, const char *name)
{
	(void)platform;
	return finds(name);
}

/* --- the program --- */

static cl_icd_dispatch *cl;

static void said_is(const char *section)
{
	said_in("tests/unit/opencl_layer.expect", section);
}

static int load(void **state)
{
	static cl_icd_dispatch below;
	const cl_icd_dispatch *above;
	cl_uint n;

	(void)state;
#define BELOW(name, ...) below.name = (void *)fake_##name;
	LANE_OPENCL_FUNCTIONS(BELOW)
	below.clGetKernelInfo = (void *)answers_kernel;
	below.clGetDeviceInfo = (void *)answers_device;
	below.clGetDeviceAndHostTimer = (void *)answers_timer;
	below.clGetCommandQueueInfo = (void *)answers_queue;
	below.clCreateCommandQueueWithProperties = (void *)makes_queue_with;
	below.clGetEventInfo = (void *)answers_event;
	below.clGetEventProfilingInfo = (void *)answers_profiling;
	below.clSetEventCallback = (void *)takes_notify;
	below.clGetImageInfo = (void *)answers_image;
	below.clCreateKernelsInProgram = (void *)makes_kernels;
	below.clSetCommandQueueProperty = (void *)sets_property;
	below.clGetExtensionFunctionAddress = (void *)finds;
	below.clGetExtensionFunctionAddressForPlatform = (void *)finds_for;
	assert_int_equal(clInitLayer(sizeof(below) / sizeof(void *), &below, &n, &above), 0);
	assert_int_equal(n, sizeof(below) / sizeof(void *));
	memcpy(&cl, &above, sizeof(cl));
	is_recorded = true;
	return 0;
}

static cl_command_queue queue(uint32_t handle, cl_command_queue_properties properties)
{
	cl_int status = 99;
	cl_command_queue made;

	fake.created = HANDLE(handle);
	made = cl->clCreateCommandQueue(HANDLE(CONTEXT), HANDLE(DEVICE), properties, &status);
	assert_int_equal(status, 0);
	assert_ptr_equal(made, HANDLE(handle));
	return made;
}

static cl_kernel kernel(uint32_t handle, const char *name)
{
	fake.created = HANDLE(handle);
	fake.kernel = name;
	return cl->clCreateKernel(HANDLE(PROGRAM), name, NULL);
}

static void launch(uint32_t on, uint32_t of)
{
	const size_t sizes[3] = { 64, 8, 4 }, groups[3] = { 16, 2, 1 };

	cl->clEnqueueNDRangeKernel(HANDLE(on), HANDLE(of), 3, NULL, sizes, groups, 0, NULL, NULL);
}

/* The driver has completed what it was given last. */
static void completes(cl_int status)
{
	fake.notify(HANDLE(OWN_EVENT + fake.events - 1), status, fake.word);
}

/* Each function that the layer has none of its own for, with arguments by their names. */
TEST(every_function)
{
	const size_t sizes[3] = { 8, 5, 3 };
	cl_event event;
	cl_int status;

	queue(QUEUE, 0);
	kernel(KERNEL, "work");
	said_is("every_function 1");
#define WITH(role, type, name)	  WITH_##role(type, name)
#define WITH__(type, name)	  (type)(uintptr_t)(#name[0] + 1000 * sizeof(#name))
#define WITH_QUEUE(type, name)	  HANDLE(QUEUE)
#define WITH_OBJECT(type, name)	  (type)(uintptr_t) KERNEL
#define WITH_SIZE(type, name)	  640
#define WITH_REGION(type, name)	  sizes
#define WITH_PIXELS(type, name)	  sizes
#define WITH_DIM(type, name)	  2
#define WITH_GLOBAL(type, name)	  sizes
#define WITH_LOCAL(type, name)	  sizes + 1
#define WITH_BLOCKING(type, name) CL_FALSE
#define WITH_WAITS(type, name)	  2
#define WITH_LIST(type, name)	  (type)(uintptr_t) 88
#define WITH_EVENT(type, name)	  &event
#define WITH_ERROR(type, name)	  &status
#define CALL(name, kind, command, type, ...)                                                       \
	if (lane_cl_real.name == lane_cl_target.name &&                                            \
	    (void *)lane_cl_target.name == fake_##name)                                            \
		cl->name(LANE_CL_LIST(WITH, __VA_ARGS__));
	LANE_OPENCL_FUNCTIONS(CALL)
	said_is("every_function 2");
}

/* Programs are looked through while somebody records, by text in pieces and by SPIR-V. */
TEST(programs)
{
	const char *pieces[] = { "kernel void a() { ato", "mic_inc(x); }junk",
				 "kernel void b() {}" };
	const size_t lengths[] = { 0, 13, 0 };
	cl_int status = 99;

	fake.created = HANDLE(PROGRAM);
	assert_ptr_equal(
		cl->clCreateProgramWithSource(HANDLE(CONTEXT), 3, pieces, lengths, &status),
		HANDLE(PROGRAM));
	assert_int_equal(status, 0);
	cl->clCreateProgramWithSource(HANDLE(CONTEXT), 1, pieces, NULL, NULL);
	cl->clCreateProgramWithIL(HANDLE(CONTEXT), spirv, sizeof(spirv), &status);
	said_is("programs 1");
	/* what the driver refuses is not looked at */
	fake.status = -30;
	assert_null(cl->clCreateProgramWithSource(HANDLE(CONTEXT), 0, NULL, NULL, &status));
	assert_int_equal(status, -30);
	fake.status = -30;
	assert_null(cl->clCreateProgramWithIL(HANDLE(CONTEXT), NULL, 10, &status));
	is_recorded = false;
	cl->clCreateProgramWithIL(HANDLE(CONTEXT), spirv, sizeof(spirv), &status);
	is_recorded = true;
	said_is("programs 2");
}

/* What is told of a command, when the driver tells that it is complete. */
TEST(commands)
{
	char bytes[8];
	cl_event event;

	fake.queue = queue(QUEUE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	kernel(KERNEL, "work");
	said_is("commands 1");
	launch(QUEUE, KERNEL);
	fake.ns = 5000;
	completes(0);
	said_is("commands 2");
	launch(QUEUE, KERNEL);
	completes(-14);
	fake.ns = 0; /* none can be had */
	launch(QUEUE, KERNEL);
	completes(0);
	said_is("commands 3");
	fake.ns = 6000;
	cl->clEnqueueReadBuffer(HANDLE(QUEUE), HANDLE(BUFFER), CL_TRUE, 0, sizeof(bytes), bytes, 1,
				&event, &event);
	fake.ns = 0; /* not yet */
	cl->clEnqueueReadBuffer(HANDLE(QUEUE), HANDLE(BUFFER), CL_TRUE, 0, sizeof(bytes), bytes, 0,
				NULL, NULL);
	fake.ns = 7000;
	completes(0);
	said_is("commands 4");
	fake.status = -5;
	launch(QUEUE, KERNEL);
	said_is("commands 5");
	launch(QUEUE, KERNEL);
	is_recorded = false;
	completes(0);
	launch(QUEUE, KERNEL);
	is_recorded = true;
	said_is("commands 6");
	/* a driver that sets no call-back */
	fake.ns = 0;
	fake.no_notify = true;
	cl->clEnqueueTask(HANDLE(QUEUE), HANDLE(KERNEL), 0, NULL, NULL);
	said_is("commands 7");
	fake.no_notify = false;
	fake.ns = 5000;
}

/* Profiling that the program has not asked for it does not see. */
TEST(hidden_profiling)
{
	const cl_queue_properties asked[] = { CL_QUEUE_SIZE, 64, CL_QUEUE_PROPERTIES,
					      CL_QUEUE_ON_DEVICE, 0 };
	cl_command_queue_properties properties;
	cl_queue_properties array[5];
	cl_command_queue made;
	cl_ulong ns;
	size_t size;

	made = queue(QUEUE, 0);
	fake.properties = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE;
	fake.queue = made;
	assert_true(opencl_queue_is_hidden(made));
	cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				  &size);
	assert_int_equal(properties, CL_QUEUE_ON_DEVICE);
	cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof(array), array, &size);
	assert_int_equal(size, 24);
	assert_int_equal(array[1], CL_QUEUE_ON_DEVICE);
	assert_int_equal(cl->clGetEventProfilingInfo(HANDLE(EVENT), CL_PROFILING_COMMAND_END,
						     sizeof(ns), &ns, NULL),
			 CL_PROFILING_INFO_NOT_AVAILABLE);
	said_is("hidden_profiling 1");
	/* switched off, it was off; switched on, it is the program's */
	cl->clSetCommandQueueProperty(made, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_TRUE,
				      &properties);
	assert_int_equal(properties, CL_QUEUE_ON_DEVICE);
	assert_true(opencl_queue_is_hidden(made));
	fake.status = -30;
	cl->clSetCommandQueueProperty(made, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL);
	assert_true(opencl_queue_is_hidden(made));
	cl->clSetCommandQueueProperty(made, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &properties);
	assert_int_equal(properties, CL_QUEUE_ON_DEVICE);
	assert_false(opencl_queue_is_hidden(made));
	cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL);
	assert_int_equal(properties, fake.properties);
	assert_int_equal(cl->clGetEventProfilingInfo(HANDLE(EVENT), CL_PROFILING_COMMAND_END,
						     sizeof(ns), &ns, NULL),
			 0);
	assert_int_equal(ns, 5000);
	said_is("hidden_profiling 2");
	/* by properties; none; as the program asked only, where there is no other */
	fake.created = HANDLE(QUEUE + 1);
	made = cl->clCreateCommandQueueWithProperties(HANDLE(CONTEXT), HANDLE(DEVICE), asked, NULL);
	assert_int_equal(
		cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, 32, array, &size),
		CL_INVALID_VALUE);
	assert_int_equal(cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof(array),
						   array, &size),
			 0);
	assert_int_equal(size, sizeof(asked));
	assert_memory_equal(array, asked, sizeof(asked));
	fake.created = HANDLE(QUEUE + 2);
	made = cl->clCreateCommandQueueWithProperties(HANDLE(CONTEXT), HANDLE(DEVICE), NULL, NULL);
	assert_int_equal(cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof(array),
						   array, &size),
			 0);
	assert_int_equal(size, 0);
	fake.created = HANDLE(QUEUE + 3);
	fake.status = -30;
	made = cl->clCreateCommandQueueWithProperties(HANDLE(CONTEXT), HANDLE(DEVICE), asked, NULL);
	assert_false(opencl_queue_is_hidden(made));
	fake.created = HANDLE(QUEUE + 4);
	fake.status = -30;
	made = cl->clCreateCommandQueue(HANDLE(CONTEXT), HANDLE(DEVICE), 0, NULL);
	assert_false(opencl_queue_is_hidden(made));
	made = queue(QUEUE + 5, CL_QUEUE_PROFILING_ENABLE);
	assert_false(opencl_queue_is_hidden(made));
	setenv("GPULANE_OPENCL_PROFILING", "never", 1);
	assert_false(opencl_queue_is_hidden(queue(QUEUE + 6, 0)));
	is_recorded = false;
	setenv("GPULANE_OPENCL_PROFILING", "always", 1);
	assert_true(opencl_queue_is_hidden(queue(QUEUE + 6, 0)));
	unsetenv("GPULANE_OPENCL_PROFILING");
	assert_false(opencl_queue_is_hidden(queue(QUEUE + 6, 0)));
	is_recorded = true;
	fake.properties = 0;
	said_is("hidden_profiling 3");
}

/* Another kernel or queue at the address of one that is gone is told of anew, whoever made it and
 * when. */
TEST(addresses_used_again)
{
	cl_kernel made[3];
	cl_uint n;

	queue(QUEUE, 0);
	kernel(KERNEL, "first");
	launch(QUEUE, KERNEL);
	kernel(KERNEL, "second");
	queue(QUEUE, CL_QUEUE_PROFILING_ENABLE);
	said_is("addresses_used_again 1");
	is_recorded = false;
	kernel(KERNEL, "third");
	queue(QUEUE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	is_recorded = true;
	fake.properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	launch(QUEUE, KERNEL);
	launch(QUEUE, KERNEL);
	said_is("addresses_used_again 2");
	fake.created = HANDLE(KERNEL);
	fake.kernel = "clone";
	cl->clCloneKernel(HANDLE(KERNEL + 1), NULL);
	cl->clCreateKernelsInProgram(HANDLE(PROGRAM), 1, made, &n);
	assert_int_equal(n, 2);
	cl->clCreateKernelsInProgram(HANDLE(PROGRAM), 3, made, NULL);
	fake.status = -46;
	cl->clCreateKernel(HANDLE(PROGRAM), "none", NULL);
	said_is("addresses_used_again 3");
	fake.properties = 0;
}

/* Clocks of devices that have one are read between two events, every 100 ms. */
TEST(clocks)
{
	memset(devices, 0, sizeof(devices));
	fake.version = "OpenCL 2.0 fake";
	queue(QUEUE, 0);
	fake.version = "OpenCL 2.1 fake";
	fake.parent = HANDLE(9);
	queue(QUEUE, 0);
	fake.parent = NULL;
	fake.status = 0;
	said_is("clocks 1");
	queue(QUEUE, 0);
	fake_now.tv_sec++;
	fake.ns = 1234;
	launch(QUEUE, KERNEL);
	fake_now.tv_nsec = 99999999;
	launch(QUEUE, KERNEL);
	said_is("clocks 2");
	fake_now.tv_nsec = 100000000;
	launch(QUEUE, KERNEL);
	said_is("clocks 3");
	fake_now.tv_nsec = 0;
	fake.ns = 5000;
}

/* Functions of extensions are the layer's; others the driver's. */
TEST(extensions)
{
	const char *name = "clEnqueueMemcpyINTEL";
	clEnqueueMemcpyINTEL_fn copy =
		cl->clGetExtensionFunctionAddressForPlatform(HANDLE(7), name);
	clCreateCommandQueueWithPropertiesKHR_fn create;

	create = cl->clGetExtensionFunctionAddress("clCreateCommandQueueWithPropertiesKHR");
	assert_ptr_equal(cl->clGetExtensionFunctionAddress(name), copy);
	assert_ptr_equal(cl->clGetExtensionFunctionAddress("clOther"), HANDLE(99));
	n_said = 0;
	fake.created = HANDLE(QUEUE);
	create(HANDLE(CONTEXT), HANDLE(DEVICE), NULL, NULL);
	copy(HANDLE(QUEUE), CL_FALSE, HANDLE(BUFFER), HANDLE(BUFFER + 1), 128, 0, NULL, NULL);
	is_recorded = false;
	copy(HANDLE(QUEUE), CL_FALSE, HANDLE(BUFFER), HANDLE(BUFFER + 1), 128, 0, NULL, NULL);
	is_recorded = true;
	said_is("extensions 1");
}

/* What the loader asks the layer itself. */
TEST(the_layer)
{
	cl_layer_api_version version;
	char name[16];
	size_t size;

	assert_int_equal(clGetLayerInfo(CL_LAYER_API_VERSION, sizeof(version), &version, &size), 0);
	assert_int_equal(version, CL_LAYER_API_VERSION_100);
	assert_int_equal(size, sizeof(version));
	assert_int_equal(clGetLayerInfo(CL_LAYER_NAME, sizeof(name), name, &size), 0);
	assert_string_equal(name, "gpulane");
	assert_int_equal(size, 8);
	assert_int_equal(clGetLayerInfo(CL_LAYER_NAME, 7, name, NULL), CL_INVALID_VALUE);
	assert_int_equal(clGetLayerInfo(1, sizeof(name), name, NULL), CL_INVALID_VALUE);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool has_let_go;

/* A driver's thread, which has still something to do when it has called back. */
static void *calls_back(void *unused)
{
	completes(0);
	for (volatile int i = 0; i < 10000000; i++)
		;
	__atomic_store_n(&has_let_go, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&turn);
	pthread_mutex_unlock(&turn);
	return unused;
}

/* The program's exit comes behind the last that the driver's thread does. */
TEST(the_exit)
{
	pthread_t thread;

	queue(QUEUE, 0);
	launch(QUEUE, KERNEL);
	uncalled = 1; /* earlier tests' commands never end */
	pthread_mutex_lock(&turn);
	assert_int_equal(pthread_create(&thread, NULL, calls_back, NULL), 0);
	wait_at_exit();
	assert_true(__atomic_load_n(&has_let_go, __ATOMIC_ACQUIRE));
	pthread_mutex_unlock(&turn);
	pthread_join(thread, NULL);
	assert_int_equal(uncalled, 0);
}

ALL_IN(load, NULL)

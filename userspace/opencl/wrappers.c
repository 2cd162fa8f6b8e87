// SPDX-License-Identifier: MIT
// The functions that programs call, all generated from opencl.def.
#include "opencl/layer.h"

#include <CL/cl_ext.h>
#include <string.h>

/* The values of OpenCL, and those of the table. */
#define CHECK(name, value, class)                                                                  \
	_Static_assert((value) == CL_COMMAND_##name, "CL_COMMAND_" #name " is what it is");
LANE_OPENCL_COMMANDS(CHECK)
#undef CHECK

enum {
	DIMENSIONS = 3,
	WAITS_SHIFT = 8,
	WAITS_MAX = (1 << 24) - 1,
};

/* Work items: a program's mistakes (no sizes, too many dimensions) are the driver's to find. */
static uint64_t work_items(cl_uint dimensions, const size_t *sizes)
{
	uint64_t items = 1;

	if (!sizes || !dimensions || dimensions > DIMENSIONS)
		return 0;
	for (cl_uint i = 0; i < dimensions; i++)
		items *= sizes[i];
	return items;
}

static uint64_t pixels_bytes(uint64_t image, const size_t *region)
{
	size_t element = 0;

	if (!region || LANE_CL_LOAD(lane_cl_target,
				    clGetImageInfo)((cl_mem)(uintptr_t)image, CL_IMAGE_ELEMENT_SIZE,
						    sizeof(element), &element, NULL))
		return 0;
	return work_items(DIMENSIONS, region) * element;
}

/* What a call tells of itself before it is made, and what is kept for after. */
struct call {
	struct lane_p_opencl_call_entry entry;
	cl_uint dimensions;
	cl_int status;	 /* where the function has somewhere to put it */
	cl_int *error;	 /* where it puts it */
	cl_event event;	 /* the layer's own, where the program passed none */
	cl_event *where; /* where the event goes; NULL: the function has none */
};

/* Each argument by its role. */
#define TAKE(role, type, name) TAKE_##role(name)
#define TAKE__(name)
#define TAKE_QUEUE(name)    call.entry.queue = (uintptr_t)(name);
#define TAKE_OBJECT(name)   call.entry.object = (uintptr_t)(name);
#define TAKE_SIZE(name)	    call.entry.size = (name);
#define TAKE_REGION(name)   call.entry.size = work_items(DIMENSIONS, name);
#define TAKE_PIXELS(name)   call.entry.size = pixels_bytes(call.entry.object, name);
#define TAKE_DIM(name)	    call.dimensions = (name);
#define TAKE_GLOBAL(name)   call.entry.size = work_items(call.dimensions, name);
#define TAKE_LOCAL(name)    call.entry.group = work_items(call.dimensions, name);
#define TAKE_BLOCKING(name) call.entry.flags |= (name) ? 1u : 0u;
#define TAKE_WAITS(name)                                                                           \
	call.entry.flags |= ((name) > WAITS_MAX ? WAITS_MAX : (name)) << WAITS_SHIFT;
#define TAKE_LIST(name)
#define TAKE_EVENT(name) call.where = (name) ? (name) : &call.event;
#define TAKE_ERROR(name) call.error = (name) ? (name) : &call.status;

/* What is passed on instead of an argument. */
#define PASS(role, type, name) PASS_##role(name)
#define PASS__(name)	       name
#define PASS_QUEUE(name)       name
#define PASS_OBJECT(name)      name
#define PASS_SIZE(name)	       name
#define PASS_REGION(name)      name
#define PASS_PIXELS(name)      name
#define PASS_DIM(name)	       name
#define PASS_GLOBAL(name)      name
#define PASS_LOCAL(name)       name
#define PASS_BLOCKING(name)    name
#define PASS_WAITS(name)       name
#define PASS_LIST(name)	       name
#define PASS_EVENT(name)       call.where
#define PASS_ERROR(name)       call.error

/* The status of a call: what it returned, or where it put it. */
#define STATUS(result)	 _Generic((result), cl_int : (result), default : call.error ? *call.error : 0)
#define RETURNED(result) _Generic((result), cl_int : 0, default : (uintptr_t)(result))

static inline void tell_exit(const struct call *call, uint64_t returned, uint64_t command,
			     cl_int status)
{
	const struct lane_p_opencl_call_exit left = {
		.queue = call->entry.queue,
		.object = returned,
		.command = command,
		.status = status,
		.function = call->entry.function,
	};

	lttng_ust_tracepoint(gpulane, opencl_call_exit, &left);
}

/* The kernel and the queue of an enqueue may be older than the recording. */
static void tell_before(const struct call *call, unsigned int command)
{
	if (call->entry.queue)
		opencl_tell_queue((cl_command_queue)(uintptr_t)call->entry.queue);
	if ((command == LANE_CLC_NDRANGE_KERNEL || command == LANE_CLC_TASK) && call->entry.object)
		opencl_tell_kernel((cl_kernel)(uintptr_t)call->entry.object);
	opencl_tell_clocks();
}

/* After an enqueue: the command's number, 0 when there is none or it cannot be followed. */
static uint64_t wrappers_follow(struct call *call, unsigned int command, cl_int status)
{
	bool owned = call->where == &call->event;
	uint64_t number;

	if (status || !call->where || !*call->where || command == LANE_CLC_NONE)
		return 0;
	number = opencl_command_number();
	return opencl_command_follow(*call->where, number,
				     (cl_command_queue)(uintptr_t)call->entry.queue, command, owned,
				     call->entry.flags & 1)
		       ? number
		       : 0;
}

/* clang-format off */
#define BEFORE(name, ...)                                                                          \
	struct call call = { .entry.function = LANE_CLF_##name };                                  \
	LANE_CL_MAP(TAKE, __VA_ARGS__)

/* The traced functions, by their kind; call_real(...) is what is traced. */
#define TRACED(name, kind, command, type, ...)                                                     \
	static __attribute__((noinline)) type CL_API_CALL traced_##name                            \
		LANE_CL_PROTO(__VA_ARGS__)                                                         \
	{                                                                                          \
		BEFORE(name, __VA_ARGS__)                                                          \
		TRACED_##kind(LANE_CL_LOAD(lane_cl_real, name), command, type, __VA_ARGS__)        \
	}
#define TRACED_PLAIN(call_real, command, type, ...)                                                     \
	type result;                                                                               \
	lttng_ust_tracepoint(gpulane, opencl_call_entry, &call.entry);                             \
	result = call_real(LANE_CL_LIST(PASS, __VA_ARGS__));                                       \
	tell_exit(&call, RETURNED(result), 0, STATUS(result));                                     \
	return result;
#define TRACED_ENQUEUE(call_real, command, type, ...)                                                   \
	type result;                                                                               \
	tell_before(&call, LANE_CLC_##command);                                                    \
	if (LANE_CLC_##command == LANE_CLC_TASK)                                                   \
		call.entry.size = call.entry.group = 1;                                            \
	lttng_ust_tracepoint(gpulane, opencl_call_entry, &call.entry);                             \
	result = call_real(LANE_CL_LIST(PASS, __VA_ARGS__));                                       \
	tell_exit(&call, 0, wrappers_follow(&call, LANE_CLC_##command, STATUS(result)), STATUS(result));    \
	return result;
#define TRACED_CREATE(...)  TRACED_PLAIN(__VA_ARGS__)
#define TRACED_RETAIN(...)  TRACED_PLAIN(__VA_ARGS__)
#define TRACED_RELEASE(...) TRACED_PLAIN(__VA_ARGS__)
#define TRACED_QUERY(...)   TRACED_PLAIN(__VA_ARGS__)
#define TRACED_SET(...)     TRACED_PLAIN(__VA_ARGS__)
#define TRACED_BUILD(...)   TRACED_PLAIN(__VA_ARGS__)
#define TRACED_FLUSH(...)   TRACED_PLAIN(__VA_ARGS__)
#define TRACED_SYNC(...)    TRACED_PLAIN(__VA_ARGS__)
#define TRACED_FREE(call_real, command, type, ...)                                                      \
	lttng_ust_tracepoint(gpulane, opencl_call_entry, &call.entry);                             \
	call_real(LANE_CL_LIST(PASS, __VA_ARGS__));                                                \
	tell_exit(&call, 0, 0, 0);
/* clang-format on */

LANE_OPENCL_FUNCTIONS(TRACED)

/* clang-format off */
/* What the loader calls; not recording costs one test and the jump. */
#define LAYER(name, kind, command, type, ...)                                                      \
	static type CL_API_CALL layer_##name LANE_CL_PROTO(__VA_ARGS__)                            \
	{                                                                                          \
		if (__builtin_expect(!opencl_tracing(), 1))                                       \
			return LANE_CL_LOAD(lane_cl_real, name) LANE_CL_PASS(__VA_ARGS__);         \
		return traced_##name LANE_CL_PASS(__VA_ARGS__);                                    \
	}
LANE_OPENCL_FUNCTIONS(LAYER)

/* What programs call where the object is preloaded. */
#define EXPORTED(name, kind, command, type, ...)                                                   \
	__attribute__((visibility("default"))) type CL_API_CALL name LANE_CL_PROTO(__VA_ARGS__)    \
	{                                                                                          \
		if (__builtin_expect(!opencl_tracing(), 1) ||                         \
		    __atomic_load_n(&lane_cl_layered, __ATOMIC_RELAXED))                    \
			return LANE_CL_LOAD(lane_cl_next, name) LANE_CL_PASS(__VA_ARGS__);         \
		return traced_##name LANE_CL_PASS(__VA_ARGS__);                                    \
	}
LANE_OPENCL_FUNCTIONS(EXPORTED)

#define POINTER(name, ...) .name = layer_##name,
const struct lane_cl_table lane_cl_layer = { LANE_OPENCL_FUNCTIONS(POINTER) };

/* --- extensions --- */

/* Each driver has an address of its own for a function. Of so many drivers the calls are seen. */
#define SLOTS 4

#define CALL_ENQUEUE below
#define CALL_CREATE(...) opencl_create_queue_by(below, __VA_ARGS__)
#define SLOT(slot, name, kind, type, ...)                                                          \
	static type CL_API_CALL name##_##slot LANE_CL_PROTO(__VA_ARGS__)                           \
	{                                                                                          \
		type(CL_API_CALL *below) LANE_CL_PROTO(__VA_ARGS__) =                              \
			(type(CL_API_CALL *) LANE_CL_PROTO(__VA_ARGS__))below_##name[slot];        \
                                                                                                   \
		if (!opencl_tracing())                                                             \
			return CALL_##kind(LANE_CL_LIST(LANE_CL_NAME, __VA_ARGS__));               \
		return traced_##name(below, LANE_CL_LIST(LANE_CL_NAME, __VA_ARGS__));              \
	}
#define EXTENSION(name, kind, command, type, ...)                                                  \
	static uintptr_t below_##name[SLOTS];                                                      \
	static __attribute__((noinline)) type traced_##name(                                       \
		type(CL_API_CALL *below) LANE_CL_PROTO(__VA_ARGS__),                               \
		LANE_CL_LIST(LANE_CL_DECLARE, __VA_ARGS__))                                        \
	{                                                                                          \
		BEFORE(name, __VA_ARGS__)                                                          \
		TRACED_##kind(CALL_##kind, command, type, __VA_ARGS__)                             \
	}                                                                                          \
	SLOT(0, name, kind, type, __VA_ARGS__)                                                     \
	SLOT(1, name, kind, type, __VA_ARGS__)                                                     \
	SLOT(2, name, kind, type, __VA_ARGS__)                                                     \
	SLOT(3, name, kind, type, __VA_ARGS__)
LANE_OPENCL_EXTENSIONS(EXTENSION)

/* Our function for a driver's; the driver's own, when there are too many. */
static uintptr_t slot_of(uintptr_t *below, const uintptr_t *ours, uintptr_t function)
{
	for (int i = 0; i < SLOTS; i++) {
		uintptr_t seen = 0;

		if (__atomic_compare_exchange_n(&below[i], &seen, function, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    seen == function)
			return ours[i];
	}
	return function;
}

/* What a program gets for the address of an extension's function. */
static void *extension(const char *asked, void *function)
{
	uintptr_t ours = (uintptr_t)function;

	if (!asked || !function)
		return function;
#define ONE_OF(name, ...)                                                                          \
	if (!strcmp(asked, #name))                                                                 \
		ours = slot_of(below_##name,                                                       \
			       (const uintptr_t[SLOTS]){ (uintptr_t)name##_0, (uintptr_t)name##_1, \
							 (uintptr_t)name##_2, (uintptr_t)name##_3 },\
			       ours);
	LANE_OPENCL_EXTENSIONS(ONE_OF)
#undef ONE_OF
	return (void *)ours;
}
/* clang-format on */

void *CL_API_CALL lane_cl_get_extension(const char *name)
{
	return extension(name, LANE_CL_LOAD(lane_cl_target, clGetExtensionFunctionAddress)(name));
}

void *CL_API_CALL lane_cl_get_extension_for(cl_platform_id platform, const char *name)
{
	return extension(name,
			 LANE_CL_LOAD(lane_cl_target,
				      clGetExtensionFunctionAddressForPlatform)(platform, name));
}

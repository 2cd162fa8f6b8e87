// SPDX-License-Identifier: MIT
// What lies below the layer: the functions that the loader gives it, or those behind it in the
// link.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/layer.h"

#include <CL/cl_layer.h>

#define LOADER_FILE "libOpenCL.so.1"
#define LAYER_FILE  "libgpulane-opencl.so"

bool lane_cl_layered;
bool lane_cl_ending;
bool lane_cl_forked;

/* clang-format off */
/* A function that the loader does not have says so. */
#define GIVE_UP(role, type, name)  GIVE_UP_##role(name)
#define GIVE_UP__(name)		   (void)(name);
#define GIVE_UP_QUEUE(name)	   (void)(name);
#define GIVE_UP_OBJECT(name)	   (void)(name);
#define GIVE_UP_SIZE(name)	   (void)(name);
#define GIVE_UP_REGION(name)	   (void)(name);
#define GIVE_UP_PIXELS(name)	   (void)(name);
#define GIVE_UP_DIM(name)	   (void)(name);
#define GIVE_UP_GLOBAL(name)	   (void)(name);
#define GIVE_UP_LOCAL(name)	   (void)(name);
#define GIVE_UP_BLOCKING(name)	   (void)(name);
#define GIVE_UP_WAITS(name)	   (void)(name);
#define GIVE_UP_LIST(name)	   (void)(name);
#define GIVE_UP_EVENT(name)	   (void)(name);
#define GIVE_UP_ERROR(name)	   if (name) *(name) = CL_INVALID_OPERATION;
#define NOTHING(kind, type)	   NOTHING_##kind(type)
#define NOTHING_SOME(type)	   return _Generic((type)0, cl_int: CL_INVALID_OPERATION, default: NULL);
#define NOTHING_ENQUEUE(type)	   NOTHING_SOME(type)
#define NOTHING_CREATE(type)	   NOTHING_SOME(type)
#define NOTHING_RETAIN(type)	   NOTHING_SOME(type)
#define NOTHING_RELEASE(type)	   NOTHING_SOME(type)
#define NOTHING_FREE(type)
#define NOTHING_QUERY(type)	   NOTHING_SOME(type)
#define NOTHING_SET(type)	   NOTHING_SOME(type)
#define NOTHING_BUILD(type)	   NOTHING_SOME(type)
#define NOTHING_FLUSH(type)	   NOTHING_SOME(type)
#define NOTHING_SYNC(type)	   NOTHING_SOME(type)
#define MISSING(name, kind, command, type, ...)                                                    \
	static type CL_API_CALL missing_##name LANE_CL_PROTO(__VA_ARGS__)                          \
	{                                                                                          \
		LANE_CL_MAP(GIVE_UP, __VA_ARGS__)                                                  \
		NOTHING(kind, type)                                                                \
	}
LANE_OPENCL_FUNCTIONS(MISSING)

/* Until the first call nobody has looked where the functions are. */
#define LAZY(name, kind, command, type, ...)                                                       \
	static type CL_API_CALL lazy_##name LANE_CL_PROTO(__VA_ARGS__)                             \
	{                                                                                          \
		opencl_resolve();                                                                 \
		return LANE_CL_LOAD(lane_cl_next, name) LANE_CL_PASS(__VA_ARGS__);                 \
	}
LANE_OPENCL_FUNCTIONS(LAZY)

#define POINT_LAZY(name, ...) .name = lazy_##name,
struct lane_cl_table lane_cl_target = { LANE_OPENCL_FUNCTIONS(POINT_LAZY) };
struct lane_cl_table lane_cl_real = { LANE_OPENCL_FUNCTIONS(POINT_LAZY) };
struct lane_cl_table lane_cl_next = { LANE_OPENCL_FUNCTIONS(POINT_LAZY) };
/* clang-format on */

#define STORE(table, name, value) __atomic_store_n(&(table).name, value, __ATOMIC_RELEASE)

/* True when the loader is told to take us as a layer; what is preloaded then only passes on. */
static bool is_to_be_layered(void)
{
	const char *layers = getenv("OPENCL_LAYERS");

	return layers && strstr(layers, LAYER_FILE);
}

static void publish(struct lane_cl_table *to, const struct lane_cl_table *from)
{
#define PUBLISH(name, ...) STORE(*to, name, from->name);
	LANE_OPENCL_FUNCTIONS(PUBLISH)
#undef PUBLISH
}

/* The functions behind us: the loader in the link order, or one that was opened by hand. */
static void find_next(struct lane_cl_table *found)
{
	void *loader = NULL;
	void *function;

	(void)loader;
#define FIND(name, ...)                                                                            \
	function = dlsym(RTLD_NEXT, #name);                                                        \
	if (!function && (loader || (loader = dlopen(LOADER_FILE, RTLD_LAZY | RTLD_LOCAL))))       \
		function = dlsym(loader, #name);                                                   \
	found->name = missing_##name;                                                              \
	if (function)                                                                              \
		memcpy(&found->name, &function, sizeof(function));
	LANE_OPENCL_FUNCTIONS(FIND)
#undef FIND
}

static void resolve(void)
{
	struct lane_cl_table found;

	find_next(&found);
	if (lane_cl_layered || is_to_be_layered()) {
		__atomic_store_n(&lane_cl_layered, true, __ATOMIC_RELAXED);
		publish(&lane_cl_next, &found);
		return;
	}
	publish(&lane_cl_target, &found);
	opencl_patch(&found);
	publish(&lane_cl_real, &found);
	publish(&lane_cl_next, &found);
}

void opencl_resolve(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, resolve);
}

__attribute__((destructor)) static void end(void)
{
	__atomic_store_n(&lane_cl_ending, true, __ATOMIC_RELAXED);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info param_name, size_t param_value_size, void *param_value,
	       size_t *param_value_size_ret)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char name[] = "gpulane";
	const void *value;
	size_t bytes;

	if (param_name == CL_LAYER_API_VERSION) {
		value = &version;
		bytes = sizeof(version);
	} else if (param_name == CL_LAYER_NAME) {
		value = name;
		bytes = sizeof(name);
	} else {
		return CL_INVALID_VALUE;
	}
	if (param_value && param_value_size < bytes)
		return CL_INVALID_VALUE;
	if (param_value)
		memcpy(param_value, value, bytes);
	if (param_value_size_ret)
		*param_value_size_ret = bytes;
	return CL_SUCCESS;
}

/* What the loader gives us lies below; a shorter table leaves functions missing. */
static void take_target(const cl_icd_dispatch *target, cl_uint n_entries)
{
	struct lane_cl_table found;

#define TAKE(name, ...)                                                                            \
	found.name = missing_##name;                                                               \
	if (offsetof(cl_icd_dispatch, name) / sizeof(void *) < n_entries && target->name)          \
		memcpy(&found.name, &target->name, sizeof(found.name));
	LANE_OPENCL_FUNCTIONS(TAKE)
#undef TAKE
	publish(&lane_cl_target, &found);
	opencl_patch(&found);
	publish(&lane_cl_real, &found);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch, cl_uint *num_entries_ret,
	    const cl_icd_dispatch **layer_dispatch_ret)
{
	enum {
		ENTRIES = sizeof(cl_icd_dispatch) / sizeof(void *)
	};
	cl_uint n = num_entries > ENTRIES ? num_entries : ENTRIES;
	static bool initialized;
	cl_icd_dispatch *ours;

	if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret)
		return CL_INVALID_VALUE;
	/* Lives as long as the process; twice in OPENCL_LAYERS, the second only passes on. */
	ours = calloc(n, sizeof(void *));
	if (!ours)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(ours, target_dispatch, num_entries * sizeof(void *));
	*num_entries_ret = n;
	*layer_dispatch_ret = ours;
	if (initialized)
		return CL_SUCCESS;
	initialized = true;
	__atomic_store_n(&lane_cl_layered, true, __ATOMIC_RELAXED);
	take_target(target_dispatch, num_entries);
#define REPLACE(name, ...) memcpy(&ours->name, &lane_cl_layer.name, sizeof(ours->name));
	LANE_OPENCL_FUNCTIONS(REPLACE)
#undef REPLACE
	return CL_SUCCESS;
}

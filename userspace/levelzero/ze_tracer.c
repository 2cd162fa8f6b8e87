// SPDX-License-Identifier: MIT
// Programs that trace themselves (zelTracer*, as PTI and so PyTorch's profiler do): the loader's
// own tracing layer, whose place we have, is above us wherever it would be without us.
//
// Loaders since 1.16 ask a tracing layer for each table twice: for a copy, which
// zelEnableTracingLayer() exchanges for the program's, and, where ZE_ENABLE_TRACING_LAYER is set,
// for the program's. Loaders before ask once, where it is set (level-zero,
// source/loader/ze_ldrddi.cpp). We set it for ourselves: the program's table has the loader's layer
// only if the program has set it, too.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "levelzero/ze_layer.h"
#include "levelzero/ze_tracers.def"

#define EXPORT	     __attribute__((visibility("default")))
#define NOT_THERE    0x78000001 /* what the loader answers without a tracing layer */
#define COPY_AT_MOST 65536

static struct {
	void *library;	 /* the loader's own tracing layer; NULL: a program may bring a loader
			    without */
	bool is_dynamic; /* the loader has copies of its tables */
	bool is_asked;	 /* the program has set the variable */
} tracer;

/* Puts down the path of the loader. */
static int find_loader(struct dl_phdr_info *info, size_t size, void *found)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strncmp(slash + 1, "libze_loader.so", 15) != 0)
		return 0;
	snprintf(found, PATH_MAX, "%s", info->dlpi_name);
	return 1;
}

/* A variable that the program began with lies where the kernel has put it, at the top of the stack
 * above the random bytes. One that the program has set itself lies below: no address is higher. */
static bool is_set_by_program(void)
{
	uintptr_t value = (uintptr_t)getenv("ZE_ENABLE_TRACING_LAYER");

	return value && value < getauxval(AT_RANDOM);
}

static void ze_tracer_find(void)
{
	char path[PATH_MAX + sizeof("libze_tracing_layer.so.1")] = "";
	void *loader;

	tracer.is_asked = is_set_by_program();
	if (!dl_iterate_phdr(find_loader, path))
		return;
	loader = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	tracer.is_dynamic = loader && dlsym(loader, "zelLoaderTracingLayerInit");
	/* It lies beside the loader. */
	strcpy(strrchr(path, '/') + 1, "libze_tracing_layer.so.1");
	tracer.library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

/* A function of the loader's tracing layer; NULL: without us the program would have none either. */
static void *function_of(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, ze_tracer_find);
	return tracer.library && (tracer.is_dynamic || tracer.is_asked)
		       ? dlsym(tracer.library, name)
		       : NULL;
}

/* The loader's copy is on its stack, not far above us. */
static bool is_copy(void **entries)
{
	return (uintptr_t)entries - (uintptr_t)__builtin_frame_address(0) < COPY_AT_MOST;
}

typedef uint32_t get_table_fn(uint32_t, void *);

void levelzero_traced_by_program(const char *getter, uint32_t version, void **entries)
{
	void *function = function_of(getter);
	get_table_fn *get;

	if (!function || !(tracer.is_asked || is_copy(entries)))
		return;
	memcpy(&get, &function, sizeof(get));
	get(version, entries);
}

/* A table of zeros makes zelTracerCreate() and the others answer NOT_THERE; zeInit is not to fail.
 */
EXPORT uint32_t zelGetTracerApiProcAddrTable(uint32_t version, void *entries);
EXPORT uint32_t zelGetTracerApiProcAddrTable(uint32_t version, void *entries)
{
	void *function = function_of(__func__);
	get_table_fn *get;

	memcpy(&get, &function, sizeof(get));
	return get ? get(version, entries) : LANE_ZE_SUCCESS;
}

/* What zelLoaderGetVersions tells of the tracing layer. */
EXPORT uint32_t zelLoaderGetVersion(void *version);
EXPORT uint32_t zelLoaderGetVersion(void *version)
{
	void *function = function_of(__func__);
	uint32_t (*get)(void *);

	memcpy(&get, &function, sizeof(get));
	return get ? get(version) : NOT_THERE;
}

/* own: the program's tracer; type: before or after the call. */
static uint32_t register_by(const char *name, void *own, uint32_t type, void *callback)
{
	void *function = function_of(name);
	uint32_t (*set)(void *, uint32_t, void *);

	memcpy(&set, &function, sizeof(set));
	return set ? set(own, type, callback) : NOT_THERE;
}

/* clang-format off */
#define T(name)                                                                                    \
	EXPORT uint32_t zelTracer##name##RegisterCallback(void *own, uint32_t type, void *callback); \
	EXPORT uint32_t zelTracer##name##RegisterCallback(void *own, uint32_t type, void *callback) \
	{                                                                                          \
		return register_by(__func__, own, type, callback);                                 \
	}
LANE_ZE_TRACED(T)
#undef T
/* clang-format on */

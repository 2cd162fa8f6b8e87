// SPDX-License-Identifier: MIT
// A program that traces itself, by the tracing layer of Level Zero's loader, as profilers do. It
// prints what it could do and how many of its launches it has traced: traced [set] [first]
// [enable|thread] [disable] [again]
//   set      the variable of the environment is set before zeInit
//   first    the tracer is made before zeInit, too
//   enable   the layer is enabled while the program runs; thread: by another thread, in the midst
//   disable  and disabled after that; again: and enabled once more
#include "levelzero.h"

#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/loader/ze_loader.h>
#include <pthread.h>

#define LAUNCHES 10

/* Older loaders do not have all of them. */
#define CALL(name, ...)                                                                            \
	(dlsym(RTLD_DEFAULT, #name) ? ((__typeof__(&name))dlsym(RTLD_DEFAULT, #name))(__VA_ARGS__) \
				    : ZE_RESULT_ERROR_UNKNOWN)
#define SAY(name, ...) printf("%s: 0x%x\n", #name, (unsigned int)CALL(name, __VA_ARGS__))

static unsigned int before, after, waits;
static zel_tracer_handle_t tracer;

static void on_launch(ze_command_list_append_launch_kernel_params_t *params, ze_result_t result,
		      void *own, void **instance)
{
	(void)own;
	*(unsigned int **)instance = &after;
	before += !result && (*params->ppLaunchFuncArgs)->groupCountX == 4;
}

static void on_launched(ze_command_list_append_launch_kernel_params_t *params, ze_result_t result,
			void *own, void **instance)
{
	(void)params;
	(void)own;
	**(unsigned int **)instance += !result;
}

static void on_waited(ze_event_host_synchronize_params_t *params, ze_result_t result, void *own,
		      void **instance)
{
	(void)params;
	(void)own;
	(void)instance;
	waits += !result;
}

static void make_tracer(void)
{
	zel_tracer_desc_t desc = { .stype = ZEL_STRUCTURE_TYPE_TRACER_DESC };

	SAY(zelTracerCreate, &desc, &tracer);
	if (!tracer)
		return;
	SAY(zelTracerCommandListAppendLaunchKernelRegisterCallback, tracer, ZEL_REGISTER_PROLOGUE,
	    on_launch);
	SAY(zelTracerCommandListAppendLaunchKernelRegisterCallback, tracer, ZEL_REGISTER_EPILOGUE,
	    on_launched);
	SAY(zelTracerEventHostSynchronizeRegisterCallback, tracer, ZEL_REGISTER_EPILOGUE,
	    on_waited);
	SAY(zelTracerSetEnabled, tracer, true);
}

static void *enable(void *unused)
{
	SAY(zelEnableTracingLayer);
	return unused;
}

static void launches(ze_command_list_handle_t list)
{
	must(zeEventHostReset(events[0]), "zeEventHostReset");
	for (int i = 0; i < LAUNCHES; i++)
		launch(list, i + 1 < LAUNCHES ? NULL : events[0], 0, NULL);
	must(zeEventHostSynchronize(events[0], UINT64_MAX), "zeEventHostSynchronize");
	printf("traced %u, %u, %u\n", before, after, waits);
}

static void say_versions(void)
{
	zel_component_version_t versions[8] = { 0 };
	size_t n = 8;

	SAY(zelLoaderGetVersions, &n, versions);
	for (size_t i = 0; i < n && i < 8 && *versions[i].component_name; i++)
		printf("%s %d.%d.%d\n", versions[i].component_name,
		       versions[i].component_lib_version.major,
		       versions[i].component_lib_version.minor,
		       versions[i].component_lib_version.patch);
}

static bool asked(int argc, char **argv, const char *word)
{
	while (--argc > 0)
		if (!strcmp(argv[argc], word))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	ze_command_list_handle_t list;
	pthread_t thread;

	if (asked(argc, argv, "set"))
		setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);
	if (asked(argc, argv, "first"))
		make_tracer();
	begin();
	say_versions();
	load_kernel();
	pool = make_events(events, EVENTS);
	list = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);
	if (asked(argc, argv, "enable"))
		enable(NULL);
	if (!tracer)
		make_tracer();
	launches(list);
	if (asked(argc, argv, "thread") && !pthread_create(&thread, NULL, enable, NULL))
		pthread_join(thread, NULL);
	launches(list);
	if (asked(argc, argv, "disable"))
		SAY(zelDisableTracingLayer);
	launches(list);
	if (asked(argc, argv, "again"))
		enable(NULL);
	launches(list);
	if (tracer) {
		SAY(zelTracerSetEnabled, tracer, false);
		SAY(zelTracerDestroy, tracer);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
// What the programs for Level Zero have in common: a context, a kernel, events, a list, a launch.
#include <errno.h>
#include <inttypes.h>
#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS 8

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_kernel_handle_t kernel;
static ze_event_pool_handle_t pool;
static ze_event_handle_t events[EVENTS];
static ze_device_properties_t properties = { .stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES };

static void must(ze_result_t result, const char *what)
{
	if (result == ZE_RESULT_SUCCESS)
		return;
	fprintf(stderr, "%s: %s: 0x%x\n", program_invocation_short_name, what, result);
	exit(1);
}

static void begin(void)
{
	ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	uint32_t n = 1;

	must(zeInit(0), "zeInit");
	must(zeDriverGet(&n, &driver), "zeDriverGet");
	n = 1;
	must(zeDeviceGet(driver, &n, &device), "zeDeviceGet");
	must(zeDeviceGetProperties(device, &properties), "zeDeviceGetProperties");
	must(zeContextCreate(driver, &desc, &context), "zeContextCreate");
}

// SPIR-V of `kernel void tick() { }`, since nothing here compiles OpenCL C without OpenCL.
static void load_kernel(void)
{
	static const char name[8] = "tick";
	uint32_t code[] = {
		0x07230203,    0x00010000, 0, 6, 0, /* header, identifiers below 6 */
		2 << 16 | 17,  4,		    /* OpCapability Addresses */
		2 << 16 | 17,  6,		    /* Kernel */
		3 << 16 | 14,  2,	   2,	    /* OpMemoryModel Physical64 OpenCL */
		5 << 16 | 15,  6,	   3, 0, 0, /* OpEntryPoint Kernel %3 "tick" */
		2 << 16 | 19,  1,		    /* %1 = OpTypeVoid */
		3 << 16 | 33,  2,	   1,	    /* %2 = OpTypeFunction %1 */
		5 << 16 | 54,  1,	   3, 0, 2, /* %3 = OpFunction %1 None %2 */
		2 << 16 | 248, 4,		    /* %4 = OpLabel */
		1 << 16 | 253,			    /* OpReturn */
		1 << 16 | 56,			    /* OpFunctionEnd */
	};
	ze_module_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
				  .format = ZE_MODULE_FORMAT_IL_SPIRV,
				  .inputSize = sizeof(code),
				  .pInputModule = (const uint8_t *)code };
	ze_kernel_desc_t kernel_desc = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
					 .pKernelName = name };
	ze_module_handle_t module;

	memcpy(code + 15, name, 8);
	must(zeModuleCreate(context, device, &desc, &module, NULL), "zeModuleCreate");
	must(zeKernelCreate(module, &kernel_desc, &kernel), "zeKernelCreate");
	must(zeKernelSetGroupSize(kernel, 16, 1, 1), "zeKernelSetGroupSize");
}

// n events with times, in a pool of their own.
static ze_event_pool_handle_t make_events(ze_event_handle_t *made, uint32_t n)
{
	ze_event_pool_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
				      .count = n,
				      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
					       ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP };
	ze_event_pool_handle_t of;

	must(zeEventPoolCreate(context, &desc, 1, &device, &of), "zeEventPoolCreate");
	for (uint32_t i = 0; i < n; i++) {
		ze_event_desc_t event = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
					  .index = i,
					  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
					  .wait = ZE_EVENT_SCOPE_FLAG_HOST };

		must(zeEventCreate(of, &event, &made[i]), "zeEventCreate");
	}
	return of;
}

static ze_command_list_handle_t immediate_list(ze_command_queue_flags_t flags, uint32_t ordinal)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .ordinal = ordinal,
					 .flags = flags,
					 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS };
	ze_command_list_handle_t list;

	must(zeCommandListCreateImmediate(context, device, &desc, &list),
	     "zeCommandListCreateImmediate");
	return list;
}

static void launch(ze_command_list_handle_t list, ze_event_handle_t event, uint32_t n_waits,
		   ze_event_handle_t *waits)
{
	ze_group_count_t groups = { 4, 1, 1 };

	must(zeCommandListAppendLaunchKernel(list, kernel, &groups, event, n_waits, waits),
	     "zeCommandListAppendLaunchKernel");
}

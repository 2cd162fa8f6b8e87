// SPDX-License-Identifier: MIT
// The way in. Level Zero's loader opens `libze_tracing_layer.so.1` by its bare name where
// ZE_ENABLE_TRACING_LAYER is set, and lets it replace entries in each of its tables of functions
// (level-zero, source/loader/ze_loader.cpp and ze_ldrddi.cpp, 1.8 to 1.32). This library has that
// name; what the loader's own does for programs is in ze_tracer.c.
#include "levelzero/ze_layer.h"

#define EXPORT __attribute__((visibility("default")))

struct lane_ze_table lane_ze_target;
struct lane_ze_table lane_ze_real;

/* Where a function stands: its table, its place in it, and the minor version of the API that has it
 * first (ze_ddi.h). */
/* clang-format off */
#define ENTRIES(E)                                                                                 \
	E(Driver, 5, 1, zeDriverGetExtensionFunctionAddress)                                       \
	E(Context, 1, 0, zeContextDestroy)                                                         \
	E(Device, 2, 0, zeDeviceGetProperties)                                                     \
	E(Device, 14, 1, zeDeviceGetGlobalTimestamps)                                              \
	E(Module, 0, 0, zeModuleCreate)                                                            \
	E(Module, 1, 0, zeModuleDestroy)                                                           \
	E(Kernel, 0, 0, zeKernelCreate)                                                            \
	E(Kernel, 1, 0, zeKernelDestroy)                                                           \
	E(Kernel, 3, 0, zeKernelSetGroupSize)                                                      \
	E(Mem, 0, 0, zeMemAllocShared)                                                             \
	E(Mem, 1, 0, zeMemAllocDevice)                                                             \
	E(Mem, 2, 0, zeMemAllocHost)                                                               \
	E(Mem, 3, 0, zeMemFree)                                                                    \
	E(CommandQueue, 0, 0, zeCommandQueueCreate)                                                \
	E(CommandQueue, 1, 0, zeCommandQueueDestroy)                                               \
	E(CommandQueue, 2, 0, zeCommandQueueExecuteCommandLists)                                   \
	E(CommandQueue, 3, 0, zeCommandQueueSynchronize)                                           \
	E(CommandList, 0, 0, zeCommandListCreate)                                                  \
	E(CommandList, 1, 0, zeCommandListCreateImmediate)                                         \
	E(CommandList, 2, 0, zeCommandListDestroy)                                                 \
	E(CommandList, 3, 0, zeCommandListClose)                                                   \
	E(CommandList, 4, 0, zeCommandListReset)                                                   \
	E(CommandList, 5, 0, zeCommandListAppendWriteGlobalTimestamp)                              \
	E(CommandList, 6, 0, zeCommandListAppendBarrier)                                           \
	E(CommandList, 7, 0, zeCommandListAppendMemoryRangesBarrier)                               \
	E(CommandList, 8, 0, zeCommandListAppendMemoryCopy)                                        \
	E(CommandList, 9, 0, zeCommandListAppendMemoryFill)                                        \
	E(CommandList, 10, 0, zeCommandListAppendMemoryCopyRegion)                                 \
	E(CommandList, 11, 0, zeCommandListAppendMemoryCopyFromContext)                            \
	E(CommandList, 12, 0, zeCommandListAppendImageCopy)                                        \
	E(CommandList, 13, 0, zeCommandListAppendImageCopyRegion)                                  \
	E(CommandList, 14, 0, zeCommandListAppendImageCopyToMemory)                                \
	E(CommandList, 15, 0, zeCommandListAppendImageCopyFromMemory)                              \
	E(CommandList, 18, 0, zeCommandListAppendSignalEvent)                                      \
	E(CommandList, 19, 0, zeCommandListAppendWaitOnEvents)                                     \
	E(CommandList, 20, 0, zeCommandListAppendEventReset)                                       \
	E(CommandList, 21, 0, zeCommandListAppendQueryKernelTimestamps)                            \
	E(CommandList, 22, 0, zeCommandListAppendLaunchKernel)                                     \
	E(CommandList, 23, 0, zeCommandListAppendLaunchCooperativeKernel)                          \
	E(CommandList, 24, 0, zeCommandListAppendLaunchKernelIndirect)                             \
	E(CommandList, 25, 0, zeCommandListAppendLaunchMultipleKernelsIndirect)                    \
	E(CommandList, 26, 3, zeCommandListAppendImageCopyToMemoryExt)                             \
	E(CommandList, 27, 3, zeCommandListAppendImageCopyFromMemoryExt)                           \
	E(CommandList, 28, 6, zeCommandListHostSynchronize)                                        \
	E(CommandList, 34, 14, zeCommandListAppendSignalExternalSemaphoreExt)                      \
	E(CommandList, 35, 14, zeCommandListAppendWaitExternalSemaphoreExt)                        \
	E(CommandList, 36, 14, zeCommandListAppendLaunchKernelWithParameters)                      \
	E(CommandList, 37, 14, zeCommandListAppendLaunchKernelWithArguments)                       \
	E(CommandList, 38, 16, zeCommandListAppendMemoryCopyWithParameters)                        \
	E(CommandList, 39, 16, zeCommandListAppendMemoryFillWithParameters)                        \
	E(CommandList, 40, 16, zeCommandListImmediateAppendCommandListsWithParameters)             \
	E(CommandList, 45, 17, zeCommandListBeginGraphCaptureExt)                                  \
	E(CommandList, 46, 17, zeCommandListBeginCaptureIntoGraphExt)                              \
	E(CommandList, 47, 17, zeCommandListIsGraphCaptureEnabledExt)                              \
	E(CommandList, 48, 17, zeCommandListEndGraphCaptureExt)                                    \
	E(CommandList, 50, 17, zeCommandListAppendGraphExt)                                        \
	E(CommandList, 51, 17, zeCommandListAppendHostFunction)                                    \
	E(CommandListExp, 1, 9, zeCommandListImmediateAppendCommandListsExp)                       \
	E(CommandListExp, 3, 9, zeCommandListUpdateMutableCommandsExp)                             \
	E(CommandListExp, 4, 9, zeCommandListUpdateMutableCommandSignalEventExp)                   \
	E(CommandListExp, 7, 10, zeCommandListUpdateMutableCommandKernelsExp)                      \
	E(RTASBuilder, 3, 13, zeRTASBuilderCommandListAppendCopyExt)                               \
	E(EventPool, 0, 0, zeEventPoolCreate)                                                      \
	E(EventPool, 1, 0, zeEventPoolDestroy)                                                     \
	E(Event, 0, 0, zeEventCreate)                                                              \
	E(Event, 1, 0, zeEventDestroy)                                                             \
	E(Event, 2, 0, zeEventHostSignal)                                                          \
	E(Event, 3, 0, zeEventHostSynchronize)                                                     \
	E(Event, 4, 0, zeEventQueryStatus)                                                         \
	E(Event, 5, 0, zeEventHostReset)                                                           \
	E(Event, 6, 0, zeEventQueryKernelTimestamp)                                                \
	E(Event, 11, 15, zeEventCounterBasedCreate)                                                \
	E(Fence, 1, 0, zeFenceDestroy)                                                             \
	E(Fence, 2, 0, zeFenceHostSynchronize)                                                     \
	E(Fence, 3, 0, zeFenceQueryStatus)

/* Functions of the driver's own, which programs have by zeDriverGetExtensionFunctionAddress: those
 * that are followed, beside those above; those that signal no event (NEO 26.27,
 * extension_function_address.cpp). What stands in neither list may signal one. */
#define OWN(O)                                                                                     \
	O(zexCounterBasedEventCreate2) O(zeCommandListBeginGraphCaptureExp)                        \
	O(zeCommandListBeginCaptureIntoGraphExp) O(zeCommandListEndGraphCaptureExp)                \
	O(zeCommandListAppendGraphExp)
#define SIGNALS_NONE(S)                                                                            \
	S(zexDriverImportExternalPointer) S(zexDriverReleaseImportedPointer)                       \
	S(zexDriverGetHostPointerBaseAddress) S(zeIntelGetDriverVersionString)                     \
	S(zeDeviceGetPriorityLevels) S(zexKernelGetBaseAddress) S(zexKernelGetArgumentSize)        \
	S(zexKernelGetArgumentType) S(zeIntelKernelGetBinaryExp) S(zexMemGetIpcHandles)            \
	S(zexMemOpenIpcHandles) S(zeIntelMemMapDeviceMemToHost) S(zeCommandQueueGetOrdinal)        \
	S(zeCommandQueueGetIndex) S(zeCommandQueueGetFlags) S(zeCommandQueueGetMode)               \
	S(zeCommandQueueGetPriority) S(zeCommandListGetDeviceHandle)                               \
	S(zeCommandListGetContextHandle) S(zeCommandListGetOrdinal) S(zeCommandListGetFlags)       \
	S(zeCommandListImmediateGetIndex) S(zeCommandListImmediateGetFlags)                        \
	S(zeCommandListImmediateGetMode) S(zeCommandListImmediateGetPriority)                      \
	S(zeCommandListIsImmediate) S(zeCommandListIsMutableExp)                                   \
	S(zexCommandListAppendWaitOnMemory) S(zexCommandListAppendWriteToMemory)                   \
	S(zexCommandListSetCleanupCallback) S(zexCommandListVerifyMemory)                          \
	S(zeCommandListVisitExt) S(zexEventGetDeviceAddress) S(zexCounterBasedEventCreate)         \
	S(zexCounterBasedEventGetIpcHandle) S(zexCounterBasedEventOpenIpcHandle)                   \
	S(zexCounterBasedEventCloseIpcHandle) S(zeEventGetCounterBasedFlags)                       \
	S(zexDeviceGetAggregatedCopyOffloadIncrementValue) S(zeMemGetPitchFor2dImage)              \
	S(zeImageGetDeviceOffsetExp) S(zexMemFreeRegisterCallbackExt)                              \
	S(zexKernelSetArgumentVariable) S(zexKernelSetVariableGroupSize) S(zeGraphCreateExp)       \
	S(zeCommandListInstantiateGraphExp) S(zeGraphDestroyExp) S(zeExecutableGraphDestroyExp)    \
	S(zeCommandListIsGraphCaptureEnabledExp) S(zeGraphIsEmptyExp) S(zeGraphDumpContentsExp)    \
	S(zeCommandListGetGraphExp) S(zeGraphSetDestructionCallbackExp)                            \
	S(zeExecutableGraphGetSourceGraphExt) S(zeGraphGetPrimaryCommandListExt)                   \
	S(zeGraphVisitExt) S(zeGraphPauseCaptureExt) S(zeGraphResumeCaptureExt) S(zeGraphGetIdExt)

/* The tables that the loader asks a tracing layer for. */
#define TABLES(T)                                                                                  \
	T(zeGet, Global) T(zeGet, Driver) T(zeGet, DriverExp) T(zeGet, Device)                     \
	T(zeGet, DeviceExp) T(zeGet, Context) T(zeGet, CommandQueue) T(zeGet, CommandList)         \
	T(zeGet, CommandListExp) T(zeGet, Event) T(zeGet, EventExp) T(zeGet, EventPool)            \
	T(zeGet, Fence) T(zeGet, Image) T(zeGet, ImageExp) T(zeGet, Kernel) T(zeGet, KernelExp)    \
	T(zeGet, Mem) T(zeGet, MemExp) T(zeGet, Module) T(zeGet, ModuleBuildLog)                   \
	T(zeGet, PhysicalMem) T(zeGet, Sampler) T(zeGet, VirtualMem) T(zeGet, FabricEdgeExp)       \
	T(zeGet, FabricVertexExp) T(zeGet, Graph) T(zeGet, ExecutableGraph)                        \
	T(zeGet, RTASBuilder) T(zeGet, RTASBuilderExp) T(zeGet, RTASParallelOperation)             \
	T(zeGet, RTASParallelOperationExp) T(zerGet, Global)
/* clang-format on */

enum ze_table {
#define T(get, name) TABLE_##get##_##name,
	TABLES(T)
#undef T
};

/* Puts ours in the place of *entry. What was there is called by ours, or by what keeps book before.
 */
static void replace(void **entry, void **target, void **real, void *book, void *ours)
{
	if (!*entry || *entry == ours)
		return;
	*target = *entry;
	*real = book ? book : *entry;
	if (ours)
		*entry = ours;
}

/* A loader may ask twice: for the program's table, and for one to switch to. */
static void ze_tables_fill(enum ze_table table, uint32_t version, void **entries)
{
	static struct lane_ze_table patched;
	int has_minor = version & 0xffff;

	levelzero_patch(&patched);
#define E(name, place, minor, function)                                                            \
	if (table == TABLE_zeGet_##name && has_minor >= minor)                                     \
		replace(&entries[place], (void **)&lane_ze_target.function,                        \
			(void **)&lane_ze_real.function, (void *)patched.function,                 \
			(void *)lane_ze_layer.function);
	ENTRIES(E)
#undef E
}

static bool signals_none(const char *name)
{
	static const char *const names[] = {
#define S(name) #name,
		SIGNALS_NONE(S)
#undef S
	};

	if (strncmp(name, "zet", 3) == 0 || strncmp(name, "zes", 3) == 0)
		return true; /* of metrics and of the system */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* By its address a program calls the driver itself. */
void levelzero_replace_own(void *driver, const char *name, void **function)
{
	static struct lane_ze_table patched;
	void **is_captured = (void **)&lane_ze_target.zeCommandListIsGraphCaptureEnabledExt;

	levelzero_patch(&patched);
	if (strcmp(name, "zeCommandListBeginGraphCaptureExp") == 0 && !*is_captured)
		lane_ze_target.zeDriverGetExtensionFunctionAddress(
			driver, "zeCommandListIsGraphCaptureEnabledExp", is_captured);
	if (signals_none(name))
		return;
#define O(known)                                                                                   \
	if (strcmp(name, #known) == 0) {                                                           \
		replace(function, (void **)&lane_ze_target.known, (void **)&lane_ze_real.known,    \
			(void *)patched.known, (void *)lane_ze_layer.known);                       \
		return;                                                                            \
	}
#define E(table, place, minor, known) O(known)
	OWN(O)
	ENTRIES(E)
#undef E
#undef O
	levelzero_doubt_signals();
}

#define T(get, name)                                                                               \
	EXPORT uint32_t get##name##ProcAddrTable(uint32_t version, void **entries);                \
	EXPORT uint32_t get##name##ProcAddrTable(uint32_t version, void **entries)                 \
	{                                                                                          \
		if (!entries)                                                                      \
			return LANE_ZE_SUCCESS;                                                    \
		ze_tables_fill(TABLE_##get##_##name, version, entries);                            \
		levelzero_traced_by_program(__func__, version, entries);                           \
		return LANE_ZE_SUCCESS;                                                            \
	}
TABLES(T)
#undef T

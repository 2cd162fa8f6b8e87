// SPDX-License-Identifier: MIT
// The functions that the loader calls, made from levelzero.def.
#include "levelzero/ze_layer.h"

enum {
	WAITS_SHIFT = 8,
	WAITS_MAX = (1 << 24) - 1,
};

struct ze_call {
	struct lane_p_opencl_call_entry entry;
	struct lane_ze_append append;
	uint64_t number; /* of what was submitted before it */
	void *told_by;	 /* the program's event, or fence, that tells of its end; NULL: none */
};

static uint64_t product(const uint32_t *n)
{
	return n ? (uint64_t)n[0] * n[1] * n[2] : 0;
}

/* Each argument by its role. */
#define TAKE(role, type, name) TAKE_##role(name)
#define TAKE__(name)
#define TAKE_LIST(name)
#define TAKE_QUEUE(name)  call.append.list = (name);
#define TAKE_OBJECT(name) call.entry.object = (uintptr_t)(name);
#define TAKE_SIZE(name)	  call.entry.size = (name);
#define TAKE_GROUPS(name) call.entry.size = product(name);
#define TAKE_COUNTS(name) call.entry.size = product(name.n);
#define TAKE_SIZES(name)  call.entry.group = product(name.n);
#define TAKE_BOX(name)	  call.entry.size = (name) ? product((name) + 3) : 0;
#define TAKE_SIGNAL(name) call.append.signal = (name);
#define TAKE_WAITS(name)                                                                           \
	call.entry.flags |= ((name) > WAITS_MAX ? WAITS_MAX : (name)) << WAITS_SHIFT;

/* What is passed on instead of an argument. */
#define PASS(role, type, name) PASS_##role(name)
#define PASS__(name)	       name
#define PASS_LIST(name)	       name
#define PASS_QUEUE(name)       name
#define PASS_OBJECT(name)      name
#define PASS_SIZE(name)	       name
#define PASS_GROUPS(name)      name
#define PASS_COUNTS(name)      name
#define PASS_SIZES(name)       name
#define PASS_BOX(name)	       name
#define PASS_SIGNAL(name)      call.append.signal
#define PASS_WAITS(name)       name

/* Before the call: which event it signals, and what is told of it. */
static void ze_wrappers_before(struct ze_call *call, unsigned int type)
{
	call->append.function = call->entry.function;
	call->append.type = type;
	call->append.object = (void *)(uintptr_t)call->entry.object;
	call->append.size = call->entry.size;
	call->append.group = call->entry.group;
	call->told_by = call->append.signal;
	if (type || call->append.signal)
		levelzero_choose(&call->append);
	else
		call->append.queue = levelzero_queue_of(call->append.list);
	call->entry.size = call->append.size;
	call->entry.group = call->append.group;
	call->entry.queue = call->append.queue;
	lttng_ust_tracepoint(gpulane, opencl_call_entry, &call->entry);
}

/* The result that the program gets. */
static uint32_t after(struct ze_call *call, unsigned int type, uint32_t status)
{
	struct lane_p_opencl_call_exit left = {
		.queue = call->entry.queue,
		.object = (uintptr_t)call->told_by,
		.status = (int32_t)status,
		.function = call->entry.function,
	};

	if (type || call->append.signal) {
		uint32_t behind = status ? status : levelzero_signal_behind(&call->append);

		left.command = levelzero_appended(&call->append, status);
		left.status = (int32_t)behind;
	}
	lttng_ust_tracepoint(gpulane, opencl_call_exit, &left);
	levelzero_clocks();
	return (uint32_t)left.status;
}

/* clang-format off */
/* What else a function does, before it is called and with its result: what stands behind `0,`. Others do nothing. */
#define BEFORE_zeCommandQueueExecuteCommandLists 0, levelzero_executing(n_lists, lists);
#define AFTER_zeCommandQueueExecuteCommandLists 0, if (!result) levelzero_executed(queue, n_lists, lists, fence); call.told_by = fence;
#define BEFORE_zeCommandListImmediateAppendCommandListsExp 0, levelzero_executing(n_lists, lists);
#define AFTER_zeCommandListImmediateAppendCommandListsExp 0, if (!result) levelzero_executed(list, n_lists, lists, NULL);
#define BEFORE_zeCommandListImmediateAppendCommandListsWithParameters 0, levelzero_executing(n_lists, lists);
#define AFTER_zeCommandListImmediateAppendCommandListsWithParameters 0, if (!result) levelzero_executed(list, n_lists, lists, NULL);
#define BEFORE_zeCommandQueueSynchronize 0, call.number = levelzero_last_number();
#define AFTER_zeCommandQueueSynchronize 0, if (!result) levelzero_waited(queue, call.number, false);
#define BEFORE_zeCommandListHostSynchronize 0, call.number = levelzero_last_number();
#define AFTER_zeCommandListHostSynchronize 0, if (!result) levelzero_waited(list, call.number, false);
#define BEFORE_zeEventHostSynchronize 0, call.number = levelzero_last_number();
#define AFTER_zeEventHostSynchronize 0, if (!result) levelzero_waited(event, call.number, true);
#define AFTER_zeFenceHostSynchronize 0, if (!result) levelzero_waited(fence, 0, false);
#define BEFORE_zeEventHostReset 0, levelzero_settle(event);
#define AFTER_zeEventHostReset 0, if (!result) levelzero_was_reset(event);
#define BEFORE_zeEventHostSignal 0, levelzero_settle(event);
#define HOOK(hook) HOOK_OF(hook, , )
#define HOOK_OF(hook, does, ...) does

#define LAYER(name, kind, command, type, ...)                                                      \
	static __attribute__((noinline)) type traced_##name LANE_ZE_PROTO(__VA_ARGS__)             \
	{                                                                                          \
		struct ze_call call = { .entry.function = LANE_CLF_##name };                       \
		type result;                                                                       \
                                                                                                   \
		LANE_CL_MAP(TAKE, __VA_ARGS__)                                                     \
		HOOK(BEFORE_##name)                                                                \
		ze_wrappers_before(&call, LANE_CLC_##command);                                                 \
		result = LANE_CL_LOAD_ZE(lane_ze_real, name)(LANE_CL_LIST(PASS, __VA_ARGS__));     \
		HOOK(AFTER_##name)                                                                 \
		return after(&call, LANE_CLC_##command, result);                                   \
	}                                                                                          \
	static type layer_##name LANE_ZE_PROTO(__VA_ARGS__)                                        \
	{                                                                                          \
		if (__builtin_expect(!levelzero_tracing(), 1))                                     \
			return LANE_CL_LOAD_ZE(lane_ze_real, name) LANE_ZE_PASS(__VA_ARGS__);      \
		return traced_##name LANE_ZE_PASS(__VA_ARGS__);                                    \
	}
#define LANE_CL_LOAD_ZE(table, name) (table).name
LANE_LEVELZERO_FUNCTIONS(LAYER)

/* Polled: the calls are not told. */
static uint32_t layer_zeEventQueryStatus(void *event)
{
	uint64_t number = levelzero_last_number();
	uint32_t result = lane_ze_real.zeEventQueryStatus(event);

	if (!result && levelzero_tracing())
		levelzero_waited(event, number, false);
	return result;
}
static uint32_t layer_zeEventQueryKernelTimestamp(void *event, struct lane_ze_times *times)
{
	uint64_t number = levelzero_last_number();
	uint32_t result = lane_ze_real.zeEventQueryKernelTimestamp(event, times);

	if (!result && levelzero_tracing())
		levelzero_waited(event, number, false);
	return result;
}
static uint32_t layer_zeFenceQueryStatus(void *fence)
{
	uint32_t result = lane_ze_real.zeFenceQueryStatus(fence);

	if (!result && levelzero_tracing())
		levelzero_waited(fence, 0, false);
	return result;
}

/* The others keep book only: what stands in lane_ze_real is called. */
#define NAMES(F) F(zeContextDestroy, (void *a), (a)) \
	F(zeKernelSetGroupSize, (void *a, uint32_t b, uint32_t c, uint32_t d), (a, b, c, d)) \
	F(zeEventPoolCreate, (void *a, const struct lane_ze_pool_desc *b, uint32_t c, void **d, void **e), (a, b, c, d, e)) \
	F(zeEventPoolDestroy, (void *a), (a)) \
	F(zeEventCreate, (void *a, const struct lane_ze_event_desc *b, void **c), (a, b, c)) \
	F(zeEventCounterBasedCreate, (void *a, void *b, const struct lane_ze_pool_desc *c, void **d), (a, b, c, d)) \
	F(zexCounterBasedEventCreate2, (void *a, void *b, const struct lane_ze_pool_desc *c, void **d), (a, b, c, d)) \
	F(zeEventDestroy, (void *a), (a)) \
	F(zeFenceDestroy, (void *a), (a)) \
	F(zeCommandListBeginGraphCaptureExt, (void *a, const void *b), (a, b)) \
	F(zeCommandListBeginCaptureIntoGraphExt, (void *a, void *b, const void *c), (a, b, c)) \
	F(zeCommandListEndGraphCaptureExt, (void *a, const void *b, void **c), (a, b, c)) \
	F(zeCommandListBeginGraphCaptureExp, (void *a, void *b), (a, b)) \
	F(zeCommandListBeginCaptureIntoGraphExp, (void *a, void *b, void *c), (a, b, c)) \
	F(zeCommandListEndGraphCaptureExp, (void *a, void **b, void *c), (a, b, c)) \
	F(zeDriverGetExtensionFunctionAddress, (void *a, const char *b, void **c), (a, b, c)) \
	F(zeCommandListUpdateMutableCommandsExp, (void *a, const void *b), (a, b)) \
	F(zeCommandListUpdateMutableCommandSignalEventExp, (void *a, uint64_t b, void *c), (a, b, c)) \
	F(zeCommandListUpdateMutableCommandKernelsExp, (void *a, uint32_t b, uint64_t *c, void **d), (a, b, c, d))
#define KEEPS(name, parameters, arguments) \
	static uint32_t layer_##name parameters { return lane_ze_real.name arguments; }
NAMES(KEEPS)

#define POINTER(name, ...) .name = layer_##name,
const struct lane_ze_table lane_ze_layer = { LANE_LEVELZERO_FUNCTIONS(POINTER) NAMES(POINTER)
	POINTER(zeEventQueryStatus) POINTER(zeEventQueryKernelTimestamp) POINTER(zeFenceQueryStatus) };
/* clang-format on */

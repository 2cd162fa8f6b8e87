// SPDX-License-Identifier: MIT
// The Level Zero layer, entered as the loader enters it, above a driver that does what it is told
// to.
#include "layer.h"

#include "levelzero/ze_append.c"
#include "levelzero/ze_book.c"
#include "levelzero/ze_clocks.c"
#include "levelzero/ze_objects.c"
#include "levelzero/ze_own.c"
#include "levelzero/ze_runs.c"
#include "levelzero/ze_tables.c"
#include "levelzero/ze_tracer.c"
#include "levelzero/ze_wrappers.c"

#define HANDLE(n) ((void *)(uintptr_t)(n))

#define HZ 10000000ull /* a tick is 100 ns */

enum {
	CONTEXT = 1,
	DEVICE,
	MODULE,
	NARROW,	    /* a device whose times have few bits */
	QUEUE = 11, /* and two more */
	LIST = 21,  /* and nine more */
	KERNEL = 31,
	FENCE = 41,
	POOL = 51,
	EVENT = 61,	/* the program's */
	OWN_POOL = 200, /* of the layer's, and its events */
	EVENTS = 1000,
};

/* --- the driver --- */

static struct {
	void *created;	 /* what the next function that creates hands out */
	uint32_t status; /* of the next call */
	uint32_t own;	 /* the last handle of its own choice */
	uint64_t ticks;
	bool captures;
	struct {
		bool is_signalled;
		uint64_t start, end;
	} events[EVENTS];
} fake = { .own = OWN_POOL, .ticks = 100 * HZ };

static void argue_u32(uint32_t value)
{
	say_number(value);
}
static void argue_u64(uint64_t value)
{
	say_number(value);
}
static void argue_three(lane_ze_three value)
{
	say(" %ux%ux%u", value.n[0], value.n[1], value.n[2]);
}
static uintptr_t last_argument;
static void argue_pointer(const void *value)
{
	last_argument = (uintptr_t)value;
	say_number(last_argument);
}
static void argue_out(void **value)
{
	say_number((uintptr_t)value);
	if (fake.created)
		*value = fake.created;
}

static uint32_t answer(void)
{
	uint32_t status = fake.status;

	say("\n");
	fake.status = 0;
	fake.created = NULL;
	return status;
}

#define ARGUE(role, type, name)                                                                    \
	_Generic((name), uint32_t: argue_u32, uint64_t: argue_u64, lane_ze_three: argue_three,     \
		 void **: argue_out, default: argue_pointer)(name);
#define DRIVER(name, kind, command, type, ...)                                                     \
	static type fake_##name LANE_ZE_PROTO(__VA_ARGS__)                                         \
	{                                                                                          \
		say("driver " #name);                                                              \
		LANE_CL_MAP(ARGUE, __VA_ARGS__)                                                    \
		if (LANE_CLF_##name == LANE_CLF_zeEventHostReset)                                  \
			fake.events[last_argument].is_signalled = false;                           \
		return answer();                                                                   \
	}
LANE_LEVELZERO_FUNCTIONS(DRIVER)

/* The others; without a word where it is asked for something only. */
static uint32_t fake_zeContextDestroy(void *context)
{
	say("driver zeContextDestroy %lu\n", (uintptr_t)context);
	return 0;
}

static uint32_t fake_zeDeviceGetProperties(void *device, struct lane_ze_device_properties *to)
{
	assert_int_equal(to->stype, LANE_ZE_TYPE_DEVICE_1_2);
	to->timer_hz = HZ;
	to->time_bits = 64;
	to->kernel_time_bits = device == HANDLE(NARROW) ? 32 : 64;
	snprintf(to->name, sizeof(to->name), "Fake %lu", (uintptr_t)device);
	return 0;
}

static uint32_t fake_zeDeviceGetGlobalTimestamps(void *device, uint64_t *host, uint64_t *ticks)
{
	(void)device;
	*host = 1;
	*ticks = fake.ticks;
	return 0;
}

static uint32_t fake_zeKernelSetGroupSize(void *kernel, uint32_t x, uint32_t y, uint32_t z)
{
	say("driver zeKernelSetGroupSize %lu %u %u %u", (uintptr_t)kernel, x, y, z);
	return answer();
}

static uint32_t fake_zeEventPoolCreate(void *context, const struct lane_ze_pool_desc *desc,
				       uint32_t n, void **devices, void **pool)
{
	say("driver zeEventPoolCreate %lu flags=%u count=%u", (uintptr_t)context, desc->flags,
	    desc->count);
	argue_u32(n);
	argue_pointer(devices);
	*pool = fake.created ? fake.created : HANDLE(++fake.own);
	return answer();
}

static uint32_t fake_zeEventPoolDestroy(void *pool)
{
	say("driver zeEventPoolDestroy %lu\n", (uintptr_t)pool);
	return 0;
}

static uint32_t fake_zeEventCreate(void *pool, const struct lane_ze_event_desc *desc, void **event)
{
	(void)pool;
	(void)desc;
	*event = fake.created ? fake.created : HANDLE(++fake.own);
	fake.created = NULL;
	return 0;
}

static uint32_t fake_zeEventCounterBasedCreate(void *context, void *device,
					       const struct lane_ze_pool_desc *desc, void **event)
{
	say("driver zeEventCounterBasedCreate %lu %lu flags=%u scope=%u %u\n", (uintptr_t)context,
	    (uintptr_t)device, desc->flags, desc->count, desc->wait);
	*event = fake.created;
	fake.created = NULL;
	return 0;
}

static uint32_t fake_zexCounterBasedEventCreate2(void *context, void *device,
						 const struct lane_ze_pool_desc *desc, void **event)
{
	return fake_zeEventCounterBasedCreate(context, device, desc, event);
}

static uint32_t fake_zeEventDestroy(void *event)
{
	if ((uintptr_t)event < OWN_POOL)
		say("driver zeEventDestroy %lu\n", (uintptr_t)event);
	return 0;
}

static uint32_t fake_zeEventQueryStatus(void *event)
{
	return fake.events[(uintptr_t)event].is_signalled ? 0 : LANE_ZE_NOT_READY;
}

static uint32_t fake_zeEventQueryKernelTimestamp(void *event, struct lane_ze_times *times)
{
	say("driver is asked for the times of %lu\n", (uintptr_t)event);
	if (!fake.events[(uintptr_t)event].is_signalled)
		return LANE_ZE_NOT_READY;
	times->start = fake.events[(uintptr_t)event].start;
	times->end = fake.events[(uintptr_t)event].end;
	times->own_start = times->own_end = 7;
	return 0;
}

static uint32_t fake_zeFenceDestroy(void *fence)
{
	say("driver zeFenceDestroy %lu\n", (uintptr_t)fence);
	return 0;
}

static uint32_t fake_zeFenceQueryStatus(void *fence)
{
	say("driver zeFenceQueryStatus %lu", (uintptr_t)fence);
	return answer();
}

static uint32_t fake_zeCommandListBeginGraphCaptureExt(void *list, const void *next)
{
	(void)list, (void)next;
	fake.captures = true;
	return 0;
}

static uint32_t fake_zeCommandListBeginCaptureIntoGraphExt(void *list, void *graph,
							   const void *next)
{
	(void)graph;
	return fake_zeCommandListBeginGraphCaptureExt(list, next);
}

static uint32_t fake_zeCommandListEndGraphCaptureExt(void *list, const void *next, void **graph)
{
	(void)list, (void)next, (void)graph;
	fake.captures = false;
	return 0;
}

static uint32_t fake_zeCommandListIsGraphCaptureEnabledExt(void *list)
{
	(void)list;
	return fake.captures ? LANE_ZE_TRUE : LANE_ZE_TRUE + 1;
}

static uint32_t fake_zeCommandListBeginGraphCaptureExp(void *list, void *next)
{
	return fake_zeCommandListBeginGraphCaptureExt(list, next);
}

static uint32_t fake_zeCommandListBeginCaptureIntoGraphExp(void *list, void *graph, void *next)
{
	return fake_zeCommandListBeginCaptureIntoGraphExt(list, graph, next);
}

static uint32_t fake_zeCommandListEndGraphCaptureExp(void *list, void **graph, void *next)
{
	return fake_zeCommandListEndGraphCaptureExt(list, next, graph);
}

/* The driver's own functions. */
static uint32_t fake_zeDriverGetExtensionFunctionAddress(void *driver, const char *name,
							 void **function)
{
	(void)driver;
	*function = (void *)fake_zeFenceDestroy; /* any */
#define O(known)                                                                                   \
	if (strcmp(name, #known) == 0)                                                             \
		*function = (void *)fake_##known;
	OWN(O)
	O(zeCommandListAppendHostFunction)
#undef O
	if (strcmp(name, "zeCommandListIsGraphCaptureEnabledExp") == 0)
		*function = (void *)fake_zeCommandListIsGraphCaptureEnabledExt;
	return 0;
}

static uint32_t fake_zeCommandListUpdateMutableCommandsExp(void *list, const void *desc)
{
	(void)list, (void)desc;
	return 0;
}

static uint32_t fake_zeCommandListUpdateMutableCommandSignalEventExp(void *list, uint64_t command,
								     void *event)
{
	(void)list, (void)command, (void)event;
	return 0;
}

static uint32_t fake_zeCommandListUpdateMutableCommandKernelsExp(void *list, uint32_t n,
								 uint64_t *commands, void **kernels)
{
	(void)list, (void)n, (void)commands, (void)kernels;
	return 0;
}

/* A command of the driver's is complete: its event says when it ran. */
static void ran(uint32_t event, uint64_t start, uint64_t end)
{
	fake.events[event].is_signalled = true;
	fake.events[event].start = start;
	fake.events[event].end = end;
}

/* --- the program --- */

/* What the program has for the functions after the loader has asked the layer. */
static struct lane_ze_table ze;

/* A table's fakes go into its entries; or, when the layer has been asked, the entries to the
 * program. */
static void exchange(enum ze_table table, void **entries, bool is_back)
{
	void **ours;

#define E(name, place, minor, function)                                                            \
	ours = is_back ? (void **)&ze.function : &entries[place];                                  \
	if (table == TABLE_zeGet_##name)                                                           \
		*ours = is_back ? entries[place] : (void *)fake_##function;
	ENTRIES(E)
#undef E
}

/* minor: the loader's version of the API */
static void load(uint32_t minor)
{
	void *entries[64];

#define T(get, name)                                                                               \
	memset(entries, 0, sizeof(entries));                                                       \
	exchange(TABLE_##get##_##name, entries, false);                                            \
	assert_int_equal(get##name##ProcAddrTable(1u << 16 | minor, entries), 0);                  \
	exchange(TABLE_##get##_##name, entries, true);
	TABLES(T)
#undef T
}

static void said_is(const char *section)
{
	said_in("tests/unit/levelzero.expect", section);
}

static int begin(void **state)
{
	(void)state;
	load(17);
	is_recorded = true;
	n_said = 0;
	memset(fake.events, 0, sizeof(fake.events));
	return 0;
}

static void queue(uint32_t handle, uint32_t mode)
{
	struct lane_ze_queue_desc desc = { .mode = mode };
	void *made;

	fake.created = HANDLE(handle);
	assert_int_equal(ze.zeCommandQueueCreate(HANDLE(CONTEXT), HANDLE(DEVICE), &desc, &made), 0);
	assert_ptr_equal(made, HANDLE(handle));
}

static void immediate_of(uint32_t device, uint32_t handle, uint32_t flags, uint32_t mode)
{
	struct lane_ze_queue_desc desc = { .flags = flags, .mode = mode };
	void *made;

	fake.created = HANDLE(handle);
	assert_int_equal(
		ze.zeCommandListCreateImmediate(HANDLE(CONTEXT), HANDLE(device), &desc, &made), 0);
	assert_ptr_equal(made, HANDLE(handle));
}

static void immediate(uint32_t handle, uint32_t flags, uint32_t mode)
{
	immediate_of(DEVICE, handle, flags, mode);
}

static void list(uint32_t handle, uint32_t flags)
{
	struct lane_ze_list_desc desc = { .flags = flags };
	void *made;

	fake.created = HANDLE(handle);
	assert_int_equal(ze.zeCommandListCreate(HANDLE(CONTEXT), HANDLE(DEVICE), &desc, &made), 0);
	assert_ptr_equal(made, HANDLE(handle));
}

static void kernel(uint32_t handle, const char *name)
{
	struct lane_ze_kernel_desc desc = { .name = name };
	void *made;

	fake.created = HANDLE(handle);
	assert_int_equal(ze.zeKernelCreate(HANDLE(MODULE), &desc, &made), 0);
	assert_ptr_equal(made, HANDLE(handle));
}

/* Events of a pool; the first is EVENT. */
static void events(uint32_t flags, uint32_t n)
{
	struct lane_ze_pool_desc desc = { .stype = LANE_ZE_TYPE_POOL, .flags = flags, .count = n };
	void *made;

	fake.created = HANDLE(POOL);
	assert_int_equal(ze.zeEventPoolCreate(HANDLE(CONTEXT), &desc, 0, NULL, &made), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct lane_ze_event_desc one = { .stype = LANE_ZE_TYPE_EVENT, .index = i };

		fake.created = HANDLE(EVENT + i);
		assert_int_equal(ze.zeEventCreate(HANDLE(POOL), &one, &made), 0);
	}
}

static void launch(uint32_t on, uint32_t event)
{
	const uint32_t groups[3] = { 2, 1, 1 };

	ze.zeCommandListAppendLaunchKernel(HANDLE(on), HANDLE(KERNEL), groups, HANDLE(event), 0,
					   NULL);
}

static void copy(uint32_t on, uint64_t bytes, uint32_t event)
{
	ze.zeCommandListAppendMemoryCopy(HANDLE(on), HANDLE(500), HANDLE(501), bytes, HANDLE(event),
					 0, NULL);
}

static void execute(uint32_t on, uint32_t of, uint32_t fence)
{
	void *lists[] = { HANDLE(of) };

	assert_int_equal(ze.zeCommandQueueExecuteCommandLists(HANDLE(on), 1, lists, HANDLE(fence)),
			 0);
}

/* Ends all that a test has made, without a word. */
static int end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		ze.zeCommandQueueDestroy(HANDLE(QUEUE + i));
	for (uint32_t i = 0; i < 10; i++)
		ze.zeCommandListDestroy(HANDLE(LIST + i));
	for (uint32_t i = 0; i < 30; i++)
		ze.zeEventDestroy(HANDLE(EVENT + i));
	ze.zeKernelDestroy(HANDLE(KERNEL));
	ze.zeFenceDestroy(HANDLE(FENCE));
	ze.zeEventPoolDestroy(HANDLE(POOL));
	ze.zeContextDestroy(HANDLE(CONTEXT));
	lane_ze_book.last_number = 0;
	fake.own = OWN_POOL;
	fake.ticks = 100 * HZ;
	fake_now.tv_sec += 10;
	n_said = 0;
	return 0;
}

/* A fence tells of its own queue's commands, up to it. */
TEST_IN(begin, end, fence_of_a_queue)
{
	queue(QUEUE, 0);
	queue(QUEUE + 1, 0);
	list(LIST, 0);
	list(LIST + 1, 0);
	copy(LIST, 100, 0);
	copy(LIST + 1, 200, 0);
	ze.zeCommandListClose(HANDLE(LIST));
	said_is("fence_of_a_queue 1");
	execute(QUEUE + 1, LIST + 1, 0);
	execute(QUEUE, LIST, FENCE);
	execute(QUEUE, LIST + 1, 0);
	ran(OWN_POOL + 2, 56 * HZ, 56 * HZ + 10);
	ran(OWN_POOL + 2, 57 * HZ, 57 * HZ + 10);
	said_is("fence_of_a_queue 2");
	ze.zeFenceHostSynchronize(HANDLE(FENCE), 9);
	said_is("fence_of_a_queue 3");
	fake.status = LANE_ZE_NOT_READY;
	ze.zeCommandQueueSynchronize(HANDLE(QUEUE), 9);
	ze.zeCommandQueueSynchronize(HANDLE(QUEUE), 9);
	ze.zeFenceQueryStatus(HANDLE(FENCE));
	said_is("fence_of_a_queue 4");
	ze.zeCommandQueueSynchronize(HANDLE(QUEUE + 1), 9);
	said_is("fence_of_a_queue 5");
}

/* Times of few bits are of the turn of the clock that the command can have run in; where two are
 * possible they are not known. */
TEST_IN(begin, end, times_of_few_bits)
{
	const uint64_t turn = 1ull << 32;

	fake.ticks = 3 * turn + 100;
	immediate_of(NARROW, LIST, 0, 0);
	events(LANE_ZE_POOL_TIMES, 3);
	kernel(KERNEL, "turns");
	launch(LIST, EVENT);
	launch(LIST, EVENT + 1);
	ran(EVENT, turn - 50, 90);
	ran(EVENT + 1, 60, 70);
	said_is("times_of_few_bits 1");
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	said_is("times_of_few_bits 2");
	ze.zeEventQueryStatus(HANDLE(EVENT + 1));
	said_is("times_of_few_bits 3");
	launch(LIST, EVENT + 2);
	ran(EVENT + 2, 200, 300);
	fake_now.tv_sec += 431; /* a turn is 429.5 s */
	ze.zeEventQueryStatus(HANDLE(EVENT + 2));
	said_is("times_of_few_bits 4");
	levelzero_object(HANDLE(NARROW))->mono_ns = 0; /* not in other tests */
}

/* What an event tells of: in order all before it, else its command alone, a barrier's of all before
 * it. */
TEST_IN(begin, end, order)
{
	immediate(LIST, LANE_ZE_QUEUE_IN_ORDER, 0);
	immediate(LIST + 1, 0, 0);
	events(LANE_ZE_POOL_MAPPED_TIMES, 4);
	for (uint32_t i = 0; i < 2; i++) {
		copy(LIST + i, 1000, 0);
		copy(LIST + i, 2000, EVENT + 2 * i);
		copy(LIST + i, 3000, 0);
	}
	for (uint32_t i = 1; i < 5; i++)
		ran(OWN_POOL + 6 - i, 50 * HZ + i, 51 * HZ + i);
	ran(EVENT, 50 * HZ + 10, 51 * HZ + 11);
	ran(EVENT + 2, 50 * HZ + 12, 51 * HZ + 13);
	said_is("order 1");
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	said_is("order 2");
	ze.zeEventHostSynchronize(HANDLE(EVENT + 2), 9);
	said_is("order 3");
	ze.zeCommandListAppendBarrier(HANDLE(LIST + 1), HANDLE(EVENT + 3), 1,
				      (void *[]){ HANDLE(EVENT) });
	ran(EVENT + 3, 0, 0);
	ze.zeEventHostSynchronize(HANDLE(EVENT + 3), 9);
	said_is("order 4");
	ze.zeCommandListHostSynchronize(HANDLE(LIST), 9);
	said_is("order 5");
}

/* Each function once, with arguments of its own: what the driver gets is what the program gave. */
TEST_IN(begin, end, every_function)
{
	const uint32_t groups[3] = { 5, 7, 2 }, region[6] = { 1, 2, 3, 10, 20, 30 };
	const lane_ze_three three = { { 3, 2, 2 } }, sizes = { { 4, 2, 1 } };
	void *l = HANDLE(LIST), *to = HANDLE(81), *from = HANDLE(82), *e = HANDLE(EVENT), *made;
	void *waits[2] = { HANDLE(EVENT + 1), HANDLE(EVENT + 2) };
	const struct lane_ze_module_desc module = { .size = sizeof(spirv), .code = spirv };

	immediate(LIST, LANE_ZE_QUEUE_IN_ORDER, 0);
	kernel(KERNEL, "work");
	ze.zeKernelSetGroupSize(HANDLE(KERNEL), 4, 3, 2);
	ze.zeModuleCreate(HANDLE(CONTEXT), HANDLE(DEVICE), &module, &made, NULL);
	ze.zeModuleDestroy(HANDLE(MODULE));
	ze.zeMemAllocShared(HANDLE(CONTEXT), HANDLE(84), HANDLE(85), 4096, 64, HANDLE(DEVICE),
			    &made);
	ze.zeMemAllocDevice(HANDLE(CONTEXT), HANDLE(84), 8192, 64, HANDLE(DEVICE), &made);
	ze.zeMemAllocHost(HANDLE(CONTEXT), HANDLE(85), 1024, 64, &made);
	ze.zeMemFree(HANDLE(CONTEXT), to);
	said_is("every_function 1");
	ze.zeCommandListAppendMemoryCopy(l, to, from, 10, e, 2, waits);
	ze.zeCommandListAppendMemoryCopyWithParameters(l, to, from, 11, HANDLE(86), e, 2, waits);
	ze.zeCommandListAppendMemoryCopyFromContext(l, to, HANDLE(87), from, 12, e, 2, waits);
	ze.zeCommandListAppendMemoryCopyRegion(l, to, region, 64, 65, from, HANDLE(88), 66, 67, e,
					       2, waits);
	ze.zeCommandListAppendMemoryFill(l, to, HANDLE(89), 4, 13, e, 2, waits);
	ze.zeCommandListAppendMemoryFillWithParameters(l, to, HANDLE(89), 4, 14, HANDLE(86), e, 2,
						       waits);
	ze.zeCommandListAppendImageCopy(l, to, from, e, 2, waits);
	ze.zeCommandListAppendImageCopyRegion(l, to, from, HANDLE(90), HANDLE(91), e, 2, waits);
	ze.zeCommandListAppendImageCopyToMemory(l, to, from, HANDLE(90), e, 2, waits);
	ze.zeCommandListAppendImageCopyToMemoryExt(l, to, from, HANDLE(90), 68, 69, e, 2, waits);
	ze.zeCommandListAppendImageCopyFromMemory(l, to, from, HANDLE(90), e, 2, waits);
	ze.zeCommandListAppendImageCopyFromMemoryExt(l, to, from, HANDLE(90), 68, 69, e, 2, waits);
	said_is("every_function 2");
	ze.zeCommandListAppendLaunchKernel(l, HANDLE(KERNEL), groups, e, 2, waits);
	ze.zeCommandListAppendLaunchCooperativeKernel(l, HANDLE(KERNEL), groups, e, 2, waits);
	ze.zeCommandListAppendLaunchKernelIndirect(l, HANDLE(KERNEL), HANDLE(92), e, 2, waits);
	ze.zeCommandListAppendLaunchMultipleKernelsIndirect(l, 1, HANDLE(93), HANDLE(94),
							    HANDLE(92), e, 2, waits);
	ze.zeCommandListAppendLaunchKernelWithParameters(l, HANDLE(KERNEL), groups, HANDLE(86), e,
							 2, waits);
	ze.zeCommandListAppendLaunchKernelWithArguments(l, HANDLE(KERNEL), three, sizes, HANDLE(95),
							HANDLE(86), e, 2, waits);
	ze.zeCommandListAppendHostFunction(l, HANDLE(96), HANDLE(97), HANDLE(86), e, 2, waits);
	ze.zeCommandListAppendGraphExt(l, HANDLE(98), HANDLE(86), e, 2, waits);
	ze.zeRTASBuilderCommandListAppendCopyExt(l, to, from, 15, e, 2, waits);
	said_is("every_function 3");
	ze.zeCommandListAppendWaitOnEvents(l, 2, waits);
	ze.zeCommandListAppendSignalEvent(l, e);
	ze.zeCommandListAppendEventReset(l, e);
	ze.zeCommandListAppendBarrier(l, NULL, 0, NULL);
	ze.zeCommandListAppendMemoryRangesBarrier(l, 1, HANDLE(86), HANDLE(87), e, 2, waits);
	ze.zeCommandListAppendWriteGlobalTimestamp(l, HANDLE(86), e, 2, waits);
	ze.zeCommandListAppendQueryKernelTimestamps(l, 2, waits, to, HANDLE(86), e, 2, waits);
	ze.zeCommandListAppendSignalExternalSemaphoreExt(l, 1, HANDLE(86), HANDLE(87), e, 2, waits);
	ze.zeCommandListAppendWaitExternalSemaphoreExt(l, 1, HANDLE(86), HANDLE(87), e, 2, waits);
	ze.zeCommandListImmediateAppendCommandListsExp(l, 0, NULL, e, 2, waits);
	ze.zeCommandListImmediateAppendCommandListsWithParameters(l, 0, NULL, HANDLE(86), e, 2,
								  waits);
	ze.zeEventHostSignal(e);
	ze.zeEventHostReset(e);
	ze.zeFenceHostSynchronize(HANDLE(FENCE), 99);
	fake.status = LANE_ZE_NOT_READY;
	assert_int_equal(ze.zeEventHostSynchronize(e, 98), LANE_ZE_NOT_READY);
	said_is("every_function 4");
}

/* Events are made as the program asks for them. */
TEST_IN(begin, end, plain_events)
{
	struct lane_ze_pool_desc counter = { .stype = LANE_ZE_TYPE_COUNTER_POOL };
	struct lane_ze_pool_desc desc = { .flags = 3, .count = 4, .wait = 9 };
	create_counter_fn *create;
	void *made;

	immediate(LIST, LANE_ZE_QUEUE_IN_ORDER, 0);
	immediate(LIST + 1, 0, 0);
	list(LIST + 2, LANE_ZE_LIST_IN_ORDER);
	events(LANE_ZE_POOL_HOST_VISIBLE, 2);
	copy(LIST, 10, EVENT); /* ours, and the program's behind it */
	copy(LIST + 1, 20, EVENT + 1);
	copy(LIST + 2, 30, EVENT + 1);
	said_is("plain_events 1");
	ran(OWN_POOL + 2, 50 * HZ, 51 * HZ);
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	ze.zeEventHostSynchronize(HANDLE(EVENT + 1), 9);
	said_is("plain_events 2");
	fake.created = HANDLE(EVENT + 20);
	ze.zeEventCounterBasedCreate(HANDLE(CONTEXT), HANDLE(DEVICE), &desc, &made);
	ze.zeDriverGetExtensionFunctionAddress(HANDLE(7), "zexCounterBasedEventCreate2",
					       (void **)&create);
	fake.created = HANDLE(EVENT + 21);
	create(HANDLE(CONTEXT), HANDLE(DEVICE), &desc, &made);
	for (uint32_t i = 0; i < 2; i++)
		copy(LIST, 40 + i, EVENT + 21); /* used again before it is over */
	said_is("plain_events 3");
	ran(OWN_POOL + 4, 52 * HZ, 53 * HZ);
	ran(OWN_POOL + 5, 54 * HZ, 55 * HZ);
	ran(EVENT + 21, 0, 0);
	ze.zeEventQueryStatus(HANDLE(EVENT + 21));
	said_is("plain_events 4");
	/* made with extensions, or shared: passed on */
	desc.next = &counter;
	fake.created = HANDLE(EVENT + 22);
	create(HANDLE(CONTEXT), HANDLE(DEVICE), &desc, &made);
	copy(LIST, 50, EVENT + 22);
	ze.zeEventPoolDestroy(HANDLE(POOL));
	events(LANE_ZE_POOL_IPC, 1);
	copy(LIST, 51, EVENT);
	said_is("plain_events 5");
}

/* A function of the driver's that may signal an event: the program's events tell no times any more.
 */
TEST_IN(begin, end, unknown_signals)
{
	const char *const names[] = { "zexEventGetDeviceAddress", "zesFuture",
				      "zeCommandListAppendHostFunction",
				      "zexCommandListAppendWaitOnMemory64" };
	void *function;

	immediate(LIST, LANE_ZE_QUEUE_IN_ORDER, 0);
	events(LANE_ZE_POOL_TIMES, 4);
	for (uint32_t i = 0; i < 4; i++) {
		ze.zeDriverGetExtensionFunctionAddress(HANDLE(7), names[i], &function);
		copy(LIST, i, EVENT + i);
		ran(EVENT + i, 50 * HZ + i, 51 * HZ);
		n_said = 0;
		ze.zeEventHostSynchronize(HANDLE(EVENT + i), 9);
		said_is(names[i]);
	}
	lane_ze_book.has_unknown_signals = false;
}

/* An event of the program's that is used again tells of its last command alone, once it is clean.
 */
TEST_IN(begin, end, events_used_again)
{
	immediate(LIST, 0, 0);
	events(LANE_ZE_POOL_TIMES, 2);
	copy(LIST, 1, EVENT);
	copy(LIST, 2, EVENT); /* the first is not over: whose times are these? */
	ran(EVENT, 50 * HZ, 51 * HZ);
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	ze.zeCommandListHostSynchronize(HANDLE(LIST), 9);
	said_is("events_used_again 1");
	copy(LIST, 3, EVENT); /* still signalled */
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	ran(EVENT, 52 * HZ, 53 * HZ);
	ze.zeCommandListHostSynchronize(HANDLE(LIST), 9);
	said_is("events_used_again 2");
	ze.zeEventHostReset(HANDLE(EVENT));
	copy(LIST, 4, EVENT);
	ran(EVENT, 53 * HZ, 54 * HZ);
	ze.zeEventHostReset(HANDLE(EVENT)); /* nobody has learned that it is over */
	said_is("events_used_again 3");
	copy(LIST, 41, EVENT); /* its times are this one's again */
	ran(EVENT, 54 * HZ, 55 * HZ);
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	ze.zeEventHostReset(HANDLE(EVENT));
	said_is("events_used_again 3, once more");
	copy(LIST, 5, EVENT);
	ze.zeCommandListAppendEventReset(HANDLE(LIST), HANDLE(EVENT));
	ran(EVENT, 5100 * HZ, 56 * HZ);
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	ze.zeCommandListHostSynchronize(HANDLE(LIST), 9);
	said_is("events_used_again 4");
	ze.zeEventHostReset(HANDLE(EVENT));
	copy(LIST, 6, EVENT);
	ran(EVENT, 57 * HZ, 58 * HZ);
	ze.zeEventDestroy(HANDLE(EVENT));
	said_is("events_used_again 5");
	copy(LIST, 7, EVENT + 1);
	ran(EVENT + 1, 58 * HZ, 59 * HZ);
	ze.zeEventQueryStatus(HANDLE(EVENT + 1));
	copy(LIST, 8, EVENT + 1); /* signalled, by the one before */
	ze.zeEventQueryStatus(HANDLE(EVENT + 1));
	ze.zeCommandListHostSynchronize(HANDLE(LIST), 9);
	ze.zeEventHostReset(HANDLE(EVENT + 1));
	copy(LIST, 9, EVENT + 1);
	ran(EVENT + 1, 60 * HZ, 61 * HZ);
	ze.zeEventPoolDestroy(HANDLE(POOL));
	said_is("events_used_again 6");
}

/* A counter based event tells of the command that it was given to last, however often. */
TEST_IN(begin, end, counters)
{
	struct lane_ze_pool_desc desc = { .flags = LANE_ZE_COUNTER_TIMES };
	void *made;

	immediate(LIST, LANE_ZE_QUEUE_IN_ORDER, 0);
	fake.created = HANDLE(EVENT);
	ze.zeEventCounterBasedCreate(HANDLE(CONTEXT), HANDLE(DEVICE), &desc, &made);
	copy(LIST, 1, EVENT);
	ran(EVENT, 50 * HZ, 51 * HZ);
	ze.zeEventQueryStatus(made);
	fake.events[EVENT].is_signalled = false; /* with the next append */
	copy(LIST, 2, EVENT);
	copy(LIST, 3, EVENT);
	ran(EVENT, 52 * HZ, 53 * HZ);
	ze.zeEventQueryStatus(made);
	said_is("counters 1");
}

/* What a synchronous queue has executed is complete. */
TEST_IN(begin, end, synchronous)
{
	queue(QUEUE, LANE_ZE_QUEUE_SYNCHRONOUS);
	list(LIST, 0);
	copy(LIST, 1, 0);
	ran(OWN_POOL + 2, 50 * HZ, 51 * HZ);
	execute(QUEUE, LIST, 0);
	said_is("synchronous 1");
}

/* A list is executed many times, each time its commands have numbers of their own. */
TEST_IN(begin, end, lists_again)
{
	queue(QUEUE, 0);
	list(LIST, LANE_ZE_LIST_IN_ORDER);
	kernel(KERNEL, "again");
	events(LANE_ZE_POOL_TIMES, 2);
	launch(LIST, 0);
	copy(LIST, 10, EVENT);
	ze.zeCommandListAppendBarrier(HANDLE(LIST), HANDLE(EVENT + 1), 0, NULL);
	ze.zeCommandListAppendHostFunction(HANDLE(LIST), HANDLE(96), HANDLE(97), NULL, NULL, 0,
					   NULL);
	said_is("lists_again 1");
	for (uint32_t i = 0; i < 2; i++) {
		execute(QUEUE, LIST, 0);
		ran(OWN_POOL + 2, 50 * HZ + i, 51 * HZ + i);
		ran(EVENT, 52 * HZ + i, 53 * HZ + i);
		ran(EVENT + 1, 0, 0);
		ze.zeEventHostSynchronize(HANDLE(EVENT + 1), 9);
		ze.zeCommandQueueSynchronize(HANDLE(QUEUE), 9);
		ze.zeEventHostReset(HANDLE(EVENT));
		ze.zeEventHostReset(HANDLE(EVENT + 1));
	}
	said_is("lists_again 2");
	execute(QUEUE, LIST, 0);
	ran(OWN_POOL + 2, 60 * HZ, 61 * HZ);
	ze.zeCommandListReset(HANDLE(LIST)); /* it is over then */
	said_is("lists_again 3");
	execute(QUEUE, LIST, 0);
	copy(LIST, 20, 0);
	execute(QUEUE, LIST, 0);
	ze.zeCommandListDestroy(HANDLE(LIST));
	said_is("lists_again 4");
	ze.zeCommandQueueDestroy(HANDLE(QUEUE));
	said_is("lists_again 5");
}

/* Out of order an event tells of its own command alone, those of the same list before it included.
 */
TEST_IN(begin, end, lists_out_of_order)
{
	queue(QUEUE, 0);
	list(LIST, 0);
	events(LANE_ZE_POOL_MAPPED_TIMES, 1);
	copy(LIST, 10, 0);
	copy(LIST, 20, EVENT);
	execute(QUEUE, LIST, 0);
	ran(EVENT, 52 * HZ, 53 * HZ);
	said_is("lists_out_of_order 1");
	ze.zeEventHostSynchronize(HANDLE(EVENT), 9);
	said_is("lists_out_of_order 2");
	ran(OWN_POOL + 2, 50 * HZ, 54 * HZ);
	ze.zeCommandQueueSynchronize(HANDLE(QUEUE), 9);
	said_is("lists_out_of_order 3");
}

/* Events of the layer's own come from the context, go back to it, and go with it. */
TEST_IN(begin, end, own_events)
{
	immediate(LIST, 0, LANE_ZE_QUEUE_SYNCHRONOUS);
	list(LIST + 1, LANE_ZE_LIST_CLONEABLE);
	ran(OWN_POOL + 2, 50 * HZ, 51 * HZ);
	copy(LIST, 10, 0);
	fake.status = 77;
	copy(LIST, 20, 0);
	copy(LIST, 30, 0);
	copy(LIST + 1, 40, 0);
	ze.zeCommandListAppendHostFunction(HANDLE(LIST), HANDLE(96), HANDLE(97), NULL, NULL, 0,
					   NULL);
	said_is("own_events 1");
	ze.zeContextDestroy(HANDLE(CONTEXT));
	said_is("own_events 2");
}

/* Another object at the address of one that is gone is told of anew. */
TEST_IN(begin, end, addresses_used_again)
{
	for (uint32_t i = 0; i < 2; i++) {
		immediate(LIST, i ? LANE_ZE_QUEUE_IN_ORDER : 0, 0);
		kernel(KERNEL, i ? "second" : "first");
		ze.zeKernelSetGroupSize(HANDLE(KERNEL), i ? 8 : 32, 1, 1);
		launch(LIST, 0);
		launch(LIST, 0);
		said_is(i ? "addresses_used_again 3" : "addresses_used_again 1");
		if (i)
			break;
		ze.zeKernelDestroy(HANDLE(KERNEL));
		ze.zeCommandListDestroy(HANDLE(LIST));
		said_is("addresses_used_again 2");
	}
	/* whose end was not seen */
	kernel(KERNEL, "third");
	launch(LIST, 0);
	said_is("addresses_used_again 4");
}

/* As SYCL's runtime captures a graph. */
static void capture_by_address(void)
{
	uint32_t (*begin_capture)(void *, void *), (*end_capture)(void *, void **, void *);
	uint32_t (*append_graph)(void *, void *, void *, void *, uint32_t, void **);
	void *graph = NULL;

	ze.zeDriverGetExtensionFunctionAddress(HANDLE(7), "zeCommandListBeginGraphCaptureExp",
					       (void **)&begin_capture);
	ze.zeDriverGetExtensionFunctionAddress(HANDLE(7), "zeCommandListEndGraphCaptureExp",
					       (void **)&end_capture);
	ze.zeDriverGetExtensionFunctionAddress(HANDLE(7), "zeCommandListAppendGraphExp",
					       (void **)&append_graph);
	begin_capture(HANDLE(LIST), NULL);
	copy(LIST, 14, 0);
	end_capture(HANDLE(LIST), &graph, NULL);
	append_graph(HANDLE(LIST), HANDLE(98), NULL, NULL, 0, NULL);
}

/* What goes into a graph is not told of; what is changed in a list is not known any more. */
TEST_IN(begin, end, captured_and_changed)
{
	void *graph = NULL;

	immediate(LIST, LANE_ZE_QUEUE_IN_ORDER, 0);
	queue(QUEUE, 0);
	list(LIST + 1, 0);
	kernel(KERNEL, "changed");
	ze.zeKernelSetGroupSize(HANDLE(KERNEL), 16, 1, 1);
	events(LANE_ZE_POOL_TIMES, 3);
	ze.zeCommandListBeginGraphCaptureExt(HANDLE(LIST), NULL);
	copy(LIST, 10, 0);
	copy(LIST, 11, EVENT);
	ze.zeCommandListEndGraphCaptureExt(HANDLE(LIST), NULL, &graph);
	copy(LIST, 12, EVENT);
	ran(EVENT, 50 * HZ, 51 * HZ);
	ze.zeCommandListHostSynchronize(HANDLE(LIST), 9);
	ze.zeCommandListBeginCaptureIntoGraphExt(HANDLE(LIST), graph, NULL);
	copy(LIST, 13, 0);
	ze.zeCommandListEndGraphCaptureExt(HANDLE(LIST), NULL, &graph);
	said_is("captured_and_changed 1");
	capture_by_address();
	said_is("captured_and_changed by address");
	launch(LIST + 1, EVENT + 1);
	copy(LIST + 1, 20, EVENT + 2);
	execute(QUEUE, LIST + 1, 0);
	ze.zeCommandListUpdateMutableCommandsExp(HANDLE(LIST + 1), NULL);
	execute(QUEUE, LIST + 1, 0);
	ze.zeCommandListUpdateMutableCommandKernelsExp(HANDLE(LIST + 1), 0, NULL, NULL);
	execute(QUEUE, LIST + 1, 0);
	ze.zeCommandListUpdateMutableCommandSignalEventExp(HANDLE(LIST + 1), 1, NULL);
	execute(QUEUE, LIST + 1, 0);
	ran(EVENT + 1, 52 * HZ, 53 * HZ);
	ran(EVENT + 2, 54 * HZ, 5100 * HZ);
	said_is("captured_and_changed 2");
	ze.zeCommandQueueSynchronize(HANDLE(QUEUE), 9);
	said_is("captured_and_changed 3");
}

/* The device's clock is read every 100 ms, and not before a queue of it is told of. */
TEST_IN(begin, end, clocks)
{
	immediate(LIST, 0, 0);
	said_is("clocks 1");
	copy(LIST, 10, 0);
	fake_now.tv_nsec = 99999999;
	copy(LIST, 20, 0);
	fake_now.tv_nsec = 100000000;
	fake.ticks += HZ / 10;
	copy(LIST, 30, 0);
	copy(LIST, 40, 0);
	fake_now.tv_nsec = 0;
	said_is("clocks 2");
}

/* Nothing is told while nobody records, and nothing is asked; a loader that has not heard of a
 * function keeps its own. */
TEST_IN(begin, end, not_recorded)
{
	is_recorded = false;
	immediate(LIST, 0, 0);
	kernel(KERNEL, "unseen");
	copy(LIST, 10, 0);
	said_is("not_recorded 1");
	is_recorded = true;
	launch(LIST, 0);
	said_is("not_recorded 2");
	load(13);
	assert_ptr_equal(ze.zeCommandListAppendLaunchKernelWithParameters,
			 fake_zeCommandListAppendLaunchKernelWithParameters);
	assert_ptr_not_equal(ze.zeCommandListHostSynchronize, fake_zeCommandListHostSynchronize);
}

/* Of commands that nobody waits for, those are told of that are complete when there are a thousand;
 * few are asked for. */
TEST_IN(begin, end, many_under_way)
{
	immediate(LIST, 0, 0);
	copy(LIST, 10, 0);
	n_said = 0;
	for (uint32_t i = 1; i < 700; i++) {
		copy(LIST, 10, 0);
		n_said = 0;
	}
	for (uint32_t i = 700; i < 1024; i++) {
		ze.zeCommandListAppendHostFunction(HANDLE(LIST), NULL, NULL, NULL, NULL, 0, NULL);
		n_said = 0;
	}
	ran(OWN_POOL + 5, 50 * HZ, 51 * HZ);  /* the fourth */
	ran(OWN_POOL + 2, 52 * HZ, 53 * HZ);  /* the first */
	ran(OWN_POOL + 57, 52 * HZ, 53 * HZ); /* behind four that are not complete */
	ze.zeCommandListAppendHostFunction(HANDLE(LIST), NULL, NULL, NULL, NULL, 0, NULL);
	said_is("many_under_way 1");
	ran(OWN_POOL + 7, 52 * HZ, 53 * HZ);
	ze.zeCommandListAppendHostFunction(HANDLE(LIST), NULL, NULL, NULL, NULL, 0, NULL);
	said_is("many_under_way 2");
}

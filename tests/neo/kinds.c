// SPDX-License-Identifier: MIT
// A program for Level Zero that uses what is hard for a tracer, a kind each. It prints how many
// kernels and copies it has appended, how many calls it made, and a number made of all their
// results: with a tracer it has to print the same.
//
//	kinds KIND N      see the table at the end
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "levelzero.h"

#define THREADS 4
#define BYTES	65536

static atomic_uint commands, calls;
static atomic_ullong results;

/* Counts a call, and goes on whatever its result is. */
static ze_result_t said(ze_result_t result)
{
	atomic_fetch_add(&calls, 1);
	atomic_fetch_add(&results, (unsigned long long)result * 1000003 + 1);
	return result;
}

#define DO(...) must(said(__VA_ARGS__), #__VA_ARGS__)

static ze_command_list_handle_t in_order;
static void *on_host, *on_device;

static void kernel_on(ze_command_list_handle_t list, ze_event_handle_t event)
{
	launch(list, event, 0, NULL);
	commands++;
}

static void copy_on(ze_command_list_handle_t list, ze_event_handle_t event)
{
	DO(zeCommandListAppendMemoryCopy(list, on_device, on_host, BYTES, event, 0, NULL));
	commands++;
}

static void wait_for(ze_command_list_handle_t list)
{
	DO(zeCommandListHostSynchronize(list, UINT64_MAX));
}

static ze_command_list_handle_t regular_list(ze_command_list_flags_t flags, const void *next)
{
	ze_command_list_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
					.pNext = next,
					.flags = flags };
	ze_command_list_handle_t list;

	DO(zeCommandListCreate(context, device, &desc, &list));
	return list;
}

static ze_command_queue_handle_t queue_of(ze_command_queue_mode_t mode)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .mode = mode };
	ze_command_queue_handle_t queue;

	DO(zeCommandQueueCreate(context, device, &desc, &queue));
	return queue;
}

static void execute(ze_command_queue_handle_t queue, ze_command_list_handle_t list,
		    ze_fence_handle_t fence)
{
	DO(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
}

/* Events without times. */
static ze_event_pool_handle_t plain_events(uint32_t n, ze_event_handle_t *of)
{
	ze_event_pool_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
				      .count = n,
				      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE };
	ze_event_pool_handle_t plain;
	ze_event_pool_flags_t flags = 0;

	DO(zeEventPoolCreate(context, &desc, 1, &device, &plain));
	if (said(zeEventPoolGetFlags(plain, &flags)) == ZE_RESULT_SUCCESS && flags != desc.flags)
		exit(1);
	for (uint32_t i = 0; i < n; i++) {
		ze_event_desc_t event = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
					  .index = i,
					  .signal = ZE_EVENT_SCOPE_FLAG_HOST };

		DO(zeEventCreate(plain, &event, &of[i]));
	}
	return plain;
}

static void end_of_plain(ze_event_pool_handle_t plain, uint32_t n, ze_event_handle_t *of)
{
	for (uint32_t i = 0; i < n; i++)
		DO(zeEventDestroy(of[i]));
	DO(zeEventPoolDestroy(plain));
}

// --- the kinds

static void plain(unsigned int n)
{
	ze_event_handle_t of[2];
	ze_event_pool_handle_t home = plain_events(2, of);

	for (unsigned int i = 0; i < n; i++) {
		kernel_on(in_order, of[i % 2]);
		DO(zeEventHostSynchronize(of[i % 2], UINT64_MAX));
		DO(zeEventHostReset(of[i % 2]));
	}
	end_of_plain(home, 2, of);
}

typedef ze_result_t create_counter_fn(ze_context_handle_t, ze_device_handle_t,
				      const ze_event_counter_based_desc_t *, ze_event_handle_t *);

/* Counter based events are used again without a reset. */
static void counters(unsigned int n, create_counter_fn *create)
{
	ze_event_counter_based_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
					       .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
							ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
					       .signal = ZE_EVENT_SCOPE_FLAG_HOST };
	ze_event_handle_t of[4];

	for (int i = 0; i < 4; i++)
		DO(create(context, device, &desc, &of[i]));
	for (unsigned int i = 0; i < n; i++) {
		kernel_on(in_order, of[i % 4]);
		if (i % 3 == 0)
			DO(zeEventHostSynchronize(of[i % 4], UINT64_MAX));
	}
	wait_for(in_order);
	for (int i = 0; i < 4; i++)
		DO(zeEventDestroy(of[i]));
}

static void counter(unsigned int n)
{
	counters(n, zeEventCounterBasedCreate);
}

/* As SYCL's runtime makes them: by a function that the loader does not know. */
static void extension(unsigned int n)
{
	create_counter_fn *create;

	DO(zeDriverGetExtensionFunctionAddress(driver, "zexCounterBasedEventCreate2",
					       (void **)&create));
	counters(n, create);
}

/* Events that are used again before what they were for is over. */
static void recycled(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		kernel_on(in_order, events[i % 2]);
	wait_for(in_order);
	DO(zeEventHostSynchronize(events[0], UINT64_MAX));
}

static void reset(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		kernel_on(in_order, events[0]);
		DO(zeCommandListAppendEventReset(in_order, events[0]));
		if (i % 4 == 3)
			wait_for(in_order);
	}
}

/* A list that resets its event. While it is executed it must not be executed again. */
static void reset_in_list(unsigned int n)
{
	ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t list = regular_list(ZE_COMMAND_LIST_FLAG_IN_ORDER, NULL);

	DO(zeCommandListAppendEventReset(list, events[0]));
	kernel_on(list, events[0]);
	DO(zeCommandListClose(list));
	for (unsigned int i = 0; i < n; i++) {
		execute(queue, list, NULL);
		DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
	}
	commands += n - 1;
	DO(zeCommandListDestroy(list));
	DO(zeCommandQueueDestroy(queue));
}

static void arguments(unsigned int n)
{
	ze_group_count_t groups = { 4, 1, 1 };
	ze_group_size_t sizes = { 8, 1, 1 };
	const void *next = NULL;

	for (unsigned int i = 0; i < n; i++) {
		DO(zeCommandListAppendLaunchKernelWithArguments(in_order, kernel, groups, sizes,
								NULL, next, NULL, 0, NULL));
		DO(zeCommandListAppendLaunchKernelWithParameters(in_order, kernel, &groups, next,
								 events[0], 0, NULL));
		DO(zeCommandListAppendLaunchCooperativeKernel(in_order, kernel, &groups, NULL, 1,
							      events));
		DO(zeCommandListAppendMemoryCopyWithParameters(in_order, on_device, on_host, BYTES,
							       next, NULL, 0, NULL));
		wait_for(in_order);
		DO(zeEventHostReset(events[0]));
		commands += 4;
	}
}

/* Events and pools go as soon as nothing uses them, and nobody has waited for them. */
static void early(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		ze_event_handle_t of[3];
		ze_event_pool_handle_t home = plain_events(3, of);

		for (int j = 0; j < 3; j++)
			kernel_on(in_order, of[j]);
		wait_for(in_order);
		end_of_plain(home, 3, of);
	}
}

/* One list, executed again and again: waited for by the queue, or by an event that nobody resets in
 * between. */
static void again(unsigned int n)
{
	ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t list = regular_list(0, NULL);

	kernel_on(list, NULL);
	DO(zeCommandListAppendBarrier(list, NULL, 0, NULL));
	kernel_on(list, events[0]);
	copy_on(list, NULL);
	DO(zeCommandListAppendBarrier(list, events[1], 0, NULL));
	DO(zeCommandListClose(list));
	for (unsigned int i = 0; i < n; i++) {
		execute(queue, list, NULL);
		if (i % 2)
			DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
		else
			DO(zeEventHostSynchronize(events[1], UINT64_MAX));
		DO(zeEventHostReset(events[1]));
	}
	DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
	commands += 3 * (n - 1);
	DO(zeCommandListReset(list));
	kernel_on(list, NULL);
	DO(zeCommandListClose(list));
	execute(queue, list, NULL);
	DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
	DO(zeCommandListDestroy(list));
	DO(zeCommandQueueDestroy(queue));
}

/* A list that an immediate list executes. */
static void appended(unsigned int n)
{
	ze_command_list_handle_t list = regular_list(ZE_COMMAND_LIST_FLAG_IN_ORDER, NULL);

	kernel_on(list, NULL);
	kernel_on(list, NULL);
	DO(zeCommandListClose(list));
	for (unsigned int i = 0; i < n; i++) {
		DO(zeCommandListImmediateAppendCommandListsExp(in_order, 1, &list, events[0], 0,
							       NULL));
		DO(zeEventHostSynchronize(events[0], UINT64_MAX));
		DO(zeEventHostReset(events[0]));
	}
	commands += 2 * (n - 1);
	wait_for(in_order);
	DO(zeCommandListDestroy(list));
}

/* A graph of two lists, one of which is captured only because it waits for the other. It is one
 * command, of four kernels. */
static void graph(unsigned int n)
{
	ze_command_list_handle_t other = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);
	ze_graph_handle_t made;
	ze_executable_graph_handle_t executable;
	unsigned int before = commands;

	DO(zeCommandListBeginGraphCaptureExt(in_order, NULL));
	kernel_on(in_order, NULL);
	kernel_on(in_order, events[0]);
	DO(zeCommandListAppendWaitOnEvents(other, 1, &events[0]));
	kernel_on(other, events[1]);
	DO(zeCommandListAppendWaitOnEvents(in_order, 1, &events[1]));
	kernel_on(in_order, NULL);
	DO(zeCommandListEndGraphCaptureExt(in_order, NULL, &made));
	commands = before;
	DO(zeGraphInstantiateExt(made, NULL, &executable));
	for (unsigned int i = 0; i < n; i++) {
		kernel_on(in_order, NULL);
		DO(zeCommandListAppendGraphExt(in_order, executable, NULL, NULL, 0, NULL));
		commands++;
		if (i % 4 == 0)
			wait_for(in_order);
	}
	wait_for(in_order);
	DO(zeExecutableGraphDestroyExt(executable));
	DO(zeGraphDestroyExt(made));
	DO(zeCommandListDestroy(other));
}

static void *thread(void *arg)
{
	const unsigned int n = *(unsigned int *)arg;
	ze_command_list_handle_t list = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);
	ze_event_handle_t of[2];
	ze_event_pool_handle_t home = plain_events(2, of);

	for (unsigned int i = 0; i < n; i++) {
		kernel_on(list, i % 3 ? NULL : of[i / 3 % 2]);
		if (i % 3 == 0) {
			DO(zeEventHostSynchronize(of[i / 3 % 2], UINT64_MAX));
			DO(zeEventHostReset(of[i / 3 % 2]));
		}
	}
	wait_for(list);
	end_of_plain(home, 2, of);
	DO(zeCommandListDestroy(list));
	return NULL;
}

static void threads(unsigned int n)
{
	pthread_t of[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&of[i], NULL, thread, &n))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(of[i], NULL);
}

/* Copies go to another engine behind the list's back. */
static void offload(unsigned int n)
{
	ze_command_list_handle_t list = immediate_list(
		ZE_COMMAND_QUEUE_FLAG_IN_ORDER | ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT, 0);

	for (unsigned int i = 0; i < n; i++) {
		kernel_on(list, NULL);
		copy_on(list, NULL);
	}
	wait_for(list);
	DO(zeCommandListDestroy(list));
}

static void fences(unsigned int n)
{
	ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t list = regular_list(0, NULL);
	ze_fence_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_FENCE_DESC };
	ze_fence_handle_t fence;

	DO(zeFenceCreate(queue, &desc, &fence));
	kernel_on(list, NULL);
	DO(zeCommandListClose(list));
	for (unsigned int i = 0; i < n; i++) {
		execute(queue, list, fence);
		DO(zeFenceHostSynchronize(fence, UINT64_MAX));
		said(zeFenceQueryStatus(fence));
		DO(zeFenceReset(fence));
	}
	commands += n - 1;
	DO(zeFenceDestroy(fence));
	DO(zeCommandListDestroy(list));
	DO(zeCommandQueueDestroy(queue));
}

/* What is waited for is a barrier's event, or one that is signalled behind the kernels. */
static void barriers(unsigned int n)
{
	ze_command_list_handle_t list = immediate_list(0, 0);

	for (unsigned int i = 0; i < n; i++) {
		kernel_on(list, NULL);
		kernel_on(list, NULL);
		DO(zeCommandListAppendBarrier(list, events[0], 0, NULL));
		DO(zeEventHostSynchronize(events[0], UINT64_MAX));
		DO(zeEventHostReset(events[0]));
		kernel_on(in_order, NULL);
		DO(zeCommandListAppendSignalEvent(in_order, events[1]));
		DO(zeEventHostSynchronize(events[1], UINT64_MAX));
		DO(zeEventHostReset(events[1]));
	}
	DO(zeCommandListDestroy(list));
}

static void on_the_host(void *data)
{
	atomic_fetch_add((atomic_uint *)data, 1);
}

static void host(unsigned int n)
{
	atomic_uint ran = 0;

	for (unsigned int i = 0; i < n; i++) {
		kernel_on(in_order, NULL);
		DO(zeCommandListAppendHostFunction(in_order, on_the_host, &ran, NULL, NULL, 0,
						   NULL));
		commands++;
	}
	wait_for(in_order);
	if (ran != n)
		exit(1);
}

/* The program reads times by the GPU, in the list. */
static void query(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const ze_kernel_timestamp_result_t *times = on_host;

		kernel_on(in_order, events[0]);
		DO(zeCommandListAppendQueryKernelTimestamps(in_order, 1, &events[0], on_host, NULL,
							    NULL, 0, NULL));
		wait_for(in_order);
		if (times->global.kernelStart > times->global.kernelEnd)
			exit(1);
		DO(zeEventHostReset(events[0]));
	}
}

/* A list whose command is changed to signal another event, and to have other groups. */
static void changed(unsigned int n)
{
	ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_mutable_command_list_exp_desc_t mutable = {
		.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC
	};
	ze_command_list_handle_t list = regular_list(0, &mutable);
	ze_mutable_command_id_exp_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC,
		.flags = ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT
	};
	uint64_t id;

	DO(zeCommandListGetNextCommandIdExp(list, &desc, &id));
	kernel_on(list, events[0]);
	DO(zeCommandListClose(list));
	for (unsigned int i = 0; i < n; i++) {
		execute(queue, list, NULL);
		DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
		DO(zeCommandListUpdateMutableCommandSignalEventExp(list, id, events[(i + 1) % 2]));
		DO(zeCommandListClose(list));
	}
	commands += n - 1;
	DO(zeCommandListDestroy(list));
	DO(zeCommandQueueDestroy(queue));
}

/* Lists and queues whose calls return when all is over. */
static void synchronous(unsigned int n)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS };
	ze_command_queue_handle_t queue = queue_of(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	ze_command_list_handle_t list = regular_list(0, NULL), immediate;

	DO(zeCommandListCreateImmediate(context, device, &desc, &immediate));
	kernel_on(list, NULL);
	DO(zeCommandListClose(list));
	for (unsigned int i = 0; i < n; i++) {
		kernel_on(immediate, NULL);
		execute(queue, list, NULL);
	}
	commands += n - 1;
	DO(zeCommandListDestroy(immediate));
	DO(zeCommandListDestroy(list));
	DO(zeCommandQueueDestroy(queue));
}

/* OpenCL and Level Zero in one process, in turns. */
static void both(unsigned int n)
{
	cl_platform_id platform;
	cl_device_id id;
	cl_int status = clGetPlatformIDs(1, &platform, NULL);
	cl_context opencl;
	cl_command_queue queue;
	cl_mem buffer;

	if (status || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &id, NULL))
		exit(1);
	opencl = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
	queue = clCreateCommandQueue(opencl, id, 0, &status);
	buffer = clCreateBuffer(opencl, CL_MEM_READ_WRITE, BYTES, NULL, &status);
	for (unsigned int i = 0; i < n; i++) {
		kernel_on(in_order, NULL);
		if (clEnqueueFillBuffer(queue, buffer, &i, sizeof(i), 0, BYTES, 0, NULL, NULL))
			exit(1);
		commands++;
		clFinish(queue);
		wait_for(in_order);
	}
	usleep(200000); /* the runtime's thread tells of the last one, on a busy machine, too */
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
	clReleaseContext(opencl);
}

/* All of them, and what they leave behind. */
static void mixed(unsigned int n);

static const struct {
	const char *name;
	void (*run)(unsigned int n);
} kinds[] = {
	{ "plain", plain },
	{ "counter", counter },
	{ "extension", extension },
	{ "recycled", recycled },
	{ "reset", reset },
	{ "reset-in-list", reset_in_list },
	{ "arguments", arguments },
	{ "early", early },
	{ "again", again },
	{ "appended", appended },
	{ "graph", graph },
	{ "threads", threads },
	{ "offload", offload },
	{ "fences", fences },
	{ "barriers", barriers },
	{ "host", host },
	{ "query", query },
	{ "changed", changed },
	{ "synchronous", synchronous },
	{ "both", both },
	{ "mixed", mixed },
};
#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static void mixed(unsigned int n)
{
	for (size_t i = 0; i + 1 < N_KINDS; i++) {
		kinds[i].run(n);
		for (int j = 0; j < EVENTS; j++)
			DO(zeEventHostReset(events[j]));
	}
}

int main(int argc, char **argv)
{
	ze_device_mem_alloc_desc_t device_desc = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC
	};
	ze_host_mem_alloc_desc_t host_desc = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };

	begin();
	load_kernel();
	pool = make_events(events, EVENTS);
	in_order = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);
	DO(zeMemAllocHost(context, &host_desc, BYTES, 64, &on_host));
	DO(zeMemAllocDevice(context, &device_desc, BYTES, 64, device, &on_device));
	for (size_t i = 0; i < N_KINDS && argc == 3; i++) {
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kinds[i].run((unsigned int)atoi(argv[2]));
	}
	DO(zeCommandListDestroy(in_order));
	DO(zeMemFree(context, on_host));
	DO(zeMemFree(context, on_device));
	for (int i = 0; i < EVENTS; i++)
		DO(zeEventDestroy(events[i]));
	DO(zeEventPoolDestroy(pool));
	DO(zeContextDestroy(context));
	printf("%u commands, %u calls, results %llu\n", commands, calls, results);
	return commands ? 0 : 2;
}

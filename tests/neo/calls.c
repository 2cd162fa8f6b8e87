// SPDX-License-Identifier: MIT
// Programs for Level Zero as its users write them; how long each of their calls takes goes to a
// file. While the gate is closed no command can begin, since the first waits for the host: a call
// that waits for the GPU then takes the 5 s after which Intel's runtime gives up, or never returns.
/* clang-format off */
/*
 *	calls FILE poll|pollcb N     an event of a pool, or a counter based one, is asked for N times
 *	calls FILE timeout0 N        N waits that do not wait
 *	calls FILE reuse N           one counter based event for all launches
 *	calls FILE drop N            as SYCL's runtime drives it: counter based events, each free again at once
 *	calls FILE keep N            as PyTorch does: an event for each launch, waited for now and then
 *	calls FILE ahead N           launches without events, one wait
 *	calls FILE plain N           events of a pool, in order
 *	calls FILE unordered N       likewise out of order
 *	calls FILE profiled N        the program reads each launch's times itself
 *	calls FILE batch N           a list of 50 launches, executed N / 50 times, a fence for each
 *	calls FILE threads N         a thread launches, another resets an event of its own
 *	calls FILE graph N           a graph of 20 launches, captured by the driver's own functions, run N / 20 times
 *	calls FILE jit N             modules are built, launched from, and destroyed
 */
/* clang-format on */
#include <pthread.h>
#include <time.h>

#include "levelzero.h"

enum {
	BATCH = 50,
	NODES = 20,
	KEPT = 16,
	GATE = KEPT - 1
};

static FILE *times;
static volatile bool is_closed;
static ze_command_list_handle_t list;
static ze_event_handle_t plain[KEPT];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void note(const char *function, uint64_t ns, ze_result_t result)
{
	if (result != ZE_RESULT_NOT_READY)
		must(result, function);
	fprintf(times, "%s%s %" PRIu64 "\n", function, is_closed ? ", gate closed" : "", ns);
}

/* A call; its result may be "not ready". */
#define CALL(function, ...)                                                                        \
	({                                                                                         \
		uint64_t begin_ns_ = now_ns();                                                     \
		ze_result_t result_ = function(__VA_ARGS__);                                       \
                                                                                                   \
		note(#function, now_ns() - begin_ns_, result_);                                    \
		result_;                                                                           \
	})

static void launch_on(ze_command_list_handle_t on, ze_event_handle_t event)
{
	ze_group_count_t groups = { 4, 1, 1 };

	CALL(zeCommandListAppendLaunchKernel, on, kernel, &groups, event, 0, NULL);
}

static void close_gate(void)
{
	ze_group_count_t groups = { 4, 1, 1 };

	must(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 1, &plain[GATE]), "gate");
	is_closed = true;
}

/* Opens the gate, if it is closed. */
static void wait_for_list(void)
{
	bool was_closed = is_closed;

	is_closed = false;
	if (was_closed)
		must(zeEventHostSignal(plain[GATE]), "zeEventHostSignal");
	CALL(zeCommandListHostSynchronize, list, UINT64_MAX);
	if (was_closed)
		must(zeEventHostReset(plain[GATE]), "zeEventHostReset");
}

typedef ze_result_t create_counter_fn(ze_context_handle_t, ze_device_handle_t,
				      const ze_event_counter_based_desc_t *, ze_event_handle_t *);

static ze_event_handle_t counter(void)
{
	ze_event_counter_based_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
					       .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
							ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
					       .signal = ZE_EVENT_SCOPE_FLAG_HOST };
	create_counter_fn *create;
	ze_event_handle_t event;

	must(zeDriverGetExtensionFunctionAddress(driver, "zexCounterBasedEventCreate2",
						 (void **)&create),
	     "zeDriverGetExtensionFunctionAddress");
	must(create(context, device, &desc, &event), "zexCounterBasedEventCreate2");
	return event;
}

/* Events without times. */
static void make_plain(void)
{
	ze_event_pool_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
				      .count = KEPT,
				      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE };

	must(zeEventPoolCreate(context, &desc, 1, &device, &pool), "zeEventPoolCreate");
	for (uint32_t i = 0; i < KEPT; i++) {
		ze_event_desc_t event = { .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
					  .index = i,
					  .signal = ZE_EVENT_SCOPE_FLAG_HOST };

		must(zeEventCreate(pool, &event, &plain[i]), "zeEventCreate");
	}
}

/* --- the ways */

static void poll_of(unsigned int n, ze_event_handle_t event)
{
	close_gate();
	launch_on(list, event);
	for (unsigned int i = 0; i < n; i++)
		if (CALL(zeEventQueryStatus, event) != ZE_RESULT_NOT_READY)
			exit(1);
	wait_for_list();
	CALL(zeEventQueryStatus, event);
}

static void polls(unsigned int n)
{
	poll_of(n, plain[0]);
}

static void polls_counter(unsigned int n)
{
	poll_of(n, counter());
}

static void timeout0(unsigned int n)
{
	ze_event_handle_t event = counter();

	close_gate();
	for (unsigned int i = 0; i < n; i++) {
		launch_on(list, event);
		CALL(zeEventHostSynchronize, event, 0);
		CALL(zeCommandListHostSynchronize, list, 0);
	}
	wait_for_list();
}

static void reuse(unsigned int n)
{
	ze_event_handle_t event = counter();

	close_gate();
	for (unsigned int i = 0; i < n; i++)
		launch_on(list, event);
	wait_for_list();
}

static void drop(unsigned int n)
{
	ze_event_handle_t event[KEPT];
	ze_group_count_t groups = { 4, 1, 1 };
	ze_group_size_t sizes = { 16, 1, 1 };

	for (unsigned int i = 0; i < KEPT; i++)
		event[i] = counter();
	close_gate();
	for (unsigned int i = 0; i < n; i++)
		CALL(zeCommandListAppendLaunchKernelWithArguments, list, kernel, groups, sizes,
		     NULL, NULL, event[i % 3], 0, NULL);
	for (unsigned int i = 0; i < KEPT; i++)
		CALL(zeEventQueryStatus, event[i]);
	wait_for_list();
}

static void keep(unsigned int n)
{
	ze_event_handle_t event[KEPT];

	for (unsigned int i = 0; i < KEPT; i++)
		event[i] = counter();
	for (unsigned int i = 0; i < n; i++) {
		launch_on(list, event[i % KEPT]);
		if (i % KEPT == KEPT - 1)
			CALL(zeEventHostSynchronize, event[i % KEPT], UINT64_MAX);
	}
	wait_for_list();
}

static void ahead(unsigned int n)
{
	close_gate();
	for (unsigned int i = 0; i < n; i++)
		launch_on(list, NULL);
	wait_for_list();
}

/* Events that are reset by the host before they are used again; without a reset, too. */
static void resets(unsigned int n)
{
	for (unsigned int i = 0; i < n; i += GATE) {
		close_gate();
		for (unsigned int j = 0; j < GATE; j++)
			launch_on(list, plain[j]);
		for (unsigned int j = 0; j < GATE; j++)
			CALL(zeEventQueryStatus, plain[j]);
		wait_for_list();
		for (unsigned int j = i % 2; j < GATE; j++)
			CALL(zeEventHostReset, plain[j]);
	}
}

static void unordered(unsigned int n)
{
	list = immediate_list(0, 0);
	resets(n);
}

static void profiled(unsigned int n)
{
	ze_event_pool_handle_t of = make_events(events, EVENTS);
	ze_kernel_timestamp_result_t read;

	for (unsigned int i = 0; i < n; i++) {
		launch_on(list, events[i % EVENTS]);
		CALL(zeEventHostSynchronize, events[i % EVENTS], UINT64_MAX);
		CALL(zeEventQueryKernelTimestamp, events[i % EVENTS], &read);
		CALL(zeEventHostReset, events[i % EVENTS]);
	}
	for (int i = 0; i < EVENTS; i++)
		CALL(zeEventDestroy, events[i]);
	CALL(zeEventPoolDestroy, of);
}

static void batch(unsigned int n)
{
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS };
	ze_command_list_desc_t list_desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC };
	ze_fence_desc_t fence_desc = { .stype = ZE_STRUCTURE_TYPE_FENCE_DESC };
	ze_command_list_handle_t regular;
	ze_command_queue_handle_t queue;
	ze_fence_handle_t fence;

	CALL(zeCommandQueueCreate, context, device, &desc, &queue);
	CALL(zeCommandListCreate, context, device, &list_desc, &regular);
	CALL(zeFenceCreate, queue, &fence_desc, &fence);
	for (unsigned int i = 0; i < BATCH; i++)
		launch_on(regular, NULL);
	CALL(zeCommandListClose, regular);
	for (unsigned int i = 0; i < n / BATCH; i++) {
		CALL(zeCommandQueueExecuteCommandLists, queue, 1, &regular, fence);
		CALL(zeFenceHostSynchronize, fence, UINT64_MAX);
		CALL(zeFenceReset, fence);
	}
}

static volatile bool is_over;

static void *other(void *unused)
{
	while (!is_over) {
		CALL(zeEventHostReset, plain[1]);
		usleep(200);
	}
	return unused;
}

static void threads(unsigned int n)
{
	ze_event_handle_t event = counter();
	pthread_t of;

	if (pthread_create(&of, NULL, other, NULL))
		exit(1);
	close_gate();
	for (unsigned int i = 0; i < n; i++)
		launch_on(list, event);
	wait_for_list();
	is_over = true;
	pthread_join(of, NULL);
}

static void *own_function(const char *name)
{
	void *function;

	must(zeDriverGetExtensionFunctionAddress(driver, name, &function), name);
	return function;
}

static void graph(unsigned int n)
{
	ze_result_t (*begin_capture)(ze_command_list_handle_t, void *) =
		own_function("zeCommandListBeginGraphCaptureExp");
	ze_result_t (*end_capture)(ze_command_list_handle_t, void **, void *) =
		own_function("zeCommandListEndGraphCaptureExp");
	ze_result_t (*instantiate)(void *, void **, void *) =
		own_function("zeCommandListInstantiateGraphExp");
	ze_result_t (*append_graph)(ze_command_list_handle_t, void *, void *, ze_event_handle_t,
				    uint32_t, ze_event_handle_t *) =
		own_function("zeCommandListAppendGraphExp");
	void *made = NULL, *executable = NULL;

	CALL(begin_capture, list, NULL);
	for (unsigned int i = 0; i < NODES; i++)
		launch_on(list, NULL);
	CALL(end_capture, list, &made, NULL);
	CALL(instantiate, made, &executable, NULL);
	close_gate();
	for (unsigned int i = 0; i < n / NODES; i++) {
		CALL(append_graph, list, executable, NULL, NULL, 0, NULL);
		if (i % 4 == 3)
			wait_for_list();
	}
	wait_for_list();
}

static void jit(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t begin_ns = now_ns();

		load_kernel();
		note("a module is built", now_ns() - begin_ns, ZE_RESULT_SUCCESS);
		launch_on(list, plain[0]);
		CALL(zeEventHostSynchronize, plain[0], UINT64_MAX);
		CALL(zeEventHostReset, plain[0]);
		CALL(zeKernelDestroy, kernel);
	}
}

static const struct {
	const char *name;
	void (*run)(unsigned int n);
} ways[] = {
	{ "poll", polls },	  { "pollcb", polls_counter },
	{ "timeout0", timeout0 }, { "reuse", reuse },
	{ "drop", drop },	  { "keep", keep },
	{ "ahead", ahead },	  { "plain", resets },
	{ "batch", batch },	  { "unordered", unordered },
	{ "threads", threads },	  { "profiled", profiled },
	{ "graph", graph },	  { "jit", jit },
};

int main(int argc, char **argv)
{
	times = argc == 4 ? fopen(argv[1], "w") : NULL;
	if (!times)
		return 2;
	begin();
	load_kernel();
	make_plain();
	list = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);
	launch(list, NULL, 0, NULL);
	must(zeCommandListHostSynchronize(list, UINT64_MAX), "zeCommandListHostSynchronize");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(ways[i].name, argv[2]) == 0)
			ways[i].run((unsigned int)atoi(argv[3]));
	printf("%s: %d times\n", argv[2], atoi(argv[3]));
	return fclose(times) != 0;
}

// SPDX-License-Identifier: MIT
// A program for Level Zero, as its users write them: what it sees of the GPU and of its launches, a
// line each; it ends with 1 when something is not as it must be.
/* clang-format off */
/*
 *	levelzero device                 what there is
 *	levelzero launches N KIND        N launches, each waited for: KIND immediate, ordered or regular
 *	levelzero burst N                N launches at once, then one wait
 *	levelzero many N                 500 N launches, a wait for each 500 of them: what of the second
 *	                                 half stays allocated
 *	levelzero cost N [timed]         the same, each wait after the launches: what an append takes, and
 *	                                 a wait for each of its launches; timed: all have an event of
 *	                                 the program's, which reads its times and resets it
 *	levelzero copy                   to the device and back: the bytes are those
 *	levelzero hold                   a launch waits for an event of the host's
 */
/* clang-format on */
#include <malloc.h>
#include <time.h>

#include "levelzero.h"

#define BATCH 500

// A launch's times: the end is not before the begin, and the begin not before the last one's end.
static void check_times(ze_event_handle_t event, uint64_t *last)
{
	ze_kernel_timestamp_result_t times;

	must(zeEventQueryKernelTimestamp(event, &times), "zeEventQueryKernelTimestamp");
	if (times.global.kernelStart < *last || times.global.kernelEnd < times.global.kernelStart ||
	    times.context.kernelEnd < times.context.kernelStart) {
		fprintf(stderr,
			"levelzero: times out of order: %" PRIu64 ", %" PRIu64 " to %" PRIu64 "\n",
			*last, times.global.kernelStart, times.global.kernelEnd);
		exit(1);
	}
	*last = times.global.kernelEnd;
}

static void launches(unsigned int n, const char *kind)
{
	ze_command_list_handle_t list = immediate_list(
		strcmp(kind, "ordered") == 0 ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0, 0);
	uint64_t last = 0;

	for (unsigned int i = 0; i < n; i++) {
		ze_event_handle_t event = events[i % EVENTS];

		must(zeEventHostReset(event), "zeEventHostReset");
		launch(list, event, 0, NULL);
		must(zeEventHostSynchronize(event, UINT64_MAX), "zeEventHostSynchronize");
		check_times(event, &last);
	}
	must(zeCommandListDestroy(list), "zeCommandListDestroy");
}

// A list that is closed once and executed again and again.
static void executions(unsigned int n)
{
	ze_command_list_desc_t list_desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC };
	ze_command_queue_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS };
	ze_command_queue_handle_t queue;
	ze_command_list_handle_t list;
	uint64_t last = 0;

	must(zeCommandQueueCreate(context, device, &desc, &queue), "zeCommandQueueCreate");
	must(zeCommandListCreate(context, device, &list_desc, &list), "zeCommandListCreate");
	launch(list, events[0], 0, NULL);
	launch(list, events[1], 1, events);
	must(zeCommandListClose(list), "zeCommandListClose");
	for (unsigned int i = 0; i < n; i += 2) {
		must(zeEventHostReset(events[0]), "zeEventHostReset");
		must(zeEventHostReset(events[1]), "zeEventHostReset");
		must(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL),
		     "zeCommandQueueExecuteCommandLists");
		must(zeCommandQueueSynchronize(queue, UINT64_MAX), "zeCommandQueueSynchronize");
		check_times(events[0], &last);
		check_times(events[1], &last);
	}
	must(zeCommandListDestroy(list), "zeCommandListDestroy");
	must(zeCommandQueueDestroy(queue), "zeCommandQueueDestroy");
}

static void burst(unsigned int n)
{
	ze_command_list_handle_t list = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);

	for (unsigned int i = 0; i < n; i++)
		launch(list, NULL, 0, NULL);
	must(zeCommandListHostSynchronize(list, UINT64_MAX), "zeCommandListHostSynchronize");
	must(zeCommandListDestroy(list), "zeCommandListDestroy");
}

// On the engine for copies alone, since what a kernel would copy is not copied here.
static void copy(void)
{
	ze_device_mem_alloc_desc_t on_device = { .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC };
	ze_host_mem_alloc_desc_t on_host = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };
	const size_t size = 1 << 20;
	ze_command_list_handle_t list = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 1);
	uint8_t *from, *to;
	void *middle;

	must(zeMemAllocHost(context, &on_host, size, 64, (void **)&from), "zeMemAllocHost");
	must(zeMemAllocHost(context, &on_host, size, 64, (void **)&to), "zeMemAllocHost");
	must(zeMemAllocDevice(context, &on_device, size, 64, device, &middle), "zeMemAllocDevice");
	for (size_t i = 0; i < size; i++)
		from[i] = (uint8_t)(i * 7 + i / 251);
	memset(to, 0, size);
	must(zeCommandListAppendMemoryCopy(list, middle, from, size, NULL, 0, NULL),
	     "zeCommandListAppendMemoryCopy");
	must(zeCommandListAppendMemoryCopy(list, to, middle, size, NULL, 0, NULL),
	     "zeCommandListAppendMemoryCopy");
	must(zeCommandListHostSynchronize(list, UINT64_MAX), "zeCommandListHostSynchronize");
	if (memcmp(from, to, size) != 0) {
		fprintf(stderr, "levelzero: what came back is not what went there\n");
		exit(1);
	}
	must(zeCommandListDestroy(list), "zeCommandListDestroy");
	must(zeMemFree(context, from), "zeMemFree");
	must(zeMemFree(context, to), "zeMemFree");
	must(zeMemFree(context, middle), "zeMemFree");
}

static void hold(void)
{
	ze_command_list_handle_t list = immediate_list(0, 0);

	launch(list, events[1], 1, events);
	usleep(20000);
	if (zeEventQueryStatus(events[1]) != ZE_RESULT_NOT_READY) {
		fprintf(stderr, "levelzero: it has not waited\n");
		exit(1);
	}
	must(zeEventHostSignal(events[0]), "zeEventHostSignal");
	must(zeEventHostSynchronize(events[1], UINT64_MAX), "zeEventHostSynchronize");
	must(zeCommandListDestroy(list), "zeCommandListDestroy");
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	return *(const uint32_t *)a > *(const uint32_t *)b ? 1 : -1;
}

/* Some have an event. */
static void many(unsigned int n, bool naps, bool timed)
{
	ze_command_list_handle_t list = immediate_list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0);
	ze_event_handle_t own[BATCH];
	ze_event_pool_handle_t own_pool = make_events(own, timed ? BATCH : 1);
	uint32_t *appends = calloc(n, sizeof(*appends)), *waits = calloc(n, sizeof(*waits));
	size_t half = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t begin = now_ns();

		if (i == n / 2)
			half = mallinfo2().uordblks;
		for (unsigned int j = 0; j < BATCH; j++) {
			ze_event_handle_t event = timed ? own[j] : NULL;

			if (!timed && j % 4 == 0 && j / 4 < EVENTS)
				event = events[j / 4];
			launch(list, event, 0, NULL);
		}
		appends[i] = (uint32_t)((now_ns() - begin) / BATCH);
		if (naps)
			usleep(100000);
		begin = now_ns();
		must(zeCommandListHostSynchronize(list, UINT64_MAX),
		     "zeCommandListHostSynchronize");
		for (int j = 0; timed && j < BATCH; j++) {
			ze_kernel_timestamp_result_t times;

			must(zeEventQueryKernelTimestamp(own[j], &times),
			     "zeEventQueryKernelTimestamp");
			must(zeEventHostReset(own[j]), "zeEventHostReset");
		}
		waits[i] = (uint32_t)((now_ns() - begin) / BATCH);
		for (int j = 0; j < EVENTS; j++)
			must(zeEventHostReset(events[j]), "zeEventHostReset");
	}
	qsort(appends, n, sizeof(*appends), compare);
	qsort(waits, n, sizeof(*waits), compare);
	if (naps)
		printf("%u ns an append, %u ns a launch's wait\n", appends[n / 4], waits[n / 4]);
	else
		printf("%zd bytes stay of %u launches\n", (ssize_t)(mallinfo2().uordblks - half),
		       n / 2 * BATCH);
	must(zeCommandListDestroy(list), "zeCommandListDestroy");
	for (int j = 0; j < (timed ? BATCH : 1); j++)
		must(zeEventDestroy(own[j]), "zeEventDestroy");
	must(zeEventPoolDestroy(own_pool), "zeEventPoolDestroy");
	free(appends);
	free(waits);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "device";
	unsigned int n = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;

	begin();
	if (strcmp(what, "device") == 0) {
		printf("%s, id 0x%04x, %u slices of %u Xe cores of %u EUs, %u bits of time\n",
		       properties.name, properties.deviceId, properties.numSlices,
		       properties.numSubslicesPerSlice, properties.numEUsPerSubslice,
		       properties.timestampValidBits);
		return 0;
	}
	load_kernel();
	pool = make_events(events, EVENTS);
	if (strcmp(what, "launches") == 0 && argc > 3 && strcmp(argv[3], "regular") == 0)
		executions(n);
	else if (strcmp(what, "launches") == 0 && argc > 3)
		launches(n, argv[3]);
	else if (strcmp(what, "burst") == 0)
		burst(n);
	else if (strcmp(what, "many") == 0 || strcmp(what, "cost") == 0)
		many(n, *what == 'c', argc > 3);
	else if (strcmp(what, "copy") == 0)
		copy();
	else if (strcmp(what, "hold") == 0)
		hold();
	else
		return 2;
	for (int i = 0; i < EVENTS; i++)
		must(zeEventDestroy(events[i]), "zeEventDestroy");
	must(zeEventPoolDestroy(pool), "zeEventPoolDestroy");
	must(zeContextDestroy(context), "zeContextDestroy");
	printf("%s: as it must be\n", what);
	return 0;
}

// SPDX-License-Identifier: MIT
// Prints what a program can see of queues, events, call-backs and errors: the same, whoever
// records.
#include "../lib/settled.h"
#include "common.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	BYTES = 4096
};

static cl_context context;
static cl_device_id device;
static cl_mem buffer;
static char memory[BYTES];

static void show_queue(const char *what, cl_command_queue queue, cl_int status)
{
	cl_queue_properties array[16] = { 0 };
	cl_command_queue_properties properties = 77;
	cl_uint references = 77;
	size_t bytes = 77;

	printf("%s: queue %d status %d\n", what, queue != NULL, status);
	if (!queue)
		return;
	status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				       &bytes);
	printf("  properties %d: 0x%llx in %zu\n", status, (unsigned long long)properties, bytes);
	status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &properties, NULL);
	printf("  properties in one byte %d\n", status);
	bytes = 77;
	status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(array), array,
				       &bytes);
	printf("  array %d: %zu bytes:", status, bytes);
	for (size_t i = 0; !status && i < bytes / sizeof(*array); i++)
		printf(" 0x%llx", (unsigned long long)array[i]);
	status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &bytes);
	printf("; alone %d: %zu", status, bytes);
	status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 4, array, NULL);
	printf("; in four bytes %d\n", status);
	clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(references), &references,
			      NULL);
	printf("  references %u\n", references);
}

static cl_command_queue with_array(const char *what, const cl_queue_properties *properties)
{
	cl_int status = 77;
	cl_command_queue queue =
		clCreateCommandQueueWithProperties(context, device, properties, &status);

	show_queue(what, queue, status);
	return queue;
}

static void queues(void)
{
	const cl_queue_properties none[] = { 0 };
	const cl_queue_properties zero[] = { CL_QUEUE_PROPERTIES, 0, 0 };
	const cl_queue_properties profiling[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
						  0 };
	const cl_queue_properties disorder[] = { CL_QUEUE_PROPERTIES,
						 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0 };
	const cl_queue_properties unknown[] = { 0x4711, 1, 0 };
	const cl_queue_properties size[] = { CL_QUEUE_SIZE, 16, 0 };
	cl_command_queue queue;
	cl_int status;

	with_array("no array", NULL);
	with_array("empty array", none);
	with_array("nothing asked", zero);
	with_array("profiling", profiling);
	with_array("out of order", disorder);
	with_array("unknown property", unknown);
	with_array("size without device", size);
	for (cl_command_queue_properties bits = 0; bits < 4; bits++) {
		status = 77;
		queue = clCreateCommandQueue(context, device, bits, &status);
		show_queue("by bits", queue, status);
		MUST(clReleaseCommandQueue(queue));
	}
	status = 77;
	queue = clCreateCommandQueue(NULL, device, 0, &status);
	show_queue("without context", queue, status);
	queue = clCreateCommandQueueWithProperties(context, NULL, NULL, &status);
	show_queue("without device", queue, status);
	queue = clCreateCommandQueue(context, NULL, 0, NULL);
	printf("without anybody to tell: %d\n", queue != NULL);
	printf("information of none: %d\n",
	       clGetCommandQueueInfo(NULL, CL_QUEUE_PROPERTIES, 0, NULL, NULL));
}

static void show_event(const char *what, cl_event event)
{
	cl_uint references = 77;
	cl_int execution = 77, status;
	cl_command_type type = 77;

	status = clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references,
				NULL);
	clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(execution), &execution,
		       NULL);
	clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL);
	printf("  %s: %d references %u execution %d type 0x%x\n", what, status, references,
	       execution, type);
}

static void show_profiling(cl_event event)
{
	cl_ulong times[4] = { 0 };
	size_t bytes = 77;
	cl_int status[4];

	for (int i = 0; i < 4; i++)
		status[i] = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + (cl_uint)i,
						    sizeof(times[i]), &times[i], NULL);
	printf("  profiling %d %d %d %d", status[0], status[1], status[2], status[3]);
	printf(" in order %d",
	       times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
	printf(" there %d", times[3] != 0);
	status[0] = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, NULL, &bytes);
	printf(" size alone %d", status[0]);
	status[0] = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 2, times, NULL);
	printf(" in two bytes %d", status[0]);
	status[0] = clGetEventProfilingInfo(event, 0x4711, 8, times, NULL);
	printf(" unknown %d\n", status[0]);
}

/* A program's view of an event from before its command can run until after it has. */
static void events(const char *what, cl_command_queue_properties bits)
{
	cl_command_queue queue = clCreateCommandQueue(context, device, bits, NULL);
	cl_event gate = clCreateUserEvent(context, NULL);
	cl_event event = NULL;

	printf("events of a queue %s\n", what);
	MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 1, &gate, &event));
	show_event("held back", event);
	show_profiling(event);
	MUST(clRetainEvent(event));
	show_event("retained", event);
	MUST(clReleaseEvent(event));
	MUST(clFlush(queue));
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clWaitForEvents(1, &event));
	MUST(clFinish(queue));
	settle();
	show_event("complete", event);
	show_profiling(event);
	show_profiling(gate);
	MUST(clReleaseCommandQueue(queue));
	show_event("after its queue", event);
	show_profiling(event);
	MUST(clReleaseEvent(event));
	MUST(clReleaseEvent(gate));
}

static struct {
	pthread_mutex_t lock;
	char order[32];
	size_t n;
} called = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void CL_CALLBACK note(cl_event event, cl_int status, void *name)
{
	(void)event;
	pthread_mutex_lock(&called.lock);
	if (called.n + 2 < sizeof(called.order)) {
		called.order[called.n++] = *(char *)name;
		called.order[called.n++] = status < 0 ? '-' : (char)('0' + status);
	}
	pthread_mutex_unlock(&called.lock);
}

static void call_backs(cl_int end)
{
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_event gate = clCreateUserEvent(context, NULL);
	cl_event event = NULL;
	static char names[] = "ABCDE";

	called.n = 0;
	memset(called.order, 0, sizeof(called.order));
	MUST(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 1, &gate, &event));
	MUST(clSetEventCallback(event, CL_COMPLETE, note, &names[0]));
	MUST(clSetEventCallback(event, CL_COMPLETE, note, &names[1]));
	MUST(clSetEventCallback(event, CL_COMPLETE, note, &names[2]));
	printf("call-backs: bad type %d, none %d, of none %d\n",
	       clSetEventCallback(event, 77, note, &names[3]),
	       clSetEventCallback(event, CL_COMPLETE, NULL, NULL),
	       clSetEventCallback(NULL, CL_COMPLETE, note, &names[4]));
	MUST(clFlush(queue));
	MUST(clSetUserEventStatus(gate, end));
	printf("  wait %d\n", clWaitForEvents(1, &event));
	settle();
	pthread_mutex_lock(&called.lock);
	printf("  called %s\n", called.order);
	pthread_mutex_unlock(&called.lock);
	show_event("in the end", event);
	MUST(clReleaseEvent(event));
	MUST(clReleaseEvent(gate));
	MUST(clReleaseCommandQueue(queue));
}

static void errors(void)
{
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_event untouched = (cl_event)&memory[7];
	cl_event event = untouched;
	cl_int status = 77;
	void *mapped;

	printf("errors: no queue %d",
	       clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 1, memory, 0, NULL, NULL));
	printf(" no buffer %d",
	       clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 1, memory, 0, NULL, &event));
	printf(" too long %d",
	       clEnqueueReadBuffer(queue, buffer, CL_TRUE, 1, BYTES, memory, 0, NULL, &event));
	printf(" wait for nothing %d",
	       clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, memory, 2, NULL, &event));
	mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES + 1, 0, NULL,
				    &event, &status);
	printf(" map %d %d\n", mapped != NULL, status);
	printf("  event untouched %d\n", event == untouched);
	mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL,
				    NULL);
	printf("  mapped %d unmapped %d\n", mapped != NULL,
	       clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
	printf("  finish %d none %d wait %d info %d profiling %d\n", clFinish(queue),
	       clFinish(NULL), clWaitForEvents(0, NULL),
	       clGetEventInfo(NULL, CL_EVENT_REFERENCE_COUNT, 4, &status, NULL),
	       clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, 8, memory, NULL));
	MUST(clReleaseCommandQueue(queue));
}

/* References of what commands use, once they are done. */
static void references(void)
{
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_uint of_queue = 77, of_buffer = 77, of_context = 77;

	for (int i = 0; i < 20; i++)
		MUST(clEnqueueReadBuffer(queue, buffer, i % 2, 0, BYTES, memory, 0, NULL, NULL));
	MUST(clFinish(queue));
	settle();
	clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, 4, &of_queue, NULL);
	clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, 4, &of_buffer, NULL);
	clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, 4, &of_context, NULL);
	printf("references after twenty reads: queue %u buffer %u context %u\n", of_queue,
	       of_buffer, of_context);
	MUST(clReleaseCommandQueue(queue));
}

/* With any argument nothing is called wrongly: Intel's runtime crashes on a list that is NULL. */
int main(int argc, char **argv)
{
	(void)argv;
	context = open_device(&device);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
	queues();
	events("without profiling", 0);
	events("with profiling", CL_QUEUE_PROFILING_ENABLE);
	events("out of order", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	call_backs(CL_COMPLETE);
	if (argc == 1)
		errors();
	references();
	return 0;
}

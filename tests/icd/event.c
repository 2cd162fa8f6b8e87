// SPDX-License-Identifier: MIT
// Events as the program sees them: waiting, status, profiling, user events, call-backs.
#include <stdio.h>
#include <stdlib.h>

#include "objects.h"

cl_int icd_wait_for_events(cl_uint n, const cl_event *list)
{
	cl_int worst = CL_SUCCESS;

	if (!n || !list)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++) {
		if (!list[i])
			return CL_INVALID_EVENT;
		if (list[i]->context != list[0]->context)
			return CL_INVALID_CONTEXT;
	}
	for (cl_uint i = 0; i < n; i++)
		if (icd_wait(list[i]) < 0)
			worst = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return worst;
}

/* The status now: what the GPU has done is looked at, nothing is waited for. */
static cl_int status_now(cl_event event)
{
	bool over;
	cl_int status;

	pthread_mutex_lock(&icd_lock);
	status = event->status;
	over = event->queue && event->submitted && event->computed && status > CL_COMPLETE &&
	       event->n_requests;
	pthread_mutex_unlock(&icd_lock);
	if (over && gpu_done(&event->requests[event->n_requests - 1]))
		status = icd_wait(event);
	return status;
}

cl_int icd_event_info(cl_event event, cl_event_info what, size_t room, void *value, size_t *size)
{
	switch (what) {
		INFO(CL_EVENT_COMMAND_QUEUE, cl_command_queue, event->queue)
		INFO(CL_EVENT_COMMAND_TYPE, cl_command_type, event->type)
		INFO(CL_EVENT_REFERENCE_COUNT, cl_uint, event->refs)
		INFO(CL_EVENT_CONTEXT, cl_context, event->context)
		INFO(CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, status_now(event))
	default:
		return CL_INVALID_VALUE;
	}
}

/* Programs may do it, but some drivers do not survive it: pocl before 05dcaa736. */
static void release(cl_event event)
{
	if (icd_in_callback) {
		fputs("gl-icd: an event is released in a call-back\n", stderr);
		abort();
	}
	icd_event_put(event);
}

cl_int icd_retain_event(cl_event event)
{
	icd_retain(&event->refs);
	return CL_SUCCESS;
}

ICD_RELEASE(event, cl_event, release)

cl_int icd_profiling_info(cl_event event, cl_profiling_info what, size_t room, void *value,
			  size_t *size)
{
	uint64_t cpu_ns;
	cl_ulong ns;

	if (!event->queue || !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) ||
	    status_now(event) != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	icd_times(event);
	switch (what) {
	case CL_PROFILING_COMMAND_QUEUED:
		cpu_ns = event->queued_ns;
		break;
	case CL_PROFILING_COMMAND_SUBMIT:
		cpu_ns = event->submit_ns;
		break;
	case CL_PROFILING_COMMAND_START:
		cpu_ns = event->start_ns;
		break;
	case CL_PROFILING_COMMAND_END:
		cpu_ns = event->end_ns;
		break;
	default:
		return CL_INVALID_VALUE;
	}
	if (!event->timed)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	ns = gpu_clock(cpu_ns);
	return icd_info(room, value, size, &ns, sizeof(ns));
}

cl_event icd_create_user_event(cl_context context, cl_int *status)
{
	cl_event event = icd_object(sizeof(*event), status);

	if (!event)
		return NULL;
	event->context = context;
	event->type = CL_COMMAND_USER;
	event->status = CL_SUBMITTED;
	icd_retain(&context->refs);
	return event;
}

cl_int icd_set_user_event(cl_event event, cl_int status)
{
	if (event->queue)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	pthread_mutex_lock(&icd_lock);
	if (event->status <= CL_COMPLETE) {
		pthread_mutex_unlock(&icd_lock);
		return CL_INVALID_OPERATION;
	}
	event->status = status;
	event->submitted = true;
	event->computed = true;
	icd_submit_what_can();
	pthread_cond_broadcast(&icd_changed);
	pthread_mutex_unlock(&icd_lock);
	icd_callbacks(event);
	return CL_SUCCESS;
}

cl_int icd_set_callback(cl_event event, cl_int status, icd_event_fn function, void *data)
{
	struct icd_callback *callback, **at;
	bool due;

	if (!function || status < CL_COMPLETE || status > CL_SUBMITTED)
		return CL_INVALID_VALUE;
	callback = calloc(1, sizeof(*callback));
	if (!callback)
		return CL_OUT_OF_HOST_MEMORY;
	*callback = (struct icd_callback){ .function = function, .data = data, .status = status };
	pthread_mutex_lock(&icd_lock);
	at = &event->callbacks;
	while (*at && (*at)->status >= status)
		at = &(*at)->next;
	callback->next = *at;
	*at = callback;
	if (event->queue)
		icd_notify(event);
	due = !event->queue && event->status <= CL_COMPLETE;
	pthread_mutex_unlock(&icd_lock);
	if (due)
		icd_callbacks(event);
	return CL_SUCCESS;
}

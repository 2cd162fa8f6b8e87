// SPDX-License-Identifier: MIT
/*
 * Reads the printed events of drm_sched (TP_printk() of
 *drivers/gpu/drm/scheduler/gpu_scheduler_trace.h). From Linux 6.17 on:
 *
 *	dev=D, fence=CONTEXT:SEQNO, ring=NAME, job count:N, hw job count:N, client_id:N
 *	fence=CONTEXT:SEQNO signaled
 *	fence=CONTEXT:SEQNO depends on fence=CONTEXT:SEQNO
 *	fence=CONTEXT:SEQNO depends on unsignalled fence=CONTEXT:SEQNO
 *
 * and before:
 *
 *	entity=ADDRESS, id=N, fence=ADDRESS, ring=NAME, job count:N, hw job count:N
 *	fence=ADDRESS signaled
 *	job ring=NAME, id=N, depends fence=ADDRESS, context=N, seq=N
 *
 * What is not there stays unknown: norm/ refuses an event that says neither.
 */
#include "decode/printed.h"

#include <stdlib.h>
#include <string.h>

#include "base/fit.h"

static bool get_digits(const char **at, int base, uint64_t *value)
{
	uint64_t number = 0;
	const char *c = *at;

	for (;; c++) {
		int digit = *c >= '0' && *c <= '9'		       ? *c - '0'
			    : (*c | 0x20) >= 'a' && (*c | 0x20) <= 'f' ? (*c | 0x20) - 'a' + 10
								       : 16;

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(number, (uint64_t)base, &number) ||
		    __builtin_add_overflow(number, (uint64_t)digit, &number))
			return false;
	}
	if (c == *at)
		return false;
	*at = c;
	*value = number;
	return true;
}

static bool printed_drm_is_end(char c)
{
	return !c || c == ' ' || c == ',';
}

/* A decimal number; true: there is none, or it is a whole one. */
static bool printed_drm_get_number(const char *at, uint64_t *value)
{
	bool minus = at && *at == '-';

	if (!at)
		return true;
	at += minus;
	if (!get_digits(&at, 10, value) || !printed_drm_is_end(*at))
		return false;
	if (minus)
		*value = 0 - *value;
	return true;
}

/* An address: hexadecimal, with or without 0x. */
static bool get_address(const char *at, uint64_t *value)
{
	if (!at)
		return true;
	if (at[0] == '0' && at[1] == 'x')
		at += 2;
	return get_digits(&at, 16, value) && printed_drm_is_end(*at);
}

/* CONTEXT:SEQNO; false: it is something else. */
static bool get_pair(const char *at, __u64 *context, __u64 *seqno)
{
	uint64_t first, second;

	if (!get_digits(&at, 10, &first) || *at++ != ':' || !get_digits(&at, 10, &second) ||
	    !printed_drm_is_end(*at))
		return false;
	*context = first;
	*seqno = second;
	return true;
}

/* Text up to what follows it, cut to its field; true: there is none, or it has an end. */
static bool get_text(const char *at, const char *stop, char *to, size_t size)
{
	const char *end = at ? strstr(at, stop) : NULL;

	if (!at)
		return true;
	if (!end)
		return false;
	lane_fit(to, size, at, (size_t)(end - at));
	return true;
}

static const char *read_job(const char *text, struct lane_event *event, const char **at)
{
	struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	uint64_t entity = 0, id = 0, fence = 0, jobs = 0, on_hw = 0, client = 0;
	const char *ring = decode_printed_behind(text, "ring="), *tail;

	/* The ring's name may hold anything: what is in front of it comes before, the rest behind.
	 */
	tail = ring ? strstr(ring, ", job count:") : NULL;
	*at = ring ? ring : text;
	if (!get_text(ring, ", job count:", job->name, sizeof(job->name)))
		return "not the name of a ring";
	*at = text;
	if (!get_text(strncmp(text, "dev=", 4) ? NULL : text + 4, ", ", job->dev, sizeof(job->dev)))
		return "not the name of a device";
	*at = decode_printed_behind(text, "fence=");
	if (*at && !get_pair(*at, &job->fence_context, &job->fence_seqno) &&
	    !get_address(*at, &fence))
		return "not a fence";
	if (!get_address(decode_printed_behind(text, "entity="), &entity) ||
	    !printed_drm_get_number(decode_printed_behind(text, "id="), &id) ||
	    (tail &&
	     (!printed_drm_get_number(decode_printed_behind(tail + 1, "job count:"), &jobs) ||
	      !printed_drm_get_number(decode_printed_behind(tail + 1, "hw job count:"), &on_hw) ||
	      !printed_drm_get_number(decode_printed_behind(tail + 1, "client_id:"), &client))))
		return "not a number";
	event->raw.entity = entity;
	event->raw.fence = fence;
	event->raw.job = id;
	job->job_count = (uint32_t)jobs;
	job->hw_job_count = (int32_t)on_hw;
	job->client_id = client;
	return NULL;
}

static const char *read_dep(const char *text, struct lane_event *event)
{
	struct lane_p_drm_sched_job_add_dep *dep = &event->u.drm_sched_job_add_dep;
	const char *of = decode_printed_behind(text, "depends on fence=");
	uint64_t id = 0, fence = 0, ctx = 0, seqno = LANE_SEQNO_UNKNOWN;
	const char *ring = decode_printed_behind(text, "ring=");

	if (!of)
		of = decode_printed_behind(text, "depends on unsignalled fence=");
	if (of) {
		if (!get_pair(of, &dep->ctx, &dep->seqno))
			return "not a fence";
		of = decode_printed_behind(text, "fence=");
		return get_pair(of, &dep->fence_context, &dep->fence_seqno) ? NULL : "not a fence";
	}
	if (!ring)
		return NULL;
	if (!get_text(ring, ", id=", event->u.drm_wait.ring, sizeof(event->u.drm_wait.ring)))
		return "not the name of a ring";
	text = strstr(ring, ", id=") + 1;
	if (!printed_drm_get_number(decode_printed_behind(text, "id="), &id) ||
	    !get_address(decode_printed_behind(text, "fence="), &fence) ||
	    !printed_drm_get_number(decode_printed_behind(text, "context="), &ctx) ||
	    !printed_drm_get_number(decode_printed_behind(text, "seq="), &seqno))
		return "not a number";
	event->raw.job = id;
	event->raw.fence = fence;
	dep->ctx = ctx;
	dep->seqno = seqno;
	return NULL;
}

const char *decode_printed_drm(int kind, const char *text, struct lane_event *event,
			       const char **at)
{
	const char *fence;
	uint64_t address = 0;

	*at = text;
	switch (kind) {
	case LANE_DRM_QUEUE:
	case LANE_DRM_RUN:
		return read_job(text, event, at);
	case LANE_DRM_ADD_DEP:
	case LANE_DRM_UNSCHEDULABLE: /* of one layout */
		return read_dep(text, event);
	default:
		break;
	}
	fence = decode_printed_behind(text, "fence=");
	if (!fence)
		return NULL;
	*at = fence;
	if (!get_pair(fence, &event->u.drm.fence_context, &event->u.drm.fence_seqno)) {
		if (!get_address(fence, &address))
			return "not a fence";
		event->raw.fence = address;
	}
	return NULL;
}

/*
 * include/trace/events/workqueue.h: `work struct=ADDRESS function=NAME workqueue=NAME ...`, and
 * `work struct ADDRESS: function NAME`. A module's name may stand behind the function's, in
 * brackets. An address in the name's place names nothing.
 */
const char *decode_printed_work(const char *text, struct lane_event *event, const char **at)
{
	struct lane_p_workqueue_queue_work *work = &event->u.workqueue_queue_work;
	const char *address = decode_printed_behind(text, "struct");
	const char *function = decode_printed_behind(text, "function");
	uint64_t value = 0;

	*at = text;
	if (!address || (*address != '=' && *address != ' '))
		return "not a work item";
	*at = ++address;
	address += 2 * (address[0] == '0' && address[1] == 'x');
	if (!get_digits(&address, 16, &value) || (*address != ':' && !printed_drm_is_end(*address)))
		return "not an address";
	work->work = value;
	if (function && (*function == '=' || *function == ' ') &&
	    strncmp(function + 1, "0x", 2) != 0)
		lane_fit(work->function, sizeof(work->function), function + 1,
			 strcspn(function + 1, " ,"));
	return NULL;
}

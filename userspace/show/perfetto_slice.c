// SPDX-License-Identifier: MIT
// What a Perfetto trace says of slices: their names and their arguments.
#include "show/perfetto_slice.h"

#include <string.h>

#include "base/clean.h"
#include "base/opencl.h"
#include "show/report.h"

/* Arguments of slices, by kind. */

static void say_request(struct lane_packets *to, const struct lane_request *rq)
{
	show_packet_text(to, LANE_ARG_CLIENT, SHOW_CLIENT(timeline_client_of(rq)));
	show_packet_number(to, LANE_ARG_CONTEXT, rq->context->ctx);
	show_packet_number(to, LANE_ARG_SEQNO, rq->seqno);
	if (rq->fault)
		show_packet_text(to, LANE_ARG_ENDED, lane_fault_names[rq->fault]);
}

static void say_span(struct lane_packets *to, enum lane_packet_arg lo, enum lane_packet_arg hi,
		     struct lane_span span)
{
	show_packet_number(to, lo, span.lo);
	if (span.hi != span.lo && span.hi != LANE_NEVER)
		show_packet_number(to, hi, span.hi);
}

void show_stages_say(struct lane_packets *to, const struct lane_trace_info *info,
		     const struct lane_request *rq)
{
	struct lane_stages stages;

	latency_stages_of(info, rq, &stages);
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		if (stages.known & 1u << i)
			say_span(to, LANE_ARG_STAGES + 2 * i, LANE_ARG_STAGES + 2 * i + 1,
				 stages.ns[i]);
		else if (stages.unknown & 1u << i)
			show_packet_text(to, LANE_ARG_STAGES + 2 * i, "unknown");
	if (stages.total_known)
		say_span(to, LANE_ARG_TOTAL, LANE_ARG_TOTAL_MAX, stages.total);
	if (rq->preemptions)
		show_packet_number(to, LANE_ARG_PREEMPTIONS, rq->preemptions);
	if (rq->behind)
		show_packet_text(to, LANE_ARG_BEHIND,
				 show_submitter_name(rq->behind, rq->behind_client,
						     SHOW_ROOM(LANE_SHOW_ENGINE)));
}

/* A request that was never preempted, and whose time on the engine is known, ran from its start to
 * its end: its run is not doubtful any more. */
static bool has_run_through(const struct lane_trace_info *info, const struct lane_request *rq)
{
	struct lane_stages stages;

	latency_stages_of(info, rq, &stages);
	return stages.known & 1u << LANE_STAGE_RUNNING && !rq->preemptions &&
	       !stages.ns[LANE_STAGE_PREEMPTED].hi;
}

void show_run_say(struct lane_packets *to, const struct lane_trace_info *info,
		  const struct lane_request *rq, const struct lane_slice_run *run)
{
	show_packet_number(to, LANE_ARG_CONTEXT, rq->context->ctx);
	show_packet_number(to, LANE_ARG_SEQNO, rq->seqno);
	if (rq->fault && run->is_last)
		show_packet_text(to, LANE_ARG_ENDED, lane_fault_names[rq->fault]);
	if (run->flags & LANE_SLICE_BOUNDED) {
		say_span(to, LANE_ARG_BEGIN_MIN, LANE_ARG_BEGIN_MAX, run->begin);
		say_span(to, LANE_ARG_END, LANE_ARG_END_MAX, run->end);
	}
	if (run->is_last)
		show_stages_say(to, info, rq);
	if (run->flags & LANE_SLICE_DOUBTFUL && !(run->is_last && has_run_through(info, rq)))
		show_packet_flag(to, LANE_ARG_DOUBTFUL, true);
}

static void say_idle(struct lane_packets *to, const struct lane_idle *idle)
{
	for (int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++)
		if (idle->cause_ns[i])
			show_packet_number(to, LANE_ARG_CAUSES + i, idle->cause_ns[i]);
	if (idle->thread)
		show_packet_text(to, LANE_ARG_THREAD,
				 SHOW_TASK(idle->thread->tid, idle->thread->comm));
	/* Of arguments of one name in a slice, Perfetto keeps the last. */
	for (unsigned int i = 0; i < LANE_IDLE_CULPRITS && idle->culprits[i].ns; i++) {
		unsigned int other = LANE_ARG_OTHERS + 3 * (i - 1);

		show_packet_text(to, i ? other : LANE_ARG_CULPRIT,
				 SHOW_TASK(idle->culprits[i].tid, idle->culprits[i].comm));
		show_packet_number(to, i ? other + 1 : LANE_ARG_CULPRIT_NS, idle->culprits[i].ns);
		show_packet_number(to, i ? other + 2 : LANE_ARG_CPU,
				   (uint64_t)idle->culprits[i].cpu);
	}
}

static void say_preemption(struct lane_packets *to, const struct lane_preemption *preemption)
{
	if (preemption->culprit) {
		show_packet_text(to, LANE_ARG_CULPRIT, SHOW_CLIENT(preemption->culprit_client));
		show_packet_number(to, LANE_ARG_CULPRIT_CONTEXT, preemption->culprit->ctx);
		show_packet_number(to, LANE_ARG_CULPRIT_SEQNO, preemption->culprit_seqno);
	}
	show_packet_text(to, LANE_ARG_WHY, lane_preemption_why_names[preemption->why]);
	say_span(to, LANE_ARG_LASTED, LANE_ARG_LASTED_MAX, preemption->lasted);
}

static void say_wait(struct lane_packets *to, const struct lane_wait *wait)
{
	if (wait->slept_known)
		show_packet_flag(to, LANE_ARG_SLEPT, wait->slept);
	if (wait->signal_ns)
		show_packet_number(to, LANE_ARG_WAKE,
				   wait->end_ns - (wait->signal_ns > wait->begin_ns
							   ? wait->signal_ns
							   : wait->begin_ns));
	if (wait->runqueue_known)
		show_packet_number(to, LANE_ARG_RUNQUEUE, wait->runqueue_ns);
}

static void say_flip(struct lane_packets *to, const struct lane_flip *flip)
{
	show_packet_text(to, LANE_ARG_WHY, lane_miss_names[flip->cause]);
	show_packet_text(to, LANE_ARG_THREAD, SHOW_TASK(flip->tid, flip->comm));
	if (!flip->fence_ctx)
		return;
	show_packet_number(to, LANE_ARG_CONTEXT, flip->fence_ctx);
	show_packet_number(to, LANE_ARG_SEQNO, flip->fence_seqno);
}

static void say_fault(struct lane_packets *to, const struct lane_fault *fault)
{
	show_packet_text(to, LANE_ARG_WHY, lane_kinds[fault->kind].name);
	if (fault->client)
		show_packet_text(to, LANE_ARG_CLIENT,
				 show_client_name(fault->client, SHOW_ROOM(LANE_SHOW_ENGINE)));
	if (fault->context) {
		show_packet_number(to, LANE_ARG_CONTEXT, fault->context->ctx);
		show_packet_number(to, LANE_ARG_SEQNO, fault->seqno);
	}
	if (fault->engine)
		show_packet_text(to, LANE_ARG_ENGINE, SHOW_ENGINE(fault->engine));
	if (fault->bytes)
		show_packet_number(to, LANE_ARG_SIZE, fault->bytes);
}

static void say_stall(struct lane_packets *to, const struct lane_stall *stall)
{
	if (stall->tid > 0)
		show_packet_text(to, LANE_ARG_CLIENT, SHOW_TASK(stall->tid, stall->comm));
	if (stall->ctx) {
		show_packet_number(to, LANE_ARG_CONTEXT, stall->ctx);
		show_packet_number(to, LANE_ARG_SEQNO, stall->seqno);
	}
	if (stall->bytes)
		show_packet_number(to, LANE_ARG_SIZE, stall->bytes);
}

static void say_call(struct lane_packets *to, const struct lane_call *call)
{
	if (call->command)
		show_packet_number(to, LANE_ARG_COMMAND, call->command);
	if (call->size)
		show_packet_number(to, LANE_ARG_SIZE, call->size);
	show_packet_flag(to, LANE_ARG_BLOCKING, call->flags & 1);
	show_packet_signed(to, LANE_ARG_STATUS, call->status);
}

static void say_command(struct lane_packets *to, const struct lane_command *command)
{
	static const enum lane_packet_arg args[LANE_COMMAND_TIMES] = {
		LANE_ARG_QUEUED, LANE_ARG_SUBMITTED, LANE_ARG_START, LANE_ARG_END
	};

	show_packet_number(to, LANE_ARG_COMMAND, command->number);
	show_packet_text(to, LANE_ARG_CLASS, lane_command_class_names[command->class]);
	show_packet_text(to, LANE_ARG_CERTAINTY, lane_certainty_names[command->certainty]);
	show_packet_text(to, LANE_ARG_WHY, lane_why_names[command->why]);
	if (command->n_requests) {
		show_packet_number(to, LANE_ARG_CONTEXT, command->requests[0].ctx);
		show_packet_number(to, LANE_ARG_SEQNO, command->requests[0].seqno);
	}
	if (command->size)
		show_packet_number(to, LANE_ARG_SIZE, command->size);
	show_packet_signed(to, LANE_ARG_STATUS, command->status);
	if (command->timed)
		show_packet_number(to, LANE_ARG_STAGES + 2 * LANE_STAGE_RUNNING,
				   latency_command_running(command));
	for (int i = 0; command->timed && i < LANE_COMMAND_TIMES; i++)
		show_packet_number(to, args[i], command->time_ns[i]);
}

void show_slice_say(struct lane_packets *to, const struct lane_slice *slice)
{
	enum lane_track_kind kind = slice->track->kind;

	if (slice->request)
		say_request(to, slice->request);
	if (kind == LANE_TRACK_HOST || kind == LANE_TRACK_DEVICE)
		show_packet_text(to, LANE_ARG_STATE, lane_request_state_names[slice->state]);
	if (kind == LANE_TRACK_CLIENT && slice->request->engine)
		show_packet_text(to, LANE_ARG_ENGINE, SHOW_ENGINE(slice->request->engine));
	if (slice->idle)
		say_idle(to, slice->idle);
	if (slice->preemption)
		say_preemption(to, slice->preemption);
	if (slice->wait)
		say_wait(to, slice->wait);
	if (slice->starvation && slice->starvation->cpu >= 0)
		show_packet_number(to, LANE_ARG_CPU, (uint64_t)slice->starvation->cpu);
	if (slice->loss)
		show_packet_number(to, LANE_ARG_EVENTS, slice->loss->count);
	if (slice->fault)
		say_fault(to, slice->fault);
	if (slice->stall)
		say_stall(to, slice->stall);
	if (slice->flip)
		say_flip(to, slice->flip);
	if (slice->call)
		say_call(to, slice->call);
	if (slice->command)
		say_command(to, slice->command);
	if (slice->flags & LANE_SLICE_DOUBTFUL)
		show_packet_flag(to, LANE_ARG_DOUBTFUL, true);
}

const char *show_device_name(const struct lane_engine *engine, char *buffer, size_t size)
{
	if (engine->name)
		snprintf(buffer, size, "%s", *engine->device ? engine->device : "of drm_sched");
	else
		snprintf(buffer, size, "card%u", engine->dev);
	return lane_clean(buffer, LANE_CLEAN_LINE);
}

const char *show_slice_name(const struct lane_slice *slice, char *buffer, size_t size)
{
	const char *name;

	switch (slice->track->kind) {
	case LANE_TRACK_IDLE:
		snprintf(buffer, size, "idle: %s", lane_idle_names[slice->state]);
		return buffer;
	case LANE_TRACK_STARVED:
		return show_task_name(slice->starvation->tid, slice->starvation->comm, buffer,
				      size);
	case LANE_TRACK_SUBMIT:
		return "submit";
	case LANE_TRACK_WAIT:
		return "wait";
	case LANE_TRACK_LOST:
		return "lost events";
	case LANE_TRACK_DISPLAY:
		return slice->state ? "missed" : "shown";
	case LANE_TRACK_FAULT:
		return slice->stall  ? lane_stall_names[slice->stall->cause]
		       : slice->flip ? "missed refresh"
				     : lane_fault_names[slice->state];
	case LANE_TRACK_MARK:
		return slice->mark->name;
	case LANE_TRACK_CALL:
		name = lane_cl_function_name(slice->call->function);
		return slice->call->function && name ? name : "function";
	case LANE_TRACK_CLQUEUE:
		return slice->command->name[0] ? slice->command->name
					       : lane_command_class_names[slice->command->class];
	default:
		if (slice->state == LANE_RQ_STATE_BURST)
			return lane_request_state_names[LANE_RQ_STATE_BURST];
		return slice->request
			       ? show_client_name(timeline_client_of(slice->request), buffer, size)
			       : "unknown";
	}
}

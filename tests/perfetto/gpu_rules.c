// SPDX-License-Identifier: MIT
// Events of GPUs: what they name by a number has been told, each has a number of its own, and those
// that they waited for, that calls made and that threads waited for are there.
#include "gpu_rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

typedef Perfetto__Protos__TracePacket packet;
typedef Perfetto__Protos__InternedData interned;
typedef Perfetto__Protos__GpuRenderStageEvent stage_event;
typedef Perfetto__Protos__InternedGpuRenderStageSpecification specification;

#define STAGE_REQUEST 1

struct queue {
	const specification *is;
	uint64_t events, sum_ns, n_sure, sure_ns;
	bool is_engine;
};

/* What has been told, by number. */
enum list {
	QUEUES,
	CONTEXTS,
	KERNELS,
	ARGS,
	NAMES,
	COUNTERS,
	EVENTS,
	LISTS
};

static struct lane_table lists[LISTS];
static size_t faults;
static FILE *to;

static void fault(const char *what, uint64_t of)
{
	if (faults++ < 20)
		fprintf(to, "fault: %s (%" PRIu64 ")\n", what, of);
}

static bool has(enum list list, uint64_t iid)
{
	return lane_table_get(&lists[list], iid, 1) != NULL;
}

static void put(enum list list, uint64_t iid, void *value)
{
	if (!has(list, iid) && !lane_table_put(&lists[list], iid, 1, value))
		exit(2);
}

static void learn_queue(const specification *is)
{
	struct queue *queue = lane_table_get(&lists[QUEUES], is->iid, 1);

	if (!queue)
		queue = calloc(1, sizeof(*queue));
	if (!queue)
		exit(2);
	queue->is = is;
	put(QUEUES, is->iid, queue);
}

static void learn(const interned *data)
{
	for (size_t i = 0; i < data->n_gpu_specifications; i++)
		learn_queue(data->gpu_specifications[i]);
	for (size_t i = 0; i < data->n_graphics_contexts; i++)
		put(CONTEXTS, data->graphics_contexts[i]->iid, data->graphics_contexts[i]);
	for (size_t i = 0; i < data->n_compute_kernels; i++)
		put(KERNELS, data->compute_kernels[i]->iid, data->compute_kernels[i]);
	for (size_t i = 0; i < data->n_compute_arg_names; i++)
		put(ARGS, data->compute_arg_names[i]->iid, data->compute_arg_names[i]);
	for (size_t i = 0; i < data->n_event_names; i++)
		put(NAMES, data->event_names[i]->iid, data->event_names[i]);
	for (size_t i = 0; i < data->n_gpu_counter_descriptors; i++)
		put(COUNTERS, data->gpu_counter_descriptors[i]->iid,
		    data->gpu_counter_descriptors[i]);
}

/* The process that an event is of, or -1. */
static int32_t pid_of(const stage_event *event)
{
	const Perfetto__Protos__InternedGraphicsContext *context =
		lane_table_get(&lists[CONTEXTS], event->context, 1);

	return context && context->has_pid ? context->pid : -1;
}

static bool is_unsure(const stage_event *event)
{
	for (size_t i = 0; event->launch && i < event->launch->n_args; i++) {
		const Perfetto__Protos__InternedComputeArgName *name =
			lane_table_get(&lists[ARGS], event->launch->args[i]->name_iid, 1);

		if (name && !strcmp(name->name, "doubtful"))
			return true;
	}
	return false;
}

static void check_stage(const stage_event *event, void (*arg)(uint64_t name_iid, uint64_t value))
{
	struct queue *queue = lane_table_get(&lists[QUEUES], event->hw_queue_iid, 1);
	const stage_event *before = lane_table_get(&lists[EVENTS], event->event_id, 1);

	/* A program that begins anew counts its commands anew. */
	if (!event->has_event_id ||
	    (before && (event->stage_iid == STAGE_REQUEST || pid_of(event) != pid_of(before))))
		fault("an event without a number of its own", event->event_id);
	put(EVENTS, event->event_id, (void *)event);
	if (!queue || !has(QUEUES, event->stage_iid))
		fault("a queue or a stage that is not told", event->event_id);
	if (!has(CONTEXTS, event->context))
		fault("a context that is not told", event->event_id);
	if (event->has_kernel_iid && !has(KERNELS, event->kernel_iid))
		fault("a kernel that is not told", event->event_id);
	if (event->name_field_case ==
		    PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__NAME_FIELD_NAME_IID &&
	    !has(NAMES, event->name_iid))
		fault("a name that is not told", event->event_id);
	for (size_t i = 0; event->launch && i < event->launch->n_args; i++) {
		const Perfetto__Protos__GpuRenderStageEvent__ExtraComputeArg *a =
			event->launch->args[i];

		if (!has(ARGS, a->name_iid))
			fault("an argument that is not told", event->event_id);
		if (event->stage_iid == STAGE_REQUEST &&
		    a->value_case ==
			    PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__EXTRA_COMPUTE_ARG__VALUE_UINT_VALUE)
			arg(a->name_iid, a->uint_value);
		for (size_t k = 0; k < i; k++)
			if (event->launch->args[k]->name_iid == a->name_iid)
				fault("two arguments of one name", event->event_id);
	}
	if (!queue)
		return;
	queue->events++;
	queue->sum_ns += event->duration;
	if (!is_unsure(event)) {
		queue->n_sure++;
		queue->sure_ns += event->duration;
	}
	queue->is_engine |= event->stage_iid == STAGE_REQUEST;
}

/* Calls lead to commands, other slices to runs, whose numbers are small. */
static bool is_call(const Perfetto__Protos__GpuCorrelation *is)
{
	return (is->n_render_stage_submission_event_ids &&
		is->render_stage_submission_event_ids[0] >> 62) ||
	       (is->n_render_stage_wait_event_ids && is->render_stage_wait_event_ids[0] >> 62);
}

/* What a thread waited for, or a command, may be anywhere in the trace. What a call made may not be
 * known to have ended: then it is nowhere. */
static void check_events(const packet *p)
{
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_RENDER_STAGE_EVENT)
		for (size_t i = 0; i < p->gpu_render_stage_event->n_event_wait_ids; i++)
			if (!has(EVENTS, p->gpu_render_stage_event->event_wait_ids[i]))
				fault("it waited for no event",
				      p->gpu_render_stage_event->event_id);
	if (p->data_case != PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT ||
	    !p->track_event->gpu_correlation || is_call(p->track_event->gpu_correlation))
		return;
	for (size_t i = 0; i < p->track_event->gpu_correlation->n_render_stage_submission_event_ids;
	     i++)
		if (!has(EVENTS,
			 p->track_event->gpu_correlation->render_stage_submission_event_ids[i]))
			fault("a slice led to no event", p->timestamp);
	for (size_t i = 0; i < p->track_event->gpu_correlation->n_render_stage_wait_event_ids; i++)
		if (!has(EVENTS, p->track_event->gpu_correlation->render_stage_wait_event_ids[i]))
			fault("a slice waited for no event", p->timestamp);
}

static void check_packet(const packet *p, void (*arg)(uint64_t name_iid, uint64_t value))
{
	if (p->interned_data)
		learn(p->interned_data);
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_RENDER_STAGE_EVENT)
		check_stage(p->gpu_render_stage_event, arg);
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_COUNTER_EVENT &&
	    !has(COUNTERS, p->gpu_counter_event->counter_descriptor_iid))
		fault("a counter that is not told", p->gpu_counter_event->counter_descriptor_iid);
}

static void print_queues(void)
{
	struct lane_table *queues = &lists[QUEUES];

	for (size_t i = 0; queues->slots && i <= queues->mask; i++) {
		struct queue *queue = queues->slots[i].value;

		if (queue && queue->events)
			fprintf(to, "track\t%s%s\t%" PRIu64 "\t%" PRIu64 "\t1\n",
				queue->is->description, queue->is_engine ? "/running" : "",
				queue->events, queue->sum_ns);
		if (queue && queue->is_engine)
			fprintf(to, "sure\t%s\t%" PRIu64 "\t%" PRIu64 "\n", queue->is->description,
				queue->n_sure, queue->sure_ns);
		free(queue);
	}
}

size_t perfetto_gpu_rules(const Perfetto__Protos__Trace *trace, FILE *told,
			  void (*arg)(uint64_t name_iid, uint64_t value))
{
	to = told;
	faults = 0;
	for (size_t i = 0; i < trace->n_packet; i++)
		check_packet(trace->packet[i], arg);
	for (size_t i = 0; i < trace->n_packet; i++)
		check_events(trace->packet[i]);
	print_queues();
	for (int i = 0; i < LISTS; i++)
		lane_table_free(&lists[i]);
	memset(lists, 0, sizeof(lists));
	return faults;
}

void perfetto_gpu_texts(const packet *p, void (*text)(const char *text))
{
	const interned *data = p->interned_data;

	for (size_t i = 0; data && i < data->n_gpu_specifications; i++) {
		text(data->gpu_specifications[i]->name);
		text(data->gpu_specifications[i]->description);
	}
	for (size_t i = 0; data && i < data->n_compute_kernels; i++)
		text(data->compute_kernels[i]->name);
	for (size_t i = 0; data && i < data->n_gpu_counter_descriptors; i++)
		text(data->gpu_counter_descriptors[i]->counter_descriptor->specs[0]->name);
	for (size_t i = 0; p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_INFO &&
			   i < p->gpu_info->n_gpus;
	     i++)
		text(p->gpu_info->gpus[i]->name);
}

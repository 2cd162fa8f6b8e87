// SPDX-License-Identifier: MIT
// Packs what Perfetto has of GPUs: queues, contexts, events, counters.
#include <string.h>

#include "base/clean.h"
#include "show/perfetto_pack.h"

typedef Perfetto__Protos__TracePacket packet;
typedef Perfetto__Protos__GpuRenderStageEvent stage_event;
typedef Perfetto__Protos__GpuRenderStageEvent__ExtraComputeArg stage_arg;

enum {
	NEEDS_STATE = 2, /* TracePacket.SequenceFlags */
	FORWARDS = 2,	 /* ValueDirection: a value is that from its time on */
};

static void put_interned(struct lane_packets *packets, Perfetto__Protos__InternedData *data)
{
	packet p;

	show_pack_head(&p);
	p.interned_data = data;
	p.has_sequence_flags = true;
	p.sequence_flags = NEEDS_STATE;
	show_pack_put(packets, &p);
}

void show_packet_queue(struct lane_packets *packets, uint64_t iid, const char *name,
		       const char *description, int category)
{
	Perfetto__Protos__InternedGpuRenderStageSpecification
		is = PERFETTO__PROTOS__INTERNED_GPU_RENDER_STAGE_SPECIFICATION__INIT,
		*list = &is;
	Perfetto__Protos__InternedData data = PERFETTO__PROTOS__INTERNED_DATA__INIT;
	char clean[2][256];

	is.has_iid = is.has_category = true;
	is.iid = iid;
	is.name = lane_clean_copy(clean[0], sizeof(clean[0]), name, LANE_CLEAN_LINE);
	is.description = lane_clean_copy(clean[1], sizeof(clean[1]), description, LANE_CLEAN_LINE);
	is.category = (uint32_t)category;
	data.n_gpu_specifications = 1;
	data.gpu_specifications = &list;
	put_interned(packets, &data);
}

void show_packet_owner(struct lane_packets *packets, uint64_t iid, int32_t pid, int api)
{
	Perfetto__Protos__InternedGraphicsContext
		is = PERFETTO__PROTOS__INTERNED_GRAPHICS_CONTEXT__INIT,
		*list = &is;
	Perfetto__Protos__InternedData data = PERFETTO__PROTOS__INTERNED_DATA__INIT;

	is.has_iid = is.has_api = true;
	is.iid = iid;
	is.has_pid = pid >= 0;
	is.pid = pid;
	is.api = (uint32_t)api;
	data.n_graphics_contexts = 1;
	data.graphics_contexts = &list;
	put_interned(packets, &data);
}

static void perfetto_stage_fill(struct lane_packets *packets, const struct lane_packet_value *from,
				stage_arg *to, struct lane_pack_texts *told)
{
	perfetto__protos__gpu_render_stage_event__extra_compute_arg__init(to);
	to->has_name_iid = true;
	to->name_iid = (uint64_t)from->arg + 1;
	switch (from->kind) {
	case 't':
		to->value_case =
			PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__EXTRA_COMPUTE_ARG__VALUE_STRING_VALUE_IID;
		to->string_value_iid = show_pack_value(packets, from->text, told);
		if (to->string_value_iid)
			break;
		to->value_case =
			PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__EXTRA_COMPUTE_ARG__VALUE_STRING_VALUE;
		to->string_value = (char *)from->text;
		break;
	case 's':
		to->value_case =
			PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__EXTRA_COMPUTE_ARG__VALUE_INT_VALUE;
		to->int_value = (int64_t)from->number;
		break;
	default:
		to->value_case =
			PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__EXTRA_COMPUTE_ARG__VALUE_UINT_VALUE;
		to->uint_value = from->number;
	}
}

/* The numbers of an event: where, whose, and for what it waited. */
static void fill_event(stage_event *to, const struct lane_packet_stage *from)
{
	to->has_event_id = to->has_duration = to->has_context = to->has_gpu_id =
		to->has_hw_queue_iid = to->has_stage_iid = true;
	to->event_id = from->event;
	to->duration = from->duration_ns;
	to->context = from->owner;
	to->gpu_id = (int32_t)from->gpu;
	to->hw_queue_iid = from->queue;
	to->stage_iid = from->stage;
	to->has_submission_id = from->submission;
	to->submission_id = from->submission;
	to->n_event_wait_ids = from->n_waits;
	to->event_wait_ids = from->waits;
}

static uint32_t size_of(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void show_packet_stage(struct lane_packets *packets, const struct lane_packet_stage *stage)
{
	stage_event what = PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__INIT;
	Perfetto__Protos__GpuRenderStageEvent__ComputeKernelLaunch launch =
		PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__COMPUTE_KERNEL_LAUNCH__INIT;
	Perfetto__Protos__GpuRenderStageEvent__Dim3
		groups = PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__DIM3__INIT,
		group = groups;
	Perfetto__Protos__InternedComputeKernel
		kernel = PERFETTO__PROTOS__INTERNED_COMPUTE_KERNEL__INIT,
		*kernel_is = &kernel;
	Perfetto__Protos__InternedComputeArgName names[LANE_PACKET_MAX_ARGS],
		*name_list[LANE_PACKET_MAX_ARGS];
	char buffers[LANE_PACKET_MAX_ARGS][LANE_PACKET_ARG_NAME], clean[LANE_PACKET_TEXT];
	stage_arg args[LANE_PACKET_MAX_ARGS], *list[LANE_PACKET_MAX_ARGS];
	struct lane_pack_texts told;
	bool is_new = false;
	size_t n = 0;
	packet p;

	fill_event(&what, stage);
	what.name_iid = show_pack_name(packets, &told);
	what.name_field_case =
		what.name_iid ? PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__NAME_FIELD_NAME_IID
			      : PERFETTO__PROTOS__GPU_RENDER_STAGE_EVENT__NAME_FIELD_NAME;
	if (!what.name_iid)
		what.name = packets->name;
	for (uint32_t i = 0; i < packets->n_args; i++) {
		enum lane_packet_arg arg = packets->args[i].arg;
		const char *name = show_pack_arg(packets, arg, LANE_TEXT_STAGE_ARG, buffers[n],
						 sizeof(buffers[n]));

		perfetto_stage_fill(packets, &packets->args[i], &args[i], &told);
		list[i] = &args[i];
		if (!name)
			continue;
		perfetto__protos__interned_compute_arg_name__init(&names[n]);
		names[n].has_iid = true;
		names[n].iid = (uint64_t)arg + 1;
		names[n].name = (char *)name;
		name_list[n] = &names[n];
		n++;
	}
	told.data.n_compute_arg_names = n;
	told.data.compute_arg_names = name_list;
	if (stage->kernel) {
		lane_clean_copy(clean, sizeof(clean), stage->kernel, LANE_CLEAN_LINE);
		what.kernel_iid = show_pack_text(packets, clean, LANE_TEXT_KERNEL, &is_new);
		if (!what.kernel_iid) {
			is_new = true;
			what.kernel_iid = LANE_PACKET_TEXTS + ++packets->n_kernels;
		}
		what.has_kernel_iid = true;
		kernel.has_iid = true;
		kernel.iid = what.kernel_iid;
		kernel.name = clean;
		told.data.n_compute_kernels = is_new;
		told.data.compute_kernels = &kernel_is;
	}
	groups.has_x = group.has_x = true;
	groups.x = size_of(stage->groups);
	group.x = size_of(stage->group);
	if (stage->groups)
		launch.grid_size = &groups;
	if (stage->group)
		launch.workgroup_size = &group;
	launch.n_args = packets->n_args;
	launch.args = list;
	what.launch = &launch;
	show_pack_head(&p);
	p.has_timestamp = p.has_sequence_flags = true;
	p.timestamp = packets->at_ns;
	p.sequence_flags = NEEDS_STATE;
	p.interned_data = show_pack_has_texts(&told) || is_new ? &told.data : NULL;
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_RENDER_STAGE_EVENT;
	p.gpu_render_stage_event = &what;
	show_pack_put(packets, &p);
}

void show_packet_gauge(struct lane_packets *packets, uint32_t id, uint32_t gpu, const char *name)
{
	Perfetto__Protos__GpuCounterDescriptor__GpuCounterSpec
		spec = PERFETTO__PROTOS__GPU_COUNTER_DESCRIPTOR__GPU_COUNTER_SPEC__INIT,
		*specs = &spec;
	Perfetto__Protos__GpuCounterDescriptor descriptor =
		PERFETTO__PROTOS__GPU_COUNTER_DESCRIPTOR__INIT;
	Perfetto__Protos__InternedGpuCounterDescriptor
		is = PERFETTO__PROTOS__INTERNED_GPU_COUNTER_DESCRIPTOR__INIT,
		*list = &is;
	Perfetto__Protos__InternedData data = PERFETTO__PROTOS__INTERNED_DATA__INIT;
	char clean[256];

	spec.has_counter_id = spec.has_value_direction = true;
	spec.counter_id = id;
	spec.value_direction = FORWARDS;
	spec.name = lane_clean_copy(clean, sizeof(clean), name, LANE_CLEAN_LINE);
	descriptor.n_specs = 1;
	descriptor.specs = &specs;
	is.has_iid = is.has_gpu_id = true;
	is.iid = (uint64_t)id + 1;
	is.gpu_id = (int32_t)gpu;
	is.counter_descriptor = &descriptor;
	data.n_gpu_counter_descriptors = 1;
	data.gpu_counter_descriptors = &list;
	put_interned(packets, &data);
}

void show_packet_gauge_value(struct lane_packets *packets, uint32_t id, uint32_t gpu,
			     uint64_t at_ns, uint64_t value)
{
	Perfetto__Protos__GpuCounterEvent__GpuCounter
		counter = PERFETTO__PROTOS__GPU_COUNTER_EVENT__GPU_COUNTER__INIT,
		*list = &counter;
	Perfetto__Protos__GpuCounterEvent event = PERFETTO__PROTOS__GPU_COUNTER_EVENT__INIT;
	packet p;

	counter.has_counter_id = counter.has_int_value = true;
	counter.counter_id = id;
	counter.int_value = (int64_t)value;
	event.has_counter_descriptor_iid = event.has_gpu_id = true;
	event.counter_descriptor_iid = (uint64_t)id + 1;
	event.gpu_id = (int32_t)gpu;
	event.n_counters = 1;
	event.counters = &list;
	show_pack_head(&p);
	p.has_timestamp = p.has_sequence_flags = true;
	p.timestamp = at_ns;
	p.sequence_flags = NEEDS_STATE;
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_COUNTER_EVENT;
	p.gpu_counter_event = &event;
	show_pack_put(packets, &p);
}

void show_packet_gpus(struct lane_packets *packets, const char *const *names, uint32_t n)
{
	Perfetto__Protos__GpuInfo__Gpu gpus[LANE_PACKET_GPUS], *list[LANE_PACKET_GPUS];
	Perfetto__Protos__GpuInfo info = PERFETTO__PROTOS__GPU_INFO__INIT;
	packet p;

	for (uint32_t i = 0; i < n && i < LANE_PACKET_GPUS; i++) {
		perfetto__protos__gpu_info__gpu__init(&gpus[i]);
		gpus[i].name = (char *)names[i];
		list[i] = &gpus[i];
	}
	info.n_gpus = n < LANE_PACKET_GPUS ? n : LANE_PACKET_GPUS;
	info.gpus = list;
	show_pack_head(&p);
	p.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_GPU_INFO;
	p.gpu_info = &info;
	if (n)
		show_pack_put(packets, &p);
}

// SPDX-License-Identifier: MIT
// Packs what Perfetto has of GPUs: queues, contexts, events, counters.
#include <string.h>

#include "base/clean.h"
#include "show/perfetto_pack.h"

enum {
	FORWARDS = 2, /* ValueDirection: a value is that from its time on */
	/* Lists of InternedData. */
	CONTEXTS = 23,
	SPECIFICATIONS = 24,
	COUNTERS = 47,
	KERNELS = 1000,
	ARG_NAMES = 1001,
};

/* Begins an item of a list of InternedData. */
static struct lane_message *begin_interned(struct lane_packets *packets, unsigned int list,
					   size_t begun[2])
{
	struct lane_message *m = show_pack_begin(packets);

	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	begun[0] = show_message_begin(m, PACKET_INTERNED);
	begun[1] = show_message_begin(m, list);
	return m;
}

static void put_interned(struct lane_packets *packets, const size_t begun[2])
{
	show_message_end(&packets->packet, begun[1]);
	show_message_end(&packets->packet, begun[0]);
	show_message_field(&packets->packet, PACKET_FLAGS, NEEDS_STATE);
	show_pack_put(packets);
}

static void put_clean(struct lane_message *m, unsigned int field, const char *text)
{
	char clean[256];

	show_message_text(m, field, lane_clean_copy(clean, sizeof(clean), text, LANE_CLEAN_LINE));
}

void show_packet_queue(struct lane_packets *packets, uint64_t iid, const char *name,
		       const char *description, int category)
{
	size_t begun[2];
	struct lane_message *m = begin_interned(packets, SPECIFICATIONS, begun);

	show_message_field(m, 1, iid); /* iid, name, description, category */
	put_clean(m, 2, name);
	put_clean(m, 3, description);
	show_message_field(m, 4, (uint32_t)category);
	put_interned(packets, begun);
}

void show_packet_owner(struct lane_packets *packets, uint64_t iid, int32_t pid, int api)
{
	size_t begun[2];
	struct lane_message *m = begin_interned(packets, CONTEXTS, begun);

	show_message_field(m, 1, iid); /* iid, pid, api */
	if (pid >= 0)
		show_message_field(m, 2, (uint32_t)pid);
	show_message_field(m, 3, (uint32_t)api);
	put_interned(packets, begun);
}

/* Dim3: x. What is not known is left out. */
static void put_size(struct lane_message *m, unsigned int field, uint64_t n)
{
	size_t size;

	if (!n)
		return;
	size = show_message_begin(m, field);
	show_message_field(m, 1, n < UINT32_MAX ? n : UINT32_MAX);
	show_message_end(m, size);
}

/* The number of a kernel's name, which is told where it is new; 0: it is no kernel. */
static uint64_t kernel_number(struct lane_packets *packets, const char *kernel)
{
	char clean[LANE_PACKET_TEXT];
	bool is_new;
	uint64_t number;

	if (!kernel)
		return 0;
	lane_clean_copy(clean, sizeof(clean), kernel, LANE_CLEAN_LINE);
	number = show_pack_text(packets, clean, LANE_TEXT_KERNEL, &is_new);
	if (!number)
		number = LANE_PACKET_TEXTS + ++packets->n_kernels;
	if (is_new || number > LANE_PACKET_TEXTS)
		show_pack_named(&packets->told_values, KERNELS, number, clean);
	return number;
}

/* GpuRenderStageEvent: the numbers of an event, its name, and ComputeKernelLaunch. */
static void put_stage(struct lane_packets *packets, const struct lane_packet_stage *stage,
		      uint32_t name, uint64_t kernel)
{
	struct lane_message *m = &packets->packet;
	size_t event = show_message_begin(m, PACKET_STAGE), launch;

	show_message_field(m, 1, stage->event);
	show_message_field(m, 2, stage->duration_ns);
	show_message_field(m, 5, stage->owner);
	if (stage->submission)
		show_message_field(m, 10, stage->submission);
	show_message_field(m, 11, stage->gpu);
	show_message_field(m, 13, stage->queue);
	show_message_field(m, 14, stage->stage);
	if (!name)
		show_message_text(m, 17, packets->name);
	for (uint32_t i = 0; i < stage->n_waits; i++)
		show_message_field(m, 18, stage->waits[i]);
	if (kernel)
		show_message_field(m, 19, kernel);
	if (name)
		show_message_field(m, 20, name);
	launch = show_message_begin(m, 21); /* grid_size, workgroup_size, args */
	put_size(m, 1, stage->groups);
	put_size(m, 2, stage->group);
	show_message_append(m, &packets->made_args);
	show_message_end(m, launch);
	show_message_end(m, event);
}

void show_packet_stage(struct lane_packets *packets, const struct lane_packet_stage *stage)
{
	static const struct lane_pack_fields fields = {
		.args = 3,
		.names = ARG_NAMES,
		.text_number = 7,
		.of = { [LANE_PACKET_NUMBER] = 4,
			[LANE_PACKET_SIGNED] = 3,
			[LANE_PACKET_FLAG] = 4,
			[LANE_PACKET_STRING] = 6 },
		.use = LANE_TEXT_STAGE_ARG,
	};
	uint32_t name = show_pack_args(packets, &fields);
	uint64_t kernel = kernel_number(packets, stage->kernel);
	struct lane_message *m = show_pack_begin(packets);
	size_t told;

	show_message_field(m, PACKET_TIMESTAMP, packets->at_ns);
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	if (packets->told.n || packets->told_names.n || packets->told_values.n) {
		told = show_message_begin(m, PACKET_INTERNED);
		show_message_append(m, &packets->told);
		show_message_append(m, &packets->told_values);
		show_message_append(m, &packets->told_names);
		show_message_end(m, told);
	}
	show_message_field(m, PACKET_FLAGS, NEEDS_STATE);
	put_stage(packets, stage, name, kernel);
	show_pack_put(packets);
}

void show_packet_gauge(struct lane_packets *packets, uint32_t id, uint32_t gpu, const char *name)
{
	size_t begun[2], descriptor, spec;
	struct lane_message *m = begin_interned(packets, COUNTERS, begun);

	show_message_field(m, 1, (uint64_t)id + 1); /* iid, counter_descriptor, gpu_id */
	descriptor = show_message_begin(m, 2);
	spec = show_message_begin(m, 1); /* counter_id, name, value_direction */
	show_message_field(m, 1, id);
	put_clean(m, 2, name);
	show_message_field(m, 11, FORWARDS);
	show_message_end(m, spec);
	show_message_end(m, descriptor);
	show_message_field(m, 3, gpu);
	put_interned(packets, begun);
}

void show_packet_gauge_value(struct lane_packets *packets, uint32_t id, uint32_t gpu,
			     uint64_t at_ns, uint64_t value)
{
	struct lane_message *m = show_pack_begin(packets);
	size_t event, counter;

	show_message_field(m, PACKET_TIMESTAMP, at_ns);
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	show_message_field(m, PACKET_FLAGS, NEEDS_STATE);
	event = show_message_begin(m, PACKET_COUNTER);
	counter = show_message_begin(m, 2); /* counters: counter_id, int_value */
	show_message_field(m, 1, id);
	show_message_field(m, 2, value);
	show_message_end(m, counter);
	show_message_field(m, 3, gpu); /* gpu_id, counter_descriptor_iid */
	show_message_field(m, 4, (uint64_t)id + 1);
	show_message_end(m, event);
	show_pack_put(packets);
}

void show_packet_gpus(struct lane_packets *packets, const char *const *names, uint32_t n)
{
	struct lane_message *m = show_pack_begin(packets);
	size_t info, gpu;

	if (!n)
		return;
	show_message_field(m, PACKET_SEQUENCE, SEQUENCE);
	show_pack_machine(packets);
	info = show_message_begin(m, PACKET_GPUS);
	for (uint32_t i = 0; i < n && i < LANE_PACKET_GPUS; i++) {
		gpu = show_message_begin(m, 1); /* Gpu: name */
		show_message_text(m, 1, names[i]);
		show_message_end(m, gpu);
	}
	show_message_end(m, info);
	show_pack_write(packets);
}

// SPDX-License-Identifier: MIT
// Runs, commands and counters of GPUs, as Perfetto's own events.
#include "show/perfetto_gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/counter_kind.h"
#include "base/opencl.h"
#include "base/table.h"
#include "base/vector.h"
#include "show/perfetto_slice.h"
#include "show/report.h"
#include "show/report_parts.h"

/* Numbers of a trace: of stages, of engines and queues; of commands among the events. */
enum {
	STAGE_REQUEST = 1,
	STAGE_UNTIMED,
	STAGE_COMMAND, /* by enum lane_command_class */
	FIRST_QUEUE = 16,
};

#define COMMAND_EVENT	(1ull << 62)
#define LEVELZERO_EVENT (1ull << 63) /* of its commands, which have numbers of their own */
/* Runs of a request that have events of their own numbers; of further ones, more than that. */
#define MOST_RUNS 4095
/* Of so many requests it is known where they ran. */
#define REMEMBERED (1u << 17)

/* A GPU: what its engines and its counters call it. */
struct gpu_device {
	char name[LANE_SHOW_ENGINE], other[LANE_SHOW_ENGINE];
	char driver[16]; /* "": not known */
};

/* A run of a request that is not over. */
struct gpu_request {
	uint32_t n_runs; /* so far */
	bool is_held;
	struct lane_slice_run is; /* the last one */
	const struct lane_engine *engine;
	uint64_t waits[3];
	uint32_t n_waits;
};

/* A request that ran, and the GPU that it ran on. */
struct gpu_ran {
	uint32_t number; /* + 1; 0: none */
	uint32_t gpu;
};

/* The last run on an engine, or of a context. */
struct gpu_last {
	uint64_t event;
	const struct lane_context *context;
	uint32_t seqno;
};

struct lane_gpu {
	struct lane_packets *to;
	const struct lane_trace_info *info;
	struct gpu_device *devices;
	uint32_t n_devices, cap_devices;
	uint32_t *device_of; /* by engine */
	uint32_t *gpu_of;    /* by command queue, + 1; 0: not asked yet */
	struct gpu_last *on_engine, *of_context;
	uint32_t cap_engines, cap_queues, cap_on, cap_contexts;
	struct lane_table requests; /* by number + 1 */
	struct lane_pool pool;
	struct lane_table owners; /* (context or queue, client) -> its number here */
	uint64_t n_owners;
	struct gpu_ran *ran; /* by number, the last ones */
	bool no_memory;
};

/* --- who and where --- */

/* A GPU's number, dense from 0. */
static uint32_t perfetto_gpu_device_of(struct lane_gpu *gpu, const char *name, const char *other)
{
	struct gpu_device *device;

	for (uint32_t i = 0; i < gpu->n_devices; i++)
		if (!strcmp(gpu->devices[i].name, name) || !strcmp(gpu->devices[i].other, name) ||
		    (*other && !strcmp(gpu->devices[i].name, other)))
			return i;
	device = LANE_APPEND(gpu->devices, gpu->n_devices, gpu->cap_devices);
	if (!device) {
		gpu->no_memory = true;
		return 0;
	}
	snprintf(device->name, sizeof(device->name), "%s", name);
	snprintf(device->other, sizeof(device->other), "%s", other);
	return gpu->n_devices - 1;
}

static void describe_stages(struct lane_gpu *gpu)
{
	show_packet_queue(gpu->to, STAGE_REQUEST, "request", "a run of a request on its engine", 0);
	show_packet_queue(gpu->to, STAGE_UNTIMED, "untimed",
			  "a command from its call until the program knew that it had ended: "
			  "when it ran is not known",
			  0);
	for (uint32_t i = 0; i < LANE_COMMAND_CLASSES; i++)
		show_packet_queue(gpu->to, STAGE_COMMAND + i, lane_command_class_names[i],
				  "a command by the device's times",
				  i == LANE_COMMAND_KERNEL ? LANE_PACKET_COMPUTE : 0);
}

static uint64_t engine_iid(const struct lane_engine *engine)
{
	return FIRST_QUEUE + 2ull * engine->id;
}

static uint64_t queue_iid(const struct lane_cl_queue *queue)
{
	return FIRST_QUEUE + 2ull * queue->id + 1;
}

static void perfetto_gpu_describe_engine(struct lane_gpu *gpu, const struct lane_engine *engine)
{
	enum {
		RENDER = 0,
		COMPUTE = 4,
	};
	char device[LANE_SHOW_ENGINE], text[2 * LANE_SHOW_ENGINE];
	uint32_t at;
	int category = 0;

	if (!LANE_GROW(gpu->device_of, gpu->cap_engines, (size_t)engine->id + 1)) {
		gpu->no_memory = true;
		return;
	}
	show_device_name(engine, device, sizeof(device));
	at = perfetto_gpu_device_of(gpu, device, "");
	gpu->device_of[engine->id] = at;
	if (at < gpu->n_devices)
		lane_clean_copy(gpu->devices[at].driver, sizeof(gpu->devices[at].driver),
				engine->name ? engine->driver : "i915", LANE_CLEAN_LINE);
	if (!engine->name && engine->class == RENDER)
		category = LANE_PACKET_GRAPHICS;
	if (!engine->name && engine->class == COMPUTE)
		category = LANE_PACKET_COMPUTE;
	snprintf(text, sizeof(text), "GPU %s/%s", device, SHOW_ENGINE(engine));
	show_packet_queue(gpu->to, engine_iid(engine), SHOW_ENGINE(engine), text, category);
}

static void describe_queue(struct lane_gpu *gpu, const struct lane_cl_queue *queue)
{
	char name[192], text[256];

	snprintf(name, sizeof(name), "command queue 0x%" PRIx64 " %s", queue->handle,
		 queue->device_name);
	snprintf(text, sizeof(text), "%s/%s", SHOW_TASK(queue->pid, queue->comm), name);
	show_packet_queue(gpu->to, queue_iid(queue), name, text, LANE_PACKET_COMPUTE);
}

void show_gpu_queue(struct lane_gpu *gpu, const struct lane_track *track)
{
	if (track->engine)
		perfetto_gpu_describe_engine(gpu, track->engine);
	else if (track->queue)
		describe_queue(gpu, track->queue);
}

/* Whose work it is: a context of a process, or a command queue. */
static uint64_t perfetto_gpu_owner_of(struct lane_gpu *gpu, uint64_t of, bool is_queue, int32_t pid,
				      int api)
{
	uint64_t key = (uint64_t)(uint32_t)pid << 1 | is_queue;
	uint64_t number = (uintptr_t)lane_table_get(&gpu->owners, of, key);

	if (number)
		return number;
	number = ++gpu->n_owners;
	if (!lane_table_put(&gpu->owners, of, key, (void *)(uintptr_t)number))
		gpu->no_memory = true;
	show_packet_owner(gpu->to, number, pid, api);
	return number;
}

/* --- runs --- */

static struct gpu_request *perfetto_gpu_request_of(struct lane_gpu *gpu, uint32_t number)
{
	return number == LANE_NO_REQUEST ? NULL
					 : lane_table_get(&gpu->requests, (uint64_t)number + 1, 1);
}

/* NULL: no memory. */
static struct gpu_request *open_request(struct lane_gpu *gpu, uint32_t number)
{
	struct gpu_request *request = perfetto_gpu_request_of(gpu, number);

	if (request)
		return request;
	request = lane_pool_get(&gpu->pool);
	if (request && lane_table_put(&gpu->requests, (uint64_t)number + 1, 1, request)) {
		*request = (struct gpu_request){ 0 };
		return request;
	}
	gpu->no_memory = true;
	return NULL;
}

static uint64_t run_event(uint32_t number, uint32_t run)
{
	return ((uint64_t)number + 1) * (MOST_RUNS + 1) + (run < MOST_RUNS ? run : MOST_RUNS);
}

static void write_run(struct lane_gpu *gpu, struct gpu_request *run, const struct lane_slice *of)
{
	const struct lane_request *rq = of->request;
	const struct lane_client *client = timeline_client_of(rq);
	struct lane_packet_stage stage = {
		.event = run_event(of->number, run->n_runs - 1),
		.queue = engine_iid(run->engine),
		.stage = STAGE_REQUEST,
		.gpu = gpu->device_of[run->engine->id],
		.owner = perfetto_gpu_owner_of(gpu, rq->context->id, false, client->pid, 0),
		.submission = of->number + 1,
		.n_waits = run->n_waits,
		.waits = run->waits,
		.duration_ns =
			timeline_later(run->is.sure_until_ns, run->is.begin.hi) - run->is.begin.hi,
	};

	show_packet_begin(gpu->to, 0, run->is.begin.hi, SHOW_CLIENT(client));
	show_run_say(gpu->to, gpu->info, rq, &run->is);
	show_packet_stage(gpu->to, &stage);
	run->is_held = false;
}

/* NULL: it is not known to have run. */
static const struct gpu_ran *ran_of(const struct lane_gpu *gpu, uint32_t number)
{
	const struct gpu_ran *ran = &gpu->ran[number % REMEMBERED];

	return number != LANE_NO_REQUEST && ran->number == number + 1 ? ran : NULL;
}

/* Who was ahead: what ran before it on the engine, where it waited for that, and what let it go. */
static void add_waits(struct lane_gpu *gpu, struct gpu_request *run, const struct lane_request *rq)
{
	const struct gpu_last *before = &gpu->on_engine[run->engine->id];
	bool is_own = before->context == rq->context && before->seqno == rq->seqno;

	if (before->event && !is_own &&
	    (run->n_runs > 1 || (rq->behind && rq->behind == before->context)))
		run->waits[run->n_waits++] = before->event;
	if (run->n_runs == 1 && rq->after && rq->after->id < gpu->cap_contexts &&
	    gpu->of_context[rq->after->id].event &&
	    gpu->of_context[rq->after->id].seqno == rq->after_seqno &&
	    gpu->of_context[rq->after->id].event != before->event)
		run->waits[run->n_waits++] = gpu->of_context[rq->after->id].event;
}

void show_gpu_run(struct lane_gpu *gpu, const struct lane_slice *slice)
{
	const struct lane_request *rq = slice->request;
	const struct lane_engine *engine = slice->run->engine;
	struct gpu_request *run = open_request(gpu, slice->number);
	struct gpu_last last = { .context = rq->context, .seqno = rq->seqno };

	if (!run || !LANE_GROW(gpu->on_engine, gpu->cap_on, (size_t)engine->id + 1) ||
	    !LANE_GROW(gpu->of_context, gpu->cap_contexts, (size_t)rq->context->id + 1)) {
		gpu->no_memory = true;
		return;
	}
	if (run->is_held)
		write_run(gpu, run, slice);
	*run = (struct gpu_request){ .n_runs = run->n_runs + 1,
				     .is_held = true,
				     .is = { .begin = slice->run->begin,
					     .end = slice->run->end,
					     .sure_until_ns = slice->run->sure_until_ns,
					     .flags = slice->flags },
				     .engine = engine };
	add_waits(gpu, run, rq);
	gpu->ran[slice->number % REMEMBERED] =
		(struct gpu_ran){ slice->number + 1, gpu->device_of[engine->id] };
	last.event = run_event(slice->number, run->n_runs - 1);
	gpu->on_engine[engine->id] = gpu->of_context[rq->context->id] = last;
}

void show_gpu_submits(struct lane_gpu *gpu, const struct lane_slice *slice)
{
	const struct gpu_request *request = perfetto_gpu_request_of(gpu, slice->number);

	if (!request)
		show_stages_say(gpu->to, gpu->info, slice->request);
	for (uint32_t i = 0; request && i < request->n_runs && i < MOST_RUNS; i++)
		show_packet_submits(gpu->to, run_event(slice->number, i));
}

void show_gpu_waits(struct lane_gpu *gpu, uint32_t number)
{
	const struct gpu_request *request = perfetto_gpu_request_of(gpu, number);

	if (request && request->n_runs)
		show_packet_waits(gpu->to, run_event(number, request->n_runs - 1));
}

void show_gpu_over(struct lane_gpu *gpu, const struct lane_slice *slice)
{
	struct gpu_request *request = perfetto_gpu_request_of(gpu, slice->number);

	if (!request)
		return;
	request->is.is_last = true;
	if (request->is_held)
		write_run(gpu, request, slice);
	lane_table_del(&gpu->requests, (uint64_t)slice->number + 1, 1);
	lane_pool_put(&gpu->pool, request);
}

/* --- commands --- */

uint64_t show_gpu_command_id(int32_t pid, uint64_t number, bool is_levelzero)
{
	return COMMAND_EVENT | (is_levelzero ? LEVELZERO_EVENT : 0) |
	       (uint64_t)(uint32_t)pid << 32 >> 1 | (number & INT32_MAX);
}

static bool is_levelzero(const struct lane_command *command)
{
	return lane_cl_is_levelzero(command->function) ||
	       (command->type >= LANE_CLC_LAUNCH_KERNEL && command->type <= LANE_CLC_GRAPH);
}

/* Where a queue's commands run: where the request ran that carried the first one. Perfetto takes
 * commands without a GPU for those of the first one, so what is not known is one of its own. */
static uint32_t gpu_of(struct lane_gpu *gpu, const struct lane_cl_queue *queue,
		       const struct gpu_ran *ran)
{
	const char *unknown = queue->is_of_cpu ? "none: a CPU's OpenCL" : "not known";

	if (!LANE_GROW(gpu->gpu_of, gpu->cap_queues, (size_t)queue->id + 1)) {
		gpu->no_memory = true;
		return 0;
	}
	if (!gpu->gpu_of[queue->id])
		gpu->gpu_of[queue->id] =
			(ran ? ran->gpu : perfetto_gpu_device_of(gpu, unknown, "")) + 1;
	return gpu->gpu_of[queue->id] - 1;
}

void show_gpu_command(struct lane_gpu *gpu, const struct lane_slice *slice)
{
	const struct lane_command *command = slice->command;
	const uint64_t *raw = command->raw_ns;
	uint64_t begin_ns = command->timed ? command->time_ns[LANE_COMMAND_START] : slice->begin_ns;
	uint64_t ns = command->timed ? raw[LANE_COMMAND_END] - raw[LANE_COMMAND_START]
				     : slice->end_ns - slice->begin_ns;
	const struct gpu_ran *ran = ran_of(gpu, slice->number);
	uint64_t run = run_event(slice->number, 0);
	bool is_kernel = command->class == LANE_COMMAND_KERNEL;
	struct lane_packet_stage stage = {
		.event = show_gpu_command_id(command->pid, command->number, is_levelzero(command)),
		.queue = queue_iid(command->queue),
		.stage = command->timed ? STAGE_COMMAND + command->class : STAGE_UNTIMED,
		.gpu = gpu_of(gpu, command->queue, ran),
		.owner = perfetto_gpu_owner_of(gpu, command->queue->id, true, command->queue->pid,
					       is_levelzero(command) ? 0 : LANE_PACKET_OPENCL),
		.submission = ran ? slice->number + 1 : 0,
		.waits = &run,
		.n_waits = ran != NULL,
		.kernel = is_kernel && *command->name ? command->name : NULL,
		.group = is_kernel ? command->group : 0,
		.groups = is_kernel && command->group ? command->size / command->group : 0,
		.duration_ns = ns,
	};

	show_packet_begin(gpu->to, 0, begin_ns, show_slice_name(slice, SHOW_ROOM(64)));
	show_slice_say(gpu->to, slice);
	show_packet_stage(gpu->to, &stage);
}

/* --- counters --- */

void show_gpu_counter(struct lane_gpu *gpu, const struct lane_counter_point *point)
{
	const struct lane_p_gpulane_counter *is = point->is;
	char card[LANE_SHOW_ENGINE] = "", device[LANE_SHOW_ENGINE];
	uint32_t at;

	snprintf(device, sizeof(device), "%.31s", is->dev);
	lane_clean(device, LANE_CLEAN_LINE);
	if (is->card != UINT32_MAX || !*device)
		snprintf(card, sizeof(card), "card%u", is->card);
	at = perfetto_gpu_device_of(gpu, *card ? card : device, *card ? device : "");
	if (point->is_first)
		show_packet_gauge(gpu->to, is->id, at, show_counter_name(is, SHOW_ROOM(160)));
	show_packet_gauge_value(gpu->to, is->id, at, point->at_ns, point->value);
}

/* --- the whole --- */

struct lane_error *show_gpu_create(struct lane_packets *to, const struct lane_trace_info *info,
				   struct lane_gpu **gpu)
{
	struct lane_gpu *g = *gpu = calloc(1, sizeof(*g));

	if (!g)
		return &lane_enomem;
	g->to = to;
	g->info = info;
	g->pool.size = sizeof(struct gpu_request);
	g->ran = calloc(REMEMBERED, sizeof(*g->ran));
	if (!g->ran)
		return &lane_enomem;
	describe_stages(g);
	return NULL;
}

void show_gpu_finish(struct lane_gpu *gpu)
{
	char texts[LANE_PACKET_GPUS][LANE_SHOW_ENGINE + 20];
	const char *names[LANE_PACKET_GPUS];
	uint32_t n = 0;

	for (; n < gpu->n_devices && n < LANE_PACKET_GPUS; n++) {
		const struct gpu_device *is = &gpu->devices[n];

		snprintf(texts[n], sizeof(texts[n]), "%s%s%s", is->driver, *is->driver ? " " : "",
			 is->name);
		names[n] = texts[n];
	}
	show_packet_gpus(gpu->to, names, n);
}

bool show_gpu_failed(const struct lane_gpu *gpu)
{
	return gpu->no_memory;
}

void show_gpu_destroy(struct lane_gpu *gpu)
{
	if (!gpu)
		return;
	free(gpu->devices);
	free(gpu->device_of);
	free(gpu->gpu_of);
	free(gpu->on_engine);
	free(gpu->of_context);
	free(gpu->ran);
	lane_table_free(&gpu->requests);
	lane_table_free(&gpu->owners);
	lane_pool_free(&gpu->pool);
	free(gpu);
}

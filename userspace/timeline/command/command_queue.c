// SPDX-License-Identifier: MIT
// OpenCL's objects: queues, devices, kernels, threads, commands; found by handle, or made when an
// event first names them.
#include "timeline/command/command.h"
#include "timeline/command/command_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/vector.h"

struct lane_cl *timeline_cl_get(struct lane_timeline *tl)
{
	struct lane_cl *cl = tl->cl;

	if (cl)
		return cl;
	cl = calloc(1, sizeof(*cl));
	if (!cl) {
		tl->no_memory = true;
		return NULL;
	}
	cl->gpu_pool.size = sizeof(struct lane_cl_gpu);
	cl->queue_pool.size = sizeof(struct lane_cl_q);
	cl->device_pool.size = sizeof(struct lane_cl_device);
	cl->kernel_pool.size = sizeof(struct lane_cl_kernel);
	cl->took_pool.size = sizeof(struct lane_octaves);
	cl->thread_pool.size = sizeof(struct lane_cl_thread);
	cl->process_pool.size = sizeof(struct lane_cl_process);
	cl->cmd_pool.size = sizeof(struct lane_cl_cmd);
	cl->rq_pool.size = sizeof(struct lane_cl_rq);
	cl->ring_pool.size = sizeof(struct lane_cl_ring);
	tl->cl = cl;
	return cl;
}

/* The object under (a, pid). If it is not there, it is made, zeroed, and *fresh is true. NULL: no
 * memory. */
static void *command_queue_get(struct lane_timeline *tl, struct lane_table *table,
			       struct lane_pool *pool, uint64_t a, int32_t pid, bool *fresh)
{
	void *object = lane_table_get(table, a, timeline_cl_key(pid));

	*fresh = !object;
	if (object)
		return object;
	object = lane_pool_get(pool);
	if (!object || !lane_table_put(table, a, timeline_cl_key(pid), object)) {
		tl->no_memory = true;
		return NULL;
	}
	return object;
}

struct lane_cl_device *timeline_cl_device_get(struct lane_timeline *tl, uint64_t handle,
					      int32_t pid)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_device *device;
	bool fresh;

	device = command_queue_get(tl, &cl->devices, &cl->device_pool, handle, pid, &fresh);
	if (!device || !fresh)
		return device;
	device->pid = pid;
	device->handle = handle;
	clock_sync_init(&device->sync, 1);
	if (timeline_command_order_create(LANE_ORDER_LIMIT, &device->own_order))
		tl->no_memory = true; /* lane_enomem is its only error */
	device->order = device->own_order;
	*(cl->last_device ? &cl->last_device->next : &cl->first_device) = device;
	cl->last_device = device;
	return device->order ? device : NULL;
}

struct lane_cl_q *timeline_cl_queue_get(struct lane_timeline *tl, uint64_t handle, int32_t pid)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_process *process;
	struct lane_cl_q *queue = lane_table_get(&cl->queues, handle, timeline_cl_key(pid));
	bool fresh;

	if (queue)
		return queue;
	if (!LANE_GROW(cl->queue_by_id, cl->cap_queues, cl->n_queues + 1)) {
		tl->no_memory = true;
		return NULL;
	}
	queue = command_queue_get(tl, &cl->queues, &cl->queue_pool, handle, pid, &fresh);
	process = command_queue_get(tl, &cl->processes, &cl->process_pool, 0, pid, &fresh);
	if (!queue || !process)
		return NULL;
	queue->pub.id = cl->n_queues;
	queue->pub.pid = pid;
	queue->pub.handle = handle;
	queue->device = timeline_cl_device_get(tl, 0, pid);
	queue->process = process;
	queue->sibling = process->queues;
	process->queues = queue;
	process->n_queues++;
	cl->queue_by_id[cl->n_queues++] = queue;
	return queue->device ? queue : NULL;
}

/* Intel's runtime estimates queued and submitted times (command.c, slip_of()). */
static bool is_intel_gpu(const char *name)
{
	return strstr(name, "Intel(R)") && (strstr(name, "Graphics") || strstr(name, "GPU"));
}

void timeline_cl_queue_created(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_opencl_queue *said = &event->u.opencl_queue;
	struct lane_cl_q *queue = timeline_cl_queue_get(tl, said->queue, event->wire.pid);
	struct lane_cl_device *device;

	if (!queue)
		return;
	device = timeline_cl_device_get(tl, said->device, event->wire.pid);
	if (!device)
		return;
	/* A queue that had this handle before is gone; its commands keep the device that they
	 * had. */
	if (!queue->first)
		queue->device = device;
	if (!device->name[0])
		memcpy(device->name, said->name, sizeof(device->name) - 1);
	device->is_exact = device->name[0] && !is_intel_gpu(device->name);
	queue->pub.known = true;
	queue->pub.device = said->device;
	queue->pub.properties = said->properties;
	queue->pub.profiled = said->known & 1;
	queue->pub.is_of_cpu = said->known & 2;
	queue->pub.ctx = 0;
	queue->pub.ctx_dev = 0;
	queue->pub.ctx_shared = false;
	queue->ring = NULL;
	queue->is_of_rings = false;
	memcpy(queue->pub.device_name, said->name, sizeof(queue->pub.device_name) - 1);
	memcpy(queue->pub.comm, said->comm, sizeof(queue->pub.comm) - 1);
	if (!*queue->process->comm)
		memcpy(queue->process->comm, queue->pub.comm, sizeof(queue->pub.comm));
}

void timeline_cl_atomics_found(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t name = lane_hash_text(event->u.opencl_atomics.name);
	uint64_t process = timeline_cl_key(event->wire.pid);

	if (!lane_table_get(&tl->cl->atomics, name, process) &&
	    !lane_table_put(&tl->cl->atomics, name, process, tl->cl))
		tl->no_memory = true;
}

/* A program may make its kernel anew for each run: they are found by name. */
static struct lane_octaves *took_of(struct lane_timeline *tl, const char *name, int32_t pid)
{
	struct lane_cl *cl = tl->cl;
	uint64_t hash = lane_hash_text(name);
	struct lane_octaves *took = lane_table_get(&cl->took, hash, timeline_cl_key(pid));

	if (took || cl->n_took == LANE_TOOK_MAX)
		return took;
	took = lane_pool_get(&cl->took_pool);
	if (!took || !lane_table_put(&cl->took, hash, timeline_cl_key(pid), took)) {
		tl->no_memory = true;
		return NULL;
	}
	cl->n_took++;
	return took;
}

void timeline_cl_kernel_created(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_kernel *kernel;
	bool fresh;

	kernel = command_queue_get(tl, &cl->kernels, &cl->kernel_pool,
				   event->u.opencl_kernel.kernel, event->wire.pid, &fresh);
	if (!kernel)
		return;
	memcpy(kernel->name, event->u.opencl_kernel.name, sizeof(kernel->name) - 1);
	kernel->has_atomics = lane_table_get(&cl->atomics, lane_hash_text(kernel->name),
					     timeline_cl_key(event->wire.pid));
	kernel->took = took_of(tl, kernel->name, event->wire.pid);
}

struct lane_cl_thread *timeline_cl_thread_get(struct lane_timeline *tl, int32_t tid, int32_t pid)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_thread *thread;
	bool fresh;

	thread = command_queue_get(tl, &cl->threads, &cl->thread_pool, (uint32_t)tid, 0, &fresh);
	if (!thread)
		return NULL;
	thread->call.tid = tid;
	thread->call.pid = pid;
	if (fresh) /* a burst may be begun before there is a queue */
		command_queue_get(tl, &cl->processes, &cl->process_pool, 0, pid, &fresh);
	return thread;
}

struct lane_cl_cmd *timeline_command_new(struct lane_timeline *tl)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_cmd *cmd;

	cmd = lane_pool_get(&cl->cmd_pool);
	if (!cmd) {
		tl->no_memory = true;
		return NULL;
	}
	cmd->pub.name = cmd->name;
	cmd->old_prev = cl->newest;
	*(cl->newest ? &cl->newest->old_next : &cl->oldest) = cmd;
	cl->newest = cmd;
	if (++cl->n_open > cl->figures.max_open)
		cl->figures.max_open = cl->n_open;
	return cmd;
}

void timeline_command_of(struct lane_timeline *tl, struct lane_cl_q *queue, struct lane_cl_cmd *cmd)
{
	struct lane_cl_device *device = queue->device;

	cmd->queue = queue;
	cmd->device = device;
	cmd->pub.queue = &queue->pub;
	cmd->pub.pid = queue->pub.pid;
	tl->cl->has_unknown_queues |= !queue->pub.known;
	device->process = queue->process;
	device->n_open++;
}

void timeline_command_link(struct lane_timeline *tl, struct lane_cl_q *queue,
			   struct lane_cl_cmd *cmd)
{
	const struct lane_cl_kernel *kernel;

	timeline_command_of(tl, queue, cmd);
	cmd->device->is_used[lane_cl_is_levelzero(cmd->pub.function)] = true;
	cmd->place = queue->next_place++;
	cmd->read_ns = cmd->device->read_ns;
	cmd->took_ns = cmd->device->took_ns;
	cmd->prev = queue->last;
	*(queue->last ? &queue->last->next : &queue->first) = cmd;
	queue->last = cmd;
	cmd->linked = true;
	kernel = cmd->pub.class == LANE_COMMAND_KERNEL
			 ? lane_table_get(&tl->cl->kernels, cmd->pub.object,
					  timeline_cl_key(queue->pub.pid))
			 : NULL;
	cmd->took = kernel ? kernel->took : NULL;
	if (kernel) {
		memcpy(cmd->name, kernel->name, sizeof(cmd->name));
		cmd->pub.has_atomics = kernel->has_atomics;
	} else if (cmd->pub.type == LANE_CLC_GRAPH) { /* its commands are not told one by one */
		snprintf(cmd->name, sizeof(cmd->name), "graph (not seen inside)");
	}
}

void timeline_command_number(struct lane_timeline *tl, struct lane_cl_cmd *cmd, uint64_t number,
			     int32_t pid)
{
	cmd->pub.number = number & ~LANE_LEVELZERO_NUMBER;
	cmd->key = number;
	if (lane_table_get(&tl->cl->commands, number, timeline_cl_key(pid)))
		return; /* the number came twice: the first command keeps it */
	cmd->numbered = lane_table_put(&tl->cl->commands, number, timeline_cl_key(pid), cmd);
	if (!cmd->numbered)
		tl->no_memory = true;
}

void timeline_command_unlink(struct lane_timeline *tl, struct lane_cl_cmd *cmd)
{
	struct lane_cl *cl = tl->cl;
	struct lane_cl_q *queue = cmd->queue;

	if (cmd->linked) {
		*(cmd->prev ? &cmd->prev->next : &queue->first) = cmd->next;
		*(cmd->next ? &cmd->next->prev : &queue->last) = cmd->prev;
		timeline_cl_trim(tl, queue);
	}
	if (cmd->numbered)
		lane_table_del(&cl->commands, cmd->key, timeline_cl_key(cmd->pub.pid));
	if (cmd->event &&
	    lane_table_get(&cl->events, cmd->event, timeline_cl_key(cmd->pub.pid)) == cmd)
		lane_table_del(&cl->events, cmd->event, timeline_cl_key(cmd->pub.pid));
	if (cmd->fence &&
	    lane_table_get(&cl->events, cmd->fence, timeline_cl_key(cmd->pub.pid)) == cmd)
		lane_table_del(&cl->events, cmd->fence, timeline_cl_key(cmd->pub.pid));
	if (cmd->caller) {
		cmd->caller->cmd = NULL;
		cmd->queue->process->enqueueing--;
	}
	if (cmd->ticketed)
		timeline_command_order_drop(cmd->device->order, cmd->ticket);
	queue->n_lost_exits -= cmd->has_lost_exit;
	cmd->device->n_open--;
	*(cmd->old_prev ? &cmd->old_prev->old_next : &cl->oldest) = cmd->old_next;
	*(cmd->old_next ? &cmd->old_next->old_prev : &cl->newest) = cmd->old_prev;
	cl->n_open--;
	lane_pool_put(&cl->cmd_pool, cmd);
}

/* A clock that was restarted tells nothing of the time before. */
static bool has_line(const struct lane_cl_device *device)
{
	return device->sync.bounded && !device->sync.restarts;
}

/* Notes that the process uses a device of that name by that API. False: it has another one. */
static bool claim_name(struct lane_timeline *tl, struct lane_cl_device *device, uint64_t name,
		       uint64_t api)
{
	uint64_t whose = timeline_cl_key(device->pid) << 2 | (api + 1);

	if (lane_table_get(&tl->cl->gpus, name, whose))
		return false;
	if (!lane_table_put(&tl->cl->gpus, name, whose, device))
		tl->no_memory = true;
	return true;
}

/* A queue's requests were on that device of the kernel's: they are on another one than those of the
 * GPU's other queues. */
static bool note_dev(struct lane_cl_gpu *gpu, const struct lane_cl_device *from)
{
	bool is = false;

	for (const struct lane_cl_q *q = from->process ? from->process->queues : NULL; q;
	     q = q->sibling) {
		if (q->device != from || !q->pub.ctx)
			continue;
		is |= gpu->has_dev && gpu->dev != q->pub.ctx_dev;
		gpu->has_dev = true;
		gpu->dev = q->pub.ctx_dev;
	}
	return is;
}

/* Devices of one name are one GPU, unless something says that there are several of that name. */
static void join_gpu(struct lane_timeline *tl, struct lane_cl_device *device,
		     const struct lane_cl_device *from)
{
	const struct lane_limits *limits = &tl->info.limits;
	uint64_t name = lane_hash_text(from->name);
	struct lane_cl_gpu *gpu;
	bool fresh;

	memcpy(device->name, from->name, sizeof(device->name));
	if (!from->is_used[0] && !from->is_used[1])
		return;
	gpu = command_queue_get(tl, &tl->cl->gpus, &tl->cl->gpu_pool, name, 0, &fresh);
	if (!gpu)
		return;
	for (uint32_t i = 1; i < limits->n; i++)
		gpu->is_unsure |= limits->of[i].card != limits->of[0].card;
	for (uint64_t api = 0; api < 2; api++)
		gpu->is_unsure |= from->is_used[api] && !claim_name(tl, device, name, api);
	gpu->is_unsure |= !device->foreseen || note_dev(gpu, from);
	tl->cl->has_unknown_devices |= !*device->name;
	if (!device->foreseen)
		return;
	if (!gpu->order)
		gpu->order = device->own_order;
	device->order = gpu->order;
	device->gpu = gpu;
	device->next_on_gpu = gpu->devices;
	gpu->devices = device;
}

bool timeline_foresee_clocks(struct lane_timeline *tl, const struct lane_timeline *earlier)
{
	const struct lane_cl_device *from = earlier->cl ? earlier->cl->first_device : NULL;

	if (!from)
		return true;
	if (!timeline_cl_get(tl))
		return false;
	for (; from; from = from->next) {
		struct lane_cl_device *device = timeline_cl_device_get(tl, from->handle, from->pid);

		if (!device)
			return false;
		if (has_line(from)) {
			device->sync = from->sync;
			device->first_host_ns = from->first_host_ns;
			device->slip_ppb = from->slip_ppb;
			device->foreseen = true;
		}
		join_gpu(tl, device, from);
	}
	return true;
}

bool timeline_is_clock_unforeseen(const struct lane_timeline *tl)
{
	const struct lane_cl_device *device = tl->cl ? tl->cl->first_device : NULL;

	while (device && !(has_line(device) && !device->foreseen))
		device = device->next;
	return device;
}

const char *timeline_process_comm(const struct lane_timeline *tl, int32_t pid)
{
	const struct lane_cl_process *process =
		tl->cl ? lane_table_get(&tl->cl->processes, 0, timeline_cl_key(pid)) : NULL;

	return process ? process->comm : "";
}

void timeline_command_figures(const struct lane_timeline *tl, struct lane_command_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	if (tl->cl)
		*figures = tl->cl->figures;
}

bool timeline_cl_clock(const struct lane_timeline *tl, int32_t pid, uint64_t handle,
		       struct lane_cl_clock *clock)
{
	const struct lane_cl_device *device =
		tl->cl ? lane_table_get(&tl->cl->devices, handle, timeline_cl_key(pid)) : NULL;
	const struct lane_order_figures *order;
	struct lane_sync_line line;

	if (!device)
		return false;
	order = timeline_command_order_figures(device->order);
	*clock = (struct lane_cl_clock){
		.is_same = clock_sync_state(&device->sync) == LANE_SYNC_SAME,
		.pairs = device->sync.pairs,
		.restarts = device->sync.restarts,
		.max_in_flight = order->max_in_flight,
		.max_held = order->max_held,
		.given_up = order->given_up,
		.late = order->late,
	};
	clock->bounded = clock_sync_line(&device->sync, device->sync.last_other, &line);
	if (clock->bounded) {
		clock->offset_lo_ns = line.offset_lo_ns;
		clock->offset_hi_ns = line.offset_hi_ns;
		clock->drift_lo_ppm = line.drift_lo_ppm;
		clock->drift_hi_ppm = line.drift_hi_ppm;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0 OR MIT
// drm_sched's jobs, under the names of Linux 6.17. Before, its tracepoints name a job by addresses;
// what they are given tells its fence, so that a recording has the same fields on all kernels.
#include "common.bpf.h"
#include "drm_slot.bpf.h"
#include "format.bpf.h"
#include "stack.bpf.h"
#include "base/fit.h"

RECORD(drm_sched_job_queue);
RECORD(drm_sched_job_add_dep);
RECORD(drm_sched_job_done);

_Static_assert(sizeof(struct lane_p_drm_sched_job_queue) -
			       offsetof(struct lane_p_drm_sched_job_queue, queue_flags) ==
		       sizeof(struct drm_texts),
	       "the texts end the payload");

#define DRM_SLOTS 4096 /* a power of two */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, DRM_SLOTS);
	__type(key, __u32);
	__type(value, struct drm_slot);
} drm_slots SEC(".maps");

/*
 * A ring's name of LANE_RING_BYTES or more: whole where it just fits, else cut as lane_fit() cuts
 * (userspace/base/fit.c), so that two long names with one beginning stay two.
 */
static __noinline int fit_name(char *name, const char *from)
{
	__u32 number = LANE_FIT_BEGIN, n;
	char byte = 0, last = 0;

	if (!name || !from)
		return 0;
	for (n = 0; n < LANE_FIT_READS; n++) {
		bpf_probe_read_kernel(&byte, 1, from + n);
		if (!byte)
			break;
		if (n == LANE_RING_BYTES - 1)
			last = byte;
		number = lane_fit_add(number, byte);
	}
	if (n <= LANE_RING_BYTES) {
		name[LANE_RING_BYTES - 1] = last;
		return 0;
	}
	name[LANE_RING_BYTES - LANE_FIT_TAIL] = '~';
	for (n = 1; n < LANE_FIT_TAIL; n++) {
		byte = number >> (32 - 4 * n) & 15;
		name[LANE_RING_BYTES - LANE_FIT_TAIL + n] =
			byte < 10 ? '0' + byte : 'a' + byte - 10;
	}
	return 0;
}

static __always_inline void read_name(char *name, const char *from)
{
	if (bpf_probe_read_kernel_str(name, LANE_RING_BYTES, from) == LANE_RING_BYTES)
		fit_name(name, from);
}

/* After how long the driver gives up a job of the ring. */
static __always_inline __u32 timeout_of(const struct drm_gpu_scheduler *sched)
{
	__u64 jiffies = sched->timeout;

	if (jiffies == MAX_SCHEDULE_TIMEOUT)
		return LANE_NO_TIMEOUT;
	return config.hz ? jiffies * 1000 / config.hz : 0;
}

/*
 * Whether the entity is that of one of xe's long-running queues: xe_vm_in_lr_mode() of xe/xe_vm.h.
 * Queues that bind memory have the VM of the driver's own copies, which is not in that mode. Not
 * all of xe's jobs have a queue (xe_dep_job of xe/xe_dep_scheduler.c): its entity is the event's.
 */
static __always_inline __u32 xe_queue_flags(struct drm_sched_job *job,
					    struct drm_sched_entity *entity)
{
	__u32 flags = LANE_QUEUE_KNOWN;
	struct xe_exec_queue *q;
	struct xe_vm *vm;

	if (!bpf_core_field_exists(struct xe_sched_job, q) ||
	    !bpf_core_field_exists(struct xe_exec_queue, entity) ||
	    !bpf_core_field_exists(struct xe_exec_queue, vm) ||
	    !bpf_core_field_exists(struct xe_vm, flags))
		return 0;
	q = BPF_CORE_READ((struct xe_sched_job *)job, q); /* begins with its drm_sched_job */
	if (BPF_CORE_READ(q, entity) != entity)
		return 0;
	if (bpf_core_field_exists(struct xe_exec_queue, flags)) {
		unsigned long of_queue = BPF_CORE_READ(q, flags);

		if (of_queue & EXEC_QUEUE_FLAG_KERNEL)
			flags |= LANE_QUEUE_KERNEL;
		if (of_queue & EXEC_QUEUE_FLAG_VM)
			flags |= LANE_QUEUE_BIND;
	}
	vm = BPF_CORE_READ(q, vm);
	if (!vm)
		return flags;
	if (BPF_CORE_READ(vm, flags) & XE_VM_FLAG_LR_MODE)
		flags |= LANE_QUEUE_LONG_RUNNING;
	if (bpf_core_field_exists(struct xe_vm, usm.asid))
		flags |= BPF_CORE_READ(vm, usm.asid) << LANE_QUEUE_ASID_SHIFT;
	return flags;
}

/* Into texts that are all zero. */
static __always_inline void read_texts(struct drm_sched_job *job, struct drm_sched_entity *entity,
				       struct drm_gpu_scheduler *sched, struct drm_texts *texts)
{
	struct device *dev = sched->dev;

	texts->timeout_ms = timeout_of(sched);
	read_name(texts->name, sched->name);
	if (!dev)
		return;
	bpf_probe_read_kernel_str(texts->dev, sizeof(texts->dev), device_name(dev));
	if (dev->driver)
		bpf_probe_read_kernel_str(texts->driver, sizeof(texts->driver), dev->driver->name);
	if (texts->driver[0] == 'x' && texts->driver[1] == 'e' && !texts->driver[2])
		texts->queue_flags = xe_queue_flags(job, entity);
}

static __always_inline void put_texts(struct drm_sched_job *job, struct drm_sched_entity *entity,
				      __u64 context, void *to)
{
	struct drm_gpu_scheduler *sched = job->sched;
	__u32 key = context / 2 & (DRM_SLOTS - 1); /* each entity has two contexts in a row */
	struct drm_slot *slot = bpf_map_lookup_elem(&drm_slots, &key);
	struct drm_texts texts = {};

	if (slot && drm_slot_get(slot, context, (__u64)sched, to))
		return;
	read_texts(job, entity, sched, &texts);
	copy_words(to, &texts, sizeof(texts));
	if (slot)
		drm_slot_put(slot, context, (__u64)sched, &texts);
}

/* `owner` events happen in the process that submits. */
static __always_inline bool drm_wanted(__u64 context, bool owner)
{
	/* Classes and instances are i915's: who asks for one wants no other driver's. */
	if (config.n_engines)
		return false;
	return owner ? owner_followed(context) : context_followed(context);
}

static __always_inline int drm_job(struct drm_sched_job *job, struct drm_sched_entity *entity,
				   __u32 kind, bool owner)
{
	struct record_drm_sched_job_queue *r;
	struct drm_sched_fence *fence;
	bool wakes;
	__u64 context;

	if (!enabled || !job || !entity)
		return 0;
	fence = job->s_fence;
	context = fence->finished.context;
	if (!drm_wanted(context, owner))
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.fence_context = context;
	r->p.fence_seqno = fence->finished.seqno;
	r->p.client_id = bpf_core_field_exists(fence->drm_client_id) ? fence->drm_client_id : 0;
	r->p.job_count = entity->job_queue.job_count.counter;
	r->p.hw_job_count = sched_load(job->sched);
	put_texts(job, entity, context, &r->p.queue_flags);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline int drm_dependency(struct drm_sched_job *job, struct dma_fence *on,
					  __u32 kind, bool owner)
{
	struct record_drm_sched_job_add_dep *r;
	struct drm_sched_fence *fence;
	bool wakes;

	if (!enabled || !job || !on)
		return 0;
	fence = job->s_fence;
	if (!drm_wanted(fence->finished.context, owner))
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.fence_context = fence->finished.context;
	r->p.fence_seqno = fence->finished.seqno;
	r->p.ctx = on->context;
	r->p.seqno = on->seqno;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline int drm_end(struct drm_sched_fence *fence)
{
	struct record_drm_sched_job_done *r;
	bool wakes;

	if (!enabled || !fence || !drm_wanted(fence->finished.context, false))
		return 0;
	r = record_begin(LANE_DRM_DONE, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.fence_context = fence->finished.context;
	r->p.fence_seqno = fence->finished.seqno;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

#define DRM_JOB(event, program, id, owner)                                                         \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(program, struct drm_sched_job *job, struct drm_sched_entity *entity)          \
	{                                                                                          \
		if (LANE_DRM_##id == LANE_DRM_QUEUE)                                               \
			put_stack(ctx, LANE_STACK_SUBMITS);                                        \
		return drm_job(job, entity, LANE_DRM_##id, owner);                                 \
	}

#define DRM_DEPENDENCY(event, program, id, owner)                                                  \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(program, struct drm_sched_job *job, struct dma_fence *fence)                  \
	{                                                                                          \
		return drm_dependency(job, fence, LANE_DRM_##id, owner);                           \
	}

#define DRM_END(event, program)                                                                    \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(program, struct drm_sched_fence *fence)                                       \
	{                                                                                          \
		return drm_end(fence);                                                             \
	}

DRM_JOB(drm_sched_job_queue, drm_queue, QUEUE, true)
DRM_JOB(drm_sched_job_run, drm_run, RUN, false)
DRM_DEPENDENCY(drm_sched_job_add_dep, drm_add_dep, ADD_DEP, true)
DRM_DEPENDENCY(drm_sched_job_unschedulable, drm_unschedulable, UNSCHEDULABLE, false)
DRM_END(drm_sched_job_done, drm_done)

/* Their names before Linux 6.17 (drivers/gpu/drm/scheduler/gpu_scheduler_trace.h). */
DRM_JOB(drm_sched_job, drm_queue_old, QUEUE, true)
DRM_JOB(drm_run_job, drm_run_old, RUN, false)
DRM_DEPENDENCY(drm_sched_job_wait_dep, drm_add_dep_old, ADD_DEP, false)
DRM_END(drm_sched_process_job, drm_done_old)

const volatile struct lane_bpf_drm_places drm_places = {};

/* A text of a tracepoint's record, behind the word that says where it is; 0: it has none. */
static __always_inline void copy_text(char *to, __u32 bytes, void *record, __u16 place)
{
	__u32 loc = 0;

	if (!place)
		return;
	bpf_probe_read_kernel(&loc, sizeof(loc), record + place);
	if (bytes == LANE_RING_BYTES)
		read_name(to, record + (loc & 0xffff));
	else
		bpf_probe_read_kernel_str(to, bytes, record + (loc & 0xffff));
}

/* The jobs of a gpu-sched without BTF, by the places that their format in tracefs gives. */
SEC("tp")
int drm_by_format(void *record)
{
	__u64 kind = attached_kind(record);
	struct record_drm_sched_job_queue *r;
	struct lane_p_drm_sched_job_queue p = {};
	bool wakes;

	if (!enabled || kind >= LANE_KIND_COUNT)
		return 0;
	__sync_fetch_and_add(&this_cpu()->seen, 1);
	copy_fields(&p, &layouts[kind], record);
	if (!drm_wanted(p.fence_context, kind == LANE_DRM_QUEUE))
		return 0;
	if (kind == LANE_DRM_QUEUE)
		put_stack(record, LANE_STACK_SUBMITS);
	copy_text(p.name, sizeof(p.name), record, drm_places.name);
	copy_text(p.dev, sizeof(p.dev), record, drm_places.dev);
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p = p;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

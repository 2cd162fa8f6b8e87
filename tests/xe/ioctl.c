// SPDX-License-Identifier: MIT
// The calls on the node, with the errors of Linux 7.3: drm_ioctl.c, xe_bo.c, xe_vm.c,
// xe_exec_queue.c, xe_exec.c, xe_sync.c and xe_wait_user_fence.c there. Binding takes no time. An
// error is returned as its negative number.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "xe.h"

#define PAGE	   4096ull
#define OFFSET_BIT 40 /* of a buffer's mmap: its handle from here on */
#define PCI_PAGE   0x50000000ull
#define VA_END	   (1ull << 48)

// --- what drm has for every driver

static int put_text(char *to, size_t *size, const char *text)
{
	size_t n = strlen(text), room = *size;

	*size = n;
	return !to || xe_user_write((uintptr_t)to, text, n < room ? n : room) ? 0 : -EFAULT;
}

static int drm_version(struct drm_version *version)
{
	int status = put_text(version->name, &version->name_len, "xe");

	version->version_major = 1;
	version->version_minor = 1;
	version->version_patchlevel = 0;
	if (status == 0)
		status = put_text(version->date, &version->date_len, "0");
	return status == 0 ? put_text(version->desc, &version->desc_len, "Intel Xe2 Graphics")
			   : status;
}

static int drm_cap(struct drm_get_cap *cap)
{
	switch (cap->capability) {
	case DRM_CAP_SYNCOBJ:
	case DRM_CAP_SYNCOBJ_TIMELINE:
	case DRM_CAP_TIMESTAMP_MONOTONIC:
		cap->value = 1;
		return 0;
	case DRM_CAP_PRIME:
		cap->value = 0;
		return 0;
	default:
		return -EOPNOTSUPP; // of a node that only renders
	}
}

static int syncobj_create(struct xe_file *file, struct drm_syncobj_create *args)
{
	struct xe_syncobj *syncobj;

	if (args->flags & ~DRM_SYNCOBJ_CREATE_SIGNALED)
		return -EINVAL;
	syncobj = calloc(1, sizeof(*syncobj));
	if (!syncobj)
		return -ENOMEM;
	syncobj->point = args->flags & DRM_SYNCOBJ_CREATE_SIGNALED;
	args->handle = xe_table_add(&file->syncobjs, syncobj);
	return 0;
}

static int syncobj_destroy(struct xe_file *file, struct drm_syncobj_destroy *args)
{
	struct xe_syncobj *syncobj;

	if (args->pad)
		return -EINVAL;
	syncobj = xe_table_take(&file->syncobjs, args->handle);
	free(syncobj);
	return syncobj ? 0 : -EINVAL;
}

static int syncobj_set(struct xe_file *file, struct drm_syncobj_array *args, uint64_t point)
{
	if (args->pad || !args->count_handles)
		return -EINVAL;
	for (uint32_t i = 0; i < args->count_handles; i++) {
		struct xe_syncobj *syncobj;
		uint32_t handle;

		if (!xe_user_read(&handle, args->handles + 4ull * i, 4))
			return -EFAULT;
		syncobj = xe_table_get(&file->syncobjs, handle);
		if (!syncobj)
			return -ENOENT;
		syncobj->point = point;
	}
	return 0;
}

// --- buffers

static int gem_create(struct xe_file *file, struct drm_xe_gem_create *args)
{
	const uint32_t vram = xe_gpu->vram ? 2 : 0;
	struct xe_bo *bo;

	if (args->extensions || args->pad[0] || args->pad[1] || args->pad[2] || args->reserved[0] ||
	    args->reserved[1])
		return -EINVAL;
	if (!args->placement || args->placement & ~(1 | vram))
		return -EINVAL;
	if (args->flags &
	    ~(DRM_XE_GEM_CREATE_FLAG_DEFER_BACKING | DRM_XE_GEM_CREATE_FLAG_SCANOUT |
	      DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM | DRM_XE_GEM_CREATE_FLAG_NO_COMPRESSION))
		return -EINVAL;
	if (args->handle || !args->size || args->size % PAGE || args->size > 1ull << OFFSET_BIT)
		return -EINVAL;
	if (!args->cpu_caching || args->cpu_caching > DRM_XE_GEM_CPU_CACHING_WC)
		return -EINVAL;
	if (args->placement & vram && args->cpu_caching != DRM_XE_GEM_CPU_CACHING_WC)
		return -EINVAL;
	if (args->flags & DRM_XE_GEM_CREATE_FLAG_NEEDS_VISIBLE_VRAM && !(args->placement & vram))
		return -EINVAL;
	if (args->vm_id && !xe_table_get(&file->vms, args->vm_id))
		return -ENOENT;
	bo = xe_bo_create(args->size, args->placement);
	if (!bo)
		return -ENOMEM;
	args->handle = xe_table_add(&file->bos, bo);
	return 0;
}

static int gem_close(struct xe_file *file, struct drm_gem_close *args)
{
	struct xe_bo *bo = xe_table_take(&file->bos, args->handle);

	if (!bo)
		return -EINVAL;
	// what it was bound to goes with it
	for (uint32_t i = 1; i <= file->vms.n; i++) {
		struct xe_vm *vm = xe_table_get(&file->vms, i);

		if (vm)
			xe_vm_unmap_bo(vm, bo);
	}
	xe_bo_put(bo);
	return 0;
}

static int gem_mmap_offset(struct xe_file *file, struct drm_xe_gem_mmap_offset *args)
{
	if (args->extensions || args->reserved[0] || args->reserved[1] ||
	    args->flags & ~DRM_XE_MMAP_OFFSET_FLAG_PCI_BARRIER)
		return -EINVAL;
	if (args->flags & DRM_XE_MMAP_OFFSET_FLAG_PCI_BARRIER) {
		if (!xe_gpu->vram || args->handle)
			return -EINVAL;
		args->offset = PCI_PAGE;
		return 0;
	}
	if (!xe_table_get(&file->bos, args->handle))
		return -ENOENT;
	args->offset = (uint64_t)args->handle << OFFSET_BIT;
	return 0;
}

int xe_mmap(struct xe_file *file, void *address, size_t length, int prot, int flags, off_t offset,
	    void **at)
{
	uint64_t from = (uint64_t)offset & ((1ull << OFFSET_BIT) - 1);
	struct xe_bo *bo;

	if ((uint64_t)offset == PCI_PAGE && length == PAGE) {
		*at = mmap(address, length, prot,
			   (flags & ~MAP_SHARED) | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return *at == MAP_FAILED ? -errno : 0;
	}
	bo = xe_table_get(&file->bos, (uint32_t)((uint64_t)offset >> OFFSET_BIT));
	if (!bo || length == 0 || from % PAGE || length > bo->size || from > bo->size - length ||
	    !(flags & MAP_SHARED))
		return -EINVAL;
	if (!(flags & MAP_FIXED)) {
		// the kernel chooses, or is told
		address = mmap(address, length, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				       (flags & MAP_FIXED_NOREPLACE),
			       -1, 0);
		if (address == MAP_FAILED)
			return -errno;
	}
	// of shared memory that has the old size 0 this is one more mapping
	*at = mremap(bo->memory + from, 0, length, MREMAP_MAYMOVE | MREMAP_FIXED, address);
	if (*at == MAP_FAILED)
		return -errno;
	return prot == (PROT_READ | PROT_WRITE) || mprotect(*at, length, prot) == 0 ? 0 : -errno;
}

// --- virtual memory

static int vm_create(struct xe_file *file, struct drm_xe_vm_create *args)
{
	struct xe_vm *vm;

	if (args->extensions || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	// without recoverable page faults, as this device: no FAULT_MODE
	if (args->flags & ~(DRM_XE_VM_CREATE_FLAG_SCRATCH_PAGE | DRM_XE_VM_CREATE_FLAG_LR_MODE))
		return -EINVAL;
	vm = xe_vm_create(args->flags);
	if (!vm)
		return -ENOMEM;
	args->vm_id = vm->number = xe_table_add(&file->vms, vm);
	return 0;
}

static int vm_destroy(struct xe_file *file, struct drm_xe_vm_destroy *args)
{
	struct xe_vm *vm = xe_table_get(&file->vms, args->vm_id);

	if (args->pad || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	if (!vm)
		return -ENOENT;
	if (vm->queues && vm->flags & DRM_XE_VM_CREATE_FLAG_LR_MODE)
		return -EBUSY;
	xe_vm_put(xe_table_take(&file->vms, args->vm_id));
	return 0;
}

static int check_sync(struct xe_file *file, const struct drm_xe_sync *sync, const struct xe_vm *vm)
{
	const bool signal = sync->flags & DRM_XE_SYNC_FLAG_SIGNAL,
		   lr = vm->flags & DRM_XE_VM_CREATE_FLAG_LR_MODE;
	const struct xe_syncobj *syncobj;

	if (sync->flags & ~DRM_XE_SYNC_FLAG_SIGNAL || sync->reserved[0] || sync->reserved[1])
		return -EINVAL;
	switch (sync->type) {
	case DRM_XE_SYNC_TYPE_SYNCOBJ:
	case DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ:
		if (lr && signal)
			return -EOPNOTSUPP;
		if (sync->addr >> 32 ||
		    (sync->type == DRM_XE_SYNC_TYPE_TIMELINE_SYNCOBJ && !sync->timeline_value))
			return -EINVAL;
		syncobj = xe_table_get(&file->syncobjs, sync->handle);
		if (!syncobj)
			return -ENOENT;
		return signal || syncobj->point ? 0 : -EINVAL;
	case DRM_XE_SYNC_TYPE_USER_FENCE:
		if (!signal)
			return -EOPNOTSUPP;
		return sync->addr % 8 ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

static int read_syncs(struct xe_file *file, uint64_t from, uint32_t n, const struct xe_vm *vm,
		      struct drm_xe_sync *syncs)
{
	uint32_t fences = 0;

	if (!xe_user_read(syncs, from, n * sizeof(*syncs)))
		return -EFAULT;
	for (uint32_t i = 0; i < n; i++) {
		int status = check_sync(file, &syncs[i], vm);

		if (status != 0)
			return status;
		fences += syncs[i].type == DRM_XE_SYNC_TYPE_USER_FENCE;
	}
	return fences > 1 ? -EINVAL : 0;
}

static int check_bind(struct xe_file *file, const struct drm_xe_vm_bind_op *op)
{
	const uint32_t known = DRM_XE_VM_BIND_FLAG_READONLY | DRM_XE_VM_BIND_FLAG_IMMEDIATE |
			       DRM_XE_VM_BIND_FLAG_NULL | DRM_XE_VM_BIND_FLAG_DUMPABLE |
			       DRM_XE_VM_BIND_FLAG_CHECK_PXP | DRM_XE_VM_BIND_FLAG_DECOMPRESS;
	const bool null = op->flags & DRM_XE_VM_BIND_FLAG_NULL;
	const struct xe_bo *bo;

	if (op->op > DRM_XE_VM_BIND_OP_PREFETCH || op->flags & ~known || op->extensions ||
	    op->pad || op->pad2)
		return -EINVAL;
	if ((op->obj &&
	     (null || op->op == DRM_XE_VM_BIND_OP_UNMAP || op->op == DRM_XE_VM_BIND_OP_PREFETCH ||
	      op->op == DRM_XE_VM_BIND_OP_MAP_USERPTR)) ||
	    (!op->obj && op->op == DRM_XE_VM_BIND_OP_MAP && !null) || (op->obj_offset && null) ||
	    (op->op == DRM_XE_VM_BIND_OP_UNMAP_ALL && (!op->obj || op->addr || op->range)) ||
	    (null && op->op != DRM_XE_VM_BIND_OP_MAP))
		return -EINVAL;
	if (op->addr % PAGE || op->range % PAGE || op->obj_offset % PAGE ||
	    (!op->range && op->op != DRM_XE_VM_BIND_OP_UNMAP_ALL))
		return -EINVAL;
	if (op->range > VA_END || op->addr > VA_END - op->range)
		return -EINVAL;
	if (!op->obj)
		return 0;
	bo = xe_table_get(&file->bos, op->obj);
	if (!bo)
		return -ENOENT;
	return op->range > bo->size || op->obj_offset > bo->size - op->range ? -EINVAL : 0;
}

static int bind(struct xe_file *file, struct xe_vm *vm, const struct drm_xe_vm_bind_op *op)
{
	struct xe_mapping mapping = { .start = op->addr, .end = op->addr + op->range };

	switch (op->op) {
	case DRM_XE_VM_BIND_OP_MAP:
		mapping.bo = xe_table_get(&file->bos, op->obj);
		mapping.from = op->obj_offset;
		mapping.nothing = !mapping.bo;
		xe_kernel_bind(vm, op->addr, op->range, false);
		return xe_vm_map(vm, &mapping);
	case DRM_XE_VM_BIND_OP_MAP_USERPTR:
		mapping.from = op->userptr;
		xe_kernel_bind(vm, op->addr, op->range, false);
		return xe_vm_map(vm, &mapping);
	case DRM_XE_VM_BIND_OP_UNMAP:
		xe_kernel_bind(vm, op->addr, op->range, true);
		return xe_vm_unmap(vm, mapping.start, mapping.end);
	case DRM_XE_VM_BIND_OP_UNMAP_ALL:
		xe_vm_unmap_bo(vm, xe_table_get(&file->bos, op->obj));
		return 0;
	default: // prefetch
		return 0;
	}
}

// All is done at once: what the syncs wait for has been.
static int signal_syncs(struct xe_file *file, const struct drm_xe_sync *syncs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct xe_syncobj *syncobj = xe_table_get(&file->syncobjs, syncs[i].handle);

		if (!(syncs[i].flags & DRM_XE_SYNC_FLAG_SIGNAL))
			continue;
		if (syncs[i].type == DRM_XE_SYNC_TYPE_USER_FENCE)
			(void)xe_user_write(syncs[i].addr, &syncs[i].timeline_value, 8);
		else if (syncobj)
			syncobj->point = syncs[i].type == DRM_XE_SYNC_TYPE_SYNCOBJ
						 ? 1
						 : syncs[i].timeline_value;
	}
	return 0;
}

static int vm_bind(struct xe_file *file, struct drm_xe_vm_bind *args)
{
	struct xe_vm *vm = xe_table_get(&file->vms, args->vm_id);
	struct drm_xe_vm_bind_op one = args->bind, *ops = &one;
	struct drm_xe_sync *syncs = NULL;
	int status = 0;

	if (args->pad || args->pad2 || args->reserved[0] || args->reserved[1] || args->extensions ||
	    args->num_syncs > DRM_XE_MAX_SYNCS || args->num_binds > 1u << 20)
		return -EINVAL;
	if (!vm || (args->exec_queue_id && !xe_table_get(&file->queues, args->exec_queue_id)))
		return -ENOENT;
	if (args->num_binds > 1) {
		ops = malloc(args->num_binds * sizeof(*ops));
		if (!ops)
			return -ENOBUFS;
		if (!xe_user_read(ops, args->vector_of_binds, args->num_binds * sizeof(*ops)))
			status = -EFAULT;
	}
	for (uint32_t i = 0; status == 0 && i < args->num_binds; i++)
		status = check_bind(file, &ops[i]);
	if (status == 0 && args->num_syncs) {
		syncs = malloc(args->num_syncs * sizeof(*syncs));
		status =
			syncs ? read_syncs(file, args->syncs, args->num_syncs, vm, syncs) : -ENOMEM;
	}
	for (uint32_t i = 0; status == 0 && i < args->num_binds; i++)
		status = bind(file, vm, &ops[i]);
	if (status == 0)
		status = signal_syncs(file, syncs, args->num_syncs);
	free(syncs);
	if (ops != &one)
		free(ops);
	return status;
}

// --- queues

// A queue's properties: a chain of extensions, of which the kernel follows 16.
static int queue_properties(uint64_t at, uint32_t *priority)
{
	struct drm_xe_ext_set_property property;

	for (int i = 0; at; i++, at = property.base.next_extension) {
		if (i == 16)
			return -E2BIG;
		if (!xe_user_read(&property, at, sizeof(property)))
			return -EFAULT;
		if (property.base.name || property.base.pad || property.pad ||
		    property.property > DRM_XE_EXEC_QUEUE_SET_DISABLE_STATE_CACHE_PERF_FIX)
			return -EINVAL;
		if (property.property != DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY)
			continue;
		if (property.value > 2)
			return -EINVAL;
		*priority = (uint32_t)property.value;
	}
	return 0;
}

static int queue_create(struct xe_file *file, struct drm_xe_exec_queue_create *args)
{
	struct drm_xe_engine_class_instance of[9];
	uint32_t priority = 1, n = (uint32_t)args->width * args->num_placements;
	struct xe_queue *queue;
	struct xe_vm *vm;
	int status;

	if (args->flags & ~DRM_XE_EXEC_QUEUE_LOW_LATENCY_HINT || args->reserved[0] ||
	    args->reserved[1])
		return -EINVAL;
	if (n == 0 || n > sizeof(of) / sizeof(*of))
		return -EINVAL;
	if (!xe_user_read(of, args->instances, n * sizeof(*of)))
		return -EFAULT;
	status = queue_properties(args->extensions, &priority);
	if (status != 0)
		return status;
	if (of[0].engine_class != DRM_XE_ENGINE_CLASS_VM_BIND) {
		for (uint32_t i = 0; i < n; i++) {
			if (of[i].pad || of[i].gt_id || of[i].engine_instance ||
			    of[i].engine_class != of[0].engine_class ||
			    !xe_logical_mask(of[i].engine_class))
				return -EINVAL;
		}
	}
	if (args->width != 1) // there is one engine of each class
		return -EINVAL;
	vm = xe_table_get(&file->vms, args->vm_id);
	if (!vm)
		return -ENOENT;
	queue = xe_queue_create(file, vm, of[0].engine_class, priority);
	if (!queue)
		return -ENOMEM;
	args->exec_queue_id = queue->id = xe_table_add(&file->queues, queue);
	return 0;
}

static int queue_destroy(struct xe_file *file, struct drm_xe_exec_queue_destroy *args)
{
	struct xe_queue *queue;

	if (args->pad || args->reserved[0] || args->reserved[1])
		return -EINVAL;
	queue = xe_table_take(&file->queues, args->exec_queue_id);
	if (!queue)
		return -ENOENT;
	xe_queue_kill(queue);
	return 0;
}

static int queue_property(struct xe_file *file, struct drm_xe_exec_queue_get_property *args)
{
	const struct xe_queue *queue = xe_table_get(&file->queues, args->exec_queue_id);

	if (args->reserved[0] || args->reserved[1])
		return -EINVAL;
	if (!queue)
		return -ENOENT;
	if (args->property != DRM_XE_EXEC_QUEUE_GET_PROPERTY_BAN)
		return -EINVAL;
	args->value = queue->state == XE_BANNED;
	return 0;
}

static int exec(struct xe_file *file, struct drm_xe_exec *args)
{
	struct xe_queue *queue = xe_table_get(&file->queues, args->exec_queue_id);
	struct xe_job *job;
	int status;

	if (args->extensions || args->pad[0] || args->pad[1] || args->pad[2] || args->reserved[0] ||
	    args->reserved[1])
		return -EINVAL;
	if (!queue)
		return -ENOENT;
	if (queue->class == DRM_XE_ENGINE_CLASS_VM_BIND || args->num_batch_buffer > 1)
		return -EINVAL;
	if (queue->state == XE_BANNED)
		return -ECANCELED;
	if (args->num_syncs > DRM_XE_MAX_SYNCS)
		return -EINVAL;
	job = calloc(1, sizeof(*job) + args->num_syncs * sizeof(*job->syncs));
	if (!job)
		return -ENOMEM;
	status = read_syncs(file, args->syncs, args->num_syncs, queue->vm, job->syncs);
	if (status != 0 || !args->num_batch_buffer) {
		free(job);
		return status;
	}
	job->address = args->address;
	job->n_syncs = args->num_syncs;
	xe_queue_submit(queue, job);
	return 0;
}

// --- waiting, without the lock

static bool holds(const struct drm_xe_wait_user_fence *args, uint64_t now)
{
	const uint64_t is = now & args->mask, value = args->value & args->mask;

	switch (args->op) {
	case DRM_XE_UFENCE_WAIT_OP_EQ:
		return is == value;
	case DRM_XE_UFENCE_WAIT_OP_NEQ:
		return is != value;
	case DRM_XE_UFENCE_WAIT_OP_GT:
		return is > value;
	case DRM_XE_UFENCE_WAIT_OP_GTE:
		return is >= value;
	case DRM_XE_UFENCE_WAIT_OP_LT:
		return is < value;
	default:
		return is <= value;
	}
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

static int wait_fence(struct xe_file *file, struct drm_xe_wait_user_fence *args)
{
	const uint64_t begin = xe_now();
	const bool absolute = args->flags & DRM_XE_UFENCE_WAIT_FLAG_ABSTIME;
	uint64_t until = XE_NEVER, value;
	const struct xe_queue *queue;
	int status = 1;

	if (args->extensions || args->pad || args->pad2 || args->reserved[0] || args->reserved[1] ||
	    args->flags & ~DRM_XE_UFENCE_WAIT_FLAG_ABSTIME ||
	    args->op > DRM_XE_UFENCE_WAIT_OP_LTE || args->addr % 8)
		return -EINVAL;
	if (args->timeout >= 0)
		until = (absolute ? 0 : begin) + (uint64_t)args->timeout;
	while (status > 0) {
		bool banned;

		if (!xe_user_read(&value, args->addr, 8))
			return -EFAULT;
		if (holds(args, value)) {
			status = 0;
			break;
		}
		xe_lock();
		queue = xe_table_get(&file->queues, args->exec_queue_id);
		banned = queue && queue->state == XE_BANNED;
		xe_unlock();
		if (args->exec_queue_id && !queue)
			return -ENOENT;
		if (banned)
			status = -EIO;
		else if (xe_now() >= until)
			status = -ETIME;
		else if (args->op != DRM_XE_UFENCE_WAIT_OP_EQ ||
			 !xe_kernel_wait(args->addr, args->value, args->mask, 100000000))
			nap();
	}
	if (!absolute && args->timeout >= 0)
		args->timeout = xe_now() >= until ? 0 : (int64_t)(until - xe_now());
	return status;
}

static bool has_signalled(struct xe_file *file, const uint32_t *handles, const uint64_t *points,
			  uint32_t n, bool all, uint32_t *first, int *status)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct xe_syncobj *syncobj = xe_table_get(&file->syncobjs, handles[i]);

		if (!syncobj) {
			*status = -ENOENT;
			return true;
		}
		if (syncobj->point >= (points ? points[i] : 1) && done++ == 0)
			*first = i;
	}
	return all ? done == n : done > 0;
}

static int syncobj_wait(struct xe_file *file, uint64_t handles_at, uint64_t points_at, uint32_t n,
			int64_t until, uint32_t flags, uint32_t *first)
{
	uint32_t *handles = calloc(n ? n : 1, sizeof(*handles));
	uint64_t *points = points_at ? calloc(n ? n : 1, sizeof(*points)) : NULL;
	int status = 0;
	bool done = false;

	if (n == 0)
		status = -EINVAL;
	else if (!handles || (points_at && !points))
		status = -ENOMEM;
	else if (!xe_user_read(handles, handles_at, n * sizeof(*handles)) ||
		 (points && !xe_user_read(points, points_at, n * sizeof(*points))))
		status = -EFAULT;
	while (status == 0 && !done) {
		xe_lock();
		done = has_signalled(file, handles, points, n,
				     flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, first, &status);
		xe_unlock();
		if (!done && until <= (int64_t)xe_now())
			status = -ETIME;
		else if (!done)
			nap();
	}
	free(handles);
	free(points);
	return status;
}

// --- all of them

// With the lock; 1: none of these.
static int answered(struct xe_file *file, unsigned int number, void *args)
{
	switch (number) {
	case _IOC_NR(DRM_IOCTL_VERSION):
		return drm_version(args);
	case _IOC_NR(DRM_IOCTL_GET_CAP):
		return drm_cap(args);
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
		return gem_close(file, args);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
		return syncobj_create(file, args);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
		return syncobj_destroy(file, args);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
		return syncobj_set(file, args, 0);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
		return syncobj_set(file, args, 1);
	case DRM_COMMAND_BASE + DRM_XE_DEVICE_QUERY:
		return xe_query(args);
	case DRM_COMMAND_BASE + DRM_XE_GEM_CREATE:
		return gem_create(file, args);
	case DRM_COMMAND_BASE + DRM_XE_GEM_MMAP_OFFSET:
		return gem_mmap_offset(file, args);
	case DRM_COMMAND_BASE + DRM_XE_VM_CREATE:
		return vm_create(file, args);
	case DRM_COMMAND_BASE + DRM_XE_VM_DESTROY:
		return vm_destroy(file, args);
	case DRM_COMMAND_BASE + DRM_XE_VM_BIND:
		return vm_bind(file, args);
	case DRM_COMMAND_BASE + DRM_XE_EXEC_QUEUE_CREATE:
		return queue_create(file, args);
	case DRM_COMMAND_BASE + DRM_XE_EXEC_QUEUE_DESTROY:
		return queue_destroy(file, args);
	case DRM_COMMAND_BASE + DRM_XE_EXEC_QUEUE_GET_PROPERTY:
		return queue_property(file, args);
	case DRM_COMMAND_BASE + DRM_XE_EXEC:
		return exec(file, args);
	case DRM_COMMAND_BASE + DRM_XE_OBSERVATION:
		return -EACCES;
	default:
		return 1;
	}
}

static int waited(struct xe_file *file, unsigned int number, void *args)
{
	struct drm_syncobj_timeline_wait *timeline = args;
	struct drm_syncobj_wait *binary = args;

	switch (number) {
	case DRM_COMMAND_BASE + DRM_XE_WAIT_USER_FENCE:
		return wait_fence(file, args);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
		return syncobj_wait(file, binary->handles, 0, binary->count_handles,
				    binary->timeout_nsec, binary->flags, &binary->first_signaled);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
		return syncobj_wait(file, timeline->handles, timeline->points,
				    timeline->count_handles, timeline->timeout_nsec,
				    timeline->flags, &timeline->first_signaled);
	default:
		return -EINVAL;
	}
}

// A structure that is shorter than the kernel's is as if it went on with zeros, of a longer one the
// end is not looked at.
int xe_ioctl(struct xe_file *file, unsigned long request, void *arg)
{
	_Alignas(8) uint8_t args[1 << _IOC_SIZEBITS];
	const size_t size = _IOC_SIZE(request);
	int status;

	if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
		return -ENOTTY;
	memset(args, 0, 512);
	if (!xe_user_read(args, (uintptr_t)arg, size))
		return -EFAULT;
	xe_lock();
	status = answered(file, _IOC_NR(request), args);
	xe_unlock();
	if (status > 0)
		status = waited(file, _IOC_NR(request), args);
	if (_IOC_DIR(request) & _IOC_READ && !xe_user_write((uintptr_t)arg, args, size))
		return -EFAULT;
	return status;
}

void xe_close(struct xe_file *file)
{
	for (uint32_t i = 1; i <= file->queues.n; i++) {
		if (xe_table_get(&file->queues, i))
			xe_queue_kill(xe_table_take(&file->queues, i));
	}
	for (uint32_t i = 1; i <= file->vms.n; i++) {
		if (xe_table_get(&file->vms, i))
			xe_vm_put(xe_table_take(&file->vms, i));
	}
	for (uint32_t i = 1; i <= file->bos.n; i++)
		xe_bo_put(xe_table_get(&file->bos, i));
	for (uint32_t i = 1; i <= file->syncobjs.n; i++)
		free(xe_table_get(&file->syncobjs, i));
	free(file->queues.of);
	free(file->vms.of);
	free(file->bos.of);
	free(file->syncobjs.of);
	free(file);
}

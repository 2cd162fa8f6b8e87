// SPDX-License-Identifier: MIT
// A day's worth of mistakes on the emulated xe node, below any runtime: each call ends with the
// kernel's error, queues that cause faults are banned and no others, and what is legal goes on.
// Prints how many were as they must be.
#include <drm/xe_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BO_BYTES 65536u
#define GPU_VA	 0x100000ull
#define FENCE_VA 0x900000ull

static int fd;
static unsigned int good, bad;

static void is(const char *what, long expected, long got)
{
	if (expected == got) {
		good++;
		return;
	}
	bad++;
	printf("%s: expected %ld, got %ld\n", what, expected, got);
}

// 0, or the error
static int call(unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) == 0 ? 0 : errno;
}

// --- what is legal

static uint32_t create_bo(void)
{
	struct drm_xe_gem_create bo = { .size = BO_BYTES,
					.placement = 1,
					.cpu_caching = DRM_XE_GEM_CPU_CACHING_WB };

	is("gem_create", 0, call(DRM_IOCTL_XE_GEM_CREATE, &bo));
	return bo.handle;
}

static uint32_t *map_bo(uint32_t handle)
{
	struct drm_xe_gem_mmap_offset offset = { .handle = handle };

	is("gem_mmap_offset", 0, call(DRM_IOCTL_XE_GEM_MMAP_OFFSET, &offset));
	return mmap(NULL, BO_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset.offset);
}

static uint32_t create_vm(void)
{
	struct drm_xe_vm_create vm = { .flags = DRM_XE_VM_CREATE_FLAG_LR_MODE };

	is("vm_create", 0, call(DRM_IOCTL_XE_VM_CREATE, &vm));
	return vm.vm_id;
}

static int bind_at(uint32_t vm, uint32_t obj, uint64_t offset, uint64_t addr, uint64_t range,
		   uint32_t op, uint64_t *fence)
{
	struct drm_xe_sync sync = { .type = DRM_XE_SYNC_TYPE_USER_FENCE,
				    .flags = DRM_XE_SYNC_FLAG_SIGNAL,
				    .addr = (uintptr_t)fence,
				    .timeline_value = 7 };
	struct drm_xe_vm_bind bind = {
		.vm_id = vm, .num_binds = 1, .num_syncs = fence ? 1 : 0, .syncs = (uintptr_t)&sync
	};

	bind.bind.obj = obj;
	bind.bind.obj_offset = offset;
	bind.bind.addr = addr;
	bind.bind.range = range;
	bind.bind.op = op;
	return call(DRM_IOCTL_XE_VM_BIND, &bind);
}

static int create_queue(uint32_t vm, uint16_t class, uint32_t *queue)
{
	struct drm_xe_engine_class_instance on = { .engine_class = class };
	struct drm_xe_exec_queue_create create = {
		.width = 1, .num_placements = 1, .vm_id = vm, .instances = (uintptr_t)&on
	};
	int status = call(DRM_IOCTL_XE_EXEC_QUEUE_CREATE, &create);

	*queue = create.exec_queue_id;
	return status;
}

static int submit(uint32_t queue, uint64_t address, uint64_t fence, uint64_t value)
{
	struct drm_xe_sync sync = { .type = DRM_XE_SYNC_TYPE_USER_FENCE,
				    .flags = DRM_XE_SYNC_FLAG_SIGNAL,
				    .addr = fence,
				    .timeline_value = value };
	struct drm_xe_exec exec = { .exec_queue_id = queue,
				    .num_batch_buffer = 1,
				    .address = address,
				    .num_syncs = 1,
				    .syncs = (uintptr_t)&sync };

	return call(DRM_IOCTL_XE_EXEC, &exec);
}

static int wait_for(const uint64_t *at, uint64_t value, uint32_t queue, int64_t ns)
{
	struct drm_xe_wait_user_fence wait = { .addr = (uintptr_t)at,
					       .op = DRM_XE_UFENCE_WAIT_OP_GTE,
					       .value = value,
					       .mask = ~0ull,
					       .timeout = ns,
					       .exec_queue_id = queue };

	return call(DRM_IOCTL_XE_WAIT_USER_FENCE, &wait);
}

static long banned(uint32_t queue)
{
	struct drm_xe_exec_queue_get_property property = { .exec_queue_id = queue };

	is("get_property", 0, call(DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, &property));
	return (long)property.value;
}

static void destroy_queue(uint32_t queue)
{
	struct drm_xe_exec_queue_destroy destroy = { .exec_queue_id = queue };

	is("exec_queue_destroy", 0, call(DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, &destroy));
}

// `*(uint32_t *) to = value`, and the end or none
static uint32_t *store(uint32_t *batch, uint64_t to, uint32_t value)
{
	*batch++ = 0x10000002;
	*batch++ = (uint32_t)to;
	*batch++ = (uint32_t)(to >> 32);
	*batch++ = value;
	return batch;
}

#define BATCH_END 0x05000000

// A virtual memory with a buffer for batches and one for what they write.
struct gpu {
	uint32_t vm, code_bo, data_bo;
	uint32_t *code;
	uint64_t *data;
};

static struct gpu begin(void)
{
	struct gpu gpu = { .vm = create_vm(), .code_bo = create_bo(), .data_bo = create_bo() };
	uint64_t bound = 0;

	gpu.code = map_bo(gpu.code_bo);
	gpu.data = (uint64_t *)map_bo(gpu.data_bo);
	is("bind", 0,
	   bind_at(gpu.vm, gpu.code_bo, 0, GPU_VA, BO_BYTES, DRM_XE_VM_BIND_OP_MAP, &bound));
	is("bind's fence", 7, (long)bound);
	is("bind", 0,
	   bind_at(gpu.vm, gpu.data_bo, 0, FENCE_VA, BO_BYTES, DRM_XE_VM_BIND_OP_MAP, NULL));
	return gpu;
}

static void end(struct gpu *gpu)
{
	struct drm_xe_vm_destroy vm = { .vm_id = gpu->vm };
	struct drm_gem_close code = { .handle = gpu->code_bo }, data = { .handle = gpu->data_bo };

	is("vm_destroy", 0, call(DRM_IOCTL_XE_VM_DESTROY, &vm));
	is("gem_close", 0, call(DRM_IOCTL_GEM_CLOSE, &code));
	is("gem_close", 0, call(DRM_IOCTL_GEM_CLOSE, &data));
	is("gem_close again", EINVAL, call(DRM_IOCTL_GEM_CLOSE, &data));
	// the memory stays as long as it is mapped
	gpu->data[1] = 5;
	munmap(gpu->code, BO_BYTES);
	munmap(gpu->data, BO_BYTES);
}

// --- mistakes

static void sizes(void)
{
	struct drm_xe_device_query query = { .query = DRM_XE_DEVICE_QUERY_ENGINES };
	struct drm_xe_gem_create bo = { 0 };
	uint8_t small[4] = { 0 }, room[4096];

	is("no such call", EINVAL, call(DRM_IOWR(DRM_COMMAND_BASE + 0x50, uint64_t), small));
	is("another's call", ENOTTY, call(_IOWR('i', 1, uint32_t), small));
	is("too short: zeros", EINVAL,
	   call(DRM_IOWR(DRM_COMMAND_BASE + DRM_XE_GEM_CREATE, uint32_t), small));
	is("not there", EFAULT, call(DRM_IOCTL_XE_GEM_CREATE, (void *)16));
	is("nothing asked", EINVAL, call(DRM_IOCTL_XE_GEM_CREATE, &bo));
	is("size", 0, call(DRM_IOCTL_XE_DEVICE_QUERY, &query));
	query.data = (uintptr_t)room;
	is("engines", 0, call(DRM_IOCTL_XE_DEVICE_QUERY, &query));
	query.size--;
	is("another size", EINVAL, call(DRM_IOCTL_XE_DEVICE_QUERY, &query));
	query.size++;
	query.data = 8;
	is("nowhere", EFAULT, call(DRM_IOCTL_XE_DEVICE_QUERY, &query));
	query.query = 99;
	is("no such query", EINVAL, call(DRM_IOCTL_XE_DEVICE_QUERY, &query));
	query.query = 0;
	query.reserved[1] = 1;
	is("reserved", EINVAL, call(DRM_IOCTL_XE_DEVICE_QUERY, &query));
}

static void buffers(void)
{
	struct drm_xe_gem_create bo = { .size = 4096,
					.placement = 1,
					.cpu_caching = DRM_XE_GEM_CPU_CACHING_WB };
	struct drm_xe_gem_mmap_offset offset = { .handle = 12345 };
	struct drm_xe_gem_create wrong;
	uint32_t handle;

	wrong = bo, wrong.size = 4097;
	is("part of a page", EINVAL, call(DRM_IOCTL_XE_GEM_CREATE, &wrong));
	wrong = bo, wrong.placement = 8;
	is("no such memory", EINVAL, call(DRM_IOCTL_XE_GEM_CREATE, &wrong));
	wrong = bo, wrong.cpu_caching = 9;
	is("no such caching", EINVAL, call(DRM_IOCTL_XE_GEM_CREATE, &wrong));
	wrong = bo, wrong.flags = 1u << 30;
	is("no such flag", EINVAL, call(DRM_IOCTL_XE_GEM_CREATE, &wrong));
	wrong = bo, wrong.vm_id = 4711;
	is("no such vm", ENOENT, call(DRM_IOCTL_XE_GEM_CREATE, &wrong));
	is("no such buffer", ENOENT, call(DRM_IOCTL_XE_GEM_MMAP_OFFSET, &offset));
	handle = create_bo();
	offset.handle = handle;
	is("gem_mmap_offset", 0, call(DRM_IOCTL_XE_GEM_MMAP_OFFSET, &offset));
	is("behind its end", 1,
	   mmap(NULL, BO_BYTES * 2, PROT_READ, MAP_SHARED, fd, (off_t)offset.offset) == MAP_FAILED);
	is("nobody's offset", 1,
	   mmap(NULL, BO_BYTES, PROT_READ, MAP_SHARED, fd, 1ll << 50) == MAP_FAILED);
	is("gem_close", 0, call(DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){ .handle = handle }));
}

static void binds(struct gpu *gpu)
{
	is("no such vm", ENOENT,
	   bind_at(99, gpu->code_bo, 0, GPU_VA, 4096, DRM_XE_VM_BIND_OP_MAP, NULL));
	is("no such buffer", ENOENT,
	   bind_at(gpu->vm, 99, 0, GPU_VA, 4096, DRM_XE_VM_BIND_OP_MAP, NULL));
	is("part of a page", EINVAL,
	   bind_at(gpu->vm, gpu->code_bo, 0, GPU_VA + 8, 4096, DRM_XE_VM_BIND_OP_MAP, NULL));
	is("behind its end", EINVAL,
	   bind_at(gpu->vm, gpu->code_bo, 4096, GPU_VA, BO_BYTES, DRM_XE_VM_BIND_OP_MAP, NULL));
	is("around the end", EINVAL,
	   bind_at(gpu->vm, gpu->code_bo, 0, ~0ull & ~4095ull, 8192, DRM_XE_VM_BIND_OP_MAP, NULL));
	is("above the end", EINVAL,
	   bind_at(gpu->vm, gpu->code_bo, 0, 1ull << 48, 4096, DRM_XE_VM_BIND_OP_MAP, NULL));
	is("no such operation", EINVAL, bind_at(gpu->vm, gpu->code_bo, 0, GPU_VA, 4096, 77, NULL));
	is("fence not aligned", EINVAL,
	   bind_at(gpu->vm, gpu->code_bo, 0, GPU_VA, 4096, DRM_XE_VM_BIND_OP_MAP,
		   (uint64_t *)((char *)gpu->data + 3)));
	// a hole in the middle, and whole again
	is("unmap", 0, bind_at(gpu->vm, 0, 0, GPU_VA + 8192, 4096, DRM_XE_VM_BIND_OP_UNMAP, NULL));
	is("map again", 0,
	   bind_at(gpu->vm, gpu->code_bo, 8192, GPU_VA + 8192, 4096, DRM_XE_VM_BIND_OP_MAP, NULL));
}

static void queues(struct gpu *gpu)
{
	uint32_t queue, other;

	is("no such vm", ENOENT, create_queue(99, DRM_XE_ENGINE_CLASS_COMPUTE, &queue));
	is("no such engine", EINVAL,
	   create_queue(gpu->vm, DRM_XE_ENGINE_CLASS_VIDEO_DECODE, &queue));
	is("no such queue", ENOENT, submit(99, GPU_VA, FENCE_VA, 1));
	is("create", 0, create_queue(gpu->vm, DRM_XE_ENGINE_CLASS_COMPUTE, &queue));
	is("fence not aligned", EINVAL, submit(queue, GPU_VA, FENCE_VA + 4, 1));
	is("vm in use", EBUSY,
	   call(DRM_IOCTL_XE_VM_DESTROY, &(struct drm_xe_vm_destroy){ .vm_id = gpu->vm }));
	gpu->data[0] = 0;
	is("in vain", ETIME, wait_for(gpu->data, 1, 0, 1000000));
	is("nowhere", EFAULT, wait_for((uint64_t *)8, 1, 0, 1000000));
	*store(gpu->code, FENCE_VA + 64, 42) = BATCH_END;
	is("submit", 0, submit(queue, GPU_VA, FENCE_VA, 1));
	is("its end", 0, wait_for(gpu->data, 1, queue, 5000000000));
	is("its store", 42, (long)gpu->data[8]);
	// a batch without an end runs off its buffer
	memset(gpu->code, 0, BO_BYTES);
	is("submit", 0, submit(queue, GPU_VA, FENCE_VA, 2));
	is("its end", 0, wait_for(gpu->data, 2, 0, 5000000000));
	is("no end: banned", 1, banned(queue));
	is("submit to a banned queue", ECANCELED, submit(queue, GPU_VA, FENCE_VA, 3));
	is("wait on a banned queue", EIO, wait_for(gpu->data, 3, queue, 1000000));
	destroy_queue(queue);
	// a batch that is nowhere, and one that writes to nowhere
	for (int i = 0; i < 2; i++) {
		is("create", 0, create_queue(gpu->vm, DRM_XE_ENGINE_CLASS_COPY, &queue));
		*store(gpu->code, 0xdead0000, 1) = BATCH_END;
		is("submit", 0, submit(queue, i ? GPU_VA : 0xdead0000, FENCE_VA, 4 + (uint64_t)i));
		is("its end", 0, wait_for(gpu->data, 4 + (uint64_t)i, 0, 5000000000));
		is("fault: banned", 1, banned(queue));
		destroy_queue(queue);
	}
	// one that jumps to itself keeps no other from the engine
	is("create", 0, create_queue(gpu->vm, DRM_XE_ENGINE_CLASS_COMPUTE, &queue));
	is("create", 0, create_queue(gpu->vm, DRM_XE_ENGINE_CLASS_COMPUTE, &other));
	gpu->code[0] = 0x18800001;
	gpu->code[1] = (uint32_t)GPU_VA;
	gpu->code[2] = 0;
	*store(gpu->code + 16, FENCE_VA + 64, 43) = BATCH_END;
	is("submit", 0, submit(queue, GPU_VA, FENCE_VA + 8, 1));
	is("submit", 0, submit(other, GPU_VA + 64, FENCE_VA, 6));
	is("the other's end", 0, wait_for(gpu->data, 6, 0, 20000000000));
	is("it still runs", 0, banned(queue));
	destroy_queue(queue);
	destroy_queue(other);
}

// Whatever the words are, the queue ends, or is banned, or goes on until it is destroyed.
static void drawn(struct gpu *gpu, unsigned int n)
{
	static const uint32_t heads[] = { 0x18800001, 0x0e00c003, 0x10000002, 0x12000002,
					  0x0d000003, 0x72080026, 0x56820008, 0x56c00005,
					  0x7a000004, 0x61010014, 0x50400010, 0x51000010,
					  0x17842101, 0x11000001 };
	uint64_t state = 88172645463325252ull;
	uint32_t queue;

	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int j = 0; j < BO_BYTES / 4; j++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			gpu->code[j] =
				state % 5 ? (uint32_t)(state >> 32)
					  : heads[(state >> 8) % (sizeof(heads) / sizeof(*heads))];
			if (state % 7 == 0)
				gpu->code[j] = (uint32_t)(GPU_VA + (state >> 20) % BO_BYTES);
		}
		is("create", 0,
		   create_queue(gpu->vm,
				i % 2 ? DRM_XE_ENGINE_CLASS_COPY : DRM_XE_ENGINE_CLASS_COMPUTE,
				&queue));
		is("submit", 0, submit(queue, GPU_VA + 4 * (i % 64), FENCE_VA + 16, i + 1));
		(void)wait_for(gpu->data + 2, i + 1, queue, 2000000);
		destroy_queue(queue);
	}
}

static void thousand(struct gpu *gpu)
{
	static uint32_t queue[1000];

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t *batch = gpu->code + 8 * i;

		*store(batch, FENCE_VA + 16384 + 8 * i, i + 1) = BATCH_END;
		is("create", 0, create_queue(gpu->vm, DRM_XE_ENGINE_CLASS_COMPUTE, &queue[i]));
	}
	for (uint32_t i = 0; i < 1000; i++)
		is("submit", 0, submit(queue[i], GPU_VA + 32 * i, FENCE_VA + 24576 + 8 * i, 1));
	for (uint32_t i = 0; i < 1000; i++) {
		is("its end", 0, wait_for(gpu->data + 3072 + i, 1, queue[i], 20000000000));
		is("its store", i + 1, (long)gpu->data[2048 + i]);
	}
	for (uint32_t i = 0; i < 1000; i++)
		destroy_queue(queue[i]);
}

static void syncobjs(void)
{
	struct drm_syncobj_create create = { 0 };
	uint32_t handle;
	struct drm_syncobj_array array = { .handles = (uintptr_t)&handle, .count_handles = 1 };
	struct drm_syncobj_wait wait = { .handles = (uintptr_t)&handle, .count_handles = 1 };

	is("create", 0, call(DRM_IOCTL_SYNCOBJ_CREATE, &create));
	handle = create.handle;
	is("not signalled", ETIME, call(DRM_IOCTL_SYNCOBJ_WAIT, &wait));
	is("signal", 0, call(DRM_IOCTL_SYNCOBJ_SIGNAL, &array));
	is("signalled", 0, call(DRM_IOCTL_SYNCOBJ_WAIT, &wait));
	is("destroy", 0,
	   call(DRM_IOCTL_SYNCOBJ_DESTROY, &(struct drm_syncobj_destroy){ .handle = handle }));
	is("gone", ENOENT, call(DRM_IOCTL_SYNCOBJ_WAIT, &wait));
}

// A child's node is none: nothing of it runs there, and the parent's goes on.
static void forked(void)
{
	struct drm_version version = { 0 };
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(call(DRM_IOCTL_VERSION, &version) == ENOTTY ? 0 : 1);
	waitpid(child, &status, 0);
	is("in a child", 0, status);
	is("in its parent", 0, call(DRM_IOCTL_VERSION, &version));
	is("the name's length", 2, (long)version.name_len);
}

int main(void)
{
	struct gpu gpu;
	int copy;

	fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	is("open", 1, fd >= 0);
	sizes();
	buffers();
	syncobjs();
	gpu = begin();
	binds(&gpu);
	queues(&gpu);
	drawn(&gpu, 200);
	thousand(&gpu);
	forked();
	copy = dup(fd);
	close(fd);
	fd = copy;
	end(&gpu);
	// what is open and running is closed with the node
	gpu = begin();
	munmap(gpu.code, BO_BYTES);
	munmap(gpu.data, BO_BYTES);
	is("create", 0, create_queue(gpu.vm, DRM_XE_ENGINE_CLASS_COMPUTE, &gpu.vm));
	close(fd);
	printf("misuse: %u as they must be, %u not\n", good, bad);
	return bad > 0;
}

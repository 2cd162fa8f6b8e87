// SPDX-License-Identifier: GPL-2.0 OR MIT
// OpenCL's calls, of every process that calls the loader's exported functions: one program at their
// entries, one at their returns; the attachment's cookie is the function's number in
// base/opencl.def. amd64 only.
//
// What an entry has to keep for the return lies in a short stack for each thread, since call-backs
// call OpenCL inside of calls. A return without an entry (recording began in between) is not
// recorded.
#include <asm/ptrace.h>

#include "base/opencl.h"
#include "common.bpf.h"

RECORD(opencl_call_entry);
RECORD(opencl_call_exit);
RECORD(opencl_kernel);
RECORD(opencl_queue);
RECORD(opencl_profiling);

/* CL/cl.h */
#define CL_DEVICE_NAME		0x102B
#define CL_QUEUE_PROPERTIES	0x1093
#define CL_KERNEL_FUNCTION_NAME 0x1190
#define MAX_PROPERTIES		8
/* A failure whose reason went nowhere. */
#define STATUS_NOT_TOLD -9999

#define MAX_DEPTH 4
#define WAITS_MAX ((1 << 24) - 1)

/* Where in its arguments a function has what, and what it returns. */
const volatile struct lane_bpf_call cl_calls[LANE_CLF_COUNT] = {};

struct cl_frame {
	__u64 args[4]; /* the first ones as they are */
	__u64 queue;
	__u64 event; /* where the command's event goes */
	__u64 error; /* where the status goes */
	__u32 function;
	__u32 command; /* it enqueues one */
};

struct cl_thread {
	__u32 depth;
	__u32 pad;
	struct cl_frame frames[MAX_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u32);
	__type(value, struct cl_thread);
} cl_threads SEC(".maps");

/* Commands enqueued, by process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u32);
	__type(value, __u64);
} cl_commands SEC(".maps");

struct cl_device {
	__u64 device;
	__u32 process;
	__u32 pad;
};

struct cl_name {
	char text[128];
};

/* The devices' names, as far as programs have asked for them. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 256);
	__type(key, struct cl_device);
	__type(value, struct cl_name);
} cl_names SEC(".maps");

static __always_inline __u64 user_word(__u64 at)
{
	__u64 word = 0;

	if (at)
		bpf_probe_read_user(&word, sizeof(word), (void *)at);
	return word;
}

/* An argument by its position; LANE_BPF_NO_ARG gives 0. */
static __always_inline __u64 cl_arg(struct pt_regs *ctx, __u32 position)
{
	switch (position) {
	case 0:
		return ctx->rdi;
	case 1:
		return ctx->rsi;
	case 2:
		return ctx->rdx;
	case 3:
		return ctx->rcx;
	case 4:
		return ctx->r8;
	case 5:
		return ctx->r9;
	case LANE_BPF_NO_ARG:
		return 0;
	default:
		return user_word(ctx->rsp + 8 * (position - 5));
	}
}

/* The product of n sizes, 0 when there are none or too many. */
static __always_inline __u64 cl_product(__u64 at, __u32 n)
{
	__u64 product = 1;

	if (!at || !n || n > 3)
		return 0;
	for (__u32 i = 0; i < 3; i++)
		if (i < n)
			product *= user_word(at + 8 * i);
	return product;
}

static __always_inline void cl_push(struct pt_regs *ctx, __u32 function, __u64 queue)
{
	const volatile struct lane_bpf_call *call = &cl_calls[function];
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct cl_thread *thread = bpf_map_lookup_elem(&cl_threads, &tid);
	struct cl_frame *frame;

	if (!thread) {
		struct cl_thread fresh = {};

		bpf_map_update_elem(&cl_threads, &tid, &fresh, BPF_ANY);
		thread = bpf_map_lookup_elem(&cl_threads, &tid);
		if (!thread)
			return;
	}
	/* Frames that nobody came back to (a jump out of a call-back) make room. */
	if (thread->depth >= MAX_DEPTH)
		thread->depth = 0;
	frame = &thread->frames[thread->depth & (MAX_DEPTH - 1)];
	thread->depth++;
	frame->args[0] = ctx->rdi;
	frame->args[1] = ctx->rsi;
	frame->args[2] = ctx->rdx;
	frame->args[3] = ctx->rcx;
	frame->queue = queue;
	frame->event = cl_arg(ctx, call->event);
	frame->error = cl_arg(ctx, call->error);
	frame->function = function;
	frame->command = call->command;
}

/* The frame of the call that returns, taken off with those above it. False: there is none. */
static __always_inline bool cl_pop(__u32 function, struct cl_frame *frame)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct cl_thread *thread = bpf_map_lookup_elem(&cl_threads, &tid);

	if (!thread)
		return false;
#pragma unroll
	for (int i = MAX_DEPTH - 1; i >= 0; i--) {
		if (i >= (int)thread->depth || thread->frames[i].function != function)
			continue;
		thread->depth = i;
		*frame = thread->frames[i];
		return true;
	}
	return false;
}

SEC("uprobe")
int cl_entry(struct pt_regs *ctx)
{
	__u64 function = bpf_get_attach_cookie(ctx);
	const volatile struct lane_bpf_call *call;
	struct record_opencl_call_entry *r;
	bool wakes;
	__u64 queue, size, group;
	__u32 dimensions, waits;

	if (!enabled || function >= LANE_CLF_COUNT || !current_followed())
		return 0;
	call = &cl_calls[function];
	queue = cl_arg(ctx, call->queue);
	cl_push(ctx, function, queue);
	dimensions = (__u32)cl_arg(ctx, call->dimensions);
	size = cl_arg(ctx, call->size);
	group = cl_product(cl_arg(ctx, call->local), dimensions);
	if (call->region != LANE_BPF_NO_ARG)
		size = cl_product(cl_arg(ctx, call->region), 3);
	if (call->global != LANE_BPF_NO_ARG)
		size = cl_product(cl_arg(ctx, call->global), dimensions);
	if (call->one)
		size = group = 1;
	waits = (__u32)cl_arg(ctx, call->waits);
	r = record_begin(LANE_CL_ENTRY, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.queue = queue;
	r->p.object = cl_arg(ctx, call->object);
	r->p.size = size;
	r->p.group = group;
	r->p.function = function;
	r->p.flags = ((__u32)cl_arg(ctx, call->blocking) ? 1 : 0) |
		     (waits > WAITS_MAX ? WAITS_MAX : waits) << 8;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/* The number of the command that was just enqueued. */
static __always_inline __u64 cl_number(void)
{
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	__u64 *count = bpf_map_lookup_elem(&cl_commands, &process);

	if (!count) {
		__u64 none = 0;

		bpf_map_update_elem(&cl_commands, &process, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&cl_commands, &process);
	}
	return count ? __sync_fetch_and_add(count, 1) + 1 : 0;
}

static __always_inline __s32 cl_status(const struct cl_frame *frame,
				       const volatile struct lane_bpf_call *call, __u64 result)
{
	__s32 status = 0;

	if (call->returns == LANE_BPF_RETURNS_STATUS)
		return (__s32)result;
	if (frame->error)
		bpf_probe_read_user(&status, sizeof(status), (void *)frame->error);
	else if (!result && call->error != LANE_BPF_NO_ARG)
		status = STATUS_NOT_TOLD;
	return status;
}

static __always_inline void cl_tell_kernel(__u64 kernel, __u64 name)
{
	struct record_opencl_kernel *r;
	bool wakes;

	r = record_begin(LANE_CL_KERNEL, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.kernel = kernel;
	__builtin_memset(r->p.name, 0, sizeof(r->p.name));
	bpf_probe_read_user_str(r->p.name, sizeof(r->p.name), (void *)name);
	record_end(r, sizeof(*r), wakes);
}

/* CL_QUEUE_PROPERTIES of an array of names and values that ends with 0. */
static __always_inline __u64 cl_properties(__u64 at)
{
	for (int i = 0; i < MAX_PROPERTIES; i++, at += 16) {
		__u64 name = user_word(at);

		if (!name)
			return 0;
		if (name == CL_QUEUE_PROPERTIES)
			return user_word(at + 8);
	}
	return 0;
}

/* The name of the process: of its first thread, which may not be the one that calls. */
static __always_inline void cl_process_name(char (*comm)[16])
{
	struct task_struct *task = (void *)bpf_get_current_task();

	__builtin_memset(comm, 0, sizeof(*comm));
	BPF_CORE_READ_STR_INTO(comm, task, group_leader, comm);
}

static __always_inline void cl_tell_queue(__u64 queue, __u64 device, __u64 properties)
{
	struct cl_device key = { .device = device, .process = bpf_get_current_pid_tgid() >> 32 };
	struct cl_name *name = bpf_map_lookup_elem(&cl_names, &key);
	struct record_opencl_queue *r;
	bool wakes;

	r = record_begin(LANE_CL_QUEUE, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.queue = queue;
	r->p.device = device;
	r->p.properties = properties;
	r->p.known = 0;
	__builtin_memset(r->p.name, 0, sizeof(r->p.name));
	cl_process_name(&r->p.comm);
	if (name)
		__builtin_memcpy(r->p.name, name->text, sizeof(name->text));
	record_end(r, sizeof(*r), wakes);
}

static __always_inline void cl_learn_name(__u64 device, __u64 at)
{
	struct cl_device key = { .device = device, .process = bpf_get_current_pid_tgid() >> 32 };
	struct cl_name name = {};

	bpf_probe_read_user_str(name.text, sizeof(name.text), (void *)at);
	bpf_map_update_elem(&cl_names, &key, &name, BPF_ANY);
}

static __always_inline void cl_tell_time(const struct cl_frame *frame, __s32 status)
{
	struct record_opencl_profiling *r;
	bool wakes;

	r = record_begin(LANE_CL_PROFILE, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.event = frame->args[0];
	r->p.value_ns = status ? 0 : user_word(frame->args[3]);
	r->p.param = (__u32)frame->args[1];
	r->p.status = status;
	record_end(r, sizeof(*r), wakes);
}

/* What some functions tell besides their call. */
static __always_inline void cl_tell_more(const struct cl_frame *frame, __u64 result, __s32 status)
{
	switch (frame->function) {
	case LANE_CLF_clCreateKernel:
		if (result)
			cl_tell_kernel(result, frame->args[1]);
		break;
	case LANE_CLF_clGetKernelInfo:
		if (!status && (__u32)frame->args[1] == CL_KERNEL_FUNCTION_NAME && frame->args[3])
			cl_tell_kernel(frame->args[0], frame->args[3]);
		break;
	case LANE_CLF_clGetDeviceInfo:
		if (!status && (__u32)frame->args[1] == CL_DEVICE_NAME && frame->args[3])
			cl_learn_name(frame->args[0], frame->args[3]);
		break;
	case LANE_CLF_clCreateCommandQueue:
		if (result)
			cl_tell_queue(result, frame->args[1], frame->args[2]);
		break;
	case LANE_CLF_clCreateCommandQueueWithProperties:
		if (result)
			cl_tell_queue(result, frame->args[1], cl_properties(frame->args[2]));
		break;
	case LANE_CLF_clGetEventProfilingInfo:
		if (frame->args[3])
			cl_tell_time(frame, status);
		break;
	}
}

SEC("uretprobe")
int cl_exit(struct pt_regs *ctx)
{
	__u64 function = bpf_get_attach_cookie(ctx), result = ctx->rax;
	struct record_opencl_call_exit *r;
	bool wakes;
	struct cl_frame frame;
	const volatile struct lane_bpf_call *call;
	__s32 status;

	if (!enabled || function >= LANE_CLF_COUNT || !current_followed())
		return 0;
	if (!cl_pop(function, &frame))
		return 0;
	call = &cl_calls[function];
	status = cl_status(&frame, call, result);
	r = record_begin(LANE_CL_EXIT, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (r) {
		r->p.queue = frame.queue;
		r->p.object = 0;
		if (frame.command && frame.event && !status)
			r->p.object = user_word(frame.event);
		else if (call->returns == LANE_BPF_RETURNS_HANDLE && !frame.command)
			r->p.object = result;
		r->p.command = frame.command && !status ? cl_number() : 0;
		r->p.status = status;
		r->p.function = function;
		record_end(r, sizeof(*r), wakes);
	}
	cl_tell_more(&frame, result, status);
	return 0;
}

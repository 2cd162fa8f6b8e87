// SPDX-License-Identifier: GPL-2.0 OR MIT
// What drivers tell by tracepoints of their own, and what the kernel does about memory. Those that
// come with each job are typed where BTF has them: programs of the other type drop what interrupts
// them. xe's then tell the job itself, where the record names it by its queue. All others are read
// by their formats.
#include "common.bpf.h"
#include "format.bpf.h"

/* A payload of any of these kinds; rings hold it padded to this. */
union driver_payload {
	struct lane_p_amdgpu_cs_ioctl job;
	struct lane_p_amdgpu_userq_emit_fence emit;
	char bytes[LANE_BPF_DRIVER_PAYLOAD];
};

struct record_driver {
	struct lane_wire wire;
	union driver_payload p;
};

/*
 * A cause is everybody's: who is followed may have suffered it. What names a job is recorded as its
 * job is.
 */
static __always_inline bool driver_wanted(__u32 kind, const union driver_payload *p)
{
	if (config.n_engines)
		return false;
	if (kind == LANE_AMD_SUBMIT || kind == LANE_LIMA_SUBMIT)
		return owner_followed(p->job.context);
	if (kind == LANE_AMD_USERQ_EMIT)
		return owner_followed(p->emit.fence_context);
	if (kind == LANE_AMD_RUN || kind == LANE_LIMA_RUN)
		return context_followed(p->job.context);
	if (kind == LANE_RECLAIM_BEGIN || kind == LANE_RECLAIM_END || kind == LANE_AMD_USERQ_WAIT)
		return current_followed(); /* it holds up its own thread alone, or its queue */
	return true;
}

static __always_inline void copy_cause_text(union driver_payload *p,
					    const volatile struct lane_bpf_copy *text, void *record)
{
	__u32 loc = 0, to = text->to;

	if (!text->from)
		return;
	bpf_probe_read_kernel(&loc, sizeof(loc), record + text->from);
	if (text->bytes == 16 && to <= sizeof(*p) - 16)
		bpf_probe_read_kernel_str(p->bytes + to, 16, record + (loc & 0xffff));
	else if (text->bytes == 32 && to <= sizeof(*p) - 32)
		bpf_probe_read_kernel_str(p->bytes + to, 32, record + (loc & 0xffff));
}

SEC("tp")
int driver_by_format(void *record)
{
	__u64 kind = attached_kind(record);
	union driver_payload p = {};
	const volatile struct lane_bpf_layout *layout;
	struct record_driver *r;
	bool wakes;

	if (!enabled || kind >= LANE_KIND_COUNT)
		return 0;
	__sync_fetch_and_add(&this_cpu()->seen, 1);
	layout = &layouts[kind];
	copy_fields_to(&p, layout, record, sizeof(p));
	if (!driver_wanted(kind, &p))
		return 0;
	for (int i = 0; i < LANE_BPF_MAX_TEXTS; i++)
		copy_cause_text(&p, &layout->text[i], record);
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p = p;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/* kernel/sched/psi.c: around all that a thread stalls in because memory is short. */
RECORD(psi_memstall_enter);

static __always_inline int memstall(__u64 flags, __u32 kind)
{
	struct record_psi_memstall_enter *r;
	bool wakes;

	if (!enabled || config.n_engines || !current_followed())
		return 0;
	r = record_begin(kind, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.flags = flags;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("fentry/psi_memstall_enter")
int BPF_PROG(fn_memstall_enter, __u64 flags)
{
	return memstall(flags, LANE_MEMSTALL_BEGIN);
}

SEC("fentry/psi_memstall_leave")
int BPF_PROG(fn_memstall_leave, __u64 flags)
{
	return memstall(flags, LANE_MEMSTALL_END);
}

/*
 * xe has no tracepoint where a thread binds memory, waits for what a GPU or a binding writes (a
 * user fence), or has a group of engines changed to the other mode.
 */
RECORD(xe_function_enter);

static __always_inline int xe_function(__u32 kind, const char *name, __u32 bytes, int ret)
{
	struct record_xe_function_enter *r;
	bool wakes;

	if (!enabled || config.n_engines || !current_followed())
		return 0;
	r = record_begin(kind, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	__builtin_memset(r->p.function, 0, sizeof(r->p.function));
	__builtin_memcpy(r->p.function, name, bytes);
	r->p.ret = ret;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

#define XE_FUNCTION(kind, name, ret) xe_function(LANE_XE_##kind, #name, sizeof(#name), ret)

SEC("fentry/xe_vm_bind_ioctl")
int BPF_PROG(fn_vm_bind)
{
	return XE_FUNCTION(ENTER, xe_vm_bind_ioctl, 0);
}

SEC("fexit/xe_vm_bind_ioctl")
int BPF_PROG(fn_vm_bound, void *dev, void *data, void *file, int ret)
{
	return XE_FUNCTION(LEAVE, xe_vm_bind_ioctl, ret);
}

SEC("fentry/xe_wait_user_fence_ioctl")
int BPF_PROG(fn_user_wait)
{
	return XE_FUNCTION(ENTER, xe_wait_user_fence_ioctl, 0);
}

SEC("fexit/xe_wait_user_fence_ioctl")
int BPF_PROG(fn_user_waited, void *dev, void *data, void *file, int ret)
{
	return XE_FUNCTION(LEAVE, xe_wait_user_fence_ioctl, ret);
}

/* Threads that have a mode changed: each submission asks for one, and mostly finds it. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u8);
} switching SEC(".maps");

SEC("fentry/xe_hw_engine_group_get_mode")
int BPF_PROG(fn_get_mode, struct xe_hw_engine_group *group,
	     enum xe_hw_engine_group_execution_mode mode)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u8 one = 1;

	if (!enabled || group->cur_mode == mode ||
	    bpf_map_update_elem(&switching, &tid, &one, BPF_ANY))
		return 0;
	return XE_FUNCTION(ENTER, xe_hw_engine_group_get_mode, 0);
}

SEC("fexit/xe_hw_engine_group_get_mode")
int BPF_PROG(fn_got_mode)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	if (bpf_map_delete_elem(&switching, &tid))
		return 0;
	return XE_FUNCTION(LEAVE, xe_hw_engine_group_get_mode, 0);
}

/*
 * Submissions that the driver refuses: what a signal interrupts, and what is tried again, is none.
 * When each thread in such a call went into it, by its number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} submitting SEC(".maps");

RECORD(gpulane_refused);

/* include/uapi/asm-generic/errno-base.h; the kernel's own numbers begin at 512. */
#define EINTR	    4
#define EAGAIN	    11
#define ERESTARTSYS 512

static __always_inline int submit_begins(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 now = bpf_ktime_get_ns();

	if (enabled && !config.n_engines && current_followed())
		bpf_map_update_elem(&submitting, &tid, &now, BPF_ANY);
	return 0;
}

static __always_inline int submit_returns(const char *call, __u32 bytes, int ret)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct record_gpulane_refused *r;
	const __u64 *since;
	__u64 since_ns;
	bool wakes;

	since = bpf_map_lookup_elem(&submitting, &tid);
	since_ns = since ? *since : 0;
	bpf_map_delete_elem(&submitting, &tid); /* the next call's begin may not be seen */
	if (!since_ns || ret >= 0 || ret == -EINTR || ret == -EAGAIN || ret <= -ERESTARTSYS ||
	    !enabled)
		return 0;
	r = record_begin(LANE_REFUSED, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.since_ns = since_ns;
	r->p.ret = ret;
	r->p.none = 0;
	__builtin_memset(r->p.call, 0, sizeof(r->p.call));
	__builtin_memcpy(r->p.call, call, bytes);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

#define SUBMIT(function, name)                                                                     \
	SEC("fentry/" #function)                                                                   \
	int BPF_PROG(submit_##name)                                                                \
	{                                                                                          \
		return submit_begins();                                                            \
	}                                                                                          \
	SEC("fexit/" #function)                                                                    \
	int BPF_PROG(submitted_##name, void *dev, void *data, void *file, int ret)                 \
	{                                                                                          \
		return submit_returns(#name, sizeof(#name), ret);                                  \
	}

SUBMIT(i915_gem_execbuffer2_ioctl, EXECBUFFER2)
SUBMIT(xe_exec_ioctl, EXEC)
SUBMIT(amdgpu_cs_ioctl, CS)

/* The current thread; each CPU's idle one, which all have the number 0, by its CPU. */
static __always_inline __u32 current_key(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	return tid ? tid : ~bpf_get_smp_processor_id();
}

/* drivers/base/power/runtime.c: who uses a device calls it, and mostly finds it awake. The device
 * that a thread wakes, or waits for; its parents' lie in it. By current_key(). */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} waking SEC(".maps");

RECORD(rpm_resume);
RECORD(rpm_return_int);

SEC("tp_btf/rpm_resume")
int BPF_PROG(rpm_resume, struct device *dev)
{
	__u32 key = current_key();
	__u64 which = (__u64)dev;
	struct record_rpm_resume *r;
	bool wakes;

	if (!enabled || dev->power.runtime_status == RPM_ACTIVE || !current_followed() ||
	    bpf_map_update_elem(&waking, &key, &which, BPF_NOEXIST))
		return 0;
	r = record_begin(LANE_RESUME_BEGIN, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	__builtin_memset(r->p.name, 0, sizeof(r->p.name));
	bpf_probe_read_kernel_str(r->p.name, sizeof(r->p.name), device_name(dev));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/rpm_return_int")
int BPF_PROG(rpm_return_int, struct device *dev, unsigned long ip, int ret)
{
	__u32 key = current_key();
	__u64 *which = bpf_map_lookup_elem(&waking, &key);
	struct record_rpm_return_int *r;
	bool wakes;

	if (!which || *which != (__u64)dev)
		return 0;
	bpf_map_delete_elem(&waking, &key);
	if (!enabled)
		return 0;
	r = record_begin(LANE_RESUME_END, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.ret = ret;
	__builtin_memset(r->p.name, 0, sizeof(r->p.name));
	bpf_probe_read_kernel_str(r->p.name, sizeof(r->p.name), device_name(dev));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

RECORD(xe_sched_job_timedout);

static __always_inline int xe_job(struct xe_sched_job *job, __u32 kind)
{
	struct record_xe_sched_job_timedout *r;
	struct drm_sched_fence *fence;
	struct device *dev;
	struct dma_fence *ring;
	bool wakes;

	if (!enabled || !job || config.n_engines)
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	fence = job->drm.s_fence;
	ring = job->fence;
	dev = job->drm.sched->dev;
	r->p.fence_context = fence->finished.context;
	r->p.fence_seqno = fence->finished.seqno;
	r->p.seqno = ring ? ring->seqno : 0;
	r->p.error = ring ? ring->error : 0;
	/* Two pointers share that place (struct xe_exec_queue): a typed load would be the other's.
	 */
	r->p.guc_id = BPF_CORE_READ(job, q, guc, id);
	__builtin_memset(r->p.dev, 0, sizeof(r->p.dev));
	if (dev)
		bpf_probe_read_kernel_str(r->p.dev, sizeof(r->p.dev), device_name(dev));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/xe_sched_job_timedout")
int BPF_PROG(xe_timedout, struct xe_sched_job *job)
{
	return xe_job(job, LANE_XE_TIMEDOUT);
}

SEC("tp_btf/xe_sched_job_ban")
int BPF_PROG(xe_ban, struct xe_sched_job *job)
{
	return xe_job(job, LANE_XE_BAN);
}

SEC("tp_btf/xe_sched_job_set_error")
int BPF_PROG(xe_error, struct xe_sched_job *job)
{
	return xe_job(job, LANE_XE_ERROR);
}

RECORD(amdgpu_cs_ioctl);

static __always_inline int amd_job(struct amdgpu_job *job, __u32 kind, bool owner)
{
	struct record_amdgpu_cs_ioctl *r;
	struct drm_sched_fence *fence;
	bool wakes;
	__u64 context;

	if (!enabled || !job || config.n_engines)
		return 0;
	fence = job->base.s_fence;
	context = fence->finished.context;
	if (!(owner ? owner_followed(context) : context_followed(context)))
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.context = context;
	r->p.seqno = fence->finished.seqno;
	r->p.job = bpf_core_field_exists(job->base.id) ? job->base.id : 0;
	__builtin_memset(r->p.ring, 0, sizeof(r->p.ring));
	bpf_probe_read_kernel_str(r->p.ring, sizeof(r->p.ring), job->base.sched->name);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/amdgpu_cs_ioctl")
int BPF_PROG(amd_submit, struct amdgpu_job *job)
{
	return amd_job(job, LANE_AMD_SUBMIT, true);
}

SEC("tp_btf/amdgpu_sched_run_job")
int BPF_PROG(amd_run, struct amdgpu_job *job)
{
	return amd_job(job, LANE_AMD_RUN, false);
}

RECORD(v3d_bcl_irq);

static __always_inline int v3d_fence(struct drm_device *dev, __u64 seqno, __u32 kind)
{
	struct record_v3d_bcl_irq *r;
	bool wakes;

	if (!enabled || !dev || config.n_engines)
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.seqno = seqno;
	r->p.dev = dev->primary->index;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

#define V3D_FENCE(name, id)                                                                        \
	SEC("tp_btf/" #name)                                                                       \
	int BPF_PROG(typed_##name, struct drm_device *dev, __u64 seqno)                            \
	{                                                                                          \
		return v3d_fence(dev, seqno, LANE_##id);                                           \
	}

V3D_FENCE(v3d_submit_tfu, V3D_SUBMIT_TFU)
V3D_FENCE(v3d_submit_csd, V3D_SUBMIT_CSD)
V3D_FENCE(v3d_bcl_irq, V3D_BCL_IRQ)
V3D_FENCE(v3d_rcl_irq, V3D_RCL_IRQ)
V3D_FENCE(v3d_tfu_irq, V3D_TFU_IRQ)
V3D_FENCE(v3d_csd_irq, V3D_CSD_IRQ)

RECORD(v3d_submit_cl);

SEC("tp_btf/v3d_submit_cl")
int BPF_PROG(typed_v3d_submit_cl, struct drm_device *dev, bool is_render, __u64 seqno)
{
	struct record_v3d_submit_cl *r;
	bool wakes;

	if (!enabled || !dev || config.n_engines)
		return 0;
	r = record_begin(LANE_V3D_SUBMIT_CL, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.seqno = seqno;
	r->p.dev = dev->primary->index;
	r->p.is_render = is_render;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

RECORD(msm_gpu_submit_flush);
RECORD(msm_gpu_submit_retired);

SEC("tp_btf/msm_gpu_submit_flush")
int BPF_PROG(msm_flush, struct msm_gem_submit *submit, __u64 ticks)
{
	struct record_msm_gpu_submit_flush *r;
	bool wakes;

	if (!enabled || !submit || config.n_engines)
		return 0;
	r = record_begin(LANE_MSM_FLUSH, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.ticks = ticks;
	r->p.ringid = submit->ring->id;
	r->p.seqno = submit->seqno;
	r->p.id = submit->ident;
	r->p.pid = BPF_CORE_READ(submit, pid, numbers[0].nr);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/msm_gpu_submit_retired")
int BPF_PROG(msm_retired, struct msm_gem_submit *submit, __u64 elapsed, __u64 clock, __u64 start,
	     __u64 end)
{
	struct record_msm_gpu_submit_retired *r;
	bool wakes;

	if (!enabled || !submit || config.n_engines)
		return 0;
	r = record_begin(LANE_MSM_RETIRED, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.elapsed = elapsed;
	r->p.clock = clock;
	r->p.start_ticks = start;
	r->p.end_ticks = end;
	r->p.ringid = submit->ring->id;
	r->p.seqno = submit->seqno;
	r->p.id = submit->ident;
	r->p.pid = BPF_CORE_READ(submit, pid, numbers[0].nr);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

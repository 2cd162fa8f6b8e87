// SPDX-License-Identifier: MIT
// The table of events as data, for set-up work that goes by name or by field.
#include "base/event.h"

#include <string.h>

/* No payload has a hole: what is read and written of it is as long as its fields together. */
#define F(s, type, name, help) LANE_T_##type(name);
#define E(id, name, group, fields, help)                                                           \
	struct packed_##name {                                                                     \
		fields(F, )                                                                        \
	} __attribute__((packed));
LANE_EVENTS(E)
#undef E
#undef F
#define F(s, type, name, help)                                                                     \
	_Static_assert(offsetof(struct lane_p_##s, name) == offsetof(struct packed_##s, name),     \
		       "a hole in " #s " before " #name);
#define E(id, name, group, fields, help) fields(F, name)
LANE_EVENTS(E)
#undef E
#undef F

#define F(s, ftype, fname, fhelp)                                                                  \
	{ .name = #fname,                                                                          \
	  .help = fhelp,                                                                           \
	  .type = LANE_TYPE_##ftype,                                                               \
	  .offset = offsetof(struct lane_p_##s, fname),                                            \
	  .size = sizeof(((struct lane_p_##s *)0)->fname) },
#define E(id, name, group, fields, help)                                                           \
	static const struct lane_field fields_##name[] = { fields(F, name) };
LANE_EVENTS(E)
#undef E
#undef F

#define E(id, ename, egroup, efields, ehelp)                                                       \
	[LANE_##id] = { .name = #ename,                                                            \
			.group = #egroup,                                                          \
			.help = ehelp,                                                             \
			.fields = fields_##ename,                                                  \
			.n_fields = sizeof(fields_##ename) / sizeof(fields_##ename[0]),            \
			.payload_bytes = LANE_BYTES_##id,                                          \
			.struct_bytes = sizeof(struct lane_p_##ename) },
const struct lane_kind_info lane_kinds[LANE_KIND_COUNT] = { LANE_EVENTS(E) };
#undef E

int lane_kind_by_name(const char *name)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (!strcmp(lane_kinds[kind].name, name))
			return kind;
	return -1;
}

#define NEED(name, member)                                                                         \
	{                                                                                          \
#member, offsetof(struct lane_p_##name, member),                                   \
			sizeof(((struct lane_p_##name *)0)->member)                                \
	}
#define NEEDS_FENCE(ID, name) [LANE_##ID] = { NEED(name, seqno), NEED(name, dev) }
#define NEEDS_JOB(ID, name)   [LANE_##ID] = { NEED(name, context), NEED(name, seqno) }
#define NEEDS_OWN(ID, name)   [LANE_##ID] = { NEED(name, fence), NEED(name, seqno) }
#define NEEDS_QUEUE(ID, name) [LANE_##ID] = { NEED(name, class), NEED(name, guc_id) }
const struct lane_need lane_needs[LANE_KIND_COUNT][LANE_NEEDS] = {
	[LANE_XE_TIMEDOUT] = { NEED(xe_sched_job_timedout, guc_id) },
	[LANE_XE_BAN] = { NEED(xe_sched_job_ban, guc_id) },
	[LANE_XE_ERROR] = { NEED(xe_sched_job_set_error, guc_id),
			    NEED(xe_sched_job_set_error, error) },
	NEEDS_QUEUE(XE_RESET, xe_exec_queue_reset),
	NEEDS_QUEUE(XE_CAT_ERROR, xe_exec_queue_memory_cat_error),
	[LANE_XE_PAGEFAULT] = { NEED(xe_vma_pagefault, asid) },
	[LANE_XE_EVICT] = { NEED(xe_vma_evict, asid) },
	NEEDS_JOB(AMD_SUBMIT, amdgpu_cs_ioctl),
	NEEDS_JOB(AMD_RUN, amdgpu_sched_run_job),
	[LANE_AMD_MOVE] = { NEED(amdgpu_bo_move, bo_size), NEED(amdgpu_bo_move, old_placement) },
	[LANE_AMD_RESET] = { NEED(amdgpu_reset_reg_dumps, address) },
	[LANE_AMD_USERQ_EMIT] = { NEED(amdgpu_userq_emit_fence, fence_context),
				  NEED(amdgpu_userq_emit_fence, fence_seqno) },
	[LANE_AMD_USERQ_WAIT] = { NEED(amdgpu_userq_wait_deps, context),
				  NEED(amdgpu_userq_wait_deps, dep_context),
				  NEED(amdgpu_userq_wait_deps, dep_seqno) },
	NEEDS_JOB(LIMA_SUBMIT, lima_task_submit),
	NEEDS_JOB(LIMA_RUN, lima_task_run),
	[LANE_MSM_FLUSH] = { NEED(msm_gpu_submit_flush, ticks), NEED(msm_gpu_submit_flush, ringid),
			     NEED(msm_gpu_submit_flush, seqno) },
	[LANE_MSM_RETIRED] = { NEED(msm_gpu_submit_retired, start_ticks),
			       NEED(msm_gpu_submit_retired, end_ticks),
			       NEED(msm_gpu_submit_retired, ringid),
			       NEED(msm_gpu_submit_retired, seqno) },
	[LANE_MSM_PREEMPT] = { NEED(msm_gpu_preemption_trigger, ring_id_to) },
	[LANE_MSM_SHRINK] = { NEED(msm_gem_shrink, purged), NEED(msm_gem_shrink, evicted) },
	[LANE_V3D_SUBMIT_CL] = { NEED(v3d_submit_cl, seqno), NEED(v3d_submit_cl, dev),
				 NEED(v3d_submit_cl, is_render) },
	NEEDS_FENCE(V3D_SUBMIT_TFU, v3d_submit_tfu),
	NEEDS_FENCE(V3D_SUBMIT_CSD, v3d_submit_csd),
	NEEDS_FENCE(V3D_BCL_IRQ, v3d_bcl_irq),
	NEEDS_FENCE(V3D_RCL_IRQ, v3d_rcl_irq),
	NEEDS_FENCE(V3D_TFU_IRQ, v3d_tfu_irq),
	NEEDS_FENCE(V3D_CSD_IRQ, v3d_csd_irq),
	[LANE_V3D_RESET_BEGIN] = { NEED(v3d_reset_begin, dev) },
	[LANE_V3D_RESET_END] = { NEED(v3d_reset_end, dev) },
	[LANE_USERPTR_BEGIN] = { NEED(xe_vma_userptr_invalidate, asid),
				 NEED(xe_vma_userptr_invalidate, start) },
	[LANE_USERPTR_END] = { NEED(xe_vma_userptr_invalidate_complete, asid),
			       NEED(xe_vma_userptr_invalidate_complete, start) },
	[LANE_REBIND_BEGIN] = { NEED(xe_vm_rebind_worker_enter, asid) },
	[LANE_REBIND_END] = { NEED(xe_vm_rebind_worker_exit, asid) },
	[LANE_PF_BIND] = { NEED(xe_vma_pf_bind, asid) },
	[LANE_XE_MOVE] = { NEED(xe_bo_move, size) },
	[LANE_CPU_CLOCK] = { NEED(cpu_frequency, state), NEED(cpu_frequency, cpu_id) },
	[LANE_XE_JOB_QUEUE] = { NEED(xe_sched_job_exec, fence), NEED(xe_sched_job_exec, seqno),
				NEED(xe_sched_job_exec, guc_id) },
	[LANE_XE_JOB_RUN] = { NEED(xe_sched_job_run, fence), NEED(xe_sched_job_run, seqno),
			      NEED(xe_sched_job_run, guc_id) },
	NEEDS_OWN(XE_JOB_FREE, xe_sched_job_free),
	NEEDS_OWN(XE_FENCE_SIGNAL, xe_hw_fence_signal),
};
#undef NEEDS_QUEUE
#undef NEEDS_OWN
#undef NEEDS_JOB
#undef NEEDS_FENCE
#undef NEED

const char *lane_origin_name(unsigned int origin)
{
	static const char *const names[LANE_ORIGIN_COUNT] = {
		[LANE_ORIGIN_UNKNOWN] = "unknown",   [LANE_ORIGIN_TRACEPOINT] = "tracepoint",
		[LANE_ORIGIN_FUNCTION] = "function", [LANE_ORIGIN_STATE] = "state",
		[LANE_ORIGIN_SNAPSHOT] = "snapshot", [LANE_ORIGIN_LAYER] = "layer",
		[LANE_ORIGIN_ANALYSIS] = "analysis",
	};

	return names[origin < LANE_ORIGIN_COUNT ? origin : LANE_ORIGIN_UNKNOWN];
}

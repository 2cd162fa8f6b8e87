# SPDX-License-Identifier: MIT
# One world as a recording in the text format: awk -v KIND=... -v SIDE=harm|twin -v SEED=... -f world.awk -f commands.awk -f counters.awk -f kinds.awk -f make.awk | sort -s -n -k1,1
# Its truth is in comments, which come first: who was late by what, whose doing that was, and for how long at least and at most.
BEGIN {
	US = 1000
	MS = 1000000
	S = 1000000000
	OFMT = "%.0f"
	CONVFMT = "%.17g"
	OTHERS = "cc1plus make backupd indexer sshd tar rsyncd python3 postgres zstd"
	GPU_USERS = "viewer recorder browser render3d blender encoder mpv"
	seed_with(SEED, KIND SIDE)
	has_two_threads = sub(/_two$/, "", KIND)
	BEGIN_NS = between(20, 400) * MS
	next_tid = between(200, 3000)
	n_cpus = 1
	DRIVER = one_of(KIND in drivers ? drivers[KIND] : "i915 amdgpu xe")
	DEVICE = DRIVER == "i915" || DRIVER == "guc" ? "0000:00:02.0" : "0000:03:00.0"
	SECONDS = KIND in seconds ? seconds[KIND] : 2 + 2 * random()
	END_NS = BEGIN_NS + SECONDS * S
	print "gpulane-events 1"
	print "info release " (DRIVER == "xe" ? "7.3.4" : DRIVER == "amdgpu" || DRIVER == "panfrost" ? "6.17.2" : "6.12.9")
	if (DRIVER == "i915")
		print "info submission execlists"
	if (DRIVER == "guc")
		print "info submission guc"
	print "info idle_states 0-63:POLL=0,C1=2,C1E=10,C6=133"
	print "info begin_ns " sprintf("%.0f", BEGIN_NS - 15 * MS)
	print "info end_ns " sprintf("%.0f", END_NS + 30 * MS)
	recorded("sched_switch sched_waking sched_wakeup sched_migrate_task dma_fence_signaled dma_fence_wait_start dma_fence_wait_end dma_fence_init dma_fence_enable_signal gpulane_fence_error gpulane_reset")
	recorded("mm_vmscan_direct_reclaim_begin mm_vmscan_direct_reclaim_end psi_memstall_enter psi_memstall_leave rpm_resume rpm_return_int cpu_idle sched_process_exit")
	if (DRIVER == "i915" || DRIVER == "guc") {
		recorded("i915_request_queue i915_request_add i915_request_submit i915_request_execute i915_request_retire i915_request_wait_begin i915_request_wait_end")
		recorded(DRIVER == "i915" ? "i915_request_in i915_request_out i915_request_unsubmit" : "i915_request_guc_submit")
	} else
		recorded("drm_sched_job_queue drm_sched_job_add_dep drm_sched_job_run drm_sched_job_done drm_sched_job_unschedulable")
	if (KIND == "softirq")
		recorded("irq_softirq_entry irq_softirq_exit irq_softirq_raise irq_handler_entry irq_handler_exit")
	if (DRIVER == "xe")
		recorded("xe_vma_pagefault xe_vma_pf_bind xe_vm_rebind_worker_enter xe_vm_rebind_worker_exit xe_bo_move xe_function_enter xe_function_leave xe_vma_userptr_invalidate xe_vma_userptr_invalidate_complete")
	if (KIND ~ /^(ze_|bind_fails|calls_fail|rebind|page_fault)/) {
		recorded("opencl_call_entry opencl_call_exit opencl_command opencl_kernel opencl_queue opencl_clock")
		commands_world()
	} else
		make_kind()
	if (chance(0.6) || is_kind("beside_a_hang"))
		print "info command_pid " c_tid[app]
	if (!n_commands) {
		run_world()
		other_load()
	}
	make_counters()
	printf "# truth kind=%s side=%s driver=%s who=%s by=%s cost=%.0f turns=%d%s\n", KIND, SIDE, DRIVER, who(app), culprit == "" ? "-" : culprit, cost, n_runs[app],
		(innocent == "" ? "" : " innocent=" innocent) (KIND == "throttled_heat" ? " says=thermal" : is_kind("throttled_power power_beside_video") ? " says=pl1" : "")
}
function recorded(list,    n, of, i) {
	n = split(list, of, " ")
	for (i = 1; i <= n; i++)
		print "recorded " of[i]
}

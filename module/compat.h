/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where kernels and LTTng versions differ, tested by feature; nothing else in module/ tests for
 * either. LANE_HAS_<word>: a header of this kernel has the word (Kbuild), or a module of it
 * (scripts/make/build-module).
 */
#ifndef LANE_MODULE_COMPAT_H
#define LANE_MODULE_COMPAT_H

#include <linux/fs_struct.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>

#ifndef CONFIG_DEBUG_INFO_BTF_MODULES
#error "gpulane: this kernel gives its modules no BTF (CONFIG_DEBUG_INFO_BTF_MODULES): i915 cannot be identified"
#endif
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#error "gpulane: this kernel's functions cannot be hooked with their arguments (CONFIG_DYNAMIC_FTRACE_WITH_REGS)"
#endif
#ifndef CONFIG_KRETPROBES
#error "gpulane: this kernel has no kretprobes (CONFIG_KRETPROBES)"
#endif
#ifndef CONFIG_KALLSYMS
#error "gpulane: this kernel keeps no symbols of its modules (CONFIG_KALLSYMS)"
#endif

/* Newer kernels put a suffix to the names DECLARE_TRACE makes, their DECLARE_TRACE_EVENT does not.
 */
#ifdef DECLARE_TRACE_EVENT
#define LANE_DECLARE_TRACE DECLARE_TRACE_EVENT
#else
#define LANE_DECLARE_TRACE DECLARE_TRACE
#endif

/*
 * What stands around the body of LTTng's probe function (TP_code_pre, TP_code_post). LTTng keeps
 * the lengths of texts and its buffers by CPU and takes it for granted that a tracepoint's probes
 * cannot be preempted. Linux 7.3 preempts them
 * (__DECLARE_TRACE() of include/linux/tracepoint.h: srcu_fast_notrace, not preempt_notrace). So the
 * body is made not preemptible, what the function has read of the CPU is read again, and put back
 * before preemption is on.
 */
#define LANE_PROBE_BEGIN()                                                                         \
	preempt_disable_notrace();                                                                 \
	__orig_dynamic_len_offset = this_cpu_ptr(&lttng_dynamic_len_stack)->offset;                \
	__dynamic_len_idx = __orig_dynamic_len_offset;
#define LANE_PROBE_END()                                                                           \
	barrier();                                                                                 \
	this_cpu_ptr(&lttng_dynamic_len_stack)->offset = __orig_dynamic_len_offset;                \
	preempt_enable_notrace();                                                                  \
	return;

/* Makes LTTng's probe function forget the event: __post is the label of its end. */
#define LANE_DROP_EVENT() goto __post

/* Process 1's root: the kernel's own threads share it, but not on Linux 7.3. */
#ifdef LANE_HAS_userspace_init_fs
#define LANE_INIT_FS userspace_init_fs
#else
#define LANE_INIT_FS init_task.fs
#endif

/* How far into a function ftrace's call can lie (an endbr64 may stand before it), bytes. */
#define LANE_FTRACE_REACH 16

/*
 * Tells of all symbols that a module has itself. The module must not go meanwhile; it may be at the
 * end of its initialisation, which frees one of its two tables behind a grace period
 * (do_free_init() of kernel/module/main.c).
 */
static inline void lane_module_each_symbol(struct module *mod,
					   void (*tell)(const char *name, unsigned long address))
{
	const struct mod_kallsyms *symbols;
	unsigned int i;

	rcu_read_lock(); /* the kernel's own grace periods cover all kinds of readers: preemption
			    stays on */
	symbols = rcu_dereference(mod->kallsyms);
	for (i = 1; symbols && i < symbols->num_symtab; i++) {
		const Elf_Sym *symbol = &symbols->symtab[i];

		if (symbol->st_shndx != SHN_UNDEF)
			tell(symbols->strtab + symbol->st_name, symbol->st_value);
	}
	rcu_read_unlock();
}

/* The DRM scheduler's tracepoints: renamed in Linux 6.17. */
#ifdef LANE_HAS_drm_sched_job_queue
#define LANE_TP_QUEUE	      drm_sched_job_queue
#define LANE_TP_RUN	      drm_sched_job_run
#define LANE_TP_ADD_DEP	      drm_sched_job_add_dep
#define LANE_TP_DONE	      drm_sched_job_done
#define LANE_TP_UNSCHEDULABLE drm_sched_job_unschedulable
#else
#define LANE_TP_QUEUE	drm_sched_job
#define LANE_TP_RUN	drm_run_job
#define LANE_TP_ADD_DEP drm_sched_job_wait_dep
#define LANE_TP_DONE	drm_sched_process_job
#endif

/* The client of a job: told from 6.17 on, and by stable kernels of before. */
#ifdef LANE_HAS_drm_client_id
#define LANE_DRM_CLIENT(job) ((job)->s_fence->drm_client_id)
#else
#define LANE_DRM_CLIENT(job) 0 /* the scheduler does not know the client */
#endif

/* What a ring was given and has not ended: jobs, and since Linux 6.8 credits. */
#ifdef LANE_HAS_credit_count
#define LANE_DRM_LOAD(sched) atomic_read(&(sched)->credit_count)
#else
#define LANE_DRM_LOAD(sched) atomic_read(&(sched)->hw_rq_count)
#endif

#endif

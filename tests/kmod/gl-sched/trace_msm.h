/* SPDX-License-Identifier: GPL-2.0 */
/* clang-format off: the macros are tables, laid out by hand */
/*
 * msm's tracepoints as far as gpulane reads them, in the layout of
 * drivers/gpu/drm/msm/msm_gpu_trace.h of Linux 6.1 and 6.13.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM drm_msm_gpu

#if !defined(GLS_TRACE_MSM_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLS_TRACE_MSM_H

#include <linux/pid.h>
#include <linux/tracepoint.h>

#ifndef GLS_MSM_TYPES
#define GLS_MSM_TYPES
struct msm_ringbuffer {
	int id;
};

struct msm_gem_submit {
	struct msm_ringbuffer *ring;
	struct pid *pid;
	u32 ident, seqno;
};
#endif

TRACE_EVENT(msm_gpu_submit_flush,
	TP_PROTO(struct msm_gem_submit *submit, u64 ticks),
	TP_ARGS(submit, ticks),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(u32, id)
		__field(u32, ringid)
		__field(u32, seqno)
		__field(u64, ticks)
	),
	TP_fast_assign(
		__entry->pid = pid_nr(submit->pid);
		__entry->id = submit->ident;
		__entry->ringid = submit->ring->id;
		__entry->seqno = submit->seqno;
		__entry->ticks = ticks;
	),
	TP_printk("id=%d pid=%d ring=%d:%d ticks=%lld", __entry->id, __entry->pid,
		  __entry->ringid, __entry->seqno, __entry->ticks)
);

TRACE_EVENT(msm_gpu_submit_retired,
	TP_PROTO(struct msm_gem_submit *submit, u64 elapsed, u64 clock, u64 start, u64 end),
	TP_ARGS(submit, elapsed, clock, start, end),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__field(u32, id)
		__field(u32, ringid)
		__field(u32, seqno)
		__field(u64, elapsed)
		__field(u64, clock)
		__field(u64, start_ticks)
		__field(u64, end_ticks)
	),
	TP_fast_assign(
		__entry->pid = pid_nr(submit->pid);
		__entry->id = submit->ident;
		__entry->ringid = submit->ring->id;
		__entry->seqno = submit->seqno;
		__entry->elapsed = elapsed;
		__entry->clock = clock;
		__entry->start_ticks = start;
		__entry->end_ticks = end;
	),
	TP_printk("id=%d pid=%d ring=%d:%d elapsed=%lld ns mhz=%lld start=%lld end=%lld",
		  __entry->id, __entry->pid, __entry->ringid, __entry->seqno, __entry->elapsed,
		  __entry->clock, __entry->start_ticks, __entry->end_ticks)
);

TRACE_EVENT(msm_gpu_preemption_trigger,
	TP_PROTO(int ring_id_from, int ring_id_to),
	TP_ARGS(ring_id_from, ring_id_to),
	TP_STRUCT__entry(
		__field(int, ring_id_from)
		__field(int, ring_id_to)
	),
	TP_fast_assign(
		__entry->ring_id_from = ring_id_from;
		__entry->ring_id_to = ring_id_to;
	),
	TP_printk("preempting %u -> %u", __entry->ring_id_from, __entry->ring_id_to)
);

TRACE_EVENT(msm_gem_shrink,
	TP_PROTO(u32 nr_to_scan, u32 purged, u32 evicted, u32 active_purged, u32 active_evicted),
	TP_ARGS(nr_to_scan, purged, evicted, active_purged, active_evicted),
	TP_STRUCT__entry(
		__field(u32, nr_to_scan)
		__field(u32, purged)
		__field(u32, evicted)
		__field(u32, active_purged)
		__field(u32, active_evicted)
	),
	TP_fast_assign(
		__entry->nr_to_scan = nr_to_scan;
		__entry->purged = purged;
		__entry->evicted = evicted;
		__entry->active_purged = active_purged;
		__entry->active_evicted = active_evicted;
	),
	TP_printk("nr_to_scan=%u pg, purged=%u pg, evicted=%u pg, active_purged=%u pg, "
		  "active_evicted=%u pg",
		  __entry->nr_to_scan, __entry->purged, __entry->evicted, __entry->active_purged,
		  __entry->active_evicted)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace_msm
#include <trace/define_trace.h>

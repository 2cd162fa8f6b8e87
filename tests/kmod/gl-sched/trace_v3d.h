/* SPDX-License-Identifier: GPL-2.0 */
/* clang-format off: the macros are tables, laid out by hand */
/*
 * v3d's tracepoints as far as gpulane reads them, in the layout of
 * drivers/gpu/drm/v3d/v3d_trace.h of Linux 6.1 and 6.12.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM v3d

#if !defined(GLS_TRACE_V3D_H) || defined(TRACE_HEADER_MULTI_READ)
#define GLS_TRACE_V3D_H

#include <linux/tracepoint.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>

TRACE_EVENT(v3d_submit_cl,
	TP_PROTO(struct drm_device *dev, bool is_render, uint64_t seqno, u32 ctnqba, u32 ctnqea),
	TP_ARGS(dev, is_render, seqno, ctnqba, ctnqea),
	TP_STRUCT__entry(
		__field(u32, dev)
		__field(bool, is_render)
		__field(u64, seqno)
		__field(u32, ctnqba)
		__field(u32, ctnqea)
	),
	TP_fast_assign(
		__entry->dev = dev->primary->index;
		__entry->is_render = is_render;
		__entry->seqno = seqno;
		__entry->ctnqba = ctnqba;
		__entry->ctnqea = ctnqea;
	),
	TP_printk("dev=%u, %s, seqno=%llu, 0x%08x..0x%08x", __entry->dev,
		  __entry->is_render ? "RCL" : "BCL", __entry->seqno, __entry->ctnqba,
		  __entry->ctnqea)
);

#define GLS_V3D_FENCE(name)                                                                        \
	TRACE_EVENT(name,                                                                          \
		TP_PROTO(struct drm_device *dev, uint64_t seqno),                                  \
		TP_ARGS(dev, seqno),                                                               \
		TP_STRUCT__entry(                                                                  \
			__field(u32, dev)                                                          \
			__field(u64, seqno)                                                        \
		),                                                                                 \
		TP_fast_assign(                                                                    \
			__entry->dev = dev->primary->index;                                        \
			__entry->seqno = seqno;                                                    \
		),                                                                                 \
		TP_printk("dev=%u, seqno=%llu", __entry->dev, __entry->seqno)                      \
	)

GLS_V3D_FENCE(v3d_submit_tfu);
GLS_V3D_FENCE(v3d_submit_csd);
GLS_V3D_FENCE(v3d_bcl_irq);
GLS_V3D_FENCE(v3d_rcl_irq);
GLS_V3D_FENCE(v3d_tfu_irq);
GLS_V3D_FENCE(v3d_csd_irq);

#define GLS_V3D_RESET(name)                                                                        \
	TRACE_EVENT(name,                                                                          \
		TP_PROTO(struct drm_device *dev),                                                  \
		TP_ARGS(dev),                                                                      \
		TP_STRUCT__entry(                                                                  \
			__field(u32, dev)                                                          \
		),                                                                                 \
		TP_fast_assign(                                                                    \
			__entry->dev = dev->primary->index;                                        \
		),                                                                                 \
		TP_printk("dev=%u", __entry->dev)                                                  \
	)

GLS_V3D_RESET(v3d_reset_begin);
GLS_V3D_RESET(v3d_reset_end);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace_v3d
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of each field of events.def, read from the driver's structures as i915_trace.h does.
 */
#ifndef LANE_MODULE_FIELDS_H
#define LANE_MODULE_FIELDS_H

/* clang-format off: the macros are tables, laid out by hand */

#include <linux/compiler.h>
#include <linux/dma-fence.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "layout.h"

struct i915_request;
struct intel_context;

static_assert(offsetof(struct dma_fence, context) == LANE_OFFSET_FENCE_CONTEXT);
static_assert(offsetof(struct dma_fence, seqno) == LANE_OFFSET_FENCE_SEQNO);

#define LANE_MEMBER(id, object)                                                                    \
	READ_ONCE(*(const LANE_TYPE_##id *)((const char *)(object) + LANE_OFFSET_##id))

static inline const struct dma_fence *lane_rq_fence(const struct i915_request *rq)
{
	return (const struct dma_fence *)((const char *)rq + LANE_OFFSET_RQ_FENCE);
}

static inline u32 lane_rq_dev(const struct i915_request *rq)
{
	const void *i915 = LANE_MEMBER(ENGINE_I915, LANE_MEMBER(RQ_ENGINE, rq));

	return LANE_MEMBER(MINOR_INDEX, LANE_MEMBER(I915_PRIMARY, i915));
}

#ifdef LANE_OFFSET_RQ_HWSP
/* i915_request_completed(): signalled, or the engine has written the seqno to the status page. */
static inline u32 lane_rq_completed(const struct i915_request *rq)
{
	const struct dma_fence *fence = lane_rq_fence(rq);
	u32 completed = 1;

	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		return completed;
	rcu_read_lock(); /* the status page may be freed */
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags)) {
		const u32 *seqno = LANE_MEMBER(RQ_HWSP, rq);

		completed = (s32)(READ_ONCE(*seqno) - (u32)fence->seqno) >= 0;
	}
	rcu_read_unlock();
	return completed;
}
#define LANE_FIELD_completed lane_rq_completed(rq)
#endif

/* LANE_FIELD_<name>: the expression, where `rq`, `ce`, `flags`, `port` are the tracepoint's arguments. */
#define LANE_FIELD_ctx lane_rq_fence(rq)->context
#define LANE_FIELD_dev lane_rq_dev(rq)
#define LANE_FIELD_seqno ((u32)lane_rq_fence(rq)->seqno)
#define LANE_FIELD_class LANE_MEMBER(ENGINE_CLASS, LANE_MEMBER(RQ_ENGINE, rq))
#define LANE_FIELD_instance LANE_MEMBER(ENGINE_INSTANCE, LANE_MEMBER(RQ_ENGINE, rq))
#define LANE_FIELD_flags flags
#define LANE_FIELD_tail LANE_MEMBER(RQ_TAIL, rq)
#define LANE_FIELD_port port
#define LANE_FIELD_prio LANE_MEMBER(RQ_PRIO, rq)
#define LANE_FIELD_guc_id LANE_MEMBER(CE_GUC_ID, ce)
#define LANE_FIELD_pin_count LANE_MEMBER(CE_PIN_COUNT, ce)
#define LANE_FIELD_sched_state LANE_MEMBER(CE_SCHED_STATE, ce)
#define LANE_FIELD_guc_prio LANE_MEMBER(CE_GUC_PRIO, ce)

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A driver with just what gen-layout looks for, as debug information only; -DNO_MEMBER and
 * -DOTHER_ARGUMENT, -DOTHER_FUNCTION and -DTWICE_UNLIKE make it a driver that the module does not
 * know.
 */
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef _Bool bool;

struct dma_fence {
	u64 context, seqno;
};
struct drm_minor {
	int index;
};
struct drm_i915_private {
	struct {
		struct drm_minor *primary;
	} drm;
};
struct intel_engine_cs {
	struct drm_i915_private *i915;
	u16 uabi_class, uabi_instance;
};
struct i915_request {
	struct dma_fence fence;
	struct intel_engine_cs *engine;
#ifdef NO_MEMBER
	u32 head;
#else
	u32 tail;
#endif
};
struct intel_context {
	struct {
		u16 id;
	} guc_id;
	struct {
		int counter;
	} pin_count;
	struct {
		u32 sched_state;
		unsigned char prio;
	} guc_state;
};

#ifdef OTHER_ARGUMENT
typedef void (*btf_trace_i915_request_add)(void *, struct intel_context *);
#else
typedef void (*btf_trace_i915_request_add)(void *, struct i915_request *);
#endif
typedef void (*btf_trace_i915_request_retire)(void *, struct i915_request *);

btf_trace_i915_request_add add;
btf_trace_i915_request_retire retire;
struct intel_context *ce;

#ifdef OTHER_FUNCTION
bool __i915_request_submit(struct intel_context *c)
#else
bool __i915_request_submit(struct i915_request *rq)
#endif
{
	return 1;
}

#if defined(TWICE_ALIKE) || defined(TWICE_UNLIKE)
/* A second structure of the same name, as in BTF that was not made free of doubles. */
u32 again(void)
{
	struct i915_request {
		struct dma_fence fence;
		struct intel_engine_cs *engine;
#ifdef TWICE_UNLIKE
		u32 head;
#endif
		u32 tail;
		u32 more;
	} rq = { .tail = 1 };

	return rq.tail;
}
#endif

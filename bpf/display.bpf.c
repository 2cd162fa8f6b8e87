// SPDX-License-Identifier: GPL-2.0 OR MIT
// What shows pictures: commits to CRTCs, the fences that they wait for, refreshes.
#include "common.bpf.h"
#include "kernel.h"

#define MAX_CRTCS      8
#define MAX_PLANES     32
#define MAX_FENCES     8
#define MAX_CONNECTORS 32 /* of a device; the kernel's masks have so many bits */
#define TOLD_NS	       1000000000

RECORD(drm_vblank_event);
RECORD(gpulane_flip);
RECORD(gpulane_flip_fence);
RECORD(gpulane_flip_armed);
RECORD(gpulane_flip_connector);
RECORD(gpulane_flip_failed);
RECORD(gpulane_flip_done);
RECORD(gpulane_flip_shown);

/* Of the refresh that a CPU handles: the event's arguments have no device. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} vblank_device SEC(".maps");

static __always_inline __u32 minor_of(struct drm_device *dev)
{
	return BPF_CORE_READ(dev, primary, index);
}

SEC("fentry/drm_handle_vblank")
int BPF_PROG(fn_handle_vblank, struct drm_device *dev)
{
	__u32 zero = 0, minor;

	if (!enabled)
		return 0;
	minor = minor_of(dev) + 1;
	bpf_map_update_elem(&vblank_device, &zero, &minor, BPF_ANY);
	return 0;
}

SEC("tp_btf/drm_vblank_event")
int BPF_PROG(vblank_event, int crtc, unsigned int seq, __s64 time, bool high_prec)
{
	struct record_drm_vblank_event *r;
	__u32 zero = 0, *minor;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_VBLANK, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	minor = bpf_map_lookup_elem(&vblank_device, &zero);
	r->p.time = (__u64)time;
	r->p.seq = seq;
	r->p.crtc = crtc;
	r->p.dev = minor && *minor ? *minor - 1 : 0;
	r->p.high_prec = high_prec;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline struct drm_plane_state *plane_of(const struct parts *parts, __u32 i)
{
	struct __drm_planes_state *at =
		(void *)(parts->planes +
			 (unsigned long)i * bpf_core_type_size(struct __drm_planes_state));

	return BPF_CORE_READ(at, new_state);
}

static __always_inline struct __drm_crtcs_state *crtc_of(const struct parts *parts, __u32 i)
{
	return (void *)(parts->crtcs +
			(unsigned long)i * bpf_core_type_size(struct __drm_crtcs_state));
}

extern const void dma_fence_array_ops __ksym __weak;
extern const void dma_fence_chain_ops __ksym __weak;

/*
 * These are not static, so that the verifier looks at each once, not at all ways through all of
 * them for each plane: that is too much for it. Addresses are numbers to it then.
 */
int put_fence(__u64 commit, __u64 address);
int put_array(__u64 commit, __u64 address);
int put_fences(__u64 commit, __u64 address);
int put_more(__u64 commit);

/* Who waits for a fence that is signalled waits no more. */
__noinline int put_fence(__u64 commit, __u64 address)
{
	struct dma_fence *fence = (void *)address;
	struct record_gpulane_flip_fence *r;
	bool wakes;

	if (!fence || BPF_CORE_READ(fence, flags) >> fence_signalled_bit() & 1)
		return 0;
	r = record_begin(LANE_FLIP_FENCE, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.commit = commit;
	r->p.context = BPF_CORE_READ(fence, context);
	r->p.seqno = BPF_CORE_READ(fence, seqno);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/* There are fences that are not told. */
__noinline int put_more(__u64 commit)
{
	struct record_gpulane_flip_fence *r;
	bool wakes;

	r = record_begin(LANE_FLIP_FENCE, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.commit = commit;
	r->p.context = 0;
	r->p.seqno = 0;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

__noinline int put_array(__u64 commit, __u64 address)
{
	struct dma_fence_array *array = (void *)address;
	struct dma_fence **fences = BPF_CORE_READ(array, fences);
	__u32 n = BPF_CORE_READ(array, num_fences);

	for (__u32 i = 0; i < MAX_FENCES && i < n; i++) {
		struct dma_fence *one = NULL;

		bpf_probe_read_kernel(&one, sizeof(one), &fences[i]);
		put_fence(commit, (unsigned long)one);
	}
	return n > MAX_FENCES ? put_more(commit) : 0;
}

__noinline int put_fences(__u64 commit, __u64 address)
{
	struct dma_fence *fence = (void *)address;
	const void *ops = BPF_CORE_READ(fence, ops);

	for (int i = 0; i < MAX_FENCES && fence; i++) {
		struct dma_fence_chain *link = (void *)fence;

		if (!&dma_fence_chain_ops || ops != &dma_fence_chain_ops)
			break;
		put_fence(commit, (unsigned long)BPF_CORE_READ(link, fence));
		fence = BPF_CORE_READ(link, prev);
		ops = fence ? BPF_CORE_READ(fence, ops) : NULL;
	}
	if (!fence)
		return 0;
	if (&dma_fence_chain_ops && ops == &dma_fence_chain_ops)
		return put_more(commit);
	if (&dma_fence_array_ops && ops == &dma_fence_array_ops)
		return put_array(commit, (unsigned long)fence);
	return put_fence(commit, (unsigned long)fence);
}

/* Functions that are not static take numbers; the program's argument is a pointer to the verifier.
 */
static __always_inline __u64 number_of(const void *address)
{
	__u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &address);
	return number;
}

static __always_inline void tell_fences(void *commit, const struct parts *parts)
{
	for (__u32 i = 0; i < MAX_PLANES && i < parts->n_planes; i++) {
		struct drm_plane_state *state = plane_of(parts, i);
		struct dma_fence *fence = state ? BPF_CORE_READ(state, fence) : NULL;

		if (fence)
			put_fences(number_of(commit), (unsigned long)fence);
	}
	if (parts->n_planes > MAX_PLANES)
		put_more(number_of(commit));
}

/* Of a CRTC, by its number and its device's: which connectors were told, and when. */
struct connectors_told {
	__u64 at_ns;
	__u32 mask, none;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, struct connectors_told);
} connectors_told SEC(".maps");

int put_connector(__u64 device, __u32 dev, __u32 crtc, __u32 mask);

/* The first connector of the mask. The list is read without its lock: what is taken off it at that
 * moment leaves the CRTC without a name, until the next second. */
__noinline int put_connector(__u64 device, __u32 dev, __u32 crtc, __u32 mask)
{
	struct drm_device *drm = (void *)device;
	struct record_gpulane_flip_connector *r;
	struct list_head *at = BPF_CORE_READ(drm, mode_config.connector_list.next);
	struct drm_connector *connector = NULL;
	__u32 n = 0;
	bool wakes;

	for (int i = 0; i < MAX_CONNECTORS && at; i++) {
		__u32 index;

		connector = (void *)at - bpf_core_field_offset(struct drm_connector, head);
		index = BPF_CORE_READ(connector, index);
		if (index < 32 && mask >> index & 1)
			break;
		connector = NULL;
		at = BPF_CORE_READ(at, next);
	}
	if (!connector)
		return 0;
	r = record_begin(LANE_FLIP_CONNECTOR, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	__builtin_memset(&r->p, 0, sizeof(r->p));
	r->p.dev = dev;
	r->p.crtc = (__s32)crtc;
	for (int i = 0; i < 32; i++)
		n += mask >> i & 1;
	r->p.connectors = n;
	bpf_probe_read_kernel_str(r->p.name, sizeof(r->p.name), BPF_CORE_READ(connector, name));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline void put_flip(void *commit, const struct parts *parts, struct drm_crtc *crtc,
				     bool waits)
{
	struct record_gpulane_flip *r;
	bool wakes;

	r = record_begin(LANE_FLIP, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.commit = (unsigned long)commit;
	r->p.dev = minor_of(parts->dev);
	r->p.crtc = BPF_CORE_READ(crtc, index);
	r->p.blocks = waits;
	r->p.none = 0;
	record_end(r, sizeof(*r), wakes);
}

/* A CRTC that is off before and after shows nothing (drm_atomic_helper_setup_commit()). */
static __always_inline bool is_lit(struct __drm_crtcs_state *at)
{
	struct drm_crtc_state *before = BPF_CORE_READ(at, old_state);
	struct drm_crtc_state *after = BPF_CORE_READ(at, new_state);

	return (before && BPF_CORE_READ(before, active)) || (after && BPF_CORE_READ(after, active));
}

/*
 * In the thread that asks for it. Fences that the program gives are told here: who gives the commit
 * to the hardware may look late, and finds fences signalled that were not as it was asked for.
 */
static __always_inline int asked(void *commit, bool waits)
{
	struct parts parts;

	if (!enabled)
		return 0;
	parts_of(commit, &parts);
	if (parts.is_cursor)
		return 0;
	for (__u32 i = 0; i < MAX_CRTCS && i < parts.n_crtcs; i++) {
		struct __drm_crtcs_state *at = crtc_of(&parts, i);
		struct drm_crtc *crtc = BPF_CORE_READ(at, ptr);

		if (!crtc || !is_lit(at))
			continue;
		put_flip(commit, &parts, crtc, waits);
	}
	tell_fences(commit, &parts);
	return 0;
}

SEC("fentry/drm_atomic_commit")
int BPF_PROG(fn_commit, void *commit)
{
	return asked(commit, true);
}

SEC("fentry/drm_atomic_nonblocking_commit")
int BPF_PROG(fn_nonblocking_commit, void *commit)
{
	return asked(commit, false);
}

static __always_inline int failed(void *commit, int error)
{
	struct record_gpulane_flip_failed *r;
	bool wakes;

	if (!enabled || error >= 0)
		return 0;
	r = record_begin(LANE_FLIP_FAILED, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.commit = (unsigned long)commit;
	r->p.error = error;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("fexit/drm_atomic_commit")
int BPF_PROG(fn_committed, void *commit, int error)
{
	return failed(commit, error);
}

SEC("fexit/drm_atomic_nonblocking_commit")
int BPF_PROG(fn_nonblocking_committed, void *commit, int error)
{
	return failed(commit, error);
}

/* Drivers have found the fences of the buffers' other users by now; a fence may be told again. */
SEC("fentry/drm_atomic_helper_swap_state")
int BPF_PROG(fn_swap_state, void *commit)
{
	struct parts parts;

	if (!enabled)
		return 0;
	parts_of(commit, &parts);
	tell_fences(commit, &parts);
	return 0;
}

/* Where its pictures are shown: as that changes, and once a second, so that a loss or the memory of
 * `watch` leaves it known. The commit says it: nobody's device is opened for it. */
static __always_inline void tell_connectors(const struct parts *parts, struct drm_crtc *crtc,
					    struct drm_crtc_state *after)
{
	__u32 dev = minor_of(parts->dev), index = BPF_CORE_READ(crtc, index);
	__u64 key = (__u64)dev << 32 | index;
	struct connectors_told now = { bpf_ktime_get_ns(), 0, 0 };
	struct connectors_told *last = bpf_map_lookup_elem(&connectors_told, &key);

	now.mask = after ? BPF_CORE_READ(after, connector_mask) : 0;
	if (!now.mask || (last && last->mask == now.mask && now.at_ns - last->at_ns < TOLD_NS))
		return;
	bpf_map_update_elem(&connectors_told, &key, &now, BPF_ANY);
	put_connector(number_of(parts->dev), dev, index, now.mask);
}

SEC("fentry/drm_atomic_helper_swap_state")
int BPF_PROG(fn_swap_connectors, void *commit)
{
	struct parts parts;

	if (!enabled)
		return 0;
	parts_of(commit, &parts);
	for (__u32 i = 0; !parts.is_cursor && i < MAX_CRTCS && i < parts.n_crtcs; i++) {
		struct __drm_crtcs_state *at = crtc_of(&parts, i);
		struct drm_crtc *crtc = BPF_CORE_READ(at, ptr);

		if (crtc && is_lit(at))
			tell_connectors(&parts, crtc, BPF_CORE_READ(at, new_state));
	}
	return 0;
}

/* All drivers that use the helpers call it, i915 and xe's display, too: the hardware has all. */
SEC("fentry/drm_atomic_helper_commit_hw_done")
int BPF_PROG(fn_hw_done, void *commit)
{
	struct record_gpulane_flip_done *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_FLIP_DONE, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.commit = number_of(commit);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/* The function has found the refresh; its caller's lock keeps the event until then. */
SEC("fexit/drm_crtc_arm_vblank_event")
int BPF_PROG(fn_arm_vblank, struct drm_crtc *crtc, struct drm_pending_vblank_event *event)
{
	struct record_gpulane_flip_armed *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_FLIP_ARMED, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.seq = BPF_CORE_READ(event, sequence);
	r->p.dev = minor_of(BPF_CORE_READ(crtc, dev));
	r->p.crtc = BPF_CORE_READ(crtc, index);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("fentry/drm_crtc_send_vblank_event")
int BPF_PROG(fn_send_vblank, struct drm_crtc *crtc)
{
	struct record_gpulane_flip_shown *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_FLIP_SHOWN, LANE_ORIGIN_FUNCTION, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.dev = minor_of(BPF_CORE_READ(crtc, dev));
	r->p.crtc = BPF_CORE_READ(crtc, index);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

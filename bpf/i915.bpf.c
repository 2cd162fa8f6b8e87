// SPDX-License-Identifier: GPL-2.0 OR MIT
// i915's requests: from its tracepoints, from its functions where those are not compiled in, and
// what sits on an engine's ports.
#include "common.bpf.h"
#include "stack.bpf.h"
#include "format.bpf.h"

RECORD(i915_request_add);
RECORD(i915_request_queue);
RECORD(i915_request_in);
RECORD(i915_request_out);

/* All request payloads begin alike. */
struct request_head {
#define F(s, type, name, help) LANE_T_##type(name);
	LANE_F_RQ(F, )
#undef F
};

/*
 * READ(direct, p, member): the verifier lets a program load through a pointer whose type it knows
 * (`direct`); one that was computed has to be read by a helper.
 */
#define READ(direct, p, member) ((direct) ? (p)->member : BPF_CORE_READ(p, member))

/* What `trace_i915_request_*` store (drivers/gpu/drm/i915/i915_trace.h). */
static __always_inline void read_head(struct request_head *head, struct i915_request *rq,
				      bool direct)
{
	struct intel_engine_cs *engine = READ(direct, rq, engine);
	struct drm_i915_private *i915 = READ(direct, engine, i915);
	struct drm_minor *primary = READ(direct, i915, drm.primary);

	head->ctx = READ(direct, rq, fence.context);
	head->seqno = READ(direct, rq, fence.seqno);
	head->dev = READ(direct, primary, index);
	head->class = READ(direct, engine, uabi_class);
	head->instance = READ(direct, engine, uabi_instance);
}

/* Who is recorded: `owner` events happen in the process that submits or waits. */
static __always_inline bool wanted(const struct request_head *head, bool owner)
{
	if (!engine_wanted(head->class, head->instance))
		return false;
	return owner ? owner_followed(head->ctx) : context_followed(head->ctx);
}

/* Every event is let through: nothing has to be read before the record is there. */
static __always_inline bool unfiltered(void)
{
	return !config.follow && !config.n_engines;
}

/*
 * Whether a request's event is to be recorded. The arguments of a module's tracepoints may be NULL
 * for the verifier since 838a10bd2ebf ("bpf: Augment raw_tp arguments with PTR_MAYBE_NULL", 6.14,
 * 6.12.y): without a look nothing may be read through them.
 */
static __always_inline bool request_wanted(struct i915_request *rq, bool owner, bool direct)
{
	struct request_head head;

	if (!enabled || !rq)
		return false;
	if (unfiltered())
		return true;
	read_head(&head, rq, direct);
	return wanted(&head, owner);
}

/* The events of the class i915_request: head and tail. */
static __always_inline int request_event(struct i915_request *rq, __u32 kind, __u32 origin,
					 bool owner, bool direct)
{
	struct record_i915_request_add *r;
	bool wakes;

	if (!request_wanted(rq, owner, direct))
		return 0;
	r = record_begin(kind, origin, sizeof(*r), &wakes);
	if (!r)
		return 0;
	read_head((struct request_head *)&r->p, rq, direct);
	r->p.tail = READ(direct, rq, tail);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

#define REQUEST_TRACEPOINT(event, id, owner)                                                       \
	SEC("tp_btf/i915_request_" #event)                                                         \
	int BPF_PROG(rq_##event, struct i915_request *rq)                                          \
	{                                                                                          \
		return request_event(rq, LANE_RQ_##id, LANE_ORIGIN_TRACEPOINT, owner, true);       \
	}

REQUEST_TRACEPOINT(guc_submit, GUC_SUBMIT, false)
REQUEST_TRACEPOINT(submit, SUBMIT, false)
REQUEST_TRACEPOINT(execute, EXECUTE, false)
REQUEST_TRACEPOINT(retire, RETIRE, false)
REQUEST_TRACEPOINT(wait_end, WAIT_END, true)

SEC("tp_btf/i915_request_add")
int BPF_PROG(rq_add, struct i915_request *rq)
{
	put_stack(ctx, LANE_STACK_SUBMITS);
	return request_event(rq, LANE_RQ_ADD, LANE_ORIGIN_TRACEPOINT, true, true);
}

/* The events that also carry flags. */
static __always_inline int flags_event(struct i915_request *rq, __u32 flags, __u32 kind)
{
	struct record_i915_request_queue *r;
	bool wakes;

	if (!request_wanted(rq, true, true))
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	read_head((struct request_head *)&r->p, rq, true);
	r->p.flags = flags;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/i915_request_queue")
int BPF_PROG(rq_queue, struct i915_request *rq, __u32 flags)
{
	return flags_event(rq, flags, LANE_RQ_QUEUE);
}

SEC("tp_btf/i915_request_wait_begin")
int BPF_PROG(rq_wait_begin, struct i915_request *rq, unsigned int flags)
{
	put_stack(ctx, LANE_STACK_WAITS);
	return flags_event(rq, flags, LANE_RQ_WAIT_BEGIN);
}

SEC("tp_btf/i915_request_in")
int BPF_PROG(rq_in, struct i915_request *rq, unsigned int port)
{
	struct record_i915_request_in *r;
	bool wakes;

	if (!request_wanted(rq, false, true))
		return 0;
	r = record_begin(LANE_RQ_IN, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	read_head((struct request_head *)&r->p, rq, true);
	r->p.port = port;
	r->p.prio = rq->sched.attr.priority;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

union generic_payload {
	struct request_head rq;
	struct lane_p_i915_request_out out;
	char bytes[LANE_BPF_GENERIC_PAYLOAD];
};

/*
 * `out` says whether the request is complete: computed as the driver does for its tracepoint
 * (drivers/gpu/drm/i915/i915_request.h: i915_request_completed()), a moment after it.
 */
static __always_inline bool request_completed(struct i915_request *rq)
{
	const __u32 *hwsp;
	__u32 seqno = 0;

	if (fence_signalled(&rq->fence))
		return true;
	if (!bpf_core_field_exists(rq->hwsp_seqno))
		return false;
	hwsp = rq->hwsp_seqno;
	if (bpf_probe_read_kernel(&seqno, sizeof(seqno), hwsp))
		return false;
	return (__s32)(seqno - (__u32)rq->fence.seqno) >= 0;
}

SEC("tp_btf/i915_request_out")
int BPF_PROG(rq_out, struct i915_request *rq)
{
	struct record_i915_request_out *r;
	bool wakes;

	if (!request_wanted(rq, false, true))
		return 0;
	r = record_begin(LANE_RQ_OUT, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	read_head((struct request_head *)&r->p, rq, true);
	r->p.completed = request_completed(rq);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/*
 * Any event of i915, by the places that its format in tracefs gives: for a driver without BTF.
 * Which kind it is comes with the attachment.
 */
struct record_generic {
	struct lane_wire wire;
	union generic_payload p;
};

static __always_inline bool is_owner_kind(__u32 kind)
{
	return kind == LANE_RQ_QUEUE || kind == LANE_RQ_ADD || kind == LANE_RQ_WAIT_BEGIN ||
	       kind == LANE_RQ_WAIT_END;
}

SEC("tp")
int by_format(void *record)
{
	__u64 kind = attached_kind(record);
	union generic_payload p = {};
	struct record_generic *r;
	bool wakes;

	if (!enabled || kind >= LANE_KIND_COUNT)
		return 0;
	__sync_fetch_and_add(&this_cpu()->seen, 1);
	copy_fields(&p, &layouts[kind], record);
	if (kind <= LANE_RQ_WAIT_END && !wanted(&p.rq, is_owner_kind(kind)))
		return 0;
	if (kind > LANE_RQ_WAIT_END && !current_followed())
		return 0;
	if (kind == LANE_RQ_ADD || kind == LANE_RQ_WAIT_BEGIN)
		put_stack(record, kind == LANE_RQ_ADD ? LANE_STACK_SUBMITS : LANE_STACK_WAITS);
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p = p;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/*
 * The functions, where the tracepoints are not compiled in.
 *
 * submit: submit_notify() calls the tracepoint and then the engine's submit_request(), for every
 * engine and every kind of submission.
 */
SEC("fentry/submit_notify")
int BPF_PROG(fn_submit, struct i915_sw_fence *fence, int state)
{
	struct i915_request *rq;

	if (state != FENCE_COMPLETE)
		return 0;
	rq = (void *)fence - bpf_core_field_offset(struct i915_request, submit);
	return request_event(rq, LANE_RQ_SUBMIT, LANE_ORIGIN_FUNCTION, false, false);
}

/* Where submit_notify() cannot be hooked: what it calls, one function per kind of engine. */
#define SUBMIT_FUNCTION(function)                                                                  \
	SEC("fentry/" #function)                                                                   \
	int BPF_PROG(fn_##function, struct i915_request *rq)                                       \
	{                                                                                          \
		return request_event(rq, LANE_RQ_SUBMIT, LANE_ORIGIN_FUNCTION, false, true);       \
	}

SUBMIT_FUNCTION(execlists_submit_request)
SUBMIT_FUNCTION(virtual_submit_request)
SUBMIT_FUNCTION(guc_submit_request)
SUBMIT_FUNCTION(i9xx_submit_request)
SUBMIT_FUNCTION(nop_submit_request)
SUBMIT_FUNCTION(mock_submit_request)

/* execute: at its return, for it only says then whether the request was handed over. */
SEC("fexit/__i915_request_submit")
int BPF_PROG(fn_execute, struct i915_request *rq, bool submitted)
{
	if (!submitted)
		return 0;
	return request_event(rq, LANE_RQ_EXECUTE, LANE_ORIGIN_FUNCTION, false, true);
}

SEC("fentry/__i915_request_unsubmit")
int BPF_PROG(fn_unsubmit, struct i915_request *rq)
{
	return request_event(rq, LANE_RQ_UNSUBMIT, LANE_ORIGIN_FUNCTION, false, true);
}

/*
 * retire: i915_request_retire() is inlined in places and may return without having done anything.
 * What it calls once for each request that it retires, and nobody else calls, is
 * i915_sched_node_fini().
 */
SEC("fentry/i915_sched_node_fini")
int BPF_PROG(fn_retire, struct i915_sched_node *node)
{
	struct i915_request *rq;

	rq = (void *)node - bpf_core_field_offset(struct i915_request, sched);
	return request_event(rq, LANE_RQ_RETIRE, LANE_ORIGIN_FUNCTION, false, false);
}

/*
 * What an engine's hardware runs when the submission tasklet returns: the set of ports that it has
 * acknowledged (active). A set that is only pending proves nothing yet, and execute has told of its
 * requests. Recorded when it has changed. A tasklet never runs twice at a time, so an engine's
 * entry has one writer.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, __u64);
	__type(value, struct lane_p_i915_engine_ports);
} ports SEC(".maps");

RECORD(i915_engine_ports);

static __always_inline void read_port(struct i915_request *rq, __u64 *ctx, __u32 *seqno)
{
	*ctx = BPF_CORE_READ(rq, fence.context);
	*seqno = BPF_CORE_READ(rq, fence.seqno);
}

static __always_inline void read_ports(struct lane_p_i915_engine_ports *p,
				       struct intel_engine_cs *engine)
{
	struct i915_request *on[2] = {};
	struct i915_request *const *active = BPF_CORE_READ(engine, execlists.active);

	bpf_probe_read_kernel(&on[0], sizeof(on[0]), active);
	/* The array ends with a NULL; what is behind it is something else. */
	if (on[0])
		bpf_probe_read_kernel(&on[1], sizeof(on[1]), active + 1);
	if (on[0])
		read_port(on[0], &p->ctx0, &p->seqno0);
	if (on[1])
		read_port(on[1], &p->ctx1, &p->seqno1);
	p->dev = BPF_CORE_READ(engine, i915, drm.primary, index);
	p->class = BPF_CORE_READ(engine, uabi_class);
	p->instance = BPF_CORE_READ(engine, uabi_instance);
}

static __always_inline bool same_ports(const struct lane_p_i915_engine_ports *a,
				       const struct lane_p_i915_engine_ports *b)
{
	return a->ctx0 == b->ctx0 && a->ctx1 == b->ctx1 && a->seqno0 == b->seqno0 &&
	       a->seqno1 == b->seqno1;
}

/* With a filter: when one of the contexts on the ports, or that were, is followed. */
static __always_inline bool ports_wanted(const struct lane_p_i915_engine_ports *p,
					 const struct lane_p_i915_engine_ports *before)
{
	if (!engine_wanted(p->class, p->instance))
		return false;
	return context_followed(p->ctx0) || context_followed(p->ctx1) ||
	       (before && (context_followed(before->ctx0) || context_followed(before->ctx1)));
}

SEC("fexit/execlists_submission_tasklet")
int BPF_PROG(fn_ports, struct tasklet_struct *t)
{
	struct i915_sched_engine *sched =
		(void *)t - bpf_core_field_offset(struct i915_sched_engine, tasklet);
	struct intel_engine_cs *engine =
		BPF_CORE_READ((struct i915_sched_engine *)sched, private_data);
	struct lane_p_i915_engine_ports p = {}, *before;
	struct record_i915_engine_ports *r;
	bool wakes;
	__u64 key = (__u64)engine;
	bool want;

	if (!enabled)
		return 0;
	read_ports(&p, engine);
	before = bpf_map_lookup_elem(&ports, &key);
	if (before ? same_ports(&p, before) : !p.ctx0)
		return 0;
	want = ports_wanted(&p, before);
	bpf_map_update_elem(&ports, &key, &p, BPF_ANY);
	if (!want)
		return 0;
	r = record_begin(LANE_PORTS, LANE_ORIGIN_STATE, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p = p;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/* GuC's contexts, what `trace_intel_context_*` store. */
RECORD(intel_context_create);

static __always_inline int context_event(struct intel_context *ce, __u32 kind)
{
	struct record_intel_context_create *r;
	bool wakes;

	if (!enabled || !ce || !current_followed())
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.guc_id = ce->guc_id.id;
	r->p.pin_count = ce->pin_count.counter;
	r->p.sched_state = ce->guc_state.sched_state;
	r->p.guc_prio = ce->guc_state.prio;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

#define CONTEXT_TRACEPOINT(event, id)                                                              \
	SEC("tp_btf/intel_context_" #event)                                                        \
	int BPF_PROG(ctx_##event, struct intel_context *ce)                                        \
	{                                                                                          \
		return context_event(ce, LANE_CTX_##id);                                           \
	}

CONTEXT_TRACEPOINT(set_prio, SET_PRIO)
CONTEXT_TRACEPOINT(reset, RESET)
CONTEXT_TRACEPOINT(ban, BAN)
CONTEXT_TRACEPOINT(register, REGISTER)
CONTEXT_TRACEPOINT(deregister, DEREGISTER)
CONTEXT_TRACEPOINT(deregister_done, DEREGISTER_DONE)
CONTEXT_TRACEPOINT(sched_enable, SCHED_ENABLE)
CONTEXT_TRACEPOINT(sched_disable, SCHED_DISABLE)
CONTEXT_TRACEPOINT(sched_done, SCHED_DONE)
CONTEXT_TRACEPOINT(create, CREATE)
CONTEXT_TRACEPOINT(fence_release, FENCE_RELEASE)
CONTEXT_TRACEPOINT(free, FREE)
CONTEXT_TRACEPOINT(steal_guc_id, STEAL_GUC_ID)
CONTEXT_TRACEPOINT(do_pin, DO_PIN)
CONTEXT_TRACEPOINT(do_unpin, DO_UNPIN)

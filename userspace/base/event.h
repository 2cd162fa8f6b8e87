/* SPDX-License-Identifier: MIT */
/*
 * One event as it travels: the wire record that the BPF programs write, the recording stores and
 * the analyses read. Generated from events.def; the BPF programs share this header and fit.h with
 * user space.
 *
 * The bytes of a wire record are the bytes of a CTF event: a header (timestamp, id), a context
 * (tid, pid, source), and the payload at its natural alignment. Nothing is converted on the way to
 * disk.
 */
#ifndef LANE_BASE_EVENT_H
#define LANE_BASE_EVENT_H

#ifndef __bpf__
#include <stddef.h>
#include <linux/types.h>
#endif

#include "events.def"

enum lane_kind {
#define E(id, name, group, fields, help) LANE_##id,
	LANE_EVENTS(E)
#undef E
	LANE_KIND_COUNT
};

/* Where an event comes from; the context field `source` of every event in a recording. */
enum lane_origin {
	LANE_ORIGIN_UNKNOWN = 0,    /* the trace does not say */
	LANE_ORIGIN_TRACEPOINT = 1, /* the kernel's own tracepoint */
	LANE_ORIGIN_FUNCTION = 2,   /* a hook on the function where the tracepoint would be */
	LANE_ORIGIN_STATE = 3,	    /* read from the driver's state, no event of the driver's own */
	LANE_ORIGIN_SNAPSHOT = 4,   /* read from /proc when the recording began */
	LANE_ORIGIN_LAYER = 5,	    /* the OpenCL layer in the program, through LTTng-UST */
	LANE_ORIGIN_ANALYSIS = 6,   /* found by the analysis, in an export */
	LANE_ORIGIN_COUNT
};

/* queue_flags of drm_sched's jobs. */
#define LANE_QUEUE_KNOWN	1 /* the flags of the queue's VM could be read */
#define LANE_QUEUE_LONG_RUNNING 2 /* user space feeds the GPU past the kernel */
#define LANE_QUEUE_KERNEL	4 /* the driver's own: it copies memory */
#define LANE_QUEUE_BIND                                                                            \
	8 /* it writes the page tables of an address space, for VM_BIND and rebinding */
#define LANE_QUEUE_ASID_SHIFT 8 /* above: the number of the queue's address space, 0: none */

/* timeout_ms of drm_sched's jobs: the driver gives none up. */
#define LANE_NO_TIMEOUT 0xffffffffu

/* Of gpulane_stack: the number of a part that was lost; why it was taken. */
#define LANE_STACK_LOST 0xffffffffu
enum lane_stack_why {
	LANE_STACK_SUBMITS = 1,
	LANE_STACK_WAITS,
	LANE_STACK_SLEEPS,
	LANE_STACK_RUNS,
};

/* Of gpulane_stack_frame: what is named. */
enum lane_frame_what {
	LANE_FRAME_OF_NOTHING,
	LANE_FRAME_OF_KERNEL,
	LANE_FRAME_OF_FILE,
	LANE_FRAME_OF_PROGRAM,
	LANE_FRAME_UNWOUND, /* a file, whose table says that the next frame is the caller's */
};

/* state of cpu_idle: the CPU has left its idle state. */
#define LANE_CPU_AWAKE 0xffffffffu

/* Of a ring's or an engine's name (id64): what is longer is cut by lane_fit() (base/fit.h). */
#define LANE_RING_BYTES 64

#define LANE_T_u8(n)	 __u8 n
#define LANE_T_u16(n)	 __u16 n
#define LANE_T_u32(n)	 __u32 n
#define LANE_T_u64(n)	 __u64 n
#define LANE_T_x32(n)	 __u32 n
#define LANE_T_x64(n)	 __u64 n
#define LANE_T_s32(n)	 __s32 n
#define LANE_T_s64(n)	 __s64 n
#define LANE_T_comm(n)	 char n[16]
#define LANE_T_str32(n)	 char n[32]
#define LANE_T_path(n)	 char n[64]
#define LANE_T_str128(n) char n[128]
#define LANE_T_id32(n)	 char n[32]
#define LANE_T_id64(n)	 char n[LANE_RING_BYTES]
#define LANE_T_clf(n)	 __u32 n
#define LANE_T_clc(n)	 __u32 n

/* struct lane_p_<event name>: the payload of each event. */
#define F(s, type, name, help) LANE_T_##type(name);
#define E(id, name, group, fields, help)                                                           \
	struct lane_p_##name {                                                                     \
		fields(F, )                                                                        \
	};
LANE_EVENTS(E)
#undef E
#undef F

/* What stands before the payload of every record. */
struct lane_wire {
	__u64 ts_ns;  /* CLOCK_MONOTONIC */
	__u32 kind;   /* enum lane_kind; the CTF event's id */
	__s32 tid;    /* thread on the CPU, -1 when not known; 0 is the idle thread */
	__s32 pid;    /* its process, likewise */
	__u32 origin; /* enum lane_origin */
};

_Static_assert(sizeof(struct lane_wire) == 24, "the payload begins at byte 24, eight-byte aligned");

/* A payload has no holes (event.c sees to it); padding at its end is possible and is part of the
 * record in a ring only. */
#define F(s, type, name, help) +sizeof(((union lane_field_##type *)0)->value)
#define LANE_T_DEFINE(type)                                                                        \
	union lane_field_##type {                                                                  \
		LANE_T_##type(value);                                                              \
	};
LANE_T_DEFINE(u8)
LANE_T_DEFINE(u16)
LANE_T_DEFINE(u32)
LANE_T_DEFINE(u64)
LANE_T_DEFINE(x32)
LANE_T_DEFINE(x64)
LANE_T_DEFINE(s32)
LANE_T_DEFINE(s64)
LANE_T_DEFINE(comm)
LANE_T_DEFINE(str32)
LANE_T_DEFINE(path)
LANE_T_DEFINE(str128)
LANE_T_DEFINE(id32)
LANE_T_DEFINE(id64)
LANE_T_DEFINE(clf)
LANE_T_DEFINE(clc)
#define E(id, name, group, fields, help)                                                           \
	enum {                                                                                     \
		LANE_BYTES_##id = (0 fields(F, ))                                                  \
	};
LANE_EVENTS(E)
#undef E
#undef F

#ifndef __bpf__

/* A payload of any kind. */
union lane_payload {
#define E(id, name, group, fields, help) struct lane_p_##name name;
	LANE_EVENTS(E)
#undef E
	/* The fields that all i915_request_* events begin with. */
	struct {
#define F(s, type, name, help) LANE_T_##type(name);
		LANE_F_RQ(F, )
#undef F
	} rq;
	/* The fields that all drm_sched_job_* events begin with. */
	struct {
#define F(s, type, name, help) LANE_T_##type(name);
		LANE_F_DRM_FENCE(F, )
#undef F
	} drm;
	/* Behind the fields of drm_sched_job_add_dep: before Linux 6.17 it names the job by its
	 * number in the scheduler of this ring. */
	struct {
		struct lane_p_drm_sched_job_add_dep dep;
		char ring[LANE_RING_BYTES];
	} drm_wait;
	/* The fields that all dma_fence_* events begin with. */
	struct {
#define F(s, type, name, help) LANE_T_##type(name);
		LANE_F_FENCE(F, )
#undef F
	} fence;
};

/*
 * What stands in a field that a tracer has not written, where 0 would say something: a thread or
 * process is -1 then, any other field 0 or empty (docs/normalise.md).
 */
#define LANE_PRIO_UNKNOWN      (-2147483647 - 1)
#define LANE_CPU_UNKNOWN       0xffffffffu
#define LANE_STATE_UNKNOWN     (-9223372036854775807ll - 1) /* prev_state */
#define LANE_COMPLETED_UNKNOWN 0xffffffffu

#define LANE_RING_NONE 0xffff

/* What a decoder found in an event of an old kernel that only norm/ understands; not for others. */
struct lane_raw {
	__u32 global;	    /* the driver's global seqno (Linux up to 5.1), 0 when there is none */
	__u32 unused;	    /* where fields go that nobody needs */
	__u16 ring;	    /* engine number across classes (Linux up to 4.18), or LANE_RING_NONE */
	__u8 narrow;	    /* the fence's context and seqno are the low 32 bits only; of a loss: no
			       event is lost, one is of one of several such contexts */
	__u8 engine_notify; /* an intel_engine_notify: all requests up to global seqno u.rq.seqno
			       ended */
	__u8 is_two; /* schedulers of this ring's name have had jobs of one number: there are two */
	union {
		/* What names a job of drm_sched before Linux 6.17; 0: not said. */
		struct {
			__u64 entity; /* its entity's address */
			__u64 fence;  /* its fence's address: that of a later job once it is over */
		};
		/* Of a retire on a kernel that does not tell of the handing over: by its
		 * engine's interrupts the request was incomplete at the first time, and
		 * complete at the second one; 0: not said. */
		struct {
			__u64 unreached_ns, reached_ns;
		};
	};
	__u64 job; /* its number in its ring's scheduler */
	/* Who it is was concluded: that holds if nothing was lost from named_since_ns to
	 * named_by_ns, nor since known_ns, when its address was its own. 0: the event says it. */
	__u64 named_since_ns, named_by_ns, known_ns;
};

/* Contexts from here on are numbers of gpulane's own: of the jobs of one entity, ring and process
 * whose fences' context nothing tells (docs/normalise.md). */
#define LANE_OWN_CONTEXT (1ull << 52)

/* What stands in fence_seqno and seqno of drm_sched's events when nobody said it. */
#define LANE_SEQNO_UNKNOWN 0xffffffffffffffffull

/* An event in memory: the wire record and where it was recorded. */
struct lane_event {
	struct lane_wire wire;
	union lane_payload u;
	__s32 cpu;  /* CPU it was recorded on, -1 when not known */
	__u32 host; /* which of the recordings read together, from 0 */
	struct lane_raw raw;
};

_Static_assert(offsetof(struct lane_event, u) == sizeof(struct lane_wire), "payload follows");

/* A loss as a record. */
struct lane_lost_record {
	struct lane_wire wire;
	struct lane_p_gpulane_lost lost;
};

_Static_assert(sizeof(struct lane_lost_record) % 8 == 0, "padded as records are");

enum lane_type {
	LANE_TYPE_u8,
	LANE_TYPE_u16,
	LANE_TYPE_u32,
	LANE_TYPE_u64,
	LANE_TYPE_x32,
	LANE_TYPE_x64,
	LANE_TYPE_clf,
	LANE_TYPE_clc,
	LANE_TYPE_s32,
	LANE_TYPE_s64,
	LANE_TYPE_comm,
	LANE_TYPE_str32,
	LANE_TYPE_path,
	LANE_TYPE_str128,
	LANE_TYPE_id32,
	LANE_TYPE_id64,
};

/* One field of an event's payload, as the table has it. */
struct lane_field {
	const char *name;
	const char *help;
	enum lane_type type;
	__u16 offset; /* in the payload, bytes */
	__u16 size;   /* bytes */
};

/* One event of the table. */
struct lane_kind_info {
	const char *name;
	const char *group;
	const char *help;
	const struct lane_field *fields;
	__u16 n_fields;
	__u16 payload_bytes; /* the fields, without padding at the end */
	__u16 struct_bytes;  /* sizeof the payload's structure */
};

/* The table, LANE_KIND_COUNT entries in the order of enum lane_kind. */
extern const struct lane_kind_info lane_kinds[LANE_KIND_COUNT];

/* True when values of the type are text. */
static inline int lane_type_is_text(unsigned int type)
{
	return type >= LANE_TYPE_comm;
}

/* True when they are text by which things are told apart: what is too long is put there by
 * lane_fit() (base/fit.h). */
static inline int lane_type_is_id(unsigned int type)
{
	return type == LANE_TYPE_id32 || type == LANE_TYPE_id64;
}

/* Of a wire record these are copied at once: nearly all are shorter. */
#define LANE_MOST_BYTES 96

/* Copies an event, of its payload what its kind has: a tenth of all of it. */
static inline void lane_event_copy(struct lane_event *to, const struct lane_event *from)
{
	__u32 bytes = sizeof(from->wire) + lane_kinds[from->wire.kind].struct_bytes;

	__builtin_memcpy(to, from, LANE_MOST_BYTES);
	if (bytes > LANE_MOST_BYTES)
		__builtin_memcpy((char *)to + LANE_MOST_BYTES, (const char *)from + LANE_MOST_BYTES,
				 bytes - LANE_MOST_BYTES);
	to->cpu = from->cpu;
	to->host = from->host;
	to->raw = from->raw;
}

/*
 * The kind with this name, or -1. For set-up only: it compares strings.
 */
int lane_kind_by_name(const char *name);

/* The name of an origin ("tracepoint", "function", ...); "unknown" for a number that is none. */
const char *lane_origin_name(unsigned int origin);

/* True for the kinds whose payload begins with LANE_F_RQ: the i915_request_* events. */
static inline int lane_is_request(unsigned int kind)
{
	return kind <= LANE_RQ_WAIT_END;
}

/* True for dma_fence's kinds. */
static inline int lane_is_fence(unsigned int kind)
{
	return kind >= LANE_FENCE_INIT && kind <= LANE_FENCE_WAIT_END;
}

/* True for the kinds whose payload begins with LANE_F_DRM_FENCE: drm_sched's. */
static inline int lane_is_drm(unsigned int kind)
{
	return kind >= LANE_DRM_QUEUE && kind <= LANE_DRM_DONE;
}

/* True for the kernel's work items. */
static inline int lane_is_work(unsigned int kind)
{
	return kind >= LANE_WORK_QUEUE && kind <= LANE_WORK_END;
}

/* True for what drivers tell by tracepoints of their own. */
static inline int lane_is_driver(unsigned int kind)
{
	return kind >= LANE_XE_TIMEDOUT && kind <= LANE_V3D_RESET_END;
}

/* True for what the kernel does about memory. */
static inline int lane_is_memory(unsigned int kind)
{
	return kind >= LANE_RECLAIM_BEGIN && kind <= LANE_I915_BIND;
}

/* True for drivers' events of jobs that only others' traces have. */
static inline int lane_is_own_job(unsigned int kind)
{
	return kind >= LANE_XE_JOB_QUEUE && kind <= LANE_XE_FENCE_SIGNAL;
}

/* True for all of them: they tell causes, and are read by their formats. */
static inline int lane_is_cause(unsigned int kind)
{
	return lane_is_driver(kind) || lane_is_own_job(kind) ||
	       (kind >= LANE_RECLAIM_BEGIN && kind <= LANE_CPU_CLOCK);
}

/* True for drivers' events of jobs that name them as LANE_F_DRM_FENCE does, with which their
 * payloads begin. */
static inline int lane_is_named_job(unsigned int kind)
{
	return kind == LANE_AMD_SUBMIT || kind == LANE_AMD_RUN || kind == LANE_LIMA_SUBMIT ||
	       kind == LANE_LIMA_RUN || kind == LANE_AMD_USERQ_EMIT;
}

/* True for drivers' events of jobs that name them by numbers of their own. */
static inline int lane_is_numbered_job(unsigned int kind)
{
	return kind == LANE_MSM_FLUSH || lane_is_own_job(kind) ||
	       (kind >= LANE_V3D_SUBMIT_CL && kind <= LANE_V3D_SUBMIT_CSD);
}

/* A field without which a driver's event would be misread. All its bits are set where a tracer has
 * not written it. */
struct lane_need {
	const char *field;
	__u16 offset, size; /* in the payload, bytes */
};

#define LANE_NEEDS 4

/* Of each kind; behind the last one field is NULL. */
extern const struct lane_need lane_needs[LANE_KIND_COUNT][LANE_NEEDS];

/* True for the kinds that no tracer records: what was lost, and what the analysis found. */
static inline int lane_is_derived(unsigned int kind)
{
	return kind >= LANE_LOST && kind <= LANE_FOUND_LOSS_END;
}

/* True for what the analysis found, as events of an export. */
static inline int lane_is_finding(unsigned int kind)
{
	return kind > LANE_LOST && kind <= LANE_FOUND_LOSS_END;
}

/* True for what is read while recording, and is no event of the kernel's. */
static inline int lane_is_counter(unsigned int kind)
{
	return kind == LANE_COUNTER || kind == LANE_SAMPLE;
}

#define LANE_COUNTER_COUNT 2

/* True for what `record --stacks` adds. */
static inline int lane_is_stack(unsigned int kind)
{
	return kind == LANE_STACK || kind == LANE_STACK_FRAME || kind == LANE_LOCK_WAIT;
}

#define LANE_STACK_COUNT 3

/* True for the packets that two machines may have seen. */
static inline int lane_is_packet(unsigned int kind)
{
	return kind >= LANE_INET_OUT && kind <= LANE_NET_RECEIVE;
}

/* True for what gpulane reads and never records. */
static inline int lane_is_only_read(unsigned int kind)
{
	return lane_is_packet(kind) || lane_is_own_job(kind) ||
	       (kind >= LANE_FRAME_END && kind <= LANE_RANGE_END);
}

#define LANE_ONLY_READ_COUNT                                                                       \
	(LANE_NET_RECEIVE - LANE_INET_OUT + 1 + LANE_XE_FENCE_SIGNAL - LANE_XE_JOB_QUEUE + 1 +     \
	 LANE_RANGE_END - LANE_FRAME_END + 1)

#define LANE_DERIVED_COUNT (LANE_FOUND_LOSS_END - LANE_LOST + 1)

#endif /* !__bpf__ */
#endif

/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the collector tells the BPF programs before they are loaded, and what they share while they
 * run. Included by both; sizes are part of the agreement.
 */
#ifndef LANE_CAPTURE_BPF_SHARED_H
#define LANE_CAPTURE_BPF_SHARED_H

#include <linux/types.h>

#define LANE_BPF_MAX_CPUS     1024 /* a power of two */
#define LANE_BPF_MAX_ENGINES  16
#define LANE_BPF_MAX_FOLLOWED 32768
#define LANE_BPF_MAX_CONTEXTS 65536
#define LANE_BPF_MAX_FIELDS   8
#define LANE_BPF_MAX_TEXTS    3
#define LANE_BPF_MAX_STACKS   8192 /* different ones, of the kernel's and of programs' parts each */
#define LANE_BPF_MAX_SAMPLES  16384 /* likewise, of programs' stacks as they are looked at */
#define LANE_BPF_SAMPLE_HZ    99   /* so often a CPU is looked at; not in step with a timer's 100 */
#define LANE_BPF_STACK_DEPTH  64   /* frames of a part at most; those further out are left out */
#define LANE_BPF_COPY_BYTES   8192 /* of a program's stack, from where the thread is */
#define LANE_BPF_COPIES	      1024 /* that wait to be read */
#define LANE_BPF_REGISTERS    17
#define LANE_BPF_NAME_BYTES   32 /* of a fence's driver and timeline, as in dma_fence_init */

/* Why a process is followed; both may be asked for. */
enum lane_bpf_follow {
	LANE_BPF_FOLLOW_TREE = 1 << 0, /* descends from the process given */
	LANE_BPF_FOLLOW_COMM = 1 << 1, /* has the name given */
};

struct lane_bpf_engine {
	__u16 class;
	__u16 instance;
};

/* Read-only for the programs: the verifier leaves out what is switched off. */
struct lane_bpf_config {
	__u32 follow;	 /* enum lane_bpf_follow that a process must have; 0: all are recorded */
	__u32 n_engines; /* 0: all */
	__u32 switch_state_arg; /* enum switch_state_argument */
	__u32 n_rings;
	__u32 ring_mask;  /* a ring's bytes, a power of two, less 1 */
	__u32 spare_mask; /* likewise of those behind the first n_rings; 0: there are none */
	__u32 hz;	  /* jiffies a second, 0: not known */
	__u32 has_stacks; /* record where threads are as they submit, wait or go to sleep */
	__u32 has_copies; /* and what is on their programs' stacks, to be unwound */
	struct lane_bpf_engine engines[LANE_BPF_MAX_ENGINES];
	char comm[16];
};

/*
 * What is on a program's stack. Its number stands in the record of the stack. It is written while
 * `number` is not `end`; a later one takes its place if it is not read soon.
 */
struct lane_bpf_stack_copy {
	__u64 number;			     /* from 1 on */
	__u64 registers[LANE_BPF_REGISTERS]; /* x86-64's, as DWARF counts them; the last is the
						instruction's */
	__u8 bytes[LANE_BPF_COPY_BYTES];     /* from the stack pointer on */
	__u64 n;			     /* of bytes */
	__u64 end;
};

/* Bits of a stack's number that is that of a copy; LANE_STACK_LOST is none. */
#define LANE_BPF_COPY_BIT	0x80000000u
#define LANE_BPF_COPY_NUMBER(n) (LANE_BPF_COPY_BIT | (((n) << 1) & 0x3ffffffeu) | 1)
#define LANE_BPF_IS_COPY(stack) (((stack)&LANE_BPF_COPY_BIT) && (stack) != 0xffffffffu)

#define LANE_BPF_FRAME_BYTES 64

/* The beginning of the lines of trace_marker that mark frames; what a uprobe's marks are called. */
struct lane_bpf_frame {
	__u64 inode; /* of trace_marker */
	__u32 device;
	__u32 length;
	char text[LANE_BPF_FRAME_BYTES];
};

#define LANE_BPF_MAX_WORKS 8

/* A function of the kernel's whose work items are recorded. */
struct lane_bpf_work {
	__u64 address;
	char name[32];
};

/* One field to copy from a tracepoint's record, at the place its format gives, to a payload. */
struct lane_bpf_copy {
	__u16 from; /* offset in the tracepoint's record */
	__u8 to;    /* offset in the payload */
	__u8 bytes; /* 1, 2, 4 or 8; what the payload's field has more stays 0 */
};

/* All fields of one kind; unused entries have bytes 0. */
struct lane_bpf_layout {
	struct lane_bpf_copy copy[LANE_BPF_MAX_FIELDS];
	/* Of its texts: `from` is the place of the __data_loc word; 0: there is no more. */
	struct lane_bpf_copy text[LANE_BPF_MAX_TEXTS];
};

/* Where dma_fence_init has what cannot be read elsewhere: functions tell the names. */
struct lane_bpf_names {
	__u16 context;
	__u16 seqno;
	__u16 driver;	/* place of the __data_loc word */
	__u16 timeline; /* likewise */
};

/* Where the records of drm_sched_job_queue and _run have their texts: __data_loc words; 0: none. */
struct lane_bpf_drm_places {
	__u16 name;
	__u16 dev;
};

/*
 * Per CPU, written by the programs, but for `ring` and `tail`. `head` and `tail`: bytes that were
 * reserved in the ring since the beginning, and that the collector has given back. `lost`: records
 * that found no room. `fired` and `seen`: events whose program shares the kernel's guard against
 * nesting with other programs, counted before and behind that guard: what is between was dropped by
 * the kernel without a word. `unfollowed`: processes that found no room among those that are
 * followed. `learnt`: fence contexts that came to be known. `stacks_lost`: parts of stacks that
 * found no room.
 */
struct lane_bpf_cpu {
	__u64 head;
	__u64 lost;
	__u64 fired;
	__u64 seen;
	__u32 ring;    /* its number, from 1 on; 0: the CPU has none */
	__u32 waiting; /* followed threads that are runnable here and do not run */
	__u64 unfollowed;
	__u64 signals_id, signals_ns; /* who signalled a followed fence here last,
				       * or queued a work item, and when */
	__u64 tail;
	__u64 learnt;
	__u64 stacks_lost;
	__u64 tail_pad[5];
} __attribute__((aligned(64)));

/* The last sleep of a CPU, the programs' own; left_ns 0: it is not over, or has been told. */
struct lane_bpf_sleep {
	__u64 since_ns;
	__u64 left_ns;
	__u32 state;
	__u32 pad[11];
} __attribute__((aligned(64)));

/* Before each record in a ring, which begins at eight bytes. */
struct lane_bpf_header {
	__u32 bytes; /* of the record, without the header; 0: it is not complete */
	__u32 pad;
};

/* A record that begins before the end of its ring goes on behind it. */
#define LANE_BPF_RING_SLACK 4096

/* A thread, as list_tasks tells it. Numbers are those of the first namespace, as in the events. */
struct lane_bpf_task {
	__s32 tid;
	__s32 tgid;
	__s32 parent;	/* its parent's tgid */
	__s32 own_tgid; /* in the namespace of who asks; 0: it has no number there */
	__s32 vtid;	/* in its own namespace */
	__s32 vtgid;
	__u32 state; /* as in sched_switch: 0 when it could run */
	__u32 exit_state;
	__u32 flags;
	__u32 cpu;
	char comm[16];
};

enum lane_bpf_returns {
	LANE_BPF_RETURNS_NOTHING,
	LANE_BPF_RETURNS_STATUS,
	LANE_BPF_RETURNS_HANDLE,
};

#define LANE_BPF_NO_ARG 255

/* Where an OpenCL function has what: positions of arguments, or LANE_BPF_NO_ARG. */
struct lane_bpf_call {
	__u8 queue;
	__u8 object;
	__u8 size;
	__u8 region;
	__u8 dimensions;
	__u8 global;
	__u8 local;
	__u8 blocking;
	__u8 waits;
	__u8 event;
	__u8 error;
	__u8 returns; /* enum lane_bpf_returns */
	__u8 command; /* it enqueues one */
	__u8 one;     /* it is a kernel of one work item */
};

/* The records a ring holds that are not of fixed length are padded to this. */
#define LANE_BPF_GENERIC_PAYLOAD 32
/* The same of drivers' own events and memory's, which may end in texts. */
#define LANE_BPF_DRIVER_PAYLOAD 72

#endif

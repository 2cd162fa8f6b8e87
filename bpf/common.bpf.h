/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What all programs share: the rings, the counters, the filters, and how a record is written.
 *
 * A record is reserved first and stamped after: an event that interrupts another one between the
 * two is complete, and earlier in time, before the one it interrupts is. The collector never reads
 * past a record that is not complete, so what it has read up to some place is all that comes
 * before.
 */
#ifndef LANE_BPF_COMMON_BPF_H
#define LANE_BPF_COMMON_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include "core_fixes.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "base/event.h"
#include "capture/bpf_shared.h"

/* The collector sets the real size. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

/* One ring a CPU: order and loss are a CPU's own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* Processes that are followed: thread group -> enum lane_bpf_follow. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, __s32);
	__type(value, __u32);
} followed SEC(".maps");

/* Fence contexts of followed processes; those not used for long make room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u8);
} contexts SEC(".maps");

const volatile struct lane_bpf_config config = {};
struct lane_bpf_cpu cpus[LANE_BPF_MAX_CPUS] = {};
__u32 enabled = 0;

static __always_inline struct lane_bpf_cpu *this_cpu(void)
{
	return &cpus[bpf_get_smp_processor_id() & (LANE_BPF_MAX_CPUS - 1)];
}

/*
 * A record of this CPU, header filled; without room NULL, and the event counts as lost. *on: the
 * CPU, for record_end().
 */
static __always_inline void *record_begin(__u32 kind, __u32 origin, __u32 bytes,
					  struct lane_bpf_cpu **on)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct lane_wire *wire = NULL;
	__u64 id;

	*on = &cpus[cpu & (LANE_BPF_MAX_CPUS - 1)];
	if (ring)
		wire = bpf_ringbuf_reserve(ring, bytes, 0);
	if (!wire) {
		__sync_fetch_and_add(&(*on)->lost, 1);
		return NULL;
	}
	id = bpf_get_current_pid_tgid();
	wire->kind = kind;
	wire->origin = origin;
	wire->tid = (__s32)id;
	wire->pid = (__s32)(id >> 32);
	wire->ts_ns = bpf_ktime_get_ns();
	return wire;
}

/* Gives the record to the collector, who is woken after so many bytes, and by its own clock. */
static __always_inline void record_end(void *record, __u32 bytes, struct lane_bpf_cpu *cpu)
{
	__u64 flags = BPF_RB_NO_WAKEUP;

	cpu->since_wake += bytes;
	if (cpu->since_wake >= config.wake_bytes) {
		cpu->since_wake = 0;
		flags = BPF_RB_FORCE_WAKEUP;
	}
	bpf_ringbuf_submit(record, flags);
}

/* Declares struct record_<name>: the record of one event as it stands in the ring. */
#define RECORD(name)                                                                               \
	struct record_##name {                                                                     \
		struct lane_wire wire;                                                             \
		struct lane_p_##name p;                                                            \
	}

/* True when tgid is among those that are recorded. */
static __always_inline bool is_followed(__s32 tgid)
{
	__u32 *why;

	if (!config.follow)
		return true;
	why = bpf_map_lookup_elem(&followed, &tgid);
	return why && (*why & config.follow) == config.follow;
}

static __always_inline bool current_followed(void)
{
	return !config.follow || is_followed(bpf_get_current_pid_tgid() >> 32);
}

/* Events in interrupts and kernel threads belong to the process that owns the context. */
static __always_inline bool context_followed(__u64 context)
{
	return !config.follow || bpf_map_lookup_elem(&contexts, &context);
}

static __always_inline void context_learn(__u64 context)
{
	__u8 one = 1;

	if (!bpf_map_lookup_elem(&contexts, &context))
		bpf_map_update_elem(&contexts, &context, &one, BPF_ANY);
}

/*
 * For events that happen in the process that works with the context: true when it is to be
 * recorded; the context is then known.
 */
static __always_inline bool owner_followed(__u64 context)
{
	if (!config.follow)
		return true;
	if (!current_followed())
		return bpf_map_lookup_elem(&contexts, &context);
	context_learn(context);
	return true;
}

/* A virtual engine has not chosen its instance yet: it may still become the one asked for. */
#define VIRTUAL_INSTANCE 0xfffe

static __always_inline bool engine_wanted(__u16 class, __u16 instance)
{
	if (!config.n_engines)
		return true;
	for (__u32 i = 0; i < LANE_BPF_MAX_ENGINES; i++) {
		if (i >= config.n_engines)
			break;
		if (config.engines[i].class == class &&
		    (config.engines[i].instance == instance || instance == VIRTUAL_INSTANCE))
			return true;
	}
	return false;
}

#endif

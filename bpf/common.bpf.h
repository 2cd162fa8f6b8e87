/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What all programs share: the rings, the counters, the filters, and how a record is written.
 *
 * A CPU's ring is memory that the collector maps. A record is reserved there by moving the ring's
 * head, in one instruction, so no lock is taken and no interrupt is held off: who interrupts
 * reserves behind. A record is complete when its header says how long it is; the collector leaves
 * nothing but zeros behind.
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
#include "memory.bpf.h"

/*
 * One ring a CPU: order and loss are a CPU's own. Sizes and numbers are the collector's. Linux
 * allocates an array as a whole; rings of CPUs that are not even built in are small ones.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__uint(value_size, LANE_BPF_RING_SLACK);
} rings SEC(".maps"), spare_rings SEC(".maps");

/* What the collector waits for; it does not look at what is in it. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} bell SEC(".maps");

/* Processes that are followed: thread group -> enum lane_bpf_follow. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LANE_BPF_MAX_FOLLOWED);
	__type(key, __s32);
	__type(value, __u32);
} followed SEC(".maps");

/* Fence contexts of followed processes; those not used for long make room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LANE_BPF_MAX_CONTEXTS);
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

/* The memory of this CPU's ring; NULL: it has none. */
static __always_inline char *ring_of(const struct lane_bpf_cpu *on, __u64 *mask)
{
	__u32 ring = on->ring - 1;

	if (config.spare_mask && ring >= config.n_rings) {
		ring -= config.n_rings;
		*mask = config.spare_mask;
		return bpf_map_lookup_elem(&spare_rings, &ring);
	}
	*mask = config.ring_mask;
	return bpf_map_lookup_elem(&rings, &ring);
}

/* Who interrupts between the look and the exchange has moved the head. */
#define RESERVE_TRIES 16

/* Where a record of so many bytes, header included, may be written; false: there is no room. */
static __always_inline bool reserve(struct lane_bpf_cpu *on, __u64 bytes, __u64 mask, __u64 *at)
{
	for (int i = 0; i < RESERVE_TRIES; i++) {
		__u64 head = *(volatile __u64 *)&on->head;

		if (head + bytes - *(volatile __u64 *)&on->tail > mask + 1)
			return false;
		*at = head;
		if (__sync_val_compare_and_swap(&on->head, head, head + bytes) == head)
			return true;
	}
	return false;
}

#define RECORD_BYTES(bytes) ((sizeof(struct lane_bpf_header) + (bytes) + 7) / 8 * 8)

/*
 * A record of this CPU, all filled but its payload; without room NULL, and the event counts as
 * lost. *wakes: for record_end().
 */
static __always_inline void *record_begin(__u32 kind, __u32 origin, __u32 bytes, bool *wakes)
{
	struct lane_bpf_cpu *on = this_cpu();
	struct lane_wire *wire;
	__u64 at, id, mask;
	char *ring = ring_of(on, &mask);

	if (!ring || !reserve(on, RECORD_BYTES(bytes), mask, &at)) {
		__sync_fetch_and_add(&on->lost, 1);
		return NULL;
	}
	*wakes = (at & mask >> 2) + RECORD_BYTES(bytes) > mask >> 2;
	wire = (void *)(ring + (at & mask) + sizeof(struct lane_bpf_header));
	id = bpf_get_current_pid_tgid();
	wire->kind = kind;
	wire->origin = origin;
	wire->tid = (__s32)id;
	wire->pid = (__s32)(id >> 32);
	wire->ts_ns = bpf_ktime_get_ns();
	return wire;
}

/* Gives the record to the collector, who is woken by each quarter of a ring, and by its own clock.
 */
static __always_inline void record_end(void *record, __u32 bytes, bool wakes)
{
	struct lane_bpf_header *header = record - sizeof(*header);
	__u32 none = 0;

	store_behind(&header->bytes, bytes);
	if (wakes)
		bpf_ringbuf_output(&bell, &none, sizeof(none), BPF_RB_FORCE_WAKEUP);
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

	if (!bpf_map_lookup_elem(&contexts, &context) &&
	    !bpf_map_update_elem(&contexts, &context, &one, BPF_ANY))
		__sync_fetch_and_add(&this_cpu()->learnt, 1);
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

/* dev_name() in include/linux/device.h. */
static __always_inline const char *device_name(struct device *dev)
{
	return dev->init_name ? dev->init_name : dev->kobj.name;
}

#endif

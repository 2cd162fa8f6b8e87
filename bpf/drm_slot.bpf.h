/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What is the same of all jobs of an entity, most of it texts, kept for each entity: reading them
 * again for each job takes longer than all the rest. An entity's fence context is never used again,
 * and its scheduler outlives the entity: so the two together stand for the same texts for ever,
 * unlike the scheduler's address alone (xe has one for each queue).
 *
 * A slot has the texts of the entity that was read last of those that share it. Who writes it makes
 * its version odd, and even again when done; who read it while the version changed has read
 * nothing. Who does not find its texts there reads them, and leaves a slot alone that somebody else
 * writes.
 */
#ifndef LANE_BPF_DRM_SLOT_BPF_H
#define LANE_BPF_DRM_SLOT_BPF_H

#include <stdbool.h>

#include "base/event.h"
#include "memory.bpf.h"

/* What does not change as long as a scheduler lives: as the payload has it. */
struct drm_texts {
	__u32 queue_flags;
	__u32 timeout_ms;
	char name[LANE_RING_BYTES];
	char dev[32];
	char driver[16];
} __attribute__((aligned(8)));

struct drm_slot {
	__u32 version;
	__u32 unused;
	__u64 sched;
	__u64 context; /* 0: not filled yet */
	struct drm_texts texts;
};

/* Copies the texts of the entity to `to`, if the slot has them. If false, `to` may be written. */
static __always_inline bool drm_slot_get(struct drm_slot *slot, __u64 context, __u64 sched,
					 void *to)
{
	__u32 version = load_in_order(&slot->version);

	if (version & 1 || slot->context != context || slot->sched != sched)
		return false;
	copy_words(to, &slot->texts, sizeof(slot->texts));
	return load_in_order(&slot->version) == version;
}

static __always_inline void drm_slot_put(struct drm_slot *slot, __u64 context, __u64 sched,
					 const struct drm_texts *texts)
{
	__u32 version = load_in_order(&slot->version);

	if (version & 1 ||
	    __sync_val_compare_and_swap(&slot->version, version, version + 1) != version)
		return;
	copy_words(&slot->texts, texts, sizeof(*texts));
	slot->sched = sched;
	slot->context = context;
	store_behind(&slot->version, version + 2);
}

#endif

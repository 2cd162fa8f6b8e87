/* SPDX-License-Identifier: MIT */
/*
 * The BPF object: loaded as a plan says, attached, and what it shares with the collector.
 */
#ifndef LANE_CAPTURE_BPF_LOAD_H
#define LANE_CAPTURE_BPF_LOAD_H

#include "capture/bpf_kernel.h"
#include "capture/bpf_loss.h"
#include "capture/bpf_plan.h"
#include "capture/bpf_ring.h"

struct lane_bpf_object;

/*
 * Loads and attaches what the plan says, with rings in this memory; nothing is recorded yet. A
 * program that the kernel refuses makes a new plan without it; the plan ends up with what is really
 * attached. *object is the caller's, capture_bpf_unload frees it.
 */
struct lane_error *
capture_bpf_load(struct lane_bpf_running *running, const struct lane_capture_config *config,
		 const struct lane_bpf_config *settings, const struct lane_bpf_memory *rings,
		 const struct lane_bpf_memory *spare_rings, struct lane_bpf_plan *plan,
		 struct lane_bpf_object **object) LANE_MUST_CHECK;

/* Records from now on, or no more. */
void capture_bpf_enable(struct lane_bpf_object *object, bool on);

/* What is shared with the programs of a CPU, written by them while it is read. */
volatile struct lane_bpf_cpu *capture_bpf_cpu(const struct lane_bpf_object *object,
					      unsigned int cpu);

/* The ring buffer that the programs write something to when a CPU's ring has filled by a quarter.
 */
int capture_bpf_bell_fd(const struct lane_bpf_object *object);

/* The map of followed processes. */
int capture_bpf_followed_fd(const struct lane_bpf_object *object);

/* The LANE_BPF_STACK_DEPTH addresses of a stack, 0 behind the last one. False: it is not there. */
bool capture_bpf_stack(const struct lane_bpf_object *object, bool user, uint32_t id,
		       uint64_t *addresses);

/* The copy of that number. False: a later one has its place. */
bool capture_bpf_stack_copy(const struct lane_bpf_object *object, uint32_t number,
			    struct lane_bpf_stack_copy *copy);

/* From now on the CPU is looked at LANE_BPF_SAMPLE_HZ times a second. False: it cannot be. */
bool capture_bpf_sample(struct lane_bpf_object *object, unsigned int cpu);

/*
 * What tells every thread that this namespace sees, by its numbers in the first one; -1 when this
 * process is in that namespace, and /proc tells the same.
 */
int capture_bpf_tasks_fd(const struct lane_bpf_object *object);

/* Since the object was loaded. 0 where the kernel does not tell. */
struct lane_bpf_missed capture_bpf_missed(const struct lane_bpf_object *object);

/* Detaches everything and frees; NULL is allowed. */
void capture_bpf_unload(struct lane_bpf_object *object);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What happened lately, to say who delayed whom: the last runs of each engine, who had whose CPU,
 * who preempted whom. It subscribes to a timeline; memory is fixed for each engine.
 */
#ifndef LANE_WATCH_WITNESS_H
#define LANE_WATCH_WITNESS_H

#include "latency/latency.h"

#define LANE_WITNESS_RUNS   512 /* of each engine */
#define LANE_WITNESS_NOTES  2048
#define LANE_WITNESS_CHAINS 1024 /* a power of two */
#define LANE_CULPRIT_BYTES  16
#define LANE_CULPRIT_ITSELF "itself"

struct lane_witness_engine;

/* From begin to end somebody (culprit) had what somebody else (of) needed. */
struct lane_witness_note {
	uint64_t of, number; /* a thread; or a request: context's id and seqno */
	uint64_t begin_ns, end_ns;
	uint64_t before; /* the count of the note before it that shares its chain, from 1 on; 0:
			    none */
	char culprit[LANE_CULPRIT_BYTES];
};

/* The last notes, and for each chain the count of its last one: a question looks at one chain only.
 */
struct lane_witness_notes {
	struct lane_witness_note note[LANE_WITNESS_NOTES];
	uint64_t last[LANE_WITNESS_CHAINS];
	uint64_t count; /* of all notes there were */
};

struct lane_witness {
	struct lane_witness_engine **engines; /* by id */
	uint32_t n_engines;
	struct lane_witness_notes *starved, *preempted, *waits;
	bool no_memory;
};

struct lane_error *watch_witness_init(struct lane_witness *witness) LANE_MUST_CHECK;

/* What it is to be told: as the hooks of the same names. */
void watch_witness_run(struct lane_witness *witness, const struct lane_run *run);
void watch_witness_starvation(struct lane_witness *witness, const struct lane_starvation *told);
void watch_witness_preemption(struct lane_witness *witness, const struct lane_preemption *told);
/* *culprit: who had the CPU of the waiting thread longest since the request's signal, "": nobody.
 */
void watch_witness_wait(struct lane_witness *witness, const struct lane_wait *wait,
			char culprit[LANE_CULPRIT_BYTES]);

/* Who delayed a request in a stage that is known; "": nobody, or it is not known. */
void watch_witness_culprit(const struct lane_witness *witness, const struct lane_request *rq,
			   enum lane_stage stage, char culprit[LANE_CULPRIT_BYTES]);

/* Who had the CPU of that thread longest in [begin_ns, end_ns]; how long. "": nobody. */
uint64_t watch_witness_starver(const struct lane_witness *witness, int32_t tid, uint64_t begin_ns,
			       uint64_t end_ns, char culprit[LANE_CULPRIT_BYTES]);

void watch_witness_deinit(struct lane_witness *witness);

#endif

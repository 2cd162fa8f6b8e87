/* SPDX-License-Identifier: MIT */
/*
 * The parts of the global memory model: events, multiprocessors and clusters (global.c), and the
 * memory controller's partitions (controller.c).
 */
#ifndef LANE_MODEL_GLOBAL_INTERNAL_H
#define LANE_MODEL_GLOBAL_INTERNAL_H

#include "model/papers/global.h"

#define NOTHING UINT32_MAX

enum event_kind {
	EVENT_WARP,   /* a warp can issue its next instruction */
	EVENT_UNIT,   /* a multiprocessor issues */
	EVENT_ARRIVE, /* a transaction is at its partition */
	EVENT_BOUNCE, /* "retry later" is back at the cluster */
	EVENT_RESEND, /* the cluster tries again */
	EVENT_ANSWER, /* an acknowledgement or result is back */
	EVENT_SERVE,  /* a partition's DRAM is free */
	EVENT_BANK,   /* a bank can open another page */
	EVENT_DATA,   /* an atomic's data is there */
	EVENT_UNLOCK, /* the ALU is done with an atomic */
};

struct event {
	uint64_t time;
	uint64_t order; /* of creation: ties go first come, first served */
	uint32_t what;	/* the warp, unit, transaction or partition */
	enum event_kind kind;
};

/* One request on the bus: a segment's lanes. */
struct transaction {
	uint64_t address; /* of its first lane's word */
	uint64_t serial;  /* order of creation */
	uint32_t warp;
	uint32_t next; /* in a list of a cluster, or of free ones */
	uint16_t bytes;
	uint16_t lanes;
	uint16_t same;	/* most lanes on one word */
	uint8_t op;	/* LANE_GLOBAL_LOAD, STORE, RED or ATOMIC */
	uint8_t locked; /* its atomic is under way */
};

struct list {
	uint32_t first;
	uint32_t last;
};

struct warp {
	uint64_t before; /* the clock that was read before the operation */
	uint32_t step;	 /* within the iteration */
	uint32_t iteration;
	uint32_t pending; /* transactions that are not answered */
	uint32_t next;	  /* in the ready list of its multiprocessor */
};

struct unit {
	struct list ready;
	uint64_t free_at;
	int scheduled; /* an EVENT_UNIT is under way */
};

struct cluster {
	struct list backlog; /* transactions that have no place in the queue yet */
	uint32_t in_flight;  /* places of the queue that are taken */
	uint64_t out_free;   /* when the link to the controller is free */
	uint64_t back_free;  /* and the one from it */
};

struct partition {
	uint32_t *queue; /* transactions, in the order of arrival */
	uint32_t n;
	uint32_t write_backs; /* bursts of finished atomics that wait for the DRAM */
	uint64_t dram_free;
	uint64_t alu_free;
	uint64_t newest; /* serial of the youngest atomic that has ended */
	int scheduled;	 /* an EVENT_SERVE is under way */
	struct bank {
		uint64_t page;	  /* that is open */
		uint64_t free_at; /* when it can open another one */
		int awaited;	  /* an EVENT_BANK is under way */
	} bank[LANE_GLOBAL_BANKS];
};

/* The numbers of [global], see docs/models/devices.md. */
struct numbers {
	uint32_t clusters, units_per_cluster, partitions, partition_bytes, segment_bytes,
		lock_bytes;
	uint32_t cluster_queue, controller_queue;
	uint32_t issue, latency, hop, packet, retry, dram_latency, dram_burst, alu_lanes, alu;
	uint32_t banks, page_bytes, bank_busy, loop_free, loop_bound, loop_latency;
};

struct simulation {
	struct numbers n;
	struct lane_global_work work;
	struct lane_global_result *result;
	uint32_t lanes; /* of a warp that take part */
	uint32_t n_units;
	uint32_t n_warps;
	struct warp *warp;
	struct unit *unit;
	struct cluster *cluster;
	struct partition *partition;
	struct transaction *transaction;
	uint32_t free_transaction;
	struct event *heap;
	uint32_t n_events;
	uint32_t heap_room;
	uint64_t events_made;
	uint64_t now;
	double sum, sum_squares;
	uint64_t steps;
	uint32_t *partition_slots; /* memory of all queues */
};

/* Adds an event; there is always room (see heap_room). */
void model_global_at(struct simulation *s, uint64_t time, enum event_kind kind, uint32_t what);

/* Sends packets from the controller to the transaction's cluster; it hears of kind when they are
 * there. */
void model_global_answer(struct simulation *s, uint32_t index, enum event_kind kind,
			 uint32_t packets);

/* Gives a transaction back. */
void model_global_release(struct simulation *s, uint32_t index);

/* The controller's events. */
void model_controller_arrive(struct simulation *s, uint32_t index);
void model_controller_serve(struct simulation *s, uint32_t partition);
void model_controller_bank(struct simulation *s, uint32_t bank);
void model_controller_data(struct simulation *s, uint32_t index);
void model_controller_unlock(struct simulation *s, uint32_t index);

#endif

/* SPDX-License-Identifier: MIT */
/* The layer's book: Level Zero's objects, and what is known of each. For the files that keep it. */
#ifndef LANE_LEVELZERO_BOOK_H
#define LANE_LEVELZERO_BOOK_H

#include <pthread.h>

#include "levelzero/ze_layer.h"

#define LANE_ZE_BUCKETS (1 << 12)

enum ze_kind {
	ZE_DEVICE,
	ZE_CONTEXT,
	ZE_POOL,
	ZE_EVENT,
	ZE_KERNEL,
	ZE_LIST,  /* a regular list */
	ZE_QUEUE, /* a queue, or an immediate list */
	ZE_FENCE,
};

struct ze_object;

/* A command that was submitted and not told as complete; or what is no command, but signals an
 * event. */
struct ze_run {
	struct ze_run *next, *prev; /* of its queue, by age */
	struct ze_object *queue, *event;
	uint64_t number;
	uint64_t covers; /* all from this number on are complete when it is */
	uint32_t type;	 /* 0: no command, it is not told */
	bool is_stale;	 /* its event may be signalled already, or by another */
	bool is_loose;	 /* its event's times may be another's */
};

/* What each launch needs of an event or a kernel comes first: two lines of the cache. */
struct ze_object {
	struct ze_object *next; /* of its bucket */
	void *handle;
	enum ze_kind kind;
	bool is_told, is_in_order, is_synchronous, is_cloneable;
	/* pool, event */
	bool has_times, is_hidden, is_owned, is_counter;
	bool is_clean;		 /* the host has reset it, and nothing was to signal it since */
	bool is_stale;		 /* before what is to signal it next */
	struct ze_run *run;	 /* that the event will tell of */
	struct ze_object *loose; /* a queue where others may signal it, too; NULL: none */
	struct ze_object *context, *device, *list;
	/* context: events of ours that nobody uses, linked by `free` */
	struct ze_object *free, *pools;
	void *home; /* its pool */
	/* kernel */
	uint64_t group;
	/* list */
	struct lane_ze_append *items;
	uint32_t n_items, room;
	/* queue */
	struct ze_run *first, *last;
	uint32_t n_runs, poll_from;
	/* fence: what was submitted up to then */
	void *queue;
	uint64_t number;
	/* device */
	uint64_t hz, mono_ns, ticks;
	uint32_t bits, kernel_bits;
	char name[128]; /* a kernel's, too */
};

struct ze_book {
	pthread_mutex_t lock; /* of all below, and of all objects */
	struct ze_object *buckets[LANE_ZE_BUCKETS];
	struct ze_run *unused;
	uint64_t last_number;
	unsigned int capturing; /* lists whose commands go to a graph */
};

extern struct ze_book lane_ze_book;

/* --- ze_book.c: all but these two with the lock held --- */

void levelzero_lock(void);
void levelzero_unlock(void);
/* What is under the handle; NULL: nothing that is known. */
struct ze_object *levelzero_object(const void *handle);
/* Likewise, if it is of the kind. */
struct ze_object *levelzero_find(const void *handle, enum ze_kind kind);
/* A new object under the handle; NULL: no memory. */
struct ze_object *levelzero_make(void *handle, enum ze_kind kind);
/* The one that is there, or a new one. */
struct ze_object *levelzero_get(void *handle, enum ze_kind kind);
/* Forgets and frees it; NULL is allowed. */
void levelzero_drop(struct ze_object *object);

/* --- ze_clocks.c: with the lock held --- */

/* NULL: its clock is not known. */
struct ze_object *levelzero_device(void *handle);
/* Reads the device's clock between two events. */
void levelzero_read_clock(struct ze_object *device);
/* Puts an event's times, in ns, into what is told of its command. */
void levelzero_put_times(const struct ze_object *device, const struct lane_ze_times *times,
			 struct lane_p_opencl_command *told);

/* --- ze_runs.c: with the lock held --- */

/* All of a queue that was submitted up to a number is complete. */
void levelzero_finish(struct ze_object *queue, uint64_t number);
/* A command that is complete. */
void levelzero_reap(struct ze_run *run);
/* An event of ours is free; of others, and NULL, nothing becomes. */
void levelzero_give_back(struct ze_object *event);
/* The event will lose what it knows: what it can tell is told. NULL is allowed. */
void levelzero_settle_object(struct ze_object *event);

#endif

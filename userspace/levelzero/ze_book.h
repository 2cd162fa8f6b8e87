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
	struct ze_run *next, *prev; /* of its queue, by age; or of those that are to be told */
	struct ze_object *queue;    /* NULL: it stands in none any more */
	struct ze_object *event;    /* the program's, that says when it is complete; NULL: none */
	struct ze_object *own;	    /* ours, with its times; NULL: none */
	void *queue_handle, *event_handle;
	const struct ze_object *device; /* NULL: its clock is not known */
	uint64_t number;
	uint64_t covers;   /* all from this number on are complete when it is */
	uint64_t since_ns; /* it was submitted after this; 0: the device's times are whole */
	uint32_t type;	   /* 0: no command, it is not told */
	bool has_times;	   /* the program's event has them */
	bool is_stale;	   /* the program's event may be signalled already, or by another */
	bool is_loose;	   /* the program's event's times may be another's */
	bool is_own_stale, is_own_loose; /* likewise ours, of a list that is executed again */
};

/* Runs that were taken out of their queues, to be told of without the lock. */
struct ze_chain {
	struct ze_run *first, *last;
};

/* What each launch needs of an event or a kernel comes first: two lines of the cache. */
struct ze_object {
	struct ze_object *next; /* of its bucket; of its context, an event of ours */
	void *handle;
	enum ze_kind kind;
	bool is_told, is_in_order, is_synchronous, is_cloneable;
	/* pool, event */
	bool has_times, is_counter;
	bool is_special; /* it was made with extensions, or is shared with another process */
	bool is_clean; /* it is new or the host has reset it, and nothing was to signal it since */
	bool is_for_host;	 /* the host is to see what was done before it */
	struct ze_run *run;	 /* that the event will tell of */
	struct ze_object *loose; /* a queue where others may signal it, too; NULL: none */
	void *lost_on;		 /* that queue, where the last of them has lost_number */
	uint64_t lost_number;
	struct ze_object *context, *device, *list;
	uint64_t told_number; /* of the run that the event tells of, or told of; 0: none */
	/* context: events of ours that nobody uses, linked by `free`; for the host in [1] */
	struct ze_object *free[2], *pools, *events;
	/* event: its pool, and others of it; pool: the first */
	struct ze_object *home, *before, *behind;
	/* kernel */
	uint64_t group;
	/* list */
	struct lane_ze_append *items;
	uint32_t n_items, room;
	/* queue */
	struct ze_run *first, *last;
	uint32_t n_runs, poll_from;
	uint64_t done_number; /* all up to it is complete */
	/* fence: what was submitted up to then */
	void *queue;
	uint64_t number;
	/* device */
	uint64_t hz, mono_ns, ticks;
	uint32_t bits, kernel_bits;
	char name[128]; /* a kernel's, too */
};

struct ze_book {
	/* Of all below, and of all objects. The runtime is asked with it for a device's first clock
	 * alone. */
	pthread_mutex_t lock;
	struct ze_object *buckets[LANE_ZE_BUCKETS];
	struct ze_object *devices; /* whose clocks are known, linked by `behind`; they stay */
	struct ze_run *unused;
	uint64_t last_number;
	unsigned int capturing;	  /* lists whose commands go to a graph */
	bool has_unknown_signals; /* events may be signalled by functions that are not known */
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

/* --- ze_clocks.c --- */

/* With the lock held. NULL: its clock is not known. */
struct ze_object *levelzero_device(void *handle);
/* Reads the device's clock between two events. */
void levelzero_read_clock(struct ze_object *device);
/* The time of a submission, for a device whose times have few bits; 0: they are whole. */
uint64_t levelzero_since(const struct ze_object *device);
/* Puts an event's times, in ns, into what is told of its command; none where it is not known which
 * turn of the device's clock they are of. */
void levelzero_put_times(const struct ze_run *run, const struct lane_ze_times *times,
			 struct lane_p_opencl_command *told);

/* --- ze_runs.c: with the lock held --- */

/* A command was submitted. covers: 0: all of its queue before it; otherwise from this number on. */
uint64_t levelzero_submit(struct ze_object *queue, struct ze_object *event, struct ze_object *own,
			  uint32_t type, uint64_t covers);
/* All of a queue that was submitted up to a number is complete. */
void levelzero_finish(struct ze_object *queue, uint64_t number, struct ze_chain *chain);
/* What an event of ours told of last is complete, if it was not told. */
void levelzero_finish_own(struct ze_object *own, struct ze_chain *chain);
/* The event will tell of its command no more, which may signal it nevertheless. */
void levelzero_lose(struct ze_object *event);
/* Whether nothing that it told of once can signal the event any more. */
bool levelzero_is_idle(struct ze_object *event);
/* So many are under way in a queue that it is looked at: levelzero_poll(). */
bool levelzero_is_long(const struct ze_object *queue);
/* An event of ours that is free; NULL: one may be made. */
struct ze_object *levelzero_free_own(struct ze_object *context, bool is_for_host);

/* --- ze_runs.c: without the lock --- */

/* Tells of commands that are complete. */
void levelzero_tell(struct ze_chain *chain);
/* Tells what is complete of a queue, from the oldest on, if that is much. */
void levelzero_poll(void *queue);
/* Whether nothing is under way that an event of ours is to tell of: else that is told, if it is
 * complete. */
bool levelzero_is_over(struct ze_object *own);
/* The program's event was taken from what it told of: waits until nobody asks it any more. */
void levelzero_leave_alone(void);

/* --- ze_own.c --- */

/* An event of ours; NULL: none can be had. Without the lock, as what follows. */
struct ze_object *levelzero_own_event(struct ze_object *context, bool is_for_host);
/* Resets one that was given out, for it to be given back. is_over: nothing is under way that
 * signals it. */
bool levelzero_clean(struct ze_object *own, bool is_over);
/* The context's events of ours, and their pools, are destroyed. */
void levelzero_destroy_own(struct ze_object *context);
/* It is free again. With the lock held. */
void levelzero_give_back(struct ze_object *own);

#endif

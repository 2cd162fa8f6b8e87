/* SPDX-License-Identifier: MIT */
/*
 * What the files about OpenCL share: calls, queues, commands, and the requests that a queue's
 * process made while commands waited.
 */
#ifndef LANE_TIMELINE_COMMAND_H
#define LANE_TIMELINE_COMMAND_H

#include "base/opencl.h"
#include "clock/clock.h"
#include "timeline/command_order.h"
#include "timeline/state.h"

/* Commands that are open at a time; the oldest is told as it is when there are more. */
#define LANE_COMMANDS_MAX 65536

/* Requests that a queue keeps for commands that are not over. */
#define LANE_MADE_MAX 4096

/* Commands that a device waits for to put the others in order. */
#define LANE_ORDER_LIMIT 8192

/* A request that a process with OpenCL queues has made. */
struct lane_cl_rq {
	struct lane_request story; /* the latest copy; its context and engine stay */
	uint32_t refs;		   /* entries of queues, and one while it is open */
	uint64_t made_ns;
	bool is_open; /* it is still in the timeline */
};

/* How a request was made. */
enum lane_made_how {
	LANE_MADE_ALONE,   /* in the command's own call, nothing else of its queue waiting */
	LANE_MADE_FLUSH,   /* in a call that makes the driver hand over all that waits */
	LANE_MADE_CALL,	   /* in another command's call: what waited, that one perhaps */
	LANE_MADE_CONTEXT, /* elsewhere, on the queue's context */
	LANE_MADE_SHARED,  /* elsewhere, on a context that several queues use */
	LANE_MADE_UNKNOWN, /* elsewhere in the process, on a context of no known queue */
};

struct lane_cl_cmd;
struct lane_cl_process;
struct lane_cl_thread;

/* In a queue's log: a request, and the commands of the queue it may have carried. */
struct lane_cl_made {
	struct lane_cl_rq *rq;
	uint64_t first, last; /* their places in the queue */
	uint8_t how;
};

/* A device of a process, as its driver shows it: one clock. */
struct lane_cl_device {
	struct lane_sync sync;
	bool foreseen; /* from an earlier reading: complete */
	struct lane_order *order;
	struct lane_cl_device *next;
	int32_t pid;
	uint64_t handle;
	char name[128];
};

struct lane_cl_q {
	struct lane_cl_queue pub;
	struct lane_cl_device *device;
	struct lane_cl_process *process;
	struct lane_cl_q *sibling;	  /* next of the same process */
	struct lane_cl_cmd *first, *last; /* not told yet, by place */
	uint64_t next_place;
	uint64_t waiting_from;	  /* place of the first command not known to be handed over */
	uint64_t crowded_to;	  /* commands up to this place have lost entries of the log */
	struct lane_cl_made *log; /* a ring by time */
	uint32_t log_head, log_n, log_cap;
};

struct lane_cl_cmd {
	struct lane_command pub;
	struct lane_cl_q *queue;
	struct lane_cl_cmd *next, *prev;	 /* of its queue */
	struct lane_cl_cmd *old_next, *old_prev; /* of all that are open, by age */
	struct lane_cl_device *device;
	uint64_t place; /* in its queue */
	uint64_t ticket;
	struct lane_cl_thread *caller; /* while it is in its call */
	uint64_t event;		       /* handle of its event, 0: not known */
	uint64_t finished_ns;	       /* a call that waits for it had returned */
	char name[64];
	struct lane_request first_story, last_story;
	bool linked;   /* in its queue */
	bool ticketed; /* holds a ticket of its device */
	bool is_back;  /* complete, waits for its turn */
	bool is_early; /* complete before its call was seen to return */
	bool numbered; /* in the table of numbers */
	uint8_t times; /* bits of the times that came one by one */
};

/* A thread that calls OpenCL. */
struct lane_cl_thread {
	struct lane_call call;
	struct lane_cl_q *queue;
	struct lane_cl_cmd *cmd; /* that the call enqueues */
	bool is_inside;
	bool flushed;	     /* requests were made in it */
	uint64_t flushed_to; /* when it returns, commands before this place are handed over */
	uint32_t kind;	     /* enum lane_cl_kind of the function */
};

struct lane_cl_kernel {
	char name[64];
};

/* A process that has queues. */
struct lane_cl_process {
	struct lane_cl_q *queues;
	uint32_t n_queues;
	uint32_t enqueueing; /* calls that are about to make a command */
};

struct lane_cl {
	struct lane_table queues;    /* (handle, pid) */
	struct lane_table devices;   /* (handle, pid) */
	struct lane_table kernels;   /* (handle, pid) */
	struct lane_table threads;   /* (tid, 0) */
	struct lane_table processes; /* (pid, 0) */
	struct lane_table commands;  /* (number, pid) */
	struct lane_table events;    /* (event, pid): open commands */
	struct lane_table requests;  /* (context id, seqno): open requests made by such processes */
	struct lane_table
		fits; /* (context id, queue id): commands in a row that fit it, as a number */
	struct lane_table contexts; /* (context id, 0): the queue it belongs to */
	struct lane_pool queue_pool, device_pool, kernel_pool, thread_pool, process_pool, cmd_pool,
		rq_pool;
	struct lane_cl_q **queue_by_id;
	uint32_t n_queues, cap_queues;
	struct lane_cl_device *first_device, *last_device;
	struct lane_cl_cmd *oldest, *newest;
	uint32_t n_open;
	struct lane_cl_q shared; /* in the table of contexts: several queues use it */
	bool has_completions;	 /* the trace has opencl_command */
	struct lane_command_figures figures;
};

/* command_match.c */
/* A request was made: by which call, for which commands. */
void timeline_cl_request_made(struct lane_timeline *tl, const struct lane_event *event);
/* A call has returned: what it flushed is no longer waiting. */
void timeline_cl_call_over(struct lane_cl_thread *thread);
/* Forgets the log's entries that no command of the queue can need. */
void timeline_cl_trim(struct lane_timeline *tl, struct lane_cl_q *queue);

/* The latest of a request's story. */
void timeline_cl_copy_story(struct lane_cl_rq *rq, const struct lane_request *from);
/* The queue's commands come on that context. */
void timeline_cl_learn(struct lane_timeline *tl, struct lane_cl_q *queue,
		       const struct lane_context *context);

/* The i-th entry of the queue's log, from the oldest. */
static inline struct lane_cl_made *timeline_cl_made_at(const struct lane_cl_q *queue, uint32_t i)
{
	return &queue->log[(queue->log_head + i) & (queue->log_cap - 1)];
}

/* command_weigh.c: finds the requests of a command whose times are set. */
void timeline_cl_match(struct lane_timeline *tl, struct lane_cl_cmd *cmd);

/* command_queue.c: the objects, found by handle or made; NULL: no memory. */
struct lane_cl *timeline_cl_get(struct lane_timeline *tl);
struct lane_cl_q *timeline_cl_queue_get(struct lane_timeline *tl, uint64_t handle, int32_t pid);
void timeline_cl_queue_created(struct lane_timeline *tl, const struct lane_event *event);
void timeline_cl_kernel_created(struct lane_timeline *tl, const struct lane_event *event);
struct lane_cl_thread *timeline_cl_thread_get(struct lane_timeline *tl, int32_t tid, int32_t pid);
struct lane_cl_cmd *timeline_command_new(struct lane_timeline *tl);
void timeline_command_link(struct lane_timeline *tl, struct lane_cl_q *queue,
			   struct lane_cl_cmd *cmd);
void timeline_command_unlink(struct lane_timeline *tl, struct lane_cl_cmd *cmd);
void timeline_command_number(struct lane_timeline *tl, struct lane_cl_cmd *cmd, uint64_t number,
			     int32_t pid);

#endif

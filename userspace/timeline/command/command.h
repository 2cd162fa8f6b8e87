/* SPDX-License-Identifier: MIT */
/* What the files about OpenCL share: calls, queues, commands, and the requests that a process made
 * while its commands waited. */
#ifndef LANE_TIMELINE_COMMAND_H
#define LANE_TIMELINE_COMMAND_H

#include "base/opencl.h"
#include "clock/clock.h"
#include "timeline/command/command_order.h"
#include "timeline/command/command_runs.h"
#include "timeline/state.h"

/* The most commands that are open at a time. Beyond that the oldest is told as it is. */
#define LANE_COMMANDS_MAX 65536

/* Stands in the table of numbers with those of Level Zero's commands. */
#define LANE_LEVELZERO_NUMBER (1ull << 63)

/* The most names of kernels of which it is known how long they take. */
#define LANE_TOOK_MAX 4096

#define LANE_CL_OUT_OF_ORDER 1 /* CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE */

/* The most requests that a queue keeps for its open commands. */
#define LANE_MADE_MAX 4096

/* The most commands that a device waits for to put the others in order. */
#define LANE_ORDER_LIMIT 8192

/* A pid as part of a key. */
static inline uint64_t timeline_cl_key(int32_t pid)
{
	return (uint32_t)pid;
}

/* A request that a process with OpenCL queues has made. */
struct lane_cl_rq {
	struct lane_request story; /* the latest copy; its context and engine live as long as the
				    * timeline */
	uint32_t refs;		   /* log entries that refer to it, and one while it is open */
	uint64_t made_ns;
	struct lane_span off[LANE_COMMAND_OFFS]; /* it was certainly preempted then */
	uint32_t n_off;
	bool is_open; /* it is still in the timeline */
};

/* How a request was made. */
enum lane_made_how {
	LANE_MADE_ALONE,   /* in the command's own call, when nothing else of its queue waited */
	LANE_MADE_FLUSH,   /* in a call that makes the driver submit all that waits */
	LANE_MADE_CALL,	   /* in a command's call: for what waited, and perhaps for that command */
	LANE_MADE_CONTEXT, /* outside of the queue's calls, on the queue's context */
	LANE_MADE_SHARED,  /* the same, on a context that several queues use */
	LANE_MADE_UNKNOWN, /* the same, on a context of no known queue */
};

struct lane_cl_cmd;
struct lane_cl_process;
struct lane_cl_thread;

/* An entry of a queue's log: a request, and the commands of the queue that it may have carried. */
struct lane_cl_made {
	struct lane_cl_rq *rq;
	uint64_t first, last; /* their places in the queue */
	uint8_t how;
};

/* What devices of several processes are. */
struct lane_cl_gpu {
	struct lane_order *order; /* of all their commands */
	struct lane_cl_device *devices;
	bool has_dev; /* dev is the kernel's device that its requests were on */
	uint32_t dev;
	bool is_unsure; /* it may be several, or there are devices on it whose clock is not known */
};

/* What may have carried commands, by time. */
struct lane_cl_log {
	struct lane_cl_made *made;
	uint32_t head, n, cap; /* head: the oldest one */
};

/* The bursts of one of a process's contexts. */
struct lane_cl_ring {
	const struct lane_context *context;
	struct lane_cl_ring *next; /* of the process */
	struct lane_cl_log log;
	uint64_t crowded_ns; /* bursts that were made before were dropped */
	/* Then a kernel went into a burst of it without a job of its own, for the first time; 0:
	 * none has. */
	uint64_t fed_ns;
	uint64_t restarted_ns; /* the job was made then whose restart was told last */
};

/* A device as one process sees it: it has one clock. */
struct lane_cl_device {
	struct lane_sync sync;
	bool foreseen; /* the clock is from an earlier reading, and complete */
	bool is_exact; /* its driver tells queued and submitted times by the device's clock */
	/* The first reading of its clock with a host's time, and how long it took; 0: there is
	 * none. */
	uint64_t first_device_ns, first_host_ns, first_took_ns;
	uint64_t read_ns, took_ns; /* by the CPU's clock, the last one */
	uint64_t slip_ppb;	   /* at most so wrong is the rate, by the host's clock */
	bool is_used[2];	   /* by OpenCL's commands, by Level Zero's */
	struct lane_order *own_order, *order; /* order: the GPU's, if that is known */
	struct lane_cl_gpu *gpu;	      /* NULL: not known */
	struct lane_cl_device *next_on_gpu;
	struct lane_cl_process *process; /* NULL: no command of it has been seen */
	struct lane_cl_runs runs;
	uint64_t last_ns; /* by the CPU's clock all its commands that were told had ended by then */
	uint32_t n_open;
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
	struct lane_cl_cmd *first, *last; /* commands not told yet, by place */
	uint32_t n_lost_exits;		  /* so many of them have lost it */
	struct lane_cl_runs runs;
	uint64_t next_place;
	uint64_t waiting_from; /* place of the first command that is not known to be submitted */
	uint64_t crowded_to;   /* log entries of commands up to this place were dropped */
	struct lane_cl_log log;
	const struct lane_cl_ring *ring; /* whose bursts carry its kernels; NULL: not known */
	bool is_of_rings;		 /* of several */
	uint64_t moved_ns;		 /* a command of it was complete then, last; 0: none */
};

struct lane_cl_cmd {
	struct lane_command pub;
	struct lane_cl_q *queue;
	struct lane_cl_cmd *next, *prev;	 /* of its queue */
	struct lane_cl_cmd *old_next, *old_prev; /* of all that are open, by age */
	struct lane_cl_device *device;
	uint64_t place; /* in its queue */
	uint64_t key;	/* its number in the table of numbers */
	uint64_t ticket;
	struct lane_cl_thread *caller; /* the thread that is in the command's call; NULL: none */
	uint64_t event, fence; /* handles of what tells of its end, 0: not known; fence: of all up
				* to it, a barrier's event too */
	uint64_t finished_ns;  /* a call that waited for it returned then; 0: none */
	uint64_t read_ns, took_ns; /* its device's, at the call */
	char name[64];
	struct lane_octaves *took; /* its kernel's; NULL: not known */
	struct lane_request first_story, last_story;
	bool linked;	    /* in its queue */
	bool ticketed;	    /* holds a ticket of its device */
	bool is_back;	    /* it is complete, and waits for its turn in the order */
	bool is_early;	    /* it was complete before its call returned */
	bool numbered;	    /* in the table of numbers */
	bool has_lost_exit; /* its call's, which has its number */
	uint8_t times; /* set of the times (1 << enum lane_command_time) that came one by one */
};

/* A thread that calls OpenCL. */
struct lane_cl_thread {
	struct lane_call call;
	struct lane_cl_q *queue;
	struct lane_cl_cmd *cmd; /* the command that the call enqueues; NULL: none */
	bool is_inside;
	char awaited_name[64];
	struct lane_span ran; /* of the thread, up to its call's begin */
	bool has_launched;    /* a kernel, since it last waited or enqueued */
	bool flushed;	      /* requests were made in the call */
	uint64_t flushed_to;  /* when the call returns, the commands before this place are
			       * submitted */
	uint32_t kind;	      /* enum lane_cl_kind of the function */
	uint64_t clock_ns;    /* it reads a device's clock since then; 0: it does not */
	/* OpenCL on Level Zero: the call of OpenCL in which it called Level Zero; NULL: none. */
	struct lane_cl_thread *outer;
};

struct lane_cl_kernel {
	char name[64];
	bool has_atomics;	   /* as the source says that it was made of */
	struct lane_octaves *took; /* of all of its process that have this name; NULL: too many */
};

/* A process that has queues. */
struct lane_cl_process {
	struct lane_cl_q *queues;
	struct lane_cl_ring *rings; /* of jobs that are bursts, or may be */
	uint32_t n_queues;
	uint32_t enqueueing; /* threads that are in a call that makes a command */
	char comm[16];	     /* as the first queue of it says that says any; "" */
};

struct lane_cl {
	struct lane_table gpus;	   /* (name's hash, 0), and devices by it, process and API */
	struct lane_table queues;  /* (handle, pid) */
	struct lane_table devices; /* (handle, pid) */
	struct lane_table kernels; /* (handle, pid) */
	struct lane_table
		atomics;	/* (name's hash, pid): not NULL where a function of it has some */
	struct lane_table took; /* (kernel's name's hash, pid): how long its runs took */
	struct lane_table threads;   /* (tid, 0) */
	struct lane_table processes; /* (pid, 0) */
	struct lane_table commands;  /* (number, pid) */
	struct lane_table events;    /* (event, pid): open commands */
	struct lane_table requests;  /* (context id, seqno): open requests made by such processes */
	struct lane_table
		fits; /* (context id, queue id): number of commands in a row that fit it */
	struct lane_table contexts; /* (context id, 0): the queue whose commands it carries */
	struct lane_table rings;    /* (context id, pid) */
	struct lane_pool gpu_pool, queue_pool, device_pool, kernel_pool, thread_pool, process_pool,
		cmd_pool, rq_pool, ring_pool, took_pool;
	uint32_t n_took;
	struct lane_cl_q **queue_by_id;
	uint32_t n_queues, cap_queues;
	struct lane_cl_device *first_device, *last_device;
	struct lane_cl_cmd *oldest, *newest;
	uint32_t n_open;
	struct lane_cl_q shared; /* stands in `contexts` for several queues */
	bool has_completions;	 /* the trace has opencl_command */
	bool has_unknown_devices;
	bool has_unknown_queues; /* of queues that were created before the trace began */
	struct lane_command_figures figures;
};

/* command_match.c */
/* A request was made: notes in which call, and which commands it may carry. */
void timeline_cl_request_made(struct lane_timeline *tl, const struct lane_event *event);
/* A call has returned: the commands that it flushed do not wait any more. */
void timeline_cl_call_over(struct lane_cl_thread *thread);
/* Drops the log entries that no open command of the queue can need. */
void timeline_cl_trim(struct lane_timeline *tl, struct lane_cl_q *queue);

/* Notes that the queue's commands come on that context. */
void timeline_cl_learn(struct lane_timeline *tl, struct lane_cl_q *queue,
		       const struct lane_context *context);

/* The i-th entry of a log, from the oldest, 0. */
static inline struct lane_cl_made *timeline_cl_made_at(const struct lane_cl_log *log, uint32_t i)
{
	return &log->made[log->head + i];
}
/* Adds an entry; the oldest makes room for it. */
void timeline_cl_note(struct lane_timeline *tl, struct lane_cl_log *log, struct lane_cl_made made);
void timeline_cl_drop_oldest(struct lane_timeline *tl, struct lane_cl_log *log);
/* What is known of the request by now. */
const struct lane_request *timeline_cl_story(struct lane_timeline *tl, struct lane_cl_rq *rq);

/* command_burst.c */
/* The process has made a job that is a burst, or may turn out to be one. */
void timeline_cl_burst_made(struct lane_timeline *tl, struct lane_cl_process *process,
			    struct lane_cl_rq *rq, int32_t pid);
/* Finds the burst of a command, whose times are set, and sets its requests. False: its process has
 * none. */
bool timeline_cl_match_burst(struct lane_timeline *tl, struct lane_cl_cmd *cmd);

/* command_weigh.c */
/* Events that were lost from from_ns to the command's completion might decide otherwise. */
void timeline_cl_mind_losses(struct lane_timeline *tl, struct lane_command *pub, uint64_t from_ns);
/* rq carried the command, whose certainty is set, or may have: the next of them. */
void timeline_cl_carried(struct lane_cl_cmd *cmd, const struct lane_cl_rq *rq);
/* Finds the requests of a command whose times are set. */
void timeline_cl_match(struct lane_timeline *tl, struct lane_cl_cmd *cmd);

/* command_ahead.c */
/* Finds who ran while cmd, whose times are set, waited for the device. all_told: all that can have
 * begun before it has been told. Then notes that it ran. */
void timeline_command_ahead(struct lane_timeline *tl, struct lane_cl_cmd *cmd, bool all_told);
/* A command that has no times may have run up to now_ns. */
void timeline_command_unplaced(struct lane_timeline *tl, const struct lane_cl_cmd *cmd);

/* command_open.c */
/* How long the thread ran in its call, up to now_ns. */
struct lane_span timeline_cl_ran(const struct lane_timeline *tl,
				 const struct lane_cl_thread *thread, uint64_t now_ns);
/* Tells the subscriber what is open as the trace ends. */
void timeline_cl_tell_unended(struct lane_timeline *tl);

/* The queue certainly runs its commands one after the other. */
static inline bool timeline_cl_is_in_order(const struct lane_cl_q *queue)
{
	return queue->pub.known && !(queue->pub.properties & LANE_CL_OUT_OF_ORDER);
}

/* command_queue.c: the objects, found by handle or made; NULL: no memory. */
struct lane_cl *timeline_cl_get(struct lane_timeline *tl);
struct lane_cl_q *timeline_cl_queue_get(struct lane_timeline *tl, uint64_t handle, int32_t pid);
struct lane_cl_device *timeline_cl_device_get(struct lane_timeline *tl, uint64_t handle,
					      int32_t pid);
/* Reads an opencl_queue: what it says of its queue and device. */
void timeline_cl_queue_created(struct lane_timeline *tl, const struct lane_event *event);
/* Reads an opencl_atomics: which function of the process's programs has some. */
void timeline_cl_atomics_found(struct lane_timeline *tl, const struct lane_event *event);
/* Reads an opencl_kernel: a kernel's name. */
void timeline_cl_kernel_created(struct lane_timeline *tl, const struct lane_event *event);
struct lane_cl_thread *timeline_cl_thread_get(struct lane_timeline *tl, int32_t tid, int32_t pid);
struct lane_cl_cmd *timeline_command_new(struct lane_timeline *tl);
/* cmd is one of the queue's, whose place in it is not known. */
void timeline_command_of(struct lane_timeline *tl, struct lane_cl_q *queue,
			 struct lane_cl_cmd *cmd);
/* cmd is enqueued in queue, behind all others. */
void timeline_command_link(struct lane_timeline *tl, struct lane_cl_q *queue,
			   struct lane_cl_cmd *cmd);
/* Takes cmd out of everything that refers to it, and frees it. */
void timeline_command_unlink(struct lane_timeline *tl, struct lane_cl_cmd *cmd);
/* cmd gets its number in its process. */
void timeline_command_number(struct lane_timeline *tl, struct lane_cl_cmd *cmd, uint64_t number,
			     int32_t pid);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The objects of the simulated OpenCL GPU and what its files offer each other.
 *
 * One lock protects everything; nobody waits for the GPU or runs the program's call-backs with it
 * held.
 */
#ifndef LANE_ICD_ICD_H
#define LANE_ICD_ICD_H

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu.h"

#define ICD_MAX_ARGS	 16
#define ICD_MAX_REQUESTS 16
#define ICD_GROUP_ITEMS	 1024
#define ICD_LOCAL_BYTES	 65536

/* What the environment variable GPULANE_ICD asks for (tests/icd/README.md). */
struct icd_options {
	unsigned int batch; /* commands a request, until flushed */
	unsigned int split; /* requests a kernel */
	bool copy_engine;   /* transfers have a context of their own on the copy engine */
	int64_t kernel_ns;  /* a kernel's time; -1: by its work items */
	int64_t transfer_ns;
	int64_t loop_ns;  /* a kernel's time for each of what its second argument says, 0 none, */
	int64_t issue_ns; /* at least so much for each warp of a group, */
	int64_t noise;	  /* normally distributed, so many thousandths of it */
	int64_t seed;
	bool only_time; /* kernels compute nothing */
	int64_t width;	/* lanes of a warp */
	int64_t other;	/* those of kernels on local memory, 0: the same */
	int64_t eus;	/* as on Intel's GPUs: of a sub-slice, and compute units are EUs; 0: none */
	int64_t nvidia; /* compute capability times ten, 0: it is none of NVIDIA's */
	int prio;
	char truth[256]; /* file, "" none */
	char cache[256]; /* directory for compiled programs, "" none */
};

extern struct icd_options icd_options;
extern pthread_mutex_t icd_lock;
extern pthread_cond_t icd_changed; /* a command was computed or submitted, a user event set */
extern struct _cl_icd_dispatch icd_dispatch;

struct _cl_platform_id {
	struct _cl_icd_dispatch *dispatch;
};

struct _cl_device_id {
	struct _cl_icd_dispatch *dispatch;
};

extern struct _cl_platform_id icd_platform;
extern struct _cl_device_id icd_device;

struct _cl_context {
	struct _cl_icd_dispatch *dispatch;
	cl_uint refs;
};

struct _cl_mem {
	struct _cl_icd_dispatch *dispatch;
	cl_uint refs;
	cl_context context;
	size_t bytes;
	unsigned char *data;
	void *host; /* the program's memory, used as is; NULL: data is ours */
	cl_uint maps;
};

enum icd_arg_kind {
	ICD_ARG_POINTER, /* global or constant memory */
	ICD_ARG_LOCAL,
	ICD_ARG_INTEGER,
	ICD_ARG_FLOAT,
};

struct icd_signature {
	char name[64];
	unsigned int n_args;
	enum icd_arg_kind args[ICD_MAX_ARGS];
	void *function;
};

struct _cl_program {
	struct _cl_icd_dispatch *dispatch;
	cl_uint refs;
	cl_context context;
	char *source;
	char *expanded; /* the source without macros */
	char *log;
	cl_build_status status;
	void *library;
	bool has_barrier;
	unsigned int n_kernels;
	struct icd_signature kernels[64];
};

struct icd_arg {
	bool set;
	size_t bytes;
	cl_mem memory;
	uint64_t value;
};

struct _cl_kernel {
	struct _cl_icd_dispatch *dispatch;
	cl_uint refs;
	cl_program program;
	const struct icd_signature *signature;
	struct icd_arg args[ICD_MAX_ARGS];
};

/* What a command does to memory; a kernel's arguments are those of the time of its enqueue. */
struct icd_work {
	const void *from;
	void *to;
	size_t bytes;
	size_t pattern; /* a fill: bytes of pattern; 0: a copy */
	unsigned char pattern_bytes[128];
	cl_mem memory;	  /* referenced until it is done */
	cl_kernel kernel; /* NULL: no kernel */
	struct icd_arg args[ICD_MAX_ARGS];
	cl_uint dimensions;
	size_t offset[3];
	size_t global[3];
	size_t local[3];
};

struct icd_callback {
	struct icd_callback *next;
	void(CL_CALLBACK *function)(cl_event, cl_int, void *);
	void *data;
	cl_int status;
};

/* A command, or a user event: then there is no queue. */
struct _cl_event {
	struct _cl_icd_dispatch *dispatch;
	cl_uint refs;
	cl_context context;
	cl_command_queue queue;
	cl_command_type type;
	cl_int status; /* CL_QUEUED to CL_COMPLETE, or an error */
	bool has_request;
	bool submitted; /* handed to the GPU, with everything before it */
	bool computed;
	bool flushed; /* nothing holds it back */
	bool in_run;  /* about to be submitted with others */
	unsigned int n_requests;
	struct gpu_request requests[ICD_MAX_REQUESTS];
	unsigned int share; /* which of n_shares commands of the request */
	unsigned int n_shares;
	uint64_t queued_ns, submit_ns; /* the CPU's clock */
	uint64_t start_ns, end_ns;
	bool timed;
	unsigned int n_deps;
	cl_event *deps;
	struct icd_work work;
	struct icd_callback *callbacks;
	cl_event next_compute;
	cl_event next_queue;
	cl_event next_notify;
	int tid;
	unsigned int thread_command; /* the how-manieth of its thread */
	unsigned int number;	     /* and of the process */
};

struct _cl_command_queue {
	struct _cl_icd_dispatch *dispatch;
	cl_uint refs;
	cl_context context;
	cl_command_queue_properties properties;
	uint64_t ctx[2]; /* GPU contexts: an in-order queue's commands and, perhaps, its transfers;
			    or an out-of-order queue's two */
	unsigned int n_ctx;
	unsigned int turn;
	cl_event first, last;  /* commands that are not known to be complete, oldest first */
	cl_event barrier;      /* what later commands of an out-of-order queue wait for */
	cl_command_queue next; /* all queues */
	cl_event to_notify; /* commands with call-backs, in the order in which these were asked for
			     */
	bool notifying;	    /* there is a thread for them */
};

/* --- memory, programs, kernels (objects.c, compile.c, run.c) */
void icd_mem_put(cl_mem memory);
void icd_kernel_put(cl_kernel kernel);
void icd_context_put(cl_context context);
cl_int icd_info(size_t room, void *value, size_t *size, const void *from, size_t bytes);

/* Compiles program->source; fills library, kernels, log, status. */
void icd_compile(cl_program program);
void icd_program_free(cl_program program);

/* Runs a kernel over its range, in this thread. */
void icd_run_kernel(const struct icd_work *work);

/* --- commands (command.c, event.c) */

/*
 * A command of a queue after those that it must wait for. The wait list is checked and referenced.
 * NULL and *status when it cannot be. To be finished by icd_command_go.
 */
cl_event icd_command(cl_command_queue queue, cl_command_type type, bool has_request, cl_uint n,
		     const cl_event *list, cl_int *status);

/* Enqueues it, gives the program its event where it wants one, waits when blocking. */
cl_int icd_command_go(cl_event command, cl_event *event, bool blocking);

/* Submits what the queue holds back; with the lock held. */
void icd_flush(cl_command_queue queue);
void icd_submit_what_can(void);

/* Waits until the command is complete; without the lock. */
cl_int icd_wait(cl_event command);

/* Start and end of a complete command, on the CPU's clock; without the lock. */
void icd_times(cl_event command);

void icd_event_put(cl_event event);
void icd_queue_add(cl_command_queue queue);
void icd_queue_put(cl_command_queue queue);
void icd_retain(cl_uint *refs);
bool icd_release(cl_uint *refs); /* true: it was the last */

/* Takes the call-backs that are due at this status and runs them; without the lock. */
void icd_callbacks(cl_event event);
/* Whether this thread is in one. */
extern _Thread_local bool icd_in_callback;
/* Has the queue's thread wait for a command with call-backs; with the lock held. */
void icd_notify(cl_event command);

/* --- which command went into which requests (truth.c) */
/* A command was enqueued, was submitted; with the lock held. */
void icd_truth_enqueued(cl_event command);
void icd_truth_submitted(const struct _cl_event *command);

#endif

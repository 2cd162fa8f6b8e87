/* SPDX-License-Identifier: MIT */
/*
 * The emulated xe device of one process, and what its files offer each other.
 *
 * A folder is a GPU (scripts/xe-run makes it): its made-up part of /sys and /dev, its engines'
 * memory, which all processes on it share, its script, and its truth. One lock protects a process's
 * objects; the engines' lock is taken inside it.
 */
#ifndef LANE_XE_XE_H
#define LANE_XE_XE_H

#include <drm/xe_drm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define XE_NEVER UINT64_MAX
#define XE_SEEN	 64

struct xe_device {
	const char *name;
	uint16_t id;
	uint16_t revision;
	bool vram;
	uint8_t ip_major, ip_minor, ip_revision;
	uint8_t slices, subslices; /* all of them */
	uint8_t l3_banks;
	uint8_t walker_words; /* 40 since Xe2, 39 before */
};

/* A buffer is shared memory: a program's mmap() is one more mapping of it. */
struct xe_bo {
	unsigned int refs;
	uint8_t *memory;
	uint64_t size;
	uint32_t placement;
};

struct xe_mapping {
	uint64_t start, end;
	struct xe_bo *bo; /* NULL: memory of the program's own, or none */
	uint64_t from;	  /* offset in the buffer, or address in the program */
	bool nothing;	  /* reads as 0 */
};

struct xe_vm {
	unsigned int refs;
	uint32_t flags;
	struct xe_mapping *mappings; /* by address */
	size_t n, room;
	unsigned int queues;
	uint32_t number; /* of this process */
};

struct xe_job {
	struct xe_job *next;
	uint64_t address;
	uint64_t seqno;
	uint64_t kernel; /* its number there, 0: none */
	uint64_t appended;
	unsigned int n_syncs;
	struct drm_xe_sync syncs[];
};

/* How long a command runs, and when that was. */
struct xe_run {
	const char *kind; /* "kernel" or "copy" */
	char name[96];
	uint32_t groups[3];
	uint64_t left_ns; /* XE_NEVER: it hangs */
	uint64_t start, start_context;
	uint64_t off_since;
	uint32_t preemptions;
	uint64_t off_ns;
	uint32_t command[40];
};

enum xe_state {
	XE_IDLE,    /* no job */
	XE_WAITING, /* at a semaphore */
	XE_READY,   /* at a command */
	XE_RUNNING, /* a kernel or a copy */
	XE_BANNED,
};

struct xe_queue {
	struct xe_queue *next;
	struct xe_file *file;
	struct xe_vm *vm;
	uint32_t id;
	uint64_t number; /* over all processes */
	uint64_t kernel; /* its context there, 0: none */
	uint16_t class;
	uint32_t priority;
	int slot; /* among those who want an engine, -1: not yet */
	struct xe_job *jobs, **last_job;
	uint64_t seqno;

	enum xe_state state;
	bool on; /* it has the engine */
	uint64_t resumed;
	uint64_t time; /* when its last command was done */
	uint64_t ran_ns;
	uint64_t ip, returns[4];
	unsigned int depth;
	uint32_t regs[0x400];
	uint64_t instructions; /* their base address */
	uint32_t before;       /* the command before */
	struct xe_run run;

	/* the submission it is in: a job's beginning or what a ring's semaphore let through */
	uint64_t submission;
	uint64_t appended_min, appended_max;
	/* what was seen in the ring's semaphore, and between when */
	struct xe_seen {
		uint32_t value;
		uint64_t first, last;
	} seen[XE_SEEN];
	unsigned int n_seen;
};

struct xe_syncobj {
	uint64_t point; /* binary: 1 when signalled */
};

/* A table of handles; 0 is none. */
struct xe_table {
	void **of;
	uint32_t n;
};

struct xe_file {
	unsigned int fds;
	struct xe_table bos, vms, queues, syncobjs;
};

/* node.c */
extern const char *xe_folder;
extern const struct xe_device *xe_gpu;
void xe_lock(void);
void xe_unlock(void);

/* query.c */
const struct xe_device *xe_device_named(const char *name);
int xe_query(struct drm_xe_device_query *query);
int xe_logical_mask(uint16_t class);

/* ioctl.c: minus the error */
int xe_ioctl(struct xe_file *file, unsigned long request, void *arg);
void xe_close(struct xe_file *file);
int xe_mmap(struct xe_file *file, void *address, size_t length, int prot, int flags, off_t offset,
	    void **at);

/* table.c, memory of the program's that may be none: false where it is not there */
bool xe_user_read(void *to, uint64_t from, size_t n);
bool xe_user_write(uint64_t to, const void *from, size_t n);
uint32_t xe_table_add(struct xe_table *table, void *object);
void *xe_table_get(const struct xe_table *table, uint32_t handle);
void *xe_table_take(struct xe_table *table, uint32_t handle);

/* memory.c */
struct xe_bo *xe_bo_create(uint64_t size, uint32_t placement);
void xe_bo_put(struct xe_bo *bo);
struct xe_vm *xe_vm_create(uint32_t flags);
void xe_vm_put(struct xe_vm *vm);
int xe_vm_map(struct xe_vm *vm, const struct xe_mapping *mapping);
int xe_vm_unmap(struct xe_vm *vm, uint64_t start, uint64_t end);
void xe_vm_unmap_bo(struct xe_vm *vm, const struct xe_bo *bo);
/* false: a page fault */
bool xe_vm_read(const struct xe_vm *vm, uint64_t address, void *to, size_t n);
bool xe_vm_write(const struct xe_vm *vm, uint64_t address, const void *from, size_t n);
bool xe_vm_copy(const struct xe_vm *vm, uint64_t to, uint64_t from, uint64_t n);

/* stream.c: executes a queue's commands until it has to wait; when to look again */
uint64_t xe_stream(struct xe_queue *queue, uint64_t now);
/* Whether the semaphore lets a queue go on, whose time is then the later one. */
bool xe_stream_passes(struct xe_queue *queue, uint64_t now);
void xe_stream_end_run(struct xe_queue *queue, uint64_t end);

/* queue.c */
struct xe_queue *xe_queue_create(struct xe_file *file, struct xe_vm *vm, uint16_t class,
				 uint32_t priority);
void xe_queue_kill(struct xe_queue *queue);
void xe_queue_submit(struct xe_queue *queue, struct xe_job *job);
/* error: minus the one that its job gets */
void xe_queue_ban(struct xe_queue *queue, const char *why, int error);
void xe_queue_end_job(struct xe_queue *queue);
void xe_queues_forget(void);

/* engine.c */
bool xe_engines_open(void);
bool xe_engines_join(void);
int xe_engine_slot(int engine, uint32_t priority);
void xe_engine_leave(int slot);
/* Takes it; *at is from when on, or when to ask again. */
bool xe_engine_take(int slot, uint64_t now, uint64_t *at);
/* Whether somebody else is to have it now. */
bool xe_engine_is_due(int slot, uint64_t now, uint64_t *slice_end);
void xe_engine_release(int slot, uint64_t now);
uint64_t xe_engine_number(void);

/* model.c: times, all of CLOCK_MONOTONIC in ns, and the device's clock */
uint64_t xe_now(void);
uint64_t xe_ticks(uint64_t ns);
uint64_t xe_ticks_of(uint64_t duration_ns);
bool xe_model_read(void);
uint64_t xe_model_kernel(const char *name, const uint32_t groups[3]);
uint64_t xe_model_copy(uint64_t bytes);

/* names.c: the kernel at an address, as the runtime's memory names it */
void xe_kernel_name(struct xe_queue *queue, uint64_t address, char *name, size_t size);

/* kernel.c: what a kernel is told of, where there is one to tell */
bool xe_kernel_open(void);
void xe_kernel_forget(void);
void xe_kernel_queue(struct xe_queue *queue);
void xe_kernel_exec(const struct xe_queue *queue, struct xe_job *job);
/* error: 0, or minus the error for which the queue is reset */
void xe_kernel_done(const struct xe_queue *queue, const struct xe_job *job, int error);
void xe_kernel_destroy(const struct xe_queue *queue);
void xe_kernel_bind(const struct xe_vm *vm, uint64_t start, uint64_t size, bool is_unbind);
/* Waits there until a word of the program's is so; false: not, or there is no kernel. */
bool xe_kernel_wait(uint64_t address, uint64_t value, uint64_t mask, uint64_t timeout_ns);

/* truth.c */
void xe_truth(const char *format, ...) __attribute__((format(printf, 1, 2)));
void xe_truth_run(const struct xe_queue *queue, uint64_t end);
void xe_truth_skipped(uint32_t command);

#endif

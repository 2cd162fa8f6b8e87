/* SPDX-License-Identifier: MIT */
/* A small world in which GPU work ends in every way that Linux knows: what its files share.
 * README.md */
#ifndef ENDS_H
#define ENDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define US     ((uint64_t)1000)
#define MS     (1000 * US)
#define SECOND (1000 * MS)

enum mode {
	AMDGPU_6_1,
	AMDGPU_6_12,
	AMDGPU_6_17,
	V3D,
	XE,
	GUC,
	RING,
	N_MODES
};
enum state {
	QUEUED,
	KILLED,
	HANDED,
	ENDED,
	OVER
}; /* KILLED: it will never run */
enum {
	MAX_REQUESTS = 400,
	MAX_PROCESSES = 6,
	MAX_RINGS = 18,
	CPUS = 4
};

struct actor {
	int cpu, pid, tid;
};

struct process {
	int pid, cpu;
	char name[16];
	unsigned left; /* bursts that it is still to submit */
	bool is_gone, was_killed;
	struct request *waits_for;
	uint64_t waits_since;
};

struct ring {
	unsigned n;
	char name[20];
	int class;
	struct request *running;
	uint64_t fences, timeout, hang_check; /* its own fences' context; when it gives a job up;
						 when i915 resets it */
	unsigned seqnos, hw_seqno, run,
		watch;		/* which run of the hardware, and of the time-out, counts */
	bool is_stopped, tries; /* `tries`: somebody is to look for the next job */
};

/* An i915 context, or an entity of drm_sched. */
struct context {
	uint64_t id;
	unsigned *seqnos, own_seqno, step;
	struct process *process;
	struct ring *ring;
	bool is_banned;
};

struct request {
	struct context *context;
	struct ring *ring;
	struct process *process;
	unsigned seqno, hw_seqno, order, timeouts;
	enum state state;
	bool hangs, is_slow, is_listened,
		is_retired; /* `is_slow`: it is given more time, and ends */
	uint64_t takes;
	uint64_t queued, submitted, run, first, begin, end, signalled,
		fault; /* 0: never. `fault`: what ended it came */
	int error;
	const char *kind, *cause; /* how it ended; whose doing: a limit, a reset, a ban, a kill */
	struct request *leader, *awaits;
};

struct world {
	enum mode mode;
	unsigned n_processes, n_rings, n_contexts, n_requests, orders, hangs, most_hangs;
	struct process processes[MAX_PROCESSES];
	struct ring rings[MAX_RINGS];
	struct context contexts[MAX_RINGS];
	struct request requests[MAX_REQUESTS];
	uint64_t request_timeout;
	unsigned wanted;
	bool has_ends, awaits;
	bool is_soft; /* amdgpu of Linux 6.1 recovers softly, which no error tells */
};

extern struct world world;

/* main.c: time, chance, what happens later */
uint64_t now(void);
void spend(uint64_t ns);
uint64_t between(uint64_t least, uint64_t most);
bool chance(unsigned percent);
void later(uint64_t ns, void (*what)(void *), void *of, unsigned which);
unsigned which(void); /* of what happens now */
const char *mode_name(void);

/* load.c: processes, and what is the same for all drivers */
void world_make(void);
struct request *request_new(struct context *context);
void request_over(struct request *rq);
struct request *request_first(const struct ring *ring, const struct context *context,
			      enum state state);
struct actor thread_of(const struct process *process);
struct actor interrupt_of(const struct ring *ring);
struct actor worker(unsigned n);

/* sched.c, i915.c: the drivers */
void sched_submit(struct context *context);
void sched_kill(struct process *process);
void i915_submit(struct context *context);
void i915_kill(struct process *process);

/* trace.c: what is recorded; truth.c: what is true */
struct options {
	uint64_t seed;
	unsigned drop_percent, late_percent, cut_percent;
	const char *without[8];
	unsigned n_without;
	const char *events, *truth;
};
uint64_t trace(struct actor who, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
uint64_t trace_signal(struct actor who, uint64_t context, uint64_t seqno, int error);
void trace_finish(const struct options *options);
void trace_write(const struct options *options);
bool trace_has(const char *name, uint64_t context, uint64_t seqno);
uint64_t trace_begin(void);
uint64_t trace_end(void);
void truth_wait(const struct process *process, const struct request *rq, uint64_t ended);
void truth_reset(void);
void truth_write(const struct options *options);

static inline bool is_i915(void)
{
	return world.mode == GUC || world.mode == RING;
}

#endif

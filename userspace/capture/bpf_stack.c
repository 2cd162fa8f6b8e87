// SPDX-License-Identifier: MIT
// Tells the frames of stacks: where in which file, and which function of the kernel.
#include "capture/bpf_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/table.h"
#include "capture/bpf_shared.h"
#include "capture/host.h"
#include "base/kernel_symbol.h"
#include "capture/perf_map.h"
#include "capture/process_map.h"
#include "capture/unwind.h"

/* As many are remembered; if there are more all are forgotten, and their stacks told again. */
#define MAX_PROCESSES 1024
/* Of one process; those beyond count as lost. */
#define MAX_TOLD 65536
/* Of so many processes the files are kept open to unwind their stacks; then all are closed. */
#define MAX_UNWINDERS 32
/* Numbers of unwound stacks come behind those of both maps of programs' stacks. */
#define FIRST_UNWOUND ((LANE_BPF_MAX_STACKS + LANE_BPF_MAX_SAMPLES) * 2 + 3)
/* A stack begins with the tracer's own functions: as many at most. */
#define MAX_OWN 12

_Static_assert(sizeof(((struct lane_mapping *)0)->build) ==
		       sizeof(((struct lane_p_gpulane_stack_frame *)0)->build),
	       "a build id is copied as it is");

struct stack_record {
	struct lane_wire wire;
	struct lane_p_gpulane_stack p;
};

struct process {
	struct lane_process_map map;
	struct lane_perf_map compiled;
	struct lane_table told;	   /* by their numbers */
	struct lane_table unwound; /* the stacks' numbers, by their frames' hash and how many */
	struct lane_unwinder *unwinder;
	uint64_t unwinder_ns; /* of the map that it is of */
};

struct lane_bpf_stacks {
	struct lane_bpf_stack_source source;
	struct lane_kernel_functions kernel;
	struct lane_table processes;
	uint64_t lost;
	uint32_t n_unwound;
	unsigned int n_unwinders;
	/* The last one that was unwound. */
	struct lane_bpf_stack_copy copy;
	struct stack_record record;
	uint64_t addresses[LANE_BPF_STACK_DEPTH + 1];
	unsigned int n;
};

struct frame_record {
	struct lane_wire wire;
	struct lane_p_gpulane_stack_frame p;
};

struct fork_record {
	struct lane_wire wire;
	struct lane_p_sched_process_fork p;
};

/* Where the frames of one part go. */
struct stack_telling {
	struct frame_record frame;
	struct lane_error *(*put)(void *data, const struct lane_wire *record);
	void *data;
};

struct lane_error *capture_bpf_stacks_open(const struct lane_bpf_stack_source *source,
					   struct lane_bpf_stacks **stacks)
{
	LANE_CLEANUP(lane_fclose) FILE *file = fopen("/proc/kallsyms", "re");
	struct lane_bpf_stacks *s = calloc(1, sizeof(*s));
	struct lane_error *err = NULL;

	if (!s)
		return &lane_enomem;
	s->source = *source;
	if (file)
		err = lane_kernel_functions_read(file, &s->kernel);
	if (err) {
		capture_bpf_stacks_close(s);
		return err;
	}
	*stacks = s;
	return NULL;
}

/* Another one is opened when a stack of the process is to be unwound. */
static void close_unwinder(struct lane_bpf_stacks *stacks, struct process *process)
{
	stacks->n_unwinders -= process->unwinder != NULL;
	capture_unwind_close(LANE_TAKE(process->unwinder));
	process->unwinder_ns = 0;
}

static void free_process(struct lane_bpf_stacks *stacks, struct process *process)
{
	if (!process)
		return;
	capture_process_map_free(&process->map);
	capture_perf_map_free(&process->compiled);
	lane_table_free(&process->told);
	lane_table_free(&process->unwound);
	close_unwinder(stacks, process);
	free(process);
}

static void forget_all(struct lane_bpf_stacks *stacks)
{
	for (size_t i = 0; stacks->processes.slots && i <= stacks->processes.mask; i++)
		free_process(stacks, stacks->processes.slots[i].value);
	lane_table_free(&stacks->processes);
}

/* The process is another one now, or has another program: what was known of it is not true. */
static void bpf_stack_forget(struct lane_bpf_stacks *stacks, int32_t pid)
{
	free_process(stacks, lane_table_get(&stacks->processes, (uint32_t)pid, 0));
	lane_table_del(&stacks->processes, (uint32_t)pid, 0);
}

static struct process *process_of(struct lane_bpf_stacks *stacks, int32_t pid)
{
	struct process *process = lane_table_get(&stacks->processes, (uint32_t)pid, 0);

	if (process)
		return process;
	if (stacks->processes.used >= MAX_PROCESSES)
		forget_all(stacks);
	process = calloc(1, sizeof(*process));
	if (process && !lane_table_put(&stacks->processes, (uint32_t)pid, 0, process)) {
		free(process);
		return NULL;
	}
	return process;
}

static bool bpf_stack_begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Functions through which a program of ours is called. */
static bool is_own(const char *name)
{
	static const char *const own[] = { "bpf_",	     "__bpf_",	    "__traceiter_",
					   "trace_call_bpf", "perf_trace_", "ftrace_" };

	for (size_t i = 0; name && i < sizeof(own) / sizeof(own[0]); i++)
		if (bpf_stack_begins(name, own[i]))
			return true;
	return false;
}

/* How many of the innermost frames are the tracer's own, between which others have no names. */
static unsigned int count_own(const struct lane_bpf_stacks *stacks, const uint64_t *addresses,
			      unsigned int n)
{
	unsigned int own = 0;
	uint64_t offset;

	for (unsigned int i = 0; i < n && i < MAX_OWN; i++)
		if (is_own(lane_kernel_function_at(&stacks->kernel, addresses[i], &offset)))
			own = i + 1;
	return own;
}

static void name_frame(struct lane_p_gpulane_stack_frame *frame, enum lane_frame_what what,
		       const char *name)
{
	frame->what = what;
	snprintf(frame->name, sizeof(frame->name), "%s", name);
}

static struct lane_error *bpf_stack_tell_kernel(const struct lane_bpf_stacks *stacks,
						struct stack_telling *to, const uint64_t *addresses,
						unsigned int n)
{
	unsigned int own = count_own(stacks, addresses, n);
	struct lane_p_gpulane_stack_frame *frame = &to->frame.p;
	struct lane_error *err = NULL;

	frame->frames = n - own;
	for (unsigned int i = own; i < n && !err; i++) {
		uint64_t offset = addresses[i];
		const char *name = lane_kernel_function_at(&stacks->kernel, addresses[i], &offset);

		memset(frame->name, 0, sizeof(frame->name));
		frame->what = LANE_FRAME_OF_NOTHING;
		if (name)
			name_frame(frame, LANE_FRAME_OF_KERNEL, name);
		frame->offset = offset;
		frame->place = i - own;
		err = to->put(to->data, &to->frame.wire);
	}
	return err;
}

/* The mapping of an address. What was mapped since the process was looked at is found anew. */
static const struct lane_mapping *mapping_at(const struct lane_bpf_stacks *stacks,
					     struct process *process,
					     const struct lane_wire *record, uint64_t address)
{
	const struct lane_mapping *mapping = capture_process_map_at(&process->map, address);

	if (mapping || !stacks->source.root || process->map.read_ns > record->ts_ns)
		return mapping;
	capture_process_map_read(&process->map, stacks->source.root, record->pid, capture_now_ns());
	return capture_process_map_at(&process->map, address);
}

/* The function that the process has compiled there; NULL: it does not say so. What it has written
 * since it was looked at is read; where it has a name for it, once a second: an address may be used
 * again. */
static const char *compiled_at(const struct lane_bpf_stacks *stacks, struct process *process,
			       const struct lane_wire *record, uint64_t address, uint64_t *offset)
{
	struct lane_perf_map *map = &process->compiled;
	const char *name = capture_perf_map_at(map, address, offset);

	if (!stacks->source.root || map->read_ns + (name ? 1000000000 : 0) > record->ts_ns)
		return name;
	capture_perf_map_read(map, stacks->source.root, record->pid, capture_now_ns());
	return capture_perf_map_at(map, address, offset);
}

/* Where an address of a process is, in the frame. */
static void find_frame(const struct lane_bpf_stacks *stacks, struct process *process,
		       const struct lane_wire *record, uint64_t address,
		       struct lane_p_gpulane_stack_frame *frame)
{
	const struct lane_mapping *mapping = mapping_at(stacks, process, record, address);
	const char *name = NULL;
	uint64_t offset = address;

	memset(frame->name, 0, sizeof(frame->name));
	memset(frame->build, 0, sizeof(frame->build));
	frame->what = LANE_FRAME_OF_NOTHING;
	/* Code is compiled into memory that is no file's, or a file's without code of its own. */
	if (!mapping || !*mapping->build)
		name = compiled_at(stacks, process, record, address, &offset);
	if (name) {
		name_frame(frame, LANE_FRAME_OF_PROGRAM, name);
	} else if (mapping && *mapping->path) {
		name_frame(frame, LANE_FRAME_OF_FILE, mapping->path);
		memcpy(frame->build, mapping->build, sizeof(frame->build));
		offset = address - mapping->begin + mapping->offset;
	}
	frame->offset = offset;
}

/* is_unwound: each frame's caller is the next one. */
static struct lane_error *tell_user(const struct lane_bpf_stacks *stacks, struct process *process,
				    struct stack_telling *to, const uint64_t *addresses,
				    unsigned int n, bool is_unwound)
{
	struct lane_p_gpulane_stack_frame *frame = &to->frame.p;
	struct lane_error *err = NULL;

	frame->frames = n;
	for (unsigned int i = 0; i < n && !err; i++) {
		find_frame(stacks, process, &to->frame.wire, addresses[i], frame);
		if (is_unwound && i + 1 < n && frame->what == LANE_FRAME_OF_FILE)
			frame->what = LANE_FRAME_UNWOUND;
		frame->place = i;
		err = to->put(to->data, &to->frame.wire);
	}
	return err;
}

/* Tells a part of a stack, unless it has been. */
static struct lane_error *tell_part(struct lane_bpf_stacks *stacks, struct process *process,
				    struct stack_telling *to, uint32_t number)
{
	uint64_t addresses[LANE_BPF_STACK_DEPTH] = { 0 };
	bool user = number & 1, is_unwound = user && number >= FIRST_UNWOUND;
	unsigned int n = 0;

	if (!number || number == LANE_STACK_LOST || lane_table_get(&process->told, number, 0))
		return NULL;
	if (process->told.used >= MAX_TOLD ||
	    (!is_unwound &&
	     !stacks->source.read(stacks->source.arg, user, number / 2 - 1, addresses))) {
		stacks->lost++;
		return NULL;
	}
	if (!lane_table_put(&process->told, number, 0, process))
		return &lane_enomem;
	while (n < LANE_BPF_STACK_DEPTH && addresses[n])
		n++;
	to->frame.p.stack = number;
	if (is_unwound)
		return tell_user(stacks, process, to, stacks->addresses, stacks->n, true);
	return user ? tell_user(stacks, process, to, addresses, n, false)
		    : bpf_stack_tell_kernel(stacks, to, addresses, n);
}

static void close_unwinders(struct lane_bpf_stacks *stacks)
{
	for (size_t i = 0; stacks->processes.slots && i <= stacks->processes.mask; i++) {
		struct process *process = stacks->processes.slots[i].value;

		if (process)
			close_unwinder(stacks, process);
	}
}

/* What has been mapped since is known to a new one. NULL: there is none. */
static struct lane_unwinder *unwinder_of(struct lane_bpf_stacks *stacks, struct process *process,
					 int32_t pid)
{
	if (!stacks->source.root || process->unwinder_ns == process->map.read_ns)
		return process->unwinder;
	close_unwinder(stacks, process);
	if (stacks->n_unwinders == MAX_UNWINDERS)
		close_unwinders(stacks);
	process->unwinder = capture_unwind_open(stacks->source.root, pid);
	stacks->n_unwinders += process->unwinder != NULL;
	process->unwinder_ns = process->map.read_ns;
	return process->unwinder;
}

/* The frames of stacks->copy; one that nothing tells of stands for those that may be left out. */
static void unwind_copy(struct lane_bpf_stacks *stacks, struct process *process,
			const struct lane_wire *record)
{
	uint64_t last = stacks->copy.registers[LANE_BPF_REGISTERS - 1];
	struct lane_unwinder *unwinder;
	bool is_cut = true;

	/* A second time, if the last one lies in what was mapped since. */
	for (int i = 0; i < 2; i++) {
		mapping_at(stacks, process, record, last);
		if (i && process->unwinder_ns == process->map.read_ns)
			break;
		unwinder = unwinder_of(stacks, process, record->pid);
		stacks->n = unwinder ? capture_unwind(unwinder, &stacks->copy, stacks->addresses,
						      LANE_BPF_STACK_DEPTH, &is_cut)
				     : 0;
		if (!stacks->n)
			stacks->addresses[stacks->n++] = last;
		last = stacks->addresses[stacks->n - 1];
	}
	if (is_cut)
		stacks->addresses[stacks->n++] = 0;
}

/* The number of the stack that has just been unwound; LANE_STACK_LOST: there is no room for it. */
static uint32_t number_of(struct lane_bpf_stacks *stacks, struct process *process)
{
	uint64_t hash = 0xcbf29ce484222325;
	uintptr_t number;

	for (unsigned int i = 0; i < stacks->n; i++)
		hash = (hash ^ stacks->addresses[i]) * 0x100000001b3;
	number = (uintptr_t)lane_table_get(&process->unwound, hash, stacks->n);
	if (number)
		return (uint32_t)number;
	number = FIRST_UNWOUND + 2 * (uintptr_t)stacks->n_unwound;
	if (number >= LANE_BPF_COPY_BIT || process->unwound.used >= MAX_TOLD ||
	    !lane_table_put(&process->unwound, hash, stacks->n, (void *)number)) {
		stacks->lost++;
		return LANE_STACK_LOST;
	}
	stacks->n_unwound++;
	return (uint32_t)number;
}

const struct lane_wire *capture_bpf_stacks_unwind(struct lane_bpf_stacks *stacks,
						  const struct lane_wire *record)
{
	struct process *process;

	if (record->kind != LANE_STACK)
		return record;
	stacks->record = *(const struct stack_record *)record;
	if (!LANE_BPF_IS_COPY(stacks->record.p.user))
		return record;
	process = process_of(stacks, record->pid);
	if (!process ||
	    !stacks->source.copy(stacks->source.arg, stacks->record.p.user, &stacks->copy)) {
		stacks->lost++;
		stacks->record.p.user = LANE_STACK_LOST;
		return &stacks->record.wire;
	}
	unwind_copy(stacks, process, record);
	stacks->record.p.user = number_of(stacks, process);
	return &stacks->record.wire;
}

static struct lane_error *bpf_stack_tell(struct lane_bpf_stacks *stacks,
					 const struct stack_record *record,
					 struct stack_telling *to)
{
	struct process *process = process_of(stacks, record->wire.pid);
	struct lane_error *err;

	if (!process)
		return &lane_enomem;
	to->frame.wire = record->wire;
	to->frame.wire.kind = LANE_STACK_FRAME;
	to->frame.wire.origin = LANE_ORIGIN_SNAPSHOT;
	err = tell_part(stacks, process, to, record->p.kernel);
	return err ? err : tell_part(stacks, process, to, record->p.user);
}

/* A new process may have the number of one that is gone. */
static void on_fork(struct lane_bpf_stacks *stacks, const struct lane_p_sched_process_fork *fork)
{
	if (fork->child_pid != fork->parent_pid)
		bpf_stack_forget(stacks, fork->child_pid);
}

struct lane_error *
capture_bpf_stacks_see(struct lane_bpf_stacks *stacks, const struct lane_wire *record,
		       struct lane_error *(*put)(void *data, const struct lane_wire *record),
		       void *data)
{
	struct stack_telling to = { .put = put, .data = data };

	if (record->kind == LANE_STACK)
		return bpf_stack_tell(stacks, (const struct stack_record *)record, &to);
	if (record->kind == LANE_EXEC)
		bpf_stack_forget(stacks, record->pid);
	if (record->kind == LANE_FORK)
		on_fork(stacks, &((const struct fork_record *)record)->p);
	return NULL;
}

uint64_t capture_bpf_stacks_lost(const struct lane_bpf_stacks *stacks)
{
	return stacks->lost;
}

void capture_bpf_stacks_close(struct lane_bpf_stacks *stacks)
{
	if (!stacks)
		return;
	forget_all(stacks);
	lane_kernel_functions_free(&stacks->kernel);
	free(stacks);
}

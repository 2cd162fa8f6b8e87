// SPDX-License-Identifier: MIT
// What launches cost beside themselves: the other calls of their threads.
#include "latency/launches.h"

#include <stdlib.h>

#include "base/opencl.h"
#include "base/sort.h"
#include "latency/sums.h"

/* Most threads, functions and launching processes. What is beyond gets no sum. */
#define MOST	   4096
#define MOST_PARTS 65536

/* What a thread has called of one function since its launch began; of an earlier launch if `launch`
 * says so. */
struct lane_launching_part {
	uint64_t launch, calls, ns;
	uint32_t function; /* place of the function's sum */
	uint32_t next;	   /* of the same launch, place + 1; 0: none */
};

struct lane_launching_thread {
	uint64_t launch;   /* the number of the launch, from 1 on */
	uint64_t begin_ns; /* its first call; 0: there was none so far */
	uint64_t last_ns;  /* the end of its last call */
	uint32_t parts;	   /* place + 1; 0: none */
	bool is_set_up;	   /* it has launched, waited or built */
};

#define SUM_OF(l, what, index, most, a, b, fresh)                                                  \
	latency_sum_of((struct lane_sums_at){ &(l)->index, &(l)->what, &(l)->n_##what,             \
					      &(l)->cap_##what, most, sizeof(*(l)->what),          \
					      &(l)->no_memory },                                   \
		       a, b, fresh)

static struct lane_launches *launches_of(struct lane_launching *l, int32_t pid, bool is_levelzero)
{
	bool fresh;
	struct lane_launches *of =
		SUM_OF(l, launches, launch_index, MOST, (uint32_t)pid, is_levelzero, &fresh);

	if (of && fresh) {
		of->pid = pid;
		of->is_levelzero = is_levelzero;
	}
	return of;
}

static struct lane_function_calls *function_of(struct lane_launching *l,
					       const struct lane_call *call)
{
	bool fresh;
	struct lane_function_calls *of = SUM_OF(l, functions, function_index, MOST,
						(uint32_t)call->pid, call->function, &fresh);

	if (of && fresh) {
		of->pid = call->pid;
		of->function = (uint16_t)call->function;
	}
	return of;
}

static struct lane_launching_thread *thread_of(struct lane_launching *l,
					       const struct lane_call *call, uint64_t from_ns)
{
	bool fresh, is_levelzero = lane_cl_is_levelzero(call->function);
	struct lane_launching_thread *thread =
		SUM_OF(l, threads, thread_index, MOST, (uint32_t)call->tid, is_levelzero, &fresh);

	if (thread && fresh)
		*thread = (struct lane_launching_thread){ .launch = 1, .is_set_up = from_ns };
	return thread;
}

static uint64_t own_ns(const struct lane_call *call)
{
	return call->end_ns - call->begin_ns - call->inner_ns;
}

/* The thread's next launch begins with its next call. */
static void begin_anew(struct lane_launching_thread *thread)
{
	*thread = (struct lane_launching_thread){ .launch = thread->launch + 1,
						  .last_ns = thread->last_ns,
						  .is_set_up = true };
}

/* Nothing is told of this launch, nor of what comes up to the next begin of one. */
static void give_up(struct lane_launching_thread *thread)
{
	begin_anew(thread);
	thread->is_set_up = false;
}

static void add_other(struct lane_launching *l, struct lane_launching_thread *thread,
		      const struct lane_function_calls *function, uint64_t ns)
{
	uint32_t place = (uint32_t)(function - l->functions);
	bool fresh;
	struct lane_launching_part *part = SUM_OF(l, parts, part_index, MOST_PARTS,
						  (uint64_t)(thread - l->threads), place, &fresh);

	if (!part)
		return;
	if (part->launch != thread->launch) {
		*part = (struct lane_launching_part){ .launch = thread->launch,
						      .function = place,
						      .next = thread->parts };
		thread->parts = (uint32_t)(part - l->parts) + 1;
	}
	part->calls++;
	part->ns += ns;
}

static void measure(struct lane_launching *l, struct lane_launches *of,
		    const struct lane_launching_thread *thread, uint64_t end_ns)
{
	of->measured++;
	of->whole_ns += end_ns - thread->begin_ns;
	for (uint32_t at = thread->parts; at; at = l->parts[at - 1].next) {
		const struct lane_launching_part *part = &l->parts[at - 1];
		struct lane_function_calls *function = &l->functions[part->function];

		function->for_launches += part->calls;
		function->for_launches_ns += part->ns;
		of->calls += part->calls;
		of->calls_ns += part->ns;
	}
}

/* It asks for an event's state: it polls. */
static bool is_wait(const struct lane_call *call, bool waits)
{
	return waits || call->function == LANE_CLF_clGetEventInfo ||
	       lane_cl_functions[call->function].kind == LANE_CLK_SYNC;
}

void latency_launches_call(struct lane_launching *l, const struct lane_ahead *losses,
			   const struct lane_call *call, bool waits, uint64_t from_ns)
{
	enum lane_cl_kind kind = lane_cl_functions[call->function].kind;
	struct lane_launching_thread *thread = thread_of(l, call, from_ns);
	struct lane_function_calls *function = function_of(l, call);
	bool is_other = kind != LANE_CLK_ENQUEUE && kind != LANE_CLK_FLUSH;
	struct lane_launches *of = NULL;

	if (!thread)
		return;
	/* It is not counted, lies partly outside of the time that is asked for, or calls may be
	 * missing. */
	if (!function || call->begin_ns < from_ns ||
	    (thread->last_ns && latency_ahead_is_lossy(losses, thread->last_ns, call->end_ns)))
		give_up(thread);
	thread->last_ns = call->end_ns;
	if (!function)
		return;
	function->calls++;
	function->ns += own_ns(call);
	function->max_ns = timeline_later(function->max_ns, own_ns(call));
	if (call->has_launched)
		of = launches_of(l, call->pid, lane_cl_is_levelzero(call->function));
	if (of) {
		of->launches++;
		of->inner += call->is_inner;
	}
	if (!call->has_launched && (is_wait(call, waits) || kind == LANE_CLK_BUILD)) {
		begin_anew(thread);
		return;
	}
	if (thread->is_set_up && !thread->begin_ns && (call->has_launched || is_other))
		thread->begin_ns = timeline_later(call->begin_ns, from_ns);
	if (call->has_launched) {
		if (of && thread->begin_ns)
			measure(l, of, thread, call->end_ns);
		begin_anew(thread);
	} else if (is_other && thread->begin_ns) {
		add_other(l, thread, function, own_ns(call));
	}
}

void latency_launches_unended(struct lane_launching *l, const struct lane_call *call)
{
	struct lane_launching_thread *thread = thread_of(l, call, 0);

	if (thread)
		give_up(thread);
}

void latency_launches_command(struct lane_launching *l, const struct lane_command *command)
{
	bool is_levelzero =
		command->type >= LANE_CLC_LAUNCH_KERNEL && command->type <= LANE_CLC_GRAPH;
	struct lane_launches *of = command->class == LANE_COMMAND_KERNEL
					   ? launches_of(l, command->pid, is_levelzero)
					   : NULL;

	if (!of)
		return;
	if (command->certainty != LANE_CERTAIN_EXACT)
		of->unknown++;
	else if (command->why == LANE_WHY_BURST)
		of->direct++;
	else
		of->by_driver++;
}

LANE_ORDER(functions_by_ns, struct lane_function_calls,
	   LANE_DOWN(ns) ?: LANE_UP(pid) ?: LANE_UP(function))

void latency_launches_finish(struct lane_launching *l)
{
	LANE_SORT(l->functions, l->n_functions, functions_by_ns);
	for (uint32_t i = 0; i < l->n_functions; i++) {
		const struct lane_function_calls *function = &l->functions[i];
		uintptr_t place =
			(uintptr_t)lane_table_get(&l->launch_index, (uint32_t)function->pid,
						  lane_cl_is_levelzero(function->function));
		struct lane_launches *of = place ? &l->launches[place - 1] : NULL;

		if (of && function->for_launches &&
		    (!of->most || function->for_launches_ns > of->most->for_launches_ns))
			of->most = function;
	}
}

void latency_launches_deinit(struct lane_launching *l)
{
	lane_table_free(&l->function_index);
	lane_table_free(&l->launch_index);
	lane_table_free(&l->thread_index);
	lane_table_free(&l->part_index);
	free(l->functions);
	free(l->launches);
	free(l->threads);
	free(l->parts);
}

// SPDX-License-Identifier: MIT
// Commands: their numbers, and their times once they are complete.
#include "opencl/layer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * A driver's thread calls the call-backs, then lets go of the event, and with it perhaps of the
 * last of queue and context. Intel's runtime crashes where the program's exit takes its devices
 * away meanwhile. So the exit waits: for the call-backs, but not long, since some command may never
 * end; then until the thread that called the last one sleeps.
 */
enum {
	EXIT_NAP_NS = 1000000,
	EXIT_NAPS_MAX = 100
};

static unsigned int uncalled; /* call-backs that are set and were not called */
static pid_t last_caller;     /* the thread that called the last one; 0: none did */

/* A thread of this process runs, or would if it had a CPU. */
static bool is_awake(pid_t tid)
{
	char path[sizeof("/proc/self/task//stat") + 11], stat[64], *name_end;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false; /* it is over */
	length = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	stat[length > 0 ? length : 0] = '\0';
	name_end = strrchr(stat, ')'); /* PID (NAME) STATE; a name has 15 bytes at most */
	return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

static void wait_at_exit(void)
{
	const struct timespec nap = { .tv_nsec = EXIT_NAP_NS };
	int naps = 0;

	if (lane_cl_forked)
		return;
	for (; naps < EXIT_NAPS_MAX && __atomic_load_n(&uncalled, __ATOMIC_ACQUIRE); naps++)
		nanosleep(&nap, NULL);
	for (;
	     naps < 2 * EXIT_NAPS_MAX && is_awake(__atomic_load_n(&last_caller, __ATOMIC_RELAXED));
	     naps++)
		nanosleep(&nap, NULL);
}

/*
 * All that the call-back needs to know is in the one word it is given: nothing is allocated,
 * nothing is left behind when the program ends before its commands do.
 */
enum {
	TYPE_BITS = 16
};

_Static_assert(LANE_CLC_MEMADVISE_INTEL < 1 << TYPE_BITS, "a type fits");
_Static_assert(sizeof(void *) == sizeof(uint64_t), "a command's number fits");

struct command {
	uint64_t number;
	unsigned int type;
};

static void *layer_command_pack(const struct command *command)
{
	return (void *)(uintptr_t)(command->number << TYPE_BITS | command->type);
}

static struct command layer_command_unpack(const void *word)
{
	uint64_t bits = (uintptr_t)word;

	return (struct command){
		.number = bits >> TYPE_BITS,
		.type = (unsigned int)(bits & ((1u << TYPE_BITS) - 1)),
	};
}

uint64_t opencl_command_number(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static cl_int get_time(cl_event event, cl_profiling_info what, __u64 *ns)
{
	cl_ulong value = 0;
	cl_int status = LANE_CL_LOAD(lane_cl_target, clGetEventProfilingInfo)(
		event, what, sizeof(value), &value, NULL);

	*ns = status ? 0 : value;
	return status;
}

/* Records the command; false when its times cannot be had (yet). */
static bool record(cl_event event, const struct command *command, cl_command_queue queue,
		   cl_int status, bool must)
{
	struct lane_p_opencl_command done = {
		.command = command->number,
		.queue = (uintptr_t)queue,
		.status = status,
		.type = command->type,
	};
	cl_int failed = get_time(event, CL_PROFILING_COMMAND_END, &done.end_ns);

	if (failed && !must)
		return false;
	if (!failed) {
		get_time(event, CL_PROFILING_COMMAND_QUEUED, &done.queued_ns);
		get_time(event, CL_PROFILING_COMMAND_SUBMIT, &done.submitted_ns);
		get_time(event, CL_PROFILING_COMMAND_START, &done.start_ns);
	}
	lttng_ust_tracepoint(gpulane, opencl_command, &done);
	return true;
}

static void CL_CALLBACK completed(cl_event event, cl_int status, void *word)
{
	const struct command command = layer_command_unpack(word);
	cl_command_queue queue = NULL;

	if (!__atomic_load_n(&lane_cl_ending, __ATOMIC_RELAXED) && !lane_cl_forked &&
	    lttng_ust_tracepoint_enabled(gpulane, opencl_command)) {
		LANE_CL_LOAD(lane_cl_target, clGetEventInfo)
		(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL);
		record(event, &command, queue, status, true);
	}
	__atomic_store_n(&last_caller, gettid(), __ATOMIC_RELAXED);
	__atomic_sub_fetch(&uncalled, 1, __ATOMIC_RELEASE);
}

/* False: the driver sets none. The exit waits behind the driver's own set-up, so it comes before
 * its end. */
static bool call_back(cl_event event, void *word)
{
	static bool will_wait;

	if (!__atomic_exchange_n(&will_wait, true, __ATOMIC_RELAXED))
		atexit(wait_at_exit);
	__atomic_add_fetch(&uncalled, 1, __ATOMIC_RELAXED);
	if (!LANE_CL_LOAD(lane_cl_target, clSetEventCallback)(event, CL_COMPLETE, completed, word))
		return true;
	__atomic_sub_fetch(&uncalled, 1, __ATOMIC_RELAXED);
	return false;
}

/*
 * An event of the layer's is released here, not in its call-back: a driver calls all call-backs of
 * an event before it destroys the event (OpenCL 3.0, clSetEventCallback), and not every driver
 * survives a release while it calls them (pocl before 05dcaa736).
 */
bool opencl_command_follow(cl_event event, uint64_t number, cl_command_queue queue,
			   unsigned int type, bool owned, bool blocking)
{
	const struct command command = { .number = number, .type = type };
	bool followed = (blocking && record(event, &command, queue, CL_COMPLETE, false)) ||
			call_back(event, layer_command_pack(&command));

	if (owned)
		LANE_CL_LOAD(lane_cl_target, clReleaseEvent)(event);
	return followed;
}

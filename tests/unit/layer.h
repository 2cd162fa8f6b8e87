/* SPDX-License-Identifier: MIT */
/*
 * A layer between a program and a driver that are both made here, in one process: what the program
 * calls, what the driver is asked, and what is told of it, a line each. In the place of LTTng's
 * macros, and of the clock, which stands unless it is set.
 */
#ifndef TESTS_UNIT_LAYER_H
#define TESTS_UNIT_LAYER_H

#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/event.h"
#include "base/opencl.h"

/* opencl/provider.h has nothing more to say then. */
#define LANE_OPENCL_PROVIDER_H
#define lttng_ust_tracepoint_enabled(provider, name)  is_recorded
#define lttng_ust_tracepoint(provider, name, payload) (is_recorded ? told_##name(payload) : (void)0)
#define clock_gettime(clock, now)		      ((void)(clock), (void)(*(now) = fake_now))

/* SPIR-V: a kernel `k` of function 7, which has OpAtomicIIncrement. */
static const uint32_t spirv[] = { 0x07230203,
				  0x10000,
				  0,
				  8,
				  0,
				  4 << 16 | 15,
				  6,
				  7,
				  'k',
				  5 << 16 | 54,
				  1,
				  7,
				  0,
				  2,
				  6 << 16 | 232,
				  1,
				  8,
				  9,
				  9,
				  9,
				  1 << 16 | 56 };

static struct timespec fake_now = { .tv_sec = 1000 };
static bool is_recorded;
static char transcript[1 << 19];
static size_t n_said;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(transcript + n_said, sizeof(transcript) - n_said, format, args);
	va_end(args);
	assert_true(n >= 0 && n_said + (size_t)n < sizeof(transcript));
	n_said += (size_t)n;
}

/* Handles are small numbers; whatever lies in memory is one of the two's own. */
static void say_number(uint64_t value)
{
	if (value > 1 << 20)
		say(" @");
	else
		say(" %" PRIu64, value);
}

/* Zeros are not said. */
#define SAY_u64(name)                                                                              \
	if (p->name)                                                                               \
		say(" " #name "=%" PRIu64, (uint64_t)p->name);
#define SAY_u32(name) SAY_u64(name)
#define SAY_x32(name)                                                                              \
	if (p->name)                                                                               \
		say(" " #name "=0x%x", p->name);
#define SAY_x64(name)                                                                              \
	if (p->name)                                                                               \
		say(" " #name "=0x%" PRIx64, (uint64_t)p->name);
#define SAY_s32(name)                                                                              \
	if (p->name)                                                                               \
		say(" " #name "=%d", p->name);
#define SAY_path(name)	 say(" " #name "=%s", p->name);
#define SAY_str128(name) SAY_path(name)
#define SAY_comm(name)                                                                             \
	if (!p->name[0])                                                                           \
		say(" " #name "=");
#define SAY_clf(name)		       say(" %s", lane_cl_function_name(p->name));
#define SAY_clc(name)		       say(" %s", lane_cl_command_name(p->name));
#define SAY_FIELD(s, type, name, help) SAY_##type(name)
#define TOLD(event, fields)                                                                        \
	__attribute__((unused)) static void told_##event(const struct lane_p_##event *p)           \
	{                                                                                          \
		say("%s", #event + strlen("opencl_"));                                             \
		fields(SAY_FIELD, ) say("\n");                                                     \
	}
TOLD(opencl_call_entry, LANE_F_CL_ENTRY)
TOLD(opencl_call_exit, LANE_F_CL_EXIT)
TOLD(opencl_command, LANE_F_CL_COMMAND)
TOLD(opencl_kernel, LANE_F_CL_KERNEL)
TOLD(opencl_atomics, LANE_F_CL_ATOMICS)
TOLD(opencl_queue, LANE_F_CL_QUEUE)
TOLD(opencl_profiling, LANE_F_CL_PROFILE)
TOLD(opencl_run, LANE_F_CL_RUN)
TOLD(opencl_clock, LANE_F_CL_CLOCK)

/* The sections of FILE.expect in this folder; UPDATE=1 in the environment writes them. */
static char *read_expected(const char *path)
{
	static char text[1 << 18];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* What was said since the last time is in the file's section of that name. Nothing is said then. */
static void said_in(const char *path, const char *section)
{
	static FILE *updated;
	static char *expected;
	char head[128], *at, *end;

	if (getenv("UPDATE")) {
		updated = updated ? updated : fopen(path, "w");
		fprintf(updated, "== %s\n%s", section, transcript);
		fflush(updated);
	} else {
		expected = expected ? expected : read_expected(path);
		snprintf(head, sizeof(head), "== %s\n", section);
		at = strstr(expected, head);
		assert_non_null(at);
		at += strlen(head);
		end = strstr(at, "== ");
		if (!end)
			end = at + strlen(at);
		if (n_said != (size_t)(end - at) || memcmp(at, transcript, n_said) != 0)
			fail_msg("%s: expected:\n%.*ssaid:\n%s", section, (int)(end - at), at,
				 transcript);
	}
	n_said = 0;
	transcript[0] = '\0';
}

#endif

// SPDX-License-Identifier: MIT
// The limits of GPU drivers, as a tree of files tells them, and the dumps that are new.
#include "capture/gpu_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void grow_state(int cpu, int state, const char *name, const char *latency)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cpuidle/state%d/name", cpu,
		 state);
	check_write(path, name);
	strcpy(strrchr(path, '/'), "/latency");
	check_write(path, latency);
}

static int make_root(void **state)
{
	assert_int_equal(check_folder(state), 0);
	check_write("sys/module/i915/parameters/request_timeout_ms", "20000\n");
	check_write("sys/class/drm/card0/engine/rcs0/heartbeat_interval_ms", "2500\n");
	check_write("sys/class/drm/card0/engine/rcs0/preempt_timeout_ms", "640\n");
	check_write("sys/class/drm/card0/engine/rcs0/.defaults/preempt_timeout_ms", "7500\n");
	check_write("sys/class/drm/card1/pci/tile0/gt0/engines/ccs/job_timeout_ms", "5000\n");
	check_write("sys/class/drm/card1/pci/tile0/gt0/engines/ccs/preempt_timeout_us", "640000\n");
	check_write("sys/class/drm/card1/pci/tile0/gt0/engines/ccs/timeslice_duration_us",
		    "1000\n");
	check_write("sys/class/drm/card1/pci/tile0/gt1/engines/vcs/job_timeout_ms", "none\n");
	/* One with a clock, one without, which is a virtual function. */
	check_write("sys/class/drm/card2/device/tile0/gt0/freq0/act_freq", "0\n");
	check_write("sys/class/devcoredump/devcd1/data", "");
	check_write("sys/class/devcoredump/devcd12/data", "");
	check_write("sys/class/devcoredump/disabled", "0\n");
	/* Two CPUs of one kind, a third of another. */
	for (int cpu = 0; cpu < 3; cpu++) {
		grow_state(cpu, 0, "POLL\n", "0\n");
		grow_state(cpu, 1, cpu < 2 ? "C6\n" : "halt poll, idle\n",
			   cpu < 2 ? "133\n" : "1\n");
	}
	assert_int_equal(symlink("pci", "sys/class/drm/card1/device"), 0);
	return 0;
}

TEST_IN(make_root, check_no_folder, limits_are_read)
{
	struct lane_limits limits;

	capture_limits_read(".", &limits);
	assert_int_equal(limits.n, 4);
	assert_string_equal(limits.of[0].engine, "rcs0");
	assert_int_equal(limits.of[0].card, 0);
	assert_int_equal(limits.of[0].ns[LANE_LIMIT_HEARTBEAT], 2500000000);
	assert_int_equal(limits.of[0].ns[LANE_LIMIT_PREEMPT], 640000000);
	assert_int_equal(limits.of[0].ns[LANE_LIMIT_REQUEST], 20000000000);
	assert_int_equal(limits.of[0].ns[LANE_LIMIT_JOB], 0);
	assert_string_equal(limits.of[1].engine, "ccs");
	assert_string_equal(limits.of[1].dev, "pci");
	assert_int_equal(limits.of[1].card, 1);
	assert_int_equal(limits.of[1].ns[LANE_LIMIT_JOB], 5000000000);
	assert_int_equal(limits.of[1].ns[LANE_LIMIT_PREEMPT], 640000000);
	assert_int_equal(limits.of[1].ns[LANE_LIMIT_TIMESLICE], 1000000);
	assert_int_equal(limits.of[1].ns[LANE_LIMIT_REQUEST], 0);
	assert_int_equal(limits.of[2].ns[LANE_LIMIT_JOB], 0);
	assert_int_equal(limits.of[2].ns[LANE_LIMIT_VIRTUAL], 0);
	assert_int_equal(limits.of[3].card, 1);
	assert_int_equal(limits.of[3].ns[LANE_LIMIT_VIRTUAL], 1);
}

static void expect_state(const struct lane_limits *limits, int32_t cpu, uint32_t state,
			 const char *name, uint64_t leave_ns)
{
	char is[16];
	uint64_t ns;

	lane_idle_state(limits, cpu, state, is, &ns);
	assert_string_equal(is, name);
	assert_int_equal(ns, leave_ns);
}

TEST_IN(make_root, check_no_folder, the_scheduler_s_policy_is_read)
{
	static const char *const names[] = { "round_robin", "fifo", "fair", "" };
	struct lane_limits limits;

	for (int i = 0; i < 4; i++) {
		char text[] = { (char)('0' + i), '\n', '\0' };

		check_write("sys/module/gpu_sched/parameters/sched_policy", text);
		capture_limits_read(".", &limits);
		assert_string_equal(limits.sched_policy, names[i]);
	}
}

TEST_IN(make_root, check_no_folder, idle_states_are_read)
{
	struct lane_limits limits;

	capture_limits_read(".", &limits);
	assert_string_equal(limits.idle_states, "0-1:POLL=0,C6=133;2-2:POLL=0,halt_poll__idle=1");
	expect_state(&limits, 0, 0, "POLL", 0);
	expect_state(&limits, 1, 1, "C6", 133000);
	expect_state(&limits, 2, 1, "halt_poll__idle", 1000);
	/* Neither a state nor a CPU that is not in it; nor what somebody has damaged. */
	expect_state(&limits, 1, 2, "state 2", UINT64_MAX);
	expect_state(&limits, 3, 0, "state 0", UINT64_MAX);
	expect_state(&limits, -1, 1, "state 1", UINT64_MAX);
	strcpy(limits.idle_states, "0-1:POLL,;x;0:=1,C1E_of_sixteen_b=2");
	expect_state(&limits, 0, 0, "state 0", UINT64_MAX);
	expect_state(&limits, 0, 1, "state 1", UINT64_MAX);
	*limits.idle_states = '\0';
	expect_state(&limits, 0, 1, "state 1", UINT64_MAX);
}

TEST_IN(make_root, check_no_folder, new_dumps_are_told)
{
	struct lane_limits limits;

	capture_limits_read(".", &limits);
	capture_limits_since(&limits, "/sys/class/devcoredump/devcd1/data");
	assert_string_equal(limits.dumps, "/sys/class/devcoredump/devcd12/data");
	capture_limits_since(&limits, "/sys/class/devcoredump/devcd12/data");
	assert_string_equal(limits.dumps, "");
}

TEST(a_machine_without_any)
{
	struct lane_limits limits;

	capture_limits_read("/nowhere", &limits);
	assert_int_equal(limits.n, 0);
	assert_string_equal(limits.dumps, "");
}

TEST(rows_have_room)
{
	struct lane_limits limits = { 0 };
	char engine[16];

	for (int i = 0; i < LANE_LIMITS_MOST; i++) {
		snprintf(engine, sizeof(engine), "rcs%d", i);
		assert_non_null(lane_limits_row(&limits, 0, "", engine));
	}
	assert_null(lane_limits_row(&limits, 0, "", "ccs0"));
	assert_ptr_equal(lane_limits_row(&limits, 0, "", "rcs1"), &limits.of[1]);
	limits.n = 0;
	assert_null(lane_limits_row(&limits, 0, "", "an-engine-of-16-c"));
}

// SPDX-License-Identifier: MIT
// Reading the counters of GPUs: a tree of files, and a PMU whose events are pipes.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/counter_kind.h"
#include "capture/counter.h"

#define EVENTS 8
#define ROUNDS 16

static struct {
	uint32_t type[EVENTS];
	uint64_t config[EVENTS];
	int to[EVENTS]; /* what the event gives is written here */
	int n;
} pmu;

/* Of all events but those of the second GT, and at most EVENTS; each gives 1000, 2000, ... */
static int open_pmu(uint32_t type, uint64_t config, int cpu)
{
	int ends[2];

	assert_int_equal(cpu, 0);
	if (pmu.n == EVENTS || config >> 60 || (config >> 12 & 0xff) > 0 ||
	    (config >> 20 & 0xff) > 1)
		return -1;
	assert_int_equal(pipe(ends), 0);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		uint64_t value = i * 1000 + (uint64_t)pmu.n;

		assert_int_equal(write(ends[1], &value, sizeof(value)), sizeof(value));
	}
	pmu.type[pmu.n] = type;
	pmu.config[pmu.n] = config;
	pmu.to[pmu.n++] = ends[1];
	return ends[0];
}

static struct {
	struct lane_p_gpulane_counter counters[64];
	uint64_t values[64], totals[64];
	unsigned int samples[64], n;
} got;

static struct lane_error *put(void *arg, const struct lane_wire *record)
{
	const union lane_payload *u = (const void *)(record + 1);

	assert_null(arg);
	if (record->kind == LANE_COUNTER) {
		assert_int_equal(u->gpulane_counter.id, got.n);
		got.counters[got.n++] = u->gpulane_counter;
		return NULL;
	}
	assert_int_equal(record->kind, LANE_SAMPLE);
	assert_between(u->gpulane_sample.id, 0, got.n - 1);
	assert_true(u->gpulane_sample.from_ns <= record->ts_ns);
	got.values[u->gpulane_sample.id] = u->gpulane_sample.value;
	got.totals[u->gpulane_sample.id] = u->gpulane_sample.total;
	got.samples[u->gpulane_sample.id]++;
	return NULL;
}

static void make_link(const char *path, const char *target)
{
	LANE_CLEANUP(lane_free) char *command = NULL;

	assert_true(asprintf(&command, "mkdir -p $(dirname %s) && ln -sfn %s %s", path, target,
			     path) > 0);
	assert_int_equal(system(command), 0);
}

static void make_card(const char *card, const char *driver, const char *dev)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "sys/class/drm/%s/device", card);
	snprintf(target, sizeof(target), "../../../pci/%s", dev);
	make_link(path, target);
	snprintf(path, sizeof(path), "sys/pci/%s/driver", dev);
	snprintf(target, sizeof(target), "../../bus/pci/drivers/%s", driver);
	make_link(path, target);
}

static struct lane_counter_set *open_set(bool wakes)
{
	struct lane_counter_config config = { .root = ".",
					      .has_clients = true,
					      .is_waking = wakes,
					      .open_pmu = open_pmu,
					      .put = put };
	struct lane_counter_set *set;

	memset(&got, 0, sizeof(got));
	memset(&pmu, 0, sizeof(pmu));
	check(capture_counter_open(&config, &set));
	return set;
}

static void close_set(struct lane_counter_set *set)
{
	capture_counter_close(set);
	for (int i = 0; i < pmu.n; i++)
		close(pmu.to[i]);
}

/* The counter of this kind and class, LANE_COUNTER_NONE: of none. */
static unsigned int find(uint32_t what, unsigned int class)
{
	for (unsigned int i = 0; i < got.n; i++)
		if (got.counters[i].what == what && got.counters[i].class == class)
			return i;
	fail();
	return 0;
}

TEST(i915s_pmu_is_read)
{
	struct lane_counter_set *set;
	unsigned int rcs, c6;

	make_card("card0", "i915", "0000:00:02.0");
	check_write("sys/module/i915/parameters/enable_guc", "3\n");
	check_write("sys/bus/event_source/devices/i915/type", "23\n");
	check_write("sys/bus/event_source/devices/i915/cpumask", "0\n");
	check_write("sys/bus/event_source/devices/i915/events/rcs0-busy", "config=0x0\n");
	check_write("sys/bus/event_source/devices/i915/events/rc6-residency", "config=0x5\n");
	set = open_set(false);
	for (int i = 0; i < ROUNDS; i++)
		check(capture_counter_round(set));
	assert_int_equal(pmu.n, 2);
	assert_int_equal(pmu.type[0], 23);
	rcs = find(LANE_COUNTS_ENGINE_BUSY, 0);
	c6 = find(LANE_COUNTS_C6, LANE_COUNTER_NONE);
	assert_int_equal(got.counters[rcs].instance, 0);
	assert_int_equal(got.counters[rcs].trust, LANE_TRUST_LIVE);
	assert_int_equal(got.counters[rcs].per_second, 1000000000);
	assert_int_equal(got.samples[rcs], ROUNDS);
	assert_int_equal(got.values[c6], 1000 * ROUNDS);
	assert_int_equal(got.values[rcs], 1000 * ROUNDS + 1);
	close_set(set);
}

TEST(xes_is_read_only_where_it_may_wake)
{
	struct lane_counter_set *set;
	unsigned int rcs, bcs;

	make_card("card1", "xe", "0000:03:00.0");
	check_write("sys/bus/event_source/devices/xe_0000_03_00.0/type", "24\n");
	check_write("sys/bus/event_source/devices/xe_0000_03_00.0/events/engine-active-ticks",
		    "event=0x02\n");
	check_write("sys/bus/event_source/devices/xe_0000_03_00.0/events/engine-total-ticks",
		    "event=0x03\n");
	set = open_set(false);
	assert_int_equal(pmu.n, 2); /* i915's */
	close_set(set);
	set = open_set(true);
	check(capture_counter_round(set));
	assert_int_equal(pmu.n, 6);
	assert_int_equal(pmu.config[4], 0x100002); /* class 1, copy */
	rcs = find(LANE_COUNTS_ENGINE_BUSY, 0);
	bcs = find(LANE_COUNTS_ENGINE_BUSY, 1);
	assert_int_equal(got.counters[bcs].trust, LANE_TRUST_LIVE | LANE_TRUST_WAKES);
	assert_int_equal(got.counters[bcs].per_second, 0);
	assert_string_equal(got.counters[bcs].dev, "0000:03:00.0");
	assert_int_equal(got.values[bcs], 1004);
	assert_int_equal(got.totals[bcs], 1005);
	assert_int_not_equal(rcs, bcs);
	close_set(set);
	/* It has a virtual function, and its PMU tells functions apart. */
	check_write("sys/bus/event_source/devices/xe_0000_03_00.0/format/function",
		    "config:44-59\n");
	check_write("sys/pci/0000:03:00.0/sriov_numvfs", "1\n");
	set = open_set(true);
	check(capture_counter_round(set));
	assert_int_equal(pmu.config[4], 1ull << 44 | 2);
	assert_int_equal(got.counters[find(LANE_COUNTS_VF_BUSY, 0)].client_id, 1);
	close_set(set);
}

/* What is seen of a client goes on as its file does; another's file is another counter. */
TEST(a_clients_file_that_becomes_anothers_is_let_go)
{
	static const char first[] =
		"drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t5\n"
		"drm-engine-render:\t17 ns\ndrm-engine-video:\t3 ns\n"
		"drm-engine-capacity-video:\t2\n";
	static const char second[] = "drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\n"
				     "drm-client-id:\t6\ndrm-engine-render:\t99 ns\n";
	struct lane_counter_set *set;
	unsigned int before;

	make_link("proc/410/fd/7", "/dev/dri/renderD128");
	make_link("sys/class/drm/renderD128/device", "../../../pci/0000:00:02.0");
	check_write("proc/410/comm", "viewer\n");
	check_write("proc/410/fdinfo/7", first);
	set = open_set(false);
	check(capture_counter_round(set));
	before = find(LANE_COUNTS_CLIENT_BUSY, 0);
	assert_int_equal(got.values[before], 17);
	assert_int_equal(got.counters[before].trust, 0); /* the GuC's: what runs is left out */
	assert_int_equal(got.counters[find(LANE_COUNTS_CLIENT_BUSY, 2)].capacity, 2);
	assert_string_equal(got.counters[before].comm, "viewer");
	assert_int_equal(got.counters[before].pid, 410);
	check_write("proc/410/fdinfo/7", second);
	for (int i = 0; i < ROUNDS - 1; i++) /* until the walk comes by again */
		check(capture_counter_round(set));
	assert_int_equal(got.samples[before], 1);
	for (unsigned int i = before + 1; i < got.n; i++)
		if (got.counters[i].what == LANE_COUNTS_CLIENT_BUSY &&
		    got.counters[i].client_id == 6)
			before = i;
	assert_int_equal(got.values[before], 99);
	close_set(set);
}

#define MORE_CLIENTS 4

/* Each that is read is an open file; who finds no place is counted. */
TEST(clients_without_a_place_are_counted)
{
	struct lane_counter_set *set;
	char path[64], text[128];

	make_link("proc/411/fd/1", "/dev/dri/renderD128");
	for (int i = 1; i <= LANE_COUNTER_CLIENTS + MORE_CLIENTS; i++) {
		snprintf(path, sizeof(path), "proc/411/fd/%d", i);
		assert_true(i == 1 || !symlink("/dev/dri/renderD128", path));
		snprintf(path, sizeof(path), "proc/411/fdinfo/%d", i);
		snprintf(text, sizeof(text),
			 "drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t%d\n"
			 "drm-engine-render:\t1 ns\n",
			 100 + i);
		check_write(path, text);
	}
	set = open_set(false);
	assert_int_equal(capture_counter_left_out(set), MORE_CLIENTS + 1); /* 410's, too */
	close_set(set);
}

ALL_IN(check_folder, check_no_folder)

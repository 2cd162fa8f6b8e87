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
	struct lane_p_gpulane_counter counters[128];
	uint64_t values[128], totals[128];
	unsigned int samples[128], n;
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
		check(capture_counter_round(set, false));
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

/* A clock that has changed is read more often for a while, and nothing else is. */
TEST(a_clock_that_changes_is_read_more_often)
{
	struct lane_counter_set *set;
	unsigned int clock, most;

	make_card("card0", "i915", "0000:00:02.0");
	check_write("sys/class/drm/card0/gt/gt0/rps_act_freq_mhz", "1300\n");
	check_write("sys/class/drm/card0/gt/gt0/rps_RP0_freq_mhz", "1300\n");
	set = open_set(false);
	for (int i = 0; i < 11; i++) {
		assert_int_equal(capture_counter_changes(set), true);
		check(capture_counter_round(set, i > 0));
	}
	clock = find(LANE_COUNTS_CLOCK, LANE_COUNTER_NONE);
	most = find(LANE_COUNTS_CLOCK_MOST, LANE_COUNTER_NONE);
	assert_int_equal(capture_counter_changes(set), false);
	assert_int_equal(got.samples[clock], 11);
	assert_int_equal(got.samples[most], 1);
	check_write("sys/class/drm/card0/gt/gt0/rps_act_freq_mhz", "1200\n");
	check(capture_counter_round(set, false));
	assert_int_equal(capture_counter_changes(set), false); /* not by a tenth */
	check_write("sys/class/drm/card0/gt/gt0/rps_act_freq_mhz", "400\n");
	check(capture_counter_round(set, false));
	assert_int_equal(capture_counter_changes(set), true);
	close_set(set);
	assert_int_equal(unlink("sys/class/drm/card0/gt/gt0/rps_act_freq_mhz"), 0);
	assert_int_equal(unlink("sys/class/drm/card0/gt/gt0/rps_RP0_freq_mhz"), 0);
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
	check(capture_counter_round(set, false));
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
	check(capture_counter_round(set, false));
	assert_int_equal(pmu.config[4], 1ull << 44 | 2);
	assert_int_equal(got.counters[find(LANE_COUNTS_VF_BUSY, 0)].client_id, 1);
	close_set(set);
}

/* The sample of the counter, of this gt. */
static uint64_t value_of(uint32_t what, unsigned int gt)
{
	for (unsigned int i = 0; i < got.n; i++)
		if (got.counters[i].what == what && got.counters[i].gt == gt)
			return got.values[i];
	fail();
	return 0;
}

/* gpu_metrics of a discrete GPU: 120 bytes, the reasons in the last eight. */
static void make_metrics(const char *path, const char *reasons)
{
	LANE_CLEANUP(lane_free) char *command = NULL;

	assert_true(asprintf(&command,
			     "{ printf '\\170\\0\\1\\3'; head -c 108 /dev/zero; printf '%s'; } >%s",
			     reasons, path) > 0);
	assert_int_equal(system(command), 0);
}

TEST(amdgpus_files_are_read)
{
	struct lane_counter_set *set;
	unsigned int before;

	make_card("card2", "amdgpu", "0000:05:00.0");
	check_write("sys/pci/0000:05:00.0/power/control", "auto\n");
	check_write("sys/pci/0000:05:00.0/power/runtime_status", "active\n");
	check_write("sys/pci/0000:05:00.0/pp_dpm_sclk", "0: 500Mhz\n1: 800Mhz *\n2: 2800Mhz\n");
	check_write("sys/pci/0000:05:00.0/pp_dpm_mclk", "0: 96Mhz *\n1: 1000Mhz\n");
	check_write("sys/pci/0000:05:00.0/mem_info_vram_used", "8589934592\n");
	check_write("sys/pci/0000:05:00.0/mem_info_vram_total", "17163091968\n");
	check_write("sys/pci/0000:05:00.0/gpu_busy_percent", "97\n");
	check_write("sys/pci/0000:05:00.0/hwmon/hwmon3/power1_average", "98000000\n");
	check_write("sys/pci/0000:05:00.0/hwmon/hwmon3/power1_cap", "100000000\n");
	check_write("sys/pci/0000:05:00.0/hwmon/hwmon3/temp1_input", "71000\n");
	check_write("sys/pci/0000:05:00.0/hwmon/hwmon3/temp1_crit", "100000\n");
	make_metrics("sys/pci/0000:05:00.0/gpu_metrics", "\\1\\0\\0\\0\\20\\0\\0\\0");
	/* The device may be suspended: what keeps it from that is left alone. */
	set = open_set(false);
	check(capture_counter_round(set, false));
	assert_int_equal(value_of(LANE_COUNTS_VRAM, 0), 8192);
	assert_int_equal(value_of(LANE_COUNTS_VRAM_MOST, 0), 16368);
	before = got.n;
	/* It is told of, without a reading. */
	assert_int_equal(capture_counter_left_alone(set) >> LANE_COUNTS_POWER & 1, 1);
	for (unsigned int i = 0; i < got.n; i++)
		assert_int_equal(!got.samples[i], (got.counters[i].trust & LANE_TRUST_WAKES) != 0);
	close_set(set);
	/* It may not. */
	check_write("sys/pci/0000:05:00.0/power/control", "on\n");
	set = open_set(false);
	check(capture_counter_round(set, false));
	assert_int_equal(got.n, before);
	assert_int_equal(capture_counter_left_alone(set) >> LANE_COUNTS_POWER & 1, 0);
	assert_int_equal(value_of(LANE_COUNTS_MEMORY_CLOCK, 0), 96);
	assert_int_equal(value_of(LANE_COUNTS_MEMORY_CLOCK_MOST, 0), 1000);
	assert_int_equal(value_of(LANE_COUNTS_GPU_BUSY, 0), 97);
	assert_int_equal(value_of(LANE_COUNTS_POWER, 0), 98000);
	assert_int_equal(value_of(LANE_COUNTS_POWER_MOST, 0), 100000);
	assert_int_equal(value_of(LANE_COUNTS_HEAT, 0), 71);
	assert_int_equal(value_of(LANE_COUNTS_HEAT_MOST, 0), 100);
	assert_int_equal(value_of(LANE_COUNTS_THROTTLED, 0),
			 1 << LANE_THROTTLE_pl1 | 1 << LANE_THROTTLE_thermal);
	assert_int_equal(value_of(LANE_COUNTS_CLOCK, 0), 800);
	assert_int_equal(value_of(LANE_COUNTS_CLOCK_MOST, 0), 2800);
	close_set(set);
}

/* A GPU behind its card's switch, in a slot: the GPU's link and the switch's are read, the slot's
 * is not. While the device is suspended none is. */
TEST(links_are_read_up_to_the_slot)
{
	struct lane_counter_set *set;

	make_link("sys/class/drm/card3/device", "../../../pci/slot/switch/0000:08:00.0");
	make_link("sys/pci/slot/switch/0000:08:00.0/driver", "../../../../bus/pci/drivers/amdgpu");
	for (int i = 0; i < 3; i++) {
		static const char *const folders[] = { "slot/switch/0000:08:00.0", "slot/switch",
						       "slot" };
		static const char *const widths[] = { "16", "4", "4" };
		char path[128];

		snprintf(path, sizeof(path), "sys/pci/%s/current_link_width", folders[i]);
		check_write(path, widths[i]);
		snprintf(path, sizeof(path), "sys/pci/%s/max_link_width", folders[i]);
		check_write(path, "16\n");
		snprintf(path, sizeof(path), "sys/pci/%s/current_link_speed", folders[i]);
		check_write(path, "2.5 GT/s PCIe\n");
		snprintf(path, sizeof(path), "sys/pci/%s/max_link_speed", folders[i]);
		check_write(path, "16.0 GT/s PCIe\n");
	}
	check_write("sys/pci/slot/switch/0000:08:00.0/power/runtime_status", "active\n");
	set = open_set(false);
	check(capture_counter_round(set, false));
	assert_int_equal(value_of(LANE_COUNTS_LINK_WIDTH, LANE_COUNTER_LINK), 16);
	assert_int_equal(value_of(LANE_COUNTS_LINK_WIDTH, LANE_COUNTER_LINK + 1), 4);
	assert_int_equal(value_of(LANE_COUNTS_LINK_WIDTH_MOST, LANE_COUNTER_LINK + 1), 16);
	assert_int_equal(value_of(LANE_COUNTS_LINK_SPEED, LANE_COUNTER_LINK), 2500);
	assert_int_equal(value_of(LANE_COUNTS_LINK_SPEED_MOST, LANE_COUNTER_LINK), 16000);
	for (unsigned int i = 0; i < got.n; i++)
		assert_int_not_equal(got.counters[i].gt, LANE_COUNTER_LINK + 2);
	memset(got.samples, 0, sizeof(got.samples));
	check_write("sys/pci/slot/switch/0000:08:00.0/power/runtime_status", "suspended\n");
	check(capture_counter_round(set, false));
	for (unsigned int i = 0; i < got.n; i++)
		assert_true(got.counters[i].gt < LANE_COUNTER_LINK || !got.samples[i]);
	close_set(set);
}

/* The sample of the counter of the card that was made last: 09:00.0; UINT64_MAX: it has none. */
static uint64_t last_value_of(uint32_t what)
{
	for (unsigned int i = 0; i < got.n; i++)
		if (got.counters[i].what == what && !strcmp(got.counters[i].dev, "0000:09:00.0"))
			return got.values[i];
	return UINT64_MAX;
}

/* What keeps a device awake; a delay below 0 is none. */
TEST(who_keeps_it_awake_is_read)
{
	struct lane_counter_set *set;

	make_card("card5", "i915", "0000:09:00.0");
	check_write("sys/pci/0000:09:00.0/power/runtime_suspended_time", "1200\n");
	check_write("sys/pci/0000:09:00.0/power/runtime_usage", "2\n");
	check_write("sys/pci/0000:09:00.0/power/autosuspend_delay_ms", "10000\n");
	check_write("sys/pci/0000:09:00.0/power/control", "on\n");
	set = open_set(false);
	check(capture_counter_round(set, false));
	assert_int_equal(last_value_of(LANE_COUNTS_AWAKE_USES), 2);
	assert_int_equal(last_value_of(LANE_COUNTS_SLEEP_AFTER), 10000);
	assert_int_equal(last_value_of(LANE_COUNTS_KEPT_AWAKE), 1);
	check_write("sys/pci/0000:09:00.0/power/control", "auto\n");
	check(capture_counter_round(set, false));
	assert_int_equal(last_value_of(LANE_COUNTS_KEPT_AWAKE), 0);
	close_set(set);
	check_write("sys/pci/0000:09:00.0/power/autosuspend_delay_ms", "-1\n");
	set = open_set(false);
	check(capture_counter_round(set, false));
	assert_true(last_value_of(LANE_COUNTS_SLEEP_AFTER) == UINT64_MAX);
	close_set(set);
}

TEST(devfreq_and_pressure_are_read)
{
	struct lane_counter_set *set;

	make_card("card4", "panfrost", "13000000.gpu");
	check_write("sys/pci/13000000.gpu/devfreq/13000000.gpu/cur_freq", "400000000\n");
	check_write("sys/pci/13000000.gpu/devfreq/13000000.gpu/max_freq", "400000000\n");
	check_write("sys/pci/13000000.gpu/devfreq/13000000.gpu/available_frequencies",
		    "200000000 400000000 800000000 \n");
	check_write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=99\n"
					    "full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n");
	set = open_set(false);
	check(capture_counter_round(set, false));
	for (unsigned int i = 0; i < got.n; i++) {
		const struct lane_p_gpulane_counter *is = &got.counters[i];

		if (is->what == LANE_COUNTS_MEMORY_PRESSURE) {
			assert_int_equal(got.values[i], 77);
			assert_int_equal(is->card, LANE_COUNTER_NO_CARD);
			assert_int_equal(is->per_second, 1000000);
		}
		if (is->card != 4)
			continue;
		assert_int_equal(got.values[i], is->what == LANE_COUNTS_CLOCK	      ? 400
						: is->what == LANE_COUNTS_CLOCK_CAP   ? 400
						: is->what == LANE_COUNTS_CLOCK_LEAST ? 200
										      : 800);
	}
	find(LANE_COUNTS_MEMORY_PRESSURE, LANE_COUNTER_NONE);
	close_set(set);
}

/* Where a client's memory lies; what nothing was ever in is no counter. msm tells cycles of a clock
 * that nobody knows, too: the time counts. */
TEST(clients_memory_is_read)
{
	struct lane_counter_set *set;
	unsigned int busy = 0, vram = 0, gtt = 0, evicted = 0, gpu = 0, local = 0;

	make_link("sys/class/drm/renderD130/device", "../../../pci/0000:05:00.0");
	make_link("proc/500/fd/4", "/dev/dri/renderD130");
	make_link("proc/500/fd/5", "/dev/dri/renderD130");
	make_link("proc/500/fd/6", "/dev/dri/renderD130");
	check_write("proc/500/comm", "game\n");
	check_write("proc/500/fdinfo/4",
		    "drm-driver:\tamdgpu\ndrm-client-id:\t9\ndrm-pdev:\t0000:05:00.0\n"
		    "drm-memory-vram:\t1024 KiB\ndrm-resident-vram:\t2 MiB\n"
		    "drm-memory-gtt: \t77 KiB\ndrm-resident-cpu:\t0\n"
		    "amd-evicted-vram:\t3072 KiB\namd-evicted-visible-vram:\t512 KiB\n"
		    "drm-engine-gfx:\t123 ns\n");
	check_write("proc/500/fdinfo/5",
		    "drm-driver:\tmsm\ndrm-client-id:\t10\ndrm-engine-gpu:\t55 ns\n"
		    "drm-cycles-gpu:\t99\ndrm-maxfreq-gpu:\t800000000 Hz\n");
	check_write("proc/500/fdinfo/6", "drm-driver:\ti915\ndrm-client-id:\t11\n"
					 "drm-resident-local0:\t4 MiB\n");
	set = open_set(false);
	check(capture_counter_round(set, false));
	for (unsigned int i = 0; i < got.n; i++) {
		const struct lane_p_gpulane_counter *is = &got.counters[i];

		if (is->pid != 500)
			continue;
		assert_string_not_equal(is->name, "cpu");
		busy += is->what == LANE_COUNTS_CLIENT_BUSY && got.values[i] == 123;
		vram += is->what == LANE_COUNTS_CLIENT_VRAM && got.values[i] == 2048;
		gtt += is->what == LANE_COUNTS_CLIENT_MEMORY && got.values[i] == 77;
		evicted += is->what == LANE_COUNTS_CLIENT_EVICTED;
		evicted += is->what == LANE_COUNTS_CLIENT_EVICTED && got.values[i] != 3072;
		local += is->what == LANE_COUNTS_CLIENT_VRAM && got.values[i] == 4096;
		gpu += is->what == LANE_COUNTS_CLIENT_BUSY && got.values[i] == 55 &&
		       is->per_second == 1000000000;
	}
	assert_int_equal(busy, 1);
	assert_int_equal(vram, 1);
	assert_int_equal(gtt, 1);
	assert_int_equal(evicted, 1);
	assert_int_equal(local, 1);
	assert_true(capture_counter_read(set) >> LANE_COUNTS_CLIENT_EVICTED & 1);
	assert_int_equal(gpu, 1);
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
	check(capture_counter_round(set, false));
	before = find(LANE_COUNTS_CLIENT_BUSY, 0);
	assert_int_equal(got.values[before], 17);
	assert_int_equal(got.counters[before].trust, 0); /* the GuC's: what runs is left out */
	assert_int_equal(got.counters[find(LANE_COUNTS_CLIENT_BUSY, 2)].capacity, 2);
	assert_string_equal(got.counters[before].comm, "viewer");
	assert_int_equal(got.counters[before].pid, 410);
	check_write("proc/410/fdinfo/7", second);
	for (int i = 0; i < ROUNDS - 1; i++) /* until the walk comes by again */
		check(capture_counter_round(set, false));
	assert_int_equal(got.samples[before], 1);
	for (unsigned int i = before + 1; i < got.n; i++)
		if (got.counters[i].what == LANE_COUNTS_CLIENT_BUSY &&
		    got.counters[i].client_id == 6)
			before = i;
	assert_int_equal(got.values[before], 99);
	close_set(set);
}

/* Of a thousand ns three come, and of a second's no more are kept, or owed. */
TEST(quick_rounds_have_a_budget)
{
	struct lane_counter_budget budget = { 0 };
	uint64_t now_ns = 5000000000;

	capture_counter_may_spend(&budget, now_ns);
	assert_int_equal(budget.left_ns, 3000000);
	capture_counter_spend(&budget, 2900000);
	capture_counter_may_spend(&budget, now_ns += 100000000);
	assert_int_equal(budget.left_ns, 400000);
	capture_counter_spend(&budget, 500000);
	assert_int_equal(budget.left_ns, -100000);
	capture_counter_spend(&budget, 50000000); /* a round that looks into many processes */
	assert_int_equal(budget.left_ns, -3000000);
	capture_counter_may_spend(&budget, now_ns - 1000); /* not back */
	assert_int_equal(budget.left_ns, -3000000);
	capture_counter_may_spend(&budget, now_ns += 500000000);
	assert_int_equal(budget.left_ns, -1500000);
	capture_counter_may_spend(&budget, now_ns += 60000000000);
	assert_int_equal(budget.left_ns, 3000000);
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
	assert_int_equal(capture_counter_left_out(set),
			 MORE_CLIENTS + 4); /* 410's and 500's, too */
	close_set(set);
}

ALL_IN(check_folder, check_no_folder)

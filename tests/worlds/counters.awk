# SPDX-License-Identifier: MIT
# The counters that were read in a world. They are made behind it, when it is known what was so at which time.
function gauge(what, name, gt) { return counter(what, 0, 0, 65535, 0, name, gt + 0) }
function make_counters() {
	if (elsewhere) {
		DEVICE = "0000:83:00.0"
		CARD = 1
	}
	if (is_kind("low_clock ze_low_clock throttled_power throttled_heat power_beside_video clock_capped clock_always_low clock_held_down power_limit hot"))
		clocks()
	else if (is_kind("none"))
		harmless()
	else if (is_kind("memory_clock link_narrow link_slow"))
		gauges()
	else if (is_kind("memory_short"))
		pressure()
	else if (is_kind("evicted"))
		memory()
	else if (is_kind("fw_client ze_client"))
		client_times()
	else if (is_kind("suspended c6"))
		sleeps()
}
function step() { return between(98, 102) * MS }
# The GPU's clock, what caps it and what holds it down.
function clocks(    act, top, cap, why, watts, watts_most, heat, heat_most, t, low, most_mhz, low_mhz, cap_mhz, bit, always) {
	always = is_kind("clock_capped clock_always_low clock_held_down power_limit hot")
	most_mhz = 50 * between(22, 60)
	low_mhz = always ? 50 * int(most_mhz * (0.3 + 0.4 * random()) / 50) : 50 * int(most_mhz / factor / 50)
	if (is_kind("clock_held_down power_limit hot") && !harm() && !elsewhere)
		low_mhz = most_mhz - 50 * between(0, 1)
	cap_mhz = most_mhz
	if (is_kind("clock_capped")) {
		cap_mhz = low_mhz
		if (!harm() && !elsewhere)
			low_mhz = 50 * int(cap_mhz * 0.7 / 50)
	}
	bit = is_kind("throttled_power power_beside_video") ? 1 : is_kind("throttled_heat") ? 8 : is_kind("clock_held_down") ? 2 ^ between(0, 5) : 0
	act = gauge(2, DRIVER == "xe" ? "freq0/act_freq" : "rps_act_freq_mhz")
	top = gauge(5, DRIVER == "xe" ? "freq0/rp0_freq" : "rps_RP0_freq_mhz")
	cap = gauge(10, DRIVER == "xe" ? "freq0/max_freq" : "rps_max_freq_mhz")
	why = gauge(6, "throttle_reason_status")
	if (is_kind("power_limit")) {
		watts = gauge(13, "power1_average")
		watts_most = gauge(14, "power1_cap")
	}
	if (is_kind("hot")) {
		heat = gauge(15, "temp1_input")
		heat_most = gauge(16, "temp1_crit")
	}
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step()) {
		low = always || inside("low", t)
		sample(act, t, low ? low_mhz : most_mhz)
		sample(top, t, most_mhz)
		sample(cap, t, cap_mhz)
		sample(why, t, low ? bit : 0)
		if (is_kind("power_limit")) {
			sample(watts, t, between(145500, 150000))
			sample(watts_most, t, 150000)
		}
		if (is_kind("hot")) {
			sample(heat, t, between(97, 100))
			sample(heat_most, t, 100)
		}
	}
}
# What is one thing of a most.
function gauges(    now, most, t, value, top) {
	if (is_kind("memory_clock")) {
		now = gauge(11, "pp_dpm_mclk")
		most = gauge(12, "pp_dpm_mclk")
		top = between(900, 1300)
		value = int(top * (0.1 + 0.6 * random()))
	} else if (is_kind("link_narrow")) {
		now = gauge(17, "current_link_width", 16)
		most = gauge(18, "max_link_width", 16)
		top = 16
		value = 2 ^ between(0, 4)
	} else {
		now = gauge(19, "current_link_speed", 16)
		most = gauge(20, "max_link_speed", 16)
		top = 16000
		value = one_of("2500 5000 8000")
	}
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step()) {
		sample(now, t, value)
		sample(most, t, top)
	}
}
# Whose memory lies where.
function memory(    used, most, own, evicted, others, t, kib, out) {
	used = gauge(21, "mem_info_vram_used")
	most = gauge(22, "mem_info_vram_total")
	own = counter(25, 0, 0, 65535, c_tid[app], "vram")
	evicted = counter(27, 0, 0, 65535, c_tid[app], "vram")
	others = counter(25, 0, 0, 65535, hog, "vram")
	kib = between(500, 1500) * 1024
	out = harm() ? 0.2 + 0.6 * random() : 0.03 * random()
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step()) {
		sample(used, t, 8150 + between(0, 30))
		sample(most, t, 8192)
		sample(own, t, kib * (1 - out))
		sample(evicted, t, kib * out)
		sample(others, t, 6 * 1024 * 1024)
	}
}
# Which part of the engine's time the clients had, by the firmware's word: of the 19.2 MHz clock.
function client_times(    own, others, t, part, class) {
	part = 0.6 + 0.25 * random()
	class = is_kind("ze_client") ? (harm() || flavour ? 4 : 1) : harm() || flavour ? 0 : 2
	if (DRIVER == "guc") {
		# i915's fdinfo: ns, which lag
		own = counter(1, 0, 1000000000, 0, c_tid[app], "render")
		others = counter(1, 0, 1000000000, class, c_tid[boss], class ? "video" : "render")
		for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step()) {
			sample(own, t, ran_by(app, t) * (1 - part * 0.5))
			sample(others, t, within("low", t) * part)
		}
		return
	}
	own = counter(1, 9, 0, is_kind("ze_client") ? 4 : 0, c_tid[app], is_kind("ze_client") ? "ccs" : "rcs")
	others = counter(1, 9, 0, class, c_tid[boss], class == 4 ? "ccs" : class == 1 ? "bcs" : class ? "vcs" : "rcs")
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step()) {
		sample(own, t, ran_by(app, t) * (1 - part * 0.5) * 0.0192, t * 0.0192)
		sample(others, t, within("low", t) * part * 0.0192, t * 0.0192)
	}
}
function ran_by(c, t,    sum) {
	while (ran_at[c] < n_runs[c] && run_end[c, ran_at[c] + 1] <= t)
		ran_sum[c] += run_end[c, ++ran_at[c]] - run_begin[c, ran_at[c]]
	return ran_sum[c] + 0
}
function sleeps(    which, t) {
	which = is_kind("suspended") ? counter(8, 0, 1000, 65535, 0, "runtime_suspended_time") : counter(7, 0, DRIVER == "xe" ? 1000 : 1000000000, 65535, 0, DRIVER == "xe" ? "gtidle/idle_residency_ms" : "rc6-residency")
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += between(98, 102) * MS / 10)
		sample(which, t, int(within("sleep", t) / (is_kind("c6") && DRIVER != "xe" ? 1 : MS)))
}
# All threads that had something to do waited for memory: so many us.
function pressure(    i, t, part) {
	DEVICE = "\"\""
	i = counter(24, 0, 1000000, 65535, 0, "memory")
	part = harm() ? 0.1 + 0.4 * random() : 0.03 * random()
	cost = harm() ? part * (END_NS - BEGIN_NS + 40 * MS) : 0
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step())
		sample(i, t, int((t - BEGIN_NS) * part / 1000))
}
# Readings as they are where all is well: a clock that moves a little, a reason now and then at a high clock, a client of another engine.
function harmless(    act, top, why, watts, watts_most, video_time, most_mhz, t, mhz) {
	most_mhz = 50 * between(22, 60)
	act = gauge(2, "rps_act_freq_mhz")
	top = gauge(5, "rps_RP0_freq_mhz")
	why = gauge(6, "throttle_reason_status")
	watts = gauge(13, "power1_average")
	watts_most = gauge(14, "power1_cap")
	video_time = counter(1, 9, 0, 2, hog, "vcs")
	for (t = BEGIN_NS; t < END_NS + 25 * MS; t += step()) {
		mhz = int(most_mhz * (0.92 + 0.08 * random()))
		sample(act, t, mhz)
		sample(top, t, most_mhz)
		sample(why, t, mhz > most_mhz * 0.97 && chance(0.3))
		sample(watts, t, between(60000, 149000))
		sample(watts_most, t, 150000)
		sample(video_time, t, within("low", t) * 0.8 * 0.0192, t * 0.0192)
	}
}

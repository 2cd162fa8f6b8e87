/* SPDX-License-Identifier: MIT */
/* The counters of GPUs that `gpulane record` reads (docs/counters.md): what one counts, and how far
 * it is to be believed. */
#ifndef LANE_BASE_COUNTER_KIND_H
#define LANE_BASE_COUNTER_KIND_H

/* LANE_COUNTERS(C) calls C(ID, name, unit); show/words.def says what each is. Recordings have the
 * numbers: append at the end. A unit of "" is that of time. */
#define LANE_COUNTERS(C)                                                                           \
	C(ENGINE_BUSY, "engine_busy", "")                                                          \
	C(CLIENT_BUSY, "client_busy", "")                                                          \
	C(CLOCK, "clock", "MHz")                                                                   \
	C(CLOCK_WANTED, "clock_wanted", "MHz")                                                     \
	C(CLOCK_LEAST, "clock_least", "MHz")                                                       \
	C(CLOCK_MOST, "clock_most", "MHz")                                                         \
	C(THROTTLED, "throttled", "reasons")                                                       \
	C(C6, "c6", "")                                                                            \
	C(SUSPENDED, "suspended", "")                                                              \
	C(VF_BUSY, "vf_busy", "")                                                                  \
	C(CLOCK_CAP, "clock_cap", "MHz")                                                           \
	C(MEMORY_CLOCK, "memory_clock", "MHz")                                                     \
	C(MEMORY_CLOCK_MOST, "memory_clock_most", "MHz")                                           \
	C(POWER, "power", "mW")                                                                    \
	C(POWER_MOST, "power_most", "mW")                                                          \
	C(HEAT, "heat", "degrees")                                                                 \
	C(HEAT_MOST, "heat_most", "degrees")                                                       \
	C(LINK_WIDTH, "link_width", "lanes")                                                       \
	C(LINK_WIDTH_MOST, "link_width_most", "lanes")                                             \
	C(LINK_SPEED, "link_speed", "MT/s")                                                        \
	C(LINK_SPEED_MOST, "link_speed_most", "MT/s")                                              \
	C(VRAM, "vram", "MiB")                                                                     \
	C(VRAM_MOST, "vram_most", "MiB")                                                           \
	C(GPU_BUSY, "gpu_busy", "%")                                                               \
	C(MEMORY_PRESSURE, "memory_pressure", "")                                                  \
	C(CLIENT_VRAM, "client_vram", "KiB")                                                       \
	C(CLIENT_MEMORY, "client_memory", "KiB")                                                   \
	C(CLIENT_EVICTED, "client_evicted", "KiB")                                                 \
	C(AWAKE_USES, "awake_uses", "uses")                                                        \
	C(SLEEP_AFTER, "sleep_after", "ms")                                                        \
	C(KEPT_AWAKE, "kept_awake", "yes")

enum lane_counter_what {
#define C(id, name, unit) LANE_COUNTS_##id,
	LANE_COUNTERS(C)
#undef C
	LANE_COUNTS
};

/* The name of a kind; "unknown" of those that later versions have. */
static inline const char *lane_counter_name(unsigned int what)
{
	switch (what) {
#define C(id, name, unit)                                                                          \
	case LANE_COUNTS_##id:                                                                     \
		return name;
		LANE_COUNTERS(C)
#undef C
	default:
		return "unknown";
	}
}

/* A gauge has a value at a time; the others count time. */
static inline _Bool lane_counter_is_gauge(unsigned int what)
{
#define C(id, name, unit) | (unsigned long long)(sizeof(unit) > 1) << LANE_COUNTS_##id
	return what < LANE_COUNTS && (0ull LANE_COUNTERS(C)) >> what & 1;
#undef C
}

/* How far a counter is to be believed: a set. With none of the first three its value may lag behind
 * without a limit: what runs now is left out until it leaves the engine. */
enum lane_counter_trust {
	LANE_TRUST_LIVE = 1 << 0,   /* it has what runs now: while it stands still nothing runs */
	LANE_TRUST_OVER = 1 << 1,   /* it counts from the hand-over until the driver sees the end */
	LANE_TRUST_FENCES = 1 << 2, /* it is summed up from fences, not by the hardware */
	LANE_TRUST_WAKES = 1 << 3,  /* reading it wakes the GPU, or keeps it awake */
};

/* Why a clock is held down: the bits of THROTTLED. LANE_THROTTLES(T) calls T(name). */
#define LANE_THROTTLES(T)                                                                          \
	T(pl1) T(pl2) T(pl4) T(thermal) T(prochot) T(ratl) T(vr_thermalert) T(vr_tdc)

#define LANE_THROTTLE_OTHER 31 /* by none of them */

enum {
#define T(name) LANE_THROTTLE_##name,
	LANE_THROTTLES(T)
#undef T
	LANE_COUNTER_REASONS
};

#define LANE_COUNTER_NONE    0xffff /* no class, no instance */
#define LANE_COUNTER_NO_CARD 0xffffffff
/* "gt" of a link is this, and how many bridges lie between it and the GPU. */
#define LANE_COUNTER_LINK 16

#endif

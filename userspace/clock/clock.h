/* SPDX-License-Identifier: MIT */
/*
 * Two clocks and what is known of the line between them: a device's and the CPU's, or two hosts'.
 *
 * Nothing stamps both clocks at once. What there is are pairs of events of which one is known to
 * come before the other: a command is queued on the device after its call was entered, and it ended
 * before the program was told. Each such pair is an inequality on the line
 *
 *      other = cpu + a * cpu + b
 *
 * The convex hull method (Duda 1987; Poirier, Roy and Dagenais 2010; Jabbarifar 2013): the line
 * passes below the lower hull of the pairs (entry, queued) and above the upper hull of the pairs
 * (told, end). It is done here in the dual: the set of lines (a, b) that keep every inequality is a
 * convex polygon whose corners are the lines through two points of the hulls. A new pair cuts it;
 * what lies on the hulls but bounds no line any more is forgotten. All arithmetic is exact, in 128
 * bits; what is reported follows from the inequalities, not from a distribution of delays.
 *
 * Assumed: both clocks run evenly, at rates that differ by at most LANE_SYNC_DRIFT_PPM, and stamps
 * are cut to a whole number of nanoseconds, or of `grain_ns`.
 */
#ifndef LANE_CLOCK_CLOCK_H
#define LANE_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define LANE_SYNC_DRIFT_PPM 1000

/* Corners of the polygon that are kept; a pair that would make more is not used, which loosens the
 * bounds and breaks none. */
#define LANE_SYNC_CORNERS 128

/* A clock that is the CPU's own, as far as every pair can tell, is taken for it where the pairs
 * leave less than this; ns. */
#define LANE_SYNC_SAME_NS 20000000

enum lane_sync_state {
	LANE_SYNC_FREE,	 /* nothing bounds it yet, or from one side only */
	LANE_SYNC_BOUND, /* a line, within bounds */
	LANE_SYNC_SAME,	 /* the CPU's clock itself keeps every inequality */
};

/* A pair (cpu, other), relative to the origin: x the CPU's time, y how much the other has gained.
 */
struct lane_sync_point {
	int64_t x, y;
};

struct lane_sync {
	uint64_t grain_ns;
	uint64_t origin_cpu, origin_other;
	/* In order round the polygon. A side of which no pair has come yet is bounded by a point
	 * that is farther off than any pair can be. */
	struct lane_sync_point at[LANE_SYNC_CORNERS]; /* of the edges (sync.c) */
	int8_t kind[LANE_SYNC_CORNERS];
	uint32_t n_edges;
	bool started, bounded, differs;
	uint64_t last_other; /* of the last pair */
	bool has[2];	     /* pairs of each side; it is bounded when it has both */
	uint64_t pairs;	     /* inequalities taken */
	uint64_t unused;   /* of these: left out, the polygon was full or they were out of range */
	uint64_t restarts; /* how often no line was left and it began anew */
};

/* Makes *sync ready. grain_ns: what the other clock's stamps are cut to, at least 1. */
void clock_sync_init(struct lane_sync *sync, uint64_t grain_ns);

/* Something at cpu_ns of the CPU's clock came no later than something at other_ns of the other's.
 */
void clock_sync_before(struct lane_sync *sync, uint64_t cpu_ns, uint64_t other_ns);

/* Something at cpu_ns of the CPU's clock came no earlier than something at other_ns of the other's.
 */
void clock_sync_after(struct lane_sync *sync, uint64_t cpu_ns, uint64_t other_ns);

enum lane_sync_state clock_sync_state(const struct lane_sync *sync);

/*
 * When it was other_ns on the other clock, by the CPU's clock: between *lo_ns and *hi_ns, which
 * follow from the pairs. False: nothing bounds it (then 0 and UINT64_MAX).
 */
bool clock_sync_bounds(const struct lane_sync *sync, uint64_t other_ns, uint64_t *lo_ns,
		       uint64_t *hi_ns);

/* The same the other way round: what the other clock said at cpu_ns of the CPU's clock. */
bool clock_sync_other_bounds(const struct lane_sync *sync, uint64_t cpu_ns, uint64_t *lo_ns,
			     uint64_t *hi_ns);

/*
 * The best single value for it: other_ns itself where the clock is the CPU's, else the middle of
 * the bounds. It grows with other_ns. Without bounds: other_ns as it is.
 */
uint64_t clock_sync_cpu_ns(const struct lane_sync *sync, uint64_t other_ns);

/*
 * One of the possible lines, for many times: half-way between the steepest and the flattest one.
 * Every time that it gives lies within the bounds.
 */
struct lane_sync_map {
	uint64_t origin_cpu, origin_other;
	long double at;	  /* the other clock less the CPU's, at the origin */
	long double rate; /* and what it gains in a nanosecond of its own */
};

/* False: nothing bounds the clock; then times are mapped to themselves. */
bool clock_sync_map(const struct lane_sync *sync, struct lane_sync_map *map);

/* When it was other_ns on the other clock, by the CPU's clock. It never goes back. */
uint64_t clock_sync_map_ns(const struct lane_sync_map *map, uint64_t other_ns);

/*
 * What is known of the line at other_ns, as numbers for people: other - cpu there and the rate's
 * difference, each from .. to. False: nothing bounds it.
 */
struct lane_sync_line {
	int64_t offset_lo_ns, offset_hi_ns;
	double drift_lo_ppm, drift_hi_ppm;
};

bool clock_sync_line(const struct lane_sync *sync, uint64_t other_ns, struct lane_sync_line *line);

#endif

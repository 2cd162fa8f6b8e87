// SPDX-License-Identifier: MIT
// The line between two clocks: the polygon of all lines that keep every inequality, cut pair by
// pair.
#include "clock/clock.h"

#include <string.h>

#define RANGE ((int64_t)1 << 58) /* of a time from the origin: nine years */
/* Above what a pair's y can be, with what LIMIT allows over the range, and far from overflow. */
#define FAR  ((int64_t)1 << 61)
#define RATE 1000000 /* a rate's limit is the direction (RATE, ppm) */

enum {
	BELOW = 1,
	LIMIT = 0,
	ABOVE = -1
};

/* A corner of the polygon, which is a line: through `at`, in direction (dx, dy), dx > 0. */
struct corner {
	struct lane_sync_point at;
	int64_t dx, dy;
};

/* A constraint that is an edge of the polygon: a point, or one of the two limits of the rate. */
struct edge {
	struct lane_sync_point at; /* for a limit: the direction */
	int8_t kind;		   /* the line passes BELOW it, or ABOVE; LIMIT */
};

static struct edge edge_at(const struct lane_sync *sync, uint32_t i)
{
	return (struct edge){ sync->at[i], sync->kind[i] };
}

static void set_edges(struct lane_sync *sync, const struct edge *edges, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sync->at[i] = edges[i].at;
		sync->kind[i] = edges[i].kind;
	}
	sync->n_edges = n;
}

static struct corner corner_of(const struct edge *a, const struct edge *b)
{
	const struct edge *point = a->kind == LIMIT ? b : a;
	const struct edge *other = a->kind == LIMIT ? a : b;
	struct corner corner = { .at = point->at };

	if (other->kind == LIMIT) {
		corner.dx = other->at.x;
		corner.dy = other->at.y;
		return corner;
	}
	corner.dx = other->at.x - point->at.x;
	corner.dy = other->at.y - point->at.y;
	if (corner.dx < 0) {
		corner.dx = -corner.dx;
		corner.dy = -corner.dy;
	}
	return corner;
}

static struct corner corner_at(const struct lane_sync *sync, uint32_t i)
{
	const struct edge edge = edge_at(sync, i);
	const struct edge next = edge_at(sync, i + 1 < sync->n_edges ? i + 1 : 0);

	return corner_of(&edge, &next);
}

/* True when the line keeps the inequality of a point: it passes on the right side, or through it.
 */
static bool keeps(const struct corner *line, struct lane_sync_point point, int kind)
{
	__int128 height = (__int128)line->dx * (point.y - line->at.y) -
			  (__int128)line->dy * (point.x - line->at.x);

	return kind == BELOW ? height >= 0 : height <= 0;
}

/* The polygon of one point and of one that is far off on the other side. */
static void sync_begin(struct lane_sync *sync, struct lane_sync_point point, int kind)
{
	struct edge edges[4] = {
		{ { point.x, FAR }, BELOW },
		{ { RATE, LANE_SYNC_DRIFT_PPM }, LIMIT },
		{ { point.x, -FAR }, ABOVE },
		{ { RATE, -LANE_SYNC_DRIFT_PPM }, LIMIT },
	};

	edges[kind == BELOW ? 0 : 2].at = point;
	set_edges(sync, edges, 4);
}

/* No line keeps what came up to now: begins anew with that point. */
static void restart(struct lane_sync *sync, struct lane_sync_point point, int kind)
{
	sync->restarts++;
	sync->has[kind == BELOW] = false;
	sync_begin(sync, point, kind);
}

/* Cuts the polygon with an inequality. */
static void sync_cut(struct lane_sync *sync, struct lane_sync_point point, int kind)
{
	const struct edge edge = { point, (int8_t)kind };
	bool kept[LANE_SYNC_CORNERS];
	struct edge edges[LANE_SYNC_CORNERS + 1];
	uint32_t n = 0, n_kept = 0, last = sync->n_edges - 1;

	for (uint32_t i = 0; i < sync->n_edges; i++) {
		struct corner corner = corner_at(sync, i);

		kept[i] = keeps(&corner, point, kind);
		n_kept += kept[i];
	}
	if (n_kept == sync->n_edges)
		return;
	if (!n_kept) {
		restart(sync, point, kind);
		return;
	}
	for (uint32_t i = 0; i < sync->n_edges; i++) {
		bool before = kept[i ? i - 1 : last];

		if (before || kept[i])
			edges[n++] = edge_at(sync, i);
		if (before && !kept[i])
			edges[n++] = edge;
	}
	if (n > LANE_SYNC_CORNERS) {
		sync->unused++;
		return;
	}
	set_edges(sync, edges, n);
}

/* a - b where that is in range. */
static bool sync_distance(uint64_t a, uint64_t b, int64_t *result)
{
	*result = (int64_t)(a - b);
	return a >= b ? a - b <= (uint64_t)RANGE : b - a <= (uint64_t)RANGE;
}

static void sync_take(struct lane_sync *sync, uint64_t cpu_ns, uint64_t other_ns, int kind)
{
	struct lane_sync_point point;
	int64_t gone;

	if (!sync->started) {
		sync->origin_cpu = cpu_ns;
		sync->origin_other = other_ns;
		sync->started = true;
	}
	sync->pairs++;
	if (!sync_distance(cpu_ns, sync->origin_cpu, &point.x) ||
	    !sync_distance(other_ns, sync->origin_other, &gone)) {
		sync->unused++;
		return;
	}
	point.y = gone - point.x;
	sync->last_other = other_ns;
	sync->has[kind != BELOW] = true;
	if (sync->n_edges)
		sync_cut(sync, point, kind);
	else
		sync_begin(sync, point, kind);
	sync->bounded = sync->has[0] && sync->has[1];
}

void clock_sync_init(struct lane_sync *sync, uint64_t grain_ns)
{
	memset(sync, 0, sizeof(*sync));
	sync->grain_ns = grain_ns ? grain_ns : 1;
}

/* The stamps are cut: cpu_ns is no later, and other_ns up to a grain earlier, than what they say.
 */
void clock_sync_before(struct lane_sync *sync, uint64_t cpu_ns, uint64_t other_ns)
{
	uint64_t latest = other_ns + sync->grain_ns;

	if (latest < other_ns) {
		sync->unused++;
		return;
	}
	sync->differs |= cpu_ns > latest;
	sync_take(sync, cpu_ns, latest, BELOW);
}

void clock_sync_after(struct lane_sync *sync, uint64_t cpu_ns, uint64_t other_ns)
{
	if (cpu_ns == UINT64_MAX) {
		sync->unused++;
		return;
	}
	sync->differs |= cpu_ns + 1 < other_ns;
	sync_take(sync, cpu_ns + 1, other_ns, ABOVE);
}

enum lane_sync_state clock_sync_state(const struct lane_sync *sync)
{
	uint64_t lo, hi;

	if (!clock_sync_bounds(sync, sync->last_other, &lo, &hi))
		return LANE_SYNC_FREE;
	return sync->differs || hi - lo >= LANE_SYNC_SAME_NS ? LANE_SYNC_BOUND : LANE_SYNC_SAME;
}

static __int128 floor_div(__int128 a, __int128 b)
{
	return a / b - (a % b < 0);
}

/* The CPU's time, from the origin, at which the line has the other clock at `gone`, floor and ceil.
 */
static void solve(const struct corner *line, int64_t gone, int64_t *floor_ns, int64_t *ceil_ns)
{
	/* gone - x = at.y + dy / dx * (x - at.x) */
	__int128 product = ((__int128)gone - line->at.x - line->at.y) * line->dx;
	__int128 slope = (__int128)line->dx + line->dy;

	*floor_ns = (int64_t)(line->at.x + floor_div(product, slope));
	*ceil_ns = (int64_t)(line->at.x - floor_div(-product, slope));
}

static uint64_t absolute(uint64_t origin, int64_t from_origin)
{
	if (from_origin < 0 && (uint64_t)-from_origin > origin)
		return 0;
	if (from_origin > 0 && (uint64_t)from_origin > UINT64_MAX - origin)
		return UINT64_MAX;
	return origin + (uint64_t)from_origin;
}

bool clock_sync_bounds(const struct lane_sync *sync, uint64_t other_ns, uint64_t *lo_ns,
		       uint64_t *hi_ns)
{
	int64_t gone, lo = INT64_MAX, hi = INT64_MIN;

	*lo_ns = 0;
	*hi_ns = UINT64_MAX;
	if (!sync->bounded || !sync_distance(other_ns, sync->origin_other, &gone))
		return false;
	for (uint32_t i = 0; i < sync->n_edges; i++) {
		struct corner corner = corner_at(sync, i);
		int64_t first, last, unused;

		solve(&corner, gone, &first, &unused);
		solve(&corner, gone + (int64_t)sync->grain_ns, &unused, &last);
		lo = first < lo ? first : lo;
		hi = last > hi ? last : hi;
	}
	*lo_ns = absolute(sync->origin_cpu, lo);
	*hi_ns = absolute(sync->origin_cpu, hi);
	return true;
}

bool clock_sync_other_bounds(const struct lane_sync *sync, uint64_t cpu_ns, uint64_t *lo_ns,
			     uint64_t *hi_ns)
{
	int64_t x, lo = INT64_MAX, hi = INT64_MIN;

	*lo_ns = 0;
	*hi_ns = UINT64_MAX;
	if (!sync->bounded || !sync_distance(cpu_ns, sync->origin_cpu, &x))
		return false;
	for (uint32_t i = 0; i < sync->n_edges; i++) {
		struct corner line = corner_at(sync, i);
		__int128 rise = ((__int128)x - line.at.x) * line.dy;
		int64_t from = (int64_t)(x + line.at.y + floor_div(rise, line.dx));
		int64_t to = (int64_t)(x + line.at.y - floor_div(-rise, line.dx));

		lo = from < lo ? from : lo;
		hi = to > hi ? to : hi;
	}
	/* A stamp is cut: the CPU's to a nanosecond, the other to a grain. */
	*lo_ns = absolute(sync->origin_other, lo - (int64_t)sync->grain_ns);
	*hi_ns = absolute(sync->origin_other, hi + 1);
	return true;
}

uint64_t clock_sync_cpu_ns(const struct lane_sync *sync, uint64_t other_ns)
{
	uint64_t lo, hi;

	if (clock_sync_state(sync) != LANE_SYNC_BOUND ||
	    !clock_sync_bounds(sync, other_ns, &lo, &hi))
		return other_ns;
	return lo + (hi - lo) / 2;
}

/* At the origin of the other clock: what it is ahead, and its gain in a nanosecond of its own. */
static void ahead(const struct corner *line, long double *at, long double *rate)
{
	/* gone - x = at.y + dy / dx * (x - at.x), with x = gone - y; the slope is near 0. */
	*rate = (long double)line->dy / ((long double)line->dx + line->dy);
	*at = (long double)line->at.y - *rate * ((long double)line->at.x + line->at.y);
}

bool clock_sync_map(const struct lane_sync *sync, struct lane_sync_map *map)
{
	long double at[2] = { 0 }, rate[2] = { 0 };

	*map = (struct lane_sync_map){ 0 };
	if (!sync->bounded)
		return false;
	for (uint32_t i = 0; i < sync->n_edges; i++) {
		struct corner corner = corner_at(sync, i);
		long double its_at, its_rate;

		ahead(&corner, &its_at, &its_rate);
		for (int which = 0; which < 2; which++)
			if (!i || (which ? its_rate > rate[1] : its_rate < rate[0])) {
				at[which] = its_at;
				rate[which] = its_rate;
			}
	}
	map->origin_cpu = sync->origin_cpu;
	map->origin_other = sync->origin_other;
	map->at = (at[0] + at[1]) / 2;
	map->rate = (rate[0] + rate[1]) / 2;
	return true;
}

uint64_t clock_sync_map_ns(const struct lane_sync_map *map, uint64_t other_ns)
{
	int64_t gone;
	long double x;

	if (!map->origin_cpu && !map->origin_other)
		return other_ns;
	if (!sync_distance(other_ns, map->origin_other, &gone))
		return other_ns > map->origin_other ? UINT64_MAX : 0;
	x = (long double)gone - map->at - map->rate * (long double)gone;
	return absolute(map->origin_cpu, (int64_t)x - (x < (long double)(int64_t)x));
}

bool clock_sync_line(const struct lane_sync *sync, uint64_t other_ns, struct lane_sync_line *line)
{
	uint64_t lo, hi;

	if (!clock_sync_bounds(sync, other_ns, &lo, &hi))
		return false;
	line->offset_lo_ns = (int64_t)(other_ns - hi);
	line->offset_hi_ns = (int64_t)(other_ns - lo);
	for (uint32_t i = 0; i < sync->n_edges; i++) {
		struct corner corner = corner_at(sync, i);
		double ppm = 1e6 * (double)corner.dy / (double)corner.dx;

		if (!i || ppm < line->drift_lo_ppm)
			line->drift_lo_ppm = ppm;
		if (!i || ppm > line->drift_hi_ppm)
			line->drift_hi_ppm = ppm;
	}
	return true;
}

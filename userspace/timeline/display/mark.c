// SPDX-License-Identifier: MIT
// Frames of programs: each begins with a mark, and ends with one of its own or with the next frame.
// Ranges of programs: they have ends, and nest.
#include "timeline/display/mark.h"
#include "base/clean.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/sched/thread.h"

#include <stdlib.h>
#include <string.h>

#define MARKED_MOST 64

/* A thread's marks of one name. */
struct marked {
	int32_t tid;
	char name[LANE_MARK_BYTES];
	uint64_t begin_ns; /* of the frame that is open; 0: none is */
	uint64_t last_ns;  /* its last mark */
	bool has_end;	   /* its frames' ends are marked */
};

#define RANGES_MOST 16

struct open_range {
	char name[LANE_MARK_BYTES];
	uint64_t begin_ns, domain, id;
	bool is_in_itself; /* in one of the same name: it is not told */
};

/* A thread's ranges that are open, the outermost first. */
struct ranges {
	int32_t tid;
	uint32_t n;	  /* of open[] */
	uint32_t beyond;  /* further ones without an id, all of one domain */
	uint64_t domain;  /* that one */
	uint64_t last_ns; /* its last begin or end */
	struct open_range open[RANGES_MOST];
};

struct lane_marked {
	struct marked of[MARKED_MOST];
	struct ranges ranges[MARKED_MOST];
};

/* Lines often end in the frame's number: what is before the first digit is what they share. */
static void mark_name_of(const char *text, char name[LANE_MARK_BYTES])
{
	size_t n = strcspn(text, "0123456789");

	while (n && strchr(" \t#:=([", text[n - 1]))
		n--;
	if (!n)
		n = strlen(text);
	n = n < LANE_MARK_BYTES ? n : LANE_MARK_BYTES - 1;
	memcpy(name, text, n);
	name[n] = 0;
	lane_clean(name, LANE_CLEAN_LINE);
}

/* NULL: no memory. */
static struct lane_marked *all_marked(struct lane_timeline *tl)
{
	if (!tl->marked)
		tl->marked = calloc(1, sizeof(*tl->marked));
	tl->no_memory |= !tl->marked;
	return tl->marked;
}

/* Of more than MARKED_MOST the one that was marked longest ago is forgotten. */
static struct marked *marked_of(struct lane_timeline *tl, int32_t tid, const char *name)
{
	struct marked *oldest;

	if (!all_marked(tl))
		return NULL;
	oldest = tl->marked->of;
	for (int i = 0; i < MARKED_MOST; i++) {
		struct marked *marked = &tl->marked->of[i];

		if (marked->last_ns && marked->tid == tid && !strcmp(marked->name, name))
			return marked;
		if (marked->last_ns < oldest->last_ns)
			oldest = marked;
	}
	*oldest = (struct marked){ .tid = tid };
	memcpy(oldest->name, name, sizeof(oldest->name));
	return oldest;
}

static void mark_tell(struct lane_timeline *tl, const struct lane_thr *thr,
		      const struct marked *marked, uint64_t end_ns)
{
	struct lane_mark mark = { .thread = &thr->pub,
				  .name = marked->name,
				  .begin_ns = marked->begin_ns,
				  .end_ns = end_ns,
				  .is_unsure = end_ns && timeline_loss_between(tl, marked->begin_ns,
									       end_ns) };

	if (tl->hooks.mark)
		tl->hooks.mark(tl->hooks.arg, &mark);
}

void timeline_mark_event(struct lane_timeline *tl, const struct lane_event *event)
{
	bool is_end = event->wire.kind == LANE_FRAME_END;
	struct lane_thr *thr = timeline_thread_divide(tl, event);
	char name[LANE_MARK_BYTES], text[LANE_MARK_BYTES + 1] = "";
	struct marked *marked;

	memcpy(text, event->u.gpulane_frame.text, LANE_MARK_BYTES);
	mark_name_of(text, name);
	marked = thr ? marked_of(tl, event->wire.tid, name) : NULL;
	if (!marked)
		return;
	marked->has_end |= is_end;
	marked->last_ns = event->wire.ts_ns;
	/* Of one whose end has a mark, and was not seen, it is not known when it ended. */
	if (marked->begin_ns && (is_end || !marked->has_end))
		mark_tell(tl, thr, marked, event->wire.ts_ns);
	marked->begin_ns = is_end ? 0 : event->wire.ts_ns;
	if (!is_end)
		mark_tell(tl, thr, marked, 0);
}

/* --- ranges --- */

/* A number at the end, behind a space or the like, is not of the name: "step 17" is a "step". */
static void name_of_range(const char *text, char name[LANE_MARK_BYTES])
{
	size_t n = strnlen(text, LANE_MARK_BYTES - 1), digits = n;

	while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
		digits--;
	if (digits && digits < n && strchr(" \t#:=", text[digits - 1]))
		for (n = digits; n && strchr(" \t#:=", text[n - 1]);)
			n--;
	if (!n)
		n = strnlen(text, LANE_MARK_BYTES - 1);
	if (!n) {
		text = "unnamed";
		n = strlen(text);
	}
	memcpy(name, text, n);
	name[n] = 0;
	lane_clean(name, LANE_CLEAN_LINE);
}

static bool has_open(const struct ranges *ranges)
{
	return ranges->n || ranges->beyond;
}

/* NULL: the thread has no range that is open. */
static struct ranges *ranges_find(const struct lane_timeline *tl, int32_t tid)
{
	struct ranges *ranges = tl->marked ? tl->marked->ranges : NULL;

	for (int i = 0; ranges && i < MARKED_MOST; i++, ranges++)
		if (has_open(ranges) && ranges->tid == tid)
			return ranges;
	return NULL;
}

static void tell_range(struct lane_timeline *tl, const struct lane_thr *thr,
		       const struct open_range *range, uint64_t end_ns, bool is_unsure)
{
	struct lane_mark mark = { .thread = &thr->pub,
				  .name = range->name,
				  .is_range = true,
				  .begin_ns = range->begin_ns,
				  .end_ns = end_ns,
				  .is_unsure = is_unsure };

	if (!range->is_in_itself && tl->hooks.mark)
		tl->hooks.mark(tl->hooks.arg, &mark);
}

/* They end by now, and when is not known. */
static void give_up(struct lane_timeline *tl, const struct lane_thr *thr, struct ranges *ranges,
		    uint64_t now_ns)
{
	while (ranges->n)
		tell_range(tl, thr, &ranges->open[--ranges->n], now_ns, true);
	ranges->beyond = 0;
}

/* Of more threads than MARKED_MOST the ranges of the one that was marked longest ago are given up.
 */
static struct ranges *ranges_of(struct lane_timeline *tl, int32_t tid)
{
	struct ranges *of = all_marked(tl) ? ranges_find(tl, tid) : NULL, *ranges;
	const struct lane_thr *thr;

	if (of || !tl->marked)
		return of;
	ranges = of = tl->marked->ranges;
	for (; has_open(of) && ranges < tl->marked->ranges + MARKED_MOST; ranges++)
		if (!has_open(ranges) || ranges->last_ns < of->last_ns)
			of = ranges;
	thr = has_open(of) ? timeline_thread_find(tl, of->tid) : NULL;
	if (thr)
		give_up(tl, thr, of, tl->now.ns);
	*of = (struct ranges){ .tid = tid };
	return of;
}

static void open_range(struct lane_timeline *tl, const struct lane_thr *thr, struct ranges *ranges,
		       const struct lane_event *event)
{
	const struct lane_p_gpulane_range *said = &event->u.gpulane_range;
	struct open_range *range;
	char text[LANE_MARK_BYTES + 1] = "";

	if (ranges->beyond && !said->id && ranges->domain != said->domain)
		give_up(tl, thr, ranges, event->wire.ts_ns);
	/* Those that come now end before the ones beyond do. */
	if (ranges->n == RANGES_MOST || ranges->beyond) {
		if (!said->id) {
			ranges->beyond++;
			ranges->domain = said->domain;
		}
		return;
	}
	range = &ranges->open[ranges->n];
	memcpy(text, said->text, LANE_MARK_BYTES);
	name_of_range(text, range->name);
	range->begin_ns = event->wire.ts_ns;
	range->domain = said->domain;
	range->id = said->id;
	range->is_in_itself = false;
	for (const struct open_range *outer = ranges->open; outer < range && !range->id; outer++)
		range->is_in_itself |= !outer->id && outer->domain == range->domain &&
				       !strcmp(outer->name, range->name);
	ranges->n++;
	tell_range(tl, thr, range, 0, false);
}

/* The thread's last range of this domain and id. False: it has none. */
static bool end_range(struct lane_timeline *tl, const struct lane_thr *thr, struct ranges *ranges,
		      const struct lane_p_gpulane_range *said, uint64_t now_ns)
{
	struct open_range *range = ranges->open + ranges->n;

	if (ranges->beyond && !said->id && ranges->domain == said->domain) {
		ranges->beyond--;
		return true;
	}
	while (range > ranges->open) {
		range--;
		if (range->domain != said->domain || range->id != said->id)
			continue;
		tell_range(tl, thr, range, now_ns, false);
		ranges->n--;
		memmove(range, range + 1,
			(size_t)(ranges->open + ranges->n - range) * sizeof(*range));
		return true;
	}
	return false;
}

/* The thread's ranges end with it; one with an id may end later, in another thread. */
void timeline_range_exit(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns)
{
	struct ranges *ranges = ranges_find(tl, thr->pub.tid);
	bool is_lossy = ranges && timeline_loss_between(tl, ranges->last_ns, now_ns);

	while (ranges && ranges->n) {
		const struct open_range *range = &ranges->open[--ranges->n];

		tell_range(tl, thr, range, now_ns, is_lossy || range->id);
	}
	if (ranges)
		ranges->beyond = 0;
}

/* Where events were lost it is not known which ranges are still open. */
static void end_lost(struct lane_timeline *tl, const struct lane_thr *thr, struct ranges *ranges,
		     uint64_t now_ns)
{
	if (has_open(ranges) && timeline_loss_between(tl, ranges->last_ns, now_ns))
		give_up(tl, thr, ranges, now_ns);
	ranges->last_ns = now_ns;
}

/* By its id a range ends in whatever thread of the process, if that is known. */
static void end_elsewhere(struct lane_timeline *tl, const struct lane_thr *thr,
			  const struct lane_event *event)
{
	bool may_be = tl->marked && event->u.gpulane_range.id && thr->pub.pid > 0;

	for (int i = 0; may_be && i < MARKED_MOST; i++) {
		struct ranges *ranges = &tl->marked->ranges[i];
		const struct lane_thr *other =
			ranges->n ? timeline_thread_find(tl, ranges->tid) : NULL;

		if (!other || other == thr || other->pub.pid != thr->pub.pid)
			continue;
		end_lost(tl, other, ranges, event->wire.ts_ns);
		if (end_range(tl, other, ranges, &event->u.gpulane_range, event->wire.ts_ns))
			return;
	}
}

void timeline_range_event(struct lane_timeline *tl, const struct lane_event *event)
{
	bool is_end = event->wire.kind == LANE_RANGE_END;
	struct lane_thr *thr = timeline_thread_divide(tl, event);
	struct ranges *ranges;

	if (!thr)
		return;
	ranges = is_end ? ranges_find(tl, event->wire.tid) : ranges_of(tl, event->wire.tid);
	if (ranges)
		end_lost(tl, thr, ranges, event->wire.ts_ns);
	if (!is_end && ranges)
		open_range(tl, thr, ranges, event);
	else if (is_end && !(ranges && end_range(tl, thr, ranges, &event->u.gpulane_range,
						 event->wire.ts_ns)))
		end_elsewhere(tl, thr, event);
}

void timeline_mark_free(struct lane_timeline *tl)
{
	free(tl->marked);
}

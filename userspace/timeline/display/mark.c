// SPDX-License-Identifier: MIT
// Frames of programs: each begins with a mark, and ends with one of its own or with the next frame.
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

struct lane_marked {
	struct marked of[MARKED_MOST];
};

/* Lines often end in the frame's number: what is before the first digit is what they share. */
static void name_of(const char *text, char name[LANE_MARK_BYTES])
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

/* Of more than MARKED_MOST the one that was marked longest ago is forgotten. */
static struct marked *marked_of(struct lane_timeline *tl, int32_t tid, const char *name)
{
	struct marked *oldest;

	if (!tl->marked)
		tl->marked = calloc(1, sizeof(*tl->marked));
	if (!tl->marked) {
		tl->no_memory = true;
		return NULL;
	}
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

static void tell(struct lane_timeline *tl, const struct lane_thr *thr, const struct marked *marked,
		 uint64_t end_ns)
{
	struct lane_mark mark = { .thread = &thr->pub,
				  .name = marked->name,
				  .begin_ns = marked->begin_ns,
				  .end_ns = end_ns,
				  .is_doubtful = end_ns && timeline_loss_between(
								   tl, marked->begin_ns, end_ns) };

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
	name_of(text, name);
	marked = thr ? marked_of(tl, event->wire.tid, name) : NULL;
	if (!marked)
		return;
	marked->has_end |= is_end;
	marked->last_ns = event->wire.ts_ns;
	/* Of one whose end has a mark, and was not seen, it is not known when it ended. */
	if (marked->begin_ns && (is_end || !marked->has_end))
		tell(tl, thr, marked, event->wire.ts_ns);
	marked->begin_ns = is_end ? 0 : event->wire.ts_ns;
	if (!is_end)
		tell(tl, thr, marked, 0);
}

void timeline_mark_free(struct lane_timeline *tl)
{
	free(tl->marked);
}

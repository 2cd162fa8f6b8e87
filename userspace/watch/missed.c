// SPDX-License-Identifier: MIT
// Counts the refreshes that each display missed in the last second, and says why.
#include "watch/missed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000ull
#define KEPT	  256 /* pictures of a display that missed some, last */

/* A picture that missed refreshes, for one cause. */
struct late_picture {
	uint64_t asked_ns, shown_ns; /* shown: or it missed the next ones for another cause */
	uint64_t n, period_ns;	     /* refreshes */
	int32_t pid;
	char process[16], culprit[LANE_CULPRIT_BYTES];
	const char *cause;
};

struct late_screen {
	uint32_t dev;
	int32_t crtc;
	char connector[LANE_CONNECTOR_BYTES];
	bool is_used;
	struct late_picture last[KEPT]; /* a ring, n so far */
	uint64_t n;
};

struct lane_missed {
	struct late_screen screens[LANE_FRAME_SCREENS];
};

struct lane_error *watch_missed_create(struct lane_missed **missed)
{
	*missed = calloc(1, sizeof(**missed));
	return *missed ? NULL : &lane_enomem;
}

void watch_missed_destroy(struct lane_missed *missed)
{
	free(missed);
}

static struct late_screen *missed_screen_of(struct lane_missed *missed,
					    const struct lane_flip *flip)
{
	for (int i = 0; i < LANE_FRAME_SCREENS; i++) {
		struct late_screen *screen = &missed->screens[i];

		if (screen->is_used && (screen->dev != flip->dev || screen->crtc != flip->crtc))
			continue;
		screen->is_used = true;
		screen->dev = flip->dev;
		screen->crtc = flip->crtc;
		memcpy(screen->connector, flip->connector, sizeof(screen->connector));
		return screen;
	}
	return NULL;
}

/* The i-th last one; NULL: it is not of the second up to now_ns. */
static const struct late_picture *picture(const struct late_screen *screen, uint64_t i,
					  uint64_t now_ns)
{
	const struct late_picture *of;

	if (i >= screen->n || i >= KEPT)
		return NULL;
	of = &screen->last[(screen->n - 1 - i) % KEPT];
	return of->shown_ns + SECOND_NS >= now_ns ? of : NULL;
}

/* How many of its refreshes are of the second up to now_ns. */
static uint64_t missed_count_of(const struct late_picture *of, uint64_t now_ns)
{
	uint64_t since_ns = now_ns > SECOND_NS ? now_ns - SECOND_NS : 0;
	uint64_t n = of->period_ns ? (of->shown_ns - since_ns) / of->period_ns : of->n;

	return n < of->n ? n : of->n;
}

/* Those of one cause, and by one culprit. */
static bool is_alike(const struct late_picture *a, const struct late_picture *b)
{
	return a->cause == b->cause && !strcmp(a->culprit, b->culprit) &&
	       !strcmp(a->process, b->process);
}

static uint64_t count_alike(const struct late_screen *screen, const struct late_picture *with,
			    uint64_t now_ns)
{
	const struct late_picture *of;
	uint64_t n = 0;

	for (uint64_t i = 0; (of = picture(screen, i, now_ns)); i++)
		n += is_alike(of, with) ? missed_count_of(of, now_ns) : 0;
	return n;
}

static void missed_say(const struct late_screen *screen, uint64_t n, uint64_t now_ns,
		       struct lane_hit *hit)
{
	const struct late_picture *of, *most = NULL;
	char name[LANE_SCREEN_BYTES];
	uint64_t most_n = 0;

	for (uint64_t i = 0; (of = picture(screen, i, now_ns)); i++) {
		uint64_t alike = count_alike(screen, of, now_ns);

		hit->begin_ns = of->asked_ns;
		if (alike <= most_n)
			continue;
		most_n = alike;
		most = of;
	}
	if (!most)
		return;
	hit->pid = most->pid;
	snprintf(hit->process, sizeof(hit->process), "%s", most->process);
	snprintf(hit->cause, sizeof(hit->cause), "%s", most->cause);
	snprintf(hit->culprit, sizeof(hit->culprit), "%.15s", most->culprit);
	snprintf(hit->gpu, sizeof(hit->gpu), "card%" PRIu32, screen->dev);
	snprintf(hit->text, sizeof(hit->text), "%s: %" PRIu64 " missed in a second",
		 timeline_screen_name(screen->dev, screen->crtc, screen->connector, name,
				      sizeof(name)),
		 n);
}

bool watch_missed_add(struct lane_missed *missed, const struct lane_ended *ended,
		      unsigned int least, struct lane_hit *hit)
{
	const struct lane_flip *flip = ended->flip;
	const struct lane_flip_piece *piece = ended->piece;
	struct late_screen *screen = missed_screen_of(missed, flip);
	const struct late_picture *of;
	struct late_picture *now;
	uint64_t n = 0;

	if (!screen)
		return false;
	now = &screen->last[screen->n++ % KEPT];
	*now = (struct late_picture){ .asked_ns = flip->asked_ns,
				      .shown_ns = piece->at_ns + piece->n * flip->period_ns,
				      .n = piece->n,
				      .period_ns = flip->period_ns,
				      .pid = ended->pid,
				      .cause = lane_miss_names[piece->cause] };
	snprintf(now->process, sizeof(now->process), "%s", ended->process);
	snprintf(now->culprit, sizeof(now->culprit), "%s", ended->culprit);
	if (piece != &flip->pieces[flip->n_pieces - 1])
		return false;
	for (uint64_t i = 0; (of = picture(screen, i, flip->shown_ns)); i++)
		n += missed_count_of(of, flip->shown_ns);
	if (n < least)
		return false;
	*hit = (struct lane_hit){ .what = LANE_ROW_DISPLAY, .end_ns = flip->shown_ns };
	missed_say(screen, n, flip->shown_ns, hit);
	screen->n = 0;
	return true;
}

// SPDX-License-Identifier: MIT
// One picture, from the asking to the refresh that shows it.
#include "show/explain_flip.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/sort.h"
#include "session/path.h"
#include "show/critical_text.h"
#include "show/explain_text.h"
#include "show/json.h"
#include "show/report.h"
#include "show/sentence.h"

#define NAME_SIZE LANE_SHOW_ENGINE
#define PIECES	  40

/* What is written. */
struct told_flip {
	const struct lane_flip *flip;
	const struct lane_latency *latency; /* where it was found */
	const struct session *again;
	const struct lane_explain *fences; /* their requests */
	const struct lane_critical_path *path;
};

/* The thread that gave it to the hardware. */
static const char *armer_name(const struct told_flip *p, char *buffer, size_t size)
{
	const struct lane_thread *thread = timeline_thread(p->again->timeline, p->flip->armed_tid);

	return show_task_name(p->flip->armed_tid, thread ? thread->comm : "", buffer, size);
}

/* The request of a fence; NULL: none is known. */
static const struct lane_explained *explain_flip_request_of(const struct told_flip *p,
							    const struct lane_flip_fence *fence)
{
	size_t i = 0;

	return latency_explain_find(p->fences, fence->context, (uint32_t)fence->seqno, &i);
}

/* The refresh that would have shown it, had it missed none. */
static uint64_t best_ns(const struct lane_flip *flip)
{
	return flip->shown_ns - flip->missed * flip->period_ns;
}

/* --- as text --- */

static void write_time(FILE *to, const struct lane_flip *flip, uint64_t at_ns, const char *what)
{
	fprintf(to, "%14.6f  %-12s  ", ((double)at_ns - (double)flip->asked_ns) / 1e6, what);
}

static void write_fence(FILE *to, const struct told_flip *p, const struct lane_flip_fence *fence)
{
	const struct lane_explained *of = explain_flip_request_of(p, fence);

	if (fence->signal_ns)
		write_time(to, p->flip, fence->signal_ns, "signalled");
	else
		fprintf(to, "%14s  %-12s  ", "?", "signalled");
	if (!of) {
		fprintf(to, "fence %" PRIu64 ":%" PRIu64 ", of no request that is recorded\n",
			fence->context, fence->seqno);
		return;
	}
	fprintf(to, "request %" PRIu64 ":%u of %s", of->context.ctx, of->request.seqno,
		show_client_name(&of->client, SHOW_ROOM(NAME_SIZE)));
	if (of->request.engine)
		fprintf(to, ", engine %s", SHOW_ENGINE(of->request.engine));
	fprintf(to, "\n%30s", "");
	show_explain_stages(to, of);
}

/* The first refresh that it missed, once, before what came later. */
static void write_missed(FILE *to, const struct lane_flip *flip, uint64_t before_ns, bool *is_told)
{
	if (!flip->missed || *is_told || best_ns(flip) > before_ns)
		return;
	*is_told = true;
	write_time(to, flip, best_ns(flip), "missed");
	fprintf(to, "refresh %" PRIu32 ", which could have shown it\n",
		(uint32_t)flip->seq - (uint32_t)flip->missed);
}

/* For what it missed them, in the order of time, where that is more than one cause. */
static void write_pieces(FILE *to, const struct lane_flip *flip)
{
	fprintf(to, "; missed: %" PRIu64, flip->missed);
	for (uint32_t i = 0; i < flip->n_pieces && flip->n_pieces > 1; i++)
		fprintf(to, "%s%" PRIu64 " %s", i ? ", " : " (", flip->pieces[i].n,
			lane_miss_names[flip->pieces[i].cause]);
	fputs(flip->n_pieces > 1 ? ")\n" : "\n", to);
}

/* The first to be signalled comes first; those that were not seen are last. */
LANE_ORDER(by_signal, struct lane_flip_fence, LANE_COMPARE(x->signal_ns - 1, y->signal_ns - 1))

static void write_times(FILE *to, const struct told_flip *p)
{
	const struct lane_flip *flip = p->flip;
	struct lane_flip_fence fences[LANE_FLIP_FENCES];
	bool is_told = false;

	write_time(to, flip, flip->asked_ns, "asked");
	fprintf(to, "by thread %s\n", SHOW_TASK(flip->tid, flip->comm));
	memcpy(fences, flip->fences, sizeof(fences));
	LANE_SORT(fences, flip->n_fences, by_signal);
	for (uint32_t i = 0; i < flip->n_fences; i++) {
		if (fences[i].signal_ns)
			write_missed(to, flip, fences[i].signal_ns, &is_told);
		write_fence(to, p, &fences[i]);
	}
	if (flip->has_more_fences)
		fprintf(to, "%14s  %-12s  more fences, which are not known\n", "?", "signalled");
	if (flip->armed_ns) {
		write_missed(to, flip, flip->armed_ns, &is_told);
		write_time(to, flip, flip->armed_ns, "armed");
		fprintf(to, "by thread %s\n", armer_name(p, SHOW_ROOM(NAME_SIZE)));
	}
	write_missed(to, flip, flip->shown_ns, &is_told);
	write_time(to, flip, flip->shown_ns, "shown");
	fprintf(to, "at refresh %" PRIu64, flip->seq);
	if (!flip->is_counted)
		fputs("; how many it missed is not known\n", to);
	else if (flip->missed)
		write_pieces(to, flip);
	else
		fputs("; it missed none\n", to);
}

static void explain_flip_write_text(FILE *to, const struct told_flip *p)
{
	const struct lane_flip *flip = p->flip;
	uint64_t begin_ns = p->latency->figures.begin_ns;
	struct lane_sentences why;

	fprintf(to,
		"Picture of %s for %s.\n"
		"It was asked for at %.9f s of the recording; times are ms from there.\n\n",
		SHOW_TASK(flip->tid, flip->comm), SHOW_SCREEN(flip),
		((double)flip->asked_ns - (double)begin_ns) / 1e9);
	write_times(to, p);
	fputc('\n', to);
	show_sentences_of_request(&why, p->latency);
	show_sentences_write(to, &why, false);
	fprintf(to, "What its %s were spent on, back to %s:\n",
		SHOW_DURATION(flip->shown_ns - p->path->from_ns),
		p->path->from_ns == flip->asked_ns ? "the asking"
						   : "the refresh before it was asked for");
	show_critical_pieces(to, &p->again->latency, p->path, flip->asked_ns, PIECES);
}

/* --- as JSON --- */

static void fences_json(struct json_object *to, const struct told_flip *p)
{
	struct json_object *list = show_json_list(to, "fences");

	for (uint32_t i = 0; i < p->flip->n_fences; i++) {
		const struct lane_flip_fence *fence = &p->flip->fences[i];
		const struct lane_explained *of = explain_flip_request_of(p, fence);
		struct json_object *row = show_json_row(list);

		show_json_uint(row, "context", fence->context);
		show_json_uint(row, "seqno", fence->seqno);
		show_json_known(row, "signalled_ns", fence->signal_ns, fence->signal_ns);
		if (of)
			json_object_object_add(row, "request", show_explain_tree(p->fences, of, 0));
		else
			show_json_null(row, "request");
	}
	show_json_bool(to, "more_fences", p->flip->has_more_fences);
}

/* The refreshes that it missed, by cause, in the order of time. */
static void pieces_json(struct json_object *to, const struct lane_flip *flip)
{
	struct json_object *list = show_json_list(to, "missed_at");

	for (uint32_t i = 0; i < flip->n_pieces; i++) {
		struct json_object *row = show_json_row(list);

		show_json_text(row, "at", lane_miss_names[flip->pieces[i].cause]);
		show_json_uint(row, "missed", flip->pieces[i].n);
		show_json_uint(row, "first_ns", flip->pieces[i].at_ns);
	}
}

static struct json_object *tree_of(const struct told_flip *p)
{
	struct json_object *object = json_object_new_object();
	const struct lane_flip *flip = p->flip;
	struct lane_sentences why;

	if (!object)
		return NULL;
	show_json_uint(object, "device", flip->dev);
	show_json_int(object, "crtc", flip->crtc);
	show_json_text(object, "connector", *flip->connector ? flip->connector : NULL);
	show_json_uint(object, "refresh", flip->seq);
	show_json_text(object, "thread", SHOW_TASK(flip->tid, flip->comm));
	show_json_uint(object, "asked_ns", flip->asked_ns);
	fences_json(object, p);
	show_json_known(object, "armed_ns", flip->armed_ns, flip->armed_ns);
	if (flip->armed_ns)
		show_json_text(object, "armed_by", armer_name(p, SHOW_ROOM(NAME_SIZE)));
	show_json_known(object, "best_ns", best_ns(flip), flip->is_counted);
	show_json_uint(object, "shown_ns", flip->shown_ns);
	show_json_known(object, "missed", flip->missed, flip->is_counted);
	show_json_text(object, "at", lane_miss_names[flip->cause]);
	pieces_json(object, flip);
	show_critical_tree(object, &p->again->latency, p->path, 0, 0);
	show_sentences_of_request(&why, p->latency);
	show_answers_tree(&why, object);
	return object;
}

struct lane_error *show_explain_flip(FILE *to, const struct session *session,
				     const struct lane_flip *flip, bool is_json)
{
	LANE_CLEANUP(latency_explain_deinit) struct lane_explain fences = { 0 };
	LANE_CLEANUP(session_deinit) struct session again = { .n_places = 0 };
	LANE_CLEANUP(latency_critical_path_free) struct lane_critical_path path = { 0 };
	struct told_flip p = { flip, &session->latency, &again, &fences, &path };
	struct lane_error *err = session_flip(session, flip, &again, &fences, &path);
	struct json_object *object;

	if (err)
		return err;
	if (!is_json) {
		explain_flip_write_text(to, &p);
		return NULL;
	}
	object = tree_of(&p);
	if (!object)
		return &lane_enomem;
	show_json_write(to, object, JSON_C_TO_STRING_PLAIN);
	return NULL;
}

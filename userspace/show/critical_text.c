// SPDX-License-Identifier: MIT
// The critical path: blame by process, by engine and by kind, and its pieces.
#include "show/critical_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "base/vector.h"
#include "session/path.h"
#include "show/report_rows.h"

#define NAME_SIZE LANE_SHOW_ENGINE

/* Time that is somebody's, or some engine's, or of some kind. */
struct share {
	char name[NAME_SIZE];
	struct lane_span ns;
};

enum {
	BY_PROCESS,
	BY_ENGINE,
	BY_KIND,
	BY_COUNT
};

/* A path and whose time it is. */
struct critical {
	const struct lane_latency *l;
	const struct lane_critical_path *path;
	struct shares {
		struct share *v;
		size_t n, room;
	} by[BY_COUNT];
};

static void critical_text_drop(struct critical *c)
{
	for (int b = 0; b < BY_COUNT; b++)
		free(c->by[b].v);
}

static bool critical_text_add_share(struct shares *shares, const char *name, struct lane_span ns)
{
	for (size_t i = 0; i < shares->n; i++)
		if (!strcmp(shares->v[i].name, name)) {
			timeline_span_add(&shares->v[i].ns, ns);
			return true;
		}
	if (!LANE_GROW(shares->v, shares->room, shares->n + 1))
		return false;
	snprintf(shares->v[shares->n].name, NAME_SIZE, "%s", name);
	shares->v[shares->n++].ns = ns;
	return true;
}

LANE_ORDER(by_ns, struct share, LANE_DOWN(ns.hi))

/* Whose time a piece is: the process it ran for, the task that had the CPU, or nobody's. */
static const char *owner(const struct lane_latency *l, const struct lane_critical_segment *s,
			 char *buffer)
{
	const struct lane_client *client =
		s->client == LANE_CRITICAL_NONE ? NULL : timeline_client(l->timeline, s->client);

	if (client)
		return show_client_name(client, buffer, NAME_SIZE);
	if (s->kind == LANE_CRITICAL_RUNQUEUE || s->by_tid > 0)
		return show_task_name(s->by_tid, s->by_comm, buffer, NAME_SIZE);
	if (s->tid < 0 && s->context == LANE_CRITICAL_NONE)
		return strcpy(buffer, "display");
	return show_task_name(s->tid, s->comm, buffer, NAME_SIZE);
}

static const char *critical_text_place(const struct lane_latency *l,
				       const struct lane_critical_segment *s, char *buffer)
{
	if (s->kind == LANE_CRITICAL_REFRESH)
		return strcpy(buffer, "display");
	if (s->engine == LANE_CRITICAL_NONE)
		return strcpy(buffer, "CPU");
	return show_engine_name(timeline_engine(l->timeline, s->engine), buffer, NAME_SIZE);
}

/* No sum is longer than the interval. */
static void critical_text_cap(struct shares *shares, uint64_t whole)
{
	for (size_t i = 0; i < shares->n; i++)
		if (shares->v[i].ns.hi > whole)
			shares->v[i].ns.hi = whole;
}

/* Pieces that follow each other and are one's own are one interval: where they meet adds no doubt.
 */
static bool add_pieces(const struct lane_latency *l, const struct lane_critical_path *path,
		       const char *(*name_of)(const struct lane_latency *l,
					      const struct lane_critical_segment *s, char *buffer),
		       struct shares *shares)
{
	char name[NAME_SIZE], other[NAME_SIZE];

	for (size_t i = 0, next; i < path->n_segments; i = next) {
		const struct lane_critical_segment *first = &path->segments[i], *last = first;

		name_of(l, first, name);
		for (next = i + 1; next < path->n_segments; next++) {
			if (strcmp(name, name_of(l, &path->segments[next], other)) != 0)
				break;
			last = &path->segments[next];
		}
		if (!critical_text_add_share(shares, name,
					     timeline_span_between(first->begin, last->end)))
			return false;
	}
	return true;
}

static struct lane_error *share_out(struct critical *c)
{
	const struct lane_critical_path *path = c->path;

	if (!add_pieces(c->l, path, owner, &c->by[BY_PROCESS]) ||
	    !add_pieces(c->l, path, critical_text_place, &c->by[BY_ENGINE]))
		return &lane_enomem;
	for (int k = 0; k < LANE_CRITICAL_KIND_COUNT; k++)
		if (path->kinds[k].hi &&
		    !critical_text_add_share(&c->by[BY_KIND], lane_critical_kind_names[k],
					     path->kinds[k]))
			return &lane_enomem;
	for (int b = 0; b < BY_COUNT; b++) {
		critical_text_cap(&c->by[b], path->to_ns - path->from_ns);
		LANE_SORT(c->by[b].v, c->by[b].n, by_ns);
	}
	return NULL;
}

static void write_shares(const struct lane_tables *t, const struct critical *c)
{
	static const struct {
		const char *key, *title;
	} tables[BY_COUNT] = { { "by_process", "By process" },
			       { "by_engine", "By engine" },
			       { "by_kind", "By kind" } };
	struct lane_span whole = timeline_span_exact(c->path->to_ns - c->path->from_ns);

	for (int b = 0; b < BY_COUNT; b++) {
		const struct share *shares = c->by[b].v;
		struct lane_cells rows =
			show_table(t, tables[b].key, (uint32_t)c->by[b].n, NULL, NULL);

		rows.is_whole = true;
		if (!t->tree)
			show_title(t, tables[b].title);
		for (uint32_t i = 0; show_row(&rows, i); i++) {
			show_cell_text(&rows, -28, "name", shares[i].name);
			show_cell_span(&rows, 18, "ns", shares[i].ns, true);
			show_cell(&rows, 7, "%s", SHOW_SHARE(shares[i].ns, whole));
		}
	}
}

/* "request 12:7 (hist[200])" or "thread hist[201]". */
static void write_what(FILE *to, const struct lane_latency *l,
		       const struct lane_critical_segment *s)
{
	const struct lane_context *context =
		s->context == LANE_CRITICAL_NONE ? NULL : timeline_context(l->timeline, s->context);

	if (context)
		fprintf(to, "request %" PRIu64 ":%" PRIu32 " (%s)", context->ctx, s->seqno,
			show_owner_name(context, SHOW_ROOM(NAME_SIZE)));
	else if (s->tid >= 0)
		fprintf(to, "thread %s", SHOW_TASK(s->tid, s->comm));
	else
		fputs("the picture", to);
	if (s->by_context != LANE_CRITICAL_NONE) {
		context = timeline_context(l->timeline, s->by_context);
		fprintf(to, ", behind request %" PRIu64 ":%" PRIu32 " (%s)", context->ctx,
			s->by_seqno, show_owner_name(context, SHOW_ROOM(NAME_SIZE)));
	}
	if (s->kind == LANE_CRITICAL_RUNQUEUE)
		fprintf(to, ", its CPU taken by %s", SHOW_TASK(s->by_tid, s->by_comm));
	else if (s->by_tid > 0)
		fprintf(to, ", the CPU of the driver's thread taken by %s",
			SHOW_TASK(s->by_tid, s->by_comm));
}

/* Which pieces are shown: those that lasted longer, and the first ones of those that lasted as
 * long. */
struct cut {
	uint64_t ns;
	size_t equal;
};

static size_t at_least(const struct lane_critical_path *path, uint64_t ns)
{
	size_t n = 0;

	for (size_t i = 0; i < path->n_segments; i++)
		n += path->segments[i].lasted.hi >= ns;
	return n;
}

/* So many pieces, the longest; rows 0: all. */
static struct cut longest(const struct lane_critical_path *path, uint32_t rows)
{
	uint64_t low = 1, high = UINT64_MAX;

	if (!rows || path->n_segments <= rows)
		return (struct cut){ 0, SIZE_MAX };
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (at_least(path, middle) > rows)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct cut){ low - 1, rows - at_least(path, low) };
}

static bool is_shown(struct cut *cut, const struct lane_critical_segment *segment)
{
	if (segment->lasted.hi != cut->ns)
		return segment->lasted.hi > cut->ns;
	return cut->equal && cut->equal--;
}

/* The longest pieces, so many rows of them; each line begins with its time from from_ns. */
static void write_pieces(FILE *to, const struct lane_latency *l,
			 const struct lane_critical_path *path, uint32_t rows, uint64_t from_ns,
			 bool is_in_ms)
{
	struct cut cut = longest(path, rows);
	char where[NAME_SIZE];
	uint64_t left = 0;

	for (size_t i = 0; i < path->n_segments; i++) {
		const struct lane_critical_segment *s = &path->segments[i];

		if (!is_shown(&cut, s)) {
			left++;
			continue;
		}
		fprintf(to, is_in_ms ? "%14.6f" : "  %14.9f",
			(double)(int64_t)(s->begin_ns - from_ns) / (is_in_ms ? 1e6 : 1e9));
		fprintf(to, " %18s  %-20s %-8s ", SHOW_SPAN(s->lasted),
			lane_critical_kind_names[s->kind], critical_text_place(l, s, where));
		write_what(to, l, s);
		fputc('\n', to);
	}
	if (left)
		fprintf(to, "  (%" PRIu64 " more are not shown: none is longer)\n", left);
}

void show_critical_pieces(FILE *to, const struct lane_latency *latency,
			  const struct lane_critical_path *path, uint64_t from_ns, uint32_t rows)
{
	write_pieces(to, latency, path, rows, from_ns, true);
}

static void critical_text_write_text(const struct lane_tables *t, const struct critical *c)
{
	const struct lane_critical_path *path = c->path;
	uint64_t begin_ns = c->l->figures.begin_ns;

	fprintf(t->to, "Critical path of %s, from %.9f s to %.9f s, back from ",
		SHOW_DURATION(path->to_ns - path->from_ns),
		(double)(path->from_ns - begin_ns) / 1e9, (double)(path->to_ns - begin_ns) / 1e9);
	if (path->flip)
		fprintf(t->to, "refresh %" PRIu64 " of %s.\n", path->flip->seq,
			SHOW_SCREEN(path->flip));
	else if (path->end.tid >= 0)
		fprintf(t->to, "thread %d.\n", path->end.tid);
	else
		fprintf(t->to, "request %" PRIu64 ":%" PRIu32 ".\n", path->end.ctx,
			path->end.seqno);
	write_shares(t, c);
	show_title(t, "Pieces");
	write_pieces(t->to, c->l, path, t->options->rows, begin_ns, false);
}

static void critical_text_put_request(struct json_object *to, const struct lane_latency *l,
				      const char *key, uint32_t id, uint32_t seqno)
{
	const struct lane_context *context =
		id == LANE_CRITICAL_NONE ? NULL : timeline_context(l->timeline, id);
	struct json_object *rq;

	if (!context) {
		show_json_null(to, key);
		return;
	}
	rq = show_json_object(to, key);
	show_json_uint(rq, "dev", context->dev);
	show_json_uint(rq, "ctx", context->ctx);
	show_json_uint(rq, "seqno", seqno);
}

static void put_piece(struct json_object *row, const struct lane_latency *l,
		      const struct lane_critical_segment *s, uint64_t origin_ns)
{
	char name[NAME_SIZE];

	show_json_uint(row, "begin_ns", s->begin_ns - origin_ns);
	show_json_uint(row, "end_ns", s->end_ns - origin_ns);
	show_json_span(row, "lasted", s->lasted);
	show_json_text(row, "kind", lane_critical_kind_names[s->kind]);
	show_json_text(row, "process", owner(l, s, name));
	show_json_text(row, "engine", critical_text_place(l, s, name));
	show_json_known(row, "tid", (uint64_t)s->tid, s->tid >= 0);
	critical_text_put_request(row, l, "request", s->context, s->seqno);
	critical_text_put_request(row, l, "behind", s->by_context, s->by_seqno);
}

void show_critical_tree(struct json_object *to, const struct lane_latency *latency,
			const struct lane_critical_path *path, uint64_t from_ns, uint32_t rows)
{
	struct json_object *list = show_json_list(to, "segments");
	struct cut cut = longest(path, rows);

	for (size_t i = 0; i < path->n_segments; i++)
		if (is_shown(&cut, &path->segments[i]))
			put_piece(show_json_row(list), latency, &path->segments[i], from_ns);
}

static void critical_text_write_json(const struct lane_tables *t, const struct critical *c)
{
	const struct lane_critical_path *path = c->path;

	show_json_uint(t->tree, "version", 2);
	show_json_uint(t->tree, "from_ns", path->from_ns);
	show_json_uint(t->tree, "to_ns", path->to_ns);
	show_json_uint(t->tree, "duration_ns", path->to_ns - path->from_ns);
	write_shares(t, c);
	show_critical_tree(t->tree, c->l, path, 0, 0);
	show_json_write(t->to, t->tree, JSON_C_TO_STRING_PRETTY);
}

struct lane_error *show_critical_write(FILE *to, struct session *session,
				       const struct lane_critical_wanted *wanted, bool is_json,
				       uint32_t rows)
{
	const struct lane_report_options options = { .rows = rows };
	struct session again = { .n_places = 0 };
	struct lane_critical_path path = { .from_ns = 0 };
	struct lane_error *err = session_critical(session, wanted, &again, &path);
	LANE_CLEANUP(critical_text_drop) struct critical c = { .l = &again.latency, .path = &path };
	struct lane_tables t = { .to = to, .latency = &again.latency, .options = &options };

	if (!err)
		err = share_out(&c);
	if (!err && is_json) {
		t.tree = json_object_new_object();
		critical_text_write_json(&t, &c);
	} else if (!err) {
		critical_text_write_text(&t, &c);
	}
	if (!err && ferror(to))
		err = lane_error("standard output: cannot be written");
	latency_critical_path_free(&path);
	session_deinit(&again);
	return session_damage_end(&session->damage, err);
}

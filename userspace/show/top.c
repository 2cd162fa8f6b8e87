// SPDX-License-Identifier: MIT
// The lines of `gpulane top`: a head, the engines, the clients. Columns that do not fit are left
// out, sentences go on in the next line.
#include "show/top.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/sort.h"
#include "show/report_parts.h"
#include "show/report.h"
#include "show/wrap.h"

enum {
	MAX_WIDTH = 400,
	MAX_TEXT = 1024,
	WRAP_LINES = 20, /* a screen of fewer has none for what a sentence goes on with */
	BAR = 20,
};

static const char *const sort_names[LANE_TOP_SORTS] = {
	[LANE_TOP_GPU] = "gpu",		  [LANE_TOP_WAIT] = "wait",
	[LANE_TOP_REQUESTS] = "requests", [LANE_TOP_PREEMPTED] = "preempted",
	[LANE_TOP_WORST] = "worst",	  [LANE_TOP_PID] = "pid",
};

int show_top_sort_by_name(const char *name)
{
	for (int i = 0; i < LANE_TOP_SORTS; i++)
		if (!strcmp(sort_names[i], name))
			return i;
	return -1;
}

/* What is being drawn. */
struct picture {
	const struct lane_top_view *view;
	lane_top_line_fn *line;
	void *arg;
	unsigned int width;
	unsigned int lines;
	double seconds; /* that the window covers */
	char text[MAX_TEXT];
	unsigned int used; /* of the text */
};

static bool top_is_full(const struct picture *p)
{
	return p->view->height && p->lines >= p->view->height;
}

/* Adds to the line. */
static void LANE_PRINTF(2, 3) add(struct picture *p, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(p->text + p->used, MAX_TEXT - p->used, format, args);
	va_end(args);
	if (n > 0)
		p->used += (unsigned int)n;
	if (p->used >= MAX_TEXT)
		p->used = MAX_TEXT - 1;
}

/* The line of a table: what does not fit the width is cut off. */
static void end_line(struct picture *p, enum lane_top_look look)
{
	if (p->used > p->width)
		p->used = p->width;
	while (p->used && p->text[p->used - 1] == ' ')
		p->used--;
	p->text[p->used] = '\0';
	if (!top_is_full(p)) {
		p->line(p->arg, p->text, look);
		p->lines++;
	}
	p->used = 0;
	p->text[0] = '\0';
}

/* A sentence goes on in the next line: what it ends with may be what matters. */
static void end_sentence(struct picture *p, enum lane_top_look look)
{
	char *text = NULL, *rest, *line;
	size_t bytes;
	bool has_room = !p->view->height || p->view->height >= WRAP_LINES;
	FILE *to = has_room ? open_memstream(&text, &bytes) : NULL;

	if (to)
		show_wrapped(to, p->text, p->width);
	if (!to || fclose(to)) {
		free(text);
		end_line(p, look);
		return;
	}
	for (rest = text; (line = strsep(&rest, "\n")) && rest;) {
		p->used = 0;
		add(p, "%s", line);
		end_line(p, look);
	}
	free(text);
}

/* A column is shown when the line has room for it, and then in every line of its table. */
static bool top_column(const struct picture *p, unsigned int end)
{
	return p->width >= end;
}

/* A window that covers less tells no rate: one event in its first nanosecond is not 1e9 events/s.
 */
#define LEAST_SECONDS 0.001

static double top_rate(const struct picture *p, const struct lane_sliding *sum)
{
	return p->seconds < LEAST_SECONDS ? NAN : (double)sum->sum / p->seconds;
}

/* Of the time: 1 is all of it. */
static double top_share(const struct picture *p, const struct lane_sliding *sum)
{
	double share = top_rate(p, sum) / 1e9;

	return share < 0 ? 0 : share;
}

/* The same of time on an engine: not known once a request ran that may run yet. */
static double share_run(const struct picture *p, const struct lane_sliding *sum, bool has_bursts)
{
	return has_bursts ? NAN : top_share(p, sum);
}

/* A cell, of the head or of a row, where there is room for its column. */
static void top_add_text(struct picture *p, unsigned int end, int width, const char *text)
{
	if (top_column(p, end))
		add(p, " %*s", width, text);
}

/* What stands in it, "-" for what is not known yet. */
static void add_figure(struct picture *p, unsigned int end, int width, int digits, double value)
{
	if (isnan(value))
		top_add_text(p, end, width, "-");
	else if (top_column(p, end))
		add(p, " %*.*f", width, digits, value);
}

/* The same for a share of time on an engine in percent, "~" before it where the bounds of the runs
 * are apart by more than 1 % of the window. */
static void top_add_share(struct picture *p, double share, const struct lane_sliding *unsure_ns)
{
	char text[32];

	if (isnan(share) || (double)unsure_ns->sum <= p->seconds * 1e7)
		return add_figure(p, 0, 6, 1, 100 * share);
	snprintf(text, sizeof(text), "~%.1f", 100 * share);
	add(p, " %6s", text);
}

/* --- the head --- */

static void draw_worst(struct picture *p)
{
	const struct lane_window_worst *worst = &p->view->window->worst;

	if (!worst->total.hi) {
		add(p, "worst request: none has ended yet");
		end_sentence(p, LANE_TOP_PLAIN);
		return;
	}
	add(p, "worst request: %" PRIu64 ":%" PRIu32 " of %s: %s on %s", worst->context->ctx,
	    worst->seqno, show_client_name(worst->client, SHOW_ROOM(64)), SHOW_SPAN(worst->total),
	    worst->engine ? SHOW_ENGINE(worst->engine) : "");
	if (worst->wait.hi != LANE_NEVER)
		add(p, ", waited %s", SHOW_SPAN(worst->wait));
	if (worst->running.hi != LANE_NEVER)
		add(p, ", ran %s", SHOW_SPAN(worst->running));
	if (worst->preempted.hi && worst->preempted.hi != LANE_NEVER)
		add(p, ", preempted %s", SHOW_SPAN(worst->preempted));
	end_sentence(p, LANE_TOP_PLAIN);
}

/* The call that has not returned for longest, or the command that is not known to have ended. */
static void draw_open_call(struct picture *p)
{
	uint64_t now_ns = p->view->window->now_ns;
	struct lane_open_calls calls;
	char text[1024];

	latency_open_calls_of(p->view->timeline, now_ns, &calls);
	for (uint32_t i = 0; i < calls.n; i++) {
		if (latency_open_call_goes_on(&calls.of[i], now_ns) ||
		    !latency_open_call_is_certain(p->view->timeline, &calls.of[i], now_ns,
						  LANE_OPEN_LONG_NS))
			continue;
		show_open_call_text(p->view->timeline, &calls.of[i], now_ns, "ago", text,
				    sizeof(text));
		add(p, "%s", lane_clean(text, LANE_CLEAN_LINE));
		end_sentence(p, LANE_TOP_BAD);
		return;
	}
}

/* What has been open too long, while it is. A burst may go on for hours. */
static void draw_open(struct picture *p)
{
	uint64_t now_ns = p->view->window->now_ns;
	struct lane_opens opens;
	char text[640];

	latency_opens_of(p->view->timeline, &opens);
	for (uint32_t i = 0; i < opens.n; i++) {
		if ((opens.of[i].request.doubt & LANE_DOUBT_BURST) ||
		    !latency_open_is_certain(p->view->timeline, &opens.of[i], now_ns,
					     LANE_OPEN_LONG_NS))
			continue;
		show_open_text(p->view->timeline, &opens.of[i], now_ns, text, sizeof(text));
		add(p, "%s", text);
		end_sentence(p, LANE_TOP_BAD);
		return;
	}
}

static void draw_head(struct picture *p)
{
	const struct lane_window *w = p->view->window;
	char source[128];

	lane_clean_copy(source, sizeof(source), p->view->source, LANE_CLEAN_LINE);
	add(p, "gpulane top - %s, %.1f s, window %s", source,
	    (double)(w->now_ns - w->begin_ns) / 1e9, SHOW_DURATION((uint64_t)(p->seconds * 1e9)));
	if (*p->view->state)
		add(p, "  [%s]", p->view->state);
	end_sentence(p, LANE_TOP_TITLE);
	if (p->seconds < LEAST_SECONDS)
		add(p, "no rates yet: the window covers less than 1 ms, lost %" PRIu64,
		    p->view->lost);
	else
		add(p,
		    "requests %.1f/s, preemptions %.1f/s (timeslices %.1f/s), events %.0f/s, "
		    "lost %" PRIu64,
		    top_rate(p, &w->requests), top_rate(p, &w->preemptions),
		    top_rate(p, &w->timeslices), top_rate(p, &w->events), p->view->lost);
	end_sentence(p, p->view->lost ? LANE_TOP_BAD : LANE_TOP_PLAIN);
	if (*p->view->notice) {
		add(p, "%s", p->view->notice);
		end_sentence(p, LANE_TOP_BAD);
	}
	draw_worst(p);
	draw_open_call(p);
	draw_open(p);
	end_line(p, LANE_TOP_PLAIN);
}

/* --- engines --- */

static void add_bar(struct picture *p, double filled)
{
	int n = (int)(filled * BAR + 0.5);

	add(p, " [%.*s%.*s]", n > BAR ? BAR : n, "####################", n > BAR ? 0 : BAR - n,
	    "                    ");
}

static void draw_engine(struct picture *p, const struct lane_window_engine *engine)
{
	double busy = share_run(p, &engine->busy_ns, engine->has_bursts);

	if (busy > 1)
		busy = 1;
	add(p, "%-12.12s", SHOW_ENGINE(engine->engine));
	top_add_share(p, busy, &engine->unsure_ns);
	if (top_column(p, 32))
		add(p, " %5" PRIu32 " %6" PRIu32, engine->engine->host_len,
		    engine->engine->device_len);
	add_figure(p, 41, 8, 1, top_rate(p, &engine->runs));
	add_figure(p, 51, 9, 1, top_rate(p, &engine->preemptions));
	if (top_column(p, 100))
		add_bar(p, isnan(busy) ? 0 : busy);
	top_add_text(p, 70, 0,
		     engine->context  ? show_client_name(engine->client, SHOW_ROOM(64))
		     : engine->bursts ? "a burst"
				      : "-");
	end_line(p, busy > 0.9 ? LANE_TOP_BUSY : LANE_TOP_PLAIN);
}

LANE_ORDER_OF(engine_order, struct lane_window_engine,
	      LANE_UP(engine->dev) ?: LANE_UP(engine->class) ?: LANE_UP(engine->instance))

static struct lane_error *draw_engines(struct picture *p)
{
	const struct lane_window *w = p->view->window;
	const struct lane_window_engine **order = calloc(w->n_engines + 1, sizeof(*order));
	size_t n = 0;

	if (!order)
		return &lane_enomem;
	for (uint32_t i = 0; i < w->n_engines; i++)
		if (w->engines[i].engine)
			order[n++] = &w->engines[i];
	qsort(order, n, sizeof(*order), engine_order);
	add(p, "%-12s %6s", "ENGINE", "BUSY%");
	top_add_text(p, 32, 5, "HOSTQ");
	top_add_text(p, 32, 6, "DEVQ");
	top_add_text(p, 41, 8, "RUNS/s");
	top_add_text(p, 51, 9, "PREEMPT/s");
	top_add_text(p, 100, BAR + 2, "");
	top_add_text(p, 70, 0, "RUNS NOW");
	end_line(p, LANE_TOP_HEADING);
	for (size_t i = 0; i < n; i++)
		draw_engine(p, order[i]);
	free(order);
	end_line(p, LANE_TOP_PLAIN);
	return NULL;
}

/* --- clients --- */

static int64_t sort_value(const struct lane_window_client *client, enum lane_top_sort sort)
{
	switch (sort) {
	case LANE_TOP_GPU:
		return client->gpu_ns.sum;
	case LANE_TOP_WAIT:
		return client->wait_ns.sum;
	case LANE_TOP_REQUESTS:
		return client->requests.sum;
	case LANE_TOP_PREEMPTED:
		return client->preempted.sum;
	case LANE_TOP_WORST:
		return (int64_t)client->worst.hi;
	default:
		return -(int64_t)client->client->pid;
	}
}

static int client_order(const void *a, const void *b, void *arg)
{
	const struct lane_window_client *x = *(const struct lane_window_client *const *)a;
	const struct lane_window_client *y = *(const struct lane_window_client *const *)b;
	const struct lane_top_view *view = arg;
	int64_t p = sort_value(x, view->sort), q = sort_value(y, view->sort);
	int order = p != q ? (p > q ? -1 : 1)
			   : (x->client->pid > y->client->pid) - (x->client->pid < y->client->pid);

	return view->is_reversed ? -order : order;
}

/* The bounds are apart by more than 1 %. */
static bool is_bounded(struct lane_span span)
{
	return span.hi - span.lo > span.hi / 100;
}

static void draw_client(struct picture *p, const struct lane_window_client *client)
{
	char worst[32];

	if (client->client->group)
		add(p, "%-23.23s", show_client_name(client->client, SHOW_ROOM(24)));
	else if (client->client->pid < 0)
		add(p, "%7s %-15.15s", "-", "unknown");
	else
		add(p, "%7d %-15.15s", client->client->pid, SHOW_COMM(client->client->comm));
	top_add_share(p, share_run(p, &client->gpu_ns, client->has_bursts), &client->unsure_ns);
	add_figure(p, 37, 6, 2, top_share(p, &client->wait_ns));
	add_figure(p, 46, 8, 1, top_rate(p, &client->requests));
	add_figure(p, 56, 9, 1, top_rate(p, &client->preempted));
	snprintf(worst, sizeof(worst), "%s%s", is_bounded(client->worst) ? "~" : "",
		 SHOW_DURATION(client->worst.hi));
	top_add_text(p, 67, 10, client->worst.hi ? worst : "-");
	end_line(p, LANE_TOP_PLAIN);
}

static struct lane_error *draw_clients(struct picture *p)
{
	static const char *const marks[LANE_TOP_SORTS] = { "GPU%",	"WAIT",	 "REQ/s",
							   "PREEMPT/s", "WORST", "PID" };
	const struct lane_window *w = p->view->window;
	const struct lane_window_client **order = calloc(w->n_clients + 1, sizeof(*order));
	size_t n = 0;

	if (!order)
		return &lane_enomem;
	for (uint32_t i = 0; i < w->n_clients; i++)
		if (w->clients[i].client)
			order[n++] = &w->clients[i];
	qsort_r(order, n, sizeof(*order), client_order, (void *)p->view);
	add(p, "%7s %-15s %6s", "PID", "CLIENT", "GPU%");
	top_add_text(p, 37, 6, "WAIT");
	top_add_text(p, 46, 8, "REQ/s");
	top_add_text(p, 56, 9, "PREEMPT/s");
	top_add_text(p, 67, 10, "WORST");
	if (top_column(p, 90))
		add(p, "   by %s%s", marks[p->view->sort],
		    p->view->is_reversed ? ", least first" : "");
	end_line(p, LANE_TOP_HEADING);
	for (size_t i = 0; i < n && !top_is_full(p); i++)
		draw_client(p, order[i]);
	free(order);
	return NULL;
}

static void draw_help(struct picture *p)
{
	static const char *const lines[] = {
		"keys",
		"  q          quit",
		"  p, space   pause, go on",
		"  g w r e m  sort clients by GPU time, waiting, requests, preemptions, worst",
		"  i          sort clients by process number",
		"  o          the other way round",
		"  + -        show more often, less often",
		"  h ?        this help",
		"",
		"GPU%  time in which the client's requests ran, of the window; above 100 on "
		"several engines",
		"WAIT  requests that waited (dependency, queues, preempted), on average",
		"HOSTQ, DEVQ  lengths of the engine's queues now",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		add(p, "%s", lines[i]);
		end_sentence(p, i ? LANE_TOP_PLAIN : LANE_TOP_HEADING);
	}
}

struct lane_error *show_top_draw(const struct lane_top_view *view, lane_top_line_fn *line,
				 void *arg)
{
	struct picture p = { .view = view,
			     .line = line,
			     .arg = arg,
			     .width = view->width > MAX_WIDTH ? MAX_WIDTH : view->width,
			     .seconds = (double)latency_window_covers(view->window) / 1e9 };
	struct lane_error *err;

	draw_head(&p);
	if (view->shows_help) {
		draw_help(&p);
		return NULL;
	}
	err = draw_engines(&p);
	return err ? err : draw_clients(&p);
}

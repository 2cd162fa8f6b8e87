// SPDX-License-Identifier: MIT
// gpulane export --to html: one file with everything in it, written as the recording is read.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "base/vector.h"
#include "show/export.h"
#include "show/html_assets.h"
#include "show/html_data.h"
#include "show/html_facts.h"
#include "show/html_hash.h"
#include "show/report.h"
#include "show/tracks.h"

enum {
	BLOCK = 32768, /* records */
	NO_INFO = 0,   /* a slice's info is a number + 1 */
};

enum block {
	BLOCK_SLICES,
	BLOCK_LENGTHS,
	BLOCK_REQUESTS,
	BLOCK_COMMANDS,
	BLOCK_IDLES,
	BLOCK_COUNTERS,
	BLOCKS
};

/* What an OpenCL command's record has. */
enum command_time {
	COMMAND_CALL,
	COMMAND_RETURN,
	COMMAND_TIMES, /* queued, submitted, start, end */
	COMMAND_KNOWN = COMMAND_TIMES + LANE_COMMAND_TIMES,
	COMMAND_STAGES, /* where each begins, and where the last ends */
	COMMAND_POINTS = COMMAND_STAGES + LANE_CSTAGE_COUNT + 1
};

enum command_number {
	COMMAND_NUMBER,
	COMMAND_NAME, /* of its kernel, 0: none */
	COMMAND_CLASS,
	COMMAND_SURE, /* certainty, why above it */
	COMMAND_REQUEST,
	COMMAND_TID,
	COMMAND_STATUS,
	COMMAND_FUNCTION,
	COMMAND_WAITS, /* how many events it waits for */
	COMMAND_NUMBERS
};

/* What a request's record has of times: points first, then durations, two for each stage. */
enum request_time {
	TIME_QUEUE,
	TIME_ADD,
	TIME_SUBMIT,
	TIME_EXECUTE,
	TIME_START,
	TIME_START_MAX,
	TIME_END,
	TIME_END_MAX,
	TIME_SIGNAL,
	TIME_RETIRE,
	TIME_GIVEN_UP,
	REQUEST_POINTS,
	TIME_STAGES = REQUEST_POINTS,
	TIME_TOTAL = TIME_STAGES + 2 * LANE_STAGE_PATH,
	TIME_WAKE = TIME_TOTAL + 2,
	TIME_WAKE_RUNQUEUE,
	REQUEST_TIMES
};

_Static_assert(REQUEST_TIMES <= LANE_HTML_TIMES && COMMAND_POINTS <= LANE_HTML_TIMES,
	       "a record has room for them");

enum request_number {
	NUMBER_ITSELF,
	NUMBER_CONTEXT,
	NUMBER_SEQNO,
	NUMBER_ENGINE, /* + 1, 0: none */
	NUMBER_TID,
	NUMBER_PRIO,
	NUMBER_BEHIND, /* context + 1, 0: none */
	NUMBER_PREEMPTIONS,
	NUMBER_WAITS,
	NUMBER_STAGES, /* known, and above it unknown */
	NUMBER_STATE,  /* state, doubt above it, above that why it is not complete */
	NUMBER_CLIENT,
	NUMBER_AFTER, /* context + 1 of the request that it waited for, 0: none; and the seqno */
	NUMBER_AFTER_SEQNO,
	REQUEST_NUMBERS
};

_Static_assert(REQUEST_NUMBERS <= LANE_HTML_NUMBERS, "a record has room for them");

struct html {
	FILE *to;
	const struct lane_trace_info *info;
	const char *title;
	struct lane_tracks *tracks;
	struct lane_html_block blocks[BLOCKS];
	uint64_t origin_ns;
	bool has_begun;
	struct lane_table named; /* (tid, name) -> index + 1 in names */
	char (*names)[LANE_HTML_NAME];
	uint32_t commands;
	uint32_t n_names, cap_names;
	struct lane_error *err; /* the first that a hook met */
};

static void html_add(struct html *h, enum block block, const uint64_t *times,
		     const uint32_t *numbers)
{
	if (!h->err)
		h->err = show_html_add(&h->blocks[block], times, numbers, h->origin_ns, h->to);
}

/* The index + 1 of a name in the page's list; the same name of another owner is another. */
static uint32_t name_index(struct html *h, uint64_t owner, const char *name)
{
	uint64_t hash = lane_hash_text(name);
	void *known = lane_table_get(&h->named, owner, hash);

	if (known)
		return (uint32_t)(uintptr_t)known;
	if (!LANE_GROW(h->names, h->cap_names, h->n_names + 1)) {
		h->err = h->err ? h->err : &lane_enomem;
		return NO_INFO;
	}
	snprintf(h->names[h->n_names], sizeof(*h->names), "%s", name);
	h->n_names++;
	if (!lane_table_put(&h->named, owner, hash, (void *)(uintptr_t)h->n_names))
		h->err = h->err ? h->err : &lane_enomem;
	return h->n_names;
}

static uint32_t task(struct html *h, int32_t tid, const char *comm)
{
	char name[48];

	show_task_name(tid, comm, name, sizeof(name));
	return name_index(h, (uint32_t)tid, name);
}

/* What stands in a slice of what a driver told, or of what the kernel did. */
static uint32_t html_told(struct html *h, const char *what, const char *who)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s%s", what, who ? ", " : "", who ? who : "");
	return name_index(h, UINT64_MAX - 1, text);
}

static uint32_t put_command(struct html *h, const struct lane_slice *slice)
{
	const struct lane_command *command = slice->command;
	uint32_t numbers[COMMAND_NUMBERS];
	uint64_t times[COMMAND_POINTS];
	struct lane_command_stages stages;

	latency_command_stages_of(command, &stages);
	times[COMMAND_CALL] = command->call_ns ? command->call_ns : LANE_HTML_NO_TIME;
	times[COMMAND_RETURN] = command->return_ns ? command->return_ns : LANE_HTML_NO_TIME;
	times[COMMAND_KNOWN] = command->known_ns ? command->known_ns : LANE_HTML_NO_TIME;
	for (int i = 0; i < LANE_COMMAND_TIMES; i++)
		times[COMMAND_TIMES + i] = command->timed ? command->time_ns[i] : LANE_HTML_NO_TIME;
	for (int i = 0; i <= LANE_CSTAGE_COUNT; i++)
		times[COMMAND_STAGES + i] = stages.known ? stages.at_ns[i] : LANE_HTML_NO_TIME;
	numbers[COMMAND_NUMBER] = (uint32_t)command->number;
	numbers[COMMAND_NAME] =
		command->name[0] ? name_index(h, UINT64_MAX, command->name) : NO_INFO;
	numbers[COMMAND_CLASS] = command->class;
	numbers[COMMAND_SURE] = command->certainty | (uint32_t)command->why << 8;
	numbers[COMMAND_REQUEST] = slice->number;
	numbers[COMMAND_TID] = (uint32_t)command->tid;
	numbers[COMMAND_STATUS] = (uint32_t)command->status;
	numbers[COMMAND_FUNCTION] = command->function;
	numbers[COMMAND_WAITS] = command->flags >> 8;
	html_add(h, BLOCK_COMMANDS, times, numbers);
	return ++h->commands;
}

static uint32_t html_saturated(uint64_t value)
{
	return value >= UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* What the page is told of a slice beside its request, by the kind of its track. */
static uint32_t info_of(struct html *h, const struct lane_slice *slice)
{
	if (slice->track->kind == LANE_TRACK_CPU)
		return task(h, slice->cpu_run->tid, slice->cpu_run->comm);
	if (slice->idle && slice->idle->culprits[0].ns)
		return task(h, slice->idle->culprits[0].tid, slice->idle->culprits[0].comm);
	if (slice->starvation)
		return task(h, slice->starvation->tid, slice->starvation->comm);
	if (slice->preemption && slice->preemption->culprit)
		return slice->preemption->culprit_client->id + 1;
	if (slice->wait && slice->wait->signal_ns)
		return slice->wait->signal_ns > slice->wait->begin_ns
			       ? html_saturated(slice->wait->end_ns - slice->wait->signal_ns + 1)
			       : html_saturated(slice->wait->end_ns - slice->wait->begin_ns + 1);
	if (slice->thread)
		return (uint32_t)(slice->thread->thread->cpu + 1);
	if (slice->loss)
		return html_saturated(slice->loss->count);
	if (slice->fault)
		return html_told(h, lane_fault_names[slice->fault->cause],
				 slice->fault->client ? SHOW_CLIENT(slice->fault->client) : NULL);
	if (slice->stall)
		return html_told(h, lane_stall_names[slice->stall->cause],
				 slice->stall->tid > 0
					 ? SHOW_TASK(slice->stall->tid, slice->stall->comm)
					 : NULL);
	if (slice->flip)
		return html_told(h,
				 slice->track->kind == LANE_TRACK_DISPLAY && !slice->state
					 ? "shown"
					 : "missed refresh",
				 SHOW_TASK(slice->flip->tid, slice->flip->comm));
	if (slice->mark)
		return html_told(h, slice->mark->name, NULL);
	if (slice->call)
		return slice->call->function;
	if (slice->command)
		return put_command(h, slice);
	return NO_INFO;
}

/* An engine's idle time by cause: as the report sums it. */
static void put_idle(struct html *h, const struct lane_idle *idle)
{
	uint64_t times[1 + LANE_IDLE_CAUSE_COUNT] = { idle->begin_ns };

	memcpy(times + 1, idle->cause_ns, sizeof(idle->cause_ns));
	if (!idle->is_unsure && !idle->is_first)
		html_add(h, BLOCK_IDLES, times, (uint32_t[]){ idle->engine->id, idle->is_last });
}

static void html_put_request(struct html *h, const struct lane_slice *slice);

static void on_slice(void *arg, const struct lane_slice *slice)
{
	struct html *h = arg;
	uint32_t flags = slice->flags;
	uint32_t numbers[6];

	if (slice->preemption && slice->preemption->why == LANE_PREEMPTION_TIMESLICE)
		flags |= 1u << 2;
	if (slice->wait && slice->wait->slept)
		flags |= 1u << 2;
	numbers[0] = slice->track->id;
	numbers[1] = slice->row;
	numbers[2] = slice->state;
	numbers[3] = flags;
	numbers[4] = slice->number;
	numbers[5] = info_of(h, slice);
	/* Rows beyond what 16 bits number are not drawn; that many requests wait in one queue. */
	if (slice->row <= UINT16_MAX)
		html_add(h, BLOCK_SLICES,
			 (uint64_t[]){ slice->begin_ns, slice->end_ns - slice->begin_ns }, numbers);
	if (slice->track->kind == LANE_TRACK_CLIENT)
		html_put_request(h, slice);
	if (slice->idle)
		put_idle(h, slice->idle);
}

static void on_length(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		      uint32_t length, uint64_t at_ns)
{
	html_add(arg, BLOCK_LENGTHS, &at_ns, (uint32_t[]){ 2 * engine->id + queue, length });
}

static void on_counter(void *arg, const struct lane_counter_point *point)
{
	uint32_t value = point->value < UINT32_MAX ? (uint32_t)point->value : UINT32_MAX;

	html_add(arg, BLOCK_COUNTERS, &point->at_ns, (uint32_t[]){ point->is->id, value });
}

static uint64_t if_seen(const struct lane_request *rq, enum lane_request_seen what, uint64_t ns)
{
	return rq->seen & what ? ns : LANE_HTML_NO_TIME;
}

static void put_span(uint64_t *times, struct lane_span ns)
{
	times[0] = ns.lo;
	times[1] = ns.hi;
}

static void html_put_times(const struct lane_request *rq, const struct lane_stages *stages,
			   uint64_t *times)
{
	for (int i = 0; i < REQUEST_TIMES; i++)
		times[i] = LANE_HTML_NO_TIME;
	times[TIME_QUEUE] = if_seen(rq, LANE_SEEN_QUEUE, rq->queue_ns);
	times[TIME_ADD] = if_seen(rq, LANE_SEEN_ADD, rq->add_ns);
	times[TIME_SUBMIT] = if_seen(rq, LANE_SEEN_SUBMIT, rq->submit_ns);
	times[TIME_EXECUTE] = if_seen(rq, LANE_SEEN_EXECUTE, rq->execute_ns);
	times[TIME_SIGNAL] = if_seen(rq, LANE_SEEN_SIGNAL, rq->signal_ns);
	times[TIME_RETIRE] = if_seen(rq, LANE_SEEN_RETIRE, rq->retire_ns);
	if (rq->given_up.at_ns)
		times[TIME_GIVEN_UP] = rq->given_up.at_ns;
	if (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE) &&
	    rq->start.hi != LANE_NEVER)
		put_span(&times[TIME_START], rq->start);
	if (timeline_end_is_known(rq) || timeline_burst_is_over(rq))
		put_span(&times[TIME_END], rq->end);
	for (int i = 0; i < LANE_STAGE_PATH; i++)
		if (stages->known & 1u << i)
			put_span(&times[TIME_STAGES + 2 * i], stages->ns[i]);
	if (stages->total_known)
		put_span(&times[TIME_TOTAL], stages->total);
	if (stages->known & 1u << LANE_STAGE_WAKE) {
		times[TIME_WAKE] = rq->wake_ns;
		if (stages->known & 1u << LANE_STAGE_WAKE_RUNQUEUE)
			times[TIME_WAKE_RUNQUEUE] = rq->wake_runqueue_ns;
	}
}

static void html_put_request(struct html *h, const struct lane_slice *slice)
{
	const struct lane_request *rq = slice->request;
	uint32_t numbers[REQUEST_NUMBERS];
	uint64_t times[REQUEST_TIMES];
	struct lane_stages stages;
	bool is_guilty = rq->given_up.context == rq->context && rq->given_up.seqno == rq->seqno;

	latency_stages_of(h->info, rq, &stages);
	html_put_times(rq, &stages, times);
	numbers[NUMBER_ITSELF] = slice->number;
	numbers[NUMBER_CONTEXT] = rq->context->id;
	numbers[NUMBER_SEQNO] = rq->seqno;
	numbers[NUMBER_ENGINE] = rq->engine ? rq->engine->id + 1 : 0;
	numbers[NUMBER_TID] = (uint32_t)rq->tid;
	numbers[NUMBER_PRIO] = (uint32_t)rq->prio;
	numbers[NUMBER_BEHIND] = rq->behind ? rq->behind->id + 1 : 0;
	numbers[NUMBER_PREEMPTIONS] = rq->preemptions;
	numbers[NUMBER_WAITS] = rq->waits;
	numbers[NUMBER_STAGES] = stages.known | (uint32_t)stages.unknown << 16;
	numbers[NUMBER_STATE] = rq->state | (uint32_t)rq->doubt << 8 | (uint32_t)is_guilty << 16 |
				(uint32_t)rq->fault << 24;
	numbers[NUMBER_CLIENT] = timeline_client_of(rq)->id;
	numbers[NUMBER_AFTER] = rq->after ? rq->after->id + 1 : 0;
	numbers[NUMBER_AFTER_SEQNO] = rq->after ? rq->after_seqno : 0;
	html_add(h, BLOCK_REQUESTS, times, numbers);
}

static void html_destroy(void *export)
{
	struct html *h = export;

	if (!h)
		return;
	for (int i = 0; i < BLOCKS; i++)
		show_html_block_deinit(&h->blocks[i]);
	show_tracks_destroy(h->tracks);
	lane_table_free(&h->named);
	free(h->names);
	lane_error_free(h->err);
	free(h);
}

/* No script but the page's own runs, and nothing is fetched. */
static const char policy[] =
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"script-src '" LANE_HTML_HASH "'; style-src 'unsafe-inline'; img-src data:\">\n";

static struct lane_error *html_create(const struct lane_export_to *to, void **export,
				      struct lane_hooks *hooks)
{
	static const struct lane_html_kind kinds[BLOCKS] = {
		[BLOCK_SLICES] = { BLOCK_SLICES, 2, 1, 6 },
		[BLOCK_LENGTHS] = { BLOCK_LENGTHS, 1, 1, 2 },
		[BLOCK_REQUESTS] = { BLOCK_REQUESTS, REQUEST_TIMES, REQUEST_POINTS,
				     REQUEST_NUMBERS },
		[BLOCK_COMMANDS] = { BLOCK_COMMANDS, COMMAND_POINTS, COMMAND_POINTS,
				     COMMAND_NUMBERS },
		[BLOCK_IDLES] = { BLOCK_IDLES, 1 + LANE_IDLE_CAUSE_COUNT, 1, 2 },
		[BLOCK_COUNTERS] = { BLOCK_COUNTERS, 1, 1, 2 },
	};
	LANE_CLEANUP(lane_free) char *title = lane_clean_dup(to->title, LANE_CLEAN_LINE);
	struct html *h = calloc(1, sizeof(*h));
	const struct lane_track_hooks track_hooks = {
		.arg = h, .slice = on_slice, .length = on_length, .counter = on_counter
	};
	struct lane_error *err;

	*export = h;
	if (!h)
		return &lane_enomem;
	h->to = to->file;
	h->info = to->info;
	h->title = to->title;
	for (int i = 0; i < BLOCKS; i++)
		if (!show_html_block_init(&h->blocks[i], &kinds[i],
					  i >= BLOCK_REQUESTS ? BLOCK / 4 : BLOCK))
			return &lane_enomem;
	err = show_tracks_create(&track_hooks, hooks, &h->tracks);
	if (err)
		return err;
	fputs(lane_html_head, h->to);
	fputs(policy, h->to);
	fputs("<title>", h->to);
	show_html_text(h->to, title ? title : "");
	fputs(" - gpulane</title>\n<style>\n", h->to);
	fputs(lane_html_style, h->to);
	fputs("</style>\n</head>\n", h->to);
	fputs(lane_html_body, h->to);
	return NULL;
}

static struct lane_error *html_event(void *export, const struct lane_event *event)
{
	struct html *h = export;

	if (!h->has_begun)
		h->origin_ns = h->info->begin_ns && h->info->begin_ns < event->wire.ts_ns
				       ? h->info->begin_ns
				       : event->wire.ts_ns;
	h->has_begun = true;
	if (h->err)
		return LANE_TAKE(h->err);
	return show_tracks_failed(h->tracks) ? &lane_enomem : NULL;
}

static struct lane_error *html_finish(void *export, const struct lane_export_figures *figures)
{
	struct html *h = export;
	struct lane_error *err = LANE_TAKE(h->err);

	for (int i = 0; !err && i < BLOCKS; i++)
		err = show_html_flush(&h->blocks[i], h->origin_ns, h->to);
	if (!err)
		err = show_html_facts(
			&(struct lane_html_facts){ .title = h->title,
						   .origin_ns = h->origin_ns,
						   .tracks = h->tracks,
						   .names = (const char(*)[LANE_HTML_NAME])h->names,
						   .n_names = h->n_names,
						   .figures = figures },
			h->to);
	if (!err)
		fprintf(h->to, "<script>" LANE_HTML_STRICT "%s</script>\n</body>\n</html>\n",
			lane_html_code);
	return err;
}

const struct lane_exporter lane_export_html = {
	.name = "html",
	.help = "one file for any browser: verdict, figures, timeline",
	.suffix = ".html",
	.shows_worst = true,
	.create = html_create,
	.event = html_event,
	.finish = html_finish,
	.destroy = html_destroy,
};

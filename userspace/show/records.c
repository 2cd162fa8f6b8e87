// SPDX-License-Identifier: MIT
// What the timeline tells, as rows of described tables.
#include "show/records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/opencl.h"
#include "base/vector.h"
#include "show/report.h"
#include "show/report_parts.h"
#include "show/report_tables.h"

#define COLUMN(kind, name, unit, meaning, known, value) { LANE_COLUMN_##kind, name, unit, meaning },
#define COLUMNS(id)                                                                                \
	(const struct lane_column[])                                                               \
	{                                                                                          \
		LANE_##id##_COLUMNS(COLUMN)                                                        \
	}

const struct lane_columns lane_records[LANE_RECORD_COUNT] = {
#define T(id, name) { name, COLUMNS(id), sizeof(COLUMNS(id)) / sizeof(struct lane_column) },
	LANE_RECORDS(T)
#undef T
};

/* A value is looked at where it is known. */
#define VALUE(kind, name, unit, meaning, known, value)                                             \
	{ (known), { .IN_##kind = (known) ? (value) : (typeof(value)){ 0 } } },
#define IN_UINT	  uint
#define IN_HANDLE uint
#define IN_INT	  sint
#define IN_TEXT	  text
#define IN_BOUNDS span
#define IN_SPAN	  span
#define IN_LIST	  list
#define IN_ANY	  json

/* Tells a row of a table, whose columns' values are of the names of this place. */
#define TELL(id)                                                                                   \
	records->to.row(records->to.arg, &lane_records[LANE_RECORD_##id],                          \
			(const struct lane_row_value[]){ LANE_##id##_COLUMNS(VALUE) })

#define SHOW_KEY(ctx, seqno) key_text(ctx, seqno, SHOW_ROOM(48))
#define SHOW_NUMBERS(engine) numbers_text(engine, SHOW_ROOM(16))
#define SHOW_FIELD(field)    field_text(field, sizeof(field), SHOW_ROOM(sizeof(field) + 1))
#define HAS(stage)	     (stages.known >> LANE_STAGE_##stage & 1)

static const char *key_text(uint64_t ctx, uint64_t seqno, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 ":%" PRIu64, ctx, seqno);
	return text;
}

static const char *numbers_text(const struct lane_engine *engine, char *text, size_t size)
{
	snprintf(text, size, "%u:%u", engine->class, engine->instance);
	return text;
}

/* Of an event, where a text that fills its room has no end. */
static const char *field_text(const char *field, size_t bytes, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)bytes, field);
	return text;
}

/* --- requests --- */

static void tell_stages(const struct lane_records *records, const struct lane_request *rq,
			const struct lane_stages *stages)
{
	for (int stage = 0; stage < LANE_STAGE_COUNT; stage++)
		if ((stages->known | stages->unknown) >> stage & 1)
			TELL(STAGE);
}

static const char *request_kind(const struct lane_request *rq)
{
	if (!(rq->doubt & LANE_DOUBT_BURST))
		return "request";
	return rq->context->is_long_running ? "burst" : "may be burst";
}

static void on_preemption(void *arg, const struct lane_preemption *p)
{
	struct lane_records *records = arg;

	if (!LANE_GROW(records->pending, records->cap, records->n + 1))
		records->has_no_memory = true;
	else
		records->pending[records->n++] = *p;
}

static void tell_preemption(void *arg, const struct lane_preemption *p)
{
	struct lane_records *records = arg;

	on_preemption(arg, p);
	TELL(PREEMPTION);
}

/* Those of rq, as a list of JSON. */
static const char *preemption_list(struct lane_records *records, const struct lane_request *rq)
{
	size_t n = 0;
	FILE *to;

	free(LANE_TAKE(records->list));
	to = open_memstream(&records->list, &records->list_bytes);
	if (!to) {
		records->has_no_memory = true;
		return "[]";
	}
	fputc('[', to);
	for (size_t i = 0; i < records->n; i++) {
		const struct lane_preemption *p = &records->pending[i];

		if (p->victim != rq)
			continue;
		fprintf(to, "%s{\"at_ns\":{\"min\":%" PRIu64 ",\"max\":%" PRIu64 "},\"culprit\":",
			n++ ? "," : "", p->at.lo, p->at.hi);
		fprintf(to, p->culprit ? "\"%s\"" : "null",
			p->culprit ? SHOW_KEY(p->culprit->ctx, p->culprit_seqno) : "");
		fprintf(to, ",\"why\":\"%s\"", lane_preemption_why_names[p->why]);
		if (p->unless_ns)
			fprintf(to, ",\"unless_ns\":%" PRIu64, p->unless_ns);
		fputc('}', to);
	}
	fputc(']', to);
	if (!fclose(to))
		return records->list;
	records->has_no_memory = true;
	return "[]";
}

/* Forgets the preemptions of rq. Returns how many they were. */
static size_t records_forget(struct lane_records *records, const struct lane_request *rq)
{
	size_t kept = 0, n;

	for (size_t i = 0; i < records->n; i++)
		if (records->pending[i].victim != rq)
			records->pending[kept++] = records->pending[i];
	n = records->n - kept;
	records->n = kept;
	return n;
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_records *records = arg;
	bool is_told = latency_selects(records->select, rq);
	struct lane_row_list preemptions = { 0, "[]" };
	struct lane_span start = rq->start, end = rq->end;
	struct lane_stages stages, known;
	struct lane_points points;
	bool is_device_known;

	if (records->has_lists && records->n && is_told)
		preemptions.json = preemption_list(records, rq);
	preemptions.n = records_forget(records, rq);
	if (!is_told)
		return;
	latency_stages_of(records->info, rq, &stages);
	known = stages; /* as the report has them */
	latency_points_of(records->info, rq, &points);
	if (points.known[LANE_POINT_END])
		end = points.at[LANE_POINT_END];
	is_device_known = (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE)) ||
			  latency_bound_device(records->info, rq, &stages, &start);
	TELL(REQUEST);
	if (records->is_whole)
		tell_stages(records, rq, &known);
}

/* --- engines, threads --- */

static void on_run(void *arg, const struct lane_run *run)
{
	const struct lane_records *records = arg;
	bool is_maybe = false;

	TELL(RUN);
}

static void on_maybe_run(void *arg, const struct lane_run *run)
{
	const struct lane_records *records = arg;
	bool is_maybe = true;

	TELL(RUN);
}

static void on_idle(void *arg, const struct lane_idle *idle)
{
	struct lane_records *records = arg;
	uint64_t id = ++records->idles;

	TELL(IDLE);
	for (int cause = 0; cause < LANE_IDLE_PLACE_END; cause++) {
		uint64_t ns = cause < LANE_IDLE_CAUSE_COUNT ? idle->cause_ns[cause] : 0;

		if (idle->is_last)
			ns = cause == LANE_IDLE_AFTER_LAST ? idle->end_ns - idle->begin_ns : 0;
		if (ns)
			TELL(IDLE_CAUSE);
	}
	for (int i = 0; i < LANE_IDLE_CULPRITS && idle->culprits[i].ns; i++) {
		const struct lane_cpu_culprit *culprit = &idle->culprits[i];

		TELL(IDLE_CULPRIT);
	}
}

/* So that its name is told in the end. */
static void name_thread(struct lane_records *records, const struct lane_thread *thread)
{
	if (!lane_table_get(&records->threads, (uint32_t)thread->tid, 0) &&
	    !lane_table_put(&records->threads, (uint32_t)thread->tid, 0, records))
		records->has_no_memory = true;
}

static void on_thread(void *arg, const struct lane_thread_interval *interval)
{
	struct lane_records *records = arg;

	name_thread(records, interval->thread);
	if (interval->end_ns > interval->begin_ns)
		TELL(THREAD_STATE);
}

static void on_wait(void *arg, const struct lane_wait *wait)
{
	struct lane_records *records = arg;

	name_thread(records, wait->thread);
	TELL(WAIT);
}

static void on_starvation(void *arg, const struct lane_starvation *starvation)
{
	struct lane_records *records = arg;

	name_thread(records, starvation->victim);
	TELL(STARVATION);
}

/* --- commands --- */

static const char *command_type(const struct lane_command *command)
{
	const char *type = lane_cl_command_name(command->type);

	return type ? type : "";
}

/* request: the one that it is told with; NULL: none. */
static void tell_command(const struct lane_records *records, const struct lane_command *command,
			 const struct lane_request_key *request)
{
	const struct lane_select *select = records->select;

	if (!select->by_context || (request && request->ctx == select->context &&
				    (!select->by_seqno || request->seqno == select->seqno)))
		TELL(COMMAND);
}

/* A row for each request of the command; one without a request has one, too. */
static void on_command(void *arg, const struct lane_command *command)
{
	const struct lane_records *records = arg;
	uint32_t n = command->n_requests < LANE_COMMAND_REQUESTS ? command->n_requests
								 : LANE_COMMAND_REQUESTS;

	if (!latency_selects_command(records->select, command))
		return;
	if (records->is_whole ? n != 1 : !n)
		tell_command(records, command, NULL);
	for (uint32_t i = 0; i < n; i++) {
		const struct lane_request_key *request = &command->requests[i];

		if (!records->is_whole || n == 1)
			tell_command(records, command, request);
		if (records->is_whole)
			TELL(COMMAND_REQUEST);
	}
}

static void on_call(void *arg, const struct lane_call *call)
{
	const struct lane_records *records = arg;

	TELL(CALL);
}

/* --- what drivers and the kernel tell --- */

static void on_counter(void *arg, const struct lane_event *event)
{
	const struct lane_records *records = arg;
	const struct lane_p_gpulane_counter *is = &event->u.gpulane_counter;
	const struct lane_p_gpulane_sample *sample = &event->u.gpulane_sample;
	uint64_t at_ns = event->wire.ts_ns;

	if (event->wire.kind == LANE_COUNTER)
		TELL(COUNTER);
	else
		TELL(SAMPLE);
}

static void on_fault(void *arg, const struct lane_fault *fault)
{
	const struct lane_records *records = arg;

	TELL(FAULT);
}

static void on_stall(void *arg, const struct lane_stall *stall)
{
	const struct lane_records *records = arg;

	TELL(STALL);
}

static void on_loss(void *arg, const struct lane_loss *loss)
{
	const struct lane_records *records = arg;

	TELL(LOSS);
}

static void on_flip(void *arg, const struct lane_flip *flip)
{
	const struct lane_records *records = arg;
	const struct lane_select *select = records->select;
	uint64_t at_ns = flip->shown_ns ? flip->shown_ns : flip->asked_ns;
	bool is_shown = flip->shown_ns;

	if (select->process) {
		struct lane_client client = { .pid = flip->pid };

		memcpy(client.comm, flip->comm, sizeof(client.comm));
		if (!latency_selects_process(select, flip->pid, &client))
			return;
	}
	if (at_ns >= select->from_ns && (!select->to_ns || at_ns <= select->to_ns))
		TELL(FRAME);
}

/* --- all of it --- */

void show_records_hooks(struct lane_records *records, enum lane_record only,
			struct lane_hooks *hooks)
{
	hooks->arg = records;
	if (only == LANE_RECORD_COMMAND)
		hooks->command = on_command;
	if (only == LANE_RECORD_FRAME)
		hooks->flip = on_flip;
	if (only == LANE_RECORD_REQUEST) {
		hooks->request = on_request;
		hooks->preemption = on_preemption;
	}
}

void show_records_all(struct lane_records *records, struct lane_hooks *hooks)
{
	records->is_whole = true;
	*hooks = (struct lane_hooks){ .arg = records,
				      .request = on_request,
				      .preemption = tell_preemption,
				      .run = on_run,
				      .maybe_run = on_maybe_run,
				      .idle = on_idle,
				      .thread = on_thread,
				      .wait = on_wait,
				      .starvation = on_starvation,
				      .command = on_command,
				      .call = on_call,
				      .counter = on_counter,
				      .fault = on_fault,
				      .stall = on_stall,
				      .loss = on_loss,
				      .flip = on_flip };
}

static void tell_named(const struct lane_records *records, const struct lane_timeline *timeline)
{
	const struct lane_context *context;
	const struct lane_client *client;
	const struct lane_engine *engine;
	const struct lane_thread *thread;

	for (uint32_t i = 0; (engine = timeline_engine(timeline, i)); i++)
		TELL(ENGINE);
	for (uint32_t i = 0; (client = timeline_client(timeline, i)); i++)
		TELL(PROCESS);
	for (uint32_t i = 0; (context = timeline_context(timeline, i)); i++)
		TELL(CONTEXT);
	for (size_t i = 0; records->threads.slots && i <= records->threads.mask; i++) {
		const struct lane_slot *slot = &records->threads.slots[i];

		thread = slot->value ? timeline_thread(timeline, (int32_t)slot->a) : NULL;
		if (thread)
			TELL(THREAD);
	}
}

/* "it began to run: at the latest" */
static const char *column_meaning(const struct lane_column *column, int k, char *text, size_t size)
{
	snprintf(text, size, "%s%s", column->meaning,
		 !show_column_is_two(column) ? ""
		 : k			     ? "; at most"
					     : "; at least");
	return text;
}

void show_records_columns(const struct lane_records *records)
{
	for (int i = 0; i < LANE_RECORD_COUNT; i++) {
		const struct lane_columns *table = &lane_records[i];

		for (size_t c = 0; c < table->n; c++) {
			const struct lane_column *column = &table->all[c];

			for (int k = 0; k <= show_column_is_two(column); k++)
				TELL(COLUMN);
		}
	}
}

static void tell_figure(void *arg, const char *table, const char *row, const char *column,
			struct json_object *value)
{
	const struct lane_records *records = arg;

	TELL(FIGURE);
}

static struct lane_span json_span(struct json_object *bounds)
{
	return (struct lane_span){
		(uint64_t)json_object_get_int64(json_object_object_get(bounds, "min_ns")),
		(uint64_t)json_object_get_int64(json_object_object_get(bounds, "max_ns"))
	};
}

#define HAVE(key)    json_object_object_get(answer, key)
#define TEXT_OF(key) json_object_get_string(HAVE(key))
#define UINT_OF(key) ((uint64_t)json_object_get_int64(HAVE(key)))
#define SPAN_OF(key) json_span(HAVE(key))

void show_records_end(const struct lane_records *records, const struct lane_latency *l,
		      struct json_object *report)
{
	struct json_object *answers = json_object_object_get(report, "answers");
	struct json_object *verdict = json_object_object_get(report, "verdict");

	tell_named(records, l->timeline);
	TELL(RECORDING);
	show_report_figures(report, tell_figure, (void *)records);
	for (size_t rank = 1; rank <= json_object_array_length(answers); rank++) {
		struct json_object *answer = json_object_array_get_idx(answers, rank - 1);

		TELL(ANSWER);
	}
	for (size_t rank = 1; rank <= json_object_array_length(verdict); rank++) {
		struct json_object *said = json_object_array_get_idx(verdict, rank - 1);

		TELL(SENTENCE);
	}
}

void show_records_deinit(struct lane_records *records)
{
	free(records->pending);
	free(records->list);
	lane_table_free(&records->threads);
}

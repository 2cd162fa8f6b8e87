// SPDX-License-Identifier: MIT
// The requests, or the OpenCL commands, one by one: as CSV, or as JSON, an object a line.
#include "show/lists.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/opencl.h"
#include "base/vector.h"

struct lines {
	FILE *to;
	bool is_json;	  /* an object a line, otherwise CSV */
	const char *head; /* of CSV */
	struct lane_hooks hooks;
	const struct lane_select *select;
	const struct lane_trace_info *info;
	uint64_t rows;
	uint32_t columns;		 /* of the line, so far */
	struct lane_preemption *pending; /* of requests whose lines have not been written yet */
	size_t n, cap;
	bool has_no_memory;
};

/* --- lines --- */

static void head(const struct lines *list)
{
	if (!list->is_json)
		fputs(list->head, list->to);
}

static void begin_line(struct lines *list)
{
	if (!list->rows++)
		head(list);
	list->columns = 0;
	if (list->is_json)
		fputc('{', list->to);
}

static void end_line(const struct lines *list)
{
	fputs(list->is_json ? "}\n" : "\n", list->to);
}

static void column(struct lines *list, const char *name)
{
	if (list->columns++)
		fputc(',', list->to);
	if (list->is_json)
		fprintf(list->to, "\"%s\":", name);
}

/* Of what is not known. */
static void none(const struct lines *list)
{
	if (list->is_json)
		fputs("null", list->to);
}

static void number(struct lines *list, const char *name, bool known, uint64_t value)
{
	column(list, name);
	if (known)
		fprintf(list->to, "%" PRIu64, value);
	else
		none(list);
}

static void integer(struct lines *list, const char *name, int32_t value)
{
	column(list, name);
	fprintf(list->to, "%" PRId32, value);
}

/* A handle: hexadecimal, in JSON as text. */
static void handle(struct lines *list, const char *name, uint64_t value)
{
	column(list, name);
	fprintf(list->to, list->is_json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, value);
}

static void text(struct lines *list, const char *name, const char *value)
{
	column(list, name);
	if (list->is_json)
		lane_clean_json(list->to, value);
	else
		lane_clean_csv(list->to, value);
}

/* Two columns, and one object in JSON. */
static void span(struct lines *list, const char *name, bool known, struct lane_span value)
{
	column(list, name);
	if (!known && !list->is_json)
		fputc(',', list->to);
	else if (!known)
		none(list);
	else
		fprintf(list->to,
			list->is_json ? "{\"min\":%" PRIu64 ",\"max\":%" PRIu64 "}"
				      : "%" PRIu64 ",%" PRIu64,
			value.lo, value.hi);
}

static void bounds(struct lines *list, const char *least, const char *most, bool known,
		   struct lane_span span)
{
	number(list, least, known, span.lo);
	number(list, most, known, span.hi);
}

/* --- commands --- */

/* What ran while the command waited for the device. */
static void ahead_columns(struct lines *list, const struct lane_command_ahead *ahead)
{
	bool known = ahead->is_known;

	bounds(list, "waited_min_ns", "waited_max_ns", known, ahead->waited);
	bounds(list, "behind_queue_min_ns", "behind_queue_max_ns", known, ahead->queue);
	bounds(list, "behind_process_min_ns", "behind_process_max_ns", known, ahead->process);
	bounds(list, "behind_others_min_ns", "behind_others_max_ns", known, ahead->others);
	bounds(list, "behind_nobody_min_ns", "behind_nobody_max_ns", known, ahead->nobody);
	number(list, "behind_pid", ahead->other, ahead->other ? (uint32_t)ahead->other->pid : 0);
}

/* What is the same in all lines of a command. */
static void command_columns(struct lines *list, const struct lane_command *command,
			    const struct lane_request_key *request)
{
	const char *type = lane_cl_command_name(command->type);
	const uint64_t *at_ns = command->time_ns;
	bool timed = command->timed;

	integer(list, "pid", command->pid);
	handle(list, "queue", command->queue->handle);
	number(list, "command", command->number, command->number);
	number(list, "dev", request, request ? request->dev : 0);
	number(list, "ctx", request, request ? request->ctx : 0);
	number(list, "seqno", request, request ? request->seqno : 0);
	text(list, "certainty", lane_certainty_names[command->certainty]);
	text(list, "why", lane_why_names[command->why]);
	number(list, "requests", true, command->n_requests);
	integer(list, "tid", command->tid);
	text(list, "type", type ? type : "");
	text(list, "name", command->name);
	number(list, "size", true, command->size);
	integer(list, "status", command->status);
	number(list, "call_ns", command->call_ns, command->call_ns);
	number(list, "return_ns", command->return_ns, command->return_ns);
	number(list, "queued_ns", timed, at_ns[LANE_COMMAND_QUEUED]);
	number(list, "submitted_ns", timed, at_ns[LANE_COMMAND_SUBMITTED]);
	number(list, "start_ns", timed, at_ns[LANE_COMMAND_START]);
	bounds(list, "start_min_ns", "start_max_ns", timed, command->time[LANE_COMMAND_START]);
	number(list, "end_ns", timed, at_ns[LANE_COMMAND_END]);
	bounds(list, "end_min_ns", "end_max_ns", timed, command->time[LANE_COMMAND_END]);
	number(list, "known_ns", command->known_ns, command->known_ns);
	ahead_columns(list, &command->ahead);
}

static void write_command(struct lines *list, const struct lane_command *command,
			  const struct lane_request_key *request)
{
	const struct lane_select *select = list->select;

	if (select->by_context && (!request || request->ctx != select->context ||
				   (select->by_seqno && request->seqno != select->seqno)))
		return;
	begin_line(list);
	command_columns(list, command, request);
	end_line(list);
}

/* A line for each request of the command; one without a request has one, too. */
static void on_command(void *arg, const struct lane_command *command)
{
	struct lines *list = arg;
	uint32_t n = command->n_requests;

	if (!latency_selects_command(list->select, command))
		return;
	if (!n)
		write_command(list, command, NULL);
	for (uint32_t i = 0; i < n && i < LANE_COMMAND_REQUESTS; i++)
		write_command(list, command, &command->requests[i]);
}

/* --- requests --- */

static void on_preemption(void *arg, const struct lane_preemption *preemption)
{
	struct lines *list = arg;

	if (!LANE_GROW(list->pending, list->cap, list->n + 1)) {
		list->has_no_memory = true;
		return;
	}
	list->pending[list->n++] = *preemption;
}

static void write_pending(const struct lines *list, const struct lane_preemption *p, bool first)
{
	fprintf(list->to, "%s{\"at_ns\":{\"min\":%" PRIu64 ",\"max\":%" PRIu64 "},\"culprit\":",
		first ? "" : ",", p->at.lo, p->at.hi);
	if (p->culprit)
		fprintf(list->to, "\"%" PRIu64 ":%u\"", p->culprit->ctx, p->culprit_seqno);
	else
		none(list);
	fprintf(list->to, ",\"why\":\"%s\"", lane_preemption_why_names[p->why]);
	if (p->unless_ns)
		fprintf(list->to, ",\"unless_ns\":%" PRIu64, p->unless_ns);
	fputc('}', list->to);
}

/* Nobody asked for rq. */
static void forget(struct lines *list, const struct lane_request *rq)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->pending[i].victim != rq)
			list->pending[kept++] = list->pending[i];
	list->n = kept;
}

/* Writes the preemptions of rq and forgets them. */
static void preemptions(struct lines *list, const struct lane_request *rq)
{
	size_t n = 0;

	column(list, "preemptions");
	if (list->is_json)
		fputc('[', list->to);
	for (size_t i = 0; i < list->n; i++) {
		if (list->pending[i].victim != rq)
			continue;
		if (list->is_json)
			write_pending(list, &list->pending[i], !n);
		n++;
	}
	forget(list, rq);
	if (list->is_json)
		fputc(']', list->to);
	else
		fprintf(list->to, "%zu", n);
}

static bool is_known(const struct lane_stages *stages, enum lane_stage stage)
{
	return stages->known >> stage & 1;
}

/* What only drm_sched's jobs have: names instead of numbers, and the fence that freed them. */
static void job_keys(struct lines *list, const struct lane_request *rq)
{
	text(list, "ring", rq->engine->name);
	text(list, "driver", rq->engine->driver);
	number(list, "client", rq->drm_client, rq->drm_client);
	column(list, "waited_for");
	if (rq->waited_ctx)
		fprintf(list->to, "\"%" PRIu64 ":%" PRIu64 "\"", rq->waited_ctx, rq->waited_seqno);
	else
		none(list);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct lines *list = arg;
	struct lane_stages stages;
	struct lane_span start = rq->start;
	bool device_known;

	if (!latency_selects(list->select, rq)) {
		forget(list, rq);
		return;
	}
	latency_stages_of(list->info, rq, &stages);
	device_known = (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE)) ||
		       latency_bound_device(list->info, rq, &stages, &start);
	begin_line(list);
	number(list, "device", true, rq->context->dev);
	number(list, "context", true, rq->context->ctx);
	number(list, "seqno", true, rq->seqno);
	column(list, "engine");
	if (rq->engine)
		fprintf(list->to, list->is_json ? "\"%u:%u\"" : "%u:%u", rq->engine->class,
			rq->engine->instance);
	else
		none(list);
	number(list, "pid", rq->pid >= 0, (uint64_t)rq->pid);
	number(list, "tid", rq->tid >= 0, (uint64_t)rq->tid);
	number(list, "queue_ns", rq->seen & LANE_SEEN_QUEUE, rq->queue_ns);
	number(list, "add_ns", rq->seen & LANE_SEEN_ADD, rq->add_ns);
	number(list, "submit_ns", rq->seen & LANE_SEEN_SUBMIT, rq->submit_ns);
	number(list, "execute_ns",
	       (rq->seen & LANE_SEEN_EXECUTE) && !(rq->doubt & LANE_DOUBT_EXECUTE), rq->execute_ns);
	span(list, "start_ns", device_known && start.hi != LANE_NEVER, start);
	span(list, "end_ns", timeline_end_is_known(rq) || timeline_burst_is_over(rq), rq->end);
	span(list, "device_queue_ns", is_known(&stages, LANE_STAGE_DEVICE_QUEUE),
	     stages.ns[LANE_STAGE_DEVICE_QUEUE]);
	span(list, "running_ns", is_known(&stages, LANE_STAGE_RUNNING),
	     stages.ns[LANE_STAGE_RUNNING]);
	span(list, "preempted_ns", is_known(&stages, LANE_STAGE_PREEMPTED),
	     stages.ns[LANE_STAGE_PREEMPTED]);
	number(list, "signal_ns", rq->seen & LANE_SEEN_SIGNAL, rq->signal_ns);
	number(list, "retire_ns", rq->seen & LANE_SEEN_RETIRE, rq->retire_ns);
	preemptions(list, rq);
	if (rq->state == LANE_RQ_STATE_ENDED)
		text(list, "ended", lane_fault_names[rq->fault]);
	else
		number(list, "ended", false, 0);
	if (list->is_json && rq->engine && rq->engine->name)
		job_keys(list, rq);
	end_line(list);
}

/* --- frames --- */

static void on_flip(void *arg, const struct lane_flip *flip)
{
	struct lines *list = arg;
	uint64_t at_ns = flip->shown_ns ? flip->shown_ns : flip->asked_ns;
	bool is_shown = flip->shown_ns, is_counted = is_shown && flip->is_counted;

	if (list->select->process) {
		struct lane_client client = { .pid = flip->pid };

		memcpy(client.comm, flip->comm, sizeof(client.comm));
		if (!latency_selects_process(list->select, flip->pid, &client))
			return;
	}
	if (at_ns < list->select->from_ns || (list->select->to_ns && at_ns > list->select->to_ns))
		return;
	begin_line(list);
	number(list, "device", true, flip->dev);
	integer(list, "crtc", flip->crtc);
	number(list, "refresh", is_shown, flip->seq);
	integer(list, "pid", flip->pid);
	integer(list, "tid", flip->tid);
	text(list, "process", flip->comm);
	number(list, "asked_ns", true, flip->asked_ns);
	bounds(list, "ready_min_ns", "ready_max_ns", is_shown, flip->ready);
	number(list, "armed_ns", flip->armed_ns, flip->armed_ns);
	number(list, "shown_ns", is_shown, flip->shown_ns);
	number(list, "missed", is_counted, flip->missed);
	text(list, "at", is_shown ? lane_miss_names[flip->cause] : "open");
	number(list, "context", flip->fence_ctx, flip->fence_ctx);
	number(list, "seqno", flip->fence_ctx, flip->fence_seqno);
	end_line(list);
}

/* --- lists --- */

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct lines *list = arg;

	list->info = info;
	*hooks = list->hooks;
	hooks->arg = list;
	return NULL;
}

static struct lane_error *write_list(struct lines list, struct session *session, uint64_t *rows)
{
	const struct session_listener listener = { &list, begin, NULL };
	struct lane_error *err;

	list.select = &session->select;
	session->depth = SESSION_STORIES;
	err = session_read_to(session, &listener);
	*rows = list.rows;
	if (!err && !list.rows && latency_selects_all(&session->select))
		head(&list);
	if (!err && ferror(list.to))
		err = lane_error("the list could not be written");
	if (!err && list.has_no_memory)
		err = &lane_enomem;
	free(list.pending);
	return session_damage_end(&session->damage, err);
}

struct lane_error *show_request_list_write(FILE *to, struct session *session, bool is_json,
					   uint64_t *rows)
{
	static const char head[] =
		"device,context,seqno,engine,pid,tid,queue_ns,add_ns,submit_ns,execute_ns,"
		"start_min_ns,start_max_ns,end_min_ns,end_max_ns,device_queue_min_ns,"
		"device_queue_max_ns,running_min_ns,running_max_ns,preempted_min_ns,"
		"preempted_max_ns,signal_ns,retire_ns,preemptions,ended\n";
	const struct lane_hooks hooks = { .request = on_request, .preemption = on_preemption };

	return write_list(
		(struct lines){ .to = to, .is_json = is_json, .head = head, .hooks = hooks },
		session, rows);
}

struct lane_error *show_command_list_write(FILE *to, struct session *session, bool is_json,
					   uint64_t *rows)
{
	static const char head[] =
		"pid,queue,command,dev,ctx,seqno,certainty,why,requests,tid,type,name,size,"
		"status,call_ns,return_ns,queued_ns,submitted_ns,start_ns,start_min_ns,"
		"start_max_ns,end_ns,end_min_ns,end_max_ns,known_ns,waited_min_ns,"
		"waited_max_ns,behind_queue_min_ns,behind_queue_max_ns,"
		"behind_process_min_ns,behind_process_max_ns,behind_others_min_ns,"
		"behind_others_max_ns,behind_nobody_min_ns,behind_nobody_max_ns,behind_"
		"pid\n";
	const struct lane_hooks hooks = { .command = on_command };

	return write_list(
		(struct lines){ .to = to, .is_json = is_json, .head = head, .hooks = hooks },
		session, rows);
}

struct lane_error *show_frame_list_write(FILE *to, struct session *session, bool is_json,
					 uint64_t *rows)
{
	static const char head[] =
		"device,crtc,refresh,pid,tid,process,asked_ns,ready_min_ns,ready_max_ns,armed_ns,"
		"shown_ns,missed,at,context,seqno\n";
	const struct lane_hooks hooks = { .flip = on_flip };

	return write_list(
		(struct lines){ .to = to, .is_json = is_json, .head = head, .hooks = hooks },
		session, rows);
}

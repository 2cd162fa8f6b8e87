// SPDX-License-Identifier: MIT
// The OpenCL commands one by one, as CSV or as JSON, an object a line.
#include "show/command_list.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/clean.h"
#include "base/opencl.h"

/* Where the list goes and how. */
struct command_list {
	FILE *to;
	bool is_json; /* an object a line, otherwise CSV */
	uint64_t rows;
	const struct lane_select *select;
};

/* One column: a name for the head and the key, the same in both formats. */
struct line {
	FILE *to;
	bool is_json;
	uint32_t columns;
};

static void column(struct line *line, const char *name)
{
	if (line->columns++)
		fputc(',', line->to);
	if (line->is_json)
		fprintf(line->to, "\"%s\":", name);
}

static void number(struct line *line, const char *name, bool known, uint64_t value)
{
	column(line, name);
	if (known)
		fprintf(line->to, "%" PRIu64, value);
	else if (line->is_json)
		fputs("null", line->to);
}

/* A handle: hexadecimal, in JSON as text. */
static void handle(struct line *line, const char *name, uint64_t value)
{
	column(line, name);
	fprintf(line->to, line->is_json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, value);
}

static void text(struct line *line, const char *name, const char *value)
{
	column(line, name);
	if (line->is_json)
		lane_clean_json(line->to, value);
	else
		lane_clean_csv(line->to, value);
}

static const char *type_name(const struct lane_command *command)
{
	const char *name = lane_cl_command_name(command->type);

	return name ? name : "";
}

static void span(struct line *line, const char *least, const char *most, bool known,
		 struct lane_span span)
{
	number(line, least, known, span.lo);
	number(line, most, known, span.hi);
}

/* What ran while the command waited for the device. */
static void ahead_columns(struct line *line, const struct lane_command_ahead *ahead)
{
	bool known = ahead->is_known;

	span(line, "waited_min_ns", "waited_max_ns", known, ahead->waited);
	span(line, "behind_queue_min_ns", "behind_queue_max_ns", known, ahead->queue);
	span(line, "behind_process_min_ns", "behind_process_max_ns", known, ahead->process);
	span(line, "behind_others_min_ns", "behind_others_max_ns", known, ahead->others);
	span(line, "behind_nobody_min_ns", "behind_nobody_max_ns", known, ahead->nobody);
	number(line, "behind_pid", ahead->other, ahead->other ? (uint32_t)ahead->other->pid : 0);
}

/* What is the same in all lines of a command. */
static void command_columns(struct line *line, const struct lane_command *command,
			    const struct lane_request_key *request)
{
	static const char *const names[LANE_COMMAND_TIMES] = { "queued_ns", "submitted_ns",
							       "start_ns", "end_ns" };
	static const char *const lows[LANE_COMMAND_TIMES] = { NULL, NULL, "start_min_ns",
							      "end_min_ns" };
	static const char *const highs[LANE_COMMAND_TIMES] = { NULL, NULL, "start_max_ns",
							       "end_max_ns" };

	column(line, "pid");
	fprintf(line->to, "%" PRId32, command->pid);
	handle(line, "queue", command->queue->handle);
	number(line, "command", command->number, command->number);
	number(line, "dev", request, request ? request->dev : 0);
	number(line, "ctx", request, request ? request->ctx : 0);
	number(line, "seqno", request, request ? request->seqno : 0);
	text(line, "certainty", lane_certainty_names[command->certainty]);
	text(line, "why", lane_why_names[command->why]);
	number(line, "requests", true, command->n_requests);
	column(line, "tid");
	fprintf(line->to, "%" PRId32, command->tid);
	text(line, "type", type_name(command));
	text(line, "name", command->name);
	number(line, "size", true, command->size);
	column(line, "status");
	fprintf(line->to, "%" PRId32, command->status);
	number(line, "call_ns", command->call_ns, command->call_ns);
	number(line, "return_ns", command->return_ns, command->return_ns);
	for (int i = 0; i < LANE_COMMAND_TIMES; i++) {
		number(line, names[i], command->timed, command->time_ns[i]);
		if (!lows[i])
			continue;
		number(line, lows[i], command->timed, command->time[i].lo);
		number(line, highs[i], command->timed, command->time[i].hi);
	}
	number(line, "known_ns", command->known_ns, command->known_ns);
	ahead_columns(line, &command->ahead);
}

static void head(const struct command_list *list)
{
	if (!list->is_json)
		fputs("pid,queue,command,dev,ctx,seqno,certainty,why,requests,tid,type,name,size,"
		      "status,call_ns,return_ns,queued_ns,submitted_ns,start_ns,start_min_ns,"
		      "start_max_ns,end_ns,end_min_ns,end_max_ns,known_ns,waited_min_ns,"
		      "waited_max_ns,behind_queue_min_ns,behind_queue_max_ns,"
		      "behind_process_min_ns,behind_process_max_ns,behind_others_min_ns,"
		      "behind_others_max_ns,behind_nobody_min_ns,behind_nobody_max_ns,behind_pid\n",
		      list->to);
}

static void write_line(struct command_list *list, const struct lane_command *command,
		       const struct lane_request_key *request)
{
	struct line line = { .to = list->to, .is_json = list->is_json };
	const struct lane_select *select = list->select;

	if (select->by_context && (!request || request->ctx != select->context ||
				   (select->by_seqno && request->seqno != select->seqno)))
		return;
	if (!list->rows++)
		head(list);
	if (list->is_json)
		fputc('{', list->to);
	command_columns(&line, command, request);
	fputs(list->is_json ? "}\n" : "\n", list->to);
}

/* A line for each request of the command; one without a request has one, too. */
static void on_command(void *arg, const struct lane_command *command)
{
	struct command_list *list = arg;
	uint32_t n = command->n_requests;

	if (!latency_selects_command(list->select, command))
		return;
	if (!n)
		write_line(list, command, NULL);
	for (uint32_t i = 0; i < n && i < LANE_COMMAND_REQUESTS; i++)
		write_line(list, command, &command->requests[i]);
}

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct command_list *list = arg;

	(void)info;
	*hooks = (struct lane_hooks){ .arg = list, .command = on_command };
	return NULL;
}

struct lane_error *show_command_list_write(FILE *to, struct session *session, bool is_json,
					   uint64_t *rows)
{
	struct command_list list = { .to = to, .is_json = is_json, .select = &session->select };
	const struct session_listener listener = { &list, begin, NULL };
	struct lane_error *err;

	session->depth = SESSION_STORIES;
	err = session_read_to(session, &listener);
	*rows = list.rows;
	if (!err && !list.rows && latency_selects_all(&session->select))
		head(&list);
	if (!err && ferror(to))
		err = lane_error("the list could not be written");
	return session_damage_end(&session->damage, err);
}

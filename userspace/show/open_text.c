// SPDX-License-Identifier: MIT
// What is open too long: whose it is, what it waits for or that it runs, and which limit ends it.
#include "show/report_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "show/json.h"
#include "show/report.h"

/* Where a request is, as far as that is known. */
static const char *state_text(const struct lane_request *rq, char *buffer, size_t size)
{
	switch (rq->state) {
	case LANE_RQ_STATE_DEPENDENCY:
		if (!rq->waited_ctx)
			return "it waits for fences of others";
		snprintf(buffer, size, "it waits for %" PRIu64 ":%" PRIu64, rq->waited_ctx,
			 rq->waited_seqno);
		return buffer;
	case LANE_RQ_STATE_HOST:
		return "it waits in the driver's queue";
	case LANE_RQ_STATE_RUNNING:
		return rq->engine && rq->engine->is_unordered ? "it was handed over, and may run"
							      : "it runs";
	case LANE_RQ_STATE_PREEMPTED:
		return "it was taken off its engine";
	case LANE_RQ_STATE_BURST:
		return "a burst, in which user space submits";
	default:
		return "it was handed over, and nothing shows that it runs";
	}
}

static const char *ender_text(const struct lane_ender *ender, const struct lane_request *rq,
			      uint64_t now_ns, char *buffer, size_t size)
{
	char limit[32], heart[32] = "", when[96] = "";

	show_duration(ender->limit_ns, limit, sizeof(limit));
	if (ender->not_before_ns > now_ns)
		snprintf(when, sizeof(when), ", in %s%s",
			 SHOW_DURATION(ender->not_before_ns - now_ns),
			 ender->kind == LANE_ENDER_JOB ? " at the earliest" : "");
	else if (ender->not_before_ns)
		snprintf(when, sizeof(when), ", which was due %s ago",
			 SHOW_DURATION(now_ns - ender->not_before_ns));
	switch (ender->kind) {
	case LANE_ENDER_JOB:
		snprintf(buffer, size, "%s gives a job up after %s on its ring%s",
			 *rq->engine->driver ? rq->engine->driver : "its driver", limit, when);
		break;
	case LANE_ENDER_REQUEST:
		snprintf(buffer, size, "i915 cancels it %s after its submit%s", limit, when);
		break;
	default:
		snprintf(buffer, size, "%s",
			 ender->kind == LANE_ENDER_LONG ? "no time-out ends a long-running queue"
			 : ender->kind == LANE_ENDER_NONE
				 ? "no time-out of its driver ends it"
				 : "which limit ends it the recording does not say");
	}
	if (ender->heartbeat_ns)
		snprintf(
			buffer + strlen(buffer), size - strlen(buffer),
			"; before, its engine is reset if it lets no heartbeat through (one in %s)",
			show_duration(ender->heartbeat_ns, heart, sizeof(heart)));
	return buffer;
}

/* What is usual, where ns is beyond it. whats: "runs of kernel `hang`" */
static void append_usual(struct lane_typical usual, uint64_t ns, const char *whats, char *text,
			 size_t size)
{
	if (lane_is_unusual(usual, ns))
		show_append(text, size, "; half of %" PRIu64 " earlier %s were complete within %s",
			    usual.n, whats, SHOW_DURATION(usual.ns));
}

void show_open_text(const struct lane_timeline *timeline, const struct lane_open *open,
		    uint64_t now_ns, char *text, size_t size)
{
	const struct lane_request *rq = &open->request;
	struct lane_ender ender = latency_open_ender(timeline_info(timeline), rq);
	char on[LANE_SHOW_ENGINE + 4] = "";

	if (rq->engine)
		snprintf(on, sizeof(on), " on %s", SHOW_ENGINE(rq->engine));
	snprintf(text, size, "%" PRIu64 ":%u of %s%s has been open for %s: %s; %s",
		 rq->context->ctx, rq->seqno, SHOW_CLIENT(timeline_client_of(rq)), on,
		 SHOW_DURATION(now_ns - open->since_ns), state_text(rq, SHOW_ROOM(64)),
		 ender_text(&ender, rq, now_ns, SHOW_ROOM(256)));
	append_usual(timeline_typical_of(rq->context), now_ns - open->since_ns,
		     "requests of its context", text, size);
}

/* --- calls and commands --- */

/* "kernel `hang`", "a kernel", "a read" */
static const char *command_text(const struct lane_open_call *open, char *buffer, size_t size)
{
	static const char *const whats[LANE_COMMAND_CLASSES] = {
		[LANE_COMMAND_KERNEL] = "a kernel", [LANE_COMMAND_READ] = "a read",
		[LANE_COMMAND_WRITE] = "a write",   [LANE_COMMAND_COPY] = "a copy",
		[LANE_COMMAND_MAP] = "a map",	    [LANE_COMMAND_UNMAP] = "an unmap",
		[LANE_COMMAND_OTHER] = "a command",
	};

	if (!*open->name)
		return whats[open->class];
	snprintf(buffer, size, "kernel `%s`",
		 lane_clean_copy(SHOW_ROOM(64), open->name, LANE_CLEAN_LINE));
	return buffer;
}

/* What its thread did meanwhile; NULL: that is not known. */
static const char *thread_text(const struct lane_open_call *open, uint64_t now_ns, char *buffer,
			       size_t size)
{
	struct lane_span ran = open->has_wait ? open->wait.ran : open->call.ran;
	uint64_t all_ns = now_ns - open->since_ns;

	if ((!open->has_call && !open->has_wait) || ran.hi - ran.lo > all_ns / 100)
		return NULL;
	if (ran.lo >= all_ns - all_ns / 100)
		return "its thread was on a CPU all that time";
	if (open->thread_state == LANE_THREAD_BLOCKED &&
	    open->thread_ns <= open->since_ns + all_ns / 100)
		return "its thread was asleep all that time";
	snprintf(buffer, size, "its thread was on a CPU for %s of it", SHOW_DURATION(ran.lo));
	return buffer;
}

static bool has_open_request(const struct lane_open_call *open)
{
	return open->has_request && open->request.state != LANE_RQ_STATE_ENDED;
}

/* Where what carries the command is, and what ends it. */
static void append_request(const struct lane_timeline *timeline, const struct lane_open_call *open,
			   uint64_t now_ns, char *text, size_t size)
{
	const struct lane_request *rq = &open->request;
	bool is_burst = rq->doubt & LANE_DOUBT_BURST;
	struct lane_ender ender;

	if (!has_open_request(open))
		return;
	ender = latency_open_ender(timeline_info(timeline), rq);
	show_append(text, size, "; %s %" PRIu64 ":%u", is_burst ? "burst" : "request",
		    rq->context->ctx, rq->seqno);
	if (rq->engine)
		show_append(text, size, " on %s", SHOW_ENGINE(rq->engine));
	show_append(text, size, " carries it: ");
	if (!is_burst)
		show_append(text, size, "%s; ", state_text(rq, SHOW_ROOM(64)));
	show_append(text, size, "%s", ender_text(&ender, rq, now_ns, SHOW_ROOM(256)));
}

/* What the call is for. */
static void append_command(const struct lane_open_call *open, uint64_t now_ns, const char *ago,
			   char *text, size_t size)
{
	const char *what = command_text(open, SHOW_ROOM(96));

	if (open->is_own)
		return;
	if (open->is_beside)
		show_append(text, size, ": what it waits for is not known");
	if (open->is_beside && open->has_command)
		show_append(text, size, "; %s was enqueued %s %s and is not known to have ended",
			    what, SHOW_DURATION(now_ns - open->command_ns), ago);
	if (open->is_beside || !open->has_command)
		return;
	show_append(text, size, ": it waits for %s", what);
	if (open->more)
		show_append(text, size, " and %" PRIu32 " more of its queue", open->more);
	show_append(text, size, ", which %s not known to have ended", open->more ? "are" : "is");
}

/* --- threads that wait in the kernel --- */

/* What syncobjs it waits for, as the wait began. */
static void append_syncobjs(const struct lane_kernel_wait *wait, char *text, size_t size)
{
	if (wait->pending > 1)
		show_append(text, size, ": it waits for %s of %" PRIu32 " syncobjs",
			    wait->is_any ? "one" : "all", wait->pending);
	else if (wait->pending)
		show_append(text, size, ": it waits for a syncobj");
	else
		show_append(text, size, ": it waits for %s of %" PRIu32 " syncobjs",
			    wait->is_any ? "one" : "all", wait->count);
	if (wait->point)
		show_append(text, size, "'s point %" PRIu64, wait->point);
	if (wait->pending == 1 && wait->unsubmitted)
		show_append(text, size, ", and nobody had submitted its work as the wait began");
	else if (wait->unsubmitted)
		show_append(text, size,
			    "; the work of %" PRIu32 " nobody had submitted as the wait began",
			    wait->unsubmitted);
}

/* What it waits for: a request, a fence that is no request's, syncobjs. */
static void append_awaited(const struct lane_open_call *open, uint64_t now_ns, char *text,
			   size_t size)
{
	const struct lane_kernel_wait *wait = &open->wait;
	const struct lane_request *rq = &open->request;

	if (open->has_request)
		show_append(text, size, ": it waits for %" PRIu64 ":%u of %s%s", rq->context->ctx,
			    rq->seqno, SHOW_CLIENT(timeline_client_of(rq)),
			    has_open_request(open) ? "" : ", which has ended");
	else if (wait->context)
		show_append(text, size,
			    ": it waits for fence %" PRIu64 ":%" PRIu64
			    ", which is no known request's",
			    wait->context, wait->seqno);
	else if (wait->how == LANE_KERNEL_WAIT_SYNCOBJ)
		append_syncobjs(wait, text, size);
	else if (wait->how == LANE_KERNEL_WAIT_USER_FENCE)
		show_append(text, size, ": it waits for a value that a GPU or a binding writes");
	if (wait->gives_up_ns == UINT64_MAX)
		show_append(text, size, "; it has no time-out");
	else if (wait->gives_up_ns > now_ns)
		show_append(text, size, "; it gives up in %s",
			    SHOW_DURATION(wait->gives_up_ns - now_ns));
}

void show_open_call_text(const struct lane_timeline *timeline, const struct lane_open_call *open,
			 uint64_t now_ns, const char *ago, char *text, size_t size)
{
	const char *whose = show_task_name(open->pid, open->comm, SHOW_ROOM(64));
	const char *since = SHOW_DURATION(now_ns - open->since_ns);
	const char *thread = thread_text(open, now_ns, SHOW_ROOM(64));

	if (open->has_wait) {
		snprintf(text, size, "%s of %s", latency_kernel_wait_names[open->wait.how], whose);
		if (open->wait.tid != open->pid)
			show_append(text, size, " (thread %" PRId32 ")", open->wait.tid);
		show_append(text, size, " began %s %s and is not over", since, ago);
		append_awaited(open, now_ns, text, size);
	} else if (open->has_call) {
		snprintf(text, size, "%s of %s", lane_cl_function_name(open->call.function), whose);
		if (open->call.tid != open->pid)
			show_append(text, size, " (thread %" PRId32 ")", open->call.tid);
		show_append(text, size, " was called %s %s and has not returned", since, ago);
		append_command(open, now_ns, ago, text, size);
	} else {
		snprintf(text, size, "%s of %s was enqueued %s %s and is not known to have ended",
			 command_text(open, SHOW_ROOM(96)), whose, since, ago);
		if (open->more)
			show_append(text, size, ", nor %s %" PRIu32 " more of its queue",
				    open->more == 1 ? "is" : "are", open->more);
	}
	if (open->moved_ns > open->since_ns)
		show_append(text, size, "; others of its %s ended meanwhile, the last one %s %s",
			    open->is_beside ? "process" : "queue",
			    SHOW_DURATION(now_ns - open->moved_ns), ago);
	if (thread)
		show_append(text, size, "; %s", thread);
	if (open->has_command && !open->is_own)
		append_usual(open->usual, now_ns - open->command_ns, "runs of this kernel", text,
			     size);
	if (!open->has_wait)
		append_request(timeline, open, now_ns, text, size);
}

/* --- as the recording ended --- */

static void add_usual(struct lane_typical usual, struct json_object *to)
{
	show_json_uint(to, "earlier", usual.n);
	show_json_known(to, "usual_ns", usual.ns, usual.n);
}

/* The request's part of a row. */
static void open_text_add_request(const struct lane_timeline *timeline,
				  const struct lane_request *rq, struct json_object *to)
{
	static const char *const enders[] = { NULL, "none", "none: long-running", "job_timeout",
					      "request_timeout" };
	struct lane_ender ender = latency_open_ender(timeline_info(timeline), rq);

	show_json_uint(to, "context", rq->context->ctx);
	show_json_uint(to, "seqno", rq->seqno);
	show_json_text(to, "client",
		       show_client_name(timeline_client_of(rq), SHOW_ROOM(LANE_SHOW_ENGINE)));
	show_json_text(to, "engine", rq->engine ? SHOW_ENGINE(rq->engine) : NULL);
	show_json_text(to, "is", state_text(rq, SHOW_ROOM(LANE_SHOW_ENGINE)));
	show_json_text(to, "ended_by", enders[ender.kind]);
	show_json_uint(to, "limit_ns", ender.limit_ns);
	show_json_uint(to, "not_before_ns", ender.not_before_ns);
	show_json_uint(to, "heartbeat_ns", ender.heartbeat_ns);
}

static void add_wait(const struct lane_kernel_wait *wait, uint64_t until_ns, struct json_object *to)
{
	bool gives_up = wait->gives_up_ns && wait->gives_up_ns != UINT64_MAX;

	show_json_text(to, "function", latency_kernel_wait_names[wait->how]);
	show_json_uint(to, "tid", (uint64_t)wait->tid);
	show_json_span(to, "on_cpu", wait->ran);
	show_json_known(to, "fence_context", wait->context, wait->context);
	show_json_known(to, "fence_seqno", wait->seqno, wait->context);
	show_json_uint(to, "syncobjs", wait->count);
	show_json_uint(to, "pending", wait->pending);
	show_json_uint(to, "unsubmitted", wait->unsubmitted);
	show_json_known(to, "gives_up_ns",
			gives_up && wait->gives_up_ns > until_ns ? wait->gives_up_ns - until_ns : 0,
			gives_up);
}

static void open_text_add_call(const struct lane_latency *latency,
			       const struct lane_open_call *open, struct json_object *to)
{
	uint64_t until_ns = latency->figures.until_ns;

	show_json_text(to, "kind", open->has_wait ? "wait" : open->has_call ? "call" : "command");
	show_json_uint(to, "open_ns", until_ns - open->since_ns);
	show_json_text(to, "client", show_task_name(open->pid, open->comm, SHOW_ROOM(64)));
	if (open->has_call) {
		show_json_text(to, "function", lane_cl_function_name(open->call.function));
		show_json_uint(to, "tid", (uint64_t)open->call.tid);
		show_json_span(to, "on_cpu", open->call.ran);
		show_json_bool(to, "waits_for_it",
			       open->has_command && !open->is_own && !open->is_beside);
	}
	if (open->has_wait)
		add_wait(&open->wait, until_ns, to);
	show_json_text(to, "command", open->has_command ? command_text(open, SHOW_ROOM(96)) : NULL);
	show_json_known(to, "command_ns", until_ns - open->command_ns, open->has_command);
	show_json_uint(to, "more", open->more);
	add_usual(open->usual, to);
	show_json_known(to, "moved_ns", until_ns - open->moved_ns, open->moved_ns);
	if (has_open_request(open))
		open_text_add_request(latency->timeline, &open->request, to);
}

void show_open_table(const struct lane_tables *t)
{
	struct json_object *rows = t->tree ? show_json_list(t->tree, "open") : NULL, *to;
	const struct lane_latency *l = t->latency;
	uint64_t until_ns = l->figures.until_ns;
	const struct lane_open_call *call;
	const struct lane_open *open;
	uint32_t i = 0, n;
	char text[1024];

	if (!rows && (latency_open_call_told(l, 0, true) || latency_open_told(l, 0, true)))
		show_title(t, "Open for a second or longer as the recording ended");
	for (; (call = latency_open_call_told(l, i, true)); i++) {
		if (rows) {
			open_text_add_call(l, call, show_json_row(rows));
			continue;
		}
		show_open_call_text(l->timeline, call, until_ns, SHOW_RECORDINGS_END, text,
				    sizeof(text));
		fprintf(t->to, "  %s\n", lane_clean(text, LANE_CLEAN_LINE));
	}
	for (n = i, i = 0; (open = latency_open_told(l, i, true)); i++) {
		if (rows) {
			to = show_json_row(rows);
			show_json_text(to, "kind", "request");
			show_json_uint(to, "open_ns", until_ns - open->since_ns);
			add_usual(timeline_typical_of(open->request.context), to);
			open_text_add_request(l->timeline, &open->request, to);
			continue;
		}
		show_open_text(l->timeline, open, until_ns, text, sizeof(text));
		fprintf(t->to, "  %s\n", text);
	}
	if (!rows && n + i && (latency_open_has_more(l) || l->open_calls.is_cut))
		fprintf(t->to, "  and more, which are younger\n");
}

// SPDX-License-Identifier: MIT
// The requests one by one, as CSV or as JSON, an object a line.
#include "show/request_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/vector.h"
#include "show/report.h"

/* A preemption of a request whose line has not been written yet. */
struct pending {
	const struct lane_request *victim;
	struct lane_span at;
	bool has_culprit;
	uint64_t culprit_ctx;
	uint32_t culprit_seqno;
	const char *why;
	uint64_t unless_ns;
};

struct request_list {
	FILE *to;
	bool is_json;
	bool has_no_memory;
	uint64_t rows;
	const struct lane_select *select;
	const struct lane_trace_info *info;
	struct pending *pending; /* in the order in which they were told */
	size_t n, cap;
};

static void on_preemption(void *arg, const struct lane_preemption *preemption)
{
	struct request_list *list = arg;

	if (!LANE_GROW(list->pending, list->cap, list->n + 1)) {
		list->has_no_memory = true;
		return;
	}
	list->pending[list->n++] = (struct pending){
		.victim = preemption->victim,
		.at = preemption->at,
		.has_culprit = preemption->culprit,
		.culprit_ctx = preemption->culprit ? preemption->culprit->ctx : 0,
		.culprit_seqno = preemption->culprit_seqno,
		.why = lane_preemption_why_names[preemption->why],
		.unless_ns = preemption->unless_ns,
	};
}

static void key(const struct request_list *list, const char *name)
{
	if (list->is_json)
		fprintf(list->to, ",\"%s\":", name);
	else
		fputc(',', list->to);
}

static void number(const struct request_list *list, const char *name, bool known, uint64_t value)
{
	key(list, name);
	if (known)
		fprintf(list->to, "%" PRIu64, value);
	else if (list->is_json)
		fputs("null", list->to);
}

static void span(const struct request_list *list, const char *name, bool known,
		 struct lane_span value)
{
	key(list, name);
	if (list->is_json && known)
		fprintf(list->to, "{\"min\":%" PRIu64 ",\"max\":%" PRIu64 "}", value.lo, value.hi);
	else if (list->is_json)
		fputs("null", list->to);
	else if (known)
		fprintf(list->to, "%" PRIu64 ",%" PRIu64, value.lo, value.hi);
	else
		fputc(',', list->to);
}

static void write_pending(const struct request_list *list, const struct pending *p, bool first)
{
	fprintf(list->to, "%s{\"at_ns\":{\"min\":%" PRIu64 ",\"max\":%" PRIu64 "},\"culprit\":",
		first ? "" : ",", p->at.lo, p->at.hi);
	if (p->has_culprit)
		fprintf(list->to, "\"%" PRIu64 ":%u\"", p->culprit_ctx, p->culprit_seqno);
	else
		fputs("null", list->to);
	fprintf(list->to, ",\"why\":\"%s\"", p->why);
	if (p->unless_ns)
		fprintf(list->to, ",\"unless_ns\":%" PRIu64, p->unless_ns);
	fputc('}', list->to);
}

/* Nobody asked for rq. */
static void forget(struct request_list *list, const struct lane_request *rq)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->pending[i].victim != rq)
			list->pending[kept++] = list->pending[i];
	list->n = kept;
}

/* Writes the preemptions of rq and forgets them. */
static void preemptions(struct request_list *list, const struct lane_request *rq)
{
	size_t n = 0;

	key(list, "preemptions");
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

static void text_key(const struct request_list *list, const char *name, const char *text)
{
	key(list, name);
	lane_clean_json(list->to, text);
}

/* What only drm_sched's jobs have: names instead of numbers, and the fence that freed them. */
static void job_keys(const struct request_list *list, const struct lane_request *rq)
{
	text_key(list, "ring", rq->engine->name);
	text_key(list, "driver", rq->engine->driver);
	number(list, "client", rq->drm_client, rq->drm_client);
	key(list, "waited_for");
	if (rq->waited_ctx)
		fprintf(list->to, "\"%" PRIu64 ":%" PRIu64 "\"", rq->waited_ctx, rq->waited_seqno);
	else
		fputs("null", list->to);
}

static void head(const struct request_list *list)
{
	if (!list->is_json)
		fputs("device,context,seqno,engine,pid,tid,queue_ns,add_ns,submit_ns,execute_ns,"
		      "start_min_ns,start_max_ns,end_min_ns,end_max_ns,device_queue_min_ns,"
		      "device_queue_max_ns,running_min_ns,running_max_ns,preempted_min_ns,"
		      "preempted_max_ns,signal_ns,retire_ns,preemptions,ended\n",
		      list->to);
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct request_list *list = arg;
	struct lane_stages stages;
	struct lane_span start = rq->start;
	bool device_known;

	if (!latency_selects(list->select, rq)) {
		forget(list, rq);
		return;
	}
	if (!list->rows++)
		head(list);
	latency_stages_of(list->info, rq, &stages);
	device_known = (timeline_has_started(rq) && !(rq->doubt & LANE_DOUBT_DEVICE)) ||
		       latency_bound_device(list->info, rq, &stages, &start);
	fprintf(list->to,
		list->is_json ? "{\"device\":%u,\"context\":%" PRIu64 ",\"seqno\":%u"
			      : "%u,%" PRIu64 ",%u",
		rq->context->dev, rq->context->ctx, rq->seqno);
	key(list, "engine");
	if (rq->engine)
		fprintf(list->to, list->is_json ? "\"%u:%u\"" : "%u:%u", rq->engine->class,
			rq->engine->instance);
	else if (list->is_json)
		fputs("null", list->to);
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
	key(list, "ended");
	if (rq->state == LANE_RQ_STATE_ENDED)
		fprintf(list->to, list->is_json ? "\"%s\"" : "%s", lane_fault_names[rq->fault]);
	else if (list->is_json)
		fputs("null", list->to);
	if (list->is_json && rq->engine && rq->engine->name)
		job_keys(list, rq);
	fputs(list->is_json ? "}\n" : "\n", list->to);
}

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	struct request_list *list = arg;

	list->info = info;
	*hooks = (struct lane_hooks){ .arg = list,
				      .request = on_request,
				      .preemption = on_preemption };
	return NULL;
}

struct lane_error *show_request_list_write(FILE *to, struct session *session, bool is_json,
					   uint64_t *rows)
{
	struct request_list list = { .to = to, .is_json = is_json, .select = &session->select };
	const struct session_listener listener = { &list, begin, NULL };
	struct lane_error *err;

	session->depth = SESSION_STORIES;
	err = session_read_to(session, &listener);
	*rows = list.rows;
	if (!err && !list.rows && latency_selects_all(&session->select))
		head(&list);
	if (!err && ferror(to))
		err = lane_error("the list could not be written");
	if (!err && list.has_no_memory)
		err = &lane_enomem;
	free(list.pending);
	return session_damage_end(&session->damage, err);
}

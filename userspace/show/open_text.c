// SPDX-License-Identifier: MIT
// What is open too long: whose it is, what it waits for or that it runs, and which limit ends it.
#include "show/report_parts.h"

#include <inttypes.h>
#include <string.h>

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

void show_open_text(const struct lane_timeline *timeline, const struct lane_open *open,
		    uint64_t now_ns, char *text, size_t size)
{
	const struct lane_request *rq = &open->request;
	struct lane_ender ender = latency_open_ender(timeline, rq);
	char on[LANE_SHOW_ENGINE + 4] = "";

	if (rq->engine)
		snprintf(on, sizeof(on), " on %s", SHOW_ENGINE(rq->engine));
	snprintf(text, size, "%" PRIu64 ":%u of %s%s has been open for %s: %s; %s",
		 rq->context->ctx, rq->seqno, SHOW_CLIENT(timeline_client_of(rq)), on,
		 SHOW_DURATION(now_ns - open->since_ns), state_text(rq, SHOW_ROOM(64)),
		 ender_text(&ender, rq, now_ns, SHOW_ROOM(256)));
}

static void open_row(struct json_object *to, const struct lane_latency *latency,
		     const struct lane_open *open)
{
	static const char *const enders[] = { NULL, "none", "none: long-running", "job_timeout",
					      "request_timeout" };
	const struct lane_request *rq = &open->request;
	struct lane_ender ender = latency_open_ender(latency->timeline, rq);

	show_json_uint(to, "context", rq->context->ctx);
	show_json_uint(to, "seqno", rq->seqno);
	show_json_text(to, "client",
		       show_client_name(timeline_client_of(rq), SHOW_ROOM(LANE_SHOW_ENGINE)));
	show_json_text(to, "engine", rq->engine ? SHOW_ENGINE(rq->engine) : NULL);
	show_json_text(to, "is", state_text(rq, SHOW_ROOM(LANE_SHOW_ENGINE)));
	show_json_uint(to, "open_ns", latency->figures.end_ns - open->since_ns);
	show_json_text(to, "ended_by", enders[ender.kind]);
	show_json_uint(to, "limit_ns", ender.limit_ns);
	show_json_uint(to, "not_before_ns", ender.not_before_ns);
	show_json_uint(to, "heartbeat_ns", ender.heartbeat_ns);
}

void show_open_table(const struct lane_tables *t)
{
	struct json_object *rows = t->tree ? show_json_list(t->tree, "open") : NULL;
	const struct lane_latency *l = t->latency;
	const struct lane_open *open;
	char text[640];

	for (uint32_t i = 0; (open = latency_open_told(l, i, true)); i++) {
		if (rows) {
			open_row(show_json_row(rows), l, open);
			continue;
		}
		if (!i)
			show_title(t, "Open for a second or longer as the recording ended");
		show_open_text(l->timeline, open, l->figures.end_ns, text, sizeof(text));
		fprintf(t->to, "  %s\n", text);
	}
}

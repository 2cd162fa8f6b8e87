// SPDX-License-Identifier: MIT
// Watching: the ring, the streams, what has ended past the triggers, and what becomes of a hit.
#include "watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "watch/missed.h"
#include "watch/socket.h"
#include "watch/shift.h"
#include "watch/writer.h"

#define SECOND_NS 1000000000ull

/* A stream is used for so long; the next one looks on so long before it tells; the last one goes on
 * for so long, for what began in its time. */
#define STREAM_NS 900000000000ull
#define WARM_NS	  1000000000ull
#define OVER_NS	  10000000000ull

/* How often the state is saved when hits came, and when none did. */
#define SAVE_NS	     1000000000ull
#define SAVE_REST_NS 600000000000ull

/* After a recording could not be written, none is tried for so long. */
#define RETRY_NS 60000000000ull

/* So often it is looked for what is open too long. */
#define LOOK_NS 100000000ull

/* Losses are told at most so often. */
#define LOSS_NS 60000000000ull

#define MAX_WAITING 16
/* A stage below this part of the whole has no culprit that matters. */
#define CULPRIT_PART 16

/* A hit whose recording waits for the time after it. */
struct waiting {
	struct lane_hit hit;
	uint64_t due_ns;
	int32_t tid;  /* of a frame: its thread */
	bool is_open; /* its cause is still to be found */
};

/* A request of late, for frames: what delayed it. */
struct recent {
	int32_t pid;
	uint64_t begin_ns, end_ns, excess_ns, cause_ns;
	char cause[16], culprit[LANE_CULPRIT_BYTES];
};

#define MAX_RECENT 1024
#define MAX_FRAMES 256
#define MAX_TOLD   64 /* jobs that have timed out last, or were open too long */
#define OPEN_CALL                                                                                  \
	(1ull << 63) /* among them a call, by its process and begin: no fence's context            \
		      */

/* A job or request that has been told of, by its fence; 0: none. */
struct told {
	struct fence {
		uint64_t context, seqno;
	} of[MAX_TOLD];
	unsigned int n;
};

/* The last mark of a thread that marks frames. */
struct frame {
	int32_t tid;
	uint64_t at_ns;
};

struct lane_watch {
	struct lane_watch_config config;
	struct lane_watch_ways ways;
	struct lane_ring *ring;
	struct lane_tasks *tasks;
	struct lane_history *history;
	struct lane_store store;
	struct lane_stream *stream, *next; /* the next one, when there is one, looks on */
	uint64_t begun_ns;		   /* this stream */
	uint64_t border_ns;		   /* the next one tells from then on */
	uint64_t now_ns, event_ns;
	int64_t epoch_offset_ns;
	uint64_t saved_ns, retry_ns;
	uint64_t told_lost, told_lost_ns; /* so many, then */
	struct waiting waiting[MAX_WAITING];
	unsigned int n_waiting;
	struct lane_writer writer;
	struct waiting written; /* what the writer writes */
	struct recent recent[MAX_RECENT];
	unsigned int next_recent;
	struct frame frames[MAX_FRAMES];
	struct told timeouts, opens;
	struct lane_missed *missed; /* refreshes, of late */
	uint64_t looked_ns;	    /* for what is open too long */
	struct lane_watch_figures figures;
	uint64_t *lost; /* by CPU, as last told */
	unsigned int n_lost;
	bool cannot_write, cannot_save; /* and it was said */
	bool no_memory;
};

static int64_t epoch_of(const struct lane_watch *watch, uint64_t ns)
{
	return (int64_t)ns + watch->epoch_offset_ns;
}

static void watch_note(const struct lane_watch *watch, const char *text)
{
	if (watch->ways.note)
		watch->ways.note(watch->ways.arg, text);
}

/* A consumer that fails is heard no more. */
static void rows_result(struct lane_watch *watch, struct lane_error *err)
{
	struct lane_rows *rows = &watch->ways.rows;
	void (*closes)(void *arg) = rows->close;
	void *arg = rows->arg;

	if (!err)
		return;
	watch_note(watch, lane_error_message(err));
	lane_error_free(err);
	*rows = (struct lane_rows){ .fd = -1 };
	if (closes)
		closes(arg);
}

/* --- what has ended --- */

static const char *driver_of(const struct lane_engine *engine)
{
	if (!engine)
		return "";
	return engine->driver ? engine->driver : engine->device ? "" : "i915";
}

static void name_gpu(const struct lane_engine *engine, char *gpu, size_t size)
{
	if (engine && engine->device)
		snprintf(gpu, size, "%s", engine->device);
	else if (engine)
		snprintf(gpu, size, "card%" PRIu32, engine->dev);
	else
		gpu[0] = 0;
}

static enum lane_usual_track track_of(enum lane_row_what what)
{
	switch (what) {
	case LANE_ROW_COMMAND:
		return LANE_TRACK_COMMAND;
	case LANE_ROW_WAIT:
		return LANE_TRACK_WAIT;
	case LANE_ROW_FRAME:
		return LANE_TRACK_FRAME;
	default:
		return LANE_TRACK_REQUEST;
	}
}

/* The stage that took most beyond what it usually takes; LANE_STAGE_COUNT: none is known. */
static enum lane_stage find_cause(struct lane_usual *usual, const struct lane_stages *stages,
				  uint64_t *excess_ns)
{
	enum lane_stage cause = LANE_STAGE_COUNT;

	*excess_ns = 0;
	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		uint64_t ns = stages->ns[i].lo, median;

		if (!(stages->known & 1u << i))
			continue;
		median = watch_usual_median(usual, (enum lane_usual_track)i);
		ns = ns > median ? ns - median : 0;
		if (cause != LANE_STAGE_COUNT && ns <= *excess_ns)
			continue;
		cause = (enum lane_stage)i;
		*excess_ns = ns;
	}
	return cause;
}

static bool is_process(const char *wanted, const char *process, int32_t pid)
{
	char number[16];

	if (!*wanted || !strcmp(wanted, process))
		return true;
	snprintf(number, sizeof(number), "%" PRId32, pid);
	return pid >= 0 && !strcmp(wanted, number);
}

/* What a trigger looks at: how long, of which history. False: this is none of what is looked at. */
static bool watch_measure(const struct lane_watch *watch, const struct lane_ended *ended,
			  uint64_t *ns, enum lane_usual_track *track)
{
	int stage = watch->config.stage;

	*ns = ended->total.lo;
	*track = track_of(ended->what);
	if (!is_process(watch->config.process, ended->process, ended->pid) ||
	    !(watch->config.of & 1u << ended->what))
		return false;
	if (ended->what != LANE_ROW_REQUEST || stage < 0)
		return ended->total_known;
	*ns = ended->stages.ns[stage].lo;
	*track = (enum lane_usual_track)stage;
	return ended->stages.known & 1u << stage;
}

/* Everything of it goes into the history, after it was held against that. */
static void watch_remember(struct lane_watch *watch, struct lane_usual *usual,
			   const struct lane_ended *ended)
{
	bool fits = true;

	if (ended->total_known)
		fits = watch_usual_add(usual, track_of(ended->what), ended->total.lo);
	for (int i = 0; ended->what == LANE_ROW_REQUEST && i < LANE_STAGE_COUNT; i++)
		if (ended->stages.known & 1u << i)
			fits &= watch_usual_add(usual, (enum lane_usual_track)i,
						ended->stages.ns[i].lo);
	watch->no_memory |= !fits;
}

static void remember_recent(struct lane_watch *watch, const struct lane_ended *ended,
			    const char *cause, uint64_t cause_ns, uint64_t excess_ns,
			    const char *culprit)
{
	struct recent *recent = &watch->recent[watch->next_recent++ % MAX_RECENT];

	*recent = (struct recent){ .pid = ended->pid,
				   .begin_ns = ended->begin_ns,
				   .end_ns = ended->end_ns,
				   .excess_ns = excess_ns,
				   .cause_ns = cause_ns };
	snprintf(recent->cause, sizeof(recent->cause), "%s", cause);
	snprintf(recent->culprit, sizeof(recent->culprit), "%s", culprit);
}

/* --- hits --- */

static void watch_tell(struct lane_watch *watch, const struct lane_hit *hit,
		       const char *not_written)
{
	const struct lane_hits *group = watch_store_group(&watch->store, hit);
	char name[32] = "";

	watch->figures.hits++;
	watch->figures.written += !*not_written;
	if (!*not_written)
		watch_store_name(hit->number, false, name, sizeof(name));
	if (watch->ways.tell)
		watch->ways.tell(watch->ways.arg, hit, group, not_written);
	if (watch->ways.rows.hit) {
		struct lane_row_hit row = {
			.of = { .what = hit->what,
				.end_ns = hit->end_ns,
				.epoch_ns = hit->epoch_ns,
				.driver = hit->driver,
				.gpu = hit->gpu,
				.engine = hit->engine,
				.process = hit->process,
				.pid = hit->pid,
				.total = timeline_span_exact(hit->end_ns - hit->begin_ns),
				.total_known = true,
				.cause = hit->cause,
				.culprit = hit->culprit,
				.is_hit = true },
			.limit_ns = hit->limit_ns,
			.group_count = group ? group->count : 0,
			.lost = hit->lost,
			.recording = name,
			.not_written = not_written,
		};

		row.of.stages.known = hit->known;
		for (int i = 0; i < LANE_STAGE_COUNT; i++) {
			row.of.stages.ns[i] = timeline_span_exact(hit->stages[i]);
			row.of.culprits[i] = "";
		}
		rows_result(watch, watch->ways.rows.hit(watch->ways.rows.arg, &row));
	}
}

static uint64_t due_of(const struct lane_watch *watch, const struct lane_hit *hit)
{
	return hit->end_ns + watch->config.after_ns;
}

/* A hit that waits already for the same reasons; the worse one of the two is what is written. */
static bool join(struct lane_watch *watch, const struct lane_hit *hit)
{
	for (unsigned int i = 0; i < watch->n_waiting; i++) {
		struct waiting *waiting = &watch->waiting[i];
		uint64_t due_ns = due_of(watch, hit);

		if (waiting->is_open || waiting->hit.what != hit->what ||
		    strcmp(waiting->hit.process, hit->process) != 0 ||
		    strcmp(waiting->hit.cause, hit->cause) != 0 ||
		    strcmp(waiting->hit.culprit, hit->culprit) != 0)
			continue;
		if (hit->total_ns > waiting->hit.total_ns) {
			struct lane_hit before = waiting->hit;

			waiting->hit = *hit;
			waiting->due_ns = due_ns;
			watch_tell(watch, &before, "joined");
		} else {
			watch_tell(watch, hit, "joined");
		}
		return true;
	}
	return false;
}

/* Those that were asked for are of no hour. */
static unsigned int count_pending(const struct lane_watch *watch)
{
	unsigned int n = watch->writer.pid && watch->written.hit.what != LANE_ROW_MANUAL;

	for (unsigned int i = 0; i < watch->n_waiting; i++)
		n += watch->waiting[i].hit.what != LANE_ROW_MANUAL;
	return n;
}

/* Without a folder it is only said what is a hit. */
static bool is_trial(const struct lane_watch *watch)
{
	return !watch->store.path;
}

/* Why a hit is not written, where it is not wanted. */
static const char *not_wanted(const struct lane_watch *watch)
{
	return is_trial(watch) ? "trial" : "rate";
}

static bool wants(const struct lane_watch *watch, const struct lane_hits *group,
		  const struct lane_hit *hit)
{
	return !is_trial(watch) &&
	       watch_store_wants(&watch->store, group, hit, count_pending(watch),
				 epoch_of(watch, watch->now_ns));
}

/* A hit of which all is known: it counts, and waits for its recording when that is wanted. */
static void take_hit(struct lane_watch *watch, const struct lane_hit *hit, uint64_t due_ns)
{
	struct lane_hits *group = watch_store_count(&watch->store, hit);

	if (join(watch, hit))
		return;
	if (!wants(watch, group, hit) || watch->n_waiting == MAX_WAITING) {
		watch_tell(watch, hit, not_wanted(watch));
		return;
	}
	watch->waiting[watch->n_waiting++] = (struct waiting){ .hit = *hit, .due_ns = due_ns };
}

/* One whose cause is found when the time after it is over. */
static void take_open_hit(struct lane_watch *watch, const struct lane_hit *hit, int32_t tid)
{
	if (watch->n_waiting == MAX_WAITING) {
		watch_store_count(&watch->store, hit);
		watch_tell(watch, hit, not_wanted(watch));
		return;
	}
	watch->waiting[watch->n_waiting++] = (struct waiting){
		.hit = *hit, .due_ns = due_of(watch, hit), .tid = tid, .is_open = true
	};
}

static void make_hit(const struct lane_watch *watch, const struct lane_ended *ended,
		     const struct lane_row *row, uint64_t ns, uint64_t limit_ns, uint64_t cause_ns,
		     struct lane_hit *hit)
{
	*hit = (struct lane_hit){ .what = ended->what,
				  .epoch_ns = row->epoch_ns,
				  .begin_ns = ended->begin_ns,
				  .end_ns = ended->end_ns,
				  .limit_ns = limit_ns,
				  .total_ns = ns,
				  .pid = ended->pid,
				  .cause_ns = cause_ns };
	if (ended->what == LANE_ROW_REQUEST && watch->config.stage >= 0)
		snprintf(hit->stage, sizeof(hit->stage), "%s",
			 lane_stage_names[watch->config.stage]);
	snprintf(hit->process, sizeof(hit->process), "%s", row->process);
	snprintf(hit->driver, sizeof(hit->driver), "%s", row->driver);
	snprintf(hit->gpu, sizeof(hit->gpu), "%s", row->gpu);
	snprintf(hit->engine, sizeof(hit->engine), "%s", row->engine);
	snprintf(hit->cause, sizeof(hit->cause), "%s", row->cause);
	snprintf(hit->culprit, sizeof(hit->culprit), "%s", row->culprit);
	if (ended->request) {
		hit->ctx = ended->request->context->ctx;
		hit->seqno = ended->request->seqno;
	}
	hit->known = ended->what == LANE_ROW_REQUEST ? ended->stages.known : 0;
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		hit->stages[i] = hit->known & 1u << i ? ended->stages.ns[i].lo : 0;
}

/* Who delayed it in each stage that matters. */
static void find_culprits(const struct lane_ended *ended, int cause,
			  char culprits[LANE_STAGE_COUNT][LANE_CULPRIT_BYTES], struct lane_row *row)
{
	for (int i = 0; i < LANE_STAGE_COUNT; i++) {
		bool matters =
			i == cause || ended->stages.ns[i].lo > ended->total.lo / CULPRIT_PART;

		culprits[i][0] = 0;
		row->culprits[i] = culprits[i];
		if (matters && ended->request && ended->stages.known & 1u << i)
			watch_witness_culprit(ended->witness, ended->request, (enum lane_stage)i,
					      culprits[i]);
	}
}

/* A picture that missed refreshes. */
static void on_missed(struct lane_watch *watch, const struct lane_ended *ended)
{
	struct lane_hit hit;

	if (!watch->config.missed ||
	    !is_process(watch->config.process, ended->process, ended->pid) ||
	    !watch_missed_add(watch->missed, ended, watch->config.missed, &hit))
		return;
	hit.epoch_ns = epoch_of(watch, hit.end_ns);
	take_hit(watch, &hit, due_of(watch, &hit));
}

static void on_row(struct lane_watch *watch, const struct lane_ended *ended)
{
	char gpu[64], engine[64] = "", culprits[LANE_STAGE_COUNT][LANE_CULPRIT_BYTES];
	struct lane_row row = {
		.what = ended->what,
		.end_ns = ended->end_ns,
		.epoch_ns = epoch_of(watch, ended->end_ns),
		.driver = driver_of(ended->engine),
		.gpu = gpu,
		.engine = engine,
		.process = ended->process,
		.pid = ended->pid,
		.stages = ended->stages,
		.total = ended->total,
		.total_known = ended->total_known,
		.cause = ended->cause,
		.culprit = ended->culprit,
	};
	uint64_t ns = 0, limit_ns = 0, excess_ns = 0, cause_ns = ended->cause_ns;
	enum lane_stage cause = LANE_STAGE_COUNT;
	enum lane_usual_track track;
	struct lane_usual *usual;
	struct lane_hit hit;

	name_gpu(ended->engine, gpu, sizeof(gpu));
	if (ended->engine)
		watch->ways.engine_name(ended->engine, engine, sizeof(engine));
	usual = watch_history_of(watch->history, ended->process, engine);
	if (!usual) {
		watch->no_memory = true;
		return;
	}
	if (watch_measure(watch, ended, &ns, &track))
		row.is_hit =
			watch_limit_exceeded(&watch->config.slower, usual, track, ns, &limit_ns);
	if (ended->what == LANE_ROW_IDLE) {
		limit_ns = watch->config.starved_ns;
		row.is_hit = limit_ns && ended->total.lo > limit_ns &&
			     is_process(watch->config.process, ended->process, ended->pid);
		ns = ended->total.lo;
	}
	if (!*row.cause)
		cause = row.is_hit && watch->config.stage >= 0 && ended->what == LANE_ROW_REQUEST
				? (enum lane_stage)watch->config.stage
				: find_cause(usual, &ended->stages, &excess_ns);
	find_culprits(ended, (int)cause, culprits, &row);
	if (cause != LANE_STAGE_COUNT) {
		row.cause = lane_stage_names[cause];
		row.culprit = culprits[cause];
		cause_ns = ended->stages.ns[cause].lo;
	}
	if (ended->what != LANE_ROW_IDLE && !(ended->request && ended->request->fault))
		watch_remember(watch, usual, ended);
	if (ended->what == LANE_ROW_REQUEST && watch->config.of & 1u << LANE_ROW_FRAME)
		remember_recent(watch, ended, row.cause, cause_ns, excess_ns, row.culprit);
	if (watch->ways.rows.row)
		rows_result(watch, watch->ways.rows.row(watch->ways.rows.arg, &row));
	if (!row.is_hit)
		return;
	make_hit(watch, ended, &row, ns, limit_ns, cause_ns, &hit);
	take_hit(watch, &hit, due_of(watch, &hit));
}

static void on_ended(void *arg, const struct lane_ended *ended)
{
	if (ended->what == LANE_ROW_DISPLAY)
		on_missed(arg, ended);
	else
		on_row(arg, ended);
}

void watch_trigger(struct lane_watch *watch, const char *who)
{
	struct lane_hit hit = { .what = LANE_ROW_MANUAL,
				.epoch_ns = epoch_of(watch, watch->now_ns),
				.begin_ns = watch->now_ns,
				.end_ns = watch->now_ns,
				.pid = -1 };

	snprintf(hit.text, sizeof(hit.text), "%s", who);
	take_hit(watch, &hit, due_of(watch, &hit));
}

/* A driver may give a job more time, and the scheduler tells of it again; and what is open stays
 * open: that is one hang. */
static bool was_told(struct told *told, uint64_t context, uint64_t seqno)
{
	struct fence fence = { context, seqno };

	if (!context)
		return false;
	for (unsigned int i = 0; i < MAX_TOLD; i++)
		if (!memcmp(&told->of[i], &fence, sizeof(fence)))
			return true;
	told->of[told->n++ % MAX_TOLD] = fence;
	return false;
}

/* --- what is open too long --- */

/* The stage that an open request is in. */
static const char *stage_of(const struct lane_request *rq)
{
	static const char *const stages[LANE_RQ_STATE_COUNT] = {
#define S(state, name, stage) [LANE_RQ_STATE_##state] = (stage),
		LANE_RQ_STATES(S)
#undef S
	};

	return stages[rq->state];
}

/* The hit is of an open request: from when that was submitted on. */
static void set_open(const struct lane_watch *watch, struct lane_hit *hit,
		     const struct lane_open *open)
{
	const struct lane_request *rq = &open->request;
	const struct lane_client *client = timeline_client_of(rq);

	hit->begin_ns = open->since_ns;
	hit->total_ns = hit->end_ns - open->since_ns;
	hit->pid = client->pid;
	hit->ctx = rq->context->ctx;
	hit->seqno = rq->seqno;
	snprintf(hit->process, sizeof(hit->process), "%.15s", client->comm);
	if (!rq->engine)
		return;
	snprintf(hit->driver, sizeof(hit->driver), "%s", driver_of(rq->engine));
	name_gpu(rq->engine, hit->gpu, sizeof(hit->gpu));
	watch->ways.engine_name(rq->engine, hit->engine, sizeof(hit->engine));
}

static void take_open(struct lane_watch *watch, const struct lane_open *open, uint64_t now_ns)
{
	struct lane_hit hit = { .what = LANE_ROW_REQUEST,
				.epoch_ns = epoch_of(watch, now_ns),
				.end_ns = now_ns,
				.limit_ns = watch->config.open_ns,
				.text = "not over" };

	set_open(watch, &hit, open);
	snprintf(hit.cause, sizeof(hit.cause), "%s", stage_of(&open->request));
	take_hit(watch, &hit, due_of(watch, &hit));
}

static void take_open_call(struct lane_watch *watch, const struct lane_open_call *open,
			   uint64_t now_ns)
{
	struct lane_hit hit = { .what = LANE_ROW_COMMAND,
				.epoch_ns = epoch_of(watch, now_ns),
				.begin_ns = open->since_ns,
				.end_ns = now_ns,
				.total_ns = now_ns - open->since_ns,
				.limit_ns = watch->config.open_ns,
				.pid = open->pid };

	snprintf(hit.process, sizeof(hit.process), "%s", open->comm);
	snprintf(hit.cause, sizeof(hit.cause), "%s",
		 open->has_wait	  ? "wait"
		 : open->has_call ? "call"
				  : "running");
	snprintf(hit.text, sizeof(hit.text), "%.30s%s%.30s",
		 open->has_wait	  ? latency_kernel_wait_names[open->wait.how]
		 : open->has_call ? lane_cl_function_name(open->call.function)
				  : "",
		 open->has_call && *open->name ? ", " : "", open->name);
	take_hit(watch, &hit, due_of(watch, &hit));
}

/* A request that is open too long. A burst may go on for hours. */
static bool hangs(const struct lane_watch *watch, const struct lane_open *open, uint64_t now_ns)
{
	return !(open->request.doubt & LANE_DOUBT_BURST) &&
	       watch_stream_is_open(watch->stream, open, now_ns, watch->config.open_ns);
}

/* A call of a process whose request hangs says nothing new. */
static bool says_nothing(const struct lane_watch *watch, const struct lane_opens *opens,
			 int32_t pid, uint64_t now_ns)
{
	for (uint32_t i = 0; i < opens->n; i++)
		if (timeline_client_of(&opens->of[i].request)->pid == pid &&
		    hangs(watch, &opens->of[i], now_ns))
			return true;
	return false;
}

static void look_for_open_calls(struct lane_watch *watch, const struct lane_opens *opens,
				uint64_t now_ns)
{
	struct lane_open_calls calls;

	watch_stream_open_calls(watch->stream, now_ns, &calls);
	for (uint32_t i = 0; i < calls.n; i++) {
		const struct lane_open_call *open = &calls.of[i];

		if (is_process(watch->config.process, open->comm, open->pid) &&
		    watch_stream_is_call_open(watch->stream, open, now_ns, watch->config.open_ns) &&
		    !says_nothing(watch, opens, open->pid, now_ns) &&
		    !was_told(&watch->opens, OPEN_CALL | (uint32_t)open->pid, open->since_ns))
			take_open_call(watch, open, now_ns);
	}
}

/* While it hangs: each request, and each call, once. */
static void look_for_open(struct lane_watch *watch, uint64_t now_ns)
{
	struct lane_opens opens;

	if (!watch->config.open_ns || now_ns < watch->looked_ns + LOOK_NS)
		return;
	watch->looked_ns = now_ns;
	watch_stream_opens(watch->stream, &opens);
	for (uint32_t i = 0; i < opens.n; i++) {
		const struct lane_request *rq = &opens.of[i].request;
		const struct lane_client *client = timeline_client_of(rq);
		char process[16];

		snprintf(process, sizeof(process), "%.15s", client->comm);
		if (is_process(watch->config.process, process, client->pid) &&
		    hangs(watch, &opens.of[i], now_ns) &&
		    !was_told(&watch->opens, rq->context->ctx, rq->seqno))
			take_open(watch, &opens.of[i], now_ns);
	}
	look_for_open_calls(watch, &opens, now_ns);
}

/* --- frames and resets --- */

/* A thread's place among those that mark frames: that of the one that did so longest ago, if need
 * be. */
static struct frame *frame_of(struct lane_watch *watch, int32_t tid)
{
	struct frame *oldest = &watch->frames[0];

	for (unsigned int i = 0; i < MAX_FRAMES; i++) {
		struct frame *frame = &watch->frames[i];

		if (frame->at_ns && frame->tid == tid)
			return frame;
		if (frame->at_ns < oldest->at_ns)
			oldest = frame;
	}
	*oldest = (struct frame){ .tid = tid };
	return oldest;
}

/* One frame ends where the next one begins. */
static void on_frame(struct lane_watch *watch, const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns, limit_ns = 0;
	struct frame *frame = frame_of(watch, event->wire.tid);
	struct lane_ended ended = { .what = LANE_ROW_FRAME,
				    .begin_ns = frame->at_ns,
				    .end_ns = now_ns,
				    .total = timeline_span_exact(now_ns - frame->at_ns),
				    .total_known = true,
				    .pid = event->wire.pid,
				    .tid = event->wire.tid,
				    .cause = "",
				    .witness = watch_stream_witness(watch->stream) };
	struct lane_row row = { .what = LANE_ROW_FRAME,
				.end_ns = now_ns,
				.epoch_ns = epoch_of(watch, now_ns),
				.driver = "",
				.gpu = "",
				.engine = "",
				.process = ended.process,
				.pid = ended.pid,
				.total = ended.total,
				.total_known = true,
				.cause = "",
				.culprit = "" };
	struct lane_usual *usual;
	struct lane_hit hit;

	frame->at_ns = now_ns;
	if (!ended.begin_ns)
		return;
	snprintf(ended.process, sizeof(ended.process), "%.15s",
		 watch_stream_comm(watch->stream, event->wire.pid));
	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		row.culprits[i] = "";
	usual = watch_history_of(watch->history, ended.process, "");
	if (!usual) {
		watch->no_memory = true;
		return;
	}
	row.is_hit = watch->config.of & 1u << LANE_ROW_FRAME &&
		     is_process(watch->config.process, ended.process, ended.pid) &&
		     watch_limit_exceeded(&watch->config.slower, usual, LANE_TRACK_FRAME,
					  ended.total.lo, &limit_ns);
	watch_remember(watch, usual, &ended);
	if (watch->ways.rows.row)
		rows_result(watch, watch->ways.rows.row(watch->ways.rows.arg, &row));
	if (!row.is_hit)
		return;
	make_hit(watch, &ended, &row, ended.total.lo, limit_ns, 0, &hit);
	snprintf(hit.text, sizeof(hit.text), "%.63s", event->u.gpulane_frame.text);
	take_open_hit(watch, &hit, ended.tid);
}

static void on_reset(struct lane_watch *watch, const struct lane_event *event)
{
	struct lane_hit hit = { .what = LANE_ROW_RESET,
				.epoch_ns = epoch_of(watch, event->wire.ts_ns),
				.begin_ns = event->wire.ts_ns,
				.end_ns = event->wire.ts_ns,
				.pid = -1 };
	const struct lane_p_gpulane_reset *of = &event->u.gpulane_reset;
	struct lane_opens opens;

	if (was_told(&watch->timeouts, of->fence_context, of->fence_seqno))
		return;
	/* A job that has timed out is one of the oldest. */
	watch_stream_opens(watch->stream, &opens);
	for (uint32_t i = 0; i < opens.n && of->fence_context; i++)
		if (opens.of[i].request.context->ctx == of->fence_context &&
		    opens.of[i].request.seqno == (uint32_t)of->fence_seqno)
			set_open(watch, &hit, &opens.of[i]);
	snprintf(hit.cause, sizeof(hit.cause), "%.15s", event->u.gpulane_reset.what);
	snprintf(hit.text, sizeof(hit.text), "%.63s", event->u.gpulane_reset.text);
	take_hit(watch, &hit, due_of(watch, &hit));
}

/* --- writing --- */

/* What delayed a frame: the request of its process in it that was delayed most, or who had its
 * thread's CPU. */
static void find_frame_cause(const struct lane_watch *watch, struct waiting *waiting)
{
	const struct recent *worst = NULL;
	struct lane_hit *hit = &waiting->hit;
	char starver[LANE_CULPRIT_BYTES];
	uint64_t starved_ns =
		watch_witness_starver(watch_stream_witness(watch->stream), waiting->tid,
				      hit->begin_ns, hit->end_ns, starver);

	for (unsigned int i = 0; i < MAX_RECENT; i++) {
		const struct recent *recent = &watch->recent[i];

		if (recent->pid == hit->pid && recent->end_ns > hit->begin_ns &&
		    recent->begin_ns < hit->end_ns &&
		    (!worst || recent->excess_ns > worst->excess_ns))
			worst = recent;
	}
	if (worst && worst->excess_ns >= starved_ns) {
		snprintf(hit->cause, sizeof(hit->cause), "%s", worst->cause);
		snprintf(hit->culprit, sizeof(hit->culprit), "%s", worst->culprit);
		hit->cause_ns = worst->cause_ns;
	} else if (starved_ns) {
		snprintf(hit->cause, sizeof(hit->cause), "starved");
		snprintf(hit->culprit, sizeof(hit->culprit), "%s", starver);
		hit->cause_ns = starved_ns;
	} else {
		snprintf(hit->cause, sizeof(hit->cause), "program");
	}
}

/* In the fork. */
static struct lane_error *write_files(const struct lane_watch *watch, int fd, struct lane_hit *hit)
{
	struct lane_ctf_env env = watch->ways.env;
	LANE_CLEANUP(watch_tasks_list_deinit) struct lane_tasks_list first = { 0 };
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct lane_watch_recording of = { .hit = hit, .epoch_offset_ns = watch->epoch_offset_ns };
	struct lane_ring_part part;
	struct lane_error *err;
	char part_name[32], name[32];
	FILE *to;
	int file;

	watch_store_name(hit->number, true, part_name, sizeof(part_name));
	watch_store_name(hit->number, false, name, sizeof(name));
	if (asprintf(&path, "%s/%s/%s", watch->store.path, part_name, name) < 0)
		return &lane_enomem;
	env.epoch_offset_ns = watch->epoch_offset_ns;
	err = watch_tasks_at(watch->tasks, hit->from_ns, &first);
	if (!err)
		err = watch_ring_write(watch->ring, fd, "bpf", &env, hit->from_ns, hit->to_ns,
				       first.records, first.n, &part);
	if (err)
		return err;
	of.part = &part;
	hit->events = part.records;
	hit->lost = part.lost;
	err = watch->ways.complete(watch->ways.arg, fd, path, &of);
	if (err)
		return err;
	file = openat(fd, "hit", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	to = file < 0 ? NULL : fdopen(file, "w");
	if (!to)
		return lane_error_errno(errno, "%s/hit", path);
	watch_hit_save(hit, to);
	if (fflush(to) || ferror(to))
		err = lane_error_errno(errno ? errno : EIO, "%s/hit", path);
	if (fclose(to) && !err)
		err = lane_error_errno(errno, "%s/hit", path);
	return err;
}

static struct lane_error *write_hit(void *arg)
{
	struct lane_watch *watch = arg;
	struct lane_hit *hit = &watch->written.hit;
	struct lane_error *err;
	int fd;

	/* It is the watching process that watches. */
	close(watch->store.lock_fd);
	err = watch_store_begin(&watch->store, hit, &fd);
	if (!err)
		err = write_files(watch, fd, hit);
	if (!err)
		err = watch_store_complete(&watch->store, hit, fd);
	if (err)
		watch_store_abandon(&watch->store, hit);
	return err;
}

static void cannot_write(struct lane_watch *watch, struct lane_error *err)
{
	LANE_CLEANUP(lane_free) char *text = NULL;

	watch->retry_ns = watch->now_ns + RETRY_NS;
	if (!watch->cannot_write &&
	    asprintf(&text, "%s: hits are counted, not written, for now: %s", watch->store.path,
		     lane_error_message(err)) >= 0)
		watch_note(watch, text);
	watch->cannot_write = true;
	lane_error_free(err);
}

/* The writer is done. */
static void end_writing(struct lane_watch *watch, struct lane_error *err)
{
	struct lane_hit *hit = &watch->written.hit;
	const struct lane_kept *kept;

	if (!err)
		err = watch_store_add(&watch->store, hit->number, epoch_of(watch, watch->now_ns));
	if (err) {
		watch_store_abandon(&watch->store, hit);
		cannot_write(watch, err);
		watch_tell(watch, hit, "failed");
		return;
	}
	if (watch->cannot_write)
		watch_note(watch, "hits are written again");
	watch->cannot_write = false;
	kept = watch_store_find(&watch->store, hit->number);
	watch_tell(watch, kept ? &kept->hit : hit, kept ? "" : "disk");
}

/* Whether the file system has that much left. */
static bool has_space(const struct lane_watch *watch, uint64_t bytes)
{
	struct statvfs fs;

	return fstatvfs(watch->store.fd, &fs) || (uint64_t)fs.f_bavail * fs.f_frsize > bytes;
}

static void begin_writing(struct lane_watch *watch, struct waiting *waiting)
{
	struct lane_hit *hit = &waiting->hit;
	uint64_t since_ns = watch_ring_since(watch->ring), bytes;
	struct lane_ring_part part;
	struct lane_error *err;

	hit->wanted_from_ns = hit->begin_ns > watch->config.before_ns
				      ? hit->begin_ns - watch->config.before_ns
				      : 0;
	hit->from_ns = hit->wanted_from_ns > since_ns ? hit->wanted_from_ns : since_ns;
	/* A replay's memory begins with its first event. */
	hit->to_ns = waiting->due_ns > hit->from_ns ? waiting->due_ns : hit->from_ns;
	if (hit->to_ns > watch->now_ns)
		hit->to_ns = watch->now_ns;
	watch_ring_measure(watch->ring, hit->from_ns, hit->to_ns, &part);
	hit->lost = part.lost;
	bytes = 2 * part.bytes + (1u << 20);
	if (watch->now_ns < watch->retry_ns || !has_space(watch, bytes) ||
	    !watch_store_make_room(&watch->store, bytes)) {
		if (!has_space(watch, bytes))
			cannot_write(watch, lane_error("the disk is full"));
		watch_tell(watch, hit, "disk");
		return;
	}
	watch_store_number(&watch->store, hit);
	watch->written = *waiting;
	err = watch_writer_begin(&watch->writer, watch->now_ns, write_hit, watch);
	if (err) {
		cannot_write(watch, err);
		watch_tell(watch, hit, "failed");
	}
}

static void poll_writer(struct lane_watch *watch, bool waits)
{
	struct lane_error *result;

	if (watch_writer_ended(&watch->writer, watch->now_ns, waits, &result))
		end_writing(watch, result);
}

/* An open hit is of a group now. */
static bool close_hit(struct lane_watch *watch, struct waiting *waiting)
{
	struct lane_hits *group;

	if (!waiting->is_open)
		return true;
	waiting->is_open = false;
	find_frame_cause(watch, waiting);
	group = watch_store_count(&watch->store, &waiting->hit);
	if (wants(watch, group, &waiting->hit))
		return true;
	watch_tell(watch, &waiting->hit, not_wanted(watch));
	return false;
}

/* Writes what is due, one after the other. */
static void write_due(struct lane_watch *watch, uint64_t upto_ns)
{
	unsigned int i = 0;

	while (i < watch->n_waiting && !watch->writer.pid) {
		struct waiting due = watch->waiting[i];

		if (due.due_ns > upto_ns) {
			i++;
			continue;
		}
		watch->n_waiting--;
		memmove(&watch->waiting[i], &watch->waiting[i + 1],
			(watch->n_waiting - i) * sizeof(due));
		if (close_hit(watch, &due))
			begin_writing(watch, &due);
		if (watch->ways.waits)
			poll_writer(watch, true);
	}
}

/* --- the life of it --- */

static struct lane_error *new_stream(struct lane_watch *watch, uint64_t from_ns,
				     struct lane_stream **stream)
{
	LANE_CLEANUP(watch_tasks_list_deinit) struct lane_tasks_list first = { 0 };
	struct lane_error *err = watch_tasks_at(watch->tasks, watch->event_ns, &first);

	return err ? err
		   : watch_stream_create(watch->ways.info, from_ns, &first, on_ended, watch,
					 stream);
}

struct lane_error *watch_create(const char *path, size_t memory,
				const struct lane_watch_config *config,
				const struct lane_watch_ways *ways, struct lane_watch **result)
{
	struct lane_watch *watch = calloc(1, sizeof(*watch));
	LANE_CLEANUP(lane_free) char *said = NULL;
	struct lane_error *err;

	if (!watch)
		return &lane_enomem;
	watch->ways = *ways;
	/* From here on the consumer is ours, whatever happens. */
	watch->store.fd = watch->store.lock_fd = -1;
	err = watch_history_create(&watch->history);
	if (!err)
		err = watch_missed_create(&watch->missed);
	if (!err)
		err = watch_tasks_create(&watch->tasks);
	if (!err)
		err = watch_ring_create(memory, ways->info->begin_ns, &watch->ring);
	if (!err && path)
		err = watch_store_open(&watch->store, path, ways->waits, watch->history, &said);
	if (!err)
		err = new_stream(watch, 0, &watch->stream);
	if (err) {
		watch_destroy(watch);
		return err;
	}
	if (said)
		watch_note(watch, said);
	watch_configure(watch, config);
	*result = watch;
	return NULL;
}

struct lane_error *watch_listen(struct lane_watch *watch, int *fd)
{
	*fd = -1;
	return is_trial(watch) ? NULL : watch_socket_listen(watch->store.fd, fd);
}

void watch_configure(struct lane_watch *watch, const struct lane_watch_config *config)
{
	watch->config = *config;
	watch->store.config = config->store;
}

void watch_destroy(struct lane_watch *watch)
{
	if (!watch)
		return;
	watch_writer_kill(&watch->writer);
	if (watch->ways.rows.close)
		watch->ways.rows.close(watch->ways.rows.arg);
	watch_stream_destroy(watch->stream);
	watch_stream_destroy(watch->next);
	watch_store_deinit(&watch->store);
	watch_ring_destroy(watch->ring);
	watch_tasks_destroy(watch->tasks);
	watch_history_destroy(watch->history);
	watch_missed_destroy(watch->missed);
	free(watch->lost);
	free(watch);
}

struct lane_error *watch_record(struct lane_watch *watch, unsigned int cpu,
				const struct lane_wire *record)
{
	watch_tasks_record(watch->tasks, record);
	/* Who there is is told anew in each recording. */
	return record->kind == LANE_STATEDUMP ? NULL : watch_ring_record(watch->ring, cpu, record);
}

struct lane_error *watch_lost(struct lane_watch *watch, unsigned int cpu, uint64_t total,
			      uint64_t at_ns)
{
	if (!LANE_GROW(watch->lost, watch->n_lost, (size_t)cpu + 1))
		return &lane_enomem;
	if (total > watch->lost[cpu]) {
		uint64_t count = total - watch->lost[cpu];

		watch->lost[cpu] = total;
		watch->figures.lost += count;
		if (watch->ways.rows.lost)
			rows_result(watch, watch->ways.rows.lost(watch->ways.rows.arg, count, at_ns,
								 epoch_of(watch, at_ns)));
	}
	return watch_ring_lost(watch->ring, cpu, total, at_ns);
}

struct lane_error *watch_horizon(struct lane_watch *watch, unsigned int cpu, uint64_t ns)
{
	return watch_ring_horizon(watch->ring, cpu, ns);
}

/* The stream gives way to a new one at once: it can take no more. */
static struct lane_error *replace_stream(struct lane_watch *watch, struct lane_error *why)
{
	watch_note(watch, lane_error_message(why));
	lane_error_free(why);
	watch_stream_destroy(LANE_TAKE(watch->next));
	watch_stream_destroy(LANE_TAKE(watch->stream));
	watch->begun_ns = watch->event_ns;
	watch->figures.renewed++;
	return new_stream(watch, watch->event_ns, &watch->stream);
}

struct lane_error *watch_event(struct lane_watch *watch, const struct lane_event *event)
{
	struct lane_error *err;

	watch->figures.events++;
	watch->event_ns = event->wire.ts_ns;
	if (watch->now_ns < watch->event_ns)
		watch->now_ns = watch->event_ns;
	if (event->wire.kind == LANE_FRAME)
		on_frame(watch, event);
	else if (event->wire.kind == LANE_RESET)
		on_reset(watch, event);
	err = watch_stream_event(watch->stream, event);
	if (!err && watch->next)
		err = watch_stream_event(watch->next, event);
	if (err && err != &lane_enomem)
		err = replace_stream(watch, err);
	if (!err && watch->ways.waits && watch->n_waiting)
		write_due(watch, watch->event_ns);
	return !err && watch->no_memory ? &lane_enomem : err;
}

/* The next stream begins, or takes over. */
static struct lane_error *renew(struct lane_watch *watch)
{
	if (!watch->begun_ns)
		watch->begun_ns = watch->event_ns;
	if (watch->next) {
		if (watch->event_ns < watch->border_ns + OVER_NS)
			return NULL;
		watch_stream_destroy(watch->stream);
		watch->stream = LANE_TAKE(watch->next);
		watch->begun_ns = watch->event_ns;
		watch->figures.renewed++;
		return NULL;
	}
	if (watch->event_ns - watch->begun_ns < STREAM_NS &&
	    (!watch_stream_is_full(watch->stream) ||
	     watch->event_ns - watch->begun_ns < 2 * OVER_NS))
		return NULL;
	watch->border_ns = watch->event_ns + WARM_NS;
	watch_stream_until(watch->stream, watch->border_ns);
	return new_stream(watch, watch->border_ns, &watch->next);
}

/* What is lost may have been a hit: that is not only for the end. A recording's losses are known.
 */
static void tell_losses(struct lane_watch *watch)
{
	const struct lane_watch_figures *figures = &watch->figures;
	LANE_CLEANUP(lane_free) char *text = NULL;

	if (watch->ways.waits || figures->lost == watch->told_lost ||
	    (watch->told_lost && watch->now_ns < watch->told_lost_ns + LOSS_NS))
		return;
	if (asprintf(&text,
		     "%" PRIu64 " of %" PRIu64
		     " events were lost so far: a hit among them is missed",
		     figures->lost, figures->events + figures->lost) >= 0)
		watch_note(watch, text);
	watch->told_lost = figures->lost;
	watch->told_lost_ns = watch->now_ns;
}

/* A full disk does not end watching. */
static void watch_save(struct lane_watch *watch)
{
	struct lane_error *err;

	if (is_trial(watch))
		return;
	err = watch_store_save(&watch->store, watch->history);
	watch->saved_ns = watch->now_ns;
	if (err && !watch->cannot_save)
		watch_note(watch, lane_error_message(err));
	watch->cannot_save = err;
	lane_error_free(err);
}

struct lane_error *watch_advance(struct lane_watch *watch, uint64_t now_ns, int64_t epoch_offset_ns)
{
	struct lane_rows *rows = &watch->ways.rows;
	uint64_t since_save;
	struct lane_error *err;

	if (now_ns > watch->now_ns)
		watch->now_ns = now_ns;
	watch->epoch_offset_ns = epoch_offset_ns;
	look_for_open(watch, watch->now_ns);
	tell_losses(watch);
	poll_writer(watch, false);
	write_due(watch, watch->now_ns);
	err = renew(watch);
	if (err)
		return err;
	watch_history_advance(watch->history, watch->now_ns);
	watch_tasks_forget(watch->tasks, watch_ring_since(watch->ring));
	if (rows->tick)
		rows_result(watch,
			    rows->tick(rows->arg, watch->now_ns, epoch_of(watch, watch->now_ns),
				       watch->figures.events));
	if (!watch->saved_ns)
		watch->saved_ns = watch->now_ns;
	since_save = watch->now_ns - watch->saved_ns;
	if (watch->store.is_changed ? since_save >= SAVE_NS : since_save >= SAVE_REST_NS)
		watch_save(watch);
	return NULL;
}

void watch_figures(const struct lane_watch *watch, struct lane_watch_figures *figures)
{
	*figures = watch->figures;
	figures->waiting = watch->n_waiting + (watch->writer.pid != 0);
	figures->since_ns = watch_ring_since(watch->ring);
}

struct lane_error *watch_finish(struct lane_watch *watch)
{
	struct lane_error *err = NULL;

	/* Of a recording what is open at its end is told with it. */
	if (watch->ways.waits)
		err = watch_stream_finish(watch->stream);
	poll_writer(watch, true);
	while (watch->n_waiting) {
		write_due(watch, LANE_NEVER);
		poll_writer(watch, true);
	}
	watch_save(watch);
	return err;
}

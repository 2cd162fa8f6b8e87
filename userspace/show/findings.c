// SPDX-License-Identifier: MIT
// What the timeline tells becomes records; in their order, requests get rows and queues lengths.
#include "show/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "show/report.h"
#include "show/track_rows.h"
#include "show/spool.h"

enum {
	SPOOL_BYTES = 8 << 20,
	STATE_OVER = LANE_RQ_STATE_ENDED + 1,
	STATE_BURST,
	STATE_CUT, /* it ended, and is not complete */
	STATE_SHOWN = 32,
	STATE_MISSED,
	CAUSE_FIRST = 10, /* states and causes are not mistaken for each other */
};

/* What is known of an engine by its number. */
struct engine_note {
	char name[LANE_RING_BYTES];
	char queues[2][LANE_RING_BYTES];
	const struct lane_engine *engine; /* NULL: nothing was found of it */
	bool is_running;		  /* a run has begun that has not been told */
	struct lane_event begin;
};

/* How a process or a thread is called, written once: rows of viewers need more than a name. */
struct label {
	char comm[16]; /* when it was written */
	char text[64];
	bool written;
};

/* What has rows, each by itself. */
enum rows_of {
	ROWS_REQUESTS, /* of their contexts */
	ROWS_OF_PROCESS,
	ROWS_QUEUES, /* by enum lane_queue */
	ROWS_PREEMPTED = ROWS_QUEUES + 2,
	ROWS_COMMANDS,
	ROWS
};

enum label_of {
	LABEL_PROCESS,
	LABEL_THREAD,
	LABEL_CLQUEUE,
};

struct lane_findings {
	const struct lane_trace_info *info;
	struct lane_spool *spool;
	struct lane_error *error; /* the first one met in a hook */
	struct engine_note *engines;
	uint32_t n_engines;
	uint64_t now_ns;
	uint64_t first_ns; /* of the recording: nothing was found before */
	bool is_reading;
	struct lane_track_rows rows[ROWS];
	struct lane_table labels; /* (enum label_of, number) */
	struct lane_pool label_pool;
	/* By request: when it went where it is, in its stages and in each queue; + 1. */
	struct lane_table stage_ns, queue_ns[2];
};

/* --- records --- */

static void findings_put(struct lane_findings *f, struct lane_event *event, enum lane_kind kind,
			 uint64_t at_ns)
{
	if (at_ns == LANE_NEVER)
		at_ns = f->now_ns;
	/* A request that was there before the recording has no earliest time: it begins with the
	 * recording. */
	event->wire.ts_ns = at_ns < f->first_ns ? f->first_ns : at_ns;
	event->wire.kind = kind;
	event->wire.origin = LANE_ORIGIN_ANALYSIS;
	if (!f->error)
		f->error = show_spool_add(f->spool, &event->wire);
}

static void begin_record(struct lane_event *event, int32_t tid, int32_t pid)
{
	memset(event, 0, sizeof(*event));
	event->wire.tid = tid;
	event->wire.pid = pid;
}

static struct engine_note *note_of(struct lane_findings *f, const struct lane_engine *engine)
{
	struct engine_note *note;

	if (engine->id >= f->n_engines) {
		uint32_t n = engine->id + 8;
		struct engine_note *notes = reallocarray(f->engines, n, sizeof(*notes));

		if (!notes) {
			if (!f->error)
				f->error = &lane_enomem;
			return NULL;
		}
		memset(notes + f->n_engines, 0, (n - f->n_engines) * sizeof(*notes));
		f->engines = notes;
		f->n_engines = n;
	}
	note = &f->engines[engine->id];
	note->engine = engine;
	return note;
}

/* When all has been read: before, not all devices are known, and names say which one where there
 * are several. */
static void name_engine(struct engine_note *note)
{
	show_engine_name(note->engine, note->name, sizeof(note->name));
	for (int queue = 0; queue < 2; queue++) {
		char *text = note->queues[queue];
		size_t left = sizeof(note->queues[0]) - sizeof(" device") + 1;

		show_engine_name(note->engine, text, left);
		strcat(text, queue == LANE_QUEUE_HOST ? " host" : " device");
	}
}

/* In a record that waits, an engine's number stands where its name will: + 1, 0 is none. */
static void findings_put_number(char name[LANE_RING_BYTES], uint32_t id)
{
	uint32_t number = id + 1;

	memcpy(name, &number, sizeof(number));
}

/* Where a text is empty, babeltrace2 shows that of an earlier event: what has no name is "-". */
static void name_nameless(struct lane_event *event)
{
	const struct lane_kind_info *info = &lane_kinds[event->wire.kind];

	for (unsigned int i = 0; i < info->n_fields; i++) {
		char *text = (char *)&event->u + info->fields[i].offset;

		if (lane_type_is_text(info->fields[i].type) && !*text)
			*text = '-';
	}
}

/* A process that was a number as it submitted first has the name that it was given after. */
static void put_process(struct lane_findings *f, int32_t pid, char text[32])
{
	const struct label *label = lane_table_get(&f->labels, LABEL_PROCESS, (uint32_t)pid);

	if (*text >= '0' && *text <= '9' && !strchr(text, '[') && label)
		memcpy(text, label->text, 32);
}

static void put_name(struct lane_findings *f, struct lane_event *event)
{
	struct lane_p_gpulane_run_begin *found = &event->u.gpulane_run_begin;
	const struct engine_note *note;
	uint32_t number;

	put_process(f, found->client, found->process);
	memcpy(&number, found->engine, sizeof(number));
	if (!number)
		return;
	note = &f->engines[number - 1];
	memcpy(found->engine, note->name, sizeof(found->engine));
	if (event->wire.kind == LANE_FOUND_QUEUE)
		memcpy(event->u.gpulane_queue_length.label,
		       note->queues[event->u.gpulane_queue_length.queue], sizeof(note->queues[0]));
}

/* The kinds that begin with LANE_F_FOUND. */
static bool has_engine(uint32_t kind)
{
	return (kind >= LANE_FOUND_STATE && kind <= LANE_FOUND_IDLE_END) || kind == LANE_FOUND_WAIT;
}

/* The text of a process's, a thread's or a queue's label; *is_fresh: it has to be written, as it
 * has not been with this name. NULL: no memory. */
static char *label_of(struct lane_findings *f, enum label_of kind, uint64_t number,
		      const char *comm, bool *is_fresh)
{
	struct label *label = lane_table_get(&f->labels, kind, number);

	if (!label) {
		label = lane_pool_get(&f->label_pool);
		if (!label || !lane_table_put(&f->labels, kind, number, label)) {
			if (!f->error)
				f->error = &lane_enomem;
			return NULL;
		}
	}
	*is_fresh = !label->written || strncmp(label->comm, comm, sizeof(label->comm)) != 0;
	label->written = true;
	if (*is_fresh)
		snprintf(label->comm, sizeof(label->comm), "%.15s", comm);
	return label->text;
}

static void set_process(struct lane_findings *f, const struct lane_client *client, int32_t *pid,
			char text[32])
{
	bool is_fresh;
	char *label = label_of(f, LABEL_PROCESS, (uint32_t)client->pid, client->comm, &is_fresh);

	*pid = client->pid;
	if (label)
		memcpy(text, is_fresh ? show_client_name(client, label, 32) : label, 32);
}

static void set_queue(struct lane_findings *f, const struct lane_cl_queue *queue, char text[64])
{
	bool is_fresh;
	char *label = label_of(f, LABEL_CLQUEUE, queue->id, "", &is_fresh);

	if (!label)
		return;
	if (is_fresh) {
		int n = snprintf(label, 64, "%#" PRIx64, queue->handle);

		snprintf(label + n, 64 - (size_t)n, " %.*s", 62 - n, queue->device_name);
	}
	memcpy(text, label, 64);
}

static void set_thread(struct lane_findings *f, int32_t tid, const char *comm, char text[32])
{
	bool is_fresh;
	char *label = label_of(f, LABEL_THREAD, (uint32_t)tid, comm ? comm : "", &is_fresh);

	if (label)
		memcpy(text, is_fresh ? show_task_name(tid, comm ? comm : "", label, 32) : label,
		       32);
}

/* The fields that most of them begin with; all payloads have them in the same place. */
static void findings_fill(struct lane_findings *f, struct lane_event *event,
			  const struct lane_request *rq, const struct lane_engine *engine,
			  uint64_t latest_ns)
{
	struct lane_p_gpulane_run_begin *found = &event->u.gpulane_run_begin;
	struct engine_note *note = engine ? note_of(f, engine) : NULL;

	begin_record(event, rq ? rq->tid : -1, rq ? rq->pid : -1);
	found->latest_ns = latest_ns;
	found->client = -1;
	found->class = found->instance = UINT16_MAX;
	if (rq) {
		found->ctx = rq->context->ctx;
		found->seqno = rq->seqno;
		found->dev = rq->context->dev;
		set_process(f, timeline_client_of(rq), &found->client, found->process);
	}
	if (engine) {
		found->dev = engine->dev;
		found->class = engine->class;
		found->instance = engine->instance;
	}
	if (note)
		findings_put_number(found->engine, engine->id);
}

static uint64_t span_end(uint64_t begin_ns, uint64_t lasted_ns)
{
	return begin_ns > LANE_NEVER - lasted_ns ? LANE_NEVER : begin_ns + lasted_ns;
}

/*
 * A request goes on at at_ns at the earliest, and not before it went where it is: what comes before
 * it may be known exactly where this is not. Returns when it goes on; what follows is later.
 */
static uint64_t findings_go_on(struct lane_findings *f, struct lane_table *table,
			       const struct lane_request *rq, uint64_t at_ns, bool last)
{
	uint64_t a = rq->context->ctx, b = (uint64_t)rq->context->dev << 32 | rq->seqno;
	uintptr_t before = (uintptr_t)lane_table_get(table, a, b);

	if (at_ns == LANE_NEVER)
		at_ns = f->now_ns;
	if (before && before - 1 > at_ns)
		at_ns = before - 1;
	if (before)
		lane_table_del(table, a, b);
	if (!last && !lane_table_put(table, a, b, (void *)(uintptr_t)(at_ns + 1)) && !f->error)
		f->error = &lane_enomem;
	return at_ns;
}

/* --- the subscriber --- */

static void put_state(struct lane_findings *f, const struct lane_request *rq, uint32_t state,
		      uint32_t from, struct lane_span at)
{
	struct lane_event event;
	struct lane_p_gpulane_request_state *to = &event.u.gpulane_request_state;

	at.lo = findings_go_on(f, &f->stage_ns, rq, at.lo, state == STATE_OVER);
	findings_fill(f, &event, rq, rq->engine, at.hi > at.lo ? at.hi : at.lo);
	to->state = state;
	to->from = from;
	to->prio = rq->prio;
	to->preemptions = rq->preemptions;
	to->doubt = rq->doubt;
	findings_put(f, &event, LANE_FOUND_STATE, at.lo);
}

/* The run of rq has begun; it is told when it is over, which may not be in the trace. */
static void findings_note_run(struct lane_findings *f, const struct lane_request *rq,
			      uint64_t at_ns)
{
	struct engine_note *note = rq->engine ? note_of(f, rq->engine) : NULL;

	if (!note)
		return;
	note->is_running = true;
	findings_fill(f, &note->begin, rq, rq->engine, at_ns);
	note->begin.wire.ts_ns = at_ns;
}

static uint32_t findings_number_of(const struct lane_request *rq, enum lane_request_state state)
{
	if (state == LANE_RQ_STATE_ENDED && rq->fault)
		return STATE_CUT;
	return state == LANE_RQ_STATE_BURST ? STATE_BURST : state;
}

/* When it ended. A burst is one until it is over: of no time before that is it known that it had
 * ended. */
static struct lane_span end_of(const struct lane_request *rq)
{
	if (timeline_burst_is_over(rq))
		return timeline_span_exact(rq->end.hi);
	return rq->end;
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t now_ns)
{
	struct lane_findings *f = arg;
	struct lane_span at = timeline_span_exact(now_ns);

	if (from == LANE_RQ_STATE_NEW && (rq->seen & LANE_SEEN_QUEUE))
		put_state(f, rq, LANE_RQ_STATE_NEW, STATE_OVER, timeline_span_exact(rq->queue_ns));
	if (rq->state == LANE_RQ_STATE_ENDED)
		at = end_of(rq);
	else if (rq->state == LANE_RQ_STATE_RUNNING && rq->start.lo == now_ns)
		at = rq->start;
	put_state(f, rq, findings_number_of(rq, rq->state), findings_number_of(rq, from), at);
	if (rq->state == LANE_RQ_STATE_RUNNING)
		findings_note_run(f, rq, now_ns);
}

static int64_t stage(const struct lane_stages *stages, enum lane_stage which)
{
	return stages->known >> which & 1 ? (int64_t)stages->ns[which].lo : -1;
}

static void findings_put_request(struct lane_findings *f, const struct lane_request *rq,
				 uint64_t at_ns)
{
	struct lane_event event;
	struct lane_p_gpulane_request *to = &event.u.gpulane_request;
	struct lane_stages stages;

	latency_stages_of(f->info, rq, &stages);
	findings_fill(f, &event, rq, rq->engine, at_ns);
	to->total_ns = stages.total_known ? (int64_t)stages.total.lo : -1;
	to->uncertain_ns = stages.total_known ? (int64_t)(stages.total.hi - stages.total.lo) : -1;
	to->prepare_ns = stage(&stages, LANE_STAGE_PREPARE);
	to->dependency_ns = stage(&stages, LANE_STAGE_DEPENDENCY);
	to->host_queue_ns = stage(&stages, LANE_STAGE_HOST_QUEUE);
	to->device_queue_ns = stage(&stages, LANE_STAGE_DEVICE_QUEUE);
	to->running_ns = stage(&stages, LANE_STAGE_RUNNING);
	to->preempted_ns = stage(&stages, LANE_STAGE_PREEMPTED);
	to->signal_ns = stage(&stages, LANE_STAGE_SIGNAL);
	to->wake_ns = stage(&stages, LANE_STAGE_WAKE);
	to->unknown = stages.unknown;
	to->preemptions = rq->preemptions;
	snprintf(to->ended, sizeof(to->ended), "%s", lane_fault_names[rq->fault]);
	findings_put(f, &event, LANE_FOUND_REQUEST, at_ns);
}

/* Its row is free when it has been signalled; what was not told to be over, is now. What is not
 * complete is shown until its driver had certainly done with it. */
static void on_request(void *arg, const struct lane_request *rq)
{
	struct lane_findings *f = arg;
	uint64_t at_ns = f->now_ns;

	if (rq->state == LANE_RQ_STATE_ENDED)
		at_ns = rq->fault && timeline_end_is_known(rq) ? rq->end.hi : end_of(rq).lo;
	if ((rq->seen & LANE_SEEN_SIGNAL) && (at_ns == LANE_NEVER || rq->signal_ns > at_ns))
		at_ns = rq->signal_ns;
	put_state(f, rq, STATE_OVER, findings_number_of(rq, rq->state), timeline_span_exact(at_ns));
	findings_put_request(f, rq, at_ns);
}

static void on_queue(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		     const struct lane_request *rq, int delta, uint64_t now_ns)
{
	struct lane_findings *f = arg;
	uint64_t at_ns = findings_go_on(f, &f->queue_ns[queue], rq, now_ns, delta < 0);
	struct lane_event event;

	findings_fill(f, &event, rq, engine, at_ns);
	event.u.gpulane_queue_length.queue = queue;
	event.u.gpulane_queue_length.delta = delta;
	findings_put(f, &event, LANE_FOUND_QUEUE, at_ns);
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct lane_findings *f = arg;
	struct engine_note *note = note_of(f, run->engine);
	struct lane_event event;

	if (note)
		note->is_running = false;
	findings_fill(f, &event, run->request, run->engine, run->begin.hi);
	event.u.gpulane_run_begin.lasted_ns = run->end.lo - run->begin.lo;
	event.u.gpulane_run_begin.doubtful = run->is_unsure;
	findings_put(f, &event, LANE_FOUND_RUN_BEGIN, run->begin.lo);
	event.u.gpulane_run_end.latest_ns = run->end.hi;
	findings_put(f, &event, LANE_FOUND_RUN_END, run->end.lo);
}

static void on_preemption(void *arg, const struct lane_preemption *p)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_preempted *to = &event.u.gpulane_preempted;

	findings_fill(f, &event, p->victim, p->engine, p->at.hi);
	to->culprit = -1;
	memcpy(to->culprit_process, "unknown", sizeof("unknown"));
	if (p->culprit) {
		to->culprit_ctx = p->culprit->ctx;
		to->culprit_seqno = p->culprit_seqno;
		set_process(f, p->culprit_client, &to->culprit, to->culprit_process);
	}
	to->lasted_ns = p->lasted.lo;
	to->why = p->why;
	findings_put(f, &event, LANE_FOUND_PREEMPTED, p->at.lo);
	to->latest_ns = span_end(p->at.lo, p->lasted.hi);
	findings_put(f, &event, LANE_FOUND_RESUMED, span_end(p->at.hi, p->lasted.lo));
}

static void set_causes(struct lane_p_gpulane_idle_begin *to, const struct lane_idle *idle)
{
	to->starved_ns = idle->cause_ns[LANE_IDLE_STARVED];
	to->other_engine_ns = idle->cause_ns[LANE_IDLE_OTHER_ENGINE];
	to->same_engine_ns = idle->cause_ns[LANE_IDLE_SAME_ENGINE];
	to->blocked_ns = idle->cause_ns[LANE_IDLE_BLOCKED];
	to->computing_ns = idle->cause_ns[LANE_IDLE_COMPUTING];
	to->dependency_ns = idle->cause_ns[LANE_IDLE_DEPENDENCY];
	to->driver_ns = idle->cause_ns[LANE_IDLE_DRIVER];
	to->unknown_ns = idle->cause_ns[LANE_IDLE_UNKNOWN];
	to->cause = CAUSE_FIRST + latency_idle_cause(idle);
}

static void on_idle(void *arg, const struct lane_idle *idle)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_idle_begin *to = &event.u.gpulane_idle_begin;

	findings_fill(f, &event, idle->request, idle->engine, idle->begin_ns);
	to->lasted_ns = idle->end_ns - idle->begin_ns;
	set_causes(to, idle);
	to->thread = to->culprit = to->culprit_cpu = -1;
	if (idle->thread) {
		to->thread = idle->thread->tid;
		memcpy(to->thread_comm, idle->thread->comm, sizeof(to->thread_comm));
	}
	if (idle->culprits[0].ns) {
		to->culprit = idle->culprits[0].tid;
		to->culprit_cpu = idle->culprits[0].cpu;
		memcpy(to->culprit_comm, idle->culprits[0].comm, sizeof(to->culprit_comm));
	}
	findings_put(f, &event, LANE_FOUND_IDLE_BEGIN, idle->begin_ns);
	to->latest_ns = idle->end_ns;
	findings_put(f, &event, LANE_FOUND_IDLE_END, idle->end_ns);
}

static void on_starvation(void *arg, const struct lane_starvation *s)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_starved_begin *to = &event.u.gpulane_starved_begin;

	begin_record(&event, s->victim->tid, s->victim->pid);
	to->lasted_ns = s->end_ns - s->begin_ns;
	to->victim = s->victim->tid;
	to->victim_pid = s->victim->pid;
	set_thread(f, s->victim->tid, s->victim->comm, to->victim_thread);
	to->culprit = s->tid;
	set_thread(f, s->tid, s->tid ? s->comm : "", to->culprit_thread);
	to->on_cpu = s->cpu;
	findings_put(f, &event, LANE_FOUND_STARVED_BEGIN, s->begin_ns);
	findings_put(f, &event, LANE_FOUND_STARVED_END, s->end_ns);
}

static void on_wait(void *arg, const struct lane_wait *wait)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_wait *to = &event.u.gpulane_wait;
	bool woken = wait->signal_ns && wait->end_ns >= wait->signal_ns;

	findings_fill(f, &event, wait->request, wait->request->engine, wait->end_ns);
	event.wire.tid = wait->thread->tid;
	event.wire.pid = wait->thread->pid;
	to->lasted_ns = wait->end_ns - wait->begin_ns;
	to->wake_ns = woken ? (int64_t)(wait->end_ns - wait->signal_ns) : -1;
	to->runqueue_ns = woken && wait->runqueue_known ? (int64_t)wait->runqueue_ns : -1;
	to->slept = wait->slept_known ? wait->slept : 2;
	findings_put(f, &event, LANE_FOUND_WAIT, wait->end_ns);
}

static void on_command(void *arg, const struct lane_command *c)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_command *to = &event.u.gpulane_command;
	const char *name = *c->name ? c->name : lane_command_class_names[c->class];
	static const uint32_t states[LANE_COMMAND_TIMES] = { LANE_RQ_STATE_HOST,
							     LANE_RQ_STATE_DEVICE,
							     LANE_RQ_STATE_RUNNING, STATE_OVER };

	begin_record(&event, c->tid, c->pid);
	to->queue = c->queue->handle;
	to->command = c->number;
	to->size = c->size;
	to->type = c->type;
	to->certainty = c->certainty;
	to->client = c->pid;
	to->status = c->status;
	if (c->n_requests) {
		to->ctx = c->requests[0].ctx;
		to->dev = c->requests[0].dev;
		to->seqno = c->requests[0].seqno;
	}
	set_thread(f, c->pid, c->queue->comm, to->process);
	set_queue(f, c->queue, to->label);
	memcpy(to->name, name, strnlen(name, sizeof(to->name) - 1));
	for (uint32_t state = 0; c->timed && state < LANE_COMMAND_TIMES; state++) {
		to->state = states[state];
		to->latest_ns = c->time[state].hi;
		findings_put(f, &event, LANE_FOUND_COMMAND, c->time_ns[state]);
	}
	if (c->timed || !c->call_ns || !c->known_ns)
		return;
	/* All that is known is when it was asked for, and that it was over. */
	to->state = LANE_RQ_STATE_HOST;
	to->latest_ns = c->call_ns;
	findings_put(f, &event, LANE_FOUND_COMMAND, c->call_ns);
	to->state = STATE_OVER;
	to->latest_ns = c->known_ns;
	findings_put(f, &event, LANE_FOUND_COMMAND, c->known_ns);
}

static void on_flip(void *arg, const struct lane_flip *flip)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_display *to = &event.u.gpulane_display;

	if (!flip->shown_ns)
		return;
	begin_record(&event, flip->tid, flip->pid);
	to->asked_ns = flip->asked_ns;
	to->shown_ns = flip->shown_ns;
	to->missed = flip->missed;
	to->ctx = flip->fence_ctx;
	to->seqno = flip->fence_seqno;
	to->dev = flip->dev;
	to->crtc = flip->crtc;
	to->refresh = (uint32_t)flip->seq;
	snprintf(to->at, sizeof(to->at), "%s", lane_miss_names[flip->cause]);
	set_thread(f, flip->tid, flip->comm, to->thread);
	timeline_screen_name(flip->dev, flip->crtc, flip->connector, to->label, sizeof(to->label));
	to->state = STATE_MISSED;
	if (flip->missed)
		findings_put(f, &event, LANE_FOUND_DISPLAY,
			     flip->shown_ns - flip->missed * flip->period_ns);
	to->state = STATE_SHOWN;
	findings_put(f, &event, LANE_FOUND_DISPLAY, flip->shown_ns);
}

static void on_loss(void *arg, const struct lane_loss *loss)
{
	struct lane_findings *f = arg;
	struct lane_event event;
	struct lane_p_gpulane_loss_begin *to = &event.u.gpulane_loss_begin;

	begin_record(&event, -1, -1);
	to->count = loss->count;
	to->lasted_ns = loss->end_ns - loss->begin_ns;
	to->lost_cpu = loss->cpu;
	snprintf(to->label, sizeof(to->label), loss->cpu < 0 ? "any CPU" : "CPU %d", loss->cpu);
	findings_put(f, &event, LANE_FOUND_LOSS_BEGIN, loss->begin_ns);
	findings_put(f, &event, LANE_FOUND_LOSS_END, loss->end_ns);
}

/* --- in order --- */

static struct lane_rows_key thing_of(const struct lane_p_gpulane_run_begin *found)
{
	return (struct lane_rows_key){ found->ctx, (uint64_t)found->dev << 32 | found->seqno };
}

/* The row of a thing, which it has until it is over. */
static uint32_t findings_row_of(struct lane_track_rows *rows, struct lane_rows_key group,
				struct lane_rows_key thing, bool is_over)
{
	return is_over ? show_rows_give(rows, group, thing) : show_rows_take(rows, group, thing);
}

static void place_state(struct lane_findings *f, struct lane_event *event)
{
	struct lane_p_gpulane_request_state *state = &event->u.gpulane_request_state;
	struct lane_rows_key thing = thing_of(&event->u.gpulane_run_begin);
	struct lane_rows_key context = { state->ctx, state->dev };
	struct lane_rows_key process = { (uint32_t)state->client, 0 };
	bool is_over = state->state == STATE_OVER;

	state->row = findings_row_of(&f->rows[ROWS_REQUESTS], context, thing, is_over);
	state->process_row = findings_row_of(&f->rows[ROWS_OF_PROCESS], process, thing, is_over);
}

static void place_queue(struct lane_findings *f, struct lane_event *event)
{
	struct lane_p_gpulane_queue_length *to = &event->u.gpulane_queue_length;
	struct lane_track_rows *rows = &f->rows[ROWS_QUEUES + (to->queue != 0)];
	struct lane_rows_key engine = { to->dev, (uint64_t)to->class << 16 | to->instance };
	struct lane_rows_key thing = thing_of(&event->u.gpulane_run_begin);

	to->row = findings_row_of(rows, engine, thing, to->delta <= 0);
	to->length = show_rows_open(rows, engine);
}

static void place_preemption(struct lane_findings *f, struct lane_event *event)
{
	struct lane_p_gpulane_preempted *to = &event->u.gpulane_preempted;
	struct lane_rows_key thing = thing_of(&event->u.gpulane_run_begin);
	/* The process on the engine. */
	struct lane_rows_key group = { (uint64_t)to->dev << 32 | (uint32_t)to->client,
				       (uint32_t)to->class << 16 | to->instance };

	put_process(f, to->culprit, to->culprit_process);
	to->row = findings_row_of(&f->rows[ROWS_PREEMPTED], group, thing,
				  event->wire.kind == LANE_FOUND_RESUMED);
}

static void place_command(struct lane_findings *f, struct lane_event *event)
{
	struct lane_p_gpulane_command *to = &event->u.gpulane_command;
	struct lane_rows_key queue = { (uint32_t)to->client, to->queue };
	struct lane_rows_key thing = { (uint32_t)to->client, to->command };

	to->row = findings_row_of(&f->rows[ROWS_COMMANDS], queue, thing, to->state == STATE_OVER);
}

/* What still runs has begun to. */
static struct lane_error *end_reading(struct lane_findings *f)
{
	for (uint32_t i = 0; i < f->n_engines; i++)
		if (f->engines[i].engine)
			name_engine(&f->engines[i]);
	for (uint32_t i = 0; i < f->n_engines; i++)
		if (f->engines[i].is_running)
			findings_put(f, &f->engines[i].begin, LANE_FOUND_RUN_BEGIN,
				     f->engines[i].begin.wire.ts_ns);
	f->is_reading = true;
	return LANE_TAKE(f->error);
}

struct lane_error *show_findings_next(struct lane_findings *f, const struct lane_wire **record)
{
	struct lane_error *err = f->is_reading ? NULL : end_reading(f);
	struct lane_wire *wire = NULL;

	if (!err)
		err = show_spool_next(f->spool, &wire);
	*record = wire;
	if (err || !wire)
		return err;
	if (has_engine(wire->kind))
		put_name(f, (struct lane_event *)wire);
	if (wire->kind == LANE_FOUND_STATE)
		place_state(f, (struct lane_event *)wire);
	else if (wire->kind == LANE_FOUND_QUEUE)
		place_queue(f, (struct lane_event *)wire);
	else if (wire->kind == LANE_FOUND_PREEMPTED || wire->kind == LANE_FOUND_RESUMED)
		place_preemption(f, (struct lane_event *)wire);
	else if (wire->kind == LANE_FOUND_COMMAND)
		place_command(f, (struct lane_event *)wire);
	name_nameless((struct lane_event *)wire);
	for (int i = 0; i < ROWS; i++)
		if (f->rows[i].no_memory)
			return &lane_enomem;
	return NULL;
}

struct lane_error *show_findings_add(struct lane_findings *f, const struct lane_event *event)
{
	struct lane_event moved = *event;

	if (event->wire.kind == LANE_LOST)
		moved.wire.ts_ns = event->u.gpulane_lost.begin_ns;
	return show_spool_add(f->spool, &moved.wire);
}

struct lane_error *show_findings_now(struct lane_findings *f, uint64_t now_ns)
{
	if (!f->now_ns)
		f->first_ns = f->info->begin_ns && f->info->begin_ns < now_ns ? f->info->begin_ns
									      : now_ns;
	f->now_ns = now_ns;
	return LANE_TAKE(f->error);
}

struct lane_error *show_findings_create(int dir_fd, const struct lane_trace_info *info,
					struct lane_hooks *hooks, struct lane_findings **findings)
{
	struct lane_findings *f = calloc(1, sizeof(*f));
	struct lane_error *err;

	if (!f)
		return &lane_enomem;
	f->info = info;
	f->label_pool.size = sizeof(struct label);
	err = show_spool_create(dir_fd, SPOOL_BYTES, &f->spool);
	if (err) {
		show_findings_destroy(f);
		return err;
	}
	*hooks = (struct lane_hooks){ .arg = f,
				      .request = on_request,
				      .state = on_state,
				      .queue = on_queue,
				      .run = on_run,
				      .preemption = on_preemption,
				      .idle = on_idle,
				      .starvation = on_starvation,
				      .wait = on_wait,
				      .flip = on_flip,
				      .loss = on_loss,
				      .command = on_command };
	*findings = f;
	return NULL;
}

void show_findings_destroy(struct lane_findings *f)
{
	if (!f)
		return;
	show_spool_destroy(f->spool);
	lane_error_free(f->error);
	lane_table_free(&f->labels);
	lane_pool_free(&f->label_pool);
	for (int i = 0; i < ROWS; i++)
		show_rows_free(&f->rows[i]);
	lane_table_free(&f->stage_ns);
	lane_table_free(&f->queue_ns[0]);
	lane_table_free(&f->queue_ns[1]);
	free(f->engines);
	free(f);
}

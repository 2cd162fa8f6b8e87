// SPDX-License-Identifier: MIT
// Subscribes to the timeline; what it tells late is put in its place before it is applied.
#include "truth.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/report.h"
#include "timeline/timeline.h"

enum {
	HOST = 2,
	DEVICE,
	RUNNING,
	PREEMPTED,
	OVER = 7,
	BURST = 8,
	STARVED = 10,
	LOST = 20,
	BEFORE_FIRST = 8, /* from STARVED on */
	AFTER_LAST,
	CALL = 30,
	SHOWN = 32,
	MISSED,
};

/* An attribute gets a value, or a number more. */
struct change {
	uint64_t at_ns;
	size_t order;
	struct state_attribute *attribute;
	struct state_value value;
	bool add;
};

struct truth {
	struct state_system *system;
	struct change *changes;
	size_t n;
	uint64_t now_ns;
	bool has_devices; /* several: that shows at the end, and engines are named by it */
	struct {
		bool open;
		struct state_attribute *engine;
		const struct lane_context *context;
		const struct lane_client *client;
		uint32_t seqno;
		uint64_t at_ns;
	} running[64];
};

static struct change *put(struct truth *t, struct state_attribute *attribute, uint64_t at_ns)
{
	struct change *change;

	if (!(t->n & (t->n - 1)))
		t->changes = reallocarray(t->changes, t->n ? 2 * t->n : 1, sizeof(*t->changes));
	if (!t->changes)
		exit(1);
	change = &t->changes[t->n];
	*change = (struct change){ .at_ns = at_ns == LANE_NEVER ? t->now_ns : at_ns,
				   .order = t->n,
				   .attribute = attribute };
	t->n++;
	return change;
}

static void put_null(struct truth *t, struct state_attribute *attribute, uint64_t at_ns)
{
	put(t, attribute, at_ns);
}

static void put_number(struct truth *t, struct state_attribute *attribute, uint64_t at_ns,
		       int64_t number)
{
	struct change *change = put(t, attribute, at_ns);

	change->value.type = STATE_NUMBER;
	change->value.number = number;
}

static void put_text(struct truth *t, struct state_attribute *attribute, uint64_t at_ns,
		     const char *text, size_t size)
{
	struct change *change = put(t, attribute, at_ns);

	change->value.type = STATE_TEXT;
	memcpy(change->value.text, text, strnlen(text, size));
}

/* The attribute of a path that is printed; its parts are separated by slashes. */
static struct state_attribute *path(struct truth *t, const char *format, ...)
{
	struct state_attribute *at = &t->system->root;
	char text[256], *rest = text, *part;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	while ((part = strsep(&rest, "/")))
		at = state_child(at, part, true);
	return at;
}

static struct state_attribute *below(struct state_attribute *attribute, const char *name)
{
	return state_child(attribute, name, true);
}

static const char *name_of(const struct truth *t, const struct lane_engine *engine, char *name,
			   size_t size)
{
	struct lane_engine named = *engine;

	named.is_one_of_several = t->has_devices;
	return show_engine_name(&named, name, size);
}

static struct state_attribute *engine_of(struct truth *t, const char *what,
					 const struct lane_engine *engine)
{
	char name[64];

	return below(path(t, "%s", what), name_of(t, engine, name, sizeof(name)));
}

static struct state_attribute *numbered(struct state_attribute *at, int64_t number)
{
	char name[24];

	snprintf(name, sizeof(name), "%" PRId64, number);
	return below(at, name);
}

static void put_client(struct truth *t, struct state_attribute *at, uint64_t at_ns,
		       const struct lane_client *client)
{
	char name[32];

	put_text(t, below(at, "name"), at_ns, show_client_name(client, name, sizeof(name)),
		 sizeof(name));
}

/* Not before what the attribute was given last. */
static uint64_t not_before(const struct truth *t, const struct state_attribute *attribute,
			   uint64_t at_ns)
{
	if (at_ns == LANE_NEVER)
		at_ns = t->now_ns;
	for (size_t i = t->n; i--;)
		if (t->changes[i].attribute == attribute)
			return at_ns > t->changes[i].at_ns ? at_ns : t->changes[i].at_ns;
	return at_ns;
}

static void put_stage(struct truth *t, const struct lane_request *rq, uint32_t state,
		      uint64_t at_ns)
{
	const struct lane_client *client = timeline_client_of(rq);
	struct state_attribute *rows[] = {
		path(t, "Clients/%d/Contexts/%" PRIu64 "/Rows/%" PRIu32 "-%" PRIu32, client->pid,
		     rq->context->ctx, rq->context->dev, rq->seqno),
		path(t, "Clients/%d/Rows/%" PRIu64 "-%" PRIu32 "-%" PRIu32, client->pid,
		     rq->context->ctx, rq->context->dev, rq->seqno)
	};

	at_ns = not_before(t, rows[0], at_ns);
	put_client(t, path(t, "Clients/%d", client->pid), at_ns, client);
	for (int i = 0; i < 2; i++) {
		if (state == OVER) {
			put_null(t, rows[i], at_ns);
			put_null(t, below(rows[i], "seqno"), at_ns);
			continue;
		}
		put_number(t, rows[i], at_ns, state);
		put_number(t, below(rows[i], "seqno"), at_ns, rq->seqno);
	}
}

static void run_begins(struct truth *t, struct state_attribute *engine,
		       const struct lane_client *client, const struct lane_context *context,
		       uint32_t seqno, uint64_t at_ns)
{
	struct state_attribute *process = numbered(engine, client->pid);
	struct state_attribute *ctx = numbered(below(process, "Contexts"), (int64_t)context->ctx);

	put_number(t, engine, at_ns, RUNNING);
	put_number(t, process, at_ns, RUNNING);
	put_number(t, ctx, at_ns, RUNNING);
	put_number(t, below(ctx, "seqno"), at_ns, seqno);
	put_client(t, process, at_ns, client);
}

/* At the earliest; a burst when it is over, since nothing is known of it before. */
static uint64_t end_of(const struct lane_request *rq)
{
	return timeline_burst_is_over(rq) ? rq->end.hi : rq->end.lo;
}

static void on_state(void *arg, const struct lane_request *rq, enum lane_request_state from,
		     uint64_t now_ns)
{
	struct truth *t = arg;

	if (from == LANE_RQ_STATE_NEW && (rq->seen & LANE_SEEN_QUEUE))
		put_stage(t, rq, LANE_RQ_STATE_NEW, rq->queue_ns);
	put_stage(t, rq, rq->state == LANE_RQ_STATE_BURST ? BURST : rq->state,
		  rq->state == LANE_RQ_STATE_ENDED ? end_of(rq) : now_ns);
	if (rq->state == LANE_RQ_STATE_RUNNING && rq->engine->id < 64) {
		t->running[rq->engine->id].open = true;
		t->running[rq->engine->id].engine = engine_of(t, "Engines", rq->engine);
		t->running[rq->engine->id].context = rq->context;
		t->running[rq->engine->id].client = timeline_client_of(rq);
		t->running[rq->engine->id].seqno = rq->seqno;
		t->running[rq->engine->id].at_ns = now_ns;
	}
}

static void on_request(void *arg, const struct lane_request *rq)
{
	struct truth *t = arg;
	uint64_t at_ns = rq->state == LANE_RQ_STATE_ENDED ? end_of(rq) : t->now_ns;

	if ((rq->seen & LANE_SEEN_SIGNAL) && (at_ns == LANE_NEVER || rq->signal_ns > at_ns))
		at_ns = rq->signal_ns;
	put_stage(t, rq, OVER, at_ns);
}

static void on_queue(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		     const struct lane_request *rq, int delta, uint64_t now_ns)
{
	struct truth *t = arg;
	const char *kind = queue == LANE_QUEUE_HOST ? "host" : "device";
	char name[64 - 7]; /* what the export's label has room for, before its last word */
	struct state_attribute *row;

	name_of(t, engine, name, sizeof(name));
	row = path(t, "Queues/%s %s/%" PRIu64 "-%" PRIu32, name, kind, rq->context->ctx, rq->seqno);
	now_ns = not_before(t, row, now_ns);
	put_number(t, path(t, "Lengths/%s %s", name, kind), now_ns, delta);
	t->changes[t->n - 1].add = true;
	if (delta < 0) {
		put_null(t, row, now_ns);
		put_null(t, below(row, "ctx"), now_ns);
		return;
	}
	put_number(t, row, now_ns, queue == LANE_QUEUE_HOST ? HOST : DEVICE);
	put_number(t, below(row, "ctx"), now_ns, (int64_t)rq->context->ctx);
}

static void on_run(void *arg, const struct lane_run *run)
{
	struct truth *t = arg;
	struct state_attribute *engine = engine_of(t, "Engines", run->engine);
	const struct lane_context *context = run->request->context;
	const struct lane_client *client = timeline_client_of(run->request);
	struct state_attribute *process = numbered(engine, client->pid);
	struct state_attribute *ctx = numbered(below(process, "Contexts"), (int64_t)context->ctx);

	if (run->engine->id < 64)
		t->running[run->engine->id].open = false;
	run_begins(t, engine, client, context, run->request->seqno, run->begin.lo);
	put_null(t, engine, run->end.lo);
	put_null(t, process, run->end.lo);
	put_null(t, ctx, run->end.lo);
	put_null(t, below(ctx, "seqno"), run->end.lo);
}

static void on_idle(void *arg, const struct lane_idle *idle)
{
	struct truth *t = arg;
	struct state_attribute *engine = engine_of(t, "Engines", idle->engine);
	int cause = LANE_IDLE_UNKNOWN;

	for (int i = 0; i < LANE_IDLE_CAUSE_COUNT; i++)
		if (idle->cause_ns[i] > idle->cause_ns[cause])
			cause = i;
	if (idle->is_first || idle->is_last)
		cause = idle->is_first ? BEFORE_FIRST : AFTER_LAST;
	put_number(t, engine, idle->begin_ns, STARVED + cause);
	put_null(t, engine, idle->end_ns);
}

static void on_preemption(void *arg, const struct lane_preemption *p)
{
	struct truth *t = arg;
	const struct lane_context *victim = p->victim->context;
	const struct lane_client *client = timeline_client_of(p->victim);
	struct state_attribute *process = numbered(engine_of(t, "GPU", p->engine), client->pid);
	uint64_t back_ns = p->at.hi + p->lasted.lo;
	struct state_attribute *row, *culprit;
	char name[64];

	snprintf(name, sizeof(name), "%" PRIu64 "-%" PRIu32, victim->ctx, p->victim->seqno);
	row = below(below(process, "Rows"), name);
	culprit = below(below(row, "Culprits"),
			p->culprit ? show_client_name(p->culprit_client, name, sizeof(name))
				   : "unknown");
	put_client(t, process, p->at.lo, client);
	put_number(t, row, p->at.lo, PREEMPTED);
	put_number(t, culprit, p->at.lo, PREEMPTED);
	put_null(t, row, back_ns);
	put_null(t, culprit, back_ns);
}

static void on_starvation(void *arg, const struct lane_starvation *s)
{
	struct truth *t = arg;
	struct state_attribute *thread = path(t, "CPU/%d", s->victim->tid);
	struct state_attribute *culprit;
	char name[32];

	culprit =
		below(below(thread, "Culprits"),
		      show_task_name(s->tid, s->tid && s->comm ? s->comm : "", name, sizeof(name)));
	put_text(t, below(thread, "name"), s->begin_ns,
		 show_task_name(s->victim->tid, s->victim->comm, name, sizeof(name)), sizeof(name));
	put_number(t, thread, s->begin_ns, STARVED);
	put_number(t, culprit, s->begin_ns, STARVED);
	put_null(t, thread, s->end_ns);
	put_null(t, culprit, s->end_ns);
}

/* OpenCL's commands have a request's colours: queued, submitted, running. */
static void on_command(void *arg, const struct lane_command *c)
{
	static const uint32_t states[LANE_COMMAND_TIMES] = { HOST, DEVICE, RUNNING, OVER };
	struct truth *t = arg;
	struct state_attribute *queue =
		path(t, "Processes/%d/Queues/%" PRIi64, c->pid, (int64_t)c->queue->handle);
	struct state_attribute *row, *what;
	char label[64], name[32];

	row = numbered(below(queue, "Rows"), (int64_t)c->number);
	what = below(below(row, "Commands"),
		     *c->name ? c->name : lane_command_class_names[c->class]);
	snprintf(label, sizeof(label), "%#" PRIx64 " %.45s", c->queue->handle,
		 c->queue->device_name);
	show_task_name(c->pid, c->queue->comm, name, sizeof(name));
	for (uint32_t i = 0; i < LANE_COMMAND_TIMES; i++) {
		uint64_t at_ns = c->time_ns[i];

		if (!c->timed && (!c->call_ns || !c->known_ns))
			break;
		if (!c->timed && i && i != LANE_COMMAND_END)
			continue;
		if (!c->timed)
			at_ns = i ? c->known_ns : c->call_ns;
		put_text(t, path(t, "Processes/%d/name", c->pid), at_ns, name, sizeof(name));
		put_text(t, below(queue, "name"), at_ns, label, sizeof(label));
		if (i == LANE_COMMAND_END) {
			put_null(t, row, at_ns);
			put_null(t, what, at_ns);
			break;
		}
		put_number(t, row, at_ns, states[i]);
		put_number(t, what, at_ns, states[i]);
	}
}

static void on_call(void *arg, const struct lane_call *call)
{
	struct truth *t = arg;
	struct state_attribute *thread = path(t, "Processes/%d/Threads/%d", call->pid, call->tid);

	put_number(t, thread, call->begin_ns, CALL);
	if (call->ended)
		put_null(t, thread, call->end_ns);
}

static void on_flip(void *arg, const struct lane_flip *flip)
{
	struct truth *t = arg;
	struct state_attribute *display;

	if (!flip->shown_ns)
		return;
	display = *flip->connector ? path(t, "Displays/%s of card%u", flip->connector, flip->dev)
				   : path(t, "Displays/CRTC %d of card%u", flip->crtc, flip->dev);
	if (flip->missed)
		put_number(t, display, flip->shown_ns - flip->missed * flip->period_ns, MISSED);
	put_number(t, display, flip->shown_ns, SHOWN);
}

static void on_loss(void *arg, const struct lane_loss *loss)
{
	struct truth *t = arg;
	struct state_attribute *cpu =
		path(t, loss->cpu < 0 ? "Lost events/any CPU" : "Lost events/CPU %d", loss->cpu);

	put_number(t, cpu, loss->begin_ns, LOST);
	put_null(t, cpu, loss->end_ns);
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void apply(struct truth *t)
{
	for (uint32_t i = 0; i < 64; i++)
		if (t->running[i].open)
			run_begins(t, t->running[i].engine, t->running[i].client,
				   t->running[i].context, t->running[i].seqno, t->running[i].at_ns);
	if (t->n)
		qsort(t->changes, t->n, sizeof(*t->changes), by_time);
	for (size_t i = 0; i < t->n; i++) {
		struct change *change = &t->changes[i];

		if (change->add)
			change->value.number += change->attribute->value.number;
		state_modify(change->attribute, change->at_ns, &change->value);
	}
}

/* One reading; *again: with the losses now in *losses, with the clocks of *earlier, or with
 * t->has_devices. */
static struct lane_error *read_once(struct truth *t, const char *name, struct lane_loss **losses,
				    size_t *n_losses, struct lane_timeline **earlier, bool *again)
{
	struct lane_hooks hooks = { .arg = t,
				    .request = on_request,
				    .state = on_state,
				    .queue = on_queue,
				    .run = on_run,
				    .preemption = on_preemption,
				    .idle = on_idle,
				    .starvation = on_starvation,
				    .flip = on_flip,
				    .loss = on_loss,
				    .call = on_call,
				    .command = on_command };
	struct lane_timeline_figures figures;
	struct lane_timeline *timeline = NULL;
	struct lane_input *input = NULL;
	const struct lane_event *event;
	struct lane_error *err = norm_input_open(name, &input);

	if (!err)
		err = timeline_create(norm_input_info(input), *losses, *n_losses, &hooks,
				      &timeline);
	if (!err && *earlier && !timeline_foresee_clocks(timeline, *earlier))
		exit(1);
	while (!err && !(err = norm_input_next(input, &event)) && event) {
		t->now_ns = event->wire.ts_ns;
		err = timeline_push(timeline, event);
	}
	if (!err) {
		timeline_figures(timeline, &figures);
		*again = (figures.loss_unforeseen || figures.clock_unforeseen) && !*earlier;
		if (*again) {
			const struct lane_loss *found = timeline_losses(timeline, n_losses);

			*earlier = timeline;

			*losses = malloc((*n_losses + 1) * sizeof(**losses));
			if (!*losses)
				exit(1);
			if (found)
				memcpy(*losses, found, *n_losses * sizeof(**losses));
		} else {
			const struct lane_engine *first;

			err = timeline_finish(timeline, false);
			first = timeline_engine(timeline, 0);
			*again = first && first->is_one_of_several && !t->has_devices;
			t->has_devices |= *again;
			if (!err && !*again)
				apply(t);
		}
	}
	if (timeline != *earlier)
		timeline_destroy(timeline);
	norm_input_close(input);
	return err;
}

bool truth_read(const char *name, struct state_system *system)
{
	struct lane_loss *losses = NULL;
	struct lane_timeline *earlier = NULL;
	size_t n_losses = 0;
	struct lane_error *err;
	struct truth t;
	bool again, has_devices = false;

	do {
		memset(&t, 0, sizeof(t));
		t.system = system;
		t.has_devices = has_devices;
		again = false;
		err = read_once(&t, name, &losses, &n_losses, &earlier, &again);
		has_devices = t.has_devices;
		free(t.changes);
	} while (!err && again);
	free(losses);
	timeline_destroy(earlier);
	if (err)
		fprintf(stderr, "%s\n", lane_error_message(err));
	lane_error_free(err);
	state_close(system, t.now_ns);
	return !err;
}

/* SPDX-License-Identifier: MIT */
/*
 * The command streamer with its submit port. What the driver's comments say of it (Linux 6.1,
 * gt/intel_execlists_submission.c:execlists_dequeue(), process_csb(), gen12_csb_parse()):
 * - It runs the written set's first element to its tail, then the second, then it idles. Each
 * change makes an entry of the context status buffer.
 * - A set that is written while one runs is taken at the next point of arbitration: mid-batch, or
 * between requests. When it begins with the context that runs, that one goes on (lite-restore).
 * - A context that completes while a set is written either makes room for that set or for its own
 * set's second element; the set is taken later then.
 * - Behind each breadcrumb it waits while the driver has set the pause flag (gt/gen8_engine_cs.c:
 *   emit_preempt_busywait()).
 */
#include <string.h>

#include "gpu.h"

void (*hw_ring_empty)(struct engine *engine);

struct step {
	struct engine *engine;
	void (*run)(struct engine *engine);
	unsigned generation;
};

static void work_step(void *arg)
{
	struct step *step = arg;

	if (step->generation == step->engine->hw.work_generation)
		step->run(step->engine);
}

static void arbitration_step(void *arg)
{
	struct step *step = arg;

	if (step->generation == step->engine->hw.arbitration_generation)
		step->run(step->engine);
}

static void work_after(struct engine *engine, uint64_t ns, void (*run)(struct engine *engine))
{
	struct step *step = allocate(sizeof(*step));

	*step = (struct step){ engine, run, ++engine->hw.work_generation };
	at(machine.now + ns, work_step, step);
}

static void arbitrate_after(struct engine *engine, uint64_t ns, void (*run)(struct engine *engine))
{
	struct step *step = allocate(sizeof(*step));

	*step = (struct step){ engine, run, ++engine->hw.arbitration_generation };
	at(machine.now + ns, arbitration_step, step);
}

/* -- The ring -- */

void hw_emit(struct context *ce, struct request *rq)
{
	if (ce->n_ring == ce->room_ring) {
		size_t room = ce->room_ring ? ce->room_ring * 2 : 64;
		struct request **ring = allocate(room * sizeof(*ring));

		if (ce->n_ring)
			memcpy(ring, ce->ring, ce->n_ring * sizeof(*ring));
		ce->ring = ring;
		ce->room_ring = room;
	}
	rq->global_order = ++ce->emitted;
	ce->ring[ce->n_ring++] = rq;
}

/* The request that the element's context goes on with; NULL at its tail. */
struct request *hw_next_request(const struct element *element)
{
	struct context *ce = element->context;

	if (!ce || ce->ring_head == ce->n_ring)
		return NULL;
	return ce->ring[ce->ring_head]->seqno <= element->tail ? ce->ring[ce->ring_head] : NULL;
}

/* -- Interrupts: gt/intel_gt_irq.c, one line for all engines -- */

static void serve_line(void *arg);

static void line_arrives(void *arg)
{
	(void)arg;
	interrupt(machine.irq_cpu >= 0 ? machine.irq_cpu : (int)dice((uint64_t)machine.n_cpus),
		  serve_line, NULL);
}

/* gt/intel_gt_irq.c:gen8_gt_irq_handler(): what has come meanwhile is served with it. */
static void serve_line(void *arg)
{
	(void)arg;
	gpu.is_irq_raised = false;
	for (int i = 0; i < gpu.n_engines; i++)
		if (gpu.engines[i].user_irq || gpu.engines[i].context_irq ||
		    gpu.engines[i].error_irq)
			engine_interrupt(&gpu.engines[i]);
	gpu.is_irq_line_busy = false;
	if (gpu.is_irq_raised) {
		gpu.is_irq_line_busy = true;
		at(machine.now, line_arrives, NULL);
	}
}

static void raise_line(void)
{
	gpu.is_irq_raised = true;
	if (gpu.is_irq_line_busy)
		return;
	gpu.is_irq_line_busy = true;
	at(machine.now + hardware_time(200, chance(gpu.has_slices ? 30 : 5) ? 20000 : 2500),
	   line_arrives, NULL);
}

void hw_user_interrupt(struct engine *engine)
{
	if (gpu.is_user_irq_masked && !engine->breadcrumbs.is_armed)
		return;
	engine->user_irq = true;
	raise_line();
}

static void write_csb(struct engine *engine, enum csb_kind kind, const struct context *from,
		      struct moment *switched)
{
	struct hardware *hw = &engine->hw;

	hw->csb[hw->csb_write++ % CSB_ENTRIES] = (struct csb){ kind, from, switched, hw->ended };
	hw->ended = NULL;
	engine->context_irq = true;
	raise_line();
}

/* -- Running -- */

static void request_completes(struct engine *engine);
static void next_in_element(struct engine *engine);
static void go_on(struct engine *engine);
static void take_written(struct engine *engine);

/* An instruction that there is not: the engine stops there, and has its interrupt. */
static void request_faults(struct engine *engine)
{
	engine->error_irq = true;
	raise_line();
}

static void work_on(struct engine *engine)
{
	struct hardware *hw = &engine->hw;

	hw->state = HW_RUNNING;
	hw->run_since = machine.now;
	hw->running->has_started = true;
	if (hw->running->faults)
		work_after(engine, hw->running->work_left / 2, request_faults);
	else if (hw->running->hangs)
		hw->work_generation++;
	else
		work_after(engine, hw->running->work_left, request_completes);
}

/* The context goes on with its next request. */
void hw_run(struct engine *engine, struct request *rq, struct moment *begin)
{
	engine->hw.ended = NULL;
	engine->hw.running = rq;
	run_begins(engine, rq, begin);
	work_on(engine);
}

/* The running request leaves, incomplete. */
void hw_stop(struct engine *engine, struct moment *end)
{
	struct hardware *hw = &engine->hw;
	uint64_t ran = hw->state == HW_RUNNING ? machine.now - hw->run_since : 0;

	hw->running->work_left -= ran < hw->running->work_left ? ran : hw->running->work_left - 1;
	run_ends(hw->running, end);
	hw->running = NULL;
	hw->work_generation++;
}

/* The breadcrumb is written: gt/gen8_engine_cs.c:gen8_emit_fini_breadcrumb_tail() */
static void request_completes(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	struct request *rq = hw->running;

	rq->is_complete = true;
	rq->work_left = 0;
	rq->end = moment_new(machine.now, NULL, NULL);
	run_ends(rq, rq->end);
	hears_completion(rq);
	rq->context->ring_head++;
	hw->ended = rq;
	hw->paused_since = 0;
	hw->running = NULL;
	hw->state = HW_GAP;
	hw_user_interrupt(engine);
	if (hw->n_written) /* between requests there is a point of arbitration */
		arbitrate_after(engine, hardware_time(20, 200), take_written);
	work_after(engine, hardware_time(30, 250), next_in_element);
}

static struct element *element_now(struct hardware *hw)
{
	return &hw->elements[hw->position];
}

/*
 * The element's context is loaded: it goes on where it was. In the wait behind a breadcrumb only
 * one is that was switched away in it: what lies behind that wait up to the tail,
 * gen8_emit_wa_tail(), waits for nothing.
 */
static void loaded(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	const struct context *ce = element_now(hw)->context;

	hw->state = HW_GAP;
	if (ce && ce->is_in_busywait)
		next_in_element(engine);
	else if (hw->running)
		work_on(engine);
	else
		go_on(engine);
}

/* The engine switches to the element's context: from now on that context's next request has the
 * engine. */
static void load_element(struct engine *engine)
{
	struct hardware *hw = &engine->hw;

	hw->state = HW_LOADING;
	hw->running = hw_next_request(element_now(hw));
	if (hw->running)
		run_begins(engine, hw->running, moment_new(machine.now, hw->last_end, NULL));
	work_after(engine, hardware_time(200, 3000), loaded);
}

/* Nothing is left up to the element's tail. */
static void element_completes(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	const struct context *from = element_now(hw)->context;
	struct moment *switched = moment_new(machine.now, hw->last_end, NULL);
	struct moment *end = hw->last_end;

	if (from)
		element_now(hw)->context->is_in_busywait = false;
	hw->last_end = switched;
	if (hw->n_written && gpu.mode != MODE_LEGACY && from && chance(50)) {
		hw->state = HW_IDLE;
		hw->last_end = end;
		take_written(engine);
		return;
	}
	if (hw->position + 1 < hw->n_elements) {
		write_csb(engine, CSB_NEXT_ELEMENT, from, switched);
		hw->position++;
		load_element(engine);
		return;
	}
	write_csb(engine, CSB_ACTIVE_TO_IDLE, from, switched);
	hw->state = HW_IDLE;
	hw->n_elements = hw->position = 0;
	if (hw->n_written)
		arbitrate_after(engine, 0, take_written);
}

/* No breadcrumb's wait holds the element any more. */
static void go_on(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	struct request *rq;

	if (hw_ring_empty) {
		hw_ring_empty(engine);
		return;
	}
	if (element_now(hw)->context)
		element_now(hw)->context->is_in_busywait = false;
	if (hw->running) { /* its context was loaded in that wait */
		work_on(engine);
		return;
	}
	rq = hw_next_request(element_now(hw));
	if (rq) {
		gpu.statistics.coalesced++;
		if (hw->paused_since)
			rq->held_ns += machine.now - hw->paused_since;
		hw_run(engine, rq, moment_new(machine.now, hw->last_end, NULL));
	} else {
		element_completes(engine);
	}
}

/* Behind a breadcrumb: the element goes on unless the driver has set the pause flag. */
static void next_in_element(struct engine *engine)
{
	struct hardware *hw = &engine->hw;

	if (hw->is_paused && element_now(hw)->context) {
		hw->state = HW_PAUSED;
		hw->paused_since = machine.now;
		gpu.statistics.busywaits++;
		return;
	}
	go_on(engine);
}

/* -- The submit port -- */

/* The set's first context is the one that runs: it goes on with a new tail. */
static void lite_restore(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	struct moment *taken = moment_new(machine.now, &hw->submission->moment, hw->last_end);

	gpu.statistics.lite_restores++;
	memcpy(hw->elements, hw->written, sizeof(hw->elements));
	hw->n_elements = hw->n_written;
	hw->n_written = hw->position = 0;
	hw->running_submission = hw->submission;
	if (!hw->running)
		hw->last_end = taken;
	write_csb(engine, CSB_NEW_QUEUE, element_now(hw)->context, taken);
}

static void leave_context(struct engine *engine, struct moment *switched)
{
	struct hardware *hw = &engine->hw;
	struct context *ce = element_now(hw)->context;
	struct request *rq = hw->running;

	if (hw->state != HW_RUNNING && ce)
		ce->is_in_busywait = true;
	if (rq) {
		struct moment *end = moment_new(machine.now, switched, NULL);

		hw_stop(engine, end);
		preempted(engine, rq, end, hw->submission->why);
	}
}

/* The changeover: the hardware takes the written set. */
static void take_written(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	bool was_idle = hw->state == HW_IDLE;
	struct moment *switched;
	const struct context *from;

	hw->arbitration_generation++;
	if (hw->state == HW_RUNNING && hw->running->is_stubborn)
		return; /* it has no point of arbitration before its end */
	if (hw->state == HW_LOADING) {
		arbitrate_after(engine, hardware_time(100, 1000) + 1, take_written);
		return;
	}
	if (!was_idle && element_now(hw)->context == hw->written[0].context) {
		lite_restore(engine);
		return;
	}
	from = hw->n_elements ? element_now(hw)->context : NULL;
	switched =
		moment_new(machine.now, &hw->submission->moment, hw->running ? NULL : hw->last_end);
	if (!was_idle)
		leave_context(engine, switched);
	hw->last_end = switched;
	write_csb(engine, was_idle && !hw->n_elements ? CSB_IDLE_TO_ACTIVE : CSB_NEW_QUEUE, from,
		  switched);
	memcpy(hw->elements, hw->written, sizeof(hw->elements));
	hw->n_elements = hw->n_written;
	hw->n_written = hw->position = 0;
	hw->running_submission = hw->submission;
	load_element(engine);
}

/* The driver writes the port: gt/intel_execlists_submission.c:execlists_submit_ports() */
void hw_submit(struct engine *engine, struct request *const ports[], int n, struct submission *s)
{
	struct hardware *hw = &engine->hw;

	if (hw->n_written)
		broken("the submit port is written twice");
	for (int i = 0; i < n; i++)
		hw->written[i] = (struct element){ ports[i] ? ports[i]->context : NULL,
						   ports[i] ? ports[i]->seqno : 0 };
	hw->n_written = n;
	hw->submission = s;
	s->moment.at = machine.now;
	if (hw->state == HW_RUNNING)
		arbitrate_after(engine, hardware_time(300, chance(20) ? 60000 : 6000),
				take_written);
	else
		arbitrate_after(engine, hardware_time(200, 1500), take_written);
}

/* gt/intel_execlists_submission.c:ring_set_paused() */
void hw_pause(struct engine *engine, bool is_paused)
{
	struct hardware *hw = &engine->hw;

	hw->is_paused = is_paused;
	if (!is_paused && hw->state == HW_PAUSED) {
		hw->state = HW_GAP;
		hw->last_end = moment_new(machine.now, hw->last_end, NULL);
		work_after(engine, hardware_time(30, 400), next_in_element);
	}
}

/*
 * gt/intel_engine_cs.c:intel_engine_stop_cs(), and the reset behind it: what runs stops where it
 * is, what is written and not taken is lost. Returns the context that had the engine, and in `csb`
 * what no status entry tells.
 */
const struct context *hw_reset(struct engine *engine, struct csb *csb)
{
	struct hardware *hw = &engine->hw;
	struct context *ce = hw->n_elements ? element_now(hw)->context : NULL;
	struct request *rq = hw->running;
	struct moment *stopped = moment_new(machine.now, NULL, rq ? NULL : hw->last_end);

	*csb = (struct csb){ CSB_ACTIVE_TO_IDLE, ce, stopped, hw->ended };
	if (rq) {
		struct moment *end = moment_new(machine.now, stopped, NULL);

		hw_stop(engine, end);
		preempted(engine, rq, end, hw->n_written ? hw->submission->why : WHY_NONE);
		if (!hw->n_written) /* nobody was to take its place */
			hw->open_preemption = NULL;
	}
	if (ce)
		ce->is_in_busywait = false;
	hw->ended = NULL;
	hw->last_end = stopped;
	hw->state = HW_IDLE;
	hw->n_elements = hw->position = hw->n_written = 0;
	hw->paused_since = 0;
	hw->work_generation++;
	hw->arbitration_generation++;
	return ce;
}

/* The ring's tail moves while the hardware has it: ring submission, and the GuC's lite-restore. */
void hw_extend(struct engine *engine, struct context *ce, uint32_t tail)
{
	struct hardware *hw = &engine->hw;

	if (hw->n_elements && element_now(hw)->context == ce) {
		element_now(hw)->tail = tail;
		return;
	}
	hw->elements[0] = (struct element){ ce, tail };
	hw->n_elements = 1;
	hw->position = 0;
	load_element(engine);
}

// SPDX-License-Identifier: MIT
// The simulator itself: the laws hold on its truth, its events come in the kernel's order, every
// trap is there.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim.h"
#include "check.h"

#define SEEDS 60

struct run {
	struct sim_scenario *scenario;
	struct lane_event *events;
	size_t n;
	struct sim_truth *truth;
};

static void finish(struct run *r)
{
	free(r->events);
	sim_truth_free(r->truth);
	sim_scenario_free(r->scenario);
}

static struct run simulate(struct sim_scenario *scenario, uint64_t seed)
{
	struct run r = { .scenario = scenario };

	assert_non_null(scenario);
	assert_null(sim_run(scenario, seed, &r.events, &r.n, &r.truth));
	return r;
}

static struct run simulate_text(const char *text, uint64_t seed)
{
	struct sim_scenario *scenario = NULL;
	struct lane_error *err = sim_scenario_parse("test", text, &scenario);

	check(err);
	return simulate(scenario, seed);
}

/* The next event of a kind at or after `from`, n if there is none; seqno 0: any. */
static size_t find(const struct run *r, size_t from, enum lane_kind kind, uint32_t seqno)
{
	for (; from < r->n; from++) {
		const struct lane_event *e = &r->events[from];

		if (e->wire.kind == kind &&
		    (!seqno || (lane_is_request(kind) ? e->u.rq.seqno : e->u.fence.seqno) == seqno))
			break;
	}
	return from;
}

static size_t count(const struct run *r, enum lane_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->events[i].wire.kind == kind;
	return n;
}

static uint64_t sum_stage(const struct sim_request *t, enum sim_stage stage, uint64_t end)
{
	switch (stage) {
	case SIM_HOST_QUEUE:
		return t->submit == SIM_NONE
			       ? 0
			       : (t->execute == SIM_NONE ? end : t->execute) - t->submit;
	case SIM_DEVICE_QUEUE:
		return t->execute == SIM_NONE
			       ? 0
			       : (t->start == SIM_NONE ? end : t->start) - t->execute;
	default:
		return 0;
	}
}

static void check_conservation(const struct sim_truth *t)
{
	for (size_t i = 0; i < t->n_requests; i++) {
		const struct sim_request *r = &t->requests[i];
		uint64_t sum = 0;

		if (r->queue == SIM_NONE || r->signaled == SIM_NONE)
			continue;
		for (int s = 0; s < SIM_STAGE_COUNT; s++)
			sum += r->stage_ns[s];
		assert_int_equal(sum, r->signaled - r->queue);
		assert_true(r->end <= r->signaled && r->start <= r->end && r->execute <= r->start);
		assert_true(r->hw_end <= r->signaled);
		assert_true(r->retire == SIM_NONE || r->hw_end <= r->retire);
	}
}

/* One request at a time per engine; sums of the queues' lengths are the sums of the stages. */
static void check_engines(const struct sim_truth *t)
{
	uint64_t *until = calloc(t->n_engines + 1, sizeof(*until));
	struct sim_step *now = calloc(t->n_engines + 1, sizeof(*now));
	uint64_t host = 0, device = 0, busy = 0, host_sum = 0, device_sum = 0, busy_sum = 0;

	assert_true(until && now);
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *s = &t->spans[i];
		uint64_t end = s->end == SIM_NONE ? t->end_ns : s->end;

		assert_true(end >= s->start);
		/* What GuC's firmware does is known by interrupts that come late and together. */
		if (t->info.submission != LANE_SUBMISSION_GUC)
			assert_true(s->start >= until[s->engine]);
		until[s->engine] = end;
		busy_sum += end - s->start;
		if (!s->complete && s->end != SIM_NONE) {
			uint64_t again = t->end_ns;

			for (size_t k = i + 1; k < t->n_spans; k++)
				if (t->spans[k].request == s->request) {
					again = t->spans[k].start;
					break;
				}
			host_sum += again - s->end;
		}
	}
	for (size_t i = 0; i < t->n_requests; i++) {
		host_sum += sum_stage(&t->requests[i], SIM_HOST_QUEUE, t->end_ns);
		device_sum += sum_stage(&t->requests[i], SIM_DEVICE_QUEUE, t->end_ns);
	}
	for (size_t i = 0; i <= t->n_steps; i++) {
		uint64_t at = i < t->n_steps ? t->steps[i].at : t->end_ns;

		for (size_t e = 0; e < t->n_engines; e++) {
			if (i < t->n_steps && t->steps[i].engine != e)
				continue;
			host += now[e].host * (at - now[e].at);
			device += now[e].device * (at - now[e].at);
			busy += now[e].busy * (at - now[e].at);
			if (i < t->n_steps)
				now[e] = t->steps[i];
			if (t->info.submission != LANE_SUBMISSION_GUC)
				assert_true(now[e].busy <= 1);
			assert_true(now[e].busy < 1000 && now[e].host < 100000 &&
				    now[e].device < 100000);
		}
	}
	assert_int_equal(host, host_sum);
	assert_int_equal(device, device_sum);
	assert_int_equal(busy, busy_sum);
	free(until);
	free(now);
}

/* Threads: no gap from birth to death, and one thread runs on a CPU. */
static void check_threads(const struct sim_truth *t)
{
	uint64_t *until = calloc(t->cpus, sizeof(*until));

	assert_non_null(until);
	for (size_t p = 0; p < t->n_threads; p++) {
		const struct sim_thread *thread = &t->threads[p];
		uint64_t at = thread->born;

		for (size_t i = 0; i < t->n_states; i++) {
			if (t->states[i].tid != thread->tid)
				continue;
			assert_int_equal(t->states[i].from, at);
			at = t->states[i].to;
		}
		if (thread->born != SIM_NONE)
			assert_int_equal(at, thread->died == SIM_NONE ? t->end_ns : thread->died);
	}
	for (size_t i = 0; i < t->n_states; i++) {
		const struct sim_state *s = &t->states[i];

		if (s->state == SIM_RUNNABLE && s->culprit)
			assert_int_not_equal(s->culprit, s->tid);
		if (s->state != SIM_RUNNING_ON_CPU)
			continue;
		assert_true(s->from >= until[s->cpu]);
		until[s->cpu] = s->to;
	}
	free(until);
}

static void check_waits(const struct sim_truth *t)
{
	for (size_t i = 0; i < t->n_waits; i++) {
		const struct sim_wait *w = &t->waits[i];

		if (w->end == SIM_NONE)
			continue;
		assert_int_equal(w->wake_ns, w->wake_runqueue_ns + w->wake_cpu_ns);
		assert_true(w->end >= w->begin && t->requests[w->request].signaled <= w->end);
	}
}

static void check_order(const struct run *r)
{
	for (size_t i = 1; i < r->n; i++)
		assert_true(r->events[i].wire.ts_ns >= r->events[i - 1].wire.ts_ns);
}

static void laws(enum sim_mode mode)
{
	size_t requests = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct run r = simulate(sim_scenario_random(mode, seed), seed);

		check_order(&r);
		check_conservation(r.truth);
		check_engines(r.truth);
		check_threads(r.truth);
		check_waits(r.truth);
		assert_int_equal(r.truth->seen.inconsistent, 0);
		requests += r.truth->n_requests;
		finish(&r);
	}
	assert_true(requests > 50 * SEEDS);
}

#define LAWS(mode, MODE)                                                                           \
	static void laws_##mode(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		laws(MODE);                                                                        \
	}
LAWS(execlists, SIM_EXECLISTS)
LAWS(tracepoints, SIM_TRACEPOINTS)
LAWS(per_request, SIM_PER_REQUEST)
LAWS(guc, SIM_GUC)
LAWS(virtual, SIM_VIRTUAL)
LAWS(stock, SIM_STOCK)
LAWS(multi, SIM_MULTI)
LAWS(mixed, SIM_MIXED)

/* One seed, one result; another seed, another; and a written scenario is the same scenario. */
static void deterministic(void **state)
{
	(void)state;
	for (int mode = 0; mode < SIM_MODE_COUNT; mode++) {
		struct run a = simulate(sim_scenario_random((enum sim_mode)mode, 5), 5);
		struct run b = simulate(sim_scenario_random((enum sim_mode)mode, 5), 5);
		struct run c = simulate(sim_scenario_random((enum sim_mode)mode, 6), 6), d;
		char *text = NULL;
		size_t length;
		FILE *to = open_memstream(&text, &length);

		assert_non_null(to);
		sim_scenario_write(a.scenario, to);
		fclose(to);
		d = simulate_text(text, 5);
		assert_int_equal(a.n, b.n);
		assert_memory_equal(a.events, b.events, a.n * sizeof(*a.events));
		assert_int_equal(a.n, d.n);
		assert_memory_equal(a.events, d.events, a.n * sizeof(*a.events));
		assert_true(a.n != c.n || memcmp(a.events, c.events, a.n * sizeof(*a.events)));
		free(text);
		finish(&a);
		finish(&b);
		finish(&c);
		finish(&d);
	}
}

/* No delay anywhere: the hardware's times are the events'. */
static void no_delay_no_difference(void **state)
{
	struct run r =
		simulate_text("duration 40ms\nstep 0\nack 0\nswitch 0\nirq-delay 0\n"
			      "engine 0/0:0\ncontext a 0/0:0\ncontext b 0/0:0 prio 5\n"
			      "thread x pid 100\nloop 20\nsubmit a times 2 20us..400us listen\n"
			      "compute 5us..300us\nend\nend\n"
			      "thread y pid 101\nloop 20\nsubmit b times 2 20us..90us listen\n"
			      "compute 5us..900us\nend\nend\n",
			      3);

	(void)state;
	assert_true(r.truth->seen.preemptions > 3);
	for (size_t i = 0; i < r.truth->n_requests; i++)
		if (r.truth->requests[i].end != SIM_NONE)
			assert_int_equal(r.truth->requests[i].end, r.truth->requests[i].hw_end);
	for (size_t i = 0; i < r.truth->n_spans; i++)
		if (r.truth->spans[i].complete)
			assert_int_equal(r.truth->spans[i].start, r.truth->spans[i].hw_start);
	finish(&r);
}

#define QUIET "cpus 1\nduration 20ms\nstep 10ns\nack 0\ntimeslice 0\nspin 0\n"
#define ONE_ENGINE                                                                                 \
	QUIET "engine 0/0:0\ncontext a 0/0:0\ncontext b 0/0:0\ncontext high 0/0:0 prio 100\n"

/* Trap 1: of coalesced requests only the port's last has in and out; up to 5.3 every one has in. */
static void trap_coalesced(void **state)
{
	static const char text[] = "thread x pid 100\nsubmit b 1ms\nsubmit a times 3 1ms\nend\n";
	char old[1024];
	struct run r;

	(void)state;
	/* b on port 0, a's first on port 1; the others wait, then go together with it. */
	r = simulate_text(ONE_ENGINE "lock l\n"
				     "thread x pid 100\nsubmit b 300us\nsubmit b 300us\n"
				     "submit high 300us\nsubmit a times 3 1ms\nend\n",
			  1);
	assert_true(r.truth->seen.coalesced > 0);
	assert_int_equal(count(&r, LANE_RQ_EXECUTE) >= 6, 1);
	assert_true(count(&r, LANE_RQ_IN) < count(&r, LANE_RQ_EXECUTE));
	finish(&r);
	snprintf(old, sizeof(old), "mode per_request\n" ONE_ENGINE "%s", text);
	r = simulate_text(old, 1);
	assert_int_equal(count(&r, LANE_RQ_IN), 4);
	assert_int_equal(count(&r, LANE_RQ_OUT), 2);
	finish(&r);
}

/* Trap 2: in descending port order before the outs, which are ascending; one request twice in. */
static void trap_out_after_in(void **state)
{
	struct run r = simulate_text(ONE_ENGINE "thread x pid 100\nsubmit a 200us\nsubmit b 1ms\n"
						"submit high 100us\nend\n",
				     1);
	size_t high = find(&r, 0, LANE_RQ_EXECUTE, 0), in1, in0;

	(void)state;
	while (r.events[high].u.rq.ctx != r.truth->requests[2].ctx)
		high = find(&r, high + 1, LANE_RQ_EXECUTE, 0);
	in1 = find(&r, high, LANE_RQ_IN, 0);
	in0 = find(&r, in1 + 1, LANE_RQ_IN, 0);
	assert_int_equal(r.events[in1].u.i915_request_in.port, 1);
	assert_int_equal(r.events[in0].u.i915_request_in.port, 0);
	assert_true(find(&r, in0, LANE_RQ_OUT, 0) < r.n);
	assert_true(r.truth->seen.double_in > 0);
	assert_true(r.truth->seen.preemptions > 0);
	finish(&r);
	r = simulate_text("cpus 2\nduration 30ms\nstep 100ns\nack 0\nirq-delay 5us\nengine 0/0:0\n"
			  "context a 0/0:0\ncontext b 0/0:0\ncontext c 0/0:0\n"
			  "thread x pid 1\nsubmit a 100us\nsubmit b 100us\nsubmit c 100us\nend\n",
			  1);
	assert_true(r.truth->seen.start_before_out > 0);
	finish(&r);
}

/* Trap 3: out with completed 0 of a context that stays where it is. */
static void trap_lite_restore(void **state)
{
	struct run r = simulate_text(ONE_ENGINE "thread x pid 100\nsubmit a 1ms\ncompute 100us\n"
						"submit a 1ms\nend\n",
				     1);
	size_t out = find(&r, 0, LANE_RQ_OUT, 2);

	(void)state;
	assert_true(out < r.n);
	assert_int_equal(r.events[out].u.i915_request_out.completed, 0);
	assert_true(r.truth->seen.lite_restores > 0);
	assert_int_equal(r.truth->seen.preemptions, 0);
	assert_int_equal(r.truth->n_spans, 2);
	finish(&r);
}

/* Trap 4: GuC has in for each, at port 0, and never out. */
static void trap_guc(void **state)
{
	struct run r =
		simulate_text("mode guc\n" ONE_ENGINE
			      "thread x pid 100\nsubmit a times 3 300us\nsubmit b 100us\nend\n",
			      1);

	(void)state;
	assert_int_equal(count(&r, LANE_RQ_IN), 4);
	assert_int_equal(count(&r, LANE_RQ_EXECUTE), 4);
	assert_int_equal(count(&r, LANE_RQ_OUT), 0);
	for (size_t i = 0; i < r.n; i++)
		if (r.events[i].wire.kind == LANE_RQ_IN)
			assert_int_equal(r.events[i].u.i915_request_in.port, 0);
	finish(&r);
}

/* Trap 5: instance 65534 until a sibling has taken the request. */
static void trap_virtual(void **state)
{
	struct run r =
		simulate_text(QUIET "engine 0/2:0\nengine 0/2:1\nvirtual 0/2:65534 0/2:0 0/2:1\n"
				    "context v 0/2:65534\ncontext w 0/2:0\n"
				    "thread x pid 100\nsubmit w 4ms\nsubmit v times 2 1ms\nend\n",
			      1);

	(void)state;
	for (size_t i = 0; i < r.n; i++) {
		const struct lane_event *e = &r.events[i];

		if (!lane_is_request(e->wire.kind) || e->u.rq.ctx != r.truth->requests[1].ctx)
			continue;
		if (e->wire.kind == LANE_RQ_ADD || e->wire.kind == LANE_RQ_SUBMIT)
			assert_int_equal(e->u.rq.instance, SIM_VIRTUAL_INSTANCE);
		if (e->wire.kind == LANE_RQ_EXECUTE)
			assert_int_equal(e->u.rq.instance, 1);
	}
	/* The second is submitted when the first is signalled. */
	assert_int_equal(r.truth->requests[2].submit >= r.truth->requests[1].signaled, 1);
	finish(&r);
}

/* Trap 7: execute repeats with neither in nor out; a request ends while it is taken back. */
static void trap_repeated_execute(void **state)
{
	struct run r = simulate_text("cpus 1\nduration 20ms\nstep 10ns\nack 0\ntimeslice 200us\n"
				     "engine 0/0:0\ncontext a 0/0:0 prio 7\ncontext b 0/0:0\n"
				     "thread x pid 100\nsubmit a 2ms\nsubmit b 1ms\nend\n",
				     1);

	(void)state;
	assert_true(r.truth->seen.repeated_executes > 0);
	assert_int_equal(r.truth->seen.preemptions, 0);
	assert_true(r.truth->requests[0].executes > 5);
	assert_int_equal(r.truth->requests[0].preemptions, 0);
	finish(&r);
}

static void trap_ended_taken_back(void **state)
{
	/* b and c take both ports away from a, which ends before the hardware has changed over. */
	struct run r =
		simulate_text("cpus 1\nduration 20ms\nstep 10ns\nack 300us\ntimeslice 0\nspin 0\n"
			      "engine 0/0:0\ncontext a 0/0:0\ncontext b 0/0:0 prio 9\n"
			      "context c 0/0:0 prio 9\nlock l\n"
			      "thread x pid 100\nsubmit a 700us listen\ncompute 500us\n"
			      "submit b 1ms prepare 0\nend\n",
			      1);
	size_t out = find(&r, 0, LANE_RQ_OUT, 0);

	(void)state;
	assert_true(out < r.n);
	finish(&r);
	for (uint64_t seed = 1, seen = 0; !seen; seed++) {
		assert_true(seed < 300);
		r = simulate(sim_scenario_random(SIM_EXECLISTS, seed), seed);
		seen = r.truth->seen.ended_taken_back;
		finish(&r);
	}
}

/* Trap 8: retire before signaled; the newest first; no sleep; seqnos in twos. */
static void trap_signals(void **state)
{
	struct run r = simulate_text(ONE_ENGINE "thread x pid 100\nsubmit a 100us\nend\n", 1);
	size_t retire = find(&r, 0, LANE_RQ_RETIRE, 2);

	(void)state;
	assert_true(retire < find(&r, 0, LANE_FENCE_SIGNALED, 2));
	assert_int_equal(r.truth->requests[0].signal_by, SIM_SIGNAL_RETIRE);
	assert_int_equal(r.truth->requests[0].seqno, 2);
	finish(&r);
	r = simulate_text(ONE_ENGINE
			  "irq-delay 300us\n"
			  "thread x pid 100\nsubmit b 1ms\nsubmit a times 3 10us listen\nend\n",
			  1);
	assert_true(r.truth->seen.newest_first > 0);
	assert_true(find(&r, 0, LANE_FENCE_SIGNALED, 6) < find(&r, 0, LANE_FENCE_SIGNALED, 4));
	finish(&r);
	r = simulate_text(ONE_ENGINE
			  "spin 50us\n"
			  "thread x pid 100\nsubmit a 100us\ncompute 70us\nwait a\nend\n",
			  1);
	assert_int_equal(r.truth->seen.wait_without_sleep, 1);
	assert_int_equal(r.truth->waits[0].slept, 0);
	assert_int_equal(count(&r, LANE_FENCE_ENABLE_SIGNAL), 0);
	finish(&r);
}

/* Trap 9: the kernel's own have no queue, heartbeats neither queue nor add. */
static void trap_kernel(void **state)
{
	struct run r = simulate_text(QUIET "engine 0/0:0 heartbeat 3ms\ncontext k 0/0:0 kernel\n"
					   "thread x pid 100\nsubmit k times 2 10us\nend\n",
				     1);

	(void)state;
	assert_int_equal(count(&r, LANE_RQ_QUEUE), 0);
	assert_int_equal(count(&r, LANE_RQ_ADD), 2);
	assert_true(count(&r, LANE_RQ_SUBMIT) > 4);
	assert_int_equal(r.truth->requests[1].seqno, 2);
	finish(&r);
}

/* The stock kernel: functions in place of tracepoints, no in, no out, what is on the ports. */
static void stock_kernel(void **state)
{
	struct run r = simulate_text(
		"mode stock\n" ONE_ENGINE "thread x pid 100\nsubmit a 100us\nend\n", 1);
	size_t execute = find(&r, 0, LANE_RQ_EXECUTE, 0);

	(void)state;
	assert_int_equal(r.events[execute].wire.origin, LANE_ORIGIN_FUNCTION);
	assert_int_equal(count(&r, LANE_RQ_IN) + count(&r, LANE_RQ_OUT), 0);
	assert_true(count(&r, LANE_PORTS) > 0);
	finish(&r);
}

/* What is dropped is announced, once per gap, between the events kept around it. */
static void losses(void **state)
{
	struct run r = simulate(sim_scenario_random(SIM_EXECLISTS, 9), 9);
	size_t before = r.n, lost = 0, kept = 0;

	(void)state;
	r.n = sim_drop_random(&r.events, r.n, 0.2, 4);
	assert_non_null(r.events);
	check_order(&r);
	for (size_t i = 0; i < r.n; i++) {
		const struct lane_p_gpulane_lost *p = &r.events[i].u.gpulane_lost;

		if (r.events[i].wire.kind != LANE_LOST) {
			kept++;
			continue;
		}
		lost += p->count;
		assert_true(p->count > 0 && p->begin_ns <= p->end_ns);
	}
	assert_int_equal(lost + kept, before);
	assert_true(lost > before / 10 && lost < before / 3);
	finish(&r);
}

static void bad_scenarios(void **state)
{
	static const char *const bad[] = {
		"engine 0",
		"engine 0/0:0\ncontext a 1/0:0",
		"mode fast",
		"thread x\nloop 3\nend",
		"thread x\nsubmit nobody 3us\nend",
		"duration -3ms",
		"duration 3",
		"cpus 0",
		"thread x pid 1\nend\nthread y pid 1\nend",
		"thread x\nloop forever\nend\nend",
		"irq-cpu 7\ncpus 2",
		"virtual 0/2:65534",
		"nonsense",
		"lock aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sim_scenario *scenario = NULL;
		struct lane_error *err = sim_scenario_parse("bad", bad[i], &scenario);

		if (!err)
			fail_msg("accepted: %s", bad[i]);
		lane_error_free(err);
		assert_null(scenario);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_execlists),
		cmocka_unit_test(laws_tracepoints),
		cmocka_unit_test(laws_per_request),
		cmocka_unit_test(laws_guc),
		cmocka_unit_test(laws_virtual),
		cmocka_unit_test(laws_stock),
		cmocka_unit_test(laws_multi),
		cmocka_unit_test(laws_mixed),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(no_delay_no_difference),
		cmocka_unit_test(trap_coalesced),
		cmocka_unit_test(trap_out_after_in),
		cmocka_unit_test(trap_lite_restore),
		cmocka_unit_test(trap_guc),
		cmocka_unit_test(trap_virtual),
		cmocka_unit_test(trap_repeated_execute),
		cmocka_unit_test(trap_ended_taken_back),
		cmocka_unit_test(trap_signals),
		cmocka_unit_test(trap_kernel),
		cmocka_unit_test(stock_kernel),
		cmocka_unit_test(losses),
		cmocka_unit_test(bad_scenarios),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}

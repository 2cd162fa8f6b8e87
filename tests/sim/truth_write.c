// SPDX-License-Identifier: MIT
// The truth as text, one fact a line.
#include <inttypes.h>

#include "sim.h"

const char *const sim_stage_names[SIM_STAGE_COUNT] = {
	"prepare", "dependency", "host_queue", "device_queue", "running", "preempted", "signal",
};

static void put(FILE *to, const char *name, uint64_t value)
{
	if (value == SIM_NONE)
		fprintf(to, " %s=-", name);
	else
		fprintf(to, " %s=%" PRIu64, name, value);
}

static void put_key(FILE *to, const char *name, const struct sim_truth *t, uint32_t request)
{
	const struct sim_request *r = &t->requests[request];

	if (request == SIM_NO)
		fprintf(to, " %s=-", name);
	else
		fprintf(to, " %s=%u/%" PRIu64 "/%u", name, r->dev, r->ctx, r->seqno);
}

static void put_engine(FILE *to, const struct sim_truth *t, uint32_t engine)
{
	const struct sim_engine *e = &t->engines[engine];

	if (engine == SIM_NO)
		fprintf(to, " engine=-");
	else
		fprintf(to, " engine=%u/%u:%u", e->dev, e->class, e->instance);
}

static void write_requests(const struct sim_truth *t, FILE *to)
{
	static const char *const by[] = { "never", "interrupt", "poll", "late", "retire" };

	for (size_t i = 0; i < t->n_requests; i++) {
		const struct sim_request *r = &t->requests[i];

		fprintf(to, "request");
		put_key(to, "key", t, (uint32_t)i);
		put_engine(to, t, r->engine);
		fprintf(to, " tid=%d prio=%d", r->tid, r->prio);
		put(to, "queue", r->queue);
		put(to, "add", r->add);
		put(to, "submit", r->submit);
		put(to, "execute", r->execute);
		put(to, "start", r->start);
		put(to, "end", r->end);
		put(to, "enable_signal", r->enable_signal);
		put(to, "signaled", r->signaled);
		put(to, "retire", r->retire);
		put(to, "hw_end", r->hw_end);
		fprintf(to, " signal_by=%s start_exact=%d end_exact=%d executes=%u unsubmits=%u",
			by[r->signal_by], r->start_exact, r->end_exact, r->executes, r->unsubmits);
		for (int s = 0; s < SIM_STAGE_COUNT; s++)
			put(to, sim_stage_names[s], r->stage_ns[s]);
		fputc('\n', to);
	}
}

static void write_spans(const struct sim_truth *t, FILE *to)
{
	for (size_t i = 0; i < t->n_spans; i++) {
		const struct sim_span *s = &t->spans[i];

		fprintf(to, "span");
		put_key(to, "key", t, s->request);
		put_engine(to, t, s->engine);
		put(to, "start", s->start);
		put(to, "end", s->end);
		put(to, "hw_start", s->hw_start);
		put(to, "hw_end", s->hw_end);
		fprintf(to, " complete=%d start_exact=%d end_exact=%d", s->complete, s->start_exact,
			s->end_exact);
		put_key(to, "culprit", t, s->culprit);
		fputc('\n', to);
	}
	for (size_t i = 0; i < t->n_waits; i++) {
		const struct sim_wait *wait = &t->waits[i];

		fprintf(to, "wait");
		put_key(to, "key", t, wait->request);
		fprintf(to, " tid=%d slept=%d", wait->tid, wait->slept);
		put(to, "begin", wait->begin);
		put(to, "end", wait->end);
		put(to, "wake", wait->wake_ns);
		put(to, "wake_runqueue", wait->wake_runqueue_ns);
		put(to, "wake_cpu", wait->wake_cpu_ns);
		fputc('\n', to);
	}
}

static void write_threads(const struct sim_truth *t, FILE *to)
{
	static const char *const states[] = { "running", "runnable", "blocked" };
	static const char *const on[] = { "-", "request", "sleep", "lock", "idle" };

	for (size_t i = 0; i < t->n_threads; i++) {
		const struct sim_thread *p = &t->threads[i];

		fprintf(to, "thread tid=%d pid=%d comm=%s prio=%d", p->tid, p->pid, p->comm,
			p->prio);
		put(to, "born", p->born);
		put(to, "died", p->died);
		fputc('\n', to);
	}
	for (size_t i = 0; i < t->n_states; i++) {
		const struct sim_state *s = &t->states[i];

		fprintf(to,
			"state tid=%d from=%" PRIu64 " to=%" PRIu64 " %s cpu=%d culprit=%d on=%s",
			s->tid, s->from, s->to, states[s->state], s->cpu, s->culprit, on[s->on]);
		put_key(to, "request", t, s->request);
		fprintf(to, " waker=%d\n", s->waker);
	}
}

void sim_truth_write(const struct sim_truth *t, FILE *to)
{
	fprintf(to, "trace begin=%" PRIu64 " end=%" PRIu64 " cpus=%u\n", t->begin_ns, t->end_ns,
		t->cpus);
	for (size_t i = 0; i < t->n_engines; i++) {
		fprintf(to, "engine");
		put_engine(to, t, (uint32_t)i);
		fputc('\n', to);
	}
	write_requests(t, to);
	write_spans(t, to);
	for (size_t i = 0; i < t->n_steps; i++) {
		fprintf(to, "queues at=%" PRIu64, t->steps[i].at);
		put_engine(to, t, t->steps[i].engine);
		fprintf(to, " host=%u device=%u busy=%u\n", t->steps[i].host, t->steps[i].device,
			t->steps[i].busy);
	}
	write_threads(t, to);
}

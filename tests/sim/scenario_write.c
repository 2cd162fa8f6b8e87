// SPDX-License-Identifier: MIT
// Writes a scenario as a file that sim_scenario_load reads.
#include <inttypes.h>

#include "line.h"

static void put_range(FILE *to, const char *name, struct range range)
{
	fprintf(to, "%s %" PRIu64 "ns", name, range.lo);
	if (range.hi != range.lo)
		fprintf(to, "..%" PRIu64 "ns", range.hi);
}

static void put_engine(FILE *to, const struct sim_scenario *sc, uint32_t index)
{
	const struct sc_engine *e = &sc->engines[index];

	fprintf(to, " %u/%u:%u", e->dev, e->class, e->instance);
}

static void put_submit(FILE *to, const struct sim_scenario *sc, const struct op *op)
{
	fprintf(to, "submit %s times %u", sc->contexts[op->target].name, op->count);
	put_range(to, "", op->time);
	put_range(to, " prepare", op->prepare);
	if (op->after != SIM_NO)
		fprintf(to, " after %s", sc->contexts[op->after].name);
	if (op->listen)
		fprintf(to, " listen");
}

static void put_op(FILE *to, const struct sim_scenario *sc, const struct op *op)
{
	switch (op->kind) {
	case OP_COMPUTE:
		put_range(to, "compute", op->time);
		break;
	case OP_SLEEP:
		put_range(to, "sleep", op->time);
		break;
	case OP_SUBMIT:
		put_submit(to, sc, op);
		break;
	case OP_WAIT:
		fprintf(to, "wait %s%s%s", sc->contexts[op->target].name,
			op->oldest ? " oldest" : "", op->fence ? " fence" : "");
		break;
	case OP_LISTEN:
		fprintf(to, "listen %s", sc->contexts[op->target].name);
		break;
	case OP_LOOK:
		fprintf(to, "look %s", sc->contexts[op->target].name);
		break;
	case OP_LOCK:
		fprintf(to, "lock %s", sc->locks[op->target]);
		break;
	case OP_UNLOCK:
		fprintf(to, "unlock %s", sc->locks[op->target]);
		break;
	case OP_FORK:
		fprintf(to, "fork %s", sc->threads[op->target].name);
		break;
	case OP_CLOSE:
		fprintf(to, "close %s", sc->contexts[op->target].name);
		break;
	case OP_LOOP:
		if (op->count == UINT32_MAX)
			fprintf(to, "loop forever");
		else
			fprintf(to, "loop %u", op->count);
		break;
	case OP_END:
		fprintf(to, "end");
		break;
	}
}

static void put_thread(FILE *to, const struct sim_scenario *sc, const struct sc_thread *t)
{
	int depth = 1;

	fprintf(to, "thread %s tid %d pid %d prio %d start %" PRIu64 "ns%s%s", t->name, t->tid,
		t->pid, t->prio, t->start_ns, t->forked ? " forked" : "",
		t->kernel ? " kernel" : "");
	for (uint32_t cpu = 0; cpu < SIM_MAX_CPUS; cpu++)
		if (t->cpus >> cpu & 1)
			fprintf(to, " cpu %u", cpu);
	fputc('\n', to);
	for (uint32_t i = 0; i < t->n_ops; i++) {
		depth -= t->ops[i].kind == OP_END;
		fprintf(to, "%*s", depth * 2, "");
		put_op(to, sc, &t->ops[i]);
		fputc('\n', to);
		depth += t->ops[i].kind == OP_LOOP;
	}
	fprintf(to, "end\n");
}

static void put_settings(FILE *to, const struct sim_scenario *sc)
{
	const char *mode = sc->is_sched					   ? "sched"
			   : sc->submission == LANE_SUBMISSION_GUC	   ? "guc"
			   : sc->submission == LANE_SUBMISSION_PER_REQUEST ? "per_request"
			   : sc->stock					   ? "stock"
			   : sc->no_unsubmit				   ? "tracepoints"
									   : "execlists";

	fprintf(to, "mode %s\nseed %" PRIu64 "\ncpus %u\nirq-cpu %u\n", mode, sc->seed, sc->cpus,
		sc->irq_cpu);
	fprintf(to, "duration %" PRIu64 "ns\nslice %" PRIu64 "ns\ntimeslice %" PRIu64 "ns\n",
		sc->duration_ns, sc->cpu_slice_ns, sc->timeslice_ns);
	fprintf(to, "retire %" PRIu64 "ns\nspin %" PRIu64 "ns\n", sc->retire_ns, sc->spin_ns);
	put_range(to, "irq-delay", sc->irq_delay);
	put_range(to, "\nack", sc->ack);
	put_range(to, "\nswitch", sc->change);
	put_range(to, "\nstep", sc->step);
	put_range(to, "\nidle-exit", sc->idle_exit);
	fputc('\n', to);
	if (sc->is_sched)
		scenario_write_sched(sc, to);
}

void sim_scenario_write(const struct sim_scenario *sc, FILE *to)
{
	put_settings(to, sc);
	for (uint32_t i = 0; i < sc->n_engines; i++) {
		const struct sc_engine *e = &sc->engines[i];

		if (sc->is_sched) {
			scenario_write_ring(e, to);
			continue;
		}
		fprintf(to, e->n_siblings ? "virtual" : "engine");
		put_engine(to, sc, i);
		if (e->heartbeat_ns)
			fprintf(to, " heartbeat %" PRIu64 "ns", e->heartbeat_ns);
		for (uint32_t s = 0; s < e->n_siblings; s++)
			put_engine(to, sc, e->siblings[s]);
		fputc('\n', to);
	}
	for (uint32_t i = 0; i < sc->n_contexts; i++) {
		fprintf(to, "context %s", sc->contexts[i].name);
		put_engine(to, sc, sc->contexts[i].engine);
		fprintf(to, " prio %d%s%s\n", sc->contexts[i].prio,
			sc->contexts[i].kernel ? " kernel" : "",
			sc->contexts[i].may_move ? " moves" : "");
	}
	for (uint32_t i = 0; i < sc->n_locks; i++)
		fprintf(to, "lock %s\n", sc->locks[i]);
	for (uint32_t i = 0; i < sc->n_threads; i++)
		put_thread(to, sc, &sc->threads[i]);
}

// SPDX-License-Identifier: MIT
// Random scenarios: written as text, so that each can be looked at and run again.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "random.h"

const char *const sim_mode_names[SIM_MODE_COUNT] = {
	"execlists", "tracepoints", "per_request", "guc",   "virtual",
	"stock",     "multi",	    "mixed",	   "sched",
};

static void put_settings(struct maker *m)
{
	static const char *const modes[SIM_SCHED] = {
		[SIM_EXECLISTS] = "execlists",	   [SIM_TRACEPOINTS] = "tracepoints",
		[SIM_PER_REQUEST] = "per_request", [SIM_GUC] = "guc",
		[SIM_VIRTUAL] = "execlists",	   [SIM_STOCK] = "stock",
		[SIM_MULTI] = "execlists",	   [SIM_MIXED] = "execlists",
	};
	unsigned int cpus = pick(m, 1, 4);

	fprintf(m->to, "mode %s\ncpus %u\nirq-cpu %u\n", modes[m->mode], cpus,
		pick(m, 0, cpus - 1));
	fprintf(m->to, "duration %ums\n", pick(m, 10, 80));
	fprintf(m->to, "irq-delay %s\n",
		chance(m, 60) ? "0" : ONE_OF(m, "2us", "500ns..5us", "1us..40us", "0ns..200us"));
	fprintf(m->to, "step %s\n", ONE_OF(m, "0", "0ns..1ns", "1ns", "40ns..400ns", "100ns..2us"));
	fprintf(m->to, "ack %s\n", ONE_OF(m, "0", "1us..5us", "5us..50us", "20us..300us"));
	fprintf(m->to, "switch %s\n", ONE_OF(m, "0", "0", "1us..4us", "5us..20us"));
	fprintf(m->to, "idle-exit %s\n", ONE_OF(m, "0", "1us..5us", "1us..80us"));
	fprintf(m->to, "slice %s\n", ONE_OF(m, "500us", "1ms", "3ms"));
	fprintf(m->to, "timeslice %s\n", ONE_OF(m, "0", "200us", "1ms", "5ms"));
	fprintf(m->to, "retire %s\n", ONE_OF(m, "3ms", "20ms", "1s"));
	fprintf(m->to, "spin %s\n", ONE_OF(m, "0", "8us", "8us", "50us"));
}

static void put_engines(struct maker *m)
{
	bool virtual_mode = m->mode == SIM_VIRTUAL || m->mode == SIM_MIXED;

	m->devices = m->mode == SIM_MULTI || (m->mode == SIM_MIXED && chance(m, 50)) ? 2 : 1;
	for (unsigned int d = 0; d < m->devices; d++) {
		m->engines[d] = virtual_mode ? pick(m, 3, 4) : pick(m, 1, 3);
		for (unsigned int e = 0; e < m->engines[d]; e++) {
			/* 0: render; the others are video engines, siblings of each other */
			fprintf(m->to, "engine %u/%u:%u", d, e ? 2 : 0, e ? e - 1 : 0);
			if (chance(m, 25))
				fprintf(m->to, " heartbeat %uus", pick(m, 500, 9000));
			fprintf(m->to, "\n");
		}
		m->virtuals[d] = virtual_mode && m->engines[d] >= 3;
		if (!m->virtuals[d])
			continue;
		fprintf(m->to, "virtual %u/2:65534", d);
		for (unsigned int e = 1; e < m->engines[d]; e++)
			fprintf(m->to, " %u/2:%u", d, e - 1);
		fprintf(m->to, "\n");
	}
}

static void put_contexts(struct maker *m)
{
	m->contexts = pick(m, 2, 8);
	for (unsigned int c = 0; c < m->contexts; c++) {
		unsigned int d = pick(m, 0, m->devices - 1);
		unsigned int e = pick(m, 0, m->engines[d] - 1);

		fprintf(m->to, "context c%u ", c);
		if (m->virtuals[d] && chance(m, 50))
			fprintf(m->to, "%u/2:65534", d);
		else
			fprintf(m->to, "%u/%u:%u", d, e ? 2 : 0, e ? e - 1 : 0);
		fprintf(m->to, " prio %s%s\n",
			ONE_OF(m, "0", "0", "0", "0", "100", "512", "-50", "1023"),
			chance(m, 8) ? " kernel" : "");
	}
	fprintf(m->to, "lock l0\nlock l1\n");
}

static void put_submit(struct maker *m, unsigned int context)
{
	unsigned int times = chance(m, 60) ? 1 : pick(m, 2, 6);
	static const char *const lengths[] = { "2us..10us", "20us..80us", "50us..400us",
					       "300us..900us", "1us..2ms" };

	fprintf(m->to, "submit c%u times %u %s", context, times, one_of(m, lengths, 5));
	if (chance(m, 25))
		fprintf(m->to, " after c%u", pick(m, 0, m->contexts - 1));
	if (chance(m, 30))
		fprintf(m->to, " listen");
	if (chance(m, 50))
		fprintf(m->to, " prepare %s", ONE_OF(m, "0", "500ns..3us", "10us..100us"));
	fprintf(m->to, "\n");
}

static void put_reaction(struct maker *m, unsigned int context)
{
	switch (pick(m, 0, 9)) {
	case 0 ... 4:
		fprintf(m->to, "wait c%u%s%s\n", context, chance(m, 30) ? " oldest" : "",
			chance(m, 25) ? " fence" : "");
		break;
	case 5:
		fprintf(m->to, "listen c%u\n", context);
		break;
	case 6:
		fprintf(m->to, "look c%u\n", context);
		break;
	case 7:
		fprintf(m->to, "wait c%u\n", pick(m, 0, m->contexts - 1));
		break;
	default:
		break;
	}
}

static void put_body(struct maker *m, unsigned int context)
{
	unsigned int parts = pick(m, 1, 3);
	unsigned int lock = pick(m, 0, 1);
	bool locked = chance(m, 20);

	if (locked)
		fprintf(m->to, "lock l%u\n", lock);
	for (unsigned int i = 0; i < parts; i++) {
		if (chance(m, 60))
			fprintf(m->to, "compute %s\n",
				ONE_OF(m, "1us..20us", "30us..300us", "500us..1500us"));
		put_submit(m, chance(m, 80) ? context : pick(m, 0, m->contexts - 1));
		put_reaction(m, context);
	}
	if (locked)
		fprintf(m->to, "unlock l%u\n", lock);
	if (chance(m, 60))
		fprintf(m->to, "sleep %s\n", ONE_OF(m, "5us..50us", "100us..800us", "1ms..4ms"));
}

static void put_threads(struct maker *m)
{
	unsigned int clients = pick(m, 1, 6), hogs = chance(m, 60) ? pick(m, 1, 3) : 0;
	bool forks = chance(m, 30);

	for (unsigned int t = 0; t < clients; t++) {
		fprintf(m->to, "thread t%u pid %u tid %u prio %s start %uus%s%s\n", t,
			200 + t / 2 * 10, 200 + t / 2 * 10 + t % 2, chance(m, 20) ? "98" : "120",
			pick(m, 0, 2000), chance(m, 30) ? " cpu 0" : "",
			forks && t == 1 ? " forked" : "");
		if (forks && !t)
			fprintf(m->to, "sleep 300us\nfork t1\n");
		fprintf(m->to, "loop %u\n", pick(m, 8, 40));
		put_body(m, pick(m, 0, m->contexts - 1));
		fprintf(m->to, "end\nend\n");
	}
	for (unsigned int t = 0; t < hogs; t++)
		fprintf(m->to,
			"thread hog%u pid %u start %uus%s\nloop forever\ncompute %s\nsleep "
			"%s\nend\nend\n",
			t, 300 + t, pick(m, 0, 5000), chance(m, 50) ? " cpu 0" : "",
			ONE_OF(m, "1ms", "3ms..9ms", "200us..40ms"),
			ONE_OF(m, "100us", "1ms..3ms"));
	/* The fork of a thread that is not there, and the thread that nobody forks. */
	if (forks && clients == 1)
		fprintf(m->to, "thread t1 pid 200 tid 201 forked\ncompute 1ms\nend\n");
}

struct sim_scenario *sim_scenario_random(enum sim_mode mode, uint64_t seed)
{
	/* A new mode must not change the scenarios of the others. */
	struct maker m = { .mode = mode, .rng = seed * SIM_SCHED + mode };
	struct sim_scenario *scenario = NULL;
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err;
	size_t length;

	m.to = open_memstream(&text, &length);
	if (!m.to)
		return NULL;
	if (mode == SIM_SCHED) {
		m.rng = ~seed;
		random_sched(&m);
	} else {
		put_settings(&m);
		put_engines(&m);
		put_contexts(&m);
		put_threads(&m);
	}
	if (fclose(m.to))
		return NULL;
	err = sim_scenario_parse("random", text, &scenario);
	if (err) {
		fprintf(stderr, "gpulane-sim: %s\n%s", lane_error_message(err), text);
		lane_error_free(err);
		abort();
	}
	scenario->seed = seed;
	return scenario;
}

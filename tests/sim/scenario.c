// SPDX-License-Identifier: MIT
// Scenario files: settings, engines, contexts, threads. The format is in docs/sim.md.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "line.h"

static struct lane_error *read_mode(struct line *l)
{
	const char *text = line_word(l);
	struct sim_scenario *sc = l->sc;

	sc->submission = LANE_SUBMISSION_EXECLISTS;
	if (text && !strcmp(text, "sched"))
		sc->is_sched = true;
	else if (text && !strcmp(text, "stock"))
		sc->stock = true;
	else if (text && !strcmp(text, "tracepoints"))
		sc->no_unsubmit = true;
	else if (text && !strcmp(text, "guc"))
		sc->submission = LANE_SUBMISSION_GUC;
	else if (text && !strcmp(text, "per_request"))
		sc->submission = LANE_SUBMISSION_PER_REQUEST;
	else if (!text || strcmp(text, "execlists"))
		return line_fail(l,
				 "%s: not a mode (execlists, tracepoints, stock, per_request, guc, "
				 "sched)",
				 text ? text : "nothing");
	return NULL;
}

static struct lane_error *read_engine(struct line *l)
{
	const char *text = line_word(l);
	struct sc_engine *e = line_add(&l->sc->engines, &l->sc->n_engines, sizeof(*e));
	struct sim_engine id;

	if (!e)
		return &lane_enomem;
	if (!line_engine_id(text, &id))
		return line_fail(l, "%s: not an engine (device/class:instance)",
				 text ? text : "nothing");
	e->dev = id.dev;
	e->class = id.class;
	e->instance = id.instance;
	if (line_take(l, "heartbeat"))
		return line_duration(l, &e->heartbeat_ns);
	return NULL;
}

/* `virtual 0/2:65534 0/2:0 0/2:1` */
static struct lane_error *read_virtual(struct line *l)
{
	struct lane_error *err = read_engine(l);
	uint32_t self = l->sc->n_engines - 1;

	while (!err && l->at < l->n) {
		struct sc_engine *e = &l->sc->engines[self];
		uint32_t sibling;

		err = line_engine(l, &sibling);
		if (err)
			return err;
		if (e->n_siblings == 8 || l->sc->engines[sibling].n_siblings || sibling == self ||
		    l->sc->engines[sibling].dev != e->dev)
			return line_fail(
				l, "a virtual engine has up to 8 physical siblings of its device");
		e->siblings[e->n_siblings++] = sibling;
	}
	if (!err && !l->sc->engines[self].n_siblings)
		return line_fail(l, "a virtual engine needs siblings");
	return err;
}

static struct lane_error *read_context(struct line *l)
{
	struct sc_context *ctx = line_add(&l->sc->contexts, &l->sc->n_contexts, sizeof(*ctx));
	struct lane_error *err;
	uint32_t index;
	bool minus;
	uint64_t prio;

	if (!ctx)
		return &lane_enomem;
	err = line_name(l, ctx->name);
	if (err)
		return err;
	err = line_engine(l, &index);
	if (err)
		return err;
	ctx->engine = index;
	while (l->at < l->n) {
		if (line_take(l, "kernel")) {
			ctx->kernel = true;
		} else if (line_take(l, "moves")) {
			ctx->may_move = true;
		} else if (line_take(l, "prio")) {
			minus = l->at < l->n && *l->words[l->at] == '-';
			l->words[l->at < l->n ? l->at : 0] += minus;
			err = line_number(l, 1023, &prio);
			if (err)
				return err;
			ctx->prio = minus ? -(int32_t)prio : (int32_t)prio;
		} else {
			break;
		}
	}
	return NULL;
}

static struct lane_error *read_lock(struct line *l)
{
	char(*lock)[16] = line_add(&l->sc->locks, &l->sc->n_locks, sizeof(*lock));

	return lock ? line_name(l, *lock) : &lane_enomem;
}

static struct lane_error *read_thread_option(struct line *l, struct sc_thread *t)
{
	struct lane_error *err;
	uint64_t value;

	if (line_take(l, "forked")) {
		t->forked = true;
		return NULL;
	}
	if (line_take(l, "kernel")) {
		t->kernel = true;
		return NULL;
	}
	if (line_take(l, "start"))
		return line_duration(l, &t->start_ns);
	if (line_take(l, "pid")) {
		err = line_number(l, 4000000, &value);
		t->pid = err ? 0 : (int32_t)value;
		return err;
	}
	if (line_take(l, "tid")) {
		err = line_number(l, 4000000, &value);
		t->tid = err ? 0 : (int32_t)value;
		return err;
	}
	if (line_take(l, "prio")) {
		err = line_number(l, 139, &value);
		t->prio = err ? 0 : (int32_t)value;
		return err;
	}
	if (line_take(l, "cpu")) {
		err = line_number(l, SIM_MAX_CPUS - 1, &value);
		if (!err)
			t->cpus |= 1ull << value;
		return err;
	}
	return line_fail(l, "%s: not an option of a thread", l->words[l->at]);
}

/* The names come first, so that a thread can fork one further down. */
static struct lane_error *read_thread(struct line *l)
{
	struct sim_scenario *sc = l->sc;
	struct lane_error *err;
	struct sc_thread *t;
	uint32_t index;

	err = line_thread(l, &index);
	if (err)
		return err;
	t = &sc->threads[index];
	t->prio = 120;
	while (l->at < l->n) {
		err = read_thread_option(l, t);
		if (err)
			return err;
	}
	if (!t->tid)
		t->tid = t->pid ? t->pid : (int32_t)(1000 + 10 * index);
	if (!t->pid)
		t->pid = t->tid;
	for (uint32_t i = 0; i < index; i++)
		if (sc->threads[i].tid == t->tid)
			return line_fail(l, "%s: thread number %d is taken", t->name, t->tid);
	l->in_thread = true;
	l->n_loops = 0;
	l->thread = index;
	return NULL;
}

static struct lane_error *read_setting(struct line *l)
{
	struct sim_scenario *sc = l->sc;
	const struct {
		const char *name;
		uint64_t *ns;
	} times[] = { { "duration", &sc->duration_ns },
		      { "slice", &sc->cpu_slice_ns },
		      { "timeslice", &sc->timeslice_ns },
		      { "retire", &sc->retire_ns },
		      { "spin", &sc->spin_ns } };
	const struct {
		const char *name;
		struct range *range;
	} ranges[] = { { "irq-delay", &sc->irq_delay },
		       { "ack", &sc->ack },
		       { "switch", &sc->change },
		       { "step", &sc->step },
		       { "idle-exit", &sc->idle_exit } };
	struct lane_error *err;
	uint64_t value = 0;
	bool is_taken = false;

	err = line_sched_setting(l, &is_taken);
	if (is_taken)
		return err;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (line_take(l, times[i].name))
			return line_duration(l, times[i].ns);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (line_take(l, ranges[i].name))
			return line_range(l, ranges[i].range);
	if (line_take(l, "seed"))
		return line_number(l, UINT64_MAX, &sc->seed);
	if (line_take(l, "cpus")) {
		err = line_number(l, SIM_MAX_CPUS, &value);
		sc->cpus = (uint32_t)value;
		return !err && !value ? line_fail(l, "at least one CPU") : err;
	}
	if (line_take(l, "irq-cpu")) {
		err = line_number(l, SIM_MAX_CPUS - 1, &value);
		sc->irq_cpu = (uint32_t)value;
		return err;
	}
	return line_fail(l, "%s: no such setting (see docs/sim.md)", l->words[0]);
}

static struct lane_error *read_line(struct line *l)
{
	struct lane_error *err;

	if (l->in_thread)
		err = line_operation(l);
	else if (line_take(l, "mode"))
		err = read_mode(l);
	else if (line_take(l, "engine"))
		err = read_engine(l);
	else if (line_take(l, "ring"))
		err = line_ring(l);
	else if (line_take(l, "virtual"))
		err = read_virtual(l);
	else if (line_take(l, "context"))
		err = read_context(l);
	else if (line_take(l, "lock"))
		err = read_lock(l);
	else if (line_take(l, "thread"))
		err = read_thread(l);
	else
		err = read_setting(l);
	if (!err && l->at < l->n)
		return line_fail(l, "%s: not expected here", l->words[l->at]);
	return err;
}

static struct lane_error *split(struct line *l, char *text)
{
	char *save, *comment = strchr(text, '#');

	if (comment)
		*comment = 0;
	l->n = l->at = 0;
	for (char *w = strtok_r(text, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
		if (l->n == MAX_WORDS)
			return line_fail(l, "more than %d words", MAX_WORDS);
		l->words[l->n++] = w;
	}
	return NULL;
}

/* First pass: the threads' names. */
static struct lane_error *name_threads(struct sim_scenario *sc, const char *text)
{
	for (const char *at = text; at; at = strchr(at, '\n')) {
		struct sc_thread *t;
		char thread[16];

		at += *at == '\n';
		if (sscanf(at, " thread %15s", thread) != 1 ||
		    strspn(at, " \t") + strlen("thread") + strspn(at, " \t") == 0)
			continue;
		t = line_add(&sc->threads, &sc->n_threads, sizeof(*t));
		if (!t)
			return &lane_enomem;
		memcpy(t->name, thread, sizeof(t->name));
	}
	return NULL;
}

static struct sim_scenario *fresh(void)
{
	struct sim_scenario *sc = calloc(1, sizeof(*sc));

	if (!sc)
		return NULL;
	*sc = (struct sim_scenario){
		.submission = LANE_SUBMISSION_EXECLISTS,
		.seed = 1,
		.cpus = 2,
		.duration_ns = 100000000,
		.cpu_slice_ns = 3000000,
		.timeslice_ns = 1000000,
		.retire_ns = 1000000000,
		.spin_ns = 8000,
		.ack = { 2000, 10000 },
		.step = { 100, 500 },
		.idle_exit = { 1000, 5000 },
		.kernel = SIM_LINUX_6_17,
		.is_fifo = true,
		.slots = 1,
	};
	return sc;
}

static struct lane_error *check(const struct line *l)
{
	const struct sim_scenario *sc = l->sc;

	if (l->in_thread)
		return line_fail(l, "a thread or loop is not closed by `end`");
	if (sc->irq_cpu >= sc->cpus)
		return lane_error("%s: irq-cpu %u: there are %u CPUs", l->name, sc->irq_cpu,
				  sc->cpus);
	for (uint32_t i = 0; i < sc->n_engines; i++)
		if (sc->engines[i].n_siblings && sc->submission != LANE_SUBMISSION_EXECLISTS)
			return lane_error("%s: virtual engines need execlists", l->name);
	for (uint32_t i = 0; i < sc->n_engines; i++)
		if (sc->is_sched != (sc->engines[i].ring.depth > 0))
			return lane_error("%s: mode sched has rings, the others have engines",
					  l->name);
	for (uint32_t i = 0; i < sc->n_threads; i++)
		for (uint32_t k = 0; k < sc->threads[i].n_ops; k++)
			if (sc->threads[i].ops[k].kind == OP_LOOP &&
			    sc->threads[i].ops[k].jump == k + 2)
				return lane_error("%s: thread %s: an empty loop", l->name,
						  sc->threads[i].name);
	return NULL;
}

struct lane_error *sim_scenario_parse(const char *file, const char *text,
				      struct sim_scenario **scenario)
{
	LANE_CLEANUP(sim_drop_scenario) struct sim_scenario *sc = fresh();
	LANE_CLEANUP(lane_free) char *copy = strdup(text);
	struct line l = { .name = file, .sc = sc };
	struct lane_error *err;
	char *rest = copy;

	if (!sc || !copy)
		return &lane_enomem;
	err = name_threads(sc, text);
	while (!err && rest) {
		char *one = strsep(&rest, "\n");

		l.number++;
		err = split(&l, one);
		if (!err && l.n)
			err = read_line(&l);
	}
	if (!err)
		err = check(&l);
	if (err)
		return err;
	*scenario = LANE_TAKE(sc);
	return NULL;
}

struct lane_error *sim_scenario_load(const char *path, struct sim_scenario **scenario)
{
	LANE_CLEANUP(lane_fclose) FILE *file = fopen(path, "re");
	LANE_CLEANUP(lane_free) char *text = NULL;
	size_t room = 0;

	if (!file)
		return lane_error_errno(errno, "%s", path);
	if (getdelim(&text, &room, 0, file) < 0)
		return lane_error("%s: empty, or it cannot be read", path);
	return sim_scenario_parse(path, text, scenario);
}

void sim_scenario_free(struct sim_scenario *sc)
{
	if (!sc)
		return;
	for (uint32_t i = 0; i < sc->n_threads; i++)
		free(sc->threads[i].ops);
	free(sc->engines);
	free(sc->contexts);
	free(sc->threads);
	free(sc->locks);
	free(sc);
}

void sim_scenario_hide(struct sim_scenario *scenario, enum lane_kind kind)
{
	if (scenario->submission != LANE_SUBMISSION_EXECLISTS &&
	    scenario->submission != LANE_SUBMISSION_PER_REQUEST)
		return;
	scenario->no_signals |= kind == LANE_FENCE_SIGNALED;
	scenario->no_retires |= kind == LANE_RQ_RETIRE;
	if (scenario->submission == LANE_SUBMISSION_PER_REQUEST)
		return;
	scenario->stock |= kind == LANE_RQ_IN;
	scenario->no_ports |= kind == LANE_PORTS;
	scenario->no_dequeues |= kind == LANE_RQ_EXECUTE;
}

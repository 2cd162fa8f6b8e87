// SPDX-License-Identifier: MIT
// What only scenarios of drm_sched have: rings, and settings of the scheduler.
#include <inttypes.h>
#include <string.h>

#include "line.h"

static const char *const kernel_names[] = { "6.1", "6.12", "6.17" };
static const char *const kind_names[] = { "serial", "firmware", "unknown" };
static const char *const reset_names[] = { "resubmit", "force", "signal", "ban" };

static struct lane_error *one_of(struct line *l, const char *const *names, uint32_t n,
				 uint32_t *index)
{
	for (*index = 0; *index < n; ++*index)
		if (line_take(l, names[*index]))
			return NULL;
	return line_fail(l, "%s: not expected here (see docs/sim.md)",
			 l->at < l->n ? l->words[l->at] : "nothing");
}

static struct lane_error *text(struct line *l, char *to, size_t size)
{
	const char *word = line_word(l);

	if (!word || strlen(word) >= size)
		return line_fail(l, "a name of at most %zu characters is expected", size - 1);
	memset(to, 0, size);
	memcpy(to, word, strlen(word));
	return NULL;
}

static struct lane_error *number(struct line *l, uint64_t limit, uint32_t *value)
{
	uint64_t wide = 0;
	struct lane_error *err = line_number(l, limit, &wide);

	*value = (uint32_t)wide;
	return err;
}

static struct lane_error *ring_option(struct line *l, struct sc_ring *ring)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = { { "long", &ring->is_long },
		      { "loses-interrupts", &ring->loses_interrupts },
		      { "keeps-fences", &ring->keeps_fences },
		      { "two-fences", &ring->makes_two } };
	struct lane_error *err;
	uint32_t index = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (line_take(l, flags[i].name)) {
			*flags[i].flag = true;
			return NULL;
		}
	if (line_take(l, "depth"))
		return number(l, 64, &ring->depth);
	if (line_take(l, "timeout"))
		return line_duration(l, &ring->timeout_ns);
	if (line_take(l, "hang"))
		return number(l, 100, &ring->hangs);
	if (!line_take(l, "reset"))
		return line_fail(l, "%s: not an option of a ring", l->words[l->at]);
	err = one_of(l, reset_names, 4, &index);
	ring->reset = (enum sim_reset)index;
	return err;
}

/* `ring 0/0:0 gfx_0.0.0 0000:03:00.0 amdgpu serial depth 2` */
struct lane_error *line_ring(struct line *l)
{
	struct sc_engine *e = line_add(&l->sc->engines, &l->sc->n_engines, sizeof(*e));
	const char *word = line_word(l);
	struct lane_error *err;
	struct sim_engine id;
	uint32_t kind = 0;

	if (!e)
		return &lane_enomem;
	if (!line_engine_id(word, &id))
		return line_fail(l, "%s: not an engine (device/class:instance)",
				 word ? word : "nothing");
	e->dev = id.dev;
	e->class = id.class;
	e->instance = id.instance;
	e->ring.depth = 1;
	err = text(l, e->ring.name, sizeof(e->ring.name));
	if (!err)
		err = text(l, e->ring.device, sizeof(e->ring.device));
	if (!err)
		err = text(l, e->ring.driver, sizeof(e->ring.driver));
	if (!err)
		err = one_of(l, kind_names, 3, &kind);
	e->ring.kind = (enum sim_ring)kind;
	while (!err && l->at < l->n)
		err = ring_option(l, &e->ring);
	return err;
}

struct lane_error *line_sched_setting(struct line *l, bool *is_taken)
{
	struct sim_scenario *sc = l->sc;
	const struct {
		const char *name;
		uint32_t *value;
		uint64_t limit;
	} numbers[] = { { "dependencies", &sc->dependencies, 90 },
			{ "foreign", &sc->foreign, 100 },
			{ "gangs", &sc->gangs, 100 },
			{ "slots", &sc->slots, 64 } };
	struct lane_error *err;
	uint32_t index = 0;

	*is_taken = true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (line_take(l, numbers[i].name))
			return number(l, numbers[i].limit, numbers[i].value);
	if (line_take(l, "tells-driver")) {
		sc->tells_driver = true;
		return NULL;
	}
	if (line_take(l, "in-turn")) {
		sc->is_fifo = false;
		return NULL;
	}
	if (line_take(l, "linux")) {
		err = one_of(l, kernel_names, 3, &index);
		sc->kernel = (enum sim_kernel)index;
		return err;
	}
	*is_taken = false;
	return NULL;
}

void scenario_write_sched(const struct sim_scenario *sc, FILE *to)
{
	fprintf(to, "linux %s\n%s%sdependencies %u\nforeign %u\ngangs %u\nslots %u\n",
		kernel_names[sc->kernel], sc->tells_driver ? "tells-driver\n" : "",
		sc->is_fifo ? "" : "in-turn\n", sc->dependencies, sc->foreign, sc->gangs,
		sc->slots);
}

void scenario_write_ring(const struct sc_engine *e, FILE *to)
{
	const struct sc_ring *ring = &e->ring;

	fprintf(to, "ring %u/%u:%u %s %s %s %s depth %u", e->dev, e->class, e->instance, ring->name,
		ring->device, ring->driver, kind_names[ring->kind], ring->depth);
	if (ring->timeout_ns)
		fprintf(to, " timeout %" PRIu64 "ns hang %u reset %s", ring->timeout_ns,
			ring->hangs, reset_names[ring->reset]);
	fprintf(to, "%s%s%s%s\n", ring->is_long ? " long" : "",
		ring->loses_interrupts ? " loses-interrupts" : "",
		ring->keeps_fences ? " keeps-fences" : "", ring->makes_two ? " two-fences" : "");
}

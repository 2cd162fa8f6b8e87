// SPDX-License-Identifier: MIT
// A simulated device to calibrate: its times are those of the models, with noise.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/local.h"
#include "model/meter.h"
#include "model/number.h"
#include "model/pattern.h"
#include "model/pipeline.h"
#include "model/random.h"
#include "model/touch.h"

#define MOST_WARPS 48 /* of a device that does not tell */
#define LAUNCH_NS                                                                                  \
	5000.0 /* what a launch costs besides; the calibration must not be misled by it            \
		*/

struct model_meter {
	const struct lane_device *device;
	struct lane_local local;
	int has_local;
	struct lane_local increments;
	int has_increments;
	double noise; /* a part of one */
	uint64_t random;
};

/* Standard normal, as the sum of twelve uniform numbers less six. */
static double normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(model_random(state) >> 11) / (double)(UINT64_C(1) << 53);
	return sum;
}

static void op_cycles(const struct model_meter *m, const struct lane_trial *t, double *cycles,
		      int *can)
{
	const struct lane_device_section *op = model_device_section(m->device, "op", t->op);
	int64_t issue, completion;

	*can = op != NULL;
	if (!op)
		return;
	model_op_latency(op, t->warps, &issue, &completion);
	*cycles = (double)model_pipeline_law(t->warps, t->length, issue, completion) /
		  (double)LANE_MICRO;
}

static struct lane_error *local_cycles(struct model_meter *m, const struct lane_trial *t,
				       double *cycles, int *can)
{
	uint32_t shift = LANE_TRIAL_SHIFT * (t->warps - 1);
	uint16_t address[LANE_PAD_LANES];
	struct lane_local_cost cost;

	*can = m->has_local && (!t->increments || m->has_increments);
	if (!*can)
		return NULL;
	for (uint32_t i = 0; i < t->lanes; i++) {
		if (t->word[i] + shift >= m->local.words)
			return lane_error("a word behind the simulated local memory");
		address[i] = (uint16_t)t->word[i];
	}
	cost = model_local_evaluate(t->increments ? &m->increments : &m->local, LANE_HASH_NONE,
				    address, t->lanes);
	*cycles = (double)model_pipeline_law(t->warps, t->length,
					     (int64_t)(cost.service * (double)LANE_MICRO),
					     (int64_t)(cost.cycles * (double)LANE_MICRO)) /
		  (double)LANE_MICRO;
	return NULL;
}

/* Operations of the unit's warps, one after the other. */
static void global_cycles(const struct model_meter *m, const struct lane_trial *t, double *cycles,
			  int *can)
{
	const struct lane_device_section *measured =
		model_device_section(m->device, "global_atomics", "");
	char key[32];

	snprintf(key, sizeof(key), "%s_%s", lane_global_op_names[t->access],
		 lane_global_pattern_names[t->pattern]);
	*can = model_section_gives(measured, key);
	if (*can)
		*cycles = model_section_real(measured, key) * t->warps * t->length;
}

/* A round of all units' warps, by the law of contend.h. */
static struct lane_error *contend_cycles(const struct lane_meter *meter, const struct lane_trial *t,
					 double *cycles, int *can)
{
	const struct model_meter *m = meter->state;
	struct lane_pattern_line line = { .is_unused = t->access == LANE_GLOBAL_RED };
	struct lane_pattern_array array = { .bytes = 0 };
	struct lane_contend contend;
	struct lane_error *err = NULL;

	model_contend_init(&contend, m->device);
	*can = contend.is_known && (!t->is_retry || contend.is_retry_known);
	for (uint32_t w = 0; *can && !err && w < t->warps; w++) {
		struct lane_warp_access warp = {
			.n = t->is_constant && contend.is_aggregated ? 1 : t->lanes,
			.count = meter->units,
		};

		for (uint32_t i = 0; i < warp.n; i++)
			warp.address[i] =
				(uint64_t)t->offset * (i + (t->is_spread ? w * t->lanes : 0));
		err = model_contend_add(&contend, &array, &line, &warp);
	}
	model_contend_end(&array);
	*cycles = t->length * (t->is_retry ? contend.retry * meter->units * t->warps * t->lanes
					   : model_contend_cycles(&contend, &array.now, 0));
	return err;
}

static struct lane_error *meter_model_measure(struct lane_meter *meter, const struct lane_trial *t,
					      double *ns, int *can)
{
	struct model_meter *m = meter->state;
	double cycles = 0;
	struct lane_error *err = NULL;

	if (t->kind == LANE_TRIAL_OP)
		op_cycles(m, t, &cycles, can);
	else if (t->kind == LANE_TRIAL_LOCAL)
		err = local_cycles(m, t, &cycles, can);
	else if (t->kind == LANE_TRIAL_GLOBAL)
		global_cycles(m, t, &cycles, can);
	else
		err = contend_cycles(meter, t, &cycles, can);
	if (err || !*can)
		return err;
	*ns = (cycles * 1000 / meter->clock_mhz + LAUNCH_NS) * (1 + m->noise * normal(&m->random));
	if (*ns < 0)
		*ns = 0;
	return NULL;
}

static void close_model(struct lane_meter *meter)
{
	struct model_meter *m = meter->state;

	if (m)
		model_local_free(&m->local);
	free(m);
	meter->state = NULL;
}

struct lane_error *model_meter_model(struct lane_meter *meter, const struct lane_device *device,
				     double noise, uint64_t seed)
{
	const struct lane_device_section *unit = NULL;
	struct model_meter *m = calloc(1, sizeof(*m));
	struct lane_error *err;

	*meter = (struct lane_meter){ .state = m,
				      .measure = meter_model_measure,
				      .close = close_model };
	if (!m)
		return &lane_enomem;
	err = model_device_need(device, "device", "", &unit);
	if (err)
		return err;
	*m = (struct model_meter){ .device = device, .noise = noise / 100, .random = seed };
	m->has_local = model_device_section(device, "scratchpad", "") ||
		       model_device_section(device, "atomic_unit", "");
	if (m->has_local)
		err = model_local_init(&m->local, device);
	if (m->has_local && !err)
		m->has_increments = model_local_increments(&m->increments, &m->local, device);
	snprintf(meter->name, sizeof(meter->name), "%s", device->name);
	snprintf(meter->how, sizeof(meter->how), "a simulation with %g %% noise", noise);
	meter->units = model_section_whole(unit, "units");
	meter->clock_mhz = model_section_real(unit, "clock_mhz");
	meter->warp = model_section_whole(unit, "warp");
	meter->unit_warps = model_section_whole(unit, "max_warps");
	meter->unit_groups = model_section_whole(unit, "max_groups");
	meter->max_warps = meter->unit_warps ? meter->unit_warps : MOST_WARPS;
	meter->group_warps = model_section_gives(unit, "max_group_warps")
				     ? model_section_whole(unit, "max_group_warps")
				     : meter->max_warps;
	meter->local_words = m->local.words;
	meter->local_bytes = 4 * m->local.words;
	meter->global_length = 1024;
	return err;
}

void model_meter_close(struct lane_meter *meter)
{
	if (meter->close)
		meter->close(meter);
}

// SPDX-License-Identifier: MIT
// Atomics on local memory: locks by pad.h, or a unit with a queue.
#include "model/local.h"

#include <math.h>
#include <string.h>

/* The measured strides whose conflicts are lanes on one word, and words in one bank. */
#define SAME_WORD "stride-0"
#define SAME_BANK "stride-32"
#define STRIDE	  32

/* Further cycles by degree: the measured curve where there is one, between its points a straight
 * line; else so many cycles for each further lane. */
static void local_fill(double *further, const struct lane_device_section *curve, double slope,
		       uint32_t lanes)
{
	uint32_t next = 0;

	for (uint32_t d = 0; d <= LANE_PAD_LANES; d++)
		further[d] = d > 1 ? slope * (d - 1) : 0;
	if (!curve || curve->n_points < 2 || curve->point[0].warps != 1)
		return;
	for (uint32_t d = 1; d <= lanes; d++) {
		const struct lane_op_point *low;
		const struct lane_op_point *high;
		double part;

		while (next + 2 < curve->n_points && curve->point[next + 1].warps < d)
			next++;
		low = &curve->point[next];
		high = &curve->point[next + 1];
		part = (double)(d - low->warps) / (double)(high->warps - low->warps);
		further[d] = ((double)(low->issue - curve->point[0].issue) +
			      part * (double)(high->issue - low->issue)) /
			     1e6;
		if (further[d] < 0) /* noise of a flat curve */
			further[d] = 0;
	}
}

static double known_or_nan(const struct lane_device_section *unit, const char *key)
{
	return model_section_gives(unit, key) ? model_section_real(unit, key) : NAN;
}

static struct lane_error *init_unit(struct lane_local *local, const struct lane_device *device,
				    const struct lane_device_section *unit)
{
	const struct lane_device_section *bank_curve =
		model_device_section(device, "curve", SAME_BANK);
	uint32_t bytes = model_section_whole(unit, "bytes");

	local->kind = LANE_LOCAL_UNIT;
	local->words = bytes / 4 > UINT16_MAX ? UINT16_MAX : bytes / 4;
	local->banks = model_section_whole(unit, "banks");
	local->latency = model_section_real(unit, "latency");
	local->service = model_section_real(unit, "service");
	local_fill(local->same_word, model_device_section(device, "curve", SAME_WORD),
		   known_or_nan(unit, "same_word"), local->lanes);
	local_fill(local->same_bank, STRIDE % local->banks ? NULL : bank_curve,
		   known_or_nan(unit, "same_bank"), local->lanes);
	memcpy(local->word_service, local->same_word, sizeof(local->word_service));
	memcpy(local->bank_service, local->same_bank, sizeof(local->bank_service));
	if (model_section_gives(unit, "same_word_service"))
		local_fill(local->word_service, NULL, model_section_real(unit, "same_word_service"),
			   local->lanes);
	if (model_section_gives(unit, "same_bank_service"))
		local_fill(local->bank_service, NULL, model_section_real(unit, "same_bank_service"),
			   local->lanes);
	return NULL;
}

int model_local_increments(struct lane_local *increments, const struct lane_local *local,
			   const struct lane_device *device)
{
	const struct lane_device_section *section = model_device_section(device, "increments", "");

	if (local->kind != LANE_LOCAL_UNIT || !section)
		return 0;
	*increments = *local;
	increments->latency = 0; /* nobody waits */
	increments->service = model_section_real(section, "service");
	local_fill(increments->same_word, NULL, model_section_real(section, "same_word"),
		   local->lanes);
	local_fill(increments->same_bank, NULL, model_section_real(section, "same_bank"),
		   local->lanes);
	memcpy(increments->word_service, increments->same_word, sizeof(increments->word_service));
	memcpy(increments->bank_service, increments->same_bank, sizeof(increments->bank_service));
	return 1;
}

static struct lane_error *init_locks(struct lane_local *local, const struct lane_device *device)
{
	const struct lane_device_section *op = model_device_section(device, "op", "local");
	struct lane_error *err = NULL;

	local->kind = LANE_LOCAL_LOCKS;
	for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
		err = model_pad_init(&local->pad[h], device, (enum lane_hash)h);
	if (err)
		return err;
	local->words = local->pad[0].words;
	local->banks = local->pad[0].banks;
	/* LDSLK and STSUL go through the memory like a load and a store (van den Braak et al.,
	 * section II-A: the lock bits take no cycles of their own). */
	local->level = op ? model_section_real(op, "issue") : 0;
	return NULL;
}

/* Nobody knows what an atomic costs; a device may say how many there can be. */
static void init_unknown(struct lane_local *local, const struct lane_device *device)
{
	const struct lane_device_section *memory = model_device_section(device, "local_memory", "");

	local->kind = LANE_LOCAL_UNKNOWN;
	local->words = (memory ? model_section_whole(memory, "bytes") : 65536) / 4;
	if (local->words > UINT16_MAX)
		local->words = UINT16_MAX;
	local->banks = memory ? model_section_whole(memory, "banks") : 32;
	local->a_cycle = memory ? model_section_real(memory, "atomics_a_cycle") : 0;
	local->latency = NAN;
}

struct lane_error *model_local_init(struct lane_local *local, const struct lane_device *device)
{
	const struct lane_device_section *unit = model_device_section(device, "atomic_unit", "");
	const struct lane_device_section *section = NULL;
	struct lane_error *err = model_device_need(device, "device", "", &section);

	memset(local, 0, sizeof(*local));
	if (err)
		return err;
	local->lanes = model_section_whole(section, "warp");
	if (unit)
		return init_unit(local, device, unit);
	if (model_device_section(device, "scratchpad", ""))
		return init_locks(local, device);
	init_unknown(local, device);
	return NULL;
}

double model_local_bytes(const struct lane_device *device)
{
	static const char *const kinds[] = { "atomic_unit", "scratchpad", "local_memory" };

	for (int i = 0; i < 3; i++) {
		const struct lane_device_section *memory =
			model_device_section(device, kinds[i], "");

		if (memory)
			return model_section_real(memory, "bytes");
	}
	return NAN;
}

double model_local_doubt(const struct lane_device *device)
{
	static const char *const curves[] = { SAME_WORD, SAME_BANK };
	const struct lane_device_section *unit = model_device_section(device, "atomic_unit", "");
	const struct lane_device_section *pad = model_device_section(device, "scratchpad", "");
	double worst = 0;

	if (pad)
		worst = fmax(model_section_doubt(pad, "read"), model_section_doubt(pad, "write"));
	if (unit)
		worst = model_section_doubt(unit, "service");
	for (int i = 0; unit && i < 2; i++) {
		const struct lane_device_section *curve =
			model_device_section(device, "curve", curves[i]);

		for (uint32_t p = 0; curve && p < curve->n_points; p++)
			worst = fmax(worst, (double)curve->point[p].completion /
						    (double)curve->point[p].issue);
	}
	return worst;
}

void model_local_free(struct lane_local *local)
{
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_pad_free(&local->pad[h]);
}

static uint32_t local_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Banks by the same hashes as with locks. */
static uint32_t bank_of(const struct lane_local *local, enum lane_hash hash, uint32_t word)
{
	uint32_t row = word / local->banks;

	if (hash == LANE_HASH_XOR)
		return (word ^ row) % local->banks;
	if (hash == LANE_HASH_ADD)
		return (word + row) % local->banks;
	return word % local->banks;
}

/* The banks serve their lanes at the same time; the warp takes as long as its slowest bank. */
static void serve(const struct lane_local *local, enum lane_hash hash, const uint16_t *address,
		  uint32_t lanes, struct lane_pad_warp *warp)
{
	double position[LANE_PAD_BANKS] = { 0 };
	double busy[LANE_PAD_BANKS] = { 0 };
	uint32_t words[LANE_PAD_BANKS] = { 0 };
	uint32_t slowest = 0;
	double most = -1;
	double service = 0;

	*warp = (struct lane_pad_warp){ .lock_degree = 1 };
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t bank = bank_of(local, hash, address[i]);
		uint32_t same = 0;
		int first = 1;

		for (uint32_t j = 0; j < lanes; j++) {
			same += address[j] == address[i];
			first &= j >= i || address[j] != address[i];
		}
		if (!first)
			continue;
		words[bank]++;
		position[bank] += local->same_word[same];
		busy[bank] += local->word_service[same];
		warp->position_degree = local_larger(warp->position_degree, same);
		warp->bank_degree = local_larger(warp->bank_degree, words[bank]);
	}
	for (uint32_t b = 0; b < local->banks; b++) {
		double further = position[b] + local->same_bank[words[b]];
		double longer = busy[b] + local->bank_service[words[b]];

		if (words[b] && !(longer <= service))
			service = longer;
		if (words[b] && (further > most || isnan(further))) {
			most = isnan(further) ? INFINITY : further;
			slowest = b;
		}
	}
	warp->base_cycles = local->latency + local->service;
	warp->position_cycles = position[slowest];
	warp->bank_cycles = local->same_bank[words[slowest]];
	warp->cycles = warp->base_cycles + warp->position_cycles + warp->bank_cycles;
	warp->base_service = local->service;
	warp->service = local->service + service;
}

static double busy(const struct lane_local *local, const struct lane_pad_cost *cost)
{
	return local->level * (cost->read_levels + cost->write_levels);
}

struct lane_local_cost model_local_evaluate(struct lane_local *local, enum lane_hash hash,
					    const uint16_t *address, uint32_t lanes)
{
	struct lane_pad_cost cost;
	struct lane_pad_warp warp;

	if (local->kind != LANE_LOCAL_LOCKS) {
		serve(local, hash, address, lanes, &warp);
		return (struct lane_local_cost){ warp.cycles, warp.service };
	}
	cost = model_pad_evaluate(&local->pad[hash], address, lanes);
	return (struct lane_local_cost){
		model_pad_cycles(&local->pad[hash], cost.rounds, cost.read_levels,
				 cost.write_levels),
		busy(local, &cost),
	};
}

void model_local_explain(struct lane_local *local, const uint16_t *address, uint32_t lanes,
			 struct lane_pad_warp *warp)
{
	if (local->kind != LANE_LOCAL_LOCKS) {
		serve(local, LANE_HASH_NONE, address, lanes, warp);
		if (local->kind == LANE_LOCAL_UNKNOWN)
			warp->position_cycles = warp->bank_cycles = warp->lock_cycles = NAN;
		return;
	}
	model_pad_explain(&local->pad[LANE_HASH_NONE], address, lanes, warp);
	warp->service = busy(local, &warp->cost);
	warp->base_service = 2 * local->level; /* a read and a write */
}

double model_local_queue(const struct lane_local_cost *cost, double warps, double *utilisation)
{
	double full = warps * cost->service;
	double cycles = full > cost->cycles ? full : cost->cycles;

	*utilisation = cycles > 0 ? full / cycles : 0;
	return cycles;
}

// SPDX-License-Identifier: MIT
// One access of a warp: local memory by the model of pad.h, global memory by words, locks,
// segments.
#include "model/touch.h"

#include <math.h>
#include <string.h>

/* What S. Robertson found for locks, and the segment since Fermi. */
#define LOCK_BYTES    32
#define SEGMENT_BYTES 128

/*
 * What each further lane on the same word of global memory costs: what the device says, or all
 * lanes on one word against neighbouring words, as they were measured. NAN: not known.
 */
static double same_word(const struct lane_touch *touch, const struct lane_device *device)
{
	const struct lane_device_section *measured =
		model_device_section(device, "global_atomics", "");
	double further;

	if (touch->contend.is_known)
		return 0; /* they are one message, of the shared cache's time */
	if (model_section_gives(measured, "same_word"))
		return model_section_real(measured, "same_word");
	if (!model_section_gives(measured, "atomic_single") ||
	    !model_section_gives(measured, "atomic_coalesced"))
		return NAN;
	further = model_section_real(measured, "atomic_single") -
		  model_section_real(measured, "atomic_coalesced");
	return fmax(further, 0) / (double)(touch->memory.lanes - 1);
}

struct lane_error *model_touch_init(struct lane_touch *touch, const struct lane_device *device)
{
	const struct lane_device_section *unit = model_device_section(device, "device", "");
	struct lane_error *err = model_local_init(&touch->memory, device);

	if (!err)
		touch->has_increments =
			model_local_increments(&touch->increments, &touch->memory, device);
	touch->message = unit ? model_section_whole(unit, "global_atomic_lanes") : 0;
	model_contend_init(&touch->contend, device);
	touch->same_word = same_word(touch, device);
	return err;
}

void model_touch_free(struct lane_touch *touch)
{
	model_local_free(&touch->memory);
}

/* Words of an array, and those that its copies take. */
static uint64_t words_of(const struct lane_pattern_line *line)
{
	return (line->array_bytes + 3) / 4;
}

static uint32_t touch_copies_of(int what_if)
{
	return 2u << ((what_if - LANE_IF_COPIES) % LANE_PATTERN_COPIES);
}

static enum lane_layout layout_of(int what_if)
{
	return (enum lane_layout)((what_if - LANE_IF_COPIES) / LANE_PATTERN_COPIES);
}

/* Words that the array takes after a change. */
static uint64_t words_after(const struct lane_touch *touch, const struct lane_pattern_line *line,
			    int what_if)
{
	uint64_t words = words_of(line);

	if (what_if == LANE_IF_ROWS)
		return words + words / touch->memory.banks;
	if (what_if < LANE_IF_COPIES)
		return words;
	return (words + (layout_of(what_if) == LANE_LAYOUT_PADDED)) * touch_copies_of(what_if);
}

void model_touch_begin(const struct lane_touch *touch, struct lane_pattern_line *line)
{
	line->private_cycles = line->local || words_of(line) > touch->memory.words ? NAN : 0;
	for (int i = 0; i < LANE_IF_COUNT; i++)
		line->what_if[i] =
			line->base / 4 + words_after(touch, line, i) <= touch->memory.words ? 0
											    : NAN;
}

void model_touch_end(const struct lane_touch *touch, struct lane_pattern_line *line,
		     uint32_t local_bytes)
{
	uint64_t others = local_bytes / 4 - words_of(line);

	if (!line->local && words_of(line) + local_bytes / 4 > touch->memory.words)
		line->private_cycles = NAN;
	for (int i = 0; line->local && i < LANE_IF_COUNT; i++)
		if (others + words_after(touch, line, i) > touch->memory.words)
			line->what_if[i] = NAN;
}

/* Where a lane's word lies after a change. */
static uint64_t touch_moved(const struct lane_touch *touch, uint64_t word, uint64_t words,
			    uint32_t lane, int what_if)
{
	uint32_t copies;

	if (what_if == LANE_IF_ROWS)
		return word + word / touch->memory.banks;
	if (what_if < LANE_IF_COPIES)
		return word;
	copies = touch_copies_of(what_if);
	if (layout_of(what_if) == LANE_LAYOUT_STRETCHED)
		return word * copies + lane % copies;
	return word + (lane % copies) * (words + (layout_of(what_if) == LANE_LAYOUT_PADDED));
}

/* The memory as an atomic of the line finds it. */
static struct lane_local *memory_of(struct lane_touch *touch, const struct lane_pattern_line *line)
{
	int counts = !strcmp(line->op, "inc") || !strcmp(line->op, "dec");

	return touch->has_increments && line->is_unused && counts ? &touch->increments
								  : &touch->memory;
}

static struct lane_local_cost changed(struct lane_touch *touch,
				      const struct lane_pattern_line *line,
				      const struct lane_warp_access *warp, int what_if)
{
	enum lane_hash hash = what_if == LANE_IF_XOR   ? LANE_HASH_XOR
			      : what_if == LANE_IF_ADD ? LANE_HASH_ADD
						       : LANE_HASH_NONE;
	uint16_t address[LANE_PAD_LANES];
	uint32_t n = 0;

	for (uint32_t i = 0; i < warp->n; i++) {
		uint32_t before = 0;

		while (what_if == LANE_IF_TOGETHER && before < i &&
		       warp->address[before] / 4 != warp->address[i] / 4)
			before++;
		if (what_if != LANE_IF_TOGETHER || before == i)
			address[n++] =
				(uint16_t)(line->base / 4 + touch_moved(touch, warp->address[i] / 4,
									words_of(line),
									warp->lane[i], what_if));
	}
	return model_local_evaluate(memory_of(touch, line), hash, address, n);
}

static uint32_t touch_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void add_degrees(struct lane_pattern_line *line, uint64_t count, uint32_t position,
			uint32_t bank, uint32_t lock)
{
	line->position_sum += count * position;
	line->bank_sum += count * bank;
	line->lock_sum += count * lock;
	line->position_degree = touch_larger(line->position_degree, position);
	line->bank_degree = touch_larger(line->bank_degree, bank);
	line->lock_degree = touch_larger(line->lock_degree, lock);
}

static int add_local(struct lane_touch *touch, struct lane_pattern_line *line,
		     const struct lane_warp_access *warp)
{
	uint16_t address[LANE_PAD_LANES];
	struct lane_pad_warp cost;
	double n = (double)warp->count;

	for (uint32_t i = 0; i < warp->n; i++) {
		uint64_t word = line->base / 4 + warp->address[i] / 4;

		if (word >= touch->memory.words || warp->address[i] >= line->array_bytes)
			return -1;
		address[i] = (uint16_t)word;
	}
	model_local_explain(memory_of(touch, line), address, warp->n, &cost);
	add_degrees(line, warp->count, cost.position_degree, cost.bank_degree, cost.lock_degree);
	if (line->access != LANE_ACCESS_ATOMIC)
		return 0;
	line->cycles += n * cost.cycles;
	line->base_cycles += n * cost.base_cycles;
	line->position_cycles += n * cost.position_cycles;
	line->lock_cycles += n * cost.lock_cycles;
	line->bank_cycles += n * cost.bank_cycles;
	line->service += n * cost.service;
	line->base_service += n * cost.base_service;
	for (int i = 0; i < LANE_IF_COUNT; i++) {
		struct lane_local_cost after;

		if (isnan(line->what_if[i]))
			continue;
		after = changed(touch, line, warp, i);
		line->what_if[i] += n * after.cycles;
		line->what_if_service[i] += n * after.service;
	}
	return 0;
}

/* How many lanes are the first in their unit of so many bytes. */
static uint32_t distinct(const struct lane_warp_access *warp, uint32_t bytes)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < warp->n; i++) {
		uint32_t first = 1;

		for (uint32_t j = 0; first && j < i; j++)
			first = warp->address[j] / bytes != warp->address[i] / bytes;
		n += first;
	}
	return n;
}

/* The same atomic, were the array in local memory. */
static void add_private(struct lane_touch *touch, struct lane_pattern_line *line,
			const struct lane_warp_access *warp)
{
	uint16_t address[LANE_PAD_LANES];
	struct lane_local_cost cost;

	for (uint32_t i = 0; i < warp->n; i++) {
		if (warp->address[i] / 4 >= touch->memory.words) {
			line->private_cycles = NAN;
			return;
		}
		address[i] = (uint16_t)(warp->address[i] / 4);
	}
	cost = model_local_evaluate(memory_of(touch, line), LANE_HASH_NONE, address, warp->n);
	line->private_cycles += (double)warp->count * cost.cycles;
	line->private_service += (double)warp->count * cost.service;
}

static void touch_add_global(struct lane_touch *touch, struct lane_pattern_line *line,
			     const struct lane_warp_access *warp)
{
	uint32_t position = 0;
	uint32_t lock = 0;

	for (uint32_t i = 0; i < warp->n; i++) {
		uint32_t same = 0;
		uint32_t words = 0;

		for (uint32_t j = 0; j < warp->n; j++) {
			uint32_t first = 1;

			same += warp->address[j] == warp->address[i];
			for (uint32_t k = 0; first && k < j; k++)
				first = warp->address[k] != warp->address[j];
			words += first &&
				 warp->address[j] / LOCK_BYTES == warp->address[i] / LOCK_BYTES;
		}
		position = touch_larger(position, same);
		lock = touch_larger(lock, words);
	}
	add_degrees(line, warp->count, position, 0, lock);
	line->segments += warp->count * distinct(warp, SEGMENT_BYTES);
	if (line->access == LANE_ACCESS_ATOMIC && position > 1)
		line->collision_cycles += (double)warp->count * touch->same_word * (position - 1);
	if (line->access == LANE_ACCESS_ATOMIC && !isnan(line->private_cycles))
		add_private(touch, line, warp);
}

/* Messages that an atomic is sent in: those with a lane that takes part. */
static uint32_t messages(const struct lane_touch *touch, const struct lane_pattern_line *line,
			 const struct lane_warp_access *warp)
{
	uint32_t lanes = line->local || !touch->message ? LANE_PAD_LANES : touch->message;
	uint32_t n = 1;

	for (uint32_t i = 1; i < warp->n; i++)
		n += warp->lane[i] / lanes != warp->lane[i - 1] / lanes;
	return n;
}

static int touch_add(struct lane_touch *touch, struct lane_pattern_line *line,
		     const struct lane_warp_access *warp)
{
	line->messages += warp->count * messages(touch, line, warp);
	line->warps += warp->count;
	line->lanes += warp->count * warp->n;
	if (line->local)
		return add_local(touch, line, warp);
	touch_add_global(touch, line, warp);
	return 0;
}

struct lane_error *model_touch_add(struct lane_touch *touch, struct lane_pattern_array *array,
				   struct lane_pattern_line *line,
				   const struct lane_warp_access *warp, int *outside)
{
	struct lane_warp_access part = { .count = warp->count };
	uint32_t lanes = touch->memory.lanes;
	struct lane_error *err = NULL;

	*outside = 0;
	if (line->access == LANE_ACCESS_SWAP)
		return line->local ? NULL : model_contend_swap(array, warp);
	/* A device with narrower warps takes an access in several steps. */
	for (uint32_t i = 0; !err && i < warp->n; i++) {
		part.lane[part.n] = (uint8_t)(warp->lane[i] % lanes);
		part.address[part.n++] = warp->address[i];
		if (i + 1 < warp->n && warp->lane[i + 1] / lanes == warp->lane[i] / lanes)
			continue;
		*outside = touch_add(touch, line, &part) != 0;
		if (*outside)
			return NULL;
		if (!line->local && line->access == LANE_ACCESS_ATOMIC)
			err = model_contend_add(&touch->contend, array, line, &part);
		part.n = 0;
	}
	return err;
}

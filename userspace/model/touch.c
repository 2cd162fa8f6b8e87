// SPDX-License-Identifier: MIT
// One access of a warp: local memory by the model of pad.h, global memory by words, locks,
// segments.
#include "model/touch.h"

#include <math.h>
#include <string.h>

/* Without a [global] section: what S. Robertson found for locks, and the segment since Fermi. */
#define LOCK_BYTES    32
#define SEGMENT_BYTES 128

struct lane_error *lane_touch_init(struct lane_touch *touch, const struct lane_device *device)
{
	const struct lane_section *global = lane_device_section(device, "global", "");
	struct lane_error *err = NULL;

	for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
		err = lane_pad_init(&touch->pad[h], device, (enum lane_hash)h);
	touch->lock_bytes = global ? lane_section_whole(global, "lock_bytes") : LOCK_BYTES;
	touch->segment_bytes = global ? lane_section_whole(global, "segment_bytes") : SEGMENT_BYTES;
	return err;
}

void lane_touch_free(struct lane_touch *touch)
{
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		lane_pad_free(&touch->pad[h]);
}

/* Words of an array, and those that its copies take. */
static uint64_t words_of(const struct lane_pattern_line *line)
{
	return (line->array_bytes + 3) / 4;
}

static uint32_t copies_of(int what_if)
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
		return words + words / touch->pad[0].banks;
	if (what_if < LANE_IF_COPIES)
		return words;
	return (words + (layout_of(what_if) == LANE_LAYOUT_PADDED)) * copies_of(what_if);
}

void lane_touch_begin(const struct lane_touch *touch, struct lane_pattern_line *line)
{
	for (int i = 0; i < LANE_IF_COUNT; i++)
		line->what_if[i] =
			line->base / 4 + words_after(touch, line, i) <= touch->pad[0].words ? 0
											    : NAN;
}

void lane_touch_end(const struct lane_touch *touch, struct lane_pattern_line *line,
		    uint32_t local_bytes)
{
	uint64_t others = local_bytes / 4 - words_of(line);

	for (int i = 0; line->local && i < LANE_IF_COUNT; i++)
		if (others + words_after(touch, line, i) > touch->pad[0].words)
			line->what_if[i] = NAN;
}

/* Where a lane's word lies after a change. */
static uint64_t moved(const struct lane_touch *touch, uint64_t word, uint64_t words, uint32_t lane,
		      int what_if)
{
	uint32_t copies;

	if (what_if == LANE_IF_ROWS)
		return word + word / touch->pad[0].banks;
	if (what_if < LANE_IF_COPIES)
		return word;
	copies = copies_of(what_if);
	if (layout_of(what_if) == LANE_LAYOUT_STRETCHED)
		return word * copies + lane % copies;
	return word + (lane % copies) * (words + (layout_of(what_if) == LANE_LAYOUT_PADDED));
}

static double changed(struct lane_touch *touch, const struct lane_pattern_line *line,
		      const struct lane_warp_access *warp, int what_if)
{
	struct lane_pad *pad = &touch->pad[what_if == LANE_IF_XOR   ? LANE_HASH_XOR
					   : what_if == LANE_IF_ADD ? LANE_HASH_ADD
								    : LANE_HASH_NONE];
	uint16_t address[LANE_PAD_LANES];
	struct lane_pad_cost cost;

	for (uint32_t i = 0; i < warp->n; i++)
		address[i] =
			(uint16_t)(line->base / 4 + moved(touch, warp->address[i] / 4,
							  words_of(line), warp->lane[i], what_if));
	cost = lane_pad_evaluate(pad, address, warp->n);
	return lane_pad_cycles(pad, cost.rounds, cost.read_levels, cost.write_levels);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void add_degrees(struct lane_pattern_line *line, uint64_t count, uint32_t position,
			uint32_t bank, uint32_t lock)
{
	line->position_sum += count * position;
	line->bank_sum += count * bank;
	line->lock_sum += count * lock;
	line->position_degree = larger(line->position_degree, position);
	line->bank_degree = larger(line->bank_degree, bank);
	line->lock_degree = larger(line->lock_degree, lock);
}

static int add_local(struct lane_touch *touch, struct lane_pattern_line *line,
		     const struct lane_warp_access *warp)
{
	uint16_t address[LANE_PAD_LANES];
	struct lane_pad_warp cost;
	double n = (double)warp->count;

	for (uint32_t i = 0; i < warp->n; i++) {
		uint64_t word = line->base / 4 + warp->address[i] / 4;

		if (word >= touch->pad[0].words || warp->address[i] >= line->array_bytes)
			return -1;
		address[i] = (uint16_t)word;
	}
	lane_pad_explain(&touch->pad[LANE_HASH_NONE], address, warp->n, &cost);
	add_degrees(line, warp->count, cost.position_degree, cost.bank_degree, cost.lock_degree);
	if (line->access != LANE_ACCESS_ATOMIC)
		return 0;
	line->cycles += n * cost.cycles;
	line->base_cycles += n * cost.base_cycles;
	line->position_cycles += n * cost.position_cycles;
	line->lock_cycles += n * cost.lock_cycles;
	line->bank_cycles += n * cost.bank_cycles;
	for (int i = 0; i < LANE_IF_COUNT; i++)
		if (!isnan(line->what_if[i]))
			line->what_if[i] += n * changed(touch, line, warp, i);
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

static void add_global(const struct lane_touch *touch, struct lane_pattern_line *line,
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
			words += first && warp->address[j] / touch->lock_bytes ==
						  warp->address[i] / touch->lock_bytes;
		}
		position = larger(position, same);
		lock = larger(lock, words);
	}
	add_degrees(line, warp->count, position, 0, lock);
	line->segments += warp->count * distinct(warp, touch->segment_bytes);
}

int lane_touch_add(struct lane_touch *touch, struct lane_pattern_line *line,
		   const struct lane_warp_access *warp)
{
	if (warp->n > touch->pad[0].lanes)
		return -1;
	line->warps += warp->count;
	line->lanes += warp->count * warp->n;
	if (line->local)
		return add_local(touch, line, warp);
	add_global(touch, line, warp);
	return 0;
}

// SPDX-License-Identifier: MIT
// `gpulane-papers warp`: one warp's atomic on scratchpad memory, from a stride pattern or a file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/papers/cmd/papers_cmd.h"
#include "model/lines.h"
#include "model/number.h"
#include "model/pad.h"

struct options {
	struct model_common common;
	uint32_t stride;
	uint32_t conflicts;
	int hash; /* enum lane_hash */
	const char *addresses;
	int sweep;
};

static const struct model_option options[] = {
	MODEL_WHOLE("stride", 's', stride, "WORDS",
		    "lane i below --conflicts updates word i * WORDS (default 0)", 0, UINT16_MAX),
	MODEL_WHOLE("conflicts", 'c', conflicts, "LANES",
		    "how many lanes do; the others update word i (default 1)", 1, LANE_PAD_LANES),
	MODEL_OPTION("addresses", 'a', model_word, addresses, "FILE",
		     "instead: word addresses, one warp a line"),
	MODEL_CHOICE("hash", 'h', hash, "HASH", "none (default), xor or add", LANE_HASH_COUNT,
		     lane_hash_names),
	MODEL_OPTION("sweep", 'S', model_flag, sweep, NULL,
		     "all numbers of conflicts and all hashes"),
	MODEL_OPTIONS,
	{ 0 },
};

static void put_warp(json_object *object, const struct lane_pad_warp *warp)
{
	model_put_real(object, "cycles", warp->cycles, 6);
	model_put_whole(object, "rounds", warp->cost.rounds);
	model_put_whole(object, "position_degree", warp->position_degree);
	model_put_whole(object, "bank_degree", warp->bank_degree);
	model_put_whole(object, "lock_degree", warp->lock_degree);
	model_put_real(object, "base_cycles", warp->base_cycles, 6);
	model_put_real(object, "position_cycles", warp->position_cycles, 6);
	model_put_real(object, "lock_cycles", warp->lock_cycles, 6);
	model_put_real(object, "bank_cycles", warp->bank_cycles, 6);
}

/* Equation 1: lane i has word i * stride while i < conflicts, and word i otherwise. */
static struct lane_error *pattern(const struct lane_pad *pad, uint32_t stride, uint32_t conflicts,
				  uint16_t *address)
{
	for (uint32_t i = 0; i < pad->lanes; i++) {
		uint64_t word = i < conflicts ? (uint64_t)i * stride : i;

		if (word >= pad->words)
			return lane_error(
				"lane %u: word %llu lies behind the scratchpad's %u words", i,
				(unsigned long long)word, pad->words);
		address[i] = (uint16_t)word;
	}
	return NULL;
}

static struct lane_error *verb_warp_one(struct lane_pad *pad, const struct options *o,
					json_object *result)
{
	uint16_t address[LANE_PAD_LANES];
	struct lane_pad_warp warp;
	struct lane_error *err;

	if (o->conflicts > pad->lanes)
		return lane_error_usage("--conflicts: a warp of this device has %u lanes",
					pad->lanes);
	err = pattern(pad, o->stride, o->conflicts, address);
	if (err)
		return err;
	model_pad_explain(pad, address, pad->lanes, &warp);
	put_warp(result, &warp);
	return NULL;
}

/* A row per line of a file of word addresses. */
static struct lane_error *from_file(struct lane_pad *pad, const struct options *o,
				    json_object *result)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err = model_text_read(o->addresses, 1 << 26, &text);
	struct lane_lines lines;
	struct lane_pad_warp warp;
	uint64_t warps = 0;
	double cycles = 0;

	if (err)
		return err;
	model_put_text(result, "addresses", o->addresses);
	model_put_text(result, "hash", lane_hash_names[o->hash]);
	model_lines_init(&lines, text, o->addresses);
	for (;;) {
		uint16_t address[LANE_PAD_LANES];
		uint64_t word;
		json_object *row;
		int more;

		err = model_lines_next(&lines, &more);
		if (err)
			return err;
		if (!more)
			break;
		if (lines.n_words > pad->lanes)
			return model_lines_error(&lines, "more addresses than the warp's %u lanes",
						 pad->lanes);
		for (unsigned int i = 0; i < lines.n_words; i++) {
			if (model_whole_parse(lines.word[i], 0, pad->words - 1, &word))
				return model_lines_error(&lines,
							 "`%.20s' is not a word address below %u",
							 lines.word[i], pad->words);
			address[i] = (uint16_t)word;
		}
		model_pad_explain(pad, address, lines.n_words, &warp);
		cycles += warp.cycles;
		row = model_row(result);
		model_put_whole(row, "warp", (int64_t)warps++);
		model_put_whole(row, "lanes", lines.n_words);
		put_warp(row, &warp);
	}
	if (!warps)
		return lane_error("%s: no addresses in it", o->addresses);
	model_put_whole(result, "warps", (int64_t)warps);
	model_put_real(result, "cycles", cycles, 6);
	return NULL;
}

/* A row per number of conflicts, a column per hash. */
static struct lane_error *verb_warp_sweep(const struct lane_device *device, const struct options *o,
					  json_object *result)
{
	struct lane_pad pad[LANE_HASH_COUNT] = { 0 };
	uint16_t address[LANE_PAD_LANES];
	struct lane_error *err = NULL;

	model_put_whole(result, "stride", o->stride);
	for (int h = 0; !err && h < LANE_HASH_COUNT; h++)
		err = model_pad_init(&pad[h], device, (enum lane_hash)h);
	for (uint32_t conflicts = 1; !err && conflicts <= pad[0].lanes; conflicts++) {
		json_object *row = model_row(result);

		err = pattern(&pad[0], o->stride, conflicts, address);
		model_put_whole(row, "conflicts", conflicts);
		for (int h = 0; !err && h < LANE_HASH_COUNT; h++) {
			struct lane_pad_warp warp;

			model_pad_explain(&pad[h], address, pad[h].lanes, &warp);
			model_put_real(row, lane_hash_names[h], warp.cycles, 6);
		}
	}
	for (int h = 0; h < LANE_HASH_COUNT; h++)
		model_pad_free(&pad[h]);
	return err;
}

static struct lane_error *single(const struct lane_device *device, const struct options *o,
				 json_object *result)
{
	struct lane_pad pad;
	struct lane_error *err = model_pad_init(&pad, device, (enum lane_hash)o->hash);

	if (err)
		return err;
	err = o->addresses ? from_file(&pad, o, result) : verb_warp_one(&pad, o, result);
	model_pad_free(&pad);
	return err;
}

static struct lane_error *verb_warp_run(void *options_read, struct lane_device *device,
					json_object *result)
{
	const struct options *o = options_read;

	return o->sweep ? verb_warp_sweep(device, o, result) : single(device, o, result);
}

struct lane_error *model_warp(int argc, char **argv)
{
	struct options o = { .conflicts = 1 };
	int done;
	struct lane_error *err = model_parse(options, NULL,
					     "The cycles of one warp's atomicAdd on scratchpad "
					     "memory, and which conflicts cause them.",
					     argc, argv, &o, &done);

	if (err || done)
		return err;
	if (o.sweep && o.addresses)
		return lane_error_usage("warp: --sweep and --addresses exclude each other");
	return model_run(&o.common, "warp", "fermi-gtx580", verb_warp_run, &o);
}

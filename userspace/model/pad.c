// SPDX-License-Identifier: MIT
// One warp's atomic on scratchpad memory: banks, locks, rounds, cycles.
#include "model/pad.h"

#include <stdlib.h>
#include <string.h>

const char *const lane_hash_names[LANE_HASH_COUNT] = {
	[LANE_HASH_NONE] = "none",
	[LANE_HASH_XOR] = "xor",
	[LANE_HASH_ADD] = "add",
};

static int power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* Bank and lock of word a, the paper's section IV; banks and locks per bank are powers of two. */
static uint16_t hash_word(const struct lane_pad *pad, uint32_t a)
{
	uint32_t row = a / pad->banks;
	uint32_t above = row / pad->locks_per_bank;
	uint32_t bank = a;
	uint32_t lock = row;

	if (pad->hash == LANE_HASH_XOR) {
		bank = a ^ row;
		lock = row ^ above;
	} else if (pad->hash == LANE_HASH_ADD) {
		bank = a + row;
		lock = row + above;
	}
	return (uint16_t)((bank % pad->banks) * pad->locks_per_bank + lock % pad->locks_per_bank);
}

struct lane_error *model_pad_init(struct lane_pad *pad, const struct lane_device *device,
				  enum lane_hash hash)
{
	const struct lane_device_section *unit = NULL;
	const struct lane_device_section *section = NULL;
	struct lane_error *err = model_device_need(device, "device", "", &unit);
	uint32_t locks;

	memset(pad, 0, sizeof(*pad));
	if (!err)
		err = model_device_need(device, "scratchpad", "", &section);
	if (err)
		return err;
	*pad = (struct lane_pad){
		.words = model_section_whole(section, "bytes") / 4,
		.banks = model_section_whole(section, "banks"),
		.lanes = model_section_whole(unit, "warp"),
		.hash = hash,
		.read = model_section_real(section, "read"),
		.update = model_section_real(section, "update"),
		.write = model_section_real(section, "write"),
		.branch = model_section_real(section, "branch"),
	};
	locks = model_section_whole(section, "locks");
	if (!power_of_two(pad->banks) || !power_of_two(locks) || locks < pad->banks ||
	    pad->words > UINT16_MAX)
		return lane_error(
			"%s: [scratchpad]: banks and locks must be powers of two, at least "
			"one lock a bank, and bytes below 256 KiB",
			device->what);
	pad->locks_per_bank = locks / pad->banks;
	pad->lock_of = malloc(pad->words * sizeof(*pad->lock_of));
	pad->lock_count = calloc(locks, 1);
	pad->read_until = calloc(pad->words, 1);
	if (!pad->lock_of || !pad->lock_count || !pad->read_until) {
		model_pad_free(pad);
		return &lane_enomem;
	}
	for (uint32_t a = 0; a < pad->words; a++)
		pad->lock_of[a] = hash_word(pad, a);
	return NULL;
}

void model_pad_free(struct lane_pad *pad)
{
	free(pad->lock_of);
	free(pad->lock_count);
	free(pad->read_until);
	pad->lock_of = NULL;
	pad->lock_count = NULL;
	pad->read_until = NULL;
}

static uint32_t row_max(const uint8_t *row, uint32_t banks)
{
	uint8_t most = 0;

	for (uint32_t i = 0; i < banks; i++)
		most = row[i] > most ? row[i] : most;
	return most;
}

/*
 * One warp. The lane that is the nth with its lock writes in round n, because the lowest lane gets
 * the lock; a word is read in every round until the last of its lanes has written.
 */
static inline __attribute__((always_inline)) struct lane_pad_cost
evaluate(struct lane_pad *pad, const uint16_t *address, uint32_t lanes, uint32_t banks)
{
	uint32_t bank_shift = (uint32_t)__builtin_ctz(pad->locks_per_bank);
	uint16_t lock[LANE_PAD_LANES];
	struct lane_pad_cost cost = { 0 };

	for (uint32_t i = 0; i < lanes; i++) {
		uint16_t l = pad->lock_of[address[i]];
		uint8_t n = pad->lock_count[l]++;

		lock[i] = l;
		cost.rounds = n >= cost.rounds ? n + 1u : cost.rounds;
		pad->write_rows[n][l >> bank_shift]++;
		for (uint32_t r = pad->read_until[address[i]]; r <= n; r++)
			pad->read_rows[r][l >> bank_shift]++;
		pad->read_until[address[i]] = (uint8_t)(n + 1);
	}
	for (uint32_t i = 0; i < lanes; i++) {
		pad->lock_count[lock[i]] = 0;
		pad->read_until[address[i]] = 0;
	}
	for (uint32_t r = 0; r < cost.rounds; r++) {
		uint32_t levels = row_max(pad->read_rows[r], banks);

		cost.first_levels = r ? cost.first_levels : levels;
		cost.read_levels += levels;
		cost.write_levels += row_max(pad->write_rows[r], banks);
		memset(pad->write_rows[r], 0, banks);
		memset(pad->read_rows[r], 0, banks);
	}
	return cost;
}

struct lane_pad_cost model_pad_evaluate(struct lane_pad *pad, const uint16_t *address,
					uint32_t lanes)
{
	/* The usual scratchpad gets code of its own: 32 banks are two vector registers. */
	return pad->banks == 32 && lanes == 32 ? evaluate(pad, address, 32, 32)
					       : evaluate(pad, address, lanes, pad->banks);
}

double model_pad_cycles(const struct lane_pad *pad, uint64_t rounds, uint64_t read_levels,
			uint64_t write_levels)
{
	return (double)rounds * (pad->update + pad->branch) + (double)read_levels * pad->read +
	       (double)write_levels * pad->write;
}

/* Most lanes on one word, most words behind one lock: at most 64 lanes, so every pair is looked at.
 */
static void degrees(const struct lane_pad *pad, const uint16_t *address, uint32_t lanes,
		    struct lane_pad_warp *warp)
{
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t position = 0;
		uint32_t words = 0;

		for (uint32_t j = 0; j < lanes; j++) {
			uint32_t first = 1;

			position += address[j] == address[i];
			for (uint32_t k = 0; k < j; k++)
				first &= address[k] != address[j];
			words += first & (pad->lock_of[address[j]] == pad->lock_of[address[i]]);
		}
		if (position > warp->position_degree)
			warp->position_degree = position;
		if (words > warp->lock_degree)
			warp->lock_degree = words;
	}
}

void model_pad_explain(struct lane_pad *pad, const uint16_t *address, uint32_t lanes,
		       struct lane_pad_warp *warp)
{
	struct lane_pad_cost cost = model_pad_evaluate(pad, address, lanes);

	*warp = (struct lane_pad_warp){ .cost = cost, .bank_degree = cost.first_levels };
	degrees(pad, address, lanes, warp);
	warp->cycles = model_pad_cycles(pad, cost.rounds, cost.read_levels, cost.write_levels);
	warp->base_cycles = model_pad_cycles(pad, 1, 1, 1);
	warp->position_cycles = warp->base_cycles * (warp->position_degree - 1);
	warp->lock_cycles = warp->base_cycles * (cost.rounds - warp->position_degree);
	warp->bank_cycles = warp->cycles - warp->base_cycles * cost.rounds;
}

// SPDX-License-Identifier: MIT
// Follows the programs that read CTF structures.
#include "decode/ctf_program.h"

#include <string.h>

#include "decode/known_names.h"

/* The integer of bits bits at a bit; what is read lies in the bytes. */
static uint64_t little_bits(const uint8_t *data, uint64_t at, unsigned int bits)
{
	uint64_t value = 0;
	unsigned int have = 0;

	data += at / 8;
	at %= 8;
	if (!at && !(bits % 8)) {
		memcpy(&value, data, bits / 8);
		return value;
	}
	while (have < bits) {
		unsigned int take = 8 - (unsigned int)at;

		if (take > bits - have)
			take = bits - have;
		value |= ((uint64_t)(*data >> at) & ((1u << take) - 1)) << have;
		have += take;
		at = 0;
		data++;
	}
	return value;
}

static uint64_t big_bits(const uint8_t *data, uint64_t at, unsigned int bits)
{
	uint64_t value = 0;
	unsigned int have = 0;

	data += at / 8;
	at %= 8;
	while (have < bits) {
		unsigned int left = 8 - (unsigned int)at;
		unsigned int take = left > bits - have ? bits - have : left;

		value = value << take | ((*data >> (left - take)) & ((1u << take) - 1));
		have += take;
		at = 0;
		data++;
	}
	return value;
}

static uint64_t extend(uint64_t value, unsigned int bits)
{
	uint64_t sign = 1ull << (bits - 1);

	return bits < 64 && value & sign ? value | ~(sign * 2 - 1) : value;
}

static uint64_t reversed(uint64_t value, unsigned int bits)
{
	uint64_t result = 0;

	for (; bits--; value >>= 1)
		result = result << 1 | (value & 1);
	return result;
}

/* As decode_slot_store does. */
static void ctf_program_store(void *to, const struct lane_step *step, uint64_t value)
{
	memcpy((char *)to + step->offset, &value, step->room < 8 ? step->room : 8);
}

static inline uint64_t ctf_program_integer(const struct lane_step *step, const uint8_t *data,
					   uint64_t at)
{
	uint64_t value = step->flags & LANE_STEP_BIG ? big_bits(data, at, step->bits)
						     : little_bits(data, at, step->bits);

	if (step->flags & LANE_STEP_REVERSED)
		value = reversed(value, step->bits);
	return step->flags & LANE_STEP_SIGNED ? extend(value, step->bits) : value;
}

static inline void whole_bytes(const struct lane_step *step, const uint8_t *from, void *to)
{
	char *place = (char *)to + step->offset;
	uint64_t value = 0;

	/* The usual case: what it is there is what it is here. */
	if (step->room == 4 && step->bits == 32) {
		memcpy(place, from, 4);
		return;
	}
	if (step->room == 8 && step->bits == 64) {
		memcpy(place, from, 8);
		return;
	}
	memcpy(&value, from, step->bits / 8);
	if (step->flags & LANE_STEP_SIGNED)
		value = extend(value, step->bits);
	ctf_program_store(to, step, value);
}

static void ctf_program_put_text(const struct lane_step *step, const char *from, size_t n, void *to)
{
	if (step->room)
		decode_text_store((char *)to + step->offset, step->room, step->flags & LANE_STEP_ID,
				  from, n);
}

/* A text in its encoding, up to its NUL. */
static void put_encoded(const struct lane_step *step, const char *from, size_t n, void *to)
{
	char text[LANE_FIT_READS];

	if (step->room && step->bits > 8) {
		n = decode_wide_text(from, n, step->bits / 8, step->flags & LANE_STEP_BIG, text);
		from = text;
	}
	ctf_program_put_text(step, from, n, to);
}

/* A string's bytes with its NUL; 0: it does not end. */
static uint64_t ctf_program_string(const struct lane_step *step, const struct lane_cursor *cursor,
				   void *to)
{
	const uint8_t *from = cursor->data + cursor->at / 8;
	uint64_t left = (cursor->end - cursor->at) / 8, unit = step->bits > 8 ? step->bits / 8 : 1;
	const uint8_t *nul;

	if (unit == 1) {
		nul = memchr(from, 0, left);
	} else {
		nul = from + decode_wide_length((const char *)from, left, unit);
		if (left - (uint64_t)(nul - from) < unit)
			nul = NULL;
	}
	if (!nul)
		return 0;
	left = (uint64_t)(nul - from);
	put_encoded(step, (const char *)from, left, to);
	return left + unit;
}

static void text(const struct lane_step *step, const struct lane_cursor *cursor, uint64_t n,
		 void *to)
{
	const char *from = (const char *)cursor->data + cursor->at / 8;

	n = step->bits > 8 ? decode_wide_length(from, n, step->bits / 8) : strnlen(from, n);
	put_encoded(step, from, n, to);
}

/* The number's bytes; 0: they do not end, -1: it has more than 64 bits. */
static int leb128(const struct lane_step *step, const struct lane_cursor *cursor, uint64_t *value)
{
	const uint8_t *from = cursor->data + cursor->at / 8;
	uint64_t left = (cursor->end - cursor->at) / 8;
	bool is_signed = step->flags & LANE_STEP_SIGNED;
	int n = 0;

	for (*value = 0; (uint64_t)n < left; n++) {
		uint64_t bits = from[n] & 0x7f;

		if (n == 9 && bits != (is_signed && bits ? 0x7f : bits & 1))
			return -1;
		*value |= bits << (7 * n);
		if (!(from[n] & 0x80)) {
			if (is_signed && bits & 0x40 && n < 9)
				*value |= ~0ull << (7 * (n + 1));
			return n + 1;
		}
		if (n == 9)
			return -1;
	}
	return 0;
}

/* An array of integers as text; false: the bytes end before. */
static bool ctf_program_characters(const struct lane_step *step, struct lane_cursor *cursor,
				   void *to)
{
	uint64_t n = cursor->regs[step->reg];
	char begin[LANE_FIT_READS];

	for (uint64_t i = 0; i < n; i++) {
		cursor->at = (cursor->at + step->align - 1) & ~(uint64_t)(step->align - 1);
		if (cursor->at + step->bits > cursor->end)
			return false;
		if (i < sizeof(begin))
			begin[i] = (char)ctf_program_integer(step, cursor->data, cursor->at);
		cursor->at += step->bits;
	}
	ctf_program_put_text(step, begin, strnlen(begin, n < sizeof(begin) ? n : sizeof(begin)),
			     to);
	return true;
}

/* Where an integer goes, of so many bits. */
static inline void put_integer(const struct lane_step *step, struct lane_cursor *cursor,
			       uint64_t value, unsigned int bits, void *to)
{
	if (step->room)
		ctf_program_store(to, step, value);
	if (step->flags & LANE_STEP_KEEP)
		cursor->regs[step->reg] = value;
	if (step->flags & LANE_STEP_CLOCK)
		cursor->clock = decode_clock_update(cursor->clock, value, bits);
}

static const struct lane_choice *ctf_program_choose(const struct lane_program *program,
						    const struct lane_step *step, uint64_t value)
{
	const struct lane_choice *choice = &program->choices[step->n];

	for (uint32_t i = 0; i < step->more; i++, choice++)
		if (choice->is_signed ? (int64_t)value >= (int64_t)choice->from &&
						(int64_t)value <= (int64_t)choice->to
				      : value >= choice->from && value <= choice->to)
			return choice;
	return NULL;
}

/* What is left in bits; the cursor is never behind its end. */
#define NEED(wanted)                                                                               \
	do {                                                                                       \
		if ((wanted) > cursor->end - cursor->at)                                           \
			return LANE_RAN_SHORT;                                                     \
	} while (0)

/* What is not read often; *next is the step behind it. */
static enum lane_ran seldom(const struct lane_program *program, const struct lane_step *step,
			    struct lane_cursor *cursor, void *to, const struct lane_step **next)
{
	const struct lane_choice *choice;
	uint64_t value = cursor->regs[step->reg];
	int n;

	switch (step->code) {
	case LANE_STEP_LEB128:
		n = leb128(step, cursor, &value);
		if (n <= 0)
			return n ? LANE_RAN_DAMAGED : LANE_RAN_SHORT;
		cursor->at += 8u * (unsigned int)n;
		put_integer(step, cursor, value, 7u * (unsigned int)n, to);
		break;
	case LANE_STEP_REG_TEXT:
		if (value > (cursor->end - cursor->at) / 8)
			return LANE_RAN_SHORT;
		text(step, cursor, value, to);
		cursor->at += value * 8;
		break;
	case LANE_STEP_REG_SKIP:
		if (value > (cursor->end - cursor->at) / step->n)
			return LANE_RAN_SHORT;
		cursor->at += value * step->n;
		break;
	case LANE_STEP_COUNT:
		cursor->regs[step->reg] =
			step->flags & LANE_STEP_KEEP ? cursor->regs[step->n] : step->n;
		break;
	case LANE_STEP_CHARACTERS:
		if (!ctf_program_characters(step, cursor, to))
			return LANE_RAN_SHORT;
		break;
	case LANE_STEP_CHOOSE:
		choice = ctf_program_choose(program, step, value);
		if (!choice)
			return LANE_RAN_DAMAGED;
		*next = &program->steps[choice->step];
		break;
	case LANE_STEP_GO:
		*next = &program->steps[step->n];
		break;
	case LANE_STEP_REPEAT:
		if (!value)
			*next = &program->steps[step->n];
		break;
	default: /* LANE_STEP_AGAIN */
		if (--cursor->regs[step->reg])
			*next = &program->steps[step->n + 1];
		break;
	}
	return LANE_RAN;
}

enum lane_ran decode_program_run(const struct lane_program *program, struct lane_cursor *cursor,
				 void *to)
{
	const struct lane_step *step = program->steps, *next;
	enum lane_ran ran;
	uint64_t value;

	for (;; step = next) {
		next = step + 1;
		switch (step->code) {
		case LANE_STEP_END:
			return LANE_RAN;
		case LANE_STEP_ALIGN:
			value = (cursor->at + step->n - 1) & ~(uint64_t)(step->n - 1);
			if (value > cursor->end)
				return LANE_RAN_SHORT;
			cursor->at = value;
			break;
		case LANE_STEP_SKIP:
			NEED(step->n);
			cursor->at += step->n;
			break;
		case LANE_STEP_BYTES:
			NEED(step->bits);
			whole_bytes(step, cursor->data + cursor->at / 8, to);
			cursor->at += step->bits;
			break;
		case LANE_STEP_COPY:
			NEED((uint64_t)step->n * 8);
			memcpy((char *)to + step->offset, cursor->data + cursor->at / 8, step->n);
			cursor->at += (uint64_t)step->n * 8;
			break;
		case LANE_STEP_INTEGER:
			NEED(step->bits);
			value = ctf_program_integer(step, cursor->data, cursor->at);
			cursor->at += step->bits;
			put_integer(step, cursor, value, step->bits, to);
			break;
		case LANE_STEP_STRING:
			value = ctf_program_string(step, cursor, to);
			if (!value)
				return LANE_RAN_SHORT;
			cursor->at += value * 8;
			break;
		case LANE_STEP_TEXT:
			NEED((uint64_t)step->n * 8);
			text(step, cursor, step->n, to);
			cursor->at += (uint64_t)step->n * 8;
			break;
		default:
			ran = seldom(program, step, cursor, to, &next);
			if (ran != LANE_RAN)
				return ran;
		}
	}
}

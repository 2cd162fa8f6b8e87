/* SPDX-License-Identifier: MIT */
/*
 * How the bytes of a CTF structure are read: a program that is made of its type once
 * (ctf_compile.c) and followed for each packet and event (ctf_program.c). What nobody wants is
 * skipped, in as few steps as its layout allows.
 */
#ifndef LANE_DECODE_CTF_PROGRAM_H
#define LANE_DECODE_CTF_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/known_names.h"
#include "decode/tsdl.h"

enum {
	LANE_REGISTERS = 32,  /* lengths and tags of one structure */
	LANE_REGISTER_ID = 0, /* of an event's header: which event it is */
};

enum lane_step_code {
	LANE_STEP_END,
	LANE_STEP_ALIGN,      /* to n bits */
	LANE_STEP_SKIP,	      /* n bits */
	LANE_STEP_BYTES,      /* a little-endian integer of whole bytes, to a place */
	LANE_STEP_INTEGER,    /* any integer, to a place, a register, the clock */
	LANE_STEP_LEB128,     /* the same, of as many bytes as it has */
	LANE_STEP_STRING,     /* up to its NUL, to a place */
	LANE_STEP_TEXT,	      /* n characters, up to a NUL, to a place */
	LANE_STEP_REG_TEXT,   /* as many as a register says */
	LANE_STEP_REG_SKIP,   /* n bits as often as a register says */
	LANE_STEP_COUNT,      /* n to a register; with KEEP: what register n holds */
	LANE_STEP_CHARACTERS, /* as many integers as a register says, each a character */
	LANE_STEP_COPY,	      /* n bytes as they are, to a place */
	LANE_STEP_CHOOSE,     /* goes to where the choice for a register's value is */
	LANE_STEP_GO,	      /* to step n */
	LANE_STEP_REPEAT,     /* a register's number of times up to step n - 1; 0: goes to n */
	LANE_STEP_AGAIN,      /* back behind step n, its REPEAT, unless that was the last time */
};

enum {
	LANE_STEP_SIGNED = 1,
	LANE_STEP_BIG = 2,   /* big-endian */
	LANE_STEP_CLOCK = 4, /* the clock's new value, or its low bits */
	LANE_STEP_KEEP = 8,  /* to the register */
	LANE_STEP_ID = 16,   /* a text by which things are told apart */
	LANE_STEP_REVERSED = 32,
};

struct lane_step {
	uint8_t code; /* enum lane_step_code */
	uint8_t flags;
	uint8_t bits; /* of the integer; of a text's smallest piece */
	uint8_t reg;
	uint16_t offset; /* of the place, bytes */
	uint8_t room;	 /* of the place, bytes; 0: there is none */
	uint8_t align;	 /* of the integers of CHARACTERS */
	uint32_t n;
	uint32_t more; /* CHOOSE: how many choices, from n on */
};

struct lane_choice {
	uint64_t from, to;
	uint32_t step;
	bool is_signed;
	bool is_open; /* only while the program is made: step is the option */
};

struct lane_program {
	struct lane_step *steps;
	struct lane_choice *choices;
	uint32_t n_steps, n_choices;
};

/* A place in bytes in memory. Bits count from their first one; a packet begins at a multiple of 64.
 */
struct lane_cursor {
	const uint8_t *data;
	uint64_t at, end; /* bits */
	uint64_t clock;
	uint64_t regs[LANE_REGISTERS];
};

enum lane_ran {
	LANE_RAN,
	LANE_RAN_SHORT,	  /* the bytes end before the structure does */
	LANE_RAN_DAMAGED, /* a variant has no option for its tag, or a number more than 64 bits */
};

/* Follows the program from cursor->at on; places are in `to`. */
enum lane_ran decode_program_run(const struct lane_program *program, struct lane_cursor *cursor,
				 void *to);

/* The clock's value after bits of it were read. */
static inline uint64_t decode_clock_update(uint64_t clock, uint64_t value, unsigned int bits)
{
	uint64_t mask;

	if (bits >= 64)
		return value;
	mask = (1ull << bits) - 1;
	if (value < (clock & mask))
		clock += mask + 1; /* it has wrapped, once */
	return (clock & ~mask) | value;
}

/*
 * A text in UTF-16 or UTF-32, in UTF-8: at most LANE_FIT_READS bytes of it; how many. Its n bytes
 * are whole units of so many bytes. What is no character is a question mark.
 */
size_t decode_wide_text(const char *from, size_t n, unsigned int unit, bool is_big, char *to);

/* The bytes before the text's NUL, all whole units of n bytes where there is none. */
size_t decode_wide_length(const char *from, size_t n, size_t unit);

/* Makes a program; freed by decode_program_free, whatever happened. */
struct lane_compiler;

/* Where a member of a structure goes; false: nowhere. */
typedef bool lane_place(void *arg, const struct lane_tsdl_member *member,
			struct lane_field_slot *slot);

/* why takes the reason of a failure. */
struct lane_compiler *decode_compiler_create(struct lane_tsdl *tsdl, const char *why[1]);

/* From now on place is asked for the members of structures within structures and variants, too. */
void decode_compiler_go_deep(struct lane_compiler *compiler);

/*
 * Adds a structure; NULL adds nothing. place (NULL: none) is asked for its members, not for those
 * of structures in it. With id, the member `id`, wherever it is, goes to LANE_REGISTER_ID. False:
 * this is not read here, *why says why.
 */
bool decode_compile(struct lane_compiler *compiler, const struct lane_tsdl_type *type,
		    lane_place *place, void *arg, bool id);

/* Ends the program and frees the compiler; false: one of the calls before has failed. */
bool decode_compiler_finish(struct lane_compiler *compiler, struct lane_program *program);

void decode_program_free(struct lane_program *program);

#endif

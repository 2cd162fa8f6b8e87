/* SPDX-License-Identifier: MIT */
/*
 * Lines that print an event of the kernel: perf script's, trace-cmd report's, those of ftrace's
 * file `trace`. The fields are as the kernel's print formats have them, or trace-cmd's own.
 */
#ifndef LANE_DECODE_PRINTED_H
#define LANE_DECODE_PRINTED_H

#include "decode/event_names.h"

enum {
	LANE_PRINTED_STEPS = 24,
	LANE_PRINTED_KEY = 24,
};

/* What stands before an event's fields. */
struct lane_printed {
	uint64_t ns;
	int32_t tid, pid;   /* -1: not printed */
	const char *comm;   /* the thread's name */
	size_t comm_length; /* 0: not printed, or not known */
	int32_t cpu;
	bool is_ftrace;	  /* comm-12; perf has comm 12 */
	const char *name; /* of the event, without its system */
	size_t name_length;
	char *fields; /* up to the line's end */
};

/* Behind the key, NULL: it is not there. A key begins the text, or stands behind a space. */
static inline const char *decode_printed_behind(const char *text, const char *key)
{
	for (const char *at = text; (at = strstr(at, key)); at++)
		if (at == text || at[-1] == ' ')
			return at + strlen(key);
	return NULL;
}

/* A hexadecimal digit's value, 16: it is none. */
static inline int decode_printed_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Takes a line apart; false: it prints no event. */
bool decode_printed_line(char *line, size_t length, struct lane_printed *printed);

/* A few bytes that are compared at once, with LANE_PRINTED_KEY bytes of the text. */
struct lane_printed_word {
	uint64_t bytes[LANE_PRINTED_KEY / sizeof(uint64_t)];
	uint64_t mask[LANE_PRINTED_KEY / sizeof(uint64_t)]; /* 0xff where it has a byte */
	uint8_t length;					    /* 0: there is none */
};

/* A field as it stood in the line of that kind before: mostly it stands there again. */
struct lane_printed_step {
	struct lane_printed_word key; /* with its = */
	uint8_t how;		      /* enum how, printed_fields.c */
	struct lane_field_slot slot;
	struct lane_printed_word stop; /* what follows a text */
};

struct lane_printed_fields {
	const struct lane_names *names;
	bool is_kernel_known; /* its release */
	struct lane_event_names events;
	struct lane_printed_step steps[LANE_KIND_COUNT][LANE_PRINTED_STEPS];
};

void decode_printed_init(struct lane_printed_fields *fields, const struct lane_names *names);

/* The kind of an event by its name, -1: none of the table. */
int decode_printed_kind(const struct lane_printed_fields *fields, const char *name, size_t length);

/*
 * Fills the event, of that kind already, from the text of its fields, behind whose end
 * LANE_PRINTED_KEY bytes may be read. Returns NULL, or what is wrong; *at is where.
 */
const char *decode_printed_fields(struct lane_printed_fields *fields, int kind, char *text,
				  struct lane_event *event, const char **at);

/* The same of an event of drm_sched, whose print formats are no lists of KEY=VALUE. */
const char *decode_printed_drm(int kind, const char *text, struct lane_event *event,
			       const char **at);

/* The same of a work item. */
const char *decode_printed_work(const char *text, struct lane_event *event, const char **at);

/* The same of a driver's own. */
const char *decode_printed_driver(int kind, const char *text, struct lane_event *event,
				  const char **at);

#endif

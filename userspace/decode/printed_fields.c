// SPDX-License-Identifier: MIT
// Reads the fields of a printed event.
#include "decode/printed.h"
#include "decode/textlines.h"

#include <string.h>

_Static_assert((int)LANE_TEXTLINES_BEHIND > (int)LANE_PRINTED_KEY,
	       "words are compared with what is there");

/* How a value is read. */
enum how {
	HOW_UNKNOWN, /* the table has no such field: passed over */
	HOW_NUMBER,
	HOW_TEXT,	  /* up to `stop`, or to the end */
	HOW_STATE,	  /* a thread's, in letters */
	HOW_STATE_OF_ANY, /* the same of a kernel that is not known */
	HOW_RET,	  /* what an interrupt's handler returned, in a word */
	HOW_ENGINE,	  /* class:instance */
};

/* Texts may hold anything: they end where the next field of the kernel's print format begins. */
static const struct {
	const char *key, *stop;
} stops[] = {
	{ "prev_comm", " prev_pid=" },
	{ "next_comm", " next_pid=" },
	{ "parent_comm", " parent_pid=" },
	{ "child_comm", " child_pid=" },
	{ "comm", " pid=" },
	{ "filename", " pid=" },
	{ "driver", " timeline=" },
	{ "timeline", " context=" },
};

int decode_printed_kind(const struct lane_printed_fields *fields, const char *name, size_t length)
{
	const struct lane_event_name *known = decode_event_name(&fields->events, name, length);

	return known->text ? known->kind : -1;
}

void decode_printed_init(struct lane_printed_fields *fields, const struct lane_names *names)
{
	memset(fields, 0, sizeof(*fields));
	fields->names = names;
	decode_event_names_init(&fields->events, names, false);
}

/* What ends a value. */
static const bool ends[256] = { ['\0'] = true, [' '] = true, [','] = true, ['\t'] = true };

static inline bool printed_fields_is_end(char c)
{
	return ends[(unsigned char)c];
}

_Static_assert(LANE_PRINTED_KEY == 3 * sizeof(uint64_t), "a word is compared in three parts");

static void set_word(struct lane_printed_word *word, const char *text, size_t length)
{
	memset(word, 0, sizeof(*word));
	memcpy(word->bytes, text, length);
	memset(word->mask, 0xff, length);
	word->length = (uint8_t)length;
}

/* The i-th eight bytes of a text that differ from the word's. */
static inline uint64_t differ(const struct lane_printed_word *word, const char *at, size_t i)
{
	uint64_t text;

	memcpy(&text, at + i * sizeof(text), sizeof(text));
	return (text ^ word->bytes[i]) & word->mask[i];
}

/* True when the word stands there. */
static inline bool has_word(const struct lane_printed_word *word, const char *at)
{
	uint64_t other = differ(word, at, 0) | differ(word, at, 1) | differ(word, at, 2);

	return !other && word->length;
}

/* A number as most are: decimal, of few digits, and something ends it. */
static inline bool get_decimal(char **at, uint64_t *value)
{
	char *c = *at, *most = c + 18;
	uint64_t number = 0;
	unsigned int digit;

	for (; (digit = (unsigned int)*c - '0') < 10 && c < most; c++)
		number = number * 10 + digit;
	if (c == *at || !printed_fields_is_end(*c))
		return false;
	*value = number;
	*at = c;
	return true;
}

/* A whole number, decimal or 0x hexadecimal, that something ends. */
static bool printed_fields_get_number(char **at, uint64_t *value)
{
	char *c = *at;
	bool minus = *c == '-';
	uint64_t number = 0;
	int base = 10, digit;
	unsigned int n = 0;

	if (get_decimal(at, value))
		return true;
	c += minus;
	if (c[0] == '0' && c[1] == 'x') {
		base = 16;
		c += 2;
	}
	for (; (digit = decode_printed_digit(*c)) < base && n < 20; c++, n++)
		number = number * (uint64_t)base + (uint64_t)digit;
	if (!n || digit < base)
		return false;
	*value = minus ? 0 - number : number;
	*at = c;
	return true;
}

static void printed_fields_store_text(struct lane_event *event, const struct lane_field_slot *slot,
				      const char *from, size_t n)
{
	char *to = (char *)event + slot->offset;

	if (*to) /* the line has the field twice */
		memset(to, 0, slot->size);
	decode_slot_text(to, slot, from, n);
}

/*
 * A thread's state in letters: the kernel's (TASK_STATE_TO_CHAR, fs/proc/array.c), where a + behind
 * says that it could run on; or libtraceevent's, whose n-th letter is the n-th bit of the kernel's.
 * From its version 1.8 on these are the kernel's letters, P and I among them.
 */
static int64_t printed_fields_state_of(const char **at, bool is_kernels)
{
	/* x: dead, before Linux 4.14 */
	static const uint8_t kernels[256] = {
		['S'] = 0x01, ['D'] = 0x02, ['T'] = 0x04, ['t'] = 0x08, ['X'] = 0x10,
		['x'] = 0x10, ['Z'] = 0x20, ['P'] = 0x40, ['I'] = 0x80
	};
	static const uint8_t tools[256] = {
		['S'] = 0x01, ['D'] = 0x02, ['T'] = 0x04, ['t'] = 0x08, ['Z'] = 0x10,
		['X'] = 0x20, ['x'] = 0x40, ['W'] = 0x80, ['P'] = 0x40, ['I'] = 0x80
	};
	const uint8_t *letters = is_kernels ? kernels : tools;
	const char *c = *at;
	int64_t bits = 0;
	bool can_run = false;

	for (; !printed_fields_is_end(*c); c++) {
		can_run |= *c == 'R';
		bits |= letters[(unsigned char)*c];
	}
	*at = c;
	return can_run || bits ? bits : LANE_STATE_UNKNOWN;
}

static bool printed_fields_is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

/* How the value of a key is read; a = stands behind it. */
static void find_step(const struct lane_printed_fields *fields, int kind, const char *key,
		      size_t length, struct lane_printed_step *step)
{
	memset(step, 0, sizeof(*step));
	if (length >= LANE_PRINTED_KEY)
		return;
	set_word(&step->key, key, length + 1);
	if (printed_fields_is_word(key, length, "engine") && lane_is_request((unsigned int)kind)) {
		step->how = HOW_ENGINE;
		return;
	}
	if (!decode_names_slot(fields->names, kind, key, length, &step->slot))
		return;
	step->how = HOW_NUMBER;
	if (kind == LANE_SWITCH && printed_fields_is_word(key, length, "prev_state"))
		step->how = fields->is_kernel_known ? HOW_STATE : HOW_STATE_OF_ANY;
	else if (printed_fields_is_word(key, length, "ret"))
		step->how = HOW_RET;
	if (!lane_type_is_text(step->slot.type))
		return;
	step->how = HOW_TEXT;
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		if (printed_fields_is_word(key, length, stops[i].key))
			set_word(&step->stop, stops[i].stop, strlen(stops[i].stop));
}

static bool get_engine(char **at, struct lane_event *event)
{
	uint64_t class, instance;

	if (!printed_fields_get_number(at, &class) || *(*at)++ != ':' ||
	    !printed_fields_get_number(at, &instance))
		return false;
	event->u.rq.class = (uint16_t) class;
	event->u.rq.instance = (uint16_t)instance;
	return true;
}

/* Where `stop`, which begins with a blank, stands first; NULL: nowhere. */
static char *find_stop(char *at, const struct lane_printed_word *stop)
{
	while ((at = strchr(at, ' ')) && !has_word(stop, at))
		at++;
	return at;
}

/* Reads the value at *at; false: it is none. */
static bool get_value(const struct lane_printed_step *step, char **at, struct lane_event *event)
{
	const char *c = *at;
	uint64_t value;
	char *end;

	switch (step->how) {
	case HOW_TEXT:
		end = step->stop.length ? find_stop(*at, &step->stop) : *at + strlen(*at);
		if (!end)
			return false;
		printed_fields_store_text(event, &step->slot, *at, (size_t)(end - *at));
		*at = end;
		return true;
	case HOW_STATE:
	case HOW_STATE_OF_ANY:
		if (printed_fields_get_number(at, &value)) {
			/* Dead before Linux 4.14, then parked. */
			if (value == 0x40 && step->how == HOW_STATE_OF_ANY)
				value = (uint64_t)LANE_STATE_UNKNOWN;
			decode_slot_store(event, &step->slot, value);
			return printed_fields_is_end(**at);
		}
		decode_slot_store(event, &step->slot, (uint64_t)printed_fields_state_of(&c, true));
		*at += c - *at;
		return true;
	case HOW_RET:
		if (printed_fields_get_number(at, &value)) {
			decode_slot_store(event, &step->slot, value);
			return printed_fields_is_end(**at);
		}
		decode_slot_store(event, &step->slot, !strncmp(c, "handled", 7));
		break;
	case HOW_ENGINE:
		return get_engine(at, event) && printed_fields_is_end(**at);
	case HOW_NUMBER:
		if (!printed_fields_get_number(at, &value) || !printed_fields_is_end(**at))
			return false;
		decode_slot_store(event, &step->slot, value);
		return true;
	default:
		break;
	}
	while (!printed_fields_is_end(**at))
		++*at;
	return true;
}

/* `:12` before a place of the text; where it begins, NULL: it is not there. */
static char *number_before(const char *text, char *at)
{
	char *c = at;

	while (c > text && c[-1] >= '0' && c[-1] <= '9')
		c--;
	return c < at && c > text && c[-1] == ':' ? c - 1 : NULL;
}

/*
 * `comm:12 [120]`, as libtraceevent prints a thread; what follows stands at *at then. The name may
 * have brackets, too.
 */
static bool get_named(char **at, struct lane_event *event, const struct lane_field_slot slots[3])
{
	char *text = *at, *colon, *c;
	uint64_t prio, tid;

	for (char *open = text; (open = strstr(open, " [")); open++) {
		colon = number_before(text, open);
		c = open + 2;
		if (!colon || !printed_fields_get_number(&c, &prio) || *c != ']')
			continue;
		*at = c + 1;
		c = colon + 1;
		if (!printed_fields_get_number(&c, &tid))
			return false;
		printed_fields_store_text(event, &slots[0], text, (size_t)(colon - text));
		decode_slot_store(event, &slots[1], tid);
		decode_slot_store(event, &slots[2], prio);
		return true;
	}
	return false;
}

#define SLOT(member, kind_of_type)                                                                 \
	{                                                                                          \
		offsetof(struct lane_event, u.member), sizeof(((struct lane_event *)0)->u.member), \
			kind_of_type                                                               \
	}
static const struct lane_field_slot switch_slots[] = {
	SLOT(sched_switch.prev_comm, LANE_TYPE_comm), SLOT(sched_switch.prev_tid, LANE_TYPE_s32),
	SLOT(sched_switch.prev_prio, LANE_TYPE_s32),  SLOT(sched_switch.next_comm, LANE_TYPE_comm),
	SLOT(sched_switch.next_tid, LANE_TYPE_s32),   SLOT(sched_switch.next_prio, LANE_TYPE_s32),
};
/* What a program wrote to trace_marker is all text. */
static const struct lane_field_slot line_of_marker = SLOT(gpulane_frame.text, LANE_TYPE_path);
static const struct lane_field_slot wake_slots[] = {
	SLOT(sched_waking.comm, LANE_TYPE_comm),
	SLOT(sched_waking.tid, LANE_TYPE_s32),
	SLOT(sched_waking.prio, LANE_TYPE_s32),
};
#undef SLOT

/* trace-cmd's own print of sched_switch: `comm:12 [120] S ==> comm:13 [120]`. */
static bool get_switch(char **at, struct lane_event *event)
{
	static const char arrow[] = " ==> ";
	const char *c;

	if (!get_named(at, event, switch_slots) || **at != ' ')
		return false;
	c = *at + 1;
	event->u.sched_switch.prev_state = printed_fields_state_of(&c, false);
	if (strncmp(c, arrow, sizeof(arrow) - 1) != 0)
		return false;
	*at += c - *at + (ptrdiff_t)sizeof(arrow) - 1;
	return get_named(at, event, switch_slots + 3);
}

/* And of wake-ups: `comm:12 [120] CPU:001`. */
static bool get_wake(char **at, struct lane_event *event)
{
	static const char key[] = "CPU:";
	uint64_t cpu;
	char *c;

	if (!get_named(at, event, wake_slots))
		return false;
	c = strstr(*at, key);
	if (!c)
		return true; /* the CPU is not printed */
	*at = c + sizeof(key) - 1;
	if (!printed_fields_get_number(at, &cpu))
		return false;
	event->u.sched_waking.target_cpu = (uint32_t)cpu;
	return true;
}

/* True when the text has `KEY=` first: as the kernel prints. */
static bool has_key(const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != '=' && text[n] != ' ' && text[n] != ':' && text[n] != '[')
		n++;
	return n && text[n] == '=';
}

/* Why the scheduler's event is not whole: the line was cut, or it is not the kernel's; NULL: it is.
 */
static const char *why_not_whole(int kind, const struct lane_event *event)
{
	switch (kind) {
	case LANE_SWITCH:
		return event->u.sched_switch.prev_tid < 0 || event->u.sched_switch.next_tid < 0
			       ? "not a switch of threads"
			       : NULL;
	case LANE_WAKING:
	case LANE_WAKEUP:
	case LANE_WAKEUP_NEW:
		return event->u.sched_waking.tid < 0 ? "not the wake-up of a thread" : NULL;
	default:
		return NULL;
	}
}

const char *decode_printed_fields(struct lane_printed_fields *fields, int kind, char *text,
				  struct lane_event *event, const char **place)
{
	struct lane_printed_step *step = fields->steps[kind];
	struct lane_printed_step *last = step + LANE_PRINTED_STEPS - 1;
	char *at = text;
	uint64_t value;

	*place = text;
	if (kind == LANE_FRAME) {
		printed_fields_store_text(event, &line_of_marker, text, strlen(text));
		return NULL;
	}
	if (lane_is_work((unsigned int)kind))
		return decode_printed_work(text, event, place);
	if (lane_is_drm((unsigned int)kind))
		return decode_printed_drm(kind, text, event, place);
	if (lane_is_cause((unsigned int)kind))
		return decode_printed_driver(kind, text, event, place);
	if (kind == LANE_SWITCH && !has_word(&step->key, text) && !has_key(text))
		return get_switch(&at, event) ? NULL : "not a switch of threads";
	if ((kind == LANE_WAKING || kind == LANE_WAKEUP || kind == LANE_WAKEUP_NEW) &&
	    !has_word(&step->key, text) && !has_key(text))
		return get_wake(&at, event) ? NULL : "not the wake-up of a thread";
	while (*at) {
		if (*at == ' ' || *at == ',' || *at == '\t') {
			at++;
			continue;
		}
		*place = at;
		if (!has_word(&step->key, at)) {
			size_t n = *at == '=' ? 0 : strcspn(at, "= ,");

			if (!n || at[n] != '=' || *at == '[') {
				at += n + (at[n] == '='); /* `==>`, `[action=RCU]`: no field */
				while (!printed_fields_is_end(*at))
					at++;
				continue;
			}
			find_step(fields, kind, at, n, step);
			at += n + 1;
		} else {
			at += step->key.length;
		}
		if (step->how == HOW_NUMBER && get_decimal(&at, &value))
			decode_slot_store(event, &step->slot, value);
		else if (!get_value(step, &at, event))
			return "not a value";
		step += step < last;
	}
	*place = text;
	return why_not_whole(kind, event);
}

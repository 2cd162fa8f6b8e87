// SPDX-License-Identifier: MIT
// Reads the text format (docs/text-format.md): a head of facts, then a line per event.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/opencl.h"
#include "decode/digits.h"
#include "decode/event_names.h"

enum {
	READ_BYTES = 256 << 10,
	LINE_BYTES = 16 << 10, /* no line may be longer */
	BEHIND_BYTES = 16,     /* so much may be looked at behind a line's end */
};

/* A field as it usually comes: by the table's name, in the table's order. */
struct usual_field {
	const char *name;
	uint64_t begin; /* of the name and the `=` behind it, */
	uint64_t mask;	/* so much of it */
	uint64_t most;	/* the largest number that fits */
	struct lane_field_slot slot;
	uint8_t length;
};

struct origin_word {
	const char *text;
	size_t length;
};

struct text_decoder {
	struct lane_decoder base;
	const struct lane_names *names;
	bool ended;   /* the file has been read to its end */
	char *buffer; /* READ_BYTES + LINE_BYTES + BEHIND_BYTES */
	char *from;   /* what is not parsed yet */
	char *to;
	char *nul;     /* the first NUL byte of that, NULL: it has none */
	uint64_t line; /* number of the line read last */
	char *pending; /* the first event's line, read with the head */
	uint64_t last_ns;
	struct lane_trace_info info;
	struct lane_event event;
	int origin; /* of the last line that was as most are */
	struct origin_word origins[LANE_ORIGIN_COUNT];
	struct lane_event_names events;
	struct usual_field *fields;	     /* of all kinds, */
	uint32_t first[LANE_KIND_COUNT + 1]; /* each kind's from here on */
};

static struct text_decoder *text_of(struct lane_decoder *decoder)
{
	return (struct text_decoder *)decoder;
}

/* An error at the line read last. */
#define bad_line(text, format, ...)                                                                \
	lane_error("%s:%" PRIu64 ": " format, (text)->base.path, (text)->line, ##__VA_ARGS__)

/* Moves the rest of the buffer to its beginning and reads behind it. */
static struct lane_error *text_fill(struct text_decoder *text)
{
	size_t rest = (size_t)(text->to - text->from);
	ssize_t n;

	memmove(text->buffer, text->from, rest);
	if (text->nul)
		text->nul = text->buffer + (text->nul - text->from);
	text->from = text->buffer;
	text->to = text->buffer + rest;
	do {
		n = read(text->base.fd, text->to, READ_BYTES);
	} while (n < 0 && errno == EINTR);
	if (lane_stop_signal) {
		text->ended = true;
		return lane_error("interrupted");
	}
	if (n < 0) {
		text->ended = true;
		return lane_error_errno(errno, "%s", text->base.path);
	}
	if (n == 0)
		text->ended = true;
	else if (!text->nul)
		text->nul = memchr(text->to, '\0', (size_t)n);
	text->to += n;
	return NULL;
}

/* What is before `from` is done with. */
static void go_on_from(struct text_decoder *text, char *from)
{
	text->from = from;
	if (text->nul && text->nul < from)
		text->nul = from < text->to ? memchr(from, '\0', (size_t)(text->to - from)) : NULL;
}

/* Skips the rest of a line that is too long to be one. */
static struct lane_error *skip_line(struct text_decoder *text)
{
	for (;;) {
		char *end = memchr(text->from, '\n', (size_t)(text->to - text->from));
		struct lane_error *err;

		if (end) {
			go_on_from(text, end + 1);
			return NULL;
		}
		go_on_from(text, text->to);
		if (text->ended)
			return NULL;
		err = text_fill(text);
		if (err)
			return err;
	}
}

static bool text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Words are short: looking at one byte after the other is faster than strspn. */
static inline char *skip_blanks(char *at)
{
	while (text_is_blank(*at))
		at++;
	return at;
}

/* To the first byte that is no more than a blank. May look at seven bytes behind it. */
static inline char *skip_printed(char *at)
{
	const uint64_t each = 0x0101010101010101ull;
	uint64_t word, ends;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return at;
	for (;; at += sizeof(word)) {
		word = decode_load_word(at);
		/* The lowest bit that is set is that of such a byte. */
		ends = (word - each * (' ' + 1)) & ~word & each * 0x80;
		if (ends)
			return at + __builtin_ctzll(ends) / 8;
	}
}

static inline char *skip_word(char *at)
{
	at = skip_printed(at);
	while (*at && !text_is_blank(*at))
		at++;
	return at;
}

/* The next line that is neither empty nor a comment, NUL-terminated; NULL at the end. */
static struct lane_error *text_read_line(struct text_decoder *text, char **line)
{
	for (;;) {
		size_t rest = (size_t)(text->to - text->from);
		char *end = memchr(text->from, '\n', rest);
		struct lane_error *err;
		bool has_nul;

		if (!end && !text->ended && rest < LINE_BYTES) {
			err = text_fill(text);
			if (err)
				return err;
			continue;
		}
		*line = NULL;
		if (!end && !rest)
			return NULL;
		text->line++;
		if ((end ? (size_t)(end - text->from) : rest) >= LINE_BYTES) {
			err = skip_line(text);
			return err ? err
				   : bad_line(text, "the line is longer than %d bytes", LINE_BYTES);
		}
		if (!end)
			end = text->to; /* the buffer has a byte more */
		*end = '\0';
		*line = text->from;
		has_nul = text->nul && text->nul < end;
		go_on_from(text, end < text->to ? end + 1 : end);
		if (has_nul)
			return bad_line(text, "the line holds a NUL byte");
		*line = skip_blanks(*line);
		if (**line && **line != '#')
			return NULL;
	}
}

/* The largest number of so many bytes, or its size where it is negative. */
static uint64_t most_of(unsigned int bytes, bool is_signed, bool minus)
{
	uint64_t most = bytes == 8 ? UINT64_MAX : (1ull << (8 * bytes)) - 1;

	return is_signed ? (most >> 1) + minus : most;
}

/* How a field's name looks at the begin of a word. */
static struct usual_field usual_field_of(const struct lane_field *field)
{
	bool is_signed = decode_type_is_signed(field->type);
	size_t length = strlen(field->name);
	unsigned char name[sizeof(uint64_t)] = { 0 }, mask[sizeof(uint64_t)] = { 0 };
	struct usual_field usual = { .name = field->name,
				     .most = lane_type_is_text(field->type)
						     ? 0
						     : most_of(field->size, is_signed, false),
				     .length = (uint8_t)length };

	for (size_t i = 0; i <= length && i < sizeof(name); i++) {
		name[i] = i < length ? (unsigned char)field->name[i] : '=';
		mask[i] = 0xff;
	}
	memcpy(&usual.begin, name, sizeof(name));
	memcpy(&usual.mask, mask, sizeof(mask));
	usual.slot.offset = (unsigned short)(offsetof(struct lane_event, u) + field->offset);
	usual.slot.size = field->size;
	usual.slot.type = field->type;
	return usual;
}

/* False: no memory. */
static bool list_fields(struct text_decoder *text)
{
	uint32_t n = 0;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		n += lane_kinds[kind].n_fields;
	text->fields = calloc(n + 1, sizeof(*text->fields));
	if (!text->fields)
		return false;
	n = 0;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		text->first[kind] = n;
		for (unsigned int i = 0; i < lane_kinds[kind].n_fields; i++)
			text->fields[n++] = usual_field_of(&lane_kinds[kind].fields[i]);
	}
	text->first[LANE_KIND_COUNT] = n;
	return true;
}

/* Cuts the next word off *at; NULL when there is none. */
static char *text_cut_word(char **at)
{
	char *word = skip_blanks(*at);
	char *end = skip_word(word);

	if (!*word)
		return NULL;
	*at = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

enum {
	SAFE_DIGITS = 18
}; /* no number of so many decimal digits is too large for 64 bits */

/* scan_digits behind the first n digits, which make that number. */
static inline char *scan_digits_from(char *at, int n, uint64_t number, uint64_t *value)
{
	for (; n < SAFE_DIGITS; n++) {
		unsigned int digit = (unsigned char)at[n] - '0';

		if (digit > 9)
			break;
		number = number * 10 + digit;
	}
	*value = number;
	return n && n < SAFE_DIGITS ? at + n : NULL;
}

/*
 * Decimal digits, as most numbers are: where they end, NULL when there are none, or too many to be
 * sure. What ends them is the caller's to look at.
 */
static char *scan_digits(char *at, uint64_t *value)
{
	return scan_digits_from(at, 0, 0, value);
}

/* The same of a time: it has many. */
static char *scan_time(char *at, uint64_t *ns)
{
	uint32_t eight;

	return decode_eight_digits(at, &eight) ? scan_digits_from(at, 8, eight, ns)
					       : scan_digits(at, ns);
}

/*
 * A whole number, decimal or 0x hexadecimal, with a sign where `is_signed`, that fits in `bytes`.
 * Returns false when the text is anything else.
 */
static bool parse_number(const char *text, bool is_signed, unsigned int bytes, uint64_t *value)
{
	bool minus = *text == '-';
	uint64_t most = most_of(bytes, is_signed, minus);
	unsigned int base = 10;
	uint64_t number = 0;

	if (minus && !is_signed)
		return false;
	text += minus;
	if (text[0] == '0' && text[1] == 'x') {
		base = 16;
		text += 2;
	}
	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned int digit = (unsigned char)*text - '0';

		if (digit > 9 && base == 16)
			digit = ((unsigned char)*text | 0x20) - 'a' + 10u;
		if (digit >= base || (digit >= 10 && ((unsigned char)*text | 0x20) < 'a'))
			return false;
		if (number > (most - digit) / base)
			return false;
		number = number * base + digit;
	}
	*value = minus ? 0 - number : number;
	return true;
}

static bool parse_optional(const char *text, int32_t *value)
{
	uint64_t number;

	if (!strcmp(text, "-")) {
		*value = -1;
		return true;
	}
	if (!parse_number(text, true, 4, &number))
		return false;
	*value = (int32_t)number;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Reads a value of text, bare or quoted, from *at into a slot of `size` bytes, NUL padded. */
static bool parse_text(char **at, char *to, size_t size)
{
	bool quoted = **at == '"';
	size_t n = 0;

	if (!quoted) {
		n = (size_t)(skip_word(*at) - *at);
		if (n > size)
			return false;
		memcpy(to, *at, n);
		*at += n;
		return true;
	}
	++*at;
	for (;;) {
		char c = **at;

		if (!c)
			return false;
		++*at;
		if (c == '"')
			return n <= size && (!**at || strchr(" \t\r", **at));
		if (c == '\\') {
			int high, low;

			c = **at;
			if (!c)
				return false;
			++*at;
			if (c == 'x') {
				high = hex_digit(**at);
				low = high < 0 ? -1 : hex_digit((*at)[1]);
				if (low < 0)
					return false;
				c = (char)(high << 4 | low);
				*at += 2;
			} else if (c != '"' && c != '\\') {
				return false;
			}
		}
		if (n >= size || !c)
			return false;
		to[n++] = c;
	}
}

/* The number of a name, where the type has names. */
static bool parse_name(const char *word, enum lane_type type, uint64_t *value)
{
	if (type == LANE_TYPE_clf) {
		*value = lane_cl_function_by_name(word);
		return *value || !strcmp(word, lane_cl_function_name(0));
	}
	if (type == LANE_TYPE_clc) {
		*value = lane_cl_command_by_name(word);
		return *value;
	}
	return false;
}

/* A decimal number up to most, or down to - most - 1, up to a blank or the end; false: look closer.
 */
static inline bool quick_number(struct text_decoder *text, char **at,
				const struct lane_field_slot *slot, uint64_t most)
{
	bool minus = **at == '-' && decode_type_is_signed(slot->type);
	uint64_t number;
	char *end = scan_digits(*at + minus, &number);

	if (!end || (*end && !text_is_blank(*end)) || number > most + minus)
		return false;
	decode_slot_store(&text->event, slot, minus ? 0 - number : number);
	*at = *end ? end + 1 : end;
	return true;
}

static struct lane_error *parse_closely(struct text_decoder *text,
					const struct lane_field_slot *slot, const char *name,
					size_t length, char **at)
{
	const char *event = lane_kinds[text->event.wire.kind].name;
	bool is_signed = decode_type_is_signed(slot->type);
	char *word = text_cut_word(at);
	uint64_t value;

	if (!word || (!parse_name(word, slot->type, &value) &&
		      !parse_number(word, is_signed, slot->size, &value)))
		return bad_line(text, "%s: %.*s=%s is not a%s number of %u bits", event,
				(int)length, name, word ? word : "",
				is_signed ? " signed" : "n unsigned", 8u * slot->size);
	decode_slot_store(&text->event, slot, value);
	return NULL;
}

/* Parses the value at *at of the field of that name. */
static inline struct lane_error *parse_value(struct text_decoder *text,
					     const struct lane_field_slot *slot, uint64_t most,
					     const char *name, size_t length, char **at)
{
	if (!lane_type_is_text(slot->type))
		return quick_number(text, at, slot, most)
			       ? NULL
			       : parse_closely(text, slot, name, length, at);
	if (parse_text(at, (char *)&text->event + slot->offset, slot->size))
		return NULL;
	return bad_line(text, "%s: %.*s is not text of at most %u bytes",
			lane_kinds[text->event.wire.kind].name, (int)length, name, slot->size);
}

/* True when the field's name stands at `text` with a `=` behind it. */
static inline bool text_is_named(const struct usual_field *field, const char *text)
{
	size_t n = sizeof(uint64_t);

	if ((decode_load_word(text) & field->mask) != field->begin)
		return false;
	return field->length < n ||
	       (text[field->length] == '=' && decode_is_same(text, field->name, field->length));
}

/* Parses one `name=value` at *at that is not the field which usually comes there. */
static struct lane_error *parse_unusual(struct text_decoder *text, char **at)
{
	int kind = (int)text->event.wire.kind;
	const char *event = lane_kinds[kind].name;
	char *name = *at;
	size_t length = strcspn(name, "= \t\r");
	struct lane_field_slot slot;
	uint64_t most = 0;

	if (!length || name[length] != '=')
		return bad_line(text, "%s: `%.*s' is not name=value", event, (int)length, name);
	*at += length + 1;
	if (!decode_names_slot(text->names, kind, name, length, &slot))
		return bad_line(text, "%s: no field is called `%.*s' (see gpulane-events(7))",
				event, (int)length, name);
	if (!lane_type_is_text(slot.type))
		most = most_of(slot.size, decode_type_is_signed(slot.type), false);
	return parse_value(text, &slot, most, name, length, at);
}

/* Parses the fields behind the columns. */
static struct lane_error *parse_fields(struct text_decoder *text, char *at)
{
	const struct usual_field *field = &text->fields[text->first[text->event.wire.kind]];
	const struct usual_field *end = &text->fields[text->first[text->event.wire.kind + 1]];
	struct lane_error *err = NULL;
	char *name;

	while (!err) {
		at = skip_blanks(at);
		if (!*at)
			return NULL;
		name = at;
		if (field < end && text_is_named(field, at)) {
			at += field->length + 1;
			err = parse_value(text, &field->slot, field->most, name, field->length,
					  &at);
			field++;
		} else {
			err = parse_unusual(text, &at);
		}
	}
	return err;
}

static const char *origin_word(int origin)
{
	return origin == LANE_ORIGIN_UNKNOWN ? "-" : lane_origin_name((unsigned int)origin);
}

/* Also by the name that is shown of an unknown origin; -1: the word is none. */
static int parse_origin(const char *word)
{
	if (!strcmp(word, "-"))
		return LANE_ORIGIN_UNKNOWN;
	for (int origin = 0; origin < LANE_ORIGIN_COUNT; origin++)
		if (!strcmp(lane_origin_name((unsigned int)origin), word))
			return origin;
	return -1;
}

/* The origin whose word stands at `at` with a blank behind it, and where that is; NULL: look
 * closer. It is mostly that of the line before. */
static char *scan_origin(struct text_decoder *text, char *at)
{
	char *end = skip_word(at);
	size_t length = (size_t)(end - at);

	for (int i = 0; i < LANE_ORIGIN_COUNT && *end == ' '; i++) {
		const struct origin_word *word = &text->origins[text->origin];

		if (word->length == length && decode_is_same(word->text, at, length))
			return end;
		text->origin = text->origin + 1 < LANE_ORIGIN_COUNT ? text->origin + 1 : 0;
	}
	return NULL;
}

/* A column that is a number of 32 bits without a sign, or `-`, up to `end`; NULL: look closer. */
static char *scan_column(char *at, char end, int32_t *value)
{
	uint64_t number = UINT64_MAX;
	char *behind = *at == '-' ? at + 1 : scan_digits(at, &number);

	if (!behind || *behind != end || (*at != '-' && number > INT32_MAX))
		return NULL;
	*value = (int32_t)number;
	return behind + 1;
}

struct columns {
	uint64_t ts_ns;
	int32_t cpu, pid, tid;
	int origin;
	const struct lane_event_name *known;
};

/* The columns as they are usually written, one blank between; NULL: look closer. */
static char *scan_columns(struct text_decoder *text, char *at, struct columns *columns)
{
	char *end = scan_time(at, &columns->ts_ns), *name;

	if (!end || *end != ' ' || columns->ts_ns < text->last_ns)
		return NULL;
	at = scan_column(end + 1, ' ', &columns->cpu);
	at = at ? scan_column(at, '/', &columns->pid) : NULL;
	at = at ? scan_column(at, ' ', &columns->tid) : NULL;
	if (!at)
		return NULL;
	name = scan_origin(text, at);
	if (!name)
		return NULL;
	end = skip_word(++name);
	if (end == name)
		return NULL;
	columns->origin = text->origin;
	columns->known = decode_event_name(&text->events, name, (size_t)(end - name));
	return end;
}

/* Fills the event's head, unless the table does not have it. */
static void text_begin_event(struct text_decoder *text, const struct columns *columns, int *kind)
{
	struct lane_event *event = &text->event;

	*kind = columns->known->text ? columns->known->kind : -1;
	if (*kind < 0)
		return;
	decode_event_clear(event, *kind);
	event->wire.ts_ns = columns->ts_ns;
	event->wire.pid = columns->pid;
	event->wire.tid = columns->tid;
	event->wire.origin = (uint32_t)columns->origin;
	event->cpu = columns->cpu;
	event->raw.engine_notify = columns->known->is_notify;
}

/* The five columns before an event's fields. *kind is -1 for an event that is not in the table. */
static struct lane_error *parse_columns(struct text_decoder *text, char **at, uint64_t *ts_ns,
					int *kind)
{
	struct columns columns;
	char *quick = scan_columns(text, *at, &columns);
	char *time, *cpu, *thread, *origin, *name, *slash;

	if (quick) {
		*at = quick;
		*ts_ns = columns.ts_ns;
		text_begin_event(text, &columns, kind);
		return NULL;
	}
	time = text_cut_word(at);
	cpu = text_cut_word(at);
	thread = text_cut_word(at);
	origin = text_cut_word(at);
	name = text_cut_word(at);
	if (!name)
		return bad_line(text, "an event is `TS_NS CPU PID/TID ORIGIN NAME field=value...'");
	if (!parse_number(time, false, 8, ts_ns))
		return bad_line(text, "`%s' is not a time in nanoseconds", time);
	if (*ts_ns < text->last_ns)
		return bad_line(text, "time goes back from %" PRIu64 " to %" PRIu64, text->last_ns,
				*ts_ns);
	slash = strchr(thread, '/');
	if (slash)
		*slash = '\0';
	if (!slash || !parse_optional(thread, &columns.pid) ||
	    !parse_optional(slash + 1, &columns.tid))
		return bad_line(text, "`%s' is not PID/TID", thread);
	if (!parse_optional(cpu, &columns.cpu) || columns.cpu < -1)
		return bad_line(text, "`%s' is not a CPU", cpu);
	columns.origin = parse_origin(origin);
	if (columns.origin < 0)
		return bad_line(text, "`%s' is not an origin", origin);
	columns.ts_ns = *ts_ns;
	columns.known = decode_event_name(&text->events, name, strlen(name));
	text_begin_event(text, &columns, kind);
	return NULL;
}

static struct lane_error *text_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct text_decoder *text = text_of(decoder);
	struct lane_error *err;
	uint64_t ts_ns;
	char *at;
	int kind;

	*result = NULL;
	do {
		at = text->pending;
		text->pending = NULL;
		err = at ? NULL : text_read_line(text, &at);
		if (err || !at)
			return err;
		err = parse_columns(text, &at, &ts_ns, &kind);
		if (err)
			return err;
		text->last_ns = ts_ns;
		text->base.skipped += kind < 0;
	} while (kind < 0);
	err = parse_fields(text, at);
	if (err)
		return err;
	*result = &text->event;
	return NULL;
}

/* The facts that are words, and where they go. */
static const struct {
	const char *key;
	size_t offset;
	size_t size;
} info_words[] = {
#define WORD(name)                                                                                 \
	{                                                                                          \
#name, offsetof(struct lane_trace_info, name),                                     \
			sizeof(((struct lane_trace_info *)0)->name)                                \
	}
	WORD(host),
	WORD(release),
	WORD(clock_uuid),
	WORD(tracer),
	WORD(tracer_version),
#undef WORD
	{ "dumps", offsetof(struct lane_trace_info, limits.dumps),
	  sizeof(((struct lane_trace_info *)0)->limits.dumps) },
	{ "idle_states", offsetof(struct lane_trace_info, limits.idle_states),
	  sizeof(((struct lane_trace_info *)0)->limits.idle_states) },
	{ "sched_policy", offsetof(struct lane_trace_info, limits.sched_policy),
	  sizeof(((struct lane_trace_info *)0)->limits.sched_policy) },
};

/* `CARD DEV ENGINE NAME=NS ...`: DEV - where it is not known. */
static struct lane_error *parse_limits(struct text_decoder *text, char *value)
{
	char *card = text_cut_word(&value), *dev = text_cut_word(&value),
	     *engine = text_cut_word(&value), *word;
	struct lane_engine_limits *row = NULL;
	uint64_t number;

	if (engine && parse_number(card, false, 4, &number))
		row = lane_limits_row(&text->info.limits, (uint32_t)number,
				      strcmp(dev, "-") ? dev : "", engine);
	if (!row)
		return bad_line(text, "info limits: not CARD DEVICE ENGINE, or too many");
	while ((word = text_cut_word(&value))) {
		char *is = strchr(word, '=');
		int kind;

		if (is)
			*is = '\0';
		kind = lane_limit_by_name(word);
		if (!is || kind < 0 || !parse_number(is + 1, false, 8, &row->ns[kind]))
			return bad_line(text, "info limits: `%s' is no limit with its ns", word);
	}
	return NULL;
}

static struct lane_error *parse_info(struct text_decoder *text, const char *key, char *value)
{
	struct lane_trace_info *info = &text->info;
	uint64_t number;
	int submission;

	for (size_t i = 0; i < sizeof(info_words) / sizeof(info_words[0]); i++) {
		if (strcmp(info_words[i].key, key))
			continue;
		if (strlen(value) >= info_words[i].size)
			return bad_line(text, "info %s: longer than %zu bytes", key,
					info_words[i].size - 1);
		strcpy((char *)info + info_words[i].offset, lane_clean(value, LANE_CLEAN_LINE));
		return NULL;
	}
	if (!strcmp(key, "limits"))
		return parse_limits(text, value);
	if (!strcmp(key, "submission")) {
		submission = decode_submission_by_name(value);
		if (submission < 0)
			return bad_line(text, "info submission: `%s' is none", value);
		info->submission = (enum lane_submission)submission;
		return NULL;
	}
	if (!strcmp(key, "followed_pid") || !strcmp(key, "command_pid")) {
		if (!parse_number(value, false, 4, &number) || number > INT32_MAX)
			return bad_line(text, "info %s: `%s' is not a process", key, value);
		*(*key == 'f' ? &info->followed_pid : &info->command_pid) = (int32_t)number;
		return NULL;
	}
	if (!strcmp(key, "filter")) {
		if (strcmp(value, "processes") != 0)
			return bad_line(text, "info filter: `%s' is not processes", value);
		info->follows_some = true;
		return NULL;
	}
	if (strcmp(key, "epoch_offset_ns") && strcmp(key, "begin_ns") && strcmp(key, "end_ns"))
		return bad_line(text, "info: `%s' is not known (see docs/text-format.md)", key);
	if (!parse_number(value, *key == 'e' && key[1] == 'p', 8, &number))
		return bad_line(text, "info %s: `%s' is not a number", key, value);
	if (!strcmp(key, "epoch_offset_ns"))
		info->epoch_offset_ns = (int64_t)number;
	else if (!strcmp(key, "begin_ns"))
		info->begin_ns = number;
	else
		info->end_ns = info->stop_ns = number;
	return NULL;
}

/* A line of the head; *is_head is false when it is an event's. */
static struct lane_error *parse_head(struct text_decoder *text, char *line, bool *is_head)
{
	char *at = line + strcspn(line, " \t\r");
	size_t length = (size_t)(at - line);
	char *word, *value;
	int kind;

	*is_head = true;
	if (length == 4 && !strncmp(line, "info", 4)) {
		word = text_cut_word(&at);
		value = at + strspn(at, " \t\r");
		if (!word || !*value)
			return bad_line(text, "a fact is `info NAME VALUE'");
		for (at = value + strlen(value); strchr(" \t\r", at[-1]); at--)
			at[-1] = '\0';
		return parse_info(text, word, value);
	}
	if ((length == 6 && !strncmp(line, "absent", 6)) ||
	    (length == 8 && !strncmp(line, "recorded", 8))) {
		word = text_cut_word(&at);
		kind = word ? decode_names_kind(text->names, word, strlen(word)) : -1;
		if (kind < 0 || text_cut_word(&at))
			return bad_line(text, "%.*s: `%s' is not an event (see gpulane-events(7))",
					(int)length, line, word ? word : "");
		text->info.presence[kind] =
			*line == 'a' ? LANE_PRESENCE_ABSENT : LANE_PRESENCE_RECORDED;
		return NULL;
	}
	*is_head = false;
	return NULL;
}

static struct lane_error *text_read_head(struct text_decoder *text)
{
	struct lane_error *err;
	bool is_head = true;
	char *line, *word;

	err = text_read_line(text, &line);
	if (err)
		return err;
	word = line ? text_cut_word(&line) : NULL;
	if (!word || strcmp(word, "gpulane-events"))
		return lane_error("%s: not a trace in gpulane's text format", text->base.path);
	word = text_cut_word(&line);
	if (!word || strcmp(word, "1"))
		return bad_line(text, "version `%s' is not known, only 1 is (use a newer gpulane)",
				word ? word : "");
	while (is_head) {
		err = text_read_line(text, &line);
		if (err || !line)
			return err;
		err = parse_head(text, line, &is_head);
		if (err)
			return err;
	}
	text->pending = line;
	return NULL;
}

static void text_end(struct lane_decoder *decoder)
{
	struct text_decoder *text = text_of(decoder);

	free(text->fields);
	free(text->buffer);
}

static struct lane_error *text_begin(struct lane_decoder *decoder, const struct lane_names *names)
{
	struct text_decoder *text = text_of(decoder);

	text->base.info = &text->info;
	text->names = names;
	text->buffer = malloc(READ_BYTES + LINE_BYTES + BEHIND_BYTES);
	if (!text->buffer || !list_fields(text))
		return &lane_enomem;
	text->from = text->to = text->buffer;
	for (int i = 0; i < LANE_ORIGIN_COUNT; i++)
		text->origins[i] = (struct origin_word){ origin_word(i), strlen(origin_word(i)) };
	strcpy(text->info.tracer, "text");
	decode_event_names_init(&text->events, names, true);
	return text_read_head(text);
}

static bool text_probe(const char *path)
{
	static const char magic[] = "gpulane-events ";

	return lane_file_begins(path, magic, sizeof(magic) - 1);
}

const struct lane_format lane_format_text = {
	.name = "text",
	.help = "gpulane's text format",
	.probe = text_probe,
	.bytes = sizeof(struct text_decoder),
	.begin = text_begin,
	.next = text_next,
	.end = text_end,
};

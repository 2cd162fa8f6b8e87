// SPDX-License-Identifier: MIT
// Takes apart what stands before the fields in a line that prints an event.
#include "decode/printed.h"

#include <string.h>

#include "decode/digits.h"

#define COMM_BYTES sizeof(((struct lane_p_sched_switch *)NULL)->next_comm)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits up to nine; false: there are none, or more. */
static inline bool printed_get_number(const char **at, const char *end, int32_t *value)
{
	const char *c = *at, *most = end - c > 9 ? c + 9 : end;
	unsigned int number = 0, digit;

	for (; c < most && (digit = (unsigned int)*c - '0') < 10; c++)
		number = number * 10 + digit;
	*value = (int32_t)number;
	if (c == *at || (c < end && is_digit(*c)))
		return false;
	*at = c;
	return true;
}

/* Goes back over digits from end, not before begin; where they begin. */
static const char *digits_before(const char *begin, const char *end)
{
	while (end > begin && is_digit(end[-1]))
		end--;
	return end;
}

static const char *spaces_before(const char *begin, const char *end)
{
	while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return end;
}

static const char *skip_many_spaces(const char *at, const char *end)
{
	uint64_t others = 0; /* of eight bytes those that are no blanks */

	while (end - at >= 8 && !others) {
		memcpy(&others, at, sizeof(others));
		others ^= 0x2020202020202020;
		at += others ? __builtin_ctzll(others) / 8 : 8;
	}
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Mostly there is one. */
static inline const char *skip_spaces(const char *at, const char *end)
{
	if (at < end && *at == ' ')
		at++;
	return at < end && (*at == ' ' || *at == '\t') ? skip_many_spaces(at, end) : at;
}

/*
 * The name of a thread ends before `end`. `<...>` and `:12` are written where it is not known. perf
 * has a worker's work in its name, too: `kworker/0:1-events`.
 */
static void get_comm(const char *line, const char *end, struct lane_printed *printed)
{
	static const char worker[] = "kworker/";
	size_t n;

	line = skip_spaces(line, end);
	n = (size_t)(spaces_before(line, end) - line);
	if (n >= sizeof(worker) && !memcmp(line, worker, sizeof(worker) - 1)) {
		size_t kept = strcspn(line, "-+");

		n = kept < n ? kept : n;
	}
	printed->comm = line;
	printed->comm_length = n && n < COMM_BYTES && *line != ':' && *line != '<' ? n : 0;
}

/*
 * `comm-12`, `comm-12 (   11)`, `comm 12`, `comm 11/12`, `12`: thread and process before the CPU.
 * Nothing: perf was not to print it.
 */
static bool get_thread(const char *line, const char *end, struct lane_printed *printed)
{
	const char *begin, *at;

	end = spaces_before(line, end);
	if (end > line && end[-1] == ')') {
		const char *close = end - 1;

		begin = digits_before(line, close);
		at = begin;
		/* `(-------)`: not known */
		if (at < close ? !printed_get_number(&at, close, &printed->pid)
			       : at == line || at[-1] != '-')
			return false;
		while (begin > line && begin[-1] != '(')
			begin--;
		if (begin == line)
			return false;
		end = spaces_before(line, begin - 1);
	}
	begin = digits_before(line, end);
	at = begin;
	if (end == line)
		return true;
	if (at == end || !printed_get_number(&at, end, &printed->tid))
		return false;
	if (begin == line)
		return true;
	if (begin[-1] == '/') {
		end = begin - 1;
		begin = digits_before(line, end);
		at = begin;
		get_comm(line, begin, printed);
		return at < end && printed_get_number(&at, end, &printed->pid);
	}
	get_comm(line, begin - 1, printed);
	if (begin[-1] == '-') {
		printed->is_ftrace = begin - 1 > line && begin[-2] != ' ' && begin[-2] != '\t' &&
				     begin[-2] != '/';
		if (!printed->is_ftrace)
			printed->tid = -1; /* perf: a thread that is on its end */
		return true;
	}
	return begin[-1] == ' ' || begin[-1] == '\t';
}

/* `12.345678:`, to nanoseconds. */
static bool get_time(const char **at, const char *end, uint64_t *ns)
{
	static const uint32_t scale[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
					  10000,      1000,	 100,	   10,	    1 };
	const char *c = *at, *begin = c;
	uint64_t seconds = 0;
	uint32_t part = 0;
	int digits = 0;

	while (c < end && is_digit(*c) && c - begin < 10)
		seconds = seconds * 10 + (uint64_t)(*c++ - '0');
	if (c == begin || c == end || *c++ != '.')
		return false;
	if (end - c > 8 && decode_eight_digits(c, &part)) {
		c += 8;
		digits = 8;
	}
	for (; c < end && is_digit(*c) && digits < 9; digits++)
		part = part * 10 + (uint32_t)(*c++ - '0');
	if (digits < 3 || c == end || *c != ':')
		return false;
	*ns = seconds * 1000000000u + (uint64_t)part * scale[digits];
	*at = c + 1;
	return true;
}

static const char *skip_token(const char *at, const char *end)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));
	const char *tab = memchr(at, '\t', (size_t)((blank ? blank : end) - at));

	return tab ? tab : blank ? blank : end;
}

/* What stands behind the time: perf's period or trace-cmd's difference, or none; the event's name.
 */
static bool get_event(const char *at, const char *end, struct lane_printed *printed)
{
	const char *system, *token;

	at = skip_spaces(at, end);
	token = skip_token(at, end);
	/* `0:` is the name of a mark, up to Linux 3.4 */
	if (at < end && (is_digit(*at) || *at == '(') && token[-1] != ':') {
		at = skip_spaces(token, end);
		token = skip_token(at, end);
	}
	printed->fields = (char *)skip_spaces(token, end);
	if (token > at && token[-1] == ':')
		token--;
	system = memrchr(at, ':', (size_t)(token - at));
	printed->name = system ? system + 1 : at;
	printed->name_length = (size_t)(token - printed->name);
	return true;
}

/* What stands behind the CPU: flags, perf's date and time of day, or none; the time, the event. */
static bool get_rest(const char *at, const char *end, struct lane_printed *printed)
{
	int most_words;

	at = skip_spaces(at, end);
	most_words = at < end && is_digit(*at) ? 2 : 1;
	for (int words = 0; !get_time(&at, end, &printed->ns); words++) {
		if (words == most_words)
			return false;
		at = skip_spaces(skip_token(at, end), end);
	}
	return get_event(at, end, printed);
}

/* `20314us :`, `20314us!:`: since the first event, with a mark of how long it lasts. */
static bool get_microseconds(const char **at, const char *end, uint64_t *ns)
{
	const char *c = *at, *begin = c;
	uint64_t us = 0;

	while (c < end && is_digit(*c) && c - begin < 15)
		us = us * 10 + (uint64_t)(*c++ - '0');
	if (c == begin || end - c < 4 || c[0] != 'u' || c[1] != 's' || is_digit(c[2]) ||
	    c[3] != ':')
		return false;
	*ns = us * 1000;
	*at = c + 4;
	return true;
}

/* `12     0d..2. `: a thread, a CPU with its flags, the time; trace-cmd report -l, latency-format.
 */
static bool get_latency(const char *at, const char *end, struct lane_printed *printed)
{
	enum {
		MOST_FLAGS = 8,
		LEAST_FLAGS = 4
	};
	const char *flags;

	printed->is_ftrace = true;
	if (!printed_get_number(&at, end, &printed->tid) || at == skip_spaces(at, end))
		return false;
	at = skip_spaces(at, end);
	if (!printed_get_number(&at, end, &printed->cpu))
		return false;
	flags = at;
	at = skip_token(at, end);
	if (at - flags < LEAST_FLAGS || at - flags > MOST_FLAGS || at[-1] == ':')
		return false;
	at = skip_spaces(at, end);
	return (get_time(&at, end, &printed->ns) || get_microseconds(&at, end, &printed->ns)) &&
	       get_event(at, end, printed);
}

/* So far from a line's begin its thread ends at most: a file's name and a thread's stand there. */
#define THREAD_BYTES 256

bool decode_printed_line(char *line, size_t length, struct lane_printed *printed)
{
	const char *end = line + length, *at = line;

	while (end > line && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	line[end - line] = '\0';
	/* `[001] `; the name of a thread may have brackets, too. */
	while (at - line < THREAD_BYTES && (at = memchr(at, '[', (size_t)(end - at)))) {
		const char *open = at++;

		*printed = (struct lane_printed){ .tid = -1, .pid = -1 };
		if (at < end && is_digit(*at) && printed_get_number(&at, end, &printed->cpu) &&
		    at < end && *at == ']' && get_thread(line, open, printed) &&
		    get_rest(at + 1, end, printed))
			return true;
		at = open + 1;
	}
	/* The name of a thread may have a dash, too. */
	for (at = line; at - line < THREAD_BYTES && (at = memchr(at, '-', (size_t)(end - at)));) {
		*printed = (struct lane_printed){ .tid = -1, .pid = -1 };
		if (get_latency(++at, end, printed))
			return true;
	}
	return false;
}

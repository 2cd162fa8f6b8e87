// SPDX-License-Identifier: MIT
// Takes a CodeXL application trace (.atp) apart: head, sections, a block of calls per thread.
#include "decode/atp_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

enum {
	SOME_CALLS = 1024,
	CALL_BYTES = 24, /* no line of a call's times is shorter */
};

/* Where the reader is. */
struct atp_reader {
	struct lane_atp_file *file;
	char *at, *end;
	uint64_t line;
	size_t calls_left; /* by the file's size: a call becomes some hundred bytes in memory */
};

#define bad_line(reader, format, ...)                                                              \
	lane_error("%s:%" PRIu64 ": " format, (reader)->file->path, (reader)->line, ##__VA_ARGS__)

/* The next line that is not empty, without blanks at its ends; NULL at the end. */
static char *next_line(struct atp_reader *r)
{
	while (r->at < r->end) {
		char *line = r->at, *end = memchr(line, '\n', (size_t)(r->end - line));

		if (!end)
			end = r->end;
		r->at = end < r->end ? end + 1 : end;
		r->line++;
		*end = '\0';
		end = line + strlen(line);
		line += strspn(line, " \t\r");
		while (end > line && strchr(" \t\r", end[-1]))
			*--end = '\0';
		if (*line)
			return line;
	}
	return NULL;
}

/* Cuts the next word of a line off; NULL when there is none. */
static char *cut_word(char **at)
{
	char *word = *at + strspn(*at, " \t");

	if (!*word)
		return NULL;
	*at = word + strcspn(word, " \t");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* Cuts the last word of a line off; NULL when there is none. */
static char *cut_last_word(char *line)
{
	char *end = line + strlen(line), *word;

	while (end > line && strchr(" \t", end[-1]))
		end--;
	*end = '\0';
	for (word = end; word > line && !strchr(" \t", word[-1]);)
		word--;
	if (word == end)
		return NULL;
	if (word > line)
		word[-1] = '\0';
	return word;
}

/* A decimal or 0x number that is the whole word. */
static bool atp_file_number(const char *word, uint64_t max, uint64_t *value)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = hex ? word + 2 : word;
	char *end;

	if (!*digits ||
	    strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
		return false;
	errno = 0;
	*value = strtoull(digits, &end, hex ? 16 : 10);
	return !errno && *value <= max;
}

static struct lane_error *want_number(struct atp_reader *r, const char *word, const char *what,
				      uint64_t max, uint64_t *value)
{
	if (!word)
		return bad_line(r, "the line ends where %s should be", what);
	if (!atp_file_number(word, max, value))
		return bad_line(r, "%s: `%.40s' is not a number, or too large", what, word);
	return NULL;
}

static struct lane_atp_thread *thread_of(struct atp_reader *r, int32_t tid)
{
	struct lane_atp_file *file = r->file;
	uintptr_t at = (uintptr_t)lane_table_get(&file->by_tid, (uint32_t)tid, 0);
	struct lane_atp_thread *thread;

	if (at)
		return &file->threads[at - 1];
	thread = LANE_APPEND(file->threads, file->n_threads, file->cap_threads);
	if (!thread ||
	    !lane_table_put(&file->by_tid, (uint32_t)tid, 0, (void *)(uintptr_t)file->n_threads))
		return NULL;
	thread->tid = tid;
	thread->line = r->line;
	return thread;
}

/* `RETURN = NAME ( ARGS )` */
static struct lane_error *parse_api(struct atp_reader *r, char *line,
				    struct lane_atp_thread *thread)
{
	char *equals = strchr(line, '='), *open, *close, *name, *returned = line;
	struct lane_atp_api *api;

	if (!equals)
		return bad_line(r, "not a call: there is no `=' in it");
	open = strchr(equals, '(');
	close = open ? strrchr(open, ')') : NULL;
	if (!close)
		return bad_line(r, "not a call: there is no `(...)' in it");
	if (close[1])
		return bad_line(r, "something stands behind the call");
	*equals = *open = *close = '\0';
	name = equals + 1;
	name = cut_word(&name);
	returned = cut_word(&returned);
	if (!name || !returned)
		return bad_line(r, "not a call: its %s is missing", name ? "result" : "name");
	api = LANE_APPEND(thread->apis, thread->n_apis, thread->cap_apis);
	if (!api)
		return &lane_enomem;
	*api = (struct lane_atp_api){ r->line, returned, name, open + 1 };
	return NULL;
}

/* `{512,512}`, `{NULL}`: the product, 0 for none. */
static struct lane_error *parse_sizes(struct atp_reader *r, char *word, const char *what,
				      uint64_t *product)
{
	size_t length = strlen(word);
	char *rest = word + 1, *one;

	*product = 0;
	if (length < 2 || word[0] != '{' || word[length - 1] != '}')
		return bad_line(r, "%s: `%.40s' is not {SIZE,...}", what, word);
	word[length - 1] = '\0';
	if (!strcmp(rest, "NULL"))
		return NULL;
	*product = 1;
	while ((one = strsep(&rest, ","))) {
		uint64_t value;

		if (!atp_file_number(one, UINT64_MAX, &value) ||
		    __builtin_mul_overflow(*product, value, product))
			return bad_line(r, "%s: `%.40s' is not a size, or too large", what, one);
	}
	return NULL;
}

/* What stands behind a kernel's device: HANDLE NAME {GLOBAL} {LOCAL}, read from the end. */
static struct lane_error *parse_kernel(struct atp_reader *r, char *rest,
				       struct lane_atp_stamp *stamp)
{
	char *local = cut_last_word(rest), *global = cut_last_word(rest);
	char *name = cut_last_word(rest), *handle = cut_last_word(rest);
	struct lane_error *err;

	err = want_number(r, handle, "the kernel", UINT64_MAX, &stamp->kernel);
	if (!err)
		err = parse_sizes(r, global, "the work items", &stamp->items);
	if (!err)
		err = parse_sizes(r, local, "the work group", &stamp->group);
	stamp->kernel_name = name;
	return err;
}

/* What stands behind the call's times: the command. */
static struct lane_error *parse_command(struct atp_reader *r, char *rest,
					struct lane_atp_stamp *stamp)
{
	static const char *const what[LANE_ATP_TIMES] = { "the time queued", "the time submitted",
							  "the start", "the end" };
	struct lane_error *err;
	uint64_t value;
	char *word;

	err = want_number(r, cut_word(&rest), "the command's type", UINT32_MAX, &value);
	if (err)
		return err;
	stamp->type = (uint32_t)value;
	word = cut_word(&rest);
	if (!word || strncmp(word, "CL_COMMAND_", 11))
		return bad_line(r, "no CL_COMMAND_... behind the command's type");
	for (int i = 0; i < LANE_ATP_TIMES; i++) {
		err = want_number(r, cut_word(&rest), what[i], INT64_MAX, &stamp->times_ns[i]);
		if (err)
			return err;
	}
	err = want_number(r, cut_word(&rest), "the queue's number", UINT64_MAX, &value);
	if (!err)
		err = want_number(r, cut_word(&rest), "the queue", UINT64_MAX, &stamp->queue);
	if (!err)
		err = want_number(r, cut_word(&rest), "the context's number", UINT64_MAX, &value);
	if (!err)
		err = want_number(r, cut_word(&rest), "the context", UINT64_MAX, &value);
	if (err)
		return err;
	rest += strspn(rest, " \t");
	if (rest[0] && rest[strlen(rest) - 1] == '}') {
		err = parse_kernel(r, rest, stamp);
	} else {
		/* A transfer's size; the device's name may end with a number of its own. */
		word = strrchr(rest, ' ') || strrchr(rest, '\t') ? cut_last_word(rest) : NULL;
		if (word && !atp_file_number(word, UINT64_MAX, &stamp->bytes))
			word[-1] = ' ';
	}
	for (size_t n = strlen(rest); n && strchr(" \t", rest[n - 1]); n--)
		rest[n - 1] = '\0';
	stamp->device = rest;
	stamp->has_command = true;
	if (!err && !*rest)
		err = bad_line(r, "the line ends where the device should be");
	return err;
}

/* `TYPE NAME BEGIN END`, and what an enqueue has behind that. */
static struct lane_error *parse_stamp(struct atp_reader *r, char *line,
				      struct lane_atp_thread *thread)
{
	struct lane_atp_stamp *stamp;
	struct lane_error *err;
	uint64_t value;

	if (!r->calls_left--)
		return bad_line(r, "more calls than a file of this size can hold");
	stamp = LANE_APPEND(thread->stamps, thread->n_stamps, thread->cap_stamps);
	if (!stamp)
		return &lane_enomem;
	stamp->line = r->line;
	err = want_number(r, cut_word(&line), "the call's type", UINT32_MAX, &value);
	if (err)
		return err;
	stamp->name = cut_word(&line);
	if (!stamp->name)
		return bad_line(r, "the line ends where the call's name should be");
	err = want_number(r, cut_word(&line), "the call's begin", INT64_MAX, &stamp->begin_ns);
	if (!err)
		err = want_number(r, cut_word(&line), "the call's end", INT64_MAX, &stamp->end_ns);
	if (err)
		return err;
	if (stamp->end_ns < stamp->begin_ns)
		return bad_line(r, "the call ends before it begins");
	line += strspn(line, " \t");
	return *line ? parse_command(r, line, stamp) : NULL;
}

/* Sections are told by their lines: there are files in which the two titles are mixed up. */
static bool is_stamp(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	line += digits;
	return digits && strchr(" \t", *line) && line[strspn(line, " \t")] != '=';
}

/* A section's blocks, up to the next section's line, which is *next (NULL: the end). */
static struct lane_error *parse_section(struct atp_reader *r, char **next)
{
	char *line;

	while ((line = next_line(r)) && strncmp(line, "=====", 5)) {
		struct lane_atp_thread *thread;
		struct lane_error *err;
		uint64_t tid, count;

		err = want_number(r, line, "the thread", INT32_MAX, &tid);
		if (err)
			return err;
		thread = thread_of(r, (int32_t)tid);
		if (!thread)
			return &lane_enomem;
		err = want_number(r, next_line(r), "the number of calls", UINT64_MAX, &count);
		if (err)
			return err;
		for (uint64_t i = 0; i < count; i++) {
			line = next_line(r);
			if (!line || !strncmp(line, "=====", 5))
				return bad_line(r,
						"thread %" PRIu64 " announces %" PRIu64
						" calls, the section ends after %" PRIu64,
						tid, count, i);
			err = is_stamp(line) ? parse_stamp(r, line, thread)
					     : parse_api(r, line, thread);
			if (err)
				return err;
		}
	}
	*next = line;
	return NULL;
}

static bool is_opencl(const char *title)
{
	return strstr(title, "ocl ") && (strstr(title, "API Trace") || strstr(title, "Timestamp"));
}

/* Both sections must tell of the same calls. */
static struct lane_error *atp_file_compare(const struct lane_atp_file *file)
{
	for (size_t i = 0; i < file->n_threads; i++) {
		const struct lane_atp_thread *t = &file->threads[i];

		if (t->n_apis && t->n_stamps && t->n_apis != t->n_stamps)
			return lane_error("%s:%" PRIu64 ": thread %d: %zu calls in one section, "
					  "%zu in the other",
					  file->path, t->line, t->tid, t->n_apis, t->n_stamps);
		if (t->n_apis && !t->n_stamps)
			return lane_error("%s:%" PRIu64 ": thread %d: no times of its calls",
					  file->path, t->line, t->tid);
		for (size_t k = 0; k < t->n_apis; k++)
			if (strcmp(t->apis[k].name, t->stamps[k].name))
				return lane_error("%s:%" PRIu64 ": `%.60s' is `%.60s' in line "
						  "%" PRIu64,
						  file->path, t->stamps[k].line, t->stamps[k].name,
						  t->apis[k].name, t->apis[k].line);
	}
	return NULL;
}

struct lane_error *decode_atp_file_init(char *text, size_t bytes, const char *path,
					struct lane_atp_file *file)
{
	struct atp_reader r = {
		.file = file,
		.at = text,
		.end = text + bytes,
		.calls_left = SOME_CALLS + bytes / CALL_BYTES,
	};
	bool any = false;
	char *line;
	struct lane_error *err;

	*file = (struct lane_atp_file){ .path = path, .text = text, .application = "" };
	if (memchr(text, '\0', bytes))
		return lane_error("%s: not a text file", path);
	for (line = next_line(&r); line && strncmp(line, "=====", 5); line = next_line(&r))
		if (!strncmp(line, "Application=", 12))
			file->application = line + 12;
	while (line) {
		if (is_opencl(line)) {
			any = true;
			err = parse_section(&r, &line);
			if (err)
				return err;
			continue;
		}
		/* Sections of others: HSA, markers, source lines. */
		do
			line = next_line(&r);
		while (line && strncmp(line, "=====", 5));
	}
	if (!any)
		return lane_error("%s:%" PRIu64 ": the file ends without a section of OpenCL calls",
				  path, r.line);
	return atp_file_compare(file);
}

void decode_atp_file_deinit(struct lane_atp_file *file)
{
	for (size_t i = 0; i < file->n_threads; i++) {
		free(file->threads[i].apis);
		free(file->threads[i].stamps);
	}
	free(file->threads);
	free(file->text);
	lane_table_free(&file->by_tid);
}

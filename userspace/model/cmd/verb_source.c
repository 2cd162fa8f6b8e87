// SPDX-License-Identifier: MIT
// A kernel's source with sizes instead of a program: its arguments are read from the source, and
// filled as the words say.
#include "model/cmd/verb_source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/lines.h"
#include "model/number.h"
#include "model/random.h"

#define SOURCE_BYTES (1u << 24)
#define MOST_BYTES   (UINT64_C(1) << 28) /* of an argument */
#define MOST_ITEMS   (UINT64_C(1) << 24)
#define NAME_BYTES   32

/* What an argument is by its words in the source. */
struct parameter {
	char name[NAME_BYTES];
	char type[NAME_BYTES];
	const char *scalar; /* the type of one component, as oclgrind-kernel calls it */
	uint32_t bytes;	    /* of one component */
	uint32_t width;	    /* components of a vector */
	int is_pointer;
	int is_local;
};

static const struct {
	const char *name;
	const char *scalar;
	uint32_t bytes;
} types[] = {
	{ "char", "char", 1 },	   { "uchar", "uchar", 1 },    { "short", "short", 2 },
	{ "ushort", "ushort", 2 }, { "int", "int", 4 },	       { "uint", "uint", 4 },
	{ "long", "long", 8 },	   { "ulong", "ulong", 8 },    { "float", "float", 4 },
	{ "double", "double", 8 }, { "atomic_int", "int", 4 }, { "atomic_uint", "uint", 4 },
};

int model_source_is(const char *file)
{
	size_t length = strlen(file);

	return length > 3 && !strcmp(file + length - 3, ".cl");
}

/* Comments become blanks, so that only code is read. */
static void drop_comments(char *text)
{
	for (char *p = text; *p; p++) {
		const char *end = NULL;

		if (p[0] == '/' && p[1] == '/')
			end = strchr(p, '\n');
		else if (p[0] == '/' && p[1] == '*')
			end = strstr(p + 2, "*/");
		else
			continue;
		if (!end)
			end = p + strlen(p);
		while (p < end)
			*p++ = ' ';
		if (*p == '*')
			p[0] = p[1] = ' ';
		if (!*p)
			return;
	}
}

static int verb_source_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* What stands between the parentheses behind the kernel's name; NULL: it is not there. */
static char *arguments_of(char *text, const char *kernel)
{
	size_t length = strlen(kernel);

	for (char *at = text; (at = strstr(at, kernel)); at += length) {
		char *open = at + length, *close;

		if (at == text || verb_source_is_word(at[-1]) || verb_source_is_word(*open))
			continue;
		open += strspn(open, " \t\r\n");
		if (*open != '(')
			continue;
		close = strchr(open, ')');
		if (!close || close[1 + strspn(close + 1, " \t\r\n")] != '{')
			continue;
		*close = '\0';
		return open + 1;
	}
	return NULL;
}

/* A type's name with a vector's width behind it, or not. */
static int find_type(struct parameter *p, const char *word)
{
	static const char *const widths[] = { "", "2", "3", "4", "8", "16" };
	static const uint32_t components[] = { 1, 2, 4, 4, 8, 16 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t length = strlen(types[i].name);

		if (strncmp(word, types[i].name, length) != 0)
			continue;
		for (size_t j = 0; j < sizeof(widths) / sizeof(widths[0]); j++) {
			if (strcmp(word + length, widths[j]) != 0)
				continue;
			p->scalar = types[i].scalar;
			p->bytes = types[i].bytes;
			p->width = components[j];
			snprintf(p->type, sizeof(p->type), "%s", word);
			return 1;
		}
	}
	return 0;
}

static void take_word(struct parameter *p, const char *word)
{
	char full[NAME_BYTES + 1];

	snprintf(p->name, sizeof(p->name), "%s", word);
	if (!strcmp(word, "local") || !strcmp(word, "__local"))
		p->is_local = 1;
	else if (!strcmp(word, "unsigned"))
		find_type(p, "uint");
	else if (!p->scalar)
		find_type(p, word);
	else if (!strcmp(p->type, "uint")) { /* `unsigned long' */
		snprintf(full, sizeof(full), "u%s", word);
		find_type(p, full);
	}
}

/* One argument: `volatile __global uint *restrict count'. */
static struct lane_error *read_parameter(const char *text, struct parameter *p)
{
	*p = (struct parameter){ .width = 1 };
	p->is_pointer = strpbrk(text, "*[") != NULL;
	while (*text) {
		char word[NAME_BYTES];
		size_t length = 0;

		while (verb_source_is_word(text[length]))
			length++;
		if (length && length < sizeof(word)) {
			memcpy(word, text, length);
			word[length] = '\0';
			take_word(p, word);
		}
		text += length ? length : 1;
	}
	if (!p->scalar)
		return lane_error("the type of argument `%s' is not known: write a program that "
				  "calls the kernel",
				  p->name);
	return NULL;
}

/* below 0: values count from 0, else they are random and below that. */
static void write_values(FILE *to, uint64_t n, uint64_t below)
{
	uint64_t random = 1;

	for (uint64_t i = 0; i < n; i++)
		fprintf(to, "%llu%c",
			(unsigned long long)(below ? (model_random(&random) >> 16) % below : i),
			i % 16 == 15 || i + 1 == n ? '\n' : ' ');
}

/* How many values the type has that are not negative, 2^32 at most. */
static uint64_t values_of(const struct parameter *p)
{
	uint32_t bits = 8 * p->bytes - (*p->scalar != 'u');

	return bits < 32 ? UINT64_C(1) << bits : UINT64_C(1) << 32;
}

/* COUNT, COUNT:count, COUNT:random or COUNT:random:BELOW. */
static struct lane_error *write_array(FILE *to, const struct parameter *p, const char *word)
{
	LANE_CLEANUP(lane_free) char *count = strdup(word);
	uint64_t n = 0, below = *p->scalar == 'u' ? values_of(p) : 100;
	char *how, *most;
	int is_counted;

	if (!count)
		return &lane_enomem;
	how = count;
	strsep(&how, ":");
	most = how;
	if (most)
		strsep(&most, ":");
	is_counted = how && !strcmp(how, "count") && !most;
	if (model_whole_parse(count, 1, MOST_BYTES / p->bytes / p->width, &n) ||
	    (most && model_whole_parse(most, 1, values_of(p), &below)) ||
	    (how && !is_counted && strcmp(how, "random") != 0) || (how && p->is_local))
		return lane_error_usage("atomics: `%s' for argument `%s': not COUNT, COUNT:count, "
					"COUNT:random or COUNT:random:BELOW, of elements of %s",
					word, p->name, p->type);
	fprintf(to, "<size=%llu %s%s>\n", (unsigned long long)(n * p->bytes * p->width), p->scalar,
		how || p->is_local ? "" : " fill=0");
	if (how)
		write_values(to, n * p->width, is_counted ? 0 : below);
	return NULL;
}

static struct lane_error *write_scalar(FILE *to, const struct parameter *p, const char *word)
{
	char *end;

	errno = 0;
	strtod(word, &end);
	if (errno || end == word || *end || p->width != 1)
		return lane_error_usage("atomics: `%s' for argument `%s': not a number for a %s",
					word, p->name, p->type);
	fprintf(to, "<size=%u %s>\n%s\n", p->bytes, p->scalar, word);
	return NULL;
}

static struct lane_error *write_arguments(FILE *to, char *text, char **words)
{
	struct lane_error *err = NULL;
	char *rest = text, *one;

	while (!err && (one = strsep(&rest, ","))) {
		struct parameter p;

		if (!one[strspn(one, " \t\r\n")])
			continue; /* `()' */
		err = read_parameter(one, &p);
		if (err)
			break;
		if (!*words)
			return lane_error_usage("atomics: nothing is said of argument `%s' (%s)",
						p.name, p.type);
		err = p.is_pointer ? write_array(to, &p, *words) : write_scalar(to, &p, *words);
		words++;
	}
	if (!err && *words)
		err = lane_error_usage("atomics: `%s': the kernel has no further argument", *words);
	return err;
}

struct lane_error *model_source_write(const char *file, char **words, FILE *to)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	LANE_CLEANUP(lane_free) char *path = realpath(file, NULL);
	struct lane_error *err;
	uint64_t items = 0, group = 0;
	char *arguments;

	if (!path)
		return lane_error_errno(errno, "%s", file);
	if (!words[0] || !words[1] || !words[2] ||
	    model_whole_parse(words[1], 1, MOST_ITEMS, &items) ||
	    model_whole_parse(words[2], 1, 4096, &group) || items % group)
		return lane_error_usage(
			"atomics: %s: which kernel, how many work-items, how many of "
			"a group? (FILE.cl KERNEL ITEMS GROUP ARG...)",
			file);
	err = model_text_read(path, SOURCE_BYTES, &text);
	if (err)
		return err;
	drop_comments(text);
	arguments = arguments_of(text, words[0]);
	if (!arguments)
		return lane_error("%s: no kernel `%s' in it", file, words[0]);
	fprintf(to, "%s\n%s\n%llu 1 1\n%llu 1 1\n", path, words[0], (unsigned long long)items,
		(unsigned long long)group);
	return write_arguments(to, arguments, words + 3);
}

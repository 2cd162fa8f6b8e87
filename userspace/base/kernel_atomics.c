// SPDX-License-Identifier: MIT
// Which functions of a program for the device have atomic operations, or call one that has.
#include "base/kernel_atomics.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* --- who calls whom --- */

enum {
	NOBODY = UINT32_MAX
};

/* A function, a macro, or an entry point, which calls its function. */
struct atomics_caller {
	uint64_t key;	  /* by which it is called: SPIR-V's id, the hash of a name */
	const char *name; /* NULL: is not told */
	size_t n;
	bool has_atomics;
};

struct atomics_call {
	uint64_t key; /* of who is called */
	uint32_t by;  /* NOBODY, behind the first of a key: these were followed */
};

struct calls {
	struct atomics_caller *callers;
	struct atomics_call *calls;
	uint32_t n_callers, cap_callers, n_calls, cap_calls;
	uint32_t open; /* whose body is being read; NOBODY: none's */
	bool no_memory;
};

static void add_caller(struct calls *c, uint64_t key, const char *name, size_t n)
{
	struct atomics_caller *caller = LANE_APPEND(c->callers, c->n_callers, c->cap_callers);

	c->no_memory |= !caller;
	if (!caller)
		return;
	*caller = (struct atomics_caller){ key, name, n, false };
	c->open = c->n_callers - 1;
}

static void kernel_atomics_add_call(struct calls *c, uint64_t key)
{
	struct atomics_call *call =
		c->open == NOBODY ? NULL : LANE_APPEND(c->calls, c->n_calls, c->cap_calls);

	c->no_memory |= !call && c->open != NOBODY;
	if (call)
		*call = (struct atomics_call){ key, c->open };
}

static void add_atomic(struct calls *c)
{
	if (c->open != NOBODY)
		c->callers[c->open].has_atomics = true;
}

static int by_key(const void *a, const void *b)
{
	uint64_t left = ((const struct atomics_call *)a)->key,
		 right = ((const struct atomics_call *)b)->key;

	return (left > right) - (left < right);
}

/* The first call of that key, or of a larger one. */
static uint32_t first_call(const struct calls *c, uint64_t key)
{
	uint32_t low = 0, high = c->n_calls;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->calls[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those who call it have atomics, too: the new ones are put behind the n of todo. */
static uint32_t kernel_atomics_follow(struct calls *c, uint64_t key, uint32_t *todo, uint32_t n)
{
	for (uint32_t i = first_call(c, key); i < c->n_calls && c->calls[i].key == key; i++) {
		uint32_t by = c->calls[i].by;

		if (by == NOBODY) /* another one of this name was here */
			return n;
		c->calls[i].by = NOBODY;
		if (c->callers[by].has_atomics)
			continue;
		c->callers[by].has_atomics = true;
		todo[n++] = by;
	}
	return n;
}

/* Each caller is followed once, and each call, whatever circles they form. */
static void tell_and_free(struct calls *c, lane_atomics_found *found)
{
	uint32_t *todo = c->no_memory ? NULL : calloc(c->n_callers + 1, sizeof(*todo));
	uint32_t n = 0;

	for (uint32_t i = 0; todo && i < c->n_callers; i++)
		if (c->callers[i].has_atomics)
			todo[n++] = i;
	if (n && c->n_calls)
		qsort(c->calls, c->n_calls, sizeof(*c->calls), by_key);
	while (n) {
		uint32_t last = todo[--n];

		n = kernel_atomics_follow(c, c->callers[last].key, todo, n);
	}
	for (uint32_t i = 0; todo && i < c->n_callers; i++)
		if (c->callers[i].has_atomics && c->callers[i].name)
			found(c->callers[i].name, c->callers[i].n);
	free(todo);
	free(c->callers);
	free(c->calls);
}

/* --- SPIR-V --- */

enum {
	SPIRV_MAGIC = 0x07230203,
	SPIRV_HEADER = 5,      /* words */
	SPIRV_MODEL_KERNEL = 6 /* ExecutionModel */
};

/* The operations of the specification that are looked at, by number. */
enum {
	OP_ENTRY_POINT = 15,
	OP_FUNCTION = 54,
	OP_FUNCTION_END = 56,
	OP_FUNCTION_CALL = 57,
	OP_ATOMIC_EXCHANGE =
		229, /* up to OpAtomicXor all read and write; load and store are before */
	OP_ATOMIC_XOR = 242,
	OP_ATOMIC_FLAG_TEST_AND_SET = 318,
	OP_ATOMIC_FMIN = 5614, /* SPV_EXT_shader_atomic_float_min_max */
	OP_ATOMIC_FMAX = 5615,
	OP_ATOMIC_FADD = 6035, /* SPV_EXT_shader_atomic_float_add */
};

static uint32_t word_at(const char *code, size_t at)
{
	uint32_t word;

	memcpy(&word, code + at * sizeof(word), sizeof(word));
	return word;
}

static bool is_atomic_op(uint32_t op)
{
	return (op >= OP_ATOMIC_EXCHANGE && op <= OP_ATOMIC_XOR) ||
	       op == OP_ATOMIC_FLAG_TEST_AND_SET || op == OP_ATOMIC_FMIN || op == OP_ATOMIC_FMAX ||
	       op == OP_ATOMIC_FADD;
}

/* An entry point: its model, its function's id, its name. */
static void read_entry(struct calls *c, const char *code, size_t at, size_t words)
{
	const char *name = code + (at + 3) * sizeof(uint32_t);

	if (words < 4 || word_at(code, at + 1) != SPIRV_MODEL_KERNEL)
		return;
	add_caller(c, UINT64_MAX, name, strnlen(name, (words - 3) * sizeof(uint32_t)));
	kernel_atomics_add_call(c, word_at(code, at + 2));
	c->open = NOBODY;
}

void lane_atomics_of_spirv(const void *code, size_t size, lane_atomics_found *found)
{
	struct calls c = { .open = NOBODY };
	size_t end = size / sizeof(uint32_t), at = SPIRV_HEADER;

	if (end < SPIRV_HEADER || word_at(code, 0) != SPIRV_MAGIC)
		return;
	while (at < end) {
		uint32_t word = word_at(code, at), op = word & 0xffff;
		size_t words = word >> 16;

		if (!words || words > end - at)
			break;
		if (op == OP_ENTRY_POINT)
			read_entry(&c, code, at, words);
		else if (op == OP_FUNCTION && words == 5)
			add_caller(&c, word_at(code, at + 2), NULL, 0);
		else if (op == OP_FUNCTION_END)
			c.open = NOBODY;
		else if (op == OP_FUNCTION_CALL && words >= 4)
			kernel_atomics_add_call(&c, word_at(code, at + 3));
		else if (is_atomic_op(op))
			add_atomic(&c);
		at += words;
	}
	tell_and_free(&c, found);
}

/* --- OpenCL C --- */

/* Where in the text, and in what. Outside of bodies `name` is what may be a function's: the last
 * word before a parenthesis. */
struct text {
	struct calls calls;
	const char *at, *end;
	const char *name;
	size_t n;
	uint32_t braces, parens;
	uint32_t around; /* whose body a macro is defined in */
	bool is_macro;	 /* up to the line's end: a macro's body */
};

static bool kernel_atomics_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool kernel_atomics_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static uint64_t hash_of(const char *name, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3ull;
	return hash;
}

static bool kernel_atomics_is_same(const char *name, size_t n, const char *text)
{
	return strlen(text) == n && !memcmp(name, text, n);
}

/* What begins the name, which is cut by it. */
static bool kernel_atomics_begins(const char **name, size_t *n, const char *with)
{
	size_t length = strlen(with);

	if (*n < length || memcmp(*name, with, length) != 0)
		return false;
	*name += length;
	*n -= length;
	return true;
}

/* atomic_inc, atom_cmpxchg, atomic_fetch_add_explicit: not load, store, init, fences, types. A
 * program's own atomic_add_float or atom_max_radius has what its body has. */
static bool is_atomic(const char *name, size_t n)
{
	static const struct {
		const char *begin;
		bool goes_on; /* _add, _strong, _explicit */
	} changes[] = {
		{ "add", false },
		{ "sub", false },
		{ "inc", false },
		{ "dec", false },
		{ "xchg", false },
		{ "cmpxchg", false },
		{ "min", false },
		{ "max", false },
		{ "and", false },
		{ "or", false },
		{ "xor", false },
		{ "fetch", true },
		{ "exchange", true },
		{ "compare_exchange", true },
		{ "flag_test_and_set", true },
	};

	if (!kernel_atomics_begins(&name, &n, "atomic_") &&
	    !kernel_atomics_begins(&name, &n, "atom_"))
		return false;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *rest = name;
		size_t left = n;

		if (kernel_atomics_begins(&rest, &left, changes[i].begin) &&
		    (!left || (changes[i].goes_on && *rest == '_')))
			return true;
	}
	return false;
}

/* Behind the end of what is at `at` and ends in `end`. */
static void skip_past(struct text *t, const char *end)
{
	const char *found = memmem(t->at, (size_t)(t->end - t->at), end, strlen(end));

	t->at = found ? found + strlen(end) : t->end;
}

static void skip_quoted(struct text *t)
{
	char quote = *t->at++;

	while (t->at < t->end && *t->at != quote && *t->at != '\n')
		t->at += *t->at == '\\' && t->end - t->at > 1 ? 2 : 1;
	if (t->at < t->end)
		t->at++;
}

static size_t take_word(struct text *t, const char **name)
{
	*name = t->at;
	while (t->at < t->end && kernel_atomics_is_word(*t->at))
		t->at++;
	return (size_t)(t->at - *name);
}

/* Behind a declaration or a body. */
static void forget_name(struct text *t)
{
	t->name = NULL;
	t->n = 0;
}

static bool is_called(const struct text *t)
{
	const char *at = t->at;

	while (at < t->end && kernel_atomics_is_blank(*at))
		at++;
	return at < t->end && *at == '(';
}

static void read_word(struct text *t)
{
	const char *name;
	size_t n = take_word(t, &name);

	if (kernel_atomics_is_same(name, n, "kernel") ||
	    kernel_atomics_is_same(name, n, "__kernel")) {
		/* Braces that an #if and its #else have both are not closed: here they are. */
		if (!t->is_macro) {
			t->braces = t->parens = 0;
			t->calls.open = NOBODY;
			forget_name(t);
		}
	} else if (t->calls.open != NOBODY) {
		/* What is not called is a variable of that name. */
		if (!t->is_macro && !is_called(t))
			return;
		if (is_atomic(name, n))
			add_atomic(&t->calls);
		else
			kernel_atomics_add_call(&t->calls, hash_of(name, n));
	} else if (!t->braces && !t->parens && is_called(t) &&
		   !kernel_atomics_is_same(name, n, "__attribute__")) {
		t->name = name;
		t->n = n;
	}
}

/* A macro is one that is called; of other directives the line is passed over. */
static void read_directive(struct text *t)
{
	const char *name;
	size_t n;

	for (t->at++; t->at < t->end && (*t->at == ' ' || *t->at == '\t'); t->at++)
		;
	n = take_word(t, &name);
	if (!kernel_atomics_is_same(name, n, "define")) {
		skip_past(t, "\n");
		return;
	}
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
		t->at++;
	n = take_word(t, &name);
	t->around = t->calls.open;
	add_caller(&t->calls, hash_of(name, n), NULL, 0);
	t->is_macro = true;
}

static void end_line(struct text *t)
{
	if (t->is_macro)
		t->calls.open = t->around;
	t->is_macro = false;
}

/* What tells bodies from the rest; a macro's body is its line. */
static void read_bracket(struct text *t, char c)
{
	if (t->is_macro)
		return;
	if (c == '{' && !t->braces++ && t->name)
		add_caller(&t->calls, hash_of(t->name, t->n), t->name, t->n);
	else if (c == '}' && t->braces && !--t->braces)
		t->calls.open = NOBODY;
	if (!t->braces && (c == '}' || (c == ';' && !t->parens)))
		forget_name(t);
	if (c == '(' && !t->braces)
		t->parens++;
	else if (c == ')' && !t->braces && t->parens)
		t->parens--;
}

static void read_mark(struct text *t)
{
	char c = *t->at, next = t->end - t->at > 1 ? t->at[1] : '\0';

	if (c == '"' || c == '\'') {
		skip_quoted(t);
	} else if (c == '/' && next == '*') {
		t->at += 2;
		skip_past(t, "*/");
	} else if (c == '/' && next == '/') {
		while (t->at < t->end && *t->at != '\n')
			t->at++;
	} else if (c == '#' && !t->is_macro) {
		read_directive(t);
	} else {
		if (c == '\n')
			end_line(t);
		else
			read_bracket(t, c);
		/* A line that goes on: \ and its end, which may be two bytes. */
		t->at += c != '\\' ? 1 : next == '\r' ? 3 : 2;
		if (t->at > t->end)
			t->at = t->end;
	}
}

void lane_atomics_of_text(const char *text, size_t size, lane_atomics_found *found)
{
	struct text t = { .calls.open = NOBODY, .at = text, .end = text + size };

	while (t.at < t.end) {
		if (kernel_atomics_is_word(*t.at))
			read_word(&t);
		else
			read_mark(&t);
	}
	tell_and_free(&t.calls, found);
}

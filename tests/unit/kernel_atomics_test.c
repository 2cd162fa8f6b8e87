// SPDX-License-Identifier: MIT
// Which functions of a program have atomics, by its text and by SPIR-V that is made here; hostile
// ones.
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel_atomics.h"

/* The names that were told, a blank behind each. */
static char told[4096];

static void tell(const char *name, size_t n)
{
	size_t at = strlen(told);

	assert_true(at + n + 2 < sizeof(told));
	memcpy(told + at, name, n);
	memcpy(told + at + n, " ", 2);
}

/* Of memory of just that size: what is behind it must not be read. */
static void text_is(const char *text, const char *expected)
{
	size_t n = strlen(text);
	char *copy = malloc(n);

	memcpy(copy, text, n);
	told[0] = '\0';
	lane_atomics_of_text(copy, n, tell);
	free(copy);
	assert_string_equal(told, expected);
}

TEST(test_text)
{
	text_is("", "");
	text_is("kernel void a(global int *x) { atomic_inc(x); }"
		"kernel void b(global int *x) { x[0]++; }",
		"a ");
	/* all that changes memory, by any name */
	text_is("void a() { atom_cmpxchg(x, 1, 2); } void b() { atomic_fetch_add_explicit(x); }"
		"void c() { atomic_compare_exchange_weak(x); } void d() { atomic_xor(x, 1); }"
		"void e() { atomic_flag_test_and_set(x); }",
		"a b c d e ");
	text_is("void a() { atomic_load(x); atomic_store(x, 1); atomic_init(x, 1);"
		" atomic_work_item_fence(1); atomic_uint x; atomic_order y; mem_fence(1); }",
		"");
	/* a program's own names, and its variables */
	text_is("float atom_max_radius(int x) { return x; } void atomic_add_float(float x) {"
		" while (atomic_cmpxchg(p, 1, 2)); }"
		"kernel void a(int atom_min, int atom_max) { for (i = atom_min; i < atom_max; i++);"
		" atom_max_radius(1); }"
		"kernel void b() { atomic_add_float(1); }",
		"atomic_add_float b ");
	/* with what stands between a kernel's name and its body */
	text_is("__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\nvoid a (int x)\n"
		"__attribute__((vec_type_hint(int)))\n{\n\tif (x) { y; }\n\tatomic_add(p, x);\n}\n",
		"a ");
	text_is("KERNEL_FQ void a(ARGS(int)) { for (;;) { atomic_add(p, x); } }", "a ");
}

TEST(test_text_calls)
{
	text_is("void far(int x) { atomic_inc(p); } void near(int x) { far(x); }"
		"kernel void a() { near(1); } kernel void b() { other(1); }",
		"far near a ");
	/* whatever stands first, and in circles */
	text_is("void ping(); void pong() { ping(); } void ping() { pong(); atomic_inc(p); }"
		"void self() { self(); } kernel void a() { pong(); } kernel void b() { self(); }",
		"pong ping a ");
	text_is("#define ADD(p, v) atomic_add(p, v)\n#define TWO(p) \\\n  ADD(p, 1); \\\n  ADD(p, "
		"2)\n"
		"#define ALIAS ADD\n#define SUB(p) ((p)--)\n"
		"kernel void a() { ADD(p, 1); } kernel void b() { TWO(p); } "
		"kernel void c() { SUB(p); } kernel void d() { ALIAS(p, 1); }",
		"a b d ");
	/* a macro within a body is not the body's */
	text_is("kernel void a() {\n#define INC atomic_inc(p)\nx++;\n}\n"
		"kernel void b() {\nx++;\nINC;\n}\n#undef INC\n",
		"");
	text_is("#define INC() atomic_inc(p)\nkernel void b() { INC(); }", "b ");
}

TEST(test_text_marks)
{
	text_is("// atomic_inc(x) {\n/* void f() { atomic_inc(x); } */ kernel void a() { x; }", "");
	text_is("kernel void a() { printf(\"} atomic_inc(x) \\\" {\"); c = '{'; }"
		"kernel void b() { atomic_inc(x); }",
		"b ");
	text_is("#if atomic_inc(x)\n#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
		"constant int t[] = { f(1), 2 };\nstruct s { int x; };\n#endif\n"
		"kernel void a() { atom_inc(x); }",
		"a ");
	/* a brace too many, as where #if and #else both have one */
	text_is("#ifdef A\nvoid f(int x) {\n#else\nvoid f(float x) {\n#endif\n y; }\n"
		"kernel void a() { x; }\nkernel void b() { atomic_inc(x); }",
		"b ");
	/* cut anywhere */
	text_is("kernel void a() { atomic_inc(x", "a ");
	text_is("kernel void a() { atomic_inc", "");
	text_is("}}}})))) /* ", "");
	text_is("\"", "");
	text_is("#define", "");
	text_is("#", "");
	text_is("#define A \\", "");
	text_is("#define A \\\r", "");
	text_is("'\\", "");
	text_is("/", "");
}

/* --- SPIR-V --- */

static uint32_t words[512];
static size_t n_words;

static void begin(void)
{
	static const uint32_t header[] = { 0x07230203, 0x00010000, 0, 1000, 0 };

	memcpy(words, header, sizeof(header));
	n_words = 5;
}

#define OP(number, ...)                                                                            \
	put((number), (const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)
static void put(uint32_t op, const uint32_t *operands, size_t n)
{
	words[n_words++] = (uint32_t)(n + 1) << 16 | op;
	memcpy(words + n_words, operands, n * 4);
	n_words += n;
}

/* A kernel, its function's id, and a name of up to eleven bytes. */
static void entry(uint32_t id, const char *name)
{
	uint32_t operands[5] = { 6, id };

	memcpy(operands + 2, name, strlen(name));
	put(15, operands, 5);
}

static void function(uint32_t id)
{
	OP(54, 1, id, 0, 2);
}

static void end_function(void)
{
	words[n_words++] = 1u << 16 | 56;
}

static void call(uint32_t id)
{
	OP(57, 1, 900, id);
}

static void atomic(uint32_t op)
{
	OP(op, 1, 901, 902, 903, 904);
}

static void spirv_is(size_t size, const char *expected)
{
	/* also where words lie at odd places */
	char *copy = malloc(size + 1);

	memcpy(copy + 1, words, size);
	told[0] = '\0';
	lane_atomics_of_spirv(copy + 1, size, tell);
	free(copy);
	assert_string_equal(told, expected);
}

TEST(test_spirv)
{
	static const uint32_t changes[] = { 229, 234, 242, 318, 5614, 5615, 6035 };
	static const uint32_t others[] = { 227, 228, 243, 319, 65, 6036 };

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		begin();
		entry(10, "a");
		entry(11, "b");
		function(10);
		atomic(changes[i]);
		end_function();
		function(11);
		end_function();
		spirv_is(4 * n_words, "a ");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		begin();
		entry(10, "a");
		function(10);
		atomic(others[i]);
		end_function();
		atomic(234); /* in no function */
		spirv_is(4 * n_words, "");
	}
}

TEST(test_spirv_calls)
{
	begin();
	entry(10, "direct");
	entry(11, "far");
	entry(12, "circle");
	entry(13, "none");
	entry(99, "missing");
	function(10);
	call(20);
	end_function();
	function(11);
	call(21);
	end_function();
	function(12);
	call(12);
	call(22);
	end_function();
	function(13);
	call(23);
	end_function();
	function(21);
	call(20);
	end_function();
	function(22);
	call(12);
	end_function();
	function(23);
	call(23);
	call(99);
	end_function();
	function(20);
	atomic(232);
	end_function();
	spirv_is(4 * n_words, "direct far ");
}

TEST(test_spirv_hostile)
{
	size_t whole;

	begin();
	entry(10, "eleven__byt");
	function(10);
	atomic(234);
	end_function();
	whole = 4 * n_words;
	/* cut anywhere: as if the rest were not there */
	for (size_t size = 0; size < whole; size++)
		spirv_is(size, size / 4 >= n_words - 1 ? "eleven__byt " : "");
	/* a name without an end */
	memset(words + 8, 'x', 12);
	spirv_is(whole, "xxxxxxxxxxxx ");
	/* an operation of no words, and one that is longer than the rest */
	words[5] = 15;
	spirv_is(whole, "");
	words[5] = 0xffffu << 16 | 15;
	spirv_is(whole, "");
	begin();
	words[0] = 0x03022307;
	spirv_is(whole, "");
	spirv_is(0, "");
	/* entries and calls that are too short */
	begin();
	OP(15, 6, 10);
	OP(57, 1, 2);
	OP(54, 10);
	atomic(234);
	spirv_is(4 * n_words, "");
}

/* A chain of calls, the last of which has the atomic; each function is there twice. */
TEST(test_spirv_many)
{
	enum {
		FUNCTIONS = 20000,
		WORDS = 10 /* of a function with a call, at most */
	};
	uint32_t *code = calloc(32 + 2 * WORDS * FUNCTIONS, 4), *at = code;

	begin();
	entry(1, "a");
	for (uint32_t i = 0; i < 2 * FUNCTIONS; i++) {
		uint32_t id = 1 + i % FUNCTIONS;

		function(id);
		if (id < FUNCTIONS)
			call(id + 1);
		else
			OP(234, 1);
		end_function();
		memcpy(at, words, 4 * n_words);
		at += n_words;
		n_words = 0;
	}
	told[0] = '\0';
	lane_atomics_of_spirv(code, (size_t)(at - code) * 4, tell);
	assert_string_equal(told, "a ");
	free(code);
}

// SPDX-License-Identifier: MIT
// Writes a small file that means much work to standard output: `bombs NAME`.
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MIB 1048576u

struct bytes {
	uint8_t *at;
	size_t n, cap;
};

static void put(struct bytes *to, const void *from, size_t n)
{
	if (to->n + n > to->cap) {
		to->cap = 2 * (to->n + n);
		to->at = realloc(to->at, to->cap);
		if (!to->at)
			abort();
	}
	memcpy(to->at + to->n, from, n);
	to->n += n;
}

static void put_number(struct bytes *to, uint64_t value, size_t n)
{
	put(to, &value, n);
}

/* A text with the NUL behind it, where that is wanted. */
static void put_text(struct bytes *to, const char *text, size_t nul)
{
	put(to, text, strlen(text) + nul);
}

/* The same n times, at the end of which it is freed. */
static void repeat(struct bytes *to, struct bytes what, size_t n)
{
	while (n--)
		put(to, what.at, what.n);
	free(what.at);
}

static struct bytes of(const char *bytes, size_t n)
{
	struct bytes what = { 0 };

	put(&what, bytes, n);
	return what;
}
#define OF(text) of(text, sizeof(text) - 1)

static struct bytes packed(struct bytes what)
{
	struct bytes to = { 0 };

	to.cap = ZSTD_compressBound(what.n);
	to.at = malloc(to.cap);
	if (!to.at)
		abort();
	to.n = ZSTD_compress(to.at, to.cap, what.at, what.n, 1);
	free(what.at);
	return to;
}

/*
 * Keys of lane_table without a secret whose place in tables of up to 2^20 slots is `home`; of these
 * the nth, of 65536. With a = j << 20 the place is what bits 44 to 63 of j * K are: points of a
 * lattice, found by its short vectors.
 */
static uint64_t key_at(uint64_t home, uint64_t n)
{
	static __int128 u[2] = { 1, 0x9e3779b97f4a7c15 }, v[2] = { 0, (__int128)1 << 64 };
	long double x = ldexpl((n & 255) + 0.5L, 36),
		    y = ldexpl(home, 44) + ldexpl((n >> 8 & 255) + 0.5L, 36);
	long double det, i, k;

	while (u[1] > (__int128)1 << 32) { /* as Euclid does */
		__int128 q = v[1] / u[1], next[2] = { v[0] - q * u[0], v[1] - q * u[1] };

		memcpy(v, u, sizeof(v));
		memcpy(u, next, sizeof(u));
	}
	det = (long double)u[0] * v[1] - (long double)u[1] * v[0];
	i = roundl((x * v[1] - y * v[0]) / det);
	k = roundl((y * u[0] - x * u[1]) / det);
	return (uint64_t)((__int128)i * u[0] + (__int128)k * v[0]) << 20;
}

/* --- trace.dat and perf.data --- */

/* Of an event that is known, whose field has a type of so many words, and of others; where there
 * are many words, of it alone, again and again. */
static void put_formats(struct bytes *to, size_t n_others, size_t words)
{
	struct bytes known = { 0 }, all = { 0 }, other = { 0 };

	put_text(&known,
		 "name: sched_wakeup\nID: 9\nformat:\n\tfield:int "
		 "common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:",
		 0);
	repeat(&known, OF("a "), words);
	put_text(&known, "pid;\toffset:8;\tsize:4;\tsigned:1;\n", 0);
	put_number(&all, known.n, 8);
	repeat(&all, known, 1);
	put_number(&other, 8, 8);
	put_text(&other, "name: s\n", 0);
	put_number(to, 1, 4);
	put_text(to, "sched", 1);
	put_number(to, n_others + 1, 4);
	put(to, all.at, all.n);
	repeat(to, words > 1 ? all : other, n_others);
	free(words > 1 ? other.at : all.at);
}

static void put_pages(struct bytes *to)
{
	put_text(to, "header_page", 1);
	put_number(to, 0, 8);
	put_text(to, "header_event", 1);
	put_number(to, 0, 8);
}

static void put_section(struct bytes *to, uint16_t id, struct bytes what)
{
	size_t n = what.n;

	what = packed(what);
	put_number(to, id | 1 << 16, 8);
	put_number(to, what.n + 8, 8);
	put_number(to, what.n, 4);
	put_number(to, n, 4);
	repeat(to, what, 1);
}

/* Pages that hold nothing, options that lead to the section itself, or times to a section, and
 * formats. */
static void dat(struct bytes *to, size_t times, size_t formats, size_t words)
{
	struct bytes options = { 0 }, zeros = { calloc(64, MIB), 64 * MIB, 64 * MIB };
	uint64_t at;

	put(to, "\x17\x08\x44tracing7\0\0\x08", 14);
	put_number(to, 4096, 4);
	put(to,
	    "zstd\0"
	    "1.5",
	    9);
	at = to->n + 8;
	if (!times && !formats) { /* it names itself */
		put_number(to, at, 8);
		put_number(&options, 8ull << 16, 6);
		put_number(&options, at, 8);
		memcpy(zeros.at, options.at, options.n);
		put_section(to, 0, zeros);
		return;
	}
	put_number(to, 0, 8);
	if (formats) {
		free(zeros.at);
		zeros = (struct bytes){ 0 };
		put_formats(&zeros, formats, words);
	} else {
		struct bytes pages = { 0 };

		put_pages(&pages);
		memcpy(zeros.at, pages.at, pages.n);
	}
	put_section(to, formats ? 18 : 16, zeros);
	memcpy(to->at + at - 8, &to->n, 8);
	for (size_t i = 0; i < times + !times; i++) {
		put_number(&options, (formats ? 18 : 16) | 8ull << 16, 6);
		put_number(&options, at, 8);
	}
	put_number(&options, 8ull << 16, 6);
	put_number(&options, 0, 8);
	put_section(to, 0, options);
}

static void perf(struct bytes *to, size_t ids, size_t features, struct bytes records)
{
	struct bytes formats = { 0 };
	uint64_t attrs_at = 104 + 8 * ids, data_at = attrs_at + 128,
		 sections_at = data_at + records.n;
	uint64_t formats_at = sections_at + 16 * features, bits[4] = { 0 };

	put(&formats, "\x17\x08\x44tracing0.6\0\0\x08", 16);
	put_number(&formats, 4096, 4);
	put_pages(&formats);
	put_number(&formats, 0, 4);
	put_formats(&formats, 0, 1);
	put_text(to, "PERFILE2", 0);
	for (size_t i = 0; i < 256; i++)
		if (i && i <= features + (features > 23) && i != 24)
			bits[i / 64] |= 1ull << i % 64;
	for (const uint64_t *at = (uint64_t[]){ 104, 128, attrs_at, 128, data_at, records.n, 0, 0 },
			    *end = at + 8;
	     at < end; at++)
		put_number(to, *at, 8);
	put(to, bits, sizeof(bits));
	for (size_t i = 0; i < ids; i++)
		put_number(to, key_at(i / 65536, i), 8);
	put_number(to, 2 | 112ull << 32, 8);
	for (const uint64_t *at = (uint64_t[]){ 9, 1, 0x5c7, 4, 1ull << 18 }, *end = at + 5;
	     at < end; at++)
		put_number(to, *at, 8);
	for (size_t i = 48; i < 112; i += 8)
		put_number(to, 0, 8);
	put_number(to, 104, 8);
	put_number(to, 8 * ids, 8);
	repeat(to, records, 1);
	for (size_t i = 0; i < features; i++) {
		put_number(to, formats_at, 8);
		put_number(to, formats.n, 8);
	}
	repeat(to, formats, 1);
}

static void put_record(struct bytes *to, uint32_t type, struct bytes what)
{
	put_number(to, type, 6);
	put_number(to, what.n + 8, 2);
	repeat(to, what, 1);
}

/* Names of threads, each 65,000 times in a compressed record; between them rounds end. */
static struct bytes comms(size_t n)
{
	struct bytes records = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct bytes name = { 0 }, comm = { 0 }, all = { 0 };

		put_number(&name, (i + 1) * 0x100000001, 8);
		put_number(&name, 'a', 8);
		put_record(&comm, 3, name);
		repeat(&all, comm, 300000);
		put_number(&all, 68 | 8ull << 48, 8);
		put_record(&records, 81, packed(all));
	}
	return records;
}

/* --- Perfetto --- */

static void put_varint(struct bytes *to, uint64_t value)
{
	for (; value > 127; value >>= 7)
		put_number(to, (value & 127) | 128, 1);
	put_number(to, value, 1);
}

static void put_value(struct bytes *to, uint32_t number, uint64_t value)
{
	put_varint(to, number << 3);
	put_varint(to, value);
}

static void put_in(struct bytes *to, uint32_t number, struct bytes what)
{
	put_varint(to, number << 3 | 2);
	put_varint(to, what.n);
	repeat(to, what, 1);
}

/* what, n times in a message's field, that in another one, and so on. */
static struct bytes in(struct bytes what, size_t n, ...)
{
	va_list fields;
	struct bytes all = { 0 };

	repeat(&all, what, n);
	va_start(fields, n);
	for (int field; (field = va_arg(fields, int));) {
		struct bytes more = { 0 };

		put_in(&more, (uint32_t)field, all);
		all = more;
	}
	va_end(fields);
	return all;
}

static struct bytes bundle(uint64_t cpu, uint64_t ns)
{
	struct bytes event = { 0 }, all = { 0 };

	put_value(&event, 1, ns);
	put_in(&event, 17, OF("\x0a\1a\x10\1"));
	put_value(&all, 1, cpu);
	put_in(&all, 2, event);
	return in(all, 1, 1, 1, 0);
}

enum {
	PACKED = 133
};

/* A packed packet, n times. */
static void pf_packed(struct bytes *to, struct bytes what, size_t n)
{
	repeat(to, in(packed(what), 1, PACKED, 1, 0), n);
}

/* n packed packets, each of its own CPU, whose bundles come in turn. */
static void pf_turns(struct bytes *to, size_t n)
{
	for (size_t cpu = 0; cpu < n; cpu++) {
		struct bytes all = { 0 }, rest = { calloc(6, MIB), 6 * MIB, 6 * MIB };

		for (size_t i = 0; i < 2000; i++)
			repeat(&all, bundle(cpu, 1000000 + (i * n + cpu) * 1000), 1);
		repeat(&all, in(rest, 1, 900, 1, 0), 1);
		repeat(to, in(packed(all), 1, PACKED, 1, 0), 1);
	}
}

/* Bundles of n CPUs, each of an event and then of this; all of them are held at once. */
static void pf_held(struct bytes *to, struct bytes what, size_t n)
{
	for (size_t cpu = 1; cpu <= n; cpu++) {
		struct bytes all = { 0 };

		put_value(&all, 1, cpu);
		put_in(&all, 2, OF("\x08\5"));
		put(&all, what.at, what.n);
		repeat(to, in(packed(in(all, 1, 1, 1, 0)), 1, PACKED, 1, 0), 1);
	}
	free(what.at);
}

/* Data sources, each with bundles of so many CPUs. */
static void pf_parts(struct bytes *to, size_t sources, size_t cpus)
{
	for (size_t source = 0; source < sources; source++) {
		struct bytes all = { 0 };

		for (size_t cpu = 0; cpu < cpus; cpu++) {
			struct bytes events = { 0 }, packet = { 0 };

			put_value(&events, 1, cpu);
			put_in(&events, 2, OF("\x08\5"));
			put_value(&packet, 10, source + 1);
			put_in(&packet, 1, events);
			put_in(&all, 1, packet);
		}
		repeat(to, in(packed(all), 1, PACKED, 1, 0), 1);
	}
}

/* What describes an event to have so many members. */
static struct bytes described(size_t members)
{
	struct bytes all = in(OF("sched_switch"), 1, 1, 0), member = in(OF("s"), 1, 1, 0);

	put_value(&member, 3, 1);
	repeat(&all, in(member, 1, 2, 0), members);
	all = in(all, 1, 2, 0);
	put_value(&all, 1, 1000);
	return in(all, 1, 11, 0);
}

static void pf_members(struct bytes *to)
{
	for (uint8_t i = 0; i < 8; i++) {
		struct bytes all = described(700000);

		all.at[all.n - 1] += i; /* its number */
		pf_packed(to, in(all, 1, 1, 1, 0), 1);
	}
}

/* Packed packets in packed packets. */
static void pf_nested(struct bytes *to)
{
	struct bytes all = in(OF("\x12\2\x08\1"), 1, 1, 1, 0);

	for (int i = 0; i < 8; i++)
		all = in(packed(in(all, 1 + 4000 * (i < 3), 0)), 1, PACKED, 1, 0);
	repeat(to, all, 100);
}

/* --- all of them --- */

/* The numbers in a text are of an events' file: contexts of one place, or of places side by side
 * and then of the first. */
static void print_keys(int are_in_row)
{
	for (uint64_t i = 0; i < 120000; i++)
		printf("%llu\n",
		       (unsigned long long)(are_in_row && i < 60000 ? key_at(i, 0) : key_at(0, i)));
}

#define BOMBS(X)                                                                                   \
	X("dat-itself", dat(&to, 0, 0, 1))                                                         \
	X("dat-again", dat(&to, 70000, 0, 1))                                                      \
	X("dat-formats", dat(&to, 0, 4000000, 1))                                                  \
	X("dat-words", dat(&to, 0, 1000, 30000))                                                   \
	X("perf-ids", perf(&to, 262144, 1, OF("D\0\0\0\0\0\x8\0")))                                \
	X("perf-features", perf(&to, 0, 254, comms(1)))                                            \
	X("perf-records", perf(&to, 0, 1, comms(60)))                                              \
	X("pf-small", pf_packed(&to, in(in(OF("\x12\2\x08\1"), 1, 1, 1, 0), 1000000, 0), 8))       \
	X("pf-turns", pf_turns(&to, 6))                                                            \
	X("pf-turns-30", pf_turns(&to, 30))                                                        \
	X("pf-described", pf_packed(&to, in(described(0), 500000, 1, 1, 0), 8))                    \
	X("pf-members", pf_members(&to))                                                           \
	X("pf-nested", pf_nested(&to))                                                             \
	X("pf-processes",                                                                          \
	  pf_packed(&to, in(in(OF("\x08\1\x1a\1a"), 1, 1, 0), 800000, 2, 1, 0), 12))               \
	X("pf-lists", pf_held(&to, in(OF("\1"), 700000, 1, 4, 0), 16))                             \
	X("pf-names", pf_held(&to, in(OF("\x2a\0"), 2000000, 4, 0), 16))                           \
	X("pf-empty", pf_held(&to, in(OF("\x12\0"), 2000000, 0), 16))                              \
	X("pf-parts", pf_parts(&to, 64, 2048))                                                     \
	X("pf-asked", pf_packed(&to, in(OF("\x0a\1s"), 2000000, 100, 1, 2, 33, 1, 0), 8))          \
	X("pf-events", pf_packed(&to, in(OF("\x12\2\x08\5"), 1000000, 1, 1, 0), 12))               \
	X("keys-one-place", print_keys(0))                                                         \
	X("keys-in-row", print_keys(1))

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";
	struct bytes to = { 0 };

	if (!strncmp(name, "pf", 2))
		repeat(&to, bundle(0, 5), 1);
#define MAKE(is, make)                                                                             \
	if (!strcmp(name, is))                                                                     \
		make;
	BOMBS(MAKE)
	return (to.n && fwrite(to.at, 1, to.n, stdout) != to.n) || fflush(stdout);
}

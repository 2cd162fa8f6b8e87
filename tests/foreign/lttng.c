// SPDX-License-Identifier: MIT
// Writes one run of the scheduler's events as LTTng's kernel tracers of several versions and
// machines lay them out: a directory for each below the one that is named.
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	CPUS = 2,
	PACKETS = 3, /* of a stream */
	EVENTS = 60, /* of a packet */
	FIRST_NS = 5000000,
	SWITCH = 0,
	WAKEUP = 35, /* beyond what fits into a compact head */
	LOST = 5,    /* before the last CPU's last packet */
	METADATA_PACKET = 4096,
};

/*
 * Up to 2.7 packets have no number and no instance of their stream, and the clock's name no quotes.
 * Machines that cannot read unaligned numbers align them; many of those have longs of 32 bits.
 */
struct style {
	const char *name;
	unsigned int minor, patch;
	bool is_large, is_aligned, is_big;
	unsigned int long_bits;
};

static const struct style styles[] = {
	{ "2.6", 6, 3, true, false, false, 64 },
	{ "2.6-arm", 6, 0, true, true, false, 32 },
	{ "2.7-compact", 7, 1, false, false, false, 64 },
	{ "2.7-arm-compact", 7, 1, false, true, false, 32 },
	{ "2.8", 8, 0, false, false, false, 64 },
	{ "2.9-powerpc", 9, 4, false, false, true, 64 },
	{ "2.9-powerpc-large", 9, 4, true, false, true, 64 },
	{ "2.10", 10, 0, true, false, false, 64 },
	{ "2.11-arm", 11, 2, true, true, false, 32 },
	{ "2.12", 12, 5, false, false, false, 64 },
	{ "2.13", 13, 9, true, false, false, 64 },
	{ "2.14", 14, 0, false, false, false, 64 },
};

static const char uuid[16] = "gpulane's tests";

/* --- bits --- */

struct buffer {
	unsigned char *data;
	size_t n, room; /* bytes */
	bool is_big;
};

static void put_bytes(struct buffer *b, const void *data, size_t bytes)
{
	if (b->n + bytes > b->room) {
		b->room = 2 * (b->n + bytes);
		b->data = realloc(b->data, b->room);
		if (!b->data)
			abort();
	}
	if (data)
		memcpy(b->data + b->n, data, bytes);
	else
		memset(b->data + b->n, 0, bytes);
	b->n += bytes;
}

static void put(struct buffer *b, unsigned int bits, uint64_t value)
{
	unsigned char bytes[8];

	for (unsigned int i = 0; i < bits / 8; i++)
		bytes[b->is_big ? bits / 8 - 1 - i : i] = (unsigned char)(value >> 8 * i);
	put_bytes(b, bytes, bits / 8);
}

static void align(struct buffer *b, const struct style *style, unsigned int bits)
{
	if (style->is_aligned)
		put_bytes(b, NULL, (bits / 8 - b->n % (bits / 8)) % (bits / 8));
}

/* A number, aligned to itself where the machine wants it. */
static void put_aligned(struct buffer *b, const struct style *style, unsigned int bits,
			uint64_t value)
{
	align(b, style, bits);
	put(b, bits, value);
}

static void put_comm(struct buffer *b, const char *text)
{
	char comm[16] = "";

	snprintf(comm, sizeof(comm), "%s", text);
	put_bytes(b, comm, sizeof(comm));
}

/* --- a stream --- */

static bool has_numbers(const struct style *style)
{
	return style->minor >= 8;
}

static void put_event_head(struct buffer *b, const struct style *style, unsigned int id,
			   uint64_t ns, uint64_t before_ns)
{
	uint64_t mask = style->is_large ? UINT32_MAX : (1u << 27) - 1;
	bool is_short = ns - before_ns <= mask && (style->is_large || id < 31);

	align(b, style, style->is_large ? 16 : 32);
	if (style->is_large) {
		put(b, 16, is_short ? id : 65535);
		if (is_short)
			put_aligned(b, style, 32, ns & mask);
	} else if (is_short) {
		put(b, 32, b->is_big ? id << 27 | (ns & mask) : (ns & mask) << 5 | id);
	} else {
		put(b, 8, b->is_big ? 31 << 3 : 31);
	}
	if (is_short)
		return;
	/* what the id left of its byte is padding */
	align(b, style, 64);
	put_aligned(b, style, 32, id);
	put_aligned(b, style, 64, ns);
}

static void put_event(struct buffer *b, const struct style *style, unsigned int n, unsigned int cpu,
		      uint64_t ns, uint64_t before_ns)
{
	unsigned int id = n % 3 ? SWITCH : WAKEUP;
	int thread = 100 + (int)(n % 7);

	put_event_head(b, style, id, ns, before_ns);
	put_aligned(b, style, 32, (uint32_t)thread); /* the stream's context: tid, pid */
	put_aligned(b, style, 32, (uint32_t)thread / 2);
	put_comm(b, id == SWITCH ? "leaves" : "is woken");
	put_aligned(b, style, 32, (uint32_t)thread);
	put_aligned(b, style, 32, (uint32_t)(n % 2 ? 20 : -5));
	if (id == WAKEUP) {
		put_aligned(b, style, 32, cpu);
		return;
	}
	put_aligned(b, style, style->long_bits, n % 4 ? 1 : 0);
	put_comm(b, "a name of fifte");
	put_aligned(b, style, 32, 100 + (n + 1) % 7);
	put_aligned(b, style, 32, 20);
}

/* When the n-th event of a CPU is: some pauses are longer than a compact head's time. */
static uint64_t time_of(unsigned int n, unsigned int cpu)
{
	return FIRST_NS + cpu + (uint64_t)n * 1000000 + (uint64_t)(n / 20) * 200000000 +
	       (uint64_t)(n / 90) * 5000000000;
}

static void put_packet(struct buffer *b, const struct style *style, unsigned int cpu,
		       unsigned int packet, size_t packet_bytes)
{
	unsigned int first = packet * EVENTS;
	size_t at = b->n, content_at;
	struct buffer sizes = { .is_big = b->is_big };

	put(b, 32, 0xc1fc1fc1);
	put_bytes(b, uuid, sizeof(uuid));
	put_aligned(b, style, 32, 0);
	if (has_numbers(style))
		put_aligned(b, style, 64, cpu);
	put_aligned(b, style, 64, time_of(first, cpu));
	put_aligned(b, style, 64, time_of(first + EVENTS - 1, cpu));
	content_at = b->n;
	put_bytes(b, NULL, 16);
	if (has_numbers(style))
		put_aligned(b, style, 64, packet);
	put_aligned(b, style, style->long_bits,
		    cpu == CPUS - 1 && packet == PACKETS - 1 ? LOST : 0);
	put_aligned(b, style, 32, cpu);
	for (unsigned int i = 0; i < EVENTS; i++)
		put_event(b, style, first + i, cpu, time_of(first + i, cpu),
			  time_of(first + (i ? i - 1 : 0), cpu));
	put(&sizes, 64, (b->n - at) * 8);
	put(&sizes, 64, packet_bytes * 8);
	memcpy(b->data + content_at, sizes.data, sizes.n);
	free(sizes.data);
	if (b->n - at > packet_bytes)
		abort();
	put_bytes(b, NULL, packet_bytes - (b->n - at));
}

/* --- metadata --- */

__attribute__((format(printf, 2, 3))) static void say(struct buffer *b, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	put_bytes(b, text, (size_t)vsnprintf(text, sizeof(text), format, args));
	va_end(args);
}

static void say_types(struct buffer *b, const struct style *style)
{
	static const unsigned int sizes[] = { 8, 16, 32, 64 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		say(b,
		    "typealias integer { size = %u; align = %u; signed = false; } := uint%u_t;\n",
		    sizes[i], style->is_aligned ? sizes[i] : 8, sizes[i]);
	say(b,
	    "typealias integer { size = %u; align = %u; signed = false; } := unsigned long;\n"
	    "typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	    "typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n\n",
	    style->long_bits, style->is_aligned ? style->long_bits : 8);
}

static void say_trace(struct buffer *b, const struct style *style)
{
	say(b, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	for (size_t i = 0; i < sizeof(uuid); i++)
		say(b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
		    (unsigned char)uuid[i]);
	say(b,
	    "\";\n\tbyte_order = %s;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
	    "\t\tuint8_t  uuid[16];\n\t\tuint32_t stream_id;\n%s\t};\n};\n\n",
	    style->is_big ? "be" : "le",
	    has_numbers(style) ? "\t\tuint64_t stream_instance_id;\n" : "");
	say(b,
	    "env {\n\thostname = \"box\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
	    "\tkernel_release = \"4.14.0\";\n\tkernel_version = \"#1 SMP\";\n"
	    "\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n\ttracer_minor = %u;\n"
	    "\ttracer_patchlevel = %u;\n",
	    style->minor, style->patch);
	if (style->minor >= 11)
		say(b, "\ttrace_buffering_scheme = \"global\";\n\ttrace_name = \"x\";\n"
		       "\ttrace_creation_datetime = \"20200101T000000+0000\";\n");
	if (style->minor >= 12)
		say(b, "\tproduct_uuid = \"00000000-0000-0000-0000-000000000001\";\n");
	say(b,
	    "};\n\nclock {\n\tname = %s;\n\tuuid = \"0b000000-0000-4000-8000-00000000007e\";\n"
	    "\tdescription = \"Monotonic Clock\";\n\tfreq = 1000000000; /* Frequency, in Hz */\n"
	    "\t/* clock value offset from Epoch is: offset * (1/freq) */\n"
	    "\toffset = 1450192747804379176;\n};\n\n",
	    has_numbers(style) ? "\"monotonic\"" : "monotonic");
}

static void say_heads(struct buffer *b, const struct style *style)
{
	static const unsigned int sizes[] = { 27, 32, 64 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		say(b,
		    "typealias integer {\n\tsize = %u; align = %u; signed = false;\n"
		    "\tmap = clock.monotonic.value;\n} := uint%u_clock_monotonic_t;\n\n",
		    sizes[i],
		    sizes[i] == 27	? 1
		    : style->is_aligned ? sizes[i]
					: 8,
		    sizes[i]);
	say(b,
	    "struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n"
	    "\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n"
	    "\tuint64_t packet_size;\n%s\tunsigned long events_discarded;\n\tuint32_t "
	    "cpu_id;\n};\n\n",
	    has_numbers(style) ? "\tuint64_t packet_seq_num;\n" : "");
	say(b,
	    "struct event_header_%s {\n\tenum : uint%s_t { compact = 0 ... %u, extended = %u } "
	    "id;\n"
	    "\tvariant <id> {\n\t\tstruct {\n\t\t\tuint%s_clock_monotonic_t timestamp;\n"
	    "\t\t} compact;\n\t\tstruct {\n\t\t\tuint32_t id;\n"
	    "\t\t\tuint64_clock_monotonic_t timestamp;\n\t\t} extended;\n\t} v;\n} align(%u);\n\n",
	    style->is_large ? "large" : "compact", style->is_large ? "16" : "5",
	    style->is_large ? 65534 : 30, style->is_large ? 65535 : 31,
	    style->is_large ? "32" : "27",
	    !style->is_aligned ? 8
	    : style->is_large  ? 16
			       : 32);
}

/* A field as LTTng spells it out for each event. */
static void say_number(struct buffer *b, const struct style *style, unsigned int bits,
		       const char *name)
{
	say(b,
	    "\t\tinteger { size = %u; align = %u; signed = 1; encoding = none; base = 10; } _%s;\n",
	    bits, style->is_aligned ? bits : 8, name);
}

static void say_comm(struct buffer *b, const char *name)
{
	say(b,
	    "\t\tinteger { size = 8; align = 8; signed = 0; encoding = UTF8; base = 10; } "
	    "_%s[16];\n",
	    name);
}

static void say_events(struct buffer *b, const struct style *style)
{
	say(b,
	    "stream {\n\tid = 0;\n\tevent.header := struct event_header_%s;\n"
	    "\tpacket.context := struct packet_context;\n\tevent.context := struct {\n",
	    style->is_large ? "large" : "compact");
	say_number(b, style, 32, "tid");
	say_number(b, style, 32, "pid");
	say(b,
	    "\t};\n};\n\nevent {\n\tname = \"sched_switch\";\n\tid = %d;\n\tstream_id = 0;\n"
	    "\tfields := struct {\n",
	    SWITCH);
	say_comm(b, "prev_comm");
	say_number(b, style, 32, "prev_tid");
	say_number(b, style, 32, "prev_prio");
	say_number(b, style, style->long_bits, "prev_state");
	say_comm(b, "next_comm");
	say_number(b, style, 32, "next_tid");
	say_number(b, style, 32, "next_prio");
	say(b,
	    "\t};\n};\n\nevent {\n\tname = \"sched_wakeup\";\n\tid = %d;\n\tstream_id = 0;\n"
	    "\tfields := struct {\n",
	    WAKEUP);
	say_comm(b, "comm");
	say_number(b, style, 32, "tid");
	say_number(b, style, 32, "prio");
	say_number(b, style, 32, "target_cpu");
	say(b, "\t};\n};\n\n");
}

/* The text in packets of a fixed size, the last one padded. */
static void in_packets(struct buffer *to, const struct buffer *text)
{
	enum {
		HEAD = 37,
		ROOM = METADATA_PACKET - HEAD
	};
	static const unsigned char version[] = { 0, 0, 0, 1, 8 };

	for (size_t at = 0; at < text->n; at += ROOM) {
		size_t bytes = text->n - at < ROOM ? text->n - at : ROOM;

		put(to, 32, 0x75d11d57);
		put_bytes(to, uuid, sizeof(uuid));
		put(to, 32, 0); /* checksum */
		put(to, 32, (HEAD + bytes) * 8);
		put(to, 32, METADATA_PACKET * 8);
		put_bytes(to, version, sizeof(version));
		put_bytes(to, text->data + at, bytes);
		put_bytes(to, NULL, ROOM - bytes);
	}
}

static void write_file(const char *dir, const char *name, struct buffer *b)
{
	char path[1024];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	to = fopen(path, "w");
	if (!to || fwrite(b->data, 1, b->n, to) != b->n || fclose(to))
		abort();
	free(b->data);
}

static void write_trace(const char *root, const struct style *style)
{
	struct buffer text = { 0 }, metadata = { .is_big = style->is_big };
	char dir[512], name[32];

	snprintf(dir, sizeof(dir), "%s/%s", root, style->name);
	mkdir(dir, 0700);
	say_types(&text, style);
	say_trace(&text, style);
	say_heads(&text, style);
	say_events(&text, style);
	in_packets(&metadata, &text);
	free(text.data);
	write_file(dir, "metadata", &metadata);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		struct buffer stream = { .is_big = style->is_big };

		for (unsigned int packet = 0; packet < PACKETS; packet++)
			put_packet(&stream, style, cpu, packet, 8192);
		snprintf(name, sizeof(name), "channel0_%u", cpu);
		write_file(dir, name, &stream);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		write_trace(argv[1], &styles[i]);
	return 0;
}

// SPDX-License-Identifier: MIT
// Makes CTF traces of nobody's, damaged and hostile ones, each in a directory of its own below the
// one that is named; those that can be read have names that begin with `good`.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *root;

#define HEAD "/* CTF 1.8 */\n"
#define TYPES                                                                                      \
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"                                 \
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"                               \
	"typealias integer { size = 64; align = 8; } := uint64_t;\n"
#define CLOCK                                                                                      \
	"clock { name = \"monotonic\"; freq = 1000000000; };\n"                                    \
	"typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := when_t;\n"
#define TRACE                                                                                      \
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { "                \
	"uint32_t magic; }; };\n"
#define PACKET                                                                                     \
	"packet.context := struct { uint64_t packet_size; uint64_t content_size; "                 \
	"when_t timestamp_begin; when_t timestamp_end; };"
#define EVENTS(fields)                                                                             \
	"stream { " PACKET " event.header := struct { uint32_t id; when_t timestamp; }; };\n"      \
	"event { name = \"sched_wakeup\"; id = 0; fields := struct { " fields " }; };\n"
#define GOOD HEAD TYPES CLOCK TRACE EVENTS("uint32_t tid; uint32_t target_cpu;")

struct buffer {
	unsigned char *data;
	size_t n, room;
};

static void put(struct buffer *b, const void *data, size_t bytes)
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

static void put32(struct buffer *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static void put64(struct buffer *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

static void write_file(const char *trace, const char *name, const void *data, size_t bytes)
{
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, trace);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, trace, name);
	to = fopen(path, "w");
	if (!to || fwrite(data, 1, bytes, to) != bytes || fclose(to))
		abort();
}

/* The head of a packet that says these sizes, in bits. */
static void packet(struct buffer *b, uint64_t packet_bits, uint64_t content_bits)
{
	put32(b, 0xc1fc1fc1);
	put64(b, packet_bits);
	put64(b, content_bits);
	put64(b, 1000);
	put64(b, 2000);
}

/* A stream of one packet with n events of 8 bytes of payload, then `more` bytes of zeros. */
static struct buffer stream(unsigned int n, size_t more)
{
	struct buffer b = { 0 };
	uint64_t bits = 8 * (36 + 20 * (uint64_t)n);

	packet(&b, bits + 8 * more, bits);
	for (unsigned int i = 0; i < n; i++) {
		put32(&b, 0);
		put64(&b, 1000 + i);
		put32(&b, i);
		put32(&b, 0);
	}
	put(&b, NULL, more);
	return b;
}

static void trace(const char *name, const char *metadata, struct buffer b)
{
	write_file(name, "metadata", metadata, strlen(metadata));
	write_file(name, "stream", b.data ? b.data : (void *)"", b.n);
	free(b.data);
}

/* A packet of metadata of CTF MAJOR.8, whose head says `more` bytes of content than there are. */
static void metadata_packet(struct buffer *b, const char *metadata, size_t padding, char major,
			    uint32_t more)
{
	const char version[] = { 0, 0, 0, major, 8 };
	uint32_t content = 37 + (uint32_t)strlen(metadata);

	put32(b, 0x75d11d57);
	put(b, NULL, 16 + 4);
	put32(b, 8 * (content + more));
	put32(b, 8 * (content + (uint32_t)padding));
	put(b, version, sizeof(version));
	put(b, metadata, strlen(metadata));
	put(b, NULL, padding);
}

/* Metadata in packets, of which the last `cut` bytes are not in the file, and a good stream. */
static void in_packets(const char *name, struct buffer metadata, size_t cut)
{
	struct buffer b = stream(100, 0);

	write_file(name, "metadata", metadata.data, metadata.n - cut);
	write_file(name, "stream", b.data, b.n);
	free(metadata.data);
	free(b.data);
}

/* Metadata in one packet as LTTng writes them. */
static void packetized(const char *name, const char *metadata, size_t padding, size_t cut)
{
	struct buffer b = { 0 };

	metadata_packet(&b, metadata, padding, 1, 0);
	in_packets(name, b, cut);
}

/* Metadata in two packets: the first one's content goes into the second, which is good. */
static void overlapping(const char *name)
{
	struct buffer b = { 0 };

	metadata_packet(&b, GOOD, 0, 1, 8);
	metadata_packet(&b, "/* */\n", 0, 1, 0);
	in_packets(name, b, 0);
}

static void ctf2_in_a_packet(const char *name)
{
	struct buffer b = { 0 };

	metadata_packet(&b, "\x1e{\"type\": \"preamble\", \"version\": 2}\n", 0, 2, 0);
	in_packets(name, b, 0);
}

/* Packets of ten events each of a tracer, the numbers of lost events in their heads these. */
static void lost(const char *name, const char *tracer, const uint64_t *counts, size_t n)
{
	struct buffer b = { 0 };
	char metadata[2048];

	for (size_t i = 0; i < n; i++) {
		put32(&b, 0xc1fc1fc1);
		put64(&b, 8 * (48 + 20 * 10));
		put64(&b, 8 * (48 + 20 * 10));
		put64(&b, 1000 * (i + 1));
		put64(&b, 1000 * (i + 1) + 500);
		put64(&b, counts[i]);
		put32(&b, 3);
		for (unsigned int k = 0; k < 10; k++) {
			put32(&b, 0);
			put64(&b, 1000 * (i + 1) + 10 * k);
			put32(&b, k);
			put32(&b, 0);
		}
	}
	snprintf(metadata, sizeof(metadata),
		 HEAD TYPES CLOCK TRACE
		 "env { tracer_name = \"%s\"; };\n"
		 "stream { packet.context := struct { uint64_t packet_size; uint64_t content_size; "
		 "when_t timestamp_begin; when_t timestamp_end; uint64_t events_discarded; "
		 "uint32_t cpu_id; }; event.header := struct { uint32_t id; when_t timestamp; }; "
		 "};\n"
		 "event { name = \"sched_wakeup\"; id = 0; fields := struct { uint32_t tid; "
		 "uint32_t target_cpu; }; };\n",
		 tracer);
	trace(name, metadata, b);
}

/* What perf before Linux 4.3 converted: one stream for all CPUs, which each event says for itself.
 */
static void perf_of_one_stream(const char *name)
{
	enum {
		HEAD_BYTES = 4 + 4 * 8,
		EVENT_BYTES = 4 + 8 + 4 + 4 + 4 + 2 + 4 + 4,
		EVENTS = 100
	};
	struct buffer b = { 0 };

	packet(&b, 8 * (HEAD_BYTES + EVENTS * EVENT_BYTES),
	       8 * (HEAD_BYTES + EVENTS * EVENT_BYTES));
	for (unsigned int i = 0; i < EVENTS; i++) {
		put32(&b, 0);
		put64(&b, 1000 + i);
		put32(&b, 100 + i);
		put32(&b, 50 + i);
		put32(&b, i % 4);
		put(&b, "x", 2);
		put32(&b, 200 + i);
		put32(&b, i % 3);
	}
	trace(name,
	      HEAD TYPES CLOCK TRACE
	      "env { host = \"box\"; release = \"3.10.92\"; version = \"4.1.1\"; domain = "
	      "\"kernel\"; tracer_name = \"perf\"; };\n"
	      "stream { packet.context := struct { uint64_t packet_size; uint64_t content_size; "
	      "uint64_t timestamp_begin; uint64_t timestamp_end; }; "
	      "event.header := struct { uint32_t id; when_t timestamp; }; };\n"
	      "event { name = \"sched:sched_wakeup\"; id = 0; fields := struct { "
	      "uint32_t perf_tid; uint32_t perf_pid; uint32_t perf_cpu; string comm; uint32_t pid; "
	      "uint32_t target_cpu; }; };\n",
	      b);
}

/* Sizes of packets that lead nowhere: with the next packet where this one began, the reader never
 * ends. */
static void sizes(void)
{
	static const uint64_t bits[][2] = {
		{ 1, 1 },
		{ 7, 7 },
		{ 0, 0 },
		{ 8, 8 },
		{ 8, 288 },
		{ 288, 1 },
		{ 288, 1ull << 40 },
		{ 1ull << 63, 288 },
		{ UINT64_MAX, UINT64_MAX },
		{ 288, 0 },
	};
	char name[32];

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		struct buffer b = { 0 };

		packet(&b, bits[i][0], bits[i][1]);
		put(&b, NULL, 1 << 20);
		snprintf(name, sizeof(name), "size%zu", i);
		trace(name, GOOD, b);
	}
}

/* An event with a sequence that says to have so many elements. */
static void sequence(const char *name, const char *element, uint32_t length)
{
	char metadata[4096];
	struct buffer b = { 0 };

	snprintf(metadata, sizeof(metadata),
		 HEAD TYPES CLOCK TRACE EVENTS("uint32_t n; %s all[n];"), element);
	packet(&b, 8 << 20, 8 << 20);
	put32(&b, 0);
	put64(&b, 1000);
	put32(&b, length);
	put(&b, NULL, (1 << 20) - b.n);
	trace(name, metadata, b);
}

/* Metadata of one word many times. */
static void repeated(const char *name, const char *before, const char *word, size_t n)
{
	struct buffer b = { 0 };

	put(&b, before, strlen(before));
	for (size_t i = 0; i < n; i++)
		put(&b, word, strlen(word));
	write_file(name, "metadata", b.data, b.n);
	free(b.data);
	b = stream(10, 0);
	write_file(name, "stream", b.data, b.n);
	free(b.data);
}

/* Bytes changed in a good trace, and bytes of nothing. */
static void noise(void)
{
	uint64_t random = 88172645463325252ull;
	char name[32];

	for (int i = 0; i < 24; i++) {
		struct buffer b = stream(500, 100), m = { 0 };

		put(&m, GOOD, strlen(GOOD));
		for (int k = 0; k < 6; k++) {
			struct buffer *to = i % 3 ? &b : &m;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			to->data[random % (i % 2 ? to->n : 60)] = (unsigned char)(random >> 40);
		}
		snprintf(name, sizeof(name), "noise%d", i);
		write_file(name, "metadata", m.data, m.n);
		write_file(name, "stream", b.data, b.n);
		free(b.data);
		free(m.data);
	}
}

int main(int argc, char **argv)
{
	const struct buffer none = { 0 };
	struct buffer b = { 0 };

	if (argc != 2)
		return 2;
	root = argv[1];
	trace("good", GOOD, stream(100, 0));
	packetized("good-packet", GOOD, 4000, 0);
	packetized("good-packet-cut-in-padding", GOOD, 4000, 2000);
	packetized("good-packet-without-padding", GOOD, 4000, 4000);
	packetized("packet-cut-in-content", GOOD, 0, 20);
	overlapping("packet-with-more-than-itself");
	ctf2_in_a_packet("ctf2-packet");
	sizes();
	sequence("sequence-bytes", "uint8_t", UINT32_MAX);
	sequence("sequence-words", "uint64_t", UINT32_MAX);
	sequence("sequence-structs", "struct { uint64_t a; uint64_t b; }", 1u << 30);
	trace("array", HEAD TYPES CLOCK TRACE EVENTS("uint64_t all[4000000000];"),
	      stream(10, 1 << 19));
	trace("array-of-arrays",
	      HEAD TYPES CLOCK TRACE EVENTS("struct { uint8_t a[65536]; } b[65536];"),
	      stream(10, 1 << 19));
	/* Events that take no bit of their packet. */
	packet(&b, 8 << 20, 8 << 20);
	put(&b, NULL, 1 << 20);
	trace("events-of-nothing",
	      HEAD TYPES CLOCK TRACE "stream { " PACKET " };\nevent { name = \"sched_wakeup\"; "
				     "fields := struct { }; };\n",
	      b);
	/* A length in the event context, and an empty stream. */
	trace("context-sequence",
	      HEAD TYPES "trace { major = 1; minor = 8; byte_order = le; };\nstream { "
			 "packet.context := struct { uint8_t __n; uint8_t _some[ __n ]; }; "
			 "event.context := struct { uint8_t __n; uint8_t _some[ __n ]; }; };\n",
	      none);
	repeated("deep-structs", HEAD TYPES TRACE "event { name = \"x\"; fields := ", "struct { ",
		 100000);
	repeated("deep-blocks", HEAD, "{", 1000000);
	repeated("long-word", HEAD "trace { ", "a", 1000000);
	repeated("many-types", HEAD, "typealias integer { size = 8; } := t;\n", 20000);
	repeated("ctf2", "", "\x1e{\"type\": \"preamble\", \"version\": 2}\n", 1);
	repeated("empty-metadata", "", "", 0);
	lost("lost-count-goes-back", "another", (const uint64_t[]){ 0, 9, 4, 4, 6 }, 5);
	lost("lost-count-leaps", "another", (const uint64_t[]){ 0, 9, 9 + (1ull << 63), 9, 12 }, 5);
	lost("good-lttng-count-goes-back", "lttng-ust",
	     (const uint64_t[]){ 0, 9, 4, 4, 6, 12, 12, 12, 12, 12 }, 10);
	lost("lttng-count-leaps", "lttng-ust", (const uint64_t[]){ 0, 9, 9 + (1ull << 63), 9, 12 },
	     5);
	perf_of_one_stream("good-perf-of-one-stream");
	noise();
	return 0;
}

// SPDX-License-Identifier: MIT
// libFuzzer: a stream of a trace in LTTng's layout, and in perf's, its
// input. LTTng's metadata declare whatever the reader knows: compact heads, contexts,
// sequences, variants, structures.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decode.h"
#include "file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static struct trace {
	char dir[64];
	char stream[80];
} lttng, perf;

static const char lttng_text[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; } := uint64_t;\n"
	"typealias integer { size = 5; align = 1; } := uint5_t;\n"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; "
	"uint32_t stream_id; uint64_t stream_instance_id; }; };\n"
	"env { tracer_name = \"lttng-modules\"; tracer_major = 2; tracer_minor = 13; };\n"
	"clock { name = \"monotonic\"; freq = 1000000000; };\n"
	"typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := t27;\n"
	"typealias integer { size = 32; align = 8; map = clock.monotonic.value; } := t32;\n"
	"typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := t64;\n"
	"struct compact { enum : uint5_t { compact = 0 ... 30, extended = 31 } id; variant <id> { "
	"struct { t27 timestamp; } compact; struct { uint32_t id; t64 timestamp; } extended; } v; "
	"} "
	"align(8);\n"
	"struct large { enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id; variant "
	"<id> { "
	"struct { t32 timestamp; } compact; struct { uint32_t id; t64 timestamp; } extended; } v; "
	"} "
	"align(8);\n"
	"struct packet { t64 timestamp_begin; t64 timestamp_end; uint64_t content_size; uint64_t "
	"packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };\n"
	"stream { id = 0; event.header := struct compact; packet.context := struct packet; "
	"event.context := struct { integer { size = 32; align = 8; signed = 1; } _tid; integer { "
	"size = "
	"8; align = 8; encoding = UTF8; } _procname[17]; }; };\n"
	"stream { id = 1; event.header := struct large; packet.context := struct packet; };\n"
	"event { name = \"sched_switch\"; id = 0; stream_id = 0; fields := struct { integer { size "
	"= 8; "
	"align = 8; encoding = UTF8; } _prev_comm[16]; integer { size = 32; align = 8; signed = 1; "
	"} "
	"_prev_tid; integer { size = 64; align = 8; signed = 1; } _prev_state; string _next_comm; "
	"integer { size = 32; align = 32; signed = 1; byte_order = be; } _next_tid; }; };\n"
	"event { name = \"sched_wakeup\"; id = 1; stream_id = 0; fields := struct { uint16_t "
	"__comm_length; integer { size = 8; align = 8; encoding = UTF8; } _comm[ __comm_length ]; "
	"integer { size = 13; align = 1; } _tid; uint8_t _tail; }; };\n"
	"event { name = \"somebodys\"; id = 40; stream_id = 0; fields := struct { enum : uint8_t { "
	"a = "
	"0 ... 3, b = 4, c = 5 ... 255 } tag; variant <tag> { struct { uint32_t n; struct { string "
	"s; "
	"uint8_t m; uint64_t v[ m ]; } x[ n ]; } a; uint64_t b; integer { size = 3; align = 1; } "
	"c[5]; } "
	"v; floating_point { exp_dig = 8; mant_dig = 24; align = 32; } f; }; };\n"
	"event { name = \"sched_process_exit\"; id = 0; stream_id = 1; fields := struct { uint16_t "
	"_comm[12]; uint32_t _tid; }; };\n"
	"event { name = \"words\"; id = 1; stream_id = 1; fields := struct { uint64_t n; uint16_t "
	"_words[ n ]; string text[2]; }; };\n";

static const char perf_text[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; } := uint64_t;\n"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; "
	"}; "
	"};\n"
	"env { host = \"box\"; release = \"6.1.0\"; version = \"6.1\"; tracer_name = \"perf\"; };\n"
	"clock { name = perf_clock; freq = 1000000000; };\n"
	"typealias integer { size = 64; align = 8; map = clock.perf_clock.value; } := t64;\n"
	"stream { id = 0; event.header := struct { uint32_t id; t64 timestamp; } align(8); "
	"packet.context := struct { uint64_t timestamp_begin; uint64_t timestamp_end; uint64_t "
	"content_size; uint64_t packet_size; uint64_t events_discarded; } align(8); };\n"
	"event { name = \"sched:sched_switch\"; id = 0; stream_id = 0; fields := struct { integer "
	"{ "
	"size = 32; align = 1; signed = true; } perf_tid; integer { size = 32; align = 1; signed = "
	"true; } perf_pid; uint32_t perf_cpu; string prev_comm; integer { size = 32; align = 1; "
	"signed = true; } prev_pid; integer { size = 64; align = 1; signed = true; } prev_state; "
	"string next_comm; uint32_t next_pid; } align(8); };\n"
	"event { name = \"dma_fence:dma_fence_init\"; id = 1; stream_id = 0; fields := struct { "
	"string driver; string timeline; uint32_t context; uint32_t seqno; } align(8); };\n"
	"event { name = \"perf_comm\"; id = 2; stream_id = 0; fields := struct { uint32_t pid; "
	"string comm; }; };\n";

static void remove_trace(const struct trace *trace)
{
	char metadata[80];

	snprintf(metadata, sizeof(metadata), "%s/metadata", trace->dir);
	unlink(metadata);
	unlink(trace->stream);
	rmdir(trace->dir);
}

static void remove_traces(void)
{
	remove_trace(&lttng);
	remove_trace(&perf);
}

static void make_trace(struct trace *trace, const char *text)
{
	char metadata[80];
	FILE *to;

	fuzz_dir(trace->dir);
	snprintf(metadata, sizeof(metadata), "%s/metadata", trace->dir);
	snprintf(trace->stream, sizeof(trace->stream), "%s/c_0", trace->dir);
	to = fopen(metadata, "w");
	if (!to || fputs(text, to) < 0)
		abort();
	fclose(to);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	atexit(remove_traces);
	make_trace(&lttng, lttng_text);
	make_trace(&perf, perf_text);
	return 0;
}

static void read_trace(const struct trace *trace, const uint8_t *data, size_t bytes)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	unsigned int errors = 0;
	int fd = open(trace->stream, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
	err = decode_open(&lane_format_ctf, trace->dir, NULL, &decoder);
	if (err)
		abort(); /* its metadata are known */
	for (;;) {
		err = lane_format_ctf.next(decoder, &event);
		errors += err != NULL;
		lane_error_free(err);
		if (!err && !event)
			break;
	}
	/* One stream ends once, and complains once of its count of losses. */
	if (errors > 2)
		abort();
	decode_close(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	read_trace(&lttng, data, bytes);
	read_trace(&perf, data, bytes);
	return 0;
}

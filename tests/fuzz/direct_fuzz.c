// SPDX-License-Identifier: MIT
// libFuzzer: a stream of a trace in LTTng's layout, read without libbabeltrace2. The input is the
// stream; the metadata declare whatever the reader knows: compact heads, contexts, sequences,
// variants, structures.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/ctf_direct.h"
#include "file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char dir[64];
static char stream[80];

static const char metadata_text[] =
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

static void remove_dir(void)
{
	char metadata[80];

	snprintf(metadata, sizeof(metadata), "%s/metadata", dir);
	unlink(metadata);
	unlink(stream);
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char metadata[80];
	FILE *to;

	(void)argc;
	(void)argv;
	fuzz_dir(dir);
	atexit(remove_dir);
	snprintf(metadata, sizeof(metadata), "%s/metadata", dir);
	snprintf(stream, sizeof(stream), "%s/c_0", dir);
	to = fopen(metadata, "w");
	if (!to || fputs(metadata_text, to) < 0)
		abort();
	fclose(to);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	unsigned int errors = 0;
	int fd = open(stream, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
	err = lane_format_ctf_direct.open(dir, NULL, &decoder);
	if (err)
		abort(); /* its metadata are known */
	for (;;) {
		err = lane_format_ctf_direct.next(decoder, &event);
		errors += err != NULL;
		lane_error_free(err);
		if (!err && !event)
			break;
	}
	/* One stream ends once, and complains once of its count of losses. */
	if (errors > 2)
		abort();
	lane_format_ctf_direct.close(decoder);
	return 0;
}

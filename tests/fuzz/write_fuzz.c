// SPDX-License-Identifier: MIT
// libFuzzer: the CTF writer. The input says what is appended, lost and flushed; what was written
// has to be read again, and events and losses have to add up.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ctf.h"
#include "decode/decode.h"
#include "decode/known_names.h"
#include "file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum {
	CPUS = 2
};

static char dir[64];
static int dir_fd;

static void remove_trace(void)
{
	static const char *const names[] = { "bpf/metadata", "bpf/channel0_0", "bpf/channel0_1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(dir_fd, names[i], 0);
	unlinkat(dir_fd, "bpf", AT_REMOVEDIR);
}

static void remove_dir(void)
{
	remove_trace();
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	dir_fd = fuzz_dir(dir);
	atexit(remove_dir);
	return 0;
}

static void must(struct lane_error *err)
{
	if (err)
		abort();
}

/* Four bytes are a step: what, on which CPU, how much later. */
static void step(struct lane_ctf_stream **streams, const uint8_t *at, uint64_t *ns, uint64_t *lost)
{
	unsigned int cpu = at[0] >> 2 & 1;
	struct lane_event event;

	*ns += at[1];
	switch (at[0] & 3) {
	case 0:
		lost[cpu] += at[2];
		must(lane_ctf_lost(streams[cpu], lost[cpu], *ns));
		break;
	case 1:
		must(lane_ctf_flush(streams[cpu], *ns > at[2] ? *ns - at[2] : 0));
		break;
	default:
		decode_event_clear(&event, at[3] % LANE_LOST);
		memset(&event.u, at[2], sizeof(event.u));
		event.wire.ts_ns = *ns > at[2] ? *ns - at[2] : 0;
		must(lane_ctf_append(streams[cpu], &event.wire));
	}
}

static void read_again(uint64_t events, uint64_t lost)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	char path[80];

	snprintf(path, sizeof(path), "%s/bpf", dir);
	must(decode_open(&lane_format_ctf, path, NULL, &decoder));
	for (;;) {
		must(lane_format_ctf.next(decoder, &event));
		if (!event)
			break;
		if (event->wire.kind == LANE_LOST)
			lost -= event->u.gpulane_lost.count;
		else
			events--;
	}
	if (events || lost)
		abort();
	decode_close(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct lane_ctf_env env = { .kernel_release = "6.1.0", .begin_ns = 1000 };
	struct lane_ctf_stream *streams[CPUS];
	struct lane_ctf_trace *trace;
	uint64_t ns = 1000, lost[CPUS] = { 0 }, events, size, all_lost;

	remove_trace();
	must(lane_ctf_create(dir_fd, "bpf", &env, &trace));
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		must(lane_ctf_stream(trace, cpu, 4096, &streams[cpu]));
	for (size_t i = 0; i + 4 <= bytes; i += 4)
		step(streams, data + i, &ns, lost);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		must(lane_ctf_flush(streams[cpu], UINT64_MAX));
	lane_ctf_figures(trace, &events, &size, &all_lost);
	must(lane_ctf_close(trace));
	read_again(events, all_lost);
	return 0;
}

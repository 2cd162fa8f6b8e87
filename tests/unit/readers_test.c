// SPDX-License-Identifier: MIT
// The CTF reader, of our own traces, and the text format: the same events come out as went in;
// damage ends one stream.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctf.h"
#include "base/ctf_packet.h"
#include "decode/known_names.h"
#include "decode/lost_count.h"
#include "decode/decode.h"
#include "check.h"
#include "draw.h"

enum {
	CPUS = 3,
	EVENTS = 20000,
	FEW_EVENTS = 1500
};

/* An event of any kind with any content. */
static void draw_event(struct lane_event *event, uint64_t ns)
{
	const struct lane_kind_info *info;

	decode_event_clear(event, (int)draw(LANE_LOST));
	info = &lane_kinds[event->wire.kind];
	event->wire.ts_ns = ns;
	event->wire.tid = (int32_t)draw(1000) - 1;
	event->wire.pid = (int32_t)draw(1000) - 1;
	event->wire.origin = (uint32_t)draw(LANE_ORIGIN_COUNT);
	for (unsigned int i = 0; i < info->n_fields; i++) {
		char *at = (char *)&event->u + info->fields[i].offset;
		size_t size = info->fields[i].size;

		if (lane_type_is_text(info->fields[i].type))
			size = draw(size);
		for (size_t k = 0; k < size; k++)
			at[k] = (char)(lane_type_is_text(info->fields[i].type) ? 1 + draw(255)
									       : draw(256));
	}
}

/* Writes a trace of n events on CPUS CPUs, with losses. */
static void write_trace(int n)
{
	const struct lane_ctf_env env = { .hostname = "a \"host\" \\ of\tours",
					  .kernel_release = "6.1.0",
					  .clock_uuid = "2e68f7af-b6b5-4a43-ae94-1e4b62740e3f",
					  .epoch_offset_ns = 1700000000000000123,
					  .tracer = "bpf",
					  .begin_ns = 500 };
	struct lane_ctf_stream *streams[CPUS];
	struct lane_ctf_trace *trace;
	struct lane_event event;
	uint64_t lost[CPUS] = { 0 };
	uint64_t ns = 1000;

	check(lane_ctf_create(AT_FDCWD, "bpf", &env, &trace));
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		check(lane_ctf_stream(trace, cpu, 16 << 10, &streams[cpu]));
	for (int i = 0; i < n; i++) {
		ns += draw(300);
		draw_event(&event, ns);
		check(lane_ctf_append(streams[draw(CPUS)], &event.wire));
		if (draw((uint64_t)n / 10))
			continue;
		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			lost[cpu] += draw(3) ? 0 : draw(100);
			check(lane_ctf_lost(streams[cpu], lost[cpu], ns));
			check(lane_ctf_flush(streams[cpu], ns));
		}
	}
	check(lane_ctf_close(trace));
}

static unsigned int count_lines(const char *text, const char *with)
{
	unsigned int n = 0;

	for (text = strstr(text, with); text; text = strstr(text + 1, with))
		n++;
	return n;
}

/* Changes the metadata by sed. */
static void edit_metadata(const char *from, const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "sed -zi 's/%s/%s/' bpf/metadata", from, to);
	assert_int_equal(system(command), 0);
}

/* Events that lie as they do in memory are taken as they are; field by field they are the same. */
TEST_IN_FOLDER(both_ways)
{
	char *whole, *by_field;

	seed = 2; /* as many of sched_waking as of sched_wakeup would tell nothing below */
	write_trace(EVENTS);
	assert_ptr_equal(decode_format_probe("bpf"), &lane_format_ctf);
	whole = check_trace(&lane_format_ctf, "bpf", NULL);
	edit_metadata("int32_t _tid", "int32_t _vtid");
	by_field = check_trace(&lane_format_ctf, "bpf", NULL);
	assert_string_equal(whole, by_field);
	assert_non_null(strstr(whole, "info release 6.1.0\n"));
	assert_non_null(strstr(whole, "info epoch_offset_ns 1700000000000000123\n"));
	assert_non_null(strstr(whole, "info clock_uuid 2e68f7af-b6b5-4a43-ae94-1e4b62740e3f\n"));
	assert_int_equal(count_lines(whole, "\n") - count_lines(whole, "info ") - 1,
			 EVENTS + count_lines(whole, " gpulane_lost "));
	assert_true(count_lines(whole, " gpulane_lost ") > 2);
	free(by_field);
	/* An event is what the metadata call it, whatever its number. */
	edit_metadata("int32_t _vtid", "int32_t _tid");
	edit_metadata("\"sched_waking\"", "\"sched_wakeup_\"");
	edit_metadata("\"sched_wakeup\"", "\"sched_waking\"");
	edit_metadata("\"sched_wakeup_\"", "\"sched_wakeup\"");
	by_field = check_trace(&lane_format_ctf, "bpf", NULL);
	assert_int_not_equal(count_lines(whole, " sched_waking "),
			     count_lines(whole, " sched_wakeup "));
	assert_int_equal(count_lines(whole, " sched_waking "),
			 count_lines(by_field, " sched_wakeup "));
	free(whole);
	free(by_field);
}

/* Text that was written is read as the same events, and written as the same text. */
TEST_IN_FOLDER(text_and_back)
{
	char *once, *twice;

	seed = 2;
	write_trace(FEW_EVENTS);
	once = check_trace(&lane_format_ctf, "bpf", NULL);
	check_write("events.txt", once);
	assert_ptr_equal(decode_format_probe("events.txt"), &lane_format_text);
	twice = check_trace(&lane_format_text, "events.txt", NULL);
	/* The head says who wrote the text: skip to the events. */
	assert_string_equal(strstr(once, "info epoch_offset_ns"),
			    strstr(twice, "info epoch_offset_ns"));
	free(once);
	free(twice);
}

static void spoil(const char *name, off_t at, const void *bytes, size_t n)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "bpf/%s", name);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, bytes, n, at), n);
	close(fd);
}

static off_t file_bytes(const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "bpf/%s", name);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void find_stream(char *name, size_t bytes)
{
	FILE *from = popen("ls bpf | grep -v metadata | tail -n 1", "r");

	assert_non_null(fgets(name, (int)bytes, from));
	name[strcspn(name, "\n")] = '\0';
	pclose(from);
}

/* Events of the streams that are whole all come, in order, and the spoilt one's up to the damage.
 */
static void check_rest(const char *whole, const char *rest)
{
	char cpu[CPUS][8];
	unsigned int complete = 0;

	for (int i = 0; i < CPUS; i++) {
		unsigned int before, after;

		snprintf(cpu[i], sizeof(cpu[i]), " %d ", i);
		before = 0;
		after = 0;
		for (const char *at = strchr(whole, '\n'); at; at = strchr(at + 1, '\n')) {
			const char *column = strchr(at, ' ');

			before += column && !strncmp(column, cpu[i], 3);
		}
		for (const char *at = strchr(rest, '\n'); at; at = strchr(at + 1, '\n')) {
			const char *column = strchr(at, ' ');

			after += column && !strncmp(column, cpu[i], 3);
		}
		assert_true(after > 0 && after <= before);
		complete += after == before;
	}
	assert_int_equal(complete, CPUS - 1);
}

TEST_IN_FOLDER(damage)
{
	static const uint32_t kind = 60000;
	char *whole, *rest;
	unsigned int errors = 0;
	char name[64], path[128];

	seed = 3;
	write_trace(EVENTS);
	whole = check_trace(&lane_format_ctf, "bpf", NULL);
	find_stream(name, sizeof(name));

	/* The file is cut off in its middle, in the middle of a packet. */
	snprintf(path, sizeof(path), "bpf/%s", name);
	assert_int_equal(truncate(path, file_bytes(name) / 2 / 4096 * 4096 + 100), 0);
	rest = check_trace(&lane_format_ctf, "bpf", &errors);
	assert_int_equal(errors, 1);
	check_rest(whole, rest);
	free(rest);

	/* A packet's first event is of no kind. */
	errors = 0;
	spoil(name, 4096 + 88 + 8, &kind, sizeof(kind));
	rest = check_trace(&lane_format_ctf, "bpf", &errors);
	assert_int_equal(errors, 1);
	free(rest);

	/* The first packet's magic. */
	errors = 0;
	spoil(name, 0, "nonsense", 8);
	rest = check_trace(&lane_format_ctf, "bpf", &errors);
	assert_int_equal(errors, 1);
	free(rest);
	free(whole);
}

enum {
	MAX_PACKETS = 16,
	WRITTEN = 1000
};

/* The packets of a stream, as they were written. */
struct packets {
	struct lane_ctf_packet heads[MAX_PACKETS];
	off_t at[MAX_PACKETS];
	int events[MAX_PACKETS];
	int n;
	char stream[64];
};

/* Of an event of the kind that is written. */
static size_t stride(void)
{
	return (sizeof(struct lane_wire) + lane_kinds[LANE_EXEC].payload_bytes + 7) & ~(size_t)7;
}

/* A trace without losses: CPU 1 in a few packets, event N at 1000 + 10 N; one event of CPU 0
 * before. */
static void write_packets(void)
{
	const struct lane_ctf_env env = { .kernel_release = "6.1.0",
					  .tracer = "bpf",
					  .begin_ns = 500 };
	struct lane_ctf_stream *stream;
	struct lane_ctf_trace *trace;
	struct lane_event event;

	check(lane_ctf_create(AT_FDCWD, "bpf", &env, &trace));
	check(lane_ctf_stream(trace, 0, 2 * LANE_CTF_PAGE, &stream));
	decode_event_clear(&event, LANE_EXIT);
	event.wire.ts_ns = 700;
	check(lane_ctf_append(stream, &event.wire));
	check(lane_ctf_flush(stream, UINT64_MAX));
	check(lane_ctf_stream(trace, 1, 2 * LANE_CTF_PAGE, &stream));
	for (uint64_t i = 0; i < WRITTEN; i++) {
		decode_event_clear(&event, LANE_EXEC);
		event.wire.ts_ns = 1000 + 10 * i;
		check(lane_ctf_append(stream, &event.wire));
	}
	check(lane_ctf_flush(stream, UINT64_MAX));
	check(lane_ctf_close(trace));
}

static void find_packets(struct packets *packets)
{
	char path[128];
	off_t place = 0;
	int fd, sum = 0;

	find_stream(packets->stream, sizeof(packets->stream));
	snprintf(path, sizeof(path), "bpf/%s", packets->stream);
	fd = open(path, O_RDONLY);
	for (packets->n = 0; place < file_bytes(packets->stream); packets->n++) {
		struct lane_ctf_packet *head = &packets->heads[packets->n];

		assert_true(packets->n < MAX_PACKETS);
		assert_int_equal(pread(fd, head, sizeof(*head), place), sizeof(*head));
		assert_int_equal(head->magic, LANE_CTF_MAGIC);
		packets->at[packets->n] = place;
		packets->events[packets->n] =
			(int)((head->content_bits / 8 - sizeof(*head) + 7) / stride());
		sum += packets->events[packets->n];
		place += (off_t)(head->packet_bits / 8);
	}
	close(fd);
	assert_true(packets->n >= 5);
	assert_int_equal(sum, WRITTEN);
}

/* The stream without its packet i. */
static void remove_packet(const struct packets *packets, int i)
{
	const char *name = packets->stream;
	char command[400];

	snprintf(command, sizeof(command),
		 "cd bpf && { head -c %lld %s; tail -c +%lld %s; } >new && mv new %s",
		 (long long)packets->at[i], name, (long long)packets->at[i + 1] + 1, name, name);
	assert_int_equal(system(command), 0);
}

/* This loss is told, as the text format has it, and no other. */
static void tells(const char *loss, int n_events)
{
	char *text = check_trace(&lane_format_ctf, "bpf", NULL);

	if (!strstr(text, loss))
		fail_msg("no %s in %s", loss, text);
	assert_int_equal(count_lines(text, " gpulane_lost "), 1);
	assert_int_equal(count_lines(text, " sched_process_exec"), n_events);
	free(text);
}

/* A packet that is missing is a loss, of unknown size, between its neighbours. */
TEST_IN_FOLDER(missing_packet)
{
	struct packets packets;
	char loss[128];

	write_packets();
	find_packets(&packets);
	remove_packet(&packets, 2);
	snprintf(loss, sizeof(loss), " gpulane_lost count=0 begin_ns=%llu end_ns=%llu lost_cpu=1\n",
		 (unsigned long long)packets.heads[1].timestamp_end,
		 (unsigned long long)packets.heads[3].timestamp_begin);
	tells(loss, WRITTEN - packets.events[2]);
}

/* So is the first one: since the trace's first packet. */
TEST_IN_FOLDER(missing_first_packet)
{
	struct packets packets;
	char loss[128];

	write_packets();
	find_packets(&packets);
	remove_packet(&packets, 0);
	snprintf(loss, sizeof(loss), " gpulane_lost count=0 begin_ns=500 end_ns=%llu lost_cpu=1\n",
		 (unsigned long long)packets.heads[1].timestamp_begin);
	tells(loss, WRITTEN - packets.events[0]);
}

/* Where there is no more room two become one. If nobody knows the number of one, nobody knows that
 * of both. */
TEST(losses_that_become_one)
{
	struct lane_losses losses = { .n = 0 };

	for (uint64_t i = 0; i < LANE_LOSSES; i++)
		decode_losses_add(&losses, (struct lane_lost_time){ 5, 10 * i, 10 * i + 5 });
	decode_losses_add(&losses, (struct lane_lost_time){ 7, 50, 60 });
	assert_int_equal(losses.n, LANE_LOSSES);
	assert_int_equal(losses.loss[LANE_LOSSES - 1].count, 12);
	assert_int_equal(losses.loss[LANE_LOSSES - 1].end_ns, 60);
	decode_losses_add(&losses, (struct lane_lost_time){ 0, 70, 80 });
	assert_int_equal(losses.loss[LANE_LOSSES - 1].count, 0);
	decode_losses_add(&losses, (struct lane_lost_time){ 7, 90, 95 });
	assert_int_equal(losses.loss[LANE_LOSSES - 1].count, 0);
}

/* One event that a packet's head counts as lost: before the packet, or in it. */
TEST_IN_FOLDER(one_lost_event)
{
	static const uint64_t one = 1;
	struct packets packets;
	char loss[128];

	write_packets();
	find_packets(&packets);
	for (int i = 2; i < packets.n; i++)
		spoil(packets.stream,
		      packets.at[i] + (off_t)offsetof(struct lane_ctf_packet, events_discarded),
		      &one, sizeof(one));
	snprintf(loss, sizeof(loss), " gpulane_lost count=1 begin_ns=%llu end_ns=%llu lost_cpu=1\n",
		 (unsigned long long)packets.heads[1].timestamp_end,
		 (unsigned long long)packets.heads[2].timestamp_end);
	tells(loss, WRITTEN);
}

/* Nothing is read of a packet that is cut off, whatever of it is there. */
TEST_IN_FOLDER(cut_packet)
{
	struct packets packets;
	unsigned int errors = 0;
	char path[128], *text;

	write_packets();
	find_packets(&packets);
	snprintf(path, sizeof(path), "bpf/%s", packets.stream);
	assert_int_equal(truncate(path, file_bytes(packets.stream) - 8), 0);
	text = check_trace(&lane_format_ctf, "bpf", &errors);
	assert_int_equal(errors, 1);
	assert_int_equal(count_lines(text, " sched_process_exec"),
			 WRITTEN - packets.events[packets.n - 1]);
	free(text);
}

/* One nanosecond back is damage: nothing behind it is read. The same time once more is none. */
TEST_IN_FOLDER(time_goes_back)
{
	struct packets packets;

	write_packets();
	find_packets(&packets);
	for (int back = 0; back < 2; back++) {
		/* Event 5 of the third packet has the time of the one before, or is earlier. */
		const uint64_t ns = packets.heads[2].timestamp_begin + 40 - (uint64_t)back;
		unsigned int errors = 0;
		char *text;

		spoil(packets.stream,
		      packets.at[2] + (off_t)(sizeof(packets.heads[2]) + 5 * stride() +
					      offsetof(struct lane_wire, ts_ns)),
		      &ns, sizeof(ns));
		text = check_trace(&lane_format_ctf, "bpf", &errors);
		assert_int_equal(errors, back);
		assert_int_equal(count_lines(text, " sched_process_exec"),
				 back ? packets.events[0] + packets.events[1] + 5 : WRITTEN);
		free(text);
	}
}

/* A thread's number in its own namespace counts only where the trace has no other. */
TEST_IN_FOLDER(numbers_in_a_namespace)
{
	char *text;

	write_packets();
	/* The events' third field becomes a second number of the thread. */
	for (int own = 0; own < 2; own++) {
		edit_metadata(own ? "int32_t _tid" : "enum : uint32_t {[^}]*} _source",
			      own ? "int32_t _other" : "int32_t _vtid");
		text = check_trace(&lane_format_ctf, "bpf", NULL);
		assert_int_equal(count_lines(text, " 1 -/- "), own ? 0 : WRITTEN);
		assert_int_equal(count_lines(text, " 1 -/0 "), own ? WRITTEN : 0);
		free(text);
	}
}

/* A line may be as long as it is said to be, and no longer; reading goes on behind it. */
TEST_IN_FOLDER(long_lines)
{
	unsigned int errors = 0;
	char *text;
	FILE *to;

	to = fopen("text", "w");
	fprintf(to, "gpulane-events 1\n");
	fprintf(to, "100 0 1/1 - sched_wakeup tid=1%*s\n", 16383 - 31, "");
	fprintf(to, "#%*s\n", 16382, "");
	fprintf(to, "#%*s\n", 16383, "");
	fprintf(to, "#%*s\n", 700000, "");
	fprintf(to, "200 0 1/1 - sched_wakeup tid=2%c\n", 0);
	fprintf(to, "300 0 1/1 - sched_wakeup tid=3");
	fclose(to);
	text = check_trace(&lane_format_text, "text", &errors);
	assert_int_equal(errors, 3);
	assert_int_equal(count_lines(text, "sched_wakeup"), 2);
	free(text);
}

/* Events of a million lines are read in memory that does not grow: here, across many refills. */
TEST_IN_FOLDER(many_refills)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	uint64_t n = 0;
	FILE *to;

	to = fopen("text", "w");
	fprintf(to, "gpulane-events 1\n");
	for (int i = 0; i < 50000; i++)
		fprintf(to, "%d 0 1/1 - sched_wakeup tid=%d comm=\"thread %d\"\n", i, i, i);
	fclose(to);
	check(decode_open(&lane_format_text, "text", NULL, &decoder));
	for (;; n++) {
		check(lane_format_text.next(decoder, &event));
		if (!event)
			break;
		assert_int_equal(event->wire.ts_ns, n);
		assert_int_equal(event->u.sched_wakeup.tid, n);
	}
	assert_int_equal(n, 50000);
	decode_close(decoder);
}

/* Lines with a NUL byte, wherever in what is read at a time, are each told, and no others. */
TEST_IN_FOLDER(nul_bytes)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	int n = 0, bad = 0;
	FILE *to;

	to = fopen("text", "w");
	fprintf(to, "gpulane-events 1\n");
	for (int i = 0; i < 50000; i++) {
		fprintf(to, "%d 0 1/1 - sched_wakeup tid=%d", i, i);
		if (i % 1000 == 999) /* also two in a line, and at its end */
			fwrite("\0 \0", 1, i % 2000 == 999 ? 3 : 1, to);
		fprintf(to, "\n");
	}
	fwrite("#\0", 1, 2, to); /* the last line has no end */
	fclose(to);
	check(decode_open(&lane_format_text, "text", NULL, &decoder));
	for (;;) {
		struct lane_error *err = lane_format_text.next(decoder, &event);

		if (err) {
			assert_non_null(
				strstr(lane_error_message(err), "the line holds a NUL byte"));
			lane_error_free(err);
			bad++;
			continue;
		}
		if (!event)
			break;
		n++;
		assert_int_not_equal(event->wire.ts_ns % 1000, 999);
	}
	assert_int_equal(n, 50000 - 50);
	assert_int_equal(bad, 50 + 1);
	decode_close(decoder);
}

// SPDX-License-Identifier: MIT
// The CTF writer: order, losses, packets, what is left on a full disk; read back by babeltrace2.

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ctf.h"
#include "check.h"

static const struct lane_ctf_env env = {
	.hostname = "host \"quoted\"",
	.kernel_release = "6.1.0",
	.clock_uuid = "00000000-1111-2222-3333-444444444444",
	.epoch_offset_ns = 1700000000000000000,
};

struct record {
	struct lane_wire wire;
	union lane_payload u;
};

struct fixture {
	struct lane_ctf_trace *trace;
	struct lane_ctf_stream *stream;
	uint64_t base_ns; /* not before the streams were opened */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_int_equal(check_folder(state), 0);
	check(lane_ctf_create(AT_FDCWD, "trace", &env, &f->trace));
	check(lane_ctf_stream(f->trace, 1, 64 << 10, &f->stream));
	f->base_ns = now_ns() + 1000;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return check_no_folder(state);
}

static void append(struct fixture *f, uint64_t at, uint32_t seqno)
{
	struct record r = { .wire = { .ts_ns = f->base_ns + at,
				      .kind = LANE_RQ_ADD,
				      .tid = 7,
				      .pid = 6,
				      .origin = LANE_ORIGIN_TRACEPOINT },
			    .u.i915_request_add = { .ctx = 1ull << 40, .seqno = seqno } };

	check(lane_ctf_append(f->stream, &r.wire));
}

/* What babeltrace2 says of the trace: lines of events, whether it complained. */
static int count_lines(const char *pattern, bool *clean)
{
	char line[1024];
	int n = 0;
	FILE *from;

	from = popen("babeltrace2 trace 2>&1", "r");
	assert_non_null(from);
	while (fgets(line, sizeof(line), from))
		n += strstr(line, pattern) != NULL;
	*clean = pclose(from) == 0;
	return n;
}

static void assert_events(int n)
{
	bool clean;

	assert_int_equal(count_lines(" i915_request_add: ", &clean), n);
	assert_true(clean);
	assert_int_equal(count_lines("WARNING", &clean), 0);
}

TEST_IN(setup, teardown, empty_trace_is_readable)
{
	struct fixture *f = *state;

	check(lane_ctf_close(f->trace));
	assert_events(0);
}

TEST_IN(setup, teardown, records_come_back_as_they_were)
{
	struct fixture *f = *state;
	struct record r = {
		.wire = { .ts_ns = f->base_ns, .kind = LANE_SWITCH, .tid = 3, .pid = 2 },
		.u.sched_switch = { .prev_state = -1,
				    .prev_tid = 3,
				    .next_tid = 4,
				    .prev_comm = "a \"b\"",
				    .next_comm = "fifteen letters" }
	};
	bool clean;

	check(lane_ctf_append(f->stream, &r.wire));
	check(lane_ctf_close(f->trace));
	assert_int_equal(
		count_lines("sched_switch: { cpu_id = 1 }, { tid = 3, pid = 2, source = ( "
			    "\"unknown\" : container = 0 ) }, { prev_state = -1, prev_tid = 3, "
			    "prev_prio = 0, next_tid = 4, next_prio = 0, prev_comm = \"a "
			    "\\\"b\\\"\", next_comm = \"fifteen letters\" }",
			    &clean),
		1);
}

TEST_IN(setup, teardown, late_records_are_put_in_order)
{
	struct fixture *f = *state;
	uint64_t events, bytes, lost;

	for (uint32_t i = 0; i < 30000; i++) {
		append(f, i % 7 ? i * 10 - 25 * (i % 3) : i * 10, i);
		if (i % 100 == 0)
			check(lane_ctf_flush(f->stream, f->base_ns + (i > 20 ? i * 10 - 200 : 0)));
	}
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	lane_ctf_figures(f->trace, &events, &bytes, &lost);
	assert_int_equal(events, 30000);
	assert_int_equal(lost, 0);
	check(lane_ctf_close(f->trace));
	assert_events(30000);
}

TEST_IN(setup, teardown, what_comes_too_late_counts_as_lost)
{
	struct fixture *f = *state;
	uint64_t events, bytes, lost;

	append(f, 1000, 1);
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	append(f, 10, 2);
	append(f, 2000, 3);
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	lane_ctf_figures(f->trace, &events, &bytes, &lost);
	assert_int_equal(events, 2);
	assert_int_equal(lost, 1);
	check(lane_ctf_close(f->trace));
	assert_int_equal(count_lines("Tracer discarded 1 event", &(bool){ 0 }), 1);
}

TEST_IN(setup, teardown, losses_lie_between_two_looks)
{
	struct fixture *f = *state;
	bool clean;

	append(f, 1000, 1);
	check(lane_ctf_lost(f->stream, 0, f->base_ns + 2000));
	append(f, 3000, 2);
	check(lane_ctf_lost(f->stream, 5, f->base_ns + 4000));
	append(f, 5000, 3);
	check(lane_ctf_lost(f->stream, 5, f->base_ns + 6000));
	check(lane_ctf_flush(f->stream, f->base_ns + 6000));
	check(lane_ctf_lost(f->stream, 12, f->base_ns + 9000));
	check(lane_ctf_close(f->trace));
	assert_int_equal(count_lines("Tracer discarded 5 events", &clean), 1);
	assert_int_equal(count_lines("Tracer discarded 7 events", &clean), 1);
	assert_int_equal(count_lines(" i915_request_add: ", &clean), 3);
	assert_true(clean);
}

TEST_IN(setup, teardown, records_wait_for_the_flush)
{
	struct fixture *f = *state;
	uint64_t events, bytes, lost;

	for (uint32_t i = 0; i < 100000; i++)
		append(f, i, i);
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	lane_ctf_figures(f->trace, &events, &bytes, &lost);
	assert_int_equal(events, 100000);
	check(lane_ctf_close(f->trace));
	assert_events(100000);
}

TEST_IN(setup, teardown, unknown_kinds_are_refused)
{
	struct fixture *f = *state;
	struct lane_wire wire = { .ts_ns = f->base_ns, .kind = LANE_KIND_COUNT };

	check_error(lane_ctf_append(f->stream, &wire), "");
	check(lane_ctf_close(f->trace));
}

/* A file that may not grow fails like a full disk, in the middle of a packet. */
TEST_IN(setup, teardown, full_disk_leaves_what_was_written)
{
	struct fixture *f = *state;
	const struct rlimit limit = { .rlim_cur = 40 * 4096 + 777, .rlim_max = RLIM_INFINITY };
	const struct rlimit no_limit = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY };
	struct lane_error *err;
	uint64_t events, bytes, lost;
	char told[64];
	bool clean;

	for (uint32_t i = 0; i < 1000; i++)
		append(f, i, i);
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (uint32_t i = 1000; i < 5000; i++)
		append(f, i, i);
	err = lane_ctf_flush(f->stream, UINT64_MAX);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
	assert_non_null(err);
	assert_non_null(strstr(lane_error_message(err), "CPU 1"));
	lane_error_free(err);
	append(f, 5000, 5000);
	lane_ctf_figures(f->trace, &events, &bytes, &lost);
	assert_int_equal(bytes % 4096, 0);
	assert_int_equal(events + lost, 5001);
	assert_true(events >= 1000);
	check(lane_ctf_close(f->trace));
	assert_int_equal(count_lines(" i915_request_add: ", &clean), events);
	assert_true(clean);
	snprintf(told, sizeof(told), "Tracer discarded %" PRIu64 " events", lost);
	assert_int_equal(count_lines(told, &clean), 1);
}

/* The packets of the stream: how many, and how many of them have no event. */
static unsigned int count_packets(unsigned int *empty)
{
	uint64_t content, size;
	unsigned int n = 0;
	off_t at = 0;
	int fd;

	fd = open("trace/channel0_1", O_RDONLY);
	assert_true(fd >= 0);
	*empty = 0;
	while (pread(fd, &content, 8, at + 48) == 8) {
		assert_int_equal(pread(fd, &size, 8, at + 56), 8);
		*empty += content <= 84 * 8;
		at += (off_t)size / 8;
		n++;
	}
	close(fd);
	return n;
}

/* Trace Compass ends a stream at a packet without events: only a stream's first may be one. */
TEST_IN(setup, teardown, only_the_first_packet_has_no_events)
{
	struct fixture *f = *state;
	unsigned int empty;
	bool clean;

	check(lane_ctf_lost(f->stream, 2, f->base_ns + 500));
	append(f, 1000, 1);
	check(lane_ctf_lost(f->stream, 2, f->base_ns + 2000));
	check(lane_ctf_lost(f->stream, 7, f->base_ns + 3000));
	check(lane_ctf_flush(f->stream, f->base_ns + 3000));
	append(f, 4000, 2);
	check(lane_ctf_lost(f->stream, 7, f->base_ns + 5000));
	check(lane_ctf_lost(f->stream, 10, f->base_ns + 6000));
	check(lane_ctf_close(f->trace));
	assert_int_equal(count_packets(&empty), 6);
	assert_int_equal(empty, 1);
	assert_int_equal(count_lines(" i915_request_add: ", &clean), 2);
	assert_true(clean);
	assert_int_equal(count_lines(" gpulane_lost: { cpu_id = 1 }", &clean), 3);
	assert_int_equal(count_lines("Tracer discarded 2 events", &clean), 1);
	assert_int_equal(count_lines("Tracer discarded 5 events", &clean), 1);
	assert_int_equal(count_lines("Tracer discarded 3 events", &clean), 1);
}

/* All that came was too old: there is a packet that says so. */
TEST_IN(setup, teardown, losses_alone_have_a_packet)
{
	struct fixture *f = *state;
	struct record r = { .wire = { .ts_ns = 1, .kind = LANE_RQ_ADD } };
	unsigned int empty;

	check(lane_ctf_append(f->stream, &r.wire));
	check(lane_ctf_close(f->trace));
	assert_int_equal(count_packets(&empty), 2);
	assert_int_equal(empty, 1);
	assert_int_equal(count_lines("Tracer discarded 1 event", &(bool){ 0 }), 1);
}

/* What the writer that is killed in the tests below does: packets of one page, of many, a loss. */
static void write_a_lot(struct fixture *f)
{
	for (uint32_t i = 0; i < 30; i++)
		append(f, i, i);
	check(lane_ctf_lost(f->stream, 0, f->base_ns + 29));
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	for (uint32_t i = 30; i < 2200; i++)
		append(f, i, i);
	check(lane_ctf_lost(f->stream, 3, f->base_ns + 2200));
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	for (uint32_t i = 2200; i < 2800; i++)
		append(f, i, i);
	check(lane_ctf_close(f->trace));
}

/*
 * Runs write_a_lot in a process that is killed before its nth stop at a system call. True when it
 * was; false when it came to its end before that.
 */
static bool killed_at(struct fixture *f, unsigned int n)
{
	unsigned int stops = 0;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		write_a_lot(f);
		_exit(0);
	}
	for (;;) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			return false;
		}
		assert_true(WIFSTOPPED(status));
		if (stops++ == n) {
			kill(pid, SIGKILL);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			return true;
		}
		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
	}
}

/* The events that are there are the first ones, and babeltrace2 has nothing to say. */
static int assert_first_events(void)
{
	char line[1024];
	int n = 0;
	FILE *from;

	from = popen("babeltrace2 trace 2>complaints", "r");
	assert_non_null(from);
	while (fgets(line, sizeof(line), from)) {
		const char *seqno = strstr(line, "seqno = ");

		assert_non_null(seqno);
		assert_int_equal(atoi(seqno + strlen("seqno = ")), n++);
	}
	assert_int_equal(pclose(from), 0);
	assert_int_equal(system("! grep -v 'Tracer discarded 3 events' complaints"), 0);
	return n;
}

TEST_IN(setup, teardown, killed_at_any_system_call_it_is_readable)
{
	struct fixture *f = *state;
	char template[32];
	int before = 0, states = 0;
	unsigned int n = 0;

	while (killed_at(f, n++)) {
		int events = assert_first_events();

		assert_true(events >= before);
		states += events > before;
		before = events;
		/* Each writer begins anew. */
		check(lane_ctf_close(f->trace));
		snprintf(template, sizeof(template), "trace-%u", n);
		assert_int_equal(rename("trace", template), 0);
		check(lane_ctf_create(AT_FDCWD, "trace", &env, &f->trace));
		check(lane_ctf_stream(f->trace, 1, 64 << 10, &f->stream));
		f->base_ns = now_ns() + 1000;
	}
	assert_int_equal(assert_first_events(), 2800);
	assert_true(n > 20);
	assert_int_equal(states, 3);
	check(lane_ctf_close(f->trace));
}

/* A kill cuts a growing write at a page: every such length is a readable file. */
TEST_IN(setup, teardown, killed_while_it_grows_it_is_readable)
{
	struct fixture *f = *state;
	struct stat st;
	pid_t pid;
	int status;

	for (unsigned int pages = 2; pages < 28; pages++) {
		const struct rlimit limit = { .rlim_cur = pages * 4096, .rlim_max = RLIM_INFINITY };

		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			/* Past the limit, the signal kills. */
			signal(SIGXFSZ, SIG_DFL);
			setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
			setrlimit(RLIMIT_FSIZE, &limit);
			write_a_lot(f);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
		assert_int_equal(stat("trace/channel0_1", &st), 0);
		assert_int_equal(st.st_size, pages * 4096);
		assert_int_equal(assert_first_events(), 30);
		assert_int_equal(truncate("trace/channel0_1", 4096), 0);
	}
	check(lane_ctf_close(f->trace));
}

TEST_IN(setup, teardown, directory_and_files_are_private)
{
	struct fixture *f = *state;
	struct lane_ctf_trace *second = NULL;
	struct lane_error *err;
	struct stat st;

	assert_int_equal(stat("trace", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat("trace/metadata", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat("trace/channel0_1", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	err = lane_ctf_create(AT_FDCWD, "trace", &env, &second);
	assert_non_null(err);
	assert_null(second);
	lane_error_free(err);
	check(lane_ctf_close(f->trace));
}

/* A record of any kind with random bytes, and where it goes in time: forward, rarely back. */
static uint64_t random_record(struct record *r, uint64_t at, uint64_t floor)
{
	unsigned char *bytes = (unsigned char *)r;

	for (size_t i = 0; i < sizeof(*r); i++)
		bytes[i] = (unsigned char)rand();
	do
		r->wire.kind = (uint32_t)rand() % LANE_KIND_COUNT;
	while (r->wire.kind == LANE_LOST);
	r->wire.origin %= LANE_ORIGIN_COUNT;
	at += (uint64_t)rand() % 50;
	r->wire.ts_ns = at;
	if (rand() % 20 == 0)
		r->wire.ts_ns -= (uint64_t)rand() % 500;
	if (r->wire.ts_ns < floor)
		r->wire.ts_ns = floor;
	return at;
}

/*
 * Any mixture of records, looks at the losses and flushes: what is in the files and what is lost is
 * what came, and every packet keeps the rules (walked here, not by babeltrace2: names are garbage).
 */
struct walked {
	uint64_t events, lost, end_ns;
};

static void walk_packet(const unsigned char *at, const unsigned char *end, struct walked *walked)
{
	uint64_t ts_ns, last = 0, begin_ns, end_ns, lost;
	const unsigned char *p = at + 88;

	memcpy(&begin_ns, at + 32, 8);
	memcpy(&end_ns, at + 40, 8);
	memcpy(&lost, at + 72, 8);
	assert_true(begin_ns >= walked->end_ns && end_ns >= begin_ns && lost >= walked->lost);
	while (p < end) {
		uint32_t kind;

		memcpy(&ts_ns, p, 8);
		memcpy(&kind, p + 8, 4);
		assert_true(ts_ns >= begin_ns && ts_ns <= end_ns && ts_ns >= last);
		assert_true(kind < LANE_KIND_COUNT);
		last = ts_ns;
		walked->events += kind != LANE_LOST;
		p += sizeof(struct lane_wire) + lane_kinds[kind].payload_bytes;
		if (p < end)
			p += -(uintptr_t)(p - at) & 7;
	}
	assert_ptr_equal(p, end > at + 88 ? end : at + 88);
	walked->end_ns = end_ns;
	walked->lost = lost;
}

static struct walked walk(void)
{
	struct walked walked = { 0 };
	struct stat st;
	unsigned char *data;
	uint64_t seq = 0, in_file, content, size;
	int fd;

	fd = open("trace/channel0_1", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	data = malloc((size_t)st.st_size);
	assert_non_null(data);
	assert_int_equal(read(fd, data, (size_t)st.st_size), st.st_size);
	close(fd);
	for (off_t at = 0; at < st.st_size; at += (off_t)size / 8) {
		memcpy(&content, data + at + 48, 8);
		memcpy(&size, data + at + 56, 8);
		memcpy(&in_file, data + at + 64, 8);
		assert_true(size % (8 * 4096) == 0 && size && at + (off_t)size / 8 <= st.st_size);
		assert_true(content <= size);
		assert_int_equal(in_file, seq);
		assert_true(content > 88 * 8 || !seq);
		seq++;
		walk_packet(data + at, data + at + content / 8, &walked);
	}
	free(data);
	return walked;
}

TEST_IN(setup, teardown, random_histories_keep_the_sums)
{
	struct fixture *f = *state;
	uint64_t events, bytes, lost, tracer_lost = 0, floor, at;
	int came = 20000;
	struct walked walked;

	srand(1);
	at = floor = f->base_ns;
	for (int i = 0; i < came; i++) {
		struct record r;

		at = random_record(&r, at, floor);
		check(lane_ctf_append(f->stream, &r.wire));
		if (rand() % 300 == 0) {
			tracer_lost += rand() % 3 ? 0 : (uint64_t)rand() % 1000;
			check(lane_ctf_lost(f->stream, tracer_lost, at));
		}
		if (rand() % 500 == 0)
			check(lane_ctf_flush(f->stream, rand() % 4 ? at - (uint64_t)rand() % 1000
								   : UINT64_MAX));
	}
	check(lane_ctf_flush(f->stream, UINT64_MAX));
	lane_ctf_figures(f->trace, &events, &bytes, &lost);
	check(lane_ctf_close(f->trace));
	walked = walk();
	assert_int_equal(events, walked.events);
	assert_int_equal(lost, walked.lost);
	assert_int_equal(events + lost, (uint64_t)came + tracer_lost);
	assert_true(lost > tracer_lost && lost - tracer_lost < (uint64_t)came / 5);
}

/* Records in exactly the wrong order must not take the square of their number. */
TEST_IN(setup, teardown, reversed_records_are_sorted)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 50000; i++)
		append(f, 50000 - i, 50000 - i - 1);
	check(lane_ctf_close(f->trace));
	assert_int_equal(assert_first_events(), 50000);
}

/* A loss is told of an interval that ends where it was found, whatever else came meanwhile. */
TEST_IN(setup, teardown, losses_have_tight_bounds)
{
	struct fixture *f = *state;
	char line[1024];
	int told = 0;
	FILE *from;

	for (uint32_t i = 0; i < 3000; i++)
		append(f, i, i);
	check(lane_ctf_lost(f->stream, 0, f->base_ns + 3000));
	check(lane_ctf_flush(f->stream, f->base_ns + 2500));
	for (uint32_t i = 3100; i < 9000; i++)
		append(f, i, i);
	check(lane_ctf_lost(f->stream, 9, f->base_ns + 9500));
	append(f, 9999, 0);
	check(lane_ctf_close(f->trace));
	from = popen("babeltrace2 trace 2>&1 >/dev/null", "r");
	while (fgets(line, sizeof(line), from)) {
		const char *at = strstr(line, "between [");
		unsigned int h, m, sec;
		uint64_t begin, end;

		assert_non_null(strstr(line, "Tracer discarded 9 events"));
		assert_non_null(at);
		assert_int_equal(sscanf(at,
					"between [%u:%u:%u.%" SCNu64 "] and [%u:%u:%u.%" SCNu64 "]",
					&h, &m, &sec, &begin, &h, &m, &sec, &end),
				 8);
		assert_int_equal(begin, (f->base_ns + 3000) % 1000000000);
		assert_int_equal(end, (f->base_ns + 9500) % 1000000000);
		told++;
	}
	assert_int_equal(pclose(from), 0);
	assert_int_equal(told, 1);
}

// SPDX-License-Identifier: MIT
// Feeds what counts for a fleet (watch/fleet.h) with what is known beforehand.
//
//   feed recording RECORDING ROWS      the requests of a recording, as `gpulane report` has them
//   feed names N ROWS                  N requests of processes whose names are all different, among
//   those of one that
//                                      keeps its name; prints the greatest memory, KiB
//   feed serve ADDRESS SECONDS         100 requests a second and metrics, for so long or until
//   SIGTERM; prints `port P`, at the
//                                      end `requests N, cpu MS ms, worst MS ms, memory KiB KiB`;
//                                      worst: the longest between two requests
//   feed hosts N MINUTES ROWS TRUTH    N hosts, for so many minutes each; TRUTH is given what was
//   fed, a line for each process
//                                      and stage: process stage count ns
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/cleanup.h"
#include "session/session.h"
#include "watch/fleet.h"

#define EPOCH_NS 1750000020000000000ll /* a full minute */

static int fail(struct lane_error *err)
{
	fprintf(stderr, "feed: %s\n", lane_error_message(err));
	lane_error_free(err);
	return 1;
}

/* What all rows of these tests have. */
static struct lane_row row_of(const char *process, uint64_t end_ns, int64_t epoch_ns)
{
	struct lane_row row = { .what = LANE_ROW_REQUEST,
				.end_ns = end_ns,
				.epoch_ns = epoch_ns,
				.driver = "i915",
				.gpu = "card0",
				.engine = "rcs0",
				.process = process,
				.pid = -1,
				.cause = "",
				.culprit = "" };

	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		row.culprits[i] = "";
	return row;
}

static void set_stage(struct lane_row *row, enum lane_stage stage, uint64_t ns)
{
	row->stages.known |= (uint16_t)(1u << stage);
	row->stages.ns[stage] = timeline_span_exact(ns);
	row->total.lo += ns;
	row->total.hi += ns;
	row->total_known = true;
}

/* A recording's requests. */
struct from_recording {
	const struct lane_trace_info *info;
	struct lane_rows *rows;
	struct lane_error *err;
};

static void take_request(void *arg, const struct lane_request *rq)
{
	struct from_recording *from = arg;
	struct lane_row row = row_of("", 0, EPOCH_NS);

	if (from->err)
		return;
	latency_stages_of(from->info, rq, &row.stages);
	row.total = row.stages.total;
	row.total_known = row.stages.total_known;
	row.process = timeline_client_of(rq)->comm;
	from->err = from->rows->row(from->rows->arg, &row);
}

static struct lane_error *begin(void *arg, const struct lane_trace_info *info,
				struct lane_hooks *hooks)
{
	((struct from_recording *)arg)->info = info;
	hooks->arg = arg;
	hooks->request = take_request;
	return NULL;
}

static int feed_recording(const char *path, const char *rows_path)
{
	const struct lane_place place = { .path = (char *)path };
	const struct lane_fleet_config config = { .rows = rows_path, .host = "host" };
	struct lane_rows rows;
	struct from_recording from = { .rows = &rows };
	const struct session_listener listener = { .arg = &from, .begin = begin };
	struct session session = {
		.place = &place, .depth = SESSION_STORIES, .listeners = &listener, .n_listeners = 1
	};
	struct lane_error *err;

	err = watch_fleet_open(&config, &rows);
	if (err)
		return fail(err);
	session.select.to_ns = LANE_NEVER;
	err = session_read(&session);
	if (!err)
		err = from.err;
	session_deinit(&session);
	rows.close(rows.arg);
	return err ? fail(err) : 0;
}

static long memory_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* A generator of its own: the same everywhere. */
static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int feed_names(unsigned long n, const char *rows_path)
{
	const struct lane_fleet_config config = { .rows = rows_path, .host = "host" };
	struct lane_rows rows;
	struct lane_error *err;
	uint64_t state = 1;

	err = watch_fleet_open(&config, &rows);
	for (unsigned long i = 0; i < n && !err; i++) {
		int64_t epoch_ns = EPOCH_NS + (int64_t)(i * 200000);
		char name[16];
		struct lane_row row;

		snprintf(name, sizeof(name), "w%" PRIx64, next(&state) & 0xffffffff);
		row = row_of(i % 100 ? name : "compositor", i * 200000, epoch_ns);
		row.culprits[LANE_STAGE_HOST_QUEUE] = i % 100 ? "" : name;
		set_stage(&row, LANE_STAGE_HOST_QUEUE, 1000 + next(&state) % 1000000);
		set_stage(&row, LANE_STAGE_RUNNING, 1000 + next(&state) % 16000000);
		err = rows.row(rows.arg, &row);
	}
	if (err)
		return fail(err);
	rows.close(rows.arg);
	printf("%ld\n", memory_kib());
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
	(void)number;
	stopped = 1;
}

static int feed_served(const char *address, double seconds)
{
	const struct lane_fleet_config config = { .metrics = address,
						  .has_names = true,
						  .host = "host" };
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), end_ns, now_ns = begin_ns, due_ns = begin_ns;
	uint64_t worst_ns = 0, n = 0;
	struct lane_rows rows;
	struct lane_error *err = watch_fleet_open(&config, &rows);

	if (err)
		return fail(err);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_stop }, NULL);
	printf("port %u\n", watch_fleet_port(&rows));
	fflush(stdout);
	end_ns = begin_ns + (uint64_t)(seconds * 1e9);
	while (now_ns < end_ns && !stopped && !err) {
		struct pollfd wait = { .fd = rows.fd, .events = POLLIN };

		poll(&wait, 1, due_ns > now_ns ? (int)((due_ns - now_ns) / 1000000 + 1) : 0);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		err = rows.tick(rows.arg, now_ns, (int64_t)clock_ns(CLOCK_REALTIME), n);
		if (now_ns > due_ns && now_ns - due_ns > worst_ns)
			worst_ns = now_ns - due_ns;
		for (; due_ns <= now_ns && !err; due_ns += 10000000, n++) {
			char name[16];
			struct lane_row row;

			snprintf(name, sizeof(name), "p%u", (unsigned int)(n % 80));
			row = row_of(name, now_ns, (int64_t)clock_ns(CLOCK_REALTIME));
			for (int i = 0; i < LANE_STAGE_PATH; i++)
				set_stage(&row, (enum lane_stage)i, 1000 + n % 7 * 100000);
			err = rows.row(rows.arg, &row);
		}
	}
	rows.close(rows.arg);
	if (err)
		return fail(err);
	printf("requests %" PRIu64 ", cpu %" PRIu64 " ms, worst %" PRIu64 " ms, memory %ld KiB\n",
	       n, clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000000, worst_ns / 1000000, memory_kib());
	return 0;
}

/* The simulated hosts: who is there, and who delays whom. */
static const char *const programs[] = { "compositor", "browser", "video", "trainer", "backup-gpu" };
#define N_PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static const char *const kernels[] = { "6.1.0-56-amd64", "6.12.117-amd64", "7.3.4-amd64" };

static struct {
	uint64_t count, ns;
} fed[N_PROGRAMS][LANE_STAGE_COUNT + 1];

/* A request of a program: with the newest kernel it waits longer for the GPU; everything takes so
 * many times as long. */
static struct lane_row simulate(unsigned int program, unsigned int kernel, uint64_t times,
				uint64_t *state)
{
	struct lane_row row = row_of(programs[program], 0, 0);
	const char *by = programs[3 + next(state) % 2];

	row.engine = program == 2 ? "vcs0" : "rcs0";
	for (int i = 0; i < LANE_STAGE_PATH; i++) {
		uint64_t ns = times * 1000ull << next(state) % 11;

		if (i == LANE_STAGE_DEPENDENCY && next(state) % 2)
			continue;
		if (i == LANE_STAGE_PREEMPTED && next(state) % 8)
			continue;
		if (i == LANE_STAGE_HOST_QUEUE && program < 3) {
			ns += kernel == 2 ? 4000000 : 500000;
			row.culprits[i] = by;
		}
		ns += next(state) % (ns / 8 + 1);
		set_stage(&row, (enum lane_stage)i, ns);
		fed[program][i].count++;
		fed[program][i].ns += ns;
	}
	fed[program][LANE_STAGE_COUNT].count++;
	fed[program][LANE_STAGE_COUNT].ns += row.total.hi;
	row.cause = program < 3 ? "host_queue" : "running";
	row.culprit = program < 3 ? by : "";
	row.is_hit = next(state) % 1000 == 0;
	return row;
}

static struct lane_error *feed_host(unsigned int number, unsigned int minutes, const char *path)
{
	unsigned int kernel = number % 3, times = number % 97 == 5 ? 40 : 1;
	uint64_t state = 88172645463325252ull + number;
	char name[32];
	const struct lane_fleet_config config = { .rows = path,
						  .host = name,
						  .kernel = kernels[kernel] };
	struct lane_rows rows;
	struct lane_error *err;

	snprintf(name, sizeof(name), "host%05u", number);
	err = watch_fleet_open(&config, &rows);
	if (err)
		return err;
	for (unsigned int minute = 0; minute < minutes && !err; minute++)
		for (unsigned int i = 0; i < 300 && !err; i++) {
			int64_t epoch_ns = EPOCH_NS + minute * 60000000000ll + i * 199000000ll;
			struct lane_row row = simulate(i % N_PROGRAMS, kernel, times, &state);

			row.epoch_ns = epoch_ns;
			err = rows.row(rows.arg, &row);
			if (row.is_hit && !err)
				err = rows.hit(rows.arg,
					       &(struct lane_row_hit){ .of = row,
								       .limit_ns = 16000000,
								       .group_count = 1,
								       .recording = "",
								       .not_written = "rate" });
		}
	rows.close(rows.arg);
	return err;
}

static int feed_hosts(unsigned int n, unsigned int minutes, const char *path, const char *truth)
{
	LANE_CLEANUP(lane_fclose) FILE *to = fopen(truth, "w");

	if (!to)
		return 1;
	for (unsigned int i = 0; i < n; i++) {
		struct lane_error *err = feed_host(i, minutes, path);

		if (err)
			return fail(err);
	}
	for (unsigned int p = 0; p < N_PROGRAMS; p++)
		for (unsigned int s = 0; s <= LANE_STAGE_COUNT; s++)
			if (fed[p][s].count)
				fprintf(to, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n", programs[p],
					s < LANE_STAGE_COUNT ? lane_stage_names[s] : "total",
					fed[p][s].count, fed[p][s].ns);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "recording"))
		return feed_recording(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "names"))
		return feed_names(strtoul(argv[2], NULL, 10), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return feed_served(argv[2], strtod(argv[3], NULL));
	if (argc == 6 && !strcmp(argv[1], "hosts"))
		return feed_hosts((unsigned int)strtoul(argv[2], NULL, 10),
				  (unsigned int)strtoul(argv[3], NULL, 10), argv[4], argv[5]);
	return 2;
}

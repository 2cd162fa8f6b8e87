// SPDX-License-Identifier: MIT
// Counting for a fleet: bounded rows whose sums are all that was added, lines, requests of
// scrapers, cgroups.
#include "check.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/cleanup.h"
#include "watch/count.h"
#include "watch/fleet.h"
#include "watch/http.h"
#include "watch/metrics.h"
#include "watch/pipe_lines.h"
#include "watch/metrics_page.h"

static struct lane_counts *counts;

static int set_up(void **state)
{
	(void)state;
	assert_null(watch_counts_create(&counts));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	watch_counts_destroy(counts);
	return 0;
}

static struct lane_row request(const char *culprit, uint64_t ns)
{
	struct lane_row row = { .what = LANE_ROW_REQUEST,
				.driver = "i915",
				.gpu = "card0",
				.engine = "rcs0",
				.process = "",
				.cause = "host_queue",
				.culprit = culprit,
				.total = { ns, ns + 1 },
				.total_known = true };

	for (int i = 0; i < LANE_STAGE_COUNT; i++)
		row.culprits[i] = "";
	row.culprits[LANE_STAGE_HOST_QUEUE] = culprit;
	row.stages.known = 1u << LANE_STAGE_HOST_QUEUE;
	row.stages.unknown = 1u << LANE_STAGE_RUNNING;
	row.stages.ns[LANE_STAGE_HOST_QUEUE] = (struct lane_span){ ns, ns + 1 };
	return row;
}

static void add(const char *process, const char *culprit, uint64_t ns)
{
	const struct lane_row row = request(culprit, ns);

	assert_null(watch_counts_add(counts, &row, process));
}

/* What all rows of a stage have together, the buckets of their histograms included. */
static struct lane_count_sum all_of(unsigned int stage, uint64_t *in_buckets)
{
	const struct lane_count_row **rows;
	struct lane_count_sum sum = {};
	size_t n;

	*in_buckets = 0;
	assert_null(watch_counts_rows(counts, &rows, &n));
	for (size_t i = 0; i < n; i++) {
		if (rows[i]->key.stage != stage)
			continue;
		sum.count += rows[i]->minute.count;
		sum.bounded += rows[i]->minute.bounded;
		sum.unknown += rows[i]->minute.unknown;
		timeline_span_add(&sum.ns, rows[i]->minute.ns);
		for (uint32_t b = 0; b < rows[i]->n_buckets; b++) {
			*in_buckets += rows[i]->buckets[b].count;
			assert_true(!b || rows[i]->buckets[b - 1].slot < rows[i]->buckets[b].slot);
		}
	}
	free(rows);
	return sum;
}

static uint64_t count_of(const char *process, const char *culprit)
{
	const struct lane_count_row **rows;
	uint64_t count = 0;
	size_t n;

	assert_null(watch_counts_rows(counts, &rows, &n));
	for (size_t i = 0; i < n; i++)
		if (rows[i]->key.stage == LANE_COUNT_TOTAL &&
		    !strcmp(watch_count_name(counts, rows[i]->key.process), process) &&
		    !strcmp(watch_count_name(counts, rows[i]->key.culprit), culprit))
			count += rows[i]->minute.count;
	free(rows);
	return count;
}

TEST_IN(set_up, tear_down, few)
{
	struct lane_count_figures figures;
	struct lane_count_sum sum;
	uint64_t buckets;

	add("a", "b", 1000);
	add("a", "b", 3000);
	add("a", "", 5000);
	assert_int_equal(count_of("a", "b"), 2);
	assert_int_equal(count_of("a", ""), 1);
	sum = all_of(LANE_STAGE_HOST_QUEUE, &buckets);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.bounded, 3);
	assert_int_equal(sum.ns.lo, 9000);
	assert_int_equal(sum.ns.hi, 9003);
	assert_int_equal(buckets, 3);
	sum = all_of(LANE_STAGE_RUNNING, &buckets);
	assert_int_equal(sum.count, 0);
	assert_int_equal(sum.unknown, 3);
	watch_counts_figures(counts, &figures);
	assert_int_equal(figures.names, 2);
	assert_int_equal(figures.other, 0);
	watch_counts_next_minute(counts);
	assert_int_equal(count_of("a", "b"), 0);
	assert_int_equal(all_of(LANE_STAGE_HOST_QUEUE, &buckets).count, 0);
}

/* The page's histogram of all together: N values, i * STEP + 1 ns for each i below N. */
static void histogram_has(uint64_t n, uint64_t step)
{
	const struct lane_page_figures figures = {};
	uint64_t at[LANE_COUNT_STEPS] = {}, count;
	size_t bytes;
	char *text = watch_metrics_page(counts, &figures, "6.1", &bytes);
	unsigned int i = 0;

	assert_non_null(text);
	/* A row's steps come one after the other. */
	for (const char *line = text; (line = strstr(line, "stage=\"total\",le=\"")); line++) {
		assert_int_equal(sscanf(strchr(line, '}'), "} %" SCNu64, &count), 1);
		at[i++ % LANE_COUNT_STEPS] += count;
	}
	for (i = 0; i < LANE_COUNT_STEPS; i++) {
		uint64_t below = ((1ull << (10 + 2 * i)) - 2) / step + 1;

		assert_int_equal(at[i], below < n && i < LANE_COUNT_STEPS - 1 ? below : n);
	}
	free(text);
}

/* Names that come once each leave one that comes often its row, and all is counted. */
TEST_IN(set_up, tear_down, random_names)
{
	struct lane_count_figures figures;
	struct lane_count_sum sum;
	uint64_t buckets;
	char name[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		add(i % 50 ? name : "steady", i % 7 ? "" : name, (uint64_t)i * 977);
	}
	watch_counts_figures(counts, &figures);
	assert_int_equal(figures.names, LANE_COUNT_NAMES);
	assert_true(figures.rows <= LANE_COUNT_ROWS + 1);
	assert_true(figures.moved <= 64);
	sum = all_of(LANE_COUNT_TOTAL, &buckets);
	assert_int_equal(sum.count, 100000);
	assert_int_equal(buckets, 100000);
	assert_int_equal(sum.ns.lo, 977ull * 99999 * 100000 / 2);
	histogram_has(100000, 977);
	/* It found no room at first, and then it did. */
	assert_true(count_of("steady", "") > 1500);
	assert_true(count_of("other", "") > 70000);
}

/* All names are taken, each so many times. */
static void fill_names(int times)
{
	char name[32];

	for (int i = 0; i < LANE_COUNT_NAMES - 1; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		for (int n = 0; n < times; n++)
			add(name, "", 1000);
	}
	add("low", "", 1000);
}

/* A name that is given up is not one that the same thing has. */
TEST_IN(set_up, tear_down, names_of_one)
{
	fill_names(9);
	for (int i = 0; i < 3; i++)
		add("low", "new", 1000);
	assert_int_equal(count_of("low", "") + count_of("low", "other"), 4);
	assert_int_equal(count_of("new", "other") + count_of("new", "new"), 0);
}

/* Names that come once take nobody's place. */
TEST_IN(set_up, tear_down, once)
{
	struct lane_count_figures figures;
	char name[32];

	fill_names(9);
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "once%d", i);
		add(name, "", 1000);
	}
	watch_counts_figures(counts, &figures);
	assert_int_equal(figures.moved, 0);
	assert_int_equal(count_of("name0", ""), 9);
	assert_int_equal(count_of("other", ""), 60);
}

TEST_IN(set_up, tear_down, many_engines)
{
	const struct lane_count_engine *last;
	struct lane_count_figures figures;
	char engine[16];
	uint64_t buckets;

	for (int i = 0; i < 1000; i++) {
		struct lane_row row = request("", 1000);

		snprintf(engine, sizeof(engine), "ring%d", i);
		row.engine = engine;
		assert_null(watch_counts_add(counts, &row, "a"));
	}
	last = watch_count_engine(counts, LANE_COUNT_ENGINES - 1);
	assert_string_equal(last->engine, "ring62");
	assert_int_equal(all_of(LANE_COUNT_TOTAL, &buckets).count, 1000);
	watch_counts_figures(counts, &figures);
	assert_true(figures.rows < 3 * LANE_COUNT_ENGINES + 1);
}

TEST_IN(set_up, tear_down, page)
{
	const struct lane_page_figures figures = { .events = 7, .lost = 2 };
	size_t bytes;
	char *text;

	add("say \"a\\b\"", "b", 1000);
	text = watch_metrics_page(counts, &figures, "6.1", &bytes);
	assert_non_null(text);
	assert_int_equal(bytes, strlen(text));
	assert_non_null(
		strstr(text, "gpulane_info{kernel=\"6.1\",version=\"" GPULANE_VERSION "\"} 1\n"));
	assert_non_null(strstr(text, "\ngpulane_events_total 7\n"));
	assert_non_null(strstr(text, "process=\"say \\\"a\\\\b\\\"\""));
	assert_non_null(strstr(text, "stage=\"host_queue\",le=\"1.023e-06\"} 1\n"));
	assert_non_null(strstr(text, "stage=\"host_queue\"} 0.000001001\n"));
	assert_non_null(strstr(text, "cause=\"host_queue\",culprit=\"b\"} 0.000001001\n"));
	free(text);
}

/* What a scraper gets of the metrics at now_ns, CLOCK_MONOTONIC. */
static void scrape(const struct lane_rows *rows, uint64_t now_ns, uint64_t events, char *text,
		   size_t size)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					.sin_port = htons((uint16_t)watch_fleet_port(rows)) };
	static const char asks[] = "GET /metrics HTTP/1.1\r\n\r\n";
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = 0;
	ssize_t got = -1;

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(send(fd, asks, sizeof(asks) - 1, MSG_NOSIGNAL), sizeof(asks) - 1);
	/* The server never waits: it is asked until its answer is there and it has closed. */
	while (got) {
		assert_null(rows->tick(rows->arg, now_ns, 1, events));
		got = recv(fd, text + n, size - 1 - n, MSG_DONTWAIT);
		n += got > 0 ? (size_t)got : 0;
		assert_true(n < size - 1);
	}
	close(fd);
	text[n] = 0;
}

static void assert_metric(const char *text, const char *name, unsigned int value)
{
	char line[128];

	snprintf(line, sizeof(line), "\n%s %u\n", name, value);
	if (!strstr(text, line))
		fail_msg("no %s %u in %s", name, value, text);
}

/* Each metric goes on with what is counted; a page that is younger than a second is used again. */
TEST(metrics_go_on)
{
	const struct lane_fleet_config config = {
		.metrics = "0", .has_names = true, .host = "h", .kernel = "k"
	};
	static const char times[] =
		"gpulane_time_seconds_count{driver=\"i915\",gpu=\"card0\",engine=\"rcs0\","
		"process=\"a\",of=\"request\",stage=\"total\"}";
	struct lane_row row = request("b", 1000);
	struct lane_row_hit hit = { .recording = "", .not_written = "rate" };
	static char text[1 << 16];
	struct lane_rows rows;

	row.process = "a";
	hit.of = row;
	assert_null(watch_fleet_open(&config, &rows));
	for (unsigned int i = 1; i <= 3; i++) {
		uint64_t now_ns = i * LANE_METRICS_PAGE_NS;

		assert_null(rows.row(rows.arg, &row));
		assert_null(rows.hit(rows.arg, &hit));
		assert_null(rows.lost(rows.arg, 10, now_ns, 1));
		scrape(&rows, now_ns, 100 * i, text, sizeof(text));
		assert_metric(text, "gpulane_events_total", 100 * i);
		assert_metric(text, "gpulane_events_lost_total", 10 * i);
		assert_metric(text, "gpulane_losses_total", i);
		assert_metric(text, "gpulane_hits_total", i);
		assert_metric(text, "gpulane_scrapes_total", 2 * i - 2);
		assert_metric(text, times, i);
		scrape(&rows, now_ns + LANE_METRICS_PAGE_NS - 1, 100 * i + 1, text, sizeof(text));
		assert_metric(text, "gpulane_events_total", 100 * i);
	}
	rows.close(rows.arg);
}

/* Where names are not asked for, metrics have none: all processes count together. The rows, which
 * not everybody may read, have them. */
TEST_IN_FOLDER(metrics_name_nobody)
{
	const struct lane_fleet_config config = {
		.rows = "rows", .metrics = "0", .host = "h", .kernel = "k"
	};
	static const char times[] =
		"gpulane_time_seconds_count{driver=\"i915\",gpu=\"card0\",engine=\"rcs0\","
		"process=\"any\",of=\"request\",stage=\"total\"}";
	struct lane_row row = request("theirs", 1000);
	LANE_CLEANUP(lane_free) char *rows_text = NULL;
	static char text[1 << 16];
	struct lane_rows rows;

	assert_null(watch_fleet_open(&config, &rows));
	row.process = "mine";
	assert_null(rows.row(rows.arg, &row));
	row = request("mine", 1000);
	row.process = "mine";
	assert_null(rows.row(rows.arg, &row));
	row.process = "theirs";
	row.is_hit = true;
	assert_null(rows.row(rows.arg, &row));
	scrape(&rows, LANE_METRICS_PAGE_NS, 1, text, sizeof(text));
	assert_metric(text, times, 3);
	assert_null(strstr(text, "mine"));
	assert_null(strstr(text, "theirs"));
	assert_non_null(strstr(text, "cause=\"host_queue\",culprit=\"itself\"} 1\n"));
	assert_non_null(strstr(text, "cause=\"host_queue\",culprit=\"another\"} 2\n"));
	rows.close(rows.arg);
	rows_text = check_read("rows");
	assert_non_null(strstr(rows_text, "\"process\":\"mine\""));
	assert_non_null(strstr(rows_text, "\"culprit\":\"theirs\""));
}

static enum lane_http read_text(const char *text)
{
	return watch_http_read(text, strlen(text));
}

TEST(requests)
{
	static char large[LANE_HTTP_BYTES + 1];

	assert_int_equal(read_text("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"), LANE_HTTP_GET);
	assert_int_equal(read_text("GET /metrics?x=1 HTTP/1.0\n\n"), LANE_HTTP_GET);
	assert_int_equal(read_text("HEAD /metrics HTTP/1.1\r\n\r\n"), LANE_HTTP_HEAD);
	assert_int_equal(read_text("GET / HTTP/1.1\r\n\r\n"), LANE_HTTP_NOT_FOUND);
	assert_int_equal(read_text("GET /metricsx HTTP/1.1\r\n\r\n"), LANE_HTTP_NOT_FOUND);
	assert_int_equal(read_text("POST /metrics HTTP/1.1\r\n\r\n"), LANE_HTTP_METHOD);
	assert_int_equal(read_text("GET /metrics HTTP/2.0\r\n\r\n"), LANE_HTTP_VERSION);
	assert_int_equal(read_text("GET /metrics\r\n\r\n"), LANE_HTTP_BAD);
	assert_int_equal(read_text("\x16\x03\x01\x02"), LANE_HTTP_BAD);
	assert_int_equal(read_text("\r\n\r\n"), LANE_HTTP_BAD);
	assert_int_equal(read_text(""), LANE_HTTP_MORE);
	assert_int_equal(read_text("GET /metrics HTTP/1.1\r\nHost: a\r\n"), LANE_HTTP_MORE);
	memset(large, 'a', LANE_HTTP_BYTES);
	memcpy(large, "GET /", 5);
	assert_int_equal(watch_http_read(large, LANE_HTTP_BYTES - 1), LANE_HTTP_MORE);
	assert_int_equal(watch_http_read(large, LANE_HTTP_BYTES), LANE_HTTP_TOO_LARGE);
}

/* What was cut off by a kill is no line; who moves the file away gets a new one. */
TEST_IN_FOLDER(files)
{
	struct lane_pipe_lines *lines;

	check_write("rows", "one\ntwo\nthr");
	assert_null(watch_lines_open("rows", &lines));
	assert_true(watch_lines_add(lines, "three\n", 6));
	assert_null(watch_lines_write(lines));
	check_holds("rows", "one\ntwo\nthree\n");
	assert_int_equal(rename("rows", "moved"), 0);
	assert_true(watch_lines_add(lines, "four\n", 5));
	watch_lines_close(lines);
	check_holds("rows", "four\n");
}

/* Who moves the file away gets whole lines: the rest of one that is cut off, as where the disk is
 * full, goes behind its begin. */
TEST_IN_FOLDER(a_line_stays_in_its_file)
{
	struct lane_pipe_lines *lines;
	struct rlimit was, full;
	struct lane_error *err;

	assert_null(watch_lines_open("rows", &lines));
	assert_true(watch_lines_add(lines, "one\ntwo\n", 8));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	full = (struct rlimit){ 6, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	err = watch_lines_write(lines);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_non_null(err);
	lane_error_free(err);
	check_holds("rows", "one\ntw");
	assert_int_equal(rename("rows", "moved"), 0);
	assert_null(watch_lines_write(lines));
	check_holds("moved", "one\ntwo\n");
	assert_true(watch_lines_add(lines, "three\n", 6));
	watch_lines_close(lines);
	check_holds("rows", "three\n");
}

/* Rows that are told up to 50 s late: each minute comes once, in its order, and has what came. */
TEST_IN_FOLDER(minutes_come_once)
{
	const struct lane_fleet_config config = { .rows = "rows", .host = "h", .kernel = "k" };
	unsigned long minutes = 0, put = 0, count = 0, n;
	int64_t now = 1750000020, at, last = 0;
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_rows rows;

	assert_null(watch_fleet_open(&config, &rows));
	for (int i = 0; i < 600; i++, now++) {
		struct lane_row row = request("", 1000);

		assert_null(rows.tick(rows.arg, (uint64_t)i, now * 1000000000, 0));
		if (i % 60 == 30)
			assert_null(rows.lost(rows.arg, 2, (uint64_t)i, now * 1000000000));
		row.epoch_ns = (now - i % 7 * 8) * 1000000000;
		if (i % 7 * 8 > i) /* that was before it began */
			continue;
		assert_null(rows.row(rows.arg, &row));
		put++;
	}
	rows.close(rows.arg);
	text = check_read("rows");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		at = strtoll(strstr(line, "\"time\":") + 7, NULL, 10);
		if (strstr(line, "\"t\":\"minute\"")) {
			assert_true(at > last);
			assert_non_null(strstr(line, "\"lost\":2,\"losses\":1,"));
			last = at;
			minutes++;
		} else if (strstr(line, "\"stage\":\"total\"")) {
			n = strtoul(strstr(line, "\"count\":") + 8, NULL, 10);
			assert_true(n <= 60);
			count += n;
		}
	}
	assert_int_equal(minutes, 10);
	assert_int_equal(count, put);
}

/* A pipe that nobody reads is not waited for; what finds no room is left out as whole lines. */
TEST_IN_FOLDER(full_pipe)
{
	static char line[100000];
	struct lane_pipe_lines *lines;
	unsigned int n = 0;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_null(watch_lines_open("pipe", &lines));
	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	while (watch_lines_add(lines, line, sizeof(line))) {
		assert_null(watch_lines_write(lines));
		n++;
	}
	assert_between(n, 80, 90);
	watch_lines_close(lines);
}

TEST(cgroups)
{
	char name[LANE_CGROUP_TEXT];

	assert_true(lane_cgroup_name("0::/system.slice/x.service\n", "/none", name, sizeof(name)));
	assert_string_equal(name, "x.service");
	assert_true(lane_cgroup_name("1:cpu:/a\n0::/b", "/none", name, sizeof(name)));
	assert_string_equal(name, "b");
	assert_false(lane_cgroup_name("0::/\n", "/none", name, sizeof(name)));
	assert_false(lane_cgroup_name("1:cpu:/a\n", "/none", name, sizeof(name)));
	assert_true(lane_cgroup_name("0::/system.slice/docker-0123456789abcdef0123456789abcdef"
				     "0123456789abcdef0123456789abcdef.scope\n",
				     "/none", name, sizeof(name)));
	assert_string_equal(name, "docker-0123456789ab");
	assert_true(lane_cgroup_name(
		"0::/kubepods.slice/kubepods-burstable.slice/"
		"kubepods-burstable-pod11111111_2222_3333_4444_555555555555.slice/"
		"cri-containerd-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef."
		"scope\n",
		"/none", name, sizeof(name)));
	assert_string_equal(name, "pod-11111111/cri-containerd-0123456789ab");
	assert_true(lane_cgroup_name("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_3\n",
				     "/none", name, sizeof(name)));
	assert_string_equal(name, "job_7/step_0");
	assert_true(lane_cgroup_name("0::/system.slice/slurmstepd.scope/job_7\n", "/none", name,
				     sizeof(name)));
	assert_string_equal(name, "job_7");
	assert_true(
		lane_cgroup_name("0::/system.slice/slurmd.service\n", "/none", name, sizeof(name)));
	assert_string_equal(name, "slurmd.service");
	assert_false(lane_cgroup_name("", "/none", name, sizeof(name)));
}

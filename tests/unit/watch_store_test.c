// SPDX-License-Identifier: MIT
// The folder of a watch: files that are read as they were written, groups, what is written and what
// goes.
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "watch/settings.h"
#include "watch/writer.h"
#include "watch/socket.h"
#include "watch/escaped.h"

#define HOUR_NS 3600000000000ll

struct place {
	struct lane_store store;
	struct lane_history *history;
};

static void open_place(struct place *place, const struct lane_store_config *config)
{
	LANE_CLEANUP(lane_free) char *said = NULL;

	check(watch_history_create(&place->history));
	check(watch_store_open(&place->store, "store", false, place->history, &said));
	if (said)
		print_message("%s\n", said);
	place->store.config = *config;
}

static void close_place(struct place *place, bool saves)
{
	if (saves)
		check(watch_store_save(&place->store, place->history));
	watch_store_deinit(&place->store);
	watch_history_destroy(place->history);
}

static struct lane_hit hit_of(const char *culprit, uint64_t total_ns, int64_t epoch_ns)
{
	struct lane_hit hit = { .what = LANE_ROW_REQUEST,
				.epoch_ns = epoch_ns,
				.begin_ns = 1000,
				.end_ns = 1000 + total_ns,
				.total_ns = total_ns,
				.limit_ns = 1000000,
				.pid = 7,
				.process = "hist",
				.cause = "host_queue" };

	snprintf(hit.culprit, sizeof(hit.culprit), "%s", culprit);
	return hit;
}

/* What a writer does, with a file of that size. */
static void write_hit(struct place *place, struct lane_hit *hit, size_t bytes, int64_t now)
{
	LANE_CLEANUP(lane_free) char *zeros = calloc(1, bytes + 1);
	int fd, file;
	FILE *to;

	watch_store_number(&place->store, hit);
	check(watch_store_begin(&place->store, hit, &fd));
	file = openat(fd, "hit", O_WRONLY | O_CREAT | O_EXCL, 0600);
	to = fdopen(file, "w");
	watch_hit_save(hit, to);
	fclose(to);
	file = openat(fd, "data", O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(write(file, zeros, bytes), bytes);
	close(file);
	check(watch_store_complete(&place->store, hit, fd));
	close(fd);
	check(watch_store_add(&place->store, hit->number, now));
}

/* Counts it and writes it when it is to be; whether it was. */
static bool take(struct place *place, const char *culprit, uint64_t total_ns, int64_t now)
{
	struct lane_hit hit = hit_of(culprit, total_ns, now);
	struct lane_hits *group = watch_store_count(&place->store, &hit);

	if (!watch_store_wants(&place->store, group, &hit, 0, now))
		return false;
	write_hit(place, &hit, 4096, now);
	return true;
}

static const struct lane_store_config plenty = { .keep = 100,
						 .per_hour = 100,
						 .disk_bytes = 1ull << 30 };

TEST(words_are_words)
{
	static const char *const words[] = { "", "a", "a b", "%", "\n\t\x01", "\xc3\xa4%20", "x%" };
	LANE_CLEANUP(lane_free) char *text = NULL;
	const char *at;
	char word[16];
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	for (size_t i = 0; i < 7; i++)
		watch_words_put(to, words[i]);
	fclose(to);
	at = text;
	for (size_t i = 0; i < 7; i++) {
		assert_true(watch_words_get(&at, word, sizeof(word)));
		assert_string_equal(word, words[i]);
	}
	assert_false(watch_words_get(&at, word, sizeof(word)));
	for (const char *const *bad = (const char *const[]){ " %0", " %zz", " %00", " a\x01",
							     " 0123456789abcdef", NULL };
	     *bad; bad++) {
		at = *bad;
		assert_false(watch_words_get(&at, word, sizeof(word)));
	}
}

TEST(hits_are_read_again)
{
	struct lane_hit hit = hit_of("Xorg", 5000000, 1700000000000000000), again;
	LANE_CLEANUP(lane_free) char *text = NULL, *line = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	hit.number = 12;
	hit.ctx = UINT64_MAX;
	hit.seqno = UINT32_MAX;
	hit.known = 1u << LANE_STAGE_RUNNING;
	hit.stages[LANE_STAGE_RUNNING] = 3;
	strcpy(hit.text, "swap\x1b[1m \"");
	watch_hit_save(&hit, to);
	fclose(to);
	assert_true(watch_hit_load(&again, text));
	assert_memory_equal(&again, &hit, sizeof(hit));
	/* Cut anywhere it is none. */
	for (size_t n = 0; n < bytes; n++) {
		char *part = strndup(text, n);

		assert_false(watch_hit_load(&again, part));
		free(part);
	}
	to = open_memstream(&line, &bytes);
	watch_hit_print(to, &hit);
	fclose(to);
	assert_string_equal(line,
			    "2023-11-14T22:13:20.000Z request 18446744073709551615:4294967295 "
			    "\"swap.[1m \"\" of hist[7]: 5.00 ms, the limit was 1.00 ms; "
			    "host_queue by Xorg");
}

/* Of a group the worst and the latest are kept, and a count. */
TEST_IN_FOLDER(groups_keep_two)
{
	struct place place;
	const struct lane_hits *group;
	int64_t now = 1000 * HOUR_NS;
	unsigned int written = 0;

	open_place(&place, &plenty);
	for (int i = 0; i < 10000; i++)
		written += take(&place, "Xorg", 2000000 + (uint64_t)(i * 7919 % 1000), now + i);
	/* Ever worse ones are written, others again after an hour. */
	assert_between(written, 2, 20);
	assert_true(take(&place, "Xorg", 2000000, now + 2 * HOUR_NS));
	assert_int_equal(place.store.n_kept, 2);
	assert_int_equal(place.store.kept[0].hit.total_ns, 2000999);
	assert_int_equal(place.store.kept[1].hit.total_ns, 2000000);
	group = watch_store_group(&place.store, &place.store.kept[0].hit);
	assert_int_equal(group->count, 10001);
	assert_true(take(&place, "stress", 2000000, now + 2 * HOUR_NS));
	assert_int_equal(place.store.n_kept, 3);
	close_place(&place, true);
}

/* What is known leaves room for what is new; the hour's number is kept after a restart, too. */
TEST_IN_FOLDER(an_hour_has_so_many)
{
	const struct lane_store_config five = { .keep = 100, .per_hour = 5, .disk_bytes = 1 << 30 };
	int64_t now = 1000 * HOUR_NS;
	unsigned int written = 0;
	struct place place;
	char culprit[16];

	open_place(&place, &five);
	for (int i = 0; i < 100; i++)
		written += take(&place, "Xorg", 2000000 + (uint64_t)i, now + i);
	assert_int_equal(written, 3);
	for (int i = 0; i < 10; i++) {
		close_place(&place, true);
		open_place(&place, &five);
		snprintf(culprit, sizeof(culprit), "c%d", i);
		written += take(&place, culprit, 2000000, now + 1000 + i);
	}
	assert_int_equal(written, 5);
	/* A clock that was set back an hour does not stop it for ever; nor does one set forward. */
	assert_true(take(&place, "back", 2000000, now - 2 * HOUR_NS));
	assert_true(take(&place, "forward", 2000000, now + 100 * HOUR_NS));
	/* Who asks gets it. */
	{
		struct lane_hit asked = { .what = LANE_ROW_MANUAL, .pid = -1 };

		assert_true(watch_store_wants(&place.store, watch_store_count(&place.store, &asked),
					      &asked, 5, now));
	}
	/* What is still to be written counts, too. */
	{
		struct lane_hit more = hit_of("more", 2000000, now + 300 * HOUR_NS);
		struct lane_hits *group = watch_store_count(&place.store, &more);

		assert_true(watch_store_wants(&place.store, group, &more, 4, now + 300 * HOUR_NS));
		assert_false(watch_store_wants(&place.store, group, &more, 5, now + 300 * HOUR_NS));
	}
	close_place(&place, true);
}

/* Over the number or the disk's quota: the latest of groups go before the worst, the least telling
 * first. */
TEST_IN_FOLDER(the_least_telling_go_first)
{
	struct lane_store_config config = { .keep = 3, .per_hour = 100, .disk_bytes = 1 << 30 };
	int64_t now = 1000 * HOUR_NS;
	struct place place;
	char name[32];
	struct stat st;

	open_place(&place, &config);
	assert_true(take(&place, "a", 9000000, now));
	assert_true(take(&place, "b", 5000000, now));
	assert_true(take(&place, "a", 1500000, now + HOUR_NS));
	assert_int_equal(place.store.n_kept, 3);
	assert_true(take(&place, "c", 2000000, now + HOUR_NS));
	/* a's latest has gone. */
	assert_int_equal(place.store.n_kept, 3);
	assert_null(watch_store_find(&place.store, 3));
	assert_true(take(&place, "d", 3000000, now + HOUR_NS));
	/* c is the least telling. */
	assert_null(watch_store_find(&place.store, 4));
	assert_non_null(watch_store_find(&place.store, 1));
	watch_store_name(4, false, name, sizeof(name));
	assert_int_equal(fstatat(place.store.fd, name, &st, 0), -1);
	/* Each has two files: 8 KiB. */
	place.store.config.disk_bytes = 20000;
	assert_true(take(&place, "e", 4000000, now + HOUR_NS));
	assert_int_equal(place.store.n_kept, 2);
	assert_non_null(watch_store_find(&place.store, 1));
	assert_non_null(watch_store_find(&place.store, 2));
	assert_false(watch_store_make_room(&place.store, 20001));
	assert_true(watch_store_make_room(&place.store, 10000));
	assert_int_equal(place.store.n_kept, 1);
	close_place(&place, true);
}

TEST_IN_FOLDER(of_equals_the_oldest_goes)
{
	struct lane_store_config config = { .keep = 2, .per_hour = 100, .disk_bytes = 1 << 30 };
	int64_t now = 1000 * HOUR_NS;
	struct place place;

	open_place(&place, &config);
	assert_true(take(&place, "a", 5000000, now));
	assert_true(take(&place, "b", 5000000, now));
	assert_true(take(&place, "c", 5000000, now));
	assert_null(watch_store_find(&place.store, 1));
	assert_non_null(watch_store_find(&place.store, 3));
	close_place(&place, true);
}

/* What somebody asked for stays while there is another that can go. */
TEST_IN_FOLDER(what_was_asked_for_stays)
{
	struct lane_store_config config = { .keep = 4, .per_hour = 100, .disk_bytes = 1 << 30 };
	int64_t now = 1000 * HOUR_NS;
	unsigned int asked_for = 0;
	struct place place;
	char culprit[16];

	open_place(&place, &config);
	for (int i = 0; i < 9; i++) {
		struct lane_hit asked = { .what = LANE_ROW_MANUAL, .epoch_ns = now, .pid = -1 };

		if (i % 3 == 1)
			write_hit(&place, &asked, 4096, now);
		snprintf(culprit, sizeof(culprit), "c%d", i / 2);
		take(&place, culprit, 2000000 + (uint64_t)(i * 997 % 5) * 1000000, now);
	}
	assert_int_equal(place.store.n_kept, 4);
	for (size_t i = 0; i < place.store.n_kept; i++)
		asked_for += place.store.kept[i].hit.what == LANE_ROW_MANUAL;
	assert_int_equal(asked_for, 3);
	close_place(&place, true);
}

/* What was begun and not completed is gone at the next start; what is complete counts without a
 * state. */
TEST_IN_FOLDER(restarts_are_clean)
{
	struct place place;
	struct lane_hit hit = hit_of("Xorg", 2000000, 5);
	LANE_CLEANUP(lane_free) char *said = NULL;
	int64_t now = 1000 * HOUR_NS;
	struct lane_store other;
	struct stat st;
	int fd;

	open_place(&place, &plenty);
	assert_true(take(&place, "a", 9000000, now));
	watch_store_number(&place.store, &hit);
	check(watch_store_begin(&place.store, &hit, &fd));
	close(fd);
	assert_int_equal(fstatat(place.store.fd, ".hit-000002", &st, 0), 0);
	check_error(watch_store_open(&other, "store", false, place.history, &said),
		    "another gpulane");
	watch_store_deinit(&other);
	close_place(&place, false);
	open_place(&place, &plenty);
	assert_int_equal(fstatat(place.store.fd, ".hit-000002", &st, 0), -1);
	assert_int_equal(place.store.n_kept, 1);
	assert_int_equal(watch_store_group(&place.store, &place.store.kept[0].hit)->count, 1);
	assert_int_equal(place.store.last_number, 1);
	close_place(&place, true);
	/* A damaged state is told, and what is there counts. */
	check_write("store/state", "");
	assert_int_equal(mkdir("store/hit-000009", 0700), 0);
	check(watch_history_create(&place.history));
	check(watch_store_open(&place.store, "store", false, place.history, &said));
	assert_non_null(strstr(said, "cannot be read"));
	assert_int_equal(place.store.n_kept, 1);
	close_place(&place, true);
}

TEST(many_groups_are_bounded)
{
	static struct lane_store store = { .config = { 100, 100, 1 << 30 } };
	uint64_t counted = 0;
	char culprit[16];

	for (int i = 0; i < 1000; i++) {
		struct lane_hit hit;

		snprintf(culprit, sizeof(culprit), "c%d", i);
		hit = hit_of(culprit, 2000000, i);
		assert_non_null(watch_store_count(&store, &hit));
	}
	for (size_t i = 0; i < LANE_STORE_GROUPS; i++)
		counted += store.groups[i].count;
	assert_int_equal(counted, LANE_STORE_GROUPS);
	assert_int_equal(store.others, 1000 - LANE_STORE_GROUPS);
}

TEST(settings_are_read)
{
	struct lane_watch_settings settings;
	char frame[] = "/usr/bin/game:swap_buffers";
	const char *path, *symbol;

	watch_settings_init(&settings);
	check(watch_settings_set(&settings, LANE_SETTING_KEEP, "7"));
	check(watch_settings_read(&settings,
				  "# what is late\n\nslower-than p99.9x3\n  stage\thost_queue \r\n"
				  "keep 9\ndisk 2G\nprocess a b",
				  "file"));
	/* The command line's comes first. */
	assert_int_equal(settings.watch.store.keep, 7);
	assert_int_equal(settings.watch.slower.ppm, 999000);
	assert_int_equal(settings.watch.stage, LANE_STAGE_HOST_QUEUE);
	assert_true(settings.watch.store.disk_bytes == 2ull << 30);
	assert_string_equal(settings.watch.process, "a b");
	check(watch_settings_check(&settings));
	check_error(watch_settings_read(&settings, "\nkepp 9", "file"),
		    "file: line 2: kepp: no such");
	check_error(watch_settings_read(&settings, "memory 5", "file"), "memory 5: not a size");
	check_error(watch_settings_read(&settings, "of", "file"), "not one of request");
	check_error(watch_settings_set(&settings, LANE_SETTING_OF, "request,,"), "not one of");
	check_error(watch_settings_set(&settings, LANE_SETTING_OF, "idle"), "not one of");
	watch_settings_init(&settings);
	check(watch_settings_set(&settings, LANE_SETTING_STAGE, "running"));
	check_error(watch_settings_check(&settings), "needs slower-than");
	check(watch_settings_set(&settings, LANE_SETTING_FRAME, "marker:swap"));
	assert_int_equal(settings.watch.of, 1u << LANE_ROW_FRAME);
	check_error(watch_settings_set(&settings, LANE_SETTING_FRAME, "game:swap"), "not marker:");
	check_error(watch_settings_set(&settings, LANE_SETTING_FRAME, "marker:"), "not marker:");
	assert_true(watch_settings_frame(frame, &path, &symbol));
	assert_string_equal(path, "/usr/bin/game");
	assert_string_equal(symbol, "swap_buffers");
}

/* What ends the terminal's programs reaches the writer, too. */
static struct lane_error *write_amid_signals(void *arg)
{
	(void)arg;
	raise(SIGINT);
	raise(SIGHUP);
	raise(SIGUSR1);
	raise(SIGPIPE);
	return NULL;
}

TEST(a_writer_completes)
{
	struct lane_writer writer = { .pid = 0 };
	struct lane_error *result;

	check(watch_writer_begin(&writer, 1, write_amid_signals, NULL));
	assert_true(watch_writer_ended(&writer, 1, true, &result));
	check(result);
}

/* A word gets there and is answered; who is not there is told of. */
TEST_IN_FOLDER(the_socket_answers)
{
	struct place place;
	char word[LANE_SOCKET_WORD];
	struct stat st;
	pid_t child;
	int fd, status;

	open_place(&place, &plenty);
	check_error(watch_socket_send("store", "now"), "no gpulane watches there");
	check(watch_socket_listen(place.store.fd, &fd));
	assert_int_equal(fstatat(place.store.fd, "socket", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_false(watch_socket_take(fd, word, sizeof(word)));
	child = fork();
	if (!child) {
		struct lane_error *err = watch_socket_send("store", "now, please");

		_exit(err ? 1 : 0);
	}
	while (!watch_socket_take(fd, word, sizeof(word)))
		usleep(1000);
	assert_string_equal(word, "now, please");
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	check_error(watch_socket_send("store", "now"), "no gpulane watches there");
	close_place(&place, true);
}

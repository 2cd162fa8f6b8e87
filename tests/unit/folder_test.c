// SPDX-License-Identifier: MIT
// Files and folders made where somebody else writes, too: links that were planted, and a race.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "capture/recording.h"
#include "check.h"

#define NOBODY	     65534
#define RACE_SECONDS 3

/* Each test runs in a directory of its own, with a file that nothing may touch. */
static int setup(void **state)
{
	return check_folder(state) || chmod(".", 0755) ||
	       system("echo precious >victim && mkdir theirs");
}

static void print_new(FILE *to, const void *arg)
{
	fputs(arg, to);
}

/* --- outputs --- */

TEST_IN(setup, check_no_folder, output_is_there_when_it_is_complete)
{
	struct lane_output out;

	check(lane_output_init(&out, "new", false));
	check(lane_output_begin(&out));
	assert_int_equal(write(out.fd, "half", 4), 4);
	assert_int_equal(access("new", F_OK), -1);
	check(lane_output_begin(&out));
	assert_int_equal(write(out.fd, "whole", 5), 5);
	check(lane_output_commit(&out));
	lane_output_deinit(&out);
	check_holds("new", "whole");
	check(lane_output_file("new", print_new, "newer"));
	check_holds("new", "newer");
	check(lane_output_init(&out, "new", false));
	check(lane_output_begin(&out));
	lane_output_deinit(&out);
	check_holds("new", "newer");
	assert_int_equal(system("[ \"$(ls)\" = \"$(printf 'new\\ntheirs\\nvictim')\" ]"), 0);
}

/* What has the temporary name already is somebody else's: nothing goes through it. */
TEST_IN(setup, check_no_folder, output_does_not_follow_a_planted_link)
{
	struct lane_output out;
	char part[32];

	snprintf(part, sizeof(part), "new.part-%d", getpid());
	assert_int_equal(symlink("victim", part), 0);
	check(lane_output_file("new", print_new, "new"));
	check_holds("new", "new");
	check_holds("victim", "precious\n");
	snprintf(part, sizeof(part), "dir.part-%d", getpid());
	assert_int_equal(symlink("theirs", part), 0);
	check(lane_output_init(&out, "dir", true));
	check(lane_output_begin(&out));
	assert_int_equal(symlinkat("../victim", out.fd, "link"), 0);
	lane_output_deinit(&out);
	assert_int_equal(access("theirs", F_OK), 0);
	check_holds("victim", "precious\n");
}

TEST_IN(setup, check_no_folder, output_replaces_plain_files_only)
{
	struct lane_output out;

	assert_int_equal(symlink("victim", "link"), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	check_error(lane_output_init(&out, "link", false), "link: it is there already");
	lane_output_deinit(&out);
	check_error(lane_output_init(&out, "fifo", false), "no plain file");
	lane_output_deinit(&out);
	check_error(lane_output_init(&out, "theirs", false), "it is there already");
	lane_output_deinit(&out);
	check_error(lane_output_init(&out, "theirs/", true), "it is there already");
	lane_output_deinit(&out);
	check_error(lane_output_init(&out, "no/such/place", false),
		    "no/such/place: cannot be created: no: No such");
	lane_output_deinit(&out);
	check_error(lane_output_init(&out, "", false), "no name");
	lane_output_deinit(&out);
	check_error(lane_output_init(&out, "theirs/..", false), "no name");
	lane_output_deinit(&out);
}

TEST_IN(setup, check_no_folder, folder_is_not_replaced)
{
	struct lane_output out;

	check(lane_output_init(&out, "dir", true));
	check(lane_output_begin(&out));
	assert_int_equal(mkdir("dir", 0700), 0);
	check_error(lane_output_commit(&out), "dir: File exists");
	lane_output_deinit(&out);
	assert_int_equal(system("[ \"$(ls)\" = \"$(printf 'dir\\ntheirs\\nvictim')\" ]"), 0);
}

/* --- the way to a folder --- */

TEST_IN(setup, check_no_folder, links_of_others_are_not_followed)
{
	LANE_CLEANUP(lane_close) int fd = -1;
	LANE_CLEANUP(lane_free) char *name = NULL;
	struct lane_recording_dir dir;
	char path[64];

	assert_int_equal(symlink("theirs", "ours"), 0);
	snprintf(path, sizeof(path), "%s/ours/./../ours/new", (char *)*state);
	check(lane_folder_of(path, &fd, &name));
	assert_string_equal(name, "new");
	assert_int_equal(symlink("loop", "loop"), 0);
	close(fd);
	free(name);
	check_error(lane_folder_of("loop/new", &fd, &name), "Too many levels");
	if (getuid())
		return;
	assert_int_equal(lchown("ours", NOBODY, NOBODY), 0);
	check_error(lane_folder_of("ours/new", &fd, &name), "ours: is a link of user 65534");
	check_error(capture_recording_create("ours/new", &dir), "is a link of user 65534");
	capture_recording_close(&dir);
	/* But those of the user on whose behalf root works are. */
	setenv("SUDO_UID", "65534", 1);
	check(lane_folder_of("ours/new", &fd, &name));
	close(fd);
	free(name);
	/* Nobody else's. */
	setenv("SUDO_UID", "65533", 1);
	check_error(lane_folder_of("ours/new", &fd, &name), "ours: is a link of user 65534");
	unsetenv("SUDO_UID");
}

/* --- recordings --- */

static struct lane_host host = { .name = "box", .cpus = 1 };
static struct lane_capture_config config = { .host = &host };

TEST_IN(setup, check_no_folder, recording_json_does_not_follow_links)
{
	struct lane_recording_facts facts = { .config = &config, .command_status = -1 };
	struct lane_recording_dir dir;

	check(capture_recording_create("rec", &dir));
	assert_int_equal(symlink("../victim", "rec/.recording.json"), 0);
	check(capture_recording_write(&dir, &facts));
	check_holds("victim", "precious\n");
	capture_recording_discard(&dir);
	assert_int_equal(access("rec", F_OK), -1);
}

/* In a folder of his own he puts a folder of his own in the place of what root makes. */
static void race_against_root(void)
{
	char path[32];

	if (chdir("theirs") || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	for (unsigned int i = 0;; i++) {
		snprintf(path, sizeof(path), "away-%u", i);
		if (mkdir("bait", 0777) == 0 && symlink("../../victim", "bait/.recording.json"))
			_exit(1);
		chmod("bait", 0777);
		if (renameat2(AT_FDCWD, "bait", AT_FDCWD, "rec", 1u << 1 /* RENAME_EXCHANGE */))
			continue;
		rename("bait", path);
		/* What root made is away: his own is there. A moment later it has to be anew. */
		snprintf(path, sizeof(path), "seen-%u", i);
		for (int wait = 0; wait < 100 && rename("rec", path); wait++)
			;
	}
}

TEST_IN(setup, check_no_folder, recording_cannot_be_raced)
{
	struct lane_recording_facts facts = { .config = &config, .command_status = -1 };
	uint64_t tries = 0, lost = 0;
	time_t end;
	pid_t pid;

	if (getuid())
		skip();
	assert_int_equal(chown("theirs", NOBODY, NOBODY), 0);
	pid = fork();
	if (!pid)
		race_against_root();
	for (end = time(NULL) + RACE_SECONDS; time(NULL) < end; tries++) {
		struct lane_recording_dir dir;
		struct lane_error *err = capture_recording_create("theirs/rec", &dir);

		if (!err)
			err = capture_recording_write(&dir, &facts);
		lost += !!err;
		lane_error_free(err);
		capture_recording_discard(&dir);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	print_message("%llu tries, %llu refused\n", (unsigned long long)tries,
		      (unsigned long long)lost);
	check_holds("victim", "precious\n");
}

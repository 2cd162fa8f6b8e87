// SPDX-License-Identifier: MIT
// A recording's directory, recording.json, and the command that waits until recording has begun.

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/child.h"
#include "capture/recording.h"
#include "capture/recording_json.h"
#include "check.h"

/* --- a tracer that says what it is told to --- */

struct lane_capture {
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	uint64_t lost[2];
};

static const struct lane_capture_kind *fake_kinds(const struct lane_capture *capture)
{
	return capture->kinds;
}

static uint64_t fake_lost(struct lane_capture *capture, unsigned int cpu)
{
	return cpu < 2 ? capture->lost[cpu] : LANE_NOT_COUNTED;
}

static const struct lane_backend fake = { .name = "fake", .kinds = fake_kinds, .lost = fake_lost };

static struct lane_capture capture = {
	.kinds[LANE_RQ_ADD] = { .recorded = true,
				.origin = LANE_ORIGIN_FUNCTION,
				.hook = "__i915_request_queue" },
	.kinds[LANE_RQ_IN] = { .missing = "no \"tracepoint\"\nand no function" },
	.lost = { 3, 4 },
};

static struct lane_host host = { .name = "box",
				 .release = "6.1.0",
				 .boot_id = "00000000-1111-2222-3333-444444444444",
				 .epoch_offset_ns = 1700000000000000001,
				 .cpus = 2 };
static struct lane_capture_config config = { .host = &host };
static char *const command[] = { (char *)"render", (char *)"--frames", (char *)"10 0", NULL };

static struct lane_recording_facts facts(void)
{
	return (struct lane_recording_facts){
		.config = &config,
		.tracers[0] = { .backend = &fake,
				.capture = &capture,
				.stats = { .events = 99,
					   .lost = 7,
					   .bytes = 4096,
					   .buffer_bytes = 8192 } },
		.n_tracers = 1,
		.command = command,
		.command_pid = 12,
		.command_status = -1,
		.begin_ns = UINT64_MAX / 4,
	};
}

/* A value by its path, as "traces.0.lost". */
static struct json_object *get(struct json_object *from, const char *path)
{
	char *copy = strdup(path);
	char *rest = copy;
	char *key;

	while (from && (key = strsep(&rest, "."))) {
		if (json_object_is_type(from, json_type_array))
			from = json_object_array_get_idx(from, (size_t)atoi(key));
		else if (!json_object_object_get_ex(from, key, &from))
			from = NULL;
	}
	free(copy);
	return from;
}

static void assert_text(struct json_object *root, const char *path, const char *text)
{
	assert_non_null(get(root, path));
	assert_string_equal(json_object_get_string(get(root, path)), text);
}

static void assert_number(struct json_object *root, const char *path, uint64_t number)
{
	assert_non_null(get(root, path));
	assert_int_equal(json_object_get_uint64(get(root, path)), number);
}

TEST_IN_FOLDER(begins_as_recording)
{
	struct lane_recording_facts f = facts();
	struct json_object *root = capture_recording_json(&f);

	assert_number(root, "version", 1);
	assert_text(root, "state", "recording");
	assert_null(get(root, "ended_by"));
	assert_null(get(root, "stop_ns"));
	assert_null(get(root, "end_ns"));
	assert_text(root, "host", "box");
	assert_text(root, "clock_uuid", host.boot_id);
	assert_number(root, "epoch_offset_ns", 1700000000000000001);
	assert_number(root, "begin_ns", UINT64_MAX / 4);
	assert_text(root, "command.program", "render");
	assert_number(root, "command.arguments", 2);
	assert_null(get(root, "command.exit_code"));
	assert_number(root, "traces.0.events", 99);
	assert_number(root, "traces.0.lost", 7);
	assert_number(root, "traces.0.lost_per_cpu.0", 3);
	assert_number(root, "traces.0.lost_per_cpu.1", 4);
	assert_number(root, "traces.0.buffer_bytes", 8192);
	assert_text(root, "traces.0.kinds.i915_request_add.origin", "function");
	assert_text(root, "traces.0.kinds.i915_request_add.hook", "__i915_request_queue");
	assert_false(json_object_get_boolean(get(root, "traces.0.kinds.i915_request_in.recorded")));
	assert_text(root, "traces.0.kinds.i915_request_in.missing",
		    capture.kinds[LANE_RQ_IN].missing);
	assert_null(get(root, "traces.0.kinds.sched_switch.missing"));
	assert_null(get(root, "traces.0.kinds.gpulane_lost"));
	json_object_put(root);
}

TEST_IN_FOLDER(tells_how_it_ended)
{
	struct lane_recording_facts f = facts();
	struct lane_engine_filter engine = { .class = 4, .instance = 1 };
	struct json_object *root;

	f.ended_by = "command";
	f.stop_ns = UINT64_MAX / 4;
	f.end_ns = UINT64_MAX / 4 + 1;
	f.command_status = 3 << 8; /* as wait gives an exit code */
	f.tracers[0].stats.events = LANE_NOT_COUNTED;
	config.engines = &engine;
	config.n_engines = 1;
	config.comm = "render";
	root = capture_recording_json(&f);
	config.n_engines = 0;
	config.comm = NULL;
	assert_text(root, "state", "complete");
	assert_number(root, "stop_ns", UINT64_MAX / 4);
	assert_number(root, "command.exit_code", 3);
	assert_null(get(root, "traces.0.events"));
	assert_text(root, "filter.engines.0", "4:1");
	assert_text(root, "filter.comm", "render");
	json_object_put(root);

	f.ended_by = "error";
	f.error = "no space";
	f.command_status = SIGKILL;
	root = capture_recording_json(&f);
	assert_text(root, "state", "failed");
	assert_text(root, "error", "no space");
	assert_number(root, "command.signal", SIGKILL);
	assert_null(get(root, "command.exit_code"));
	json_object_put(root);
}

TEST_IN_FOLDER(directory_is_new_and_private)
{
	struct lane_recording_dir dir, again;
	struct lane_recording_facts f = facts();
	struct json_object *root;
	struct stat st;

	check(capture_recording_create("one", &dir));
	check_error(capture_recording_create("one", &again), "one: is there already");
	capture_recording_discard(&again);
	assert_int_equal(stat("one", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	check(capture_recording_write(&dir, &f));
	f.ended_by = "signal";
	check(capture_recording_write(&dir, &f));
	capture_recording_close(&dir);
	assert_int_equal(stat("one/recording.json", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* Neither a temporary file nor what held the space is left. */
	assert_int_equal(system("test \"$(ls -A one)\" = recording.json"), 0);
	root = json_object_from_file("one/recording.json");
	assert_text(root, "ended_by", "signal");
	json_object_put(root);
	check_error(capture_recording_create("no/such", &dir), "no/such: cannot be created");
	capture_recording_discard(&dir);
}

/* Fills the file system of `path`, to the last byte. */
static void fill(const char *path)
{
	static const char zeros[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	while (write(fd, zeros, sizeof(zeros)) > 0 || write(fd, zeros, 1) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

/* The disk is full when it ends: the last recording.json has the space that was kept for it, and
 * nothing is left of that. */
TEST_IN_FOLDER(ends_on_a_full_disk)
{
	struct lane_recording_facts f = facts();
	struct lane_recording_dir dir;
	struct json_object *root;

	/* A file system of its own, which nobody else sees. */
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir("disk", 0700) || mount("tmpfs", "disk", "tmpfs", 0, "size=128k"))
		skip();
	check(capture_recording_create("disk/one", &dir));
	check(capture_recording_write(&dir, &f));
	fill("disk/others");
	f.ended_by = "error";
	f.error = "no space";
	check(capture_recording_write(&dir, &f));
	capture_recording_close(&dir);
	root = json_object_from_file("disk/one/recording.json");
	assert_text(root, "state", "failed");
	json_object_put(root);
	assert_int_equal(system("test \"$(ls -A disk/one)\" = recording.json"), 0);
	assert_int_equal(umount("disk"), 0);
}

TEST_IN_FOLDER(default_name_is_the_time)
{
	struct lane_recording_dir dir;

	check(capture_recording_create(NULL, &dir));
	assert_int_equal(strlen(dir.path), strlen("gpulane-20260101-120000"));
	assert_int_equal(strspn(dir.path + 8, "0123456789-"), 15);
	capture_recording_discard(&dir);
}

TEST_IN_FOLDER(discard_removes_only_its_own)
{
	struct lane_recording_dir dir;

	check(capture_recording_create("gone", &dir));
	assert_int_equal(system("mkdir -p gone/a/b kept && touch gone/a/b/c gone/d kept/file && "
				"ln -s ../../kept gone/a/link"),
			 0);
	capture_recording_discard(&dir);
	assert_int_equal(access("gone", F_OK), -1);
	assert_int_equal(access("kept/file", F_OK), 0);
	/* One that somebody moved away is not looked for by its name. */
	check(capture_recording_create("mine", &dir));
	assert_int_equal(rename("mine", "moved"), 0);
	assert_int_equal(mkdir("mine", 0700), 0);
	assert_int_equal(system("touch mine/precious moved/junk"), 0);
	capture_recording_discard(&dir);
	assert_int_equal(access("mine/precious", F_OK), 0);
	assert_int_equal(access("moved/junk", F_OK), -1);
}

/* --- the command --- */

static int wait_for(struct lane_child *child)
{
	for (int i = 0; i < 12000 && !capture_child_ended(child); i++)
		usleep(10000);
	assert_true(child->ended);
	return child->status;
}

TEST_IN_FOLDER(command_waits_until_it_may_go)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"echo x > ran; exit 5", NULL };
	struct lane_child child = { .go_fd = -1, .error_fd = -1 };
	int status;

	check(capture_child_fork(argv, NULL, &child));
	usleep(50000);
	assert_false(capture_child_ended(&child));
	assert_int_equal(access("ran", F_OK), -1);
	check(capture_child_go(&child, argv[0]));
	status = wait_for(&child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_int_equal(access("ran", F_OK), 0);
	capture_child_deinit(&child);
}

TEST_IN_FOLDER(host_is_this_one)
{
	struct lane_host read;

	capture_host_read(&read);
	assert_true(read.cpus > 0);
	assert_int_equal(strlen(read.boot_id), 36);
	assert_true(read.epoch_offset_ns > 0);
	assert_true(*read.release && *read.name && *read.machine);
}

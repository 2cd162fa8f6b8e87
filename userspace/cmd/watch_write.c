// SPDX-License-Identifier: MIT
// What makes a hit's recording one like record's: recording.json, and its page.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/recording.h"
#include "cmd/watch_write.h"
#include "show/export_files.h"

/* What stands for the tracer in recording.json. */
struct lane_capture {
	const struct lane_capture_kind *kinds;
};

static const struct lane_capture_kind *watch_write_kinds(const struct lane_capture *capture)
{
	return capture->kinds;
}

static const struct lane_backend backend = { .name = "bpf", .kinds = watch_write_kinds };

static struct lane_error *watch_write_write_json(const struct lane_feed *feed, int dir_fd,
						 const char *path,
						 const struct lane_watch_recording *of)
{
	struct lane_capture capture = { watch_feed_kinds(feed) };
	struct lane_host host = *watch_feed_host(feed);
	const struct lane_capture_config config = { .groups = feed->groups, .host = &host };
	struct lane_recording_dir dir = LANE_RECORDING_NONE;
	struct lane_recording_facts facts = {
		.config = &config,
		.tracers = { { .backend = &backend,
			       .capture = &capture,
			       .stats = { .events = of->part->records,
					  .lost = of->part->lost,
					  .bytes = of->part->bytes } } },
		.n_tracers = 1,
		.command_status = -1,
		.begin_ns = of->hit->from_ns,
		.end_ns = of->hit->to_ns,
		.ended_by = "watch",
	};
	LANE_CLEANUP(lane_free) char *copy = strdup(path);

	if (!copy)
		return &lane_enomem;
	host.epoch_offset_ns = of->epoch_offset_ns;
	if (feed->replay) {
		facts.submission = decode_submission_name(feed->info->submission);
		facts.limits = &feed->info->limits;
	}
	memcpy(facts.dumps_before, feed->dumps, sizeof(facts.dumps_before));
	dir.path = copy;
	dir.fd = dir_fd;
	return capture_recording_write(&dir, &facts);
}

/* The page's reading says on a terminal how far it is: that is nobody's business here. */
static void be_silent(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

struct lane_error *cmd_watch_complete(const struct lane_feed *feed, int dir_fd, const char *path,
				      const struct lane_watch_recording *of)
{
	const struct lane_place place = { .path = path };
	LANE_CLEANUP(lane_free) char *page = NULL;
	struct lane_export_wanted wanted = {
		.of = { .place = &place, .damage = { .command = "watch" } },
		.exporters = { &lane_export_html },
		.n = 1,
	};
	struct lane_error *err = watch_write_write_json(feed, dir_fd, path, of);

	if (err)
		return err;
	if (asprintf(&page, "%s/page.html", path) < 0)
		return &lane_enomem;
	be_silent();
	wanted.output = page;
	return show_export(&wanted);
}

// SPDX-License-Identifier: MIT
// libFuzzer: a hostile trace exported to CTF. Every stream has to be read again to its end, in the
// order of time, its text clean.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "decode/decode.h"
#include "hostile.h"
#include "output.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

static char dir[64];
static int dir_fd;

static void empty_one(int in, const char *name)
{
	int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(fd, entry->d_name, 0))
			unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	closedir(entries);
}

static void empty(int fd)
{
	empty_one(fd, "trace");
	empty_one(fd, ".");
}

static void remove_dir(void)
{
	empty(dir_fd);
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* What is said of losses is not looked at, libFuzzer keeps its own stderr. */
	stderr = fopen("/dev/null", "we");
	dir_fd = fuzz_dir(dir);
	atexit(remove_dir);
	return 0;
}

static void check_text(const struct lane_event *event)
{
	const struct lane_kind_info *kind = &lane_kinds[event->wire.kind];

	for (unsigned int i = 0; i < kind->n_fields; i++) {
		const char *text = (const char *)&event->u + kind->fields[i].offset;

		if (lane_type_is_text(kind->fields[i].type))
			fuzz_check_clean(text, strnlen(text, kind->fields[i].size));
	}
}

static void read_again(void)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	uint64_t last_ns = 0;
	char path[80];
	struct lane_error *err;

	snprintf(path, sizeof(path), "%s/trace", dir);
	err = decode_open(&lane_format_ctf, path, NULL, &decoder);
	if (err)
		fuzz_fail("%s", lane_error_message(err));
	for (;;) {
		err = lane_format_ctf.next(decoder, &event);
		if (err)
			fuzz_fail("%s", lane_error_message(err));
		if (!event)
			break;
		if (event->wire.ts_ns < last_ns)
			fuzz_fail("time goes back from %llu to %llu", (unsigned long long)last_ns,
				  (unsigned long long)event->wire.ts_ns);
		last_ns = event->wire.ts_ns;
		check_text(event);
	}
	decode_close(decoder);
}

static void check_facts(void)
{
	char text[1 << 16];
	int fd = openat(dir_fd, "recording.json", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		fuzz_fail("no recording.json");
	close(fd);
	text[n] = '\0';
	json_object_put(fuzz_check_json(text, (size_t)n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_export of = { .exporter = &lane_export_ctf,
				  .empty = empty,
				  .to = { .title = "fuzz", .dir_fd = dir_fd } };

	empty(dir_fd);
	if (fuzz_export(data, bytes, &of)) {
		read_again();
		check_facts();
	}
	fuzz_export_deinit(&of);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_hostile_mutate(data, size, max, seed);
}

// SPDX-License-Identifier: MIT
// libFuzzer: events as text, contradictions and all, through the timeline into a report: for
// people, as JSON, as a table. The input's sum chooses one.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "show/report.h"
#include "output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

static void check_json(const char *text, size_t bytes)
{
	json_object_put(fuzz_check_json(text, bytes));
}

static void write_as(const struct lane_report_format *format, struct lane_latency *latency,
		     void (*check)(const char *text, size_t bytes))
{
	const struct lane_report_options options = { .rows = 20 };
	struct lane_error *err;
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		abort();
	err = format->write(to, latency, &options);
	fclose(to);
	if (err)
		fuzz_fail("%s: %s", format->name, lane_error_message(err));
	check(text, bytes);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64];
	const struct lane_place place = { .path = path };
	struct session session = { .place = &place, .damage = { .is_quiet = true } };
	struct lane_error *err;
	unsigned int sum = 0;
	int fd = fuzz_file(data, bytes, path);

	for (size_t i = 0; i < bytes; i++)
		sum += data[i];
	err = session_read(&session);
	if (!err && sum % 3 == 0)
		write_as(&lane_report_text, &session.latency, fuzz_check_clean);
	if (!err && sum % 3 == 1)
		write_as(&lane_report_json, &session.latency, check_json);
	if (!err && sum % 3 == 2)
		write_as(&lane_report_csv, &session.latency, fuzz_check_csv);
	lane_error_free(err);
	session_deinit(&session);
	close(fd);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_hostile_mutate(data, size, max, seed);
}

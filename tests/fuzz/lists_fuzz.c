// SPDX-License-Identifier: MIT
// libFuzzer: a hostile trace as what `gpulane report` writes with --commands, --requests and
// --critical, each as text and as JSON. The input's sum chooses one.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/report.h"
#include "hostile.h"
#include "output.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* What the commands say of damage is not looked at, libFuzzer keeps its own stderr. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	stderr = fopen("/dev/null", "we");
	return 0;
}

static struct lane_error *critical(const struct lane_reading *of, bool json)
{
	const struct lane_critical_options options = { .json = json };
	struct lane_reading reading = { .path = of->path, .damage = { .quiet = true } };
	struct lane_error *err = lane_report_critical(&reading, &options);

	lane_reading_deinit(&reading);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct lane_error *(*const lists[])(const struct lane_reading *of,
						   bool json) = { lane_report_commands,
								  lane_report_requests, critical };
	struct lane_reading of = { 0 };
	FILE *const was = stdout;
	struct lane_error *err;
	unsigned int sum = 0;
	char *text = NULL;
	char path[64];
	size_t n = 0;
	int fd = fuzz_file(data, bytes, path);

	for (size_t i = 0; i < bytes; i++)
		sum += data[i];
	/* They write to stdout, which is a variable like any other. */
	stdout = open_memstream(&text, &n);
	if (!stdout)
		abort();
	of.path = path;
	err = lists[sum / 2 % 3](&of, sum % 2);
	fclose(stdout);
	stdout = was;
	if (sum % 2 && sum / 2 % 3 == 2 && n)
		json_object_put(fuzz_check_json(text, n));
	else if (sum % 2)
		fuzz_check_json_lines(text, n);
	else if (sum / 2 % 3 == 2)
		fuzz_check_clean(text, n);
	else
		fuzz_check_csv(text, n);
	lane_error_free(err);
	free(text);
	close(fd);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_hostile_mutate(data, size, max, seed);
}

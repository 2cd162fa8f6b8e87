// SPDX-License-Identifier: MIT
// libFuzzer: a hostile trace as what `gpulane report` writes with --commands, --requests and
// --critical, each as text and as JSON. The input's sum chooses one.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "output.h"
#include "show/critical_text.h"
#include "show/lists.h"

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

static struct lane_error *write_commands(FILE *to, struct session *session, bool is_json,
					 uint64_t *rows)
{
	return show_list_write(to, session, LANE_RECORD_COMMAND, is_json, rows);
}

static struct lane_error *write_requests(FILE *to, struct session *session, bool is_json,
					 uint64_t *rows)
{
	return show_list_write(to, session, LANE_RECORD_REQUEST, is_json, rows);
}

static struct lane_error *write_critical(FILE *to, struct session *session, bool is_json,
					 uint64_t *rows)
{
	const struct lane_critical_wanted wanted = { .by_time = false };

	*rows = 0;
	session->damage.is_quiet = true;
	return show_critical_write(to, session, &wanted, is_json, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct lane_error *(*const lists[])(
		FILE * to, struct session * session, bool is_json,
		uint64_t *rows) = { write_commands, write_requests, write_critical };
	char path[64];
	const struct lane_place place = { .path = path };
	struct session session = { .place = &place };
	struct lane_error *err;
	unsigned int sum = 0;
	uint64_t rows;
	char *text = NULL;
	size_t n = 0;
	int fd = fuzz_file(data, bytes, path);
	FILE *to = open_memstream(&text, &n);

	if (!to)
		abort();
	for (size_t i = 0; i < bytes; i++)
		sum += data[i];
	err = lists[sum / 2 % 3](to, &session, sum % 2, &rows);
	fclose(to);
	session_deinit(&session);
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

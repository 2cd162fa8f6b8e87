// SPDX-License-Identifier: MIT
// libFuzzer: a hostile trace as Perfetto's packets. They have to decode by the schema and keep the
// rules of tests/perfetto, their text has to be clean.
#include <stdlib.h>
#include <string.h>

#include "../perfetto/rules.h"
#include "hostile.h"
#include "output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

static void check_text(const char *text)
{
	fuzz_check_clean(text, strlen(text));
}

static void check_trace(const char *trace, size_t bytes)
{
	char *said = NULL;
	size_t n;
	FILE *to = open_memstream(&said, &n);
	size_t faults;

	if (!to)
		abort();
	faults = perfetto_rules((const uint8_t *)trace, bytes, to, check_text);
	fclose(to);
	if (faults)
		fuzz_fail("%s", said);
	free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_export of = { .exporter = &lane_export_perfetto, .to = { .title = "fuzz" } };

	if (fuzz_export(data, bytes, &of))
		check_trace(of.text, of.bytes);
	fuzz_export_deinit(&of);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_hostile_mutate(data, size, max, seed);
}

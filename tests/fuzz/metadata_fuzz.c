// SPDX-License-Identifier: MIT
// libFuzzer: the metadata of a CTF trace in its file, in packets or not.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/ctf_schema.h"
#include "file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char dir[64];
static char metadata[80];

static void remove_dir(void)
{
	unlink(metadata);
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_dir(dir);
	atexit(remove_dir);
	snprintf(metadata, sizeof(metadata), "%s/metadata", dir);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	FILE *to = fopen(metadata, "w");
	struct lane_schema *schema;
	struct lane_error *err;
	uint8_t uuid[16];
	uint64_t n;

	if (!to || fwrite(data, 1, bytes, to) != bytes || fclose(to))
		abort();
	(void)decode_ctf_trace_uuid(dir, uuid);
	err = decode_schema_read(dir, NULL, &schema, &n);
	if (!err)
		decode_schema_free(schema);
	lane_error_free(err);
	return 0;
}

// SPDX-License-Identifier: MIT
// libFuzzer: CTF 2's metadata, to the programs that read a trace; these then read the metadata's
// own bytes, as packets and events.
#include <stdlib.h>
#include <string.h>

#include "decode/ctf_schema.h"
#include "decode/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum {
	MOST_EVENTS = 64, /* of each stream class */
};

/* Its places are all within an event, or a packet's head; its cursor stays within the bytes. */
static void run(const struct lane_program *program, struct lane_cursor *cursor)
{
	union {
		struct lane_event event;
		struct lane_packet_head head;
	} to;

	memset(&to, 0, sizeof(to));
	if (program->steps)
		(void)decode_program_run(program, cursor, &to);
	if (cursor->at > cursor->end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char why[160] = "", *text = malloc(bytes + 1);
	struct lane_cursor cursor = { 0 };
	struct lane_schema *schema;

	if (!text)
		return 0;
	*text = LANE_CTF2_BEGIN;
	if (bytes)
		memcpy(text + 1, data, bytes);
	schema = decode_schema_make(text, bytes + 1, NULL, why, sizeof(why));
	/* What is not read says why. */
	if (!schema && !*why)
		abort();
	cursor.data = data;
	cursor.end = bytes * 8;
	if (schema)
		run(&schema->packet_header, &cursor);
	for (uint32_t i = 0; schema && i < schema->n_streams; i++) {
		const struct lane_stream_class *stream = &schema->streams[i];

		run(&stream->packet_context, &cursor);
		for (uint32_t k = 0; k < stream->n_events && k < MOST_EVENTS; k++) {
			run(&stream->header, &cursor);
			run(&stream->events[k].program, &cursor);
			if (cursor.at > cursor.end / 2)
				cursor.at = 0;
		}
	}
	decode_schema_free(schema);
	free(text);
	return 0;
}

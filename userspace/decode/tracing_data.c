// SPDX-License-Identifier: MIT
// Reads the formats of events that trace-cmd and perf put into their files.
#include "decode/tracing_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/stop.h"

enum {
	NAME_BYTES = 256,
	PAGE_TEXT_BYTES = 4096,
};

struct lane_error *decode_tracing_error(const struct lane_tracing_data *data, const char *why)
{
	return lane_error("%s: %sbyte %" PRIu64 ": %s", data->path, data->part, data->bytes->at,
			  why);
}

/* A name, a size and as many bytes, of which at most size - 1 are kept. */
static struct lane_error *get_file(struct lane_tracing_data *data, const char *name, char *text,
				   size_t size)
{
	char is[NAME_BYTES];
	uint64_t n;
	size_t keep;

	if (!decode_bytes_text(data->bytes, is, sizeof(is)) || strcmp(is, name))
		return lane_error("%s: %sbyte %" PRIu64 ": `%s' is not there", data->path,
				  data->part, data->bytes->at, name);
	if (!decode_bytes_u64(data->bytes, &n) || n > decode_bytes_left(data->bytes))
		return decode_tracing_error(data, "it is cut off");
	keep = n < size ? (size_t)n : size - 1;
	if (!decode_bytes_get(data->bytes, text, keep) || !decode_bytes_skip(data->bytes, n - keep))
		return decode_tracing_error(data, "it is cut off");
	text[keep] = '\0';
	return NULL;
}

struct lane_error *decode_tracing_pages(struct lane_tracing_data *data)
{
	char text[PAGE_TEXT_BYTES], *field, *size;
	struct lane_error *err;

	err = get_file(data, "header_page", text, sizeof(text));
	if (err)
		return err;
	/* field: local_t commit;	offset:8;	size:8;	signed:1; */
	field = strstr(text, " commit;");
	size = field ? strstr(field, "size:") : NULL;
	data->long_bytes = size ? (unsigned int)strtoul(size + 5, NULL, 10) : 8;
	if (data->long_bytes != 4 && data->long_bytes != 8)
		return decode_tracing_error(data, "the head of the ring buffer's pages is damaged");
	return get_file(data, "header_event", text, sizeof(text));
}

struct lane_error *decode_tracing_own(struct lane_tracing_data *data)
{
	uint64_t size;
	uint32_t n;

	if (!decode_bytes_u32(data->bytes, &n))
		return decode_tracing_error(data, "it is cut off");
	for (uint32_t i = 0; i < n; i++)
		if (!decode_bytes_u64(data->bytes, &size) || !decode_bytes_skip(data->bytes, size))
			return decode_tracing_error(data, "the formats of events are cut off");
	return NULL;
}

/* The formats of one system. */
static struct lane_error *get_system(struct lane_tracing_data *data, char *text)
{
	char system[NAME_BYTES];
	const char *why;
	uint64_t size;
	uint32_t n;

	if (!decode_bytes_text(data->bytes, system, sizeof(system)) ||
	    !decode_bytes_u32(data->bytes, &n))
		return decode_tracing_error(data, "the formats of events are cut off");
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = data->bytes->at;

		if (lane_stop_signal)
			return lane_error("interrupted");
		if (!decode_bytes_u64(data->bytes, &size) || size > decode_bytes_left(data->bytes))
			return decode_tracing_error(data, "the formats of events are cut off");
		if (size > LANE_FORMAT_BYTES) {
			/* No event of the table has such a long one. */
			if (!decode_bytes_skip(data->bytes, size))
				return decode_tracing_error(data, "the formats are cut off");
			continue;
		}
		if (!decode_bytes_get(data->bytes, text, (size_t)size))
			return decode_tracing_error(data, "the formats of events are cut off");
		why = decode_tracepoints_add(data->tracepoints, text, (size_t)size);
		if (why)
			return lane_error("%s: %sbyte %" PRIu64 ": the format of an event: %s",
					  data->path, data->part, at, why);
	}
	return NULL;
}

struct lane_error *decode_tracing_formats(struct lane_tracing_data *data)
{
	LANE_CLEANUP(lane_free) char *text = malloc(LANE_FORMAT_BYTES);
	struct lane_error *err = NULL;
	uint32_t n;

	if (!text)
		return &lane_enomem;
	if (!decode_bytes_u32(data->bytes, &n))
		return decode_tracing_error(data, "it is cut off");
	data->n_systems = n;
	for (uint32_t i = 0; !err && i < n; i++)
		err = lane_stop_signal ? lane_error("interrupted") : get_system(data, text);
	return err;
}

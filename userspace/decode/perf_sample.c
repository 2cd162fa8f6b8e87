// SPDX-License-Identifier: MIT
// Takes perf's samples apart: include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE.
#include <string.h>

#include "decode/perf_data.h"

/* read_format's bits */
enum {
	READ_ENABLED = 1 << 0,
	READ_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
};

struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool perf_sample_skip(struct cursor *c, uint64_t bytes)
{
	if (bytes > c->left)
		return false;
	c->at += bytes;
	c->left -= (size_t)bytes;
	return true;
}

static bool perf_sample_get(struct cursor *c, void *to, size_t bytes)
{
	const uint8_t *from = c->at;

	if (!perf_sample_skip(c, bytes))
		return false;
	memcpy(to, from, bytes);
	return true;
}

/* Bytes of what the bits of a sample_type before the id take. */
static unsigned int words_before_id(uint64_t sample_type)
{
	return (unsigned int)__builtin_popcountll(
		sample_type & (LANE_PERF_IP | LANE_PERF_TID | LANE_PERF_TIME | LANE_PERF_ADDR));
}

bool decode_perf_sample_id(uint64_t sample_type, const uint8_t *data, size_t bytes, uint64_t *id)
{
	struct cursor c = { data, bytes };

	if (sample_type & LANE_PERF_IDENTIFIER)
		return perf_sample_get(&c, id, sizeof(*id));
	if (!(sample_type & LANE_PERF_ID))
		return false;
	return perf_sample_skip(&c, 8 * words_before_id(sample_type)) &&
	       perf_sample_get(&c, id, sizeof(*id));
}

/* The values of counters, which nobody needs here. */
static bool skip_read(struct cursor *c, uint64_t format)
{
	uint64_t times = !!(format & READ_ENABLED) + !!(format & READ_RUNNING);
	uint64_t each = 1 + !!(format & READ_ID) + !!(format & READ_LOST);
	uint64_t n = 1;

	if (format & READ_GROUP) {
		if (!perf_sample_get(c, &n, sizeof(n)) || n > c->left)
			return false;
		return perf_sample_skip(c, 8 * (times + n * each));
	}
	return perf_sample_skip(c, 8 * (times + each));
}

bool decode_perf_sample_read(const struct lane_perf_attr *attr, const uint8_t *data, size_t bytes,
			     struct lane_perf_sample *sample)
{
	const uint64_t type = attr->sample_type;
	struct cursor c = { data, bytes };
	uint64_t n;
	uint32_t size;

	*sample = (struct lane_perf_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if ((type & LANE_PERF_IDENTIFIER && !perf_sample_skip(&c, 8)) ||
	    (type & LANE_PERF_IP && !perf_sample_skip(&c, 8)))
		return false;
	if (type & LANE_PERF_TID &&
	    (!perf_sample_get(&c, &sample->pid, 4) || !perf_sample_get(&c, &sample->tid, 4)))
		return false;
	if (type & LANE_PERF_TIME && !perf_sample_get(&c, &sample->ns, 8))
		return false;
	if ((type & LANE_PERF_ADDR && !perf_sample_skip(&c, 8)) ||
	    (type & LANE_PERF_ID && !perf_sample_skip(&c, 8)) ||
	    (type & LANE_PERF_STREAM_ID && !perf_sample_skip(&c, 8)))
		return false;
	if (type & LANE_PERF_CPU &&
	    (!perf_sample_get(&c, &sample->cpu, 4) || !perf_sample_skip(&c, 4)))
		return false;
	if (type & LANE_PERF_PERIOD && !perf_sample_get(&c, &sample->period, 8))
		return false;
	if (type & LANE_PERF_READ && !skip_read(&c, attr->read_format))
		return false;
	if (type & LANE_PERF_CALLCHAIN) {
		if (!perf_sample_get(&c, &n, sizeof(n)) || n > c.left)
			return false;
		sample->chain = c.at;
		sample->n_chain = n;
		if (!perf_sample_skip(&c, 8 * n))
			return false;
	}
	if (!(type & LANE_PERF_RAW))
		return true;
	if (!perf_sample_get(&c, &size, sizeof(size)) || size > c.left)
		return false;
	sample->raw = c.at;
	sample->raw_bytes = size;
	return true;
}

bool decode_perf_trailer_read(const struct lane_perf_attr *attr, const uint8_t *data, size_t bytes,
			      struct lane_perf_sample *sample)
{
	const uint64_t type = attr->sample_type;
	const uint64_t all = LANE_PERF_TID | LANE_PERF_TIME | LANE_PERF_ID | LANE_PERF_STREAM_ID |
			     LANE_PERF_CPU | LANE_PERF_IDENTIFIER;
	size_t trailer = 8 * (size_t)__builtin_popcountll(type & all);
	struct cursor c = { data, bytes };

	*sample = (struct lane_perf_sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if (!attr->has_sample_id_all || trailer > bytes)
		return false;
	perf_sample_skip(&c, bytes - trailer);
	if (type & LANE_PERF_TID &&
	    (!perf_sample_get(&c, &sample->pid, 4) || !perf_sample_get(&c, &sample->tid, 4)))
		return false;
	if (type & LANE_PERF_TIME && !perf_sample_get(&c, &sample->ns, 8))
		return false;
	if ((type & LANE_PERF_ID && !perf_sample_skip(&c, 8)) ||
	    (type & LANE_PERF_STREAM_ID && !perf_sample_skip(&c, 8)))
		return false;
	return !(type & LANE_PERF_CPU) || perf_sample_get(&c, &sample->cpu, 4);
}

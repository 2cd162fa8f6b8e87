// SPDX-License-Identifier: MIT
// Reads the records of a perf.data, and unpacks those that perf has compressed.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/stop.h"
#include "decode/perf_data.h"

enum {
	READ_BYTES = 256 << 10,
	RECORD_BYTES = 64 << 10, /* a record's size has 16 bits */
	WINDOW_LOG = 27,	 /* zstd's window: 128 MiB, that of its highest level */
	UNPACKED_MIB = 16, /* what is unpacked in all, besides UNPACKED_RATIO times the file */
	UNPACKED_RATIO = 64,
	COMPRESSED = 81, /* PERF_RECORD_COMPRESSED */
	COMPRESSED2 = 83,
};

struct record_head {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

struct lane_perf_records {
	const char *path;
	int fd;
	uint64_t at, end; /* of the file: what is not in the buffer yet */
	uint64_t file_bytes;
	uint8_t *buffer; /* READ_BYTES + RECORD_BYTES */
	size_t from, to;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer packed; /* of the record that is being unpacked, in the buffer */
	uint64_t packed_at;
	uint8_t *plain; /* unpacked, READ_BYTES + RECORD_BYTES; NULL until it is needed */
	size_t plain_from, plain_to;
	bool is_full; /* there was no room for all that could be unpacked */
	uint64_t unpacked;
};

struct lane_perf_records *decode_perf_records_create(const char *path, int fd, uint64_t at,
						     uint64_t end, uint64_t file_bytes)
{
	struct lane_perf_records *records = calloc(1, sizeof(*records));

	if (!records)
		return NULL;
	records->path = path;
	records->fd = fd;
	records->at = at;
	records->end = end;
	records->file_bytes = file_bytes;
	records->buffer = malloc(READ_BYTES + RECORD_BYTES);
	if (records->buffer)
		return records;
	free(records);
	return NULL;
}

void decode_perf_records_destroy(struct lane_perf_records *records)
{
	if (!records)
		return;
	ZSTD_freeDCtx(records->zstd);
	free(records->plain);
	free(records->buffer);
	free(records);
}

uint64_t decode_perf_records_place(const struct lane_perf_records *records)
{
	return records->at - (records->to - records->from);
}

static struct lane_error *perf_records_bad(const struct lane_perf_records *records, uint64_t at,
					   const char *why)
{
	return lane_error("%s: byte %" PRIu64 ": %s", records->path, at, why);
}

bool decode_perf_records_skip(struct lane_perf_records *records, uint64_t bytes)
{
	uint64_t place = decode_perf_records_place(records);

	if (bytes > records->end - place)
		return false;
	records->from = records->to = 0;
	records->at = place + bytes;
	return true;
}

/* Sees to it that so many bytes are in the buffer; *there is false when the file has not as many.
 */
static struct lane_error *need(struct lane_perf_records *records, size_t bytes, bool *there)
{
	size_t rest = records->to - records->from, n = READ_BYTES;

	*there = rest >= bytes;
	if (*there)
		return NULL;
	if (lane_stop_signal)
		return lane_error("interrupted");
	if (records->end - records->at < n)
		n = (size_t)(records->end - records->at);
	memmove(records->buffer, records->buffer + records->from, rest);
	if (!decode_read_at(records->fd, records->at, records->buffer + rest, n))
		return perf_records_bad(records, records->at, "the file cannot be read there");
	records->from = 0;
	records->to = rest + n;
	records->at += n;
	*there = records->to >= bytes;
	return NULL;
}

/* The next record as it is in the file. */
static struct lane_error *next_plain(struct lane_perf_records *records,
				     struct lane_perf_record *record, bool *more)
{
	uint64_t at = decode_perf_records_place(records);
	struct lane_error *err;
	struct record_head head;
	bool there;

	*more = at < records->end;
	if (!*more)
		return NULL;
	err = need(records, sizeof(head), &there);
	if (err)
		return err;
	if (!there)
		return perf_records_bad(records, at,
					"a record is cut off (was the recording completed?)");
	memcpy(&head, records->buffer + records->from, sizeof(head));
	if (head.size < sizeof(head))
		return perf_records_bad(records, at,
					"a record without a size: the file is damaged");
	err = need(records, head.size, &there);
	if (err)
		return err;
	if (!there)
		return perf_records_bad(records, at,
					"a record is cut off (was the recording completed?)");
	*record = (struct lane_perf_record){ head.type, head.misc,
					     records->buffer + records->from + sizeof(head),
					     head.size - sizeof(head), at };
	records->from += head.size;
	return NULL;
}

/* Begins to unpack a record. */
static struct lane_error *begin_packed(struct lane_perf_records *records,
				       const struct lane_perf_record *record)
{
	const uint8_t *data = record->data;
	size_t bytes = record->bytes;
	uint64_t size;

	if (record->type == COMPRESSED2) {
		if (bytes < sizeof(size))
			return perf_records_bad(records, record->at,
						"a compressed record is damaged");
		memcpy(&size, data, sizeof(size));
		data += sizeof(size);
		bytes -= sizeof(size);
		if (size > bytes)
			return perf_records_bad(records, record->at,
						"a compressed record is damaged");
		bytes = (size_t)size;
	}
	if (!records->plain) {
		records->plain = malloc(READ_BYTES + RECORD_BYTES);
		records->zstd = ZSTD_createDCtx();
		if (!records->plain || !records->zstd)
			return &lane_enomem;
		ZSTD_DCtx_setParameter(records->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	}
	records->packed = (ZSTD_inBuffer){ data, bytes, 0 };
	records->packed_at = record->at;
	return NULL;
}

/* Unpacks as much as there is room for. */
static struct lane_error *perf_records_unpack(struct lane_perf_records *records)
{
	size_t rest = records->plain_to - records->plain_from, result;
	ZSTD_outBuffer out = { records->plain, READ_BYTES + RECORD_BYTES, rest };
	size_t before = records->packed.pos;

	if (lane_stop_signal)
		return lane_error("interrupted");
	memmove(records->plain, records->plain + records->plain_from, rest);
	result = ZSTD_decompressStream(records->zstd, &out, &records->packed);
	records->plain_from = 0;
	records->plain_to = out.pos;
	records->unpacked += out.pos - rest;
	if (ZSTD_isError(result))
		return perf_records_bad(records, records->packed_at,
					"a compressed record is damaged");
	if (records->unpacked > UNPACKED_MIB * 1048576ull + UNPACKED_RATIO * records->file_bytes)
		return perf_records_bad(records, records->packed_at,
					"a compressed record becomes larger than records can");
	if (out.pos == rest && records->packed.pos == before &&
	    records->packed.pos < records->packed.size)
		return perf_records_bad(records, records->packed_at,
					"a compressed record is damaged");
	records->is_full = out.pos == out.size;
	return NULL;
}

/* The next record of those that were unpacked; *there is false when there is no whole one. */
static struct lane_error *next_unpacked(struct lane_perf_records *records,
					struct lane_perf_record *record, bool *there)
{
	size_t rest = records->plain_to - records->plain_from;
	struct record_head head;

	*there = false;
	if (rest < sizeof(head))
		return NULL;
	memcpy(&head, records->plain + records->plain_from, sizeof(head));
	if (head.size < sizeof(head))
		return perf_records_bad(records, records->packed_at,
					"a record without a size: the file is damaged");
	if (rest < head.size)
		return NULL;
	*record = (struct lane_perf_record){ head.type, head.misc,
					     records->plain + records->plain_from + sizeof(head),
					     head.size - sizeof(head), records->packed_at };
	records->plain_from += head.size;
	*there = true;
	return NULL;
}

struct lane_error *decode_perf_records_next(struct lane_perf_records *records,
					    struct lane_perf_record *record, bool *more)
{
	struct lane_error *err;

	for (;;) {
		err = next_unpacked(records, record, more);
		if (err || *more)
			return err;
		if (records->packed.pos < records->packed.size || records->is_full) {
			err = perf_records_unpack(records);
			if (err)
				return err;
			continue;
		}
		err = next_plain(records, record, more);
		if (!err && !*more && records->plain_from < records->plain_to) {
			records->plain_from = records->plain_to;
			return perf_records_bad(records, records->packed_at,
						"a compressed record is cut off");
		}
		if (err || !*more || (record->type != COMPRESSED && record->type != COMPRESSED2))
			return err;
		err = begin_packed(records, record);
		if (err)
			return err;
	}
}

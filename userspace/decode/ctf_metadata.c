// SPDX-License-Identifier: MIT
// Reads a CTF trace's metadata: text as it is, or in the packets that LTTng writes.
#include <byteswap.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "decode/ctf_schema.h"

enum {
	MAGIC = 0x75d11d57,
	HEAD_BYTES = 37,
	CONTENT_BITS_AT = 24,
	PACKET_BITS_AT = 28,
	PACKED_AT = 32, /* compression, encryption: none is known */
	MOST_BYTES = 32 << 20,
	FIRST_BYTES = 16 << 10, /* among which the trace's uuid is */
};

static uint32_t read_u32(const char *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_32(value) : value;
}

/* Moves the packets' contents together; false: they are none, or packed in some way. */
static bool unpack(char *bytes, size_t *n)
{
	bool swap = read_u32(bytes, false) != MAGIC;
	size_t to = 0;

	for (size_t at = 0; at < *n;) {
		size_t rest = *n - at, content, packet;

		if (rest < HEAD_BYTES || read_u32(bytes + at, swap) != MAGIC ||
		    bytes[at + PACKED_AT] || bytes[at + PACKED_AT + 1])
			return false;
		content = read_u32(bytes + at + CONTENT_BITS_AT, swap) / 8;
		packet = read_u32(bytes + at + PACKET_BITS_AT, swap) / 8;
		if (content < HEAD_BYTES || content > packet || content > rest)
			return false;
		memmove(bytes + to, bytes + at + HEAD_BYTES, content - HEAD_BYTES);
		to += content - HEAD_BYTES;
		at += packet < rest ? packet : rest;
	}
	*n = to;
	return true;
}

/* The file's bytes, at most limit of them; the caller's. */
static struct lane_error *read_file(const char *path, size_t limit, char **bytes, size_t *n)
{
	LANE_CLEANUP(lane_free) char *name = NULL;
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	struct lane_error *err;
	struct stat st;
	size_t room;

	if (asprintf(&name, "%s/metadata", path) < 0) {
		name = NULL;
		return &lane_enomem;
	}
	err = lane_file_fopen(name, &from);
	if (err)
		return err;
	if (fstat(fileno(from), &st))
		return lane_error_errno(errno, "%s", name);
	room = (size_t)st.st_size < limit ? (size_t)st.st_size : limit;
	*bytes = malloc(room + 4);
	if (!*bytes)
		return &lane_enomem;
	memset(*bytes, 0, 4);
	*n = fread(*bytes, 1, room, from);
	return NULL;
}

struct lane_error *decode_schema_read(const char *path, const struct lane_names *names,
				      struct lane_schema **schema, uint64_t *bytes, char *why,
				      size_t size)
{
	static const char begin[] = "/* CTF 1.8";
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err;
	uint32_t magic;
	size_t n = 0;

	*schema = NULL;
	*bytes = 0;
	err = read_file(path, MOST_BYTES + 1, &text, &n);
	if (err)
		return err;
	*bytes = n;
	snprintf(why, size, "its metadata are large");
	if (n > MOST_BYTES)
		return NULL;
	magic = read_u32(text, false);
	if (magic == MAGIC || bswap_32(magic) == MAGIC) {
		snprintf(why, size, "its metadata are packed in some way");
		if (!unpack(text, &n))
			return NULL;
	} else if (n < sizeof(begin) || memcmp(text, begin, sizeof(begin) - 1) != 0) {
		snprintf(why, size, "its metadata do not begin as CTF 1.8's");
		return NULL;
	}
	*schema = decode_schema_make(text, n, names, why, size);
	return NULL;
}

bool decode_ctf_trace_uuid(const char *path, uint8_t uuid[16])
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err;
	char *at, *end;
	size_t n = 0;

	err = read_file(path, FIRST_BYTES, &text, &n);
	if (err) {
		lane_error_free(err);
		return false;
	}
	text[n] = '\0';
	/* The packets' heads are in it, too; the trace's uuid lies within the first packet. */
	at = memmem(text, n, "uuid = \"", 8);
	end = at ? memchr(at + 8, '"', n - (size_t)(at + 8 - text)) : NULL;
	/* Without one of the trace, the first is a clock's. */
	if (!end || memmem(text, (size_t)(at - text), "clock {", 7))
		return false;
	*end = '\0';
	return decode_tsdl_uuid(at + 8, uuid);
}

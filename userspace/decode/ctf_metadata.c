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
	MAJOR_AT = 35,	/* of CTF's version */
	MOST_BYTES = 32 << 20,
	FIRST_BYTES = 16 << 10, /* among which the trace's uuid is */
};

static uint32_t read_u32(const char *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_32(value) : value;
}

/*
 * Moves the contents of the packets together, whose heads are in the byte order of their magic (CTF
 * 1.8, section 7.1; CTF 2's are the same). Of the last one the padding may be cut off.
 */
static struct lane_error *ctf_metadata_unpack(const char *name, char *bytes, size_t *n)
{
	bool swap = read_u32(bytes, false) != MAGIC;
	size_t to = 0;

	for (size_t at = 0; at < *n;) {
		const char *head = bytes + at;
		size_t rest = *n - at, content = 0, packet = 0;

		if (rest >= HEAD_BYTES && read_u32(head, swap) == MAGIC) {
			content = read_u32(head + CONTENT_BITS_AT, swap);
			packet = read_u32(head + PACKET_BITS_AT, swap);
		}
		if (content % 8 || packet % 8 || content / 8 < HEAD_BYTES || content > packet ||
		    content / 8 > rest)
			return lane_error("%s: the packet at byte %zu is cut off or damaged (was "
					  "the recording completed?)",
					  name, at);
		if (head[PACKED_AT] || head[PACKED_AT + 1])
			return lane_error("%s: the packet at byte %zu is compressed or encrypted",
					  name, at);
		if (head[MAJOR_AT] != 1 && head[MAJOR_AT] != 2)
			return lane_error(
				"%s: the packet at byte %zu is of CTF %d, and only CTF 1.8 "
				"and CTF 2 can be read",
				name, at, head[MAJOR_AT]);
		memmove(bytes + to, head + HEAD_BYTES, content / 8 - HEAD_BYTES);
		to += content / 8 - HEAD_BYTES;
		at += packet / 8;
	}
	*n = to;
	return NULL;
}

/* The bytes of the metadata in path, at most limit of them, and their name; both the caller's. */
static struct lane_error *ctf_metadata_read_file(const char *path, size_t limit, char **name,
						 char **bytes, size_t *n)
{
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	struct lane_error *err;
	struct stat st;
	size_t room;

	if (asprintf(name, "%s/metadata", path) < 0) {
		*name = NULL;
		return &lane_enomem;
	}
	err = lane_file_fopen(*name, &from);
	if (err)
		return err;
	if (fstat(fileno(from), &st))
		return lane_error_errno(errno, "%s", *name);
	room = (size_t)st.st_size < limit ? (size_t)st.st_size : limit;
	*bytes = malloc(room + 4);
	if (!*bytes)
		return &lane_enomem;
	memset(*bytes, 0, 4);
	*n = fread(*bytes, 1, room, from);
	return NULL;
}

struct lane_error *decode_schema_read(const char *path, const struct lane_names *names,
				      struct lane_schema **schema, uint64_t *bytes)
{
	static const char begin[] = "/* CTF 1.8";
	LANE_CLEANUP(lane_free) char *text = NULL;
	LANE_CLEANUP(lane_free) char *name = NULL;
	struct lane_error *err;
	bool are_packets;
	char why[160];
	size_t n = 0;

	err = ctf_metadata_read_file(path, MOST_BYTES + 1, &name, &text, &n);
	if (err)
		return err;
	*bytes = n;
	if (!n)
		return lane_error("%s: it is empty (was the recording completed?)", name);
	if (n > MOST_BYTES)
		return lane_error("%s: it is larger than %d MiB", name, MOST_BYTES >> 20);
	are_packets = read_u32(text, false) == MAGIC || read_u32(text, true) == MAGIC;
	err = are_packets ? ctf_metadata_unpack(name, text, &n) : NULL;
	if (err)
		return err;
	if (!are_packets && *text != LANE_CTF2_BEGIN &&
	    (n < sizeof(begin) || memcmp(text, begin, sizeof(begin) - 1) != 0))
		return lane_error("%s: it begins neither as CTF 1.8 does, with `%s', nor as CTF 2, "
				  "with a record separator",
				  name, begin);
	*schema = decode_schema_make(text, n, names, why, sizeof(why));
	return *schema ? NULL : lane_error("%s: %s", name, why);
}

bool decode_ctf_trace_uuid(const char *path, uint8_t uuid[16])
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	LANE_CLEANUP(lane_free) char *name = NULL;
	struct lane_error *err;
	char *at, *end;
	size_t n = 0;

	err = ctf_metadata_read_file(path, FIRST_BYTES, &name, &text, &n);
	if (err) {
		lane_error_free(err);
		return false;
	}
	text[n] = '\0';
	at = read_u32(text, false) == MAGIC || read_u32(text, true) == MAGIC ? text + HEAD_BYTES
									     : text;
	if ((size_t)(at - text) < n && *at == LANE_CTF2_BEGIN)
		return decode_ctf2_uuid(at, n - (size_t)(at - text), uuid);
	/* The packets' heads are in it, too; the trace's uuid lies within the first packet. */
	at = memmem(text, n, "uuid = \"", 8);
	end = at ? memchr(at + 8, '"', n - (size_t)(at + 8 - text)) : NULL;
	/* Without one of the trace, the first is a clock's. */
	if (!end || memmem(text, (size_t)(at - text), "clock {", 7))
		return false;
	*end = '\0';
	return decode_tsdl_uuid(at + 8, uuid);
}

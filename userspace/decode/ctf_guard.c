// SPDX-License-Identifier: MIT
// Checks the packets of CTF metadata: their heads' sizes, and that they lie in the file. Looks at
// what lies beside them.
#include "decode/ctf_guard.h"

#include <byteswap.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

/* The head of a metadata packet, CTF 1.8 section 7.1: in the byte order of its magic. */
enum {
	MAGIC = 0x75d11d57,
	HEAD_BYTES = 37,
	CONTENT_BITS_AT = 24,
	PACKET_BITS_AT = 28,
	MAJOR_AT = 35,
	RECORD_SEPARATOR = 0x1e,  /* what the text of CTF 2 metadata begins with */
	FILE_MAP_BYTES = 8 << 20, /* what libbabeltrace2 maps of a file at a time */
};

static uint32_t read_u32(const uint8_t *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? bswap_32(value) : value;
}

/*
 * Checks the packet whose head this is, with rest bytes from it to the file's end. What is cut off
 * may be padding.
 */
static bool check_head(const uint8_t *head, uint64_t rest, uint32_t *packet_bytes)
{
	bool swap = read_u32(head, false) != MAGIC;
	uint32_t content_bits = read_u32(head + CONTENT_BITS_AT, swap);
	uint32_t packet_bits = read_u32(head + PACKET_BITS_AT, swap);

	*packet_bytes = packet_bits / 8;
	return read_u32(head, swap) == MAGIC && !(packet_bits % 8) && !(content_bits % 8) &&
	       content_bits >= 8 * HEAD_BYTES && content_bits <= packet_bits &&
	       content_bits / 8 <= rest;
}

/* CTF 2: its metadata are JSON, in packets of that version or as they are. */
static bool is_ctf2(const uint8_t *head, size_t n, bool is_packet)
{
	return is_packet ? n > MAJOR_AT && head[MAJOR_AT] == 2
			 : n && (*head == RECORD_SEPARATOR || *head == '{');
}

struct lane_error *decode_ctf_guard(const char *path)
{
	LANE_CLEANUP(lane_free) char *name = NULL;
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	uint8_t head[HEAD_BYTES];
	struct lane_error *err;
	bool is_packet = false;
	uint64_t at = 0;
	long bytes;

	if (asprintf(&name, "%s/metadata", path) < 0)
		return &lane_enomem;
	err = lane_file_fopen(name, &from);
	if (err)
		return err;
	if (fseek(from, 0, SEEK_END))
		return lane_error_errno(errno, "%s", name);
	bytes = ftell(from);
	if (bytes < 0)
		return lane_error_errno(errno, "%s", name);
	if (!bytes)
		return lane_error("%s: it is empty (was the recording completed?)", name);
	while (at < (uint64_t)bytes) {
		uint32_t packet_bytes;
		size_t n;

		if (fseek(from, (long)at, SEEK_SET))
			return lane_error_errno(errno, "%s", name);
		n = fread(head, 1, sizeof(head), from);
		if (!at) {
			is_packet = n >= 4 && (read_u32(head, false) == MAGIC ||
					       read_u32(head, true) == MAGIC);
			if (is_ctf2(head, n, is_packet))
				return lane_error("%s: it is CTF 2, and only CTF 1.8 can be read "
						  "(lttng create --trace-format=ctf-1.8 has it "
						  "recorded)",
						  name);
			/* Metadata that are text have no packets. */
			if (!is_packet)
				return NULL;
		}
		if (n < sizeof(head) || !check_head(head, (uint64_t)bytes - at, &packet_bytes))
			return lane_error("%s: the packet at byte %" PRIu64
					  " is cut off or damaged (was the recording completed?)",
					  name, at);
		at += packet_bytes;
	}
	return NULL;
}

static void look_at(struct lane_ctf_survey *survey, int dir_fd, const char *dir, const char *name)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, 0)) {
		if (!survey->odd)
			survey->odd = lane_error_errno(errno, "%s/%s", dir, name);
		return;
	}
	if (S_ISREG(st.st_mode)) {
		survey->files++;
		survey->bytes += (uint64_t)st.st_size;
		survey->map_bytes +=
			st.st_size < FILE_MAP_BYTES ? (uint64_t)st.st_size : FILE_MAP_BYTES;
	} else if (!S_ISDIR(st.st_mode) && !survey->odd) {
		survey->odd = lane_error("%s/%s: it is %s (only regular files are read)", dir, name,
					 lane_file_type(st.st_mode));
	}
}

struct lane_error *decode_ctf_survey(const char *path, struct lane_ctf_survey *survey)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return lane_error_errno(errno, "%s", path);
	while ((entry = readdir(dir)))
		if (*entry->d_name != '.')
			look_at(survey, dirfd(dir), path, entry->d_name);
	return NULL;
}

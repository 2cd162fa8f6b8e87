// SPDX-License-Identifier: MIT
// gl-ctf2-twin [--packets] DIR...: the CTF 1.8 metadata of the traces below each directory, written
// anew as CTF 2. --packets puts them into packets, as LTTng does for the kernel. Fails where CTF 2
// has no such thing.
#include <ftw.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "twin.h"

enum {
	MAGIC = 0x75d11d57,
	HEAD_BYTES = 37,
	PACKET_BYTES = 4096,
};

static bool in_packets;
static unsigned int written;
static const char *current;

static void die(const char *why)
{
	fprintf(stderr, "%s: %s\n", current, why);
	exit(1);
}

/* --- files --- */

/* The text of metadata in packets, moved together. */
static size_t unpack(char *text, size_t n)
{
	uint32_t magic, content, packet;
	size_t to = 0;

	for (size_t at = 0; at + HEAD_BYTES <= n; at += packet / 8) {
		memcpy(&magic, text + at, 4);
		memcpy(&content, text + at + 24, 4);
		memcpy(&packet, text + at + 28, 4);
		if (magic != MAGIC || content / 8 > n - at || content / 8 < HEAD_BYTES ||
		    packet / 8 < HEAD_BYTES)
			die("no packets of this machine's order");
		memmove(text + to, text + at + HEAD_BYTES, content / 8 - HEAD_BYTES);
		to += content / 8 - HEAD_BYTES;
	}
	return to;
}

static void put_packets(FILE *to, const uint8_t uuid[16], const char *text, size_t n)
{
	for (size_t at = 0, part; at < n; at += part) {
		uint8_t packet[PACKET_BYTES] = { 0 };
		uint32_t magic = MAGIC, bits, all = 8 * PACKET_BYTES;

		part = n - at < PACKET_BYTES - HEAD_BYTES ? n - at : PACKET_BYTES - HEAD_BYTES;
		bits = (uint32_t)(part + HEAD_BYTES) * 8;
		memcpy(packet, &magic, 4);
		memcpy(packet + 4, uuid, 16);
		memcpy(packet + 24, &bits, 4);
		memcpy(packet + 28, &all, 4);
		packet[35] = 2;
		memcpy(packet + HEAD_BYTES, text + at, part);
		fwrite(packet, 1, PACKET_BYTES, to);
	}
}

static char *read_text(size_t *n)
{
	FILE *from = fopen(current, "re");
	char *text = malloc(64 << 20);

	if (!from || !text)
		die("cannot be read");
	*n = fread(text, 1, 64 << 20, from);
	fclose(from);
	if (*n > HEAD_BYTES && !memcmp(text, "\x57\x1d\xd1\x75", 4))
		*n = unpack(text, *n);
	return text;
}

static void rewrite(void)
{
	char why[160], *text, *made = NULL;
	const char *fault;
	size_t n, size = 0;
	struct lane_tsdl *parsed;
	FILE *to;

	text = read_text(&n);
	parsed = decode_tsdl_parse(text, n, why, sizeof(why));
	if (!parsed)
		die(why);
	to = open_memstream(&made, &size);
	fault = twin_write(to, parsed);
	fclose(to);
	if (fault)
		die(fault);
	unlink(current);
	to = fopen(current, "we");
	if (!to)
		die("cannot be written");
	if (in_packets)
		put_packets(to, parsed->uuid, made, size);
	else
		fwrite(made, 1, size, to);
	fclose(to);
	free(made);
	free(text);
	decode_tsdl_free(parsed);
	written++;
}

static int look(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	if (type == FTW_F && !strcmp(path + where->base, "metadata")) {
		current = path;
		rewrite();
	}
	return 0;
}

int main(int argc, char **argv)
{
	in_packets = argc > 1 && !strcmp(argv[1], "--packets");
	for (int i = 1 + in_packets; i < argc; i++)
		if (nftw(argv[i], look, 16, FTW_PHYS)) {
			fprintf(stderr, "%s cannot be read\n", argv[i]);
			return 2;
		}
	if (!written)
		puts("no metadata");
	return !written;
}

// SPDX-License-Identifier: MIT
// Compresses the packets of a Perfetto trace, as its service does when it is asked to.
//
//   pack zlib|zstd <TRACE >TRACE
//
// Each Trace.packet is read as it is; some of them together become the compressed_packets (zlib) or
// zstd_compressed_packets of one new packet.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
	MAX_BYTES = 64 << 20,
	GROUP_BYTES = 32 << 10,
};

static unsigned char in[MAX_BYTES], out[GROUP_BYTES * 4];

static void die(const char *why)
{
	fprintf(stderr, "pack: %s\n", why);
	exit(1);
}

static size_t get_varint(const unsigned char *from, size_t *value)
{
	size_t n = 0;

	*value = 0;
	do
		*value |= (size_t)(from[n] & 0x7f) << 7 * n;
	while (from[n++] & 0x80);
	return n;
}

static size_t put_varint(unsigned char *to, size_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		to[n++] = (unsigned char)(value | 0x80);
	to[n++] = (unsigned char)value;
	return n;
}

static void put_group(const unsigned char *from, size_t n, int is_zstd)
{
	unsigned char field[16], packet[16];
	uLongf bytes = sizeof(out);
	size_t field_bytes, packet_bytes;

	if (is_zstd)
		bytes = ZSTD_compress(out, sizeof(out), from, n, 3);
	else if (compress(out, &bytes, from, n) != Z_OK)
		die("it cannot be compressed");
	if (bytes > sizeof(out))
		die("it cannot be compressed");
	field_bytes = put_varint(field, is_zstd ? 133 << 3 | 2 : 50 << 3 | 2);
	field_bytes += put_varint(field + field_bytes, bytes);
	packet_bytes = put_varint(packet, 1 << 3 | 2);
	packet_bytes += put_varint(packet + packet_bytes, field_bytes + bytes);
	fwrite(packet, 1, packet_bytes, stdout);
	fwrite(field, 1, field_bytes, stdout);
	fwrite(out, 1, bytes, stdout);
}

int main(int argc, char **argv)
{
	size_t n = fread(in, 1, sizeof(in) - 16, stdin), begin = 0, at = 0, size;

	if (argc != 2 || n == sizeof(in) - 16)
		die("usage: pack zlib|zstd <TRACE");
	while (at < n) {
		size_t head = 1 + get_varint(in + at + 1, &size);

		if (in[at] != (1 << 3 | 2) || size > n - at - head)
			die("no packet");
		if (at + head + size - begin > GROUP_BYTES && at > begin) {
			put_group(in + begin, at - begin, !strcmp(argv[1], "zstd"));
			begin = at;
		}
		at += head + size;
	}
	if (at > begin)
		put_group(in + begin, at - begin, !strcmp(argv[1], "zstd"));
	return fflush(stdout) ? 1 : 0;
}

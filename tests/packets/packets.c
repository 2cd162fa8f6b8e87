// SPDX-License-Identifier: MIT
// gl-packets DIR...: the packets of the CTF traces below each directory that gpulane has written,
// as Trace Compass indexes them. Prints a line per fault; fails when there is one, or no stream at
// all.
//
// Trace Compass ends a stream, without a word, at a packet that is not its first and that has no
// event, or that begins before the one before it (StreamInputPacketIndex.append, of 2026). A
// recording that was killed while a stream grew ends with such packets: with --cut they are no
// fault as long as nothing follows them and they tell no loss.
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctf_packet.h"

static bool cut;
static unsigned int streams, faults;

static void fault(const char *path, uint64_t at, const char *what)
{
	printf("%s: packet at byte %" PRIu64 ": %s\n", path, at, what);
	faults++;
}

static bool is_empty(const struct lane_ctf_packet *head)
{
	return head->content_bits <= 8 * LANE_CTF_HEAD_BYTES;
}

/* What is wrong with a packet that is not its stream's first. */
static const char *fault_of(const struct lane_ctf_packet *before,
			    const struct lane_ctf_packet *head, bool after_empty)
{
	if (is_empty(head) && head->events_discarded != before->events_discarded)
		return "a loss in a packet without events";
	if (is_empty(head) && !cut)
		return "no events";
	if (!is_empty(head) && after_empty)
		return "events after a packet without any";
	if (head->timestamp_begin < before->timestamp_begin)
		return "begins before the packet before it";
	return NULL;
}

static void check_stream(const char *path, int fd, uint64_t bytes)
{
	struct lane_ctf_packet before = { 0 }, head = { 0 };
	bool after_empty = false;
	const char *what;

	for (uint64_t at = 0; at < bytes; at += head.packet_bits / 8) {
		if (pread(fd, &head, LANE_CTF_HEAD_BYTES, (off_t)at) != LANE_CTF_HEAD_BYTES ||
		    head.magic != LANE_CTF_MAGIC || head.packet_bits < 8 * sizeof(head) ||
		    head.packet_bits / 8 > bytes - at) {
			fault(path, at, "is none");
			return;
		}
		what = at ? fault_of(&before, &head, after_empty) : NULL;
		if (what)
			fault(path, at, what);
		after_empty = at && (after_empty || is_empty(&head));
		before = head;
	}
}

/* Only what gpulane has written has its heads: metadata names it. */
static bool is_ours(const char *stream)
{
	static char metadata[1 << 20], path[4096];
	const char *slash = strrchr(stream, '/');
	size_t n;
	FILE *from;

	snprintf(path, sizeof(path), "%.*s/metadata", slash ? (int)(slash - stream) : 0, stream);
	from = fopen(path, "re");
	if (!from)
		return false;
	n = fread(metadata, 1, sizeof(metadata) - 1, from);
	fclose(from);
	metadata[n] = '\0';
	return strstr(metadata, "\n\tgpulane_version = ") != NULL;
}

static int look(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const char *name = path + where->base;
	int fd;

	if (type != FTW_F || !st->st_size || !strcmp(name, "metadata") || *name == '.' ||
	    !is_ours(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		return -1;
	}
	streams++;
	check_stream(path, fd, (uint64_t)st->st_size);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	cut = argc > 1 && !strcmp(argv[1], "--cut");
	for (int i = 1 + cut; i < argc; i++)
		if (nftw(argv[i], look, 16, FTW_PHYS)) {
			fprintf(stderr, "%s cannot be read\n", argv[i]);
			return 2;
		}
	if (!streams)
		puts("no stream of gpulane's");
	return faults || !streams;
}

// SPDX-License-Identifier: MIT
// Appending packets to a stream's file such that every moment leaves a readable one.
//
// A file always ends with a packet, on a page (but for copies, which can be made again: there
// packets below a page take the bytes that they have). (1) One write appends pages that are an
// empty packet each; wherever a signal cuts it, a whole number of pages is there. (2) Eight bytes
// make the first of them contain the others as padding. (3) The events go into that padding. (4)
// The head, within one page, tells of them. A packet of one page is appended as it is.
#include "base/ctf_packet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Writes all of it or says why not; a short write without a reason is a full disk. */
static int write_at(int fd, const void *data, size_t bytes, uint64_t at)
{
	while (bytes) {
		ssize_t n = pwrite(fd, data, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		data = (const char *)data + n;
		bytes -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* (1) Appends n empty packets of a page each. */
static int ctf_packet_grow(struct lane_ctf_file *file, const struct lane_ctf_packet *head, size_t n)
{
	struct lane_ctf_packet empty = *head;
	uint64_t at = file->bytes;
	char *pages = file->pages;

	empty.timestamp_begin = empty.timestamp_end = file->head.timestamp_end;
	empty.events_discarded = file->head.events_discarded;
	empty.content_bits = LANE_CTF_HEAD_BYTES * 8;
	empty.packet_bits = LANE_CTF_PAGE * 8;
	while (n) {
		size_t now = n < LANE_CTF_GROW_PAGES ? n : LANE_CTF_GROW_PAGES;
		int errnum;

		for (size_t i = 0; i < now; i++, empty.packet_seq_num++)
			memcpy(pages + i * LANE_CTF_PAGE, &empty, sizeof(empty));
		errnum = write_at(file->fd, pages, now * LANE_CTF_PAGE, at);
		if (errnum)
			return errnum;
		at += now * LANE_CTF_PAGE;
		n -= now;
	}
	return 0;
}

/* A packet that fits a page is appended at once: nobody ever sees a part of it. */
static int put_page(struct lane_ctf_file *file, const struct lane_ctf_packet *head,
		    const char *data, size_t bytes)
{
	char page[LANE_CTF_PAGE];

	memcpy(page, head, sizeof(*head));
	memcpy(page + sizeof(*head), data, bytes);
	memset(page + sizeof(*head) + bytes, 0, sizeof(page) - sizeof(*head) - bytes);
	return write_at(file->fd, page, head->packet_bits / 8, file->bytes);
}

static int put_pages(struct lane_ctf_file *file, const struct lane_ctf_packet *head,
		     const char *data, size_t bytes)
{
	uint64_t at = file->bytes;
	int errnum;

	errnum = ctf_packet_grow(file, head, head->packet_bits / 8 / LANE_CTF_PAGE);
	if (!errnum)
		errnum = write_at(file->fd, &head->packet_bits, sizeof(head->packet_bits),
				  at + offsetof(struct lane_ctf_packet, packet_bits));
	if (!errnum)
		errnum = write_at(file->fd, data, bytes, at + sizeof(*head));
	if (!errnum)
		errnum = write_at(file->fd, head, sizeof(*head), at);
	return errnum;
}

int lane_ctf_put(struct lane_ctf_file *file, struct lane_ctf_packet *head, const char *data,
		 size_t bytes, size_t unpadded)
{
	uint64_t size = sizeof(*head) + bytes;
	int errnum;

	if (!file->is_dense || size > LANE_CTF_PAGE)
		size = (size + LANE_CTF_PAGE - 1) & ~(uint64_t)(LANE_CTF_PAGE - 1);
	head->content_bits = 8 * (bytes ? sizeof(*head) + unpadded : LANE_CTF_HEAD_BYTES);
	head->packet_bits = 8 * size;
	if (size <= LANE_CTF_PAGE)
		errnum = put_page(file, head, data, bytes);
	else
		errnum = put_pages(file, head, data, bytes);
	if (errnum) {
		/* Should this fail too, what is there are empty packets, and the first error tells.
		 */
		int cut = ftruncate(file->fd, (off_t)file->bytes);

		(void)cut;
		return errnum;
	}
	file->head = *head;
	file->head_at = file->bytes;
	file->bytes += size;
	return 0;
}

int lane_ctf_amend(struct lane_ctf_file *file, uint64_t end_ns, uint64_t discarded)
{
	struct lane_ctf_packet head = file->head;
	int errnum;

	if (end_ns > head.timestamp_end)
		head.timestamp_end = end_ns;
	head.events_discarded = discarded;
	errnum = write_at(file->fd, &head, sizeof(head), file->head_at);
	if (!errnum)
		file->head = head;
	return errnum;
}

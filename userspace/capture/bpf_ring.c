// SPDX-License-Identifier: MIT
// The collector's side of one CPU's BPF ring buffer (layout: the kernel's
// Documentation/bpf/ringbuf.rst).
#include "capture/bpf_ring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel gets room back after so many bytes, not after every record. */
#define RELEASE_BYTES 65536

struct lane_error *lane_bpf_ring_open(struct lane_bpf_ring *ring, unsigned int cpu, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	*ring = (struct lane_bpf_ring){ .cpu = cpu, .fd = -1, .bytes = bytes, .page_bytes = page };
	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, bytes, NULL);
	if (ring->fd < 0 && errno == EPERM)
		return lane_error("BPF: no permission to make buffers (run as root, or give the "
				  "program CAP_BPF and CAP_PERFMON)");
	if (ring->fd < 0)
		return lane_error_errno(errno, "buffer of %zu bytes for CPU %u", bytes, cpu);
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (map == MAP_FAILED)
		return lane_error_errno(errno, "buffer for CPU %u: cannot be mapped", cpu);
	ring->consumer = map;
	map = mmap(NULL, page + 2 * bytes, PROT_READ, MAP_SHARED, ring->fd, (off_t)page);
	if (map == MAP_FAILED)
		return lane_error_errno(errno, "buffer for CPU %u: cannot be mapped", cpu);
	ring->producer = map;
	ring->data = (const char *)map + page;
	return NULL;
}

void lane_bpf_ring_close(struct lane_bpf_ring *ring)
{
	if (ring->consumer)
		munmap(ring->consumer, ring->page_bytes);
	if (ring->producer)
		munmap((void *)ring->producer, ring->page_bytes + 2 * ring->bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	ring->consumer = NULL;
	ring->producer = NULL;
	ring->fd = -1;
}

/* Whether a record of this length is what its kind says. */
static bool sound(const struct lane_wire *wire, unsigned int bytes)
{
	return bytes >= sizeof(*wire) && wire->kind < LANE_KIND_COUNT &&
	       bytes >= sizeof(*wire) + lane_kinds[wire->kind].payload_bytes;
}

struct lane_error *lane_bpf_ring_drain(struct lane_bpf_ring *ring, lane_bpf_record_fn *record,
				       void *data, struct lane_bpf_drained *drained)
{
	unsigned long producer = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	unsigned long consumer = *ring->consumer, released = consumer;
	struct lane_error *err = NULL;

	*drained = (struct lane_bpf_drained){ .filled = producer - consumer };
	while (consumer < producer && !err) {
		const char *at = ring->data + (consumer & (ring->bytes - 1));
		unsigned int header = __atomic_load_n((const unsigned int *)at, __ATOMIC_ACQUIRE);
		unsigned int bytes = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (header & BPF_RINGBUF_BUSY_BIT)
			break;
		if (bytes > producer - consumer)
			return lane_error("buffer of CPU %u: damaged", ring->cpu);
		if (!(header & BPF_RINGBUF_DISCARD_BIT)) {
			const void *wire = at + BPF_RINGBUF_HDR_SZ;

			if (!sound(wire, bytes))
				return lane_error("buffer of CPU %u: a record that is no event",
						  ring->cpu);
			err = record(data, wire);
			drained->records++;
		}
		consumer += (bytes + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
		if (consumer - released >= RELEASE_BYTES) {
			__atomic_store_n(ring->consumer, consumer, __ATOMIC_RELEASE);
			released = consumer;
		}
	}
	__atomic_store_n(ring->consumer, consumer, __ATOMIC_RELEASE);
	drained->complete = consumer >= producer;
	return err;
}

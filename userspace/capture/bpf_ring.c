// SPDX-License-Identifier: MIT
// The collector's side of the CPUs' rings.
#include "capture/bpf_ring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The programs get room back after so many bytes, not after every record. */
#define RELEASE_BYTES 65536

struct lane_error *capture_bpf_memory_open(struct lane_bpf_memory *memory, unsigned int n,
					   size_t bytes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t each = bytes + LANE_BPF_RING_SLACK;
	void *map;

	*memory = (struct lane_bpf_memory){ .fd = -1, .n = n, .bytes = bytes };
	if (!n)
		return NULL;
	memory->fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rings", sizeof(__u32), (unsigned int)each,
				    n, &opts);
	if (memory->fd < 0 && errno == EPERM)
		return lane_error("BPF: no permission to make buffers (run as root, or give the "
				  "program CAP_SYS_ADMIN)");
	if (memory->fd < 0)
		return lane_error_errno(errno, "%u buffers of %zu bytes", n, bytes);
	map = mmap(NULL, n * each, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
	if (map == MAP_FAILED)
		return lane_error_errno(errno, "buffers: cannot be mapped");
	memory->map = map;
	return NULL;
}

void capture_bpf_memory_close(struct lane_bpf_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->n * (memory->bytes + LANE_BPF_RING_SLACK));
	if (memory->fd >= 0)
		close(memory->fd);
	memory->map = NULL;
	memory->fd = -1;
}

void capture_bpf_ring_give(struct lane_bpf_ring *ring, const struct lane_bpf_memory *memory,
			   unsigned int i, unsigned int number, unsigned int cpu,
			   volatile struct lane_bpf_cpu *on)
{
	*ring = (struct lane_bpf_ring){ .cpu = cpu,
					.bytes = memory->bytes,
					.data = memory->map +
						i * (memory->bytes + LANE_BPF_RING_SLACK),
					.on = on };
	on->ring = number + 1;
}

/* Whether a record of this length is what its kind says. */
static bool sound(const struct lane_wire *wire, unsigned int bytes)
{
	return bytes >= sizeof(*wire) && wire->kind < LANE_KIND_COUNT &&
	       bytes >= sizeof(*wire) + lane_kinds[wire->kind].payload_bytes;
}

struct lane_error *capture_bpf_ring_drain(struct lane_bpf_ring *ring, lane_bpf_record_fn *record,
					  void *data, struct lane_bpf_drained *drained)
{
	uint64_t head = __atomic_load_n(&ring->on->head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->on->tail, released = tail;
	struct lane_error *err = NULL;

	*drained = (struct lane_bpf_drained){ .filled = head - tail };
	while (tail < head && !err) {
		char *at = ring->data + (tail & (ring->bytes - 1));
		struct lane_bpf_header *header = (void *)at;
		unsigned int bytes = __atomic_load_n(&header->bytes, __ATOMIC_ACQUIRE);
		size_t all = (sizeof(*header) + bytes + 7) / 8 * 8;

		if (!bytes)
			break;
		if (all > head - tail || bytes > LANE_BPF_RING_SLACK)
			return lane_error("buffer of CPU %u: damaged", ring->cpu);
		if (!sound((void *)(header + 1), bytes))
			return lane_error("buffer of CPU %u: a record that is no event", ring->cpu);
		err = record(data, (void *)(header + 1));
		drained->records++;
		/* Any of this may be the next record's header. */
		memset(at, 0, all);
		tail += all;
		if (tail - released >= RELEASE_BYTES) {
			__atomic_store_n(&ring->on->tail, tail, __ATOMIC_RELEASE);
			released = tail;
		}
	}
	__atomic_store_n(&ring->on->tail, tail, __ATOMIC_RELEASE);
	drained->is_complete = tail >= head;
	return err;
}

uint64_t capture_bpf_ring_stood(struct lane_bpf_ring *ring, const struct lane_bpf_drained *drained,
				uint64_t now_ns)
{
	if (drained->is_complete) {
		ring->stood_since_ns = 0;
		return 0;
	}
	if (!ring->stood_since_ns || ring->stood_at != ring->on->tail) {
		ring->stood_since_ns = now_ns;
		ring->stood_at = ring->on->tail;
	}
	return now_ns - ring->stood_since_ns;
}

// SPDX-License-Identifier: MIT
// The last events in memory: chunks of records, lists of them by CPU.
#include "watch/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/vector.h"

#define MAX_CPUS     8192
#define CHUNK_BYTES  (64u << 10)
#define PACKET_BYTES (256u << 10)

/* What lies between the records: so far all of the CPU had been drained when it was written. */
#define HORIZON ((uint32_t)LANE_KIND_COUNT)

struct ring_chunk {
	struct ring_chunk *next;
	uint64_t newest_ns;
	uint32_t used;
	uint32_t padding;
	char data[];
};

#define CHUNK_ROOM (CHUNK_BYTES - sizeof(struct ring_chunk))

struct ring_cpu {
	struct ring_chunk *first, *last;
	struct lane_wire *horizon; /* what was put last, when that is one */
	bool is_there;
	uint64_t lost;	     /* as last told */
	uint64_t checked_ns; /* and when */
};

struct lane_ring {
	char *memory;
	size_t bytes;
	size_t fresh; /* bytes of the memory that were never used */
	struct ring_cpu *cpus;
	unsigned int n_cpus;
	uint64_t begin_ns;
	uint64_t since_ns;
};

struct lane_error *watch_ring_create(size_t bytes, uint64_t begin_ns, struct lane_ring **ring)
{
	struct lane_ring *new = calloc(1, sizeof(*new));

	if (!new)
		return &lane_enomem;
	new->bytes = (bytes > LANE_RING_MIN_BYTES ? bytes : LANE_RING_MIN_BYTES) /
		     CHUNK_BYTES *CHUNK_BYTES;
	new->memory =
		mmap(NULL, new->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (new->memory == MAP_FAILED) {
		free(new);
		return lane_error_errno(errno, "%zu MiB of memory for the last events",
					bytes >> 20);
	}
	new->begin_ns = new->since_ns = begin_ns;
	*ring = new;
	return NULL;
}

void watch_ring_destroy(struct lane_ring *ring)
{
	if (!ring)
		return;
	munmap(ring->memory, ring->bytes);
	free(ring->cpus);
	free(ring);
}

static struct ring_cpu *ring_cpu_of(struct lane_ring *ring, unsigned int number)
{
	struct ring_cpu *cpu;

	if (number >= MAX_CPUS)
		return NULL;
	if (!LANE_GROW(ring->cpus, ring->n_cpus, (size_t)number + 1))
		return NULL;
	cpu = &ring->cpus[number];
	if (!cpu->is_there)
		cpu->checked_ns = ring->begin_ns;
	cpu->is_there = true;
	return cpu;
}

/* Takes the chunk whose last event is the oldest from its CPU. */
static struct ring_chunk *take_oldest(struct lane_ring *ring)
{
	struct ring_cpu *of = NULL;
	struct ring_chunk *chunk;

	for (unsigned int i = 0; i < ring->n_cpus; i++) {
		struct ring_cpu *cpu = &ring->cpus[i];

		if (cpu->first && (!of || cpu->first->newest_ns < of->first->newest_ns))
			of = cpu;
	}
	if (!of)
		return NULL;
	chunk = of->first;
	of->first = chunk->next;
	if (!of->first) {
		of->last = NULL;
		of->horizon = NULL;
	}
	if (chunk->newest_ns >= ring->since_ns)
		ring->since_ns = chunk->newest_ns + 1;
	return chunk;
}

static struct ring_chunk *new_chunk(struct lane_ring *ring)
{
	struct ring_chunk *chunk;

	if (ring->bytes - ring->fresh >= CHUNK_BYTES) {
		chunk = (struct ring_chunk *)(ring->memory + ring->fresh);
		ring->fresh += CHUNK_BYTES;
	} else {
		chunk = take_oldest(ring);
	}
	if (chunk)
		memset(chunk, 0, sizeof(*chunk));
	return chunk;
}

static size_t record_bytes(const struct lane_wire *record)
{
	return sizeof(*record) +
	       (record->kind == HORIZON ? 0 : lane_kinds[record->kind].payload_bytes);
}

static size_t record_stride(const struct lane_wire *record)
{
	return (record_bytes(record) + 7) & ~(size_t)7;
}

static struct lane_error *ring_put(struct lane_ring *ring, struct ring_cpu *cpu,
				   const struct lane_wire *record)
{
	size_t bytes = record_bytes(record), stride = record_stride(record);
	struct ring_chunk *chunk = cpu->last;

	if (!chunk || CHUNK_ROOM - chunk->used < stride) {
		chunk = new_chunk(ring);
		if (!chunk)
			return &lane_enomem;
		/* The chunk that made room may have been this CPU's last one. */
		*(cpu->last ? &cpu->last->next : &cpu->first) = chunk;
		cpu->last = chunk;
	}
	memcpy(chunk->data + chunk->used, record, bytes);
	cpu->horizon =
		record->kind == HORIZON ? (struct lane_wire *)(chunk->data + chunk->used) : NULL;
	chunk->used += (uint32_t)stride;
	/* Horizons alone do not keep a chunk. */
	if (record->ts_ns > chunk->newest_ns && record->kind != HORIZON)
		chunk->newest_ns = record->ts_ns;
	return NULL;
}

struct lane_error *watch_ring_record(struct lane_ring *ring, unsigned int number,
				     const struct lane_wire *record)
{
	struct ring_cpu *cpu = ring_cpu_of(ring, number);

	if (record->kind >= LANE_KIND_COUNT)
		return lane_error("a record of unknown kind %u", record->kind);
	return cpu ? ring_put(ring, cpu, record) : &lane_enomem;
}

struct lane_error *watch_ring_lost(struct lane_ring *ring, unsigned int number, uint64_t total,
				   uint64_t at_ns)
{
	struct ring_cpu *cpu = ring_cpu_of(ring, number);
	struct lane_lost_record record = { .wire = { .kind = LANE_LOST, .tid = -1, .pid = -1 } };

	if (!cpu)
		return &lane_enomem;
	if (at_ns < cpu->checked_ns)
		at_ns = cpu->checked_ns;
	record.wire.ts_ns = at_ns;
	record.lost = (struct lane_p_gpulane_lost){ .count = total - cpu->lost,
						    .begin_ns = cpu->checked_ns,
						    .end_ns = at_ns,
						    .lost_cpu = (int32_t)number };
	cpu->checked_ns = at_ns;
	if (total <= cpu->lost)
		return NULL;
	cpu->lost = total;
	return ring_put(ring, cpu, &record.wire);
}

struct lane_error *watch_ring_horizon(struct lane_ring *ring, unsigned int number, uint64_t ns)
{
	struct lane_wire record = { .ts_ns = ns, .kind = HORIZON };
	struct ring_cpu *cpu = ring_cpu_of(ring, number);

	if (!cpu)
		return &lane_enomem;
	/* What is newer than the last look at the CPU's losses may turn out to hold one. */
	if (record.ts_ns > cpu->checked_ns)
		record.ts_ns = cpu->checked_ns;
	/* Of a CPU with nothing there is nothing to be put in order. */
	if (!cpu->last)
		return NULL;
	if (!cpu->horizon)
		return ring_put(ring, cpu, &record);
	cpu->horizon->ts_ns = record.ts_ns;
	return NULL;
}

uint64_t watch_ring_since(const struct lane_ring *ring)
{
	return ring->since_ns;
}

/* --- what is in a part of it --- */

struct ring_reader {
	const struct ring_chunk *chunk;
	size_t at;
};

static const struct lane_wire *next(struct ring_reader *reader)
{
	const struct lane_wire *record;

	while (reader->chunk && reader->at == reader->chunk->used) {
		reader->chunk = reader->chunk->next;
		reader->at = 0;
	}
	if (!reader->chunk)
		return NULL;
	record = (const struct lane_wire *)(reader->chunk->data + reader->at);
	reader->at += record_stride(record);
	return record;
}

/* A loss as far as it lies in [from_ns, to_ns]; false: it does not. */
static bool cut_loss(const struct lane_wire *record, uint64_t from_ns, uint64_t to_ns,
		     struct lane_p_gpulane_lost *lost)
{
	memcpy(lost, record + 1, sizeof(*lost));
	if (lost->end_ns < from_ns || lost->begin_ns > to_ns)
		return false;
	if (lost->begin_ns < from_ns)
		lost->begin_ns = from_ns;
	return true;
}

/* Counts a record; false: it is not in this part. */
static bool ring_count(const struct lane_wire *record, uint64_t from_ns, uint64_t to_ns,
		       struct lane_ring_part *part)
{
	struct lane_p_gpulane_lost lost;

	if (record->kind == HORIZON)
		return false;
	if (record->kind == LANE_LOST) {
		if (!cut_loss(record, from_ns, to_ns, &lost))
			return false;
		part->lost += lost.count;
		return true;
	}
	if (record->ts_ns < from_ns || record->ts_ns > to_ns)
		return false;
	part->records++;
	part->bytes += record_stride(record);
	return true;
}

void watch_ring_measure(const struct lane_ring *ring, uint64_t from_ns, uint64_t to_ns,
			struct lane_ring_part *part)
{
	*part = (struct lane_ring_part){ 0 };
	for (unsigned int i = 0; i < ring->n_cpus; i++) {
		struct ring_reader reader = { ring->cpus[i].first, 0 };
		const struct lane_wire *record;

		/* A chunk whose newest record is too old has nothing of the part. */
		while (reader.chunk && reader.chunk->newest_ns < from_ns)
			reader.chunk = reader.chunk->next;
		while ((record = next(&reader)))
			ring_count(record, from_ns, to_ns, part);
	}
}

/* A CPU's part, in the order in which it was drained. */
static struct lane_error *write_cpu(const struct ring_cpu *cpu, struct lane_ctf_stream *stream,
				    uint64_t from_ns, uint64_t to_ns)
{
	struct lane_ring_part part = { 0 };
	struct ring_reader reader = { cpu->first, 0 };
	struct lane_p_gpulane_lost lost;
	const struct lane_wire *record;
	struct lane_error *err = NULL;
	uint64_t total = 0;

	/* From here on losses are told as the tracer tells them: how many in all. */
	err = lane_ctf_lost(stream, 0, from_ns);
	while (!err && (record = next(&reader))) {
		if (record->kind == HORIZON) {
			if (record->ts_ns > from_ns && record->ts_ns <= to_ns) {
				err = lane_ctf_lost(stream, total, record->ts_ns);
				if (!err)
					err = lane_ctf_flush(stream, record->ts_ns);
			}
			continue;
		}
		if (!ring_count(record, from_ns, to_ns, &part))
			continue;
		if (record->kind != LANE_LOST) {
			err = lane_ctf_append(stream, record);
			continue;
		}
		cut_loss(record, from_ns, to_ns, &lost);
		total += lost.count;
		err = lane_ctf_lost(stream, total - lost.count, lost.begin_ns);
		if (!err)
			err = lane_ctf_lost(stream, total, lost.end_ns);
	}
	return err ? err : lane_ctf_flush(stream, UINT64_MAX);
}

static struct lane_error *ring_write_all(const struct lane_ring *ring, struct lane_ctf_trace *trace,
					 uint64_t from_ns, uint64_t to_ns,
					 const struct lane_wire *const *first, size_t n_first)
{
	struct lane_error *err = NULL;

	for (unsigned int i = 0; i < ring->n_cpus && !err; i++) {
		struct lane_ctf_stream *stream;

		if (!ring->cpus[i].is_there)
			continue;
		err = lane_ctf_stream(trace, i, PACKET_BYTES, &stream);
		for (size_t n = 0; n < n_first && !err; n++)
			err = lane_ctf_append(stream, first[n]);
		n_first = 0;
		if (!err)
			err = write_cpu(&ring->cpus[i], stream, from_ns, to_ns);
	}
	return err;
}

struct lane_error *watch_ring_write(const struct lane_ring *ring, int dir_fd, const char *name,
				    const struct lane_ctf_env *env, uint64_t from_ns,
				    uint64_t to_ns, const struct lane_wire *const *first,
				    size_t n_first, struct lane_ring_part *part)
{
	struct lane_ctf_env begins = *env;
	struct lane_ctf_trace *trace;
	struct lane_error *err, *closing;

	*part = (struct lane_ring_part){ 0 };
	begins.begin_ns = from_ns;
	err = lane_ctf_create(dir_fd, name, &begins, &trace);
	if (err)
		return err;
	err = ring_write_all(ring, trace, from_ns, to_ns, first, n_first);
	lane_ctf_figures(trace, &part->records, &part->bytes, &part->lost);
	closing = lane_ctf_close(trace);
	if (!err)
		return closing;
	lane_error_free(closing);
	return err;
}

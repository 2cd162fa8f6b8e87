// SPDX-License-Identifier: MIT
// The CTF writer: a trace of one stream per CPU, records put in order, packets, losses.
#include "base/ctf_packet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/sort.h"

#define MAX_MARKS 8

/* An interval in which the tracer lost events: it ends with `total` lost. */
struct mark {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t total;
};

struct lane_ctf_stream {
	struct lane_ctf_trace *trace;
	struct lane_ctf_stream *next;
	struct lane_ctf_file file;
	size_t packet_bytes;
	uint64_t events; /* in the file */
	bool tells_lost; /* lane_ctf_lost is in use */

	char *pending; /* records not yet written, eight-byte aligned each */
	size_t pending_bytes;
	size_t pending_room;
	uint64_t newest_ns; /* of the pending records */
	bool is_unsorted;

	struct mark marks[MAX_MARKS];
	unsigned int n_marks;
	uint64_t checked_ns;  /* when the tracer's count was last read */
	uint64_t tracer_lost; /* as last read */
	uint64_t told_lost;   /* of these, what the packets written tell */
	uint64_t dropped;     /* records given to us that are not in the file: too late, or after an
				 error */
	uint64_t dropped_ns;  /* the newest of them */
};

struct lane_ctf_trace {
	struct lane_ctf_stream *streams;
	int dir_fd;
	uint8_t uuid[16];
	uint64_t begin_ns;
	bool is_copy;
	bool failed; /* an error was returned: nothing is written any more */
	char *pages; /* the files' */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Bytes of a record in the file, without and with the padding that the next one needs. */
static size_t record_bytes(const struct lane_wire *record)
{
	return sizeof(*record) + lane_kinds[record->kind].payload_bytes;
}

static size_t record_stride(const struct lane_wire *record)
{
	return (record_bytes(record) + 7) & ~(size_t)7;
}

static const struct lane_wire *record_at(const struct lane_ctf_stream *stream, size_t at)
{
	return (const struct lane_wire *)(stream->pending + at);
}

/* --- the trace --- */

static struct lane_error *write_metadata(struct lane_ctf_trace *trace,
					 const struct lane_ctf_env *env)
{
	LANE_CLEANUP(lane_fclose) FILE *to = NULL;
	int fd = openat(trace->dir_fd, ".metadata", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int bad;

	if (fd < 0)
		return lane_error_errno(errno, "recording: metadata");
	to = fdopen(fd, "w");
	if (!to) {
		close(fd);
		return &lane_enomem;
	}
	lane_ctf_write_tsdl(to, env, trace->uuid);
	bad = ferror(to);
	errno = 0;
	if (fclose(LANE_TAKE(to)) || bad)
		return lane_error_errno(errno ? errno : EIO, "recording: metadata");
	if (renameat(trace->dir_fd, ".metadata", trace->dir_fd, "metadata"))
		return lane_error_errno(errno, "recording: metadata");
	return NULL;
}

static void make_uuid(uint8_t uuid[16])
{
	if (getrandom(uuid, 16, 0) != 16) {
		uint64_t seed[2] = { now_ns(), (uint64_t)getpid() };

		memcpy(uuid, seed, 16);
	}
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static struct lane_error *trace_init(struct lane_ctf_trace *trace, int dir_fd, const char *name,
				     const struct lane_ctf_env *env)
{
	trace->pages = calloc(LANE_CTF_GROW_PAGES, LANE_CTF_PAGE);
	if (!trace->pages)
		return &lane_enomem;
	trace->begin_ns = env->begin_ns || env->has_free_stream ? env->begin_ns : now_ns();
	trace->is_copy = env->is_copy;
	make_uuid(trace->uuid);
	if (mkdirat(dir_fd, name, 0700))
		return lane_error_errno(errno, "recording: %s", name);
	trace->dir_fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (trace->dir_fd < 0)
		return lane_error_errno(errno, "recording: %s", name);
	return write_metadata(trace, env);
}

static void trace_free(struct lane_ctf_trace *trace)
{
	while (trace->streams) {
		struct lane_ctf_stream *stream = trace->streams;

		trace->streams = stream->next;
		close(stream->file.fd);
		free(stream->pending);
		free(stream);
	}
	if (trace->dir_fd >= 0)
		close(trace->dir_fd);
	free(trace->pages);
	free(trace);
}

struct lane_error *lane_ctf_create(int dir_fd, const char *name, const struct lane_ctf_env *env,
				   struct lane_ctf_trace **trace)
{
	struct lane_ctf_trace *new = calloc(1, sizeof(*new));
	struct lane_error *err;

	if (!new)
		return &lane_enomem;
	new->dir_fd = -1;
	err = trace_init(new, dir_fd, name, env);
	if (err)
		trace_free(new);
	else
		*trace = new;
	return err;
}

/* The error that ends the writing: what is in the files stays. */
static struct lane_error *ctf_failed(struct lane_ctf_stream *stream, int errnum)
{
	if (!errnum)
		return NULL;
	stream->trace->failed = true;
	return lane_error_errno(errnum, "recording: stream of CPU %u", stream->file.head.cpu_id);
}

/* --- streams --- */

static struct lane_error *stream_init(struct lane_ctf_stream *stream, unsigned int cpu)
{
	struct lane_ctf_trace *trace = stream->trace;
	struct lane_ctf_packet head = {
		.magic = LANE_CTF_MAGIC,
		.stream_id = cpu >= LANE_CTF_FINDINGS ? LANE_CTF_FREE : 0,
		.stream_instance_id = cpu,
		.timestamp_begin = trace->begin_ns,
		.timestamp_end = trace->begin_ns,
		.cpu_id = cpu,
	};
	char name[32];

	memcpy(head.uuid, trace->uuid, sizeof(head.uuid));
	if (cpu >= LANE_CTF_FINDINGS)
		snprintf(name, sizeof(name), cpu == LANE_CTF_FINDINGS ? "found" : "free");
	else
		snprintf(name, sizeof(name), "channel0_%u", cpu);
	stream->file.fd = openat(trace->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (stream->file.fd < 0)
		return lane_error_errno(errno, "recording: %s", name);
	stream->checked_ns = trace->begin_ns;
	stream->file.head = head;
	return ctf_failed(stream, lane_ctf_put(&stream->file, &head, "", 0, 0));
}

struct lane_error *lane_ctf_stream(struct lane_ctf_trace *trace, unsigned int cpu,
				   size_t packet_bytes, struct lane_ctf_stream **stream)
{
	struct lane_ctf_stream *new = calloc(1, sizeof(*new));
	struct lane_error *err;

	if (!new)
		return &lane_enomem;
	new->trace = trace;
	new->file.fd = -1;
	new->file.pages = trace->pages;
	new->file.is_dense = trace->is_copy;
	new->packet_bytes = (packet_bytes + LANE_CTF_PAGE - 1) & ~(size_t)(LANE_CTF_PAGE - 1);
	if (new->packet_bytes < LANE_CTF_PAGE)
		new->packet_bytes = LANE_CTF_PAGE;
	err = stream_init(new, cpu);
	if (err) {
		if (new->file.fd >= 0)
			close(new->file.fd);
		free(new);
		return err;
	}
	new->next = trace->streams;
	trace->streams = new;
	*stream = new;
	return NULL;
}

static void ctf_drop(struct lane_ctf_stream *stream, uint64_t count, uint64_t newest_ns)
{
	stream->dropped += count;
	stream->dropped_ns = max_u64(stream->dropped_ns, newest_ns);
}

static bool ctf_make_room(struct lane_ctf_stream *stream)
{
	size_t room = stream->pending_room ? 2 * stream->pending_room : 2 * stream->packet_bytes;
	char *pending = realloc(stream->pending, room);

	if (!pending)
		return false;
	stream->pending = pending;
	stream->pending_room = room;
	return true;
}

struct lane_error *lane_ctf_append(struct lane_ctf_stream *stream, const struct lane_wire *record)
{
	size_t bytes;
	size_t stride;
	char *to;

	if (record->kind >= LANE_KIND_COUNT ||
	    (record->kind == LANE_LOST && lane_ctf_lost_count(record)))
		return lane_error("recording: stream of CPU %u: a record of unknown kind %u",
				  stream->file.head.cpu_id, record->kind);
	if (record->ts_ns < stream->file.head.timestamp_end || stream->trace->failed) {
		ctf_drop(stream, 1, record->ts_ns);
		return NULL;
	}
	bytes = record_bytes(record);
	stride = record_stride(record);
	if (stream->pending_room - stream->pending_bytes < stride && !ctf_make_room(stream))
		return &lane_enomem;
	to = stream->pending + stream->pending_bytes;
	memset(to + stride - 8, 0, 8);
	memcpy(to, record, bytes);
	if (record->ts_ns < stream->newest_ns)
		stream->is_unsorted = true;
	else
		stream->newest_ns = record->ts_ns;
	stream->pending_bytes += stride;
	return NULL;
}

struct lane_error *lane_ctf_lost(struct lane_ctf_stream *stream, uint64_t total, uint64_t at_ns)
{
	struct mark *last;

	stream->tells_lost = true;
	if (total <= stream->tracer_lost) {
		stream->checked_ns = max_u64(stream->checked_ns, at_ns);
		return NULL;
	}
	if (stream->n_marks == MAX_MARKS) {
		/* The horizon lags far behind: one wider interval says less, but still the truth.
		 */
		last = &stream->marks[MAX_MARKS - 1];
	} else {
		last = &stream->marks[stream->n_marks++];
		last->begin_ns = stream->checked_ns;
	}
	stream->checked_ns = max_u64(stream->checked_ns, at_ns);
	last->end_ns = stream->checked_ns;
	last->total = stream->tracer_lost = total;
	return NULL;
}

/* --- order --- */

struct packet_place {
	uint64_t ts_ns;
	size_t at;
};

LANE_ORDER(compare_places, struct packet_place, LANE_UP(ts_ns) ?: LANE_UP(at))

/* Few records out of place, by a little: the usual case, in one pass. False when it is not that. */
static bool sort_nearly(struct packet_place *places, size_t n)
{
	size_t budget = 8 * n;

	for (size_t i = 1; i < n; i++) {
		struct packet_place place = places[i];
		size_t j = i;

		for (; j && places[j - 1].ts_ns > place.ts_ns && budget; j--, budget--)
			places[j] = places[j - 1];
		places[j] = place;
		if (!budget)
			return false;
	}
	return true;
}

static struct lane_error *sort_pending(struct lane_ctf_stream *stream)
{
	LANE_CLEANUP(lane_free) struct packet_place *places = NULL;
	LANE_CLEANUP(lane_free) char *sorted = NULL;
	size_t n = 0;
	size_t to = 0;

	if (!stream->is_unsorted)
		return NULL;
	for (size_t at = 0; at < stream->pending_bytes; n++)
		at += record_stride(record_at(stream, at));
	places = calloc(n, sizeof(*places));
	sorted = malloc(stream->pending_room);
	if (!places || !sorted)
		return &lane_enomem;
	n = 0;
	for (size_t at = 0; at < stream->pending_bytes; n++) {
		places[n] = (struct packet_place){ record_at(stream, at)->ts_ns, at };
		at += record_stride(record_at(stream, at));
	}
	if (!sort_nearly(places, n))
		qsort(places, n, sizeof(*places), compare_places);
	for (size_t i = 0; i < n; i++) {
		size_t stride = record_stride(record_at(stream, places[i].at));

		memcpy(sorted + to, stream->pending + places[i].at, stride);
		to += stride;
	}
	free(stream->pending);
	stream->pending = LANE_TAKE(sorted);
	stream->is_unsorted = false;
	return NULL;
}

/* --- flushing --- */

/* A run of pending records that becomes a packet. */
struct packet_run {
	size_t begin;
	size_t end;	 /* where the next record begins */
	size_t unpadded; /* bytes without the padding of the last record */
	size_t events;
	uint64_t first_ns;
	uint64_t last_ns;
};

/* The records from `begin` on that are not newer than upto_ns and fit `room` bytes (0: any number).
 */
static struct packet_run find_run(const struct lane_ctf_stream *stream, size_t begin,
				  uint64_t upto_ns, size_t room)
{
	struct packet_run run = { .begin = begin, .end = begin };

	while (run.end < stream->pending_bytes) {
		const struct lane_wire *record = record_at(stream, run.end);
		size_t stride = record_stride(record);

		if (record->ts_ns > upto_ns || (room && run.end + stride - begin > room))
			break;
		if (!run.events++)
			run.first_ns = record->ts_ns;
		run.last_ns = record->ts_ns;
		run.unpadded = run.end - begin + record_bytes(record);
		run.end += stride;
	}
	return run;
}

/* An event for a packet with a loss and no other event, as it lies in the file. */
static struct lane_lost_record lost_record(const struct lane_ctf_stream *stream,
					   const struct lane_ctf_packet *head)
{
	const struct lane_ctf_packet *before = &stream->file.head;

	return (struct lane_lost_record){
		.wire = { .ts_ns = head->timestamp_end, .kind = LANE_LOST, .tid = -1, .pid = -1 },
		.lost = { .count = head->events_discarded - before->events_discarded,
			  .begin_ns = before->timestamp_end,
			  .end_ns = head->timestamp_end,
			  .lost_cpu =
				  head->stream_id == LANE_CTF_FREE ? -1 : (int32_t)head->cpu_id },
	};
}

/*
 * Writes a run as the next packet; it ends at end_ns at least, with told_lost lost by the tracer. A
 * run without events gets the event gpulane_lost: Trace Compass ends a stream at a packet without
 * any (StreamInputPacketIndex.append, of 2026).
 */
static struct lane_error *put_run(struct lane_ctf_stream *stream, const struct packet_run *run,
				  uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_ctf_packet head = stream->file.head;
	const char *data = run->events ? stream->pending + run->begin : NULL;
	size_t bytes = run->end - run->begin, unpadded = run->unpadded;
	struct lane_lost_record lost;
	struct lane_error *err;

	head.packet_seq_num++;
	head.timestamp_begin = max_u64(begin_ns, stream->file.head.timestamp_end);
	head.timestamp_end = max_u64(max_u64(end_ns, run->last_ns), head.timestamp_begin);
	head.events_discarded = stream->told_lost + stream->dropped;
	if (!run->events) {
		lost = lost_record(stream, &head);
		data = (const char *)&lost;
		bytes = sizeof(lost);
		unpadded = sizeof(lost.wire) + LANE_BYTES_LOST;
	}
	err = ctf_failed(stream, lane_ctf_put(&stream->file, &head, data, bytes, unpadded));
	if (!err)
		stream->events += run->events;
	return err;
}

/*
 * Writes the records up to upto_ns as packets of the stream's size; a last one that is not full
 * only when `all`. *at moves on behind what was written.
 */
static struct lane_error *put_upto(struct lane_ctf_stream *stream, size_t *at, uint64_t upto_ns,
				   bool all)
{
	size_t room = stream->packet_bytes - sizeof(struct lane_ctf_packet);

	for (;;) {
		struct packet_run run = find_run(stream, *at, upto_ns, room);
		bool full = run.end < stream->pending_bytes &&
			    record_at(stream, run.end)->ts_ns <= upto_ns;
		struct lane_error *err;

		if (!run.events || (!full && !all))
			return NULL;
		err = put_run(stream, &run, run.first_ns, 0);
		if (err)
			return err;
		*at = run.end;
	}
}

/* The interval of a mark becomes one packet: between the end of the one before and its own, the
 * loss. */
static struct lane_error *put_mark(struct lane_ctf_stream *stream, size_t *at,
				   const struct mark *mark)
{
	struct lane_error *err = put_upto(stream, at, mark->begin_ns, true);
	struct packet_run run;

	if (!err && stream->file.head.timestamp_end < mark->begin_ns)
		err = ctf_failed(stream, lane_ctf_amend(&stream->file, mark->begin_ns,
							stream->file.head.events_discarded));
	if (err)
		return err;
	run = find_run(stream, *at, mark->end_ns, 0);
	stream->told_lost = mark->total;
	err = put_run(stream, &run, mark->begin_ns, mark->end_ns);
	if (!err)
		*at = run.end;
	return err;
}

static void forget_marks(struct lane_ctf_stream *stream, unsigned int n)
{
	stream->n_marks -= n;
	memmove(stream->marks, stream->marks + n, stream->n_marks * sizeof(stream->marks[0]));
}

static struct lane_error *put_ready(struct lane_ctf_stream *stream, size_t *at, uint64_t horizon_ns)
{
	unsigned int done = 0;
	struct lane_error *err = NULL;
	uint64_t upto_ns = horizon_ns;
	bool stale;

	while (!err && done < stream->n_marks && stream->marks[done].end_ns <= horizon_ns)
		err = put_mark(stream, at, &stream->marks[done++]);
	forget_marks(stream, done);
	if (err || *at == stream->pending_bytes)
		return err;
	/* What comes after the begin of a loss waits for its end. */
	if (stream->n_marks && stream->marks[0].begin_ns < upto_ns)
		upto_ns = stream->marks[0].begin_ns;
	stale = horizon_ns - record_at(stream, *at)->ts_ns >= LANE_CTF_STALE_NS &&
		horizon_ns > record_at(stream, *at)->ts_ns;
	return put_upto(stream, at, upto_ns, stale);
}

/* After an error: what is pending is lost, and the last packet's head says so, which takes no
 * space. */
static void ctf_give_up(struct lane_ctf_stream *stream)
{
	uint64_t lost;

	for (size_t at = 0; at < stream->pending_bytes;) {
		ctf_drop(stream, 1, record_at(stream, at)->ts_ns);
		at += record_stride(record_at(stream, at));
	}
	stream->pending_bytes = 0;
	stream->n_marks = 0;
	stream->told_lost = stream->tracer_lost;
	lost = lane_ctf_stream_lost(stream);
	/* Should this fail too, the error that made us give up is the one to tell. */
	if (lost != stream->file.head.events_discarded)
		lane_ctf_amend(&stream->file, max_u64(stream->checked_ns, stream->dropped_ns),
			       lost);
}

struct lane_error *lane_ctf_flush(struct lane_ctf_stream *stream, uint64_t horizon_ns)
{
	struct lane_error *err;
	size_t at = 0;

	if (stream->trace->failed) {
		ctf_give_up(stream);
		return NULL;
	}
	/* What is newer than the last look at the tracer's count may yet turn out to hold a loss.
	 */
	if (stream->tells_lost && horizon_ns != UINT64_MAX && horizon_ns > stream->checked_ns)
		horizon_ns = stream->checked_ns;
	err = sort_pending(stream);
	if (!err)
		err = put_ready(stream, &at, horizon_ns);
	if (at)
		memmove(stream->pending, stream->pending + at, stream->pending_bytes - at);
	stream->pending_bytes -= at;
	if (!stream->pending_bytes)
		stream->newest_ns = stream->file.head.timestamp_end;
	if (stream->trace->failed)
		ctf_give_up(stream);
	return err;
}

/* --- figures and the end --- */

uint64_t lane_ctf_stream_lost(const struct lane_ctf_stream *stream)
{
	return stream->tracer_lost + stream->dropped;
}

uint64_t lane_ctf_stream_events(const struct lane_ctf_stream *stream)
{
	return stream->events;
}

void lane_ctf_figures(const struct lane_ctf_trace *trace, uint64_t *events, uint64_t *bytes,
		      uint64_t *lost)
{
	*events = *bytes = *lost = 0;
	for (const struct lane_ctf_stream *stream = trace->streams; stream; stream = stream->next) {
		*events += stream->events;
		*bytes += stream->file.bytes;
		*lost += lane_ctf_stream_lost(stream);
	}
}

/*
 * Records that came too late after the last packet: its head still has to tell of them. A stream's
 * first packet says from when on the stream records and tells of no loss.
 */
static struct lane_error *ctf_finish(struct lane_ctf_stream *stream)
{
	struct lane_error *err = lane_ctf_flush(stream, UINT64_MAX);
	const struct packet_run none = { 0 };

	if (err || stream->trace->failed ||
	    lane_ctf_stream_lost(stream) == stream->file.head.events_discarded)
		return err;
	if (!stream->file.head.packet_seq_num)
		return put_run(stream, &none, 0, stream->dropped_ns);
	return ctf_failed(stream, lane_ctf_amend(&stream->file, stream->dropped_ns,
						 lane_ctf_stream_lost(stream)));
}

struct lane_error *lane_ctf_close(struct lane_ctf_trace *trace)
{
	struct lane_error *first = NULL;

	if (!trace)
		return NULL;
	for (struct lane_ctf_stream *stream = trace->streams; stream; stream = stream->next) {
		struct lane_error *err = ctf_finish(stream);

		if (first)
			lane_error_free(err);
		else
			first = err;
	}
	trace_free(trace);
	return first;
}

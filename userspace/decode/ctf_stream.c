// SPDX-License-Identifier: MIT
// The packets and events of one stream.
#include "decode/ctf_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/ctf_packet.h"
#include "base/file.h"
#include "base/stop.h"

enum {
	MOST_WINDOW = 64 << 20, /* for an event, or the head of a packet */
};

/* An error at a place of a stream, which then ends. */
#define bad_place(stream, place, format, ...)                                                      \
	lane_error("%s: the stream ends at byte %" PRIu64 ": " format,                             \
		   (stream)->files[(stream)->file].path, (uint64_t)(place), ##__VA_ARGS__)

/* --- the file --- */

static struct lane_error *ctf_stream_open_file(struct lane_read_stream *s)
{
	const char *path = s->files[s->file].path;
	struct lane_error *err = lane_file_open(AT_FDCWD, path, path, &s->fd);
	struct stat st;

	if (err)
		return err;
	s->is_open = true;
	if (fstat(s->fd, &st))
		return lane_error_errno(errno, "%s", path);
	s->file_bytes = (uint64_t)st.st_size;
	s->packet_at = s->packet_bytes = 0;
	s->window_at = s->window_bytes = 0;
	return NULL;
}

static void close_file(struct lane_read_stream *s)
{
	if (s->is_open)
		close(s->fd);
	s->is_open = false;
}

/* Fills the window from window_at + window_bytes on. */
static struct lane_error *ctf_stream_fill(struct lane_read_stream *s)
{
	while (s->window_bytes < s->window_room) {
		ssize_t n =
			pread(s->fd, s->window + s->window_bytes, s->window_room - s->window_bytes,
			      (off_t)(s->window_at + s->window_bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lane_error_errno(errno, "%s", s->files[s->file].path);
		if (!n)
			break;
		s->window_bytes += (size_t)n;
	}
	return NULL;
}

/* The cursor's end: of the packet's content, or of what is in the window. */
static void set_end(struct lane_read_stream *s)
{
	uint64_t end = s->packet_at * 8 + s->content_bits;
	uint64_t content = end > s->window_at * 8 ? end - s->window_at * 8 : 0;

	s->cursor.data = (const uint8_t *)s->window;
	s->cursor.end = content < s->window_bytes * 8 ? content : s->window_bytes * 8;
}

/* True when the window has the packet's content to its end. */
static bool has_all(const struct lane_read_stream *s)
{
	return s->window_at * 8 + s->window_bytes * 8 >= s->packet_at * 8 + s->content_bits;
}

/* Makes the window begin at that place of the file. */
static struct lane_error *move_window(struct lane_read_stream *s, uint64_t to)
{
	if (to >= s->window_at && to - s->window_at <= s->window_bytes) {
		size_t gone = (size_t)(to - s->window_at);

		memmove(s->window, s->window + gone, s->window_bytes - gone);
		s->window_bytes -= gone;
	} else {
		s->window_bytes = 0;
	}
	s->window_at = to;
	return ctf_stream_fill(s);
}

/*
 * More of the packet behind the cursor, which is put back to `from`, where the structure begins
 * that did not end in the window. *more is false when there is no more.
 */
static struct lane_error *ctf_stream_read_on(struct lane_read_stream *s, uint64_t from, bool *more)
{
	uint64_t to = s->window_at + (from / 64) * 8;
	struct lane_error *err;
	size_t before = s->window_bytes;

	*more = false;
	s->cursor.at = from;
	if (has_all(s) || lane_stop_signal)
		return lane_stop_signal ? lane_error("interrupted") : NULL;
	if (to == s->window_at && s->window_bytes == s->window_room) {
		char *larger = s->window_room < MOST_WINDOW
				       ? realloc(s->window, 2 * s->window_room + LANE_MOST_BYTES)
				       : NULL;

		if (!larger)
			return bad_place(s, to, "what begins here is too long");
		s->window = larger;
		s->window_room *= 2;
	}
	s->cursor.at = from - (to - s->window_at) * 8;
	*more = to != s->window_at;
	err = move_window(s, to);
	*more |= s->window_bytes > before;
	set_end(s);
	return err;
}

/* --- packets --- */

/* The count of a packet's head against the one before it. */
static void find_losses(struct lane_read_stream *s, const struct lane_packet_head *head)
{
	const struct lane_packet_head *before = &s->head;
	/* Our own recorder's begins with 0, in packet 0; UINT64_MAX: it is not said. */
	uint64_t count = s->has_head			       ? before->discarded
			 : s->schema->is_own && !head->seq_num ? 0
							       : UINT64_MAX;
	bool has_count = count != UINT64_MAX;
	struct lane_lost_time loss;
	bool is_possible;

	if (head->discarded != UINT64_MAX && head->discarded != (has_count ? count : 0)) {
		/* What was lost before a stream's first packet nobody knows to have been recorded.
		 */
		loss.count = has_count ? head->discarded - count : 0;
		loss.begin_ns = decode_schema_ns(s->schema, s->has_head && has_count ? before->end
										     : head->begin);
		loss.end_ns = decode_schema_ns(s->schema, head->end);
		if (loss.count && (s->schema->is_lttng || s->schema->is_ust))
			is_possible = decode_lost_count_change(&s->lost, &loss);
		else
			is_possible =
				decode_lost_is_possible(loss.count, loss.begin_ns, loss.end_ns);
		if (!is_possible) {
			loss.count = 0;
			if (!*s->complaint && !s->has_told_count) {
				LANE_CLEANUP(lane_free)
				char *dir = strdup(s->files[s->file].path);

				if (dir && strrchr(dir, '/'))
					*strrchr(dir, '/') = '\0';
				*s->complaint =
					lane_error(LANE_LOST_COUNT_WRONG, dir ? dir : "", s->cpu);
				s->has_told_count = true;
			}
		}
		decode_losses_add(&s->next.losses, loss);
	}
	if (s->has_head && head->seq_num != UINT64_MAX && before->seq_num != UINT64_MAX &&
	    head->seq_num - before->seq_num > 1)
		/* Whole packets were lost: how many events were in them nobody knows. */
		decode_losses_add(&s->next.losses,
				  (struct lane_lost_time){
					  .begin_ns = decode_schema_ns(s->schema, before->end),
					  .end_ns = decode_schema_ns(s->schema, head->begin) });
}

static const char *head_fault(const struct lane_read_stream *s, const struct lane_packet_head *head)
{
	uint64_t read_bits = s->window_at * 8 + s->cursor.at - s->packet_at * 8;

	if (head->magic != UINT64_MAX && head->magic != LANE_CTF_MAGIC)
		return "no packet begins here";
	if (s->schema->has_uuid && s->schema->has_uuid_field &&
	    memcmp(head->uuid, s->schema->uuid, sizeof(head->uuid)) != 0)
		return "the packet is another trace's";
	if (decode_schema_stream(s->schema, head->stream_id) != s->class)
		return "the packet is another stream's";
	if (head->packet_bits % 8 || head->content_bits > head->packet_bits ||
	    head->content_bits < read_bits)
		return "the packet's sizes are wrong";
	if (head->packet_bits / 8 > s->file_bytes - s->packet_at)
		return "the packet is cut off";
	if (s->schema->is_own &&
	    (head->begin > head->end || (s->has_head && head->begin < s->head.end)))
		return "the packet's times go back";
	return NULL;
}

/* One structure of a packet's head. */
static struct lane_error *read_part(struct lane_read_stream *s, const struct lane_program *program,
				    struct lane_packet_head *head)
{
	uint64_t from = s->cursor.at;
	struct lane_error *err;
	enum lane_ran ran;
	bool more = true;

	while ((ran = decode_program_run(program, &s->cursor, head)) == LANE_RAN_SHORT) {
		err = ctf_stream_read_on(s, from, &more);
		if (err)
			return err;
		from = s->cursor.at;
		if (!more)
			return bad_place(s, s->packet_at, "the packet is cut off");
	}
	return ran == LANE_RAN ? NULL : bad_place(s, s->packet_at, "the packet's head is damaged");
}

/* Reads the head of the packet at packet_at; the class is looked up when it is not known yet. */
static struct lane_error *ctf_stream_read_head(struct lane_read_stream *s,
					       struct lane_packet_head *head)
{
	struct lane_error *err = NULL;

	if (!s->window) {
		s->window = malloc(LANE_STREAM_WINDOW + LANE_MOST_BYTES);
		if (!s->window)
			return &lane_enomem;
		s->window_room = LANE_STREAM_WINDOW;
	}
	memset(head, 0xff, sizeof(*head));
	if (s->packet_at < s->window_at || (s->packet_at - s->window_at) % 8 ||
	    s->packet_at - s->window_at >= s->window_bytes)
		err = move_window(s, s->packet_at);
	if (err)
		return err;
	/* Up to its sizes a packet may reach to the file's end. */
	s->content_bits = (s->file_bytes - s->packet_at) * 8;
	s->cursor.at = (s->packet_at - s->window_at) * 8;
	set_end(s);
	err = read_part(s, &s->schema->packet_header, head);
	if (err)
		return err;
	if (head->magic != UINT64_MAX && head->magic != LANE_CTF_MAGIC)
		return bad_place(s, s->packet_at, "no packet begins here");
	if (!s->class)
		s->class = decode_schema_stream(s->schema, head->stream_id);
	if (!s->class)
		return bad_place(s, s->packet_at, "the packet is of no stream");
	err = read_part(s, &s->class->packet_context, head);
	if (head->packet_bits == UINT64_MAX)
		head->packet_bits = head->content_bits;
	else if (head->content_bits == UINT64_MAX)
		head->content_bits = head->packet_bits;
	return err;
}

/*
 * True when nothing is wanted of the packet: it was in the file before, as snapshots overlap, or
 * has what an export says that was found.
 */
static bool is_passed_over(const struct lane_read_stream *s, const struct lane_packet_head *head)
{
	if (s->decoder->leaves_out_findings && s->schema->is_own &&
	    head->instance_id == LANE_CTF_FINDINGS)
		return true;
	if (s->n_files < 2 || !s->has_head)
		return false;
	if (head->seq_num != UINT64_MAX && s->head.seq_num != UINT64_MAX)
		return head->seq_num <= s->head.seq_num;
	return head->begin <= s->head.begin;
}

/* Goes to the next packet, of the next file where this one ends; *more is false at the end. */
static struct lane_error *next_packet(struct lane_read_stream *s, bool *more)
{
	struct lane_packet_head head;
	struct lane_error *err;
	const char *fault;

	if (s->has_head && s->schema->is_own)
		s->account->end_ns = s->head.end;
	s->packet_at += s->packet_bytes;
	s->packet_bytes = s->content_bits = 0;
	s->cursor.at = s->cursor.end = 0;
	if (s->is_open && s->packet_at >= s->file_bytes) {
		close_file(s);
		s->file++;
	}
	*more = s->file < s->n_files;
	if (!*more)
		return NULL;
	err = s->is_open ? NULL : ctf_stream_open_file(s);
	if (err || s->packet_at >= s->file_bytes)
		return err;
	err = ctf_stream_read_head(s, &head);
	if (err)
		return err;
	fault = head_fault(s, &head);
	if (fault)
		return bad_place(s, s->packet_at, "%s", fault);
	s->packet_bytes = head.packet_bits / 8;
	if (is_passed_over(s, &head)) {
		s->content_bits = s->cursor.at = s->cursor.end = 0;
		return NULL;
	}
	s->content_bits = head.content_bits;
	set_end(s);
	s->cpu = head.cpu_id == UINT64_MAX ? -1 : (int32_t)(head.cpu_id & INT32_MAX);
	find_losses(s, &head);
	s->head = head;
	s->has_head = true;
	s->cursor.clock = head.begin - (head.begin < s->schema->early ? 0 : s->schema->early);
	return NULL;
}

struct lane_error *decode_stream_look(struct lane_read_stream *s)
{
	struct lane_packet_head head;
	struct lane_error *err = ctf_stream_open_file(s);

	if (!err)
		err = ctf_stream_read_head(s, &head);
	if (!err) {
		s->instance_id = head.instance_id;
		s->files[0].begin = head.begin;
		s->files[0].is_behind_others = head.seq_num != UINT64_MAX && head.seq_num > 0;
	}
	close_file(s);
	free(LANE_TAKE(s->window));
	s->window_bytes = s->content_bits = s->cursor.at = s->cursor.end = 0;
	/* What is wrong is found again, and told, when it is read. */
	if (err == &lane_enomem)
		return err;
	lane_error_free(err);
	return NULL;
}

/* --- events --- */

/* The usual heads of events; false: it is another, or not in the window. */
static inline bool read_usual_header(struct lane_cursor *cursor,
				     const struct lane_stream_class *class)
{
	uint64_t at = (cursor->at + class->header_align - 1) & ~(uint64_t)(class->header_align - 1);
	uint32_t word;

	if (class->header_kind == LANE_HEADER_COMPACT) {
		if (at + 32 > cursor->end)
			return false;
		memcpy(&word, cursor->data + at / 8, sizeof(word));
		if ((word & 31) == 31)
			return false;
		cursor->regs[LANE_REGISTER_ID] = word & 31;
		cursor->clock = decode_clock_update(cursor->clock, word >> 5, 27);
		cursor->at = at + 32;
		return true;
	}
	if (class->header_kind == LANE_HEADER_LARGE) {
		uint64_t align = class->time_align, time = (at + 16 + align - 1) & ~(align - 1);
		uint16_t id;

		if (time + 32 > cursor->end)
			return false;
		memcpy(&id, cursor->data + at / 8, sizeof(id));
		if (id == 0xffff)
			return false;
		memcpy(&word, cursor->data + time / 8, sizeof(word));
		cursor->regs[LANE_REGISTER_ID] = id;
		cursor->clock = decode_clock_update(cursor->clock, word, 32);
		cursor->at = time + 32;
		return true;
	}
	return false;
}

/* What is lost is told by the packets' heads, but where nobody knows how much. */
static bool ctf_stream_is_wanted(const struct lane_read_stream *s,
				 const struct lane_event_class *class)
{
	if (class->tells_loss)
		return !s->event.u.gpulane_lost.count;
	return class->kind >= 0 &&
	       !(s->decoder->leaves_out_findings && lane_is_finding((unsigned int)class->kind));
}

/* Reads the event at the cursor; *class stays NULL when its number is none. */
static enum lane_ran read_event(struct lane_read_stream *s, const struct lane_event_class **class)
{
	struct lane_cursor *cursor = &s->cursor;
	enum lane_ran ran = LANE_RAN;
	uint64_t id;

	*class = NULL;
	if (!read_usual_header(cursor, s->class)) {
		cursor->regs[LANE_REGISTER_ID] = 0;
		ran = decode_program_run(&s->class->header, cursor, NULL);
	}
	id = cursor->regs[LANE_REGISTER_ID];
	if (ran != LANE_RAN || id >= s->class->n_events || !s->class->events[id].is_declared)
		return ran;
	*class = &s->class->events[id];
	if ((*class)->kind >= 0)
		decode_event_clear(&s->event, (*class)->kind);
	return decode_program_run(&(*class)->program, cursor, &s->event);
}

/* The event at the cursor, which is within the packet's content. */
static struct lane_error *ctf_stream_take_event(struct lane_read_stream *s)
{
	const struct lane_event_class *class;
	uint64_t from = s->cursor.at, clock = s->cursor.clock;
	struct lane_error *err;
	enum lane_ran ran;
	uint64_t ns;
	bool more;

	while ((ran = read_event(s, &class)) == LANE_RAN_SHORT) {
		err = ctf_stream_read_on(s, from, &more);
		if (err)
			return err;
		from = s->cursor.at;
		s->cursor.clock = clock;
		if (!more)
			return bad_place(s, s->window_at + from / 8, "the event is cut off");
	}
	if (!class)
		return bad_place(s, s->window_at + from / 8, "event %" PRIu64 " is not known",
				 s->cursor.regs[LANE_REGISTER_ID]);
	if (ran != LANE_RAN)
		return bad_place(s, s->window_at + from / 8, "the event is damaged");
	s->account->events += !class->tells_loss;
	s->decoder->skipped += class->kind < 0;
	ns = decode_schema_ns(s->schema, s->cursor.clock);
	if (s->schema->is_own && ns < s->next.event_ns)
		return bad_place(s, s->window_at + from / 8, "time goes back");
	s->next.has_event = ctf_stream_is_wanted(s, class);
	if (!s->next.has_event)
		return NULL;
	s->next.event_ns = ns;
	s->account->end_ns = s->next.event_ns;
	s->event.wire.ts_ns = s->next.event_ns;
	if (s->event.cpu < 0)
		s->event.cpu = s->cpu;
	s->event.raw.narrow = class->is_narrow;
	s->event.raw.engine_notify = class->is_engine_notify;
	if (s->event.wire.origin >= LANE_ORIGIN_COUNT)
		s->event.wire.origin = LANE_ORIGIN_UNKNOWN;
	if (s->schema->origin)
		s->event.wire.origin = s->schema->origin;
	return NULL;
}

struct lane_error *decode_stream_find(struct lane_read_stream *s)
{
	struct lane_error *err = NULL;
	bool more = true;

	s->next.has_event = false;
	while (!s->is_dead) {
		if (decode_stream_take_wire(s, UINT64_MAX))
			return NULL;
		if (s->cursor.at < s->cursor.end) {
			err = ctf_stream_take_event(s);
		} else if (s->packet_bytes && !has_all(s)) {
			err = ctf_stream_read_on(s, s->cursor.at, &more);
			if (!err && !more)
				err = bad_place(s, s->packet_at, "the packet is cut off");
		} else {
			err = lane_stop_signal ? lane_error("interrupted") : next_packet(s, &more);
		}
		if (!err && s->next.has_event)
			return NULL;
		if (!err && more)
			continue;
		s->is_dead = true;
		s->cursor.at = s->cursor.end = 0;
		s->account->is_damaged |= err != NULL;
	}
	close_file(s);
	return err;
}

void decode_stream_deinit(struct lane_read_stream *s)
{
	close_file(s);
	for (size_t i = 0; i < s->n_files; i++)
		free(s->files[i].path);
	free(s->files);
	free(s->window);
}

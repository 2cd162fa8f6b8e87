// SPDX-License-Identifier: MIT
// Reads the CTF traces that base/ctf.c writes, without a detour: the bytes of their events are
// those of struct lane_event. Traces with any other metadata are ctf_foreign.c's.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/ctf_packet.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/vector.h"
#include "decode/ctf_own.h"
#include "decode/merge.h"

enum {
	WINDOW_BYTES = 64 << 10,    /* of a stream's file, in memory */
	METADATA_BYTES = 256 << 10, /* ours are shorter */
	HEAD_BYTES = LANE_CTF_HEAD_BYTES,
	WIRE_BYTES = sizeof(struct lane_wire),
	MOST_BYTES = LANE_MOST_BYTES,
	COPY_BYTES = 32, /* longer ones have such pieces besides */
};

_Static_assert(sizeof(struct lane_event) - offsetof(struct lane_event, cpu) >= COPY_BYTES,
	       "the last piece of a record ends within its event");
_Static_assert(offsetof(struct lane_event, cpu) >= MOST_BYTES, "so does the first");

/* One stream: a file. */
struct own_stream {
	struct lane_event event;       /* the next one, or the one that was handed out */
	struct lane_merge_stream next; /* the record at `at`, once it has been checked */
	bool has_told_count;	       /* that its count of losses is damaged */
	bool is_dead;		       /* nothing more is to be read */
	bool is_passed_over;	       /* of its packets the heads alone are read */
	int fd;
	uint64_t file_bytes;
	uint64_t at;	    /* of the next record */
	const char *record; /* in the window, whole */
	size_t record_bytes;
	uint64_t content_end; /* of the packet */
	uint64_t packet_end;
	struct lane_ctf_packet head; /* of the packet; magic is 0 before the first */
	int32_t cpu;		     /* of its events, -1 when it is of none */
	uint64_t window_at;	     /* where the window begins in the file */
	size_t window_bytes;
	uint64_t seen_end; /* of what is both in the window and in the packet's content */
	struct lane_account *account;
	char *window;
	char *name;
	struct lane_error *err; /* why it cannot be read, not told yet */
};

struct own {
	struct lane_decoder base;
	char *path;
	uint8_t uuid[16];
	struct lane_trace_info info;
	struct own_stream *streams;
	uint32_t n_streams;
	uint64_t begin_ns;	       /* of the earliest packet */
	struct lane_account *accounts; /* of each stream */
	struct lane_merge merge;
	struct own_stream *current;   /* whose event was handed out last; NULL: not known */
	uint64_t stays_ns;	      /* its events before this are the next of all */
	struct lane_error *complaint; /* what ends no stream, not told yet */
};

static struct own *own_of(struct lane_decoder *decoder)
{
	return (struct own *)decoder;
}

/* An error at a place of a stream, which then ends. */
#define bad_place(own, stream, place, format, ...)                                                 \
	lane_error("%s/%s: the stream ends at byte %" PRIu64 ": " format, (own)->path,             \
		   (stream)->name, (uint64_t)(place), ##__VA_ARGS__)

static void set_seen_end(struct own_stream *stream)
{
	uint64_t window_end = stream->window_at + stream->window_bytes;

	stream->seen_end = stream->content_end < window_end ? stream->content_end : window_end;
}

/* Sees to it that the file's bytes at..at+bytes are in the window. *data is NULL where it ends. */
static struct lane_error *look(struct own *own, struct own_stream *stream, uint64_t at,
			       size_t bytes, const char **data)
{
	size_t most = WINDOW_BYTES;
	ssize_t n;

	if (at < stream->window_at || at + bytes > stream->window_at + stream->window_bytes) {
		stream->window_at = at & ~(uint64_t)(LANE_CTF_PAGE - 1);
		stream->window_bytes = 0;
		if (stream->is_passed_over)
			most = (size_t)(at - stream->window_at) + bytes;
		while (stream->window_bytes < most) {
			n = pread(stream->fd, stream->window + stream->window_bytes,
				  most - stream->window_bytes,
				  (off_t)(stream->window_at + stream->window_bytes));
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return lane_error_errno(errno, "%s/%s", own->path, stream->name);
			if (!n)
				break;
			stream->window_bytes += (size_t)n;
		}
	}
	*data = at + bytes <= stream->window_at + stream->window_bytes
			? stream->window + (at - stream->window_at)
			: NULL;
	set_seen_end(stream);
	return NULL;
}

/* The count of lost events is damaged: it is as if this head did not say one. */
static void forget_count(struct own *own, struct own_stream *stream, struct lane_ctf_packet *head,
			 uint64_t since_ns)
{
	if (!own->complaint && !stream->has_told_count) {
		own->complaint = lane_error(LANE_LOST_COUNT_WRONG, own->path,
					    (int)(head->cpu_id & INT32_MAX));
		stream->has_told_count = true;
	}
	head->events_discarded = stream->head.events_discarded;
	decode_losses_add(
		&stream->next.losses,
		(struct lane_lost_time){ .begin_ns = since_ns, .end_ns = head->timestamp_end });
}

/* What two packets' heads tell of losses between them. */
static void find_losses(struct own *own, struct own_stream *stream, struct lane_ctf_packet *head)
{
	const struct lane_ctf_packet *before = &stream->head;
	uint64_t expected = before->packet_seq_num + 1;
	uint64_t since_ns = before->timestamp_end;

	/* A stream begins with packet 0, when the trace does; its count of losses begins with 0. */
	if (!before->magic) {
		expected = 0;
		since_ns = head->packet_seq_num ? own->begin_ns : head->timestamp_begin;
	}
	if (head->packet_seq_num > expected)
		decode_losses_add(&stream->next.losses,
				  (struct lane_lost_time){ .begin_ns = since_ns,
							   .end_ns = head->timestamp_begin });
	if (head->events_discarded < before->events_discarded ||
	    !decode_lost_is_possible(head->events_discarded - before->events_discarded, since_ns,
				     head->timestamp_end))
		forget_count(own, stream, head, since_ns);
	else if (head->events_discarded > before->events_discarded)
		decode_losses_add(&stream->next.losses,
				  (struct lane_lost_time){ .count = head->events_discarded -
								    before->events_discarded,
							   .begin_ns = since_ns,
							   .end_ns = head->timestamp_end });
}

static const char *head_fault(const struct own *own, const struct own_stream *stream,
			      const struct lane_ctf_packet *head, uint64_t place)
{
	uint64_t rest = stream->file_bytes - place;

	if (head->magic != LANE_CTF_MAGIC)
		return "no packet begins here";
	if (memcmp(head->uuid, own->uuid, sizeof(own->uuid)) || head->stream_id > LANE_CTF_FREE)
		return "the packet is another trace's";
	if (head->packet_bits % 64 || head->content_bits % 8 ||
	    head->content_bits > head->packet_bits || head->content_bits < 8 * HEAD_BYTES)
		return "the packet's sizes are wrong";
	if (head->packet_bits / 8 > rest)
		return "the packet is cut off";
	if (head->timestamp_begin > head->timestamp_end ||
	    (stream->head.magic && head->timestamp_begin < stream->head.timestamp_end))
		return "the packet's times go back";
	return NULL;
}

/* Goes to the next packet; *more is false at the end of the file. */
static struct lane_error *next_packet(struct own *own, struct own_stream *stream, bool *more)
{
	uint64_t place = stream->packet_end;
	struct lane_ctf_packet head;
	struct lane_error *err;
	const char *fault;
	const char *data;

	if (stream->head.magic)
		stream->account->end_ns = stream->head.timestamp_end;
	*more = place < stream->file_bytes;
	if (!*more)
		return NULL;
	err = look(own, stream, place, HEAD_BYTES, &data);
	if (err)
		return err;
	if (!data)
		return bad_place(own, stream, place, "the packet is cut off");
	memset(&head, 0, sizeof(head));
	memcpy(&head, data, HEAD_BYTES);
	fault = head_fault(own, stream, &head, place);
	if (fault)
		return bad_place(own, stream, place, "%s", fault);
	find_losses(own, stream, &head);
	stream->head = head;
	stream->cpu = head.stream_id == LANE_CTF_FREE ? -1 : (int32_t)(head.cpu_id & INT32_MAX);
	stream->at = place + sizeof(head);
	stream->content_end = place + head.content_bits / 8;
	stream->packet_end = place + head.packet_bits / 8;
	stream->is_passed_over = own->base.leaves_out_findings && head.stream_id == LANE_CTF_FREE &&
				 head.stream_instance_id == LANE_CTF_FINDINGS;
	if (stream->is_passed_over)
		stream->at = stream->content_end;
	set_seen_end(stream);
	return NULL;
}

/* Looks at the record at `at`, which is within the packet's content. */
static struct lane_error *check_record(struct own *own, struct own_stream *stream)
{
	uint64_t left = stream->content_end - stream->at;
	struct lane_wire wire;
	struct lane_error *err;
	const char *data = NULL;
	size_t bytes = WIRE_BYTES;

	err = left < bytes ? NULL : look(own, stream, stream->at, bytes, &data);
	if (err)
		return err;
	if (!data)
		return bad_place(own, stream, stream->at, "the event is cut off");
	memcpy(&wire, data, sizeof(wire));
	if (wire.kind >= LANE_KIND_COUNT)
		return bad_place(own, stream, stream->at, "event %u is not known", wire.kind);
	bytes += lane_kinds[wire.kind].payload_bytes;
	data = NULL;
	err = left < bytes ? NULL : look(own, stream, stream->at, bytes, &data);
	if (err)
		return err;
	if (!data)
		return bad_place(own, stream, stream->at, "the event is cut off");
	if (wire.ts_ns < stream->next.event_ns)
		return bad_place(own, stream, stream->at, "time goes back");
	stream->next.event_ns = wire.ts_ns;
	stream->account->events += wire.kind != LANE_LOST;
	stream->record = data;
	stream->record_bytes = bytes;
	/* What is lost is told by the packets' heads, but where nobody knows how much. */
	stream->next.has_event = (wire.kind != LANE_LOST || !lane_ctf_lost_count(data)) &&
				 !(own->base.leaves_out_findings && lane_is_finding(wire.kind));
	return NULL;
}

static void skip_record(struct own_stream *stream)
{
	stream->at = (stream->at + stream->record_bytes + 7) & ~(uint64_t)7;
}

/* Nothing more is to be read of the stream. */
static struct lane_error *end_stream(struct own_stream *stream, struct lane_error *err)
{
	stream->is_dead = true;
	stream->seen_end = 0;
	stream->account->is_damaged |= err != NULL;
	return err;
}

/* A record's bytes by its kind; 0: tracers do not record it. */
#define E(id, name, group, fields, help)                                                           \
	[LANE_##id] = LANE_##id >= LANE_LOST && LANE_##id <= LANE_FOUND_LOSS_END                   \
			      ? 0                                                                  \
			      : sizeof(struct lane_wire) + LANE_BYTES_##id,
static const uint16_t usual_bytes[LANE_KIND_COUNT] = { LANE_EVENTS(E) };
#undef E

/*
 * The bytes of the record at `at` if it is as most are: whole in the window, in order, an event;
 * else 0. Records lie eight-byte aligned in the file, and the window's begin is a page's.
 */
static inline size_t look_usual(const struct own_stream *stream, const struct lane_wire **wire)
{
	uint64_t left = stream->seen_end - stream->at;
	size_t bytes;

	*wire = (const struct lane_wire *)(stream->window + (stream->at - stream->window_at));
	if (stream->at + WIRE_BYTES > stream->seen_end || (*wire)->kind >= LANE_KIND_COUNT)
		return 0;
	bytes = usual_bytes[(*wire)->kind];
	return bytes <= left && (*wire)->ts_ns >= stream->next.event_ns ? bytes : 0;
}

/* Takes the next record if it is as most are. */
static inline bool find_usual(struct own_stream *stream)
{
	const struct lane_wire *wire;
	size_t bytes = look_usual(stream, &wire);

	if (!bytes)
		return false;
	stream->next.event_ns = wire->ts_ns;
	stream->next.has_event = true;
	stream->record = (const char *)wire;
	stream->record_bytes = bytes;
	stream->account->events++;
	return true;
}

/* Finds the next record, in this packet or a later one. */
static struct lane_error *find_record(struct own *own, struct own_stream *stream)
{
	struct lane_error *err = NULL;
	bool more;

	stream->next.has_event = false;
	if (stream->err)
		return end_stream(stream, LANE_TAKE(stream->err));
	while (!stream->is_dead) {
		if (lane_stop_signal)
			return end_stream(stream, lane_error("interrupted"));
		if (stream->at < stream->content_end) {
			err = check_record(own, stream);
			if (!err && stream->next.has_event)
				return NULL;
			if (!err)
				skip_record(stream);
			more = true;
		} else {
			err = next_packet(own, stream, &more);
		}
		if (err && stream->next.event_ns > stream->account->end_ns)
			stream->account->end_ns = stream->next.event_ns;
		if (err || !more)
			return end_stream(stream, err);
	}
	return NULL;
}

/* Copies a record to the stream's event. */
static inline void copy_record(struct own_stream *stream, const char *record, size_t bytes)
{
	char *event = (char *)&stream->event;

	memcpy(event, record, MOST_BYTES);
	for (size_t i = MOST_BYTES; i < bytes; i += COPY_BYTES)
		memcpy(event + i, record + i, COPY_BYTES);
	stream->event.cpu = stream->cpu;
	stream->event.host = 0;
	stream->event.raw = (struct lane_raw){ .ring = LANE_RING_NONE };
	if (stream->event.wire.origin >= LANE_ORIGIN_COUNT)
		stream->event.wire.origin = LANE_ORIGIN_UNKNOWN;
}

/* Copies the record that was found and goes behind it. */
static void take_record(struct own_stream *stream)
{
	copy_record(stream, stream->record, stream->record_bytes);
	skip_record(stream);
}

static struct lane_merge_stream *merge_stream(void *own, uint32_t index)
{
	return &((struct own *)own)->streams[index].next;
}

static inline __attribute__((always_inline)) struct lane_error *merge_find(void *own,
									   uint32_t index)
{
	struct own_stream *stream = &((struct own *)own)->streams[index];

	return find_usual(stream) ? NULL : find_record(own, stream);
}

/*
 * The stream whose event came last mostly has the next one, too: takes that. Nothing has changed
 * when it is false.
 */
static inline bool take_current(const struct own *own, struct own_stream *stream)
{
	const struct lane_wire *wire;
	size_t bytes = look_usual(stream, &wire);

	if (!bytes || wire->ts_ns >= own->stays_ns)
		return false;
	stream->next.event_ns = wire->ts_ns;
	stream->account->events++;
	stream->at = (stream->at + bytes + 7) & ~(uint64_t)7;
	copy_record(stream, (const char *)wire, bytes);
	return true;
}

/* The stream's event is handed out: until when its next ones are the next of all. */
static void stay(struct own *own, struct own_stream *stream)
{
	uint64_t loss_ns = decode_losses_next_ns(&stream->next.losses);

	own->current = stream;
	own->stays_ns = decode_merge_stays_ns(&own->merge);
	if (loss_ns < own->stays_ns)
		own->stays_ns = loss_ns;
}

static __attribute__((noinline)) struct lane_error *next_of_all(struct own *own,
								struct lane_event **result)
{
	struct lane_error *err;
	struct own_stream *stream;
	uint32_t index;
	bool is_loss;

	own->current = NULL;
	*result = NULL;
	if (own->complaint)
		return LANE_TAKE(own->complaint);
	err = decode_merge_next_by(&own->merge, merge_find, &index, &is_loss);
	if (err || index == own->n_streams)
		return err;
	stream = &own->streams[index];
	*result = &stream->event;
	if (is_loss) {
		decode_losses_take(&stream->next.losses, stream->account, stream->cpu,
				   &stream->event);
		return NULL;
	}
	take_record(stream);
	if (!own->complaint)
		stay(own, stream);
	return NULL;
}

static struct lane_error *own_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct own *own = own_of(decoder);
	struct own_stream *stream = own->current;

	if (!stream || !take_current(own, stream))
		return next_of_all(own, result);
	*result = &stream->event;
	return NULL;
}

static void own_close(struct lane_decoder *decoder)
{
	struct own *own = own_of(decoder);

	if (!own)
		return;
	for (uint32_t i = 0; own->streams && i < own->n_streams; i++) {
		struct own_stream *stream = &own->streams[i];

		if (stream->fd >= 0)
			close(stream->fd);
		free(stream->window);
		free(stream->name);
		lane_error_free(stream->err);
	}
	free(own->streams);
	free(own->accounts);
	decode_merge_deinit(&own->merge);
	lane_error_free(own->complaint);
	free(own->path);
	free(own);
}

static void close_guard(struct own **own)
{
	if (*own)
		own_close(&(*own)->base);
}

/* Opens a stream's file. What is wrong with it is told when its first event is asked for. */
static void open_stream(struct own *own, struct own_stream *stream, int dir_fd)
{
	LANE_CLEANUP(lane_free) char *shown = NULL;
	struct lane_ctf_packet head;
	struct stat st;

	if (asprintf(&shown, "%s/%s", own->path, stream->name) < 0) {
		shown = NULL;
		stream->err = &lane_enomem;
		return;
	}
	stream->err = lane_file_open(dir_fd, stream->name, shown, &stream->fd);
	if (stream->err)
		return;
	if (fstat(stream->fd, &st))
		stream->err = lane_error_errno(errno, "%s", shown);
	else
		stream->file_bytes = (uint64_t)st.st_size;
	if (pread(stream->fd, &head, HEAD_BYTES, 0) == HEAD_BYTES && head.magic == LANE_CTF_MAGIC &&
	    head.timestamp_begin < own->begin_ns)
		own->begin_ns = head.timestamp_begin;
}

/* Adds the stream of a file; a directory is none. */
static struct lane_error *add_stream(struct own *own, int dir_fd, const char *name)
{
	struct own_stream *stream;
	struct stat st;

	if (!fstatat(dir_fd, name, &st, 0) && S_ISDIR(st.st_mode))
		return NULL;
	if (!LANE_GROW_BY_ONE(own->streams, own->n_streams))
		return &lane_enomem;
	stream = &own->streams[own->n_streams];
	memset(stream, 0, sizeof(*stream));
	stream->fd = -1;
	stream->window = malloc(WINDOW_BYTES + MOST_BYTES);
	stream->name = strdup(name);
	if (!stream->window || !stream->name) {
		free(stream->window);
		free(stream->name);
		return &lane_enomem;
	}
	own->n_streams++;
	open_stream(own, stream, dir_fd);
	return NULL;
}

/* Merging takes streams with equal times in this order: it must not depend on the directory's. */
static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct own_stream *)a)->name,
			  ((const struct own_stream *)b)->name);
}

static struct lane_error *find_streams(struct own *own)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = opendir(own->path);
	struct lane_error *err;
	struct dirent *entry;

	if (!dir)
		return lane_error_errno(errno, "%s", own->path);
	while ((entry = readdir(dir))) {
		if (*entry->d_name == '.' || !strcmp(entry->d_name, "metadata"))
			continue;
		err = add_stream(own, dirfd(dir), entry->d_name);
		if (err)
			return err;
	}
	if (own->n_streams)
		qsort(own->streams, own->n_streams, sizeof(*own->streams), by_name);
	own->accounts = calloc(own->n_streams + 1, sizeof(*own->accounts));
	if (!own->accounts || !decode_merge_init(&own->merge, own->n_streams))
		return &lane_enomem;
	for (uint32_t i = 0; i < own->n_streams; i++)
		own->streams[i].account = &own->accounts[i];
	return NULL;
}

/* The CPU that a stream's file is named after, for streams of which no packet could be read. */
static int32_t cpu_of_name(const char *name)
{
	unsigned int cpu;
	int end = -1;

	return sscanf(name, "channel0_%9u%n", &cpu, &end) == 1 && !name[end] ? (int32_t)cpu : -1;
}

static const struct lane_account *own_accounts(struct lane_decoder *decoder, size_t *n)
{
	struct own *own = own_of(decoder);

	for (uint32_t i = 0; i < own->n_streams; i++)
		own->accounts[i].cpu = own->streams[i].head.magic
					       ? own->streams[i].cpu
					       : cpu_of_name(own->streams[i].name);
	*n = own->n_streams;
	return own->accounts;
}

/* The byte of an escape of three octal digits; false when these are none. */
static bool octal(const char *at, char *byte)
{
	unsigned int value = 0;

	for (int i = 0; i < 3; i++) {
		if (at[i] < '0' || at[i] > '7')
			return false;
		value = value << 3 | (unsigned int)(at[i] - '0');
	}
	*byte = (char)value;
	return value < 256;
}

/* Finds `<key> = "<value>";` in the metadata and undoes the escapes; false when it is not there. */
static bool find_text(const char *metadata, const char *key, char *value, size_t size)
{
	LANE_CLEANUP(lane_free) char *needle = NULL;
	const char *at;
	size_t n = 0;

	*value = '\0';
	if (asprintf(&needle, "\n\t%s = \"", key) < 0)
		return false;
	at = strstr(metadata, needle);
	if (!at)
		return false;
	for (at += strlen(needle); *at && *at != '"' && n + 1 < size; n++) {
		if (*at == '\\' && octal(at + 1, &value[n])) {
			at += 4;
		} else {
			at += *at == '\\' && at[1];
			value[n] = *at++;
		}
	}
	value[n] = '\0';
	return true;
}

static bool parse_uuid(const char *text, uint8_t uuid[16])
{
	unsigned int n = 0;

	for (; *text && n < 32; text++) {
		unsigned int digit;

		if (*text == '-')
			continue;
		if (*text >= '0' && *text <= '9')
			digit = (unsigned int)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			digit = (unsigned int)(*text - 'a') + 10;
		else
			return false;
		uuid[n / 2] = (uint8_t)(n % 2 ? uuid[n / 2] | digit : digit << 4);
		n++;
	}
	return n == 32;
}

/*
 * Takes the facts from the metadata and writes the metadata that base/ctf.c would have written with
 * them: only if these are the same bytes does the layout hold that is read here.
 */
static bool parse_metadata(const char *metadata, struct lane_trace_info *info, uint8_t uuid[16])
{
	struct lane_ctf_env env = { 0 };
	const char *offset = strstr(metadata, "\n\toffset = ");
	LANE_CLEANUP(lane_free) char *again = NULL;
	char trace_uuid[37];
	size_t bytes = 0;
	bool same;
	FILE *to;

	if (find_text(metadata, "hostname", info->host, sizeof(info->host)))
		env.hostname = info->host;
	if (find_text(metadata, "kernel_release", info->release, sizeof(info->release)))
		env.kernel_release = info->release;
	if (find_text(metadata, "gpulane_tracer", info->tracer, sizeof(info->tracer)))
		env.tracer = info->tracer;
	/* The trace's uuid comes first, the clock's stands behind its name. */
	if (strstr(metadata, "\n\tname = \"monotonic\";\n\tuuid = ") &&
	    find_text(strstr(metadata, "\n\tname = \"monotonic\";\n"), "uuid", info->clock_uuid,
		      sizeof(info->clock_uuid)))
		env.clock_uuid = info->clock_uuid;
	env.has_free_stream = strstr(metadata, "\nstream {\n\tid = 1;") != NULL;
	env.epoch_offset_ns = offset ? strtoll(offset + strlen("\n\toffset = "), NULL, 10) : 0;
	info->epoch_offset_ns = env.epoch_offset_ns;
	if (!find_text(metadata, "uuid", trace_uuid, sizeof(trace_uuid)) ||
	    !parse_uuid(trace_uuid, uuid))
		return false;
	to = open_memstream(&again, &bytes);
	if (!to)
		return false;
	lane_ctf_write_tsdl(to, &env, uuid);
	same = !ferror(to);
	return !fclose(to) && same && !strcmp(again, metadata);
}

static bool read_metadata(const char *path, struct lane_trace_info *info, uint8_t uuid[16])
{
	LANE_CLEANUP(lane_free) char *file = NULL;
	LANE_CLEANUP(lane_free) char *metadata = malloc(METADATA_BYTES + 1);
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	struct lane_error *err;
	size_t n;

	if (!metadata || asprintf(&file, "%s/metadata", path) < 0)
		return false;
	err = lane_file_fopen(file, &from);
	if (err) {
		lane_error_free(err);
		return false;
	}
	n = fread(metadata, 1, METADATA_BYTES, from);
	metadata[n] = '\0';
	return strlen(metadata) == n && parse_metadata(metadata, info, uuid);
}

static bool own_probe(const char *path)
{
	struct lane_trace_info info = { 0 };
	uint8_t uuid[16];

	return read_metadata(path, &info, uuid);
}

static struct lane_error *own_open(const char *path, const struct lane_names *names,
				   struct lane_decoder **decoder)
{
	LANE_CLEANUP(close_guard) struct own *own = calloc(1, sizeof(*own));
	struct lane_error *err;

	(void)names; /* its names are today's */
	if (!own)
		return &lane_enomem;
	own->base.format = &lane_format_ctf_own;
	own->base.is_wide = true;
	own->merge.arg = own;
	own->merge.stream = merge_stream;
	own->merge.find = merge_find;
	own->path = strdup(path);
	if (!own->path)
		return &lane_enomem;
	if (!read_metadata(path, &own->info, own->uuid))
		return lane_error("%s: not a trace that gpulane has written", path);
	own->begin_ns = UINT64_MAX;
	err = find_streams(own);
	if (err)
		return err;
	*decoder = &LANE_TAKE(own)->base;
	return NULL;
}

static const struct lane_trace_info *own_info(struct lane_decoder *decoder)
{
	return &own_of(decoder)->info;
}

const struct lane_format lane_format_ctf_own = {
	.name = "ctf-own",
	.help = "CTF 1.8, as gpulane writes it",
	.probe = own_probe,
	.open = own_open,
	.info = own_info,
	.next = own_next,
	.accounts = own_accounts,
	.close = own_close,
};

/* SPDX-License-Identifier: MIT */
/*
 * One reader per trace format behind one interface: events of the table, in time order, one at a
 * time.
 *
 * A decoder fills struct lane_event with what the trace says and nothing else; what the kernel
 * version or the tracer means by it is norm/'s business. Events that the tracer dropped come as
 * LANE_LOST.
 */
#ifndef LANE_DECODE_DECODE_H
#define LANE_DECODE_DECODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/error.h"
#include "base/event.h"

/* Where the events of a kind come from in a trace; a kind that cannot be there at all is absent. */
enum lane_presence {
	LANE_PRESENCE_UNKNOWN, /* the trace does not say whether they were recorded */
	LANE_PRESENCE_ABSENT,  /* not recorded: no such tracepoint, switched off, no hook */
	LANE_PRESENCE_RECORDED,
};

/* How a device's requests reach the hardware; what `in` and `out` mean hangs on it. */
enum lane_submission {
	LANE_SUBMISSION_UNKNOWN,     /* to be told from the events */
	LANE_SUBMISSION_EXECLISTS,   /* Linux 5.4 on: in/out once per port, for its last request */
	LANE_SUBMISSION_PER_REQUEST, /* up to 5.3: in for every request, out for a port's last */
	LANE_SUBMISSION_GUC,	     /* firmware: in at dequeue, no out */
	LANE_SUBMISSION_RING,	     /* legacy ring or mock: no in, no out */
};

/* How a recording ended, by its recording.json. */
enum lane_ending {
	LANE_ENDING_UNKNOWN,  /* nothing says */
	LANE_ENDING_COMPLETE, /* it was stopped, or its command ended */
	LANE_ENDING_NONE,     /* it has no end: the recorder was killed, or is still at work */
	LANE_ENDING_FAILED,   /* an error ended it: a full disk */
};

/* What a trace says of itself. Strings are empty and numbers 0 where it does not say. */
struct lane_trace_info {
	char host[65];
	char release[65];	 /* the kernel's, as uname -r */
	char clock_uuid[37];	 /* boot id: traces with the same one share their clock */
	char tracer[33];	 /* "bpf", "lttng", "text", ... */
	char tracer_version[24]; /* "2.13.9": of a tracer whose versions differ */
	int64_t epoch_offset_ns; /* add to an event's time for nanoseconds since 1970 */
	int64_t slept_ns;  /* CLOCK_BOOTTIME less an event's time; 0 where it is not known, too */
	uint64_t begin_ns; /* recording began, 0 when not known */
	uint64_t end_ns;   /* recording ended */
	uint64_t stop_ns;  /* up to then all was recorded, 0: not known */
	enum lane_submission submission;
	enum lane_ending ending;
	char ending_error[128];		   /* of LANE_ENDING_FAILED: the reason */
	uint8_t presence[LANE_KIND_COUNT]; /* enum lane_presence */
	bool follows_some;		   /* other processes' events were left out (--follow) */
	int32_t followed_pid;		   /* one that was not, 0: not known */
	int32_t command_pid;		   /* of the program that was recorded, 0: none */
	struct lane_limits limits;	   /* of the GPUs' engines, as they were set */
};

/* What was read of one stream of a trace, once everything has been. */
struct lane_account {
	int32_t cpu;	     /* whose stream it is, -1: not known */
	uint64_t events;     /* read, of whatever kind, losses not among them */
	uint64_t lost;	     /* told as lost, where that is counted */
	uint64_t end_ns;     /* up to then the stream has been read, 0: not at all */
	bool lost_uncounted; /* there were losses of unknown size, too */
	bool is_damaged;     /* it ended before its end: an error was told */
};

/* Another name for an event of the table, or for a field of one: an old kernel's, another tracer's.
 */
struct lane_alias {
	int kind;	   /* the event whose field it is; LANE_KIND_COUNT: any event's */
	const char *alias; /* what the trace says */
	const char *name;  /* what the table says */
};

/* The aliases a decoder is to know; norm/ has the table. */
struct lane_names {
	const struct lane_alias *events; /* kind is not used */
	size_t n_events;
	const struct lane_alias *fields;
	size_t n_fields;
};

/* A kind of event that is not in the table. */
struct lane_left_out {
	char name[32]; /* cut off where it is longer */
	uint64_t n;    /* of its events, at most; 0: the place is free */
};

enum {
	LANE_LEFT_OUT = 16
};

/* What every decoder begins with. */
struct lane_decoder {
	const struct lane_format *format;
	char *path;			    /* as it was named, for messages */
	int fd;				    /* the file, -1: it is directories */
	const struct lane_trace_info *info; /* what the trace says of itself */
	/* Once next has told the end: what was read, by stream. NULL where the format has no
	 * streams of which a part can be missing. */
	const struct lane_account *accounts;
	size_t n_accounts;
	uint64_t skipped; /* events that are not in the table: read, not delivered */
	/* Of these, where the format has names at hand: the most frequent kinds, roughly. */
	struct lane_left_out left_out[LANE_LEFT_OUT];
	/* Set by the caller: what an export says that was found need not be delivered. */
	bool leaves_out_findings;
	/* It never hands out a fence whose context is cut to 32 bits (struct lane_raw, narrow). */
	bool is_wide;
};

/* What a format provides; one static object of this type per format. */
struct lane_format {
	const char *name; /* "ctf", "text", "trace.dat" */
	const char *help;
	/* True when path looks like this format (reads a few bytes at most). */
	bool (*probe)(const char *path);
	size_t bytes; /* of its decoder, which begins with a struct lane_decoder */
	/*
	 * Reads the head of decoder->fd and sets decoder->info. names (NULL: none) outlives the
	 * decoder. NULL where the format is a directory.
	 */
	struct lane_error *(*begin)(struct lane_decoder *decoder, const struct lane_names *names);
	/*
	 * Opens directories that are one trace, also one alone: chunks and snapshots of a session.
	 * NULL where the format is a file.
	 */
	struct lane_error *(*open_joined)(const char *const *paths, size_t n,
					  const struct lane_names *names,
					  struct lane_decoder **decoder);
	/*
	 * The next event in time order, NULL at the end. It is owned by the decoder, may be changed
	 * in place and is valid until the next call. After an error (a damaged packet) the caller
	 * may go on calling: what can still be read follows, or the end.
	 */
	struct lane_error *(*next)(struct lane_decoder *decoder, struct lane_event **event);
	/* Frees what the decoder has beyond struct lane_decoder's. */
	void (*end)(struct lane_decoder *decoder);
};

extern const struct lane_format lane_format_ctf;
extern const struct lane_format lane_format_text;
extern const struct lane_format lane_format_atp; /* CodeXL's .atp */
extern const struct lane_format lane_format_trace_dat;
extern const struct lane_format lane_format_perf_data;
extern const struct lane_format lane_format_perfetto;
extern const struct lane_format lane_format_printed; /* perf script, trace-cmd report, ftrace */

/*
 * The uuid of the CTF trace in the directory at path, as its metadata begin; false when they do not
 * say it. Chunks and snapshots of one session have the same.
 */
bool decode_ctf_trace_uuid(const char *path, uint8_t uuid[16]);

/* Opens the trace at path; *decoder is the caller's. */
struct lane_error *decode_open(const struct lane_format *format, const char *path,
			       const struct lane_names *names,
			       struct lane_decoder **decoder) LANE_MUST_CHECK;

/* The same of what is open already and becomes the decoder's, whatever happens; path is for
 * messages. */
struct lane_error *decode_open_fd(const struct lane_format *format, int fd, const char *path,
				  const struct lane_names *names,
				  struct lane_decoder **decoder) LANE_MUST_CHECK;

/* A decoder without a file; NULL: no memory. */
struct lane_decoder *decode_new(const struct lane_format *format);

/* Frees everything; NULL is allowed. */
void decode_close(struct lane_decoder *decoder);

static inline void decode_close_guard(struct lane_decoder **decoder)
{
	decode_close(*decoder);
}

/* The format of the trace at path, NULL when none knows it. */
const struct lane_format *decode_format_probe(const char *path);

/* What to say of a file in no format that is known, and of a folder without a trace: never NULL. */
struct lane_error *decode_unknown_file(const char *path) LANE_MUST_CHECK;
struct lane_error *decode_unknown_folder(const char *path) LANE_MUST_CHECK;

/* An event of that name is not in the table: it is counted, by kind. */
void decode_leave_out(struct lane_decoder *decoder, const char *name, size_t length);

/*
 * The sentence that says that a recording was cut short, without a full stop; false when it was
 * not.
 */
bool decode_ending_sentence(const struct lane_trace_info *info, char *text, size_t size);

/*
 * False when a CPU cannot have lost so many events in that time: the count is damaged. An event a
 * nanosecond is more than any tracer sees; a million is believed of any time.
 */
static inline bool decode_lost_is_possible(uint64_t count, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t ns = end_ns > begin_ns ? end_ns - begin_ns : 0;

	return count <= (1ull << 20) || (count <= (1ull << 40) && count <= ns);
}

/* The word of a submission mode ("execlists", ...), and the mode of a word; -1 when it is none. */
const char *decode_submission_name(enum lane_submission submission);
int decode_submission_by_name(const char *name);

/*
 * Writes the head of a trace in the text format (docs/text-format.md): what info says.
 */
void decode_text_write_head(FILE *to, const struct lane_trace_info *info);

/*
 * The same of one of several machines' events: its name stands before the CPU, and where half_ns is
 * not 0 it stands behind the time, which is only known to so many nanoseconds each way. Nothing
 * reads this.
 */
void decode_text_write_event_of(FILE *to, const struct lane_event *event, const char *machine,
				uint64_t half_ns);

/* Writes one event as a line of the text format. */
void decode_text_write_event(FILE *to, const struct lane_event *event);

#endif

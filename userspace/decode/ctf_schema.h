/* SPDX-License-Identifier: MIT */
/* What a CTF trace's metadata mean for who reads its bytes: stream classes, programs, facts. */
#ifndef LANE_DECODE_CTF_SCHEMA_H
#define LANE_DECODE_CTF_SCHEMA_H

#include "decode/ctf_program.h"
#include "decode/decode.h"

/* The head of a packet: its header and its context; what it does not have is UINT64_MAX. */
struct lane_packet_head {
	uint64_t magic;
	uint64_t stream_id;
	uint64_t instance_id;
	uint64_t begin, end; /* by the clock */
	uint64_t content_bits, packet_bits;
	uint64_t seq_num;
	uint64_t discarded;
	uint64_t cpu_id;
	uint8_t uuid[16];
};

/* How the usual heads of LTTng's events are read without a program. */
enum lane_header_kind {
	LANE_HEADER_ANY,
	LANE_HEADER_COMPACT, /* 5 bits of id, 27 of time */
	LANE_HEADER_LARGE,   /* 16 bits of id, 32 of time */
};

struct lane_event_class {
	bool is_declared;
	int kind; /* -1: the table does not have it */
	bool is_narrow;
	bool is_engine_notify;
	bool tells_loss; /* what the packets say, or that nobody knows how much was lost */
	bool is_half;	 /* of no use to the analyses */
	/* Its bytes in the file, from its time to its last field, which are those of struct
	 * lane_event; 0: they are not, or it is not taken as it is. */
	uint16_t wire_bytes;
	struct lane_program program;
};

struct lane_stream_class {
	uint64_t id;
	enum lane_header_kind header_kind;
	uint8_t header_align; /* bits */
	uint8_t time_align;   /* of the time in it */
	struct lane_program header;
	struct lane_program packet_context;
	struct lane_event_class *events; /* by id */
	uint32_t n_events;
};

struct lane_schema {
	bool has_uuid;
	bool has_uuid_field;
	uint8_t uuid[16];
	uint64_t frequency; /* of the clock */
	uint64_t early;	    /* an event may be that much before its packet's begin, by the clock */
	struct lane_trace_info info;
	bool is_own;		 /* of gpulane's own recorder */
	bool is_lttng;		 /* of LTTng's */
	bool is_ust;		 /* of LTTng's in programs */
	bool is_perf;		 /* of perf's data convert */
	enum lane_origin origin; /* of its events; LANE_ORIGIN_UNKNOWN: as they say */
	struct lane_program packet_header;
	struct lane_stream_class *streams;
	uint32_t n_streams;
};

/*
 * Reads the metadata in the directory at path. *schema is the caller's; bytes is how long they are.
 * What is not known is an error that names it, its line and the reason.
 */
struct lane_error *decode_schema_read(const char *path, const struct lane_names *names,
				      struct lane_schema **schema, uint64_t *bytes) LANE_MUST_CHECK;

enum {
	LANE_CTF2_BEGIN = 0x1e, /* the record separator that CTF 2's metadata begin with */
};

/* The same of metadata that are text, CTF 1.8's or CTF 2's. NULL: why (of size bytes) says why not.
 */
struct lane_schema *decode_schema_make(const char *text, size_t bytes,
				       const struct lane_names *names, char *why, size_t size);

/* Says in info which events the stream class has; has it streams, what is not declared is absent.
 */
void decode_schema_presence(const struct lane_schema *schema,
			    const struct lane_stream_class *stream, struct lane_trace_info *info);

/* The class of that id, NULL when there is none; UINT64_MAX: no id is said. */
const struct lane_stream_class *decode_schema_stream(const struct lane_schema *schema, uint64_t id);

void decode_schema_free(struct lane_schema *schema);

#endif

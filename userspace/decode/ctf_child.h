/* SPDX-License-Identifier: MIT */
/*
 * libbabeltrace2 hangs, aborts or takes gigabytes on some damaged traces. So its bytes reach it in
 * a child process only, with limits on memory and time; the child hands on decoded events through a
 * pipe, and whatever happens to it is one error for the parent (ctf_pipe.c).
 *
 * What is in the pipe: messages, each a lane_ctf_head and its body, in this machine's layout.
 */
#ifndef LANE_DECODE_CTF_CHILD_H
#define LANE_DECODE_CTF_CHILD_H

#include <sys/types.h>

#include "decode/decode.h"

enum lane_ctf_message {
	LANE_CTF_INFO = 1, /* struct lane_trace_info: the trace is open; the first message */
	LANE_CTF_EVENT,	   /* struct lane_ctf_event, struct lane_wire, the payload */
	LANE_CTF_ERROR, /* text: a damaged place; without LANE_CTF_INFO before: it cannot be opened
			 */
	LANE_CTF_SKIPPED, /* uint64_t: how many events of other kinds were read up to now */
	LANE_CTF_ACCOUNT, /* struct lane_account, one a stream, at the end */
	LANE_CTF_END,	  /* nothing: everything was read */
};

struct lane_ctf_head {
	uint32_t type;	/* enum lane_ctf_message */
	uint32_t bytes; /* of the body */
};

/* What an event is besides its wire record. */
struct lane_ctf_event {
	int32_t cpu;
	struct lane_raw raw;
};

enum {
	LANE_CTF_BODY_BYTES = 4096 /* the largest body; a longer error is cut */
};

_Static_assert(sizeof(struct lane_trace_info) <= LANE_CTF_BODY_BYTES, "a body");
_Static_assert(sizeof(struct lane_ctf_event) + sizeof(struct lane_event) <= LANE_CTF_BODY_BYTES,
	       "a body");

struct lane_ctf_limits {
	uint64_t memory_bytes; /* allocated by the child */
	uint64_t map_bytes;    /* its address space beyond that: files that it maps */
	uint64_t cpu_s;	       /* its processor time */
};

/*
 * Starts the child, which reads the trace at path. *fd is the pipe's end to read from, *pid the
 * child, which is to be waited for; both are the caller's.
 */
struct lane_error *decode_ctf_child_start(const char *path, const struct lane_names *names,
					  const struct lane_ctf_limits *limits, pid_t *pid,
					  int *fd) LANE_MUST_CHECK;

/* The reader whose events a child decodes: of any CTF trace. */
extern const struct lane_format lane_format_ctf_child;

/* The reader that the child uses; it does what is said above to the process that calls it. */
extern const struct lane_format lane_format_ctf_inside;

#endif

/* SPDX-License-Identifier: MIT */
/* The reader of what a child process writes of a CTF trace (ctf_child.h), with any child. */
#ifndef LANE_DECODE_CTF_PIPE_H
#define LANE_DECODE_CTF_PIPE_H

#include <sys/types.h>

#include "decode/decode.h"

struct lane_ctf_watch {
	pid_t pid;	     /* the child, killed and waited for at the end; 0: there is none */
	int64_t silence_ms;  /* that long without a byte, and it is given up */
	uint64_t max_events; /* no more than these are believed */
};

/*
 * Reads from fd, which becomes the decoder's whatever happens, like the child. path is for
 * messages. Nothing of what comes is trusted. Otherwise as struct lane_format's open.
 */
struct lane_error *decode_ctf_pipe_open(int fd, const struct lane_ctf_watch *watch,
					const char *path,
					struct lane_decoder **decoder) LANE_MUST_CHECK;

#endif

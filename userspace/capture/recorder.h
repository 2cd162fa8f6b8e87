/* SPDX-License-Identifier: MIT */
/* A recording while it is made: its tracers from their opening to the last of recording.json. */
#ifndef LANE_CAPTURE_RECORDER_H
#define LANE_CAPTURE_RECORDER_H

#include <signal.h>

#include "capture/child.h"
#include "capture/recording.h"

/* The place of the OpenCL layer's tracer in capture_backends. */
#define LANE_BACKEND_UST 2
/* And that of what is read of the GPUs' counters. */
#define LANE_BACKEND_COUNTERS 3

/* The tracers by their names. */
extern const struct lane_backend *const capture_backends[LANE_RECORDING_BACKENDS];

/* All zero but for what its maker sets: CAPTURE_RECORDER_NONE begins one. */
struct lane_recorder {
	/* Set by its maker, who keeps what is pointed to until the end. */
	struct lane_capture_config *config;
	unsigned int backends; /* bit i: capture_backends[i] */
	bool is_ust_optional;  /* where the OpenCL layer's cannot be opened it goes on without */
	uint64_t duration_ns;  /* it ends so long after its begin; 0: it does not */
	const volatile sig_atomic_t *stop; /* it ends when this is not 0 */
	const struct lane_identity
		*given_to;	     /* whom its files are given in the end; NULL: nobody */
	struct lane_child describer; /* pid 0: none */
	struct lane_child child;     /* it ends with this command, where that has a pid */
	struct lane_recording_dir dir;
	struct lane_recording_facts facts; /* command and command_pid are the maker's */
	void (*progress)(void *arg,
			 uint64_t now_ns); /* called again and again; NULL: nobody looks */
	void *progress_arg;
	/* Why OpenCL calls are not recorded; "": they are, or nobody asked. */
	char no_layer[256];
	/* Why a GPU's requests are not recorded, though other events are; "": they are. */
	char no_requests[192];
	/* The first event that a setting of the kernel, or for ranges the kernel itself, holds
	 * back; NULL: none. */
	const struct lane_capture_kind *held_back;
	int held_back_kind;
	bool has_begun; /* something is in its folder */
};

#define CAPTURE_RECORDER_NONE                                                                      \
	((struct lane_recorder){ .dir = LANE_RECORDING_NONE,                                       \
				 .describer = { .go_fd = -1, .error_fd = -1 },                     \
				 .child = { .go_fd = -1, .error_fd = -1 },                         \
				 .facts = { .command_status = -1 } })

/*
 * Opens the tracers: all that needs privileges. An error when nothing of what was asked for can be
 * recorded. The folder is there before (capture_recording_create).
 */
struct lane_error *capture_recorder_open(struct lane_recorder *recorder) LANE_MUST_CHECK;

/* Begins: the tracers, recording.json, and the command, which has waited for it. */
struct lane_error *capture_recorder_start(struct lane_recorder *recorder) LANE_MUST_CHECK;

/*
 * Drains the tracers until there is a reason to end, stops them and completes the files. An error
 * says where the recording is, of which all that came before it can be read.
 */
struct lane_error *capture_recorder_run(struct lane_recorder *recorder) LANE_MUST_CHECK;

/* Brings the figures of facts.tracers up to date. */
void capture_recorder_stats(struct lane_recorder *recorder);

/* Ends what still runs; a recording that never began is removed. */
void capture_recorder_close(struct lane_recorder *recorder);

#endif

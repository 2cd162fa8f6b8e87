/* SPDX-License-Identifier: MIT */
/* The options of `gpulane record`. */
#ifndef LANE_CMD_RECORD_H
#define LANE_CMD_RECORD_H

#include <argp.h>

#include "capture/recorder.h"

enum {
	LANE_RECORD_ENGINES = 32,
};

/* How COMMAND comes by the OpenCL layer. */
enum lane_record_opencl {
	LANE_OPENCL_AUTO, /* as LAYER, where that can be had */
	LANE_OPENCL_LAYER,
	LANE_OPENCL_PRELOAD,
	LANE_OPENCL_OFF,
};

struct lane_record_options {
	struct lane_error *error;
	const char *output;
	char **command;
	unsigned int backends; /* bit i: capture_backends[i] */
	enum lane_record_opencl opencl;
	bool has_probes; /* OpenCL calls by uprobes too */
	bool follows;
	bool is_root;
	uint64_t duration_ns; /* 0: none */
	struct lane_engine_filter engines[LANE_RECORD_ENGINES];
	struct lane_capture_config config;
};

/* The parser; its input is a struct lane_record_options. */
extern const struct argp lane_record_parser;

#endif

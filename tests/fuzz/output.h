/* SPDX-License-Identifier: MIT */
/* A trace in the text format through the whole pipeline into outputs, and what every output has to
 * be. What is wrong ends the target, so that libFuzzer keeps the input. */
#ifndef FUZZ_OUTPUT_H
#define FUZZ_OUTPUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "file.h"
#include "session/session.h"
#include "show/export.h"

/* What an exporter made of a trace, or how far it came. */
struct fuzz_export {
	const struct lane_exporter *exporter;
	void (*empty)(int dir_fd); /* of a directory: what an earlier reading has left */
	struct lane_export_to to;
	struct session *session;
	void *export;
	char *text; /* of a file, once it is finished; to be freed */
	size_t bytes;
};

/* Reads the trace into the exporter. False: it could not be read to its end. */
bool fuzz_export(const uint8_t *data, size_t bytes, struct fuzz_export *of);
void fuzz_export_deinit(struct fuzz_export *of);

/* UTF-8, and nothing in it that does more than be read; lines are. */
void fuzz_check_clean(const char *text, size_t bytes);

/* One value of JSON, every text in it clean, every number one. The caller's. */
struct json_object *fuzz_check_json(const char *text, size_t bytes);

/* The same, one on each line. */
void fuzz_check_json_lines(const char *text, size_t bytes);

/* Every row has as many cells as the first, none begins as a formula does. */
void fuzz_check_csv(const char *text, size_t bytes);

#endif

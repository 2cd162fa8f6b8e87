/* SPDX-License-Identifier: MIT */
/* Stacks in words: an answer's, a request's, and those of all sleeps. */
#ifndef LANE_SHOW_STACKS_TEXT_H
#define LANE_SHOW_STACKS_TEXT_H

#include <json-c/json.h>
#include <stdio.h>

#include "latency/latency.h"

/* ", mostly in clock_nanosleep (libc.so.6), called by rest (game), for 3.1 of 4.2 s (74 %)"; "": it
 * is not known where. whole_ns: of so long. */
const char *show_stacks_place(const struct lane_stack_place *place, uint64_t whole_ns, char *text,
			      size_t size);

/* The same as an object `where`; nothing where it is not known. */
void show_stacks_place_json(struct json_object *to, const struct lane_stack_place *place);

/* Where the thread was that submitted the request: one sentence, or nothing; as the list `stack`.
 */
void show_stacks_of_request(FILE *to, const struct lane_latency *latency,
			    const struct lane_request *rq);
void show_stacks_of_request_json(struct json_object *to, const struct lane_latency *latency,
				 const struct lane_request *rq);

/* NULL, or the error that no stack was recorded. */
struct lane_error *show_stacks_any(const struct lane_latency *latency) LANE_MUST_CHECK;

/* What threads that submit slept in, with ns; or else what they were found running in, with the
 * number of samples: a line a stack, `thread;outermost;...;innermost WEIGHT`, as programs that draw
 * flame graphs read it. An error where no stack was recorded. */
struct lane_error *show_stacks_collapsed(FILE *to, const struct lane_latency *latency,
					 bool is_asleep) LANE_MUST_CHECK;

/* Both, as pprof reads it. */
struct lane_error *show_stacks_pprof(FILE *to, const struct lane_latency *latency) LANE_MUST_CHECK;

#endif

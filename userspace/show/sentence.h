/* SPDX-License-Identifier: MIT */
/* An answer in words: the one place that has English of answers (with verdict/causes.def). */
#ifndef LANE_SHOW_SENTENCE_H
#define LANE_SHOW_SENTENCE_H

#include <json-c/json.h>
#include <stdio.h>

#include "verdict/verdict.h"

/* So many sentences where there is room for all. */
#define SHOW_SENTENCES 20

/* The report's sentences, one after the other: how far the recording goes, if that is not to its
 * end, then its answers. */
struct lane_sentences {
	struct lane_answers answers;
	uint32_t next;
	bool has_begun;
	/* The sentence, without a full stop, and what to try; "": nothing, or what was said last.
	 */
	char text[2048], advice[256], advised[256];
};

/* most: sentences at most, but for that on how far the recording goes. */
void show_sentences_begin(struct lane_sentences *s, const struct lane_latency *latency,
			  unsigned int most);

/* The same of the one request, or picture, that is selected. */
void show_sentences_of_request(struct lane_sentences *s, const struct lane_latency *latency);

/* Makes the next one. False: there is none. */
bool show_sentences_next(struct lane_sentences *s);

/* Writes all of them, each with what to try below it. */
void show_sentences_write(FILE *to, struct lane_sentences *s, bool has_colour);

/* Who is meant, as people read it. */
const char *show_party_name(const struct lane_latency *latency, const struct lane_party *party,
			    char *buffer, size_t size);

/* What to try against what the answer says; "": nothing is known to help. */
const char *show_answer_advice(const struct lane_answers *answers, const struct lane_answer *answer,
			       char *text, size_t size);

/* The lists `answers` and `verdict` of a tree; of sentences that have just been begun. */
void show_answers_tree(struct lane_sentences *s, struct json_object *tree);

#endif

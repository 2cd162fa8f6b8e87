// SPDX-License-Identifier: MIT
// libFuzzer: what is read of the text format is written, read and written again: the same events,
// the same text.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decode.h"
#include "hostile.h"
#include "norm/names.h"
#include "output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* A text, and the events that were written to it. */
struct story {
	char *text;
	size_t bytes;
	struct lane_event *events;
	size_t n, cap;
};

static void keep(struct story *story, const struct lane_event *event)
{
	if (story->n == story->cap) {
		story->cap = story->cap ? 2 * story->cap : 256;
		story->events = reallocarray(story->events, story->cap, sizeof(*story->events));
		if (!story->events)
			abort();
	}
	story->events[story->n++] = *event;
}

/* Writes what can be read; false: the head cannot. */
static bool write_again(const void *text, size_t bytes, bool must, struct story *story)
{
	struct lane_decoder *decoder;
	struct lane_event *event;
	struct lane_error *err;
	char path[64];
	int fd = fuzz_file(text, bytes, path);
	FILE *to;

	if (lseek(fd, 0, SEEK_SET))
		abort();
	err = decode_open_fd(&lane_format_text, fd, "fuzz", &lane_norm_names, &decoder);
	if (err && must)
		fuzz_fail("%s", lane_error_message(err));
	lane_error_free(err);
	if (err)
		return false;
	to = open_memstream(&story->text, &story->bytes);
	if (!to)
		abort();
	decode_text_write_head(to, decoder->info);
	for (;;) {
		err = decoder->format->next(decoder, &event);
		if (err && must)
			fuzz_fail("%s", lane_error_message(err));
		lane_error_free(err);
		if (err)
			continue;
		if (!event)
			break;
		decode_text_write_event(to, event);
		keep(story, event);
	}
	decode_close(decoder);
	fclose(to);
	return true;
}

static void compare(const struct story *once, const struct story *again)
{
	if (once->n != again->n)
		fuzz_fail("%zu events, then %zu", once->n, again->n);
	for (size_t i = 0; i < once->n; i++) {
		const struct lane_event *a = &once->events[i], *b = &again->events[i];

		if (memcmp(&a->wire, &b->wire, sizeof(a->wire)) || a->cpu != b->cpu ||
		    memcmp(&a->u, &b->u, lane_kinds[a->wire.kind].struct_bytes))
			fuzz_fail("event %zu is another one", i);
	}
	if (once->bytes != again->bytes || memcmp(once->text, again->text, once->bytes))
		fuzz_fail("another text:\n%s\n---\n%s", once->text, again->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct story once = { 0 }, again = { 0 };

	if (write_again(data, bytes, false, &once)) {
		fuzz_check_clean(once.text, once.bytes);
		write_again(once.text, once.bytes, true, &again);
		compare(&once, &again);
	}
	free(once.text);
	free(once.events);
	free(again.text);
	free(again.events);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return fuzz_hostile_mutate(data, size, max, seed);
}

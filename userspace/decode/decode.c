// SPDX-License-Identifier: MIT
// The formats that can be read, and the words they share.
#include "decode/decode.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

static const struct lane_format *const formats[] = {
	&lane_format_text,    &lane_format_atp,	     &lane_format_trace_dat, &lane_format_perf_data,
	&lane_format_printed, &lane_format_perfetto, &lane_format_ctf,
};

/* Where no place is free, the kind with the fewest events loses its place, and its number goes with
 * the place: so no kind of more than a sixteenth of all is missing. */
void decode_leave_out(struct lane_decoder *decoder, const char *name, size_t length)
{
	struct lane_left_out *kind = decoder->left_out, *least = kind;

	decoder->skipped++;
	if (length >= sizeof(kind->name))
		length = sizeof(kind->name) - 1;
	for (int i = 0; i < LANE_LEFT_OUT && kind->n; i++, kind++) {
		if (!memcmp(kind->name, name, length) && !kind->name[length]) {
			kind->n++;
			return;
		}
		if (kind->n < least->n)
			least = kind;
	}
	if (kind == decoder->left_out + LANE_LEFT_OUT)
		kind = least;
	memcpy(kind->name, name, length);
	kind->name[length] = '\0';
	kind->n++;
}

const struct lane_format *decode_format_probe(const char *path)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i]->probe(path))
			return formats[i];
	return NULL;
}

struct lane_decoder *decode_new(const struct lane_format *format)
{
	struct lane_decoder *decoder = calloc(1, format->bytes);

	if (!decoder)
		return NULL;
	decoder->format = format;
	decoder->fd = -1;
	return decoder;
}

void decode_close(struct lane_decoder *decoder)
{
	if (!decoder)
		return;
	decoder->format->end(decoder);
	if (decoder->fd >= 0)
		close(decoder->fd);
	free(decoder->path);
	free(decoder);
}

struct lane_error *decode_open_fd(const struct lane_format *format, int fd, const char *path,
				  const struct lane_names *names, struct lane_decoder **decoder)
{
	LANE_CLEANUP(decode_close_guard) struct lane_decoder *made = decode_new(format);
	struct lane_error *err;

	if (!made) {
		close(fd);
		return &lane_enomem;
	}
	made->fd = fd;
	made->path = strdup(path);
	err = made->path ? format->begin(made, names) : &lane_enomem;
	if (err)
		return err;
	*decoder = LANE_TAKE(made);
	return NULL;
}

struct lane_error *decode_open(const struct lane_format *format, const char *path,
			       const struct lane_names *names, struct lane_decoder **decoder)
{
	struct lane_error *err;
	int fd;

	if (format->open_joined)
		return format->open_joined(&path, 1, names, decoder);
	err = lane_file_open(AT_FDCWD, path, path, &fd);
	return err ? err : decode_open_fd(format, fd, path, names, decoder);
}

bool decode_ending_sentence(const struct lane_trace_info *info, char *text, size_t size)
{
	if (info->ending == LANE_ENDING_NONE)
		snprintf(text, size,
			 "the recording was cut short: it has no end (the recorder was killed, or "
			 "is still at work)");
	else if (info->ending == LANE_ENDING_FAILED)
		snprintf(text, size, "the recording was cut short by an error: %s",
			 *info->ending_error ? info->ending_error : "no reason is given");
	else
		return false;
	return true;
}

static const char *const submission_names[] = {
	[LANE_SUBMISSION_UNKNOWN] = "unknown",
	[LANE_SUBMISSION_EXECLISTS] = "execlists",
	[LANE_SUBMISSION_PER_REQUEST] = "per_request",
	[LANE_SUBMISSION_GUC] = "guc",
	[LANE_SUBMISSION_RING] = "ring",
};

#define N_SUBMISSIONS (sizeof(submission_names) / sizeof(submission_names[0]))

const char *decode_submission_name(enum lane_submission submission)
{
	return submission_names[(size_t)submission < N_SUBMISSIONS ? submission : 0];
}

int decode_submission_by_name(const char *name)
{
	for (size_t i = 0; i < N_SUBMISSIONS; i++)
		if (!strcmp(submission_names[i], name))
			return (int)i;
	return -1;
}

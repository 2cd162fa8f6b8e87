// SPDX-License-Identifier: MIT
// CTF traces of others: which of both readers a trace is for, by its metadata, before an event is
// read.
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "decode/ctf_child.h"
#include "decode/ctf_direct.h"
#include "decode/ctf_guard.h"

/* What ends the opening, or is told first: metadata that are damaged, and what is no file. */
static struct lane_error *look(const char *const *paths, size_t n, struct lane_error **odd)
{
	struct lane_ctf_survey survey = { 0 };
	struct lane_error *err = NULL;

	for (size_t i = 0; i < n && !err; i++) {
		err = decode_ctf_guard(paths[i]);
		if (!err)
			err = decode_ctf_survey(paths[i], &survey);
	}
	if (err)
		lane_error_free(survey.odd);
	else
		*odd = survey.odd;
	return err;
}

static struct lane_error *ctf_open_joined(const char *const *paths, size_t n,
					  const struct lane_names *names,
					  struct lane_decoder **decoder)
{
	struct lane_error *odd = NULL, *err = look(paths, n, &odd);
	char why[128] = "";

	if (err)
		return err;
	err = decode_ctf_direct_open(paths, n, names, decoder, why, sizeof(why));
	if (err || !*decoder) {
		lane_error_free(odd);
		if (err)
			return err;
		if (n > 1)
			return lane_error(
				"%s and %zu more of its trace: they cannot be read together (%s); "
				"read one by one they can",
				paths[0], n - 1, why);
		err = lane_format_ctf_child.open(paths[0], names, decoder);
		if (!err)
			snprintf((*decoder)->how, sizeof((*decoder)->how),
				 "read by libbabeltrace2: %s", why);
		return err;
	}
	if (odd)
		decode_ctf_direct_tell(*decoder, odd);
	snprintf((*decoder)->how, sizeof((*decoder)->how), "read by gpulane's own reader of CTF");
	return NULL;
}

static struct lane_error *ctf_open(const char *path, const struct lane_names *names,
				   struct lane_decoder **decoder)
{
	return ctf_open_joined(&path, 1, names, decoder);
}

static bool ctf_probe(const char *path)
{
	char metadata[4096];

	return snprintf(metadata, sizeof(metadata), "%s/metadata", path) < (int)sizeof(metadata) &&
	       !access(metadata, R_OK);
}

/* What follows is the chosen reader's. */

static const struct lane_trace_info *ctf_info(struct lane_decoder *decoder)
{
	return decoder->format->info(decoder);
}

static struct lane_error *ctf_next(struct lane_decoder *decoder, struct lane_event **event)
{
	return decoder->format->next(decoder, event);
}

static const struct lane_account *ctf_accounts(struct lane_decoder *decoder, size_t *n)
{
	return decoder->format->accounts(decoder, n);
}

static void ctf_close(struct lane_decoder *decoder)
{
	if (decoder)
		decoder->format->close(decoder);
}

const struct lane_format lane_format_ctf = {
	.name = "ctf",
	.help = "CTF 1.8, as LTTng writes it",
	.probe = ctf_probe,
	.open = ctf_open,
	.open_joined = ctf_open_joined,
	.info = ctf_info,
	.next = ctf_next,
	.accounts = ctf_accounts,
	.close = ctf_close,
};

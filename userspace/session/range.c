// SPDX-License-Identifier: MIT
// Finds a program's range by its name, in a reading of its own.
#include "session/range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/near.h"

#define NAMES_MOST 64 /* kept, to say what there is */
#define NAMES_SAID 6

struct wanted_range {
	const struct lane_select *select;
	char name[LANE_MARK_BYTES];
	uint64_t number; /* 0: the longest one */
	uint64_t n, lost;
	uint64_t begin_ns, end_ns; /* of the one that is meant; 0: there is none so far */
	char names[NAMES_MOST][LANE_MARK_BYTES];
	uint32_t n_names;
};

static void range_keep_name(struct wanted_range *wanted, const char *name)
{
	for (uint32_t i = 0; i < wanted->n_names; i++)
		if (!strcmp(wanted->names[i], name))
			return;
	if (wanted->n_names < NAMES_MOST)
		memcpy(wanted->names[wanted->n_names++], name, strnlen(name, LANE_MARK_BYTES - 1));
}

static void on_mark(void *arg, const struct lane_mark *mark)
{
	struct wanted_range *wanted = arg;
	bool is_meant;

	if (!mark->end_ns ||
	    !latency_selects_process(wanted->select, mark->thread->pid, mark->thread->client))
		return;
	range_keep_name(wanted, mark->name);
	if (strcmp(mark->name, wanted->name) != 0)
		return;
	wanted->lost += mark->is_unsure;
	if (mark->is_unsure)
		return;
	wanted->n++;
	is_meant = wanted->number ? wanted->n == wanted->number
				  : !wanted->end_ns || mark->end_ns - mark->begin_ns >
							       wanted->end_ns - wanted->begin_ns;
	if (!is_meant)
		return;
	wanted->begin_ns = mark->begin_ns;
	wanted->end_ns = mark->end_ns;
}

static struct lane_error *range_begin(void *arg, const struct lane_trace_info *info,
				      struct lane_hooks *hooks)
{
	struct wanted_range *wanted = arg;

	(void)info;
	wanted->n = wanted->lost = wanted->begin_ns = wanted->end_ns = 0;
	memset(wanted->names, 0, sizeof(wanted->names));
	wanted->n_names = 0;
	*hooks = (struct lane_hooks){ .arg = wanted, .mark = on_mark };
	return NULL;
}

static void range_set_name(struct wanted_range *wanted, const char *text)
{
	const char *hash = strrchr(text, '#');
	size_t n = strlen(text);

	if (hash && hash > text && hash[1] && strspn(hash + 1, "0123456789") == strlen(hash + 1)) {
		wanted->number = strtoull(hash + 1, NULL, 10);
		n = (size_t)(hash - text);
	}
	memcpy(wanted->name, text, n < LANE_MARK_BYTES ? n : LANE_MARK_BYTES - 1);
}

/* Why there is none, and what there is. */
static struct lane_error *missing(struct wanted_range *wanted, const char *text)
{
	struct lane_near near = { .word = wanted->name };
	char there[NAMES_SAID * (LANE_MARK_BYTES + 2) + 8] = "", meant[LANE_MARK_BYTES + 24];
	size_t n = 0;

	if (wanted->n)
		return lane_error_usage("--range %s: there are %" PRIu64 " of that name", text,
					wanted->n);
	if (wanted->lost)
		return lane_error_usage("--range %s: events were lost in each of that name", text);
	if (!wanted->n_names)
		return lane_error_usage(
			"--range %s: no program marks ranges or frames in the recording", text);
	for (uint32_t i = 0; i < wanted->n_names; i++) {
		lane_near_try(&near, wanted->names[i]);
		if (i < NAMES_SAID)
			n += (size_t)snprintf(there + n, sizeof(there) - n, "%s%s", i ? ", " : "",
					      wanted->names[i]);
	}
	return lane_error_usage("--range %s: no range has that name; %sthere are: %s%s", text,
				lane_near_said(&near, meant, sizeof(meant)), there,
				wanted->n_names > NAMES_SAID ? ", ..." : "");
}

struct lane_error *session_range(const struct session *session, const char *text, double *from_s,
				 double *to_s)
{
	LANE_CLEANUP(lane_free) struct wanted_range *wanted = calloc(1, sizeof(*wanted));
	LANE_CLEANUP(session_deinit) struct session again = session_again(session);
	const struct session_listener listener = { wanted, range_begin, NULL };
	struct lane_error *err;
	uint64_t zero_ns;

	if (!wanted)
		return &lane_enomem;
	wanted->select = &session->select;
	range_set_name(wanted, text);
	err = session_read_to(&again, &listener);
	if (err)
		return err;
	if (!wanted->end_ns)
		return missing(wanted, text);
	/* Half a nanosecond more: what is cut to whole ones must not be one less. */
	zero_ns = session->base_ns ? session->base_ns : again.first_ns;
	*from_s = ((double)(wanted->begin_ns - zero_ns) + 0.5) / 1e9;
	*to_s = ((double)(wanted->end_ns - zero_ns) + 0.5) / 1e9;
	return NULL;
}

// SPDX-License-Identifier: MIT
// One stream of events from all traces of all recordings, in time order, with today's meanings.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "norm/account.h"
#include "norm/fix.h"
#include "norm/foresight.h"
#include "norm/names.h"
#include "norm/pairs.h"
#include "norm/recorded.h"
#include "norm/submission.h"
#include "norm/widen.h"

enum {
	LOOK_AHEAD = 4096
}; /* events that are read first where the submission is not known */

/* One trace that is being read. */
struct source {
	struct lane_decoder *decoder;
	struct lane_fix *fix;
	struct lane_event *head; /* the next event, today's; NULL before the first and at the end */
	struct lane_event more;	 /* head when it was made by norm_fix_more */
	bool is_in_more;	 /* norm_fix_more may have further ones */
	bool ended;

	char *path;
	struct lane_expected expected; /* what recording.json counts of it */
	uint64_t first_ns, last_ns;    /* by the trace's own clock */
	uint64_t begin_ns, end_ns;     /* of the recording, 0: not said */
	struct lane_missing missing;   /* found at its end */
	size_t next_missing;
	bool is_checked; /* everything was read, and what is missing found */

	int64_t shift_ns;
	const struct lane_sync *sync; /* the host's clock by pairs, NULL: shift_ns is all */
	const struct lane_tie *tie;   /* the way to another clock, NULL: there is none */
	bool has_own_clock;	      /* one of the three is there */
	struct lane_widen *widen;     /* the host's; NULL: all its fences are wide */
	uint32_t host;
	bool drop[LANE_KIND_COUNT]; /* kinds that another trace provides */
	bool has_drops;		    /* there are such kinds */
};

struct lane_input {
	struct source *sources;
	size_t n_sources;
	struct source *last;	  /* whose head was handed out */
	struct source *only;	  /* the one there is, while it needs nothing but to be read on */
	struct source *plain;	  /* only, where its events need nothing but norm_fix_event() */
	bool has_heads;		  /* of all others the head is there, if they have one */
	struct lane_event *event; /* of last: it was handed out last; NULL: the end */
	uint64_t last_ns;
	struct lane_trace_info info;
	struct lane_submission_clues clues;
	bool clues_wanted;
	struct lane_input_counts counts;
	struct lane_event *ahead; /* the events looked at when opening */
	size_t ahead_first;
	size_t ahead_n;
	struct lane_error *ahead_error; /* met behind them */
	char (*endings)[256];		/* by host: how it was cut short, empty: it was not */
	struct lane_widen **widen;	/* by host */
	size_t n_paths;
	struct lane_sync *syncs;	  /* by host, from pairs; NULL: there are none */
	struct lane_foresight *foresight; /* NULL: there is none */
};

uint64_t norm_tie_ns(const struct lane_tie *tie, uint64_t ns)
{
	for (; tie; tie = tie->next)
		ns = clock_sync_map_ns(&tie->map, ns);
	return ns;
}

/* Moves a time of another host's clock onto ours. */
static void shift(struct source *source, struct lane_event *event)
{
	uint64_t by = (uint64_t)source->shift_ns;
	struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;

	if (source->tie) {
		event->wire.ts_ns = norm_tie_ns(source->tie, event->wire.ts_ns);
		if (event->wire.kind != LANE_LOST)
			return;
		lost->begin_ns = norm_tie_ns(source->tie, lost->begin_ns);
		lost->end_ns = norm_tie_ns(source->tie, lost->end_ns);
		return;
	}
	if (source->sync) {
		event->wire.ts_ns = clock_sync_cpu_ns(source->sync, event->wire.ts_ns);
		if (event->wire.kind != LANE_LOST)
			return;
		lost->begin_ns = clock_sync_cpu_ns(source->sync, lost->begin_ns);
		lost->end_ns = clock_sync_cpu_ns(source->sync, lost->end_ns);
		return;
	}
	event->wire.ts_ns += by;
	if (event->wire.kind != LANE_LOST)
		return;
	lost->begin_ns += by;
	lost->end_ns += by;
}

/* The trace has been read: finds what is missing of it. What recording.json counts is told. */
static struct lane_error *check_account(struct source *source)
{
	struct lane_decoder *decoder = source->decoder;
	uint64_t begin_ns = source->first_ns, end_ns = source->last_ns;
	const struct lane_account *accounts = decoder->accounts;
	struct lane_error *err;
	size_t n = decoder->n_accounts;

	source->is_checked = true;
	if (!accounts)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (accounts[i].end_ns > end_ns)
			end_ns = accounts[i].end_ns;
	if (source->end_ns > end_ns)
		end_ns = source->end_ns;
	if (source->begin_ns && (!begin_ns || source->begin_ns < begin_ns))
		begin_ns = source->begin_ns;
	err = norm_account_check(&source->expected, accounts, n, begin_ns, end_ns,
				 &source->missing);
	if (!err && !source->missing.events && source->expected.missing_bytes)
		return lane_error("%s: %" PRIu64 " bytes of its streams are missing that "
				  "recording.json counts (was a file removed or cut off?)",
				  source->path, source->expected.missing_bytes);
	if (err || !source->missing.events)
		return err;
	return lane_error("%s: %" PRIu64 " events are missing that recording.json counts (was a "
			  "file removed or cut off?)",
			  source->path, source->missing.events);
}

/* What is missing comes last, as losses. */
static void next_missing(struct source *source)
{
	source->ended = source->next_missing == source->missing.n;
	if (source->ended)
		return;
	source->more = (struct lane_event){ .wire = { .kind = LANE_LOST, .tid = -1, .pid = -1 },
					    .raw = { .ring = LANE_RING_NONE } };
	source->more.u.gpulane_lost = source->missing.losses[source->next_missing++];
	source->more.wire.ts_ns = source->more.u.gpulane_lost.end_ns;
	source->more.cpu = source->more.u.gpulane_lost.lost_cpu;
	source->more.host = source->host;
	if (source->has_own_clock)
		shift(source, &source->more);
	source->head = &source->more;
}

/* The decoder has given the source's head: NULL when nothing of it is to be used, or at the end. */
static inline struct lane_error *note_head(struct lane_input *input, struct source *source,
					   struct lane_error *err)
{
	const struct lane_event *event = source->head;

	if (err) {
		source->head = NULL;
		return err;
	}
	if (!event)
		return check_account(source);
	if (!source->first_ns)
		source->first_ns = event->wire.ts_ns;
	source->last_ns = event->wire.ts_ns;
	if (source->drop[event->wire.kind]) {
		input->counts.doubled++;
		source->head = NULL;
	}
	return NULL;
}

static inline struct lane_error *input_decode(struct source *source)
{
	return source->decoder->format->next(source->decoder, &source->head);
}

/* What has become of the source's head in today's terms. */
static struct lane_error *input_take_fixed(struct source *source, enum lane_fixed fixed)
{
	switch (fixed) {
	case LANE_FIXED:
		break;
	case LANE_FIXED_TOLD:
		return lane_error_context(norm_fix_error(source->fix), "%s", source->path);
	case LANE_FIXED_GONE:
		source->head = NULL;
		return lane_error_context(norm_fix_error(source->fix), "%s", source->path);
	case LANE_FIXED_AWAY:
		source->head = NULL;
		break;
	case LANE_FIXED_MORE:
		source->more = *source->head;
		source->is_in_more = norm_fix_more(source->fix, &source->more);
		source->head = source->is_in_more ? &source->more : NULL;
	}
	return NULL;
}

/* Puts the source's head on the timeline's clock and in today's terms, if it is anything in them.
 */
static inline struct lane_error *fix(struct source *source)
{
	source->head->host = source->host;
	if (source->has_own_clock)
		shift(source, source->head);
	return input_take_fixed(source, norm_fix_event(source->fix, source->head));
}

/* Reads on until the source has a head or has ended. */
static struct lane_error *input_advance(struct lane_input *input, struct source *source)
{
	struct lane_error *err;

	source->head = NULL;
	if (source->is_in_more) {
		source->is_in_more = norm_fix_more(source->fix, &source->more);
		if (source->is_in_more) {
			source->head = &source->more;
			return NULL;
		}
	}
	while (!source->is_checked) {
		err = note_head(input, source, input_decode(source));
		if (!err && source->head)
			err = fix(source);
		if (err || source->head)
			return err;
	}
	next_missing(source);
	return NULL;
}

/* The source with the earliest head; of equals the first. */
static struct source *earliest(struct lane_input *input)
{
	struct source *first = NULL;

	for (size_t i = 0; i < input->n_sources; i++) {
		struct source *source = &input->sources[i];

		if (source->head && (!first || source->head->wire.ts_ns < first->head->wire.ts_ns))
			first = source;
	}
	return first;
}

/* Finds the heads that are not there: of the one that was handed out, or of all. */
static struct lane_error *find_heads(struct lane_input *input)
{
	struct source *last = LANE_TAKE(input->last);
	struct lane_error *err = NULL;

	if (last && !last->ended)
		err = input_advance(input, last);
	for (size_t i = 0; !err && !input->has_heads && i < input->n_sources; i++)
		if (!input->sources[i].ended && !input->sources[i].head)
			err = input_advance(input, &input->sources[i]);
	input->has_heads = !err;
	return err;
}

/* The source's head comes behind later events, whose conclusions have been drawn: it counts as
 * lost. */
static void comes_late(struct lane_input *input, struct source *source)
{
	struct lane_event *event = source->head;

	if (event->wire.kind != LANE_LOST) {
		input->counts.late++;
		norm_fix_to_loss(event);
		event->u.gpulane_lost.end_ns = event->wire.ts_ns = input->last_ns;
		norm_fix_event(source->fix, event);
	}
	event->wire.ts_ns = input->last_ns;
}

/* The source's head is the next event of all; false: it means nothing. */
static inline bool take_head(struct lane_input *input, struct source *source)
{
	struct lane_event *event = source->head;

	input->event = event;
	if (event->wire.ts_ns < input->last_ns)
		comes_late(input, source);
	input->last_ns = event->wire.ts_ns;
	return !source->widen || norm_widen_event(source->widen, event);
}

/* The next event of all sources that means something. */
static struct lane_error *read_event(struct lane_input *input)
{
	struct lane_error *err;

	do {
		input->event = NULL;
		err = find_heads(input);
		if (err)
			return err;
		input->last = input->n_sources == 1 ? input->sources : earliest(input);
	} while (input->last && input->last->head && !take_head(input, input->last));
	return NULL;
}

static inline void input_count(struct lane_input *input, const struct lane_event *event)
{
	input->counts.delivered++;
	if (event->wire.kind == LANE_LOST || event->wire.kind == LANE_STATEDUMP)
		input->counts.silent++;
}

/* The next of the events looked at when opening; false: they are over. */
static bool next_ahead(struct lane_input *input, const struct lane_event **result)
{
	if (input->ahead_first == input->ahead_n) {
		free(LANE_TAKE(input->ahead));
		return false;
	}
	*result = &input->ahead[input->ahead_first++];
	input_count(input, *result);
	return true;
}

/* Whether nothing stands between the decoder and who asks for the next event. */
static bool is_read_on(const struct lane_input *input)
{
	return input->n_sources == 1 && !input->ahead && !input->clues_wanted &&
	       !input->sources->is_in_more && !input->sources->is_checked;
}

/* The only source needs nothing but to be read on from now on, or more than that again. */
static void input_read_on(struct lane_input *input, bool is_only)
{
	const struct source *source = input->sources;

	input->only = is_only ? input->sources : NULL;
	input->plain = is_only && source->first_ns && !source->has_drops &&
				       !source->has_own_clock && !source->widen
			       ? input->only
			       : NULL;
}

/* What the only source's head has become is the next event; false: see read_event(). */
static bool take_only(struct lane_input *input, struct source *source, struct lane_error *err)
{
	if (!err && source->head && !source->is_in_more)
		return take_head(input, source);
	input_read_on(input, false);
	if (err) {
		input->event = NULL;
		input->last = NULL;
		input->has_heads = false;
	}
	return !err && source->head && take_head(input, source);
}

/* The next event of all, however many sources there are. */
static struct lane_error *read_any(struct lane_input *input, const struct lane_event **result)
{
	struct lane_error *err;

	if (input->ahead && next_ahead(input, result))
		return NULL;
	if (input->ahead_error)
		return LANE_TAKE(input->ahead_error);
	err = read_event(input);
	if (err || !input->event)
		return err;
	if (input->clues_wanted) {
		input->info.submission = norm_submission_clue(&input->clues, input->event);
		input->clues_wanted = input->info.submission == LANE_SUBMISSION_UNKNOWN;
	}
	input_read_on(input, is_read_on(input));
	input_count(input, input->event);
	*result = input->event;
	return NULL;
}

/* The only source's head is as it is to be handed out, if it is anything. */
static struct lane_error *hand_out_only(struct lane_input *input, struct lane_error *err,
					const struct lane_event **result)
{
	if (!take_only(input, input->only, err))
		return err ? err : read_any(input, result);
	input_count(input, input->event);
	*result = input->event;
	return NULL;
}

/* The only source's decoder has given its head. */
static struct lane_error *fix_only(struct lane_input *input, struct lane_error *err,
				   const struct lane_event **result)
{
	struct source *source = input->only;

	err = note_head(input, source, err);
	if (!err && source->head)
		err = fix(source);
	return hand_out_only(input, err, result);
}

/* The next event of the only source, most of which need no more than is done here. */
static inline struct lane_error *read_plain(struct lane_input *input, struct source *source,
					    const struct lane_event **result)
{
	struct lane_error *err = input_decode(source);
	struct lane_event *event = source->head;
	enum lane_fixed fixed;

	if (err || !event || event->wire.ts_ns < input->last_ns)
		return fix_only(input, err, result);
	event->host = source->host;
	source->last_ns = input->last_ns = event->wire.ts_ns;
	fixed = norm_fix_event(source->fix, event);
	if (fixed != LANE_FIXED)
		return hand_out_only(input, input_take_fixed(source, fixed), result);
	input_count(input, event);
	*result = event;
	return NULL;
}

struct lane_error *norm_input_next(struct lane_input *input, const struct lane_event **result)
{
	*result = NULL;
	if (input->plain)
		return read_plain(input, input->plain, result);
	return input->only ? fix_only(input, input_decode(input->only), result)
			   : read_any(input, result);
}

/* Where nothing says how requests reach the hardware, the first events often do. */
static struct lane_error *look_ahead(struct lane_input *input)
{
	input->ahead = malloc(LOOK_AHEAD * sizeof(*input->ahead));
	if (!input->ahead)
		return &lane_enomem;
	while (input->ahead_n < LOOK_AHEAD && input->clues_wanted) {
		input->ahead_error = read_event(input);
		if (input->ahead_error || !input->event)
			break;
		input->ahead[input->ahead_n++] = *input->event;
		input->info.submission = norm_submission_clue(&input->clues, input->event);
		input->clues_wanted = input->info.submission == LANE_SUBMISSION_UNKNOWN;
	}
	return NULL;
}

/* Adds to "bpf" that "lttng" has recorded, too: "bpf, lttng". */
static void add_tracer(struct lane_trace_info *info, const char *tracer)
{
	size_t used = strlen(info->tracer), n = strlen(tracer);
	char before[sizeof(info->tracer)];

	if (!n)
		return;
	for (const char *at = info->tracer; (at = strstr(at, tracer)); at += n)
		if ((at == info->tracer || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return;
	if (used + strlen(", ") + n >= sizeof(info->tracer))
		return;
	/* The order must not depend on the directory's. */
	memcpy(before, info->tracer, sizeof(before));
	if (!used)
		snprintf(info->tracer, sizeof(info->tracer), "%s", tracer);
	else if (strcmp(tracer, before) < 0)
		snprintf(info->tracer, sizeof(info->tracer), "%.10s, %.20s", tracer, before);
	else
		snprintf(info->tracer, sizeof(info->tracer), "%.20s, %.10s", before, tracer);
}

/* What one trace says and the facts beside it do not. */
static void merge_info(struct lane_trace_info *info, const struct lane_trace_info *trace)
{
#define MERGE_WORD(name)                                                                           \
	do {                                                                                       \
		if (!*info->name)                                                                  \
			memcpy(info->name, trace->name, sizeof(info->name));                       \
	} while (0)
	MERGE_WORD(host);
	MERGE_WORD(release);
	MERGE_WORD(clock_uuid);
	MERGE_WORD(tracer_version);
#undef MERGE_WORD
	if (!info->epoch_offset_ns)
		info->epoch_offset_ns = trace->epoch_offset_ns;
	if (!info->begin_ns || (trace->begin_ns && trace->begin_ns < info->begin_ns))
		info->begin_ns = trace->begin_ns;
	if (trace->end_ns > info->end_ns)
		info->end_ns = trace->end_ns;
	if (trace->stop_ns > info->stop_ns)
		info->stop_ns = trace->stop_ns;
	if (info->submission == LANE_SUBMISSION_UNKNOWN)
		info->submission = trace->submission;
	info->follows_some |= trace->follows_some;
	if (!info->followed_pid)
		info->followed_pid = trace->followed_pid;
	if (!info->command_pid)
		info->command_pid = trace->command_pid;
	if (!info->limits.n && !*info->limits.dumps && !*info->limits.idle_states &&
	    !*info->limits.sched_policy)
		info->limits = trace->limits;
}

/* Together with another trace a kind is there when one of them has it. */
static void merge_presence(uint8_t *presence, const uint8_t *trace)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (trace[kind] == LANE_PRESENCE_RECORDED || presence[kind] == LANE_PRESENCE_ABSENT)
			presence[kind] = trace[kind];
}

/* Opens a trace; several directories of one together. */
static struct lane_error *open_decoder(const struct lane_recording_trace *trace,
				       struct lane_decoder **decoder)
{
	const struct lane_format *format = decode_format_probe(trace->path);
	LANE_CLEANUP(lane_free) const char **paths = NULL;

	if (!format)
		return decode_unknown_file(trace->path);
	if (!trace->n_more)
		return decode_open(format, trace->path, &lane_norm_names, decoder);
	paths = calloc(trace->n_more + 1, sizeof(*paths));
	if (!paths)
		return &lane_enomem;
	paths[0] = trace->path;
	for (size_t i = 0; i < trace->n_more; i++)
		paths[i + 1] = trace->more[i];
	return format->open_joined(paths, trace->n_more + 1, &lane_norm_names, decoder);
}

struct lane_error *norm_recording_trace_info(const struct lane_recording_trace *trace,
					     struct lane_trace_info *info)
{
	struct lane_decoder *decoder;
	struct lane_error *err = open_decoder(trace, &decoder);

	if (err)
		return err;
	*info = *decoder->info;
	decode_close(decoder);
	return NULL;
}

/* Opens one trace of a recording as the next source. */
static struct lane_error *open_source(struct lane_input *input, struct lane_recording_trace *trace,
				      uint32_t host)
{
	struct source *source = &input->sources[input->n_sources];
	struct lane_error *err = open_decoder(trace, &source->decoder);

	if (err)
		return err;
	input->n_sources++;
	source->host = host;
	source->path = strdup(trace->path);
	source->expected = trace->expected;
	trace->expected.cpus = NULL; /* the source's now */
	if (!source->path)
		return &lane_enomem;
	err = norm_fix_create(source->decoder->info, &source->fix);
	if (!err)
		norm_fix_foresee(source->fix, input->foresight, host);
	return err;
}

/* Whose events of a kind count, where several have recorded it. The OpenCL layer sees more than
 * others. */
static const char *preferred(int kind, enum lane_prefer prefer)
{
	if (!strcmp(lane_kinds[kind].group, "opencl"))
		return "ust";
	return prefer == LANE_PREFER_LTTNG ? "lttng" : "bpf";
}

/*
 * A kind's events are taken from one tracer of a recording: the preferred one where it has them.
 * The OpenCL layer's tracer writes a trace for each user.
 */
static void choose_kinds(struct source *sources, const struct lane_recording *recording,
			 const uint8_t presence[][LANE_KIND_COUNT], enum lane_prefer prefer)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const char *tracer = preferred(kind, prefer);
		size_t chosen = recording->n_traces;

		if (kind == LANE_LOST)
			continue; /* what a trace has lost is lost whatever the others have */
		for (size_t i = 0; i < recording->n_traces; i++)
			if (presence[i][kind] != LANE_PRESENCE_ABSENT &&
			    (chosen == recording->n_traces ||
			     (presence[i][kind] == LANE_PRESENCE_RECORDED &&
			      presence[chosen][kind] != LANE_PRESENCE_RECORDED) ||
			     (presence[i][kind] == presence[chosen][kind] &&
			      !strcmp(recording->traces[i].tracer, tracer))))
				chosen = i;
		for (size_t i = 0; i < recording->n_traces; i++) {
			sources[i].drop[kind] =
				i != chosen && (chosen == recording->n_traces ||
						strcmp(recording->traces[i].tracer, "ust") ||
						strcmp(recording->traces[chosen].tracer, "ust"));
			sources[i].has_drops |= sources[i].drop[kind];
		}
	}
}

/* A trace none of whose events is taken is not read at all, nor what it lost. */
static void end_unused(struct source *source)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (kind != LANE_LOST && !source->drop[kind])
			return;
	source->ended = true;
}

/* What recording.json says comes first, what the trace itself says fills the gaps. */
static void presence_of(const struct lane_recording_trace *trace,
			const struct lane_trace_info *info, uint8_t *presence)
{
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		presence[kind] = trace->presence[kind] != LANE_PRESENCE_UNKNOWN
					 ? trace->presence[kind]
					 : info->presence[kind];
}

bool norm_recording_are_kin(const struct lane_trace_info *a, const struct lane_trace_info *b)
{
	if (*a->clock_uuid && *b->clock_uuid && strcmp(a->clock_uuid, b->clock_uuid) != 0)
		return false;
	return !*a->host || !*b->host || !strcmp(a->host, b->host);
}

/*
 * The traces of one recording are of one boot of one machine, each by another tracer (LTTng-UST
 * writes one a user). Anything else would be one machine's events taken for another's, or twice.
 */
static struct lane_error *check_kin(const struct source *sources,
				    const struct lane_recording *recording, size_t at,
				    const char *path)
{
	const struct lane_recording_trace *b = &recording->traces[at];
	const struct lane_trace_info *of_b = sources[at].decoder->info;

	for (size_t i = 0; i < at; i++) {
		const struct lane_recording_trace *a = &recording->traces[i];
		const struct lane_trace_info *of_a = sources[i].decoder->info;
		const char *what = NULL;

		if (!norm_recording_are_kin(of_a, of_b))
			what = "two machines (or boots)";
		else if (!strcmp(a->tracer, b->tracer) && strcmp(a->tracer, "ust"))
			what = "one tracer";
		if (what)
			return lane_error("%s: two traces of %s are in it: %s and %s (name one of "
					  "them; `gpulane dump` reads several)",
					  path, what, a->path, b->path);
	}
	return NULL;
}

/* Keeps of a folder's traces those of one machine. */
static void keep_only(struct lane_recording *recording, const struct lane_place *place)
{
	size_t n = 0;

	for (size_t i = 0; place->n_traces && i < recording->n_traces; i++) {
		struct lane_recording_trace trace = recording->traces[i];
		bool is_kept = false;

		for (size_t k = 0; k < place->n_traces && !is_kept; k++)
			is_kept = !strcmp(trace.path, place->traces[k]);
		recording->traces[i] = recording->traces[n];
		recording->traces[n] = trace;
		n += is_kept;
	}
	for (size_t i = n; place->n_traces && i < recording->n_traces; i++)
		norm_recording_trace_deinit(&recording->traces[i]);
	if (place->n_traces)
		recording->n_traces = n;
}

/* The recording's times, on the timeline's clock. */
static void move_info(struct lane_trace_info *info, const struct lane_place *place)
{
	if (!place->tie)
		return;
	info->epoch_offset_ns = place->clock->epoch_offset_ns;
	memcpy(info->clock_uuid, place->clock->clock_uuid, sizeof(info->clock_uuid));
	if (info->begin_ns)
		info->begin_ns = norm_tie_ns(place->tie, info->begin_ns);
	if (info->end_ns)
		info->end_ns = norm_tie_ns(place->tie, info->end_ns);
	if (info->stop_ns)
		info->stop_ns = norm_tie_ns(place->tie, info->stop_ns);
}

/* What the host's sources need to be on the timeline. */
static void set_clocks(struct lane_input *input, const struct lane_place *place,
		       struct source *sources, size_t n, int64_t shift_ns)
{
	struct lane_widen *widen = NULL;
	uint32_t host = n ? sources->host : 0;

	for (size_t i = 0; i < n; i++) {
		sources[i].shift_ns = shift_ns;
		if (input->syncs && host)
			sources[i].sync = &input->syncs[host];
		sources[i].tie = place->tie;
		sources[i].has_own_clock = shift_ns || sources[i].sync || place->tie;
		if (!sources[i].decoder->is_wide)
			widen = input->widen[host];
	}
	for (size_t i = 0; i < n; i++)
		sources[i].widen = widen;
}

/* Opens all traces of one recording. */
static struct lane_error *open_recording(struct lane_input *input, const struct lane_place *place,
					 uint32_t host, enum lane_prefer prefer)
{
	const char *path = place->path;
	LANE_CLEANUP(norm_recording_deinit) struct lane_recording recording = { 0 };
	uint8_t presence[LANE_RECORDING_TRACES][LANE_KIND_COUNT];
	struct source *sources = &input->sources[input->n_sources];
	const struct lane_trace_info *said;
	struct lane_trace_info info;
	struct lane_error *err;
	int64_t shift_ns = 0;

	err = norm_recording_init(path, &recording);
	if (err)
		return err;
	keep_only(&recording, place);
	info = recording.info;
	for (size_t i = 0; i < recording.n_traces; i++) {
		err = open_source(input, &recording.traces[i], host);
		if (err)
			return err;
		said = sources[i].decoder->info;
		if (!*recording.traces[i].tracer)
			snprintf(recording.traces[i].tracer, sizeof(recording.traces[i].tracer),
				 "%s", said->tracer);
		err = check_kin(sources, &recording, i, path);
		if (err)
			return err;
		merge_info(&info, said);
		add_tracer(&info,
			   *recording.traces[i].tracer ? recording.traces[i].tracer : said->tracer);
		presence_of(&recording.traces[i], said, presence[i]);
		if (i)
			merge_presence(info.presence, presence[i]);
		else
			memcpy(info.presence, presence[i], sizeof(info.presence));
	}
	if (recording.n_traces > 1)
		choose_kinds(sources, &recording, presence, prefer);
	decode_ending_sentence(&info, input->endings[host], sizeof(input->endings[host]));
	move_info(&info, place);
	if (!host)
		input->info = info;
	else if (!place->tie &&
		 (!*info.clock_uuid || strcmp(info.clock_uuid, input->info.clock_uuid)))
		shift_ns = (int64_t)((uint64_t)info.epoch_offset_ns -
				     (uint64_t)input->info.epoch_offset_ns);
	for (size_t i = 0; i < recording.n_traces; i++) {
		sources[i].begin_ns = recording.info.begin_ns;
		sources[i].end_ns = recording.info.end_ns;
		end_unused(&sources[i]);
	}
	set_clocks(input, place, sources, recording.n_traces, shift_ns);
	return NULL;
}

static void close_guard(struct lane_input **input)
{
	norm_input_close(*input);
}

static struct lane_error *read_pairs(struct lane_input *input, const char *path, size_t n)
{
	input->syncs = calloc(n, sizeof(*input->syncs));
	if (!input->syncs)
		return &lane_enomem;
	return norm_pairs_read(path, input->syncs, n);
}

/* Reads as far as is needed to know how requests reach the hardware. */
static struct lane_error *find_submission(struct lane_input *input)
{
	if (input->info.submission == LANE_SUBMISSION_UNKNOWN)
		input->info.submission = norm_submission_facts(&input->clues, &input->info);
	input->clues_wanted = input->info.submission == LANE_SUBMISSION_UNKNOWN;
	return input->clues_wanted ? look_ahead(input) : NULL;
}

static struct lane_error *open_places(const struct lane_place *places, size_t n_places,
				      const struct lane_input_options *options,
				      struct lane_input **result)
{
	LANE_CLEANUP(close_guard) struct lane_input *input = calloc(1, sizeof(*input));
	struct lane_error *err;

	if (!input)
		return &lane_enomem;
	input->sources = calloc(n_places * LANE_RECORDING_TRACES, sizeof(*input->sources));
	input->endings = calloc(n_places, sizeof(*input->endings));
	input->n_paths = n_places;
	if (options->has_foresight)
		input->foresight = norm_foresight_create(places, n_places, options->prefer);
	input->widen = calloc(n_places, sizeof(struct lane_widen *));
	if (!input->sources || !input->endings || !input->widen ||
	    (options->has_foresight && !input->foresight))
		return &lane_enomem;
	if (options->pairs) {
		err = read_pairs(input, options->pairs, n_places);
		if (err)
			return err;
	}
	for (size_t i = 0; i < n_places; i++) {
		err = norm_widen_create(&input->widen[i]);
		if (err)
			return err;
		err = open_recording(input, &places[i], (uint32_t)i, options->prefer);
		if (err)
			return err;
	}
	err = find_submission(input);
	if (err)
		return err;
	*result = LANE_TAKE(input);
	return NULL;
}

static const struct lane_input_options no_options;

struct lane_error *norm_input_open_all(const char *const *paths, size_t n_paths,
				       const struct lane_input_options *options,
				       struct lane_input **result)
{
	LANE_CLEANUP(lane_free) struct lane_place *places = calloc(n_paths + 1, sizeof(*places));

	if (!places)
		return &lane_enomem;
	for (size_t i = 0; i < n_paths; i++)
		places[i].path = paths[i];
	return open_places(places, n_paths, options ? options : &no_options, result);
}

struct lane_error *norm_input_open_places(const struct lane_place *places, size_t n,
					  const struct lane_input_options *options,
					  struct lane_input **result)
{
	return open_places(places, n, options ? options : &no_options, result);
}

struct lane_error *norm_input_open(const char *path, struct lane_input **input)
{
	return norm_input_open_all(&path, 1, NULL, input);
}

const struct lane_trace_info *norm_input_info(const struct lane_input *input)
{
	return &input->info;
}

struct lane_error *norm_input_next_whole(struct lane_input *input, const struct lane_event **event)
{
	for (;;) {
		struct lane_error *err = norm_input_next(input, event);

		if (!err || err == &lane_enomem || lane_error_code(err) != LANE_ERROR_FAILED)
			return err;
		lane_error_free(err);
	}
}

void norm_input_leave_out_findings(struct lane_input *input)
{
	for (size_t i = 0; i < input->n_sources; i++)
		input->sources[i].decoder->leaves_out_findings = true;
}

const char *norm_input_ending(const struct lane_input *input, size_t host)
{
	return host < input->n_paths && *input->endings[host] ? input->endings[host] : NULL;
}

/* Names the kinds that the decoder left out, the most frequent first: "a, b, c and others". */
static void name_left_out(const struct lane_decoder *decoder, char *text, size_t size)
{
	bool is_named[LANE_LEFT_OUT] = { false };
	size_t used = 0;

	for (int n = 0; n < LANE_LEFT_OUT && used < size; n++) {
		int most = -1;

		for (int i = 0; i < LANE_LEFT_OUT; i++)
			if (decoder->left_out[i].n && !is_named[i] &&
			    (most < 0 || decoder->left_out[i].n > decoder->left_out[most].n))
				most = i;
		if (most < 0)
			return;
		is_named[most] = true;
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 n == 3 ? " and others"
					 : n	? ", "
						: "",
					 n == 3 ? "" : decoder->left_out[most].name);
		if (n == 3)
			return;
	}
}

void norm_input_counts(const struct lane_input *input, struct lane_input_counts *counts)
{
	*counts = input->counts;
	for (size_t i = 0; i < input->n_sources; i++) {
		counts->skipped += input->sources[i].decoder->skipped;
		if (!*counts->left_out)
			name_left_out(input->sources[i].decoder, counts->left_out,
				      sizeof(counts->left_out));
		norm_fix_counts(input->sources[i].fix, counts);
	}
	for (size_t i = 0; i < input->n_paths; i++)
		counts->ambiguous += norm_widen_ambiguous(input->widen[i]);
}

void norm_input_close(struct lane_input *input)
{
	if (!input)
		return;
	for (size_t i = 0; input->sources && i < input->n_sources; i++) {
		decode_close(input->sources[i].decoder);
		norm_fix_destroy(input->sources[i].fix);
		norm_missing_free(&input->sources[i].missing);
		free(input->sources[i].expected.cpus);
		free(input->sources[i].path);
	}
	for (size_t i = 0; input->widen && i < input->n_paths; i++)
		norm_widen_destroy(input->widen[i]);
	free(input->widen);
	norm_foresight_destroy(input->foresight);
	free(input->endings);
	lane_error_free(input->ahead_error);
	free(input->ahead);
	free(input->sources);
	free(input->syncs);
	free(input);
}

// SPDX-License-Identifier: MIT
// A recording of gpulane's own that has what another recording or trace has.
#include "session/copy.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/ctf.h"
#include "capture/recording.h"
#include "session/facts.h"
#include "session/session.h"

enum {
	PACKET_BYTES = 256 << 10,
	MAX_CPUS = 4096,
};

/* The recording that is being made. */
struct copy {
	const char *name; /* of the trace: the tracer's */
	struct lane_recording_dir dir;
	struct lane_ctf_trace *trace;
	struct lane_ctf_stream *streams[MAX_CPUS + 1]; /* by CPU; the last: of no CPU */
	uint64_t lost[MAX_CPUS + 1];
	size_t pending; /* bytes appended since the last flush */
	uint64_t begin_ns, last_ns, events;
	const char *to; /* the recording's path */
	const struct lane_trace_info *info;
};

static struct lane_error *open_trace(struct copy *copy, uint64_t first_ns)
{
	const struct lane_trace_info *info = copy->info;
	struct lane_ctf_env env = { .hostname = *info->host ? info->host : NULL,
				    .kernel_release = *info->release ? info->release : NULL,
				    .clock_uuid = *info->clock_uuid ? info->clock_uuid : NULL,
				    .epoch_offset_ns = info->epoch_offset_ns,
				    .tracer = copy->name,
				    .begin_ns = first_ns,
				    .has_free_stream = true,
				    .is_copy = true };

	if (info->begin_ns && info->begin_ns < first_ns)
		env.begin_ns = info->begin_ns;
	copy->begin_ns = env.begin_ns;
	return lane_ctf_create(copy->dir.fd, copy->name, &env, &copy->trace);
}

static struct lane_error *stream_of(struct copy *copy, int32_t cpu, size_t *at)
{
	*at = cpu < 0 ? MAX_CPUS : (size_t)cpu;
	if (cpu >= MAX_CPUS)
		return lane_error("CPU %d: more CPUs than the %d that can be imported", cpu,
				  MAX_CPUS);
	if (copy->streams[*at])
		return NULL;
	return lane_ctf_stream(copy->trace, cpu < 0 ? LANE_CTF_NO_CPU : (unsigned int)cpu,
			       PACKET_BYTES, &copy->streams[*at]);
}

static struct lane_error *copy_flush(struct copy *copy)
{
	struct lane_error *err = NULL;

	copy->pending = 0;
	for (size_t i = 0; !err && i <= MAX_CPUS; i++)
		if (copy->streams[i])
			err = lane_ctf_flush(copy->streams[i], copy->last_ns);
	return err;
}

/* A loss: a packet that says so, from its begin to its end. */
static struct lane_error *put_loss(struct copy *copy, size_t at,
				   const struct lane_p_gpulane_lost *lost)
{
	struct lane_ctf_stream *stream = copy->streams[at];
	struct lane_error *err = lane_ctf_lost(stream, copy->lost[at], lost->begin_ns);

	copy->lost[at] += lost->count;
	if (!err)
		err = lane_ctf_lost(stream, copy->lost[at], lost->end_ns);
	return err ? err : lane_ctf_flush(stream, lost->end_ns);
}

static struct lane_error *copy_append(struct copy *copy, const struct lane_event *event)
{
	bool lost = event->wire.kind == LANE_LOST;
	struct lane_error *err = NULL;
	size_t at;

	if (!copy->trace)
		err = open_trace(copy, lost ? event->u.gpulane_lost.begin_ns : event->wire.ts_ns);
	if (!err)
		err = stream_of(copy, lost ? event->u.gpulane_lost.lost_cpu : event->cpu, &at);
	if (err)
		return err;
	copy->last_ns = event->wire.ts_ns;
	/* A packet's count of what was lost before it is a number: that nobody knows it, an event
	 * says. */
	if (lost && event->u.gpulane_lost.count)
		return put_loss(copy, at, &event->u.gpulane_lost);
	copy->events += !lost;
	err = lane_ctf_append(copy->streams[at], &event->wire);
	copy->pending += sizeof(event->wire) + lane_kinds[event->wire.kind].payload_bytes;
	return err || copy->pending < PACKET_BYTES ? err : copy_flush(copy);
}

static struct lane_error *on_event(void *arg, const struct lane_event *event)
{
	struct copy *copy = arg;

	return lane_error_context(copy_append(copy, event), "%s", copy->to);
}

static struct lane_error *write_facts(const struct copy *copy, const struct lane_trace_info *info,
				      const char *source)
{
	const struct session_facts facts = { .tracer = copy->name,
					     .path = copy->name,
					     .imported_from = source,
					     .begin_ns = copy->begin_ns,
					     .end_ns = copy->last_ns,
					     .events = copy->events };

	return session_facts_write(copy->dir.fd, info, &facts);
}

static struct lane_error *copy_begin(void *arg, const struct lane_trace_info *info,
				     struct lane_hooks *hooks)
{
	struct copy *copy = arg;

	(void)hooks;
	copy->info = info;
	copy->name = !strcmp(info->tracer, "codexl") ? "codexl" : "import";
	return capture_recording_create(copy->to, &copy->dir);
}

static struct lane_error *copy_make(struct copy *copy, const struct lane_place *place)
{
	const struct session_listener listener = { copy, copy_begin, on_event };
	const char *from = place->n_traces ? place->traces[0] : place->path;
	LANE_CLEANUP(session_deinit)
	struct session session = { .place = place,
				   .depth = SESSION_EVENTS,
				   .is_strict = true, /* nothing is left out silently */
				   .listeners = &listener,
				   .n_listeners = 1,
				   .damage = { .command = "import" } };
	struct lane_error *err = session_read(&session);

	if (!err && !copy->trace)
		err = lane_error("%s: there is no event in it", from);
	if (!err)
		err = lane_error_context(lane_ctf_close(LANE_TAKE(copy->trace)), "%s", copy->to);
	if (!err)
		err = lane_error_context(write_facts(copy, &session.info, from), "%s", copy->to);
	return err;
}

struct lane_error *session_copy(const struct lane_place *from, const char *to)
{
	LANE_CLEANUP(lane_free) struct copy *copy = calloc(1, sizeof(*copy));
	struct lane_error *err;

	if (!copy)
		return &lane_enomem;
	copy->dir = LANE_RECORDING_NONE;
	copy->to = to;
	err = copy_make(copy, from);
	lane_error_free(lane_ctf_close(copy->trace));
	if (err)
		capture_recording_discard(&copy->dir);
	else
		capture_recording_close(&copy->dir);
	return err;
}

// SPDX-License-Identifier: MIT
// gpulane export --to perfetto: Perfetto's native format, one packet at a time.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/opencl.h"
#include "base/vector.h"
#include "show/report_parts.h"
#include "show/export.h"
#include "show/perfetto_ftrace.h"
#include "show/perfetto_gpu.h"
#include "show/perfetto_packet.h"
#include "show/perfetto_slice.h"
#include "show/report.h"
#include "show/sentence.h"
#include "show/tracks.h"

/* What a uuid is of; its lowest bits, so that most are short. */
enum place {
	PLACE_DEVICE = 1,
	PLACE_ENGINE,
	PLACE_PROCESS,
	PLACE_THREAD,
	PLACE_TRACK, /* row 0 of a track */
	PLACE_ROW,
	PLACE_LENGTH,
	PLACE_ANSWER,
};

struct perfetto {
	struct lane_packets packets;
	struct lane_ftrace *ftrace;
	struct lane_gpu *gpu;
	struct lane_tracks *tracks;
	uint32_t *rows; /* how many rows of a track have been described, by track */
	uint32_t cap_tracks;
	bool no_memory;
};

static uint64_t uuid_of(enum place place, uint64_t what, uint32_t row)
{
	return (uint64_t)(row & 0xffffff) << 36 | (what & 0xffffffff) << 4 | place;
}

/* A track that others are in, or of a counter; parent 0: it is on top. */
static void describe_plain(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
			   int32_t rank, bool is_counter)
{
	show_packet_track(&p->packets, &(struct lane_packet_track){ .uuid = uuid,
								    .parent = parent,
								    .name = name,
								    .is_counter = is_counter,
								    .rank = rank });
}

/* Processes by number; what belongs to none that is known is one process. */
static uint64_t process_uuid(int32_t pid)
{
	return uuid_of(PLACE_PROCESS, pid < 0 ? UINT32_MAX : (uint32_t)pid, 0);
}

static void describe_process(struct perfetto *p, int32_t pid, const char *name)
{
	show_packet_track(&p->packets, &(struct lane_packet_track){ .uuid = process_uuid(pid),
								    .name = name,
								    .pid = pid,
								    .is_process = pid >= 0 });
}

static void describe_device(struct perfetto *p, const struct lane_engine *engine)
{
	char device[LANE_SHOW_ENGINE], name[LANE_SHOW_ENGINE + 4];

	snprintf(name, sizeof(name), "GPU %s", show_device_name(engine, device, sizeof(device)));
	describe_plain(p, uuid_of(PLACE_DEVICE, engine->dev, 0), 0, name, -1, false);
}

static void describe_engine(struct perfetto *p, const struct lane_engine *engine)
{
	static const char *const lengths[] = { "host queue length", "device queue length" };
	uint64_t uuid = uuid_of(PLACE_ENGINE, engine->id, 0);

	describe_device(p, engine);
	describe_plain(p, uuid, uuid_of(PLACE_DEVICE, engine->dev, 0), SHOW_ENGINE(engine),
		       (int32_t)engine->id + 1, false);
	for (uint32_t queue = 0; queue < 2; queue++)
		describe_plain(p, uuid_of(PLACE_LENGTH, engine->id, queue), uuid, lengths[queue],
			       20 + (int32_t)queue, true);
}

/* What is known of a process's first thread may be its process's name alone. */
static const char *comm_of(const struct lane_track *track)
{
	bool is_first = track->client && track->client->pid == track->tid;

	return track->comm[0] || !is_first ? track->comm : track->client->comm;
}

static void describe_thread(struct perfetto *p, const struct lane_track *track)
{
	show_packet_track(&p->packets,
			  &(struct lane_packet_track){
				  .uuid = uuid_of(PLACE_THREAD, (uint32_t)track->tid, 0),
				  .name = comm_of(track),
				  .pid = track->pid >= 0 ? track->pid : track->tid,
				  .tid = track->tid,
				  .is_thread = true,
			  });
}

static uint64_t track_uuid(const struct lane_track *track, uint32_t row)
{
	return row ? uuid_of(PLACE_ROW, track->id, row) : uuid_of(PLACE_TRACK, track->id, 0);
}

/* Rows have their track's name: the viewer shows them as one track that is several rows high. */
static void describe_row(struct perfetto *p, const struct lane_track *track, uint32_t row)
{
	char name[192];
	struct lane_packet_track is = {
		.uuid = track_uuid(track, row),
		.name = lane_track_names[track->kind],
		.rank = (int32_t)track->kind + 1,
	};

	if (track->engine)
		is.parent = uuid_of(PLACE_ENGINE, track->engine->id, 0);
	else if (track->kind == LANE_TRACK_CLIENT)
		is.parent = process_uuid(track->client->pid);
	else if (track->tid >= 0)
		is.parent = uuid_of(PLACE_THREAD, (uint32_t)track->tid, 0);
	if (track->kind == LANE_TRACK_DISPLAY) {
		is.name = timeline_screen_name(track->dev, track->crtc, track->connector, name,
					       sizeof(name));
	}
	show_packet_track(&p->packets, &is);
}

static void describe_client(struct perfetto *p, const struct lane_client *client)
{
	const char *name = client->group ? client->group : client->comm;

	describe_process(p, client->pid, client->pid < 0 ? "unknown process" : name);
}

static void perfetto_describe(struct perfetto *p, const struct lane_track *track)
{
	if (track->kind == LANE_TRACK_CLIENT)
		describe_client(p, track->client);
	else if (track->engine)
		describe_engine(p, track->engine);
	else if (track->queue)
		describe_process(p, track->queue->pid, track->queue->comm);
	else if (track->tid >= 0)
		describe_thread(p, track);
}

/* Who runs on CPUs and GPUs, and what a thread does, Perfetto draws by itself. */
static bool is_drawn(const struct lane_track *track)
{
	return track->kind != LANE_TRACK_CPU && track->kind != LANE_TRACK_THREAD &&
	       track->kind != LANE_TRACK_ENGINE && track->kind != LANE_TRACK_CLQUEUE;
}

static void on_track(void *arg, const struct lane_track *track)
{
	struct perfetto *p = arg;

	if (!LANE_GROW(p->rows, p->cap_tracks, (size_t)track->id + 1)) {
		p->no_memory = true;
		return;
	}
	p->rows[track->id] = 0;
	if (track->kind == LANE_TRACK_ENGINE || track->kind == LANE_TRACK_CLQUEUE)
		show_gpu_queue(p->gpu, track);
	if (track->kind != LANE_TRACK_CPU && track->kind != LANE_TRACK_THREAD)
		perfetto_describe(p, track);
}

/* The part of a wait in which the request was over: where the arrow from the request ends. */
static void wake_up(struct perfetto *p, const struct lane_slice *slice, uint64_t uuid)
{
	const struct lane_wait *wait = slice->wait;

	if (!wait->signal_ns || slice->number == LANE_NO_REQUEST)
		return;
	show_packet_begin(&p->packets, uuid, wait->signal_ns, "wake");
	show_packet_flow(&p->packets, (uint64_t)slice->number + 1);
	show_packet_send(&p->packets);
	show_packet_end(&p->packets, uuid, wait->end_ns);
}

/* The arrow from a reset, or a job that was given up, to those that ended with it. */
static uint64_t given_up_flow(uint64_t at_ns)
{
	return 1ull << 62 | at_ns;
}

/* From then on the request's end was near: the arrow ends there, or begins, if it is what hung. */
static void given_up(struct perfetto *p, const struct lane_slice *slice, uint64_t uuid)
{
	const struct lane_given_up *up = &slice->request->given_up;
	char with[64] = "reset";

	if (up->at_ns < slice->begin_ns || up->at_ns >= slice->end_ns)
		return;
	if (up->context == slice->request->context && up->seqno == slice->request->seqno)
		snprintf(with, sizeof(with), "given up");
	else if (up->context)
		snprintf(with, sizeof(with), "given up with %" PRIu64 ":%" PRIu32, up->context->ctx,
			 up->seqno);
	show_packet_begin(&p->packets, uuid, up->at_ns, with);
	show_packet_flow(&p->packets, given_up_flow(up->at_ns));
	show_packet_send(&p->packets);
	show_packet_end(&p->packets, uuid, slice->end_ns);
}

/* The arrow of a request goes through these, in the order of their times. */
static bool has_flow(const struct lane_slice *slice)
{
	return slice->number != LANE_NO_REQUEST &&
	       (slice->track->kind == LANE_TRACK_SUBMIT || slice->track->kind == LANE_TRACK_CLIENT);
}

/* What ran on a GPU for it. */
static void correlate(struct perfetto *p, const struct lane_slice *slice)
{
	const struct lane_call *call = slice->call;
	bool is_levelzero = call && lane_cl_is_levelzero(call->function);

	if (slice->track->kind == LANE_TRACK_CLIENT && slice->request)
		show_gpu_submits(p->gpu, slice);
	if (slice->wait)
		show_gpu_waits(p->gpu, slice->number);
	if (!call)
		return;
	if (!is_levelzero)
		show_packet_is_opencl(&p->packets);
	if (call->command)
		show_packet_submits(&p->packets,
				    show_gpu_command_id(call->pid, call->command, is_levelzero));
	if (call->awaited)
		show_packet_waits(&p->packets,
				  show_gpu_command_id(call->pid, call->awaited, is_levelzero));
}

static void on_gpu(struct perfetto *p, const struct lane_slice *slice)
{
	if (slice->command)
		show_gpu_command(p->gpu, slice);
	else if (slice->run)
		show_gpu_run(p->gpu, slice);
}

static void on_slice(void *arg, const struct lane_slice *slice)
{
	struct perfetto *p = arg;
	uint64_t uuid = track_uuid(slice->track, slice->row);

	if (slice->track->kind == LANE_TRACK_ENGINE || slice->track->kind == LANE_TRACK_CLQUEUE) {
		on_gpu(p, slice);
		return;
	}
	if (p->no_memory || !is_drawn(slice->track))
		return;
	for (; p->rows[slice->track->id] <= slice->row; p->rows[slice->track->id]++)
		describe_row(p, slice->track, p->rows[slice->track->id]);
	show_packet_begin(&p->packets, uuid, slice->begin_ns,
			  show_slice_name(slice, SHOW_ROOM(64)));
	show_slice_say(&p->packets, slice);
	if (has_flow(slice))
		show_packet_flow(&p->packets, (uint64_t)slice->number + 1);
	if (slice->fault && slice->fault->given_up_ns == slice->begin_ns)
		show_packet_flow(&p->packets, given_up_flow(slice->begin_ns));
	correlate(p, slice);
	show_packet_send(&p->packets);
	if (slice->wait)
		wake_up(p, slice, uuid);
	if (slice->track->kind == LANE_TRACK_CLIENT && slice->request)
		given_up(p, slice, uuid);
	show_packet_end(&p->packets, uuid, slice->end_ns);
	if (slice->track->kind == LANE_TRACK_CLIENT)
		show_gpu_over(p->gpu, slice);
}

static void on_length(void *arg, const struct lane_engine *engine, enum lane_queue queue,
		      uint32_t length, uint64_t at_ns)
{
	struct perfetto *p = arg;

	show_packet_counter(&p->packets, uuid_of(PLACE_LENGTH, engine->id, queue), at_ns, length);
}

static void on_counter(void *arg, const struct lane_counter_point *point)
{
	struct perfetto *p = arg;

	show_gpu_counter(p->gpu, point);
}

static void perfetto_destroy(void *export)
{
	struct perfetto *p = export;

	if (!p)
		return;
	show_tracks_destroy(p->tracks);
	show_ftrace_destroy(p->ftrace);
	show_gpu_destroy(p->gpu);
	show_packets_deinit(&p->packets);
	free(p->rows);
	free(p);
}

static struct lane_error *perfetto_create(const struct lane_export_to *to, void **export,
					  struct lane_hooks *hooks)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	const struct lane_track_hooks track_hooks = { .arg = p,
						      .track = on_track,
						      .slice = on_slice,
						      .length = on_length,
						      .counter = on_counter };
	struct lane_error *err;

	*export = p;
	if (!p)
		return &lane_enomem;
	err = show_packets_begin(&p->packets, to->file, to->info, to->machine, to->machine_index);
	if (!err)
		err = show_ftrace_create(&p->packets, to->info, &p->ftrace);
	if (!err)
		err = show_gpu_create(&p->packets, to->info, &p->gpu);
	return err ? err : show_tracks_create(&track_hooks, hooks, &p->tracks);
}

static struct lane_error *failure(const struct perfetto *p)
{
	if (p->no_memory || show_gpu_failed(p->gpu) || show_tracks_failed(p->tracks))
		return &lane_enomem;
	return p->packets.failed ? lane_error_errno(p->packets.failed, "it could not be written")
				 : NULL;
}

static struct lane_error *perfetto_event(void *export, const struct lane_event *event)
{
	struct perfetto *p = export;
	struct lane_error *err = show_ftrace_event(p->ftrace, event);

	return err ? err : failure(p);
}

/* The report's answers come first, each a row of one track: where what it tells of lasted longest,
 * or over the whole recording where that is no one time. What to try lies in it. */
static void answers(struct perfetto *p, const struct lane_latency *latency)
{
	struct lane_sentences s;

	show_sentences_begin(&s, latency, SHOW_SENTENCES);
	for (uint32_t row = 0; show_sentences_next(&s); row++) {
		const struct lane_answer *a = s.next ? &s.answers.all[s.next - 1] : NULL;
		bool is_one = a && a->longest_at_ns && a->longest_ns;
		uint64_t begin_ns = is_one ? a->longest_at_ns : latency->figures.begin_ns;
		uint64_t end_ns = is_one ? begin_ns + a->longest_ns : latency->figures.end_ns;
		uint64_t uuid = uuid_of(PLACE_ANSWER, 0, row);
		char advice[sizeof(s.advice) + 8];

		describe_plain(p, uuid, 0, "what gpulane report says", -2, false);
		show_packet_begin(&p->packets, uuid, begin_ns, s.text);
		show_packet_send(&p->packets);
		if (*s.advice) {
			snprintf(advice, sizeof(advice), "try: %s", s.advice);
			show_packet_begin(&p->packets, uuid, begin_ns, advice);
			show_packet_send(&p->packets);
			show_packet_end(&p->packets, uuid, end_ns);
		}
		show_packet_end(&p->packets, uuid, end_ns);
	}
}

/* What was named after it was first described is described again. */
static struct lane_error *perfetto_finish(void *export, const struct lane_export_figures *figures)
{
	struct perfetto *p = export;
	const struct lane_track *track;

	answers(p, figures->latency);
	for (uint32_t i = 0; (track = show_tracks_get(p->tracks, i)); i++)
		if (!track->engine && (is_drawn(track) || track->queue))
			perfetto_describe(p, track);
	show_gpu_finish(p->gpu);
	show_ftrace_finish(p->ftrace);
	return failure(p);
}

const struct lane_exporter lane_export_perfetto = {
	.name = "perfetto",
	.help = "for the Perfetto viewer and its trace processor",
	.suffix = ".perfetto-trace",
	.create = perfetto_create,
	.event = perfetto_event,
	.finish = perfetto_finish,
	.destroy = perfetto_destroy,
};

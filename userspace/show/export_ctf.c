// SPDX-License-Identifier: MIT
// Exports to CTF: the recording's events and what was found in them, as one trace for Trace
// Compass.
//
// Each CPU's events go to its stream as they come; what was found, and what belongs to no CPU, goes
// through the spool of findings.c into a stream each at the end.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/ctf.h"
#include "show/export.h"
#include "session/facts.h"
#include "show/findings.h"

enum {
	PACKET_BYTES = 256 << 10,
	MAX_CPUS = 4096,
};

#define TRACE_NAME "trace"

/* The stream of a CPU, or of none. */
struct cpu_stream {
	struct lane_ctf_stream *stream;
	int32_t cpu;
	size_t bytes;	    /* appended since it was flushed */
	uint64_t lost;	    /* in all, as told to the stream */
	size_t next_loss;   /* in the losses known beforehand: the first that has not come */
	uint64_t newest_ns; /* of what was appended */
};

struct export
{
	struct lane_trace_info info; /* as it was known at first */
	struct lane_findings *findings;
	struct lane_ctf_trace *trace; /* NULL: no event yet */
	struct cpu_stream *cpus[MAX_CPUS];
	struct cpu_stream found;
	struct cpu_stream free; /* of no CPU */
	struct lane_loss *lost;
	size_t n_lost;
	uint64_t uncounted; /* losses of unknown number */
	bool has_text[LANE_KIND_COUNT];
	int dir_fd;
};

static void export_ctf_destroy(void *export)
{
	struct export *e = export;

	if (!e)
		return;
	/* What it could not write before, it could not write now. */
	lane_error_free(lane_ctf_close(e->trace));
	show_findings_destroy(e->findings);
	for (size_t i = 0; i < MAX_CPUS; i++)
		free(e->cpus[i]);
	free(e->lost);
	if (e->dir_fd >= 0)
		close(e->dir_fd);
	free(e);
}

static struct lane_error *export_ctf_create(const struct lane_export_to *to, void **export,
					    struct lane_hooks *hooks)
{
	struct export *e = calloc(1, sizeof(*e));
	struct lane_error *err;

	if (!e)
		return &lane_enomem;
	*export = e;
	e->info = *to->info;
	for (unsigned int kind = 0; kind < LANE_KIND_COUNT; kind++)
		for (unsigned int i = 0; i < lane_kinds[kind].n_fields; i++)
			e->has_text[kind] |= lane_type_is_text(lane_kinds[kind].fields[i].type);
	e->dir_fd = fcntl(to->dir_fd, F_DUPFD_CLOEXEC, 0);
	if (e->dir_fd < 0)
		return lane_error_errno(errno, "%s", to->title);
	if (to->n_lost) {
		e->lost = malloc(to->n_lost * sizeof(*e->lost));
		if (!e->lost)
			return &lane_enomem;
		memcpy(e->lost, to->lost, to->n_lost * sizeof(*e->lost));
		e->n_lost = to->n_lost;
	}
	err = show_findings_create(e->dir_fd, &e->info, hooks, &e->findings);
	/* Of all threads it would be many times the recording, and viewers find it themselves. */
	if (to->is_without_gpu)
		hooks->starvation = NULL;
	return err;
}

/* --- streams --- */

static struct lane_error *open_trace(struct export *e, uint64_t first_ns)
{
	const struct lane_trace_info *info = &e->info;
	struct lane_ctf_env env = { .hostname = *info->host ? info->host : NULL,
				    .kernel_release = *info->release ? info->release : NULL,
				    .clock_uuid = *info->clock_uuid ? info->clock_uuid : NULL,
				    .epoch_offset_ns = info->epoch_offset_ns,
				    .tracer = *info->tracer ? info->tracer : NULL,
				    .begin_ns = first_ns,
				    .has_free_stream = true,
				    .is_copy = true };

	if (info->begin_ns && info->begin_ns < env.begin_ns)
		env.begin_ns = info->begin_ns;
	for (size_t i = 0; i < e->n_lost; i++)
		if (e->lost[i].begin_ns < env.begin_ns)
			env.begin_ns = e->lost[i].begin_ns;
	return lane_ctf_create(e->dir_fd, TRACE_NAME, &env, &e->trace);
}

/* Finds the next of the losses known beforehand that is this CPU's. */
static void skip_losses(const struct export *e, struct cpu_stream *cpu)
{
	while (cpu->next_loss < e->n_lost && e->lost[cpu->next_loss].cpu != cpu->cpu)
		cpu->next_loss++;
}

static struct lane_error *export_ctf_cpu_of(struct export *e, int32_t number,
					    struct cpu_stream **result)
{
	struct cpu_stream *cpu;
	struct lane_error *err;

	if (number >= MAX_CPUS)
		return lane_error("CPU %d: more CPUs than the %d that can be exported", number,
				  MAX_CPUS);
	*result = e->cpus[number];
	if (*result)
		return NULL;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return &lane_enomem;
	cpu->cpu = number;
	err = lane_ctf_stream(e->trace, (unsigned int)number, PACKET_BYTES, &cpu->stream);
	if (err) {
		free(cpu);
		return err;
	}
	skip_losses(e, cpu);
	*result = e->cpus[number] = cpu;
	return NULL;
}

/* Writes what can be: where a loss begins has to be the end of a packet. */
static struct lane_error *export_ctf_flush(const struct export *e, struct cpu_stream *cpu)
{
	uint64_t upto_ns = cpu->newest_ns;
	struct lane_error *err;

	if (cpu->next_loss < e->n_lost && e->lost[cpu->next_loss].begin_ns < upto_ns)
		upto_ns = e->lost[cpu->next_loss].begin_ns;
	cpu->bytes = 0;
	err = lane_ctf_lost(cpu->stream, cpu->lost, upto_ns);
	return err ? err : lane_ctf_flush(cpu->stream, upto_ns);
}

/* Viewers show a record's text as it is. */
static struct lane_error *append_clean(const struct export *e, struct lane_ctf_stream *stream,
				       const struct lane_wire *record)
{
	const struct lane_kind_info *kind = &lane_kinds[record->kind];
	struct lane_event event;

	if (!e->has_text[record->kind])
		return lane_ctf_append(stream, record);
	memcpy(&event.wire, record, sizeof(event.wire));
	memcpy(&event.u, record + 1, kind->struct_bytes);
	for (unsigned int i = 0; i < kind->n_fields; i++)
		if (lane_type_is_text(kind->fields[i].type))
			lane_clean_bytes((char *)&event.u + kind->fields[i].offset,
					 kind->fields[i].size);
	return lane_ctf_append(stream, &event.wire);
}

static struct lane_error *export_ctf_append(const struct export *e, struct cpu_stream *cpu,
					    const struct lane_wire *record)
{
	struct lane_error *err = append_clean(e, cpu->stream, record);

	cpu->newest_ns = record->ts_ns;
	cpu->bytes += sizeof(*record) + lane_kinds[record->kind].payload_bytes;
	return err || cpu->bytes < PACKET_BYTES ? err : export_ctf_flush(e, cpu);
}

/* A loss that is over: a packet of its own, from its begin to its end. */
static struct lane_error *put_loss(struct export *e, struct cpu_stream *cpu,
				   const struct lane_p_gpulane_lost *lost)
{
	uint64_t begin_ns = lost->begin_ns > cpu->newest_ns ? lost->begin_ns : cpu->newest_ns;
	/* Packets follow each other: what one before it has of its time is not this one's. */
	bool is_counted =
		lost->count && decode_lost_is_possible(lost->count, begin_ns, lost->end_ns);
	uint64_t count = is_counted ? lost->count : 1;
	struct lane_error *err = lane_ctf_lost(cpu->stream, cpu->lost, lost->begin_ns);

	e->uncounted += !is_counted;
	if (cpu->lost > UINT64_MAX - count)
		count = UINT64_MAX - cpu->lost;
	cpu->lost += count;
	if (!err)
		err = lane_ctf_lost(cpu->stream, cpu->lost, lost->end_ns);
	if (lost->end_ns > cpu->newest_ns)
		cpu->newest_ns = lost->end_ns;
	if (cpu->next_loss < e->n_lost)
		cpu->next_loss++;
	skip_losses(e, cpu);
	return err ? err : export_ctf_flush(e, cpu);
}

/* --- the recording's events --- */

static struct lane_error *on_event(void *export, const struct lane_event *event)
{
	struct export *e = export;
	struct lane_error *err = show_findings_now(e->findings, event->wire.ts_ns);
	bool lost = event->wire.kind == LANE_LOST;
	int32_t number = lost ? event->u.gpulane_lost.lost_cpu : event->cpu;
	struct cpu_stream *cpu = NULL;

	if (!err && lane_is_finding(event->wire.kind))
		return NULL; /* of an export: it is found again */
	if (!err && !e->trace)
		err = open_trace(e, lost ? event->u.gpulane_lost.begin_ns : event->wire.ts_ns);
	if (err)
		return err;
	if (number < 0)
		return show_findings_add(e->findings, event);
	err = export_ctf_cpu_of(e, number, &cpu);
	if (err)
		return err;
	return lost ? put_loss(e, cpu, &event->u.gpulane_lost)
		    : export_ctf_append(e, cpu, &event->wire);
}

/* --- the end --- */

static struct lane_error *open_stream(const struct export *e, unsigned int which,
				      struct cpu_stream *stream)
{
	stream->cpu = -1;
	stream->next_loss = e->n_lost;
	return lane_ctf_stream(e->trace, which, PACKET_BYTES, &stream->stream);
}

/* The losses of no CPU that overlap are one, which lies where the first begins. */
static struct lane_error *put_free(struct export *e, const struct lane_wire *record,
				   struct lane_p_gpulane_lost *open)
{
	const struct lane_p_gpulane_lost *lost = (const void *)(record + 1);
	struct lane_error *err = NULL;

	if (!e->free.stream)
		err = open_stream(e, LANE_CTF_NO_CPU, &e->free);
	if (!err && open->end_ns && record->ts_ns > open->end_ns) {
		err = put_loss(e, &e->free, open);
		open->end_ns = 0;
	}
	if (err)
		return err;
	if (record->kind != LANE_LOST)
		return open->end_ns ? append_clean(e, e->free.stream, record)
				    : export_ctf_append(e, &e->free, record);
	if (!open->end_ns) {
		*open = *lost;
		return NULL;
	}
	open->count = open->count && lost->count ? open->count + lost->count : 0;
	if (lost->end_ns > open->end_ns)
		open->end_ns = lost->end_ns;
	return NULL;
}

/* What was found, and what is of no CPU, in order. */
static struct lane_error *put_findings(struct export *e)
{
	struct lane_p_gpulane_lost open = { 0 };
	struct lane_error *err = open_stream(e, LANE_CTF_FINDINGS, &e->found);
	const struct lane_wire *record;

	while (!err) {
		err = show_findings_next(e->findings, &record);
		if (err || !record)
			break;
		err = lane_is_finding(record->kind) ? export_ctf_append(e, &e->found, record)
						    : put_free(e, record, &open);
	}
	if (!err && open.end_ns)
		err = put_loss(e, &e->free, &open);
	return err;
}

/* What the trace cannot say of the recording. */
static struct lane_error *write_facts(const struct export *e)
{
	const struct session_facts facts = { .tracer = e->info.tracer,
					     .path = TRACE_NAME,
					     .begin_ns = e->info.begin_ns,
					     .end_ns = e->info.end_ns };

	return session_facts_write(e->dir_fd, &e->info, &facts);
}

static struct lane_error *export_ctf_finish(void *export, const struct lane_export_figures *figures)
{
	struct export *e = export;
	struct lane_error *err = NULL;

	(void)figures;
	if (!e->trace)
		err = open_trace(e, e->info.begin_ns);
	if (!err)
		err = put_findings(e);
	if (!err)
		err = lane_ctf_close(LANE_TAKE(e->trace));
	if (!err)
		err = write_facts(e);
	if (!err && e->uncounted)
		fprintf(stderr,
			"gpulane: export: %" PRIu64
			" losses of unknown number are one event each in the trace\n",
			e->uncounted);
	return err;
}

const struct lane_exporter lane_export_ctf = {
	.name = "ctf",
	.help = "one trace of events and findings, for Trace Compass and babeltrace2",
	.suffix = ".ctf",
	.is_directory = true,
	.create = export_ctf_create,
	.event = on_event,
	.finish = export_ctf_finish,
	.destroy = export_ctf_destroy,
};

// SPDX-License-Identifier: MIT
// gpulane import: a trace of another tracer becomes a recording.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/ctf.h"
#include "capture/recording.h"
#include "cmd/cmd.h"
#include "cmd/damage.h"
#include "norm/machines.h"
#include "show/facts.h"

enum {
	PACKET_BYTES = 256 << 10,
	MAX_CPUS = 4096,
};

struct options {
	struct lane_error *error;
	const char **inputs;
	size_t n_inputs;
	const char *output; /* NULL: each FILE's name with `.rec`, in the working directory */
};

/* The recording that is being made. */
struct import {
	const char *name; /* of the trace: the tracer's */
	struct lane_recording_dir dir;
	struct lane_ctf_trace *trace;
	struct lane_ctf_stream *streams[MAX_CPUS + 1]; /* by CPU; the last: of no CPU */
	uint64_t lost[MAX_CPUS + 1];
	size_t pending; /* bytes appended since the last flush */
	uint64_t begin_ns, last_ns, events;
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "DIR", 0,
	  "the recording to make (default: the name of FILE with .rec); of several FILEs a folder "
	  "with a recording for each",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		o->inputs[o->n_inputs++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void close_input(struct lane_input **input)
{
	lane_input_close(*input);
}

static struct lane_error *open_trace(struct import *import, const struct lane_trace_info *info,
				     uint64_t first_ns)
{
	struct lane_ctf_env env = { .hostname = *info->host ? info->host : NULL,
				    .kernel_release = *info->release ? info->release : NULL,
				    .clock_uuid = *info->clock_uuid ? info->clock_uuid : NULL,
				    .epoch_offset_ns = info->epoch_offset_ns,
				    .tracer = import->name,
				    .begin_ns = first_ns,
				    .free_stream = true };

	if (info->begin_ns && info->begin_ns < first_ns)
		env.begin_ns = info->begin_ns;
	import->begin_ns = env.begin_ns;
	return lane_ctf_create(import->dir.fd, import->name, &env, &import->trace);
}

static struct lane_error *stream_of(struct import *import, int32_t cpu, size_t *at)
{
	*at = cpu < 0 ? MAX_CPUS : (size_t)cpu;
	if (*at > MAX_CPUS)
		return lane_error("CPU %d: more CPUs than the %d that can be imported", cpu,
				  MAX_CPUS);
	if (import->streams[*at])
		return NULL;
	return lane_ctf_stream(import->trace, cpu < 0 ? LANE_CTF_NO_CPU : (unsigned int)cpu,
			       PACKET_BYTES, &import->streams[*at]);
}

static struct lane_error *flush(struct import *import)
{
	struct lane_error *err = NULL;

	import->pending = 0;
	for (size_t i = 0; !err && i <= MAX_CPUS; i++)
		if (import->streams[i])
			err = lane_ctf_flush(import->streams[i], import->last_ns);
	return err;
}

/* A loss: a packet that says so, from its begin to its end. */
static struct lane_error *put_loss(struct import *import, size_t at,
				   const struct lane_p_gpulane_lost *lost)
{
	struct lane_ctf_stream *stream = import->streams[at];
	struct lane_error *err = lane_ctf_lost(stream, import->lost[at], lost->begin_ns);

	import->lost[at] += lost->count ? lost->count : 1;
	if (!err)
		err = lane_ctf_lost(stream, import->lost[at], lost->end_ns);
	return err ? err : lane_ctf_flush(stream, lost->end_ns);
}

static struct lane_error *put(struct import *import, const struct lane_trace_info *info,
			      const struct lane_event *event)
{
	bool lost = event->wire.kind == LANE_LOST;
	struct lane_error *err = NULL;
	size_t at;

	if (!import->trace)
		err = open_trace(import, info,
				 lost ? event->u.gpulane_lost.begin_ns : event->wire.ts_ns);
	if (!err)
		err = stream_of(import, lost ? event->u.gpulane_lost.lost_cpu : event->cpu, &at);
	if (err)
		return err;
	import->last_ns = event->wire.ts_ns;
	if (lost)
		return put_loss(import, at, &event->u.gpulane_lost);
	import->events++;
	err = lane_ctf_append(import->streams[at], &event->wire);
	import->pending += sizeof(event->wire) + lane_kinds[event->wire.kind].payload_bytes;
	return err || import->pending < PACKET_BYTES ? err : flush(import);
}

static struct lane_error *write_facts(const struct import *import,
				      const struct lane_trace_info *info, const char *source)
{
	const struct lane_facts facts = { .tracer = import->name,
					  .path = import->name,
					  .imported_from = source,
					  .begin_ns = import->begin_ns,
					  .end_ns = import->last_ns,
					  .events = import->events };

	return lane_facts_write(import->dir.fd, info, &facts);
}

/* Everything there is to read; what is damaged ends the import: nothing is left out silently. */
static struct lane_error *copy(struct import *import, struct lane_input *input)
{
	const struct lane_event *event;
	struct lane_error *err;

	for (;;) {
		err = lane_input_next(input, &event);
		if (err || !event)
			return err;
		if (lane_is_finding(event->wire.kind))
			continue; /* of an export: it is found again */
		err = put(import, lane_input_info(input), event);
		if (err)
			return err;
	}
}

static struct lane_error *make(struct import *import, const struct lane_place *place,
			       const char *to)
{
	LANE_CLEANUP(close_input) struct lane_input *input = NULL;
	const char *from = place->n_traces ? place->traces[0] : place->path;
	const struct lane_trace_info *info;
	struct lane_error *err;

	err = lane_input_open_places(place, 1, LANE_PREFER_BPF, &input);
	if (err)
		return err;
	info = lane_input_info(input);
	import->name = !strcmp(info->tracer, "codexl") ? "codexl" : "import";
	err = lane_recording_create(to, &import->dir);
	if (!err)
		err = copy(import, input);
	lane_say_endings(input, 1, "import");
	lane_say_counts(input, "import");
	if (!err)
		err = lane_check_known(input, from);
	if (!err && !import->trace)
		err = lane_error("%s: there is no event in it", from);
	if (!err)
		err = lane_ctf_close(LANE_TAKE(import->trace));
	if (!err)
		err = write_facts(import, info, from);
	return err;
}

/* Makes one recording; what is not complete is taken away again. */
static struct lane_error *make_one(const struct lane_place *from, const char *to)
{
	LANE_CLEANUP(lane_free) struct import *import = calloc(1, sizeof(*import));
	struct lane_error *err;

	if (!import)
		return &lane_enomem;
	import->dir = LANE_RECORDING_NONE;
	err = make(import, from, to);
	lane_error_free(lane_ctf_close(import->trace));
	if (err)
		lane_recording_discard(&import->dir);
	else
		lane_recording_close(&import->dir);
	return err;
}

/* The recording's path for a FILE: its name with `.rec`, in the folder where one is named. */
static struct lane_error *make_named(const struct lane_place *from, const char *called,
				     const char *folder)
{
	LANE_CLEANUP(lane_free) char *to = NULL;
	const char *slash = strrchr(called, '/');
	const char *name = slash ? slash + 1 : called;

	if (!*name)
		return lane_error("%s: it has no name to call the recording by (use -o DIR)",
				  called);
	if (asprintf(&to, "%s%s%s.rec", folder ? folder : "", folder ? "/" : "", name) < 0) {
		to = NULL;
		return &lane_enomem;
	}
	return make_one(from, to);
}

/* Each machine of a folder that holds several, by its name, in a folder. */
static struct lane_error *make_machines(const struct lane_machines *found, const char *folder)
{
	struct lane_error *err = NULL;

	if (folder && mkdir(folder, 0700))
		return lane_error_errno(errno, "%s", folder);
	for (size_t i = 0; !err && i < found->n; i++) {
		char name[sizeof(found->machines[i].name)];

		strcpy(name, found->machines[i].name);
		for (char *at = name; (at = strpbrk(at, "/."));)
			*at = '-';
		err = make_named(&found->machines[i].place, name, folder);
	}
	return err;
}

static struct lane_error *make_path(const char *path, const char *to, bool is_folder)
{
	struct lane_machines found = { 0 };
	const struct lane_place place = { .path = path };
	struct lane_error *err = lane_machines_find(&path, 1, &found);
	LANE_CLEANUP(lane_free) char *below = NULL;

	if (!err && found.n > 1 && is_folder && to) {
		const char *slash = strrchr(path, '/');

		if (asprintf(&below, "%s/%s", to, slash ? slash + 1 : path) < 0) {
			below = NULL;
			err = &lane_enomem;
		}
		to = below;
	}
	if (!err && found.n > 1)
		err = make_machines(&found, to);
	else if (!err)
		err = to && !is_folder ? make_one(&place, to) : make_named(&place, path, to);
	lane_machines_deinit(&found);
	return err;
}

static struct lane_error *make_all(const struct options *o)
{
	bool is_folder = o->n_inputs > 1;
	struct lane_error *err = NULL;

	if (is_folder && o->output && mkdir(o->output, 0700))
		return lane_error_errno(errno, "%s", o->output);
	for (size_t i = 0; !err && i < o->n_inputs; i++)
		err = make_path(o->inputs[i], o->output, is_folder);
	return err;
}

struct lane_error *cmd_import(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Make recordings of traces of other tracers: trace-cmd's trace.dat, perf's "
		       "perf.data, Perfetto's, CodeXL's .atp, or any trace that gpulane "
		       "reads.\vSee gpulane-import(1).",
	};
	LANE_CLEANUP(lane_free) const char **inputs = calloc((size_t)argc + 1, sizeof(*inputs));
	struct options o = { .inputs = inputs };
	struct lane_error *err;
	int done;

	if (!inputs)
		return &lane_enomem;
	err = lane_parse(&argp, argc, argv, &o, &o.error, &done);
	if (err || done)
		return err;
	if (!o.n_inputs)
		return lane_error_usage("import: no trace named (see `gpulane import --help`)");
	return lane_error_context(make_all(&o), "import");
}

// SPDX-License-Identifier: MIT
// Reads CTF traces, our own and those of other tracers: finds their streams, merges them.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/sort.h"
#include "base/vector.h"
#include "decode/ctf_stream.h"

enum {
	MOST_STREAMS = 4096,
	MOST_FILES = 1 << 20,
};

struct ctf {
	struct lane_decoder base;
	struct lane_schema *schema;
	struct lane_trace_info info;
	struct lane_read_stream *streams;
	uint32_t n_streams, n_files;
	bool is_joined; /* several directories are one trace */
	struct lane_account *accounts;
	struct lane_merge merge;
	struct lane_read_stream *current; /* whose event was handed out last; NULL: not known */
	uint64_t stays_ns;		  /* its events before this are the next of all */
	struct lane_event loss;
	struct lane_error *complaint; /* what ends no stream, not told yet */
	bool has_files;		      /* beside the metadata */
};

static struct ctf *ctf_of(struct lane_decoder *decoder)
{
	return (struct ctf *)decoder;
}

static struct lane_merge_stream *ctf_trace_merge_stream(void *ctf, uint32_t index)
{
	return &((struct ctf *)ctf)->streams[index].next;
}

static struct lane_error *ctf_trace_merge_find(void *ctf, uint32_t index)
{
	return decode_stream_find(&((struct ctf *)ctf)->streams[index]);
}

/* The stream's event is handed out: until when its next ones are the next of all. */
static void stay(struct ctf *ctf, struct lane_read_stream *stream)
{
	uint64_t loss_ns = decode_losses_next_ns(&stream->next.losses);

	ctf->current = stream;
	ctf->stays_ns = decode_merge_stays_ns(&ctf->merge);
	if (loss_ns < ctf->stays_ns)
		ctf->stays_ns = loss_ns;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of a stream of our own recorder no packet of which could be read, the file's name tells it. */
static int32_t ctf_trace_cpu_of(const struct lane_read_stream *stream)
{
	const char *name = base_name(stream->files[0].path);
	unsigned int cpu;
	int end = -1;

	if (stream->has_head || !stream->schema->is_own ||
	    sscanf(name, "channel0_%9u%n", &cpu, &end) != 1 || name[end])
		return stream->cpu;
	return (int32_t)cpu;
}

static __attribute__((noinline)) struct lane_error *next_of_all(struct ctf *ctf,
								struct lane_event **result)
{
	struct lane_read_stream *stream;
	struct lane_error *err;
	uint32_t index;
	bool is_loss;

	ctf->current = NULL;
	*result = NULL;
	if (ctf->complaint)
		return LANE_TAKE(ctf->complaint);
	err = decode_merge_next(&ctf->merge, &index, &is_loss);
	for (uint32_t i = 0; !err && index == ctf->n_streams && i < ctf->n_streams; i++)
		ctf->accounts[i].cpu = ctf_trace_cpu_of(&ctf->streams[i]);
	if (err || index == ctf->n_streams)
		return err;
	stream = &ctf->streams[index];
	*result = &stream->event;
	if (is_loss) {
		decode_losses_take(&stream->next.losses, stream->account, stream->cpu, &ctf->loss);
		*result = &ctf->loss;
		return NULL;
	}
	if (!ctf->complaint)
		stay(ctf, stream);
	return NULL;
}

/* The stream whose event came last mostly has the next one, too. */
static struct lane_error *ctf_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct ctf *ctf = ctf_of(decoder);
	struct lane_read_stream *stream = ctf->current;

	if (!stream || !decode_stream_take_wire(stream, ctf->stays_ns))
		return next_of_all(ctf, result);
	*result = &stream->event;
	return NULL;
}

static void ctf_end(struct lane_decoder *decoder)
{
	struct ctf *ctf = ctf_of(decoder);

	for (uint32_t i = 0; i < ctf->n_streams; i++)
		decode_stream_deinit(&ctf->streams[i]);
	free(ctf->streams);
	free(ctf->accounts);
	decode_merge_deinit(&ctf->merge);
	decode_schema_free(ctf->schema);
	lane_error_free(ctf->complaint);
}

/* --- which stream a file is of --- */

/* The stream that a file goes on, NULL: it begins one. */
static struct lane_read_stream *find_stream(struct ctf *ctf, const struct lane_read_stream *of)
{
	const char *name = base_name(of->files[0].path);

	for (uint32_t i = 0; i < ctf->n_streams && of->class; i++) {
		struct lane_read_stream *stream = &ctf->streams[i];

		if (stream->class != of->class || stream->instance_id != of->instance_id)
			continue;
		if (of->instance_id != UINT64_MAX ||
		    (ctf->is_joined && !strcmp(base_name(stream->files[0].path), name)))
			return stream;
	}
	return NULL;
}

/* What ends no stream is told before the next event; the first of several. */
static void complain(struct ctf *ctf, struct lane_error *err)
{
	if (ctf->complaint)
		lane_error_free(err);
	else
		ctf->complaint = err;
}

/* Adds the file's stream, or the file to its stream. */
static struct lane_error *add_file(struct ctf *ctf, const char *path)
{
	struct lane_read_stream new = { .schema = ctf->schema,
					.instance_id = UINT64_MAX,
					.cpu = -1 };
	struct lane_read_stream *stream;
	struct lane_error *err;

	new.files = calloc(1, sizeof(*new.files));
	if (!new.files)
		return &lane_enomem;
	new.n_files = 1;
	new.files[0].path = strdup(path);
	err = new.files[0].path ? decode_stream_look(&new) : &lane_enomem;
	stream = err ? NULL : find_stream(ctf, &new);
	if (stream) {
		if (LANE_GROW_BY_ONE(stream->files, stream->n_files)) {
			stream->files[stream->n_files++] = new.files[0];
			free(new.files);
			return NULL;
		}
	} else if (!err) {
		if (LANE_GROW_BY_ONE(ctf->streams, ctf->n_streams)) {
			ctf->streams[ctf->n_streams++] = new;
			return NULL;
		}
	}
	decode_stream_deinit(&new);
	return err ? err : &lane_enomem;
}

/* Adds what lies in a directory. */
static struct lane_error *add_files(struct ctf *ctf, const char *path)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return lane_error_errno(errno, "%s", path);
	while ((entry = readdir(dir))) {
		LANE_CLEANUP(lane_free) char *file = NULL;
		struct lane_error *err = NULL;
		struct stat st;

		if (*entry->d_name == '.' || !strcmp(entry->d_name, "metadata"))
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			file = NULL;
			return &lane_enomem;
		}
		if (fstatat(dirfd(dir), entry->d_name, &st, 0)) {
			complain(ctf, lane_error_errno(errno, "%s", file));
			continue;
		}
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			complain(ctf, lane_error("%s: it is %s (only regular files are read)", file,
						 lane_file_type(st.st_mode)));
		ctf->has_files |= S_ISREG(st.st_mode);
		/* An empty file is a CPU's on which nothing was recorded. */
		if (!S_ISREG(st.st_mode) || !st.st_size)
			continue;
		err = add_file(ctf, file);
		if (err)
			return err;
		if (ctf->n_streams > MOST_STREAMS || ++ctf->n_files > MOST_FILES)
			return lane_error("%s: it has more than %d streams or %d files", path,
					  MOST_STREAMS, MOST_FILES);
	}
	return NULL;
}

/* Merging takes streams with equal times in this order: it must not depend on the directory's. */
static int by_number(const void *a, const void *b)
{
	const struct lane_read_stream *x = a, *y = b;

	if (!x->class || !y->class)
		return x->class	  ? -1
		       : y->class ? 1
				  : strverscmp(x->files[0].path, y->files[0].path);
	if (x->class != y->class)
		return x->class->id < y->class->id ? -1 : 1;
	if (x->instance_id != y->instance_id)
		return x->instance_id < y->instance_id ? -1 : 1;
	return strverscmp(x->files[0].path, y->files[0].path);
}

LANE_ORDER(by_begin, struct lane_stream_file, LANE_UP(begin) ?: strverscmp(x->path, y->path))

/*
 * A buffer that overwrites its oldest packets, as for a snapshot, begins later than others. What
 * its CPU recorded since the first of them began is not there.
 */
static void find_overwritten(struct ctf *ctf)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < ctf->n_streams; i++)
		if (ctf->streams[i].class && ctf->streams[i].files[0].begin < first)
			first = ctf->streams[i].files[0].begin;
	for (uint32_t i = 0; i < ctf->n_streams; i++) {
		struct lane_read_stream *stream = &ctf->streams[i];
		const struct lane_stream_file *file = &stream->files[0];

		if (stream->class && file->is_behind_others && file->begin > first)
			decode_losses_add(
				&stream->next.losses,
				(struct lane_lost_time){
					.begin_ns = decode_schema_ns(stream->schema, first),
					.end_ns = decode_schema_ns(stream->schema, file->begin) });
	}
}

static struct lane_error *begin_streams(struct ctf *ctf)
{
	if (ctf->schema->is_own)
		ctf->info = ctf->schema->info;
	ctf->accounts = calloc(ctf->n_streams + 1, sizeof(*ctf->accounts));
	if (!ctf->accounts || !decode_merge_init(&ctf->merge, ctf->n_streams))
		return &lane_enomem;
	ctf->base.accounts = ctf->accounts;
	ctf->base.n_accounts = ctf->n_streams;
	for (uint32_t i = 0; i < ctf->n_streams; i++)
		if (ctf->streams[i].n_files > 1)
			qsort(ctf->streams[i].files, ctf->streams[i].n_files,
			      sizeof(*ctf->streams[i].files), by_begin);
	LANE_SORT(ctf->streams, ctf->n_streams, by_number);
	for (uint32_t i = 0; i < ctf->n_streams; i++) {
		struct lane_read_stream *stream = &ctf->streams[i];

		stream->account = &ctf->accounts[i];
		stream->decoder = &ctf->base;
		stream->complaint = &ctf->complaint;
		if (!stream->class)
			continue;
		if (!*ctf->info.tracer)
			ctf->info = ctf->schema->info;
		decode_schema_presence(ctf->schema, stream->class, &ctf->info);
	}
	find_overwritten(ctf);
	return NULL;
}

/* --- the metadata --- */

/* The schema of the directories: that of the longest metadata, later chunks declare more. */
static struct lane_error *read_schema(struct ctf *ctf, const char *const *paths, size_t n,
				      const struct lane_names *names)
{
	uint64_t bytes, most = 0;

	for (size_t i = 0; i < n; i++) {
		struct lane_schema *schema, *before = ctf->schema;
		struct lane_error *err = decode_schema_read(paths[i], names, &schema, &bytes);

		if (err)
			return err;
		if (before && (!schema->has_uuid || !before->has_uuid ||
			       memcmp(schema->uuid, before->uuid, sizeof(schema->uuid)) != 0)) {
			decode_schema_free(schema);
			return lane_error("%s: it is another trace than %s", paths[i], paths[0]);
		}
		if (!before || bytes > most) {
			ctf->schema = schema;
			schema = before;
			most = bytes;
		}
		decode_schema_free(schema);
	}
	return NULL;
}

/* None of the fences that are declared has fewer bits than a context. */
static bool is_wide(const struct lane_schema *schema)
{
	for (uint32_t i = 0; i < schema->n_streams; i++)
		for (uint32_t k = 0; k < schema->streams[i].n_events; k++)
			if (schema->streams[i].events[k].is_narrow)
				return false;
	return true;
}

static struct lane_error *ctf_open_joined(const char *const *paths, size_t n,
					  const struct lane_names *names,
					  struct lane_decoder **decoder)
{
	LANE_CLEANUP(decode_close_guard) struct lane_decoder *made = decode_new(&lane_format_ctf);
	struct ctf *ctf = ctf_of(made);
	struct lane_error *err;

	if (!ctf)
		return &lane_enomem;
	ctf->base.info = &ctf->info;
	ctf->merge.arg = ctf;
	ctf->merge.stream = ctf_trace_merge_stream;
	ctf->merge.find = ctf_trace_merge_find;
	ctf->is_joined = n > 1;
	err = read_schema(ctf, paths, n, names);
	/* Our own recorder writes no chunks. */
	if (!err && n > 1 && ctf->schema->is_own)
		return lane_error(
			"%s: two traces of one tracer, this and %s, are the same (name one of "
			"them)",
			paths[0], paths[1]);
	for (size_t i = 0; i < n && !err; i++)
		err = add_files(ctf, paths[i]);
	if (!err && !ctf->has_files && !ctf->schema->is_own)
		complain(ctf, lane_error("%s: its streams are missing: only the metadata is there",
					 paths[0]));
	if (!err)
		err = begin_streams(ctf);
	if (err)
		return err;
	ctf->base.is_wide = is_wide(ctf->schema);
	*decoder = LANE_TAKE(made);
	return NULL;
}

static bool ctf_probe(const char *path)
{
	char metadata[4096];

	return snprintf(metadata, sizeof(metadata), "%s/metadata", path) < (int)sizeof(metadata) &&
	       !access(metadata, R_OK);
}

const struct lane_format lane_format_ctf = {
	.name = "ctf",
	.help = "CTF 1.8 and CTF 2, as LTTng writes them",
	.probe = ctf_probe,
	.bytes = sizeof(struct ctf),
	.open_joined = ctf_open_joined,
	.next = ctf_next,
	.end = ctf_end,
};

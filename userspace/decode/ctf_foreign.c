// SPDX-License-Identifier: MIT
// Reads CTF traces of other tracers: finds their streams, merges them.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/vector.h"
#include "decode/ctf_stream.h"

enum {
	MOST_STREAMS = 4096,
	MOST_FILES = 1 << 20,
};

struct foreign {
	struct lane_decoder base;
	struct lane_schema *schema;
	struct lane_trace_info info;
	struct lane_read_stream *streams;
	uint32_t n_streams, n_files;
	bool is_joined; /* several directories are one trace */
	struct lane_account *accounts;
	struct lane_merge merge;
	struct lane_event loss;
	struct lane_error *complaint; /* what ends no stream, not told yet */
};

static struct foreign *foreign_of(struct lane_decoder *decoder)
{
	return (struct foreign *)decoder;
}

static struct lane_merge_stream *merge_stream(void *foreign, uint32_t index)
{
	return &((struct foreign *)foreign)->streams[index].next;
}

static struct lane_error *merge_find(void *foreign, uint32_t index)
{
	return decode_stream_find(&((struct foreign *)foreign)->streams[index]);
}

static struct lane_error *foreign_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct foreign *foreign = foreign_of(decoder);
	struct lane_read_stream *stream;
	struct lane_error *err;
	uint32_t index;
	bool is_loss;

	*result = NULL;
	if (foreign->complaint)
		return LANE_TAKE(foreign->complaint);
	err = decode_merge_next(&foreign->merge, &index, &is_loss);
	if (err || index == foreign->n_streams)
		return err;
	stream = &foreign->streams[index];
	*result = &stream->event;
	if (is_loss) {
		decode_losses_take(&stream->next.losses, stream->account, stream->cpu,
				   &foreign->loss);
		*result = &foreign->loss;
	}
	return NULL;
}

static void foreign_close(struct lane_decoder *decoder)
{
	struct foreign *foreign = foreign_of(decoder);

	if (!foreign)
		return;
	for (uint32_t i = 0; i < foreign->n_streams; i++)
		decode_stream_deinit(&foreign->streams[i]);
	free(foreign->streams);
	free(foreign->accounts);
	decode_merge_deinit(&foreign->merge);
	decode_schema_free(foreign->schema);
	lane_error_free(foreign->complaint);
	free(foreign);
}

static void close_guard(struct foreign **foreign)
{
	if (*foreign)
		foreign_close(&(*foreign)->base);
}

/* --- which stream a file is of --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The stream that a file goes on, NULL: it begins one. */
static struct lane_read_stream *find_stream(struct foreign *foreign,
					    const struct lane_read_stream *of)
{
	const char *name = base_name(of->files[0].path);

	for (uint32_t i = 0; i < foreign->n_streams && of->class; i++) {
		struct lane_read_stream *stream = &foreign->streams[i];

		if (stream->class != of->class || stream->instance_id != of->instance_id)
			continue;
		if (of->instance_id != UINT64_MAX ||
		    (foreign->is_joined && !strcmp(base_name(stream->files[0].path), name)))
			return stream;
	}
	return NULL;
}

/* What ends no stream is told before the next event; the first of several. */
static void complain(struct foreign *foreign, struct lane_error *err)
{
	if (foreign->complaint)
		lane_error_free(err);
	else
		foreign->complaint = err;
}

/* Adds the file's stream, or the file to its stream. */
static struct lane_error *add_file(struct foreign *foreign, const char *path)
{
	struct lane_read_stream new = { .schema = foreign->schema,
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
	stream = err ? NULL : find_stream(foreign, &new);
	if (stream) {
		if (LANE_GROW_BY_ONE(stream->files, stream->n_files)) {
			stream->files[stream->n_files++] = new.files[0];
			free(new.files);
			return NULL;
		}
	} else if (!err) {
		if (LANE_GROW_BY_ONE(foreign->streams, foreign->n_streams)) {
			foreign->streams[foreign->n_streams++] = new;
			return NULL;
		}
	}
	decode_stream_deinit(&new);
	return err ? err : &lane_enomem;
}

/* Adds what lies in a directory. */
static struct lane_error *add_files(struct foreign *foreign, const char *path)
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
			complain(foreign, lane_error_errno(errno, "%s", file));
			continue;
		}
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			complain(foreign, lane_error("%s: it is %s (only regular files are read)",
						     file, lane_file_type(st.st_mode)));
		/* An empty file is a CPU's on which nothing was recorded. */
		if (!S_ISREG(st.st_mode) || !st.st_size)
			continue;
		err = add_file(foreign, file);
		if (err)
			return err;
		if (foreign->n_streams > MOST_STREAMS || ++foreign->n_files > MOST_FILES)
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

static int by_begin(const void *a, const void *b)
{
	const struct lane_stream_file *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return strverscmp(x->path, y->path);
}

/*
 * A buffer that overwrites its oldest packets, as for a snapshot, begins later than others. What
 * its CPU recorded since the first of them began is not there.
 */
static void find_overwritten(struct foreign *foreign)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < foreign->n_streams; i++)
		if (foreign->streams[i].class && foreign->streams[i].files[0].begin < first)
			first = foreign->streams[i].files[0].begin;
	for (uint32_t i = 0; i < foreign->n_streams; i++) {
		struct lane_read_stream *stream = &foreign->streams[i];
		const struct lane_stream_file *file = &stream->files[0];

		if (stream->class && file->is_behind_others && file->begin > first)
			decode_losses_add(
				&stream->next.losses,
				(struct lane_lost_time){
					.begin_ns = decode_schema_ns(stream->schema, first),
					.end_ns = decode_schema_ns(stream->schema, file->begin) });
	}
}

static struct lane_error *begin_streams(struct foreign *foreign)
{
	foreign->accounts = calloc(foreign->n_streams + 1, sizeof(*foreign->accounts));
	if (!foreign->accounts || !decode_merge_init(&foreign->merge, foreign->n_streams))
		return &lane_enomem;
	for (uint32_t i = 0; i < foreign->n_streams; i++)
		if (foreign->streams[i].n_files > 1)
			qsort(foreign->streams[i].files, foreign->streams[i].n_files,
			      sizeof(*foreign->streams[i].files), by_begin);
	if (foreign->n_streams)
		qsort(foreign->streams, foreign->n_streams, sizeof(*foreign->streams), by_number);
	for (uint32_t i = 0; i < foreign->n_streams; i++) {
		struct lane_read_stream *stream = &foreign->streams[i];

		stream->account = &foreign->accounts[i];
		stream->skipped = &foreign->base.skipped;
		stream->complaint = &foreign->complaint;
		if (!stream->class)
			continue;
		if (!*foreign->info.tracer)
			foreign->info = foreign->schema->info;
		decode_schema_presence(foreign->schema, stream->class, &foreign->info);
	}
	find_overwritten(foreign);
	return NULL;
}

/* --- the metadata --- */

/* The schema of the directories: that of the longest metadata, later chunks declare more. */
static struct lane_error *read_schema(struct foreign *foreign, const char *const *paths, size_t n,
				      const struct lane_names *names)
{
	uint64_t bytes, most = 0;

	for (size_t i = 0; i < n; i++) {
		struct lane_schema *schema, *before = foreign->schema;
		struct lane_error *err = decode_schema_read(paths[i], names, &schema, &bytes);

		if (err)
			return err;
		if (before && (!schema->has_uuid || !before->has_uuid ||
			       memcmp(schema->uuid, before->uuid, sizeof(schema->uuid)) != 0)) {
			decode_schema_free(schema);
			return lane_error("%s: it is another trace than %s", paths[i], paths[0]);
		}
		if (!before || bytes > most) {
			foreign->schema = schema;
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

static struct lane_error *foreign_open_joined(const char *const *paths, size_t n,
					      const struct lane_names *names,
					      struct lane_decoder **decoder)
{
	LANE_CLEANUP(close_guard) struct foreign *foreign = calloc(1, sizeof(*foreign));
	struct lane_error *err;

	if (!foreign)
		return &lane_enomem;
	foreign->base.format = &lane_format_ctf;
	foreign->merge.arg = foreign;
	foreign->merge.stream = merge_stream;
	foreign->merge.find = merge_find;
	foreign->is_joined = n > 1;
	err = read_schema(foreign, paths, n, names);
	for (size_t i = 0; i < n && !err; i++)
		err = add_files(foreign, paths[i]);
	if (!err)
		err = begin_streams(foreign);
	if (err)
		return err;
	foreign->base.is_wide = is_wide(foreign->schema);
	*decoder = &LANE_TAKE(foreign)->base;
	return NULL;
}

static struct lane_error *foreign_open(const char *path, const struct lane_names *names,
				       struct lane_decoder **decoder)
{
	return foreign_open_joined(&path, 1, names, decoder);
}

static bool foreign_probe(const char *path)
{
	char metadata[4096];

	return snprintf(metadata, sizeof(metadata), "%s/metadata", path) < (int)sizeof(metadata) &&
	       !access(metadata, R_OK);
}

static const struct lane_trace_info *foreign_info(struct lane_decoder *decoder)
{
	return &foreign_of(decoder)->info;
}

static const struct lane_account *foreign_accounts(struct lane_decoder *decoder, size_t *n)
{
	struct foreign *foreign = foreign_of(decoder);

	for (uint32_t i = 0; i < foreign->n_streams; i++)
		foreign->accounts[i].cpu = foreign->streams[i].cpu;
	*n = foreign->n_streams;
	return foreign->accounts;
}

const struct lane_format lane_format_ctf = {
	.name = "ctf",
	.help = "CTF 1.8, as LTTng writes it",
	.probe = foreign_probe,
	.open = foreign_open,
	.open_joined = foreign_open_joined,
	.info = foreign_info,
	.next = foreign_next,
	.accounts = foreign_accounts,
	.close = foreign_close,
};

// SPDX-License-Identifier: MIT
// Reads CTF traces of other tracers without libbabeltrace2: finds their streams, merges them.
#include "decode/ctf_direct.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "decode/ctf_stream.h"

enum {
	MOST_STREAMS = 4096,
	MOST_FILES = 1 << 20,
};

struct direct {
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

static struct direct *direct_of(struct lane_decoder *decoder)
{
	return (struct direct *)decoder;
}

static struct lane_merge_stream *merge_stream(void *direct, uint32_t index)
{
	return &((struct direct *)direct)->streams[index].next;
}

static struct lane_error *merge_find(void *direct, uint32_t index)
{
	return decode_stream_find(&((struct direct *)direct)->streams[index]);
}

static struct lane_error *direct_next(struct lane_decoder *decoder, struct lane_event **result)
{
	struct direct *direct = direct_of(decoder);
	struct lane_read_stream *stream;
	struct lane_error *err;
	uint32_t index;
	bool is_loss;

	*result = NULL;
	if (direct->complaint)
		return LANE_TAKE(direct->complaint);
	err = decode_merge_next(&direct->merge, &index, &is_loss);
	if (err || index == direct->n_streams)
		return err;
	stream = &direct->streams[index];
	*result = &stream->event;
	if (is_loss) {
		decode_losses_take(&stream->next.losses, stream->account, stream->cpu,
				   &direct->loss);
		*result = &direct->loss;
	}
	return NULL;
}

static void direct_close(struct lane_decoder *decoder)
{
	struct direct *direct = direct_of(decoder);

	if (!direct)
		return;
	for (uint32_t i = 0; i < direct->n_streams; i++)
		decode_stream_deinit(&direct->streams[i]);
	free(direct->streams);
	free(direct->accounts);
	decode_merge_deinit(&direct->merge);
	decode_schema_free(direct->schema);
	lane_error_free(direct->complaint);
	free(direct);
}

static void close_guard(struct direct **direct)
{
	if (*direct)
		direct_close(&(*direct)->base);
}

/* --- which stream a file is of --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The stream that a file goes on, NULL: it begins one. */
static struct lane_read_stream *find_stream(struct direct *direct,
					    const struct lane_read_stream *of)
{
	const char *name = base_name(of->files[0].path);

	for (uint32_t i = 0; i < direct->n_streams && of->class; i++) {
		struct lane_read_stream *stream = &direct->streams[i];

		if (stream->class != of->class || stream->instance_id != of->instance_id)
			continue;
		if (of->instance_id != UINT64_MAX ||
		    (direct->is_joined && !strcmp(base_name(stream->files[0].path), name)))
			return stream;
	}
	return NULL;
}

/* Adds the file's stream, or the file to its stream. */
static struct lane_error *add_file(struct direct *direct, const char *path)
{
	struct lane_read_stream new = { .schema = direct->schema,
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
	stream = err ? NULL : find_stream(direct, &new);
	if (stream) {
		if (LANE_GROW_BY_ONE(stream->files, stream->n_files)) {
			stream->files[stream->n_files++] = new.files[0];
			free(new.files);
			return NULL;
		}
	} else if (!err) {
		if (LANE_GROW_BY_ONE(direct->streams, direct->n_streams)) {
			direct->streams[direct->n_streams++] = new;
			return NULL;
		}
	}
	decode_stream_deinit(&new);
	return err ? err : &lane_enomem;
}

/* Adds what lies in a directory; *ok is false when it is too much. */
static struct lane_error *add_files(struct direct *direct, const char *path, bool *ok)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = opendir(path);
	struct lane_error *err;
	struct dirent *entry;
	struct stat st;

	if (!dir)
		return lane_error_errno(errno, "%s", path);
	while (*ok && (entry = readdir(dir))) {
		LANE_CLEANUP(lane_free) char *file = NULL;

		/* An empty file is a CPU's on which nothing was recorded. */
		if (*entry->d_name == '.' || !strcmp(entry->d_name, "metadata") ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) || !S_ISREG(st.st_mode) ||
		    !st.st_size)
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			file = NULL;
			return &lane_enomem;
		}
		err = add_file(direct, file);
		if (err)
			return err;
		*ok = direct->n_streams <= MOST_STREAMS && ++direct->n_files <= MOST_FILES;
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
static void find_overwritten(struct direct *direct)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < direct->n_streams; i++)
		if (direct->streams[i].class && direct->streams[i].files[0].begin < first)
			first = direct->streams[i].files[0].begin;
	for (uint32_t i = 0; i < direct->n_streams; i++) {
		struct lane_read_stream *stream = &direct->streams[i];
		const struct lane_stream_file *file = &stream->files[0];

		if (stream->class && file->is_behind_others && file->begin > first)
			decode_losses_add(
				&stream->next.losses,
				(struct lane_lost_time){
					.begin_ns = decode_schema_ns(stream->schema, first),
					.end_ns = decode_schema_ns(stream->schema, file->begin) });
	}
}

static struct lane_error *begin_streams(struct direct *direct)
{
	direct->accounts = calloc(direct->n_streams + 1, sizeof(*direct->accounts));
	if (!direct->accounts || !decode_merge_init(&direct->merge, direct->n_streams))
		return &lane_enomem;
	for (uint32_t i = 0; i < direct->n_streams; i++)
		if (direct->streams[i].n_files > 1)
			qsort(direct->streams[i].files, direct->streams[i].n_files,
			      sizeof(*direct->streams[i].files), by_begin);
	if (direct->n_streams)
		qsort(direct->streams, direct->n_streams, sizeof(*direct->streams), by_number);
	for (uint32_t i = 0; i < direct->n_streams; i++) {
		struct lane_read_stream *stream = &direct->streams[i];

		stream->account = &direct->accounts[i];
		stream->skipped = &direct->base.skipped;
		stream->complaint = &direct->complaint;
		if (!stream->class)
			continue;
		if (!*direct->info.tracer)
			direct->info = direct->schema->info;
		decode_schema_presence(direct->schema, stream->class, &direct->info);
	}
	find_overwritten(direct);
	return NULL;
}

/* --- the metadata --- */

/* The schema of the directories: that of the longest metadata, later chunks declare more. */
static struct lane_error *read_schema(struct direct *direct, const char *const *paths, size_t n,
				      const struct lane_names *names, char *why, size_t size)
{
	uint64_t bytes, most = 0;
	struct lane_error *err;

	for (size_t i = 0; i < n; i++) {
		struct lane_schema *schema;
		bool same;

		err = decode_schema_read(paths[i], names, &schema, &bytes, why, size);
		if (err || !schema) {
			decode_schema_free(LANE_TAKE(direct->schema));
			return err;
		}
		same = !direct->schema ||
		       (schema->has_uuid && direct->schema->has_uuid &&
			!memcmp(schema->uuid, direct->schema->uuid, sizeof(schema->uuid)));
		if (!same) {
			decode_schema_free(schema);
			return lane_error("%s: it is another trace than %s", paths[i], paths[0]);
		}
		if (!direct->schema || bytes > most) {
			decode_schema_free(direct->schema);
			direct->schema = schema;
			most = bytes;
		} else {
			decode_schema_free(schema);
		}
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

struct lane_error *decode_ctf_direct_open(const char *const *paths, size_t n,
					  const struct lane_names *names,
					  struct lane_decoder **decoder, char *why, size_t size)
{
	LANE_CLEANUP(close_guard) struct direct *direct = calloc(1, sizeof(*direct));
	struct lane_error *err;
	bool ok = true;

	*decoder = NULL;
	if (!direct)
		return &lane_enomem;
	direct->base.format = &lane_format_ctf_direct;
	direct->merge.arg = direct;
	direct->merge.stream = merge_stream;
	direct->merge.find = merge_find;
	direct->is_joined = n > 1;
	err = read_schema(direct, paths, n, names, why, size);
	if (err || !direct->schema)
		return err;
	direct->base.is_wide = is_wide(direct->schema);
	for (size_t i = 0; i < n && !err && ok; i++)
		err = add_files(direct, paths[i], &ok);
	if (err)
		return err;
	snprintf(why, size, "it has very many streams");
	if (!ok)
		return NULL;
	err = begin_streams(direct);
	if (!err)
		*decoder = &LANE_TAKE(direct)->base;
	return err;
}

void decode_ctf_direct_tell(struct lane_decoder *decoder, struct lane_error *err)
{
	lane_error_free(direct_of(decoder)->complaint);
	direct_of(decoder)->complaint = err;
}

static struct lane_error *direct_open(const char *path, const struct lane_names *names,
				      struct lane_decoder **decoder)
{
	struct lane_error *err;
	char why[128];

	err = decode_ctf_direct_open(&path, 1, names, decoder, why, sizeof(why));
	if (err || *decoder)
		return err;
	return lane_error("%s: this trace is only read by libbabeltrace2: %s", path, why);
}

static const struct lane_trace_info *direct_info(struct lane_decoder *decoder)
{
	return &direct_of(decoder)->info;
}

static const struct lane_account *direct_accounts(struct lane_decoder *decoder, size_t *n)
{
	struct direct *direct = direct_of(decoder);

	for (uint32_t i = 0; i < direct->n_streams; i++)
		direct->accounts[i].cpu = direct->streams[i].cpu;
	*n = direct->n_streams;
	return direct->accounts;
}

const struct lane_format lane_format_ctf_direct = {
	.name = "ctf-direct",
	.help = "CTF 1.8, as LTTng and perf write it",
	.open = direct_open,
	.info = direct_info,
	.next = direct_next,
	.accounts = direct_accounts,
	.close = direct_close,
};

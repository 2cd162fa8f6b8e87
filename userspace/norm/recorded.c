// SPDX-License-Identifier: MIT
// Finds the traces of a recording directory and reads its recording.json.
#include "norm/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/recording_limit.h"
#include "base/vector.h"

enum {
	JSON_BYTES = LANE_RECORDING_JSON_BYTES,
	JSON_VALUES = 1 << 20, /* each takes memory, however short it is */
	EMPTY = 8,
	JSON_DEPTH = 16,
	MAX_CPUS = 8192,
	SEARCH_DEPTH = 6,      /* a trace's metadata lie at most so deep in a recording */
	MOST_CHUNKS = 1 << 16, /* directories of one trace */
};

static bool exists(const char *dir, const char *name)
{
	LANE_CLEANUP(lane_free) char *path = NULL;

	return asprintf(&path, "%s/%s", dir, name) >= 0 && !access(path, F_OK);
}

static struct lane_error *recorded_add_trace(struct lane_recording *recording, const char *path,
					     const char *tracer)
{
	struct lane_recording_trace *trace = &recording->traces[recording->n_traces];

	if (recording->n_traces == LANE_RECORDING_TRACES)
		return lane_error("%s: more than %d traces in one recording", path,
				  LANE_RECORDING_TRACES);
	trace->path = strdup(path);
	if (!trace->path)
		return &lane_enomem;
	snprintf(trace->tracer, sizeof(trace->tracer), "%s", tracer);
	trace->expected = (struct lane_expected){ .events = LANE_NOT_SAID, .lost = LANE_NOT_SAID };
	recording->n_traces++;
	return NULL;
}

/* Adds a directory with a CTF trace; one of a trace that is there already goes on with it. */
static struct lane_error *add_ctf(struct lane_recording *recording, const char *path,
				  const char *tracer)
{
	uint8_t uuid[16];
	bool has_uuid = decode_ctf_trace_uuid(path, uuid);
	struct lane_error *err;

	for (size_t i = 0; has_uuid && i < recording->n_traces; i++) {
		struct lane_recording_trace *trace = &recording->traces[i];

		if (!trace->has_uuid || memcmp(trace->uuid, uuid, sizeof(uuid)) != 0)
			continue;
		if (trace->n_more == MOST_CHUNKS)
			return lane_error("%s: more than %d directories of one trace", path,
					  MOST_CHUNKS);
		if (!LANE_GROW_BY_ONE(trace->more, trace->n_more))
			return &lane_enomem;
		trace->more[trace->n_more] = strdup(path);
		return trace->more[trace->n_more++] ? NULL : &lane_enomem;
	}
	err = recorded_add_trace(recording, path, tracer);
	if (err)
		return err;
	recording->traces[recording->n_traces - 1].has_uuid = has_uuid;
	if (has_uuid)
		memcpy(recording->traces[recording->n_traces - 1].uuid, uuid, sizeof(uuid));
	return NULL;
}

/* Finds the directories with a CTF trace at or below dir. */
static struct lane_error *find_ctf(struct lane_recording *recording, const char *dir,
				   const char *tracer, int depth)
{
	LANE_CLEANUP(lane_closedir) DIR *list = NULL;
	struct dirent *entry;
	struct lane_error *err;

	if (exists(dir, "metadata"))
		return add_ctf(recording, dir, tracer);
	if (!depth)
		return NULL;
	list = opendir(dir);
	if (!list)
		return errno == ENOTDIR ? NULL : lane_error_errno(errno, "%s", dir);
	while ((entry = readdir(list))) {
		LANE_CLEANUP(lane_free) char *below = NULL;
		struct stat st;

		if (*entry->d_name == '.')
			continue;
		if (asprintf(&below, "%s/%s", dir, entry->d_name) < 0)
			return &lane_enomem;
		if (lstat(below, &st) || !S_ISDIR(st.st_mode))
			continue;
		err = find_ctf(recording, below, tracer, depth - 1);
		if (err)
			return err;
	}
	return NULL;
}

/* The text of a key, NULL when there is none or it is no text. */
static const char *get_text(struct json_object *from, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static int64_t recorded_get_number(struct json_object *from, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) ||
	    !json_object_is_type(value, json_type_int))
		return 0;
	return json_object_get_int64(value);
}

static void copy_text(struct json_object *from, const char *key, char *to, size_t size)
{
	const char *text = get_text(from, key);

	if (text)
		lane_clean_copy(to, size, text, LANE_CLEAN_LINE);
}

/* A count, LANE_NOT_SAID when there is none. */
static uint64_t get_count(struct json_object *from, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) ||
	    !json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
		return LANE_NOT_SAID;
	return json_object_get_uint64(value);
}

/* The object of a key, NULL when there is none. */
static struct json_object *get_object(struct json_object *from, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) ||
	    !json_object_is_type(value, json_type_object))
		return NULL;
	return value;
}

/* Whether only some processes' events were recorded, and whose surely. */
static void parse_filter(struct json_object *filter, struct lane_trace_info *info)
{
	int64_t pid = filter ? recorded_get_number(filter, "follow_pid") : 0;
	const char *comm = filter ? get_text(filter, "comm") : NULL;

	info->follows_some = filter && (pid || comm || recorded_get_number(filter, "some"));
	if (!comm && pid > 0 && pid <= INT32_MAX)
		info->followed_pid = (int32_t)pid;
}

/* What does not fit, or is nothing of ours, is left out: nothing but a sentence rests on it. */
static void parse_limits(struct json_object *root, struct lane_limits *limits)
{
	struct json_object *list;

	copy_text(root, "dumps", limits->dumps, sizeof(limits->dumps));
	copy_text(root, "idle_states", limits->idle_states, sizeof(limits->idle_states));
	copy_text(root, "sched_policy", limits->sched_policy, sizeof(limits->sched_policy));
	if (!json_object_object_get_ex(root, "limits", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *from = json_object_array_get_idx(list, i);
		const char *dev = NULL, *engine = NULL;
		struct lane_engine_limits *row;

		if (json_object_is_type(from, json_type_object)) {
			dev = get_text(from, "dev");
			engine = get_text(from, "engine");
		}
		row = dev && engine
			      ? lane_limits_row(limits, (uint32_t)recorded_get_number(from, "card"),
						dev, engine)
			      : NULL;
		for (int kind = 0; row && kind < LANE_LIMIT_KINDS; kind++) {
			int64_t ns = recorded_get_number(from, lane_limit_names[kind]);

			row->ns[kind] = ns > 0 ? (uint64_t)ns : 0;
		}
	}
}

/* The keys of docs/formats.md that are facts of the trace; any may be missing. */
static struct lane_error *parse_facts(struct json_object *root, const char *path,
				      struct lane_trace_info *info)
{
	const char *submission = get_text(root, "submission");
	const char *state = get_text(root, "state");
	int mode;

	if (state)
		info->ending = !strcmp(state, "complete")    ? LANE_ENDING_COMPLETE
			       : !strcmp(state, "recording") ? LANE_ENDING_NONE
			       : !strcmp(state, "failed")    ? LANE_ENDING_FAILED
							     : LANE_ENDING_UNKNOWN;
	copy_text(root, "error", info->ending_error, sizeof(info->ending_error));
	for (char *at = info->ending_error; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			*at = '?';
	copy_text(root, "host", info->host, sizeof(info->host));
	copy_text(root, "release", info->release, sizeof(info->release));
	copy_text(root, "clock_uuid", info->clock_uuid, sizeof(info->clock_uuid));
	info->epoch_offset_ns = recorded_get_number(root, "epoch_offset_ns");
	info->slept_ns = recorded_get_number(root, "slept_ns");
	info->begin_ns = (uint64_t)recorded_get_number(root, "begin_ns");
	info->end_ns = (uint64_t)recorded_get_number(root, "end_ns");
	info->stop_ns = (uint64_t)recorded_get_number(root, "stop_ns");
	parse_filter(get_object(root, "filter"), info);
	parse_limits(root, &info->limits);
	if (get_object(root, "command"))
		info->command_pid =
			(int32_t)recorded_get_number(get_object(root, "command"), "pid");
	if (!submission)
		return NULL;
	mode = decode_submission_by_name(submission);
	if (mode < 0)
		return lane_error("%s: submission: `%s' is none", path, submission);
	info->submission = (enum lane_submission)mode;
	return NULL;
}

/* Which kinds a tracer has recorded. */
static void parse_kinds(struct json_object *kinds, uint8_t *presence)
{
	json_object_object_foreach(kinds, name, facts) {
		int kind = lane_kind_by_name(name);
		struct json_object *recorded = NULL;

		if (kind < 0 || !json_object_is_type(facts, json_type_object) ||
		    !json_object_object_get_ex(facts, "recorded", &recorded))
			continue;
		presence[kind] = json_object_get_boolean(recorded) ? LANE_PRESENCE_RECORDED
								   : LANE_PRESENCE_ABSENT;
	}
}

/* The CPU's place in what is expected, made when there is none yet; NULL: it cannot be. */
static struct lane_expected_cpu *expected_cpu(struct lane_expected *expected, const char *name)
{
	char *end;
	unsigned long cpu = strtoul(name, &end, 10);

	if (end == name || *end || cpu >= MAX_CPUS)
		return NULL;
	for (size_t i = 0; i < expected->n_cpus; i++)
		if (expected->cpus[i].cpu == (int32_t)cpu)
			return &expected->cpus[i];
	if (expected->n_cpus == MAX_CPUS)
		return NULL;
	if (!LANE_GROW_BY_ONE(expected->cpus, expected->n_cpus))
		return NULL;
	expected->cpus[expected->n_cpus] =
		(struct lane_expected_cpu){ (int32_t)cpu, LANE_NOT_SAID, LANE_NOT_SAID };
	return &expected->cpus[expected->n_cpus++];
}

/* Takes the counts of `key`, an object by CPU. */
static void parse_per_cpu(struct json_object *from, const char *key, bool are_events,
			  struct lane_expected *expected)
{
	struct json_object *all = get_object(from, key);
	unsigned int n = 0;

	if (!all)
		return;
	json_object_object_foreach(all, name, unused) {
		struct lane_expected_cpu *cpu =
			n++ < MAX_CPUS ? expected_cpu(expected, name) : NULL;

		(void)unused;
		if (cpu)
			*(are_events ? &cpu->events : &cpu->lost) = get_count(all, name);
	}
}

/* True when trace->path is `dir/below` or lies in it. */
static bool recorded_lies_in(const char *path, const char *dir, const char *below)
{
	size_t n = strlen(dir), m = strlen(below);

	return !strncmp(path, dir, n) && path[n] == '/' && !strncmp(path + n + 1, below, m) &&
	       (path[n + 1 + m] == '/' || !path[n + 1 + m]);
}

static void close_fts(FTS **tree)
{
	if (*tree)
		fts_close(*tree);
}

/* Bytes of the streams' files below dir/below; links are followed to files, as the readers do. */
static uint64_t stream_bytes(const char *dir, const char *below)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(close_fts) FTS *tree = NULL;
	uint64_t bytes = 0;
	struct stat st;
	FTSENT *entry;

	if (asprintf(&path, "%s/%s", dir, below) < 0) {
		path = NULL;
		return UINT64_MAX;
	}
	tree = fts_open((char *const[]){ path, NULL }, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (tree && (entry = fts_read(tree))) {
		const char *dot = strrchr(entry->fts_name, '.');

		if (entry->fts_level > SEARCH_DEPTH + 1)
			fts_set(tree, entry, FTS_SKIP);
		if ((entry->fts_info == FTS_F || entry->fts_info == FTS_SL) &&
		    !stat(entry->fts_accpath, &st) && S_ISREG(st.st_mode) &&
		    strcmp(entry->fts_name, "metadata") != 0 && !(dot && !strcmp(dot, ".idx")))
			bytes += (uint64_t)st.st_size;
	}
	return tree ? bytes : UINT64_MAX;
}

/* A tracer that counts no events: what it has written has to be there. Several traces of one tracer
 * are counted together; the first has what is missing. */
static void check_bytes(struct json_object *from, const char *dir, const char *below,
			struct lane_expected *expected)
{
	uint64_t counted = get_count(from, "bytes"), found;

	if (counted == LANE_NOT_SAID || get_count(from, "events") != LANE_NOT_SAID)
		return;
	found = stream_bytes(dir, below);
	expected->missing_bytes = found < counted ? counted - found : 0;
}

static void parse_trace(struct json_object *from, const char *dir, struct lane_recording *recording)
{
	const char *below = get_text(from, "path");
	const char *tracer = get_text(from, "tracer");
	struct json_object *kinds = get_object(from, "kinds");
	bool is_first = true;

	for (size_t i = 0; below && i < recording->n_traces; i++) {
		struct lane_recording_trace *trace = &recording->traces[i];

		if (!recorded_lies_in(trace->path, dir, below))
			continue;
		if (tracer)
			snprintf(trace->tracer, sizeof(trace->tracer), "%s", tracer);
		if (kinds)
			parse_kinds(kinds, trace->presence);
		trace->expected.events = get_count(from, "events");
		trace->expected.lost = get_count(from, "lost");
		if (is_first)
			check_bytes(from, dir, below, &trace->expected);
		is_first = false;
		parse_per_cpu(from, "events_per_cpu", true, &trace->expected);
		parse_per_cpu(from, "lost_per_cpu", false, &trace->expected);
	}
}

static void free_tokener(struct json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

static void put_object(struct json_object **object)
{
	json_object_put(*object);
}

/* How many values there are at most: what stands between them, outside of texts. An empty object or
 * list takes json-c as much memory as EMPTY values do: it has room for 16 and 32. */
static size_t count_values(const char *text, size_t bytes)
{
	bool in_text = false;
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_text = !in_text;
		else if (!in_text)
			n += text[i] == ',' ? 1 : text[i] == '[' || text[i] == '{' ? EMPTY : 0;
	}
	return n;
}

struct lane_error *norm_recording_parse(const char *text, size_t bytes, const char *path,
					struct lane_recording *recording)
{
	LANE_CLEANUP(free_tokener) struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	LANE_CLEANUP(put_object) struct json_object *root = NULL;
	LANE_CLEANUP(lane_free) char *dir = strdup(path);
	struct json_object *traces;
	struct lane_error *err;
	char *slash;

	if (!tokener || !dir)
		return &lane_enomem;
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	if (bytes > JSON_BYTES)
		return lane_error("%s: longer than %d bytes", path, JSON_BYTES);
	if (count_values(text, bytes) > JSON_VALUES)
		return lane_error("%s: more than %d values", path, JSON_VALUES);
	root = json_tokener_parse_ex(tokener, text, (int)bytes);
	if (!root && json_tokener_get_error(tokener) == json_tokener_continue)
		return lane_error("%s: it is cut off", path);
	if (!root)
		return lane_error("%s: not JSON at byte %zu: %s", path,
				  json_tokener_get_parse_end(tokener),
				  json_tokener_error_desc(json_tokener_get_error(tokener)));
	if (!json_object_is_type(root, json_type_object))
		return lane_error("%s: not a JSON object", path);
	if (recorded_get_number(root, "version") > 1)
		return lane_error("%s: version %lld is not known, only 1 is (use a newer gpulane)",
				  path, (long long)recorded_get_number(root, "version"));
	err = parse_facts(root, path, &recording->info);
	if (err)
		return err;
	if (json_object_object_get_ex(root, "traces", &traces) &&
	    json_object_is_type(traces, json_type_array))
		for (size_t i = 0; i < json_object_array_length(traces); i++)
			parse_trace(json_object_array_get_idx(traces, i), dir, recording);
	recording->has_facts = true;
	return NULL;
}

static struct lane_error *read_facts(const char *dir, struct lane_recording *recording)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_free) char *text = NULL;
	LANE_CLEANUP(lane_close) int fd = -1;
	struct lane_error *err;
	size_t size, n = 0;
	struct stat st;

	if (asprintf(&path, "%s/recording.json", dir) < 0) {
		path = NULL;
		return &lane_enomem;
	}
	err = lane_file_open(AT_FDCWD, path, path, &fd);
	if (err && errno == ENOENT) {
		lane_error_free(err);
		return NULL;
	}
	if (err)
		return err;
	if (fstat(fd, &st))
		return lane_error_errno(errno, "%s", path);
	size = (size_t)(st.st_size < JSON_BYTES ? st.st_size : JSON_BYTES) + 1;
	text = malloc(size);
	if (!text)
		return &lane_enomem;
	while (n < size) {
		ssize_t now = read(fd, text + n, size - n);

		if (now < 0 && errno != EINTR)
			return lane_error_errno(errno, "%s", path);
		if (!now)
			break;
		n += now > 0 ? (size_t)now : 0;
	}
	return norm_recording_parse(text, n, path, recording);
}

struct lane_error *norm_recording_init(const char *path, struct lane_recording *recording)
{
	LANE_CLEANUP(lane_free) char *dir = NULL;
	struct lane_error *err;
	struct stat st;
	size_t length;

	if (stat(path, &st))
		return lane_error_errno(errno, "%s", path);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return lane_error("%s: it is %s (only regular files are read)", path,
				  lane_file_type(st.st_mode));
	if (!S_ISDIR(st.st_mode))
		return recorded_add_trace(recording, path, "");
	dir = strdup(path);
	if (!dir)
		return &lane_enomem;
	for (length = strlen(dir); length > 1 && dir[length - 1] == '/'; length--)
		dir[length - 1] = '\0';
	err = find_ctf(recording, dir, "", SEARCH_DEPTH);
	if (err)
		return err;
	for (size_t i = 0; i < recording->n_traces; i++) {
		struct lane_recording_trace *trace = &recording->traces[i];

		if (recorded_lies_in(trace->path, dir, "lttng"))
			strcpy(trace->tracer, "lttng");
		else if (recorded_lies_in(trace->path, dir, "bpf"))
			strcpy(trace->tracer, "bpf");
		else if (recorded_lies_in(trace->path, dir, "ust"))
			strcpy(trace->tracer, "ust");
	}
	err = read_facts(dir, recording);
	if (!err && !recording->n_traces)
		err = decode_unknown_folder(path);
	return err;
}

void norm_recording_trace_deinit(struct lane_recording_trace *trace)
{
	for (size_t k = 0; k < trace->n_more; k++)
		free(trace->more[k]);
	free(trace->more);
	free(trace->path);
	free(trace->expected.cpus);
	*trace = (struct lane_recording_trace){ 0 };
}

void norm_recording_deinit(struct lane_recording *recording)
{
	for (size_t i = 0; i < recording->n_traces; i++)
		norm_recording_trace_deinit(&recording->traces[i]);
	recording->n_traces = 0;
}

// SPDX-License-Identifier: MIT
// What a file is that is no trace in a format that is known, as far as its first bytes say it.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "decode/decode.h"

enum {
	HEAD_BYTES = 16 << 10,
	MOST_ENTRIES = 4096, /* of a folder that are looked at */
};

/* What files begin with, or have at a place. */
static const struct {
	size_t at, bytes;
	const char *begin;
	const char *why;
} marks[] = {
	{ 0, 2, "\x1f\x8b", "it is compressed by gzip (unpack it first: gzip -d)" },
	{ 0, 6,
	  "\xfd"
	  "7zXZ\0",
	  "it is compressed by xz (unpack it first: xz -d)" },
	{ 0, 4, "\x28\xb5\x2f\xfd", "it is compressed by zstd (unpack it first: zstd -d)" },
	{ 0, 3, "BZh", "it is compressed by bzip2 (unpack it first: bzip2 -d)" },
	{ 0, 4, "\x04\x22\x4d\x18", "it is compressed by lz4 (unpack it first: lz4 -d)" },
	{ 0, 4, "PK\x03\x04", "it is a ZIP archive (unpack it first: unzip)" },
	{ 0, 6, "7z\xbc\xaf\x27\x1c", "it is a 7z archive (unpack it first: 7z x)" },
	{ 257, 5, "ustar", "it is a tar archive (unpack it first: tar -xf)" },
	{ 0, 4, "\xc1\x1f\xfc\xc1", "it is one stream of a CTF trace (name its directory)" },
	{ 0, 4, "\xc1\xfc\x1f\xc1", "it is one stream of a CTF trace (name its directory)" },
	{ 0, 4, "\x57\x1d\xd1\x75", "it is the metadata of a CTF trace (name its directory)" },
	{ 0, 4, "\x75\xd1\x1d\x57", "it is the metadata of a CTF trace (name its directory)" },
	{ 0, 6, "/* CTF", "it is the metadata of a CTF trace (name its directory)" },
	{ 0, 14, "<!DOCTYPE html",
	  "it is a page for a browser (gpulane reads what it was made of)" },
	{ 0, 2, "\xff\xfe", "it is text in UTF-16 (make UTF-8 of it: iconv -f UTF-16 -t UTF-8)" },
	{ 0, 2, "\xfe\xff", "it is text in UTF-16 (make UTF-8 of it: iconv -f UTF-16 -t UTF-8)" },
	{ 0, 1, "{", "it is JSON (of Perfetto's traces the binary ones are read)" },
	{ 0, 2, "[{", "it is JSON (of Perfetto's traces the binary ones are read)" },
	{ 0, 2, "[\n", "it is JSON (of Perfetto's traces the binary ones are read)" },
};

#define NO_PLACE                                                                                   \
	"its lines have no thread, no CPU or no time in seconds (perf script -F "                  \
	"comm,tid,cpu,time,event,trace)"

/* What a text has that prints events, but in lines of which nothing can be made. */
static const struct {
	const char *word;
	const char *why;
} words[] = {
	{ "cpu_id = ", "it is what babeltrace2 prints (name the trace's directory)" },
	{ "sched_switch:", NO_PLACE },
	{ "sched_wak", NO_PLACE },
	{ "i915_request_", NO_PLACE },
	{ "dma_fence_", NO_PLACE },
};

static const char *unknown_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* `bug.tar.gz`: tar sees itself by what it is compressed. */
static bool is_tar(const char *path)
{
	const char *name = unknown_name_of(path), *end = name + strlen(name);

	return strstr(name, ".tar.") || (end - name > 4 && !strcmp(end - 4, ".tgz"));
}

/* `trace.dat.cpu0`: what trace-cmd keeps while it records. */
static bool is_cpu_buffer(const char *path)
{
	const char *dot = strrchr(unknown_name_of(path), '.');

	return dot && !strncmp(dot, ".cpu", 4) && dot[4] &&
	       strspn(dot + 4, "0123456789") == strlen(dot + 4);
}

static const char *why_head(const char *head, size_t n)
{
	size_t blank = strspn(head, " \t\r\n");

	if (blank && (head[blank] == '{' || head[blank] == '[')) { /* JSON */
		head += blank;
		n -= blank;
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (n >= marks[i].at + marks[i].bytes &&
		    !memcmp(head + marks[i].at, marks[i].begin, marks[i].bytes))
			return marks[i].why;
	if (memmem(head, n, "TRACE:\n\x78", 8))
		return "it is compressed by atrace -z (record it without -z, or unpack what is "
		       "behind "
		       "TRACE: with pigz -dz)";
	if (memchr(head, 0, n))
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(head, words[i].word))
			return words[i].why;
	return NULL;
}

/* A directory is one of CTF, whose metadata cannot be read. */
static struct lane_error *open_unknown(const char *path, int *fd)
{
	LANE_CLEANUP(lane_free) char *metadata = NULL;
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return lane_file_open(AT_FDCWD, path, path, fd);
	if (asprintf(&metadata, "%s/metadata", path) < 0) {
		metadata = NULL;
		return &lane_enomem;
	}
	return lane_file_open(AT_FDCWD, metadata, metadata, fd);
}

struct lane_error *decode_unknown_file(const char *path)
{
	LANE_CLEANUP(lane_free) char *head = malloc(HEAD_BYTES + 1);
	LANE_CLEANUP(lane_close) int fd = -1;
	const char *why = NULL;
	struct lane_error *err;
	ssize_t n;

	if (!head)
		return &lane_enomem;
	err = open_unknown(path, &fd);
	if (err)
		return err;
	n = read(fd, head, HEAD_BYTES);
	if (n > 0) {
		head[n] = '\0';
		why = why_head(head, (size_t)n);
	}
	if (!n)
		why = "it is empty";
	else if (why && is_tar(path))
		why = "it is a tar archive (unpack it first: tar -xf)";
	else if (is_cpu_buffer(path))
		why = "it is one CPU's buffer, which trace-cmd was still to put into a trace.dat "
		      "(trace-cmd restore)";
	else if (!strcmp(unknown_name_of(path), "recording.json"))
		why = "it is part of a recording (name its directory)";
	return lane_error("%s: %s", path,
			  why ? why
			      : "not a trace in a format that is known (see gpulane-import(1))");
}

/* The first file by its name in a folder that is a trace; the caller's, NULL when there is none. */
static char *find_trace(const char *dir)
{
	LANE_CLEANUP(lane_closedir) DIR *list = opendir(dir);
	LANE_CLEANUP(lane_free) char *found = NULL;
	struct dirent *entry;

	for (unsigned int n = 0; list && n < MOST_ENTRIES && (entry = readdir(list)); n++) {
		LANE_CLEANUP(lane_free) char *path = NULL;
		struct stat st;

		if (asprintf(&path, "%s/%s", dir, entry->d_name) < 0) {
			path = NULL;
			break;
		}
		if (*entry->d_name == '.' || stat(path, &st) || !S_ISREG(st.st_mode) ||
		    (found && strcmp(path, found) > 0) || !decode_format_probe(path))
			continue;
		free(found);
		found = LANE_TAKE(path);
	}
	return LANE_TAKE(found);
}

static bool has_file(const char *dir, const char *name)
{
	LANE_CLEANUP(lane_free) char *path = NULL;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return false;
	}
	return !access(path, F_OK);
}

struct lane_error *decode_unknown_folder(const char *path)
{
	LANE_CLEANUP(lane_free) char *found = find_trace(path);

	if (found && !strcmp(unknown_name_of(found), "data") &&
	    lane_file_begins(found, "PERFILE2", 8) && has_file(path, "data.0"))
		return lane_error("%s: its events are in a folder (perf record --threads), which "
				  "cannot be read",
				  path);
	if (found)
		return lane_error("%s: no recording and no CTF trace is in it, but a trace in a "
				  "file (name the file: %s)",
				  path, found);
	return lane_error("%s: no trace in it (a recording has a directory `bpf', `lttng' or "
			  "`ust')",
			  path);
}

// SPDX-License-Identifier: MIT
// Asks servers of debuginfod, by elfutils' library where that is installed: it speaks HTTP and has
// the cache, its limits and its variables (debuginfod_find_debuginfo(3)).
#include "latency/debuginfod.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"

#define LIBRARY "libdebuginfod.so.1"

/* As elfutils/debuginfod.h has it. length 0: the id is a text. */
typedef int (*find_function)(void *client, const unsigned char *id, int length, char **path);
typedef int (*progress_function)(void *client, long done, long all);

static struct {
	bool is_tried;
	void *client; /* NULL: nobody is asked */
	find_function find_code, find_stripped;
	time_t begin_s; /* of what is fetched now */
	bool shows_progress;
} asked;

static void *debuginfod_function(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

/* Asked several times a second while something is fetched; other than 0: it is given up. */
static int progress(void *client, long done, long all)
{
	(void)client;
	if (time(NULL) > asked.begin_s + 1 && isatty(STDERR_FILENO)) {
		asked.shows_progress = true;
		if (all > 0)
			fprintf(stderr, "\rsymbols: %ld of %ld KiB\033[K", done >> 10, all >> 10);
		else
			fputs("\rsymbols: asking debuginfod\033[K", stderr);
	}
	return lane_stop_signal != 0;
}

static void try_library(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *library = urls && *urls ? dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
	void *(*begin)(void) = (void *(*)(void))debuginfod_function(library, "debuginfod_begin");
	void (*set_progress)(void *, progress_function) =
		(void (*)(void *, progress_function))debuginfod_function(
			library, "debuginfod_set_progressfn");

	asked.is_tried = true;
	asked.find_code = (find_function)debuginfod_function(library, "debuginfod_find_executable");
	asked.find_stripped =
		(find_function)debuginfod_function(library, "debuginfod_find_debuginfo");
	if (begin && asked.find_code && asked.find_stripped)
		asked.client = begin();
	if (asked.client && set_progress)
		set_progress(asked.client, progress);
}

char *latency_debuginfod_find(const char *build, bool is_code)
{
	find_function find;
	char *path = NULL;
	int fd;

	if (!asked.is_tried)
		try_library();
	if (!asked.client || lane_stop_signal || strlen(build) < 3 ||
	    strspn(build, "0123456789abcdef") != strlen(build))
		return NULL;
	find = is_code ? asked.find_code : asked.find_stripped;
	asked.begin_s = time(NULL);
	fd = find(asked.client, (const unsigned char *)build, 0, &path);
	if (asked.shows_progress)
		fputs("\r\033[K", stderr);
	asked.shows_progress = false;
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

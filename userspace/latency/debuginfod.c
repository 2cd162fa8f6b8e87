// SPDX-License-Identifier: MIT
// Asks servers of debuginfod, by elfutils' library where that is installed: it speaks HTTP and has
// the cache, its limits and its variables (debuginfod_find_debuginfo(3)).
#include "latency/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

/* As elfutils/debuginfod.h has it. length 0: the id is a text. */
typedef int (*find_function)(void *client, const unsigned char *id, int length, char **path);

static struct {
	bool is_tried;
	void *client; /* NULL: nobody is asked */
	find_function find_code, find_stripped;
} asked;

static void *debuginfod_function(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

static void try_library(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *library = urls && *urls ? dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
	void *(*begin)(void) = (void *(*)(void))debuginfod_function(library, "debuginfod_begin");

	asked.is_tried = true;
	asked.find_code = (find_function)debuginfod_function(library, "debuginfod_find_executable");
	asked.find_stripped =
		(find_function)debuginfod_function(library, "debuginfod_find_debuginfo");
	if (begin && asked.find_code && asked.find_stripped)
		asked.client = begin();
}

char *latency_debuginfod_find(const char *build, bool is_code)
{
	find_function find;
	char *path = NULL;
	int fd;

	if (!asked.is_tried)
		try_library();
	if (!asked.client || strlen(build) < 3 ||
	    strspn(build, "0123456789abcdef") != strlen(build))
		return NULL;
	find = is_code ? asked.find_code : asked.find_stripped;
	fd = find(asked.client, (const unsigned char *)build, 0, &path);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

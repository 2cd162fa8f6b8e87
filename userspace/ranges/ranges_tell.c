// SPDX-License-Identifier: MIT
// Writes the events, by the OpenCL layer that lies beside this library.
#include "ranges/ranges.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event.h"

#define LAYER "libgpulane-opencl.so"
#define TELL  "gpulane_opencl_tell_range"

static void (*tell)(const struct lane_p_gpulane_range *, bool is_end); /* NULL: nobody can */

static void find_layer(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info here;
	void *layer, *function;

	if (!dladdr((void *)find_layer, &here) || !(slash = strrchr(here.dli_fname, '/')))
		return;
	snprintf(path, sizeof(path), "%.*s/" LAYER, (int)(slash - here.dli_fname), here.dli_fname);
	layer = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	function = layer ? dlsym(layer, TELL) : NULL;
	memcpy(&tell, &function, sizeof(tell));
}

static void tell_range(const struct lane_p_gpulane_range *range, bool is_end)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_layer);
	if (tell)
		tell(range, is_end);
}

void ranges_begin(uint64_t domain, uint64_t id, const char *name)
{
	struct lane_p_gpulane_range range = { .domain = domain, .id = id };
	const size_t room = sizeof(range.text) - 1;
	size_t n;

	if (!name)
		name = "unnamed";
	n = strnlen(name, room + 1);
	memcpy(range.text, name, n > room ? room : n);
	if (n > room)
		memcpy(range.text + room - 3, "...", 3);
	tell_range(&range, false);
}

void ranges_end(uint64_t domain, uint64_t id)
{
	const struct lane_p_gpulane_range range = { .domain = domain, .id = id };

	tell_range(&range, true);
}

uint64_t ranges_number(void)
{
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

struct ranges_name *ranges_name(const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct ranges_name *first;
	struct ranges_name *name;

	if (!text)
		return NULL;
	pthread_mutex_lock(&lock);
	for (name = first; name && strcmp(name->text, text) != 0;)
		name = name->next;
	if (!name)
		name = calloc(1, sizeof(*name));
	if (name && !name->text) {
		name->is_on = 1;
		name->text = strdup(text);
		if (name->text) {
			name->next = first;
			first = name;
		} else {
			free(name);
			name = NULL;
		}
	}
	pthread_mutex_unlock(&lock);
	return name;
}

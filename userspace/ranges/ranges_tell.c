// SPDX-License-Identifier: MIT
// Writes the events, by the OpenCL layer that lies beside this library.
#include "ranges/ranges.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event.h"

#define LAYER "libgpulane-opencl.so"
#define TELL  "gpulane_opencl_tell_range"

typedef void tell_function(const struct lane_p_gpulane_range *range, bool is_end);

static tell_function *tell; /* NULL: nobody can, or it was not looked for */
static bool was_looked_for, is_forked;

/* A child does not load LTTng: it may have been forked while another thread held a lock. */
static void begin_child(void)
{
	is_forked = true;
}

__attribute__((constructor)) static void guard_forks(void)
{
	pthread_atfork(NULL, NULL, begin_child);
}

static void find_layer(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info here;
	void *layer, *function;
	tell_function *found;

	if (!dladdr((void *)find_layer, &here) || !(slash = strrchr(here.dli_fname, '/')))
		return;
	snprintf(path, sizeof(path), "%.*s/" LAYER, (int)(slash - here.dli_fname), here.dli_fname);
	layer = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	function = layer ? dlsym(layer, TELL) : NULL;
	memcpy(&found, &function, sizeof(found));
	__atomic_store_n(&tell, found, __ATOMIC_RELEASE);
}

/*
 * Several threads may look for it at once: one that waits for the other may hold the loader's lock,
 * as constructors do. The constructors of LTTng mark no range that is told.
 */
static tell_function *teller(void)
{
	static __thread bool is_finding __attribute__((tls_model("initial-exec")));

	if (!__atomic_load_n(&was_looked_for, __ATOMIC_ACQUIRE) && !is_finding) {
		is_finding = true;
		find_layer();
		dlerror(); /* the program would take ours for its own */
		is_finding = false;
		__atomic_store_n(&was_looked_for, true, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&tell, __ATOMIC_ACQUIRE);
}

static void tell_range(const struct lane_p_gpulane_range *range, bool is_end)
{
	int was = errno;
	tell_function *function = is_forked ? NULL : teller();

	if (function)
		function(range, is_end);
	errno = was;
}

void ranges_begin(uint64_t domain, uint64_t id, const char *name)
{
	struct lane_p_gpulane_range range = { .domain = domain, .id = id };
	const size_t room = sizeof(range.text) - 1;
	size_t n;

	if (!name)
		name = "unnamed";
	n = strnlen(name, room + 1);
	if (n > room) {
		n = room - 3;
		while (n && (name[n] & 0xc0) == 0x80) /* inside of a character */
			n--;
		memcpy(range.text + n, "...", 3);
	}
	memcpy(range.text, name, n);
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

static struct ranges_name *new_name(const char *text)
{
	struct ranges_name *name = calloc(1, sizeof(*name));

	if (!name)
		return NULL;
	name->is_on = 1;
	name->text = strdup(text);
	if (name->text)
		return name;
	free(name);
	return NULL;
}

struct ranges_name *ranges_name(struct ranges_name **list, const char *text)
{
	struct ranges_name *first = __atomic_load_n(list, __ATOMIC_ACQUIRE), *known, *name = NULL;

	if (!text)
		return NULL;
	do {
		for (known = first; known && strcmp(known->text, text) != 0;)
			known = known->next;
		if (!known && !name)
			name = new_name(text);
		if (known || !name)
			break;
		name->next = first;
	} while (!__atomic_compare_exchange_n(list, &first, name, false, __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
	if (known && name) {
		free(name->text);
		free(name);
	}
	return known ? known : name;
}

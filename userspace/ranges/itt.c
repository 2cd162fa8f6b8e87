// SPDX-License-Identifier: MIT
// ITT: the part that is linked into the program (ittnotify_static.c of intel/ittapi) loads the
// library that INTEL_LIBITTNOTIFY64 names, and calls __itt_api_init() with its table of functions.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ranges/ranges.h"

/* ittnotify_config.h: struct ___itt_api_info, and what comes before it in struct ___itt_global. */
struct itt_function {
	const char *name;
	void **pointer;
	void *at_first;
	void *none;
	int group;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long major, minor, build;
	volatile long is_initialized, has_mutex, counter;
	pthread_mutex_t mutex;
	void *library, *on_error;
	const char **path;
	struct itt_function *functions; /* the last one has no name */
};

static const unsigned char itt_magic[8] = { 0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30 };
#define ITT_MAJOR 3

/* struct ___itt_id */
struct itt_id {
	uint64_t part[3];
};

#define MOST_EVENTS 1024

static struct ranges_name *domains, *strings;
static struct ranges_name *events[MOST_EVENTS];

static void *itt_domain(const char *name)
{
	return ranges_name(&domains, name);
}

static void *itt_string(const char *name)
{
	struct ranges_name *made = ranges_name(&strings, name);

	return made ? &made->text : NULL;
}

/* One number of an id's three, never 0. */
static uint64_t number_of(struct itt_id id)
{
	uint64_t number = 0;

	for (int i = 0; i < 3; i++)
		number = (number ^ id.part[i]) * 0x9e3779b97f4a7c15u;
	return number ? number : 1;
}

static const char *text_of(char *const *string)
{
	return string ? *string : NULL;
}

static void itt_task_begin(const void *domain, struct itt_id id, struct itt_id parent,
			   char *const *name)
{
	(void)id;
	(void)parent;
	ranges_begin((uintptr_t)domain, 0, text_of(name));
}

/* Named by a function alone. */
static void itt_task_begin_fn(const void *domain, struct itt_id id, struct itt_id parent,
			      void *function)
{
	(void)id;
	(void)parent;
	(void)function;
	ranges_begin((uintptr_t)domain, 0, NULL);
}

static void itt_task_end(const void *domain)
{
	ranges_end((uintptr_t)domain, 0);
}

static void itt_begin(const void *domain, struct itt_id id, struct itt_id parent, char *const *name)
{
	(void)parent;
	ranges_begin((uintptr_t)domain, number_of(id), text_of(name));
}

static void itt_end(const void *domain, struct itt_id id)
{
	ranges_end((uintptr_t)domain, number_of(id));
}

/* A frame has its domain's name; without an id it is the domain's only one. */
static void itt_frame_begin(const struct ranges_name *domain, const struct itt_id *id)
{
	ranges_begin((uintptr_t)domain, id ? number_of(*id) : 1, domain->text);
}

static void itt_frame_end(const struct ranges_name *domain, const struct itt_id *id)
{
	ranges_end((uintptr_t)domain, id ? number_of(*id) : 1);
}

/* An event is a number from 1 on; 0: it is not recorded. The name may have no NUL. */
static int itt_event_create(const char *name, int length)
{
	char *text = name ? strndup(name, length > 0 ? (size_t)length : 0) : NULL;
	struct ranges_name *made = ranges_name(&strings, text), *was = NULL;
	int event = 0;

	free(text);
	while (made && event < MOST_EVENTS &&
	       !__atomic_compare_exchange_n(&events[event], &was, made, false, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE) &&
	       was != made) {
		was = NULL;
		event++;
	}
	return made && event < MOST_EVENTS ? event + 1 : 0;
}

/* The program may hand over a number that is none. */
static const struct ranges_name *name_of(int event)
{
	return event > 0 && event <= MOST_EVENTS
		       ? __atomic_load_n(&events[event - 1], __ATOMIC_ACQUIRE)
		       : NULL;
}

static int itt_event_start(int event)
{
	const struct ranges_name *name = name_of(event);

	if (name)
		ranges_begin(RANGES_ITT_EVENT + (uint64_t)event, 0, name->text);
	return 0;
}

/* It ends the calling thread's own. */
static int itt_event_end(int event)
{
	if (name_of(event))
		ranges_end(RANGES_ITT_EVENT + (uint64_t)event, 0);
	return 0;
}

static const struct {
	const char *name;
	void *function;
} ours[] = {
	{ "__itt_domain_create", itt_domain },	  { "__itt_string_handle_create", itt_string },
	{ "__itt_task_begin", itt_task_begin },	  { "__itt_task_begin_fn", itt_task_begin_fn },
	{ "__itt_task_end", itt_task_end },	  { "__itt_task_begin_overlapped", itt_begin },
	{ "__itt_task_end_overlapped", itt_end }, { "__itt_region_begin", itt_begin },
	{ "__itt_region_end", itt_end },	  { "__itt_frame_begin_v3", itt_frame_begin },
	{ "__itt_frame_end_v3", itt_frame_end },  { "__itt_event_create", itt_event_create },
	{ "__itt_event_start", itt_event_start }, { "__itt_event_end", itt_event_end },
};

/* Each library of the program that has ITT calls this with a table of its own. */
RANGES_SHOWN void __itt_api_init(struct itt_global *global, int groups);

void __itt_api_init(struct itt_global *global, int groups)
{
	(void)groups;
	if (!global || memcmp(global->magic, itt_magic, sizeof(itt_magic)) != 0 ||
	    global->major != ITT_MAJOR)
		return;
	for (struct itt_function *to = global->functions; to->name; to++) {
		*to->pointer = to->none;
		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			if (!strcmp(to->name, ours[i].name))
				*to->pointer = ours[i].function;
	}
}

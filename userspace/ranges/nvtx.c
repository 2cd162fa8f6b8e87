// SPDX-License-Identifier: MIT
// NVTX 3: the header in the program (nvtxInit.h of NVIDIA/NVTX) loads the library that
// NVTX_INJECTION64_PATH names, and gives InitializeInjectionNvtx2() its tables of functions.
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ranges/ranges.h"

#define NVTX_VAR "NVTX_INJECTION64_PATH"
#define INIT	 "InitializeInjectionNvtx2"

/* nvtxTypes.h */
enum {
	NVTX_ETID_CALLBACKS = 1,
	NVTX_CB_MODULE_CORE = 1,
	NVTX_CB_MODULE_CORE2 = 5,
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t bytes;
	int (*get)(int module, nvtx_function ***table, unsigned int *n);
};

typedef const void *(*nvtx_exports)(uint32_t id);

/* What nvtxRangePush and nvtxRangePop return where nobody counts the depth: nvToolsExt.h. */
#define NVTX_NOT_TRACKED -2

/* struct nvtxEventAttributes_v2 */
struct nvtx_attributes {
	uint16_t version, bytes;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

enum {
	NVTX_ASCII = 1,
	NVTX_WIDE,
	NVTX_REGISTERED
};

#define NAME_BYTES 128

/* Others than ASCII's are shown as '?'. */
static const char *narrow(const wchar_t *from, char to[NAME_BYTES])
{
	size_t n = 0;

	for (; from && from[n] && n < NAME_BYTES - 1; n++)
		to[n] = from[n] > 0 && from[n] < 128 ? (char)from[n] : '?';
	to[n] = 0;
	return from ? to : NULL;
}

static const char *message_of(const struct nvtx_attributes *attributes, char wide[NAME_BYTES])
{
	const struct ranges_name *registered;

	if (!attributes ||
	    attributes->bytes < offsetof(struct nvtx_attributes, message) + sizeof(void *))
		return NULL;
	switch (attributes->message_type) {
	case NVTX_ASCII:
		return attributes->message;
	case NVTX_WIDE:
		return narrow(attributes->message, wide);
	case NVTX_REGISTERED:
		registered = attributes->message;
		return registered ? registered->text : NULL;
	default:
		return NULL;
	}
}

static uint64_t domain_of(const void *domain)
{
	return domain ? (uintptr_t)domain : RANGES_NVTX;
}

static uint64_t nvtx_start(const void *domain, const struct nvtx_attributes *attributes)
{
	uint64_t id = ranges_number();
	char wide[NAME_BYTES];

	ranges_begin(domain_of(domain), id, message_of(attributes, wide));
	return id;
}

/* 0 is no range's number: an end without one would be a pop. */
static void nvtx_end(const void *domain, uint64_t id)
{
	if (id)
		ranges_end(domain_of(domain), id);
}

static int nvtx_push(const void *domain, const struct nvtx_attributes *attributes)
{
	char wide[NAME_BYTES];

	ranges_begin(domain_of(domain), 0, message_of(attributes, wide));
	return NVTX_NOT_TRACKED;
}

static int nvtx_pop(const void *domain)
{
	ranges_end(domain_of(domain), 0);
	return NVTX_NOT_TRACKED;
}

static const struct nvtx_attributes *said(struct nvtx_attributes *to, int type, const void *message)
{
	*to = (struct nvtx_attributes){ .bytes = sizeof(*to),
					.message_type = type,
					.message = message };
	return to;
}

static uint64_t start_ex(const struct nvtx_attributes *attributes)
{
	return nvtx_start(NULL, attributes);
}

static uint64_t start_ascii(const char *message)
{
	struct nvtx_attributes attributes;

	return nvtx_start(NULL, said(&attributes, NVTX_ASCII, message));
}

static uint64_t start_wide(const wchar_t *message)
{
	struct nvtx_attributes attributes;

	return nvtx_start(NULL, said(&attributes, NVTX_WIDE, message));
}

static void end(uint64_t id)
{
	nvtx_end(NULL, id);
}

static int push_ex(const struct nvtx_attributes *attributes)
{
	return nvtx_push(NULL, attributes);
}

static int push_ascii(const char *message)
{
	struct nvtx_attributes attributes;

	return nvtx_push(NULL, said(&attributes, NVTX_ASCII, message));
}

static int push_wide(const wchar_t *message)
{
	struct nvtx_attributes attributes;

	return nvtx_push(NULL, said(&attributes, NVTX_WIDE, message));
}

static int pop(void)
{
	return nvtx_pop(NULL);
}

static struct ranges_name *domains, *strings;

/* Of each domain the same text is one object. */
static const void *register_ascii(const void *domain, const char *text)
{
	(void)domain;
	return ranges_name(&strings, text);
}

static const void *register_wide(const void *domain, const wchar_t *text)
{
	char wide[NAME_BYTES];

	(void)domain;
	return ranges_name(&strings, narrow(text, wide));
}

static const void *create_ascii(const char *name)
{
	return ranges_name(&domains, name);
}

static const void *create_wide(const wchar_t *name)
{
	char wide[NAME_BYTES];

	return ranges_name(&domains, narrow(name, wide));
}

#define OURS(module, id, function)                                                                 \
	{                                                                                          \
		NVTX_CB_MODULE_##module, id, (nvtx_function)(function)                             \
	}

/* By their numbers: enum NvtxCallbackIdCore, enum NvtxCallbackIdCore2. */
static const struct {
	int module;
	unsigned int id;
	nvtx_function function;
} ours[] = {
	OURS(CORE, 4, start_ex),	 OURS(CORE, 5, start_ascii),
	OURS(CORE, 6, start_wide),	 OURS(CORE, 7, end),
	OURS(CORE, 8, push_ex),		 OURS(CORE, 9, push_ascii),
	OURS(CORE, 10, push_wide),	 OURS(CORE, 11, pop),
	OURS(CORE2, 2, nvtx_start),	 OURS(CORE2, 3, nvtx_end),
	OURS(CORE2, 4, nvtx_push),	 OURS(CORE2, 5, nvtx_pop),
	OURS(CORE2, 10, register_ascii), OURS(CORE2, 11, register_wide),
	OURS(CORE2, 12, create_ascii),	 OURS(CORE2, 13, create_wide),
};

/* Of the library that the program names; NULL: there is none, or it is this one. */
static void *named_init(void)
{
	const char *path = getenv(NVTX_VAR);
	void *library = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
	Dl_info here;

	if (!library || (dladdr((void *)named_init, &here) &&
			 dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD) == library))
		return NULL;
	return dlsym(library, INIT);
}

/*
 * A header finds this function in what is preloaded before it looks at the variable: where another
 * library is preloaded, or the program names one, that one is asked, as it is alone. False: there
 * is none.
 */
static bool ask_other(nvtx_exports exports, int *result)
{
	int (*init)(nvtx_exports), was = errno;
	void *function = dlsym(RTLD_NEXT, INIT);

	if (!function)
		function = named_init();
	dlerror(); /* the program would take ours for its own */
	errno = was;
	if (!function)
		return false;
	memcpy(&init, &function, sizeof(init));
	*result = init(exports);
	return true;
}

RANGES_SHOWN int InitializeInjectionNvtx2(nvtx_exports exports);

int InitializeInjectionNvtx2(nvtx_exports exports)
{
	const struct nvtx_callbacks *callbacks;
	int result;

	if (ask_other(exports, &result))
		return result;
	callbacks = exports(NVTX_ETID_CALLBACKS);
	if (!callbacks || callbacks->bytes < sizeof(*callbacks))
		return 0;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		nvtx_function **table;
		unsigned int n;

		if (callbacks->get(ours[i].module, &table, &n) && ours[i].id < n)
			*table[ours[i].id] = ours[i].function;
	}
	return 1;
}

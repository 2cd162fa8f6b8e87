// SPDX-License-Identifier: MIT
// ROCTX: a library of the program's. Ours is preloaded, tells, and calls the program's.
#include <dlfcn.h>
#include <string.h>

#include "ranges/ranges.h"

#define ROCTX_FAILED -1

/* The program's library: next in the link order, or loaded by hand and not visible to all. */
static void *find_real(const char *name)
{
	static const char *const files[] = { "libroctx64.so.4", "libroctx64.so.1",
					     "librocprofiler-sdk-roctx.so.1",
					     "librocprofiler-sdk-roctx.so.0" };
	void *function = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; !function && i < sizeof(files) / sizeof(files[0]); i++) {
		void *library = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);

		function = library ? dlsym(library, name) : NULL;
	}
	return function;
}

/* The function of the program's library as a pointer of ours, found once. */
#define REAL(result, name, ...)                                                                    \
	static result (*real)(__VA_ARGS__);                                                        \
	if (!__atomic_load_n(&real, __ATOMIC_RELAXED)) {                                           \
		void *found = find_real(name);                                                     \
		result (*function)(__VA_ARGS__);                                                   \
		memcpy(&function, &found, sizeof(function));                                       \
		__atomic_store_n(&real, function, __ATOMIC_RELAXED);                               \
	}

RANGES_SHOWN int roctxRangePushA(const char *message);
RANGES_SHOWN int roctxRangePop(void);
RANGES_SHOWN uint64_t roctxRangeStartA(const char *message);
RANGES_SHOWN void roctxRangeStop(uint64_t id);

int roctxRangePushA(const char *message)
{
	REAL(int, "roctxRangePushA", const char *)

	ranges_begin(RANGES_ROCTX, 0, message);
	return real ? real(message) : ROCTX_FAILED;
}

int roctxRangePop(void)
{
	REAL(int, "roctxRangePop", void)

	ranges_end(RANGES_ROCTX, 0);
	return real ? real() : ROCTX_FAILED;
}

uint64_t roctxRangeStartA(const char *message)
{
	REAL(uint64_t, "roctxRangeStartA", const char *)
	uint64_t id = real ? real(message) : ranges_number();

	ranges_begin(RANGES_ROCTX, id, message);
	return id;
}

void roctxRangeStop(uint64_t id)
{
	REAL(void, "roctxRangeStop", uint64_t)

	ranges_end(RANGES_ROCTX, id);
	if (real)
		real(id);
}

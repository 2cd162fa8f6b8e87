// SPDX-License-Identifier: MIT
// ROCTX: a library of the program's. Ours is preloaded, tells, and calls the program's.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "ranges/ranges.h"

#define ROCTX_FAILED -1

/* A function of the program's library, as a thread has found it. */
struct real {
	unsigned long long loads; /* of libraries, up to then; 0: it was not looked for */
	void *function;		  /* NULL: there is none */
};

static int count_loads(struct dl_phdr_info *info, size_t bytes, void *loads)
{
	(void)bytes;
	*(unsigned long long *)loads = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

/* The program's library: next in the link order, or loaded by hand and not visible to all. */
static void *look_up(const char *name)
{
	static const char *const files[] = { "libroctx64.so.4", "libroctx64.so.1",
					     "librocprofiler-sdk-roctx.so.1",
					     "librocprofiler-sdk-roctx.so.0" };
	void *function = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; !function && i < sizeof(files) / sizeof(files[0]); i++) {
		void *library = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);

		function = library ? dlsym(library, name) : NULL;
		if (library)
			dlclose(library); /* the program's own handle keeps it */
	}
	return function;
}

/* Where libraries came or went since, the one that was found may be gone, or one be there. */
static void *find_real(struct real *real, const char *name)
{
	unsigned long long loads = 0;
	int was = errno;

	dl_iterate_phdr(count_loads, &loads);
	if (real->loads != loads) {
		real->function = look_up(name);
		real->loads = loads;
		dlerror(); /* the program would take ours for its own */
	}
	errno = was;
	return real->function;
}

#define REAL(result, name, ...)                                                                    \
	static __thread struct real known __attribute__((tls_model("initial-exec")));              \
	void *found = find_real(&known, name);                                                     \
	result (*real)(__VA_ARGS__);                                                               \
	memcpy(&real, &found, sizeof(real));

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

	if (id) /* 0: a library that failed */
		ranges_begin(RANGES_ROCTX, id, message);
	return id;
}

void roctxRangeStop(uint64_t id)
{
	REAL(void, "roctxRangeStop", uint64_t)

	if (id)
		ranges_end(RANGES_ROCTX, id);
	if (real)
		real(id);
}

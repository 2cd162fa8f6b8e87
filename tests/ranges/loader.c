// SPDX-License-Identifier: MIT
// A program that is not linked to ROCTX's library.
//   loader local FILE    loads plugin.c, and with it the library, for nobody else to see
//   loader reload FILE   loads both for all, unloads them, and loads them elsewhere
//   loader none          calls what there may be, and says whether each call asks the loader
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int roctxRangePushA(const char *message) __attribute__((weak));
void *dlopen(const char *file, int mode);

static int n_opened;

/* Ahead of the C library's. */
void *dlopen(const char *file, int mode)
{
	void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

	n_opened++;
	return real(file, mode);
}

static void *load(const char *file, int mode)
{
	void *library = dlopen(file, RTLD_NOW | mode);
	void (*mark)(void) = library ? (void (*)(void))dlsym(library, "mark") : NULL;
	const char *error;
	int was;

	if (!mark) {
		printf("loader: %s\n", dlerror());
		return NULL;
	}
	errno = EXDEV;
	mark();
	was = errno;
	error = dlerror();
	printf("loader: errno %d, dlerror %s\n", was, error ? error : "none");
	return library;
}

/* Nothing else comes to lie where the library's function was. */
static void reload(const char *file)
{
	void *library = load(file, RTLD_GLOBAL);
	uintptr_t at = library ? (uintptr_t)dlsym(library, "roctxRangePop") & -4096ul : 0;

	if (!at)
		return;
	dlclose(library);
	printf("loader: is gone %d\n",
	       mmap((void *)at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		    -1, 0) != MAP_FAILED);
	load(file, RTLD_GLOBAL);
}

static void none(void)
{
	for (int i = 0; i < 1000 && roctxRangePushA; i++)
		roctxRangePushA("none");
	printf("loader: asked at each call %d\n", n_opened >= 1000);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && !strcmp(argv[1], "local"))
		load(argv[2], RTLD_LOCAL);
	else if (argc > 2)
		reload(argv[2]);
	else
		none();
	return 0;
}

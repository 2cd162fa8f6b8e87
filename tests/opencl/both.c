/* SPDX-License-Identifier: MIT */
// Loads a library, says so into a buffer, and ends: what the library and what is preloaded do at
// their ends must leave the program its end.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

	printf("loaded %s\n", library ? argv[1] : dlerror());
	return !library;
}

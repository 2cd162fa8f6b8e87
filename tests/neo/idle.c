// SPDX-License-Identifier: MIT
// What Level Zero's layer costs a launch while nobody records: idle LAYER. The loader's place is
// taken by this program, the driver's by a function that does nothing.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 9
#define CALLS  10000000
#define LAUNCH 22 /* zeCommandListAppendLaunchKernel's place in its table */

typedef uint32_t launch_fn(void *, void *, const void *, void *, uint32_t, void **);

static __attribute__((noinline)) uint32_t nothing(void *list, void *kernel, const void *groups,
						  void *event, uint32_t n, void **waits)
{
	__asm__ volatile("" ::"r"(list), "r"(kernel), "r"(groups), "r"(event), "r"(n), "r"(waits));
	return 0;
}

/* ns a call */
static double time_of(launch_fn *volatile launch)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (unsigned int i = 0; i < CALLS; i++)
		launch(NULL, NULL, NULL, NULL, 0, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	       CALLS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	void *layer = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL, *found;
	uint32_t (*get)(uint32_t, void **) = NULL;
	launch_fn *launch = nothing;
	double more[ROUNDS];
	void *table[64];

	found = layer ? dlsym(layer, "zeGetCommandListProcAddrTable") : NULL;
	memcpy(&get, &found, sizeof(found));
	if (!get)
		return 2;
	for (int i = 0; i < 64; i++)
		memcpy(&table[i], &launch, sizeof(launch));
	get(0x1000d, table);
	memcpy(&launch, &table[LAUNCH], sizeof(launch));
	if (launch == nothing)
		return 2;
	for (int i = 0; i < ROUNDS; i++) {
		double bare = time_of(nothing);

		more[i] = time_of(launch) - bare;
	}
	qsort(more, ROUNDS, sizeof(*more), compare);
	printf("a launch takes %.2f ns more while nobody records (%.2f to %.2f)\n",
	       more[ROUNDS / 2], more[0], more[ROUNDS - 1]);
	return 0;
}

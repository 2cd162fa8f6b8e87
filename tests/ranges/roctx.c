// SPDX-License-Identifier: MIT
// ROCTX's library, as it is without a profiler: it counts, and says what it was called with.
#include <stdint.h>
#include <stdio.h>

int roctxRangePushA(const char *message);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *message);
void roctxRangeStop(uint64_t id);

static __thread int depth;
static uint64_t last = 40;

int roctxRangePushA(const char *message)
{
	printf("library: push %s\n", message);
	return depth++;
}

int roctxRangePop(void)
{
	puts("library: pop");
	return --depth;
}

uint64_t roctxRangeStartA(const char *message)
{
	printf("library: start %s\n", message);
	return ++last;
}

void roctxRangeStop(uint64_t id)
{
	printf("library: stop %d\n", (int)id);
}

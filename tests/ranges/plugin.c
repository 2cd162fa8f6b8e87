// SPDX-License-Identifier: MIT
// A library that a program loads by hand. It is linked to ROCTX's. Where the program has push() and
// pop(), its constructor marks ranges while a thread of it waits for the loader, as the first range
// of a program does.
#include <pthread.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

int roctxRangePushA(const char *message);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *message);
void roctxRangeStop(uint64_t id);

int push(const char *message) __attribute__((weak));
int pop(void) __attribute__((weak));
void mark(void);
void join(void);

void mark(void)
{
	int pushed = roctxRangePushA("plugin push"), popped = roctxRangePop();
	uint64_t id = roctxRangeStartA("plugin start");

	roctxRangeStop(id);
	printf("plugin: push %d, pop %d, start %d\n", pushed, popped, (int)id);
}

static pthread_t thread;
static pid_t tid;

static void *beside(void *arg)
{
	(void)arg;
	__atomic_store_n(&tid, gettid(), __ATOMIC_RELEASE);
	push("beside constructor");
	pop();
	return NULL;
}

void join(void)
{
	pthread_join(thread, NULL);
}

/* It waits for somebody, or is over. */
static int is_still(void)
{
	char path[64], line[512] = "";
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	stat = fopen(path, "r");
	if (!stat)
		return 1;
	if (!fgets(line, sizeof(line), stat))
		*line = 0;
	fclose(stat);
	return !*line || strstr(line, ") S") != NULL;
}

__attribute__((constructor)) static void begin(void)
{
	if (!push || pthread_create(&thread, NULL, beside, NULL))
		return;
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE) || !is_still())
		usleep(1000);
	push("in constructor");
	pop();
}

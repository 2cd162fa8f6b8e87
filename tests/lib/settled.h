/* SPDX-License-Identifier: MIT */
/* When the other threads of a program have done what they had to do. */
#ifndef TESTS_LIB_SETTLED_H
#define TESTS_LIB_SETTLED_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether a thread runs, or could: its state, behind its name, which may be anything. */
static inline bool is_at_work(const char *tid)
{
	char path[64], text[512] = "";
	const char *state;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/stat", tid);
	from = fopen(path, "re");
	if (!from)
		return false;
	text[fread(text, 1, sizeof(text) - 1, from)] = 0;
	fclose(from);
	state = strrchr(text, ')');
	return state && strspn(state, ") ") == 2 && !strchr("SIZX", state[2]);
}

static inline bool others_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	bool sleep = true;

	while (tasks && sleep && (task = readdir(tasks)))
		if (*task->d_name != '.' && atoi(task->d_name) != gettid())
			sleep = !is_at_work(task->d_name);
	if (tasks)
		closedir(tasks);
	return sleep;
}

/* Waits until all other threads sleep: who is woken is at work from then on, however busy the
 * machine is. Two minutes in all, for those that never sleep. */
static inline void settle(void)
{
	static int patience = 60000;
	const struct timespec pause = { .tv_nsec = 2000000 };

	while (!others_sleep() && patience-- > 0)
		nanosleep(&pause, NULL);
}

#endif

// SPDX-License-Identifier: MIT
// Two threads that wake each other through pipes, as often as told: `threads ROUNDS`. Says how
// often they have gone to sleep, as the kernel has counted. Others have ended before.
#define _GNU_SOURCE // SCHED_BATCH
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int there[2], back[2];

static void *answer(void *unused)
{
	char byte;

	(void)unused;
	while (read(there[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			break;
	return NULL;
}

static void *end(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	struct rusage before, after;
	pthread_t thread;
	char byte = 0;

	// Who is woken must not preempt: whoever wakes it would be runnable all the time, and would
	// never be woken itself.
	if (sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 }))
		return 1;
	// Each time it waits for a grace period of RCU: behind one the kernel frees what has ended.
	for (int i = 0; i < 20; i++)
		if (pthread_create(&thread, NULL, end, NULL) || pthread_join(thread, NULL) ||
		    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
			return 1;
	if (getrusage(RUSAGE_SELF, &before) || pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, answer, NULL))
		return 1;
	for (long i = 0; i < rounds; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	close(there[1]);
	if (pthread_join(thread, NULL) || getrusage(RUSAGE_SELF, &after))
		return 1;
	printf("slept %ld times\n", after.ru_nvcsw - before.ru_nvcsw);
	return 0;
}

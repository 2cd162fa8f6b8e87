// SPDX-License-Identifier: MIT
// Forks while threads of it are in the layer: every child goes on. usage: fork [CHILDREN]
#include "common.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	THREADS = 3,
	SECONDS = 120, /* a child that takes longer hangs */
};

static volatile int ended;

/* What the layer has to look up, and the driver has no lock for. */
static cl_command_queue_properties ask(cl_command_queue queue)
{
	cl_command_queue_properties properties = ~(cl_command_queue_properties)0;

	MUST(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				   NULL));
	return properties;
}

static void *ask_on(void *queue)
{
	while (!ended)
		ask(queue);
	return NULL;
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 200, well = 0;
	pthread_t threads[THREADS];
	cl_device_id device;
	cl_context context = open_device(&device);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, ask_on, queue);
	for (int i = 0; i < children && well == i; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			alarm(SECONDS);
			_exit(ask(queue) ? 1 : 0);
		}
		well += pid > 0 && waitpid(pid, &status, 0) == pid && !status;
	}
	ended = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d of %d children went on\n", well, children);
	return well != children;
}

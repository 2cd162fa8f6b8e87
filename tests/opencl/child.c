// SPDX-License-Identifier: MIT
// Forks while a command waits. With libchild.so (this file with -DLIBRARY, preloaded behind the
// layer) the driver says in the child that the command is complete, as one does that has no threads
// of its own. usage: child CHILDREN
#include "common.h"

#include <pthread.h>

#ifdef LIBRARY

#include <dlfcn.h>

typedef void(CL_CALLBACK *event_fn)(cl_event event, cl_int status, void *data);
typedef cl_int (*set_fn)(cl_event event, cl_int status, event_fn function, void *data);

/* The last call-back that was set. */
static struct {
	cl_event event;
	event_fn function;
	void *data;
} last;

static void complete(void)
{
	last.function(last.event, CL_COMPLETE, last.data);
}

__attribute__((visibility("default"))) cl_int clSetEventCallback(cl_event event, cl_int status,
								 event_fn function, void *data)
{
	set_fn next;

	/* Behind what the layer does in a child. */
	if (!last.function)
		pthread_atfork(NULL, NULL, complete);
	last.event = event;
	last.function = function;
	last.data = data;
	*(void **)&next = dlsym(RTLD_NEXT, "clSetEventCallback");
	return next(event, status, function, data);
}

#else

#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 1, well = 0;
	cl_device_id device;
	cl_context context = open_device(&device);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_int status;
	cl_event go = clCreateUserEvent(context, &status);

	MUST(status);
	MUST(clEnqueueMarkerWithWaitList(queue, 1, &go, NULL));
	MUST(clFlush(queue));
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		well += pid > 0 && waitpid(pid, &status, 0) == pid && !status;
	}
	MUST(clSetUserEventStatus(go, CL_COMPLETE));
	MUST(clFinish(queue));
	MUST(clReleaseCommandQueue(queue));
	MUST(clReleaseContext(context));
	printf("%d of %d children ended\n", well, children);
	return well != children;
}

#endif

// SPDX-License-Identifier: MIT
// Leaves while commands are held back or still run. usage: leave [return|exit|_exit]
#include "common.h"

#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char memory[1 << 20];
	const char *how = argc > 1 ? argv[1] : "return";
	cl_device_id device;
	cl_context context = open_device(&device);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(memory), NULL, NULL);

	for (int i = 0; i < 50; i++)
		MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(memory), memory, 0,
					 NULL, NULL));
	puts("leaves");
	fflush(stdout);
	if (!strcmp(how, "exit"))
		exit(5);
	if (!strcmp(how, "_exit"))
		_exit(6);
	return 4;
}

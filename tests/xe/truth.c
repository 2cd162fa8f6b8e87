// SPDX-License-Identifier: MIT
// The truth: the file `truth` in the GPU's folder, a line for each thing that happened, of all
// processes. Times are CLOCK_MONOTONIC's.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "xe.h"

void xe_truth(const char *format, ...)
{
	static int fd = -1;
	char line[512];
	va_list args;
	int n;

	if (fd < 0) {
		snprintf(line, sizeof(line), "%s/truth", xe_folder);
		fd = open(line, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	}
	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	(void)!write(fd, line, (size_t)n);
}

void xe_truth_run(const struct xe_queue *queue, uint64_t end)
{
	const struct xe_run *run = &queue->run;

	xe_truth("%s queue %lu pid %d submission %lu appended %lu..%lu start %lu end %lu off %lu "
		 "preempted %u groups %ux%ux%u name %s",
		 run->kind, queue->number, getpid(), queue->submission, queue->appended_min,
		 queue->appended_max, run->start, end, run->off_ns, run->preemptions,
		 run->groups[0], run->groups[1], run->groups[2], run->name);
}

// A command that the streamer steps over, once each.
void xe_truth_skipped(uint32_t command)
{
	static uint32_t seen[256];
	static unsigned int n;

	for (unsigned int i = 0; i < n; i++) {
		if (seen[i] >> 16 == command >> 16)
			return;
	}
	if (n < sizeof(seen) / sizeof(*seen))
		seen[n++] = command;
	xe_truth("skipped %08x", command);
}

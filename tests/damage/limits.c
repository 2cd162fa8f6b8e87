// SPDX-License-Identifier: MIT
// Runs a command and writes to the file that is named first: its exit code (128 + the signal), the
// milliseconds it took and the KiB of its largest process.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	long begin = now_ms();
	int status = 0;
	pid_t pid;
	FILE *to;

	if (argc < 3)
		return 2;
	pid = fork();
	if (!pid) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &usage))
		return 2;
	to = fopen(argv[1], "w");
	if (!to)
		return 2;
	fprintf(to, "%d %ld %ld\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), now_ms() - begin,
		usage.ru_maxrss);
	return fclose(to) ? 2 : 0;
}

// SPDX-License-Identifier: MIT
// Runs a command, sends it what ^C sends once it has used so much of the CPUs' time (0: never), and
// writes to the file that is named first: its exit code (128 + the signal), the milliseconds of the
// CPUs that it used, those it used after the ^C, and the KiB of its largest process. A busy machine
// does not make these times longer.
// usage: limits FILE MS COMMAND [ARG...]
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a process that runs has used of the CPUs; 0 when it has ended. */
static long used_ms(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static long total_ms(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
}

/* Waits until it has used so much, and stops it. What it had used; 0 when it was over before. */
static long interrupt(pid_t pid, long after_ms)
{
	const struct timespec a_while = { .tv_nsec = 1000000 };
	siginfo_t over = { 0 };
	long used;

	while ((used = used_ms(pid)) < after_ms) {
		if (waitid(P_PID, (id_t)pid, &over, WEXITED | WNOHANG | WNOWAIT) || over.si_pid)
			return 0;
		nanosleep(&a_while, NULL);
	}
	kill(pid, SIGINT);
	return used;
}

int main(int argc, char **argv)
{
	long after_ms = argc > 3 ? atol(argv[2]) : 0, until_ms = 0;
	struct rusage usage;
	int status = 0;
	pid_t pid;
	FILE *to;

	if (argc < 4)
		return 2;
	pid = fork();
	if (!pid) {
		signal(SIGINT, SIG_DFL); /* a command in the background would take no notice */
		execv(argv[3], argv + 3);
		_exit(127);
	}
	if (pid > 0 && after_ms)
		until_ms = interrupt(pid, after_ms);
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 2;
	to = fopen(argv[1], "w");
	if (!to)
		return 2;
	fprintf(to, "%d %ld %ld %ld\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), total_ms(&usage),
		until_ms ? total_ms(&usage) - until_ms : 0, usage.ru_maxrss);
	return fclose(to) ? 2 : 0;
}

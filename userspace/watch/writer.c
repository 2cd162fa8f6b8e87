// SPDX-License-Identifier: MIT
// A fork that writes, and its result.
#include "watch/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull

/* Handlers are the watching process's; files are closed where its user says so (ways->complete). */
static void become_writer(pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	/* ^C in a terminal is for all: what is being written is completed. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpriority(PRIO_PROCESS, 0, 10);
}

struct lane_error *watch_writer_begin(struct lane_writer *writer, uint64_t now_ns,
				      struct lane_error *(*write_it)(void *arg), void *arg)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return lane_error_errno(errno, "a recording's writer");
	fflush(stdout);
	fflush(stderr);
	writer->pid = fork();
	if (writer->pid < 0) {
		int errnum = errno;

		writer->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return lane_error_errno(errnum, "a recording's writer");
	}
	if (!writer->pid) {
		struct lane_error *err;

		become_writer(parent);
		err = write_it(arg);
		if (err &&
		    write(ends[1], lane_error_message(err), strlen(lane_error_message(err))) < 0)
			_exit(2);
		_exit(err ? 1 : 0);
	}
	close(ends[1]);
	writer->pipe = ends[0];
	writer->begun_ns = now_ns;
	return NULL;
}

static struct lane_error *result_of(struct lane_writer *writer, int status)
{
	char text[512] = "";
	ssize_t n;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	if (WIFSIGNALED(status))
		return lane_error("its writer was ended by signal %d", WTERMSIG(status));
	n = read(writer->pipe, text, sizeof(text) - 1);
	return lane_error("%s", n > 0 ? text : "its writer failed");
}

bool watch_writer_ended(struct lane_writer *writer, uint64_t now_ns, bool waits,
			struct lane_error **result)
{
	int status = 0;
	pid_t pid;

	*result = NULL;
	if (!writer->pid)
		return false;
	if (now_ns > writer->begun_ns + LANE_WRITER_SECONDS * SECOND_NS)
		kill(writer->pid, SIGKILL);
	do
		pid = waitpid(writer->pid, &status, waits ? 0 : WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return false;
	if (pid > 0)
		*result = result_of(writer, status);
	close(writer->pipe);
	writer->pid = 0;
	return true;
}

void watch_writer_kill(struct lane_writer *writer)
{
	struct lane_error *result;

	if (!writer->pid)
		return;
	kill(writer->pid, SIGKILL);
	watch_writer_ended(writer, 0, true, &result);
	lane_error_free(result);
}

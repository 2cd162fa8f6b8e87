// SPDX-License-Identifier: MIT
// The command that is recorded: forked at once, let go when recording has begun.
#include "capture/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"

struct lane_error *capture_sudo_caller(struct lane_identity *caller, bool *is_there)
{
	const char *text = getuid() == 0 && geteuid() == 0 ? getenv("SUDO_UID") : NULL;
	const struct passwd *entry;

	*is_there = false;
	if (!text || !strcmp(text, "0"))
		return NULL;
	if (!lane_sudo_user(&caller->uid))
		return lane_error("SUDO_UID: `%s' is no user, so that nobody is known to run "
				  "COMMAND as (--as-root runs it as root)",
				  text);
	if (!lane_sudo_id(getenv("SUDO_GID"), &caller->gid)) {
		entry = getpwuid(caller->uid);
		if (!entry)
			return lane_error("SUDO_GID: is no group, and the system does not know "
					  "user %u (--as-root runs COMMAND as root)",
					  caller->uid);
		caller->gid = entry->pw_gid;
	}
	*is_there = true;
	return NULL;
}

/* What programs find of their user in the environment is root's so far. */
static int set_home(const struct passwd *entry)
{
	if (!entry)
		return setenv("HOME", "/", 1) || unsetenv("USER") || unsetenv("LOGNAME");
	return setenv("HOME", entry->pw_dir, 1) || setenv("USER", entry->pw_name, 1) ||
	       setenv("LOGNAME", entry->pw_name, 1) ||
	       (*entry->pw_shell && setenv("SHELL", entry->pw_shell, 1));
}

/* Becomes somebody for good, with the groups that the system knows of him. */
static int become(const struct lane_identity *as)
{
	const struct passwd *entry = getpwuid(as->uid);
	int failed = entry ? initgroups(entry->pw_name, as->gid) : setgroups(1, &as->gid);

	if (failed || set_home(entry) || setresgid(as->gid, as->gid, as->gid) ||
	    setresuid(as->uid, as->uid, as->uid))
		return errno;
	return 0;
}

/* The act of a command: returns an errno. */
static int child_execute(const void *argv)
{
	execvp(((char *const *)argv)[0], argv);
	return errno;
}

static void child_run(int (*act)(const void *arg), const void *arg, const struct lane_identity *as,
		      int go_fd, int error_fd)
{
	sigset_t none;
	char go;
	int failed;
	ssize_t n;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	do
		n = read(go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1) {
		failed = as ? become(as) : 0;
		if (!failed)
			failed = act(arg);
		if (!failed)
			_exit(0);
		n = write(error_fd, &failed, sizeof(failed));
	}
	_exit(127);
}

struct lane_error *capture_child_fork(char *const *argv, const struct lane_identity *as,
				      struct lane_child *child)
{
	return lane_error_context(capture_child_fork_act(child_execute, argv, as, child), "%s",
				  argv[0]);
}

struct lane_error *capture_child_fork_act(int (*act)(const void *arg), const void *arg,
					  const struct lane_identity *as, struct lane_child *child)
{
	int go[2], error[2];

	if (pipe2(go, O_CLOEXEC))
		return lane_error_errno(errno, "pipe");
	if (pipe2(error, O_CLOEXEC)) {
		struct lane_error *err = lane_error_errno(errno, "pipe");

		close(go[0]);
		close(go[1]);
		return err;
	}
	child->pid = fork();
	if (child->pid == 0) {
		close(go[1]);
		close(error[0]);
		child_run(act, arg, as, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	child->go_fd = go[1];
	child->error_fd = error[0];
	if (child->pid < 0) {
		child->pid = 0;
		return lane_error_errno(errno, "fork");
	}
	return NULL;
}

struct lane_error *capture_child_go(struct lane_child *child, const char *name)
{
	int failed = 0;
	ssize_t n;

	/* A child that was killed meanwhile is seen by capture_child_ended. */
	n = write(child->go_fd, "", 1);
	close(child->go_fd);
	child->go_fd = -1;
	do
		n = read(child->error_fd, &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	close(child->error_fd);
	child->error_fd = -1;
	if (n == sizeof(failed))
		return lane_error_errno(failed, "%s: cannot be run", name);
	return NULL;
}

bool capture_child_ended(struct lane_child *child)
{
	if (child->pid && !child->ended &&
	    waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->ended = true;
	return child->ended;
}

void capture_child_deinit(struct lane_child *child)
{
	bool held = child->go_fd >= 0;

	if (child->go_fd >= 0)
		close(child->go_fd);
	if (child->error_fd >= 0)
		close(child->error_fd);
	if (child->pid && !child->ended && (held || child->is_brief))
		waitpid(child->pid, &child->status, 0);
	child->go_fd = -1;
	child->error_fd = -1;
}

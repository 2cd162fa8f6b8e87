// SPDX-License-Identifier: MIT
// The command that is recorded: who it becomes, in which order, and what it finds of itself.
// The calls that need root are made here.
#include "check.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	KNOWN = 1234, /* a user that the system knows, with a group of the same number */
	UNKNOWN = 4321,
};

/* What was asked for, also by the child. */
static struct {
	char text[1024];
	int fails; /* the call of that number; 0: none */
	int n;
} * asked;

static int ask(const char *what, const char *name, unsigned int a, unsigned int b, unsigned int c)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %s %u %u %u\n", what, name, a, b, c);
	strncat(asked->text, line, sizeof(asked->text) - strlen(asked->text) - 1);
	errno = EPERM;
	return ++asked->n == asked->fails ? -1 : 0;
}

static struct passwd *user(uid_t uid)
{
	static struct passwd known = { .pw_name = (char *)"ada",
				       .pw_uid = KNOWN,
				       .pw_gid = 77,
				       .pw_dir = (char *)"/ada",
				       .pw_shell = (char *)"/bin/false" };

	return uid == KNOWN ? &known : NULL;
}

#define getpwuid(uid)	      user(uid)
#define initgroups(name, gid) ask("groups of", name, gid, 0, 0)
#define setgroups(n, groups)  ask("groups", "", (unsigned int)(n), *(groups), 0)
#define setresgid(a, b, c)    ask("gid", "", a, b, c)
#define setresuid(a, b, c)    ask("uid", "", a, b, c)
#define getuid()	      0
#define geteuid()	      0
#include "capture/child.c"

/* Runs a command that says what it finds in its environment. */
static void become_and_say(const struct lane_identity *as, const char *expected)
{
	static const char *const argv[] = { "sh", "-c", "echo $HOME $USER $LOGNAME $SHELL", NULL };
	struct lane_child child = { 0 };
	char text[256] = "";
	int out[2], kept = dup(1);

	memset(asked, 0, sizeof(*asked));
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	setenv("LOGNAME", "root", 1);
	setenv("SHELL", "/bin/sh", 1);
	fflush(stdout);
	assert_int_equal(pipe(out), 0);
	dup2(out[1], 1);
	check(capture_child_fork((char *const *)argv, as, &child));
	dup2(kept, 1);
	close(kept);
	close(out[1]);
	assert_false(capture_child_ended(&child));
	check(capture_child_go(&child, argv[0]));
	assert_true(read(out[0], text, sizeof(text) - 1) > 0);
	close(out[0]);
	while (!capture_child_ended(&child))
		usleep(1000);
	assert_int_equal(child.status, 0);
	capture_child_deinit(&child);
	assert_string_equal(text, expected);
}

/* With all groups that the system knows of him, before the user is given up. */
TEST(a_known_user)
{
	become_and_say(&(struct lane_identity){ .uid = KNOWN, .gid = 99 },
		       "/ada ada ada /bin/false\n");
	assert_string_equal(asked->text,
			    "groups of ada 99 0 0\ngid  99 99 99\nuid  1234 1234 1234\n");
}

/* Root's groups go, whoever it is. */
TEST(an_unknown_user)
{
	become_and_say(&(struct lane_identity){ .uid = UNKNOWN, .gid = 98 }, "/ /bin/sh\n");
	assert_string_equal(asked->text, "groups  1 98 0\ngid  98 98 98\nuid  4321 4321 4321\n");
}

/* Where it is to stay who it is, nothing of that is changed: it keeps its groups. */
TEST(the_same_user)
{
	become_and_say(NULL, "/root root root /bin/sh\n");
	assert_string_equal(asked->text, "");
}

static void fails(const char *name, int call, const char *why)
{
	const char *const argv[] = { name, NULL };
	struct lane_child child = { 0 };

	memset(asked, 0, sizeof(*asked));
	asked->fails = call;
	check(capture_child_fork((char *const *)argv,
				 &(struct lane_identity){ .uid = KNOWN, .gid = 99 }, &child));
	check_error(capture_child_go(&child, name), why);
	capture_child_deinit(&child);
}

/* What does not become him does not run. */
TEST(what_cannot_be)
{
	for (int call = 1; call <= 3; call++)
		fails("true", call, "true: cannot be run: Operation not permitted");
	fails("/nowhere/at/all", 0, "/nowhere/at/all: cannot be run: No such file or directory");
}

/* One that is never let go goes away and has done nothing. */
TEST(never_let_go)
{
	static const char *const argv[] = { "true", NULL };
	struct lane_child child = { 0 };

	memset(asked, 0, sizeof(*asked));
	check(capture_child_fork((char *const *)argv,
				 &(struct lane_identity){ .uid = KNOWN, .gid = 99 }, &child));
	capture_child_deinit(&child);
	assert_string_equal(asked->text, "");
	assert_int_equal(kill(child.pid, 0), -1);
}

static void caller_is(const char *uid, const char *gid, bool there, uid_t who, gid_t group)
{
	struct lane_identity caller = { 0 };
	bool is_there = !there;

	setenv("SUDO_UID", uid, 1);
	if (gid)
		setenv("SUDO_GID", gid, 1);
	else
		unsetenv("SUDO_GID");
	check(capture_sudo_caller(&caller, &is_there));
	assert_int_equal(is_there, there);
	assert_int_equal(caller.uid, who);
	assert_int_equal(caller.gid, group);
}

/* What is no number of a plain user is refused; no group, or one that is none, or root's, is the
 * user's own. */
TEST(who_called_sudo)
{
	static const char *const no_user[] = { "",   "-1",  "+5",	  " 5",		"5x",
					       "00", "ada", "4294967295", "99999999999" };
	static const char *const no_group[] = { NULL, "0", "", "x", "-3" };
	struct lane_identity caller;
	bool is_there;

	caller_is("1234", "55", true, KNOWN, 55);
	caller_is("4321", "7", true, UNKNOWN, 7);
	caller_is("0", "0", false, 0, 0);
	for (size_t i = 0; i < sizeof(no_user) / sizeof(no_user[0]); i++) {
		setenv("SUDO_UID", no_user[i], 1);
		check_error(capture_sudo_caller(&caller, &is_there), "SUDO_UID");
		assert_false(is_there);
	}
	for (size_t i = 0; i < sizeof(no_group) / sizeof(no_group[0]); i++) {
		caller_is("1234", no_group[i], true, KNOWN, 77);
		/* A user whom the system does not know has no group. */
		setenv("SUDO_UID", "4321", 1);
		check_error(capture_sudo_caller(&caller, &is_there), "does not know user 4321");
		assert_false(is_there);
	}
	unsetenv("SUDO_UID");
	check(capture_sudo_caller(&caller, &is_there));
	assert_false(is_there);
}

static int share(void **state)
{
	(void)state;
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	return asked == MAP_FAILED;
}

ALL_IN(share, NULL)

// SPDX-License-Identifier: MIT
// Processes that submit jobs to the rings of gl-sched (tests/kmod/gl-sched), from a list.
//
//   gl-jobs [FILE]       the list, by default standard input; a line a process:
//
//   NAME [ring=R] [prio=low|normal|high] [count=N] [us=US] [depth=N] [period=US] [start=MS] [cpu=C]
//        [after=NAME] [hang=I] [bad=I] [evict=I] [fault=I] [nofence] [kill=MS]
//
// A process submits count jobs of us microseconds each, keeps at most depth of them unfinished,
// and sleeps for what is left of period between two submissions. It begins start milliseconds
// after all processes have their contexts. after: its job I depends on job I of that process.
// hang: its job I never ends. bad: likewise, for it uses memory that is not there. evict: memory
// makes room for its job I. fault: the GPU waits for a page of its job I. nofence: its jobs are
// long-running ones, without a fence. kill: it is killed this long after the beginning. `#` begins
// a comment.
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "device.h"

#define MAX_CLIENTS 32
#define MAX_JOBS    20000
#define NOBODY	    (-1)
#define LONGEST_S   60 /* a list that takes longer hangs */

struct client {
	char name[16];
	unsigned int ring;
	unsigned int priority;
	unsigned int count;
	unsigned int depth;
	unsigned int hang, bad, evict, fault; /* UINT_MAX: none */
	uint64_t us;
	uint64_t period_us;
	uint64_t start_ms;
	uint64_t kill_ms;
	int cpu;
	int after; /* a client's number */
	int is_long_running;
	pid_t pid;
};

/* What the processes tell each other. */
struct shared {
	atomic_uint ready;
	atomic_uint failed;
	atomic_uint submitted[MAX_CLIENTS];
	uint64_t ctx[MAX_CLIENTS];
	uint64_t seqno[MAX_CLIENTS][MAX_JOBS];
};

static struct client clients[MAX_CLIENTS];
static unsigned int n_clients;
static struct shared *shared;

static void die(const char *what)
{
	fprintf(stderr, "gl-jobs: %s: %s\n", what, strerror(errno));
	if (shared)
		atomic_store(&shared->failed, 1);
	exit(1);
}

/* Until all processes have their contexts. */
static void wait_for_all(void)
{
	while (atomic_load(&shared->ready) < n_clients) {
		if (atomic_load(&shared->failed))
			exit(1);
		usleep(200);
	}
}

static void bad(const char *line)
{
	fprintf(stderr, "gl-jobs: %s: not understood\n", line);
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static int client_by_name(const char *name)
{
	for (unsigned int i = 0; i < n_clients; i++)
		if (!strcmp(clients[i].name, name))
			return (int)i;
	bad(name);
	return NOBODY;
}

static unsigned int priority_by_name(const char *name)
{
	static const char *const names[GLS_PRIORITIES] = { "low", "normal", "high" };

	for (unsigned int i = 0; i < GLS_PRIORITIES; i++)
		if (!strcmp(names[i], name))
			return i;
	bad(name);
	return 0;
}

static void parse_word(struct client *client, const char *word)
{
	const char *value = strchr(word, '=');
	size_t key = value ? (size_t)(value - word) : strlen(word);
	unsigned long number = 0;
	char *end = NULL;

#define IS(name) (key == sizeof(name) - 1 && !memcmp(word, name, key))
	if (IS("nofence") && !value) {
		client->is_long_running = 1;
		return;
	}
	if (!value++)
		bad(word);
	if (IS("prio")) {
		client->priority = priority_by_name(value);
		return;
	}
	if (IS("after")) {
		client->after = client_by_name(value);
		return;
	}
	number = strtoul(value, &end, 10);
	if (end == value || *end || number > UINT_MAX)
		bad(word);
	if (IS("ring"))
		client->ring = (unsigned int)number;
	else if (IS("count") && number <= MAX_JOBS)
		client->count = (unsigned int)number;
	else if (IS("depth") && number)
		client->depth = (unsigned int)number;
	else if (IS("hang"))
		client->hang = (unsigned int)number;
	else if (IS("bad"))
		client->bad = (unsigned int)number;
	else if (IS("evict"))
		client->evict = (unsigned int)number;
	else if (IS("fault"))
		client->fault = (unsigned int)number;
	else if (IS("us"))
		client->us = number;
	else if (IS("period"))
		client->period_us = number;
	else if (IS("start"))
		client->start_ms = number;
	else if (IS("kill"))
		client->kill_ms = number;
	else if (IS("cpu"))
		client->cpu = (int)number;
	else
		bad(word);
#undef IS
}

static void parse(FILE *from)
{
	char line[512];

	while (fgets(line, sizeof(line), from)) {
		struct client *client = &clients[n_clients];
		char *word;

		line[strcspn(line, "#\n")] = '\0';
		word = strtok(line, " \t");
		if (!word)
			continue;
		if (n_clients == MAX_CLIENTS || strlen(word) >= sizeof(client->name))
			bad(word);
		*client = (struct client){ .priority = GLS_PRIORITY_NORMAL,
					   .count = 10,
					   .depth = 1,
					   .hang = UINT_MAX,
					   .bad = UINT_MAX,
					   .evict = UINT_MAX,
					   .fault = UINT_MAX,
					   .us = 1000,
					   .cpu = -1,
					   .after = NOBODY };
		strcpy(client->name, word);
		while ((word = strtok(NULL, " \t")))
			parse_word(client, word);
		n_clients++;
	}
}

/* The render node of the driver, whatever driver it stands in for. */
static void wait_for(int fd, uint64_t ctx, uint64_t seqno)
{
	struct gls_wait wait = { .ctx = ctx, .seqno = seqno, .timeout_ns = ~0ull };

	while (ioctl(fd, GLS_IOC_WAIT, &wait)) {
		if (errno == EIO) /* it was given up */
			return;
		if (errno != EINTR)
			die("wait");
	}
}

static void submit(int fd, unsigned int number, unsigned int i)
{
	const struct client *client = &clients[number];
	struct gls_submit args = { .ctx = shared->ctx[number], .duration_ns = client->us * 1000 };

	if (client->is_long_running)
		args.flags |= GLS_LONG_RUNNING;
	if (client->hang == i)
		args.flags |= GLS_HANG;
	if (client->bad == i)
		args.flags |= GLS_HANG | GLS_BAD_MEMORY;
	if (client->evict == i)
		args.flags |= GLS_EVICT;
	if (client->fault == i)
		args.flags |= GLS_FAULT;
	if (client->after != NOBODY && i < clients[client->after].count) {
		while (atomic_load(&shared->submitted[client->after]) <= i)
			usleep(200);
		args.n_deps = 1;
		args.deps[0].ctx = shared->ctx[client->after];
		args.deps[0].seqno = shared->seqno[client->after][i];
	}
	if (ioctl(fd, GLS_IOC_SUBMIT, &args))
		die("submit");
	shared->seqno[number][i] = args.seqno;
	atomic_store(&shared->submitted[number], i + 1);
}

static void run(unsigned int number)
{
	const struct client *client = &clients[number];
	struct gls_context context = { .ring = client->ring, .priority = client->priority };
	uint64_t next;
	int fd;

	prctl(PR_SET_NAME, client->name);
	alarm(LONGEST_S);
	if (client->cpu >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(client->cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			die("cpu");
	}
	fd = device_open("/dev/dri/renderD*", GLS_DRIVER);
	if (fd < 0)
		die("the render node of " GLS_DRIVER);
	if (ioctl(fd, GLS_IOC_CONTEXT, &context))
		die("context");
	shared->ctx[number] = context.ctx;
	atomic_fetch_add(&shared->ready, 1);
	wait_for_all();
	next = now_ns() + client->start_ms * 1000000u;
	sleep_until(next);
	for (unsigned int i = 0; i < client->count; i++) {
		if (i >= client->depth)
			wait_for(fd, context.ctx, shared->seqno[number][i - client->depth]);
		if (client->period_us) {
			sleep_until(next);
			next += client->period_us * 1000;
		}
		submit(fd, number, i);
	}
	for (unsigned int i = client->count > client->depth ? client->count - client->depth : 0;
	     i < client->count; i++)
		wait_for(fd, context.ctx, shared->seqno[number][i]);
	close(fd);
	_exit(0);
}

/* Kills those that are to be killed, in order of time. */
static void kill_some(void)
{
	uint64_t begin;

	wait_for_all();
	begin = now_ns();
	for (uint64_t ms = 1, any = 1; any; ms++) {
		any = 0;
		for (unsigned int i = 0; i < n_clients; i++) {
			if (clients[i].kill_ms == ms) {
				sleep_until(begin + ms * 1000000u);
				kill(clients[i].pid, SIGKILL);
			}
			any |= clients[i].kill_ms > ms;
		}
	}
}

int main(int argc, char **argv)
{
	FILE *from = argc > 1 ? fopen(argv[1], "re") : stdin;
	int failed = 0, status;

	if (!from)
		die(argv[1]);
	parse(from);
	alarm(LONGEST_S + 1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("memory");
	for (unsigned int i = 0; i < n_clients; i++) {
		clients[i].pid = fork();
		if (clients[i].pid < 0)
			die("fork");
		if (!clients[i].pid)
			run(i);
	}
	kill_some();
	while (wait(&status) > 0 || errno == EINTR)
		if (!WIFEXITED(status) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
			failed = 1;
		else if (WIFEXITED(status) && WEXITSTATUS(status))
			failed = 1;
	return failed;
}

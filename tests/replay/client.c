// SPDX-License-Identifier: MIT
// A client of the replay driver: submits requests to one context and waits for them, or hogs a CPU.
//
//   gl-client [--name N] [--engine C:I] [--prio P] [--cpu C] [--count N] [--duration US]
//             [--depth N]
//             [--period US] [--until FILE] [--truth FILE] [--schedstat FILE]
//             [--last FILE] [--after FILE] [--forks N] [--error ERRNO]
//   gl-client --hog MS [--rest MS] [--name N] [--cpu C]
//
// It submits --count requests of --duration microseconds each, keeps at most --depth in flight (1:
// it waits for each one), and sleeps for what is left of --period between two submissions. With
// --until, --count is how many follow once FILE is there. --truth writes what the driver itself
// knows of each request, --schedstat what the scheduler itself counts: the nanoseconds that it
// could have run and did not, from the first submission to the last wait's end. --last keeps the
// name of the last request submitted in FILE, for other clients; with --after each request depends
// on the request that FILE names then. --forks: N children do all that, one after the other, each
// with a random name. --error: the driver ends the last request with that, after its time. A hog
// with --rest sleeps that long and begins anew, until it is killed.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/replay/uapi.h"

struct options {
	const char *name;
	const char *truth;
	const char *schedstat;
	const char *until;
	const char *last;
	const char *after;
	unsigned int class;
	unsigned int instance;
	int prio;
	int cpu;
	unsigned int count;
	unsigned int depth;
	unsigned int forks;
	int error;
	uint64_t duration_us;
	uint64_t period_us;
	uint64_t hog_ms, rest_ms;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "gl-client: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int number(const char *text, const char *option)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < -1023 || value > 100000000) {
		fprintf(stderr, "gl-client: --%s: %s: not a number in range\n", option, text);
		exit(2);
	}
	return (int)value;
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "name", 1, 0, 'n' },	{ "engine", 1, 0, 'e' },    { "prio", 1, 0, 'p' },
		{ "cpu", 1, 0, 'c' },	{ "count", 1, 0, 'N' },	    { "duration", 1, 0, 'd' },
		{ "depth", 1, 0, 'D' }, { "period", 1, 0, 'P' },    { "truth", 1, 0, 't' },
		{ "hog", 1, 0, 'h' },	{ "schedstat", 1, 0, 's' }, { "until", 1, 0, 'u' },
		{ "last", 1, 0, 'l' },	{ "after", 1, 0, 'a' },	    { "forks", 1, 0, 'f' },
		{ "rest", 1, 0, 'r' },	{ "error", 1, 0, 'E' },	    { 0, 0, 0, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'n':
			o->name = optarg;
			break;
		case 'e':
			if (sscanf(optarg, "%u:%u", &o->class, &o->instance) != 2)
				exit(2);
			break;
		case 'p':
			o->prio = number(optarg, "prio");
			break;
		case 'c':
			o->cpu = number(optarg, "cpu");
			break;
		case 'N':
			o->count = (unsigned int)number(optarg, "count");
			break;
		case 'd':
			o->duration_us = (uint64_t)number(optarg, "duration");
			break;
		case 'D':
			o->depth = (unsigned int)number(optarg, "depth");
			break;
		case 'P':
			o->period_us = (uint64_t)number(optarg, "period");
			break;
		case 't':
			o->truth = optarg;
			break;
		case 'u':
			o->until = optarg;
			break;
		case 'l':
			o->last = optarg;
			break;
		case 'a':
			o->after = optarg;
			break;
		case 'f':
			o->forks = (unsigned int)number(optarg, "forks");
			break;
		case 's':
			o->schedstat = optarg;
			break;
		case 'h':
			o->hog_ms = (uint64_t)number(optarg, "hog");
			break;
		case 'E':
			o->error = number(optarg, "error");
			break;
		case 'r':
			o->rest_ms = (uint64_t)number(optarg, "rest");
			break;
		default:
			exit(2);
		}
	}
}

static void hog(uint64_t ms)
{
	uint64_t until = now_ns() + ms * 1000000u;

	while (now_ns() < until)
		;
}

/* A worker retires what is complete, and then it is told of: all so many requests, or what there is
 * after a minute. */
static void write_truth(int fd, const char *path, unsigned int submitted)
{
	struct glr_truth truth[256];
	FILE *to = fopen(path, "we");
	unsigned int told = 0;
	ssize_t n = 0;

	if (!to)
		die(path);
	for (int tries = 0; told < submitted && tries < 60000 && n >= 0; tries++) {
		if (tries)
			usleep(1000);
		n = read(fd, truth, sizeof(truth));
		for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(truth[0]); i++, told++)
			fprintf(to, "%llu %llu %u:%u %u %llu %llu %llu %llu %llu %llu %llu\n",
				truth[i].ctx, truth[i].seqno, truth[i].class, truth[i].instance,
				truth[i].n_runs, truth[i].queue_ns, truth[i].submit_ns,
				truth[i].first_start_ns, truth[i].end_ns, truth[i].running_ns,
				truth[i].preempted_ns, truth[i].preempted_by);
	}
	if (n < 0 || fclose(to))
		die(path);
}

static void wait_for(int fd, uint64_t ctx, uint64_t seqno)
{
	struct glr_wait wait = { .ctx = ctx, .seqno = seqno, .timeout_ns = ~0ull };

	if (ioctl(fd, GLR_IOC_WAIT, &wait))
		die("wait");
}

/* The scheduler's own count of the time this thread was on a run queue and did not run, ns. */
static uint64_t run_delay_ns(void)
{
	unsigned long long ran, waited;
	FILE *from = fopen("/proc/self/schedstat", "re");

	if (!from || fscanf(from, "%llu %llu", &ran, &waited) != 2)
		die("/proc/self/schedstat");
	fclose(from);
	return waited;
}

static void write_schedstat(const char *path, uint64_t waited_ns)
{
	FILE *to = fopen(path, "we");

	if (!to || fprintf(to, "%llu\n", (unsigned long long)waited_ns) < 0 || fclose(to))
		die(path);
}

/* Opens a file of --last or --after; -1 when there is none. */
static int open_fence(const char *path)
{
	int fd;

	if (!path)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		die(path);
	return fd;
}

static void depend(int fd, struct glr_submit *submit)
{
	if (pread(fd, submit->deps, sizeof(submit->deps[0]), 0) == sizeof(submit->deps[0]))
		submit->n_deps = 1;
}

static void publish(int fd, const struct glr_submit *submit)
{
	struct glr_fence fence = { .ctx = submit->ctx, .seqno = submit->seqno };

	if (pwrite(fd, &fence, sizeof(fence), 0) != sizeof(fence))
		die("--last");
}

/* How many it has submitted. */
static unsigned int submit_all(int fd, const struct options *o)
{
	struct glr_context context = { .class = (uint16_t)o->class,
				       .instance = (uint16_t)o->instance,
				       .prio = o->prio };
	uint64_t next = now_ns();
	uint64_t *seqnos = calloc(o->depth, sizeof(*seqnos));
	uint64_t waited_ns = 0;
	int last = open_fence(o->last), after = open_fence(o->after);
	unsigned int left = o->count;
	unsigned int i;

	if (!seqnos || ioctl(fd, GLR_IOC_CONTEXT, &context))
		die("context");
	for (i = 0; left; i++) {
		struct glr_submit submit = { .ctx = context.ctx,
					     .duration_ns = o->duration_us * 1000 };

		if (i >= o->depth)
			wait_for(fd, context.ctx, seqnos[i % o->depth]);
		if (o->period_us) {
			struct timespec at = { .tv_sec = (time_t)(next / 1000000000u),
					       .tv_nsec = (long)(next % 1000000000u) };

			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
			next += o->period_us * 1000;
		}
		if (after >= 0)
			depend(after, &submit);
		if (left == 1)
			submit.error = -o->error;
		if (ioctl(fd, GLR_IOC_SUBMIT, &submit))
			die("submit");
		if (last >= 0)
			publish(last, &submit);
		seqnos[i % o->depth] = submit.seqno;
		if (!o->until || !access(o->until, F_OK))
			left--;
		/* From here on it counts: whoever is to compete begins when the file is there. */
		if (o->schedstat && !i) {
			waited_ns = run_delay_ns();
			write_schedstat(o->schedstat, 0);
		}
	}
	if (i)
		wait_for(fd, context.ctx, seqnos[(i - 1) % o->depth]);
	if (o->schedstat)
		write_schedstat(o->schedstat, run_delay_ns() - waited_ns);
	if (last >= 0)
		close(last);
	if (after >= 0)
		close(after);
	free(seqnos);
	return i;
}

/* In a child of its own, which has a random name. */
static void fork_one(const struct options *o)
{
	unsigned int random;
	char name[16];
	pid_t child = fork();
	int fd, status;

	if (child < 0)
		die("fork");
	if (child) {
		if (waitpid(child, &status, 0) != child || status)
			exit(1);
		return;
	}
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		die("random");
	snprintf(name, sizeof(name), "w%08x", random);
	prctl(PR_SET_NAME, name);
	fd = open(GLR_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(GLR_DEVICE);
	submit_all(fd, o);
	close(fd);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct options o = {
		.name = "gl-client",
		.cpu = -1,
		.count = 10,
		.depth = 1,
		.duration_us = 1000,
	};
	unsigned int submitted;
	int fd;

	parse(argc, argv, &o);
	if (!o.depth)
		o.depth = 1;
	prctl(PR_SET_NAME, o.name);
	if (o.cpu >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(o.cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			die("cpu");
	}
	if (o.hog_ms) {
		do {
			hog(o.hog_ms);
			usleep((useconds_t)(o.rest_ms * 1000));
		} while (o.rest_ms);
		return 0;
	}
	for (unsigned int i = 0; i < o.forks; i++)
		fork_one(&o);
	if (o.forks)
		return 0;
	fd = open(GLR_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(GLR_DEVICE);
	submitted = submit_all(fd, &o);
	if (o.truth)
		write_truth(fd, o.truth, submitted);
	close(fd);
	return 0;
}

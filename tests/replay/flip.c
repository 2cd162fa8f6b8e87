// SPDX-License-Identifier: MIT
// Frames on the display of gl-display (tests/kmod/gl-display) that wait for jobs of gl-sched.
//
//   gl-flip [--frames N] [--ring R] [--cpu C] [--truth FILE] [--again] [FRAME:WHY...]
//
// Each of the N frames (200) is a job of 2 ms on the ring R (0), submitted 1 ms after the refresh
// that showed the frame before, and a flip that waits for its fence. FRAME:WHY makes a frame late:
//
//   job         its job takes longer than a refresh lasts
//   behind      a job of another process stands before it on the ring
//   dependency  its job waits for a job of another process on the ring R + 1
//   ask         the flip is asked for 300 us before the refresh, with a job of 1 ms
//   update      the driver takes 20 ms to give the update to the hardware
//   starved     a task of real-time priority has the program's CPU (C, by default 1) before it asks
//
// --again: the first flip is asked for once more before it is shown, which the kernel refuses.
// --truth writes a line a frame, below a line with the columns' names: the frame, when the flip was
// asked for, its job, the number and the time of the refresh that showed it, why it was late. Times
// are nanoseconds of CLOCK_MONOTONIC; those of refreshes are the kernel's in microseconds.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "kms.h"

#define UPDATE_US "/sys/module/gl_display/parameters/update_us"

#define MOST_FRAMES 100000
#define LONGEST_S   120 /* what takes longer hangs */

#define JOB_NS	    2000000u
#define REST_NS	    1000000u  /* between a refresh and the next frame's job */
#define LATE_NS	    25000000u /* longer than a refresh lasts */
#define SHORT_NS    1000000u
#define SHORT_OF_NS 300000u /* before the refresh */

enum late {
	LATE_NONE,
	LATE_JOB,
	LATE_BEHIND,
	LATE_DEPENDENCY,
	LATE_ASK,
	LATE_UPDATE,
	LATE_STARVED,
	LATES
};

static const char *const lates[LATES] = { "none", "job",    "behind", "dependency",
					  "ask",  "update", "starved" };

struct options {
	unsigned int frames;
	unsigned int ring;
	int cpu;
	int is_again;
	const char *truth;
};

/* A process that does one thing each time that it is told to. */
struct helper {
	int to, from;
};

struct frame {
	uint64_t asked_ns;
	struct gls_fence job;
	struct kms_shown shown;
	enum late late;
};

static unsigned char is_late[MOST_FRAMES]; /* enum late */

static void die(const char *what)
{
	fprintf(stderr, "gl-flip: %s: %s\n", what, strerror(errno));
	exit(1);
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

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static void take_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cpu");
}

/* The render node of gl-sched: no other driver knows its first ioctl with these arguments. */
static int open_rings(struct gls_context *context)
{
	glob_t nodes;
	int fd = -1;

	if (glob("/dev/dri/renderD*", 0, NULL, &nodes)) {
		errno = ENODEV;
		die("the render node of " GLS_DRIVER);
	}
	for (size_t i = 0; i < nodes.gl_pathc && fd < 0; i++) {
		fd = open(nodes.gl_pathv[i], O_RDWR | O_CLOEXEC);
		if (fd < 0 || !ioctl(fd, GLS_IOC_CONTEXT, context))
			continue;
		close(fd);
		fd = -1;
	}
	globfree(&nodes);
	if (fd < 0)
		die("a context of " GLS_DRIVER);
	return fd;
}

static struct gls_fence submit(int fd, uint64_t ctx, uint64_t ns, const struct gls_fence *after)
{
	struct gls_submit args = { .ctx = ctx, .duration_ns = ns };

	if (after && after->ctx) {
		args.n_deps = 1;
		args.deps[0] = *after;
	}
	if (ioctl(fd, GLS_IOC_SUBMIT, &args))
		die("submit");
	return (struct gls_fence){ .ctx = ctx, .seqno = args.seqno };
}

static int fence_of(int fd, const struct gls_fence *job)
{
	struct gls_export args = { .ctx = job->ctx, .seqno = job->seqno };

	if (ioctl(fd, GLS_IOC_EXPORT, &args))
		die("export");
	return args.fd;
}

/* Until nobody tells it anything any more. */
static void serve_jobs(int to, int from, unsigned int ring)
{
	struct gls_context context = { .ring = ring, .priority = GLS_PRIORITY_NORMAL };
	int fd = open_rings(&context);
	char told;

	while (read(from, &told, 1) == 1) {
		struct gls_fence job = submit(fd, context.ctx, LATE_NS, NULL);

		if (write(to, &job, sizeof(job)) != sizeof(job))
			break;
	}
}

static void serve_hog(int from, int cpu)
{
	const struct sched_param param = { .sched_priority = 50 };
	char told;

	take_cpu(cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("real-time priority");
	while (read(from, &told, 1) == 1) {
		uint64_t until = now_ns() + LATE_NS;

		while (now_ns() < until)
			;
	}
}

/* One with a ring submits a job of LATE_NS there and answers with its name, others hog the CPU. */
static struct helper help(const char *name, int ring, int cpu)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die("pipe");
	switch (fork()) {
	case -1:
		die("fork");
		break;
	case 0:
		prctl(PR_SET_NAME, name);
		prctl(PR_SET_PDEATHSIG, 9);
		alarm(LONGEST_S);
		close(to[1]);
		close(from[0]);
		if (ring >= 0)
			serve_jobs(from[1], to[0], (unsigned int)ring);
		else
			serve_hog(to[0], cpu);
		_exit(0);
	default:
		break;
	}
	close(to[0]);
	close(from[1]);
	return (struct helper){ .to = to[1], .from = from[0] };
}

static void tell(const struct helper *helper)
{
	if (write(helper->to, "", 1) != 1)
		die("a helper");
}

static struct gls_fence job_of(const struct helper *helper)
{
	struct gls_fence job;

	tell(helper);
	if (read(helper->from, &job, sizeof(job)) != sizeof(job))
		die("a helper");
	return job;
}

static void set_update_us(unsigned int us)
{
	FILE *to = fopen(UPDATE_US, "we");

	if (!to || fprintf(to, "%u\n", us) < 0 || fclose(to))
		die(UPDATE_US);
}

static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || value > most) {
		fprintf(stderr, "gl-flip: %s: not a number in range\n", text);
		exit(2);
	}
	return (unsigned int)value;
}

static void parse_late(char *word)
{
	char *why = strchr(word, ':');

	for (unsigned int i = 0; why && i < LATES; i++) {
		if (strcmp(why + 1, lates[i]))
			continue;
		*why = '\0';
		is_late[number(word, MOST_FRAMES - 1)] = (unsigned char)i;
		return;
	}
	fprintf(stderr, "gl-flip: %s: not understood\n", word);
	exit(2);
}

static struct options parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "frames", 1, 0, 'f' }, { "ring", 1, 0, 'r' },	 { "cpu", 1, 0, 'c' },
		{ "truth", 1, 0, 't' },	 { "again", 0, 0, 'a' }, { 0, 0, 0, 0 },
	};
	struct options o = { .frames = 200, .cpu = 1 };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			o.frames = number(optarg, MOST_FRAMES);
			break;
		case 'r':
			o.ring = number(optarg, GLS_MAX_RINGS - 2);
			break;
		case 'c':
			o.cpu = (int)number(optarg, CPU_SETSIZE - 1);
			break;
		case 'a':
			o.is_again = 1;
			break;
		case 't':
			o.truth = optarg;
			break;
		default:
			exit(2);
		}
	}
	for (int i = optind; i < argc; i++)
		parse_late(argv[i]);
	return o;
}

static struct {
	struct kms kms;
	struct helper behind, other, hog;
	int rings;
	uint64_t ctx;
} all;

/* Submits the frame's job and asks for its flip; `before` is the last refresh. */
static void ask(struct frame *frame, unsigned int number, uint64_t before)
{
	uint64_t ns = JOB_NS, at = before + REST_NS;
	struct gls_fence after = { 0 };
	int fence;

	if (frame->late == LATE_ASK) {
		at = before + all.kms.period_ns - SHORT_OF_NS;
		ns = SHORT_NS;
	}
	sleep_until(at);
	if (frame->late == LATE_JOB)
		ns = LATE_NS;
	else if (frame->late == LATE_BEHIND)
		job_of(&all.behind);
	else if (frame->late == LATE_DEPENDENCY)
		after = job_of(&all.other);
	else if (frame->late == LATE_STARVED)
		tell(&all.hog);
	frame->job = submit(all.rings, all.ctx, ns, &after);
	fence = fence_of(all.rings, &frame->job);
	frame->asked_ns = now_ns();
	if (!kms_flip(&all.kms, &all.kms.pictures[(number + 1) % 2], fence))
		die("a flip");
	close(fence);
}

static void ask_again(void)
{
	if (kms_flip(&all.kms, &all.kms.pictures[0], -1)) {
		fprintf(stderr, "gl-flip: a second flip was not refused\n");
		exit(1);
	}
}

static void run(const struct options *o, FILE *truth)
{
	uint64_t before = kms_refresh(&all.kms).ns;

	fprintf(truth, "frame asked job sequence shown late\n");
	for (unsigned int i = 0; i < o->frames; i++) {
		struct frame frame = { .late = is_late[i] };

		if (frame.late == LATE_UPDATE)
			set_update_us(20000);
		ask(&frame, i, before);
		if (o->is_again && !i)
			ask_again();
		frame.shown = kms_shown(&all.kms);
		if (frame.late == LATE_UPDATE)
			set_update_us(0);
		before = frame.shown.ns;
		fprintf(truth, "%u %llu %llu:%llu %u %llu %s\n", i,
			(unsigned long long)frame.asked_ns, (unsigned long long)frame.job.ctx,
			(unsigned long long)frame.job.seqno, frame.shown.sequence,
			(unsigned long long)frame.shown.ns, lates[frame.late]);
	}
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct gls_context context = { .ring = o.ring, .priority = GLS_PRIORITY_NORMAL };
	FILE *truth = o.truth ? fopen(o.truth, "we") : stdout;

	if (!truth)
		die(o.truth);
	alarm(LONGEST_S);
	all.behind = help("gl-behind", (int)o.ring, o.cpu);
	all.other = help("gl-other", (int)o.ring + 1, o.cpu);
	all.hog = help("gl-hog", -1, o.cpu);
	take_cpu(o.cpu);
	all.rings = open_rings(&context);
	all.ctx = context.ctx;
	kms_open(&all.kms, "gl-display");
	run(&o, truth);
	if (fflush(truth) || ferror(truth))
		die("truth");
	return 0;
}

// SPDX-License-Identifier: MIT
// Frames on the display of gl-display (tests/kmod/gl-display) that wait for jobs of gl-sched.
//
//   gl-flip [--frames N] [--ring R] [--cpu C] [--client-cpu C] [--truth FILE] [--again]
//           [--drivers] [FRAME:WHY...]
//
// Each of the N frames (200) is a job of 2 ms that a client process submits to the ring R (0) 1 ms
// after the refresh that showed the frame before, and a flip that waits for its fence, which the
// client hands over as a file. FRAME:WHY makes a frame late:
//
//   job         its job takes longer than a refresh lasts
//   behind      a job of another process stands before it on the ring
//   dependency  its job waits for a job of another process on the ring R + 1
//   preempted   it waits for a request of the replay driver, off the engine for one of higher
//   priority device      it waits for a fence of vgem, which another process signals a refresh
//   later client      a task of real-time priority has the client's CPU (0) until 1 ms before the
//   refresh starved     likewise, the program's own CPU (C, by default 1) blocked     the program
//   waits until then for an answer of another process ask         the program sleeps until then
//   update      the driver takes 20 ms to give the update to the hardware
//   idle        for three refreshes nothing is asked for; so the frame is not late
//
// Too late is a frame that begins so that its flip is asked for before the refresh, by half of what
// its job takes; both by the mean of the frames before, since a machine that is emulated is slow.
//
// --drivers: vgem and the replay driver are there, for `preempted` and `device`.
// --again: the first flip is asked for once more before it is shown, which the kernel refuses.
// --truth writes a line a frame, below a line with the columns' names: the frame, when the flip was
// asked for, its job, the number and the time of the refresh that showed it, why it was late, when
// its fence was signalled, when the asking had returned. Times are nanoseconds of CLOCK_MONOTONIC;
// those of refreshes are the kernel's in microseconds.
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kmod/gl-sched/uapi.h"
#include "flip_helper.h"
#include "kms.h"

#define UPDATE_US "/sys/module/gl_display/parameters/update_us"

#define MOST_FRAMES 100000
#define LONGEST_S   1200 /* what takes longer hangs */

#define JOB_NS	   2000000u
#define REST_NS	   1000000u  /* between a refresh and the next frame's job */
#define LATE_NS	   25000000u /* longer than a refresh lasts */
#define REQUEST_NS 8000000u  /* so long that another can take the engine from it */
#define IDLE	   3	     /* refreshes */

enum late {
	LATE_NONE,
	LATE_JOB,
	LATE_BEHIND,
	LATE_DEPENDENCY,
	LATE_PREEMPTED,
	LATE_DEVICE,
	LATE_CLIENT,
	LATE_STARVED,
	LATE_BLOCKED,
	LATE_ASK,
	LATE_UPDATE,
	LATE_IDLE,
	LATES
};

static const char *const lates[LATES] = {
	[LATE_NONE] = "none",		[LATE_JOB] = "job",
	[LATE_BEHIND] = "behind",	[LATE_DEPENDENCY] = "dependency",
	[LATE_PREEMPTED] = "preempted", [LATE_DEVICE] = "device",
	[LATE_CLIENT] = "client",	[LATE_STARVED] = "starved",
	[LATE_BLOCKED] = "blocked",	[LATE_ASK] = "ask",
	[LATE_UPDATE] = "update",	[LATE_IDLE] = "idle",
};

struct options {
	unsigned int frames;
	unsigned int ring;
	int cpu, client_cpu;
	int is_again, has_drivers;
	const char *truth;
};

struct frame {
	uint64_t begun_ns, asked_ns, returned_ns, ready_ns;
	struct fence_name job;
	int fence;
	struct kms_shown shown;
	enum late late;
};

static unsigned char is_late[MOST_FRAMES]; /* enum late */

static void die(const char *what)
{
	fprintf(stderr, "gl-flip: %s: %s\n", what, strerror(errno));
	exit(1);
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
		{ "frames", 1, 0, 'f' },  { "ring", 1, 0, 'r' },  { "cpu", 1, 0, 'c' },
		{ "truth", 1, 0, 't' },	  { "again", 0, 0, 'a' }, { "client-cpu", 1, 0, 'l' },
		{ "drivers", 0, 0, 'd' }, { 0, 0, 0, 0 },
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
		case 'l':
			o.client_cpu = (int)number(optarg, CPU_SETSIZE - 1);
			break;
		case 'a':
			o.is_again = 1;
			break;
		case 'd':
			o.has_drivers = 1;
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
	struct helper client;	       /* whose jobs the frames wait for */
	struct helper behind, other;   /* whose jobs these wait for */
	struct helper hog, client_hog; /* have the CPUs of this process and the client's */
	struct helper waits;	       /* lets this process wait */
	struct helper request,
		preempt;      /* requests of the replay driver, and what takes the engine */
	struct helper device; /* vgem */
	/* Of frames that are not late: from the beginning to the asking, and on until all is ready.
	 */
	uint64_t asking_ns, job_ns, usual_n;
} all;

/* Another process's job, whose fence nobody here wants. */
static struct fence_name job_of(const struct helper *helper)
{
	const struct helper_order order = { .duration_ns = LATE_NS };
	struct helper_answer got;

	helper_tell(helper, &order);
	got = helper_answered(helper);
	close(got.file);
	return got.job;
}

/* Has the frame begin as late as it is to, or lets another be first; `at_ns` is late. */
static void be_late(const struct frame *frame, struct helper_order *order, uint64_t at_ns)
{
	const struct helper_order until = { .until_ns = at_ns };

	switch (frame->late) {
	case LATE_JOB:
	case LATE_DEVICE:
		order->duration_ns = LATE_NS;
		break;
	case LATE_BEHIND:
		job_of(&all.behind);
		break;
	case LATE_DEPENDENCY:
		order->after = job_of(&all.other);
		break;
	case LATE_PREEMPTED:
		order->duration_ns = REQUEST_NS;
		break;
	case LATE_CLIENT:
		helper_tell(&all.client_hog, &until);
		break;
	case LATE_STARVED:
		helper_tell(&all.hog, &until);
		break;
	case LATE_BLOCKED:
		helper_tell(&all.waits, &until);
		helper_answered(&all.waits);
		break;
	case LATE_ASK:
		helper_sleep_until(at_ns);
		break;
	default:
		break;
	}
}

/* Has the frame's job submitted and asks for its flip; `before` is the last refresh. */
static void ask(struct frame *frame, unsigned int number, uint64_t before)
{
	struct helper_order order = { .duration_ns = JOB_NS };
	const struct helper *from = frame->late == LATE_PREEMPTED ? &all.request
				    : frame->late == LATE_DEVICE  ? &all.device
								  : &all.client;
	struct helper_answer got;
	uint64_t short_of_ns = REST_NS;

	if (frame->late == LATE_IDLE)
		before += IDLE * all.kms.period_ns;
	if (all.usual_n)
		short_of_ns = (all.asking_ns + all.job_ns / 2) / all.usual_n;
	helper_sleep_until(before + REST_NS);
	frame->begun_ns = helper_now_ns();
	be_late(frame, &order, before + all.kms.period_ns - short_of_ns);
	helper_tell(from, &order);
	got = helper_answered(from);
	frame->job = got.job;
	frame->fence = got.file;
	frame->asked_ns = helper_now_ns();
	if (!kms_flip(&all.kms, &all.kms.pictures[(number + 1) % 2], frame->fence))
		die("a flip");
	frame->returned_ns = helper_now_ns();
	if (frame->late == LATE_PREEMPTED)
		job_of(&all.preempt);
}

static void ask_again(void)
{
	if (kms_flip(&all.kms, &all.kms.pictures[0], -1)) {
		fprintf(stderr, "gl-flip: a second flip was not refused\n");
		exit(1);
	}
}

static void learn_usual(const struct frame *frame)
{
	if (frame->late != LATE_NONE || frame->ready_ns < frame->asked_ns)
		return;
	all.asking_ns += frame->asked_ns - frame->begun_ns;
	all.job_ns += frame->ready_ns - frame->asked_ns;
	all.usual_n++;
}

static void run(const struct options *o, FILE *truth)
{
	uint64_t before = kms_refresh(&all.kms).ns;

	fprintf(truth, "frame asked job sequence shown late ready returned\n");
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
		frame.ready_ns = fence_signalled_ns(frame.fence);
		close(frame.fence);
		learn_usual(&frame);
		fprintf(truth, "%u %llu %llu:%llu %u %llu %s %llu %llu\n", i,
			(unsigned long long)frame.asked_ns, (unsigned long long)frame.job.ctx,
			(unsigned long long)frame.job.seqno, frame.shown.sequence,
			(unsigned long long)frame.shown.ns, lates[frame.late],
			(unsigned long long)frame.ready_ns, (unsigned long long)frame.returned_ns);
	}
}

static void start_helpers(const struct options *o)
{
	const struct {
		struct helper *helper;
		struct helper_set set;
		bool is_of_drivers;
	} helpers[] = {
		{ &all.client, { "gl-client", HELPER_JOBS, o->client_cpu, o->ring, 0 }, false },
		{ &all.behind, { "gl-behind", HELPER_JOBS, -1, o->ring, 0 }, false },
		{ &all.other, { "gl-other", HELPER_JOBS, -1, o->ring + 1, 0 }, false },
		{ &all.hog, { "gl-hog", HELPER_HOG, o->cpu, 0, 0 }, false },
		{ &all.client_hog, { "gl-client-hog", HELPER_HOG, o->client_cpu, 0, 0 }, false },
		{ &all.waits, { "gl-wait", HELPER_WAIT, -1, 0, 0 }, false },
		{ &all.request, { "gl-request", HELPER_REQUESTS, -1, 0, 0 }, true },
		{ &all.preempt, { "gl-preempt", HELPER_REQUESTS, -1, 0, 100 }, true },
		{ &all.device, { "gl-device", HELPER_DEVICE, -1, 0, 0 }, true },
	};

	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (o->has_drivers || !helpers[i].is_of_drivers)
			*helpers[i].helper = helper_start(&helpers[i].set);
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	FILE *truth = o.truth ? fopen(o.truth, "we") : stdout;

	if (!truth)
		die(o.truth);
	alarm(LONGEST_S);
	start_helpers(&o);
	helper_take_cpu(o.cpu);
	kms_open(&all.kms, "gl-display");
	run(&o, truth);
	if (fflush(truth) || ferror(truth))
		die("truth");
	return 0;
}

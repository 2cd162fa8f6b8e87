/* SPDX-License-Identifier: MIT */
/* gpulane-oracle-sched: simulates the DRM scheduler and writes the events and the truth.
 * docs/oracle-sched.md */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "sched.h"

static const char usage[] =
	"usage: gpulane-oracle-sched --mode MODE --seed N [-g old|new] [--kernel 6.1|6.12|6.17]\n"
	"                            [--jobs N] [--instant] [--fair] [--switches [--hog]]\n"
	"                            [--style perf|trace-cmd|trace-cmd-old|ftrace]\n"
	"                            [--no-fences] [--drop PERCENT] [--without EVENT]...\n"
	"                            [--events FILE] [--truth FILE] [--stats]\n"
	"MODE: serial depth firmware reset long-running mixed\n";

static const char *const mode_names[N_MODES] = { "serial", "depth",	   "firmware",
						 "reset",  "long-running", "mixed" };

struct options {
	uint64_t seed;
	const char *kernel, *events, *truth;
	struct writing writing;
	int wants_statistics, wants_switches, wants_hog, wants_fair;
};

static _Noreturn void wrong_usage(const char *what)
{
	fprintf(stderr, "gpulane-oracle-sched: %s\n%s", what, usage);
	exit(2);
}

static int index_of(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return i;
	wrong_usage("no such value");
}

static void parse(int argc, char **argv, struct options *o)
{
	const struct option longs[] = { { "mode", 1, NULL, 'm' },
					{ "seed", 1, NULL, 's' },
					{ "kernel", 1, NULL, 'g' },
					{ "jobs", 1, NULL, 'j' },
					{ "instant", 0, NULL, 'i' },
					{ "style", 1, NULL, 'y' },
					{ "drop", 1, NULL, 'd' },
					{ "without", 1, NULL, 'w' },
					{ "no-fences", 0, NULL, 'f' },
					{ "events", 1, NULL, 'e' },
					{ "truth", 1, NULL, 't' },
					{ "stats", 0, &o->wants_statistics, 1 },
					{ "switches", 0, &o->wants_switches, 1 },
					{ "hog", 0, &o->wants_hog, 1 },
					{ "fair", 0, &o->wants_fair, 1 },
					{ "help", 0, NULL, 'h' },
					{ NULL, 0, NULL, 0 } };
	static const char *const styles[] = { "perf", "trace-cmd", "ftrace", "trace-cmd-old" };
	struct writing *writing = &o->writing;
	int c;

	while ((c = getopt_long(argc, argv, "g:", longs, NULL)) != -1) {
		switch (c) {
		case 'm':
			world.mode = (enum mode)index_of(optarg, mode_names, N_MODES);
			break;
		case 's':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 'g':
			o->kernel = optarg;
			break;
		case 'j':
			world.jobs_wanted = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'i':
			machine.is_instant = true;
			break;
		case 'y':
			writing->style = (enum style)index_of(optarg, styles, 4);
			break;
		case 'd':
			writing->drop = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'w':
			if (writing->n_without == 8)
				wrong_usage("too many kinds");
			writing->without[writing->n_without++] = optarg;
			break;
		case 'f':
			writing->fences = false;
			break;
		case 'e':
			o->events = optarg;
			break;
		case 't':
			o->truth = optarg;
			break;
		case 0: /* getopt_long() has set it */
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			wrong_usage("wrong option");
		}
	}
}

/* Old are two, in turn. xe is in Linux since 6.8. */
static enum kernel kernel_of(const struct options *o)
{
	static const char *const kernels[] = { "6.1", "6.12", "6.17", "new", "old" };
	int kernel = index_of(o->kernel, kernels, 5);

	if (kernel == 4)
		kernel = o->seed & 1 ? LINUX_6_12 : LINUX_6_1;
	if (kernel == 3)
		kernel = LINUX_6_17;
	if (kernel == LINUX_6_1 && (world.mode == MODE_FIRMWARE || world.mode == MODE_LONG_RUNNING))
		kernel = LINUX_6_12;
	return (enum kernel)kernel;
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .kernel = "new", .writing = { .fences = true } };
	unsigned faults;
	FILE *file;

	world.jobs_wanted = 200;
	parse(argc, argv, &o);
	world.kernel = kernel_of(&o);
	if (o.wants_hog && !o.wants_switches)
		wrong_usage("--hog needs --switches");
	if (o.wants_switches)
		watch_threads();
	world.has_hog = o.wants_hog;
	if (o.wants_fair && world.kernel < LINUX_6_17)
		wrong_usage("--fair needs the kernel 6.17");
	world.is_fair = o.wants_fair;
	load_start(o.seed);
	machine_run();
	if (world.jobs_left)
		fprintf(stderr, "gpulane-oracle-sched: %u jobs are left\n", world.jobs_left);
	faults = self_check();
	if (o.truth) {
		file = file_create(o.truth);
		write_truth(file);
		file_finish(file, o.truth);
	}
	if (o.wants_statistics)
		write_statistics(stdout);
	if (o.events) {
		file = file_create(o.events);
		write_events(file, &o.writing);
		file_finish(file, o.events);
	}
	faults += world.jobs_left;
	trace_free();
	release_all();
	return faults ? 1 : 0;
}

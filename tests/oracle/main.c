/* SPDX-License-Identifier: MIT */
/* gpulane-oracle: simulates i915's submission and writes the events and the truth. docs/oracle.md
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "output.h"

struct options {
	uint64_t seed;
	unsigned n_requests;
	struct damage damage;
	const char *events, *truth;
	bool wants_statistics;
};

static const char usage[] =
	"usage: gpulane-oracle --mode MODE --seed N [--damage KIND] [--instant] [--arrays]\n"
	"                      [--hangs] [--slices] [--requests N] [--events FILE] [--truth FILE] "
	"[--stats]\n"
	"MODE: execlists tracepoints nolisten legacy stock guc ring full\n"
	"KIND: none drop1 drop10 bursts cut oldest newest follow, the name of an event that is "
	"absent,\n"
	"      or several with + between them\n"
	"--arrays: programs also listen to several requests in one go\n"
	"--hangs: requests hang and engines are reset; not with legacy, guc and ring\n"
	"--slices: short time slices, whose ports are often the same again\n";

static _Noreturn void wrong_usage(const char *what)
{
	fprintf(stderr, "gpulane-oracle: %s\n%s", what, usage);
	exit(2);
}

static enum mode mode_of(const char *name)
{
	for (int mode = 0; mode < N_MODES; mode++)
		if (!strcmp(name, mode_names[mode]))
			return (enum mode)mode;
	wrong_usage("no such mode");
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "mode", 1, NULL, 'm' },   { "seed", 1, NULL, 's' },
		{ "damage", 1, NULL, 'd' }, { "events", 1, NULL, 'e' },
		{ "truth", 1, NULL, 't' },  { "instant", 0, NULL, 'i' },
		{ "stats", 0, NULL, 'S' },  { "requests", 1, NULL, 'r' },
		{ "arrays", 0, NULL, 'a' }, { "hangs", 0, NULL, 'H' },
		{ "slices", 0, NULL, 'l' }, { "help", 0, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'm':
			gpu.mode = mode_of(optarg);
			break;
		case 's':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 'd':
			if (!damage_parse(optarg, &o->damage))
				wrong_usage("no such damage");
			break;
		case 'e':
			o->events = optarg;
			break;
		case 't':
			o->truth = optarg;
			break;
		case 'i':
			machine.is_instant = true;
			break;
		case 'a':
			gpu.has_arrays = true;
			break;
		case 'H':
			gpu.has_hangs = true;
			break;
		case 'l':
			gpu.has_slices = true;
			break;
		case 'S':
			o->wants_statistics = true;
			break;
		case 'r':
			o->n_requests = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			wrong_usage("wrong option");
		}
	}
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .n_requests = 400 };
	unsigned faults;
	FILE *file;

	parse(argc, argv, &o);
	if (gpu.has_hangs &&
	    (gpu.mode == MODE_LEGACY || gpu.mode == MODE_GUC || gpu.mode == MODE_RING))
		wrong_usage("no hangs in this mode");
	load_start(o.seed, o.n_requests);
	machine_run();
	if (gpu.n_unretired)
		broken("%u requests are left", gpu.n_unretired);
	faults = self_check();
	if (!faults)
		moments_carry();
	if (o.truth) {
		file = file_create(o.truth);
		write_truth(file);
		file_finish(file, o.truth);
	}
	if (o.wants_statistics)
		write_statistics(stdout);
	if (o.events) {
		file = file_create(o.events);
		write_events(file, &o.damage);
		file_finish(file, o.events);
	}
	trace_free();
	release_all();
	return faults ? 1 : 0;
}

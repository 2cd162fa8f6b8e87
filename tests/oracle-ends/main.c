/* SPDX-License-Identifier: MIT */
/* gpulane-oracle-ends: makes a world in which GPU work ends in every way, and writes its events and
 * the truth. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"

static const char usage[] =
	"usage: gpulane-oracle-ends --mode MODE --seed N [--requests N] [--no-ends] [--drop "
	"PERCENT]\n"
	"                           [--late PERCENT] [--cut PERCENT] [--without EVENT]...\n"
	"                           [--events FILE] [--truth FILE]\n"
	"MODE: amdgpu-6.1 amdgpu-6.12 amdgpu-6.17 v3d xe guc ring\n";
static const char *const mode_names[N_MODES] = { "amdgpu-6.1", "amdgpu-6.12", "amdgpu-6.17", "v3d",
						 "xe",	       "guc",	      "ring" };

struct world world;

const char *mode_name(void)
{
	return mode_names[world.mode];
}

struct timer {
	uint64_t at;
	void (*what)(void *);
	void *of;
	unsigned which;
};

static struct timer timers[4096];
static unsigned n_timers, which_now;
static uint64_t clock_ns = 100 * SECOND, random_state;

uint64_t now(void)
{
	return clock_ns;
}

void spend(uint64_t ns)
{
	clock_ns += ns;
}

unsigned which(void)
{
	return which_now;
}

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t x = random_state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

uint64_t between(uint64_t least, uint64_t most)
{
	return least + draw() % (most - least + 1);
}

bool chance(unsigned percent)
{
	return draw() % 100 < percent;
}

void later(uint64_t ns, void (*what)(void *), void *of, unsigned number)
{
	if (n_timers == sizeof(timers) / sizeof(timers[0])) {
		fprintf(stderr, "gpulane-oracle-ends: too much to come\n");
		exit(1);
	}
	timers[n_timers++] =
		(struct timer){ .at = clock_ns + ns, .what = what, .of = of, .which = number };
}

static void run(void)
{
	while (n_timers) {
		struct timer next;
		unsigned first = 0;

		for (unsigned i = 1; i < n_timers; i++)
			if (timers[i].at < timers[first].at)
				first = i;
		next = timers[first];
		timers[first] = timers[--n_timers];
		if (clock_ns < next.at)
			clock_ns = next.at;
		which_now = next.which;
		next.what(next.of);
	}
}

static _Noreturn void wrong_usage(const char *what)
{
	fprintf(stderr, "gpulane-oracle-ends: %s\n%s", what, usage);
	exit(2);
}

static enum mode mode_named(const char *name)
{
	for (unsigned i = 0; i < N_MODES; i++)
		if (!strcmp(name, mode_names[i]))
			return (enum mode)i;
	wrong_usage("no such mode");
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "mode", 1, NULL, 'm' },     { "seed", 1, NULL, 's' },
		{ "requests", 1, NULL, 'r' }, { "no-ends", 0, NULL, 'n' },
		{ "drop", 1, NULL, 'd' },     { "late", 1, NULL, 'l' },
		{ "cut", 1, NULL, 'c' },      { "without", 1, NULL, 'w' },
		{ "soft", 0, NULL, 'o' },     { "await", 0, NULL, 'a' },
		{ "events", 1, NULL, 'e' },   { "truth", 1, NULL, 't' },
		{ NULL, 0, NULL, 0 }
	};
	unsigned *const numbers[256] = { ['r'] = &world.wanted,
					 ['d'] = &o->drop_percent,
					 ['l'] = &o->late_percent,
					 ['c'] = &o->cut_percent };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'm')
			world.mode = mode_named(optarg);
		else if (c == 's')
			o->seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			world.has_ends = false;
		else if (c == 'a')
			world.awaits = true;
		else if (c == 'o')
			world.is_soft = world.mode == AMDGPU_6_1;
		else if (c == 'w' && o->n_without < sizeof(o->without) / sizeof(o->without[0]))
			o->without[o->n_without++] = optarg;
		else if (c == 'e' || c == 't')
			*(c == 'e' ? &o->events : &o->truth) = optarg;
		else if (c != '?' && numbers[c])
			*numbers[c] = (unsigned)strtoul(optarg, NULL, 0);
		else
			wrong_usage("wrong option");
	}
	if (optind < argc || world.wanted > MAX_REQUESTS)
		wrong_usage("wrong argument");
}

int main(int argc, char **argv)
{
	struct options options = { .seed = 1 };

	world.has_ends = true;
	parse(argc, argv, &options);
	random_state = options.seed * 1000003 + world.mode;
	world_make();
	run();
	trace_finish(&options);
	trace_write(&options);
	truth_write(&options);
	return 0;
}

// SPDX-License-Identifier: MIT
// Atomics on local memory, again from docs/models/atomics.md: the state machine of the locks, lane
// by lane; layouts and votes over an image; the unit with one server, played event by event.
// Hardware is Fermi's but for the unit's numbers. usage: pad warps SEED N                       N
// warps at random: their words, a warp a line
//        pad cycles HASH FILE                   of such a file: cycles and the three degrees, a
//        warp a line pad image SEED WIDTH HEIGHT FILE       an image at random pad votes BINS
//        LAYOUT FILE FLOOR  the histogram of an image: copies, mean cycles for each
//                                               hash, cycles as a load
//        pad changes SEED PATTERN               atomics on an array in local memory, and on one in
//        global memory: writes
//                                               them, prints mean cycles now, with either hash, an
//                                               unused word behind 32, the best copies; then
//                                               degrees of word and lock, and segments
//        pad unit SEED PATTERN DEVICE           W warps that always have an atomic: writes a kernel
//        and a device, pad locks SEED PATTERN DEVICE          prints cycles and utilisation
#include <math.h>

#include "laws.h"

#define WORDS 12288

static void place(const char *hash, uint32_t word, uint32_t *bank, uint32_t *lock)
{
	uint32_t row = word / 32;

	*bank = word % 32;
	*lock = row % 32;
	if (!strcmp(hash, "xor")) {
		*bank = (word ^ row) % 32;
		*lock = (row ^ row / 32) % 32;
	} else if (!strcmp(hash, "add")) {
		*bank = (word + row) % 32;
		*lock = (row + row / 32) % 32;
	}
}

struct cost {
	uint32_t cycles, read, write, rounds, as_load;
};

/* Most distinct words that these lanes have in one bank. */
static uint32_t level(const char *hash, const uint32_t *word, const int *active, uint32_t lanes)
{
	uint32_t in_bank[32] = { 0 }, most = 0;

	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t bank, lock, j = 0;

		while (j < i && !(active[j] && word[j] == word[i]))
			j++;
		if (!active[i] || j < i)
			continue;
		place(hash, word[i], &bank, &lock);
		in_bank[bank]++;
		most = in_bank[bank] > most ? in_bank[bank] : most;
	}
	return most;
}

static struct cost atomic(const char *hash, const uint32_t *word, uint32_t lanes)
{
	struct cost cost = { 0 };
	int wants[64] = { 0 };
	uint32_t left = lanes;

	for (uint32_t i = 0; i < lanes; i++)
		wants[i] = 1;
	cost.as_load = 32 * level(hash, word, wants, lanes);
	while (left) {
		int gets[64] = { 0 };
		uint32_t taken[32][32] = { 0 };

		for (uint32_t i = 0; i < lanes; i++) {
			uint32_t bank, lock;

			place(hash, word[i], &bank, &lock);
			gets[i] = wants[i] && !taken[bank][lock];
			taken[bank][lock] |= (uint32_t)wants[i];
		}
		cost.read += level(hash, word, wants, lanes);
		cost.write += level(hash, word, gets, lanes);
		cost.rounds++;
		for (uint32_t i = 0; i < lanes; i++) {
			left -= (uint32_t)gets[i];
			wants[i] &= !gets[i];
		}
	}
	cost.cycles = 32 * cost.read + 36 * cost.write + (18 + 32) * cost.rounds;
	return cost;
}

/* Words of one warp, with collisions of every kind. */
static uint32_t draw(uint64_t *random, uint32_t *word)
{
	static const uint32_t step[] = { 1, 1, 32, 33, 256, 1024 };
	uint32_t lanes = dice(random, 3) ? 32 : 1 + dice(random, 32);
	uint32_t by = step[dice(random, 6)], range = 1 + dice(random, (WORDS - 1) / by);

	if (dice(random, 2))
		range = 1 + range % 40;
	for (uint32_t i = 0; i < lanes; i++)
		word[i] = dice(random, range) * by;
	return lanes;
}

static int cycles(const char *hash, const char *path)
{
	char line[1024];
	FILE *file = fopen(path, "r");

	if (!file)
		give_up(path);
	while (fgets(line, sizeof(line), file)) {
		uint32_t word[64], lanes = 0, most[3] = { 0 };

		for (char *at = strtok(line, " \n"); at; at = strtok(NULL, " \n"))
			word[lanes++] = (uint32_t)number(at);
		for (uint32_t i = 0; i < lanes;
		     i++) { /* lanes on a word, words in a bank, behind a lock */
			uint32_t n[3] = { 0 }, bank, lock;

			place(hash, word[i], &bank, &lock);
			for (uint32_t j = 0; j < lanes; j++) {
				uint32_t b, l, first = 1;

				place(hash, word[j], &b, &l);
				for (uint32_t k = 0; k < j; k++)
					first &= word[k] != word[j];
				n[0] += word[j] == word[i];
				n[1] += first && b == bank;
				n[2] += first && b == bank && l == lock;
			}
			for (int k = 0; k < 3; k++)
				most[k] = n[k] > most[k] ? n[k] : most[k];
		}
		printf("%u %u %u %u\n", atomic(hash, word, lanes).cycles, most[0], most[1],
		       most[2]);
	}
	fclose(file);
	return 0;
}

static uint32_t *pixel, width, height, brightest;

static int new_image(uint64_t random, const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		give_up(path);
	fprintf(file, "P5\n%u %u\n255\n", width, height);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			fputc((int)((x / 9 * 40 + y / 7 * 30 + dice(&random, 8)) % 256), file);
	fclose(file);
	return 0;
}

static void read_image(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file || fscanf(file, "P5 %u %u %u", &width, &height, &brightest) != 3 ||
	    brightest > 255)
		give_up(path);
	fgetc(file);
	pixel = calloc((size_t)width * height, sizeof(*pixel));
	for (uint32_t i = 0; pixel && i < width * height; i++)
		pixel[i] = (uint32_t)fgetc(file);
	fclose(file);
	if (!pixel)
		give_up("too large");
}

/* A histogram: pixel i is lane i. */
static int count_votes(uint32_t bins, const char *layout, uint32_t floor)
{
	uint32_t votes = width * height;

	for (uint32_t copies = 1;
	     (bins + !strcmp(layout, "padded")) * copies <= WORDS && copies <= 256; copies *= 2) {
		static const char *const hashes[] = { "none", "xor", "add" };
		double sum[3] = { 0 }, as_load = 0, warps = 0;

		for (uint32_t i = 0; i < votes; i += 32) {
			uint32_t lanes = votes - i < 32 ? votes - i : 32, word[32];

			for (uint32_t l = 0; l < lanes; l++) {
				uint32_t copy = (i + l) % 256 % copies;
				uint32_t bin = pixel[i + l] * bins / (brightest + 1);

				word[l] = !strcmp(layout, "stretched") ? bin * copies + copy
					  : !strcmp(layout, "padded")  ? bin + copy * (bins + 1)
								       : bin + copy * bins;
			}
			for (int h = 0; h < 3; h++) {
				struct cost cost = atomic(hashes[h], word, lanes);

				sum[h] += cost.cycles > floor ? cost.cycles : floor;
				as_load += h ? 0 : cost.as_load;
			}
			warps++;
		}
		printf("%u %.3f %.3f %.3f %.3f\n", copies, sum[0] / warps, sum[1] / warps,
		       sum[2] / warps, as_load / warps);
	}
	return 0;
}

/* The unit's service: every bank has its lanes in front of it, and serves one at a time. */
static double unit_service(const uint32_t *word, uint32_t lanes, double service, double same_word,
			   double same_bank)
{
	double slowest = 0;

	for (uint32_t bank = 0; bank < 32; bank++) {
		double time = 0;
		uint32_t words = 0;

		for (uint32_t i = 0; i < lanes; i++) {
			uint32_t j = 0;

			if (word[i] % 32 != bank)
				continue;
			while (word[j] != word[i])
				j++;
			if (j < i)
				time += same_word;
			else if (words++)
				time += same_bank;
		}
		slowest = fmax(slowest, time);
	}
	return service + slowest;
}

/* So many warps with 64 atomics each, one server, first come first served: when the last has its
 * result. */
static double queue(uint32_t warps, double service, double wait, double *utilisation)
{
	double ready[64] = { 0 }, free_at = 0, last = 0;
	uint32_t left[64];

	for (uint32_t w = 0; w < warps; w++)
		left[w] = 64;
	for (uint32_t n = 0; n < warps * 64; n++) {
		uint32_t next = warps;

		for (uint32_t w = 0; w < warps; w++)
			if (left[w] && (next == warps || ready[w] < ready[next]))
				next = w;
		free_at = fmax(free_at, ready[next]) + service;
		ready[next] = free_at + wait;
		last = fmax(last, ready[next]);
		left[next]--;
	}
	*utilisation = warps * 64 * service / last;
	return last;
}

static int write_queue(int is_unit, uint64_t random, const char *pattern_path,
		       const char *device_path)
{
	uint32_t warps = 1 + dice(&random, 64), word[64], lanes = draw(&random, word);
	double latency = 10 + dice(&random, 100), same_word = dice(&random, 8),
	       same_bank = dice(&random, 8), base = 1 + dice(&random, 6), cycles, service,
	       utilisation, total;
	FILE *device = fopen(device_path, "w"), *pattern = fopen(pattern_path, "w");

	if (!device || !pattern)
		give_up("a file cannot be written");
	fprintf(device,
		"name law\nsource test\n[device]\nunits 1\nclock_mhz "
		"1000\nmax_warps 64\n[op local]\npipe local\nissue %g\ncompletion 300\n",
		base);
	if (is_unit) {
		fprintf(device,
			"[atomic_unit]\nbytes 49152\nbanks 32\nlatency %g\nservice %g\nsame_word "
			"%g\nsame_bank %g\n",
			latency, base, same_word, same_bank);
		service = unit_service(word, lanes, base, same_word, same_bank);
		cycles = latency + service;
	} else {
		struct cost cost = atomic("none", word, lanes);

		fprintf(device, "[scratchpad]\nbytes 49152\nbanks 32\nlocks 1024\nread 32\nupdate "
				"18\nwrite 36\nbranch 32\n");
		service = base * (cost.read + cost.write);
		cycles = cost.cycles;
	}
	fprintf(pattern,
		"gpulane-pattern 1\nlaunch k 1 %u 1 1 %u 1 1\nsite 1 7 1 atomic add local 4 0 "
		"49152\nw 1 %u",
		warps * 32, warps * 32, 64 * warps);
	for (uint32_t i = 0; i < lanes; i++)
		fprintf(pattern, " %u", word[i] * 4);
	fprintf(pattern, "\ngraph k\n| gpulane-graph 1\n| like local_atomic local\n| repeat 64\n| "
			 "x = local_atomic@7 x\n| end\ndone\n");
	fclose(device);
	fclose(pattern);
	total = queue(warps, service, cycles - service, &utilisation);
	printf("%.6g %.4f %.6g\n", total, utilisation, fmax(cycles, warps * service) * 64);
	return 0;
}

/* A warp's word in a copy, by the three layouts. */
static uint32_t in_copy(int layout, uint32_t word, uint32_t words, uint32_t copies, uint32_t copy)
{
	return layout == 0   ? word + copy * words
	       : layout == 1 ? word + copy * (words + 1)
			     : word * copies + copy;
}

/* Lanes of one unit of so many words, or different units. */
static uint32_t units(const uint32_t *word, uint32_t lanes, uint32_t by, int most)
{
	uint32_t result = 0;

	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t n = 0, is_first = 1;

		for (uint32_t j = 0; j < lanes; j++) {
			uint32_t is_new = 1;

			for (uint32_t k = 0; k < j; k++)
				is_new &= word[k] != word[j];
			is_first &= j >= i || word[j] / by != word[i] / by;
			n += word[j] / by == word[i] / by && (by == 1 || is_new);
		}
		result = !most ? result + is_first : n > result ? n : result;
	}
	return result;
}

static int changes(uint64_t random, const char *path)
{
	static const char *const hashes[] = { "none", "xor", "add" };
	uint32_t words = 64u << dice(&random, 6), accesses = 1 + dice(&random, 4), n = 0;
	double now[4] = { 0 }, copied[3][5] = { { 0 } }, best, global[3] = { 0 };
	FILE *file = fopen(path, "w");

	if (!file)
		give_up(path);
	fprintf(file,
		"gpulane-pattern 1\nlaunch k 1 32 1 1 32 1 1\nsite 1 7 1 atomic add local 4 0 "
		"%u\nsite 2 8 1 atomic add global 4 0 %u\n",
		words * 4, words * 4);
	for (uint32_t a = 0; a < accesses; a++) {
		uint32_t count = 1 + dice(&random, 5), lanes = 1 + dice(&random, 32),
			 range = 1 + dice(&random, words), word[64], changed[64];

		for (uint32_t i = 0; i < lanes; i++)
			word[i] = dice(&random, 2) ? dice(&random, range)
						   : dice(&random, (range + 31) / 32) * 32;
		for (int site = 1; site <= 2; site++) {
			fprintf(file, "w %d %u", site, count);
			for (uint32_t i = 0; i < lanes; i++)
				fprintf(file, " %u", word[i] * 4);
			fprintf(file, "\n");
		}
		for (int h = 0; h < 3; h++)
			now[h] += count * atomic(hashes[h], word, lanes).cycles;
		for (uint32_t i = 0; i < lanes; i++)
			changed[i] = word[i] + word[i] / 32;
		now[3] += count * atomic("none", changed, lanes).cycles;
		for (int layout = 0; layout < 3; layout++) {
			for (int c = 0; c < 5; c++) {
				for (uint32_t i = 0; i < lanes; i++)
					changed[i] = in_copy(layout, word[i], words, 2u << c,
							     i % (2u << c));
				copied[layout][c] += count * atomic("none", changed, lanes).cycles;
			}
		}
		global[0] += count * units(word, lanes, 1, 1);
		global[1] += count * units(word, lanes, 8, 1);
		global[2] += count * units(word, lanes, 32, 0);
		n += count;
	}
	fprintf(file, "done\n");
	fclose(file);
	best = now[0];
	for (uint32_t c = 0; c < 5; c++)
		for (int layout = 0; layout < 3; layout++)
			if ((words + (layout == 1)) * (2u << c) <= WORDS)
				best = fmin(best, copied[layout][c]);
	printf("%.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f\n", now[0] / n, now[1] / n, now[2] / n,
	       now[3] / n, best / n, global[0] / n, global[1] / n, global[2] / n);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t random = argc > 2 ? strtoul(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u + 1 : 0;

	for (int i = 0; random && i < 20; i++)
		dice(&random, 2);
	if (argc == 4 && !strcmp(argv[1], "warps")) {
		for (int n = 0; n < number(argv[3]); n++) {
			uint32_t word[64], lanes = draw(&random, word);

			for (uint32_t i = 0; i < lanes; i++)
				printf("%u%c", word[i], i + 1 < lanes ? ' ' : '\n');
		}
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "cycles"))
		return cycles(argv[2], argv[3]);
	if (argc == 6 && !strcmp(argv[1], "image")) {
		width = (uint32_t)number(argv[3]), height = (uint32_t)number(argv[4]);
		return new_image(random, argv[5]);
	}
	if (argc == 6 && !strcmp(argv[1], "votes")) {
		read_image(argv[4]);
		count_votes((uint32_t)number(argv[2]), argv[3], (uint32_t)number(argv[5]));
		free(pixel);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "changes"))
		return changes(random, argv[3]);
	if (argc == 5 && (!strcmp(argv[1], "unit") || !strcmp(argv[1], "locks")))
		return write_queue(argv[1][0] == 'u', random, argv[3], argv[4]);
	give_up("usage: pad warps|cycles|image|votes|changes|unit|locks ...");
}

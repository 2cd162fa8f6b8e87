// SPDX-License-Identifier: MIT
// The soft GPGPU's laws, again from docs/models/papers/softgpu.md: benchmarks are counted by
// running their threads, blocks are handed out one after the other. usage: softgpu NAME SIZE SM SP
// INSTRUCTION MEMORY     cycles of a benchmark
//        softgpu scalar NAME SIZE                       instructions of one thread after the other

#include <math.h>

#include "laws.h"

static uint32_t sm, rows;
static double instruction, memory;
static double busy[256], alone[256], total;
static uint32_t placed, full; /* blocks of this batch, and how many fit */

static void end_batch(void)
{
	double slowest = 0;

	for (uint32_t i = 0; i < sm; i++) {
		slowest = fmax(slowest, fmax(busy[i], alone[i]));
		busy[i] = alone[i] = 0;
	}
	total += slowest;
	placed = 0;
}

/* A block: instructions and accesses of each of its warps; a warp alone waits for its pipeline of
 * five stages. */
static void block(uint32_t threads, double instructions, double accesses)
{
	double time = instructions * rows * instruction + accesses * memory;
	uint32_t warps = (threads + 31) / 32;

	if (placed == full * sm)
		end_batch();
	for (uint32_t w = 0; w < warps; w++)
		busy[placed % sm] += time;
	alone[placed % sm] = fmax(alone[placed % sm], time + 4 * instructions);
	placed++;
}

/* Blocks of a shape that an SM holds: 8 blocks, 768 threads, 24 warps, 8192 registers, 16 KiB. */
static uint32_t holds(uint32_t threads, uint32_t registers, uint32_t shared)
{
	uint32_t n = 8;

	while (n && (n * threads > 768 || n * ((threads + 31) / 32) > 24 ||
		     n * threads * registers > 8192 || n * shared > 16384))
		n--;
	return n;
}

/* What a thread of a benchmark does: instructions, and accesses of memory among them. */
static void thread(const char *name, uint32_t size, uint32_t id, uint32_t j, double *n,
		   double *accesses)
{
	*n = *accesses = 0;
	if (!strcmp(name, "autocorr")) {
		*n = 10, *accesses = 1;
		for (uint32_t i = 0; i + id < size; i++)
			*n += 8, *accesses += 2;
	} else if (!strcmp(name, "matmul")) {
		*n = 14, *accesses = 1;
		for (uint32_t i = 0; i < size; i++)
			*n += 8, *accesses += 2;
	} else if (!strcmp(name, "transpose")) {
		*n = 14, *accesses = 2;
	} else if (!strcmp(name, "bitonic")) {
		*n = (id ^ j) > id ? 16 : 8;
		*accesses = (id ^ j) > id ? 4 : 0;
	} else if (!strcmp(name, "reduction")) {
		*n = 12, *accesses = 3;
		for (uint32_t half = 16; half; half /= 2)
			*n += 8, *accesses += 3;
	}
}

/* One launch: so many threads in blocks; a warp does what its longest lane does. */
static void launch(const char *name, uint32_t size, uint32_t threads, uint32_t of_block,
		   uint32_t shared, uint32_t j)
{
	full = holds(of_block, 0, shared);
	for (uint32_t first = 0; first < threads; first += of_block) {
		double most = 0, accesses = 0;

		for (uint32_t id = first; id < first + of_block; id++) {
			double n, a;

			thread(name, size, id, j, &n, &a);
			most = fmax(most, n);
			accesses = fmax(accesses, a);
		}
		block(of_block, most, accesses);
	}
	end_batch();
}

static void benchmark(const char *name, uint32_t size)
{
	if (!strcmp(name, "bitonic")) {
		for (uint32_t k = 2; k <= size; k *= 2)
			for (uint32_t j = k / 2; j; j /= 2)
				launch(name, size, size, 8, 0, j);
	} else if (!strcmp(name, "reduction")) {
		for (uint32_t n = size; n > 1; n = (n + 31) / 32)
			launch(name, size, (n + 31) / 32 * 32, 32, 128, 0);
	} else if (!strcmp(name, "autocorr")) {
		launch(name, size, size, 8, 0, 0);
	} else {
		launch(name, size, size * size, 256, 0, 0);
	}
}

/* One processor: no launch, and of a reduction the additions alone. */
static double scalar(const char *name, uint32_t size)
{
	double sum = 0, n, a;

	if (!strcmp(name, "reduction"))
		for (uint32_t i = 1; i < size; i++)
			sum += 8;
	else if (!strcmp(name, "bitonic"))
		for (uint32_t k = 2; k <= size; k *= 2)
			for (uint32_t j = k / 2; j; j /= 2)
				for (uint32_t id = 0; id < size; id++, sum += n)
					thread(name, size, id, j, &n, &a);
	else
		for (uint32_t id = 0; id < (!strcmp(name, "autocorr") ? size : size * size);
		     id++, sum += n)
			thread(name, size, id, 0, &n, &a);
	return sum;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "scalar")) {
		printf("%.6g\n", scalar(argv[2], (uint32_t)number(argv[3])));
	} else if (argc == 7) {
		sm = (uint32_t)number(argv[3]);
		rows = 32 / (uint32_t)number(argv[4]);
		instruction = number(argv[5]);
		memory = number(argv[6]);
		benchmark(argv[1], (uint32_t)number(argv[2]));
		printf("%.6g\n", total);
	} else {
		give_up("usage: softgpu NAME SIZE SM SP INSTRUCTION MEMORY | scalar NAME SIZE");
	}
	return 0;
}

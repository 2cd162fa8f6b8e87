// SPDX-License-Identifier: MIT
// The fuzz targets without libFuzzer, for `make check`: each takes what was found once, that with
// some bytes changed, and bytes drawn from a fixed seed. usage: gpulane-fuzz-replay TARGET
// [FOLDER...]
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hostile.h"

#define MAX_BYTES 20000
#define DRAWN	  200 /* inputs of nothing but drawn bytes */
/* Inputs made of each that was found; what takes a trace through the whole pipeline has several
 * folders, and is slow. */
#define CHANGED(n_folders) ((n_folders) > 1 ? 2 : 100)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* The build names them: TARGETS is TARGET(atp) TARGET(ctf) and so on. */
#define TARGET(name)                                                                               \
	int name##_one(const uint8_t *data, size_t bytes);                                         \
	int name##_initialize(int *argc, char ***argv);                                            \
	extern __typeof__(name##_initialize) name##_initialize __attribute__((weak));
TARGETS
#undef TARGET

static const struct target {
	const char *name;
	int (*one)(const uint8_t *data, size_t bytes);
	int (*initialize)(int *argc, char ***argv);
} targets[] = {
#define TARGET(name) { #name, name##_one, name##_initialize },
	TARGETS
};

static uint64_t drawn_state = 1;
static size_t inputs;

/* xorshift64*: the same numbers everywhere */
static uint32_t draw(uint32_t below)
{
	drawn_state ^= drawn_state >> 12;
	drawn_state ^= drawn_state << 25;
	drawn_state ^= drawn_state >> 27;
	return (drawn_state * 0x2545f4914f6cdd1dULL >> 32) % below;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	(void)max;
	for (int i = 0; size && i < 8; i++)
		data[draw(size)] = draw(256);
	return size;
}

static void give(const struct target *target, const uint8_t *data, size_t bytes)
{
	/* As long as it is: a byte read behind it is noticed. */
	uint8_t *copy = malloc(bytes ? bytes : 1);

	if (!copy)
		abort();
	memcpy(copy, data, bytes);
	target->one(copy, bytes);
	free(copy);
	inputs++;
}

static void found(const struct target *target, const char *folder, const char *name, int changed)
{
	uint8_t data[MAX_BYTES], other[MAX_BYTES];
	struct stat st;
	char path[4096];
	size_t bytes;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	file = fopen(path, "r");
	if (!file) {
		perror(path);
		exit(1);
	}
	bytes = fread(data, 1, sizeof(data), file);
	fclose(file);
	give(target, data, bytes);
	for (int i = 0; i < changed; i++) {
		memcpy(other, data, bytes);
		give(target, other, LLVMFuzzerMutate(other, bytes, sizeof(other)));
	}
}

static void drawn(const struct target *target)
{
	uint8_t data[2000];

	for (int i = 0; i < DRAWN; i++) {
		size_t bytes = draw(i % 4 ? 64 : sizeof(data));

		for (size_t k = 0; k < bytes; k++)
			data[k] = draw(256);
		give(target, data, bytes);
	}
}

int main(int argc, char **argv)
{
	const struct target *target = NULL;

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (argc > 1 && !strcmp(argv[1], targets[i].name))
			target = &targets[i];
	if (!target) {
		fprintf(stderr, "usage: gpulane-fuzz-replay TARGET [FOLDER...]\n");
		return 2;
	}
	if (target->initialize)
		target->initialize(&argc, &argv);
	for (int i = 2; i < argc; i++) {
		struct dirent **names;
		int n = scandir(argv[i], &names, NULL, alphasort);

		if (n < 0) {
			perror(argv[i]);
			return 1;
		}
		for (int k = 0; k < n; k++) {
			found(target, argv[i], names[k]->d_name, CHANGED(argc - 2));
			free(names[k]);
		}
		free(names);
	}
	drawn(target);
	printf("%zu inputs\n", inputs);
	return 0;
}

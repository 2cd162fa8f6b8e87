/* SPDX-License-Identifier: MIT */
/*
 * What the independent checks of the models' laws share: numbers of a device file, random numbers,
 * giving up. Nothing of userspace/ is included here: a law is written again from its statement in
 * docs/models.
 */
#ifndef LAWS_H
#define LAWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void give_up(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(2);
}

/* A number from the command line. */
static inline double number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end)
		give_up(text);
	return value;
}

/* The value of a key in a section ("[op fadd]") of a device file, or other where it has none. */
static inline double device_number(const char *path, const char *section, const char *key,
				   double other)
{
	char line[512];
	int inside = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		give_up(path);
	while (fgets(line, sizeof(line), file)) {
		char name[64];
		double value;

		if (line[0] == '[')
			inside = !strncmp(line, section, strlen(section));
		else if (inside && sscanf(line, "%63s %lf", name, &value) == 2 &&
			 !strcmp(name, key))
			other = value;
	}
	fclose(file);
	return other;
}

/* Xorshift: other numbers than the models' own generator gives. */
static inline uint32_t dice(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 20) % below);
}

#endif

// SPDX-License-Identifier: MIT
// Holds the Perfetto trace that is named to the rules. Prints what its slices add up to.
#include <stdlib.h>

#include "rules.h"

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *from = fopen(path, "re");
	uint8_t *bytes;
	long end;

	if (!from || fseek(from, 0, SEEK_END) || (end = ftell(from)) < 0)
		exit(2);
	rewind(from);
	bytes = malloc((size_t)end + 1);
	if (!bytes || fread(bytes, 1, (size_t)end, from) != (size_t)end)
		exit(2);
	fclose(from);
	*size = (size_t)end;
	return bytes;
}

int main(int argc, char **argv)
{
	size_t size, faults;
	uint8_t *bytes;

	if (argc != 2)
		return 2;
	bytes = slurp(argv[1], &size);
	faults = perfetto_rules(bytes, size, stdout, NULL);
	free(bytes);
	return faults != 0;
}

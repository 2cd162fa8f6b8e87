// SPDX-License-Identifier: MIT
// How long things take, and the device's clock. The GPU's folder may have a `script`, a line each:
//
//	kernel NAME takes 3 ms, then 9 ms       the first launch, and all later ones; any number of
// times; NAME may be a pattern 	kernel NAME takes 2 us and 30 ns a group 	kernel NAME
// hangs copy takes 1 us and 20 ns a KiB 	clock runs 40 ppm fast                  or slow
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "xe.h"

#define HZ	  19200000ull
#define MAX_RULES 64
#define MAX_TIMES 16

struct rule {
	char name[96];
	unsigned int n, used; /* times, and how many launches there were */
	uint64_t ns[MAX_TIMES];
	uint64_t each_ns; /* a group */
	bool hangs;
};

static struct rule rules[MAX_RULES];
static unsigned int n_rules;
static struct rule any = { .n = 1, .ns = { 5000 }, .each_ns = 10 };
static uint64_t copy_ns = 2000, copy_kib_ns = 40;
static int64_t fast_ppm;

uint64_t xe_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t xe_ticks_of(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * HZ * (uint64_t)(1000000 + fast_ppm) /
			  1000000000000000ull);
}

uint64_t xe_ticks(uint64_t ns)
{
	return xe_ticks_of(ns);
}

// "3 ms" and what follows it, or NULL
static const char *read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double value = strtod(text, &end);

	if (end == text || value < 0)
		return NULL;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].name);

		if (strncmp(end, units[i].name, n) == 0) {
			*ns = (uint64_t)(value * units[i].ns);
			return end + n;
		}
	}
	return NULL;
}

// "and 30 ns a group", or nothing
static bool read_each(const char *text, const char *what, uint64_t *ns)
{
	if (*text == 0)
		return true;
	if (strncmp(text, " and ", 5) != 0)
		return false;
	text = read_time(text + 5, ns);
	return text && strcmp(text, what) == 0;
}

static bool read_kernel(const char *text)
{
	struct rule *rule = &rules[n_rules];
	const char *end = strchr(text, ' ');

	if (!end || n_rules == MAX_RULES || (size_t)(end - text) >= sizeof(rule->name))
		return false;
	memset(rule, 0, sizeof(*rule));
	memcpy(rule->name, text, (size_t)(end - text));
	n_rules++;
	rule->hangs = strcmp(end, " hangs") == 0;
	if (rule->hangs)
		return true;
	if (strncmp(end, " takes ", 7) != 0)
		return false;
	for (end += 7; rule->n < MAX_TIMES; end += 7) {
		end = read_time(end, &rule->ns[rule->n++]);
		if (!end || strncmp(end, ", then ", 7) != 0)
			break;
	}
	return end && read_each(end, " a group", &rule->each_ns);
}

static bool read_line(const char *line)
{
	char way[8];
	int64_t ppm;

	if (*line == 0 || *line == '#')
		return true;
	if (strncmp(line, "kernel ", 7) == 0)
		return read_kernel(line + 7);
	if (strncmp(line, "copy takes ", 11) == 0) {
		line = read_time(line + 11, &copy_ns);
		return line && read_each(line, " a KiB", &copy_kib_ns);
	}
	if (sscanf(line, "clock runs %ld ppm %7s", &ppm, way) == 2 && ppm >= 0 && ppm < 100000) {
		fast_ppm = strcmp(way, "slow") == 0 ? -ppm : ppm;
		return strcmp(way, "slow") == 0 || strcmp(way, "fast") == 0;
	}
	return false;
}

bool xe_model_read(void)
{
	char path[4096], line[512];
	bool good = true;
	FILE *file;

	snprintf(path, sizeof(path), "%s/script", xe_folder);
	file = fopen(path, "re");
	if (!file)
		return true;
	while (good && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		good = read_line(line);
		if (!good)
			fprintf(stderr, "gpulane: xe: %s: not understood: %s\n", path, line);
	}
	fclose(file);
	return good;
}

uint64_t xe_model_kernel(const char *name, const uint32_t groups[3])
{
	struct rule *rule = &any;
	uint64_t ns;

	for (unsigned int i = 0; i < n_rules; i++) {
		if (fnmatch(rules[i].name, name, 0) == 0) {
			rule = &rules[i];
			break;
		}
	}
	if (rule->hangs)
		return XE_NEVER;
	ns = rule->ns[rule->used < rule->n ? rule->used : rule->n - 1] +
	     rule->each_ns * groups[0] * groups[1] * groups[2];
	rule->used++;
	return ns ? ns : 1;
}

uint64_t xe_model_copy(uint64_t bytes)
{
	return copy_ns + copy_kib_ns * bytes / 1024 + 1;
}

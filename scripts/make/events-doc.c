// SPDX-License-Identifier: MIT
// Writes the page of the events, which becomes gpulane-events(7), to stdout.
#include <stdio.h>
#include <string.h>

#include "base/event.h"

static const char *const type_names[] = {
	[LANE_TYPE_u8] = "u8",
	[LANE_TYPE_u16] = "u16",
	[LANE_TYPE_u32] = "u32",
	[LANE_TYPE_u64] = "u64",
	[LANE_TYPE_x32] = "u32, hex",
	[LANE_TYPE_x64] = "u64, hex",
	[LANE_TYPE_s32] = "s32",
	[LANE_TYPE_s64] = "s64",
	[LANE_TYPE_comm] = "text, 16",
	[LANE_TYPE_str32] = "text, 32",
	[LANE_TYPE_path] = "text, 64",
	[LANE_TYPE_str128] = "text, 128",
	[LANE_TYPE_id32] = "text, 32",
	[LANE_TYPE_id64] = "text, 64",
	[LANE_TYPE_clf] = "u32, function",
	[LANE_TYPE_clc] = "u32, command",
};

static void write_list(void)
{
	printf("| event | group | when |\n|---|---|---|\n");
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		printf("| `%s` | %s | %s |\n", lane_kinds[kind].name, lane_kinds[kind].group,
		       lane_kinds[kind].help);
}

/* True when both events have the same fields. */
static int same_fields(const struct lane_kind_info *a, const struct lane_kind_info *b)
{
	if (a->n_fields != b->n_fields)
		return 0;
	for (unsigned int i = 0; i < a->n_fields; i++)
		if (strcmp(a->fields[i].name, b->fields[i].name) ||
		    strcmp(a->fields[i].help, b->fields[i].help) ||
		    a->fields[i].type != b->fields[i].type)
			return 0;
	return 1;
}

/* A table for each set of fields, headed by the events that have it. */
static void write_fields(void)
{
	int done[LANE_KIND_COUNT] = { 0 };

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const struct lane_kind_info *info = &lane_kinds[kind];
		const char *separator = "";

		if (done[kind])
			continue;
		printf("\n");
		for (int other = kind; other < LANE_KIND_COUNT; other++) {
			if (!same_fields(info, &lane_kinds[other]))
				continue;
			printf("%s`%s`", separator, lane_kinds[other].name);
			separator = ", ";
			done[other] = 1;
		}
		printf(":\n\n| field | type | |\n|---|---|---|\n");
		for (unsigned int i = 0; i < info->n_fields; i++)
			printf("| `%s` | %s | %s |\n", info->fields[i].name,
			       type_names[info->fields[i].type], info->fields[i].help);
	}
}

int main(void)
{
	printf("# The events\n\n"
	       "Every event has a time (nanoseconds of CLOCK_MONOTONIC), the CPU, the thread "
	       "(`tid`) "
	       "and process (`pid`)\non it, and its source: ");
	for (unsigned int origin = 0; origin < LANE_ORIGIN_COUNT; origin++)
		printf("%s%s", origin ? ", " : "", lane_origin_name(origin));
	printf(".\n\n");
	write_list();
	printf("\n## Their fields\n\nThe order is that of the payload in a recording; text is "
	       "padded "
	       "with NUL to the number of bytes given.\n");
	write_fields();
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}

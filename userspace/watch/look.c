// SPDX-License-Identifier: MIT
// What lies in the folder of the hits, in words: the groups, or one hit.
#include "watch/look.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/sort.h"

static void print_name(FILE *to, const struct lane_kept *kept, const char *what)
{
	char name[32];

	fprintf(to, "      %s  %-6s  ",
		watch_store_name(kept->hit.number, false, name, sizeof(name)), what);
	watch_hit_print(to, &kept->hit);
	fputc('\n', to);
}

static void print_group(FILE *to, const struct lane_store *store, const struct lane_hits *group)
{
	const struct lane_kept *latest = watch_store_latest(store, group);
	const struct lane_kept *worst = watch_store_worst(store, group);

	fprintf(to, "%7" PRIu64 "  %s", group->count, lane_row_what_names[group->what]);
	if (*group->process) {
		fputs(" of ", to);
		lane_clean_print(to, group->process);
	}
	if (*group->cause)
		fprintf(to, "; %s", group->cause);
	if (*group->culprit) {
		fputs(" by ", to);
		lane_clean_print(to, group->culprit);
	}
	fputc('\n', to);
	if (worst)
		print_name(to, worst, worst == latest ? "" : "worst");
	if (latest && latest != worst)
		print_name(to, latest, "latest");
}

LANE_ORDER_OF(by_count, struct lane_hits, LANE_DOWN(count))

void watch_look_list(FILE *to, const struct lane_store *store)
{
	const struct lane_hits *groups[LANE_STORE_GROUPS];
	size_t n = 0;

	for (size_t i = 0; i < LANE_STORE_GROUPS; i++)
		if (store->groups[i].count)
			groups[n++] = &store->groups[i];
	qsort(groups, n, sizeof(groups[0]), by_count);
	for (size_t i = 0; i < n; i++)
		print_group(to, store, groups[i]);
	if (store->others)
		fprintf(to, "%7" PRIu64 "  others, of groups that are forgotten\n", store->others);
	if (!n)
		fputs("no hits\n", to);
}

struct lane_error *watch_look_show(FILE *to, struct lane_store *store, const char *output,
				   uint64_t number)
{
	const struct lane_kept *kept = watch_store_find(store, number);
	const struct lane_hits *group;

	if (!kept)
		return lane_error("%s: has no recording %" PRIu64 " (see --list)", output, number);
	group = watch_store_group(store, &kept->hit);
	watch_hit_describe(to, &kept->hit);
	if (group)
		fprintf(to, "  hits like it   %" PRIu64 "\n", group->count);
	return NULL;
}

void watch_look_more(FILE *to, const struct lane_hit *hit, const char *output)
{
	char name[32], path[4096];

	watch_store_name(hit->number, false, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/%s", output, name);
	lane_clean(path, LANE_CLEAN_LINE);
	fprintf(to,
		"\nMore\n  %s/page.html  the timeline, in a browser\n  gpulane report %s  where "
		"the "
		"time went\n",
		path, path);
	if (hit->what == LANE_ROW_REQUEST)
		fprintf(to,
			"  gpulane explain %s %" PRIu64 ":%" PRIu32
			"  the events behind its times\n",
			path, hit->ctx, hit->seqno);
}

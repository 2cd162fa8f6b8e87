// SPDX-License-Identifier: MIT
// gl-compass: what Trace Compass's XML analyses make of a trace, and what the timeline finds.
//
//   gl-compass states TRACE ANALYSIS.xml...  the states that the providers' rules give, sorted by
//   path; on stderr: rows and states that nobody could tell or read; fails then
//   gl-compass truth RECORDING               the states of all analyses that the timeline finds
//   gl-compass draw TRACE ANALYSIS.xml       the analysis' first time graph, as SVG
//   gl-compass rows TRACE ANALYSIS.xml       the rows of all its views by the names people see
//   gl-compass states TRACE PATTERN.xml      the segments that a pattern makes
#include <libxml/parser.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "norm/norm.h"
#include "provider.h"
#include "truth.h"
#include "view.h"

enum {
	MAX_ANALYSES = 8
};

/* An analysis, and what it makes of a trace. */
struct analysis {
	xmlDoc *document;
	struct provider *provider;
	struct state_system system;
};

struct analyses {
	struct analysis v[MAX_ANALYSES];
	int n;
};

static bool open_analyses(struct analyses *all, char **paths)
{
	for (; *paths && all->n < MAX_ANALYSES; paths++) {
		struct analysis *a = &all->v[all->n++];

		a->document = xmlReadFile(*paths, NULL, XML_PARSE_NONET | XML_PARSE_NOBLANKS);
		if (!a->document)
			return false;
		a->provider = provider_create(a->document);
	}
	return !*paths;
}

/* Every analysis sees every event of the trace. */
static bool read_trace(const char *trace, struct analyses *all)
{
	struct lane_input *input = NULL;
	const struct lane_event *event;
	uint64_t first_ns = 0, last_ns = 0;
	struct lane_error *err = norm_input_open(trace, &input);

	while (!err && !(err = norm_input_next(input, &event)) && event) {
		first_ns = first_ns ? first_ns : event->wire.ts_ns;
		last_ns = event->wire.ts_ns;
		for (int i = 0; i < all->n; i++)
			provider_event(all->v[i].provider, &all->v[i].system, event);
	}
	for (int i = 0; i < all->n; i++) {
		all->v[i].system.begin_ns = first_ns;
		state_close(&all->v[i].system, last_ns);
	}
	if (err)
		fprintf(stderr, "%s\n", lane_error_message(err));
	norm_input_close(input);
	lane_error_free(err);
	return !err;
}

static void close_analyses(struct analyses *all)
{
	for (int i = 0; i < all->n; i++) {
		provider_destroy(all->v[i].provider);
		state_free(&all->v[i].system);
		xmlFreeDoc(all->v[i].document);
	}
}

/* All that is printed of a trace; true when it could be read, and nobody complains. */
static bool print(const char *verb, const struct analyses *all)
{
	bool good = true;

	for (int i = 0; i < all->n; i++) {
		xmlDoc *document = all->v[i].document;
		const struct state_system *system = &all->v[i].system;

		if (!strcmp(verb, "draw")) {
			draw(document, system);
		} else if (!strcmp(verb, "rows")) {
			view_print(document, system);
		} else {
			good &= view_check(document, system, stderr);
			state_print(system);
		}
	}
	return good;
}

int main(int argc, char **argv)
{
	struct analyses all = { 0 };
	bool ok = false;

	if (argc == 3 && !strcmp(argv[1], "truth")) {
		struct state_system system = { 0 };

		ok = truth_read(argv[2], &system);
		state_print(&system);
		state_free(&system);
	} else if (argc >= 4 && (!strcmp(argv[1], "states") || !strcmp(argv[1], "draw") ||
				 !strcmp(argv[1], "rows"))) {
		ok = open_analyses(&all, argv + 3) && read_trace(argv[2], &all) &&
		     print(argv[1], &all);
		close_analyses(&all);
	} else {
		fprintf(stderr, "usage: gl-compass states|draw|rows TRACE ANALYSIS.xml...\n"
				"       gl-compass truth RECORDING\n");
	}
	xmlCleanupParser();
	return ok ? 0 : 1;
}

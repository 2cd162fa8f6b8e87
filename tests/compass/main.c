// SPDX-License-Identifier: MIT
// gl-compass: what Trace Compass's XML analyses make of a trace, and what the timeline finds.
//
//   gl-compass states ANALYSIS.xml TRACE  the states that the provider's rules give, sorted by path
//   gl-compass truth RECORDING            the states of all analyses that the timeline finds
//   gl-compass draw ANALYSIS.xml TRACE    the analysis' first time graph, as SVG
//   gl-compass rows ANALYSIS.xml TRACE    the rows of all its views by the names that people see
//   gl-compass check ANALYSIS.xml TRACE   rows and states that nobody could tell or read; fails
//   then
#include <libxml/parser.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "norm/norm.h"
#include "provider.h"
#include "truth.h"
#include "view.h"

static bool read_states(const char *analysis, const char *trace, xmlDoc **document,
			struct state_system *system)
{
	struct lane_input *input = NULL;
	const struct lane_event *event;
	struct provider *provider;
	struct lane_error *err;
	uint64_t last_ns = 0;

	*document = xmlReadFile(analysis, NULL, XML_PARSE_NONET | XML_PARSE_NOBLANKS);
	if (!*document)
		return false;
	provider = provider_create(*document);
	err = norm_input_open(trace, &input);
	while (!err && !(err = norm_input_next(input, &event)) && event) {
		if (!last_ns)
			system->begin_ns = event->wire.ts_ns;
		last_ns = event->wire.ts_ns;
		provider_event(provider, system, event);
	}
	state_close(system, last_ns);
	if (err)
		fprintf(stderr, "%s\n", lane_error_message(err));
	provider_destroy(provider);
	norm_input_close(input);
	lane_error_free(err);
	return !err;
}

int main(int argc, char **argv)
{
	struct state_system system = { 0 };
	xmlDoc *document = NULL;
	bool ok = false;

	if (argc == 4 && !strcmp(argv[1], "states")) {
		ok = read_states(argv[2], argv[3], &document, &system);
		state_print(&system);
	} else if (argc == 3 && !strcmp(argv[1], "truth")) {
		ok = truth_read(argv[2], &system);
		state_print(&system);
	} else if (argc == 4 && !strcmp(argv[1], "draw")) {
		ok = read_states(argv[2], argv[3], &document, &system);
		if (ok)
			draw(document, &system);
	} else if (argc == 4 && !strcmp(argv[1], "rows")) {
		ok = read_states(argv[2], argv[3], &document, &system);
		if (ok)
			view_print(document, &system);
	} else if (argc == 4 && !strcmp(argv[1], "check")) {
		ok = read_states(argv[2], argv[3], &document, &system) &&
		     view_check(document, &system);
	} else {
		fprintf(stderr, "usage: gl-compass states|draw|rows|check ANALYSIS.xml TRACE\n"
				"       gl-compass truth RECORDING\n");
	}
	state_free(&system);
	xmlFreeDoc(document);
	xmlCleanupParser();
	return ok ? 0 : 1;
}

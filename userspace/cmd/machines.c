// SPDX-License-Identifier: MIT
// The recordings that a command is given: which machines they are of, and what is said of their
// clocks.
#include "cmd/machines.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"

/* The machines' names for a message, as many as there is room for. */
static void list_names(const struct lane_named *named, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < named->found.n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
					 named->found.machines[i].name);
}

static struct lane_error *choose(const struct lane_named *named)
{
	char names[512];

	for (size_t i = 0; i < named->found.n; i++)
		if (!strcmp(named->found.machines[i].name, named->machine))
			return NULL;
	list_names(named, names, sizeof(names));
	return lane_error_usage("--machine %s: no such machine (there are %s)", named->machine,
				names);
}

struct lane_error *lane_named_open(struct lane_named *named)
{
	struct lane_error *err = lane_machines_find(named->paths, named->n_paths, &named->found);

	if (err || named->found.n < 2) {
		if (!err && named->machine)
			return lane_error_usage("--machine %s: there is one machine only",
						named->machine);
		if (!err && named->pairs)
			return lane_error_usage("--pairs needs recordings of several machines");
		return err;
	}
	if (named->machine)
		err = choose(named);
	return err ? err : lane_machines_tie(&named->found, named->pairs);
}

bool lane_named_is_wanted(const struct lane_named *named, size_t of)
{
	return named->found.n < 2 || !named->machine ||
	       !strcmp(named->found.machines[of].name, named->machine);
}

size_t lane_named_count(const struct lane_named *named)
{
	return named->machine && named->found.n ? 1 : named->found.n;
}

struct lane_error *lane_named_one(const struct lane_named *named, const struct lane_place **place)
{
	char names[512];

	*place = NULL;
	if (lane_named_count(named) > 1) {
		list_names(named, names, sizeof(names));
		return lane_error_usage("these are %zu machines: choose one with --machine (%s)",
					named->found.n, names);
	}
	for (size_t i = 0; i < named->found.n; i++)
		if (lane_named_is_wanted(named, i))
			*place = &named->found.machines[i].place;
	return NULL;
}

void lane_named_say(FILE *to, const struct lane_named *named, size_t of)
{
	const struct lane_machine *machine = &named->found.machines[of];
	const char *parent = named->found.machines[machine->parent].name;
	const struct lane_tcp_match *match = &machine->match;

	switch (machine->tied) {
	case LANE_TIED_FIRST:
		fputs("the timeline is its clock", to);
		break;
	case LANE_TIED_BOOT:
		fputs("it is the timeline's boot: one clock", to);
		break;
	case LANE_TIED_PAIRS:
		fprintf(to, "tied to the timeline by %" PRIu64 " pairs", machine->sync.pairs);
		break;
	case LANE_TIED_PACKETS:
		fputs("tied by packets of TCP: ", to);
		fprintf(to, "%" PRIu64 " from ", match->there);
		lane_clean_print(to, parent);
		fprintf(to, ", %" PRIu64 " to ", match->back);
		lane_clean_print(to, parent);
		break;
	case LANE_TIED_UNEVEN:
		fputs("not on the timeline: no even clock keeps all packets that it and ", to);
		lane_clean_print(to, parent);
		fputs(" have seen", to);
		break;
	case LANE_TIED_UNBOUNDED:
		fprintf(to,
			"not on the timeline: of the packets that it and another machine have "
			"seen, "
			"%" PRIu64 " and %" PRIu64 " in the two directions are of use",
			match->there, match->back);
		break;
	default:
		fputs("not on the timeline: nothing ties its clock to it (packets of TCP that both "
		      "have seen, or --pairs FILE)",
		      to);
	}
}

void lane_named_clock(const struct lane_named *named, size_t of, uint64_t begin_ns, uint64_t end_ns,
		      struct lane_shown_clock *shown)
{
	const struct lane_machine *machine = &named->found.machines[of];

	shown->at_ns[0] = begin_ns;
	shown->at_ns[1] = begin_ns + (end_ns - begin_ns) / 2;
	shown->at_ns[2] = end_ns;
	shown->at_ns[3] = lane_tie_ns(machine->place.tie, machine->sync.last_other);
	for (int i = 0; i < LANE_SHOWN_TIMES; i++)
		shown->line[i] = lane_machine_line(&named->found, of,
						   lane_machine_own_ns(machine, shown->at_ns[i]));
}

void lane_named_deinit(struct lane_named *named)
{
	lane_machines_deinit(&named->found);
}

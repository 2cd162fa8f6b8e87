// SPDX-License-Identifier: MIT
// The recordings that a command is given: which machines they are of, which one is meant.
#include "session/named.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* The machines' names for a message, as many as there is room for. */
static void list_names(const struct session_named *named, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < named->found.n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
					 named->found.machines[i].name);
}

static struct lane_error *named_choose(const struct session_named *named)
{
	char names[512];

	for (size_t i = 0; i < named->found.n; i++)
		if (!strcmp(named->found.machines[i].name, named->machine))
			return NULL;
	list_names(named, names, sizeof(names));
	return lane_error_usage("--machine %s: no such machine (there are %s)", named->machine,
				names);
}

/* Of each recording that has them; a recording of an earlier gpulane, and others' traces, have
 * none. */
static struct lane_error *read_groups(struct session_named *named)
{
	struct lane_error *err = NULL;

	for (size_t i = 0; i < named->n_paths && !err; i++) {
		LANE_CLEANUP(lane_fclose) FILE *file = NULL;
		char path[4096];

		snprintf(path, sizeof(path), "%s/cgroups", named->paths[i]);
		file = fopen(path, "re");
		if (file)
			err = lane_cgroups_read(&named->groups, file);
	}
	if (!err && !named->groups.n)
		err = lane_error("--by cgroup: the recording does not have its processes' cgroups");
	return err;
}

struct lane_error *session_named_open(struct session_named *named)
{
	struct lane_error *err;

	named->is_by_cgroup = named->by && !strcmp(named->by, "cgroup");
	if (named->by && !named->is_by_cgroup && strcmp(named->by, "process") != 0)
		return lane_error_usage("--by %s: not process or cgroup", named->by);
	err = norm_machines_find(named->paths, named->n_paths, &named->found);
	if (err || named->found.n < 2) {
		if (!err && named->machine)
			return lane_error_usage("--machine %s: there is one machine only",
						named->machine);
		if (!err && named->pairs)
			return lane_error_usage("--pairs needs recordings of several machines");
		return err || !named->is_by_cgroup ? err : read_groups(named);
	}
	if (named->is_by_cgroup)
		return lane_error_usage("--by cgroup needs the recording of one machine");
	if (named->machine)
		err = named_choose(named);
	return err ? err : norm_machines_tie(&named->found, named->pairs);
}

bool session_named_is_wanted(const struct session_named *named, size_t of)
{
	return named->found.n < 2 || !named->machine ||
	       !strcmp(named->found.machines[of].name, named->machine);
}

size_t session_named_count(const struct session_named *named)
{
	return named->machine && named->found.n ? 1 : named->found.n;
}

struct lane_error *session_named_one(const struct session_named *named,
				     const struct lane_place **place)
{
	char names[512];

	*place = NULL;
	if (session_named_count(named) > 1) {
		list_names(named, names, sizeof(names));
		return lane_error_usage("these are %zu recordings: choose one with --machine (%s)",
					named->found.n, names);
	}
	for (size_t i = 0; i < named->found.n; i++)
		if (session_named_is_wanted(named, i))
			*place = &named->found.machines[i].place;
	return NULL;
}

void session_named_clock(const struct session_named *named, size_t of, uint64_t begin_ns,
			 uint64_t end_ns, struct session_shown_clock *shown)
{
	const struct lane_machine *machine = &named->found.machines[of];

	shown->at_ns[0] = begin_ns;
	shown->at_ns[1] = begin_ns + (end_ns - begin_ns) / 2;
	shown->at_ns[2] = end_ns;
	shown->at_ns[3] = norm_tie_ns(machine->place.tie, machine->sync.last_other);
	for (int i = 0; i < SESSION_SHOWN_TIMES; i++)
		shown->line[i] = norm_machine_line(&named->found, of,
						   norm_machine_own_ns(machine, shown->at_ns[i]));
}

void session_named_deinit(struct session_named *named)
{
	norm_machines_deinit(&named->found);
	lane_cgroups_free(&named->groups);
}

struct lane_error *session_named_read(const struct session_named *named, const struct session *of,
				      struct session *sessions, size_t *n)
{
	const struct lane_machines *found = &named->found;
	struct lane_error *err = NULL;

	for (*n = 0; *n < found->n && !err; (*n)++) {
		sessions[*n] = *of;
		sessions[*n].place = &found->machines[*n].place;
		if (*n && norm_machine_is_tied(&found->machines[*n]))
			sessions[*n].base_ns = sessions[0].first_ns;
		err = session_read(&sessions[*n]);
	}
	return err;
}

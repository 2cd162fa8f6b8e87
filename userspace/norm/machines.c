// SPDX-License-Identifier: MIT
// Which machines' traces there are, and how their clocks are tied together.
#include "norm/machines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vector.h"
#include "norm/pairs.h"
#include "norm/recorded.h"

enum {
	MOST_MACHINES = 256
};

bool norm_machine_is_tied(const struct lane_machine *machine)
{
	return machine->tied >= LANE_TIED_FIRST && machine->tied <= LANE_TIED_PACKETS;
}

/* --- which there are --- */

static struct lane_error *machines_add(struct lane_machines *machines, const char *path,
				       struct lane_machine **added)
{
	if (machines->n == MOST_MACHINES)
		return lane_error("%s: more than %d machines", path, MOST_MACHINES);
	if (!LANE_GROW_BY_ONE(machines->machines, machines->n))
		return &lane_enomem;
	*added = &machines->machines[machines->n++];
	**added = (struct lane_machine){ .place = { .path = path } };
	return NULL;
}

static bool add_trace(struct lane_machine *machine, const char *path)
{
	char *copy = strdup(path);

	if (!copy || !LANE_GROW_BY_ONE(machine->traces, machine->place.n_traces)) {
		free(copy);
		return false;
	}
	machine->place.traces = machine->traces;
	machine->traces[machine->place.n_traces++] = copy;
	return true;
}

/* True when path lies in the directory whose name has so many bytes. */
static bool machines_lies_in(const char *path, const char *dir, size_t bytes)
{
	return !strncmp(path, dir, bytes) && path[bytes] == '/';
}

/* Where all of a machine's traces are of one recording within the folder, that recording. */
static struct lane_error *take_recording(struct lane_machine *machine)
{
	size_t outer = strlen(machine->place.path);
	LANE_CLEANUP(lane_free) char *dir = strdup(machine->traces[0]);
	bool is_whole = true;
	char *slash;

	if (!dir)
		return &lane_enomem;
	while ((slash = strrchr(dir, '/')) && (size_t)(slash - dir) > outer) {
		LANE_CLEANUP(lane_free) char *facts = NULL;

		*slash = '\0';
		if (asprintf(&facts, "%s/recording.json", dir) < 0) {
			facts = NULL;
			return &lane_enomem;
		}
		if (access(facts, F_OK))
			continue;
		for (size_t i = 0; i < machine->place.n_traces; i++)
			is_whole &= machines_lies_in(machine->traces[i], dir, strlen(dir));
		if (!is_whole)
			return NULL;
		machine->path = LANE_TAKE(dir);
		machine->place.path = machine->path;
		return NULL;
	}
	return NULL;
}

/* A folder's traces, each machine's together, in the order of their paths. */
static struct lane_error *machines_divide(struct lane_machines *machines, const char *path,
					  const struct lane_recording *recording)
{
	size_t first = machines->n;

	for (size_t i = 0; i < recording->n_traces; i++) {
		struct lane_machine *machine = NULL;
		struct lane_trace_info info;
		struct lane_error *err = norm_recording_trace_info(&recording->traces[i], &info);

		if (err)
			return err;
		for (size_t k = first; k < machines->n && !machine; k++)
			if (norm_recording_are_kin(&machines->machines[k].info, &info))
				machine = &machines->machines[k];
		if (!machine) {
			err = machines_add(machines, path, &machine);
			if (err)
				return err;
			machine->info = info;
		}
		if (!add_trace(machine, recording->traces[i].path))
			return &lane_enomem;
	}
	for (size_t i = first; i < machines->n && machines->n > first + 1; i++) {
		struct lane_error *err = take_recording(&machines->machines[i]);

		if (err)
			return err;
	}
	return NULL;
}

static void deinit_machine(struct lane_machine *machine)
{
	for (size_t i = 0; i < machine->place.n_traces; i++)
		free(machine->traces[i]);
	free(machine->traces);
	machine->traces = NULL;
	free(LANE_TAKE(machine->path));
	machine->place = (struct lane_place){ 0 };
}

static int compare_traces(const void *left, const void *right)
{
	const struct lane_recording_trace *a = left, *b = right;

	return strcmp(a->path, b->path);
}

/* A path is a machine, unless it is a folder without a recording.json in which there are more. */
static struct lane_error *machines_expand(struct lane_machines *machines, const char *path)
{
	LANE_CLEANUP(norm_recording_deinit) struct lane_recording recording = { 0 };
	struct lane_machine *machine;
	size_t first = machines->n;
	struct lane_error *err;
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		err = norm_recording_init(path, &recording);
		if (!err && !recording.has_facts && recording.n_traces > 1) {
			qsort(recording.traces, recording.n_traces, sizeof(*recording.traces),
			      compare_traces);
			err = machines_divide(machines, path, &recording);
		}
		if (err == &lane_enomem)
			return err;
		/* Whoever opens it tells what is wrong. */
		if (!err && machines->n > first + 1)
			return NULL;
		lane_error_free(err);
		while (machines->n > first)
			deinit_machine(&machines->machines[--machines->n]);
	}
	return machines_add(machines, path, &machine);
}

/* The last part of a path. */
static void base_name(const char *path, char *name, size_t size)
{
	const char *end = path + strlen(path), *begin;

	while (end > path + 1 && end[-1] == '/')
		end--;
	for (begin = end; begin > path && begin[-1] != '/'; begin--)
		;
	snprintf(name, size, "%.*s", (int)(end - begin), begin);
}

static bool machines_is_taken(const struct lane_machines *machines, size_t of)
{
	for (size_t i = 0; i < of; i++)
		if (!strcmp(machines->machines[i].name, machines->machines[of].name))
			return true;
	return false;
}

static bool shares_host(const struct lane_machines *machines, size_t of)
{
	for (size_t i = 0; i < machines->n; i++)
		if (i != of &&
		    !strcmp(machines->machines[i].info.host, machines->machines[of].info.host))
			return true;
	return false;
}

/* The host's name; where it has none, or another has the same, the path's end with it. */
static void machines_set_name(struct lane_machines *machines, size_t of)
{
	struct lane_machine *machine = &machines->machines[of];
	const char *path = machine->place.n_traces ? machine->traces[0] : machine->place.path;
	const char *host = machine->info.host;
	char base[48], name[sizeof(machine->name)];

	base_name(path, base, sizeof(base));
	if (!*host)
		snprintf(name, sizeof(name), "%s", base);
	else if (shares_host(machines, of))
		snprintf(name, sizeof(name), "%.28s/%.47s", host, base);
	else
		snprintf(name, sizeof(name), "%s", host);
	snprintf(machine->name, sizeof(machine->name), "%s", name);
	for (unsigned int k = 2; machines_is_taken(machines, of); k++)
		snprintf(machine->name, sizeof(machine->name), "%.60s/%u", name, k);
	if (machine->place.n_traces && !machine->path)
		machine->place.machine = machine->name;
}

static struct lane_error *read_info(struct lane_machine *machine)
{
	LANE_CLEANUP(norm_input_cleanup) struct lane_input *input = NULL;
	struct lane_error *err = norm_input_open_places(&machine->place, 1, NULL, &input);

	if (!err)
		machine->info = *norm_input_info(input);
	return err;
}

struct lane_error *norm_machines_find(const char *const *paths, size_t n,
				      struct lane_machines *machines)
{
	struct lane_error *err = NULL;

	for (size_t i = 0; i < n && !err; i++)
		err = machines_expand(machines, paths[i]);
	for (size_t i = 0; i < machines->n && machines->n > 1 && !err; i++)
		err = read_info(&machines->machines[i]);
	for (size_t i = 0; i < machines->n && machines->n > 1 && !err; i++)
		machines_set_name(machines, i);
	return err;
}

/* --- their clocks --- */

static bool may_have_packets(const struct lane_trace_info *info)
{
	for (unsigned int kind = LANE_INET_OUT; kind <= LANE_NET_RECEIVE; kind++)
		if (info->presence[kind] != LANE_PRESENCE_ABSENT)
			return true;
	return false;
}

/* Reads all of a machine for its packets. */
static struct lane_error *collect(struct lane_machine *machine, struct lane_tcp *packets)
{
	LANE_CLEANUP(norm_input_cleanup) struct lane_input *input = NULL;
	const struct lane_event *event;
	struct lane_error *err;

	err = norm_input_open_places(&machine->place, 1, NULL, &input);
	while (!err) {
		err = norm_input_next_whole(input, &event);
		if (err || !event)
			break;
		if (!norm_tcp_take(packets, event))
			err = &lane_enomem;
	}
	return err;
}

/* Tries to tie one machine to another that is tied. */
static struct lane_error *tie_by_packets(struct lane_machine *machine, size_t parent,
					 struct lane_tcp *of_parent, struct lane_tcp *packets)
{
	struct lane_tcp_match match;
	struct lane_sync sync;
	struct lane_error *err = norm_tcp_match(of_parent, packets, &sync, &match);
	bool any = match.there + match.back + match.ambiguous + match.unproven;
	uint64_t lo, hi;

	if (err || !any)
		return err;
	if (sync.restarts)
		machine->tied = LANE_TIED_UNEVEN;
	else if (!clock_sync_bounds(&sync, sync.last_other, &lo, &hi))
		machine->tied = LANE_TIED_UNBOUNDED;
	else
		machine->tied = LANE_TIED_PACKETS;
	machine->parent = parent;
	machine->match = match;
	machine->sync = sync;
	return NULL;
}

/* From the first machine outwards, until nobody more can be tied. */
static struct lane_error *tie_all(struct lane_machines *machines, struct lane_tcp **packets)
{
	size_t queue[MOST_MACHINES], n = 0, at = 0;
	struct lane_error *err = NULL;

	for (size_t i = 0; i < machines->n; i++)
		if (norm_machine_is_tied(&machines->machines[i]))
			queue[n++] = i;
	for (; at < n && !err; at++)
		for (size_t i = 0; i < machines->n && !err; i++) {
			struct lane_machine *machine = &machines->machines[i];

			if (norm_machine_is_tied(machine) || !packets[queue[at]] || !packets[i])
				continue;
			err = tie_by_packets(machine, queue[at], packets[queue[at]], packets[i]);
			if (norm_machine_is_tied(machine))
				queue[n++] = i;
		}
	return err;
}

static struct lane_error *find_packets(struct lane_machines *machines)
{
	LANE_CLEANUP(lane_free) struct lane_tcp **packets = calloc(machines->n, sizeof(*packets));
	struct lane_error *err = NULL;
	size_t n = 0;

	if (!packets)
		return &lane_enomem;
	for (size_t i = 0; i < machines->n; i++)
		n += may_have_packets(&machines->machines[i].info);
	for (size_t i = 0; i < machines->n && n > 1 && !err; i++) {
		if (!may_have_packets(&machines->machines[i].info))
			continue;
		packets[i] = norm_tcp_create();
		err = packets[i] ? collect(&machines->machines[i], packets[i]) : &lane_enomem;
	}
	if (!err)
		err = tie_all(machines, packets);
	for (size_t i = 0; i < machines->n; i++)
		norm_tcp_destroy(packets[i]);
	return err;
}

static struct lane_error *take_pairs(struct lane_machines *machines, const char *path)
{
	LANE_CLEANUP(lane_free) struct lane_sync *syncs = calloc(machines->n, sizeof(*syncs));
	struct lane_error *err;

	if (!syncs)
		return &lane_enomem;
	err = norm_pairs_read(path, syncs, machines->n);
	for (size_t i = 1; i < machines->n && !err; i++) {
		machines->machines[i].sync = syncs[i];
		machines->machines[i].tied = LANE_TIED_PAIRS;
		machines->machines[i].parent = 0;
	}
	return err;
}

/* What each tied machine's events go through, up to the first machine's clock. */
static void make_ties(struct lane_machines *machines)
{
	for (size_t i = 1; i < machines->n; i++) {
		struct lane_machine *machine = &machines->machines[i];
		const struct lane_machine *parent = &machines->machines[machine->parent];

		if (machine->tied != LANE_TIED_PAIRS && machine->tied != LANE_TIED_PACKETS)
			continue;
		clock_sync_map(&machine->sync, &machine->tie.map);
		/* One of the first machine's boot has its clock: there the way ends. */
		machine->tie.next = parent->tied == LANE_TIED_PACKETS ? &parent->tie : NULL;
		machine->place.tie = &machine->tie;
		machine->place.clock = &machines->machines[0].info;
	}
}

struct lane_error *norm_machines_tie(struct lane_machines *machines, const char *pairs)
{
	const struct lane_machine *first = machines->machines;
	bool all = true;
	struct lane_error *err = NULL;

	if (!machines->n)
		return NULL;
	machines->machines[0].tied = LANE_TIED_FIRST;
	for (size_t i = 1; i < machines->n; i++) {
		struct lane_machine *machine = &machines->machines[i];

		if (*first->info.clock_uuid &&
		    !strcmp(first->info.clock_uuid, machine->info.clock_uuid))
			machine->tied = LANE_TIED_BOOT;
		all &= machine->tied != LANE_TIED_NOT;
	}
	if (pairs)
		err = take_pairs(machines, pairs);
	else if (!all)
		err = find_packets(machines);
	if (!err)
		make_ties(machines);
	return err;
}

void norm_machine_bounds(const struct lane_machines *machines, size_t of, uint64_t ns,
			 uint64_t *lo_ns, uint64_t *hi_ns)
{
	uint64_t unused;

	*lo_ns = *hi_ns = ns;
	while (machines->machines[of].tied == LANE_TIED_PAIRS ||
	       machines->machines[of].tied == LANE_TIED_PACKETS) {
		const struct lane_machine *machine = &machines->machines[of];

		clock_sync_bounds(&machine->sync, *lo_ns, lo_ns, &unused);
		clock_sync_bounds(&machine->sync, *hi_ns, &unused, hi_ns);
		of = machine->parent;
	}
}

struct lane_sync_line norm_machine_line(const struct lane_machines *machines, size_t of,
					uint64_t ns)
{
	struct lane_sync_line line = { 0 }, step;
	uint64_t lo, hi;

	norm_machine_bounds(machines, of, ns, &lo, &hi);
	line.offset_lo_ns = (int64_t)(ns - hi);
	line.offset_hi_ns = (int64_t)(ns - lo);
	while (machines->machines[of].tied == LANE_TIED_PAIRS ||
	       machines->machines[of].tied == LANE_TIED_PACKETS) {
		const struct lane_machine *machine = &machines->machines[of];

		/* Rates differ by parts per million: their products are nothing. */
		if (clock_sync_line(&machine->sync, machine->sync.last_other, &step)) {
			line.drift_lo_ppm += step.drift_lo_ppm;
			line.drift_hi_ppm += step.drift_hi_ppm;
		}
		of = machine->parent;
	}
	return line;
}

uint64_t norm_machine_own_ns(const struct lane_machine *machine, uint64_t ns)
{
	uint64_t own = machine->sync.last_other;

	if (!machine->place.tie)
		return ns;
	/* Rates differ by a thousandth at most: so much is left of an error each time. */
	for (int i = 0; i < 8; i++)
		own = ns + (own - norm_tie_ns(machine->place.tie, own));
	return own;
}

uint64_t norm_machine_half_width(const struct lane_machines *machines, size_t of, uint64_t ns)
{
	uint64_t own = norm_machine_own_ns(&machines->machines[of], ns), lo, hi;

	norm_machine_bounds(machines, of, own, &lo, &hi);
	return hi - ns > ns - lo ? hi - ns : ns - lo;
}

bool norm_machines_are_one_boot(const struct lane_machines *machines)
{
	for (size_t i = 0; i < machines->n; i++)
		if (machines->machines[i].tied > LANE_TIED_BOOT ||
		    !norm_machine_is_tied(&machines->machines[i]))
			return false;
	return true;
}

void norm_machines_deinit(struct lane_machines *machines)
{
	for (size_t i = 0; i < machines->n; i++)
		deinit_machine(&machines->machines[i]);
	free(machines->machines);
	*machines = (struct lane_machines){ 0 };
}

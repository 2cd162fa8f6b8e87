// SPDX-License-Identifier: MIT
// The reports of several machines: what is known of their clocks, then each machine's report.
#include "show/report_machines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "show/json.h"
#include "show/report_tables.h"

static const char *const shown_names[SESSION_SHOWN_TIMES] = { "start", "middle", "end",
							      "last pair" };

static const char *const tied_names[] = {
	[LANE_TIED_NOT] = "nothing",	     [LANE_TIED_FIRST] = "first",
	[LANE_TIED_BOOT] = "boot",	     [LANE_TIED_PAIRS] = "pairs",
	[LANE_TIED_PACKETS] = "packets",     [LANE_TIED_UNEVEN] = "uneven",
	[LANE_TIED_UNBOUNDED] = "unbounded",
};

struct report {
	const struct session_named *named;
	struct session *sessions;
	const struct lane_report_options *options;
};

static bool has_bounds(const struct lane_machine *machine)
{
	return machine->tied == LANE_TIED_PAIRS || machine->tied == LANE_TIED_PACKETS;
}

static void clock_of(const struct report *r, size_t of, struct session_shown_clock *shown)
{
	const struct lane_timeline_figures *figures = &r->sessions[of].latency.figures;

	session_named_clock(r->named, of, figures->begin_ns, figures->end_ns, shown);
}

/* --- text --- */

void show_say_tie(FILE *to, const struct session_named *named, size_t of)
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
			"seen, %" PRIu64 " and %" PRIu64 " in the two directions are of use",
			match->there, match->back);
		break;
	default:
		fputs("not on the timeline: nothing ties its clock to it (packets of TCP that both "
		      "have seen, or --pairs FILE)",
		      to);
	}
}

/* An offset in seconds with its half width: "+0.000012345 s, +-1.2 us". */
static void write_offset(FILE *to, const struct lane_sync_line *line)
{
	int64_t width = line->offset_hi_ns - line->offset_lo_ns;
	int64_t middle = line->offset_lo_ns + width / 2;
	uint64_t size = middle < 0 ? -(uint64_t)middle : (uint64_t)middle;

	fprintf(to, "%c%" PRIu64 ".%09" PRIu64 " s, ± %s", middle < 0 ? '-' : '+',
		size / 1000000000, size % 1000000000, SHOW_DURATION((uint64_t)(width + 1) / 2));
}

static void write_clock(const struct report *r, size_t of)
{
	struct session_shown_clock shown;

	clock_of(r, of, &shown);
	for (int i = 0; i < SESSION_SHOWN_TIMES; i++) {
		fprintf(stdout, "    its clock is ahead, at its %-9s  ", shown_names[i]);
		write_offset(stdout, &shown.line[i]);
		fputc('\n', stdout);
	}
	fprintf(stdout, "    and gains %.3f to %.3f ppm\n", shown.line[1].drift_lo_ppm,
		shown.line[1].drift_hi_ppm);
}

/* The first of the recordings that is of the machine, and of the same boot. */
static size_t first_of_boot(const struct lane_machines *found, size_t of)
{
	const char *uuid = found->machines[of].info.clock_uuid;
	size_t i = 0;

	while (i < of && (!*uuid || strcmp(found->machines[i].info.clock_uuid, uuid) != 0))
		i++;
	return i;
}

/* What is known of each clock. */
static void write_head(const struct report *r)
{
	const struct lane_machines *found = &r->named->found;
	size_t tied = 0, machines = 0;

	for (size_t i = 0; i < found->n; i++) {
		tied += norm_machine_is_tied(&found->machines[i]);
		machines += first_of_boot(found, i) == i;
	}
	if (machines < found->n)
		printf("%zu recordings of ", found->n);
	printf("%zu machine%s, %zu on one timeline. Each has its own report; nothing is concluded "
	       "from one %s to another.\n",
	       machines, lane_s(machines), tied, machines < found->n ? "recording" : "machine");
	for (size_t i = 0; i < found->n; i++) {
		const struct lane_machine *machine = &found->machines[i];

		fputs("  ", stdout);
		lane_clean_print(stdout, machine->name);
		fputs(" (", stdout);
		lane_clean_print(stdout, machine->place.n_traces ? machine->traces[0]
								 : machine->place.path);
		fputs("): ", stdout);
		show_say_tie(stdout, r->named, i);
		if (first_of_boot(found, i) < i) {
			fputs("; the same machine as ", stdout);
			lane_clean_print(stdout, found->machines[first_of_boot(found, i)].name);
		}
		fputs("\n", stdout);
		if (has_bounds(machine))
			write_clock(r, i);
	}
}

static struct lane_error *report_machines_write_text(const struct report *r)
{
	struct lane_error *err = NULL;

	write_head(r);
	for (size_t i = 0; i < r->named->found.n && !err; i++) {
		struct lane_report_options options = *r->options;

		options.place = &r->named->found.machines[i].place;
		printf("\n%s== ", r->options->has_colour ? "\033[1m" : "");
		lane_clean_print(stdout, r->named->found.machines[i].name);
		printf(" ==%s\n", r->options->has_colour ? "\033[0m" : "");
		err = lane_report_text.write(stdout, &r->sessions[i].latency, &options);
	}
	return err;
}

/* --- JSON, CSV --- */

static void add_clock(struct json_object *to, const struct report *r, size_t of)
{
	const struct lane_machine *machine = &r->named->found.machines[of];
	struct json_object *clock = show_json_object(to, "clock"), *list;
	struct session_shown_clock shown;

	show_json_text(clock, "tied_by", tied_names[machine->tied]);
	show_json_bool(clock, "on_timeline", norm_machine_is_tied(machine));
	if (machine->tied >= LANE_TIED_PAIRS) {
		show_json_text(clock, "to", r->named->found.machines[machine->parent].name);
		show_json_uint(clock, "used", machine->sync.pairs);
		show_json_uint(clock, "from_it", machine->match.there);
		show_json_uint(clock, "to_it", machine->match.back);
		show_json_uint(clock, "ambiguous", machine->match.ambiguous);
		show_json_uint(clock, "unproven", machine->match.unproven);
	}
	if (!has_bounds(machine))
		return;
	clock_of(r, of, &shown);
	show_json_real(clock, "drift_min_ppm", shown.line[1].drift_lo_ppm);
	show_json_real(clock, "drift_max_ppm", shown.line[1].drift_hi_ppm);
	list = show_json_list(clock, "offsets");
	for (int i = 0; i < SESSION_SHOWN_TIMES; i++) {
		struct json_object *row = show_json_row(list);

		show_json_text(row, "at", shown_names[i]);
		show_json_uint(row, "at_ns", shown.at_ns[i]);
		show_json_uint(row, "own_ns", norm_machine_own_ns(machine, shown.at_ns[i]));
		show_json_int(row, "min_ns", shown.line[i].offset_lo_ns);
		show_json_int(row, "max_ns", shown.line[i].offset_hi_ns);
	}
}

static struct lane_error *report_machines_write_json(const struct report *r)
{
	struct json_object *root = json_object_new_object();
	struct json_object *list = show_json_list(root, "machines");
	struct lane_error *err = NULL;

	for (size_t i = 0; i < r->named->found.n && !err; i++) {
		const struct lane_machine *machine = &r->named->found.machines[i];
		struct json_object *row = show_json_row(list), *tree;

		show_json_text(row, "machine", machine->name);
		show_json_text(row, "path",
			       machine->place.n_traces ? machine->traces[0] : machine->place.path);
		add_clock(row, r, i);
		err = show_report_tree(&r->sessions[i].latency, NULL, &tree);
		if (!err)
			json_object_object_add(row, "report", tree);
	}
	if (err)
		json_object_put(root);
	else if (!show_json_write(stdout, root, JSON_C_TO_STRING_PRETTY))
		err = &lane_enomem;
	return err;
}

/* Each machine's lines with its name before them. */
static struct lane_error *report_machines_write_csv(const struct report *r)
{
	struct lane_error *err = NULL;

	puts("machine,table,row,column,value");
	for (size_t i = 0; i < r->named->found.n && !err; i++) {
		struct lane_report_options options = *r->options;

		options.machine = r->named->found.machines[i].name;
		err = lane_report_csv.write(stdout, &r->sessions[i].latency, &options);
	}
	return err;
}

static struct lane_error *report_machines_write_all(const struct report *r,
						    const struct lane_report_format *format)
{
	struct lane_error *err = format == &lane_report_json  ? report_machines_write_json(r)
				 : format == &lane_report_csv ? report_machines_write_csv(r)
							      : report_machines_write_text(r);

	if (!err && ferror(stdout))
		err = lane_error("it could not be written");
	return err;
}

struct lane_error *show_report_machines(const struct session_named *named, const struct session *of,
					const struct lane_report_format *format,
					const struct lane_report_options *options)
{
	LANE_CLEANUP(lane_free)
	struct session *sessions = calloc(named->found.n, sizeof(*sessions));
	const struct report r = { named, sessions, options };
	struct lane_error *err;
	size_t n;

	if (!sessions)
		return &lane_enomem;
	err = session_named_read(named, of, sessions, &n);
	if (!err)
		err = report_machines_write_all(&r, format);
	for (size_t i = 0; i < n; i++) {
		err = session_damage_end(&sessions[i].damage, err);
		session_deinit(&sessions[i]);
	}
	return err;
}

// SPDX-License-Identifier: MIT
// gpulane doctor: what this machine offers for recording, as text or JSON.
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/probe.h"
#include "cmd/cmd.h"
#include "cmd/options.h"

struct doctor_options {
	struct lane_probe_options probe;
	bool is_json;
	bool lists_events;
	struct lane_error *err;
};

enum {
	OPTION_FORMAT = 256,
	OPTION_ROOT,
	OPTION_NO_OPENCL
};

static const struct argp_option doctor_argp_options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text (default) or json", 0 },
	{ "events", 'e', NULL, 0, "list every event and where it would come from", 0 },
	{ "root", OPTION_ROOT, "DIR", 0,
	  "look at the machine whose /proc, /sys, /boot, /lib, /etc, /var and /run lie below DIR",
	  0 },
	{ "no-opencl", OPTION_NO_OPENCL, NULL, 0, "do not load OpenCL drivers", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct doctor_options *options = state->input;

	switch (key) {
	case OPTION_FORMAT:
		options->is_json = !strcmp(arg, "json");
		if (options->is_json || !strcmp(arg, "text"))
			return 0;
		options->err = lane_error_usage("doctor: --format %s: not text or json", arg);
		return EINVAL;
	case 'e':
		options->lists_events = true;
		return 0;
	case OPTION_ROOT:
		options->probe.root = arg;
		if (!access(arg, X_OK))
			return 0;
		options->err = lane_error_errno(errno, "doctor: --root %s", arg);
		return EINVAL;
	case OPTION_NO_OPENCL:
		options->probe.leaves_out_opencl = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Colours, on a terminal that has them; otherwise empty. */
struct palette {
	const char *title;
	const char *state[4];
	const char *end;
};

static const struct palette plain = { "", { "", "", "", "" }, "" };
static const struct palette coloured = { "\033[1m",
					 { "", "\033[32m", "\033[31m", "\033[33m" },
					 "\033[0m" };

static const struct palette *choose_palette(void)
{
	return cmd_has_colour() ? &coloured : &plain;
}

/* What is found on the machine may hold anything: it must not steer the terminal. */
static void put_text(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void print_check(const struct lane_check *check, const struct palette *colours)
{
	static const char *const marks[] = { [LANE_CHECK_FACT] = " ",
					     [LANE_CHECK_OK] = "+",
					     [LANE_CHECK_MISSING] = "-",
					     [LANE_CHECK_UNKNOWN] = "?" };

	printf("  %s%s%s ", colours->state[check->state], marks[check->state], colours->end);
	put_text(check->name);
	printf("%*s", (int)(strlen(check->name) < 28 ? 28 - strlen(check->name) : 1), "");
	put_text(check->value);
	putchar('\n');
	if (check->cost)
		printf("      costs: %s\n      to get it: %s\n", check->cost, check->remedy);
}

static void print_events(const struct lane_bpf_plan *plan, const struct palette *colours)
{
	printf("\n%swhat `gpulane record` gets of each event (as root)%s\n", colours->title,
	       colours->end);
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const struct lane_capture_kind *found = &plan->kinds[kind];
		const char *why = *found->missing ? found->missing : "not known";

		if (lane_is_derived((unsigned int)kind) || lane_is_packet((unsigned int)kind) ||
		    lane_is_counter((unsigned int)kind))
			continue;
		printf("  %s%s%s %-28s ",
		       colours->state[found->recorded ? LANE_CHECK_OK : LANE_CHECK_MISSING],
		       found->recorded ? "+" : "-", colours->end, lane_kinds[kind].name);
		if (found->recorded)
			printf("%s %s\n", lane_origin_name(found->origin), found->hook);
		else
			printf("%s\n", why);
	}
}

static void count_states(const struct lane_probe *probe, unsigned int counts[4])
{
	for (size_t i = 0; i < probe->n_checks; i++)
		counts[probe->checks[i].state]++;
}

static void print_text(const struct lane_probe *probe, bool events)
{
	const struct palette *colours = choose_palette();
	const char *section = "";
	unsigned int counts[4] = { 0 };
	unsigned int recorded = 0;

	for (size_t i = 0; i < probe->n_checks; i++) {
		const struct lane_check *check = &probe->checks[i];

		if (strcmp(section, check->section))
			printf("%s%s%s%s\n", i ? "\n" : "", colours->title, check->section,
			       colours->end);
		section = check->section;
		print_check(check, colours);
	}
	recorded = capture_bpf_planned(&probe->plan);
	if (events)
		print_events(&probe->plan, colours);
	count_states(probe, counts);
	printf("\n%u there, %u missing, %u not known; ", counts[LANE_CHECK_OK],
	       counts[LANE_CHECK_MISSING], counts[LANE_CHECK_UNKNOWN]);
	if (probe->planned)
		printf("%u of %d events can be recorded%s\n", recorded,
		       LANE_KIND_COUNT - LANE_DERIVED_COUNT - LANE_PACKET_COUNT -
			       LANE_COUNTER_COUNT,
		       events ? "" : " (--events lists them)");
	else
		printf("which events can be recorded is not known\n");
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, text ? json_object_new_string(text) : NULL);
}

static struct json_object *json_checks(const struct lane_probe *probe)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < probe->n_checks; i++) {
		const struct lane_check *check = &probe->checks[i];
		struct json_object *one = json_object_new_object();

		add_text(one, "section", check->section);
		add_text(one, "name", check->name);
		add_text(one, "state", capture_check_state_name(check->state));
		add_text(one, "value", check->value);
		if (check->cost) {
			add_text(one, "cost", check->cost);
			add_text(one, "remedy", check->remedy);
		}
		json_object_array_add(all, one);
	}
	return all;
}

static struct json_object *json_events(const struct lane_bpf_plan *plan)
{
	struct json_object *all = json_object_new_object();

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const struct lane_capture_kind *found = &plan->kinds[kind];
		struct json_object *one;

		if (lane_is_derived((unsigned int)kind) || lane_is_packet((unsigned int)kind) ||
		    lane_is_counter((unsigned int)kind))
			continue;
		one = json_object_new_object();
		json_object_object_add(one, "recorded", json_object_new_boolean(found->recorded));
		if (found->recorded) {
			add_text(one, "source", lane_origin_name(found->origin));
			add_text(one, "hook", found->hook);
		} else if (*found->missing) {
			add_text(one, "missing", found->missing);
		}
		json_object_object_add(all, lane_kinds[kind].name, one);
	}
	return all;
}

static struct lane_error *print_json(const struct lane_probe *probe)
{
	struct json_object *root = json_object_new_object();
	unsigned int counts[4] = { 0 };
	const char *text;

	if (!root)
		return &lane_enomem;
	count_states(probe, counts);
	json_object_object_add(root, "version", json_object_new_int(1));
	add_text(root, "gpulane", GPULANE_VERSION);
	json_object_object_add(root, "checks", json_checks(probe));
	json_object_object_add(root, "events", json_events(&probe->plan));
	for (int state = LANE_CHECK_OK; state <= LANE_CHECK_UNKNOWN; state++)
		json_object_object_add(root, capture_check_state_name(state),
				       json_object_new_int((int32_t)counts[state]));
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		puts(text);
	json_object_put(root);
	return text ? NULL : &lane_enomem;
}

static void destroy_probe(struct lane_probe **probe)
{
	capture_probe_destroy(*probe);
}

struct lane_error *cmd_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		.options = doctor_argp_options,
		.parser = parse_option,
		.doc = "Tell what this kernel, driver and OpenCL offer, what is missing, what that "
		       "costs and how to get it.\v"
		       "Changes nothing and needs no privileges; root is told more.",
	};
	LANE_CLEANUP(destroy_probe) struct lane_probe *probe = NULL;
	struct doctor_options options = { .probe.root = "" };
	struct lane_error *err;
	int done;

	err = lane_parse(&argp, argc, argv, &options, &options.err, &done);
	if (err || done)
		return err;
	err = capture_probe_run(&options.probe, &probe);
	if (err)
		return err;
	if (options.is_json)
		return print_json(probe);
	print_text(probe, options.lists_events);
	return NULL;
}

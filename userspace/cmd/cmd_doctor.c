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

static error_t doctor_parse_option(int key, char *arg, struct argp_state *state)
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
static void doctor_put_text(const char *text)
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
	doctor_put_text(check->name);
	printf("%*s", (int)(strlen(check->name) < 28 ? 28 - strlen(check->name) : 1), "");
	doctor_put_text(check->value);
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

		if (lane_is_derived((unsigned int)kind) || lane_is_only_read((unsigned int)kind) ||
		    lane_is_counter((unsigned int)kind) || lane_is_stack((unsigned int)kind))
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

/* The first check whose name is that, or begins so, in that state; NULL: there is none. */
static const struct lane_check *find_check(const struct lane_probe *probe, const char *name,
					   enum lane_check_state state)
{
	for (size_t i = 0; i < probe->n_checks; i++)
		if (probe->checks[i].state == state &&
		    !strncmp(probe->checks[i].name, name, strlen(name)))
			return &probe->checks[i];
	return NULL;
}

/* What can be recorded: each is, where one of two kinds is. */
static void list_recorded(const struct lane_probe *probe, FILE *to)
{
	static const struct {
		const char *what;
		bool is_gpu;
		int kinds[2];
	} all[] = {
		{ "i915's requests", true, { LANE_RQ_QUEUE, LANE_RQ_ADD } },
		{ "jobs of drm_sched", true, { LANE_DRM_RUN, LANE_DRM_QUEUE } },
		{ "threads", false, { LANE_SWITCH, LANE_SWITCH } },
		{ "OpenCL's calls", false, { LANE_CL_ENTRY, LANE_CL_ENTRY } },
	};
	const struct lane_capture_kind *kinds = probe->plan.kinds;
	bool has_gpu = !find_check(probe, "GPU", LANE_CHECK_MISSING);
	const char *before = "";

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const int *of = all[i].kinds;

		if ((all[i].is_gpu && !has_gpu) ||
		    (!kinds[of[0]].recorded && !kinds[of[1]].recorded))
			continue;
		fprintf(to, "%s%s", before, all[i].what);
		before = ", ";
		if (of[0] == LANE_RQ_QUEUE && !kinds[LANE_RQ_EXECUTE].recorded &&
		    !kinds[LANE_RQ_IN].recorded && !kinds[LANE_PORTS].recorded)
			fprintf(to, " (but not when they ran: %s)", kinds[LANE_PORTS].missing);
	}
	if (find_check(probe, "layer", LANE_CHECK_OK) &&
	    find_check(probe, "session daemon", LANE_CHECK_OK))
		fprintf(to, "%scommands of OpenCL and Level Zero", before);
	else if (!*before)
		fputs("nothing", to);
}

/*
 * One line, the caller's: what can be recorded here, and of what is missing the one that costs
 * most. NULL without memory.
 */
static char *doctor_conclude(const struct lane_probe *probe)
{
	static const char *const worst[] = {
		"tracefs", "BTF of the kernel", "GPU",	     "card", "gpu-sched", "i915", "BTF of",
		"loader",  "drivers",		"platforms", "layer"
	};
	const struct lane_check *check = find_check(probe, "tracefs", LANE_CHECK_UNKNOWN);
	const char *who = find_check(probe, "CAP_SYS_ADMIN", LANE_CHECK_OK) ? "You" : "As root you";
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	if (find_check(probe, "BTF of the kernel", LANE_CHECK_MISSING) ||
	    find_check(probe, "tracefs", LANE_CHECK_MISSING)) {
		fprintf(to, "%s can record nothing by BPF", who);
	} else if (check) {
		fprintf(to, "What you can record is not known: tracefs: %s (%s)", check->value,
			check->remedy);
	} else {
		fprintf(to, "%s can record ", who);
		list_recorded(probe, to);
	}
	check = NULL;
	for (size_t i = 0; i < sizeof(worst) / sizeof(worst[0]) && !check; i++)
		check = find_check(probe, worst[i], LANE_CHECK_MISSING);
	if (check)
		fprintf(to, ". Missing: %s (%s)", check->name, check->cost);
	fputc('.', to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static void doctor_print_text(const struct lane_probe *probe, const char *conclusion, bool events)
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
		       LANE_KIND_COUNT - LANE_DERIVED_COUNT - LANE_ONLY_READ_COUNT -
			       LANE_COUNTER_COUNT - LANE_STACK_COUNT,
		       events ? "" : " (--events lists them)");
	else
		printf("which events can be recorded is not known\n");
	puts(conclusion);
}

static void doctor_add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, text ? json_object_new_string(text) : NULL);
}

static struct json_object *json_checks(const struct lane_probe *probe)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < probe->n_checks; i++) {
		const struct lane_check *check = &probe->checks[i];
		struct json_object *one = json_object_new_object();

		doctor_add_text(one, "section", check->section);
		doctor_add_text(one, "name", check->name);
		doctor_add_text(one, "state", capture_check_state_name(check->state));
		doctor_add_text(one, "value", check->value);
		if (check->cost) {
			doctor_add_text(one, "cost", check->cost);
			doctor_add_text(one, "remedy", check->remedy);
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

		if (lane_is_derived((unsigned int)kind) || lane_is_only_read((unsigned int)kind) ||
		    lane_is_counter((unsigned int)kind) || lane_is_stack((unsigned int)kind))
			continue;
		one = json_object_new_object();
		json_object_object_add(one, "recorded", json_object_new_boolean(found->recorded));
		if (found->recorded) {
			doctor_add_text(one, "source", lane_origin_name(found->origin));
			doctor_add_text(one, "hook", found->hook);
		} else if (*found->missing) {
			doctor_add_text(one, "missing", found->missing);
		}
		json_object_object_add(all, lane_kinds[kind].name, one);
	}
	return all;
}

static struct lane_error *print_json(const struct lane_probe *probe, const char *conclusion)
{
	struct json_object *root = json_object_new_object();
	unsigned int counts[4] = { 0 };
	const char *text;

	if (!root)
		return &lane_enomem;
	count_states(probe, counts);
	json_object_object_add(root, "version", json_object_new_int(1));
	doctor_add_text(root, "gpulane", GPULANE_VERSION);
	json_object_object_add(root, "checks", json_checks(probe));
	json_object_object_add(root, "events", json_events(&probe->plan));
	for (int state = LANE_CHECK_OK; state <= LANE_CHECK_UNKNOWN; state++)
		json_object_object_add(root, capture_check_state_name(state),
				       json_object_new_int((int32_t)counts[state]));
	doctor_add_text(root, "conclusion", conclusion);
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
		.parser = doctor_parse_option,
		.doc = "Tell what this kernel, driver and OpenCL offer, what is missing, what that "
		       "costs and how to get it.\v"
		       "Changes nothing and needs no privileges; root is told more.",
	};
	LANE_CLEANUP(destroy_probe) struct lane_probe *probe = NULL;
	LANE_CLEANUP(lane_free) char *conclusion = NULL;
	struct doctor_options options = { .probe.root = "" };
	struct cmd_wrapped wrapped;
	struct lane_error *err;
	int done;

	err = lane_parse(&argp, argc, argv, &options, &options.err, &done);
	if (err || done)
		return err;
	err = capture_probe_run(&options.probe, &probe);
	if (err)
		return err;
	conclusion = doctor_conclude(probe);
	if (!conclusion)
		return &lane_enomem;
	if (options.is_json)
		return print_json(probe, conclusion);
	cmd_wrapped_begin(&wrapped);
	doctor_print_text(probe, conclusion, options.lists_events);
	cmd_wrapped_end(&wrapped);
	return NULL;
}

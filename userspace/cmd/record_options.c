// SPDX-License-Identifier: MIT
// The options of gpulane record.
#include "cmd/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	KEY_HOOKS = 256,
	KEY_COMM,
	KEY_ALL,
	KEY_AS_ROOT,
	KEY_OPENCL,
	KEY_OPENCL_LIBRARY,
	KEY_COUNTERS,
	KEY_ROOT,
	KEY_STACKS,
	KEY_RANGES,
};

static const struct argp_option option_table[] = {
	{ "backend", 'b', "NAME", 0,
	  "bpf (the default), lttng, both at once, or none: only what --api records", 0 },
	{ "output", 'o', "DIR", 0,
	  "the recording's directory, which must not be there (default: gpulane-DATE-TIME)", 0 },
	{ "events", 'e', "GROUPS", 0,
	  "comma-separated: i915, context, drm, driver, memory, power, fence, sched, process, "
	  "reset, frames, workqueue (the default), irq, ranges, opencl (as --api probes)",
	  0 },
	{ "follow", 'f', 0, 0, "record COMMAND and its descendants only, not the whole system", 0 },
	{ "pid", 'p', "PID", 0, "record this process and its descendants only", 0 },
	{ "all", KEY_ALL, 0, 0, "record the whole system (the default)", 0 },
	{ "comm", KEY_COMM, "NAME", 0, "record only processes of this name", 0 },
	{ "engine", 'g', "CLASS:INSTANCE", 0,
	  "record only requests of this engine, as 0:0 for rcs0; may be repeated", 0 },
	{ "as-root", KEY_AS_ROOT, 0, 0,
	  "under sudo, run COMMAND as root, not as the user who called sudo", 0 },
	{ "api", KEY_OPENCL, "HOW", 0,
	  "OpenCL and Level Zero calls: COMMAND's by LTTng's user-space tracer as layer (the "
	  "loaders have our layers) or preload; every process's by probes; "
	  "layer,probes for both; off; or auto (the default): layer where a session daemon runs",
	  0 },
	{ "opencl", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "opencl-library", KEY_OPENCL_LIBRARY, "FILE", 0,
	  "for probes: the one loader to hook (default: the libOpenCL.so.1 and the "
	  "libze_loader.so.1 that programs find)",
	  0 },
	{ "counters", KEY_COUNTERS, "HOW", 0,
	  "the GPUs' counters, read so many times a second (default 10); off; RATE,clients: also "
	  "each client's; RATE,wake: also those that wake the GPU, or keep it awake, when they are "
	  "read; RATE,clients,wake",
	  0 },
	{ "root", KEY_ROOT, "DIR", 0,
	  "take the counters of the machine whose /proc and /sys lie below DIR", 0 },
	{ "stacks", KEY_STACKS, "HOW", OPTION_ARG_OPTIONAL,
	  "where threads are in the kernel and in their program as they submit, begin to wait or "
	  "go to sleep, and from time to time as they run; dwarf: with the callers of what has no "
	  "frame pointer, from copies of the stacks",
	  0 },
	{ "ranges", KEY_RANGES, 0, 0,
	  "the ranges and frames that programs mark in trace_marker (the group ranges), and "
	  "COMMAND's ranges of ITT, NVTX and ROCTX",
	  0 },
	{ "duration", 'd', "SECONDS", 0, "end after this time", 0 },
	{ "buffer", 'B', "SIZE", 0, "buffer per CPU, as 4M (rounded up to a power of two)", 0 },
	{ "hooks", KEY_HOOKS, "WHICH", 0,
	  "auto (the default): tracepoints where they exist, else the driver's functions; "
	  "tracepoint, function: only these; format: tracepoints by tracefs's formats",
	  0 },
	{ 0 },
};

static struct lane_error *parse_groups(const char *text, unsigned int *groups)
{
	LANE_CLEANUP(lane_free) char *copy = strdup(text);
	char *rest = copy;
	char names[128];
	char *word;

	if (!copy)
		return &lane_enomem;
	*groups = 0;
	while ((word = strsep(&rest, ","))) {
		unsigned int group = capture_group_by_name(word);

		if (!group) {
			capture_group_names(names, sizeof(names));
			return lane_error_usage("record: --events %s: no such group (they are %s)",
						word, names);
		}
		*groups |= group;
	}
	return NULL;
}

static struct lane_error *record_options_parse_size(const char *text, size_t *bytes)
{
	char *end;
	unsigned long long value;
	unsigned int shift = 0;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (errno || end == text || *text == '-' || (shift && end[1]) || (!shift && *end) ||
	    !value || value > (1ull << 34) >> shift)
		return lane_error_usage("record: --buffer %s: not a size (as 512K or 4M)", text);
	value <<= shift;
	for (*bytes = 1; *bytes < value;)
		*bytes <<= 1;
	return NULL;
}

/* I915_ENGINE_CLASS_COMPUTE of include/uapi/drm/i915_drm.h (Linux 6.1 to 6.12). */
#define LAST_ENGINE_CLASS 4

static struct lane_error *parse_engine(const char *text, struct lane_record_options *options)
{
	unsigned int class, instance;
	char rest;

	if (sscanf(text, "%u:%u%c", &class, &instance, &rest) != 2 || class > UINT16_MAX ||
	    instance > UINT16_MAX)
		return lane_error_usage("record: --engine %s: not CLASS:INSTANCE (as 0:0)", text);
	if (class > LAST_ENGINE_CLASS)
		return lane_error_usage("record: --engine %s: no engine of i915 has class %u (they "
					"are 0 render, 1 copy, 2 video, 3 video enhancement, 4 "
					"compute)",
					text, class);
	if (options->config.n_engines == LANE_RECORD_ENGINES)
		return lane_error_usage("record: --engine: more than %d", LANE_RECORD_ENGINES);
	options->engines[options->config.n_engines++] =
		(struct lane_engine_filter){ .class = (uint16_t) class,
					     .instance = (uint16_t)instance };
	return NULL;
}

static struct lane_error *parse_hooks(const char *text, enum lane_hook_choice *hooks)
{
	static const char *const names[] = {
		[LANE_HOOKS_AUTO] = "auto",
		[LANE_HOOKS_TRACEPOINT] = "tracepoint",
		[LANE_HOOKS_FUNCTION] = "function",
		[LANE_HOOKS_FORMAT] = "format",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*hooks = (enum lane_hook_choice)i;
			return NULL;
		}
	}
	return lane_error_usage("record: --hooks %s: not auto, tracepoint, function or format",
				text);
}

static struct lane_error *parse_backends(const char *text, unsigned int *chosen)
{
	*chosen = 0;
	for (size_t i = 0; i < LANE_BACKEND_UST; i++)
		if (!strcmp(text, capture_backends[i]->name) || !strcmp(text, "both"))
			*chosen |= 1u << i;
	if (!*chosen && strcmp(text, "none"))
		return lane_error_usage("record: --backend %s: not bpf, lttng, both or none", text);
	return NULL;
}

/* One way to have COMMAND's calls from within; false when the word is none. */
static bool opencl_way(const char *word, enum lane_record_opencl *how)
{
	static const char *const names[] = {
		[LANE_OPENCL_AUTO] = "auto",
		[LANE_OPENCL_LAYER] = "layer",
		[LANE_OPENCL_PRELOAD] = "preload",
		[LANE_OPENCL_OFF] = "off",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(word, names[i])) {
			*how = (enum lane_record_opencl)i;
			return true;
		}
	}
	return false;
}

static struct lane_error *parse_opencl(const char *text, struct lane_record_options *options)
{
	LANE_CLEANUP(lane_free) char *copy = strdup(text);
	char *rest = copy;
	char *word;

	if (!copy)
		return &lane_enomem;
	options->opencl = LANE_OPENCL_OFF;
	options->has_probes = false;
	while ((word = strsep(&rest, ","))) {
		if (!strcmp(word, "probes"))
			options->has_probes = true;
		else if (!opencl_way(word, &options->opencl))
			return lane_error_usage(
				"record: --api %s: not layer, preload, probes, auto or off", word);
	}
	return NULL;
}

#define MOST_A_SECOND 1000

static struct lane_error *parse_counters(const char *text, struct lane_counter_config *counters)
{
	double rate;
	char *end;

	counters->is_waking = false;
	counters->has_clients = false;
	if (!strcmp(text, "off")) {
		counters->period_ns = 0;
		return NULL;
	}
	rate = strtod(text, &end);
	if (end != text && !strncmp(end, ",clients", 8)) {
		counters->has_clients = true;
		end += 8;
	}
	if (end != text && !strcmp(end, ",wake")) {
		counters->is_waking = true;
		end += 5;
	}
	if (end == text || *end || !(rate >= 0.01) || rate > MOST_A_SECOND)
		return lane_error_usage("record: --counters %s: not a rate of 0.01 to %d a second, "
					"RATE[,clients][,wake] or off",
					text, MOST_A_SECOND);
	counters->period_ns = (uint64_t)(1e9 / rate);
	return NULL;
}

static struct lane_error *parse_duration(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > 1e8)
		return lane_error_usage("record: --duration %s: not a number of seconds", text);
	*ns = (uint64_t)(seconds * 1e9);
	return NULL;
}

static struct lane_error *parse_pid(const char *text, pid_t *pid)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value <= 0 || value > INT32_MAX)
		return lane_error_usage("record: --pid %s: not a process number", text);
	*pid = (pid_t)value;
	return NULL;
}

static error_t record_options_parse_option(int key, char *arg, struct argp_state *state)
{
	struct lane_record_options *options = state->input;

	switch (key) {
	case 'b':
		options->error = parse_backends(arg, &options->backends);
		break;
	case 'o':
		options->output = arg;
		break;
	case 'e':
		options->error = parse_groups(arg, &options->config.groups);
		break;
	case 'f':
		options->follows = true;
		break;
	case 'p':
		options->error = parse_pid(arg, &options->config.follow_pid);
		break;
	case KEY_ALL:
		options->follows = false;
		options->config.follow_pid = 0;
		break;
	case KEY_AS_ROOT:
		options->is_root = true;
		break;
	case KEY_COMM:
		options->config.comm = arg;
		break;
	case 'g':
		options->error = parse_engine(arg, options);
		break;
	case 'd':
		options->error = parse_duration(arg, &options->duration_ns);
		break;
	case 'B':
		options->error = record_options_parse_size(arg, &options->config.buffer_bytes);
		break;
	case KEY_HOOKS:
		options->error = parse_hooks(arg, &options->config.hooks);
		break;
	case KEY_OPENCL_LIBRARY:
		options->config.opencl_library = arg;
		break;
	case KEY_COUNTERS:
		options->error = parse_counters(arg, &options->config.counters);
		break;
	case KEY_STACKS:
		options->config.has_stacks = true;
		options->config.has_copies = arg;
		if (arg && strcmp(arg, "dwarf") != 0)
			options->error = lane_error_usage(
				"record: --stacks: '%s' is no way to take them (dwarf)", arg);
		break;
	case KEY_RANGES:
		options->config.has_ranges = true;
		break;
	case KEY_ROOT:
		options->config.counters.root = arg;
		break;
	case KEY_OPENCL:
		options->error = parse_opencl(arg, options);
		break;
	case ARGP_KEY_ARGS:
		options->command = state->argv + state->next;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return options->error ? EINVAL : 0;
}

const struct argp lane_record_parser = {
	.options = option_table,
	.parser = record_options_parse_option,
	.args_doc = "[-- COMMAND [ARG...]]",
	.doc = "Record GPU requests, fences and the scheduler until COMMAND ends, ^C, or "
	       "--duration.",
};

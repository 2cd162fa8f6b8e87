// SPDX-License-Identifier: MIT
// The probe: runs its parts, notes what they find.
#include "capture/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/cleanup.h"
#include "base/vector.h"
#include "capture/probe_parts.h"

void capture_probe_add(struct lane_probe *probe, const char *section, const char *name,
		       enum lane_check_state state, const char *cost, const char *remedy,
		       const char *value, ...)
{
	bool there = state == LANE_CHECK_OK || state == LANE_CHECK_FACT;
	struct lane_check *check;
	va_list args;

	if (!LANE_GROW(probe->checks, probe->room, probe->n_checks + 1)) {
		probe->failed = true;
		return;
	}
	check = &probe->checks[probe->n_checks++];
	*check = (struct lane_check){ .section = section,
				      .state = state,
				      .cost = there ? NULL : cost,
				      .remedy = there ? NULL : remedy };
	snprintf(check->name, sizeof(check->name), "%s", name);
	va_start(args, value);
	vsnprintf(check->value, sizeof(check->value), value, args);
	va_end(args);
	/* What drivers call themselves is data from outside. */
	lane_clean(check->name, LANE_CLEAN_LINE);
	lane_clean(check->value, LANE_CLEAN_LINE);
}

void capture_probe_remedy(struct lane_probe *probe, const char *format, ...)
{
	struct lane_check *check;
	va_list args;

	if (probe->failed)
		return;
	check = &probe->checks[probe->n_checks - 1];
	va_start(args, format);
	if (vasprintf(&check->own_remedy, format, args) < 0) {
		check->own_remedy = NULL;
		probe->failed = true;
	}
	va_end(args);
	check->remedy = check->own_remedy;
}

static char *path_of(const struct lane_probe *probe, const char *format, va_list args)
{
	LANE_CLEANUP(lane_free) char *below = NULL;
	char *path;

	if (vasprintf(&below, format, args) < 0) {
		below = NULL;
		return NULL;
	}
	return asprintf(&path, "%s%s", probe->root, below) < 0 ? NULL : path;
}

FILE *lane_probe_open(const struct lane_probe *probe, const char *format, ...)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	va_list args;

	va_start(args, format);
	path = path_of(probe, format, args);
	va_end(args);
	if (!path) {
		errno = ENOMEM;
		return NULL;
	}
	return fopen(path, "re");
}

int capture_probe_line(const struct lane_probe *probe, char *line, size_t bytes, const char *format,
		       ...)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	va_list args;

	*line = '\0';
	va_start(args, format);
	path = path_of(probe, format, args);
	va_end(args);
	if (!path)
		return ENOMEM;
	from = fopen(path, "re");
	if (!from)
		return errno;
	if (!fgets(line, (int)bytes, from)) {
		*line = '\0';
		return ferror(from) ? errno : 0;
	}
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int capture_probe_access(const struct lane_probe *probe, const char *format, ...)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	va_list args;

	va_start(args, format);
	path = path_of(probe, format, args);
	va_end(args);
	if (!path)
		return ENOMEM;
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) ? errno : 0;
}

bool capture_probe_has_word(FILE *from, const char *word)
{
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t length = strlen(word);
	size_t room = 0;

	while (getline(&line, &room, from) > 0) {
		for (const char *at = line; (at = strstr(at, word)); at++)
			if ((at == line || strchr(" \t", at[-1])) && strchr(" \t\n", at[length]))
				return true;
	}
	return false;
}

struct lane_error *capture_probe_run(const struct lane_probe_options *options,
				     struct lane_probe **result)
{
	struct lane_probe *probe = calloc(1, sizeof(*probe));

	if (!probe)
		return &lane_enomem;
	probe->root = options->root;
	capture_probe_needs(probe);
	capture_probe_kernel(probe);
	capture_probe_boot(probe);
	capture_probe_privileges(probe);
	capture_probe_driver(probe);
	capture_probe_events(probe);
	capture_probe_lttng(probe);
	capture_probe_opencl(probe, !options->leaves_out_opencl && !*options->root);
	if (probe->failed) {
		capture_probe_destroy(probe);
		return &lane_enomem;
	}
	*result = probe;
	return NULL;
}

void capture_probe_destroy(struct lane_probe *probe)
{
	if (!probe)
		return;
	for (size_t i = 0; i < probe->n_checks; i++)
		free(probe->checks[i].own_remedy);
	free(probe->checks);
	free(probe);
}

const char *capture_check_state_name(enum lane_check_state state)
{
	static const char *const names[] = {
		[LANE_CHECK_FACT] = "fact",
		[LANE_CHECK_OK] = "ok",
		[LANE_CHECK_MISSING] = "missing",
		[LANE_CHECK_UNKNOWN] = "unknown",
	};

	return names[state];
}

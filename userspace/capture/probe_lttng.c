// SPDX-License-Identifier: MIT
// LTTng: its session daemon, its kernel modules, our module for i915.
#include <lttng/lttng.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/probe_parts.h"

#define LTTNG "lttng"
#define COST  "the lttng backend cannot record; the bpf backend does not need it"

/* True when a module of this name is known to modprobe for the running kernel. */
static bool is_installed(const struct lane_probe *probe, const char *module)
{
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t length = strlen(module);
	size_t room = 0;

	from = lane_probe_open(probe, "/lib/modules/%s/modules.dep", probe->release);
	while (from && getline(&line, &room, from) > 0) {
		char *end = strchr(line, ':');
		char *name;

		if (!end)
			continue;
		*end = '\0';
		name = strrchr(line, '/');
		name = name ? name + 1 : line;
		/* .ko, .ko.xz, .ko.zst */
		if (!strncmp(name, module, length) && !strncmp(name + length, ".ko", 3))
			return true;
	}
	return false;
}

/* BPF can be used, and LTTng's tracer is one more. */
static bool has_bpf(const struct lane_probe *probe)
{
	return !capture_probe_access(probe, "/sys/kernel/btf/vmlinux");
}

/* A module by its name in /sys (underscores) and its file's. BPF records without it: it is missing
 * only to what is there besides. */
static void check_module(struct lane_probe *probe, const char *name, const char *sys,
			 const char *file, bool is_needed, const char *cost, const char *remedy)
{
	char version[64];

	if (!capture_probe_access(probe, "/sys/module/%s", sys)) {
		capture_probe_line(probe, version, sizeof(version), "/sys/module/%s/version", sys);
		capture_probe_add(probe, LTTNG, name, LANE_CHECK_OK, NULL, NULL, "loaded%s%s",
				  *version ? ", " : "", version);
	} else if (is_installed(probe, file)) {
		capture_probe_add(probe, LTTNG, name, LANE_CHECK_OK, NULL, NULL,
				  "installed, not loaded");
	} else {
		capture_probe_add(
			probe, LTTNG, name, is_needed ? LANE_CHECK_MISSING : LANE_CHECK_FACT, cost,
			remedy, "not there for this kernel%s",
			!is_needed && has_bpf(probe) ? ", nor needed: BPF records without it" : "");
	}
}

/* The daemon answers its library; below another root its file of its process tells. */
static bool daemon_runs(const struct lane_probe *probe, const char **why_not)
{
	char pid[32];
	int answer;

	*why_not = "does not answer";
	if (!*probe->root) {
		answer = lttng_session_daemon_alive();
		if (answer < 0)
			*why_not = lttng_strerror(answer);
		return answer == 1;
	}
	capture_probe_line(probe, pid, sizeof(pid), "/run/lttng/lttng-sessiond.pid");
	return *pid && !capture_probe_access(probe, "/proc/%s/stat", pid);
}

/* The version of this machine's LTTng, as its program says it; false: it does not. */
static bool read_version(const struct lane_probe *probe, unsigned int version[3])
{
	char line[128] = "";
	const char *at;
	FILE *from = *probe->root ? NULL : popen("/usr/bin/lttng --version 2>/dev/null", "re");

	if (!from)
		return false;
	if (!fgets(line, sizeof(line), from))
		*line = '\0';
	pclose(from);
	/* lttng (LTTng Trace Control) 2.16.0 - Question de Perspective */
	at = strchr(line, ')');
	return at && sscanf(at, ") %9u.%9u.%9u", &version[0], &version[1], &version[2]) == 3;
}

/* What follows from the version: in which format sessions are written. */
static void check_tools(struct lane_probe *probe)
{
	bool program = !capture_probe_access(probe, "/usr/bin/lttng-sessiond");
	unsigned int version[3];
	char value[160];

	snprintf(value, sizeof(value), "%s", program ? "installed" : "not there");
	if (program && read_version(probe, version))
		snprintf(value, sizeof(value), "%u.%u.%u%s", version[0], version[1], version[2],
			 version[0] > 2 || version[1] > 14
				 ? ": its sessions are CTF 2, but those of record CTF 1.8; both "
				   "are read"
				 : ": its sessions are CTF 1.8");
	capture_probe_add(probe, LTTNG, "lttng-tools", program ? LANE_CHECK_OK : LANE_CHECK_MISSING,
			  COST, "apt-get install lttng-tools", "%s", value);
}

bool capture_probe_has_lttng(const struct lane_probe *probe)
{
	return !capture_probe_access(probe, "/sys/module/lttng_tracer") ||
	       is_installed(probe, "lttng-tracer");
}

void capture_probe_lttng(struct lane_probe *probe)
{
	const char *why_not;
	bool runs = daemon_runs(probe, &why_not);
	bool is_used = probe->has_lttng || !has_bpf(probe);

	check_tools(probe);
	capture_probe_add(probe, LTTNG, "session daemon", runs ? LANE_CHECK_OK : LANE_CHECK_MISSING,
			  COST, "as root: lttng-sessiond -d", "%s", runs ? "answers" : why_not);
	check_module(probe, "lttng-modules", "lttng_tracer", "lttng-tracer", !has_bpf(probe), COST,
		     "apt-get install lttng-modules-dkms (where that does not build: "
		     "gpulane-module(7))");
	check_module(probe, "lttng-probe-i915", "lttng_probe_i915", "lttng-probe-i915",
		     is_used && probe->has_i915,
		     "LTTng records no events of i915; the bpf backend does",
		     "make module, then insmod its lttng-probe-i915.ko (gpulane-module(7))");
	check_module(probe, "lttng-probe-drm-sched", "lttng_probe_drm_sched",
		     "lttng-probe-drm-sched", is_used && probe->has_drm,
		     "LTTng records no jobs of drm_sched; the bpf backend does",
		     "make module, then insmod its lttng-probe-drm-sched.ko (gpulane-module(7))");
}

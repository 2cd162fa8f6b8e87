// SPDX-License-Identifier: MIT
// The kernel: release, configuration, lockdown; and what this process may do.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "capture/gpu_limits.h"
#include "capture/probe_parts.h"

#define KERNEL	   "kernel"
#define PRIVILEGES "privileges"
#define DISTRO_KERNEL                                                                              \
	"take a distribution's kernel (Debian's 6.1 and 6.12 have it), or rebuild with this "      \
	"option"

/* What an option is for: without that, a kernel that lacks it lacks nothing. */
enum option_need {
	FOR_ALL,
	FOR_GPU,
	FOR_I915,
	FOR_LTTNG,
};

/* The options that matter, and what is lost without them. */
static const struct {
	const char *name;
	const char *cost;
	const char *remedy;
	enum option_need need;
} options[] = {
	{ "CONFIG_BPF_SYSCALL", "the bpf backend cannot record", DISTRO_KERNEL, FOR_ALL },
	{ "CONFIG_BPF_JIT", "the bpf backend cannot hook functions", DISTRO_KERNEL, FOR_ALL },
	{ "CONFIG_BPF_EVENTS", "the bpf backend cannot attach to tracepoints", DISTRO_KERNEL,
	  FOR_ALL },
	{ "CONFIG_DEBUG_INFO_BTF", "the bpf backend cannot record", DISTRO_KERNEL, FOR_ALL },
	{ "CONFIG_DEBUG_INFO_BTF_MODULES",
	  "i915's functions cannot be hooked: no submit, execute and ports on this kernel",
	  DISTRO_KERNEL, FOR_GPU },
	{ "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS", "functions cannot be hooked at entry and exit",
	  DISTRO_KERNEL, FOR_ALL },
	{ "CONFIG_KPROBES", "the LTTng module cannot hook functions", DISTRO_KERNEL, FOR_LTTNG },
	{ "CONFIG_UPROBES", "OpenCL calls cannot be hooked from the kernel", DISTRO_KERNEL,
	  FOR_ALL },
	{ "CONFIG_TRACEPOINTS", "nothing can be recorded", DISTRO_KERNEL, FOR_ALL },
	{ "CONFIG_DRM_I915", "there is no i915 driver", DISTRO_KERNEL, FOR_I915 },
	{ "CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS",
	  "submit and execute are taken from the driver's functions, in and out are not recorded "
	  "(what sits on the ports is read from the driver's state)",
	  "nothing is needed; a kernel rebuilt with this option fires all of them", FOR_I915 },
};

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

struct config {
	char source[96];
	bool found[N_OPTIONS];
};

/* Opens the running kernel's configuration; gzip or plain, zlib reads both. */
static gzFile open_config(const char *root, const char *release, char *source, size_t bytes)
{
	static const char *const places[] = { "/proc/config.gz", "/boot/config-%s",
					      "/lib/modules/%s/config",
					      "/lib/modules/%s/build/.config" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		LANE_CLEANUP(lane_free) char *path = NULL;
		gzFile from;

		snprintf(source, bytes, i ? "%.*s%s%s" : "%.*s", (int)strcspn(places[i], "%"),
			 places[i], release,
			 strchr(places[i], '%') ? strchr(places[i], '%') + 2 : "");
		if (asprintf(&path, "%s%s", root, source) < 0) {
			path = NULL;
			return NULL;
		}
		from = gzopen(path, "re");
		if (from)
			return from;
	}
	return NULL;
}

static bool probe_kernel_read_config(const struct lane_probe *probe, struct config *config)
{
	gzFile from =
		open_config(probe->root, probe->release, config->source, sizeof(config->source));
	char line[512];

	if (!from)
		return false;
	while (gzgets(from, line, sizeof(line))) {
		char *value = strchr(line, '=');

		if (!value || (value[1] != 'y' && value[1] != 'm'))
			continue;
		*value = '\0';
		for (size_t i = 0; i < N_OPTIONS; i++)
			config->found[i] |= !strcmp(options[i].name, line);
	}
	gzclose(from);
	return true;
}

unsigned int capture_kernel_hz(const char *release)
{
	static const char option[] = "CONFIG_HZ=";
	char line[512], source[96];
	gzFile from = open_config("", release, source, sizeof(source));
	unsigned int hz = 0;

	while (from && !hz && gzgets(from, line, sizeof(line)))
		if (!strncmp(line, option, sizeof(option) - 1))
			hz = (unsigned int)strtoul(line + sizeof(option) - 1, NULL, 10);
	if (from)
		gzclose(from);
	return hz;
}

static bool probe_kernel_is_needed(const struct lane_probe *probe, enum option_need need)
{
	switch (need) {
	case FOR_GPU:
		return probe->has_i915 || probe->has_drm;
	case FOR_I915:
		return probe->has_i915;
	case FOR_LTTNG:
		return probe->has_lttng;
	default:
		return true;
	}
}

static void check_config(struct lane_probe *probe)
{
	struct config config = { 0 };

	if (!probe_kernel_read_config(probe, &config)) {
		capture_probe_add(
			probe, KERNEL, "configuration", LANE_CHECK_UNKNOWN,
			"the kernel's options are not known; the events below tell what is there",
			"install the package of the kernel's configuration (/boot/config-*)",
			"not found");
		return;
	}
	capture_probe_add(probe, KERNEL, "configuration", LANE_CHECK_FACT, NULL, NULL, "%s",
			  config.source);
	for (size_t i = 0; i < N_OPTIONS; i++)
		capture_probe_add(
			probe, KERNEL, options[i].name,
			config.found[i]					 ? LANE_CHECK_OK
			: probe_kernel_is_needed(probe, options[i].need) ? LANE_CHECK_MISSING
									 : LANE_CHECK_FACT,
			options[i].cost, options[i].remedy, "%s", config.found[i] ? "on" : "off");
}

/* The file names the modes and marks the one that holds with brackets. */
static void check_lockdown(struct lane_probe *probe)
{
	char line[128];
	char *mode, *end;
	int errnum = capture_probe_line(probe, line, sizeof(line), "/sys/kernel/security/lockdown");

	mode = strchr(line, '[');
	end = mode ? strchr(mode, ']') : NULL;
	if (errnum == EACCES || errnum == EPERM) {
		capture_probe_add(probe, KERNEL, "lockdown", LANE_CHECK_UNKNOWN,
				  "in mode confidentiality BPF cannot read the kernel",
				  "run gpulane doctor as root", "cannot be read");
	} else if (errnum || !end) {
		capture_probe_add(probe, KERNEL, "lockdown", LANE_CHECK_OK, NULL, NULL,
				  "not there");
	} else {
		*end = '\0';
		capture_probe_add(probe, KERNEL, "lockdown",
				  strcmp(mode + 1, "confidentiality") ? LANE_CHECK_OK
								      : LANE_CHECK_MISSING,
				  "BPF cannot read the kernel: the bpf backend cannot record",
				  "boot with lockdown=integrity, or record with --backend lttng",
				  "%s", mode + 1);
	}
}

/* The kernels that gpulane's tests have run on: scripts/kernels.list. */
static const char *const tried[] = {
#define TRIED(release) release,
#include "capture/tried.h"
#undef TRIED
};
#define TRIED(release) ", " release
static const char tried_text[] =
#include "capture/tried.h"
	;
#undef TRIED

/* A release is one of a version when it goes on with anything but a digit. */
static bool probe_kernel_is_of(const char *release, const char *version)
{
	size_t length = strlen(version);

	return !strncmp(release, version, length) &&
	       !strchr("0123456789", release[length] ? release[length] : '-');
}

static void check_tried(struct lane_probe *probe)
{
	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		if (!probe_kernel_is_of(probe->release, tried[i]))
			continue;
		capture_probe_add(probe, KERNEL, "tried", LANE_CHECK_OK, NULL, NULL,
				  "gpulane's tests have run on Linux %s", tried[i]);
		return;
	}
	capture_probe_add(
		probe, KERNEL, "tried", LANE_CHECK_UNKNOWN,
		"nobody has tried gpulane on this kernel: what its driver does in another "
		"way is not known",
		"a kernel that was tried; or compare a first recording with what you know "
		"of the program",
		"not this kernel; gpulane's tests have run on Linux %s", tried_text + 2);
}

/* What makes a thread late that was woken: its CPU's sleep, and clock (docs/guides/memory.md). */
static void check_cpus(struct lane_probe *probe)
{
	struct lane_limits limits;
	char driver[32];

	capture_limits_read(probe->root, &limits);
	capture_probe_add(probe, KERNEL, "CPUs causes", LANE_CHECK_FACT, NULL, NULL,
			  "of late threads: cpu_sleep; %s%s",
			  *limits.idle_states ? "us to leave an idle state: "
					      : "which states, and how long it takes to leave "
						"them, the kernel does not say",
			  limits.idle_states);
	if (*limits.sched_policy)
		capture_probe_add(
			probe, KERNEL, "gpu-sched takes", LANE_CHECK_FACT, NULL, NULL,
			"%s (sched_policy)",
			!strcmp(limits.sched_policy, "fifo")
				? "the job that was free to run first, of the highest "
				  "priority that has one: fifo"
			: !strcmp(limits.sched_policy, "fair")
				? "the job of who used the GPU least, weighed by priority: "
				  "fair"
				: "queues in turn, those of the highest priority first: "
				  "round_robin");
	if (capture_probe_line(probe, driver, sizeof(driver),
			       "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"))
		snprintf(driver, sizeof(driver), "no driver");
	/* drivers/cpufreq/intel_pstate.c: with HWP the hardware chooses, and no event tells. */
	capture_probe_add(probe, KERNEL, "CPUs clock", LANE_CHECK_FACT, NULL, NULL, "%s: %s",
			  driver,
			  !strcmp(driver, "no driver") ? "not told"
			  : !capture_probe_access(probe, "/sys/devices/system/cpu/intel_pstate/"
							 "hwp_dynamic_boost")
				  ? "the hardware sets it (HWP), and no event tells"
				  : "what it is set to is told");
}

void capture_probe_kernel(struct lane_probe *probe)
{
	if (capture_probe_line(probe, probe->release, sizeof(probe->release),
			       "/proc/sys/kernel/osrelease"))
		capture_probe_add(probe, KERNEL, "release", LANE_CHECK_UNKNOWN,
				  "what belongs to this kernel cannot be found", "mount /proc",
				  "not known");
	else
		capture_probe_add(probe, KERNEL, "release", LANE_CHECK_FACT, NULL, NULL, "%s",
				  probe->release);
	if (*probe->release)
		check_tried(probe);
	probe->has_lttng = capture_probe_has_lttng(probe);
	check_config(probe);
	check_lockdown(probe);
	capture_probe_add(
		probe, KERNEL, "BTF of the kernel",
		capture_probe_access(probe, "/sys/kernel/btf/vmlinux") ? LANE_CHECK_MISSING
								       : LANE_CHECK_OK,
		"the bpf backend cannot record; LTTng can", "a kernel with CONFIG_DEBUG_INFO_BTF=y",
		"%s",
		capture_probe_access(probe, "/sys/kernel/btf/vmlinux") ? "not there"
								       : "/sys/kernel/btf/vmlinux");
	check_cpus(probe);
}

/* The capabilities that recording needs, by their bits in linux/capability.h. */
static const struct {
	const char *name;
	unsigned int bit;
	const char *cost;
} capabilities[] = {
	{ "CAP_SYS_ADMIN", 21, "the bpf backend cannot find BTF of modules, LTTng cannot trace" },
	{ "CAP_PERFMON", 38, "BPF programs cannot be attached to tracepoints and functions" },
	{ "CAP_BPF", 39, "BPF programs cannot be loaded" },
	{ "CAP_DAC_READ_SEARCH", 2, "tracefs cannot be read unless its mode allows it" },
};

static void check_capabilities(struct lane_probe *probe)
{
	LANE_CLEANUP(lane_fclose) FILE *from = lane_probe_open(probe, "/proc/self/status");
	unsigned long long effective = 0;
	bool known = false;
	char line[256];

	while (from && fgets(line, sizeof(line), from))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			known = true;
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		bool has = effective >> capabilities[i].bit & 1;

		capture_probe_add(probe, PRIVILEGES, capabilities[i].name,
				  !known ? LANE_CHECK_UNKNOWN
				  : has	 ? LANE_CHECK_OK
					 : LANE_CHECK_MISSING,
				  capabilities[i].cost, "run gpulane record as root", "%s",
				  !known ? "not known"
				  : has	 ? "effective"
					 : "not effective");
	}
}

static void check_limit(struct lane_probe *probe, const char *name, const char *path)
{
	char line[64];

	if (!capture_probe_line(probe, line, sizeof(line), "%s", path))
		capture_probe_add(probe, PRIVILEGES, name, LANE_CHECK_FACT, NULL, NULL, "%s", line);
}

void capture_probe_privileges(struct lane_probe *probe)
{
	check_capabilities(probe);
	check_limit(probe, "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
	check_limit(probe, "unprivileged_bpf_disabled",
		    "/proc/sys/kernel/unprivileged_bpf_disabled");
	check_limit(probe, "kptr_restrict", "/proc/sys/kernel/kptr_restrict");
}

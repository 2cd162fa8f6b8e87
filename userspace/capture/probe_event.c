// SPDX-License-Identifier: MIT
// What can be recorded of each event here, and which causes of lateness that tells.
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/bpf_kernel.h"
#include "capture/bpf_library.h"
#include "capture/driver.h"
#include "capture/probe_parts.h"

/* The kernel below the root, as the bpf backend's plan asks for it. */
struct tree {
	const struct lane_probe *probe;
	const char *tracefs;
	struct lane_bpf_btfs btf;
};

static const char *tree_event(void *data, const struct lane_bpf_way *way)
{
	const struct tree *tree = data;
	const char *system = capture_bpf_system(way->kind);

	if (!capture_probe_access(tree->probe, "%s/events/%s/%s/format", tree->tracefs, system,
				  way->hooks[0].target))
		return NULL;
	if (!strcmp(system, "gpu_scheduler") &&
	    capture_probe_access(tree->probe, "%s/events/%s", tree->tracefs, system))
		return "gpu-sched is not loaded: no driver here uses it";
	return "the kernel has no such tracepoint";
}

static const char *tree_typed(void *data, const struct lane_bpf_way *way)
{
	const struct tree *tree = data;

	return tree->btf.vmlinux ? capture_bpf_btf_typed(&tree->btf, way) : "no BTF";
}

static const char *tree_function(void *data, const char *name)
{
	const struct tree *tree = data;
	const char *why = tree->btf.vmlinux ? capture_bpf_btf_function(&tree->btf, name) : "no BTF";
	LANE_CLEANUP(lane_fclose) FILE *from = NULL;

	if (why)
		return why;
	from = lane_probe_open(tree->probe, "%s/available_filter_functions", tree->tracefs);
	if (!from)
		from = lane_probe_open(tree->probe, "/proc/kallsyms");
	return from && capture_probe_has_word(from, name)
		       ? NULL
		       : "the kernel has no such function to hook";
}

static bool tree_has_address(void *data, const char *name)
{
	const struct tree *tree = data;
	LANE_CLEANUP(lane_fclose) FILE *from = lane_probe_open(tree->probe, "/proc/kallsyms");
	unsigned long long address;
	char line[512], is[128];

	while (from && fgets(line, sizeof(line), from))
		if (sscanf(line, "%llx %*c %127s", &address, is) == 2 && address &&
		    !strcmp(is, name))
			return true;
	return false;
}

/* The loader that this machine's programs find; of another machine's files it is not known. */
static const char *tree_library(void *data)
{
	const struct tree *tree = data;
	struct lane_bpf_library library;
	struct lane_error *err;

	if (*tree->probe->root)
		return "no OpenCL loader";
	err = capture_bpf_library_find(NULL, LANE_OPENCL_LOADER, &library);
	if (!err)
		return NULL;
	lane_error_free(err);
	return "no libOpenCL.so.1";
}

static struct btf *parse_btf(const struct lane_probe *probe, const char *name, struct btf *base)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct btf *btf;

	if (asprintf(&path, "%s/sys/kernel/btf/%s", probe->root, name) < 0) {
		path = NULL;
		return NULL;
	}
	btf = base ? btf__parse_split(path, base) : btf__parse(path, NULL);
	return libbpf_get_error(btf) ? NULL : btf;
}

static int be_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static bool has_struct(const struct btf *btf, const char *name)
{
	return btf && btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT) > 0;
}

/* Of a module; what is not a module's is built in. */
static struct btf *parse_module_btf(const struct lane_probe *probe, const char *module,
				    const char *function, struct btf *vmlinux)
{
	if (btf__find_by_name_kind(vmlinux, function, BTF_KIND_FUNC) > 0)
		return vmlinux;
	return parse_btf(probe, module, vmlinux);
}

static void probe_event_open_btf(const struct lane_probe *probe, struct lane_bpf_btfs *btf)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = NULL;
	LANE_CLEANUP(lane_free) char *path = NULL;
	struct dirent *entry;

	btf->vmlinux = parse_btf(probe, "vmlinux", NULL);
	if (!btf->vmlinux)
		return;
	/* what is not a module's is built in */
	btf->i915 = has_struct(btf->vmlinux, "i915_request")
			    ? btf->vmlinux
			    : parse_btf(probe, "i915", btf->vmlinux);
	btf->drm_sched = has_struct(btf->vmlinux, "drm_sched_job")
				 ? btf->vmlinux
				 : parse_btf(probe, "gpu_sched", btf->vmlinux);
	btf->drm = parse_module_btf(probe, "drm", "drm_atomic_commit", btf->vmlinux);
	btf->kms =
		parse_module_btf(probe, "drm_kms_helper", "drm_atomic_helper_commit", btf->vmlinux);
	if (asprintf(&path, "%s/sys/module/gpu_sched/holders", probe->root) < 0) {
		path = NULL;
		return;
	}
	dir = opendir(path);
	while (dir && btf->n_drivers < LANE_BPF_MAX_DRIVERS && (entry = readdir(dir))) {
		struct btf *of_driver = NULL;

		if (*entry->d_name != '.')
			of_driver = parse_btf(probe, entry->d_name, btf->vmlinux);
		if (of_driver)
			btf->drivers[btf->n_drivers++] = of_driver;
	}
}

static void close_btf(struct lane_bpf_btfs *btf)
{
	for (unsigned int i = 0; i < btf->n_drivers; i++)
		btf__free(btf->drivers[i]);
	if (btf->kms != btf->vmlinux)
		btf__free(btf->kms);
	if (btf->drm != btf->vmlinux)
		btf__free(btf->drm);
	if (btf->drm_sched != btf->vmlinux)
		btf__free(btf->drm_sched);
	if (btf->i915 != btf->vmlinux)
		btf__free(btf->i915);
	btf__free(btf->vmlinux);
}

/*
 * What each cause of docs/guides/memory.md is told by: its events (of those that several functions
 * tell this hook's), and whether it takes xe's BTF, which tells whose queue a job is of.
 */
#define CAUSE(driver, name, hook, is_by_queue, ...)                                                \
	{                                                                                          \
		driver, name, hook, is_by_queue,                                                   \
			sizeof((enum lane_kind[]){ __VA_ARGS__ }) / sizeof(enum lane_kind),        \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
static const struct cause {
	const char *driver, *name; /* "": of any */
	int hook;
	bool is_by_queue;
	size_t n;
	enum lane_kind events[4];
} causes[] = {
	CAUSE("", "reclaim", 0, false, LANE_RECLAIM_BEGIN, LANE_RECLAIM_END),
	CAUSE("", "memory_stall", 0, false, LANE_MEMSTALL_BEGIN, LANE_MEMSTALL_END),
	CAUSE("", "resume", 0, false, LANE_RESUME_BEGIN, LANE_RESUME_END),
	CAUSE("", "cpu_sleep", 0, false, LANE_CPU_IDLE),
	CAUSE("i915", "eviction", 0, false, LANE_I915_EVICT, LANE_I915_BIND),
	CAUSE("i915", "refused", 0, false, LANE_REFUSED),
	CAUSE("xe", "refused", 2, false, LANE_REFUSED),
	CAUSE("xe", "userptr", 0, false, LANE_USERPTR_BEGIN, LANE_USERPTR_END),
	CAUSE("xe", "rebind", 0, true, LANE_REBIND_BEGIN, LANE_REBIND_END, LANE_FENCE_INIT,
	      LANE_FENCE_WAIT_END),
	CAUSE("xe", "rebind_worker", 0, true, LANE_REBIND_BEGIN, LANE_FENCE_WAIT_END,
	      LANE_FENCE_SIGNALED, LANE_SWITCH),
	CAUSE("xe", "page_fault", 0, true, LANE_XE_PAGEFAULT, LANE_PF_BIND),
	CAUSE("xe", "move", 0, true, LANE_XE_MOVE, LANE_DRM_QUEUE),
	CAUSE("xe", "preempt_fence", 0, false, LANE_FENCE_INIT, LANE_FENCE_ENABLE_SIGNAL,
	      LANE_FENCE_SIGNALED),
	CAUSE("xe", "bind", 0, false, LANE_XE_ENTER, LANE_XE_LEAVE),
	CAUSE("xe", "user_fence", 1, false, LANE_XE_ENTER, LANE_XE_LEAVE),
	CAUSE("xe", "mode_switch", 2, false, LANE_XE_ENTER, LANE_XE_LEAVE),
	CAUSE("xe", "ring_restart (where the layers record commands)", 0, true, LANE_DRM_QUEUE,
	      LANE_DRM_RUN),
};

static bool probe_event_is_told(const struct lane_probe *probe, const struct cause *cause,
				bool knows_queues)
{
	for (size_t i = 0; i < cause->n; i++)
		if (!probe->plan.kinds[cause->events[i]].recorded ||
		    !probe->plan.hooked[cause->events[i]][cause->hook])
			return false;
	return knows_queues || !cause->is_by_queue;
}

/* Which causes a driver's events, or ("") the kernel's, tell here, or do not. */
static void list_causes(const struct lane_probe *probe, const char *driver, bool knows_queues,
			bool told, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]) && used < size; i++)
		if (!strcmp(causes[i].driver, driver) &&
		    probe_event_is_told(probe, &causes[i], knows_queues) == told)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 causes[i].name);
}

static void add_causes(struct lane_probe *probe, const char *driver, bool knows_queues)
{
	char name[32], told[160], lacking[160];

	snprintf(name, sizeof(name), "%s causes", *driver ? driver : "kernel");
	list_causes(probe, driver, knows_queues, true, told, sizeof(told));
	list_causes(probe, driver, knows_queues, false, lacking, sizeof(lacking));
	capture_probe_add(probe, "events", name, LANE_CHECK_FACT, NULL, NULL, "%s%s%s%s",
			  *told ? "of what is late: " : "", told,
			  !*lacking ? ""
			  : *told   ? "; not: "
				    : "none; not: ",
			  lacking);
}

static void check_causes(struct lane_probe *probe, const struct lane_bpf_btfs *btf)
{
	struct lane_card cards[LANE_MAX_CARDS];
	size_t n = capture_driver_cards(probe->root, cards);
	bool has_i915 = false, has_xe = false;

	for (size_t i = 0; i < n; i++) {
		has_i915 |= !strcmp(cards[i].driver, "i915");
		has_xe |= !strcmp(cards[i].driver, "xe");
	}
	add_causes(probe, "", true);
	if (has_i915)
		add_causes(probe, "i915", true);
	if (has_xe)
		add_causes(probe, "xe",
			   btf->vmlinux && capture_bpf_btf_of_driver(btf, "xe_exec_queue",
								     BTF_KIND_STRUCT));
}

static void plan(struct lane_probe *probe, const char *tracefs)
{
	const struct lane_capture_config everything = { .groups = ~0u };
	struct tree tree = { .probe = probe, .tracefs = tracefs };
	const struct lane_bpf_kernel kernel = { .data = &tree,
						.has_i915 = !capture_probe_access(
							probe, "%s/events/i915", tracefs),
						.event = tree_event,
						.typed = tree_typed,
						.function = tree_function,
						.has_address = tree_has_address,
						.library = tree_library };
	libbpf_print_fn_t print = libbpf_set_print(be_quiet);

	probe_event_open_btf(probe, &tree.btf);
	capture_bpf_plan(&probe->plan, &everything, &kernel);
	check_causes(probe, &tree.btf);
	close_btf(&tree.btf);
	libbpf_set_print(print);
}

void capture_probe_events(struct lane_probe *probe)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *tracefs = NULL;
	int errnum = ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !tracefs; i++) {
		errnum = capture_probe_access(probe, "%s/events/sched/sched_switch/format",
					      places[i]);
		if (!errnum)
			tracefs = places[i];
		else if (errnum != ENOENT)
			break;
	}
	if (tracefs) {
		capture_probe_add(probe, "events", "tracefs", LANE_CHECK_OK, NULL, NULL, "%s",
				  tracefs);
		plan(probe, tracefs);
		probe->planned = true;
		return;
	}
	if (errnum != ENOENT)
		capture_probe_add(probe, "events", "tracefs", LANE_CHECK_UNKNOWN,
				  "which events are there is not known",
				  "run gpulane doctor as root", "cannot be read");
	else if (!capture_probe_access(probe, "%s", places[0]))
		capture_probe_add(probe, "events", "tracefs", LANE_CHECK_UNKNOWN,
				  "which events are there is not known until it is mounted",
				  "gpulane record mounts it, so does "
				  "mount -t tracefs tracefs /sys/kernel/tracing",
				  "not mounted");
	else
		capture_probe_add(probe, "events", "tracefs", LANE_CHECK_MISSING,
				  "nothing can be recorded: this kernel has no tracepoints",
				  "take a distribution's kernel (Debian's have it)", "not there");
}

// SPDX-License-Identifier: MIT
// What the running kernel has to hook: events of tracefs, types and functions of BTF, symbols.
#include "capture/bpf_kernel.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <string.h>
#include <tracefs.h>

#include "base/cleanup.h"
#include "base/drivers.h"
#include "capture/bpf_format.h"

#define MAX_FUNCTIONS 24
#define MAX_DRIVERS   8

struct function {
	const char *name;
	unsigned int symbols; /* how often the name is in kallsyms */
};

struct lane_bpf_running {
	struct lane_bpf_kernel kernel;
	struct btf *vmlinux;
	struct btf *i915; /* vmlinux where the driver is built in, NULL without BTF of the driver */
	struct btf *drm_sched;		  /* likewise of gpu-sched */
	struct btf *drivers[MAX_DRIVERS]; /* of the modules that use gpu-sched */
	unsigned int n_drivers;
	bool drivers_sought;
	struct lane_bpf_drm_places drm_places;
	struct lane_bpf_layout layouts[LANE_KIND_COUNT];
	struct function functions[MAX_FUNCTIONS];
	unsigned int n_functions;
	bool symbols_read;
};

/* The format of an event, NULL when there is no such event. The caller frees it. */
static char *read_format(const char *system, const char *event, size_t *bytes)
{
	int size = 0;
	char *text = tracefs_event_file_read(NULL, system, event, "format", &size);

	*bytes = size > 0 ? (size_t)size : 0;
	return text;
}

static bool tracing_file(const char *name, int mode)
{
	char *path = tracefs_get_tracing_file(name);
	bool there = path && !faccessat(AT_FDCWD, path, mode, AT_EACCESS);

	tracefs_put_tracing_file(path);
	return there;
}

/* Why there is no such event. */
static const char *no_event(const char *system, int kind)
{
	char folder[64];

	if (!strcmp(system, "i915"))
		return "not compiled into this i915";
	snprintf(folder, sizeof(folder), "events/%s", system);
	if (tracing_file(folder, F_OK))
		return "this kernel does not have the event";
	if (lane_is_cause((unsigned int)kind))
		return lane_drm_driver_of_kind(lane_kinds[kind].name)->not_loaded;
	return strcmp(system, "gpu_scheduler") ? "this kernel does not have the event"
					       : "gpu-sched is not loaded: no driver here uses it";
}

static const char *has_event(void *data, const struct lane_bpf_way *way)
{
	struct lane_bpf_running *running = data;
	const char *system = capture_bpf_system(way->kind);
	LANE_CLEANUP(lane_free) char *text = NULL;
	size_t bytes;

	if (!system)
		return "it is no tracepoint";
	text = read_format(system, way->hooks[0].target, &bytes);
	if (!text)
		return no_event(system, way->kind);
	if (lane_is_drm((unsigned int)way->kind))
		return capture_bpf_format_drm(text, bytes, way->kind, way->hooks[0].target,
					      &running->layouts[way->kind], &running->drm_places);
	if (lane_is_cause((unsigned int)way->kind))
		return capture_bpf_format_driver(text, bytes, way->kind,
						 &running->layouts[way->kind]);
	if (strcmp(system, "i915"))
		return NULL;
	return capture_bpf_format_layout(text, bytes, way->kind, &running->layouts[way->kind]);
}

/* BTF of the modules that use gpu-sched. */
static void open_drivers(struct lane_bpf_running *running)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = opendir("/sys/module/gpu_sched/holders");
	struct dirent *entry;

	running->drivers_sought = true;
	while (dir && running->n_drivers < MAX_DRIVERS && (entry = readdir(dir))) {
		struct btf *btf = NULL;

		if (*entry->d_name != '.')
			btf = btf__load_module_btf(entry->d_name, running->vmlinux);
		if (btf)
			running->drivers[running->n_drivers++] = btf;
	}
}

/* Of the kernel itself, or of one of those modules. */
static const char *is_typed_driver(struct lane_bpf_running *running, const struct lane_bpf_way *way)
{
	const char *why = capture_bpf_btf_event(running->vmlinux, way);

	if (!running->drivers_sought)
		open_drivers(running);
	for (unsigned int i = 0; i < running->n_drivers && why; i++)
		why = capture_bpf_btf_event(running->drivers[i], way);
	return why;
}

static const char *is_typed(void *data, const struct lane_bpf_way *way)
{
	struct lane_bpf_running *running = data;

	if (lane_is_driver((unsigned int)way->kind))
		return is_typed_driver(running, way);

	if (lane_is_drm((unsigned int)way->kind))
		return running->drm_sched ? capture_bpf_btf_event(running->drm_sched, way)
					  : "gpu-sched has no BTF";
	if (strcmp(capture_bpf_system(way->kind), "i915"))
		return capture_bpf_btf_event(running->vmlinux, way);
	return running->i915 ? capture_bpf_btf_event(running->i915, way) : "i915 has no BTF";
}

const char *capture_bpf_btf_event(const struct btf *btf, const struct lane_bpf_way *way)
{
	const char *argument = capture_bpf_argument(way->kind);
	unsigned int arguments = capture_bpf_arguments(way->kind);
	const struct btf_type *type;
	char name[96];
	int id = 0;

	for (int i = LANE_BPF_MAX_HOOKS; i-- > 0;) {
		if (!way->hooks[i].program)
			continue;
		snprintf(name, sizeof(name), "btf_trace_%s", way->hooks[i].target);
		id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
		if (id <= 0)
			return "the event is not in BTF";
	}
	if (!argument)
		return NULL;
	/* (void *data, struct ARGUMENT *, ...) */
	type = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type);
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type) || btf_vlen(type) < 2 ||
	    (arguments && btf_vlen(type) != arguments + 1))
		return "the event's arguments are others than those that are known";
	type = btf__type_by_id(btf, btf_params(type)[1].type);
	type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || strcmp(btf__name_by_offset(btf, type->name_off), argument))
		return "the event's arguments are others than those that are known";
	return NULL;
}

static void collect_functions(struct lane_bpf_running *running)
{
	for (unsigned int w = 0; w < lane_bpf_n_ways; w++) {
		const struct lane_bpf_way *way = &lane_bpf_ways[w];

		for (int i = 0; i < LANE_BPF_MAX_HOOKS && way->hooks[i].program; i++) {
			unsigned int f = 0;

			if (way->attach != LANE_BPF_FUNCTION)
				continue;
			while (f < running->n_functions &&
			       strcmp(running->functions[f].name, way->hooks[i].target))
				f++;
			if (f == running->n_functions && f < MAX_FUNCTIONS)
				running->functions[running->n_functions++].name =
					way->hooks[i].target;
		}
	}
}

/*
 * Counts how often each function's name is in kallsyms. Before 31bf1dbccfb0 ("bpf: Fix attaching
 * fentry/fexit/fmod_ret/lsm to modules", 6.4) the kernel takes the first of that name, wherever it
 * is, so a name that is not unique must not be used.
 */
static void read_symbols(struct lane_bpf_running *running)
{
	LANE_CLEANUP(lane_fclose) FILE *file = fopen("/proc/kallsyms", "re");
	LANE_CLEANUP(lane_free) char *line = NULL;
	size_t room = 0;

	running->symbols_read = true;
	while (file && getline(&line, &room, file) > 0) {
		char *name = strchr(line, ' '), *end;

		name = name ? strchr(name + 1, ' ') : NULL;
		if (!name++)
			continue;
		end = name + strcspn(name, "\t\n ");
		*end = 0;
		for (unsigned int f = 0; f < running->n_functions; f++)
			running->functions[f].symbols += !strcmp(running->functions[f].name, name);
	}
}

/* Of the module that has the function, of those that use gpu-sched; else of the kernel itself. */
static const struct btf *btf_of_driver(struct lane_bpf_running *running, const char *function)
{
	if (!running->drivers_sought)
		open_drivers(running);
	for (unsigned int i = 0; i < running->n_drivers; i++)
		if (btf__find_by_name_kind(running->drivers[i], function, BTF_KIND_FUNC) > 0)
			return running->drivers[i];
	return running->vmlinux;
}

/* Why BTF does not have the function; NULL: it has. Some functions are not i915's. */
static const char *not_in_btf(struct lane_bpf_running *running, const char *name)
{
	const struct btf *btf = running->i915;

	if (!strncmp(name, "xe_", 3))
		btf = btf_of_driver(running, name);
	else if (!strcmp(name, "vfs_write") || !strncmp(name, "psi_", 4))
		btf = running->vmlinux;
	else if (!strcmp(name, "drm_sched_job_timedout"))
		btf = running->drm_sched;
	else if (!btf)
		return "not compiled into this i915, which has no BTF to hook its functions by";
	else if (btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) <= 0)
		return "not compiled into this i915, and its function is not in BTF";
	if (!btf || btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) <= 0)
		return "the function is not in BTF";
	return NULL;
}

static const char *can_hook(void *data, const char *name)
{
	struct lane_bpf_running *running = data;
	const char *why = not_in_btf(running, name);

	if (why)
		return why;
	if (!running->symbols_read)
		read_symbols(running);
	for (unsigned int f = 0; f < running->n_functions; f++) {
		if (strcmp(running->functions[f].name, name))
			continue;
		if (running->functions[f].symbols > 1)
			return "the kernel has two functions of the name of the one to hook";
		return running->functions[f].symbols ? NULL : "the kernel has no symbol to hook";
	}
	return "the function is not known";
}

static struct lane_error *open_btf(struct lane_bpf_running *running)
{
	running->vmlinux = btf__load_vmlinux_btf();
	if (!running->vmlinux)
		return lane_error("BTF: this kernel does not describe its types (a kernel with "
				  "CONFIG_DEBUG_INFO_BTF=y is needed)");
	if (btf__find_by_name_kind(running->vmlinux, "i915_request", BTF_KIND_STRUCT) > 0)
		running->i915 = running->vmlinux;
	else if (running->kernel.has_i915)
		running->i915 = btf__load_module_btf("i915", running->vmlinux);
	if (btf__find_by_name_kind(running->vmlinux, "drm_sched_job", BTF_KIND_STRUCT) > 0)
		running->drm_sched = running->vmlinux;
	else if (tracing_file("events/gpu_scheduler", F_OK))
		running->drm_sched = btf__load_module_btf("gpu_sched", running->vmlinux);
	return NULL;
}

struct lane_error *capture_bpf_running_open(struct lane_bpf_running **running)
{
	struct lane_bpf_running *r = calloc(1, sizeof(*r));
	struct lane_error *err = NULL;
	const char *dir;

	if (!r)
		return &lane_enomem;
	*running = r;
	r->kernel = (struct lane_bpf_kernel){
		.data = r, .event = has_event, .typed = is_typed, .function = can_hook
	};
	dir = tracefs_tracing_dir();
	if (!dir)
		err = lane_error("tracefs: not there (run as root, or mount -t tracefs tracefs "
				 "/sys/kernel/tracing)");
	else if (!tracing_file("events/sched/sched_switch/format", R_OK))
		err = lane_error("tracefs: %s cannot be read (run as root)", dir);
	if (!err) {
		r->kernel.has_i915 = tracing_file("events/i915", F_OK);
		collect_functions(r);
		err = open_btf(r);
	}
	if (err) {
		capture_bpf_running_close(r);
		*running = NULL;
	}
	return err;
}

const struct lane_bpf_kernel *capture_bpf_running_kernel(struct lane_bpf_running *running)
{
	return &running->kernel;
}

unsigned int capture_bpf_running_switch_arg(struct lane_bpf_running *running)
{
	const struct btf_type *type;
	int id = btf__find_by_name_kind(running->vmlinux, "btf_trace_sched_switch",
					BTF_KIND_TYPEDEF);

	type = id > 0 ? btf__type_by_id(running->vmlinux, id) : NULL;
	type = type ? btf__type_by_id(running->vmlinux, type->type) : NULL; /* pointer */
	type = type ? btf__type_by_id(running->vmlinux, type->type) : NULL; /* prototype */
	if (!type || !btf_is_func_proto(type))
		return 0;
	/* (void *data, bool preempt, prev, next, unsigned int prev_state) */
	return btf_vlen(type) == 5 ? 3 : 0;
}

const struct lane_bpf_drm_places *capture_bpf_running_drm(struct lane_bpf_running *running)
{
	return &running->drm_places;
}

const struct lane_bpf_layout *capture_bpf_running_layout(struct lane_bpf_running *running, int kind)
{
	return &running->layouts[kind];
}

void capture_bpf_running_names(struct lane_bpf_running *running, struct lane_bpf_names *names)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	size_t bytes;

	(void)running;
	text = read_format("dma_fence", "dma_fence_init", &bytes);
	if (!text || capture_bpf_format_names(text, bytes, names))
		memset(names, 0, sizeof(*names));
}

void capture_bpf_running_close(struct lane_bpf_running *running)
{
	if (!running)
		return;
	if (running->i915 != running->vmlinux)
		btf__free(running->i915);
	if (running->drm_sched != running->vmlinux)
		btf__free(running->drm_sched);
	for (unsigned int i = 0; i < running->n_drivers; i++)
		btf__free(running->drivers[i]);
	btf__free(running->vmlinux);
	free(running);
}

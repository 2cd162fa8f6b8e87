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

#define MAX_FUNCTIONS 48

static const char *const works[] = {
#define WORK(function, does) function,
#include "base/works.def"
#undef WORK
};

#define WORKS (sizeof(works) / sizeof(works[0]))
_Static_assert(WORKS <= LANE_BPF_MAX_WORKS, "programs look for all of them");

struct function {
	const char *name;
	unsigned int symbols; /* how often the name is in kallsyms */
	uint64_t address;     /* of the last one; 0: it is not told */
};

struct lane_bpf_running {
	struct lane_bpf_kernel kernel;
	struct lane_bpf_btfs btf;
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

/* BTF of the modules that use gpu-sched, when it is first asked for. */
static const struct lane_bpf_btfs *btf_with_drivers(struct lane_bpf_running *running)
{
	LANE_CLEANUP(lane_closedir) DIR *dir = NULL;
	struct lane_bpf_btfs *btf = &running->btf;
	struct dirent *entry;

	if (running->drivers_sought)
		return btf;
	running->drivers_sought = true;
	dir = opendir("/sys/module/gpu_sched/holders");
	while (dir && btf->n_drivers < LANE_BPF_MAX_DRIVERS && (entry = readdir(dir))) {
		struct btf *of_driver = NULL;

		if (*entry->d_name != '.')
			of_driver = btf__load_module_btf(entry->d_name, btf->vmlinux);
		if (of_driver)
			btf->drivers[btf->n_drivers++] = of_driver;
	}
	return btf;
}

static const char *is_typed(void *data, const struct lane_bpf_way *way)
{
	struct lane_bpf_running *running = data;

	return capture_bpf_btf_typed(
		lane_is_driver((unsigned int)way->kind) ? btf_with_drivers(running) : &running->btf,
		way);
}

const char *capture_bpf_btf_typed(const struct lane_bpf_btfs *btf, const struct lane_bpf_way *way)
{
	const char *why;

	if (lane_is_driver((unsigned int)way->kind)) {
		why = capture_bpf_btf_event(btf->vmlinux, way);
		for (unsigned int i = 0; i < btf->n_drivers && why; i++)
			why = capture_bpf_btf_event(btf->drivers[i], way);
		return why;
	}
	if (lane_is_drm((unsigned int)way->kind))
		return btf->drm_sched ? capture_bpf_btf_event(btf->drm_sched, way)
				      : "gpu-sched has no BTF";
	if (way->kind == LANE_VBLANK)
		return btf->drm ? capture_bpf_btf_event(btf->drm, way) : "drm has no BTF";
	if (strcmp(capture_bpf_system(way->kind), "i915"))
		return capture_bpf_btf_event(btf->vmlinux, way);
	return btf->i915 ? capture_bpf_btf_event(btf->i915, way) : "i915 has no BTF";
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

static void collect_function(struct lane_bpf_running *running, const char *name)
{
	unsigned int f = 0;

	while (f < running->n_functions && strcmp(running->functions[f].name, name))
		f++;
	if (f == running->n_functions && f < MAX_FUNCTIONS)
		running->functions[running->n_functions++].name = name;
}

static void collect_functions(struct lane_bpf_running *running)
{
	for (size_t i = 0; i < WORKS; i++)
		collect_function(running, works[i]);
	for (unsigned int w = 0; w < lane_bpf_n_ways; w++) {
		const struct lane_bpf_way *way = &lane_bpf_ways[w];

		for (int i = 0; i < LANE_BPF_MAX_HOOKS && way->hooks[i].program; i++)
			if (way->attach == LANE_BPF_FUNCTION)
				collect_function(running, way->hooks[i].target);
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
		for (unsigned int f = 0; f < running->n_functions; f++) {
			if (strcmp(running->functions[f].name, name))
				continue;
			running->functions[f].symbols++;
			running->functions[f].address = strtoull(line, NULL, 16);
		}
	}
}

const struct btf *capture_bpf_btf_of_driver(const struct lane_bpf_btfs *btf, const char *name,
					    unsigned int kind)
{
	for (unsigned int i = 0; i < btf->n_drivers; i++)
		if (btf__find_by_name_kind(btf->drivers[i], name, kind) > 0)
			return btf->drivers[i];
	return btf__find_by_name_kind(btf->vmlinux, name, kind) > 0 ? btf->vmlinux : NULL;
}

const char *capture_bpf_btf_function(const struct lane_bpf_btfs *btf, const char *name)
{
	const struct btf *of = btf->i915;

	if (!strncmp(name, "xe_", 3))
		of = capture_bpf_btf_of_driver(btf, name, BTF_KIND_FUNC);
	else if (!strcmp(name, "vfs_write") || !strncmp(name, "psi_", 4))
		of = btf->vmlinux;
	else if (!strncmp(name, "drm_sched_", 10))
		of = btf->drm_sched;
	else if (!strncmp(name, "drm_atomic_helper_", 18))
		of = btf->kms;
	else if (!strncmp(name, "drm_", 4))
		of = btf->drm;
	else if (!of)
		return "not compiled into this i915, which has no BTF to hook its functions by";
	else if (btf__find_by_name_kind(of, name, BTF_KIND_FUNC) <= 0)
		return "not compiled into this i915, and its function is not in BTF";
	if (!of || btf__find_by_name_kind(of, name, BTF_KIND_FUNC) <= 0)
		return "the function is not in BTF";
	return NULL;
}

/* What kallsyms has of the function; NULL: it is none that is sought there. */
static const struct function *find_function(struct lane_bpf_running *running, const char *name)
{
	if (!running->symbols_read)
		read_symbols(running);
	for (unsigned int f = 0; f < running->n_functions; f++)
		if (!strcmp(running->functions[f].name, name))
			return &running->functions[f];
	return NULL;
}

static const char *can_hook(void *data, const char *name)
{
	struct lane_bpf_running *running = data;
	const char *why = capture_bpf_btf_function(btf_with_drivers(running), name);
	const struct function *function;

	if (why)
		return why;
	function = find_function(running, name);
	if (!function)
		return "the function is not known";
	if (function->symbols > 1)
		return "the kernel has two functions of the name of the one to hook";
	return function->symbols ? NULL : "the kernel has no symbol to hook";
}

static bool has_address(void *data, const char *name)
{
	const struct function *function = find_function(data, name);

	return function && function->address;
}

void capture_bpf_running_works(struct lane_bpf_running *running, struct lane_bpf_work *to)
{
	/* Where the plan has work items, it has looked for the first one's function. */
	for (size_t i = 0; running->symbols_read && i < WORKS; i++) {
		const struct function *function = find_function(running, works[i]);

		if (!function || function->symbols != 1 || !function->address)
			continue;
		to->address = function->address;
		snprintf(to->name, sizeof(to->name), "%s", works[i]);
		to++;
	}
}

/* BTF of a module, or the kernel's where it is built in: then that has the module's function. */
static struct btf *open_module_btf(struct btf *vmlinux, const char *module, const char *function)
{
	if (btf__find_by_name_kind(vmlinux, function, BTF_KIND_FUNC) > 0)
		return vmlinux;
	return btf__load_module_btf(module, vmlinux);
}

static struct lane_error *open_btf(struct lane_bpf_running *running)
{
	running->btf.vmlinux = btf__load_vmlinux_btf();
	if (!running->btf.vmlinux)
		return lane_error("BTF: this kernel does not describe its types (a kernel with "
				  "CONFIG_DEBUG_INFO_BTF=y is needed)");
	if (btf__find_by_name_kind(running->btf.vmlinux, "i915_request", BTF_KIND_STRUCT) > 0)
		running->btf.i915 = running->btf.vmlinux;
	else if (running->kernel.has_i915)
		running->btf.i915 = btf__load_module_btf("i915", running->btf.vmlinux);
	if (btf__find_by_name_kind(running->btf.vmlinux, "drm_sched_job", BTF_KIND_STRUCT) > 0)
		running->btf.drm_sched = running->btf.vmlinux;
	else if (tracing_file("events/gpu_scheduler", F_OK))
		running->btf.drm_sched = btf__load_module_btf("gpu_sched", running->btf.vmlinux);
	if (tracing_file("events/drm", F_OK)) {
		running->btf.drm =
			open_module_btf(running->btf.vmlinux, "drm", "drm_atomic_commit");
		running->btf.kms = open_module_btf(running->btf.vmlinux, "drm_kms_helper",
						   "drm_atomic_helper_commit");
	}
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
	r->kernel = (struct lane_bpf_kernel){ .data = r,
					      .event = has_event,
					      .typed = is_typed,
					      .function = can_hook,
					      .has_address = has_address };
	if (!tracefs_tracing_dir()) {
		err = lane_error("tracefs: not there (run as root, or mount -t tracefs tracefs "
				 "/sys/kernel/tracing)");
	} else if (!tracing_file("events/sched/sched_switch/format", R_OK)) {
		/* libtracefs 1.8 frees what it told before where that cannot be read */
		dir = tracefs_tracing_dir();
		err = lane_error("tracefs: %s cannot be read (run as root)", dir ? dir : "it");
	}
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
	int id = btf__find_by_name_kind(running->btf.vmlinux, "btf_trace_sched_switch",
					BTF_KIND_TYPEDEF);

	type = id > 0 ? btf__type_by_id(running->btf.vmlinux, id) : NULL;
	type = type ? btf__type_by_id(running->btf.vmlinux, type->type) : NULL; /* pointer */
	type = type ? btf__type_by_id(running->btf.vmlinux, type->type) : NULL; /* prototype */
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
	if (running->btf.i915 != running->btf.vmlinux)
		btf__free(running->btf.i915);
	if (running->btf.drm_sched != running->btf.vmlinux)
		btf__free(running->btf.drm_sched);
	if (running->btf.drm != running->btf.vmlinux)
		btf__free(running->btf.drm);
	if (running->btf.kms != running->btf.vmlinux)
		btf__free(running->btf.kms);
	for (unsigned int i = 0; i < running->btf.n_drivers; i++)
		btf__free(running->btf.drivers[i]);
	btf__free(running->btf.vmlinux);
	free(running);
}

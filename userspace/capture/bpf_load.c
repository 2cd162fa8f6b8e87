// SPDX-License-Identifier: MIT
// The BPF object: loaded as a plan says, attached, and what it shares with the collector.
#include "capture/bpf_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <tracefs.h>

#include "base/cleanup.h"
#include "capture/bpf_uprobe.h"
#include "capture/gpulane.skel.h"

#define MAX_LINKS (2 * LANE_BPF_MAX_WAYS + 1)

struct lane_bpf_object {
	struct gpulane_bpf *skel;
	struct bpf_link *links[MAX_LINKS];
	unsigned int n_links;
	struct bpf_link *samplers[LANE_BPF_MAX_CPUS]; /* NULL: that CPU is not looked at */
	struct bpf_link *tasks;		      /* in a PID namespace: all threads there are */
	struct lane_bpf_library libraries[2]; /* the loaders that are hooked, if any */
	struct lane_bpf_uprobes uprobes;
	struct lane_bpf_frame frame;
	const char *frame_file; /* of a uprobe, NULL: none */
};

/* What libbpf said last: it prints instead of returning its reasons. */
static struct {
	char program[64]; /* the program it complained of */
	char line[160];	  /* its first complaint */
	char reason[160]; /* the verifier's, "" when it was not that */
} said;

/* The line in which the verifier says why: the last one before its figures. */
static void note_verdict(char *message)
{
	char *begin = strstr(message, "-- BEGIN PROG LOAD LOG --");
	char *end = begin ? strstr(begin, "\nprocessed ") : NULL;
	char *line;

	if (!end || said.reason[0])
		return;
	*end = 0;
	line = strrchr(begin, '\n');
	snprintf(said.reason, sizeof(said.reason), "%.*s", (int)sizeof(said.reason) - 1,
		 line ? line + 1 : "");
}

static int note_message(enum libbpf_print_level level, const char *format, va_list args)
{
	LANE_CLEANUP(lane_free) char *message = NULL;
	const char *line;

	if (level > LIBBPF_WARN || vasprintf(&message, format, args) < 0)
		return 0;
	line = strncmp(message, "libbpf: ", 8) ? message : message + 8;
	if (!said.line[0])
		snprintf(said.line, sizeof(said.line), "%.*s", (int)strcspn(line, "\n"), line);
	if (!said.program[0])
		sscanf(message, "libbpf: prog '%63[^']'", said.program);
	note_verdict(message);
	return 0;
}

static bool lockdown_forbids(void)
{
	LANE_CLEANUP(lane_fclose) FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];

	return file && fgets(line, sizeof(line), file) && strstr(line, "[confidentiality]");
}

/* The line for what made the whole object fail. */
static struct lane_error *refused(int errnum, const char *what)
{
	if ((errnum == EPERM || errnum == EACCES) && lockdown_forbids())
		return lane_error("BPF: kernel lockdown forbids reading the kernel (boot with "
				  "lockdown=integrity, or record with --backend lttng)");
	if (errnum == EPERM)
		return lane_error("BPF: no permission to %s (run as root, or give the program "
				  "CAP_SYS_ADMIN, CAP_DAC_READ_SEARCH and CAP_SYSLOG)",
				  what);
	if (said.line[0])
		return lane_error_errno(errnum, "BPF: cannot %s (%s)", what, said.line);
	return lane_error_errno(errnum, "BPF: cannot %s", what);
}

static void want(struct gpulane_bpf *skel, const char *program)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(skel->obj, program);

	if (prog)
		bpf_program__set_autoload(prog, true);
}

/* Which ways give the programs their fields' places. */
static bool uses_way(const struct lane_bpf_plan *plan, int kind, enum lane_bpf_attach attach)
{
	return plan->ways[kind] && plan->ways[kind]->attach == attach;
}

static bool by_format(const struct lane_bpf_plan *plan)
{
	bool any = false;

	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		any |= uses_way(plan, kind, LANE_BPF_FORMAT);
	return any;
}

static bool uses_drm(const struct lane_bpf_plan *plan)
{
	return plan->ways[LANE_DRM_QUEUE] || plan->ways[LANE_DRM_RUN];
}

/*
 * Whether the numbers of processes that this one sees are those that the kernel's events have.
 * include/linux/proc_ns.h: PROC_PID_INIT_INO.
 */
static bool in_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xeffffffcu;
}

/* Since Linux 5.19; with PREEMPT_RT mutexes are others, and have no flag of their own. */
static bool knows_lock_waits(void)
{
	struct utsname kernel;

	return !uname(&kernel) && !strstr(kernel.version, "PREEMPT_RT") &&
	       libbpf_find_vmlinux_btf_id("contention_begin", BPF_TRACE_RAW_TP) > 0;
}

static void choose_programs(struct gpulane_bpf *skel, const struct lane_bpf_plan *plan,
			    unsigned int follow)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, skel->obj) bpf_program__set_autoload(prog, false);
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		for (int i = 0; i < LANE_BPF_MAX_HOOKS; i++)
			if (plan->hooked[kind][i] && plan->ways[kind])
				want(skel, plan->ways[kind]->hooks[i].program);
	if (uses_way(plan, LANE_FENCE_INIT, LANE_BPF_TYPED) && skel->rodata->fence_names.driver)
		want(skel, "fence_put_aside");
	if (by_format(plan))
		want(skel, "fired");
	if (follow) {
		want(skel, "follow_fork");
		want(skel, "follow_free");
	}
	if (follow & LANE_BPF_FOLLOW_COMM)
		want(skel, "follow_rename");
	if (!in_first_namespace())
		want(skel, "list_tasks");
	if (skel->rodata->config.has_stacks)
		want(skel, "sample");
	if (skel->rodata->config.has_stacks && knows_lock_waits()) {
		want(skel, "lock_wait");
		want(skel, "lock_wait_end");
	}
}

static void fill_rodata(struct gpulane_bpf *skel, struct lane_bpf_running *running,
			const struct lane_bpf_config *settings)
{
	struct lane_bpf_names names;

	skel->rodata->config = *settings;
	capture_bpf_running_names(running, &names);
	skel->rodata->fence_names = names;
	skel->rodata->drm_places = *capture_bpf_running_drm(running);
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		skel->rodata->layouts[kind] = *capture_bpf_running_layout(running, kind);
	capture_bpf_running_works(running, (struct lane_bpf_work *)skel->rodata->works);
}

static int use_memory(struct bpf_map *map, const struct lane_bpf_memory *memory)
{
	return memory->n ? bpf_map__reuse_fd(map, memory->fd) : 0;
}

static bool hooks_library(const struct lane_bpf_object *object)
{
	return object->libraries[0].n_functions || object->libraries[1].n_functions;
}

/* One attempt. Returns 0 or an errno; said.program is then the program the kernel did not take. */
static int try_load(struct lane_bpf_object *object, struct lane_bpf_running *running,
		    const struct lane_bpf_config *settings, const struct lane_bpf_plan *plan,
		    const struct lane_bpf_memory *rings, const struct lane_bpf_memory *spare_rings)
{
	int result;

	memset(&said, 0, sizeof(said));
	object->skel = gpulane_bpf__open();
	if (!object->skel)
		return errno;
	fill_rodata(object->skel, running, settings);
	object->skel->rodata->config.n_rings = rings->n;
	object->skel->rodata->config.spare_mask =
		spare_rings->n ? (__u32)spare_rings->bytes - 1 : 0;
	if (use_memory(object->skel->maps.rings, rings) ||
	    use_memory(object->skel->maps.spare_rings, spare_rings)) {
		result = errno;
		gpulane_bpf__destroy(LANE_TAKE(object->skel));
		return result;
	}
	choose_programs(object->skel, plan, settings->follow);
	object->skel->rodata->frame = object->frame;
	capture_bpf_library_calls((struct lane_bpf_call *)object->skel->rodata->cl_calls);
	capture_bpf_uprobes_prepare(&object->uprobes, object->skel->progs.cl_entry);
	capture_bpf_uprobes_prepare(&object->uprobes, object->skel->progs.cl_exit);
	if (!settings->follow) {
		bpf_map__set_max_entries(object->skel->maps.followed, 1);
		bpf_map__set_max_entries(object->skel->maps.contexts, 1);
		bpf_map__set_max_entries(object->skel->maps.runnable, 1);
	}
	if (!settings->has_stacks) {
		bpf_map__set_max_entries(object->skel->maps.kernel_stacks, 1);
		bpf_map__set_max_entries(object->skel->maps.user_stacks, 1);
		bpf_map__set_max_entries(object->skel->maps.sample_stacks, 1);
		bpf_map__set_max_entries(object->skel->maps.submitters, 1);
	}
	if (!settings->has_copies)
		bpf_map__set_max_entries(object->skel->maps.stack_copies, 1);
	if (!uses_drm(plan))
		bpf_map__set_max_entries(object->skel->maps.drm_slots, 1);
	if (!hooks_library(object)) {
		bpf_map__set_max_entries(object->skel->maps.cl_threads, 1);
		bpf_map__set_max_entries(object->skel->maps.cl_commands, 1);
		bpf_map__set_max_entries(object->skel->maps.cl_names, 1);
	}
	result = gpulane_bpf__load(object->skel);
	if (result) {
		gpulane_bpf__destroy(object->skel);
		object->skel = NULL;
	}
	return -result;
}

static const char *has_library(void *data)
{
	(void)data;
	return NULL;
}

/* Looks for the loaders when they are to be hooked; one that was named has to be there. */
static struct lane_error *find_library(struct lane_bpf_object *object,
				       const struct lane_capture_config *config)
{
	static const char *const names[] = { LANE_OPENCL_LOADER, LANE_LEVELZERO_LOADER };
	struct lane_error *err;

	if (!(config->groups & LANE_GROUP_OPENCL))
		return NULL;
	for (int i = 0; i < (config->opencl_library ? 1 : 2); i++) {
		err = capture_bpf_library_find(config->opencl_library, names[i],
					       &object->libraries[i]);
		if (err && config->opencl_library)
			return err;
		lane_error_free(err);
	}
	capture_bpf_uprobes_init(&object->uprobes);
	return NULL;
}

static struct lane_error *
bpf_load_load(struct lane_bpf_object *object, struct lane_bpf_running *running,
	      const struct lane_capture_config *config, const struct lane_bpf_config *settings,
	      struct lane_bpf_plan *plan, const struct lane_bpf_memory *rings,
	      const struct lane_bpf_memory *spare_rings)
{
	struct lane_bpf_kernel kernel = *capture_bpf_running_kernel(running);
	struct lane_error *err = find_library(object, config);

	if (err)
		return err;
	if (hooks_library(object))
		kernel.library = has_library;
	for (;;) {
		int errnum;

		capture_bpf_plan(plan, config, &kernel);
		errnum = try_load(object, running, settings, plan, rings, spare_rings);
		if (!errnum)
			return NULL;
		/* Each round takes at least one way out of the plan, so this ends. A kernel may
		 * forbid hooks on functions and nothing else; who may do nothing fails with the
		 * rest, too. */
		if ((errnum == EPERM && strncmp(said.program, "fn_", 3) != 0) || !said.program[0] ||
		    !capture_bpf_refuse(plan, said.program,
					said.reason[0] ? said.reason : strerror(errnum)))
			return refused(errnum, "load the programs");
	}
}

static int keep_link(struct lane_bpf_object *object, struct bpf_link *link)
{
	if (!link)
		return errno;
	if (object->n_links == MAX_LINKS) {
		bpf_link__destroy(link);
		return ENOSPC;
	}
	object->links[object->n_links++] = link;
	return 0;
}

/* Attaches a program that reads tracepoints by their format; the kind goes with the attachment. */
static int attach_record(struct lane_bpf_object *object, struct bpf_program *prog, int kind)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = (__u64)kind);

	return keep_link(object, bpf_program__attach_tracepoint_opts(prog, capture_bpf_system(kind),
								     lane_kinds[kind].name, &opts));
}

/* The two programs on the loaders are attached once, each with the kind that is its own;
 * others come along. */
static int attach_library(struct lane_bpf_object *object, int kind)
{
	const struct bpf_program *program =
		kind == LANE_CL_ENTRY ? object->skel->progs.cl_entry : object->skel->progs.cl_exit;
	int errnum = 0;

	if (kind != LANE_CL_ENTRY && kind != LANE_CL_EXIT)
		return 0;
	for (int i = 0; i < 2 && !errnum; i++)
		if (object->libraries[i].n_functions)
			errnum = capture_bpf_uprobes_attach(&object->uprobes, program,
							    &object->libraries[i],
							    kind == LANE_CL_EXIT);
	return errnum;
}

static int attach_frames(struct lane_bpf_object *object)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = object->frame.text);

	return keep_link(object, bpf_program__attach_uprobe_opts(object->skel->progs.frame_function,
								 -1, object->frame_file, 0, &opts));
}

static int attach_hook(struct lane_bpf_object *object, const struct lane_bpf_way *way, int i)
{
	struct bpf_program *prog =
		bpf_object__find_program_by_name(object->skel->obj, way->hooks[i].program);
	int errnum;

	if (!prog)
		return ENOENT;
	if (way->attach == LANE_BPF_LIBRARY)
		return attach_library(object, way->kind);
	if (way->attach == LANE_BPF_UPROBE)
		return attach_frames(object);
	if (way->kind == LANE_FENCE_ERROR) /* by the program of the signal, which is its own */
		return 0;
	if (way->attach != LANE_BPF_FORMAT)
		return keep_link(object, bpf_program__attach_trace(prog));
	errnum = keep_link(object, bpf_program__attach_raw_tracepoint(object->skel->progs.fired,
								      lane_kinds[way->kind].name));
	return errnum ? errnum : attach_record(object, prog, way->kind);
}

/* What runs ahead of others in the same tracepoint has to be attached first. Without it an event
 * has no names. */
static void attach_aside(struct lane_bpf_object *object)
{
	struct bpf_program *names = object->skel->progs.fence_put_aside;

	if (bpf_program__autoload(names))
		attach_record(object, names, LANE_FENCE_INIT);
}

static struct lane_error *attach_follow(struct lane_bpf_object *object)
{
	struct bpf_program *progs[] = { object->skel->progs.follow_fork,
					object->skel->progs.follow_free,
					object->skel->progs.follow_rename };

	for (size_t i = 0; i < sizeof(progs) / sizeof(progs[0]); i++) {
		int errnum = 0;

		if (bpf_program__autoload(progs[i]))
			errnum = keep_link(object, bpf_program__attach_trace(progs[i]));
		if (errnum)
			return refused(errnum, "follow processes");
	}
	return NULL;
}

/* Of stacks, what goes with no event of the plan. The end comes first: without it a wait that was
 * short would be taken for what the thread sleeps for later. Stacks are whole without both. */
static void attach_locks(struct lane_bpf_object *object, struct lane_bpf_plan *plan)
{
	struct lane_capture_kind *kind = &plan->kinds[LANE_LOCK_WAIT];
	struct bpf_program *begin = object->skel->progs.lock_wait;
	int errnum;

	if (!bpf_program__autoload(begin))
		return;
	errnum = keep_link(object, bpf_program__attach_trace(object->skel->progs.lock_wait_end));
	if (!errnum)
		errnum = keep_link(object, bpf_program__attach_trace(begin));
	*kind = (struct lane_capture_kind){ .recorded = !errnum,
					    .origin = LANE_ORIGIN_TRACEPOINT,
					    .hook = "lock:contention_begin" };
	if (errnum)
		snprintf(kind->missing, sizeof(kind->missing), "the kernel refuses the hook: %s",
			 strerror(errnum));
}

static struct lane_error *attach_tasks(struct lane_bpf_object *object)
{
	struct bpf_program *prog = object->skel->progs.list_tasks;

	if (!bpf_program__autoload(prog))
		return NULL;
	object->tasks = bpf_program__attach_iter(prog, NULL);
	return object->tasks ? NULL : refused(errno, "list the processes beyond this namespace");
}

bool capture_bpf_sample(struct lane_bpf_object *object, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = LANE_BPF_SAMPLE_HZ,
		.freq = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0)
		return false;
	link = bpf_program__attach_perf_event(object->skel->progs.sample, fd);
	if (!link)
		close(fd);
	object->samplers[cpu & (LANE_BPF_MAX_CPUS - 1)] = link;
	return link;
}

static struct lane_error *attach(struct lane_bpf_object *object, struct lane_bpf_plan *plan)
{
	struct lane_error *err = attach_follow(object);
	unsigned int attached = 0;
	int refusal = 0;

	if (!err)
		err = attach_tasks(object);
	if (err)
		return err;
	attach_locks(object, plan);
	attach_aside(object);
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++) {
		const struct lane_bpf_way *way = plan->ways[kind];
		struct lane_capture_kind *is = &plan->kinds[kind];
		unsigned int before = object->n_links;
		const char *target = NULL;
		int errnum = 0;

		for (int i = 0; way && i < LANE_BPF_MAX_HOOKS && !errnum; i++) {
			if (!plan->hooked[kind][i])
				continue;
			target = way->hooks[i].target;
			errnum = attach_hook(object, way, i);
		}
		if (errnum) {
			refusal = errnum;
			while (object->n_links > before)
				bpf_link__destroy(object->links[--object->n_links]);
			plan->ways[kind] = NULL;
			*is = (struct lane_capture_kind){};
			snprintf(is->missing, sizeof(is->missing), "%s cannot be hooked: %s",
				 target, strerror(errnum));
		}
		attached += plan->ways[kind] != NULL;
	}
	if (!attached && refusal)
		return refused(refusal, "attach the programs");
	return NULL;
}

/* Lines are those of one file. */
static struct lane_error *find_marker(struct lane_bpf_frame *frame)
{
	struct stat st;
	char *path;
	int bad;

	path = tracefs_get_tracing_file("trace_marker");
	bad = !path || stat(path, &st);
	tracefs_put_tracing_file(path);
	if (bad)
		return lane_error_errno(errno, "trace_marker");
	frame->inode = st.st_ino;
	/* As the kernel has it: MKDEV(). */
	frame->device = major(st.st_dev) << 20 | minor(st.st_dev);
	return NULL;
}

/* A uprobe's marks are called as its function is. */
static struct lane_error *fill_frame(struct lane_bpf_object *object,
				     const struct lane_capture_config *config)
{
	const struct lane_frame_mark *mark = &config->frame;
	const char *text = mark->text ? mark->text : mark->symbol;
	struct lane_bpf_frame *frame = &object->frame;

	if (text) {
		snprintf(frame->text, sizeof(frame->text), "%s", text);
		frame->length = (__u32)strlen(frame->text);
		object->frame_file = mark->file;
	}
	return mark->text || config->groups & LANE_GROUP_RANGES ? find_marker(frame) : NULL;
}

struct lane_error *capture_bpf_load(struct lane_bpf_running *running,
				    const struct lane_capture_config *config,
				    const struct lane_bpf_config *settings,
				    const struct lane_bpf_memory *rings,
				    const struct lane_bpf_memory *spare_rings,
				    struct lane_bpf_plan *plan, struct lane_bpf_object **object)
{
	struct lane_bpf_object *o = calloc(1, sizeof(*o));
	libbpf_print_fn_t before = libbpf_set_print(note_message);
	struct lane_error *err;

	if (!o)
		return &lane_enomem;
	err = fill_frame(o, config);
	if (!err)
		err = bpf_load_load(o, running, config, settings, plan, rings, spare_rings);
	if (!err)
		err = attach(o, plan);
	libbpf_set_print(before);
	if (err) {
		capture_bpf_unload(o);
		return err;
	}
	*object = o;
	return NULL;
}

void capture_bpf_enable(struct lane_bpf_object *object, bool on)
{
	__atomic_store_n(&object->skel->bss->enabled, on, __ATOMIC_SEQ_CST);
}

volatile struct lane_bpf_cpu *capture_bpf_cpu(const struct lane_bpf_object *object,
					      unsigned int cpu)
{
	return &object->skel->bss->cpus[cpu & (LANE_BPF_MAX_CPUS - 1)];
}

int capture_bpf_bell_fd(const struct lane_bpf_object *object)
{
	return bpf_map__fd(object->skel->maps.bell);
}

int capture_bpf_followed_fd(const struct lane_bpf_object *object)
{
	return bpf_map__fd(object->skel->maps.followed);
}

bool capture_bpf_stack(const struct lane_bpf_object *object, bool user, uint32_t id,
		       uint64_t *addresses)
{
	const struct bpf_map *map =
		user ? object->skel->maps.user_stacks : object->skel->maps.kernel_stacks;

	if (user && id >= LANE_BPF_MAX_STACKS) {
		map = object->skel->maps.sample_stacks;
		id -= LANE_BPF_MAX_STACKS;
	}
	return !bpf_map_lookup_elem(bpf_map__fd(map), &id, addresses);
}

bool capture_bpf_stack_copy(const struct lane_bpf_object *object, uint32_t number,
			    struct lane_bpf_stack_copy *copy)
{
	uint32_t slot = (number & ~LANE_BPF_COPY_BIT) >> 1 & (LANE_BPF_COPIES - 1);

	return !bpf_map_lookup_elem(bpf_map__fd(object->skel->maps.stack_copies), &slot, copy) &&
	       copy->number == copy->end && LANE_BPF_COPY_NUMBER((uint32_t)copy->number) == number;
}

int capture_bpf_tasks_fd(const struct lane_bpf_object *object)
{
	return object->tasks ? bpf_link__fd(object->tasks) : -1;
}

struct lane_bpf_missed capture_bpf_missed(const struct lane_bpf_object *object)
{
	struct lane_bpf_missed missed = {};
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, object->skel->obj)
	{
		struct bpf_prog_info info = {};
		__u32 bytes = sizeof(info);

		/* Those are counted as fired and not seen, or lose no event but names; a look that
		 * did not happen is none. */
		if (bpf_program__type(prog) == BPF_PROG_TYPE_TRACEPOINT ||
		    bpf_program__type(prog) == BPF_PROG_TYPE_PERF_EVENT)
			continue;
		if (bpf_program__fd(prog) < 0 ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &bytes))
			continue;
		if (prog == object->skel->progs.fired)
			missed.fired += info.recursion_misses;
		else
			missed.events += info.recursion_misses;
	}
	return missed;
}

void capture_bpf_unload(struct lane_bpf_object *object)
{
	if (!object)
		return;
	capture_bpf_uprobes_deinit(&object->uprobes);
	while (object->n_links)
		bpf_link__destroy(object->links[--object->n_links]);
	for (unsigned int cpu = 0; cpu < LANE_BPF_MAX_CPUS; cpu++)
		bpf_link__destroy(object->samplers[cpu]);
	bpf_link__destroy(object->tasks);
	gpulane_bpf__destroy(object->skel);
	free(object);
}

// SPDX-License-Identifier: MIT
// Which program records which kind, on kernels that lack one thing or another.
#include "check.h"

#include <string.h>

#include "capture/bpf_plan.h"

#define ALL                                                                                        \
	(LANE_GROUP_I915 | LANE_GROUP_CONTEXT | LANE_GROUP_FENCE | LANE_GROUP_SCHED |              \
	 LANE_GROUP_PROCESS)

/* A kernel to play. */
struct fake {
	bool low_level;
	bool btf;
	bool drm_old; /* drm_sched's events have the names they had before Linux 6.17 */
	bool drm_btf;
	bool no_irq_work;      /* arm64 */
	bool hides_addresses;  /* kernel.kptr_restrict is 2 */
	const char *absent[4]; /* functions */
};

static bool is_low_level(int kind)
{
	return kind == LANE_RQ_GUC_SUBMIT || kind == LANE_RQ_SUBMIT || kind == LANE_RQ_EXECUTE ||
	       kind == LANE_RQ_IN || kind == LANE_RQ_OUT ||
	       (kind >= LANE_CTX_SET_PRIO && kind <= LANE_CTX_DO_UNPIN);
}

static const char *fake_event(void *data, const struct lane_bpf_way *way)
{
	struct fake *fake = data;

	if (lane_is_drm((unsigned int)way->kind) &&
	    fake->drm_old == !strcmp(way->hooks[0].target, lane_kinds[way->kind].name))
		return "another kernel's event";
	return is_low_level(way->kind) && !fake->low_level ? "no event" : NULL;
}

static const char *fake_typed(void *data, const struct lane_bpf_way *way)
{
	struct fake *fake = data;

	if (lane_is_drm((unsigned int)way->kind))
		return fake->drm_btf ? NULL : "no BTF";
	if (fake->no_irq_work && way->hooks[1].program)
		return "no event";
	return way->kind <= LANE_CTX_DO_UNPIN && !fake->btf ? "no BTF" : NULL;
}

static const char *fake_function(void *data, const char *name)
{
	struct fake *fake = data;

	if (!fake->btf)
		return "no BTF";
	for (int i = 0; i < 4; i++)
		if (fake->absent[i] && !strcmp(fake->absent[i], name))
			return "no function";
	return NULL;
}

static bool fake_has_address(void *data, const char *name)
{
	struct fake *fake = data;

	(void)name;
	return !fake->hides_addresses;
}

static struct lane_bpf_kernel kernel_of(struct fake *fake)
{
	return (struct lane_bpf_kernel){ .data = fake,
					 .has_i915 = true,
					 .event = fake_event,
					 .typed = fake_typed,
					 .function = fake_function,
					 .has_address = fake_has_address };
}

static void plan_for(struct lane_bpf_plan *plan, struct fake *fake, enum lane_hook_choice hooks,
		     unsigned int groups)
{
	struct lane_bpf_kernel kernel = kernel_of(fake);
	struct lane_capture_config config = { .groups = groups, .hooks = hooks };

	memset(plan, 0, sizeof(*plan));
	capture_bpf_plan(plan, &config, &kernel);
}

static void is_recorded(const struct lane_bpf_plan *plan, int kind, enum lane_origin origin,
			const char *hook)
{
	assert_true(plan->kinds[kind].recorded);
	assert_int_equal(plan->kinds[kind].origin, origin);
	assert_string_equal(plan->kinds[kind].hook, hook);
	assert_string_equal(plan->kinds[kind].missing, "");
}

static void is_missing(const struct lane_bpf_plan *plan, int kind, const char *why)
{
	assert_false(plan->kinds[kind].recorded);
	assert_null(plan->ways[kind]);
	assert_string_equal(plan->kinds[kind].missing, why);
	assert_string_equal(plan->kinds[kind].hook, "");
}

TEST(full_driver)
{
	struct fake fake = { .low_level = true, .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, ALL);
	is_recorded(&plan, LANE_RQ_SUBMIT, LANE_ORIGIN_TRACEPOINT, "i915:i915_request_submit");
	is_recorded(&plan, LANE_RQ_UNSUBMIT, LANE_ORIGIN_FUNCTION,
		    "function:__i915_request_unsubmit");
	is_recorded(&plan, LANE_PORTS, LANE_ORIGIN_STATE, "function:execlists_submission_tasklet");
	is_recorded(&plan, LANE_CTX_FREE, LANE_ORIGIN_TRACEPOINT, "i915:intel_context_free");
	is_recorded(&plan, LANE_SWITCH, LANE_ORIGIN_TRACEPOINT, "sched:sched_switch");
	is_recorded(&plan, LANE_STATEDUMP, LANE_ORIGIN_SNAPSHOT, "/proc");
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		assert_int_equal(plan.kinds[kind].recorded, kind < LANE_CL_ENTRY);
}

/* LTTng calls softirqs irq_softirq: that is the recording's name, the kernel's is the hook. */
TEST(interrupts_when_asked_for)
{
	struct fake fake = { .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, ALL);
	for (int kind = LANE_IRQ_ENTRY; kind <= LANE_SOFTIRQ_RAISE; kind++)
		assert_false(plan.kinds[kind].recorded);
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_IRQ);
	is_recorded(&plan, LANE_IRQ_ENTRY, LANE_ORIGIN_TRACEPOINT, "irq:irq_handler_entry");
	is_recorded(&plan, LANE_IRQ_EXIT, LANE_ORIGIN_TRACEPOINT, "irq:irq_handler_exit");
	is_recorded(&plan, LANE_SOFTIRQ_ENTRY, LANE_ORIGIN_TRACEPOINT, "irq:softirq_entry");
	is_recorded(&plan, LANE_SOFTIRQ_EXIT, LANE_ORIGIN_TRACEPOINT, "irq:softirq_exit");
	is_recorded(&plan, LANE_SOFTIRQ_RAISE, LANE_ORIGIN_TRACEPOINT, "irq:softirq_raise");
	assert_string_equal(lane_kinds[LANE_SOFTIRQ_RAISE].name, "irq_softirq_raise");
	/* The kernel's irq_work is a handler, too. */
	for (int kind = LANE_IRQ_ENTRY; kind <= LANE_IRQ_EXIT; kind++)
		assert_true(plan.hooked[kind][0] && plan.hooked[kind][1]);
	fake.no_irq_work = true;
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_IRQ);
	is_recorded(&plan, LANE_IRQ_ENTRY, LANE_ORIGIN_TRACEPOINT, "irq:irq_handler_entry");
	for (int kind = LANE_IRQ_ENTRY; kind <= LANE_IRQ_EXIT; kind++)
		assert_true(plan.hooked[kind][0] && !plan.hooked[kind][1]);
}

/* Where drm_sched has threads of its own no item gives jobs to their rings. */
TEST(work_items_where_the_scheduler_has_them)
{
	struct fake fake = { .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_WORKQUEUE);
	is_recorded(&plan, LANE_WORK_QUEUE, LANE_ORIGIN_TRACEPOINT,
		    "workqueue:workqueue_queue_work");
	is_recorded(&plan, LANE_WORK_START, LANE_ORIGIN_TRACEPOINT,
		    "workqueue:workqueue_execute_start");
	is_recorded(&plan, LANE_WORK_END, LANE_ORIGIN_TRACEPOINT,
		    "workqueue:workqueue_execute_end");
	fake.absent[0] = "drm_sched_run_job_work";
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_WORKQUEUE);
	assert_int_equal(capture_bpf_planned(&plan), 0);
	assert_string_equal(
		plan.kinds[LANE_WORK_START].missing,
		"no work items give jobs to their rings here (they do from Linux 6.8 on)");
	assert_false(plan.kinds[LANE_WORK_START].is_held_back);
	fake = (struct fake){ .btf = true, .hides_addresses = true };
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_WORKQUEUE);
	assert_int_equal(capture_bpf_planned(&plan), 0);
	assert_string_equal(plan.kinds[LANE_WORK_START].missing,
			    "the kernel hides where its functions are (sysctl -w "
			    "kernel.kptr_restrict=1 shows it to root)");
	assert_true(plan.kinds[LANE_WORK_START].is_held_back);
}

TEST(lines_of_trace_marker_by_the_function_that_writes)
{
	struct fake fake = { .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_RANGES);
	is_recorded(&plan, LANE_MARKER, LANE_ORIGIN_FUNCTION, "function:vfs_write");
	assert_int_equal(capture_bpf_planned(&plan), 1);
}

TEST(distribution_driver)
{
	struct fake fake = { .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, ALL);
	is_recorded(&plan, LANE_RQ_SUBMIT, LANE_ORIGIN_FUNCTION, "function:submit_notify");
	is_recorded(&plan, LANE_RQ_EXECUTE, LANE_ORIGIN_FUNCTION, "function:__i915_request_submit");
	is_recorded(&plan, LANE_RQ_RETIRE, LANE_ORIGIN_TRACEPOINT, "i915:i915_request_retire");
	is_missing(&plan, LANE_RQ_IN, "no event");
	is_missing(&plan, LANE_CTX_FREE, "no event");
}

TEST(submit_by_engines)
{
	struct fake fake = { .btf = true,
			     .absent = { "submit_notify", "execlists_submit_request",
					 "mock_submit_request" } };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, ALL);
	is_recorded(&plan, LANE_RQ_SUBMIT, LANE_ORIGIN_FUNCTION, "function:virtual_submit_request");
	assert_false(plan.hooked[LANE_RQ_SUBMIT][0]);
	assert_true(plan.hooked[LANE_RQ_SUBMIT][1]);
	assert_true(plan.hooked[LANE_RQ_SUBMIT][4]);
	assert_false(plan.hooked[LANE_RQ_SUBMIT][5]);
}

TEST(driver_without_btf)
{
	struct fake fake = { .low_level = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, ALL);
	is_recorded(&plan, LANE_RQ_ADD, LANE_ORIGIN_TRACEPOINT, "i915:i915_request_add");
	assert_int_equal(plan.ways[LANE_RQ_ADD]->attach, LANE_BPF_FORMAT);
	assert_int_equal(plan.ways[LANE_FENCE_INIT]->attach, LANE_BPF_TYPED);
	is_missing(&plan, LANE_RQ_UNSUBMIT, "no BTF");
	is_missing(&plan, LANE_PORTS, "no BTF");
}

TEST(no_driver)
{
	struct fake fake = { .low_level = true, .btf = true };
	struct lane_bpf_kernel kernel = kernel_of(&fake);
	struct lane_capture_config config = { .groups = ALL };
	struct lane_bpf_plan plan = {};

	kernel.has_i915 = false;
	capture_bpf_plan(&plan, &config, &kernel);
	is_missing(&plan, LANE_RQ_ADD, "i915 is not loaded");
	is_missing(&plan, LANE_PORTS, "i915 is not loaded");
	is_missing(&plan, LANE_CTX_BAN, "i915 is not loaded");
	assert_true(plan.kinds[LANE_SWITCH].recorded);
	assert_true(plan.kinds[LANE_FENCE_SIGNALED].recorded);
}

/* Its events by both generations' names; without BTF only those that tell a job's fence. */
TEST(drm_sched)
{
	struct fake fake = { .drm_old = true, .drm_btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_DRM);
	is_recorded(&plan, LANE_DRM_QUEUE, LANE_ORIGIN_TRACEPOINT, "gpu_scheduler:drm_sched_job");
	is_recorded(&plan, LANE_DRM_RUN, LANE_ORIGIN_TRACEPOINT, "gpu_scheduler:drm_run_job");
	is_recorded(&plan, LANE_DRM_ADD_DEP, LANE_ORIGIN_TRACEPOINT,
		    "gpu_scheduler:drm_sched_job_wait_dep");
	is_recorded(&plan, LANE_DRM_DONE, LANE_ORIGIN_TRACEPOINT,
		    "gpu_scheduler:drm_sched_process_job");
	is_missing(&plan, LANE_DRM_UNSCHEDULABLE, "another kernel's event");
	fake.drm_btf = false;
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_DRM);
	assert_int_equal(capture_bpf_planned(&plan), 0);
	fake.drm_old = false;
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_DRM);
	for (int kind = LANE_DRM_QUEUE; kind <= LANE_DRM_DONE; kind++)
		assert_int_equal(plan.ways[kind]->attach, LANE_BPF_FORMAT);
	fake.drm_btf = true;
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_DRM);
	for (int kind = LANE_DRM_QUEUE; kind <= LANE_DRM_DONE; kind++) {
		assert_int_equal(plan.ways[kind]->attach, LANE_BPF_TYPED);
		assert_string_equal(plan.ways[kind]->hooks[0].target, lane_kinds[kind].name);
	}
	plan_for(&plan, &fake, LANE_HOOKS_FORMAT, LANE_GROUP_DRM);
	for (int kind = LANE_DRM_QUEUE; kind <= LANE_DRM_DONE; kind++)
		assert_int_equal(plan.ways[kind]->attach, LANE_BPF_FORMAT);
}

/* Drivers' own: typed where BTF has them, which are those of each job; all by their formats else.
 */
TEST(drivers)
{
	struct fake fake = { .drm_btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_DRIVER);
	is_recorded(&plan, LANE_XE_RESET, LANE_ORIGIN_TRACEPOINT, "xe:xe_exec_queue_reset");
	is_recorded(&plan, LANE_MSM_FLUSH, LANE_ORIGIN_TRACEPOINT,
		    "drm_msm_gpu:msm_gpu_submit_flush");
	is_recorded(&plan, LANE_LIMA_RUN, LANE_ORIGIN_TRACEPOINT, "lima:lima_task_run");
	assert_int_equal(plan.ways[LANE_XE_TIMEDOUT]->attach, LANE_BPF_TYPED);
	assert_int_equal(plan.ways[LANE_AMD_RUN]->attach, LANE_BPF_TYPED);
	assert_int_equal(plan.ways[LANE_V3D_BCL_IRQ]->attach, LANE_BPF_TYPED);
	assert_int_equal(plan.ways[LANE_V3D_RESET_END]->attach, LANE_BPF_FORMAT);
	plan_for(&plan, &fake, LANE_HOOKS_FORMAT, LANE_GROUP_DRIVER);
	for (int kind = LANE_XE_TIMEDOUT; kind <= LANE_V3D_RESET_END; kind++) {
		assert_int_equal(plan.ways[kind]->attach, LANE_BPF_FORMAT);
		assert_non_null(capture_bpf_system(kind));
	}
}

TEST(choice_of_hooks)
{
	struct fake fake = { .low_level = true, .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_FUNCTION, ALL);
	is_recorded(&plan, LANE_RQ_RETIRE, LANE_ORIGIN_FUNCTION, "function:i915_sched_node_fini");
	is_recorded(&plan, LANE_RQ_ADD, LANE_ORIGIN_TRACEPOINT, "i915:i915_request_add");
	plan_for(&plan, &fake, LANE_HOOKS_TRACEPOINT, ALL);
	is_missing(&plan, LANE_RQ_UNSUBMIT, "only tracepoints were asked for");
	is_missing(&plan, LANE_PORTS, "only tracepoints were asked for");
	plan_for(&plan, &fake, LANE_HOOKS_FORMAT, ALL);
	assert_int_equal(plan.ways[LANE_RQ_ADD]->attach, LANE_BPF_FORMAT);
	assert_int_equal(plan.ways[LANE_SWITCH]->attach, LANE_BPF_TYPED);
	is_recorded(&plan, LANE_RQ_UNSUBMIT, LANE_ORIGIN_FUNCTION,
		    "function:__i915_request_unsubmit");
}

TEST(refusals)
{
	struct fake fake = { .low_level = true, .btf = true };
	struct lane_bpf_kernel kernel = kernel_of(&fake);
	struct lane_capture_config config = { .groups = ALL };
	struct lane_bpf_plan plan = {};

	capture_bpf_plan(&plan, &config, &kernel);
	assert_true(capture_bpf_refuse(&plan, "rq_execute", "Invalid argument"));
	capture_bpf_plan(&plan, &config, &kernel);
	assert_int_equal(plan.ways[LANE_RQ_EXECUTE]->attach, LANE_BPF_FORMAT);
	assert_false(capture_bpf_refuse(&plan, "rq_execute", "Invalid argument"));
	assert_true(capture_bpf_refuse(&plan, "fn_ports", "Invalid argument"));
	capture_bpf_plan(&plan, &config, &kernel);
	is_missing(&plan, LANE_PORTS,
		   "execlists_submission_tasklet: the kernel refused program fn_ports: Invalid "
		   "argument");
	assert_false(capture_bpf_refuse(&plan, "no_such_program", "Invalid argument"));
	/* One program for many kinds: all are taken out at once. */
	fake.btf = false;
	capture_bpf_plan(&plan, &config, &kernel);
	assert_true(capture_bpf_refuse(&plan, "by_format", "Operation not supported"));
	capture_bpf_plan(&plan, &config, &kernel);
	assert_null(plan.ways[LANE_RQ_ADD]);
	assert_null(plan.ways[LANE_CTX_FREE]);
}

/* The first of several refusals is the one to tell: the others are ways that only stood in. */
TEST(first_refusal)
{
	struct fake fake = { .low_level = true, .btf = true };
	struct lane_bpf_kernel kernel = kernel_of(&fake);
	struct lane_capture_config config = { .groups = LANE_GROUP_I915 };
	struct lane_bpf_plan plan = {};

	capture_bpf_plan(&plan, &config, &kernel);
	assert_true(capture_bpf_refuse(&plan, "rq_add", "R8 invalid mem access"));
	capture_bpf_plan(&plan, &config, &kernel);
	assert_true(capture_bpf_refuse(&plan, "by_format", "Invalid argument"));
	capture_bpf_plan(&plan, &config, &kernel);
	is_missing(&plan, LANE_RQ_ADD,
		   "i915_request_add: the kernel refused program rq_add: R8 invalid mem access");
}

TEST(groups)
{
	struct fake fake = { .low_level = true, .btf = true };
	struct lane_bpf_plan plan;

	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_SCHED);
	assert_int_equal(capture_bpf_planned(&plan), 5);
	assert_false(plan.kinds[LANE_RQ_ADD].recorded);
	assert_string_equal(plan.kinds[LANE_RQ_ADD].missing, "");
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, 0);
	assert_int_equal(capture_bpf_planned(&plan), 0);
	plan_for(&plan, &fake, LANE_HOOKS_AUTO, LANE_GROUP_OPENCL);
	assert_int_equal(capture_bpf_planned(&plan), 0);
	assert_string_equal(plan.kinds[LANE_CL_ENTRY].missing, "no OpenCL loader");
	assert_string_equal(plan.kinds[LANE_CL_COMMAND].missing,
			    "only the layer has commands' times");
}

/* The kernel's name of a way's event: LTTng's softirqs begin with irq_, and drm_sched's names
 * changed. */
static const char *kernels_name(const struct lane_bpf_way *way)
{
	if (way->kind >= LANE_SOFTIRQ_ENTRY && way->kind <= LANE_SOFTIRQ_RAISE)
		return lane_kinds[way->kind].name + strlen("irq_");
	if (lane_is_drm((unsigned int)way->kind) && strstr(way->hooks[0].program, "_old"))
		return way->hooks[0].target;
	if (way->kind == LANE_FENCE_ERROR) /* comes with the signal */
		return "dma_fence_signaled";
	return lane_kinds[way->kind].name;
}

/* The table of ways names each tracepoint as the table of events does. */
TEST(table)
{
	for (unsigned int i = 0; i < lane_bpf_n_ways; i++) {
		const struct lane_bpf_way *way = &lane_bpf_ways[i];

		assert_non_null(way->hooks[0].program);
		assert_between(way->kind, 0, LANE_KIND_COUNT - 1);
		if (way->attach == LANE_BPF_FUNCTION || way->attach == LANE_BPF_LIBRARY ||
		    way->attach == LANE_BPF_UPROBE)
			continue;
		assert_string_equal(way->hooks[0].target, kernels_name(way));
		assert_non_null(capture_bpf_system(way->kind));
		/* A second tracepoint is irq_work's. */
		assert_true(!way->hooks[1].program || way->attach == LANE_BPF_TYPED);
		assert_true(!way->hooks[1].program || way->kind == LANE_IRQ_ENTRY ||
			    way->kind == LANE_IRQ_EXIT);
	}
}

TEST(settings_are_taken)
{
	struct lane_engine_filter engines[17] = { { 0, 0 }, { 3, 1 } };
	struct lane_capture_config config = {
		.follow_pid = 7, .comm = "fifteen-letters", .engines = engines, .n_engines = 2
	};
	struct lane_bpf_config settings;
	struct lane_error *err;

	assert_null(capture_bpf_settings(&config, 65536, 3, &settings));
	assert_int_equal(settings.follow, LANE_BPF_FOLLOW_TREE | LANE_BPF_FOLLOW_COMM);
	assert_int_equal(settings.n_engines, 2);
	assert_int_equal(settings.engines[1].class, 3);
	assert_int_equal(settings.engines[1].instance, 1);
	assert_int_equal(settings.ring_mask, 65535);
	assert_int_equal(settings.switch_state_arg, 3);
	assert_string_equal(settings.comm, "fifteen-letters");

	config.comm = "sixteen--letters";
	err = capture_bpf_settings(&config, 65536, 3, &settings);
	assert_non_null(err);
	assert_int_equal(lane_error_code(err), LANE_ERROR_USAGE);
	lane_error_free(err);
	config.comm = "";
	check_error(capture_bpf_settings(&config, 65536, 3, &settings), "");
	config.comm = NULL;
	config.n_engines = 17;
	check_error(capture_bpf_settings(&config, 65536, 3, &settings), "");
}

TEST(ring_sizes)
{
	static const size_t wrong[] = { 1, 4095, 2048, 4096 + 1, 12288, (size_t)1 << 31 };
	size_t bytes;

	assert_null(capture_bpf_ring_bytes(0, 4096, &bytes));
	assert_int_equal(bytes, 4 << 20);
	assert_null(capture_bpf_ring_bytes(4096, 4096, &bytes));
	assert_int_equal(bytes, 4096);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct lane_error *err = capture_bpf_ring_bytes(wrong[i], 4096, &bytes);

		assert_non_null(err);
		assert_int_equal(lane_error_code(err), LANE_ERROR_USAGE);
		lane_error_free(err);
	}
}

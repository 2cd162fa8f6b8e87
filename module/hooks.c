// SPDX-License-Identifier: GPL-2.0
/*
 * Events from the driver's functions, where it has no tracepoint: each hook finds the tracepoint's
 * arguments and fires a tracepoint of ours, to which LTTng is connected under the event's name.
 *
 * Entries are hooked with one ftrace_ops and not with kprobes: a kprobe that hits while the CPU is
 * in another one's handler, as in an interrupt, is dropped, and events with it. Returns need
 * kretprobes; what those miss is counted.
 *
 * The hooks are armed as long as the module and i915 are loaded, whether anybody records or not:
 * arming them when a tracepoint gets its first user would take ftrace's lock inside the
 * tracepoints' lock, and the graph tracer takes them the other way round.
 */
#define pr_fmt(fmt) "gpulane: " fmt

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>
#include <linux/tracepoint.h>

#include <wrapper/tracepoint.h>

#include "compat.h"
#include "events.h"
#include "fields.h"
#include "layout.def"
#include "module.h"

LANE_EVENTS(LANE_DECLARE)
LANE_EVENTS(LANE_DEFINE)

/* Fires our tracepoint; nothing where the driver has its own and the hook is not used. */
#define LANE_FIRE_FUNCTION(name, ...)	trace_gpulane_##name(__VA_ARGS__)
#define LANE_FIRE_TRACEPOINT(name, ...) ((void)(__VA_ARGS__))
#define LANE_FIRE_MISSING(name, ...)	((void)(__VA_ARGS__))
#define LANE_FIRE(name, ...)		LANE_BY_SOURCE(LANE_FIRE_, name)(name, __VA_ARGS__)

/* What an ENTRY hook gets: the function's arguments. */
typedef void lane_entry_fn(struct pt_regs *regs);
/* What a RETURN hook gets: the function's first argument and what it returns. */
typedef void lane_return_fn(void *argument, unsigned long result);

struct lane_hook {
	const char *event;
	const char *function;
	lane_entry_fn *on_entry;
	lane_return_fn *on_return;
	unsigned long address; /* of the function; 0: not hooked */
	unsigned int symbols;  /* of that name in this i915: only one can be hooked */
	bool failed;	       /* this i915's function could not be hooked */
	struct kretprobe probe;
};

static void *argument(struct pt_regs *regs, unsigned int n)
{
	return (void *)regs_get_kernel_argument(regs, n);
}

#ifdef LANE_OFFSET_RQ_SUBMIT
static void lane_on_i915_request_submit(struct pt_regs *regs)
{
	char *fence = argument(regs, 0);
	int state = (int)(unsigned long)argument(regs, 1);

	if (state == LANE_VALUE_FENCE_COMPLETE)
		LANE_FIRE(i915_request_submit,
			  (struct i915_request *)(fence - LANE_OFFSET_RQ_SUBMIT));
}
#endif

static void __maybe_unused lane_on_i915_request_execute(void *rq, unsigned long result)
{
	if ((u8)result)
		LANE_FIRE(i915_request_execute, rq);
}

static void __maybe_unused lane_on_i915_request_unsubmit(struct pt_regs *regs)
{
	LANE_FIRE(i915_request_unsubmit, argument(regs, 0));
}

static void __maybe_unused lane_on_intel_context_create(void *engine, unsigned long result)
{
	if (!IS_ERR_OR_NULL((void *)result))
		LANE_FIRE(intel_context_create, (struct intel_context *)result);
}

#ifdef LANE_OFFSET_CE_RCU
static void lane_on_intel_context_free(struct pt_regs *regs)
{
	char *rcu = argument(regs, 0);

	LANE_FIRE(intel_context_free, (struct intel_context *)(rcu - LANE_OFFSET_CE_RCU));
}
#endif

static void __maybe_unused lane_on_intel_context_ban(struct pt_regs *regs)
{
	LANE_FIRE(intel_context_ban, argument(regs, 0));
}

static void __maybe_unused lane_on_intel_context_do_pin(void *ce, unsigned long result)
{
	if (!(int)result)
		LANE_FIRE(intel_context_do_pin, ce);
}

/* The table, of the hooks that this driver needs. */
#define LANE_HANDLER_ENTRY(event)	       .on_entry = lane_on_##event
#define LANE_HANDLER_RETURN(event)	       .on_return = lane_on_##event
#define LANE_HOOK_FUNCTION(event, fn, handler) { #event, #fn, LANE_HANDLER_##handler(event) },
#define LANE_HOOK_TRACEPOINT(event, fn, handler)
#define LANE_HOOK_MISSING(event, fn, handler)
#define H(event, fn, prototype, handler) LANE_BY_SOURCE(LANE_HOOK_, event)(event, fn, handler)
static struct lane_hook lane_hooks[] = { LANE_HOOKS(H) };
#undef H

static unsigned long lane_missed;     /* by probes that are unregistered again */
static atomic_long_t lane_recursions; /* entries while the hook ran in the same context */

/* Called at the entry of every function with an ENTRY hook, with whatever the driver may hold. */
static void notrace lane_entry(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			       struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	int bit = ftrace_test_recursion_trylock(ip, parent);
	size_t i;

	if (bit < 0) {
		atomic_long_inc(&lane_recursions);
		return;
	}
	for (i = 0; regs && i < ARRAY_SIZE(lane_hooks); i++) {
		unsigned long address = READ_ONCE(lane_hooks[i].address);

		if (address && lane_hooks[i].on_entry && ip - address < LANE_FTRACE_REACH) {
			lane_hooks[i].on_entry(regs);
			break;
		}
	}
	ftrace_test_recursion_unlock(bit);
}

static struct ftrace_ops lane_ops;
static bool lane_ops_registered;

/*
 * Makes lane_ops as new: ftrace_free_filter() leaves pointers to what it frees in it. Permanent:
 * ftrace cannot be switched off while events come from it, and none of them goes missing unsaid.
 */
static void lane_ops_init(void)
{
	memset(&lane_ops, 0, sizeof(lane_ops));
	lane_ops.func = lane_entry;
	lane_ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT;
}

static int lane_return_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(void **)instance->data = argument(regs, 0);
	return 0;
}
NOKPROBE_SYMBOL(lane_return_entry);

static int lane_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *probe = get_kretprobe(instance);

	if (probe)
		container_of(probe, struct lane_hook, probe)
			->on_return(*(void **)instance->data, regs_return_value(regs));
	return 0;
}
NOKPROBE_SYMBOL(lane_return);

/* Hooks the return of a function at hook->address. */
static int lane_attach_return(struct lane_hook *hook)
{
	memset(&hook->probe, 0, sizeof(hook->probe));
	hook->probe.kp.addr = (kprobe_opcode_t *)hook->address;
	hook->probe.entry_handler = lane_return_entry;
	hook->probe.handler = lane_return;
	hook->probe.data_size = sizeof(void *);
	/* pinning a context can sleep in the function: several threads may be in it at once */
	hook->probe.maxactive = 64 + 2 * num_possible_cpus();
	return register_kretprobe(&hook->probe);
}

/* A symbol of i915's: where it is a function that is to be hooked, its address is kept. */
static void lane_take_symbol(const char *name, unsigned long address)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++) {
		if (strcmp(lane_hooks[i].function, name))
			continue;
		lane_hooks[i].address = lane_hooks[i].symbols++ ? 0 : address;
	}
}

static int lane_attach(struct lane_hook *hook)
{
	int err;

	if (!hook->address)
		return -ENOENT;
	if (hook->on_return)
		err = lane_attach_return(hook);
	else
		err = ftrace_set_filter_ip(&lane_ops, hook->address, 0, 0);
	if (err)
		hook->address = 0;
	return err;
}

/* Unhooks every return, forgets all functions, and keeps what the probes missed. */
static void lane_detach_all(void)
{
	struct kretprobe *probes[ARRAY_SIZE(lane_hooks)];
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++) {
		if (lane_hooks[i].address && lane_hooks[i].on_return)
			probes[n++] = &lane_hooks[i].probe;
		WRITE_ONCE(lane_hooks[i].address, 0);
	}
	if (n)
		unregister_kretprobes(probes, n);
	while (n--)
		lane_missed += probes[n]->nmissed + probes[n]->kp.nmissed;
	if (lane_ops_registered)
		return;
	ftrace_free_filter(&lane_ops);
	lane_ops_init();
}

void lane_hooks_attach(struct module *i915)
{
	bool any = false;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++) {
		lane_hooks[i].address = 0;
		lane_hooks[i].symbols = 0;
		WRITE_ONCE(lane_hooks[i].failed, true);
	}
	if (lane_ops_registered) /* that of an i915 that has gone: see lane_hooks_detach() */
		return;
	lane_ops_init();
	lane_module_each_symbol(i915, lane_take_symbol);
	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++) {
		err = lane_attach(&lane_hooks[i]);
		WRITE_ONCE(lane_hooks[i].failed, err != 0);
		any |= !err && lane_hooks[i].on_entry;
		if (err)
			pr_warn("%s() cannot be hooked (error %d): %s is missing\n",
				lane_hooks[i].function, err, lane_hooks[i].event);
	}
	err = any ? register_ftrace_function(&lane_ops) : 0;
	lane_ops_registered = any && !err;
	if (!err)
		return;
	/* switched off, most likely; then kretprobes would not fire either */
	pr_warn("i915's functions cannot be hooked (error %d, is kernel.ftrace_enabled 1?): their "
		"events are missing\n",
		err);
	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++)
		WRITE_ONCE(lane_hooks[i].failed, true);
	lane_detach_all();
}

void lane_hooks_detach(void)
{
	int err = lane_ops_registered ? unregister_ftrace_function(&lane_ops) : 0;

	if (err) {
		/* ftrace has met a fault and given up: it goes on calling this module */
		pr_err("ftrace does not let go of i915's functions (error %d): this module stays "
		       "loaded and gives none of their events\n",
		       err);
		__module_get(THIS_MODULE);
	} else {
		lane_ops_registered = false;
	}
	lane_detach_all();
}

void lane_hooks_settle(void)
{
	while (lane_ops_registered)
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
}

const char *lane_hooks_function(const char *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++) {
		if (!READ_ONCE(lane_hooks[i].failed) && !strcmp(lane_hooks[i].event, event))
			return lane_hooks[i].function;
	}
	return NULL;
}

unsigned long lane_hooks_missed(void)
{
	unsigned long missed = lane_missed + atomic_long_read(&lane_recursions);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lane_hooks); i++) {
		if (READ_ONCE(lane_hooks[i].address) && lane_hooks[i].on_return)
			missed += lane_hooks[i].probe.nmissed + lane_hooks[i].probe.kp.nmissed;
	}
	return missed;
}

// SPDX-License-Identifier: GPL-2.0 OR MIT
// The scheduler's events, the life of processes, and which processes are followed.
#include "common.bpf.h"
#include "stack.bpf.h"

RECORD(cpu_idle);
RECORD(cpu_frequency);
RECORD(sched_switch);
RECORD(sched_wakeup);
RECORD(sched_migrate_task);
RECORD(sched_process_fork);
RECORD(sched_process_exec);
RECORD(sched_process_exit);

/*
 * Followed threads, and threads of the kernel that are to act for them, that are runnable and do
 * not run: thread -> CPU they wait on. While there is one, all switches of that CPU are recorded,
 * so that who ran instead is known.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, __s32);
	__type(value, __u32);
} runnable SEC(".maps");

static __always_inline struct lane_bpf_cpu *cpu_of(__u32 cpu)
{
	return &cpus[cpu & (LANE_BPF_MAX_CPUS - 1)];
}

#define EEXIST 17

/* Without room for it the switches of its CPU may be missing. */
static __always_inline void waits_on(__s32 tid, __u32 cpu)
{
	long result = bpf_map_update_elem(&runnable, &tid, &cpu, BPF_NOEXIST);

	if (!result)
		__sync_fetch_and_add(&cpu_of(cpu)->waiting, 1);
	else if (result != -EEXIST)
		__sync_fetch_and_add(&this_cpu()->lost, 1);
}

static __always_inline bool waits_no_more(__s32 tid)
{
	__u32 *on = bpf_map_lookup_elem(&runnable, &tid);
	__u32 cpu;

	if (!on)
		return false;
	cpu = *on;
	if (bpf_map_delete_elem(&runnable, &tid))
		return false;
	__sync_fetch_and_add(&cpu_of(cpu)->waiting, -1);
	return true;
}

/* Loads that the verifier knows to be in the array. */
static __always_inline void copy_comm(char *comm, struct task_struct *task)
{
	copy_words(comm, &task->comm, sizeof(task->comm));
}

#define PF_KTHREAD  0x00200000
#define ACTS_FOR_NS 20000

/* A thread of the kernel is woken by a followed one, or by who has just signalled a fence of a
 * followed one's, or queued a work item of base/works.def: drm_sched_job_done() wakes who gives the
 * ring its next job. */
static __always_inline bool acts_for(struct task_struct *task)
{
	const struct lane_bpf_cpu *on = this_cpu();

	if (!(task->flags & PF_KTHREAD))
		return false;
	return current_followed() || (on->signals_id == bpf_get_current_pid_tgid() &&
				      bpf_ktime_get_ns() - on->signals_ns < ACTS_FOR_NS);
}

/* Whether a switch is to be recorded; keeps who waits up to date. */
static __always_inline bool switch_wanted(struct task_struct *prev, struct task_struct *next,
					  __s64 prev_state)
{
	bool prev_followed, next_followed, want;

	if (!config.follow)
		return true;
	prev_followed = is_followed(prev->tgid);
	next_followed = is_followed(next->tgid);
	want = prev_followed || next_followed || this_cpu()->waiting;
	if (next_followed || this_cpu()->waiting)
		waits_no_more(next->pid);
	if (prev_followed) {
		waits_no_more(prev->pid);
		if (!prev_state)
			waits_on(prev->pid, bpf_get_smp_processor_id());
	}
	return want;
}

struct lane_bpf_sleep sleeps[LANE_BPF_MAX_CPUS] = {};

static __always_inline struct lane_bpf_sleep *this_sleep(void)
{
	return &sleeps[bpf_get_smp_processor_id() & (LANE_BPF_MAX_CPUS - 1)];
}

/* cpuidle_enter_state() of drivers/cpuidle/cpuidle.c, default_idle_call() of kernel/sched/idle.c */
SEC("tp_btf/cpu_idle")
int BPF_PROG(cpu_idle, unsigned int state)
{
	struct lane_bpf_sleep *on = this_sleep();

	if (!enabled)
		return 0;
	if (state == LANE_CPU_AWAKE) {
		on->left_ns = bpf_ktime_get_ns();
		return 0;
	}
	on->state = state;
	on->left_ns = 0;
	on->since_ns = bpf_ktime_get_ns();
	return 0;
}

/* Who is woken while a CPU sleeps waits for it no longer than it sleeps. */
#define LEAST_SLEEP_NS 20000

/* The CPU goes from its idle thread to one that is recorded. */
static __always_inline void tell_sleep(void)
{
	struct lane_bpf_sleep *on = this_sleep();
	__u64 since_ns = on->since_ns, left_ns = on->left_ns;
	struct record_cpu_idle *r;
	bool wakes;

	on->left_ns = 0;
	if (!since_ns || left_ns < since_ns + LEAST_SLEEP_NS)
		return;
	r = record_begin(LANE_CPU_IDLE, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.since_ns = since_ns;
	r->p.left_ns = left_ns;
	r->p.state = on->state;
	record_end(r, sizeof(*r), wakes);
}

SEC("tp_btf/cpu_frequency")
int BPF_PROG(cpu_frequency, unsigned int state, unsigned int cpu_id)
{
	struct record_cpu_frequency *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_CPU_CLOCK, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.state = state;
	r->p.cpu_id = cpu_id;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	bool preempt = ctx[0];
	struct task_struct *prev = (void *)ctx[1];
	struct task_struct *next = (void *)ctx[2];
	struct record_sched_switch *r;
	bool wakes;
	__s64 state = 0;

	if (!enabled)
		return 0;
	if (!preempt)
		state = report_state(config.switch_state_arg == SWITCH_STATE_LAST
					     ? (__u32)ctx[3]
					     : task_state(prev),
				     prev->exit_state);
	if (!switch_wanted(prev, next, state))
		return 0;
	if (!prev->pid)
		tell_sleep();
	if (state)
		put_sleeper(ctx, prev->pid);
	r = record_begin(LANE_SWITCH, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.prev_state = state;
	r->p.prev_tid = prev->pid;
	r->p.prev_prio = prev->prio;
	r->p.next_tid = next->pid;
	r->p.next_prio = next->prio;
	copy_comm(r->p.prev_comm, prev);
	copy_comm(r->p.next_comm, next);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline int wake_event(struct task_struct *task, __u32 kind, bool queued)
{
	struct record_sched_wakeup *r;
	bool wakes;

	if (!enabled)
		return 0;
	if (config.follow) {
		bool wakee = is_followed(task->tgid), acts = !wakee && acts_for(task);

		if (!wakee && !acts && !current_followed())
			return 0;
		if ((wakee || acts) && queued)
			waits_on(task->pid, task_cpu(task));
	}
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.tid = task->pid;
	r->p.prio = task->prio;
	r->p.target_cpu = task_cpu(task);
	copy_comm(r->p.comm, task);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	return wake_event(task, LANE_WAKING, false);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(sched_wakeup, struct task_struct *task)
{
	return wake_event(task, LANE_WAKEUP, true);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *task)
{
	return wake_event(task, LANE_WAKEUP_NEW, true);
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct *task, int dest_cpu)
{
	struct record_sched_migrate_task *r;
	bool wakes;

	if (!enabled)
		return 0;
	if (config.follow) {
		if (waits_no_more(task->pid))
			waits_on(task->pid, dest_cpu);
		else if (!is_followed(task->tgid))
			return 0;
	}
	r = record_begin(LANE_MIGRATE, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.tid = task->pid;
	r->p.prio = task->prio;
	r->p.orig_cpu = task_cpu(task);
	r->p.dest_cpu = dest_cpu;
	copy_comm(r->p.comm, task);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_fork, struct task_struct *parent, struct task_struct *child)
{
	struct record_sched_process_fork *r;
	bool wakes;

	/* follow_fork() comes first. For whom it had no room, nothing will be recorded. */
	if (!enabled || !is_followed(parent->tgid) || !is_followed(child->tgid))
		return 0;
	r = record_begin(LANE_FORK, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.parent_tid = parent->pid;
	r->p.parent_pid = parent->tgid;
	r->p.child_tid = child->pid;
	r->p.child_pid = child->tgid;
	copy_comm(r->p.parent_comm, parent);
	copy_comm(r->p.child_comm, child);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_exec, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	struct record_sched_process_exec *r;
	bool wakes;

	if (!enabled || !is_followed(task->tgid))
		return 0;
	r = record_begin(LANE_EXEC, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.tid = task->pid;
	r->p.old_tid = old_pid;
	__builtin_memset(r->p.filename, 0, sizeof(r->p.filename));
	bpf_probe_read_kernel_str(r->p.filename, sizeof(r->p.filename), bprm->filename);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_exit, struct task_struct *task)
{
	struct record_sched_process_exit *r;
	bool wakes;

	if (!enabled || !is_followed(task->tgid))
		return 0;
	r = record_begin(LANE_EXIT, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.tid = task->pid;
	r->p.prio = task->prio;
	copy_comm(r->p.comm, task);
	record_end(r, sizeof(*r), wakes);
	return 0;
}

/*
 * Who is followed. These run from the moment they are attached, before anything is recorded: what
 * is forked meanwhile must not be missed.
 */
static __always_inline void follow(__s32 tgid, __u32 why)
{
	if (bpf_map_update_elem(&followed, &tgid, &why, BPF_ANY))
		__sync_fetch_and_add(&this_cpu()->unfollowed, 1);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(follow_fork, struct task_struct *parent, struct task_struct *child)
{
	__s32 parent_tgid = parent->tgid, child_tgid = child->tgid;
	__u32 *why;

	if (parent_tgid == child_tgid)
		return 0;
	why = bpf_map_lookup_elem(&followed, &parent_tgid);
	if (why)
		follow(child_tgid, *why);
	return 0;
}

/* When a process is gone for good: its last switch is behind it. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(follow_free, struct task_struct *task)
{
	__s32 tgid = task->tgid;

	waits_no_more(task->pid);
	if (task->pid == tgid)
		bpf_map_delete_elem(&followed, &tgid);
	return 0;
}

static __always_inline bool same_comm(const char *comm)
{
	for (int i = 0; i < 16; i++) {
		if (comm[i] != config.comm[i])
			return false;
		if (!comm[i])
			return true;
	}
	return true;
}

/* A process gets another name: by exec, or because it asks for it. */
SEC("tp_btf/task_rename")
int BPF_PROG(follow_rename, struct task_struct *task, const char *comm)
{
	__s32 tgid = task->tgid;
	char name[16] = {};
	__u32 *why, now;

	if (task->pid != tgid)
		return 0;
	bpf_probe_read_kernel_str(name, sizeof(name), comm);
	why = bpf_map_lookup_elem(&followed, &tgid);
	now = why ? *why & ~LANE_BPF_FOLLOW_COMM : 0;
	if (same_comm(name))
		now |= LANE_BPF_FOLLOW_COMM;
	if (now)
		follow(tgid, now);
	else if (why)
		bpf_map_delete_elem(&followed, &tgid);
	return 0;
}

/* What the kernel gives an iterator's program (include/linux/bpf.h: bpf_iter_meta). */
struct iterator_meta {
	struct seq_file *seq;
};

struct iterator_task {
	struct iterator_meta *meta;
	struct task_struct *task;
};

/* The number of a task in a namespace of this level; 0 when it has none there. */
static __always_inline struct upid number_at(struct pid *pid, unsigned int level)
{
	struct upid number = {};

	if (pid && level <= BPF_CORE_READ(pid, level))
		bpf_probe_read_kernel(&number, sizeof(number),
				      (char *)pid + bpf_core_field_offset(pid->numbers) +
					      (unsigned long)level *
						      bpf_core_type_size(struct upid));
	return number;
}

/*
 * Every thread that the namespace of the reader sees, for a recorder in a PID namespace: the
 * numbers of its /proc are not those of the events.
 */
SEC("iter/task")
int list_tasks(struct iterator_task *ctx)
{
	struct task_struct *task = ctx->task, *self, *leader;
	struct pid *own, *pid, *group;
	struct lane_bpf_task out = {};
	struct upid namespace, number;

	if (!task)
		return 0;
	self = (struct task_struct *)bpf_get_current_task();
	own = BPF_CORE_READ(self, thread_pid);
	namespace = number_at(own, BPF_CORE_READ(own, level));
	leader = BPF_CORE_READ(task, group_leader);
	pid = BPF_CORE_READ(task, thread_pid);
	group = BPF_CORE_READ(leader, thread_pid);
	if (!pid || !group)
		return 0; /* it is going away */
	out.tid = BPF_CORE_READ(task, pid);
	out.tgid = BPF_CORE_READ(task, tgid);
	out.parent = BPF_CORE_READ(task, real_parent, tgid);
	number = number_at(group, BPF_CORE_READ(own, level));
	out.own_tgid = number.ns == namespace.ns ? number.nr : 0;
	out.vtid = number_at(pid, BPF_CORE_READ(pid, level)).nr;
	out.vtgid = number_at(group, BPF_CORE_READ(group, level)).nr;
	out.exit_state = BPF_CORE_READ(task, exit_state);
	out.state = report_state(task_state(task), 0);
	out.flags = BPF_CORE_READ(task, flags);
	out.cpu = task_cpu(task);
	bpf_probe_read_kernel(out.comm, sizeof(out.comm), &task->comm);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR MIT
// Threads that have submitted and wait for a mutex of the kernel's: who holds it.
#include "common.bpf.h"
#include "stack.bpf.h"

RECORD(gpulane_lock_wait);

/* include/trace/events/lock.h: of a mutex whose thread does not spin, but goes to sleep. */
#define LCB_F_MUTEX (1u << 5)
/* kernel/locking/mutex.c: MUTEX_FLAGS */
#define MUTEX_FLAGS 7ul

static __always_inline void put_wait(struct task_struct *owner, bool over)
{
	struct record_gpulane_lock_wait *r;
	bool wakes;

	r = record_begin(LANE_LOCK_WAIT, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return;
	r->p.owner = owner ? BPF_CORE_READ(owner, pid) : 0;
	r->p.over = over;
	__builtin_memset(r->p.owner_comm, 0, sizeof(r->p.owner_comm));
	if (owner)
		bpf_probe_read_kernel(r->p.owner_comm, sizeof(r->p.owner_comm), &owner->comm);
	record_end(r, sizeof(*r), wakes);
}

/* Since Linux 5.19. With PREEMPT_RT a mutex has no such owner. */
SEC("tp_btf/contention_begin")
int BPF_PROG(lock_wait, struct mutex *lock, unsigned int flags)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 *thread;

	if (!bpf_core_field_exists(lock->owner) || !config.has_stacks || !enabled ||
	    flags != LCB_F_MUTEX || !current_followed())
		return 0;
	thread = bpf_map_lookup_elem(&submitters, &tid);
	if (!thread)
		return 0;
	*thread = (__u64)lock;
	put_wait((void *)(BPF_CORE_READ(lock, owner.counter) & ~MUTEX_FLAGS), false);
	return 0;
}

/* It has the mutex, or gives up: what it sleeps for from now on is something else. Meanwhile it may
 * have waited for spin locks, the mutex's own among them. */
SEC("tp_btf/contention_end")
int BPF_PROG(lock_wait_end, void *lock)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 *thread = bpf_map_lookup_elem(&submitters, &tid);

	if (!thread || *thread != (__u64)lock || !enabled)
		return 0;
	*thread = SUBMITTER;
	put_wait(NULL, true);
	return 0;
}

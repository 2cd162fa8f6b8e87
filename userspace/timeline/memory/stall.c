// SPDX-License-Identifier: MIT
// Intervals of memory's events: of a thread, of an address space, or of the job that copies.
#include "timeline/memory/stall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/objects.h"
#include "timeline/sched/actor.h"

/* Most that are open at once. More are not of this world: ends are missing, and all begin anew. */
#define MAX_OPEN 4096
/* Most address spaces whose process is known, and fence contexts that workers waited for. */
#define MAX_SPACES 4096
/* Most losses that are looked at in one interval; where there are more, it is not certain. */
#define MAX_LOSSES 64
/* So soon no device wakes. */
#define AWAKE_NS 10000

const char *const lane_stall_names[LANE_STALL_CAUSES] = {
	[LANE_STALL_RECLAIM] = "reclaim",	[LANE_STALL_MEMORY] = "memory_stall",
	[LANE_STALL_USERPTR] = "userptr",	[LANE_STALL_REBIND] = "rebind",
	[LANE_STALL_FAULT] = "page_fault",	[LANE_STALL_MOVE] = "move",
	[LANE_STALL_EVICTION] = "eviction",	[LANE_STALL_RESUME] = "resume",
	[LANE_STALL_PREEMPT] = "preempt_fence", [LANE_STALL_BIND] = "bind",
	[LANE_STALL_USER_FENCE] = "user_fence", [LANE_STALL_MODE] = "mode_switch",
	[LANE_STALL_SLEEP] = "cpu_sleep",	[LANE_STALL_RESTART] = "ring_restart",
	[LANE_STALL_REFUSED] = "refused",	[LANE_STALL_WORKER] = "rebind_worker",
};

struct open_stall {
	uint8_t cause;
	int32_t tid, pid;
	uint64_t begin_ns;
	/* page fault: bound by then; rebind: the first queue is armed again; 0: not yet */
	uint64_t until_ns;
	uint64_t detail; /* what its end has, too */
	uint64_t bytes;
	int32_t error; /* that its function returned, negative; 0: none */
	uint32_t asid, device;
	bool is_waiting; /* page fault: its worker waits for a fence */
	bool is_told;	 /* of a move: its first job was told */
	/* rebind: when the worker knew that the last queue had left the GPU, and when it had;
	 * queues that were waited for and are not armed yet; one was armed of which that was not
	 * seen */
	uint64_t off_ns, gone_ns;
	uint32_t n_waited;
	bool is_partial;
	struct lane_client *client; /* preempt: whose queue it is; NULL: not known */
	char from[32], to[16];
};

/* A fence context that a rebind worker waited for, or of a queue's preempt fences. */
struct preempt {
	bool is_preempt;
	uint64_t waited_ns;    /* a worker's last wait for one of its fences was over */
	uint64_t signalled_ns; /* the last one was signalled then; 0: it is not, or was not seen */
	uint32_t asid, device; /* 0: not known */
	struct lane_client *client; /* who made the queue; NULL: not known */
};

/* An address space of xe's, by its number. */
struct space {
	struct lane_client *client; /* NULL: of several processes */
	bool is_one_of_several;	    /* its process has others */
};

struct lane_stalls {
	struct lane_table open;	    /* (cause, tid or address space) */
	struct lane_table spaces;   /* (number, device) */
	struct lane_table preempts; /* by fence context */
	struct lane_pool open_pool, space_pool, preempt_pool;
	uint32_t n_open, n_spaces, n_preempts;
	uint32_t n_faults; /* page faults that are open */
};

static struct lane_stalls *stalls_of(struct lane_timeline *tl)
{
	struct lane_stalls *all = tl->stalls;

	if (all)
		return all;
	all = calloc(1, sizeof(*all));
	if (!all) {
		tl->no_memory = true;
		return NULL;
	}
	all->open_pool.size = sizeof(struct open_stall);
	all->space_pool.size = sizeof(struct space);
	all->preempt_pool.size = sizeof(struct preempt);
	tl->stalls = all;
	return all;
}

void timeline_stall_free(struct lane_timeline *tl)
{
	if (!tl->stalls)
		return;
	lane_table_free(&tl->stalls->open);
	lane_table_free(&tl->stalls->spaces);
	lane_table_free(&tl->stalls->preempts);
	lane_pool_free(&tl->stalls->open_pool);
	lane_pool_free(&tl->stalls->space_pool);
	lane_pool_free(&tl->stalls->preempt_pool);
	free(tl->stalls);
}

/* A device by its name: address spaces are numbered on each. */
static uint32_t stall_device_of(const char *name)
{
	return (uint32_t)lane_hash_text(name);
}

/*
 * An end and a begin of the same may be missing in between: so many events were lost then, perhaps.
 * If one at most is missing, they are a pair.
 */
static bool is_pair(const struct lane_timeline *tl, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t lost = 0;
	unsigned int n = 0;

	for (size_t i = tl->next_loss; i-- && tl->losses[i].end_ns >= begin_ns;) {
		if (tl->losses[i].begin_ns > end_ns || tl->losses[i].is_ambiguous)
			continue;
		lost += tl->losses[i].count ? tl->losses[i].count : 2;
		if (lost > 1 || ++n == MAX_LOSSES)
			return false;
	}
	return true;
}

/* ---- what is open ---- */

static struct open_stall *stall_find(const struct lane_timeline *tl, uint8_t cause, uint64_t whose)
{
	return tl->stalls ? lane_table_get(&tl->stalls->open, cause, whose) : NULL;
}

static void stall_drop(struct lane_stalls *all, struct open_stall *stall, uint64_t whose)
{
	lane_table_del(&all->open, stall->cause, whose);
	lane_pool_put(&all->open_pool, stall);
	all->n_open--;
}

static void drop_all(struct lane_stalls *all)
{
	lane_table_free(&all->open);
	lane_pool_free(&all->open_pool);
	all->open = (struct lane_table){ 0 };
	all->open_pool = (struct lane_pool){ .size = sizeof(struct open_stall) };
	all->n_open = all->n_faults = 0;
}

/* It begins now; one that is open has lost its end. NULL: no memory. */
static struct open_stall *stall_begin(struct lane_timeline *tl, const struct lane_event *event,
				      uint8_t cause, uint64_t whose)
{
	struct lane_stalls *all = stalls_of(tl);
	struct open_stall *stall = all ? stall_find(tl, cause, whose) : NULL;

	if (!all)
		return NULL;
	if (!stall) {
		if (all->n_open == MAX_OPEN)
			drop_all(all);
		stall = lane_pool_get(&all->open_pool);
		if (!stall || !lane_table_put(&all->open, cause, whose, stall)) {
			tl->no_memory = true;
			return NULL;
		}
		all->n_open++;
	}
	*stall = (struct open_stall){ .cause = cause,
				      .tid = event->wire.tid,
				      .pid = event->wire.pid,
				      .begin_ns = event->wire.ts_ns };
	return stall;
}

static const struct space *space_of(const struct lane_timeline *tl, uint32_t asid, uint32_t device)
{
	return lane_table_get(&tl->stalls->spaces, asid, device);
}

/* ctx and seqno: the job that it is tied to. */
static void stall_tell(struct lane_timeline *tl, const struct open_stall *stall, uint64_t end_ns,
		       uint64_t ctx, uint64_t seqno)
{
	const struct lane_thr *thr = timeline_thread_find(tl, stall->tid);
	const struct space *space = stall->asid ? space_of(tl, stall->asid, stall->device) : NULL;
	struct lane_stall told = {
		.cause = stall->cause,
		.begin_ns = stall->begin_ns,
		.end_ns = end_ns,
		.is_sure = stall->cause == LANE_STALL_REFUSED || /* one event tells both */
			   (!stall->is_partial && is_pair(tl, stall->begin_ns, end_ns)),
		.tid = stall->tid,
		.pid = stall->pid,
		.comm = thr ? thr->pub.comm : "",
		.asid = stall->asid,
		.client = space ? space->client : stall->client,
		.is_only_space = space && !space->is_one_of_several,
		.bytes = stall->bytes,
		.error = stall->error,
		.from = stall->from,
		.to = stall->to,
		.is_more = stall->is_told,
		.ctx = ctx,
		.seqno = seqno,
	};

	if (tl->hooks.stall)
		tl->hooks.stall(tl->hooks.arg, &told);
}

static void stall_end(struct lane_timeline *tl, uint8_t cause, uint64_t whose, uint64_t end_ns)
{
	struct open_stall *stall = stall_find(tl, cause, whose);

	if (!stall)
		return; /* its begin was not seen */
	stall_tell(tl, stall, end_ns, 0, 0);
	stall_drop(tl->stalls, stall, whose);
}

/* Those of a thread lie in each other, and the outermost counts. Its detail tells which is its end.
 * NULL: another one goes on, whose end is not missing, or there is no memory. */
static struct open_stall *begin_outermost(struct lane_timeline *tl, const struct lane_event *event,
					  uint8_t cause, uint64_t detail)
{
	struct open_stall *stall = stall_find(tl, cause, (uint32_t)event->wire.tid);

	if (stall && stall->detail != detail && is_pair(tl, stall->begin_ns, event->wire.ts_ns))
		return NULL;
	stall = stall_begin(tl, event, cause, (uint32_t)event->wire.tid);
	if (stall)
		stall->detail = detail;
	return stall;
}

static void end_outermost(struct lane_timeline *tl, const struct lane_event *event, uint8_t cause,
			  uint64_t detail)
{
	const struct open_stall *stall = stall_find(tl, cause, (uint32_t)event->wire.tid);

	if (stall && stall->detail == detail)
		stall_end(tl, cause, (uint32_t)event->wire.tid, event->wire.ts_ns);
}

/* ---- each cause ---- */

/* The end has the place of the begin. */
static void on_memstall(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t place = event->u.psi_memstall_enter.flags;

	if (event->wire.kind == LANE_MEMSTALL_END)
		end_outermost(tl, event, LANE_STALL_MEMORY, place);
	else
		begin_outermost(tl, event, LANE_STALL_MEMORY, place);
}

/* Of several in one go (Linux 7.3) the first is as long as all of them, or longer. */
static void on_userptr(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_xe_vma_userptr_invalidate *vma = &event->u.xe_vma_userptr_invalidate;
	struct open_stall *stall;

	if (event->wire.kind == LANE_USERPTR_END) {
		end_outermost(tl, event, LANE_STALL_USERPTR, vma->start);
		return;
	}
	stall = begin_outermost(tl, event, LANE_STALL_USERPTR, vma->start);
	if (!stall)
		return;
	stall->asid = vma->asid;
	stall->device = stall_device_of(vma->dev);
	stall->bytes = vma->end > vma->start ? vma->end - vma->start + 1 : 0;
}

struct worker_wait {
	struct lane_timeline *tl;
	const struct open_stall *rebind;
};

static void tell_worker_part(void *arg, const struct lane_actor_slice *part)
{
	const struct worker_wait *wait = arg;
	struct open_stall stall = *wait->rebind;

	if (!part->tid) /* nobody had it: its CPU was waking up */
		return;
	stall.cause = LANE_STALL_WORKER;
	stall.begin_ns = part->begin_ns;
	if (part->tid < LANE_TID_SOFTIRQ)
		snprintf(stall.from, sizeof(stall.from), "%.15s[%d]", part->comm, part->tid);
	else
		snprintf(stall.from, sizeof(stall.from), "%.15s", part->comm);
	stall_tell(wait->tl, &stall, part->end_ns, 0, 0);
}

/* The last queue was off the GPU, and the worker that was to bind had no CPU: until it began. */
static void tell_worker(struct lane_timeline *tl, const struct open_stall *rebind)
{
	const struct lane_thr *thr = timeline_thread_find(tl, rebind->tid);
	struct worker_wait wait = { tl, rebind };

	if (thr && rebind->gone_ns < rebind->begin_ns &&
	    is_pair(tl, rebind->gone_ns, rebind->begin_ns))
		timeline_actor_parts(thr, rebind->gone_ns, rebind->begin_ns, tell_worker_part,
				     &wait);
}

/*
 * preempt_rebind_work_func() of xe_vm.c: the worker waits until all queues of the address space
 * have left the GPU, binds, makes each a new preempt fence, and lets them go on. In between all of
 * them are off. Before its waits some may still run. Without new fences it found nothing to do. It
 * suspends itself without its second event while the device sleeps: the next begin counts.
 */
static void on_rebind(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_xe_vm_rebind_worker_enter *vm = &event->u.xe_vm_rebind_worker_enter;
	uint32_t device = stall_device_of(vm->dev);
	uint64_t whose = (uint32_t)event->wire.tid;
	struct open_stall *stall = stall_find(tl, LANE_STALL_REBIND, whose);

	if (event->wire.kind == LANE_REBIND_BEGIN) {
		stall = stall_begin(tl, event, LANE_STALL_REBIND, whose);
		if (!stall)
			return;
		stall->asid = vm->asid;
		stall->device = device;
	} else if (stall && stall->asid == vm->asid && stall->device == device) {
		stall->is_partial |= !stall->until_ns || stall->n_waited ||
				     !is_pair(tl, stall->begin_ns, event->wire.ts_ns);
		if (!stall->is_partial) {
			tell_worker(tl, stall);
			stall->begin_ns = stall->off_ns;
		}
		stall_end(tl, LANE_STALL_REBIND, whose,
			  stall->is_partial ? event->wire.ts_ns : stall->until_ns);
	}
}

static void end_function(struct lane_timeline *tl, uint8_t cause, const struct lane_event *event)
{
	struct open_stall *stall = stall_find(tl, cause, (uint32_t)event->wire.tid);

	if (stall && event->u.xe_function_leave.ret < 0)
		stall->error = event->u.xe_function_leave.ret;
	stall_end(tl, cause, (uint32_t)event->wire.tid, event->wire.ts_ns);
}

/* A thread goes into one of xe's functions, or comes out. */
static void on_function(struct lane_timeline *tl, const struct lane_event *event)
{
	static const struct {
		const char *function;
		uint8_t cause;
	} functions[] = {
		{ "xe_vm_bind_ioctl", LANE_STALL_BIND },
		{ "xe_wait_user_fence_ioctl", LANE_STALL_USER_FENCE },
		{ "xe_hw_engine_group_get_mode", LANE_STALL_MODE },
	};
	const char *name = event->u.xe_function_enter.function;
	uint64_t whose = (uint32_t)event->wire.tid;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strncmp(name, functions[i].function,
			    sizeof(event->u.xe_function_enter.function)))
			continue;
		if (event->wire.kind == LANE_XE_ENTER)
			stall_begin(tl, event, functions[i].cause, whose);
		else
			end_function(tl, functions[i].cause, event);
	}
}

static void on_refused(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_refused *call = &event->u.gpulane_refused;
	struct open_stall stall = { .cause = LANE_STALL_REFUSED,
				    .tid = event->wire.tid,
				    .pid = event->wire.pid,
				    .begin_ns = timeline_sooner(
					    timeline_later(call->since_ns, tl->figures.begin_ns),
					    event->wire.ts_ns),
				    .error = call->ret };

	memcpy(stall.from, call->call, sizeof(call->call));
	stall_tell(tl, &stall, event->wire.ts_ns, 0, 0);
}

/* The last fault of the worker is over, as far as that was seen. */
static void end_fault(struct lane_timeline *tl, struct open_stall *stall)
{
	if (stall->until_ns)
		stall_tell(tl, stall, stall->until_ns, 0, 0);
	stall_drop(tl->stalls, stall, (uint32_t)stall->tid);
	tl->stalls->n_faults--;
}

/*
 * A worker handles a fault: it finds the memory, moves it if need be, has it bound and waits for
 * that (xe_pagefault_handle_vma() of xe_pagefault.c; handle_vma_pagefault() of xe_gt_pagefault.c).
 * Memory that is bound already by then has no second event.
 */
static void on_fault(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_xe_vma_pagefault *vma = &event->u.xe_vma_pagefault;
	uint64_t whose = (uint32_t)event->wire.tid;
	struct open_stall *stall = stall_find(tl, LANE_STALL_FAULT, whose);

	if (event->wire.kind == LANE_PF_BIND) {
		if (stall && stall->asid == vma->asid && stall->detail == vma->start)
			stall->until_ns = event->wire.ts_ns;
		return;
	}
	if (stall)
		end_fault(tl, stall);
	stall = stall_begin(tl, event, LANE_STALL_FAULT, whose);
	if (!stall)
		return;
	tl->stalls->n_faults++;
	stall->asid = vma->asid;
	stall->device = stall_device_of(vma->dev);
	stall->detail = vma->start;
}

/* The worker has waited: perhaps for the binding of the fault's memory. */
static void end_wait_of_fault(struct lane_timeline *tl, const struct lane_event *event)
{
	struct open_stall *stall = stall_find(tl, LANE_STALL_FAULT, (uint32_t)event->wire.tid);

	if (stall)
		stall->is_waiting = false;
	if (!stall || !stall->until_ns)
		return;
	stall->until_ns = event->wire.ts_ns;
	end_fault(tl, stall);
}

/* The worker sleeps, and waits for no fence: the fault is over, as far as that is seen. */
void timeline_stall_sleeps(struct lane_timeline *tl, int32_t tid)
{
	struct open_stall *stall = NULL;

	if (tl->stalls->n_faults && timeline_sees(tl, LANE_FENCE_WAIT_START))
		stall = stall_find(tl, LANE_STALL_FAULT, (uint32_t)tid);
	if (stall && stall->until_ns && !stall->is_waiting)
		end_fault(tl, stall);
}

/* ---- preempt fences ---- */

static struct preempt *preempt_of(const struct lane_timeline *tl, uint64_t ctx)
{
	return tl->stalls->n_preempts ? lane_table_get(&tl->stalls->preempts, ctx, 0) : NULL;
}

/* NULL: there are too many, or no memory. */
static struct preempt *new_preempt(struct lane_timeline *tl, uint64_t ctx)
{
	struct lane_stalls *all = stalls_of(tl);
	struct preempt *preempt = all ? preempt_of(tl, ctx) : NULL;

	if (preempt || !all || all->n_preempts == MAX_SPACES)
		return preempt;
	preempt = lane_pool_get(&all->preempt_pool);
	if (!preempt || !lane_table_put(&all->preempts, ctx, 0, preempt)) {
		tl->no_memory = true;
		return NULL;
	}
	all->n_preempts++;
	return preempt;
}

/* A rebind worker has waited: perhaps until a queue had left the GPU. The fence that it makes next
 * for that queue tells. */
static void end_wait_of_rebind(struct lane_timeline *tl, const struct lane_event *event)
{
	struct open_stall *stall = stall_find(tl, LANE_STALL_REBIND, (uint32_t)event->wire.tid);
	struct preempt *preempt = stall ? new_preempt(tl, event->u.dma_fence_init.context) : NULL;

	if (!preempt)
		return;
	stall->n_waited += preempt->is_preempt && preempt->waited_ns < stall->begin_ns;
	preempt->waited_ns = event->wire.ts_ns;
}

/* A worker makes a queue its next preempt fence: the last one is signalled. */
static void arm_again(struct open_stall *stall, struct preempt *preempt, uint64_t now_ns)
{
	stall->gone_ns = timeline_later(
		stall->gone_ns, preempt->signalled_ns ? preempt->signalled_ns : preempt->waited_ns);
	if (preempt->waited_ns < stall->begin_ns)
		stall->is_partial = true;
	else
		stall->n_waited -= preempt->is_preempt && stall->n_waited;
	if (preempt->waited_ns > stall->off_ns)
		stall->off_ns = preempt->waited_ns;
	if (!stall->until_ns)
		stall->until_ns = now_ns;
	preempt->asid = stall->asid;
	preempt->device = stall->device;
}

/* A queue has a preempt fence (xe_preempt_fence_arm()). Its first is made by who makes the queue.
 */
static void stall_arm(struct lane_timeline *tl, const struct lane_event *event)
{
	struct open_stall *stall = stall_find(tl, LANE_STALL_REBIND, (uint32_t)event->wire.tid);
	struct preempt *preempt = new_preempt(tl, event->u.dma_fence_init.context);

	if (!preempt)
		return;
	if (stall)
		arm_again(stall, preempt, event->wire.ts_ns);
	else if (event->u.dma_fence_init.seqno == 1)
		preempt->client = timeline_client_get(tl, event->wire.pid);
	preempt->is_preempt = true;
	preempt->signalled_ns = 0;
}

/* Somebody wants the queue off the GPU (preempt_fence_enable_signaling()); it runs until the fence
 * is signalled (preempt_fence_work_func()). */
static void on_preempt(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t ctx = event->u.dma_fence_signaled.context;
	struct preempt *preempt = preempt_of(tl, ctx);
	struct open_stall *stall;

	if (!preempt || !preempt->is_preempt)
		return;
	if (event->wire.kind == LANE_FENCE_SIGNALED)
		preempt->signalled_ns = event->wire.ts_ns;
	if (event->wire.kind == LANE_FENCE_ENABLE_SIGNAL) {
		stall = stall_begin(tl, event, LANE_STALL_PREEMPT, ctx);
		if (!stall)
			return;
		stall->detail = event->u.dma_fence_signaled.seqno;
		stall->asid = preempt->asid;
		stall->device = preempt->device;
		stall->client = preempt->client;
		return;
	}
	stall = stall_find(tl, LANE_STALL_PREEMPT, ctx);
	if (!stall)
		return;
	if (stall->detail == event->u.dma_fence_signaled.seqno)
		stall_tell(tl, stall, event->wire.ts_ns, ctx, stall->detail);
	stall_drop(tl->stalls, stall, ctx);
}

void timeline_stall_fence(struct lane_timeline *tl, const struct lane_event *event)
{
	uint32_t kind = event->wire.kind;

	if (event->wire.tid < 0)
		return;
	if (kind == LANE_FENCE_INIT) {
		if (!memcmp(event->u.dma_fence_init.timeline, "preempt", sizeof("preempt")) &&
		    !strcmp(event->u.dma_fence_init.driver, "xe"))
			stall_arm(tl, event);
	} else if (tl->stalls && kind == LANE_FENCE_WAIT_END) {
		end_wait_of_fault(tl, event);
		end_wait_of_rebind(tl, event);
	} else if (tl->stalls && kind == LANE_FENCE_WAIT_START) {
		struct open_stall *stall =
			stall_find(tl, LANE_STALL_FAULT, (uint32_t)event->wire.tid);

		if (stall)
			stall->is_waiting = true;
	} else if (tl->stalls) {
		on_preempt(tl, event);
	}
}

/* ---- moves, evictions, devices that wake ---- */

/* Nothing copies it but, perhaps, a CPU. */
static void end_move(struct lane_timeline *tl, struct open_stall *stall)
{
	if (!stall->is_told)
		stall_tell(tl, stall, stall->begin_ns, 0, 0);
	stall_drop(tl->stalls, stall, (uint32_t)stall->tid);
}

static void on_move(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_xe_bo_move *move = &event->u.xe_bo_move;
	uint64_t whose = (uint32_t)event->wire.tid;
	struct open_stall *stall = stall_find(tl, LANE_STALL_MOVE, whose);

	if (stall)
		end_move(tl, stall);
	stall = stall_begin(tl, event, LANE_STALL_MOVE, whose);
	if (!stall)
		return;
	stall->bytes = move->size;
	memcpy(stall->from, move->old_placement_name, sizeof(stall->from) - 1);
	memcpy(stall->to, move->new_placement_name, sizeof(stall->to) - 1);
}

/*
 * i915 looks for room, and waits for what it takes out; then the thread's memory is bound
 * (i915_vma_pin_ww()). It may look several times.
 */
static void on_i915(struct lane_timeline *tl, const struct lane_event *event)
{
	uint64_t whose = (uint32_t)event->wire.tid;
	struct open_stall *stall = stall_find(tl, LANE_STALL_EVICTION, whose);

	if (event->wire.kind == LANE_I915_BIND) {
		stall_end(tl, LANE_STALL_EVICTION, whose, event->wire.ts_ns);
		return;
	}
	if (stall)
		return;
	stall = stall_begin(tl, event, LANE_STALL_EVICTION, whose);
	if (stall && event->wire.kind != LANE_I915_EVICT_VM)
		stall->bytes = event->u.i915_gem_evict.size;
}

/* Its parents wake before it: the outermost counts. */
static void on_resume(struct lane_timeline *tl, const struct lane_event *event)
{
	const char *name = event->u.rpm_resume.name;
	struct open_stall *stall =
		begin_outermost(tl, event, LANE_STALL_RESUME, stall_device_of(name));

	if (stall)
		memcpy(stall->from, name, sizeof(stall->from) - 1);
}

/*
 * A job that its thread has just told of is in run_job(), which wakes the device before it writes
 * to it. In what others recorded most calls find the device awake; those are short.
 */
bool timeline_stall_resumed(struct lane_timeline *tl, const struct lane_event *event,
			    const struct lane_rq *rq)
{
	const struct lane_p_rpm_return_int *end = &event->u.rpm_return_int;
	uint64_t now_ns = event->wire.ts_ns, whose = (uint32_t)event->wire.tid;
	struct open_stall *stall = stall_find(tl, LANE_STALL_RESUME, whose);
	bool was_asleep, is_for_job;

	if (!stall || stall->detail != stall_device_of(end->name))
		return false;
	was_asleep = !end->ret || (end->ret == 1 && now_ns - stall->begin_ns >= AWAKE_NS);
	is_for_job = was_asleep && rq && !timeline_request_has_ended(rq) &&
		     rq->pub.execute_ns <= stall->begin_ns && is_pair(tl, stall->begin_ns, now_ns);
	if (was_asleep)
		stall_tell(tl, stall, now_ns, is_for_job ? rq->pub.context->ctx : 0,
			   is_for_job ? rq->pub.seqno : 0);
	stall_drop(tl->stalls, stall, whose);
	return is_for_job;
}

static void on_reclaim(struct lane_timeline *tl, const struct lane_event *event)
{
	if (event->wire.kind == LANE_RECLAIM_BEGIN)
		stall_begin(tl, event, LANE_STALL_RECLAIM, (uint32_t)event->wire.tid);
	else
		stall_end(tl, LANE_STALL_RECLAIM, (uint32_t)event->wire.tid, event->wire.ts_ns);
}

void timeline_stall_event(struct lane_timeline *tl, const struct lane_event *event)
{
	static void (*const on_kind[LANE_KIND_COUNT])(struct lane_timeline *,
						      const struct lane_event *) = {
		[LANE_RECLAIM_BEGIN... LANE_RECLAIM_END] = on_reclaim,
		[LANE_MEMSTALL_BEGIN... LANE_MEMSTALL_END] = on_memstall,
		[LANE_XE_ENTER... LANE_XE_LEAVE] = on_function,
		[LANE_REFUSED] = on_refused,
		[LANE_USERPTR_BEGIN... LANE_USERPTR_END] = on_userptr,
		[LANE_REBIND_BEGIN... LANE_REBIND_END] = on_rebind,
		[LANE_XE_PAGEFAULT] = on_fault,
		[LANE_PF_BIND] = on_fault,
		[LANE_XE_MOVE] = on_move,
		[LANE_I915_EVICT... LANE_I915_BIND] = on_i915,
		[LANE_RESUME_BEGIN] = on_resume,
	};

	if (event->wire.tid >= 0) /* else nobody knows whose it is */
		on_kind[event->wire.kind](tl, event);
}

void timeline_stall_each_wait(const struct lane_timeline *tl,
			      void (*fn)(void *arg, const struct lane_kernel_wait *wait), void *arg)
{
	const struct lane_table *open = tl->stalls ? &tl->stalls->open : NULL;

	for (size_t i = 0; open && open->slots && i <= open->mask; i++) {
		const struct open_stall *stall = open->slots[i].value;
		struct lane_kernel_wait wait = { .how = LANE_KERNEL_WAITS };

		if (stall && stall->cause == LANE_STALL_BIND)
			wait.how = LANE_KERNEL_WAIT_BIND;
		else if (stall && stall->cause == LANE_STALL_USER_FENCE)
			wait.how = LANE_KERNEL_WAIT_USER_FENCE;
		if (wait.how == LANE_KERNEL_WAITS)
			continue;
		wait.tid = stall->tid;
		wait.pid = stall->pid;
		wait.begin_ns = stall->begin_ns;
		fn(arg, &wait);
	}
}

/* ---- address spaces ---- */

static void count_spaces(struct lane_stalls *all, struct space *of)
{
	for (size_t i = 0; i <= all->spaces.mask; i++) {
		struct space *other = all->spaces.slots[i].value;

		if (other && other != of && other->client == of->client)
			other->is_one_of_several = of->is_one_of_several = true;
	}
}

static struct space *new_space(struct lane_timeline *tl, struct lane_stalls *all, uint32_t asid,
			       uint32_t device, int32_t pid)
{
	struct space *space;

	if (all->n_spaces == MAX_SPACES)
		return NULL;
	space = lane_pool_get(&all->space_pool);
	if (!space || !lane_table_put(&all->spaces, asid, device, space)) {
		tl->no_memory = true;
		return NULL;
	}
	all->n_spaces++;
	space->client = timeline_client_get(tl, pid);
	count_spaces(all, space);
	return space;
}

/* Whose jobs an address space has. */
static void learn_space(struct lane_timeline *tl, const struct lane_event *event, uint32_t asid)
{
	const struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	struct lane_stalls *all = stalls_of(tl);
	uint32_t device = stall_device_of(job->dev);
	struct space *space;

	if (!all || event->wire.pid < 0)
		return;
	space = lane_table_get(&all->spaces, asid, device);
	if (!space)
		space = new_space(tl, all, asid, device, event->wire.pid);
	if (space && space->client && space->client != timeline_client_get(tl, event->wire.pid))
		space->client = NULL;
}

/*
 * A job of a queue that binds: VM_BIND's or, where a submission finds memory moved, of its own
 * (xe_vm_rebind() of xe_vm.c). A worker's is a part of what the worker does.
 */
static void bind_job(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	uint64_t whose = (uint32_t)event->wire.tid;
	struct open_stall stall = { .cause = LANE_STALL_BIND,
				    .tid = event->wire.tid,
				    .pid = event->wire.pid,
				    .begin_ns = event->wire.ts_ns,
				    .is_told = stall_find(tl, LANE_STALL_BIND, whose) };

	if (!stall_find(tl, LANE_STALL_REBIND, whose) && !stall_find(tl, LANE_STALL_FAULT, whose))
		stall_tell(tl, &stall, stall.begin_ns, job->fence_context, job->fence_seqno);
}

/* The driver's own jobs that the thread queues next copy what is moved (xe_migrate_copy() of
 * xe_migrate.c). */
void timeline_stall_job(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_drm_sched_job_queue *job = &event->u.drm_sched_job_queue;
	uint32_t asid = job->queue_flags >> LANE_QUEUE_ASID_SHIFT;
	struct open_stall *move;

	if (asid && !(job->queue_flags & LANE_QUEUE_KERNEL))
		learn_space(tl, event, asid);
	if (event->wire.tid < 0)
		return;
	move = stall_find(tl, LANE_STALL_MOVE, (uint32_t)event->wire.tid);
	if (move && job->queue_flags & LANE_QUEUE_KERNEL) {
		stall_tell(tl, move, event->wire.ts_ns, job->fence_context, job->fence_seqno);
		move->is_told = true;
	} else if (move) {
		end_move(tl, move);
	}
	if (job->queue_flags & LANE_QUEUE_BIND)
		bind_job(tl, event);
}

void timeline_stall_finish(struct lane_timeline *tl)
{
	struct lane_stalls *all = tl->stalls;

	for (size_t i = 0; all && all->open.slots && i <= all->open.mask; i++) {
		const struct open_stall *stall = all->open.slots[i].value;

		if (!stall)
			continue;
		if (stall->cause == LANE_STALL_MOVE && !stall->is_told)
			stall_tell(tl, stall, stall->begin_ns, 0, 0);
		else if (stall->cause == LANE_STALL_FAULT && stall->until_ns)
			stall_tell(tl, stall, stall->until_ns, 0, 0);
	}
}

// SPDX-License-Identifier: MIT
// Threads and CPUs from the scheduler's events; threads that wait for a request.
#include "timeline/sched/thread.h"
#include "timeline/sched/stack.h"
#include "timeline/sched/actor.h"
#include "timeline/sched/idle.h"
#include "timeline/losses.h"
#include "timeline/objects.h"
#include "timeline/state.h"
#include "timeline/sched/thread_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define GONE		0x30	   /* EXIT_DEAD, EXIT_ZOMBIE: the thread does not come back */
#define IDLE		0x80	   /* TASK_IDLE */
#define IDLE_ENGINES	64	   /* so many engines have their idle times divided */
#define MAX_PAST	(1u << 10) /* so many runs of a CPU are remembered */
#define MAX_INTERESTING (1u << 15) /* no machine has so many at once */
#define MAX_STARVED	(1u << 10) /* of so many threads that wait for a CPU it is told who has it */

/* False when the end of the thread's wait may have been missed. */
static bool still_waits(const struct lane_timeline *tl, const struct lane_thr *thr, uint64_t now_ns)
{
	return tl->info.presence[thr->wait->end_kind] != LANE_PRESENCE_ABSENT &&
	       (!tl->n_losses || !timeline_loss_between(tl, thr->wait->begin_ns, now_ns));
}

/*
 * For how long the thread was runnable since its last change, at most, where what it did is not
 * known. One that went to sleep and is woken now was runnable between losses only: one that hides a
 * wake-up, and one that hides that it slept again. Behind them it slept: what can run already is
 * not woken (ttwu_state_match() of kernel/sched/core.c, Linux 6.1).
 */
static uint64_t runnable_most(const struct lane_timeline *tl, const struct lane_thr *thr,
			      uint64_t now_ns)
{
	struct lane_span losses = { thr->pub.since_ns, now_ns };

	if (thr->pub.state == LANE_THREAD_BLOCKED && thr->is_being_woken && !thr->is_unknown &&
	    timeline_sees(tl, LANE_SWITCH) && timeline_sees(tl, LANE_WAKING))
		losses = timeline_loss_hull(tl, thr->pub.since_ns, now_ns);
	return losses.hi - losses.lo;
}

/* Tells what the thread did up to now_ns, and its next state. Of a stranger too little is seen:
 * nothing is told. That a thread was woken and ran may take no time that the clock shows. */
static void tell_interval(struct lane_timeline *tl, const struct lane_thr *thr,
			  enum lane_thread_state did, enum lane_thread_state next, uint64_t now_ns)
{
	struct lane_thread_interval interval;

	if (!tl->hooks.thread || timeline_is_stranger(tl, thr) || now_ns < thr->pub.since_ns ||
	    (now_ns == thr->pub.since_ns &&
	     (did != LANE_THREAD_RUNNABLE || next != LANE_THREAD_RUNNING || thr->pub.preempted)))
		return;
	interval = (struct lane_thread_interval){ .thread = &thr->pub,
						  .state = did,
						  .begin_ns = thr->pub.since_ns,
						  .end_ns = now_ns,
						  .next = next,
						  .woken = !thr->pub.preempted,
						  .is_last = thr->is_gone,
						  .waker_tid = thr->waker };
	if (did == LANE_THREAD_UNKNOWN)
		interval.runnable_most_ns = runnable_most(tl, thr, now_ns);
	if (did == LANE_THREAD_BLOCKED && thr->place)
		interval.stack = thr->place->sleeps_at;
	if (thr->wait && still_waits(tl, thr, now_ns))
		interval.wait = &thr->wait->rq->pub;
	else if (did == LANE_THREAD_BLOCKED)
		interval.wait = thr->woken_for;
	tl->hooks.thread(tl->hooks.arg, &interval);
}

/* Where it sleeps is known, or for whose mutex. */
static bool sleeps_somewhere(const struct lane_thr *thr)
{
	const struct lane_thr_place *place = thr->place;

	return place &&
	       (place->sleeps_at.kernel || place->sleeps_at.user || place->sleeps_behind.tid);
}

/* The thread goes to a state at now_ns. What it did since its last change is told. */
static void set_state(struct lane_timeline *tl, struct lane_thr *thr, enum lane_thread_state state,
		      uint64_t now_ns)
{
	bool is_unknown = timeline_thread_is_unknown(tl, thr, now_ns);
	enum lane_thread_state did = is_unknown ? LANE_THREAD_UNKNOWN : thr->pub.state;
	enum lane_doing clock = is_unknown ? LANE_DOING_UNKNOWN : timeline_thread_doing(thr);
	uint64_t ns = now_ns - thr->pub.since_ns;

	if (thr->pub.is_interesting)
		timeline_idle_snapshot(tl, thr, did == LANE_THREAD_UNKNOWN);
	if (did == LANE_THREAD_BLOCKED && sleeps_somewhere(thr))
		timeline_idle_at(tl, thr, now_ns);
	thr->clock[clock] += ns;
	if (thr->pub.is_interesting || thr->pub.client) {
		if (clock == LANE_DOING_WAITING && timeline_thread_waits_on(thr)->id < thr->n_slots)
			thr->waiting[timeline_thread_waits_on(thr)->id] += ns;
		tell_interval(tl, thr, did, state, now_ns);
	}
	thr->pub.state = state;
	thr->pub.since_ns = now_ns;
	thr->is_unknown = false;
}

/* The task on the CPU is of no recorded process, or not known. */
static bool is_stranger_on(const struct lane_timeline *tl, const struct lane_cpu *cpu)
{
	return cpu->tid < 0 || timeline_is_stranger(tl, timeline_thread_find(tl, cpu->tid));
}

static const char nobody[16];

static void tell_part(struct lane_timeline *tl, struct lane_thr *thr, int32_t cpu, int32_t tid,
		      const char *comm, uint64_t begin_ns, uint64_t end_ns)
{
	struct lane_starvation slice = { .victim = &thr->pub,
					 .cpu = cpu,
					 .tid = tid,
					 .comm = comm,
					 .begin_ns = begin_ns,
					 .end_ns = end_ns };

	if (begin_ns >= end_ns)
		return;
	if (thr->is_actor)
		timeline_actor_starved(tl, thr, &slice);
	if (!thr->pub.is_interesting || thr->pub.state != LANE_THREAD_RUNNABLE ||
	    timeline_thread_is_unknown(tl, thr, end_ns))
		return;
	timeline_idle_starved(tl, thr, &slice);
	if (tl->hooks.starvation)
		tl->hooks.starvation(tl->hooks.arg, &slice);
}

/* Nobody had the CPU from begin_ns to end_ns, while thr was runnable on it, and it slept in
 * `sleep`. */
static void tell_sleep(struct lane_timeline *tl, struct lane_thr *thr, int32_t number,
		       uint64_t begin_ns, struct lane_span sleep, uint64_t end_ns)
{
	const struct lane_cpu *cpu = &tl->cpus[number];
	char name[16];
	struct lane_stall stall = {
		.cause = LANE_STALL_SLEEP,
		.begin_ns = sleep.lo,
		.end_ns = sleep.hi,
		.is_sure = true,
		.tid = thr->pub.tid,
		.pid = thr->pub.pid,
		.comm = thr->pub.comm,
		.from = name,
		.to = "",
		.khz = timeline_loss_between(tl, cpu->set_ns, end_ns) ? 0 : cpu->khz,
	};

	lane_idle_state(&tl->info.limits, number, cpu->sleep.state, name, &stall.leave_ns);
	tell_part(tl, thr, number, 0, nobody, begin_ns, sleep.lo);
	tell_part(tl, thr, number, 0, name, sleep.lo, sleep.hi);
	tell_part(tl, thr, number, 0, nobody, sleep.hi, end_ns);
	if (tl->hooks.stall && thr->pub.is_interesting)
		tl->hooks.stall(tl->hooks.arg, &stall);
}

/* Nobody had the CPU from begin_ns to end_ns, while thr was runnable on it: it may have slept. */
static void tell_idle_slice(struct lane_timeline *tl, struct lane_thr *thr, int32_t number,
			    uint64_t begin_ns, uint64_t end_ns)
{
	const struct lane_cpu *cpu = &tl->cpus[number];
	uint64_t from_ns = cpu->sleep.since_ns > begin_ns ? cpu->sleep.since_ns : begin_ns;
	uint64_t to_ns = cpu->sleep.left_ns < end_ns ? cpu->sleep.left_ns : end_ns;

	if (from_ns >= to_ns ||
	    (tl->n_losses && timeline_loss_between(tl, cpu->sleep.since_ns, to_ns)))
		tell_part(tl, thr, number, 0, nobody, begin_ns, end_ns);
	else
		tell_sleep(tl, thr, number, begin_ns, (struct lane_span){ from_ns, to_ns }, end_ns);
}

/* Tells that the task had the CPU from begin_ns to end_ns, while thr was runnable on it. */
static void tell_slice(struct lane_timeline *tl, struct lane_thr *thr, int32_t cpu, int32_t tid,
		       const char *comm, uint64_t begin_ns, uint64_t end_ns)
{
	if (!tid && cpu >= 0)
		tell_idle_slice(tl, thr, cpu, begin_ns, end_ns);
	else
		tell_part(tl, thr, cpu, tid, comm, begin_ns, end_ns);
}

/*
 * A CPU sleeps, or has slept. bpf tells it afterwards, others as it begins and ends
 * (cpuidle_enter_state() of drivers/cpuidle/cpuidle.c). Between the end and the next task lie the
 * interrupt and the switch.
 */
void timeline_cpu_sleeps(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_cpu_idle *idle = &event->u.cpu_idle;
	struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);

	if (!cpu)
		return;
	if (idle->state == LANE_CPU_AWAKE) {
		if (cpu->sleep.left_ns) /* its begin was not seen */
			cpu->sleep.since_ns = 0;
		cpu->sleep.left_ns = cpu->sleep.since_ns ? event->wire.ts_ns : 0;
		return;
	}
	cpu->sleep.since_ns = idle->since_ns ? idle->since_ns : event->wire.ts_ns;
	cpu->sleep.left_ns = idle->left_ns;
	cpu->sleep.state = idle->state;
}

/* include/linux/interrupt.h */
static const char *const softirqs[] = { "HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU" };

#define SOFTIRQS (sizeof(softirqs) / sizeof(softirqs[0]))

/*
 * The thread that had the CPU as the softirq began goes on when it is over (handle_softirqs() of
 * kernel/softirq.c): until then it could run. One softirq does not lie in another: where a second
 * one begins an end was lost.
 */
static void end_softirq(struct lane_timeline *tl, struct lane_thr *thr, const struct lane_cpu *cpu,
			const struct lane_event *event)
{
	uint64_t now_ns = event->wire.ts_ns;
	uint32_t vec = event->u.irq_softirq_entry.vec;
	char name[16];

	snprintf(name, sizeof(name), "softirq %s", softirqs[vec]);
	if (event->wire.kind == LANE_SOFTIRQ_EXIT && vec == cpu->softirq &&
	    cpu->softirq_ns == thr->pub.since_ns)
		tell_part(tl, thr, event->cpu, LANE_TID_SOFTIRQ + (int32_t)vec, name,
			  cpu->softirq_ns, now_ns);
	else
		thr->is_unknown = true;
	set_state(tl, thr, LANE_THREAD_RUNNING, now_ns);
}

void timeline_cpu_softirq(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);
	struct lane_thr *thr = cpu && cpu->tid > 0 ? timeline_thread_find(tl, cpu->tid) : NULL;
	uint64_t now_ns = event->wire.ts_ns;

	if (!thr || !thr->pub.is_interesting || thr->queued_on >= 0 || thr->pub.cpu != event->cpu ||
	    event->wire.tid != thr->pub.tid || event->u.irq_softirq_entry.vec >= SOFTIRQS)
		return;
	if (thr->pub.state == LANE_THREAD_RUNNABLE)
		end_softirq(tl, thr, cpu, event);
	else if (event->wire.kind == LANE_SOFTIRQ_ENTRY && thr->pub.state == LANE_THREAD_RUNNING) {
		set_state(tl, thr, LANE_THREAD_RUNNABLE, now_ns);
		thr->pub.preempted = true;
		cpu->softirq_ns = now_ns;
		cpu->softirq = event->u.irq_softirq_entry.vec;
	}
}

void timeline_cpu_clock(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, (int32_t)event->u.cpu_frequency.cpu_id);

	if (!cpu)
		return;
	cpu->khz = event->u.cpu_frequency.state;
	cpu->set_ns = event->wire.ts_ns;
}

/* Nothing tells who had the CPU on which thr was runnable, up to now_ns. */
static bool is_starved_unseen(const struct lane_timeline *tl, const struct lane_thr *thr,
			      int32_t cpu, uint64_t now_ns)
{
	return cpu < 0 || timeline_is_absent(tl, LANE_SWITCH) ||
	       (tl->info.follows_some && timeline_is_absent(tl, LANE_MIGRATE)) || thr->is_unknown ||
	       (tl->n_losses && timeline_loss_between(tl, thr->pub.since_ns, now_ns));
}

/* Tells who had the CPU while thr was runnable on it, up to now_ns. number -1: it is not known on
 * which. If more than `enough` events were lost, another task may have had it meanwhile. */
static void tell_starved(struct lane_timeline *tl, struct lane_thr *thr, int32_t number,
			 uint64_t now_ns, uint64_t enough)
{
	uint64_t at_ns = thr->queued_ns;
	const struct lane_cpu *cpu;
	bool is_known;
	uint32_t i;

	thr->queued_ns = now_ns;
	if (at_ns >= now_ns || (timeline_is_stranger(tl, thr) && !thr->is_actor))
		return;
	if (is_starved_unseen(tl, thr, number, now_ns)) {
		tell_slice(tl, thr, number, -1, nobody, at_ns, now_ns);
		return;
	}
	cpu = &tl->cpus[number];
	for (i = cpu->n_past; i && cpu->past[i - 1].end_ns > at_ns; i--)
		;
	for (; i < cpu->n_past; i++) {
		const struct lane_past_run *run = &cpu->past[i];

		if (run->begin_ns > at_ns) /* what was before is not remembered */
			tell_slice(tl, thr, number, -1, nobody, at_ns, run->begin_ns);
		tell_slice(tl, thr, number, run->tid, run->comm,
			   run->begin_ns > at_ns ? run->begin_ns : at_ns, run->end_ns);
		at_ns = run->end_ns;
	}
	if (cpu->since_ns > at_ns) {
		tell_slice(tl, thr, number, -1, nobody, at_ns, cpu->since_ns);
		at_ns = cpu->since_ns;
	}
	is_known = !(thr->is_waking && is_stranger_on(tl, cpu)) &&
		   !(tl->n_losses && timeline_loss_between(tl, cpu->since_ns, now_ns) > enough);
	tell_slice(tl, thr, number, is_known ? cpu->tid : -1, cpu->comm, at_ns, now_ns);
}

/* Tells who had the CPU while threads waited for it. Of more than MAX_STARVED the oldest are left
 * out: tell_starved() finds that they were, and tells an unknown task for that time. */
static void tell_all_starved(struct lane_timeline *tl, const struct lane_cpu *cpu, int32_t number,
			     uint64_t now_ns)
{
	uint32_t n = 0;

	for (struct lane_thr *thr = cpu->queue; thr && n < MAX_STARVED; thr = thr->queue_next, n++)
		tell_starved(tl, thr, number, now_ns, 1);
}

void timeline_thread_tell_starved(struct lane_timeline *tl, struct lane_thr *thr)
{
	if (thr->queued_on >= 0 && timeline_sees(tl, LANE_MIGRATE))
		tell_starved(tl, thr, thr->queued_on, tl->now.ns, 0);
}

/* Takes thr off the queue that it is in, if it is in one. */
static void unlink_queue(struct lane_timeline *tl, struct lane_thr *thr)
{
	*(thr->queue_prev ? &thr->queue_prev->queue_next : &tl->cpus[thr->queued_on].queue) =
		thr->queue_next;
	if (thr->queue_next)
		thr->queue_next->queue_prev = thr->queue_prev;
	thr->queue_next = thr->queue_prev = NULL;
	thr->queued_on = -1;
}

/* thr is runnable there no more. was_on: the CPU on which it is seen to have been up to now_ns, -1:
 * none. On another one than was taken for it, it was moved, unseen. */
static void dequeue(struct lane_timeline *tl, struct lane_thr *thr, int32_t was_on, uint64_t now_ns)
{
	if (thr->queued_on < 0)
		return;
	tell_starved(tl, thr, was_on == thr->queued_on ? was_on : -1, now_ns, 0);
	unlink_queue(tl, thr);
}

/* While no recorded thread was runnable there, the switches between strangers are not recorded: who
 * has the CPU is not known. */
static void forget_stranger(const struct lane_timeline *tl, struct lane_cpu *cpu)
{
	if (!tl->info.follows_some || !is_stranger_on(tl, cpu))
		return;
	cpu->tid = -1;
	memset(cpu->comm, 0, sizeof(cpu->comm));
}

static void link_queue(struct lane_cpu *cpu, struct lane_thr *thr, int32_t number)
{
	thr->queued_on = number;
	thr->is_displaced = false;
	thr->queue_next = cpu->queue;
	if (cpu->queue)
		cpu->queue->queue_prev = thr;
	cpu->queue = thr;
}

static void thread_enqueue(struct lane_timeline *tl, struct lane_thr *thr, int32_t number,
			   uint64_t now_ns)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, number);

	if ((!thr->pub.is_interesting && !thr->is_actor) || !cpu || thr->queued_on >= 0)
		return;
	if (!cpu->queue && cpu->since_ns != now_ns)
		forget_stranger(tl, cpu);
	thr->queued_ns = now_ns;
	link_queue(cpu, thr, number);
}

/*
 * sched_waking names the CPU that the thread had; select_task_rq() chooses another one behind it
 * (try_to_wake_up() of kernel/sched/core.c, 6.1). sched_wakeup names the one that was chosen.
 */
static void chosen(struct lane_timeline *tl, struct lane_thr *thr, int32_t number)
{
	struct lane_cpu *cpu = timeline_cpu_get(tl, number);

	if (!cpu || thr->queued_on < 0 || thr->queued_on == number)
		return;
	unlink_queue(tl, thr);
	link_queue(cpu, thr, number);
	thr->pub.cpu = number;
}

void timeline_thread_interesting(struct lane_timeline *tl, struct lane_thr *thr)
{
	uint32_t n = thr->n_slots;

	if (!thr->pub.is_interesting && ++tl->n_interesting > MAX_INTERESTING) {
		timeline_thread_make_room(tl, thr);
		if (tl->n_interesting > MAX_INTERESTING / 4 * 3)
			tl->too_many = "threads that submit or wait";
	}
	if ((n < tl->n_engines && n < IDLE_ENGINES) || !thr->pub.is_interesting) {
		uint32_t more = !tl->cap_engines		 ? 16
				: tl->cap_engines < IDLE_ENGINES ? tl->cap_engines
								 : IDLE_ENGINES;
		uint64_t *waiting = realloc(thr->waiting, more * sizeof(*waiting));
		struct lane_idle_slot *slots = NULL;

		if (waiting) {
			thr->waiting = waiting;
			slots = realloc(thr->slots, more * sizeof(*slots));
		}
		if (!slots) {
			tl->no_memory = true;
			return;
		}
		thr->slots = slots;
		memset(waiting + n, 0, (more - n) * sizeof(*waiting));
		memset(slots + n, 0, (more - n) * sizeof(*slots));
		thr->n_slots = more;
		free(thr->stacks); /* made anew, for as many */
		thr->stacks = NULL;
	}
	thr->pub.is_interesting = true;
}

static void name(const struct lane_timeline *tl, struct lane_thr *thr, const char *comm)
{
	struct lane_client *client;

	if (!comm[0]) /* the tracer does not write it */
		return;
	thr->is_name_told = false;
	if (!memcmp(thr->pub.comm, comm, sizeof(thr->pub.comm)))
		return;
	memcpy(thr->pub.comm, comm, sizeof(thr->pub.comm));
	timeline_actor_name(thr, comm);
	/* A process has the name of its main thread; of another one while that is not known. */
	client = lane_table_get(&tl->clients, (uint32_t)thr->pub.tid, 0);
	if (!client && thr->pub.client && !thr->pub.client->comm[0])
		client = thr->pub.client;
	if (client)
		memcpy(client->comm, comm, sizeof(client->comm));
}

/* The state of a thread that left its CPU with this prev_state. */
static enum lane_thread_state thread_state_of(int64_t prev_state)
{
	if (prev_state == LANE_STATE_UNKNOWN)
		return LANE_THREAD_UNKNOWN;
	return prev_state ? LANE_THREAD_BLOCKED : LANE_THREAD_RUNNABLE;
}

/* Finds the client of the thread's process, if clients were added since it was looked for last. */
static void find_client(const struct lane_timeline *tl, struct lane_thr *thr)
{
	if (thr->pub.client || thr->client_checked == tl->n_clients)
		return;
	thr->client_checked = tl->n_clients;
	thr->pub.client =
		thr->pub.pid < 0 ? NULL : lane_table_get(&tl->clients, (uint32_t)thr->pub.pid, 0);
}

/* An event of the thread itself tells its process. */
static void belongs(const struct lane_timeline *tl, struct lane_thr *thr, int32_t pid)
{
	if (pid < 0)
		return;
	thr->pub.pid = pid;
	thr->is_followed |= pid && pid == tl->info.followed_pid;
}

/* Ends a wait without telling it, and frees it. */
static void drop_wait(struct lane_timeline *tl, struct lane_waiter *waiter)
{
	*(waiter->prev ? &waiter->prev->next : &waiter->rq->waiters) = waiter->next;
	if (waiter->next)
		waiter->next->prev = waiter->prev;
	waiter->thr->wait = NULL;
	lane_pool_put(&tl->waiter_pool, waiter);
}

/*
 * The thread that is taken to have the CPU does not have it any more, which no event told. Since
 * when is not known, nor who else had the CPU meanwhile: those who waited there may have run.
 */
static void displace(struct lane_timeline *tl, int32_t number, uint64_t now_ns)
{
	struct lane_cpu *cpu = &tl->cpus[number];
	struct lane_thr *thr = timeline_thread_get(tl, cpu->tid);

	if (thr && thr->pub.state == LANE_THREAD_RUNNING && thr->pub.cpu == number) {
		thr->pub.state = LANE_THREAD_UNKNOWN;
		set_state(tl, thr, LANE_THREAD_UNKNOWN, now_ns);
	}
	cpu->tid = -1;
	memset(cpu->comm, 0, sizeof(cpu->comm));
	if (tl->n_losses && timeline_loss_between(tl, cpu->since_ns, now_ns))
		return;
	for (thr = cpu->queue; thr && !thr->is_displaced; thr = thr->queue_next)
		thr->is_unknown = thr->is_displaced = true;
	tl->figures.contradictions++;
	tl->figures.unseen_switches++;
}

/* tid has the CPU. If another one is taken to have it, or it is taken to run elsewhere, switches
 * are missing. Where only some processes are recorded, those of others are missing anyway. */
static void has_cpu(struct lane_timeline *tl, int32_t tid, int32_t number, uint64_t now_ns)
{
	const struct lane_thr *thr;

	if (tl->info.follows_some)
		return;
	if (tl->cpus[number].tid >= 0 && tl->cpus[number].tid != tid)
		displace(tl, number, now_ns);
	if (tid <= 0) /* the idle task runs on each CPU */
		return;
	thr = timeline_thread_find(tl, tid);
	if (thr && thr->pub.state == LANE_THREAD_RUNNING && thr->pub.cpu != number &&
	    timeline_cpu_get(tl, thr->pub.cpu) && tl->cpus[thr->pub.cpu].tid == tid)
		displace(tl, thr->pub.cpu, now_ns);
}

static void leaves(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_sched_switch *sw = &event->u.sched_switch;
	struct lane_thr *thr = timeline_thread_get(tl, sw->prev_tid);
	bool is_told = sw->prev_state != LANE_STATE_UNKNOWN;
	uint64_t now_ns = event->wire.ts_ns;

	if (!thr)
		return;
	name(tl, thr, sw->prev_comm);
	if (event->wire.tid == sw->prev_tid)
		belongs(tl, thr, event->wire.pid);
	find_client(tl, thr);
	/* It leaves its CPU, so it ran: events of it are missing. */
	if (thr->pub.state != LANE_THREAD_RUNNING) {
		thr->pub.state = LANE_THREAD_UNKNOWN;
		dequeue(tl, thr, -1, now_ns);
	}
	if (thr->wait)
		thr->wait->has_left_cpu = true;
	if (thr->wait && is_told)
		thr->wait->slept |= sw->prev_state != 0;
	else if (thr->wait)
		thr->wait->may_have_slept = true;
	thr->pub.preempted = sw->prev_state == 0;
	thr->pub.cpu = event->cpu;
	thr->is_gone = is_told && sw->prev_state & GONE;
	thr->is_idle = sw->prev_state == IDLE && !tl->info.follows_some;
	if (thr->is_idle)
		thr->idle_ns = now_ns;
	set_state(tl, thr, thread_state_of(sw->prev_state), now_ns);
	timeline_stack_sleeps(tl, thr, now_ns);
	thr->waker = -1;
	/*
	 * Between its exit event and its last switch a thread closes its files, among them the
	 * GPU's. It may be preempted there, and may sleep (do_exit() of kernel/exit.c, Linux 6.1).
	 */
	if (thr->is_gone) {
		if (thr->wait)
			drop_wait(tl, thr->wait);
		timeline_thread_forget(tl, thr);
		return;
	}
	if (!sw->prev_state)
		thread_enqueue(tl, thr, event->cpu, now_ns);
}

/* A recorded thread has been runnable on the CPU since the task there began to run: all switches of
 * the CPU since then are recorded. */
static bool is_waited_for(const struct lane_timeline *tl, const struct lane_cpu *cpu)
{
	uint32_t n = 0;

	for (const struct lane_thr *thr = cpu->queue; thr && n < MAX_STARVED;
	     thr = thr->queue_next, n++)
		if (thr->queued_ns <= cpu->since_ns && !timeline_is_stranger(tl, thr))
			return true;
	return false;
}

/* Tells who had the CPU up to now_ns. enough: as for tell_starved(). */
static void tell_ran(struct lane_timeline *tl, const struct lane_cpu *cpu, int32_t cpu_number,
		     uint64_t now_ns, uint64_t enough)
{
	struct lane_cpu_run run;

	if (!tl->hooks.cpu_run || cpu->tid <= 0 || cpu->since_ns >= now_ns ||
	    (is_stranger_on(tl, cpu) && !is_waited_for(tl, cpu)))
		return;
	if (tl->n_losses && timeline_loss_between(tl, cpu->since_ns, now_ns) > enough &&
	    timeline_loss_of_cpu(tl, cpu_number, cpu->since_ns, now_ns))
		return;
	run = (struct lane_cpu_run){ .cpu = cpu_number,
				     .tid = cpu->tid,
				     .comm = cpu->comm,
				     .begin_ns = cpu->since_ns,
				     .end_ns = now_ns };
	tl->hooks.cpu_run(tl->hooks.arg, &run);
}

void timeline_cpus_flush(struct lane_timeline *tl, uint64_t now_ns)
{
	for (uint32_t i = 0; i < tl->n_cpus; i++)
		tell_ran(tl, &tl->cpus[i], (int32_t)i, now_ns, 0);
}

/*
 * A worker of the kernel waits for work in TASK_IDLE (worker_thread() of kernel/workqueue.c, from
 * Linux 4.14 on). No reset is known to sleep so: schedule_timeout_idle() is RCU's and the OOM
 * killer's. So all that a worker works on it began when it left TASK_IDLE.
 */
static void note_work(const struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns)
{
	if (thr->is_idle && !(tl->n_losses && timeline_loss_between(tl, thr->idle_ns, now_ns)))
		thr->works_ns = now_ns;
	thr->is_idle = false;
}

uint64_t timeline_thread_works_since(const struct lane_timeline *tl, int32_t tid)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);

	return thr ? thr->works_ns : 0;
}

bool timeline_thread_may_be_worker(const struct lane_timeline *tl, int32_t tid)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);

	return !thr || !*thr->pub.comm || !strncmp(thr->pub.comm, "kworker/", 8);
}

bool timeline_thread_may_be_at(const struct lane_timeline *tl, int32_t tid, uint64_t since_ns)
{
	const struct lane_thr *thr = timeline_thread_find(tl, tid);

	return !thr || thr->idle_ns <= since_ns;
}

/*
 * Where no migrations are recorded, it is not known where a thread waits before it runs. So what
 * ran on a CPU is remembered.
 */
static void thread_remember(struct lane_timeline *tl, struct lane_cpu *cpu, uint64_t now_ns)
{
	bool is_known = !tl->n_losses || timeline_loss_between(tl, cpu->since_ns, now_ns) <= 1;

	if (cpu->n_past == MAX_PAST) {
		cpu->n_past /= 2;
		memmove(cpu->past, cpu->past + cpu->n_past, cpu->n_past * sizeof(*cpu->past));
	}
	if (!LANE_GROW(cpu->past, cpu->cap_past, cpu->n_past + 1)) {
		tl->no_memory = true;
		return;
	}
	cpu->past[cpu->n_past] = (struct lane_past_run){ .begin_ns = cpu->since_ns,
							 .end_ns = now_ns,
							 .tid = is_known ? cpu->tid : -1 };
	memcpy(cpu->past[cpu->n_past++].comm, cpu->comm, sizeof(cpu->comm));
}

void timeline_thread_switch(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_sched_switch *sw = &event->u.sched_switch;
	struct lane_cpu *cpu = timeline_cpu_get(tl, event->cpu);
	uint64_t now_ns = event->wire.ts_ns;
	struct lane_thr *thr;
	bool is_same, is_first;

	if (!cpu)
		return;
	is_same = cpu->tid == sw->prev_tid;
	is_first = cpu->tid < 0;
	has_cpu(tl, sw->prev_tid, event->cpu, now_ns);
	/* The task that ran is the one that leaves, with the name that it has now. */
	if (!is_same) {
		cpu->tid = is_first ? sw->prev_tid : -1;
		memset(cpu->comm, 0, sizeof(cpu->comm));
	}
	if (*sw->prev_comm) /* a trace of Perfetto may lack it */
		memcpy(cpu->comm, sw->prev_comm, sizeof(cpu->comm));
	if (is_same)
		tell_ran(tl, cpu, event->cpu, now_ns, 1);
	if (timeline_sees(tl, LANE_MIGRATE))
		tell_all_starved(tl, cpu, event->cpu, now_ns);
	else
		thread_remember(tl, cpu, now_ns);
	if (sw->prev_tid > 0)
		leaves(tl, event);
	cpu->tid = -1;
	has_cpu(tl, sw->next_tid, event->cpu, now_ns);
	cpu->tid = sw->next_tid;
	memcpy(cpu->comm, sw->next_comm, sizeof(cpu->comm));
	cpu->since_ns = now_ns;
	thr = sw->next_tid > 0 ? timeline_thread_get(tl, sw->next_tid) : NULL;
	if (!thr)
		return;
	name(tl, thr, sw->next_comm);
	memcpy(cpu->comm, thr->pub.comm, sizeof(cpu->comm));
	dequeue(tl, thr, event->cpu, now_ns);
	thr->is_waking = false;
	thr->pub.cpu = event->cpu;
	note_work(tl, thr, now_ns);
	/* It was not seen to be woken, or to leave its CPU: what it did is not known. */
	if (thr->pub.state == LANE_THREAD_BLOCKED || thr->pub.state == LANE_THREAD_RUNNING)
		thr->pub.state = LANE_THREAD_UNKNOWN;
	set_state(tl, thr, LANE_THREAD_RUNNING, now_ns);
}

/*
 * Where only some processes are recorded, all switches of the CPU are recorded from the thread's
 * sched_wakeup on, not from its sched_waking on (bpf/sched.bpf.c).
 */
static void note_waking(struct lane_timeline *tl, struct lane_thr *thr,
			const struct lane_event *event)
{
	bool was_waking = thr->is_waking;

	thr->is_waking = event->wire.kind == LANE_WAKING;
	if (!was_waking || thr->is_waking || thr->queued_on < 0)
		return;
	if (tl->info.follows_some) {
		thr->is_waking = true;
		tell_starved(tl, thr, thr->queued_on, event->wire.ts_ns, 0);
		thr->is_waking = false;
		forget_stranger(tl, &tl->cpus[thr->queued_on]);
	}
	chosen(tl, thr, (int32_t)event->u.sched_wakeup.target_cpu);
}

/* From a fence's signal, or the wake-up by its call-back before, to the next of these. */
#define CALL_BACK_NS 1500

/* The blocked thread is woken by the call-back of a fence that was signalled since. */
static bool is_call_back(const struct lane_cpu *cpu, const struct lane_thr *thr,
			 const struct lane_event *event)
{
	return cpu && cpu->signal_ctx && !thr->wait && thr->pub.state == LANE_THREAD_BLOCKED &&
	       cpu->signal_tid == event->wire.tid && cpu->signal_ns >= thr->pub.since_ns &&
	       event->wire.ts_ns <= cpu->before_ns + CALL_BACK_NS;
}

/*
 * A thread that is woken straight out of a fence's signal, by one of its call-backs, waited for
 * that fence by other means than dma_fence_wait(), such as drm_syncobj_array_wait_timeout(), or
 * poll() of a sync_file. So it is said of fences of its own process: a timer may wake it as
 * another's is signalled. Sets of whose request the fence is. NULL: it is not so, or that is not
 * known.
 */
static const struct lane_request *find_awaited(const struct lane_timeline *tl,
					       const struct lane_thr *thr,
					       const struct lane_event *event,
					       struct lane_request *of)
{
	const struct lane_cpu *cpu = timeline_cpu_at(tl, event->cpu);
	const struct lane_rq *rq;
	struct lane_ctx *ctx;

	if (!thr->pub.is_interesting || !is_call_back(cpu, thr, event))
		return NULL;
	ctx = timeline_context_by_fence(tl, cpu->signal_ctx);
	if (!ctx || !thr->pub.client || ctx->pub.client != thr->pub.client)
		return NULL;
	*of = (struct lane_request){ .context = &ctx->pub, .seqno = cpu->signal_seqno };
	rq = lane_table_get(&tl->requests, ctx->pub.id, of->seqno);
	if (rq)
		of->engine = rq->pub.engine;
	else if (of->seqno >= ctx->on_from && of->seqno <= ctx->on_last)
		of->engine = ctx->engine;
	return of->engine ? of : NULL;
}

/*
 * try_to_wake_up() wakes who sleeps (ttwu_state_match(), kernel/sched/core.c): a thread that was
 * woken, and is woken again, ran and slept in between. One that was preempted may have been about
 * to sleep.
 */
static bool has_run_since_woken(const struct lane_thr *thr, const struct lane_event *event)
{
	return thr->pub.state == LANE_THREAD_RUNNABLE && !thr->pub.preempted &&
	       (event->wire.kind == LANE_WAKING || !thr->is_waking);
}

/* thr ran, unseen, and sleeps now. */
static void slept_unseen(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns)
{
	if (timeline_sees(tl, LANE_SWITCH) && !timeline_thread_is_unknown(tl, thr, now_ns))
		tl->figures.contradictions++;
	thr->pub.state = LANE_THREAD_UNKNOWN;
	dequeue(tl, thr, -1, now_ns);
	thr->waker = -1;
}

void timeline_thread_wakeup(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_sched_wakeup *wake = &event->u.sched_wakeup;
	struct lane_thr *thr = timeline_thread_get(tl, wake->tid);
	struct lane_request of;

	if (!thr)
		return;
	name(tl, thr, wake->comm);
	if (has_run_since_woken(thr, event))
		slept_unseen(tl, thr, event->wire.ts_ns);
	note_waking(tl, thr, event);
	/* Of a stranger that acts for others it is not recorded how it went to sleep. */
	if (thr->pub.state == LANE_THREAD_RUNNING && thr->is_actor && timeline_is_stranger(tl, thr))
		thr->pub.state = LANE_THREAD_UNKNOWN;
	if (thr->pub.state == LANE_THREAD_RUNNING || thr->pub.state == LANE_THREAD_RUNNABLE)
		return;
	if (thr->waker < 0)
		thr->waker = event->wire.tid;
	thr->woken_for = find_awaited(tl, thr, event, &of);
	thr->is_being_woken = event->wire.kind == LANE_WAKING;
	set_state(tl, thr, LANE_THREAD_RUNNABLE, event->wire.ts_ns);
	thr->woken_for = NULL;
	thr->is_being_woken = false;
	timeline_actor_woken(tl, thr, event);
	thr->pub.preempted = false;
	thr->pub.cpu = (int32_t)wake->target_cpu;
	thread_enqueue(tl, thr, (int32_t)wake->target_cpu, event->wire.ts_ns);
}

void timeline_thread_migrate(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_sched_migrate_task *move = &event->u.sched_migrate_task;
	struct lane_thr *thr = timeline_thread_get(tl, move->tid);

	if (!thr || thr->queued_on < 0)
		return;
	dequeue(tl, thr, thr->queued_on, event->wire.ts_ns);
	thr->pub.cpu = (int32_t)move->dest_cpu;
	thread_enqueue(tl, thr, (int32_t)move->dest_cpu, event->wire.ts_ns);
}

/* The thread turns out to run: since when is not known. */
static void runs_unseen(struct lane_timeline *tl, struct lane_thr *thr, int32_t cpu,
			uint64_t now_ns)
{
	thr->pub.state = LANE_THREAD_UNKNOWN;
	dequeue(tl, thr, -1, now_ns);
	thr->pub.cpu = cpu;
	set_state(tl, thr, LANE_THREAD_RUNNING, now_ns);
}

void timeline_thread_turns_up(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_cpu *cpu = &tl->cpus[event->cpu];
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);

	has_cpu(tl, event->wire.tid, event->cpu, event->wire.ts_ns);
	if (cpu->tid >= 0)
		return;
	cpu->tid = event->wire.tid;
	cpu->since_ns = event->wire.ts_ns;
	if (!thr)
		return;
	memcpy(cpu->comm, thr->pub.comm, sizeof(cpu->comm));
	runs_unseen(tl, thr, event->cpu, event->wire.ts_ns);
}

static void on_exec(const struct lane_timeline *tl, struct lane_thr *thr,
		    const struct lane_p_sched_process_exec *exec)
{
	const char *slash = memrchr(exec->filename, '/', sizeof(exec->filename));
	const char *base = slash ? slash + 1 : exec->filename;
	char comm[16] = "";

	memcpy(comm, base,
	       strnlen(base,
		       sizeof(comm) - 1 < (size_t)(exec->filename + sizeof(exec->filename) - base)
			       ? sizeof(comm) - 1
			       : (size_t)(exec->filename + sizeof(exec->filename) - base)));
	name(tl, thr, comm);
}

void timeline_process_event(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_thr *thr;

	switch (event->wire.kind) {
	case LANE_FORK:
		thr = timeline_thread_get(tl, event->u.sched_process_fork.child_tid);
		if (!thr)
			return;
		thr->pub.pid = event->u.sched_process_fork.child_pid;
		thr->is_followed = true; /* only followed ones are recorded */
		thr->is_dying = false;	 /* an older thread of this number has gone */
		name(tl, thr, event->u.sched_process_fork.child_comm);
		break;
	case LANE_EXEC:
		thr = timeline_thread_get(tl, event->u.sched_process_exec.tid);
		if (!thr)
			return;
		thr->is_followed = true;
		on_exec(tl, thr, &event->u.sched_process_exec);
		break;
	case LANE_EXIT:
		thr = timeline_thread_get(tl, event->u.sched_process_exit.tid);
		if (thr)
			thr->is_dying = true;
		break;
	case LANE_STATEDUMP:
		thr = timeline_thread_get(tl, event->u.lttng_statedump_process_state.tid);
		if (!thr)
			return;
		if (event->u.lttng_statedump_process_state.pid >= 0)
			thr->pub.pid = event->u.lttng_statedump_process_state.pid;
		thr->is_followed = true;
		if (!thr->pub.comm[0] || thr->is_name_told) {
			name(tl, thr, event->u.lttng_statedump_process_state.name);
			thr->is_name_told = true;
		}
		break;
	default:
		break;
	}
}

void timeline_thread_flush(struct lane_timeline *tl, struct lane_thr *thr, uint64_t now_ns)
{
	dequeue(tl, thr, timeline_sees(tl, LANE_MIGRATE) || tl->n_cpus == 1 ? thr->queued_on : -1,
		now_ns);
	if (tl->n_losses && timeline_loss_between(tl, thr->pub.since_ns, now_ns) &&
	    timeline_thread_may_have_moved(tl, thr, now_ns))
		thr->pub.state = LANE_THREAD_UNKNOWN;
	/* A name alone says nothing of what the thread did. */
	if (thr->pub.is_interesting && (!thr->is_name_told || thr->pub.client || thr->wait ||
					thr->pub.state != LANE_THREAD_UNKNOWN))
		set_state(tl, thr, thr->pub.state, now_ns);
}

void timeline_follow_all(struct lane_timeline *tl)
{
	tl->follows_all = true;
}

/* ---- waits ---- */

bool timeline_wait_cut(struct lane_timeline *tl, struct lane_rq *rq)
{
	bool is_cut = rq->waiters != NULL;

	while (rq->waiters)
		drop_wait(tl, rq->waiters);
	return is_cut;
}

/* An event came in the thread: so the thread runs. */
static void acts(struct lane_timeline *tl, struct lane_thr *thr, const struct lane_event *event)
{
	if (thr->pub.state == LANE_THREAD_RUNNING || thr->pub.state == LANE_THREAD_UNKNOWN)
		return;
	runs_unseen(tl, thr, event->cpu, event->wire.ts_ns);
	thr->is_wait_unsure = true;
}

struct lane_thr *timeline_thread_divide(struct lane_timeline *tl, const struct lane_event *event)
{
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);

	if (!thr)
		return NULL;
	timeline_thread_interesting(tl, thr);
	belongs(tl, thr, event->wire.pid);
	acts(tl, thr, event);
	set_state(tl, thr, thr->pub.state, event->wire.ts_ns);
	return thr;
}

struct lane_rq *timeline_wait_missed(struct lane_timeline *tl, int32_t tid)
{
	struct lane_thr *thr = timeline_thread_get(tl, tid);
	struct lane_rq *rq = thr && thr->wait ? thr->wait->rq : NULL;

	if (rq)
		drop_wait(tl, thr->wait);
	return rq;
}

void timeline_wait_begin(struct lane_timeline *tl, struct lane_rq *rq,
			 const struct lane_event *event)
{
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);
	struct lane_waiter *waiter;

	if (!thr)
		return;
	waiter = lane_pool_get(&tl->waiter_pool);
	if (!waiter) {
		tl->no_memory = true;
		return;
	}
	timeline_thread_interesting(tl, thr);
	belongs(tl, thr, event->wire.pid);
	acts(tl, thr, event);
	/* From here on blocked time counts as waiting for the request. */
	set_state(tl, thr, thr->pub.state, event->wire.ts_ns);
	thr->is_wait_unsure = false;
	waiter->thr = thr;
	waiter->may_have_slept = timeline_is_stranger(tl, thr);
	waiter->rq = rq;
	waiter->end_kind = (uint16_t)(event->wire.kind + 1);
	waiter->has_left_cpu = event->wire.kind == LANE_SYNCOBJ_WAIT; /* it does not poll */
	if (rq->pub.seen & LANE_SEEN_SIGNAL) { /* it was signalled before the wait began */
		waiter->signal_ns = event->wire.ts_ns;
		waiter->runnable_at_signal = timeline_thread_runnable(thr, event->wire.ts_ns);
	}
	waiter->begin_ns = event->wire.ts_ns;
	waiter->next = rq->waiters;
	if (rq->waiters)
		rq->waiters->prev = waiter;
	rq->waiters = waiter;
	thr->wait = waiter;
}

void timeline_wait_signalled(struct lane_timeline *tl, struct lane_rq *rq, uint64_t now_ns)
{
	(void)tl;
	for (struct lane_waiter *waiter = rq->waiters; waiter; waiter = waiter->next) {
		waiter->signal_ns = now_ns;
		waiter->runnable_at_signal = timeline_thread_runnable(waiter->thr, now_ns);
	}
}

bool timeline_wait_looks(const struct lane_timeline *tl, const struct lane_waiter *waiter)
{
	return timeline_sees(tl, LANE_SWITCH) && !waiter->has_left_cpu &&
	       !timeline_is_stranger(tl, waiter->thr);
}

/* Keeps the wake-up times of the request's longest wait. */
static void keep_longest(struct lane_request *rq, const struct lane_wait *wait)
{
	uint64_t wake_ns = wait->end_ns - wait->signal_ns;

	if (wake_ns < rq->wake_ns)
		return;
	rq->wake_ns = wake_ns;
	rq->wake_runqueue_ns = wait->runqueue_ns;
	rq->wake_runqueue_known = wait->runqueue_known;
}

static void tell_wait(struct lane_timeline *tl, struct lane_waiter *waiter, uint64_t now_ns)
{
	struct lane_thr *thr = waiter->thr;
	struct lane_request *rq = &waiter->rq->pub;
	struct lane_wait wait = { .thread = &thr->pub,
				  .request = rq,
				  .begin_ns = waiter->begin_ns,
				  .end_ns = now_ns,
				  .signal_ns = waiter->signal_ns,
				  .slept = waiter->slept };
	bool whole = !tl->n_losses || !timeline_loss_between(tl, waiter->begin_ns, now_ns);

	rq->waits++;
	if (waiter->signal_ns) {
		wait.runqueue_ns =
			timeline_thread_runnable(thr, now_ns) - waiter->runnable_at_signal;
		wait.runqueue_known = whole && timeline_sees(tl, LANE_SWITCH) &&
				      timeline_sees(tl, LANE_WAKING) &&
				      thr->pub.state == LANE_THREAD_RUNNING &&
				      !thr->is_wait_unsure && !waiter->may_have_slept;
		keep_longest(rq, &wait);
	}
	wait.slept_known = waiter->slept ||
			   (whole && timeline_sees(tl, LANE_SWITCH) && !waiter->may_have_slept);
	if (tl->hooks.wait)
		tl->hooks.wait(tl->hooks.arg, &wait);
}

bool timeline_wait_end(struct lane_timeline *tl, struct lane_rq *rq, const struct lane_event *event)
{
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);
	struct lane_waiter *waiter = thr ? thr->wait : NULL;

	if (!waiter || waiter->rq != rq)
		return false;
	acts(tl, thr, event);
	set_state(tl, thr, thr->pub.state, event->wire.ts_ns);
	tell_wait(tl, waiter, event->wire.ts_ns);
	drop_wait(tl, waiter);
	return !rq->waiters;
}

/*
 * A process has submitted rq. Whoever has the file of a context may submit to it
 * (i915_gem_execbuffer2_ioctl()). Without a known process (is_guess) the thread stands for it: two
 * threads may be of one process.
 */
static void set_client(struct lane_timeline *tl, struct lane_rq *rq, int32_t pid, bool is_guess)
{
	struct lane_ctx *ctx = (struct lane_ctx *)rq->pub.context;
	bool is_first = ctx->pub.client->pid < 0 && !ctx->pub.is_shared;
	struct lane_client *client;

	if (is_guess && !is_first)
		return;
	client = timeline_client_get(tl, pid);
	if (!client)
		return;
	if (!is_guess)
		rq->pub.client = client;
	if (is_first || ctx->is_client_guessed) {
		ctx->pub.client = client;
		ctx->is_client_guessed = is_guess;
	} else if (ctx->pub.client != client && !ctx->pub.is_shared) {
		ctx->pub.is_shared = true;
		ctx->pub.client = timeline_client_get(tl, -1);
	}
}

struct lane_thr *timeline_thread_submits(struct lane_timeline *tl, struct lane_rq *rq,
					 const struct lane_event *event)
{
	struct lane_thr *thr = timeline_thread_get(tl, event->wire.tid);
	int32_t pid = event->wire.pid;
	struct lane_client *client;
	bool is_guess;

	if (thr)
		belongs(tl, thr, pid);
	if (pid < 0 && thr)
		pid = thr->pub.pid;
	is_guess = pid < 0 && thr;
	if (is_guess)
		pid = thr->pub.tid;
	if (rq->pub.tid < 0) {
		rq->pub.tid = event->wire.tid;
		rq->pub.pid = pid;
	}
	if (!rq->pub.client && pid >= 0)
		set_client(tl, rq, pid, is_guess);
	if (!thr)
		return NULL;
	timeline_thread_interesting(tl, thr);
	if (!rq->pub.stack.user && !rq->pub.stack.kernel)
		rq->pub.stack = timeline_stack_take(thr, LANE_STACK_SUBMITS, event->wire.ts_ns);
	acts(tl, thr, event);
	client = timeline_client_of(&rq->pub);
	if (client->pid < 0)
		return thr;
	thr->pub.client = client;
	if (!client->comm[0])
		memcpy(client->comm, thr->pub.comm, sizeof(client->comm));
	return thr;
}

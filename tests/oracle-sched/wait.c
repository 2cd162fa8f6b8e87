/* SPDX-License-Identifier: MIT */
/* Wait queues and completions: Linux 6.12, kernel/sched/wait.c, kernel/sched/completion.c. */
#include "sched.h"

struct waiter {
	struct link link;
	struct fiber *thread;
};

void waiters_init(struct waiters *waiters)
{
	list_init(&waiters->list);
}

void wait_once(struct waiters *waiters, char state, uint64_t until, uint64_t poll)
{
	struct waiter waiter = { .thread = current_thread() };

	if (!machine.watcher) {
		sleep_for(poll);
		return;
	}
	list_insert(&waiter.link, &waiters->list);
	prepare_to_sleep_in(state);
	if (until != FOREVER)
		set_alarm(until);
	schedule();
	finish_sleep();
	cancel_alarm();
	list_remove(&waiter.link);
}

/* Waking takes time, in which a waiter may leave the list. */
void wake_all(struct waiters *waiters)
{
	while (!list_empty(&waiters->list)) {
		struct link *first = waiters->list.next;
		struct fiber *thread = container(first, struct waiter, link)->thread;

		list_remove(first);
		wake(thread);
	}
}

// SPDX-License-Identifier: MIT
// The flag that ^C sets.
#include "base/stop.h"

#include <pthread.h>
#include <unistd.h>

volatile sig_atomic_t lane_stop_signal;

static void on_stop(int signal)
{
	lane_stop_signal = signal;
}

void lane_stop_catch(void)
{
	struct sigaction action = { .sa_handler = on_stop };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

static void *wait_for_stop(void *arg)
{
	sigset_t set;
	int got;

	(void)arg;
	stop_signals(&set);
	if (sigwait(&set, &got) == 0) {
		signal(got, SIG_DFL);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		raise(got);
		_exit(128 + got); /* somebody has caught it again */
	}
	return NULL;
}

bool lane_stop_at_once(void)
{
	sigset_t set, before;
	pthread_t thread;

	stop_signals(&set);
	if (pthread_sigmask(SIG_BLOCK, &set, &before) != 0)
		return false;
	if (pthread_create(&thread, NULL, wait_for_stop, NULL) != 0) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		return false;
	}
	pthread_detach(thread);
	return true;
}

// SPDX-License-Identifier: MIT
// The flag that ^C sets.
#include "base/stop.h"

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

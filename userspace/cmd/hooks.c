// SPDX-License-Identifier: MIT
// Tells several subscribers of a timeline what it tells.
#include "cmd/hooks.h"

/* FAN(hook, parameters, arguments): a function that calls that hook of everyone who has it. */
#define FAN(hook, parameters, arguments)                                                           \
	static void on_##hook parameters                                                           \
	{                                                                                          \
		const struct lane_fan *fan = arg;                                                  \
                                                                                                   \
		for (size_t i = 0; i < fan->n; i++) {                                              \
			const struct lane_hooks *to = &fan->to[i];                                 \
                                                                                                   \
			arg = to->arg;                                                             \
			if (to->hook)                                                              \
				to->hook arguments;                                                \
		}                                                                                  \
	}

FAN(request, (void *arg, const struct lane_request *rq), (arg, rq))
FAN(state,
    (void *arg, const struct lane_request *rq, enum lane_request_state from, uint64_t now_ns),
    (arg, rq, from, now_ns))
FAN(queue,
    (void *arg, const struct lane_engine *engine, enum lane_queue queue,
     const struct lane_request *rq, int delta, uint64_t now_ns),
    (arg, engine, queue, rq, delta, now_ns))
FAN(run, (void *arg, const struct lane_run *run), (arg, run))
FAN(preemption, (void *arg, const struct lane_preemption *preemption), (arg, preemption))
FAN(idle, (void *arg, const struct lane_idle *idle), (arg, idle))
FAN(thread, (void *arg, const struct lane_thread_interval *interval), (arg, interval))
FAN(starvation, (void *arg, const struct lane_starvation *starvation), (arg, starvation))
FAN(wait, (void *arg, const struct lane_wait *wait), (arg, wait))
FAN(loss, (void *arg, const struct lane_loss *loss), (arg, loss))
FAN(call, (void *arg, const struct lane_call *call), (arg, call))
FAN(command, (void *arg, const struct lane_command *command), (arg, command))

struct lane_hooks lane_fan_hooks(struct lane_fan *fan)
{
	return (struct lane_hooks){
		.arg = fan,
		.request = on_request,
		.state = on_state,
		.queue = on_queue,
		.run = on_run,
		.preemption = on_preemption,
		.idle = on_idle,
		.thread = on_thread,
		.starvation = on_starvation,
		.wait = on_wait,
		.loss = on_loss,
		.call = on_call,
		.command = on_command,
	};
}

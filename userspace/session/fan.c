// SPDX-License-Identifier: MIT
// Tells several subscribers of a timeline what it tells.
#include "session/fan.h"

/* For each hook a function that calls it of everyone who has it. */
#define H(hook, parameters, arguments)                                                             \
	static void on_##hook parameters                                                           \
	{                                                                                          \
		const struct session_fan *fan = arg;                                               \
                                                                                                   \
		for (size_t i = 0; i < fan->n; i++) {                                              \
			const struct lane_hooks *to = &fan->to[i];                                 \
                                                                                                   \
			arg = to->arg;                                                             \
			if (to->hook)                                                              \
				to->hook arguments;                                                \
		}                                                                                  \
	}
LANE_HOOKS(H)
#undef H

struct lane_hooks session_fan_hooks(struct session_fan *fan)
{
	struct lane_hooks hooks = { .arg = fan };

#define H(hook, parameters, arguments) hooks.hook = on_##hook;
	LANE_HOOKS(H)
#undef H
	return hooks;
}

// SPDX-License-Identifier: MIT
// The stages of one OpenCL command, from its call until the program notices its completion.
#include "latency/commands.h"

#include <string.h>

const char *const lane_command_stage_names[LANE_CSTAGE_COUNT] = {
#define S(id, name) [LANE_CSTAGE_##id] = name,
	LANE_COMMAND_STAGES(S)
#undef S
};

const char *const lane_gap_names[LANE_GAP_COUNT] = {
	[LANE_GAP_UNNOTICED] = "unnoticed",
	[LANE_GAP_MAYBE_UNNOTICED] = "maybe_unnoticed",
	[LANE_GAP_BUILD] = "build",
	[LANE_GAP_OTHER] = "other_call",
	[LANE_GAP_PROGRAM] = "program",
	[LANE_GAP_CALL] = "call",
	[LANE_GAP_HELD] = "held",
	[LANE_GAP_HOST_QUEUE] = "host_queue",
	[LANE_GAP_DEVICE_QUEUE] = "device_queue",
	[LANE_GAP_QUEUE_OR_BEFORE] = "queue_or_before",
	[LANE_GAP_BEFORE] = "before",
	[LANE_GAP_PREEMPTED] = "preempted",
};

static uint64_t within(uint64_t ns, uint64_t lo, uint64_t hi)
{
	return ns < lo ? lo : ns > hi ? hi : ns;
}

uint64_t latency_command_off(const struct lane_command *command)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < command->n_off; i++)
		ns += command->off[i].hi - command->off[i].lo;
	return ns;
}

/* Sets the begins of the stages that a request tells, or, without one, the device's own submission
 * time. */
static void place_stages(const struct lane_command *command, const struct lane_request *first,
			 struct lane_command_stages *stages)
{
	uint64_t *at_ns = stages->at_ns, start_ns = at_ns[LANE_CSTAGE_RUNNING];
	uint64_t end_ns = at_ns[LANE_CSTAGE_SIGNAL];
	uint64_t made_ns = command->time_ns[LANE_COMMAND_SUBMITTED];

	if (first)
		made_ns = first->seen & LANE_SEEN_QUEUE ? first->queue_ns : first->add_ns;
	made_ns = within(made_ns, command->call_ns, start_ns);
	at_ns[LANE_CSTAGE_HELD] = made_ns;
	if (command->return_ns)
		at_ns[LANE_CSTAGE_HELD] = within(command->return_ns, command->call_ns, made_ns);
	at_ns[LANE_CSTAGE_HOST_QUEUE] = made_ns;
	at_ns[LANE_CSTAGE_DEVICE_QUEUE] = made_ns;
	if (first && first->seen & LANE_SEEN_EXECUTE)
		at_ns[LANE_CSTAGE_DEVICE_QUEUE] = within(first->execute_ns, made_ns, start_ns);
	at_ns[LANE_CSTAGE_QUEUE_OR_BEFORE] = at_ns[LANE_CSTAGE_BEFORE] = start_ns;
	if (first && timeline_has_started(first)) {
		uint64_t since_ns = at_ns[LANE_CSTAGE_DEVICE_QUEUE];

		at_ns[LANE_CSTAGE_QUEUE_OR_BEFORE] = within(first->start.lo, since_ns, start_ns);
		at_ns[LANE_CSTAGE_BEFORE] = within(first->start.hi, since_ns, start_ns);
	}
	at_ns[LANE_CSTAGE_UNNOTICED] = end_ns;
	if (first && command->last_request->seen & LANE_SEEN_SIGNAL)
		at_ns[LANE_CSTAGE_UNNOTICED] =
			within(command->last_request->signal_ns, end_ns, command->known_ns);
	stages->possible = (1u << LANE_CSTAGE_COUNT) - 1;
	if (!command->n_off)
		stages->possible &= (uint16_t) ~(1u << LANE_CSTAGE_PREEMPTED);
	if (at_ns[LANE_CSTAGE_QUEUE_OR_BEFORE] == at_ns[LANE_CSTAGE_BEFORE])
		stages->possible &= (uint16_t) ~(1u << LANE_CSTAGE_QUEUE_OR_BEFORE);
	if (!first)
		stages->possible &=
			(uint16_t) ~(1u << LANE_CSTAGE_HOST_QUEUE | 1u << LANE_CSTAGE_BEFORE |
				     1u << LANE_CSTAGE_SIGNAL);
}

void latency_command_stages_of(const struct lane_command *command,
			       struct lane_command_stages *stages)
{
	const struct lane_request *first = command->request;
	uint64_t *at_ns = stages->at_ns;

	memset(stages, 0, sizeof(*stages));
	stages->known = command->timed && command->call_ns && command->known_ns >= command->call_ns;
	if (!stages->known)
		return;
	at_ns[LANE_CSTAGE_CALL] = command->call_ns;
	at_ns[LANE_CSTAGE_RUNNING] =
		within(command->time_ns[LANE_COMMAND_START], command->call_ns, command->known_ns);
	at_ns[LANE_CSTAGE_SIGNAL] = within(command->time_ns[LANE_COMMAND_END],
					   at_ns[LANE_CSTAGE_RUNNING], command->known_ns);
	at_ns[LANE_CSTAGE_PREEMPTED] = at_ns[LANE_CSTAGE_SIGNAL] - latency_command_off(command);
	at_ns[LANE_CSTAGE_COUNT] = command->known_ns;
	/* When a burst was handed over and was over says nothing of a command in it. */
	if (first && first->doubt & LANE_DOUBT_BURST)
		first = NULL;
	place_stages(command, first, stages);
	for (int i = 0; i < LANE_CSTAGE_COUNT; i++)
		stages->ns[i] = at_ns[i + 1] - at_ns[i];
}

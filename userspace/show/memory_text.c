// SPDX-License-Identifier: MIT
// What memory held up: sentences, a table, JSON.
#include "show/memory_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "show/json.h"
#include "show/report.h"

#define MAX_SENTENCES 3

/* How the sentence says it, behind "for 2.9 of the 3.0 ms (96 %) that it took longer, ". */
static const struct {
	const char *said, *advice;
} causes[LANE_STALL_CAUSES] = {
	[LANE_STALL_RECLAIM] = { "its thread was in direct reclaim: the machine had no memory free",
				 "use less of the machine's memory, or give the program's cgroup "
				 "more (memory.low, memory.high)" },
	[LANE_STALL_MEMORY] = { "its thread stalled on memory: it was swapped in, compacted or "
				"held back",
				"see memory.pressure and memory.high of the program's cgroup" },
	[LANE_STALL_USERPTR] = { "its thread waited until the GPU no more used pages of its own",
				 "do not unmap or change memory that the GPU uses; allocate such "
				 "memory once" },
	[LANE_STALL_REBIND] = { "its queues were off the GPU, while its memory was bound anew",
				"use less of the GPU's memory at a time, and do not change memory "
				"that the GPU uses" },
	[LANE_STALL_FAULT] = { "the GPU waited for pages of its memory",
			       "have the memory in its place before the GPU needs it (prefetch)" },
	[LANE_STALL_MOVE] = { "it waited for memory to be moved",
			      "use less of the GPU's memory at a time: what is moved out is moved "
			      "back when it is used" },
	[LANE_STALL_EVICTION] = { "its thread made room in the GPU's address space",
				  "use less of the GPU's address space at a time" },
	[LANE_STALL_RESUME] = { "a device that had been suspended was woken",
				"keep it from being suspended (power/control: on), and compare" },
	[LANE_STALL_PREEMPT] = { "another queue had to leave the GPU first, and still ran",
				 "use less of the GPU's memory at a time: what is moved out is in "
				 "use" },
	[LANE_STALL_BIND] = { "memory was bound to the GPU's addresses (VM_BIND)",
			      "allocate and free the GPU's memory once, not in the loop" },
	[LANE_STALL_USER_FENCE] = { "its thread waited in the kernel for a user fence",
				    "see whether its memory was bound meanwhile: `bind`" },
	[LANE_STALL_MODE] = { "its thread waited until the engines had changed their mode",
			      "run programs with and without page faults one after the other" },
	[LANE_STALL_RESTART] = { "its ring had stopped, and the kernel was asked to start it",
				 "submit something every few ms, or see whether the time-out fits "
				 "(NEOReadDebugKeys=1 DirectSubmissionControllerTimeout=US)" },
	[LANE_STALL_SLEEP] = { "its thread had been woken, and its CPU slept",
			       "keep that CPU from deep sleep (cpupower idle-set -D 10), or poll "
			       "for a short time before sleeping" },
};

static const char *const late_names[LANE_LATES] = {
	[LANE_LATE_REQUEST] = "request", [LANE_LATE_SUBMIT] = "submission",
	[LANE_LATE_COMMAND] = "command", [LANE_LATE_WAITED] = "command",
	[LANE_LATE_CALL] = "call",	 [LANE_LATE_START] = "start",
};

static const char *const late_verbs[LANE_LATES] = {
	[LANE_LATE_REQUEST] = "took",  [LANE_LATE_SUBMIT] = "came", [LANE_LATE_COMMAND] = "ran",
	[LANE_LATE_WAITED] = "waited", [LANE_LATE_CALL] = "took",   [LANE_LATE_START] = "started",
};

static const struct lane_client *client_of(const struct lane_latency *l, int32_t pid)
{
	for (uint32_t i = 0; i < l->n_clients; i++)
		if (l->clients[i].client && l->clients[i].client->pid == pid)
			return l->clients[i].client;
	return NULL;
}

static const char *who(const struct lane_latency *l, const struct lane_stall_sum *sum, char *buffer,
		       size_t size)
{
	const struct lane_client *client = sum->pid > 0 ? client_of(l, sum->pid) : NULL;

	if (client)
		return show_client_name(client, buffer, size);
	if (sum->pid <= 0)
		return "unknown";
	return show_task_name(sum->pid, sum->comm, buffer, size);
}

/* ": vram0 to system, 64.0 MiB in 3 moves of other[300]" */
static void say_move(const struct lane_latency *l, const struct lane_stall_sum *sum, char *text,
		     size_t size)
{
	show_append(text, size, " (%s to %s: %s in %" PRIu64 " move%s by %s)", sum->from, sum->to,
		    SHOW_BYTES(sum->bytes), sum->count, lane_s(sum->count),
		    who(l, sum, SHOW_ROOM(64)));
}

/* "C6, at most 133 us to leave" */
static void say_state(const struct lane_stall_sum *sum, char *text, size_t size)
{
	if (sum->leave_ns == UINT64_MAX)
		snprintf(text, size, "%s", sum->from);
	else
		snprintf(text, size, "%s, at most %s to leave", sum->from,
			 SHOW_DURATION(sum->leave_ns));
}

const char *show_sleep_text(const struct lane_latency *latency, const char *state, char *text,
			    size_t size)
{
	struct lane_stall_sum is = { .leave_ns = UINT64_MAX };

	memcpy(is.from, state, sizeof(is.from));
	for (uint32_t i = 0; i < latency->memory.n; i++)
		if (latency->memory.sums[i].cause == LANE_STALL_SLEEP &&
		    !strcmp(latency->memory.sums[i].from, state))
			is = latency->memory.sums[i];
	say_state(&is, text, size);
	return lane_clean(text, LANE_CLEAN_LINE);
}

/* " (C6, at most 133 us to leave; set to 800 MHz then)" */
static void say_sleep(const struct lane_stall_sum *sum, char *text, size_t size)
{
	char state[64];

	say_state(sum, state, sizeof(state));
	show_append(text, size, " (%s", state);
	if (sum->khz_lo && sum->khz_lo == sum->khz_hi)
		show_append(text, size, "; set to %" PRIu32 " MHz then", sum->khz_lo / 1000);
	else if (sum->khz_lo)
		show_append(text, size, "; set to %" PRIu32 " to %" PRIu32 " MHz then",
			    sum->khz_lo / 1000, sum->khz_hi / 1000);
	show_append(text, size, ")");
}

bool show_memory_sentence(const struct lane_latency *latency, unsigned int i, char *text,
			  size_t size, const char **advice)
{
	const struct lane_memory *memory = &latency->memory;
	const struct lane_late *late = &memory->lates[i];
	uint64_t more_ns;

	if (i >= memory->n_lates || i >= MAX_SENTENCES)
		return false;
	*advice = causes[late->cause].advice;
	more_ns = late->late_ns - late->n_late * late->typical_ns;
	snprintf(text, size, "%" PRIu64 " of %" PRIu64 " %ss of %s %s ", late->n_late, late->n,
		 late->what == LANE_LATE_START ? "command" : late_names[late->what],
		 SHOW_CLIENT(late->client), late_verbs[late->what]);
	show_append(text, size, "%s%s, typically %s; for ",
		    SHOW_DURATION(late->late_ns / late->n_late),
		    late->what == LANE_LATE_SUBMIT  ? " after the one before"
		    : late->what == LANE_LATE_START ? " after their call"
						    : "",
		    SHOW_DURATION(late->typical_ns));
	show_append(text, size, "at least %s of what %s more, %s",
		    show_part_text(late->explained_ns / late->n_late, more_ns / late->n_late,
				   show_percent(late->explained_ns, more_ns, 0), SHOW_ROOM(96)),
		    late->n_late == 1 ? "it took" : "they took", causes[late->cause].said);
	if (late->cause == LANE_STALL_MOVE)
		say_move(latency, &late->most, text, size);
	else if (late->cause == LANE_STALL_RESUME)
		show_append(text, size, " (%s)", late->most.from);
	else if (late->cause == LANE_STALL_SLEEP)
		say_sleep(&late->most, text, size);
	lane_clean(text, LANE_CLEAN_LINE);
	return true;
}

/* "host 3.4 ms (2)", what the sum lengthened most; "-": nothing is known to be. */
static const char *tied_text(const struct lane_stall_sum *sum, char *buffer, size_t size)
{
	snprintf(buffer, size, "-");
	for (int tie = 0; tie < LANE_LENGTHENED_KINDS; tie++) {
		size_t used = *buffer == '-' ? 0 : strlen(buffer);

		if (sum->tied[tie].n)
			snprintf(buffer + used, size - used, "%s%s %s (%" PRIu64 ")",
				 used ? ", " : "", lane_lengthened_names[tie],
				 SHOW_DURATION(sum->tied[tie].ns), sum->tied[tie].n);
	}
	return buffer;
}

void show_memory_table(const struct lane_tables *t)
{
	const struct lane_latency *latency = t->latency;
	uint32_t rows = t->options->rows;
	const struct lane_memory *memory = &latency->memory;
	char move[40];

	for (uint32_t i = 0; i < memory->n && (!rows || i < rows); i++) {
		const struct lane_stall_sum *s = &memory->sums[i];

		if (!i) {
			show_title(t, "What the kernel did about memory and power, and what that "
				      "lengthened");
			fprintf(t->to, "  %-13s %-24s %-18s %6s %10s %10s %10s  %s\n", "cause",
				"process", "move", "times", "bytes", "lasted", "longest",
				"lengthened");
		}
		snprintf(move, sizeof(move),
			 *s->to	    ? "%s to %s"
			 : *s->from ? "%s"
				    : "-",
			 s->from, s->to);
		lane_clean(move, LANE_CLEAN_LINE);
		fprintf(t->to, "  %-13s %-24s %-18s %6" PRIu64 " %10s %10s %10s  %s\n",
			lane_stall_names[s->cause], who(latency, s, SHOW_ROOM(64)), move, s->count,
			s->bytes ? SHOW_BYTES(s->bytes) : "-", s->ns ? SHOW_DURATION(s->ns) : "-",
			s->max_ns ? SHOW_DURATION(s->max_ns) : "-", tied_text(s, SHOW_ROOM(224)));
	}
}

static void late_tree(const struct lane_latency *latency, struct json_object *tree)
{
	const struct lane_memory *memory = &latency->memory;
	struct json_object *rows = show_json_list(tree, "late");

	for (uint32_t i = 0; i < memory->n_lates; i++) {
		const struct lane_late *late = &memory->lates[i];
		struct json_object *to = show_json_row(rows);

		show_json_text(to, "client", SHOW_CLIENT(late->client));
		show_json_text(to, "what",
			       late->what == LANE_LATE_WAITED ? "wait" : late_names[late->what]);
		show_json_text(to, "cause", lane_stall_names[late->cause]);
		show_json_uint(to, "count", late->n);
		show_json_uint(to, "late", late->n_late);
		show_json_uint(to, "typical_ns", late->typical_ns);
		show_json_uint(to, "late_ns", late->late_ns);
		show_json_uint(to, "excess_ns", late->late_ns - late->n_late * late->typical_ns);
		show_json_uint(to, "explained_min_ns", late->explained_ns);
	}
}

static void sleep_tree(const struct lane_stall_sum *sum, struct json_object *to)
{
	show_json_text(to, "state", sum->from);
	if (sum->leave_ns != UINT64_MAX)
		show_json_uint(to, "leave_max_ns", sum->leave_ns);
	if (sum->khz_lo) {
		show_json_uint(to, "clock_min_khz", sum->khz_lo);
		show_json_uint(to, "clock_max_khz", sum->khz_hi);
	}
}

void show_memory_tree(const struct lane_latency *latency, struct json_object *tree)
{
	const struct lane_memory *memory = &latency->memory;
	struct json_object *rows;

	if (!memory->n)
		return;
	rows = show_json_list(tree, "memory");
	for (uint32_t i = 0; i < memory->n; i++) {
		const struct lane_stall_sum *s = &memory->sums[i];
		struct json_object *to = show_json_row(rows), *tied;

		show_json_text(to, "cause", lane_stall_names[s->cause]);
		show_json_text(to, "process", s->pid > 0 ? who(latency, s, SHOW_ROOM(64)) : NULL);
		if (s->cause == LANE_STALL_MOVE) {
			show_json_text(to, "from", s->from);
			show_json_text(to, "to", s->to);
		}
		if (s->cause == LANE_STALL_RESUME)
			show_json_text(to, "device", s->from);
		if (s->cause == LANE_STALL_SLEEP)
			sleep_tree(s, to);
		show_json_uint(to, "count", s->count);
		show_json_uint(to, "unsure", s->unsure);
		show_json_uint(to, "bytes", s->bytes);
		show_json_uint(to, "lasted_ns", s->ns);
		show_json_uint(to, "longest_ns", s->max_ns);
		show_json_uint(to, "first_ns", s->first_ns);
		tied = show_json_object(to, "lengthened");
		for (int tie = 0; tie < LANE_LENGTHENED_KINDS; tie++) {
			struct json_object *of;

			if (!s->tied[tie].n)
				continue;
			of = show_json_object(tied, lane_lengthened_names[tie]);
			show_json_uint(of, "count", s->tied[tie].n);
			show_json_uint(of, "ns", s->tied[tie].ns);
		}
	}
	late_tree(latency, tree);
}

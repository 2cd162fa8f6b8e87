// SPDX-License-Identifier: MIT
// What memory held up: a table, JSON.
#include "show/report_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "show/report_rows.h"
#include "show/report_tables.def"

const char *show_stall_owner(const struct lane_latency *l, const struct lane_stall_sum *sum,
			     char *buffer, size_t size)
{
	if (sum->pid <= 0)
		return "unknown";
	for (uint32_t i = 0; i < l->n_clients; i++)
		if (l->clients[i].client && l->clients[i].client->pid == sum->pid)
			return show_client_name(l->clients[i].client, buffer, size);
	return show_task_name(sum->pid, sum->comm, buffer, size);
}

const char *show_sleep_state(const struct lane_stall_sum *sum, char *text, size_t size)
{
	if (sum->leave_ns == UINT64_MAX)
		snprintf(text, size, "%s", sum->from);
	else
		snprintf(text, size, "%s, at most %s to leave", sum->from,
			 SHOW_DURATION(sum->leave_ns));
	return lane_clean(text, LANE_CLEAN_LINE);
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
	return show_sleep_state(&is, text, size);
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

static void late_tree(const struct lane_latency *latency, struct json_object *tree)
{
	const struct lane_memory *memory = &latency->memory;
	struct json_object *rows = show_json_list(tree, "late");

	for (uint32_t i = 0; i < memory->n_lates; i++) {
		const struct lane_late *late = &memory->lates[i];
		struct json_object *to = show_json_row(rows);

		show_json_text(to, "client", SHOW_CLIENT(late->client));
		show_json_text(to, "what", lane_late_names[late->what]);
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

static void failed_tree(const struct lane_stall_sum *sum, struct json_object *to)
{
	const char *name = strerrorname_np(-sum->error);

	show_json_uint(to, "failed", sum->failed);
	show_json_text(to, "error", name ? name : "unknown");
	if (sum->cause == LANE_STALL_REFUSED)
		show_json_text(to, "call", sum->from);
}

static void tied_tree(const struct lane_stall_sum *sum, struct json_object *to)
{
	for (int tie = 0; tie < LANE_LENGTHENED_KINDS; tie++) {
		struct json_object *of;

		if (!sum->tied[tie].n)
			continue;
		of = show_json_object(to, lane_lengthened_names[tie]);
		show_json_uint(of, "count", sum->tied[tie].n);
		show_json_uint(of, "ns", sum->tied[tie].ns);
	}
}

/* What was moved from where to where, and what else that is where it is told. */
static void move_cell(struct lane_cells *rows, int width, const struct lane_stall_sum *s)
{
	char move[40];

	snprintf(move, sizeof(move), *s->to ? "%s to %s" : *s->from ? "%s" : "-", s->from, s->to);
	show_cell(rows, width, "%s", lane_clean(move, LANE_CLEAN_LINE));
	if (s->cause == LANE_STALL_MOVE) {
		show_json_text(rows->json, "from", s->from);
		show_json_text(rows->json, "to", s->to);
	}
	if (s->cause == LANE_STALL_RESUME)
		show_json_text(rows->json, "device", s->from);
	if (s->cause == LANE_STALL_WORKER)
		show_json_text(rows->json, "by", s->from);
	if (s->cause == LANE_STALL_SLEEP)
		sleep_tree(s, rows->json);
	if (s->failed)
		failed_tree(s, rows->json);
}

SHOW_TABLE(memory, MEMORY_TABLE, "memory", show_most(t, l->memory.n),
	   "What the kernel did about memory and power, and what that lengthened")

void show_memory_table(const struct lane_tables *t)
{
	if (!t->latency->memory.n)
		return;
	memory(t);
	if (t->tree)
		late_tree(t->latency, t->tree);
}

// SPDX-License-Identifier: MIT
// What memory held up: a table, JSON.
#include "show/memory_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "base/plural.h"
#include "show/json.h"
#include "show/report.h"

static const struct lane_client *client_of(const struct lane_latency *l, int32_t pid)
{
	for (uint32_t i = 0; i < l->n_clients; i++)
		if (l->clients[i].client && l->clients[i].client->pid == pid)
			return l->clients[i].client;
	return NULL;
}

const char *show_stall_owner(const struct lane_latency *l, const struct lane_stall_sum *sum,
			     char *buffer, size_t size)
{
	const struct lane_client *client = sum->pid > 0 ? client_of(l, sum->pid) : NULL;

	if (client)
		return show_client_name(client, buffer, size);
	if (sum->pid <= 0)
		return "unknown";
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
			lane_stall_names[s->cause], show_stall_owner(latency, s, SHOW_ROOM(64)),
			move, s->count, s->bytes ? SHOW_BYTES(s->bytes) : "-",
			s->ns ? SHOW_DURATION(s->ns) : "-",
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
		show_json_text(to, "process",
			       s->pid > 0 ? show_stall_owner(latency, s, SHOW_ROOM(64)) : NULL);
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

// SPDX-License-Identifier: MIT
// What GPUs' drivers told of by tracepoints of their own: a table, JSON.
#include "show/fault_text.h"

#include <inttypes.h>
#include <string.h>

#include "show/json.h"
#include "show/report.h"

void show_fault_table(const struct lane_tables *t)
{
	const struct lane_latency *latency = t->latency;
	uint32_t rows = t->options->rows;
	char job[40];

	for (uint32_t i = 0; i < latency->n_faults && (!rows || i < rows); i++) {
		const struct lane_fault_sum *s = &latency->faults[i];

		if (!i) {
			show_title(t, "What the GPUs' drivers told of");
			fprintf(t->to, "  %-12s %-8s %-14s %-24s %-16s %6s %10s %10s %12s\n",
				"cause", "driver", "engine", "process", "first job", "times",
				"bytes", "lasted", "first at");
		}
		snprintf(job, sizeof(job), "-");
		if (s->context)
			snprintf(job, sizeof(job), "%" PRIu64 ":%u", s->context->ctx, s->seqno);
		fprintf(t->to, "  %-12s %-8s %-14s %-24s %-16s %6" PRIu64 " %10s %10s %10.6f s\n",
			lane_fault_names[s->cause], s->driver,
			s->engine    ? SHOW_ENGINE(s->engine)
			: *s->device ? s->device
				     : "-",
			s->client ? SHOW_CLIENT(s->client) : "-", job, s->count,
			s->bytes ? SHOW_BYTES(s->bytes) : "-",
			s->lasted_ns ? SHOW_DURATION(s->lasted_ns) : "-",
			(double)(s->first_ns - latency->figures.begin_ns) / 1e9);
	}
}

void show_fault_tree(const struct lane_latency *latency, struct json_object *tree)
{
	struct json_object *rows = show_json_list(tree, "causes");

	for (uint32_t i = 0; i < latency->n_faults; i++) {
		const struct lane_fault_sum *s = &latency->faults[i];
		struct json_object *to = show_json_row(rows);

		show_json_text(to, "cause", lane_fault_names[s->cause]);
		show_json_text(to, "event", lane_kinds[s->kind].name);
		show_json_text(to, "driver", s->driver);
		show_json_text(to, "device", s->device);
		show_json_text(to, "engine", s->engine ? SHOW_ENGINE(s->engine) : NULL);
		show_json_text(to, "client",
			       s->client ? show_client_name(s->client, SHOW_ROOM(LANE_SHOW_ENGINE))
					 : NULL);
		if (s->context) {
			show_json_uint(to, "context", s->context->ctx);
			show_json_uint(to, "seqno", s->seqno);
		}
		show_json_uint(to, "count", s->count);
		show_json_uint(to, "bytes", s->bytes);
		show_json_uint(to, "lasted_ns", s->lasted_ns);
		show_json_uint(to, "first_ns", s->first_ns);
	}
}

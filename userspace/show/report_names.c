// SPDX-License-Identifier: MIT
// How reports name engines, processes and durations.
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/percent.h"
#include "base/fit.h"
#include "show/report.h"

const char *const lane_request_state_names[LANE_RQ_STATE_COUNT] = {
#define S(state, name, stage) [LANE_RQ_STATE_##state] = (name),
	LANE_RQ_STATES(S)
#undef S
};

const char *const lane_thread_state_names[LANE_THREAD_STATE_COUNT] = {
	[LANE_THREAD_UNKNOWN] = "unknown",   [LANE_THREAD_RUNNING] = "running",
	[LANE_THREAD_RUNNABLE] = "runnable", [LANE_THREAD_BLOCKED] = "blocked",
	[LANE_THREAD_DEAD] = "dead",
};

static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };

const char *show_engine_name(const struct lane_engine *engine, char *buffer, size_t size)
{
	char whole[LANE_SHOW_ENGINE], device[16] = "", class[16];
	int n;

	if (engine->name) {
		const char *dev = engine->device;

		if (!strncmp(dev, "0000:", 5)) /* the usual domain of PCI */
			dev += 5;
		n = snprintf(whole, sizeof(whole), "%s%s%s", engine->is_one_of_several ? dev : "",
			     engine->is_one_of_several ? "/" : "", engine->name);
		memset(buffer, 0, size);
		lane_fit(buffer, size - 1, whole, (size_t)n);
		return lane_clean(buffer, LANE_CLEAN_LINE);
	}
	if (engine->dev)
		snprintf(device, sizeof(device), "card%u/", engine->dev);
	if (engine->class < sizeof(classes) / sizeof(classes[0]))
		snprintf(class, sizeof(class), "%s", classes[engine->class]);
	else
		snprintf(class, sizeof(class), "%u:", engine->class);
	if (engine->instance == LANE_VIRTUAL_INSTANCE)
		snprintf(buffer, size, "%svirtual-%s", device, class);
	else
		snprintf(buffer, size, "%s%s%u", device, class, engine->instance);
	return buffer;
}

bool show_engine_number(const char *name, uint16_t *class, uint16_t *instance)
{
	bool is_virtual = !strncmp(name, "virtual-", 8);

	for (uint16_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t bytes = strlen(classes[i]);
		const char *number = name + (is_virtual ? 8 : 0);
		char *end;

		if (strncmp(number, classes[i], bytes) != 0)
			continue;
		number += bytes;
		*class = i;
		*instance = LANE_VIRTUAL_INSTANCE;
		if (is_virtual)
			return !*number;
		*instance = (uint16_t)strtoul(number, &end, 10);
		return end != number && !*end;
	}
	return false;
}

const char *show_comm(const char comm[16], char *buffer, size_t size)
{
	snprintf(buffer, size, "%.16s", comm);
	return lane_clean(buffer, LANE_CLEAN_LINE);
}

const char *show_client_name(const struct lane_client *client, char *buffer, size_t size)
{
	if (client->group)
		snprintf(buffer, size, "%s", client->group);
	else if (client->pid < 0)
		snprintf(buffer, size, "unknown");
	else if (client->comm[0])
		snprintf(buffer, size, "%.16s[%d]", client->comm, client->pid);
	else
		snprintf(buffer, size, "%d", client->pid);
	return lane_clean(buffer, LANE_CLEAN_LINE);
}

const char *show_owner_name(const struct lane_context *context, char *buffer, size_t size)
{
	if (!context->is_shared)
		return show_client_name(context->client, buffer, size);
	snprintf(buffer, size, "several processes");
	return buffer;
}

const char *show_submitter_name(const struct lane_context *context, struct lane_client *client,
				char *buffer, size_t size)
{
	client = timeline_one_of_several(context, client);
	return client ? show_client_name(client, buffer, size)
		      : show_owner_name(context, buffer, size);
}

const char *show_task_name(int32_t tid, const char *comm, char *buffer, size_t size)
{
	if (tid < 0)
		snprintf(buffer, size, "unknown");
	else if (!tid && comm[0])
		snprintf(buffer, size, "nobody (CPU in %.16s)", comm);
	else if (!tid)
		snprintf(buffer, size, "nobody (CPU idle)");
	else if (tid >= LANE_TID_SOFTIRQ)
		snprintf(buffer, size, "%.16s", comm);
	else if (comm[0])
		snprintf(buffer, size, "%.16s[%d]", comm, tid);
	else
		snprintf(buffer, size, "%d", tid);
	return lane_clean(buffer, LANE_CLEAN_LINE);
}

const char *show_process_name(const struct lane_latency *latency, int32_t pid, char *buffer,
			      size_t size)
{
	const struct lane_thread *thread = timeline_thread(latency->timeline, pid);
	const char *comm = thread ? thread->comm : "";

	if (!*comm)
		comm = timeline_process_comm(latency->timeline, pid);
	return show_task_name(pid, comm, buffer, size);
}

const char *show_bytes(uint64_t bytes, char *buffer, size_t size)
{
	if (bytes >= 1 << 20)
		snprintf(buffer, size, "%.1f MiB", (double)bytes / (1 << 20));
	else
		snprintf(buffer, size, "%" PRIu64 " KiB", (bytes + 1023) / 1024);
	return buffer;
}

const char *show_duration(uint64_t ns, char *buffer, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double value = (double)ns / (double)units[i].ns;

		if (ns <
		    units[i].ns - units[i].ns / 2000) /* what rounds to 1000 is the next unit's 1 */
			continue;
		snprintf(buffer, size, "%.*f %s",
			 value < 10    ? 2
			 : value < 100 ? 1
				       : 0,
			 value, units[i].unit);
		return buffer;
	}
	snprintf(buffer, size, "%" PRIu64 " ns", ns);
	return buffer;
}

/* Two bounds as they are shown: "2.10..2.35", or "2.10" where they round to the same figure. */
static const char *bounds(const char *lo, const char *hi, const char *unit, char *buffer,
			  size_t size)
{
	if (strcmp(lo, hi) != 0)
		snprintf(buffer, size, "%s..%s%s", lo, hi, unit);
	else
		snprintf(buffer, size, "%s%s", lo, unit);
	return buffer;
}

const char *show_span_text(struct lane_span ns, char *buffer, size_t size)
{
	if (ns.lo == ns.hi)
		return show_duration(ns.lo, buffer, size);
	return bounds(SHOW_DURATION(ns.lo), SHOW_DURATION(ns.hi), "", buffer, size);
}

const char *show_share_text(struct lane_span part, struct lane_span whole, char *buffer,
			    size_t size)
{
	double least = whole.hi ? 100.0 * (double)part.lo / (double)whole.hi : 0;
	double most = whole.lo ? 100.0 * (double)part.hi / (double)whole.lo : 100;
	char lo[32], hi[32];

	snprintf(lo, sizeof(lo), "%.1f", least);
	snprintf(hi, sizeof(hi), "%.1f", most < 100 ? most : 100);
	if (part.lo != part.hi || whole.lo != whole.hi)
		return bounds(lo, hi, " %", buffer, size);
	snprintf(buffer, size, "%s %%", lo);
	return buffer;
}

const char *show_part_text(uint64_t part_ns, uint64_t whole_ns, unsigned int percent, char *buffer,
			   size_t size)
{
	char part[32], whole[32];

	show_duration(part_ns, part, sizeof(part));
	show_duration(whole_ns, whole, sizeof(whole));
	if (!strcmp(part, whole)) {
		snprintf(buffer, size, "all %s", whole);
		return buffer;
	}
	if (!strcmp(strchr(part, ' '), strchr(whole, ' ')))
		*strchr(part, ' ') = 0;
	if (percent && percent < 100)
		snprintf(buffer, size, "%s of %s (%u %%)", part, whole, percent);
	else
		snprintf(buffer, size, "%s of %s", part, whole);
	return buffer;
}

const char *show_rounded_part(uint64_t part_ns, uint64_t whole_ns, char *buffer, size_t size)
{
	return show_part_text(part_ns, whole_ns, lane_percent(part_ns, whole_ns, 0.5), buffer,
			      size);
}

const char *show_times(uint64_t sure, bool is_more, char *buffer, size_t size)
{
	snprintf(buffer, size, "%" PRIu64 "%s", sure, is_more ? "+" : "");
	return sure || !is_more ? buffer : "unknown";
}

void show_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

// SPDX-License-Identifier: MIT
// Bundles of ftrace events: they name their CPU, each is in the order of time, their columns have
// one length, and their names are there.
#include "ftrace_rules.h"

#include <inttypes.h>

typedef Perfetto__Protos__FtraceEventBundle bundle;
typedef Perfetto__Protos__FtraceEventBundle__CompactSched compact_sched;
typedef Perfetto__Protos__FtraceEvent ftrace_event;

static size_t fault(FILE *told, const char *what, const bundle *of)
{
	fprintf(told, "fault: %s (bundle of CPU %" PRIu32 ")\n", what, of->cpu);
	return 1;
}

static size_t check_columns(const bundle *of, FILE *told)
{
	const compact_sched *sched = of->compact_sched;
	size_t n = sched->n_switch_timestamp, wakings = sched->n_waking_timestamp, faults = 0;

	if (sched->n_switch_prev_state != n || sched->n_switch_next_pid != n ||
	    sched->n_switch_next_prio != n || sched->n_switch_next_comm_index != n ||
	    sched->n_waking_pid != wakings || sched->n_waking_target_cpu != wakings ||
	    sched->n_waking_prio != wakings || sched->n_waking_comm_index != wakings)
		return fault(told, "columns of several lengths", of);
	for (size_t i = 0; i < n; i++)
		if (sched->switch_next_comm_index[i] >= sched->n_intern_table ||
		    sched->switch_next_pid[i] < 0)
			faults += fault(told, "a switch to nobody", of);
	for (size_t i = 0; i < wakings; i++)
		if (sched->waking_comm_index[i] >= sched->n_intern_table ||
		    sched->waking_pid[i] < 0)
			faults += fault(told, "nobody is woken", of);
	/* A step back would be a large one. */
	for (size_t i = 1; i < n; i++)
		if (sched->switch_timestamp[i] > INT64_MAX)
			faults += fault(told, "switches go back", of);
	for (size_t i = 1; i < wakings; i++)
		if (sched->waking_timestamp[i] > INT64_MAX)
			faults += fault(told, "wake-ups go back", of);
	return faults;
}

size_t perfetto_ftrace_rules(const bundle *of, FILE *told)
{
	size_t faults = 0;

	if (!of->has_cpu)
		faults += fault(told, "no CPU", of);
	if (!of->n_event && !of->compact_sched)
		faults += fault(told, "no event", of);
	for (size_t i = 0; i < of->n_event; i++) {
		if (of->event[i]->event_case == PERFETTO__PROTOS__FTRACE_EVENT__EVENT__NOT_SET)
			faults += fault(told, "an event of no kind", of);
		if (i && of->event[i]->timestamp < of->event[i - 1]->timestamp)
			faults += fault(told, "events go back", of);
	}
	return faults + (of->compact_sched ? check_columns(of, told) : 0);
}

static void texts(const ftrace_event *event, void (*text)(const char *text))
{
	const char *all[2] = { NULL, NULL };

	switch (event->event_case) {
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_SWITCH:
		all[0] = event->sched_switch->prev_comm;
		all[1] = event->sched_switch->next_comm;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_WAKEUP:
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_WAKING:
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_WAKEUP_NEW: /* of one type */
		all[0] = event->sched_wakeup->comm;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_MIGRATE_TASK:
		all[0] = event->sched_migrate_task->comm;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_PROCESS_FORK:
		all[0] = event->sched_process_fork->parent_comm;
		all[1] = event->sched_process_fork->child_comm;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_PROCESS_EXEC:
		all[0] = event->sched_process_exec->filename;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_SCHED_PROCESS_EXIT:
		all[0] = event->sched_process_exit->comm;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_IRQ_HANDLER_ENTRY:
		all[0] = event->irq_handler_entry->name;
		break;
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_DRM_SCHED_JOB_QUEUE:
	case PERFETTO__PROTOS__FTRACE_EVENT__EVENT_DRM_SCHED_JOB_RUN: /* of one type */
		all[0] = event->drm_sched_job_queue->name;
		all[1] = event->drm_sched_job_queue->dev;
		break;
	default:
		break;
	}
	for (int i = 0; i < 2; i++)
		if (all[i])
			text(all[i]);
}

void perfetto_ftrace_texts(const bundle *of, void (*text)(const char *text))
{
	for (size_t i = 0; i < of->n_event; i++)
		texts(of->event[i], text);
	for (size_t i = 0; of->compact_sched && i < of->compact_sched->n_intern_table; i++)
		text(of->compact_sched->intern_table[i]);
}

void perfetto_tree_texts(const Perfetto__Protos__ProcessTree *tree, void (*text)(const char *text))
{
	for (size_t i = 0; i < tree->n_processes; i++)
		for (size_t k = 0; k < tree->processes[i]->n_cmdline; k++)
			text(tree->processes[i]->cmdline[k]);
	for (size_t i = 0; i < tree->n_threads; i++)
		if (tree->threads[i]->name)
			text(tree->threads[i]->name);
}

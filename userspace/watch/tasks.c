// SPDX-License-Identifier: MIT
// The threads that there are, by what is told of them.
#include "watch/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

/* How many more may be gone before they are looked for again. */
#define MANY_GONE 4096

struct task {
	struct lane_p_lttng_statedump_process_state is;
	uint64_t born_ns; /* 0: it was there at the beginning */
	uint64_t gone_ns; /* 0: it is there */
};

struct lane_tasks {
	struct lane_table table; /* by thread */
	struct lane_pool pool;
	size_t n_gone, kept_gone; /* kept_gone: that the last look left */
	uint64_t looked_ns;	  /* up to when that was */
};

struct lane_error *watch_tasks_create(struct lane_tasks **tasks)
{
	*tasks = calloc(1, sizeof(**tasks));
	if (!*tasks)
		return &lane_enomem;
	(*tasks)->pool.size = sizeof(struct task);
	return NULL;
}

void watch_tasks_destroy(struct lane_tasks *tasks)
{
	if (!tasks)
		return;
	lane_table_free(&tasks->table);
	lane_pool_free(&tasks->pool);
	free(tasks);
}

static struct task *tasks_find(const struct lane_tasks *tasks, int32_t tid)
{
	return lane_table_get(&tasks->table, (uint32_t)tid, 0);
}

/* A task of that number that begins now; what had the number is forgotten. NULL: no memory, or too
 * many. */
static struct task *tasks_begin(struct lane_tasks *tasks, int32_t tid, uint64_t born_ns)
{
	struct task *task = tasks_find(tasks, tid);

	if (task) {
		tasks->n_gone -= task->gone_ns != 0;
	} else {
		if (tasks->table.used >= LANE_TASKS_MAX)
			return NULL;
		task = lane_pool_get(&tasks->pool);
		if (!task || !lane_table_put(&tasks->table, (uint32_t)tid, 0, task))
			return NULL;
	}
	memset(task, 0, sizeof(*task));
	task->is.tid = task->is.vtid = tid;
	task->born_ns = born_ns;
	return task;
}

static void on_fork(struct lane_tasks *tasks, const struct lane_wire *wire,
		    const struct lane_p_sched_process_fork *fork)
{
	const struct task *parent = tasks_find(tasks, fork->parent_tid);
	struct task *task;
	int32_t type = parent ? parent->is.type : 0;

	task = tasks_begin(tasks, fork->child_tid, wire->ts_ns);
	if (!task)
		return;
	task->is.pid = task->is.vpid = fork->child_pid;
	task->is.ppid = task->is.vppid = fork->parent_pid;
	task->is.type = type;
	task->is.mode = 1;
	memcpy(task->is.name, fork->child_comm, sizeof(task->is.name));
}

/* The kernel names a process after the last part of its program's path. */
static void on_exec(struct lane_tasks *tasks, const struct lane_p_sched_process_exec *exec)
{
	struct task *task = tasks_find(tasks, exec->tid);
	char path[sizeof(exec->filename) + 1] = "";
	const char *base;

	if (!task)
		return;
	memcpy(path, exec->filename, sizeof(exec->filename));
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	memset(task->is.name, 0, sizeof(task->is.name));
	memcpy(task->is.name, base, strnlen(base, sizeof(task->is.name) - 1));
}

/* A thread may give itself another name: who leaves a CPU has the name that it has now. */
static void on_switch(struct lane_tasks *tasks, const struct lane_wire *wire,
		      const struct lane_p_sched_switch *sw)
{
	struct task *task = tasks_find(tasks, sw->prev_tid);

	if (sw->prev_tid <= 0 || !sw->prev_comm[0])
		return;
	if (!task) {
		if (wire->tid != sw->prev_tid)
			return;
		task = tasks_begin(tasks, sw->prev_tid, 0);
		if (!task)
			return;
		task->is.pid = task->is.vpid = wire->pid;
		task->is.ppid = task->is.vppid = -1;
		task->is.mode = 1;
	}
	memcpy(task->is.name, sw->prev_comm, sizeof(task->is.name));
}

void watch_tasks_record(struct lane_tasks *tasks, const struct lane_wire *record)
{
	union lane_payload u;
	struct task *task;

	if (record->kind == LANE_SWITCH) {
		memcpy(&u.sched_switch, record + 1, LANE_BYTES_SWITCH);
		on_switch(tasks, record, &u.sched_switch);
		return;
	}
	if (record->kind < LANE_FORK || record->kind > LANE_STATEDUMP)
		return;
	memcpy(&u, record + 1, lane_kinds[record->kind].payload_bytes);
	switch (record->kind) {
	case LANE_STATEDUMP:
		task = tasks_begin(tasks, u.lttng_statedump_process_state.tid, 0);
		if (task)
			memcpy(&task->is, &u.lttng_statedump_process_state, sizeof(task->is));
		break;
	case LANE_FORK:
		on_fork(tasks, record, &u.sched_process_fork);
		break;
	case LANE_EXEC:
		on_exec(tasks, &u.sched_process_exec);
		break;
	case LANE_EXIT:
		task = tasks_find(tasks, u.sched_process_exit.tid);
		if (task && !task->gone_ns) {
			task->gone_ns = record->ts_ns;
			tasks->n_gone++;
		}
		break;
	default:
		break;
	}
}

void watch_tasks_forget(struct lane_tasks *tasks, uint64_t before_ns)
{
	size_t still = 0;

	if (before_ns == tasks->looked_ns ||
	    (tasks->n_gone < tasks->kept_gone + MANY_GONE && tasks->table.used < LANE_TASKS_MAX))
		return;
	for (size_t i = 0; tasks->table.slots && i <= tasks->table.mask; i++) {
		struct task *task;

		/* What moves into a freed slot is looked at, too. */
		while ((task = tasks->table.slots[i].value) && task->gone_ns &&
		       task->gone_ns < before_ns) {
			lane_table_del(&tasks->table, (uint32_t)task->is.tid, 0);
			lane_pool_put(&tasks->pool, task);
		}
		still += task && task->gone_ns;
	}
	tasks->n_gone = tasks->kept_gone = still;
	tasks->looked_ns = before_ns;
}

struct statedump {
	struct lane_wire wire;
	struct lane_p_lttng_statedump_process_state is;
	uint64_t padding;
};

struct lane_error *watch_tasks_at(const struct lane_tasks *tasks, uint64_t from_ns,
				  struct lane_tasks_list *list)
{
	size_t room = tasks->table.used ? tasks->table.used : 1;
	struct statedump *all = calloc(room, sizeof(*all));

	*list = (struct lane_tasks_list){ .memory = all,
					  .records = calloc(room, sizeof(*list->records)) };
	if (!all || !list->records) {
		watch_tasks_list_deinit(list);
		return &lane_enomem;
	}
	for (size_t i = 0; tasks->table.slots && i <= tasks->table.mask; i++) {
		const struct task *task = tasks->table.slots[i].value;

		if (!task || task->born_ns > from_ns || (task->gone_ns && task->gone_ns < from_ns))
			continue;
		all[list->n].wire = (struct lane_wire){ .ts_ns = from_ns,
							.kind = LANE_STATEDUMP,
							.tid = -1,
							.pid = -1,
							.origin = LANE_ORIGIN_SNAPSHOT };
		all[list->n].is = task->is;
		list->records[list->n] = &all[list->n].wire;
		list->n++;
	}
	return NULL;
}

void watch_tasks_list_deinit(struct lane_tasks_list *list)
{
	free(list->memory);
	free(list->records);
	*list = (struct lane_tasks_list){ 0 };
}

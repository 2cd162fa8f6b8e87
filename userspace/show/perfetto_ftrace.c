// SPDX-License-Identifier: MIT
// Bundles of ftrace events and trees of processes, encoded as they come: base/ftrace.def has the
// numbers.
//
// Most events are switches and wake-ups. CompactSched has columns for them, which say of a switch
// only what comes: a switch whose thread is not the one that came last is written whole, so that
// whoever reads it notices.
#include "show/perfetto_ftrace.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/table.h"
#include "base/vector.h"
#include "show/perfetto_pack.h"

/* FtraceEventBundle, FtraceEvent and ProcessTree */
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_SCHED = 4,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	TREE_PROCESS = 1,
	TREE_THREAD = 2,
};

/* The columns of a CompactSched, by their numbers; NAMES is a list of texts. */
enum column {
	SWITCH_NS = 1,
	SWITCH_STATE,
	SWITCH_TID,
	SWITCH_PRIO,
	NAMES,
	SWITCH_NAME,
	WAKING_NS,
	WAKING_TID,
	WAKING_CPU,
	WAKING_PRIO,
	WAKING_NAME,
	COLUMNS
};

enum {
	MOST_EVENTS = 128,   /* in a bundle */
	BUNDLE_BYTES = 7600, /* of whole events, after which it ends */
	TREE_BYTES = 7680,   /* of a tree, after which another one begins */
	MOST_FIELDS = 8,
	MOST_CPUS = 4096, /* that Perfetto tells apart */
	CACHED_NAMES = 64,
};

struct ftrace_field {
	const struct lane_field *is;
	unsigned int number;
};

/* How an event is written; id 0: it is not. */
struct ftrace_plan {
	uint32_t id;
	unsigned int n;
	struct ftrace_field fields[MOST_FIELDS];
};

/* What is held of a CPU. */
struct bundle {
	uint32_t cpu;
	bool is_lost;	   /* events before the first one were */
	int32_t tid, prio; /* who runs, as the last switch says; -1: not known */
	char comm[16];
	uint64_t last_ns[2];		/* of the columns of switches, of wake-ups */
	unsigned int n_events, n_sched; /* written whole; in columns */
	struct lane_message events;	/* whole ones */
	struct lane_message columns[COLUMNS];
	uint32_t n_names;
	/* Which place in the names the last ones have, by the thread's number. */
	struct {
		uint32_t number; /* + 1 */
		char comm[16];
	} cached[CACHED_NAMES];
};

struct lane_ftrace {
	struct lane_packets *to;
	struct ftrace_plan plans[LANE_KIND_COUNT];
	struct bundle **cpus;
	size_t n_cpus;
	struct lane_table threads; /* tid -> its process + 1, as it was told */
	struct lane_message tree;
	bool has_old_states; /* the states' bits are those of kernels before 4.14 */
};

/* A field of the kernel's text, which need not be clean. */
static void put_text(struct lane_message *m, unsigned int number, const char *text, size_t size)
{
	char clean[LANE_RING_BYTES + 1] = "";

	memcpy(clean, text, size < LANE_RING_BYTES ? size : LANE_RING_BYTES);
	show_message_text(m, number, lane_clean(clean, LANE_CLEAN_LINE));
}

/* --- plans --- */

static void make_plan(struct ftrace_plan *plan, const struct lane_kind_info *kind, uint32_t id,
		      const char *fields)
{
	plan->id = id;
	for (unsigned int number = 1; *fields; number++) {
		size_t length = strcspn(fields, " ");

		for (unsigned int i = 0; i < kind->n_fields && plan->n < MOST_FIELDS; i++)
			if (!strncmp(kind->fields[i].name, fields, length) &&
			    !kind->fields[i].name[length])
				plan->fields[plan->n++] =
					(struct ftrace_field){ &kind->fields[i], number };
		fields += length + (fields[length] == ' ');
	}
}

static void make_plans(struct lane_ftrace *f)
{
	static const struct {
		uint32_t id;
		const char *name, *fields;
	} written[] = {
#define FTRACE(id, name, fields) { id, name, fields },
#define FTRACE_READ(id, name, fields)
#include "base/ftrace.def"
#undef FTRACE
#undef FTRACE_READ
	};

	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		int kind = lane_kind_by_name(written[i].name);

		make_plan(&f->plans[kind], &lane_kinds[kind], written[i].id, written[i].fields);
	}
}

/* --- what is held --- */

static void put_packet(struct lane_ftrace *f, size_t begun)
{
	show_message_end(&f->to->packet, begun);
	show_message_field(&f->to->packet, PACKET_SEQUENCE, SEQUENCE_FTRACE);
	show_pack_put(f->to);
}

static void write_tree(struct lane_ftrace *f)
{
	struct lane_message *m;
	size_t begun;

	if (!f->tree.n)
		return;
	m = show_pack_begin(f->to);
	begun = show_message_begin(m, PACKET_TREE);
	show_message_append(m, &f->tree);
	put_packet(f, begun);
	f->tree.n = 0;
}

/* The columns of a bundle, its names before them. */
static void put_columns(struct lane_message *m, struct bundle *b)
{
	size_t sched = show_message_begin(m, BUNDLE_SCHED);

	show_message_append(m, &b->columns[NAMES]);
	for (unsigned int i = SWITCH_NS; i < COLUMNS; i++)
		if (i != NAMES && b->columns[i].n)
			show_message_within(m, i, &b->columns[i]);
	show_message_end(m, sched);
}

static void write_bundle(struct lane_ftrace *f, struct bundle *b)
{
	struct lane_message *m;
	size_t begun;

	if (!b->n_events && !b->n_sched)
		return;
	write_tree(f);
	m = show_pack_begin(f->to);
	begun = show_message_begin(m, PACKET_FTRACE);
	show_message_field(m, BUNDLE_CPU, b->cpu);
	if (b->is_lost)
		show_message_field(m, BUNDLE_LOST, 1);
	show_message_append(m, &b->events);
	if (b->n_sched)
		put_columns(m, b);
	put_packet(f, begun);
	b->is_lost = false;
	b->n_events = b->n_sched = b->n_names = 0;
	b->events.n = 0;
	for (unsigned int i = SWITCH_NS; i < COLUMNS; i++)
		b->columns[i].n = 0;
	memset(b->last_ns, 0, sizeof(b->last_ns));
	memset(b->cached, 0, sizeof(b->cached));
}

/* NULL: no memory. */
static struct bundle *bundle_of(struct lane_ftrace *f, uint32_t cpu)
{
	if (!LANE_GROW(f->cpus, f->n_cpus, (size_t)cpu + 1))
		return NULL;
	if (!f->cpus[cpu]) {
		f->cpus[cpu] = calloc(1, sizeof(*f->cpus[cpu]));
		if (f->cpus[cpu]) {
			f->cpus[cpu]->cpu = cpu;
			f->cpus[cpu]->tid = -1;
		}
	}
	return f->cpus[cpu];
}

/* --- events --- */

static uint64_t number_in(const struct lane_event *event, const struct lane_field *field)
{
	const char *at = (const char *)&event->u + field->offset;
	uint32_t number = 0;
	uint64_t wide;

	if (field->size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&number, at, field->size);
	return field->type == LANE_TYPE_s32 ? (uint64_t)(int64_t)(int32_t)number : number;
}

/* Fields that say that they are not known are left out. */
static bool is_unknown(const struct lane_field *field, uint64_t value)
{
	switch (field->type) {
	case LANE_TYPE_u32:
		return value == LANE_CPU_UNKNOWN;
	case LANE_TYPE_s32:
		return (int64_t)value == -1 && strstr(field->name, "tid");
	default:
		return value == (uint64_t)LANE_STATE_UNKNOWN || value == UINT64_MAX;
	}
}

/* A state as the release's kernel told it that the trace names; norm/ has made all alike. */
static uint64_t perfetto_ftrace_state_of(const struct lane_ftrace *f, uint64_t state)
{
	enum {
		PARKED = 0x40,
		IDLE = 0x80,
		OLD_PARKED = 0x200,
		OLD_IDLE = 0x402, /* UNINTERRUPTIBLE and NOLOAD */
	};

	if (f->has_old_states && (state == PARKED || state == IDLE))
		return state == IDLE ? OLD_IDLE : OLD_PARKED;
	return state;
}

static void write_whole(struct lane_ftrace *f, struct bundle *b, const struct ftrace_plan *plan,
			const struct lane_event *event)
{
	int32_t tid = event->wire.tid >= 0 ? event->wire.tid : b->tid;
	size_t whole = show_message_begin(&b->events, BUNDLE_EVENT), fields;

	show_message_field(&b->events, EVENT_TIMESTAMP, event->wire.ts_ns);
	show_message_field(&b->events, EVENT_PID, tid > 0 ? (uint32_t)tid : 0);
	fields = show_message_begin(&b->events, plan->id);
	for (unsigned int i = 0; i < plan->n; i++) {
		const struct lane_field *field = plan->fields[i].is;
		uint64_t value;

		if (lane_type_is_text(field->type)) {
			const char *text = (const char *)&event->u + field->offset;

			if (*text)
				put_text(&b->events, plan->fields[i].number, text, field->size);
			continue;
		}
		value = number_in(event, field);
		if (event->wire.kind == LANE_SWITCH &&
		    field->offset == offsetof(struct lane_p_sched_switch, prev_state))
			value = perfetto_ftrace_state_of(f, value);
		if (!is_unknown(field, value))
			show_message_field(&b->events, plan->fields[i].number, value);
	}
	show_message_end(&b->events, fields);
	show_message_end(&b->events, whole);
	b->n_events++;
}

static void perfetto_ftrace_add(struct bundle *b, enum column column, uint64_t value)
{
	show_message_number(&b->columns[column], value);
}

/* The place of a thread's name in the bundle's names. */
static uint32_t name_in(struct bundle *b, int32_t tid, const char *comm)
{
	uint32_t slot = (uint32_t)tid % CACHED_NAMES;

	if (b->cached[slot].number && !memcmp(b->cached[slot].comm, comm, 16))
		return b->cached[slot].number - 1;
	memcpy(b->cached[slot].comm, comm, 16);
	put_text(&b->columns[NAMES], NAMES, comm, 16);
	b->cached[slot].number = ++b->n_names;
	return b->n_names - 1;
}

static void perfetto_ftrace_add_time(struct bundle *b, enum column column, uint64_t *last_ns,
				     uint64_t at_ns)
{
	perfetto_ftrace_add(b, column, at_ns - *last_ns);
	*last_ns = at_ns;
	b->n_sched++;
}

static void write_switch(struct lane_ftrace *f, struct bundle *b, const struct lane_event *event)
{
	const struct lane_p_sched_switch *sw = &event->u.sched_switch;

	if (sw->prev_tid < 0 || sw->next_tid < 0) {
		b->tid = -1;
		return;
	}
	if (sw->prev_tid != b->tid || sw->prev_prio != b->prio || sw->prev_state < 0 ||
	    (*sw->prev_comm && memcmp(sw->prev_comm, b->comm, sizeof(b->comm)))) {
		write_whole(f, b, &f->plans[LANE_SWITCH], event);
	} else {
		perfetto_ftrace_add_time(b, SWITCH_NS, &b->last_ns[0], event->wire.ts_ns);
		perfetto_ftrace_add(b, SWITCH_STATE,
				    perfetto_ftrace_state_of(f, (uint64_t)sw->prev_state));
		perfetto_ftrace_add(b, SWITCH_TID, (uint64_t)(int64_t)sw->next_tid);
		perfetto_ftrace_add(b, SWITCH_PRIO, (uint64_t)(int64_t)sw->next_prio);
		perfetto_ftrace_add(b, SWITCH_NAME, name_in(b, sw->next_tid, sw->next_comm));
	}
	b->tid = sw->next_tid;
	b->prio = sw->next_prio;
	memcpy(b->comm, sw->next_comm, sizeof(b->comm));
}

static void write_waking(struct lane_ftrace *f, struct bundle *b, const struct lane_event *event)
{
	const struct lane_p_sched_waking *waking = &event->u.sched_waking;

	if (waking->tid < 0)
		return;
	if (event->wire.tid < 0 || event->wire.tid != b->tid ||
	    waking->target_cpu == LANE_CPU_UNKNOWN) {
		write_whole(f, b, &f->plans[LANE_WAKING], event);
		return;
	}
	perfetto_ftrace_add_time(b, WAKING_NS, &b->last_ns[1], event->wire.ts_ns);
	perfetto_ftrace_add(b, WAKING_TID, (uint64_t)(int64_t)waking->tid);
	perfetto_ftrace_add(b, WAKING_CPU, waking->target_cpu);
	perfetto_ftrace_add(b, WAKING_PRIO, (uint64_t)(int64_t)waking->prio);
	perfetto_ftrace_add(b, WAKING_NAME, name_in(b, waking->tid, waking->comm));
}

/* --- threads and processes --- */

/* A thread and, where it is the first of its process, that. A name of its own is all that is known
 * of a process. */
static bool add_thread(struct lane_ftrace *f, int32_t tid, int32_t pid, const char *comm,
		       int32_t parent)
{
	enum {
		PID = 1,
		PARENT = 2,
		CMDLINE = 3,
		IS_COMM = 9,
		TID = 1,
		NAME = 2,
		TGID = 3,
	};
	struct lane_message *m = &f->tree;
	size_t item;

	if (tid <= 0 || pid <= 0)
		return true;
	if (m->n > TREE_BYTES)
		write_tree(f);
	item = show_message_begin(m, tid == pid ? TREE_PROCESS : TREE_THREAD);
	if (tid == pid) {
		show_message_field(m, PID, (uint32_t)pid);
		if (parent >= 0)
			show_message_field(m, PARENT, (uint32_t)parent);
		if (*comm) {
			put_text(m, CMDLINE, comm, 16);
			show_message_field(m, IS_COMM, 1);
		}
	} else {
		show_message_field(m, TID, (uint32_t)tid);
		if (*comm)
			put_text(m, NAME, comm, 16);
		show_message_field(m, TGID, (uint32_t)pid);
	}
	show_message_end(m, item);
	lane_table_del(&f->threads, (uint32_t)tid, 0);
	return lane_table_put(&f->threads, (uint32_t)tid, 0, (void *)((uintptr_t)pid + 1));
}

/* The process is another program from now on, which the kernel calls by its file's name. */
static bool add_program(struct lane_ftrace *f, const struct lane_p_sched_process_exec *exec)
{
	char path[sizeof(exec->filename) + 1] = "", comm[16] = "";
	const char *name;

	memcpy(path, exec->filename, sizeof(exec->filename));
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	return add_thread(f, exec->tid, exec->tid, comm, -1);
}

/* False: no memory. */
static bool learn_thread(struct lane_ftrace *f, const struct lane_event *event)
{
	const struct lane_p_lttng_statedump_process_state *was =
		&event->u.lttng_statedump_process_state;
	const struct lane_p_sched_process_fork *fork = &event->u.sched_process_fork;
	uintptr_t known;

	if (event->wire.kind == LANE_STATEDUMP)
		return add_thread(f, was->tid, was->pid, was->name, was->ppid);
	if (event->wire.kind == LANE_FORK)
		return add_thread(f, fork->child_tid, fork->child_pid, fork->child_comm,
				  fork->parent_pid);
	if (event->wire.kind == LANE_EXEC)
		return add_program(f, &event->u.sched_process_exec);
	if (event->wire.tid <= 0 || event->wire.pid <= 0)
		return true;
	known = (uintptr_t)lane_table_get(&f->threads, (uint32_t)event->wire.tid, 0);
	return known == (uintptr_t)event->wire.pid + 1 ||
	       add_thread(f, event->wire.tid, event->wire.pid, "", -1);
}

/* --- the whole --- */

struct lane_error *show_ftrace_create(struct lane_packets *to, const struct lane_trace_info *info,
				      struct lane_ftrace **ftrace)
{
	struct lane_ftrace *f = *ftrace = calloc(1, sizeof(*f));
	unsigned int major = 0, minor = 0;

	if (!f)
		return &lane_enomem;
	f->to = to;
	f->has_old_states = sscanf(info->release, "%u.%u", &major, &minor) != 2 || major < 4 ||
			    (major == 4 && minor < 14);
	make_plans(f);
	return NULL;
}

static void lose(struct lane_ftrace *f, int32_t cpu)
{
	for (size_t i = 0; i < f->n_cpus; i++)
		if (f->cpus[i] && (cpu < 0 || (size_t)cpu == i)) {
			write_bundle(f, f->cpus[i]);
			f->cpus[i]->is_lost = true;
			f->cpus[i]->tid = -1;
		}
}

/* User space submits to a long-running queue past the kernel: its jobs are no runs of the ring. */
static bool is_burst(const struct lane_event *event)
{
	return event->wire.kind == LANE_DRM_RUN &&
	       event->u.drm_sched_job_run.queue_flags & LANE_QUEUE_LONG_RUNNING;
}

struct lane_error *show_ftrace_event(struct lane_ftrace *f, const struct lane_event *event)
{
	const struct ftrace_plan *plan = &f->plans[event->wire.kind];
	struct bundle *b;

	if (event->wire.kind == LANE_LOST)
		lose(f, event->u.gpulane_lost.lost_cpu);
	if (!learn_thread(f, event))
		return &lane_enomem;
	if (!plan->id || event->cpu < 0 || event->cpu >= MOST_CPUS || is_burst(event))
		return NULL;
	b = bundle_of(f, (uint32_t)event->cpu);
	if (!b)
		return &lane_enomem;
	if (event->wire.kind == LANE_SWITCH)
		write_switch(f, b, event);
	else if (event->wire.kind == LANE_WAKING)
		write_waking(f, b, event);
	else
		write_whole(f, b, plan, event);
	if (b->n_events + b->n_sched == MOST_EVENTS || b->events.n > BUNDLE_BYTES)
		write_bundle(f, b);
	return NULL;
}

void show_ftrace_finish(struct lane_ftrace *f)
{
	write_tree(f);
	for (size_t i = 0; i < f->n_cpus; i++)
		if (f->cpus[i])
			write_bundle(f, f->cpus[i]);
}

void show_ftrace_destroy(struct lane_ftrace *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_cpus; i++) {
		for (unsigned int k = 0; f->cpus[i] && k < COLUMNS; k++)
			show_message_deinit(&f->cpus[i]->columns[k]);
		if (f->cpus[i])
			show_message_deinit(&f->cpus[i]->events);
		free(f->cpus[i]);
	}
	free(f->cpus);
	show_message_deinit(&f->tree);
	lane_table_free(&f->threads);
	free(f);
}

// SPDX-License-Identifier: MIT
// The ring: what is kept when it is full, losses, and that what is written is read again; threads'
// names.
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "norm/norm.h"
#include "watch/ring.h"
#include "watch/tasks.h"

struct record {
	struct lane_wire wire;
	union lane_payload u;
};

static struct record irq(uint64_t ns, int number)
{
	return (struct record){ .wire = { .ts_ns = ns, .kind = LANE_IRQ_EXIT, .tid = 1, .pid = 1 },
				.u.irq_handler_exit = { .irq = number } };
}

static void put(struct lane_ring *ring, unsigned int cpu, uint64_t ns, int number)
{
	struct record record = irq(ns, number);

	check(watch_ring_record(ring, cpu, &record.wire));
}

struct read {
	uint64_t events, lost, first_ns, last_ns, sum;
	struct lane_p_gpulane_lost loss;
	uint64_t named;
};

/* Writes a part of the ring and reads it as every command does. */
static void write_and_read(const struct lane_ring *ring, uint64_t from_ns, uint64_t to_ns,
			   const struct lane_tasks_list *first, struct read *read)
{
	const struct lane_ctf_env env = { .hostname = "here", .tracer = "bpf" };
	const struct lane_event *event;
	struct lane_ring_part part;
	struct lane_input *input;

	*read = (struct read){ 0 };
	check(watch_ring_write(ring, AT_FDCWD, "bpf", &env, from_ns, to_ns,
			       first ? first->records : NULL, first ? first->n : 0, &part));
	check(norm_input_open(".", &input));
	for (;;) {
		check(norm_input_next(input, &event));
		if (!event)
			break;
		if (event->wire.kind == LANE_LOST) {
			read->lost += event->u.gpulane_lost.count;
			read->loss = event->u.gpulane_lost;
			continue;
		}
		read->named += event->wire.kind == LANE_STATEDUMP;
		if (event->wire.kind != LANE_IRQ_EXIT)
			continue;
		read->first_ns = read->events++ ? read->first_ns : event->wire.ts_ns;
		read->last_ns = event->wire.ts_ns;
		read->sum += (uint64_t)event->u.irq_handler_exit.irq;
	}
	norm_input_close(input);
	assert_int_equal(part.records, read->events + read->named);
	assert_int_equal(part.lost, read->lost);
	assert_int_equal(system("rm -r bpf"), 0);
}

/* One CPU has nearly all events, the other a few: both reach back equally far, and the last are
 * there. */
TEST_IN_FOLDER(the_oldest_make_room)
{
	struct lane_ring *ring;
	struct lane_ring_part part;
	struct read read;
	uint64_t since;

	check(watch_ring_create(LANE_RING_MIN_BYTES, 1, &ring));
	for (uint64_t ns = 1; ns <= 200000; ns++)
		put(ring, ns % 1000 ? 0 : 1, 1000 * ns, 1);
	since = watch_ring_since(ring);
	assert_between(since, 1000 * 150000, 1000 * 190000);
	watch_ring_measure(ring, since, UINT64_MAX, &part);
	assert_int_equal(part.records, 200000 - since / 1000);
	write_and_read(ring, since, UINT64_MAX - 1, NULL, &read);
	assert_int_equal(read.events, 200000 - since / 1000);
	assert_int_equal(read.last_ns, 200000000);
	watch_ring_destroy(ring);
}

/* Records come nearly in order, as the rings are drained; what is not asked for is left out. */
TEST_IN_FOLDER(a_part_is_written_in_order)
{
	struct lane_ring *ring;
	struct read read;
	uint64_t sum = 0;

	check(watch_ring_create(LANE_RING_MIN_BYTES, 1, &ring));
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t ns = 1000000 + 1000 * (i ^ 1);

		put(ring, (unsigned int)(i / 10 % 3), ns, (int)i);
		if (ns >= 1500000 && ns <= 2500000)
			sum += i;
		for (unsigned int cpu = 0; cpu < 3 && i % 100 == 99; cpu++) {
			check(watch_ring_lost(ring, cpu, 0, ns));
			check(watch_ring_horizon(ring, cpu, ns - 5000));
		}
	}
	write_and_read(ring, 1500000, 2500000, NULL, &read);
	assert_int_equal(read.events, 1001);
	assert_int_equal(read.first_ns, 1500000);
	assert_int_equal(read.last_ns, 2500000);
	assert_int_equal(read.sum, sum);
	assert_int_equal(read.lost, 0);
	watch_ring_destroy(ring);
}

/* A loss in the part is told with its interval and number; one before it is not. */
TEST_IN_FOLDER(losses_are_told)
{
	struct lane_ring *ring;
	struct lane_ring_part part;
	struct read read;

	check(watch_ring_create(LANE_RING_MIN_BYTES, 1, &ring));
	put(ring, 0, 1000, 1);
	check(watch_ring_lost(ring, 0, 7, 2000));
	put(ring, 0, 3000, 1);
	check(watch_ring_lost(ring, 0, 7, 4000));
	check(watch_ring_horizon(ring, 0, 3900));
	put(ring, 0, 4500, 1);
	check(watch_ring_lost(ring, 0, 12, 5000));
	put(ring, 0, 6000, 1);
	watch_ring_measure(ring, 3000, 7000, &part);
	assert_int_equal(part.lost, 5);
	write_and_read(ring, 3000, 7000, NULL, &read);
	assert_int_equal(read.events, 3);
	assert_int_equal(read.lost, 5);
	assert_int_equal(read.loss.begin_ns, 4000);
	assert_int_equal(read.loss.end_ns, 5000);
	write_and_read(ring, 1, 7000, NULL, &read);
	assert_int_equal(read.lost, 12);
	watch_ring_destroy(ring);
}

static void task(struct lane_tasks *tasks, int kind, uint64_t ns, int tid, const char *name)
{
	struct record record = { .wire = { .ts_ns = ns, .kind = (uint32_t)kind } };

	if (kind == LANE_STATEDUMP) {
		record.u.lttng_statedump_process_state.tid = tid;
		record.u.lttng_statedump_process_state.pid = tid;
		strcpy(record.u.lttng_statedump_process_state.name, name);
	} else if (kind == LANE_FORK) {
		record.u.sched_process_fork.parent_tid = 1;
		record.u.sched_process_fork.child_tid = tid;
		record.u.sched_process_fork.child_pid = tid;
		strcpy(record.u.sched_process_fork.child_comm, name);
	} else if (kind == LANE_EXEC) {
		record.u.sched_process_exec.tid = tid;
		strcpy(record.u.sched_process_exec.filename, name);
	} else {
		record.u.sched_process_exit.tid = tid;
	}
	watch_tasks_record(tasks, &record.wire);
}

static const char *name_at(const struct lane_tasks *tasks, uint64_t ns, int tid, char name[16])
{
	struct lane_tasks_list list;

	check(watch_tasks_at(tasks, ns, &list));
	strcpy(name, "");
	for (size_t i = 0; i < list.n; i++) {
		struct lane_p_lttng_statedump_process_state is;

		assert_int_equal(list.records[i]->kind, LANE_STATEDUMP);
		assert_int_equal(list.records[i]->ts_ns, ns);
		memcpy(&is, list.records[i] + 1, sizeof(is));
		if (is.tid == tid)
			memcpy(name, is.name, 16);
	}
	watch_tasks_list_deinit(&list);
	return name;
}

/* Who was there at a time: from the beginning, born before, not gone before. */
TEST_IN_FOLDER(threads_are_those_of_the_time)
{
	struct lane_tasks *tasks;
	char name[16];

	check(watch_tasks_create(&tasks));
	task(tasks, LANE_STATEDUMP, 10, 1, "init");
	task(tasks, LANE_FORK, 100, 7, "sh");
	task(tasks, LANE_EXEC, 110, 7, "/usr/bin/render");
	task(tasks, LANE_EXIT, 200, 7, "");
	assert_string_equal(name_at(tasks, 50, 1, name), "init");
	assert_string_equal(name_at(tasks, 50, 7, name), "");
	assert_string_equal(name_at(tasks, 150, 7, name), "render");
	assert_string_equal(name_at(tasks, 250, 7, name), "");
	/* The number is used again. */
	task(tasks, LANE_FORK, 300, 7, "other");
	assert_string_equal(name_at(tasks, 350, 7, name), "other");
	/* A hundred thousand that come and go leave nothing. */
	for (int i = 0; i < 100000; i++) {
		task(tasks, LANE_FORK, 1000 + (uint64_t)i, 10 + i % 30000, "x");
		task(tasks, LANE_EXIT, 1000 + (uint64_t)i, 10 + i % 30000, "");
		watch_tasks_forget(tasks, 1000 + (uint64_t)i);
	}
	assert_string_equal(name_at(tasks, 200000, 7, name), "other");
	watch_tasks_destroy(tasks);
}

/* A recording that begins in the middle begins with who is there. */
TEST_IN_FOLDER(a_recording_begins_with_names)
{
	LANE_CLEANUP(watch_tasks_list_deinit) struct lane_tasks_list list = { 0 };
	struct lane_tasks *tasks;
	struct lane_ring *ring;
	struct read read;

	check(watch_ring_create(LANE_RING_MIN_BYTES, 1, &ring));
	check(watch_tasks_create(&tasks));
	for (int tid = 1; tid <= 500; tid++)
		task(tasks, LANE_STATEDUMP, 10, tid, "x");
	for (uint64_t ns = 1; ns < 100; ns++)
		put(ring, ns % 2, 1000 * ns, 1);
	check(watch_tasks_at(tasks, 50000, &list));
	write_and_read(ring, 50000, 90000, &list, &read);
	assert_int_equal(read.named, 500);
	assert_int_equal(read.events, 41);
	watch_tasks_destroy(tasks);
	watch_ring_destroy(ring);
}

// SPDX-License-Identifier: MIT
// Watches events that never happened, through the same functions as gpulane watch, from the rings
// that the BPF programs fill: so many a second, for so long, of programs that come and go with
// names of their own, on CPUs of which one comes later; events are lost, and the clock of the day
// is set. Prints how much memory it has, and fails when that grows; and the CPU time that watching
// takes for an event, without what making the events takes.
//
//   gpulane-watchload DIR SECONDS [EVENTS_A_SECOND [paced] [calm]]
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/bpf_ring.h"
#include "norm/live.h"
#include "watch/watch.h"

#define SECOND_NS    1000000000ull
#define EPOCH_NS     1700000000000000000ll
#define CYCLE_EVENTS 15
#define LATE_EVERY   20000 /* cycles */
#define CPUS	     4
#define RING_BYTES   (4u << 20)
#define ROUND_NS     100000000ull

struct load {
	struct lane_watch *watch;
	struct lane_live *live;
	struct lane_bpf_memory memory;
	struct lane_bpf_cpu on[CPUS];
	struct lane_bpf_ring rings[CPUS];
	double taken_s; /* by watching */
	uint64_t now_ns, cycles, lost[8];
	uint64_t told, written, notes;
	bool is_paced, is_calm; /* in real time; nothing is late */
};

static void must(struct lane_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "watchload: %s\n", lane_error_message(err));
	exit(1);
}

static const char *engine_name(const struct lane_engine *engine, char *buffer, size_t size)
{
	snprintf(buffer, size, "engine%u", engine->id);
	return buffer;
}

static struct lane_error *complete(void *arg, int dir_fd, const char *path,
				   const struct lane_watch_recording *of)
{
	(void)arg;
	(void)dir_fd;
	(void)path;
	(void)of;
	return NULL;
}

static void tell(void *arg, const struct lane_hit *hit, const struct lane_hits *group,
		 const char *not_written)
{
	struct load *load = arg;

	(void)hit;
	(void)group;
	load->told++;
	load->written += !*not_written;
}

static void note(void *arg, const char *text)
{
	/* Some are lost on purpose. */
	((struct load *)arg)->notes += !strstr(text, "events were lost so far");
	fprintf(stderr, "watchload: %s\n", text);
}

/* As a BPF program does (bpf/common.bpf.h). */
static void put(struct load *load, struct lane_event *event, int cpu, int kind, int32_t pid)
{
	struct lane_bpf_cpu *on = &load->on[cpu];
	unsigned int bytes = (unsigned int)sizeof(event->wire) + lane_kinds[kind].payload_bytes;
	char *at = load->rings[cpu].data + (on->head & (RING_BYTES - 1));

	event->wire = (struct lane_wire){ .ts_ns = load->now_ns,
					  .kind = (uint32_t)kind,
					  .tid = pid,
					  .pid = pid,
					  .origin = LANE_ORIGIN_TRACEPOINT };
	load->now_ns += 500;
	if (on->head + 4096 - on->tail > RING_BYTES) {
		on->lost++;
		return;
	}
	memcpy(at + sizeof(struct lane_bpf_header), event, bytes);
	((struct lane_bpf_header *)at)->bytes = bytes;
	on->head += (sizeof(struct lane_bpf_header) + bytes + 7) / 8 * 8;
}

static void request(struct load *load, int cpu, int kind, int32_t pid, uint64_t ctx, uint32_t seqno)
{
	struct lane_event event = { .u.rq = { .ctx = ctx, .seqno = seqno } };

	if (kind == LANE_RQ_OUT)
		event.u.i915_request_out.completed = 1;
	put(load, &event, cpu, kind, pid);
}

static void fence(struct load *load, int cpu, int kind, uint64_t ctx, uint32_t seqno)
{
	struct lane_event event = { .u.fence = { .context = ctx, .seqno = seqno } };

	put(load, &event, cpu, kind, 0);
}

static void switch_to(struct load *load, int cpu, int32_t from, int32_t to, const char *name)
{
	struct lane_event event = { .u.sched_switch = {
					    .prev_tid = from, .next_tid = to, .prev_state = 1 } };

	snprintf(event.u.sched_switch.next_comm, 16, "%s", to ? name : "idle");
	snprintf(event.u.sched_switch.prev_comm, 16, "%s", from ? name : "idle");
	put(load, &event, cpu, LANE_SWITCH, from);
}

/* A process comes, and one that came before is gone. */
static void fork_one(struct load *load, int32_t pid, const char *name)
{
	struct lane_event born = { .u.sched_process_fork = { .parent_tid = 1,
							     .parent_pid = 1,
							     .child_tid = pid,
							     .child_pid = pid } };
	struct lane_event gone = { .u.sched_process_exit = { .tid = pid > 110 ? pid - 10 : 0 } };

	snprintf(born.u.sched_process_fork.child_comm, 16, "%s", name);
	put(load, &born, 0, LANE_FORK, 1);
	put(load, &gone, 0, LANE_EXIT, gone.u.sched_process_exit.tid);
}

/* One request's life: CYCLE_EVENTS events. */
static void cycle(struct load *load, uint64_t period_ns, bool all_cpus)
{
	uint64_t n = load->cycles++, life = n / 2000, begin_ns = load->now_ns;
	int cpu = (int)(n % (all_cpus ? 4 : 3));
	int32_t pid = 101 + (int32_t)(life % 30000);
	uint64_t ctx = 10 + life;
	uint32_t seqno = (uint32_t)(n % 2000) + 1;
	char name[16];

	snprintf(name, sizeof(name), "p%llu", (unsigned long long)(life % 5000));
	if (seqno == 1)
		fork_one(load, pid, name);
	switch_to(load, cpu, 0, pid, name);
	fence(load, cpu, LANE_FENCE_INIT, ctx, seqno);
	request(load, cpu, LANE_RQ_QUEUE, pid, ctx, seqno);
	fence(load, cpu, LANE_FENCE_ENABLE_SIGNAL, ctx, seqno);
	request(load, cpu, LANE_RQ_ADD, pid, ctx, seqno);
	request(load, cpu, LANE_RQ_SUBMIT, pid, ctx, seqno);
	request(load, cpu, LANE_RQ_EXECUTE, 0, ctx, seqno);
	request(load, cpu, LANE_RQ_IN, 0, ctx, seqno);
	request(load, cpu, LANE_RQ_WAIT_BEGIN, pid, ctx, seqno);
	switch_to(load, cpu, pid, 0, name);
	load->now_ns +=
		!load->is_calm && n % LATE_EVERY == LATE_EVERY - 1 ? 50000000 : period_ns / 2;
	fence(load, cpu, LANE_FENCE_SIGNALED, ctx, seqno);
	request(load, cpu, LANE_RQ_OUT, 0, ctx, seqno);
	switch_to(load, cpu, 0, pid, name);
	request(load, cpu, LANE_RQ_WAIT_END, pid, ctx, seqno);
	request(load, cpu, LANE_RQ_RETIRE, 0, ctx, seqno);
	switch_to(load, cpu, pid, 0, name);
	if (load->now_ns < begin_ns + period_ns)
		load->now_ns = begin_ns + period_ns;
}

/* What a CPU's ring has. */
struct drained {
	struct load *load;
	unsigned int cpu;
};

static struct lane_error *on_record(void *arg, const struct lane_wire *record)
{
	const struct drained *from = arg;
	struct lane_error *err = norm_live_record(from->load->live, from->cpu, record);

	return err ? err : watch_record(from->load->watch, from->cpu, record);
}

/* What comes ten times a second, as in session/running.c: rings are emptied, losses and horizons
 * told; a loss now and then, a clock that is set. */
static void round_once(struct load *load, bool all_cpus, bool jumps)
{
	int64_t epoch_ns = EPOCH_NS + (jumps ? 86400ll * 1000000000 : 0);
	const struct lane_event *event;

	for (unsigned int cpu = 0; cpu < (all_cpus ? CPUS : CPUS - 1); cpu++) {
		struct drained from = { load, cpu };
		struct lane_bpf_drained drained;

		if (load->cycles % 7919 < 10)
			load->lost[cpu] += 3;
		must(capture_bpf_ring_drain(&load->rings[cpu], on_record, &from, &drained));
		must(norm_live_lost(load->live, cpu, load->lost[cpu] + load->on[cpu].lost,
				    load->now_ns));
		must(watch_lost(load->watch, cpu, load->lost[cpu] + load->on[cpu].lost,
				load->now_ns));
		must(watch_horizon(load->watch, cpu, load->now_ns));
	}
	for (;;) {
		must(norm_live_next(load->live, load->now_ns, &event));
		if (!event)
			break;
		must(watch_event(load->watch, event));
	}
	must(watch_advance(load->watch, load->now_ns, epoch_ns));
}

static unsigned long rss_kib(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pace(const struct load *load, double begin_s)
{
	double ahead = (double)load->now_ns / 1e9 - 1 - (now_s(CLOCK_MONOTONIC) - begin_s);

	if (ahead > 0)
		usleep((useconds_t)(ahead * 1e6));
}

static void open_rings(struct load *load)
{
	const size_t each = RING_BYTES + LANE_BPF_RING_SLACK;

	load->memory = (struct lane_bpf_memory){
		.fd = -1, .n = CPUS, .bytes = RING_BYTES, .map = aligned_alloc(4096, CPUS * each)
	};
	if (!load->memory.map)
		must(&lane_enomem);
	memset(load->memory.map, 0, CPUS * each);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		capture_bpf_ring_give(&load->rings[cpu], &load->memory, cpu, cpu, cpu,
				      &load->on[cpu]);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
	double rate = argc > 3 ? strtod(argv[3], NULL) : 20000;
	uint64_t period_ns = (uint64_t)(CYCLE_EVENTS * 1e9 / rate), next_ns = 0, next_print_ns = 0;
	double begin_s = now_s(CLOCK_MONOTONIC), round_s;
	struct lane_trace_info info = { .release = "6.1.0",
					.begin_ns = 1,
					.submission = LANE_SUBMISSION_EXECLISTS };
	struct load load = { .now_ns = SECOND_NS };
	uint64_t end_ns = SECOND_NS + (uint64_t)(seconds * 1e9);
	struct lane_watch_config config = {
		.before_ns = 500000000,
		.after_ns = 100000000,
		.slower = { .is_set = true, .ns = 20000000 },
		.of = 1u << LANE_ROW_REQUEST | 1u << LANE_ROW_WAIT,
		.stage = -1,
		.store = { .keep = 5, .per_hour = 5, .disk_bytes = 64 << 20 },
	};
	const struct lane_watch_ways ways = {
		.arg = &load,
		.info = &info,
		.env = { .hostname = "load", .tracer = "bpf" },
		.engine_name = engine_name,
		.complete = complete,
		.tell = tell,
		.note = note,
		.rows = { .fd = -1 },
	};
	unsigned long rss, first_rss = 0;
	struct lane_watch_figures figures;

	if (seconds <= 0 || rate <= 0) {
		fprintf(stderr,
			"usage: gpulane-watchload DIR SECONDS [EVENTS_A_SECOND [paced] [calm]]\n");
		return 2;
	}
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		info.presence[kind] = LANE_PRESENCE_RECORDED;
	info.presence[LANE_PORTS] = info.presence[LANE_RQ_GUC_SUBMIT] = LANE_PRESENCE_ABSENT;
	for (int i = 4; i < argc; i++) {
		load.is_paced |= !strcmp(argv[i], "paced");
		load.is_calm |= !strcmp(argv[i], "calm");
	}
	open_rings(&load);
	must(norm_live_create(&info, &load.live));
	must(watch_create(argv[1], 64 << 20, &config, &ways, &load.watch));
	while (load.now_ns < end_ns) {
		bool all_cpus = load.now_ns > end_ns / 10;

		cycle(&load, period_ns, all_cpus);
		if (load.now_ns < next_ns)
			continue;
		next_ns = load.now_ns + ROUND_NS;
		round_s = now_s(CLOCK_THREAD_CPUTIME_ID);
		round_once(&load, all_cpus, load.cycles % 3 == 0);
		load.taken_s += now_s(CLOCK_THREAD_CPUTIME_ID) - round_s;
		if (load.is_paced)
			pace(&load, begin_s);
		if (load.now_ns < next_print_ns)
			continue;
		next_print_ns = load.now_ns + (end_ns - SECOND_NS) / 10;
		rss = rss_kib();
		/* From when on the ring is full. */
		watch_figures(load.watch, &figures);
		if (figures.since_ns > SECOND_NS && !first_rss)
			first_rss = rss;
		printf("%6.0f s  %6lu KiB\n", (double)load.now_ns / 1e9 - 1, rss);
		fflush(stdout);
	}
	rss = rss_kib();
	must(watch_finish(load.watch));
	watch_figures(load.watch, &figures);
	printf("%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " hits, %" PRIu64
	       " written, analysis renewed %" PRIu64 " times, %.0f ns of CPU an event, %lu KiB\n",
	       figures.events, figures.lost, figures.hits, figures.written, figures.renewed,
	       load.taken_s * 1e9 / (double)figures.events, rss);
	watch_destroy(load.watch);
	norm_live_destroy(load.live);
	free(load.memory.map);
	if (!first_rss)
		fprintf(stderr, "watchload: the ring was never full\n");
	if (!first_rss || load.notes || !figures.hits != load.is_calm ||
	    !figures.written != load.is_calm)
		return 1;
	return rss > first_rss + first_rss / 10;
}

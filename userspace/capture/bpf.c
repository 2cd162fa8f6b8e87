// SPDX-License-Identifier: MIT
// The bpf backend: opens what the plan says, drains one ring per CPU into one CTF stream per CPU.
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/ctf.h"
#include "capture/bpf_follow.h"
#include "capture/bpf_load.h"
#include "capture/bpf_stack.h"
#include "capture/capture.h"
#include "capture/probe.h"

/* The programs' clock is read without a lock and may be behind ours by a clock update's step. */
#define CLOCK_MARGIN_NS 1000000
/* A packet of the recording holds no more, however large the rings are. */
#define PACKET_BYTES (256u << 10)
/* How long stop waits for a record that a preempted thread has begun. */
#define STOP_WAIT_MS 700

/* The ring of a CPU that is not even built in, should one be added meanwhile. */
#define SPARE_BYTES (256u << 10)

/* What is known of a CPU when the capture is opened. */
enum presence {
	CPU_NONE,
	CPU_POSSIBLE, /* it may be added */
	CPU_PRESENT,  /* it may be switched on */
	CPU_ONLINE,
};

/* One CPU: its ring and where it goes. */
struct lane {
	struct lane_bpf_ring ring;
	struct lane_capture *capture;
	struct lane_ctf_stream *stream; /* NULL: they go to the sink, or there are none yet */
	bool is_on; /* it was when the capture was opened, or there has been something since */
	const struct lane_sink *sink;
	struct lane_bpf_loss loss;
	uint64_t lost, events; /* in all, when the trace is closed */
};

struct lane_capture {
	struct lane_bpf_config settings;
	struct lane_bpf_plan plan;
	struct lane_bpf_running *running;
	struct lane_bpf_object *object;
	struct lane_bpf_stacks *stacks; /* NULL: none are recorded */
	struct lane_ctf_trace *trace;
	struct lane_bpf_memory rings, spare_rings;
	struct ring_buffer *bell; /* rung by the programs */
	struct lane *lanes;
	unsigned int n_lanes;
	int dir_fd;
	struct lane_bpf_missed missed_before; /* until recording began */
	struct lane_bpf_missed missed;	      /* since then */
	struct lane_capture_stats figures;    /* at the end, when the trace is closed */
	unsigned int fill_permille;
	bool started;
};

/* A CPU's stream is there from the beginning, or from when the CPU is first heard of. */
static struct lane_error *open_stream(struct lane *lane)
{
	const struct lane_capture *capture = lane->capture;
	size_t packet_bytes = 2 * capture->lanes[0].ring.bytes;
	struct lane_error *err = NULL;

	if (capture->trace && !lane->stream)
		err = lane_ctf_stream(capture->trace, lane->ring.cpu,
				      packet_bytes < PACKET_BYTES ? packet_bytes : PACKET_BYTES,
				      &lane->stream);
	lane->is_on = !err;
	return err;
}

/* One trace for the backend, one stream for each CPU. */
static struct lane_error *create_trace(struct lane_capture *capture, const struct lane_host *host)
{
	struct lane_error *err;

	err = lane_ctf_create(capture->dir_fd, "bpf",
			      &(struct lane_ctf_env){ .hostname = host->name,
						      .kernel_release = host->release,
						      .clock_uuid = host->boot_id,
						      .epoch_offset_ns = host->epoch_offset_ns,
						      .tracer = "bpf" },
			      &capture->trace);
	for (unsigned int i = 0; i < capture->n_lanes && !err; i++)
		if (capture->lanes[i].is_on)
			err = open_stream(&capture->lanes[i]);
	return err;
}

/* To its stream, or to the sink. */
static struct lane_error *put_one(void *data, const struct lane_wire *record)
{
	struct lane *lane = data;
	struct lane_error *err = lane->is_on ? NULL : open_stream(lane);

	if (err)
		return err;
	return lane->stream ? lane_ctf_append(lane->stream, record)
			    : lane->sink->record(lane->sink->arg, lane->ring.cpu, record);
}

/* Where the records of a CPU go. */
static struct lane_error *put_record(void *data, const struct lane_wire *record)
{
	struct lane_bpf_stacks *stacks = ((struct lane *)data)->capture->stacks;
	struct lane_error *err;

	if (stacks)
		record = capture_bpf_stacks_unwind(stacks, record);
	err = put_one(data, record);
	return err || !stacks ? err : capture_bpf_stacks_see(stacks, record, put_one, data);
}

static struct lane_error *put_lost(struct lane *lane, uint64_t total, uint64_t at_ns)
{
	struct lane_error *err = NULL;

	if (!lane->is_on && total)
		err = open_stream(lane);
	if (err || !lane->is_on)
		return err;
	return lane->stream ? lane_ctf_lost(lane->stream, total, at_ns)
			    : lane->sink->lost(lane->sink->arg, lane->ring.cpu, total, at_ns);
}

static struct lane_error *put_horizon(struct lane *lane, uint64_t ns)
{
	if (!lane->stream && !lane->sink)
		return NULL;
	return lane->stream ? lane_ctf_flush(lane->stream, ns)
			    : lane->sink->horizon(lane->sink->arg, lane->ring.cpu, ns);
}

static void use_sink(struct lane_capture *capture, const struct lane_sink *sink)
{
	for (unsigned int i = 0; i < capture->n_lanes; i++)
		capture->lanes[i].sink = sink;
}

/* Marks the CPUs of a list as "0-3,6"; how many there are. Those beyond the last are left out. */
static unsigned int read_cpus(const char *name, enum presence presence, enum presence *cpus,
			      unsigned int *last)
{
	LANE_CLEANUP(lane_free) char *path = NULL;
	LANE_CLEANUP(lane_fclose) FILE *file = NULL;
	unsigned int from, to, n = 0;
	int c;

	if (asprintf(&path, "/sys/devices/system/cpu/%s", name) < 0) {
		path = NULL;
		return 0;
	}
	file = fopen(path, "re");
	while (file && fscanf(file, "%u", &from) == 1) {
		to = from;
		c = fgetc(file);
		if (c == '-' && fscanf(file, "%u", &to) == 1)
			c = fgetc(file);
		for (; from <= to && from < LANE_BPF_MAX_CPUS; from++, n++)
			cpus[from] = presence;
		*last = to;
		if (c != ',')
			break;
	}
	return n;
}

/* Every CPU that may come: one that is switched on later has its buffer already. */
static struct lane_error *find_cpus(enum presence *cpus)
{
	unsigned int last = 0;

	read_cpus("possible", CPU_POSSIBLE, cpus, &last);
	read_cpus("present", CPU_PRESENT, cpus, &last);
	if (!read_cpus("online", CPU_ONLINE, cpus, &last))
		return lane_error("/sys/devices/system/cpu/online: cannot be read");
	if (last >= LANE_BPF_MAX_CPUS)
		return lane_error("CPU %u: more CPUs than the %d that can be recorded", last,
				  LANE_BPF_MAX_CPUS);
	return NULL;
}

/* The CPUs that there may be, and memory for their rings. */
static struct lane_error *open_rings(struct lane_capture *capture, const enum presence *cpus,
				     size_t bytes)
{
	size_t spare_bytes = bytes > SPARE_BYTES ? SPARE_BYTES : bytes;
	unsigned int n[2] = {};
	struct lane_error *err;

	for (unsigned int cpu = 0; cpu < LANE_BPF_MAX_CPUS; cpu++)
		if (cpus[cpu] != CPU_NONE)
			n[cpus[cpu] == CPU_POSSIBLE]++;
	err = capture_bpf_memory_open(&capture->rings, n[false], bytes);
	if (!err)
		err = capture_bpf_memory_open(&capture->spare_rings, n[true], spare_bytes);
	return err;
}

/* Rings are numbered as the programs count them: the spare ones behind the others. */
static struct lane_error *give_rings(struct lane_capture *capture, const enum presence *cpus)
{
	const struct lane_bpf_memory *memories[2] = { &capture->rings, &capture->spare_rings };
	unsigned int n[2] = {};

	capture->lanes = calloc(capture->rings.n + capture->spare_rings.n, sizeof(*capture->lanes));
	if (!capture->lanes)
		return &lane_enomem;
	for (unsigned int cpu = 0; cpu < LANE_BPF_MAX_CPUS; cpu++) {
		bool is_spare = cpus[cpu] == CPU_POSSIBLE;
		unsigned int before = is_spare ? capture->rings.n : 0;
		struct lane *lane = &capture->lanes[capture->n_lanes];

		if (cpus[cpu] == CPU_NONE)
			continue;
		capture->n_lanes++;
		lane->capture = capture;
		lane->is_on = cpus[cpu] == CPU_ONLINE;
		capture_bpf_ring_give(&lane->ring, memories[is_spare], n[is_spare],
				      before + n[is_spare], cpu,
				      capture_bpf_cpu(capture->object, cpu));
		n[is_spare]++;
	}
	return NULL;
}

static int bell_rings(void *data, void *record, size_t bytes)
{
	(void)data;
	(void)record;
	(void)bytes;
	return 0;
}

static struct lane_error *load(struct lane_capture *capture,
			       const struct lane_capture_config *config, size_t bytes)
{
	enum presence cpus[LANE_BPF_MAX_CPUS] = {};
	struct lane_error *err = find_cpus(cpus);

	if (!err)
		err = open_rings(capture, cpus, bytes);
	if (!err)
		err = capture_bpf_load(capture->running, config, &capture->settings,
				       &capture->rings, &capture->spare_rings, &capture->plan,
				       &capture->object);
	if (!err)
		err = give_rings(capture, cpus);
	if (err)
		return err;
	capture->bell =
		ring_buffer__new(capture_bpf_bell_fd(capture->object), bell_rings, NULL, NULL);
	return capture->bell ? NULL : lane_error_errno(errno, "BPF: cannot wait for the programs");
}

static bool read_stack(void *arg, bool user, uint32_t id, uint64_t *addresses)
{
	return capture_bpf_stack(arg, user, id, addresses);
}

static bool read_copy(void *arg, uint32_t number, struct lane_bpf_stack_copy *copy)
{
	return capture_bpf_stack_copy(arg, number, copy);
}

/* Processes have other numbers in /proc where this one is not in the first namespace. */
static struct lane_error *open_stacks(struct lane_capture *capture)
{
	const struct lane_bpf_stack_source source = {
		.read = read_stack,
		.copy = capture->settings.has_copies ? read_copy : NULL,
		.arg = capture->object,
		.root = capture_bpf_tasks_fd(capture->object) < 0 ? "" : NULL,
	};
	struct lane_capture_kind *kinds = capture->plan.kinds;
	bool is_sampled = false;

	for (unsigned int i = 0; i < capture->n_lanes; i++)
		if (capture->lanes[i].is_on)
			is_sampled |=
				capture_bpf_sample(capture->object, capture->lanes[i].ring.cpu);
	kinds[LANE_STACK] =
		(struct lane_capture_kind){ .recorded = true, .origin = LANE_ORIGIN_TRACEPOINT };
	snprintf(kinds[LANE_STACK].hook, sizeof(kinds[LANE_STACK].hook), "bpf_get_stackid%s",
		 is_sampled ? ", perf:cpu-clock" : "");
	kinds[LANE_STACK_FRAME] = (struct lane_capture_kind){ .recorded = true,
							      .origin = LANE_ORIGIN_SNAPSHOT,
							      .hook = "/proc" };
	return capture_bpf_stacks_open(&source, &capture->stacks);
}

static struct lane_error *open_all(struct lane_capture *capture,
				   const struct lane_capture_config *config)
{
	struct lane_error *err;
	size_t bytes;

	err = capture_bpf_ring_bytes(config->buffer_bytes, (size_t)sysconf(_SC_PAGESIZE), &bytes);
	if (!err)
		err = capture_bpf_running_open(&capture->running);
	if (!err)
		err = capture_bpf_settings(config, bytes,
					   capture_bpf_running_switch_arg(capture->running),
					   &capture->settings);
	capture->settings.hz = capture_kernel_hz(config->host->release);
	capture->settings.has_stacks = config->has_stacks;
	capture->settings.has_copies = config->has_copies;
	if (!err)
		err = load(capture, config, bytes);
	if (!err && capture->settings.follow)
		err = capture_bpf_follow_seed(capture_bpf_followed_fd(capture->object),
					      capture_bpf_tasks_fd(capture->object),
					      config->follow_pid, config->comm);
	if (!err && config->has_stacks)
		err = open_stacks(capture);
	if (!err && config->sink)
		use_sink(capture, config->sink);
	else if (!err)
		err = create_trace(capture, config->host);
	return err;
}

static void close_bpf(struct lane_capture *capture)
{
	if (!capture)
		return;
	ring_buffer__free(capture->bell);
	capture_bpf_unload(capture->object);
	capture_bpf_stacks_close(capture->stacks);
	capture_bpf_memory_close(&capture->rings);
	capture_bpf_memory_close(&capture->spare_rings);
	if (capture->trace)
		lane_error_free(lane_ctf_close(capture->trace));
	capture_bpf_running_close(capture->running);
	free(capture->lanes);
	free(capture);
}

static struct lane_error *open_bpf(const struct lane_capture_config *config,
				   struct lane_capture **capture)
{
	struct lane_capture *c = calloc(1, sizeof(*c));
	struct lane_error *err;

	if (!c)
		return &lane_enomem;
	c->rings.fd = c->spare_rings.fd = -1;
	c->dir_fd = config->dir_fd;
	err = open_all(c, config);
	if (err) {
		close_bpf(c);
		return err;
	}
	/* Types and symbols were for loading. */
	capture_bpf_running_close(LANE_TAKE(c->running));
	*capture = c;
	return NULL;
}

static const struct lane_capture_kind *bpf_kinds(const struct lane_capture *capture)
{
	return capture->plan.kinds;
}

static struct lane_error *bpf_start(struct lane_capture *capture)
{
	capture->missed_before = capture_bpf_missed(capture->object);
	capture->started = true;
	capture_bpf_enable(capture->object, true);
	if (!capture->plan.kinds[LANE_STATEDUMP].recorded)
		return NULL;
	return capture_bpf_snapshot(capture_bpf_followed_fd(capture->object),
				    capture_bpf_tasks_fd(capture->object), capture->settings.follow,
				    put_record, &capture->lanes[0]);
}

/* Tells the stream what its CPU has lost by now. */
static struct lane_error *drain_lost(struct lane_capture *capture, struct lane *lane, bool last)
{
	uint64_t at_ns, total;

	total = capture_bpf_loss_cpu(&lane->loss, capture_bpf_cpu(capture->object, lane->ring.cpu),
				     last, &at_ns);
	return put_lost(lane, total, at_ns);
}

/* What was lost on no CPU that is known is told with the first one's. */
static void count_elsewhere(struct lane_capture *capture, bool last)
{
	uint64_t spared = 0;

	for (unsigned int i = 0; i < capture->n_lanes; i++)
		spared += capture_bpf_loss_spared(
			capture_bpf_cpu(capture->object, capture->lanes[i].ring.cpu));
	capture_bpf_loss_elsewhere(&capture->lanes[0].loss, &capture->missed, spared, last);
}

/* *all: everything that was in the rings has been read. */
static struct lane_error *bpf_drain(struct lane_capture *capture, bool last, bool *all)
{
	struct lane_error *err = NULL;

	*all = true;
	count_elsewhere(capture, last);
	for (unsigned int i = 0; i < capture->n_lanes && !err; i++) {
		struct lane *lane = &capture->lanes[i];
		uint64_t horizon = capture_now_ns() - CLOCK_MARGIN_NS;
		struct lane_bpf_drained drained;
		unsigned int permille;
		uint64_t stood_ns;

		err = capture_bpf_ring_drain(&lane->ring, put_record, lane, &drained);
		permille = (unsigned int)(drained.filled * 1000 / lane->ring.bytes);
		if (permille > capture->fill_permille)
			capture->fill_permille = permille;
		stood_ns = capture_bpf_ring_stood(&lane->ring, &drained, horizon);
		if (stood_ns > capture->figures.stood_ns) {
			capture->figures.stood_ns = stood_ns;
			capture->figures.stood_cpu = lane->ring.cpu;
		}
		if (!err)
			err = drain_lost(capture, lane, last);
		/* An unfinished record may still turn out older than what has been read since. */
		if (!err && drained.is_complete)
			err = put_horizon(lane, horizon);
		*all &= drained.is_complete;
	}
	return err;
}

static struct lane_error *poll_bpf(struct lane_capture *capture, int timeout_ms)
{
	int result;
	bool all;

	result = ring_buffer__poll(capture->bell, timeout_ms);
	if (result < 0 && result != -EINTR)
		return lane_error_errno(-result, "BPF: waiting for the programs");
	return bpf_drain(capture, false, &all);
}

static void count_missed(struct lane_capture *capture)
{
	const struct lane_bpf_missed now = capture_bpf_missed(capture->object);
	const struct lane_bpf_missed *before = &capture->missed_before;

	/* When the kernel does not tell any more, what it has told stands. */
	if (now.fired > before->fired + capture->missed.fired)
		capture->missed.fired = now.fired - before->fired;
	if (now.events > before->events + capture->missed.events)
		capture->missed.events = now.events - before->events;
}

static void bpf_stats(struct lane_capture *capture, struct lane_capture_stats *figures)
{
	uint64_t learnt = 0;

	if (capture->trace) {
		if (capture->started)
			count_missed(capture);
		lane_ctf_figures(capture->trace, &capture->figures.events, &capture->figures.bytes,
				 &capture->figures.lost);
	}
	capture->figures.unfollowed = 0;
	capture->figures.stacks_lost =
		capture->stacks ? capture_bpf_stacks_lost(capture->stacks) : 0;
	for (unsigned int i = 0; i < capture->n_lanes; i++) {
		capture->figures.unfollowed += capture->lanes[i].ring.on->unfollowed;
		capture->figures.stacks_lost += capture->lanes[i].ring.on->stacks_lost;
		learnt += capture->lanes[i].ring.on->learnt;
	}
	if (learnt > LANE_BPF_MAX_CONTEXTS)
		capture->figures.forgotten = learnt - LANE_BPF_MAX_CONTEXTS;
	*figures = capture->figures;
	figures->buffer_bytes = capture->lanes[0].ring.bytes;
	figures->fill_permille = capture->fill_permille;
	capture->fill_permille = 0;
}

static uint64_t lost(struct lane_capture *capture, unsigned int cpu)
{
	for (unsigned int i = 0; i < capture->n_lanes; i++)
		if (capture->lanes[i].ring.cpu == cpu && capture->lanes[i].is_on)
			return capture->trace ? lane_ctf_stream_lost(capture->lanes[i].stream)
					      : capture->lanes[i].lost;
	return LANE_NOT_COUNTED;
}

static uint64_t events(struct lane_capture *capture, unsigned int cpu)
{
	for (unsigned int i = 0; i < capture->n_lanes; i++)
		if (capture->lanes[i].ring.cpu == cpu && capture->lanes[i].is_on)
			return capture->trace ? lane_ctf_stream_events(capture->lanes[i].stream)
					      : capture->lanes[i].events;
	return LANE_NOT_COUNTED;
}

/* Completes the files, keeps what is to be told of them. */
static struct lane_error *close_trace(struct lane_capture *capture)
{
	struct lane_error *err = NULL, *closing;

	/* After an error, too: what the other CPUs still have is then lost, and to be counted. */
	for (unsigned int i = 0; i < capture->n_lanes; i++) {
		closing = put_horizon(&capture->lanes[i], UINT64_MAX);
		if (err)
			lane_error_free(closing);
		else
			err = closing;
	}
	if (!capture->trace)
		return err;
	lane_ctf_figures(capture->trace, &capture->figures.events, &capture->figures.bytes,
			 &capture->figures.lost);
	for (unsigned int i = 0; i < capture->n_lanes; i++) {
		if (!capture->lanes[i].stream)
			continue;
		capture->lanes[i].lost = lane_ctf_stream_lost(capture->lanes[i].stream);
		capture->lanes[i].events = lane_ctf_stream_events(capture->lanes[i].stream);
	}
	closing = lane_ctf_close(LANE_TAKE(capture->trace));
	if (!err)
		return closing;
	lane_error_free(closing);
	return err;
}

static struct lane_error *bpf_stop(struct lane_capture *capture)
{
	struct lane_error *err = NULL, *closing;
	const struct timespec wait = { .tv_nsec = 1000000 };
	bool all = false;

	capture_bpf_enable(capture->object, false);
	/* What is missed from now on is no loss. */
	count_missed(capture);
	/* Programs that were running when they were told to stop write their last records. */
	for (int waited = 0; capture->started && waited < STOP_WAIT_MS && !err; waited++) {
		nanosleep(&wait, NULL);
		err = bpf_drain(capture, false, &all);
		if (all && waited >= 5)
			break;
	}
	if (!err && capture->started)
		err = bpf_drain(capture, true, &all);
	closing = close_trace(capture);
	if (!err)
		return closing;
	lane_error_free(closing);
	return err;
}

const struct lane_backend lane_backend_bpf = {
	.name = "bpf",
	.help = "BPF programs: tracepoints, and i915's functions where those are not compiled in",
	.open = open_bpf,
	.kinds = bpf_kinds,
	.start = bpf_start,
	.poll = poll_bpf,
	.stop = bpf_stop,
	.stats = bpf_stats,
	.lost = lost,
	.events = events,
	.close = close_bpf,
};

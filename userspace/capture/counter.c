// SPDX-License-Identifier: MIT
// The backend "counters": a trace of its own for what is read of the GPUs' counters.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/ctf.h"
#include "capture/capture.h"
#include "capture/counter.h"

#define PACKET_BYTES 65536
#define QUICK	     10	     /* quick rounds in the time of one */
#define LEAST_NS     1000000 /* between two quick ones */

struct lane_capture {
	struct lane_capture_kind kinds[LANE_KIND_COUNT];
	struct lane_counter_set *set;
	struct lane_ctf_trace *trace;
	struct lane_ctf_stream *stream;
	struct lane_capture_stats figures; /* when the trace is closed */
	uint64_t period_ns, due_ns;
	uint64_t quick_ns; /* when the next quick round is due, while clocks change */
	struct lane_counter_budget budget; /* what quick ones may take beside the others */
};

static struct lane_error *counter_put(void *arg, const struct lane_wire *record)
{
	return lane_ctf_append(((struct lane_capture *)arg)->stream, record);
}

static void close_counters(struct lane_capture *capture)
{
	if (!capture)
		return;
	capture_counter_close(capture->set);
	if (capture->trace)
		lane_error_free(lane_ctf_close(capture->trace));
	free(capture);
}

static struct lane_error *counter_open_all(const struct lane_capture_config *config,
					   struct lane_capture *capture)
{
	const struct lane_host *host = config->host;
	struct lane_counter_config how = config->counters;
	struct lane_error *err;

	err = lane_ctf_create(config->dir_fd, "counters",
			      &(struct lane_ctf_env){ .hostname = host->name,
						      .kernel_release = host->release,
						      .clock_uuid = host->boot_id,
						      .epoch_offset_ns = host->epoch_offset_ns,
						      .tracer = "counters",
						      .begin_ns = capture_now_ns(),
						      .has_free_stream = true },
			      &capture->trace);
	if (!err)
		err = lane_ctf_stream(capture->trace, LANE_CTF_NO_CPU, PACKET_BYTES,
				      &capture->stream);
	how.open_pmu = capture_counter_perf;
	how.arg = capture;
	how.put = counter_put;
	return err ? err : capture_counter_open(&how, &capture->set);
}

static struct lane_error *open_counters(const struct lane_capture_config *config,
					struct lane_capture **capture)
{
	struct lane_capture *c = calloc(1, sizeof(*c));
	struct lane_error *err;

	if (!c)
		return &lane_enomem;
	c->period_ns = config->counters.period_ns;
	for (int kind = 0; kind < LANE_KIND_COUNT; kind++)
		if (lane_is_counter((unsigned int)kind))
			c->kinds[kind] =
				(struct lane_capture_kind){ .recorded = true,
							    .origin = LANE_ORIGIN_SNAPSHOT };
	err = counter_open_all(config, c);
	if (err)
		close_counters(LANE_TAKE(c));
	*capture = c;
	return err;
}

static const struct lane_capture_kind *counter_kinds(const struct lane_capture *capture)
{
	return capture->kinds;
}

static struct lane_error *counter_start(struct lane_capture *capture)
{
	capture->due_ns = capture_now_ns() + capture->period_ns;
	capture_counter_may_spend(&capture->budget, capture_now_ns());
	return capture_counter_round(capture->set, false);
}

/* The next round, of which kind it is. */
static uint64_t counter_next_of(const struct lane_capture *capture, bool *is_quick)
{
	*is_quick = capture_counter_changes(capture->set) && capture->budget.left_ns > 0 &&
		    capture->quick_ns < capture->due_ns;
	return *is_quick ? capture->quick_ns : capture->due_ns;
}

static int wait_ms(const struct lane_capture *capture)
{
	bool is_quick;
	uint64_t next_ns = counter_next_of(capture, &is_quick), now_ns = capture_now_ns();

	return next_ns > now_ns ? (int)((next_ns - now_ns) / 1000000 + 1) : 1;
}

/* What this thread has had of a CPU. */
static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static struct lane_error *poll_counters(struct lane_capture *capture, int timeout_ms)
{
	uint64_t now_ns = capture_now_ns(), before_ns = used_ns();
	struct lane_error *err = NULL;
	bool is_quick;
	uint64_t next_ns = counter_next_of(capture, &is_quick);

	if (timeout_ms > 0 && now_ns < next_ns) {
		const struct timespec wait = { .tv_nsec = (long)timeout_ms * 1000000 % 1000000000 };

		nanosleep(&wait, NULL);
		now_ns = capture_now_ns();
	}
	is_quick &= now_ns < capture->due_ns;
	if (now_ns + (is_quick ? 0 : capture->period_ns / 4) >= next_ns) {
		/* Rounds that came too late are left out, not made up for. */
		if (!is_quick)
			capture->due_ns += capture->period_ns;
		if (capture->due_ns <= now_ns)
			capture->due_ns = now_ns + capture->period_ns;
		capture->quick_ns = now_ns + capture->period_ns / QUICK;
		if (capture->quick_ns < now_ns + LEAST_NS)
			capture->quick_ns = now_ns + LEAST_NS;
		err = capture_counter_round(capture->set, is_quick);
	}
	if (!err)
		err = lane_ctf_flush(capture->stream, now_ns);
	capture_counter_may_spend(&capture->budget, now_ns);
	capture_counter_spend(&capture->budget, used_ns() - before_ns);
	return err;
}

static struct lane_error *counter_stop(struct lane_capture *capture)
{
	struct lane_error *err = capture_counter_round(capture->set, false), *closing;

	if (!err)
		err = lane_ctf_flush(capture->stream, UINT64_MAX);
	lane_ctf_figures(capture->trace, &capture->figures.events, &capture->figures.bytes,
			 &capture->figures.lost);
	closing = lane_ctf_close(LANE_TAKE(capture->trace));
	if (!err)
		return closing;
	lane_error_free(closing);
	return err;
}

static void counter_stats(struct lane_capture *capture, struct lane_capture_stats *figures)
{
	if (capture->trace)
		lane_ctf_figures(capture->trace, &capture->figures.events, &capture->figures.bytes,
				 &capture->figures.lost);
	capture->figures.left_out = capture_counter_left_out(capture->set);
	capture->figures.kinds_read = capture_counter_read(capture->set);
	capture->figures.kinds_left = capture_counter_left_alone(capture->set);
	*figures = capture->figures;
}

const struct lane_backend lane_backend_counters = {
	.name = "counters",
	.help = "counters of the GPUs, which are read again and again",
	.open = open_counters,
	.kinds = counter_kinds,
	.start = counter_start,
	.poll = poll_counters,
	.wait_ms = wait_ms,
	.stop = counter_stop,
	.stats = counter_stats,
	.close = close_counters,
};

// SPDX-License-Identifier: MIT
// What the programs have lost.
#include "capture/bpf_loss.h"

#include "capture/host.h"

struct counts {
	uint64_t ring;
	uint64_t fired, seen;
};

static struct counts read_counts(const volatile struct lane_bpf_cpu *cpu)
{
	struct counts counts;

	/* In this order nothing that is on its way is taken for seen and not fired. */
	counts.seen = cpu->seen;
	counts.fired = cpu->fired;
	counts.ring = cpu->lost;
	return counts;
}

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* What was there at the last call and is there now has come to stay. */
static void bpf_loss_settle(struct lane_bpf_dropped *loss, uint64_t now, bool last)
{
	uint64_t both = last || now < loss->before ? now : loss->before;

	loss->before = now;
	if (both > loss->total)
		loss->total = both;
}

uint64_t capture_bpf_loss_cpu(struct lane_bpf_loss *loss, const volatile struct lane_bpf_cpu *cpu,
			      bool last, uint64_t *at_ns)
{
	struct counts before, after = read_counts(cpu);

	/* A time at which they did not change, unless they change all the time. */
	for (int tries = 0; tries < 8; tries++) {
		before = after;
		*at_ns = capture_now_ns();
		after = read_counts(cpu);
		if (before.ring == after.ring &&
		    more(before.fired, before.seen) == more(after.fired, after.seen))
			break;
	}
	bpf_loss_settle(&loss->here, more(after.fired, after.seen), last);
	return after.ring + loss->here.total + loss->elsewhere.total;
}

uint64_t capture_bpf_loss_spared(const volatile struct lane_bpf_cpu *cpu)
{
	struct counts counts = read_counts(cpu);

	return more(counts.seen, counts.fired);
}

void capture_bpf_loss_elsewhere(struct lane_bpf_loss *loss, const struct lane_bpf_missed *missed,
				uint64_t spared, bool last)
{
	bpf_loss_settle(&loss->elsewhere, missed->events + more(missed->fired, spared), last);
}

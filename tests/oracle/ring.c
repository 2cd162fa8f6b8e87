/* SPDX-License-Identifier: MIT */
/*
 * Ring submission, up to Gen7: Linux 6.1, gt/intel_ring_submission.c. An engine has one ring and
 * one timeline for all contexts; a submission moves the ring's tail, i9xx_submit_request().
 */
#include "gpu.h"

static void goes_on(struct engine *engine)
{
	struct hardware *hw = &engine->hw;
	struct request *rq = hw_next_request(&hw->elements[0]);

	if (!rq) {
		hw->state = HW_IDLE;
		hw->n_elements = 0;
		return;
	}
	gpu.statistics.coalesced++;
	hw_run(engine, rq, moment_new(machine.now, hw->last_end, NULL));
}

static void ring_submit_request(struct request *rq)
{
	struct engine *engine = rq->engine;

	spin_lock_irq(engine->lock);
	request_submit(rq);
	spin_unlock_irq(engine->lock);
	spend(between(50, 300));
	hw_extend(engine, rq->context, rq->seqno);
}

void ring_setup(struct engine *engine)
{
	engine->submit_request = ring_submit_request;
	hw_ring_empty = goes_on;
}

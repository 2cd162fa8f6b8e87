// SPDX-License-Identifier: MIT
// Events are lost: what can no longer be concluded.
#include "timeline/loss.h"
#include "timeline/drm/drm_ring.h"
#include "timeline/i915/chain.h"
#include "timeline/sched/idle.h"
#include "timeline/losses.h"

static void doubt_all(struct lane_timeline *tl, uint64_t now_ns, uint64_t until_ns)
{
	for (uint32_t i = 0; i < tl->n_engines; i++) {
		if (tl->engine_by_id[i]->ring) {
			timeline_idle_cut(tl, tl->engine_by_id[i], now_ns);
			timeline_engine_doubt(tl->engine_by_id[i], until_ns);
			continue;
		}
		/* The events that are held of a run of the tasklet are read now, and may not be all
		 * of it. */
		if (!tl->engine_by_id[i]->tasklet.n)
			timeline_idle_cut(tl, tl->engine_by_id[i], now_ns);
		timeline_chain_doubt(tl, tl->engine_by_id[i], now_ns, until_ns);
		tl->engine_by_id[i]->proof.lost_epoch = tl->engine_by_id[i]->proof.epoch;
	}
}

void timeline_loss_advance(struct lane_timeline *tl, uint64_t now_ns)
{
	/* What happened in a loss is as uncertain at its end as at its beginning. */
	if (tl->loss_end && tl->loss_end <= now_ns) {
		doubt_all(tl, tl->loss_end, tl->loss_end);
		tl->loss_end = 0;
	}
	while (tl->next_loss < tl->n_losses && tl->losses[tl->next_loss].begin_ns < now_ns) {
		const struct lane_loss *loss = &tl->losses[tl->next_loss++];

		doubt_all(tl, loss->begin_ns, loss->end_ns);
		if (loss->end_ns > now_ns)
			tl->loss_end = loss->end_ns;
		else
			doubt_all(tl, loss->end_ns, loss->end_ns);
	}
}

void timeline_loss_event(struct lane_timeline *tl, const struct lane_event *event)
{
	const struct lane_p_gpulane_lost *lost = &event->u.gpulane_lost;
	struct lane_loss loss = timeline_loss_of(lost);

	loss.is_ambiguous = event->raw.narrow;
	if (loss.end_ns < loss.begin_ns)
		loss.end_ns = loss.begin_ns;
	tl->figures.lost += lost->count;
	tl->figures.lost_uncounted |= !lost->count;
	if (tl->hooks.loss)
		tl->hooks.loss(tl->hooks.arg, &loss);
	if (tl->has_known_losses && timeline_loss_is_foreseen(tl, &loss)) {
		/* For events of one time, this record tells which came before the loss, and which
		 * after. */
		timeline_loss_advance(tl, loss.begin_ns + 1);
		if (timeline_loss_is_instant(&loss))
			doubt_all(tl, loss.end_ns, loss.end_ns);
		return;
	}
	tl->figures.loss_unforeseen |= loss.begin_ns <= tl->now.ns;
	if (!timeline_loss_add(tl, &loss))
		tl->no_memory = true;
	timeline_loss_advance(tl, event->wire.ts_ns);
}

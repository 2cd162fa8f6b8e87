// SPDX-License-Identifier: MIT
// What threads that are about pictures did of late.
#include "latency/frame_threads.h"

void latency_frame_threads_meet(struct lane_frame_threads *threads, int32_t tid)
{
	struct lane_frame_thread *oldest = &threads->of[0];

	threads->met++;
	for (int i = 0; i < LANE_FRAME_THREADS; i++) {
		struct lane_frame_thread *thread = &threads->of[i];

		if (thread->met && thread->tid == tid) {
			thread->met = threads->met;
			return;
		}
		if (thread->met < oldest->met)
			oldest = thread;
	}
	oldest->tid = tid;
	oldest->met = threads->met;
	oldest->n = 0;
}

static const struct lane_frame_thread *frame_threads_find(const struct lane_frame_threads *threads,
							  int32_t tid)
{
	for (int i = 0; i < LANE_FRAME_THREADS; i++)
		if (threads->of[i].met && threads->of[i].tid == tid)
			return &threads->of[i];
	return NULL;
}

void latency_frame_threads_state(struct lane_frame_threads *threads,
				 const struct lane_thread_interval *interval)
{
	for (int i = 0; threads->met && i < LANE_FRAME_THREADS; i++) {
		struct lane_frame_thread *thread = &threads->of[i];

		if (!thread->met || thread->tid != interval->thread->tid)
			continue;
		thread->last[thread->n++ % LANE_FRAME_STATES] =
			(struct lane_frame_state){ interval->begin_ns, interval->end_ns,
						   interval->state };
		return;
	}
}

struct lane_frame_did latency_frame_threads_did(const struct lane_frame_threads *threads,
						int32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	const struct lane_frame_thread *thread = frame_threads_find(threads, tid);
	struct lane_frame_did did = { 0 };

	for (uint64_t i = thread ? thread->n : 0; i && thread->n - i < LANE_FRAME_STATES; i--) {
		const struct lane_frame_state *state = &thread->last[(i - 1) % LANE_FRAME_STATES];
		uint64_t ns = timeline_overlap(state->begin_ns, state->end_ns, from_ns, to_ns);

		if (state->end_ns <= from_ns) /* so do those before it */
			break;
		if (state->state == LANE_THREAD_RUNNING)
			did.ran_ns += ns;
		else if (state->state == LANE_THREAD_RUNNABLE)
			did.waited_ns += ns;
		else if (state->state == LANE_THREAD_BLOCKED)
			did.slept_ns += ns;
	}
	return did;
}

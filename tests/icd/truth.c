// SPDX-License-Identifier: MIT
// The truth: which command of which thread went into which requests, and when, on the CPU's clock.
// Written when the program ends, a line for each command and request; a command without a request
// has context 0.
//
// pid,tid,thread_command,command,queue,type,share,shares,context,seqno,queued_ns,submit_ns,start_ns,end_ns
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "icd.h"

struct told {
	int tid;
	unsigned int thread_command;
	cl_command_queue queue;
	cl_command_type type;
	unsigned int share, n_shares, n_requests;
	struct gpu_request requests[ICD_MAX_REQUESTS];
	uint64_t queued_ns, submit_ns;
};

static struct told *told;
static unsigned int n_told, room;

void icd_truth_enqueued(cl_event command)
{
	if (!*icd_options.truth)
		return;
	if (n_told == room) {
		struct told *more = realloc(told, (room * 2 + 64) * sizeof(*told));

		if (!more)
			abort();
		told = more;
		room = room * 2 + 64;
	}
	/* Commands are numbered from 1 in the order in which they come here. */
	told[n_told++] = (struct told){ .tid = command->tid,
					.thread_command = command->thread_command,
					.queue = command->queue,
					.type = command->type,
					.queued_ns = command->queued_ns };
}

void icd_truth_submitted(const struct _cl_event *command)
{
	struct told *t;

	if (!*icd_options.truth || !command->number || command->number > n_told)
		return;
	t = &told[command->number - 1];
	t->submit_ns = command->submit_ns;
	t->share = command->share;
	t->n_shares = command->n_shares;
	t->n_requests = command->n_requests;
	for (unsigned int i = 0; i < t->n_requests; i++)
		t->requests[i] = command->requests[i];
}

static void write_one(FILE *to, unsigned int number, const struct told *t)
{
	for (unsigned int i = 0; i < (t->n_requests ? t->n_requests : 1); i++) {
		struct gpu_request request = { 0, 0 };
		uint64_t start = 0, end = 0;

		if (t->n_requests)
			request = t->requests[i];
		if (!t->n_requests || !gpu_times(&request, &start, &end))
			start = end = 0;
		fprintf(to,
			"%d,%d,%u,%u,%p,0x%x,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 "\n",
			getpid(), t->tid, t->thread_command, number, (void *)t->queue, t->type,
			t->share, t->n_shares, request.ctx, request.seqno, t->queued_ns,
			t->submit_ns, start, end);
	}
}

__attribute__((destructor)) static void write_all(void)
{
	FILE *to = n_told ? fopen(icd_options.truth, "ae") : NULL;

	if (!to)
		return;
	for (unsigned int i = 0; i < n_told; i++)
		write_one(to, i + 1, &told[i]);
	fclose(to);
}

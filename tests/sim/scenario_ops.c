// SPDX-License-Identifier: MIT
// The operations of a scenario's threads.
#include "line.h"

static struct lane_error *read_submit(struct line *l, struct op *op)
{
	struct lane_error *err = line_context(l, &op->target);
	uint64_t count = 1;

	op->after = SIM_NO;
	op->prepare = (struct range){ 2000, 20000 };
	if (!err && line_take(l, "times"))
		err = line_number(l, MAX_COUNT, &count);
	op->count = (uint32_t)count;
	if (!err)
		err = line_range(l, &op->time);
	while (!err && l->at < l->n) {
		if (line_take(l, "listen"))
			op->listen = true;
		else if (line_take(l, "after"))
			err = line_context(l, &op->after);
		else if (line_take(l, "prepare"))
			err = line_range(l, &op->prepare);
		else
			return NULL;
	}
	return err;
}

static struct lane_error *read_wait(struct line *l, struct op *op)
{
	struct lane_error *err = line_context(l, &op->target);

	while (!err && l->at < l->n) {
		if (line_take(l, "oldest"))
			op->oldest = true;
		else if (line_take(l, "fence"))
			op->fence = true;
		else
			break;
	}
	return err;
}

static struct lane_error *read_loop(struct line *l, struct op *op, uint32_t index)
{
	uint64_t count;
	struct lane_error *err;

	if (l->n_loops == MAX_LOOPS)
		return line_fail(l, "loops are nested too deep");
	l->loops[l->n_loops++] = index;
	op->count = UINT32_MAX;
	if (line_take(l, "forever"))
		return NULL;
	err = line_number(l, MAX_COUNT, &count);
	op->count = (uint32_t)count;
	return err;
}

struct lane_error *line_operation(struct line *l)
{
	struct sc_thread *t = &l->sc->threads[l->thread];
	uint32_t index = t->n_ops;
	struct op *op;

	if (line_take(l, "end")) {
		if (!l->n_loops) {
			l->in_thread = false;
			return NULL;
		}
		op = line_add(&t->ops, &t->n_ops, sizeof(*op));
		if (!op)
			return &lane_enomem;
		op->kind = OP_END;
		op->jump = l->loops[--l->n_loops];
		t->ops[op->jump].jump = index + 1;
		return NULL;
	}
	op = line_add(&t->ops, &t->n_ops, sizeof(*op));
	if (!op)
		return &lane_enomem;
	if (line_take(l, "compute"))
		return op->kind = OP_COMPUTE, line_range(l, &op->time);
	if (line_take(l, "submit"))
		return op->kind = OP_SUBMIT, read_submit(l, op);
	if (line_take(l, "wait"))
		return op->kind = OP_WAIT, read_wait(l, op);
	if (line_take(l, "listen"))
		return op->kind = OP_LISTEN, line_context(l, &op->target);
	if (line_take(l, "look"))
		return op->kind = OP_LOOK, line_context(l, &op->target);
	if (line_take(l, "sleep"))
		return op->kind = OP_SLEEP, line_range(l, &op->time);
	if (line_take(l, "lock"))
		return op->kind = OP_LOCK, line_lock(l, &op->target);
	if (line_take(l, "unlock"))
		return op->kind = OP_UNLOCK, line_lock(l, &op->target);
	if (line_take(l, "close"))
		return op->kind = OP_CLOSE, line_context(l, &op->target);
	if (line_take(l, "fork"))
		return op->kind = OP_FORK, line_thread(l, &op->target);
	if (line_take(l, "loop"))
		return op->kind = OP_LOOP, read_loop(l, op, index);
	return line_fail(l, "%s: no such operation (see docs/sim.md)", l->words[0]);
}

/* SPDX-License-Identifier: MIT */
/*
 * A virtual engine, whose requests go to the sibling that takes them first: Linux 6.1,
 * gt/intel_execlists_submission.c, struct virtual_engine. The functions bear the driver's names.
 */
#include "gpu.h"

int virtual_prio(const struct engine *engine)
{
	if (list_empty(&engine->virtuals))
		return INT_MIN;
	return container(engine->virtuals.next, struct virtual_node, link)->prio;
}

bool virtual_matches(const struct virtual_engine *ve, const struct request *rq,
		     const struct engine *engine)
{
	if (!rq || !(rq->mask & engine->mask))
		return false;
	/* Its context may be saved to only one engine's registers: it stays there while it is in
	 * flight. */
	return !ve->context->inflight || ve->context->inflight == engine;
}

void virtual_unlink(struct virtual_engine *ve, const struct engine *engine)
{
	struct virtual_node *node = &ve->nodes[engine->id];

	if (node->is_linked)
		list_remove(&node->link);
	node->is_linked = false;
}

struct virtual_engine *first_virtual_engine(struct engine *engine)
{
	while (!list_empty(&engine->virtuals)) {
		struct virtual_node *node =
			container(engine->virtuals.next, struct virtual_node, link);

		if (virtual_matches(node->ve, node->ve->request, engine))
			return node->ve;
		virtual_unlink(node->ve, engine);
	}
	return NULL;
}

void virtual_xfer_context(struct virtual_engine *ve, struct engine *engine)
{
	if (engine == ve->siblings[0])
		return;
	gpu.statistics.migrations++;
	for (int n = 1; n < ve->n_siblings; n++) {
		if (ve->siblings[n] == engine) {
			ve->siblings[n] = ve->siblings[0];
			ve->siblings[0] = engine;
			return;
		}
	}
}

/* Puts the virtual engine into the sibling's tree; whether it comes first there. */
static bool link_node(struct virtual_node *node, struct engine *sibling, int prio)
{
	bool is_first = sibling->virtuals.next == &node->link;
	struct link *where;

	if (node->is_linked && (prio == node->prio || (prio > node->prio && is_first))) {
		node->prio = prio;
		return is_first;
	}
	if (node->is_linked)
		list_remove(&node->link);
	where = sibling->virtuals.next;
	while (where != &sibling->virtuals &&
	       container(where, struct virtual_node, link)->prio >= prio)
		where = where->next;
	list_insert(&node->link, where);
	node->is_linked = true;
	node->prio = prio;
	return sibling->virtuals.next == &node->link;
}

static void virtual_submission_tasklet(void *arg)
{
	struct virtual_engine *ve = arg;
	int prio = ve->base.priority_hint;
	unsigned mask = ve->request ? ve->request->mask : 0;

	spend(between(20, 100));
	for (int n = 0; mask && n < ve->n_siblings && ve->request; n++) {
		struct engine *sibling = ve->siblings[n];

		spin_lock_irq(sibling->lock);
		spend(between(20, 100));
		if (!(mask & sibling->mask))
			virtual_unlink(ve, sibling);
		else if (link_node(&ve->nodes[sibling->id], sibling, prio) &&
			 prio > sibling->priority_hint)
			tasklet_schedule(&sibling->tasklet);
		spin_unlock_irq(sibling->lock);
		if (ve->context->inflight)
			break;
	}
}

static void virtual_submit_request(struct request *rq)
{
	struct virtual_engine *ve = container(rq->engine, struct virtual_engine, base);

	spin_lock_irq(ve->base.lock);
	if (is_complete(rq)) {
		request_submit(rq);
		spin_unlock_irq(ve->base.lock);
		return;
	}
	if (ve->request)
		request_submit(ve->request); /* it has completed meanwhile */
	ve->base.priority_hint = rq->prio;
	ve->request = rq;
	list_remove(&rq->on_scheduler);
	list_insert(&rq->on_scheduler, priolist(&ve->base, 0));
	spend(between(20, 100));
	tasklet_schedule(&ve->base.tasklet);
	spin_unlock_irq(ve->base.lock);
}

/* resubmit_virtual_request(): back from the physical engine's queue, without a submit event. */
static void resubmit_virtual_request(struct request *rq, struct virtual_engine *ve)
{
	struct engine *engine = rq->engine;

	spin_lock_irq(engine->lock);
	rq->is_in_queue = false;
	rq->engine = &ve->base;
	virtual_submit_request(rq);
	spin_unlock_irq(engine->lock);
}

/* kick_siblings() */
void virtual_kick_siblings(struct request *rq, struct context *ce)
{
	struct virtual_engine *ve = container(ce->engine, struct virtual_engine, base);

	if (ce->is_listening)
		context_remove_breadcrumbs(ce, &rq->engine->breadcrumbs);
	if (rq->is_in_queue && rq->mask != rq->engine->mask)
		resubmit_virtual_request(rq, ve);
	if (ve->request)
		tasklet_schedule(&ve->base.tasklet);
}

void virtual_setup(struct virtual_engine *ve)
{
	struct engine *engine = &ve->base;

	engine->is_virtual = true;
	engine->instance = 65534; /* I915_ENGINE_CLASS_INVALID_VIRTUAL */
	engine->lock = &engine->own_lock;
	engine->queue = engine;
	engine->submit_request = virtual_submit_request;
	engine->priority_hint = INT_MIN;
	engine->tasklet = (struct tasklet){ .run = virtual_submission_tasklet, .arg = ve };
	engine->active = engine->inflight;
	list_init(&engine->priolists);
	list_init(&engine->requests);
	list_init(&engine->virtuals);
	list_init(&engine->hold);
	breadcrumbs_init(&engine->breadcrumbs, NULL);
	for (int i = 0; i < ve->n_siblings; i++) {
		engine->class = ve->siblings[i]->class;
		engine->mask |= ve->siblings[i]->mask;
	}
	for (int i = 0; i < MAX_ENGINES; i++) {
		ve->nodes[i].ve = ve;
		list_init(&ve->nodes[i].link);
	}
}

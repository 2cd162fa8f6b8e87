// SPDX-License-Identifier: MIT
// A device's commands in the order of their starts, though each comes only when it is complete.
#include "timeline/command/command_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define FIRST_ROOM 64 /* a power of two */

/* A command that is back. */
struct held_command {
	uint64_t key;
	uint64_t barrier; /* the newest ticket as it came back */
	void *item;
};

struct lane_order {
	uint64_t next;	 /* the next ticket */
	uint64_t oldest; /* the oldest ticket that is not back; next: there is none */
	uint32_t limit;
	uint64_t missing;	   /* tickets that are not waited for, and not back */
	uint8_t *back;		   /* whether a ticket is back, by ticket modulo room */
	uint32_t room;		   /* a power of two */
	struct held_command *heap; /* by key, smallest first */
	uint32_t n, cap;
	uint64_t last; /* the largest key that was given out */
	struct lane_order_figures figures;
};

struct lane_error *timeline_command_order_create(uint32_t limit, struct lane_order **result)
{
	struct lane_order *order = calloc(1, sizeof(*order));

	if (!order)
		return &lane_enomem;
	order->limit = limit ? limit : 1;
	if (!LANE_GROW(order->back, order->room, FIRST_ROOM)) {
		free(order);
		return &lane_enomem;
	}
	*result = order;
	return NULL;
}

void timeline_command_order_destroy(struct lane_order *order)
{
	if (!order)
		return;
	free(order->back);
	free(order->heap);
	free(order);
}

static uint8_t *back_of(struct lane_order *order, uint64_t ticket)
{
	return &order->back[ticket & (order->room - 1)];
}

static void command_order_settle(struct lane_order *order)
{
	while (order->oldest < order->next && *back_of(order, order->oldest))
		order->oldest++;
}

/* Room for one more ticket; false: there is no memory. */
static bool command_order_widen(struct lane_order *order)
{
	uint32_t before = order->room;

	if (order->next - order->oldest < before)
		return true;
	if (!LANE_GROW(order->back, order->room, 2 * (size_t)before))
		return false;
	/* All of the old room was in use: each place is one ticket's, and half of them move. */
	for (uint64_t ticket = order->oldest; ticket < order->next; ticket++)
		if (ticket & before)
			*back_of(order, ticket) = order->back[ticket & (before - 1)];
	return true;
}

uint64_t timeline_command_order_ticket(struct lane_order *order)
{
	if (order->next - order->oldest == order->limit || !command_order_widen(order)) {
		/* The oldest is too far behind: it is not waited for any more. */
		order->figures.given_up++;
		order->missing++;
		order->oldest++;
		command_order_settle(order);
	}
	*back_of(order, order->next) = 0;
	order->next++;
	if (order->next - order->oldest > order->figures.max_in_flight)
		order->figures.max_in_flight = (uint32_t)(order->next - order->oldest);
	return order->next - 1;
}

void timeline_command_order_drop(struct lane_order *order, uint64_t ticket)
{
	if (ticket < order->oldest)
		order->missing--;
	if (ticket < order->oldest || ticket >= order->next)
		return;
	*back_of(order, ticket) = 1;
	command_order_settle(order);
}

static bool command_order_before(const struct held_command *a, const struct held_command *b)
{
	return a->key != b->key ? a->key < b->key : a->barrier < b->barrier;
}

bool timeline_command_order_give(struct lane_order *order, uint64_t ticket, uint64_t key,
				 void *item)
{
	struct held_command held = { key, order->next ? order->next - 1 : 0, item };
	uint32_t at;

	if (!LANE_GROW(order->heap, order->cap, order->n + 1))
		return false;
	for (at = order->n++; at; at = (at - 1) / 2) {
		struct held_command *up = &order->heap[(at - 1) / 2];

		if (!command_order_before(&held, up))
			break;
		order->heap[at] = *up;
	}
	order->heap[at] = held;
	if (order->n > order->figures.max_held)
		order->figures.max_held = order->n;
	timeline_command_order_drop(order, ticket);
	return true;
}

static void *take_first(struct lane_order *order)
{
	struct held_command first = order->heap[0], moved = order->heap[--order->n];
	uint32_t at = 0;

	for (;;) {
		uint32_t down = 2 * at + 1;

		if (down >= order->n)
			break;
		if (down + 1 < order->n &&
		    command_order_before(&order->heap[down + 1], &order->heap[down]))
			down++;
		if (!command_order_before(&order->heap[down], &moved))
			break;
		order->heap[at] = order->heap[down];
		at = down;
	}
	order->heap[at] = moved;
	order->figures.given_out++;
	if (first.key < order->last)
		order->figures.late++;
	else
		order->last = first.key;
	return first.item;
}

void *timeline_command_order_next(struct lane_order *order, bool all, bool *is_sure)
{
	if (!order->n)
		return NULL;
	*is_sure = order->oldest == order->next || order->heap[0].barrier < order->oldest;
	if (!*is_sure && !all && order->n <= order->limit)
		return NULL;
	*is_sure &= !order->missing && order->heap[0].key >= order->last;
	return take_first(order);
}

const struct lane_order_figures *timeline_command_order_figures(const struct lane_order *order)
{
	return &order->figures;
}

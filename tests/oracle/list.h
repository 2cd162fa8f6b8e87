/* SPDX-License-Identifier: MIT */
/* A circular list whose links sit in what it links. */
#ifndef ORACLE_LIST_H
#define ORACLE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct link {
	struct link *prev, *next;
};

#define container(node, type, member) ((type *)((char *)(node)-offsetof(type, member)))
#define each_link(it, head)	      for (struct link *it = (head)->next; it != (head); it = it->next)
#define each_link_safe(it, head)                                                                   \
	for (struct link *it = (head)->next, *it##_next = it->next; it != (head);                  \
	     it = it##_next, it##_next = it->next)

static inline void list_init(struct link *head)
{
	head->prev = head->next = head;
}

static inline bool list_empty(const struct link *head)
{
	return head->next == head;
}

/* Puts `node` in front of `at`: at the end when `at` is the head. */
static inline void list_insert(struct link *node, struct link *at)
{
	node->prev = at->prev;
	node->next = at;
	at->prev->next = node;
	at->prev = node;
}

/* A node that is in no list points to itself, so taking it out twice does no harm. */
static inline void list_remove(struct link *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

static inline void list_move_tail(struct link *node, struct link *head)
{
	list_remove(node);
	list_insert(node, head);
}

static inline void list_move_head(struct link *node, struct link *head)
{
	list_remove(node);
	list_insert(node, head->next);
}

#endif

// SPDX-License-Identifier: MIT
// Rows: a bitmap per group, a table of what is open.
#include "show/track_rows.h"

#include <stdlib.h>
#include <string.h>

struct row_group {
	uint64_t *used; /* a bit per row */
	uint32_t words;
	uint32_t open;
};

static struct row_group *group_of(struct lane_track_rows *rows, struct lane_rows_key key)
{
	struct row_group *group = lane_table_get(&rows->groups, key.a, key.b);

	if (group)
		return group;
	rows->pool.size = sizeof(*group);
	group = lane_pool_get(&rows->pool);
	if (group && lane_table_put(&rows->groups, key.a, key.b, group))
		return group;
	rows->no_memory = true;
	return NULL;
}

/* The first row that is free, which it is no more. */
static uint32_t first_free(struct row_group *group)
{
	uint64_t *used;
	uint32_t i = 0;

	while (i < group->words && group->used[i] == UINT64_MAX)
		i++;
	if (i == group->words) {
		used = reallocarray(group->used, i + 1, sizeof(*used));
		if (!used)
			return LANE_ROW_NONE;
		group->used = used;
		group->used[group->words++] = 0;
	}
	for (uint32_t bit = 0;; bit++) {
		if (group->used[i] >> bit & 1)
			continue;
		group->used[i] |= 1ull << bit;
		return 64 * i + bit;
	}
}

uint32_t show_rows_take(struct lane_track_rows *rows, struct lane_rows_key group_key,
			struct lane_rows_key thing)
{
	/* A value in the table is not NULL: rows are numbered from 1 there. */
	uintptr_t known = (uintptr_t)lane_table_get(&rows->open, thing.a, thing.b);
	struct row_group *group;
	uint32_t row;

	if (known)
		return (uint32_t)(known - 1);
	group = group_of(rows, group_key);
	row = group ? first_free(group) : LANE_ROW_NONE;
	if (row == LANE_ROW_NONE ||
	    !lane_table_put(&rows->open, thing.a, thing.b, (void *)((uintptr_t)row + 1))) {
		rows->no_memory = true;
		return LANE_ROW_NONE;
	}
	group->open++;
	return row;
}

uint32_t show_rows_give(struct lane_track_rows *rows, struct lane_rows_key group_key,
			struct lane_rows_key thing)
{
	uintptr_t known = (uintptr_t)lane_table_get(&rows->open, thing.a, thing.b);
	struct row_group *group = lane_table_get(&rows->groups, group_key.a, group_key.b);
	uint32_t row = (uint32_t)(known - 1);

	if (!known)
		return LANE_ROW_NONE;
	lane_table_del(&rows->open, thing.a, thing.b);
	if (group && row / 64 < group->words) {
		group->used[row / 64] &= ~(1ull << row % 64);
		group->open--;
	}
	return row;
}

uint32_t show_rows_open(const struct lane_track_rows *rows, struct lane_rows_key key)
{
	const struct row_group *group = lane_table_get(&rows->groups, key.a, key.b);

	return group ? group->open : 0;
}

void show_rows_free(struct lane_track_rows *rows)
{
	for (size_t i = 0; rows->groups.slots && i <= rows->groups.mask; i++)
		if (rows->groups.slots[i].value)
			free(((struct row_group *)rows->groups.slots[i].value)->used);
	lane_table_free(&rows->groups);
	lane_table_free(&rows->open);
	lane_pool_free(&rows->pool);
	memset(rows, 0, sizeof(*rows));
}

// SPDX-License-Identifier: MIT
// Arrays that grow: the room doubles, so that an item costs the same however many there are.
#include "base/vector.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *lane_vector_grow(void *items, size_t *room, size_t wanted, size_t most, size_t bytes)
{
	size_t larger = *room ? *room : 1;
	char *grown;

	if (most > PTRDIFF_MAX / bytes)
		most = PTRDIFF_MAX / bytes;
	if (wanted > most)
		return NULL;
	while (larger < wanted)
		larger = larger <= most / 2 ? 2 * larger : most;
	grown = reallocarray(items, larger, bytes);
	if (!grown)
		return NULL;
	memset(grown + *room * bytes, 0, (larger - *room) * bytes);
	*room = larger;
	return grown;
}

bool lane_vector_reach(void *array, uint32_t *room, size_t wanted, size_t bytes)
{
	size_t more = *room;
	void *items;

	if (wanted <= more)
		return true;
	memcpy(&items, array, sizeof(items));
	items = lane_vector_grow(items, &more, wanted, UINT32_MAX, bytes);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*room = (uint32_t)more;
	return true;
}

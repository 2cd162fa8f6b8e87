/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow, typed by the pointer to their items:
 *
 *   struct thing *things; uint32_t n, room;
 *
 *   if (!LANE_GROW(things, room, n + 1))
 *           return &lane_enomem;
 *   things[n++] = thing;
 *
 * What is new is zeroed. When there is no memory, or the size is beyond what a size_t or the
 * counter can say, nothing has changed.
 */
#ifndef LANE_BASE_VECTOR_H
#define LANE_BASE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives items[0 .. wanted - 1] room; room is how many there is room for. False: no memory. */
#define LANE_GROW(items, room, wanted)                                                             \
	({                                                                                         \
		const size_t wanted_ = (wanted);                                                   \
		size_t room_ = (room);                                                             \
		bool is_there_ = wanted_ <= room_;                                                 \
                                                                                                   \
		if (!is_there_) {                                                                  \
			void *larger_ =                                                            \
				lane_vector_grow((items), &room_, wanted_, LANE_VECTOR_MOST(room), \
						 sizeof(*(items)));                                \
                                                                                                   \
			is_there_ = larger_ != NULL;                                               \
			if (is_there_) {                                                           \
				(items) = larger_;                                                 \
				(room) = (__typeof__(room))room_;                                  \
			}                                                                          \
		}                                                                                  \
		is_there_;                                                                         \
	})

/*
 * The same for one more than the n items, of an array without a counter for its room: it has been
 * grown by this alone, from NULL, and has room for the next power of two.
 */
#define LANE_GROW_BY_ONE(items, n)                                                                 \
	({                                                                                         \
		const size_t n_ = (n);                                                             \
		size_t room_ = n_;                                                                 \
		bool is_there_ = n_ & (n_ - 1);                                                    \
                                                                                                   \
		if (!is_there_) {                                                                  \
			void *larger_ = lane_vector_grow((items), &room_, n_ + 1,                  \
							 LANE_VECTOR_MOST(n), sizeof(*(items)));   \
                                                                                                   \
			is_there_ = larger_ != NULL;                                               \
			if (is_there_)                                                             \
				(items) = larger_;                                                 \
		}                                                                                  \
		is_there_;                                                                         \
	})

/* Another item behind the n that there are, zeroed; n counts it. NULL: no memory. */
#define LANE_APPEND(items, n, room)                                                                \
	({                                                                                         \
		__typeof__(items) added_ = NULL;                                                   \
                                                                                                   \
		if (LANE_GROW(items, room, (size_t)(n) + 1)) {                                     \
			added_ = &(items)[(n)++];                                                  \
			*added_ = (__typeof__(*(items))){ 0 };                                     \
		}                                                                                  \
		added_;                                                                            \
	})

/* The item of that number, with room for it; n counts all up to it, and those that are new are
 * zeroed. NULL: no memory. */
#define LANE_REACH(items, n, room, number)                                                         \
	({                                                                                         \
		const size_t number_ = (number);                                                   \
		__typeof__(items) reached_ = NULL;                                                 \
                                                                                                   \
		if (number_ < (n)) {                                                               \
			reached_ = &(items)[number_];                                              \
		} else if (LANE_GROW(items, room, number_ + 1)) {                                  \
			(n) = (__typeof__(n))(number_ + 1);                                        \
			reached_ = &(items)[number_];                                              \
		}                                                                                  \
		reached_;                                                                          \
	})

/* The largest value of a counter, which is unsigned. */
#define LANE_VECTOR_MOST(counter) ((size_t)(__typeof__(counter))-1)

/*
 * What the macros call: an array of at least `wanted` items of so many bytes, the first *room of
 * which are those of items, the others zero; *room becomes how many there are, most at the most.
 * NULL: no memory, or too many; items and *room are as before.
 */
void *lane_vector_grow(void *items, size_t *room, size_t wanted, size_t most, size_t bytes);

/* LANE_GROW where only the size of an item is known: `array` points to the pointer to the items. */
bool lane_vector_reach(void *array, uint32_t *room, size_t wanted, size_t bytes);

#endif

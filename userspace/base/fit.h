/* SPDX-License-Identifier: MIT */
/*
 * Text by which things are told apart, in a field that may be too short for it.
 *
 * What does not fit is cut, and ends in ~ and eight hexadecimal digits that are made of all of it:
 * two long names with one beginning stay two. The BPF programs cut in the same way
 * (bpf/drm_sched.bpf.c).
 */
#ifndef LANE_BASE_FIT_H
#define LANE_BASE_FIT_H

#include <linux/types.h>
#ifndef __bpf__
#include <stddef.h>
#endif

enum {
	LANE_FIT_TAIL = 9, /* ~ and the digits, bytes */
	LANE_FIT_READS =
		256, /* bytes of a text that are looked at where it cannot be had in one piece */
};

#define LANE_FIT_BEGIN 2166136261u /* FNV-1a of 32 bits */
#define LANE_FIT_PRIME 16777619u

/* The number of a text goes on with one more byte. */
static inline __u32 lane_fit_add(__u32 number, char byte)
{
	return (number ^ (unsigned char)byte) * LANE_FIT_PRIME;
}

#ifndef __bpf__

/*
 * Puts the n bytes of a text, none of them 0, into a field of `size` bytes, more than
 * LANE_FIT_TAIL. A text that fills the field has no NUL behind it. What is left of the field stays
 * as it is.
 */
void lane_fit(char *to, size_t size, const char *from, size_t n);

#endif /* !__bpf__ */
#endif

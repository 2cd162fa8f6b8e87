/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The order in which other CPUs see what is stored, and copies by words. */
#ifndef LANE_BPF_MEMORY_BPF_H
#define LANE_BPF_MEMORY_BPF_H

#include <linux/types.h>

/* Behind all loads and stores before it, and ahead of all behind it: on x86 loads are in their
 * order. */
static __always_inline __u32 load_in_order(__u32 *from)
{
#ifdef __TARGET_ARCH_x86
	__u32 value;

	barrier();
	value = *(volatile __u32 *)from;
	barrier();
	return value;
#else
	return __sync_fetch_and_add(from, 0);
#endif
}

/* Behind all loads and stores before it: on x86 stores are seen in their order. */
static __always_inline void store_behind(__u32 *to, __u32 value)
{
#ifdef __TARGET_ARCH_x86
	barrier();
	*(volatile __u32 *)to = value;
#else
	__sync_lock_test_and_set(to, value);
#endif
}

/* What can be copied at once wherever it begins. */
#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_arm64)
typedef __u64 word;
#else
typedef __u32 word;
#endif

/*
 * Copies so many bytes, a multiple of a word: the compiler does not know where texts begin and
 * would copy them byte by byte; the helper that copies takes longer still.
 */
static __always_inline void copy_words(void *to, const void *from, unsigned int bytes)
{
#pragma unroll
	for (unsigned int i = 0; i < bytes / sizeof(word); i++)
		((word *)to)[i] = ((const word *)from)[i];
}

#endif

// SPDX-License-Identifier: MIT
// OpenCL C 2.0's atomics of 32 bits as those of 1.2, which Oclgrind has: gpulane includes this in front of each program that runs there.
// Memory's order and scope are left out: Oclgrind runs one work-item after the other.
#define atomic_int int
#define atomic_uint uint
#define atomic_flag int
#define ATOMIC_VAR_INIT(v) (v)
#define ATOMIC_FLAG_INIT 0
#define atomic_init(p, v) (*(p) = (v))
#define atomic_work_item_fence(flags, ...) mem_fence(flags)
#define atomic_load(p) (*(p))
#define atomic_load_explicit(p, ...) (*(p))
#define atomic_store(p, v) ((void)atomic_xchg(p, v))
#define atomic_store_explicit(p, v, ...) ((void)atomic_xchg(p, v))
#define atomic_exchange(p, v) atomic_xchg(p, v)
#define atomic_exchange_explicit(p, v, ...) atomic_xchg(p, v)
#define atomic_fetch_add(p, v) atomic_add(p, v)
#define atomic_fetch_add_explicit(p, v, ...) atomic_add(p, v)
#define atomic_fetch_sub(p, v) atomic_sub(p, v)
#define atomic_fetch_sub_explicit(p, v, ...) atomic_sub(p, v)
#define atomic_fetch_and(p, v) atomic_and(p, v)
#define atomic_fetch_and_explicit(p, v, ...) atomic_and(p, v)
#define atomic_fetch_or(p, v) atomic_or(p, v)
#define atomic_fetch_or_explicit(p, v, ...) atomic_or(p, v)
#define atomic_fetch_xor(p, v) atomic_xor(p, v)
#define atomic_fetch_xor_explicit(p, v, ...) atomic_xor(p, v)
#define atomic_fetch_min(p, v) atomic_min(p, v)
#define atomic_fetch_min_explicit(p, v, ...) atomic_min(p, v)
#define atomic_fetch_max(p, v) atomic_max(p, v)
#define atomic_fetch_max_explicit(p, v, ...) atomic_max(p, v)
#define atomic_flag_test_and_set(p) (atomic_xchg(p, 1) != 0)
#define atomic_flag_test_and_set_explicit(p, ...) (atomic_xchg(p, 1) != 0)
#define atomic_flag_clear(p) ((void)atomic_xchg(p, 0))
#define atomic_flag_clear_explicit(p, ...) ((void)atomic_xchg(p, 0))
#define atomic_compare_exchange_strong(p, e, d)                                                    \
	({                                                                                         \
		__typeof__(*(e)) lane_want_ = *(e);                                                \
		__typeof__(*(e)) lane_was_ = atomic_cmpxchg(p, lane_want_, d);                     \
		*(e) = lane_was_;                                                                  \
		lane_was_ == lane_want_;                                                           \
	})
#define atomic_compare_exchange_strong_explicit(p, e, d, ...) atomic_compare_exchange_strong(p, e, d)
#define atomic_compare_exchange_weak(p, e, d) atomic_compare_exchange_strong(p, e, d)
#define atomic_compare_exchange_weak_explicit(p, e, d, ...) atomic_compare_exchange_strong(p, e, d)

// SPDX-License-Identifier: MIT
// Runs kernels: the work items of a group one after the other, or, where there are barriers, in
// turns; and the functions that OpenCL C has built in, by the names that clang gives them.
//
// Kernels run in one thread, one at a time.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "icd.h"

#define STACK_BYTES ((size_t)64 << 10)

/* What the built-ins tell the work item that runs. */
static struct {
	const struct icd_work *work;
	size_t group[3];
	size_t item[3];
	bool in_turns;
} now;

struct fiber {
	ucontext_t context;
	size_t item[3];
	bool done;
};

static struct fiber *fibers;
static unsigned char *stacks;
static ucontext_t scheduler;
static struct fiber *running;
static unsigned char local_memory[ICD_LOCAL_BYTES] __attribute__((aligned(128)));

/* --- the call
 * ------------------------------------------------------------------------------------- */

/*
 * The arguments by the x86-64 calling convention: integers and pointers in six registers, then on
 * the stack; floating point in eight registers (more than eight are not passed).
 */
struct call {
	uint64_t integers[ICD_MAX_ARGS];
	double floats[8];
	void *function;
};

typedef void kernel_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double,
		       double, double, double, double, double, double, uint64_t, uint64_t, uint64_t,
		       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static struct call call;

static void call_kernel(void)
{
	const uint64_t *i = call.integers;
	const double *f = call.floats;

	((kernel_fn *)call.function)(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3],
				     f[4], f[5], f[6], f[7], i[6], i[7], i[8], i[9], i[10], i[11],
				     i[12], i[13], i[14], i[15]);
}

static void prepare(const struct icd_work *work)
{
	const struct icd_signature *signature = work->kernel->signature;
	unsigned int integers = 0, floats = 0;
	size_t used = 0;

	call = (struct call){ .function = signature->function };
	for (unsigned int i = 0; i < signature->n_args; i++) {
		const struct icd_arg *arg = &work->args[i];
		uint64_t value = arg->value;

		if (signature->args[i] == ICD_ARG_FLOAT && floats < 8) {
			memcpy(&call.floats[floats++], &value, sizeof(value));
			continue;
		}
		if (signature->args[i] == ICD_ARG_POINTER)
			value = arg->memory ? (uintptr_t)arg->memory->data : 0;
		if (signature->args[i] == ICD_ARG_LOCAL) {
			value = (uintptr_t)&local_memory[used];
			used += (arg->bytes + 127) / 128 * 128;
		}
		call.integers[integers++] = value;
	}
	/* Local memory begins with anything. */
	memset(local_memory, 0xa5, used);
}

/* --- groups
 * --------------------------------------------------------------------------------------- */

static void fiber_main(void)
{
	call_kernel();
	running->done = true;
	swapcontext(&running->context, &scheduler);
}

static bool make_fibers(void)
{
	if (fibers)
		return true;
	stacks = mmap(NULL, STACK_BYTES * ICD_GROUP_ITEMS, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED)
		return false;
	fibers = calloc(ICD_GROUP_ITEMS, sizeof(*fibers));
	return fibers;
}

static __attribute__((noinline)) void make_ready(struct fiber *fiber, unsigned char *stack)
{
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = stack;
	fiber->context.uc_stack.ss_size = STACK_BYTES;
	fiber->context.uc_link = &scheduler;
	fiber->done = false;
	makecontext(&fiber->context, fiber_main, 0);
}

static __attribute__((noinline)) void go_on(struct fiber *fiber)
{
	running = fiber;
	memcpy(now.item, fiber->item, sizeof(now.item));
	swapcontext(&scheduler, &fiber->context);
}

/* Each item runs to the next barrier, then the next one does: round after round until all are done.
 */
static void run_in_turns(size_t n)
{
	size_t left = n;

	for (size_t i = 0; i < n; i++)
		make_ready(&fibers[i], stacks + i * STACK_BYTES);
	while (left) {
		for (size_t i = 0; i < n; i++) {
			if (fibers[i].done)
				continue;
			go_on(&fibers[i]);
			left -= fibers[i].done;
		}
	}
}

static void run_group(const struct icd_work *work)
{
	size_t n = 0, at[3];

	for (at[2] = 0; at[2] < work->local[2]; at[2]++) {
		for (at[1] = 0; at[1] < work->local[1]; at[1]++) {
			for (at[0] = 0; at[0] < work->local[0]; at[0]++) {
				memcpy(now.item, at, sizeof(at));
				if (now.in_turns)
					memcpy(fibers[n++].item, at, sizeof(at));
				else
					call_kernel();
			}
		}
	}
	if (now.in_turns)
		run_in_turns(n);
}

void icd_run_kernel(const struct icd_work *work)
{
	size_t *g = now.group;

	now.work = work;
	now.in_turns = work->kernel->program->has_barrier && make_fibers();
	prepare(work);
	for (g[2] = 0; g[2] < work->global[2] / work->local[2]; g[2]++)
		for (g[1] = 0; g[1] < work->global[1] / work->local[1]; g[1]++)
			for (g[0] = 0; g[0] < work->global[0] / work->local[0]; g[0]++)
				run_group(work);
}

/* --- built-ins
 * ------------------------------------------------------------------------------------ */

#define BUILT_IN(type, name, mangled, ...)                                                         \
	type name(__VA_ARGS__) __asm__(mangled);                                                   \
	__attribute__((visibility("default"))) type name(__VA_ARGS__)

BUILT_IN(uint32_t, get_work_dim, "_Z12get_work_dimv", void)
{
	return now.work->dimensions;
}

BUILT_IN(size_t, get_global_id, "_Z13get_global_idj", uint32_t d)
{
	return d < 3 ? now.work->offset[d] + now.group[d] * now.work->local[d] + now.item[d] : 0;
}

BUILT_IN(size_t, get_local_id, "_Z12get_local_idj", uint32_t d)
{
	return d < 3 ? now.item[d] : 0;
}

BUILT_IN(size_t, get_group_id, "_Z12get_group_idj", uint32_t d)
{
	return d < 3 ? now.group[d] : 0;
}

BUILT_IN(size_t, get_global_size, "_Z15get_global_sizej", uint32_t d)
{
	return d < 3 ? now.work->global[d] : 1;
}

BUILT_IN(size_t, get_local_size, "_Z14get_local_sizej", uint32_t d)
{
	return d < 3 ? now.work->local[d] : 1;
}

BUILT_IN(size_t, get_num_groups, "_Z14get_num_groupsj", uint32_t d)
{
	return d < 3 ? now.work->global[d] / now.work->local[d] : 1;
}

BUILT_IN(size_t, get_global_offset, "_Z17get_global_offsetj", uint32_t d)
{
	return d < 3 ? now.work->offset[d] : 0;
}

BUILT_IN(void, barrier, "_Z7barrierj", uint32_t flags)
{
	(void)flags;
	if (now.in_turns)
		swapcontext(&running->context, &scheduler);
}

BUILT_IN(void, mem_fence, "_Z9mem_fencej", uint32_t flags)
{
	(void)flags;
}

/* Nothing else runs meanwhile: an atomic is a plain access. */
#define ATOMIC(name, length, space, code, type, result)                                            \
	BUILT_IN(type, name##_##space##_##code,                                                    \
		 "_Z" #length #name "PU" space##_NAME "V" #code #code, volatile type *at,          \
		 type value)                                                                       \
	{                                                                                          \
		type old = *at;                                                                    \
                                                                                                   \
		*at = result;                                                                      \
		return old;                                                                        \
	}
#define ATOMIC_ONE(name, length, space, code, type, result)                                        \
	BUILT_IN(type, name##_##space##_##code, "_Z" #length #name "PU" space##_NAME "V" #code,    \
		 volatile type *at)                                                                \
	{                                                                                          \
		type old = *at;                                                                    \
                                                                                                   \
		*at = result;                                                                      \
		return old;                                                                        \
	}
#define global_NAME "8CLglobal"
#define local_NAME  "7CLlocal"
#define ATOMICS(space, code, type)                                                                 \
	ATOMIC_ONE(atomic_inc, 10, space, code, type, old + 1)                                     \
	ATOMIC_ONE(atomic_dec, 10, space, code, type, old - 1)                                     \
	ATOMIC(atomic_add, 10, space, code, type, old + value)                                     \
	ATOMIC(atomic_sub, 10, space, code, type, old - value)                                     \
	ATOMIC(atomic_xchg, 11, space, code, type, value)                                          \
	ATOMIC(atomic_min, 10, space, code, type, old < value ? old : value)                       \
	ATOMIC(atomic_max, 10, space, code, type, old > value ? old : value)                       \
	ATOMIC(atomic_and, 10, space, code, type, old &value)                                      \
	ATOMIC(atomic_or, 9, space, code, type, old | value)                                       \
	ATOMIC(atomic_xor, 10, space, code, type, old ^ value)
ATOMICS(global, i, int32_t)
ATOMICS(global, j, uint32_t)
ATOMICS(local, i, int32_t)
ATOMICS(local, j, uint32_t)

#define COMPARE(space, code, type)                                                                 \
	BUILT_IN(type, atomic_cmpxchg_##space##_##code,                                            \
		 "_Z14atomic_cmpxchgPU" space##_NAME "V" #code #code #code, volatile type *at,     \
		 type compare, type value)                                                         \
	{                                                                                          \
		type old = *at;                                                                    \
                                                                                                   \
		*at = old == compare ? value : old;                                                \
		return old;                                                                        \
	}
COMPARE(global, i, int32_t)
COMPARE(global, j, uint32_t)
COMPARE(local, i, int32_t)
COMPARE(local, j, uint32_t)

#define MATH(name, length, function)                                                               \
	BUILT_IN(float, cl_##name, "_Z" #length #name "f", float x)                                \
	{                                                                                          \
		return function(x);                                                                \
	}
MATH(cos, 3, cosf)
MATH(sin, 3, sinf)
MATH(tan, 3, tanf)
MATH(exp, 3, expf)
MATH(log, 3, logf)
MATH(sqrt, 4, sqrtf)
MATH(fabs, 4, fabsf)
MATH(floor, 5, floorf)
MATH(ceil, 4, ceilf)
MATH(round, 5, roundf)
MATH(rint, 4, rintf)
MATH(native_cos, 10, cosf)
MATH(native_sin, 10, sinf)
MATH(native_sqrt, 11, sqrtf)

#define MATH3(name, length)                                                                        \
	BUILT_IN(float, cl_##name, "_Z" #length #name "fff", float a, float b, float c)            \
	{                                                                                          \
		return fmaf(a, b, c);                                                              \
	}
MATH3(mad, 3)
MATH3(fma, 3)

#define CHOICE(code, type)                                                                         \
	BUILT_IN(type, cl_min_##code, "_Z3min" #code #code, type a, type b)                        \
	{                                                                                          \
		return a < b ? a : b;                                                              \
	}                                                                                          \
	BUILT_IN(type, cl_max_##code, "_Z3max" #code #code, type a, type b)                        \
	{                                                                                          \
		return a > b ? a : b;                                                              \
	}                                                                                          \
	BUILT_IN(type, cl_clamp_##code, "_Z5clamp" #code #code #code, type x, type low, type high) \
	{                                                                                          \
		return x < low ? low : x > high ? high : x;                                        \
	}
CHOICE(i, int32_t)
CHOICE(j, uint32_t)
CHOICE(f, float)

BUILT_IN(uint32_t, cl_abs, "_Z3absi", int32_t x)
{
	return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
}

BUILT_IN(int32_t, cl_mul24, "_Z5mul24ii", int32_t a, int32_t b)
{
	return a * b;
}

BUILT_IN(int32_t, cl_mad24, "_Z5mad24iii", int32_t a, int32_t b, int32_t c)
{
	return a * b + c;
}

/* SPDX-License-Identifier: MIT */
/* What the tracepoints and hooked functions of the driver record. */
#ifndef ORACLE_TRACE_H
#define ORACLE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * T(ID, name): in the order of events.def. EXECUTED is the hook of __i915_request_submit()'s
 * return, where a stock kernel has no tracepoint; it is written as i915_request_execute.
 */
#define TRACE_KINDS(T)                                                                             \
	T(QUEUE, i915_request_queue)                                                               \
	T(ADD, i915_request_add)                                                                   \
	T(GUC_SUBMIT, i915_request_guc_submit)                                                     \
	T(SUBMIT, i915_request_submit)                                                             \
	T(EXECUTE, i915_request_execute)                                                           \
	T(UNSUBMIT, i915_request_unsubmit)                                                         \
	T(IN, i915_request_in)                                                                     \
	T(OUT, i915_request_out)                                                                   \
	T(RETIRE, i915_request_retire)                                                             \
	T(WAIT_BEGIN, i915_request_wait_begin)                                                     \
	T(WAIT_END, i915_request_wait_end)                                                         \
	T(PORTS, i915_engine_ports)                                                                \
	T(FENCE_INIT, dma_fence_init)                                                              \
	T(ENABLE_SIGNAL, dma_fence_enable_signal)                                                  \
	T(SIGNALED, dma_fence_signaled)                                                            \
	T(FENCE_WAIT_START, dma_fence_wait_start)                                                  \
	T(FENCE_WAIT_END, dma_fence_wait_end)                                                      \
	T(EXECUTED, i915_request_execute_return)

#define TRACE_ENUM(id, name) TRACE_##id,
enum trace_kind {
	TRACE_KINDS(TRACE_ENUM) N_TRACE_KINDS
};

struct event {
	uint64_t at;
	uint64_t ctx, ctx1;
	uint32_t seqno, seqno1, tail, flags;
	int32_t prio;
	uint16_t class, instance;
	uint16_t port, completed;
	int pid, tid;
	uint8_t cpu, kind;
	bool is_dropped;
};

struct request;
struct engine;

extern struct event *events;
extern size_t n_events;
extern const char *const trace_names[N_TRACE_KINDS];

/* Each returns the time of its event. */
uint64_t trace(enum trace_kind kind, const struct request *rq);
uint64_t trace_wait(enum trace_kind kind, const struct request *rq, unsigned flags);
uint64_t trace_in(const struct request *rq, int port);
uint64_t trace_out(const struct request *rq);
uint64_t trace_ports(const struct engine *engine, struct request *const on[2]);
void trace_free(void);

#endif

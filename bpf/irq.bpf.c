// SPDX-License-Identifier: GPL-2.0 OR MIT
// Interrupts and softirqs. They belong to no process: where processes are followed they are
// recorded all the same, for the sake of the threads that they wake.
#include "common.bpf.h"

RECORD(irq_handler_entry);
RECORD(irq_handler_exit);
RECORD(irq_softirq_entry);

/* A handler begins; NULL: its name is the kernel's irq_work. */
static __always_inline int begins(int irq, const char *name)
{
	struct record_irq_handler_entry *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_IRQ_ENTRY, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.irq = irq;
	__builtin_memset(r->p.name, 0, sizeof(r->p.name));
	if (name)
		bpf_probe_read_kernel_str(r->p.name, sizeof(r->p.name), name);
	else
		__builtin_memcpy(r->p.name, "irq_work", sizeof("irq_work"));
	record_end(r, sizeof(*r), wakes);
	return 0;
}

static __always_inline int returns(int irq, int ret)
{
	struct record_irq_handler_exit *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(LANE_IRQ_EXIT, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.irq = irq;
	r->p.ret = ret;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_entry, int irq, struct irqaction *action)
{
	return begins(irq, action->name);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_exit, int irq, struct irqaction *action, int ret)
{
	return returns(irq, ret);
}

SEC("tp_btf/irq_work_entry")
int BPF_PROG(irq_work_entry, int vector)
{
	return begins(vector, NULL);
}

SEC("tp_btf/irq_work_exit")
int BPF_PROG(irq_work_exit, int vector)
{
	return returns(vector, 1);
}

static __always_inline int softirq_event(unsigned int vec, __u32 kind)
{
	struct record_irq_softirq_entry *r;
	bool wakes;

	if (!enabled)
		return 0;
	r = record_begin(kind, LANE_ORIGIN_TRACEPOINT, sizeof(*r), &wakes);
	if (!r)
		return 0;
	r->p.vec = vec;
	record_end(r, sizeof(*r), wakes);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vec)
{
	return softirq_event(vec, LANE_SOFTIRQ_ENTRY);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, unsigned int vec)
{
	return softirq_event(vec, LANE_SOFTIRQ_EXIT);
}

SEC("tp_btf/softirq_raise")
int BPF_PROG(softirq_raise, unsigned int vec)
{
	return softirq_event(vec, LANE_SOFTIRQ_RAISE);
}

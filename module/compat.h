/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where kernels and LTTng versions differ, tested by feature; nothing else in module/ tests for
 * either.
 */
#ifndef LANE_MODULE_COMPAT_H
#define LANE_MODULE_COMPAT_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#ifndef CONFIG_DEBUG_INFO_BTF_MODULES
#error "gpulane: this kernel gives its modules no BTF (CONFIG_DEBUG_INFO_BTF_MODULES): i915 cannot be identified"
#endif
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#error "gpulane: this kernel's functions cannot be hooked with their arguments (CONFIG_DYNAMIC_FTRACE_WITH_REGS)"
#endif
#ifndef CONFIG_KRETPROBES
#error "gpulane: this kernel has no kretprobes (CONFIG_KRETPROBES)"
#endif
#ifndef CONFIG_KALLSYMS
#error "gpulane: this kernel keeps no symbols of its modules (CONFIG_KALLSYMS)"
#endif

/* Newer kernels put a suffix to the names DECLARE_TRACE makes, their DECLARE_TRACE_EVENT does not.
 */
#ifdef DECLARE_TRACE_EVENT
#define LANE_DECLARE_TRACE DECLARE_TRACE_EVENT
#else
#define LANE_DECLARE_TRACE DECLARE_TRACE
#endif

/* Makes LTTng's probe function forget the event: __post is the label of its end. */
#define LANE_DROP_EVENT() goto __post

/* How far into a function ftrace's call can lie (an endbr64 may stand before it), bytes. */
#define LANE_FTRACE_REACH 16

/*
 * The address of the only symbol of this name in a module, 0 when it has none or several. The
 * module must not go meanwhile.
 */
static inline unsigned long lane_module_symbol(struct module *mod, const char *name)
{
	struct mod_kallsyms *symbols;
	unsigned long address = 0;
	unsigned int i;

	rcu_read_lock_sched();
	symbols = rcu_dereference_sched(mod->kallsyms);
	for (i = 1; symbols && i < symbols->num_symtab; i++) {
		const Elf_Sym *symbol = &symbols->symtab[i];

		if (symbol->st_shndx == SHN_UNDEF ||
		    strcmp(symbols->strtab + symbol->st_name, name))
			continue;
		if (address) {
			address = 0;
			break;
		}
		address = symbol->st_value;
	}
	rcu_read_unlock_sched();
	return address;
}

#endif

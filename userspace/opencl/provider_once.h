/* SPDX-License-Identifier: MIT */
/*
 * Both layers have the provider `gpulane`. In a process with both, one registers its probes: a
 * tracepoint goes to all probes of its name, so that each event would be recorded twice. For
 * provider.c, before LTTng's macros make the constructor that registers. LANE_HAS_PROBES is this
 * library's answer, by a name that no other library has: preloaded, one library's symbol is used
 * for all others of its name. LANE_OTHER_LAYER is the other's file, LANE_OTHER_HAS_PROBES its
 * answer.
 */
#ifndef LANE_OPENCL_PROVIDER_ONCE_H
#define LANE_OPENCL_PROVIDER_ONCE_H

#include <dlfcn.h>
#include <lttng/ust-events.h>
#include <stdbool.h>
#include <stddef.h>

/* What the other layer's library is asked for. */
__attribute__((visibility("default"))) extern bool LANE_HAS_PROBES;
bool LANE_HAS_PROBES;

static inline void *opencl_provider_register(const struct lttng_ust_probe_desc *desc)
{
	static char done_by_other;
	void *library = dlopen(LANE_OTHER_LAYER, RTLD_LAZY | RTLD_NOLOAD);
	const bool *has = library ? dlsym(library, LANE_OTHER_HAS_PROBES) : NULL;

	/* No layer is ever unloaded. */
	if (has && *has)
		return &done_by_other;
	LANE_HAS_PROBES = true;
	return lttng_ust_probe_register(desc);
}

static inline void opencl_provider_unregister(struct lttng_ust_registered_probe *probe)
{
	if (LANE_HAS_PROBES)
		lttng_ust_probe_unregister(probe);
}

#define lttng_ust_probe_register(desc)	  opencl_provider_register(desc)
#define lttng_ust_probe_unregister(probe) opencl_provider_unregister(probe)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Both layers have the provider `gpulane`. In a process with both, one registers its probes: a
 * tracepoint goes to all probes of its name, so that each event would be recorded twice. For
 * provider.c, before LTTng's macros make the constructor that registers; LANE_OTHER_LAYER is the
 * name of the other's library.
 */
#ifndef LANE_OPENCL_PROVIDER_ONCE_H
#define LANE_OPENCL_PROVIDER_ONCE_H

#include <dlfcn.h>
#include <lttng/ust-events.h>
#include <stdbool.h>
#include <stddef.h>

/* What the other layer's library is asked for. */
__attribute__((visibility("default"))) extern bool gpulane_layer_has_probes;
bool gpulane_layer_has_probes;

static inline void *opencl_provider_register(const char *other,
					     const struct lttng_ust_probe_desc *desc)
{
	static char done_by_other;
	void *library = dlopen(other, RTLD_LAZY | RTLD_NOLOAD);
	const bool *has = library ? dlsym(library, "gpulane_layer_has_probes") : NULL;

	/* No layer is ever unloaded. */
	if (has && *has)
		return &done_by_other;
	gpulane_layer_has_probes = true;
	return lttng_ust_probe_register(desc);
}

static inline void opencl_provider_unregister(struct lttng_ust_registered_probe *probe)
{
	if (gpulane_layer_has_probes)
		lttng_ust_probe_unregister(probe);
}

#define lttng_ust_probe_register(desc)	  opencl_provider_register(LANE_OTHER_LAYER, desc)
#define lttng_ust_probe_unregister(probe) opencl_provider_unregister(probe)

#endif

/* SPDX-License-Identifier: MIT */
/* A state provider of Trace Compass's XML analyses, as far as docs/tracecompass uses it. */
#ifndef LANE_TESTS_COMPASS_PROVIDER_H
#define LANE_TESTS_COMPASS_PROVIDER_H

#include <libxml/tree.h>

#include "base/event.h"
#include "state.h"

struct provider;

/* The provider of a document; exits on an element or an attribute that it does not know. */
struct provider *provider_create(xmlDoc *document);

/* Applies the rules for an event to the state system. */
void provider_event(const struct provider *provider, struct state_system *system,
		    const struct lane_event *event);

void provider_destroy(struct provider *provider);

/* An attribute of an element, "" when it has none; valid as long as the document. */
const char *xml_get(const xmlNode *node, const char *name);

/* The next element from node on (node itself included), NULL at the end. */
xmlNode *xml_element(xmlNode *node);

#endif

// SPDX-License-Identifier: MIT
// Interprets the elements of a stateProvider: eventHandler, stateChange with if/then/else,
// conditions, stateAttribute, stateValue, location, definedValue. And of a pattern: tests, actions
// that make a segment, and machines of one state, whose transition leads back to it.
#include "provider.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_HANDLERS = 64
};

struct provider {
	xmlNode *node, *machines; /* NULL: no pattern */
	struct {
		unsigned int kind;
		xmlNode *node;
	} handlers[MAX_HANDLERS];
	size_t n_handlers;
};

/* What a rule is applied to. */
struct scope {
	const struct provider *provider;
	struct state_system *system;
	const struct lane_event *event;
};

static void __attribute__((noreturn)) fail(const xmlNode *node, const char *what, const char *which)
{
	fprintf(stderr, "%s:%ld: %s: %s %s\n", node->doc->URL ? (const char *)node->doc->URL : "?",
		xmlGetLineNo(node), (const char *)node->name, what, which);
	exit(2);
}

const char *xml_get(const xmlNode *node, const char *name)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (!strcmp((const char *)attr->name, name))
			return attr->children ? (const char *)attr->children->content : "";
	return "";
}

xmlNode *xml_element(xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

static bool is(const xmlNode *node, const char *name)
{
	return !strcmp((const char *)node->name, name);
}

/* Exits when the element has an attribute other than these. */
static void only(const xmlNode *node, const char *const *names)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
		const char *const *name = names;

		while (*name && strcmp(*name, (const char *)attr->name))
			name++;
		if (!*name)
			fail(node, "an attribute that is not known:", (const char *)attr->name);
	}
}

/* The constant itself, or what the provider's definedValue of this name says. */
static const char *constant(const struct scope *scope, const xmlNode *at, const char *text)
{
	if (*text != '$')
		return text;
	for (xmlNode *n = xml_element(scope->provider->node->children); n; n = xml_element(n->next))
		if (is(n, "definedValue") && !strcmp(xml_get(n, "name"), text + 1))
			return xml_get(n, "value");
	fail(at, "no definedValue", text);
}

static void set_number(struct state_value *value, int64_t number)
{
	value->type = STATE_NUMBER;
	value->number = number;
}

/* The value of an event's field, as Trace Compass reads it: integers are long, arrays of text text.
 */
static void field(const xmlNode *at, const struct lane_event *event, const char *name,
		  struct state_value *value)
{
	const struct lane_kind_info *info = &lane_kinds[event->wire.kind];
	const char *from = (const char *)&event->u;
	uint64_t bits = 0;

	if (!strcmp(name, "context._tid") || !strcmp(name, "context._pid")) {
		set_number(value, name[9] == 't' ? event->wire.tid : event->wire.pid);
		return;
	}
	for (unsigned int i = 0; i < info->n_fields; i++) {
		const struct lane_field *f = &info->fields[i];

		if (strcmp(f->name, name))
			continue;
		if (f->type >= LANE_TYPE_comm) {
			value->type = STATE_TEXT;
			memset(value->text, 0, sizeof(value->text));
			memcpy(value->text, from + f->offset, f->size);
			return;
		}
		memcpy(&bits, from + f->offset, f->size);
		set_number(value, f->type == LANE_TYPE_s32 ? (int32_t)bits : (int64_t)bits);
		return;
	}
	fail(at, "the event has no field", name);
}

/* A value as the name of an attribute. */
static const char *as_name(const struct state_value *value, char *buffer, size_t size)
{
	if (value->type == STATE_TEXT)
		return value->text;
	snprintf(buffer, size, "%" PRId64, value->number);
	return buffer;
}

static struct state_attribute *walk(const struct scope *scope, struct state_attribute *at,
				    xmlNode *first);

/* Goes down by one stateAttribute element. */
static struct state_attribute *step(const struct scope *scope, struct state_attribute *at,
				    xmlNode *node)
{
	static const char *const known[] = { "type", "value", NULL };
	const char *type = xml_get(node, "type"), *value = xml_get(node, "value");
	struct state_value found = { 0 };
	char name[32];

	only(node, known);
	if (!strcmp(type, "constant"))
		return state_child(at, constant(scope, node, value), true);
	if (!strcmp(type, "eventField")) {
		field(node, scope->event, value, &found);
		return state_child(at, as_name(&found, name, sizeof(name)), true);
	}
	if (strcmp(type, "location"))
		fail(node, "a type that is not known:", type);
	for (xmlNode *n = xml_element(scope->provider->node->children); n; n = xml_element(n->next))
		if (is(n, "location") && !strcmp(xml_get(n, "id"), value))
			return walk(scope, at, n->children);
	fail(node, "no location", value);
}

/* Follows the stateAttribute elements from `first` on. */
static struct state_attribute *walk(const struct scope *scope, struct state_attribute *at,
				    xmlNode *first)
{
	for (xmlNode *n = xml_element(first); n; n = xml_element(n->next))
		if (is(n, "stateAttribute"))
			at = step(scope, at, n);
	return at;
}

static void value_of(const struct scope *scope, xmlNode *node, struct state_value *value)
{
	static const char *const known[] = { "type", "value", "forcedType", NULL };
	const char *type = xml_get(node, "type"), *text = xml_get(node, "value");
	const char *forced = xml_get(node, "forcedType");

	only(node, known);
	memset(value, 0, sizeof(*value));
	if (!strcmp(type, "null"))
		return;
	if (!strcmp(type, "int") || !strcmp(type, "long")) {
		set_number(value, strtoll(constant(scope, node, text), NULL, 10));
	} else if (!strcmp(type, "string")) {
		value->type = STATE_TEXT;
		snprintf(value->text, sizeof(value->text), "%s", constant(scope, node, text));
	} else if (!strcmp(type, "eventField")) {
		field(node, scope->event, text, value);
		if ((!strcmp(forced, "int") || !strcmp(forced, "long")) &&
		    value->type != STATE_NUMBER)
			fail(node, "not a number:", text);
		/* A long that is forced to be an int loses its upper half. */
		if (!strcmp(forced, "int"))
			value->number = (int32_t)value->number;
	} else {
		fail(node, "a type that is not known:", type);
	}
}

static xmlNode *child(const xmlNode *node, const char *name)
{
	for (xmlNode *n = xml_element(node->children); n; n = xml_element(n->next))
		if (is(n, name))
			return n;
	return NULL;
}

static bool holds(const struct scope *scope, xmlNode *node);

static bool condition(const struct scope *scope, xmlNode *node)
{
	struct state_value is_value = { 0 }, wanted;
	xmlNode *of = child(node, "field");

	const char *operator= xml_get(node, "operator");

	if ((*operator&& strcmp(operator, "lt") && strcmp(operator, "ge")) ||
	    !child(node, "stateValue"))
		fail(node, "is not known in this form", "");
	value_of(scope, child(node, "stateValue"), &wanted);
	if (of)
		field(of, scope->event, xml_get(of, "name"), &is_value);
	else
		is_value = walk(scope, &scope->system->root, node->children)->value;
	if (is_value.type != wanted.type)
		return false;
	if (*operator)
		return is_value.type == STATE_NUMBER &&
		       (is_value.number < wanted.number) == (*operator== 'l');
	return is_value.type == STATE_TEXT ? !strcmp(is_value.text, wanted.text)
					   : is_value.number == wanted.number;
}

/* Whether an element of a condition holds. */
static bool holds(const struct scope *scope, xmlNode *node)
{
	xmlNode *n = xml_element(node->children);

	if (is(node, "condition"))
		return condition(scope, node);
	if (is(node, "not") || is(node, "if"))
		return holds(scope, n) != is(node, "not");
	if (is(node, "and")) {
		for (; n; n = xml_element(n->next))
			if (!holds(scope, n))
				return false;
		return true;
	}
	if (!is(node, "or"))
		fail(node, "is not known", "");
	for (; n; n = xml_element(n->next))
		if (holds(scope, n))
			return true;
	return false;
}

static void change(const struct scope *scope, xmlNode *node)
{
	xmlNode *test = child(node, "if");
	struct state_value value;

	if (test) {
		xmlNode *then = child(node, holds(scope, test) ? "then" : "else");

		if (then)
			change(scope, then);
		return;
	}
	if (child(node, "futureTime"))
		fail(node, "futureTime is not known", "");
	value_of(scope, child(node, "stateValue"), &value);
	state_modify(walk(scope, &scope->system->root, node->children), scope->event->wire.ts_ns,
		     &value);
}

/* The child of this kind that has this id. */
static xmlNode *by_id(xmlNode *in, const char *what, const char *id)
{
	for (xmlNode *n = xml_element(in->children); n; n = xml_element(n->next))
		if (is(n, what) && !strcmp(xml_get(n, "id"), id))
			return n;
	fail(in, "has none of this id:", id);
}

/* A time of a segment: an event's own, or one of its fields. */
static int64_t time_of(const struct scope *scope, xmlNode *node)
{
	struct state_value value;

	if (!strcmp(xml_get(node, "value"), "timestamp"))
		return (int64_t)scope->event->wire.ts_ns;
	value_of(scope, node, &value);
	return value.number;
}

/* Prints the segment of an action: begin, length, name, and its fields by their names. */
static void tell(const struct scope *scope, xmlNode *action)
{
	xmlNode *segment = child(action, "segment"),
		*at = segment ? child(segment, "segTime") : NULL;
	struct state_value value;
	char number[32];

	if (!at || !child(at, "begin") || !child(at, "duration") || !child(segment, "segContent"))
		fail(action, "is not known in this form", "");
	printf("%" PRId64 "\t%" PRId64 "\t%s", time_of(scope, child(at, "begin")),
	       time_of(scope, child(at, "duration")),
	       xml_get(child(segment, "segType"), "segName"));
	for (xmlNode *n = xml_element(child(segment, "segContent")->children); n;
	     n = xml_element(n->next)) {
		value_of(scope, child(n, "stateValue"), &value);
		printf("\t%s=%s", xml_get(n, "name"), as_name(&value, number, sizeof(number)));
	}
	putchar('\n');
}

/* A machine: in its one state, a transition that can be taken does its action and leads back. */
static void machine(const struct scope *scope, xmlNode *fsm)
{
	xmlNode *all = fsm->parent, *state = by_id(fsm, "state", xml_get(fsm, "initial"));
	xmlNode *transition = child(state, "transition");

	if (strcmp(xml_get(transition, "target"), xml_get(state, "id")))
		fail(transition, "leads to another state:", xml_get(transition, "target"));
	if ((int)scope->event->wire.kind == lane_kind_by_name(xml_get(transition, "event")) &&
	    holds(scope, child(by_id(all, "test", xml_get(transition, "cond")), "if")))
		tell(scope, by_id(all, "action", xml_get(transition, "action")));
}

void provider_event(const struct provider *provider, struct state_system *system,
		    const struct lane_event *event)
{
	struct scope scope = { provider, system, event };

	for (size_t i = 0; i < provider->n_handlers; i++) {
		if (provider->handlers[i].kind != event->wire.kind)
			continue;
		for (xmlNode *n = xml_element(provider->handlers[i].node->children); n;
		     n = xml_element(n->next))
			change(&scope, n);
	}
	if (!provider->machines)
		return;
	for (xmlNode *n = xml_element(provider->machines->children); n; n = xml_element(n->next))
		if (is(n, "fsm"))
			machine(&scope, n);
}

struct provider *provider_create(xmlDoc *document)
{
	struct provider *provider = calloc(1, sizeof(*provider));
	xmlNode *root = xmlDocGetRootElement(document);

	if (!provider || !root)
		exit(2);
	provider->node = child(root, "stateProvider");
	if (!provider->node && child(root, "pattern")) {
		provider->node = child(root, "pattern");
		provider->machines = child(provider->node, "patternHandler");
		return provider;
	}
	if (!provider->node)
		fail(root, "no stateProvider", "");
	for (xmlNode *n = xml_element(provider->node->children); n; n = xml_element(n->next)) {
		int kind = lane_kind_by_name(xml_get(n, "eventName"));

		if (!is(n, "eventHandler")) {
			if (!is(n, "head") && !is(n, "definedValue") && !is(n, "location"))
				fail(n, "is not known", "");
			continue;
		}
		if (kind < 0)
			fail(n, "no such event:", xml_get(n, "eventName"));
		if (provider->n_handlers == MAX_HANDLERS)
			fail(n, "more handlers than can be held", "");
		provider->handlers[provider->n_handlers].kind = (unsigned int)kind;
		provider->handlers[provider->n_handlers++].node = n;
	}
	return provider;
}

void provider_destroy(struct provider *provider)
{
	free(provider);
}

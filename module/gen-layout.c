// SPDX-License-Identifier: GPL-2.0
/*
 * gen-layout writes layout.h, what the module knows of one i915 driver, taken from its BTF:
 * where the members of its structures are, which tracepoints it has, which functions can be hooked.
 *
 * gen-layout [--functions] BASE I915
 *
 * BASE is the kernel's BTF (raw or ELF), I915 the driver's (raw, or i915.ko). What the module needs
 * and does not find, or finds with another type, stops the build with one line. With --functions a
 * function is preferred to the tracepoint, where one is known: to compare the two.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/events.def"
#include "module/identity.h"
#include "module/layout.def"

#define UNKNOWN "(this kernel's i915 is not known to this module)"
#define WHOSE	"(is it i915's, and VMLINUX= the kernel it is for?)"

static const struct btf *btf;
static bool prefer_functions;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
	va_list args;

	fputs("gpulane: module: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

#define DEEPEST 64 /* longest chain of types followed: a file may be damaged */

/* The type behind typedefs and qualifiers. */
static __u32 bare(__u32 id)
{
	const struct btf_type *type;

	for (int depth = 0; depth < DEEPEST; depth++) {
		type = btf__type_by_id(btf, id);
		if (!type || !(btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type)))
			break;
		id = type->type;
	}
	return id;
}

static const char *name_of(const struct btf_type *type)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	return name ? name : "";
}

/* Writes a type as in C, without typedefs and qualifiers: "struct i915_request *". */
static void type_text(__u32 id, char *text, size_t size)
{
	const struct btf_type *type;
	int stars = 0;

	for (id = bare(id); (type = btf__type_by_id(btf, id)) && btf_is_ptr(type) && stars < 8;
	     id = bare(type->type))
		stars++;
	if (!id)
		snprintf(text, size, "void");
	else if (!type)
		snprintf(text, size, "?");
	else if (btf_is_composite(type) || btf_is_fwd(type))
		snprintf(text, size, "%s %s", btf_is_union(type) ? "union" : "struct",
			 name_of(type));
	else if (btf_is_any_enum(type))
		snprintf(text, size, "enum %s", name_of(type));
	else
		snprintf(text, size, "%s", name_of(type));
	if (stars) {
		size_t at = strlen(text);

		snprintf(text + at, size - at, " %.*s", stars, "********");
	}
}

/* Writes a function's prototype as "int (struct a *, enum b)", its first `skip` parameters left
 * out. */
static void prototype_text(const struct btf_type *proto, int skip, char *text, size_t size)
{
	const struct btf_param *param = btf_params(proto);
	const char *separator = "";
	size_t at;

	type_text(proto->type, text, size);
	at = strlen(text);
	at += (size_t)snprintf(text + at, size - at, " (");
	for (int i = skip; i < btf_vlen(proto) && at + 2 < size; i++) {
		at += (size_t)snprintf(text + at, size - at, "%s", separator);
		type_text(param[i].type, text + at, size - at);
		at = strlen(text);
		separator = ", ";
	}
	if (at + 2 < size)
		snprintf(text + at, size - at, ")");
}

/*
 * The next type of this kind and name, 0 when there is none: a driver's BTF may describe one type
 * several times, since not all that is alike is found to be (Linux 7.3).
 */
static __u32 next(const char *name, __u32 kind, __u32 after)
{
	for (__u32 id = after + 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_kind(type) == kind && !strcmp(name_of(type), name))
			return id;
	}
	return 0;
}

/* Of two that differ it could not be told which one is meant. */
__attribute__((noreturn)) static void die_of_two(const char *name)
{
	die("%s: twice in the driver's BTF, and not alike (the kernel was built in a way this "
	    "module does not know)",
	    name);
}

/* Finds a member by name in a structure and its anonymous members; its offset in bits. */
static const struct btf_member *member(__u32 id, const char *name, size_t length, __u32 *bits,
				       int depth)
{
	const struct btf_type *type = btf__type_by_id(btf, bare(id));
	const struct btf_member *m, *inner;

	if (!type || !btf_is_composite(type) || depth > DEEPEST)
		return NULL;
	m = btf_members(type);
	for (int i = 0; i < btf_vlen(type); i++, m++) {
		const char *text = btf__name_by_offset(btf, m->name_off);
		__u32 deeper = *bits + btf_member_bit_offset(type, (__u32)i);

		if (text && *text) {
			if (strlen(text) == length && !memcmp(text, name, length)) {
				if (btf_member_bitfield_size(type, (__u32)i))
					return NULL;
				*bits = deeper;
				return m;
			}
			continue;
		}
		inner = member(m->type, name, length, &deeper, depth + 1);
		if (inner) {
			*bits = deeper;
			return inner;
		}
	}
	return NULL;
}

/* Writes what a tracepoint is called with, from its typedef. */
static void tracepoint_text(const char *event, __u32 id, char *text, size_t size)
{
	id = bare(id);
	if (btf_is_ptr(btf__type_by_id(btf, id)))
		id = bare(btf__type_by_id(btf, id)->type);
	if (!btf_is_func_proto(btf__type_by_id(btf, id)))
		die("%s: is not a tracepoint in this driver", event);
	prototype_text(btf__type_by_id(btf, id), 1, text, size);
}

/* Checks the arguments of an event's tracepoint; false when the driver does not have it. */
static bool has_tracepoint(const char *event, const char *fields)
{
	static const struct {
		const char *fields, *prototype;
	} known[] = {
#define P(fields, prototype) { #fields, prototype },
		LANE_PROTOTYPES(P)
#undef P
	};
	char name[128], text[512];
	bool has = false;

	snprintf(name, sizeof(name), "btf_trace_%s", event);
	for (__u32 id = next(name, BTF_KIND_TYPEDEF, 0); id;
	     id = next(name, BTF_KIND_TYPEDEF, id)) {
		tracepoint_text(event, id, text, sizeof(text));
		has = false;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (strcmp(known[i].fields, fields))
				continue;
			if (strcmp(known[i].prototype, text))
				die("tracepoint %s: is \"%s\" in this driver, not \"%s\" " UNKNOWN,
				    event, text, known[i].prototype);
			has = true;
		}
		if (!has)
			die("tracepoint %s: this module does not know its arguments", event);
	}
	return has;
}

/* Checks the arguments of the function hooked for an event; false when there is none. */
static bool has_function(const char *event)
{
	static const struct {
		const char *event, *function, *prototype;
	} hooks[] = {
#define H(event, function, prototype, handler) { #event, #function, prototype },
		LANE_HOOKS(H)
#undef H
	};
	char text[512];
	bool has = false;

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (strcmp(hooks[i].event, event))
			continue;
		for (__u32 id = next(hooks[i].function, BTF_KIND_FUNC, 0); id;
		     id = next(hooks[i].function, BTF_KIND_FUNC, id)) {
			const struct btf_type *func = btf__type_by_id(btf, id);

			prototype_text(btf__type_by_id(btf, func->type), 0, text, sizeof(text));
			if (strcmp(text, hooks[i].prototype))
				die("%s(): is \"%s\" in this driver, not \"%s\" " UNKNOWN,
				    hooks[i].function, text, hooks[i].prototype);
			has = true;
		}
	}
	return has;
}

/* Where each event of the table comes from on this driver; NULL for events that are not i915's. */
#define E(id, name, group, fields, help) +1
static const char *sources[0 LANE_EVENTS(E)];
#undef E

static const char *find_source(const char *event, const char *group, const char *fields)
{
	if (strcmp(group, "i915") && strcmp(group, "context"))
		return NULL;
	/* what an engine's ports hold is no event of the driver's: the BPF programs read it */
	if (!strcmp(fields, "LANE_F_PORTS"))
		return "NONE";
	if (has_tracepoint(event, fields))
		return prefer_functions && has_function(event) ? "FUNCTION" : "TRACEPOINT";
	/* the tracepoints that every i915 has: one that has them not is another driver */
	if (!strcmp(event, "i915_request_add") || !strcmp(event, "i915_request_retire"))
		die("tracepoint %s: not in this driver's BTF " WHOSE, event);
	return has_function(event) ? "FUNCTION" : "MISSING";
}

static void find_sources(void)
{
	size_t n = 0;

#define E(id, name, group, fields, help) sources[n++] = find_source(#name, #group, #fields);
	LANE_EVENTS(E)
#undef E
}

static const char *source_of(const char *event)
{
	size_t n = 0;

#define E(id, name, group, fields, help)                                                           \
	if (!strcmp(event, #name))                                                                 \
		return sources[n] ? sources[n] : "NONE";                                           \
	n++;
	LANE_EVENTS(E)
#undef E
	die("%s: not in the table of events", event);
}

/* Whether something is needed on this driver: when the event comes from that source, or always. */
static bool needed(const char *source, const char *event)
{
	return !strcmp(source, "ALWAYS") || !strcmp(source_of(event), source);
}

static void emit_source(const char *event)
{
	if (strcmp(source_of(event), "NONE") || !strcmp(event, "i915_engine_ports"))
		printf("#define LANE_SOURCE_%s %s\n", event, source_of(event));
}

/* Whether this driver gives the event. */
static bool given(const char *event)
{
	return !strcmp(source_of(event), "TRACEPOINT") || !strcmp(source_of(event), "FUNCTION");
}

/* The sets of fields that the events of a group have, those this driver gives. */
static void emit_classes(const char *of_group)
{
	static const struct {
		const char *event, *group, *fields;
	} events[] = {
#define E(id, name, group, fields, help) { #name, #group, #fields },
		LANE_EVENTS(E)
#undef E
	};

	printf("#define LANE_CLASSES_%s(C)", of_group);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		size_t j;

		if (strcmp(events[i].group, of_group) || !given(events[i].event))
			continue;
		for (j = 0; j < i; j++)
			if (!strcmp(events[j].fields, events[i].fields) && given(events[j].event))
				break;
		if (j == i)
			printf(" C(%s)", events[i].fields);
	}
	putchar('\n');
}

static void emit_type(const char *id, const char *what, __u32 type_id, const char *expected)
{
	const struct btf_type *type = btf__type_by_id(btf, bare(type_id));
	char text[256];

	if (strcmp(expected, "integer")) {
		type_text(type_id, text, sizeof(text));
		if (strcmp(text, expected))
			die("%s: is \"%s\" in this driver, not \"%s\" " UNKNOWN, what, text,
			    expected);
		if (type && btf_is_ptr(type))
			printf("#define LANE_TYPE_%s void *\n", id);
		return;
	}
	if (!type || !btf_is_int(type) || !strchr("\1\2\4\10", (int)type->size))
		die("%s: is not an integer in this driver " UNKNOWN, what);
	printf("#define LANE_TYPE_%s %c%u\n", id,
	       btf_int_encoding(type) & BTF_INT_SIGNED ? 's' : 'u', type->size * 8);
}

/* The type of the member at this path in a structure, and its place in bits; 0: there is none. */
static __u32 locate(__u32 type_id, const char *path, __u32 *bits)
{
	for (;;) {
		size_t length = strcspn(path, ".");
		const struct btf_member *m = member(type_id, path, length, bits, 0);

		if (!m || !path[length])
			return m ? m->type : 0;
		type_id = m->type;
		path += length + 1;
	}
}

static void emit_member(const char *id, const char *structure, const char *path,
			const char *expected, const char *needed_source, const char *needed_event)
{
	__u32 bits = 0, type = 0;
	char what[256], text[256], first[256] = "";

	if (!needed(needed_source, needed_event))
		return;
	snprintf(what, sizeof(what), "%s.%s", structure, path);
	for (__u32 of = next(structure, BTF_KIND_STRUCT, 0); of;
	     of = next(structure, BTF_KIND_STRUCT, of)) {
		__u32 at = 0, member_type = locate(of, path, &at);

		if (!member_type || at % 8)
			die("%s: not in this driver's BTF " UNKNOWN, what);
		type_text(member_type, text, sizeof(text));
		if (*first && (at != bits || strcmp(text, first)))
			die_of_two(what);
		snprintf(first, sizeof(first), "%s", text);
		bits = at;
		type = member_type;
	}
	if (!type)
		die("struct %s: not in this driver's BTF " WHOSE, structure);
	printf("#define LANE_OFFSET_%s %u\n", id, bits / 8);
	emit_type(id, what, type, expected);
}

/* Whether an enumeration has this name, and its value. */
static bool value_of(__u32 enumeration, const char *name, int *value)
{
	const struct btf_type *type = btf__type_by_id(btf, enumeration);

	for (int i = 0; i < btf_vlen(type); i++) {
		if (strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), name))
			continue;
		*value = btf_enum(type)[i].val;
		return true;
	}
	return false;
}

static void emit_value(const char *id, const char *enumeration, const char *name,
		       const char *needed_source, const char *needed_event)
{
	int value = 0, given;
	bool has = false;

	if (!needed(needed_source, needed_event))
		return;
	for (__u32 of = next(enumeration, BTF_KIND_ENUM, 0); of;
	     of = next(enumeration, BTF_KIND_ENUM, of)) {
		if (!value_of(of, name, &given))
			continue;
		if (has && given != value)
			die_of_two(name);
		value = given;
		has = true;
	}
	if (!has)
		die("enum %s: %s is not in this driver's BTF " UNKNOWN, enumeration, name);
	printf("#define LANE_VALUE_%s %d\n", id, value);
}

static struct btf *open_btf(const char *path, struct btf *base)
{
	struct btf *opened = base ? btf__parse_split(path, base) : btf__parse(path, NULL);

	char why[128];

	if (!opened) {
		libbpf_strerror(errno, why, sizeof(why));
		die("%s: no BTF%s: %s (%s)", path, base ? " that goes with the kernel's" : "", why,
		    base ? "VMLINUX= must be the kernel this i915 is for"
			 : "VMLINUX= is a vmlinux or its BTF");
	}
	return opened;
}

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

int main(int argc, char **argv)
{
	const void *raw;
	unsigned long long identity;
	__u32 size = 0;

	if (argc > 1 && !strcmp(argv[1], "--functions")) {
		prefer_functions = true;
		argc--;
		argv++;
	}
	if (argc != 3) {
		fprintf(stderr, "gpulane: gen-layout: usage: gen-layout [--functions] BASE I915\n");
		return 2;
	}
	libbpf_set_print(silent);
	btf = open_btf(argv[2], open_btf(argv[1], NULL));
	raw = btf__raw_data(btf, &size);
	identity = raw ? lane_identity(raw, size) : 0;
	if (!identity)
		die("%s: its BTF is of a kind that this module does not know", argv[2]);
	printf("/* Generated by gen-layout from one i915 driver's BTF: do not edit. */\n"
	       "#define LANE_IDENTITY 0x%llxULL\n",
	       identity);
	find_sources();
#define M(id, structure, path, type, source, event)                                                \
	emit_member(#id, #structure, #path, type, #source, #event);
	LANE_MEMBERS(M)
#undef M
#define V(id, enumeration, name, source, event)                                                    \
	emit_value(#id, #enumeration, #name, #source, #event);
	LANE_VALUES(V)
#undef V
#define E(id, name, group, fields, help) emit_source(#name);
	LANE_EVENTS(E)
#undef E
	emit_classes("i915");
	emit_classes("context");
	if (fflush(stdout) || ferror(stdout))
		die("layout.h: cannot be written");
	return 0;
}

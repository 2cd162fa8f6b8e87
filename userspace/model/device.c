// SPDX-License-Identifier: MIT
// Device files: the table of what they may hold, the reader, access by key.
#include "model/device.h"

#include <assert.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/lines.h"
#include "model/number.h"

#define DEVICE_BYTES (1 << 20)
#define MAX_SECTIONS 256
#define MAX_DEPTH    8
#define MOST	     100000 /* of what the table does not bound */

static const struct lane_device_kind kinds[] = {
	{ "device",
	  0,
	  {
		  { "units", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 4096, 0 },
		  { "clock_mhz", LANE_KEY_NEEDED, LANE_KEY_REAL, 1, 100000, 0 },
		  { "warp", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 64, 32 },
		  { "max_warps", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1024, 0 }, /* 0: not known */
		  { "max_groups", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1024, 0 },
		  { "max_group_warps", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 1024, 0 },
		  { "issue_limit", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 0, 1024, 0 },
		  { "error_percent", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 12 },
		  { "gain_error_percent", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 0 },
		  { "global_atomic_lanes", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "launch_us", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "op",
	  1,
	  {
		  { "issue", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "completion", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "scratchpad",
	  0,
	  {
		  { "bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, LANE_LOCAL_BYTES, 0 },
		  { "banks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "locks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 1 << 14, 0 },
		  { "read", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "update", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "write", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "branch", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "atomic_unit",
	  0,
	  {
		  { "bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, LANE_LOCAL_BYTES, 0 },
		  { "banks", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 1, 64, 0 },
		  { "latency", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "service", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_bank", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word_service", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_bank_service", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "increments",
	  0,
	  {
		  { "service", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_bank", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "local_memory",
	  0,
	  {
		  { "bytes", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 4, LANE_LOCAL_BYTES, 65536 },
		  { "banks", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 1, 64, 32 },
		  { "atomics_a_cycle", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 1024, 0 },
	  } },
	{ "global_atomics",
	  0,
	  {
		  { "load_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "load_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "red_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "red_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "atomic_single", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "atomic_uncoalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "atomic_coalesced", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "same_word", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
	  } },
	{ "contention",
	  0,
	  {
		  { "word", LANE_KEY_NEEDED, LANE_KEY_REAL, 0, 100000, 0 },
		  { "message_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, 4096, 0 },
		  { "chunk_bytes", LANE_KEY_NEEDED, LANE_KEY_WHOLE, 4, 1 << 20, 0 },
		  { "slices", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 1, 65536, 0 }, /* 0: not known */
		  { "used", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 1000, 1 },
		  { "aggregated", LANE_KEY_OPTIONAL, LANE_KEY_WHOLE, 0, 1, 0 },
		  { "retry", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 100000, 0 },
		  { "error_percent", LANE_KEY_OPTIONAL, LANE_KEY_REAL, 0, 10000, 100 },
	  } },
	{ "curve", 1, { { 0 } } },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct lane_device_kind *more_kinds;
static size_t n_more_kinds;

void model_device_more(const struct lane_device_kind *more, size_t n)
{
	more_kinds = more;
	n_more_kinds = n;
}

static const struct lane_device_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	for (size_t i = 0; i < n_more_kinds; i++)
		if (!strcmp(more_kinds[i].name, name))
			return &more_kinds[i];
	return NULL;
}

static const struct lane_device_key *find_key(const struct lane_device_kind *kind, const char *name,
					      unsigned int *index)
{
	for (unsigned int i = 0; i < LANE_SECTION_KEYS && kind->key[i].name; i++) {
		if (!strcmp(kind->key[i].name, name)) {
			*index = i;
			return &kind->key[i];
		}
	}
	return NULL;
}

const struct lane_device_section *model_device_section(const struct lane_device *device,
						       const char *kind, const char *name)
{
	for (size_t i = 0; i < device->n_sections; i++)
		if (!strcmp(device->section[i].kind->name, kind) &&
		    !strcmp(device->section[i].name, name))
			return &device->section[i];
	return NULL;
}

struct lane_error *model_device_need(const struct lane_device *device, const char *kind,
				     const char *name, const struct lane_device_section **section)
{
	*section = model_device_section(device, kind, name);
	if (*section)
		return NULL;
	return lane_error("%s: the device has no [%s%s%s] (name another with --device)",
			  device->what, kind, *name ? " " : "", name);
}

int64_t model_section_micro(const struct lane_device_section *section, const char *key)
{
	unsigned int index;
	const struct lane_device_key *found = find_key(section->kind, key, &index);

	assert(found);
	return section->value[index].given ? section->value[index].micro
					   : found->preset * LANE_MICRO;
}

uint32_t model_section_whole(const struct lane_device_section *section, const char *key)
{
	return (uint32_t)(model_section_micro(section, key) / LANE_MICRO);
}

double model_section_real(const struct lane_device_section *section, const char *key)
{
	return (double)model_section_micro(section, key) / (double)LANE_MICRO;
}

bool model_section_gives(const struct lane_device_section *section, const char *key)
{
	unsigned int index;

	return section && find_key(section->kind, key, &index) && section->value[index].given;
}

double model_section_doubt(const struct lane_device_section *section, const char *key)
{
	unsigned int index;
	const struct lane_device_key *found = find_key(section->kind, key, &index);

	assert(found);
	return section->value[index].micro ? (double)section->value[index].uncertainty /
						     (double)section->value[index].micro
					   : 0;
}

/* Millionths between two points; the products stay below 2^63 (10^11 * 10^6 < 9 * 10^18). */
static int64_t device_between(int64_t low, int64_t high, uint32_t step, uint32_t steps)
{
	return low + (high - low) * step / steps;
}

void model_op_latency(const struct lane_device_section *op, uint32_t warps, int64_t *issue,
		      int64_t *completion)
{
	const struct lane_op_point *low;
	const struct lane_op_point *high;
	uint32_t i = 0;

	*issue = model_section_micro(op, "issue");
	*completion = model_section_micro(op, "completion");
	if (!op->n_points)
		return;
	while (i < op->n_points && op->point[i].warps < warps)
		i++;
	high = &op->point[i < op->n_points ? i : op->n_points - 1];
	low = i > 0 && i < op->n_points ? &op->point[i - 1] : high;
	if (low == high) {
		*issue = high->issue;
		*completion = high->completion;
		return;
	}
	*issue = device_between(low->issue, high->issue, warps - low->warps,
				high->warps - low->warps);
	*completion = device_between(low->completion, high->completion, warps - low->warps,
				     high->warps - low->warps);
}

/* Where in a device something stands, for errors: [kind] or [kind name]. */
#define AT(section) section->kind->name, section->kind->is_named ? " " : "", section->name

static struct lane_error *copy_name(const struct lane_device *device, const char *from, char *to)
{
	size_t bytes = strlen(from);

	if (!bytes || bytes >= LANE_NAME_BYTES ||
	    strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") !=
		    bytes)
		return lane_error("%s: `%.40s' is not a name (up to %d letters, digits, _ - .)",
				  device->what, from, LANE_NAME_BYTES - 1);
	memcpy(to, from, bytes + 1);
	return NULL;
}

/* A number in millionths; -1: something else, or not between 0 and `most`. */
static int64_t device_micro(json_object *from, double most)
{
	double value = json_object_get_double(from);

	if ((!json_object_is_type(from, json_type_int) &&
	     !json_object_is_type(from, json_type_double)) ||
	    !(value >= 0 && value <= most))
		return -1;
	return llround(value * (double)LANE_MICRO);
}

/* NUMBER, or {"value": NUMBER, "uncertainty": NUMBER, "from": TEXT}. */
static struct lane_error *set_value(const struct lane_device *device,
				    struct lane_device_section *section, const char *name,
				    json_object *from)
{
	unsigned int index;
	const struct lane_device_key *key = find_key(section->kind, name, &index);
	struct lane_value value = { .given = 1 };
	json_object *uncertainty = NULL;

	if (!key)
		return lane_error("%s: [%s%s%s] has no key `%.40s'", device->what, AT(section),
				  name);
	if (json_object_is_type(from, json_type_object)) {
		json_object_object_foreach(from, word, member) {
			(void)member;
			if (strcmp(word, "value") && strcmp(word, "uncertainty") &&
			    strcmp(word, "from"))
				return lane_error("%s: [%s%s%s] %s: `%.40s' is none of value, "
						  "uncertainty, from",
						  device->what, AT(section), name, word);
		}
		uncertainty = json_object_object_get(from, "uncertainty");
		from = json_object_object_get(from, "value");
	}
	value.micro = device_micro(from, key->max);
	value.uncertainty = uncertainty ? device_micro(uncertainty, MOST) : 0;
	if (value.micro < key->min * LANE_MICRO)
		return lane_error("%s: [%s%s%s] %s: not a number between %u and %u", device->what,
				  AT(section), name, key->min, key->max);
	if (key->form == LANE_KEY_WHOLE && value.micro % LANE_MICRO)
		return lane_error("%s: [%s%s%s] %s: not a whole number", device->what, AT(section),
				  name);
	if (value.uncertainty < 0)
		return lane_error("%s: [%s%s%s] %s: its uncertainty is not a number", device->what,
				  AT(section), name);
	section->value[index] = value;
	return NULL;
}

/* [[WARPS, ISSUE, COMPLETION], ...], of a curve [[DEGREE, CYCLES, UNCERTAINTY], ...]. */
static struct lane_error *set_points(const struct lane_device *device,
				     struct lane_device_section *section, json_object *from)
{
	size_t n = json_object_is_type(from, json_type_array) ? json_object_array_length(from) : 0;

	if (!n || n > LANE_OP_POINTS)
		return lane_error("%s: [%s%s%s] at: not a list of 1 to %d points", device->what,
				  AT(section), LANE_OP_POINTS);
	for (size_t i = 0; i < n; i++) {
		json_object *of = json_object_array_get_idx(from, i);
		struct lane_op_point *point = &section->point[i];
		int64_t warps = -1;

		if (json_object_is_type(of, json_type_array) && json_object_array_length(of) == 3) {
			warps = device_micro(json_object_array_get_idx(of, 0), 1024);
			point->issue = device_micro(json_object_array_get_idx(of, 1), MOST);
			point->completion = device_micro(json_object_array_get_idx(of, 2), MOST);
		}
		if (warps < LANE_MICRO || warps % LANE_MICRO || point->issue < 0 ||
		    point->completion < 0)
			return lane_error("%s: [%s%s%s] at: point %zu is not three numbers, the "
					  "first a whole one up to 1024",
					  device->what, AT(section), i + 1);
		point->warps = (uint32_t)(warps / LANE_MICRO);
		if (i && point[-1].warps >= point->warps)
			return lane_error("%s: [%s%s%s] at: points must come by ascending warps",
					  device->what, AT(section));
		section->n_points = (uint32_t)(i + 1);
	}
	return NULL;
}

static int is_kind(const struct lane_device_section *section, const char *name)
{
	return !strcmp(section->kind->name, name);
}

/* What a section must have, and what no single key can say. */
static struct lane_error *device_check(const struct lane_device *device,
				       const struct lane_device_section *section)
{
	const struct lane_device_kind *kind = section->kind;

	for (int k = 0; k < LANE_SECTION_KEYS && kind->key[k].name; k++)
		if (kind->key[k].need == LANE_KEY_NEEDED && !section->value[k].given)
			return lane_error("%s: [%s%s%s] lacks `%s'", device->what, AT(section),
					  kind->key[k].name);
	if (is_kind(section, "op") && !section->unit[0])
		return lane_error("%s: [%s%s%s] lacks `pipe'", device->what, AT(section));
	return NULL;
}

static struct lane_error *read_section(struct lane_device *device,
				       const struct lane_device_kind *kind, const char *name,
				       json_object *from)
{
	struct lane_device_section *section;
	struct lane_error *err = NULL;

	if (device->n_sections == MAX_SECTIONS)
		return lane_error("%s: more than %d sections", device->what, MAX_SECTIONS);
	section = &device->section[device->n_sections++];
	section->kind = kind;
	if (kind->is_named)
		err = copy_name(device, name, section->name);
	if (err)
		return err;
	if (!json_object_is_type(from, json_type_object))
		return lane_error("%s: [%s%s%s] is not an object", device->what, AT(section));
	json_object_object_foreach(from, key, value) {
		const char *text = json_object_get_string(value);

		if (!strcmp(key, "note"))
			continue;
		if (is_kind(section, "op") && !strcmp(key, "pipe"))
			err = copy_name(device, text ? text : "", section->unit);
		else if ((is_kind(section, "op") || is_kind(section, "curve")) &&
			 !strcmp(key, "at"))
			err = set_points(device, section, value);
		else
			err = set_value(device, section, key, value);
		if (err)
			return err;
	}
	return device_check(device, section);
}

/* "unknown": what nobody knows of the device, a kind or a kind's key each, and why. */
static struct lane_error *check_unknown(const struct lane_device *device, json_object *from)
{
	if (!json_object_is_type(from, json_type_object))
		return lane_error("%s: `unknown' is not an object", device->what);
	json_object_object_foreach(from, what, why) {
		char name[64], key[64] = "";
		int words = sscanf(what, "%63s %63s", name, key);
		const struct lane_device_kind *kind = words > 0 ? find_kind(name) : NULL;
		const struct lane_device_section *section =
			model_device_section(device, name, kind && kind->is_named ? key : "");
		unsigned int index;

		if (!kind || !json_object_is_type(why, json_type_string) ||
		    (words == 2 && !kind->is_named && !find_key(kind, key, &index)))
			return lane_error("%s: unknown: `%.40s' is no section or key, or has no "
					  "reason beside it",
					  device->what, what);
		if (section && (words == 1 || kind->is_named || model_section_gives(section, key)))
			return lane_error("%s: unknown: `%.40s' is known", device->what, what);
	}
	return NULL;
}

static struct lane_error *read_member(struct lane_device *device, const char *name,
				      json_object *from)
{
	const struct lane_device_kind *kind = find_kind(name);
	char **text = !strcmp(name, "name")	? &device->name
		      : !strcmp(name, "title")	? &device->title
		      : !strcmp(name, "source") ? &device->source
						: NULL;
	struct lane_error *err = NULL;

	if (text) {
		if (!json_object_is_type(from, json_type_string))
			return lane_error("%s: `%s' is not text", device->what, name);
		*text = strdup(json_object_get_string(from));
		return *text ? NULL : &lane_enomem;
	}
	if (!kind)
		return lane_error("%s: no such kind of section: `%.40s'", device->what, name);
	if (!kind->is_named)
		return read_section(device, kind, "", from);
	if (!json_object_is_type(from, json_type_object))
		return lane_error("%s: [%s] needs names", device->what, name);
	json_object_object_foreach(from, of, section) {
		if (!err && strcmp(of, "note"))
			err = read_section(device, kind, of, section);
	}
	return err;
}

static struct lane_error *read_device(struct lane_device *device, json_object *from)
{
	struct lane_error *err = NULL;
	json_object *version = NULL;

	if (json_object_is_type(from, json_type_object))
		version = json_object_object_get(from, "gpulane_device");
	if (json_object_get_int(version) != 2)
		return lane_error("%s: not a device file (it must be JSON with \"gpulane_device\": "
				  "2; gpulane calibrate --out writes one)",
				  device->what);
	json_object_object_foreach(from, name, member) {
		if (strcmp(name, "gpulane_device") && strcmp(name, "note") &&
		    strcmp(name, "unknown"))
			err = read_member(device, name, member);
		if (err)
			return err;
	}
	if (!device->name || !device->source)
		return lane_error("%s: `name' and `source' are needed", device->what);
	version = json_object_object_get(from, "unknown");
	return version ? check_unknown(device, version) : NULL;
}

static struct lane_error *device_parse(const char *text, const char *what, json_object **object)
{
	json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
	struct lane_error *err = NULL;

	if (!tokener)
		return &lane_enomem;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	*object = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
	if (!*object) {
		size_t line = 1;

		for (size_t i = 0; i < json_tokener_get_parse_end(tokener); i++)
			line += text[i] == '\n';
		err = lane_error("%s: line %zu: not JSON: %s", what, line,
				 json_tokener_error_desc(json_tokener_get_error(tokener)));
	}
	json_tokener_free(tokener);
	return err;
}

static void drop_json(json_object **object)
{
	json_object_put(*object);
}

struct lane_error *model_device_parse(const char *text, const char *what,
				      struct lane_device **device)
{
	LANE_CLEANUP(model_device_drop) struct lane_device *made = calloc(1, sizeof(*made));
	LANE_CLEANUP(drop_json) json_object *object = NULL;
	struct lane_error *err;

	if (!made)
		return &lane_enomem;
	made->what = strdup(what);
	made->section = calloc(MAX_SECTIONS, sizeof(*made->section));
	if (!made->what || !made->section)
		return &lane_enomem;
	err = device_parse(text, what, &object);
	if (!err)
		err = read_device(made, object);
	if (err)
		return err;
	*device = LANE_TAKE(made);
	return NULL;
}

struct lane_error *model_device_read(const char *path, struct lane_device **device)
{
	LANE_CLEANUP(lane_free) char *text = NULL;
	struct lane_error *err = model_text_read(path, DEVICE_BYTES, &text);

	return err ? err : model_device_parse(text, path, device);
}

void model_device_free(struct lane_device *device)
{
	if (!device)
		return;
	free(device->what);
	free(device->name);
	free(device->title);
	free(device->source);
	free(device->section);
	free(device);
}

void model_device_drop(struct lane_device **device)
{
	model_device_free(*device);
}
